"""Small Unigram models for tests, by tokens and scores."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any, Final, Literal

from tests.unigrams import unigram_spec
from tokenloom import Tokenizer
from tokenloom.spec import AddedToken, Pretokenizer, UnigramModel

__all__ = ["UNKNOWN", "random_scores", "tokens_of", "unigram_of", "unknown_score"]

UNKNOWN: Final = "<unk>"


def unigram_of(
    scores: Mapping[str, float],
    *,
    semantics: Literal["tokenizers", "sentencepiece"] = "tokenizers",
    special: str | None = None,
    regex: str | None = None,
    unk_token: str | None = UNKNOWN,
    **options: Any,
) -> Tokenizer:
    """A tokenizer whose id 0 is the unknown token, and perhaps a special one behind the others."""
    pieces = [(UNKNOWN, 0.0), *scores.items(), *([(special, 0.0)] if special else [])]
    added = [AddedToken(special, len(pieces) - 1)] if special else []
    spec = unigram_spec(pieces, UnigramModel(semantics, unk_token, **options), added)
    if regex:
        spec = replace(spec, pretokenizer=Pretokenizer("custom", regex=regex))
    return Tokenizer.from_spec(spec)


def random_scores(random: Random, letters: str, n_tokens: int) -> dict[str, float]:
    """Scores of tokens of up to four letters, of which many sums are equal if they are whole numbers."""
    texts = {"".join(random.choices(letters, k=random.randint(1, 4))) for _ in range(n_tokens)} - {UNKNOWN}
    is_whole = random.random() < 0.5
    return {text: float(-random.randint(1, 4)) if is_whole else random.uniform(-9.0, -0.1) for text in sorted(texts)}


def unknown_score(scores: Mapping[str, float], *, of_unknown: float | None = 0.0) -> float:
    """What an unknown character counts: ten less than the least score, where that of the unknown token counts too."""
    return min([*scores.values(), *([] if of_unknown is None else [of_unknown])]) - 10.0


def tokens_of(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    """The texts of ids."""
    return [tokenizer.token_bytes(token_id).decode() for token_id in ids]
