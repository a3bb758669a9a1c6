"""The normalizer `Precompiled` of `tokenizers`, which applies SentencePiece's map by clusters of characters."""

import json
from base64 import b64encode
from random import Random
from typing import Any, Final

import pytest
from tokenizers import normalizers

from tests.hostile import hostile_texts
from tests.interop.sentencepiece_training import trained
from tokenloom import Tokenizer
from tokenloom.errors import FormatError
from tokenloom.formats.hf_json import parse_hf_json, render_hf_json
from tokenloom.formats.sentencepiece_proto import read_model_file

pytestmark = pytest.mark.interop

RANGES: Final = (
    *((0x20, 0x7F), (0x300, 0x36F), (0x900, 0xDFF), (0x1100, 0x11FF), (0x200B, 0x200F), (0x1F1E6, 0x1F1FF)),
    *((0x1F300, 0x1F9FF), (0xFF00, 0xFFEF), (0xA, 0xD), (0xAC00, 0xAD00), (0x3300, 0x33FF), (0x2460, 0x24FF)),
)


def document_of(charsmap: str) -> dict[str, Any]:
    """A tokenizer that shows the bytes of what the normalizer gives."""
    model = {"type": "BPE", "byte_fallback": True, "merges": [], "vocab": {f"<0x{n:02X}>": n for n in range(256)}}
    decoder = {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]}
    normalizer = {"type": "Precompiled", "precompiled_charsmap": charsmap}
    return {"added_tokens": [], "normalizer": normalizer, "model": model, "decoder": decoder}


def read(document: dict[str, Any]) -> Tokenizer:
    return Tokenizer.from_spec(parse_hf_json(json.dumps(document).encode(), place="tokenizer.json")[0])


@pytest.mark.parametrize("normalization", ["nfkc", "nmt_nfkc", "nmt_nfkc_cf"])
def test_texts_become_those_of_the_library(normalization: str) -> None:
    charsmap = read_model_file(trained(model_type="char", normalization_rule_name=normalization), place="x").charsmap
    theirs, ours = normalizers.Precompiled(charsmap), read(document_of(b64encode(charsmap).decode()))
    random = Random(normalization)
    drawn = (
        "".join(chr(random.randint(*random.choice(RANGES))) for _ in range(random.randint(1, 8))) for _ in range(4_000)
    )
    single = (chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000)
    for text in (*hostile_texts(4, 2_000), *drawn, *(f"e{one}\u0301" for one in single if random.random() < 0.2)):
        assert bytes(ours.encode(text)).decode() == theirs.normalize_str(text), text


def test_the_step_is_written_as_it_was_read() -> None:
    charsmap = read_model_file(trained(model_type="char", normalization_rule_name="nfkc"), place="x").charsmap
    document = document_of(b64encode(charsmap).decode())
    assert json.loads(render_hf_json(read(document).spec))["normalizer"] == document["normalizer"]
    assert read(document_of("")).spec.normalizer is None


@pytest.mark.parametrize("charsmap", ["?", "AAAA", b64encode(b"\x04\0\0\0\0\0\0\0ab").decode()])
def test_what_is_no_map_is_refused(charsmap: str) -> None:
    with pytest.raises(FormatError, match=r"tokenizer\.json, normalizer: normalizer.*charsmap"):
        read(document_of(charsmap))
