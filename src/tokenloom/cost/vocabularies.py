"""Published vocabularies and their sizes: a table with its date and sources.

The size is the number of rows that the embedding of a model has, since rows are what costs; tokenizers may have fewer
tokens, and models add rows of padding.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tokenloom.cost.checks import unknown_name

__all__ = ["VOCABULARIES", "VOCABULARIES_DATE", "PublishedVocabulary", "published_vocabulary"]

VOCABULARIES_DATE: Final = "2026-11"
"""When the table was written; a new row or a changed one moves it."""


@dataclass(frozen=True, slots=True)
class PublishedVocabulary:
    """One vocabulary.

    Args:
        name: how it is asked for.
        size: rows of the embedding; of an encoding that came without a model, ids.
        n_ids: ids that the tokenizer has, special tokens counted, if they are known to be fewer than rows.
        kind: how text is cut: bytes, byte BPE, BPE, WordPiece, Unigram.
        year: when it came out.
        source: title and year of where the size stands.
    """

    name: str
    size: int
    n_ids: int | None
    kind: str
    year: int
    source: str


def published_vocabulary(name: str) -> PublishedVocabulary:
    """A vocabulary of the table, upper case or lower. Raises: CostError with the nearest name and all there are.

    >>> published_vocabulary("llama-3").size, published_vocabulary("Qwen3").n_ids
    (128256, 151669)
    """
    try:
        return VOCABULARIES[name.strip().lower()]
    except (KeyError, AttributeError):
        raise unknown_name(name, VOCABULARIES, "vocabulary") from None


_TIKTOKEN: Final = "tiktoken 0.14.0 (2026), tiktoken_ext/openai_public.py"
_TABLE: Final = "config.json of the model (2026), as the course whose figures the tests hold lists it"

_GPT2: Final = "Radford et al. 2019, Language Models are Unsupervised Multitask Learners"

_ROWS: Final = (
    ("bert-base-uncased", 30_522, None, "WordPiece", 2018, "Devlin et al. 2018, BERT; its vocab.txt"),
    ("bert-base-multilingual", 119_547, None, "WordPiece", 2018, "BERT multilingual cased (2018); vocab.txt"),
    ("gpt2", 50_257, None, "byte BPE", 2019, _GPT2),
    ("roberta", 50_265, None, "byte BPE", 2019, "Liu et al. 2019, RoBERTa; config.json"),
    ("t5", 32_128, 32_100, "Unigram", 2019, "Raffel et al. 2019, Exploring the Limits of Transfer Learning"),
    ("xlm-r", 250_002, None, "Unigram", 2019, "Conneau et al. 2019, Unsupervised Cross-lingual Representation"),
    ("mt5", 250_112, 250_100, "Unigram", 2020, "Xue et al. 2020, mT5; config.json"),
    ("byt5", 384, None, "bytes", 2021, "Xue et al. 2021, ByT5: Towards a Token-Free Future; config.json"),
    ("gpt-neox", 50_432, 50_277, "byte BPE", 2022, "Black et al. 2022, GPT-NeoX-20B; config.json"),
    ("bloom", 250_880, 250_680, "byte BPE", 2022, "BigScience 2022, BLOOM, section 3.2.3; config.json"),
    ("nllb-200", 256_206, None, "BPE", 2022, "NLLB Team 2022, No Language Left Behind; config.json"),
    ("cl100k_base", 100_277, None, "byte BPE", 2022, _TIKTOKEN),
    ("llama", 32_000, None, "BPE", 2023, "Touvron et al. 2023, LLaMA; config.json"),
    ("llama-2", 32_000, None, "BPE", 2023, "Touvron et al. 2023, Llama 2; config.json"),
    ("falcon", 65_024, None, "byte BPE", 2023, "Almazrouei et al. 2023, The Falcon Series of Open Language Models"),
    ("starcoder", 49_152, None, "byte BPE", 2023, "Li et al. 2023, StarCoder: may the source be with you!"),
    ("mistral-7b", 32_000, None, "BPE", 2023, "Jiang et al. 2023, Mistral 7B, table 1"),
    ("gemma", 256_000, None, "BPE", 2024, "Gemma Team 2024, Gemma; config.json"),
    ("llama-3", 128_256, None, "byte BPE", 2024, "Grattafiori et al. 2024, The Llama 3 Herd of Models: 100 K + 28 K"),
    ("o200k_base", 200_019, None, "byte BPE", 2024, _TIKTOKEN),
    ("tekken", 131_072, None, "byte BPE", 2024, "Mistral AI 2024, Mistral NeMo; tekken.json"),
    ("qwen2.5", 151_936, 151_665, "byte BPE", 2024, "Qwen Team 2024, Qwen2.5 Technical Report; config.json up to 3B"),
    ("deepseek-v3", 129_280, 128_815, "byte BPE", 2024, "DeepSeek-AI 2024, DeepSeek-V3 Technical Report; config.json"),
    ("gemma-3", 262_208, 262_145, "BPE", 2025, "Gemma Team 2025, Gemma 3 Technical Report; config.json"),
    ("qwen3", 151_936, 151_669, "byte BPE", 2025, "Qwen Team 2025, Qwen3 Technical Report; config.json"),
    ("o200k_harmony", 201_088, None, "byte BPE", 2025, _TIKTOKEN),
    ("glm-5.3", 154_880, None, "byte BPE", 2026, _TABLE),
    ("kimi-k3", 163_840, None, "byte BPE", 2026, _TABLE),
    ("qwen3.8", 248_320, None, "byte BPE", 2026, _TABLE),
)  # fmt: skip

VOCABULARIES: Final[Mapping[str, PublishedVocabulary]] = MappingProxyType(
    {row[0]: PublishedVocabulary(*row) for row in _ROWS}
)
"""Vocabularies by name, the oldest first."""
