"""BERT's `vocab.txt`: the file says nothing but tokens."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.wordpieces import WORDS, wordpiece_spec
from tokenloom import Tokenizer
from tokenloom.errors import FormatError
from tokenloom.formats import read_vocab_txt, write_vocab_txt
from tokenloom.formats.vocab_txt import parse_vocab_txt, render_vocab_txt
from tokenloom.spec import BertText, Pretokenizer, TokenizerSpec, WordpieceModel

DATA = "".join(f"{token}\n" for token in WORDS).encode()


def test_tokens_are_numbered_by_their_lines() -> None:
    assert parse_vocab_txt(DATA, BertText(), place="x") == wordpiece_spec()
    assert parse_vocab_txt(DATA.replace(b"\n", b"\r\n") + b"\n\n", BertText(), place="x") == wordpiece_spec()


def test_whoever_reads_it_says_whether_letters_become_small(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(DATA)
    uncased, cased = (read_vocab_txt(tmp_path / "vocab.txt", lowercase=lowercase) for lowercase in (True, False))
    assert (uncased, cased) == (wordpiece_spec(), wordpiece_spec(text=BertText(lowercase=False, strip_accents=False)))
    for path in (tmp_path, tmp_path / "vocab.txt"):
        with pytest.raises(
            FormatError, match=r"vocab.txt': it does not say whether letters .*read_vocab_txt\(path, low"
        ):
            Tokenizer.load(path)


def test_the_configuration_beside_it_may_say_so(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(DATA)
    config = tmp_path / "tokenizer_config.json"
    config.write_text('{"do_lower_case": false, "strip_accents": null, "tokenize_chinese_chars": false}')
    expected = BertText(handle_chinese_chars=False, strip_accents=False, lowercase=False)
    assert Tokenizer.load(tmp_path).spec == wordpiece_spec(text=expected)
    assert Tokenizer.load(tmp_path).provenance == {"format": "vocab_txt", "file": "vocab.txt"}
    assert read_vocab_txt(tmp_path / "vocab.txt", lowercase=True).normalizer != wordpiece_spec().normalizer
    config.write_text('{"do_lower_case": true, "do_basic_tokenize": false}')
    with pytest.raises(FormatError, match="do_basic_tokenize: is not true"):
        Tokenizer.load(tmp_path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"x: it has no token '\[UNK\]', which unknown words become"),
        (b"[UNK]\na\nb\na\n", "x, line 4: token 'a' is already in line 2"),
        (b"[UNK]\n\xff\n", "x, line 2: byte 6 is not UTF-8"),
        (b"\xef\xbb\xbf[UNK]\n", "begins with a byte order mark"),
    ],
)
def test_what_is_no_vocabulary_is_refused_by_line(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_vocab_txt(data, BertText(), place="x")


def test_an_empty_line_is_an_id_without_a_token() -> None:
    spec = parse_vocab_txt(b"[UNK]\n\n  \na\n", BertText(), place="x")
    assert spec.vocabulary() == {0: b"[UNK]", 3: b"a"}


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    write_vocab_txt(wordpiece_spec(), tmp_path / "vocab.txt")
    assert (tmp_path / "vocab.txt").read_bytes() == DATA
    assert read_vocab_txt(tmp_path / "vocab.txt", lowercase=True) == wordpiece_spec()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda spec: replace(spec, normalizer=None), "its normalizer is not BERT's"),
        (lambda spec: replace(spec, model=WordpieceModel("[UNK]", "@@")), "its model is not BERT's"),
        (lambda spec: replace(spec, pretokenizer=Pretokenizer("none")), "its pretokenizer is not BERT's"),
        (lambda spec: replace(spec, postprocessor=None), "its postprocessor is not BERT's"),
        (lambda _: wordpiece_spec([*WORDS, "a "]), r"token b'a ' \(id 34\) has a line end or ends in a blank"),
        (lambda _: wordpiece_spec(["[PAD]", "[CLS]", "[SEP]", "[UNK]"]), "is not BERT's"),
    ],
)
def test_what_it_cannot_hold_is_refused(change: Callable[[TokenizerSpec], TokenizerSpec], message: str) -> None:
    with pytest.raises(FormatError, match=f"vocab.txt: cannot hold this tokenizer: .*{message}"):
        render_vocab_txt(change(wordpiece_spec()))


def test_a_vocabulary_under_another_name_is_pointed_at_its_reader(tmp_path: Path) -> None:
    (tmp_path / "words").write_bytes(b"[PAD]\n[UNK]\n")
    with pytest.raises(FormatError, match=r"it is a vocabulary of BERT.*read_vocab_txt"):
        Tokenizer.load(tmp_path / "words")
