"""Text of ids that come a few at a time, where steps make text of tokens."""

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
    DecodeReplace,
    DecoderStep,
)

__all__ = ["StepParts"]

_BYTE_TOKEN: Final = re.compile(rb"<0x..>", re.DOTALL)


class StepParts:
    """Steps make text of tokens. They work on single tokens, on runs of tokens for bytes, and at the start of the text.

    So the text behind a token depends on no token before it, once that token has text of its own: ids are decoded again
    from it on, and what it gives alone is cut off.
    """

    def __init__(self, core: _core.Pipeline, steps: Sequence[DecoderStep]) -> None:
        self._core = core
        self._is_sure = _is_sure(steps)
        self._holds_bytes = any(isinstance(step, DecodeByteFallback) for step in steps)
        self._holds_unread = any(isinstance(step, DecodeByteLevel) for step in steps)
        self._shown: list[int] = []
        self._held: list[int] = []

    def push(self, ids: Iterable[int], _data: bytes) -> str:
        """The text that is sure after these ids."""
        self._held += ids
        end = len(self._held) if self._is_sure else 0
        while self._holds_bytes and end and _BYTE_TOKEN.fullmatch(self._core.token_bytes([self._held[end - 1]])):
            end -= 1
        if not end:
            return ""
        text, n_shown = self._text(self._held[:end])
        if self._holds_unread and text.endswith("\ufffd"):
            return ""
        self._shown += self._held[:end]
        del self._held[:end]
        last = self._shown[-1:]
        if self._core.decode_bytes(last):
            self._shown = last
        return text[n_shown:]

    def finish(self) -> str:
        """The text of what is held back."""
        text, n_shown = self._text(self._held)
        self._shown, self._held = [], []
        return text[n_shown:]

    def _text(self, ids: list[int]) -> tuple[str, int]:
        """The text from the token on that is kept, and how much of it is out."""
        shown = self._core.decode_bytes(self._shown).decode()
        return self._core.decode_bytes(self._shown + ids).decode(), len(shown)


def _is_sure(steps: Sequence[DecoderStep]) -> bool:
    """Whether no step looks over the border of two tokens for anything but bytes, and none changes which those are."""
    kinds = [type(step) for step in steps]
    before = steps[: kinds.index(DecodeByteFallback)] if DecodeByteFallback in kinds else ()
    if any(not isinstance(step, DecodeReplace) or (step.text or "<") in "<0x>ABCDEFabcdef123456789" for step in before):
        return False
    joins = [place for place, step in enumerate(steps) if isinstance(step, DecodeFuse | DecodeJoin | DecodeByteLevel)]
    behind = steps[joins[0] :] if joins else ()
    return not any(isinstance(step, DecodeEndOfWord) for step in steps) and not any(
        isinstance(step, DecodeReplace) and len(step.text or "") != 1 for step in behind
    )
