"""One string of 1 MiB of one kind of character: tokenloom beside all fast libraries, each string in a fresh process.

`hostile_growth` is about tokenloom alone: what ten times the string costs, under every named pretokenizer.
"""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args

from cases.encode_rivals import PLAIN_ENTRIES, vocabulary_of
from measuring.case import Case, Outcome, Prepared, Setup
from measuring.contest import EQUAL, verdicts
from measuring.corpora import MEBIBYTE, MEGABYTE, facts, take
from measuring.hostile_texts import KINDS, han_of, hostile_text
from measuring.sections import measured, pin_to_one_core
from peers import PEERS, absent, packages
from peers.definitions import definer, right_answer
from peers.files import Vocabulary

__all__ = ["CASE", "GROWTH_CASE"]

STRING_BYTES: Final = MEBIBYTE
LIMIT_SECONDS: Final = 60
GROWTH_LIMIT_SECONDS: Final = 300
TRAINED_SIZE: Final = 32_000
WARM_UP: Final = "One call before, please: 1, 2, 3.\n"
ENTRIES: Final = tuple(name for name in PLAIN_ENTRIES if name != "gigatoken file")


def _prepare(setup: Setup) -> Prepared:
    vocabulary = vocabulary_of(setup)
    n_bytes = setup.n_bytes or STRING_BYTES
    (setup.folder / "han").write_text(han_of(setup.corpus.data), encoding="utf-8")
    missing = absent(ENTRIES, vocabulary.encoding)
    return Prepared(
        inputs={
            "folder": str(setup.folder),
            "vocabularies": str(vocabulary.folder),
            "encoding": vocabulary.encoding,
            "n_bytes": n_bytes,
        },
        settings={
            "encoding": vocabulary.encoding,
            "vocabulary": facts(vocabulary.file.read_bytes()),
            "bytes of a string": n_bytes,
            "defined by": definer(vocabulary.encoding),
        },
        section_bytes={"string": n_bytes},
        absent=missing,
        packages=tuple(dict.fromkeys(PEERS[name].package for name in ENTRIES if name not in missing)),
        parts=tuple(KINDS),
        n_threads=1,
        limit_seconds=LIMIT_SECONDS,
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    pin_to_one_core()
    text = hostile_text(inputs["part"], inputs["n_bytes"], han=_han(inputs))
    tokenizer = PEERS[peer].load(Vocabulary(Path(inputs["vocabularies"]), inputs["encoding"]))
    tokenizer.one(WARM_UP)
    section, ids = measured(lambda: tokenizer.one(text))
    return Outcome({"string": section}, f"{len(ids)} ids", lambda: _packed(tokenizer.ids(ids)))


def _han(inputs: Mapping[str, Any]) -> str:
    return (Path(inputs["folder"]) / "han").read_text(encoding="utf-8")


def _packed(ids: Any) -> bytes:
    import numpy as np

    return np.asarray(ids, dtype=np.uint32).tobytes()


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    return verdicts(answers, right_answer(answers), otherwise="other ids")


def _prepare_growth(setup: Setup) -> Prepared:
    from tokenloom import Tokenizer, train
    from tokenloom.spec import PatternName

    if setup.vocabularies:
        tokenizer = Tokenizer.load(vocabulary_of(setup).file)
    else:
        tokenizer = train([take(setup.corpus.data, 20 * MEGABYTE)], TRAINED_SIZE, ["<|endoftext|>"])
    tokenizer.save(setup.folder / "tokenizer")
    (setup.folder / "han").write_text(han_of(setup.corpus.data), encoding="utf-8")
    n_bytes = setup.n_bytes or STRING_BYTES
    return Prepared(
        inputs={"folder": str(setup.folder), "n_bytes": n_bytes},
        settings={
            "vocabulary": setup.encoding if setup.vocabularies else f"trained on the corpus, {TRAINED_SIZE} tokens",
            "bytes of a string": n_bytes,
        },
        section_bytes={f"{kind}, {times}": n_bytes * times for kind in KINDS for times in (1, 10)},
        parts=(*get_args(PatternName), "none"),
        n_threads=1,
        limit_seconds=GROWTH_LIMIT_SECONDS,
    )


def _run_growth(_peer: str, inputs: Mapping[str, Any]) -> Outcome:
    from tokenloom import Tokenizer
    from tokenloom.spec import pretokenizer_of

    pin_to_one_core()
    spec = Tokenizer.load(Path(inputs["folder"]) / "tokenizer").spec
    pattern = None if inputs["part"] == "none" else inputs["part"]
    tokenizer = Tokenizer.from_spec(replace(spec, pretokenizer=pretokenizer_of(pattern)))
    tokenizer.encode_array(WARM_UP)
    sections, figures, n_ids = {}, {}, []
    for kind in KINDS:
        string = partial(hostile_text, kind, han=_han(inputs))
        shorts = [measured(_encoding(tokenizer, string(inputs["n_bytes"], seed=seed)))[0] for seed in range(3)]
        short = statistics.median_low(section.cpu_seconds for section in shorts)
        sections[f"{kind}, 1"] = next(section for section in shorts if section.cpu_seconds == short)
        sections[f"{kind}, 10"], n = measured(_encoding(tokenizer, string(10 * inputs["n_bytes"], seed=3)))
        figures[f"{kind}, times"] = sections[f"{kind}, 10"].cpu_seconds / short
        n_ids.append(n)
    return Outcome(sections, f"{n_ids} ids", lambda: b"", figures)


def _encoding(tokenizer: Any, text: str) -> Callable[[], int]:
    return lambda: len(tokenizer.encode_array(text))


CASE: Final = Case(
    summary="one string of one kind of character, by all libraries",
    peers=ENTRIES,
    baseline="tokenloom",
    packages=packages(ENTRIES),
    prepare=_prepare,
    run=_run,
    compare=_compare,
    is_contest=True,
    needs_vocabularies=True,
)

GROWTH_CASE: Final = Case(
    summary="what ten times such a string costs, under every named pretokenizer",
    peers=("tokenloom",),
    baseline="tokenloom",
    packages=("tokenloom",),
    prepare=_prepare_growth,
    run=_run_growth,
    compare=lambda answers: dict.fromkeys(answers, EQUAL),
    is_contest=True,
)
