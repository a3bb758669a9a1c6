"""From files to shards and back: what a run writes, and what it refuses."""

import errno
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenloom
from tests.strategies import bytes_texts
from tokenloom import CorpusError, EncodeError, SpecialTokenError, StorageError, Tokenizer
from tokenloom.corpus import DocumentOptions, Source, read_source
from tokenloom.jobs.decode import decode_shards, restore_sources
from tokenloom.jobs.encode import EncodeOptions, EncodeRun, encode_corpus
from tokenloom.shards import ShardSet
from tokenloom.tokenizer import DocumentEncoder

END = "<|end|>"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return tokenloom.train(["the cat in the hat"], 264, [END, "<|begin|>"])


def encoded(
    folder: Path, tokenizer: Tokenizer, data: bytes, *, documents: DocumentOptions | None = None, **options: object
) -> ShardSet:
    """Encode one file of text."""
    (folder / "corpus.txt").write_bytes(data)
    options_ = EncodeOptions(**options)  # type: ignore[arg-type]
    out = folder / "shards"
    return encode_corpus(
        [folder / "corpus.txt"],
        tokenizer=tokenizer,
        out=out,
        documents=documents or DocumentOptions(),
        options=options_,
    ).shards


def decoded(shards: ShardSet) -> bytes:
    out = io.BytesIO()
    decode_shards(shards, out=out)
    return out.getvalue()


@given(
    data=bytes_texts,
    separator=st.sampled_from([None, b"\n", b"\r\n", b"<|end|>", b"aa", b"\xe2\x80\xa8"]),
    shard_tokens=st.integers(1, 40),
    edges=st.tuples(st.sampled_from([None, END, "<|begin|>"]), st.sampled_from([None, END])),
)
def test_file_comes_back_byte_for_byte(
    tokenizer: Tokenizer,
    tmp_path_factory: pytest.TempPathFactory,
    data: bytes,
    separator: bytes | None,
    shard_tokens: int,
    edges: tuple[str | None, str | None],
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    shards = encoded(
        folder,
        tokenizer,
        data or b"x",
        documents=DocumentOptions(document_separator=separator, compression="none"),
        shard_tokens=shard_tokens,
        begin_of_document=edges[0],
        end_of_document=edges[1],
    )
    assert decoded(shards) == (data or b"x")
    texts = (data or b"x").split(separator) if separator else [data or b"x"]
    begin, end = ([tokenizer.special_tokens[edge]] if edge else [] for edge in edges)
    ids = [[*begin, *tokenizer.encode(text, disallowed_special=()), *end] for text in texts]
    assert [document.tolist() for document in shards] == ids


def test_documents_without_tokens_are_kept(tokenizer: Tokenizer, tmp_path: Path) -> None:
    shards = encoded(tmp_path, tokenizer, b"|a|   |", documents=DocumentOptions(document_separator=b"|"))
    assert [tokenizer.decode(ids) for ids in shards] == ["", "a", "   ", ""]


def test_begin_and_end_tokens_are_both_put(tokenizer: Tokenizer, tmp_path: Path) -> None:
    shards = encoded(tmp_path, tokenizer, b"hi", begin_of_document="<|begin|>", end_of_document=END)
    ids = tokenizer.special_tokens
    assert shards[0].tolist() == [ids["<|begin|>"], *tokenizer.encode("hi"), ids[END]]


def test_equal_documents_are_both_written(tokenizer: Tokenizer, tmp_path: Path) -> None:
    shards = encoded(tmp_path, tokenizer, b"the|the", documents=DocumentOptions(document_separator=b"|"))
    assert [tokenizer.decode(ids) for ids in shards] == ["the", "the"]


def test_last_line_without_a_line_end_is_a_text_of_its_own(tokenizer: Tokenizer, tmp_path: Path) -> None:
    for name, data in (("a.txt", b"the cat"), ("b.txt", b"the cat\n")):
        (tmp_path / name).write_bytes(data)
    run = encode_corpus([tmp_path], tokenizer=tokenizer, out=tmp_path / "out")
    assert [ids.tolist() for ids in run.shards] == [tokenizer.encode("the cat"), tokenizer.encode("the cat\n")]


def test_end_token_in_a_text_is_no_border(tokenizer: Tokenizer, tmp_path: Path) -> None:
    shards = encoded(tmp_path, tokenizer, b"a<|end|>b", special_text="parse", end_of_document=END)
    assert len(shards) == 1
    assert shards[0].tolist().count(tokenizer.special_tokens[END]) == 2
    assert decoded(shards) == b"a<|end|>b"


def test_special_tokens_in_text_are_plain_and_counted(tokenizer: Tokenizer, tmp_path: Path) -> None:
    shards = encoded(tmp_path, tokenizer, b"a<|end|>b<|end|>")
    assert shards.header.n_special_tokens == {END: 2}
    assert tokenizer.special_tokens[END] not in shards[0]


def test_records_come_back_as_lines_with_their_field(tokenizer: Tokenizer, tmp_path: Path) -> None:
    texts = ["the cat", "", "in\r\n\u2028\x0c the", "h\u00e4t"]
    lines = [json.dumps({"id": i, "body": text}) for i, text in enumerate(texts)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    documents = DocumentOptions(text_field="body")
    run = encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out", documents=documents)
    assert [tokenizer.decode(ids) for ids in run.shards] == texts
    assert [json.loads(line) for line in decoded(run.shards).splitlines()] == [{"body": text} for text in texts]


def test_files_of_a_folder_are_restored_under_their_names(tokenizer: Tokenizer, tmp_path: Path) -> None:
    contents = {"a.txt": b"the cat", "sub/b.txt": b"", "sub/c": b"\xff\r\n|hat|"}
    for name, data in contents.items():
        (tmp_path / "corpus" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "corpus" / name).write_bytes(data)
    documents = DocumentOptions(document_separator=b"|")
    run = encode_corpus([tmp_path / "corpus"], tokenizer=tokenizer, out=tmp_path / "out", documents=documents)
    restore_sources(run.shards, out=tmp_path / "again")
    files = {path.relative_to(tmp_path / "again").as_posix(): path for path in (tmp_path / "again").rglob("*")}
    assert {name: path.read_bytes() for name, path in files.items() if path.is_file()} == contents
    assert [(row.name, row.n_docs) for row in run.shards.header.sources] == [
        ("a.txt", 1),
        ("sub/b.txt", 1),
        ("sub/c", 3),
    ]


def test_existing_files_are_not_overwritten(tokenizer: Tokenizer, tmp_path: Path) -> None:
    shards = encoded(tmp_path, tokenizer, b"the cat")
    with pytest.raises(StorageError, match=r"corpus\.txt': exists already"):
        restore_sources(shards, out=tmp_path)


def test_broken_records_are_skipped_counted_and_listed(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the"}\n{"text": 3}\nnothing\n{"text": "cat"}\n')
    documents = DocumentOptions(on_error="skip")
    run = encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out", documents=documents)
    assert [tokenizer.decode(ids) for ids in run.shards] == ["the", "cat"]
    assert run.skipped.n_skipped == run.shards.header.sources[0].n_skipped == 2
    assert ["line 2" in run.skipped.examples[0], "line 3" in run.skipped.examples[1]] == [True, True]


def test_broken_record_stops_the_run_with_its_place(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the"}\n{"body": "cat"}\n')
    with pytest.raises(CorpusError, match=r"a\.jsonl', line 2: .*'body'"):
        encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out")


def test_run_that_stopped_at_a_broken_record_goes_on_without_it(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the cat in the hat"}\n' * 900_000 + '{"body": 1}\n{"text": "cat"}\n')
    options = EncodeOptions(shard_tokens=1_000_000)
    arguments = {"tokenizer": tokenizer, "out": tmp_path / "out", "options": options}
    with pytest.raises(CorpusError, match="line 900001"):
        encode_corpus([tmp_path / "a.jsonl"], **arguments)  # type: ignore[arg-type]
    skip = DocumentOptions(on_error="skip")
    run = encode_corpus([tmp_path / "a.jsonl"], documents=skip, **arguments)  # type: ignore[arg-type]
    assert run.n_resumed_tokens >= 1_000_000
    assert (run.shards.n_docs, run.skipped.n_skipped) == (900_001, 1)


def test_run_that_left_nothing_gives_way_to_another(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": 1}\n{"text": "the"}\n')
    with pytest.raises(CorpusError):
        encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out")
    (tmp_path / "b.txt").write_text("the cat")
    run = encode_corpus([tmp_path / "b.txt"], tokenizer=tokenizer, out=tmp_path / "out")
    assert [source.name for source in run.shards.header.sources] == ["b.txt"]


def test_run_that_left_records_out_is_none_that_stops_there(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": 1}\n{"text": "the"}\n')
    skip = DocumentOptions(on_error="skip")
    encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out", documents=skip)
    with pytest.raises(StorageError, match="was written without 1 broken record"):
        encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out")
    again = encode_corpus([tmp_path / "a.jsonl"], tokenizer=tokenizer, out=tmp_path / "out", documents=skip)
    assert (again.was_complete, again.skipped.n_skipped) == (True, 1)


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
def test_empty_corpus_is_refused(tokenizer: Tokenizer, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"" if name == "a.txt" else b"\n\n")
    with pytest.raises(CorpusError, match="without a"):
        encode_corpus([tmp_path / name], tokenizer=tokenizer, out=tmp_path / "out")


def test_type_that_cannot_hold_the_vocabulary_is_refused() -> None:
    assert EncodeOptions(dtype="uint16").dtype_for(65_536) == "uint16"
    with pytest.raises(EncodeError, match=r"65,537 ids, and uint16 holds 65,536"):
        EncodeOptions(dtype="uint16").dtype_for(65_537)


def test_larger_type_can_be_asked_for(tokenizer: Tokenizer, tmp_path: Path) -> None:
    assert encoded(tmp_path, tokenizer, b"the cat", dtype="uint32").arrays[0].dtype == np.uint32


def test_vocabulary_over_65536_is_kept_in_four_bytes(tmp_path: Path) -> None:
    byte_tokens = {i: bytes([i]) for i in range(256)}
    tokenizer = Tokenizer(byte_tokens | {100_256: b"th"}, [(b"t", b"h")], pattern=None)
    shards = encoded(tmp_path, tokenizer, b"the")
    assert (shards.dtype, shards[0].tolist()) == ("uint32", [100_256, 101])


def test_unknown_edge_token_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(SpecialTokenError, match=r"end_of_document '<s>': is no special token.*'<\|end\|>'"):
        encoded(tmp_path, tokenizer, b"the", end_of_document="<s>")


@pytest.mark.parametrize("shard_tokens", [0, -1, 1.5, True])
def test_impossible_shard_is_refused(shard_tokens: object) -> None:
    with pytest.raises(EncodeError, match="must be a whole number from 1"):
        EncodeOptions(shard_tokens=shard_tokens)  # type: ignore[arg-type]


def run_again(folder: Path, tokenizer: Tokenizer, **options: object) -> EncodeRun:
    options_ = EncodeOptions(**options)  # type: ignore[arg-type]
    return encode_corpus([folder / "corpus.txt"], tokenizer=tokenizer, out=folder / "shards", options=options_)


def test_same_command_on_a_complete_folder_does_nothing(tokenizer: Tokenizer, tmp_path: Path) -> None:
    encoded(tmp_path, tokenizer, b"the cat")
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "shards").iterdir()}
    assert run_again(tmp_path, tokenizer).was_complete
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "shards").iterdir()} == before


def test_folder_of_another_run_is_refused_and_left_as_it_was(tokenizer: Tokenizer, tmp_path: Path) -> None:
    encoded(tmp_path, tokenizer, b"the cat")
    before = {path.name: path.read_bytes() for path in (tmp_path / "shards").iterdir()}
    with pytest.raises(StorageError, match="it was begun with shard_tokens 100000000, and is now asked for 7"):
        run_again(tmp_path, tokenizer, shard_tokens=7)
    assert {path.name: path.read_bytes() for path in (tmp_path / "shards").iterdir()} == before


def test_corpus_that_has_changed_is_another_run(tokenizer: Tokenizer, tmp_path: Path) -> None:
    encoded(tmp_path, tokenizer, b"the cat")
    (tmp_path / "corpus.txt").write_bytes(b"the cap")
    os.utime(tmp_path / "corpus.txt", ns=(1, 1))
    with pytest.raises(StorageError, match=r"another corpus \('corpus\.txt' is new, gone or changed\)"):
        run_again(tmp_path, tokenizer)


def test_corpus_that_grows_under_way_is_refused(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "corpus.txt").write_bytes(b"the cat")

    def growing(source: Source, *arguments: Any, **options: Any) -> Any:
        with Path(source.path).open("ab") as file:
            file.write(b" sat")
        return read_source(source, *arguments, **options)

    monkeypatch.setattr("tokenloom.jobs.reading.read_source", growing)
    with pytest.raises(CorpusError, match=r"corpus\.txt': had 7 bytes at first, and has changed since"):
        run_again(tmp_path, tokenizer)
    assert not (tmp_path / "shards" / "manifest.json").exists()


def test_folder_with_other_files_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "thesis.txt").write_bytes(b"years of work")
    with pytest.raises(StorageError, match=r"it holds other files \(the first is 'thesis\.txt'\)"):
        encoded(tmp_path, tokenizer, b"the cat")


def test_tokenizer_folder_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "shards")
    with pytest.raises(StorageError, match="it holds other files"):
        encoded(tmp_path, tokenizer, b"the cat")


def test_folder_that_another_run_writes_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "shards").mkdir()
    descriptor = os.open(tmp_path / "shards", os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with pytest.raises(StorageError, match="another run is writing there"):
            encoded(tmp_path, tokenizer, b"the cat")
    finally:
        os.close(descriptor)


def test_full_disk_says_what_to_do_and_the_run_goes_on(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"the cat in the hat " * 40
    reference = encoded(tmp_path, tokenizer, data, shard_tokens=50)
    expected = {path.name: path.read_bytes() for path in reference.folder.iterdir() if path.name[0] != "."}
    second = tmp_path / "second"
    second.mkdir()
    real, n_calls = os.fsync, iter(range(1000))

    def full(descriptor: int) -> None:
        if next(n_calls) == 25:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    os.link(tmp_path / "corpus.txt", second / "corpus.txt")
    with pytest.raises(StorageError, match="No space left on device"):
        run_again(second, tokenizer, shard_tokens=50)
    assert not (second / "shards" / "manifest.json").exists()
    monkeypatch.undo()
    run = run_again(second, tokenizer, shard_tokens=50)
    assert 0 < run.n_resumed_tokens < run.shards.n_tokens
    assert {path.name: path.read_bytes() for path in run.folder.iterdir() if path.name[0] != "."} == expected


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_threads_change_no_byte(tokenizer: Tokenizer, tmp_path: Path, n_threads: int) -> None:
    data = " ".join(f"the {i} cat|" for i in range(200_000)).encode()
    (tmp_path / "corpus.txt").write_bytes(data)
    documents = DocumentOptions(document_separator=b"|")
    run = encode_corpus(
        [tmp_path / "corpus.txt"], tokenizer=tokenizer, out=tmp_path / "out", documents=documents, n_threads=n_threads
    )
    texts = data.split(b"|")
    batch = tokenizer.encode_batch(texts, n_threads=1)
    assert np.array_equal(run.shards.tokens(), batch.ids)
    assert np.array_equal(run.shards.starts, batch.starts)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells the peak of one process")
def test_memory_does_not_follow_the_corpus(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer")
    line = json.dumps({"text": "the cat in the hat " * 50}) + "\n"
    with (tmp_path / "a.jsonl").open("w") as file:
        for _ in range(100):
            file.write(line * 2000)  # 200 MB in all
    script = (
        "import tokenloom; from pathlib import Path; from tokenloom.jobs.encode import encode_corpus\n"
        "encode_corpus(['a.jsonl'], tokenizer=tokenloom.Tokenizer.load('tokenizer'), out='out')\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    peak = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(peak.stdout) < 180_000  # kB; an interpreter with numpy takes 60,000 of them


def test_progress_does_not_step_back_where_text_was_held(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The encoder tells, with a batch, also what it held of those before it."""
    feed, seen = DocumentEncoder.feed, list[int]()

    def feed_and_tell(self: DocumentEncoder, texts: Any, *, is_open: bool, progress: Callable[[int], object]) -> Any:
        progress(sum(map(len, texts)) + 7)
        return feed(self, texts, is_open=is_open)

    monkeypatch.setattr(DocumentEncoder, "feed", feed_and_tell)
    (tmp_path / "corpus.txt").write_bytes(b"the cat " * 5)
    encode_corpus(
        [tmp_path / "corpus.txt"],
        tokenizer=tokenizer,
        out=tmp_path / "shards",
        progress=lambda _stage, done, _of: seen.append(done),
    )
    assert seen == [40, 40]
