"""The command `tokenloom`: one verb a file; data to standard output, words to standard error.

Exit codes: 0 done, 1 an error with its message, 2 a wrong command line, 130 stopped with Ctrl-C.
"""

import io
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer

import tokenloom
from tokenloom.cli.demo import demo
from tokenloom.errors import TokenloomError

__all__ = ["app", "run"]

_STOPPED = 130

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Train and run tokenizers for language models.",
)
app.command()(demo)


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        typer.echo(f"tokenloom {tokenloom.__version__}")
        raise typer.Exit


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # tokens hold any character, a terminal may not
    try:
        app(list(arguments))
    except SystemExit as end:  # typer ends each verb so, and 130 stands for Ctrl-C
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        return _complain("stopped.", status) if status == _STOPPED else status
    except TokenloomError as error:
        return _complain(f"error: {error}", 1)
    except BrokenPipeError:
        return 1
    except OSError as error:
        return _complain(f"error: output cannot be written ({error.strerror}). Send it elsewhere.", 1)
    return 0


def _complain(message: str, status: int) -> int:
    typer.echo(message, err=True)
    return status


def _show_warning(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 - the signature is that of warnings.showwarning
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    typer.echo(f"warning: {message}", err=True)
