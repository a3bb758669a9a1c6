"""A tokenizer that is used as a `tiktoken.Encoding`: the methods, arguments and errors of that library, version 0.14.

Ids and texts are those of the tokenizer, so they are tiktoken's own wherever the file is one of its files. What is of
another kind here: errors are ours, which are also the ValueError, KeyError or TypeError that tiktoken raises. Of
special tokens that begin at one place the longest is found; tiktoken takes any.
"""

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal

from tokenloom.errors import DecodeError, EncodeError, SpecError
from tokenloom.tokenizer.unstable import unstable_ids
from tokenloom.wording import quoted

if TYPE_CHECKING:
    from numpy import uint32
    from numpy.typing import NDArray

    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["TiktokenFace"]

_END: Final = "<|endoftext|>"
_NOTHING: Final[frozenset[str]] = frozenset()
_ELSEWHERE: Final = {
    "_core_bpe": "Tokenizer.encode and Tokenizer.decode_bytes",
    "_encode_bytes": "Tokenizer.encode, which takes bytes",
    "_encode_single_piece": "a Tokenizer with pattern=None",
    "_encode_only_native_bpe": "encode_ordinary",
}


class TiktokenFace:
    """What `Tokenizer.as_tiktoken` gives: a `tiktoken.Encoding` in all but its class.

    Args:
        tokenizer: a byte-level one.
        name: what `name` and `repr` say.
    Raises: SpecError for a tokenizer whose tokens are no bytes.

    Texts are str. A lone surrogate becomes U+FFFD and a pair of them its character, in every method; in tiktoken
    `encode_to_numpy` and `encode_with_unstable` raise for them. Special tokens are those of the tokenizer that are
    special: added tokens that are not are found in every text.

    >>> from tokenloom import train
    >>> encoding = train(["the the"], 259, ["<|endoftext|>"]).as_tiktoken("mine")
    >>> encoding, encoding.n_vocab, encoding.eot_token
    (<Encoding 'mine'>, 259, 258)
    >>> encoding.encode("the<|endoftext|>", allowed_special="all")
    [257, 258]
    >>> encoding.encode_single_token("xyz")
    Traceback (most recent call last):
    KeyError: "token b'xyz' is not in the vocabulary of 259 ids. Encode it to see its parts."
    """

    def __init__(self, tokenizer: "Tokenizer", name: str) -> None:
        if not tokenizer._core.decodes_by_bytes:
            raise SpecError(
                f"tokenizer {tokenizer!r}: its tokens are texts, and those of tiktoken bytes. Use as_hf(), or the "
                "methods of Tokenizer itself."
            )
        self.name = name
        self.max_token_value = len(tokenizer) - 1
        self._tokenizer, self._core = tokenizer, tokenizer._core
        self._special_tokens = tokenizer.special_tokens
        self._special_ids = frozenset(self._special_tokens.values())
        self._sorted_tokens: list[bytes] | None = None

    def encode_ordinary(self, text: str) -> list[int]:
        """The ids of a text in which special tokens are ordinary text."""
        return self._ids(text, _NOTHING, ())

    def encode(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NOTHING,
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[int]:
        """The ids of a text. Texts in `disallowed_special`, special tokens or not, are a ValueError where they stand in
        it; `"all"` are all special tokens that are not allowed.
        """
        allowed, refused = self._checked(text, allowed_special, disallowed_special)
        return self._ids(text, allowed, refused)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NOTHING,
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> "NDArray[uint32]":
        """As `encode`, but an array."""
        allowed, refused = self._checked(text, allowed_special, disallowed_special)
        return self._core.encode_array(_repaired(text), allowed, refused, None)

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """As `encode_ordinary` of each text."""
        return self.encode_batch(text, num_threads=num_threads, disallowed_special=())

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Literal["all"] | AbstractSet[str] = _NOTHING,
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> list[list[int]]:
        """As `encode` of each text, on up to so many threads."""
        _check_threads(num_threads)
        texts = list(text)
        allowed, refused = self._checked("", allowed_special, disallowed_special)
        for one in texts:
            self._checked(one, allowed_special, disallowed_special)
        ids, starts = self._core.encode_batch(
            list(map(_repaired, texts)), allowed, refused, n_threads=num_threads, progress=None
        )
        listed, places = ids.tolist(), starts.tolist()
        return [listed[start:stop] for start, stop in pairwise(places)]

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Literal["all"] | AbstractSet[str] = _NOTHING,
        disallowed_special: Literal["all"] | Collection[str] = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """Ids that stay whatever follows the text, and sequences of ids one of which goes on from there.

        As in tiktoken, down to what it leaves out. Raises: SpecError for a tokenizer that no ranks describe.
        """
        allowed, refused = self._checked(text, allowed_special, disallowed_special)
        return unstable_ids(self._tokenizer, _repaired(text), (allowed, refused), self._sorted())

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of a token, special ones too. Raises: KeyError if there is none."""
        token = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        try:
            return self._tokenizer.id_of(token)
        except DecodeError as error:
            raise _key_error(error) if isinstance(token, bytes) else TypeError(str(error)) from error

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids. Raises: KeyError for one without a token."""
        try:
            return self._tokenizer.decode_bytes(tokens)
        except DecodeError as error:
            is_sequence = isinstance(tokens, Iterable) and not isinstance(tokens, (str, bytes))
            raise _key_error(error) if is_sequence else TypeError(str(error)) from error

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of ids; `errors` says what becomes of bytes that are no UTF-8."""
        return self.decode_bytes(tokens).decode("utf-8", errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one id. Raises: KeyError if it has no token."""
        return self.decode_bytes([token])

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each id."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of ids, and the character in which each begins. Raises: UnicodeDecodeError for what is no UTF-8."""
        data = self.decode_bytes(tokens)
        text = data.decode()
        return text, self._core.decode_with_offsets(tokens)[1]

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """The text of each sequence of ids."""
        _check_threads(num_threads)
        return [self.decode(tokens, errors) for tokens in batch]

    def decode_bytes_batch(self, batch: Sequence[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """The bytes of each sequence of ids."""
        _check_threads(num_threads)
        return [self.decode_bytes(tokens) for tokens in batch]

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens that are not special, sorted."""
        return list(self._sorted())

    def is_special_token(self, token: int) -> bool:
        """Whether an id is that of a special token."""
        if not isinstance(token, int):
            raise TypeError(f"token {quoted(token)}: is of type {type(token).__name__}, not int. Pass an id.")
        return token in self._special_ids

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`. Raises: KeyError if there is none."""
        return self._special_tokens[_END]

    @property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._special_tokens)

    @property
    def n_vocab(self) -> int:
        """One more than the highest id."""
        return self.max_token_value + 1

    @property
    def _pat_str(self) -> str:
        return self._tokenizer.pattern

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        tokens = self._tokenizer.spec.model_tokens()
        return {token: token_id for token_id, token in enumerate(tokens) if token and token_id not in self._special_ids}

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return TiktokenFace, (self._tokenizer, self.name)

    def __getattr__(self, name: str) -> Any:
        remedy = f" Use {_ELSEWHERE[name]}." if name in _ELSEWHERE else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}.{remedy}", name=name, obj=self)

    def _sorted(self) -> list[bytes]:
        if self._sorted_tokens is None:
            self._sorted_tokens = sorted(self._mergeable_ranks)
        return self._sorted_tokens

    def _ids(self, text: str, allowed: AbstractSet[str], refused: Any) -> list[int]:
        if not isinstance(text, str):
            raise _no_text(text)
        return self._core.encode(_repaired(text), allowed, refused, None)

    def _checked(self, text: str, allowed: Any, refused: Any) -> tuple[AbstractSet[str], Any]:
        """What the core takes for both arguments; refuses a text that has what only Python can see.

        The core refuses special tokens as it finds them. One within an allowed one, or a text that is no special token,
        is looked for here, as tiktoken does it.
        """
        if not isinstance(text, str):
            raise _no_text(text)
        if isinstance(allowed, str):
            if allowed != "all":
                raise TypeError(f"allowed_special {allowed!r}: is one str. Pass a set of special tokens, or 'all'.")
            allowed = frozenset(self._special_tokens)
        known = frozenset(allowed) & self._special_tokens.keys()
        if isinstance(refused, str) and refused == "all":
            if not known:
                return known, "all"
            refused = self._special_tokens.keys() - allowed
        refused = frozenset(refused)
        unseen = refused if known else refused - self._special_tokens.keys()
        for content in sorted(unseen):
            if content in text:
                raise EncodeError(
                    f"special token {quoted(content)} found at character {text.index(content)} of the text, and it is "
                    f"disallowed. Pass allowed_special={{{content!r}}} to make it one token, or disallowed_special=() "
                    "to read it as ordinary text."
                )
        return known, refused & self._special_tokens.keys()


def _repaired(text: str) -> str:
    """A text without lone surrogates, as tiktoken reads it: the text itself if it has none."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _no_text(text: object) -> TypeError:
    return TypeError(f"text {quoted(text)}: is of type {type(text).__name__}, not str. Decode it first.")


def _key_error(error: DecodeError) -> KeyError:
    return KeyError(str(error))


def _check_threads(num_threads: int) -> None:
    if num_threads < 1:
        raise ValueError(f"num_threads {num_threads!r}: must be at least 1. Leave it out for 8.")
