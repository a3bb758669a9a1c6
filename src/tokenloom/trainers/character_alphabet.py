"""Training that begins with characters: which of them get a token, and what becomes of the others.

Ids are in the order that readers of `tokenizer.json` know: the unknown token, then `<0x00>` to `<0xFF>`, then the mark
of the end of a word if it is a symbol, the characters by code point, and if the mark is glued all of them again with
it. The merges follow, and behind them special tokens that are not there yet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Final, Literal, get_args

from tokenloom import _core
from tokenloom.errors import SpecError, TrainingError
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    DecodeByteFallback,
    DecodeEndOfWord,
    Decoder,
    DecodeReplace,
    DecoderStep,
    Pretokenizer,
    TokenizerSpec,
)
from tokenloom.spec.packing import pack_arena, pack_uint32
from tokenloom.spec.pretokenizer_steps import WhitespaceSplitStep
from tokenloom.tokenizer import check_choice
from tokenloom.wording import counted, quoted

__all__ = ["CharacterAlphabet", "CharacterStart", "EndOfWord", "words_pretokenizer"]

EndOfWord = Literal["symbol", "glued"]

_BYTE_TOKENS: Final = tuple(f"<0x{byte:02X}>" for byte in range(256))


@dataclass(frozen=True, slots=True)
class CharacterAlphabet:
    """Which characters a training begins with, and how words end.

    Args:
        coverage: the commonest characters are taken until they make up this share of all; of equally frequent ones
            those with the lower code point come first. SentencePiece calls it `character_coverage`.
        byte_fallback: other characters are written in tokens of their bytes.
        unk_token: other characters become this token. With neither they are dropped, which must be none of the text
            that is trained on.
        end_of_word_suffix: a mark at the end of each pretoken, such as `"</w>"`; None for none. No pretoken that is
            trained on may hold it. In a text that is encoded later it is lost at decoding if it is a single character,
            or if it is glued and byte_fallback writes its characters there; else it comes back.
        end_of_word: `"symbol"`: the mark is a symbol of its own, as in the paper of Sennrich and others (2016);
            `"glued"`: it is a part of the last character, as in the program `subword-nmt` from version 0.2 on.
    Raises: TrainingError for a coverage that is no share, or one that leaves characters over to which nothing happens,
        and for marks that cannot be.

    >>> CharacterAlphabet(0.75, unk_token="<unk>").chosen([("a", 2), ("b", 1), ("c", 1)])
    'ab'
    """

    coverage: float = 1.0
    _: KW_ONLY
    byte_fallback: bool = False
    unk_token: str | None = None
    end_of_word_suffix: str | None = None
    end_of_word: EndOfWord = "symbol"

    def __post_init__(self) -> None:
        if type(self.coverage) not in (int, float) or not 0 < self.coverage <= 1:
            raise TrainingError(
                f"character coverage {self.coverage!r}: is no share of the text. Use a number above 0, at most 1, such "
                "as 0.9995."
            )
        if self.byte_fallback and self.unk_token is not None:
            raise TrainingError(
                f"unk_token {quoted(self.unk_token)}: with byte_fallback no character is unknown. Leave one out."
            )
        if self.coverage < 1 and not self.byte_fallback and self.unk_token is None:
            raise TrainingError(
                f"character coverage {self.coverage!r}: says nothing of the other characters. Add byte_fallback or an "
                "unk_token."
            )
        check_choice("end_of_word", self.end_of_word, get_args(EndOfWord), TrainingError)
        if self.end_of_word_suffix is None and self.end_of_word != "symbol":
            raise TrainingError(
                f"end_of_word {self.end_of_word!r}: there is no end_of_word_suffix. Add one, such as '</w>'."
            )
        try:
            self.model  # noqa: B018 - which checks the texts
        except SpecError as error:
            raise TrainingError(f"{type(self).__name__}: {error}") from error
        self._check_mark(self.fixed_tokens)

    def _check_mark(self, tokens: Iterable[str]) -> None:
        """Refuse a mark that decoding would take out of other tokens."""
        mark = self.end_of_word_suffix
        for token in tokens:
            if mark is not None and mark in token:
                raise TrainingError(
                    f"end_of_word_suffix {quoted(mark)}: is a part of the token {quoted(token)}, and decoding takes it "
                    "out of all tokens. Choose another mark."
                )

    def check_special(self, tokens: Iterable[str]) -> None:
        """Refuse special tokens that decoding would change.

        Raises: TrainingError for one that holds the mark, or is a token for a byte.
        """
        listed = tuple(tokens)
        self._check_mark(listed)
        for token in listed:
            if self.byte_fallback and token in _BYTE_TOKENS:
                raise TrainingError(
                    f"special token {quoted(token)}: is the token for a byte, which byte_fallback needs. Choose "
                    "another."
                )

    @property
    def model(self) -> BpeModel:
        """The model of the tokenizer."""
        return BpeModel(
            "merges",
            unit="character",
            byte_fallback=self.byte_fallback,
            unk_token=self.unk_token,
            end_of_word_suffix=self.end_of_word_suffix,
            end_of_word_symbol=self.end_of_word_suffix is not None and self.end_of_word == "symbol",
        )

    @property
    def fixed_tokens(self) -> tuple[str, ...]:
        """The tokens before all that merges may join."""
        return (*([] if self.unk_token is None else [self.unk_token]), *(_BYTE_TOKENS if self.byte_fallback else ()))

    def chosen(self, counts: Sequence[tuple[str, int]]) -> str:
        """The characters that get a token, by code point. See `tokenloom.lessons.character_training`."""
        total, covered, chosen = sum(count for _, count in counts), 0, ""
        for character, count in sorted(counts, key=lambda item: (-item[1], item[0])):
            if covered / total >= self.coverage:
                break
            covered += count
            chosen += character
        return "".join(sorted(chosen))

    def decoder(self, pretokenizer: Pretokenizer) -> Decoder:
        """How tokens become text: where the pretokenizer drops the blanks between words, the marks stand for them."""
        steps: list[DecoderStep] = [DecodeByteFallback()] if self.byte_fallback else []
        if self.end_of_word_suffix is not None:
            drops = pretokenizer.type == "sequence"
            suffix = self.end_of_word_suffix
            # A glued mark may be written in bytes, so these come first. One that is a symbol is not, but text may be.
            place = len(steps) if self.end_of_word == "glued" else 0
            steps.insert(place, DecodeEndOfWord(suffix) if drops else DecodeReplace(suffix, by=""))
        return Decoder(tuple(steps))

    def values(self) -> dict[str, Any]:
        """The alphabet as JSON values, without what was not asked for."""
        values = {"coverage": self.coverage, "byte_fallback": self.byte_fallback, "unk_token": self.unk_token}
        if self.end_of_word_suffix is None:
            return values
        return values | {"end_of_word_suffix": self.end_of_word_suffix, "end_of_word": self.end_of_word}

    def start(
        self, counts: _core.PretokenCounts, *, special_tokens: Sequence[str], pretokenizer: Pretokenizer
    ) -> "CharacterStart":
        """What a training on these counts begins with.

        Raises: TrainingError if the text has a character that is the unknown token, or a pretoken that holds the mark
            or is no UTF-8, of which something would be lost.
        """
        found = _core.Start.characters_of(counts)
        marks = {"unk_token": self.unk_token, "end_of_word_suffix": self.end_of_word_suffix}
        for option, mark in marks.items():
            if any(character == mark for character, _ in found):
                raise TrainingError(
                    f"{option} {quoted(mark)}: is a character of the text, which would become it. Choose one of "
                    "several characters."
                )
        self._check_kept(counts)
        return CharacterStart(self, self.chosen(found), tuple(special_tokens), pretokenizer)

    def _check_kept(self, counts: _core.PretokenCounts) -> None:
        """Refuse counts of text that the tokenizer could not give back, where nothing was said of that."""
        mark = self.end_of_word_suffix
        if mark is not None and (pretoken := counts.find_inner_mark(mark)) is not None:
            raise TrainingError(
                f"end_of_word_suffix {quoted(mark)}: the text holds it, or its beginning, in pretoken "
                f"{quoted(pretoken)}, and decoding would lose it there. Choose another mark."
            )
        drops = not self.byte_fallback and self.unk_token is None
        if drops and (pretoken := counts.find_invalid()) is not None:
            raise TrainingError(
                f"pretoken {quoted(pretoken)}: is no UTF-8, and bytes that are no character have no token. Add "
                "byte_fallback or an unk_token, or mend the text."
            )


@dataclass(frozen=True, slots=True)
class CharacterStart:
    """The characters of a text, as `Start` has them.

    Args:
        alphabet: which of them, and how words end.
        characters: those that have a token, by code point.
        special_tokens: as for `ByteStart`; one that is among the tokens keeps its id.
        pretokenizer: that of the tokenizer.
    """

    alphabet: CharacterAlphabet
    characters: str
    special_tokens: tuple[str, ...]
    pretokenizer: Pretokenizer

    @property
    def core(self) -> _core.Start:
        """What the core begins with."""
        asked, mark = self.alphabet, self.alphabet.end_of_word_suffix
        missing = "bytes" if asked.byte_fallback else "dropped" if asked.unk_token is None else "unknown"
        taken = [token.encode() for token in (*asked.fixed_tokens, *self.special_tokens)]
        end = ("none", "") if mark is None else (asked.end_of_word, mark)
        return _core.Start.of_characters(self.characters, end, missing, taken)

    @property
    def tokens(self) -> Sequence[bytes]:
        """The tokens that merges may join, in the order of symbols."""
        return self.core.tokens()

    @property
    def n_tokens(self) -> int:
        """Tokens that are no merges."""
        tokens = {*self.alphabet.fixed_tokens, *(token.decode() for token in self.tokens)}
        return len(tokens.union(self.special_tokens))

    def spec(self, merges: Sequence[tuple[bytes, bytes]]) -> TokenizerSpec:
        """The tokenizer after these merges."""
        fixed = [token.encode() for token in self.alphabet.fixed_tokens]
        tokens = [*fixed, *self.tokens, *(left + right for left, right in merges)]
        ids = {token: token_id for token_id, token in enumerate(tokens)}
        added = []
        for content in self.special_tokens:
            added.append(AddedToken(content, ids.get(content.encode(), len(tokens))))
            if content.encode() not in ids:
                tokens.append(b"")
        token_bytes, token_offsets = pack_arena(tokens)
        return TokenizerSpec(
            model=self.alphabet.model,
            pretokenizer=self.pretokenizer,
            added_tokens=tuple(sorted(added, key=lambda token: token.id)),
            token_bytes=token_bytes,
            token_offsets=token_offsets,
            merges=pack_uint32(ids[part] for pair in merges for part in pair),
            decoder=self.alphabet.decoder(self.pretokenizer),
        )


def words_pretokenizer() -> Pretokenizer:
    """Cuts text into words without the blanks between them, as a list of words has them."""
    return Pretokenizer("sequence", steps=(WhitespaceSplitStep(),))


def check_room(vocab_size: int, start: CharacterStart, *, n_reserved: int) -> None:
    """Refuse a vocabulary that is too small for the characters and reserved tokens. Raises: TrainingError."""
    least = start.n_tokens + n_reserved
    if vocab_size < least:
        characters = f"{counted(len(start.characters), 'character')} of the text"
        others = counted(start.n_tokens - len(start.characters), "other token")
        tokens = f", {others} and {counted(n_reserved, 'reserved token')}" if n_reserved else f" and {others}"
        raise TrainingError(
            f"vocab_size {vocab_size:,}: {characters}{tokens} leave no room. Ask for at least {least:,}, or for a "
            "lower character coverage."
        )
