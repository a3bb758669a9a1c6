import itertools
import json
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tokenloom
from tokenloom import StorageError, Tokenizer
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.encode import EncodeOptions, encode_corpus
from tokenloom.shards import ShardSet
from tokenloom.shards import open as open_shards
from tokenloom.shards.layout import ShardHeader, SourceRow, npy_header
from tokenloom.storage import FileRow, measure_file, read_manifest, write_manifest

TEXTS = ["the cat", "", "in the hat", "a", "   ", ""]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return tokenloom.train([" ".join(TEXTS)], 264, ["<|end|>"])


@pytest.fixture
def folder(tokenizer: Tokenizer, tmp_path: Path) -> Path:
    (tmp_path / "corpus.txt").write_text("|".join(TEXTS))
    documents = DocumentOptions(document_separator=b"|")
    encode_corpus(
        [tmp_path / "corpus.txt"],
        tokenizer=tokenizer,
        out=tmp_path / "shards",
        documents=documents,
        options=EncodeOptions(shard_tokens=5, end_of_document="<|end|>"),
    )
    return tmp_path / "shards"


def expected(tokenizer: Tokenizer) -> list[list[int]]:
    return [[*tokenizer.encode(text), tokenizer.special_tokens["<|end|>"]] for text in TEXTS]


def test_documents_are_read_one_by_one_with_their_end_token(folder: Path, tokenizer: Tokenizer) -> None:
    shards = open_shards(folder, tokenizer=tokenizer)
    assert [ids.tolist() for ids in shards] == expected(tokenizer)
    assert len(shards) == shards.n_docs == len(TEXTS)
    assert shards[-2].tolist() == expected(tokenizer)[-2]


def test_lengths_of_documents_add_up_to_all_tokens(folder: Path) -> None:
    shards = open_shards(folder)
    assert sum(len(ids) for ids in shards) == shards.n_tokens == sum(map(len, shards.arrays))


def test_every_range_of_tokens_is_that_of_the_whole_stream(folder: Path, tokenizer: Tokenizer) -> None:
    shards = open_shards(folder)
    stream = [token_id for ids in expected(tokenizer) for token_id in ids]
    for start in range(len(stream) + 1):
        for stop in range(start, len(stream) + 1):
            assert shards.tokens(start, stop).tolist() == stream[start:stop]
    assert shards.tokens(3).tolist() == stream[3:]


def test_slices_are_batches(folder: Path, tokenizer: Tokenizer) -> None:
    shards = open_shards(folder)
    for documents in (slice(None), slice(1, 4), slice(4, 1), slice(None, None, 2), slice(None, None, -1), slice(6, 9)):
        assert [ids.tolist() for ids in shards[documents]] == expected(tokenizer)[documents]


@pytest.mark.parametrize("document", [6, -7])
def test_document_that_is_not_there_is_refused(folder: Path, document: int) -> None:
    with pytest.raises(IndexError, match="this folder has 6 documents"):
        _ = open_shards(folder)[document]


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (3, 2), (0, 10_000)])
def test_range_that_is_not_there_is_refused(folder: Path, start: int, stop: int) -> None:
    with pytest.raises(IndexError, match="Use 0 <= start <= stop <= n_tokens"):
        open_shards(folder).tokens(start, stop)


def test_numpy_opens_the_files_without_us(folder: Path, tokenizer: Tokenizer) -> None:
    names = sorted(path for path in folder.glob("tokens-*.npy"))
    joined = np.concatenate([np.load(path, mmap_mode="r") for path in names])
    starts = np.load(folder / "documents.npy", mmap_mode="r")
    documents = [joined[start:stop].tolist() for start, stop in itertools.pairwise(starts)]
    assert documents == expected(tokenizer)
    assert (joined.dtype.name, starts.dtype.name) == ("uint16", "int64")


def test_arrays_cannot_be_written(folder: Path) -> None:
    with pytest.raises(ValueError, match="read-only"):
        open_shards(folder).arrays[0][0] = 1


def test_folder_holds_its_tokenizer(folder: Path, tokenizer: Tokenizer) -> None:
    assert open_shards(folder).tokenizer().spec == tokenizer.spec


def test_foreign_tokenizer_is_refused(folder: Path, tokenizer: Tokenizer) -> None:
    other = tokenloom.train(["other text"], 258, ["<|end|>"])
    message = f"its ids are those of tokenizer {tokenizer.spec.fingerprint}, not of {other.spec.fingerprint}"
    with pytest.raises(StorageError, match=message):
        open_shards(folder, tokenizer=other)


def cut_tokens(folder: Path) -> None:
    path = folder / "tokens-00000.npy"
    path.write_bytes(path.read_bytes()[:-1])


def empty_tokens(folder: Path) -> None:
    (folder / "tokens-00001.npy").write_bytes(b"")


def remove_tokens(folder: Path) -> None:
    (folder / "tokens-00001.npy").unlink()


def cut_documents(folder: Path) -> None:
    path = folder / "documents.npy"
    path.write_bytes(path.read_bytes()[:-8])


def write_as_uint32(folder: Path) -> None:
    np.save(folder / "tokens-00000.npy", np.load(folder / "tokens-00000.npy").astype(np.uint32))


def write_other_shape(folder: Path) -> None:
    np.save(folder / "tokens-00000.npy", np.load(folder / "tokens-00000.npy")[:4])


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize(
    ("damage", "name"),
    [
        (cut_tokens, "tokens-00000.npy"),
        (empty_tokens, "tokens-00001.npy"),
        (remove_tokens, "tokens-00001.npy"),
        (cut_documents, "documents.npy"),
        (write_as_uint32, "tokens-00000.npy"),
        (write_other_shape, "tokens-00000.npy"),
    ],
)
def test_damage_is_refused_naming_the_file(
    folder: Path, damage: Callable[[Path], None], name: str, verify: bool
) -> None:
    damage(folder)
    with pytest.raises(StorageError, match=name):
        open_shards(folder, verify=verify)


def test_lengths_of_a_file_that_was_cut_are_named(folder: Path) -> None:
    cut_tokens(folder)
    with pytest.raises(StorageError, match="it has 137 bytes, its manifest says 138"):
        open_shards(folder, verify=False)


def test_type_that_is_not_that_of_the_manifest_is_named(folder: Path) -> None:
    write_as_uint32(folder)
    with pytest.raises(StorageError, match=r"it begins with \"\{'descr': '<u4'.*its manifest says 5 ids of uint16"):
        open_shards(folder, verify=False)


@pytest.mark.parametrize("name", ["tokens-00002.npy", "documents.npy", "tokenizer.tloom"])
def test_one_altered_byte_is_refused(folder: Path, name: str) -> None:
    data = bytearray((folder / name).read_bytes())
    data[-1] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(StorageError, match=f"{name}' differs from the checksum"):
        open_shards(folder)


def rewrite(folder: Path, name: str, change: Callable[[np.ndarray], None]) -> None:
    """Change a file and its checksum in the manifest, as a broken writer would."""
    items = np.load(folder / name)
    change(items)
    head = (folder / name).read_bytes()[:128]
    (folder / name).write_bytes(head + items.tobytes())
    manifest = read_manifest(folder, kind="shards")
    known: dict[str, FileRow] = dict(manifest.files) | {name: measure_file(folder, name)}
    write_manifest(folder, manifest.files, kind="shards", header=manifest.header, known=known)


def test_id_outside_the_vocabulary_is_refused(folder: Path) -> None:
    def change(ids: np.ndarray) -> None:
        ids[3] = 264

    rewrite(folder, "tokens-00001.npy", change)
    with pytest.raises(StorageError, match=r"tokens-00001\.npy': id 264 at position 3 has no token in the vocabulary"):
        open_shards(folder)


def test_documents_that_fall_are_refused(folder: Path) -> None:
    def change(starts: np.ndarray) -> None:
        starts[2] = 0

    rewrite(folder, "documents.npy", change)
    with pytest.raises(StorageError, match=r"documents\.npy': document 1 ends before it has begun"):
        open_shards(folder)


def test_header_of_another_making_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["header"]["dtype"] = "float16"
    (folder / "manifest.json").write_bytes(json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode())
    with pytest.raises(StorageError, match="dtype 'float16' is unknown"):
        open_shards(folder)


def test_manifest_that_leads_out_of_its_header_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    del manifest["files"]["tokens-00000.npy"]
    (folder / "manifest.json").write_bytes(json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode())
    with pytest.raises(StorageError, match=r"disagrees with its header about 'tokens-00000\.npy'"):
        open_shards(folder)


def test_tokenizer_folder_is_no_shard_folder(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer")
    with pytest.raises(StorageError, match="it holds a 'tokenizer', not a 'shards'"):
        open_shards(tmp_path / "tokenizer")


def test_positions_beyond_32_bits_are_right(tokenizer: Tokenizer, tmp_path: Path) -> None:
    header = ShardHeader(
        dtype="uint16",
        vocabulary_size=len(tokenizer),
        tokenizer_fingerprint=tokenizer.spec.fingerprint,
        n_docs=3,
        n_tokens=3 * 2**30,
        n_text_bytes=0,
        shard_tokens=3 * 2**30,
        begin_of_document=None,
        end_of_document=None,
        document_separator=None,
        text_field="text",
        special_text="plain",
        n_special_tokens={},
        sources=(SourceRow("a", "text", "none", 0, 0, 3, 0),),
    )
    with (tmp_path / "tokens-00000.npy").open("wb") as file:  # sparse: no disk is used
        file.write(npy_header("uint16", 3 * 2**30))
        file.seek(128 + 2 * 2**31)
        file.write((7).to_bytes(2, "little"))
        file.truncate(128 + 6 * 2**30)
    starts = np.array([0, 2**30, 2**31, 3 * 2**30], dtype="<i8")
    (tmp_path / "documents.npy").write_bytes(npy_header("int64", 4) + starts.tobytes())
    shards = ShardSet(tmp_path, header)
    assert (shards.starts * 2).tolist()[:3] == [0, 2_147_483_648, 4_294_967_296]
    assert shards[2][0] == 7
    assert [len(ids) for ids in shards] == [2**30] * 3


def test_more_shards_than_a_process_may_have_files_open(tokenizer: Tokenizer, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    (tmp_path / "corpus.txt").write_bytes(b"x" * 400)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        run = encode_corpus(
            [tmp_path / "corpus.txt"],
            tokenizer=tokenizer,
            out=tmp_path / "shards",
            options=EncodeOptions(shard_tokens=1),
        )
        shards = open_shards(run.folder)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(shards.arrays) == 400
    assert shards.tokens().tolist() == np.concatenate(shards.arrays).tolist() == [ord("x")] * 400
    assert [ids.tolist() for ids in shards.arrays[-2:]] == [[ord("x")]] * 2


def test_pickled_set_is_a_place_and_no_copy_of_its_ids(tokenizer: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_bytes(b"the cat " * 50_000)
    shards = encode_corpus([tmp_path / "corpus.txt"], tokenizer=tokenizer, out=tmp_path / "shards").shards
    data = pickle.dumps(shards)
    assert len(data) < 1000 < shards.n_tokens
    assert np.array_equal(pickle.loads(data).tokens(), shards.tokens())


def test_thirty_one_million_documents_need_no_memory_each(tokenizer: Tokenizer, tmp_path: Path) -> None:
    n_docs = 31_000_000
    header = ShardHeader(
        dtype="uint16",
        vocabulary_size=len(tokenizer),
        tokenizer_fingerprint=tokenizer.spec.fingerprint,
        n_docs=n_docs,
        n_tokens=0,
        n_text_bytes=0,
        shard_tokens=1,
        begin_of_document=None,
        end_of_document=None,
        document_separator=None,
        text_field="text",
        special_text="plain",
        n_special_tokens={},
        sources=(SourceRow("a", "text", "none", 0, 0, n_docs, 0),),
    )
    with (tmp_path / "documents.npy").open("wb") as file:  # sparse: no disk is used
        file.write(npy_header("int64", n_docs + 1))
        file.truncate(128 + 8 * (n_docs + 1))
    tracemalloc.start()
    try:
        shards = ShardSet(tmp_path, header)
        assert len(shards[n_docs - 1]) == 0
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
