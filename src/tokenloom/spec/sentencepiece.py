"""The normalizer of SentencePiece, one step that does all: a map of its file, blanks, and the blank before a text.

`tokenizers` has a step of its own for the map alone, which it applies otherwise (`Precompiled`).
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from tokenloom.errors import SpecError
from tokenloom.spec.texts import checked_texts
from tokenloom.wording import counted, quoted

__all__ = ["Precompiled", "SentencepieceRules", "decoded_charsmap"]

_NOT_CANONICAL: Final = "normalizer: charsmap is no canonical base64. Restore the file."
_SIZE_BYTES: Final = 4
_UNIT_BYTES: Final = 4
_FLAGS: Final = (
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "escape_whitespaces",
    "treat_whitespace_as_suffix",
)


@dataclass(frozen=True, slots=True)
class SentencepieceRules:
    r"""How SentencePiece changes a text before its model sees it.

    At each place the longest symbol of `symbols` stays as it is; elsewhere the longest key of the map becomes its
    value, and of what is in no key, a character stays and a byte that is not UTF-8 becomes U+FFFD. Here a text ends
    where an added token is found in it, and another begins behind.

    Args:
        charsmap: the map as `precompiled_charsmap` of a model file holds it: the length of a double array in bytes, the
            array, and the values with a zero behind each. Empty for none.
        add_dummy_prefix: a blank is put before a text that is not empty.
        remove_extra_whitespaces: blanks at the edges are taken away, and of several side by side one is left.
        escape_whitespaces: blanks are written U+2581.
        treat_whitespace_as_suffix: the blank of `add_dummy_prefix` is put behind the text.
        symbols: user-defined symbols, which the map does not change.
    Raises: SpecError for what is no such map by its lengths. One that points out of itself is refused by the core.

    >>> rules = SentencepieceRules(add_dummy_prefix=True, remove_extra_whitespaces=False)
    >>> rules.escape_whitespaces, rules.charsmap
    (True, b'')
    """

    KEYS: ClassVar[frozenset[str]] = frozenset({"charsmap", "symbols", *_FLAGS})

    charsmap: bytes = field(default=b"", repr=False)
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False
    symbols: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_charsmap(self.charsmap)
        for flag in _FLAGS:
            if type(getattr(self, flag)) is not bool:
                raise SpecError(
                    f"normalizer, sentencepiece: {flag} is {quoted(getattr(self, flag))}. Use True or False."
                )
        object.__setattr__(self, "symbols", checked_texts(self.symbols, part="normalizer, sentencepiece, symbols"))

    @classmethod
    def from_config(cls, value: Mapping[str, Any]) -> "SentencepieceRules":
        """The inverse of `config`, for an object with its keys. Raises: SpecError for values of another kind."""
        charsmap = decoded_charsmap(value["charsmap"])
        rules = cls(charsmap, symbols=value["symbols"], **{flag: value[flag] for flag in _FLAGS})
        if rules.config() != value:
            raise SpecError(_NOT_CANONICAL)
        return rules

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        flags = {flag: getattr(self, flag) for flag in _FLAGS}
        charsmap = b64encode(self.charsmap).decode("ascii")
        return {"type": "sentencepiece", "charsmap": charsmap, "symbols": list(self.symbols)} | flags


@dataclass(frozen=True, slots=True)
class Precompiled:
    """The map of a SentencePiece file as `tokenizers` applies it, by clusters of characters.

    A cluster of less than six bytes that begins with a key becomes the value of the shortest one, as a whole; of other
    clusters each character that begins with a key does. SentencePiece itself takes the longest key from any place on.

    Args:
        charsmap: see `SentencepieceRules`.
    """

    charsmap: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if self.charsmap == b"":
            raise SpecError("normalizer, precompiled: charsmap is empty, which changes nothing. Leave the step out.")
        _check_charsmap(self.charsmap)

    @classmethod
    def from_config(cls, value: Mapping[str, Any]) -> "Precompiled":
        """The inverse of `config`. Raises: SpecError for what is no canonical base64."""
        step = cls(decoded_charsmap(value["charsmap"]))
        if step.config() != value:
            raise SpecError(_NOT_CANONICAL)
        return step

    def config(self) -> dict[str, Any]:
        """The step as JSON holds it."""
        return {"type": "precompiled", "charsmap": b64encode(self.charsmap).decode("ascii")}


def decoded_charsmap(letters: object) -> bytes:
    """A map from base64. Raises: SpecError for what is none."""
    try:
        return b64decode(letters, validate=True)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise SpecError("normalizer: charsmap is no base64. Restore the file.") from None


def _check_charsmap(charsmap: object) -> None:
    part, remedy = "normalizer, charsmap", "Restore the file, or pass b'' for no map"
    if not isinstance(charsmap, bytes):
        raise SpecError(f"{part}: it is of type {type(charsmap).__name__}. Pass bytes.")
    if not charsmap:
        return
    n_trie_bytes = int.from_bytes(charsmap[:_SIZE_BYTES], "little")
    if not 0 < n_trie_bytes < len(charsmap) - _SIZE_BYTES or n_trie_bytes % _UNIT_BYTES:
        held = counted(max(len(charsmap) - _SIZE_BYTES, 0), "byte")
        raise SpecError(f"{part}: a double array of {n_trie_bytes} bytes does not fit in {held}. {remedy}.")
    if charsmap[-1] != 0:
        raise SpecError(f"{part}: its last value has no end. {remedy}.")
    try:
        charsmap[_SIZE_BYTES + n_trie_bytes :].decode()
    except UnicodeDecodeError as error:
        at = _SIZE_BYTES + n_trie_bytes + error.start
        raise SpecError(f"{part}: byte {at} is in a value that is not UTF-8. {remedy}.") from None
