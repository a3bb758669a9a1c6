"""Files for other libraries, which lie beside the native form; that is the one which is read.

An export that cannot hold a tokenizer exactly refuses it with a FormatError that says why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tokenloom.formats.hf_json import HF_CONFIG, HF_JSON, render_hf_config, render_hf_json
from tokenloom.formats.tiktoken import RANKS, render_tiktoken
from tokenloom.spec import TokenizerSpec

__all__ = ["EXPORTS", "Export"]


@dataclass(frozen=True, slots=True)
class Export:
    """One or more files that belong together.

    Args:
        summary: one line for people.
        names: the files, the one that matters first.
        render: their contents in the same order. Raises: FormatError if they cannot hold the tokenizer.
    """

    summary: str
    names: tuple[str, ...]
    render: Callable[[TokenizerSpec], tuple[bytes, ...]]


EXPORTS: Final[dict[str, Export]] = {
    "hf_json": Export(
        summary="tokenizer.json and its config, for tokenizers and transformers",
        names=(HF_JSON, HF_CONFIG),
        render=lambda spec: (render_hf_json(spec), render_hf_config(spec)),
    ),
    "tiktoken": Export(
        summary="the rank file of tiktoken",
        names=(RANKS,),
        render=lambda spec: (render_tiktoken(spec),),
    ),
}
