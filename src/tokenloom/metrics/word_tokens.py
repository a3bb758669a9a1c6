"""Words and the tokens they are cut into, in running text: a word is what a named splitter says.

Words are counted where they stand, with what surrounds them: cut out of the text, a word would lose the blank before it
and often become other tokens.
"""

from tokenloom.metrics.ratios import Amounts, ratio_of_sums

__all__ = ["continued_words", "fertility", "single_token_retention"]


def fertility(n_tokens: Amounts, n_words: Amounts) -> float:
    """Tokens divided by words of running text; about 1 where most words are one token.

    Formula: sum of tokens / sum of words. Unit: tokens a word, from 0; all tokens count, those of blanks too. Name the
    word splitter: values of two splitters are not comparable.
    Raises: MetricError if there are no words.
    Source: Rust et al. 2021, "How Good is Your Tokenizer?"; Ali et al. 2024 find that it need not predict quality.

    >>> fertility([6, 4], [5, 3])
    1.25
    """
    return ratio_of_sums(n_tokens, n_words, metric="fertility", of="words")


def continued_words(n_continued: Amounts, n_words: Amounts) -> float:
    """Share of the words that two or more tokens have a part in; 0 to 1.

    Formula: words in which a token begins behind their first byte / words. No unit.
    Raises: MetricError if there are no words.
    Source: Rust et al. 2021, "How Good is Your Tokenizer?".

    >>> continued_words(1, 4)
    0.25
    """
    return ratio_of_sums(n_continued, n_words, metric="continued_words", of="words")


def single_token_retention(n_continued: Amounts, n_words: Amounts) -> float:
    """Share of the words that lie in one token; 0 to 1, and one less the share of continued words.

    Formula: 1 - continued words / words. No unit. Here over all occurrences of words, not over a list of them.
    Raises: MetricError if there are no words.
    Source: the single token retention rate (STRR) of TokLens 2026.

    >>> single_token_retention([1, 0], [2, 2])
    0.75
    """
    return 1 - ratio_of_sums(n_continued, n_words, metric="single_token_retention", of="words")
