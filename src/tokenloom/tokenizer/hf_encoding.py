"""What `HfFace.encode` gives: an `Encoding` of the library `tokenizers` in all but its class.

All lists have one entry an id. An encoding of two texts knows which ids are of which; what is cut off by truncation are
encodings too. Source: `tokenizer/encoding.rs` of huggingface/tokenizers 0.23.3, whose results are kept, oddities too.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["COLUMNS", "HfEncoding", "check_direction"]

Span = tuple[int, int]

COLUMNS: Final = (
    *("ids", "type_ids", "tokens", "word_ids"),
    *("offsets", "special_tokens_mask", "attention_mask"),
)
"""The lists of an encoding."""


@dataclass(slots=True, repr=False)
class HfEncoding:
    """Ids with what belongs to each.

    Args:
        ids: the ids.
        type_ids: to which text of a pair a model shall count each: 0 or 1.
        tokens: what `HfFace.id_to_token` gives, but for added tokens the text that was found.
        word_ids: the number of the pretoken in its text, None for ids that are of no text.
        offsets: spans of characters in its text.
        special_tokens_mask: 1 for what was put around texts.
        attention_mask: 0 for what only fills up.
        overflowing: what truncation has cut off.

    >>> encoding = HfEncoding([5, 6], [0, 0], ["a", "b"], [0, 1], [(0, 1), (2, 3)], [0, 0], [1, 1])
    >>> encoding.char_to_token(2), encoding.token_to_chars(0), encoding.word_to_tokens(1)
    (1, (0, 1), (1, 2))
    >>> encoding.pad(3, pad_token="<pad>", pad_id=9)
    >>> encoding.tokens, encoding.attention_mask
    (['a', 'b', '<pad>'], [1, 1, 0])
    """

    ids: list[int] = field(default_factory=list)
    type_ids: list[int] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    word_ids: list[int | None] = field(default_factory=list)
    offsets: list[Span] = field(default_factory=list)
    special_tokens_mask: list[int] = field(default_factory=list)
    attention_mask: list[int] = field(default_factory=list)
    overflowing: "list[HfEncoding]" = field(default_factory=list)
    ranges: dict[int, Span] = field(default_factory=dict)
    """From which id to which each text goes; nothing if there is one text and no other ids."""

    @staticmethod
    def merge(encodings: "Iterable[HfEncoding]", growing_offsets: bool = True) -> "HfEncoding":
        """One encoding of several; with `growing_offsets` spans are counted on from the last one before."""
        merged = HfEncoding()
        for encoding in encodings:
            merged._append(encoding, growing_offsets)
        return merged

    @property
    def n_sequences(self) -> int:
        """The number of texts."""
        return len(self.ranges) or 1

    @property
    def sequence_ids(self) -> list[int | None]:
        """The number of the text of each id, None for those of no text."""
        ids: list[int | None] = [None] * len(self)
        for sequence in range(self.n_sequences):
            start, stop = self._range(sequence)
            ids[start:stop] = [sequence] * (stop - start)
        return ids

    @property
    def words(self) -> list[int | None]:
        """The old name of `word_ids`."""
        return self.word_ids

    def set_sequence_id(self, sequence_id: int) -> None:
        """All ids are of the text with this number."""
        self.ranges[sequence_id] = (0, len(self))

    def token_to_sequence(self, token_index: int) -> int | None:
        """The number of the text of an id."""
        if token_index > len(self):
            return None
        if not self.ranges:
            return 0
        found = (number for number, (start, stop) in self.ranges.items() if start <= token_index < stop)
        return next(found, None)

    def word_to_tokens(self, word_index: int, sequence_index: int = 0) -> Span | None:
        """The first id of a pretoken, and one past the last."""
        start, stop = self._range(sequence_index)
        places = []
        for place, word in enumerate(self.word_ids[start:stop], start):
            if word is not None and word > word_index:
                break
            if word == word_index:
                places.append(place)
        return (places[0], places[-1] + 1) if places else None

    def word_to_chars(self, word_index: int, sequence_index: int = 0) -> Span | None:
        """The span of a pretoken."""
        tokens = self.word_to_tokens(word_index, sequence_index)
        return (self.offsets[tokens[0]][0], self.offsets[tokens[1] - 1][1]) if tokens else None

    def token_to_chars(self, token_index: int) -> Span | None:
        """The span of an id that is of a text."""
        known = self.token_to_sequence(token_index) is not None and token_index < len(self)
        return self.offsets[token_index] if known else None

    def token_to_word(self, token_index: int) -> int | None:
        """The number of the pretoken of an id."""
        known = self.token_to_sequence(token_index) is not None and token_index < len(self)
        return self.word_ids[token_index] if known else None

    def char_to_token(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The first id whose span holds a character."""
        start, stop = self._range(sequence_index)
        spans = enumerate(self.offsets[start:stop], start)
        return next((place for place, (first, end) in spans if first <= char_pos < end), None)

    def char_to_word(self, char_pos: int, sequence_index: int = 0) -> int | None:
        """The number of the pretoken whose span holds a character."""
        token = self.char_to_token(char_pos, sequence_index)
        return None if token is None else self.token_to_word(token)

    def pad(
        self, length: int, direction: str = "right", pad_id: int = 0, pad_type_id: int = 0, pad_token: str = "[PAD]"
    ) -> None:
        """Fill up to a length, also what overflows."""
        check_direction(direction)
        for encoding in self.overflowing:
            encoding.pad(length, direction, pad_id, pad_type_id, pad_token)
        n_missing = length - len(self)
        if n_missing <= 0:
            return
        entries = (pad_id, pad_type_id, pad_token, None, (0, 0), 1, 0)
        for name, entry in zip(COLUMNS, entries, strict=True):
            own, other = getattr(self, name), [entry] * n_missing
            setattr(self, name, other + own if direction == "left" else own + other)
        if direction == "left":
            self.ranges = {
                number: (start + n_missing, stop + n_missing) for number, (start, stop) in self.ranges.items()
            }

    def truncate(self, max_length: int, stride: int = 0, direction: str = "right") -> None:
        """Cut down to a length; what is cut off overflows, in parts of that length that share `stride` ids."""
        check_direction(direction)
        n_ids = len(self)
        if max_length >= n_ids:
            return
        if max_length == 0:
            whole = self._part(0, n_ids)
            whole.overflowing, whole.ranges = self.overflowing, self.ranges
            self._become(HfEncoding(overflowing=[whole]))
            return
        if stride >= max_length:
            raise ValueError(
                f"stride {stride}: is not less than the length {max_length}, ids around the text left out, so no part "
                "would go on. Use a smaller stride, or a greater max_length."
            )
        parts = list(_parts(n_ids, max_length, max_length - stride, direction))
        first, *others = (self._part(start, stop) for start, stop in parts)
        first.overflowing = others
        self._become(first)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        names = "ids, type_ids, tokens, offsets, attention_mask, special_tokens_mask, overflowing"
        return f"Encoding(num_tokens={len(self)}, attributes=[{names}])"

    def copied(self) -> "HfEncoding":
        """A copy with lists of its own."""
        copied = self._part(0, len(self))
        copied.overflowing = [encoding.copied() for encoding in self.overflowing]
        copied.ranges = dict(self.ranges)
        return copied

    def _range(self, sequence: int) -> Span:
        return self.ranges.get(sequence, (0, len(self)))

    def _part(self, start: int, stop: int) -> "HfEncoding":
        return HfEncoding(*(getattr(self, name)[start:stop] for name in COLUMNS))

    def _become(self, other: "HfEncoding") -> None:
        for name in (*COLUMNS, "overflowing", "ranges"):
            setattr(self, name, getattr(other, name))

    def _append(self, pair: "HfEncoding", growing_offsets: bool) -> None:
        overflowing = []
        for own in self.overflowing:
            overflowing += [own._with(other, growing_offsets) for other in (pair, *pair.overflowing)]
        overflowing += [self._with(other, growing_offsets) for other in pair.overflowing]
        n_before, moved = len(self), self.offsets[-1][1] if growing_offsets and self.offsets else 0
        self.ranges |= {number: (start + n_before, stop + n_before) for number, (start, stop) in pair.ranges.items()}
        for name in COLUMNS:
            if name != "offsets":
                getattr(self, name).extend(getattr(pair, name))
        self.offsets.extend((start + moved, stop + moved) for start, stop in pair.offsets)
        self.overflowing = overflowing

    def _with(self, pair: "HfEncoding", growing_offsets: bool) -> "HfEncoding":
        merged = self.copied()
        merged._append(pair, growing_offsets)
        return merged


def check_direction(direction: Any) -> None:
    """Refuse a direction that is none.

    >>> check_direction("left")
    """
    if direction not in ("left", "right"):
        raise ValueError(f"direction {direction!r}: is unknown. Use 'left' or 'right'.")


def _parts(n_ids: int, max_length: int, step: int, direction: str) -> Iterable[Span]:
    """The parts of so many ids, from the first or from the last on, to the one that reaches the other end.

    >>> list(_parts(5, 3, 2, "right")), list(_parts(5, 3, 2, "left"))
    ([(0, 3), (2, 5)], [(2, 5), (0, 3)])
    """
    for start in range(0, n_ids, step):
        stop = min(start + max_length, n_ids)
        yield (start, stop) if direction == "right" else (n_ids - stop, n_ids - start)
        if stop == n_ids:
            return
