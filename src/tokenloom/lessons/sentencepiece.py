r"""SentencePiece: a text becomes characters without spaces, and these become pieces with scores.

Other tokenizers cut a text into words first. SentencePiece takes it whole: it writes each space as `▁`, puts one before
the text, so that a word at the start looks like one in the middle, and lets pieces begin with it. What a model file
holds is a list of pieces, each with a score and a type, and the rules by which the text is changed before.

* `normalize` changes the text: some characters become others, blanks are dropped, spaces become `▁`.
* `encode` joins characters by scores: first the neighbours whose joined text is the piece with the highest score.
* What has no piece becomes the pieces of its bytes, or is unknown.
* `decode` goes back.

Scores of byte-pair encoding say the order in which a training made pieces: 0, -1, -2 and so on. So this is the same
algorithm as with a list of merges, but for two things. A piece may be made of any two parts, not only of those that the
training joined; and of two pieces with the same score the leftmost one comes first.

Source: Kudo and Richardson 2018, "SentencePiece"; `normalizer.cc`, `bpe_model.cc` and `sentencepiece_processor.cc` of
google/sentencepiece, whose results these are.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

MARK = "▁"
"""Stands for a space: U+2581."""


class Rules(NamedTuple):
    """How a text is changed: what becomes what, and what is done to blanks."""

    changes: Mapping[str, str] = {}
    symbols: Collection[str] = ()
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    treat_whitespace_as_suffix: bool = False


class Model(NamedTuple):
    """Pieces with their scores, and those among them that are special in some way."""

    scores: Mapping[str, float]
    unknown: str = "<unk>"
    byte_fallback: bool = False
    user_defined: Collection[str] = ()
    unused: Collection[str] = ()


def normalize(text: str, rules: Rules = Rules()) -> str:  # noqa: B008
    """The text as the model sees it.

    >>> normalize("  the   cat "), normalize("the cat", Rules(add_dummy_prefix=False))
    ('▁the▁cat', 'the▁cat')

    Of the changes that begin at a place the longest is made, and what it writes is not looked at again:

    >>> normalize("ﬁe\u0301\u0301", Rules({"ﬁ": "fi", "e\u0301": "é"}))
    '▁fié\u0301'

    User-defined symbols come before any change:

    >>> normalize("ﬁﬁ!", Rules({"ﬁ": "fi"}, symbols=["ﬁ!"]))
    '▁fiﬁ!'
    """
    parts = list(steps(text, rules))
    while rules.remove_extra_whitespaces and parts[:1] == [" "]:
        del parts[0]
    if not parts:
        return ""
    blank = MARK if rules.escape_whitespaces else " "
    result = blank if rules.add_dummy_prefix and not rules.treat_whitespace_as_suffix else ""
    behind_blank = rules.remove_extra_whitespaces
    for part in parts:
        kept = part.lstrip(" ") if behind_blank else part
        result += kept.replace(" ", blank)
        if kept:
            behind_blank = rules.remove_extra_whitespaces and kept.endswith(" ")
    while rules.remove_extra_whitespaces and result.endswith(blank):
        result = result.removesuffix(blank)
    return result + (blank if rules.add_dummy_prefix and rules.treat_whitespace_as_suffix else "")


def steps(text: str, rules: Rules) -> Iterable[str]:
    """What each stretch of the text becomes: a symbol, the result of a change, or a character as it is.

    >>> list(steps("abcab", Rules({"c": "x"}, symbols=["ab"])))
    ['ab', 'x', 'ab']
    """
    at = 0
    while at < len(text):
        symbol = longest(text, at, rules.symbols)
        key = longest(text, at, rules.changes)
        yield symbol or (rules.changes[key] if key else text[at])
        at += len(symbol or key or text[at])


def longest(text: str, at: int, texts: Collection[str]) -> str:
    """The longest of some texts that stands at a place; empty if there is none.

    >>> longest("abcab", 0, ["ab", "abc"]), longest("abcab", 3, ["ab", "abc"])
    ('abc', 'ab')
    """
    return max((other for other in texts if text.startswith(other, at)), key=len, default="")


def encode(text: str, model: Model) -> list[str]:
    """The pieces of a normalized text.

    >>> scores = {"▁": -4, "t": -5, "h": -6, "e": -7, "▁t": -1, "he": -2, "▁the": -3}
    >>> encode("▁the▁he", Model(scores))
    ['▁the', '▁', 'he']

    What has no piece is unknown, one for all neighbours, or becomes bytes:

    >>> encode("▁äöt", Model(scores)), encode("▁ät", Model(scores, byte_fallback=True))
    (['▁', '<unk>', 't'], ['▁', '<0xC3>', '<0xA4>', 't'])
    """
    result: list[str] = []
    for piece in join(text, model):
        if piece in model.scores:
            result.append(piece)
        elif model.byte_fallback:
            result += [f"<0x{byte:02X}>" for byte in piece.encode()]
        elif result[-1:] != [model.unknown]:
            result.append(model.unknown)
    return result


def join(text: str, model: Model) -> list[str]:
    """Join neighbours, the highest score first, of equal ones the leftmost, until none make a piece.

    User-defined symbols are joined with nothing, though there may be a piece:

    >>> scores = {"a": -2, "b": -3, "c": -4, "ab": 0, "abc": -1}
    >>> join("abcab", Model(scores)), join("abcab", Model(scores, user_defined=["ab"]))
    (['abc', 'ab'], ['ab', 'c', 'ab'])

    Unused pieces are joined too, so that longer ones can be made of them, and cut again where they are left. Such a
    piece is cut into the halves that were seen last, anywhere in the text:

    >>> join("abcab", Model(scores, unused=["ab"]))
    ['abc', 'a', 'b']
    """
    symbols: list[str] = []
    while (at := sum(map(len, symbols))) < len(text):
        symbols.append(longest(text, at, model.user_defined) or text[at])
    seen: set[tuple[int, str, str]] = set()
    halves: dict[str, tuple[str, str]] = {}
    while True:
        pairs = [(at, left, right) for at, (left, right) in enumerate(pairwise(symbols)) if joins(left, right, model)]
        if not pairs:
            return [part for symbol in symbols for part in cut_again(symbol, halves)]
        for at, left, right in pairs:
            place = (sum(map(len, symbols[:at])), left, right)
            if place not in seen and left + right in model.unused:
                halves[left + right] = left, right
            seen.add(place)
        at, left, right = max(pairs, key=lambda pair: (model.scores[pair[1] + pair[2]], -pair[0]))
        symbols[at : at + 2] = [left + right]


def joins(left: str, right: str, model: Model) -> bool:
    """Whether two neighbours make a piece."""
    return left + right in model.scores and left not in model.user_defined and right not in model.user_defined


def cut_again(piece: str, halves: Mapping[str, tuple[str, str]]) -> list[str]:
    """The parts of an unused piece, and the parts of these."""
    if piece not in halves:
        return [piece]
    left, right = halves[piece]
    return cut_again(left, halves) + cut_again(right, halves)


def decode(
    pieces: Sequence[str],
    model: Model,
    *,
    control: Collection[str] = ("<s>", "</s>"),
    drops: str = "first",
    surface: str = " ⁇ ",
) -> str:
    r"""The text of pieces. Control symbols have none, and the unknown piece has one of its own.

    >>> decode(["<s>", "▁the", "▁", "he", "<unk>", "</s>"], Model({}))
    'the he ⁇ '

    Bytes are read character by character, and a byte that is in none is U+FFFD:

    >>> decode(["<0xC3>", "<0xA4>", "<0xC3>", "▁t"], Model({}, byte_fallback=True))
    'ä\ufffd t'

    One blank is dropped at the start where one was put there, and all if blanks at the edges are taken away:

    >>> [decode(["▁", "▁t"], Model({}), drops=drops) for drops in ("none", "first", "all")]
    ['  t', ' t', 't']
    """
    bytes_of = {f"<0x{byte:02X}>": bytes([byte]) for byte in range(256) if model.byte_fallback}
    text, run, has_dropped = "", b"", False
    for piece in [*pieces, ""]:
        if piece in bytes_of:
            run += bytes_of[piece]
            continue
        text, run = text + read(run), b""
        if piece == model.unknown:
            text += surface
        elif piece not in control:
            may_drop = drops != "none" and not text and not has_dropped
            has_dropped |= may_drop and piece.startswith(MARK) and drops == "first"
            text += (piece.removeprefix(MARK) if may_drop else piece).replace(MARK, " ")
    return text


def read(run: bytes) -> str:
    r"""The characters of bytes, and U+FFFD for each byte that is in none.

    >>> read(b"a\xe2\x82\xac\xe2\x82")
    'a€\ufffd\ufffd'
    """
    text = ""
    while run:
        found = next((n for n in range(1, 5) if is_character(run[:n])), 0)
        text += run[:found].decode() if found else "\ufffd"
        run = run[found or 1 :]
    return text


def is_character(data: bytes) -> bool:
    """Whether bytes are the UTF-8 of one character."""
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False
