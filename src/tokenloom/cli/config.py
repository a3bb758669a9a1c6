"""`--config FILE.toml`: values for the options and arguments of a verb; the command line wins.

Keys are the option names, with `-` or `_`, and the names of arguments in lower case. They stand at the top of the file
or in a table of the verb, `[train]`; the table wins. Each value must have the type of its option.
"""

import tomllib
from pathlib import Path
from typing import Any, Final

import typer

from tokenloom.cli.settings import settings_of
from tokenloom.cli.verbs import VERBS

__all__ = ["apply_config", "run_settings"]

_CONFIG: Final = "config"
_OF_ONE_RUN: Final = frozenset({_CONFIG, "json", "quiet", "dry-run", "storage-option"})
"""Options that say how a run talks, not what it does, or may be secret; the record of a run leaves them out."""


def apply_config(ctx: typer.Context, path: Path | None) -> Path | None:
    """The callback of `--config`: runs before the other options are read and gives them new defaults.

    Raises: BadParameter, which ends the command line with exit code 2, for a file that does not fit.
    """
    if path is not None and not ctx.resilient_parsing:
        ctx.default_map = _values(ctx.info_name or "", Path(path))
    return path


def run_settings(ctx: typer.Context) -> dict[str, Any]:
    """The values that a run has, from defaults, file and command line, under the keys that a file takes."""
    settings = settings_of(ctx.info_name or "")
    values = {key: ctx.params.get(setting.parameter) for key, setting in settings.items() if key not in _OF_ONE_RUN}
    return {key: value for key, value in values.items() if value is not None and value != [] and value != ()}


def _values(verb: str, path: Path) -> dict[str, Any]:
    """The values of a file for a verb, by parameter."""
    settings = {key: setting for key, setting in settings_of(verb).items() if key != _CONFIG}
    values = {}
    for key, value in _given(verb, path).items():
        setting = settings.get(key.replace("_", "-"))
        if setting is None:
            known = ", ".join(sorted(settings))
            raise typer.BadParameter(f"{str(path)!r}: {verb!r} has no option {key!r}. Use one of: {known}.")
        complaint = setting.complaint(value)
        if complaint:
            raise typer.BadParameter(f"{str(path)!r}: {key!r}: {complaint}")
        values[setting.parameter] = value
    return values


def _given(verb: str, path: Path) -> dict[str, Any]:
    """What a file says for a verb: the keys at its top, then those in the table of the verb."""
    content = _read(path)
    top = {key: value for key, value in content.items() if key not in VERBS}
    table = content.get(verb, {})
    if not isinstance(table, dict):
        raise typer.BadParameter(f"{str(path)!r}: {verb!r} is no table. Write [{verb}] above its keys.")
    others = sorted(content.keys() & VERBS.keys())
    if others and not top and verb not in content:
        raise typer.BadParameter(f"{str(path)!r}: it is for {others}, not for {verb!r}. Name another file.")
    return top | table


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise typer.BadParameter(f"{str(path)!r}: cannot be read ({error.strerror}). Check the path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise typer.BadParameter(f"{str(path)!r}: is no TOML ({error}). Mend it there.") from error
