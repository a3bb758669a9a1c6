"""Tokenizers whose merges are made again on counts, and records that are compared."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

import tokenloom
from tokenloom import BpeOptions, FormatError, FormatWarning, Tokenizer, TrainingError, open_record
from tokenloom.jobs.count_pretokens import count_corpus
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.train_counts import train_word_counts
from tokenloom.jobs.training import TrainingPlan
from tokenloom.jobs.verify_counts import verify_merges
from tokenloom.spec import Pretokenizer, Semantics, build_spec
from tokenloom.trainers import CharacterAlphabet, CountOptions, TieBreak, TrainingRecord
from tokenloom.trainers.character_alphabet import EndOfWord

TEXT = "the cat in the hat sat on the mat\nthe dog ate the cat<|end|>" * 20
OPTIONS = BpeOptions(275, ["<|end|>"])

unlike_others = pytest.mark.filterwarnings(f"ignore::{FormatWarning.__module__}.{FormatWarning.__name__}")
"""Saving says which files of others are not written."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer in `out`, its record `run.tlr`, its counts in `counts`, and counts of other texts."""
    folder = tmp_path_factory.mktemp("verified")
    for name, text in (("corpus", TEXT), ("other", TEXT + "dog ate " * 300), ("none", "xyz xyz")):
        (folder / f"{name}.txt").write_text(text)
        counted(folder / f"{name}.txt", folder / ("counts" if name == "corpus" else name))
    train_corpus([folder / "corpus.txt"], options=OPTIONS, out=folder / "out", record=folder / "run.tlr")
    return folder


def counted(corpus: Path, out: Path, options: BpeOptions = OPTIONS) -> None:
    counting = CountOptions(options.pretokenizer, options.special_tokens, has_positions=True)
    count_corpus([corpus], CountPlan(counting), out=out)


@pytest.mark.parametrize("tie_break", get_args(TieBreak))
def test_a_training_is_found_to_be_what_it_says(folder: Path, tie_break: TieBreak, tmp_path: Path) -> None:
    options = replace(OPTIONS, tie_break=tie_break, alphabet="gpt2")
    train_corpus(
        [folder / "corpus.txt"], options=options, out=tmp_path / "out", record=tmp_path / "run.tlr", n_reserved=2
    )
    calls: list[tuple[str, int, int | None]] = []
    found = verify_merges(
        tmp_path / "out",
        folder / "counts",
        record=tmp_path / "run.tlr",
        progress=lambda *call: calls.append(call),
    )
    assert (found.n_merges, found.tie_break, found.record) == (16, tie_break, tmp_path / "run.tlr")
    assert all(call[0] == "merge" and call[2] == 16 for call in calls)


def test_counts_without_rare_pretokens_are_those_that_were_trained_on(folder: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, vocab_size=262)
    record = tmp_path / "run.tlr"
    train_corpus([folder / "corpus.txt"], options=options, out=tmp_path / "out", record=record, min_count=25)
    assert verify_merges(tmp_path / "out", folder / "counts", record=record).n_merges == 5


def test_the_first_merge_that_the_rule_would_not_choose_is_named(folder: Path) -> None:
    message = (
        r"out': merge 2 joins b't' and b'h', .* 100 times, and the rule 'lexicographic' chooses b'o' and b'g', 320"
    )
    with pytest.raises(FormatError, match=message):
        verify_merges(folder / "out", folder / "other")


def test_a_merge_that_does_not_occur_is_named(folder: Path) -> None:
    with pytest.raises(FormatError, match=r"merge 1 joins b'a' and b't', which then stand side by side 0 times\. Name"):
        verify_merges(folder / "out", folder / "none")


def test_merges_of_another_library_have_only_to_occur(folder: Path) -> None:
    found = verify_merges(folder / "out" / "tokenizer.json", folder / "counts")
    assert (found.n_merges, found.tie_break) == (18, None)
    assert verify_merges(folder / "out" / "tokenizer.json", folder / "other").n_merges == 18
    with pytest.raises(FormatError, match=r"merge 1 joins b'a' and b't', which then stand side by side 0 times"):
        verify_merges(folder / "out" / "tokenizer.json", folder / "none")


@unlike_others
def test_merges_in_another_order_are_found(folder: Path, tmp_path: Path) -> None:
    tokenizer = Tokenizer.load(folder / "out")
    merges = tokenizer.merges
    at = next(n for n in range(1, len(merges)) if b"".join(merges[n - 1]) not in merges[n])
    merges[at - 1 : at + 1] = [merges[at], merges[at - 1]]
    swapped = Tokenizer(tokenizer.vocabulary, merges, ["<|end|>"])
    Tokenizer.from_spec(swapped.spec, provenance=tokenizer.provenance).save(tmp_path / "swapped")
    with pytest.raises(FormatError, match=f"swapped': merge {at:,} joins .* and the rule 'lexicographic' chooses"):
        verify_merges(tmp_path / "swapped", folder / "counts")


def one_more(record: TrainingRecord, column: str, row: int) -> TrainingRecord:
    """The record with a number that is greater by one."""
    numbers = list(record.columns[column])
    numbers[row] += 1
    return replace(record, columns={**record.columns, column: numbers})


@unlike_others
@pytest.mark.parametrize("has_record", [False, True])
def test_a_tokenizer_that_lost_its_last_merge_is_found(folder: Path, tmp_path: Path, *, has_record: bool) -> None:
    tokenizer = Tokenizer.load(folder / "out")
    shorter = tokenizer.truncated(274)
    assert len(shorter.merges) == 17
    Tokenizer.from_spec(shorter.spec, provenance=tokenizer.provenance).save(tmp_path / "shorter")
    record = folder / "run.tlr" if has_record else None
    message = "it is the record of another tokenizer" if has_record else "it has 17 merges, and its training made 18"
    with pytest.raises(FormatError, match=message):
        verify_merges(tmp_path / "shorter", folder / "counts", record=record)
    shorter.save(tmp_path / "said")
    assert verify_merges(tmp_path / "said", folder / "counts").n_merges == 17


@pytest.mark.parametrize("tie_break", get_args(TieBreak))
def test_a_training_on_word_counts_is_verified_on_them(tmp_path: Path, tie_break: TieBreak) -> None:
    words, record = tmp_path / "words.tsv", tmp_path / "run.tlr"
    words.write_text("low\t5\nlower\t2\nnewest\t6\nwidest\t3\nrare\t1\n")
    plan = TrainingPlan(BpeOptions(265, ["<|a|>"], pattern=None, tie_break=tie_break), min_count=2)
    train_word_counts(words, plan, out=tmp_path / "out", record=record)
    found = verify_merges(tmp_path / "out", words, record=record)
    assert (found.n_merges, found.counts) == (8, words)
    words.write_text("low\t5\nnewest\t6\nwidest\t1\n")
    with pytest.raises(FormatError, match=r"run\.tlr': it is the record of a training on other counts, .*words\.tsv"):
        verify_merges(tmp_path / "out", words, record=record)
    words.write_text("low 5\n")
    with pytest.raises(TrainingError, match=r"words\.tsv', line 1"):
        verify_merges(tmp_path / "out", words)


def test_counts_without_the_positions_of_the_rule_are_refused(folder: Path, tmp_path: Path) -> None:
    options = replace(OPTIONS, tie_break="first-seen")
    train_corpus([folder / "corpus.txt"], options=options, out=tmp_path / "out")
    counting = CountOptions(options.pretokenizer, options.special_tokens)
    count_corpus([folder / "corpus.txt"], CountPlan(counting), out=tmp_path / "counts")
    message = r"pretokens\.counts': it has no first positions, .*Count again with count-pretokens --positions"
    with pytest.raises(FormatError, match=message):
        verify_merges(tmp_path / "out", tmp_path / "counts")


def changed(folder: Path, tmp_path: Path, change: Callable[[TrainingRecord], TrainingRecord]) -> Path:
    change(open_record(folder / "run.tlr")).save(tmp_path / "changed.tlr")
    return tmp_path / "changed.tlr"


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("n_pairs", "its count"),
        ("n_tokens", "tokens left"),
        ("n_tied", "other pairs with that count"),
        ("n_runner_up_pairs", "the count of the runner-up"),
        ("runner_up_left", "the left id of the runner-up"),
    ],
)
def test_the_first_number_of_a_record_that_is_another_is_named(
    folder: Path, tmp_path: Path, column: str, words: str
) -> None:
    record = open_record(folder / "run.tlr")
    left, right, *_ = record.merge(5)
    number = record.columns[column][4]
    message = (
        f"changed.tlr': merge 5 joins {left!r} and {right!r}: recorded for {words} is {number + 1}, found {number}"
    )
    other = changed(folder, tmp_path, lambda record: one_more(record, column, 4))
    with pytest.raises(FormatError, match=message.replace(".", r"\.")):
        verify_merges(folder / "out", folder / "counts", record=other)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"tokenizer_fingerprint": "0"}, "it is the record of another tokenizer, '0'"),
        ({"counts_sha256": "0"}, "it is the record of a training on other counts, '0'"),
    ],
)
def test_the_record_of_another_training_is_refused(
    folder: Path, tmp_path: Path, header: dict[str, Any], message: str
) -> None:
    other = changed(folder, tmp_path, lambda record: replace(record, header=replace(record.header, **header)))
    with pytest.raises(FormatError, match=message):
        verify_merges(folder / "out", folder / "counts", record=other)


def test_a_record_with_fewer_merges_is_refused(folder: Path, tmp_path: Path) -> None:
    shorter = changed(
        folder,
        tmp_path,
        lambda record: replace(record, columns={name: column[:-1] for name, column in record.columns.items()}),
    )
    with pytest.raises(FormatError, match=r"it has 17 merges, the tokenizer 18\. Name the record"):
        verify_merges(folder / "out", folder / "counts", record=shorter)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (replace(OPTIONS, pattern="o200k"), r"its text was cut with pattern 'o200k', that of .* with 'gpt2'\. Name"),
        (replace(OPTIONS, special_tokens=()), r"its text was cut with special tokens \[\], .* with \['<\|end\|>'\]"),
    ],
)
def test_counts_that_were_cut_in_another_way_are_refused(
    folder: Path, tmp_path: Path, options: BpeOptions, message: str
) -> None:
    counted(folder / "corpus.txt", tmp_path / "counts", options)
    with pytest.raises(FormatError, match=message):
        verify_merges(folder / "out", tmp_path / "counts")


def test_a_tokenizer_without_a_list_of_merges_is_refused(folder: Path, tmp_path: Path) -> None:
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {256: b"th"}
    Tokenizer.from_spec(build_spec(vocabulary, [], ["<|end|>"], semantics="ranks")).save(tmp_path / "ranks")
    with pytest.raises(FormatError, match="it has no list of merges to make again"):
        verify_merges(tmp_path / "ranks", folder / "counts")


@unlike_others
def test_a_merge_before_the_one_that_makes_its_part_is_named(folder: Path, tmp_path: Path) -> None:
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {256: b"th", 257: b"the"}
    odd = tokenloom.Tokenizer(vocabulary, [(b"th", b"e"), (b"t", b"h")], ["<|end|>"], pattern=Pretokenizer("gpt2"))
    odd.save(tmp_path / "odd")
    with pytest.raises(FormatError, match="merge 1 joins b'th', which no merge before it makes"):
        verify_merges(tmp_path / "odd", folder / "counts")


@pytest.mark.parametrize(
    "limits",
    [
        {"min_pair_count": 80, "vocab_size": 260},
        {"max_token_bytes": 2, "vocab_size": 266},
        {"whole_characters": True},
        {"must_have": ["dog", " never"], "max_token_bytes": 6, "tie_break": "first-seen"},
    ],
)
def test_the_limits_of_a_training_are_part_of_its_rule(folder: Path, tmp_path: Path, limits: dict[str, Any]) -> None:
    record = tmp_path / "run.tlr"
    train_corpus([folder / "corpus.txt"], options=replace(OPTIONS, **limits), out=tmp_path / "out", record=record)
    assert verify_merges(tmp_path / "out", folder / "counts", record=record).n_merges >= 3
    with pytest.raises(FormatError, match=r"merge \d+ joins .* stand side by side"):
        verify_merges(tmp_path / "out", folder / "none")


def test_merges_that_are_not_those_of_the_must_have_tokens_are_found(folder: Path, tmp_path: Path) -> None:
    tokenizer = Tokenizer.load(folder / "out")
    options = {**tokenizer.provenance["options"], "must_have": ["zebra"]}
    Tokenizer.from_spec(tokenizer.spec, provenance={**tokenizer.provenance, "options": options}).save(
        tmp_path / "other"
    )
    with pytest.raises(FormatError, match="merge 1 does not join b'z' and b'e', as must-have tokens do"):
        verify_merges(tmp_path / "other", folder / "counts")


@unlike_others
@pytest.mark.parametrize("end_of_word", ["symbol", "glued"])
def test_merges_of_characters_are_made_again(folder: Path, tmp_path: Path, end_of_word: EndOfWord) -> None:
    characters = CharacterAlphabet(0.97, byte_fallback=True, end_of_word_suffix="</w>", end_of_word=end_of_word)
    options = replace(OPTIONS, vocab_size=290, characters=characters)
    record = tmp_path / "run.tlr"
    train_corpus([folder / "corpus.txt"], options=options, out=tmp_path / "out", record=record)
    found = verify_merges(tmp_path / "out", folder / "counts", record=record)
    assert (found.n_merges, found.tie_break) == (open_record(record).n_merges, "lexicographic")
    assert found.n_merges > 5
    with pytest.raises(FormatError, match="its characters are not the 4 that these counts give it"):
        verify_merges(tmp_path / "out", folder / "none")


@unlike_others
@pytest.mark.parametrize("semantics", ["merges", "ranks"])
def test_a_tokenizer_that_has_grown_is_verified_by_its_record(
    folder: Path, tmp_path: Path, semantics: Semantics
) -> None:
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {260: b"he", 261: b" the"}
    old = build_spec(vocabulary, [], ["<|end|>"], semantics=semantics, added_tokens=())
    options = BpeOptions.continued(old, 271)
    record = tmp_path / "run.tlr"
    train_corpus([folder / "corpus.txt"], options=options, out=tmp_path / "out", record=record, n_reserved=1)
    assert verify_merges(tmp_path / "out", folder / "counts", record=record).n_merges == 7
    with pytest.raises(FormatError, match=r"it has grown from another tokenizer, .*\. Add the record"):
        verify_merges(tmp_path / "out", folder / "counts")
    one_more(open_record(record), "n_tokens", 3).save(record)
    with pytest.raises(FormatError, match=r"merge 4 joins .*: recorded for tokens left is"):
        verify_merges(tmp_path / "out", folder / "counts", record=record)
