"""Learning a vocabulary: from documents to counts of pretokens, from counts to merges."""

from tokenloom.trainers.bpe import BpeOptions, BpeTraining, MergeStep, Pattern, TieBreak, train_on_counts
from tokenloom.trainers.counts import Document, Progress, count_pretokens, pretoken_counts

__all__ = [
    "BpeOptions",
    "BpeTraining",
    "Document",
    "MergeStep",
    "Pattern",
    "Progress",
    "TieBreak",
    "count_pretokens",
    "pretoken_counts",
    "train_on_counts",
]
