from dataclasses import replace
from pathlib import Path

import pytest

from tests.characters import character_tokenizer
from tokenloom.errors import FormatError
from tokenloom.formats import FORMATS
from tokenloom.formats.lost_parts import PARTS, refuse_lost
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    ByteLevelStep,
    DigitsStep,
    Normalizer,
    Pretokenizer,
    Template,
    TokenizerSpec,
    UnicodeForm,
    build_spec,
)

PLAIN = build_spec({byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}, [(b"a", b"b")], ["<s>"])
FLAGGED = AddedToken("<b>", 257, lstrip=True)
SPECS: dict[str, TokenizerSpec] = {
    "characters": character_tokenizer().spec,
    "ranks": replace(PLAIN, model=BpeModel("ranks"), merges=b""),
    "ignore_merges": replace(PLAIN, model=BpeModel("merges", ignore_merges=True)),
    "normalizer": replace(PLAIN, normalizer=Normalizer((UnicodeForm("nfc"),))),
    "other pretokenizers": replace(PLAIN, pretokenizer=Pretokenizer("o200k")),
    "sequence": replace(PLAIN, pretokenizer=Pretokenizer("sequence", steps=(DigitsStep(), ByteLevelStep()))),
    "custom pattern": replace(PLAIN, pretokenizer=Pretokenizer("custom", regex=r" ?\p{L}+|\p{N}")),
    "flags": replace(PLAIN, added_tokens=(FLAGGED,)),
    "postprocessor": replace(PLAIN, postprocessor=Template((257, "A"), (257, "A", "B"))),
}


def test_every_part_has_an_example_that_a_plain_tokenizer_lacks() -> None:
    assert SPECS.keys() == PARTS.keys()
    for part, words in PARTS.items():
        assert words(SPECS[part]) is not None
        assert words(PLAIN) is None


@pytest.mark.filterwarnings("ignore::tokenloom.errors.FormatWarning")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", FORMATS)
def test_a_format_refuses_what_it_lacks_and_keeps_the_rest(name: str, part: str, tmp_path: Path) -> None:
    """A file never comes back without a part that the tokenizer had, unless the format says that it lacks it."""
    file_format, spec = FORMATS[name], SPECS[part]
    if any(PARTS[lost](spec) for lost in file_format.lacks):
        with pytest.raises(FormatError, match="cannot hold"):
            file_format.save(spec, tmp_path)
        assert not list(tmp_path.iterdir())
        return
    file_format.save(spec, tmp_path)
    again = file_format.load(tmp_path)
    assert (again.normalizer, again.postprocessor) == (spec.normalizer, spec.postprocessor)
    assert again.bpe.ignore_merges or not spec.bpe.ignore_merges or again.bpe.semantics == "ranks"
    assert [token for token in again.added_tokens if token.flags()] == [
        token for token in spec.added_tokens if token.flags()
    ]
    if name != "tiktoken":  # which is told the pattern
        assert again.pretokenizer == spec.pretokenizer


def test_all_that_is_lost_is_named_at_once() -> None:
    spec = replace(SPECS["flags"], normalizer=SPECS["normalizer"].normalizer)
    message = r"x\.json: that format cannot hold a normalizer and the flags \['lstrip'\] of special token '<b>'\. Use"
    with pytest.raises(FormatError, match=message):
        refuse_lost(spec, lacks=("normalizer", "flags"), place="x.json", holder="that format")
