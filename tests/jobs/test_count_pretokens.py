import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenloom.corpus import DocumentOptions, Selection
from tokenloom.engine import claimed_work
from tokenloom.errors import CorpusError, FormatError, StorageError, TrainingError
from tokenloom.jobs.count_pretokens import CountRun, count_corpus, merge_counts
from tokenloom.jobs.counting import CountPlan
from tokenloom.jobs.resources import Resources
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.train_counts import train_count_file, train_word_counts
from tokenloom.jobs.training import TrainingPlan
from tokenloom.jobs.verify import verify
from tokenloom.spec import Pretokenizer
from tokenloom.storage import FileRow, measure_file, write_folder
from tokenloom.storage.lock import locked_folder
from tokenloom.trainers import BpeOptions, CountOptions, load_counts

END = "<|end|>"
OPTIONS = CountOptions(Pretokenizer("gpt2"), [END])
PLACED = CountOptions(Pretokenizer("gpt2"), [END], has_positions=True)


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    """Two groups: one of a text file and a JSONL file, one of a text file."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "a.txt").write_text(f"the cat in the hat{END} sat on the mat " * 20)
    (folder / "b.jsonl").write_text("".join(json.dumps({"text": f"the {n} cats"}) + "\n" for n in range(50)))
    (folder / "c.txt").write_text("你好 世界 " * 30, encoding="utf-8")
    return [f"en={folder / 'a.txt'}", f"en={folder / 'b.jsonl'}", f"zh={folder / 'c.txt'}"]


def count(
    corpus: list[str], out: Path, options: CountOptions = OPTIONS, *, n_processes: int = 1, **more: Any
) -> CountRun:
    return count_corpus(corpus, CountPlan(options, **more), out=out, resources=Resources(n_processes=n_processes))


def counts_of(folder: Path) -> bytes:
    return (folder / "pretokens.counts").read_bytes()


def test_folder_is_complete_and_holds_what_was_read(corpus: list[str], tmp_path: Path) -> None:
    run = count(corpus, tmp_path / "counts")
    assert run.counts
    assert (run.counts.n_docs, run.counts.n_splits) == (52, 2)
    assert run.counts.n_bytes_by_group == {"en": 20 * 41 + 10 * 10 + 40 * 11, "zh": 30 * 14}
    assert [(row.name, row.n_docs) for row in run.counts.sources] == [("a.txt", 1), ("b.jsonl", 50), ("c.txt", 1)]
    assert verify(tmp_path / "counts").kind == "pretoken-counts"
    assert not (tmp_path / "counts" / ".work").exists()
    assert run.counts.growth[-1] == (run.counts.n_text_bytes, run.header.n_pretokens)


@pytest.mark.parametrize("options", [OPTIONS, PLACED], ids=["counts", "positions"])
def test_processes_and_parts_give_the_same_bytes(corpus: list[str], tmp_path: Path, options: CountOptions) -> None:
    count(corpus, tmp_path / "one", options)
    count(corpus, tmp_path / "two", options, n_processes=2)
    for name, part in zip("abc", corpus, strict=True):
        count([part], tmp_path / name, options)
    merge_counts([tmp_path / name for name in "abc"], out=tmp_path / "merged")
    assert counts_of(tmp_path / "one") == counts_of(tmp_path / "two") == counts_of(tmp_path / "merged")
    assert (tmp_path / "one" / "manifest.json").read_bytes() == (tmp_path / "two" / "manifest.json").read_bytes()


def test_count_file_is_hashed_once(corpus: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each split and their sum, when they are written; the manifest takes over what is known."""
    hashed: list[str] = []

    def measure(folder: Path, name: str) -> FileRow:
        hashed.append(name.partition("-")[0])
        return measure_file(folder, name)

    for module in ("tokenloom.engine.task", "tokenloom.storage.manifest", "tokenloom.jobs.count_pretokens"):
        monkeypatch.setattr(f"{module}.measure_file", measure)
    count(corpus, tmp_path / "counts")
    assert hashed == ["split", "split", "pretokens.counts", "provenance.json"]
    assert verify(tmp_path / "counts").n_files == 2


def test_repeated_command_finds_its_work_done(corpus: list[str], tmp_path: Path) -> None:
    first = count(corpus, tmp_path / "counts")
    again = count(corpus, tmp_path / "counts")
    assert (first.was_complete, again.was_complete) == (False, True)
    assert again.header == first.header


@pytest.mark.parametrize(
    ("options", "more", "what"),
    [
        (PLACED, {}, "begun with has_positions False, and is now asked for True"),
        (OPTIONS, {"selection": Selection(sample=0.5)}, "begun with sample 1.0, and is now asked for 0.5"),
        (OPTIONS, {"weights": {"en": 0.5, "zh": 0.5}}, "begun with mix None"),
        (OPTIONS, {"documents": DocumentOptions(text_field="body")}, "begun with text_field 'text'"),
    ],
)
def test_another_command_is_refused_and_told_what_differs(
    corpus: list[str], tmp_path: Path, options: CountOptions, more: dict[str, Any], what: str
) -> None:
    count(corpus, tmp_path / "counts")
    before = counts_of(tmp_path / "counts")
    with pytest.raises(StorageError, match=what):
        count(corpus, tmp_path / "counts", options, **more)
    assert counts_of(tmp_path / "counts") == before


def test_changed_corpus_is_refused(corpus: list[str], tmp_path: Path) -> None:
    count(corpus, tmp_path / "counts")
    (tmp_path / "corpus" / "c.txt").write_text("changed")
    with pytest.raises(StorageError, match=r"another corpus \('c\.txt' is new, gone or changed\)"):
        count(corpus, tmp_path / "counts")


def test_foreign_folder_is_not_written(corpus: list[str], tmp_path: Path) -> None:
    write_folder(tmp_path / "corpus", {"x": b""}, kind="tokenizer")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    with pytest.raises(StorageError, match=r"holds other files \(the first is 'mine\.txt'\)"):
        count(corpus, tmp_path / "other")


def test_mixture_multiplies_groups_and_tells_its_error(corpus: list[str], tmp_path: Path) -> None:
    run = count(corpus, tmp_path / "counts", weights={"en": 0.25, "zh": 0.75})
    assert run.counts
    assert run.counts.mixture
    times = run.counts.mixture.multipliers
    for name, part in zip("abc", corpus, strict=True):
        count([part], tmp_path / name)
    paths = [tmp_path / name for name in "abc"]
    multipliers = {str(path): times[group] for path, group in zip(paths, ["en", "en", "zh"], strict=True)}
    merge_counts([str(path) for path in paths], out=tmp_path / "merged", multipliers=multipliers)
    assert counts_of(tmp_path / "counts") == counts_of(tmp_path / "merged")
    assert run.counts.mixture.largest_error < 0.01


def test_tokenizer_says_how_its_counts_were_cut(corpus: list[str], tmp_path: Path) -> None:
    run = count(corpus, tmp_path / "counts", CountOptions(Pretokenizer("gpt2"), [END], 4))
    plan = TrainingPlan(BpeOptions(260, [END]))
    tokenizer = train_count_file(run.folder, plan, out=tmp_path / "tokenizer").tokenizer
    assert tokenizer.provenance["max_pretoken_bytes"] == 4
    assert tokenizer.provenance["n_cut_pretokens"] == run.header.n_cut_pretokens > 0


def test_merge_into_the_folder_of_its_input_is_refused(corpus: list[str], tmp_path: Path) -> None:
    run = count(corpus, tmp_path / "counts")
    (tmp_path / "alone").mkdir()
    file = shutil.copy(run.folder / "pretokens.counts", tmp_path / "alone")
    with pytest.raises(CorpusError, match="lies in the output folder"):
        merge_counts([file, run.folder], out=tmp_path / "alone")
    assert counts_of(tmp_path / "alone") == counts_of(tmp_path / "counts")


def test_another_merge_is_refused_and_told_what_differs(corpus: list[str], tmp_path: Path) -> None:
    folder = count(corpus, tmp_path / "counts").folder
    merge_counts([folder, folder], out=tmp_path / "merged")
    with pytest.raises(StorageError, match=r"\('counts 1' is new, gone or changed\)"):
        merge_counts([folder, folder], out=tmp_path / "merged", multipliers={str(folder): 2})


def test_merge_into_a_folder_that_is_being_written_is_refused(corpus: list[str], tmp_path: Path) -> None:
    folder = count(corpus, tmp_path / "counts").folder
    (tmp_path / "merged").mkdir()
    with claimed_work(tmp_path / "merged", {}), pytest.raises(StorageError, match="another run is writing there"):
        merge_counts([folder], out=tmp_path / "merged")


def test_mixture_of_a_missing_group_is_refused(corpus: list[str], tmp_path: Path) -> None:
    """Before anything is counted."""
    with pytest.raises(CorpusError, match="no group 'de'"):
        count(corpus, tmp_path / "counts", weights={"en": 0.5, "zh": 0.3, "de": 0.2})
    assert list((tmp_path / "counts").iterdir()) == []


def test_sample_and_limit_take_less(corpus: list[str], tmp_path: Path) -> None:
    sampled = count(corpus, tmp_path / "sampled", selection=Selection(sample=0.5, seed=1))
    limited = count(corpus, tmp_path / "limited", selection=Selection(limits={"en": 900}))
    assert sampled.counts
    assert limited.counts
    assert 5 < sampled.counts.n_docs < 45
    assert 0 < limited.counts.n_bytes_by_group["en"] <= 900


def test_broken_records_are_counted_and_a_stricter_run_is_refused(corpus: list[str], tmp_path: Path) -> None:
    with open(tmp_path / "corpus" / "b.jsonl", "a") as file:
        file.write("{broken\n")
    with pytest.raises(CorpusError, match=r"b\.jsonl', line 51"):
        count(corpus, tmp_path / "counts")
    run = count(corpus, tmp_path / "counts", documents=DocumentOptions(on_error="skip"))
    assert run.counts
    assert run.counts.skipped.n_skipped == 1


def test_corpus_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(CorpusError, match=r"a\.txt': 1 file without text"):
        count([str(tmp_path / "a.txt")], tmp_path / "counts")


def test_training_on_counts_is_training_on_the_corpus(corpus: list[str], tmp_path: Path) -> None:
    for tie_break, options in (("lexicographic", OPTIONS), ("first-seen", PLACED)):
        counts, asked = tmp_path / f"counts-{tie_break}", BpeOptions(280, [END], tie_break=tie_break)  # type: ignore[arg-type]
        count(corpus, counts, options)
        direct = train_corpus(corpus, options=asked, out=tmp_path / "direct")
        run = train_count_file(counts, TrainingPlan(asked), out=tmp_path / "tokenizer")
        assert run.training == direct.training
        assert run.tokenizer.spec == direct.tokenizer.spec


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (BpeOptions(280, [END], "o200k"), r"pattern 'o200k': .*was counted with 'gpt2'\. Leave"),
        (BpeOptions(280, ["<s>"]), r"special tokens \['<s>'\]: .*was counted with \['<\|end\|>'\]"),
        (
            BpeOptions(280, [END], tie_break="first-seen"),
            "counts': tie_break 'first-seen': the counts have no first positions",
        ),
    ],
)
def test_training_that_does_not_fit_the_counts_is_refused(
    corpus: list[str], tmp_path: Path, options: BpeOptions, what: str
) -> None:
    count(corpus, tmp_path / "counts")
    with pytest.raises(TrainingError, match=what):
        train_count_file(tmp_path / "counts", TrainingPlan(options), out=tmp_path / "tokenizer")


def test_merge_refuses_what_is_no_folder_of_counts_and_unknown_multipliers(corpus: list[str], tmp_path: Path) -> None:
    count(corpus, tmp_path / "counts")
    with pytest.raises(TrainingError, match="multiplier of 'x': it is not among what is merged"):
        merge_counts([str(tmp_path / "counts")], out=tmp_path / "merged", multipliers={"x": 2})
    with pytest.raises(StorageError, match=r"corpus': it has no manifest"):
        merge_counts([tmp_path / "corpus"], out=tmp_path / "merged")
    with pytest.raises(FormatError, match=r"c\.txt'.*it is not a file of tokenloom"):
        merge_counts([tmp_path / "corpus" / "c.txt"], out=tmp_path / "merged")


def test_failed_merge_leaves_no_count_file(corpus: list[str], tmp_path: Path) -> None:
    count(corpus, tmp_path / "a")
    count(corpus, tmp_path / "b", PLACED)
    with pytest.raises(FormatError, match="has_positions is True"):
        merge_counts([tmp_path / "a", tmp_path / "b"], out=tmp_path / "merged")
    assert list((tmp_path / "merged").iterdir()) == []


def test_pairs_above_31_bits_are_counted_right(tmp_path: Path) -> None:
    """TR-04, as 34.1 million lines: a text that is multiplied, so that no pair count fits in 32 bits with a sign."""
    (tmp_path / "a.txt").write_text(" " * 64 + "z")
    count([str(tmp_path / "a.txt")], tmp_path / "one", CountOptions(Pretokenizer("none")))
    path = str(tmp_path / "one")
    merge_counts([path], out=tmp_path / "many", multipliers={path: 34_100_000})
    assert load_counts(tmp_path / "many" / "pretokens.counts").items() == [(b" " * 64 + b"z", 34_100_000)]
    plan = TrainingPlan(BpeOptions(258, pattern=None))
    steps = train_count_file(tmp_path / "many", plan, out=tmp_path / "tokenizer").training.steps
    assert [step[:3] for step in steps] == [(b" ", b" ", 2_148_300_000), (b"  ", b"  ", 1_057_100_000)]


def test_workers_do_not_change_a_result(tmp_path: Path) -> None:
    """TR-03: 1, 2 and 4 workers."""
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("aa bb cc dd aa bb\n")
    corpus = [f"g{number}={tmp_path / f'{number}.txt'}" for number in range(5)]
    for n_processes in (1, 2, 4):
        train_corpus(corpus, options=BpeOptions(262), out=tmp_path / f"out{n_processes}", n_processes=n_processes)
    contents = [{path.name: path.read_bytes() for path in (tmp_path / f"out{n}").iterdir()} for n in (1, 2, 4)]
    assert contents[0] == contents[1] == contents[2]


def test_merge_names_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none': there is no such file"):
        merge_counts([tmp_path / "none"], out=tmp_path / "merged")


def test_one_merge_at_a_time_in_a_folder(corpus: list[str], tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    count(corpus, tmp_path / "counts")
    (tmp_path / "merged" / ".work").mkdir(parents=True)
    with (
        locked_folder(tmp_path / "merged" / ".work"),
        pytest.raises(StorageError, match="another run is writing there"),
    ):
        merge_counts([tmp_path / "counts"], out=tmp_path / "merged")


@pytest.mark.parametrize(("out", "what"), [("s3://bucket/counts", "is a URL"), ("a\0b", "has a NUL")])
def test_output_that_is_no_folder_of_this_machine_is_refused(
    corpus: list[str], tmp_path: Path, out: str, what: str
) -> None:
    counts = count(corpus, tmp_path / "counts").folder
    acts: list[Callable[[], object]] = [
        lambda: count_corpus(corpus, CountPlan(OPTIONS), out=out),
        lambda: merge_counts(["none"], out=out),
        lambda: train_corpus(corpus, options=BpeOptions(300), out=out),
        lambda: train_count_file(counts, TrainingPlan(BpeOptions(300, [END])), out=out),
        lambda: train_word_counts("none", TrainingPlan(BpeOptions(300)), out=out),
    ]
    for act in acts:
        with pytest.raises(StorageError, match=rf"{what}.*\. Choose a folder of this machine"):
            act()


def test_remedy_of_a_failed_training_goes_on_from_its_splits(corpus: list[str], tmp_path: Path) -> None:
    out = tmp_path / "tokenizer"
    with pytest.raises(TrainingError, match="no pretoken occurs so often"):
        train_corpus(corpus, options=BpeOptions(280), out=out, min_count=10**6)
    run = train_corpus(corpus, options=BpeOptions(270), out=out, min_count=2)
    assert run.counts
    assert run.counts.n_resumed_splits == run.counts.n_splits == 2


@pytest.mark.parametrize("min_count", [0, True, 1.5, 2**64])
def test_impossible_min_count_is_refused(min_count: Any) -> None:
    with pytest.raises(TrainingError, match=rf"min_count {min_count!r}: is no count\. Use a whole number"):
        TrainingPlan(BpeOptions(300), min_count=min_count)
