"""Text in the units of subword-nmt: words cut with `@@` behind each part but the last, as `apply-bpe` prints them.

    the lowest price  ->  the low@@ est pr@@ ice

What the text is cut into are the tokens of a tokenizer over characters with `</w>`. With a vocabulary of units that
occurred often enough, rarer ones are cut again, merge by merge, until all are in it or are characters.

Source: `apply_bpe.py` of rsennrich/subword-nmt 0.3.8.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final

from tokenloom.errors import SpecError
from tokenloom.formats.subword_nmt import WORDS
from tokenloom.tokenizer.tokenizer import Tokenizer
from tokenloom.wording import quoted

__all__ = ["SubwordUnits"]

_BLANKS: Final = "\r\n "


class SubwordUnits:
    r"""Prints text in units, and joins them again.

    Args:
        tokenizer: one over characters with a mark at the end of words, such as `formats.read_subword_nmt` gives.
        separator: stands behind each unit of a word but the last.
        vocabulary: units that may be printed, with their separators; None for all.
    Raises: SpecError for a tokenizer of another kind, or a separator that is empty or has a space.

    >>> from tokenloom.formats.subword_nmt import parse_subword_nmt
    >>> spec, _ = parse_subword_nmt(b"#version: 0.2\nl o\nlo w\ne s\nes t</w>\n", place="codes")
    >>> units = SubwordUnits(Tokenizer.from_spec(spec))
    >>> units.segment("lowest zest"), units.join("low@@ est z@@ est")
    ('low@@ est z@@ est', 'lowest zest')
    """

    __slots__ = ("_pairs", "_separator", "_suffix", "_texts", "_tokenizer", "_unk_id", "_vocabulary")

    def __init__(
        self, tokenizer: Tokenizer, *, separator: str = "@@", vocabulary: Collection[str] | None = None
    ) -> None:
        model = tokenizer.spec.model
        if model.end_of_word_suffix is None or model.byte_fallback or model.continuing_subword_prefix:
            raise SpecError(
                f"tokenizer {tokenizer!r}: has {model!r}, and units are tokens of characters with a mark at the end of "
                "words. Use one that formats.read_subword_nmt reads, or train with end_of_word_suffix '</w>'."
            )
        if not separator or set(separator) & set(_BLANKS):
            raise SpecError(f"separator {quoted(separator)}: is empty or has a blank. Use such as '@@'.")
        # Words are what stands between spaces, whatever else the tokenizer cuts at or finds in a text.
        self._tokenizer = Tokenizer.from_spec(replace(tokenizer.spec, pretokenizer=WORDS, added_tokens=()))
        self._texts = {token_id: token.decode() for token_id, token in self._tokenizer.vocabulary.items()}
        self._separator, self._vocabulary = separator, vocabulary
        self._suffix = model.end_of_word_suffix
        self._unk_id = None if model.unk_token is None else tokenizer.id_of(model.unk_token.encode())
        self._pairs: dict[str, tuple[str, str]] = {}
        for left, right in tokenizer.merges if vocabulary is not None else ():
            self._pairs.setdefault((left + right).decode(), (left.decode(), right.decode()))

    def segment(self, text: str, *, dropout: float = 0.0, seed: int | None = None) -> str:
        """The text in units. Spaces between words become one; those at the ends of lines stay.

        `dropout` and `seed` are those of `Tokenizer.encode`, which each line is given to.
        """
        return "\n".join(self._line(line, dropout, seed) for line in text.split("\n"))

    def join(self, text: str) -> str:
        """The text of units: what `sed 's/@@ //g'` makes of it; a separator at the end of a line goes too."""
        lines = (line.removesuffix(self._separator) for line in text.replace(f"{self._separator} ", "").split("\n"))
        return "\n".join(lines)

    def _line(self, line: str, dropout: float, seed: int | None) -> str:
        bare = line.strip(_BLANKS)
        if not bare:
            return line
        start = len(line) - len(line.lstrip(_BLANKS))
        ids = iter(self._tokenizer.encode(bare, dropout=dropout, seed=seed))
        units = [unit for word in bare.split(" ") if word for unit in self._printed(self._units(word, ids))]
        return line[:start] + " ".join(units) + line[start + len(bare) :]

    def _units(self, word: str, ids: Iterator[int]) -> list[str]:
        """The units of a word, of which the tokens come next. A character without a token is a unit as it is."""
        units: list[str] = []
        at = 0
        ended = False
        while at < len(word):
            token_id = next(ids)
            token = self._texts[token_id]
            bare = token.removesuffix(self._suffix)
            if token_id == self._unk_id:
                unit = word[at]
            elif bare != token and word[at:] == bare:
                unit, ended = bare, True
            else:
                unit = token
            units.append(unit)
            at += len(unit)
        if self._tokenizer.spec.model.end_of_word_symbol and not ended:
            next(ids)
        return units

    def _printed(self, units: list[str]) -> list[str]:
        last = len(units) - 1
        if last == 0 and len(units[0]) == 1:
            return units  # subword-nmt asks no vocabulary for words of one character
        cut = [part for at, unit in enumerate(units) for part in self._known(unit, is_last=at == last)]
        return [unit + self._separator for unit in cut[:-1]] + cut[-1:]

    def _known(self, unit: str, *, is_last: bool) -> Iterator[str]:
        """A unit, or if the vocabulary does not have it, what it was merged from."""
        stack = [(unit, is_last)]
        while stack:
            unit, is_last = stack.pop()
            printed = unit if is_last else unit + self._separator
            pair = self._pairs.get(unit + self._suffix if is_last else unit)
            if self._vocabulary is None or printed in self._vocabulary or pair is None:
                yield unit
                continue
            left, right = pair
            stack.append((right.removesuffix(self._suffix) if is_last else right, is_last))
            stack.append((left, False))
