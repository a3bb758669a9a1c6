"""Whole jobs, one module a verb: where corpus, trainers and tokenizer meet."""
