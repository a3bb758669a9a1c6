"""Measuring files: groups, references, documents of any length, and what is refused."""

import json
from pathlib import Path

import pytest

import tokenloom
from tokenloom.corpus import DocumentOptions
from tokenloom.errors import MetricError
from tokenloom.jobs import measure_blocks
from tokenloom.jobs.compare import compare
from tokenloom.jobs.measure_corpus import MeasureOptions, load_subjects, measure_corpus
from tokenloom.jobs.measure_facts import compare_facts, measure_facts
from tokenloom.jobs.measure_parallel import read_parallel
from tokenloom.jobs.measure_tables import compare_list, compare_tables, measure_list, measure_tables
from tokenloom.jobs.reports.measure_page import compare_page, measure_page
from tokenloom.metrics import Subject

ENGLISH = "the cat in the hat sat on the mat\n\n" * 40
CHINESE = "你好 the 世界\n\n" * 30
SMALL = Subject(tokenloom.train([ENGLISH], 270), "small")
LARGE = Subject(tokenloom.train([ENGLISH, CHINESE], 284), "large")
BOTH = {"small": SMALL, "large": LARGE}
PARTS = DocumentOptions(document_separator=b"\n\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "en.txt").write_text(ENGLISH)
    (tmp_path / "zh.txt").write_text(CHINESE)
    return tmp_path


def test_groups_are_measured_each_and_together(folder: Path) -> None:
    run = measure_corpus(BOTH, [f"en={folder / 'en.txt'}", f"zh={folder / 'zh.txt'}"], documents=PARTS)
    assert [corpus.name for corpus in run.corpora] == ["en", "zh", "all"]
    tokens = [int(corpus.measurements["large"].tokens.n_tokens.sum()) for corpus in run.corpora]
    assert tokens[0] + tokens[1] == tokens[2]
    ratio = run.corpora[2].values["large"]["bytes_per_token"].value
    n_bytes = len((ENGLISH + CHINESE).replace("\n\n", "").encode())
    assert ratio == pytest.approx(n_bytes / tokens[2])


@pytest.mark.parametrize("words", [None, "whitespace"])
def test_blocks_of_a_file_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, words: str | None) -> None:
    (folder / "en.txt").write_text(ENGLISH * 2000)  # more than one block of reading
    options = MeasureOptions(words=words)
    whole = measure_corpus(BOTH, [folder / "en.txt"], options=options)
    monkeypatch.setattr(measure_blocks, "_BATCH_BYTES", 1 << 16)
    parts = measure_corpus(BOTH, [folder / "en.txt"], options=options, n_threads=1)
    assert measure_facts(whole) == measure_facts(parts)
    [corpus] = whole.corpora
    assert corpus.first.tokens.n_tokens.tolist() == [SMALL.tokenizer.count(ENGLISH * 2000)]


def test_reference_of_normalized_length_is_one_of_the_tokenizers(folder: Path) -> None:
    run = measure_corpus(BOTH, [folder / "zh.txt"], options=MeasureOptions(reference="small"))
    [corpus] = run.corpora
    assert corpus.values["small"]["normalized_length"].value == 1.0
    assert (corpus.values["large"]["normalized_length"].value or 2) < 1
    with pytest.raises(MetricError, match="Name one of 'small', 'large'"):
        measure_corpus(BOTH, [folder / "zh.txt"], options=MeasureOptions(reference="other"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (MeasureOptions(metrics=("fertility",)), "Name a splitter"),
        (MeasureOptions(metrics=("parity",)), "needs parallel text"),
        (MeasureOptions(metrics=("gini",)), "needs parallel text"),
        (MeasureOptions(metrics=("normalized_length",)), "reference tokenizer"),
    ],
)
def test_metric_that_was_named_and_cannot_be_is_refused(folder: Path, options: MeasureOptions, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        measure_corpus(BOTH, [folder / "en.txt"], options=options)


def test_words_of_chinese_are_refused_for_a_splitter_of_blanks(folder: Path) -> None:
    (folder / "zh.txt").write_text("我喜欢机器学习" * 20)
    with pytest.raises(MetricError, match="without blanks between words"):
        measure_corpus(BOTH, [folder / "zh.txt"], options=MeasureOptions(words="whitespace"))


def test_corpus_without_text_is_refused(folder: Path) -> None:
    (folder / "empty.txt").write_text("")
    with pytest.raises(MetricError, match="holds no text"):
        measure_corpus(BOTH, [folder / "empty.txt"])
    with pytest.raises(MetricError, match="Name one with --on"):
        measure_corpus(BOTH)


def test_one_document_has_values_and_no_intervals(folder: Path) -> None:
    [corpus] = measure_corpus(BOTH, [folder / "en.txt"]).corpora
    value = corpus.values["small"]["bytes_per_token"]
    assert value.value is not None
    assert value.interval is None


def test_facts_are_json_and_hold_the_manifest(folder: Path) -> None:
    run = measure_corpus(BOTH, [folder], documents=PARTS, options=MeasureOptions(words="cjk-characters"))
    facts = json.loads(json.dumps(measure_facts(run), allow_nan=False))
    manifest = facts["manifest"]
    assert [one["fingerprint"] for one in manifest["tokenizers"]] == [
        subject.tokenizer.spec.fingerprint for subject in BOTH.values()
    ]
    assert manifest["words"]["name"] == "cjk-characters"
    assert manifest["corpora"][0]["sources"] == ["en.txt", "zh.txt"]
    undefined = facts["corpora"][0]["tokenizers"]["small"]["metrics"]["normalized_length"]
    assert undefined["value"] is None
    assert "reference" in undefined["undefined"]


def test_comparison_takes_pairs(folder: Path) -> None:
    run = measure_corpus(BOTH, [folder], documents=PARTS)
    comparison = compare(run)
    row = next(row for row in comparison.corpora["all"] if row.name == "bytes_per_token")
    assert row.difference.value == pytest.approx((row.second.value or 0) - (row.first.value or 0))
    assert row.difference.interval is not None
    assert comparison.vocabulary.n_shared >= 256
    facts = json.loads(json.dumps(compare_facts(run, comparison), allow_nan=False))
    assert facts["corpora"]["all"]["bytes_per_token"]["difference"]["value"] == row.difference.value
    with pytest.raises(MetricError, match="two are compared"):
        compare(measure_corpus({"small": SMALL}, [folder]))


def parallel_folder(folder: Path) -> Path:
    (folder / "eng.txt").write_text("the cat\nthe hat\nthe mat\n")
    (folder / "zho.txt").write_text("猫\n帽子\n垫子")
    return folder


def test_parallel_text_is_read_by_lines(tmp_path: Path) -> None:
    folder = parallel_folder(tmp_path)
    assert read_parallel(folder) == {
        "eng": [b"the cat", b"the hat", b"the mat"],
        "zho": ["猫".encode(), "帽子".encode(), "垫子".encode()],
    }
    run = measure_corpus(BOTH, parallel=folder, options=MeasureOptions(metrics=("parity",)))
    assert run.parallel["small"].reference == "eng"
    assert len(list(measure_tables(run))) == 1


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("zho.txt", "猫\n", "'zho' has 1 lines"),
        ("eng_Latn.txt", "a\nb\nc\n", "2 files begin with 'eng'"),
    ],
)
def test_files_that_are_not_parallel_are_refused(tmp_path: Path, name: str, text: str, words: str) -> None:
    (parallel_folder(tmp_path) / name).write_text(text)
    with pytest.raises(MetricError, match=words):
        measure_corpus(BOTH, parallel=tmp_path)


def test_lists_for_programs_have_a_value_a_row(folder: Path) -> None:
    (folder / "parallel").mkdir()
    run = measure_corpus(BOTH, [folder / "en.txt"], parallel=parallel_folder(folder / "parallel"), documents=PARTS)
    rows = {(row[0], row[1], row[2], row[3]): row[5] for row in measure_list(run).rows}
    assert rows["all", None, "small", "round_trip"] == 1.0
    assert rows["parallel text", "eng", "large", "premium"] == 1.0
    compared = {(row[0], row[1], row[2]): row[6] for row in compare_list(compare(run)).rows}
    assert compared["parallel text", "eng", "premium"] == 0.0


def test_pages_hold_all_sections_and_no_outside_parts(folder: Path) -> None:
    (folder / "parallel").mkdir()
    run = measure_corpus(BOTH, [folder / "en.txt"], parallel=parallel_folder(folder / "parallel"), documents=PARTS)
    for page in (measure_page(run), compare_page(run, compare(run))):
        html = page.html()
        assert "http" not in html.replace("http-equiv", "")
        titles = [section.title for section in page.sections]
        assert titles[-2:] == ["What the metrics say", "Manifest"]
        assert {"Corpus all", "Parallel text"} <= set(titles)
    assert all(table.rows for table in compare_tables(compare(run)))


def test_tokenizers_are_named_by_their_files(folder: Path) -> None:
    SMALL.tokenizer.save(folder / "one")
    LARGE.tokenizer.save(folder / "two")
    subjects, origins = load_subjects([folder / "one", folder / "two"])
    assert list(subjects) == ["one", "two"]
    assert origins["one"] == str(folder / "one")
    with pytest.raises(MetricError, match="named twice"):
        load_subjects([folder / "one", folder / "one"])
    with pytest.raises(MetricError, match="none to measure"):
        load_subjects([])
