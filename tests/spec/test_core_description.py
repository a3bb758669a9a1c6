"""The core refuses by itself what it does not know: Python's own checks stand before it, but it is reached without."""

from typing import Any

import pytest

from tokenloom import _core
from tokenloom.errors import SpecError, SpecialTokenError, TokenloomError
from tokenloom.spec import AddedToken, BpeModel, Pretokenizer
from tokenloom.spec.config import render_config, render_pretokenizer
from tokenloom.spec.packing import pack_arena, pack_uint32

ARRAYS = (*pack_arena([bytes([byte]) for byte in range(256)]), b"", b"")
CONFIG = render_config(BpeModel("merges"), Pretokenizer("gpt2"), [AddedToken("<s>", 256)])


def build(config_json: str) -> _core.Pipeline:
    return _core.Pipeline(config_json, ARRAYS, special_text="refuse", surrogates="refuse", cache_bytes=0)


def test_description_as_rendered_is_understood() -> None:
    assert build(CONFIG).size == 257


@pytest.mark.parametrize(
    ("part", "other", "error", "message"),
    [
        ('"spec_version":1', '"spec_version":2', SpecError, "spec_version 2 is not 1"),
        ('"16.0"', '"15.0"', SpecError, 'asks for Unicode "15.0", and only "16.0" is built in'),
        ('"id":256}', '"id":256},{"content":"<t>","id":256}', SpecialTokenError, "shares its id with another"),
        ('"id":256}', '"id":256,"lstrip":false}', SpecError, 'added token "<s>" has a flag that is the default'),
        ('"id":256}', '"id":256,"special":true}', SpecError, 'added token "<s>" has a flag that is the default'),
        ('"id":256}', '"id":256,"trim":true}', SpecError, "unknown field `trim`"),
        ('"merges"', '"merges","ignore_merges":false', SpecError, "a flag is false"),
        ('"merges"', '"ranks","ignore_merges":true', SpecError, "are written without ignore_merges"),
        ('"merges"', '"merges","unit":"byte"', SpecError, "unknown variant `byte`"),
        ('"merges"', '"merges","unit":"character"', SpecError, "goes with no steps of a decoder"),
        ('"merges"', '"merges","fuse_unk":true', SpecError, 'go with unit "character"'),
        ('"merges"', '"ranks","unit":"character"', SpecError, 'goes with semantics "merges"'),
        ('"merges"', '"merges","unit":"character","fuse_unk":true', SpecError, "goes with an unk_token"),
        ('"merges"', '"merges","unit":"character","unk_token":""', SpecError, "a text is empty"),
        ('{"type":"bytes"}', '{"type":"sequence","steps":[]}', SpecError, "goes with no steps of a decoder"),
        ('{"type":"bytes"}', '{"type":"sequence","steps":[{"type":"ctc"}]}', SpecError, "unknown variant `ctc`"),
        ('"normalizer":null', '"normalizer":[]', SpecError, "normalizer has no steps"),
        ('"normalizer":null', '"normalizer":[{"type":"bart"}]', SpecError, "unknown variant `bart`"),
        ('"normalizer":null', '"normalizer":[{"type":"nfc","unicode":"9"}]', SpecError, 'asks for Unicode "9"'),
        ('"normalizer":null', '"normalizer":[{"type":"replace","by":""}]', SpecError, "has no text to look for"),
        ('"postprocessor":null', '"postprocessor":{"type":"bert"}', SpecError, "unknown variant `bert`"),
    ],
)
def test_description_that_the_core_does_not_know_is_refused(part: str, other: str, error: Any, message: str) -> None:
    assert part in CONFIG
    with pytest.raises(error, match=message):
        build(CONFIG.replace(part, other))


def test_core_refuses_what_does_not_fit_a_model_of_characters() -> None:
    model = CONFIG.replace('"merges"', '"merges","unit":"character"').replace('"gpt2","unicode":"16.0"', '"none"')

    def changed(model: str, steps: str, tokens: list[bytes], merges: bytes = b"") -> _core.Pipeline:
        config = model.replace('{"type":"bytes"}', f'{{"type":"sequence","steps":[{steps}]}}').replace("256", "0")
        arrays = (*pack_arena([b"", *tokens]), merges, b"")
        return _core.Pipeline(config, arrays, special_text="refuse", surrogates="refuse", cache_bytes=0)

    assert changed(model, "", [b"a"]).size == 2
    with pytest.raises(SpecError, match="hold a token that is no UTF-8"):
        changed(model, "", [b"\xff"])
    with pytest.raises(SpecError, match="unk_token '<unk>' is not in the vocabulary"):
        changed(model.replace('"unit"', '"unk_token":"<unk>","unit"'), "", [b"a"])
    with pytest.raises(SpecError, match=r"the pattern '\(' .* cannot be used"):
        changed(model, '{"type":"replace","pattern":"(","by":""}', [b"a"])
    with pytest.raises(SpecError, match="a replace step of the decoder has no text"):
        changed(model, '{"type":"replace","by":""}', [b"a"])
    prefixed = model.replace('"unit"', '"continuing_subword_prefix":"##","unit"')
    with pytest.raises(SpecError, match="merge 0: its right part, id 1, is shorter than continuing_subword_prefix"):
        changed(prefixed, "", [b"a"], pack_uint32([1, 1]))
    with pytest.raises(SpecError, match="merge 0 makes b'ab', which is not in"):
        changed(prefixed, "", [b"a", b"##b"], pack_uint32([1, 2]))
    marked = model.replace('"unit"', '"end_of_word_suffix":"</w>","end_of_word_symbol":true,"unit"')
    assert changed(marked, "", [b"a", b"</w>"]).size == 3
    with pytest.raises(SpecError, match="have no token for end_of_word_suffix, which is a symbol"):
        changed(marked, "", [b"a"])
    with pytest.raises(SpecError, match="end_of_word_symbol goes with an end_of_word_suffix"):
        changed(model.replace('"unit"', '"end_of_word_symbol":true,"unit"'), "", [b"a"])


def test_counting_refuses_classes_of_another_unicode_version() -> None:
    with pytest.raises(TokenloomError, match=r'asks for Unicode "15\.0"'):
        _core.PretokenCounter(render_pretokenizer(Pretokenizer("gpt2")).replace("16.0", "15.0"), [], n_threads=1)
