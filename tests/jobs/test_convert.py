"""Converting a tokenizer: exact and read again, refused with the reason, or measured."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.characters import character_tokenizer
from tokenloom import FormatError, StorageError, Tokenizer, train
from tokenloom.formats import native, read_gpt2, read_hf_json, read_subword_nmt, read_tiktoken, write_packed
from tokenloom.formats.conversions import TARGETS, TargetName
from tokenloom.jobs.convert import convert
from tokenloom.spec import AddedToken, BpeModel, Lowercase, Normalizer, Pretokenizer, Template, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}


@pytest.fixture
def trained() -> Tokenizer:
    """On a few words, with GPT-2's pattern."""
    return train(["the cat in the hat sat"] * 3, 266, ["<|end|>"])


def packed(tmp_path: Path, tokenizer: Tokenizer, **parts: Any) -> Path:
    """The tokenizer in a file, with some parts changed."""
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.packed"
    write_packed(replace(tokenizer.spec, **parts), path)
    return path


def test_every_kind_of_file_is_read_by_its_own_reader_as_the_same(trained: Tokenizer, tmp_path: Path) -> None:
    source = packed(tmp_path, trained)
    convert(source, to="tokenizer.json", out=tmp_path / "a.json")
    assert read_hf_json(tmp_path / "a.json") == trained.spec
    convert(source, to="tiktoken", out=tmp_path / "a.tiktoken")
    ranks = read_tiktoken(tmp_path / "a.tiktoken", pattern="gpt2", special_tokens=trained.special_tokens)
    assert ranks.vocabulary() == trained.vocabulary
    done = convert(source, to="gpt2", out=tmp_path / "folder")
    assert [path.name for path in done.paths] == ["vocab.json", "merges.txt"]
    assert read_gpt2(done.paths[0], done.paths[1], ["<|end|>"]) == trained.spec
    assert (done.differences, done.n_docs, done.first) == ((), 0, None)
    assert done.n_bytes == sum(path.stat().st_size for path in done.paths)


def test_codes_keep_their_merges_and_no_ids(tmp_path: Path) -> None:
    (tmp_path / "codes").write_text("#version: 0.2\nt h\nth e</w>\na t</w>\n")
    done = convert(tmp_path / "codes", to="subword-nmt", out=tmp_path / "again")
    assert done.paths[0].read_text() == (tmp_path / "codes").read_text()
    convert(tmp_path / "codes", to="tokenizer.json", out=tmp_path / "codes.json")
    convert(tmp_path / "codes.json", to="subword-nmt", out=tmp_path / "third")
    assert read_subword_nmt(tmp_path / "third") == read_subword_nmt(tmp_path / "codes")


def test_a_sentencepiece_model_is_written_and_byte_tokens_are_refused_there(
    trained: Tokenizer, tmp_path: Path, shared: Path
) -> None:
    source = shared / "vocabs" / "mistral_v1" / "tokenizer.model"
    convert(source, to="sentencepiece", out=tmp_path / "again.model")
    assert Tokenizer.load(tmp_path / "again.model").spec == Tokenizer.load(source).spec
    with pytest.raises(FormatError, match=r"out.*Or allow differences"):
        convert(packed(tmp_path, trained), to="sentencepiece", out=tmp_path / "out")


def test_a_folder_takes_the_file_under_its_usual_name(trained: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    kinds: tuple[TargetName, ...] = ("tokenizer.json", "tiktoken")
    for to in kinds:
        done = convert(packed(tmp_path, trained), to=to, out=tmp_path / "out")
        assert done.paths == (tmp_path / "out" / TARGETS[to].names[0],)


def test_what_is_there_is_kept(trained: Tokenizer, tmp_path: Path) -> None:
    source = packed(tmp_path, trained)
    (tmp_path / "notes").write_text("keep me")
    with pytest.raises(StorageError, match=r"is there, so it is kept\. Choose another name"):
        convert(source, to="tiktoken", out=tmp_path / "notes")
    with pytest.raises(StorageError, match="is no folder, and there are 2 files"):
        convert(source, to="gpt2", out=tmp_path / "notes")
    with pytest.raises(StorageError, match=r"is not empty\. Choose a new or empty folder"):
        convert(source, to="gpt2", out=tmp_path)
    assert (tmp_path / "notes").read_text() == "keep me"


O200K: Final = Pretokenizer("o200k")
REFUSED: Final[dict[str, tuple[TargetName, dict[str, Any], str]]] = {
    "pattern": ("gpt2", {"pretokenizer": O200K}, "GPT-2's pattern in the place of pretokenizer 'o200k'"),
    "normalizer": ("tiktoken", {"normalizer": Normalizer((Lowercase(),))}, "without a normalizer"),
    "template": ("tiktoken", {"postprocessor": Template((265, "A"), ())}, "without a postprocessor"),
    "flags": (
        "tiktoken",
        {"added_tokens": (AddedToken("<|end|>", 265, lstrip=True),)},
        "without the flags ['lstrip'] of special token '<|end|>'",
    ),
    "whole pieces": ("gpt2", {"model": BpeModel("merges", ignore_merges=True)}, "without ignore_merges"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_file_cannot_hold_is_refused_or_left_out(name: str, trained: Tokenizer, tmp_path: Path) -> None:
    to, parts, words = REFUSED[name]
    source = packed(tmp_path, trained, **parts)
    with pytest.raises(FormatError, match=r"cannot hold .* Or allow differences, and pass a text") as caught:
        convert(source, to=to, out=tmp_path / "out")
    assert str(tmp_path / "out") in str(caught.value)
    assert not (tmp_path / "out").exists()
    (tmp_path / "text.txt").write_text("the CAT  <|end|> sat\nthe hat\n" * 2)
    done = convert(source, to=to, out=tmp_path / "out", allow_differences=True, texts=[tmp_path / "text.txt"])
    assert done.differences == (words,)
    assert done.n_docs == 4


def test_documents_that_differ_are_counted_and_the_first_is_shown(trained: Tokenizer, tmp_path: Path) -> None:
    source = packed(tmp_path, trained, normalizer=Normalizer((Lowercase(),)))
    (tmp_path / "text.txt").write_text("the cat\nin The\nTHE\nsat\n")
    done = convert(source, to="tiktoken", out=tmp_path / "out", allow_differences=True, texts=[tmp_path / "text.txt"])
    assert (done.n_different, done.n_docs) == (2, 4)
    assert done.first is not None
    assert (done.first.document, done.first.text) == (2, b" The")
    assert done.first.after == tuple(trained.encode(" The"))
    assert done.first.before == tuple(trained.encode(" the"))


def test_ranks_stand_in_for_merges_that_are_no_ranks(tmp_path: Path) -> None:
    """The second merge would come first by its rank."""
    merges = [(b"b", b"c"), (b"a", b"b")]
    tokenizer = Tokenizer.from_spec(build_spec(BYTES | {256: b"ab", 257: b"bc"}, merges))
    source = packed(tmp_path, tokenizer)
    with pytest.raises(FormatError, match="the order of ids is not the order of merges"):
        convert(source, to="tiktoken", out=tmp_path / "out")
    (tmp_path / "text.txt").write_text("ab\nabc\nbc\n")
    done = convert(source, to="tiktoken", out=tmp_path / "out", allow_differences=True, texts=[tmp_path / "text.txt"])
    assert (done.n_different, done.n_docs, done.first and done.first.document) == (1, 3, 2)
    assert done.first is not None
    assert (done.first.before, done.first.after) == ((97, 257), (256, 99))


def test_nothing_near_is_refused_too(trained: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a")
    allowed: dict[str, Any] = {"allow_differences": True, "texts": [tmp_path / "text.txt"]}
    with pytest.raises(FormatError, match="no such file is near a tokenizer with a model that joins characters"):
        convert(packed(tmp_path, character_tokenizer()), to="tiktoken", out=tmp_path / "out", **allowed)
    with pytest.raises(FormatError, match="and this tokenizer has bytes"):
        convert(packed(tmp_path, trained), to="subword-nmt", out=tmp_path / "out", **allowed)
    with pytest.raises(FormatError, match="without a text nothing tells how much differs"):
        convert(packed(tmp_path, trained), to="gpt2", out=tmp_path / "out", allow_differences=True)
    with pytest.raises(FormatError, match=r"to 'onnx': is unknown\. Use one of 'tokenizer.json'"):
        convert(packed(tmp_path, trained), to="onnx", out=tmp_path / "out")  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_a_file_that_reads_as_another_tokenizer_is_not_written(
    trained: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a fault of a reader or a writer would do."""
    other = replace(trained.spec, pretokenizer=Pretokenizer("none"))
    target = replace(TARGETS["tokenizer.json"], read=lambda _paths, _spec: other)
    monkeypatch.setattr("tokenloom.jobs.convert.TARGETS", TARGETS | {"tokenizer.json": target})
    with pytest.raises(FormatError, match=r"it would give .* the ids .*, so it is not written"):
        convert(packed(tmp_path, trained), to="tokenizer.json", out=tmp_path / "out")
    worse = replace(target, read=lambda _paths, _spec: build_spec(BYTES, []))
    monkeypatch.setattr("tokenloom.jobs.convert.TARGETS", TARGETS | {"tokenizer.json": worse})
    with pytest.raises(FormatError, match="read again it has other tokens, so it is not written"):
        convert(packed(tmp_path, trained), to="tokenizer.json", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_merges_of_blanks_come_through_there_and_back(shared: Path, tmp_path: Path) -> None:
    """FM-20."""
    source = shared / "vocabs" / "cl100k_base.tiktoken"
    convert(source, to="tokenizer.json", out=tmp_path / "cl100k.json")
    converted = Tokenizer.load(tmp_path / "cl100k.json")
    assert (converted.encode("  "), converted.encode("   x")) == ([256], [256, 865])
    convert(tmp_path / "cl100k.json", to="tiktoken", out=tmp_path / "back.tiktoken")
    assert (tmp_path / "back.tiktoken").read_bytes() == source.read_bytes()


def test_settings_of_a_tokenizer_json_stay_in_it(trained: Tokenizer, tmp_path: Path) -> None:
    truncation = {"direction": "Left", "max_length": 7, "strategy": "OnlyFirst", "stride": 1}
    known = {"format": "hf_json", "truncation": truncation}
    native.save(trained.spec, tmp_path / "saved", provenance=known)
    convert(tmp_path / "saved", to="tokenizer.json", out=tmp_path / "a.json")
    assert Tokenizer.load(tmp_path / "a.json").provenance["truncation"] == truncation
