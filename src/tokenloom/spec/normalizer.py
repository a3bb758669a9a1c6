"""Normalizers: how a text is changed before it is cut, as a sequence of steps that are plain values.

With a normalizer the ids of a text are those of the changed text, and so is what decoding gives back. Steps work on
each stretch of text between added tokens that are found in the text as it came.
"""

from dataclasses import dataclass, fields
from typing import Any, Final, Literal, TypeAlias, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.components import UNICODE_VERSION
from tokenloom.spec.sentencepiece import Precompiled, SentencepieceRules
from tokenloom.spec.texts import check_text
from tokenloom.wording import quoted

__all__ = [
    "BertText",
    "Lowercase",
    "Normalizer",
    "NormalizerName",
    "NormalizerStep",
    "Prepend",
    "Replace",
    "Strip",
    "UnicodeForm",
    "UnicodeFormName",
    "normalizer_of",
]

NormalizerName = Literal["none", "nfc", "nfd", "nfkc", "nfkd", "lowercase"]
"""Normalizers of one step, as `--normalizer` names them."""
UnicodeFormName = Literal["nfc", "nfd", "nfkc", "nfkd"]


@dataclass(frozen=True, slots=True)
class UnicodeForm:
    """One of the four normal forms, by the tables of Unicode 16.

    `tokenizers` 0.23.3 has older tables. Of all scalar values, each by itself, its NFC differs for none, NFD for 21,
    NFKC for 170 and NFKD for 191; behind a combining mark, where the order of marks counts, for 61, 82, 231 and 252.
    All are rare marks, letters and symbols that came with the newer versions.

    >>> UnicodeForm("nfc").config()
    {'type': 'nfc', 'unicode': '16.0'}
    """

    form: UnicodeFormName

    def __post_init__(self) -> None:
        if self.form not in get_args(UnicodeFormName):
            raise SpecError(f"normalizer: unknown form {quoted(self.form)}. Use 'nfc', 'nfd', 'nfkc' or 'nfkd'.")

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": self.form, "unicode": UNICODE_VERSION}


@dataclass(frozen=True, slots=True)
class BertText:
    """The text of BERT: each of four things is done or not, in this order, exactly as `tokenizers` 0.23.3 does them.

    Some eighty rare marks are left without accents, and those side by side are ordered. Their spans are those of the
    characters that they come from, which the library counts by their places before they were ordered.

    Args:
        clean_text: controls, format and private characters and U+FFFD are taken away, and every blank is a space.
        handle_chinese_chars: each Chinese character gets a space on both sides.
        strip_accents: characters are taken apart, and marks without a width of their own are taken away. The library
            takes None for the value of `lowercase`.
        lowercase: each character becomes its lower case.

    >>> BertText().config()["strip_accents"], BertText(lowercase=False, strip_accents=False).config()["lowercase"]
    (True, False)
    """

    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool = True
    lowercase: bool = True

    def __post_init__(self) -> None:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in values.items():
            if type(value) is not bool:
                raise SpecError(f"normalizer, bert: {name!r} is {quoted(value)}. Use True or False.")
        if not any(values.values()):
            raise SpecError("normalizer, bert: it does nothing. Set one of its options, or leave it out.")

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "bert"} | {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class Lowercase:
    """Each character becomes its lower case, whatever stands beside it, by the tables of Unicode 16.

    `tokenizers` 0.23.3 has newer tables here: it changes 28 characters that Unicode 16 does not have. The configuration
    names no version: it is always this one.
    """

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "lowercase"}


@dataclass(frozen=True, slots=True)
class Prepend:
    """A text is put before each stretch that is not empty."""

    text: str

    def __post_init__(self) -> None:
        check_text(self.text, part="normalizer, prepend")

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "prepend", "text": self.text}


@dataclass(frozen=True, slots=True)
class Replace:
    """Each occurrence of a text, or of what a regular expression matches, becomes another text, from left to right.

    As in `tokenizers`, an empty match puts the text in, but not straight behind another match, and an empty text has no
    match. A pattern that takes too many steps in a text is an EncodeError with the place.

    >>> Replace(" ", by="_").config()
    {'type': 'replace', 'text': ' ', 'by': '_'}
    """

    text: str | None = None
    by: str = ""
    pattern: str | None = None

    def __post_init__(self) -> None:
        if (self.text is None) == (self.pattern is None):
            raise SpecError("normalizer, replace: takes a text or a pattern. Pass one of the two.")
        check_text(self.text if self.pattern is None else self.pattern, part="normalizer, replace")
        check_text(self.by, part="normalizer, replace", may_be_empty=True)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        what = {"text": self.text} if self.pattern is None else {"pattern": self.pattern}
        return {"type": "replace", **what, "by": self.by}


@dataclass(frozen=True, slots=True)
class Strip:
    """Blanks at the edges of each stretch are taken away."""

    left: bool
    right: bool

    def __post_init__(self) -> None:
        if type(self.left) is not bool or type(self.right) is not bool or not (self.left or self.right):
            raise SpecError(
                f"normalizer, strip: left is {quoted(self.left)} and right {quoted(self.right)}. "
                "Use True for one of them or both."
            )

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "strip", "left": self.left, "right": self.right}


NormalizerStep: TypeAlias = (
    BertText | UnicodeForm | Lowercase | Prepend | Replace | Strip | SentencepieceRules | Precompiled
)


@dataclass(frozen=True, slots=True)
class Normalizer:
    """Steps that change a text, one after the other.

    >>> Normalizer((UnicodeForm("nfc"), Lowercase())).steps[1]
    Lowercase()
    """

    steps: tuple[NormalizerStep, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        if not self.steps:
            raise SpecError("normalizer: it has no steps. Use None for a tokenizer that does not change its text.")
        for step in self.steps:
            if not isinstance(step, NormalizerStep):
                raise SpecError(f"normalizer: {quoted(step)} is no step. Use {_STEP_NAMES}.")

    def config(self) -> list[dict[str, Any]]:
        """The steps as JSON holds them."""
        return [step.config() for step in self.steps]


def normalizer_of(name: "NormalizerName | Normalizer | None") -> Normalizer | None:
    """The normalizer that a name stands for; None and `"none"` for none.

    >>> normalizer_of("nfkc"), normalizer_of("none")
    (Normalizer(steps=(UnicodeForm(form='nfkc'),)), None)
    """
    if name is None or isinstance(name, Normalizer):
        return name
    if name not in get_args(NormalizerName):
        known = ", ".join(map(repr, get_args(NormalizerName)[:-1]))
        raise SpecError(f"normalizer: unknown name {quoted(name)}. Use {known} or {get_args(NormalizerName)[-1]!r}.")
    if name == "none":
        return None
    return Normalizer((Lowercase() if name == "lowercase" else UnicodeForm(name),))


_STEP_NAMES: Final = ", ".join(step.__name__ for step in get_args(NormalizerStep))
