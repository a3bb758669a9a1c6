"""Code and vocabulary files of subword-nmt: both versions, what is refused and where, and the way back."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.subword_codes import random_codes
from tokenloom import CorpusError, FormatError, FormatWarning, SpecError, Tokenizer, train
from tokenloom.formats import native, read_subword_nmt, read_subword_vocabulary, write_subword_nmt
from tokenloom.formats.detect import load_any
from tokenloom.formats.subword_nmt import parse_subword_nmt, parse_subword_vocabulary, render_subword_nmt
from tokenloom.spec import AddedToken, BpeModel, Lowercase, Normalizer, Pretokenizer, TokenizerSpec, UnicodeForm
from tokenloom.tokenizer import SubwordUnits
from tokenloom.trainers import (
    BpeOptions,
    CharacterAlphabet,
    EndOfWord,
    pretoken_counts,
    train_on_counts,
    words_pretokenizer,
)

GLUED = b"#version: 0.2\na t</w>\nc at</w>\n"
SYMBOL = b"a t\nat </w>\nc at</w>\n"


def read(data: bytes, **options: Any) -> TokenizerSpec:
    return parse_subword_nmt(data, place="codes", **options)[0]


def tokens_of(spec: TokenizerSpec) -> list[str]:
    return [token.decode() for token in spec.vocabulary().values()]


def trained(end: EndOfWord) -> TokenizerSpec:
    alphabet = CharacterAlphabet(unk_token="<unk>", end_of_word_suffix="</w>", end_of_word=end)
    words = {"cat": 90, "catch": 50, "rat": 80, "rattle": 40}
    options = BpeOptions(25, pattern=words_pretokenizer(), characters=alphabet)
    return train_on_counts(pretoken_counts(words), options, may_fall_short=True).spec


def test_the_mark_is_glued_in_version_2_and_a_symbol_without_a_version() -> None:
    assert tokens_of(read(GLUED)) == ["<unk>", "a", "c", "t", "a</w>", "c</w>", "t</w>", "at</w>", "cat</w>"]
    assert tokens_of(read(SYMBOL)) == ["<unk>", "</w>", "a", "c", "t", "at", "at</w>", "cat</w>"]
    assert not read(GLUED).bpe.end_of_word_symbol
    assert read(SYMBOL).bpe.end_of_word_symbol
    assert read(b"#version: 0.1\n" + SYMBOL) == read(SYMBOL)
    assert read(b"#version: 0.2.0\r\n" + GLUED.partition(b"\n")[2].replace(b"\n", b"\r\n")) == read(GLUED)


@pytest.mark.parametrize("data", [GLUED, SYMBOL])
def test_words_become_tokens_and_come_back(data: bytes) -> None:
    tokenizer = Tokenizer.from_spec(read(data))
    ids = tokenizer.encode("cat at\ncat")
    assert [tokenizer.token_bytes(token_id) for token_id in ids] == [b"cat</w>", b"at</w>", b"cat</w>"]
    assert tokenizer.decode(ids) == "cat at cat"


def test_of_a_merge_that_comes_twice_the_first_counts() -> None:
    assert read(b"a b\nb c\na b\n").merge_list() == [(b"a", b"b"), (b"b", b"c")]


def test_more_characters_and_another_unknown_token_are_taken() -> None:
    assert tokens_of(read(b"a b\n", unk_token=None, characters="cab")) == ["</w>", "a", "b", "c", "ab"]
    assert read(b"a b\n", unk_token="?").bpe.unk_token == "?"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a b\na b c\n", "codes, line 2: 'a b c' is not two units with one space between. Mend the line"),
        (b"#version: 0.2\nab\n", "codes, line 2: 'ab' is not two units"),
        (b"a  b\n", "codes, line 1: 'a  b' is not two units"),
        (b"a b\n\nb c\n", "codes, line 2: it is empty. Mend the line, or delete it"),
        (b"#version: 0.3\na b\n", "codes, line 1: version '0.3' is unknown. Use a file of version 0.1 or 0.2"),
        (b"#version: 0.2\n", "codes: it has no merges. Restore the file"),
        (b"", "codes, line 1: it is empty."),
        (b"a b\nb cd\n", "codes, line 2: 'cd' is no character, and no line makes it. Restore the file if lines are"),
        (
            b"a b\na t</w>\n",
            "codes, line 2: 't</w>' is no character, and no line makes it: without a line '#version: 0.2' '</w>' is a "
            "unit of its own. Put that line first",
        ),
        (b"#version: 0.1\na t</w>\n", "codes, line 2: 't</w>' is no character, and no line makes it. Restore"),
        (b"#version: 0.2\r\na b\r\na b\r\nab cd\r\n\r\n", "codes, line 4: 'cd' is no character"),
        (b"a \xff\n", "codes, line 1"),
        (b"\xef\xbb\xbfa b\n", "codes: begins with a byte order mark of UTF-8"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(data: bytes, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(data)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n", "\r\n\r\n", "\r\n \r\n"])
def test_empty_lines_at_the_end_are_passed_over_whatever_ends_them(end: str) -> None:
    assert read(GLUED.rstrip() + end.encode()) == read(GLUED)
    assert parse_subword_vocabulary(b"low@@ 12\nest 7" + end.encode(), place="vocab") == {"low@@", "est"}


@pytest.mark.parametrize(
    "options",
    [{"unk_token": 5}, {"unk_token": "\ud800"}, {"unk_token": b"?"}, {"characters": ["ab"]}, {"characters": "\ud800"}],
)
def test_what_is_no_text_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=r"no text\. Pass "):
        read(GLUED, **options)


@pytest.mark.parametrize("threshold", ["5", -1, True, 1.5])
def test_a_threshold_that_is_no_count_is_refused(threshold: Any) -> None:
    with pytest.raises(SpecError, match=r"threshold .*: is no count\. Pass a whole number from 0"):
        parse_subword_vocabulary(b"est 7\n", place="vocab", threshold=threshold)


def test_an_unknown_token_that_merges_make_is_refused() -> None:
    with pytest.raises(FormatError, match=r"unk_token 'ab' is a token of the file\. Pass another one"):
        read(b"a b\n", unk_token="ab")


@pytest.mark.parametrize("is_glued", [False, True])
def test_generated_codes_are_written_as_they_were_read(is_glued: bool) -> None:
    random = Random(is_glued)
    for _ in range(40):
        spec = read(random_codes(random, "abé漢", is_glued=is_glued).encode())
        assert read(render_subword_nmt(spec)) == spec


@pytest.mark.parametrize(("end", "first"), [("symbol", "a t\nat </w>\n"), ("glued", "#version: 0.2\na t</w>\n")])
def test_what_training_over_characters_gives_is_written(end: EndOfWord, first: str, tmp_path: Path) -> None:
    """The words of the lecture: with the mark as a symbol, the second merge is at + </w>."""
    spec = trained(end)
    write_subword_nmt(spec, tmp_path / "codes.bpe")
    assert (tmp_path / "codes.bpe").read_text().startswith(first)
    again = read_subword_nmt(tmp_path / "codes.bpe")
    assert again.merge_list() == spec.merge_list()
    text = "cat catch rat rattle chatter"
    ours, theirs = (SubwordUnits(Tokenizer.from_spec(spec)).segment(text) for spec in (spec, again))
    assert ours == theirs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda spec: train(["ab"], 257).spec, "this tokenizer has bytes. Train with unit 'character'"),
        (
            lambda spec: replace(spec, model=BpeModel("merges", unit="character", end_of_word_suffix="_")),
            "this tokenizer has end_of_word_suffix '_'",
        ),
        (
            lambda spec: replace(spec, normalizer=Normalizer((Lowercase(), UnicodeForm("nfc")))),
            "cannot hold a normalizer. Use another format",
        ),
        (lambda spec: replace(spec, pretokenizer=Pretokenizer("gpt2")), "cannot hold pretokenizer 'gpt2'"),
        (lambda spec: replace(spec, model=replace(spec.bpe, byte_fallback=True)), "cannot hold byte_fallback"),
    ],
)
def test_what_a_code_file_cannot_hold_is_refused(
    change: Callable[[TokenizerSpec], TokenizerSpec], message: str
) -> None:
    with pytest.raises(FormatError) as caught:
        render_subword_nmt(change(read(GLUED)), place="codes")
    assert message in str(caught.value)


def test_added_tokens_are_refused() -> None:
    spec = read(GLUED)
    offsets = spec.token_offsets + spec.token_offsets[-4:]
    added = replace(spec, added_tokens=(AddedToken("<e>", len(spec.vocabulary())),), token_offsets=offsets)
    with pytest.raises(FormatError, match="cannot hold added tokens"):
        render_subword_nmt(added)


@pytest.mark.parametrize("data", [GLUED, SYMBOL])
def test_a_code_file_is_known_by_its_content(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bpe.codes"
    path.write_bytes(data)
    spec, provenance = load_any(path)
    assert spec == read(data)
    assert provenance["format"] == "subword_nmt"
    assert Tokenizer.load(path).encode("cat") == [len(spec.vocabulary()) - 1]


def test_a_merges_txt_that_has_the_mark_is_not_taken_for_a_code_file(tmp_path: Path) -> None:
    """CLIP's spells characters in bytes, so it would be read as another tokenizer."""
    (tmp_path / "merges.txt").write_bytes(GLUED)
    with pytest.raises(FormatError, match="it is a list of merges, one of two files"):
        load_any(tmp_path / "merges.txt")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"#version: 0.2\n", "it is a list of merges"),
        (b"a\tt</w>\nc\tat</w>\n", r"begins with b'a\\tt</w>', which is no merge"),
        (b"a b\n" * 2000, "it may be a list of merges"),
        (b"# version: 0.2\na t</w>\n", "begins with b'# version: 0.2', which is no merge"),
        (b"", "it is empty"),
    ],
)
def test_the_general_door_names_the_reader_of_code_files_where_one_may_be_meant(
    data: bytes, what: str, tmp_path: Path
) -> None:
    (tmp_path / "bpe.codes").write_bytes(data)
    with pytest.raises(FormatError, match=what) as caught:
        load_any(tmp_path / "bpe.codes")
    assert "formats.read_subword_nmt(path)" in str(caught.value)


@pytest.mark.parametrize("data", [GLUED, SYMBOL])
def test_a_tokenizer_that_was_read_is_saved_and_loaded(data: bytes, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)  # what tokenizer.json cannot hold is not this test's concern
        native.save(read(data), tmp_path / "tokenizer")
    assert native.load(tmp_path / "tokenizer") == read(data)


def test_a_vocabulary_file_gives_the_units_that_occur_often_enough(tmp_path: Path) -> None:
    (tmp_path / "vocab").write_text("the 100\nlow@@ 50\nest 49\n")
    assert read_subword_vocabulary(tmp_path / "vocab", threshold=50) == {"the", "low@@"}
    assert read_subword_vocabulary(tmp_path / "vocab") == {"the", "low@@", "est"}
    with pytest.raises(CorpusError, match="there is no such file"):
        read_subword_vocabulary(tmp_path / "other")


@pytest.mark.parametrize("line", ["est", "est x", "est 1 2", "est -1", " 5", "", "est 1.5"])
def test_a_bad_line_of_a_vocabulary_is_named(line: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_subword_vocabulary(f"the 5\n{line}\nlow 3\n".encode(), place="vocab")
    assert str(caught.value).startswith(f"vocab, line 2: {line!r} is not a unit and its count")
