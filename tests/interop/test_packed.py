"""Published tokenizers in packed form: the same tokenizers, on text of all corpora."""

from pathlib import Path

import pytest

from tests.interop.published import CORPORA, NAMES, documents, ours
from tests.interop.sentencepiece_model import tokenizer_json
from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.formats import write_packed

pytestmark = pytest.mark.interop


def _loaded(shared: Path, name: str, tmp_path: Path) -> Tokenizer:
    if name != "mistral_v1":
        known = ours(shared, name)
        return Tokenizer.from_spec(known.spec, special_text="plain", provenance=known.provenance)
    (tmp_path / "tokenizer.json").write_text(tokenizer_json(shared / "vocabs" / name / "tokenizer.model"))
    return Tokenizer.load(tmp_path / "tokenizer.json", special_text="plain")


@pytest.mark.parametrize("name", [*NAMES, "mistral_v1"])
def test_packed_tokenizers_give_the_same_ids(name: str, shared: Path, tmp_path: Path) -> None:
    first = _loaded(shared, name, tmp_path)
    write_packed(first.spec, tmp_path / "packed", provenance=first.provenance)
    again = Tokenizer.load(tmp_path / "packed", special_text="plain")
    assert (again.spec, dict(again.provenance)) == (first.spec, dict(first.provenance))
    texts = ["".join(documents(shared, corpus)[:5]) for corpus in CORPORA]
    for text in (*texts, *HARD_PARTS):
        ids = first.encode(text)
        assert again.encode(text) == ids
        assert again.decode(ids) == first.decode(ids)


def test_tokens_that_do_not_encode_to_themselves_are_not_answered_for(shared: Path, tmp_path: Path) -> None:
    """Llama 3 has tokens of which the bytes are cut into several pretokens."""
    first = _loaded(shared, "llama3_1", tmp_path)
    write_packed(first.spec, tmp_path / "packed")
    again = Tokenizer.load(tmp_path / "packed", special_text="plain")
    special = set(first.special_tokens.values())
    others = 0
    for token_id, token in first.vocabulary.items():
        if token_id not in special:
            ids = first.encode(token)
            others += ids != [token_id]
            assert again.encode(token) == ids
    assert others > 50
