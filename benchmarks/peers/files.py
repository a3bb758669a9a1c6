"""The folder of published vocabularies, and texts that lie both in memory and in a file.

Of the folder are read: `gpt2.tiktoken`, `cl100k_base.tiktoken` and `o200k_base.tiktoken`, which are rank files, and
for each encoding `NAME/tokenizer.json` with the names in `FOLDERS`; of SentencePiece's `NAME/tokenizer.model` alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["BYTE_LEVEL", "ENCODINGS", "FOLDERS", "MODELED", "RANKED", "SEPARATOR", "SPELLED", "Documents", "Vocabulary"]

SEPARATOR: Final = "<|endoftext|>"
"""Between the documents of a file. Texts do not have it."""

FOLDERS: Final = {
    "gpt2": "gpt2",
    "cl100k_base": "cl100k",
    "o200k_base": "o200k",
    "llama3_1": "llama3_1",
    "qwen3": "qwen3",
    "deepseek_v3": "deepseek_v3",
    "minilm": "minilm",
    "mistral_v1": "mistral_v1",
}
ENCODINGS: Final = tuple(FOLDERS)
MODELED: Final = ("mistral_v1",)
"""Encodings that SentencePiece defines, which no library is given as another file."""
SPELLED: Final = tuple(name for name in ENCODINGS if name not in MODELED)
"""Encodings that have a tokenizer.json."""
BYTE_LEVEL: Final = tuple(name for name in SPELLED if name != "minilm")
"""Encodings that merge bytes; minilm is WordPiece, behind the text of BERT."""
RANKED: Final = ("gpt2", "cl100k_base", "o200k_base")
"""Encodings that tiktoken defines; tokenizers defines the rest."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One published vocabulary: the name of the encoding and its files; `packed` is one that we have written."""

    folder: Path
    encoding: str
    packed: Path | None = None

    @property
    def ranks(self) -> Path:
        """The rank file."""
        return self.folder / f"{self.encoding}.tiktoken"

    @property
    def json(self) -> Path:
        """The file of tokenizers."""
        return self.folder / FOLDERS[self.encoding] / "tokenizer.json"

    @property
    def file(self) -> Path:
        """The file that defines the encoding."""
        if self.encoding in MODELED:
            return self.folder / FOLDERS[self.encoding] / "tokenizer.model"
        return self.ranks if self.encoding in RANKED else self.json

    def check(self) -> None:
        """Raises: ValueError for an unknown encoding or a file that is not there."""
        if self.encoding not in FOLDERS:
            raise ValueError(f"no encoding {self.encoding!r}; there are {', '.join(FOLDERS)}.")
        for path in (self.file, self.file if self.encoding in MODELED else self.json):
            if not path.is_file():
                raise ValueError(f"{path}: no such file. benchmarks/README.md says what --vocabularies must hold.")


@dataclass(frozen=True, slots=True)
class Documents:
    """Documents in memory, and the file that has them one after another with `SEPARATOR` between them."""

    texts: Sequence[str]
    path: Path
    n_bytes: int

    @classmethod
    def read(cls, path: Path) -> "Documents":
        """What a file holds."""
        data = path.read_bytes()
        texts = data.decode().split(SEPARATOR)
        return cls(texts, path, len(data) - len(SEPARATOR) * (len(texts) - 1))
