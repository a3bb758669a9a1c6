"""Maps of SentencePiece model files, made as the library makes them: a double array and the values.

The library's own writer packs the array tightly. Here each node gets a block of 256 places, which is large and simple;
readers cannot tell.
"""

from collections.abc import Mapping
from struct import pack
from typing import Any

__all__ = ["charsmap_of"]

_BLOCK = 256
_HAS_VALUE = 1 << 8
_IS_VALUE = 1 << 31


def charsmap_of(changes: Mapping[str, str]) -> bytes:
    """The map that makes these changes."""
    trie: dict[int, Any] = {}
    values, places = b"", {}
    for key, value in changes.items():
        places[key] = len(values)
        values += value.encode() + b"\0"
        node = trie
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[-1] = places[key]
    units = array_of(trie)
    return pack("<I", 4 * len(units)) + pack(f"<{len(units)}I", *units) + values


def array_of(trie: Mapping[int, Any]) -> list[int]:
    """The numbers of a double array. The children of a node stand in a block of their own."""
    units = [0] * _BLOCK
    waiting = [(0, trie)]
    while waiting:
        at, node = waiting.pop()
        children = len(units)
        units += [0] * _BLOCK
        offset = at ^ children
        # An offset has 21 bits, or 29 whose last eight are zeros.
        shown = offset << 10 if offset < 1 << 21 else (offset >> 8) << 10 | 1 << 9
        assert offset < 1 << 21 or offset % 256 == 0
        units[at] |= shown
        for byte, child in node.items():
            if byte < 0:
                units[at] |= _HAS_VALUE
                units[children] = _IS_VALUE | child
            else:
                units[children ^ byte] = byte
                waiting.append((children ^ byte, child))
    return units
