"""The verbs of the command line: one file each, loaded only when its verb runs.

A verb's file holds a function of the verb's name, whose docstring is the help text, and `EXAMPLE`, a command line that
shows its use.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

__all__ = ["VERBS", "example_of", "function_of"]

VERBS: Final[dict[str, str]] = {
    "train": "Learn a tokenizer from text.",
    "replay": "Show a recorded training at any of its steps.",
    "count-pretokens": "Count the pretokens of a corpus, for trainings to come.",
    "merge-counts": "Add counts of pretokens that were made apart.",
    "encode": "Turn text into token shards, ready for training a model.",
    "decode": "Turn token shards, or ids, back into text.",
    "verify": "Check that a tokenizer or shard folder is whole.",
    "count": "Count tokens, bytes and documents, like wc.",
    "show": "Show how a text is cut into tokens.",
    "pack": "Write a tokenizer as one file that loads fastest.",
    "convert": "Write a tokenizer as the file of another library.",
    "round-trip": "Check that text comes back from its ids.",
    "oov": "Say how much of a text is unknown words, by vocabulary.",
    "cost": "Compute what tokenizers cost a model.",
    "measure": "Measure tokenizers on a text, or on parallel texts.",
    "compare": "Compare two tokenizers on the same text.",
    "inspect": "Say what a tokenizer is, or what shards or counts hold.",
    "demo": "Train on real text, encode and decode it, with speeds.",
}
"""Each verb with what it does: the first line of its function's docstring."""


def function_of(verb: str) -> Callable[..., None]:
    r"""The function of a verb, loaded now.

    >>> function_of("count").__doc__.partition("\n")[0] == VERBS["count"]
    True
    """
    function: Callable[..., None] = getattr(_module_of(verb), _name_of(verb))
    return function


def example_of(verb: str) -> str:
    """A command line that shows the use of a verb."""
    example: str = _module_of(verb).EXAMPLE
    return example


def _module_of(verb: str) -> Any:
    return import_module(f"tokenloom.cli.{_name_of(verb)}")


def _name_of(verb: str) -> str:
    """What a verb is called in Python."""
    return verb.replace("-", "_")
