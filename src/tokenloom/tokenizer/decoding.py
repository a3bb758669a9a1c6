"""Ids to text: at once, with the place of each token, and while the ids come.

Characters may be split over tokens. So bytes are joined before they become text, and a stream holds back the bytes of a
character that is not whole: never more than three.
"""

import codecs
from collections.abc import Iterable, Iterator, Sized
from typing import TYPE_CHECKING

from tokenloom import _core
from tokenloom.errors import DecodeError
from tokenloom.tokenizer.options import check_token
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["DecodeStream", "check_ids", "decode_bytes", "decode_with_offsets", "decoded_parts", "id_of"]


class DecodeStream:
    """Text of ids that come a few at a time, as a server sends it: all parts together are `decode` of all ids.

    Args:
        tokenizer: what the ids are of.
        errors: what becomes of bytes that are no UTF-8, as in `bytes.decode`; "strict" raises UnicodeDecodeError.
    Raises: DecodeError for a tokenizer of which the decoder does not go byte by byte.

    >>> from tokenloom import train
    >>> tokenizer = train(["🚀"], 256, pattern=None)
    >>> stream = DecodeStream(tokenizer)
    >>> ids = tokenizer.encode("to the 🚀!")
    >>> stream.push(ids[:9]), stream.push(ids[9:10]), stream.push(ids[10:]), stream.finish()
    ('to the ', '', '🚀!', '')
    """

    __slots__ = ("_core", "_decoder", "_n_ids")

    def __init__(self, tokenizer: "Tokenizer", *, errors: str = "replace") -> None:
        self._core = tokenizer._core
        _check_by_bytes(self._core)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)
        self._n_ids = 0

    def push(self, ids: Iterable[int]) -> str:
        """The text that is sure after these ids, perhaps empty: all but the start of a character that is not whole.

        Raises: DecodeError with the position, counted from the first id of the stream, for an id without a token. The
            stream is then as before the call.
        """
        known = ids if isinstance(ids, Sized) else list(check_ids(ids))
        text = self._decoder.decode(decode_bytes(self._core, known, n_before=self._n_ids))
        self._n_ids += len(known)
        return text

    def finish(self) -> str:
        """The text of what is held back, empty if the last character is whole. The stream is then as new."""
        text = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        self._n_ids = 0
        return text


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
        raise DecodeError(f"token {token!r} is not in the vocabulary of {size}. Encode it to see its parts.")
    return token_id


def check_ids(ids: Iterable[int]) -> Iterator[int]:
    """Ids one by one; refuses what is no sequence of ids.

    >>> list(check_ids([1, 2]))
    [1, 2]
    """
    if not hasattr(ids, "__iter__") or isinstance(ids, str):
        what = f"is of type {type(ids).__name__}, not a sequence of ids"
        raise DecodeError(f"ids {ids!r}: {what}. Pass a list, for one id [id].")
    return iter(ids)


def _check_by_bytes(core: _core.Pipeline) -> None:
    """The seam for decoders that change the text: streams and offsets rest on the bytes of tokens."""
    if not core.decodes_by_bytes:
        raise DecodeError("tokenizer: its decoder changes the text, so parts of it are not sure. Use Tokenizer.decode.")
