"""When a list of merges and the ranks of tokens are the same tokenizer.

Let the rank of a token be its id, and let its *halves* be what lower ranks join its bytes to. If each token of two or
more bytes has exactly two halves, then ranks, and the list of these pairs in the order of ranks, give the same ids for
every text. The reason: merging never crosses the borders of the tokens that it ends with, and pairs are joined from the
left, so the bytes between two borders are joined as if they stood alone. Where the bytes of a token stand between two
borders and all lower ranks are used up, there are its two halves and no other pair, so both ways join the same. A token
that is a piece of its own is joined to itself likewise, so looking the piece up first changes nothing.

The merges of a training fulfil this, because a pair was counted in text that all earlier merges had been applied to.
"""

from collections.abc import Mapping
from itertools import pairwise

__all__ = ["halves"]


def halves(token: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:
    """What the bytes of a token are joined to by the ranks below its own, lowest first and from the left.

    >>> ranks = {b"t": 0, b"h": 1, b"e": 2, b"he": 3, b"th": 4, b"the": 5}
    >>> halves(b"the", ranks), halves(b"he", ranks)
    ([b't', b'he'], [b'h', b'e'])
    """
    limit = ranks[token]
    parts = [token[at : at + 1] for at in range(len(token))]
    joined = [ranks.get(left + right, limit) for left, right in pairwise(parts)]
    while joined and (lowest := min(joined)) < limit:
        at = joined.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
        del joined[at]
        for place in range(max(at - 1, 0), min(at + 1, len(joined))):
            joined[place] = ranks.get(parts[place] + parts[place + 1], limit)
    return parts
