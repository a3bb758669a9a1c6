"""Train on a text that is never on a disk, at several sizes: `python benchmarks/zipf.py`. Time and memory by size.

The text is made of words whose frequencies follow the law of Zipf and Mandelbrot without an end, so new words keep
coming as they do in real text. Each size is counted and trained in a process of its own within one limit of memory;
the results go to `results/curves/zipf.json`, and `--page` writes them into `docs/concepts/large_corpora.md`.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from measuring.corpora import MEGABYTE
from measuring.machine import machine, versions
from measuring.sections import memory_bytes

HERE: Final = Path(__file__).resolve().parent
RESULT: Final = HERE / "results" / "curves" / "zipf.json"
PAGE: Final = HERE.parent / "docs" / "concepts" / "large_corpora.md"
BEGIN: Final = "<!-- numbers: written by benchmarks/zipf.py -->\n"
END: Final = "<!-- end of numbers -->\n"

GIGABYTE: Final = 1000 * MEGABYTE
SIZES: Final = (GIGABYTE // 10, GIGABYTE, 10 * GIGABYTE, 20 * GIGABYTE)
PROJECTED: Final = (100 * GIGABYTE, 1000 * GIGABYTE)
MEMORY_LIMIT: Final = 2 * GIGABYTE
VOCABULARY_SIZE: Final = 32_000

WORDS_A_BLOCK: Final = 1 << 18
WORDS_A_DOCUMENT: Final = 1 << 10
WORD_BYTES: Final = 8
"""A blank and three to seven letters."""
FIRST_WORD: Final = 26 + 26**2
MOST_WORDS: Final = sum(26**n for n in range(3, WORD_BYTES))
N_BINS: Final = 1 << 20
N_RARE_BINS: Final = 1 << 14
TAIL: Final = 0.61
"""A word of rank r or more has the share ((r + OFFSET) / OFFSET) ** -TAIL of a text; so the distinct words of n grow
like n ** (1 / (1 + TAIL))."""
OFFSET: Final = 30
"""Keeps the most frequent words from being half of the text."""


def main() -> None:
    arguments = _parser().parse_args()
    if arguments.child:
        print(json.dumps(_trained(arguments.child, arguments.seed, arguments.out)))
        return
    if arguments.page:
        page = with_numbers(PAGE.read_text(encoding="utf-8"), json.loads(RESULT.read_text()))
        PAGE.write_text(page, encoding="utf-8")
        return
    rows = [_measured(size, arguments.seed) for size in arguments.bytes or SIZES]
    result = {
        "settings": {
            "seed": arguments.seed,
            "memory_limit_bytes": MEMORY_LIMIT,
            "vocabulary_size": VOCABULARY_SIZE,
            "tail": TAIL,
            "offset": OFFSET,
        },
        "rows": rows,
        "machine": machine(),
        "versions": versions(["tokenloom", "numpy"]),
        "date": datetime.now(UTC).date().isoformat(),
    }
    path = arguments.out or RESULT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")


def documents(n_bytes: int, seed: int) -> Iterator[bytes]:
    """About so many bytes of text in documents; equal arguments give equal text.

    The draw with number i is SplitMix64 of seed + i, so any part of the text could be made by itself. Its highest bits
    choose one of many bins, and all draws of a bin are the word in its middle, but for the bins of rare words.
    """
    import numpy as np

    words, masks = _spelled(_ranks((np.arange(N_BINS) + 0.5) / N_BINS))
    start, n_made = np.uint64(seed), 0
    while n_made < n_bytes:
        draws = _mixed(np.arange(WORDS_A_BLOCK, dtype=np.uint64) + start)
        start += np.uint64(WORDS_A_BLOCK)
        bins = (draws >> np.uint64(64 - N_BINS.bit_length() + 1)).astype(np.int64)
        block, mask = words[bins], masks[bins]
        rare = np.flatnonzero(bins < N_RARE_BINS)
        block[rare], mask[rare] = _spelled(_ranks((draws[rare].astype(np.float64) + 0.5) * 2.0**-64))
        text = block.view(np.uint8)[mask.view(np.bool_)].tobytes()
        n_bytes_of = mask.view(np.uint8).reshape(-1, WORDS_A_DOCUMENT * WORD_BYTES).sum(axis=1, dtype=np.int64)
        ends = np.cumsum(n_bytes_of).tolist()
        yield from (text[first:last] for first, last in zip([0, *ends[:-1]], ends, strict=True))
        n_made += len(text)


def _mixed(numbers: Any) -> Any:
    """SplitMix64 (Steele, Lea and Flood 2014) of an array of numbers."""
    import numpy as np

    numbers = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)


def _ranks(shares: Any) -> Any:
    """The rank of the word at each share of the text, from 0 on; ranks that no word has begin anew."""
    import numpy as np

    return np.fmod(OFFSET * (shares ** (-1 / TAIL) - 1), MOST_WORDS).astype(np.int64)


def _spelled(ranks: Any) -> tuple[Any, Any]:
    """The words of ranks, a blank and letters in eight bytes each, and eight bools each: what of that is the word.

    A word is its rank in the numerals aaa, aab, ..., zzz, aaaa, ...: frequent words are short.
    """
    import numpy as np

    words = np.full((len(ranks), WORD_BYTES), ord(" "), dtype=np.uint8)
    masks = np.zeros((len(ranks), WORD_BYTES), dtype=np.bool_)
    masks[:, 0] = True
    rest = ranks + FIRST_WORD
    for place in range(1, WORD_BYTES):
        masks[:, place] = rest >= 0
        words[:, place] = np.where(rest >= 0, rest % 26 + ord("a"), 0)
        rest = np.where(rest >= 0, rest // 26 - 1, -1)
    return words.view(np.uint64).ravel(), masks.view(np.uint64).ravel()


def _measured(n_bytes: int, seed: int) -> dict[str, Any]:
    """The row of one size, measured in a process of its own."""
    print(f"{n_bytes / GIGABYTE:g} GB ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--child", str(n_bytes), "--seed", str(seed), "--out", folder]
        shown = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    print(shown.decode(), end="", file=sys.stderr, flush=True)
    return dict(json.loads(shown))


def _trained(n_bytes: int, seed: int, folder: Path) -> dict[str, Any]:
    """Count and train in this process. Seconds of counting include those of making the text, which are told apart."""
    from tokenloom.spec import pretokenizer_of
    from tokenloom.trainers import BpeOptions, CountOptions, count_to_file, load_counts, train_on_counts

    made = _Made(documents(n_bytes, seed))
    start = time.perf_counter()
    options = CountOptions(pretokenizer_of("gpt2"))
    header = count_to_file(made, folder / "zipf.counts", options=options, memory_limit=MEMORY_LIMIT)
    count_seconds, counted_peak = time.perf_counter() - start, memory_bytes("VmHWM")
    start = time.perf_counter()
    training = train_on_counts(load_counts(folder / "zipf.counts"), BpeOptions(VOCABULARY_SIZE))
    return {
        "n_bytes": header.n_corpus_bytes,
        "n_pretokens": header.n_pretokens,
        "n_merges": len(training.steps),
        "make_seconds": made.seconds,
        "count_seconds": count_seconds - made.seconds,
        "merge_seconds": time.perf_counter() - start,
        "count_peak_bytes": counted_peak,
        "peak_bytes": memory_bytes("VmHWM"),
    }


class _Made:
    """Documents, and the time that it took to make them."""

    def __init__(self, documents: Iterator[bytes]) -> None:
        self.seconds = 0.0
        self._documents = documents

    def __iter__(self) -> Iterator[bytes]:
        while True:
            start = time.perf_counter()
            document = next(self._documents, None)
            self.seconds += time.perf_counter() - start
            if document is None:
                return
            yield document


def with_numbers(page: str, result: Mapping[str, Any]) -> str:
    """The page with the block between its markers replaced.

    Raises: ValueError if the markers are not there.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE}: lacks the lines {BEGIN!r} and {END!r}. Restore them.")
    return before + BEGIN + "\n" + "\n".join(_block(result)) + "\n\n" + END + after


def _block(result: Mapping[str, Any]) -> Iterator[str]:
    rows, settings, machine = result["rows"], result["settings"], result["machine"]
    yield "| text | distinct pretokens | counting | merging | peak memory |"
    yield "|---:|---:|---:|---:|---:|"
    for row in rows:
        yield _line(
            row["n_bytes"], *(row[key] for key in ("n_pretokens", "count_seconds", "merge_seconds", "peak_bytes"))
        )
    for n_bytes in PROJECTED:
        yield _line(n_bytes, *_projected(rows, n_bytes), is_projected=True)
    yield ""
    limit = f"{settings['memory_limit_bytes'] / GIGABYTE:g} GB"
    yield f"{settings['vocabulary_size']:,} tokens, GPT-2's pattern, a limit of {limit} for counting,"
    yield f"{machine['cores']} cores of {machine['cpu']}, measured on {result['date']}; making the text is not counted."
    yield "The rows in brackets are a model, not measured: distinct pretokens grow like bytes to the power of"
    yield f"{_exponent(rows):.2f} (Heaps), counting like bytes, merging and its memory like distinct pretokens."


def _line(
    n_bytes: int, n_pretokens: float, count: float, merge: float, peak: float, *, is_projected: bool = False
) -> str:
    cells = [f"{n_pretokens / 1e6:.2f} million", f"{count:,.0f} s", f"{merge:,.0f} s", f"{peak / MEGABYTE:,.0f} MB"]
    shown = [f"({cell})" for cell in cells] if is_projected else cells
    return f"| {n_bytes / GIGABYTE:,.1f} GB | {' | '.join(shown)} |"


def _exponent(rows: list[Mapping[str, Any]]) -> float:
    """The growth of distinct pretokens between the last two sizes."""
    before, last = rows[-2:]
    return math.log(last["n_pretokens"] / before["n_pretokens"]) / math.log(last["n_bytes"] / before["n_bytes"])


def _projected(rows: list[Mapping[str, Any]], n_bytes: int) -> tuple[float, float, float, float]:
    """Distinct pretokens, seconds of counting and of merging, and peak memory of merging at a size beyond the last."""
    last, times = rows[-1], n_bytes / rows[-1]["n_bytes"]
    more = times ** _exponent(rows)
    merging = (last["merge_seconds"] * more, last["peak_bytes"] * more)
    return last["n_pretokens"] * more, last["count_seconds"] * times, *merging


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Train on text of growing size that is never on a disk.")
    parser.add_argument("--bytes", type=int, action="append", metavar="N", help="a size (default: 0.1, 1, 10, 20 GB)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the text (default: %(default)s)")
    parser.add_argument("--page", action="store_true", help="write the stored numbers into the page of the docs")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where a trial goes")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    main()
