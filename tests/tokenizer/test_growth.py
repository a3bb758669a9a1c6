"""Steps that each make a text longer, so that all together make more of it than any machine holds."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest

from tests.characters import character_tokenizer
from tokenloom import DecodeError, DecodeStream, EncodeError, SpecialTokenError, Tokenizer
from tokenloom.spec import (
    AddedToken,
    ByteLevelStep,
    DecodeEndOfWord,
    DecodeFuse,
    DecodeJoin,
    Decoder,
    DecodeReplace,
    DecoderStep,
    MetaspaceStep,
    Normalizer,
    NormalizerStep,
    Prepend,
    Pretokenizer,
    PretokenizerStep,
    PunctuationStep,
    Replace,
    SplitStep,
    build_spec,
)

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
LETTERS: Final = [chr(97 + n % 25) for n in range(31)]
TENFOLD: Final = tuple(Replace(letter, by=by * 10) for letter, by in pairwise(LETTERS))
"""Thirty steps, each of which writes ten characters for one: 10**30 for an "a"."""


def normalizing(*steps: NormalizerStep) -> Tokenizer:
    return Tokenizer.from_spec(build_spec(BYTES, [], normalizer=Normalizer(steps), pretokenizer=Pretokenizer("none")))


def cutting(*steps: PretokenizerStep) -> Tokenizer:
    return Tokenizer.from_spec(build_spec(BYTES, [], pretokenizer=Pretokenizer("sequence", steps=steps)))


def decoding(*steps: DecoderStep) -> Tokenizer:
    return Tokenizer.from_spec(replace(character_tokenizer().spec, decoder=Decoder(steps)))


MARKED: Final[tuple[PretokenizerStep, ...]] = (MetaspaceStep(), SplitStep(pattern=".", behavior="isolated"))

ACTS: Final[list[Callable[[Tokenizer, str], object]]] = [
    Tokenizer.encode,
    Tokenizer.encode_array,
    Tokenizer.encode_with_offsets,
    Tokenizer.count,
    Tokenizer.pretokens,
    lambda tokenizer, text: list(tokenizer.encode_iterable([text])),
]


@pytest.mark.parametrize("act", ACTS)
def test_a_normalizer_that_multiplies_a_text_is_stopped_at_the_step_that_goes_too_far(act: Callable[..., Any]) -> None:
    with pytest.raises(
        EncodeError, match=r"^step 4 of 30 of the normalizer \(replace\) makes more than .*Take the step"
    ):
        act(normalizing(*TENFOLD), "a")


def test_the_document_of_many_and_the_file_are_named(tmp_path: Path) -> None:
    tokenizer = normalizing(*TENFOLD)
    with pytest.raises(EncodeError, match=r"^document 1: step 4 of 30"):
        tokenizer.encode_batch(["z", "a"])
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(EncodeError, match=r"a\.txt': step 4 of 30"):
        tokenizer.encode_file(tmp_path / "a.txt")


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([Replace("a", by="x" * 10**6)], r"step 1 of 1 of the normalizer \(replace\)"),
        ([Replace(pattern="a", by="x" * 10**6)], r"step 1 of 1 of the normalizer \(replace\)"),
        ([Replace(pattern="(?=a|x)", by="x" * 50)] * 9, r"step 2 of 9 of the normalizer \(replace\)"),
        ([Prepend("x" * 8000)], r"step 1 of 1 of the normalizer \(prepend\)"),
        ([Prepend("x" * 3000)] * 30, r"step 3 of 30 of the normalizer \(prepend\)"),
    ],
)
def test_one_step_that_writes_too_much_is_named(steps: list[NormalizerStep], said: str) -> None:
    with pytest.raises(EncodeError, match=said):
        normalizing(*steps).encode("a" * 50)


def test_stretches_between_added_tokens_share_what_a_text_may_become() -> None:
    """Each by itself may become four kilobytes, and a text has as many stretches as bytes."""
    added = AddedToken("<m>", 256, special=False)
    spec = build_spec(BYTES, [], added_tokens=[added], normalizer=Normalizer((Prepend("x" * 3000),)))
    tokenizer = Tokenizer.from_spec(spec)
    assert tokenizer.count("a<m>") == 3002
    with pytest.raises(EncodeError, match=r"step 1 of 1 of the normalizer \(prepend\) makes more than"):
        tokenizer.count("a<m>" * 1000)


def test_an_added_token_that_grows_too_long_is_refused_when_the_tokenizer_is_made() -> None:
    added = AddedToken("a", 256, normalized=True)
    spec = build_spec({**BYTES}, [], added_tokens=[replace(added, id=97)], normalizer=Normalizer(TENFOLD))
    with pytest.raises(SpecialTokenError, match=r"special token 'a' cannot be normalized. Mend the normalizer"):
        Tokenizer.from_spec(spec)


def test_normalizers_that_write_much_but_not_too_much_do_so() -> None:
    assert normalizing(Replace("a", by="x" * 64)).count("a" * 1000) == 64_000
    assert normalizing(*TENFOLD[:3]).count("a") == 1000
    assert normalizing(*TENFOLD[:2], Replace("c" * 10, by="e")).encode("aa") == [ord("e")] * 20


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([ByteLevelStep(use_regex=False)] * 40, r"step 6 of 40 of the pretokenizer \(byte_level\)"),
        (
            [*MARKED, *MARKED] * 20,
            r"step \d+ of 80 of the pretokenizer \(metaspace\)",
        ),
    ],
)
def test_a_chain_that_multiplies_a_text_is_stopped(steps: list[PretokenizerStep], said: str) -> None:
    for act in ACTS:
        with pytest.raises(EncodeError, match=said):
            act(cutting(*steps), "\u00e9 a" * 50)


def test_chains_that_write_bytes_as_characters_twice_are_no_fault() -> None:
    steps: list[PretokenizerStep] = [ByteLevelStep(use_regex=False), PunctuationStep("isolated"), ByteLevelStep()]
    assert cutting(*steps).decode(cutting(*steps).encode("\u00e9" * 5000)) != ""


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            [DecodeReplace(left, by=right * 10) for left, right in pairwise(LETTERS)],
            r"step 2 of 30 of the decoder \(replace\)",
        ),
        ([DecodeReplace("a", by="x" * 10**7)], r"step 1 of 1 of the decoder \(replace\)"),
        ([DecodeReplace(pattern="a", by="x" * 10**7)], r"step 1 of 1 of the decoder \(replace\)"),
        ([DecodeJoin("x" * 10**6)], r"step 1 of 1 of the decoder \(join\)"),
        ([DecodeReplace("a", by="b" * 99), DecodeEndOfWord("c"), DecodeFuse()] * 3, r"step 1 of 9 of the decoder"),
    ],
)
def test_a_decoder_that_multiplies_a_text_is_stopped(steps: list[DecoderStep], said: str) -> None:
    tokenizer = decoding(*steps)
    ids = [tokenizer.id_of(b"a")] * 2000
    with pytest.raises(DecodeError, match=said + r".* makes more than .* Take the step out of the tokenizer"):
        tokenizer.decode(ids)
    with pytest.raises(DecodeError, match=r"of the decoder"):
        _streamed(tokenizer, ids)


def _streamed(tokenizer: Tokenizer, ids: list[int]) -> str:
    stream = DecodeStream(tokenizer)
    return stream.push(ids) + stream.finish()


def test_decoders_that_write_much_but_not_too_much_do_so() -> None:
    tokenizer = decoding(DecodeReplace("a", by="x" * 60), DecodeJoin("--"))
    assert len(tokenizer.decode([tokenizer.id_of(b"a")] * 1000)) == 60_000 + 2 * 999


def test_a_file_of_another_library_with_such_a_normalizer_loads_and_is_stopped_at_a_text(tmp_path: Path) -> None:
    from tokenloom.formats import write_hf_json

    write_hf_json(build_spec(BYTES, []), tmp_path / "tokenizer.json")
    document = json.loads((tmp_path / "tokenizer.json").read_text())
    steps = [{"type": "Replace", "pattern": {"String": step.text}, "content": step.by} for step in TENFOLD]
    document["normalizer"] = {"type": "Sequence", "normalizers": steps}
    (tmp_path / "tokenizer.json").write_text(json.dumps(document))
    tokenizer = Tokenizer.load(tmp_path / "tokenizer.json")
    assert tokenizer.count("zzz") == 3
    with pytest.raises(EncodeError, match="step 4 of 30 of the normalizer"):
        tokenizer.encode("a")
