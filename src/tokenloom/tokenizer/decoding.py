"""Ids to text: at once, with the place of each token, and while the ids come.

Characters may be split over tokens. So bytes are joined before they become text, and a stream holds back the bytes of a
character that is not whole: never more than three.
"""

import codecs
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Protocol

from tokenloom import _core
from tokenloom.errors import DecodeError
from tokenloom.tokenizer.options import check_token
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    from tokenloom.spec import DecoderStep
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["DecodeStream", "check_ids", "decode_bytes", "decode_with_offsets", "decoded_parts", "id_of"]


class DecodeStream:
    """Text of ids that come a few at a time, as a server sends it: all parts together are `decode` of all ids.

    Where `spec.decoder` has steps, tokens for single bytes are held back until another one follows, and with steps of
    which the result is not sure before the end, such as replacing a pattern in the whole text, everything is.

    Args:
        tokenizer: what the ids are of.
        errors: what becomes of bytes that are no UTF-8, as in `bytes.decode`; "strict" raises UnicodeDecodeError.

    >>> from tokenloom import train
    >>> tokenizer = train(["🚀"], 256, pattern=None)
    >>> stream = DecodeStream(tokenizer)
    >>> ids = tokenizer.encode("to the 🚀!")
    >>> stream.push(ids[:9]), stream.push(ids[9:10]), stream.push(ids[10:]), stream.finish()
    ('to the ', '', '🚀!', '')
    """

    __slots__ = ("_core", "_n_ids", "_parts")

    def __init__(self, tokenizer: "Tokenizer", *, errors: str = "replace") -> None:
        if not hasattr(tokenizer, "_core"):
            what = f"is of type {type(tokenizer).__name__}, not a Tokenizer"
            raise TypeError(f"tokenizer {quoted(tokenizer)}: {what}. Pass what Tokenizer.load gives.")
        codecs.lookup_error(errors)
        self._core = tokenizer._core
        steps = tokenizer.spec.decoder.steps
        self._parts: _Parts = _ByteParts(errors) if steps is None else _step_parts(self._core, steps)
        self._n_ids = 0

    def push(self, ids: Iterable[int]) -> str:
        """The text that is sure after these ids, perhaps empty: all but the start of a character that is not whole.

        Raises: DecodeError with the position, counted from the first id of the stream, for an id without a token. The
            stream is then as before the call.
        """
        known = ids if isinstance(ids, Sized) else list(check_ids(ids))
        data = decode_bytes(self._core, known, n_before=self._n_ids)
        self._n_ids += len(known)
        return self._parts.push(known, data)

    def finish(self) -> str:
        """The text of what is held back, empty if the last character is whole. The stream is then as new."""
        self._n_ids = 0
        return self._parts.finish()

    def __copy__(self) -> "DecodeStream":
        """A stream that goes on by itself from here, as for several continuations of one text."""
        stream = object.__new__(DecodeStream)
        stream._core, stream._parts, stream._n_ids = self._core, self._parts.copied(), self._n_ids
        return stream

    def __deepcopy__(self, _memo: object) -> "DecodeStream":
        return self.__copy__()


class _Parts(Protocol):
    """What holds text back that is not sure."""

    def push(self, ids: Iterable[int], data: bytes, /) -> str: ...

    def finish(self) -> str: ...

    def copied(self) -> "_Parts": ...


def _step_parts(core: _core.Pipeline, steps: "Sequence[DecoderStep]") -> _Parts:
    from tokenloom.tokenizer.decoding_steps import (
        StepParts,
    )  # all steps take long to import, and few tokenizers have any

    return StepParts(core, steps)


class _ByteParts:
    """The bytes of tokens are text: held back is the start of a character."""

    def __init__(self, errors: str) -> None:
        self._errors = errors
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def push(self, _ids: Iterable[int], data: bytes) -> str:
        return self._decoder.decode(data)

    def finish(self) -> str:
        text = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return text

    def copied(self) -> "_ByteParts":
        parts = _ByteParts(self._errors)
        parts._decoder.setstate(self._decoder.getstate())
        return parts


def decoded_parts(stream: DecodeStream, ids: Iterator[int]) -> Iterator[str]:
    """The text of a stream of ids, part by part; none is empty."""
    for token_id in ids:
        if part := stream.push([token_id]):
            yield part
    if part := stream.finish():
        yield part


def decode_bytes(core: _core.Pipeline, ids: Iterable[int], *, n_before: int = 0) -> bytes:
    """The bytes of a sequence of ids; errors count positions from `n_before` on."""
    try:
        return core.decode_bytes(ids, n_before)
    except TypeError:
        check_ids(ids)
        raise


def decode_with_offsets(core: _core.Pipeline, ids: Iterable[int]) -> tuple[str, list[int]]:
    """The text of a sequence of ids, and the character in which each token begins."""
    _check_by_bytes(core)
    try:
        data, starts = core.decode_with_offsets(ids)
    except TypeError:
        check_ids(ids)
        raise
    return data.decode("utf-8", "replace"), starts


def id_of(core: _core.Pipeline, token: bytes) -> int:
    """The id of a token."""
    token_id = core.id_of(check_token(token))
    if token_id is None:
        size = counted(core.size, "id")
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
