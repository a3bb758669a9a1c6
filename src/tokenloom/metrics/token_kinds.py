"""Which tokens a text is made of: whole characters, blanks, digits, the unknown token."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokenloom.metrics.entropy import Counts
from tokenloom.metrics.ratios import ratio_of_sums

__all__ = ["blank_tokens", "digits_per_token", "unknown_rate", "whole_character_tokens", "whole_character_use"]


def whole_character_tokens(is_half: NDArray[Any]) -> float:
    """UTF-8 completeness: the share of the vocabulary that are whole characters; 0 to 1.

    Formula: tokens whose bytes are valid UTF-8 / tokens of the vocabulary. No unit. The 128 bytes from 0x80 on, which
    every byte-level vocabulary has, are none.
    Args: is_half: which tokens are no whole characters, shape (n,).
    Raises: MetricError for an empty vocabulary.

    >>> whole_character_tokens(np.array([False, False, True, False]))
    0.75
    """
    return 1 - ratio_of_sums(int(is_half.sum()), len(is_half), metric="whole_character_tokens", of="tokens")


def whole_character_use(is_half: NDArray[Any], counts: Counts) -> float:
    """The share of the tokens of a text that are whole characters; 0 to 1. The rest join or cut characters.

    Formula: occurrences of tokens whose bytes are valid UTF-8 / tokens of the text. No unit.
    Raises: MetricError if no token occurs.

    >>> whole_character_use(np.array([False, True]), [3, 1])
    0.75
    """
    return 1 - _share("whole_character_use", is_half, counts)


def blank_tokens(is_blank: NDArray[Any], counts: Counts) -> float:
    """The share of the tokens of a text that are blanks alone, such as line feeds and indentation; 0 to 1.

    Formula: occurrences of tokens of blanks alone / tokens of the text. No unit.
    Raises: MetricError if no token occurs.

    >>> blank_tokens(np.array([True, False]), [1, 4])
    0.2
    """
    return _share("blank_tokens", is_blank, counts)


def digits_per_token(n_digits: NDArray[Any], counts: Counts) -> float:
    """Digits (0 to 9) of a text divided by the tokens that hold any; from 1, and 1 where each digit is a token.

    Formula: sum of count * digits / occurrences of tokens with a digit. Unit: digits a token.
    Raises: MetricError if the text has no digits.

    >>> digits_per_token(np.array([0, 1, 3]), [9, 1, 1])
    2.0
    """
    values = np.asarray(counts)
    return ratio_of_sums(values * n_digits, values[n_digits > 0], metric="digits_per_token", of="tokens with digits")


def unknown_rate(n_unknown: int, n_tokens: int) -> float:
    """The share of the tokens of a text that stand for what the vocabulary lacks; 0 to 1.

    Formula: occurrences of the unknown token / tokens. No unit; 0 where there is no such token, as in byte-level
    tokenizers, of which every text has tokens.
    Raises: MetricError if no token occurs.

    >>> unknown_rate(1, 8)
    0.125
    """
    return ratio_of_sums(n_unknown, n_tokens, metric="unknown_rate", of="tokens")


def _share(metric: str, which: NDArray[Any], counts: Counts) -> float:
    values = np.asarray(counts)
    return ratio_of_sums(values[which], values, metric=metric, of="tokens")
