"""Training of the simplest tokenizers: whole words, and the characters of a corpus."""

from collections.abc import Mapping, Sequence
from typing import Any

import tokenloom
from tokenloom import _core
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.train import Corpus, corpus_documents
from tokenloom.spec import Pretokenizer, TokenizerSpec
from tokenloom.tokenizer import SpecialText, Tokenizer
from tokenloom.trainers import CharacterAlphabet, Progress, count_pretokens
from tokenloom.trainers.closed_characters import CHARACTER_CUTS, closed_characters_spec
from tokenloom.trainers.words import WORDS, WordOptions, train_words_on_counts

__all__ = ["train_characters", "train_words"]


def train_words(
    corpus: Corpus,
    vocab_size: int | None = None,
    special_tokens: Sequence[str] | None = (),
    *,
    unk_token: str = "<unk>",
    number_token: str | None = None,
    min_count: int = 1,
    pretokenizer: Pretokenizer = WORDS,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    special_text: SpecialText = "refuse",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a dictionary of words: words that it lacks are lost, all of them in one token.

    Args:
        corpus: as for `train`.
        vocab_size: the most tokens in all; None for all words.
        special_tokens: cut the text, are no words, and get the last ids.
        unk_token: stands for all words without a token.
        number_token: stands for all numbers, see `WordOptions`; None for none.
        min_count: words that occur less often get no token.
        pretokenizer: what a word is: a run of word characters, or one other character.
        documents: as for `train`.
        special_text: as for `train`.
        n_threads: as for `train`.
        progress: as for `train`.
    Raises: as `train`.

    >>> tokenizer = train_words(["I'll say the cat sat. I'll say!"], 8)
    >>> tokenizer.decode(tokenizer.encode("I'll say a cat!"))
    "I'll say <unk> <unk>!"
    """
    options = WordOptions(vocab_size, unk_token, number_token, min_count, special_tokens or (), pretokenizer)
    counts = _counted(corpus, options.special_tokens, pretokenizer, documents, n_threads, progress)
    training = train_words_on_counts(counts, options)
    facts = {
        "vocab_size": vocab_size,
        "unk_token": unk_token,
        "number_token": number_token,
        "min_count": min_count,
        "special_tokens": list(options.special_tokens),
    }
    return _trained(training.spec, "words", facts, counts, special_text)


def train_characters(
    corpus: Corpus,
    vocab_size: int | None = None,
    special_tokens: Sequence[str] | None = (),
    *,
    coverage: float = 1.0,
    unk_token: str = "<unk>",
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008
    special_text: SpecialText = "refuse",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a closed set of characters: each of the corpus is a token, all others are the unknown one.

    Args:
        corpus: as for `train`.
        vocab_size: the most tokens in all, the commonest characters first; None for as many as `coverage` says.
        special_tokens: cut the text, are no part of it, and get the last ids.
        coverage: see `CharacterAlphabet`.
        unk_token: stands for characters without a token.
        documents: as for `train`.
        special_text: as for `train`.
        n_threads: as for `train`.
        progress: as for `train`.
    Raises: as `train`.

    >>> tokenizer = train_characters(["hello"])
    >>> tokenizer.vocabulary
    {0: b'<unk>', 1: b'e', 2: b'h', 3: b'l', 4: b'o'}
    >>> tokenizer.decode(tokenizer.encode("hollow"))
    'hollo<unk>'
    """
    alphabet = CharacterAlphabet(coverage, unk_token=unk_token)
    alphabet.check_special(special_tokens or ())
    counts = _counted(corpus, special_tokens or (), CHARACTER_CUTS, documents, n_threads, progress)
    spec = closed_characters_spec(counts, alphabet, vocab_size=vocab_size, special_tokens=special_tokens or ())
    facts = {"vocab_size": vocab_size, **alphabet.values(), "special_tokens": list(special_tokens or ())}
    return _trained(spec, "characters", facts, counts, special_text)


def _counted(
    corpus: Corpus,
    special_tokens: Sequence[str],
    pretokenizer: Pretokenizer,
    documents: DocumentOptions,
    n_threads: int | None,
    progress: Progress | None,
) -> _core.PretokenCounts:
    return count_pretokens(
        corpus_documents(corpus, documents),
        pretokenizer=pretokenizer,
        special_tokens=special_tokens,
        n_threads=n_threads,
        progress=progress,
    )


def _trained(
    spec: TokenizerSpec,
    trainer: str,
    options: Mapping[str, Any],
    counts: _core.PretokenCounts,
    special_text: SpecialText,
) -> Tokenizer:
    provenance = {
        "tokenloom": tokenloom.__version__,
        "trainer": trainer,
        "options": dict(options),
        "n_corpus_bytes": counts.n_bytes,
    }
    return Tokenizer.from_spec(spec, special_text=special_text, provenance=provenance)
