"""Growing a vocabulary: more merges for a tokenizer that is there, so that all its ids stay.

What a model has learned about a token hangs on its id, so an old vocabulary is not trained anew when it turns out too
small for a language: it gets more tokens behind the ones that it has. Adding words by hand goes wrong, since a token
that no merge makes is never reached. So training goes on: each word begins as what the old tokenizer makes of it.

The new merges come behind all old ones. Encoding does the lowest rank first, hence the old merges as ever and after
them the new ones, and if no new merge makes the bytes of an old token, nothing old can follow: an old merge has old
parts. Then encoding does what training did, and each new token is reached.

Where ranks decide (tiktoken's rule), what a pair makes counts, not which pair was learned. An old token may then have a
new one as a part, if it was not reached by merging before, but only as a whole word. It would now come between the new
merges, which training does not see. So the beginnings and the ends of such tokens are taken: no merge may make them.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from tokenloom.lessons.byte_pair import TieBreak, Training, choose_pair, count_pairs, merge_pair


def grow(
    words: Iterable[tuple[bytes, int]],
    n_merges: int,
    *,
    encode: Callable[[bytes], Sequence[bytes]],
    ids: Mapping[bytes, int],
    taken: Collection[bytes],
    tie_break: TieBreak = "lexicographic",
) -> Training:
    """Learn merges that stand behind those of a tokenizer.

    Args:
        words: (word, count), as for `train`.
        n_merges: how many at most.
        encode: the old tokenizer: the tokens of a word.
        ids: of its tokens; new tokens get those after the highest.
        taken: bytes that no merge may make, see `taken_bytes`.
        tie_break: as for `train`.

    >>> old = [b"l", b"o", b"w", b"lo", b"e"]
    >>> ids = {token: token_id for token_id, token in enumerate(old)}
    >>> segmented = {b"lowe": [b"lo", b"w", b"e"], b"low": [b"lo", b"w"]}
    >>> grow([(b"lowe", 2), (b"low", 1)], 2, encode=segmented.__getitem__, ids=ids, taken=old)
    Training(merges=[(b'lo', b'w'), (b'low', b'e')], counts=[3, 2], tokens_left=[5, 3])
    """
    return merge_symbols(
        [([encode(word)], count) for word, count in words], n_merges, ids=ids, taken=taken, tie_break=tie_break
    )


def merge_symbols(
    words: Iterable[tuple[Sequence[Sequence[bytes]], int]],
    n_merges: int,
    *,
    ids: Mapping[bytes, int],
    taken: Collection[bytes],
    tie_break: TieBreak,
) -> Training:
    """The merge loop for words that begin as any tokens, as stretches that no merge crosses, each with its count.

    >>> words = [([[b"c", b"a", b"t"], [b"s"]], 2)]
    >>> merge_symbols(words, 1, ids={}, taken=[], tie_break="lexicographic")
    Training(merges=[(b'c', b'a')], counts=[2], tokens_left=[6])
    """
    sequences = [(list(stretch), count) for stretches, count in words for stretch in stretches]
    ids, made = dict(ids), set(taken)
    training = Training([], [], [])
    while len(training.merges) < n_merges:
        counts = {pair: n for pair, n in count_pairs(sequences).items() if pair[0] + pair[1] not in made}
        if not counts:
            break
        pair = choose_pair(counts, tie_break=tie_break, ids=ids)
        sequences = [(merge_pair(tokens, pair), count) for tokens, count in sequences]
        made.add(pair[0] + pair[1])
        ids[pair[0] + pair[1]] = max(ids.values(), default=-1) + 1
        training.merges.append(pair)
        training.counts.append(counts[pair])
        training.tokens_left.append(sum(len(tokens) * count for tokens, count in sequences))
    return training


def taken_bytes(
    tokens: Iterable[bytes], *, merge: Callable[[bytes], Sequence[bytes]], takes_whole: bool = False
) -> set[bytes]:
    """What no new merge may make.

    Args:
        tokens: all old ones, also those that are not made by merging.
        merge: the old tokenizer without the rule that a word which is a token is that token.
        takes_whole: it has that rule.

    >>> apart = lambda word: [bytes([byte]) for byte in word]
    >>> sorted(taken_bytes([b"a", b"b", b"c", b"abc"], merge=apart, takes_whole=True))
    [b'a', b'ab', b'abc', b'b', b'bc', b'c']
    """
    taken = set(tokens)
    if takes_whole:
        for token in list(taken):
            if merge(token) != [token]:
                taken.update(part for at in range(1, len(token)) for part in (token[:at], token[at:]))
    return taken
