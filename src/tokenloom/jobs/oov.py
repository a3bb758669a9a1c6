"""How much of held-out text words and characters of a corpus do not know, by the size of the vocabulary."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, Literal, get_args

from tokenloom import _core
from tokenloom.corpus import DocumentOptions, list_sources, read_source
from tokenloom.corpus import documents as documents_of
from tokenloom.errors import TrainingError
from tokenloom.metrics import UnknownShares, unknown_by_size
from tokenloom.spec import Normalizer
from tokenloom.trainers import WORDS, Document, Progress, count_pretokens
from tokenloom.wording import quoted

__all__ = ["OovTable", "OovUnit", "oov_tables"]

OovUnit = Literal["words", "characters"]

_SIZES: Final = tuple(digit * 10**power for power in range(2, 8) for digit in (1, 3))


@dataclass(frozen=True, slots=True)
class OovTable:
    """Vocabularies of one unit.

    Args:
        unit: what a token is.
        n_known: distinct words, or characters, of the corpus.
        n_once: those of them that occur once.
        rows: one for each size.
    """

    unit: OovUnit
    n_known: int
    n_once: int
    rows: tuple[UnknownShares, ...]


def oov_tables(
    corpus: Sequence[str | os.PathLike[str]],
    held_out: Sequence[str | os.PathLike[str]],
    *,
    units: Iterable[OovUnit] = get_args(OovUnit),
    sizes: Sequence[int] | None = None,
    normalizer: Normalizer | None = None,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[OovTable, ...]:
    """Count both texts, and tell for each size of the vocabulary how much of the second one it does not know.

    Args:
        corpus: files, folders and glob patterns of the text that vocabularies are made of.
        held_out: those of the text that they are held against.
        units: `"words"` as `train_words` cuts them, `"characters"` or both.
        sizes: tokens of the vocabularies, the unknown one among them; None for 100, 300, 1,000 and so on. The last row
            of a table is always that of all words or characters.
        normalizer: changes both texts first.
        documents: how files are cut into documents.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: as for `count_pretokens`.
    Raises: CorpusError for a file that cannot be read; TrainingError for a size without room for the unknown token, or
        an unknown unit.
    """
    units = tuple(units)
    for unit in units:
        if unit not in get_args(OovUnit):
            raise TrainingError(f"unit {quoted(unit)}: is unknown. Use 'words' or 'characters'.")
    known, other = (
        count_pretokens(
            _documents(paths, documents),
            pretokenizer=WORDS,
            n_threads=n_threads,
            progress=progress,
            normalizer=normalizer,
        )
        for paths in (corpus, held_out)
    )
    return tuple(_table(unit, known, other, sizes) for unit in units)


def _documents(paths: Sequence[str | os.PathLike[str]], options: DocumentOptions) -> Iterator[Document]:
    for source in list_sources(paths, options):
        yield from documents_of(read_source(source, options))


def _table(
    unit: OovUnit, known: _core.PretokenCounts, other: _core.PretokenCounts, sizes: Sequence[int] | None
) -> OovTable:
    counts, held_out = _items(unit, known), _items(unit, other)
    n_all = len(counts) + 1
    asked = tuple(takewhile(lambda size: size < n_all, _SIZES)) if sizes is None else tuple(sizes)
    rows = unknown_by_size(counts, held_out, (*asked, None))
    return OovTable(unit, len(counts), sum(count == 1 for _, count in counts), tuple(rows))


def _items(unit: OovUnit, counts: _core.PretokenCounts) -> Sequence[tuple[bytes, int]]:
    if unit == "words":
        return counts.items()
    return [(character.encode(), count) for character, count in _core.Start.characters_of(counts)]
