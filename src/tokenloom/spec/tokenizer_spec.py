"""A tokenizer as data: a frozen tree of plain values that describes it completely.

Formats translate a file into a spec and back, the core is built from a spec in one call, and tests give the same values
to the core and to a lesson. Small parts are dataclasses with one canonical JSON text; large parts are packed `bytes`,
so that a vocabulary of 200,000 tokens is three objects and not 400,000. Dicts and lists are views made on demand.
"""

import hashlib
from array import array
from dataclasses import dataclass, field
from math import isfinite

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec.added_tokens import AddedToken
from tokenloom.spec.components import ID_LIMIT, Pretokenizer
from tokenloom.spec.config import parse_config, render_config
from tokenloom.spec.decoder import Decoder
from tokenloom.spec.model import BpeModel
from tokenloom.spec.models import Model
from tokenloom.spec.normalizer import Normalizer
from tokenloom.spec.other_models import UnigramModel
from tokenloom.spec.packing import (
    FLOAT64_BYTES,
    UINT32_BYTES,
    first_fall,
    highest,
    is_utf8,
    unpack_arena,
    unpack_float64,
    unpack_uint32,
)
from tokenloom.spec.postprocessor import Template
from tokenloom.wording import counted, quoted

__all__ = ["TokenizerSpec"]


@dataclass(frozen=True, slots=True)
class TokenizerSpec:
    """Everything that decides ids and decoding, and nothing else.

    Args:
        model: the model and its semantics: BPE, WordPiece, unigram or words.
        pretokenizer: how text is cut before the model.
        added_tokens: sorted by id; ids and contents are unique.
        token_bytes: the arena, all token bytes joined in the order of ids.
        token_offsets: little-endian uint32 of shape (max_id + 2,): token `i` is `token_bytes[offset[i]:offset[i + 1]]`.
            An empty token is an id that the model never produces: a hole, or the id of an added token.
            Where bytes are not joined, the bytes are the UTF-8 of the token's string, such as "▁the" or "<0x0A>".
        merges: little-endian uint32 of shape (n_merges, 2): ids of the left and right part, rank 0 first. Empty for
            semantics "ranks", where the rank of a token is its id, and for models that merge nothing.
        normalizer: how text is changed before it is cut; None leaves it as it is.
        postprocessor: ids around those of a text; None for none.
        decoder: how tokens become text: it has no steps if the model joins bytes, and steps otherwise.
        scores: little-endian float64 of shape (max_id + 1,), for models that have scores: see `UnigramModel`, and
            semantics "scores" of `BpeModel`.
    Raises: SpecError or SpecialTokenError if the shapes or the added tokens contradict each other. Whether every
        byte has a token and every merge a result is for `build_spec` and the core to check.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)} | {256: b"th"}, [(b"t", b"h")], ["<|end|>"])
    >>> spec.special_tokens, spec.merge_list()
    ((AddedToken(content='<|end|>', id=257),), [(b't', b'h')])
    """

    model: Model
    pretokenizer: Pretokenizer
    added_tokens: tuple[AddedToken, ...]
    token_bytes: bytes = field(repr=False)
    token_offsets: bytes = field(repr=False)
    merges: bytes = field(repr=False)
    normalizer: Normalizer | None = None
    postprocessor: Template | None = None
    decoder: Decoder = field(default_factory=Decoder)
    scores: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        n_ids = _check_offsets(self.token_offsets, len(self.token_bytes))
        _check_merges(self.merges, n_ids, self.model)
        _check_scores(self.scores, n_ids, self.model)
        _check_unit(self.joins_bytes, self.decoder, self.token_bytes)
        _check_added_tokens(self.added_tokens)
        offsets = unpack_uint32(self.token_offsets)
        _check_added_ids(self.added_tokens, n_ids, self.token_bytes, offsets)
        if self.postprocessor:
            _check_template(self.postprocessor, {token.id for token in self.added_tokens}, offsets)

    @classmethod
    def from_config(
        cls, config_json: str, *, token_bytes: bytes, token_offsets: bytes, merges: bytes, scores: bytes = b""
    ) -> "TokenizerSpec":
        """Put a spec together from its canonical JSON and its arrays; unknown components are refused by name."""
        model, pretokenizer, added_tokens, normalizer, postprocessor, decoder = parse_config(config_json)
        arrays = (token_bytes, token_offsets, merges)
        return cls(model, pretokenizer, added_tokens, *arrays, normalizer, postprocessor, decoder, scores)

    def config_json(self) -> str:
        """The small parts as canonical JSON: sorted keys, no blanks, ASCII."""
        parts = (self.model, self.pretokenizer, self.added_tokens, self.normalizer, self.postprocessor, self.decoder)
        return render_config(*parts)

    @property
    def arrays(self) -> tuple[bytes, bytes, bytes, bytes]:
        """The large parts, as the core takes them: token bytes, token offsets, merges and scores."""
        return self.token_bytes, self.token_offsets, self.merges, self.scores

    @property
    def bpe(self) -> BpeModel:
        """The model, for what is of BPE alone. Raises: SpecError for another one."""
        if not isinstance(self.model, BpeModel):
            raise SpecError(f"model: {self.model.type!r} merges nothing, and this is of merges. Use a BPE tokenizer.")
        return self.model

    @property
    def joins_bytes(self) -> bool:
        """Whether the bytes of tokens are those of the text; elsewhere tokens are strings that a decoder works on."""
        return isinstance(self.model, BpeModel) and self.model.unit == "byte"

    @property
    def special_tokens(self) -> tuple[AddedToken, ...]:
        """The added tokens that are special."""
        return tuple(token for token in self.added_tokens if token.special)

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of all that decides ids and decoding; equal fingerprints mean equal tokenizers.

        Hashed are `config` (the canonical JSON), `token_bytes`, `token_offsets`, `merges` and, where there are some,
        `scores`, in this order; each as its name in ASCII, its length in bytes as little-endian uint64, and its bytes.
        The lengths keep one part from running into the next.
        """
        digest = hashlib.sha256()
        parts = {
            "config": self.config_json().encode("ascii"),
            "token_bytes": self.token_bytes,
            "token_offsets": self.token_offsets,
            "merges": self.merges,
        } | ({"scores": self.scores} if self.scores else {})
        for name, data in parts.items():
            digest.update(name.encode("ascii") + len(data).to_bytes(8, "little"))
            digest.update(data)
        return digest.hexdigest()

    @property
    def n_ids(self) -> int:
        """One more than the highest id, so ids without a token count."""
        return len(self.token_offsets) // UINT32_BYTES - 1

    def model_tokens(self) -> list[bytes]:
        """The token bytes of each id; none for a hole, and for an added token that the model does not make."""
        return unpack_arena(self.token_bytes, self.token_offsets)

    def vocabulary(self) -> dict[int, bytes]:
        """Token bytes by id, in the order of ids, added tokens among them; holes are left out."""
        tokens = self.model_tokens()
        for added in self.added_tokens:
            tokens[added.id] = added.content.encode()
        return {token_id: token for token_id, token in enumerate(tokens) if token}

    def merge_list(self) -> list[tuple[bytes, bytes]]:
        """The merges as pairs of token bytes, rank 0 first."""
        tokens = self.model_tokens()
        ids = unpack_uint32(self.merges)
        return [(tokens[left], tokens[right]) for left, right in zip(ids[::2], ids[1::2], strict=True)]


def _check_offsets(token_offsets: bytes, arena_bytes: int) -> int:
    """Check that the offsets cover the arena without falling; returns the number of ids."""
    size = len(token_offsets)
    if size == 0 or size % UINT32_BYTES:
        raise SpecError(f"token_offsets: {counted(size, 'byte')} are not one or more uint32. Pack max_id + 2 offsets.")
    n_ids = size // UINT32_BYTES - 1
    if n_ids > ID_LIMIT:
        raise SpecError(f"token_offsets: {n_ids:,} ids are more than the {ID_LIMIT:,} allowed. Use smaller ids.")
    if (token_id := first_fall(token_offsets)) is not None:
        raise SpecError(f"token_offsets: they fall after id {token_id}. Pack them in ascending order.")
    offsets = unpack_uint32(token_offsets[:UINT32_BYTES] + token_offsets[-UINT32_BYTES:])
    if offsets[0] != 0 or offsets[-1] != arena_bytes:
        raise SpecError(
            f"token_offsets: they run from {offsets[0]} to {offsets[-1]}, but token_bytes from 0 to {arena_bytes}. "
            "Pack both from the same tokens."
        )
    return n_ids


def _check_merges(merges: bytes, n_ids: int, model: Model) -> None:
    """Check that merges are pairs of existing ids, and absent where they decide nothing."""
    if len(merges) % (2 * UINT32_BYTES):
        raise SpecError(f"merges: {counted(len(merges), 'byte')} are not pairs of uint32. Pack two ids a merge.")
    if merges and not isinstance(model, BpeModel):
        raise SpecError(f"merges: model {model.type!r} takes none. Remove them.")
    if merges and isinstance(model, BpeModel) and model.semantics != "merges":
        reason = "the rank of a token is its id" if model.semantics == "ranks" else "scores say what is joined"
        raise SpecError(
            f"merges: semantics {model.semantics!r} takes none, since {reason}. Remove them or use semantics 'merges'."
        )
    if merges and highest(merges) >= n_ids:
        ids = unpack_uint32(merges)
        position = next(i for i, token_id in enumerate(ids) if token_id >= n_ids)
        raise SpecError(
            f"merges, rank {position // 2}: id {ids[position]} is outside the {counted(n_ids, 'id')} of the "
            "vocabulary. Add the token or drop the merge."
        )


def _check_scores(scores: bytes, n_ids: int, model: Model) -> None:
    """Check that there is a finite score of each id where the model has scores, and none elsewhere."""
    has_scores = isinstance(model, UnigramModel) or (isinstance(model, BpeModel) and model.semantics == "scores")
    n_scores = n_ids if has_scores else 0
    if len(scores) != n_scores * FLOAT64_BYTES:
        raise SpecError(
            f"scores: they have {counted(len(scores), 'byte')}, and model {model.type!r} with {counted(n_ids, 'id')} "
            f"has {counted(n_scores, 'score')} of {FLOAT64_BYTES} bytes. Pack one float64 an id, or none."
        )
    values = unpack_float64(scores)
    if not isfinite(sum(values)):  # one look at all is a tenth of a look at each
        for token_id, score in enumerate(values):
            if not isfinite(score):
                raise SpecError(f"scores: id {token_id} has the score {score}. Give each token a finite one.")


def _check_unit(joins_bytes: bool, decoder: Decoder, token_bytes: bytes) -> None:
    """Check that where bytes are not joined there are steps of the decoder, and tokens are text."""
    if joins_bytes:
        if decoder.steps is not None:
            raise SpecError("decoder: it has steps, and where bytes are joined they are the text. Use Decoder().")
        return
    if decoder.steps is None:
        raise SpecError("decoder: unit 'character' needs steps that make text of tokens. Use Decoder(()) to join them.")
    if is_utf8(token_bytes):
        return
    try:
        token_bytes.decode()
    except UnicodeDecodeError as error:
        raise SpecError(
            f"token_bytes: byte {error.start} is not UTF-8, and unit 'character' has tokens of text. "
            "Encode each token as UTF-8."
        ) from error


def _check_added_tokens(added_tokens: tuple[AddedToken, ...]) -> None:
    """Check that contents and ids are unique and that the order is that of the ids."""
    ids: set[int] = set()
    contents: set[str] = set()
    for added in added_tokens:
        if added.content in contents:
            raise SpecialTokenError(f"{added.kind} {quoted(added.content)}: it is listed twice. Keep one of the two.")
        if added.id in ids:
            raise SpecialTokenError(
                f"{added.kind} {quoted(added.content)}: another one has its id {added.id} too. Give each its own id."
            )
        ids.add(added.id)
        contents.add(added.content)
    if list(added_tokens) != sorted(added_tokens, key=lambda added: added.id):
        raise SpecError("added_tokens: they are not sorted by id, so equal tokenizers would differ. Sort them.")


def _check_added_ids(added_tokens: tuple[AddedToken, ...], n_ids: int, arena: bytes, offsets: "array[int]") -> None:
    """Check that added tokens lie inside the ids, that no id has two tokens, and that the highest id has one."""
    for added in added_tokens:
        if added.id >= n_ids:
            raise SpecError(
                f"{added.kind} {quoted(added.content)}: its id {added.id} is outside the {counted(n_ids, 'id')} of "
                "token_offsets. Add an empty token for it."
            )
        token = arena[offsets[added.id] : offsets[added.id + 1]]
        if token and token != added.content.encode():
            raise SpecError(
                f"id {added.id}: it belongs to {added.kind} {quoted(added.content)} and to token {quoted(token)}. "
                "Give one of them another id."
            )
    highest = added_tokens[-1].id if added_tokens else -1
    if n_ids and offsets[-1] == offsets[-2] and highest != n_ids - 1:
        raise SpecError(
            f"token_offsets: the highest id {n_ids - 1} has no token, so equal tokenizers would differ. "
            "Cut the offsets after the highest id that has one."
        )


def _check_template(postprocessor: Template, added_ids: set[int], offsets: "array[int]") -> None:
    """Check that the ids around a text are those of tokens."""
    for token_id in sorted(postprocessor.ids() - added_ids):
        if token_id + 1 >= len(offsets) or offsets[token_id] == offsets[token_id + 1]:
            raise SpecError(f"postprocessor: id {token_id} has no token. Name ids of the vocabulary.")
