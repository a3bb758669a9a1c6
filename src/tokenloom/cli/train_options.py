"""The options of `tokenloom train` alone: what it is trained on, and what the tokenizer shall be."""

from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from tokenloom.cli import options as shared
from tokenloom.spec import PatternName

__all__ = [
    "Alphabet",
    "Corpus",
    "Counts",
    "MaxTokenBytes",
    "MinCount",
    "MinPairCount",
    "MustHave",
    "Out",
    "PadMultiple",
    "Pattern",
    "Record",
    "Reserved",
    "SpecialTokens",
    "TieBreak",
    "VocabularySize",
    "WholeCharacters",
    "WordCounts",
]

_PANEL: Final = "Tokenizer"

Corpus = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CORPUS]",
        help="Files, folders, URLs, or quoted patterns such as 'data/**/*.zst'; NAME=PATH puts them into a group.",
    ),
]
Counts = Annotated[
    Path | None,
    typer.Option(metavar="COUNTS", help="Train on what count-pretokens or merge-counts wrote, in place of a corpus."),
]
WordCounts = Annotated[
    Path | None,
    typer.Option(metavar="FILE.tsv", help="Train on lines of a word, a tab and a count, in place of a corpus."),
]
MinCount = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Leave out pretokens that occur less often, to save memory.",
        rich_help_panel=shared.COUNTING_PANEL,
    ),
]
VocabularySize = Annotated[
    int,
    typer.Option(
        "--vocab-size",
        metavar="N",
        help="Tokens in all: those to begin with, such as 256 bytes, merges and special tokens.",
    ),
]
Out = Annotated[
    Path,
    typer.Option(metavar="DIR", help="Folder for the tokenizer: new or empty. A tokenizer that is there is replaced."),
]
SpecialTokens = Annotated[
    list[str] | None,
    typer.Option(
        "--special-token",
        metavar="TOKEN",
        help="A special token, such as '<|endoftext|>'. Repeat it for more.",
        rich_help_panel=_PANEL,
    ),
]
Reserved = Annotated[
    int, typer.Option(min=0, metavar="N", help="Special tokens kept free for later use.", rich_help_panel=_PANEL)
]
PadMultiple = Annotated[
    int | None,
    typer.Option(
        "--pad-vocabulary-to-multiple-of",
        min=1,
        metavar="N",
        help="Fill up with reserved tokens, such as to a multiple of 64.",
        rich_help_panel=_PANEL,
    ),
]
MinPairCount = Annotated[
    int, typer.Option(min=1, metavar="N", help="Stop when no pair occurs so often.", rich_help_panel=_PANEL)
]
MaxTokenBytes = Annotated[
    int | None, typer.Option(min=2, metavar="N", help="Make no longer token by a merge.", rich_help_panel=_PANEL)
]
WholeCharacters = Annotated[
    bool,
    typer.Option(
        "--whole-characters",
        help="Join no character with a part of another: a token is whole characters, or a part of one.",
        rich_help_panel=_PANEL,
    ),
]
MustHave = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TOKEN",
        help="A text that shall be one token, whatever the corpus says. Repeat it for more.",
        rich_help_panel=_PANEL,
    ),
]
Pattern = Annotated[
    Literal[PatternName, "none"] | None,
    typer.Option(
        help="How text is cut before merging; merges never cross a cut. Default: gpt2; as --counts were cut; none for "
        "--word-counts.",
        rich_help_panel=_PANEL,
    ),
]
TieBreak = Annotated[
    Literal["lexicographic", "lowest-id", "first-seen"],
    typer.Option(help="Which of several equally frequent pairs is merged.", rich_help_panel=_PANEL),
]
Alphabet = Annotated[
    Literal["bytes", "gpt2"], typer.Option(help="The order of the 256 bytes among the ids.", rich_help_panel=_PANEL)
]
Record = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.tlr",
        help="Keep every merge with what decided it, for replay and verify. An older record there is replaced.",
    ),
]
