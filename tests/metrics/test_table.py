"""The table of metrics: complete, documented, and the same whatever the order of documents."""

import random

import pytest

import tokenloom
from tokenloom.errors import MetricError
from tokenloom.metrics import METRICS, SPLITTERS, Metric, Subject, find_metric, measure_documents, value_of
from tokenloom.metrics.metric import table_of
from tokenloom.tokenizer import Tokenizer

CORPUS = ["the cat in the hat", "the 12 cats, 345 hats", "你好 the", "  x\n\n  y", "then"]
TOKENIZER = tokenloom.train(CORPUS * 3, 280)
TEXT_METRICS = [metric for metric in METRICS.values() if metric.needs == "text"]


def values(documents: list[str], tokenizer: Tokenizer = TOKENIZER) -> dict[str, float | None]:
    [measured] = measure_documents([Subject(tokenizer)], documents, splitter=SPLITTERS["punctuation"])
    return {metric.name: value_of(metric, measured.beside(measured)).value for metric in TEXT_METRICS}


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_what_it_is(name: str) -> None:
    text = METRICS[name].function.__doc__ or ""
    assert ">>>" in text
    assert "Raises:" in text or "See `" in text or name == "n_tokens"
    assert METRICS[name].summary.endswith((".", ":"))


def test_every_metric_has_a_value_on_ordinary_text() -> None:
    assert [name for name, value in values(CORPUS).items() if value is None] == []


def test_order_of_documents_changes_no_value() -> None:
    shuffled = random.Random(0).sample(CORPUS, len(CORPUS))
    assert values(shuffled) == values(CORPUS)


def test_a_corpus_twice_changes_no_share() -> None:
    once, twice = values(CORPUS), values(CORPUS * 2)
    counts = {"n_tokens", "zipf_deviation", "zipf_slope"}
    for name, value in once.items():
        assert name in counts or twice[name] == pytest.approx(value), name


def test_reference_of_itself_is_one_and_values_are_in_their_range() -> None:
    found = values(CORPUS)
    assert found["normalized_length"] == 1.0
    shares = ("continued_words", "utilisation", "blank_tokens", "round_trip", "reachable_tokens", "whole_character_use")
    assert all(0 <= (found[name] or 0) <= 1 for name in shares)
    assert (found["continued_words"] or 0) + (found["single_token_retention"] or 0) == pytest.approx(1)


def test_tokenizer_over_characters_is_measured_like_any_other() -> None:
    alphabet = tokenloom.CharacterAlphabet(coverage=0.9, byte_fallback=True)
    found = values(CORPUS, tokenloom.train(CORPUS * 3, 289, characters=alphabet))
    assert [name for name, value in found.items() if value is None] == []
    assert found["round_trip"] == 1.0


def test_unknown_tokens_are_counted() -> None:
    alphabet = tokenloom.CharacterAlphabet(unk_token="<unk>")
    tokenizer = tokenloom.train(["the cat"], 12, characters=alphabet)
    assert values(["the cat", "xyz"], tokenizer)["unknown_rate"] == pytest.approx(3 / tokenizer_count(tokenizer))


def tokenizer_count(tokenizer: Tokenizer) -> int:
    return tokenizer.count("the cat") + tokenizer.count("xyz")


def test_nearest_name_is_named_and_other_names_are_known() -> None:
    with pytest.raises(MetricError, match="Did you mean 'fertility'"):
        find_metric("fertlity", METRICS)
    assert find_metric("Compression-Ratio", METRICS).name == "bytes_per_token"
    assert find_metric("parity", METRICS).name == "premium"


def test_name_of_two_families_is_refused_naming_both() -> None:
    metric = Metric("x", value_of, lambda measured: ())
    with pytest.raises(MetricError, match="is in 'one' and 'two'"):
        table_of(("one", [metric]), ("two", [metric]))


def test_text_without_a_byte_is_refused() -> None:
    with pytest.raises(MetricError, match="holds no text"):
        measure_documents([Subject(TOKENIZER)], ["", ""])


def test_unreachable_token_is_found() -> None:
    base = {i: bytes([i]) for i in range(256)}
    tokenizer = Tokenizer(base | {256: b"a ", 257: b"a b"}, [(b"a", b" "), (b"a ", b"b")], pattern="gpt2")
    assert Subject(tokenizer).reachability.unreachable == (256, 257)
    assert len(Subject(tokenizer).reachability.half_characters) == 128
