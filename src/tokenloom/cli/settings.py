"""What a verb can be told: its options and arguments by name, each with its type.

Read from the annotations of the verb's function, so there is one list for the command line, for `--config FILE.toml`
and for the record of a run. A value from the command line is a string and is converted; one from a file has a type.
"""

import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from tokenloom.cli.verbs import function_of

__all__ = ["Setting", "settings_of"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One option or argument of a verb.

    Args:
        key: its name, with `-` and without dashes before it.
        parameter: the parameter of the verb's function.
        type: its type without `None`: bool, int, float, str, Path, a Literal, or a list of one of these.
        minimum: the smallest number; None for no limit.
    """

    key: str
    parameter: str
    type: Any
    minimum: float | None = None

    def complaint(self, value: object) -> str | None:
        """Why a value of a file does not fit, with the remedy; None if it does.

        >>> Setting("vocab-size", "vocab_size", int).complaint("8k")
        "'8k' does not fit. Write a whole number."
        """
        fits = (
            isinstance(value, list) and all(self._fits(item) for item in value) if self._is_list else self._fits(value)
        )
        return None if fits else f"{value!r} does not fit. Write {self._wanted()}."

    def converted(self, value: Any) -> Any:
        """The value for the function from what the command line says: a string, or a sequence of strings for a list.

        What has the right type already, as defaults and values of a file have, stays as it is.
        Raises: ValueError with the remedy.

        >>> Setting("threads", "threads", int, 1).converted("2")
        2
        """
        return [self._one(item) for item in value] if self._is_list else self._one(value)

    @property
    def _is_list(self) -> bool:
        return get_origin(self.type) is list

    @property
    def _item(self) -> Any:
        return get_args(self.type)[0] if self._is_list else self.type

    def _one(self, value: Any) -> Any:
        from tokenloom.storage.remote import is_url

        if self._item is Path and is_url(str(value)):  # a Path would make it a folder "s3:" of this machine
            raise ValueError(f"{value!r} is a URL, and only a CORPUS is read from one. Write a path of this machine.")
        try:
            result = _CONVERTED.get(self._item, str)(value)
        except ValueError:
            result = value
        if not self._fits(str(result) if self._item is Path else result):
            raise ValueError(f"{value!r} does not fit. Write {self._wanted(is_in_file=False)}.")
        return result

    def _fits(self, value: object) -> bool:
        if get_origin(self._item) is Literal:
            return isinstance(value, str) and value in get_args(self._item)
        if type(value) is not _IN_FILE[self._item]:
            return False
        return self.minimum is None or not isinstance(value, (int, float)) or value >= self.minimum

    def _wanted(self, *, is_in_file: bool = True) -> str:
        if get_origin(self._item) is Literal:
            words = f"one of {', '.join(map(repr, get_args(self._item)))}"
        else:
            words = _WORDS[self._item] + (' in quotes, "..."' if is_in_file and self._item in (str, Path) else "")
        limit = "" if self.minimum is None else f" from {self.minimum} on"
        return f"a list, [...], of which each is {words}" if self._is_list and is_in_file else words + limit


_WORDS: Final[dict[Any, str]] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number with a point",
    str: "a text",
    Path: "a path",
}
_IN_FILE: Final[dict[Any, type]] = {bool: bool, int: int, float: float, str: str, Path: str}
"""The type that TOML has for each type of a setting."""
_CONVERTED: Final[dict[Any, Callable[[Any], Any]]] = {bool: bool, int: int, float: float, Path: Path}


def settings_of(verb: str) -> dict[str, Setting]:
    """The settings of a verb by key, `config` itself among them.

    >>> settings_of("demo")["vocab-size"]
    Setting(key='vocab-size', parameter='vocab_size', type=<class 'int'>, minimum=None)
    """
    found = {}
    for parameter, hint in get_type_hints(function_of(verb), include_extras=True).items():
        info = next((part for part in get_args(hint)[1:] if hasattr(part, "param_decls")), None)
        if get_origin(hint) is Annotated and info is not None:
            key = _key(parameter, (info.default, *(info.param_decls or ())))
            found[key] = Setting(key, parameter, _without_none(get_args(hint)[0]), info.min)
    return found


def _key(parameter: str, declared: Iterable[object]) -> str:
    """The name of an option as users write it, without its dashes; of an argument, that of its parameter.

    Inside Annotated, typer keeps the first name that an option is given where its default would be.
    """
    long = next((name for name in declared if isinstance(name, str) and name.startswith("--")), parameter)
    return long.partition("/")[0].removeprefix("--").replace("_", "-")


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (types.UnionType, Union):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint
