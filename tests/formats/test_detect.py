import hashlib
import json
import os
import shutil
from base64 import b64encode
from pathlib import Path

import pytest

from tests.formats import test_tekken
from tokenloom import Tokenizer
from tokenloom.errors import CorpusError, FormatError, StorageError
from tokenloom.formats import native, read_gpt2, write_gpt2, write_hf_json
from tokenloom.formats.detect import load_any
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.spec import AddedToken, Pretokenizer, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
SMALL = build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")])
WITH_SPECIAL = build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")], ["<s>"])


def test_folders_and_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    native.save(WITH_SPECIAL, tmp_path / "native", provenance={"corpus": "none"})
    (tmp_path / "hf").mkdir()
    write_hf_json(WITH_SPECIAL, tmp_path / "hf" / "tokenizer.json")
    shutil.copy(tmp_path / "hf" / "tokenizer.json", tmp_path / "renamed")
    assert load_any(tmp_path / "native") == (WITH_SPECIAL, {"corpus": "none"})
    for path in ("hf", "hf/tokenizer.json", "renamed"):
        spec, provenance = load_any(str(tmp_path / path))
        assert (spec, provenance["format"]) == (WITH_SPECIAL, "hf_json")


def test_a_long_string_without_an_end_is_looked_at_once(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'{"' + b'\\"' * 500_000)
    with pytest.raises(FormatError, match="x, line 1, column 2: not JSON"):
        load_any(tmp_path / "x")


def test_tekken_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "tekken.json").write_bytes(test_tekken.document())
    expected = (test_tekken.read(), {"format": "tekken", "file": "tekken.json"})
    assert load_any(tmp_path) == load_any(tmp_path / "tekken.json") == expected


def test_the_published_pair_of_gpt2_is_known_however_it_was_saved(shared: Path, tmp_path: Path) -> None:
    folder = shared / "vocabs" / "gpt2"
    spec, provenance = load_any(folder)
    assert spec == read_gpt2(folder / "vocab.json", folder / "merges.txt", ["<|endoftext|>"])
    assert (spec.special_tokens, provenance["format"]) == ((AddedToken("<|endoftext|>", 50256),), "gpt2")
    ids = json.loads((folder / "vocab.json").read_bytes())
    (tmp_path / "vocab.json").write_text(json.dumps(dict(sorted(ids.items())), indent=1, ensure_ascii=False))
    merges = b"#version: 0.2\n" + (folder / "merges.txt").read_bytes()
    (tmp_path / "merges.txt").write_bytes(merges.replace(b"\n", b"\r\n"))
    assert load_any(tmp_path)[0] == spec


def test_any_other_pair_needs_a_pattern(tmp_path: Path) -> None:
    """Qwen's files have the same names and another pattern: guessing GPT-2's would give wrong ids in silence."""
    write_gpt2(SMALL, tmp_path / "vocab.json", tmp_path / "merges.txt")
    with pytest.raises(FormatError, match=r"vocab\.json: it is not GPT-2's own, .* how text is cut .*pattern=\.\.\."):
        load_any(tmp_path)
    paths = (tmp_path / "vocab.json", tmp_path / "merges.txt")
    assert Tokenizer.from_files(*paths, pattern="qwen2").spec.pretokenizer == Pretokenizer("qwen2")
    assert Tokenizer.from_files(*paths).spec == SMALL


@pytest.fixture
def empty_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder without files, and cache folders that are empty."""
    for name in ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.mark.parametrize(
    "place",
    [
        "work/r50k_base.tiktoken",
        "work/gpt2.tiktoken",
        "TIKTOKEN_CACHE_DIR/COPY",
        "DATA_GYM_CACHE_DIR/COPY",
        "temporary/data-gym-cache/COPY",
    ],
)
def test_a_name_is_looked_for_where_people_and_tiktoken_keep_it(shared: Path, empty_caches: Path, place: str) -> None:
    copy = hashlib.sha1(ENCODINGS["gpt2"].url.encode()).hexdigest()
    path = empty_caches / place.replace("COPY", copy)
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(shared / "vocabs" / "gpt2.tiktoken", path)
    spec, provenance = load_any("gpt2")
    assert (len(spec.vocabulary()), provenance) == (50_257, {"format": "tiktoken", "encoding": "gpt2"})


def test_a_name_without_a_file_says_how_to_get_it(empty_caches: Path) -> None:
    with pytest.raises(
        CorpusError, match=r"'o200k_harmony': its rank file is not on this machine; there is none of "
    ) as caught:
        load_any("o200k_harmony")
    message = str(caught.value)
    assert message.endswith(
        "Download https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken where there is a network, "
        "and put it there as 'o200k_base.tiktoken', or load that file by its path."
    )
    assert "TIKTOKEN_CACHE_DIR" in message


def test_a_half_written_copy_is_never_used(shared: Path, empty_caches: Path) -> None:
    """FM-15."""
    data = (shared / "vocabs" / "gpt2.tiktoken").read_bytes()
    Path("gpt2.tiktoken").write_bytes(data[: len(data) // 2])
    with pytest.raises(FormatError, match=r"gpt2\.tiktoken: it is not the rank file of 'gpt2'"):
        load_any("gpt2")


def test_a_path_that_exists_comes_before_a_name(empty_caches: Path) -> None:
    native.save(SMALL, "gpt2")
    assert load_any("gpt2")[0] == SMALL


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a/b.txt", b"", CorpusError, "there is no such file in folder"),
        (
            "gpt5",
            None,
            CorpusError,
            r"'gpt5': there is no such file or folder here, and no published encoding .*'gpt2'",
        ),
        (
            "folder",
            None,
            StorageError,
            r"it has no tokenizer\.tloom with manifest\.json, tokenizer\.json, tekken\.json, tokenizer\.model, or",
        ),
        (
            "x.model",
            b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\2\n\x0c",
            FormatError,
            r"x\.model, byte 16: the model has 12 bytes in field 1, and 0 are left\. Restore the file",
        ),
        (
            "tokenizer.model",
            b"\n\x0e\n\x05",
            FormatError,
            r"byte 0: the model has 14 bytes in field 1",
        ),
        (
            "notes.txt",
            b"It was a dark night.\n",
            FormatError,
            "its first line, b'It was a dark night.', is neither JSON",
        ),
        ("blank.txt", b"\n" * 9 + b"a", FormatError, "its first line, b'a', is neither JSON nor"),
        ("merges.txt", b"#version: 0.2\na b\n", FormatError, r"a list of merges, one of two .*from_files\(vocab_path"),
        ("m", "Ġ t\nh e\n".encode(), FormatError, "it may be a list of merges, one of two files"),
        ("t.json.gz", b"\x1f\x8b\x08\0", FormatError, "it is compressed. Unpack it first"),
        ("t.zip", b"PK\x03\x04", FormatError, "it is compressed"),
        ("t.pkl", b"\x80\x04\x95", FormatError, "it is a pickle, which may run any code"),
        (
            "tokenizer.json",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:",
            FormatError,
            "it is a pointer of Git LFS, not the file itself. Fetch it with 'git lfs pull'",
        ),
        (
            "x.tiktoken",
            b"\xef\xbb\xbfIQ== 0\n",
            FormatError,
            "begins with a byte order mark of UTF-8. Save it as UTF-8",
        ),
        ("utf16", '{"model"'.encode("utf-16"), FormatError, "begins with a byte order mark of UTF-16"),
        ("cut.tiktoken", b"IQ= 0\n", FormatError, r"cut\.tiktoken, line 1: b'IQ= 0'|line 1: b'IQ='"),
        (
            "list.json",
            b"[1]",
            FormatError,
            "has neither the model of a tokenizer.json nor the config and vocab of a tek",
        ),
        (
            "tokenizer_config.json",
            b'{"tokenizer_class": "X", "model_max_length": 1}',
            FormatError,
            "is a tokenizer_config.json, which has no vocabulary. Name the tokenizer.json beside it",
        ),
        ("config.json", b'{"model_type": "gpt2"}', FormatError, "describes a model, not its tokenizer"),
        ("t.json", b'{"version": "1.0", "model": [', FormatError, "not JSON"),
        ("a" * 300, None, CorpusError, "cannot be read|there is no such file"),
        ("b/" + "a" * 300, None, CorpusError, "there is no folder 'b'"),
        ("page.json", b"<html></html>", FormatError, "it is a web page, no JSON"),
        ("page.tiktoken", b"<html>\n</html>\n", FormatError, "it is a web page, not a rank file"),
        ("empty.json", b"", FormatError, r"empty\.json, line 1, column 1: not JSON"),
        ("vocab.json", b'{"a": 0}', FormatError, "is a vocabulary alone, without merges. Use Tokenizer.from_files"),
        ("x.tiktoken", b"%b 0\n" % b64encode(b"a"), FormatError, "255 single bytes of 256 have no rank"),
        ("tokenizer.tloom", b"", StorageError, "it is one file of a tokenizer folder. Name the folder"),
    ],
)
def test_what_is_no_tokenizer_is_refused_by_name(
    empty_caches: Path, name: str, content: bytes | None, error: type[Exception], message: str
) -> None:
    Path("a").mkdir()
    Path("folder").mkdir()
    if content is not None and name != "a/b.txt":
        Path(name).write_bytes(content)
    with pytest.raises(error, match=message):
        load_any(name)


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt"])
def test_one_of_two_files_is_pointed_at_both(tmp_path: Path, name: str) -> None:
    write_gpt2(SMALL, tmp_path / "vocab.json", tmp_path / "merges.txt")
    with pytest.raises(FormatError, match=rf"{name}: it is one of two files, .*Name their folder .*from_files"):
        load_any(tmp_path / name)


def test_a_word_of_a_tokenizer_does_not_make_it_another_kind(tmp_path: Path) -> None:
    """A tokenizer.json with the token "token_bytes", and a tekken.json whose vocabulary comes late."""
    vocabulary = BYTES | {256: b'"token_bytes"', 257: b'"vocab":[', 258: b'"config":{'}
    write_hf_json(build_spec(vocabulary, [], list(map(bytes.decode, list(vocabulary.values())[256:]))), tmp_path / "a")
    assert load_any(tmp_path / "a")[1]["format"] == "hf_json"
    top = json.loads(test_tekken.document())
    late = {"type": "Tekken " + "x" * 100_000, "special_tokens": top.pop("special_tokens", None)} | top
    (tmp_path / "b").write_text(json.dumps(late))
    assert load_any(tmp_path / "b")[1]["format"] == "tekken"


def test_a_manifest_of_others_does_not_shut_a_folder(tmp_path: Path) -> None:
    write_hf_json(SMALL, tmp_path / "tokenizer.json")
    (tmp_path / "manifest.json").write_text('{"files": ["tokenizer.json"]}')
    assert Tokenizer.load(tmp_path).spec == SMALL
    with pytest.raises(StorageError, match=r"it holds other files, the first is 'manifest\.json'"):
        Tokenizer.load(tmp_path).save(tmp_path)


def test_a_folder_with_a_rank_file_alone_names_it(tmp_path: Path) -> None:
    (tmp_path / "mine.tiktoken").write_bytes(b"IQ== 0\n")
    with pytest.raises(StorageError, match=r"it holds the rank file 'mine\.tiktoken'\. Name that file"):
        load_any(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with a name")
@pytest.mark.parametrize("name", ["pipe", "tokenizer.json", "tekken.json", "tokenizer.tloom", "manifest.json"])
def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(tmp_path: Path, name: str) -> None:
    if name in {"manifest.json", "tokenizer.tloom"}:
        native.save(SMALL, tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises((CorpusError, StorageError), match=rf"{name}': is a pipe, a socket or a device"):
        Tokenizer.load(tmp_path / name if name == "pipe" else tmp_path)


def test_a_device_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"'/dev/zero': is a pipe, a socket or a device"):
        load_any("/dev/zero")


def test_a_merge_that_the_core_refuses_names_the_file(tmp_path: Path) -> None:
    """FM-08: its result is no token."""
    write_hf_json(SMALL, tmp_path / "tokenizer.json")
    top = json.loads((tmp_path / "tokenizer.json").read_bytes())
    top["model"]["merges"] = [["a", "c"]]
    (tmp_path / "tokenizer.json").write_text(json.dumps(top))
    with pytest.raises(FormatError, match=r"merge 0.*b'ac'") as caught:
        Tokenizer.load(tmp_path)
    assert str(caught.value).startswith(repr(str(tmp_path)))


def test_a_pattern_that_the_core_refuses_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "tekken.json").write_bytes(test_tekken.document(lambda top: top["config"].update(pattern="(")))
    with pytest.raises(FormatError, match=r"tekken\.json': .*'\('"):
        Tokenizer.load(tmp_path / "tekken.json")
