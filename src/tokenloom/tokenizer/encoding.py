"""Ids with the stretches of the text that they stand for, and ids as arrays and streams."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tokenloom import _core
from tokenloom.tokenizer.options import Around, Special, Text, check_texts
from tokenloom.wording import counted

if TYPE_CHECKING:
    from numpy import int64, uint32
    from numpy.typing import NDArray

__all__ = ["Encoding", "encoding_of", "filled", "ids_of_parts"]

_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_KINDS: Final = {"ids": "u4", "byte_offsets": "i8", "char_offsets": "i8"}


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The ids of one text, and the span of each: start, and one past the end, in the text as it was given.

    Args:
        ids: uint32 of shape (n_tokens,).
        byte_offsets: spans in the UTF-8 bytes of the text, int64 of shape (n_tokens, 2). What a tokenizer makes is
            read-only, as are the spans of characters.
        char_offsets: spans in its characters, int64 of shape (n_tokens, 2). A character that several tokens share is in
            the span of each. In bytes that are no UTF-8, each byte outside valid UTF-8 counts as one character. With
            `surrogates="replace"` surrogates count as they stand in the text, two for a pair.
    Raises: ValueError if dtype or shape are others.

    Blanks that belong to a token, or that an added token takes, are in its span; ids that a template puts around a text
    have the span (0, 0). Without a normalizer the spans tile the text, and `text[start:stop]` of its bytes are the
    bytes of the token, if the tokenizer is a byte-level one. With a normalizer, a chain of pretokenizers or a model
    over characters starts never fall, but there may be gaps where text was dropped, and tokens may share a span: what a
    step changed came, as a whole, from the smallest run of the source that becomes it by itself. So both parts of an
    NFD "é" have the span of the one character, and the "é" that NFC makes of two characters has both. Text that a step
    puts in stands with the character beside it. Starts fall in one case: where some bytes have tokens and others none,
    the unknown token comes behind those of bytes that stand behind it in the text, as in `tokenizers`.

    `tokenizers` 0.23.3 (with `trim_offsets=False`) reports the same spans of characters but where several characters
    become one run: it then names one of them, for a composed "é" the letter without its mark, for a replaced "ab" the
    "b", and for marks that change places those that stood there. That is at fault: the rest belongs to no token. With
    Qwen3, which has NFC, that is so for 4 spans of 10,000 in ordinary text of many languages, and for none in English.

    >>> from tokenloom import train
    >>> encoding = train(["⇄"], 256).encode_with_offsets("k ⇄")
    >>> encoding.ids.tolist(), encoding.byte_offsets.tolist()
    ([107, 32, 226, 135, 132], [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5]])
    >>> encoding.char_offsets.tolist()
    [[0, 1], [1, 2], [2, 3], [2, 3], [2, 3]]
    """

    ids: "NDArray[uint32]"
    byte_offsets: "NDArray[int64]"
    char_offsets: "NDArray[int64]"

    def __post_init__(self) -> None:
        n_tokens = len(self.ids)
        for name, kind in _KINDS.items():
            array, shape = getattr(self, name), (n_tokens,) if name == "ids" else (n_tokens, 2)
            if array.dtype.str[1:] != kind or array.shape != shape:
                wanted = {"u4": "uint32 of shape (n_tokens,)", "i8": "int64 of shape (n_tokens, 2)"}[kind]
                raise ValueError(
                    f"Encoding, {name!r}: has dtype {array.dtype} and shape {array.shape}, with "
                    f"{counted(n_tokens, 'id')}. Pass {wanted}."
                )

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Encoding({counted(len(self), 'token')})"

    def framed(self, before: Sequence[int], after: Sequence[int]) -> "Encoding":
        """The same ids with others before and behind, of which the spans are (0, 0).

        >>> import numpy as np
        >>> spans = np.array([[0, 3]], dtype=np.int64)
        >>> framed = Encoding(np.array([7], dtype=np.uint32), spans, spans).framed([1], [2])
        >>> framed.ids.tolist(), framed.char_offsets.tolist()
        ([1, 7, 2], [[0, 0], [0, 3], [0, 0]])
        """
        import numpy as np

        around = ((len(before), len(after)), (0, 0))
        spans = (np.pad(spans, around) for spans in (self.byte_offsets, self.char_offsets))
        return Encoding(_framed(self.ids, before, after), *spans)


def encoding_of(core: _core.Pipeline, text: Text, special: tuple[Special, Special], around: Around | None) -> Encoding:
    """The ids of a text and their spans."""
    ids, by_bytes, by_characters = core.encode_with_offsets(text, *special)
    if core.replaces_surrogates and isinstance(text, str):
        by_characters = _with_pairs(text, by_characters)
    encoding = Encoding(ids, by_bytes, by_characters)
    return encoding.framed(*around) if around else encoding


def _with_pairs(text: str, spans: "NDArray[int64]") -> "NDArray[int64]":
    """Spans in the text as it was given, of which each pair of surrogates was read as one character."""
    import numpy as np

    pairs = [pair.start() - n_before for n_before, pair in enumerate(_PAIR.finditer(text))]
    return spans + np.searchsorted(np.array(pairs, dtype=np.int64), spans) if pairs else spans


def filled(out: Any, n_ids: int) -> "NDArray[Any]":
    """The part of a buffer that holds ids.

    >>> from array import array
    >>> filled(array("H", [5, 6, 7]), 2)
    array([5, 6], dtype=uint16)
    """
    import numpy as np

    return np.asarray(out)[:n_ids]


def ids_of_parts(stream: _core.EncodeStream, texts: Iterable[Text], around: Around) -> Iterator[int]:
    """The ids of a text that arrives in parts, between those around it, one by one."""
    return _ids_of_parts(stream, check_texts(texts), around)


def _ids_of_parts(stream: _core.EncodeStream, texts: Iterator[Text], around: Around) -> Iterator[int]:
    yield from around[0]
    for text in texts:
        yield from stream.feed(text)
    yield from stream.finish()
    yield from around[1]


def _framed(ids: "NDArray[uint32]", before: Sequence[int], after: Sequence[int]) -> "NDArray[uint32]":
    import numpy as np

    return np.concatenate([np.array(before, dtype=np.uint32), ids, np.array(after, dtype=np.uint32)])
