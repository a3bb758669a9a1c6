"""Decoders: how tokens become text, as a sequence of steps that are plain values.

Where every byte has a token, the bytes of the tokens are the text. Elsewhere tokens are strings, and each step makes a
list of strings of a list of strings, as in the decoders of `tokenizers`; in the end they are joined.
"""

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.pretokenizer_steps import PrependScheme
from tokenloom.spec.texts import check_text, checked_texts
from tokenloom.wording import quoted

__all__ = [
    "DecodeByteFallback",
    "DecodeByteLevel",
    "DecodeEndOfWord",
    "DecodeFuse",
    "DecodeJoin",
    "DecodeMetaspace",
    "DecodeReplace",
    "DecodeSentencepiece",
    "DecodeStrip",
    "DecodeWordpiece",
    "Decoder",
    "DecoderStep",
]

DroppedBlanks = Literal["none", "first", "all"]

_MOST_STRIPPED: Final = 2**32 - 1
"""More than any token has."""


@dataclass(frozen=True, slots=True)
class DecodeReplace:
    """Each occurrence of a text in a token, or of what a regular expression matches there, becomes another text.

    >>> DecodeReplace("▁", by=" ").config()
    {'type': 'replace', 'text': '▁', 'by': ' '}
    """

    text: str | None = None
    by: str = ""
    pattern: str | None = None

    def __post_init__(self) -> None:
        if (self.text is None) == (self.pattern is None):
            raise SpecError("decoder, replace: takes a text or a pattern. Pass one of the two.")
        check_text(self.text if self.pattern is None else self.pattern, part="decoder, replace")
        check_text(self.by, part="decoder, replace", may_be_empty=True)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        what = {"text": self.text} if self.pattern is None else {"pattern": self.pattern}
        return {"type": "replace", **what, "by": self.by}


@dataclass(frozen=True, slots=True)
class DecodeByteFallback:
    """Neighbouring tokens `<0x00>` to `<0xFF>` become the text of these bytes; U+FFFD for each if they are no UTF-8."""

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "byte_fallback"}


@dataclass(frozen=True, slots=True)
class DecodeFuse:
    """All tokens become one string, which later steps see as the first and the last token."""

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "fuse"}


@dataclass(frozen=True, slots=True)
class DecodeStrip:
    """A character is taken away at the edges of each token: up to `start` times before it, up to `stop` behind it.

    `tokenizers` panics where the two meet in a token that has fewer characters; here nothing is left of it.
    """

    text: str
    start: int
    stop: int

    def __post_init__(self) -> None:
        _check_character("strip", self.text)
        for edge, value in (("start", self.start), ("stop", self.stop)):
            if type(value) is not int or not 0 <= value <= _MOST_STRIPPED:
                raise SpecError(
                    f"decoder, strip: {edge} is {quoted(value)}. Use a whole number from 0 to {_MOST_STRIPPED:,}."
                )

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "strip", "text": self.text, "start": self.start, "stop": self.stop}


@dataclass(frozen=True, slots=True)
class DecodeMetaspace:
    """A character becomes a blank, or nothing in the first token unless no blank was put before the text."""

    replacement: str = "▁"
    prepend_scheme: PrependScheme = "always"

    def __post_init__(self) -> None:
        _check_character("metaspace", self.replacement)
        if self.prepend_scheme not in get_args(PrependScheme):
            raise SpecError(
                f"decoder, metaspace: unknown prepend_scheme {quoted(self.prepend_scheme)}. "
                "Use 'always', 'first' or 'never'."
            )

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "metaspace", "replacement": self.replacement, "prepend_scheme": self.prepend_scheme}


@dataclass(frozen=True, slots=True)
class DecodeByteLevel:
    """GPT-2's characters become the bytes that they stand for, and all tokens one string."""

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "byte_level"}


@dataclass(frozen=True, slots=True)
class DecodeEndOfWord:
    """The mark of the end of a word becomes a blank, or nothing in the last token."""

    suffix: str

    def __post_init__(self) -> None:
        check_text(self.suffix, part="decoder, end_of_word")

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "end_of_word", "suffix": self.suffix}


@dataclass(frozen=True, slots=True)
class DecodeJoin:
    """All tokens become one string, with a text between them: a blank, where a file names no decoder."""

    by: str

    def __post_init__(self) -> None:
        check_text(self.by, part="decoder, join")

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "join", "by": self.by}


@dataclass(frozen=True, slots=True)
class DecodeWordpiece:
    """The mark of tokens that go on with a word is taken away, and others but the first get a blank before them.

    Args:
        prefix: the mark.
        cleanup: blanks before signs and in English contractions go, such as " ." and " n't": in each token by itself,
            with the blank before it.

    >>> DecodeWordpiece().config()
    {'type': 'wordpiece', 'prefix': '##', 'cleanup': True}
    """

    prefix: str = "##"
    cleanup: bool = True

    def __post_init__(self) -> None:
        check_text(self.prefix, part="decoder, wordpiece", may_be_empty=True)
        if type(self.cleanup) is not bool:
            raise SpecError(f"decoder, wordpiece: cleanup is {quoted(self.cleanup)}. Use True or False.")

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "wordpiece", "prefix": self.prefix, "cleanup": self.cleanup}


@dataclass(frozen=True, slots=True)
class DecodeSentencepiece:
    """All that SentencePiece does to tokens, which become one string: U+2581 is a blank, some have other texts.

    Args:
        unknown: the token of what is unknown.
        unknown_surface: what it becomes.
        control: tokens that become nothing.
        byte_fallback: neighbouring tokens `<0x00>` to `<0xFF>` become the text of these bytes, character by character;
            each byte that is in none is U+FFFD.
        drops_blanks: how many blanks are dropped at the start of the text: `"none"`, the one that was put before it, or
            all that begin a token.
    """

    unknown: str
    unknown_surface: str
    control: tuple[str, ...]
    byte_fallback: bool
    drops_blanks: DroppedBlanks

    def __post_init__(self) -> None:
        check_text(self.unknown, part="decoder, sentencepiece, unknown")
        check_text(self.unknown_surface, part="decoder, sentencepiece, unknown_surface", may_be_empty=True)
        object.__setattr__(self, "control", checked_texts(self.control, part="decoder, sentencepiece, control"))
        if type(self.byte_fallback) is not bool:
            raise SpecError(
                f"decoder, sentencepiece: byte_fallback is {quoted(self.byte_fallback)}. Use True or False."
            )
        if self.drops_blanks not in get_args(DroppedBlanks):
            raise SpecError(
                f"decoder, sentencepiece: unknown drops_blanks {quoted(self.drops_blanks)}. "
                "Use 'none', 'first' or 'all'."
            )

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"type": "sentencepiece", **values, "control": list(self.control)}


DecoderStep: TypeAlias = (
    DecodeReplace
    | DecodeByteFallback
    | DecodeFuse
    | DecodeStrip
    | DecodeMetaspace
    | DecodeByteLevel
    | DecodeEndOfWord
    | DecodeJoin
    | DecodeWordpiece
    | DecodeSentencepiece
)


@dataclass(frozen=True, slots=True)
class Decoder:
    """Steps that make text of tokens, one after the other; None where the bytes of tokens are text.

    >>> Decoder().config(), Decoder((DecodeFuse(),)).config()
    ({'type': 'bytes'}, {'type': 'sequence', 'steps': [{'type': 'fuse'}]})
    """

    steps: tuple[DecoderStep, ...] | None = None

    def __post_init__(self) -> None:
        if self.steps is None:
            return
        object.__setattr__(self, "steps", tuple(self.steps))
        for step in self.steps:
            if not isinstance(step, DecoderStep):
                raise SpecError(f"decoder: {quoted(step)} is no step. Use {_STEP_NAMES}.")

    def config(self) -> dict[str, Any]:
        """The decoder as JSON holds it."""
        if self.steps is None:
            return {"type": "bytes"}
        return {"type": "sequence", "steps": [step.config() for step in self.steps]}


_STEP_NAMES: Final = ", ".join(step.__name__ for step in get_args(DecoderStep))


def _check_character(step: str, text: object) -> None:
    check_text(text, part=f"decoder, {step}")
    if isinstance(text, str) and len(text) != 1:
        raise SpecError(f"decoder, {step}: {quoted(text)} is no single character. Pass a str of one.")
