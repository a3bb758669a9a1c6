"""Training that goes on from a tokenizer: `train(init=...)`, corpora, counts, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

import tokenloom
from tokenloom import BpeOptions, Tokenizer, TrainingError
from tokenloom.formats import read_tiktoken, write_hf_json, write_tiktoken
from tokenloom.jobs.train_corpus import train_corpus
from tokenloom.jobs.training import TrainingPlan
from tokenloom.spec import (
    AddedToken,
    BpeModel,
    Decoder,
    Normalizer,
    Pretokenizer,
    TokenizerSpec,
    UnicodeForm,
    build_spec,
)
from tokenloom.spec.pretokenizer_steps import WhitespaceSplitStep
from tokenloom.trainers import CharacterAlphabet, MergeJournal, count_pretokens, pretoken_counts, train_on_counts

OLD_TEXT = "the cat in the hat sat on the mat " * 9
NEW_TEXT = "international nations and the nationalities of the cat<|end|> " * 9


@pytest.fixture(scope="module")
def old() -> Tokenizer:
    return tokenloom.train([OLD_TEXT], 270, ["<|end|>"])


def test_ids_and_merges_of_the_old_tokenizer_stay(old: Tokenizer) -> None:
    grown = tokenloom.train([NEW_TEXT], 290, init=old)
    assert len(grown) == 290
    assert {token_id: grown.vocabulary[token_id] for token_id in old.vocabulary} == old.vocabulary
    assert grown.merges[: len(old.merges)] == old.merges
    assert grown.special_tokens == {"<|end|>": 269}
    assert len(grown.encode("international")) < len(old.encode("international"))


def test_going_on_with_the_same_text_gives_the_merges_of_one_training() -> None:
    half = tokenloom.train([NEW_TEXT], 266)
    assert tokenloom.train([NEW_TEXT], 280, init=half).merges == tokenloom.train([NEW_TEXT], 280).merges


@pytest.mark.parametrize("semantics", ["merges", "ranks"])
def test_files_of_other_libraries_grow(semantics: str, tmp_path: Path) -> None:
    plain, path = tokenloom.train([OLD_TEXT], 270), tmp_path / "tokenizer.json"
    if semantics == "ranks":
        write_tiktoken(plain.spec, tmp_path / "old.tiktoken")
        grown = tokenloom.train([NEW_TEXT], 290, init=read_tiktoken(tmp_path / "old.tiktoken", pattern="gpt2"))
    else:
        write_hf_json(plain.spec, path)
        grown = tokenloom.train([NEW_TEXT], 290, init=path)
    assert (grown.spec.bpe.semantics, len(grown)) == (semantics, 290)
    for token_id in range(270, 290):
        assert grown.encode(grown.token_bytes(token_id).decode()) == [token_id]


def test_the_old_fingerprint_is_kept_and_is_part_of_the_run(old: Tokenizer) -> None:
    grown = tokenloom.train([NEW_TEXT], 290, init=old)
    assert grown.provenance["options"]["init"] == old.spec.fingerprint
    assert TrainingPlan(BpeOptions.continued(old.spec, 290)).run()["init"] == old.spec.fingerprint


def test_a_stopped_growth_goes_on_from_its_journal(old: Tokenizer, tmp_path: Path) -> None:
    options = BpeOptions.continued(old.spec, 290)
    counts = count_pretokens([NEW_TEXT], pretokenizer=options.pretokenizer, special_tokens=options.special_tokens)
    journal = MergeJournal(tmp_path / "merges.journal")
    whole = train_on_counts(counts, options, journal=journal)
    begun = MergeJournal(tmp_path / "begun.journal")
    begun.append(journal.merges[:7])
    assert train_on_counts(counts, options, journal=begun) == whole


def test_a_corpus_grows_a_folder(old: Tokenizer, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text(NEW_TEXT)
    options = BpeOptions.continued(old.spec, 292)
    run = train_corpus([tmp_path / "corpus.txt"], options=options, out=tmp_path / "out", n_reserved=2)
    assert run.tokenizer.spec.special_tokens[-1] == AddedToken("<|reserved_special_token_1|>", 291)
    assert run.tokenizer.merges == tokenloom.train([NEW_TEXT], 290, init=old).merges


def test_ids_without_a_token_stay_empty() -> None:
    sparse = build_spec({i: bytes([i]) for i in range(256)} | {300: b"th"}, [(b"t", b"h")])
    grown = tokenloom.train([OLD_TEXT], 303, init=sparse)
    assert list(grown.vocabulary)[255:] == [255, 300, 301, 302]


def changed(old: Tokenizer, **values: object) -> TokenizerSpec:
    return replace(old.spec, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("vocab_size", "options", "message"),
    [
        (270, {}, "vocab_size 270: the tokenizer of init has 270 ids already"),
        (12, {}, "vocab_size 12: the tokenizer of init has 270 ids already"),
        (290, {"pattern": "o200k"}, "pattern Pretokenizer.type='o200k'.*: the tokenizer of init cuts with"),
        (290, {"pattern": None}, "the tokenizer of init cuts with"),
        (290, {"special_tokens": ["<|end|>", "<x>"]}, r"special_tokens \['<x>'\]: the tokenizer of init does not have"),
        (290, {"special_tokens": ["<x>"]}, r"special_tokens \['<x>'\]: the tokenizer of init does not have"),
        (290, {"alphabet": "gpt2"}, "alphabet 'gpt2': the bytes keep the ids of init"),
        ("many", {}, "vocab_size 'many': must be a whole number from"),
    ],
)
def test_what_does_not_fit_the_old_tokenizer_is_refused(
    old: Tokenizer, vocab_size: int, options: dict[str, object], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        tokenloom.train([NEW_TEXT], vocab_size, init=old, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("begins", "options", "message"),
    [
        ("init", {"characters": CharacterAlphabet()}, "characters: init has its tokens already"),
        ("init", {"must_have": ["ab"]}, r"must_have \['ab'\]: only a training that begins with bytes"),
        ("characters", {"must_have": ["ab"]}, r"must_have \['ab'\]: only a training that begins with bytes"),
        ("characters", {"alphabet": "gpt2"}, "alphabet 'gpt2': plays no part where characters begin"),
    ],
)
def test_two_beginnings_are_refused(old: Tokenizer, begins: str, options: dict[str, object], message: str) -> None:
    begin = {"init": old} if begins == "init" else {"characters": CharacterAlphabet()}
    with pytest.raises(TrainingError, match=message):
        tokenloom.train([NEW_TEXT], 290, **begin, **options)  # type: ignore[arg-type]


def test_counts_without_the_old_special_tokens_are_refused(old: Tokenizer) -> None:
    with pytest.raises(TrainingError, match=r"has 1 other added token: <\|end\|>"):
        BpeOptions.continued(old.spec, 290, special_tokens=[])


def test_a_tokenizer_that_changes_text_before_it_is_cut_cannot_grow(old: Tokenizer) -> None:
    with pytest.raises(TrainingError, match="normalizes text before it is cut"):
        tokenloom.train([NEW_TEXT], 290, init=changed(old, normalizer=Normalizer((UnicodeForm("nfc"),))))


@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word"])
def test_a_tokenizer_whose_added_tokens_take_more_than_their_content_cannot_grow(old: Tokenizer, flag: str) -> None:
    init = changed(old, added_tokens=(AddedToken("<|end|>", 269, **{flag: True}),))
    with pytest.raises(TrainingError, match=rf"added token '<\|end\|>' has {flag}, .* without such a token"):
        tokenloom.train([NEW_TEXT], 290, init=init)


def test_a_chain_of_pretokenizers_grows_on_words_that_were_counted_elsewhere_alone(old: Tokenizer) -> None:
    chain = Pretokenizer("sequence", steps=(WhitespaceSplitStep(),))
    init = changed(old, pretokenizer=chain)
    with pytest.raises(TrainingError, match=r"pattern Pretokenizer.*: is a chain, and text is counted by one pattern"):
        tokenloom.train([NEW_TEXT], 290, init=init)
    grown = train_on_counts(pretoken_counts({"nations": 9}), BpeOptions.continued(init, 271))
    assert grown.spec.pretokenizer == chain


@pytest.mark.parametrize(("n_tokens", "shown"), [(5, "<4>. Leave"), (6, r"<4>, \.\.\.\. Leave")])
def test_a_message_names_five_missing_special_tokens(n_tokens: int, shown: str) -> None:
    init = tokenloom.train([OLD_TEXT], 270, [f"<{n}>" for n in range(n_tokens)]).spec
    with pytest.raises(TrainingError, match=shown):
        BpeOptions.continued(init, 290, special_tokens=[])


def test_a_tokenizer_of_characters_cannot_grow() -> None:
    spec = build_spec({i: bytes([i]) for i in range(256)}, [])
    characters = replace(
        spec, model=BpeModel("merges", unit="character"), decoder=Decoder(()), token_bytes=b"ab",
        token_offsets=b"".join(n.to_bytes(4, "little") for n in range(3)),
    )  # fmt: skip
    with pytest.raises(TrainingError, match="merges characters, and only one that merges bytes can grow"):
        tokenloom.train([NEW_TEXT], 290, init=characters)
