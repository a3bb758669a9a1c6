"""What a training does not depend on: threads, blocks, where documents are cut, and, but for one rule, their order."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import HARD_PARTS, chunked, corpora, overlapping_specials
from tokenloom import train
from tokenloom.lessons.byte_pair import count_pretokens as count_by_definition
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.spec import Pretokenizer
from tokenloom.trainers import Document, TieBreak, count_pretokens

GPT2, WHOLE = Pretokenizer("gpt2"), Pretokenizer("none")
MARK = "<|endoftext|>"
SPECIALS = [MARK, MARK * 2, "<|"]
LARGE = "".join(Random(1).choices([*HARD_PARTS, " the", " cat", "\n", " "], k=230_000)).encode()
"""More than 2 MiB, so that threads share it and units of 256 KiB are cut."""

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))
every_pretokenizer = pytest.mark.parametrize("pretokenizer", [GPT2, WHOLE], ids=["gpt2", "none"])


def counts_of(
    documents: Iterable[Document], pretokenizer: Pretokenizer = GPT2, specials: Sequence[str] = (), n_threads: int = 1
) -> list[tuple[bytes, int]]:
    return count_pretokens(documents, pretokenizer=pretokenizer, special_tokens=specials, n_threads=n_threads).items()


@every_pretokenizer
@given(corpus=corpora, specials=overlapping_specials)
@settings(max_examples=100)
def test_counts_are_those_of_the_lesson(pretokenizer: Pretokenizer, corpus: bytes, specials: list[str]) -> None:
    split = split_gpt2_bytes if pretokenizer == GPT2 else None
    expected = count_by_definition(corpus, split=split, special_tokens=[special.encode() for special in specials])
    assert counts_of([corpus], pretokenizer, specials) == sorted(expected.items())


@every_pretokenizer
@given(corpus=corpora, specials=overlapping_specials, random=st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_blocks_of_any_size_give_the_same_counts(
    pretokenizer: Pretokenizer, corpus: bytes, specials: list[str], random: Random
) -> None:
    blocks = chunked(random, corpus, n_cuts=random.randint(0, 9))
    assert counts_of([blocks], pretokenizer, specials) == counts_of([corpus], pretokenizer, specials)


@pytest.mark.parametrize("specials", [(), SPECIALS])
@pytest.mark.parametrize("block_bytes", [1000, 99_991, 1 << 20])
def test_threads_and_blocks_give_the_same_counts_of_a_large_text(specials: Sequence[str], block_bytes: int) -> None:
    expected = counts_of([LARGE], specials=specials)
    blocks = [LARGE[at : at + block_bytes] for at in range(0, len(LARGE), block_bytes)]
    for n_threads in (1, 2, 4):
        assert counts_of([LARGE], specials=specials, n_threads=n_threads) == expected
        assert counts_of([blocks], specials=specials, n_threads=n_threads) == expected


def test_a_large_text_is_counted_like_the_lesson() -> None:
    assert counts_of([LARGE], n_threads=4) == sorted(count_by_definition(LARGE, split=split_gpt2_bytes).items())


@pytest.mark.parametrize("special", ["<a b>", "<a "])
def test_a_special_token_with_a_blank_is_not_cut_between_threads(special: str) -> None:
    """The blank is the first place where the text might be cut for the next unit of 128 KiB."""
    text = b"x" * 200_000 + special.encode() + b"y " * 100_000
    expected = count_by_definition(text, split=split_gpt2_bytes, special_tokens=[special.encode()])
    assert counts_of([text], specials=[special], n_threads=2) == sorted(expected.items())


def test_counting_reports_bytes_that_only_rise() -> None:
    amounts: list[int] = []
    blocks = [b"the cat sat. " * 2_000_000] * 2
    count_pretokens([blocks], pretokenizer=GPT2, n_threads=1, progress=lambda _, done, __: amounts.append(done))
    assert amounts == sorted(amounts)
    assert amounts[-1] == sum(map(len, blocks))


@every_tie_break
def test_threads_and_blocks_give_the_same_merges(tie_break: TieBreak) -> None:
    corpus = LARGE[: 5 << 18]
    expected = train([corpus], 400, tie_break=tie_break, n_threads=1).merges
    for n_threads in (2, 4):
        assert train([corpus], 400, tie_break=tie_break, n_threads=n_threads).merges == expected


@every_tie_break
def test_documents_cut_like_a_special_token(tie_break: TieBreak) -> None:
    random = Random(2)
    documents = [LARGE[at : at + 300].replace(b"<", b"") for at in random.sample(range(100_000), 40)]
    joined = MARK.encode().join(documents)
    one = train([joined], 300, [MARK], tie_break=tie_break)
    assert one.merges == train(documents, 300, [MARK], tie_break=tie_break).merges
    assert one.merges == train(joined.split(MARK.encode()), 300, [MARK], tie_break=tie_break).merges


@pytest.mark.parametrize("tie_break", ["lexicographic", "lowest-id"])
def test_order_of_documents_does_not_matter(tie_break: TieBreak) -> None:
    random = Random(3)
    documents = [LARGE[at : at + 300] for at in random.sample(range(100_000), 40)]
    expected = train(documents, 330, tie_break=tie_break).merges
    for _ in range(3):
        assert train(random.sample(documents, 40), 330, tie_break=tie_break).merges == expected


def test_order_of_documents_matters_under_first_seen() -> None:
    forwards, backwards = (
        train(["ab", "cd"], 257, tie_break="first-seen"),
        train(["cd", "ab"], 257, tie_break="first-seen"),
    )
    assert (forwards.merges, backwards.merges) == ([(b"a", b"b")], [(b"c", b"d")])


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_first_occurrence_is_found_by_every_thread(n_threads: int) -> None:
    """The filler, of pretokens that hold no pair, puts other threads between the words and their repetition."""
    filler, words = b"x\n" * (3 << 18), [b" qw", b" zx", b" jk", b" gh"]
    corpus = filler + b"".join(words) + filler + b"".join(reversed(words)) + filler
    merges = train([corpus], 256 + 8, tie_break="first-seen", n_threads=n_threads).merges
    assert merges == [pair for word in words for pair in [(b" ", word[1:2]), (word[:2], word[2:])]]


def test_no_pretoken_crosses_the_end_of_a_document() -> None:
    assert counts_of(["lo", "w", "", "low"]) == [(b"lo", 1), (b"low", 1), (b"w", 1)]
    assert counts_of([[b"lo", b"w"], b"", [], [b"", b"low"]]) == [(b"low", 2)]


@pytest.mark.parametrize("special", ["a b", "a b c d", " b"])
@pytest.mark.parametrize("shift", [1, 2, 3])
def test_a_special_token_with_blanks_is_whole_where_text_is_gathered(special: str, shift: int) -> None:
    letters = b"x" * (2**20 - shift)
    document = letters + special.encode() + b" e"
    before = letters.removesuffix(b"x")
    assert counts_of([document], specials=[special]) == [(b" e", 1), (letters, 1)]
    assert counts_of([before + document], specials=[special], n_threads=2) == [(b" e", 1), (before + letters, 1)]
