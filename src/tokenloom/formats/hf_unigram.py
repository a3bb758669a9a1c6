"""The Unigram model of `tokenizer.json`, both ways: a list of pieces with their scores, in the order of ids.

The library finds each piece of the list in text, also that of a special token such as "</s>". Text must not produce one
by accident, so here the model does not have the special tokens of the list: they are found as added tokens, where these
are looked for, and nowhere else. The lowest score decides what an unknown character costs, so a special token that
alone has it stays in the model.
Source: `models/unigram` of huggingface/tokenizers.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tokenloom.errors import FormatError
from tokenloom.formats.hf_added_tokens import cannot_hold, check_added, n_in_vocabulary
from tokenloom.formats.hf_characters import packed_texts
from tokenloom.formats.hf_model import DictKeys, ModelArrays
from tokenloom.formats.json_values import Node
from tokenloom.spec import AddedToken, TokenizerSpec, UnigramModel
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import FLOAT64_BYTES, pack_float64, unpack_float64
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    pass

__all__ = ["read_unigram", "unigram_json"]

_KEYS: Final = ("type", "unk_id", "vocab", "byte_fallback")
_MEND: Final = "Restore the file, or mend the entry"


def read_unigram(model: Node, added: Sequence[AddedToken]) -> ModelArrays:
    """The arrays of a Unigram model.

    Raises: FormatError naming the place, for anything but such a model and for pieces, scores and ids at fault.
    """
    model.only(*_KEYS)
    vocab = model["vocab"]
    pieces, scores = _checked_entries(vocab)
    ids = {piece: token_id for token_id, piece in enumerate(pieces)}
    if len(ids) < len(pieces):
        at = next(at for at, piece in enumerate(pieces) if ids[piece] != at)
        again = quoted(pieces[at])
        raise vocab[ids[pieces[at]]].fault(f"{again} is there already, as {vocab[at].path}", "Remove one of the two")
    unk_token = _unknown(model.get("unk_id"), pieces)
    byte_fallback = model.get("byte_fallback", False).flag()
    check_added(added, DictKeys(ids), model.file)
    special = {token.content for token in added if token.special and token.content in ids}
    lowest = min(scores)
    if special and all(piece in special for piece, score in zip(pieces, scores, strict=True) if score == lowest):
        special = {content for content in special if scores[ids[content]] > lowest}
    token_bytes, token_offsets = packed_texts(Node({}, vocab.path, vocab.file), ids, special, added)
    n_ids = len(token_offsets) // 4 - 1
    packed = pack_float64(scores) + bytes(FLOAT64_BYTES * (n_ids - len(scores)))
    kind = UnigramModel("tokenizers", unk_token, byte_fallback)
    return ModelArrays(kind, token_bytes, token_offsets, scores=packed)


def _checked_entries(vocab: Node) -> tuple[list[str], list[float]]:
    """Pieces and scores. They are checked as a whole; the entry at fault is searched for when there is one."""
    entries = vocab.listed()
    if not entries:
        raise vocab.fault("is empty", "Restore the file")
    if len(entries) > ID_LIMIT:
        raise vocab.fault(f"has {counted(len(entries), 'piece')}", f"Keep {ID_LIMIT:,} at most")
    if set(map(type, entries)) == {list} and set(map(len, entries)) == {2}:
        pieces, scores = map(list, zip(*entries, strict=True))
        if set(map(type, pieces)) == {str} and set(map(type, scores)) <= {float, int} and all(pieces):
            numbers = list(map(_number, scores))
            if all(map(math.isfinite, numbers)) and _is_utf8(pieces):
                return pieces, numbers
    item = next(item for item in vocab.items() if not _is_entry(item.value))
    if isinstance(item.value, list) and item.value[:1] == [""]:
        raise item.fault("its piece is empty", "Name another piece: the place of an entry is its id")
    raise item.fault(f"{quoted(item.value)} is not a piece and its score", f"{_MEND}: write ['piece', -1.5]")


def _is_entry(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    piece, score = value
    is_number = type(score) in (float, int) and math.isfinite(_number(score))
    return isinstance(piece, str) and piece != "" and _is_utf8([piece]) and is_number


def _number(score: float) -> float:
    try:
        return float(score)
    except OverflowError:  # a whole number with hundreds of digits
        return math.inf


def _is_utf8(pieces: Sequence[str]) -> bool:
    try:
        "".join(pieces).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unknown(unk_id: Node, pieces: Sequence[str]) -> str | None:
    if unk_id.value is None:
        return None
    at = unk_id.whole_number()
    if at >= len(pieces):
        what = f"is {at}, and model.vocab has {counted(len(pieces), 'piece')}"
        raise unk_id.fault(what, "Name the place of the unknown piece, or null for none")
    return pieces[at]


def unigram_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any]:
    """The inverse of `read_unigram`. Raises: FormatError if the library would give other ids."""
    model = spec.model
    assert isinstance(model, UnigramModel)
    if model.semantics != "tokenizers":
        raise FormatError(
            f"{place}: cannot hold a unigram model of semantics {model.semantics!r}: the library that reads this file "
            "adds scores in 64 bits and joins unknown characters otherwise, so ids would differ. Save it as a "
            "SentencePiece model or in our own format."
        )
    vocab = _entries(spec, model.unk_token, place)
    unk_id = next((token_id for token_id, (piece, _) in enumerate(vocab) if piece == model.unk_token), None)
    if model.unk_token is not None and unk_id is None:
        raise FormatError(f"{place}: unk_token {quoted(model.unk_token)} is no token. Name one that is, or None.")
    return {"type": "Unigram", "unk_id": unk_id, "vocab": vocab, "byte_fallback": model.byte_fallback}


def _entries(spec: TokenizerSpec, unk_token: str | None, place: str) -> list[list[Any]]:
    """Pieces and scores by id. The library numbers added tokens from the size of the list on: where these are not their
    ids, they are written into the list, which is possible unless text would become them there.
    """
    tokens = [token.decode() for token in spec.model_tokens()]
    scores = unpack_float64(spec.scores)
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    lowest = min(map(scores.__getitem__, ids.values()), default=0.0)
    others = [token for token in spec.added_tokens if not tokens[token.id]]
    n_known = len(ids)
    n_unknown = next((at + 1 for at, token in enumerate(others) if token.content == unk_token), 0)
    for added in others[: max(n_in_vocabulary(others, n_known), n_unknown)]:
        is_made = (added.single_word or not added.special) and added.content != unk_token
        if ids.setdefault(added.content, added.id) != added.id or is_made:
            what = f"the library would give it another id or find it in pretokens ({counted(n_known, 'token')})"
            raise cannot_hold(place, added, what)
        scores[added.id] = max(scores[added.id], lowest)  # which counts in the library
    listed = sorted(ids.items(), key=lambda item: item[1])
    gap = next((at for at, (_, token_id) in enumerate(listed) if at != token_id), None)
    if gap is not None:
        raise FormatError(
            f"{place}: cannot hold a unigram model without a token of id {gap}, since an id is the place in a list. "
            "Use another format."
        )
    return [[token, scores[token_id]] for token, token_id in listed]
