"""Byte-pair encoding over characters: what SentencePiece-like vocabularies do where byte-level ones need no rules.

A byte-level vocabulary has a token for each of 256 bytes, so no text is unknown to it. One that begins with characters
cannot list all 150,000 of them, so it needs a rule for the others: write them in tokens for bytes, `<0xE2>` and so on
(byte fallback), or give them up as an unknown token, or drop them. Blanks are written `▁`, so that a token can show
them, and the way back has to undo all of that.

Source: Kudo and Richardson 2018, "SentencePiece"; `models/bpe` and `decoders/byte_fallback.rs` of
huggingface/tokenizers, whose results these are.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

Pair = tuple[str, str]

BLANK = "▁"
"""Stands for a space: U+2581, which no text should have."""

_BYTE = re.compile("<0x([0-9A-F]{2})>")


class Rules(NamedTuple):
    """What happens to characters without a token, and what marks the place of a character in its word."""

    byte_fallback: bool = False
    unk_token: str | None = None
    fuse_unk: bool = False
    prefix: str = ""
    suffix: str = ""
    suffix_is_symbol: bool = False


def encode(word: str, tokens: Collection[str], merges: Sequence[Pair], rules: Rules = Rules()) -> list[str]:  # noqa: B008
    """The tokens of a word.

    >>> encode("▁thé", {"▁", "t", "h", "th", "▁th", "<0xC3>", "<0xA9>"}, [("t", "h"), ("▁", "th")], Rules(True))
    ['▁th', '<0xC3>', '<0xA9>']
    >>> encode("xyt", {"t", "?"}, [], Rules(unk_token="?", fuse_unk=True))
    ['?', 't']
    """
    return merge(symbols(word, tokens, rules), merges, len(rules.prefix))


def symbols(word: str, tokens: Collection[str], rules: Rules) -> list[str]:
    """What a word begins as, before anything is merged.

    An unknown token is not written at once, since the next character may belong to it. Byte tokens do not make it
    appear: it comes behind them, which is an accident of the library that everybody now depends on.

    >>> symbols("low", {"l", "##o", "##w</w>"}, Rules(prefix="##", suffix="</w>"))
    ['l', '##o', '##w</w>']
    >>> symbols("aéa", {"a", "?", "<0xC3>", "<0xA9>"}, Rules(byte_fallback=True, unk_token="?"))
    ['a', '<0xC3>', '<0xA9>', 'a']

    The mark of the end of a word is a part of its last symbol, or one of its own:

    >>> symbols("cat", {"c", "a", "t", "</w>"}, Rules(suffix="</w>", suffix_is_symbol=True))
    ['c', 'a', 't', '</w>']
    """
    result: list[str] = []
    waiting: list[str] = []
    glued = "" if rules.suffix_is_symbol else rules.suffix
    for place, character in enumerate(word):
        symbol = rules.prefix * (place > 0) + character + glued * (place == len(word) - 1)
        in_bytes = [f"<0x{byte:02X}>" for byte in symbol.encode()]
        if symbol in tokens:
            result += [*waiting, symbol]
            waiting = []
        elif rules.byte_fallback and all(token in tokens for token in in_bytes):
            result += in_bytes
        elif rules.unk_token is not None:
            if not rules.fuse_unk:
                result += waiting
            waiting = [rules.unk_token]
    end = [rules.suffix] if rules.suffix_is_symbol else []
    return result + waiting + end


def merge(symbols: Sequence[str], merges: Sequence[Pair], n_prefix: int = 0) -> list[str]:
    """Join the pair that comes first in the list, leftmost first, until no pair is left.

    The right part comes without its prefix, which marked it as no beginning of a word.

    >>> merge(["l", "##o", "##w"], [("##o", "##w"), ("l", "##ow")], 2)
    ['low']
    """
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    result = list(symbols)
    while True:
        pairs = [(ranks[pair], at) for at, pair in enumerate(pairwise(result)) if pair in ranks]
        if not pairs:
            return result
        _, at = min(pairs)
        result[at : at + 2] = [result[at] + result[at + 1][n_prefix:]]


def decode(tokens: Iterable[str]) -> str:
    r"""The text of tokens: neighbouring byte tokens are read as UTF-8, `▁` is a space, one space before goes.

    Byte tokens that are no UTF-8 as a whole become one U+FFFD each, also those that would have been characters.

    >>> decode(["▁th", "<0xC3>", "<0xA9>"]), decode(["<0x41>", "<0xC3>"])
    ('thé', '\ufffd\ufffd')
    """
    text, run = "", b""
    for token in [*tokens, ""]:
        if found := _BYTE.fullmatch(token):
            run += bytes([int(found[1], 16)])
            continue
        text += _read(run) + token.replace(BLANK, " ")
        run = b""
    return text.removeprefix(" ")


def _read(run: bytes) -> str:
    try:
        return run.decode()
    except UnicodeDecodeError:
        return "\ufffd" * len(run)
