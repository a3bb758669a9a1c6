"""Reading a file of a test in one line."""

from pathlib import Path
from typing import Any

import pytest

from tests.corpus.reading import ReadBytes, whole
from tokenloom.corpus import BLOCK_BYTES, DocumentOptions, SkippedRecords, list_sources, read_source


@pytest.fixture
def read(tmp_path: Path) -> ReadBytes:
    """Write bytes to a file and read its documents, whole ones."""

    def read(
        data: bytes,
        name: str = "a.txt",
        *,
        block_bytes: int = BLOCK_BYTES,
        skipped: SkippedRecords | None = None,
        **options: Any,
    ) -> list[bytes]:
        (tmp_path / name).write_bytes(data)
        documents = DocumentOptions(**options)
        [source] = list_sources([tmp_path / name], documents)
        return whole(read_source(source, documents, skipped=skipped, block_bytes=block_bytes))

    return read
