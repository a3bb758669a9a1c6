"""The files of the `tokenizers` and `transformers` libraries: `tokenizer.json` and `tokenizer_config.json`.

Models of whole words are in `hf_word_level.py`. There are two kinds of BPE model in these files, and no key tells them
apart. Where the pretokenizer and the decoder are `ByteLevel` and every byte has a token, the model joins bytes, and
what follows is about it. All others join characters (`hf_characters.py`): their tokens are spelled as themselves.

Token bytes are spelled with GPT-2's characters (`spec/alphabets.py`), special tokens as themselves. Both spellings are
keys of one object, and the library finds the id of a special token by its text there, whatever id its entry names. So a
special token whose text spells other bytes cannot be written, and neither can one that the decoder would take for
spelled bytes. Sources: `models/bpe` and `pre_tokenizers/byte_level.rs` of huggingface/tokenizers; what the library does
with these files is held by `tests/interop`.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from tokenloom.errors import FormatError, SpecError, SpecialTokenError
from tokenloom.formats.hf_added_tokens import (
    added_token_json,
    cannot_hold,
    check_normalized,
    find_normalized_fault,
    is_read_as_bytes,
    n_in_vocabulary,
    read_added_tokens,
)
from tokenloom.formats.hf_characters import character_model_json, read_character_model
from tokenloom.formats.hf_decoder import decoder_json, is_byte_level, read_decoder
from tokenloom.formats.hf_document import render_document
from tokenloom.formats.hf_model import ModelArrays, has_rules, may_have_rules, read_model, read_model_at_once
from tokenloom.formats.hf_parts import (
    normalizer_json,
    postprocessor_json,
    read_normalizer,
    read_postprocessor,
)
from tokenloom.formats.hf_pretokenizer import has_byte_level, pretokenizer_json, read_pretokenizer
from tokenloom.formats.hf_settings import PROCESSOR, read_settings, settings_json
from tokenloom.formats.hf_unigram import read_unigram, unigram_json
from tokenloom.formats.hf_word_level import read_word_level, word_level_json
from tokenloom.formats.hf_wordpiece import read_wordpiece, read_wordpiece_at_once, wordpiece_json
from tokenloom.formats.id_holes import refuse_packed_holes
from tokenloom.formats.json_values import Node, parse_json
from tokenloom.formats.rank_order import halves
from tokenloom.spec import AddedToken, BpeModel, Decoder, Pretokenizer, TokenizerSpec, Unit
from tokenloom.spec.alphabets import to_characters
from tokenloom.spec.packing import unpack_uint32
from tokenloom.storage import read_input, replace_files
from tokenloom.wording import counted, quoted

if TYPE_CHECKING:
    from tokenloom._core import HfFile

__all__ = [
    "HF_CONFIG",
    "HF_JSON",
    "parse_hf_json",
    "read_hf_json",
    "render_hf_config",
    "render_hf_json",
    "write_hf_json",
]

HF_JSON: Final = "tokenizer.json"
HF_CONFIG: Final = "tokenizer_config.json"

_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "cls_token": ("[CLS]",),
    "mask_token": ("[MASK]",),
    "sep_token": ("[SEP]",),
    "unk_token": ("[UNK]",),
    "bos_token": ("<|begin_of_text|>", "<|startoftext|>", "<s>", "<bos>"),
    "eos_token": ("<|endoftext|>", "<|end_of_text|>", "</s>", "<eos>"),
    "pad_token": ("<|pad|>", "<|padding|>", "<pad>", "[PAD]"),
}
"""Special tokens that bear their role in their name."""


_ReadAtOnce = Callable[[Node, list[AddedToken], "HfFile"], ModelArrays | None]
_OTHER_MODELS: Final[Mapping[str, tuple[Callable[[Node, list[AddedToken]], ModelArrays], _ReadAtOnce | None]]] = {
    "Unigram": (read_unigram, None),
    "WordLevel": (read_word_level, None),
    "WordPiece": (read_wordpiece, read_wordpiece_at_once),
}
"""Models beside BPE, by their type in the file: what reads them, and what does so where the core has read the keys."""


_TOP_KEYS: Final = (
    *("version", "truncation", "padding", "added_tokens", "normalizer"),
    *("pre_tokenizer", "post_processor", "decoder", "model"),
)


def read_hf_json(path: str | os.PathLike[str]) -> TokenizerSpec:
    """Read a tokenizer from `tokenizer.json`: BPE over bytes or characters, WordPiece, Unigram, or whole words.

    Ids and decoded texts are those of `tokenizers.Tokenizer.from_file(path)` in version 0.23.3, with these exceptions:

    * Where whole pretokens come first (`ignore_merges`), a special token of the vocabulary is none of the model, so
      that text never becomes one by accident. The library takes a whole pretoken for it that is not found as the added
      token: beside a letter, if that is `single_word`, or with `encode_special_tokens`.
    * The same holds of special tokens in the vocabulary of WordPiece, and of Unigram, where the library also takes one
      that a normalizer makes of other text.
    * Scores of Unigram are read to the last bit. The library is off by one unit in the last place for some, which can
      only show where two ways to cut a text have sums that differ by no more.
    * Normal forms and lower case are those of Unicode 16, and the library's tables are older for the former and newer
      for the latter: see `UnicodeForm` and `Lowercase` in `tokenloom.spec`. A file names no version. BERT's normalizer
      is exactly the library's.
    * An added token that is `normalized`, and only gets a text put before it by that, is decoded to its own text and
      not to both, with a warning. One that is changed otherwise, or of which nothing is left, is refused: the library
      decodes it to its normalized text, and finds it everywhere if that is empty.

    Refused, though the library reads them, are also: an added token whose characters all stand for bytes and are not
    all ASCII, which the library decodes as these bytes, and keys and parts that are not known here. Settings for
    truncation and padding are not applied: see `parse_hf_json`. Whether each merge makes a token is for the `Tokenizer`
    to check that is made of the result.

    Raises: CorpusError for a missing file; FormatError naming file and place, for a file that is damaged, contradicts
        itself, or has a part that is not known here.
    Warns: FormatWarning for the added tokens named above, and for a merge that is there twice: the last one counts.
    """
    data = read_input(path)
    return parse_hf_json(data, place=str(Path(path)))[0]


def parse_hf_json(data: bytes, *, place: str) -> tuple[TokenizerSpec, dict[str, Any]]:
    """The content of `tokenizer.json`, and what in it decides no ids: `truncation`, `padding`, and the `post_processor`
    if it also trims offsets or numbers texts in a way of its own.

    Errors name `place`. See `read_hf_json`.
    """
    top, file = _read_document(data, place)
    top.only(*_TOP_KEYS)
    if top.get("version", "1.0").value != "1.0":
        raise top["version"].fault(f"is {quoted(top['version'].value)}, and 1.0 is read here", "Upgrade tokenloom")
    try:
        added, normalizer = read_added_tokens(top), read_normalizer(top.get("normalizer"))
        check_normalized(added, normalizer, place)
        decoder, pretokenizer, arrays = _read_core(top, added, file, lambda: parse_json(data, file=place))
        refuse_packed_holes(arrays.token_offsets, n_added=len(added), place=f"{place}, model.vocab")
        spec = TokenizerSpec(
            model=arrays.kind,
            pretokenizer=pretokenizer,
            added_tokens=tuple(sorted(added, key=lambda token: token.id)),
            token_bytes=arrays.token_bytes,
            token_offsets=arrays.token_offsets,
            merges=arrays.merges,
            scores=arrays.scores,
            normalizer=normalizer,
            postprocessor=read_postprocessor(top.get("post_processor")),
            decoder=decoder,
        )
    except (SpecError, SpecialTokenError) as error:
        raise FormatError(f"{place}: {error}") from error
    processor = top.get(PROCESSOR).value
    more = {} if processor == postprocessor_json(spec, place=place) else {PROCESSOR: processor}
    return spec, read_settings(top) | more


def _read_core(
    top: Node, added: list[AddedToken], file: "HfFile | None", whole: Callable[[], Node]
) -> tuple[Decoder, Pretokenizer, ModelArrays]:
    """Decoder, pretokenizer and model, which must go together: see the module.

    `file` holds vocabulary and merges if they have been read at once; `whole` reads all of the document.
    """
    kind = top["model"].get("type").value
    if isinstance(kind, str) and kind in _OTHER_MODELS:
        read, at_once = _OTHER_MODELS[kind]
        decoder = read_decoder(top.get("decoder"))
        pretokenizer = read_pretokenizer(top.get("pre_tokenizer"), unit="character")
        arrays = at_once(top["model"], added, file) if file is not None and at_once is not None else None
        return decoder, pretokenizer, arrays or read((top if file is None else whole())["model"], added)
    joins_bytes = has_byte_level(top.get("pre_tokenizer")) and is_byte_level(top.get("decoder"))
    if file is not None and joins_bytes and not may_have_rules(top["model"]):
        pretokenizer = read_pretokenizer(top.get("pre_tokenizer"))
        arrays = read_model_at_once(top["model"], added, file)
        return Decoder(), pretokenizer, arrays or read_model(whole()["model"], added)
    model = (top if file is None else whole())["model"]
    if joins_bytes and not has_rules(model):
        return Decoder(), read_pretokenizer(top.get("pre_tokenizer")), read_model(model, added)
    decoder = read_decoder(top.get("decoder"))
    pretokenizer = read_pretokenizer(top.get("pre_tokenizer"), unit="character")
    return decoder, pretokenizer, read_character_model(model, added)


def _read_document(data: bytes, place: str) -> tuple[Node, "HfFile | None"]:
    """The document, and what holds its vocabulary and merges in its place, if they are read at once."""
    from tokenloom import _core  # formats can be listed without it

    file = _core.HfFile.read(data)
    if file is not None:
        with suppress(FormatError):  # which names a place in the whole document
            return parse_json(file.rest, file=place), file
    return parse_json(data, file=place), None


def write_hf_json(
    spec: TokenizerSpec, path: str | os.PathLike[str], *, settings: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Write a tokenizer as `tokenizer.json`: `tokenizers.Tokenizer.from_file(path)` gives the same ids and texts.

    Equal tokenizers give equal bytes, those that the library itself writes. `read_hf_json` lists where the library has
    other tables of Unicode. Three things are the library's own:

    * Special tokens in a text become one token unless `encode_special_tokens` is set, as with `special_text="parse"`.
    * `decode` leaves special tokens out unless called with `skip_special_tokens=False`. That includes ordinary text
      whose token shares its id with a special one.
    * `get_vocab_size()` counts tokens, so with holes among the ids it is less than the highest id plus one.

    `settings` are `truncation` and `padding` as the library has them, which it applies to what it has encoded.

    Raises: FormatError if the library would give other ids or texts (see the module), or does not read the settings;
        StorageError if the file cannot be written.
    """
    replace_files({Path(path): render_hf_json(spec, place=str(path), settings=settings)})


def render_hf_json(
    spec: TokenizerSpec, *, place: str = HF_JSON, settings: Mapping[str, Any] = MappingProxyType({})
) -> bytes:
    """The content of `tokenizer.json`, with settings as `parse_hf_json` gives them; errors name `place`.

    >>> from tokenloom.spec import build_spec
    >>> spec = build_spec({i: bytes([i]) for i in range(256)} | {256: b" a"}, [(b" ", b"a")], ["<|end|>"])
    >>> model = json.loads(render_hf_json(spec))["model"]
    >>> model["merges"], model["vocab"]["Ġa"], model["vocab"]["<|end|>"]
    ([['Ġ', 'a']], 256, 257)
    """
    unit: Unit = "byte" if spec.joins_bytes else "character"
    if isinstance(spec.model, BpeModel) and spec.model.semantics == "scores":
        raise FormatError(f"{place}: cannot hold semantics 'scores', since it lists merges. Use another format.")
    if (found := find_normalized_fault(spec.added_tokens, spec.normalizer, place=place)) is not None:
        position, what = found
        raise cannot_hold(place, spec.added_tokens[position], what)
    if (model_json := _MODEL_JSON.get(spec.model.type)) is None:
        raise FormatError(f"{place}: cannot hold model {spec.model.type!r}. Use another format.")
    document = {
        "version": "1.0",
        **settings_json(settings, place=place),
        "added_tokens": [added_token_json(added) for added in spec.added_tokens],
        "normalizer": normalizer_json(spec.normalizer, place=place),
        "pre_tokenizer": pretokenizer_json(spec.pretokenizer, place=place, unit=unit),
        # Of itself none that only trims offsets: these shall cover the text.
        PROCESSOR: settings.get(PROCESSOR, postprocessor_json(spec, place=place)),
        "decoder": decoder_json(spec.decoder, place=place),
        "model": model_json(spec, place=place),
    }
    return render_document(document)


def _bpe_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any]:
    return (_byte_model_json if spec.joins_bytes else character_model_json)(spec, place=place)


def _byte_model_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any]:
    tokens = spec.model_tokens()
    merges = _merges_of_ranks(spec, tokens, place) if spec.bpe.semantics == "ranks" else unpack_uint32(spec.merges)
    spelled = list(map(to_characters, tokens))
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": spec.bpe.ignore_merges,
        "vocab": _spelled_vocabulary(spec, tokens, spelled, place),
        "merges": [[spelled[left], spelled[right]] for left, right in zip(merges[::2], merges[1::2], strict=True)],
    }


_MODEL_JSON: Final[Mapping[str, Callable[..., dict[str, Any]]]] = {
    "bpe": _bpe_json,
    "wordpiece": wordpiece_json,
    "word": word_level_json,
    "unigram": unigram_json,
}
"""The key "model", by the type of the model in the spec."""


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


def _spelled_vocabulary(
    spec: TokenizerSpec, tokens: Sequence[bytes], spelled: Sequence[str], place: str
) -> dict[str, int]:
    """Ids by spelling in the order of ids, added tokens among them: without an entry they would get other ids.

    A model that takes whole pretokens would take added tokens too, so those are left out that get their ids without.
    """
    ids = {token: token_id for token_id, token in enumerate(spelled) if token}
    holes = [added for added in spec.added_tokens if not tokens[added.id]]
    n_known = len(ids)
    left_out = holes[n_in_vocabulary(holes, n_known) :] if spec.bpe.ignore_merges else []
    for added in spec.added_tokens:
        content, shared = added.content, spelled[added.id]
        if shared and shared != content:
            what = f"it shares its id with token {quoted(tokens[added.id])}, which is spelled {quoted(shared)}"
            raise cannot_hold(place, added, what)
        if ids.setdefault(content, added.id) != added.id:
            what = f"it is spelled like token {quoted(tokens[ids[content]])} (id {ids[content]})"
            raise cannot_hold(place, added, what)
        if is_read_as_bytes(content):
            what = "its characters all stand for bytes, so it would be decoded as other ones"
            raise cannot_hold(place, added, what)
    for added in left_out:
        del ids[added.content]
    if spec.bpe.ignore_merges:
        _check_whole(holes[: len(holes) - len(left_out)], n_known, place)
    return dict(sorted(ids.items(), key=lambda item: item[1]))


def _check_whole(listed: Sequence[AddedToken], n_tokens: int, place: str) -> None:
    """Refuse added tokens that would become tokens of a model which takes whole pretokens."""
    for added in listed:
        if added.single_word or not added.special:
            what = f"behind {counted(n_tokens, 'token')} the library would give it another id, and among them the model"
            raise cannot_hold(place, added, f"{what} would take it for a whole pretoken")


def _merges_of_ranks(spec: TokenizerSpec, tokens: Sequence[bytes], place: str) -> Sequence[int]:
    """The merges that say what ranks say, see `rank_order`. Raises: FormatError if there are none for some token."""
    merges, others = halves(spec.token_bytes, spec.token_offsets, place=place)
    if others:
        token = b"".join(tokens[part] for part in others)
        raise FormatError(
            f"{place}: cannot hold semantics 'ranks' with token {quoted(token)} (id {tokens.index(token)}): lower "
            f"ranks join its bytes to {counted(len(others), 'part')}, and a merge has two. Use another format."
        )
    return merges
