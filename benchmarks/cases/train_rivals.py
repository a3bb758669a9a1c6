"""Training by every library that trains byte-level BPE: 32,000 tokens of a text, with a published pattern.

All merge, of pairs with equal counts, the one with the lower ids. So libraries that number the 256 bytes alike must
make the same tokens in the same order: as GPT-2 does, or from 0 to 255 as `rustbpe` does. What is right is told by
tokenizers for the first, if it is there, and by tokenloom for the second. One thread is timed in seconds of the
processor, pinned to one core; more are timed by the clock on the wall.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from measuring.case import Case, Outcome, Prepared, Setup
from measuring.contest import EQUAL
from measuring.corpora import MEBIBYTE, facts, stripped_lines
from measuring.sections import forget_peak, measured, memory_bytes, pin_to_one_core

__all__ = ["CASES"]

MOST_BYTES: Final = 100 * MEBIBYTE
VOCABULARY_SIZE: Final = 32_000
SECTION: Final = "train"

Tokens = Mapping[str, Sequence[bytes]]
"""By the order of bytes, the tokens of all merges in their order."""
Training = Callable[[], Callable[[], Tokens]]
"""Trains; what it returns spells the tokens, which is not measured."""


def _prepare(pattern: str, setup: Setup) -> Prepared:
    lines = stripped_lines(setup.corpus.data, setup.n_bytes or MOST_BYTES).splitlines(keepends=True)
    # With o200k a pretoken may go on over a line end to a slash, which libraries that read lines cannot see.
    text = b"".join(line for line in lines if not line.startswith(b"/"))
    path = setup.folder / "train.txt"
    path.write_bytes(text)
    return Prepared(
        inputs={"path": str(path), "pattern": pattern, "n_threads": setup.n_threads},
        settings={
            "text": facts(text) | {"cut": "lines stripped, blank lines and those that begin with / dropped"},
            "vocabulary_size": VOCABULARY_SIZE,
            "pattern": pattern,
            "threads": setup.n_threads,
        },
        section_bytes={SECTION: len(text)},
        absent=_absent(pattern),
        packages=tuple(name for name in PEERS if name not in _absent(pattern)),
        n_threads=setup.n_threads,
        limit_seconds=600,
    )


def _absent(pattern: str) -> dict[str, str]:
    missing = {name: "not installed" for name in PEERS if find_spec(name) is None}
    return missing | ({} if pattern == "gpt2" else dict.fromkeys(_GPT2_ALONE, "does not have the pattern"))


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    if inputs["n_threads"] == 1:
        pin_to_one_core()
    train = PEERS[peer](inputs["path"], inputs["pattern"], inputs["n_threads"])
    start_bytes = forget_peak()
    section, spell = measured(train)
    peak_bytes = float(memory_bytes("VmHWM") - start_bytes)
    n_tokens = {order: len(tokens) for order, tokens in spell().items()}
    return Outcome({SECTION: section}, str(n_tokens), lambda: _answer(spell()), {"net peak bytes": peak_bytes})


def _answer(tokens: Tokens) -> bytes:
    return json.dumps({order: [token.hex() for token in made] for order, made in tokens.items()}).encode()


def _tokenloom(path: str, pattern: Any, n_threads: int) -> Training:
    from tokenloom import train_bpe
    from tokenloom.spec import Alphabet

    def train(alphabet: Alphabet) -> list[bytes]:
        options: Any = {"tie_break": "lowest-id", "alphabet": alphabet, "pattern": pattern, "n_threads": n_threads}
        return [left + right for left, right in train_bpe(path, VOCABULARY_SIZE, [], **options)[1]]

    def work() -> Callable[[], Tokens]:
        made = train("gpt2")
        return lambda: {"gpt2": made, "bytes": train("bytes")}

    return work


def _gigabpe(path: str, pattern: str, n_threads: int) -> Training:
    del pattern  # it has this one alone
    train_bpe = import_module("gigabpe").train_bpe

    def work() -> Callable[[], Tokens]:
        made = train_bpe([path], VOCABULARY_SIZE, pretokenizer="bytelevel", threads=n_threads, special_tokens=[])[1]
        return lambda: {"gpt2": _spelled(made)}

    return work


def _gigatoken(path: str, pattern: str, n_threads: int) -> Training:
    del pattern, n_threads  # it has this one alone, and takes its threads from the environment
    train_bpe = import_module("gigatoken.gigatoken_rs").train_bpe

    def work() -> Callable[[], Tokens]:
        made = train_bpe(path, VOCABULARY_SIZE, [], "huggingface")[1]
        return lambda: {"gpt2": [left + right for left, right in made]}

    return work


def _rustbpe(path: str, pattern: str, n_threads: int) -> Training:
    del n_threads  # as above
    trainer = import_module("rustbpe").Tokenizer()

    def work() -> Callable[[], Tokens]:
        with Path(path).open(encoding="utf-8", newline="") as lines:
            trainer.train_from_iterator(lines, VOCABULARY_SIZE, pattern=_regex(pattern))
        ranks = sorted(trainer.get_mergeable_ranks(), key=lambda token_and_rank: token_and_rank[1])
        return lambda: {"bytes": [bytes(token) for token, rank in ranks if rank >= 256]}

    return work


def _tokenizers(path: str, pattern: str, n_threads: int) -> Training:
    del n_threads  # as above
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(_regex(pattern)), "isolated")
    spell_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern == "gpt2")
    tokenizer.pre_tokenizer = spell_bytes if pattern == "gpt2" else pre_tokenizers.Sequence([split, spell_bytes])
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY_SIZE, show_progress=False, initial_alphabet=alphabet)

    def work() -> Callable[[], Tokens]:
        tokenizer.train([path], trainer)
        return lambda: {"gpt2": _spelled(json.loads(tokenizer.to_str())["model"]["merges"])}

    return work


def _regex(pattern: str) -> str:
    """The published text of a pattern. What is possessive in it changes nothing, and tokenizers reads it otherwise."""
    from tokenloom.spec import patterns

    text = patterns.digits_pattern("cl100k", 3) if pattern == "cl100k" else patterns.NAMED_PATTERNS[pattern]
    return text.replace("{1,3}+", "{1,3}")


def _spelled(merges: Sequence[tuple[str, str]]) -> list[bytes]:
    """The tokens of merges in GPT-2's characters."""
    from tokenloom.spec.alphabets import from_characters

    return [from_characters(left + right) for left, right in merges]


PEERS: Final[dict[str, Callable[[str, str, int], Training]]] = {
    "tokenloom": _tokenloom,
    "gigabpe": _gigabpe,
    "gigatoken": _gigatoken,
    "rustbpe": _rustbpe,
    "tokenizers": _tokenizers,
}

_GPT2_ALONE: Final = ("gigabpe", "gigatoken")

_FEWER_BYTES: Final = frozenset({"gigabpe"})
"""Those that number only the bytes that occur, and so make some merges more."""


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    """For each peer `"equal"`, or where its tokens begin to differ."""
    read = {peer: json.loads(path.read_bytes()) for peer, path in answers.items()}
    right = read["tokenloom"] | read.get("tokenizers", {})
    return {peer: _verdict(peer, tokens, right) for peer, tokens in read.items()}


def _verdict(peer: str, answer: Mapping[str, Sequence[str]], right: Mapping[str, Sequence[str]]) -> str:
    for order, tokens in answer.items():
        expected = right[order]
        made = tokens[: len(expected)] if peer in _FEWER_BYTES else tokens
        if made != expected:
            rank = next((n for n, pair in enumerate(zip(made, expected, strict=False)) if pair[0] != pair[1]), None)
            return f"{len(made)} merges not {len(expected)}" if rank is None else f"differs from merge {rank}"
    return EQUAL


def _case(pattern: str) -> Case:
    return Case(
        summary=f"byte-level BPE, 32,000 tokens, the pattern {pattern}, by every library that trains it",
        peers=tuple(PEERS),
        baseline="tokenloom",
        packages=tuple(PEERS),
        prepare=partial(_prepare, pattern),
        run=_run,
        compare=_compare,
        is_contest=True,
    )


CASES: Final = {f"train_{pattern}": _case(pattern) for pattern in ("gpt2", "cl100k", "o200k")}
"""By name."""
