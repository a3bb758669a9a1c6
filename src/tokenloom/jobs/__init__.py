"""Whole jobs, one module a verb: where corpus, trainers and tokenizer meet."""

from tokenloom.jobs.train import train, train_bpe, train_with_record

__all__ = ["train", "train_bpe", "train_with_record"]
