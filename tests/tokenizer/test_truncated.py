from typing import Final

import regex  # type: ignore[import-untyped]

from tokenloom import Tokenizer, train

TRAINED: Final = train(["the cat in the hat"], 262, ["<|end|>"], special_text="parse")


def test_truncated_tokenizer_keeps_options_and_provenance_with_a_note() -> None:
    small = TRAINED.truncated(260)
    note = {"fingerprint": TRAINED.spec.fingerprint, "n_ids": 262}
    assert small.provenance == {**TRAINED.provenance, "truncated_from": note}
    assert small.encode("<|end|>") == [259]
    assert len(small) == 260


def test_second_truncation_keeps_the_note_of_the_first() -> None:
    first = TRAINED.truncated(260)
    second = first.truncated(258)
    assert second.spec == TRAINED.truncated(258).spec
    assert second.provenance["truncated_from"] == {
        "fingerprint": first.spec.fingerprint,
        "n_ids": 260,
        "truncated_from": first.provenance["truncated_from"],
    }


def test_pattern_cuts_as_the_tokenizer_does() -> None:
    text = "Don't  stop\n\n at 42!\t "
    assert [piece.encode() for piece in regex.findall(TRAINED.pattern, text)] == TRAINED.pretokens(text)
    whole = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], pattern=None)
    assert [piece.encode() for piece in regex.findall(whole.pattern, text)] == whole.pretokens(text)
