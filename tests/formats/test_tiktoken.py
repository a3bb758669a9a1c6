from dataclasses import replace
from pathlib import Path

import pytest

from tokenloom import Tokenizer
from tokenloom.errors import FormatError, FormatWarning
from tokenloom.formats import write_tiktoken
from tokenloom.formats.tiktoken import render_tiktoken
from tokenloom.spec import Pretokenizer, build_spec
from tokenloom.spec.packing import pack_uint32

BYTES = {byte: bytes([byte]) for byte in range(256)}
Merges = list[tuple[bytes, bytes]]


def test_lines_are_tokens_and_ids_without_special_tokens(tmp_path: Path) -> None:
    spec = build_spec(BYTES | {257: b"\n\xff"}, [(b"\n", b"\xff")], ["<s>"])
    write_tiktoken(spec, tmp_path / "ranks")
    lines = (tmp_path / "ranks").read_bytes().split(b"\n")
    assert (lines[0], lines[65], lines[256], lines[257]) == (b"AA== 0", b"QQ== 65", b"Cv8= 257", b"")


def test_ranks_are_written_as_they_are() -> None:
    spec = build_spec(BYTES | {256: b"abc"}, [], semantics="ranks")
    assert render_tiktoken(spec).endswith(b"/w== 255\nYWJj 256\n")


@pytest.mark.parametrize(
    ("vocabulary", "merges", "message"),
    [
        (
            {257: b"ab", 256: b"cd"},
            [(b"a", b"b"), (b"c", b"d")],
            r"order of merges: merge 1 makes b'cd' \(id 256\), the merge before it b'ab' \(id 257\)\. Use another",
        ),
        ({256: b"<s>"}, [], r"token b'<s>' \(id 256\) comes from no merge"),
        (
            {256: b"aa", 257: b"aaa"},
            [(b"a", b"a"), (b"aa", b"a"), (b"a", b"aa")],
            r"merge 2 makes b'aaa' \(id 257\), the merge before it b'aaa'",
        ),
        (
            {256: b"bc", 257: b"ab", 258: b"abc"},
            [(b"b", b"c"), (b"a", b"b"), (b"ab", b"c")],
            r"b'abc' \(id 258\) is merged from \(b'ab', b'c'\), but lower ranks give \(b'a', b'bc'\)",
        ),
    ],
)
def test_merges_that_ranks_do_not_say_are_refused(vocabulary: dict[int, bytes], merges: Merges, message: str) -> None:
    spec = build_spec(BYTES | vocabulary, merges)
    with pytest.raises(FormatError, match=f"x: a rank file cannot hold this tokenizer: .*{message}"):
        render_tiktoken(spec, place="x")


def test_a_merge_that_makes_no_token_is_named() -> None:
    spec = replace(build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")]), merges=pack_uint32([97, 98, 97, 99]))
    with pytest.raises(
        FormatError, match=r"cannot hold this tokenizer: merge 1: the result b'ac' of b'a' \+ b'c' is not"
    ):
        render_tiktoken(spec)


def test_a_custom_pattern_is_not_exported_because_tiktoken_drops_what_it_does_not_cover(tmp_path: Path) -> None:
    tokenizer = Tokenizer({i: bytes([i]) for i in range(256)}, [], pattern=Pretokenizer("custom", regex=r"[a-z]+"))
    assert tokenizer.decode(tokenizer.encode("a 1 b")) == "a 1 b"
    with pytest.warns(FormatWarning, match=r"without tokenizer\.tiktoken\. .*custom pattern '\[a-z\]\+'"):
        tokenizer.save(tmp_path / "saved")
    assert not (tmp_path / "saved" / "tokenizer.tiktoken").exists()
