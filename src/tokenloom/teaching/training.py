"""A training that takes a moment, for experiments: on texts at hand, and without a warning where it ends early."""

from collections.abc import Iterable

from tokenloom import BpeOptions, TrainingError
from tokenloom.trainers import count_pretokens
from tokenloom.trainers.bpe import BpeTraining, train_on_counts
from tokenloom.wording import quoted

__all__ = ["merged_tokens", "trained"]


def trained(texts: Iterable[str], options: BpeOptions) -> BpeTraining:
    """A training on texts. That a small corpus has fewer merges than asked for is what they show, and no warning.

    Raises: TrainingError for one text in the place of many.

    >>> len(trained(["the cat in the hat"], BpeOptions(300)).steps)
    10
    """
    if isinstance(texts, (str, bytes)):
        raise TrainingError(f"texts {quoted(texts)}: is one text in the place of many. Pass a list of texts.")
    counts = count_pretokens(
        texts, pretokenizer=options.pretokenizer, special_tokens=options.special_tokens, n_threads=1
    )
    return train_on_counts(counts, options, may_fall_short=True)


def merged_tokens(training: BpeTraining) -> tuple[bytes, ...]:
    """The tokens that merges make, in their order.

    >>> merged_tokens(trained(["the hat"], BpeOptions(258)))
    (b'th', b'the')
    """
    return tuple(step.left + step.right for step in training.steps)
