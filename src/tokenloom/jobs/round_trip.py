"""Whether the documents of files come back from their ids."""

import os
from collections.abc import Iterator, Sequence

from tokenloom.corpus import DocumentOptions, list_sources, read_source
from tokenloom.corpus import documents as documents_of
from tokenloom.metrics import Losses, losses_of
from tokenloom.tokenizer import Tokenizer

__all__ = ["round_trip_corpus"]


def round_trip_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    tokenizer: Tokenizer,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    n_examples: int = 5,
) -> Losses:
    """Encode and decode each document, see `losses_of`; one is held at a time.

    Bytes that are no UTF-8 are read as U+FFFD.

    Raises: CorpusError for a file that cannot be read, or a broken record.
    """
    return losses_of(tokenizer, _texts(paths, documents), n_examples=n_examples)


def _texts(paths: Sequence[str | os.PathLike[str]], options: DocumentOptions) -> Iterator[str]:
    for source in list_sources(paths, options):
        for document in documents_of(read_source(source, options)):
            data = document if isinstance(document, bytes) else b"".join(document)
            yield data.decode(errors="replace")
