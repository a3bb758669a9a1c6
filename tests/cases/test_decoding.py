"""DE: decoding. Each test is a public report of a fault in other software; see its id.

DE-09 and DE-12 are about other kinds of vocabularies than byte-level BPE.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases.vocabularies import byte_tokenizer
from tests.interop.published import ours
from tests.wordpieces import wordpiece_spec
from tokenloom import DecodeError, Tokenizer
from tokenloom.spec import Decoder, DecodeWordpiece


@pytest.mark.parametrize(
    ("case", "name", "ids", "text"),
    [
        ("DE-01", "cl100k_base", [9468, 248, 222], "\U0001f680"),
        ("DE-05", "cl100k_base", [22447, 229, 139, 230], "\u2207\u03c8"),
        ("DE-08", "gpt2", [271, 340, 5633, 12876], "is it ? ok"),
        ("DE-08", "llama3_1", [64, 976, 293, 949, 272, 551, 294], "a != b ? c : d"),
    ],
)
def test_ids_have_these_texts(shared: Path, case: str, name: str, ids: list[int], text: str) -> None:
    """Tokens are joined before they are decoded, and nothing is cleaned up."""
    assert ours(shared, name).decode(ids) == text, case


def test_a_character_comes_out_with_the_last_of_its_tokens(shared: Path) -> None:
    """DE-01: nothing before, no U+FFFD."""
    asked: list[int] = []

    def rocket() -> Iterator[int]:
        for token_id in [9468, 248, 222, 64]:
            asked.append(token_id)
            yield token_id

    parts = filter(None, ours(shared, "cl100k_base").decode_iterable(rocket()))
    assert (next(parts), asked) == ("\U0001f680", [9468, 248, 222])
    assert "".join(parts) == "a"


@pytest.mark.parametrize(
    ("case", "data", "text"),
    [("DE-02", b"\x96\x96\x96\xc2\xbb", "\ufffd\ufffd\ufffd\u00bb"), ("DE-04", b"\xe2\x82 x", "\ufffd x")],
)
def test_stray_bytes_are_replaced(case: str, data: bytes, text: str) -> None:
    """Whole, in a stream, and where the stream ends inside a character."""
    tokenizer = byte_tokenizer()
    assert tokenizer.decode(list(data)) == text, case
    for end in range(len(data) + 1):
        assert "".join(tokenizer.decode_iterable(list(data[:end]))) == data[:end].decode(errors="replace"), case


def test_every_token_of_cl100k_has_one_id(shared: Path) -> None:
    """DE-06: in bytes it has, in text 705 share theirs with another and 773 are not valid."""
    tokenizer = ours(shared, "cl100k_base")
    tokens = {i: token for i, token in tokenizer.vocabulary.items() if i < 100_256}
    assert all(tokenizer.id_of(token) == i for i, token in tokens.items())
    texts = Counter(token.decode(errors="replace") for token in tokens.values())
    assert sum(n for n in texts.values() if n > 1) == 705
    n_valid = sum(token == token.decode(errors="ignore").encode() for token in tokens.values())
    assert (len(tokens), len(tokens) - n_valid) == (100_256, 773)


@pytest.mark.parametrize(("name", "hole"), [("cl100k_base", 100_256), ("qwen3", 151_935)])
def test_ids_without_a_token_are_refused(shared: Path, name: str, hole: int) -> None:
    """DE-10: nothing is skipped; an id is never counted from the end."""
    tokenizer = ours(shared, name)
    for bad in (hole, -1, 2**32):
        with pytest.raises(ValueError, match=rf"id {bad} at position 1 has no token"):
            tokenizer.decode([0, bad])
        with pytest.raises(DecodeError):
            tokenizer.token_bytes(bad)


@pytest.mark.parametrize(
    ("tokens", "cleanup", "text"),
    [
        (["##en"], True, "##en"),
        (["tok", "##en"], True, "token"),
        (["do", "n't"], True, "don't"),
        (["a", ",", "b", "."], True, "a, b."),
        (["a", ",", "b", "."], False, "a , b ."),
    ],
)
def test_what_goes_on_with_a_word_is_glued_to_it(tokens: list[str], cleanup: bool, text: str) -> None:
    """DE-11: a token that goes on with nothing keeps its mark."""
    vocabulary = list(dict.fromkeys(["[UNK]", "[CLS]", "[SEP]", *tokens]))
    spec = replace(wordpiece_spec(vocabulary), decoder=Decoder((DecodeWordpiece(cleanup=cleanup),)))
    tokenizer = Tokenizer.from_spec(spec)
    ids = list(map(vocabulary.index, tokens))
    assert tokenizer.decode(ids) == text
    assert "".join(tokenizer.decode_iterable(ids)) == text
