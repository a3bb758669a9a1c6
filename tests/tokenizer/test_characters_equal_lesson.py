"""The core's encoding over characters is its definition, `lessons.characters`, on both sides of 48 symbols."""

import json
from dataclasses import replace
from random import Random

import pytest

from tokenloom import Tokenizer
from tokenloom.formats.hf_json import parse_hf_json
from tokenloom.lessons.characters import Pair, Rules, decode, encode

LETTERS = "abcé▁"
OTHERS = "zß漢"


def random_vocabulary(random: Random, rules: Rules) -> tuple[list[str], list[Pair]]:
    forms = {(before, behind) for before in ("", rules.prefix) for behind in ("", rules.suffix)}
    tokens = {before + letter + behind for letter in LETTERS for before, behind in sorted(forms)}
    tokens = {token for token in sorted(tokens) if random.random() < 0.8} | {rules.unk_token or "a"}
    tokens |= {rules.suffix} if rules.suffix_is_symbol else set()
    if rules.byte_fallback:
        tokens |= {f"<0x{byte:02X}>" for byte in range(256) if random.random() < 0.9}
    known = sorted(token for token in tokens if "0x" not in token)
    merges: list[Pair] = []
    for _ in range(20):
        left, right = random.choice(known), random.choice(known)
        if right.startswith(rules.prefix) and (left, right) not in merges:
            merges.append((left, right))
            known.append(left + right.removeprefix(rules.prefix))
    return sorted(tokens.union(known)), merges


def tokenizer_of(tokens: list[str], merges: list[Pair], rules: Rules) -> Tokenizer:
    model = {
        "type": "BPE",
        "unk_token": rules.unk_token,
        "fuse_unk": rules.fuse_unk,
        "byte_fallback": rules.byte_fallback,
        "continuing_subword_prefix": rules.prefix,
        "end_of_word_suffix": rules.suffix,
        "vocab": {token: token_id for token_id, token in enumerate(tokens)},
        "merges": [list(pair) for pair in merges],
    }
    steps = [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ]
    file = {"added_tokens": [], "decoder": {"type": "Sequence", "decoders": steps}, "model": model}
    spec = parse_hf_json(json.dumps(file).encode(), place="tokenizer.json")[0]
    return Tokenizer.from_spec(replace(spec, model=replace(spec.bpe, end_of_word_symbol=rules.suffix_is_symbol)))


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("unk_token", [None, "<unk>"])
@pytest.mark.parametrize(
    ("prefix", "suffix", "is_symbol"),
    [("", "", False), ("##", "", False), ("", "</w>", False), ("##", "</w>", False), ("", "</w>", True)],
)
def test_core_encodes_and_decodes_as_the_lesson(
    byte_fallback: bool, unk_token: str | None, prefix: str, suffix: str, is_symbol: bool
) -> None:
    random = Random(repr((byte_fallback, unk_token, prefix, suffix, is_symbol)))
    for _ in range(8):
        fuses = unk_token is not None and random.random() < 0.5
        rules = Rules(byte_fallback, unk_token, fuses, prefix, suffix, is_symbol)
        tokens, merges = random_vocabulary(random, rules)
        tokenizer = tokenizer_of(tokens, merges, rules)
        for length in (1, 4, 12, 90):
            text = "".join(random.choice(LETTERS * 2 + OTHERS) for _ in range(length))
            expected = encode(text, tokens, merges, rules)
            ids = tokenizer.encode(text)
            assert [tokens[token_id] for token_id in ids] == expected, (text, merges, rules)
            assert tokenizer.decode(ids) == decode(expected)


def test_a_short_piece_may_become_hundreds_of_tokens_and_is_the_same_when_it_comes_again() -> None:
    """Each character without a token brings the bytes of its prefix along."""
    tokens, rules = [f"<0x{byte:02X}>" for byte in range(256)], Rules(True, None, False, "#" * 20, "")
    tokenizer, text = tokenizer_of(tokens, [], rules), "abcdefghijklmno"
    ids = [tokens.index(token) for token in encode(text, tokens, [], rules)]
    assert len(ids) == 15 + 14 * 20
    assert [tokenizer.encode(text) for _ in range(3)] == [ids] * 3
