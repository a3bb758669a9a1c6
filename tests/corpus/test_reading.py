import io
from typing import Any

import pytest

from tests.corpus.reading import whole
from tokenloom.corpus import DocumentOptions, read_stream
from tokenloom.errors import CorpusError


def test_a_stream_is_text_unless_it_is_said_to_be_something_else() -> None:
    data = b'{"text": "a"}\n'
    assert whole(read_stream(io.BytesIO(data), DocumentOptions(), name="input")) == [data]
    assert whole(read_stream(io.BytesIO(data), DocumentOptions(format="jsonl"), name="input")) == [b"a"]


@pytest.mark.parametrize("table_format", ["parquet", "arrow"])
def test_a_table_is_not_read_from_a_stream(table_format: Any) -> None:
    with pytest.raises(CorpusError, match=r"'input': a table cannot be read from a stream.*\. Name a file"):
        read_stream(io.BytesIO(), DocumentOptions(format=table_format), name="input")


def test_a_broken_record_of_a_stream_names_the_stream() -> None:
    with pytest.raises(CorpusError, match=r"^'input', line 2: is no JSON"):
        list(read_stream(io.BytesIO(b"\n{no"), DocumentOptions(format="jsonl"), name="input"))
