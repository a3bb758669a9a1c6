"""What a training over characters refuses, so that no text is lost: marks, special tokens, bytes of no character."""

from random import Random
from typing import Any, get_args

import pytest

from tokenloom import Tokenizer, train
from tokenloom.errors import TrainingError
from tokenloom.trainers import BpeOptions, CharacterAlphabet, EndOfWord, pretoken_counts, train_on_counts

every_end = pytest.mark.parametrize("end", get_args(EndOfWord))
fewer_merges = pytest.mark.filterwarnings("ignore:vocab_size:tokenloom.errors.TrainingWarning")


@every_end
def test_a_text_that_holds_the_mark_is_refused_before_any_merge(end: EndOfWord) -> None:
    alphabet = CharacterAlphabet(byte_fallback=True, end_of_word_suffix="</w>", end_of_word=end)
    with pytest.raises(TrainingError, match=r"suffix '</w>': the text holds it.* b'x</w>y'.* Choose another mark"):
        train(["xy", "x</w>y"], 400, pattern=None, characters=alphabet)


@every_end
def test_a_pretoken_that_begins_the_mark_anew_is_refused(end: EndOfWord) -> None:
    alphabet = CharacterAlphabet(end_of_word_suffix="aba", end_of_word=end)
    for pretoken in ("ab", "cab", "aba"):
        with pytest.raises(TrainingError, match=f"in pretoken b'{pretoken}'"):
            BpeOptions(400, pattern=None, characters=alphabet).start(pretoken_counts({"ac": 1, pretoken: 1}))
    BpeOptions(400, pattern=None, characters=alphabet).start(pretoken_counts({"ba": 1, "bb": 1}))


@fewer_merges
@every_end
@pytest.mark.parametrize("mark", ["</w>", "ab", "aba", "aa"])
def test_every_text_that_is_encoded_later_comes_back(end: EndOfWord, mark: str) -> None:
    random = Random(mark)
    for has_bytes in (False, end == "symbol"):
        alphabet = CharacterAlphabet(byte_fallback=has_bytes, end_of_word_suffix=mark, end_of_word=end)
        counts = {word: 3 for word in ("w", "cw", "b", "c<", "wb>", "d") if mark not in word + mark[:-1]}
        spec = train_on_counts(pretoken_counts(counts), BpeOptions(400, pattern=None, characters=alphabet)).spec
        tokenizer = Tokenizer.from_spec(spec)
        letters = "".join(counts) + (f"é{mark}" if has_bytes else "")
        texts = ["".join(random.choices(letters, k=random.randint(1, 9))) for _ in range(40)]
        assert [tokenizer.decode(tokenizer.encode(text)) for text in texts] == texts


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"unk_token": "</w>", "end_of_word_suffix": "</w>"}, "'</w>': is a part of the token '</w>'"),
        (
            {"unk_token": "aab", "end_of_word_suffix": "ab", "end_of_word": "glued"},
            "'ab': is a part of the token 'aab'",
        ),
        ({"byte_fallback": True, "end_of_word_suffix": "<0x41>"}, "is a part of the token '<0x41>'"),
        ({"byte_fallback": True, "end_of_word_suffix": "0x4"}, "is a part of the token '<0x40>'"),
        ({"unk_token": ""}, "CharacterAlphabet: BPE model: unk_token '' is no text"),
        ({"byte_fallback": 1}, "CharacterAlphabet: BPE model: byte_fallback is 1"),
    ],
)
def test_marks_that_cannot_be_are_refused_at_once(values: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        CharacterAlphabet(**values)


@pytest.mark.parametrize(
    ("special", "values", "message"),
    [
        ("</w>", {"end_of_word_suffix": "</w>"}, "is a part of the token '</w>'"),
        ("<a</w>", {"end_of_word_suffix": "</w>", "end_of_word": "glued"}, "is a part of the token '<a</w>'"),
        ("<0x41>", {"byte_fallback": True}, "special token '<0x41>': is the token for a byte"),
    ],
)
def test_special_tokens_that_decoding_would_change_are_refused(
    special: str, values: dict[str, Any], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        BpeOptions(400, [special], characters=CharacterAlphabet(**values))


def test_bytes_that_are_no_character_are_refused_where_they_would_be_dropped() -> None:
    counts = pretoken_counts({b"ab": 2, b"\xffab": 1})
    with pytest.raises(TrainingError, match=r"pretoken b'.xffab': is no UTF-8.* Add byte_fallback or an unk_token"):
        BpeOptions(400, pattern=None, characters=CharacterAlphabet()).start(counts)
    for alphabet in (CharacterAlphabet(byte_fallback=True), CharacterAlphabet(unk_token="?")):
        assert BpeOptions(400, pattern=None, characters=alphabet).start(counts).n_tokens >= 3


@pytest.mark.parametrize("value", ["character", 5, {}, True, CharacterAlphabet])
def test_what_is_no_alphabet_is_refused(value: Any) -> None:
    with pytest.raises(TrainingError, match=r"characters .*: is no CharacterAlphabet\. Pass one, or None"):
        train(["ab"], 300, characters=value)


def test_what_is_no_tokenizer_to_begin_with_is_refused() -> None:
    init: Any = "gpt2"
    with pytest.raises(TrainingError, match="init 'gpt2': is no TokenizerSpec"):
        BpeOptions(300, init=init)
