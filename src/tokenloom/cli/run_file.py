"""`run.toml`: the values of a run as flat TOML, so that `--config OUT/run.toml` does it again."""

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tokenloom
from tokenloom.errors import TokenloomWarning

__all__ = ["render_toml", "write_run_file"]


_ESCAPES: Final = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t", ord("\r"): "\\r"} | {
    code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F) if chr(code) not in "\n\t\r"
}
"""TOML allows no control character in a string, and DEL is one."""


def render_toml(values: Mapping[str, Any]) -> str:
    r"""Flat TOML of strings, paths, bools, numbers and lists of these; keys are letters, digits, `-` and `_`.

    Raises: ValueError for a string with a lone surrogate, which UTF-8 cannot hold.

    >>> print(render_toml({"out": "a b", "threads": 2, "report": True, "corpus": ["é", 'say "x"']}), end="")
    out = "a b"
    threads = 2
    report = true
    corpus = ["é", "say \"x\""]
    """
    return "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def write_run_file(folder: Path, verb: str, values: Mapping[str, Any]) -> None:
    """Leave the values of a run in its output folder, beside what the manifest lists.

    Paths stay as they were given, so a folder can move with its text and says nothing of the machine.
    Warns: TokenloomWarning in place of a file for a value that is no UTF-8, such as some file names.
    """
    from tokenloom.storage import atomic_write
    from tokenloom.storage.manifest import RUN_FILE

    head = (
        f"# tokenloom {tokenloom.__version__}\n"
        f"# Do it again, where it was done: tokenloom {verb} --config OUT/{RUN_FILE}\n\n[{verb}]\n"
    )
    try:
        content = (head + render_toml(values)).encode()
    except ValueError:
        message = (
            f"{str(folder / RUN_FILE)!r}: not written, since an option is no UTF-8. Keep the command line yourself."
        )
        warnings.warn(message, TokenloomWarning, stacklevel=2)
        return
    with atomic_write(folder / RUN_FILE) as file:
        file.write(content)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        text.encode()  # a lone surrogate raises here
        return f'"{text.translate(_ESCAPES)}"'
    raise TypeError(f"{value!r}: is of type {type(value).__name__}. Use str, bool, int, float, or a list of them.")
