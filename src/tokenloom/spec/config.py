"""The small parts of a spec as canonical JSON, and back.

One value has one spelling: keys sorted, no blanks, ASCII only. The text is what the fingerprint hashes, what our files
hold and what the core parses. Reading is strict, because a key that is skipped is a tokenizer that silently gives other
ids: unknown keys, components and versions are refused by name.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Final, Never, TypeAlias, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.added_tokens import FLAGS, AddedToken
from tokenloom.spec.components import UNICODE_VERSION, PatternName, Pretokenizer
from tokenloom.spec.decoder import (
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    DecodeMetaspace,
    Decoder,
    DecodeReplace,
    DecoderStep,
    DecodeSentencepiece,
    DecodeStrip,
    DecodeWordpiece,
)
from tokenloom.spec.model import BpeModel
from tokenloom.spec.models import MODELS, Model, model_from_config
from tokenloom.spec.normalizer import (
    BertText,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Replace,
    Strip,
    UnicodeForm,
)
from tokenloom.spec.postprocessor import Template, TemplateItem
from tokenloom.spec.pretokenizer_steps import step_from_config
from tokenloom.spec.sentencepiece import Precompiled, SentencepieceRules
from tokenloom.wording import quoted

__all__ = [
    "SPEC_VERSION",
    "parse_config",
    "parse_normalizer",
    "parse_pretokenizer",
    "render_config",
    "render_normalizer",
    "render_pretokenizer",
]

SPEC_VERSION: Final = 1
Parts: TypeAlias = tuple[Model, Pretokenizer, tuple[AddedToken, ...], Normalizer | None, Template | None, Decoder]

_PRETOKENIZER_KEYS: Final[dict[str, set[str]]] = {
    **{name: {"type", "unicode"} for name in get_args(PatternName)},
    "cl100k": {"digits", "type", "unicode"},
    "llama3": {"digits", "type", "unicode"},
    "metaspace": {"type"},
    "custom": {"regex", "type", "unicode"},
    "none": {"type"},
    "sequence": {"steps", "type", "unicode"},
}
"""Where no class of characters decides, the version of the classes is no part of the description."""
_STEP_KEYS: Final = {
    **{form: {"type", "unicode"} for form in ("nfc", "nfd", "nfkc", "nfkd")},
    "bert": {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"},
    "lowercase": {"type"},
    "prepend": {"type", "text"},
    "replace": {"type", "text", "by"},
    "strip": {"type", "left", "right"},
    "precompiled": {"type", "charsmap"},
    "sentencepiece": {"type", *SentencepieceRules.KEYS},
}
_MODEL_FLAGS: Final = ("ignore_merges", "byte_fallback", "fuse_unk", "end_of_word_symbol")
_MODEL_TEXTS: Final = ("unk_token", "continuing_subword_prefix", "end_of_word_suffix")
_MODEL_LISTS: Final = ("user_defined", "unused")
_DECODER_STEPS: Final[Mapping[str, tuple[Callable[..., DecoderStep], set[str]]]] = {
    "replace": (DecodeReplace, {"text", "by"}),
    "byte_fallback": (DecodeByteFallback, set()),
    "fuse": (DecodeFuse, set()),
    "strip": (DecodeStrip, {"text", "start", "stop"}),
    "metaspace": (DecodeMetaspace, {"replacement", "prepend_scheme"}),
    "byte_level": (DecodeByteLevel, set()),
    "end_of_word": (DecodeEndOfWord, {"suffix"}),
    "join": (DecodeJoin, {"by"}),
    "wordpiece": (DecodeWordpiece, {"prefix", "cleanup"}),
    "sentencepiece": (
        DecodeSentencepiece,
        {"unknown", "unknown_surface", "control", "byte_fallback", "drops_blanks"},
    ),
}
"""What makes a step, and its keys beside `type`."""

_TOP_KEYS: Final = {
    "added_tokens",
    "decoder",
    "model",
    "normalizer",
    "postprocessor",
    "pretokenizer",
    "spec_version",
}


def render_config(
    model: Model,
    pretokenizer: Pretokenizer,
    added_tokens: Sequence[AddedToken] = (),
    normalizer: Normalizer | None = None,
    postprocessor: Template | None = None,
    decoder: Decoder = Decoder(),  # noqa: B008 - a frozen value
) -> str:
    """The parts as one line of canonical JSON.

    >>> render_config(BpeModel("merges"), Pretokenizer("none"))[:75]
    '{"added_tokens":[],"decoder":{"type":"bytes"},"model":{"semantics":"merges"'
    """
    config = {
        "added_tokens": [{"content": token.content, "id": token.id} | token.flags() for token in added_tokens],
        "decoder": decoder.config(),
        "model": model.config(),
        "normalizer": normalizer and normalizer.config(),
        "postprocessor": postprocessor and postprocessor.config(),
        "pretokenizer": _pretokenizer_config(pretokenizer),
        "spec_version": SPEC_VERSION,
    }
    return _canonical(config)


def render_pretokenizer(pretokenizer: Pretokenizer) -> str:
    """The pretokenizer alone as canonical JSON: what counting needs of a tokenizer.

    >>> render_pretokenizer(Pretokenizer("gpt2"))
    '{"type":"gpt2","unicode":"16.0"}'
    """
    return _canonical(_pretokenizer_config(pretokenizer))


def parse_pretokenizer(text: str) -> Pretokenizer:
    """The inverse of `render_pretokenizer`. Raises: SpecError for anything that this version does not know, by name."""
    return _pretokenizer(_load(text))


def render_normalizer(normalizer: Normalizer) -> str:
    """The normalizer alone as canonical JSON.

    >>> render_normalizer(Normalizer((UnicodeForm("nfc"),)))
    '[{"type":"nfc","unicode":"16.0"}]'
    """
    return _canonical(normalizer.config())


def parse_normalizer(text: str) -> Normalizer | None:
    """The inverse of `render_normalizer`; `null` is None. Raises: SpecError for what is not known here, by name."""
    return _normalizer(_load(text))


def _pretokenizer_config(pretokenizer: Pretokenizer) -> dict[str, object]:
    values = {
        "type": pretokenizer.type,
        "digits": pretokenizer.digits,
        "regex": pretokenizer.regex,
        "steps": [step.config() for step in pretokenizer.steps],
        "unicode": UNICODE_VERSION,
    }
    return {key: values[key] for key in _PRETOKENIZER_KEYS[pretokenizer.type]}


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def parse_config(text: str) -> Parts:
    """The inverse of `render_config`; blanks and the order of keys do not matter.

    Raises: SpecError for anything that this version does not know, by name and place.
    """
    config = _load(text)
    if not isinstance(config, dict) or "spec_version" not in config:
        _refuse("top level", "has no 'spec_version'", "Pass the JSON that TokenizerSpec.config_json() writes")
    version = config["spec_version"]
    if type(version) is not int or version != SPEC_VERSION:
        _refuse("spec_version", f"is {quoted(version)}, but this tokenloom reads {SPEC_VERSION}", "Upgrade tokenloom")
    _check_keys(config, "top level", _TOP_KEYS)
    return (
        _model(config["model"]),
        _pretokenizer(config["pretokenizer"]),
        _added_tokens(config["added_tokens"]),
        _normalizer(config["normalizer"]),
        _postprocessor(config["postprocessor"]),
        _decoder(config["decoder"]),
    )


def _load(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        _refuse(f"line {error.lineno}, column {error.colno}", f"is not JSON ({error.msg})", "Mend or replace the text")
    except SpecError:
        raise
    except (RecursionError, ValueError):
        _refuse(
            "top level",
            "is nested too deeply or holds a number with thousands of digits",
            "Pass the JSON that TokenizerSpec.config_json() writes",
        )


def _model(value: Any) -> Model:
    _check_type(value, "model", tuple(MODELS))
    if value["type"] != BpeModel.type:
        return model_from_config(value)
    _check_keys(value, "model", {"type", "semantics"}, optional={"unit", *_MODEL_FLAGS, *_MODEL_TEXTS, *_MODEL_LISTS})
    for flag in value.keys() & set(_MODEL_FLAGS):
        if value[flag] is not True:
            _refuse(f"model.{flag}", f"is {quoted(value[flag])}", "Use true, or leave it out")
    for key in value.keys() & set(_MODEL_TEXTS):
        if not isinstance(value[key], str):
            _refuse(f"model.{key}", f"is {quoted(value[key])}", "Use a text, or leave it out")
    for key in value.keys() & set(_MODEL_LISTS):
        if not isinstance(value[key], list) or not value[key]:
            _refuse(f"model.{key}", f"is {quoted(value[key])}", "Use a list of texts, or leave it out")
    if value.get("unit", "character") != "character":
        _refuse("model.unit", f"is {quoted(value['unit'])}", "Use 'character', or leave it out")
    return BpeModel(**{key: item for key, item in value.items() if key != "type"})


def _decoder(value: Any) -> Decoder:
    is_sequence = isinstance(value, dict) and value.get("type") == "sequence"
    _check_keys(value, "decoder", {"type", "steps"} if is_sequence else {"type"})
    _check_type(value, "decoder", ("bytes", "sequence"))
    if not is_sequence:
        return Decoder()
    if not isinstance(value["steps"], list):
        _refuse("decoder.steps", f"{quoted(value['steps'])} is not a list", "Use a list of steps")
    return Decoder(tuple(_decoder_step(item, f"decoder.steps[{at}]") for at, item in enumerate(value["steps"])))


def _decoder_step(value: Any, place: str) -> DecoderStep:
    _check_type(value, place, tuple(_DECODER_STEPS))
    make, keys = _DECODER_STEPS[value["type"]]
    if value["type"] == "replace" and "pattern" in value:
        keys = {"pattern", "by"}
    _check_keys(value, place, {"type", *keys})
    return make(**{key: value[key] for key in keys})


def _pretokenizer(value: Any) -> Pretokenizer:
    _check_type(value, "pretokenizer", tuple(_PRETOKENIZER_KEYS))
    _check_keys(value, "pretokenizer", _PRETOKENIZER_KEYS[value["type"]])
    if "unicode" in value:
        _check_unicode(value, "pretokenizer")
    for key, kind in (("digits", int), ("regex", str), ("steps", list)):
        if key in value and type(value[key]) is not kind:
            _refuse(f"pretokenizer.{key}", f"{quoted(value[key])} is unknown", f"Use a value of type {kind.__name__}")
    steps = [
        step_from_config(item, place=f"tokenizer description, pretokenizer.steps[{position}]")
        for position, item in enumerate(value.get("steps", []))
    ]
    return Pretokenizer(value["type"], value.get("digits"), value.get("regex"), tuple(steps))


def _added_tokens(value: Any) -> tuple[AddedToken, ...]:
    if not isinstance(value, list):
        _refuse("added_tokens", f"{quoted(value)} is not a list", "Use a list of objects with 'content' and 'id'")
    for position, item in enumerate(value):
        _check_keys(item, f"added_tokens[{position}]", {"content", "id"}, optional=set(FLAGS))
        for flag in item.keys() & set(FLAGS):
            if item[flag] is not (flag != "special"):
                what = f"{quoted(flag)} is {item[flag]!r}"
                _refuse(f"added_tokens[{position}]", what, "Use what is not the default, or leave it out")
    return tuple(AddedToken(**item) for item in value)


def _normalizer(value: Any) -> Normalizer | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value:
        _refuse("normalizer", f"{quoted(value)} is unknown", "Use null or a list of steps, or upgrade tokenloom")
    return Normalizer(tuple(_step(item, f"normalizer[{position}]") for position, item in enumerate(value)))


def _step(value: Any, place: str) -> NormalizerStep:
    _check_type(value, place, tuple(_STEP_KEYS))
    keys = _STEP_KEYS[value["type"]]
    if value["type"] == "replace" and "pattern" in value:
        keys = {"type", "pattern", "by"}
    _check_keys(value, place, keys)
    match value["type"]:
        case "bert":
            return BertText(**{key: value[key] for key in keys - {"type"}})
        case "lowercase":
            return Lowercase()
        case "prepend":
            return Prepend(value["text"])
        case "replace":
            return Replace(value.get("text"), by=value["by"], pattern=value.get("pattern"))
        case "strip":
            return Strip(value["left"], value["right"])
        case "precompiled":
            return Precompiled.from_config(value)
        case "sentencepiece":
            return SentencepieceRules.from_config(value)
        case form:
            _check_unicode(value, place)
            return UnicodeForm(form)


def _postprocessor(value: Any) -> Template | None:
    if value is None:
        return None
    _check_type(value, "postprocessor", ("template",))
    _check_keys(value, "postprocessor", {"type", "single", "pair"})
    return Template(_items(value["single"], "postprocessor.single"), _items(value["pair"], "postprocessor.pair"))


def _items(value: Any, place: str) -> tuple[TemplateItem, ...]:
    if not isinstance(value, list):
        _refuse(place, f"{quoted(value)} is not a list", "Use a list of objects with 'id' or 'sequence'")
    items = []
    for position, item in enumerate(value):
        key = "sequence" if isinstance(item, dict) and "sequence" in item else "id"
        _check_keys(item, f"{place}[{position}]", {key})
        if (item[key] in ("A", "B")) is not (key == "sequence"):
            _refuse(
                f"{place}[{position}]", f"{key} is {item[key]!r}", "Use a whole number as id, 'A' or 'B' as sequence"
            )
        items.append(item[key])
    return tuple(items)


def _check_unicode(value: Any, place: str) -> None:
    if value["unicode"] != UNICODE_VERSION:
        _refuse(f"{place}.unicode", f"{quoted(value['unicode'])} is unknown", f"Use {UNICODE_VERSION!r}")


def _check_keys(value: Any, place: str, expected: Set[str], *, optional: Set[str] = frozenset()) -> None:
    """Refuse anything but an object with all expected keys, and no others but optional ones."""
    if not isinstance(value, dict):
        _refuse(
            place, f"{quoted(value)} is not an object", f"Use an object with {', '.join(map(repr, sorted(expected)))}"
        )
    for key in sorted(value.keys() - expected - optional):
        _refuse(place, f"has the unknown key {quoted(key)}", "Remove the key, or upgrade tokenloom")
    for key in sorted(expected - value.keys()):
        _refuse(place, f"lacks the key {quoted(key)}", "Add the key")


def _check_type(value: Any, place: str, known: tuple[str, ...]) -> None:
    """Refuse a component whose type is not among those that this version knows."""
    name = value.get("type") if isinstance(value, dict) else None
    if name not in known:
        found = value if name is None else name
        _refuse(place, f"{quoted(found)} is unknown", f"Use type {' or '.join(map(repr, known))}, or upgrade tokenloom")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        double, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        _refuse("an object", f"has the key {quoted(double)} twice", "Keep one of the two")
    return result


def _no_constant(name: str) -> Never:
    _refuse("a number", f"{name} is not JSON", "Use a finite number")


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise SpecError(f"tokenizer description, {place}: {what}. {remedy}.")
