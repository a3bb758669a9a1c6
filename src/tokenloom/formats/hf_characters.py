"""The BPE model of `tokenizer.json` whose tokens are text, both ways: keys of the vocabulary are tokens as themselves.

Every entry of the vocabulary is a token of the model, as it is for the library: also an added one, such as the unknown
token. The exception is a special token that only a whole pretoken could make, where whole pretokens come first
(`ignore_merges`): ordinary text must not produce it by accident, so the model does not have it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from operator import concat
from typing import Any, Final

from tokenloom.errors import FormatError
from tokenloom.formats.hf_added_tokens import cannot_hold, check_added, n_in_vocabulary
from tokenloom.formats.hf_model import (
    DictKeys,
    ModelArrays,
    check_dropout,
    check_known,
    checked_ids,
    is_set,
    merge_parts,
    packed_parts,
)
from tokenloom.formats.json_values import Node
from tokenloom.spec import AddedToken, BpeModel, TokenizerSpec
from tokenloom.spec.packing import unpack_uint32
from tokenloom.wording import counted, quoted

__all__ = ["character_model_json", "packed_texts", "read_character_model"]

_BYTE_TOKENS: Final = tuple(f"<0x{byte:02X}>" for byte in range(256))


def read_character_model(model: Node, added: Sequence[AddedToken]) -> ModelArrays:
    """The arrays of a BPE model over characters.

    Raises: FormatError naming the place, for anything but such a model and for ids, tokens and merges at fault.
    Warns: FormatWarning if a merge is there twice: the last one counts, as in the library.
    """
    check_known(model)
    check_dropout(model)
    vocab = model["vocab"]
    ids = checked_ids(vocab)
    kind = _kind(model, ids)
    check_added(added, DictKeys(ids), model.file)
    parts = merge_parts(model["merges"])
    merges = packed_parts(model["merges"], parts, ids)
    holes = _holes(kind, added, ids, parts)
    token_bytes, token_offsets = packed_texts(vocab, ids, holes, added)
    return ModelArrays(kind, token_bytes, token_offsets, merges)


def _kind(model: Node, ids: Collection[str]) -> BpeModel:
    """What the small keys say. What has no effect is left out, so that it is not written either."""
    byte_fallback = is_set(model, "byte_fallback")
    unk_token = model.get("unk_token")
    unk = None if unk_token.value is None else unk_token.text()
    if unk is not None and unk not in ids:
        if not (byte_fallback and all(map(ids.__contains__, _BYTE_TOKENS))):
            what = f"{quoted(unk)} is not in model.vocab, so a character without a token cannot be encoded"
            raise unk_token.fault(what, "Add the token, or use null, which drops such characters")
        unk = None
    kind = BpeModel(
        "merges",
        is_set(model, "ignore_merges"),
        unit="character",
        byte_fallback=byte_fallback,
        unk_token=unk,
        continuing_subword_prefix=_affix(model.get("continuing_subword_prefix")),
        end_of_word_suffix=_affix(model.get("end_of_word_suffix")),
    )
    return replace(kind, fuse_unk=is_set(model, "fuse_unk") and unk is not None)


def _affix(node: Node) -> str | None:
    return None if node.value is None else node.text() or None


def _holes(kind: BpeModel, added: Sequence[AddedToken], ids: Collection[str], parts: Sequence[str]) -> set[str]:
    """Special tokens of the vocabulary that only a whole pretoken could make."""
    if not kind.ignore_merges:
        return set()
    special = {token.content for token in added if token.special and token.content in ids}
    special = {content for content in special if not _is_symbol(kind, content)}
    if not special:
        return special
    n_prefix = len(kind.continuing_subword_prefix or "")
    return special.difference(parts, map(concat, parts[::2], (right[n_prefix:] for right in parts[1::2])))


def _is_symbol(kind: BpeModel, token: str) -> bool:
    """Whether a piece may begin with this token as one of its symbols."""
    if token == kind.unk_token or (kind.byte_fallback and token in _BYTE_TOKENS):
        return True
    prefix, suffix = kind.continuing_subword_prefix or "", kind.end_of_word_suffix or ""
    bare = {token, token.removeprefix(prefix), token.removesuffix(suffix)}
    bare.add(token.removeprefix(prefix).removesuffix(suffix))
    return 1 in map(len, bare)


def packed_texts(
    vocab: Node, ids: Mapping[str, int], holes: Collection[str], added: Sequence[AddedToken]
) -> tuple[bytes, bytes]:
    """Token bytes and offsets of a vocabulary whose keys are the tokens, without some of them."""
    import numpy as np

    keys = sorted(ids, key=ids.__getitem__)
    spelled = [key for key in keys if key not in holes] if holes else keys
    try:
        tokens = list(map(str.encode, spelled))
    except UnicodeEncodeError as error:
        raise vocab[error.object].fault("has a lone surrogate, which no text has", "Remove the entry") from None
    if b"" in tokens:
        raise vocab[""].fault("is empty", "Remove the entry")
    n_ids = 1 + max(chain((ids[keys[-1]],), (token.id for token in added)))
    offsets = np.zeros(n_ids + 1, np.int64)
    offsets[np.fromiter(map(ids.__getitem__, spelled), np.int64, len(spelled)) + 1] = list(map(len, tokens))
    return b"".join(tokens), np.cumsum(offsets).astype("<u4").tobytes()


def character_model_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any]:
    """The inverse of `read_character_model`. Raises: FormatError if the library would give other ids."""
    if spec.bpe.end_of_word_symbol:
        raise FormatError(
            f"{place}: the mark of the end of a word is a symbol of its own, and tokenizer.json has it only as a part "
            "of the last character. Save it in our own format, or train with the other convention."
        )
    tokens = [token.decode() for token in spec.model_tokens()]
    ids, kind = unpack_uint32(spec.merges), spec.bpe
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": kind.unk_token,
        "continuing_subword_prefix": kind.continuing_subword_prefix,
        "end_of_word_suffix": kind.end_of_word_suffix,
        "fuse_unk": kind.fuse_unk,
        "byte_fallback": kind.byte_fallback,
        "ignore_merges": kind.ignore_merges,
        "vocab": _vocabulary(spec, tokens, place),
        "merges": [[tokens[left], tokens[right]] for left, right in zip(ids[::2], ids[1::2], strict=True)],
    }


def _vocabulary(spec: TokenizerSpec, tokens: Sequence[str], place: str) -> dict[str, int]:
    """Ids by token. The library numbers added tokens from the size of the vocabulary on: where these are not their ids,
    they are written into the vocabulary, which is possible unless text would become them there.
    """
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    others = [token for token in spec.added_tokens if not tokens[token.id]]
    n_known = len(ids)
    for added in others[: n_in_vocabulary(others, n_known)]:
        is_made = _is_symbol(spec.bpe, added.content)
        if spec.bpe.ignore_merges and (added.single_word or not added.special):
            is_made = True  # of a whole pretoken that is not found as the added token
        if ids.setdefault(added.content, added.id) != added.id or is_made:
            what = f"the library would give it another id or find it in pretokens ({counted(n_known, 'token')})"
            raise cannot_hold(place, added, what)
    return dict(sorted(ids.items(), key=lambda item: item[1]))
