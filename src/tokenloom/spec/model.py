"""The model of a tokenizer description: which symbols a pretoken begins as, and which of them are joined."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final, Literal, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.texts import checked_texts, lone_surrogate
from tokenloom.wording import quoted

__all__ = ["BpeModel", "Semantics", "Unit"]

Semantics = Literal["merges", "ranks", "scores"]
Unit = Literal["byte", "character"]

_FLAGS: Final = ("ignore_merges", "byte_fallback", "fuse_unk", "end_of_word_symbol")
_TEXTS: Final = ("unk_token", "continuing_subword_prefix", "end_of_word_suffix")
_PIECES: Final = ("user_defined", "unused")
_OF_SCORES: Final = ("byte_fallback", "unk_token", *_PIECES)


@dataclass(frozen=True, slots=True, repr=False)
class BpeModel:
    """Byte pair encoding, and which pair of neighbours it joins first.

    Args:
        semantics: `"merges"` joins the pair that comes first in the merge list; `"ranks"` joins the pair whose joined
            bytes are the token with the lowest id, as tiktoken does. They differ on a few texts per million. `"scores"`
            joins the pair whose joined characters are the token with the highest score, of equal ones the leftmost, as
            SentencePiece does; it has no merges but `scores`, goes with unit `"character"`, and unknown characters
            side by side are one token there.
        ignore_merges: a pretoken that is a token as a whole is that token, whatever merges would make of it. With
            `"ranks"` that is always so and is not said.
        unit: what is joined: `"byte"`, each of which has a token, or `"character"`, some of which may have none. The
            rest is for characters alone, and goes with semantics `"merges"` and a decoder that has steps.
        byte_fallback: a character without a token becomes the tokens `<0x00>` to `<0xFF>` of its UTF-8 bytes, if all of
            them exist. In a text given as bytes, each byte that is not UTF-8 counts as a character of its own: it
            becomes its token, or what an unknown character becomes, and decodes to U+FFFD.
        unk_token: what a character becomes that has no token otherwise; without it such a character is dropped.
        fuse_unk: such characters side by side become one token.
        continuing_subword_prefix: stands before each character of a pretoken but the first in the tokens that hold it,
            and is dropped from the right part of a merge.
        end_of_word_suffix: stands behind the last character of a pretoken.
        end_of_word_symbol: it is a symbol of its own there; otherwise it is a part of the last character's.
        user_defined: for `"scores"`, tokens that are taken out of the text first, the longest of those that begin at a
            place, and never joined with others.
        unused: for `"scores"`, tokens that are joined like others, and at the end cut again into what they were joined
            of.

    >>> BpeModel("merges"), BpeModel("merges", ignore_merges=True)
    (BpeModel(semantics='merges'), BpeModel(semantics='merges', ignore_merges=True))
    >>> BpeModel("merges", unit="character", unk_token="<unk>").config()
    {'type': 'bpe', 'semantics': 'merges', 'unit': 'character', 'unk_token': '<unk>'}
    """

    type: ClassVar[str] = "bpe"

    semantics: Semantics
    ignore_merges: bool = False
    unit: Unit = "byte"
    byte_fallback: bool = False
    unk_token: str | None = None
    fuse_unk: bool = False
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    end_of_word_symbol: bool = False
    user_defined: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.semantics not in get_args(Semantics):
            raise SpecError(
                f"BPE model: unknown semantics {quoted(self.semantics)}. Use 'merges', 'ranks' or 'scores'."
            )
        if self.unit not in get_args(Unit):
            raise SpecError(f"BPE model: unknown unit {quoted(self.unit)}. Use 'byte' or 'character'.")
        for flag in _FLAGS:
            if type(getattr(self, flag)) is not bool:
                raise SpecError(f"BPE model: {flag} is {quoted(getattr(self, flag))}. Use True or False.")
        for rule in _TEXTS:
            _check_text(rule, getattr(self, rule))
        for pieces in _PIECES:
            object.__setattr__(self, pieces, checked_texts(getattr(self, pieces), part=f"BPE model, {pieces}"))
        self._check_together()

    def _check_together(self) -> None:
        if self.ignore_merges and self.semantics == "ranks":
            raise SpecError("BPE model: semantics 'ranks' always ignore merges for a whole token. Leave it out.")
        if self.semantics == "scores":
            self._check_scores()
            return
        for pieces in _PIECES:
            if getattr(self, pieces):
                raise SpecError(f"BPE model: {pieces} are for semantics 'scores'. Leave them out.")
        if self.unit == "character":
            if self.semantics == "ranks":
                raise SpecError("BPE model: unit 'character' has no semantics 'ranks'. Use 'merges'.")
            if self.fuse_unk and self.unk_token is None:
                raise SpecError("BPE model: fuse_unk without unk_token has nothing to fuse. Leave it out.")
            if self.end_of_word_symbol and self.end_of_word_suffix is None:
                raise SpecError("BPE model: end_of_word_symbol without end_of_word_suffix is no symbol. Leave it out.")
            return
        for rule in (*_FLAGS[1:], *_TEXTS):
            if getattr(self, rule) not in (None, False):
                raise SpecError(
                    f"BPE model: {rule} is for characters, and every byte has a token. Use unit 'character'."
                )

    def _check_scores(self) -> None:
        if self.unit != "character" or self.unk_token is None:
            raise SpecError("BPE model: semantics 'scores' go with unit 'character' and an unk_token. Name both.")
        for field in fields(self)[1:]:
            if field.name not in ("unit", *_OF_SCORES) and getattr(self, field.name) != field.default:
                raise SpecError(f"BPE model: semantics 'scores' have no {field.name}. Leave it out.")
        if both := set(self.user_defined) & set(self.unused):
            raise SpecError(f"BPE model: {quoted(min(both))} is user_defined and unused. Keep it in one of the two.")

    def config(self) -> dict[str, Any]:
        """The model as JSON holds it: without what is the default."""
        return {"type": self.type} | without_defaults(self)

    def __repr__(self) -> str:
        return f"BpeModel({', '.join(f'{name}={value!r}' for name, value in without_defaults(self).items())})"


def without_defaults(model: Any) -> dict[str, Any]:
    """The fields of a model as JSON holds them: those that have a default only where they differ from it."""
    values = {field: getattr(model, field.name) for field in fields(model)}
    shown = {field.name: value for field, value in values.items() if value != field.default}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()}


def _check_text(rule: str, value: object) -> None:
    if value is None:
        return
    if not isinstance(value, str) or not value:
        raise SpecError(f"BPE model: {rule} {quoted(value)} is no text. Use a str of at least one character, or None.")
    if lone_surrogate(value) is not None:
        raise SpecError(f"BPE model: {rule} {quoted(value)} has a lone surrogate. Remove it.")
