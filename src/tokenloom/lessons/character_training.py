"""Training over characters: which of them get a token, and what a word begins as.

There are 150,000 characters, and most texts have thousands that occur once. A vocabulary takes the commonest, as many
as make up nearly all of the text (SentencePiece's character coverage, 0.9995 for Chinese and Japanese), and leaves the
rest to byte tokens or to an unknown token. What stands for such a character joins no merge: it ends the stretch that
merges may work on.

Words are told apart by a mark at their end, or the pieces of "at" in "cat" and in "rattle" would be the same token. It
is a symbol of its own, which merges with the last letter like any other (Sennrich and others 2016), or it is part of
the last letter from the beginning (`subword-nmt` from version 0.2 on). The merges differ: the first way needs a merge
to make `t</w>` of `t` and `</w>`, and may learn `at` before it.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from tokenloom.lessons.byte_pair import TieBreak, Training
from tokenloom.lessons.characters import Rules, symbols
from tokenloom.lessons.growing import merge_symbols


def choose_characters(words: Iterable[tuple[str, int]], coverage: float) -> list[str]:
    """The commonest characters that make up a share of all, by code point.

    Characters are taken from the commonest on, equally frequent ones by code point, until the share is reached.

    >>> choose_characters([("aaab", 2), ("bc", 1)], 0.9)
    ['a', 'b']
    """
    counts: dict[str, int] = {}
    for word, count in words:
        for character in word:
            counts[character] = counts.get(character, 0) + count
    chosen: list[str] = []
    covered = 0
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if covered / sum(counts.values()) >= coverage:
            break
        covered += count
        chosen.append(character)
    return sorted(chosen)


def start_tokens(characters: Sequence[str], rules: Rules) -> list[str]:
    """The tokens that merges may join at first, in the order of their ids.

    >>> start_tokens(["a", "b"], Rules(suffix="</w>"))
    ['a', 'b', 'a</w>', 'b</w>']
    >>> start_tokens(["a", "b"], Rules(suffix="</w>", suffix_is_symbol=True))
    ['</w>', 'a', 'b']
    """
    if rules.suffix_is_symbol:
        return [rules.suffix, *characters]
    return [*characters, *(character + rules.suffix for character in characters if rules.suffix)]


def fixed_tokens(rules: Rules) -> list[str]:
    """The tokens that stand before them and join no merge.

    >>> fixed_tokens(Rules(unk_token="<unk>"))
    ['<unk>']
    """
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)] if rules.byte_fallback else []
    return ([] if rules.unk_token is None else [rules.unk_token]) + byte_tokens


def stretches(word: str, tokens: Sequence[str], rules: Rules) -> list[list[str]]:
    """The symbols of a word that merges may join, and what stands between them for other characters alone.

    >>> stretches("cat?s", ["c", "a", "t", "s"], Rules(unk_token="<unk>"))
    [['c', 'a', 't'], ['<unk>'], ['s']]
    """
    begun = symbols(word, [*tokens, *fixed_tokens(rules)], rules)
    parts: list[list[str]] = []
    for is_known, group in groupby(begun, key=lambda symbol: symbol in tokens):
        stretch = list(group)
        parts += [stretch] if is_known else [[symbol] for symbol in stretch]
    return parts


def train(
    words: Sequence[tuple[str, int]],
    n_merges: int,
    *,
    coverage: float = 1.0,
    rules: Rules = Rules(),  # noqa: B008 - a frozen value
    tie_break: TieBreak = "lexicographic",
) -> Training:
    """Learn merges from words and their counts. A token is the bytes of its text.

    >>> words = [("cat", 90), ("catch", 50), ("rat", 80), ("rattle", 40)]
    >>> training = train(words, 2, rules=Rules(suffix="</w>", suffix_is_symbol=True))
    >>> training.merges, training.counts
    ([(b'a', b't'), (b'at', b'</w>')], [260, 170])
    >>> training = train(words, 2, rules=Rules(suffix="</w>"))
    >>> training.merges, training.counts
    ([(b'a', b't</w>'), (b'c', b'at</w>')], [170, 90])
    """
    tokens = start_tokens(choose_characters(words, coverage), rules)
    begun = [(_encoded(stretches(word, tokens, rules)), count) for word, count in words]
    ids = {token.encode(): token_id for token_id, token in enumerate(tokens)}
    taken = [*ids, *(token.encode() for token in fixed_tokens(rules))]
    return merge_symbols(begun, n_merges, ids=ids, taken=taken, tie_break=tie_break)


def _encoded(parts: Iterable[Iterable[str]]) -> list[list[bytes]]:
    return [[symbol.encode() for symbol in part] for part in parts]
