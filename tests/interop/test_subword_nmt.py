"""Lines are cut as subword-nmt cuts them: with codes that it learned, with random ones, and with a vocabulary."""

import io
from contextlib import redirect_stderr
from random import Random
from typing import Any

import pytest

from tests.subword_codes import cut_line, random_codes, random_line, random_vocabulary
from tokenloom import Tokenizer
from tokenloom.formats.subword_nmt import parse_subword_nmt, parse_subword_vocabulary
from tokenloom.tokenizer import SubwordUnits

apply_bpe: Any = pytest.importorskip("subword_nmt.apply_bpe", reason="subword-nmt is not installed")
learn_bpe: Any = pytest.importorskip("subword_nmt.learn_bpe")

pytestmark = pytest.mark.interop


def learned_codes(random: Random, letters: str) -> str:
    words = ["".join(random.choices(letters, k=random.randint(2, 9))) for _ in range(20)]
    text, codes = " ".join(random.choices(words, k=200)), io.StringIO()
    with redirect_stderr(io.StringIO()):
        learn_bpe.learn_bpe(io.StringIO(text), codes, 25)
    return codes.getvalue()


@pytest.mark.parametrize("kind", ["learned", "0.1", "0.2"])
@pytest.mark.parametrize("has_vocabulary", [False, True])
def test_lines_are_cut_alike(kind: str, has_vocabulary: bool) -> None:
    random = Random(repr((kind, has_vocabulary)))
    for _ in range(40):
        letters = random.choice(["ab", "abcde", "abé漢", "a</w>b"])
        is_learned = kind == "learned"
        codes = learned_codes(random, letters) if is_learned else random_codes(random, letters, is_glued=kind == "0.2")
        vocabulary = random_vocabulary(random, letters, codes) if has_vocabulary else None
        lines = "".join(f"{unit} {count}\n" for unit, count in (vocabulary or {}).items())
        known = apply_bpe.read_vocabulary(io.StringIO(lines), 4) if vocabulary else None
        ours = parse_subword_vocabulary(lines.encode(), place="vocab", threshold=4) if vocabulary else None
        assert ours == known
        theirs = apply_bpe.BPE(io.StringIO(codes), vocab=known)
        spec, _ = parse_subword_nmt(codes.encode(), place="codes")
        units = SubwordUnits(Tokenizer.from_spec(spec), vocabulary=ours)
        for _ in range(6):
            line = random_line(random, letters)
            expected = theirs.process_line(line)
            assert units.segment(line) == expected, (codes, vocabulary, line)
            if known or not has_vocabulary:
                assert cut_line(codes, line, vocabulary, threshold=4) == expected, "the second implementation"
