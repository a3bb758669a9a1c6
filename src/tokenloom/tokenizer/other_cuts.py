"""Other ways to cut a text into the tokens of a tokenizer: the longest at each place, or as few as there can be."""

from typing import Final

from tokenloom import _core
from tokenloom.errors import SpecError
from tokenloom.spec import AddedToken, BpeModel, UnigramModel
from tokenloom.tokenizer.options import Text
from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["OtherCuts"]

_BYTE_TOKENS: Final = tuple(f"<0x{byte:02X}>".encode() for byte in range(256))


class OtherCuts:
    """Cuts texts into the tokens of a BPE or unigram tokenizer in other ways than its own.

    Normalizer, pretokenizer and the mark of the end of a word are those of the tokenizer, and so are its ids. Special
    tokens in a text are ordinary text. A character that is in no token becomes the tokens of its bytes where the model
    does that, or else its unknown token, one for each, or else nothing; the tokens for bytes and the unknown one stand
    for nothing else.
    The longest tokens take time in the length of the text; the fewest take time in the number of places where a token
    fits.

    Args:
        tokenizer: whose tokens.
    Raises: SpecError for a model whose tokens do not join to the text, such as WordPiece.

    >>> from tokenloom import Tokenizer
    >>> merges = [(b"b", b"c"), (b"a", b"b"), (b"bc", b"d")]
    >>> vocab = {i: bytes([i]) for i in range(256)} | {256: b"bc", 257: b"ab", 258: b"bcd"}
    >>> tokenizer = Tokenizer(vocab, merges)
    >>> cuts = OtherCuts(tokenizer)
    >>> tokenizer.encode("abcd"), cuts.encode_greedy("abcd"), cuts.encode_fewest("abcd")
    ([97, 258], [257, 99, 100], [97, 258])
    """

    __slots__ = ("_added", "_byte_ids", "_core", "_n_bytes", "_suffix", "_tokenizer", "_unk_id")

    def __init__(self, tokenizer: Tokenizer) -> None:
        spec, model = tokenizer.spec, tokenizer.spec.model
        self._suffix = b""
        if isinstance(model, BpeModel):
            if model.continuing_subword_prefix:
                raise SpecError(
                    f"model: tokens with the prefix {model.continuing_subword_prefix!r} do not join to the text. Use a "
                    "tokenizer without it."
                )
            self._suffix = (model.end_of_word_suffix or "").encode()
        elif not isinstance(model, UnigramModel):
            raise SpecError(f"model: tokens of {model.type!r} do not join to the text. Use a BPE or unigram tokenizer.")
        self._tokenizer = tokenizer
        unknown = None if model.unk_token is None else model.unk_token.encode()
        tokens = {token: token_id for token_id, token in enumerate(spec.model_tokens()) if token}
        byte_ids = [tokens.get(token) for token in _BYTE_TOKENS] if model.byte_fallback else [None]
        self._byte_ids = [token_id for token_id in byte_ids if token_id is not None]
        self._unk_id = None if unknown is None else tokens.get(unknown)
        others = {*([unknown] if unknown is not None else ()), *(_BYTE_TOKENS if model.byte_fallback else ())}
        others.update(token.content.encode() for token in spec.added_tokens if _is_apart(token, spec.joins_bytes))
        self._core = _core.OtherCuts([item for item in tokens.items() if item[0] not in others])
        self._n_bytes = {token_id: len(token) for token, token_id in tokens.items()}
        self._added = {token.content.encode(): token.id for token in spec.added_tokens if not token.special}

    def encode_greedy(self, text: Text) -> list[int]:
        """The ids where at each place, from the left, the longest token is taken."""
        return self._cut(text, is_fewest=False)

    def encode_fewest(self, text: Text) -> list[int]:
        """The ids of the cut of each pretoken that has the fewest tokens.

        Of equals it is the one whose first token is longest, then the second, and so on. Before tokens are counted,
        characters that are in none are: there are as few of them as can be.
        """
        return self._cut(text, is_fewest=True)

    def _cut(self, text: Text, *, is_fewest: bool) -> list[int]:
        pieces = self._tokenizer.pretokens(text, disallowed_special=())
        marked = [piece + self._suffix for piece in pieces]
        ids: list[int] = []
        for piece, whole, tokens in zip(pieces, marked, self._core.cut(marked, is_fewest), strict=True):
            if piece in self._added:
                ids.append(self._added[piece])
                continue
            at = 0
            for token in tokens:  # an id, or the bytes of a character below zero
                n_bytes = -token if token < 0 else self._n_bytes[token]
                ids += [token] if token >= 0 else self._missing(whole[at : at + n_bytes])
                at += n_bytes
        return ids

    def _missing(self, character: bytes) -> list[int]:
        """What a character becomes that is in no token."""
        if len(self._byte_ids) == len(_BYTE_TOKENS):
            return [self._byte_ids[byte] for byte in character]
        return [] if self._unk_id is None else [self._unk_id]


def _is_apart(token: AddedToken, joins_bytes: bool) -> bool:
    """Whether text never becomes an added token. Where bytes are joined, merges make each that has bytes."""
    return token.special and not joins_bytes and len(token.content) > 1
