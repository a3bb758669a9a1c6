"""Text in the units of subword-nmt: words cut with `@@` behind each part but the last, as `apply-bpe` prints them.

    the lowest price  ->  the low@@ est pr@@ ice

What the text is cut into are the tokens of a tokenizer over characters with `</w>`. With a vocabulary of units that
occurred often enough, rarer ones are cut again, merge by merge, until all are in it or are characters.

Source: `apply_bpe.py` of rsennrich/subword-nmt 0.3.8.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from tokenloom.errors import EncodeError, SpecError
from tokenloom.formats.subword_nmt import ENDS, WORDS
from tokenloom.spec import TokenizerSpec
from tokenloom.spec.packing import pack_uint32
from tokenloom.tokenizer.dropout import checked_chance
from tokenloom.tokenizer.tokenizer import Tokenizer
from tokenloom.wording import quoted

__all__ = ["SubwordUnits"]


class SubwordUnits:
    r"""Prints text in units, and joins them again.

    Args:
        tokenizer: one over characters with a mark at the end of words, such as `formats.read_subword_nmt` gives.
        separator: stands behind each unit of a word but the last.
        vocabulary: units that may be printed, with their separators; None for all.
    Raises: SpecError for a tokenizer of another kind or with a normalizer, of which the units would not be those of the
        text, for a separator that is empty or has a space, and for a vocabulary that is no collection of str.

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
        _check(tokenizer, separator, vocabulary)
        spec = _with_unknown(tokenizer.spec)
        self._tokenizer = Tokenizer.from_spec(spec)
        self._texts = {token_id: token.decode() for token_id, token in self._tokenizer.vocabulary.items()}
        self._separator = separator
        self._vocabulary = None if vocabulary is None else frozenset(vocabulary)
        self._suffix = spec.bpe.end_of_word_suffix or ""
        self._unk_id = len(self._tokenizer) - 1
        self._pairs: dict[str, tuple[str, str]] = {}
        for left, right in tokenizer.merges if vocabulary is not None else ():
            self._pairs.setdefault((left + right).decode(), (left.decode(), right.decode()))

    def segment(self, text: str, *, dropout: float = 0.0, seed: int | None = None) -> str:
        """The text in units. Spaces between words become one; those at the ends of lines stay.

        `dropout` and `seed` are those of `Tokenizer.encode`, which each line is given to.
        Raises: EncodeError for what is no str, and as `Tokenizer.encode`.
        """
        _check_text(text)
        checked_chance(dropout, seed)
        return "\n".join(self._line(line, dropout, seed) for line in text.split("\n"))

    def join(self, text: str) -> str:
        """The text of units: what `sed 's/@@ //g'` makes of it; a separator at the end of a line goes too."""
        _check_text(text)
        lines = (line.removesuffix(self._separator) for line in text.replace(f"{self._separator} ", "").split("\n"))
        return "\n".join(lines)

    def _line(self, line: str, dropout: float, seed: int | None) -> str:
        bare = line.strip(ENDS)
        if not bare:
            return line
        start = len(line) - len(line.lstrip(ENDS))
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
        if self._tokenizer.spec.bpe.end_of_word_symbol and not ended:
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


def _check(tokenizer: Tokenizer, separator: str, vocabulary: Collection[str] | None) -> None:
    if not isinstance(tokenizer, Tokenizer):
        what = f"is of type {type(tokenizer).__name__}, no Tokenizer"
        raise SpecError(f"tokenizer {quoted(tokenizer)}: {what}. Use one such as Tokenizer.load gives.")
    model = tokenizer.spec.bpe
    if model.end_of_word_suffix is None or model.byte_fallback or model.continuing_subword_prefix:
        raise SpecError(
            f"tokenizer {tokenizer!r}: has {model!r}, and units are tokens of characters with a mark at the end of "
            "words. Use one that formats.read_subword_nmt reads, or train with end_of_word_suffix '</w>'."
        )
    if tokenizer.spec.normalizer is not None:
        raise SpecError(
            f"tokenizer {tokenizer!r}: has the normalizer {quoted(tokenizer.spec.normalizer)}, and units are parts of "
            "the text as it was given. Use a tokenizer without one, and change the text before it is segmented."
        )
    if not isinstance(separator, str) or not separator or any(map(str.isspace, separator)):
        what = "is empty or has a blank" if isinstance(separator, str) else f"is of type {type(separator).__name__}"
        raise SpecError(f"separator {quoted(separator)}: {what}. Use such as '@@'.")
    if vocabulary is None:
        return
    is_collection = isinstance(vocabulary, Collection) and not isinstance(vocabulary, (str, bytes))
    if not is_collection or not all(isinstance(unit, str) for unit in vocabulary):
        raise SpecError(
            f"vocabulary {quoted(vocabulary)}: is no collection of units of type str. Pass a set of them, such as "
            "formats.read_subword_vocabulary gives."
        )


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise EncodeError(f"text {quoted(text)}: is of type {type(text).__name__}, not str. Decode bytes before.")


def _with_unknown(spec: TokenizerSpec) -> TokenizerSpec:
    """The tokenizer that cuts lines: at spaces alone, whatever it finds or cuts at else, and with one token for each
    character that has none. That is the last one, and a new one: that of the tokenizer may be none, stand for several
    characters, or be what merges make.
    """
    known, unknown = set(spec.vocabulary().values()), b"<unk>"
    while unknown in known:
        unknown = b"<" + unknown + b">"
    arena = spec.token_bytes + unknown
    return replace(
        spec,
        pretokenizer=WORDS,
        added_tokens=(),
        model=replace(spec.bpe, unk_token=unknown.decode(), fuse_unk=False),
        token_bytes=arena,
        token_offsets=spec.token_offsets + pack_uint32([len(arena)]),
    )
