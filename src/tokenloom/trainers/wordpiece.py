"""WordPiece: from counts of words to pieces that stand together far more often than by chance.

The pair with the highest `count(ab) / (count(a) * count(b))` is merged. That score is highest for two letters that
occur once in all, and together; so a pair must also occur often. How often is part of the result, and stated. The loop
is in the compiled core; `tokenloom.lessons.wordpiece_training` is its readable definition.

Ids are in BERT's order: special tokens, characters by code point, the same with the prefix, and what merges make.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal, NamedTuple, get_args

from tokenloom import _core
from tokenloom.errors import SpecError, TrainingError
from tokenloom.spec import (
    AddedToken,
    BertText,
    Decoder,
    DecodeWordpiece,
    Normalizer,
    Pretokenizer,
    TokenizerSpec,
    WordpieceModel,
    special_contents,
)
from tokenloom.spec.packing import pack_arena
from tokenloom.spec.pretokenizer_steps import BertStep, PretokenizerStep, WhitespaceStep
from tokenloom.tokenizer import RunOptions, check_choice
from tokenloom.trainers.character_alphabet import CharacterAlphabet
from tokenloom.trainers.count_options import MOST_COUNTED
from tokenloom.trainers.counts import Progress
from tokenloom.trainers.vocabulary_limit import VocabularyLimit, check_limit, check_room_for, check_size, fall_short
from tokenloom.wording import counted, quoted

__all__ = [
    "BERT_TOKENS",
    "WordpieceOptions",
    "WordpiecePattern",
    "WordpieceStep",
    "WordpieceTraining",
    "train_wordpiece_on_counts",
]

WordpiecePattern = Literal["bert", "whitespace"]

BERT_TOKENS: Final = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special tokens of BERT, in the order of their ids."""

_STEPS: Final[dict[WordpiecePattern, PretokenizerStep]] = {"bert": BertStep(), "whitespace": WhitespaceStep()}
_LEAST_PAIRS: Final = 2
"""A pair that occurs once says nothing, and would have the highest score of all."""


@dataclass(frozen=True, slots=True)
class WordpieceOptions:
    """What a training is asked for; checked before any text is read.

    Args:
        vocab_size: tokens in all: special ones, characters with and without the prefix, and merges.
        special_tokens: cut the text, are no part of the statistics, and get the first ids. `unk_token` goes before them
            if it is not among them.
        pattern: what a word is: `"bert"` cuts at blanks and sets each sign of punctuation apart, `"whitespace"` cuts at
            blanks and between words and signs. The blanks are lost.
        lowercase: letters become their lower case and lose their accents, as in BERT's uncased vocabularies. In any
            case controls are taken away and Chinese characters set apart.
        unk_token: what a word becomes that has a character without a token.
        prefix: stands before the pieces of a word but the first.
        min_pair_count: how often a pair must occur to be merged; training stops when none does. None begins with a
            thousandth of all characters and halves that whenever no pair is left, down to 2, which fills the
            vocabulary: rare pairs have high scores, and would come first otherwise.
        character_coverage: the commonest characters are taken until they make up this share of all.
        alphabet_limit: the most characters that are taken; None is no limit.
        max_input_chars_per_word: a word with more characters is unknown, see `WordpieceModel`.
        vocabulary_limit: what happens if the text has fewer merges, see `VocabularyLimit`.
    Raises: TrainingError for a value that no training can have; SpecialTokenError for an empty or double special token.

    >>> WordpieceOptions(100).fixed_tokens
    ('[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]')
    """

    vocab_size: int
    special_tokens: Sequence[str] = BERT_TOKENS
    pattern: WordpiecePattern = "bert"
    lowercase: bool = False
    unk_token: str = "[UNK]"
    prefix: str = "##"
    min_pair_count: int | None = None
    character_coverage: float = 1.0
    alphabet_limit: int | None = None
    max_input_chars_per_word: int = 100
    vocabulary_limit: VocabularyLimit = "soft"

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", tuple(special_contents(self.special_tokens)))
        check_choice("pattern", self.pattern, get_args(WordpiecePattern), TrainingError)
        check_limit(self.vocabulary_limit)
        _ = self.model, self.alphabet
        if type(self.lowercase) is not bool:
            raise TrainingError(f"lowercase {self.lowercase!r}: is neither True nor False. Use one of them.")
        if not self.prefix:
            raise TrainingError("prefix '': is empty, and the pieces of a word could not be told apart. Use '##'.")
        least = self.min_pair_count
        if least is not None and (type(least) is not int or not 1 <= least <= MOST_COUNTED):
            raise TrainingError(
                f"min_pair_count {least!r}: is no count. Use a whole number from 1 to {MOST_COUNTED:,}, or None to let "
                "it fall."
            )
        limit = self.alphabet_limit
        if limit is not None and (type(limit) is not int or limit < 1):
            raise TrainingError(
                f"alphabet_limit {limit!r}: is no number of characters. Use a whole number from 1, or None."
            )
        n_fixed = len(self.fixed_tokens)
        check_size(self.vocab_size, n_fixed=n_fixed, what=counted(n_fixed, "special token"))

    @property
    def model(self) -> WordpieceModel:
        """The model of the tokenizer. Raises: TrainingError for what no model can have."""
        try:
            return WordpieceModel(self.unk_token, self.prefix, self.max_input_chars_per_word)
        except SpecError as error:
            raise TrainingError(f"{type(self).__name__}: {error}") from error

    @property
    def normalizer(self) -> Normalizer:
        """How text is changed before it is cut into words."""
        return Normalizer((BertText(lowercase=self.lowercase, strip_accents=self.lowercase),))

    @property
    def alphabet(self) -> CharacterAlphabet:
        """Which characters get tokens."""
        return CharacterAlphabet(self.character_coverage, unk_token=self.unk_token)

    @property
    def fixed_tokens(self) -> tuple[str, ...]:
        """The tokens before the characters."""
        return tuple(
            dict.fromkeys([*([] if self.unk_token in self.special_tokens else [self.unk_token]), *self.special_tokens])
        )

    @property
    def pretokenizer(self) -> Pretokenizer:
        """How text is cut to be counted; blanks are pretokens there, and are passed over."""
        return Pretokenizer(self.pattern)

    def values(self) -> dict[str, Any]:
        """The options as JSON values."""
        return asdict(self) | {"special_tokens": list(self.special_tokens)}


class WordpieceStep(NamedTuple):
    """One merge.

    Args:
        left: the first part.
        right: the second part, with its prefix.
        token: what they make.
        n_pairs: how often they stood side by side, overlaps included.
        n_left: how often the first part occurred.
        n_right: how often the second did.
        n_tokens: the tokens of the corpus after the merge.
    """

    left: str
    right: str
    token: str
    n_pairs: int
    n_left: int
    n_right: int
    n_tokens: int

    @property
    def score(self) -> float:
        """How much likelier the two stand together than by chance, per token."""
        return self.n_pairs / (self.n_left * self.n_right)


@dataclass(frozen=True, slots=True)
class WordpieceTraining:
    """The result of a training.

    Args:
        options: what was asked for.
        spec: the tokenizer.
        steps: the merges in order.
        n_characters: characters that have tokens.
        n_bytes: the bytes of the corpus without special tokens.
        n_tokens: the tokens of the corpus in the end, without words that are unknown.
    """

    options: WordpieceOptions
    spec: TokenizerSpec
    steps: tuple[WordpieceStep, ...]
    n_characters: int
    n_bytes: int
    n_tokens: int


def train_wordpiece_on_counts(
    counts: _core.PretokenCounts,
    options: WordpieceOptions,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> WordpieceTraining:
    """Learn pieces from counts of words.

    Args:
        counts: how often each word occurs; what is nothing but blanks is passed over.
        options: what the tokenizer shall be.
        n_threads: as for other models; one thread merges.
        progress: called now and then with the merges made so far.
    Raises: TrainingError if the vocabulary is too small for the characters, or, under a hard limit, too large for the
        text.
    Warns: TrainingWarning if the corpus has fewer merges than asked for.

    >>> from tokenloom.trainers import pretoken_counts
    >>> counts = pretoken_counts({"quick": 9, "quack": 9, "duck": 9, "cat": 40, "tad": 40, "tab": 40})
    >>> training = train_wordpiece_on_counts(counts, WordpieceOptions(25, min_pair_count=9))
    >>> [step.token for step in training.steps]
    ['##ck', 'qu']
    """
    del n_threads
    n_bytes = counts.n_bytes
    counts = _words(counts, options)
    characters = _characters(counts, options)
    n_fixed = len(options.fixed_tokens)
    check_room_for(options.vocab_size, n_fixed=n_fixed, n_characters=len(characters), n_tokens_each=2)
    taken = [token.encode() for token in options.fixed_tokens]
    least = options.min_pair_count
    trainer = _core.WordpieceTrainer(counts, characters, options.prefix, taken, least, least or _LEAST_PAIRS)
    n_merges = options.vocab_size - n_fixed - 2 * len(characters)
    told = trainer.advance(n_merges, _reporter(progress, n_merges))
    if progress and told:
        progress("merge", len(told), n_merges)
    begun = [*characters, *(options.prefix + character for character in characters)]
    tokens = begun + [step[-1].decode() for step in told]
    fall_short(n_fixed + len(tokens), options.vocab_size, options.vocabulary_limit, why=_why(len(told), options))
    steps = tuple(WordpieceStep(tokens[left], tokens[right], tokens[len(begun) + place], *counted_as)
                  for place, (left, right, *counted_as, _) in enumerate(told))  # fmt: skip
    spec = _spec(tokens, options)
    return WordpieceTraining(options, spec, steps, len(characters), n_bytes, trainer.n_tokens())


def _words(counts: _core.PretokenCounts, options: WordpieceOptions) -> _core.PretokenCounts:
    """What the tokenizer makes of each pretoken: words of changed text, without blanks. What changes text looks at no
    more of it than a pretoken, so that those of a text are those of its pretokens.
    """
    pipeline = RunOptions("plain", "refuse", 0).pipeline(_spec((), options))
    found: dict[bytes, int] = {}
    for pretoken, count in counts.items():
        for word in pipeline.pretokens(pretoken, None, ()):
            found[word] = found.get(word, 0) + count
    return _core.PretokenCounts.from_pairs(sorted(found.items()))


def _characters(counts: _core.PretokenCounts, options: WordpieceOptions) -> str:
    """The characters that get tokens, by code point."""
    found = _core.Start.characters_of(counts)
    found.sort(key=lambda item: (-item[1], item[0]))
    characters = options.alphabet.chosen(found[: options.alphabet_limit]) if found else ""
    for token in options.fixed_tokens:
        if token in characters or token in {options.prefix + character for character in characters}:
            raise TrainingError(
                f"special token {quoted(token)}: is the token of a character of the text, which would become it. "
                "Choose another one."
            )
    return characters


def _why(n_merges: int, options: WordpieceOptions) -> str:
    least = options.min_pair_count or _LEAST_PAIRS
    return f"the corpus has only {counted(n_merges, 'merge')} of pairs that occur {counted(least, 'time')} or more"


def _spec(tokens: Sequence[str], options: WordpieceOptions) -> TokenizerSpec:
    """The tokenizer. The model needs the unknown token; the other special ones are none of its tokens."""
    fixed = options.fixed_tokens
    held = [token.encode() if token == options.unk_token else b"" for token in fixed]
    token_bytes, token_offsets = pack_arena([*held, *(token.encode() for token in tokens)])
    return TokenizerSpec(
        model=options.model,
        pretokenizer=Pretokenizer("sequence", steps=(_STEPS[options.pattern],)),
        added_tokens=tuple(AddedToken(token, token_id) for token_id, token in enumerate(fixed)),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=b"",
        decoder=Decoder((DecodeWordpiece(options.prefix),)),
        normalizer=options.normalizer,
    )


def _reporter(progress: Progress | None, n_merges: int) -> Callable[[int], object] | None:
    return (lambda n_done: progress("merge", n_done, n_merges)) if progress else None
