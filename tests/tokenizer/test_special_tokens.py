"""Special tokens in text: three policies, and overrides for a call; for the faults of others see `tests/cases`."""

import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import SPECIAL_TOKENS, bytes_texts, overlapping_specials
from tokenloom import EncodeError, SpecialTokenError, Tokenizer
from tokenloom.lessons.special_tokens import split_at_special_tokens
from tokenloom.spec import AddedToken, build_spec
from tokenloom.tokenizer import SpecialText

BYTES = {byte: bytes([byte]) for byte in range(256)}
MARK = "<|endoftext|>"


def with_specials(*specials: str, special_text: SpecialText = "parse") -> Tokenizer:
    return Tokenizer(BYTES, [], specials, special_text=special_text)


@given(bytes_texts, overlapping_specials)
@settings(max_examples=300)
def test_text_is_cut_like_the_lesson(data: bytes, specials: list[str]) -> None:
    tokenizer = with_specials(*specials)
    ids: list[int] = []
    for is_special, part in split_at_special_tokens(data, [special.encode() for special in specials]):
        ids += [tokenizer.id_of(part)] if is_special else list(part)
    assert tokenizer.encode(data) == ids


@given(bytes_texts, overlapping_specials, st.data())
@settings(max_examples=300)
def test_a_special_token_that_is_text_hides_no_other(data: bytes, specials: list[str], draw: st.DataObject) -> None:
    """Also where it begins before, or with, another one that counts: as if the tokenizer had only those."""
    allowed = draw.draw(st.sets(st.sampled_from(specials))) if specials else set()
    tokenizer, others = with_specials(*specials), with_specials(*sorted(allowed))
    names = {token_id: content for content, token_id in others.special_tokens.items()}
    expected = [tokenizer.id_of(names[i].encode()) if i in names else i for i in others.encode(data)]
    assert tokenizer.encode(data, allowed_special=allowed, disallowed_special=()) == expected
    stream = tokenizer.encode_iterable([data[:3], data[3:]], allowed_special=allowed, disallowed_special=())
    assert [*stream] == expected
    first = next((names[i] for i in others.encode(data) if i in names), None)
    plain = Tokenizer(BYTES, [], specials, special_text="plain")
    if first is None:
        assert plain.encode(data, allowed_special=(), disallowed_special=allowed) == [*data]
    else:
        with pytest.raises(EncodeError, match=re.escape(f"special token {first!r} found")):
            plain.encode(data, allowed_special=(), disallowed_special=allowed)


def test_a_special_token_that_is_text_hides_what_is_not_special_in_it() -> None:
    """Not a special token in it, nor what begins behind its end."""
    contents = {"<|cat|>": True, "|>": True, "cat": False, ">c": False}
    added = [AddedToken(content, 256 + n, special=special) for n, (content, special) in enumerate(contents.items())]
    tokenizer = Tokenizer.from_spec(build_spec(BYTES, [], added_tokens=added), special_text="plain")
    assert tokenizer.encode("cat<|cat|>cat<cat") == [258, *b"<|cat|>", 258, ord("<"), 258]
    assert tokenizer.encode("<|cat|>cat", allowed_special={"|>"}) == [*b"<|cat", 257, 258]
    assert tokenizer.encode("<|cat|>cat", allowed_special={"<|cat|>"}) == [256, 258]


@pytest.mark.parametrize("specials", [*permutations([MARK, MARK * 2])])
def test_the_double_end_of_text_is_one_token(specials: tuple[str, str]) -> None:
    tokenizer = with_specials(*specials)
    expected = [tokenizer.special_tokens[MARK * 2], tokenizer.special_tokens[MARK]]
    assert tokenizer.encode(MARK * 3) == expected


def test_the_longest_wins_where_a_window_of_the_search_ends() -> None:
    """Special tokens are searched for in windows of 1 MiB."""
    tokenizer = with_specials(MARK, MARK * 2)
    assert tokenizer.encode("x " * (1 << 19) + MARK * 2)[-1] == tokenizer.special_tokens[MARK * 2]


def test_text_makes_a_special_token_only_on_request() -> None:
    refusing, parsing, plain = (with_specials(MARK, special_text=policy) for policy in ("refuse", "parse", "plain"))
    text, ordinary = f"p{MARK}q", [*f"p{MARK}q".encode()]
    with pytest.raises(EncodeError):
        refusing.encode(text)
    assert (parsing.encode(text), plain.encode(text)) == ([112, 256, 113], ordinary)
    for tokenizer in (refusing, parsing, plain):
        assert tokenizer.encode(text, allowed_special={MARK}) == [112, 256, 113]
        assert tokenizer.encode(text, allowed_special=(), disallowed_special=()) == ordinary


@pytest.mark.parametrize("policy", ["refuse", "parse", "plain"])
def test_a_refusal_names_the_token_its_place_and_the_way_out(policy: SpecialText) -> None:
    tokenizer = with_specials(MARK, special_text=policy)
    message = r"special token '<\|endoftext\|>' found at byte 3 of the text.*allowed_special={.*disallowed_special=\(\)"
    with pytest.raises(EncodeError, match=message):
        tokenizer.encode(f"\u4f60{MARK}", disallowed_special="all")


def test_a_stream_names_the_place_in_the_whole_text() -> None:
    stream = with_specials(MARK, special_text="refuse").encode_iterable(["one two " * 10] * 3 + [MARK, "."])
    with pytest.raises(EncodeError, match="found at byte 240 of the text"):
        list(stream)


def test_a_word_goes_on_where_a_window_of_the_search_ends() -> None:
    """Special tokens are searched for in windows of 1 MiB, which end inside a word here."""
    text = "x " * ((1 << 19) - 1) + "word " + MARK
    assert with_specials(MARK).pretokens(text)[-3:] == [b" word", b" ", MARK.encode()]


def test_a_special_token_has_at_most_1024_bytes() -> None:
    assert with_specials("<" * 1024).encode("<" * 1024) == [256]
    with pytest.raises(SpecialTokenError, match="it has 1,025 bytes, and 1,024 are the most"):
        with_specials("<" * 1025)


def test_a_batch_names_the_document() -> None:
    with pytest.raises(EncodeError, match=r"^document 2: special token"):
        with_specials(MARK, special_text="refuse").encode_batch(["a", "b", MARK, MARK])


def test_a_large_batch_names_the_document_by_its_place_among_all() -> None:
    """A unit of parallel work is 256 KiB: the document at fault is the second one of the third unit."""
    documents = ["x" * 300_000, "x" * 300_000, "a", MARK]
    with pytest.raises(EncodeError, match=r"^document 3: special token"):
        with_specials(MARK, special_text="refuse").encode_batch(documents)


def test_a_token_that_is_refused_and_allowed_is_refused() -> None:
    with pytest.raises(EncodeError):
        with_specials(MARK).encode(MARK, allowed_special={MARK}, disallowed_special={MARK})


@pytest.mark.parametrize("specials", [["a"], ["ab"], ["a", "ab", "<x>"]])
def test_a_special_token_of_the_vocabulary_keeps_its_id(specials: list[str]) -> None:
    """Naming it as special adds no token."""
    vocabulary = BYTES | {256: b"ab"}
    tokenizer = Tokenizer(vocabulary, [(b"a", b"b")], specials, special_text="parse")
    assert len(tokenizer) == 257 + ("<x>" in specials)
    assert all(tokenizer.special_tokens[special] == tokenizer.id_of(special.encode()) for special in specials)
    assert tokenizer.decode(tokenizer.encode("aab<x>")) == "aab<x>"


def test_a_special_token_is_never_made_by_merging() -> None:
    vocabulary = BYTES | {256: b"<-", 257: b"<->"}
    tokenizer = Tokenizer(vocabulary, [(b"<", b"-")], ["<->"], special_text="plain")
    assert tokenizer.encode("<->") == [256, ord(">")]
    assert tokenizer.encode("<->", allowed_special={"<->"}) == [257]


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"allowed_special": {"<x>"}}, "'<x>' in allowed_special or disallowed_special is not a special token"),
        ({"disallowed_special": ["<x>"]}, "Name only tokens of Tokenizer.special_tokens"),
        ({"allowed_special": ["\ud800"]}, r"allowed_special: '\\ud800' is not a special token.*Name only"),
        ({"disallowed_special": [5]}, "disallowed_special: 5 is not a special token"),
        ({"allowed_special": 5}, "allowed_special 5: is no set of special tokens. Pass a set of str, or 'all'"),
        ({"allowed_special": b"all"}, "allowed_special b'all': is no set"),
        ({"allowed_special": MARK}, r"take 'all' or a set of special tokens, not the str '<\|endoftext\|>'. Write {"),
    ],
)
def test_an_unknown_name_is_refused(policy: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        with_specials(*SPECIAL_TOKENS, special_text="refuse").encode("a", **policy)


def test_pieces_show_special_tokens_whole() -> None:
    assert with_specials(MARK).pretokens(f"a b{MARK}c") == [b"a", b" b", MARK.encode(), b"c"]


def test_of_several_unknown_names_the_first_by_the_alphabet_is_named() -> None:
    """However a set orders them; of two arguments one in `allowed_special`."""
    tokenizer = with_specials("<e>")
    names = {f"<{number:02}>" for number in range(30)}
    for _ in range(5):
        with pytest.raises(SpecialTokenError, match=r"^'<00>' in allowed_special or disallowed_special"):
            tokenizer.encode("a", allowed_special=names)
        with pytest.raises(SpecialTokenError, match=r"^'<20>' in"):
            tokenizer.encode("a", allowed_special=names - {f"<{n:02}>" for n in range(20)}, disallowed_special=names)
