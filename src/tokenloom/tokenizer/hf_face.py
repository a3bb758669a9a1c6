"""A tokenizer that is used as a `tokenizers.Tokenizer`: the methods, arguments and results of that library, 0.23.3.

A face has settings of its own for truncation and padding, at first those of the file that the tokenizer comes from. The
tokenizer itself never changes, so there is nothing that adds tokens, trains or takes a part out.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tokenloom.errors import DecodeError, EncodeError, SpecialTokenError
from tokenloom.spec.alphabets import from_characters, to_characters
from tokenloom.tokenizer.hf_encoding import HfEncoding
from tokenloom.tokenizer.hf_lengths import Padding, Truncation
from tokenloom.tokenizer.hf_postprocess import PostProcessing, postprocessing_of
from tokenloom.wording import quoted

if TYPE_CHECKING:
    from tokenloom.spec import AddedToken
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["HfFace"]

_ELSEWHERE: Final = {
    **dict.fromkeys(("from_file", "from_str", "from_buffer"), "Tokenizer.load(path).as_hf()"),
    "from_pretrained": "Tokenizer.from_pretrained(name).as_hf()",
    **dict.fromkeys(("train", "train_from_iterator"), "tokenloom.train"),
    **dict.fromkeys(("model", "normalizer", "pre_tokenizer", "decoder", "post_processor"), "Tokenizer.spec"),
    **dict.fromkeys(("async_encode", "async_encode_batch", "async_encode_batch_fast"), "encode and encode_batch"),
    "async_decode_batch": "decode_batch",
}
"""What the library has and a face has not, and what to use."""

_NO_CHANGE: Final = (
    "A tokenizer never changes: add them to the tokenizer.json that to_str gives and load that, or make a new one with "
    "Tokenizer.from_spec(dataclasses.replace(spec, added_tokens=...))"
)


class HfFace:
    """What `Tokenizer.as_hf` gives: a `tokenizers.Tokenizer` in all but its class.

    Special tokens in a text become one token each unless `encode_special_tokens` is set, whatever `special_text` of the
    tokenizer says. Spans are those of `tokenloom.Encoding`, which names the few that differ from the library's. Errors
    are ours, also ValueError or TypeError, where the library has `Exception` or panics.

    >>> from tokenloom import train
    >>> face = train(["the the"], 259, ["<pad>"]).as_hf()
    >>> face.enable_padding(pad_id=258, pad_token="<pad>", length=3)
    >>> encoding = face.encode("the ☂"[:4])
    >>> encoding.tokens, encoding.offsets, encoding.word_ids, encoding.attention_mask
    (['the', 'Ġ', '<pad>'], [(0, 3), (3, 4), (0, 0)], [0, 1, None], [1, 1, 0])
    >>> face.decode(encoding.ids)
    'the '
    """

    encode_special_tokens: bool
    """Whether special tokens in a text are ordinary text."""

    def __init__(self, tokenizer: "Tokenizer") -> None:
        self._tokenizer, self._core = tokenizer, tokenizer._core
        self._spec, stored = tokenizer.spec, _stored(tokenizer)
        self._truncation = Truncation.of(stored["truncation"]) if "truncation" in stored else None
        self._padding = Padding.of(stored["padding"]) if "padding" in stored else None
        self._stored_processor = stored.get("post_processor")
        self.encode_special_tokens = False
        self._added = {added.id: added for added in self._spec.added_tokens}
        self._ids_of_added = {added.content: added.id for added in self._spec.added_tokens}
        self._specials = frozenset(added.content for added in self._spec.special_tokens)
        self._tokens: dict[int, str | None] = {}
        self._processing: PostProcessing = postprocessing_of(self._spec, self._stored_processor, self.id_to_token)

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> HfEncoding:
        """The encoding of a text, or of two; with `is_pretokenized` each is a list of str, each of which is a word."""
        encoding = self._encoded(sequence, pair, is_pretokenized, add_special_tokens, fast=False)
        return self._filled([encoding])[0]

    def encode_batch(
        self,
        input: Iterable[Any],  # noqa: A002 - the name that the library has
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[HfEncoding]:
        """The encodings of many texts, or pairs as tuples of two."""
        return self._batch(input, is_pretokenized, add_special_tokens, fast=False)

    def encode_batch_fast(
        self,
        input: Iterable[Any],  # noqa: A002 - the name that the library has
        is_pretokenized: bool = False,
        add_special_tokens: bool = True,
    ) -> list[HfEncoding]:
        """As `encode_batch`, without spans, words and the tokens of texts."""
        return self._batch(input, is_pretokenized, add_special_tokens, fast=True)

    def post_process(
        self, encoding: HfEncoding, pair: HfEncoding | None = None, add_special_tokens: bool = True
    ) -> HfEncoding:
        """Truncate, put ids around, and fill up: the last steps of `encode`."""
        encodings = [one.copied() for one in (encoding, pair) if one is not None]
        return self._filled([self._processed(encodings, add_special_tokens)])[0]

    def decode(self, ids: Sequence[int], skip_special_tokens: bool = True) -> str:
        """The text of ids; those without a token are passed over."""
        if isinstance(ids, (str, bytes)) or not isinstance(ids, Iterable):
            raise TypeError(f"ids {quoted(ids)}: is of type {type(ids).__name__}, not a sequence of ids. Pass a list.")
        kept = []
        for token_id in ids:
            token = self.id_to_token(token_id)
            if token is not None and not (skip_special_tokens and token in self._specials):
                kept.append(token_id)
        return self._tokenizer.decode(kept)

    def decode_batch(self, sequences: Iterable[Sequence[int]], skip_special_tokens: bool = True) -> list[str]:
        """The text of each sequence of ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    def token_to_id(self, token: str) -> int | None:
        """The id of a token as files spell it; None if there is none."""
        if token in self._ids_of_added:
            return self._ids_of_added[token]
        try:
            data = from_characters(token) if self._spec.joins_bytes else token.encode()
        except (KeyError, UnicodeEncodeError):
            return None
        token_id = self._core.id_of(data)
        return token_id if token_id is not None and self.id_to_token(token_id) == token else None

    def id_to_token(self, id: int) -> str | None:  # noqa: A002 - the name that the library has
        """The token of an id as files spell it; None if there is none."""
        if id not in self._tokens:
            self._tokens[id] = self._spelled(id)
        return self._tokens[id]

    def get_vocab(self, with_added_tokens: bool = True) -> dict[str, int]:
        """Ids by token; without added tokens, of those that the model makes.

        The library then has added tokens too that stand in the vocabulary of the file, which means nothing.
        """
        ids = {self._spelling(token): token_id for token_id, token in enumerate(self._spec.model_tokens()) if token}
        return ids | self._ids_of_added if with_added_tokens else ids

    def get_vocab_size(self, with_added_tokens: bool = True) -> int:
        """The number of tokens, which is less than the highest id where some ids have none."""
        return len(self.get_vocab(with_added_tokens))

    def get_added_tokens_decoder(self) -> "dict[int, AddedToken]":
        """The added tokens by id."""
        return dict(self._added)

    def add_special_tokens(self, tokens: Iterable[Any]) -> int:
        """0 if all of them are special tokens already. Raises: SpecialTokenError for others."""
        return self._refuse_new(tokens, self._specials, "special token")

    def add_tokens(self, tokens: Iterable[Any]) -> int:
        """0 if all of them are added tokens already. Raises: SpecialTokenError for others."""
        return self._refuse_new(tokens, self._ids_of_added.keys(), "added token")

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """How many ids are put around one text, or two."""
        return self._processing.n_added(2 if is_pair else 1)

    def enable_truncation(
        self, max_length: int, stride: int = 0, strategy: str = "longest_first", direction: str = "right"
    ) -> None:
        """Cut encodings to `max_length` ids from now on, those around the text counted."""
        truncation = Truncation(max_length, stride, strategy, direction)
        truncation.check(self._processing.n_added(1))
        self._truncation = truncation

    def no_truncation(self) -> None:
        """Cut no encodings from now on."""
        self._truncation = None

    def enable_padding(
        self,
        direction: str = "right",
        pad_id: int = 0,
        pad_type_id: int = 0,
        pad_token: str = "[PAD]",
        length: int | None = None,
        pad_to_multiple_of: int | None = None,
    ) -> None:
        """Fill encodings up from now on, to a length or that of the longest one of a batch."""
        self._padding = Padding(direction, pad_id, pad_type_id, pad_token, length, pad_to_multiple_of)

    def no_padding(self) -> None:
        """Fill no encodings up from now on."""
        self._padding = None

    @property
    def truncation(self) -> dict[str, Any] | None:
        """The settings of truncation; None if there is none."""
        return self._truncation.shown() if self._truncation else None

    @property
    def padding(self) -> dict[str, Any] | None:
        """The settings of padding; None if there is none."""
        return self._padding.shown() if self._padding else None

    def to_str(self, pretty: bool = False) -> str:
        """The content of `tokenizer.json`. Raises: FormatError if that cannot hold the tokenizer."""
        from tokenloom.formats.hf_json import render_hf_json

        text = render_hf_json(self._spec, settings=self._settings()).decode()
        return text if pretty else json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))

    def save(self, path: str, pretty: bool = True) -> None:
        """Write `tokenizer.json`."""
        from tokenloom.storage import replace_files

        replace_files({Path(path): self.to_str(pretty).encode()})

    def __repr__(self) -> str:
        return f"HfFace({self._tokenizer!r})"

    def __getstate__(self) -> dict[str, Any]:
        settings = {"truncation": self._truncation, "padding": self._padding}
        return {"tokenizer": self._tokenizer, "encode_special_tokens": self.encode_special_tokens} | settings

    def __setstate__(self, state: dict[str, Any]) -> None:
        HfFace.__init__(self, state["tokenizer"])
        self.encode_special_tokens = state["encode_special_tokens"]
        self._truncation, self._padding = state["truncation"], state["padding"]

    def __getattr__(self, name: str) -> Any:
        remedy = f". Use {_ELSEWHERE[name]}." if name in _ELSEWHERE else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{remedy}", name=name, obj=self)

    def _batch(self, inputs: Iterable[Any], is_pretokenized: bool, adds: bool, *, fast: bool) -> list[HfEncoding]:
        if isinstance(inputs, (str, bytes)):
            raise TypeError(f"input {quoted(inputs)}: is one text, not many. Pass a list, or use encode.")
        encodings = []
        for item in inputs:
            first, second = _texts_of(item, is_pretokenized)
            encodings.append(self._encoded(first, second, is_pretokenized, adds, fast=fast))
        return self._filled(encodings)

    def _filled(self, encodings: list[HfEncoding]) -> list[HfEncoding]:
        if self._padding:
            self._padding.apply(encodings)
        return encodings

    def _encoded(self, first: Any, second: Any, is_pretokenized: bool, adds: bool, *, fast: bool) -> HfEncoding:
        texts = [first] if second is None else [first, second]
        encodings = [self._of_text(text, number, is_pretokenized, fast=fast) for number, text in enumerate(texts)]
        return self._processed(encodings, adds)

    def _processed(self, encodings: list[HfEncoding], adds: bool) -> HfEncoding:
        if self._truncation:
            self._truncation.apply(encodings, self._processing.n_added(len(encodings)) if adds else 0)
        return self._processing.apply(encodings, adds=adds)

    def _of_text(self, text: Any, type_id: int, is_pretokenized: bool, *, fast: bool) -> HfEncoding:
        if not is_pretokenized:
            return self._of_str(text, type_id, None, fast=fast)
        if isinstance(text, str) or not isinstance(text, Iterable):
            what = f"is of type {type(text).__name__}, not a list of words"
            raise TypeError(f"sequence {quoted(text)}: {what}. Pass a list of str, or is_pretokenized=False.")
        words = (self._of_str(word, type_id, number, fast=fast) for number, word in enumerate(text))
        return HfEncoding.merge(words, growing_offsets=False)

    def _of_str(self, text: Any, type_id: int, word: int | None, *, fast: bool) -> HfEncoding:
        if not isinstance(text, str):
            raise TypeError(f"sequence {quoted(text)}: is of type {type(text).__name__}, not str. Decode it first.")
        allowed: Any = () if self.encode_special_tokens else "all"
        try:
            ids, spans, words = (array.tolist() for array in self._core.encode_with_words(text, allowed, ()))
        except EncodeError as error:
            raise TypeError(str(error)) from error
        n_ids = len(ids)
        ones, zeros = [1] * n_ids, [0] * n_ids
        if fast:
            return HfEncoding(ids, zeros[:], [""] * n_ids, [None] * n_ids, [(0, 0)] * n_ids, zeros, ones)
        tokens = self._tokens_of(text, ids, words, allowed)
        numbers = words if word is None else [word] * n_ids
        offsets = [(start, stop) for start, stop in spans]
        return HfEncoding(ids, [type_id] * n_ids, tokens, numbers, offsets, zeros, ones)

    def _tokens_of(self, text: str, ids: list[int], words: list[int], allowed: Any) -> list[str]:
        """The tokens of ids; of an added token what was found in the text, blanks that it took with it."""
        tokens = [self.id_to_token(token_id) or "" for token_id in ids]
        if not self._added.keys().isdisjoint(ids):
            pieces = self._core.explain(text, [], allowed, ())
            for place, number in enumerate(words):
                piece, _, is_added = pieces[number]
                if is_added:
                    tokens[place] = piece.decode()
        return tokens

    def _spelled(self, token_id: int) -> str | None:
        if token_id in self._added:
            return self._added[token_id].content
        try:
            return self._spelling(self._core.token_bytes([token_id]))
        except DecodeError:
            return None

    def _spelling(self, token: bytes) -> str:
        return to_characters(token) if self._spec.joins_bytes else token.decode()

    def _refuse_new(self, tokens: Iterable[Any], known: Any, kind: str) -> int:
        for token in tokens:
            content = token if isinstance(token, str) else getattr(token, "content", token)
            if content not in known:
                raise SpecialTokenError(f"{kind} {quoted(content)}: is not in the tokenizer. {_NO_CHANGE}.")
        return 0

    def _settings(self) -> dict[str, Any]:
        settings: dict[str, Any] = {}
        if self._truncation:
            settings["truncation"] = self._truncation.settings()
        if self._padding:
            settings["padding"] = self._padding.settings()
        if self._stored_processor:
            settings["post_processor"] = self._stored_processor
        return settings


def _stored(tokenizer: "Tokenizer") -> dict[str, Any]:
    """What the file of a tokenizer says beyond its description."""
    from tokenloom.formats.exports import settings_of

    return settings_of(tokenizer.spec, tokenizer.provenance)


def _texts_of(item: Any, is_pretokenized: bool) -> tuple[Any, Any]:
    """The one text of an entry of a batch, or both: a tuple, or without words also a list, of two is a pair."""
    if isinstance(item, str):
        return item, None
    is_pair = isinstance(item, (tuple, list)) and len(item) == 2
    if is_pretokenized:
        return tuple(item) if is_pair and not any(isinstance(part, str) for part in item) else (item, None)
    if is_pair:
        return item[0], item[1]
    what = f"is of type {type(item).__name__}, neither a text nor a pair of texts"
    raise TypeError(f"input {quoted(item)}: {what}. Pass str, or tuples of two.")
