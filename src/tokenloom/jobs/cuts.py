"""How a text was cut before it was counted, as `--pattern` and messages name it."""

from collections.abc import Sequence

from tokenloom.spec import Pretokenizer
from tokenloom.trainers import CountOptions
from tokenloom.wording import quoted

__all__ = ["other_cuts", "pattern_name"]


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


def other_cuts(
    counted: CountOptions, *, pretokenizer: Pretokenizer, special_tokens: Sequence[str]
) -> tuple[str, str, str] | None:
    """The first option by which counts were cut in another way: its name, the value asked for, and that of the counts.

    >>> counted = CountOptions(Pretokenizer("gpt2"), ("<|end|>",))
    >>> other_cuts(counted, pretokenizer=Pretokenizer("none"), special_tokens=["<|end|>"])
    ('pattern', "'none'", "'gpt2'")
    """
    if pretokenizer != counted.pretokenizer:
        return "pattern", _quoted(pretokenizer), _quoted(counted.pretokenizer)
    asked, found = list(special_tokens), list(counted.special_tokens)
    return None if asked == found else ("special tokens", quoted(asked), quoted(found))


def _quoted(pretokenizer: Pretokenizer) -> str:
    name = pattern_name(pretokenizer)
    return repr(name) if pretokenizer.regex is None else name  # which quotes its expression
