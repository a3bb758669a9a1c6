"""Compare published tokenizers with the libraries that define them on as many generated texts as you have time for.

    python -m tests.interop.fuzz --encoding cl100k_base --n 1000000 --seed 7

Prints for each encoding how many texts gave other ids (with special tokens as plain text, and as one id each) or
another text, and the first of them. The tests run the same comparison on ten thousand texts each.
"""

import argparse
import os
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

from tests.hostile import hostile_texts
from tests.interop.published import NAMES, hf, library, ours, plain_ids
from tokenloom import TokenBatch, Tokenizer
from tokenloom.spec import Normalizer, build_spec

__all__ = ["Report", "differences", "fuzz"]

BATCH: Final = 10_000
SHARED: Final = Path(os.environ.get("TOKENLOOM_SHARED") or Path(__file__).resolve().parents[3] / "shared")
N_SHOWN: Final = 5


@dataclass(slots=True)
class Report:
    """What a comparison found.

    Args:
        n_texts: texts compared.
        n_left_out: of them, texts of which the ids were not compared since the libraries normalize them differently.
        counts: differences by kind.
        first: kind and text of the first differences.
    """

    n_texts: int = 0
    n_left_out: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    first: list[tuple[str, str]] = field(default_factory=list)

    def add(self, kind: str, text: str) -> None:
        """Count a difference."""
        self.counts[kind] += 1
        if len(self.first) < N_SHOWN:
            self.first.append((kind, text))


def fuzz(shared: Path, name: str, *, n_texts: int, seed: int) -> Report:
    """Compare a published tokenizer with its library on generated texts, some with its special tokens."""
    report = Report()
    markers = [token.content for token in ours(shared, name).spec.added_tokens]
    generated = hostile_texts(seed, n_texts, markers)
    while texts := list(islice(generated, BATCH)):
        compare(shared, name, texts, report)
    return report


def compare(shared: Path, name: str, texts: Sequence[str], report: Report) -> None:
    """Compare the ids of texts, and the texts of these ids."""
    report.n_texts += len(texts)
    if name == "qwen3":
        texts = normalized_alike(shared, name, texts, report)
    tokenizer, theirs = ours(shared, name), library(shared, name)
    plain = plain_ids(shared, name, texts)
    parsed = tokenizer.encode_batch(texts, allowed_special="all")
    for kind, found, expected in (("plain", plain, theirs.plain(texts)), ("parsed", parsed, theirs.parsed(texts))):
        for text in differences(texts, found, expected):
            report.add(f"{kind} ids", text)
    ids = [part.tolist() for part in parsed]
    for text, part, expected_text in zip(texts, ids, theirs.decode(ids), strict=True):
        decoded = tokenizer.decode(part)
        if decoded != expected_text or (name != "qwen3" and decoded != text):
            report.add("decoded text", text)


def differences(texts: Sequence[str], found: TokenBatch, expected: Sequence[Sequence[int]]) -> Iterator[str]:
    """Texts of which ids differ."""
    ids, starts = found.ids.tolist(), found.starts.tolist()
    for at, text in enumerate(texts):
        if ids[starts[at] : starts[at + 1]] != expected[at]:
            yield text


def normalized_alike(shared: Path, name: str, texts: Sequence[str], report: Report) -> list[str]:
    """Texts that both normalize alike: the library orders marks by older tables than Unicode 16, we do not (UN-06).

    Where Python knows all characters of one of the others, its normal form must be ours.
    """
    our_normalizer, their_normalizer = ours(shared, name).spec.normalizer, hf(shared, name).normalizer
    assert our_normalizer
    assert their_normalizer
    tokenizer, alike = only_normalizing(our_normalizer), []
    for text, ids in zip(texts, tokenizer.encode_batch(texts), strict=True):
        normalized = tokenizer.decode(ids)
        if normalized == their_normalizer.normalize_str(text):
            alike.append(text)
        elif is_known_to_python(text) and unicodedata.normalize("NFC", text) != normalized:
            report.add("normal form", text)
    report.n_left_out += len(texts) - len(alike)
    return alike


def is_known_to_python(text: str) -> bool:
    """Whether its Unicode, which is older, has all characters: their normal forms never change."""
    return all(unicodedata.category(character) != "Cn" for character in text)


@cache
def only_normalizing(normalizer: Normalizer) -> Tokenizer:
    """A tokenizer of single bytes, which decodes its ids to the whole text as the normalizer leaves it."""
    vocabulary = {byte: bytes([byte]) for byte in range(256)}
    return Tokenizer.from_spec(build_spec(vocabulary, [], normalizer=normalizer))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and tell by the exit code whether there was any difference."""
    parser = argparse.ArgumentParser(prog="python -m tests.interop.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--encoding", choices=NAMES, action="append", help="may be repeated; all if left out")
    parser.add_argument("--n", type=int, default=100_000, help="texts for each encoding (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="of the generated texts (default: %(default)s)")
    parser.add_argument("--shared", type=Path, default=SHARED, help="folder with vocabs/ (default: %(default)s)")
    options = parser.parse_args(arguments)
    n_differences = 0
    for name in options.encoding or NAMES:
        start, start_cpu = time.perf_counter(), time.process_time()
        report = fuzz(options.shared, name, n_texts=options.n, seed=options.seed)
        seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        n_differences += report.counts.total()
        print(
            f"{name}: {report.counts.total():,} differences in {report.n_texts:,} texts of seed {options.seed}, "
            f"{report.n_left_out:,} left out; {report.n_texts / seconds:,.0f} texts a second, {cpu:,.0f} s of CPU time"
        )
        for kind, text in report.first:
            print(f"    {kind}: {text!r}")
    return 1 if n_differences else 0


if __name__ == "__main__":
    sys.exit(main())
