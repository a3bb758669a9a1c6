import dataclasses
import hashlib
from typing import Any

import pytest

from tokenloom.errors import SpecError, SpecialTokenError
from tokenloom.spec import AddedToken, BpeModel, Pretokenizer, TokenizerSpec
from tokenloom.spec.packing import pack_arena, pack_uint32

ARENA, OFFSETS = pack_arena([b"a", b"b", b"ab", b""])


def small_spec(**changes: Any) -> TokenizerSpec:
    """Tokens a, b, ab and the special token <s>."""
    values: dict[str, Any] = {
        "model": BpeModel("merges"),
        "pretokenizer": Pretokenizer("none"),
        "added_tokens": (AddedToken("<s>", 3),),
        "token_bytes": ARENA,
        "token_offsets": OFFSETS,
        "merges": pack_uint32([0, 1]),
    }
    return TokenizerSpec(**(values | changes))


def test_views_give_dict_and_pairs() -> None:
    assert small_spec().vocabulary() == {0: b"a", 1: b"b", 2: b"ab", 3: b"<s>"}
    assert small_spec().merge_list() == [(b"a", b"b")]


def test_holes_are_no_part_of_the_vocabulary() -> None:
    arena, offsets = pack_arena([b"a", b"", b"b"])
    spec = small_spec(token_bytes=arena, token_offsets=offsets, added_tokens=(), merges=b"")
    assert spec.vocabulary() == {0: b"a", 2: b"b"}


def test_spec_comes_back_from_its_json_and_arrays() -> None:
    spec = small_spec()
    again = TokenizerSpec.from_config(
        spec.config_json(),
        token_bytes=spec.token_bytes,
        token_offsets=spec.token_offsets,
        merges=spec.merges,
    )
    assert again == spec
    assert hash(again) == hash(spec)


def test_fingerprint_is_the_documented_hash() -> None:
    spec = small_spec()
    expected = hashlib.sha256()
    for name, data in [
        (b"config", spec.config_json().encode()),
        (b"token_bytes", ARENA),
        (b"token_offsets", OFFSETS),
        (b"merges", b"\0\0\0\0\1\0\0\0"),
    ]:
        expected.update(name + len(data).to_bytes(8, "little") + data)
    assert spec.fingerprint == expected.hexdigest()


def test_fingerprint_changes_with_every_part() -> None:
    variants = [
        small_spec(),
        small_spec(model=BpeModel("ranks"), merges=b""),
        small_spec(pretokenizer=Pretokenizer("gpt2")),
        small_spec(added_tokens=(AddedToken("<t>", 3),)),
        small_spec(token_bytes=b"acac"),
        small_spec(token_offsets=pack_uint32([0, 2, 3, 4, 4])),
        small_spec(merges=b""),
    ]
    assert len({spec.fingerprint for spec in variants}) == len(variants)


def test_spec_is_frozen_and_its_repr_is_short() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        small_spec().merges = b""  # type: ignore[misc]
    assert "token_bytes" not in repr(small_spec())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"token_offsets": b""}, "0 bytes are not one or more uint32"),
        ({"token_offsets": b"\0" * 5}, "5 bytes are not"),
        ({"token_offsets": pack_uint32([0, 2, 1, 4, 4])}, "fall after id 1"),
        ({"token_offsets": pack_uint32([1, 1, 2, 4, 4])}, "run from 1 to 4, but token_bytes from 0 to 4"),
        ({"token_bytes": b"abab!"}, "run from 0 to 4, but token_bytes from 0 to 5"),
        ({"token_offsets": b"\0" * 4 * (2**24 + 2)}, "16,777,217 ids are more than"),
        ({"merges": b"\0" * 12}, "12 bytes are not pairs"),
        ({"merges": pack_uint32([0, 1, 2, 4])}, "rank 1: id 4 is outside the 4 ids"),
        ({"model": BpeModel("ranks")}, "semantics 'ranks' takes none"),
        ({"added_tokens": (AddedToken("<s>", 4),)}, "'<s>': its id 4 is outside"),
        ({"added_tokens": (AddedToken("<s>", 2),)}, "id 2: it belongs to special token '<s>' and to token b'ab'"),
        ({"added_tokens": (AddedToken("<s>", 3), AddedToken("b", 1))}, "not sorted by id"),
        ({"added_tokens": ()}, "highest id 3 has no token"),
    ],
)
def test_parts_that_contradict_each_other_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        small_spec(**changes)


@pytest.mark.parametrize(
    ("specials", "message"),
    [
        ((AddedToken("<s>", 3), AddedToken("<s>", 4)), "'<s>': it is listed twice"),
        ((AddedToken("<s>", 3), AddedToken("<t>", 3)), "'<t>': another one has its id 3"),
    ],
)
def test_double_special_tokens_are_refused(specials: tuple[AddedToken, ...], message: str) -> None:
    with pytest.raises(SpecialTokenError, match=message):
        small_spec(added_tokens=specials)
