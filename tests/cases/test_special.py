"""SP: special and added tokens. Each test is a public report of a fault in other software; see its id.

SP-11 is about SentencePiece's kind of vocabulary.
"""

from itertools import permutations
from pathlib import Path

import pytest

from tests.cases.vocabularies import BYTES, byte_tokenizer
from tests.interop.published import ours
from tokenloom import EncodeError, SpecialTokenError, Tokenizer, encode_corpus
from tokenloom.spec import AddedToken, Lowercase


def found_at(tokenizer: Tokenizer, text: str, token_id: int) -> list[tuple[int, int]]:
    """Where a token was found, in characters."""
    found = tokenizer.encode_with_offsets(text)
    spans = zip(found.ids.tolist(), found.char_offsets.tolist(), strict=True)
    return [(start, end) for found_id, (start, end) in spans if found_id == token_id]


def test_the_longest_run_of_blanks_wins() -> None:
    """SP-01."""
    assert byte_tokenizer({" " * n: 300 + n for n in range(2, 9)}).encode(" " * 8) == [308]


@pytest.mark.parametrize("order", [*permutations({"<a>": 300, "<a><a>": 301}.items())])
def test_a_token_wins_over_its_own_beginning(order: tuple[tuple[str, int], ...]) -> None:
    """SP-02: leftmost, then longest."""
    assert byte_tokenizer(dict(order)).encode("<a><a><a>") == [301, 300]


@pytest.mark.parametrize("specials", [*permutations(["A", "AB"])])
def test_the_order_of_the_list_decides_nothing(specials: tuple[str, str]) -> None:
    """SP-03."""
    tokenizer = Tokenizer(BYTES, [], specials, special_text="parse")
    assert tokenizer.encode("ABCDEF") == [tokenizer.special_tokens["AB"], *b"CDEF"]


@pytest.mark.parametrize(
    ("name", "text", "plain", "parsed"),
    [
        ("cl100k_base", "p<|endoftext|>q", [79, 27, 91, 8862, 728, 428, 91, 29, 80], [79, 100257, 80]),
        ("qwen3", "p<|im_end|>q", [79, 27, 91, 318, 6213, 91, 29, 80], [79, 151645, 80]),
    ],
)
def test_a_document_makes_control_tokens_only_on_request(
    shared: Path, name: str, text: str, plain: list[int], parsed: list[int]
) -> None:
    """SP-04."""
    tokenizer = ours(shared, name)
    assert tokenizer.encode(text, allowed_special=(), disallowed_special=()) == plain
    assert tokenizer.encode(text, allowed_special="all") == parsed


def test_a_corpus_is_plain_text_by_default(tmp_path: Path) -> None:
    """SP-04: whatever the tokenizer itself does with special tokens."""
    (tmp_path / "a.txt").write_text("p<e>q")
    tokenizer = byte_tokenizer({"<e>": 256}, special_text="parse")
    run = encode_corpus([tmp_path / "a.txt"], tokenizer=tokenizer, out=tmp_path / "out")
    assert run.shards[0].tolist() == [*b"p<e>q"]


def test_defaults_are_those_of_tiktoken(shared: Path) -> None:
    """SP-05."""
    tokenizer = Tokenizer.from_spec(ours(shared, "cl100k_base").spec)
    with pytest.raises(ValueError, match=r"special token '<\|endoftext\|>' found at byte 0"):
        tokenizer.encode("<|endoftext|>")
    assert tokenizer.encode("<|endoftext|>", allowed_special="all") == [100257]
    assert len(tokenizer.encode("<|endoftext|>", disallowed_special=())) == 7


@pytest.mark.parametrize(
    ("content", "text", "spans"),
    [
        ("<m>", "<m> A<m> <m>b <m>", [(0, 3), (14, 17)]),
        ("cat", "cat concat cats_cat cat-cat \u00e9cat cat", [(0, 3), (20, 23), (24, 27), (33, 36)]),
    ],
)
def test_single_word_is_not_found_inside_words(content: str, text: str, spans: list[tuple[int, int]]) -> None:
    """SP-07."""
    tokenizer = byte_tokenizer([AddedToken(content, 256, single_word=True)], pattern="none")
    assert found_at(tokenizer, text, 256) == spans
    assert tokenizer.encode(text).count(256) == len(spans)


def test_strips_take_blanks_on_both_sides() -> None:
    """SP-08: what they take does not come back, so such a round trip is not exact."""
    tokenizer = byte_tokenizer([AddedToken("<m>", 256, lstrip=True, rstrip=True)])
    text = "a \n\t<m>\u00a0\u3000b"
    assert tokenizer.encode(text) == [97, 256, 98]
    assert found_at(tokenizer, text, 256) == [(1, 9)]
    assert tokenizer.decode([97, 256, 98]) == "a<m>b"


def test_blanks_round_a_special_token_stay(shared: Path) -> None:
    """SP-09."""
    tokenizer = ours(shared, "gpt2")
    ids = tokenizer.encode("a <|endoftext|> b", allowed_special="all")
    assert (ids, tokenizer.decode(ids)) == ([64, 220, 50256, 275], "a <|endoftext|> b")


@pytest.mark.parametrize("text", ["<|end|>\n<|assistant|>\n", "n1 n2n1"])
def test_decoding_puts_nothing_behind_added_tokens(text: str) -> None:
    """SP-10."""
    names = [AddedToken("n1", 258, special=False), AddedToken("n2", 259, special=False)]
    tokenizer = byte_tokenizer([AddedToken("<|end|>", 256), AddedToken("<|assistant|>", 257), *names])
    assert len(tokenizer.encode(text)) == 4
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_a_normalized_token_is_found_in_normalized_text_alone() -> None:
    """SP-12."""
    added = [AddedToken("Foo", 256, special=False, normalized=True), AddedToken("BAR", 257, special=False)]
    tokenizer = byte_tokenizer(added, steps=(Lowercase(),))
    assert tokenizer.encode("foo FOO Foo bar BAR") == [256, 32, 256, 32, 256, 32, *b"bar", 32, 257]


def test_adding_what_is_there_adds_nothing() -> None:
    """SP-14: tokens are added by making a tokenizer, which refuses the same one twice; one that is there stays."""
    with pytest.raises(SpecialTokenError, match="'<x>': it is listed twice"):
        Tokenizer(BYTES, [], ["<x>", "<x>"])
    first = Tokenizer(BYTES, [], ["<x>"])
    again = Tokenizer(first.vocabulary, first.merges, ["<x>", "a"])
    assert (len(first), len(again)) == (257, 257)
    assert again.special_tokens == {"a": 97, "<x>": 256}


def test_refusing_is_a_value_error_of_ours() -> None:
    """SP-05: the same kind of error as tiktoken's, and caught as ours too."""
    with pytest.raises(EncodeError) as caught:
        byte_tokenizer({"<e>": 256}, special_text="refuse").encode("<e>")
    assert isinstance(caught.value, ValueError)
