"""The pretokenizer of `tokenizer.json`, both ways.

A chain that cuts like a named pretokenizer becomes that one, which is fast; any other becomes a sequence of steps. What
only moves offsets (`trim_offsets`) is left out.
Source: `pre_tokenizers` of huggingface/tokenizers.
"""

from typing import Any, Final

from tokenloom.errors import FormatError, SpecError
from tokenloom.formats.json_values import Node
from tokenloom.formats.patterns import ambiguity, hf_pattern, regex_pretokenizer
from tokenloom.spec import PatternName, Pretokenizer, Unit
from tokenloom.spec.alphabets import CHARACTER_TO_BYTE
from tokenloom.spec.pretokenizer_steps import (
    Behavior,
    BertStep,
    ByteLevelStep,
    DigitsStep,
    MetaspaceStep,
    PrependScheme,
    PretokenizerStep,
    PunctuationStep,
    SplitStep,
    WhitespaceSplitStep,
    WhitespaceStep,
)
from tokenloom.wording import quoted

__all__ = [
    "BYTE_LEVEL",
    "UPGRADE",
    "alike",
    "flat",
    "has_byte_level",
    "pretokenizer_json",
    "read_byte_level",
    "read_metaspace",
    "read_pretokenizer",
]

UPGRADE: Final = "Use another tokenizer, or a tokenloom that knows it"
BYTE_LEVEL: Final = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}

_BEHAVIORS: Final[dict[str, Behavior]] = {
    "Removed": "removed",
    "Isolated": "isolated",
    "MergedWithPrevious": "merged_with_previous",
    "MergedWithNext": "merged_with_next",
    "Contiguous": "contiguous",
}
_BEHAVIOR_NAMES: Final = {ours: theirs for theirs, ours in _BEHAVIORS.items()}
_SCHEMES: Final[dict[str, PrependScheme]] = {"always": "always", "first": "first", "never": "never"}

_DEEPSEEK_V3: Final = (
    SplitStep(r"\p{N}{1,3}"),
    SplitStep("[一-龥\u3040-ゟ゠-ヿ]+"),
    SplitStep(
        "|".join(
            (
                r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+""",
                "[^\r\n" r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+",
                r" ?[\p{P}\p{S}]+" "[\r\n]*",
                r"\s*[" "\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            )
        )
    ),
)
"""The three patterns that are applied one after the other; two of them hold line ends as themselves."""

_PLAIN: Final = ByteLevelStep(use_regex=False)
_WITH_PATTERN: Final[dict[tuple[PretokenizerStep, ...], PatternName]] = {
    (ByteLevelStep(),): "gpt2",
    (DigitsStep(individual=True), ByteLevelStep()): "starcoder",
}
_WITHOUT_OPTIONS: Final[dict[str, PretokenizerStep]] = {
    "Whitespace": WhitespaceStep(),
    "WhitespaceSplit": WhitespaceSplitStep(),
    "BertPreTokenizer": BertStep(),
}


def has_byte_level(node: Node) -> bool:
    """Whether pretokens are spelled with GPT-2's characters."""
    return any(item.type() == "ByteLevel" for item in flat(node, "pretokenizers"))


def read_pretokenizer(node: Node, *, unit: Unit = "byte") -> Pretokenizer:
    """How text is cut for a model that works on bytes or on characters.

    Raises: FormatError naming the place, for a pre-tokenizer that is not known here, and for a chain that does not give
        the model its unit.
    """
    nodes = flat(node, "pretokenizers")
    steps = tuple(_step(item) for item in nodes)
    _check_unit(nodes, node, unit)
    return _named(steps, unit, node) or Pretokenizer("sequence", steps=steps)


def _check_unit(nodes: list[Node], node: Node, unit: Unit) -> None:
    """Refuse a chain that gives a byte-level model text which is not spelled in GPT-2's characters."""
    if unit != "byte":
        return
    places = [place for place, item in enumerate(nodes) if item.type() == "ByteLevel"]
    if not places:
        raise node.fault("has no 'ByteLevel', and this vocabulary is byte-level", UPGRADE)
    for item in nodes[places[-1] + 1 :]:
        if item.type() == "Metaspace" and item["replacement"].text() not in CHARACTER_TO_BYTE:
            what = f"puts {quoted(item['replacement'].value)} behind 'ByteLevel', which stands for no byte"
            raise item.fault(what, "Use another tokenizer")


def _named(steps: tuple[PretokenizerStep, ...], unit: Unit, node: Node) -> Pretokenizer | None:
    """The pretokenizer with a name, or with one regular expression, that cuts like these steps; None if none does."""
    if unit == "byte":
        if steps in _WITH_PATTERN:
            return Pretokenizer(_WITH_PATTERN[steps])
        if steps[-1] != _PLAIN:
            return None
        steps = steps[:-1]
    if not steps:
        return Pretokenizer("none")
    if steps == _DEEPSEEK_V3:
        return Pretokenizer("deepseek_v3")
    return _single(steps[0], node) if len(steps) == 1 else None


def _single(step: PretokenizerStep, node: Node) -> Pretokenizer | None:
    """What cuts like one Split whose matches, and what lies between them, are pieces."""
    if not isinstance(step, SplitStep) or step.pattern is None:
        return None
    found = regex_pretokenizer(step.pattern, place=f"{node.file}, {node.path}")
    covers_all = found.type != "custom" and step == SplitStep(step.pattern, behavior="removed", invert=True)
    return found if covers_all or step.behavior == "isolated" else None


def _step(node: Node) -> PretokenizerStep:
    kind = node.type()
    try:
        match kind:
            case "Split":
                return _split(node.only("type", "pattern", "behavior", "invert"))
            case "CharDelimiterSplit":
                return SplitStep(text=_character(node.only("type", "delimiter")["delimiter"]), behavior="removed")
            case "ByteLevel":
                return read_byte_level(node)
            case "Digits":
                return DigitsStep(node.only("type", "individual_digits")["individual_digits"].flag())
            case "Punctuation":
                return PunctuationStep(_behavior(node.only("type", "behavior").get("behavior", "Isolated")))
            case "Metaspace":
                return _metaspace(node)
            case _ if kind in _WITHOUT_OPTIONS:
                node.only("type")
                return _WITHOUT_OPTIONS[kind]
    except SpecError as error:
        raise FormatError(f"{node.file}, {node.path}: {error}") from error
    raise node.fault(f"pre-tokenizer {quoted(kind)} is not known here", UPGRADE)


def _split(node: Node) -> SplitStep:
    pattern = node["pattern"]
    behavior, invert = _behavior(node["behavior"]), node["invert"].flag()
    if pattern.only_one("Regex", "String") == "String":
        return SplitStep(text=pattern["String"].text(), behavior=behavior, invert=invert)
    return SplitStep(alike(pattern["Regex"]), behavior=behavior, invert=invert)


def read_byte_level(node: Node) -> ByteLevelStep:
    """The options of ByteLevel, which must be there also where they have no effect: in a decoder or post-processor."""
    node.only(*BYTE_LEVEL, "use_regex")
    node["trim_offsets"].flag()
    return ByteLevelStep(node["add_prefix_space"].flag(), node.get("use_regex", True).flag())


def _character(node: Node) -> str:
    if len(node.text()) != 1:
        raise node.fault(f"is {quoted(node.value)}, no single character", "Use one")
    return node.text()


def _behavior(node: Node) -> Behavior:
    if node.text() not in _BEHAVIORS:
        known = ", ".join(map(repr, _BEHAVIORS))
        raise node.fault(f"behavior {quoted(node.value)} is not known here", f"Use one of {known}")
    return _BEHAVIORS[node.value]


def _metaspace(node: Node) -> MetaspaceStep:
    split = node.get("split")
    replacement, scheme = read_metaspace(node)
    return MetaspaceStep(replacement, scheme, split.value is None or split.flag())


def read_metaspace(node: Node) -> tuple[str, PrependScheme]:
    """The mark and where it is put.

    Older files say with `add_prefix_space` what `prepend_scheme` says, or both; `str_rep` has no effect.
    """
    node.only("type", "replacement", "prepend_scheme", "split", "add_prefix_space", "str_rep")
    scheme, adds, text = node.get("prepend_scheme", "always"), node.get("add_prefix_space"), node.get("str_rep")
    if text.value is not None:
        text.text()
    if scheme.text() not in _SCHEMES:
        what = f"prepend_scheme {quoted(scheme.value)} is not known here"
        raise scheme.fault(what, "Use 'always', 'first' or 'never'")
    if adds.value is not None and not adds.flag() and scheme.value != "never":
        what = f"is false, but prepend_scheme is {scheme.value!r}: the library refuses such a file"
        raise adds.fault(what, "Use true, or prepend_scheme 'never'")
    return node["replacement"].text(), _SCHEMES[scheme.value]


def flat(node: Node, key: str) -> list[Node]:
    """The members of a sequence, nested ones too, however deep; a member alone is a chain of one."""
    members, waiting = [], [] if node.value is None else [node]
    while waiting:
        item = waiting.pop()
        if item.type() == "Sequence":
            waiting += reversed(list(item.only("type", key)[key].items()))
        else:
            members.append(item)
    return members


def alike(node: Node) -> str:
    """A pattern that means the same in both engines."""
    if (part := ambiguity(node.text())) is not None:
        what = f"pattern {quoted(node.value)} has {part!r}, which the library's engine may read otherwise than ours"
        raise node.fault(what, "Write the pattern without it, or use another tokenizer")
    return node.text()


def pretokenizer_json(pretokenizer: Pretokenizer, *, place: str, unit: Unit = "byte") -> dict[str, Any] | None:
    """The inverse of `read_pretokenizer`. Raises: FormatError for a pretokenizer that the library does not have."""
    steps = list(_steps(pretokenizer, unit, place))
    if unit == "byte" and not any(isinstance(step, ByteLevelStep) for step in steps):
        steps.append(_PLAIN)
    shown = [_step_json(step) for step in steps]
    if len(shown) == 1:
        return shown[0]
    return {"type": "Sequence", "pretokenizers": shown} if shown else None


def _steps(pretokenizer: Pretokenizer, unit: Unit, place: str) -> tuple[PretokenizerStep, ...]:
    """The steps with which the library cuts alike. A model over characters takes no `ByteLevel`, which spells bytes."""
    match pretokenizer.type:
        case "none":
            return ()
        case "gpt2" | "starcoder" if unit == "byte":
            return next(steps for steps, name in _WITH_PATTERN.items() if name == pretokenizer.type)
        case "deepseek_v3":
            return _DEEPSEEK_V3
        case "sequence":
            for step in pretokenizer.steps:
                if isinstance(step, SplitStep) and step.pattern is not None:
                    _check_alike(step.pattern, pretokenizer, place)
            return pretokenizer.steps
        case _:
            pattern = hf_pattern(pretokenizer)
            _check_alike(pattern, pretokenizer, place)
            return (SplitStep(pattern),)


def _check_alike(pattern: str, pretokenizer: Pretokenizer, place: str) -> None:
    if (part := ambiguity(pattern)) is not None:
        raise FormatError(
            f"{place}: cannot hold pretokenizer {pretokenizer.type!r}: the library may read {part!r} in its pattern "
            "otherwise. Use another format."
        )


def _step_json(step: PretokenizerStep) -> dict[str, Any]:
    match step:
        case SplitStep(pattern, text, behavior, invert):
            what = {"Regex": pattern} if text is None else {"String": text}
            return {"type": "Split", "pattern": what, "behavior": _BEHAVIOR_NAMES[behavior], "invert": invert}
        case ByteLevelStep(add_prefix_space, use_regex):
            return BYTE_LEVEL | {"add_prefix_space": add_prefix_space, "use_regex": use_regex}
        case DigitsStep(individual):
            return {"type": "Digits", "individual_digits": individual}
        case PunctuationStep(behavior):
            return {"type": "Punctuation", "behavior": _BEHAVIOR_NAMES[behavior]}
        case MetaspaceStep(replacement, scheme, split):
            return {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": split}
        case _:
            return {"type": next(name for name, known in _WITHOUT_OPTIONS.items() if known == step)}
