"""Training from files: the course's `train_bpe`, and `train`, which returns a tokenizer."""

import glob
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, Literal, TypeAlias

import tokenloom
from tokenloom import _core
from tokenloom.corpus import DocumentOptions, DocumentParts, list_sources, read_blocks, read_source
from tokenloom.corpus import documents as documents_of
from tokenloom.errors import CorpusError, TrainingError
from tokenloom.spec import Alphabet, Normalizer, NormalizerName, TokenizerSpec, normalizer_of, special_contents
from tokenloom.tokenizer import DEFAULT_CACHE_BYTES, RunOptions, SpecialText, Surrogates, Tokenizer
from tokenloom.trainers import (
    BpeOptions,
    BpeTraining,
    CharacterAlphabet,
    Document,
    Pattern,
    Progress,
    TieBreak,
    TrainingRecord,
    count_pretokens,
    record_training,
    train_on_counts,
)
from tokenloom.trainers.start_alphabets import init_cuts

__all__ = [
    "Corpus",
    "Initial",
    "corpus_documents",
    "initial_spec",
    "train",
    "train_bpe",
    "train_recorded",
    "train_with_record",
    "training_provenance",
]

_REMEDY: Final[Mapping[type, str]] = {
    dict: "Pass the text of each row, such as row['text']",
    bytearray: "Pass bytes(document)",
    memoryview: "Pass bytes(document)",
}
"""What to do with a document that is neither str nor bytes nor a path."""

Initial: TypeAlias = Tokenizer | TokenizerSpec | str | os.PathLike[str]

Corpus: TypeAlias = str | os.PathLike[str] | Iterable[str | bytes | os.PathLike[str] | DocumentParts]


def train_bpe(
    input_path: str | os.PathLike[str],
    vocab_size: int,
    special_tokens: Sequence[str] | None,
    *,
    pattern: Pattern | None = "gpt2",
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    """Train byte-level BPE on a text file: the interface of the course's first assignment.

    Returns: the vocabulary, token bytes by id (256 bytes, merges, special tokens), and the merges in order.
    The other arguments and the errors are those of `train`.
    """
    if not isinstance(input_path, (str, os.PathLike)):
        raise TrainingError(
            f"input_path {reprlib.repr(input_path)}: is of type {_type_name(input_path)}, not a path. "
            "Pass the path of a text file, or pass documents to tokenloom.train."
        )
    options = BpeOptions(vocab_size, special_contents(special_tokens), pattern, tie_break, alphabet)
    training = _trained([read_blocks(input_path)], options, n_threads, progress)
    return training.spec.vocabulary(), training.spec.merge_list()


def train(
    corpus: Corpus,
    vocab_size: int,
    special_tokens: Sequence[str] | None = (),
    *,
    pattern: Pattern | Literal["default"] | None = "default",
    tie_break: TieBreak = "lexicographic",
    alphabet: Alphabet = "bytes",
    min_pair_count: int = 1,
    max_token_bytes: int | None = None,
    whole_characters: bool = False,
    must_have: Sequence[str] = (),
    init: Initial | None = None,
    characters: CharacterAlphabet | None = None,
    normalizer: NormalizerName | Normalizer | None = None,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    special_text: SpecialText = "refuse",
    surrogates: Surrogates = "refuse",
    cache_bytes: int = DEFAULT_CACHE_BYTES,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> Tokenizer:
    """Train a byte-level BPE tokenizer.

    Args:
        corpus: a path, as str or Path: a file, a folder or a pattern; or an iterable of documents, of which str and
            bytes are texts, and a Path stands for the documents of its files.
        vocab_size: tokens in all: 256 bytes, or the tokens of `init` or `characters`, merges and special tokens.
        special_tokens: cut the text and are no part of the statistics; with `init` none are those that it has.
        pattern: cuts text, and merges never cross a cut: a name such as `"gpt2"`, or a `Pretokenizer`, see
            `BpeOptions`; None does not cut, and `"default"` is the pattern of `init`, or `"gpt2"`.
        tie_break: which of several pairs with the highest count is merged, see `BpeOptions`.
        alphabet: the order of the 256 bytes among the ids, see `BpeOptions`.
        min_pair_count: training stops when no pair occurs so often.
        max_token_bytes: no merge makes a longer token; None is no limit.
        whole_characters: no merge joins a character with a part of another, see `BpeOptions`.
        must_have: texts that shall be one token each, whatever the corpus says, see `BpeOptions`.
        init: a tokenizer, or what `Tokenizer.load` takes, which grows to `vocab_size` ids, see `BpeOptions`.
        characters: which characters merges begin with, in place of bytes; None for bytes.
        normalizer: changes text before it is cut, here and later: a name, such as `"nfkc"`, or a `Normalizer`.
        documents: how files are cut into documents, see `DocumentOptions`.
        special_text: what the tokenizer does with special tokens in a text, see `Tokenizer`.
        surrogates: what the tokenizer does with lone surrogates, see `Tokenizer`; in the corpus they are refused.
        cache_bytes: memory of the tokenizer for words already seen, see `Tokenizer`.
        n_threads: threads to use, on which the result does not depend; None for one a core.
        progress: called with the stage (`"count"`, `"merge"`), how much is done (bytes, merges) and how much there is.
    Raises: CorpusError if a file cannot be read; TrainingError for a vocab_size that no corpus can meet, or a document
        of another type; SpecError, SpecialTokenError for unknown options; EncodeError for a lone surrogate.
    Warns: TrainingWarning if the corpus has fewer merges than asked for.

    >>> train(["the cat in the hat"], 259, pattern=None).merges
    [(b't', b'h'), (b'th', b'e'), (b'the', b' ')]
    """
    run_options = RunOptions(special_text, surrogates, cache_bytes)
    start = None if init is None else initial_spec(init)
    special_tokens, pattern = _cuts(special_contents(special_tokens), pattern, start)
    more = (min_pair_count, max_token_bytes, whole_characters, must_have, start, characters, normalizer_of(normalizer))
    options = BpeOptions(vocab_size, special_tokens, pattern, tie_break, alphabet, *more)
    training = train_with_record(corpus, options, documents=documents, n_threads=n_threads, progress=progress)
    return Tokenizer.from_spec(training.spec, **asdict(run_options), provenance=training_provenance(training))


def _cuts(
    special_tokens: Sequence[str], pattern: Pattern | Literal["default"] | None, init: TokenizerSpec | None
) -> tuple[Sequence[str], Pattern | None]:
    """What cuts the text; what is not said is that of a tokenizer to begin with."""
    if init is None:
        return special_tokens, "gpt2" if pattern == "default" else pattern
    pretokenizer, added = init_cuts(init)
    return special_tokens or added, pretokenizer if pattern == "default" else pattern


def initial_spec(init: Initial) -> TokenizerSpec:
    """The description of a tokenizer that a training begins with.

    Raises: what `Tokenizer.load` raises, for what it cannot load.
    """
    if isinstance(init, TokenizerSpec):
        return init
    return init.spec if isinstance(init, Tokenizer) else Tokenizer.load(init).spec


def train_with_record(
    corpus: Corpus,
    options: BpeOptions,
    *,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> BpeTraining:
    """As `train`, but returns the description of the tokenizer with the record of its merges."""
    return _trained(corpus_documents(corpus, documents), options, n_threads, progress)


def _trained(
    documents: Iterable[Document], options: BpeOptions, n_threads: int | None, progress: Progress | None
) -> BpeTraining:
    return train_on_counts(_counted(documents, options, n_threads, progress), options, progress=progress)


def _counted(
    documents: Iterable[Document], options: BpeOptions, n_threads: int | None, progress: Progress | None
) -> _core.PretokenCounts:
    return count_pretokens(
        documents,
        pretokenizer=options.pretokenizer,
        special_tokens=options.special_tokens,
        n_threads=n_threads,
        progress=progress,
        normalizer=options.normalizer,
    )


def train_recorded(
    corpus: Corpus,
    options: BpeOptions,
    *,
    documents: DocumentOptions = DocumentOptions(),  # noqa: B008 - a frozen value
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> TrainingRecord:
    """As `train`, but returns every merge with what decided it, and the tokenizer of every step.

    >>> record = train_recorded(["the cat in the hat"], BpeOptions(259, pattern=None))
    >>> record.merge(1)
    MergeStep(left=b't', right=b'h', n_pairs=2, n_tokens=16, n_tied=3, runner_up=(b'h', b'e'), n_runner_up_pairs=2)
    """
    counts = _counted(corpus_documents(corpus, documents), options, n_threads, progress)
    training = train_on_counts(counts, options, runner_up=True, progress=progress)
    return record_training(training, counts, provenance=training_provenance(training))


def training_provenance(training: BpeTraining) -> dict[str, Any]:
    """What is kept about a training beside its result: enough to do it again on the same corpus."""
    return {
        "tokenloom": tokenloom.__version__,
        "trainer": "bpe",
        "options": training.options.values(),
        "n_merges": len(training.steps),
        "n_corpus_bytes": training.n_bytes,
    }


def corpus_documents(corpus: Corpus, options: DocumentOptions) -> Iterator[Document]:
    """The documents of what `train` takes; see there for the errors."""
    if isinstance(corpus, str):
        yield from _named_documents(corpus, options)
    elif isinstance(corpus, os.PathLike):
        yield from _file_documents(corpus, options)
    elif isinstance(corpus, (bytes, bytearray, memoryview, Mapping)) or not isinstance(corpus, Iterable):
        raise TrainingError(
            f"corpus {reprlib.repr(corpus)}: is of type {_type_name(corpus)}, neither a path nor documents. "
            "Pass a list of texts."
        )
    else:
        for position, document in enumerate(corpus):
            if isinstance(document, os.PathLike):
                yield from _file_documents(document, options)
            else:
                yield _checked(position, document)


def _checked(position: int, document: object) -> Document:
    """Refuses whatever might be iterated by accident: a dict would give its keys, a list of texts one document."""
    if isinstance(document, (str, bytes, DocumentParts)):
        return document
    raise TrainingError(
        f"corpus, document {position}: {reprlib.repr(document)} is of type {_type_name(document)}, no text. "
        f"{_REMEDY.get(type(document), 'Pass each document as str, as bytes, or as the Path of a text file')}."
    )


def _file_documents(path: str | os.PathLike[str], options: DocumentOptions) -> Iterator[Document]:
    for source in list_sources([path], options):
        yield from documents_of(read_source(source, options))


def _named_documents(path: str, options: DocumentOptions) -> Iterator[Document]:
    """The documents of files; whoever passed a text in the place of a path is told how to pass texts."""
    try:
        yield from _file_documents(path, options)
    except CorpusError as error:
        if os.path.lexists(path) or glob.has_magic(path):
            raise
        raise CorpusError(f"{error} A str is the path of a file: pass a text to tokenloom.train in a list.") from error


def _type_name(value: object) -> str:
    return type(value).__qualname__
