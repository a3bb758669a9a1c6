from collections.abc import Mapping
from itertools import count, pairwise
from random import Random

import pytest

from tests.strategies import random_corpus
from tokenloom import FormatError, Tokenizer, train
from tokenloom.formats import rank_order
from tokenloom.spec import Pretokenizer, TokenizerSpec, build_spec
from tokenloom.spec.packing import pack_arena

BYTES = {byte: bytes([byte]) for byte in range(256)}
WHOLE = Pretokenizer("none")


def halves(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """The slow twin: what the bytes of one token are joined to by the ranks below its own."""
    limit = ranks[token]
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 1:
        lowest, at = min((ranks.get(left + right, limit), at) for at, (left, right) in enumerate(pairwise(parts)))
        if lowest >= limit:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def check(tokens: list[bytes]) -> bool:
    """Whether all tokens have two halves; holds the core to the slow twin."""
    ranks = {token: rank for rank, token in enumerate(tokens) if token}
    pairs, others = rank_order.halves(*pack_arena(tokens), place="file")
    parts = [[tokens[left], tokens[right]] for left, right in zip(pairs[::2], pairs[1::2], strict=True)]
    parts += [[tokens[part] for part in others]] * bool(others)
    expected = [halves(token, ranks) for token in tokens if len(token) > 1]
    assert parts == expected[: len(parts)]
    assert bool(others) == (len(parts) < len(expected) or any(len(pair) != 2 for pair in expected))
    return not others


def random_tokens(random: Random) -> list[bytes]:
    """Tokens joined from others in any order, so that some have no two halves."""
    parts = [b"a", b"b", b"c"][: random.randint(1, 3)]
    n_bytes = len(parts)
    for _ in range(random.randint(2, 9)):
        token = random.choice(parts) + random.choice(parts)
        parts += [token] * (token not in parts)
    tokens = parts[n_bytes:]
    return random.sample(tokens, len(tokens)) if random.random() < 0.3 else tokens


def both(tokens: list[bytes]) -> tuple[TokenizerSpec, TokenizerSpec] | None:
    """The tokens as merges of their halves and as ranks, if all have two halves."""
    vocabulary = BYTES | dict(zip(count(256), tokens, strict=False))
    ranks = {token: rank for rank, token in vocabulary.items()}
    pairs = [halves(token, ranks) for token in tokens]
    if any(len(pair) != 2 for pair in pairs):
        return None
    merges = [(left, right) for left, right in pairs]
    return (
        build_spec(vocabulary, merges, pretokenizer=WHOLE),
        build_spec(vocabulary, [], pretokenizer=WHOLE, semantics="ranks"),
    )


def test_merges_of_two_halves_and_ranks_give_the_same_ids() -> None:
    n_same = 0
    for seed in range(1000):
        random = Random(seed)
        tokens = random_tokens(random)
        if specs := both(tokens):
            merges, ranks = map(Tokenizer.from_spec, specs)
            for _ in range(10):
                text = b"".join(random.choices([*tokens, b"a", b"b", b"c"], k=random.randint(1, 12)))
                assert merges.encode(text) == ranks.encode(text)
                n_same += 1
    assert n_same > 3000


@pytest.mark.filterwarnings("ignore:vocab_size:tokenloom.errors.TrainingWarning")
def test_merges_of_a_training_are_the_halves_of_their_tokens() -> None:
    for seed in range(20):
        corpus = random_corpus(Random(seed), n_symbols=3, most_symbols=400)
        trained = train([corpus], 290, pattern=None)
        ranks = {token: rank for rank, token in trained.vocabulary.items()}
        assert [tuple(halves(left + right, ranks)) for left, right in trained.merges] == trained.merges


def test_token_that_lower_ranks_split_otherwise_is_another_token_for_ranks() -> None:
    """By hand: in "abcd" the pair (b, c) comes first, so "ab" + "cd" never stand there; ranks look the piece up."""
    vocabulary = BYTES | {256: b"bc", 257: b"ab", 258: b"cd", 259: b"abcd"}
    assert halves(b"abcd", {token: rank for rank, token in vocabulary.items()}) == [b"a", b"bc", b"d"]
    merges = build_spec(vocabulary, [(b"b", b"c"), (b"a", b"b"), (b"c", b"d"), (b"ab", b"cd")])
    ranks = build_spec(vocabulary, [], semantics="ranks")
    assert Tokenizer.from_spec(merges).encode("abcd") == [ord("a"), 256, ord("d")]
    assert Tokenizer.from_spec(ranks).encode("abcd") == [259]


def test_halves_of_all_tokens_are_those_of_the_slow_twin() -> None:
    n_whole = 0
    for seed in range(200):
        random = Random(seed)
        tokens = [*BYTES.values(), b"", *random_tokens(random)]
        n_whole += check(tokens)
        random.shuffle(tokens)
        check(tokens)
    assert 40 < n_whole < 160


@pytest.mark.parametrize("text", [b"a" * 60, b"ab" * 30, bytes(range(97, 122)) * 3])
def test_halves_of_long_tokens_are_those_of_the_slow_twin(text: bytes) -> None:
    assert check([*BYTES.values(), *(text[:n_bytes] for n_bytes in range(2, len(text) + 1))])
    assert not check([*BYTES.values(), *(text[:n_bytes] for n_bytes in range(2, 40, 5)), text])
    assert not check([*BYTES.values(), text])


def test_byte_of_a_token_that_is_no_token_is_named() -> None:
    with pytest.raises(FormatError, match=r"^file: the vocabulary has no token for the single byte b'b'"):
        rank_order.halves(*pack_arena([b"a", b"ab"]), place="file")
