import shutil
from base64 import b64encode
from pathlib import Path

import pytest

from tokenloom.errors import CorpusError, FormatError
from tokenloom.formats import read_tiktoken
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.formats.tiktoken import parse_tiktoken, render_tiktoken
from tokenloom.spec import AddedToken, Pretokenizer, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
LINES = b"".join(b"%b %d\n" % (b64encode(token), byte) for byte, token in BYTES.items())
DATA = LINES + b"YWI= 256\n"


def test_special_tokens_without_ids_are_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(DATA)
    for wrong in (["<p>"], {"<p>"}, "<p>"):
        with pytest.raises(FormatError, match=r"mine: special_tokens .*<p>.* is of type .*\. Pass ids by content"):
            read_tiktoken(tmp_path / "mine", pattern="gpt2", special_tokens=wrong)  # type: ignore[arg-type]


def test_pattern_and_special_tokens_are_passed_beside_the_file(tmp_path: Path) -> None:
    """FM-12: ids between ranks and special tokens have no token."""
    (tmp_path / "mine").write_bytes(DATA)
    spec = read_tiktoken(tmp_path / "mine", pattern="gpt2", special_tokens={"<p>": 300, "<e>": 260})
    assert spec.added_tokens == (AddedToken("<e>", 260), AddedToken("<p>", 300))
    assert spec.pretokenizer == Pretokenizer("gpt2")
    assert len(spec.token_offsets) // 4 - 1 == 301
    assert sorted(spec.vocabulary()) == [*range(257), 260, 300]


def test_what_is_read_is_written_with_the_same_bytes() -> None:
    assert render_tiktoken(parse_tiktoken(DATA, place="x", pattern="none")) == DATA
    spec = build_spec(BYTES | {256: b"ab"}, [], semantics="ranks")
    assert parse_tiktoken(render_tiktoken(spec), place="x", pattern="gpt2") == spec


@pytest.mark.parametrize(
    ("pattern", "pretokenizer"),
    [
        ("cl100k", Pretokenizer("cl100k")),
        (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s", Pretokenizer("gpt2")),
        (r"\w+|\W", Pretokenizer("custom", regex=r"\w+|\W")),
        (Pretokenizer("cl100k", digits=1), Pretokenizer("cl100k", digits=1)),
    ],
)
def test_a_pattern_is_a_name_or_a_regular_expression(pattern: str | Pretokenizer, pretokenizer: Pretokenizer) -> None:
    assert parse_tiktoken(DATA, place="x", pattern=pattern).pretokenizer == pretokenizer


def test_a_published_file_is_known_by_its_checksum(shared: Path) -> None:
    spec = read_tiktoken(shared / "vocabs" / "cl100k_base.tiktoken")
    assert spec == read_tiktoken(shared / "vocabs" / "cl100k_base.tiktoken", name="cl100k_base")
    assert spec.added_tokens[-1] == AddedToken("<|endofprompt|>", 100276)
    assert len(spec.token_offsets) // 4 - 1 == 100_277


def test_encodings_that_share_a_file_are_read_by_name(shared: Path) -> None:
    path = shared / "vocabs" / "o200k_base.tiktoken"
    specials = {token.content: token.id for token in read_tiktoken(path, name="o200k_harmony").added_tokens}
    assert (specials["<|call|>"], specials["<|reserved_201087|>"], len(specials)) == (200012, 201087, 1090)
    assert len(read_tiktoken(path).added_tokens) == 2
    assert read_tiktoken(path, name="o200k_base", special_tokens={}).added_tokens == ()


def test_a_file_that_is_cut_or_changed_has_another_checksum(shared: Path, tmp_path: Path) -> None:
    """FM-15."""
    data = (shared / "vocabs" / "gpt2.tiktoken").read_bytes()
    (tmp_path / "gpt2.tiktoken").write_bytes(data[: data.rindex(b"\n", 0, -1) + 1])
    with pytest.raises(
        FormatError, match=r"gpt2\.tiktoken: it is not the rank file of 'gpt2': its SHA-256 is [0-9a-f]{64}"
    ):
        read_tiktoken(tmp_path / "gpt2.tiktoken", name="gpt2")


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            DATA,
            {},
            r"x: it is no published encoding, and a rank file does not say how text is cut\. Pass name= \('r50k_base'",
        ),
        (LINES[:-1], {}, "x, line 256: .* has no line feed behind it"),
        (
            DATA,
            {"name": "gpt5"},
            r"x: 'gpt5' is no published encoding\. Pass one of 'r50k_base', 'gpt2', .*, or a pattern\.",
        ),
        (DATA, {"name": "gpt2", "pattern": "gpt2"}, "x: it is read with name 'gpt2' and with a pattern"),
        (DATA, {"pattern": "gpt5"}, "x: 'gpt5' is no name of a pattern. Use 'gpt2'"),
        (
            DATA,
            {"pattern": "gpt2", "special_tokens": {"<p>": 97}},
            "x: id 97: it belongs to special token '<p>' and to token",
        ),
        (DATA, {"pattern": "gpt2", "special_tokens": {"<p>": 300, "<q>": 300}}, "another one has its id 300 too"),
        (DATA, {"pattern": "gpt2", "special_tokens": {"<p>": 10**9}}, "x: .*1000000000 is not an id"),
        (
            DATA,
            {"pattern": "gpt2", "special_tokens": {"<p>": 2**24 - 1}},
            "x: its highest id is 16,777,215, and it has 258",
        ),
        (LINES + b"YWI= 16777215\n", {"pattern": "gpt2"}, "x: its highest id is 16,777,215, and it has 257 entries"),
        (DATA, {"pattern": "gpt2", "special_tokens": {"<p>": -1}}, "x: .*-1 is not an id"),
        (DATA, {"pattern": "gpt2", "special_tokens": {"": 300}}, "x: special token with id 300: it is empty"),
    ],
)
def test_contradictions_are_refused_with_the_remedy(data: bytes, options: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_tiktoken(data, place="x", **options)  # type: ignore[arg-type]


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="there is no such file"):
        read_tiktoken(tmp_path / "x.tiktoken", name="gpt2")


def test_published_encodings_are_those_of_tiktoken() -> None:
    """Facts, compared with the library where it is installed: urls, checksums, special tokens, and pattern texts."""
    tiktoken_public = pytest.importorskip("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        loads: list[tuple[str, str | None]] = []
        patch.setattr(
            tiktoken_public, "load_tiktoken_bpe", lambda url, expected_hash: loads.append((url, expected_hash))
        )
        patch.setattr(tiktoken_public, "data_gym_to_mergeable_bpe_ranks", lambda **_: None)
        for name, encoding in ENCODINGS.items():
            theirs = getattr(tiktoken_public, name)()
            expected = {k: v for k, v in theirs["special_tokens"].items() if k != "<|reserved_200018|>"}
            assert expected == encoding.special_tokens
            assert parse_tiktoken(DATA, place="x", pattern=theirs["pat_str"]).pretokenizer.type == encoding.pretokenizer
            if name != "gpt2":
                assert loads.pop() == (encoding.url, encoding.sha256)
    assert set(tiktoken_public.ENCODING_CONSTRUCTORS) == set(ENCODINGS)


def test_copy_keeps_the_checksum_whatever_its_name(shared: Path, tmp_path: Path) -> None:
    shutil.copy(shared / "vocabs" / "gpt2.tiktoken", tmp_path / "abc")
    assert read_tiktoken(tmp_path / "abc").special_tokens == (AddedToken("<|endoftext|>", 50256),)
