"""`tokenloom show`: a text with its tokens in colours, and below what each of them is."""

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from tokenloom.cli.options import TOKENIZER_HELP, AsJson, Config, exact_bytes
from tokenloom.cli.output import print_json
from tokenloom.cli.pattern_table import pattern_facts, pattern_lines
from tokenloom.cli.terminal import Terminal
from tokenloom.cli.token_lines import token_lines
from tokenloom.cli.token_view import ASCII_MARKS, MARKS, Marks, SplitCharacter, TokenView, character_name, view_tokens
from tokenloom.errors import EncodeError
from tokenloom.wording import counted, format_bytes

if TYPE_CHECKING:
    from tokenloom.tokenizer import ExplainedPretoken, Tokenizer

__all__ = ["EXAMPLE", "show"]

EXAMPLE: Final = 'tokenloom show "Hello, world" --tokenizer my-tokenizer'

_ROWS: Final = 100
_TEXT_TOKENS: Final = 2000
"""Tokens of a long text that are shown in colours, unless `--rows` asks for more."""
_WIDEST: Final = 24
"""Columns for the tokens of the table; the bytes of a longer one stand further right."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one tokenizer makes of the text.

    Args:
        folder: where the tokenizer lies.
        tokenizer: itself.
        text: the text as it was given, of which the figures are.
        joined: its tokens side by side: another text, if the tokenizer changes it, or if its decoder has steps.
        ids: of the tokens.
        starts: where in the text each of them begins, in bytes.
        pretokens: their pieces; joined they are the tokens joined, unless `numbers` says which token is of which.
        numbers: the pretoken of each token, where the tokens do not say it: they have marks that no pretoken has.
        n_specials: special tokens that were read as ordinary text.
        explained: what cut each pretoken, if that was asked for.
    """

    folder: Path
    tokenizer: "Tokenizer"
    text: bytes
    joined: bytes
    ids: list[int]
    starts: list[int]
    pretokens: list[bytes]
    numbers: list[int] | None
    n_specials: int
    explained: "list[ExplainedPretoken] | None"

    def views(self, marks: Marks) -> Iterator[TokenView]:
        """The tokens, made as they are asked for."""
        tokens = [self.tokenizer.token_bytes(token_id) for token_id in self.ids]
        pretokens = self.pretokens if self.numbers is None else [self.joined]
        views = view_tokens(self.joined, self.ids, tokens, pretokens, marks=marks)
        for at, (view, start) in enumerate(zip(views, self.starts, strict=True)):
            if self.numbers is None:
                yield replace(view, start=start)
            else:
                number = self.numbers[at]
                is_first = at == 0 or self.numbers[at - 1] != number
                yield replace(view, start=start, pretoken=number, is_first=is_first)

    @property
    def bytes_per_token(self) -> float | None:
        """None without tokens."""
        return len(self.text) / len(self.ids) if self.ids else None


def show(
    tokenizer: Annotated[
        list[Path], typer.Option("--tokenizer", metavar="TOKENIZER", help=f"{TOKENIZER_HELP} Repeat it to compare.")
    ],
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="Default: standard input.")] = None,
    special: Annotated[
        Literal["plain", "parse", "refuse"],
        typer.Option(help="Special tokens in the text: ordinary text, one token each, or an error."),
    ] = "plain",
    rows: Annotated[int, typer.Option(min=0, metavar="N", help="Rows of the table; 0 for no table.")] = _ROWS,
    explain_pattern: Annotated[
        bool, typer.Option("--explain-pattern", help="Say which alternative of the pattern took each pretoken.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
) -> None:
    """Show how a text is cut into tokens.

    Blanks are visible (· space, ⏎ line end, ⇥ tab); bytes of a character that several tokens share stand in ‹ ›.
    """
    del config
    content = exact_bytes(text) if text is not None else sys.stdin.buffer.read()
    results = [_shown(folder, content, special, explains=explain_pattern) for folder in tokenizer]
    if as_json:
        print_json(_json(results))
    else:
        _print(results, rows)


def _shown(folder: Path, text: bytes, special: Literal["plain", "parse", "refuse"], *, explains: bool) -> Shown:
    from tokenloom.tokenizer import Tokenizer, explain_pattern

    tokenizer = Tokenizer.load(folder, special_text=special)
    parsed = tokenizer.encode(text, allowed_special="all")
    try:
        ids = parsed if special == "parse" else tokenizer.encode(text)
    except EncodeError as error:  # which speaks of arguments in Python
        what, _, _ = str(error).partition(": pass allowed_special")
        raise EncodeError(f"{what}. Use --special parse to make it one token, or --special plain.") from error
    special_ids = set(tokenizer.special_tokens.values())
    n_specials = sum(token_id in special_ids for token_id in parsed) if special == "plain" else 0
    explained = explain_pattern(tokenizer, text) if explains else None
    tokens = [tokenizer.token_bytes(token_id) for token_id in ids]
    joined = b"".join(tokens)
    if joined == text:
        starts = list(accumulate(map(len, tokens[:-1]), initial=0)) if tokens else []
    else:  # offsets come in arrays of numpy, which takes its time to import
        starts = tokenizer.encode_with_offsets(text).byte_offsets[:, 0].tolist()
    pretokens, numbers = tokenizer.pretokens(text), None
    if tokenizer.spec.decoder.steps is not None and b"".join(pretokens) != joined:
        numbers = None if tokenizer.spec.normalizer else _numbers(text, pretokens, starts)
        pretokens = pretokens if numbers else [joined]
    return Shown(folder, tokenizer, text, joined, ids, starts, pretokens, numbers, n_specials, explained)


def _numbers(text: bytes, pretokens: Sequence[bytes], starts: Sequence[int]) -> list[int] | None:
    """The pretoken of each token, by where both begin; None if pretokens are no parts of the text in order."""
    borders, end = [], 0
    for pretoken in pretokens:
        border = text.find(pretoken, end)
        if border < 0:
            return None
        borders.append(border)
        end = border + len(pretoken)
    return [max(0, bisect_right(borders, start) - 1) for start in starts]


def _json(results: Sequence[Shown]) -> dict[str, Any]:
    text = results[0].text
    return {
        "text": text.decode(errors="replace"),
        "n_bytes": len(text),
        "n_chars": _n_chars(text),
        "tokenizers": [
            {
                "tokenizer": str(result.folder),
                "fingerprint": result.tokenizer.spec.fingerprint,
                "n_tokens": len(result.ids),
                "n_pretokens": len(result.pretokens),
                "bytes_per_token": result.bytes_per_token,
                "n_special_tokens_read_as_plain": result.n_specials,
                "tokens": [
                    {
                        "start_byte": view.start,
                        "id": view.id,
                        "text": view.data.decode(errors="replace"),
                        "hex": view.data.hex(),
                        "pretoken": view.pretoken,
                    }
                    for view in result.views(MARKS)
                ],
            }
            | ({} if result.explained is None else {"pretokens": pattern_facts(result.explained)})
            for result in results
        ],
    }


def _n_chars(text: bytes) -> int:
    """Characters; a byte outside valid UTF-8 counts as one."""
    return len(text.decode(errors="surrogateescape"))


def _print(results: Sequence[Shown], n_rows: int) -> None:
    n_rows = min(n_rows, sys.maxsize)
    terminal = Terminal.of(sys.stdout)
    marks = MARKS if terminal.can_show(MARKS.characters()) else ASCII_MARKS
    for number, result in enumerate(results):
        if len(results) > 1:
            _echo(("\n" if number else "") + str(result.folder))
        _print_text(result, terminal, marks, limit=max(n_rows, _TEXT_TOKENS))
        if n_rows and result.explained:
            _echo("")
            is_sequence = result.tokenizer.spec.pretokenizer.type == "sequence"
            for line in pattern_lines(result.explained, marks, limit=n_rows, is_sequence=is_sequence):
                _echo(line)
        elif n_rows and len(results) == 1 and result.ids:
            _echo("")
            _print_table(result, marks, limit=n_rows)
        _echo("\n" + _summary(result))
        if result.n_specials:
            words = f"{counted(result.n_specials, 'special token')} in the text, read as ordinary text"
            typer.echo(f"{words}: --special parse makes one token of each.", err=True)


def _echo(line: str) -> None:
    """Print a line with its colours: whether there are any was decided before."""
    typer.echo(line, color=True)


def _print_text(result: Shown, terminal: Terminal, marks: Marks, *, limit: int) -> None:
    """The text with its tokens side by side, then the characters that several of them share, each once."""
    views = list(islice(result.views(marks), limit))
    for line in token_lines(views, terminal):
        _echo(line)
    _say_rest(result, limit)
    for split in dict.fromkeys(view.split for view in views if view.split):
        _echo(_named(split, marks))


def _say_rest(result: Shown, limit: int) -> None:
    if len(result.ids) > limit:
        _echo(f"... and {counted(len(result.ids) - limit, 'more token')}; --rows N shows more.")


def _named(split: SplitCharacter, marks: Marks) -> str:
    parts = " ".join(marks.escaped(part.hex(" ")) for part in split.parts)
    shown = f"{split.character} " if split.character.isprintable() and marks is MARKS else ""
    return f"{parts} = {shown}{character_name(split.character)}"


def _print_table(result: Shown, marks: Marks, *, limit: int) -> None:
    """What each token is; the number of a pretoken stands where it begins."""
    from rich.cells import cell_len

    rows = [("byte", "id", "pretoken", "token", "hex")]
    for view in islice(result.views(marks), limit):
        pretoken = str(view.pretoken) if view.is_first else ""
        rows.append((str(view.start), str(view.id), pretoken, view.shown.replace("\n", ""), view.data.hex(" ")))
    numbers = [max(len(row[column]) for row in rows) for column in range(3)]
    width = min(_WIDEST, max(cell_len(row[3]) for row in rows))
    for *cells, token, hexed in rows:
        padded = token + " " * (width - cell_len(token))
        _echo("  ".join([*(f"{cell:>{n}}" for cell, n in zip(cells, numbers, strict=True)), padded, hexed]).rstrip())
    _say_rest(result, limit)


def _summary(result: Shown) -> str:
    ratio = result.bytes_per_token
    parts = [
        counted(len(result.ids), "token"),
        format_bytes(len(result.text)) if len(result.text) >= 10_000 else counted(len(result.text), "byte"),
        counted(_n_chars(result.text), "character"),
        counted(len(result.pretokens), "pretoken"),
        f"{ratio:.2f} bytes per token" if ratio is not None else "bytes per token undefined",
    ]
    return ", ".join(parts)
