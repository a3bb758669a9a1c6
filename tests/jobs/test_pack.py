"""Packing a tokenizer of any kind into one file."""

from pathlib import Path

import pytest

from tokenloom import CorpusError, FormatError, StorageError, Tokenizer, train
from tokenloom.formats import write_hf_json, write_packed
from tokenloom.jobs.pack import pack


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    train(["the cat in the hat"] * 9, 262, ["<|end|>"]).save(tmp_path / "saved")
    return tmp_path


def test_a_packed_tokenizer_is_the_one_that_was_packed(folder: Path) -> None:
    saved = Tokenizer.load(folder / "saved")
    done = pack(folder / "saved", out=folder / "cat.packed")
    loaded = Tokenizer.load(done.path)
    assert (done.vocabulary_size, done.fingerprint) == (len(saved), saved.spec.fingerprint)
    assert (done.n_bytes, loaded.spec, loaded.provenance) == (
        (folder / "cat.packed").stat().st_size,
        saved.spec,
        saved.provenance,
    )
    assert loaded.encode("the hat") == saved.encode("the hat")


def test_a_file_of_another_library_is_packed_with_where_it_comes_from(folder: Path) -> None:
    write_hf_json(Tokenizer.load(folder / "saved").spec, folder / "tokenizer.json")
    pack(folder / "tokenizer.json", out=folder / "theirs.packed")
    assert Tokenizer.load(folder / "theirs.packed").provenance["format"] == "hf_json"


def test_a_packed_file_is_replaced_and_may_be_packed_again(folder: Path) -> None:
    pack(folder / "saved", out=folder / "cat.packed")
    first = (folder / "cat.packed").read_bytes()
    pack(folder / "cat.packed", out=folder / "cat.packed")
    assert (folder / "cat.packed").read_bytes() == first


def test_what_is_no_packed_file_is_kept(folder: Path) -> None:
    (folder / "corpus.txt").write_text("the cat")
    (folder / "gone").symlink_to(folder / "nowhere")
    for name in ("corpus.txt", "gone", "saved/tokenizer.tloom"):
        with pytest.raises(StorageError, match=r"is there and no packed tokenizer, so it is kept. Choose another name"):
            pack(folder / "saved", out=folder / name)
    assert (folder / "corpus.txt").read_text() == "the cat"
    assert Tokenizer.load(folder / "saved").encode("a") == [97]


def test_a_folder_is_no_place_for_it_but_a_file_inside_is(folder: Path) -> None:
    with pytest.raises(StorageError, match=r"saved': is a folder. Name a file, such as '.*packed.tloom'"):
        pack(folder / "saved", out=folder / "saved")
    pack(folder / "saved", out=folder / "saved" / "packed.tloom")
    assert Tokenizer.load(folder / "saved" / "packed.tloom").spec == Tokenizer.load(folder / "saved").spec


def test_nothing_is_written_where_the_tokenizer_cannot_be_read(folder: Path) -> None:
    with pytest.raises(CorpusError, match="there is no such file"):
        pack(folder / "other.json", out=folder / "cat.packed")
    assert not (folder / "cat.packed").exists()
    with pytest.raises(StorageError, match="no-such-folder"):
        pack(folder / "saved", out=folder / "no-such-folder" / "cat.packed")


def test_the_name_of_a_part_of_a_folder_is_refused(folder: Path) -> None:
    """A file of that name is read with its folder, and this one has none."""
    with pytest.raises(FormatError, match=r"is the name of a part of a tokenizer folder.*such as 'packed.tloom'"):
        pack(folder / "saved", out=folder / "tokenizer.tloom")
    assert not (folder / "tokenizer.tloom").exists()


def test_a_tokenizer_writes_itself_packed(folder: Path) -> None:
    tokenizer = Tokenizer.load(folder / "saved")
    tokenizer.save_packed(folder / "cat.packed")
    assert Tokenizer.load(folder / "cat.packed").spec == tokenizer.spec
    assert Tokenizer.load(folder / "cat.packed").provenance == tokenizer.provenance
    with pytest.raises(TypeError, match="path None: is of type NoneType, not a path"):
        tokenizer.save_packed(None)  # type: ignore[arg-type]


def test_a_tokenizer_in_the_place_of_its_spec_is_refused(folder: Path) -> None:
    with pytest.raises(TypeError, match=r"is of type Tokenizer, not TokenizerSpec. Pass .* tokenizer.spec"):
        write_packed(Tokenizer.load(folder / "saved"), folder / "cat.packed")  # type: ignore[arg-type]
