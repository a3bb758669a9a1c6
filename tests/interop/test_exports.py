"""What `save` leaves for other libraries gives our ids and texts there.

transformers asks for a newer `regex` than these tests may use, so it is in no extra: its test runs where there is one.
"""

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as TheirTokenizer

from tests.strategies import HARD_PARTS, hard_texts, runs
from tokenloom import Tokenizer, train
from tokenloom.formats.hf_json import HF_JSON, parse_hf_json, render_hf_json
from tokenloom.formats.tiktoken import RANKS, render_tiktoken
from tokenloom.spec import build_spec

pytestmark = pytest.mark.interop

CORPORA: Final = ("english", "code", "chinese", "multi")
SPECIALS: Final = ("<|endoftext|>", "<|end of text|>", "<|我|>", "\n\n\n")
SMALL: Final = {
    "gpt2": train([" ".join(HARD_PARTS) + "the cat in the hat " * 20], 400, SPECIALS),
    "none": train([" ".join(HARD_PARTS) + "the cat in the hat " * 20], 400, SPECIALS, pattern=None),
    "shared ids": Tokenizer(
        {byte: bytes([byte]) for byte in range(256)} | {256: b"th", 260: b"the"},
        [(b"t", b"h"), (b"th", b"e")],
        ["th", "!"],
    ),
}
small = pytest.mark.parametrize("ours", SMALL.values(), ids=SMALL)


def read(shared: Path, name: str) -> str:
    return (shared / "corpora" / f"{name}-2MB.txt").read_bytes().decode()


@pytest.fixture(scope="module")
def ours(shared: Path) -> Tokenizer:
    """Trained on half a megabyte of each corpus."""
    return train([read(shared, name)[:500_000] for name in CORPORA], 8000, SPECIALS)


@pytest.fixture(scope="module")
def folder(ours: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    ours.save(folder)
    return folder


@pytest.fixture(params=CORPORA)
def text(request: pytest.FixtureRequest, shared: Path) -> str:
    return read(shared, request.param)


def with_specials(text: str) -> str:
    """The text with special tokens between its parts, some inside words."""
    parts = [text[start : start + 997] for start in range(0, len(text), 997)]
    return "".join(part + SPECIALS[i % len(SPECIALS)] for i, part in enumerate(parts))


def cut(text: str) -> list[str]:
    """The text in documents, since other libraries slow down on long ones; cuts fall anywhere."""
    return [text[start : start + 10_007] for start in range(0, len(text), 10_007)]


def ids_of(tokenizer: Tokenizer, documents: list[str], **policy: Any) -> list[list[int]]:
    return [tokenizer.encode(document, **policy) for document in documents]


def hf(tokenizer: Tokenizer) -> TheirTokenizer:
    return TheirTokenizer.from_str(render_hf_json(tokenizer.spec).decode())


def encoding(tokenizer: Tokenizer, ranks: bytes) -> tiktoken.Encoding:
    """As in the docstring of `formats/tiktoken.py`."""
    return tiktoken.Encoding(
        "ours",
        pat_str=tokenizer.pattern,
        mergeable_ranks={base64.b64decode(token): int(rank) for token, rank in map(bytes.split, ranks.splitlines())},
        special_tokens=tokenizer.special_tokens,
    )


def test_tokenizers_gives_our_ids_and_texts_of_two_megabytes(ours: Tokenizer, folder: Path, text: str) -> None:
    theirs = TheirTokenizer.from_file(str(folder / HF_JSON))
    documents = cut(with_specials(text))
    encodings = theirs.encode_batch(documents)
    assert [encoding.ids for encoding in encodings] == ids_of(ours, documents, allowed_special="all")
    assert theirs.decode_batch([encoding.ids for encoding in encodings], skip_special_tokens=False) == documents
    theirs.encode_special_tokens = True
    plain = theirs.encode_batch(documents)
    assert [encoding.ids for encoding in plain] == ids_of(ours, documents, disallowed_special=())


@small
def test_tokenizers_gives_our_ids_and_texts_of_generated_text(ours: Tokenizer) -> None:
    theirs, plain = hf(ours), hf(ours)
    plain.encode_special_tokens = True

    @given(hard_texts | runs | st.lists(st.sampled_from([*SPECIALS, "th", "e!", "\n"])).map("".join))
    @settings(max_examples=300)
    def check(text: str) -> None:
        ids = theirs.encode(text).ids
        assert ids == ours.encode(text, allowed_special="all")
        assert theirs.decode(ids, skip_special_tokens=False) == text
        assert plain.encode(text).ids == ours.encode(text, disallowed_special=())

    check()


@pytest.mark.parametrize("name", ["gpt2", "none"])
def test_file_is_the_one_that_tokenizers_writes(name: str) -> None:
    assert hf(SMALL[name]).to_str(pretty=True).encode() == render_hf_json(SMALL[name].spec)
    assert hf(SMALL[name]).get_vocab_size() == len(SMALL[name])


def test_settings_are_written_as_the_library_writes_them() -> None:
    theirs = hf(SMALL["gpt2"])
    theirs.enable_truncation(512, stride=4, strategy="only_first", direction="left")
    theirs.enable_padding(pad_id=256, pad_token="<|endoftext|>", length=16, pad_to_multiple_of=8)
    written = theirs.to_str(pretty=True).encode()
    spec, settings_there = parse_hf_json(written, place="x")
    assert render_hf_json(spec, settings=settings_there) == written


def test_offsets_cover_the_text() -> None:
    text = "the cat  in\n\nthe 你 hat<|endoftext|>!"
    offsets = hf(SMALL["gpt2"]).encode(text).offsets
    covered = {at for start, end in offsets for at in range(start, end)}
    assert covered == set(range(len(text)))


def test_tokenizers_gives_the_ids_of_ranks(shared: Path) -> None:
    lines = (shared / "vocabs" / "gpt2.tiktoken").read_bytes().splitlines()
    vocabulary = {int(rank): base64.b64decode(token) for token, rank in map(bytes.split, lines)}
    ours = Tokenizer.from_spec(build_spec(vocabulary, [], ["<|endoftext|>"], semantics="ranks"))
    documents = [document for name in CORPORA for document in cut(read(shared, name)[:200_000])]
    theirs = hf(ours).encode_batch(documents)
    assert [encoding.ids for encoding in theirs] == ids_of(ours, documents, disallowed_special=())


def test_tiktoken_gives_our_ids_and_texts_of_two_megabytes(ours: Tokenizer, folder: Path, text: str) -> None:
    theirs = encoding(ours, (folder / RANKS).read_bytes())
    marked = with_specials(text)
    ids = theirs.encode(marked, allowed_special="all")
    assert ids == ours.encode(marked, allowed_special="all")
    assert theirs.decode(ids) == marked
    assert theirs.encode_ordinary(marked) == ours.encode(marked, disallowed_special=())
    assert theirs.n_vocab == len(ours)


@small
def test_tiktoken_gives_our_ids_of_texts_with_special_tokens(ours: Tokenizer) -> None:
    theirs = encoding(ours, render_tiktoken(ours.spec))
    for text in ["the cat<|endoftext|>!\n\n\n\nthe hat", "th!e<|我|>the", "<|end of text|>", ""]:
        assert theirs.encode(text, allowed_special="all") == ours.encode(text, allowed_special="all")
        assert theirs.encode(text, disallowed_special=()) == ours.encode(text, disallowed_special=())
        assert theirs.decode(theirs.encode(text, allowed_special="all")) == text


PROBE: Final = "import transformers; assert int(transformers.__version__.split('.')[0]) >= 5"
TRANSFORMERS: Final = """
import sys
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
text = sys.stdin.buffer.read().decode()
ids = tokenizer(text)["input_ids"]
assert tokenizer.decode(ids) == text
print(len(tokenizer), tokenizer.eos_token, tokenizer.bos_token, sorted(tokenizer(text)))
print(*ids)
"""


@pytest.fixture(scope="module")
def transformers_python() -> str:
    """A Python with transformers 5 or newer: TOKENLOOM_TRANSFORMERS_PYTHON, or this one."""
    python = os.environ.get("TOKENLOOM_TRANSFORMERS_PYTHON", sys.executable)
    if subprocess.run([python, "-c", PROBE], capture_output=True).returncode:
        pytest.skip("no transformers 5 here: set TOKENLOOM_TRANSFORMERS_PYTHON to a Python that has it")
    return python


def test_transformers_loads_the_folder_with_our_ids_and_texts(
    ours: Tokenizer, folder: Path, shared: Path, tmp_path: Path, transformers_python: str
) -> None:
    """In a process of its own, offline and without a home, since the library looks around when it is imported."""
    text = "".join(with_specials(read(shared, name)) for name in CORPORA) + " don 't , y .\n"
    away = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "HOME": str(tmp_path)}
    run = subprocess.run(
        [transformers_python, "-c", TRANSFORMERS, str(folder)],
        input=text.encode(),
        capture_output=True,
        env=os.environ | away,
    )
    assert run.returncode == 0, run.stderr.decode()
    facts, ids = run.stdout.decode().splitlines()
    assert facts == f"{len(ours)} <|endoftext|> None ['attention_mask', 'input_ids']"
    assert list(map(int, ids.split())) == ours.encode(text, allowed_special="all")
