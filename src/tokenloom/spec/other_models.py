"""The models that merge nothing: WordPiece, unigram and whole words."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final, Literal, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.model import without_defaults
from tokenloom.spec.texts import check_text, checked_texts
from tokenloom.wording import quoted

__all__ = ["UnigramModel", "UnigramSemantics", "WordModel", "WordpieceModel"]

UnigramSemantics = Literal["sentencepiece", "tokenizers"]

_MOST_CHARACTERS: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class WordpieceModel:
    """WordPiece: at each place of a pretoken the longest token that fits; a pretoken that cannot be cut is unknown.

    Args:
        unk_token: what such a pretoken becomes.
        continuing_subword_prefix: stands before all tokens of a pretoken but the first; it may be empty.
        max_input_chars_per_word: a pretoken with more characters is unknown.

    >>> WordpieceModel("[UNK]").config()["continuing_subword_prefix"]
    '##'
    """

    type: ClassVar[str] = "wordpiece"

    unk_token: str
    continuing_subword_prefix: str = "##"
    max_input_chars_per_word: int = 100

    def __post_init__(self) -> None:
        check_text(self.unk_token, part="WordPiece model, unk_token")
        check_text(self.continuing_subword_prefix, part="WordPiece model, prefix", may_be_empty=True)
        n_chars = self.max_input_chars_per_word
        if type(n_chars) is not int or not 0 <= n_chars <= _MOST_CHARACTERS:
            raise SpecError(
                f"WordPiece model: max_input_chars_per_word is {quoted(n_chars)}. Use a whole number from 0 to "
                f"{_MOST_CHARACTERS:,}."
            )

    def config(self) -> dict[str, Any]:
        """The model as JSON holds it."""
        return {"type": self.type} | {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True)
class UnigramModel:
    """Unigram: of all ways to cut a pretoken into tokens the one with the highest sum of scores.

    Args:
        semantics: whose arithmetic and unknown pieces decide ties and the rest: those of `"sentencepiece"`, in 32 bits,
            or of `"tokenizers"`, in 64.
        unk_token: what a character becomes that is in no token; None where there is no such token.
        byte_fallback: such a character becomes the tokens `<0x00>` to `<0xFF>` of its UTF-8 bytes, if all exist.
        user_defined: for `"sentencepiece"`, tokens that are always taken where they stand.
        unused: for `"sentencepiece"`, tokens that are never taken.

    >>> UnigramModel("tokenizers", unk_token="<unk>").config()
    {'type': 'unigram', 'semantics': 'tokenizers', 'unk_token': '<unk>'}
    """

    type: ClassVar[str] = "unigram"

    semantics: UnigramSemantics
    unk_token: str | None = None
    byte_fallback: bool = False
    user_defined: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.semantics not in get_args(UnigramSemantics):
            raise SpecError(
                f"unigram model: unknown semantics {quoted(self.semantics)}. Use 'sentencepiece' or 'tokenizers'."
            )
        if self.unk_token is not None:
            check_text(self.unk_token, part="unigram model, unk_token")
        if type(self.byte_fallback) is not bool:
            raise SpecError(f"unigram model: byte_fallback is {quoted(self.byte_fallback)}. Use True or False.")
        for pieces in ("user_defined", "unused"):
            object.__setattr__(self, pieces, checked_texts(getattr(self, pieces), part=f"unigram model, {pieces}"))
            if getattr(self, pieces) and self.semantics != "sentencepiece":
                raise SpecError(f"unigram model: {pieces} are for semantics 'sentencepiece'. Leave them out.")

    def config(self) -> dict[str, Any]:
        """The model as JSON holds it: without what is the default."""
        return {"type": self.type} | without_defaults(self)


@dataclass(frozen=True, slots=True)
class WordModel:
    r"""Words: a pretoken that is a token, one token for other numbers if there is one, and one for all others.

    Args:
        unk_token: what a pretoken becomes that is no token.
        byte_fallback: it becomes the tokens `<0x00>` to `<0xFF>` of its UTF-8 bytes instead, if all exist.
        fuse_unk: unknown pretokens side by side become one token.
        number_token: what a pretoken becomes instead whose characters all are numbers (`\p{N}`); None for none.

    >>> WordModel("[UNK]").config()
    {'type': 'word', 'unk_token': '[UNK]'}
    """

    type: ClassVar[str] = "word"

    unk_token: str
    byte_fallback: bool = False
    fuse_unk: bool = False
    number_token: str | None = None

    def __post_init__(self) -> None:
        check_text(self.unk_token, part="word model, unk_token")
        if self.number_token is not None:
            check_text(self.number_token, part="word model, number_token")
        for flag in ("byte_fallback", "fuse_unk"):
            if type(getattr(self, flag)) is not bool:
                raise SpecError(f"word model: {flag} is {quoted(getattr(self, flag))}. Use True or False.")

    def config(self) -> dict[str, Any]:
        """The model as JSON holds it: without what is the default."""
        return {"type": self.type} | without_defaults(self)
