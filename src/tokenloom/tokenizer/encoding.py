"""Ids with the stretches of the text that they stand for, and ids as arrays and of texts that come in pieces."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tokenloom import _core
from tokenloom.tokenizer.options import Around, Special, Text, check_texts
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    from numpy import int64, uint32
    from numpy.typing import NDArray

    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["Encoder", "Encoding", "encoding_of", "filled", "ids_of_parts"]

_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_HIGH: Final = range(0xD800, 0xDC00)
_MOST_PART: Final = 1 << 14
"""Longer parts of a stream are cut, so that the ids of one do not come at once."""
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


class Encoder:
    r"""Ids of a text that comes in pieces of any size: all parts together are `encode` of the joined text.

    A piece of bytes may end inside a character, and one of str, with `surrogates="replace"`, between two surrogates
    that are a pair.

    What is held back is the last pretoken while it is unfinished, or what could be the start of a special token, and up
    to as much text again, since held text is looked at each time it has doubled. Where text takes the way through a
    normalizer, a chain of pretokenizers or flags of added tokens, it is the text since the last place where cutting
    changes nothing: for a chain where its first step cuts, and where nothing cuts before a character that no token
    joins to the one before it. All of the text is held, since there is no such place, with a regular expression as
    first step of a chain, with a normalizer that replaces several characters or matches of an expression, for plain
    ASCII with `pattern=None`, and there for models that take whole pieces (`ignore_merges`) or are no BPE.

    Args:
        tokenizer: what makes the ids.
        allowed_special: special tokens that become one token, as in `Tokenizer.encode`.
        disallowed_special: special tokens that are refused, as there.
        add_special_tokens: puts the ids of `spec.postprocessor` around those of the text.

    >>> from tokenloom import train
    >>> encoder = Encoder(train(["the the"], 258))
    >>> encoder.push("t"), encoder.push("he "), encoder.push(b"\xc3"), encoder.push(b"\xa9"), encoder.finish()
    ([], [257], [], [], [32, 195, 169])
    """

    __slots__ = ("_around", "_core", "_has_begun", "_high", "_stream")

    def __init__(
        self,
        tokenizer: "Tokenizer",
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
    ) -> None:
        if not hasattr(tokenizer, "_core"):
            what = f"is of type {type(tokenizer).__name__}, not a Tokenizer"
            raise TypeError(f"tokenizer {quoted(tokenizer)}: {what}. Pass what Tokenizer.load gives.")
        self._core = tokenizer._core
        self._stream = self._core.stream(allowed_special, disallowed_special)
        self._around: Around = tokenizer._around if add_special_tokens else ((), ())
        self._high, self._has_begun = "", False

    def push(self, text: Text) -> list[int]:
        """The ids that are sure after this piece.

        Raises: as `Tokenizer.encode`, with the byte of the whole text; the encoder cannot be used again after that.
        """
        if isinstance(text, str):
            text, self._high = self._high + text, ""
            if self._core.replaces_surrogates and text and ord(text[-1]) in _HIGH:
                text, self._high = text[:-1], text[-1]
        elif self._high:
            high, self._high = self._high, ""
            return self._fed(high) + self._fed(text)
        return self._fed(text)

    def finish(self) -> list[int]:
        """The ids of what is held back, and those behind the text. The encoder is then as new."""
        high, self._high = self._high, ""
        ids = [*self._fed(high), *self._stream.finish(), *self._around[1]]
        self._has_begun = False
        return ids

    def _fed(self, text: Text) -> list[int]:
        ids = self._stream.feed(text)
        if self._has_begun:
            return ids
        self._has_begun = True
        return [*self._around[0], *ids]


def ids_of_parts(encoder: Encoder, texts: Iterable[Text]) -> Iterator[int]:
    """The ids of a text that arrives in parts, one by one."""
    return _ids_of_parts(encoder, check_texts(texts))


def _ids_of_parts(encoder: Encoder, texts: Iterator[Text]) -> Iterator[int]:
    for text in texts:
        for part in _small_parts(text):
            yield from encoder.push(part)
    yield from encoder.finish()


def _small_parts(text: Text) -> Iterator[Text]:
    """A text in parts; whole if it is small or no text."""
    if isinstance(text, str) and len(text) > _MOST_PART:
        try:
            text = text.encode()
        except UnicodeEncodeError:  # the error, or what becomes of it, is a matter of the whole text
            yield text
            return
    if isinstance(text, bytes) and len(text) > _MOST_PART:
        view = memoryview(text)
        yield from (view[at : at + _MOST_PART] for at in range(0, len(text), _MOST_PART))
    else:
        yield text


def _framed(ids: "NDArray[uint32]", before: Sequence[int], after: Sequence[int]) -> "NDArray[uint32]":
    import numpy as np

    return np.concatenate([np.array(before, dtype=np.uint32), ids, np.array(after, dtype=np.uint32)])
