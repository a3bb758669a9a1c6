r"""Word counts that were made elsewhere: lines of a word, a tab and a count, in UTF-8, without a header.

A word is everything before the last tab of its line, and becomes one pretoken as it stands, blanks included.
"""

import os
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NoReturn

from tokenloom import _core
from tokenloom.corpus.pieces import read_pieces
from tokenloom.corpus.whole_lines import whole_lines
from tokenloom.errors import TrainingError
from tokenloom.storage import find_compression
from tokenloom.trainers.count_options import MOST_COUNTED
from tokenloom.wording import quoted

__all__ = ["read_word_counts"]

_MOST_DIGITS: Final = 20


def read_word_counts(path: str | os.PathLike[str]) -> _core.PretokenCounts:
    r"""Read a file of word counts; a word that stands there twice counts with the sum.

    The order of the lines counts for the tie rule `"first-seen"` alone. A file may be compressed, by its name.

    Raises: CorpusError if the file cannot be read; TrainingError for a line that is no word with its count, with its
        number.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "words.tsv"
    >>> _ = path.write_text("low\t5\nlower\t2\n")
    >>> read_word_counts(path).items()
    [(b'low', 5), (b'lower', 2)]
    """
    counts: dict[bytes, int] = {}
    for number, line in enumerate(_lines(path), 1):
        if number == 1 and line.startswith(BOM_UTF8):
            what = "a byte order mark stands before the first word and would be part of it"
            _refuse_line(path, number, what, "Save the file as UTF-8 without it")
        word, count = _parsed(path, number, line)
        total = counts.get(word, 0) + count
        if total > MOST_COUNTED:
            _refuse_line(
                path, number, f"the counts of {quoted(word)} add up to more than {MOST_COUNTED:,}", "Scale them"
            )
        counts[word] = total
    if not counts:
        raise TrainingError(f"{os.fspath(path)!r}: holds no word. Write lines of a word, a tab and a count.")
    return _core.PretokenCounts.from_pairs(list(counts.items()))


def _lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The lines without their ends; those of Windows end with CR LF. What is behind the last end is none if empty."""
    held = None
    for group in whole_lines(read_pieces(path, find_compression(Path(path), "auto"), name=os.fspath(path))):
        for line in group.lines:
            if held is not None:
                yield held.removesuffix(b"\r")
            held = line
    if held:
        yield held.removesuffix(b"\r")


def _parsed(path: str | os.PathLike[str], number: int, line: bytes) -> tuple[bytes, int]:
    word, tab, digits = line.rpartition(b"\t")
    if not tab:
        _refuse_line(path, number, f"{quoted(line)} has no tab", "Write a word, a tab and a count")
    if not word:
        _refuse_line(path, number, "there is no word before the tab", "Write a word, a tab and a count")
    if not digits.isdigit() or len(digits) > _MOST_DIGITS or not 1 <= int(digits) <= MOST_COUNTED:
        _refuse_line(
            path, number, f"the count {quoted(digits)} is no whole number from 1 to {MOST_COUNTED:,}", "Mend it"
        )
    try:
        word.decode()
    except UnicodeDecodeError as error:
        what = f"byte {error.start} of the word {quoted(word)} is no UTF-8"
        _refuse_line(path, number, what, "Mend it where the file was made")
    return word, int(digits)


def _refuse_line(path: str | os.PathLike[str], number: int, what: str, remedy: str) -> NoReturn:
    raise TrainingError(f"{os.fspath(path)!r}, line {number}: {what}. {remedy}.")
