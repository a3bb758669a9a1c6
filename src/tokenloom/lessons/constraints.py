"""Training with wishes: tokens that must be there, and merges that must not be made.

The commonest pair is a good choice, not always the wanted one. A pair that occurs twice is noise, a token of sixty
bytes is a quotation, and half a Chinese character joined with a comma is no unit of any language. So some pairs are
left out before the choice, and the rest of the algorithm is that of `byte_pair`. Or it is known beforehand that a word
shall be one token: then its merges are made first.

Source: `min_frequency` and `max_token_length` of huggingface/tokenizers; for characters the course's remark that
byte-level merges begin and end inside of them.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tokenloom.lessons.byte_pair import (
    Alphabet,
    Pair,
    TieBreak,
    Training,
    byte_order,
    choose_pair,
    count_pairs,
    encode_by_replay,
    merge_pair,
)


def train(
    words: Mapping[bytes, int],
    n_merges: int,
    *,
    must_have: Iterable[bytes] = (),
    min_pair_count: int = 1,
    max_token_bytes: int | None = None,
    whole_characters: bool = False,
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
) -> Training:
    """Learn merges from words and their counts, as `byte_pair.train` does.

    Args:
        words: how often each occurs.
        n_merges: how many at most, those of `must_have` included.
        must_have: words that shall be one token each; their merges come first, whether their pairs occur or not.
        min_pair_count: training stops when no pair occurs so often.
        max_token_bytes: no pair is chosen that makes a longer token; None is no limit.
        whole_characters: no pair is chosen that joins a character with a part of another.
        tie_break: which of the pairs with the highest count is merged, see `choose_pair`.
        alphabet: the order of the 256 single bytes.

    >>> train({b"low": 5, b"lower": 2}, 9, min_pair_count=3).merges
    [(b'o', b'w'), (b'l', b'ow')]
    >>> train({b"low": 5, b"lower": 2}, 9, max_token_bytes=2).merges
    [(b'o', b'w'), (b'e', b'r')]
    >>> train({b"low": 5, b"lower": 2}, 3, must_have=[b"lot"])
    Training(merges=[(b'l', b'o'), (b'lo', b't'), (b'lo', b'w')], counts=[7, 0, 7], tokens_left=[18, 18, 11])
    """
    sequences = [([bytes([byte]) for byte in word], count) for word, count in words.items()]
    ids = {bytes([byte]): token_id for token_id, byte in enumerate(byte_order(alphabet))}
    given = must_have_merges(must_have, whole_characters=whole_characters)
    training = Training([], [], [])
    while len(training.merges) < n_merges:
        counts = count_pairs(sequences)
        if len(training.merges) < len(given):
            pair = given[len(training.merges)]
        else:
            allowed = {
                pair: count
                for pair, count in counts.items()
                if count >= min_pair_count
                and is_allowed(pair[0] + pair[1], max_token_bytes=max_token_bytes, whole_characters=whole_characters)
            }
            if not allowed:
                break
            pair = choose_pair(allowed, tie_break=tie_break, ids=ids)
        sequences = [(merge_pair(tokens, pair), count) for tokens, count in sequences]
        ids[pair[0] + pair[1]] = len(ids)
        training.merges.append(pair)
        training.counts.append(counts.get(pair, 0))
        training.tokens_left.append(sum(len(tokens) * count for tokens, count in sequences))
    return training


def is_allowed(token: bytes, *, max_token_bytes: int | None, whole_characters: bool) -> bool:
    """Whether a pair may be merged that makes this token.

    >>> is_allowed(b"lower", max_token_bytes=4, whole_characters=False)
    False
    """
    if max_token_bytes is not None and len(token) > max_token_bytes:
        return False
    return not whole_characters or keeps_characters_whole(token)


def keeps_characters_whole(token: bytes) -> bool:
    r"""Whether a token is nothing but whole characters, or lies in one: a character is built before it is joined.

    `中` is e4 b8 ad. Its token may grow out of `e4 b8` or out of `b8 ad`, and may then be joined with others. What
    joins `e4 b8` with the character before, or `ad` with the one behind, would be half a character in every text.

    >>> [keeps_characters_whole(token) for token in (b"\xe4\xb8", b"\xb8\xad", "中".encode(), "中文".encode())]
    [True, True, True, True]
    >>> [keeps_characters_whole(token) for token in (b"a\xe4\xb8", b"\xada", b"\xad\xe6")]
    [False, False, False]

    Bytes that no character has there count as characters of their own. At the start of a token that cannot be told:
    the bytes 80 to bf go on a character, which may have begun before. A character has up to three of them.

    >>> [keeps_characters_whole(token) for token in (b"a\xff", b"\xe4a", b"\x80\x80\x80", b"\x80\x80\x80\x80")]
    [True, True, True, False]
    """
    if 0x80 <= token[0] < 0xC0:
        return len(token) < 4 and all(0x80 <= byte < 0xC0 for byte in token)
    return begins_a_character(token) or not any(begins_a_character(token[-n_bytes:]) for n_bytes in (1, 2, 3))


def begins_a_character(data: bytes) -> bool:
    r"""Whether these bytes are the first of a character, but not all: whether some others make them one.

    >>> [begins_a_character(data) for data in (b"\xe4\xb8", b"\xe4\xb8\xad", b"\xb8", b"\xed\xa0", b"a")]
    [True, False, False, False, False]
    """
    return any(is_character(data + fill * n_bytes) for fill in (b"\x80", b"\xbf") for n_bytes in (1, 2, 3))


def is_character(data: bytes) -> bool:
    r"""Whether these bytes are one character.

    >>> is_character("中".encode()), is_character(b"\xed\xa0\x80"), is_character(b"ab")
    (True, False, False)
    """
    try:
        return len(data.decode("utf-8")) == 1
    except UnicodeDecodeError:
        return False


def must_have_merges(tokens: Iterable[bytes], *, whole_characters: bool = False) -> list[Pair]:
    r"""The merges that make tokens, one after the other.

    Each token begins as what the merges so far make of it, and grows from the left: its first two parts are joined,
    until there is one; with `whole_characters` the first two that may be joined. Every merge that is made is the last
    of the list, so no token made before is taken apart.

    >>> must_have_merges([b"low", b"lower", b"slow"])
    [(b'l', b'o'), (b'lo', b'w'), (b'low', b'e'), (b'lowe', b'r'), (b's', b'low')]
    >>> must_have_merges(["né".encode()], whole_characters=True)
    [(b'\xc3', b'\xa9'), (b'n', b'\xc3\xa9')]
    """
    merges: list[Pair] = []
    for token in tokens:
        while len(parts := encode_by_replay(merges, token)) > 1:
            merges.append(_first_pair(parts, whole_characters))
    return merges


def _first_pair(parts: Sequence[bytes], whole_characters: bool) -> Pair:
    return next(pair for pair in pairwise(parts) if not whole_characters or keeps_characters_whole(b"".join(pair)))
