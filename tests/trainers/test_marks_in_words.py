"""The core keeps bytes from coming about twice, where words hold what looks like the mark at their end.

Training refuses such words before the core sees them, so the core is called here without that.
"""

from random import Random
from typing import NamedTuple, get_args

import pytest

from tokenloom import _core
from tokenloom.lessons import character_training
from tokenloom.lessons.byte_pair import Pair, choose_pair, count_pairs, merge_pair
from tokenloom.lessons.characters import Rules
from tokenloom.trainers import EndOfWord, TieBreak, pretoken_counts

MARKS = ["/", "</", "//", "</w>"]

every_tie_break = pytest.mark.parametrize("tie_break", get_args(TieBreak))
both_ends = pytest.mark.parametrize("end", get_args(EndOfWord))


class Step(NamedTuple):
    """A merge, the tokens after it, what ties with its pair, and the second choice with its count."""

    pair: Pair
    n_pairs: int
    n_tokens: int
    n_tied: int
    second: Pair | None = None
    n_second: int = 0


def learned(words: dict[str, int], rules: Rules, tie_break: TieBreak, *, runner_up: bool = False) -> list[Step]:
    end = ("symbol" if rules.suffix_is_symbol else "glued", rules.suffix)
    start = _core.Start.of_characters("".join(sorted(set().union(*words))), end, "dropped", [])
    tokens, steps = start.tokens(), []
    for told in _core.Trainer(pretoken_counts(words), start, tie_break).advance(5000, None, runner_up):
        left, right, count, n_tokens, n_tied, *second = told
        pair = (tokens[left], tokens[right])
        steps.append(Step(pair, count, n_tokens, n_tied))
        if runner_up and second[2]:
            steps[-1] = steps[-1]._replace(second=(tokens[second[0]], tokens[second[1]]), n_second=second[2])
        tokens.append(b"".join(pair))
    return steps


def random_words(random: Random, mark: str) -> dict[str, int]:
    """Of the letters of the mark and two others; a mark of one character is refused where a word holds it."""
    letters = sorted({*(mark if len(mark) > 1 else ""), "a", "b"})
    n_words, most = random.choice([3, 9, 30]), random.choice([3, 40, 3000])
    return {"".join(random.choices(letters, k=random.randint(1, 9))): random.randint(1, most) for _ in range(n_words)}


def recounted(
    words: dict[str, int], steps: list[Step], rules: Rules, tie_break: TieBreak
) -> list[tuple[int, Pair | None, int]]:
    """For each merge the other pairs that occur as often and may be merged, and the choice without the merged one."""
    tokens = character_training.start_tokens(character_training.choose_characters([*words.items()], 1.0), rules)
    ids = {token.encode(): token_id for token_id, token in enumerate(tokens)}
    sequences = [
        ([symbol.encode() for symbol in stretch], count)
        for word, count in words.items()
        for stretch in character_training.stretches(word, tokens, rules)
    ]
    found: list[tuple[int, Pair | None, int]] = []
    for step in steps:
        counts = {pair: n for pair, n in count_pairs(sequences).items() if pair[0] + pair[1] not in ids}
        del counts[step.pair]
        second = choose_pair(counts, tie_break=tie_break, ids=ids) if counts else None
        n_tied = sum(count == step.n_pairs for count in counts.values())
        found.append((n_tied, second, counts[second] if second else 0))
        sequences = [(merge_pair(tokens, step.pair), count) for tokens, count in sequences]
        ids[b"".join(step.pair)] = len(ids)
    return found


@every_tie_break
@both_ends
@pytest.mark.parametrize("mark", MARKS)
def test_bytes_that_a_merge_has_made_are_never_made_again(tie_break: TieBreak, end: EndOfWord, mark: str) -> None:
    random = Random(repr((tie_break, end, mark)))
    rules = Rules(suffix=mark, suffix_is_symbol=end == "symbol")
    for _ in range(30):
        words = random_words(random, mark)
        steps = learned(words, rules, tie_break)
        lesson = character_training.train([*words.items()], 5000, rules=rules, tie_break=tie_break)
        assert [step.pair for step in steps] == lesson.merges, words
        assert [step.n_pairs for step in steps] == lesson.counts, words
        assert [step.n_tokens for step in steps] == lesson.tokens_left, words


@every_tie_break
@both_ends
@pytest.mark.parametrize("mark", MARKS)
def test_ties_and_runner_ups_are_pairs_that_may_be_merged(tie_break: TieBreak, end: EndOfWord, mark: str) -> None:
    random = Random(repr((tie_break, end, mark)))
    rules = Rules(suffix=mark, suffix_is_symbol=end == "symbol")
    for _ in range(15):
        words = random_words(random, mark)
        steps = learned(words, rules, tie_break, runner_up=True)
        assert [step[:4] for step in steps] == [step[:4] for step in learned(words, rules, tie_break)], words
        told = [step[3:] for step in steps]
        assert told == recounted(words, steps, rules, tie_break), words


@both_ends
def test_a_word_with_the_mark_inside_by_hand(end: EndOfWord) -> None:
    """`</w>` comes about as (<, /w>), (</, w>) or (</w, >) in `</w>k`, but only once; as a symbol it is there."""
    words = {"bak": 20, "</w>k": 30, "ba</w>x": 3, "ba": 5}
    steps = learned(words, Rules(suffix="</w>", suffix_is_symbol=end == "symbol"), "lexicographic")
    made = [b"".join(step.pair) for step in steps]
    assert len(made) == len(set(made))
    assert (b"</w>" in made) == (end == "glued")
