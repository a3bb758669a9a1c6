"""The texts that the experiments are shown with: short stories for children in English and Chinese, written for them.

17 KB of stories are little enough to be trained on while somebody waits, and enough to show what becomes of a
vocabulary that is too large for its corpus. Two stories more, one in each language, are no part of the corpus: on them
one sees what a vocabulary is worth for text that it was not made of.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Final

__all__ = ["DOCUMENT_END", "Stories", "stories"]

DOCUMENT_END: Final = "<|endoftext|>"
"""Stands between two stories."""


@dataclass(frozen=True, slots=True)
class Stories:
    """Stories in two languages, and those that are kept back for testing.

    Args:
        english: the English stories of the corpus.
        chinese: the Chinese ones.
        tests: by language, a story that is no part of the corpus.
    """

    english: tuple[str, ...]
    chinese: tuple[str, ...]
    tests: Mapping[str, str]

    @property
    def all(self) -> tuple[str, ...]:
        """The corpus: the English stories, then the Chinese ones."""
        return self.english + self.chinese


def stories() -> Stories:
    """The stories.

    >>> corpus = stories()
    >>> corpus.english[0][:36], corpus.chinese[0][:8]
    ('Once upon a time, there was a little', '从前有一个小女孩')
    >>> sum(len(story.encode()) for story in corpus.all)
    16777
    """
    tests = {language: _read(f"{language}_test.txt")[0] for language in ("english", "chinese")}
    return Stories(_read("english.txt"), _read("chinese.txt"), MappingProxyType(tests))


def _read(name: str) -> tuple[str, ...]:
    text = files("tokenloom.teaching").joinpath("texts", name).read_text("utf-8")
    return tuple(story.strip("\n") for story in text.split(DOCUMENT_END))
