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
    "MinCount",
    "Out",
    "PadMultiple",
    "Pattern",
    "Record",
    "Reserved",
    "SpecialTokens",
    "TieBreak",
    "VocabularySize",
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
    int, typer.Option("--vocab-size", metavar="N", help="Tokens in all: 256 bytes, merges and special tokens.")
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
    typer.Option(metavar="FILE.tlr", help="Keep every merge with what decided it, for replay and verify."),
]
