"""When a list of merges and the ranks of tokens are the same tokenizer.

Let the rank of a token be its id, and let its *halves* be what lower ranks join its bytes to. If each token of two or
more bytes has exactly two halves, then ranks, and the list of these pairs in the order of ranks, give the same ids for
every text. The reason: merging never crosses the borders of the tokens that it ends with, and pairs are joined from the
left, so the bytes between two borders are joined as if they stood alone. Where the bytes of a token stand between two
borders and all lower ranks are used up, there are its two halves and no other pair, so both ways join the same. A token
that is a piece of its own is joined to itself likewise, so looking the piece up first changes nothing.

The merges of a training fulfil this, because a pair was counted in text that all earlier merges had been applied to.
"""

from array import array

from tokenloom.errors import FormatError, SpecError
from tokenloom.spec.packing import unpack_uint32

__all__ = ["halves"]


def halves(token_bytes: bytes, token_offsets: bytes, *, place: str) -> "tuple[array[int], list[int]]":
    """What the bytes of each token are joined to by the ranks below its own, lowest first and from the left.

    Returns: the two parts of each token of two or more bytes in the order of ids, as ids, up to the first token that
        has not two; and the parts of that one, none if all have two.
    Raises: FormatError naming `place` for a token with a byte that is no token.

    >>> from tokenloom.spec.packing import pack_arena
    >>> halves(*pack_arena([b"t", b"h", b"e", b"he", b"th", b"the"]), place="file")
    (array('I', [1, 2, 0, 1, 0, 3]), [])
    >>> halves(*pack_arena([b"a", b"b", b"c", b"d", b"bc", b"abcd"]), place="file")
    (array('I', [1, 2]), [0, 4, 3])
    """
    from tokenloom import _core  # formats can be listed without it

    try:
        pairs, others = _core.token_halves(token_bytes, token_offsets)
    except SpecError as error:
        raise FormatError(f"{place}: {error}") from error
    return unpack_uint32(pairs), others
