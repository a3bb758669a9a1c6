"""Rooms of the package import only from lower rows, and `import tokenloom` stays light.

`ROWS` is the drawing of dependency directions; a room that is not in it fails, so a new room is drawn first.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

PACKAGE: Final = Path(__file__).parents[2] / "src" / "tokenloom"

ROWS: Final = {
    "__main__": 6.5,  # starts the command line
    "cli": 6.0, "web": 6.0,
    "jobs": 5.0, "teaching": 5.0,
    "engine": 4.0,
    "selection": 3.0, "audit": 3.0, "surgery": 3.0,
    "trainers": 2.0, "metrics": 2.0, "cost": 2.0, "shards": 2.0, "cleaning": 2.0, "patching": 2.0, "embeddings": 2.0,
    "tokenizer": 1.0, "ngrams": 1.0,
    "formats": 0.5, "corpus": 0.5, "report": 0.5,
    "spec": 0.0, "storage": 0.0,
    "errors": -0.5, "wording": -0.5, "_core": -0.5,  # drawn in the lowest row; everything may raise, warn, and compute
}  # fmt: skip

ROOT: Final = "tokenloom"
MAY_IMPORT_ROOT: Final = {"cli", "web", "jobs", "teaching"}  # the root shows names of jobs, so nothing below may use it
MAY_IMPORT_LESSONS: Final = {"lessons", "teaching", "web"}


def room_of(path: Path, package: Path = PACKAGE) -> str:
    """The room that a file belongs to; the root for `__init__.py` itself."""
    first = path.relative_to(package).parts[0]
    return ROOT if first == "__init__.py" else first.removesuffix(".py")


def imported_rooms(tree: ast.Module, module: str) -> Iterator[tuple[str, int]]:
    """Rooms that a module's import statements name, wherever they stand, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            start = ".".join(module.split(".")[: -node.level]) + "." if node.level else ""
            base = (start + (node.module or "")).strip(".")
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == ROOT:
                room = rest.partition(".")[0]
                yield (room if room in ROWS or room == "lessons" else ROOT), node.lineno


def is_drawn(source: str, target: str) -> bool:
    """Whether the arrow from one room to another is in the drawing."""
    if target == source or source == ROOT:
        return True
    if target == "lessons":
        return source in MAY_IMPORT_LESSONS
    if target == ROOT:
        return source in MAY_IMPORT_ROOT
    return source != "lessons" and ROWS[source] > ROWS[target]


def test_every_room_is_drawn() -> None:
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")}
    assert rooms - ROWS.keys() - {ROOT, "lessons"} == set()


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_file_imports_only_from_lower_rows(path: Path) -> None:
    source = room_of(path)
    module = ".".join((ROOT, *path.relative_to(PACKAGE).with_suffix("").parts))
    arrows = imported_rooms(ast.parse(path.read_text(encoding="utf-8")), module)
    wrong = [f"line {line}: {source} -> {target}" for target, line in arrows if not is_drawn(source, target)]
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "statement", "drawn"),
    [
        ("formats", "from tokenloom.spec import TokenizerSpec", True),
        ("formats", "from tokenloom import corpus", False),
        ("formats", "import tokenloom.report.tables as tables", False),
        ("spec", "from ..storage import envelope", False),
        ("spec", "from .build import build_spec", True),
        ("spec", "def f():\n    from tokenloom.tokenizer import Tokenizer", False),
        ("spec", "from tokenloom import TokenizerSpec", False),
        ("spec", "from tokenloom.errors import SpecError", True),
        ("errors", "import tokenloom.spec", False),
        ("tokenizer", "from tokenloom.lessons import byte_pair", False),
        ("teaching", "from tokenloom.lessons import byte_pair", True),
        ("lessons", "from tokenloom.errors import EncodeError", False),
        ("jobs", "import tokenloom", True),
        ("metrics", "import numpy as np\nfrom tokenloom.tokenizer import TokenBatch", True),
    ],
)
def test_this_check_reads_statements_as_python_does(source: str, statement: str, drawn: bool) -> None:
    arrows = imported_rooms(ast.parse(statement), f"{ROOT}.{source}.module")
    assert all(is_drawn(source, target) for target, _ in arrows) is drawn


@pytest.mark.parametrize("job", ["count", "encode", "decode"])
def test_jobs_that_train_nothing_load_no_trainers(job: str) -> None:
    script = f"import sys\nimport tokenloom.jobs.{job}\nprint('tokenloom.trainers' in sys.modules)"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output == "False\n"


@pytest.mark.parametrize(
    "statement", ["import tokenloom", "from tokenloom import TokenizerSpec", "import tokenloom.formats"]
)
def test_import_loads_neither_core_nor_heavy_packages(statement: str) -> None:
    heavy = {"numpy", "typer", "rich", "regex", "tokenloom._core"}
    script = f"import sys\n{statement}\nprint(*sorted({heavy} & sys.modules.keys()))"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output.split() == []
