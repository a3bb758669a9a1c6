"""The small parts of a tokenizer description: the pretokenizer, and limits that hold for all.

Each part is a frozen value that checks itself, so a part that exists is a part that makes sense.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.patterns import KNOWN_PATTERNS, NAMED_PATTERNS, digits_pattern
from tokenloom.spec.pretokenizer_steps import PretokenizerStep
from tokenloom.spec.texts import lone_surrogate
from tokenloom.wording import quoted

__all__ = [
    "ID_LIMIT",
    "UNICODE_VERSION",
    "PatternName",
    "Pretokenizer",
    "PretokenizerType",
    "pretokenizer_of",
]

PatternName = Literal[
    "gpt2",
    "cl100k",
    "llama3",
    "qwen2",
    "o200k",
    "tekken",
    "deepseek_v3",
    "starcoder",
    "digits3_right",
    "whitespace",
    "metaspace",
    "bert",
]
PretokenizerType = PatternName | Literal["custom", "none", "sequence"]

_TYPES: Final = (*get_args(PatternName), "custom", "none", "sequence")
_DIGITS: Final = {"cl100k": (1, 2, 3), "llama3": (2, 3)}
"""How many digits a group may have, by type. Llama 3's pattern with single digits is `"qwen2"`."""

ID_LIMIT: Final = 2**24
"""Ids are below this: 16.7 million, far above real vocabularies, and it leaves the core 8 bits beside an id."""

UNICODE_VERSION: Final = "16.0"
"""The tables of the pretokenizers and normalizers: part of the description, since newer ones give other ids."""


@dataclass(frozen=True, slots=True, repr=False)
class Pretokenizer:
    r"""How text is cut into pretokens before the model: merges never cross such a cut.

    Args:
        type: the name of a pattern, `"custom"` for any other one, `"none"`, which leaves text whole, or `"sequence"`
            for several pretokenizers, each of which works on the pieces of the one before it. Names are those of what
            made them known: `"gpt2"`, `"cl100k"`, `"llama3"`, `"qwen2"` (Qwen 3 too), `"o200k"`, `"tekken"`,
            `"deepseek_v3"`, `"starcoder"` (GPT-2's with single digits). `"digits3_right"` is cl100k's with digits in
            groups of three from the right. `"whitespace"`, `"metaspace"` and `"bert"` cut where the pretokenizers of
            `tokenizers` with these names do; blanks, which two of them drop, are pretokens here.
        digits: the most digits of a pretoken, for `"cl100k"` 1 to 3 and for `"llama3"` 2 or 3; None is 3.
        regex: the pattern of `"custom"`. What lies between its matches is a pretoken too, and an empty match between
            two characters is a place between two pretokens. It sees a text up to its end before the first pretoken
            comes out, and on one core.
        steps: the pretokenizers of `"sequence"`, as `tokenloom.spec` has them. They see a text up to its end, on one
            core, and training takes none.
    Raises: SpecError for an unknown type, and for digits, a regex or steps that it does not have. A regex that cannot
        be used is refused when a tokenizer or a training is made of it, before any text is read.

    >>> Pretokenizer("cl100k", digits=2).digits
    2
    >>> Pretokenizer("custom", regex=r"\w+").pattern
    '\\w+'
    """

    type: PretokenizerType
    digits: int | None = None
    regex: str | None = None
    steps: tuple[PretokenizerStep, ...] = ()

    def __post_init__(self) -> None:
        if self.type not in _TYPES:
            known = ", ".join(map(repr, _TYPES[:-1]))
            own = "for a regular expression of your own Pretokenizer('custom', regex=...)"
            raise SpecError(f"pretokenizer: unknown type {quoted(self.type)}. Use {known} or {_TYPES[-1]!r}, {own}.")
        known_digits = _DIGITS.get(self.type, ())
        if known_digits and self.digits is None:
            object.__setattr__(self, "digits", 3)
        elif self.digits is not None and (type(self.digits) is not int or self.digits not in known_digits):
            raise SpecError(_digits_fault(self.type, self.digits))
        if self.type == "custom":
            _check_regex(self.regex)
        elif self.regex is not None:
            raise SpecError(f"pretokenizer {self.type!r}: it has no regex. Use type 'custom' for {quoted(self.regex)}.")
        object.__setattr__(self, "steps", tuple(self.steps))
        _check_steps(self.type, self.steps)

    def __repr__(self) -> str:
        steps = f", steps={self.steps!r}" if self.steps else ""
        return f"Pretokenizer(type={self.type!r}, digits={self.digits!r}, regex={self.regex!r}{steps})"

    @classmethod
    def from_pattern(cls, pattern: str) -> "Pretokenizer":
        r"""The pretokenizer that cuts by a regular expression: a named one where the text is known, as it runs faster.

        Known are the texts that `pattern` gives, and those of published tokenizers that cut like them.

        >>> Pretokenizer.from_pattern(Pretokenizer("o200k").pattern).type
        'o200k'
        """
        name, digits = KNOWN_PATTERNS.get(pattern, ("custom", None))
        return cls(name, digits, pattern if name == "custom" else None)  # type: ignore[arg-type]

    @property
    def pattern(self) -> str:
        r"""A regular expression that matches one pretoken after the other, for other libraries.

        They need `\p{...}`, look-ahead and the classes of Unicode 16 for the same cuts.
        Raises: SpecError for a sequence, which is no single expression.

        >>> Pretokenizer("none").pattern
        '[\\s\\S]+'
        """
        if self.regex is not None:
            return self.regex
        if self.type == "sequence":
            shown = " + ".join(step.name for step in self.steps)
            raise SpecError(
                f"pretokenizer 'sequence': {shown} is no single regular expression. Look at its steps, and save as "
                "tokenizer.json, which holds them."
            )
        return NAMED_PATTERNS[self.type] if self.digits is None else digits_pattern(self.type, self.digits)


def pretokenizer_of(pattern: PatternName | Pretokenizer | None) -> Pretokenizer:
    """The pretokenizer that an option `pattern` stands for; None does not cut.

    >>> pretokenizer_of("qwen2")
    Pretokenizer(type='qwen2', digits=None, regex=None)
    """
    return pattern if isinstance(pattern, Pretokenizer) else Pretokenizer("none" if pattern is None else pattern)


def _digits_fault(pretokenizer_type: str, digits: object) -> str:
    known = _DIGITS.get(pretokenizer_type, ())
    if not known:
        remedy = "Leave digits out"
    elif pretokenizer_type == "llama3" and digits == 1:
        remedy = "That pattern is 'qwen2'"
    else:
        remedy = f"Use {', '.join(map(str, known[:-1]))} or {known[-1]}"
    return f"pretokenizer {pretokenizer_type!r}: digits {digits!r} are not among those it can have. {remedy}."


def _check_steps(pretokenizer_type: str, steps: tuple[PretokenizerStep, ...]) -> None:
    if (pretokenizer_type == "sequence") is not bool(steps):
        remedy = "Pass a tuple of steps" if not steps else "Use type 'sequence' for them"
        raise SpecError(f"pretokenizer {pretokenizer_type!r}: it has no steps. {remedy}.")
    for step in steps:
        if not isinstance(step, PretokenizerStep):
            raise SpecError(
                f"pretokenizer 'sequence': {step!r} is no step. Use values of tokenloom.spec.pretokenizer_steps."
            )


def _check_regex(regex: object) -> None:
    """Refuse what is no pattern, and one that has a name: the same cuts must not have two descriptions."""
    if not isinstance(regex, str):
        raise SpecError(f"pretokenizer 'custom': regex {quoted(regex)} is no pattern. Pass its text as str.")
    surrogate = lone_surrogate(regex)
    if surrogate is not None:
        raise SpecError(
            f"pretokenizer 'custom': character {surrogate} of regex {quoted(regex)} is a lone surrogate, which no text "
            "has. Remove it."
        )
    if regex in KNOWN_PATTERNS:
        name, _ = KNOWN_PATTERNS[regex]
        raise SpecError(
            f"pretokenizer 'custom': regex {quoted(regex)} is the pattern of {name!r}. Use Pretokenizer.from_pattern."
        )
