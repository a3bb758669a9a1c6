"""Verbs as typer runs them, but for two things.

Help is plain text with options in groups: it needs no 80 columns, cuts no name and loads no rich.

Values are converted here, by `Setting`. Newer versions of typer convert them with pydantic, whose import takes longer
(120 ms) than all else that `tokenloom show` does. They keep the converter of a parameter in one attribute, which is
filled in beforehand; a typer without that attribute converts in its own way, which is as right and, in the versions
before, as fast.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from tokenloom.cli.settings import Setting, settings_of
from tokenloom.cli.verbs import VERBS

__all__ = ["Verb", "Verbs", "spread"]

_CONVERTER: Final = "_runtime_param"
_ARGUMENTS: Final = "Arguments"
_OPTIONS: Final = "Options"
_SPREAD: Final = frozenset({"--on"})
"""Options that take all that follows, up to the next option."""


class Verb(TyperCommand):
    """The command of a verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, where `--on A B` stands for `--on A --on B`."""
        rest: list[str] = super().parse_args(ctx, spread(args, _SPREAD))
        return rest

    def get_params(self, ctx: Any) -> Any:
        """The parameters, `--help` among them, ready to convert."""
        settings = settings_of(self.name) if self.name in VERBS else {}
        return _ready(super().get_params(ctx), {setting.parameter: setting for setting in settings.values()})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Help of arguments, then of options by the group that they stand in, those of no group first."""
        groups: dict[str, list[tuple[str, str]]] = {_ARGUMENTS: [], _OPTIONS: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and parameter.param_type_name == "argument":
                groups[_ARGUMENTS].append((record[0].partition(" <")[0], record[1]))  # not the type: metavars say it
            elif record is not None:
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or _OPTIONS, []).append(record)
        for name, records in ((name, records) for name, records in groups.items() if records):
            with formatter.section(name):
                formatter.write_dl(records)


def spread(arguments: Iterable[str], options: Container[str]) -> list[str]:
    """The option again before each value that follows it, up to the next option: `--on A B` has two values.

    >>> spread(["x", "--on", "a", "b", "--json"], {"--on"})
    ['x', '--on', 'a', '--on', 'b', '--json']
    """
    spread_out: list[str] = []
    current, is_first = "", False
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            current, is_first = (argument if argument in options else ""), True
            spread_out.append(argument)
            continue
        if current and not is_first:
            spread_out.append(current)
        spread_out.append(argument)
        is_first = False
    return spread_out


class Verbs(TyperGroup):
    """The command `tokenloom`, whose own options are all flags."""

    def get_params(self, ctx: Any) -> Any:
        """As for a verb."""
        return _ready(super().get_params(ctx), {})


def _ready(parameters: Iterable[Any], settings: Mapping[str, Setting]) -> list[Any]:
    listed = list(parameters)
    for parameter in listed:
        is_ours = parameter.name in settings or getattr(parameter, "is_bool_flag", False)
        if is_ours and hasattr(parameter, _CONVERTER):
            setattr(parameter, _CONVERTER, _Converter(settings.get(parameter.name)))
    return listed


class _Converter:
    """What typer asks for the value of a parameter; without a setting it is a flag, which has its value already."""

    def __init__(self, setting: Setting | None) -> None:
        self._setting = setting

    def coerce(self, value: Any, **_: Any) -> Any:
        if value is None or self._setting is None:
            return value
        try:
            return self._setting.converted(value)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error
