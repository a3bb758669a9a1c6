"""`add_special_tokens` puts the ids of the template around each text, in every way to encode."""

from dataclasses import replace

import pytest

from tokenloom import SpecError, Tokenizer
from tokenloom.spec import AddedToken, Template, build_spec, truncated_spec

BYTES = {byte: bytes([byte]) for byte in range(256)}
SPEC = build_spec(BYTES | {256: b"th"}, [(b"t", b"h")], ["<s>", "</s>"])
TEMPLATE = Template((257, 257, "A", 258), (257, "A", 258, "B"))
FRAMED = Tokenizer.from_spec(replace(SPEC, postprocessor=TEMPLATE))
TEXTS = ["", "the", "", "a"]
EXPECTED = [[257, 257, 258], [257, 257, 256, 101, 258], [257, 257, 258], [257, 257, 97, 258]]


def test_template_stands_around_the_ids() -> None:
    assert [FRAMED.encode(text, add_special_tokens=True) for text in TEXTS] == EXPECTED
    assert [FRAMED.encode(text, add_special_tokens=True, allowed_special="all") for text in TEXTS] == EXPECTED


def test_every_way_to_encode_agrees() -> None:
    arrays = [FRAMED.encode_array(text, add_special_tokens=True) for text in TEXTS]
    assert [array.tolist() for array in arrays] == EXPECTED
    assert {array.dtype.str[1:] for array in arrays} == {"u4"}
    assert [ids.tolist() for ids in FRAMED.encode_batch(TEXTS, add_special_tokens=True)] == EXPECTED
    assert [FRAMED.count(text, add_special_tokens=True) for text in TEXTS] == list(map(len, EXPECTED))


def test_without_the_argument_nothing_is_added() -> None:
    assert FRAMED.encode("the") == [256, 101]
    assert [ids.tolist() for ids in FRAMED.encode_batch(TEXTS)] == [[], [256, 101], [], [97]]


def test_a_tokenizer_without_a_template_adds_nothing() -> None:
    plain = Tokenizer.from_spec(SPEC)
    assert plain.encode("the", add_special_tokens=True) == [256, 101]
    assert [ids.tolist() for ids in plain.encode_batch(TEXTS, add_special_tokens=True)] == [[], [256, 101], [], [97]]


def test_an_empty_batch_stays_empty() -> None:
    assert len(FRAMED.encode_batch([], add_special_tokens=True)) == 0


@pytest.mark.parametrize("token_id", [259, 2**24 - 1])
def test_template_with_an_id_without_token_is_refused(token_id: int) -> None:
    with pytest.raises(SpecError, match=f"id {token_id} has no token. Name ids"):
        replace(SPEC, postprocessor=Template((token_id, "A"), ("A", "B")))


def test_template_follows_ids_that_are_renumbered() -> None:
    assert truncated_spec(FRAMED.spec, 258).postprocessor == Template((256, 256, "A", 257), (256, "A", 257, "B"))


def test_template_is_part_of_the_fingerprint() -> None:
    assert FRAMED.spec.fingerprint != SPEC.fingerprint


@pytest.mark.parametrize("items", [(), ("A", "A"), ("B",), ("A", -1), ("A", True), ("A", "C")])
def test_template_that_makes_no_sense_is_refused(items: tuple[int | str, ...]) -> None:
    with pytest.raises(SpecError, match="postprocessor, single: "):
        Template(items, ("A", "B"))  # type: ignore[arg-type]


def test_added_tokens_show_only_what_is_not_usual() -> None:
    assert repr(AddedToken("a", 1, special=False)) == "AddedToken(content='a', id=1, special=False)"
