"""Ids to text: at once, with the place of each token, and while the ids come.

Characters may be split over tokens. So bytes are joined before they become text, and a stream holds back the bytes of a
character that is not whole: never more than three.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import TYPE_CHECKING, Final

from tokenloom import _core
from tokenloom.errors import DecodeError
from tokenloom.spec import (
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    DecodeMetaspace,
    DecodeReplace,
    DecoderStep,
    DecodeStrip,
)
from tokenloom.tokenizer.options import check_token
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["DecodeStream", "check_ids", "decode_bytes", "decode_with_offsets", "decoded_parts", "id_of"]

_BYTE_TOKEN: Final = re.compile(rb"<0x..>", re.DOTALL)
_IN_BYTE_TOKENS: Final = frozenset("<0x>123456789ABCDEFabcdef+")
"""Also the sign, which `DecodeByteFallback` reads as a digit."""


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
        self._core = tokenizer._core
        steps = tokenizer.spec.decoder.steps
        self._parts = _ByteParts(errors) if steps is None else _StepParts(self._core, steps)
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


class _ByteParts:
    """The bytes of tokens are text: held back is the start of a character."""

    def __init__(self, errors: str) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors)

    def push(self, _ids: Iterable[int], data: bytes) -> str:
        return self._decoder.decode(data)

    def finish(self) -> str:
        text = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return text


class _StepParts:
    """Steps make text of tokens. They work on single tokens, on runs of tokens for bytes, and at the edges of the text.

    So the text behind some tokens depends on no token before them, once they have text of their own: ids are decoded
    again from these on, and what they give alone is cut off.
    """

    def __init__(self, core: _core.Pipeline, steps: Sequence[DecoderStep]) -> None:
        self._core = core
        self._is_sure = _is_sure(steps)
        self._holds_bytes = any(isinstance(step, DecodeByteFallback) for step in steps)
        self._holds_unread = any(isinstance(step, DecodeByteLevel) for step in steps)
        self._shown: list[int] = []
        self._held: list[int] = []
        self._n_byte_tokens = 0
        """So many of those held, at the end, are tokens for bytes."""

    def push(self, ids: Iterable[int], _data: bytes) -> str:
        self._hold(list(ids))
        end = len(self._held) - self._n_byte_tokens if self._is_sure else 0
        if not end:
            return ""
        text, n_shown = self._text(self._held[:end])
        if self._holds_unread and text.endswith("\ufffd"):
            return ""
        self._shown = self._with_text([*self._shown, *self._held[:end]])
        del self._held[:end]
        return text[n_shown:]

    def finish(self) -> str:
        text, n_shown = self._text(self._held)
        self._shown, self._held, self._n_byte_tokens = [], [], 0
        return text[n_shown:]

    def _hold(self, ids: list[int]) -> None:
        self._held += ids
        if self._holds_bytes:
            others = (at for at, token_id in enumerate(reversed(ids)) if not self._is_byte_token(token_id))
            at = next(others, None)
            self._n_byte_tokens = self._n_byte_tokens + len(ids) if at is None else at

    def _is_byte_token(self, token_id: int) -> bool:
        return _BYTE_TOKEN.fullmatch(self._core.token_bytes([token_id])) is not None

    def _with_text(self, ids: list[int]) -> list[int]:
        """The last ids that have text of their own, one if it has; all if none have."""
        n = 1
        while n < len(ids) and not self._core.decode_bytes(ids[-n:]):
            n *= 2
        return ids[-n:]

    def _text(self, ids: list[int]) -> tuple[str, int]:
        """The text from the tokens on that are kept, and how much of it is out."""
        shown = self._core.decode_bytes(self._shown).decode()
        return self._core.decode_bytes(self._shown + ids).decode(), len(shown)


def _is_sure(steps: Sequence[DecoderStep]) -> bool:
    """Whether each token gives its text whatever comes behind it, but for runs of tokens for bytes.

    Not if a step looks over the border of two tokens for more than that, if one before `DecodeByteFallback` may make
    tokens for bytes of others, or if one behind `DecodeByteLevel` looks at U+FFFD, as which half a character is read.
    """
    kinds = [type(step) for step in steps]
    before = steps[: kinds.index(DecodeByteFallback)] if DecodeByteFallback in kinds else ()
    if not all(isinstance(step, DecodeReplace) and set(step.by) - _IN_BYTE_TOKENS for step in before):
        return False
    joins = [place for place, kind in enumerate(kinds) if kind in (DecodeFuse, DecodeJoin, DecodeByteLevel)]
    behind = steps[joins[0] + 1 :] if joins else ()
    if any(isinstance(step, DecodeByteLevel | DecodeReplace) and not _is_of_one_character(step) for step in behind):
        return False
    unread = steps[kinds.index(DecodeByteLevel) :] if DecodeByteLevel in kinds else ()
    return DecodeEndOfWord not in kinds and not any("\ufffd" in _sought(step) for step in unread)


def _is_of_one_character(step: DecoderStep) -> bool:
    return isinstance(step, DecodeReplace) and step.text is not None and len(step.text) == 1


def _sought(step: DecoderStep) -> str:
    """The characters that a step takes away or replaces."""
    if isinstance(step, DecodeMetaspace):
        return step.replacement
    return step.text or "" if isinstance(step, DecodeReplace | DecodeStrip) else ""


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
    if not hasattr(ids, "__iter__") or isinstance(ids, str):
        what = f"is of type {type(ids).__name__}, not a sequence of ids"
        raise DecodeError(f"ids {quoted(ids)}: {what}. Pass a list, for one id [id].")
    return iter(ids)


def _check_by_bytes(core: _core.Pipeline) -> None:
    """Places of tokens rest on their bytes."""
    if not core.decodes_by_bytes:
        raise DecodeError(
            "tokenizer: its decoder changes the text, so tokens have no place in it. Use Tokenizer.decode."
        )
