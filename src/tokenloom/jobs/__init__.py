"""Whole jobs, one module a verb: where corpus, trainers and tokenizer meet."""

from tokenloom.jobs.demo import DEMO_VOCABULARY_SIZE, Demo, demo
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.train import train, train_bpe, train_with_record

__all__ = ["DEMO_VOCABULARY_SIZE", "Demo", "Stage", "demo", "train", "train_bpe", "train_with_record"]
