"""Trainings whose result is known: worked by hand, from the lectures, or from faults of other trainers (TR-*)."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from tokenloom import SpecError, Tokenizer, TrainingError, TrainingWarning, _core, train, train_bpe
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import (
    BpeOptions,
    MergeStep,
    Pattern,
    TieBreak,
    count_pretokens,
    pretoken_counts,
    train_on_counts,
)

THE_CAT = "the cat in the hat"
MARK = "<|endoftext|>"

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))


def steps_of(counts: dict[bytes, int], n_merges: int, tie_break: TieBreak = "first-seen") -> Sequence[MergeStep]:
    return train_on_counts(pretoken_counts(counts), BpeOptions(256 + n_merges, tie_break=tie_break)).steps


def text_steps(text: str, n_merges: int, tie_break: TieBreak = "lexicographic") -> Sequence[MergeStep]:
    """Steps of a text that is not pretokenized."""
    options = BpeOptions(256 + n_merges, pattern=None, tie_break=tie_break)
    return train_on_counts(count_pretokens([text], pretokenizer=options.pretokenizer), options).steps


def joined(steps: Sequence[MergeStep]) -> list[bytes]:
    return [step.left + step.right for step in steps]


def test_the_cat_in_the_hat_shrinks_from_18_to_12() -> None:
    steps = text_steps(THE_CAT, 3)
    assert joined(steps) == [b"th", b"the", b"the "]
    assert [len(THE_CAT), *(step.n_tokens for step in steps)] == [18, 16, 14, 12]


def test_the_quick_brown_fox_takes_16_tokens() -> None:
    tokenizer = train([THE_CAT], 259, pattern=None)
    assert (len(b"the quick brown fox"), tokenizer.count("the quick brown fox")) == (19, 16)


def test_aaabdaaabac_shrinks_to_5_tokens() -> None:
    steps = text_steps("aaabdaaabac", 3)
    assert joined(steps) == [b"aa", b"aaa", b"aaab"]
    assert [step.n_tokens for step in steps] == [9, 7, 5]


def test_cat_hat_cat_by_first_seen() -> None:
    steps = text_steps("cat hat cat", 3, "first-seen")
    assert [step[:3] for step in steps] == [(b"a", b"t", 3), (b"c", b"at", 2), (b"cat", b" ", 1)]


def test_lowest_is_low_and_est() -> None:
    counts = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
    training = train_on_counts(pretoken_counts(counts), BpeOptions(260, tie_break="first-seen"))
    assert [(step.left + step.right, step.n_pairs) for step in training.steps] == [
        (b"es", 9),
        (b"est", 9),
        (b"lo", 7),
        (b"low", 7),
    ]
    tokenizer = Tokenizer.from_spec(training.spec)
    assert [tokenizer.token_bytes(i) for i in tokenizer.encode("lowest")] == [b"low", b"est"]


def test_word_counts_of_cat_and_rat() -> None:
    steps = steps_of({b"cat": 90, b"catch": 50, b"rat": 80, b"rattle": 40}, 4)
    assert [(step.left + step.right, step.n_pairs) for step in steps] == [
        (b"at", 260),
        (b"cat", 140),
        (b"rat", 120),
        (b"catc", 50),
    ]


@pytest.mark.parametrize("text", ["mmmkkkvvvvuuuu", "kkkmmmuuuuvvvv"])
def test_merges_do_not_depend_on_where_equal_pairs_stand(text: str) -> None:
    """TR-01."""
    greatest, lowest = text_steps(text, 4), text_steps(text, 4, "lowest-id")
    assert (joined(greatest), [step.n_pairs for step in greatest]) == ([b"vv", b"uu", b"mm", b"kk"], [3, 3, 2, 2])
    assert joined(lowest) == [b"uu", b"vv", b"kk", b"mm"]


@every_tie_break
def test_files_are_the_same_in_every_process(tmp_path: Path, tie_break: TieBreak) -> None:
    """TR-02, TR-03: hash seeds, threads, and a file or an iterator."""
    (tmp_path / "corpus.txt").write_bytes(b"aa bb cc dd aa bb\n" * 5)
    code = (
        "import sys, tokenloom as t; path, tie, out, n = sys.argv[1:]; corpora = {'file': path, "
        "'iterator': iter([open(path, 'rb').read()])}; [t.train(c, 266, tie_break=tie, n_threads=int(n))"
        ".save(f'{out}-{name}') for name, c in corpora.items()]"
    )
    written = set()
    for seed in ("0", "1", "2"):
        out, environment = tmp_path / f"out{seed}", os.environ | {"PYTHONHASHSEED": seed}
        arguments = [str(tmp_path / "corpus.txt"), tie_break, str(out), str(1 + int(seed))]
        subprocess.run([sys.executable, "-c", code, *arguments], env=environment, check=True)
        for folder in (Path(f"{out}-file"), Path(f"{out}-iterator")):
            written.add(tuple((path.name, path.read_bytes()) for path in sorted(folder.iterdir())))
    assert len(written) == 1


@every_tie_break
def test_counts_beyond_32_bits_are_exact(tie_break: TieBreak) -> None:
    """TR-04."""
    steps = steps_of({b" " * 64 + b"z": 34_100_000}, 2, tie_break)
    assert [step[:3] for step in steps] == [(b" ", b" ", 2_148_300_000), (b"  ", b"  ", 1_057_100_000)]


def test_counts_beyond_64_bits_are_refused() -> None:
    with pytest.raises(TrainingError, match="the counts outgrow 64 bits"):
        steps_of({b"ab": 2**63, b"cd": 2**63}, 1)


def test_equal_pretokens_add_up_and_never_wrap_round() -> None:
    assert _core.PretokenCounts.from_pairs([(b"ab", 1), (b"cd", 5), (b"ab", 2)]).items() == [(b"ab", 3), (b"cd", 5)]
    with pytest.raises(TrainingError, match=r"with b'ab.*' the counts outgrow 64 bits"):
        _core.PretokenCounts.from_pairs([(b"ab", 2**63), (b"ab", 2**63)])


@every_tie_break
def test_a_pair_out_of_date_is_not_lost(tie_break: TieBreak) -> None:
    """TR-07."""
    counts = {b"pq": 1, b"pqr": 1, b"qrs": 1, b"qr": 1}
    with pytest.warns(TrainingWarning, match="only 4 merges"):
        training = train_on_counts(pretoken_counts(counts), BpeOptions(1256, tie_break=tie_break))
    assert training.steps[0][:3] == (b"q", b"r", 3)
    assert all(Tokenizer.from_spec(training.spec).count(word) == 1 for word in counts)


def test_overlaps_count_and_merging_goes_from_left_to_right() -> None:
    """TR-08."""
    assert steps_of({b"aaaaa": 1, b"bc": 3}, 1, "lexicographic")[0][:5] == (b"a", b"a", 4, 9, 0)
    tokenizer = train(["aaaaa"], 257)
    assert [tokenizer.token_bytes(i) for i in tokenizer.encode("aaaaa")] == [b"aa", b"aa", b"a"]


@pytest.mark.parametrize(("documents", "size"), [([], 256), ([""], 256), (["   "], 258), (["ab"], 257)])
def test_a_corpus_with_little_text_gives_what_it_has_and_says_so(documents: list[str], size: int) -> None:
    """TR-10, TR-11."""
    with pytest.warns(TrainingWarning, match=rf"the vocabulary has {size} tokens. Train on more text"):
        assert len(train(documents, 300)) == size


def test_carriage_returns_are_learned_and_come_back(tmp_path: Path) -> None:
    """TR-13."""
    path = tmp_path / "crlf.txt"
    path.write_bytes(b"k\r\nv\r\n" * 50)
    tokenizer = train(path, 257, pattern=None)
    assert tokenizer.merges == [(b"\r", b"\n")]
    assert tokenizer.decode(tokenizer.encode("k\r\nv")) == "k\r\nv"


@pytest.mark.parametrize("pattern", ["gpt2", None])
def test_text_of_a_special_token_teaches_nothing(pattern: None) -> None:
    """TR-14."""
    with pytest.warns(TrainingWarning):
        tokenizer = train([f"x{MARK}y "] * 50, 400, [MARK], pattern=pattern)
    assert tokenizer.merges == [(b"y", b" ")] if pattern is None else tokenizer.merges == []


def test_a_special_token_that_a_merge_makes_has_one_id() -> None:
    """TR-15: special tokens cut the text, so `ab` is no merge here, and ids have no hole."""
    with pytest.warns(TrainingWarning):
        tokenizer = train(["ab ab ab abc abc"], 300, ["ab"])
    assert sorted(tokenizer.vocabulary) == list(range(len(tokenizer)))
    assert [i for i, token in tokenizer.vocabulary.items() if token == b"ab"] == [tokenizer.special_tokens["ab"]]


def test_a_trained_tokenizer_carries_its_pattern(tmp_path: Path) -> None:
    """TR-16."""
    for pattern in ("gpt2", "none"):
        tokenizer = train(["1a 1a 1a"], 257, pattern=None if pattern == "none" else "gpt2")
        tokenizer.save(tmp_path / pattern)
        assert Tokenizer.load(tmp_path / pattern).spec.pretokenizer == Pretokenizer(pattern)


@every_tie_break
def test_a_word_of_a_million_letters_trains(tie_break: TieBreak) -> None:
    """TR-17, TR-18, TR-19: no cliff where text has no blanks."""
    letters = "".join(Random(0).choices("ACDEFGHIKLMNPQRSTVWY", k=1_000_000))
    assert len(train([letters], 2000, pattern=None, tie_break=tie_break)) == 2000


@pytest.mark.parametrize("unit", ["a", "ab"])
def test_a_run_of_a_million_letters_trains(unit: str) -> None:
    """Each merge doubles the token, so the rest of 1,000,000 = 244 * 4096 + 512 + 64 is two tokens."""
    steps = text_steps(unit * (1_000_000 // len(unit)), 12)
    assert [len(token) for token in joined(steps)] == [2**n for n in range(1, 13)]
    assert steps[-1].n_tokens == 244 + 2


def test_long_lines_and_nul_are_used() -> None:
    """TR-20, TR-21."""
    tokenizer = train(["\u2603" + "q" * 5000], 268)
    assert {b"q" * 2048, b"\xe2\x98"} < set(tokenizer.vocabulary.values())
    tokenizer = train(["ab\x00cd ab ab cd"] * 20, 257, pattern=None)
    assert tokenizer.decode(tokenizer.encode("ab\x00cd")) == "ab\x00cd"


def test_the_course_interface_gives_vocabulary_and_merges(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(f"low low{MARK}lower")
    vocab, merges = train_bpe(path, 260, [MARK])
    assert merges == [(b"o", b"w"), (b"l", b"ow"), (b"low", b"e")]
    assert (len(vocab), vocab[0], vocab[256], vocab[259]) == (260, b"\x00", b"ow", MARK.encode())


def test_a_few_long_merges_report_by_time() -> None:
    """Each merge visits millions of places: a report after so many merges would come once, at the end."""
    reports: list[tuple[str, int, int | None]] = []
    counts = pretoken_counts({b"abcdefghijklmnop" * 1_000_000: 1})
    train_on_counts(counts, BpeOptions(256 + 15), progress=lambda *report: reports.append(report))
    assert len(reports) > 2
    assert reports == sorted(reports, key=lambda report: report[1])
    assert reports[-1] == ("merge", 15, 15)


def test_an_exception_of_the_callback_ends_even_the_first_merge() -> None:
    def stop(stage: str, n_done: int, n_merges: int | None) -> None:
        raise KeyboardInterrupt(n_done)

    with pytest.raises(KeyboardInterrupt) as caught:
        train_on_counts(pretoken_counts({b"ab" * 20_000_000: 1}), BpeOptions(258), progress=stop)
    assert caught.value.args == (0,)


@pytest.mark.filterwarnings("ignore:.*saved without tokenizer.(json|tiktoken):tokenloom.errors.FormatWarning")
@pytest.mark.parametrize("pattern", ["o200k", Pretokenizer("custom", regex=r"\w+"), Pretokenizer("cl100k", digits=1)])
def test_every_pattern_can_be_trained_and_saved(tmp_path: Path, pattern: Pattern) -> None:
    tokenizer = train(["it's 123 words, and words"] * 9, 262, pattern=pattern)
    tokenizer.save(tmp_path / "t")
    loaded = Tokenizer.load(tmp_path / "t")
    assert loaded.spec == tokenizer.spec
    assert loaded.spec.pretokenizer == BpeOptions(262, pattern=pattern).pretokenizer
    assert loaded.encode("words 123") == tokenizer.encode("words 123")


def test_a_pattern_that_cannot_be_used_is_refused_before_reading() -> None:
    with pytest.raises(SpecError, match="cannot be used"):
        train(Path("absent"), 262, pattern=Pretokenizer("custom", regex="a("))
