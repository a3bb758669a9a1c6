"""Counting text that a normalizer changes, and what is told of the changes."""

from collections import Counter
from pathlib import Path
from random import Random
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import SPECIAL_TOKENS, bytes_texts, chunked, hard_texts
from tokenloom import Tokenizer, TrainingError, byte_tokenizer, train
from tokenloom.errors import SpecError
from tokenloom.lessons.counting import limited_pretokens
from tokenloom.spec import Lowercase, Normalizer, Pretokenizer, Replace, UnicodeForm, build_spec, normalizer_of
from tokenloom.trainers import (
    BpeOptions,
    CountOptions,
    NormalizerChanges,
    count_pretokens,
    count_to_file,
    load_counts,
    merge_count_files,
    read_count_header,
)

MARKS = st.text("aeAÅﬁﷺ½\u0301\u0308\u0327가ᄀ각\u11a8!? \n", max_size=20)
TEXTS = st.lists(MARKS | hard_texts | bytes_texts, max_size=4)
NORMALIZERS = [
    *(Normalizer((UnicodeForm(form),)) for form in ("nfc", "nfd", "nfkc", "nfkd")),
    Normalizer((UnicodeForm("nfkc"), Lowercase())),
    Normalizer((Replace(" ", by="▁"),)),
    Normalizer((Replace(pattern=" +", by=" "),)),
]
normalizers = st.sampled_from(NORMALIZERS)
patterns = st.sampled_from([Pretokenizer("gpt2"), Pretokenizer("none"), Pretokenizer("custom", regex=r"\w+|\s")])


def bytes_with(normalizer: Normalizer, pretokenizer: Pretokenizer = Pretokenizer("none")) -> Tokenizer:  # noqa: B008
    spec = build_spec(
        {byte: bytes([byte]) for byte in range(256)},
        [],
        SPECIAL_TOKENS,
        pretokenizer=pretokenizer,
        normalizer=normalizer,
    )
    return Tokenizer.from_spec(spec)


def normalized(text: str | bytes, normalizer: Normalizer) -> bytes:
    tokenizer = bytes_with(normalizer)
    return tokenizer.decode_bytes(tokenizer.encode(text, disallowed_special=()))


@given(TEXTS, normalizers, patterns, st.integers(1, 3))
def test_counted_are_the_pretokens_of_the_tokenizer(
    texts: list[str | bytes], normalizer: Normalizer, pretokenizer: Pretokenizer, n_threads: int
) -> None:
    tokenizer = bytes_with(normalizer, pretokenizer)
    expected: Counter[bytes] = Counter()
    for text in texts:
        expected.update(tokenizer.pretokens(text, allowed_special="all"))
        for special in SPECIAL_TOKENS:  # pretokens of special tokens are none of the text
            n = tokenizer.encode(text, allowed_special="all").count(tokenizer.special_tokens[special])
            expected[special.encode()] -= n
    counts = count_pretokens(
        texts, pretokenizer=pretokenizer, special_tokens=SPECIAL_TOKENS, normalizer=normalizer, n_threads=n_threads
    )
    assert counts.items() == sorted((pretoken, n) for pretoken, n in expected.items() if n)


@given(TEXTS, normalizers)
def test_changed_documents_are_those_that_differ(texts: list[str | bytes], normalizer: Normalizer) -> None:
    changes: list[NormalizerChanges] = []
    count_pretokens(texts, pretokenizer=Pretokenizer("gpt2"), normalizer=normalizer, changes=changes)
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    assert changes[0].n_docs == sum(text != normalized(text, normalizer) for text in raw)
    assert (changes[0].n_docs == 0) == (changes[0].n_chars == 0) == (not changes[0].characters)
    assert sum(row.n_stretches for row in changes[0].characters) <= changes[0].n_chars


@given(st.lists(MARKS | hard_texts, max_size=4), st.sampled_from(NORMALIZERS[:5]))
def test_examples_are_changed_as_told(texts: list[str], normalizer: Normalizer) -> None:
    changes: list[NormalizerChanges] = []
    count_pretokens(texts, pretokenizer=Pretokenizer("gpt2"), normalizer=normalizer, changes=changes)
    for row in changes[0].characters:
        assert row.example.endswith(row.character) or len(row.example.encode()) > 28
        assert row.example != row.became
        assert any(row.example in text for text in texts)


def test_changed_characters_are_counted_by_hand() -> None:
    changes: list[NormalizerChanges] = []
    texts = ["ﬁne ﬁle e\u0301", "plain", "½"]
    count_pretokens(texts, pretokenizer=Pretokenizer("gpt2"), normalizer=normalizer_of("nfkc"), changes=changes)
    assert (changes[0].n_docs, changes[0].n_chars) == (2, 5)
    rows = [("½", 1, "½", "1⁄2"), ("\u0301", 1, "e\u0301", "é"), ("ﬁ", 2, "ﬁ", "fi")]
    assert [tuple(row) for row in changes[0].characters] == rows
    assert changes[0].most(1)[0].character == "ﬁ"


@settings(max_examples=30)
@given(TEXTS, st.sampled_from(NORMALIZERS), st.randoms(use_true_random=False))
def test_blocks_threads_and_files_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str | bytes], normalizer: Normalizer, random: Random
) -> None:
    folder = tmp_path_factory.mktemp("counts")
    options = CountOptions(Pretokenizer("gpt2"), SPECIAL_TOKENS, normalizer=normalizer)
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    whole = count_to_file(raw, folder / "whole", options=options, n_threads=1)
    blocks = [chunked(random, text, n_cuts=3) for text in raw]
    parts = count_to_file(blocks, folder / "parts", options=options, n_threads=3)
    assert (folder / "whole").read_bytes() == (folder / "parts").read_bytes()
    assert read_count_header(folder / "whole") == whole == parts
    for place, text in enumerate(raw):
        count_to_file([text], folder / str(place), options=options)
    if raw:
        merge_count_files([folder / str(place) for place in range(len(raw))], folder / "merged")
        assert (folder / "merged").read_bytes() == (folder / "whole").read_bytes()


def test_memory_limit_changes_nothing(tmp_path: Path) -> None:
    texts = [f"ﬁ{n * 7919 % 100_003} e\u0301{n} Å" * 20 for n in range(40_000)]
    options = CountOptions(Pretokenizer("gpt2"), normalizer=normalizer_of("nfkc"))
    headers = [
        count_to_file(texts, tmp_path / str(limit), options=options, memory_limit=limit) for limit in (None, 32_000_000)
    ]
    assert headers[0] == headers[1]
    assert headers[0].changes is not None
    assert headers[0].changes.n_docs == 40_000
    assert (tmp_path / "None").read_bytes() == (tmp_path / "32000000").read_bytes()


@given(st.lists(MARKS, max_size=3), st.sampled_from(NORMALIZERS[:5]), st.integers(4, 9))
def test_limited_pretokens_are_those_of_the_changed_text(texts: list[str], normalizer: Normalizer, limit: int) -> None:
    counter = CountOptions(Pretokenizer("gpt2"), (), limit, normalizer=normalizer).counter(n_threads=2)
    expected: Counter[bytes] = Counter()
    plain = byte_tokenizer()
    for text in texts:
        counter.push(text)
        counter.end_document()
        expected.update(limited_pretokens(normalized(text, normalizer), split=plain.pretokens, max_bytes=limit))
    assert counter.finish().items() == sorted(expected.items())


def test_training_is_that_on_changed_text() -> None:
    texts = ["The ﬁrst ﬁle of ﬁve ﬁlms, e\u0301te\u0301", "½ ﬁlm"]
    normalizer = normalizer_of("nfkc")
    assert normalizer is not None
    tokenizer = train(texts, 270, ["<|end|>"], normalizer="nfkc")
    plain = train([normalized(text, normalizer) for text in texts], 270, ["<|end|>"])
    assert (tokenizer.merges, tokenizer.spec.normalizer) == (plain.merges, normalizer)
    assert tokenizer.encode("ﬁlm é") == tokenizer.encode("film e\u0301") == plain.encode("film é")
    assert tokenizer.provenance["options"]["normalizer"] == [{"type": "nfkc", "unicode": "16.0"}]
    assert "normalizer" not in plain.provenance["options"]


def test_special_token_that_appears_by_normalizing_is_text() -> None:
    counts = count_pretokens(
        ["＜s＞<s>a"], pretokenizer=Pretokenizer("none"), special_tokens=["<s>"], normalizer=normalizer_of("nfkc")
    )
    assert counts.items() == [(b"<s>", 1), (b"a", 1)]


def test_header_keeps_normalizer_and_changes(tmp_path: Path) -> None:
    options = CountOptions(Pretokenizer("gpt2"), normalizer=normalizer_of("nfkc"))
    header = count_to_file(["ﬁ"], tmp_path / "counts", options=options)
    assert read_count_header(tmp_path / "counts") == header
    assert header.changes == NormalizerChanges.from_values(
        {"n_docs": 1, "n_chars": 1, "characters": [["ﬁ", 1, "ﬁ", "fi"]]}
    )
    assert load_counts(tmp_path / "counts").items() == [(b"fi", 1)]


@pytest.mark.parametrize(
    "values",
    [
        {"n_docs": -1, "n_chars": 0, "characters": []},
        {"n_docs": 1, "n_chars": 1, "characters": [["a", True, "a", "b"]]},
        {"n_docs": 1, "n_chars": 1, "characters": [["a", 1, "a", None]]},
    ],
)
def test_values_that_are_no_changes_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="changes have a"):
        NormalizerChanges.from_values(values)


def test_normalizer_goes_with_no_first_positions() -> None:
    with pytest.raises(TrainingError, match="first positions: a normalizer changes the text"):
        CountOptions(Pretokenizer("gpt2"), has_positions=True, normalizer=normalizer_of("nfc"))
    with pytest.raises(TrainingError, match="tie_break 'first-seen': it goes by places in the corpus"):
        train(["a"], 300, normalizer="nfc", tie_break="first-seen")


def test_must_have_token_that_the_normalizer_changes_is_refused() -> None:
    with pytest.raises(TrainingError, match="the normalizer makes 'film' of it"):
        BpeOptions(300, must_have=["ﬁlm"], normalizer=normalizer_of("nfkc"))
    assert BpeOptions(300, must_have=["film"], normalizer=normalizer_of("nfkc")).n_merges == 44


def test_grown_tokenizer_gets_no_normalizer() -> None:
    with pytest.raises(TrainingError, match="normalizer: the tokenizer of init has none"):
        train(["abab"], 260, init=byte_tokenizer(), normalizer="nfc")


def test_unknown_normalizer_is_refused() -> None:
    with pytest.raises(SpecError, match=r"unknown name 'nfx'\. Use 'none', 'nfc'"):
        train(["a"], 300, normalizer="nfx")  # type: ignore[arg-type]


@pytest.mark.parametrize("part", ["\u0301", "ﬁ", "가", "a\u0327\u0301", "é"])
def test_time_grows_with_the_text(part: str) -> None:
    def seconds(n: int) -> float:
        start, text = process_time(), "a" + part * n
        count_pretokens([text], pretokenizer=Pretokenizer("gpt2"), normalizer=normalizer_of("nfkc"), n_threads=1)
        return process_time() - start

    n = 100_000 // len(part.encode())
    assert min(seconds(10 * n) for _ in range(3)) < 12 * max(0.01, min(seconds(n) for _ in range(3)))
