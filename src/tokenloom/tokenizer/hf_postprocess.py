"""What `tokenizers` does between encoding and padding: ids around texts, type ids, and offsets without blanks.

What the file of a tokenizer says of it beyond the ids, in which our description has no part, is kept beside the
tokenizer (its provenance): the post-processor as it stands there.
Source: `processors` and `pre_tokenizers/byte_level.rs` of huggingface/tokenizers 0.23.3.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tokenloom.spec import TokenizerSpec
from tokenloom.spec.postprocessor import TemplateItem
from tokenloom.tokenizer.hf_encoding import HfEncoding

__all__ = ["PostProcessing", "postprocessing_of"]

_BLANK: Final = "\u0120"
"""How a blank is spelled."""
Piece = tuple[int, int | str, str]
"""A type id, with an id and its token, or with the name of a text and nothing."""


@dataclass(frozen=True, slots=True)
class PostProcessing:
    """The steps of a post-processor.

    Args:
        single: ids around one text, and the text "A", each with its type id; None for no template.
        pair: the same of two texts, "A" and "B".
        trims: of each step that takes blanks out of offsets whether one at the start stays.
        has_steps: whether there is a post-processor, which numbers texts even if it does nothing else.
    """

    single: tuple[Piece, ...] | None
    pair: tuple[Piece, ...] | None
    trims: tuple[bool, ...]
    has_steps: bool

    def n_added(self, n_texts: int) -> int:
        """How many ids are put around texts."""
        template = self.single if n_texts == 1 else self.pair
        return sum(not isinstance(item, str) for _, item, _ in template or ())

    def apply(self, encodings: list[HfEncoding], *, adds: bool) -> HfEncoding:
        """One encoding of one or two texts."""
        if not self.has_steps and len(encodings) == 1:
            return encodings[0]
        for number, encoding in enumerate(encodings):
            encoding.set_sequence_id(number)
            if self.has_steps:
                for part in encoding.overflowing:
                    part.set_sequence_id(number)
                encoding.type_ids = [number] * len(encoding)
        for keeps_first in self.trims:
            for encoding in encodings:
                for part in (encoding, *encoding.overflowing):
                    part.offsets = _trimmed(part, keeps_first)
        template = self.single if len(encodings) == 1 else self.pair
        parts = encodings if template is None else list(self._around(template, encodings, adds))
        return HfEncoding.merge(parts, growing_offsets=False)

    def _around(self, template: Sequence[Piece], encodings: Sequence[HfEncoding], adds: bool) -> list[HfEncoding]:
        parts = []
        for type_id, item, token in template:
            if isinstance(item, str):
                number = int(item != "A")
                encoding = encodings[number]
                encoding.type_ids = [type_id] * len(encoding)
                encoding.set_sequence_id(number)
                parts.append(encoding.copied())
            elif adds:
                parts.append(HfEncoding([item], [type_id], [token], [None], [(0, 0)], [1], [1]))
        return parts


def postprocessing_of(
    spec: TokenizerSpec, stored: Mapping[str, Any] | None, token_of: Callable[[int], str | None]
) -> PostProcessing:
    """The post-processing of a tokenizer.

    Args:
        spec: its description.
        stored: the post-processor of its file, if that says more.
        token_of: gives the token of an id.
    """
    if stored is None:
        template = spec.postprocessor
        n_first = len(template.single) if template else 0
        single, pair = (
            None
            if template is None
            else tuple(_piece(item, int(at >= n_first), token_of) for at, item in enumerate(items))
            for items in (template.single if template else (), template.pair if template else ())
        )
        return PostProcessing(single, pair, (), template is not None)
    steps = list(_steps(stored))
    templates = [step for step in steps if step["type"] == "TemplateProcessing"]
    single, pair = (_pieces(templates[0], role) if templates else None for role in ("single", "pair"))
    trims = tuple(step["add_prefix_space"] for step in steps if step["type"] == "ByteLevel" and step["trim_offsets"])
    return PostProcessing(single, pair, trims, True)


def _steps(stored: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if stored["type"] == "Sequence":
        return [step for item in stored["processors"] for step in _steps(item)]
    return [{"add_prefix_space": True, "trim_offsets": True, **stored}]


def _piece(item: TemplateItem, type_id: int, token_of: Callable[[int], str | None]) -> Piece:
    return type_id, item, "" if isinstance(item, str) else token_of(item) or ""


def _pieces(template: Mapping[str, Any], role: str) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for item in template[role]:
        ((kind, named),) = item.items()
        if kind == "Sequence":
            pieces.append((named["type_id"], named["id"], ""))
        else:
            special = template["special_tokens"][named["id"]]
            pieces += [(named["type_id"], *both) for both in zip(special["ids"], special["tokens"], strict=False)]
    return tuple(pieces)


def _trimmed(encoding: HfEncoding, keeps_first: bool) -> list[tuple[int, int]]:
    """Spans without the blanks that tokens have at their edges; a single one at the start may have been put there."""
    return [
        _trimmed_span(token, span, keeps_first and (place == 0 or span[0] == 0))
        for place, (token, span) in enumerate(zip(encoding.tokens, encoding.offsets, strict=True))
    ]


def _trimmed_span(token: str, span: tuple[int, int], keeps_first: bool) -> tuple[int, int]:
    start, stop = span
    n_before = _n_blanks(token)
    if n_before:
        start = min(start + (0 if keeps_first and n_before == 1 else n_before), stop)
    n_behind = _n_blanks(token[::-1])
    if n_behind and stop >= n_behind:
        stop = max(stop - n_behind, start)
    return start, stop


def _n_blanks(token: str) -> int:
    """How many blanks, spelled or not, a token begins with."""
    return next((place for place, character in enumerate(token) if not _is_blank(character)), len(token))


def _is_blank(character: str) -> bool:
    return character == _BLANK or (character.isspace() and character not in "\x1c\x1d\x1e\x1f")
