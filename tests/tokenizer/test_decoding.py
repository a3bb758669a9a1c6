"""Decoding part by part, and with the place of each token."""

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.characters import character_tokenizer
from tests.strategies import bytes_texts, hard_texts
from tokenloom import DecodeError, DecodeStream, Tokenizer, train
from tokenloom.spec import (
    BpeModel,
    DecodeByteFallback,
    DecodeByteLevel,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    DecodeMetaspace,
    Decoder,
    DecodeReplace,
    DecoderStep,
    DecodeStrip,
    DecodeWordpiece,
    Pretokenizer,
    TokenizerSpec,
)
from tokenloom.spec.packing import pack_arena

BYTES = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
TRAINED = train(["\U0001f680 \u2207\u03c8 the cat \u00e9t\u00e9"] * 3, 270)


def parts_of(tokenizer: Tokenizer, ids: Sequence[int]) -> list[str]:
    """What each id, and the end, adds to a stream."""
    stream = DecodeStream(tokenizer)
    return [*(stream.push([token_id]) for token_id in ids), stream.finish()]


def test_a_character_comes_with_its_last_byte() -> None:
    """DE-01 and DE-05, with single bytes."""
    assert parts_of(BYTES, "\U0001f680!".encode()) == ["", "", "", "\U0001f680", "!", ""]
    assert list(BYTES.decode_iterable(list("\u2207\u03c8".encode()))) == ["\u2207", "\u03c8"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x96\x96\x96\xc2\xbb", "\ufffd\ufffd\ufffd\u00bb"),  # DE-02
        (b"\xe2\x82 x", "\ufffd x"),  # DE-04
        (b"\xe2\x82", "\ufffd"),
        (b"", ""),
    ],
)
def test_stray_bytes_do_not_break_a_stream(data: bytes, text: str) -> None:
    assert "".join(BYTES.decode_iterable(list(data))) == "".join(parts_of(BYTES, data)) == text


@given(
    st.one_of(bytes_texts, st.binary(max_size=12)),
    st.lists(st.integers(0, 40)),
    st.sampled_from(["replace", "ignore", "backslashreplace"]),
)
def test_parts_join_to_what_decode_gives_wherever_ids_are_split(data: bytes, cuts: list[int], errors: str) -> None:
    for tokenizer in (BYTES, TRAINED):
        ids = tokenizer.encode(data)
        stream = DecodeStream(tokenizer, errors=errors)
        places = sorted({0, len(ids), *(cut for cut in cuts if cut < len(ids))})
        parts = [stream.push(ids[start:end]) for start, end in pairwise(places)]
        assert "".join([*parts, stream.finish()]) == tokenizer.decode(ids, errors=errors)
        assert "".join(tokenizer.decode_iterable(iter(ids), errors=errors)) == tokenizer.decode(ids, errors=errors)


def test_errors_of_a_stream_count_from_its_first_id() -> None:
    stream = DecodeStream(BYTES)
    assert stream.push(iter([104, 105])) == "hi"
    for wrong in ([33, 256], [33, -1], [33, 2**32]):
        with pytest.raises(DecodeError, match=f"id {wrong[1]} at position 3 has no token"):
            stream.push(wrong)
    assert stream.push([33]) == "!"
    with pytest.raises(DecodeError, match="id 256 at position 1 has no token"):
        list(BYTES.decode_iterable([33, 256]))


def test_what_is_no_sequence_of_ids_is_refused_at_the_call() -> None:
    for wrong in (5, "ab", None):
        for refuse in (BYTES.decode_iterable, DecodeStream(BYTES).push, BYTES.decode_with_offsets):
            with pytest.raises(DecodeError, match=re.escape(f"ids {wrong!r}: is of type {type(wrong).__name__}")):
                refuse(wrong)  # type: ignore[arg-type]


def test_strict_streams_raise_for_bytes_that_are_no_text() -> None:
    stream = DecodeStream(BYTES, errors="strict")
    assert stream.push([0xE2, 0x82]) == ""
    with pytest.raises(UnicodeDecodeError):
        stream.push([32])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copied_stream_goes_on_by_itself(copied: Callable[[DecodeStream], DecodeStream]) -> None:
    stream = DecodeStream(BYTES)
    stream.push([0xF0, 0x9F])
    other = copied(stream)
    assert (stream.push([0x9A]), other.push([0x91, 0x8D])) == ("", "\U0001f44d")
    assert stream.push([0x80]) == "\U0001f680"
    with pytest.raises(DecodeError, match="at position 4"):
        copied(stream).push([999])


def test_a_copied_stream_of_a_decoder_with_steps_goes_on_by_itself() -> None:
    tokenizer = character_tokenizer()
    stream = DecodeStream(tokenizer)
    ids = [tokenizer.id_of(token) for token in (b"a", b"<0xC3>", b"<0xA9>")]
    assert stream.push(ids[:2]) == "a"
    other = copy.copy(stream)
    assert (other.push(ids[:1]), other.finish()) == ("\ufffda", "")
    assert (stream.push(ids[2:]), stream.finish()) == ("", "\u00e9")


def test_half_characters_have_a_start() -> None:
    """OF-06."""
    assert BYTES.decode_with_offsets(list("\U0001f44da".encode())) == ("\U0001f44da", [0, 0, 0, 0, 1])
    assert BYTES.decode_with_offsets([0xF0, 0x9F]) == ("\ufffd", [0, 0])
    assert BYTES.decode_with_offsets(list(b"a\x9f\x9fb")) == ("a\ufffd\ufffdb", [0, 1, 2, 3])
    assert BYTES.decode_with_offsets([]) == ("", [])


@given(hard_texts)
def test_each_token_begins_in_the_character_that_holds_its_first_byte(text: str) -> None:
    ids = TRAINED.encode(text)
    decoded, starts = TRAINED.decode_with_offsets(ids)
    assert decoded == text
    before = [b"".join(map(TRAINED.token_bytes, ids[:n])) for n in range(len(ids))]
    assert starts == [len(data.decode(errors="ignore")) for data in before]


@given(bytes_texts)
def test_text_with_starts_is_what_decode_gives(data: bytes) -> None:
    ids = TRAINED.encode(data)
    text, starts = TRAINED.decode_with_offsets(ids)
    assert text == TRAINED.decode(ids)
    assert starts == sorted(starts)
    assert not ids or starts[-1] < len(text)


STEPS: Final = (
    (DecodeReplace("▁", by=" "), DecodeByteFallback(), DecodeFuse(), DecodeStrip(" ", 1, 0)),
    (DecodeReplace("▁", by=" "), DecodeByteFallback(), DecodeFuse(), DecodeStrip(" ", 2, 1)),
    (DecodeByteFallback(), DecodeMetaspace()),
    (DecodeMetaspace(prepend_scheme="never"),),
    (DecodeByteLevel(),),
    (DecodeJoin(" "),),
    # Not sure before the end.
    (DecodeEndOfWord("e"),),
    (DecodeFuse(), DecodeReplace("the", by="x")),
    (DecodeFuse(), DecodeReplace(pattern="t+h", by="x")),
    (DecodeReplace("0", by="1"), DecodeByteFallback()),
    (DecodeJoin(" "), DecodeEndOfWord("e")),
)


@pytest.mark.parametrize("steps", STEPS)
def test_streams_of_decoders_with_steps_join_to_what_decode_gives(steps: tuple[DecoderStep, ...]) -> None:
    spec = character_tokenizer().spec
    tokenizer = Tokenizer.from_spec(replace(spec, decoder=Decoder(steps)))
    random = Random(7)
    blank, the = tokenizer.id_of("▁".encode()), tokenizer.id_of(b"the")
    byte_tokens = [tokenizer.id_of(b"<0x%02X>" % byte) for byte in "é▁ 漢a".encode()]
    for _ in range(300):
        kinds = (byte_tokens, [blank, the], range(len(tokenizer)))
        ids = [random.choice(random.choice(kinds)) for _ in range(random.randrange(12))]
        stream, at, parts = DecodeStream(tokenizer), 0, []
        while at < len(ids):
            step = random.randrange(1, 4)
            parts.append(stream.push(ids[at : at + step]))
            at += step
        assert "".join([*parts, stream.finish()]) == tokenizer.decode(ids), ids


ANY_STEPS: Final[tuple[DecoderStep, ...]] = (
    *(
        DecodeReplace("▁", by=" "),
        DecodeReplace("▁", by=""),
        DecodeReplace("a", by="<0xC3>"),
        DecodeReplace("x", by="+"),
    ),
    *(DecodeReplace("\ufffd", by="?"), DecodeReplace("0x", by="é"), DecodeReplace(pattern="a+|é", by="▁")),
    *(DecodeByteFallback(), DecodeFuse(), DecodeByteLevel(), DecodeJoin(" "), DecodeEndOfWord("a")),
    *(DecodeStrip(" ", 1, 0), DecodeStrip("a", 2, 1), DecodeStrip("\ufffd", 0, 1)),
    *(DecodeMetaspace(), DecodeMetaspace(prepend_scheme="never"), DecodeMetaspace("\ufffd")),
    *(DecodeWordpiece("a", cleanup=True), DecodeWordpiece("▁", cleanup=False)),
)
ANY_TOKENS: Final = (
    *("a", "aa", "x", "▁", "▁a", " ", "é", "Ã", "©", "Ġ", "Ġa", "漢", "\ufffd", "â", "Ĥ", "¬"),
    *("<0xC3>", "<0xA9>", "<0xE2>", "<0x41>", "<0x+A>", "<0x▁41>", "▁<0xA9>", "<0xx1>", "<0xaa1>"),
)


def of_steps(steps: Sequence[DecoderStep]) -> Tokenizer:
    """A tokenizer of these tokens that decodes by some steps."""
    token_bytes, token_offsets = pack_arena(list(map(str.encode, ANY_TOKENS)))
    model, pretokenizer = BpeModel("merges", unit="character"), Pretokenizer("none")
    return Tokenizer.from_spec(
        TokenizerSpec(model, pretokenizer, (), token_bytes, token_offsets, b"", decoder=Decoder(tuple(steps)))
    )


@pytest.mark.parametrize("seed", range(8))
def test_streams_of_any_steps_join_to_what_decode_gives(seed: int) -> None:
    random = Random(seed)
    for _ in range(120):
        steps = random.choices(ANY_STEPS, k=random.randrange(5))
        tokenizer = of_steps(steps)
        for _ in range(8):
            ids = random.choices(range(len(ANY_TOKENS)), k=random.randrange(10))
            assert "".join(parts_of(tokenizer, ids)) == tokenizer.decode(ids), (steps, [ANY_TOKENS[i] for i in ids])


@pytest.mark.parametrize("by", ["+", "0", "C"])
def test_a_stream_waits_where_a_step_may_make_tokens_for_bytes_of_others(by: str) -> None:
    """A sign counts as a digit there; bytes that are no UTF-8 together are U+FFFD each."""
    tokenizer = of_steps([DecodeReplace("aa", by=by), DecodeByteFallback()])
    ids = [ANY_TOKENS.index("<0xaa1>"), ANY_TOKENS.index("<0xC3>")]
    assert "".join(parts_of(tokenizer, ids)) == tokenizer.decode(ids) == "\ufffd\ufffd"


def test_long_runs_in_a_stream_are_not_looked_at_again() -> None:
    """Of tokens for bytes, and of those that have no text of their own at the start."""
    tokenizer = of_steps(STEPS[0])
    for token, text in (("<0x41>", "A" * 10_000), ("▁", " " * 9_999)):
        stream, ids = DecodeStream(tokenizer), [ANY_TOKENS.index(token)]
        assert "".join([*(stream.push(ids) for _ in range(10_000)), stream.finish()]) == text


def test_a_stream_of_a_decoder_with_steps_shows_words_as_they_come() -> None:
    tokenizer = Tokenizer.from_spec(replace(character_tokenizer().spec, decoder=Decoder(STEPS[0])))
    ids = [tokenizer.id_of(token.encode()) for token in ("▁the", "▁the", "<0xC3>", "<0xA9>", "h", "▁")]
    assert parts_of(tokenizer, ids) == ["the", " the", "", "", "éh", " ", ""]
