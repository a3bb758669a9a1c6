"""Files for other libraries, which lie beside the native form; that is the one which is read.

An export that cannot hold a tokenizer exactly refuses it with a FormatError that says why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tokenloom.formats.hf_json import HF_CONFIG, HF_JSON, render_hf_config, render_hf_json
from tokenloom.formats.hf_parts import read_postprocessor
from tokenloom.formats.hf_settings import PROCESSOR, SETTINGS
from tokenloom.formats.json_values import Node
from tokenloom.formats.tiktoken import RANKS, render_tiktoken
from tokenloom.spec import TokenizerSpec

__all__ = ["EXPORTS", "Export", "settings_of"]


@dataclass(frozen=True, slots=True)
class Export:
    """One or more files that belong together.

    Args:
        summary: one line for people.
        names: the files, the one that matters first.
        render: their contents in the same order, from the tokenizer and its provenance. Raises: FormatError if they
            cannot hold the tokenizer.
    """

    summary: str
    names: tuple[str, ...]
    render: Callable[[TokenizerSpec, Mapping[str, Any]], tuple[bytes, ...]]


def settings_of(spec: TokenizerSpec, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What the `tokenizer.json` that a tokenizer comes from has beyond its description; else such names mean anything.

    Where ids were numbered anew, padding is by the id that its token now has, and left out if there is none. So is a
    post-processor that is another one than that of the description.
    """
    if provenance.get("format") != "hf_json":
        return {}
    settings = {key: provenance[key] for key in (*SETTINGS, PROCESSOR) if key in provenance}
    if (
        PROCESSOR in settings
        and read_postprocessor(Node(settings[PROCESSOR], PROCESSOR, HF_JSON)) != spec.postprocessor
    ):
        del settings[PROCESSOR]
    if "truncated_from" in provenance and (padding := settings.pop("padding", None)):
        ids = {added.content: added.id for added in spec.added_tokens}
        if padding["pad_token"] in ids:
            settings["padding"] = padding | {"pad_id": ids[padding["pad_token"]]}
    return settings


EXPORTS: Final[dict[str, Export]] = {
    "hf_json": Export(
        summary="tokenizer.json and its config, for tokenizers and transformers",
        names=(HF_JSON, HF_CONFIG),
        render=lambda spec, provenance: (
            render_hf_json(spec, settings=settings_of(spec, provenance)),
            render_hf_config(spec),
        ),
    ),
    "tiktoken": Export(
        summary="the rank file of tiktoken",
        names=(RANKS,),
        render=lambda spec, _: (render_tiktoken(spec),),
    ),
}
