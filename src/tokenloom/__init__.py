"""Train, run, measure and choose tokenizers for language models.

Names are loaded when first used (PEP 562), so that importing `tokenloom` or `tokenloom.lessons` needs neither the
compiled core nor numpy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tokenloom import errors
from tokenloom.errors import (
    CorpusError,
    DecodeError,
    EncodeError,
    FormatError,
    MissingExtraError,
    SpecError,
    SpecialTokenError,
    StorageError,
    TokenloomError,
    TokenloomWarning,
    TrainingError,
    TrainingWarning,
)

if TYPE_CHECKING:
    from tokenloom.spec import TokenizerSpec

__all__ = [
    "CorpusError",
    "DecodeError",
    "EncodeError",
    "FormatError",
    "MissingExtraError",
    "SpecError",
    "SpecialTokenError",
    "StorageError",
    "TokenizerSpec",
    "TokenloomError",
    "TokenloomWarning",
    "TrainingError",
    "TrainingWarning",
    "errors",
]

_HOME_OF = {
    "TokenizerSpec": "tokenloom.spec",
}
"""The module of each name that is loaded when first used."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = _installed_version()
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'tokenloom' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF, "__version__"})


def _installed_version() -> str:
    """The version of the installed package; a source tree that is only on the path has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("tokenloom")
    except PackageNotFoundError:
        return "0+unknown"
