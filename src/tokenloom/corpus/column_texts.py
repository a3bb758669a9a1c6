"""The texts of an Arrow array, cut out of its buffers: one copy of the bytes a batch, and no Python string.

Works on arrays of pyarrow without importing it. A text array is three buffers: which rows are null, where each text
ends, and all texts behind each other.
"""

from itertools import pairwise
from typing import Any, Final

__all__ = ["TEXT_TYPES", "column_texts", "is_text_type"]

TEXT_TYPES: Final = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
"""What pyarrow calls the types that hold a text; a dictionary of one of them does too."""


def is_text_type(type_: Any) -> bool:
    """Whether the values of a type of pyarrow are texts."""
    return str(_value_type(type_)) in TEXT_TYPES


def column_texts(array: Any) -> list[bytes | None]:
    """The text of each row, None where it is null. Raises: ValueError or IndexError if the buffers are too short."""
    kind = str(array.type)
    if _is_dictionary(array.type):
        values = column_texts(array.dictionary)
        return [None if index is None else values[index] for index in array.indices.to_pylist()]
    if kind.endswith("_view"):
        return column_texts(array.cast(f"large_{kind.removesuffix('_view')}"))
    if len(array) == 0:
        return []
    _, ends, data = array.buffers()
    n_bytes = 8 if kind.startswith("large_") else 4
    window = memoryview(ends)[array.offset * n_bytes : (array.offset + len(array) + 1) * n_bytes]
    places = (window.cast("q") if n_bytes == 8 else window.cast("i")).tolist()
    whole = b"" if data is None else data.slice(places[0], places[-1] - places[0]).to_pybytes()
    first = places[0]
    texts = [whole[start - first : end - first] for start, end in pairwise(places)]
    if not array.null_count:
        return list(texts)
    return [text if is_valid else None for text, is_valid in zip(texts, array.is_valid().to_pylist(), strict=True)]


def _is_dictionary(type_: Any) -> bool:
    return str(type_).startswith("dictionary<")


def _value_type(type_: Any) -> Any:
    return type_.value_type if _is_dictionary(type_) else type_
