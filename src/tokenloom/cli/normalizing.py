"""The option `--normalizer` of commands that count text, and what they print of it."""

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tokenloom.cli import options as shared
from tokenloom.spec.normalizer import NormalizerName
from tokenloom.wording import counted

if TYPE_CHECKING:
    from tokenloom.trainers import CountHeader

__all__ = ["NormalizerOption", "change_facts", "change_rows"]

_FACTS: Final = 100
_ROW_CHARACTERS: Final = 5

NormalizerOption = Annotated[
    NormalizerName | None,
    typer.Option(
        help="How text is changed before it is cut, in training and later: what it takes away is lost. Default: none.",
        rich_help_panel=shared.COUNTING_PANEL,
    ),
]


def change_facts(header: "CountHeader") -> dict[str, Any] | None:
    """What a normalizer changed, for JSON; None without one."""
    normalizer, changes = header.options.normalizer, header.changes
    if normalizer is None or changes is None:
        return None
    return {
        "steps": normalizer.config(),
        "n_changed_docs": changes.n_docs,
        "n_changed_chars": changes.n_chars,
        "most_changed": [row._asdict() for row in changes.most(_FACTS)],
    }


def change_rows(facts: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The same for people."""
    if facts is None:
        return []
    names = ", ".join(step["type"] for step in facts["steps"])
    changed = f"{counted(facts['n_changed_chars'], 'character')} in {counted(facts['n_changed_docs'], 'document')}"
    rows = [("normalizer", f"{names}: changed {changed}, which decoding does not give back")]
    most = [
        f"{row['example']!a} to {row['became']!a} ({counted(row['n_stretches'], 'time')})"
        for row in facts["most_changed"][:_ROW_CHARACTERS]
    ]
    return [*rows, ("changed most", ", ".join(most))] if most else rows
