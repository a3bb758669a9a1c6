r"""Unigram: of all ways to cut a text into pieces, the one that is most probable.

Each piece has a score, the logarithm of its probability, and a way to cut costs the sum of its scores. There are up to
2 ** (n - 1) ways to cut n characters. But the best way to a place is the best way to some earlier place, and one piece
from there; so the best ways to all places, first to last, take as many steps as there are pieces that fit somewhere.
That is Viterbi's algorithm. It looks back only in the end, from the last place to the first.

**Unknown characters.** Where no piece is just the character at a place, it may stand for itself, for ten less than the
lowest score of all pieces. Neighbours of that kind then are one unknown token, or the tokens of their bytes.

**Ties.** Two ways with the same sum are common: "ab" + "c" and "a" + "bc" with round scores. The first that is offered
stays, and places are gone through first to last, so it is the one whose last piece begins first: the longer one.

**Sums are rounded**, and how decides ties too: 0.1 + 0.2 and 0.3 are two numbers in 64 bits, and one in 32.
SentencePiece adds in 32 bits, `tokenizers` in 64. A sum of 32 bits that has come to 100,000 tells no scores apart that
differ by less than 1/256, so SentencePiece **counts anew** from a place where the sum is further from zero than that:
this place becomes zero, and what was reached behind it already is counted from there.

Other differences: for SentencePiece some pieces are taken always (user-defined ones: their score is above zero), and
others never. In `tokenizers`, unknown characters that make a piece together are that piece, and the unknown token's own
text in a text is unknown as well.

Sources: Kudo 2018, "Subword Regularization"; `unigram_model.cc` (`EncodeOptimized`) of google/sentencepiece 0.2.1;
`models/unigram` (`encode_optimized`) of huggingface/tokenizers 0.23.3.
"""

import struct
from collections.abc import Collection, Mapping, Sequence

UNKNOWN_PENALTY = 10.0
MOST_SUM = 100_000.0

Cut = list[tuple[str, bool]]
"""Pieces, each with whether it is one of the model. One that is not is a character."""


def best_cut(text: str, scores: Mapping[str, float], unknown: float, *, narrow: bool) -> Cut:
    """The pieces of the best way to cut a text, in 32 bits (`narrow`) or 64.

    The best way takes "ab" though "abc" is longer: the sums are -4.0 and -4.5.

    >>> scores = {"a": -2.0, "b": -2.0, "ab": -1.5, "abc": -3.0, "cd": -2.5, "d": -1.5}
    >>> [piece for piece, _ in best_cut("abcd", scores, -12.0, narrow=True)]
    ['ab', 'cd']

    Of equals the one stays whose last piece begins first. A character in no piece is worth `unknown`.

    >>> best_cut("abc", {"a": -1.0, "ab": -1.0, "bc": -1.0, "c": -1.0}, -12.0, narrow=True)
    [('a', True), ('bc', True)]
    >>> best_cut("a?", {"a": -1.0}, -11.0, narrow=False)
    [('a', True), ('?', False)]
    """
    sums: list[float | None] = [0.0] + [None] * len(text)
    last: list[tuple[str, bool]] = [("", False)] * (len(text) + 1)
    longest = max(map(len, scores), default=0)
    for start in range(len(text)):
        if narrow:
            count_anew(sums, start)
        here = sums[start]
        assert here is not None  # each character is offered, so each place is reached
        for end in range(start + 1, min(start + max(longest, 1), len(text)) + 1):
            piece = text[start:end]
            if piece not in scores and end > start + 1:
                continue
            offered = rounded(here + scores.get(piece, unknown), narrow=narrow)
            best = sums[end]
            if best is None or offered > best:
                sums[end], last[end] = offered, (piece, piece in scores)
    return way_back(last)


def way_back(last: Sequence[tuple[str, bool]]) -> Cut:
    """The pieces from the first to the last, of the last one at each place."""
    found, at = [], len(last) - 1
    while at > 0:
        found.append(last[at])
        at -= len(last[at][0])
    return found[::-1]


def rounded(number: float, *, narrow: bool) -> float:
    """A sum as it is stored.

    >>> rounded(0.1 + 0.2, narrow=True) == rounded(0.3, narrow=True), 0.1 + 0.2 == 0.3
    (True, False)
    """
    if not narrow:
        return number
    (value,) = struct.unpack("<f", struct.pack("<f", number))
    return float(value)


def count_anew(sums: list[float | None], start: int) -> None:
    """Make a place zero whose sum is too far from that, and those behind it what they are beside it.

    >>> sums = [0.0, -100_001.0, -100_004.0, None]
    >>> count_anew(sums, 1); sums
    [0.0, 0.0, -3.0, None]
    """
    here = sums[start]
    if here is None or abs(here) <= MOST_SUM:
        return
    for at in range(start, len(sums)):
        if (value := sums[at]) is not None:
            sums[at] = rounded(value - here, narrow=True)


def encode_sentencepiece(
    text: str,
    pieces: Mapping[str, float],
    *,
    unk: str = "<unk>",
    byte_fallback: bool = False,
    user_defined: Collection[str] = (),
    unused: Collection[str] = (),
) -> list[str]:
    """The tokens of a text, spelled with U+2581 for a space, as SentencePiece finds them.

    >>> pieces = {"<unk>": 0.0, "ab": -1.0, "a": -2.0, "b": -2.0}
    >>> encode_sentencepiece("abxya", pieces)
    ['ab', '<unk>', 'a']
    >>> encode_sentencepiece("ab", pieces | {"b": 0.0}, user_defined=["b"], unused=["ab"])
    ['a', 'b']
    """
    never = {unk, *unused} | (set(map(byte_token, range(256))) if byte_fallback else set())
    scores = {piece: score for piece, score in pieces.items() if piece not in never}
    normal = [score for piece, score in scores.items() if piece not in user_defined]
    unknown = rounded(min(normal, default=FLOAT_MAX) - UNKNOWN_PENALTY, narrow=True)
    for piece in user_defined:
        if piece in scores:
            scores[piece] = rounded(0.1 * (len(piece.encode()) - 1), narrow=True)
    fallback = byte_fallback and all(byte_token(byte) in pieces for byte in range(256))
    found: list[str] = []
    for run, known in joined(best_cut(text, scores, unknown, narrow=True)):
        found += [run] if known else unknown_tokens(run, unk, fallback=fallback)
    return found


FLOAT_MAX = 3.4028234663852886e38


def encode_tokenizers(
    text: str, pieces: Mapping[str, float], *, unk: str = "<unk>", byte_fallback: bool = False
) -> list[str]:
    """The tokens of a text as `tokenizers` finds them.

    >>> pieces = {"<unk>": 0.0, "a": -1.0, "ba": -9.0}
    >>> encode_tokenizers("axy<unk>ba", pieces)
    ['a', '<unk>', 'ba']
    """
    unknown = min(pieces.values()) - UNKNOWN_PENALTY
    cut = best_cut(text, pieces, unknown, narrow=False)
    fallback = byte_fallback and all(byte_token(byte) in pieces for byte in range(256))
    found: list[str] = []
    for run, known in joined([(piece, known and piece != unk) for piece, known in cut]):
        found += [run] if known or run in pieces else unknown_tokens(run, unk, fallback=fallback)
    return found


def joined(cut: Cut) -> Cut:
    """Unknown characters side by side as one run.

    >>> joined([("a", True), ("x", False), ("y", False), ("a", True), ("a", True)])
    [('a', True), ('xy', False), ('a', True), ('a', True)]
    """
    found: Cut = []
    for piece, known in cut:
        if found and not known and not found[-1][1]:
            found[-1] = (found[-1][0] + piece, False)
        else:
            found.append((piece, known))
    return found


def unknown_tokens(run: str, unk: str, *, fallback: bool) -> list[str]:
    """What unknown characters become: one token, or one for each of their bytes.

    >>> unknown_tokens("é!", "<unk>", fallback=False), unknown_tokens("é!", "<unk>", fallback=True)
    (['<unk>'], ['<0xC3>', '<0xA9>', '<0x21>'])
    """
    return [byte_token(byte) for byte in run.encode()] if fallback else [unk]


def byte_token(byte: int) -> str:
    """The token of a byte.

    >>> byte_token(10)
    '<0x0A>'
    """
    return f"<0x{byte:02X}>"
