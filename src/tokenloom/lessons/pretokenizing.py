"""Pretokenizing: cut text into pieces that merges never cross, losing nothing.

Without it byte-pair encoding learns `dog.`, `dog!` and `dog?` beside `dog`, and joins the end of one word to the
beginning of the next. GPT-2's pattern keeps letters, numbers, punctuation and blanks apart, and lets one space go
with the word after it. The pieces joined are always the text: a pattern that leaves a character out loses it without
a word, as an early rewrite of this one did with the underscore.

Source: Radford et al. 2019, "Language Models are Unsupervised Multitask Learners", section 2.2.
"""

import re

# In order of preference: a contraction; letters, numbers or other characters, each with one space before them if
# there is one; blanks up to the last one before a word (that one belongs to the word); blanks at the end of the text.
GPT2_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""

# The same for `re`, which knows no \p{L}. Its \w is letters, numbers and the underscore, hence "\w without digits and
# underscore" for letters; the underscore must be named again among the other characters, or it belongs nowhere.
# 〇, the zero of Chinese dates, is a number in Unicode but no digit; ² and Ⅷ are the same case, and stay letters here.
STANDARD_LIBRARY_PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?[^\W\d_〇]+| ?[\d〇]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"""


def split_gpt2(text: str) -> list[str]:
    """Split as GPT-2 does; needs the `regex` module, whose version fixes the version of Unicode.

    Capital letters and the typographic apostrophe make no contraction.

    >>> split_gpt2("I've got 3 cats!!  Yes")
    ['I', "'ve", ' got', ' 3', ' cats', '!!', ' ', ' Yes']
    >>> split_gpt2("DON'T")
    ['DON', "'", 'T']
    """
    try:
        import regex  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(
            "GPT-2's pattern needs the module 'regex'. Install it (pip install regex), or use split_standard_library."
        ) from error
    pieces: list[str] = regex.findall(GPT2_PATTERN, text)
    return pieces


def split_gpt2_bytes(data: bytes) -> list[bytes]:
    r"""Split bytes as GPT-2 splits text; a byte outside valid UTF-8 counts as one character that is neither letter,
    number nor blank, and so behaves like punctuation.

    "Outside": not part of a complete encoding of a Unicode scalar value. Each such byte counts by itself.
    Python's `surrogateescape` draws the same line and stands a lone surrogate for each such byte, and a surrogate is
    neither letter, number nor blank to the pattern.

    >>> split_gpt2_bytes(b"ab \xff\xfe!12")
    [b'ab', b' \xff\xfe!', b'12']
    >>> split_gpt2_bytes("你".encode()[:2] + b"x")   # a character cut short is two such bytes
    [b'\xe4\xbd', b'x']
    """
    pieces = split_gpt2(data.decode("utf-8", errors="surrogateescape"))
    return [piece.encode("utf-8", errors="surrogateescape") for piece in pieces]


def split_standard_library(text: str) -> list[str]:
    """Split nearly as GPT-2 does with nothing but `re`; loses nothing, whatever the text.

    Equal to `split_gpt2` wherever both agree what a character is; English and Chinese prose are such text. They
    disagree on these characters and no others (found by asking both about every scalar value):

    * Numbers that are no decimal digits (Unicode categories No and Nl: ² ½ ① Ⅷ; 〇 excepted) are letters here, numbers
      there: `m²` is one piece here and two there, `1½` two here and one there.
    * The separators U+001C to U+001F are blanks here, punctuation there.
    * A character that only one of the two knows, being younger than the other's version of Unicode, is punctuation to
      the one that does not. Python's version is `unicodedata.unidata_version`: 14.0 in Python 3.11 lacks, for
      example, the Chinese characters of extension H (U+31350 to U+323AF).

    Combining marks are no difference: neither takes them for letters.

    >>> split_standard_library("snake_case, 二〇二六年!")
    ['snake', '_', 'case', ',', ' 二', '〇', '二六年', '!']
    >>> split_standard_library("a   b")
    ['a', '  ', ' b']
    """
    return re.findall(STANDARD_LIBRARY_PATTERN, text)
