import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenloom.storage.canonical import canonical_json, parse_canonical

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(JSON)
def test_every_value_comes_back(value: object) -> None:
    assert parse_canonical(canonical_json(value)) == value


@pytest.mark.parametrize(
    "data", [b"", b'{"a": 1}', b'{"b":1,"a":2}', b'{"a":1,"a":1}', b"NaN", '"é"'.encode(), b"[" * 100_000, b"1" * 5000]
)
def test_other_spellings_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse_canonical(data)
