"""What a run was asked for, kept in its folder, so that another run is told apart from the same one begun again."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Never

from tokenloom.errors import StorageError
from tokenloom.storage.atomic import atomic_write
from tokenloom.storage.canonical import canonical_json, parse_canonical

__all__ = ["ANEW", "compare_runs", "growing", "read_run", "refuse", "write_run"]

ANEW: Final = "Empty the folder and begin again"
_OTHER: Final = "Repeat the same command, choose a new folder, or empty this one"


def write_run(path: Path, run: Mapping[str, Any]) -> None:
    """Write down what a run was asked for, as JSON values."""
    with atomic_write(path) as file:
        file.write(canonical_json(dict(run)))


def read_run(path: Path) -> dict[str, Any] | None:
    """What `write_run` has written; None if there is no such file. Raises: StorageError if it cannot be read."""
    try:
        content = parse_canonical(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        refuse(path, f"it cannot be read ({error})", ANEW)
    return content if isinstance(content, dict) else refuse(path, "it is not what tokenloom writes", ANEW)


def compare_runs(folder: Path, begun: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    """Refuse a folder that another run has begun, and name the first thing that differs."""
    for name in sorted(begun.keys() | run.keys()):
        before, now = begun.get(name), run.get(name)
        if before != now:
            if name == "sources":
                refuse(folder, f"it was begun with another corpus ({_first_difference(before, now)})", _OTHER)
            refuse(folder, f"it was begun with {name} {before!r}, and is now asked for {now!r}", _OTHER)


@contextmanager
def growing(path: Path) -> Iterator[None]:
    """Name a file of an unfinished run that cannot be written."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{str(path)!r}: cannot be written ({error.strerror}). Make room or mend the disk, and repeat the command: "
            "it goes on where it was."
        ) from error


def refuse(place: Path, what: str, remedy: str) -> Never:
    """Raise StorageError for a folder, or a file in it, that cannot be gone on with."""
    raise StorageError(f"{str(place)!r}: {what}. {remedy}.")


def _first_difference(before: Any, now: Any) -> str:
    known, wanted = ({row["name"]: row for row in rows or ()} for rows in (before, now))
    for name in [*wanted, *known]:
        if known.get(name) != wanted.get(name):
            return f"{name!r} is new, gone or changed"
    return "its files have another order"
