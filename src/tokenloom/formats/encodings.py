"""The encodings that tiktoken publishes: where their rank files come from, their checksums, patterns, special tokens.

A rank file holds none of this but the ranks, so a reader has to know it from elsewhere.
Source: `tiktoken_ext/openai_public.py` of openai/tiktoken.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tokenloom.spec.components import PretokenizerType

__all__ = ["ENCODINGS", "GPT2_PAIR", "Encoding"]

_BASE: Final = "https://openaipublic.blob.core.windows.net/encodings/"
_END: Final = "<|endoftext|>"


@dataclass(frozen=True, slots=True)
class Encoding:
    """One published encoding.

    Args:
        url: of its rank file; tiktoken's cache names its copy by the SHA-1 of this.
        sha256: hex checksum of the rank file. Encodings may share one file.
        pretokenizer: the name of its pattern here.
        special_tokens: ids by content.
    """

    url: str
    sha256: str
    pretokenizer: PretokenizerType
    special_tokens: Mapping[str, int]

    @property
    def file(self) -> str:
        """The usual name of the rank file.

        >>> ENCODINGS["o200k_harmony"].file
        'o200k_base.tiktoken'
        """
        return self.url.rpartition("/")[2]


_R50K: Final = Encoding(
    _BASE + "r50k_base.tiktoken",
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
    "gpt2",
    {_END: 50256},
)
_P50K: Final = Encoding(
    _BASE + "p50k_base.tiktoken",
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    "gpt2",
    {_END: 50256},
)
_CL100K: Final = Encoding(
    _BASE + "cl100k_base.tiktoken",
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    "cl100k",
    {
        _END: 100257,
        "<|fim_prefix|>": 100258,
        "<|fim_middle|>": 100259,
        "<|fim_suffix|>": 100260,
        "<|endofprompt|>": 100276,
    },
)
_O200K: Final = Encoding(
    _BASE + "o200k_base.tiktoken",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "o200k",
    {_END: 199999, "<|endofprompt|>": 200018},
)
_CHANNELS: Final = {
    "<|startoftext|>": 199998,
    _END: 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
    "<|endofprompt|>": 200018,
}


def _harmony() -> dict[str, int]:
    """The tokens of o200k_harmony, but for `<|reserved_200018|>`: its id is also that of `<|endofprompt|>`."""
    named = set(_CHANNELS.values())
    reserved = {f"<|reserved_{i}|>": i for i in range(200000, 201088) if i not in named}
    return _CHANNELS | reserved


ENCODINGS: Final[Mapping[str, Encoding]] = {
    "r50k_base": _R50K,
    "gpt2": _R50K,
    "p50k_base": _P50K,
    "p50k_edit": Encoding(
        _P50K.url,
        _P50K.sha256,
        "gpt2",
        {_END: 50256, "<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283},
    ),
    "cl100k_base": _CL100K,
    "o200k_base": _O200K,
    "o200k_harmony": Encoding(_O200K.url, _O200K.sha256, "o200k", _harmony()),
}
"""By name; of two that share a file, the one that the file is named after comes first."""

GPT2_PAIR: Final = "6bce29f4c3491483390fb94f352c3a6cc43d5cd34393e0d217930c339f9e7e76"
"""Of GPT-2's `vocab.json` and `merges.txt`, see `gpt2.read_published_gpt2`: a checksum of what they say, so that copies
with a header, with other line ends or with entries in another order are known too.
"""
