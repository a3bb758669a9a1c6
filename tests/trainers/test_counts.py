from typing import Any

import numpy as np
import pytest

from tokenloom.errors import SpecialTokenError, TrainingError
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import count_pretokens, pretoken_counts


@pytest.mark.parametrize("n", [1, 2**64 - 1, np.int64(3)])
def test_whole_numbers_are_counts(n: int) -> None:
    assert pretoken_counts({"low": n}).items() == [(b"low", n)]


@pytest.mark.parametrize("n", [0, -1, 2**64, 1.0, "1", None, True])
def test_what_is_no_count_is_refused_with_its_pretoken(n: Any) -> None:
    message = rf"^pretoken 'low': its count {n!r} must be a whole number from 1 to 18,446,.*\. Leave out"
    with pytest.raises(TrainingError, match=message):
        pretoken_counts({"high": 1, "low": n})


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"a\ud800": 1}, r"pretoken 'a\\ud800': character 1 is a lone surrogate.* Repair it"),
        ({5: 1}, "pretoken 5: is of type int, neither str nor bytes. Pass texts"),
        ([("low", 5)], "is of type list, no mapping. Pass a dict or a Counter"),
        (None, "counts None: is of type NoneType, no mapping"),
    ],
)
def test_what_is_no_text_is_refused(counts: Any, message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        pretoken_counts(counts)


def test_one_str_in_the_place_of_special_tokens_is_refused() -> None:
    with pytest.raises(SpecialTokenError, match="is one string, not a list"):
        count_pretokens(["a"], pretokenizer=Pretokenizer("gpt2"), special_tokens="<s>")
