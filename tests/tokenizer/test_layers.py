"""Added tokens with flags, normalizers, and both together: by hand, in parts, and at hostile sizes."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.layered import BLANK_CONTENTS, CONTENTS, VOCABULARY, added_tokens, normalizer_values, our_spec, texts
from tests.strategies import bytes_texts, chunked
from tokenloom import EncodeError, FormatError, SpecError, SpecialTokenError, Tokenizer
from tokenloom.formats import native
from tokenloom.spec import AddedToken, Lowercase, Normalizer, Prepend, Replace, Strip, UnicodeForm
from tokenloom.tokenizer import DocumentEncoder, SpecialText

FIRST = len(VOCABULARY)


def tokenizer_with(
    *added: AddedToken, normalizer: Normalizer | None = None, special_text: SpecialText = "parse"
) -> Tokenizer:
    return Tokenizer.from_spec(our_spec(added, normalizer), special_text=special_text)


def test_of_tokens_that_are_normalized_alike_the_lowest_id_is_found() -> None:
    added = [AddedToken(text, FIRST + place, normalized=True) for place, text in enumerate(["FOO", "Foo", "foo"])]
    tokenizer = tokenizer_with(*added, normalizer=Normalizer((Lowercase(),)))
    assert tokenizer.encode("foo FOO fOo") == [FIRST, 32, FIRST, 32, FIRST]


def test_tokens_of_the_text_as_it_came_go_before_normalized_ones() -> None:
    tokenizer = tokenizer_with(AddedToken("xy", FIRST, normalized=True), AddedToken("yz", FIRST + 1))
    assert tokenizer.encode("xyz") == [ord("x"), FIRST + 1]


def test_steps_follow_one_another() -> None:
    steps = (Strip(left=True, right=True), Prepend("A "), Replace(" ", by="_"), Lowercase())
    tokenizer = tokenizer_with(AddedToken("<x>", FIRST), normalizer=Normalizer(steps))
    assert tokenizer.decode(tokenizer.encode("  B c <x> <x>D")) == "a_b_c<x><x>a_d"


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("a+", "baac", b"b-c"),
        ("x*", "abxxc", b"-a-b-c-"),
        ("x*", "", b""),
        ("(?<=a)", "aab", b"a-a-b"),
        (r"\s+", " \u3000a\n", b"-a-"),
        ("\u00e9", b"\xff\xc3\xa9\xc3\xc3\xa9", b"\xff-\xc3-"),
        (r"\p{L}", b"\xffa\x80", b"\xff-\x80"),
    ],
)
def test_each_match_of_a_pattern_is_replaced(pattern: str, text: str | bytes, expected: bytes) -> None:
    tokenizer = tokenizer_with(normalizer=Normalizer((Replace(pattern=pattern, by="-"),)))
    assert tokenizer.decode_bytes(tokenizer.encode(text)) == expected


def test_a_pattern_that_is_none_is_refused_by_name() -> None:
    with pytest.raises(SpecError, match=r"step \"replace\" has the pattern 'a\(', which is none"):
        tokenizer_with(normalizer=Normalizer((Replace(pattern="a("),)))


@pytest.mark.filterwarnings("ignore:.*saved without:tokenloom.errors.FormatWarning")
def test_a_token_that_is_too_long_when_normalized_is_refused_with_the_folder(tmp_path: Path) -> None:
    token = AddedToken("\ufdfa" * 300, len(VOCABULARY), normalized=True)
    native.save(our_spec((token,), Normalizer((UnicodeForm("nfkd"),))), tmp_path / "saved", provenance={})
    with pytest.raises(FormatError, match=r"saved': special token '.{200}'\.\.\. \(300 .*longer than"):
        Tokenizer.load(tmp_path / "saved")


def test_a_pattern_that_takes_too_many_steps_is_an_error_with_the_place_in_the_text_as_it_came() -> None:
    steps = (Strip(left=True, right=False), UnicodeForm("nfd"), Replace(pattern=r"x|(?:a|aa)+(?=b)", by="-"))
    tokenizer = tokenizer_with(AddedToken("<m>", FIRST), normalizer=Normalizer(steps))
    text = "<m>  \u00e9x" + "a" * 40
    for encode in (tokenizer.encode, tokenizer.encode_with_offsets):
        with pytest.raises(EncodeError, match="of the normalizer takes too many steps at byte 8 of the text"):
            encode(text)


@given(bytes_texts)
def test_bytes_that_are_no_text_pass_every_step(data: bytes) -> None:
    steps = (UnicodeForm("nfkd"), Lowercase(), Strip(left=True, right=True), UnicodeForm("nfc"))
    for step in steps:
        tokenizer = tokenizer_with(normalizer=Normalizer((step,)))
        once = tokenizer.decode_bytes(tokenizer.encode(data))
        assert tokenizer.decode_bytes(tokenizer.encode(once)) == once
        assert _damage(once) == _damage(data)


def _damage(data: bytes) -> list[str]:
    return [mark for mark in data.decode("utf-8", "surrogateescape") if "\udc80" <= mark <= "\udcff"]


@pytest.mark.parametrize(("policy", "expected"), [("parse", [1, 0]), ("plain", [None, 0])])
def test_tokens_that_are_not_special_are_found_under_every_policy(
    policy: SpecialText, expected: Sequence[int | None]
) -> None:
    added = (AddedToken("<n>", FIRST, special=False), AddedToken("<s>", FIRST + 1))
    tokenizer = tokenizer_with(*added, special_text=policy)
    parts = {0: [FIRST], 1: [FIRST + 1], None: list(b"<s>")}
    assert tokenizer.encode("<s><n>") == [token_id for part in expected for token_id in parts[part]]
    assert tokenizer.encode("<n>", disallowed_special="all") == [FIRST]
    assert tokenizer.special_tokens == {"<s>": FIRST + 1}


def test_refused_token_is_named_with_its_byte() -> None:
    added = (AddedToken("<n>", FIRST, special=False), AddedToken("<s>", FIRST + 1, single_word=True))
    tokenizer = tokenizer_with(*added, special_text="refuse")
    assert tokenizer.encode("a<s>") == list(b"a<s>")
    with pytest.raises(EncodeError, match="'<s>' found at byte 6 of the text"):
        tokenizer.encode("\u00e9<s> <s>")
    with pytest.raises(SpecialTokenError, match="'<n>' in allowed_special"):
        tokenizer.encode("x", allowed_special={"<n>"})


def test_refused_token_behind_the_normalizer_is_named_with_a_place_before_it() -> None:
    token = AddedToken("<s>", FIRST, normalized=True)
    tokenizer = tokenizer_with(token, normalizer=Normalizer((UnicodeForm("nfc"),)), special_text="refuse")
    with pytest.raises(EncodeError, match="found at byte 6 of the text"):
        tokenizer.encode("ae\u0301 x<s>")


layered = st.tuples(added_tokens([*CONTENTS, *BLANK_CONTENTS]), normalizer_values)
tame = Normalizer((UnicodeForm("nfc"),))
many = settings(max_examples=300)


@given(layered, st.sampled_from(["parse", "plain"]), texts | bytes_texts, st.randoms(use_true_random=False))
@many
def test_parts_give_the_ids_of_the_whole(
    parts: tuple[Sequence[AddedToken], Normalizer | None], policy: SpecialText, text: str | bytes, random: Random
) -> None:
    tokenizer = tokenizer_with(*parts[0], normalizer=parts[1], special_text=policy)
    data = text.encode() if isinstance(text, str) else text
    expected = tokenizer.encode(data)
    for n_cuts in (1, 4, len(data)):
        assert list(tokenizer.encode_iterable(chunked(random, data, n_cuts=n_cuts))) == expected


long_texts = st.lists(texts | st.sampled_from(["plain words in between ", "\u4f60\u597d\n\u4f60 "]), max_size=30)


@given(layered, st.booleans(), st.sampled_from(["parse", "plain"]), long_texts, st.randoms(use_true_random=False))
@many
def test_document_encoder_gives_the_ids_of_the_whole_and_resumes(
    parts: tuple[Sequence[AddedToken], Normalizer | None],
    is_tame: bool,
    policy: SpecialText,
    long_text: list[str],
    random: Random,
) -> None:
    normalizer = tame if is_tame else parts[1]
    tokenizer = tokenizer_with(*parts[0], normalizer=normalizer, special_text=policy)
    data = "".join(long_text).encode()
    expected = tokenizer.encode(data)
    met = {content: tokenizer.encode(data, allowed_special="all").count(i) for content, i in _unshared(tokenizer)}
    encoder, ids, counts, fed = _encoder(tokenizer, policy), list[int](), dict.fromkeys(met, 0), b""
    for chunk in chunked(random, data, n_cuts=3):
        fed += chunk
        ids += encoder.feed([chunk], is_open=True)[0].tolist()
        if random.random() < 0.5:
            counts = {content: counts[content] + encoder.n_special_tokens[content] for content in met}
            held, encoder = encoder.held_bytes, _encoder(tokenizer, policy, is_continued=True)
            ids += encoder.feed([fed[len(fed) - held :]], is_open=True)[0].tolist()
    ids += encoder.feed([])[0].tolist()
    assert ids == expected
    assert {content: counts[content] + encoder.n_special_tokens[content] for content in met} == met


blank_tokens = added_tokens(["x y", "a ", " a", " <m>", "<m>", "y\u0301 ", "x", "\n\n"])
blank_parts = st.sampled_from(["x", " ", " ", "y", "y\u0301", "a", "<m>", "b ", "\n", "word ", "\u3000"])


@given(blank_tokens, st.sampled_from([None, tame]), st.lists(blank_parts, min_size=60, max_size=200), st.data())
@many
def test_no_cut_falls_where_a_token_or_its_blanks_could_lie_over_it(
    added: Sequence[AddedToken], normalizer: Normalizer | None, parts: list[str], choice: st.DataObject
) -> None:
    tokenizer = tokenizer_with(*added, normalizer=normalizer)
    data = "".join(parts).encode()
    random = choice.draw(st.randoms(use_true_random=False))
    assert list(tokenizer.encode_iterable(chunked(random, data, n_cuts=30))) == tokenizer.encode(data)


@pytest.mark.parametrize(
    ("added", "unit"),
    [
        (AddedToken("x y", FIRST, special=False), "w x y "),
        (AddedToken("X Y", FIRST, special=False, normalized=True), "w x y "),
        (AddedToken("<m>", FIRST, rstrip=True), "w <m>  x "),
        (AddedToken("<m>", FIRST, rstrip=True, normalized=True), "w <M>  x "),
        (AddedToken(" x", FIRST, single_word=True), "w x !! x w "),
    ],
)
def test_no_cut_falls_in_a_token_that_is_everywhere(added: AddedToken, unit: str) -> None:
    normalizer = Normalizer((Lowercase(),)) if added.normalized else None
    tokenizer = tokenizer_with(added, normalizer=normalizer)
    between = "and some plain words that give the cuts a place "
    for n_before in range(24):
        data = ("k" * n_before + (unit * 3 + between[: 2 * n_before]) * 12).encode()
        parts = [data[at : at + 7] for at in range(0, len(data), 7)]
        assert list(tokenizer.encode_iterable(parts)) == tokenizer.encode(data)


def _encoder(tokenizer: Tokenizer, policy: SpecialText, *, is_continued: bool = False) -> DocumentEncoder:
    return DocumentEncoder(tokenizer, dtype="uint32", special_text=policy, is_continued=is_continued)


def _unshared(tokenizer: Tokenizer) -> list[tuple[str, int]]:
    """Special tokens with ids that no other text has."""
    return [(content, token_id) for content, token_id in tokenizer.special_tokens.items() if token_id >= FIRST]


def test_ordinary_text_comes_out_while_it_comes_in() -> None:
    """What is held is the end of a word and its surroundings, not the document."""
    added = (AddedToken("<n>", FIRST, special=False), AddedToken("<s>", FIRST + 1))
    tokenizer = tokenizer_with(*added, normalizer=tame)
    for words in ("the cat in the hat ", "\u4f60\u597d\uff0c\u4e16\u754c\n", "cafe\u0301 \u0905\u0928\u094d "):
        encoder = _encoder(tokenizer, "plain")
        for _ in range(50):
            encoder.feed([(words * 40).encode()], is_open=True)
        assert encoder.held_bytes < 3 * len(words.encode()) * 40


HOSTILE = (
    *("a" + "\u0301\u0323" * 150_000, "e\u0301" * 150_000, "<m>" * 100_000, "\u3000" * 100_000, " <m> " * 60_000),
    *("\u1100" * 100_000, "\ufdfa" * 10_000, "  " * 150_000, "<m> " + "  " * 150_000),
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:4]))
def test_hostile_text_costs_no_square(text: str) -> None:
    """A quadratic way would take minutes."""
    added = [
        AddedToken(content, FIRST + place, lstrip=True, rstrip=True) for place, content in enumerate(["<m>", "  "])
    ]
    tokenizer = tokenizer_with(*added, normalizer=Normalizer((UnicodeForm("nfkc"),)))
    expected = tokenizer.encode(text)
    data = text.encode()
    parts = [data[at : at + 5000] for at in range(0, len(data), 5000)]
    assert list(tokenizer.encode_iterable(parts)) == expected
