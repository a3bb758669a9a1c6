from typing import Any, get_args

import pytest

from tokenloom import _core
from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import AddedToken, BpeModel, Pretokenizer
from tokenloom.spec.components import PretokenizerType
from tokenloom.spec.config import render_pretokenizer


@pytest.mark.parametrize(
    ("content", "message"), [("", "empty"), (b"<s>", "no string"), ("a\ud800", "character 1 is a lone surrogate")]
)
def test_special_token_that_is_no_text_is_refused(content: Any, message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        AddedToken(content, 0)


@pytest.mark.parametrize("bad_id", [-1, 2**24, 1.0, True, "1"])
def test_special_token_without_a_real_id_is_refused(bad_id: Any) -> None:
    with pytest.raises(SpecError, match="is not an id"):
        AddedToken("<s>", bad_id)


@pytest.mark.parametrize("name", ["bert", "regex", None])
def test_pretokenizer_that_the_core_does_not_have_is_refused(name: Any) -> None:
    with pytest.raises(SpecError, match=f"unknown type {name!r}. Use 'gpt2' or 'none'"):
        Pretokenizer(name)


@pytest.mark.parametrize("name", get_args(PretokenizerType))
def test_every_pretokenizer_of_the_spec_is_one_of_the_core(name: Any) -> None:
    _core.PretokenCounter(render_pretokenizer(Pretokenizer(name)), [], n_threads=1)


def test_unknown_semantics_are_refused() -> None:
    with pytest.raises(SpecError, match="unknown semantics 'rank'"):
        BpeModel("rank")  # type: ignore[arg-type]
