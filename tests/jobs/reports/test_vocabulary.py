from tests.jobs.reports.runs import words
from tokenloom.jobs.reports.vocabulary import vocabulary_section
from tokenloom.tokenizer import Tokenizer

BYTES = {byte: bytes([byte]) for byte in range(256)}


def test_half_and_cross_class_tokens_are_counted_among_the_learned_ones() -> None:
    learned = {256: b"\xe4\xbd", 257: b" \xe4\xbd", 258: b"ab", 259: b"a."}
    text = words(vocabulary_section(Tokenizer(BYTES | learned, [])))
    assert "Half-character tokens | 2 | 50.0 % of these |" in text
    assert "Cross-class tokens | 1 | 25.0 % of these |" in text
    assert "All half-character tokens, with their ids | E4BD256 | ␣E4BD257 |" in text


def test_vocabulary_of_bytes_has_nothing_learned() -> None:
    assert "Tokens of more than one byte | 0 |" in words(vocabulary_section(Tokenizer(BYTES, [])))
