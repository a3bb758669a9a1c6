"""`ignore_merges` as `tokenizers` has it: a pretoken that is a token is that token, else merges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

from tests.strategies import hard_texts
from tokenloom import Tokenizer, train
from tokenloom.spec import Pretokenizer, build_spec
from tokenloom.spec.alphabets import to_characters

pytestmark = pytest.mark.interop

TRAINED = train(["abcab cabba the theatre 'll don't  \n\u4f60\u597d \u4f60 " * 9], 280)
UNMADE = st.lists(st.text("abc' \n\u4f60\u0301", min_size=2, max_size=5).map(str.encode), max_size=20, unique=True)


@given(UNMADE, st.lists(st.text("abc' \n\u4f60\u0301", max_size=60) | hard_texts, max_size=5))
def test_ids_are_those_of_tokenizers(unmade: list[bytes], texts: list[str]) -> None:
    known = set(TRAINED.vocabulary.values())
    vocabulary = TRAINED.vocabulary | dict(enumerate((token for token in unmade if token not in known), len(TRAINED)))
    spec = build_spec(vocabulary, TRAINED.merges, pretokenizer=Pretokenizer("gpt2"), ignore_merges=True)
    ours = Tokenizer.from_spec(spec)
    ids = {to_characters(token): token_id for token_id, token in vocabulary.items()}
    merges = [(to_characters(left), to_characters(right)) for left, right in TRAINED.merges]
    theirs = TheirTokenizer(BPE(ids, merges, ignore_merges=True))
    theirs.pre_tokenizer = ByteLevel(add_prefix_space=False)
    assert [ours.encode(text) for text in texts] == [theirs.encode(text).ids for text in texts]


def test_a_token_without_a_merge_is_found_only_as_a_whole_pretoken() -> None:
    """By hand: the whole word is one token, a word that holds it is merged."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab", 257: b"abc"}
    for ignore_merges, expected in ((True, [257]), (False, [256, 99])):
        tokenizer = Tokenizer.from_spec(build_spec(vocabulary, [(b"a", b"b")], ignore_merges=ignore_merges))
        assert tokenizer.encode("abc") == expected
        assert tokenizer.encode("abcd") == [256, 99, 100]
