import gzip
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tokenloom.corpus import DocumentOptions, Source, list_sources, standard_library_sources
from tokenloom.errors import CorpusError, MissingExtraError, TokenloomWarning


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    for name in ("b/two.jsonl", "b/three.NDJSON", "one.txt", ".hidden", "code.py"):
        (tmp_path / name).write_text(name)
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(b"{}"))
    return tmp_path


def names(sources: list[Source]) -> list[str]:
    return [source.name for source in sources]


def test_folder_gives_all_files_below_it_with_names_below_it(folder: Path) -> None:
    assert names(list_sources([folder])) == [
        "code.py",
        "one.txt",
        "packed.jsonl.gz",
        "b/three.NDJSON",
        "b/two.jsonl",
    ]


def test_format_and_compression_are_told_from_the_name(folder: Path) -> None:
    found = {source.name: (source.format, source.compression) for source in list_sources([folder])}
    assert found == {
        "code.py": ("text", "none"),
        "one.txt": ("text", "none"),
        "packed.jsonl.gz": ("jsonl", "gzip"),
        "b/three.NDJSON": ("jsonl", "none"),
        "b/two.jsonl": ("jsonl", "none"),
    }


def test_compressed_json_is_not_guessed(tmp_path: Path) -> None:
    (tmp_path / "part.json.gz").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(CorpusError, match=r"part\.json\.gz': may be lines of JSON .* Use --format jsonl"):
        list_sources([tmp_path])
    assert list_sources([tmp_path], DocumentOptions(format="jsonl"))[0].format == "jsonl"


def test_format_and_compression_that_are_named_hold_for_all_files(folder: Path) -> None:
    options = DocumentOptions(format="text", compression="none")
    assert {(source.format, source.compression) for source in list_sources([folder], options)} == {("text", "none")}


def test_file_gives_itself_with_its_path_as_given_and_its_length(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert list_sources(["b/two.jsonl"]) == [Source(Path("b/two.jsonl"), "two.jsonl", "jsonl", "none", 11)]
    assert list_sources([b"b/two.jsonl"]) == list_sources([Path("b/two.jsonl")]) == list_sources(["b/two.jsonl"])


def test_pattern_gives_its_files_in_order_with_names_below_its_fixed_part(folder: Path) -> None:
    assert names(list_sources([folder / "*.*"])) == ["code.py", "one.txt", "packed.jsonl.gz"]
    assert names(list_sources([folder / "**" / "*jsonl*"])) == ["b/two.jsonl", "packed.jsonl.gz"]
    assert names(list_sources([folder / "b" / "t[hw]*"])) == ["three.NDJSON", "two.jsonl"]


def test_pattern_works_in_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert list_sources(["*.txt"]) == [Source(Path("one.txt"), "one.txt", "text", "none", 7)]


def test_file_whose_name_looks_like_a_pattern_is_a_file(folder: Path) -> None:
    (folder / "a[1].txt").touch()
    assert names(list_sources([folder / "a[1].txt"])) == ["a[1].txt"]


def test_order_of_the_arguments_is_kept(folder: Path) -> None:
    assert names(list_sources([folder / "one.txt", folder / "b", folder / "code.py"])) == [
        "one.txt",
        "three.NDJSON",
        "two.jsonl",
        "code.py",
    ]


def test_names_that_would_get_in_each_others_way_have_the_number_of_their_argument(folder: Path) -> None:
    (folder / "c").mkdir()
    (folder / "c" / "two.jsonl").touch()
    assert names(list_sources([folder / "b", folder / "c"])) == ["1/three.NDJSON", "1/two.jsonl", "2/two.jsonl"]


def test_a_file_named_as_the_folder_of_another_has_the_number_of_its_argument(folder: Path) -> None:
    (folder / "c").mkdir()
    (folder / "c" / "b").touch()
    assert names(list_sources([folder / "c" / "b", folder / "*" / "two*", folder / "code.py"])) == [
        "1/b",
        "2/b/two.jsonl",
        "3/code.py",
    ]


@pytest.mark.parametrize("again", ["one.txt", "*.txt", "b/../one.txt", "link"])
def test_same_file_twice_is_refused(folder: Path, again: str) -> None:
    (folder / "link").symlink_to("one.txt")
    with pytest.raises(CorpusError, match=r"': this file is already part of the corpus.*\. Name each file once\."):
        list_sources([folder / "one.txt", folder / again])


@pytest.mark.parametrize(
    ("paths", "what"),
    [
        ([], r"paths \[\]: is empty.*\. Name a file"),
        ("corpus.txt", r"paths 'corpus\.txt': is one path, not a list\. Pass it in a list"),
        (Path("corpus"), r"paths 'corpus': is one path, not a list\. Pass it in a list"),
        ([""], r"paths: '' is empty\. Name a file"),
        ([7], r"paths: 7 is of type int, no path\. Pass each path as str or Path"),
    ],
)
def test_what_is_no_list_of_paths_is_refused(paths: Any, what: str) -> None:
    with pytest.raises(CorpusError, match=what):
        list_sources(paths)


def test_pattern_without_a_file_is_refused(folder: Path) -> None:
    with pytest.raises(CorpusError, match=r"\*\.md': is a pattern that matches no file\. Check it"):
        list_sources([folder / "*.md"])


def test_missing_path_and_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"none': there is no such file.*Check the path"):
        list_sources([tmp_path / "none"])
    with pytest.raises(CorpusError, match=r"is a folder without files\. Name"):
        list_sources([tmp_path])


def test_links_in_a_folder_that_are_not_followed_are_warned_of(folder: Path) -> None:
    (folder / "link").symlink_to("b")
    with pytest.warns(TokenloomWarning, match=r"link': is a link to a folder and is left out\. Name it"):
        assert len(list_sources([folder])) == 5
    assert names(list_sources([folder / "link"])) == ["three.NDJSON", "two.jsonl"]


def test_compression_that_is_not_read_is_refused(folder: Path) -> None:
    (folder / "b" / "a.lz4").touch()
    with pytest.raises(CorpusError, match=r"a\.lz4': is compressed with LZ4, which is not read\. Unpack it"):
        list_sources([folder])


def test_zstd_that_cannot_be_read_is_refused_before_anything_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.txt.zst").touch()
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    with pytest.raises(MissingExtraError, match="'zstd' extra"):
        list_sources([folder])


def test_standard_library_has_names_of_no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = standard_library_sources()
    assert {"os.py", "json/decoder.py"} < set(names(sources))
    assert not any(os.path.isabs(source.name) or "site-packages" in source.name for source in sources)
    assert {(source.format, source.compression) for source in sources} == {("text", "none")}
    assert all(source.n_file_bytes == Path(source.path).stat().st_size for source in sources[:5])


def test_name_before_a_path_puts_its_files_into_a_group(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    sources = list_sources(["en=b", "zh-2_x=*.txt", "en=code.py", "packed.jsonl.gz"])
    assert [(source.name, source.group) for source in sources] == [
        ("three.NDJSON", "en"),
        ("two.jsonl", "en"),
        ("one.txt", "zh-2_x"),
        ("code.py", "en"),
        ("packed.jsonl.gz", ""),
    ]


@pytest.mark.parametrize("name", ["en=a.txt", "e n=a.txt", "é=a.txt"])
def test_file_that_is_there_keeps_a_name_that_looks_like_a_group(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert [(source.name, source.group) for source in list_sources([tmp_path / name])] == [(name, "")]


def test_group_without_a_path_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"paths: 'en=' names a group and no path\. Write it as NAME=PATH"):
        list_sources(["en="])


def test_path_of_a_group_that_is_missing_is_named_without_the_group(folder: Path) -> None:
    with pytest.raises(CorpusError, match=r"^'[^=]*none': there is no such file"):
        list_sources([f"en={folder / 'none'}"])
