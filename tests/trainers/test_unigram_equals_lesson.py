"""The core's training of unigrams equals `tokenloom.lessons.unigram_training`: equal pieces, scores up to rounding."""

import math
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenloom import _core
from tokenloom.errors import TrainingWarning
from tokenloom.lessons.unigram_training import expected_counts, find_seeds, train
from tokenloom.spec.packing import unpack_float64
from tokenloom.trainers import UnigramOptions, pretoken_counts, train_unigram_on_counts

words = st.dictionaries(
    st.text("ab c", min_size=1, max_size=12) | st.text("aé中", min_size=1, max_size=24),
    st.integers(1, 9),
    min_size=1,
    max_size=9,
)


def trained(
    counts: dict[str, int], n_pieces: int, *, max_chars: int = 16, n_seeds: int = 1_000_000
) -> dict[str, float]:
    """The pieces of the core with their scores."""
    options = UnigramOptions(n_pieces + 1, max_piece_chars=max_chars)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        spec = train_unigram_on_counts(pretoken_counts(counts), options).spec
    tokens = [token.decode() for token in spec.model_tokens()]
    return dict(list(zip(tokens, unpack_float64(spec.scores), strict=True))[1:])


@given(words=words, n_more=st.integers(0, 12), max_chars=st.integers(2, 6) | st.just(16))
@settings(max_examples=300)
def test_pieces_and_scores_are_those_of_the_lesson(words: dict[str, int], n_more: int, max_chars: int) -> None:
    n_pieces = len(set("".join(words))) + n_more
    pieces = trained(words, n_pieces, max_chars=max_chars)
    expected = train(words, n_pieces, max_chars=max_chars).scores
    assert pieces.keys() == expected.keys()
    for piece, score in pieces.items():
        assert score == pytest.approx(expected[piece], rel=1e-6, abs=1e-6)


@given(words=words, n_seeds=st.integers(1, 8))
def test_seeds_are_those_of_the_lesson(words: dict[str, int], n_seeds: int) -> None:
    marked: dict[str, int] = {}
    for word, count in words.items():
        marked[word.replace(" ", "▁")] = count
    seeds = find_seeds(marked, n_seeds=n_seeds)
    characters = "".join(sorted(set("".join(marked))))
    trainer = _core.UnigramTrainer(pretoken_counts(words), characters, max_piece_chars=16, n_seeds=n_seeds, n_threads=1)
    found, total = trainer.pieces(), sum(seeds.values())
    assert [piece for piece, _ in found] == list(seeds)
    assert [score for _, score in found] == pytest.approx([math.log(n / total) for n in seeds.values()], abs=1e-12)


@given(words=words)
def test_the_loss_is_the_likelihood_over_all_ways_to_cut(words: dict[str, int]) -> None:
    marked = {word.replace(" ", "▁"): count for word, count in words.items()}
    characters = "".join(sorted(set("".join(marked))))
    trainer = _core.UnigramTrainer(pretoken_counts(words), characters, max_piece_chars=16, n_seeds=99, n_threads=1)
    scores = dict(trainer.pieces())
    expected = sum(-expected_counts(word, scores)[1] * count for word, count in marked.items())
    assert trainer.step()[1] == pytest.approx(expected, rel=1e-9, abs=1e-6)
