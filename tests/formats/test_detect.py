import hashlib
import json
import shutil
from base64 import b64encode
from pathlib import Path

import pytest

from tests.formats import test_tekken
from tokenloom import Tokenizer
from tokenloom.errors import CorpusError, FormatError, StorageError
from tokenloom.formats import native, write_gpt2, write_hf_json
from tokenloom.formats.detect import load_any
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.spec import build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
SMALL = build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")])
WITH_SPECIAL = build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")], ["<s>"])


def test_folders_and_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    native.save(WITH_SPECIAL, tmp_path / "native", provenance={"corpus": "none"})
    (tmp_path / "hf").mkdir()
    write_hf_json(WITH_SPECIAL, tmp_path / "hf" / "tokenizer.json")
    shutil.copy(tmp_path / "hf" / "tokenizer.json", tmp_path / "renamed")
    (tmp_path / "gpt2").mkdir()
    write_gpt2(SMALL, tmp_path / "gpt2" / "vocab.json", tmp_path / "gpt2" / "merges.txt")
    assert load_any(tmp_path / "native") == (WITH_SPECIAL, {"corpus": "none"})
    for path in ("hf", "hf/tokenizer.json", "renamed"):
        spec, provenance = load_any(str(tmp_path / path))
        assert (spec, provenance["format"]) == (WITH_SPECIAL, "hf_json")
    assert load_any(tmp_path / "gpt2") == (SMALL, {"format": "gpt2", "file": "vocab.json"})


def test_tekken_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "tekken.json").write_bytes(test_tekken.document())
    expected = (test_tekken.read(), {"format": "tekken", "file": "tekken.json"})
    assert load_any(tmp_path) == load_any(tmp_path / "tekken.json") == expected


def test_settings_of_the_file_are_in_the_provenance(tmp_path: Path) -> None:
    write_hf_json(SMALL, tmp_path / "tokenizer.json")
    data = (tmp_path / "tokenizer.json").read_text().replace('"padding": null', '"padding": {"pad_id": 0}')
    (tmp_path / "tokenizer.json").write_text(data)
    assert dict(Tokenizer.load(tmp_path).provenance) == {
        "format": "hf_json",
        "file": "tokenizer.json",
        "padding": {"pad_id": 0},
    }


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
            r"it has no manifest\.json, tokenizer\.json, tekken\.json, or vocab\.json with merges",
        ),
        ("x.model", b"\n\x0e\n\x05<unk>", FormatError, r"x\.model, line 2: "),
        ("page.json", b"<html></html>", FormatError, "it is a web page, no JSON"),
        ("page.tiktoken", b"<html>\n</html>\n", FormatError, "it is a web page, not a rank file"),
        ("empty.json", b"", FormatError, r"empty\.json, line 1, column 1: not JSON"),
        ("vocab.json", b'{"a": 0}', FormatError, r"vocab\.json, top level: has the key 'a'"),
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


@pytest.mark.parametrize(("name", "what"), [("tokenizer.model", "a SentencePiece model"), ("vocab.txt", "a WordPiece")])
def test_formats_that_are_not_read_are_named(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(FormatError, match=f"{name}': it is {what}"):
        load_any(tmp_path)


def test_one_of_gpt2s_two_files_is_pointed_at_the_folder(tmp_path: Path) -> None:
    write_gpt2(SMALL, tmp_path / "vocab.json", tmp_path / "merges.txt")
    with pytest.raises(FormatError, match=r"vocab\.json: it is one of two files, with merges\.txt\. Name their folder"):
        load_any(tmp_path / "vocab.json")


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([["a", "b"], ["a", "b"]], r"merge 1 .*merge 0"),
        ([["a", "c"]], r"merge 0.*b'ac'"),
    ],
)
def test_merges_that_the_core_refuses_name_the_file(tmp_path: Path, merges: list[list[str]], message: str) -> None:
    """FM-06, FM-08: a merge that is there twice, or whose result is no token."""
    write_hf_json(SMALL, tmp_path / "tokenizer.json")
    top = json.loads((tmp_path / "tokenizer.json").read_bytes())
    top["model"]["merges"] = merges
    (tmp_path / "tokenizer.json").write_text(json.dumps(top))
    with pytest.raises(FormatError, match=message) as caught:
        Tokenizer.load(tmp_path)
    assert str(caught.value).startswith(repr(str(tmp_path)))


def test_a_pattern_that_the_core_refuses_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "tekken.json").write_bytes(test_tekken.document(lambda top: top["config"].update(pattern="(")))
    with pytest.raises(FormatError, match=r"tekken\.json': .*'\('"):
        Tokenizer.load(tmp_path / "tekken.json")
