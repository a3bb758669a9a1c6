"""Where a tokenizer comes from: its description from any path or name, and what is noted of its making."""

import os
from collections.abc import Mapping
from typing import Any

from tokenloom import _core
from tokenloom.formats import native, packed
from tokenloom.spec import TokenizerSpec
from tokenloom.tokenizer.options import RunOptions

__all__ = ["load_spec", "truncation_noted"]


def load_spec(
    path_or_name: str | os.PathLike[str], options: RunOptions
) -> tuple[TokenizerSpec, Mapping[str, Any], _core.Pipeline | None]:
    """The description of a tokenizer, ours or that of another library, and its provenance; see `Tokenizer.load`.

    The last value is its core, where it need not be built.
    """
    if packed.is_packed(path_or_name):
        arguments = {"special_text": options.special_text, "surrogates": options.surrogates}
        return packed.load_packed(path_or_name, **arguments, cache_bytes=options.cache_bytes)
    if native.is_saved(path_or_name):
        return *native.load_with_provenance(path_or_name), None
    from tokenloom.formats.detect import load_any  # what reads other formats takes its time to import

    return *load_any(path_or_name), None


def truncation_noted(provenance: Mapping[str, Any], fingerprint: str, n_ids: int) -> dict[str, Any]:
    """The provenance of a tokenizer that is made from another one, with this fingerprint, by leaving out merges."""
    note = {"fingerprint": fingerprint, "n_ids": n_ids}
    if "truncated_from" in provenance:
        note["truncated_from"] = provenance["truncated_from"]
    return {**provenance, "truncated_from": note}
