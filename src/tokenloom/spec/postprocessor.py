"""Postprocessors: ids that are put around those of a text, where the caller asks for it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from tokenloom.errors import SpecError
from tokenloom.spec.components import ID_LIMIT
from tokenloom.wording import quoted

__all__ = ["Template", "TemplateItem"]

TemplateItem: TypeAlias = int | Literal["A", "B"]


@dataclass(frozen=True, slots=True)
class Template:
    """What stands around one text, and around two that belong together.

    Args:
        single: ids, and `"A"` once for the ids of the text.
        pair: ids, and `"A"` and `"B"` once each for the ids of the first and the second text; nothing if it takes no
            two texts.

    >>> Template((1, "A"), (1, "A", 1, "B")).around()
    ((1,), ())
    """

    single: tuple[TemplateItem, ...]
    pair: tuple[TemplateItem, ...]

    def __post_init__(self) -> None:
        for role, sequences in (("single", ["A"]), ("pair", ["A", "B"])):
            items = _checked(role, getattr(self, role))
            if (role == "single" or items) and sorted(item for item in items if isinstance(item, str)) != sequences:
                wanted = " and ".join(map(repr, sequences))
                raise SpecError(
                    f"postprocessor, {role}: {quoted(list(items))} has not {wanted} once. Write ids and {wanted}."
                )
            object.__setattr__(self, role, items)

    def around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ids before and behind one text."""
        at = self.single.index("A")
        return cast(tuple[tuple[int, ...], tuple[int, ...]], (self.single[:at], self.single[at + 1 :]))

    def ids(self) -> set[int]:
        """All ids that are named."""
        return {item for item in (*self.single, *self.pair) if isinstance(item, int)}

    def renumbered(self, new_ids: Mapping[int, int]) -> "Template":
        """The same template where ids have changed. Raises: SpecError for an id that is no more."""
        gone = sorted(self.ids() - new_ids.keys())
        if gone:
            raise SpecError(f"postprocessor: id {gone[0]} would have no token. Take it out of the template first.")
        single, pair = (
            [item if isinstance(item, str) else new_ids[item] for item in x] for x in (self.single, self.pair)
        )
        return Template(tuple(single), tuple(pair))

    def config(self) -> dict[str, Any]:
        """The template as JSON holds it."""
        return {"type": "template", "single": _config(self.single), "pair": _config(self.pair)}


def _checked(role: str, items: Iterable[object]) -> tuple[TemplateItem, ...]:
    listed = tuple(items)
    for item in listed:
        if item not in ("A", "B") and (type(item) is not int or not 0 <= item < ID_LIMIT):
            raise SpecError(f"postprocessor, {role}: {quoted(item)} is no id. Use whole numbers, 'A' and 'B'.")
    return cast(tuple[TemplateItem, ...], listed)


def _config(items: Sequence[TemplateItem]) -> list[dict[str, Any]]:
    return [{"sequence": item} if isinstance(item, str) else {"id": item} for item in items]
