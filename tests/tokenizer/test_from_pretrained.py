"""`Tokenizer.from_pretrained` with caches made here, in the layout of the hub, and with downloaders that are none."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import huggingface_hub
import pytest
from huggingface_hub.errors import (
    GatedRepoError,
    LocalEntryNotFoundError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from tokenloom import CorpusError, FormatError, MissingExtraError, Tokenizer, train
from tokenloom.formats import write_gpt2, write_hf_json

NAME: Final = "our/model"
COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"
OURS: Final = train(["the cat in the hat"], 262, ["<|end|>"])


def cached(cache: Path, write: Callable[[Path], object], *, revision: str = "main") -> Path:
    """A repository in a cache: a reference to a commit, and its files."""
    repository = cache / f"models--{NAME.replace('/', '--')}"
    snapshot = repository / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / revision).write_text(COMMIT)
    write(snapshot)
    return cache


def json_file(folder: Path) -> None:
    write_hf_json(OURS.spec, folder / "tokenizer.json")


def offline(name: str | Path, cache: Path, **options: Any) -> Tokenizer:
    return Tokenizer.from_pretrained(name, cache_dir=cache, local_files_only=True, **options)


def test_what_is_in_the_cache_needs_no_network(tmp_path: Path) -> None:
    tokenizer = offline(NAME, cached(tmp_path, json_file))
    assert tokenizer.spec == OURS.spec
    assert tokenizer.provenance["hub"] == {"name": NAME, "commit": COMMIT}
    assert tokenizer.provenance["format"] == "hf_json"


def test_a_revision_and_options_are_passed_on(tmp_path: Path) -> None:
    cached(tmp_path, json_file, revision="v2")
    tokenizer = offline(NAME, tmp_path, revision="v2", special_text="plain")
    assert tokenizer.encode("<|end|>") == list(b"<|end|>")
    with pytest.raises(CorpusError, match=f"'{NAME}': none of tokenizer.json, .* is in the cache"):
        offline(NAME, tmp_path)
    assert offline(NAME, tmp_path, revision=COMMIT).spec == OURS.spec


def test_two_files_are_read_together(tmp_path: Path, shared: Path) -> None:
    def link(folder: Path) -> None:
        for name in ("vocab.json", "merges.txt"):
            (folder / name).symlink_to(shared / "vocabs" / "gpt2" / name)

    tokenizer = offline(NAME, cached(tmp_path, link))
    assert tokenizer.encode("hello world") == [31373, 995]


def test_one_of_two_files_is_not_enough(tmp_path: Path) -> None:
    def write(folder: Path) -> None:
        write_gpt2(OURS.spec, folder / "vocab.json", folder / "merges.txt")
        (folder / "merges.txt").unlink()

    with pytest.raises(CorpusError, match="or name a folder that holds the files"):
        offline(NAME, cached(tmp_path, write))


def test_a_folder_here_passes_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    OURS.save(tmp_path / "saved")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # not even the package is needed
    assert Tokenizer.from_pretrained(tmp_path / "saved").spec == OURS.spec
    assert "hub" not in Tokenizer.from_pretrained(str(tmp_path / "saved")).provenance


def test_without_the_package_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"Install tokenloom with the 'hub' extra, or name a folder"):
        offline(NAME, tmp_path)


def test_what_is_no_name_is_refused(tmp_path: Path) -> None:
    for name in ("no/such/path", "a b", "x" * 200):
        with pytest.raises(CorpusError, match="neither a folder or file here nor the name of a repository"):
            offline(name, tmp_path)
    with pytest.raises(CorpusError, match="path '': is empty"):
        offline("", tmp_path)


class Hub:
    """In the place of the downloader: has files, or raises."""

    def __init__(self, folder: Path, error: Exception | None = None) -> None:
        self.folder, self.error, self.calls = folder, error, list[tuple[str, bool]]()

    def __call__(self, name: str, file: str, *, local_files_only: bool, token: Any, **options: Any) -> str:
        assert (name, token, options["revision"]) == (NAME, "secret", None)
        self.calls.append((file, local_files_only))
        if self.error is not None:
            raise self.error
        if not (self.folder / file).exists():
            raise made(RemoteEntryNotFoundError)
        return str(self.folder / file)


def made(kind: type[Exception]) -> Exception:
    """An error without the answer of a server, which its class asks for."""
    error = kind.__new__(kind)
    error.args = ("broken",)
    return error


def test_files_are_tried_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_gpt2(OURS.spec, tmp_path / "vocab.json", tmp_path / "merges.txt")
    (tmp_path / "vocab.txt").write_text("a\n")
    hub = Hub(tmp_path)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", hub)
    with pytest.raises(FormatError, match=r"vocab\.json"):  # a pair that is not GPT-2's own: its pattern is not known
        Tokenizer.from_pretrained(NAME, token="secret")
    tried = ["tokenizer.json", "tekken.json", "tokenizer.model", "vocab.json", "merges.txt"]
    assert hub.calls == [(file, False) for file in tried]
    json_file(tmp_path)
    tokenizer = Tokenizer.from_pretrained(NAME, token="secret")
    assert tokenizer.spec == OURS.spec
    assert "secret" not in repr(dict(tokenizer.provenance))


def test_a_repository_without_a_tokenizer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", Hub(tmp_path))
    with pytest.raises(CorpusError, match=r"has none of tokenizer.json, .*, vocab.txt\. Name one with a tokenizer"):
        Tokenizer.from_pretrained(NAME, token="secret")


def test_a_hub_that_is_not_reached_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = Hub(tmp_path, LocalEntryNotFoundError("no network"))
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", hub)
    with pytest.raises(
        CorpusError, match=r"and the hub was not reached or not asked\. Get it where there is a network"
    ):
        Tokenizer.from_pretrained(NAME, token="secret")
    assert [was_local for _, was_local in hub.calls] == [False, True, True, True, True]


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (RepositoryNotFoundError, "there is no such repository, or it is not for all. Check the name, or pass token="),
        (RevisionNotFoundError, "it has no revision None. Name a branch, a tag or a commit"),
        (GatedRepoError, "its owner must allow you to read it. Ask there, and pass token="),
        (OSError, "reading from the hub failed: broken. Try again, or name a folder"),
    ],
)
def test_errors_of_the_hub_say_what_to_do(
    kind: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", Hub(tmp_path, made(kind)))
    with pytest.raises(CorpusError) as caught:
        Tokenizer.from_pretrained(NAME, token="secret")
    assert str(caught.value).startswith(f"'{NAME}': {message}")


def test_the_variable_of_the_hub_keeps_it_from_being_asked(tmp_path: Path) -> None:
    """In a process of its own: the package reads the variable when it is imported."""
    import os
    import subprocess

    cached(tmp_path, json_file)
    script = (
        "import sys; from tokenloom import Tokenizer\n"
        "print(len(Tokenizer.from_pretrained('our/model')))\n"
        "try: Tokenizer.from_pretrained('our/other')\n"
        "except OSError as error: print(error)"
    )
    variables = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=variables, check=True)
    n_ids, message = run.stdout.splitlines()
    assert n_ids == "262"
    assert "and the hub is not asked since HF_HUB_OFFLINE is set. Get it where there is a network" in message
