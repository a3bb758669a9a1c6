"""Values of published tokenizers that are written down: figures of the lectures, and public reports of faults."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.interop.published import ours, parallel
from tokenloom import DecodeError, EncodeError, Tokenizer
from tokenloom.spec import BpeModel, Pretokenizer

pytestmark = pytest.mark.interop


@pytest.mark.parametrize(("name", "premium"), [("gpt2", 3.20), ("cl100k_base", 1.89), ("o200k_base", 1.27)])
def test_chinese_takes_so_many_times_the_tokens_of_english(shared: Path, name: str, premium: float) -> None:
    chinese, english = (
        sum(map(len, ours(shared, name).encode_batch(parallel(shared, language))))
        for language in ("cmn_Hani", "eng_Latn")
    )
    assert round(chinese / english, 2) == premium


def pieces(shared: Path, name: str, text: str) -> list[str]:
    tokenizer = ours(shared, name)
    return [tokenizer.token_bytes(token_id).decode(errors="replace") for token_id in tokenizer.encode(text)]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("deepseek_v3", "小明把苹果给了小王", "小明|把|苹果|给了|小王"),
        ("cl100k_base", "strawberry", "str|aw|berry"),
        ("gpt2", "strawberry", "st|raw|berry"),
        ("cl100k_base", "2048", "204|8"),
        ("cl100k_base", "123456789", "123|456|789"),
        ("deepseek_v3", "x1234567 中文abc !hello", "x|123|456|7| |中文|abc| !|hello"),  # PT-13
    ],
)
def test_texts_are_cut_so(shared: Path, name: str, text: str, expected: str) -> None:
    assert "|".join(pieces(shared, name, text)) == expected


@pytest.mark.parametrize(
    ("name", "text", "n_tokens"),
    [
        ("deepseek_v3", "我喜欢机器学习", 2),
        ("gpt2", "我喜欢机器学习", 17),
        ("cl100k_base", "我喜欢机器学习", 10),
        ("o200k_base", "我喜欢机器学习", 4),
        ("gpt2", "小明把苹果给了小王", 21),
        ("o200k_base", "小明把苹果给了小王", 8),
        ("gpt2", "饕", 3),
        ("cl100k_base", "饕", 3),
        ("o200k_base", "饕", 2),
        ("gpt2", "^" * 1_000_000, 250_000),  # PT-09
        ("cl100k_base", "^" * 1_000_000, 250_000),
        ("cl100k_base", "a" * 1_000_000, 125_000),
    ],
)
def test_texts_have_so_many_tokens(shared: Path, name: str, text: str, n_tokens: int) -> None:
    assert ours(shared, name).count(text) == n_tokens


@pytest.mark.parametrize(("name", "n"), [("gpt2", 777), ("cl100k_base", 1000), ("o200k_base", 1000)])
def test_so_many_numbers_of_three_digits_are_tokens(shared: Path, name: str, n: int) -> None:
    tokens = set(ours(shared, name).vocabulary.values())
    assert len(tokens & {b"%03d" % number for number in range(1000)}) == n


ROCKET = [9468, 248, 222]


@pytest.mark.parametrize(
    ("case", "name", "text", "ids"),
    [
        ("SP-04", "cl100k_base", "p<|endoftext|>q", [79, 27, 91, 8862, 728, 428, 91, 29, 80]),
        ("SP-04", "qwen3", "p<|im_end|>q", [79, 151645, 80]),
        ("UN-02", "cl100k_base", b"a\xf0\x9f\x91b", [64, 9468, 239, 65]),
        ("UN-02", "cl100k_base", b"\xff\xfe", [187, 186]),
        ("UN-06", "qwen3", "q\u0301\u08d3", [80, 156, 96, 241, 53839]),
        ("UN-07", "qwen3", "e\u0301", [963]),
        ("UN-07", "qwen3", "\u00e9", [963]),
        ("UN-07", "llama3_1", "e\u0301", [68, 54939]),
        ("UN-12", "cl100k_base", "4 \u00bd", [19, 220, 27154]),
        ("PT-01", "cl100k_base", "'RE", [95253]),
        ("PT-01", "cl100k_base", "WE'LL GO", [12739, 6, 4178, 12890]),
        ("PT-01", "o200k_base", "'RE", [6, 1099]),
        ("PT-01", "o200k_base", "WE'LL GO", [18092, 6, 7454, 22136]),
        ("PT-01", "gpt2", "'RE", [6, 2200]),
        ("PT-01", "gpt2", "WE'LL GO", [8845, 6, 3069, 10351]),
        ("PT-02", "cl100k_base", "ha'\u017f", [4317, 6, 129, 123]),
        ("PT-02", "o200k_base", "ha'\u017f", [1716, 6, 70067]),
        ("PT-03", "cl100k_base", "isn\u2019t", [285, 77, 1431]),
        ("PT-03", "cl100k_base", "isn't", [285, 77, 956]),
        ("PT-04", "o200k_base", "\u0927\u0928\u094d\u092f\u0935\u093e\u0926", [5562, 998, 161793]),
        (
            *("PT-04", "cl100k_base", "\u0927\u0928\u094d\u092f\u0935\u093e\u0926"),
            [5619, 100, 61196, 31584, 107, 5619, 113, 32511, 99],
        ),
        ("PT-05", "cl100k_base", "k\r\n\r\nv", [74, 881, 85]),
        ("PT-05", "o200k_base", "k\r\n\r\nv", [74, 1414, 85]),
        ("PT-05", "gpt2", "k\r\n\r\nv", [74, 201, 198, 201, 198, 85]),
        ("PT-05", "cl100k_base", "k\n\nv", [74, 271, 85]),
        ("PT-08", "cl100k_base", "foo  bar\n\n  baz", [8134, 220, 3703, 271, 220, 51347]),
        ("PT-11", "tekken", "A" * 9400, [14229] * 4700),
        ("PT-14", "qwen3", "987654", [24, 23, 22, 21, 20, 19]),
        ("PT-14", "cl100k_base", "987654", [22207, 21969]),
        ("PT-14", "gpt2", "987654", [4089, 29143, 19]),
        ("FM-03", "gpt2", "##", [2235]),
        ("FM-07", "llama3_1", " vi\u1ec7c", [100769]),
        ("FM-17", "tekken", "hello world", [29706, 4304]),
        ("FM-20", "cl100k_base", "  ", [256]),
        ("FM-20", "cl100k_base", "   x", [256, 865]),
    ],
)
def test_texts_have_these_ids(shared: Path, case: str, name: str, text: str | bytes, ids: list[int]) -> None:
    assert ours(shared, name).encode(text) == ids, case


def test_special_tokens_are_ids_on_request_alone(shared: Path) -> None:
    """SP-04, SP-09: and blanks round them stay."""
    qwen, gpt2 = ours(shared, "qwen3"), ours(shared, "gpt2")
    plain = [79, 27, 91, 318, 6213, 91, 29, 80]
    assert qwen.encode("p<|im_end|>q", allowed_special=(), disallowed_special=()) == plain
    assert ours(shared, "cl100k_base").encode("p<|endoftext|>q", allowed_special="all") == [79, 100257, 80]
    ids = gpt2.encode("a <|endoftext|> b", allowed_special="all")
    assert (ids, gpt2.decode(ids)) == ([64, 220, 50256, 275], "a <|endoftext|> b")
    with pytest.raises(EncodeError):
        gpt2.encode("<|endoftext|>", disallowed_special="all")


@pytest.mark.parametrize(
    ("case", "name", "ids", "text"),
    [
        ("DE-05", "cl100k_base", [22447, 229, 139, 230], "\u2207\u03c8"),
        ("DE-08", "gpt2", [271, 340, 5633, 12876], "is it ? ok"),
        ("DE-08", "llama3_1", [64, 976, 293, 949, 272, 551, 294], "a != b ? c : d"),
        ("DE-01", "cl100k_base", ROCKET, "\U0001f680"),
    ],
)
def test_ids_have_these_texts(shared: Path, case: str, name: str, ids: list[int], text: str) -> None:
    assert ours(shared, name).decode(ids) == text, case


@pytest.mark.parametrize(("name", "token_id"), [("cl100k_base", 100_256), ("qwen3", 151_935), ("qwen3", -1)])
def test_ids_without_a_token_are_refused(shared: Path, name: str, token_id: int) -> None:
    """DE-10."""
    with pytest.raises(DecodeError):
        ours(shared, name).decode([token_id])


def test_every_token_of_cl100k_has_one_id(shared: Path) -> None:
    """DE-06: as text 705 of them would not."""
    tokenizer = ours(shared, "cl100k_base")
    tokens = {i: token for i, token in tokenizer.vocabulary.items() if i < 100_256}
    assert len(tokens) == 100_256
    assert all(tokenizer.id_of(token) == i for i, token in tokens.items())
    assert len(set(tokens)) - len({token.decode(errors="replace") for token in tokens.values()}) > 0


def test_588_tokens_of_llama3_are_out_of_reach_of_its_merges(shared: Path) -> None:
    """FM-07."""
    spec = ours(shared, "llama3_1").spec
    by_merges = Tokenizer.from_spec(replace(spec, model=BpeModel("merges"), pretokenizer=Pretokenizer("none")))
    tokens = [(i, token) for i, token in spec.vocabulary().items() if i < 128_000]
    assert (
        sum(list(ids) != [i] for (i, _), ids in zip(tokens, by_merges.encode_batch(t for _, t in tokens), strict=True))
        == 588
    )
    assert by_merges.encode(" vi\u1ec7c") == [3355, 26298, 66]
