"""The WordLevel model of `tokenizer.json`, both ways: whole pretokens as tokens, and one token for all others.

Keys of the vocabulary are tokens as themselves. A special token in it is none of the model, so that ordinary text never
becomes one; the unknown token is, which makes no difference, since text that is spelled like it is unknown.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from tokenloom.errors import FormatError
from tokenloom.formats.hf_added_tokens import cannot_hold, check_added, n_in_vocabulary
from tokenloom.formats.hf_model import DictKeys, ModelArrays, checked_ids
from tokenloom.formats.json_values import Node
from tokenloom.spec import AddedToken, TokenizerSpec, WordModel
from tokenloom.spec.packing import pack_arena
from tokenloom.wording import counted, quoted

__all__ = ["read_word_level", "word_level_json"]


def read_word_level(model: Node, added: Sequence[AddedToken]) -> ModelArrays:
    """The arrays of a WordLevel model.

    Raises: FormatError naming the place, for ids and tokens at fault, and for an unknown token that the vocabulary
        lacks: the library reads such a file, and fails at the first word that it does not know.
    """
    model.only("type", "vocab", "unk_token")
    vocab, unk_token = model["vocab"], model["unk_token"]
    ids, unk = checked_ids(vocab), unk_token.text()
    if unk not in ids:
        what = f"{quoted(unk)} is not in model.vocab, so an unknown word cannot be encoded"
        raise unk_token.fault(what, "Add the token")
    check_added(added, DictKeys(ids), model.file)
    special = {token.content for token in added if token.special} - {unk}
    tokens = [b""] * (1 + max(chain(ids.values(), (token.id for token in added))))
    for token, token_id in ids.items():
        if not token:
            raise vocab[""].fault("is empty", "Remove the entry")
        tokens[token_id] = b"" if token in special else token.encode()
    return ModelArrays(WordModel(unk), *pack_arena(tokens), b"")


def word_level_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any]:
    """The inverse of `read_word_level`. Raises: FormatError if the library would give other ids."""
    model = spec.model
    if isinstance(model, WordModel) and model.number_token is not None:
        raise FormatError(
            f"{place}: cannot hold number_token {quoted(model.number_token)}, which tokenizer.json does not have. Save "
            "the tokenizer in our own format, or train without it."
        )
    tokens = [token.decode() for token in spec.model_tokens()]
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    others = [token for token in spec.added_tokens if not tokens[token.id]]
    n_known = len(ids)
    for added in others[: n_in_vocabulary(others, n_known)]:
        is_made = added.single_word or not added.special  # of a whole pretoken that is not found as the added token
        if ids.setdefault(added.content, added.id) != added.id or is_made:
            what = f"the library would give it another id or find it in pretokens ({counted(n_known, 'token')})"
            raise cannot_hold(place, added, what)
    vocab = dict(sorted(ids.items(), key=lambda item: item[1]))
    return {"type": "WordLevel", "vocab": vocab, "unk_token": model.unk_token}
