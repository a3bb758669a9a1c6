"""The known faults of other software that have an id each: all that can be tried have a test that names them."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path
from typing import Final

import pytest

TESTS: Final = Path(__file__).parents[1]
CRATES: Final = TESTS.parent / "crates"

SECTIONS: Final[dict[str, str]] = {
    "TR": "01 02 03 04 07 08 09 10 11 13 14 15 16 17 18 19 20 21 22",
    "SP": "01 02 03 04 05 07 08 09 10 11 12 14",
    "UN": "01 02 03 04 06 07 08 09 11 12 13 14 15",
    "PT": "01 02 03 04 05 06 08 09 11 12 13 14 15",
    "DE": "01 02 04 05 06 08 09 10 11 12",
    "OF": "01 02 04 05 06 07",
    "FM": "01 02 03 04 05 06 07 08 10 11 12 13 15 16 17 18 19 20",
    "PA": "02 03 04",
}
"""Training, special tokens, Unicode, split patterns, decoding, offsets, file formats, processes and threads."""

ID: Final = re.compile(rf"\b(?:{'|'.join(SECTIONS)})-[0-9]{{2}}\b")


def ids_of_tests(source: str) -> set[str]:
    """The ids in docstrings and comments of test functions, and those that are a parameter of one.

    What a module says of ids, such as that they are tried elsewhere, is no test.
    """
    comments = {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found: list[str] = []
    for test in ast.parse(source).body:
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            found.append(ast.get_docstring(test) or "")
            nodes = [node for decorator in test.decorator_list for node in ast.walk(decorator)]
            strings = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            found += filter(ID.fullmatch, strings)
            parts: list[ast.expr | ast.stmt] = [*test.decorator_list, test]
            for part in parts:
                lines = range(part.lineno, (part.end_lineno or part.lineno) + 1)
                found += [comments[line] for line in lines if line in comments]
    return set(ID.findall("\n".join(found)))


def ids_of_rust_tests(source: str) -> set[str]:
    """The ids in the comments above tests of the core."""
    above = re.findall(r"((?:^ *///.*\n)+)(?: *#\[.*\]\n)* *#\[test\]", source, re.MULTILINE)
    return set(ID.findall("\n".join(above)))


@cache
def named() -> frozenset[str]:
    """The ids that tests name."""
    python = (ids_of_tests(path.read_text(encoding="utf-8")) for path in TESTS.rglob("test_*.py"))
    rust = (ids_of_rust_tests(path.read_text(encoding="utf-8")) for path in CRATES.glob("*/tests/**/*.rs"))
    return frozenset().union(*python, *rust)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_case_of_a_section_is_named_by_a_test(section: str) -> None:
    expected = {f"{section}-{number}" for number in SECTIONS[section].split()}
    assert {name for name in named() if name.startswith(section)} == expected


def test_mention_outside_a_test_does_not_count() -> None:
    source = '''"""TR-01 is tried elsewhere."""
# TR-02
TABLE = ["TR-03"]  # TR-04

@mark([("TR-05", "a")])
@mark("see TR-06")  # TR-14
def test_it():
    """TR-07."""
    call("TR-08")  # TR-09

def helper():
    """TR-10."""
'''
    assert ids_of_tests(source) == {"TR-05", "TR-07", "TR-09", "TR-14"}
    rust = "// TR-11\n/// TR-12.\n#[test]\nfn a() {}\n/// TR-13.\nfn b() {}\n"
    assert ids_of_rust_tests(rust) == {"TR-12"}
