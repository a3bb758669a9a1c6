"""`Tokenizer.as_hf` beside `tokenizers.Tokenizer`, attribute by attribute, on published files and on small ones."""

import json
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken as TheirAddedToken
from tokenizers import Encoding as TheirEncoding
from tokenizers import Regex, decoders, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers.models import BPE

from tests.interop import published
from tests.strategies import hard_texts
from tokenloom import FormatWarning, SpecialTokenError, Tokenizer
from tokenloom.formats.hf_json import parse_hf_json
from tokenloom.tokenizer.hf_encoding import COLUMNS, HfEncoding
from tokenloom.tokenizer.hf_face import HfFace

pytestmark = pytest.mark.interop

Both = tuple[TheirTokenizer, HfFace]

MERGES: Final = [("t", "h"), ("th", "e"), ("a", "b")]
BYTES: Final = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "th", "the", "ab", "Ġthe", "ĠĠ"]
CHARACTERS: Final = ["<unk>", *map(chr, range(0x20, 0x7F)), "\u2581", "é", "th", "the", "ab", "\u2581the"]


def template(names: list[str]) -> processors.TemplateProcessing:
    single, pair = "<s>:2 $A:1 <e>:1", "<s>:0 $A:0 <e>:3 $B:1 <e>:1"
    special = [("<s>", names.index("t")), ("<e>", names.index("h"))]
    return processors.TemplateProcessing(single=single, pair=pair, special_tokens=special)


def byte_level(processor: Any, *, prefix: bool = False, normalizer: Any = None) -> TheirTokenizer:
    vocabulary = {token: number for number, token in enumerate(BYTES)}
    theirs = TheirTokenizer(BPE(vocabulary, [*MERGES, ("Ġ", "the"), ("Ġ", "Ġ")]))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    theirs.decoder = decoders.ByteLevel()
    if processor:
        theirs.post_processor = processor
    if normalizer:
        theirs.normalizer = normalizer
    theirs.add_special_tokens(["<|end|>", TheirAddedToken("<m>", lstrip=True, rstrip=True)])
    theirs.add_tokens(["cat", TheirAddedToken("<w>", single_word=True, normalized=True)])
    return theirs


def characters(pre_tokenizer: Any, normalizer: Any = None, processor: Any = None) -> TheirTokenizer:
    vocabulary = {token: number for number, token in enumerate(CHARACTERS)}
    theirs = TheirTokenizer(BPE(vocabulary, [*MERGES, ("\u2581", "the")], unk_token="<unk>", fuse_unk=True))
    theirs.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.Fuse()])
    for name, part in (("pre_tokenizer", pre_tokenizer), ("normalizer", normalizer), ("post_processor", processor)):
        if part:
            setattr(theirs, name, part)
    theirs.add_special_tokens(["<unk>", TheirAddedToken("<m>", lstrip=True)])
    return theirs


LLAMA: Final = normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")])
SMALL: Final[dict[str, Callable[[], TheirTokenizer]]] = {
    "no processor": lambda: byte_level(None),
    "trims": lambda: byte_level(processors.ByteLevel(trim_offsets=True, add_prefix_space=False)),
    "trims but the first": lambda: byte_level(processors.ByteLevel(trim_offsets=True), prefix=True),
    "trims nothing": lambda: byte_level(processors.ByteLevel(trim_offsets=False)),
    "template": lambda: byte_level(template(BYTES), normalizer=normalizers.Lowercase()),
    "both": lambda: byte_level(processors.Sequence([processors.ByteLevel(trim_offsets=True), template(BYTES)])),
    "like Llama": lambda: characters(None, LLAMA),
    "words": lambda: characters(pre_tokenizers.Whitespace(), normalizers.Lowercase(), template(CHARACTERS)),
    "metaspace": lambda: characters(pre_tokenizers.Metaspace("\u2581", "first"), None, template(CHARACTERS)),
    "expression": lambda: characters(pre_tokenizers.Split(Regex("[0-9 ]+"), "removed")),
}


@cache
def small(name: str) -> Both:
    theirs = SMALL[name]()
    spec, stored = parse_hf_json(theirs.to_str().encode(), place=name)
    return theirs, Tokenizer.from_spec(spec, provenance={"format": "hf_json"} | stored).as_hf()


@cache
def real(shared: Path, name: str) -> Both:
    path = shared / "vocabs" / name / "tokenizer.json"
    return TheirTokenizer.from_file(str(path)), Tokenizer.load(path).as_hf()


def columns(encoding: TheirEncoding | HfEncoding) -> dict[str, Any]:
    names = (*COLUMNS, "sequence_ids", "n_sequences")
    own = {name: getattr(encoding, name) for name in names} | {"length": len(encoding), "repr": repr(encoding)}
    return own | {"overflowing": [columns(part) for part in encoding.overflowing]}


def lookups(encoding: TheirEncoding | HfEncoding) -> list[Any]:
    found: list[Any] = []
    for at in range(len(encoding) + 2):
        found += [getattr(encoding, name)(at) for name in ("token_to_chars", "token_to_word", "token_to_sequence")]
        for sequence in (0, 1):
            for name in ("char_to_token", "char_to_word", "word_to_tokens", "word_to_chars"):
                found.append(getattr(encoding, name)(at, sequence))
    return found


def outcome(act: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a call gives, or that it fails: their errors are of class Exception, or panics."""
    try:
        value = act(*args, **named)
    except BaseException as error:
        return "TypeError" if isinstance(error, TypeError) else "failure"
    return columns(value) if isinstance(value, (TheirEncoding, HfEncoding)) else value


MARKS: Final = (
    "<|end|>",
    " <m> ",
    "<m>",
    "cat",
    " <w> ",
    "<s>",
    "<unk>",
    "the ",
    " the",
    "  ",
    "ab",
    "12",
    "\n",
    "é",
    "\u4f60",
    "THE",
)
plain: Final = st.lists(st.sampled_from(MARKS), max_size=8).map("".join)
lengths: Final = st.fixed_dictionaries(
    {"max_length": st.integers(0, 9), "stride": st.integers(0, 3)},
    optional={
        "strategy": st.sampled_from(["longest_first", "only_first", "only_second"]),
        "direction": st.sampled_from(["left", "right"]),
    },
)
fillings: Final = st.fixed_dictionaries(
    {},
    optional={
        "direction": st.sampled_from(["left", "right"]),
        "pad_id": st.integers(0, 5),
        "pad_type_id": st.integers(0, 2),
        "pad_token": st.sampled_from(["[PAD]", ""]),
        "length": st.none() | st.integers(0, 12),
        "pad_to_multiple_of": st.none() | st.integers(0, 5),
    },
)
each: Final = pytest.mark.parametrize("name", SMALL)
many: Final = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@each
def test_every_list_and_look_up_is_theirs(name: str) -> None:
    theirs, ours = small(name)

    @given(plain | hard_texts, st.none() | plain, st.booleans(), st.booleans())
    @many
    def check(text: str, pair: str | None, adds: bool, are_plain: bool) -> None:
        theirs.encode_special_tokens = ours.encode_special_tokens = are_plain
        expected = theirs.encode(text, pair, add_special_tokens=adds)
        encoding = ours.encode(text, pair, add_special_tokens=adds)
        assert columns(encoding) == columns(expected)
        assert lookups(encoding) == lookups(expected)

    check()


@each
def test_words_and_batches_are_theirs(name: str) -> None:
    theirs, ours = small(name)
    words = st.lists(st.sampled_from(["the", "a b", "", "cat", "<m>", "é", "12"]), max_size=4)

    @given(words, st.none() | words, st.lists(plain | st.tuples(plain, plain), max_size=4), st.booleans())
    @many
    def check(first: list[str], second: list[str] | None, batch: list[Any], adds: bool) -> None:
        split = {"is_pretokenized": True, "add_special_tokens": adds}
        assert columns(ours.encode(first, second, **split)) == columns(theirs.encode(first, second, **split))
        pairs = [first, (first, second or ["x"])]
        assert [columns(one) for one in ours.encode_batch(pairs, **split)] == [
            columns(one) for one in theirs.encode_batch(pairs, **split)
        ]
        for method in ("encode_batch", "encode_batch_fast"):
            expected = getattr(theirs, method)(batch, add_special_tokens=adds)
            assert list(map(columns, getattr(ours, method)(batch, add_special_tokens=adds))) == list(
                map(columns, expected)
            )

    check()


@pytest.mark.parametrize("name", ["both", "words", "no processor", "like Llama"])
def test_truncation_and_padding_are_theirs(name: str) -> None:
    theirs, ours = small(name)

    @given(
        st.lists(plain | st.tuples(plain, plain), min_size=1, max_size=3),
        st.none() | lengths,
        st.none() | fillings,
        st.booleans(),
    )
    @many
    def check(batch: list[Any], length: dict[str, Any] | None, filling: dict[str, Any] | None, adds: bool) -> None:
        for face in (theirs, ours):
            face.no_truncation()
            face.no_padding()
        if length is not None:
            assert outcome(lambda: ours.enable_truncation(**length)) == outcome(
                lambda: theirs.enable_truncation(**length)
            )
        if filling is not None:
            ours.enable_padding(**filling)
            theirs.enable_padding(**filling)
        assert (ours.truncation, ours.padding) == (theirs.truncation, theirs.padding)
        for key in ("truncation", "padding", "post_processor"):
            assert json.loads(ours.to_str())[key] == json.loads(theirs.to_str())[key]
        for item in batch:
            first, second = item if isinstance(item, tuple) else (item, None)
            expected = outcome(theirs.encode, first, second, add_special_tokens=adds)
            assert outcome(ours.encode, first, second, add_special_tokens=adds) == expected
        assert outcome(lambda: [columns(one) for one in ours.encode_batch(batch, add_special_tokens=adds)]) == outcome(
            lambda: [columns(one) for one in theirs.encode_batch(batch, add_special_tokens=adds)]
        )

    check()
    for face in (theirs, ours):
        face.no_truncation()
        face.no_padding()


@each
def test_tokens_and_texts_are_theirs(name: str) -> None:
    theirs, ours = small(name)
    size = theirs.get_vocab_size() + 3
    assert ours.get_vocab() == theirs.get_vocab()
    assert ours.get_vocab_size() == theirs.get_vocab_size()
    assert [ours.id_to_token(number) for number in range(size)] == [
        theirs.id_to_token(number) for number in range(size)
    ]
    for token in [*theirs.get_vocab(), "nope", "Ã", "Ġ ", " ", "\u2581\u2581", ""]:
        assert ours.token_to_id(token) == theirs.token_to_id(token), token
    for is_pair in (False, True):
        assert ours.num_special_tokens_to_add(is_pair) == theirs.num_special_tokens_to_add(is_pair)

    @given(st.lists(st.integers(0, size), max_size=8), st.booleans())
    def check(ids: list[int], skips: bool) -> None:
        assert ours.decode(ids, skip_special_tokens=skips) == theirs.decode(ids, skip_special_tokens=skips)
        assert ours.decode_batch([ids, []], skips) == theirs.decode_batch([ids, []], skips)

    check()


def test_a_changed_encoding_is_theirs() -> None:
    theirs, ours = small("words")

    @given(plain, st.integers(0, 6), st.integers(0, 3), st.sampled_from(["left", "right"]), st.booleans())
    @many
    def check(text: str, length: int, stride: int, direction: str, growing: bool) -> None:
        acts: list[Callable[[Any, None], Any]] = [
            lambda e, _: e.truncate(length, stride=stride, direction=direction),
            lambda e, _: e.pad(length + 3, direction=direction, pad_token="P", pad_id=3, pad_type_id=2),
            lambda e, _: e.set_sequence_id(1),
        ]
        for act in acts:
            expected, encoding = theirs.encode(text, text), ours.encode(text, text)
            assert outcome(act, encoding, None) == outcome(act, expected, None)
            assert columns(encoding) == columns(expected)
            merged = HfEncoding.merge([encoding, encoding], growing)
            assert columns(merged) == columns(TheirEncoding.merge([expected, expected], growing))
        bare, other = ours.encode(text, add_special_tokens=False), theirs.encode(text, add_special_tokens=False)
        assert columns(ours.post_process(bare, bare)) == columns(theirs.post_process(other, other))
        assert columns(ours.post_process(bare)) == columns(theirs.post_process(other))

    check()


WRONG: Final[tuple[Callable[[Any], Any], ...]] = (
    *(lambda face, text=text: face.encode(text) for text in (b"a", 5, None, ["a"], "a\ud83d")),
    *(lambda face, text=text: face.encode(text, is_pretokenized=True) for text in ("a", 5, [5], None)),
    *(lambda face, texts=texts: face.encode_batch(texts) for texts in ("ab", [5], 5)),
    *(lambda face, ids=ids: face.decode(ids) for ids in ("ab", 5, None)),
    lambda face: face.enable_padding(direction="up"),
    lambda face: face.enable_truncation(4, strategy="none"),
)


@pytest.mark.parametrize("act", WRONG)
def test_what_they_refuse_is_refused(act: Callable[[Any], Any]) -> None:
    theirs, ours = small("template")
    assert outcome(lambda: act(ours)) == outcome(lambda: act(theirs))


@pytest.mark.parametrize("name", [*published.HF, "minilm"])
def test_real_files_give_their_encodings(shared: Path, name: str) -> None:
    theirs, ours = real(shared, name)
    vocabulary = theirs.get_vocab()
    assert ours.get_vocab() == vocabulary
    assert ours.get_vocab_size() == len(vocabulary)
    contents = [token.content for token in theirs.get_added_tokens_decoder().values()][:40]
    assert {number: token.content for number, token in ours.get_added_tokens_decoder().items()} == {
        number: token.content for number, token in theirs.get_added_tokens_decoder().items()
    }
    shown = st.lists(st.sampled_from([*contents, "the cat ", "\u4f60\u597d", " 12345", "e", "\n\n  x"]), max_size=6)

    @given(shown.map("".join), st.none() | shown.map("".join), st.booleans())
    @settings(max_examples=60)
    def check(text: str, pair: str | None, adds: bool) -> None:
        expected = theirs.encode(text, pair, add_special_tokens=adds)
        assert columns(ours.encode(text, pair, add_special_tokens=adds)) == columns(expected)
        assert ours.decode(expected.ids) == theirs.decode(expected.ids)
        assert ours.decode(expected.ids, False) == theirs.decode(expected.ids, False)

    check()
    for corpus in published.CORPORA:
        documents = published.documents(shared, corpus)[:6]
        for expected, encoding in zip(theirs.encode_batch(documents), ours.encode_batch(documents), strict=True):
            same = {key: value for key, value in columns(expected).items() if key != "offsets" or name != "qwen3"}
            assert {key: columns(encoding)[key] for key in same} == same  # Qwen's NFC: see `tokenloom.Encoding`


def test_a_folder_that_was_saved_keeps_what_the_file_says(tmp_path: Path) -> None:
    theirs = SMALL["both"]()
    theirs.enable_truncation(7)
    spec, stored = parse_hf_json(theirs.to_str().encode(), place="x")
    theirs.no_truncation()
    tokenizer = Tokenizer.from_spec(spec, provenance={"format": "hf_json"} | stored)
    with pytest.warns(FormatWarning, match="a rank file cannot hold the flags"):
        tokenizer.save(tmp_path / "saved")
    loaded = Tokenizer.load(tmp_path / "saved").as_hf()
    written = json.loads((tmp_path / "saved" / "tokenizer.json").read_text())
    assert written["post_processor"] == json.loads(theirs.to_str())["post_processor"]
    assert loaded.truncation == {"max_length": 7, "stride": 0, "strategy": "longest_first", "direction": "right"}
    loaded.no_truncation()
    assert columns(loaded.encode("the  ab <m> the", "cat")) == columns(theirs.encode("the  ab <m> the", "cat"))


def test_a_face_is_pickled_with_its_settings_and_saved_as_a_file(tmp_path: Path) -> None:
    _, ours = small("template")
    ours.enable_padding(length=9)
    copied = pickle.loads(pickle.dumps(ours))
    assert columns(copied.encode("the cat")) == columns(ours.encode("the cat"))
    ours.save(str(tmp_path / "tokenizer.json"))
    ours.no_padding()
    assert columns(TheirTokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("the")) == columns(
        copied.encode("the")
    )
    assert json.loads(ours.to_str())["padding"] is None
    assert "\n" not in ours.to_str()


def test_what_would_change_a_tokenizer_is_refused_with_what_to_do() -> None:
    _, ours = small("template")
    assert ours.add_special_tokens(["<|end|>"]) == ours.add_tokens(["cat", "<|end|>"]) == 0
    with pytest.raises(SpecialTokenError, match=r"'<new>': is not in the tokenizer\. A tokenizer never changes"):
        ours.add_special_tokens(["<new>"])
    with pytest.raises(SpecialTokenError, match="'cat'"):
        ours.add_special_tokens([TheirAddedToken("cat")])
    for name, remedy in (("train", "tokenloom.train"), ("from_file", "Tokenizer.load"), ("model", "Tokenizer.spec")):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'. Use {remedy}"):
            getattr(ours, name)
    assert not hasattr(ours, "nothing")
