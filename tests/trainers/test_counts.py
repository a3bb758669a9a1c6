from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

import numpy as np
import pytest

from tests.strategies import HARD_PARTS
from tokenloom import _core
from tokenloom.errors import EncodeError, SpecialTokenError, TrainingError
from tokenloom.lessons.pretokenizing import split_gpt2_bytes
from tokenloom.spec import Pretokenizer
from tokenloom.spec.config import render_pretokenizer
from tokenloom.trainers import Document, count_pretokens, pretoken_counts
from tokenloom.trainers.counts import feed

LARGE: Final = "".join(
    word for n in range(120_000) for word in (f" word{n % 7919}", Random(n).choice(HARD_PARTS), "x" * (n % 90), "\n")
).encode()
"""New pretokens, short and long, all along, and more than 2 MiB for each of two threads."""


@pytest.mark.parametrize("n", [1, 2**64 - 1, np.int64(3)])
def test_whole_numbers_are_counts(n: int) -> None:
    assert pretoken_counts({"low": n}).items() == [(b"low", n)]


@pytest.mark.parametrize("n", [0, -1, 2**64, 1.0, "1", None, True])
def test_what_is_no_count_is_refused_with_its_pretoken(n: Any) -> None:
    message = rf"^pretoken 'low': its count {n!r} must be a whole number from 1 to 18,446,.*\. Leave out"
    with pytest.raises(TrainingError, match=message):
        pretoken_counts({"high": 1, "low": n})


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ({"a\ud800": 1}, r"pretoken 'a\\ud800': character 1 is a lone surrogate.* Repair it"),
        ({5: 1}, "pretoken 5: is of type int, neither str nor bytes. Pass texts"),
        ([("low", 5)], "is of type list, no mapping. Pass a dict or a Counter"),
        (None, "counts None: is of type NoneType, no mapping"),
    ],
)
def test_what_is_no_text_is_refused(counts: Any, message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        pretoken_counts(counts)


def test_one_str_in_the_place_of_special_tokens_is_refused() -> None:
    with pytest.raises(SpecialTokenError, match="is one string, not a list"):
        count_pretokens(["a"], pretokenizer=Pretokenizer("gpt2"), special_tokens="<s>")


class HoldingCounter:
    """Counts all that it holds with every second block, as the core does where a pretoken has no end in a block."""

    def __init__(self) -> None:
        self.n_counted_bytes = self.n_held = self.n_blocks = 0

    def push(self, block: bytes | str, progress: Callable[[int], object] | None = None) -> int:
        self.n_held += len(block.encode() if isinstance(block, str) else block)
        self.n_blocks += 1
        if self.n_blocks % 2 == 0 and progress:
            progress(self.n_held)
            self.n_counted_bytes, self.n_held = self.n_counted_bytes + self.n_held, 0
        return self.n_counted_bytes + self.n_held

    def end_document(self) -> None:
        pass


def test_progress_does_not_step_back_where_text_was_held() -> None:
    seen: list[int] = []
    feed(HoldingCounter(), [[b"x" * 10] * 4], progress=lambda _stage, done, _of: seen.append(done))
    assert seen == [10, 20, 20, 30, 40, 40]


def test_progress_of_a_str_is_in_bytes_and_not_in_characters() -> None:
    seen: list[int] = []
    feed(HoldingCounter(), ["ab", "äöü"], progress=lambda _stage, done, _of: seen.append(done))
    assert seen == [2, 8, 8]


def test_progress_does_not_hide_what_is_wrong_with_a_str() -> None:
    with pytest.raises(EncodeError, match="surrogate"):
        count_pretokens(["ä\ud800"], pretokenizer=Pretokenizer("gpt2"), progress=lambda *_: None)


def growth_of(documents: Sequence[Document], n_threads: int) -> list[tuple[int, int]]:
    growth: list[tuple[int, int]] = []
    count_pretokens(documents, pretokenizer=Pretokenizer("gpt2"), n_threads=n_threads, growth=growth)
    return growth


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_growth_is_exact_at_each_of_its_points(n_threads: int) -> None:
    growth = growth_of([LARGE], n_threads)
    firsts: dict[bytes, int] = {}
    at = 0
    for pretoken in split_gpt2_bytes(LARGE):
        firsts.setdefault(pretoken, at)
        at += len(pretoken)
    assert growth[-1] == (len(LARGE), len(firsts))
    assert all(n == sum(first < n_bytes for first in firsts.values()) for n_bytes, n in growth)


def test_growth_has_eight_points_for_each_doubling_wherever_blocks_and_documents_end() -> None:
    half = len(LARGE) // 2
    small = [LARGE[at : at + 3000] for at in range(half, len(LARGE), 3000)]
    blocks = [LARGE[at : min(at + 1_000_000, half)] for at in range(0, half, 1_000_000)]
    places = [n_bytes for n_bytes, _ in growth_of([blocks[0], blocks[1:], *small], n_threads=2)]
    assert places[:9] == [65_536 + step * 8_192 for step in range(9)]
    assert places[8:-1] == [2 * place for place in places[: len(places) - 9]]
    assert places[-2] < places[-1] == len(LARGE)


def test_growth_changes_no_count() -> None:
    expected = count_pretokens([LARGE], pretokenizer=Pretokenizer("gpt2")).items()
    assert count_pretokens([LARGE], pretokenizer=Pretokenizer("gpt2"), growth=[]).items() == expected


@pytest.mark.parametrize(
    ("documents", "growth"),
    [
        ([], [(0, 0)]),
        ([""], [(0, 0)]),
        ([b"a b a"], [(5, 3)]),
        (["a b", " a"], [(5, 3)]),
        ([b"x" * 65_536], [(65_536, 1)]),
    ],
)
def test_growth_of_small_text_is_one_point(documents: list[str | bytes], growth: list[tuple[int, int]]) -> None:
    assert growth_of(documents, 2) == growth


def test_what_is_sure_may_be_counted_at_any_time() -> None:
    counter = _core.PretokenCounter(render_pretokenizer(Pretokenizer("gpt2")), [], n_threads=2)
    counter.push("the cat the ca")
    counter.count_held()
    assert (counter.growth, counter.n_counted_bytes) == (None, 11)
    counter.push("t")
    counter.end_document()
    counter.count_held()
    assert counter.n_counted_bytes == 15
    assert counter.finish().items() == [(b" cat", 2), (b" the", 1), (b"the", 1)]
