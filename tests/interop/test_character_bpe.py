"""Models over characters against `tokenizers`: small random vocabularies with all rules, and Mistral v1.

A vocabulary lacks some characters and some byte tokens, and its merges join whatever there is, byte tokens and the
unknown token too. Texts are short and long, since pieces of up to 48 symbols take another way through the core.
"""

import json
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from tokenizers import Tokenizer as TheirTokenizer

from tests.interop.published import CORPORA, documents, fuzzed
from tests.interop.sentencepiece_model import tokenizer_json
from tokenloom import Tokenizer
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json

ALPHABET: Final = "abé▁漢😀\n</w>#"
OTHERS: Final = "zß語\N{COMBINING ACUTE ACCENT}"
FLAGS: Final = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
RULES: Final = tuple(
    product((False, True), (None, "<unk>", "a"), (False, True), (None, "##"), (None, "</w>"), (False, True))
)


def random_model(random: Random, rules: tuple[Any, ...]) -> dict[str, Any]:
    byte_fallback, unk, fuse_unk, prefix, suffix, ignore_merges = rules
    tokens = {unk} if unk else set()
    for character in ALPHABET:
        for before, behind in product(("", prefix or ""), ("", suffix or "")):
            if random.random() < 0.7:
                tokens.add(before + character + behind)
    if byte_fallback:
        share = random.choice((0.5, 0.9, 1.0))
        tokens |= {f"<0x{byte:02X}>" for byte in range(256) if random.random() < share}
    listed = sorted(tokens)
    common = [token for token in listed if "0x" not in token] or listed
    n_prefix = len(prefix or "")
    merges: dict[tuple[str, str], None] = {}
    for _ in range(random.randint(0, 25)):
        left = random.choice(listed if random.random() < 0.1 else common)
        right = random.choice(listed if random.random() < 0.1 else common)
        if prefix and not right.startswith(prefix):
            continue
        common.append(left + right[n_prefix:])
        merges[left, right] = None
    vocab = list(dict.fromkeys([*listed, *common]))
    random.shuffle(vocab)
    return {
        "type": "BPE",
        "dropout": random.choice((None, 0.0)),
        "unk_token": unk,
        "continuing_subword_prefix": prefix,
        "end_of_word_suffix": suffix,
        "fuse_unk": fuse_unk,
        "byte_fallback": byte_fallback,
        "ignore_merges": ignore_merges,
        "vocab": {token: token_id for token_id, token in enumerate(vocab)},
        "merges": [list(pair) for pair in merges],
    }


def random_decoder(random: Random) -> dict[str, Any] | None:
    steps: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "Replace", "pattern": {"Regex": random.choice(("a+", "b?", "é(?=a)", "[^a]b"))}, "content": "-"},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": random.choice(" a▁"), "start": random.randint(0, 2), "stop": 0},
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        {"type": "BPEDecoder", "suffix": "</w>"},
        {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": random.choice(("always", "first", "never")),
            "split": True,
        },
    ]
    chosen = random.sample(steps, random.randint(0, 4))
    if random.random() < 0.2:
        return random.choice((None, steps[2]))
    return {"type": "Sequence", "decoders": chosen}


def document(model: dict[str, Any], decoder: dict[str, Any] | None, contents: list[str]) -> str:
    vocab, next_id = model["vocab"], len(model["vocab"])
    added = []
    for content in contents:
        token_id = vocab.get(content, next_id)
        next_id += content not in vocab
        added.append({"id": token_id, "content": content, **FLAGS})
    added.sort(key=lambda token: token["id"])
    return json.dumps({"version": "1.0", "added_tokens": added, "decoder": decoder, "model": model})


def random_texts(random: Random) -> Iterator[str]:
    for length in (1, 2, 3, 5, 8, 13, 40, 200):
        letters = ALPHABET * random.choice((1, 3)) + OTHERS
        yield "".join(random.choice(letters) for _ in range(length))
    yield "".join(random.choice(OTHERS) for _ in range(60))
    yield random.choice(ALPHABET) * 60


def ours_of(text: str) -> Tokenizer:
    spec, _ = parse_hf_json(text.encode(), place="tokenizer.json")
    return Tokenizer.from_spec(spec, special_text="parse")


@pytest.mark.parametrize("rules", RULES)
def test_ids_and_texts_of_random_vocabularies_are_theirs(rules: tuple[Any, ...]) -> None:
    random = Random(repr(rules))
    for _ in range(4):
        model = random_model(random, rules)
        specials = random.sample(["<unk>", "</s>", "ab"], random.randint(0, 2))
        text = document(model, random_decoder(random), specials)
        theirs, ours = TheirTokenizer.from_str(text), ours_of(text)
        for sample in random_texts(random):
            ids = theirs.encode(sample, add_special_tokens=False).ids
            assert ours.encode(sample) == ids, (sample, text)
            assert ours.count(sample) == len(ids)
            assert list(ours.encode_iterable([sample[:3], sample[3:7], sample[7:]])) == ids
            assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), (ids, text)
        some = [random.choice(list(model["vocab"].values())) for _ in range(30)]
        assert ours.decode(some) == theirs.decode(some, skip_special_tokens=False), (some, text)


@pytest.mark.parametrize("rules", [rules for rules in RULES if rules[3] is None and rules[4] is None])
def test_spans_of_random_vocabularies_are_theirs(rules: tuple[Any, ...]) -> None:
    """Behind a dropped character, and where byte tokens come before a waiting unknown one, theirs are those of another
    text; ours stay where the token is.
    """
    random, n_equal = Random(repr(rules)), 0
    for _ in range(8):
        model = random_model(random, rules)
        text = document(model, None, [])
        theirs, ours = TheirTokenizer.from_str(text), ours_of(text)
        n_bytes = sum(f"<0x{byte:02X}>" in model["vocab"] for byte in range(256))
        for sample in random_texts(random):
            spans = [tuple(span) for span in ours.encode_with_offsets(sample).char_offsets.tolist()]
            assert all(0 <= start <= end <= len(sample) for start, end in spans)
            is_whole = all(theirs.encode(character, add_special_tokens=False).ids for character in sample)
            if is_whole and n_bytes in (0, 256):
                assert spans == theirs.encode(sample, add_special_tokens=False).offsets, (sample, text)
                n_equal += 1
    assert n_equal or rules[1] is None


@pytest.mark.parametrize("rules", RULES[::3])
def test_saving_and_loading_keeps_bytes_and_ids(rules: tuple[Any, ...]) -> None:
    random = Random(repr(rules))
    spec = ours_of(document(random_model(random, rules), random_decoder(random), ["<unk>", "</s>"])).spec
    written = render_hf_json(spec)
    again, _ = parse_hf_json(written, place="tokenizer.json")
    assert again == spec
    assert render_hf_json(again) == written
    theirs, ours = TheirTokenizer.from_str(written.decode()), Tokenizer.from_spec(spec, special_text="parse")
    for sample in random_texts(random):
        assert ours.encode(sample) == theirs.encode(sample, add_special_tokens=False).ids


@pytest.fixture(scope="module")
def mistral(shared: Path) -> str:
    return tokenizer_json(shared / "vocabs" / "mistral_v1" / "tokenizer.model")


@pytest.fixture(scope="module")
def theirs(mistral: str) -> TheirTokenizer:
    return TheirTokenizer.from_str(mistral)


@pytest.fixture(scope="module")
def ours(mistral: str) -> Tokenizer:
    return ours_of(mistral)


def test_mistral_is_written_as_it_was_read(mistral: str, ours: Tokenizer) -> None:
    assert render_hf_json(ours.spec) == mistral.encode()


@pytest.mark.parametrize(
    ("text", "ids", "decoded"),
    [
        ("x</s> y", [1318, 2, 28705, 337], None),  # SP-11
        ("<s>G", [1, 420], None),
        ("   x", [2287, 1318], "   x"),  # DE-09
        (" x", [28705, 1318], " x"),
        ("x", [1318], "x"),
        ("", [], ""),
    ],
)
def test_known_values_of_mistral(ours: Tokenizer, text: str, ids: list[int], decoded: str | None) -> None:
    assert ours.encode(text) == ids
    assert decoded is None or ours.decode(ids) == decoded


def test_special_token_of_mistral_is_plain_text_where_that_is_asked_for(ours: Tokenizer) -> None:
    """SP-11: so SentencePiece itself reads it."""
    plain = ours.encode("a<s>b", allowed_special=(), disallowed_special=())
    assert plain == [264, 28789, 28713, 28767, 28726]


def test_the_sign_for_a_blank_does_not_come_back(ours: Tokenizer) -> None:
    """UN-14."""
    assert ours.decode(ours.encode("a\u2581b")) == "a b"


def test_a_long_text_without_pretokens_is_fast(ours: Tokenizer) -> None:
    """PF-03."""
    start = time.process_time()
    assert len(ours.encode("the cat sat. " * 100_000)) == 400_001
    assert time.process_time() - start < 5


@pytest.mark.parametrize("corpus", CORPORA)
def test_ids_and_text_of_two_megabytes_are_those_of_mistral(
    shared: Path, ours: Tokenizer, theirs: TheirTokenizer, corpus: str
) -> None:
    texts = documents(shared, corpus)
    expected = [encoding.ids for encoding in theirs.encode_batch_fast(texts, add_special_tokens=False)]
    batch = ours.encode_batch(texts)
    assert [ids.tolist() for ids in batch] == expected
    whole = "".join(texts)
    ids = ours.encode(whole)
    assert ours.decode(ids) == whole.replace("▁", " ")
    assert ours.count(whole) == len(ids)


def test_fuzzed_texts_are_those_of_mistral(ours: Tokenizer, theirs: TheirTokenizer) -> None:
    for text in fuzzed(4, n=3000):
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text) == ids, text
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), text


def test_random_ids_decode_as_those_of_mistral(ours: Tokenizer, theirs: TheirTokenizer) -> None:
    """Byte tokens side by side are seldom UTF-8."""
    random = Random(5)
    for _ in range(2000):
        ids = [random.randrange(random.choice((300, 32_000))) for _ in range(random.randint(0, 12))]
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False), ids


def test_invalid_bytes_become_their_byte_tokens(ours: Tokenizer) -> None:
    ids = ours.encode(b"a\xff\xe2\x82b")
    assert ids == [*ours.encode("a"), 0xFF + 3, 0xE2 + 3, 0x82 + 3, ours.id_of(b"b")]
    assert ours.decode(ids) == "a\ufffd\ufffd\ufffdb"


def test_tokens_are_those_of_the_vocabulary(ours: Tokenizer) -> None:
    assert ours.token_bytes(1318) == "▁x".encode()
    assert ours.vocabulary[13] == b"<0x0A>"
