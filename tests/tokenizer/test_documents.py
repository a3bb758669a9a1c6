"""`DocumentEncoder` gives the ids of whole documents, however they arrive in blocks."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.characters import character_tokenizer
from tests.strategies import HARD_PARTS, SPECIAL_TOKENS, bytes_texts, chunked, hard_texts, overlapping_specials, runs
from tokenloom import EncodeError, Tokenizer, train
from tokenloom.lessons.special_tokens import split_at_special_tokens
from tokenloom.tokenizer import DocumentEncoder, IdType, SpecialText

CORPUS: Final = " ".join(HARD_PARTS) * 2 + "the cat in the hat " * 20
GPT2: Final = train([CORPUS], 420, SPECIAL_TOKENS)
WHOLE: Final = train([CORPUS], 420, SPECIAL_TOKENS, pattern=None)
NO_SPECIALS: Final = train([CORPUS], 300)
BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
UNIT_BYTES: Final = 128 << 10
POLICIES: Final[dict[str, tuple[Literal["all"] | None, Literal["all"] | Iterable[str]]]] = {
    "plain": (None, ()),
    "parse": ("all", ()),
    "refuse": (None, "all"),
}
Block: TypeAlias = tuple[list[bytes], bool]
"""Texts, and whether the last goes on in the next block."""

CHARACTERS: Final = character_tokenizer()
every_tokenizer = pytest.mark.parametrize(
    "tokenizer", [GPT2, WHOLE, NO_SPECIALS, CHARACTERS], ids=["gpt2", "whole", "no specials", "characters"]
)
every_policy = pytest.mark.parametrize("special_text", get_args(SpecialText))

lookalikes = st.lists(
    st.sampled_from([*SPECIAL_TOKENS, "<", "<|end", "of", "text|>", "|>", " ", "a", "\n"]), max_size=9
)
document = (
    bytes_texts
    | hard_texts.map(str.encode)
    | runs.map(str.encode)
    | lookalikes.map(lambda parts: "".join(parts).encode())
)
randoms = st.randoms(use_true_random=False)
documents_of = st.lists(document, max_size=6)


def blocks_of(random: Random, documents: Sequence[bytes]) -> list[Block]:
    """The documents in blocks that may end anywhere, also in a character or a special token, and may be empty."""
    blocks: list[Block] = []
    texts: list[bytes] = []
    for text in documents:
        parts = chunked(random, text, n_cuts=random.choice([0, 0, 1, 2, 5, 20]))
        for part in parts[:-1]:
            blocks.append(([*texts, part], True))
            texts = []
        texts.append(parts[-1])
        if random.random() < 0.3:
            blocks.append((texts, False))
            texts = []
    return [*blocks, (texts, False)]


def fed(encoder: DocumentEncoder, blocks: Sequence[Block]) -> list[list[int]]:
    """The ids of each document that began; for a continued encoder those before the first start come first."""
    ids: list[int] = []
    starts: list[int] = []
    for texts, is_open in blocks:
        new_ids, new_starts = encoder.feed(texts, is_open=is_open)
        starts += [len(ids) + start for start in new_starts.tolist()]
        ids += new_ids.tolist()
    return [ids[start:end] for start, end in pairwise([*starts, len(ids)])]


def whole(tokenizer: Tokenizer, documents: Sequence[bytes], special_text: SpecialText) -> list[list[int]]:
    """The ids of whole documents by `encode_batch`, which the tests of the tokenizer hold to the lesson."""
    allowed, disallowed = POLICIES[special_text]
    return [
        ids.tolist()
        for ids in tokenizer.encode_batch(documents, allowed_special=allowed, disallowed_special=disallowed)
    ]


def special_counts(tokenizer: Tokenizer, documents: Sequence[bytes]) -> dict[str, int]:
    """Leftmost, then longest: as the lesson cuts, which a test here asserts, and quicker."""
    marks = sorted((token.encode() for token in tokenizer.special_tokens), key=len, reverse=True)
    either = re.compile(b"|".join(map(re.escape, marks)))
    found = Counter(mark for text in documents if marks for mark in either.findall(text))
    return {token: found[token.encode()] for token in tokenizer.special_tokens}


@given(documents=documents_of, specials=overlapping_specials)
def test_special_tokens_are_counted_by_the_definition_of_the_lesson(
    documents: list[bytes], specials: list[str]
) -> None:
    marks = [special.encode() for special in specials]
    found = Counter(part for text in documents for is_mark, part in split_at_special_tokens(text, marks) if is_mark)
    counts = special_counts(Tokenizer(BYTES, [], specials), documents)
    assert counts == {special: found[special.encode()] for special in counts}


@every_tokenizer
@every_policy
@given(documents=documents_of, random=randoms)
@settings(max_examples=50)
def test_blocks_of_any_kind_give_the_ids_of_whole_documents(
    tokenizer: Tokenizer, special_text: SpecialText, documents: list[bytes], random: Random
) -> None:
    if special_text == "refuse":
        documents = [text for text in documents if not any(special_counts(tokenizer, [text]).values())]
    encoder = DocumentEncoder(tokenizer, dtype="uint16", special_text=special_text)
    assert fed(encoder, blocks_of(random, documents)) == whole(tokenizer, documents, special_text)
    assert encoder.held_bytes == 0
    assert encoder.n_special_tokens == special_counts(tokenizer, documents)


@given(documents=documents_of, specials=overlapping_specials, random=randoms)
@settings(max_examples=100)
def test_special_tokens_in_one_another_are_counted_like_the_lesson(
    documents: list[bytes], specials: list[str], random: Random
) -> None:
    tokenizer = Tokenizer(BYTES, [], specials)
    for special_text in ("plain", "parse"):
        encoder = DocumentEncoder(tokenizer, dtype="uint32", special_text=special_text)
        assert fed(encoder, blocks_of(random, documents)) == whole(tokenizer, documents, special_text)
        assert encoder.n_special_tokens == special_counts(tokenizer, documents)


@every_tokenizer
@given(documents=documents_of, random=randoms)
@settings(max_examples=25)
def test_begin_and_end_ids_stand_around_each_document(
    tokenizer: Tokenizer, documents: list[bytes], random: Random
) -> None:
    encoder = DocumentEncoder(tokenizer, dtype="uint32", begin_id=5, end_id=7)
    expected = [[5, *ids, 7] for ids in whole(tokenizer, documents, "plain")]
    assert fed(encoder, blocks_of(random, documents)) == expected


@every_tokenizer
@pytest.mark.parametrize("special_text", ["plain", "parse"])
@given(documents=documents_of, random=randoms)
@settings(max_examples=50)
def test_a_continued_encoder_gives_exactly_what_is_missing(
    tokenizer: Tokenizer, special_text: SpecialText, documents: list[bytes], random: Random
) -> None:
    """Interrupted after any call: ids and counts of special tokens add up to those of work that was not interrupted."""
    blocks = blocks_of(random, documents)
    n_done = random.randint(0, len(blocks) - 1)
    done, rest = blocks[:n_done], blocks[n_done:]
    first = DocumentEncoder(tokenizer, dtype="uint16", begin_id=5, end_id=7, special_text=special_text)
    ids = joined(first, done)
    is_continued = bool(done) and done[-1][1]
    held = b"".join(part for texts, _ in done for part in texts)[-first.held_bytes :] if first.held_bytes else b""
    second = DocumentEncoder(
        tokenizer, dtype="uint16", begin_id=5, end_id=7, special_text=special_text, is_continued=is_continued
    )
    ids += joined(second, [([held], True), *rest] if is_continued else rest)
    assert ids == [i for document in whole(tokenizer, documents, special_text) for i in (5, *document, 7)]
    total = Counter(first.n_special_tokens) + Counter(second.n_special_tokens)
    assert total == +Counter(special_counts(tokenizer, documents))


def joined(encoder: DocumentEncoder, blocks: Sequence[Block]) -> list[int]:
    return [i for texts, is_open in blocks for i in encoder.feed(texts, is_open=is_open)[0].tolist()]


def large_text(n_bytes: int, seed: int = 1) -> bytes:
    text = "".join(Random(seed).choices([*HARD_PARTS, *SPECIAL_TOKENS[:3], " the", " cat", "\n", " "], k=n_bytes // 4))
    return text.encode()[:n_bytes]


@every_tokenizer
@pytest.mark.parametrize("special_text", ["plain", "parse"])
@pytest.mark.parametrize("block_bytes", [77_777, 1 << 20])
def test_a_large_document_is_cut_between_threads(
    tokenizer: Tokenizer, special_text: SpecialText, block_bytes: int
) -> None:
    documents = [large_text(9 * UNIT_BYTES), b"", b"small", large_text(3 * UNIT_BYTES, seed=2)]
    expected, n_specials = whole(tokenizer, documents, special_text), special_counts(tokenizer, documents)
    for n_threads in (1, 4):
        encoder = DocumentEncoder(tokenizer, dtype="uint16", special_text=special_text, n_threads=n_threads)
        assert fed(encoder, blocks_by_size(documents, block_bytes)) == expected
        assert encoder.n_special_tokens == n_specials


def blocks_by_size(documents: Sequence[bytes], n_bytes: int) -> list[Block]:
    blocks: list[Block] = []
    for text in documents:
        starts = range(0, max(len(text), 1), n_bytes)
        blocks += [([text[start : start + n_bytes]], start + n_bytes < len(text)) for start in starts]
    return blocks


@pytest.mark.parametrize("special", ["<a b>", "<a ", " b c"])
@pytest.mark.parametrize("shift", range(6))
def test_a_special_token_is_counted_once_where_a_document_is_cut(special: str, shift: int) -> None:
    """A cut at a blank within the token would count it twice or not at all, or, parsed, break it."""
    tokenizer = Tokenizer(BYTES, [], [special])
    text = b"x" * (UNIT_BYTES - shift) + special.encode() * 3 + b"y " * UNIT_BYTES
    for special_text in ("plain", "parse"):
        encoder = DocumentEncoder(tokenizer, dtype="uint16", special_text=special_text)
        assert fed(encoder, [([text], False)]) == whole(tokenizer, [text], special_text)
        assert encoder.n_special_tokens == {special: 3}


def test_little_of_an_open_document_is_held() -> None:
    encoder = DocumentEncoder(GPT2, dtype="uint16")
    text = b"the cat " * UNIT_BYTES
    encoder.feed([text], is_open=True)
    assert 0 < encoder.held_bytes < 40


def test_text_without_a_cut_is_held_until_it_ends() -> None:
    encoder = DocumentEncoder(WHOLE, dtype="uint16")
    for _ in range(100):
        assert not len(encoder.feed([b" the cat"], is_open=True)[0])
    assert encoder.held_bytes == 800
    assert encoder.feed([])[0].tolist() == WHOLE.encode(b" the cat" * 100)


def test_held_text_is_not_looked_at_before_it_has_doubled() -> None:
    """Else a long piece that comes byte by byte would cost the square of its length."""
    encoder = DocumentEncoder(NO_SPECIALS, dtype="uint16")
    encoder.feed([b"x" * 1000], is_open=True)
    held = [(encoder.feed([part], is_open=True), encoder.held_bytes)[1] for part in (b" cat", b" " * 995, b"x")]
    assert held == [1004, 1999, 2]
    assert encoder.feed([b"x", b"y"])[0].tolist() == [*NO_SPECIALS.encode(" xx"), *NO_SPECIALS.encode("y")]


def test_no_text_ends_an_open_document_or_leaves_it_open() -> None:
    encoder = DocumentEncoder(GPT2, dtype="uint16", begin_id=5, end_id=7)
    outcomes = [([], True), ([b""], True), ([], True), ([], False), ([], False), ([b"", b""], False)]
    assert [encoder.feed(texts, is_open=is_open)[0].tolist() for texts, is_open in outcomes] == [
        *([], [5], [], [7], [], [5, 7, 5, 7])
    ]


def test_arrays_have_the_type_of_a_file_and_documents_their_places() -> None:
    for dtype in get_args(IdType):
        ids, starts = DocumentEncoder(GPT2, dtype=dtype, end_id=7).feed(["a", b"", b"b"])
        assert (ids.dtype, starts.dtype) == (np.dtype(dtype), np.dtype("int64"))
        assert (ids.tolist(), starts.tolist()) == ([*GPT2.encode("a"), 7, 7, *GPT2.encode("b"), 7], [0, 2, 3])


@pytest.mark.parametrize("n_before", [0, 3])
def test_a_refused_token_is_named_with_its_document_and_byte(n_before: int) -> None:
    encoder = DocumentEncoder(GPT2, dtype="uint16", special_text="refuse")
    encoder.feed([b"x"] * n_before + [b"y" * 1000 + b"\n\n" * 9 + b"z"], is_open=True)
    message = rf"^document {n_before}: special token '<\|end\|>' found at byte 1023 of the text\."
    with pytest.raises(EncodeError, match=message):
        encoder.feed([b" abc<|end|>", b"<|end|>"])
    with pytest.raises(EncodeError, match=r"not whole. Begin again with a new one"):
        encoder.feed([b"a"])


def test_a_refused_token_far_in_a_large_document_is_named_with_its_byte() -> None:
    text = b"the cat " * UNIT_BYTES
    encoder = DocumentEncoder(GPT2, dtype="uint16", special_text="refuse")
    encoder.feed([b"first", text], is_open=True)
    with pytest.raises(EncodeError, match=rf"^document 1: .* found at byte {2 * len(text)} of the text"):
        encoder.feed([text + b"<|end|>" + text, b"<|end|>"])


def test_progress_reports_bytes_that_only_rise() -> None:
    amounts: list[int] = []
    text = b"the cat sat. " * 8_000_000  # takes longer than the time between two reports
    DocumentEncoder(GPT2, dtype="uint16").feed([text], progress=amounts.append)
    assert amounts
    assert amounts == sorted(amounts)
    assert amounts[-1] <= len(text)


def test_what_a_progress_function_raises_ends_the_call() -> None:
    def stop(n_bytes: int) -> None:
        raise KeyboardInterrupt

    encoder = DocumentEncoder(GPT2, dtype="uint16")
    with pytest.raises(KeyboardInterrupt):
        encoder.feed([b"the cat sat. " * 8_000_000], progress=stop)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "int32"}, "^dtype 'int32': is unknown. Use one of 'uint16', 'uint32'"),
        ({"special_text": "ignore"}, "^special_text 'ignore': is unknown. Use one of"),
        ({"n_threads": 0}, "^n_threads 0: must be a whole number from 1"),
        ({"begin_id": 10**6}, "^begin_id 1000000: is no id of a token of this tokenizer. Use one of"),
        ({"end_id": -1}, "^end_id -1: is no id of a token"),
        ({"end_id": "<|end|>"}, r"^end_id '<\|end\|>': is no id of a token"),
        ({"end_id": True}, "^end_id True: is no id of a token"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EncodeError, match=message):
        DocumentEncoder(GPT2, **{"dtype": "uint16", **options})


def test_two_bytes_are_for_65_536_ids_and_no_more() -> None:
    full, more = (Tokenizer(BYTES | {last: b"last"}, []) for last in (2**16 - 1, 2**16))
    ids, _ = DocumentEncoder(full, dtype="uint16", end_id=2**16 - 1).feed([b"a"])
    assert ids.tolist() == [97, 65535]
    with pytest.raises(EncodeError, match=r"^dtype 'uint16': has room for 65,536 ids, and .* has 65,537\. Use"):
        DocumentEncoder(more, dtype="uint16")
    with pytest.raises(EncodeError, match=r"^end_id 300: is no id"):
        DocumentEncoder(more, dtype="uint32", end_id=300)


def test_one_text_in_the_place_of_many_is_refused_and_harms_nothing() -> None:
    encoder = DocumentEncoder(GPT2, dtype="uint16")
    encoder.feed([b"a", b"b"])
    with pytest.raises(EncodeError, match="is one bytes, not many texts"):
        encoder.feed(b"text")  # type: ignore[arg-type]
    with pytest.raises(EncodeError, match=r"^document 3: the text has the lone surrogate"):
        encoder.feed(["a", "\ud800"])
    assert encoder.feed([b"a"])[0].tolist() == GPT2.encode("a")
