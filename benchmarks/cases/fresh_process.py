"""What one waits for in a fresh process: import, load a published vocabulary, encode 1 MiB of documents.

The parts are measured one by one, and *together* is their sum; starting Python itself is in none.
"""

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from cases.encode_rivals import DOCUMENT_BYTES, vocabulary_of
from measuring.case import Case, Outcome, Prepared, Setup
from measuring.contest import verdicts
from measuring.corpora import MEBIBYTE, documents, facts, take
from measuring.sections import joined, measured, pin_to_one_core
from peers import OURS, PEERS, absent, packages
from peers.definitions import definer, right_answer
from peers.files import SEPARATOR, Documents, Vocabulary
from peers.ours import PACKED, PACKED_LISTS, pack
from peers.peer import Loaded

__all__ = ["CASE"]

TEXT_BYTES: Final = MEBIBYTE
ENTRIES: Final = (
    "tokenloom",
    "tokenloom lists",
    PACKED,
    PACKED_LISTS,
    *(name for name in PEERS if name not in OURS and not name.endswith(" lists")),
)


def _prepare(setup: Setup) -> Prepared:
    vocabulary = vocabulary_of(setup)
    text = take(setup.corpus.data.replace(SEPARATOR.encode(), b""), setup.n_bytes or TEXT_BYTES)
    (setup.folder / "text").write_bytes(SEPARATOR.encode().join(documents(text, least_bytes=DOCUMENT_BYTES)))
    missing = absent(ENTRIES, vocabulary.encoding)
    if PACKED not in missing:
        pack(vocabulary, setup.folder / "packed")
    return Prepared(
        inputs={
            "folder": str(setup.folder),
            "vocabularies": str(vocabulary.folder),
            "encoding": vocabulary.encoding,
        },
        settings={
            "encoding": vocabulary.encoding,
            "vocabulary": facts(vocabulary.file.read_bytes()),
            "text": facts(text),
            "defined by": definer(vocabulary.encoding),
        },
        section_bytes={"encode": len(text), "together": len(text)},
        absent=missing,
        packages=tuple(dict.fromkeys(PEERS[name].package for name in ENTRIES if name not in missing)),
        n_threads=1,
        limit_seconds=60,
    )


def _run(peer: str, inputs: Mapping[str, Any]) -> Outcome:
    pin_to_one_core()
    folder = Path(inputs["folder"])
    text = Documents.read(folder / "text")
    vocabulary = Vocabulary(Path(inputs["vocabularies"]), inputs["encoding"], folder / "packed")
    sections = {}
    sections["import"], _ = measured(lambda: import_module(PEERS[peer].module))
    sections["load"], tokenizer = measured(lambda: PEERS[peer].load(vocabulary))
    sections["encode"], result = measured(lambda: tokenizer.many(text, 1))
    sections["together"] = joined([*sections.values()])
    return Outcome(sections, f"{tokenizer.flat(result)[1].sum()} ids", partial(_answer, tokenizer, result))


def _answer(tokenizer: Loaded, result: Any) -> bytes:
    ids, lengths = tokenizer.flat(result)
    return lengths.tobytes() + ids.tobytes()


def _compare(answers: Mapping[str, Path]) -> dict[str, Any]:
    return verdicts(answers, right_answer(answers), otherwise="other ids")


CASE: Final = Case(
    summary="import, load and encode 1 MiB in a fresh process, by all libraries",
    peers=ENTRIES,
    baseline="tokenloom",
    packages=packages(ENTRIES),
    prepare=_prepare,
    run=_run,
    compare=_compare,
    is_contest=True,
    needs_vocabularies=True,
)
