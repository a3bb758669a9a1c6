"""The small parts of a spec as canonical JSON, and back.

One value has one spelling: keys sorted, no blanks, ASCII only. The text is what the fingerprint hashes, what our files
hold and what the core parses. Reading is strict, because a key that is skipped is a tokenizer that silently gives other
ids: unknown keys, components and versions are refused by name.
"""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, Never, get_args

from tokenloom.errors import SpecError
from tokenloom.spec.components import BpeModel, PatternName, Pretokenizer, SpecialToken

__all__ = ["SPEC_VERSION", "UNICODE_VERSION", "parse_config", "render_config", "render_pretokenizer"]

SPEC_VERSION: Final = 1
UNICODE_VERSION: Final = "16.0"
"""The character classes of the pretokenizers: part of the description, since newer classes cut text elsewhere."""

_PRETOKENIZER_KEYS: Final[dict[str, set[str]]] = {
    **{name: {"type", "unicode"} for name in get_args(PatternName)},
    "cl100k": {"digits", "type", "unicode"},
    "llama3": {"digits", "type", "unicode"},
    "metaspace": {"type"},
    "custom": {"regex", "type", "unicode"},
    "none": {"type"},
}
"""Where no class of characters decides, the version of the classes is no part of the description."""

_TOP_KEYS: Final = {
    "decoder",
    "model",
    "normalizer",
    "postprocessor",
    "pretokenizer",
    "special_tokens",
    "spec_version",
}


def render_config(model: BpeModel, pretokenizer: Pretokenizer, special_tokens: Sequence[SpecialToken]) -> str:
    """The parts as one line of canonical JSON.

    >>> render_config(BpeModel("merges"), Pretokenizer("none"), [])[:57]
    '{"decoder":{"type":"bytes"},"model":{"semantics":"merges"'
    """
    config = {
        "decoder": {"type": "bytes"},
        "model": {"type": "bpe", "semantics": model.semantics},
        "normalizer": None,
        "postprocessor": None,
        "pretokenizer": _pretokenizer_config(pretokenizer),
        "special_tokens": [{"content": token.content, "id": token.id} for token in special_tokens],
        "spec_version": SPEC_VERSION,
    }
    return _canonical(config)


def render_pretokenizer(pretokenizer: Pretokenizer) -> str:
    """The pretokenizer alone as canonical JSON: what counting needs of a tokenizer.

    >>> render_pretokenizer(Pretokenizer("gpt2"))
    '{"type":"gpt2","unicode":"16.0"}'
    """
    return _canonical(_pretokenizer_config(pretokenizer))


def _pretokenizer_config(pretokenizer: Pretokenizer) -> dict[str, object]:
    values = {
        "type": pretokenizer.type,
        "digits": pretokenizer.digits,
        "regex": pretokenizer.regex,
        "unicode": UNICODE_VERSION,
    }
    return {key: values[key] for key in _PRETOKENIZER_KEYS[pretokenizer.type]}


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def parse_config(text: str) -> tuple[BpeModel, Pretokenizer, tuple[SpecialToken, ...]]:
    """The inverse of `render_config`; blanks and the order of keys do not matter.

    Raises: SpecError for anything that this version does not know, by name and place.
    """
    config = _load(text)
    if not isinstance(config, dict) or "spec_version" not in config:
        _refuse("top level", "has no 'spec_version'", "Pass the JSON that TokenizerSpec.config_json() writes")
    version = config["spec_version"]
    if type(version) is not int or version != SPEC_VERSION:
        _refuse("spec_version", f"is {version!r}, but this tokenloom reads {SPEC_VERSION}", "Upgrade tokenloom")
    _check_keys(config, "top level", _TOP_KEYS)
    for absent in ("normalizer", "postprocessor"):
        if config[absent] is not None:
            _refuse(absent, f"{config[absent]!r} is unknown", "Use null, or upgrade tokenloom")
    _check_keys(config["decoder"], "decoder", {"type"})
    _check_type(config["decoder"], "decoder", ("bytes",))
    return _model(config["model"]), _pretokenizer(config["pretokenizer"]), _special_tokens(config["special_tokens"])


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


def _model(value: Any) -> BpeModel:
    _check_type(value, "model", ("bpe",))
    _check_keys(value, "model", {"type", "semantics"})
    return BpeModel(value["semantics"])


def _pretokenizer(value: Any) -> Pretokenizer:
    _check_type(value, "pretokenizer", tuple(_PRETOKENIZER_KEYS))
    _check_keys(value, "pretokenizer", _PRETOKENIZER_KEYS[value["type"]])
    unicode_version = value.get("unicode", UNICODE_VERSION)
    if unicode_version != UNICODE_VERSION:
        _refuse("pretokenizer.unicode", f"{unicode_version!r} is unknown", f"Use {UNICODE_VERSION!r}")
    for key, kind in (("digits", int), ("regex", str)):
        if key in value and type(value[key]) is not kind:
            _refuse(f"pretokenizer.{key}", f"{value[key]!r} is unknown", f"Use a value of type {kind.__name__}")
    return Pretokenizer(value["type"], value.get("digits"), value.get("regex"))


def _special_tokens(value: Any) -> tuple[SpecialToken, ...]:
    if not isinstance(value, list):
        _refuse("special_tokens", f"{value!r} is not a list", "Use a list of objects with 'content' and 'id'")
    for position, item in enumerate(value):
        _check_keys(item, f"special_tokens[{position}]", {"content", "id"})
    return tuple(SpecialToken(item["content"], item["id"]) for item in value)


def _check_keys(value: Any, place: str, expected: set[str]) -> None:
    """Refuse anything but an object with exactly the expected keys."""
    if not isinstance(value, dict):
        _refuse(place, f"{value!r} is not an object", f"Use an object with {', '.join(map(repr, sorted(expected)))}")
    for key in sorted(value.keys() - expected):
        _refuse(place, f"has the unknown key {key!r}", "Remove the key, or upgrade tokenloom")
    for key in sorted(expected - value.keys()):
        _refuse(place, f"lacks the key {key!r}", "Add the key")


def _check_type(value: Any, place: str, known: tuple[str, ...]) -> None:
    """Refuse a component whose type is not among those that this version knows."""
    name = value.get("type") if isinstance(value, dict) else None
    if name not in known:
        found = value if name is None else name
        _refuse(place, f"{found!r} is unknown", f"Use type {' or '.join(map(repr, known))}, or upgrade tokenloom")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        double, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        _refuse("an object", f"has the key {double!r} twice", "Keep one of the two")
    return result


def _no_constant(name: str) -> Never:
    _refuse("a number", f"{name} is not JSON", "Use a finite number")


def _refuse(place: str, what: str, remedy: str) -> Never:
    raise SpecError(f"tokenizer description, {place}: {what}. {remedy}.")
