"""TR: training. Each test is a public report of a fault in other software; see its id.

More of them stand beside what they are about, in `tests/trainers/test_bpe_values.py`. TR-02 and TR-18 are about other
kinds of vocabularies than byte-level BPE: here their texts train one.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tokenloom import Tokenizer, TrainingWarning, _core, train
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import TieBreak, count_pretokens

GPT2 = Pretokenizer("gpt2")
every_tie_break = pytest.mark.parametrize("tie_break", ["lexicographic", "lowest-id", "first-seen"])


@every_tie_break
def test_a_text_of_nothing_but_ties_trains_one_tokenizer(tie_break: TieBreak) -> None:
    """TR-02."""
    text = "ab cd ef gh ij kl ax cx ex gx ix kx"
    fingerprints = {
        train([text], 256 + 12, tie_break=tie_break, n_threads=n_threads).spec.fingerprint
        for n_threads in (1, 2, 4)
        for _ in range(30)
    }
    assert len(fingerprints) == 1


def test_a_size_that_text_cannot_fill_ends_early_and_says_so() -> None:
    """TR-11: the sizes that no text can meet are in `tests/jobs/test_bad_input.py`."""
    with pytest.warns(TrainingWarning, match="vocab_size 1000: the corpus has only 2 merges.* has 258 tokens"):
        assert len(train(["a b c"], 1000)) == 258


def test_the_encoder_cuts_as_the_trainer_did(tmp_path: Path) -> None:
    """TR-16: `123` is learned where three digits are a pretoken, and never where one is."""
    train(["123 123 123"], 258, pattern="cl100k").save(tmp_path / "three")
    loaded = Tokenizer.load(tmp_path / "three")
    assert [loaded.token_bytes(token_id) for token_id in loaded.encode("123 1234")] == [b"123", b" ", b"123", b"4"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        train(["123 123 123"], 258, pattern=Pretokenizer("cl100k", digits=1)).save(tmp_path / "one")
    loaded = Tokenizer.load(tmp_path / "one")
    assert (len(loaded), loaded.pretokens("123")) == (256, [b"1", b"2", b"3"])


@every_tie_break
def test_a_word_of_a_million_letters_needs_less_than_a_gigabyte(tie_break: TieBreak) -> None:
    """TR-17: that it ends is in `tests/trainers/test_bpe_values.py`."""
    assert _core.Trainer.memory_bytes(1, 1_000_000, 2000 - 256, tie_break) < 10**9


@pytest.mark.parametrize("n_bytes", [0, 1, 10_000, 100_000, 1_000_000])
def test_text_of_four_letters_without_blanks_trains(n_bytes: int) -> None:
    """TR-18."""
    text = "".join(Random(0).choices("ACGT", k=n_bytes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        tokenizer = train([text], 300, pattern=None)
    assert len(tokenizer) == (300 if n_bytes > 1 else 256)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_places_beyond_16_bits_are_kept() -> None:
    """TR-19."""
    tokenizer = train(["a" * 70_000, "b c d"], 270)
    assert b"a" * 2**14 in tokenizer.vocabulary.values()
    assert tokenizer.count("a" * 70_000) == 4 + 5  # 4 * 2**14, and 4096 + 256 + 64 + 32 + 16


def test_no_line_is_dropped_for_its_length() -> None:
    """TR-20."""
    lines = ["hello world foo bar"] * 20 + ["\u2603" + "q" * 5000]
    counts = count_pretokens(lines, pretokenizer=GPT2)
    assert counts.n_bytes == sum(len(line.encode()) for line in lines)
    assert dict(counts.items())[b"q" * 5000] == 1


def test_nul_is_a_character_like_others() -> None:
    """TR-21."""
    counts = count_pretokens(["ab\x00cd ab ab cd"] * 20, pretokenizer=GPT2)
    assert dict(counts.items()) == {b"ab": 20, b"\x00": 20, b"cd": 20, b" ab": 40, b" cd": 20}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the peak of a while needs /proc")
def test_memory_follows_distinct_words_not_the_stream() -> None:
    """TR-22: a million lines of a thousand words in a generator, which is read once."""

    def lines() -> Iterator[str]:
        for i in range(1_000_000):
            yield f"w{i % 1000} w{i % 7}"

    Path("/proc/self/clear_refs").write_text("5")  # so that the peak is that of what follows
    before = memory_bytes("VmRSS:")
    counts = count_pretokens(lines(), pretokenizer=GPT2)
    assert memory_bytes("VmHWM:") - before < 20_000_000
    assert (len(counts), sum(count for _, count in counts.items())) == (2 + 1000, 4_000_000)


def memory_bytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
