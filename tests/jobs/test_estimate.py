from pathlib import Path

import pytest

import tokenloom
from tokenloom import EncodeError, Tokenizer
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeOptions, encode_corpus
from tokenloom.jobs.estimate import estimate_encoding


@pytest.fixture
def tokenizer() -> Tokenizer:
    return tokenloom.train(["the cat in the hat"], 264)


def test_estimate_of_a_corpus_that_fits_the_sample_is_exact(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    for number in range(3):
        (tmp_path / "corpus" / f"{number}.txt").write_text("the cat|" * 100)
    documents = DocumentOptions(document_separator=b"|")
    estimate = estimate_encoding([tmp_path / "corpus"], tokenizer=tokenizer, documents=documents)
    run = encode_corpus([tmp_path / "corpus"], tokenizer=tokenizer, out=tmp_path / "out", documents=documents)
    assert (estimate.n_tokens, estimate.n_docs) == (run.shards.n_tokens, run.shards.n_docs)
    assert (estimate.n_files, estimate.n_text_bytes) == (3, 2100)
    assert estimate.seconds > 0


def test_estimate_of_a_large_file_reads_a_part_of_it(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "large.txt").write_text("the cat in the hat\n" * 2_000_000)
    estimate = estimate_encoding([tmp_path / "large.txt"], tokenizer=tokenizer)
    n_bytes = (tmp_path / "large.txt").stat().st_size
    assert estimate.n_sampled_bytes < n_bytes * 0.6
    assert estimate.n_text_bytes == pytest.approx(n_bytes, rel=0.01)
    assert estimate.n_docs == 1


def test_nothing_is_written(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat")
    estimate_encoding([tmp_path / "a.txt"], tokenizer=tokenizer)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_type_that_does_not_fit_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    byte_tokens = {i: bytes([i]) for i in range(256)}
    tokenizer = Tokenizer(byte_tokens | {65_536: b"th"}, [(b"t", b"h")])
    with pytest.raises(EncodeError, match="65,537 ids"):
        estimate_encoding([tmp_path], tokenizer=tokenizer, options=EncodeOptions(dtype="uint16"))
