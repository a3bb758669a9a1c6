"""The command `tokenloom`: one verb a file; data to standard output, words to standard error.

Exit codes: 0 done, 1 an error with its message, 2 a wrong command line, 130 stopped with Ctrl-C.
"""

import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Annotated, Final, TextIO

import typer

import tokenloom
from tokenloom.cli.command import Verb, Verbs
from tokenloom.cli.verbs import VERBS, example_of, function_of
from tokenloom.errors import TokenloomError

__all__ = ["application", "run"]

_STOPPED: Final = 130
_COMPLETING: Final = "_TOKENLOOM_COMPLETE"
"""Set by the shell when it asks for completions; it then needs the options of every verb."""

_EPILOG: Final = """\
Data goes to standard output, words to standard error. Every verb explains itself: tokenloom VERB --help.

Exit codes: 0 done; 1 an error, with its message; 2 a wrong command line; 130 stopped with Ctrl-C."""


def application(arguments: Sequence[str]) -> typer.Typer:
    """The command line that these arguments need: only the verb that they name is loaded, the others are titles.

    All verbs with what they import, and the options that install completion, would cost every verb a third of a second.
    """
    wanted = next((argument for argument in arguments if not argument.startswith("-")), None)
    is_completing = _COMPLETING in os.environ
    app = typer.Typer(
        cls=Verbs,
        add_completion=is_completing or wanted not in VERBS,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        help="Train and run tokenizers for language models.",
        epilog=_EPILOG,
    )
    app.callback(invoke_without_command=True)(_options)
    for verb, summary in VERBS.items():
        if verb == wanted or is_completing:
            app.command(verb, cls=Verb, epilog=f"Example: {example_of(verb)}")(function_of(verb))
        else:
            app.command(verb, help=summary)(_title())
    return app


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit code."""
    warnings.showwarning = _show_warning
    _open_streams()
    try:
        application(arguments)(list(arguments), prog_name="tokenloom")
        sys.stdout.flush()
    except SystemExit as end:  # typer ends each verb so, and 130 stands for Ctrl-C
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        return _complain("stopped.", status) if status == _STOPPED else status
    except TokenloomError as error:
        return _complain(f"error: {error}", 1)
    except BrokenPipeError:
        return 1
    except OSError as error:
        return _complain(f"error: {_system_words(error)}", 1)
    return 0


def _system_words(error: OSError) -> str:
    """What the system says of a file; an error without a file's name is one of the standard streams."""
    if error.filename is not None:
        return f"{error.filename!r}: cannot be read or written ({error.strerror}). Check the path and its permissions."
    return f"output cannot be written ({error.strerror}). Send it elsewhere."


def _open_streams() -> None:
    """Make the standard streams fit for use: closed ones are empty, and no character is too much for an encoding."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # tokens hold any character, a terminal may not


def _options(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        typer.echo(f"tokenloom {tokenloom.__version__}")
        raise typer.Exit


def _title() -> Callable[[], None]:
    """What stands for a verb that is not asked for: it has a place in the list of verbs and never runs."""

    def title() -> None: ...

    return title


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
