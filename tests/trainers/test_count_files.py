import errno
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import bytes_texts
from tokenloom.errors import CorpusError, FormatError, MemoryLimitError, StorageError, TrainingError
from tokenloom.spec import Pretokenizer
from tokenloom.storage import encode_envelope, open_section, write_envelope
from tokenloom.trainers import (
    MOST_TOLD_COUNT,
    CountHeader,
    CountOptions,
    count_histogram,
    count_pretokens,
    count_to_file,
    load_counts,
    merge_count_files,
    read_count_header,
    runs,
    spilling,
)

GPT2 = CountOptions(Pretokenizer("gpt2"), ["<|end|>"])
PLACED = CountOptions(Pretokenizer("gpt2"), ["<|end|>"], has_positions=True)
DOCUMENTS = [b"the cat<|end|>the hat", b"in the hat", b"", "h\u00e4t 你好".encode(), b"the the the"]


def count(path: Path, documents: Iterable[bytes], options: CountOptions = GPT2, **more: Any) -> CountHeader:
    return count_to_file(documents, path, options=options, **more)


def test_counts_come_back_with_what_was_counted(tmp_path: Path) -> None:
    header = count(tmp_path / "a", DOCUMENTS)
    expected = count_pretokens(DOCUMENTS, pretokenizer=GPT2.pretokenizer, special_tokens=GPT2.special_tokens)
    assert load_counts(tmp_path / "a").items() == expected.items()
    assert header == read_count_header(tmp_path / "a")
    assert (header.n_pretokens, header.n_bytes) == (len(expected), expected.n_bytes)
    assert header.n_corpus_bytes == sum(map(len, DOCUMENTS))
    assert header.n_occurrences == sum(n for _, n in expected.items())
    assert header.options == GPT2


def test_file_by_hand(tmp_path: Path) -> None:
    """Shared bytes, further bytes, these, count, first position, of ` a` and ` ab`, then `a`."""
    header = count(tmp_path / "a", [b"a a ab a"], CountOptions(Pretokenizer("gpt2"), has_positions=True))
    with open_section(tmp_path / "a", kind="pretoken-counts", name="records") as section:
        assert section.read(99) == b"\0\2 a\2\1" + b"\2\1b\1\3" + b"\0\1a\1\0"
    assert header.values() == {
        "normalizer": None,
        "pretokenizer": {"type": "gpt2", "unicode": "16.0"},
        "unicode": "16.0",
        "special_tokens": [],
        "max_pretoken_bytes": None,
        "has_positions": True,
        "n_pretokens": 3,
        "n_bytes": 8,
        "n_corpus_bytes": 8,
        "n_occurrences": 4,
        "n_cut_pretokens": 0,
    }


@settings(max_examples=30)
@given(st.lists(bytes_texts, min_size=1, max_size=5), st.data())
def test_any_split_at_document_borders_gives_equal_bytes(
    tmp_path_factory: pytest.TempPathFactory, documents: list[bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for options in (GPT2, PLACED):
        count(folder / "whole", documents, options)
        place = data.draw(st.integers(0, len(documents)))
        parts = [documents[:place], documents[place:]]
        for name, part in zip("ab", parts, strict=True):
            count(folder / name, part, options)
        merge_count_files([folder / "a", folder / "b"], folder / "c")
        assert (folder / "c").read_bytes() == (folder / "whole").read_bytes()


def test_order_does_not_matter_without_positions(tmp_path: Path) -> None:
    for name, document in zip("abcde", DOCUMENTS, strict=True):
        count(tmp_path / name, [document])
    for out, order in (("one", "abcde"), ("other", "ecadb")):
        merge_count_files([tmp_path / name for name in order], tmp_path / out)
    count(tmp_path / "whole", DOCUMENTS)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes() == (tmp_path / "whole").read_bytes()


def test_multiplier_is_reading_a_text_so_often(tmp_path: Path) -> None:
    count(tmp_path / "a", DOCUMENTS[:2])
    count(tmp_path / "b", DOCUMENTS[2:])
    header = merge_count_files([tmp_path / "a", tmp_path / "b"], tmp_path / "c", multipliers=[3, 1])
    expected = count(tmp_path / "d", DOCUMENTS[:2] * 3 + DOCUMENTS[2:])
    assert load_counts(tmp_path / "c").items() == load_counts(tmp_path / "d").items()
    assert (header.n_bytes, header.n_occurrences) == (expected.n_bytes, expected.n_occurrences)
    assert header.n_corpus_bytes == sum(map(len, DOCUMENTS))


def test_more_files_than_may_be_open_at_once_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_MOST_OPEN", 2)
    for place, document in enumerate(DOCUMENTS):
        count(tmp_path / str(place), [document], PLACED)
    merge_count_files([tmp_path / str(place) for place in range(5)], tmp_path / "c")
    count(tmp_path / "whole", DOCUMENTS, PLACED)
    assert (tmp_path / "c").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("most_spills", [2, 64])
@pytest.mark.parametrize("options", [GPT2, PLACED], ids=["counts", "positions"])
def test_counter_that_spills_writes_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: CountOptions, most_spills: int
) -> None:
    documents = [b" ".join(b"w%d" % (n * k % 9973) for n in range(3000)) for k in range(1, 9)]
    count(tmp_path / "a", documents, options)
    monkeypatch.setattr(spilling, "_CHECKED_BYTES", 5000)
    monkeypatch.setattr(spilling, "_MOST_SPILLS", most_spills)
    monkeypatch.setattr(spilling, "_LEAST_GROWTH", 0)
    growth: list[tuple[int, int]] = []
    count(tmp_path / "b", documents, options, memory_limit=1, n_threads=1, growth=growth)
    assert growth == []
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are counted in /proc")
def test_counter_that_spills_often_keeps_few_files_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilling, "_CHECKED_BYTES", 5000)
    monkeypatch.setattr(spilling, "_MOST_SPILLS", 2)
    monkeypatch.setattr(spilling, "_LEAST_GROWTH", 0)
    n_open = []

    def documents() -> Iterator[bytes]:
        for number in range(40):
            n_open.append(len(list(Path("/proc/self/fd").iterdir())))
            yield b" ".join(b"w%d" % (number * n) for n in range(1000))

    count(tmp_path / "a", documents(), memory_limit=1, n_threads=1)
    assert max(n_open) <= n_open[0] + 2


def test_long_pretoken_is_not_taken_for_many_short_ones(tmp_path: Path) -> None:
    for number, maximum in enumerate((None, 1000)):
        options = CountOptions(Pretokenizer("gpt2"), (), maximum)
        header = count(tmp_path / str(number), [b"a" * 30_000_000], options, memory_limit=250_000_000, n_threads=1)
        assert (header.n_bytes, header.n_cut_pretokens) == (30_000_000, int(maximum is not None))


def test_pretoken_that_outgrows_the_limit_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MemoryLimitError, match=r"limit 32.0 MB: counting needs .* Cut it with --max-pretoken-bytes"):
        count(tmp_path / "a", [b"a" * 20_000_000], memory_limit=32_000_000, n_threads=1)
    assert list(tmp_path.iterdir()) == []


def test_long_pretokens_are_cut_and_counted(tmp_path: Path) -> None:
    options = CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=1000)
    header = count(tmp_path / "a", [b"a" * 4_000_000, b"b"], options)
    assert load_counts(tmp_path / "a").items() == [(b"a" * 1000, 4000), (b"b", 1)]
    assert header.n_cut_pretokens == 1
    assert header.options.max_pretoken_bytes == 1000


def test_pretoken_without_an_end_keeps_to_the_limit_where_it_is_cut(tmp_path: Path) -> None:
    options = CountOptions(Pretokenizer("gpt2"), max_pretoken_bytes=1000)
    header = count(tmp_path / "a", [b"a" * 20_000_000], options, memory_limit=32_000_000, n_threads=1)
    assert load_counts(tmp_path / "a").items() == [(b"a" * 1000, 20_000)]
    assert header.n_cut_pretokens == 1


@pytest.mark.parametrize(
    ("memory_limit", "message"),
    [
        (None, r"a': cannot be written \(No space.*free space"),
        (1, r"work in this folder cannot be written \(No space.*repeat the command"),
    ],
    ids=["the file", "a run that is spilt"],
)
def test_full_disk_names_the_folder_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory_limit: int | None, message: str
) -> None:
    class Full(io.BytesIO):
        def write(self, _data: object) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    monkeypatch.setattr(spilling, "_CHECKED_BYTES", 10)
    monkeypatch.setattr(spilling, "_LEAST_GROWTH", 0)
    with pytest.raises(StorageError, match=message):
        count(tmp_path / "a", DOCUMENTS, memory_limit=memory_limit)
    assert list(tmp_path.iterdir()) == []


def test_rare_pretokens_are_passed_over_when_asked_for(tmp_path: Path) -> None:
    count(tmp_path / "a", DOCUMENTS)
    assert dict(load_counts(tmp_path / "a", min_count=2).items()) == {b"the": 3, b" the": 3, b" hat": 2}


def test_histogram_joins_large_counts_in_its_last_row(tmp_path: Path) -> None:
    count(tmp_path / "a", [b"the the the hat", b"x " * 5000])
    assert count_histogram(tmp_path / "a") == [(1, 4, 9), (2, 1, 4), (MOST_TOLD_COUNT, 1, 2)]


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (
            CountOptions(Pretokenizer("o200k"), ["<|end|>"]),
            "its pretokenizer is {'type': 'o200k', .* 'a' is {'type': 'gpt2'",
        ),
        (
            CountOptions(Pretokenizer("gpt2"), ["<s>"]),
            r"its special_tokens is \['<s>'\], and that of .*a' is \['<\|end",
        ),
        (
            CountOptions(Pretokenizer("gpt2"), ["<|end|>"], 100),
            "its max_pretoken_bytes is 100, and that of .*a' is None",
        ),
        (PLACED, "its has_positions is True, and that of .*a' is False"),
    ],
    ids=["pattern", "specials", "maximum", "positions"],
)
def test_files_that_were_counted_in_other_ways_are_not_merged(tmp_path: Path, options: CountOptions, what: str) -> None:
    count(tmp_path / "a", DOCUMENTS)
    count(tmp_path / "b", DOCUMENTS, options)
    with pytest.raises(FormatError, match="b': " + what.replace("'a' is", ".*a' is")):
        merge_count_files([tmp_path / "a", tmp_path / "b"], tmp_path / "c")
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-20]), "its table announces"),
        (lambda path: path.write_bytes(path.read_bytes().replace(b"cat", b"cab")), "section 'records'.*was changed"),
        (lambda path: path.write_text("the 3\n"), "it is not a file of tokenloom"),
        (lambda path: write_envelope(path, kind="tokenizer", header={}, sections=[]), "it holds a 'tokenizer'"),
        (lambda path: forge(path, unicode="17.0"), "its unicode is '17.0', and this tokenloom counts with '16.0'"),
        (lambda path: forge(path, normalizer=[]), r"is not what tokenloom writes .*normalizer: \[\] is unknown"),
        (lambda path: forge(path, n_bytes=-1), "its n_bytes is -1, no number"),
        (lambda path: forge(path, special_tokens=3), "its header is not what tokenloom writes"),
        (lambda path: forge(path, pretokenizer={"type": "new"}), "'new' is unknown"),
        (lambda path: forge(path, n_pretokens=7), "its header announces 7 pretokens, and it holds 1"),
        (lambda path: forge(path, records=b"\0\1a\0"), r"byte 0: pretoken b'a' has the count 0"),
        (lambda path: forge(path, records=b"\0\1a"), "byte 0: the record ends too early"),
    ],
)
def test_corrupt_or_foreign_file_is_named(tmp_path: Path, make: Callable[[Path], object], what: str) -> None:
    count(tmp_path / "good", DOCUMENTS)
    shutil.copy(tmp_path / "good", tmp_path / "bad")
    make(tmp_path / "bad")
    with pytest.raises(FormatError, match=rf"bad'.*{what}"):
        load_counts(tmp_path / "bad")
    if "announces 7" not in what:
        with pytest.raises(FormatError, match=rf"bad'.*{what}"):
            merge_count_files([tmp_path / "good", tmp_path / "bad"], tmp_path / "merged")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "good"]


def forge(path: Path, *, records: bytes = b"\0\1a\1", **changes: Any) -> None:
    """A file with right checksums that tokenloom would not write."""
    header = CountHeader(GPT2, 1, 1, 1, 1, 0).values() | changes
    path.write_bytes(
        encode_envelope(kind="pretoken-counts", version=(1, 0), header=header, sections=[("records", records)])
    )


def test_forged_lacking_key_is_named(tmp_path: Path) -> None:
    header = CountHeader(GPT2, 1, 1, 1, 1, 0).values()
    del header["n_bytes"]
    write_envelope(tmp_path / "bad", kind="pretoken-counts", header=header, sections=[("records", b"")])
    with pytest.raises(FormatError, match="bad': its header has no 'n_bytes'"):
        read_count_header(tmp_path / "bad")


def test_overflow_of_a_multiplier_names_the_pretoken(tmp_path: Path) -> None:
    count(tmp_path / "a", [b"the the"])
    with pytest.raises(TrainingError, match="b'"):
        merge_count_files([tmp_path / "a"] * 2, tmp_path / "c", multipliers=[2**63, 2**63])
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("multipliers", [[1], [1, 0], [1, True], [1, -3], [1, 1.5], [1, 2**64]])
def test_impossible_multipliers_are_refused(tmp_path: Path, multipliers: list[Any]) -> None:
    count(tmp_path / "a", DOCUMENTS)
    with pytest.raises(
        TrainingError, match=r"must be a whole number from 1 to 18,446,744,073,709,551,615 for each of 2 files"
    ):
        merge_count_files([tmp_path / "a"] * 2, tmp_path / "c", multipliers=multipliers)


def test_nothing_to_merge_and_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="nothing to merge"):
        merge_count_files([], tmp_path / "c")
    with pytest.raises(CorpusError, match="no such file"):
        merge_count_files([tmp_path / "gone"], tmp_path / "c")


@pytest.mark.parametrize(
    ("argument", "value"),
    [("max_pretoken_bytes", 3), ("max_pretoken_bytes", 2**64), ("max_pretoken_bytes", True), ("has_positions", 1)],
)
def test_impossible_options_are_refused(argument: str, value: Any) -> None:
    with pytest.raises(TrainingError, match=f"{argument} {value!r}"):
        CountOptions(Pretokenizer("gpt2"), **{argument: value})
