"""Ids of documents that arrive in blocks: what turns a corpus of any size into token files.

A block holds the ends of some documents and the starts of others. All of it is encoded at once, on all cores, and of
the document that goes on only what more text could change is kept. Ids come out as one array of the width of a file.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from tokenloom import _core
from tokenloom.errors import DecodeError, EncodeError
from tokenloom.tokenizer.options import SpecialText, check_choice, check_progress, check_texts, check_threads
from tokenloom.tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from numpy import int64, uint16, uint32
    from numpy.typing import NDArray

__all__ = ["MOST_UINT16_IDS", "DocumentEncoder", "IdType"]

IdType: TypeAlias = Literal["uint16", "uint32"]

_ID_BYTES: Final = {"uint16": 2, "uint32": 4}
MOST_UINT16_IDS: Final = 2**16
"""Ids 0 to 65,535 fit two bytes: a vocabulary of 65,536 entries does, one of 65,537 does not."""


class DocumentEncoder:
    """Ids of documents that arrive in blocks, ready for a file: equal to `encode_batch` of the whole documents.

    Args:
        tokenizer: what makes the ids.
        dtype: the type of the ids; `"uint16"` for a tokenizer of at most 65,536 ids.
        begin_id: an id that is put before each document.
        end_id: an id that is put behind each document.
        special_text: what a special token in a text means; see `Tokenizer`.
        is_continued: the first text goes on with a document of which the earlier bytes were encoded by another encoder.
        n_threads: threads to use; None for one a core. The result does not depend on it.
    Raises: EncodeError for an option that has none of its values, or ids that do not fit the tokenizer or the type.

    Work that was interrupted resumes at any call of `feed`: what was fed without the last `held_bytes` bytes is done,
    and a new encoder that is fed the text from there gives exactly the ids that are missing. If a document was open,
    the new encoder is a continued one. Counts of special tokens add up, too.

    >>> tokenizer = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"at"}, [(b"a", b"t")], ["<e>"])
    >>> encoder = DocumentEncoder(tokenizer, dtype="uint16", end_id=257)
    >>> ids, starts = encoder.feed([b"cat", b"a c"], is_open=True)
    >>> ids.tolist(), starts.tolist(), encoder.held_bytes
    ([99, 256, 257, 97], [0, 3], 2)
    >>> encoder.feed([b"at"])[0].tolist()
    [32, 99, 256, 257]
    """

    __slots__ = ("_core", "_dtype")

    def __init__(
        self,
        tokenizer: Tokenizer,
        *,
        dtype: IdType,
        begin_id: int | None = None,
        end_id: int | None = None,
        special_text: SpecialText = "plain",
        is_continued: bool = False,
        n_threads: int | None = None,
    ) -> None:
        check_choice("dtype", dtype, get_args(IdType), EncodeError)
        check_choice("special_text", special_text, get_args(SpecialText), EncodeError)
        check_threads(n_threads, EncodeError)
        if dtype == "uint16" and len(tokenizer) > MOST_UINT16_IDS:
            raise EncodeError(
                f"dtype 'uint16': has room for {MOST_UINT16_IDS:,} ids, and the tokenizer has {len(tokenizer):,}. "
                "Use 'uint32'."
            )
        _check_id("begin_id", begin_id, tokenizer)
        _check_id("end_id", end_id, tokenizer)
        self._dtype = f"<u{_ID_BYTES[dtype]}"
        self._core = _core.DocumentEncoder(
            tokenizer._core,
            id_bytes=_ID_BYTES[dtype],
            around=(begin_id, end_id),
            special_text=special_text,
            is_continued=is_continued,
            n_threads=n_threads,
        )

    def feed(
        self,
        texts: Iterable[str | bytes],
        *,
        is_open: bool = False,
        progress: Callable[[int], object] | None = None,
    ) -> tuple["NDArray[uint16] | NDArray[uint32]", "NDArray[int64]"]:
        """The ids that are sure after these texts, and where documents begin in them.

        Args:
            texts: the first goes on with the document that the last call left open, if it did; each other one is the
                next document. Without any text, an open document ends here unless `is_open`.
            is_open: the last text goes on in the next call.
            progress: called now and then with the bytes of this call that are encoded.
        Returns: ids of shape (n_tokens,), and int64 of shape (n_docs,) for the documents that began in this call:
            places counted from the first of these ids. A document without tokens begins where the next one does.
        Raises: EncodeError as `Tokenizer.encode`, with the number of the document since this encoder was made, and the
            byte of that document (of one that was continued: from where this encoder began). After a refused token or
            an interruption the encoder cannot be used.

        What the encoder keeps is the last piece of an open document while it is unfinished, and up to as much text
        again, since held text is looked at each time it has doubled. With `pattern=None` that is the whole document.
        With a normalizer, a chain or flags of added tokens see `Encoder`; here a document is held whole also where it
        matters to a step that a text begins, as to one that puts something before it.
        """
        import numpy as np

        check_progress(progress)
        ids, starts = self._core.feed(check_texts(texts), is_open=is_open, progress=progress)
        return np.frombuffer(ids, dtype=self._dtype), np.frombuffer(starts, dtype="<i8")

    @property
    def held_bytes(self) -> int:
        """Bytes of the open document of which the ids have not come out."""
        return self._core.held_bytes

    @property
    def n_special_tokens(self) -> dict[str, int]:
        """How often each special token of the tokenizer was met, leftmost, then longest, also when it was read as plain
        text. What is held counts when its ids come out.
        """
        return dict(self._core.n_special_tokens)


def _check_id(option: str, token_id: int | None, tokenizer: Tokenizer) -> None:
    """Refuse an id that no token has."""
    if token_id is None:
        return
    if type(token_id) is int and 0 <= token_id < len(tokenizer):
        try:
            tokenizer.token_bytes(token_id)
        except DecodeError:
            pass
        else:
            return
    raise EncodeError(
        f"{option} {token_id!r}: is no id of a token of this tokenizer. Use one of Tokenizer.special_tokens, or None."
    )
