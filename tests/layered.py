"""Small tokenizers with generated added tokens and normalizers; shared by all tests of both."""

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from tests.strategies import HARD_PARTS
from tokenloom import Tokenizer
from tokenloom.spec import (
    AddedToken,
    BertText,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Replace,
    Strip,
    TokenizerSpec,
    UnicodeForm,
    build_spec,
)

BYTES: Final = {byte: bytes([byte]) for byte in range(256)}
MERGES: Final = [(b"t", b"h"), (b"th", b"e"), (b" ", b"the"), (b"a", b"b"), (b"e", b"\xcc"), (b"\n", b" ")]
VOCABULARY: Final = BYTES | {256 + rank: left + right for rank, (left, right) in enumerate(MERGES)}

IDS: Final = {token: token_id for token_id, token in VOCABULARY.items()}

CONTENTS: Final = (
    *("<m>", "<m><m>", "<M>", "cat", "Cat", "cats", "a", "ab", "bab", "the", "The", "\u00e9", "e\u0301", "\u0301"),
    *("<|end|>", "<|endoftext|>", "\u4f60", "_", "1", "\ufb01", "x y", "'s", "\u212b", "!?"),
)
BLANK_CONTENTS: Final = ("  ", "\n\n", "\t\n", " a", "a ", "\u3000", " \u00a0", " <m>")
"""No single byte: theirs has two ids for a blank that is also an added token."""

TEXT_PARTS: Final = (
    *HARD_PARTS,
    *CONTENTS,
    *BLANK_CONTENTS,
    *(
        "CAT",
        "caT",
        "Ab",
        "\u0130",
        "\u03a3",
        "\ufb01x",
        "\u1e9b\u0323",
        "\u0958",
        "\uac00",
        "\u1100\u1161",
        "THE\u0301",
    ),
)
texts: st.SearchStrategy[str] = st.lists(st.sampled_from(TEXT_PARTS), max_size=14).map("".join)

steps: st.SearchStrategy[NormalizerStep] = st.one_of(
    st.builds(UnicodeForm, st.sampled_from(["nfc", "nfd", "nfkc", "nfkd"])),
    st.just(Lowercase()),
    st.builds(BertText, lowercase=st.just(True)) | st.just(BertText(lowercase=False)),
    st.sampled_from([Prepend("\u2581"), Prepend("a")]),
    st.sampled_from([Replace(" ", by="\u2581"), Replace("a", by=""), Replace("ab", by="a"), Replace("\u0301", by=" ")]),
    st.sampled_from([Replace(pattern="[ab]+", by="e"), Replace(pattern=r"\s(?=\S)", by="")]),
    st.sampled_from([Strip(left=True, right=True), Strip(left=False, right=True), Strip(left=True, right=False)]),
)
normalizer_values: st.SearchStrategy[Normalizer | None] = st.none() | st.builds(
    Normalizer, st.lists(steps, min_size=1, max_size=3)
)


def added_tokens(contents: Sequence[str]) -> st.SearchStrategy[tuple[AddedToken, ...]]:
    """Tokens with these contents, some of them, with any flags."""
    flags = {name: st.booleans() for name in ("special", "single_word", "lstrip", "rstrip", "normalized")}
    chosen = st.lists(st.tuples(st.sampled_from(contents), st.fixed_dictionaries(flags)), max_size=6)
    unique = chosen.map(lambda drawn: dict(drawn).items())
    return unique.map(
        lambda drawn: tuple(
            AddedToken(content, IDS.get(content.encode(), len(VOCABULARY) + place), **values)
            for place, (content, values) in enumerate(drawn)
        )
    )


def our_spec(added: Sequence[AddedToken], normalizer: Normalizer | None) -> TokenizerSpec:
    """One with GPT-2's pattern."""
    return build_spec(VOCABULARY, MERGES, added_tokens=added, normalizer=normalizer)


def our_tokenizer(added: Sequence[AddedToken], normalizer: Normalizer | None) -> Tokenizer:
    """One that parses special tokens, as theirs does."""
    return Tokenizer.from_spec(our_spec(added, normalizer), special_text="parse")
