"""What a user may do wrong in training and running: one class each, and a message with what, where and what to do."""

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import tokenloom
from tokenloom import (
    CorpusError,
    DecodeError,
    EncodeError,
    FormatError,
    SpecError,
    SpecialTokenError,
    StorageError,
    Tokenizer,
    TokenloomError,
    TrainingError,
    TrainingWarning,
    train,
    train_bpe,
)
from tokenloom.trainers import BpeOptions

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
PLAIN: Final = Tokenizer(BYTES, [], ["<s>"])


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("low lower lowest " * 20)
    return path


def message_of(error: type[Exception], act: Callable[[], object]) -> str:
    with pytest.raises(error) as caught:
        act()
    assert type(caught.value) is error or issubclass(type(caught.value), error)
    return str(caught.value)


def in_order(message: str, *parts: str) -> bool:
    """Whether the parts stand in the message one after the other."""
    places = [message.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    message = message_of(CorpusError, lambda: train_bpe(path, 300, []))
    assert in_order(message, repr(str(path)), "there is no such file", "Check the path")


def test_a_folder_instead_of_a_file_is_named(tmp_path: Path) -> None:
    message = message_of(CorpusError, lambda: train_bpe(tmp_path, 300, []))
    assert in_order(message, repr(str(tmp_path)), "is a folder", ". Name a file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_named(corpus: Path) -> None:
    corpus.chmod(0)
    assert repr(str(corpus)) in message_of(CorpusError, lambda: train(corpus, 300))


def test_a_missing_file_among_documents_is_named(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "none.txt"
    assert repr(str(path)) in message_of(CorpusError, lambda: train([corpus, path], 300))


@pytest.mark.parametrize("text", ["", "\n", "x"])
def test_an_empty_corpus_gives_the_base_vocabulary_and_a_warning(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.txt"
    path.write_text(text)
    with pytest.warns(TrainingWarning, match="vocab_size 300: the corpus has only 0 merges.*Train on more text"):
        vocab, merges = train_bpe(path, 300, ["<s>"])
    assert (vocab, merges) == (BYTES | {256: b"<s>"}, [])


def test_more_merges_than_the_corpus_has_stop_early_and_say_so() -> None:
    with pytest.warns(TrainingWarning, match="the corpus has only 2 merges, so the vocabulary has 258 tokens"):
        assert len(train(["abc"], 1000)) == 258


def test_enough_merges_warn_of_nothing(corpus: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(train(corpus, 259)) == 259


@pytest.mark.parametrize("vocab_size", [0, 255, 257, -1, 2**24 + 1, 300.0, "300", True, None])
def test_a_vocabulary_size_that_cannot_be_is_refused(vocab_size: Any) -> None:
    message = message_of(TrainingError, lambda: train(["text"], vocab_size, ["<s>", "<t>"]))
    assert in_order(message, f"vocab_size {vocab_size!r}", "from 258 (256 bytes and 2 special tokens)", "Choose one")


def test_a_vocabulary_of_bytes_and_special_tokens_is_enough() -> None:
    assert train(["text"], 258, ["<s>", "<t>"]).merges == []


def test_a_vocabulary_of_all_ids_may_be_asked_for() -> None:
    assert BpeOptions(2**24).n_merges == 2**24 - 256


@pytest.mark.parametrize(
    ("special_tokens", "what", "remedy"),
    [
        (["<s>", "<t>", "<s>"], "special token '<s>': it is listed twice", "Keep one of the two"),
        (["<s>", ""], "it is empty", "Give it a text of at least one character"),
        ("<s>", "'<s>' is one string, not a list", "Pass ['<s>']"),
        (["\ud800"], "lone surrogate", "Remove it"),
        ([b"<s>"], "it is no string", "Pass its text as str"),
    ],
)
@pytest.mark.parametrize(
    "act", [lambda t: train(["x"], 300, t), lambda t: Tokenizer(BYTES, [], t)], ids=["train", "make"]
)
def test_wrong_special_tokens_are_refused(
    act: Callable[[Any], object], special_tokens: Any, what: str, remedy: str
) -> None:
    assert in_order(message_of(SpecialTokenError, lambda: act(special_tokens)), what, remedy)


@pytest.mark.parametrize(
    ("option", "value", "known", "error"),
    [
        ("pattern", "gpt5", "'gpt2', 'cl100k', ", TrainingError),
        ("tie_break", "largest", "'lexicographic', 'lowest-id', 'first-seen'", TrainingError),
        ("alphabet", "latin", "'bytes', 'gpt2'", TrainingError),
        ("special_text", "foo", "'refuse', 'parse', 'plain'", SpecError),
        ("surrogates", "foo", "'refuse', 'replace'", SpecError),
    ],
)
def test_an_unknown_option_is_refused_before_reading(
    option: str, value: str, known: str, error: type[Exception]
) -> None:
    def never_read() -> Iterator[str]:
        raise AssertionError("the corpus was read")
        yield ""

    options: dict[str, Any] = {option: value}
    message = message_of(error, lambda: train(never_read(), 300, **options))
    assert in_order(message, f"{option} {value!r}", "is unknown", f"Use one of {known}")


def test_bytes_as_a_corpus_are_refused() -> None:
    message = message_of(TrainingError, lambda: train(b"text", 300))  # type: ignore[arg-type]
    assert in_order(message, "b'text'", "is of type bytes", "Pass a list")


@pytest.mark.parametrize("document", [3, None, 1.5])
def test_a_document_of_another_type_is_refused(document: Any) -> None:
    message = message_of(TrainingError, lambda: train([document], 300))
    assert in_order(message, "document 0", repr(document), "Pass each document as str")


def test_a_lone_surrogate_in_a_document_is_refused() -> None:
    message = message_of(EncodeError, lambda: train(["ok", "ab\udc80"], 300))
    assert in_order(message, r"lone surrogate '\udc80' at character 2", "Pass bytes, or repair it with")


@pytest.mark.parametrize("bad", [-1, 257, 2**32, 2**70])
def test_an_id_out_of_range_is_refused(bad: int) -> None:
    message = message_of(DecodeError, lambda: PLAIN.decode([0, 1, bad]))
    assert in_order(message, f"id {bad}", "at position 2", "was the sequence made by another tokenizer?")


def test_the_advice_about_a_lone_surrogate_works() -> None:
    for text, repaired in (("ab\udc80", "ab\ufffd"), ("\ud83d\ude00", "😀")):
        advice = "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        assert advice in message_of(EncodeError, lambda text=text: train([text], 300))  # type: ignore[misc]
        assert eval(advice, {"text": text}) == repaired


@pytest.mark.parametrize("ids", [5, None, 1.5, "ab"])
def test_one_id_in_the_place_of_many_is_refused(ids: Any) -> None:
    for act in (PLAIN.decode, PLAIN.decode_bytes):
        message = message_of(DecodeError, lambda act=act: act(ids))  # type: ignore[misc]
        assert in_order(message, f"ids {ids!r}", "not a sequence of ids", "Pass a list")


@pytest.mark.parametrize("bad", ["7", 1.0, None, [1]])
def test_an_id_of_another_type_is_refused(bad: Any) -> None:
    with pytest.raises(TypeError):
        PLAIN.decode([bad])


def test_bytes_without_a_token_are_refused() -> None:
    message = message_of(DecodeError, lambda: PLAIN.id_of(b"ab"))
    assert in_order(message, "b'ab' is not in the vocabulary", "Encode it")


@pytest.mark.parametrize("text", [3, None, ["a"], {b"a"}])
def test_a_text_of_another_type_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match="text must be str, bytes, bytearray or memoryview"):
        PLAIN.encode(text)


@pytest.mark.parametrize(
    ("vocab", "merges", "what"),
    [
        ({0: b"a"}, [], "255 of the 256 single bytes have no token"),
        (BYTES | {256: b"a"}, [], "vocabulary, id 256: its token b'a' already has id 97"),
        (BYTES, [(b"a", b"b")], "merge 0: the result b'ab' of b'a' + b'b' is not in the vocabulary"),
        (BYTES | {256: b""}, [], "vocabulary, id 256: its token is empty"),
        (BYTES | {2**24: b"ab"}, [], f"vocabulary, id {2**24}"),
        (BYTES | {256: b"ab"}, [(b"a", b"b")] * 2, "merge 1: b'a' + b'b' is already merge 0"),
    ],
)
def test_a_vocabulary_that_contradicts_itself_is_refused(vocab: Any, merges: Any, what: str) -> None:
    message = message_of(SpecError, lambda: Tokenizer(vocab, merges))
    assert in_order(message, what, ". ")


@pytest.mark.parametrize(
    ("vocab", "merges", "place"),
    [
        ('{"a": 0,\n"b" 1}', "", "vocab.json, line 2, column 5: not JSON"),
        ('{"a": 0}', "a b\na  b\n", "merges.txt, line 2: 'a  b' is not two tokens"),
        ("[]", "", "vocab.json, line 1: no object of tokens and ids"),
    ],
)
def test_broken_files_are_named_with_the_line(tmp_path: Path, vocab: str, merges: str, place: str) -> None:
    (tmp_path / "vocab.json").write_text(vocab)
    (tmp_path / "merges.txt").write_text(merges)
    message = message_of(FormatError, lambda: Tokenizer.from_files(tmp_path / "vocab.json", tmp_path / "merges.txt"))
    assert in_order(message, place, ". ")


def test_a_missing_vocabulary_file_is_named(tmp_path: Path) -> None:
    act = lambda: Tokenizer.from_files(tmp_path / "vocab.json", tmp_path / "merges.txt")  # noqa: E731
    assert in_order(message_of(CorpusError, act), "vocab.json", "there is no such file", "Check the path")


def test_a_folder_without_a_tokenizer_is_refused(tmp_path: Path) -> None:
    assert str(tmp_path) in message_of(StorageError, lambda: Tokenizer.load(tmp_path))
    (tmp_path / "mine.txt").write_text("keep me")
    assert "mine.txt" in message_of(StorageError, lambda: PLAIN.save(tmp_path))


@pytest.mark.parametrize(("option", "value"), [("special_text", "ignore"), ("surrogates", "drop")])
def test_an_unknown_policy_is_refused(option: str, value: str) -> None:
    options: dict[str, Any] = {option: value}
    message = message_of(TokenloomError, lambda: Tokenizer(BYTES, [], **options))
    assert option in message
    assert value in message


def test_every_error_of_the_core_is_an_ordinary_exception() -> None:
    """AP-02: `except Exception` catches it, and so does the built-in class that a caller expects."""
    for act in (lambda: PLAIN.decode([300]), lambda: PLAIN.encode("<s>"), lambda: PLAIN.encode("\ud800")):
        with pytest.raises(ValueError) as caught:
            act()
        assert isinstance(caught.value, TokenloomError)
        assert type(caught.value).__module__ == tokenloom.errors.__name__
