"""The models that merge nothing, or not by count: what each is asked for, and how it is trained on counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Normalizer, Pretokenizer, TokenizerSpec, special_contents
from tokenloom.tokenizer import check_threads
from tokenloom.trainers.character_alphabet import CharacterAlphabet
from tokenloom.trainers.closed_characters import CHARACTER_CUTS
from tokenloom.trainers.counts import Progress
from tokenloom.trainers.unigram import UnigramOptions, UnigramTraining, train_unigram_on_counts
from tokenloom.trainers.vocabulary_limit import VocabularyLimit, check_limit, check_room_for, check_size, fall_short
from tokenloom.trainers.wordpiece import WordpieceOptions, WordpieceTraining, train_wordpiece_on_counts
from tokenloom.trainers.words import WordOptions, WordTraining, train_words_on_counts
from tokenloom.wording import counted

__all__ = [
    "CharacterOptions",
    "CharacterTraining",
    "ModelOptions",
    "ModelTraining",
    "counted_normalizer",
    "memory_bytes",
    "model_name",
    "train_model_on_counts",
]


@dataclass(frozen=True, slots=True)
class CharacterOptions:
    """What a set of characters is asked for.

    Args:
        vocab_size: tokens in all: what stands for other characters, characters, and special tokens.
        special_tokens: cut the text, and get the last ids.
        alphabet: which characters get a token, and what becomes of the others.
        vocabulary_limit: what happens if the text has fewer characters, see `VocabularyLimit`.
    Raises: TrainingError for a value that no set can have; SpecialTokenError for an empty or double special token.

    >>> CharacterOptions(100).n_fixed
    1
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    alphabet: CharacterAlphabet = CharacterAlphabet(unk_token="<unk>")  # noqa: RUF009 - a frozen value
    vocabulary_limit: VocabularyLimit = "soft"

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", tuple(special_contents(self.special_tokens)))
        check_limit(self.vocabulary_limit)
        self.alphabet.check_special(self.special_tokens)
        check_size(self.vocab_size, n_fixed=self.n_fixed, what="what is there without characters")

    @property
    def n_fixed(self) -> int:
        """Tokens that are no characters."""
        return len({*self.alphabet.fixed_tokens, *self.special_tokens})

    @property
    def pretokenizer(self) -> Pretokenizer:
        """How text is cut to be counted, and to be encoded: no id depends on it."""
        return CHARACTER_CUTS

    def values(self) -> dict[str, Any]:
        """The options as JSON values."""
        return {
            "vocab_size": self.vocab_size,
            "special_tokens": list(self.special_tokens),
            "vocabulary_limit": self.vocabulary_limit,
            **self.alphabet.values(),
        }


@dataclass(frozen=True, slots=True)
class CharacterTraining:
    """A set of characters.

    Args:
        options: what was asked for.
        spec: the tokenizer.
        n_characters: characters that have a token.
    """

    options: CharacterOptions
    spec: TokenizerSpec
    n_characters: int


ModelOptions: TypeAlias = WordpieceOptions | UnigramOptions | CharacterOptions | WordOptions
ModelTraining: TypeAlias = WordpieceTraining | UnigramTraining | CharacterTraining | WordTraining

_NAMES: Final = {
    WordpieceOptions: "wordpiece",
    UnigramOptions: "unigram",
    CharacterOptions: "char",
    WordOptions: "word",
}

_SYMBOL_BYTES: Final = {WordpieceOptions: 20, UnigramOptions: 12, CharacterOptions: 1, WordOptions: 1}
_PRETOKEN_BYTES: Final = {WordpieceOptions: 200, UnigramOptions: 60, CharacterOptions: 34, WordOptions: 300}
"""What a training takes for each byte of a distinct pretoken, and for each of these: rounded up from what was seen on
the texts of the benchmarks."""
_SEED_BYTES: Final = 300
"""For each piece that a unigram model begins with."""
_FIXED_BYTES: Final = 2_000_000


def counted_normalizer(options: ModelOptions) -> Normalizer | None:
    """What changes text before it is counted. WordPiece changes words that are counted already."""
    return options.normalizer if isinstance(options, UnigramOptions) else None


def model_name(options: ModelOptions) -> str:
    """What a model is called.

    >>> model_name(UnigramOptions(1000))
    'unigram'
    """
    return _NAMES[type(options)]


def memory_bytes(options: ModelOptions, *, n_pretokens: int, n_pretoken_bytes: int) -> int:
    """About the most that a training takes for so many distinct pretokens, with the counts themselves."""
    kind = type(options)
    n_seeds = min(options.n_seed_pieces, n_pretoken_bytes // 2) if isinstance(options, UnigramOptions) else 0
    return (
        _FIXED_BYTES
        + n_pretoken_bytes * _SYMBOL_BYTES[kind]
        + n_pretokens * _PRETOKEN_BYTES[kind]
        + n_seeds * _SEED_BYTES
    )


def train_model_on_counts(
    counts: _core.PretokenCounts,
    options: ModelOptions,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> ModelTraining:
    """Train the model that the options are of; see the training of each for its errors and warnings.

    >>> from tokenloom.trainers import pretoken_counts
    >>> training = train_model_on_counts(pretoken_counts({"abba": 1}), CharacterOptions(3))
    >>> training.spec.vocabulary()
    {0: b'<unk>', 1: b'a', 2: b'b'}
    """
    check_threads(n_threads, TrainingError)
    match options:
        case WordpieceOptions():
            return train_wordpiece_on_counts(counts, options, n_threads=n_threads, progress=progress)
        case UnigramOptions():
            return train_unigram_on_counts(counts, options, n_threads=n_threads, progress=progress)
        case WordOptions():
            return train_words_on_counts(counts, options)
    return _characters_of(counts, options)


def _characters_of(counts: _core.PretokenCounts, options: CharacterOptions) -> CharacterTraining:
    alphabet, special = options.alphabet, options.special_tokens
    start = alphabet.start(counts, special_tokens=special, pretokenizer=options.pretokenizer)
    n_characters = len(start.characters)
    check_room_for(options.vocab_size, n_fixed=options.n_fixed, n_characters=n_characters)
    why = f"the corpus has only {counted(n_characters, 'character')}"
    fall_short(start.n_tokens, options.vocab_size, options.vocabulary_limit, why=why)
    return CharacterTraining(options, start.spec(()), n_characters)
