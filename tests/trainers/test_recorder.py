"""The record of a training: what it says of every step, and its file."""

import copy
import dataclasses
import pickle
import warnings
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest

import tokenloom
from tests.golden.make_record_v1 import FILE as GOLDEN
from tests.golden.make_record_v1 import golden_record
from tests.strategies import random_corpus
from tokenloom.errors import CorpusError, FormatError, TrainingError, TrainingWarning
from tokenloom.lessons.byte_pair import choose_pair, count_pairs, merge_pair
from tokenloom.spec import Pretokenizer, Semantics, build_spec
from tokenloom.storage import encode_envelope, read_envelope
from tokenloom.trainers import (
    RECORD_KIND,
    BpeOptions,
    CharacterAlphabet,
    MergeJournal,
    MergeStep,
    TieBreak,
    TrainingRecord,
    count_pretokens,
    counts_checksum,
    open_record,
    pretoken_counts,
    record_training,
    train_on_counts,
)
from tokenloom.trainers.character_alphabet import EndOfWord

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))


def recorded(words: Mapping[bytes, int], *, n_merges: int, **options: Any) -> TrainingRecord:
    """The record of a training on words, however few merges there are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        asked = BpeOptions(256 + n_merges, **options)
        counts = pretoken_counts(words)
        training = train_on_counts(counts, asked, runner_up=True)
    return record_training(training, counts, tokenizer_fingerprint="f")


def words_of(random: Random, *, n_symbols: int) -> dict[bytes, int]:
    counts = count_pretokens([random_corpus(random, n_symbols=n_symbols)], pretokenizer=Pretokenizer("gpt2"))
    return dict(counts.items())


def recounted(words: Mapping[bytes, int], steps: Sequence[MergeStep], tie_break: TieBreak) -> list[MergeStep]:
    """The same merges with all that decided them, from a count of all pairs before each."""
    sequences = [([bytes([byte]) for byte in word], count) for word, count in words.items()]
    ids = {bytes([byte]): byte for byte in range(256)}
    found = []
    for step in steps:
        counts, pair = count_pairs(sequences), (step.left, step.right)
        sequences = [(merge_pair(tokens, pair), count) for tokens, count in sequences]
        n_pairs, n_tokens = counts.pop(pair), sum(len(tokens) * count for tokens, count in sequences)
        second = choose_pair(counts, tie_break=tie_break, ids=ids) if counts else None
        n_tied = sum(count == n_pairs for count in counts.values())
        found.append(MergeStep(*pair, n_pairs, n_tokens, n_tied, second, counts[second] if second else 0))
        ids[step.left + step.right] = len(ids)
    return found


@every_tie_break
@pytest.mark.parametrize("n_symbols", [2, 5, 100])
def test_a_record_says_what_a_recount_before_each_merge_finds(tie_break: TieBreak, n_symbols: int) -> None:
    random, n_seconds = Random(n_symbols), 0
    for _ in range(20):
        words = words_of(random, n_symbols=n_symbols)
        steps = list(recorded(words, n_merges=40, tie_break=tie_break).merges())
        assert steps == recounted(words, steps, tie_break), words
        n_seconds += sum(step.runner_up is not None for step in steps)
    assert n_seconds > 100


@every_tie_break
def test_a_training_that_goes_on_from_a_journal_has_the_record_of_one_that_was_never_stopped(
    tie_break: TieBreak, tmp_path: Path
) -> None:
    random = Random(5)
    for number, n_applied in enumerate([1, 2, 7, 30] * 4):
        counts = pretoken_counts(words_of(random, n_symbols=3 + number) | {b"zz" + b"q" * number: 10**6})
        options = BpeOptions(256 + 35, tie_break=tie_break)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrainingWarning)
            whole = train_on_counts(counts, options, runner_up=True)
            part = dataclasses.replace(options, vocab_size=256 + n_applied)
            train_on_counts(counts, part, journal=MergeJournal(tmp_path / f"{number}"))
            resumed = train_on_counts(counts, options, journal=MergeJournal(tmp_path / f"{number}"), runner_up=True)
        assert resumed == whole


@pytest.mark.parametrize("special_tokens", [[], ["<|a|>", "<|b|>"], ["est", "<|a|>", "l"]])
def test_the_tokenizer_at_a_step_is_that_of_a_training_which_ends_there(special_tokens: list[str]) -> None:
    words = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3}
    n_specials = sum(len(token) > 1 for token in special_tokens)
    record = recorded(words, n_merges=9 + n_specials, special_tokens=special_tokens, alphabet="gpt2", pattern="cl100k")
    assert record.n_merges == 9
    for step in range(10):
        options = BpeOptions(256 + n_specials + step, special_tokens, "cl100k", alphabet="gpt2")
        assert record.spec_at(step) == train_on_counts(pretoken_counts(words), options).spec


@pytest.mark.parametrize("semantics", ["merges", "ranks"])
def test_a_tokenizer_that_grows_is_recorded_from_where_it_begins(semantics: Semantics, tmp_path: Path) -> None:
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {258: b"lo", 260: b"est"}
    old = build_spec(vocabulary, [(b"l", b"o")] if semantics == "merges" else [], ["<|a|>"], semantics=semantics)
    counts = pretoken_counts({b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3})
    options = BpeOptions.continued(old, 262 + 4)
    training = train_on_counts(counts, options, runner_up=True)
    record_training(training, counts).save(tmp_path / "run.tlr")
    record = open_record(tmp_path / "run.tlr")
    assert (record.start, record.header.first_id) == (old, 262)
    assert record.n_tokens_at(0) == 79 - 7
    assert list(record.merges()) == list(training.steps)
    for step in range(1, 5):
        assert record.spec_at(step) == train_on_counts(counts, dataclasses.replace(options, vocab_size=262 + step)).spec
    assert record.spec_at(0) == old


@pytest.mark.parametrize("end_of_word", ["symbol", "glued"])
def test_characters_and_the_mark_of_word_ends_are_recorded(end_of_word: EndOfWord) -> None:
    characters = CharacterAlphabet(0.98, unk_token="<unk>", end_of_word_suffix="</w>", end_of_word=end_of_word)
    counts = pretoken_counts({"cat": 80, "catch": 20, "rat": 90, "rattle": 15, "é": 2})
    options = BpeOptions(21, ["<|a|>", "<unk>"], None, characters=characters)
    training = train_on_counts(counts, options, runner_up=True)
    record = record_training(training, counts)
    assert record.n_tokens_at(0) == 3 * 170 + 5 * 20 + 6 * 15 + 2 + (207 if end_of_word == "symbol" else 0)
    assert list(record.merges()) == list(training.steps)
    merge = record.merge(2 if end_of_word == "symbol" else 1)
    assert (merge.left + merge.right, merge.n_pairs) == (b"at</w>", 170)
    assert record.spec_at(record.n_merges) == training.spec
    fewer = train_on_counts(counts, dataclasses.replace(options, vocab_size=20))
    assert record.spec_at(len(fewer.steps)) == fewer.spec


def test_a_record_on_disk_is_the_one_that_was_written(tmp_path: Path) -> None:
    record = recorded(words_of(Random(1), n_symbols=30), n_merges=50, special_tokens=["<|é|>"], alphabet="gpt2")
    record.save(tmp_path / "run.tlr")
    opened = tokenloom.open_record(tmp_path / "run.tlr")
    assert opened == record
    opened.save(tmp_path / "again.tlr")
    assert (tmp_path / "again.tlr").read_bytes() == (tmp_path / "run.tlr").read_bytes()


def test_a_record_of_no_merge_has_step_0_alone() -> None:
    record = recorded({b"ab": 3, b"c": 1}, n_merges=0)
    assert (record.n_merges, record.n_tokens_at(0), list(record.merges())) == (0, 7, [])
    assert record.spec_at(0).merges == b""


def test_the_second_of_one_pair_is_none_and_of_a_tie_the_one_that_lost() -> None:
    first, second = recorded({b"ab": 3, b"cd": 3}, n_merges=2).merges()
    assert first == (b"c", b"d", 3, 9, 1, (b"a", b"b"), 3)
    assert second == (b"a", b"b", 3, 6, 0, None, 0)


@pytest.mark.parametrize("step", [-1, 10, True, 1.0, "1"])
def test_a_step_that_the_training_has_not_is_refused(step: Any) -> None:
    with pytest.raises(TrainingError, match=r"^step .*: the record has 9 merges\. Choose a step from 0 to 9\.$"):
        open_record(GOLDEN).spec_at(step)
    with pytest.raises(TrainingError, match=r"Choose a step from 1 to 9\.$"):
        open_record(GOLDEN).merge(0)


def test_the_checksum_of_counts_tells_counts_and_positions_apart() -> None:
    one, other = pretoken_counts({b"a": 1, b"b": 2}), pretoken_counts({b"b": 2, b"a": 1})
    assert counts_checksum(one, has_positions=True) != counts_checksum(other, has_positions=True)
    assert counts_checksum(one, has_positions=False) == counts_checksum(other, has_positions=False)
    third = pretoken_counts({b"a": 1, b"b": 3})
    assert counts_checksum(one, has_positions=False) != counts_checksum(third, has_positions=False)


def test_golden_record_of_version_1_stays_readable() -> None:
    record = open_record(GOLDEN)
    assert record == golden_record()
    assert [b"+".join(step[:2]) for step in record.merges(last=4)] == [b"e+s", b"es+t", b"l+o", b"lo+w"]
    assert record.merge(1) == (b"e", b"s", 9, 70, 1, (b"s", b"t"), 9)


def test_saving_the_golden_record_gives_its_bytes(tmp_path: Path) -> None:
    open_record(GOLDEN).save(tmp_path / "run.tlr")
    assert (tmp_path / "run.tlr").read_bytes() == GOLDEN.read_bytes()


def test_a_changed_or_cut_record_is_refused_wherever_it_was_changed(tmp_path: Path) -> None:
    data, random = GOLDEN.read_bytes(), Random(3)
    for at in [*range(40), *random.sample(range(len(data)), 150)]:
        (tmp_path / "x").write_bytes(data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :])
        with pytest.raises(FormatError):
            open_record(tmp_path / "x")
        (tmp_path / "x").write_bytes(data[:at])
        with pytest.raises(FormatError):
            open_record(tmp_path / "x")


def rewritten(
    path: Path,
    *,
    version: tuple[int, int] = (1, 0),
    kind: str = RECORD_KIND,
    header: Mapping[str, Any] | None = None,
    sections: Mapping[str, bytes | None] | None = None,
) -> Path:
    """The golden record with other parts; None leaves one out."""
    golden = read_envelope(GOLDEN, kind=RECORD_KIND)
    values = {**golden.header, **(header or {})}
    parts = {**golden.sections, **(sections or {})}
    path.write_bytes(
        encode_envelope(
            kind=kind,
            version=version,
            header={key: value for key, value in values.items() if value is not None},
            sections=[(name, data) for name, data in parts.items() if data is not None],
        )
    )
    return path


def column(typecode: str, *numbers: int) -> bytes:
    return array(typecode, numbers).tobytes()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"version": (2, 0)}, r"it has version 2\.0, but this tokenloom reads training-record files up to 1\.x"),
        ({"kind": "tokenizer"}, "it holds a 'tokenizer', not a 'training-record'"),
        ({"header": {"first_id": None}}, "it has no part 'first_id'"),
        ({"header": {"start": None}}, "it has no part 'start'"),
        ({"header": {"n_bytes": -1}}, "its n_bytes is -1, which no training writes"),
        ({"header": {"n_bytes": "1"}}, "its n_bytes is '1', which no training writes"),
        ({"header": {"training": []}}, r"its training is \[\], which no training writes"),
        ({"header": {"start": {}}}, "its start is no tokenizer"),
        ({"sections": {"n_tied": None}}, "it has no part 'n_tied'"),
        ({"sections": {"n_tied": b"1234"}}, "its section 'n_tied' has 4 bytes, no whole numbers"),
        ({"sections": {"n_tied": bytes(8)}}, "its sections do not have one number a merge"),
        ({"sections": {"left": column("I", *[256] * 9)}}, "section 'left': it names tokens that are not there yet"),
        ({"sections": {"right": column("I", *[2**32 - 1] * 9)}}, "section 'right': it names tokens that are not"),
        ({"sections": {"runner_up_left": column("I", *[256] * 9)}}, "section 'runner_up_left': it names tokens"),
        ({"sections": {"token_offsets": bytes(4)}}, "its start is no tokenizer"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(parts: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        open_record(rewritten(tmp_path / "x", **parts))


@pytest.mark.parametrize(
    ("training", "message"),
    [
        ({"options": None}, "the options of its training are None"),
        ({"options": {"tie_break": 1}}, "the tie_break of its training is 1"),
        ({"options": {"must_have": "low"}}, "the must_have of its training is 'low'"),
        ({"options": {"must_have": [1]}}, r"the must_have of its training is \[1\]"),
        ({"options": {"whole_characters": None}}, "the whole_characters of its training is None"),
        ({"n_reserved": -1}, "the n_reserved of its training is -1"),
        ({"n_reserved": 2**40}, "the n_reserved of its training is 1099511627776"),
        ({"pad_multiple": 0}, "the pad_multiple of its training is 0"),
    ],
)
def test_values_of_the_training_that_are_used_are_checked(
    training: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=rf"x': {message}, which no training writes\. Restore the file"):
        open_record(rewritten(tmp_path / "x", header={"training": training}))


def doubled(path: Path, *, n_pairs: int, n_bytes: int) -> Path:
    """A record of 60 merges that each join the token of the one before with itself."""
    numbers = [101, *range(257, 257 + 59)]
    columns = {name: column("IQ"[name.startswith("n_")], *[0] * 60) for name in open_record(GOLDEN).columns}
    columns |= {"left": column("I", *numbers), "right": column("I", *numbers), "n_pairs": column("Q", *[n_pairs] * 60)}
    return rewritten(path, header={"n_bytes": n_bytes, "first_id": 257}, sections=columns)


@pytest.mark.parametrize(
    ("n_pairs", "n_bytes", "message"),
    [
        (1, 79, "merge 7 makes a token of 128 bytes in a text of 79 bytes"),
        (1, 2**60, r"its tokens up to merge 31 have 4,294,967,550 bytes, of at most 4,294,967,295"),
        (0, 79, r"its tokens up to merge 31 have 4,294,967,550 bytes, of at most 4,294,967,295"),
    ],
)
def test_tokens_that_no_text_holds_are_refused_before_they_take_memory(
    n_pairs: int, n_bytes: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(FormatError, match=f"x': {message}, which no training writes"):
        open_record(doubled(tmp_path / "x", n_pairs=n_pairs, n_bytes=n_bytes))


def test_a_token_of_a_must_have_may_be_longer_than_the_text(tmp_path: Path) -> None:
    record = recorded({b"a": 3}, n_merges=5, must_have=["zebra"], special_tokens=["<|a|>"])
    record.save(tmp_path / "x")
    assert open_record(tmp_path / "x").tokens(4)[-1] == b"zebra"


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"sections": {"left": column("I", 101, *[256] * 8), "right": column("I", 115, *[116] * 8)}},
         "merge 3 makes b'est', which merge 2 has made"),
        ({"sections": {"n_tokens": column("Q", *[80] * 9)}}, "section 'n_tokens': merge 1 leaves 80 tokens of 79"),
        ({"sections": {"n_tokens": column("Q", 70, 71, *[1] * 7)}}, ".*: merge 2 leaves 71 tokens of 70"),
        ({"sections": {"merges": column("I", 97, 98)}}, "merge 1 of its start makes b'ab', which has no id there"),
        ({"header": {"first_id": 300}}, "its first_id is 300, and its start has 257 ids"),
        ({"header": {"first_id": 9}}, "its first_id is 9, and its start has 257 ids"),
    ],
)  # fmt: skip
def test_merges_that_cannot_follow_each_other_are_refused(parts: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=f"x': {message}, which no training writes"):
        open_record(rewritten(tmp_path / "x", **parts))


def test_a_start_that_is_no_tokenizer_has_one_remedy(tmp_path: Path) -> None:
    with pytest.raises(FormatError) as refused:
        open_record(rewritten(tmp_path / "x", header={"start": {}}))
    message = str(refused.value)
    assert message.count(". ") == 1
    assert message.endswith("which no training writes. Restore the file from a copy, or train again with --record.")


@pytest.mark.parametrize("token_id", [-1, 265, 10**6, True, 1.0])
def test_an_id_that_no_step_has_is_refused(token_id: Any) -> None:
    with pytest.raises(TrainingError, match=r"^token id .*: .* have 265 ids\. Choose one from 0 to 264\.$"):
        open_record(GOLDEN).token(token_id)


def test_a_record_of_no_merge_has_none_to_choose() -> None:
    with pytest.raises(TrainingError, match=r"step 1: the record has no merge\. Ask for the state at step 0"):
        recorded({b"ab": 3}, n_merges=0).merge(1)


def test_a_record_does_not_change_and_is_short_to_look_at() -> None:
    record = open_record(GOLDEN)
    columns: Any = record.columns
    with pytest.raises(TypeError):
        columns["left"][0] = 1
    with pytest.raises(TypeError):
        columns["left"] = ()
    assert {record: 1}[open_record(GOLDEN)] == 1
    assert pickle.loads(pickle.dumps(record)) == copy.deepcopy(record) == record
    assert repr(record) == f"<TrainingRecord of 9 merges, tokenizer {record.header.tokenizer_fingerprint[:12]}>"


def test_merges_that_must_have_tokens_gave_are_counted() -> None:
    counts, options = pretoken_counts({"low": 5}), BpeOptions(260, pattern=None, must_have=["zoo", "low"])
    training = train_on_counts(counts, options, runner_up=True)
    assert record_training(training, counts, provenance={"options": options.values()}).n_given == 4
    assert record_training(training, counts).n_given == 0


def test_a_later_minor_version_is_read(tmp_path: Path) -> None:
    later = rewritten(tmp_path / "x", version=(1, 7), header={"more": 1}, sections={"more": b"1"})
    assert open_record(later) == open_record(GOLDEN)


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("the cat")
    with pytest.raises(FormatError, match=r"it is not a file of tokenloom\. Name a training-record file"):
        open_record(tmp_path / "text")
    with pytest.raises(CorpusError, match="there is no such file"):
        open_record(tmp_path / "none")
