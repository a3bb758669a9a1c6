"""The BPE model of `tokenizer.json` as the arrays of a spec.

Keys of the vocabulary spell token bytes with GPT-2's characters, added tokens are keys as themselves. The core reads
usual files at once, and gives up on all others; for these, tables of a hundred thousand entries are turned over as a
whole: all keys are one text that is translated at once, all parts of merges one list that is looked up at once. What is
at fault is searched for only when something is.

Whether each merge makes a token is checked by the core when it builds its own table.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import concat, contains
from typing import TYPE_CHECKING, Final

from tokenloom.errors import FormatWarning
from tokenloom.formats.hf_added_tokens import Keys, check_added, check_spelled
from tokenloom.formats.json_values import Node
from tokenloom.spec import AddedToken, BpeModel, Model
from tokenloom.spec.alphabets import CHARACTER_TO_BYTE, from_characters
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import pack_uint32
from tokenloom.wording import counted, quoted, warn_caller

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokenloom._core import HfFile

__all__ = [
    "DictKeys",
    "ModelArrays",
    "check_dropout",
    "check_known",
    "checked_ids",
    "has_rules",
    "is_set",
    "may_have_rules",
    "merge_parts",
    "packed_parts",
    "read_model",
    "read_model_at_once",
]

_KEYS: Final = ("type", "vocab", "merges", "ignore_merges", "dropout", "unk_token", "fuse_unk", "byte_fallback")
_AFFIXES: Final = ("continuing_subword_prefix", "end_of_word_suffix")
_HEADER: Final = "#version"
_SEPARATOR: Final = 0x100
_OTHER: Final = 0x101
"""Beside the values of bytes, in the table of characters."""
_MEND: Final = "Restore the file, or mend the entry"


@dataclass(frozen=True, slots=True)
class ModelArrays:
    """What `TokenizerSpec` holds of a model."""

    kind: Model
    token_bytes: bytes
    token_offsets: bytes
    merges: bytes = b""
    scores: bytes = b""


class DictKeys:
    """`Keys` of what a JSON reader has made."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self.ids = ids
        self.keys = {token_id: key for key, token_id in ids.items()}
        self.id_of, self.key_of = self.ids.get, self.keys.get

    def __len__(self) -> int:
        return len(self.ids)


def read_model(model: Node, added: Sequence[AddedToken]) -> ModelArrays:
    """The arrays of a byte-level BPE model; ids of added tokens that it does not need itself are holes.

    Raises: FormatError naming the place, for anything but such a model and for ids, tokens and merges at fault.
    """
    ignore_merges = _checked_kind(model)
    ids = checked_ids(model["vocab"])
    keys = DictKeys(ids)
    check_added(added, keys, model.file)
    check_spelled(added, keys, model.file)
    parts = merge_parts(model["merges"])
    holes = _holes(added, keys, lambda texts: _made(texts, parts), ignore_merges=ignore_merges)
    token_bytes, token_offsets = _packed_tokens(model["vocab"], ids, holes, added, ignore_merges=ignore_merges)
    merges = _packed_merges(model["merges"], parts, ids, token_offsets)
    return ModelArrays(BpeModel("merges", ignore_merges), token_bytes, token_offsets, merges)


def read_model_at_once(model: Node, added: Sequence[AddedToken], file: "HfFile") -> ModelArrays | None:
    """As `read_model`, for a model whose vocabulary and merges the core has read; None if that takes more care.

    Raises: FormatError, as `read_model`, for a fault of anything but vocabulary and merges.
    """
    ignore_merges = _checked_kind(model)
    check_added(added, file, model.file)
    check_spelled(added, file, model.file)
    holes = _holes(added, file, lambda texts: _made_at_once(texts, file), ignore_merges=ignore_merges)
    hole_ids = [token_id for key in holes if (token_id := file.id_of(key)) is not None]
    least_ids = 1 + max((token.id for token in added), default=-1)
    arrays = file.arrays(holes=hole_ids, least_ids=least_ids, spelled=True)
    return arrays and ModelArrays(BpeModel("merges", ignore_merges), *arrays)


def _checked_kind(model: Node) -> bool:
    """Whether a pretoken is looked up before merging. Refuses what is no BPE without chance."""
    check_known(model)
    check_dropout(model)
    return is_set(model, "ignore_merges")


def check_known(model: Node) -> None:
    """Refuse another model than BPE, and keys that are not known."""
    if "type" in model.members() and model.type() != "BPE":
        raise model["type"].fault(
            f"model {quoted(model.type())} is not known here", "Use a tokenizer whose model is 'BPE' or 'WordLevel'"
        )
    model.only(*_KEYS, *_AFFIXES)


def check_dropout(model: Node) -> None:
    """Refuse what leaves ids to chance; 0 does not."""
    value = model.get("dropout").value
    if isinstance(value, bool):
        raise model["dropout"].fault(f"is {value!r}, no number", "Use null")
    if value not in (None, 0):
        raise model["dropout"].fault(f"is {quoted(value)}, so ids are left to chance", "Use null")


def is_set(model: Node, key: str) -> bool:
    """Whether a key says true: the library takes null for false here."""
    node = model.get(key)
    return node.value is not None and node.flag()


def may_have_rules(model: Node) -> bool:
    """Whether `has_rules` has to look at the vocabulary, or at affixes."""
    has_affix = any(model.get(key).value not in (None, "") for key in _AFFIXES)
    unk_token, fuse_unk = model.get("unk_token"), is_set(model, "fuse_unk")
    if unk_token.value is not None:
        unk_token.text()
    return has_affix or is_set(model, "byte_fallback") or fuse_unk or unk_token.value is not None


def has_rules(model: Node) -> bool:
    """Whether pieces of byte-level text may become other tokens than those of their bytes, joined by merges.

    Affixes always do that. A token for what is unknown, and the fallback to bytes, do it where a byte has no token.
    """
    if any(model.get(key).value not in (None, "") for key in _AFFIXES):
        return True
    return may_have_rules(model) and not CHARACTER_TO_BYTE.keys() <= model["vocab"].members().keys()


def checked_ids(vocab: Node) -> dict[str, int]:
    """The vocabulary, after refusing what is no id and an id that two tokens have."""
    ids = vocab.members()
    if not ids:
        raise vocab.fault("is empty", "Restore the file")
    values = ids.values()
    if set(map(type, values)) != {int} or min(values) < 0 or max(values) >= ID_LIMIT:
        key = next(key for key, i in ids.items() if type(i) is not int or not 0 <= i < ID_LIMIT)
        raise vocab[key].fault(f"{quoted(ids[key])} is not an id", f"Use whole numbers from 0 to {ID_LIMIT - 1:,}")
    if len(set(values)) < len(ids):
        owner: dict[int, str] = {}
        key = next(key for key, token_id in ids.items() if owner.setdefault(token_id, key) != key)
        raise vocab[key].fault(
            f"id {ids[key]} is already that of {quoted(owner[ids[key]])}", "Give each token its own id"
        )
    return ids


def merge_parts(merges: Node) -> list[str]:
    """Left and right parts of merges in turn, each merge at its last place.

    Warns: FormatWarning if a merge is there twice: the last one counts, as in the library.
    """
    return _without_doubles(merges, _listed_parts(merges))


def _listed_parts(merges: Node) -> list[str]:
    listed = merges.listed()
    kinds = set(map(type, listed))
    if kinds == {str}:
        joined = "\n".join(listed)
        if _HEADER in joined:
            listed = [line for line in listed if not line.startswith(_HEADER)]
            joined = "\n".join(listed)
        parts = joined.replace("\n", " ").split(" ")
        one_each = joined.count(" ") == len(listed) and all(map(contains, listed, repeat(" ")))
        if one_each and len(parts) == 2 * len(listed) and "" not in parts:
            return parts
    elif kinds == {list} and set(map(len, listed)) == {2}:
        parts = list(chain.from_iterable(listed))
        if set(map(type, parts)) == {str}:
            return parts
    for item in merges.items() if listed else ():
        if isinstance(item.value, str) and item.value.count(" ") == 1 and all(item.value.split(" ")):
            continue
        if isinstance(item.value, list) and len(item.value) == 2 and all(isinstance(x, str) for x in item.value):
            continue
        raise item.fault(f"{quoted(item.value)} is not two tokens", f"{_MEND}: write ['left', 'right']")
    if listed:
        raise merges.fault("has strings and pairs side by side", "Write all merges as pairs")
    return []


def _without_doubles(merges: Node, parts: list[str]) -> list[str]:
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    if len(ranks) == len(pairs):
        return parts
    pair = next(pair for rank, pair in enumerate(pairs) if ranks[pair] != rank)
    first, *_, last = (item.path for item in merges.items() if tuple(_parts_of(item.value)) == pair)
    warn_caller(
        f"{merges.file}, {first}: its merge {quoted(list(pair))} comes again as {last}, and the last one counts, as in "
        "the library. Delete the others.",
        FormatWarning,
    )
    return list(chain.from_iterable(pair for rank, pair in enumerate(pairs) if ranks[pair] == rank))


def _holes(
    added: Iterable[AddedToken], keys: Keys, made: Callable[[set[str]], set[str]], *, ignore_merges: bool
) -> set[str]:
    """Added tokens of the vocabulary that the model does not need, see `build_spec`.

    `made` gives those of some texts that merges make.
    """
    listed = [token for token in added if keys.id_of(token.content) is not None]
    unspelled = {token.content for token in listed if not CHARACTER_TO_BYTE.keys() >= set(token.content)}
    dropped = {token.content for token in listed if len(token.content) > 1 and (token.special or not ignore_merges)}
    if dropped - unspelled:
        dropped -= made(dropped)
    return dropped | unspelled


def _made(texts: set[str], parts: Sequence[str]) -> set[str]:
    return texts.intersection(map(concat, parts[::2], parts[1::2]))


def _made_at_once(texts: set[str], file: "HfFile") -> set[str]:
    ids = {token_id: text for text in texts if (token_id := file.id_of(text)) is not None}
    return {ids[token_id] for token_id in file.made(list(ids))}


def _packed_tokens(
    vocab: Node, ids: Mapping[str, int], holes: Collection[str], added: Sequence[AddedToken], *, ignore_merges: bool
) -> tuple[bytes, bytes]:
    import numpy as np

    keys, numbers = list(ids), np.fromiter(ids.values(), np.int64, len(ids))
    if (np.diff(numbers) < 0).any():
        order = np.argsort(numbers)
        keys, numbers = [keys[at] for at in order], numbers[order]
    spelled = [key for key in keys if key not in holes] if holes else keys
    if holes:
        numbers = np.fromiter(map(ids.__getitem__, spelled), np.int64, len(spelled))
    token_bytes, lengths = _spelled_bytes(spelled, vocab, ignore_merges=ignore_merges)
    _check_bytes(spelled, vocab)
    n_ids = 1 + max(chain((int(numbers[-1]),), (ids[key] for key in holes), (token.id for token in added)))
    offsets = np.zeros(n_ids + 1, np.int64)
    offsets[numbers + 1] = lengths
    return token_bytes, np.cumsum(offsets).astype("<u4").tobytes()


def _spelled_bytes(keys: Sequence[str], vocab: Node, *, ignore_merges: bool) -> "tuple[bytes, NDArray[np.int64]]":
    """The bytes of all keys joined, and the length of each."""
    import numpy as np

    table = np.full(1 << 16, _OTHER, np.uint16)
    table[[ord(character) for character in CHARACTER_TO_BYTE]] = list(CHARACTER_TO_BYTE.values())
    table[ord("\n")] = _SEPARATOR
    text = "\n".join(keys)
    values = table[np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")]
    ends = np.append(np.flatnonzero(values == _SEPARATOR), len(values))
    lengths = np.diff(ends, prepend=-1) - 1
    if len(ends) == len(keys) and values.max() <= _SEPARATOR and lengths.min() > 0:
        return values[values < _SEPARATOR].astype(np.uint8).tobytes(), lengths
    tokens = [_token_bytes(key, vocab, ignore_merges=ignore_merges) for key in keys]
    if len(set(tokens)) < len(tokens):
        first: dict[bytes, str] = {}
        key = next(key for key, token in zip(keys, tokens, strict=True) if first.setdefault(token, key) != key)
        raise vocab[key].fault("is another spelling of a token that is there already", "Remove one of the two")
    return b"".join(tokens), np.fromiter(map(len, tokens), np.int64, len(tokens))


def _token_bytes(key: str, vocab: Node, *, ignore_merges: bool) -> bytes:
    """The bytes of one key; one that spells no bytes is never made of text, and decodes to itself."""
    try:
        token = from_characters(key)
    except KeyError as error:
        if ignore_merges:
            what = f"has the character {error.args[0]!r}, which stands for no byte"
            remedy = "Spell tokens with GPT-2's characters (a space is 'Ġ'), or list it in added_tokens"
            raise vocab[key].fault(what, remedy) from None
        return key.encode()
    if not token:
        raise vocab[key].fault("is empty", "Remove the entry")
    return token


def _check_bytes(keys: Collection[str], vocab: Node) -> None:
    known = set(keys)
    missing = [byte for character, byte in CHARACTER_TO_BYTE.items() if character not in known]
    if missing:
        what = f"{counted(len(missing), 'single byte')} of 256 have no token, the first is {bytes([missing[0]])!r}"
        raise vocab.fault(what, "Use a byte-level vocabulary, which has all, or restore the file")


def _packed_merges(merges: Node, parts: Sequence[str], ids: Mapping[str, int], token_offsets: bytes) -> bytes:
    """The ids of the parts; each must be a token that the model can make."""
    packed = packed_parts(merges, parts, ids)
    import numpy as np

    is_hole = np.diff(np.frombuffer(token_offsets, "<u4")) == 0
    is_part_hole = is_hole[np.frombuffer(packed, "<u4")]
    if is_part_hole.any():
        part = parts[int(np.argmax(is_part_hole))]
        what = f"its part {quoted(part)} is an added token, which no merge makes"
        raise _place_of_part(merges, part).fault(what, "Drop the merge")
    return packed


def packed_parts(merges: Node, parts: Sequence[str], ids: Mapping[str, int]) -> bytes:
    """The ids of the parts. Raises: FormatError for a part that has none."""
    try:
        return pack_uint32(map(ids.__getitem__, parts))
    except KeyError as error:
        part = error.args[0]
        what = f"its part {quoted(part)} is not in model.vocab"
        raise _place_of_part(merges, part).fault(what, "Add the token or drop the merge") from None


def _place_of_part(merges: Node, part: str) -> Node:
    """The first merge with a part."""
    return next(item for item in merges.items() if part in _parts_of(item.value))


def _parts_of(merge: str | list[str]) -> Sequence[str]:
    if isinstance(merge, str):
        return () if merge.startswith(_HEADER) else merge.split(" ")
    return merge
