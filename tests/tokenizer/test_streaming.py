"""Text in pieces and ids one by one: every split of a whole gives what the whole gives, and little is held back."""

import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.characters import character_tokenizer
from tests.layered import BLANK_CONTENTS, CONTENTS, added_tokens, normalizer_values, texts
from tests.layered import VOCABULARY as LAYERED
from tests.strategies import bytes_texts, hard_texts
from tokenloom import DecodeError, Decoder, EncodeError, Encoder, Tokenizer, train
from tokenloom.spec import (
    AddedToken,
    DecodeMetaspace,
    DecoderStep,
    DecodeStrip,
    Lowercase,
    Normalizer,
    Prepend,
    Pretokenizer,
    PretokenizerStep,
    Replace,
    Strip,
    UnicodeForm,
    build_spec,
)
from tokenloom.spec import Decoder as DecoderSpec
from tokenloom.spec.pretokenizer_steps import (
    BertStep,
    ByteLevelStep,
    DigitsStep,
    MetaspaceStep,
    PunctuationStep,
    SplitStep,
    WhitespaceSplitStep,
    WhitespaceStep,
)

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
LLAMA: Final = (Prepend("▁"), Replace(" ", by="▁"))
SPECIALS: Final = ("<|end|>", "<|end", "\n\n", "<|我|>", "e<", "▁", "the c", "ab!")


def of_steps(
    *steps: PretokenizerStep, normalizer: Sequence[Normalizer] = (), added: Sequence[AddedToken] = ()
) -> Tokenizer:
    pretokenizer = Pretokenizer("sequence", steps=steps) if steps else Pretokenizer("none")
    merges = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the"), (b"a", b"b")]
    vocabulary = BYTES | {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    spec = build_spec(vocabulary, merges, pretokenizer=pretokenizer)
    arena = spec.token_offsets + spec.token_offsets[-4:] * len(added)
    parts = {"normalizer": normalizer[0] if normalizer else None, "added_tokens": tuple(added), "token_offsets": arena}
    return Tokenizer.from_spec(replace(spec, **parts), special_text="parse")  # type: ignore[arg-type]


def of_specials(**flags: bool) -> list[AddedToken]:
    return [AddedToken(content, 260 + place, **flags) for place, content in enumerate(SPECIALS)]


BERT: Final = (Normalizer((UnicodeForm("nfd"), Lowercase())),)
TOKENIZERS: Final[dict[str, Tokenizer]] = {
    "bytes": train(["the cat in the hat, ab ab"], 270, SPECIALS, special_text="parse"),
    "no cuts": train(["the cat in the hat, ab ab"], 270, pattern=None),
    "like Llama": character_tokenizer(*LLAMA),
    "like BERT": of_steps(BertStep(), normalizer=BERT, added=of_specials()),
    "words": of_steps(WhitespaceStep(), DigitsStep(individual=True), added=of_specials(single_word=True)),
    "metaspace": of_steps(MetaspaceStep("▁", "first"), added=of_specials(normalized=True)),
    "metaspace always": of_steps(MetaspaceStep("▁", "always"), normalizer=(Normalizer((Strip(True, True),)),)),
    "prefix space": of_steps(ByteLevelStep(add_prefix_space=True), added=of_specials()),
    "punctuation": of_steps(PunctuationStep("merged_with_next"), WhitespaceSplitStep()),
    "punctuation before": of_steps(PunctuationStep("merged_with_previous"), MetaspaceStep("▁", "first")),
    "punctuation and digits": of_steps(PunctuationStep("contiguous"), DigitsStep(individual=False)),
    "expression": of_steps(SplitStep("[0-9]+", behavior="isolated"), BertStep()),
    "strips": of_steps(normalizer=(Normalizer((UnicodeForm("nfkc"), Strip(True, True), Prepend("a"))),)),
    "takes blanks": of_steps(WhitespaceSplitStep(), added=of_specials(lstrip=True, rstrip=True)),
}
each: Final = pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)
marked: Final = st.lists(
    st.sampled_from([*SPECIALS, "the ", " the", " ", "  ", ".", "12", "\u4f60", "\t", "<|en", "é"])
).map("".join)


def pieces(data: bytes, cuts: Sequence[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:stop] for start, stop in pairwise(places)]


def streamed(tokenizer: Tokenizer, parts: Sequence[str | bytes]) -> list[int]:
    encoder = Encoder(tokenizer, disallowed_special=())
    return [token_id for part in parts for token_id in encoder.push(part)] + encoder.finish()


@each
def test_every_split_of_a_text_gives_the_ids_of_the_whole(tokenizer: Tokenizer) -> None:
    @given(hard_texts | marked | texts | bytes_texts, st.lists(st.integers(0, 10**6), max_size=8), st.integers(1, 40))
    @example("the  ▁the\u0301 <|end|> the", [5, 6], 30)
    def check(text: str | bytes, cuts: list[int], n_times: int) -> None:
        data = (text.encode() if isinstance(text, str) else text) * n_times
        whole = tokenizer.encode(data, disallowed_special=())
        assert streamed(tokenizer, pieces(data, cuts)) == whole
        assert streamed(tokenizer, pieces(data[:300], range(300))) == tokenizer.encode(
            data[:300], disallowed_special=()
        )

    check()


@given(
    added_tokens([*CONTENTS, *BLANK_CONTENTS]), normalizer_values, texts, st.lists(st.integers(0, 10**6), max_size=5)
)
def test_every_split_gives_the_whole_with_any_normalizer_and_flags(
    added: tuple[AddedToken, ...], normalizer: Normalizer | None, text: str, cuts: list[int]
) -> None:
    merges = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the"), (b"a", b"b"), (b"e", b"\xcc"), (b"\n", b" ")]
    chain = Pretokenizer("sequence", steps=(WhitespaceSplitStep(),))
    spec = build_spec(LAYERED, merges, pretokenizer=chain)
    highest = max([len(LAYERED) - 1, *(token.id for token in added)])
    offsets = spec.token_offsets + spec.token_offsets[-4:] * (highest + 1 - len(LAYERED))
    try:
        ordered = tuple(sorted(added, key=lambda token: token.id))
        tokenizer = Tokenizer.from_spec(
            replace(spec, normalizer=normalizer, added_tokens=ordered, token_offsets=offsets), special_text="parse"
        )
    except ValueError:
        return  # an added token of which the normalizer makes too much
    data = (text + " the cat ").encode() * 12
    assert streamed(tokenizer, pieces(data, cuts)) == tokenizer.encode(data)


@pytest.mark.parametrize(
    "name", ["bytes", "like Llama", "like BERT", "words", "metaspace", "metaspace always", "strips"]
)
def test_little_text_is_held_back(name: str) -> None:
    text, encoder = "ab the, \u4f60\u597d The12. " * 500, Encoder(TOKENIZERS[name])
    ids = [token_id for start in range(0, len(text), 50) for token_id in encoder.push(text[start : start + 50])]
    whole = TOKENIZERS[name].encode(text)
    assert len(ids) > 0.8 * len(whole)
    assert ids + encoder.finish() == whole


def test_a_pair_of_surrogates_may_be_split_and_a_lone_one_is_replaced() -> None:
    tokenizer = Tokenizer(BYTES, [], surrogates="replace")
    text = "a\ud83d\ude80\ud83d!\ude80\ud83d"
    assert streamed(tokenizer, text) == tokenizer.encode(text)
    assert bytes(streamed(tokenizer, ["\ud83d", b"\xf0", b"\x9f"])) == b"\xef\xbf\xbd\xf0\x9f"
    with pytest.raises(EncodeError, match="lone surrogate"):
        Encoder(Tokenizer(BYTES, [])).push("\ud83d")


def test_an_encoder_puts_ids_round_the_text_and_can_be_used_again() -> None:
    from tokenloom.spec import Template

    spec = replace(Tokenizer(BYTES, [], ["<s>"]).spec, postprocessor=Template((256, "A", 256), ()))
    tokenizer = Tokenizer.from_spec(spec, special_text="refuse")
    encoder = Encoder(tokenizer, add_special_tokens=True)
    for _ in range(2):
        assert encoder.push("a") + encoder.push(" b") + encoder.finish() == [256, *b"a b", 256]
    assert Encoder(tokenizer, add_special_tokens=True).finish() == [256, 256]
    with pytest.raises(EncodeError, match=r"'<s>' found at byte 4"):
        Encoder(tokenizer).push("ab, ") + Encoder(tokenizer).push("ab, <s>, and more")
    with pytest.raises(TypeError, match=r"Pass what Tokenizer\.load gives"):
        Encoder("a")  # type: ignore[arg-type]


def stream_of_words(n_bytes: int) -> Iterator[str]:
    n_words = n_bytes // 10_000
    for number in range(n_words):
        yield f"word {number} \u00e9t\u00e9, " * (10_000 // len(f"word {number} \u00e9t\u00e9, "))


@pytest.mark.parametrize("name", ["bytes", "like Llama", "like BERT"])
def test_a_long_stream_takes_less_than_a_megabyte(name: str) -> None:
    """Of Python's memory; what the core holds is what `Encoder` says, and its caches do not grow."""
    ids = TOKENIZERS[name].encode_iterable(stream_of_words(10_000_000))
    next(ids)
    tracemalloc.start()
    n_ids = sum(1 for _ in ids)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_ids > 2_000_000
    assert peak < 1_000_000


RESIDENT: Final = """
import resource, sys
from tests.tokenizer.test_streaming import TOKENIZERS, stream_of_words
from tokenloom import Tokenizer
known = TOKENIZERS[sys.argv[1]]
tokenizer = Tokenizer.from_spec(known.spec, special_text="parse", cache_bytes=0)
sum(1 for _ in tokenizer.encode_iterable(stream_of_words(200_000)))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sum(1 for _ in tokenizer.encode_iterable(stream_of_words(30_000_000)))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bytes", "like Llama", "like BERT"])
def test_a_long_stream_leaves_the_process_as_large_as_it_was(name: str) -> None:
    """In kilobytes, with all memory of the core but word caches, which have a limit of their own."""
    root = Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", RESIDENT, name], capture_output=True, text=True, cwd=root, check=True)
    assert int(run.stdout) < 1_000


DECODED: Final[dict[str, Callable[[], Tokenizer]]] = {
    "bytes": lambda: TOKENIZERS["bytes"],
    "like Llama": lambda: TOKENIZERS["like Llama"],
    "metaspace": lambda: with_decoder(DecodeMetaspace(), DecodeStrip("a", 1, 1)),
}


def with_decoder(*steps: DecoderStep) -> Tokenizer:
    return Tokenizer.from_spec(replace(character_tokenizer().spec, decoder=DecoderSpec(steps)))


@pytest.mark.parametrize("name", DECODED)
def test_behind_a_prompt_the_rest_of_its_text_comes(name: str) -> None:
    tokenizer = DECODED[name]()

    @given(st.lists(st.integers(0, min(len(tokenizer), 300) - 1), max_size=14), st.integers(0, 14))
    def check(ids: list[int], n_prompt: int) -> None:
        before = Decoder(tokenizer)
        shown = before.push(ids[:n_prompt])
        decoder = Decoder(tokenizer, prompt=ids[:n_prompt])
        parts = [decoder.push([token_id]) for token_id in ids[n_prompt:]]
        assert shown + "".join([*parts, decoder.finish()]) == tokenizer.decode(ids)

    check()


def test_errors_behind_a_prompt_count_from_the_first_id_behind_it() -> None:
    decoder = Decoder(TOKENIZERS["bytes"], prompt=[97, 98])
    with pytest.raises(DecodeError, match="id 9999 at position 1 has no token"):
        decoder.push([97, 9999])
    with pytest.raises(DecodeError, match="id 9999 at position 2 has no token"):
        Decoder(TOKENIZERS["bytes"], prompt=[97, 98, 9999])


@given(st.text(max_size=30), st.lists(st.integers(0, 40)))
def test_no_part_has_a_replacement_that_the_text_has_not(text: str, cuts: list[int]) -> None:
    for tokenizer in (TOKENIZERS["bytes"], TOKENIZERS["like BERT"]):
        ids = tokenizer.encode(text, disallowed_special=())
        whole = tokenizer.decode(ids)
        decoder = Decoder(tokenizer)
        parts = [decoder.push([token_id]) for token_id in ids]
        assert "".join([*parts, decoder.finish()]) == whole
        assert "".join(parts).count("\ufffd") <= whole.count("\ufffd")


def test_every_split_of_sentencepiece_text_and_ids_gives_the_whole(shared: Path) -> None:
    tokenizer = Tokenizer.load(shared / "vocabs" / "mistral_v1" / "tokenizer.model", special_text="plain")

    @given(hard_texts | marked | bytes_texts, st.lists(st.integers(0, 10**6), max_size=6), st.integers(1, 30))
    def check_text(text: str | bytes, cuts: list[int], n_times: int) -> None:
        data = (text.encode() if isinstance(text, str) else text) * n_times
        assert streamed(tokenizer, pieces(data, cuts)) == tokenizer.encode(data)

    @given(st.lists(st.integers(0, 300) | st.integers(0, len(tokenizer) - 1), max_size=12), st.integers(0, 12))
    def check_ids(ids: list[int], n_prompt: int) -> None:
        before = Decoder(tokenizer)
        shown = before.push(ids[:n_prompt])
        decoder = Decoder(tokenizer, prompt=ids[:n_prompt])
        parts = [decoder.push([token_id]) for token_id in ids[n_prompt:]]
        assert shown + "".join([*parts, decoder.finish()]) == tokenizer.decode(ids)

    check_text()
    check_ids()
