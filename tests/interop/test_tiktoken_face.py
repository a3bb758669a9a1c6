"""`Tokenizer.as_tiktoken` beside `tiktoken.Encoding`, method by method, on published vocabularies and fuzzed texts."""

import base64
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.strategies import hard_texts, runs
from tokenloom import Tokenizer
from tokenloom.formats.encodings import ENCODINGS
from tokenloom.tokenizer.tiktoken_face import TiktokenFace

pytestmark = pytest.mark.interop

NAMES: Final = ("gpt2", "cl100k_base", "o200k_base")
PATTERNS: Final = {
    "gpt2": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    "cl100k_base": r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"""
    r"""|\s++$|\s*[\r\n]|\s+(?!\S)|\s""",
}
Both = tuple[tiktoken.Encoding, TiktokenFace]


@pytest.fixture(scope="module", params=NAMES)
def both(request: pytest.FixtureRequest, shared: Path) -> Both:
    name = request.param
    path = shared / "vocabs" / f"{name}.tiktoken"
    lines = map(bytes.split, path.read_bytes().splitlines())
    ours = Tokenizer.load(path).as_tiktoken(name)
    theirs = tiktoken.Encoding(
        name,
        pat_str=PATTERNS.get(name, ours._pat_str),
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in lines},
        special_tokens=dict(ENCODINGS[name].special_tokens),
    )
    return theirs, ours


def outcome(act: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a call gives, or the kind of error."""
    try:
        value = act(*args, **named)
    except Exception as error:
        kinds = (KeyError, UnicodeError, TypeError, ValueError, AttributeError)
        return next((kind.__name__ for kind in kinds if isinstance(error, kind)), type(error).__name__)
    return value.tolist() if isinstance(value, np.ndarray) else value


MARKS: Final = (
    "<|endoftext|>",
    "<|fim_prefix|>",
    "<|endofprompt|>",
    "<|endoftext",
    "\ud83d",
    "\ude80",
    "\u2028",
    " \n ",
)
marked: Final = st.lists(st.sampled_from([*MARKS, "the ", " a", "!", "\u4f60\u597d"])).map("".join)
FIRST: Final = "<|endoftext|>"
POLICIES: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"allowed_special": "all"},
    {"allowed_special": {FIRST}},
    {"allowed_special": {FIRST, "nope"}, "disallowed_special": ()},
    {"disallowed_special": ()},
    {"disallowed_special": {FIRST}},
    {"disallowed_special": ["the", "nope"]},
    {"allowed_special": {FIRST}, "disallowed_special": {FIRST}},
    {"allowed_special": {FIRST}, "disallowed_special": {"oftext"}},
    {"disallowed_special": "xy"},
    {"allowed_special": "x"},
    {"allowed_special": None},
)


def test_ids_and_errors_are_theirs_under_every_policy(both: Both) -> None:
    theirs, ours = both

    @given(hard_texts | runs | marked, st.sampled_from(POLICIES))
    @settings(max_examples=400)
    def check(text: str, policy: dict[str, Any]) -> None:
        expected = outcome(lambda: theirs.encode(text, **policy))
        assert outcome(lambda: ours.encode(text, **policy)) == expected
        assert outcome(lambda: ours.encode_batch([text, "a"], **policy)) == outcome(
            lambda: theirs.encode_batch([text, "a"], **policy)
        )
        if outcome(lambda: text.encode()) != "UnicodeError":
            assert outcome(lambda: ours.encode_to_numpy(text, **policy)) == expected
        ordinary = theirs.encode_ordinary(text)
        assert ours.encode_ordinary(text) == ordinary == ours.encode_ordinary_batch([text], num_threads=2)[0]
        assert ours.decode_with_offsets(ordinary) == theirs.decode_with_offsets(ordinary)
        assert ours.decode_batch([ordinary, [97]]) == theirs.decode_batch([ordinary, [97]])
        assert ours.decode_tokens_bytes(ordinary) == theirs.decode_tokens_bytes(ordinary)

    check()


def test_unstable_ids_and_completions_are_theirs(both: Both) -> None:
    theirs, ours = both

    @given(
        st.lists(
            st.sampled_from(["hel", "lo", " fan", "ta", "\n", " ", "\t", "9", "\u4f60", "é", FIRST, "'", "\u3000"])
        ).map("".join)
    )
    @example("hello fanta")
    @example("x \n\n")
    @settings(max_examples=30)
    def check(text: str) -> None:
        ids, completions = theirs.encode_with_unstable(text, allowed_special="all")
        stable, found = ours.encode_with_unstable(text, allowed_special="all")
        assert (stable, found) == (ids, sorted(completions))

    check()


def test_surrogates_are_read_in_every_method(both: Both) -> None:
    """UN-01: as tiktoken does in `encode`, also where it raises."""
    theirs, ours = both
    for text in ("ok \ud83d!", "\ud83d\ude80"):
        ids = theirs.encode(text)
        assert ours.encode(text) == ours.encode_ordinary(text) == ours.encode_to_numpy(text).tolist() == ids
        assert ours.encode_batch([text]) == ours.encode_ordinary_batch([text]) == [ids]
        assert ours.decode_bytes(ours.encode_with_unstable(text)[0]) in ours.decode_bytes(ids)


@given(
    st.lists(st.integers(0, 50_256) | st.sampled_from([100_256, 10**6, 199_999])),
    st.sampled_from(["replace", "strict", "ignore"]),
)
def test_texts_of_ids_are_theirs(both: Both, ids: list[int], errors: str) -> None:
    theirs, ours = both
    for method in ("decode_bytes", "decode_tokens_bytes", "decode_with_offsets"):
        assert outcome(getattr(ours, method), ids) == outcome(getattr(theirs, method), ids), method
    assert outcome(lambda: ours.decode(ids, errors)) == outcome(lambda: theirs.decode(ids, errors))
    assert outcome(lambda: ours.decode_bytes_batch([ids])) == outcome(lambda: theirs.decode_bytes_batch([ids]))
    for token_id in ids:
        expected = outcome(theirs.decode_single_token_bytes, token_id)
        assert outcome(ours.decode_single_token_bytes, token_id) == expected
        assert ours.is_special_token(token_id) == theirs.is_special_token(token_id)


def test_values_and_errors_are_theirs(both: Both) -> None:
    theirs, ours = both
    assert (ours.name, ours.n_vocab, ours.max_token_value) == (theirs.name, theirs.n_vocab, theirs.max_token_value)
    assert (ours.eot_token, repr(ours)) == (theirs.eot_token, repr(theirs))
    assert ours.special_tokens_set == theirs.special_tokens_set
    assert ours.token_byte_values() == theirs.token_byte_values()
    assert ours._mergeable_ranks == theirs._mergeable_ranks
    assert ours._special_tokens == theirs._special_tokens
    acts: list[Callable[[Any], Any]] = [
        *(
            lambda e, token=token: e.encode_single_token(token)
            for token in ("the", b" the", "zzqqxx", b"", FIRST, b"\xff", 5)
        ),
        *(lambda e, text=text: e.encode(text) for text in (b"abc", 5, None, ["a"])),
        *(lambda e, ids=ids: e.decode(ids) for ids in ("ab", ["a"], [0.5], (1, 2), np.array([1, 2]), 7, None)),
        *(lambda e, n=n: e.encode_batch(["a"], num_threads=n) for n in (0, 1, 3)),
        lambda e: e.encode_batch("ab"),
        lambda e: e.nothing,
    ]
    for act in acts:
        assert outcome(act, ours) == outcome(act, theirs)


def test_a_copy_through_pickle_is_the_same(both: Both) -> None:
    _, ours = both
    copied = pickle.loads(pickle.dumps(ours))
    assert (copied.name, copied.encode("the \u4f60"), copied.n_vocab) == (
        ours.name,
        ours.encode("the \u4f60"),
        ours.n_vocab,
    )
