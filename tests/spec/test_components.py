from typing import Any

import pytest

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import BpeModel, Pretokenizer, SpecialToken


@pytest.mark.parametrize(
    ("content", "message"), [("", "empty"), (b"<s>", "no string"), ("a\ud800", "character 1 is a lone surrogate")]
)
def test_special_token_that_is_no_text_is_refused(content: Any, message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        SpecialToken(content, 0)


@pytest.mark.parametrize("bad_id", [-1, 2**24, 1.0, True, "1"])
def test_special_token_without_a_real_id_is_refused(bad_id: Any) -> None:
    with pytest.raises(SpecError, match="is not an id"):
        SpecialToken("<s>", bad_id)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bert",), "unknown type 'bert'"),
        (("gpt2", "x"), "takes no pattern, but got 'x'"),
        (("regex",), "None is not a pattern"),
        (("regex", ""), "'' is not a pattern"),
        (("regex", "\udfff"), "character 0 of its pattern"),
    ],
)
def test_pretokenizer_that_contradicts_itself_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        Pretokenizer(*arguments)


def test_unknown_semantics_are_refused() -> None:
    with pytest.raises(SpecError, match="unknown semantics 'rank'"):
        BpeModel("rank")  # type: ignore[arg-type]
