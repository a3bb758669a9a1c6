import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reading import whole
from tokenloom.corpus import (
    DocumentOptions,
    Selection,
    SkippedRecords,
    Split,
    list_sources,
    plan_splits,
    read_source,
    read_split,
)
from tokenloom.errors import CorpusError

OPTIONS = DocumentOptions()
LINES = [b'{"text": "%d"}' % 10**n for n in range(12)] + [b"", b" \t", b'{"text": "%s"}' % (b"x" * 90)]


def documents_of(splits: list[Split], options: DocumentOptions = OPTIONS, **kwargs: Any) -> list[bytes]:
    """The documents of all splits, one after the other; each split goes through JSON first."""
    found = []
    for split in splits:
        again = Split.from_json(json.loads(json.dumps(split.to_json())))
        assert again == split
        found += whole(block for _, block in read_split(again, options, **kwargs))
    return found


def ranges(splits: list[Split]) -> list[list[tuple[str, int, int]]]:
    return [[(part.source.name, part.start, part.end) for part in split.parts] for split in splits]


@given(
    lines=st.lists(st.sampled_from(LINES)),
    end=st.sampled_from([b"\n", b"\r\n"]),
    has_mark=st.booleans(),
    has_last_end=st.booleans(),
    split_bytes=st.integers(1, 120),
    block_bytes=st.integers(1, 80),
)
def test_ranges_of_bytes_together_have_the_documents_of_the_file(
    lines: list[bytes], end: bytes, has_mark: bool, has_last_end: bool, split_bytes: int, block_bytes: int
) -> None:
    data = b"\xef\xbb\xbf" * has_mark + end.join(lines) + end * has_last_end
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl")
        path.write_bytes(data)
        sources = list_sources([path])
        splits = plan_splits(sources, OPTIONS, split_bytes=split_bytes)
        found = documents_of(splits, block_bytes=block_bytes)
        assert found == whole(read_source(sources[0], OPTIONS))
    parts = [part for split in splits for part in split.parts]
    assert [parts[0].start, *(part.end for part in parts)] == [*(part.start for part in parts), len(data)]
    assert all(split.n_file_bytes <= split_bytes for split in splits)


def test_a_line_belongs_to_the_range_that_it_begins_in(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text":"a"}\n{"text":"b"}\n{"text":"c"}\n')  # 13 bytes each
    [source] = list_sources([tmp_path])
    splits = plan_splits([source], OPTIONS, split_bytes=13)
    found = [documents_of([split]) for split in splits]
    assert found == [[b"a"], [b"b"], [b"c"]]
    [part] = splits[1].parts
    for start, end, expected in [(12, 13, []), (13, 14, [b"b"]), (1, 14, [b"b"]), (14, 26, []), (12, 27, [b"b", b"c"])]:
        assert documents_of([Split("", (replace(part, start=start, end=end),))]) == expected


def test_error_names_the_line_in_the_first_range_and_the_byte_in_others(tmp_path: Path) -> None:
    data = b'{"text": "a"}\n\n{no\n{"text": "b"}\n\n{no\n'
    (tmp_path / "a.jsonl").write_bytes(data)
    first, second = plan_splits(list_sources([tmp_path]), OPTIONS, split_bytes=20)
    with pytest.raises(CorpusError, match=r"a\.jsonl', line 3: is no JSON .*\. Mend"):
        documents_of([first])
    with pytest.raises(CorpusError, match=rf"a\.jsonl', the line at byte {data.rindex(b'{no')}: is no JSON .*\. Mend"):
        documents_of([second])
    skipped = SkippedRecords()
    options = DocumentOptions(on_error="skip")
    assert documents_of([first, second], options, skipped=skipped, block_bytes=4) == [b"a", b"b"]
    assert [example.partition(": ")[0] for example in skipped.examples] == [
        "a.jsonl, line 3",
        "a.jsonl, the line at byte 34",
    ]


def test_progress_of_a_range_rises_to_its_length(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "the cat"}\n' * 1000)
    splits = plan_splits(list_sources([tmp_path]), OPTIONS, split_bytes=7000)
    for split in splits:
        read = [block.n_read_bytes for _, block in read_split(split, OPTIONS, block_bytes=500)]
        assert read == sorted(read)
        assert 0 < read[0] < read[-1]
        assert abs(read[-1] - split.n_file_bytes) <= 20


@pytest.fixture
def small(tmp_path: Path) -> Path:
    for number, n_bytes in enumerate([10, 20, 30, 100, 5, 5]):
        (tmp_path / f"{number}.txt").write_bytes(b"%d" % number * n_bytes)
    return tmp_path


def test_small_files_are_put_together_in_their_order_and_a_large_text_is_one_split(small: Path) -> None:
    splits = plan_splits(list_sources([small]), OPTIONS, split_bytes=50)
    assert ranges(splits) == [
        [("0.txt", 0, 10), ("1.txt", 0, 20)],
        [("2.txt", 0, 30)],
        [("3.txt", 0, 100)],
        [("4.txt", 0, 5), ("5.txt", 0, 5)],
    ]
    assert [split.n_file_bytes for split in splits] == [30, 30, 100, 10]
    assert documents_of(splits) == [path.read_bytes() for path in sorted(small.iterdir())]


def test_names_of_splits_are_stable_and_tell_no_folder(small: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    names = [split.name for split in plan_splits(list_sources([small]), OPTIONS, split_bytes=50)]
    assert len(set(names)) == 4
    assert names[0].startswith("00000-")
    other = tmp_path_factory.mktemp("other")
    for path in small.iterdir():
        (other / path.name).write_bytes(path.read_bytes())
    again = [split.name for split in plan_splits(list_sources([other]), OPTIONS, split_bytes=50)]
    assert again == names
    (other / "2.txt").write_bytes(b"longer" * 6)
    changed = [split.name for split in plan_splits(list_sources([other]), OPTIONS, split_bytes=50)]
    assert [old == new for old, new in zip(names, changed, strict=True)] == [True, False, True, True]


def test_groups_are_not_mixed_in_a_split(small: Path) -> None:
    sources = [replace(source, group="ab"[n > 1]) for n, source in enumerate(list_sources([small]))]
    splits = plan_splits(sources, OPTIONS, split_bytes=1000)
    assert [split.group for split in splits] == ["a", "b"]
    assert documents_of(splits) == [path.read_bytes() for path in sorted(small.iterdir())]


def test_sources_of_a_group_with_a_limit_are_one_split(small: Path) -> None:
    sources = [replace(source, group="aba"[n % 3]) for n, source in enumerate(list_sources([small]))]
    selection = Selection(limits={"a": 1000})
    splits = plan_splits(sources, OPTIONS, split_bytes=1, selection=selection)
    assert [[part.source.name for part in split.parts] for split in splits] == [
        ["0.txt", "2.txt", "3.txt", "5.txt"],
        ["1.txt"],
        ["4.txt"],
    ]


def test_limit_of_a_group_that_is_not_there_is_refused(small: Path) -> None:
    with pytest.raises(CorpusError, match=r"the corpus has no group 'en'\. Name one that it has: ''"):
        plan_splits(list_sources([small]), OPTIONS, selection=Selection(limits={"en": 1}))


@pytest.mark.parametrize("split_bytes", [0, -1, 1.5, True])
def test_length_of_a_split_that_is_none_is_refused(split_bytes: Any) -> None:
    with pytest.raises(CorpusError, match=r"is no length of a split\. Use a whole number above 0"):
        plan_splits([], OPTIONS, split_bytes=split_bytes)


def test_no_sources_have_no_splits() -> None:
    assert plan_splits([], OPTIONS) == []


def test_file_that_has_changed_since_it_was_listed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"the cat")
    splits = plan_splits(list_sources([tmp_path]), OPTIONS)
    (tmp_path / "a.txt").write_bytes(b"the cat sat")
    with pytest.raises(CorpusError, match=r"a\.txt': had 7 bytes at first, and has changed since\. Start again"):
        documents_of(splits)
