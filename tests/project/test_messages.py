"""Every message that the package words itself ends with the remedy, and quotes names with `repr`.

`test_errors.py` reads one message of each class as a user sees it; here all of them are read in the source.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = Path(__file__).parents[2] / "src" / "tokenloom"
FILES: Final = sorted(path for path in PACKAGE.rglob("*.py") if "lessons" not in path.parts)

FOR_OURSELVES: Final = {
    "AttributeError",
    "AssertionError",
    "BrokenRecordError",
    "DamagedDataError",
    "DamagedTableError",
    "IsADirectoryError",
    "KeyError",
}
"""Raised for Python or for code of ours that words it anew."""
EXEMPT: Final = {
    "shards/layout.py": "open_shards puts the reason into a message of its own",
    "storage/gzip_members.py": "the reader of compressed files puts the reason into a message of its own",
    "storage/canonical.py": "its readers put the reason into a message of their own",
}

HAS_REMEDY: Final = re.compile(r"[.:}] (?:[A-Z]|\{).*[.?]$", re.DOTALL)
PASSED_ON: Final = re.compile(r"\}: \{error\}$")
"""A place put before the message of another error, which has its remedy."""
BARE_NAME: Final = re.compile(r"\{(?:\w*name|\w*path|\w*folder|value|key|token|content)\}")


def literal(node: ast.expr) -> str | None:
    """A message as written: `{expression}` for what is filled in, `{expression!r}` where it is quoted."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = [literal(part) if isinstance(part, ast.Constant) else _filled(part) for part in node.values]
    return "".join(part or "" for part in parts)


def _filled(part: ast.expr) -> str:
    assert isinstance(part, ast.FormattedValue)
    return f"{{{ast.unparse(part.value)}{'!r' if part.conversion == ord('r') else ''}}}"


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each message that is raised or issued in a file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and node.args:
            name = ast.unparse(node.func).rpartition(".")[2]
            text = literal(node.args[0])
            if text and name not in FOR_OURSELVES and (name.endswith("Error") or name in {"warn_caller", "error"}):
                yield node.lineno, text


def remedies(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each remedy that is passed on, to be put at the end of a message."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"Fault", "_refuse"}:
            place = 1 if ast.unparse(node.func) == "Fault" else 2
            text = literal(node.args[place]) if len(node.args) > place else None
            if text:
                yield node.lineno, text


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_messages_end_with_a_remedy_and_quote_names(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() in EXEMPT:
        return
    wrong = [text for _, text in messages(path) if not HAS_REMEDY.search(text) and not PASSED_ON.search(text)]
    bare = [text for _, text in messages(path) if BARE_NAME.search(text)]
    assert (wrong, bare) == ([], [])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_remedies_that_are_passed_on_are_sentences_without_their_end(path: Path) -> None:
    assert [text for _, text in remedies(path) if not re.fullmatch(r"[A-Z].*[^.]", text, re.DOTALL)] == []


@pytest.mark.parametrize(
    ("text", "ends_well"),
    [
        ("{name!r}: it is empty. Give it a text.", True),
        ("x {x!r}: is unknown. Use one of {known}.", True),
        ("{place}: {what}. {remedy}.", True),
        ("text must be str", False),
        ("{name!r}: it is empty", False),
        ("{name!r}: it is empty.", False),
    ],
)
def test_this_check_knows_a_remedy(text: str, ends_well: bool) -> None:
    assert bool(HAS_REMEDY.search(text)) is ends_well
