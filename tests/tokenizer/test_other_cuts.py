"""The longest token at each place and the fewest tokens, against the lesson."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import bytes_texts, hard_texts, runs
from tokenloom import CharacterAlphabet, OtherCuts, SpecError, Tokenizer, _core, byte_tokenizer, train, train_words
from tokenloom.lessons.other_cuts import cut_fewest, cut_greedily
from tokenloom.spec import BpeModel, Decoder, Pretokenizer, TokenizerSpec
from tokenloom.spec.packing import pack_arena

WORDS = st.text("abc", max_size=12)
VOCABULARIES = st.sets(st.text("abc", min_size=1, max_size=5), max_size=12)
WIDE = st.sets(st.text("aé你🌍", min_size=1, max_size=3), max_size=8)


def core_cut(word: str, tokens: set[str], *, is_fewest: bool) -> list[str]:
    """What the core cuts, as text."""
    cuts = _core.OtherCuts([(token.encode(), place) for place, token in enumerate(sorted(tokens))])
    (steps,) = cuts.cut([word.encode()], is_fewest)
    parts, rest = [], word.encode()
    for step in steps:
        part = sorted(tokens)[step].encode() if step >= 0 else rest[:-step]
        assert rest.startswith(part)
        assert step >= 0 or part.decode() not in tokens
        parts.append(part.decode())
        rest = rest[len(part) :]
    assert not rest
    return parts


@settings(max_examples=400)
@given(WORDS, VOCABULARIES)
def test_core_cuts_as_the_lesson(word: str, tokens: set[str]) -> None:
    assert core_cut(word, tokens, is_fewest=False) == cut_greedily(word, tokens)
    assert core_cut(word, tokens, is_fewest=True) == cut_fewest(word, tokens)


@settings(max_examples=200)
@given(st.text("aé你🌍", max_size=8), WIDE)
def test_characters_are_never_cut(word: str, tokens: set[str]) -> None:
    assert core_cut(word, tokens, is_fewest=False) == cut_greedily(word, tokens)
    assert core_cut(word, tokens, is_fewest=True) == cut_fewest(word, tokens)


TRAINED = train(["the cat in the hat sat on the mat, smemarray array marred", "你好你好🌍🌍"], 290, ["<|end|>"])


@given(hard_texts | bytes_texts | runs)
def test_byte_tokens_join_to_the_text(text: str | bytes) -> None:
    cuts, data = OtherCuts(TRAINED), text.encode() if isinstance(text, str) else text
    greedy, fewest = cuts.encode_greedy(text), cuts.encode_fewest(text)
    assert TRAINED.decode_bytes(greedy) == TRAINED.decode_bytes(fewest) == data
    assert len(fewest) <= min(len(greedy), TRAINED.count(text, disallowed_special=()))


@given(hard_texts | st.text("theca smry", max_size=30))
def test_byte_tokens_are_cut_as_in_the_lesson(text: str) -> None:
    cuts, tokens = OtherCuts(TRAINED), set(TRAINED.spec.model_tokens()) - {b""}
    for encode, cut in ((cuts.encode_greedy, cut_greedily), (cuts.encode_fewest, cut_fewest)):
        expected = [token for piece in TRAINED.pretokens(text, disallowed_special=()) for token in cut(piece, tokens)]
        assert [TRAINED.token_bytes(token_id) for token_id in encode(text)] == expected


def smemarray() -> Tokenizer:
    """Merges of the word of the lecture: `array` comes together before `mar` could."""
    merges = [("a", "r"), ("ar", "r"), ("a", "y"), ("arr", "ay"), ("m", "e"), ("m", "ar"), ("r", "a")]
    vocab = {byte: bytes([byte]) for byte in range(256)}
    vocab |= {256 + rank: (left + right).encode() for rank, (left, right) in enumerate(merges)}
    return Tokenizer(vocab, [(left.encode(), right.encode()) for left, right in merges])


def test_word_of_the_lecture_is_cut_in_two_ways() -> None:
    tokenizer = smemarray()
    cuts = OtherCuts(tokenizer)
    ways = (tokenizer.encode("smemarray"), cuts.encode_greedy("smemarray"), cuts.encode_fewest("smemarray"))
    parts = ["|".join(tokenizer.token_bytes(token_id).decode() for token_id in ids) for ids in ways]
    assert parts == ["s|me|m|array", "s|me|mar|ra|y", "s|me|m|array"]


def test_mark_of_the_end_of_a_word_is_a_part_of_its_tokens() -> None:
    alphabet = CharacterAlphabet(end_of_word_suffix="</w>")
    tokenizer = train(["cat cat rat rattle"], 20, pattern=None, characters=alphabet)
    cuts = OtherCuts(tokenizer)
    for text in ("cat rat rattle", "tattler", ""):
        assert tokenizer.decode(cuts.encode_greedy(text)) == tokenizer.decode(cuts.encode_fewest(text)) == text


@pytest.mark.parametrize(
    ("alphabet", "size", "decoded"),
    [
        (CharacterAlphabet(0.9, unk_token="<unk>"), 5, "ab<unk><unk>a"),
        (CharacterAlphabet(0.9, byte_fallback=True), 260, "ab你!a"),
    ],
)
def test_missing_characters_are_unknown_or_bytes(alphabet: CharacterAlphabet, size: int, decoded: str) -> None:
    tokenizer = train(["ab" * 90 + "c"], size, pattern=None, characters=alphabet)
    cuts = OtherCuts(tokenizer)
    assert tokenizer.decode(cuts.encode_greedy("ab你!a")) == decoded
    assert tokenizer.decode(cuts.encode_fewest("ab你!a")) == decoded


def test_unknown_token_stands_for_no_text() -> None:
    tokenizer = train(["<unk> <unk>u"], 12, pattern=None, characters=CharacterAlphabet(unk_token="<unk>"))
    assert 0 not in OtherCuts(tokenizer).encode_greedy("<unk>")


def test_models_whose_tokens_do_not_join_are_refused() -> None:
    with pytest.raises(SpecError, match="tokens of 'word' do not join"):
        OtherCuts(train_words(["a"]))


def test_tokens_with_a_prefix_are_refused() -> None:
    arena = pack_arena([b"a", b"##b"])
    model = BpeModel("merges", unit="character", continuing_subword_prefix="##")
    spec = TokenizerSpec(model, Pretokenizer("none"), (), *arena, b"", None, None, Decoder(()))
    with pytest.raises(SpecError, match="the prefix '##' do not join"):
        OtherCuts(Tokenizer.from_spec(spec))


def test_token_that_is_there_twice_is_refused() -> None:
    with pytest.raises(SpecError, match="has two ids, 3 and 5"):
        _core.OtherCuts([(b"a", 5), (b"a", 3)])
    with pytest.raises(SpecError, match="have an empty token"):
        _core.OtherCuts([(b"", 5)])


@pytest.mark.parametrize("is_fewest", [False, True])
@pytest.mark.parametrize("piece", [b"a", b"ab", b"abcdefgh"])
def test_time_grows_with_the_text(piece: bytes, is_fewest: bool) -> None:
    tokens = [(bytes([byte]), byte) for byte in range(256)]
    tokens += [(b"a" * n, 256 + n) for n in range(2, 40)] + [(b"ab" * 50 + b"c", 400), (b"abcdefgh" * 30 + b"x", 401)]
    cuts = _core.OtherCuts(tokens)

    def seconds(n_pieces: int) -> float:
        text, start = piece * (1_000_000 // len(piece) // n_pieces), process_time()
        cuts.cut([text] * n_pieces, is_fewest)
        return process_time() - start

    # As much text in ten pieces as in one: what grew with the square would take a tenth of the time there.
    assert min(seconds(1) for _ in range(5)) < 2 * min(seconds(10) for _ in range(5))


def test_many_long_tokens_that_end_alike_take_no_memory_of_their_product() -> None:
    tokens = [(b"a" * n, n) for n in range(1, 1000)] + [(b"a" * 500_000 + b"b", 1000)]
    cuts = _core.OtherCuts(tokens)
    ((first, *_),) = cuts.cut([b"a" * 2000], False)
    assert first == 999


def test_nothing_is_cut_of_nothing() -> None:
    assert OtherCuts(byte_tokenizer()).encode_fewest("") == []
    assert _core.OtherCuts([]).cut([b"ab"], True) == [[-1, -1]]
