"""Normalizer, pretokenizer and postprocessor of `tokenizer.json`, both ways.

The library composes these freely; here each composition that is known becomes one value of the spec, and all others are
refused by name and place, because a part that is skipped gives other ids. Byte-level text needs `ByteLevel` as the last
pretokenizer. What only moves offsets (`trim_offsets`) is left out, and so are the numbers of the two
texts (`type_id`), which no model of ours reads.
Source: `pre_tokenizers`, `normalizers` and `processors` of huggingface/tokenizers.
"""

from collections.abc import Sequence
from typing import Any, Final

from tokenloom.errors import FormatError, SpecError
from tokenloom.formats.json_values import Node
from tokenloom.formats.patterns import ambiguity, hf_pattern, regex_pretokenizer
from tokenloom.spec import (
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Pretokenizer,
    Replace,
    Strip,
    Template,
    TokenizerSpec,
    UnicodeForm,
    Unit,
)

__all__ = [
    "ends_with_byte_level",
    "normalizer_json",
    "postprocessor_json",
    "pretokenizer_json",
    "read_normalizer",
    "read_postprocessor",
    "read_pretokenizer",
]

_UPGRADE: Final = "Use another tokenizer, or a tokenloom that knows it"
_FORMS: Final = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd"}
_BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}

_DEEPSEEK_V3: Final = (
    r"\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "|".join(
        (
            r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""",
            "[^\r\n" r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
            r" ?[\p{P}\p{S}]+" "[\r\n]*",
            r"\s*[" "\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
)
"""The three patterns that are applied one after the other; two of them hold line ends as themselves."""


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
            return [step for item in node.only("type", "normalizers")["normalizers"].items() for step in _steps(item)]
        if kind in _FORMS:
            node.only("type")
            return [UnicodeForm(_FORMS[kind])]  # type: ignore[arg-type]
        if kind == "Lowercase":
            node.only("type")
            return [Lowercase()]
        if kind == "Prepend":
            return [Prepend(node.only("type", "prepend")["prepend"].text())]
        if kind == "Strip":
            node.only("type", "strip_left", "strip_right")
            left, right = node["strip_left"].flag(), node["strip_right"].flag()
            return [Strip(left, right)] if left or right else []
        if kind == "Replace":
            return [_replace(node.only("type", "pattern", "content"))]
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error
    raise node.fault(f"normalizer {kind!r} is not known here", _UPGRADE)


def _replace(node: Node) -> NormalizerStep:
    by, pattern = node["content"].text(), node["pattern"].only("String", "Regex")
    if "String" in pattern.value:
        return Replace(pattern["String"].text(), by=by)
    return Replace(None, by=by, pattern=_alike(pattern["Regex"]))


def normalizer_json(normalizer: Normalizer | None) -> dict[str, Any] | None:
    """The inverse of `read_normalizer`."""
    steps = [_step_json(step) for step in normalizer.steps] if normalizer else []
    if len(steps) > 1:
        return {"type": "Sequence", "normalizers": steps}
    return steps[0] if steps else None


def _step_json(step: NormalizerStep) -> dict[str, Any]:
    match step:
        case UnicodeForm(form):
            return {"type": form.upper()}
        case Lowercase():
            return {"type": "Lowercase"}
        case Prepend(text):
            return {"type": "Prepend", "prepend": text}
        case Strip(left, right):
            return {"type": "Strip", "strip_left": left, "strip_right": right}
        case Replace(text, by, pattern):
            what = {"String": text} if pattern is None else {"Regex": pattern}
            return {"type": "Replace", "pattern": what, "content": by}


def ends_with_byte_level(node: Node) -> bool:
    """Whether pretokens are spelled with GPT-2's characters."""
    chain = _chain(node, "pretokenizers")
    return bool(chain) and chain[-1].type() == "ByteLevel"


def read_pretokenizer(node: Node, unit: Unit) -> Pretokenizer:
    """How text is cut: where bytes are joined, from a chain that ends with ByteLevel."""
    chain = _chain(node, "pretokenizers")
    if unit == "character":
        if chain:
            shown = " + ".join(item.type() for item in chain)
            raise node.fault(f"the chain {shown} before a model of characters is not known here", _UPGRADE)
        return Pretokenizer("none")
    *splits, last = chain
    if last.only(*_BYTE_LEVEL, "use_regex").get("add_prefix_space", True).flag():
        raise last["add_prefix_space"].fault("is true, and a space before the text is not put there here", _UPGRADE)
    use_regex = last.get("use_regex", True).flag()
    kinds = [split.type() for split in splits]
    if not splits:
        return Pretokenizer("gpt2" if use_regex else "none")
    if kinds == ["Digits"] and use_regex and splits[0].only("type", "individual_digits")["individual_digits"].flag():
        return Pretokenizer("starcoder")
    if set(kinds) == {"Split"} and not use_regex:
        patterns = [_split(split) for split in splits]
        if tuple(pattern.value for pattern in patterns) == _DEEPSEEK_V3:
            return Pretokenizer("deepseek_v3")
        if len(patterns) == 1:
            return regex_pretokenizer(_alike(patterns[0]), place=f"{node.file}, {patterns[0].path}")
    shown = " + ".join([*kinds, "ByteLevel with its pattern" if use_regex else "ByteLevel"])
    unknown = next((item for item in splits if item.type() not in {"Split", "Digits"}), node)
    raise unknown.fault(f"the chain {shown} is not known here", _UPGRADE)


def _chain(node: Node, key: str) -> list[Node]:
    """The members of a sequence, nested ones too; a member alone is a chain of one."""
    if node.value is None:
        return []
    if node.type() != "Sequence":
        return [node]
    return [member for item in node.only("type", key)[key].items() for member in _chain(item, key)]


def _split(node: Node) -> Node:
    """The pattern of a Split whose matches, and what lies between them, are pieces."""
    node.only("type", "pattern", "behavior", "invert")
    behavior, invert = node["behavior"].text(), node["invert"].flag()
    pattern = node["pattern"].only("Regex", "String")
    if "String" in pattern.value:
        raise pattern.fault("splits at a fixed text, which is not known here", _UPGRADE)
    covers_all = regex_pretokenizer(pattern["Regex"].text(), place=f"{node.file}, {node.path}").type != "custom"
    if behavior != "Isolated" and not (behavior == "Removed" and invert and covers_all):
        raise node.fault(f"behavior {behavior!r} with invert {invert} is not known here", _UPGRADE)
    return pattern["Regex"]


def _alike(node: Node) -> str:
    """A pattern that means the same in both engines."""
    if (part := ambiguity(node.text())) is not None:
        what = f"pattern {node.value!r} has {part!r}, which the library's engine may read otherwise than ours"
        raise node.fault(what, "Write the pattern without it, or use another tokenizer")
    return node.text()


def pretokenizer_json(pretokenizer: Pretokenizer, unit: Unit, *, place: str) -> dict[str, Any] | None:
    """The inverse of `read_pretokenizer`. Raises: FormatError for a pretokenizer that the library does not have."""
    name = pretokenizer.type
    if unit == "character":
        if name != "none":
            what = f"pretokenizer {name!r} before a model of characters"
            raise FormatError(f"{place}: cannot hold {what}. Use another format.")
        return None
    byte_level = _BYTE_LEVEL | {"use_regex": name in {"gpt2", "starcoder"}}
    if name in {"gpt2", "none"}:
        return byte_level
    if name == "starcoder":
        chain = [{"type": "Digits", "individual_digits": True}]
    elif name == "deepseek_v3":
        chain = [_split_json(pattern) for pattern in _DEEPSEEK_V3]
    else:
        pattern = hf_pattern(pretokenizer)
        if (part := ambiguity(pattern)) is not None:
            raise FormatError(
                f"{place}: cannot hold pretokenizer {name!r}: the library may read {part!r} in its pattern otherwise. "
                "Use another format."
            )
        chain = [_split_json(pattern)]
    return {"type": "Sequence", "pretokenizers": [*chain, byte_level]}


def _split_json(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def read_postprocessor(node: Node) -> Template | None:
    """The template; ByteLevel only trims offsets."""
    templates = []
    for item in _chain(node, "processors"):
        kind = item.type()
        if kind == "TemplateProcessing":
            templates.append(item)
        elif kind != "ByteLevel":
            raise item.fault(f"post-processor {kind!r} is not known here", _UPGRADE)
    if len(templates) > 1:
        raise templates[1].fault("is a second template", "Keep one of the two")
    return _template(templates[0]) if templates else None


def _template(node: Node) -> Template:
    node.only("type", "single", "pair", "special_tokens")
    ids = {key: _template_ids(node["special_tokens"][key]) for key in node["special_tokens"].members()}
    try:
        return Template(tuple(_template_items(node["single"], ids)), tuple(_template_items(node["pair"], ids)))
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error


def _template_ids(node: Node) -> list[int]:
    return [item.whole_number() for item in node.only("id", "ids", "tokens")["ids"].items()]


def _template_items(node: Node, ids: dict[str, list[int]]) -> list[Any]:
    items: list[Any] = []
    for item in node.items():
        if "Sequence" in item.only("Sequence", "SpecialToken").members():
            items.append(item["Sequence"].only("id", "type_id")["id"].text())
            continue
        name = item["SpecialToken"].only("id", "type_id")["id"].text()
        if name not in ids:
            raise item.fault(f"{name!r} is not among the template's special_tokens", "Add it there with its ids")
        items += ids[name]
    return items


def postprocessor_json(spec: TokenizerSpec) -> dict[str, Any] | None:
    """The inverse of `read_postprocessor`: what goes beyond a single text belongs to the second text."""
    template = spec.postprocessor
    if template is None:
        return None
    vocabulary = spec.vocabulary()
    names = {token_id: vocabulary[token_id].decode(errors="replace") for token_id in sorted(template.ids())}
    names |= {token.id: token.content for token in spec.added_tokens if token.id in names}
    special = {name: {"id": name, "ids": [token_id], "tokens": [name]} for token_id, name in names.items()}
    n_first = len(template.single)
    return {
        "type": "TemplateProcessing",
        "single": _items_json(template.single, names, n_first),
        "pair": _items_json(template.pair, names, n_first),
        "special_tokens": special,
    }


def _items_json(items: Sequence[int | str], names: dict[int, str], n_first: int) -> list[dict[str, Any]]:
    shown = []
    for position, item in enumerate(items):
        type_id = int(position >= n_first)
        if isinstance(item, str):
            shown.append({"Sequence": {"id": item, "type_id": type_id}})
        else:
            shown.append({"SpecialToken": {"id": names[item], "type_id": type_id}})
    return shown
