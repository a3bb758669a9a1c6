from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenloom import CorpusError, Tokenizer, TrainingError, train, train_bpe
from tokenloom.jobs.demo import demo


def test_str_bytes_and_paths_are_documents(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("the cat in the hat")
    merges = [(b"t", b"h"), (b"th", b"e"), (b"the", b" ")]
    for corpus in (["the cat in the hat"], [b"the cat in the hat"], [tmp_path / "c.txt"], tmp_path / "c.txt"):
        assert train(corpus, 259, pattern=None).merges == merges
    assert train(str(tmp_path / "c.txt"), 259, pattern=None).merges == merges


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"text": "hello"},
            r"\{'text': 'hello'\} is of type dict, no text\. Pass the text of each row, such as row",
        ),
        (5, r"5 is of type int, no text\. Pass each document as str, as bytes, or as the Path"),
        (None, r"None is of type NoneType, no text"),
        (["a", "b"], r"\['a', 'b'\] is of type list, no text"),
        (iter([b"a"]), r"is of type list_iterator, no text"),
        (bytearray(b"ab"), r"bytearray\(b'ab'\) is of type bytearray, no text\. Pass bytes\(document\)"),
    ],
)
def test_document_of_another_type_is_refused_with_its_position(document: Any, message: str) -> None:
    """A dict would be trained on by its keys and a list as one document, both without a word."""
    with pytest.raises(TrainingError, match=f"^corpus, document 1: .*{message}"):
        train(["fine", document], 300)


@pytest.mark.parametrize("corpus", [b"text", bytearray(b"text"), {"text": "hello"}, 5, None])
def test_corpus_of_another_type_is_refused(corpus: Any) -> None:
    with pytest.raises(TrainingError, match=r"neither a path nor documents\. Pass a list of texts\.$"):
        train(corpus, 300)


def test_message_shows_little_of_a_huge_document() -> None:
    with pytest.raises(TrainingError) as caught:
        train([{"text": "x" * 10**6}], 300)  # type: ignore[list-item]
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["some text", "", "two\nlines" * 10_000, "a\0b"])
def test_text_in_the_place_of_a_path_gets_the_remedy(text: str) -> None:
    with pytest.raises(
        CorpusError, match=r"(Check the path|Name a file).* pass a text to tokenloom\.train in a list\.$"
    ) as caught:
        train(text, 300)
    assert len(str(caught.value)) < 1000


def test_path_that_exists_gets_no_such_remedy(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"is a folder without files\. Name a text file or a .* holds some\.$"):
        train(str(tmp_path), 300)


def test_path_stands_for_the_documents_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "the cat"}\n{"text": "the hat"}\n')
    (tmp_path / "b.txt").write_text("the cat")
    expected = train(["the cat", "the hat", "the cat"], 260, pattern=None)
    assert train(tmp_path, 260, pattern=None).spec == expected.spec
    assert train(str(tmp_path / "*"), 260, pattern=None).spec == expected.spec
    assert train([tmp_path / "a.jsonl", "the cat"], 260, pattern=None).spec == expected.spec


def test_course_interface_gets_no_advice_about_train(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"there is no such file in folder '.*'\. Check the path\.$"):
        train_bpe(str(tmp_path / "nope"), 300, [])


def test_no_special_tokens_may_be_none(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("the cat")
    assert train_bpe(tmp_path / "c.txt", 257, None) == train_bpe(tmp_path / "c.txt", 257, [])
    assert train(tmp_path / "c.txt", 257, None).special_tokens == {}


def test_special_tokens_of_an_iterator_are_kept() -> None:
    tokenizer = train(["the cat"], 258, iter(["<s>"]))  # type: ignore[arg-type]
    assert tokenizer.special_tokens == {"<s>": 257}


@pytest.mark.parametrize("path", [5, b"corpus.txt", ["a text"]])
def test_course_interface_takes_only_a_path(path: Any) -> None:
    with pytest.raises(TrainingError, match=r"^input_path .* not a path\. Pass the path of a text file"):
        train_bpe(path, 300, [])


@pytest.mark.parametrize(
    "act",
    [
        lambda path, n: train(path, 257, n_threads=n),
        lambda path, n: train_bpe(path, 257, [], n_threads=n),
        lambda path, n: demo(path, out=path.parent / "out", vocab_size=258, n_threads=n),
    ],
    ids=["train", "train_bpe", "demo"],
)
@pytest.mark.parametrize("n_threads", [0, -1, 2**70, 1.0])
def test_impossible_number_of_threads_is_refused(
    tmp_path: Path, act: Callable[[Path, Any], object], n_threads: Any
) -> None:
    (tmp_path / "c.txt").write_text("the cat")
    with pytest.raises(TrainingError, match=f"n_threads {n_threads!r}: must be a whole number .*Leave it out"):
        act(tmp_path / "c.txt", n_threads)


def test_saved_trainings_of_equal_texts_are_equal_bytes(tmp_path: Path) -> None:
    """What differs from run to run (time, path, host, threads) is in no file that a checksum covers."""
    text = "the cat in the hat " * 5
    saved: list[dict[str, bytes]] = []
    for number, n_threads in enumerate((1, 2)):
        folder = tmp_path / f"run{number}"
        folder.mkdir()
        (folder / "corpus.txt").write_text(text)
        train(folder / "corpus.txt", 260, ["<s>"], n_threads=n_threads).save(folder / "tokenizer")
        saved.append({file.name: file.read_bytes() for file in (folder / "tokenizer").iterdir()})
    assert saved[0] == saved[1]
    assert set(Tokenizer.load(tmp_path / "run0" / "tokenizer").provenance) == {
        "tokenloom",
        "trainer",
        "options",
        "n_merges",
        "n_corpus_bytes",
    }
