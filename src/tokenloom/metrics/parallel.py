"""What parallel text costs in each language: the same sentences, in each language one a line.

Costs are compared line by line, so all languages must have the same number of lines. Line feeds belong to no sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy import int64
from numpy.typing import NDArray

from tokenloom.errors import MetricError
from tokenloom.metrics.fairness import byte_premium, cost_ratio, cost_variation, gini, premium, worst_language
from tokenloom.metrics.intervals import Interval, Resamples
from tokenloom.tokenizer import Tokenizer
from tokenloom.wording import quoted

__all__ = ["LanguageCost", "ParallelCosts", "check_parallel", "parallel_costs"]


@dataclass(frozen=True, slots=True)
class LanguageCost:
    """A language beside the reference language.

    Args:
        n_tokens: of all its sentences.
        n_bytes: UTF-8 bytes of them.
        premium: see `premium`; None if the reference has no tokens.
        interval: of the premium, over sentences.
        byte_premium: see `byte_premium`; no tokenizer is in it.
    """

    n_tokens: int
    n_bytes: int
    premium: float | None
    interval: Interval | None
    byte_premium: float | None


@dataclass(frozen=True, slots=True)
class ParallelCosts:
    """A tokenizer on parallel text.

    Args:
        reference: the language that premiums are over.
        n_sentences: lines of each language.
        languages: each language, in the order given.
        gini: see `gini`, of the tokens of all languages for the same sentences.
        worst: the language with the most tokens.
        worst_premium: its premium.
        cost_ratio: the most tokens of a language divided by the fewest.
        cost_variation: standard deviation of the tokens of languages divided by their mean.
        by_sentence: tokens of each sentence by language, int64 of shape (n_sentences,).
    """

    reference: str
    n_sentences: int
    languages: Mapping[str, LanguageCost]
    gini: float
    worst: str
    worst_premium: float
    cost_ratio: float
    cost_variation: float
    by_sentence: Mapping[str, NDArray[int64]] = field(repr=False)


def parallel_costs(
    tokenizer: Tokenizer,
    languages: Mapping[str, Sequence[bytes]],
    *,
    reference: str,
    resamples: Resamples | None = None,
    n_threads: int | None = None,
) -> ParallelCosts:
    """Encode parallel text, each sentence by itself, special tokens in it as plain text.

    Args:
        tokenizer: what is measured.
        languages: the sentences of each language by its name.
        reference: the language that the others are compared with.
        resamples: draws of the sentences, for intervals; None for none.
        n_threads: threads that encode; None for one a core.
    Raises: MetricError if languages have different numbers of lines, the reference is not among them, there are fewer
        than two, or one has no text.

    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    >>> costs = parallel_costs(tokenizer, {"eng": [b"cat", b"dogs"], "lao": [b"c" * 9, b"d" * 12]}, reference="eng")
    >>> costs.languages["lao"].premium, costs.worst, costs.worst_premium, costs.cost_ratio
    (3.0, 'lao', 3.0, 3.0)
    """
    check_parallel(languages, reference)
    tokens = {name: _n_tokens(tokenizer, sentences, n_threads) for name, sentences in languages.items()}
    sizes = {name: np.array([len(sentence) for sentence in sentences]) for name, sentences in languages.items()}
    for name, found in tokens.items():
        if not found.any():
            raise MetricError(f"parallel text, {name!r}: has no tokens, so it has no cost. Leave the language out.")
    costs = {name: float(found.sum()) for name, found in tokens.items()}
    rows = {
        name: LanguageCost(
            n_tokens=int(found.sum()),
            n_bytes=int(sizes[name].sum()),
            premium=premium(found, tokens[reference]),
            interval=resamples.ratio(found, tokens[reference]) if resamples else None,
            byte_premium=byte_premium(sizes[name], sizes[reference]),
        )
        for name, found in tokens.items()
    }
    worst, most = worst_language(costs)
    return ParallelCosts(
        reference=reference,
        n_sentences=len(languages[reference]),
        languages=rows,
        gini=gini(costs),
        worst=worst,
        worst_premium=most / costs[reference],
        cost_ratio=cost_ratio(costs),
        cost_variation=cost_variation(costs),
        by_sentence=tokens,
    )


def check_parallel(languages: Mapping[str, Sequence[bytes]], reference: str) -> None:
    """Refuse text that is not parallel: see `parallel_costs`."""
    if len(languages) < 2:
        raise MetricError(f"parallel text: has {len(languages)} language. Pass two or more of the same sentences.")
    if reference not in languages:
        known = ", ".join(map(repr, sorted(languages)))
        raise MetricError(f"reference language {quoted(reference)}: is not there. Name one of {known}.")
    n_lines = len(languages[reference])
    for name, sentences in languages.items():
        if len(sentences) != n_lines:
            raise MetricError(
                f"parallel text: {name!r} has {len(sentences):,} lines and {reference!r} has {n_lines:,}. "
                "Lines must be the same sentences: mend the file, or leave the language out."
            )


def _n_tokens(tokenizer: Tokenizer, sentences: Sequence[bytes], n_threads: int | None) -> NDArray[int64]:
    batch = tokenizer.encode_batch(sentences, allowed_special=(), disallowed_special=(), n_threads=n_threads)
    return np.diff(batch.starts)
