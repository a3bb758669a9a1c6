"""Byte-pair encoding by its definition: join the commonest adjacent pair, again and again.

This page is what the fast core is tested against, so it prefers the obvious to the fast: after each merge every pair
is counted again from scratch. A token is its bytes; ids appear only where a rule or a user needs them.

Source: Gage 1994, "A New Algorithm for Data Compression"; Sennrich et al. 2016, "Neural Machine Translation of Rare
Words with Subword Units"; Radford et al. 2019, section 2.2, for starting from bytes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import AnyStr, Literal, NamedTuple

from tokenloom.lessons.special_tokens import SpecialText, read_special_text, split_at_special_tokens

Pair = tuple[bytes, bytes]
TieBreak = Literal["lexicographic", "lowest-id", "first-seen"]
Alphabet = Literal["bytes", "gpt2"]


class Training(NamedTuple):
    """What a training learned, one entry a merge: the pair, its count when chosen, the tokens left after it."""

    merges: list[Pair]
    counts: list[int]
    tokens_left: list[int]


def train(
    words: Mapping[bytes, int] | Iterable[tuple[bytes, int]],
    n_merges: int,
    *,
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
    verbose: bool = False,
) -> Training:
    """Learn merges from words and their counts.

    Merging never joins two words. No two merges of a training make the same bytes: inside given borders the
    segmentation follows from the bytes alone, so once (x, y) is merged, `x + y` with a border on both sides is one
    token wherever it stands, and no other pair is left that could make it.

    Args:
        words: (word, count), count at least 1; their order decides ties under "first-seen" and nothing else.
        n_merges: how many at most; training stops early when no pair is left. A pair that occurs once is merged too.
        tie_break: which of the pairs with the highest count is merged, see `choose_pair`.
        alphabet: the order of the 256 single bytes, which decides ties under "lowest-id" and nothing else.
        verbose: print every step.
    Raises: ValueError for a negative n_merges, a count below 1, an unknown alphabet, an unknown tie_break (when used).

    >>> train([(b"the cat in the hat", 1)], 3)
    Training(merges=[(b't', b'h'), (b'th', b'e'), (b'the', b' ')], counts=[2, 2, 2], tokens_left=[16, 14, 12])
    """
    if n_merges < 0:
        raise ValueError(f"n_merges is {n_merges}. Pass 0 or more.")
    sequences = []
    for word, count in words.items() if isinstance(words, Mapping) else words:
        if count < 1:
            raise ValueError(f"word {word!r} has the count {count}. Leave it out, or count it at least once.")
        sequences.append((_single_bytes(word), count))
    ids = {bytes([byte]): token_id for token_id, byte in enumerate(byte_order(alphabet))}
    training = Training([], [], [])
    while len(training.merges) < n_merges:
        counts = count_pairs(sequences)
        if not counts:
            break
        pair = choose_pair(counts, tie_break=tie_break, ids=ids)
        sequences = [(merge_pair(tokens, pair), count) for tokens, count in sequences]
        ids[pair[0] + pair[1]] = len(ids)
        training.merges.append(pair)
        training.counts.append(counts[pair])
        training.tokens_left.append(sum(len(tokens) * count for tokens, count in sequences))
        if verbose:
            _print_step(training, counts, sequences)
    return training


def train_text(
    text: AnyStr,
    n_merges: int,
    *,
    split: Callable[[AnyStr], Iterable[AnyStr]] | None = None,
    special_tokens: Iterable[AnyStr] = (),
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
    verbose: bool = False,
) -> Training:
    """Learn merges from one text: `count_pretokens`, then `train`, whose arguments these are.

    >>> train_text("aaabdaaabac", 3).merges
    [(b'a', b'a'), (b'aa', b'a'), (b'aaa', b'b')]
    """
    words = count_pretokens(text, split=split, special_tokens=special_tokens)
    return train(words, n_merges, tie_break=tie_break, alphabet=alphabet, verbose=verbose)


def count_pretokens(
    text: AnyStr, *, split: Callable[[AnyStr], Iterable[AnyStr]] | None = None, special_tokens: Iterable[AnyStr] = ()
) -> dict[bytes, int]:
    """How often each pretoken occurs, in order of first occurrence.

    Special tokens are cut out first and are not counted: nothing may be learned from them or across them. What is
    left goes through `split`, piece by piece; None keeps each piece whole.

    >>> count_pretokens("low<|end|>low lower", split=str.split, special_tokens=["<|end|>"])
    {b'low': 2, b'lower': 1}
    """
    counts: dict[bytes, int] = {}
    for is_special, part in split_at_special_tokens(text, special_tokens):
        if is_special:
            continue
        for pretoken in [part] if split is None else split(part):
            word = pretoken.encode("utf-8") if isinstance(pretoken, str) else pretoken
            counts[word] = counts.get(word, 0) + 1
    return counts


def count_pairs(sequences: Iterable[tuple[Sequence[bytes], int]]) -> dict[Pair, int]:
    """How often each pair of neighbours occurs, in order of first occurrence.

    Every adjacent position counts, so in `aaa` the pair (a, a) occurs twice although it can be merged only once.

    >>> count_pairs([([b"a", b"a", b"a", b"b"], 10)])
    {(b'a', b'a'): 20, (b'a', b'b'): 10}
    """
    counts: dict[Pair, int] = {}
    for tokens, count in sequences:
        for pair in pairwise(tokens):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def choose_pair(counts: Mapping[Pair, int], *, tie_break: TieBreak, ids: Mapping[bytes, int]) -> Pair:
    """The pair with the highest count. Ties are common, and the rule for them is part of the tokenizer.

    * "lexicographic": the greater pair of byte strings, left one first: (t, h) before (h, e), (aa, a) before (a, b).
    * "lowest-id": the pair with the smaller left id, then the smaller right id.
    * "first-seen": the pair that occurs first in the words, as they are segmented now.

    >>> choose_pair({(b"h", b"e"): 2, (b"t", b"h"): 2, (b"e", b" "): 1}, tie_break="lexicographic", ids={})
    (b't', b'h')
    """
    highest = max(counts.values())
    tied = [pair for pair, count in counts.items() if count == highest]
    if tie_break == "lexicographic":
        return max(tied)
    if tie_break == "lowest-id":
        return min(tied, key=lambda pair: (ids[pair[0]], ids[pair[1]]))
    if tie_break == "first-seen":
        return tied[0]  # `counts` is in order of first occurrence
    raise ValueError(f"tie_break is {tie_break!r}. Choose 'lexicographic', 'lowest-id' or 'first-seen'.")


def merge_pair(tokens: Sequence[bytes], pair: Pair) -> list[bytes]:
    """Join every occurrence of a pair, from left to right, never using a token twice.

    >>> merge_pair([b"a", b"a", b"a", b"b"], (b"a", b"a"))
    [b'aa', b'a', b'b']
    """
    merged: list[bytes] = []
    position = 0
    while position < len(tokens):
        if tuple(tokens[position : position + 2]) == pair:
            merged.append(pair[0] + pair[1])
            position += 2
        else:
            merged.append(tokens[position])
            position += 1
    return merged


def encode_by_replay(merges: Iterable[Pair], data: bytes) -> list[bytes]:
    """Segment one pretoken as training would have: apply every merge in order.

    The order is part of the tokenizer: with (b, c) first, the example would give a, bc.

    >>> encode_by_replay([(b"a", b"b"), (b"b", b"c")], b"abc")
    [b'ab', b'c']
    """
    tokens = _single_bytes(data)
    for pair in merges:
        tokens = merge_pair(tokens, pair)
    return tokens


def encode_by_lowest_rank(merges: Sequence[Pair], data: bytes) -> list[bytes]:
    """Segment one pretoken by merging, while there is one, the adjacent pair that comes first in the merge list
    (the leftmost of equals). It looks only at pairs that are there, not at every merge of the list.

    Equal to `encode_by_replay` for merges made by training. Say the pair (x, y) with rank r is merged. The only new
    neighbours are pairs that contain the token xy. A merge that contains xy was learned after xy existed, and only
    this merge makes xy (see `train`), so its rank is above r. A merge therefore never makes a pair of lower rank
    appear: the ranks that are used only go up, each is used up from left to right before the next, and that is
    replay with the idle merges left out.

    For a list in which a merge stands before one that makes its part, as no training writes it, the two differ:

    >>> odd = [(b"ab", b"c"), (b"a", b"b")]
    >>> encode_by_replay(odd, b"abc"), encode_by_lowest_rank(odd, b"abc")
    ([b'ab', b'c'], [b'abc'])
    """
    # Should a pair stand in the list twice, its first place counts.
    ranks = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
    return _merge_lowest(_single_bytes(data), lambda left, right: ranks.get((left, right)))


def encode_by_token_rank(ranks: Mapping[bytes, int], data: bytes) -> list[bytes]:
    """Segment one pretoken by tiktoken's rule: a token of the vocabulary is itself; otherwise merge, while there is
    one, the adjacent pair whose joined bytes have the lowest rank (the leftmost of equals).

    The rule asks what a pair makes, not which pair was learned, so a token may be reached by another way than in
    training, and results differ from those of the merge list on a few texts.

    >>> ranks = {b"a": 0, b"b": 1, b"c": 2, b"ab": 3, b"abc": 4, b"bc": 5}
    >>> encode_by_token_rank(ranks, b"abcb")
    [b'abc', b'b']
    """
    if data in ranks:
        return [data]
    return _merge_lowest(_single_bytes(data), lambda left, right: ranks.get(left + right))


def _merge_lowest(tokens: list[bytes], rank_of: Callable[[bytes, bytes], int | None]) -> list[bytes]:
    while True:
        ranked = [(rank_of(left, right), place) for place, (left, right) in enumerate(pairwise(tokens))]
        candidates = [(rank, place) for rank, place in ranked if rank is not None]
        if not candidates:
            return tokens
        _, place = min(candidates)  # of equal ranks the leftmost
        tokens = [*tokens[:place], tokens[place] + tokens[place + 1], *tokens[place + 2 :]]


def gpt2_characters() -> dict[int, str]:
    r"""The printable character by which GPT-2's vocabulary files write each byte.

    Bytes that are printable in Latin-1 stand for themselves, the others for U+0100, U+0101, ... in order.

    >>> gpt2_characters()[ord(" ")], gpt2_characters()[ord("\n")]
    ('Ġ', 'Ċ')
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + n) for n, byte in enumerate(others)}


def byte_order(alphabet: Alphabet) -> list[int]:
    """The 256 byte values in the order of their ids: "bytes" is 0 to 255, "gpt2" goes by GPT-2's characters.

    >>> byte_order("bytes")[:3], byte_order("gpt2")[:3], byte_order("gpt2").index(0)
    ([0, 1, 2], [33, 34, 35], 188)
    """
    if alphabet == "bytes":
        return list(range(256))
    if alphabet == "gpt2":
        characters = gpt2_characters()
        return sorted(range(256), key=characters.__getitem__)
    raise ValueError(f"alphabet is {alphabet!r}. Choose 'bytes' or 'gpt2'.")


class BytePairTokenizer:
    """A whole tokenizer on one screen: special tokens, pretokens, merges, ids, and back.

    Ids are the single bytes in the order of the alphabet, then the merges in order, then the special tokens.

    >>> tokenizer = BytePairTokenizer(train_text("the cat in the hat", 3).merges, special_tokens=["<|end|>"])
    >>> tokenizer.encode("the hat<|end|>", special_text="parse")
    [258, 104, 97, 116, 259]
    >>> tokenizer.decode([258, 104, 97, 116, 259])
    'the hat<|end|>'
    """

    def __init__(
        self,
        merges: Sequence[Pair],
        *,
        split: Callable[[str], Iterable[str]] | None = None,
        special_tokens: Sequence[str] = (),
        alphabet: Alphabet = "bytes",
    ) -> None:
        self.merges = merges
        self.split = split
        self.special_tokens = special_tokens
        learned = [bytes([byte]) for byte in byte_order(alphabet)] + [left + right for left, right in merges]
        self.token_bytes = learned + [special.encode("utf-8") for special in special_tokens]
        self.ids = {token: token_id for token_id, token in enumerate(learned)}
        self.special_ids = {special: len(learned) + n for n, special in enumerate(special_tokens)}

    def encode(self, text: str, *, special_text: SpecialText = "refuse") -> list[int]:
        """Token ids of a text; special_text is the policy of `read_special_text`."""
        token_ids: list[int] = []
        for is_special, part in read_special_text(text, self.special_tokens, special_text=special_text):
            if is_special:
                token_ids.append(self.special_ids[part])
                continue
            for pretoken in [part] if self.split is None else self.split(part):
                tokens = encode_by_lowest_rank(self.merges, pretoken.encode("utf-8"))
                token_ids.extend(self.ids[token] for token in tokens)
        return token_ids

    def decode(self, token_ids: Iterable[int]) -> str:
        """The text of token ids: their bytes joined, then decoded once."""
        return b"".join(self.token_bytes[token_id] for token_id in token_ids).decode("utf-8", errors="replace")


def _single_bytes(data: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in data]


def _print_step(training: Training, counts: Mapping[Pair, int], sequences: list[tuple[list[bytes], int]]) -> None:
    """Print the commonest pairs, the choice, and the first words as segmented after it."""
    left, right = training.merges[-1]
    commonest_first = sorted(counts.items(), key=lambda item: -item[1])  # stable: equals stay in order of occurrence
    shown = ", ".join(f"({_readable(a)},{_readable(b)}) {count}" for (a, b), count in commonest_first[:8])
    print(f"merge {len(training.merges)}: {shown}{', ...' if len(counts) > 8 else ''}")
    print(f"  ({_readable(left)},{_readable(right)}) -> {_readable(left + right)}")
    for tokens, count in sequences[:8]:
        print(f"  {count} x {' '.join(map(_readable, tokens))}")
    print(f"  {'... ' if len(sequences) > 8 else ''}{training.tokens_left[-1]} tokens left")


def _readable(token: bytes) -> str:
    text = token.decode("utf-8", errors="backslashreplace").replace(" ", "␣")
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in text)
