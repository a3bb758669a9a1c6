"""Generated code files of subword-nmt, lines to cut, and a second implementation of how they are cut.

Codes are random, not only learned ones: pairs that are there twice, marks in odd places, merges that make what another
made. The second implementation is written from the rules: it looks at the pairs of one word, and knows no ids.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

__all__ = ["cut_line", "random_codes", "random_line", "random_vocabulary"]

Pair = tuple[str, str]
MARK = "</w>"


def random_codes(random: Random, letters: str, *, is_glued: bool) -> str:
    """The content of a code file."""
    units = [*letters, *(letter + MARK for letter in letters)] if is_glued else [*letters, MARK]
    lines = ["#version: 0.2"] if is_glued else []
    for _ in range(random.randint(1, 30)):
        left, right = random.choice(units), random.choice(units)
        lines.append(f"{left} {right}")
        units.append(left + right)
    return "\n".join(lines) + "\n"


def random_line(random: Random, letters: str) -> str:
    """Words of known and unknown characters, and blanks of which only spaces stand between words."""
    words = ["".join(random.choices(letters, k=random.randint(1, 9))) for _ in range(4)]
    return "".join(
        random.choice([*words, " ", " ", "  ", "z", "\t", "\xa0", "\r"]) for _ in range(random.randint(0, 12))
    )


def random_vocabulary(random: Random, letters: str, codes: str) -> dict[str, int]:
    """Some units that may be printed, with their counts."""
    lines = [cut_line(codes, random_line(random, letters), None) for _ in range(10)]
    units = {unit for line in lines for unit in line.split(" ") if unit.strip() and "\r" not in unit} | {"never@@"}
    return {unit: random.randint(1, 9) for unit in sorted(units) if random.random() < 0.7 or unit == "never@@"}


def cut_line(codes: str, line: str, vocabulary: Mapping[str, int] | None, *, threshold: int = 0) -> str:
    """A line in units, as subword-nmt prints it with these codes and this vocabulary."""
    rows = codes.rstrip("\n").split("\n")
    is_glued = rows[0].startswith("#version")
    ranks: dict[Pair, int] = {}
    for rank, row in enumerate(rows[is_glued:]):
        left, right = row.split(" ")
        ranks.setdefault((left, right), rank)
    allowed = None if vocabulary is None else {unit for unit, count in vocabulary.items() if count >= threshold}
    bare = line.strip("\r\n ")
    if not bare:
        return line
    start = line.index(bare[0])
    cut = [_cut_word(word, ranks, allowed, is_glued=is_glued) for word in bare.split(" ") if word]
    return line[:start] + " ".join(cut) + line[start + len(bare) :]


def _cut_word(word: str, ranks: Mapping[Pair, int], allowed: set[str] | None, *, is_glued: bool) -> str:
    if len(word) == 1:
        return word
    units = [*word[:-1], word[-1] + MARK] if is_glued else [*word, MARK]
    while known := [pair for pair in pairwise(units) if pair in ranks]:
        units = _merged(units, min(known, key=ranks.__getitem__))
    units[-1] = units[-1].removesuffix(MARK)
    units = units if units[-1] else units[:-1]
    if allowed is None:
        return "@@ ".join(units)
    halves: dict[str, Pair] = {}
    for pair in sorted(ranks, key=ranks.__getitem__):
        halves.setdefault("".join(pair), pair)
    parts = [part for unit in units[:-1] for part in _split(unit, False, halves, allowed)]
    return "@@ ".join(parts + _split(units[-1], True, halves, allowed))


def _merged(units: Sequence[str], pair: Pair) -> list[str]:
    merged: list[str] = []
    at = 0
    while at < len(units):
        width = 2 if tuple(units[at : at + 2]) == pair else 1
        merged.append("".join(units[at : at + width]))
        at += width
    return merged


def _split(unit: str, is_last: bool, halves: Mapping[str, Pair], allowed: set[str]) -> list[str]:
    if (unit if is_last else unit + "@@") in allowed:
        return [unit]
    pair = halves.get(unit + MARK * is_last)
    if pair is None:
        return [unit]
    left, right = pair
    right = right.removesuffix(MARK) if is_last else right
    return _split(left, False, halves, allowed) + _split(right, is_last, halves, allowed)
