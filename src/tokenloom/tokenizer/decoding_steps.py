"""Text of ids that come a few at a time, where steps make text of tokens."""

import copy
import re
from collections.abc import Iterable, Sequence
from typing import Final

from tokenloom import _core
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

__all__ = ["StepParts"]

_BYTE_TOKEN: Final = re.compile(rb"<0x..>", re.DOTALL)
_IN_BYTE_TOKENS: Final = frozenset("<0x>123456789ABCDEFabcdef+")
"""Also the sign, which `DecodeByteFallback` reads as a digit."""


class StepParts:
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
        """The text that is sure after these ids."""
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
        """The text of what is held back."""
        text, n_shown = self._text(self._held)
        self._shown, self._held, self._n_byte_tokens = [], [], 0
        return text[n_shown:]

    def copied(self) -> "StepParts":
        """What holds the same back, and goes on by itself."""
        parts = copy.copy(self)
        parts._shown, parts._held = self._shown.copy(), self._held.copy()
        return parts

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
