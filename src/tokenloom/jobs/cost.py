"""What tokenizers cost a model: their sizes, and the tokens that they make of one text, put into the formulas."""

import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tokenloom.corpus import DocumentOptions, SkippedRecords
from tokenloom.cost import CostLine, CostPlan, ModelShape, TokenizerText, cost_lines
from tokenloom.cost.checks import check_whole
from tokenloom.errors import CostError
from tokenloom.jobs.count import CorpusCount, SourceCount, count_corpus
from tokenloom.tokenizer import Tokenizer

if TYPE_CHECKING:
    from tokenloom.trainers import Progress

__all__ = ["CostRun", "CostedTokenizer", "compare_costs"]

_DEFAULTS: Final = DocumentOptions()
_FILES_OF_FOLDERS: Final = frozenset({"tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json"})
"""Names that say nothing of a tokenizer: the folder does."""


@dataclass(frozen=True, slots=True)
class CostedTokenizer:
    """A tokenizer and what it made of the text.

    Args:
        text: its name, its rows and the text as a whole.
        path: where it was loaded from; None for a vocabulary that is only a size.
        fingerprint: of what decides its ids; None for such a vocabulary.
        sources: the text file by file; empty without a text.
    """

    text: TokenizerText
    path: str | None = None
    fingerprint: str | None = None
    sources: tuple[SourceCount, ...] = ()


@dataclass(frozen=True, slots=True)
class CostRun:
    """A comparison of costs.

    Args:
        shape: the model.
        plan: what it is to do.
        tokenizers: what was compared, in the order given.
        lines: a line a quantity, a value a tokenizer.
        skipped: what was left out of the text because it is broken.
    """

    shape: ModelShape
    plan: CostPlan
    tokenizers: tuple[CostedTokenizer, ...]
    lines: tuple[CostLine, ...]
    skipped: SkippedRecords


def compare_costs(
    shape: ModelShape,
    *,
    tokenizers: Sequence[str | os.PathLike[str]] = (),
    texts: Sequence[str | os.PathLike[str]] = (),
    plan: CostPlan | None = None,
    documents: DocumentOptions = _DEFAULTS,
    multiple_of: int = 1,
    n_threads: int | None = None,
    progress: "Progress | None" = None,
) -> CostRun:
    """Costs of tokenizers on a model, side by side.

    Args:
        shape: the model; each tokenizer brings a vocabulary of its own.
        tokenizers: what `Tokenizer.load` takes; the first is what the others are compared with. Without any, the costs
            are those of the model's own vocabulary.
        texts: files, folders and patterns to count tokens of; without any, bytes per token are undefined.
        plan: what the model is to do; None for the defaults of `CostPlan`.
        documents: how files are cut into documents.
        multiple_of: rows of the embedding are filled up to a multiple of this.
        n_threads: threads that count; None for one a core.
        progress: called as by `count_corpus`, for one tokenizer after the other.
    Raises: CostError for a text without a tokenizer or without a byte; CorpusError for a file that cannot be read.

    >>> from tokenloom.cost import model_shape
    >>> run = compare_costs(model_shape("gpt2"))
    >>> next(line.values for line in run.lines if line.key == "embedding_parameters")
    (38597376,)
    """
    check_whole(multiple_of, "multiple_of")
    plan = CostPlan() if plan is None else plan
    if not tokenizers:
        if texts:
            raise CostError("text: there is no tokenizer to cut it. Name one, or leave the text out.")
        size = _filled(shape.vocabulary_size, multiple_of)
        costed, skipped = [CostedTokenizer(TokenizerText(shape.name, size))], SkippedRecords()
    else:
        loaded = [Tokenizer.load(path) for path in tokenizers]
        counts = [_counted(one, texts, documents, n_threads, progress) for one in loaded]
        costed = [
            _costed(name, path, one, count, multiple_of)
            for name, path, one, count in zip(_names(tokenizers), tokenizers, loaded, counts, strict=True)
        ]
        skipped = counts[0].skipped if counts[0] else SkippedRecords()
    lines = cost_lines(shape, [one.text for one in costed], plan)
    return CostRun(shape, plan, tuple(costed), tuple(lines), skipped)


def _counted(
    tokenizer: Tokenizer,
    texts: Sequence[str | os.PathLike[str]],
    documents: DocumentOptions,
    n_threads: int | None,
    progress: "Progress | None",
) -> CorpusCount | None:
    if not texts:
        return None
    found = count_corpus(texts, tokenizer=tokenizer, documents=documents, n_threads=n_threads, progress=progress)
    if not found.total.n_tokens:
        shown = ", ".join(repr(str(path)) for path in texts[:3])
        raise CostError(f"text {shown}: it has no tokens, so bytes per token are undefined. Name a text that has some.")
    return found


def _costed(
    name: str, path: str | os.PathLike[str], tokenizer: Tokenizer, count: CorpusCount | None, multiple_of: int
) -> CostedTokenizer:
    size = _filled(len(tokenizer), multiple_of)
    fingerprint = tokenizer.spec.fingerprint
    if count is None:
        return CostedTokenizer(TokenizerText(name, size), str(path), fingerprint)
    text = TokenizerText(name, size, n_tokens=count.total.n_tokens, n_bytes=count.total.n_bytes)
    return CostedTokenizer(text, str(path), fingerprint, count.sources)


def _filled(n_rows: int, multiple_of: int) -> int:
    return math.ceil(n_rows / multiple_of) * multiple_of


def _names(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Short names of tokenizers, but whole paths where two would be called alike.

    >>> _names(["a/gpt2.tiktoken", "llama/tokenizer.json"]), _names(["a/x", "b/x"])
    (['gpt2', 'llama'], ['a/x', 'b/x'])
    """
    short = []
    for path in map(Path, paths):
        inner = path.resolve().parent.name if path.name in _FILES_OF_FOLDERS else path.name
        short.append(inner.removesuffix(".tiktoken").removesuffix(".packed") or str(path))
    doubled = {name for name, n in Counter(short).items() if n > 1}
    return [str(path) if name in doubled else name for name, path in zip(short, paths, strict=True)]
