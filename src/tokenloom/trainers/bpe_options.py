"""What a training is asked for, checked before any text is read."""

import reprlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, Literal, get_args

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Alphabet, Normalizer, Pretokenizer, TokenizerSpec, pretokenizer_of, special_contents
from tokenloom.spec.components import ID_LIMIT, PatternName
from tokenloom.tokenizer import check_choice
from tokenloom.trainers.character_alphabet import CharacterAlphabet, check_room
from tokenloom.trainers.count_options import MOST_COUNTED
from tokenloom.trainers.must_have import check_uncut, must_have_contents, must_have_merges
from tokenloom.trainers.start_alphabets import ByteStart, OldStart, Start, check_init, init_cuts
from tokenloom.wording import counted

__all__ = ["BpeOptions", "Pattern", "TieBreak"]

Pattern = PatternName | Pretokenizer
TieBreak = Literal["lexicographic", "lowest-id", "first-seen"]

_N_BYTES: Final = 256


@dataclass(frozen=True, slots=True)
class BpeOptions:
    """What a training is asked for; checked before any text is read.

    Args:
        vocab_size: tokens in all: 256 bytes, or what pretokens begin as in their place, merges and special tokens.
        special_tokens: cut the text, are no part of the statistics, and get the ids after the merges, in this order.
        pattern: cuts text, and merges never cross a cut: the name of a pattern, such as `"gpt2"` or `"o200k"`, or a
            `Pretokenizer`, which may have any regular expression; None does not cut.
        tie_break: which of several pairs with the highest count is merged: `"lexicographic"` the greater pair of byte
            strings, `"lowest-id"` the smaller pair of ids, `"first-seen"` the one that occurs first in the corpus.
        alphabet: the order of the 256 bytes among the ids: `"bytes"`, or `"gpt2"` as GPT-2 and `tokenizers` have it.
        min_pair_count: training stops when no pair occurs so often.
        max_token_bytes: no merge makes a longer token; None is no limit.
        whole_characters: a merge makes whole characters, or a part of one, never a character with a part of another.
            Bytes that no character has at their place count as characters of their own.
        must_have: texts that shall be one token each, whatever the corpus says. Their merges come first, each text from
            the left, and count as part of the vocabulary.
        init: a tokenizer that grows: pretokens begin as its tokens in place of bytes, and its ids stay, see `OldStart`.
            Ids without a token count for `vocab_size`. `continued` gives options that fit it.
        characters: which characters pretokens begin as, in place of bytes. How many there are is not known before the
            text is counted: a vocabulary that is too small for them is refused then.
        normalizer: changes text before it is cut, in training as in the tokenizer; None leaves it as it is.
    Raises: TrainingError for a value that no training can have, or a must-have token that no text can bring out whole;
        SpecialTokenError for an empty or double special token.

    >>> BpeOptions(300, ["<|end|>"]).n_merges
    43
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    pattern: Pattern | None = "gpt2"
    tie_break: TieBreak = "lexicographic"
    alphabet: Alphabet = "bytes"
    min_pair_count: int = 1
    max_token_bytes: int | None = None
    whole_characters: bool = False
    must_have: Sequence[str] = ()
    init: TokenizerSpec | None = None
    characters: CharacterAlphabet | None = None
    normalizer: Normalizer | None = None
    given_merges: tuple[tuple[bytes, bytes], ...] = field(init=False, repr=False, compare=False)
    """The merges that make the must-have tokens, which come first."""

    @classmethod
    def continued(
        cls,
        init: TokenizerSpec,
        vocab_size: int,
        *,
        special_tokens: Sequence[str] | None = None,
        pattern: Pattern | Literal["init"] | None = "init",
        tie_break: TieBreak = "lexicographic",
    ) -> "BpeOptions":
        """Options that let a tokenizer grow; what is not said is as there.

        Raises: TrainingError if it is that large already, cannot grow, or has another pattern or other special tokens.

        >>> from tokenloom.spec import build_spec
        >>> init = build_spec({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
        >>> BpeOptions.continued(init, 300).n_merges
        43
        """
        pretokenizer, added = init_cuts(init)
        pretokenizer = pretokenizer if pattern == "init" else pretokenizer_of(pattern)
        return cls(vocab_size, added if special_tokens is None else special_tokens, pretokenizer, tie_break, init=init)

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", special_contents(self.special_tokens))
        if not isinstance(self.pattern, Pretokenizer):
            check_choice("pattern", self.pattern, (*get_args(PatternName), None), TrainingError)
        check_choice("tie_break", self.tie_break, get_args(TieBreak), TrainingError)
        check_choice("alphabet", self.alphabet, get_args(Alphabet), TrainingError)
        self._check_start()
        self._check_init()
        n_fixed = self._n_fixed
        if type(self.vocab_size) is not int or not n_fixed <= self.vocab_size <= ID_LIMIT:
            fixed = f"256 bytes and {counted(n_fixed - _N_BYTES, 'special token')}"
            raise TrainingError(
                f"vocab_size {self.vocab_size!r}: must be a whole number from {n_fixed:,} "
                f"({fixed if self.characters is None else 'what is there without characters'}) to {ID_LIMIT:,}. Choose "
                "one in this range."
            )
        self._check_limits()
        self._check_must_have()

    def _check_start(self) -> None:
        """Refuse what is no start, and special tokens that characters cannot have beside them."""
        for option, value, kind in (
            ("init", self.init, TokenizerSpec),
            ("characters", self.characters, CharacterAlphabet),
            ("normalizer", self.normalizer, Normalizer),
        ):
            if value is not None and not isinstance(value, kind):
                raise TrainingError(
                    f"{option} {reprlib.repr(value)}: is no {kind.__name__}. Pass one, or None for none."
                )
        if self.normalizer is not None and self.tie_break == "first-seen":
            raise TrainingError(
                "tie_break 'first-seen': it goes by places in the corpus, and a normalizer changes the text. Choose "
                "another tie rule, or leave out the normalizer."
            )
        if self.normalizer is not None and self.init is not None:
            raise TrainingError(
                "normalizer: the tokenizer of init has none, and its merges are of text as it is. Leave it out."
            )
        if self.characters is not None:
            self.characters.check_special(self.special_tokens)

    def _check_init(self) -> None:
        """Refuse a tokenizer that cannot grow, or has all the tokens that are asked for."""
        if self.init is not None and self.characters is not None:
            raise TrainingError("characters: init has its tokens already. Leave one of the two out.")
        if self.characters is not None and self.alphabet != "bytes":
            raise TrainingError(f"alphabet {self.alphabet!r}: plays no part where characters begin. Leave it out.")
        if self.must_have and (self.init is not None or self.characters is not None):
            raise TrainingError(
                f"must_have {list(self.must_have)!r}: only a training that begins with bytes can have such tokens. "
                "Leave them out."
            )
        if self.init is None:
            return
        check_init(self.init, pretokenizer=self.pretokenizer, special_tokens=self.special_tokens)
        if self.alphabet != "bytes":
            raise TrainingError(f"alphabet {self.alphabet!r}: the bytes keep the ids of init. Leave it out.")
        if type(self.vocab_size) is int and self.vocab_size <= self._n_fixed:
            raise TrainingError(
                f"vocab_size {self.vocab_size!r}: the tokenizer of init has {counted(self._n_fixed, 'id')} already. "
                "Ask for more."
            )

    def values(self) -> dict[str, Any]:
        """The options as JSON values; of a tokenizer that grows, its fingerprint."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values |= {"special_tokens": list(self.special_tokens), "must_have": list(self.must_have)}
        if isinstance(self.pattern, Pretokenizer):
            values["pattern"] = asdict(self.pattern)
        init, characters, _ = values.pop("init"), values.pop("characters"), values.pop("given_merges")
        if values.pop("normalizer") is not None and self.normalizer is not None:
            values["normalizer"] = self.normalizer.config()
        if characters is not None:
            values["characters"] = characters.values()
        return values if init is None else values | {"init": init.fingerprint}

    def start(self, counts: _core.PretokenCounts, *, n_reserved: int = 0) -> Start:
        """What pretokens begin as; so many tokens of the vocabulary are kept free.

        Raises: TrainingError if the vocabulary is too small for the characters that are asked for, or the text has one
            that cannot be told from the unknown token or the mark of the end of a word.
        """
        if self.characters is not None:
            start = self.characters.start(counts, special_tokens=self.special_tokens, pretokenizer=self.pretokenizer)
            check_room(self.vocab_size, start, n_reserved=n_reserved)
            return start
        if self.init is not None:
            return OldStart(self.init)
        return ByteStart(self.alphabet, self.special_tokens, self.pretokenizer)

    def spec_of(self, start: Start, merges: Sequence[tuple[bytes, bytes]]) -> TokenizerSpec:
        """The tokenizer after these merges."""
        spec = start.spec(merges)
        return spec if self.normalizer is None else replace(spec, normalizer=self.normalizer)

    @property
    def n_init_ids(self) -> int | None:
        """The ids of the tokenizer that grows; None if none does."""
        return None if self.init is None else self.init.n_ids

    @property
    def n_marks(self) -> int:
        """Symbols of each pretoken that stand for none of its bytes."""
        return int(self.characters is not None and self.characters.model.end_of_word_symbol)

    @property
    def n_merges(self) -> int:
        """The merges that fill the vocabulary; with characters, the most that it may have room for."""
        return self.vocab_size - self._n_fixed

    @property
    def limits(self) -> tuple[str, ...]:
        """The names of the options that are set and keep merges from being made."""
        limits = {
            "min_pair_count": self.min_pair_count > 1,
            "max_token_bytes": self.max_token_bytes is not None,
            "whole_characters": self.whole_characters,
        }
        return tuple(name for name, is_set in limits.items() if is_set)

    @property
    def pretokenizer(self) -> Pretokenizer:
        """The pretokenizer of the pattern."""
        return pretokenizer_of(self.pattern)

    @property
    def _n_fixed(self) -> int:
        """Tokens that are no new merges; of characters only those that are there without a text."""
        if self.init is not None:
            return self.init.n_ids
        if self.characters is not None:
            return len({*self.characters.fixed_tokens, *self.special_tokens})
        return ByteStart(self.alphabet, self.special_tokens, self.pretokenizer).n_tokens

    def _check_limits(self) -> None:
        least_count, most_bytes = self.min_pair_count, self.max_token_bytes
        if type(least_count) is not int or not 1 <= least_count <= MOST_COUNTED:
            raise TrainingError(
                f"min_pair_count {least_count!r}: is no count. Use a whole number from 1 to {MOST_COUNTED:,}."
            )
        if most_bytes is not None and (type(most_bytes) is not int or not 2 <= most_bytes <= ID_LIMIT):
            raise TrainingError(
                f"max_token_bytes {most_bytes!r}: must be a whole number from 2, the bytes of the first merge, to "
                f"{ID_LIMIT:,}. Use one, or None for no limit."
            )
        if type(self.whole_characters) is not bool:
            raise TrainingError(
                f"whole_characters {self.whole_characters!r}: is neither True nor False. Use one of them."
            )

    def _check_must_have(self) -> None:
        contents = must_have_contents(self.must_have, max_token_bytes=self.max_token_bytes)
        object.__setattr__(self, "must_have", contents)
        check_uncut(
            contents,
            pretokenizer=self.pretokenizer,
            special_tokens=self.special_tokens,
            normalizer=self.normalizer,
        )
        merges = must_have_merges(contents, whole_characters=self.whole_characters)
        object.__setattr__(self, "given_merges", merges)
        n_given = len(merges)
        if n_given > self.n_merges:
            raise TrainingError(
                f"vocab_size {self.vocab_size:,}: has no room for {counted(n_given, 'merge')} of must-have tokens "
                f"beside bytes and special tokens. Ask for at least {self._n_fixed + n_given:,}."
            )
