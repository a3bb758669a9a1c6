import gzip
import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.reading import whole
from tokenloom.corpus import DocumentOptions, Selection, SkippedRecords, list_sources, plan_splits, read_split
from tokenloom.corpus.selection import splitmix64
from tokenloom.errors import CorpusError

TEXTS = [b"%d" % number * Random(number).randint(0, 9) for number in range(400)]


def read(
    path: Path,
    selection: Selection,
    *,
    split_bytes: int = 1 << 20,
    block_bytes: int = 1 << 20,
    skipped: SkippedRecords | None = None,
    **options: Any,
) -> list[bytes]:
    documents = DocumentOptions(**options)
    splits = plan_splits(list_sources([path], documents), documents, split_bytes=split_bytes, selection=selection)
    arguments: dict[str, Any] = {"selection": selection, "block_bytes": block_bytes, "skipped": skipped}
    return [text for split in splits for text in whole(block for _, block in read_split(split, documents, **arguments))]


def jsonl(texts: list[bytes]) -> bytes:
    return b"".join(json.dumps({"text": text.decode()}).encode() + b"\n" for text in texts)


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(jsonl(TEXTS))
    return path


def test_numbers_are_those_of_splitmix64() -> None:
    """The first numbers that the published generator gives for seed 1234567, each from the state one step on."""
    states = [1234567 + step * 0x9E3779B97F4A7C15 & (1 << 64) - 1 for step in range(3)]
    assert [splitmix64(state) for state in states] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_choice_stays_what_it_was() -> None:
    """Golden: the places that a seed and a name choose; another result would change everybody's samples."""
    chosen = Selection(sample=0.25, seed=7).chooser("b/a.jsonl")
    assert chosen is not None
    assert [place for place in range(40) if chosen(place)] == [4, 7, 16, 17, 27, 32, 33, 34, 39]


def test_without_a_sample_nothing_is_asked() -> None:
    assert Selection().chooser("a") is None
    assert Selection(sample=1, seed=3).chooser("a") is None


@pytest.mark.parametrize(("split_bytes", "block_bytes"), [(100, 30), (1000, 7), (50, 1000)])
def test_sample_of_lines_does_not_depend_on_splits_and_blocks(lines: Path, split_bytes: int, block_bytes: int) -> None:
    selection = Selection(sample=0.3, seed=1)
    expected = read(lines, selection)
    assert 80 < len(expected) < 160
    assert read(lines, selection, split_bytes=split_bytes, block_bytes=block_bytes) == expected


def test_sample_is_the_same_from_a_compressed_file_of_the_same_name(lines: Path, tmp_path: Path) -> None:
    selection = Selection(sample=0.3, seed=1)
    (tmp_path / "packed").mkdir()
    packed = tmp_path / "packed" / "a.jsonl"
    packed.write_bytes(gzip.compress(lines.read_bytes()))
    assert read(packed, selection, compression="gzip") == read(lines, selection)


def test_samples_of_other_seeds_and_names_differ_and_smaller_ones_lie_in_larger_ones(lines: Path) -> None:
    texts = [read(lines, Selection(sample=0.3, seed=seed)) for seed in (1, 2)]
    assert texts[0] != texts[1]
    renamed = lines.rename(lines.with_name("b.jsonl"))
    assert read(renamed, Selection(sample=0.3, seed=1)) != texts[0]
    small = read(renamed, Selection(sample=0.1, seed=1))
    large = read(renamed, Selection(sample=0.2, seed=1))
    assert set() < set(small) < set(large)


def test_records_that_are_not_in_the_sample_are_not_parsed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(b"{no" if number % 2 else b'{"text": ""}' for number in range(1000)))
    skipped = SkippedRecords()
    found = read(path, Selection(sample=0.2), on_error="skip", skipped=skipped)
    assert 60 < len(found) < 140
    assert 60 < skipped.n_skipped < 140


@given(
    texts=st.lists(st.sampled_from([b"", b"a", b"bb", b"c" * 30])),
    block_bytes=st.integers(1, 40),
    seed=st.integers(0, 20),
    sample=st.sampled_from([0.2, 0.5, 0.9]),
)
def test_sample_of_text_takes_whole_documents_by_where_they_begin(
    texts: list[bytes], block_bytes: int, seed: int, sample: float
) -> None:
    selection = Selection(sample=sample, seed=seed)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.txt")
        path.write_bytes(b"||".join(texts))
        found = read(path, selection, block_bytes=block_bytes, document_separator=b"||")
    chosen = selection.chooser("a.txt")
    assert chosen is not None
    begins = [sum(len(text) + 2 for text in texts[:number]) for number in range(len(texts) or 1)]
    assert found == [text for text, begin in zip(texts or [b""], begins, strict=True) if chosen(begin)]


def limited_texts(texts: list[bytes], limit: int) -> list[bytes]:
    """The definition: whole documents in order, until one does not fit."""
    kept: list[bytes] = []
    for text in texts:
        if sum(map(len, kept)) + len(text) > limit:
            break
        kept.append(text)
    return kept


@given(
    files=st.lists(st.lists(st.sampled_from([b"", b"a", b"bbb", b"c" * 25]), min_size=1), min_size=1, max_size=3),
    limit=st.integers(25, 120),
    block_bytes=st.integers(1, 40),
    suffix=st.sampled_from([".txt", ".jsonl"]),
)
def test_limit_takes_whole_documents_until_one_does_not_fit(
    files: list[list[bytes]], limit: int, block_bytes: int, suffix: str
) -> None:
    with TemporaryDirectory() as folder:
        for number, texts in enumerate(files):
            Path(folder, f"{number}{suffix}").write_bytes(b"||".join(texts) if suffix == ".txt" else jsonl(texts))
        selection = Selection(limits={"": limit})
        found = read(Path(folder), selection, block_bytes=block_bytes, document_separator=b"||", split_bytes=1)
    assert found == limited_texts([text for texts in files for text in texts], limit)


def test_limit_holds_for_the_sample(lines: Path) -> None:
    found = read(lines, Selection(sample=0.3, seed=1, limits={"": 200}))
    assert found == limited_texts(read(lines, Selection(sample=0.3, seed=1)), 200)


@pytest.mark.parametrize("block_bytes", [3, 1000])
def test_first_document_that_does_not_fit_is_refused(tmp_path: Path, block_bytes: int) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 100)
    with pytest.raises(CorpusError, match=r"a\.txt': its first document is longer than .* '', 99 bytes\. Raise"):
        read(tmp_path, Selection(limits={"": 99}), block_bytes=block_bytes)
    assert read(tmp_path, Selection(limits={"": 100}), block_bytes=block_bytes) == [b"x" * 100]


def test_what_is_damaged_is_counted_once_when_documents_are_measured(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"the cat", compresslevel=0)[:-9])
    skipped = SkippedRecords()
    found = read(tmp_path, Selection(limits={"": 50}), block_bytes=2, on_error="skip", skipped=skipped)
    assert found == [b"the ca"]
    assert skipped.n_skipped == 1


def test_selection_comes_back_from_json() -> None:
    selection = Selection(sample=0.5, seed=2**64 - 1, limits={"zh": 5, "en": 7})
    assert Selection.from_json(json.loads(json.dumps(selection.to_json()))) == selection
    assert hash(selection) == hash(Selection(sample=0.5, seed=2**64 - 1))


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"sample": 0}, r"sample 0: is no share of documents\. Use"),
        ({"sample": 1.01}, r"sample 1\.01: is no share"),
        ({"sample": float("nan")}, r"sample nan: is no share"),
        ({"sample": True}, r"sample True: is no share"),
        ({"sample": "1"}, r"sample '1': is no share"),
        ({"seed": -1}, r"seed -1: is no seed\. Use"),
        ({"seed": 2**64}, r"seed 18446744073709551616: is no seed"),
        ({"seed": 1.0}, r"seed 1\.0: is no seed"),
        ({"limits": {"en": 0}}, r"limits: 'en': 0 is no limit of a group\. Use"),
        ({"limits": {"en": 1.5}}, r"limits: 'en': 1\.5 is no limit"),
    ],
)
def test_selection_that_cannot_be_is_refused(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(CorpusError, match=what):
        Selection(**arguments)
