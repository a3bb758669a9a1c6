"""Normalizer and postprocessor of `tokenizer.json`, both ways.

The library composes these freely; here each composition that is known becomes one value of the spec, and all others are
refused by name and place, because a part that is skipped gives other ids. What only moves offsets (`trim_offsets`) is
left out, and so are the numbers of the two texts (`type_id`), which no model of ours reads.
Source: `normalizers` and `processors` of huggingface/tokenizers.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Final

from tokenloom.errors import FormatError, SpecError
from tokenloom.formats.hf_pretokenizer import UPGRADE, alike, flat, read_byte_level
from tokenloom.formats.json_values import Node
from tokenloom.spec import (
    BertText,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Precompiled,
    Prepend,
    Replace,
    SentencepieceRules,
    Strip,
    Template,
    TokenizerSpec,
    UnicodeForm,
)
from tokenloom.spec.packing import UINT32_BYTES, unpack_uint32
from tokenloom.spec.sentencepiece import decoded_charsmap
from tokenloom.wording import quoted

__all__ = [
    "normalizer_json",
    "postprocessor_json",
    "read_normalizer",
    "read_postprocessor",
]

_MOST_TYPE: Final = 2**32 - 1
"""Of the library: it reads no template with more."""
_AROUND: Final = {"BertProcessing": (), "RobertaProcessing": ("trim_offsets", "add_prefix_space")}
"""Post-processors that are a template, and those of their keys that only move offsets."""
_FORMS: Final = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd"}


def read_normalizer(node: Node) -> Normalizer | None:
    """The steps in order; None if nothing is changed."""
    steps = _steps(node)
    return Normalizer(tuple(steps)) if steps else None


def _steps(node: Node) -> list[NormalizerStep]:
    if node.value is None:
        return []
    kind = node.type()
    try:
        if kind == "Sequence":
            return [step for item in flat(node, "normalizers") for step in _steps(item)]
        if kind in _FORMS:
            node.only("type")
            return [UnicodeForm(_FORMS[kind])]  # type: ignore[arg-type]
        if kind == "BertNormalizer":
            return _bert(node)
        if kind == "Lowercase":
            node.only("type")
            return [Lowercase()]
        if kind == "Prepend":
            return [Prepend(node.only("type", "prepend")["prepend"].text())]
        if kind == "Strip":
            node.only("type", "strip_left", "strip_right")
            left, right = node["strip_left"].flag(), node["strip_right"].flag()
            return [Strip(left, right)] if left or right else []
        if kind == "Precompiled":
            charsmap = decoded_charsmap(node.only("type", "precompiled_charsmap")["precompiled_charsmap"].text())
            return [Precompiled(charsmap)] if charsmap else []
        if kind == "Replace":
            return [_replace(node.only("type", "pattern", "content"))]
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error
    raise node.fault(f"normalizer {quoted(kind)} is not known here", UPGRADE)


def _bert(node: Node) -> list[NormalizerStep]:
    """BERT's step, if it does anything; accents go where letters become small, if the file does not say."""
    names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    node.only("type", *names)
    accents = "lowercase" if node.get("strip_accents").value is None else "strip_accents"
    flags = {name: node[accents if name == "strip_accents" else name].flag() for name in names}
    return [BertText(**flags)] if any(flags.values()) else []


def _replace(node: Node) -> NormalizerStep:
    by, pattern = node["content"].text(), node["pattern"]
    if pattern.only_one("String", "Regex") == "String":
        return Replace(pattern["String"].text(), by=by)
    return Replace(None, by=by, pattern=alike(pattern["Regex"]))


def normalizer_json(normalizer: Normalizer | None, *, place: str) -> dict[str, Any] | None:
    """The inverse of `read_normalizer`. Raises: FormatError for a step that the library does not have."""
    steps = [_step_json(step, place) for step in normalizer.steps] if normalizer else []
    if len(steps) > 1:
        return {"type": "Sequence", "normalizers": steps}
    return steps[0] if steps else None


def _step_json(step: NormalizerStep, place: str) -> dict[str, Any]:
    match step:
        case UnicodeForm(form):
            return {"type": form.upper()}
        case BertText(clean_text, handle_chinese_chars, strip_accents, lowercase):
            return {
                "type": "BertNormalizer",
                "clean_text": clean_text,
                "handle_chinese_chars": handle_chinese_chars,
                "strip_accents": None if strip_accents == lowercase else strip_accents,
                "lowercase": lowercase,
            }
        case Lowercase():
            return {"type": "Lowercase"}
        case Prepend(text):
            return {"type": "Prepend", "prepend": text}
        case Strip(left, right):
            return {"type": "Strip", "strip_left": left, "strip_right": right}
        case Replace(text, by, pattern):
            what = {"String": text} if pattern is None else {"Regex": pattern}
            return {"type": "Replace", "pattern": what, "content": by}
        case Precompiled(charsmap):
            return {"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap).decode("ascii")}
        case SentencepieceRules():
            raise FormatError(f"{place}: cannot hold the normalizer of SentencePiece as one step. Use another format.")


def read_postprocessor(node: Node) -> Template | None:
    """The template; ByteLevel only trims offsets."""
    templates: list[Template] = []
    for item in flat(node, "processors"):
        kind = item.type()
        if kind == "TemplateProcessing":
            templates.append(_template(item))
        elif kind in _AROUND:
            templates.append(_around(item))
        elif kind == "ByteLevel":
            read_byte_level(item)
        else:
            raise item.fault(f"post-processor {quoted(kind)} is not known here", UPGRADE)
        if len(templates) > 1:
            raise item.fault("is a second template", "Keep one of the two")
    return templates[0] if templates else None


def _around(node: Node) -> Template:
    """A post-processor that has one token before the texts and one behind each, with RoBERTa two between them."""
    kind = node.type()
    node.only("type", "sep", "cls", *_AROUND[kind])
    for flag in _AROUND[kind]:
        node[flag].flag()
    cls, sep = _token_id(node["cls"]), _token_id(node["sep"])
    between = (sep, sep) if kind == "RobertaProcessing" else (sep,)
    try:
        return Template((cls, "A", sep), (cls, "A", *between, "B", sep))
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error


def _token_id(node: Node) -> int:
    """The id of a token that is written as its text and its id."""
    items = list(node.items())
    if len(items) != 2:
        raise node.fault(f"is {quoted(node.value)}, no token and its id", "Write both in a list of two")
    items[0].text()
    return items[1].whole_number()


def _template(node: Node) -> Template:
    node.only("type", "single", "pair", "special_tokens")
    ids = {key: _template_ids(node["special_tokens"][key]) for key in node["special_tokens"].members()}
    try:
        return Template(tuple(_template_items(node["single"], ids)), tuple(_template_items(node["pair"], ids)))
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error


def _template_ids(node: Node) -> list[int]:
    node.only("id", "ids", "tokens")["id"].text()
    for token in node["tokens"].items():
        token.text()
    return [item.whole_number() for item in node["ids"].items()]


def _template_items(node: Node, ids: dict[str, list[int]]) -> list[Any]:
    items: list[Any] = []
    for item in node.items():
        kind = item.only_one("Sequence", "SpecialToken")
        named = item[kind].only("id", "type_id")
        named["type_id"].whole_number(most=_MOST_TYPE)
        name = named["id"].text()
        if kind == "Sequence":
            items.append(name)
        elif name in ids:
            items += ids[name]
        else:
            what = f"{quoted(name)} is not among the template's special_tokens"
            raise item.fault(what, "Add it there with its ids")
    return items


def postprocessor_json(spec: TokenizerSpec, *, place: str) -> dict[str, Any] | None:
    """The inverse of `read_postprocessor`: what goes beyond a single text belongs to the second text.

    Raises: FormatError for ids that no two names tell apart.
    """
    template = spec.postprocessor
    if template is None:
        return None
    names = _names(spec, sorted(template.ids()), place)
    special = {name: {"id": name, "ids": [token_id], "tokens": [name]} for token_id, name in names.items()}
    n_first = len(template.single)
    return {
        "type": "TemplateProcessing",
        "single": _items_json(template.single, names, n_first),
        "pair": _items_json(template.pair, names, n_first),
        "special_tokens": special,
    }


def _names(spec: TokenizerSpec, token_ids: Sequence[int], place: str) -> dict[int, str]:
    """The texts of some tokens, by which a template names them."""
    added, ids = {token.id: token.content.encode() for token in spec.added_tokens}, dict[str, int]()
    for token_id in token_ids:
        token = added.get(token_id) or _model_token(spec, token_id)
        fault = f"{place}: cannot hold postprocessor with id {token_id}"
        try:
            name = token.decode()
        except UnicodeDecodeError:
            raise FormatError(
                f"{fault}: a template names tokens by their text, and {quoted(token)} is no UTF-8. Use another format."
            ) from None
        if ids.setdefault(name, token_id) != token_id:
            raise FormatError(f"{fault}: id {ids[name]} has its text {quoted(name)} too. Use another format.")
    return {token_id: name for name, token_id in ids.items()}


def _model_token(spec: TokenizerSpec, token_id: int) -> bytes:
    """The bytes of one token, without making those of all."""
    start, end = unpack_uint32(spec.token_offsets[UINT32_BYTES * token_id : UINT32_BYTES * (token_id + 2)])
    return spec.token_bytes[start:end]


def _items_json(items: Sequence[int | str], names: dict[int, str], n_first: int) -> list[dict[str, Any]]:
    shown = []
    for position, item in enumerate(items):
        type_id = int(position >= n_first)
        if isinstance(item, str):
            shown.append({"Sequence": {"id": item, "type_id": type_id}})
        else:
            shown.append({"SpecialToken": {"id": names[item], "type_id": type_id}})
    return shown
