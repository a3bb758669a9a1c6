"""The files of the `tokenizers` and `transformers` libraries: `tokenizer.json` and `tokenizer_config.json`.

Token bytes are spelled with GPT-2's characters (`spec/alphabets.py`), special tokens as themselves. Both spellings are
keys of one object, and the library finds the id of a special token by its text there, whatever id its entry names. So a
special token whose text spells other bytes cannot be written, and neither can one that the decoder would take for
spelled bytes. Sources: `models/bpe` and `pre_tokenizers/byte_level.rs` of huggingface/tokenizers; what the library does
with these files is held by `tests/interop`.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import FormatError
from tokenloom.formats.rank_order import halves
from tokenloom.spec import AddedToken, TokenizerSpec
from tokenloom.spec.alphabets import CHARACTER_TO_BYTE, to_characters
from tokenloom.spec.packing import unpack_arena
from tokenloom.storage import replace_files
from tokenloom.wording import counted

__all__ = ["HF_CONFIG", "HF_JSON", "render_hf_config", "render_hf_json", "write_hf_json"]

HF_JSON: Final = "tokenizer.json"
HF_CONFIG: Final = "tokenizer_config.json"

_FLAGS: Final = ("single_word", "lstrip", "rstrip", "normalized", "special")
"""In the order of the library."""

_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "bos_token": ("<|begin_of_text|>", "<|startoftext|>", "<s>", "<bos>"),
    "eos_token": ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"),
    "pad_token": ("<|pad|>", "<|padding|>", "<pad>"),
}
"""Special tokens that bear their role in their name."""


def write_hf_json(spec: TokenizerSpec, path: str | os.PathLike[str]) -> None:
    """Write a tokenizer as `tokenizer.json`: `tokenizers.Tokenizer.from_file(path)` gives the same ids and texts.

    Equal tokenizers give equal bytes, those that the library itself writes. Three things are the library's own:

    * Special tokens in a text become one token unless `encode_special_tokens` is set, as with `special_text="parse"`.
    * `decode` leaves special tokens out unless called with `skip_special_tokens=False`. That includes ordinary text
      whose token shares its id with a special one.
    * `get_vocab_size()` counts tokens, so with holes among the ids it is less than the highest id plus one.

    Raises: FormatError if the library would give other ids or texts (see the module); StorageError if the file cannot
        be written.
    """
    replace_files({Path(path): render_hf_json(spec, place=str(path))})


def render_hf_json(spec: TokenizerSpec, *, place: str = HF_JSON) -> bytes:
    """The content of `tokenizer.json`; errors name `place`.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)} | {256: b" a"}, [(b" ", b"a")], ["<|end|>"])
    >>> model = json.loads(render_hf_json(spec))["model"]
    >>> model["merges"], model["vocab"]["Ġa"], model["vocab"]["<|end|>"]
    ([['Ġ', 'a']], 256, 257)
    """
    for part, value in (("normalizer", spec.normalizer), ("postprocessor", spec.postprocessor)):
        if value is not None:
            raise FormatError(f"{place}: cannot hold the {part} of this tokenizer yet. Use another format.")
    tokens = unpack_arena(spec.token_bytes, spec.token_offsets)
    merges = _merges_of_ranks(tokens, place) if spec.model.semantics == "ranks" else spec.merge_list()
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [_added_token(added) for added in spec.added_tokens],
        "normalizer": None,
        "pre_tokenizer": byte_level | {"use_regex": spec.pretokenizer.type == "gpt2"},
        "post_processor": None,  # one for byte-level text could only trim offsets, and these shall cover the text
        "decoder": byte_level | {"use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": spec.model.ignore_merges,
            "vocab": _spelled_vocabulary(spec, tokens, place),
            "merges": [[to_characters(left), to_characters(right)] for left, right in merges],
        },
    }
    return json.dumps(document, ensure_ascii=False, indent=2).encode()


def render_hf_config(spec: TokenizerSpec) -> bytes:
    """The content of `tokenizer_config.json`, with which `transformers.AutoTokenizer.from_pretrained(folder)` loads.

    Decoding is lossless: blanks before punctuation stay. A special token becomes the bos, eos or pad token if its name
    is a usual one for that and no other token has such a name. None of them is added to a text unasked. There is no
    `model_max_length`: that is the model's, not the tokenizer's.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)}, [], ["<|endoftext|>"])
    >>> json.loads(render_hf_config(spec))["eos_token"]
    '<|endoftext|>'
    """
    contents = {special.content for special in spec.special_tokens}
    config: dict[str, Any] = {
        "clean_up_tokenization_spaces": False,
        "model_input_names": ["input_ids", "attention_mask"],
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    for role, names in _ROLES.items():
        known = contents.intersection(names)
        if len(known) == 1:
            config[role] = known.pop()
    return json.dumps(config, ensure_ascii=False, indent=2, sort_keys=True).encode()


def _added_token(added: AddedToken) -> dict[str, Any]:
    return {"id": added.id, "content": added.content} | {flag: getattr(added, flag) for flag in _FLAGS}


def _spelled_vocabulary(spec: TokenizerSpec, tokens: list[bytes], place: str) -> dict[str, int]:
    """Ids by spelling in the order of ids, added tokens among them: without an entry they would get other ids."""
    ids = {to_characters(token): token_id for token_id, token in enumerate(tokens) if token}
    for added in spec.added_tokens:
        content = added.content
        shared = tokens[added.id]
        if shared and to_characters(shared) != content:
            what = f"it shares its id with token {shared!r}, which is spelled {to_characters(shared)!r}"
            raise _cannot_hold(place, added, what)
        if ids.setdefault(content, added.id) != added.id:
            what = f"it is spelled like token {tokens[ids[content]]!r} (id {ids[content]})"
            raise _cannot_hold(place, added, what)
        if not content.isascii() and CHARACTER_TO_BYTE.keys() >= set(content):
            what = "its characters all stand for bytes, so it would be decoded as other ones"
            raise _cannot_hold(place, added, what)
    return dict(sorted(ids.items(), key=lambda item: item[1]))


def _merges_of_ranks(tokens: list[bytes], place: str) -> list[list[bytes]]:
    """The merges that say what ranks say, see `rank_order`. Raises: FormatError if there are none for some token."""
    ranks = {token: token_id for token_id, token in enumerate(tokens) if token}
    merges = [halves(token, ranks) for token in ranks if len(token) > 1]
    for merge in merges:
        if len(merge) != 2:
            token = b"".join(merge)
            raise FormatError(
                f"{place}: cannot hold semantics 'ranks' with token {token!r} (id {ranks[token]}): lower ranks join "
                f"its bytes to {counted(len(merge), 'part')}, and a merge has two. Use another format."
            )
    return merges


def _cannot_hold(place: str, added: AddedToken, what: str) -> FormatError:
    return FormatError(
        f"{place}: cannot hold {added.kind} {added.content!r} (id {added.id}): {what}. "
        "Rename it, or use another format."
    )
