"""How a text was cut before it was counted, as `--pattern` and messages name it."""

from collections.abc import Sequence
from typing import get_args

from tokenloom.spec import Normalizer, NormalizerName, Pretokenizer, normalizer_of
from tokenloom.trainers import CountOptions
from tokenloom.wording import quoted

__all__ = ["normalizer_name", "other_cuts", "pattern_name"]


def pattern_name(pretokenizer: Pretokenizer) -> str:
    r"""A pretokenizer as `--pattern` names it, with what that cannot say.

    >>> pattern_name(Pretokenizer("gpt2")), pattern_name(Pretokenizer("cl100k", digits=1))
    ('gpt2', 'cl100k (digits 1)')
    >>> pattern_name(Pretokenizer("custom", regex=r"\w+"))
    "custom '\\\\w+'"
    """
    if pretokenizer.regex is not None:
        return f"custom {quoted(pretokenizer.regex)}"
    if pretokenizer.steps:
        return f"sequence {quoted(pretokenizer.steps)}"
    if pretokenizer != Pretokenizer(pretokenizer.type):
        return f"{pretokenizer.type} (digits {pretokenizer.digits})"
    return pretokenizer.type


def normalizer_name(normalizer: Normalizer | None) -> str:
    """A normalizer as `--normalizer` names it, or its steps.

    >>> normalizer_name(None), normalizer_name(normalizer_of("nfc"))
    ("'none'", "'nfc'")
    """
    for name in get_args(NormalizerName):
        if normalizer == normalizer_of(name):
            return repr(name)
    return quoted(normalizer)


def other_cuts(
    counted: CountOptions,
    *,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str],
    normalizer: Normalizer | None = None,
) -> tuple[str, str, str] | None:
    """The first option by which counts were cut in another way: its name, the value asked for, and that of the counts.

    >>> counted = CountOptions(Pretokenizer("gpt2"), ("<|end|>",))
    >>> other_cuts(counted, pretokenizer=Pretokenizer("none"), special_tokens=["<|end|>"])
    ('pattern', "'none'", "'gpt2'")
    """
    if pretokenizer != counted.pretokenizer:
        return "pattern", _quoted(pretokenizer), _quoted(counted.pretokenizer)
    if normalizer != counted.normalizer:
        return "normalizer", normalizer_name(normalizer), normalizer_name(counted.normalizer)
    asked, found = list(special_tokens), list(counted.special_tokens)
    return None if asked == found else ("special tokens", quoted(asked), quoted(found))


def _quoted(pretokenizer: Pretokenizer) -> str:
    name = pattern_name(pretokenizer)
    return repr(name) if pretokenizer.regex is None else name  # which quotes its expression
