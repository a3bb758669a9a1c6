"""How much shorter a text becomes: bytes, characters and words beside tokens.

Compression describes. It went with quality where only the training text of tokenizers shrank (Goldman et al. 2024,
"Unpacking Tokenization"), and not across algorithms (Schmidt et al. 2024, "Tokenization Is More Than Compression").
"""

from collections.abc import Mapping

from tokenloom.metrics.ratios import Amounts, ratio_of_sums, total

__all__ = [
    "bytes_per_token",
    "chars_per_token",
    "corpus_token_count",
    "normalized_sequence_length",
    "sequence_lengths",
    "tokens_per_byte",
]


def bytes_per_token(n_bytes: Amounts, n_tokens: Amounts) -> float:
    """Compression ratio: UTF-8 bytes of the text divided by its tokens; above 0, and 1 for a byte tokenizer.

    Formula: sum of bytes / sum of tokens. Unit: bytes a token. Comparable between tokenizers on one text; between
    languages it also shows how many bytes their scripts take.
    Raises: MetricError if there are no tokens.
    Source: `get_compression_ratio` of Stanford CS336, lecture 1.

    >>> bytes_per_token(20, 12), bytes_per_token([9, 11], [4, 4])
    (1.6666666666666667, 2.5)
    """
    return ratio_of_sums(n_bytes, n_tokens, metric="bytes_per_token", of="tokens")


def chars_per_token(n_chars: Amounts, n_tokens: Amounts) -> float:
    """Characters (code points) divided by tokens; above 0. Not comparable between scripts.

    Formula: sum of characters / sum of tokens. Unit: characters a token.
    Raises: MetricError if there are no tokens.
    Source: Stanford CS336, lecture 1.

    >>> chars_per_token(13, 12)
    1.0833333333333333
    """
    return ratio_of_sums(n_chars, n_tokens, metric="chars_per_token", of="tokens")


def tokens_per_byte(n_tokens: Amounts, n_bytes: Amounts) -> float:
    """Tokens divided by UTF-8 bytes, the inverse of `bytes_per_token`: what a byte of text costs; from 0.

    Formula: sum of tokens / sum of bytes. Unit: tokens a byte.
    Raises: MetricError for empty text.

    >>> tokens_per_byte(12, 20)
    0.6
    """
    return ratio_of_sums(n_tokens, n_bytes, metric="tokens_per_byte", of="bytes")


def corpus_token_count(n_tokens: Amounts) -> int:
    """Tokens of the whole corpus; from 0. Comparable on one corpus alone.

    Unit: tokens.
    Source: Schmidt et al. 2024, "Tokenization Is More Than Compression".

    >>> corpus_token_count([4, 8])
    12
    """
    return total(n_tokens)


def normalized_sequence_length(n_tokens: Amounts, n_reference_tokens: Amounts) -> float:
    """Tokens divided by those that a reference tokenizer makes of the same text; below 1 where it makes more.

    Formula: sum of tokens / sum of tokens of the reference. No unit; from 0. Always name the reference.
    Raises: MetricError if the reference makes no tokens.
    Source: Dagan et al. 2024, "Getting the most out of your tokenizer".

    >>> normalized_sequence_length([12, 8], [10, 15])
    0.8
    """
    return ratio_of_sums(n_tokens, n_reference_tokens, metric="normalized_length", of="tokens of the reference")


def sequence_lengths(
    *, n_chars: Amounts, n_bytes: Amounts, n_tokens: Amounts, n_words: Amounts | None = None
) -> Mapping[str, float | None]:
    """How long a text is as characters, bytes, words and tokens: items for each 1,000 characters.

    Formula: 1000 * sum of items / sum of characters. Words are None where no splitter was named.
    Raises: MetricError for empty text.

    >>> lengths = sequence_lengths(n_chars=13, n_bytes=20, n_tokens=12, n_words=3)
    >>> {name: round(length) for name, length in lengths.items()}
    {'characters': 1000, 'bytes': 1538, 'words': 231, 'tokens': 923}
    """
    items = {"characters": n_chars, "bytes": n_bytes, "words": n_words, "tokens": n_tokens}
    return {
        name: None
        if amounts is None
        else 1000 * ratio_of_sums(amounts, n_chars, metric="sequence_lengths", of="characters")
        for name, amounts in items.items()
    }
