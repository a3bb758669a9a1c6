"""Counts, sizes and times in messages, and the line that a warning points at."""

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from tokenloom import Tokenizer, TokenloomError, TokenloomWarning, train, train_bpe
from tokenloom.formats.json_values import parse_json
from tokenloom.formats.patterns import pretokenizer_of
from tokenloom.jobs.train import train_with_record
from tokenloom.spec import AddedToken, Pretokenizer
from tokenloom.trainers import BpeOptions, pretoken_counts, train_on_counts
from tokenloom.wording import format_bytes, format_seconds, quoted

BYTES = {byte: bytes([byte]) for byte in range(256)}


def load_cut(folder: Path) -> object:
    Tokenizer(BYTES | {256: b"ab", 257: b"cd"}, [(b"a", b"b")]).save_files(folder / "v.json", folder / "m.txt")
    return Tokenizer.from_files(folder / "v.json", folder / "m.txt")


ACTS: dict[str, Callable[[Path], object]] = {
    "train": lambda folder: train([], 300),
    "train_bpe": lambda folder: train_bpe(folder / "empty.txt", 300, []),
    "train_on_counts": lambda folder: train_on_counts(pretoken_counts({}), BpeOptions(300)),
    "train_with_record": lambda folder: train_with_record([], BpeOptions(300)),
    "from_files": load_cut,
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_a_warning_points_at_the_line_of_the_caller(act: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    with pytest.warns(TokenloomWarning) as caught:
        act(tmp_path)
    lines, first = inspect.getsourcelines(act)
    assert [warning.filename for warning in caught] == [__file__]
    assert caught[0].lineno in range(first, first + len(lines))


def test_counts_in_messages_agree_with_their_nouns() -> None:
    with pytest.warns(TokenloomWarning, match="only 1 merge, so the vocabulary has 257 tokens"):
        tokenizer = train(["ab"], 300)
    assert repr(tokenizer) == "Tokenizer(257 ids, 0 special tokens)"
    assert repr(Tokenizer(BYTES | {1255: b"ab"}, [], ["<s>"])) == "Tokenizer(1,257 ids, 1 special token)"


@pytest.mark.parametrize(
    ("n_bytes", "words"),
    [
        (0, "0 B"),
        (999.4, "999 B"),
        (999.6, "1.00 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (5e18, "5,000 PB"),
    ],
)
def test_sizes_have_three_digits(n_bytes: float, words: str) -> None:
    assert format_bytes(n_bytes) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (0.9994, "0.999 s"),
        (0.9996, "1.0 s"),
        (59.94, "59.9 s"),
        (59.96, "1 min"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h"),
        (86_369, "23 h 59 min"),
        (86_399.6, "1 d"),
        (10_000_000, "115 d 18 h"),
    ],
)
def test_times_have_the_units_that_matter(seconds: float, words: str) -> None:
    assert format_seconds(seconds) == words


@pytest.mark.parametrize(
    "act",
    [
        lambda text: Tokenizer(BYTES, [], [text, text]),
        lambda text: Tokenizer(BYTES, [(text.encode(), b"a")]),
        lambda text: Tokenizer(BYTES, [], special_text=text),
        lambda text: Pretokenizer("custom", regex=text + "\ud800"),
        lambda text: Pretokenizer("gpt2", regex=text),
        lambda text: AddedToken(text, -1),
        lambda text: pretokenizer_of(text, place="x"),
        lambda text: parse_json(b'{"%b": 1, "%b": 2}' % (text.encode(), text.encode()), file="x"),
    ],
)
def test_messages_do_not_grow_with_what_they_quote(act: Callable[[str], object]) -> None:
    with pytest.raises(TokenloomError) as caught:
        act("a" * 100_000)
    assert len(str(caught.value)) < 1000
    assert "a" * 100 in str(caught.value)


def test_a_value_is_quoted_in_a_line_however_it_is_nested() -> None:
    nested: object = "end"
    for _ in range(2000):
        nested = [nested, {"key": nested}, 1]
    wide = {f"key {i}": [list(range(100))] * 100 for i in range(100)}
    for value in (nested, wide, [nested] * 1000):
        assert len(quoted(value)) < 210
    assert quoted({"b": 1, "a": [None, ("x",)]}) == "{'a': [None, ('x',)], 'b': 1}"
    assert quoted(10**100) == "1" + "0" * 100
    assert quoted([10**5000]) == "[<a whole number of 16,610 bits>]"
