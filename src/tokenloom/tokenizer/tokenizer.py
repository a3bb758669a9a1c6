"""A tokenizer at work: text to ids and ids to text.

`Tokenizer` is a thin face of the compiled core, built from a spec in one call. It never changes: threads share it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tokenloom.tokenizer import decoding, faces, loading, segmentations
from tokenloom.tokenizer.batch import TokenBatch, batch_of
from tokenloom.tokenizer.dropout import ids_by_chance
from tokenloom.tokenizer.encoding import Encoder, Encoding, encoding_of, filled, ids_of_parts
from tokenloom.tokenizer.options import (
    DEFAULT_CACHE_BYTES,
    PathLike,
    RunOptions,
    Special,
    SpecialText,
    Surrogates,
    Text,
)
from tokenloom.wording import counted

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

    from tokenloom.spec import PatternName, Pretokenizer, TokenizerSpec
    from tokenloom.tokenizer.options import FileCompression

__all__ = ["Tokenizer"]


class Tokenizer:
    """A tokenizer; `decode(encode(text)) == text` for every str without lone surrogates.

    That holds but for what files of other libraries can ask for: normalizers and sequences of pretokenizers change
    text, added tokens may take blanks (`lstrip`, `rstrip`), and see `Model` for models that join no bytes.

    Args:
        vocab: token bytes by id; all 256 single bytes must be among them.
        merges: pairs of token bytes, in the order in which they are merged.
        special_tokens: are found in a text leftmost, then longest. Those that `vocab` lacks get the next free ids.
        special_text: what a special token in a text means when a call does not say: `"refuse"` raises, `"parse"` makes
            it one token, `"plain"` reads it as ordinary text.
        surrogates: a lone surrogate in a text: `"refuse"` raises, `"replace"` reads U+FFFD, or a pair as its character.
        pattern: how text is cut before merging: the name of a pattern, such as `"gpt2"` or `"o200k"`, or a
            `Pretokenizer`, which may have any regular expression; None does not cut.
        cache_bytes: memory of all threads for words seen, 0 to 2**32; each has 256 KiB, or half of it if that is less.
    Raises: SpecError or SpecialTokenError if these contradict each other, SpecError for an unknown option.
    A text is str, bytes, bytearray or memoryview. Bytes need not be valid UTF-8; `decode_bytes` gives them back.

    >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"th", 257: b"the"}
    >>> tokenizer = Tokenizer(vocab, [(b"t", b"h"), (b"th", b"e")], ["<|end|>"])
    >>> tokenizer.encode("the end")
    [257, 32, 101, 110, 100]
    >>> tokenizer.decode([257, 258])
    'the<|end|>'
    """

    __slots__ = ("_around", "_core", "_described", "_options", "_provenance", "_spec")
    _described: "Callable[[], tuple[TokenizerSpec, Mapping[str, Any]]]"

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Iterable[tuple[bytes, bytes]],
        special_tokens: Sequence[str] | None = None,
        *,
        special_text: SpecialText = "refuse",
        surrogates: Surrogates = "refuse",
        pattern: "PatternName | Pretokenizer | None" = "gpt2",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        self._options = RunOptions(special_text, surrogates, cache_bytes)
        self._describe(loading.new_spec(vocab, merges, special_tokens, pattern), {})
        self._core = self._options.pipeline(self._spec)

    @classmethod
    def from_spec(
        cls,
        spec: "TokenizerSpec",
        *,
        special_text: SpecialText = "refuse",
        surrogates: Surrogates = "refuse",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        provenance: Mapping[str, Any] = MappingProxyType({}),
    ) -> "Tokenizer":
        """A tokenizer from its description; `provenance` says where it comes from and decides nothing."""
        return _built(cls, spec, provenance, RunOptions(special_text, surrogates, cache_bytes))

    @classmethod
    def from_files(
        cls,
        vocab_path: PathLike,
        merges_path: PathLike,
        special_tokens: Sequence[str] | None = None,
        *,
        special_text: SpecialText = "refuse",
        surrogates: Surrogates = "refuse",
        pattern: "PatternName | Pretokenizer | None" = "gpt2",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> "Tokenizer":
        """Read `vocab.json` and `merges.txt`, GPT-2's or, with the `pattern` that they do not name, those of others.

        Raises: CorpusError if a file cannot be read, FormatError with file and line if it is not what it should be.
        Warns: FormatWarning if the vocabulary has tokens that no merge makes, as when merges.txt was cut.
        """
        spec = loading.read_files(vocab_path, merges_path, special_tokens, pattern)
        return _built(cls, spec, {}, RunOptions(special_text, surrogates, cache_bytes))

    @classmethod
    def load(
        cls,
        path_or_name: PathLike,
        *,
        special_text: SpecialText = "refuse",
        surrogates: Surrogates = "refuse",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> "Tokenizer":
        """Read a tokenizer, ours or that of another library, with the ids of that library.

        What is read is a folder that `save` has written; a file of `formats.write_packed`, which loads fastest; a
        folder with `tokenizer.json` of `tokenizers`, Mistral's `tekken.json`, BERT's `vocab.txt`, or GPT-2's two files
        (others are for `from_files`); such a JSON file; a rank file of tiktoken; or, by its name, as "cl100k_base", a
        published encoding whose rank file is on this machine. A path that exists comes before a name.
        Raises: StorageError if a folder is not complete and unchanged or holds no tokenizer; CorpusError if a file is
            missing; FormatError naming the file and the place if it is damaged or has a part that is not known here.
        """
        return _loaded(cls, RunOptions(special_text, surrogates, cache_bytes), loading.load, path_or_name)

    @classmethod
    def from_pretrained(
        cls,
        name: PathLike,
        *,
        revision: str | None = None,
        cache_dir: PathLike | None = None,
        token: str | bool | None = None,
        local_files_only: bool = False,
        special_text: SpecialText = "refuse",
        surrogates: Surrogates = "refuse",
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> "Tokenizer":
        """Read the tokenizer of a repository on the Hugging Face Hub, or what `load` reads if `name` is a path here.

        By `huggingface_hub` (extra `[hub]`) and its cache; with `local_files_only` or HF_HUB_OFFLINE=1 by that alone.
        Raises: as `load`; MissingExtraError without that package; CorpusError if there is no such repository, or no
            file with a tokenizer in it, or if it cannot be reached and is not in the cache. See `load_pretrained`.
        """
        place = {"revision": revision, "cache_dir": cache_dir, "token": token, "local_files_only": local_files_only}
        return _loaded(cls, RunOptions(special_text, surrogates, cache_bytes), loading.load_pretrained, name, **place)

    save = loading.save
    save_files = loading.save_files
    save_packed = loading.save_packed
    truncated = loading.truncated

    def encode(
        self,
        text: Text,
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
        dropout: float = 0.0,
        seed: int | None = None,
    ) -> list[int]:
        """The ids of a text.

        Args:
            text: str, bytes, bytearray or memoryview; of the last two, what others could change is copied.
            allowed_special: special tokens that become one token: a set, or `"all"`.
            disallowed_special: special tokens that are refused: a set, or `"all"` but the allowed ones.
                Special tokens in neither are ordinary text. Where an argument is not given, `special_text` decides.
            add_special_tokens: puts the ids of `spec.postprocessor` around those of the text, if it has any.
            dropout: the probability with which each merge is left out at each step (BPE-dropout), from 0 to 1.
            seed: which merges, from 0 to 2**64 - 1: with the text it decides the result. No dropout goes without it.
        Raises: EncodeError for a special token that is refused or a lone surrogate, SpecialTokenError for others.
        """
        around = self._around if add_special_tokens else None
        if type(dropout) is not float or dropout != 0.0 or seed is not None:
            return ids_by_chance(self._core, text, (allowed_special, disallowed_special), around, dropout, seed)
        return self._core.encode(text, allowed_special, disallowed_special, around)

    def encode_array(
        self,
        text: Text,
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
        out: Any = None,
    ) -> "NDArray[uint32]":
        """As `encode`, but an array of uint32, shape (n_tokens,): a tenth of the memory of a list.

        Into `out`, a buffer of uint32 or uint16 in one piece, ids are written from its start on, which is returned.
        Raises: as `encode`; EncodeError, and writes nothing, if `out` is too short, read-only or too narrow for an id.
        """
        around = self._around if add_special_tokens else None
        if out is None:
            return self._core.encode_array(text, allowed_special, disallowed_special, around)
        return filled(out, self._core.encode_into(text, allowed_special, disallowed_special, around, out))

    def encode_with_offsets(
        self,
        text: Text,
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
    ) -> Encoding:
        """As `encode`, with the stretch of the text that each id stands for; see `Encoding`."""
        around = self._around if add_special_tokens else None
        return encoding_of(self._core, text, (allowed_special, disallowed_special), around)

    def encode_batch(
        self,
        texts: Iterable[Text],
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
        dropout: float = 0.0,
        seed: int | None = None,
        n_threads: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> TokenBatch:
        """The ids of many texts, each encoded as by `encode`: of any iterable, or of an array of Arrow (from pyarrow or
        polars) of strings or bytes without nulls, read where it is. `n_threads` threads work, None for one a core; the
        result does not depend on it. `progress` is called now and then with the number of bytes encoded so far.
        Raises: as `encode`, with the number of the document; EncodeError for one text in the place of many.
        """
        special, around = (allowed_special, disallowed_special), self._around if add_special_tokens else None
        return batch_of(self._core, texts, special, around, n_threads, progress, dropout=dropout, seed=seed)

    def encode_file(
        self,
        path: PathLike,
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
        compression: "FileCompression" = "auto",
        n_threads: int | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> "NDArray[uint32]":
        """As `encode_array` of the bytes of a file, which is one text: it is read in blocks, each for all threads, and
        decompressed, with `"auto"` if its name ends in `.gz`, `.zst`, `.xz` or `.bz2`. See `encode_batch` for the rest.
        Raises: as `encode`, with the name of the file; CorpusError if it cannot be read or is damaged.
        """
        from tokenloom.tokenizer.files import ids_of_file  # what reads files takes its time to import

        special, around = (allowed_special, disallowed_special), self._around if add_special_tokens else None
        return ids_of_file(self._core, path, special, around, n_threads, progress, compression=compression)

    def encode_iterable(
        self,
        texts: Iterable[Text],
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
    ) -> Iterator[int]:
        """The ids of a text that arrives in parts, such as the lines of an open file, one by one: those of the joined
        text. See `Encoder` for what is held back.
        Raises: EncodeError, at the call, for one text; then as `encode`, perhaps after the ids before the fault.
        """
        special = {"allowed_special": allowed_special, "disallowed_special": disallowed_special}
        return ids_of_parts(Encoder(self, **special, add_special_tokens=add_special_tokens), texts)

    def count(
        self,
        text: Text,
        *,
        allowed_special: Special = None,
        disallowed_special: Special = None,
        add_special_tokens: bool = False,
    ) -> int:
        """The number of tokens of a text: `len(encode(text))` without making the list."""
        n_tokens = self._core.count(text, allowed_special, disallowed_special)
        return n_tokens + sum(map(len, self._around)) if add_special_tokens else n_tokens

    def pretokens(
        self, text: Text, *, allowed_special: Special = None, disallowed_special: Special = None
    ) -> list[bytes]:
        """The pieces that a text is cut into before merging, of the text as normalizer and pretokenizer change it."""
        return self._core.pretokens(text, allowed_special, disallowed_special)

    def decode(self, ids: Iterable[int], *, errors: str = "replace") -> str:
        """The text of a sequence of ids, as list, array or any iterable of int.

        All bytes are joined, then decoded once, so characters of several tokens are whole. What is no UTF-8 then gives
        U+FFFD, or what `errors` says as in `bytes.decode`. Raises: DecodeError with the place of an id without a token.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of a sequence of ids; see `decode`. If `spec.decoder` has steps they are the UTF-8 of the text."""
        return decoding.decode_bytes(self._core, ids)

    def token_bytes(self, token_id: int) -> bytes:
        """The bytes of one token as the vocabulary has it. Raises: DecodeError if the id has none."""
        return self._core.token_bytes([token_id])

    id_of = decoding.id_of
    decode_with_offsets = decoding.decode_with_offsets
    decode_iterable = decoding.decode_iterable
    as_tiktoken = faces.as_tiktoken
    as_hf = faces.as_hf
    encode_n_best = segmentations.encode_n_best
    encode_sampled = segmentations.encode_sampled
    log_probability = segmentations.log_probability
    segmentation_entropy = segmentations.segmentation_entropy

    @property
    def spec(self) -> "TokenizerSpec":
        """The description that decides ids and decoding."""
        return self._spec

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Where the tokenizer comes from, such as the options of its training; decides nothing."""
        return self._provenance

    @property
    def pattern(self) -> str:
        """The pretokenizer as a regular expression, as tiktoken's `pat_str`; it matches all of a text left whole."""
        return self._spec.pretokenizer.pattern

    @property
    def special_tokens(self) -> dict[str, int]:
        """Ids of the special tokens, in the order of ids."""
        return {token.content: token.id for token in self._spec.special_tokens}

    @property
    def vocabulary(self) -> dict[int, bytes]:
        """Token bytes by id, special tokens included: a copy, made when asked for."""
        return self._spec.vocabulary()

    @property
    def merges(self) -> list[tuple[bytes, bytes]]:
        """Pairs of token bytes in the order in which they are merged: a copy, made when asked for."""
        return self._spec.merge_list()

    def clear_cache(self) -> None:
        """Forget the words already seen; changes no result."""
        self._core.clear_caches()

    def __len__(self) -> int:
        """One more than the highest id: the rows that an embedding matrix needs."""
        return self._core.size

    def __repr__(self) -> str:
        return f"Tokenizer({counted(len(self), 'id')}, {counted(len(self._spec.special_tokens), 'special token')})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _built, (type(self), self._spec, dict(self._provenance), self._options)

    def __getattr__(self, name: str) -> Any:
        """What the description says, taken from it when first asked for: that of a packed file is still unread then."""
        if name not in ("_around", "_provenance", "_spec"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        self._describe(*self._described())
        return object.__getattribute__(self, name)

    def _describe(self, spec: "TokenizerSpec", provenance: Mapping[str, Any]) -> None:
        self._around = spec.postprocessor.around() if spec.postprocessor else ((), ())
        self._provenance, self._spec = MappingProxyType(dict(provenance)), spec


def _built(cls: type[Tokenizer], spec: "TokenizerSpec", provenance: Mapping[str, Any], run: RunOptions) -> Tokenizer:
    """What most class methods end in, and unpickling: worker processes get the spec and build their own core."""
    tokenizer = cls.__new__(cls)
    tokenizer._options, tokenizer._core = run, run.pipeline(spec)
    tokenizer._describe(spec, provenance)
    return tokenizer


def _loaded(cls: type[Tokenizer], run: RunOptions, load: Callable[..., Any], path: Any, **place: Any) -> Tokenizer:
    """What class methods end in whose files may describe the tokenizer later."""
    tokenizer = cls.__new__(cls)
    tokenizer._options = run
    tokenizer._core, tokenizer._described = load(path, run, **place)
    return tokenizer
