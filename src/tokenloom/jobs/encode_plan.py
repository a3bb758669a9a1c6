"""What decides the bytes of token shards: the options of an encoding, and with the tokenizer its plan."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Final, Literal

import tokenloom
from tokenloom.corpus import DocumentOptions, Source
from tokenloom.errors import EncodeError, SpecialTokenError
from tokenloom.jobs.run_identity import document_values, source_values
from tokenloom.shards.layout import EdgeToken, smallest_dtype
from tokenloom.tokenizer import MOST_UINT16_IDS, DocumentEncoder, IdType, Tokenizer, check_choice

__all__ = ["DEFAULT_SHARD_TOKENS", "EncodeOptions", "Plan"]

DEFAULT_SHARD_TOKENS: Final = 100_000_000
"""200 MB of uint16: few files for a large corpus, and little work lost when a run is killed."""

DtypeChoice = Literal["auto", "uint16", "uint32"]
CorpusText = Literal["plain", "parse"]


@dataclass(frozen=True, slots=True)
class EncodeOptions:
    """What decides the bytes of the shards beside corpus and tokenizer.

    Args:
        shard_tokens: ids of each shard file but the last.
        dtype: `"auto"` for the smallest that holds the vocabulary.
        begin_of_document: a special token that is put before each document; None for none.
        end_of_document: a special token that is put behind each document; None for none.
        special_text: what a special token in a text means: `"plain"` text, or `"parse"` one token.
    Raises: EncodeError for a value that is not among those known.
    """

    shard_tokens: int = DEFAULT_SHARD_TOKENS
    dtype: DtypeChoice = "auto"
    begin_of_document: str | None = None
    end_of_document: str | None = None
    special_text: CorpusText = "plain"

    def __post_init__(self) -> None:
        check_choice("dtype", self.dtype, ("auto", "uint16", "uint32"), EncodeError)
        check_choice("special_text", self.special_text, ("plain", "parse"), EncodeError)
        if type(self.shard_tokens) is not int or self.shard_tokens < 1:
            raise EncodeError(
                f"shard_tokens {self.shard_tokens!r}: must be a whole number from 1. "
                f"Leave it out for {DEFAULT_SHARD_TOKENS:,}."
            )

    def dtype_for(self, vocabulary_size: int) -> IdType:
        """The type of the ids. Raises: EncodeError if the one asked for cannot hold them."""
        if self.dtype == "uint16" and vocabulary_size > MOST_UINT16_IDS:
            raise EncodeError(
                f"dtype 'uint16': the vocabulary has {vocabulary_size:,} ids, and uint16 holds {MOST_UINT16_IDS:,} "
                f"(0 to {MOST_UINT16_IDS - 1:,}). Use 'uint32', or leave it out."
            )
        return smallest_dtype(vocabulary_size) if self.dtype == "auto" else self.dtype


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides the bytes of the shards, but the corpus."""

    tokenizer: Tokenizer
    documents: DocumentOptions
    options: EncodeOptions
    dtype: IdType
    begin: EdgeToken | None
    end: EdgeToken | None

    @classmethod
    def of(cls, tokenizer: Tokenizer, documents: DocumentOptions, options: EncodeOptions) -> "Plan":
        """The plan of a run; see `encode_corpus` for what it refuses."""
        begin = _edge_token(tokenizer, "begin_of_document", options.begin_of_document)
        end = _edge_token(tokenizer, "end_of_document", options.end_of_document)
        return cls(tokenizer, documents, options, options.dtype_for(len(tokenizer)), begin, end)

    def run(self, sources: Sequence[Source]) -> dict[str, Any]:
        """What makes two runs the same, as JSON values."""
        return {
            **asdict(self.options),
            **document_values(self.documents),
            "dtype": self.dtype,
            "tokenizer": self.tokenizer.spec.fingerprint,
            "tokenloom": tokenloom.__version__,
            "sources": [source_values(source, self.documents) for source in sources],
        }

    def encoder(self, *, is_continued: bool, n_threads: int | None) -> DocumentEncoder:
        """The encoder of this plan, at the beginning of the corpus or in the middle of a document."""
        return DocumentEncoder(
            self.tokenizer,
            dtype=self.dtype,
            begin_id=self.begin.id if self.begin else None,
            end_id=self.end.id if self.end else None,
            special_text=self.options.special_text,
            is_continued=is_continued,
            n_threads=n_threads,
        )


def _edge_token(tokenizer: Tokenizer, option: str, content: str | None) -> EdgeToken | None:
    if content is None:
        return None
    known = tokenizer.special_tokens
    if content not in known:
        names = ", ".join(map(repr, islice(known, 5))) or "none"
        raise SpecialTokenError(
            f"{option} {content!r}: is no special token of this tokenizer. Name one that it has: {names}."
        )
    return EdgeToken(content, known[content])
