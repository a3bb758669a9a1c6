"""Offsets are those of `tokenizers`, also through normalizers, and places of decoded tokens those of `tiktoken`.

Where several characters became one run, `tokenizers` names one of them, and the others belong to no token. There ours
hold theirs; the tests count how often that is.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import islice, permutations
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import assume, given, settings

from tests.interop import published
from tests.interop.layers import is_defined, their_tokenizer
from tests.layered import CONTENTS, TEXT_PARTS, added_tokens, normalizer_values, our_tokenizer, texts
from tokenloom import Tokenizer
from tokenloom.spec import (
    AddedToken,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Replace,
    Strip,
    UnicodeForm,
)

pytestmark = pytest.mark.interop

many = settings(max_examples=200)

SINGLE: Final[tuple[NormalizerStep, ...]] = (
    Lowercase(),
    Prepend("\u2581"),
    Prepend("ab"),
    Replace(" ", by="\u2581"),
    Replace("a", by=""),
    Replace("\u0301", by=" x"),
    Replace(pattern="[a-c]", by="xy"),
    Strip(left=True, right=True),
    Strip(left=False, right=True),
)
"""Steps that join no characters."""
JOINING: Final[tuple[NormalizerStep, ...]] = (
    *(UnicodeForm("nfc"), UnicodeForm("nfd"), UnicodeForm("nfkc"), UnicodeForm("nfkd")),
    *(Replace("ab", by="a"), Replace(pattern="[a-z]+", by="\u2581a")),
)


def spans(ours: Tokenizer, theirs: Any, text: str, *, added: Iterable[AddedToken] = ()) -> Counter[str]:
    """How often both have one span for a token, and how often ours only holds theirs; any other pair is a fault."""
    encoding, their_encoding = ours.encode_with_offsets(text), theirs.encode(text, add_special_tokens=False)
    ids = {theirs.token_to_id(token.content): token.id for token in added}
    if encoding.ids.tolist() != [ids.get(token_id, token_id) for token_id in their_encoding.ids]:
        return Counter(other_ids=1)
    found = Counter[str]()
    pairs = zip(encoding.char_offsets.tolist(), their_encoding.offsets, strict=True)
    for (start, stop), (their_start, their_stop) in pairs:
        assert start <= their_start <= their_stop <= stop, (text, (start, stop), (their_start, their_stop))
        found["same" if (start, stop) == (their_start, their_stop) else "wider"] += 1
    return found


def spans_of_many(steps: Iterable[NormalizerStep], n_texts: int) -> Counter[str]:
    """The spans of a normalizer on texts from a fixed seed."""
    normalizer, random = Normalizer(tuple(steps)), Random(4)
    ours, theirs = our_tokenizer((), normalizer), their_tokenizer((), normalizer)
    drawn = ("".join(random.choices(TEXT_PARTS, k=random.randint(0, 10))) for _ in range(n_texts))
    return sum((spans(ours, theirs, text) for text in drawn), Counter[str]())


@pytest.mark.parametrize("step", SINGLE, ids=repr)
def test_steps_that_join_no_characters_give_their_spans(step: NormalizerStep) -> None:
    found = spans_of_many([step], 200)
    assert found["same"] > 3000
    assert set(found) == {"same"}


def test_chains_of_such_steps_give_their_spans() -> None:
    chains = list(permutations(SINGLE, 3))
    for steps in Random(2).sample(chains, 12):
        assert set(spans_of_many(steps, 30)) == {"same"}, steps


@pytest.mark.parametrize("step", JOINING, ids=repr)
def test_steps_that_join_characters_give_spans_that_hold_theirs(step: NormalizerStep) -> None:
    found = spans_of_many([step], 200)
    assert found["other_ids"] == 0
    assert 10 < found["wider"] < found["same"] / 2


def test_on_ordinary_text_qwen3_has_their_spans(shared: Path) -> None:
    """It normalizes by NFC. Of all 6,142,287 spans of the corpora and the parallel sentences, 2,668 are wider."""
    ours, theirs = published.ours(shared, "qwen3"), published.hf(shared, "qwen3")
    drawn = [*islice(published.documents(shared, "multi"), 0, None, 40), *published.parallel(shared)[::40]]
    found = sum((spans(ours, theirs, text) for text in drawn), Counter[str]())
    assert found["other_ids"] == 0
    assert found["same"] > 20_000
    assert found["wider"] * 500 < found["same"]


@pytest.mark.parametrize("name", published.HF)
def test_fuzzed_texts_have_spans_that_hold_theirs(shared: Path, name: str) -> None:
    ours, theirs = published.ours(shared, name), published.hf(shared, name)
    found = sum((spans(ours, theirs, text) for text in published.fuzzed(11, 500)), Counter[str]())
    assert found["other_ids"] <= (25 if name == "qwen3" else 0)
    assert found["wider"] * 20 < found["same"] if name == "qwen3" else set(found) == {"same"}


def test_llama3_spans_are_those_of_the_public_report(shared: Path) -> None:
    """OF-02."""
    llama = published.ours(shared, "llama3_1")
    assert llama.encode_with_offsets("go \U0001f680 up").char_offsets.tolist() == [
        [0, 2],
        [2, 4],
        [3, 4],
        [3, 4],
        [4, 7],
    ]
    assert llama.encode_with_offsets("are you ok?").char_offsets.tolist() == [[0, 3], [3, 7], [7, 10], [10, 11]]


@given(added_tokens(CONTENTS), texts)
@many
def test_without_a_normalizer_all_spans_are_theirs(added: tuple[AddedToken, ...], text: str) -> None:
    theirs = their_tokenizer(added, None)
    assume(is_defined(theirs, added))
    assert set(spans(our_tokenizer(added, None), theirs, text, added=added)) <= {"same"}


@given(added_tokens(CONTENTS), normalizer_values, texts)
@many
def test_added_tokens_behind_a_normalizer_have_their_spans(
    added: tuple[AddedToken, ...], normalizer: Normalizer | None, text: str
) -> None:
    theirs = their_tokenizer(added, normalizer)
    assume(is_defined(theirs, added))
    assert spans(our_tokenizer(added, normalizer), theirs, text, added=added)["other_ids"] == 0


@pytest.mark.parametrize("name", published.TIKTOKEN)
def test_places_of_decoded_tokens_are_those_of_tiktoken(shared: Path, name: str) -> None:
    ours, theirs = published.ours(shared, name), published.tiktoken_encoding(shared, name)
    for text in [*published.fuzzed(12, 300), "\U0001f44da"]:
        ids = ours.encode(text)
        assert ours.decode_with_offsets(ids) == theirs.decode_with_offsets(ids)


def test_half_characters_of_gpt2_do_not_raise(shared: Path) -> None:
    """OF-06."""
    gpt2 = published.ours(shared, "gpt2")
    ids = gpt2.encode("\U0001f44da")
    assert gpt2.decode_with_offsets(ids) == ("\U0001f44da", [0, 0, 1])
    assert gpt2.decode_with_offsets(ids[:1]) == ("\ufffd", [0])


def test_streams_of_cl100k_give_whole_characters(shared: Path) -> None:
    """DE-01 and DE-05."""
    cl100k = published.ours(shared, "cl100k_base")
    assert list(cl100k.decode_iterable([9468, 248, 222])) == ["\U0001f680"]
    assert list(cl100k.decode_iterable([22447, 229, 139, 230])) == ["\u2207", "\u03c8"]
