"""Truncation and padding as `tokenizers` does them behind an encoding: its settings, and what they do to encodings.

Source: `utils/truncation.rs` and `utils/padding.rs` of huggingface/tokenizers 0.23.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tokenloom.tokenizer.hf_encoding import HfEncoding, check_direction

__all__ = ["Padding", "Truncation"]

_STRATEGIES: Final = {"longest_first": "LongestFirst", "only_first": "OnlyFirst", "only_second": "OnlySecond"}
_FIXED: Final = "Fixed"


@dataclass(frozen=True, slots=True)
class Truncation:
    """How long an encoding may become.

    >>> settings = Truncation(8, 2, "only_first", "right").settings()
    >>> settings, Truncation.of(settings) == Truncation(8, 2, "only_first", "right")
    ({'direction': 'Right', 'max_length': 8, 'strategy': 'OnlyFirst', 'stride': 2}, True)
    """

    max_length: int
    stride: int
    strategy: str
    direction: str

    def __post_init__(self) -> None:
        _check_numbers(max_length=self.max_length, stride=self.stride)
        check_direction(self.direction)
        if self.strategy not in _STRATEGIES:
            known = ", ".join(map(repr, _STRATEGIES))
            raise ValueError(f"strategy {self.strategy!r}: is unknown. Use one of {known}.")

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Truncation":
        """Of what a file has."""
        names = {written: name for name, written in _STRATEGIES.items()}
        strategy, direction = names[settings["strategy"]], settings["direction"].lower()
        return cls(settings["max_length"], settings["stride"], strategy, direction)

    def settings(self) -> dict[str, Any]:
        """What a file has."""
        direction, strategy = self.direction.capitalize(), _STRATEGIES[self.strategy]
        return {"direction": direction, "max_length": self.max_length, "strategy": strategy, "stride": self.stride}

    def shown(self) -> dict[str, Any]:
        """What the library shows."""
        names = ("max_length", "stride", "strategy", "direction")
        return {name: getattr(self, name) for name in names}

    def check(self, n_added: int) -> None:
        """Refuse a stride that does not fit between so many ids around a text."""
        room = self.max_length - n_added
        if 0 <= room < self.stride:
            raise ValueError(
                f"stride {self.stride}: is more than the {room} that max_length {self.max_length} leaves beside "
                f"{n_added} ids around the text. Use a smaller stride, or a greater max_length."
            )

    def apply(self, encodings: Sequence[HfEncoding], n_added: int) -> None:
        """Cut one encoding or two in place, of which so many ids more will be put around.

        Where `max_length` is less than that, nothing is cut, as in the library.
        """
        room = self.max_length - n_added
        lengths = [len(encoding) for encoding in encodings]
        if room < 0 or (room > 0 and sum(lengths) <= room):
            return
        if room == 0:
            wanted = [0] * len(lengths)
        elif self.strategy == "longest_first":
            wanted = [room] if len(lengths) == 1 else _shares(lengths, room)
        else:
            wanted = self._one_cut(lengths, sum(lengths) - room)
        for encoding, length in zip(encodings, wanted, strict=True):
            encoding.truncate(length, self.stride, self.direction)

    def _one_cut(self, lengths: list[int], n_over: int) -> list[int]:
        place = 0 if self.strategy == "only_first" else 1
        if place >= len(lengths):
            raise ValueError("strategy 'only_second': there is no second text. Pass a pair, or use another strategy.")
        if lengths[place] <= n_over:
            raise ValueError(
                f"strategy {self.strategy!r}: {n_over} ids are too many, and that text has {lengths[place]}. "
                "Use 'longest_first', or a greater max_length."
            )
        return [length - n_over if at == place else length for at, length in enumerate(lengths)]


@dataclass(frozen=True, slots=True)
class Padding:
    """How short an encoding may be.

    >>> padding = Padding("right", 0, 0, "[PAD]", None, 8)
    >>> padding.length_of([HfEncoding([1, 2, 3])])
    8
    """

    direction: str
    pad_id: int
    pad_type_id: int
    pad_token: str
    length: int | None
    pad_to_multiple_of: int | None

    def __post_init__(self) -> None:
        check_direction(self.direction)
        _check_numbers(pad_id=self.pad_id, pad_type_id=self.pad_type_id)
        _check_numbers(length=self.length or 0, pad_to_multiple_of=self.pad_to_multiple_of or 0)

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "Padding":
        """Of what a file has."""
        strategy = settings["strategy"]
        length = strategy[_FIXED] if isinstance(strategy, Mapping) else None
        names = ("pad_id", "pad_type_id", "pad_token")
        named = {name: settings[name] for name in names}
        multiple = settings["pad_to_multiple_of"]
        return cls(settings["direction"].lower(), **named, length=length, pad_to_multiple_of=multiple)

    def settings(self) -> dict[str, Any]:
        """What a file has."""
        return {
            "strategy": "BatchLongest" if self.length is None else {_FIXED: self.length},
            "direction": self.direction.capitalize(),
            "pad_to_multiple_of": self.pad_to_multiple_of,
            "pad_id": self.pad_id,
            "pad_type_id": self.pad_type_id,
            "pad_token": self.pad_token,
        }

    def shown(self) -> dict[str, Any]:
        """What the library shows."""
        names = ("length", "pad_to_multiple_of", "pad_id", "pad_token", "pad_type_id", "direction")
        return {name: getattr(self, name) for name in names}

    def length_of(self, encodings: Sequence[HfEncoding]) -> int:
        """The length of all encodings of a batch."""
        length = max(map(len, encodings), default=0) if self.length is None else self.length
        multiple = self.pad_to_multiple_of or 1
        return -(-length // multiple) * multiple

    def apply(self, encodings: Sequence[HfEncoding]) -> None:
        """Fill all encodings of a batch up in place."""
        length = self.length_of(encodings)
        for encoding in encodings:
            encoding.pad(length, self.direction, self.pad_id, self.pad_type_id, self.pad_token)


def _shares(lengths: list[int], room: int) -> list[int]:
    """What is left of two texts that are too long together: the longer one is cut first, and both to halves then.

    >>> _shares([8, 2], 7), _shares([8, 9], 7)
    ([5, 2], [3, 4])
    """
    shorter = min(lengths)
    longer = shorter if shorter > room else max(shorter, room - shorter)
    if shorter + longer > room:
        shorter = room // 2
        longer = shorter + room % 2
    return [longer, shorter] if lengths[0] > lengths[1] else [shorter, longer]


def _check_numbers(**numbers: int) -> None:
    for setting, number in numbers.items():
        if type(number) is not int or number < 0:
            raise ValueError(f"{setting} {number!r}: is no whole number. Use one from 0 on.")
