"""Unigram: from counts of pretokens to pieces with probabilities, as SentencePiece trains them.

Many pieces to begin with get probabilities by expectation and maximization, and in each round those that the text
would miss least are left out. The loops are in the compiled core; `tokenloom.lessons.unigram_training` is their
readable definition. What differs from SentencePiece: substrings are counted as often as their words occur, so that a
word of the text is a piece to begin with even if no other word holds it; and words, which the pattern cuts, are cut at
a space and between letters, numbers and signs, not where the script of letters changes.

Ids: the unknown token, special tokens, `<0x00>` to `<0xFF>` with byte fallback, pieces by falling score (of equals the
one with the smaller code points first).
"""

import struct
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple, get_args

from tokenloom import _core
from tokenloom.errors import SpecError, TrainingError
from tokenloom.spec import (
    AddedToken,
    DecodeByteFallback,
    Decoder,
    DecodeReplace,
    DecodeSentencepiece,
    Normalizer,
    Pretokenizer,
    Replace,
    SentencepieceRules,
    TokenizerSpec,
    UnigramModel,
    pretokenizer_of,
    special_contents,
)
from tokenloom.spec.components import PatternName
from tokenloom.spec.packing import pack_arena, pack_float64
from tokenloom.tokenizer import check_choice, check_threads
from tokenloom.trainers.bpe_options import Pattern
from tokenloom.trainers.character_alphabet import CharacterAlphabet
from tokenloom.trainers.counts import Progress
from tokenloom.trainers.vocabulary_limit import VocabularyLimit, check_limit, check_room_for, check_size, fall_short
from tokenloom.wording import counted, quoted

__all__ = ["UnigramOptions", "UnigramRound", "UnigramTraining", "train_unigram_on_counts"]

MARK: Final = "\u2581"
"""What stands for a space."""

_BYTE_TOKENS: Final = tuple(f"<0x{byte:02X}>" for byte in range(256))
_MOST_PIECE_CHARS: Final = 64
_MOST_SEEDS: Final = 10_000_000
_N_STEPS: Final = 2
"""Steps of expectation and maximization in a round."""
_ROOM: Final = 1.1
"""Rounds end with a tenth more pieces than are wanted, of which the most probable are taken."""


@dataclass(frozen=True, slots=True)
class UnigramOptions:
    r"""What a training is asked for; checked before any text is read.

    Args:
        vocab_size: tokens in all: the unknown one, special ones, 256 of bytes with byte fallback, and pieces.
        special_tokens: cut the text, are no part of the statistics, and get the ids behind the unknown token.
        pattern: what a piece may lie in, see `BpeOptions`; None does not cut, and a piece may then be several words. It
            is not part of the tokenizer: pieces that lie in words do not join them.
        unk_token: what a character becomes that is in no piece.
        byte_fallback: such a character becomes the tokens of its bytes.
        character_coverage: the commonest characters are taken until they make up this share of all. Each of them is a
            piece.
        max_piece_chars: no piece is longer.
        n_seed_pieces: pieces to begin with, at most.
        vocabulary_limit: what happens if the text has fewer pieces, see `VocabularyLimit`.
        normalizer: changes text before it is cut, in training and later; None changes nothing but spaces.
    Raises: TrainingError for a value that no training can have; SpecialTokenError for an empty or double special token.

    >>> UnigramOptions(1000, ["<s>", "</s>"]).fixed_tokens
    ('<unk>', '<s>', '</s>')
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    pattern: Pattern | None = "gpt2"
    unk_token: str = "<unk>"
    byte_fallback: bool = False
    character_coverage: float = 1.0
    max_piece_chars: int = 16
    n_seed_pieces: int = 1_000_000
    vocabulary_limit: VocabularyLimit = "soft"
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "special_tokens", tuple(special_contents(self.special_tokens)))
        if not isinstance(self.pattern, Pretokenizer):
            check_choice("pattern", self.pattern, (*get_args(PatternName), None), TrainingError)
        check_limit(self.vocabulary_limit)
        _ = self.model, self.alphabet
        if self.normalizer is not None and not isinstance(self.normalizer, Normalizer):
            raise TrainingError(f"normalizer {quoted(self.normalizer)}: is no Normalizer. Pass one, or None.")
        for option, most in (("max_piece_chars", _MOST_PIECE_CHARS), ("n_seed_pieces", _MOST_SEEDS)):
            value = getattr(self, option)
            if type(value) is not int or not 1 <= value <= most:
                raise TrainingError(f"{option} {value!r}: must be a whole number from 1 to {most:,}. Use one of these.")
        for token in self.special_tokens:
            if self.byte_fallback and token in _BYTE_TOKENS:
                raise TrainingError(
                    f"special token {quoted(token)}: is the token for a byte, which byte_fallback needs. Choose "
                    "another."
                )
        n_fixed = len(self.fixed_tokens)
        check_size(self.vocab_size, n_fixed=n_fixed, what="what is there without pieces")

    @property
    def model(self) -> UnigramModel:
        """The model of the tokenizer. Raises: TrainingError for what no model can have."""
        try:
            return UnigramModel("sentencepiece", self.unk_token, self.byte_fallback)
        except SpecError as error:
            raise TrainingError(f"{type(self).__name__}: {error}") from error

    @property
    def alphabet(self) -> CharacterAlphabet:
        """Which characters get pieces."""
        return CharacterAlphabet(self.character_coverage, unk_token=self.unk_token)

    @property
    def fixed_tokens(self) -> tuple[str, ...]:
        """The tokens before the pieces."""
        return tuple(
            dict.fromkeys([self.unk_token, *self.special_tokens, *(_BYTE_TOKENS if self.byte_fallback else ())])
        )

    @property
    def pretokenizer(self) -> Pretokenizer:
        """How text is cut to be counted."""
        return pretokenizer_of(self.pattern)

    def values(self) -> dict[str, Any]:
        """The options as JSON values."""
        normalizer = None if self.normalizer is None else self.normalizer.config()
        values = asdict(self) | {"special_tokens": list(self.special_tokens), "normalizer": normalizer}
        return values | ({"pattern": asdict(self.pattern)} if isinstance(self.pattern, Pretokenizer) else {})


class UnigramRound(NamedTuple):
    """One round, before its pieces are left out.

    Args:
        n_pieces: pieces that it had.
        loss: nats that the text takes with them, over all ways to cut it, before the last step of the round.
        n_tokens: tokens that were expected of the text.
    """

    n_pieces: int
    loss: float
    n_tokens: float


@dataclass(frozen=True, slots=True)
class UnigramTraining:
    """The result of a training.

    Args:
        options: what was asked for.
        spec: the tokenizer.
        rounds: how pieces became fewer.
        n_seeds: pieces to begin with.
        n_characters: characters that have pieces.
        n_bytes: the bytes of the corpus without special tokens.
    """

    options: UnigramOptions
    spec: TokenizerSpec
    rounds: tuple[UnigramRound, ...]
    n_seeds: int
    n_characters: int
    n_bytes: int


def train_unigram_on_counts(
    counts: _core.PretokenCounts,
    options: UnigramOptions,
    *,
    n_threads: int | None = None,
    progress: Progress | None = None,
) -> UnigramTraining:
    """Learn pieces and their scores from counts of pretokens.

    Args:
        counts: how often each pretoken occurs.
        options: what the tokenizer shall be.
        n_threads: threads to use; None for one a core. The result does not depend on it.
        progress: called with `"shrink"`, how many pieces were left out, and how many there are to leave out.
    Raises: TrainingError if the vocabulary is too small for the characters, or, under a hard limit, too large for the
        text.
    Warns: TrainingWarning if the corpus has fewer pieces than asked for.

    >>> from tokenloom.trainers import pretoken_counts
    >>> counts = pretoken_counts({" low": 5, " lower": 2, " newest": 6, " widest": 3})
    >>> training = train_unigram_on_counts(counts, UnigramOptions(16))
    >>> [token.decode() for token in training.spec.model_tokens() if len(token.decode()) > 1]
    ['<unk>', '▁newest', '▁low', '▁widest', '▁lower']
    """
    check_threads(n_threads, TrainingError)
    characters = _characters(counts, options)
    n_fixed = len(options.fixed_tokens)
    check_room_for(options.vocab_size, n_fixed=n_fixed, n_characters=len(characters))
    n_wanted = options.vocab_size - n_fixed
    rounds: tuple[UnigramRound, ...] = ()
    pieces: list[tuple[str, float]] = []
    n_seeds = 0
    if characters:
        trainer = _core.UnigramTrainer(
            counts,
            characters,
            max_piece_chars=options.max_piece_chars,
            n_seeds=options.n_seed_pieces,
            n_threads=n_threads,
        )
        n_seeds = trainer.n_pieces
        rounds = _shrunk(trainer, int(n_wanted * _ROOM), progress)
        pieces = _chosen(trainer.pieces(), len(characters), n_wanted, options)
    why = f"the corpus has only {counted(len(pieces), 'piece')}"
    fall_short(n_fixed + len(pieces), options.vocab_size, options.vocabulary_limit, why=why)
    return UnigramTraining(options, _spec(pieces, options), rounds, n_seeds, len(characters), counts.n_bytes)


def _characters(counts: _core.PretokenCounts, options: UnigramOptions) -> str:
    """The characters that get pieces, by code point; a space is its mark."""
    found: dict[str, int] = {}
    for character, count in _core.Start.characters_of(counts):
        character = MARK if character == " " else character
        found[character] = found.get(character, 0) + count
    characters = options.alphabet.chosen(list(found.items())) if found else ""
    for token in options.fixed_tokens:
        if token in found:
            raise TrainingError(
                f"special token {quoted(token)}: is a character of the text, which would become it. Choose another one."
            )
    return characters


def _shrunk(trainer: _core.UnigramTrainer, n_wanted: int, progress: Progress | None) -> tuple[UnigramRound, ...]:
    """Rounds until there are no more pieces than wanted."""
    rounds: list[UnigramRound] = []
    n_seeds = n_pieces = trainer.n_pieces
    n_surplus = n_seeds - n_wanted
    while True:
        for _ in range(_N_STEPS):
            if progress and n_surplus > 0:
                progress("shrink", min(n_seeds - n_pieces, n_surplus), n_surplus)
            n_pieces, loss, n_tokens = trainer.step()
        rounds.append(UnigramRound(n_pieces, loss, n_tokens))
        if n_pieces <= n_wanted:
            break
        before, n_pieces = n_pieces, trainer.prune(n_wanted)
        if n_pieces == before:
            break
    if progress and n_surplus > 0:
        progress("shrink", n_surplus, n_surplus)
    return tuple(rounds)


def _chosen(
    pieces: Sequence[tuple[str, float]], n_characters: int, n_wanted: int, options: UnigramOptions
) -> list[tuple[str, float]]:
    """All characters and the most probable others, by falling score. Scores are what 32 bits hold, as in a file."""
    fixed = set(options.fixed_tokens)
    rounded = [(piece, struct.unpack("<f", struct.pack("<f", score))[0]) for piece, score in pieces]
    others = sorted((item for item in rounded[n_characters:] if item[0] not in fixed), key=_falling)
    return sorted(rounded[:n_characters] + others[: n_wanted - n_characters], key=_falling)


def _falling(item: tuple[str, float]) -> tuple[float, str]:
    return -item[1], item[0]


def _spec(pieces: Sequence[tuple[str, float]], options: UnigramOptions) -> TokenizerSpec:
    """The tokenizer. The model makes the unknown token and those of bytes; special ones are none of its tokens."""
    special = set(options.special_tokens)
    fixed = options.fixed_tokens
    held = [b"" if token in special and token != options.unk_token else token.encode() for token in fixed]
    token_bytes, token_offsets = pack_arena([*held, *(piece.encode() for piece, _ in pieces)])
    normalizer, decoder = _ways(options)
    return TokenizerSpec(
        model=options.model,
        pretokenizer=Pretokenizer("none"),
        added_tokens=tuple(AddedToken(token, token_id) for token_id, token in enumerate(fixed) if token in special),
        token_bytes=token_bytes,
        token_offsets=token_offsets,
        merges=b"",
        normalizer=normalizer,
        decoder=decoder,
        scores=pack_float64([*(0.0 for _ in fixed), *(score for _, score in pieces)]),
    )


def _ways(options: UnigramOptions) -> tuple[Normalizer, Decoder]:
    """How text becomes pieces and comes back: as a model file of SentencePiece can say it, unless more is asked for."""
    if options.normalizer is None:
        rules = SentencepieceRules(add_dummy_prefix=False, remove_extra_whitespaces=False)
        unknown = options.unk_token
        return Normalizer((rules,)), Decoder(
            (DecodeSentencepiece(unknown, unknown, (), options.byte_fallback, "none"),)
        )
    bytes_as_text = [DecodeByteFallback()] if options.byte_fallback else []
    normalizer = Normalizer((*options.normalizer.steps, Replace(" ", by=MARK)))
    return normalizer, Decoder((DecodeReplace(MARK, by=" "), *bytes_as_text))
