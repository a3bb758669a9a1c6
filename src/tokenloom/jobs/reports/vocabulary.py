"""The part of a report about the tokens of a vocabulary: long ones, half characters, mixed classes."""

from collections.abc import Mapping
from typing import Final

from tokenloom.metrics import (
    cross_class_tokens,
    half_character_tokens,
    is_half_character,
    longest_tokens,
    token_lengths,
)
from tokenloom.report import Bin, Block, Column, Fact, Facts, Histogram, Section, Table, Text, Tokens, format_share
from tokenloom.tokenizer import Tokenizer

__all__ = ["learned_tokens", "vocabulary_section"]

_MOST_LONGEST: Final = 20
_MOST_EXAMPLES: Final = 30
_MOST_BINS: Final = 24


def learned_tokens(tokenizer: Tokenizer) -> dict[int, bytes]:
    """The tokens of more than one byte that are no special tokens, by id."""
    special = set(tokenizer.special_tokens.values())
    return {
        token_id: token
        for token_id, token in tokenizer.vocabulary.items()
        if len(token) > 1 and token_id not in special
    }


def vocabulary_section(tokenizer: Tokenizer) -> Section:
    """Longest tokens, lengths, half-character and cross-class tokens."""
    learned = learned_tokens(tokenizer)
    half, cross = half_character_tokens(learned), cross_class_tokens(learned)
    blocks: list[Block] = [
        Text(
            "Tokens of more than one byte, special tokens left out. A half-character token is no sequence of whole "
            "UTF-8 characters, so it has no text of its own; apart from these, the 128 single bytes from 0x80 on "
            "always are. A cross-class token holds, after one leading space, characters of more than one class among "
            "letters with their marks, numbers, blanks, and all others."
        ),
        Facts(
            [
                Fact("Tokens of more than one byte", f"{len(learned):,}"),
                Fact("Half-character tokens", f"{len(half):,}", _share(half, learned)),
                Fact("Cross-class tokens", f"{len(cross):,}", _share(cross, learned)),
            ]
        ),
        _longest(learned),
        _histogram(token_lengths(learned.values()), "bytes"),
        _histogram(token_lengths(learned.values(), unit="chars"), "characters"),
        _examples("half-character", half),
        _examples("cross-class", cross),
    ]
    return Section("Vocabulary", blocks)


def _share(part: Mapping[int, bytes], whole: Mapping[int, bytes]) -> str:
    return f"{format_share(len(part), len(whole))} of these" if whole else ""


def _longest(learned: Mapping[int, bytes]) -> Table:
    columns = [
        Column("Token"),
        Column("Bytes", is_number=True),
        Column("Characters", is_number=True),
        Column("Id", is_number=True),
    ]
    rows = [
        (token, len(token), None if is_half_character(token) else len(token.decode()), str(token_id))
        for token_id, token in longest_tokens(learned, n=_MOST_LONGEST).items()
    ]
    return Table("Longest tokens", columns, rows)


def _histogram(lengths: Mapping[int, int], unit: str) -> Histogram:
    """One bar a length; the lengths past the last bar are together in one."""
    first, last = min(lengths, default=0), max(lengths, default=0)
    shown = min(last, first + _MOST_BINS - 1)
    bins = [Bin(str(length), lengths.get(length, 0)) for length in range(first, shown + 1)]
    if last > shown:
        beyond = sum(n for length, n in lengths.items() if length > shown)
        bins.append(Bin(f"more than {shown}", beyond, f"> {shown}"))
    left_out = "; half-character tokens have none and are left out" if unit == "characters" else ""
    return Histogram(f"Token length in {unit}{left_out}", bins, unit, "tokens")


def _examples(kind: str, found: Mapping[int, bytes]) -> Tokens:
    shown = dict(sorted(found.items())[:_MOST_EXAMPLES])
    caption = (
        f"First {len(shown)} {kind} tokens, with their ids"
        if len(found) > len(shown)
        else f"All {kind} tokens, with their ids"
    )
    return Tokens(caption, list(shown.values()), [str(token_id) for token_id in shown])
