"""The small parts of a tokenizer description: pretokenizer and model.

Each is a frozen value that checks itself, so a part that exists is a part that makes sense.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.patterns import KNOWN_PATTERNS, NAMED_PATTERNS, digits_pattern
from tokenloom.wording import quoted

__all__ = [
    "ID_LIMIT",
    "UNICODE_VERSION",
    "BpeModel",
    "PatternName",
    "Pretokenizer",
    "PretokenizerType",
    "Semantics",
    "lone_surrogate",
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
PretokenizerType = PatternName | Literal["custom", "none"]
Semantics = Literal["merges", "ranks"]

_TYPES: Final = (*get_args(PatternName), "custom", "none")
_DIGITS: Final = {"cl100k": (1, 2, 3), "llama3": (2, 3)}
"""How many digits a group may have, by type. Llama 3's pattern with single digits is `"qwen2"`."""

ID_LIMIT: Final = 2**24
"""Ids are below this: 16.7 million, far above real vocabularies, and it leaves the core 8 bits beside an id."""

UNICODE_VERSION: Final = "16.0"
"""The tables of the pretokenizers and normalizers: part of the description, since newer ones give other ids."""


@dataclass(frozen=True, slots=True)
class Pretokenizer:
    r"""How text is cut into pretokens before the model: merges never cross such a cut.

    Args:
        type: the name of a pattern, `"custom"` for any other one, or `"none"`, which leaves text whole. Named after
            what made them known: `"gpt2"`, `"cl100k"`, `"llama3"`, `"qwen2"` (Qwen 3 too), `"o200k"`, `"tekken"`,
            `"deepseek_v3"`, `"starcoder"` (GPT-2's with single digits). `"digits3_right"` is cl100k's with digits in
            groups of three from the right. `"whitespace"`, `"metaspace"` and `"bert"` cut where the pretokenizers of
            `tokenizers` with these names do; blanks, which two of them drop, are pretokens here.
        digits: the most digits of a pretoken, for `"cl100k"` 1 to 3 and for `"llama3"` 2 or 3; None is 3.
        regex: the pattern of `"custom"`. Text that its matches do not cover is cut into pretokens of its own, and empty
            matches are passed over. It sees a text up to its end before the first pretoken comes out, and on one core.
    Raises: SpecError for an unknown type, and for digits or a regex that it does not have. A regex that cannot be used
        is refused when a tokenizer or a training is made of it, before any text is read.

    >>> Pretokenizer("cl100k", digits=2).digits
    2
    >>> Pretokenizer("custom", regex=r"\w+").pattern
    '\\w+'
    """

    type: PretokenizerType
    digits: int | None = None
    regex: str | None = None

    def __post_init__(self) -> None:
        if self.type not in _TYPES:
            known = ", ".join(map(repr, _TYPES[:-1]))
            raise SpecError(f"pretokenizer: unknown type {quoted(self.type)}. Use {known} or {_TYPES[-1]!r}.")
        known_digits = _DIGITS.get(self.type, ())
        if known_digits and self.digits is None:
            object.__setattr__(self, "digits", 3)
        elif self.digits is not None and (type(self.digits) is not int or self.digits not in known_digits):
            raise SpecError(_digits_fault(self.type, self.digits))
        if self.type == "custom":
            _check_regex(self.regex)
        elif self.regex is not None:
            raise SpecError(f"pretokenizer {self.type!r}: it has no regex. Use type 'custom' for {quoted(self.regex)}.")

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

        >>> Pretokenizer("none").pattern
        '[\\s\\S]+'
        """
        if self.regex is not None:
            return self.regex
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


@dataclass(frozen=True, slots=True, repr=False)
class BpeModel:
    """Byte pair encoding, and which pair of neighbours it joins first.

    Args:
        semantics: `"merges"` joins the pair that comes first in the merge list; `"ranks"` joins the pair whose joined
            bytes are the token with the lowest id, as tiktoken does. They differ on a few texts per million.
        ignore_merges: a pretoken that is a token as a whole is that token, whatever merges would make of it. With
            `"ranks"` that is always so and is not said.

    >>> BpeModel("merges"), BpeModel("merges", ignore_merges=True)
    (BpeModel(semantics='merges'), BpeModel(semantics='merges', ignore_merges=True))
    """

    semantics: Semantics
    ignore_merges: bool = False

    def __post_init__(self) -> None:
        if self.semantics not in get_args(Semantics):
            raise SpecError(f"BPE model: unknown semantics {self.semantics!r}. Use 'merges' or 'ranks'.")
        if type(self.ignore_merges) is not bool:
            raise SpecError(f"BPE model: ignore_merges is {self.ignore_merges!r}. Use True or False.")
        if self.ignore_merges and self.semantics == "ranks":
            raise SpecError("BPE model: semantics 'ranks' always ignore merges for a whole token. Leave it out.")

    def __repr__(self) -> str:
        return f"BpeModel(semantics={self.semantics!r}{', ignore_merges=True' if self.ignore_merges else ''})"


def lone_surrogate(text: str) -> int | None:
    """Position of the first character of `text` that UTF-8 cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None
