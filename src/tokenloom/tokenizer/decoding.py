"""Ids to text: at once, with the place of each token, and while the ids come.

Characters may be split over tokens. So bytes are joined before they become text, and a stream holds back the bytes of a
character that is not whole: never more than three. Where steps make text of tokens the core holds back what each of
them cannot give yet (`decode_stream.rs`).
"""

import codecs
from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING

from tokenloom import _core
from tokenloom.errors import DecodeError
from tokenloom.tokenizer.options import check_token
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["DecodeStream", "Decoder", "check_ids", "decode_bytes", "decode_iterable", "decode_with_offsets", "id_of"]


class Decoder:
    """Text of ids that come a few at a time, as a server sends it: all parts together are `decode` of all ids.

    Nothing comes out that a later id could change: of bytes the start of a character is held back, at most three bytes.
    Where `spec.decoder` has steps, each gives on what is sure. A run of tokens for bytes is read as a whole, and waits
    for the token behind it; a mark of word ends for the next token; a text that is replaced in what is one string by
    then for as many characters as the text has. A regular expression that is replaced behind `DecodeFuse`, `DecodeJoin`
    or `DecodeByteLevel`, and `DecodeByteLevel` behind the first two, wait for the end.

    Args:
        tokenizer: what the ids are of.
        errors: what becomes of bytes that are no UTF-8, as in `bytes.decode`; "strict" raises UnicodeDecodeError.
        prompt: ids that come before. Their text is not given again, but for the character that they leave unfinished,
            and whatever else is not sure before the first id behind them.

    >>> from tokenloom import train
    >>> tokenizer = train(["🚀"], 256, pattern=None)
    >>> decoder = Decoder(tokenizer)
    >>> ids = tokenizer.encode("to the 🚀!")
    >>> decoder.push(ids[:9]), decoder.push(ids[9:10]), decoder.push(ids[10:]), decoder.finish()
    ('to the ', '', '🚀!', '')
    >>> Decoder(tokenizer, prompt=ids[:9]).push(ids[9:])
    '🚀!'
    """

    __slots__ = ("_core", "_n_ids", "_parts")

    def __init__(self, tokenizer: "Tokenizer", *, errors: str = "replace", prompt: Iterable[int] = ()) -> None:
        if not hasattr(tokenizer, "_core"):
            what = f"is of type {type(tokenizer).__name__}, not a Tokenizer"
            raise TypeError(f"tokenizer {quoted(tokenizer)}: {what}. Pass what Tokenizer.load gives.")
        codecs.lookup_error(errors)
        self._core = tokenizer._core
        by_bytes = self._core.decodes_by_bytes
        self._parts: _ByteParts | _core.DecodeStream = (
            _ByteParts(self._core, errors) if by_bytes else _core.DecodeStream(self._core)
        )
        self._n_ids = 0
        self.push(prompt)
        self._n_ids = 0

    def push(self, ids: Iterable[int]) -> str:
        """The text that is sure after these ids, perhaps empty.

        Raises: DecodeError with the position, counted from the first id behind the prompt, for an id without a token.
            The stream is then as before the call.
        """
        known = ids if isinstance(ids, Sized) and not isinstance(ids, str) else list(check_ids(ids))
        try:
            text = self._parts.push(known, self._n_ids)
        except TypeError:
            check_ids(known)
            raise
        self._n_ids += len(known)
        return text

    def finish(self) -> str:
        """The text of what is held back, empty if the last character is whole. The stream is then as new."""
        self._n_ids = 0
        return self._parts.finish()

    def __copy__(self) -> "Decoder":
        """A stream that goes on by itself from here, as for several continuations of one text."""
        stream = object.__new__(Decoder)
        stream._core, stream._parts, stream._n_ids = self._core, self._parts.copied(), self._n_ids
        return stream

    def __deepcopy__(self, _memo: object) -> "Decoder":
        return self.__copy__()


DecodeStream = Decoder
"""The first name of `Decoder`."""


class _ByteParts:
    """The bytes of tokens are text: held back is the start of a character."""

    def __init__(self, core: _core.Pipeline, errors: str) -> None:
        self._core, self._errors = core, errors
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def push(self, ids: Iterable[int], n_before: int) -> str:
        return self._decoder.decode(self._core.decode_bytes(ids, n_before))

    def finish(self) -> str:
        text = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return text

    def copied(self) -> "_ByteParts":
        parts = _ByteParts(self._core, self._errors)
        parts._decoder.setstate(self._decoder.getstate())
        return parts


def decode_iterable(self: "Tokenizer", ids: Iterable[int], *, errors: str = "replace") -> Iterator[str]:
    """The text of ids that come one by one, in parts that are sure and not empty; see also `Decoder`.

    >>> from tokenloom import train
    >>> list(train(["é"], 256).decode_iterable([104, 195, 169]))
    ['h', 'é']
    """
    return _decoded_parts(Decoder(self, errors=errors), check_ids(ids))


def _decoded_parts(decoder: Decoder, ids: Iterator[int]) -> Iterator[str]:
    for token_id in ids:
        if part := decoder.push([token_id]):
            yield part
    if part := decoder.finish():
        yield part


def decode_bytes(core: _core.Pipeline, ids: Iterable[int]) -> bytes:
    """The bytes of a sequence of ids."""
    try:
        return core.decode_bytes(ids)
    except TypeError:
        check_ids(ids)
        raise


def decode_with_offsets(self: "Tokenizer", ids: Iterable[int]) -> tuple[str, list[int]]:
    """The text of a sequence of ids, and the character of it in which each token begins.

    Bytes that are no UTF-8 become U+FFFD; else as in `tiktoken`. Raises: DecodeError if `spec.decoder` has steps.

    >>> from tokenloom import train
    >>> train(["👍"], 258).decode_with_offsets([240, 159, 145, 141, 97])
    ('👍a', [0, 0, 0, 0, 1])
    """
    _check_by_bytes(self._core)
    try:
        data, starts = self._core.decode_with_offsets(ids)
    except TypeError:
        check_ids(ids)
        raise
    return data.decode("utf-8", "replace"), starts


def id_of(self: "Tokenizer", token: bytes) -> int:
    """The id of a token, special tokens included. Raises: DecodeError if there is no such token."""
    token_id = self._core.id_of(check_token(token))
    if token_id is None:
        size = counted(self._core.size, "id")
        raise DecodeError(f"token {quoted(token)} is not in the vocabulary of {size}. Encode it to see its parts.")
    return token_id


def check_ids(ids: Iterable[int]) -> Iterator[int]:
    """Ids one by one; refuses what is no sequence of ids.

    >>> list(check_ids([1, 2]))
    [1, 2]
    """
    try:
        if not isinstance(ids, (str, bytes, bytearray)):
            return iter(ids)
    except TypeError:  # also an array without a dimension, which has the method
        pass
    what = f"is of type {type(ids).__name__}, not a sequence of ids"
    raise DecodeError(f"ids {quoted(ids)}: {what}. Pass a list, for one id [id].")


def _check_by_bytes(core: _core.Pipeline) -> None:
    """Places of tokens rest on their bytes."""
    if not core.decodes_by_bytes:
        raise DecodeError(
            "tokenizer: its decoder changes the text, so tokens have no place in it. Use Tokenizer.decode."
        )
