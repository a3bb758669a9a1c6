"""WordPiece: at each place of a word the longest token that fits; and what BERT does to a text before that.

Encoding needs no merges and no scores, only the vocabulary. A word begins with the longest token that it begins with,
goes on with the longest one that goes on there, and so forth. Tokens that go on with a word bear a mark, `##`, so
"able" and "##able" are two tokens: one begins a word, the other never does. Where no token fits, the whole word is
unknown, though a part of it was found.

Greedy never looks back: of "un", "##a", "##ab" and "##bc" it takes "##ab" behind "un" in "unabc", and gives the word up
at "c", though "un", "##a", "##bc" would have done.

Sources: Schuster and Nakajima 2012, "Japanese and Korean Voice Search"; Devlin et al. 2019, "BERT"; `models/wordpiece`,
`normalizers/bert.rs` and `decoders/wordpiece.rs` of huggingface/tokenizers, whose results these are.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby

PREFIX = "##"
"""Marks the tokens that go on with a word."""

IDEOGRAPHS = (
    *((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF)),
    *((0x20000, 0x2A6DF), (0x2A700, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F)),
)
"""First and last of the blocks that BERT calls Chinese: Japanese kanji are in them, kana and Hangul are not."""


def encode(
    word: str, tokens: Collection[str], *, unk: str = "[UNK]", prefix: str = PREFIX, most_characters: int = 100
) -> list[str]:
    """The tokens of a word.

    >>> encode("unable", {"un", "##able", "##a"})
    ['un', '##able']
    >>> encode("unused", {"un", "##able"}), encode("un" * 60, {"un", "##un"})
    (['[UNK]'], ['[UNK]'])
    """
    if len(word) > most_characters:
        return [unk]
    found, start = [], 0
    while start < len(word):
        token = longest(word, start, tokens, prefix)
        if token is None:
            return [unk]
        found.append(token)
        start += len(token) - (len(prefix) if start else 0)
    return found


def longest(word: str, start: int, tokens: Collection[str], prefix: str) -> str | None:
    """The longest token at a place of a word.

    Looking for it anew at each place reads some characters many times: up to n * n / 2 parts of a word of n.
    The core reads each once. It keeps all tokens in a tree, and knows for each place in it what to give out, and where
    to go on, when the word leaves the tree there.

    >>> longest("unable", 2, {"##a", "##able", "able"}, "##")
    '##able'
    """
    for end in range(len(word), start, -1):
        token = (prefix if start else "") + word[start:end]
        if token in tokens:
            return token
    return None


def bert_text(
    text: str,
    *,
    clean_text: bool = True,
    handle_chinese_chars: bool = True,
    strip_accents: bool = True,
    lowercase: bool = True,
) -> str:
    r"""A text as BERT reads it.

    >>> bert_text("Caf\u00e9\t\u5317\u4eac\x00!")
    'cafe  北  京 !'
    """
    if clean_text:
        text = "".join(map(cleaned, text))
    if handle_chinese_chars:
        text = "".join(f" {character} " if is_ideograph(character) else character for character in text)
    if strip_accents:
        text = without_accents(text)
    if lowercase:
        text = "".join(map(str.lower, text))  # one by one: a final sigma is like any other
    return text


def cleaned(character: str) -> str:
    r"""A blank becomes a space, and what nobody sees becomes nothing.

    That is what BERT's authors had in mind. The library takes away private characters too, and vertical tabs, which
    others call a blank. It keeps code points that are assigned to nothing.

    >>> [cleaned(character) for character in ("a", "\n", "\u3000", "\x0b", "\u200b", "\ufffd", "\ue000", "\u0378")]
    ['a', ' ', ' ', '', '', '', '', '\u0378']
    """
    category = unicodedata.category(character)
    if character in "\t\n\r" or category in ("Zs", "Zl", "Zp"):
        return " "
    return "" if category in ("Cc", "Cf", "Co") or character == "\ufffd" else character


def is_ideograph(character: str) -> bool:
    """Whether a character is one of those that are words by themselves.

    >>> is_ideograph("中"), is_ideograph("の")
    (True, False)
    """
    return any(first <= ord(character) <= last for first, last in IDEOGRAPHS)


def without_accents(text: str) -> str:
    """Characters are taken apart, and marks without a width of their own are left out.

    Many scripts write vowels with such marks, so more than accents goes: the Hindi word for Hindi is left without its
    nasal.

    >>> without_accents("Kyōto nǜ Å"), without_accents("हिंदी")
    ('Kyoto nu A', 'हिदी')
    """
    return "".join(part for part in unicodedata.normalize("NFD", text) if unicodedata.category(part) != "Mn")


def bert_words(text: str) -> Iterator[str]:
    """Words and signs of a text; a sign is a word by itself, and blanks are gone.

    >>> list(bert_words("don't  stop."))
    ['don', "'", 't', 'stop', '.']
    """
    for kind, characters in groupby(text, kind_of):
        if kind == "sign":
            yield from characters
        elif kind == "word":
            yield "".join(characters)


def kind_of(character: str) -> str:
    """Whether a character is a blank, a sign or a part of a word. In ASCII, signs of money and of sums are signs too.

    >>> [kind_of(character) for character in " $€«_"]
    ['blank', 'sign', 'word', 'sign', 'sign']
    """
    category = unicodedata.category(character)
    if character in "\t\n\x0b\x0c\r\x85" or category in ("Zs", "Zl", "Zp"):
        return "blank"
    is_sign = category.startswith("P") or (character.isascii() and category.startswith("S"))
    return "sign" if is_sign else "word"


def encode_text(text: str, tokens: Collection[str], *, unk: str = "[UNK]") -> list[str]:
    """The tokens of a text, as an uncased BERT cuts it.

    >>> encode_text("Unable!", {"un", "##able", "!"})
    ['un', '##able', '!']
    """
    return [token for word in bert_words(bert_text(text)) for token in encode(word, tokens, unk=unk)]


CONTRACTED = (
    *((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m")),
    *((" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re")),
)
"""What cleaning up looks for in a token with the blank before it, and what it becomes."""


def decode(tokens: Iterable[str], *, prefix: str = PREFIX, cleanup: bool = True) -> str:
    """A text that may have stood there: where there were blanks nobody knows any more.

    >>> decode(["tok", "##en", "##s", ",", "un", "##able"]), decode(["a", "."], cleanup=False)
    ('tokens, unable', 'a .')
    """
    text = ""
    for place, token in enumerate(tokens):
        if place > 0:
            token = token.removeprefix(prefix) if token.startswith(prefix) else f" {token}"
        if cleanup:
            for spaced, close in CONTRACTED:
                token = token.replace(spaced, close)
        text += token
    return text
