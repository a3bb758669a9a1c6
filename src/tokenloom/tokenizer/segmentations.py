"""The ways to cut a text into the tokens of a Unigram model: the best ones, one by chance, and their probability.

A Unigram model gives each token a probability: its score is the logarithm. A segmentation has the product of those of
its tokens, and a text the sum over all its segmentations. Added tokens are found as by `encode`; they are in all
segmentations and count as certain. A character that is in no token counts by the score that encoding gives it. A
user-defined token of SentencePiece has a score above zero, so where there are such no sum is a probability.

Sums have 64 bits here, whatever the library of the model has. So where segmentations are equal but for rounding, the
best one may be another one than that of `encode`.

Source: Kudo 2018, "Subword Regularization"; `lessons/segmentations.py` defines the same on one page.
"""

from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Final

from tokenloom import _core
from tokenloom.errors import EncodeError
from tokenloom.tokenizer.dropout import checked_seed
from tokenloom.tokenizer.options import Special, Text
from tokenloom.wording import quoted

if TYPE_CHECKING:
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["MOST_SEGMENTATIONS", "encode_n_best", "encode_sampled", "log_probability", "segmentation_entropy"]

MOST_SEGMENTATIONS: Final = 1024
"""So many segmentations of one text are found at most."""

_MOST_ALPHA: Final = 1_000_000


def encode_n_best(
    self: "Tokenizer", text: Text, n: int, *, allowed_special: Special = None, disallowed_special: Special = None
) -> list[tuple[list[int], float]]:
    """The n best segmentations of a text by a Unigram model, best first: ids, and the logarithm of the probability.

    Fewer if there are fewer. Of equal ones that comes first whose first token is longer; if that is the same, the next
    token decides. Time and memory grow with n times the length of the text, of which 8 million bytes are the most.

    >>> import warnings
    >>> from tokenloom import train_unigram
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     tokenizer = train_unigram(["banana bandana ban"] * 9, 12)
    >>> best = tokenizer.encode_n_best("ban", 3)
    >>> best[0][0] == tokenizer.encode("ban"), [tokenizer.decode(ids) for ids, _ in best] == ["ban"] * len(best)
    (True, True)

    Raises: SpecError if the model is not Unigram; EncodeError if n is not from 1 to 1024, if the text is too long for
        it, or as `encode`.
    """
    return _core.encode_n_best(self._core, text, (allowed_special, disallowed_special), _checked_n(n))


def encode_sampled(
    self: "Tokenizer",
    text: Text,
    *,
    seed: int,
    alpha: float = 1.0,
    allowed_special: Special = None,
    disallowed_special: Special = None,
) -> list[int]:
    """The ids of a segmentation by a Unigram model that is drawn: for training a model (subword regularization).

    The chance of each is its probability to the power of `alpha`, as a share: 0 makes all equal, 1 leaves them, and
    a large one gives the best nearly always; 0.1 to 0.5 are usual. What is drawn follows from the seed and the text
    alone, so threads, caches and other texts change nothing: take another seed for each pass over the texts. Time
    grows with the length of the text alone. Processors whose `exp` differs in the last bit may draw another one where
    a die falls on the edge, once in about 10**15 dice.

    >>> import warnings
    >>> from tokenloom import train_unigram
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     tokenizer = train_unigram(["banana bandana ban"] * 9, 12)
    >>> drawn = [tokenizer.encode_sampled("banana", seed=seed, alpha=0.1) for seed in range(20)]
    >>> len(set(map(tuple, drawn))) > 1, {tokenizer.decode(ids) for ids in drawn}
    (True, {'banana'})

    Raises: SpecError if the model is not Unigram; EncodeError if seed or alpha is none, or as `encode`.
    """
    chance = (_checked_alpha(alpha), checked_seed(seed))
    return _core.encode_sampled(self._core, text, (allowed_special, disallowed_special), chance)


def log_probability(
    self: "Tokenizer", text: Text, *, allowed_special: Special = None, disallowed_special: Special = None
) -> float:
    """The logarithm (base e) of the probability that a Unigram model gives a text: of all segmentations together.

    That of one segmentation is what `encode_n_best` gives with it.

    >>> import warnings
    >>> from tokenloom import train_unigram
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     tokenizer = train_unigram(["banana bandana ban"] * 9, 12)
    >>> tokenizer.log_probability("ban") >= tokenizer.encode_n_best("ban", 1)[0][1]
    True

    Raises: SpecError if the model is not Unigram; EncodeError as `encode`.
    """
    return _core.log_probability(self._core, text, (allowed_special, disallowed_special))


def segmentation_entropy(
    self: "Tokenizer",
    text: Text,
    *,
    alpha: float = 1.0,
    allowed_special: Special = None,
    disallowed_special: Special = None,
) -> float:
    """How uncertain the segmentation is that `encode_sampled` draws with this `alpha`, in nats.

    0 if there is one segmentation; the logarithm of their number with `alpha` 0.

    Raises: SpecError if the model is not Unigram; EncodeError if alpha is none, or as `encode`.
    """
    return _core.segmentation_entropy(self._core, text, (allowed_special, disallowed_special), _checked_alpha(alpha))


def _checked_n(n: object) -> int:
    """A number of segmentations as int; True is none."""
    try:
        number = 0 if isinstance(n, bool) else index(n)  # type: ignore[arg-type]
    except TypeError:
        number = 0
    if not 1 <= number <= MOST_SEGMENTATIONS:
        raise EncodeError(
            f"n {quoted(n)}: is no number of segmentations. Use a whole number, 1 to {MOST_SEGMENTATIONS}."
        )
    return number


def _checked_alpha(alpha: object) -> float:
    if not isinstance(alpha, Real) or isinstance(alpha, bool) or not 0 <= float(alpha) <= _MOST_ALPHA:
        raise EncodeError(
            f"alpha {quoted(alpha)}: is no exponent. Use a number from 0, which makes all segmentations equal, to "
            f"{_MOST_ALPHA}; 1 leaves their probabilities as they are."
        )
    return float(alpha)
