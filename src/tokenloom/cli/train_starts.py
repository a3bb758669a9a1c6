"""Options of `tokenloom train` that say what a training begins with: bytes, an earlier tokenizer, or characters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

if TYPE_CHECKING:
    from tokenloom.spec import TokenizerSpec
    from tokenloom.trainers import CharacterAlphabet

__all__ = [
    "Begins",
    "ByteFallback",
    "CharacterCoverage",
    "EndOfWord",
    "EndOfWordSuffix",
    "Init",
    "Unit",
    "UnkToken",
]

_PANEL: Final = "What it begins with"

Init = Annotated[
    str | None,
    typer.Option(
        metavar="OLD",
        help="A tokenizer to begin with, as a folder, a file or a name: its ids stay, and it grows to N ids.",
        rich_help_panel=_PANEL,
    ),
]
Unit = Annotated[
    Literal["byte", "character"],
    typer.Option(help="What merges begin with: bytes, or the characters of the text.", rich_help_panel=_PANEL),
]
CharacterCoverage = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        help="Take the commonest characters that make up this share of the text, such as 0.9995.",
        rich_help_panel=_PANEL,
    ),
]
ByteFallback = Annotated[
    bool,
    typer.Option(
        "--byte-fallback", help="Characters without a token are written in tokens of bytes.", rich_help_panel=_PANEL
    ),
]
UnkToken = Annotated[
    str | None,
    typer.Option(metavar="TOKEN", help="What characters without a token become, '<unk>'.", rich_help_panel=_PANEL),
]
EndOfWordSuffix = Annotated[
    str | None,
    typer.Option(metavar="MARK", help="Marks the end of each pretoken, such as '</w>'.", rich_help_panel=_PANEL),
]
EndOfWord = Annotated[
    Literal["symbol", "glued"],
    typer.Option(help="The mark is a symbol of its own, or glued to the last character.", rich_help_panel=_PANEL),
]


@dataclass(frozen=True, slots=True)
class Begins:
    """What was asked for."""

    init: str | None
    unit: Literal["byte", "character"]
    coverage: float
    byte_fallback: bool
    unk_token: str | None
    suffix: str | None
    end_of_word: Literal["symbol", "glued"]
    alphabet: Any

    def __post_init__(self) -> None:
        if self.init is not None and self.alphabet != "bytes":
            raise typer.BadParameter("--alphabet plays no part with --init, where bytes keep their ids. Leave it out.")
        if self.unit == "character":
            for name, given in (("--init", self.init is not None), ("--alphabet", self.alphabet != "bytes")):
                if given:
                    raise typer.BadParameter(f"{name} plays no part with --unit character. Leave one of the two out.")
            return
        values = {
            "--character-coverage": self.coverage != 1.0,
            "--byte-fallback": self.byte_fallback,
            "--unk-token": self.unk_token is not None,
            "--end-of-word-suffix": self.suffix is not None,
            "--end-of-word": self.end_of_word != "symbol",
        }
        for name, given in values.items():
            if given:
                raise typer.BadParameter(f"{name} is for characters. Add --unit character, or leave it out.")

    def cuts(self, init: "TokenizerSpec | None", *, is_word_list: bool) -> tuple[Any, Sequence[str]]:
        """The pattern and the special tokens that are meant where none are said, and nothing was counted before."""
        if init is not None:
            from tokenloom.trainers.start_alphabets import init_cuts

            return init_cuts(init)
        if is_word_list and self.suffix is not None:
            from tokenloom.trainers import words_pretokenizer

            return words_pretokenizer(), ()
        return None if is_word_list else "gpt2", ()

    def init_spec(self) -> "TokenizerSpec | None":
        """The tokenizer to begin with."""
        if self.init is None:
            return None
        from tokenloom.jobs.train import initial_spec

        return initial_spec(self.init)

    def characters(self) -> "CharacterAlphabet | None":
        """The characters to begin with."""
        if self.unit == "byte":
            return None
        from tokenloom.trainers import CharacterAlphabet

        return CharacterAlphabet(
            self.coverage,
            byte_fallback=self.byte_fallback,
            unk_token=self.unk_token,
            end_of_word_suffix=self.suffix,
            end_of_word=self.end_of_word,
        )
