"""`tokenloom cost`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("the then the " * 20)
    return path


def test_people_see_a_column_a_tokenizer(command: Command, saved: Path, text: Path) -> None:
    ended = command("cost", "--model", "gpt2", "--tokenizer", saved, "--tokenizer", saved, "--on", text, "--quiet")
    lines = ended.out.splitlines()
    assert lines[0] == "model  gpt2: 12 layers, width 768, 12 heads"
    assert lines[3] == "text   1 file, 260 B"
    row = next(line.split("  ") for line in lines if line.endswith("parameters: embedding"))
    assert [cell.strip() for cell in row if cell] == ["201,984", "201,984", "parameters: embedding"]
    assert any(line.endswith("1.00 x  text: tokens, relative to the first") for line in lines)


def test_a_model_alone_has_its_own_vocabulary(command: Command) -> None:
    ended = command("cost", "--model", "Llama-3-8B", "--sequences", "8")
    assert "525,336,576  parameters: embedding" in ended.out
    assert "13.1 %  parameters: share of the two" in ended.out
    assert "31.3 GiB  memory: scores of a step" in ended.out
    assert "undefined  text: bytes per token" in ended.out


def test_json_has_exact_values_and_null_for_what_is_undefined(command: Command, saved: Path, text: Path) -> None:
    result = json.loads(command("cost", "--model", "gpt2", "--json").out)
    assert result["model"]["body_parameters"] == 124_439_808 - 38_597_376
    [own] = result["tokenizers"]
    assert (own["embedding_parameters"], own["head_parameters"], own["bytes_per_token"]) == (38_597_376, 0, None)
    ended = command("cost", "--model", "gpt2", "--tokenizer", saved, "--on", text, "--json", "--quiet")
    [one] = json.loads(ended.out)["tokenizers"]
    assert one["bytes_per_token"] == one["n_bytes"] / one["n_tokens"]
    assert one["sources"] == [{"name": "a.txt", "n_tokens": one["n_tokens"], "n_bytes": 260}]


def test_a_shape_of_ones_own(command: Command) -> None:
    options = ("--layers", "12", "--width", "1024", "--vocab-size", "2000", "--json")
    [one] = json.loads(command("cost", *options).out)["tokenizers"]
    assert one["flops_per_token"] == 2 * 12 * 12 * 1024**2 + 2 * 1024 * 2000


def test_numbers_win_over_those_of_the_model(command: Command) -> None:
    options = ("--vocab-size", "32000", "--tied", "--context", "131072", "--json")
    result = json.loads(command("cost", "--model", "llama-3-8b", *options).out)
    assert (result["model"]["is_tied"], result["model"]["context_tokens"]) == (True, 131_072)
    assert result["tokenizers"][0]["total_parameters"] == 6_979_588_096 + 32_000 * 4096


def test_training_on_named_hardware_has_time_and_price(command: Command) -> None:
    options = ("--hardware", "A100-80GB", "--accelerators", "1024", "--utilisation", "0.5", "--train-tokens", "300B")
    ended = command("cost", "--model", "gpt-3", *options, "--price-per-hour", "2.0", "--json")
    [one] = json.loads(ended.out)["tokenizers"]
    assert round(one["training_seconds"] / 86_400) == 23
    assert one["training_price"] == pytest.approx(one["training_seconds"] / 3600 * 1024 * 2)
    assert "1,024 x a100-80gb at 50 % of the peak" in command("cost", "--model", "gpt-3", *options).out


def test_a_report_is_one_page(command: Command, saved: Path, text: Path, tmp_path: Path) -> None:
    page = tmp_path / "cost.html"
    ended = command("cost", "--model", "gpt2", "--tokenizer", saved, "--on", text, "--report", page, "--quiet")
    assert ended.out.endswith(f"report  {page}\n")
    assert page.read_text("utf-8").startswith("<!doctype html>")


def test_several_files_have_a_table_of_their_own(command: Command, saved: Path, text: Path, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("zzzz")
    ended = command("cost", "--model", "gpt2", "--tokenizer", saved, "--on", text, "--on", tmp_path / "b.txt", "-q")
    assert [line.split() for line in ended.out.splitlines()[-1:]] == [["1", "b.txt"]]


@pytest.mark.parametrize(("table", "row"), [("models", "gpt-3"), ("hardware", "b200"), ("vocabularies", "qwen3.8")])
def test_what_is_known_is_listed_with_sources(command: Command, table: str, row: str) -> None:
    ended = command("cost", "--list", table)
    assert row in ended.out
    assert ended.err.startswith("Written 20")
    listed = json.loads(command("cost", "--list", table, "--json").out)
    assert all(one["source"] for one in listed["rows"])
    assert listed["date"] in ended.err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--model", "lama-3-8b"), 1, "Did you mean 'llama-3-8b'"),
        (("--model", "gpt2", "--hardware", "b20"), 1, "Did you mean 'b200'"),
        ((), 1, "has no --layers and no --width"),
        (("--layers", "2"), 1, "has no --width"),
        (("--layers", "2", "--width", "64"), 1, "Give --tokenizer, or --vocab-size"),
        (("--layers", "0", "--width", "64"), 2, "from 1 on"),
        (("--layers", "-3", "--width", "64"), 2, "from 1 on"),
        (("--layers", "2", "--width", "64", "--heads", "3", "--vocab-size", "9"), 1, "3 heads do not divide it"),
        (("--model", "gpt2", "--kv-heads", "5"), 1, "5 does not divide n_heads, 12"),
        (("--model", "gpt2", "--utilisation", "1.5", "--hardware", "h100"), 1, "more than the whole"),
        (("--model", "gpt2", "--train-tokens", "many"), 2, "is no number of tokens"),
        (("--model", "gpt2", "--train-tokens", "0"), 1, "training_tokens: 0.0 is no number above 0"),
        (("--model", "gpt2", "--train-bytes", "1TB"), 1, "without a text to measure on"),
        (("--model", "gpt2", "--price-per-hour", "3.0"), 1, "Name the hardware too"),
        (("--model", "gpt2", "--dtype", "fp7"), 1, "number type 'fp7'"),
        (("--model", "gpt2", "--on", "missing.txt"), 1, "there is no tokenizer to cut it"),
        (("--model", "gpt2", "--tokenizer", "nowhere"), 1, "nowhere"),
    ],
)
def test_what_cannot_be_is_refused(command: Command, arguments: tuple[str, ...], status: int, message: str) -> None:
    ended = command("cost", *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert message in " ".join(ended.err.replace("│", " ").split())


def test_a_missing_text_is_named(command: Command, saved: Path, tmp_path: Path) -> None:
    ended = command("cost", "--model", "gpt2", "--tokenizer", saved, "--on", tmp_path / "no.txt", "--quiet")
    assert (ended.status, ended.out) == (1, "")
    assert "no.txt" in ended.err
