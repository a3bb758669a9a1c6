"""Training of WordPiece and unigram models from documents: what returns a tokenizer."""

from collections.abc import Sequence
from typing import Any

import tokenloom
from tokenloom.corpus import DocumentOptions
from tokenloom.jobs.train import Corpus, corpus_documents
from tokenloom.spec import Normalizer, NormalizerName, normalizer_of
from tokenloom.tokenizer import SpecialText, Tokenizer
from tokenloom.trainers import (
    BERT_TOKENS,
    Pattern,
    Progress,
    UnigramOptions,
    VocabularyLimit,
    WordpieceOptions,
    count_pretokens,
)
from tokenloom.trainers.models import ModelOptions, ModelTraining, counted_normalizer, model_name, train_model_on_counts
from tokenloom.trainers.wordpiece import WordpiecePattern

__all__ = ["model_provenance", "train_unigram", "train_wordpiece"]


def train_wordpiece(
    corpus: Corpus,
    vocab_size: int,
    special_tokens: Sequence[str] = BERT_TOKENS,
    *,
    pattern: WordpiecePattern = "bert",
    lowercase: bool = False,
    unk_token: str = "[UNK]",
    prefix: str = "##",
    min_pair_count: int | None = None,
    character_coverage: float = 1.0,
    alphabet_limit: int | None = None,
    max_input_chars_per_word: int = 100,
    vocabulary_limit: VocabularyLimit = "soft",
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    special_text: SpecialText = "refuse",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a WordPiece tokenizer: pairs are merged that stand together far more often than by chance.

    Args:
        corpus: as for `train`.
        vocab_size: tokens in all, see `WordpieceOptions`, which has the next arguments too.
        special_tokens: get the first ids.
        pattern: what a word is.
        lowercase: letters become lower case and lose their accents.
        unk_token: what a word becomes that has a character without a token.
        prefix: stands before the pieces of a word but the first.
        min_pair_count: how often a pair must occur; None lets that fall until the vocabulary is full.
        character_coverage: the share of the text that its characters with tokens make up.
        alphabet_limit: the most characters that are taken; None is no limit.
        max_input_chars_per_word: a word with more characters is unknown.
        vocabulary_limit: what happens if the text has fewer merges.
        documents: as for `train`.
        special_text: as for `train`.
        n_threads: threads that count. The result does not depend on it.
        progress: called with the stage (`"count"`, `"merge"`), how much is done, and how much there is.
    Raises: as `train`.
    Warns: TrainingWarning if the corpus has fewer merges than asked for.

    >>> tokenizer = train_wordpiece(["a duck, a quick duck and a quack"], 26)
    >>> [token.decode() for token in tokenizer.vocabulary.values()][-3:]
    ['##ck', 'du', 'qu']
    """
    options = WordpieceOptions(
        vocab_size,
        special_tokens,
        pattern,
        lowercase,
        unk_token,
        prefix,
        min_pair_count,
        character_coverage,
        alphabet_limit,
        max_input_chars_per_word,
        vocabulary_limit,
    )
    return _trained(corpus, options, documents, special_text, n_threads, progress)


def train_unigram(
    corpus: Corpus,
    vocab_size: int,
    special_tokens: Sequence[str] = (),
    *,
    pattern: Pattern | None = "gpt2",
    unk_token: str = "<unk>",
    byte_fallback: bool = False,
    character_coverage: float = 1.0,
    max_piece_chars: int = 16,
    n_seed_pieces: int = 1_000_000,
    vocabulary_limit: VocabularyLimit = "soft",
    normalizer: NormalizerName | Normalizer | None = None,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008
    special_text: SpecialText = "refuse",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a unigram tokenizer, as SentencePiece does: pieces with probabilities, of which the best cut is taken.

    Spaces are written U+2581; nothing is put before a text, and blanks are kept.

    Args:
        corpus: as for `train`.
        vocab_size: tokens in all, see `UnigramOptions`, which has the next arguments too.
        special_tokens: get the ids behind the unknown token.
        pattern: what a piece may lie in.
        unk_token: what a character becomes that is in no piece.
        byte_fallback: such a character becomes the tokens of its bytes.
        character_coverage: the share of the text that its characters with pieces make up.
        max_piece_chars: no piece is longer.
        n_seed_pieces: pieces to begin with, at most.
        vocabulary_limit: what happens if the text has fewer pieces.
        normalizer: changes text before it is cut, as for `train`.
        documents: as for `train`.
        special_text: as for `train`.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called with the stage (`"count"`, `"shrink"`), how much is done, and how much there is.
    Raises: as `train`.
    Warns: TrainingWarning if the corpus has fewer pieces than asked for.

    >>> tokenizer = train_unigram(["the cat in the hat"] * 9, 14)
    >>> [tokenizer.decode([token_id]) for token_id in tokenizer.encode("the hat cat")]
    ['the', ' hat', ' cat']
    """
    options = UnigramOptions(
        vocab_size,
        special_tokens,
        pattern,
        unk_token,
        byte_fallback,
        character_coverage,
        max_piece_chars,
        n_seed_pieces,
        vocabulary_limit,
        normalizer_of(normalizer),
    )
    return _trained(corpus, options, documents, special_text, n_threads, progress)


def _trained(
    corpus: Corpus,
    options: ModelOptions,
    documents: DocumentOptions,
    special_text: SpecialText,
    n_threads: int | None,
    progress: Progress | None,
) -> Tokenizer:
    counts = count_pretokens(
        corpus_documents(corpus, documents),
        pretokenizer=options.pretokenizer,
        special_tokens=options.special_tokens,
        n_threads=n_threads,
        progress=progress,
        normalizer=counted_normalizer(options),
    )
    training = train_model_on_counts(counts, options, n_threads=n_threads, progress=progress)
    provenance = model_provenance(training, n_bytes=counts.n_bytes)
    return Tokenizer.from_spec(training.spec, special_text=special_text, provenance=provenance)


def model_provenance(training: ModelTraining, *, n_bytes: int) -> dict[str, Any]:
    """What is kept about a training beside its result: enough to do it again on the same corpus."""
    return {
        "tokenloom": tokenloom.__version__,
        "trainer": model_name(training.options),
        "options": training.options.values(),
        "n_corpus_bytes": n_bytes,
    }
