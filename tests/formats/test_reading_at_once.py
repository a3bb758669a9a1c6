"""What the core reads at once gives what careful reading gives, be it a tokenizer or an error, word for word."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.formats.test_tekken import document as tekken_document
from tokenloom import _core
from tokenloom.errors import FormatError, FormatWarning
from tokenloom.formats import hf_json, tekken
from tokenloom.formats.hf_json import render_hf_json
from tokenloom.formats.json_values import parse_json
from tokenloom.spec import build_spec
from tokenloom.spec.alphabets import to_characters

BYTES = {byte: bytes([byte]) for byte in range(256)}
Parse = Callable[[bytes], Any]
Outcome = tuple[Any, str | None]


def outcome(parse: Parse, data: bytes) -> Outcome:
    try:
        return parse(data), None
    except FormatError as error:
        return None, str(error)


def parse_hf(data: bytes) -> Any:
    return hf_json.parse_hf_json(data, place="x")


def parse_tekken(data: bytes) -> Any:
    return tekken.parse_tekken(data, place="x")


def carefully(parse: Parse, data: bytes) -> Outcome:
    """The outcome where nothing is read at once."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (hf_json, tekken):
            patch.setattr(module, "_read_document", lambda data, place: (parse_json(data, file=place), None))
        return outcome(parse, data)


def hf_document(random: Random) -> bytes:
    """A small tokenizer with tokens that need escapes, holes, added tokens in the vocabulary and behind it."""
    parts, merges = list(BYTES.values()), []
    vocabulary = dict(BYTES)
    for _ in range(random.randrange(12)):
        left, right = (random.choice([*parts[32:40], *parts[90:94], *parts[256:]]) for _ in range(2))
        if left + right not in parts:
            parts.append(left + right)
            merges.append((left, right))
            vocabulary[max(vocabulary) + random.choice([1, 1, 1, 5])] = left + right
    specials = random.sample(["<s>", "é \n", "中", "ab", "<q中>", "\t<"], random.randrange(4))
    spec = build_spec(vocabulary, merges, specials)
    top = json.loads(hf_json.render_hf_json(spec))
    if random.random() < 0.3:
        random.choice(top["added_tokens"] or [{}])["special"] = False
    top["model"]["ignore_merges"] = random.random() < 0.3
    if random.random() < 0.5:
        top["model"]["merges"] = [f"{to_characters(left)} {to_characters(right)}" for left, right in merges]
    return json.dumps(top, ensure_ascii=random.random() < 0.5, indent=random.choice([None, 1])).encode()


def mutations(data: bytes, random: Random, n: int) -> Iterator[bytes]:
    """Cut anywhere, or with a byte changed, left out, or doubled; more in the second half, where merges are."""
    for _ in range(n):
        at = random.randrange(len(data)) if random.random() < 0.5 else len(data) - random.randrange(1, 400)
        new = random.choice([b"", data[at : at + 1] * 2, *(bytes([byte]) for byte in b' ",:{}[]\\/0159aun#\n\xc3\xff')])
        yield random.choice([data[:at], data[:at] + new + data[at + 1 :], data[:at] + new + data[at + 1 :]])


def test_generated_files_are_read_at_once_and_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [hf_document(Random(seed)) for seed in range(150)]
    expected = [carefully(parse_hf, data) for data in documents]
    assert {message for _, message in expected} == {None}
    monkeypatch.setattr(hf_json, "read_model", None)
    assert [outcome(parse_hf, data) for data in documents] == expected


def test_mutated_files_are_read_alike() -> None:
    n_read = 0
    for seed in range(60):
        random = Random(seed)
        for data in mutations(hf_document(random), random, 40):
            at_once = outcome(parse_hf, data)
            assert at_once == carefully(parse_hf, data), data
            n_read += at_once[1] is None
    assert n_read > 100


def test_what_is_written_outside_of_the_model_is_never_read_otherwise() -> None:
    """Brackets and quotes there must not hide where the model ends."""
    base = json.loads(hf_document(Random(3)))
    for value in ('"model": {"vocab": {}}', "}", '"', "\\", '\\"', "]}", '{"model":'):
        base["truncation"] = {"key": value, value: [value, {"model": {"vocab": {"a": 1}, "merges": []}}]}
        data = json.dumps(base).encode()
        assert outcome(parse_hf, data) == carefully(parse_hf, data)
        assert _core.HfFile.read(data) is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.update(vocab={}),
        lambda model: model.update(vocab=[]),
        lambda model: model["vocab"].update({"": 300}),
        lambda model: model["vocab"].update(q=97),
        lambda model: model["vocab"].update(qq=5),
        lambda model: model["vocab"].update(qq=1 << 24),
        lambda model: model["vocab"].pop("Ġ"),
        lambda model: model["vocab"].update({"中中": 300}),
        lambda model: model.update(merges=["a b c"]),
        lambda model: model.update(merges=["a b", ["a", "b"]]),
        lambda model: model.update(merges=["a\nb c"]),
        lambda model: model.update(merges=["#version: 1", "! !"]),
        lambda model: model.update(merges=[["zz", "a"]]),
        lambda model: model.update(merges=[["a"]]),
        lambda model: model.update(merges=[["a", "b", "a"]]),
        lambda model: model.update(merges=[1]),
        lambda model: model.pop("merges"),
    ],
)
def test_what_is_unusual_is_left_to_careful_reading(change: Callable[[dict[str, Any]], object]) -> None:
    top = json.loads(hf_document(Random(1)))
    change(top["model"])
    data = json.dumps(top).encode()
    assert outcome(parse_hf, data) == carefully(parse_hf, data)
    file = _core.HfFile.read(data)
    assert file is None or file.arrays(holes=[], least_ids=0, spelled=True) is None


def test_a_merge_that_is_there_twice_is_left_to_careful_reading() -> None:
    def file(merges: Any) -> bytes:
        top = json.loads(render_hf_json(build_spec(BYTES | {256: b"ab", 257: b"bc"}, [(b"a", b"b")])))
        top["model"]["merges"] = merges
        return json.dumps(top).encode()

    for merges in ([["a", "b"], ["b", "c"], ["a", "b"]], ["a b", "b c", "a b"]):
        assert _core.HfFile.read(file(merges)) is None
        with pytest.warns(FormatWarning, match=r"^x, model\.merges\[0\]: .* comes again as model\.merges\[2\]"):
            assert parse_hf(file(merges)) == parse_hf(file(merges[1:]))
    for once in ([["a", "b"], ["b", "a"]], [["a", "b"], ["b", "c"], ["a", "c"], ["c", "b"]]):
        assert _core.HfFile.read(file(once)) is not None


def test_keys_are_handed_on_as_they_are_where_they_spell_no_bytes() -> None:
    data = json.dumps({"model": {"vocab": {"▁a": 0, "é": 2}, "merges": ["▁a é"]}}, ensure_ascii=True).encode()
    file = _core.HfFile.read(data)
    assert file is not None
    assert file.arrays(holes=[], least_ids=4, spelled=True) is None
    token_bytes, offsets, merges = file.arrays(holes=[], least_ids=4, spelled=False) or (b"", b"", b"")
    assert token_bytes == "▁aé".encode()
    assert memoryview(offsets).cast("I").tolist() == [0, 4, 4, 6, 6]
    assert memoryview(merges).cast("I").tolist() == [0, 2]
    assert file.arrays(holes=[2], least_ids=4, spelled=False) is None


@pytest.mark.parametrize("name", ["llama3_1", "qwen3", "deepseek_v3"])
def test_published_files_are_read_at_once_and_alike(shared: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (shared / "vocabs" / name / "tokenizer.json").read_bytes()
    expected = carefully(parse_hf, data)
    monkeypatch.setattr(hf_json, "read_model", None)
    assert outcome(parse_hf, data) == expected


def test_published_tekken_is_read_at_once_and_alike(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = (shared / "vocabs" / "tekken" / "tekken.json").read_bytes()
    expected = carefully(parse_tekken, data)
    monkeypatch.setattr(tekken, "_tokens", None)
    assert outcome(parse_tekken, data) == expected


def test_mutated_tekken_files_are_read_alike() -> None:
    random, n_read = Random(5), 0
    for data in mutations(tekken_document(), random, 600):
        at_once = outcome(parse_tekken, data)
        assert at_once == carefully(parse_tekken, data), data
        n_read += at_once[1] is None
    assert n_read > 15
