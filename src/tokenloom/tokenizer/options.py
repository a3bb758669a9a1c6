"""How a tokenizer is run: the options that decide no id of ordinary text, checked once for every way to make one."""

import os
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar, get_args

from tokenloom import _core
from tokenloom.errors import CorpusError, DecodeError, EncodeError, SpecError, TokenloomError
from tokenloom.wording import quoted

if TYPE_CHECKING:
    from tokenloom.spec import TokenizerSpec

__all__ = [
    "DEFAULT_CACHE_BYTES",
    "FileCompression",
    "RunOptions",
    "SpecialText",
    "Surrogates",
    "check_choice",
    "check_path",
    "check_progress",
    "check_texts",
    "check_threads",
    "check_token",
]

SpecialText = Literal["refuse", "parse", "plain"]
Surrogates = Literal["refuse", "replace"]
FileCompression = Literal["auto", "none", "gzip", "zstd", "xz", "bzip2"]
Special: TypeAlias = Literal["all"] | Iterable[str] | None
PathLike: TypeAlias = str | os.PathLike[str]
Text: TypeAlias = str | bytes | bytearray | memoryview
Around: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""The ids that a postprocessor puts before and behind those of a text."""

_T = TypeVar("_T")

DEFAULT_CACHE_BYTES: Final = 16 << 20
"""Sixteen MiB remember the 200,000 words of a large corpus, long pieces, and the words of a second thread."""

_MOST_CACHE_BYTES: Final = 2**32
_MOST_THREADS: Final = 2**16
"""More than any machine has; a larger number is a mistake."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What `Tokenizer` takes beside its description.

    Args:
        special_text: what a special token in a text means when a call does not say.
        surrogates: what a lone surrogate in a text means.
        cache_bytes: memory for words already seen, of all threads together; 0 remembers none. See `Tokenizer`.
    Raises: SpecError for a value that is not among those known.
    """

    special_text: SpecialText = "refuse"
    surrogates: Surrogates = "refuse"
    cache_bytes: int = DEFAULT_CACHE_BYTES

    def __post_init__(self) -> None:
        check_choice("special_text", self.special_text, get_args(SpecialText), SpecError)
        check_choice("surrogates", self.surrogates, get_args(Surrogates), SpecError)
        if type(self.cache_bytes) is not int or not 0 <= self.cache_bytes <= _MOST_CACHE_BYTES:
            raise SpecError(
                f"cache_bytes {self.cache_bytes!r}: must be a whole number from 0 to {_MOST_CACHE_BYTES:,}. "
                f"Leave it out for {DEFAULT_CACHE_BYTES:,}, or pass 0 to remember nothing."
            )

    def pipeline(self, spec: "TokenizerSpec") -> _core.Pipeline:
        """The core of a tokenizer that runs with these options."""
        return _core.Pipeline(
            spec.config_json(),
            spec.arrays,
            special_text=self.special_text,
            surrogates=self.surrogates,
            cache_bytes=self.cache_bytes,
        )


def check_choice(option: str, value: object, known: tuple[object, ...], error: type[TokenloomError]) -> None:
    """Refuse an option that has none of its values.

    >>> check_choice("surrogates", "refuse", ("refuse", "replace"), SpecError)
    """
    if value not in known:
        raise error(f"{option} {quoted(value)}: is unknown. Use one of {', '.join(map(repr, known))}.")


def check_threads(n_threads: int | None, error: type[TokenloomError]) -> None:
    """Refuse a number of threads that no machine can use; None stands for one a core.

    >>> check_threads(2, SpecError)
    """
    if n_threads is not None and (type(n_threads) is not int or not 1 <= n_threads <= _MOST_THREADS):
        raise error(
            f"n_threads {n_threads!r}: must be a whole number from 1 to {_MOST_THREADS:,}. Leave it out for one a core."
        )


def check_progress(progress: Callable[[int], object] | None) -> None:
    """Refuse what cannot be called, before work begins that calls it only if it takes long.

    >>> check_progress(print)
    """
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress {quoted(progress)}: is of type {type(progress).__name__}, not a function. "
            "Pass one that takes the number of bytes that are done."
        )


def check_path(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """A path as the system takes it; refuses what is none.

    >>> check_path(b"corpus.txt")
    'corpus.txt'
    """
    try:
        name = os.fsdecode(path)
    except TypeError as error:
        what = f"is of type {type(path).__name__}, not a path"
        raise TypeError(f"path {quoted(path)}: {what}. Pass the name of a file or a folder as str or Path.") from error
    if not name:
        raise CorpusError("path '': is empty. Pass the name of a file or a folder.")
    return name if isinstance(path, bytes) else path


def check_texts(texts: Iterable[_T]) -> Iterator[_T]:
    """Many texts, one after the other; refuses what would be iterated by mistake, or cannot be.

    >>> list(check_texts(["a", "b"]))
    ['a', 'b']
    """
    if isinstance(texts, (str, bytes, bytearray, memoryview, Mapping)):
        raise EncodeError(
            f"texts {reprlib.repr(texts)}: is one {type(texts).__name__}, not many texts. "
            "Pass a list of texts, or an open file."
        )
    try:
        return iter(texts)
    except TypeError as error:
        raise EncodeError(
            f"texts {reprlib.repr(texts)}: is of type {type(texts).__name__}, not many texts. "
            "Pass a list of texts, or an open file."
        ) from error


def check_token(token: bytes) -> bytes:
    """Token bytes; refuses the text that they may be.

    >>> check_token("a")
    Traceback (most recent call last):
    tokenloom.errors.DecodeError: token 'a': is of type str, not bytes. Pass the bytes of the token, of a text \
text.encode().
    """
    if not isinstance(token, bytes):
        what = f"is of type {type(token).__name__}, not bytes"
        raise DecodeError(f"token {quoted(token)}: {what}. Pass the bytes of the token, of a text text.encode().")
    return token
