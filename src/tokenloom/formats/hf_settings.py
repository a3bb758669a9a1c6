"""Settings in `tokenizer.json` that decide no ids: how the library cuts and fills up what it has encoded.

They are not applied here. They are read, kept beside the tokenizer (in its provenance) and written again, in the form
that the library itself writes. Sources: `utils/truncation.rs` and `utils/padding.rs` of huggingface/tokenizers.
"""

from collections.abc import Mapping
from typing import Any, Final

from tokenloom.formats.json_values import Node
from tokenloom.wording import quoted

__all__ = ["PROCESSOR", "SETTINGS", "read_settings", "settings_json"]

SETTINGS: Final = ("truncation", "padding")
PROCESSOR: Final = "post_processor"
"""Kept as it stands in the file where it says more than which ids are put around a text."""
_DIRECTIONS: Final = ("Left", "Right")
_STRATEGIES: Final = ("LongestFirst", "OnlyFirst", "OnlySecond")
_LONGEST: Final = "BatchLongest"
_FIXED: Final = "Fixed"
_MOST_ID: Final = 2**32 - 1
"""Of the library: it reads no file with more."""


def read_settings(top: Node) -> dict[str, Any]:
    """The settings of a file, without those that are null. Raises: FormatError for what the library does not read.

    >>> read_settings(Node({"truncation": {"max_length": 512, "strategy": "OnlyFirst", "stride": 0}}, "", "x.json"))
    {'truncation': {'direction': 'Right', 'max_length': 512, 'strategy': 'OnlyFirst', 'stride': 0}}
    """
    readers = zip(SETTINGS, (_truncation, _padding), strict=True)
    return {key: reader(top[key]) for key, reader in readers if top.get(key).value is not None}


def settings_json(settings: Mapping[str, Any], *, place: str) -> dict[str, Any]:
    """Both settings as the file holds them, null where there is none. Raises: FormatError as `read_settings`.

    >>> settings_json({}, place="x.json")
    {'truncation': None, 'padding': None}
    """
    kept = {key: settings[key] for key in SETTINGS if key in settings}
    return dict.fromkeys(SETTINGS) | read_settings(Node(kept, "", place))


def _truncation(node: Node) -> dict[str, Any]:
    node.only("direction", "max_length", "strategy", "stride")
    return {
        "direction": _one_of(node.get("direction", "Right"), _DIRECTIONS),
        "max_length": node["max_length"].whole_number(),
        "strategy": _one_of(node["strategy"], _STRATEGIES),
        "stride": node["stride"].whole_number(),
    }


def _padding(node: Node) -> dict[str, Any]:
    node.only("strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token")
    multiple = node.get("pad_to_multiple_of")
    return {
        "strategy": _padding_strategy(node["strategy"]),
        "direction": _one_of(node["direction"], _DIRECTIONS),
        "pad_to_multiple_of": None if multiple.value is None else multiple.whole_number(),
        "pad_id": node["pad_id"].whole_number(most=_MOST_ID),
        "pad_type_id": node["pad_type_id"].whole_number(most=_MOST_ID),
        "pad_token": node["pad_token"].text(),
    }


def _padding_strategy(node: Node) -> str | dict[str, int]:
    if isinstance(node.value, dict):
        return {_FIXED: node.only(_FIXED)[_FIXED].whole_number()}
    return _one_of(node, (_LONGEST,))


def _one_of(node: Node, known: tuple[str, ...]) -> str:
    if node.text() not in known:
        raise node.fault(f"is {quoted(node.text())}, which is not known here", f"Use {' or '.join(map(repr, known))}")
    return node.text()
