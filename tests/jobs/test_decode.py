import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

import tokenloom
from tokenloom import StorageError, TokenloomError
from tokenloom.corpus import DocumentOptions, list_sources
from tokenloom.jobs import decode
from tokenloom.jobs.decode import compare_sources, decode_shards, restore_sources
from tokenloom.jobs.encode import encode_corpus
from tokenloom.shards import ShardSet


def encoded(folder: Path, *, documents: DocumentOptions | None = None) -> ShardSet:
    tokenizer = tokenloom.train(["the cat in the hat"], 264)
    run = encode_corpus(
        [folder / "corpus"], tokenizer=tokenizer, out=folder / "out", documents=documents or DocumentOptions()
    )
    return run.shards


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_bytes(b"the cat|in|")
    (tmp_path / "corpus" / "b.jsonl").write_text('{"text": "h\\u00e4t"}\n')
    return tmp_path / "corpus"


def test_document_that_is_decoded_in_parts_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decode, "_TOKENS_AT_ONCE", 3)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("the \u4f60\u597d hat " * 20, encoding="utf-8")
    out = io.BytesIO()
    n_bytes = decode_shards(encoded(tmp_path), out=out)
    assert out.getvalue() == (tmp_path / "corpus" / "a.txt").read_bytes()
    assert n_bytes == len(out.getvalue())


def test_files_of_both_kinds_follow_each_other(corpus: Path, tmp_path: Path) -> None:
    out = io.BytesIO()
    decode_shards(encoded(tmp_path), out=out)
    text, line = out.getvalue()[:11], out.getvalue()[11:]
    assert (text, json.loads(line)) == (b"the cat|in|", {"text": "h\u00e4t"})


def test_compressed_file_is_restored_as_plain_text(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt.gz").write_bytes(gzip.compress(b"the cat"))
    files = restore_sources(encoded(tmp_path), out=tmp_path / "again")
    assert [(file.name, file.read_bytes()) for file in files] == [("a.txt", b"the cat")]


@pytest.mark.parametrize("name", ["../a.txt", "/a.txt", "", "b/../../a.txt", "a\0b.txt"])
def test_name_that_leads_out_of_the_folder_is_refused(corpus: Path, tmp_path: Path, name: str) -> None:
    shards = encoded(tmp_path)
    row = replace(shards.header.sources[0], name=name)
    hostile = ShardSet(shards.folder, replace(shards.header, sources=(row, *shards.header.sources[1:])))
    with pytest.raises(StorageError, match="leads out of the folder"):
        restore_sources(hostile, out=tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_only_the_suffix_of_the_real_compression_is_taken_off(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "corpus").mkdir()
    contents = {"A.GZ": gzip.compress(b"upper"), "b.zst.gz": gzip.compress(b"two suffixes")}
    for name, data in contents.items():
        (tmp_path / "corpus" / name).write_bytes(data)
    files = restore_sources(encoded(tmp_path), out=tmp_path / "again")
    assert {file.name: file.read_bytes() for file in files} == {"A": b"upper", "b.zst": b"two suffixes"}


def test_file_that_was_taken_as_it_is_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt.gz").write_bytes(b"no gzip")
    files = restore_sources(encoded(tmp_path, documents=DocumentOptions(compression="none")), out=tmp_path / "again")
    assert [(file.name, file.read_bytes()) for file in files] == [("a.txt.gz", b"no gzip")]


def test_corpus_with_fewer_documents_is_refused(corpus: Path, tmp_path: Path) -> None:
    shards = encoded(tmp_path)
    with pytest.raises(TokenloomError, match="has 2 documents, and the corpus 1"):
        compare_sources(shards, list_sources([corpus / "a.txt"]))


def test_corpus_compares_equal_to_its_shards(corpus: Path, tmp_path: Path) -> None:
    documents = DocumentOptions(document_separator=b"|")
    shards = encoded(tmp_path, documents=documents)
    assert compare_sources(shards, list_sources([corpus]), documents=documents) == len(b"the catin") + len(
        "h\u00e4t".encode()
    )


def test_corpus_that_has_changed_is_named_with_the_document(corpus: Path, tmp_path: Path) -> None:
    documents = DocumentOptions(document_separator=b"|")
    shards = encoded(tmp_path, documents=documents)
    (corpus / "a.txt").write_bytes(b"the cat|on|")
    with pytest.raises(TokenloomError, match=r"a\.txt', document 2: did not come back byte for byte"):
        compare_sources(shards, list_sources([corpus]), documents=documents)


def test_corpus_with_more_documents_is_named(corpus: Path, tmp_path: Path) -> None:
    shards = encoded(tmp_path)
    with (corpus / "b.jsonl").open("a") as file:
        file.write('{"text": "more"}\n')
    with pytest.raises(TokenloomError, match=r"b\.jsonl', document 2"):
        compare_sources(shards, list_sources([corpus]))


@pytest.mark.parametrize("name", ["table.parquet", "table.arrow"])
def test_texts_of_a_table_come_back_as_lines_of_json(tmp_path: Path, name: str) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet, ipc = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow.ipc")
    folder = tmp_path / "corpus"
    folder.mkdir()
    table = pa.table({"text": ["the cat", "", "é\n"]})
    if name == "table.parquet":
        parquet.write_table(table, folder / name)
    else:
        with ipc.new_file(folder / name, table.schema) as writer:
            writer.write_table(table)
    shards = encoded(tmp_path)
    assert compare_sources(shards, list_sources([folder])) == 10
    assert restore_sources(shards, out=tmp_path / "again") == (tmp_path / "again" / f"{name}.jsonl",)
    lines = (tmp_path / "again" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["the cat", "", "é\n"]
