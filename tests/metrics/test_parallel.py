"""Parallel text: costs by language, and what is no parallel text."""

import pytest

from tokenloom.errors import MetricError
from tokenloom.metrics import Resamples, parallel_costs
from tokenloom.tokenizer import Tokenizer

BYTES = Tokenizer({i: bytes([i]) for i in range(256)}, [])
SENTENCES = {"eng": [b"the cat", b"a hat"], "lao": [b"x" * 14, b"y" * 10], "fra": [b"le chat", b"un chapeau"]}


def test_costs_of_a_byte_tokenizer_are_those_of_bytes() -> None:
    costs = parallel_costs(BYTES, SENTENCES, reference="eng", resamples=Resamples(2, seed=0))
    assert {name: row.premium for name, row in costs.languages.items()} == {"eng": 1.0, "lao": 2.0, "fra": 17 / 12}
    assert all(row.premium == row.byte_premium for row in costs.languages.values())
    assert (costs.worst, costs.worst_premium, costs.cost_ratio) == ("lao", 2.0, 2.0)
    assert costs.languages["lao"].interval is not None
    assert costs.languages["lao"].interval.low == costs.languages["lao"].interval.high == 2.0


def test_files_of_unequal_length_are_refused_naming_both() -> None:
    with pytest.raises(MetricError, match="'lao' has 1 lines and 'eng' has 2"):
        parallel_costs(BYTES, SENTENCES | {"lao": [b"x"]}, reference="eng")


@pytest.mark.parametrize(
    ("languages", "reference", "words"),
    [
        (SENTENCES, "deu", "Name one of 'eng', 'fra', 'lao'"),
        ({"eng": [b"a"]}, "eng", "has 1 language"),
        (SENTENCES | {"deu": [b"", b""]}, "eng", "'deu': has no tokens"),
    ],
)
def test_what_is_no_parallel_text_is_refused(languages: dict[str, list[bytes]], reference: str, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        parallel_costs(BYTES, languages, reference=reference)
