import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tokenloom.errors import FormatError
from tokenloom.formats.tekken import parse_tekken, read_tekken
from tokenloom.spec import AddedToken, BpeModel, Pretokenizer, TokenizerSpec

TOKENS = [*(bytes([byte]) for byte in range(256)), b"ab", b"\xff\n", b"unused"]
Change = Callable[[dict[str, Any]], object]


def document(change: Change = lambda top: None) -> bytes:
    """A small file: 23 special tokens, 258 of 259 listed tokens."""
    entries = [
        {"rank": rank, "token_bytes": b64encode(token).decode(), "token_str": None} for rank, token in enumerate(TOKENS)
    ]
    config = {
        "pattern": r"[\s\S]+",
        "num_vocab_tokens": len(TOKENS),
        "default_vocab_size": 281,
        "default_num_special_tokens": 23,
        "version": "v3",
    }
    top: dict[str, Any] = {"config": config, "vocab": entries}
    change(top)
    return json.dumps(top).encode()


def read(change: Change = lambda top: None) -> TokenizerSpec:
    return parse_tekken(document(change), place="x.json")


def entry(at: int, **changes: Any) -> Change:
    return lambda top: top["vocab"][at].update(changes)


def config(**changes: Any) -> Change:
    return lambda top: top["config"].update(changes)


def test_ids_are_ranks_behind_the_special_tokens_by_hand() -> None:
    spec = read()
    assert (spec.model, spec.pretokenizer) == (BpeModel("ranks"), Pretokenizer("none"))
    assert {i: token for i, token in spec.vocabulary().items() if i in (0, 2, 19, 20, 23, 120, 279, 280)} == {
        0: b"<unk>",
        2: b"</s>",
        19: b"[TOOL_CONTENT]",
        20: b"<SPECIAL_20>",
        23: b"\x00",
        120: b"a",
        279: b"ab",
        280: b"\xff\n",
    }
    assert len(spec.vocabulary()) == 281


def test_special_tokens_may_be_listed_in_any_order() -> None:
    listed = [{"rank": 2, "token_str": "[X]", "is_control": True}, {"rank": 0, "token_str": "<q>", "is_control": True}]
    spec = read(lambda top: top.update(special_tokens=listed))
    assert spec.added_tokens[:3] == (AddedToken("<q>", 0), AddedToken("<SPECIAL_1>", 1), AddedToken("[X]", 2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda top: top.pop("vocab"), r"x\.json, top level: lacks the key 'vocab'"),
        (lambda top: top.update(surprise=1), "top level: has the key 'surprise'"),
        (config(pattern=1), r"x\.json, config\.pattern: is 1, no string"),
        (
            config(default_vocab_size=10**9),
            r"x\.json, config: 1000000000 ids with 23 special ones among them cannot be",
        ),
        (config(default_num_special_tokens=282), "config: 281 ids with 282 special ones"),
        (
            config(default_vocab_size=283),
            r"config\.default_vocab_size: asks for 260 tokens, and vocab lists 259\. Restore",
        ),
        (entry(3, rank=4), r"x\.json, vocab\[3\]\.rank: is 4, and entry 3 must have rank 3"),
        (entry(1, rank=True), r"vocab\[1\]\.rank: is True, no whole number"),
        (entry(3, rank=3.0), r"vocab\[3\]\.rank: is 3\.0, no whole number"),
        (config(version="v99"), r"config\.version: is 'v99', and v3, .* and v15 are read here\. Upgrade"),
        (config(version=3), r"config\.version: is 3, no string"),
        (config(num_vocab_tokens="many"), r"config\.num_vocab_tokens: is 'many', no whole number"),
        (
            config(default_num_special_tokens=4_000_000, default_vocab_size=4_000_258),
            r"default_num_special_tokens: 4,000,000 special tokens are more than any file has\. Use at most 65,536",
        ),
        (entry(3, token_bytes="AB="), r"vocab\[3\]\.token_bytes: 'AB=' is not base64"),
        (entry(3, token_bytes="YWJ="), r"'YWJ=' is not what base64 makes of any token"),
        (entry(3, token_bytes=""), r"'' is not what base64 makes"),
        (entry(3, token_bytes="é"), r"'é' is not base64"),
        (entry(3, token_bytes=None), r"vocab\[3\]\.token_bytes: is None, no string"),
        (entry(256, token_bytes="YQ=="), r"vocab\[256\]\.token_bytes: token b'a' is already vocab\[97\]"),
        (config(default_vocab_size=278), r"x\.json, vocab: has no token for byte b'\\xff'\. Restore the file"),
        (entry(97, token_bytes="YWE="), r"x\.json, vocab: has no token for byte b'a'\. Restore the file"),
        (entry(3, surprise=1), r"vocab\[3\]: has the key 'surprise'"),
        (lambda top: top["vocab"].insert(0, []), r"vocab\[0\]: is \[\], no object"),
        (
            lambda top: top.update(special_tokens=[{"rank": 23, "token_str": "<q>", "is_control": True}]),
            r"special_tokens\[0\]: '<q>' has rank 23, and ranks below 23",
        ),
        (
            lambda top: top.update(
                special_tokens=[{"rank": i, "token_str": "<q>", "is_control": True} for i in (0, 1)]
            ),
            "special token '<q>': it is listed twice",
        ),
    ],
)
def test_faults_are_named_by_place(change: Change, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(change)


def test_a_file_cut_anywhere_is_refused() -> None:
    data = document()
    for length in range(0, len(data), 97):
        with pytest.raises(FormatError, match=r"^x\.json"):
            parse_tekken(data[:length], place="x.json")


def test_published_file_has_130072_tokens_behind_1000(shared: Path) -> None:
    """FM-17."""
    spec = read_tekken(shared / "vocabs" / "tekken" / "tekken.json")
    assert spec.pretokenizer == Pretokenizer("tekken")
    assert (len(spec.added_tokens), len(spec.vocabulary()), len(spec.token_offsets) // 4 - 1) == (
        1000,
        131_072,
        131_072,
    )
    assert {token.content: token.id for token in spec.added_tokens[:4]} == {
        "<unk>": 0,
        "<s>": 1,
        "</s>": 2,
        "[INST]": 3,
    }
