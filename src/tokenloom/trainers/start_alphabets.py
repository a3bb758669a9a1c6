"""What a training begins with: the 256 bytes, or the tokens of an earlier tokenizer, which then grows.

A start says what each pretoken begins as, and what tokenizer is made of it and of the merges that follow. All tokens
that merges may join or make have different bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Pretokenizer, TokenizerSpec, build_spec, byte_order, grown_spec
from tokenloom.spec.alphabets import Alphabet
from tokenloom.tokenizer import RunOptions
from tokenloom.wording import counted

__all__ = ["ByteStart", "OldStart", "Start", "check_init", "init_cuts"]

_MOST_NAMED: Final = 5
"""Special tokens that a message names."""
_TAKING_FLAGS: Final = ("lstrip", "rstrip", "single_word")
"""Flags of added tokens that say more of a text than where they stand in it."""

Pair = tuple[bytes, bytes]


class Start(Protocol):
    """What pretokens begin as, and what is made of it."""

    @property
    def core(self) -> _core.Start:
        """What the core begins with."""

    @property
    def tokens(self) -> Sequence[bytes]:
        """The tokens that merges may join, in the order of symbols."""

    @property
    def n_tokens(self) -> int:
        """Tokens that are no merges."""

    def spec(self, merges: Sequence[Pair]) -> TokenizerSpec:
        """The tokenizer after these merges."""


@dataclass(frozen=True, slots=True)
class ByteStart:
    """The 256 bytes.

    Args:
        alphabet: their order among the ids.
        special_tokens: get the ids behind the merges.
        pretokenizer: that of the tokenizer.
    """

    alphabet: Alphabet
    special_tokens: Sequence[str]
    pretokenizer: Pretokenizer

    @property
    def core(self) -> _core.Start:
        """What the core begins with."""
        return _core.Start.of_bytes(byte_order(self.alphabet))

    @property
    def tokens(self) -> Sequence[bytes]:
        """The bytes, in the order of symbols, which are their ids."""
        return [bytes([byte]) for byte in byte_order(self.alphabet)]

    @property
    def n_tokens(self) -> int:
        """Tokens that are no merges. A special token of one byte shares that byte's id."""
        return 256 + sum(len(token.encode()) != 1 for token in self.special_tokens)

    def spec(self, merges: Sequence[Pair]) -> TokenizerSpec:
        """The tokenizer after these merges."""
        tokens = [*self.tokens, *(left + right for left, right in merges)]
        return build_spec(dict(enumerate(tokens)), merges, self.special_tokens, pretokenizer=self.pretokenizer)


@dataclass(frozen=True, slots=True)
class OldStart:
    """The tokens of a tokenizer that grows: what each pretoken is encoded as.

    Old ids stay, and new tokens get those after the highest. Their merges stand behind all old ones, so that encoding
    is the old encoding and then the new merges, as in training. See `tokenloom.lessons.growing` for what is left out
    because the encoder would not reach it.

    Args:
        init: the tokenizer, which `check_init` has let pass.
    """

    init: TokenizerSpec

    @property
    def core(self) -> _core.Start:
        """What the core begins with."""
        return _core.Start.of_tokenizer(RunOptions("plain", "refuse", 0).pipeline(self.init))

    @property
    def tokens(self) -> Sequence[bytes]:
        """The tokens that the model makes, in the order of symbols, which is that of their ids."""
        return [token for token in self.init.model_tokens() if token]

    @property
    def n_tokens(self) -> int:
        """Ids that are there; those without a token count, since those to come stand behind them."""
        return self.init.n_ids

    def spec(self, merges: Sequence[Pair]) -> TokenizerSpec:
        """The tokenizer after these merges."""
        tokens = self.init.model_tokens()
        tokens += [left + right for left, right in merges]
        ids = {token: token_id for token_id, token in enumerate(tokens)}
        return grown_spec(self.init, [(ids[left], ids[right]) for left, right in merges])


def init_cuts(init: TokenizerSpec) -> tuple[Pretokenizer, list[str]]:
    """The pretokenizer and the added tokens by which a tokenizer that grows cuts text, where no others are named."""
    return init.pretokenizer, [token.content for token in init.added_tokens]


def check_init(init: TokenizerSpec, *, pretokenizer: Pretokenizer, special_tokens: Sequence[str]) -> None:
    """Refuse a tokenizer that cannot grow, or not in this way.

    Raises: TrainingError if it does not merge bytes, changes text before it is cut, or has added tokens that take more
        of a text than their content, and for another pattern or other added tokens than it has.
    """
    if not init.joins_bytes:
        raise TrainingError(
            "init: this tokenizer merges characters, and only one that merges bytes can grow. Choose a byte-level one."
        )
    if init.normalizer is not None:
        raise TrainingError(
            "init: this tokenizer normalizes text before it is cut, and counts are of text as it stands. Choose one "
            "without a normalizer."
        )
    for token in init.added_tokens:
        if flags := [flag for flag in _TAKING_FLAGS if getattr(token, flag)]:
            raise TrainingError(
                f"init: its added token {token.content!r} has {' and '.join(flags)}, and counts are of text that is "
                "cut wherever its content stands. Choose a tokenizer without such a token."
            )
    own, contents = init_cuts(init)
    if pretokenizer != own:
        raise TrainingError(
            f"pattern {pretokenizer!r}: the tokenizer of init cuts with {own!r}, and its merges hold for "
            "that alone. Leave the pattern out, or count again with that one."
        )
    added = set(contents)
    if more := [token for token in special_tokens if token not in added]:
        raise TrainingError(
            f"special_tokens {more!r}: the tokenizer of init does not have {'them' if len(more) > 1 else 'it'}. Add "
            "them to it before, or leave them out."
        )
    if missing := sorted(added.difference(special_tokens)):
        shown = missing if len(missing) <= _MOST_NAMED else [*missing[:_MOST_NAMED], "..."]
        raise TrainingError(
            f"special_tokens {list(special_tokens)!r}: the tokenizer of init has "
            f"{counted(len(missing), 'other added token')}: {', '.join(shown)}. Leave special tokens out to take those "
            "of init, or count again with them."
        )
