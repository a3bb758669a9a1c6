"""The core's training is its definition, `lessons.byte_pair`: merges, counts and tokens left."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import get_args

import pytest

from tests.strategies import SPECIAL_TOKENS, random_bytes, random_corpus
from tokenloom.errors import TrainingWarning
from tokenloom.lessons import byte_pair
from tokenloom.lessons.byte_pair import Alphabet, TieBreak, Training
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.trainers import BpeOptions, Pattern, count_pretokens, pretoken_counts, train_on_counts

TIE_BREAKS: tuple[TieBreak, ...] = get_args(TieBreak)
ALPHABETS: tuple[Alphabet, ...] = get_args(Alphabet)
N_MERGES = 25


def core_training(
    documents: Iterable[bytes] | Mapping[bytes, int],
    *,
    pattern: Pattern | None = None,
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
    special_tokens: Sequence[str] = (),
    n_merges: int = N_MERGES,
) -> Training:
    """What the core learns from documents or from given counts, in the shape of the lesson."""
    options = BpeOptions(256 + n_merges + len(special_tokens), special_tokens, pattern, tie_break, alphabet)
    if isinstance(documents, Mapping):
        counts = pretoken_counts(documents)
    else:
        counts = count_pretokens(documents, pretokenizer=options.pretokenizer, special_tokens=special_tokens)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        steps = train_on_counts(counts, options).steps
    merges = [(step.left, step.right) for step in steps]
    return Training(merges, [step.n_pairs for step in steps], [step.n_tokens for step in steps])


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("n_symbols", [2, 3, 5, 26, 100, 300])
def test_uncut_text_trains_like_the_lesson(tie_break: TieBreak, n_symbols: int) -> None:
    random = Random(n_symbols)
    for _ in range(50):
        corpus = random_corpus(random, n_symbols=n_symbols)
        core = core_training([corpus], tie_break=tie_break)
        assert core == byte_pair.train_text(corpus, N_MERGES, tie_break=tie_break), corpus


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("n_symbols", [2, 4, 26, 300])
def test_pretokenized_text_trains_like_the_lesson(tie_break: TieBreak, n_symbols: int) -> None:
    random = Random(n_symbols)
    for _ in range(50):
        corpus = random_corpus(random, n_symbols=n_symbols)
        core = core_training([corpus], pattern="gpt2", tie_break=tie_break)
        assert core == byte_pair.train_text(corpus, N_MERGES, split=split_gpt2_bytes, tie_break=tie_break), corpus


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_invalid_utf8_trains_like_the_lesson(tie_break: TieBreak, alphabet: Alphabet) -> None:
    random = Random(7)
    for _ in range(100):
        corpus = random_bytes(random)
        core = core_training([corpus], pattern="gpt2", tie_break=tie_break, alphabet=alphabet)
        lesson = byte_pair.train_text(corpus, N_MERGES, split=split_gpt2_bytes, tie_break=tie_break, alphabet=alphabet)
        assert core == lesson, corpus


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_special_tokens_cut_like_the_lesson(tie_break: TieBreak) -> None:
    random = Random(11)
    for _ in range(100):
        specials = random.sample(SPECIAL_TOKENS, k=random.randint(1, len(SPECIAL_TOKENS)))
        marks = [special.encode() for special in specials]
        corpus = b"".join(random.choice([*marks, random_corpus(random, n_symbols=3, most_symbols=9)]) for _ in range(9))
        core = core_training([corpus], pattern="gpt2", tie_break=tie_break, special_tokens=specials)
        lesson = byte_pair.train_text(
            corpus, N_MERGES, split=split_gpt2_bytes, special_tokens=marks, tie_break=tie_break
        )
        assert core == lesson, (corpus, specials)


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_given_counts_train_like_the_lesson(tie_break: TieBreak, alphabet: Alphabet) -> None:
    random = Random(13)
    for _ in range(120):
        letters = b"ab\n" if random.random() < 0.5 else bytes(range(64))
        words = [bytes(random.choices(letters, k=random.randint(1, 12))) for _ in range(random.randint(0, 8))]
        counts = {word: random.choice([1, 2, 3, 2**33]) for word in words}
        core = core_training(counts, tie_break=tie_break, alphabet=alphabet)
        assert core == byte_pair.train(counts, N_MERGES, tie_break=tie_break, alphabet=alphabet), counts


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
@pytest.mark.parametrize("letters", [b"ab", b"abcdefgh", bytes(range(64))])
def test_counts_of_all_sizes_train_like_the_lesson(tie_break: TieBreak, letters: bytes) -> None:
    """The core counts rare pairs only when no frequent ones are left: here that is many times in each training."""
    random = Random(29)
    for _ in range(15):
        words = {bytes(random.choices(letters, k=random.randint(1, 9))): 1 for _ in range(60)}
        counts = {word: random.choice([1, 2, 3, 3, int(random.paretovariate(0.15)) % 2**40 + 1]) for word in words}
        core = core_training(counts, tie_break=tie_break, n_merges=150)
        assert core == byte_pair.train(counts, 150, tie_break=tie_break), counts


def test_recounting_agrees_on_words_of_two_letters() -> None:
    """TR-09: a repeated symbol after an earlier merge, on a thousand corpora over `ab`."""
    random = Random(17)
    for _ in range(1000):
        words = {bytes(random.choices(b"ab", k=random.randint(1, 12))): random.randint(1, 3) for _ in range(5)}
        core = core_training(words)
        assert core == byte_pair.train(words, N_MERGES), words


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_tokens_that_crowd_between_two_neighbours_keep_their_order(tie_break: TieBreak) -> None:
    """Each token is the start of the next, so all fall into one gap, and two such families tie at every step."""
    chain = bytes(range(98, 98 + 75))
    counts = {first + chain[:length]: 1 for first in (b"a", b"b") for length in range(1, len(chain) + 1)}
    core = core_training(counts, tie_break=tie_break, n_merges=150)
    assert core == byte_pair.train(counts, 150, tie_break=tie_break)


def test_pairs_that_wait_keep_their_order_when_labels_are_spread_again() -> None:
    """The core orders tokens by integer labels. 800 low tokens and 57 in one gap above make it spread them again, while
    (e, f) waits; (d, ...) comes new with its new, higher label and must not be merged before it."""
    counts = {bytes([low, high]): 5 for low in range(20) for high in range(40)}
    counts |= {b"d\xf0" + bytes(range(0x80, 0x80 + 60)): 1, b"ef": 1}
    core = core_training(counts, n_merges=900)
    assert core.merges[-2:] == [(b"e", b"f"), (b"d", b"\xf0" + bytes(range(0x80, 0x80 + 60)))]
    assert core == byte_pair.train(counts, 900)


@pytest.mark.parametrize("tie_break", TIE_BREAKS)
def test_documents_train_like_their_pretokens_in_order(tie_break: TieBreak) -> None:
    random = Random(19)
    for _ in range(50):
        documents = [random_corpus(random, n_symbols=3, most_symbols=10) for _ in range(random.randint(0, 5))]
        words: dict[bytes, int] = {}
        for document in documents:
            for pretoken, count in byte_pair.count_pretokens(document, split=split_gpt2_bytes).items():
                words[pretoken] = words.get(pretoken, 0) + count
        core = core_training(documents, pattern="gpt2", tie_break=tie_break)
        assert core == byte_pair.train(words, N_MERGES, tie_break=tie_break), documents
