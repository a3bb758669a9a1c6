"""Runs written, read and merged by hand, and that the core does the same."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from random import Random

import pytest

from tests.strategies import HARD_PARTS, random_bytes
from tokenloom import _core
from tokenloom.lessons.counting import (
    Record,
    first_part,
    limited_pretokens,
    merge_records,
    read_number,
    read_run,
    shift_and_multiply,
    write_number,
    write_records,
    write_run,
)
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.spec import Pretokenizer
from tokenloom.spec.config import render_pretokenizer

GPT2 = render_pretokenizer(Pretokenizer("gpt2"))


def pretokens_of(document: bytes, max_bytes: int | None) -> Iterable[bytes]:
    if max_bytes is None:
        return split_gpt2_bytes(document)
    return limited_pretokens(document, split=split_gpt2_bytes, max_bytes=max_bytes)


def lesson_counts(documents: Sequence[bytes], max_bytes: int | None = None) -> dict[bytes, tuple[int, int]]:
    """Count and first position of each pretoken."""
    counts: dict[bytes, tuple[int, int]] = {}
    position = 0
    for document in documents:
        for pretoken in pretokens_of(document, max_bytes):
            count, first = counts.get(pretoken, (0, position))
            counts[pretoken] = (count + 1, first)
            position += len(pretoken)
    return counts


def core_run(documents: Sequence[bytes], *, has_positions: bool = True, max_bytes: int | None = None) -> bytes:
    """The run that the core writes of documents."""
    counter = _core.PretokenCounter(GPT2, [], n_threads=2, max_pretoken_bytes=max_bytes)
    for document in documents:
        counter.push(document)
        counter.end_document()
    out = BytesIO()
    counter.finish_run(out.write, has_positions=has_positions)
    return out.getvalue()


def core_merge(runs: Sequence[bytes], shifts: Sequence[int], multipliers: Sequence[int], has_positions: bool) -> bytes:
    """The run that the core makes of several."""
    out = BytesIO()
    _core.merge_runs(
        [BytesIO(run).read for run in runs],
        out.write,
        has_positions=has_positions,
        shifts=list(shifts),
        multipliers=list(multipliers),
    )
    return out.getvalue()


def random_documents(random: Random) -> list[bytes]:
    parts = [part.encode() for part in HARD_PARTS]
    return [b"".join(random.choices(parts, k=9)) + random_bytes(random) for _ in range(random.randrange(9))]


@pytest.fixture
def corpora() -> Iterator[list[bytes]]:
    return (random_documents(Random(seed)) for seed in range(60))


@pytest.mark.parametrize("has_positions", [True, False])
def test_the_core_writes_the_run_of_the_lesson(corpora: Iterator[list[bytes]], has_positions: bool) -> None:
    for documents in corpora:
        expected = write_run(lesson_counts(documents), has_positions=has_positions)
        assert core_run(documents, has_positions=has_positions) == expected


@pytest.mark.parametrize("max_bytes", [4, 5, 7, 64])
def test_the_core_cuts_long_pretokens_where_the_lesson_does(corpora: Iterator[list[bytes]], max_bytes: int) -> None:
    for documents in corpora:
        expected = write_run(lesson_counts(documents, max_bytes), has_positions=True)
        assert core_run(documents, max_bytes=max_bytes) == expected


@pytest.mark.parametrize("has_positions", [True, False])
def test_the_core_merges_like_the_lesson(corpora: Iterator[list[bytes]], has_positions: bool) -> None:
    for seed, documents in enumerate(corpora):
        random = Random(seed)
        runs = [write_run(lesson_counts([document]), has_positions=has_positions) for document in documents]
        shifts, multipliers = ([random.choice([1, 3, 2**40]) for _ in runs] for _ in range(2))
        if not has_positions:
            shifts = [0] * len(runs)
        parts = [
            shift_and_multiply(read_run(run, has_positions=has_positions), shift=shift, multiplier=multiplier)
            for run, shift, multiplier in zip(runs, shifts, multipliers, strict=True)
        ]
        expected = write_records(merge_records(parts), has_positions=has_positions)
        assert core_merge(runs, shifts, multipliers, has_positions) == expected


def test_merged_runs_of_parts_are_the_run_of_the_whole(corpora: Iterator[list[bytes]]) -> None:
    for documents in corpora:
        shifts = [sum(map(len, documents[:place])) for place in range(len(documents))]
        runs = [core_run([document]) for document in documents]
        assert core_merge(runs, shifts, [1] * len(runs), True) == core_run(documents)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**63, 2**64 - 1])
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    written = write_number(number)
    assert read_number(b"\xff" + written + b"\xff", 1) == (number, 1 + len(written))


@pytest.mark.parametrize("data", [b"\x80\x00", b"\xff" * 9 + b"\x02", b"\xff", b""])
def test_what_is_no_number_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^byte 0: "):
        read_number(data, 0)


REFUSED = {
    "cut": b"\x00\x03low",
    "shared with nothing": b"\x01\x01a\x01",
    "shares more than is said": b"\x00\x02ab\x01\x00\x02ac\x01",
    "twice": b"\x00\x01a\x01\x01\x00\x01",
    "descending": b"\x00\x01b\x01\x00\x01a\x01",
    "empty": b"\x00\x00\x01",
    "no count": b"\x00\x01a\x00",
    "promises more than there is": b"\x00\xff\xff\xff\xff\xff\x7fa",
}


def read_by_core(run: bytes) -> object:
    return _core.PretokenCounts.from_run(BytesIO(run).read, has_positions=False)


def read_by_lesson(run: bytes) -> object:
    return list(read_run(run, has_positions=False))


@pytest.mark.parametrize("read", [read_by_core, read_by_lesson])
@pytest.mark.parametrize("name", REFUSED)
def test_core_and_lesson_refuse_the_same_runs(name: str, read: Callable[[bytes], object]) -> None:
    with pytest.raises(ValueError, match=r"byte \d+: .*\. (Restore|Write)"):
        read(REFUSED[name])


def test_a_run_says_once_what_neighbours_share() -> None:
    run = write_run({b"lower": (2, 0), b"lowest": (1, 0), b"low": (5, 0)}, has_positions=False)
    assert run == b"\x00\x03low\x05\x03\x02er\x02\x04\x02st\x01"


def test_an_empty_run_has_no_bytes() -> None:
    assert write_run({}, has_positions=True) == b""
    assert list(merge_records([])) == list(read_run(b"", has_positions=True)) == []


def test_parts_join_to_the_text_and_cut_no_character() -> None:
    text = "日本語é".encode() + b"\xff\xe6\x97" + "日".encode()
    parts = list(limited_pretokens(text, split=lambda window: [window], max_bytes=7))
    assert b"".join(parts) == text
    assert [len(part) for part in parts] == [6, 7, 4]


@pytest.mark.parametrize(("n_bytes", "n_kept"), [(4, 1), (5, 5), (6, 6), (7, 7), (8, 7), (9, 9), (99, 9)])
def test_first_part_ends_between_characters(n_bytes: int, n_kept: int) -> None:
    text = "a\U0001f600".encode() + b"\xe6\x97" + "é".encode()
    assert first_part(text, n_bytes) == text[:n_kept]


def test_limit_below_a_character_is_refused() -> None:
    with pytest.raises(ValueError, match="max_bytes is 3"):
        list(limited_pretokens(b"abc", split=split_gpt2_bytes, max_bytes=3))


def test_records_are_plain_tuples() -> None:
    assert Record(b"a", 2) == (b"a", 2, 0)
