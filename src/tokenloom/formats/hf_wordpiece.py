"""The WordPiece model of `tokenizer.json`, both ways: keys of the vocabulary are tokens as themselves.

The library finds each key of the vocabulary in text, also that of a special token such as "[CLS]" where it stands as a
word. Text must not produce one by accident, so here the model does not have the special tokens of the vocabulary: they
are found as added tokens, where these are looked for, and nowhere else.
Source: `models/wordpiece` of huggingface/tokenizers.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from tokenloom.errors import FormatError
from tokenloom.formats.hf_added_tokens import cannot_hold, check_added, n_in_vocabulary
from tokenloom.formats.hf_characters import packed_texts
from tokenloom.formats.hf_model import DictKeys, ModelArrays, checked_ids
from tokenloom.formats.json_values import Node
from tokenloom.spec import AddedToken, TokenizerSpec, WordpieceModel
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    from tokenloom._core import HfFile

__all__ = ["read_wordpiece", "read_wordpiece_at_once", "wordpiece_json"]

_KEYS: Final = ("type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab")
_MOST_CHARACTERS: Final = 2**32 - 1


def read_wordpiece(model: Node, added: Sequence[AddedToken]) -> ModelArrays:
    """The arrays of a WordPiece model.

    Raises: FormatError naming the place, for anything but such a model and for ids and tokens at fault.
    """
    kind, vocab = _kind(model), model["vocab"]
    ids = checked_ids(vocab)
    check_added(added, DictKeys(ids), model.file)
    if kind.unk_token not in ids:
        raise _no_unknown(model, kind)
    special = {token.content for token in added if token.special and token.content in ids}
    return ModelArrays(kind, *packed_texts(vocab, ids, special, added))


def read_wordpiece_at_once(model: Node, added: Sequence[AddedToken], file: "HfFile") -> ModelArrays | None:
    """As `read_wordpiece`, for a model whose vocabulary the core has read; None if that takes more care."""
    kind = _kind(model)
    check_added(added, file, model.file)
    if file.id_of(kind.unk_token) is None:
        raise _no_unknown(model, kind)
    special = [token.id for token in added if token.special and file.id_of(token.content) is not None]
    least_ids = 1 + max((token.id for token in added), default=-1)
    arrays = file.arrays(holes=special, least_ids=least_ids, spelled=False)
    return arrays and ModelArrays(kind, *arrays)


def _kind(model: Node) -> WordpieceModel:
    """What the small keys say."""
    model.only(*_KEYS)
    most = model["max_input_chars_per_word"].whole_number(most=_MOST_CHARACTERS)
    unk, prefix = model["unk_token"].text(), model["continuing_subword_prefix"].text()
    if not unk:
        raise model["unk_token"].fault("is empty", "Name the token of unknown words")
    return WordpieceModel(unk, prefix, most)


def _no_unknown(model: Node, kind: WordpieceModel) -> FormatError:
    what = f"{quoted(kind.unk_token)} is not in model.vocab, so an unknown word cannot be encoded"
    return model["unk_token"].fault(what, "Add the token")


def wordpiece_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any]:
    """The inverse of `read_wordpiece`. Raises: FormatError if the library would give other ids."""
    model = spec.model
    assert isinstance(model, WordpieceModel)
    return {
        "type": "WordPiece",
        "unk_token": model.unk_token,
        "continuing_subword_prefix": model.continuing_subword_prefix,
        "max_input_chars_per_word": model.max_input_chars_per_word,
        "vocab": _vocabulary(spec, model.unk_token, place),
    }


def _vocabulary(spec: TokenizerSpec, unk_token: str, place: str) -> dict[str, int]:
    """Ids by token. The library numbers added tokens from the size of the vocabulary on: where these are not their ids,
    they are written into the vocabulary, which is possible unless text would become them there.
    """
    tokens = [token.decode() for token in spec.model_tokens()]
    ids = {token: token_id for token_id, token in enumerate(tokens) if token}
    others = [token for token in spec.added_tokens if not tokens[token.id]]
    n_known = len(ids)
    n_listed = n_in_vocabulary(others, n_known)
    n_unknown = next((place + 1 for place, token in enumerate(others) if token.content == unk_token), 0)
    for added in others[: max(n_listed, n_unknown)]:
        is_made = (added.single_word or not added.special) and added.content != unk_token
        if ids.setdefault(added.content, added.id) != added.id or is_made:
            what = f"the library would give it another id or find it in pretokens ({counted(n_known, 'token')})"
            raise cannot_hold(place, added, what)
    return dict(sorted(ids.items(), key=lambda item: item[1]))
