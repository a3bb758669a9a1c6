"""What a normalizer changes in the text of a training: how much, and which characters most.

A normalizer takes something away for good, so whoever asks for one should see what. Changed are the characters of each
stretch that became another one; a stretch goes by its last character, such as the ligature that fell apart, or the mark
that was composed with the letter before it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tokenloom import _core

__all__ = ["ChangedCharacter", "NormalizerChanges"]


class ChangedCharacter(NamedTuple):
    """A character that changed stretches end with.

    Args:
        character: it.
        n_stretches: how many.
        example: the shortest of them.
        became: what took the place of the example.
    """

    character: str
    n_stretches: int
    example: str
    became: str


@dataclass(frozen=True, slots=True)
class NormalizerChanges:
    """What a normalizer changed.

    Args:
        n_docs: documents in which it changed something.
        n_chars: characters that it changed.
        characters: those that changed stretches end with, by code point.
    """

    n_docs: int = 0
    n_chars: int = 0
    characters: Sequence[ChangedCharacter] = ()

    @classmethod
    def of(cls, counter: _core.PretokenCounter) -> "NormalizerChanges":
        """What a counter saw, all of whose text is counted."""
        n_docs, n_chars, rows = counter.changes
        named = (ChangedCharacter(character, n, one.decode(), other.decode()) for character, n, one, other in rows)
        return cls(n_docs, n_chars, tuple(named))

    def most(self, n: int) -> list[ChangedCharacter]:
        """The characters that were changed most often.

        >>> changes = NormalizerChanges(1, 3, (ChangedCharacter("a", 1, "a", "b"), ChangedCharacter("b", 2, "b", "c")))
        >>> [row.character for row in changes.most(1)]
        ['b']
        """
        return sorted(self.characters, key=lambda row: (-row.n_stretches, row.character))[:n]

    @classmethod
    def joined(cls, parts: Iterable["NormalizerChanges"]) -> "NormalizerChanges":
        """The changes of several texts, of which no document goes on in the next.

        >>> one = NormalizerChanges(1, 2, (ChangedCharacter("ﬁ", 2, "ﬁ", "fi"),))
        >>> NormalizerChanges.joined([one, one]).values()
        {'n_docs': 2, 'n_chars': 4, 'characters': [['ﬁ', 4, 'ﬁ', 'fi']]}
        """
        n_docs = n_chars = 0
        rows: dict[str, ChangedCharacter] = {}
        for part in parts:
            n_docs, n_chars = n_docs + part.n_docs, n_chars + part.n_chars
            for row in part.characters:
                before = rows.get(row.character, row)
                n_stretches = row.n_stretches + (before.n_stretches if row.character in rows else 0)
                _, _, *example = min(before, row, key=lambda one: (len(one.example.encode()), one.example.encode()))
                rows[row.character] = ChangedCharacter(row.character, n_stretches, *example)
        return cls(n_docs, n_chars, tuple(rows[character] for character in sorted(rows)))

    def values(self) -> dict[str, Any]:
        """The changes as JSON values."""
        return {"n_docs": self.n_docs, "n_chars": self.n_chars, "characters": [list(row) for row in self.characters]}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "NormalizerChanges":
        """The inverse of `values`. Raises: KeyError, TypeError or ValueError for anything else."""
        rows = tuple(ChangedCharacter(*row) for row in values["characters"])
        numbers = (values["n_docs"], values["n_chars"], *(row.n_stretches for row in rows))
        texts = (text for row in rows for text in (row.character, row.example, row.became))
        if any(type(number) is not int or number < 0 for number in numbers):
            raise ValueError("changes have a count that is no number. Count again.")
        if any(not isinstance(text, str) for text in texts):
            raise ValueError("changes have a character that is no text. Count again.")
        return cls(values["n_docs"], values["n_chars"], rows)
