"""Models that merge nothing, as parts of a description."""

import pytest

from tokenloom.errors import SpecError
from tokenloom.spec import BpeModel, Decoder, Pretokenizer, TokenizerSpec, UnigramModel, WordModel, WordpieceModel
from tokenloom.spec.packing import pack_arena, pack_float64
from tokenloom.tokenizer import Tokenizer

TOKENS = pack_arena([b"?", b"the", b" ", b"cat"])


def spec_of(model: WordModel | WordpieceModel | UnigramModel | BpeModel, **others: bytes) -> TokenizerSpec:
    parts = {"merges": b"", "scores": b""} | others
    pretokenizer = Pretokenizer("custom", regex=r"\w+| ")
    return TokenizerSpec(model, pretokenizer, (), *TOKENS, parts["merges"], None, None, Decoder(()), parts["scores"])


def test_words_are_looked_up_whole_and_others_are_unknown() -> None:
    tokenizer = Tokenizer.from_spec(spec_of(WordModel("?")))
    assert tokenizer.encode("the fat cat") == [1, 2, 0, 2, 3]
    assert tokenizer.decode(tokenizer.encode("the fat cat")) == "the ? cat"


def test_model_without_its_unknown_token_is_refused() -> None:
    with pytest.raises(SpecError, match=r"unk_token '\[UNK\]' is not in the vocabulary"):
        Tokenizer.from_spec(spec_of(WordModel("[UNK]")))


@pytest.mark.parametrize("model", [WordModel("?"), WordpieceModel("?"), UnigramModel("tokenizers")])
def test_description_comes_back_from_its_json(model: WordModel | WordpieceModel | UnigramModel) -> None:
    scores = pack_float64([-1.5] * 4) if isinstance(model, UnigramModel) else b""
    spec = spec_of(model, scores=scores)
    token_bytes, token_offsets, merges, scores = spec.arrays
    again = TokenizerSpec.from_config(
        spec.config_json(), token_bytes=token_bytes, token_offsets=token_offsets, merges=merges, scores=scores
    )
    assert again == spec
    assert again.fingerprint == spec.fingerprint


def test_scores_are_a_part_of_the_fingerprint() -> None:
    one, other = (spec_of(UnigramModel("tokenizers"), scores=pack_float64([0, 0, 0, score])) for score in (1, 2))
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("model", "others", "message"),
    [
        (WordModel("?"), {"merges": b"\0" * 8}, "merges: model 'word' takes none"),
        (WordModel("?"), {"scores": b"\0" * 32}, "model 'word' with 4 ids has 0 scores"),
        (UnigramModel("tokenizers"), {}, "scores: they have 0 bytes, and model 'unigram' with 4 ids"),
        (UnigramModel("tokenizers"), {"scores": pack_float64([0, float("nan"), 0, 0])}, "id 1 has the score nan"),
        (UnigramModel("tokenizers"), {"scores": pack_float64([0, 0, float("inf"), 0])}, "id 2 has the score inf"),
    ],
)
def test_arrays_that_do_not_go_with_the_model_are_refused(
    model: WordModel | UnigramModel, others: dict[str, bytes], message: str
) -> None:
    with pytest.raises(SpecError, match=message):
        spec_of(model, **others)


def test_what_is_of_merges_alone_says_so() -> None:
    with pytest.raises(SpecError, match="'word' merges nothing"):
        _ = spec_of(WordModel("?")).bpe
    with pytest.raises(SpecError, match="dropout: it is of the order of merges"):
        Tokenizer.from_spec(spec_of(WordModel("?"))).encode_batch(["the"], dropout=0.5, seed=1)
