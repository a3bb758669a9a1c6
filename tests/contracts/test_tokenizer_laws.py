"""Laws that hold for every tokenizer; being in `TOKENIZERS` enrols one."""

import copy
import pickle
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.characters import character_tokenizer
from tests.strategies import HARD_PARTS, SPECIAL_TOKENS, bytes_texts, chunked, hard_texts, runs
from tests.wordpieces import wordpiece_tokenizer
from tokenloom import Tokenizer, code_point_tokenizer, train, train_characters, train_words
from tokenloom.spec import (
    AddedToken,
    BertText,
    BpeModel,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Replace,
    Template,
    UnicodeForm,
    build_spec,
)

CORPUS: Final = " ".join(HARD_PARTS) * 2 + "the cat in the hat " * 20


def ranked(tokenizer: Tokenizer) -> Tokenizer:
    """The same vocabulary, read as ranks."""
    return Tokenizer.from_spec(replace(tokenizer.spec, model=BpeModel("ranks"), merges=b""))


def layered(*added: AddedToken, normalizer: Sequence[NormalizerStep] = ()) -> Tokenizer:
    """The trained vocabulary with other added tokens and perhaps a normalizer."""
    ids = {token: token_id for token_id, token in TRAINED.vocabulary.items()}
    added = tuple(replace(token, id=ids.get(token.content.encode(), token.id)) for token in added)
    spec = build_spec(
        {token_id: token for token_id, token in TRAINED.vocabulary.items() if token not in MARKS},
        TRAINED.merges,
        added_tokens=added,
        normalizer=Normalizer(tuple(normalizer)) if normalizer else None,
        postprocessor=Template((added[0].id, "A"), ("A", "B")),
    )
    return Tokenizer.from_spec(spec)


MARKS: Final = {token.encode() for token in SPECIAL_TOKENS if len(token) > 2}
TRAINED: Final = train([CORPUS], 420, SPECIAL_TOKENS)
TOKENIZERS: Final = {
    "bytes": Tokenizer({byte: bytes([byte]) for byte in range(256)}, []),
    "gpt2": TRAINED,
    "gpt2 alphabet": train([CORPUS], 400, SPECIAL_TOKENS, alphabet="gpt2", tie_break="lowest-id"),
    "no pattern": train([CORPUS], 500, SPECIAL_TOKENS, pattern=None),
    "ranks": ranked(TRAINED),
    "holes": Tokenizer(
        {byte * 3: bytes([byte]) for byte in range(256)} | {2000: b"th"}, [(b"t", b"h")], SPECIAL_TOKENS
    ),
}
LOSSLESS: Final = TOKENIZERS | {
    "added tokens": layered(
        AddedToken("the", 900, special=False), AddedToken(" cat", 901, special=False, normalized=True)
    ),
}
"""Decoding gives back what was encoded."""
LOSSY: Final = {
    "code points": code_point_tokenizer(),
    "closed characters": train_characters([CORPUS], 40, SPECIAL_TOKENS),
    "words": train_words([CORPUS], 40, SPECIAL_TOKENS, number_token="[number]"),
    "characters": character_tokenizer(Replace(" ", by="▁")),
    "wordpiece": wordpiece_tokenizer(),
    "wordpiece cased": wordpiece_tokenizer(BertText(lowercase=False, strip_accents=False)),
    "wordpiece without a normalizer": wordpiece_tokenizer(None),
    "nfc": layered(AddedToken("<|end|>", 900), normalizer=(UnicodeForm("nfc"),)),
    "steps": layered(
        AddedToken("the", 900, special=False, normalized=True),
        AddedToken("<|end|>", 901, lstrip=True, rstrip=True),
        AddedToken("cat", 902, single_word=True),
        normalizer=(UnicodeForm("nfkc"), Lowercase(), Replace(" ", by="\u2581"), Prepend("\u2581")),
    ),
}
every_tokenizer = pytest.mark.parametrize("tokenizer", (LOSSLESS | LOSSY).values(), ids=LOSSLESS | LOSSY)
lossless_tokenizer = pytest.mark.parametrize("tokenizer", LOSSLESS.values(), ids=LOSSLESS)
texts = hard_texts | bytes_texts | runs
few = settings(max_examples=40)


@lossless_tokenizer
@given(text=hard_texts | runs)
@few
def test_decoding_gives_the_text_back(tokenizer: Tokenizer, text: str) -> None:
    for policy in ((), "all"):
        assert tokenizer.decode(tokenizer.encode(text, allowed_special=policy, disallowed_special=())) == text


@lossless_tokenizer
@given(data=bytes_texts)
@few
def test_decoding_gives_bytes_back(tokenizer: Tokenizer, data: bytes) -> None:
    for policy in ((), "all"):
        assert tokenizer.decode_bytes(tokenizer.encode(data, allowed_special=policy, disallowed_special=())) == data


@lossless_tokenizer
@given(text=texts)
@few
def test_pretokens_joined_are_the_text(tokenizer: Tokenizer, text: str | bytes) -> None:
    pretokens = tokenizer.pretokens(text, allowed_special="all")
    assert b"".join(pretokens) == (text.encode() if isinstance(text, str) else text)
    assert b"" not in pretokens


@lossless_tokenizer
@given(text=texts)
@few
def test_no_token_crosses_a_pretoken(tokenizer: Tokenizer, text: str | bytes) -> None:
    pretokens = tokenizer.pretokens(text, disallowed_special=())
    pieces = [tokenizer.encode(pretoken, disallowed_special=()) for pretoken in pretokens]
    assert tokenizer.encode(text, disallowed_special=()) == [token_id for piece in pieces for token_id in piece]


@every_tokenizer
@given(text=texts)
@few
def test_count_and_array_agree_with_encode(tokenizer: Tokenizer, text: str | bytes) -> None:
    ids = tokenizer.encode(text, allowed_special="all")
    assert tokenizer.count(text, allowed_special="all") == len(ids)
    array = tokenizer.encode_array(text, allowed_special="all")
    assert (array.dtype.str[1:], array.tolist()) == ("u4", ids)


@every_tokenizer
@given(text=texts, random=st.randoms(use_true_random=False))
@few
def test_a_text_in_parts_has_the_same_ids(tokenizer: Tokenizer, text: str | bytes, random: Random) -> None:
    data = text.encode() if isinstance(text, str) else text
    parts = chunked(random, data, n_cuts=5)
    assert list(tokenizer.encode_iterable(parts, allowed_special="all")) == tokenizer.encode(
        data, allowed_special="all"
    )


@every_tokenizer
@given(text=texts)
@few
def test_a_template_stands_around_the_same_ids(tokenizer: Tokenizer, text: str | bytes) -> None:
    template = tokenizer.spec.postprocessor
    before, after = template.around() if template else ((), ())
    ids = tokenizer.encode(text, allowed_special="all")
    assert tokenizer.encode(text, allowed_special="all", add_special_tokens=True) == [*before, *ids, *after]


@every_tokenizer
@given(text=hard_texts)
@few
def test_a_str_and_its_bytes_have_the_same_ids(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.encode(text.encode(), allowed_special="all") == tokenizer.encode(text, allowed_special="all")


@every_tokenizer
@given(documents=st.lists(texts, max_size=8))
@few
def test_a_batch_is_its_documents_one_by_one(tokenizer: Tokenizer, documents: list[str | bytes]) -> None:
    expected = [tokenizer.encode(document, allowed_special="all") for document in documents]
    for n_threads in (1, 2, 4):
        batch = tokenizer.encode_batch(documents, allowed_special="all", n_threads=n_threads)
        assert [ids.tolist() for ids in batch] == expected


@every_tokenizer
def test_a_large_batch_does_not_depend_on_threads(tokenizer: Tokenizer) -> None:
    """A unit of parallel work is 256 KiB: here are about ten."""
    documents = [CORPUS[at:] for at in range(700)] + ["", "x" * 400_000, ""]
    one = tokenizer.encode_batch(documents, allowed_special="all", n_threads=1)
    for n_threads in (2, 4, None):
        other = tokenizer.encode_batch(iter(documents), allowed_special="all", n_threads=n_threads)
        assert (other.ids.tobytes(), other.starts.tobytes()) == (one.ids.tobytes(), one.starts.tobytes())


def _assert_same_ids(copied: Tokenizer, tokenizer: Tokenizer) -> None:
    assert copied.encode(CORPUS, allowed_special="all") == tokenizer.encode(CORPUS, allowed_special="all")
    assert copied.spec.fingerprint == tokenizer.spec.fingerprint
    assert dict(copied.provenance) == dict(tokenizer.provenance)
    assert copied.special_tokens == tokenizer.special_tokens


@every_tokenizer
@pytest.mark.filterwarnings("ignore:.* saved without:tokenloom.errors.FormatWarning")
@pytest.mark.filterwarnings("ignore:.* is found as .* in normalized text:tokenloom.errors.FormatWarning")
def test_saving_and_loading_keep_ids(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "tokenizer")
    _assert_same_ids(Tokenizer.load(tmp_path / "tokenizer"), tokenizer)


@every_tokenizer
def test_pickling_and_copying_keep_ids(tokenizer: Tokenizer) -> None:
    """PA-03."""
    for copied in (pickle.loads(pickle.dumps(tokenizer)), copy.copy(tokenizer), copy.deepcopy(tokenizer)):
        _assert_same_ids(copied, tokenizer)


def test_a_spawned_process_gives_the_same_ids() -> None:
    """PA-03."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(Tokenizer.encode, TRAINED, CORPUS, allowed_special="all").result() == TRAINED.encode(
            CORPUS, allowed_special="all"
        )


def test_a_copy_keeps_its_policies() -> None:
    tokenizer = Tokenizer.from_spec(TRAINED.spec, special_text="parse", surrogates="replace", cache_bytes=0)
    copied = pickle.loads(pickle.dumps(tokenizer))
    assert copied.encode("\ud83d<|end|>") == tokenizer.encode("\ufffd<|end|>")


@every_tokenizer
def test_every_id_has_its_bytes_and_every_token_its_id(tokenizer: Tokenizer) -> None:
    vocabulary = tokenizer.vocabulary
    assert max(vocabulary) == len(tokenizer) - 1
    assert all(tokenizer.token_bytes(token_id) == token for token_id, token in vocabulary.items())
    assert all(tokenizer.id_of(token) == token_id for token_id, token in vocabulary.items())


@every_tokenizer
def test_one_object_serves_sixteen_threads_with_different_options(tokenizer: Tokenizer) -> None:
    """PA-02: options are arguments, not state."""
    specials: list[Iterable[str]] = [(), set(list(tokenizer.special_tokens)[:1]), set(tokenizer.special_tokens)]
    jobs = [(CORPUS[at:], specials[at % 3]) for at in range(200)]

    def ids(job: tuple[str, Iterable[str]]) -> list[int]:
        return tokenizer.encode(job[0], allowed_special=job[1], disallowed_special=())

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ids, jobs)) == [ids(job) for job in jobs]


@every_tokenizer
def test_nothing_is_nothing(tokenizer: Tokenizer) -> None:
    """AP-01."""
    assert tokenizer.encode("") == tokenizer.encode(b"") == []
    assert (tokenizer.decode([]), tokenizer.decode_bytes([]), tokenizer.count("")) == ("", b"", 0)
    assert [ids.tolist() for ids in tokenizer.encode_batch(["", "a", ""])] == [[], tokenizer.encode("a"), []]
    assert len(tokenizer.encode_batch([])) == 0


@every_tokenizer
def test_what_a_caller_changes_is_a_copy(tokenizer: Tokenizer) -> None:
    """AP-04."""
    ids, size = tokenizer.encode(CORPUS, allowed_special="all"), len(tokenizer)
    tokenizer.vocabulary.clear()
    tokenizer.special_tokens.clear()
    tokenizer.merges.clear()
    with pytest.raises(TypeError):
        tokenizer.provenance["x"] = 1  # type: ignore[index]
    assert (tokenizer.encode(CORPUS, allowed_special="all"), len(tokenizer)) == (ids, size)


@every_tokenizer
def test_clearing_the_cache_changes_no_id(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode(CORPUS, allowed_special="all")
    tokenizer.clear_cache()
    assert tokenizer.encode(CORPUS, allowed_special="all") == ids
