"""The methods of `Tokenizer` that give it the face of another library; both faces are loaded when asked for."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenloom.tokenizer.hf_face import HfFace
    from tokenloom.tokenizer.tiktoken_face import TiktokenFace
    from tokenloom.tokenizer.tokenizer import Tokenizer

__all__ = ["as_hf", "as_tiktoken"]


def as_tiktoken(self: "Tokenizer", name: str | None = None) -> "TiktokenFace":
    """The tokenizer as a `tiktoken.Encoding`, without that library: see `TiktokenFace`.

    Args:
        self: a byte-level tokenizer.
        name: what `name` and `repr` say; None for the name of the published encoding, or "tokenloom".
    Raises: SpecError if its tokens are no bytes.

    >>> from tokenloom import train
    >>> train(["the the"], 258).as_tiktoken().encode_ordinary("the")
    [257]
    """
    from tokenloom.tokenizer.tiktoken_face import TiktokenFace

    return TiktokenFace(self, name or self.provenance.get("encoding", "tokenloom"))


def as_hf(self: "Tokenizer") -> "HfFace":
    """The tokenizer as a `tokenizers.Tokenizer`, without that library: see `HfFace`.

    >>> from tokenloom import train
    >>> train(["the the"], 258).as_hf().encode("the t").offsets
    [(0, 3), (3, 4), (4, 5)]
    """
    from tokenloom.tokenizer.hf_face import HfFace

    return HfFace(self)
