"""The characters of a corpus as tokens, and one token for all others: character BPE before its first merge."""

from collections.abc import Sequence
from typing import Final

from tokenloom import _core
from tokenloom.errors import TrainingError
from tokenloom.spec import Pretokenizer, TokenizerSpec, special_contents
from tokenloom.spec.components import ID_LIMIT
from tokenloom.trainers.character_alphabet import CharacterAlphabet, CharacterStart

__all__ = ["CHARACTER_CUTS", "closed_characters_spec"]

CHARACTER_CUTS: Final = Pretokenizer("gpt2")
"""Cuts change no id where no token is longer than a character; they let text be read in parts."""


def closed_characters_spec(
    counts: _core.PretokenCounts,
    alphabet: CharacterAlphabet,
    *,
    vocab_size: int | None = None,
    special_tokens: Sequence[str] = (),
    pretokenizer: Pretokenizer = CHARACTER_CUTS,
) -> TokenizerSpec:
    """The tokenizer whose tokens are the characters of a text.

    Args:
        counts: the text, as pretokens of whatever pattern.
        alphabet: which characters get a token, and what becomes of the others.
        vocab_size: the most tokens in all; of the characters that the alphabet takes, the commonest are kept.
        special_tokens: get the last ids.
        pretokenizer: that of the tokenizer.
    Raises: TrainingError as `CharacterAlphabet.start`, and for a size that has no room for what is there without
        characters.

    >>> from tokenloom.trainers import pretoken_counts
    >>> alphabet = CharacterAlphabet(unk_token="?")
    >>> closed_characters_spec(pretoken_counts({"banana": 1}), alphabet, vocab_size=3).vocabulary()
    {0: b'?', 1: b'a', 2: b'n'}
    """
    contents = special_contents(special_tokens)
    least = len({*alphabet.fixed_tokens, *contents})
    if vocab_size is not None and (type(vocab_size) is not int or not least <= vocab_size <= ID_LIMIT):
        raise TrainingError(
            f"vocab_size {vocab_size!r}: must be a whole number from {least:,}, what is there without characters, to "
            f"{ID_LIMIT:,}. Choose one in this range, or None for all characters."
        )
    start = alphabet.start(counts, special_tokens=contents, pretokenizer=pretokenizer)
    if vocab_size is None or start.n_tokens <= vocab_size:
        return start.spec([])
    found = sorted(_core.Start.characters_of(counts), key=lambda item: (-item[1], item[0]))
    kept = [character for character, _ in found if character in start.characters]
    n_kept = vocab_size - least
    return CharacterStart(alphabet, "".join(sorted(kept[:n_kept])), tuple(contents), pretokenizer).spec([])
