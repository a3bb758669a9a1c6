"""The known faults of other software that have an id each: every one of these sections has a test that names it."""

import re
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


def named() -> set[str]:
    """The ids that tests name, other than this one."""
    files = [*TESTS.rglob("*.py"), *CRATES.glob("*/tests/**/*.rs")]
    texts = [path.read_text(encoding="utf-8") for path in files if path != Path(__file__)]
    return {found for text in texts for found in re.findall(rf"\b(?:{'|'.join(SECTIONS)})-[0-9]{{2}}\b", text)}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_case_of_a_section_is_named_by_a_test(section: str) -> None:
    expected = {f"{section}-{number}" for number in SECTIONS[section].split()}
    assert {name for name in named() if name.startswith(section)} == expected
