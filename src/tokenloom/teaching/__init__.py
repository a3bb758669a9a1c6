"""Experiments that lessons and pages show, and the texts that they are shown with.

Each takes texts, trains on them in a moment, and returns frozen values that anything may print or draw.
"""

from tokenloom.teaching.corpus import DOCUMENT_END, Stories, stories
from tokenloom.teaching.cut_differences import CutDifferences, WordCuts, cut_differences
from tokenloom.teaching.unused_tokens import LearnedToken, VocabularyUse, vocabulary_use
from tokenloom.teaching.vocabulary_ladder import LADDER_SIZES, LadderRung, VocabularyLadder, vocabulary_ladder
from tokenloom.teaching.word_borders import (
    BorderKind,
    CharacterKind,
    FirstMerge,
    PatternTokens,
    border_kinds,
    first_merges,
    pattern_tokens,
)

__all__ = [
    "DOCUMENT_END",
    "LADDER_SIZES",
    "BorderKind",
    "CharacterKind",
    "CutDifferences",
    "FirstMerge",
    "LadderRung",
    "LearnedToken",
    "PatternTokens",
    "Stories",
    "VocabularyLadder",
    "VocabularyUse",
    "WordCuts",
    "border_kinds",
    "cut_differences",
    "first_merges",
    "pattern_tokens",
    "stories",
    "vocabulary_ladder",
    "vocabulary_use",
]
