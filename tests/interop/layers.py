"""The tokenizers of `tests/layered.py` for the library `tokenizers`."""

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken as TheirAddedToken
from tokenizers import Regex, normalizers
from tokenizers import Tokenizer as TheirTokenizer
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import ByteLevel

from tests.layered import MERGES, VOCABULARY
from tokenloom.spec import (
    AddedToken,
    BertText,
    Lowercase,
    Normalizer,
    NormalizerStep,
    Prepend,
    Replace,
    Strip,
    UnicodeForm,
)
from tokenloom.spec.alphabets import to_characters


def their_tokenizer(added: Sequence[AddedToken], normalizer: Normalizer | None) -> TheirTokenizer:
    """The same for `tokenizers`."""
    ids = {to_characters(token): token_id for token_id, token in VOCABULARY.items()}
    merges = [(to_characters(left), to_characters(right)) for left, right in MERGES]
    theirs = TheirTokenizer(BPE(ids, merges))
    theirs.pre_tokenizer = ByteLevel(add_prefix_space=False)
    if normalizer:
        theirs.normalizer = normalizers.Sequence([their_step(step) for step in normalizer.steps])
    for token in added:
        flags = {name: getattr(token, name) for name in ("special", "single_word", "lstrip", "rstrip", "normalized")}
        theirs.add_tokens([TheirAddedToken(token.content, **flags)])
    return theirs


def their_step(step: NormalizerStep) -> Any:
    """A step for `tokenizers`."""
    match step:
        case UnicodeForm(form):
            return getattr(normalizers, form.upper())()
        case BertText(clean_text, handle_chinese_chars, strip_accents, lowercase):
            return normalizers.BertNormalizer(clean_text, handle_chinese_chars, strip_accents, lowercase)
        case Lowercase():
            return normalizers.Lowercase()
        case Prepend(text):
            return normalizers.Prepend(text)
        case Replace(str(text), by):
            return normalizers.Replace(text, by)
        case Replace(None, by, str(pattern)):
            return normalizers.Replace(Regex(pattern), by)
        case Strip(left, right):
            return normalizers.Strip(left, right)


def their_ids(theirs: TheirTokenizer, added: Sequence[AddedToken], text: str) -> list[int]:
    """Their ids of a text, with our ids in the place of theirs for added tokens."""
    ours = {theirs.token_to_id(token.content): token.id for token in added}
    return [ours.get(token_id, token_id) for token_id in theirs.encode(text).ids]


def is_defined(theirs: TheirTokenizer, added: Sequence[AddedToken]) -> bool:
    """Whether they always find the same token: of several with one normalized text they find any, and one of which
    nothing is left when it is normalized makes them panic.
    """
    normalize = theirs.normalizer.normalize_str if theirs.normalizer else str
    patterns = [normalize(token.content) for token in added if token.normalized]
    return len(set(patterns)) == len(patterns) and all(patterns)
