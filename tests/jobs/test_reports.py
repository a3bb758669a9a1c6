"""Reports of small runs say what happened in them: counts are checked against the run, not against the page."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from tokenloom.errors import StorageError
from tokenloom.jobs.measure import Stage
from tokenloom.jobs.reports import (
    SourceTokens,
    demo_page,
    encode_page,
    sampled_bytes_per_token,
    train_page,
    write_report,
)
from tokenloom.jobs.train import train_with_record
from tokenloom.report import Page
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import BpeOptions

TEXT = "the cat in the hat, 2nd hat: don't </script> 你好你们 " * 20
END = "<|end|>"


class Step(NamedTuple):
    left: bytes
    right: bytes
    n_pairs: int
    n_tokens: int
    n_tied: int


@dataclass(frozen=True)
class Skipped:
    n_skipped: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Record:
    options: BpeOptions
    steps: Sequence[Step]
    n_bytes: int


@dataclass(frozen=True)
class Training:
    """What `train_corpus` returns, as far as a report reads it."""

    tokenizer: Tokenizer
    training: Record
    stages: Sequence[Stage]
    sources: Sequence[Any]
    growth: Sequence[tuple[int, int]]
    n_pretokens: int
    skipped: Any


@dataclass(frozen=True)
class FileRow:
    name: str
    n_text_bytes: int
    n_docs: int


@dataclass(frozen=True)
class Header:
    dtype: str
    vocabulary_size: int
    n_docs: int
    n_tokens: int
    n_text_bytes: int
    special_text: str
    sources: Sequence[FileRow]
    shards: Mapping[str, int]


@dataclass(frozen=True)
class Shards:
    """An opened folder of shards, as far as a report reads it."""

    folder: Path
    header: Header
    arrays: Sequence[NDArray[Any]]
    starts: NDArray[np.int64]
    made_by: Tokenizer

    def tokenizer(self) -> Tokenizer:
        return self.made_by


@dataclass(frozen=True)
class Encoding:
    """What `encode_corpus` returns, as far as a report reads it."""

    shards: Shards
    stages: Sequence[Stage]
    skipped: Any
    n_special_tokens: Mapping[str, int]
    was_complete: bool = False
    n_resumed_tokens: int = 0


@cache
def training_of(text: str = TEXT, vocab_size: int = 289) -> Training:
    """A small training; merges whose count equals that of the next one are taken for ties."""
    found = train_with_record([text], BpeOptions(vocab_size, [END]))
    counts = [step.n_pairs for step in found.steps] + [0]
    steps = [
        Step(step.left, step.right, step.n_pairs, step.n_tokens, int(step.n_pairs == counts[place + 1]))
        for place, step in enumerate(found.steps)
    ]
    return Training(
        tokenizer=Tokenizer.from_spec(found.spec),
        training=Record(found.options, steps, found.n_bytes),
        stages=[Stage("count", found.n_bytes, 0.5, 50_000_000), Stage("merge", 0, 0.25, 80_000_000)],
        sources=["a.txt"],
        growth=[(1000, 10), (2000, 15), (3000, 17)],
        n_pretokens=17,
        skipped=Skipped(),
    )


def encoding_of(
    folder: Path, files: Mapping[str, Sequence[str]], *, dtype: str = "uint16", seconds: float = 2.0
) -> Encoding:
    """Documents by file, encoded into one shard."""
    tokenizer = training_of().tokenizer
    batch = tokenizer.encode_batch([text for texts in files.values() for text in texts], disallowed_special=())
    array = batch.ids.astype(dtype)
    np.save(folder / "tokens-00000.npy", array)
    for name in ("documents.npy", "tokenizer.tloom", "manifest.json"):
        (folder / name).write_bytes(bytes(1000))
    rows = [FileRow(name, sum(len(text.encode()) for text in texts), len(texts)) for name, texts in files.items()]
    n_text_bytes = sum(row.n_text_bytes for row in rows)
    shards = {"tokens-00000.npy": len(array)} if len(array) else {}
    header = Header(dtype, len(tokenizer), len(batch), len(array), n_text_bytes, "plain", rows, shards)
    found = Shards(folder, header, [array], batch.starts, tokenizer)
    return Encoding(found, [Stage("encode", 200_000_000, seconds, 90_000_000)], Skipped(), {})


@pytest.fixture
def encoding(tmp_path: Path) -> Encoding:
    return encoding_of(tmp_path, {"a.txt": ["the cat", "", "in the hat"], "b.txt": ["你好 the hat the hat"]})


def words(page: Page) -> str:
    """The text of a page without markup, blanks collapsed; a cell ends with a bar."""
    html = re.sub(r"<style>.*?</style>", "", page.html(), flags=re.DOTALL)
    html = re.sub(r"</(?:td|th|dd|dt|li|p|h1|h2|caption|figcaption|title|text)>", " | ", html)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html))


def test_training_report_has_the_parts_that_the_user_asks_about() -> None:
    html = train_page(training_of()).html()
    assert re.findall(r"<h2[^>]*>([^<]+)<", html) == [
        "Summary", "Text", "Vocabulary", "Merges", "Ties", "Time and memory",
    ]  # fmt: skip
    for title in ("Longest tokens", "Token length in bytes", "half-character tokens", "cross-class tokens"):
        assert title in html
    assert "Distinct pretokens against bytes read" in html


def test_training_report_counts_the_vocabulary() -> None:
    text = words(train_page(training_of()))
    assert "Vocabulary | 289 | 256 bytes, 32 merges, 1 special token |" in text
    assert "Distinct pretokens | 17 |" in text


def test_half_and_cross_class_tokens_are_counted_among_the_learned_ones() -> None:
    tokenizer = Tokenizer({**{n: bytes([n]) for n in range(256)}, 256: b"\xe4\xbd", 257: b" \xe4\xbd", 258: b"ab"}, [])
    vocabulary = {**tokenizer.vocabulary, 259: b"a."}
    run = replace(training_of(), tokenizer=Tokenizer(vocabulary, []))
    text = words(train_page(run))
    assert "Half-character tokens | 2 | 50.0 % of these |" in text
    assert "Cross-class tokens | 1 | 25.0 % of these |" in text
    assert "All half-character tokens, with their ids | E4BD256 | ␣E4BD257 |" in text


def test_first_merges_stand_with_their_counts() -> None:
    run = training_of()
    first = run.training.steps[0]
    cells = re.search(r"First 30 merges \|.*?\| 1 \| (.*?) \| 2 \|", words(train_page(run)))
    assert cells is not None
    assert cells[1].endswith(f"{first.n_tokens:,} | {first.n_pairs:,}")


def test_ties_are_counted_and_the_rule_is_named() -> None:
    run = training_of()
    n_tied = sum(step.n_tied > 0 for step in run.training.steps)
    text = words(train_page(run))
    assert n_tied
    assert f"Merges with ties | {n_tied:,} |" in text
    assert "The rule of this training is 'lexicographic'" in text.replace("&#x27;", "'")


def test_training_without_ties_shows_no_empty_chart() -> None:
    run = training_of()
    steps = [step._replace(n_tied=0) for step in run.training.steps]
    text = words(train_page(replace(run, training=replace(run.training, steps=steps))))
    assert "Merges with ties | 0 | 0 % of all merges |" in text
    assert "Where ties were met" not in text


@pytest.mark.parametrize("growth", [[], [(10, 1)], [(10, 1), (10, 1)], [(0, 0), (10, 0)]], ids=str)
def test_growth_of_any_length_can_be_drawn(growth: list[tuple[int, int]]) -> None:
    assert train_page(replace(training_of(), growth=growth)).html()


@pytest.mark.filterwarnings("ignore::tokenloom.TrainingWarning")
def test_training_on_nothing_has_a_report() -> None:
    text = words(train_page(replace(training_of("", 289), growth=[], n_pretokens=0)))
    assert "No merge was made" in text
    assert "Tokens of more than one byte | 0 |" in text


@pytest.mark.filterwarnings("ignore::tokenloom.TrainingWarning")
def test_training_with_fewer_merges_than_asked_for_says_so() -> None:
    assert "of 743 asked for; the text has no more" in words(train_page(training_of("the cat", 1000)))


def test_tokens_of_a_hostile_corpus_stay_text() -> None:
    hostile = "</script><script>alert(1)</script> \u202e\x00 " * 50
    html = train_page(training_of(hostile, 274)).html()
    assert "<script" not in html
    assert "\u202e" not in html
    assert "&lt;/" in html


def test_sampled_sources_are_listed_and_others_counted() -> None:
    run = replace(training_of(), sources=["a", "b", "c"])
    text = words(train_page(run, sampled=[SourceTokens("a.txt", 1000, 250), SourceTokens("b.txt", 3000, 1000)]))
    assert "b.txt | 3.00 | 3.00 kB | 1,000 | a.txt | 4.00 | 1.00 kB | 250 |" in text
    assert "1 smaller source not sampled." in text


def test_more_than_twenty_sources_are_put_together() -> None:
    sampled = [SourceTokens(f"{n:02}.txt", 1000 + n, 100) for n in range(25)]
    text = words(train_page(replace(training_of(), sources=range(25)), sampled=sampled))
    assert "24.txt |" in text
    assert "04.txt |" not in text
    assert "5 smaller sources together | 10.0 | 5.01 kB | 500 |" in text


@dataclass(frozen=True)
class SizedSource:
    name: str
    n_file_bytes: int


@dataclass(frozen=True)
class Texts:
    texts: list[bytes]


def reader(blocks: Mapping[str, list[Texts]]) -> Callable[[SizedSource], list[Texts]]:
    return lambda source: blocks[source.name]


def test_sample_of_a_source_is_its_beginning() -> None:
    tokenizer = training_of().tokenizer
    read = reader({"a": [Texts([b"the ", b"cat"]), Texts([b" in the hat"])]})
    assert sampled_bytes_per_token(tokenizer, [SizedSource("a", 9)], read, sample_bytes=9) == [
        SourceTokens("a", 9, sum(len(tokenizer.encode(part)) for part in ("the ", "cat", " i")))
    ]


def test_largest_sources_are_sampled_in_their_order() -> None:
    sources = [SizedSource(str(n), n) for n in range(30)]
    read = reader({source.name: [Texts([b"x"])] for source in sources})
    sampled = sampled_bytes_per_token(training_of().tokenizer, sources, read)
    assert [row.name for row in sampled] == [str(n) for n in range(10, 30)]


def test_special_token_in_a_sample_is_one_token() -> None:
    read = reader({"a": [Texts([END.encode()])]})
    assert sampled_bytes_per_token(training_of().tokenizer, [SizedSource("a", 7)], read) == [SourceTokens("a", 7, 1)]


def test_encoding_report_counts_documents_tokens_and_files(encoding: Encoding) -> None:
    header = encoding.shards.header
    size = 3000 + (encoding.shards.folder / "tokens-00000.npy").stat().st_size
    text = words(encode_page(encoding, n_threads=2))
    assert f"Documents | 4 | Tokens | {header.n_tokens:,} | as uint16 |" in text
    assert f"On the disk | {size / 1000:.2f} kB | 1 shard |" in text


def test_bytes_per_token_by_source_come_from_document_borders(encoding: Encoding) -> None:
    tokenizer = training_of().tokenizer
    n_tokens = sum(len(tokenizer.encode(text)) for text in ("the cat", "in the hat"))
    assert f"a.txt | {17 / n_tokens:.2f} | 17 B | {n_tokens} |" in words(encode_page(encoding))


def test_document_lengths_are_binned_by_powers_of_two(encoding: Encoding) -> None:
    lengths = np.diff(encoding.shards.starts).tolist()
    text = words(encode_page(encoding))
    assert f"Longest | {max(lengths)} tokens |" in text
    assert "1 document without a token" in text
    assert "0 | 1 | 1 | 0 | 2 to 3 |" in text


def test_unused_and_most_frequent_tokens_are_found(encoding: Encoding) -> None:
    ids = encoding.shards.arrays[0].tolist()
    text = words(encode_page(encoding))
    assert f"Tokens used | {len(set(ids))} |" in text
    assert f"Unused tokens | {len(encoding.shards.tokenizer()) - len(set(ids))} |" in text


@pytest.mark.parametrize(
    ("dtype", "vocabulary_size", "why"),
    [
        ("uint16", 65_536, "which is enough for a vocabulary of at most 65,536 ids; this one has 65,536."),
        ("uint32", 65_537, "uint16 is enough for a vocabulary of at most 65,536 ids; this one has 65,537."),
        ("uint32", 300, "as asked for: uint16, which takes half the disk, is enough"),
    ],
)
def test_type_of_the_ids_is_explained(tmp_path: Path, dtype: str, vocabulary_size: int, why: str) -> None:
    run = encoding_of(tmp_path, {"a.txt": ["the cat"]}, dtype=dtype)
    header = replace(run.shards.header, vocabulary_size=vocabulary_size)
    assert why in words(encode_page(replace(run, shards=replace(run.shards, header=header))))


@pytest.mark.parametrize(("special_text", "how"), [("plain", "as ordinary text"), ("parse", "as one token each")])
def test_special_tokens_in_the_text_are_reported(encoding: Encoding, special_text: str, how: str) -> None:
    header = replace(encoding.shards.header, special_text=special_text)
    run = replace(encoding, shards=replace(encoding.shards, header=header), n_special_tokens={END: 3, "<|no|>": 0})
    text = words(encode_page(run))
    assert f"Special tokens in the text, read {how} |" in text
    assert "&lt;|end|&gt; | 3 |" in text
    assert "no|" not in text.partition("Special tokens in the text")[2].partition("Files")[0]


def test_time_for_the_pile_follows_from_the_rate(encoding: Encoding) -> None:
    text = words(encode_page(encoding, n_threads=2))  # 200 MB in 2 s: 825 GB take 8,250 s on 2 cores
    assert "this run, 2 threads | 100 MB/s | 2.3 h |" in text
    assert "1 core | 50.0 MB/s | 4.6 h | 8 cores | 400 MB/s | 0.57 h | 64 cores | 3.20 GB/s | 0.07 h |" in text
    assert "An estimate, not a measurement" in text


def test_rate_of_a_short_run_is_called_rough(tmp_path: Path) -> None:
    run = encoding_of(tmp_path, {"a.txt": ["the cat"]}, seconds=0.1)
    assert "The stage took only 0.100 s, so the rate is rough." in words(encode_page(run))


def test_skipped_records_are_listed(encoding: Encoding) -> None:
    skipped = Skipped(30, [f"a.jsonl, line {n}: no JSON" for n in range(25)])
    text = words(encode_page(replace(encoding, skipped=skipped)))
    assert "Records left out | 30 | because they are broken |" in text
    assert "a.jsonl, line 19: no JSON | and 10 more |" in text


def test_resumed_and_complete_folders_are_named(encoding: Encoding) -> None:
    assert "which had written 1,234 tokens" in words(encode_page(replace(encoding, n_resumed_tokens=1234)))
    complete = replace(encoding, was_complete=True, stages=[])
    assert "nothing was encoded in this run" in words(encode_page(complete))


@pytest.mark.parametrize("files", [{}, {"a.txt": []}, {"a.txt": [""]}], ids=str)
def test_encoding_of_nothing_has_a_report(tmp_path: Path, files: Mapping[str, Sequence[str]]) -> None:
    assert "Tokens used | 0 |" in words(encode_page(encoding_of(tmp_path, files)))


def test_demonstration_shows_training_and_encoding(encoding: Encoding) -> None:
    html = demo_page(training_of(), encoding, source="a test").html()
    for title in ("Tokenizer", "Token shards", "Vocabulary", "Documents", "Merges", "Files", "Time and memory"):
        assert f">{title}<" in html
    assert "A tokenizer and token shards from a test" in html


def test_report_is_written_whole_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    page = train_page(training_of())
    write_report(page, path)
    assert path.read_bytes().decode() == page.html()
    assert list(tmp_path.iterdir()) == [path]


def test_report_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"cannot be written"):
        write_report(train_page(training_of()), tmp_path / "missing" / "report.html")
