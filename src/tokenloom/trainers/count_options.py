"""How a text is cut and counted: what must be equal where counts are added."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Normalizer, Pretokenizer, special_contents
from tokenloom.spec.config import parse_normalizer, parse_pretokenizer, render_normalizer, render_pretokenizer
from tokenloom.tokenizer import check_threads

__all__ = ["MOST_COUNTED", "CountOptions"]

MOST_COUNTED: Final = 2**64 - 1
"""The largest number that the core counts with."""
_LIMITS: Final = (4, 65_536)
"""The least and the largest `max_pretoken_bytes`."""


@dataclass(frozen=True, slots=True)
class CountOptions:
    """What decides the counts of a text.

    Args:
        pretokenizer: how text is cut.
        special_tokens: cut the text wherever they stand, leftmost, then longest, and are not counted.
        max_pretoken_bytes: longer pretokens are cut into parts of at most so many bytes, between characters; None cuts
            none. Tokens that would span a cut are not learned. The pattern sees 2,048 bytes before a pretoken and as
            many behind the longest one, and no more text is held, so a document without any end of a pretoken may be
            larger than memory. At most 65,536: the time for long numbers with the pattern `digits3_right`, and for
            custom patterns, grows with it. See `tokenloom.lessons.counting.limited_pretokens`.
        has_positions: keep where each pretoken occurs first, which the tie rule `"first-seen"` needs.
        normalizer: changes the text between special tokens before it is cut. Places in changed text are none of the
            corpus, so it goes with no positions. A document is then held from the last place where cutting changes
            nothing on, whatever the limit.
    Raises: TrainingError for a limit out of its range, or a normalizer with positions; SpecialTokenError for an
        empty or double special token.

    >>> CountOptions(Pretokenizer("gpt2"), ["<|end|>"]).values()["special_tokens"]
    ['<|end|>']
    """

    pretokenizer: Pretokenizer
    special_tokens: Sequence[str] = ()
    max_pretoken_bytes: int | None = None
    has_positions: bool = False
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", special_contents(self.special_tokens))
        limit = self.max_pretoken_bytes
        least, most = _LIMITS
        if limit is not None and (type(limit) is not int or not least <= limit <= most):
            raise TrainingError(
                f"max_pretoken_bytes {limit!r}: must be a whole number from {least}, the bytes of the longest "
                f"character, to {most:,}. Use one, or None to cut no pretoken."
            )
        if type(self.has_positions) is not bool:
            raise TrainingError(f"has_positions {self.has_positions!r}: is neither True nor False. Use one of them.")
        if self.normalizer is not None and self.has_positions:
            raise TrainingError(
                "first positions: a normalizer changes the text, and places in that are none of the corpus. Leave out "
                "the normalizer or the positions, which only the tie rule 'first-seen' needs."
            )

    def counter(self, *, n_threads: int | None) -> _core.PretokenCounter:
        """A counter of such pretokens.

        Raises: TrainingError for an impossible number of threads, or a pretokenizer that is a chain of several.
        """
        check_threads(n_threads, TrainingError)
        if self.pretokenizer.type == "sequence":
            raise TrainingError(
                f"pattern {self.pretokenizer!r}: is a chain, and text is counted by one pattern. Choose one, or a "
                "tokenizer that has one; words that were counted elsewhere are trained on as they stand."
            )
        return _core.PretokenCounter(
            render_pretokenizer(self.pretokenizer),
            list(self.special_tokens),
            n_threads=n_threads,
            max_pretoken_bytes=self.max_pretoken_bytes,
            normalizer_json=None if self.normalizer is None else render_normalizer(self.normalizer),
        )

    def values(self) -> dict[str, Any]:
        """The options as JSON values."""
        return {
            "pretokenizer": json.loads(render_pretokenizer(self.pretokenizer)),
            "special_tokens": list(self.special_tokens),
            "max_pretoken_bytes": self.max_pretoken_bytes,
            "has_positions": self.has_positions,
            "normalizer": None if self.normalizer is None else self.normalizer.config(),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "CountOptions":
        """The inverse of `values`; other keys are passed over. Raises: KeyError, TypeError or a TokenloomError."""
        return cls(
            parse_pretokenizer(json.dumps(values["pretokenizer"])),
            values["special_tokens"],
            values["max_pretoken_bytes"],
            values["has_positions"],
            parse_normalizer(json.dumps(values.get("normalizer"))),
        )
