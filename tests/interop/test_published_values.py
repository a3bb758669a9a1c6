"""Values of published tokenizers that the lectures write down; for public reports of faults see `tests/cases`."""

from pathlib import Path

import pytest

from tests.cases.vocabularies import texts_of
from tests.interop.published import ours, parallel

pytestmark = pytest.mark.interop


@pytest.mark.parametrize(("name", "premium"), [("gpt2", 3.20), ("cl100k_base", 1.89), ("o200k_base", 1.27)])
def test_chinese_takes_so_many_times_the_tokens_of_english(shared: Path, name: str, premium: float) -> None:
    chinese, english = (
        sum(map(len, ours(shared, name).encode_batch(parallel(shared, language))))
        for language in ("cmn_Hani", "eng_Latn")
    )
    assert round(chinese / english, 2) == premium


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("deepseek_v3", "小明把苹果给了小王", "小明|把|苹果|给了|小王"),
        ("cl100k_base", "strawberry", "str|aw|berry"),
        ("gpt2", "strawberry", "st|raw|berry"),
        ("cl100k_base", "2048", "204|8"),
        ("cl100k_base", "123456789", "123|456|789"),
    ],
)
def test_texts_are_cut_so(shared: Path, name: str, text: str, expected: str) -> None:
    assert "|".join(texts_of(ours(shared, name), text)) == expected


@pytest.mark.parametrize(
    ("name", "text", "n_tokens"),
    [
        ("deepseek_v3", "我喜欢机器学习", 2),
        ("gpt2", "我喜欢机器学习", 17),
        ("cl100k_base", "我喜欢机器学习", 10),
        ("o200k_base", "我喜欢机器学习", 4),
        ("gpt2", "小明把苹果给了小王", 21),
        ("o200k_base", "小明把苹果给了小王", 8),
    ],
)
def test_texts_have_so_many_tokens(shared: Path, name: str, text: str, n_tokens: int) -> None:
    assert ours(shared, name).count(text) == n_tokens


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("gpt2", [b"\xe9", b"\xa5", b"\x95"]),
        ("cl100k_base", [b"\xe9", b"\xa5", b"\x95"]),
        ("o200k_base", [b"\xe9\xa5", b"\x95"]),
    ],
)
def test_a_rare_character_is_cut_into_bytes(shared: Path, name: str, tokens: list[bytes]) -> None:
    tokenizer = ours(shared, name)
    assert list(map(tokenizer.token_bytes, tokenizer.encode("饕"))) == tokens


@pytest.mark.parametrize(("name", "n"), [("gpt2", 777), ("cl100k_base", 1000), ("o200k_base", 1000)])
def test_so_many_numbers_of_three_digits_are_tokens(shared: Path, name: str, n: int) -> None:
    tokens = set(ours(shared, name).vocabulary.values())
    assert len(tokens & {b"%03d" % number for number in range(1000)}) == n
