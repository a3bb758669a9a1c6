"""The command `tokenloom`: one verb a file; data to standard output, words to standard error.

Exit codes: 0 done, 1 an error with its message, 2 a wrong command line, 130 stopped with Ctrl-C.
"""

import sys
import warnings
from typing import Annotated, TextIO

import typer

import tokenloom
from tokenloom.cli.demo import demo
from tokenloom.errors import TokenloomError

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Train, run, measure and choose tokenizers for language models.",
)
app.command()(demo)


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        typer.echo(f"tokenloom {tokenloom.__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line and end the process."""
    warnings.showwarning = _show_warning
    try:
        app()
    except TokenloomError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("stopped.", err=True)
        sys.exit(130)


def _show_warning(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 - the signature is that of warnings.showwarning
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    typer.echo(f"warning: {message}", err=True)
