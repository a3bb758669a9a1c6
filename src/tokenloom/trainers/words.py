r"""Whole words as tokens: the commonest of a corpus, one token for all others, and perhaps one for numbers.

What a word is, the pretokenizer says that made the counts. `WORD_PATTERN` cuts into runs of word characters and single
other ones; the `.` of the usual `\w+|.` leaves out ends of lines unless DOTALL is set, and `\W` cannot. Where words are
not written apart, as in Chinese, a whole clause is one word.

Ids: the unknown token, the token of numbers, words by falling count (of equals the one with the smaller bytes first),
and behind them special tokens. See `tokenloom.lessons.words`.
"""

import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import AddedToken, Decoder, Pretokenizer, TokenizerSpec, WordModel, special_contents
from tokenloom.spec.components import ID_LIMIT
from tokenloom.spec.packing import pack_arena
from tokenloom.trainers.count_options import MOST_COUNTED
from tokenloom.wording import quoted

__all__ = ["WORDS", "WORD_PATTERN", "WordOptions", "WordTraining", "train_words_on_counts"]

WORD_PATTERN: Final = r"\w+|\W"
"""A run of word characters, or one other character."""
WORDS: Final = Pretokenizer("custom", regex=WORD_PATTERN)


@dataclass(frozen=True, slots=True)
class WordOptions:
    r"""What a dictionary of words is asked for; checked before any text is read.

    Args:
        vocab_size: the most tokens in all: the unknown token, that of numbers, words and special tokens. None for all.
        unk_token: stands for all words that have no token.
        number_token: stands for all words whose characters are numbers (`\p{N}`), which then get none of their own;
            None treats them as others.
        min_count: words that occur less often get no token.
        special_tokens: get the ids behind the words.
        pretokenizer: that of the counts and of the tokenizer.
    Raises: TrainingError for a value that no dictionary can have; SpecialTokenError for an empty or double special
        token.

    >>> WordOptions(3, number_token="[number]").n_fixed
    2
    """

    vocab_size: int | None = None
    unk_token: str = "<unk>"
    number_token: str | None = None
    min_count: int = 1
    special_tokens: Sequence[str] = ()
    pretokenizer: Pretokenizer = WORDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", special_contents(self.special_tokens))
        _ = self.model
        if self.number_token == self.unk_token:
            raise TrainingError(f"number_token {quoted(self.number_token)}: is the unk_token. Choose another.")
        if type(self.min_count) is not int or not 1 <= self.min_count <= MOST_COUNTED:
            raise TrainingError(
                f"min_count {self.min_count!r}: is no count. Use a whole number from 1 to {MOST_COUNTED:,}."
            )
        size, least = self.vocab_size, self.n_fixed
        if size is not None and (type(size) is not int or not least <= size <= ID_LIMIT):
            raise TrainingError(
                f"vocab_size {size!r}: must be a whole number from {least:,}, what is there without words, to "
                f"{ID_LIMIT:,}. Choose one in this range, or None for all words."
            )

    @property
    def model(self) -> WordModel:
        """The model of the tokenizer. Raises: TrainingError for tokens that are no text."""
        try:
            return WordModel(self.unk_token, number_token=self.number_token)
        except ValueError as error:
            raise TrainingError(f"{type(self).__name__}: {error}") from error

    def values(self) -> dict[str, Any]:
        """The options as JSON values."""
        return {
            "vocab_size": self.vocab_size,
            "unk_token": self.unk_token,
            "number_token": self.number_token,
            "min_count": self.min_count,
            "special_tokens": list(self.special_tokens),
        }

    @property
    def fixed_tokens(self) -> tuple[str, ...]:
        """The tokens before the words."""
        return (self.unk_token, *([] if self.number_token is None else [self.number_token]))

    @property
    def n_fixed(self) -> int:
        """Tokens that are no words."""
        return len({*self.fixed_tokens, *self.special_tokens})


@dataclass(frozen=True, slots=True)
class WordTraining:
    """A dictionary of words, and what it leaves out.

    Args:
        options: what was asked for.
        spec: the tokenizer.
        n_words: words that have a token.
        n_left_out: distinct words that have none.
        n_unknown: occurrences of these in the corpus.
        n_numbers: occurrences of numbers that became the token for them.
        n_occurrences: all words of the corpus.
    """

    options: WordOptions
    spec: TokenizerSpec
    n_words: int
    n_left_out: int
    n_unknown: int
    n_numbers: int
    n_occurrences: int


def train_words_on_counts(counts: _core.PretokenCounts, options: WordOptions = WordOptions()) -> WordTraining:
    """Choose words from counts of pretokens that were cut by the pretokenizer of the options.

    Words that are no UTF-8 get no token. Raises: TrainingError if a fixed token is a word of the corpus, which would
    become it.

    >>> from tokenloom.trainers import pretoken_counts
    >>> training = train_words_on_counts(pretoken_counts({"the": 3, " ": 5, "cat": 2, "sat": 2}), WordOptions(4))
    >>> training.spec.vocabulary()
    {0: b'<unk>', 1: b' ', 2: b'the', 3: b'cat'}
    >>> training.n_left_out, training.n_unknown
    (1, 2)
    """
    found = counts.items()
    fixed = [token.encode() for token in options.fixed_tokens]
    _refuse_fixed(found, fixed, options)
    is_number = _core.is_number if options.number_token is not None else lambda _: False
    numbers = sum(count for word, count in found if is_number(word))
    words = [(word, count) for word, count in found if count >= options.min_count and not is_number(word)]
    words = sorted(((word, count) for word, count in words if _is_text(word)), key=lambda item: (-item[1], item[0]))
    room = None if options.vocab_size is None else options.vocab_size - options.n_fixed
    chosen = words[:room]
    total = sum(count for _, count in found)
    n_numbers = sum(1 for word, _ in found if is_number(word))
    return WordTraining(
        options,
        _spec(fixed, [word for word, _ in chosen], options),
        n_words=len(chosen),
        n_left_out=len(found) - n_numbers - len(chosen),
        n_unknown=total - numbers - sum(count for _, count in chosen),
        n_numbers=numbers,
        n_occurrences=total,
    )


def _refuse_fixed(found: Sequence[tuple[bytes, int]], fixed: Sequence[bytes], options: WordOptions) -> None:
    taken = {*fixed, *(token.encode() for token in options.special_tokens)}
    for word, _ in found:
        if word in taken:
            raise TrainingError(
                f"word {reprlib.repr(word.decode())}: is a word of the text and one of the fixed tokens, so text would "
                "become it. Choose another unk_token, number_token or special token."
            )


def _is_text(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _spec(fixed: Sequence[bytes], words: Sequence[bytes], options: WordOptions) -> TokenizerSpec:
    tokens = [*fixed, *words]
    ids = {token: token_id for token_id, token in enumerate(fixed)}
    added = []
    for content in options.special_tokens:
        added.append(AddedToken(content, ids.get(content.encode(), len(tokens))))
        if content.encode() not in ids:
            tokens.append(b"")
    token_bytes, token_offsets = pack_arena(tokens)
    return TokenizerSpec(
        model=options.model,
        pretokenizer=options.pretokenizer,
        added_tokens=tuple(sorted(added, key=lambda token: token.id)),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=b"",
        decoder=Decoder(()),
    )
