"""`tokenloom inspect` of tokenizers; of shards where they are made."""

import json
from pathlib import Path
from typing import Any

import pytest

import tokenloom
from tests.cli.conftest import Command
from tokenloom.formats import write_hf_json
from tokenloom.spec import AddedToken, Normalizer, Replace, Template, UnicodeForm, build_spec


def inspected(command: Command, folder: Path) -> Any:
    ended = command("inspect", folder, "--json")
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def test_facts_are_those_of_the_tokenizer(command: Command, saved: Path) -> None:
    facts = inspected(command, saved)
    tokenizer = tokenloom.Tokenizer.load(saved)
    assert facts["kind"] == "tokenizer"
    assert facts["vocabulary_size"] == facts["n_tokens"] == len(tokenizer)
    assert facts["n_merges"] == len(tokenizer.merges)
    assert facts["special_tokens"] == tokenizer.special_tokens
    assert (facts["semantics"], facts["pretokenizer"]) == ("merges", "gpt2")
    assert facts["fingerprint"] == tokenizer.spec.fingerprint
    assert facts["provenance"]["trainer"] == "bpe"
    assert set(facts["files"]) == {entry.name for entry in saved.iterdir()}


def test_longest_tokens_are_no_special_ones_and_the_longest_comes_first(command: Command, saved: Path) -> None:
    longest = inspected(command, saved)["longest_tokens"]
    lengths = [token["n_bytes"] for token in longest]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] == max(map(len, (a + b for a, b in tokenloom.Tokenizer.load(saved).merges)))
    assert all(bytes.fromhex(token["hex"]) != b"<|end|>" for token in longest)


def test_ids_without_a_token_are_counted(command: Command, tmp_path: Path) -> None:
    tokenloom.Tokenizer({i: bytes([i]) for i in range(256)} | {300: b"ab"}, [(b"a", b"b")]).save(tmp_path / "gaps")
    assert "vocabulary size  301, 44 ids without a token\n" in command("inspect", tmp_path / "gaps").out


def test_people_see_the_same_facts(command: Command, saved: Path) -> None:
    out = command("inspect", saved).out
    for words in ("fingerprint", "merges", "bpe, by merges", "'<|end|>'", "options.vocab_size: 263", "manifest.json"):
        assert words in out


def test_tokenizers_of_other_libraries_say_their_format(command: Command, tmp_path: Path) -> None:
    spec = build_spec(
        {i: bytes([i]) for i in range(256)} | {256: b"ab"},
        [(b"a", b"b")],
        ["<s>"],
        added_tokens=[AddedToken("<think>", 257, special=False)],
        normalizer=Normalizer((UnicodeForm("nfc"), Replace(" ", by="_"))),
    )
    write_hf_json(spec, tmp_path / "tokenizer.json")
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        facts = inspected(command, path)
        assert (facts["format"], facts["semantics"], facts["pretokenizer"]) == ("hf_json", "merges", "gpt2")
        assert facts["normalizer"] == [
            {"type": "nfc", "unicode": "16.0"},
            {"type": "replace", "text": " ", "by": "_"},
        ]
        assert (facts["special_tokens"], facts["added_tokens"]) == ({"<s>": 258}, {"<think>": 257})
        assert list(facts["files"]) == ["tokenizer.json"]
    out = command("inspect", tmp_path).out
    assert "nfc\n" in out
    assert "replace text=' ' by='_'\n" in out
    assert "257  '<think>'" in out


def test_what_is_put_around_a_text_and_settings_are_shown(command: Command, tmp_path: Path) -> None:
    template = Template((256, "A", 256), (256, "A", "B"))
    spec = build_spec({i: bytes([i]) for i in range(256)}, [], ["<s>"], postprocessor=template)
    truncation = {"direction": "Right", "max_length": 512, "strategy": "OnlyFirst", "stride": 0}
    write_hf_json(spec, tmp_path / "tokenizer.json", settings={"truncation": truncation})
    facts = inspected(command, tmp_path)
    assert facts["postprocessor"]["single"] == [{"id": 256}, {"sequence": "A"}, {"id": 256}]
    assert (facts["truncation"], facts["padding"]) == (truncation, None)
    out = command("inspect", tmp_path).out
    assert "<s> A <s>\n" in out
    assert "<s> A B\n" in out
    assert "max_length 512, strategy 'OnlyFirst'" in out


def test_a_published_encoding_is_inspected_by_its_name(
    command: Command, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared / "vocabs")
    facts = inspected(command, Path("cl100k_base"))
    assert (facts["format"], facts["semantics"], facts["pretokenizer"]) == ("tiktoken", "ranks", "cl100k")
    assert (facts["vocabulary_size"], facts["n_tokens"], facts["files"]) == (100_277, 100_261, {})


def test_ours_is_ours_wherever_it_came_from(command: Command, tmp_path: Path) -> None:
    write_hf_json(build_spec({i: bytes([i]) for i in range(256)}, []), tmp_path / "tokenizer.json")
    tokenloom.Tokenizer.load(tmp_path / "tokenizer.json").save(tmp_path / "saved")
    assert inspected(command, tmp_path / "saved")["format"] == "native"


def test_long_lists_are_cut_for_people_alone(command: Command, tmp_path: Path) -> None:
    specials = [f"<|{n}|>" for n in range(40)]
    tokenloom.Tokenizer({i: bytes([i]) for i in range(256)}, [], specials).save(tmp_path / "many")
    assert "... and 28 more, see --json" in command("inspect", tmp_path / "many").out
    assert len(inspected(command, tmp_path / "many")["special_tokens"]) == 40


def test_a_folder_of_something_else_is_refused(command: Command, tmp_path: Path) -> None:
    ended = command("inspect", tmp_path)
    assert ended.status == 1
    assert "it has no tokenizer.tloom with manifest.json" in ended.err
    (tmp_path / "manifest.json").write_text('{"kind":"cake"}')
    assert "it holds a 'cake'" in command("inspect", tmp_path).err


def test_counts_are_told_by_their_header(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat<|end|>the")
    command("count-pretokens", tmp_path / "a.txt", "--special-token", "<|end|>", "--out", tmp_path / "counts")
    facts = inspected(command, tmp_path / "counts")
    assert (facts["kind"], facts["n_pretokens"], facts["n_occurrences"]) == ("pretoken-counts", 2, 3)
    assert (facts["n_bytes"], facts["n_corpus_bytes"]) == (10, 17)
    assert "special tokens    '<|end|>'\n" in command("inspect", tmp_path / "counts").out
