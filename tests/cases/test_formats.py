"""FM: file formats and conversion. Each test is a public report of a fault in other software; see its id.

Vocabularies of the reports have few tokens; ours need all 256 bytes (FM-13), so ids of further tokens begin at 256.
FM-18 and FM-19 are about SentencePiece's kind of vocabulary.
"""

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cases.vocabularies import BYTES, from_hf_json
from tests.interop.published import ours, rendered
from tokenloom import FormatError, FormatWarning, Tokenizer
from tokenloom.formats import read_tiktoken
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.spec import BpeModel, Pretokenizer
from tokenloom.spec.alphabets import to_characters

BYTE_LINES = b"".join(b"%b %d\n" % (b64encode(token), byte) for byte, token in BYTES.items())
VOCAB = {to_characters(token): byte for byte, token in BYTES.items()}

FLAGS = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}


def hf_json(folder: Path, *, vocab: dict[str, int], merges: Sequence[Any], added: Sequence[Any] = ()) -> Tokenizer:
    """A tokenizer from a `tokenizer.json` with the bytes and these tokens, which is not cut into pretokens."""
    tokens = [{"content": content, "id": token_id, **FLAGS} for content, token_id in added]
    return from_hf_json(folder, model={"vocab": VOCAB | vocab, "merges": merges}, added_tokens=tokens)


def of_characters(folder: Path, vocab: dict[str, int], merges: Sequence[Any], added: Sequence[Any] = ()) -> Tokenizer:
    """As `hf_json`, but exactly these tokens, which are made of characters."""
    tokens = [{"content": content, "id": token_id, **FLAGS} for content, token_id in added]
    parts: dict[str, Any] = {"pre_tokenizer": None, "post_processor": None, "decoder": None, "added_tokens": tokens}
    return from_hf_json(folder, model={"vocab": vocab, "merges": merges}, **parts)


def gpt2_files(folder: Path, *, vocab: dict[str, int], merges: bytes) -> Tokenizer:
    (folder / "vocab.json").write_text(json.dumps(VOCAB | vocab))
    (folder / "merges.txt").write_bytes(merges)
    return Tokenizer.from_files(folder / "vocab.json", folder / "merges.txt")


def test_tokens_with_blanks_are_merged_before_and_after_saving(tmp_path: Path) -> None:
    """FM-01."""
    blank = to_characters(b" ")
    vocab = {f"a{blank}": 256, f"a{blank}b": 257}
    tokenizer = hf_json(tmp_path, vocab=vocab, merges=[["a", blank], [f"a{blank}", "b"]])
    tokenizer.save(tmp_path / "saved")
    assert tokenizer.encode("a b") == Tokenizer.load(tmp_path / "saved").encode("a b") == [257]
    assert Tokenizer.load(tmp_path / "saved" / "tokenizer.json").encode("a b") == [257]


def test_tokens_of_characters_with_blanks_are_merged_before_and_after_saving(tmp_path: Path) -> None:
    """FM-01: with the vocabulary of the report."""
    tokenizer = of_characters(tmp_path, {"a": 0, " ": 1, "b": 2, "a ": 3, "a b": 4}, [["a", " "], ["a ", "b"]])
    with pytest.warns(FormatWarning, match=r"saved without tokenizer\.tiktoken"):
        tokenizer.save(tmp_path / "saved")
    assert tokenizer.encode("a b") == Tokenizer.load(tmp_path / "saved").encode("a b") == [4]


@pytest.mark.parametrize(
    ("vocab", "merges", "added", "message"),
    [
        ("a| |b|a |a b", ["a  ", "a  b"], [], r"model\.merges\[0\]: 'a  ' is not two tokens"),
        ("a|b", [["a", "b"]], [], r"'ab'.* is not in "),
        ("a|b", [], [("<x>", 1)], "'<x>' has id 1, which is that of 'b'"),
        ("a|b", [], [("<x>", 2), ("<x>", 3)], "'<x>' is already added_tokens"),
    ],
)
def test_of_tokens_of_characters_too_contradictions_are_refused(
    tmp_path: Path, vocab: str, merges: Sequence[Any], added: Sequence[Any], message: str
) -> None:
    """FM-02, FM-08, FM-10, FM-11: with the vocabularies of the reports."""
    with pytest.raises(FormatError, match=message):
        of_characters(tmp_path, {token: i for i, token in enumerate(vocab.split("|"))}, merges, added)


def test_of_the_same_merge_twice_the_last_counts_for_tokens_of_characters(tmp_path: Path) -> None:
    """FM-06: as in the library, with a warning."""
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4}
    with pytest.warns(FormatWarning, match="comes again"):
        tokenizer = of_characters(tmp_path, vocab, [["a", "b"], ["b", "c"], ["a", "b"]])
    assert tokenizer.encode("abc") == [0, 4]


def test_a_merge_as_a_string_with_two_blanks_is_refused(tmp_path: Path) -> None:
    """FM-02: naming the entry; a token with a blank in it is read where merges are pairs."""
    with pytest.raises(FormatError, match=r"model\.merges\[0\]: 'a  ' is not two tokens"):
        hf_json(tmp_path, vocab={"a ": 256, "a b": 257}, merges=["a  ", "a  b"])


def test_only_a_first_line_with_version_is_a_header(shared: Path, tmp_path: Path) -> None:
    """FM-03: merges may begin with #."""
    tokenizer = gpt2_files(tmp_path, vocab={"##": 256, "##a": 257}, merges=b"#version: 0.2\n# #\n## a\n")
    uncut = Tokenizer.from_spec(replace(tokenizer.spec, pretokenizer=Pretokenizer("none")))
    assert uncut.encode("##a") == [257]
    assert ours(shared, "gpt2").encode("##") == [2235]


def test_line_ends_inside_tokens_are_byte_mapped(tmp_path: Path) -> None:
    """FM-04: a line with a blank and a carriage return is no merge of one."""
    vocabulary = BYTES | {256: b"a\n", 257: b"a\r"}
    tokenizer = Tokenizer(vocabulary, [(b"a", b"\n"), (b"a", b"\r")], pattern="gpt2")
    tokenizer.save_files(tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert (tmp_path / "merges.txt").read_bytes() == "#version: 0.2\na \u010a\na \u010d\n".encode()
    assert Tokenizer.from_files(tmp_path / "vocab.json", tmp_path / "merges.txt").spec == tokenizer.spec
    with pytest.raises(FormatError, match=r"merges\.txt, line 1: 'a ' is not two tokens"):
        gpt2_files(tmp_path, vocab={"ab": 256}, merges=b"a \r\n")


def test_files_with_crlf_are_read_as_with_lf(tmp_path: Path) -> None:
    """FM-05."""
    merges = b"#version: 0.2\na b\nab c\n"
    expected = gpt2_files(tmp_path, vocab={"ab": 256, "abc": 257}, merges=merges)
    crlf = gpt2_files(tmp_path, vocab={"ab": 256, "abc": 257}, merges=merges.replace(b"\n", b"\r\n"))
    assert (crlf.spec, crlf.encode("abcab")) == (expected.spec, [257, 256])
    (tmp_path / "lf").write_bytes(BYTE_LINES)
    (tmp_path / "crlf").write_bytes(BYTE_LINES.replace(b"\n", b"\r\n"))
    assert read_tiktoken(tmp_path / "lf", pattern="gpt2") == read_tiktoken(tmp_path / "crlf", pattern="gpt2")


def test_of_the_same_merge_twice_the_last_counts(tmp_path: Path) -> None:
    """FM-06: as in the library, with a warning. In merges.txt, which no one library defines, it is refused."""
    with pytest.warns(
        FormatWarning, match=r"model\.merges\[0\]: its merge \['a', 'b'\] comes again as model\.merges\[2\]"
    ):
        tokenizer = hf_json(tmp_path, vocab={"ab": 256, "bc": 257}, merges=[["a", "b"], ["b", "c"], ["a", "b"]])
    assert tokenizer.encode("abc") == [VOCAB["a"], 257]
    with pytest.raises(FormatError, match=r"merges\.txt, line 2"):
        gpt2_files(tmp_path, vocab={"ab": 256}, merges=b"a b\na b\n")


def test_tokens_that_no_merge_makes_are_found_whole(shared: Path) -> None:
    """FM-07."""
    tokenizer = ours(shared, "llama3_1")
    assert tokenizer.encode(" vi\u1ec7c") == [100769]
    spec = replace(tokenizer.spec, model=BpeModel("merges"), pretokenizer=Pretokenizer("none"))
    by_merges, tokens = Tokenizer.from_spec(spec), sorted(spec.vocabulary().items())[:128_000]
    assert by_merges.encode(" vi\u1ec7c") == [3355, 26298, 66]
    batch = by_merges.encode_batch(token for _, token in tokens)
    assert sum(ids.tolist() != [i] for (i, _), ids in zip(tokens, batch, strict=True)) == 588


def test_a_merge_without_a_result_is_refused(tmp_path: Path) -> None:
    """FM-08."""
    with pytest.raises(ValueError, match=r"merge 0 makes b'ab', which is not in the vocabulary"):
        hf_json(tmp_path, vocab={}, merges=[["a", "b"]])


def test_an_added_token_with_the_id_of_another_is_refused(tmp_path: Path) -> None:
    """FM-10: naming both."""
    with pytest.raises(FormatError, match=r"added_tokens\[0\]: '<x>' has id 98, which is that of 'b' in model\.vocab"):
        hf_json(tmp_path, vocab={}, merges=[], added=[("<x>", 98)])


def test_the_same_added_token_twice_is_refused(tmp_path: Path) -> None:
    """FM-11."""
    with pytest.raises(FormatError, match=r"added_tokens\[1\]: '<x>' is already added_tokens\[0\]"):
        hf_json(tmp_path, vocab={}, merges=[], added=[("<x>", 256), ("<x>", 257)])


def test_ids_between_ranks_and_special_tokens_have_no_token(tmp_path: Path) -> None:
    """FM-12."""
    (tmp_path / "ranks").write_bytes(BYTE_LINES)
    spec = read_tiktoken(tmp_path / "ranks", pattern="gpt2", special_tokens={"<e>": 260, "<p>": 300})
    tokenizer = Tokenizer.from_spec(spec, special_text="parse")
    assert (len(tokenizer), tokenizer.encode("a<p>")) == (301, [97, 300])
    assert sorted(tokenizer.vocabulary) == [*range(256), 260, 300]


def test_a_rank_file_without_a_byte_is_refused(tmp_path: Path) -> None:
    """FM-13."""
    (tmp_path / "ranks").write_bytes(BYTE_LINES.replace(b"eg== 122\n", b""))
    with pytest.raises(FormatError, match=r"ranks: 1 single byte of 256 have no rank, the first is b'z'"):
        read_tiktoken(tmp_path / "ranks", pattern="gpt2")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"YQ== 0\nYg==", r"ranks, line 2: b'Yg==' has no line feed behind it"),
        (b"<html>\n", "line 1: it is a web page"),
    ],
)
def test_a_file_that_was_cut_is_refused_with_its_line(tmp_path: Path, data: bytes, message: str) -> None:
    """FM-15."""
    (tmp_path / "ranks").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_tiktoken(tmp_path / "ranks", pattern="gpt2")


def test_another_checksum_is_an_error_before_anything_is_encoded(tmp_path: Path) -> None:
    """FM-15: a half-written copy in tiktoken's cache is refused likewise, see `tests/formats/test_detect.py`."""
    (tmp_path / "ranks").write_bytes(BYTE_LINES)
    with pytest.raises(FormatError, match=r"ranks: it is not the rank file of 'cl100k_base': its SHA-256 is"):
        read_tiktoken(tmp_path / "ranks", name="cl100k_base")


def test_the_byte_alphabet_is_not_taken_for_letters(tmp_path: Path) -> None:
    """FM-16: an export keeps both apart."""
    tokenizer = hf_json(tmp_path, vocab={"\u00c3\u00a9": 256}, merges=[["\u00c3", "\u00a9"]])
    assert (tokenizer.token_bytes(VOCAB["\u00e9"]), tokenizer.token_bytes(256)) == (b"\xe9", "\u00e9".encode())
    assert tokenizer.encode("\u00e9") == [256]
    assert parse_hf_json(render_hf_json(tokenizer.spec), place="x")[0] == tokenizer.spec


def test_ids_of_tekken_lie_behind_a_thousand_special_tokens(shared: Path) -> None:
    """FM-17: of the 150,000 tokens that the file lists, 130,072 are used."""
    tokenizer = ours(shared, "tekken")
    assert tokenizer.encode_batch(["hello world"]).framed([1], [2])[0].tolist() == [1, 29706, 4304, 2]
    assert (len(tokenizer), len(tokenizer.special_tokens), len(tokenizer.vocabulary)) == (131_072, 1000, 131_072)
    assert {name: tokenizer.special_tokens[name] for name in ("<s>", "</s>")} == {"<s>": 1, "</s>": 2}


def test_a_conversion_keeps_merges_of_blanks(shared: Path) -> None:
    """FM-20."""
    spec, _ = parse_hf_json(rendered(shared, "cl100k_base"), place="x")
    converted = Tokenizer.from_spec(spec)
    assert (converted.encode("  "), converted.encode("   x")) == ([256], [256, 865])
