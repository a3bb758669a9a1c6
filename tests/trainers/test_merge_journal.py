from pathlib import Path

import pytest

from tokenloom.errors import StorageError, TrainingError
from tokenloom.trainers import BpeOptions, MergeJournal, MergeStep, pretoken_counts, train_on_counts

WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "aaaaaaa": 4}
MERGES = [(1, 2), (256, 3), (300, 70_000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A journal of two lines."""
    path = tmp_path / "merges.journal"
    journal = MergeJournal(path)
    journal.append(MERGES[:2])
    journal.append(MERGES[2:])
    return path


def test_merges_come_back_and_more_can_follow(path: Path) -> None:
    journal = MergeJournal(path)
    assert journal.merges == MERGES
    journal.append([(4, 5)])
    assert MergeJournal(path).merges == [*MERGES, (4, 5)]


@pytest.mark.parametrize("n_cut", range(1, 60))
def test_torn_line_is_cut_off(path: Path, n_cut: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-n_cut])
    journal = MergeJournal(path)
    assert journal.merges == MERGES[:2]
    journal.append(MERGES[2:])
    assert path.read_bytes() == whole


def test_changed_byte_ends_the_journal_there(path: Path) -> None:
    whole = path.read_bytes()
    first_bytes = whole.index(b"\n") + 1
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        n_kept = 0 if place < first_bytes else 2
        assert MergeJournal(path).merges == MERGES[:n_kept]
        assert path.read_bytes() == whole[: first_bytes if n_kept else 0]


def test_line_that_does_not_follow_is_cut_off(path: Path) -> None:
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(second + first)
    assert MergeJournal(path).merges == []
    path.write_bytes(first + first + second)
    assert MergeJournal(path).merges == MERGES[:2]


def test_journal_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"gone/merges\.journal': cannot be written .*it goes on where it was"):
        MergeJournal(tmp_path / "gone" / "merges.journal").append(MERGES)


def steps(journal: MergeJournal | None = None) -> tuple[MergeStep, ...]:
    return train_on_counts(pretoken_counts(WORDS), BpeOptions(270, tie_break="first-seen"), journal=journal).steps


@pytest.mark.parametrize("n_before", [0, 1, 7, 14])
def test_training_goes_on_from_any_beginning_of_its_merges(tmp_path: Path, n_before: int) -> None:
    path = tmp_path / "merges.journal"
    assert steps(MergeJournal(path)) == steps()
    merges = MergeJournal(path).merges
    path.unlink()
    journal = MergeJournal(path)
    if n_before:
        journal.append(merges[:n_before])
    assert steps(MergeJournal(path)) == steps()
    assert MergeJournal(path).merges == merges


def test_journal_of_other_counts_is_refused(tmp_path: Path) -> None:
    journal = MergeJournal(tmp_path / "merges.journal")
    journal.append([(ord("x"), ord("y"))])
    with pytest.raises(TrainingError, match="merge 0"):
        steps(journal)


def test_merges_are_reported_with_those_from_before(tmp_path: Path) -> None:
    reports: list[tuple[str, int, int | None]] = []
    journal = MergeJournal(tmp_path / "merges.journal")
    train_on_counts(pretoken_counts(WORDS), BpeOptions(260), journal=journal)
    options = BpeOptions(266)
    train_on_counts(pretoken_counts(WORDS), options, journal=journal, progress=lambda *report: reports.append(report))
    assert reports[-1] == ("merge", 10, 10)
    assert [done for _, done, _ in reports] == sorted(done for _, done, _ in reports)
