"""Training that goes on from a tokenizer is its definition, `lessons.growing`, and what it adds is reached."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from random import Random
from typing import get_args

import pytest

from tokenloom.errors import TrainingWarning
from tokenloom.lessons import byte_pair, growing
from tokenloom.spec import Pretokenizer, TokenizerSpec, build_spec
from tokenloom.tokenizer import Tokenizer
from tokenloom.trainers import BpeOptions, BpeTraining, TieBreak, pretoken_counts, train_on_counts

BYTES = {token_id: bytes([token_id]) for token_id in range(256)}
every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))


def grown(init: TokenizerSpec, words: Mapping[bytes, int], *, n_merges: int, tie_break: TieBreak) -> BpeTraining:
    n_tokens = len(Tokenizer.from_spec(init)) + n_merges
    options = BpeOptions.continued(init, n_tokens, tie_break=tie_break)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return train_on_counts(pretoken_counts(words), options)


def random_words(random: Random, *, letters: bytes, n_words: int = 9) -> dict[bytes, int]:
    words = [bytes(random.choices(letters, k=random.randint(1, 12))) for _ in range(n_words)]
    return {word: random.choice([1, 2, 3, 50]) for word in words}


def odd_merges(random: Random, letters: bytes) -> list[tuple[bytes, bytes]]:
    """Merges as no training writes them: some stand before those that make their parts."""
    tokens, merges = [bytes([letter]) for letter in letters], []
    for _ in range(random.randint(0, 12)):
        pair = (random.choice(tokens), random.choice(tokens))
        if pair[0] + pair[1] not in tokens:
            merges.append(pair)
            tokens.append(pair[0] + pair[1])
    if random.random() < 0.5:
        random.shuffle(merges)
    return merges


def holds(training: BpeTraining, words: Mapping[bytes, int], lesson: byte_pair.Training) -> None:
    """Equal to the lesson; the tokenizer makes of each word what training saw, and reaches all that was added."""
    steps = training.steps
    assert [(step.left, step.right) for step in steps] == lesson.merges, words
    assert [step.n_pairs for step in steps] == lesson.counts
    assert [step.n_tokens for step in steps] == lesson.tokens_left
    tokenizer = Tokenizer.from_spec(replace(training.spec, pretokenizer=Pretokenizer("none")), special_text="plain")
    if steps:
        assert sum(len(tokenizer.encode(word)) * count for word, count in words.items()) == steps[-1].n_tokens, words
    for step in steps:
        token = step.left + step.right
        assert tokenizer.encode(token) == [tokenizer.id_of(token)], token


@every_tie_break
@pytest.mark.parametrize("ignore_merges", [False, True])
@pytest.mark.parametrize("letters", [b"ab", b"abcd"])
def test_a_merge_list_grows_like_the_lesson(tie_break: TieBreak, ignore_merges: bool, letters: bytes) -> None:
    random = Random(5)
    for _ in range(20):
        merges = odd_merges(random, letters)
        tokens = BYTES | {300 + n: left + right for n, (left, right) in enumerate(merges)}
        if ignore_merges:  # tokens that only a whole word reaches
            extra = {bytes(random.choices(letters, k=5)) for _ in range(3)}.difference(tokens.values())
            tokens |= {400 + n: token for n, token in enumerate(sorted(extra))}
        init = build_spec(tokens, merges, ["<e>"], ignore_merges=ignore_merges)
        words = random_words(random, letters=letters)

        def encode(word: bytes, known: object = tokens, merges: list[tuple[bytes, bytes]] = merges) -> list[bytes]:
            is_whole = ignore_merges and word in known.values()  # type: ignore[attr-defined]
            return [word] if is_whole else byte_pair.encode_by_lowest_rank(merges, word)

        lesson = grow_by_lesson(words, init, encode, tie_break)
        holds(grown(init, words, n_merges=12, tie_break=tie_break), words, lesson)


@every_tie_break
@pytest.mark.parametrize("letters", [b"ab", b"abcd"])
def test_ranks_grow_like_the_lesson(tie_break: TieBreak, letters: bytes) -> None:
    """Random tokens, many of which no merging reaches."""
    random = Random(6)
    n_merges = 0
    for _ in range(40):
        extra = {bytes(random.choices(letters, k=random.randint(2, 5))) for _ in range(random.randint(0, 6))}
        tokens = BYTES | dict(enumerate(random.sample(sorted(extra), k=len(extra)), start=256))
        init = build_spec(tokens, [], ["<e>"], semantics="ranks")
        ranks = {token: rank for rank, token in tokens.items()}
        words = random_words(random, letters=letters)
        lesson = grow_by_lesson(words, init, partial(byte_pair.encode_by_token_rank, ranks), tie_break)
        training = grown(init, words, n_merges=12, tie_break=tie_break)
        holds(training, words, lesson)
        n_merges += len(training.steps)
    assert n_merges > 100


def grow_by_lesson(
    words: Mapping[bytes, int], init: TokenizerSpec, encode: Callable[[bytes], list[bytes]], tie_break: TieBreak
) -> byte_pair.Training:
    tokens = list(init.vocabulary().values())
    ids = {token: token_id for token_id, token in init.vocabulary().items()}
    takes_whole = init.bpe.semantics == "ranks" or init.bpe.ignore_merges

    def merge(token: bytes) -> list[bytes]:
        if init.bpe.semantics == "merges":
            return byte_pair.encode_by_lowest_rank(init.merge_list(), token)
        return byte_pair.encode_by_token_rank(ids, token + b"\n")[:-1]  # no whole word, and no token has a newline

    taken = growing.taken_bytes(tokens, merge=merge, takes_whole=takes_whole)
    return growing.grow(words.items(), 12, encode=encode, ids=ids, taken=taken, tie_break=tie_break)
