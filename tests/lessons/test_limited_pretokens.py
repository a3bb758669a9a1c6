"""The core finds pretokens with a limit as the lesson does, by every pattern, however the text arrives.

The texts have runs of everything that patterns tell apart, which end on either side of all windows.
"""

from collections.abc import Callable, Iterator
from io import BytesIO
from random import Random
from typing import Final, get_args

import pytest
import regex  # type: ignore[import-untyped]

from tests.strategies import chunked
from tokenloom import _core
from tokenloom.lessons.counting import LOOK_BYTES, limited_pretokens, write_run
from tokenloom.spec import PatternName, Pretokenizer
from tokenloom.spec.config import render_pretokenizer

UNITS: Final = (
    *(" ", "\n", "\r\n", "\t", "\u3000", "a", "B", "\u00e9", "\u00c9", "中", "か", "\u0663", "1", "12"),
    *(
        "'",
        "'s",
        "'ll",
        "!",
        "/",
        "\u2603",
        "\u0301",
        "\U0001f469\u200d",
        "\u200b",
        "\x00",
        "\u02b0",
        "\u01c5",
        "\u2581",
    ),
)
DAMAGE: Final = (b"\xff", b"\xe4\xbd", b"\x80", b"\xf0\x9f")
CUSTOM: Final = (r"\w+|[^\w]+", r".+|\n", r"\d{1,3}(?=(?:\d{3})*\b)|\p{L}+|\s+(?!\S)|\s", r"\w+", r"\s+$|x*")
PRETOKENIZERS: Final = (
    *map(Pretokenizer, get_args(PatternName)),
    *(Pretokenizer("custom", regex=pattern) for pattern in CUSTOM),
)


def split_by(pattern: str) -> Callable[[bytes], Iterator[bytes]]:
    """The pieces of bytes by a pattern, what lies between matches too, one at a time."""
    compiled = regex.compile(pattern)

    def split(data: bytes) -> Iterator[bytes]:
        text, reached = data.decode(errors="surrogateescape"), 0
        for match in compiled.finditer(text):
            for piece in (text[reached : match.start()], match.group()):
                if piece:
                    yield piece.encode(errors="surrogateescape")
            reached = match.end()
        if reached < len(text):
            yield text[reached:].encode(errors="surrogateescape")

    return split


def text_with_runs(random: Random) -> bytes:
    parts = []
    for _ in range(random.randrange(1, 12)):
        unit, other = (random.choice(UNITS).encode() for _ in range(2))
        unit = random.choice([unit] * 9 + [random.choice(DAMAGE)]) + random.choice([b"", b"", other])
        most_bytes = random.choice([1, 4, 4, 20, 60, 60, LOOK_BYTES + 200])
        parts.append(unit * random.randint(1, 1 + most_bytes // len(unit)) + random.choice([b""] * 9 + [b"<s>"]))
    return b"".join(parts)


def lesson_run(text: bytes, pattern: str, max_bytes: int) -> bytes:
    counts: dict[bytes, tuple[int, int]] = {}
    position, split = 0, split_by(pattern)
    for segment in text.split(b"<s>"):
        for pretoken in limited_pretokens(segment, split=split, max_bytes=max_bytes):
            count, first = counts.get(pretoken, (0, position))
            counts[pretoken] = (count + 1, first)
            position += len(pretoken)
        position += len(b"<s>")
    return write_run(counts, has_positions=True)


def core_run(blocks: list[bytes], pretokenizer: Pretokenizer, max_bytes: int) -> bytes:
    counter = _core.PretokenCounter(
        render_pretokenizer(pretokenizer), ["<s>"], n_threads=2, max_pretoken_bytes=max_bytes
    )
    for block in blocks:
        counter.push(block)
        counter.count_held()
    out = BytesIO()
    counter.finish_run(out.write, has_positions=True)
    return out.getvalue()


@pytest.mark.parametrize("max_bytes", [4, 5, 7, 16, 60])
def test_the_core_finds_the_limited_pretokens_of_the_lesson(max_bytes: int) -> None:
    random = Random(max_bytes)
    for pretokenizer in PRETOKENIZERS * 4:
        text = text_with_runs(random)
        expected = lesson_run(text, pretokenizer.pattern or "", max_bytes)
        blocks = chunked(random, text, n_cuts=random.choice([0, 1, 3, 9]))
        assert core_run(blocks, pretokenizer, max_bytes) == expected, (pretokenizer, text)
