r"""The steps of a pretokenizer that is a sequence, as plain values: each works on the pieces of the one before it.

They do what the pretokenizers of `tokenizers` with these names do. A step may leave pieces out and may change text, so
the pieces joined need not be the text, and the tokens joined neither.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeAlias, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.texts import lone_surrogate
from tokenloom.wording import quoted

__all__ = [
    "Behavior",
    "BertStep",
    "ByteLevelStep",
    "DigitsStep",
    "MetaspaceStep",
    "PrependScheme",
    "PretokenizerStep",
    "PunctuationStep",
    "SplitStep",
    "WhitespaceSplitStep",
    "WhitespaceStep",
    "step_from_config",
]

Behavior = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
"""What becomes of the matches of a step: they are gone, are pieces, are joined to the text before or behind (of several
in a row, the first or the last), or those in a row are one piece."""

PrependScheme = Literal["always", "first", "never"]

_DONE: Final[dict[str, str]] = {
    "removed": "it is gone",
    "isolated": "each is a piece",
    "merged_with_previous": "it stays with what is before it",
    "merged_with_next": "it stays with what is behind it",
    "contiguous": "those in a row are one piece",
}


@dataclass(frozen=True, slots=True)
class SplitStep:
    r"""Cuts at each match of a regular expression, or at each occurrence of a text.

    Args:
        pattern: the regular expression; it sees one piece and nothing round it.
        text: the text, if it is no expression.
        behavior: what becomes of the matches.
        invert: matches are what lies between those of the pattern.

    >>> SplitStep(r"\d{3}", behavior="isolated").config()
    {'type': 'split', 'pattern': '\\d{3}', 'behavior': 'isolated'}
    """

    pattern: str | None = None
    text: str | None = None
    behavior: Behavior = "isolated"
    invert: bool = False

    name: ClassVar[str] = "split"

    def __post_init__(self) -> None:
        if (self.pattern is None) == (self.text is None):
            raise _fault(self, "it takes a pattern or a text", "Pass one of the two")
        _check_str(self, self.pattern if self.text is None else self.text)
        _check_choice(self, "behavior", self.behavior, Behavior)
        _check_flag(self, "invert", self.invert)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        what = {"pattern": self.pattern} if self.text is None else {"text": self.text}
        return {"type": self.name, **what, "behavior": self.behavior} | ({"invert": True} if self.invert else {})

    @property
    def in_words(self) -> str:
        """What the step does."""
        what = repr(self.text) if self.pattern is None else self.pattern
        done = _DONE[self.behavior]
        return f"what is between matches of {what}: {done}" if self.invert else f"at {what}: {done}"


@dataclass(frozen=True, slots=True)
class ByteLevelStep:
    """Writes each byte as GPT-2's character for it; later steps see these.

    Args:
        add_prefix_space: each piece that does not begin with a space gets one.
        use_regex: cuts by GPT-2's pattern before.
    """

    add_prefix_space: bool = False
    use_regex: bool = True

    name: ClassVar[str] = "byte_level"

    def __post_init__(self) -> None:
        _check_flag(self, "add_prefix_space", self.add_prefix_space)
        _check_flag(self, "use_regex", self.use_regex)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        prefix = {"add_prefix_space": True} if self.add_prefix_space else {}
        return {"type": self.name} | prefix | ({} if self.use_regex else {"use_regex": False})

    @property
    def in_words(self) -> str:
        """What the step does."""
        parts = ["a space in front"] * self.add_prefix_space + ["by GPT-2's pattern"] * self.use_regex
        return ", ".join([*parts, "bytes as characters"])


@dataclass(frozen=True, slots=True)
class DigitsStep:
    r"""Cuts numbers from the rest: each run of them, or each by itself. All of `\p{N}` are numbers."""

    individual: bool = False

    name: ClassVar[str] = "digits"

    def __post_init__(self) -> None:
        _check_flag(self, "individual", self.individual)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": self.name} | ({"individual": True} if self.individual else {})

    @property
    def in_words(self) -> str:
        """What the step does."""
        return "each digit by itself" if self.individual else "digits apart from the rest"


@dataclass(frozen=True, slots=True)
class PunctuationStep:
    """Cuts at each character of punctuation, the signs of ASCII among them."""

    behavior: Behavior = "isolated"

    name: ClassVar[str] = "punctuation"

    def __post_init__(self) -> None:
        _check_choice(self, "behavior", self.behavior, Behavior)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": self.name, "behavior": self.behavior}

    @property
    def in_words(self) -> str:
        """What the step does."""
        return f"at punctuation: {_DONE[self.behavior]}"


@dataclass(frozen=True, slots=True)
class MetaspaceStep:
    """Writes each space as another character.

    Args:
        replacement: that character.
        prepend_scheme: which pieces that do not begin with it get one in front: all, those that come from the start of
            the text, or none.
        split: a piece begins before each.
    """

    replacement: str = "\u2581"
    prepend_scheme: PrependScheme = "always"
    split: bool = True

    name: ClassVar[str] = "metaspace"

    def __post_init__(self) -> None:
        _check_str(self, self.replacement)
        if len(self.replacement) != 1:
            raise _fault(self, f"replacement {quoted(self.replacement)} is no single character", "Use one")
        _check_choice(self, "prepend_scheme", self.prepend_scheme, PrependScheme)
        _check_flag(self, "split", self.split)

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        values = {"replacement": self.replacement, "prepend_scheme": self.prepend_scheme}
        return {"type": self.name, **values} | ({} if self.split else {"split": False})

    @property
    def in_words(self) -> str:
        """What the step does."""
        front = {"always": ", one in front", "first": ", one in front of the text", "never": ""}[self.prepend_scheme]
        return f"spaces as {self.replacement}{front}{', a piece before each' if self.split else ''}"


@dataclass(frozen=True, slots=True)
class WhitespaceStep:
    r"""Cuts into words and signs, `\w+|[^\w\s]+`; blanks are gone."""

    name: ClassVar[str] = "whitespace"

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": self.name}

    @property
    def in_words(self) -> str:
        """What the step does."""
        return "words and signs, blanks are gone"


@dataclass(frozen=True, slots=True)
class WhitespaceSplitStep:
    """Cuts at blanks, which are gone."""

    name: ClassVar[str] = "whitespace_split"

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": self.name}

    @property
    def in_words(self) -> str:
        """What the step does."""
        return "at blanks, which are gone"


@dataclass(frozen=True, slots=True)
class BertStep:
    """Cuts into BERT's words and single characters of punctuation; blanks are gone."""

    name: ClassVar[str] = "bert"

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": self.name}

    @property
    def in_words(self) -> str:
        """What the step does."""
        return "words and single signs, blanks are gone"


PretokenizerStep: TypeAlias = (
    SplitStep
    | ByteLevelStep
    | DigitsStep
    | PunctuationStep
    | MetaspaceStep
    | WhitespaceStep
    | WhitespaceSplitStep
    | BertStep
)

_KINDS: Final = {kind.name: kind for kind in get_args(PretokenizerStep)}
_ALWAYS: Final = {"split": {"behavior"}, "punctuation": {"behavior"}, "metaspace": {"replacement", "prepend_scheme"}}
"""Keys that a step always has in JSON; others stand there where they are not the default."""


def step_from_config(value: object, *, place: str) -> PretokenizerStep:
    """The inverse of `config` of a step; errors name `place`.

    >>> step_from_config({"type": "digits", "individual": True}, place="x")
    DigitsStep(individual=True)
    """
    name = value.get("type") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(name, str) or name not in _KINDS:
        known = ", ".join(map(repr, _KINDS))
        raise SpecError(f"{place}: {quoted(value if name is None else name)} is unknown. Use a step of type {known}.")
    kind = _KINDS[name]
    unknown = value.keys() - {"type"} - set(kind.__dataclass_fields__)
    missing = _ALWAYS.get(name, set()) - value.keys()
    if unknown or missing:
        what = f"has the unknown key {min(unknown)!r}" if unknown else f"lacks the key {min(missing)!r}"
        raise SpecError(f"{place}: {what}. {'Remove the key, or upgrade tokenloom' if unknown else 'Add the key'}.")
    step: PretokenizerStep = kind(**{key: item for key, item in value.items() if key != "type"})
    written = step.config()
    if written != value:
        key = min(key for key in value if key not in written)
        raise SpecError(f"{place}: {quoted(key)} is {quoted(value[key])}, which is the default. Leave it out.")
    return step


def _check_str(step: PretokenizerStep, text: object) -> None:
    if not isinstance(text, str):
        raise _fault(step, f"{quoted(text)} is no text", "Pass a str")
    if lone_surrogate(text) is not None:
        raise _fault(step, f"{quoted(text)} has a lone surrogate", "Remove it")


def _check_choice(step: PretokenizerStep, key: str, value: object, choices: Any) -> None:
    if value not in get_args(choices):
        known = ", ".join(map(repr, get_args(choices)))
        raise _fault(step, f"{key} {quoted(value)} is unknown", f"Use one of {known}")


def _check_flag(step: PretokenizerStep, key: str, value: object) -> None:
    if type(value) is not bool:
        raise _fault(step, f"{key} is {quoted(value)}", "Use True or False")


def _fault(step: PretokenizerStep, what: str, remedy: str) -> SpecError:
    return SpecError(f"pretokenizer step {step.name!r}: {what}. {remedy}.")
