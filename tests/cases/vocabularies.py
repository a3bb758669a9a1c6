"""Small tokenizers for cases that bring their own."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from tokenloom import Tokenizer
from tokenloom.formats.hf_json import render_hf_json
from tokenloom.spec import AddedToken, Normalizer, NormalizerStep, Pretokenizer, build_spec
from tokenloom.spec.components import PretokenizerType
from tokenloom.tokenizer import SpecialText

__all__ = ["BYTES", "byte_tokenizer", "from_hf_json", "texts_of"]

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}


def byte_tokenizer(
    added: Mapping[str, int] | Iterable[AddedToken] = (),
    *,
    steps: tuple[NormalizerStep, ...] = (),
    pattern: PretokenizerType = "gpt2",
    special_text: SpecialText = "parse",
) -> Tokenizer:
    """The 256 bytes, added tokens with their ids, and steps of a normalizer."""
    tokens = [AddedToken(*item) for item in added.items()] if isinstance(added, Mapping) else added
    normalizer = Normalizer(steps) if steps else None
    spec = build_spec(BYTES, [], added_tokens=tokens, normalizer=normalizer, pretokenizer=Pretokenizer(pattern))
    return Tokenizer.from_spec(spec, special_text=special_text)


def from_hf_json(folder: Path, **parts: Any) -> Tokenizer:
    """A tokenizer from a `tokenizer.json` of the bytes, not cut into pretokens, with some parts changed."""
    top = json.loads(render_hf_json(build_spec(BYTES, [], pretokenizer=Pretokenizer("none"))))
    model = parts.pop("model", {})
    (folder / "tokenizer.json").write_text(json.dumps(top | parts | {"model": top["model"] | model}))
    return Tokenizer.load(folder / "tokenizer.json", special_text="parse")


def texts_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """Each token of a text, decoded alone."""
    return [tokenizer.token_bytes(token_id).decode(errors="replace") for token_id in tokenizer.encode(text)]
