from typing import Any

import pytest

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import AddedToken, Pretokenizer, build_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}


def test_vocabulary_and_merges_come_back() -> None:
    vocabulary = BYTES | {256: b"th", 257: b"the"}
    merges = [(b"t", b"h"), (b"th", b"e")]
    spec = build_spec(vocabulary, merges)
    assert spec.vocabulary() == vocabulary
    assert spec.merge_list() == merges
    assert spec.pretokenizer == Pretokenizer("gpt2")


def test_ids_may_come_in_any_order_and_have_holes() -> None:
    vocabulary = {300: b"ab"} | {byte: bytes([255 - byte]) for byte in range(256)}
    spec = build_spec(vocabulary, [(b"a", b"b")])
    assert spec.vocabulary() == vocabulary
    assert spec.token_offsets[-4:] == (258).to_bytes(4, "little")


def test_new_special_tokens_get_the_next_free_ids_in_order() -> None:
    spec = build_spec(BYTES | {300: b"ab"}, [(b"a", b"b")], ["<z>", "<a>"])
    assert spec.special_tokens == (AddedToken("<z>", 301), AddedToken("<a>", 302))


def test_special_token_in_the_vocabulary_keeps_its_id_but_not_its_bytes() -> None:
    spec = build_spec(BYTES | {256: b"<s>", 257: b"ab"}, [(b"a", b"b")], ["<t>", "<s>"])
    assert spec.special_tokens == (AddedToken("<s>", 256), AddedToken("<t>", 258))
    assert spec.token_bytes == bytes(range(256)) + b"ab"
    assert spec.vocabulary()[256] == b"<s>"


def test_sparse_special_tokens_leave_holes() -> None:
    """Known fault FM-12: specials at 260 and 300 make 301 ids, of which 256 to 259 have no token."""
    spec = build_spec(BYTES | {260: b"<e>", 300: b"<p>"}, [], ["<e>", "<p>"])
    assert len(spec.token_offsets) // 4 - 1 == 301
    assert sorted(spec.vocabulary()) == [*range(256), 260, 300]


def test_special_token_that_is_a_byte_or_a_merge_result_shares_its_id() -> None:
    """Known fault TR-15: one id for a special token that a merge also makes."""
    spec = build_spec(BYTES | {256: b"ab", 257: b"abc"}, [(b"a", b"b"), (b"ab", b"c")], ["ab", "\n"])
    assert spec.special_tokens == (AddedToken("\n", 10), AddedToken("ab", 256))
    assert spec.token_bytes == bytes(range(256)) + b"ababc"


def test_special_token_is_never_a_token_of_ranks() -> None:
    spec = build_spec(BYTES | {256: b"ab", 257: b"abc"}, [], ["ab"], semantics="ranks")
    assert spec.token_bytes == bytes(range(256)) + b"abc"


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ({}, r"vocabulary: 256 of the 256 single bytes have no token, the first is b'\\x00'"),
        ({i: t for i, t in BYTES.items() if t not in b"yz"}, "vocabulary: 2 of the 256 .* the first is b'y'"),
        ([], r"vocabulary: \[\] is of type list, no mapping of ids to token bytes\. Pass a dict"),
        ([b"a"], "vocabulary: .* is of type list"),
        (None, "vocabulary: None is of type NoneType"),
        (BYTES | {-1: b"ab"}, "vocabulary, id -1: it is not an id"),
        (BYTES | {2**24: b"ab"}, "vocabulary, id 16777216: it is not an id"),
        (BYTES | {"256": b"ab"}, "vocabulary, id '256': it is not an id"),
        (BYTES | {256.0: b"ab"}, "vocabulary, id 256.0: it is not an id"),
        (BYTES | {256: "ab"}, "vocabulary, id 256: its token 'ab' is not bytes"),
        (BYTES | {256: bytearray(b"ab")}, "vocabulary, id 256: .* is not bytes"),
        (BYTES | {256: b""}, "vocabulary, id 256: its token is empty"),
        (BYTES | {256: b"a"}, "vocabulary, id 256: its token b'a' already has id 97"),
    ],
)
def test_vocabulary_that_cannot_be_is_refused_with_the_id(vocabulary: Any, message: str) -> None:
    """Known fault FM-13 (a vocabulary without all single bytes) among others."""
    with pytest.raises(SpecError, match=message):
        build_spec(vocabulary, [])


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([(b"a", b"b"), (b"xyz", b"d")], "merge 1: the left part b'xyz' .* is not in the vocabulary"),
        ([(b"a", b"bc")], "merge 0: the right part b'bc'"),
        ([(b"a", b"c")], r"merge 0: the result b'ac' of b'a' \+ b'c' is not in the vocabulary"),
        ([(b"a", b"b"), (b"ab", b"c"), (b"a", b"b")], r"merge 2: b'a' \+ b'b' is already merge 0"),
        ([("a", "b")], "merge 0: its part 'a' is not bytes"),
        ([(b"a", b"b", b"c")], "merge 0: .* has 3 parts"),
        ([(b"a",)], "merge 0: .* has 1 part"),
        ([5], "merge 0: 5 is no pair"),
        (["ab"], "merge 0: 'ab' is no pair"),
        ([b"ab"], "merge 0: b'ab' is no pair"),
        ([(b"a", 5)], "merge 0: its part 5 is not bytes"),
        ([(b"a", b"b"), (b"ab", None)], "merge 1: its part None is not bytes"),
        (5, "merges: 5 is of type int, no list of pairs. Pass pairs of token bytes in the order"),
        (None, "merges: None is of type NoneType"),
        ({(b"a", b"b"): 0}, "merges: .* is of type dict, no list of pairs"),
        ({(b"a", b"b")}, "merges: .* is of type set, no list of pairs"),
        ([(b"<s>", b"a")], "merge 0: its part b'<s>' is a special token"),
    ],
)
def test_merge_that_cannot_be_is_refused_with_its_rank(merges: Any, message: str) -> None:
    vocabulary = BYTES | {256: b"ab", 257: b"abc", 258: b"<s>", 259: b"<s>a"}
    with pytest.raises(SpecError, match=message):
        build_spec(vocabulary, merges, ["<s>"])


@pytest.mark.parametrize(
    ("specials", "message"),
    [
        (["<s>", "<t>", "<s>"], "'<s>': it is listed twice"),
        (["a", "a"], "'a': it is listed twice"),
        ([""], "it is empty"),
        (5, "special_tokens: 5 is no list"),
        ("", "is one string"),
        ("<s>", r"is one string, not a list. Pass \['<s>'\]"),
    ],
)
def test_special_tokens_that_cannot_be_are_refused(specials: Any, message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        build_spec(BYTES, [], specials)


def test_merges_with_semantics_ranks_are_refused() -> None:
    with pytest.raises(SpecError, match="semantics 'ranks' takes none"):
        build_spec(BYTES | {256: b"ab"}, [(b"a", b"b")], semantics="ranks")


def test_special_part_is_found_among_many_merges_and_special_tokens() -> None:
    """Hostile size: a set of the special tokens made anew for each merge was quadratic."""
    specials = [f"<{number}>" for number in range(20_000)]
    merges = [(bytes([i >> 8]), bytes([i & 255])) for i in range(20_000)] + [(b"<7>", b"a")]
    tokens = dict.fromkeys([*BYTES.values(), *(left + right for left, right in merges), b"<7>"])
    with pytest.raises(SpecError, match="merge 20000: its part b'<7>' is a special token"):
        build_spec(dict(enumerate(tokens)), merges, specials)


def test_fifty_thousand_merges_are_built() -> None:
    merges = [(bytes([i >> 8]), bytes([i & 255])) for i in range(50_000)]
    vocabulary = BYTES | {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    spec = build_spec(vocabulary, merges, ["<|endoftext|>"])
    assert spec.merge_list() == merges
    assert spec.special_tokens == (AddedToken("<|endoftext|>", 50_256),)
