"""Makes `record-v1.tlr`: the record of a training as the first version writes it. It must stay readable for ever.

    python -m tests.golden.make_record_v1

The words are those of the lecture's first example, and small enough to check by hand. Never edit the file; when the
format gets a new major version, leave it and its test as they are and add `record-v2.tlr` beside it.
"""

from pathlib import Path
from typing import Final

from tokenloom.trainers import BpeOptions, TrainingRecord, pretoken_counts, record_training, train_on_counts

FILE: Final = Path(__file__).parent / "record-v1.tlr"
WORDS: Final = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def golden_record() -> TrainingRecord:
    """The record that the file holds."""
    options = BpeOptions(266, ["<|end|>"], tie_break="first-seen")
    counts = pretoken_counts(WORDS)
    training = train_on_counts(counts, options, runner_up=True)
    provenance = {"made_by": "tests/golden/make_record_v1.py", "licence": "Apache-2.0"}
    return record_training(training, counts, provenance=provenance)


if __name__ == "__main__":
    golden_record().save(FILE)
