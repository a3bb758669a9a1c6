"""Files of a repository on the Hugging Face Hub, through `huggingface_hub` and its cache on this machine.

The only file that needs that package. What is in the cache needs no network. Whatever the package raises becomes a
CorpusError with the name of the repository; a token is passed on and never kept.
"""

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from tokenloom.errors import CorpusError, MissingExtraError
from tokenloom.wording import quoted

__all__ = ["hub_commit", "hub_files"]

_OFFLINE: Final = "HF_HUB_OFFLINE"


def hub_files(
    name: str,
    candidates: Sequence[Sequence[str]],
    *,
    revision: str | None,
    cache_dir: str | os.PathLike[str] | None,
    token: str | bool | None,
    local_files_only: bool,
) -> list[Path]:
    """The files of the first candidate that the repository has all of, in the cache of this machine.

    Args:
        name: of the repository, such as "org/model".
        candidates: names of files that are of use together.
        revision: a branch, a tag or a commit; None is the main branch.
        cache_dir: the folder of the cache; None is the usual one, which `HF_HOME` moves.
        token: for repositories that are not for all, as in that package.
        local_files_only: looks at the cache alone.
    Raises: MissingExtraError without that package; CorpusError if there is no such repository, revision or file, or if
        it cannot be reached and is not in the cache.
    """
    hub = _hub()
    options = {"revision": revision, "cache_dir": cache_dir, "token": token}
    n_unknown = 0
    for files in candidates:
        try:
            return [
                Path(hub.hf_hub_download(name, file, local_files_only=local_files_only, **options)) for file in files
            ]
        except hub.errors.LocalEntryNotFoundError:
            # Neither in the cache nor reached: whether the repository has it is not known, nor asked again.
            local_files_only, n_unknown = True, n_unknown + 1
        except hub.errors.EntryNotFoundError:
            continue
        except Exception as error:
            raise _named(hub, name, revision, error) from error
    looked_for = ", ".join(" with ".join(files) for files in candidates)
    if n_unknown:
        raise CorpusError(
            f"{quoted(name)}: none of {looked_for} is in the cache of huggingface_hub on this machine, and the hub "
            f"{_why_not()}. Get it where there is a network, or name a folder that holds the files."
        )
    raise CorpusError(f"{quoted(name)}: the repository has none of {looked_for}. Name one with a tokenizer.")


def hub_commit(path: Path) -> str | None:
    """The commit that a file of the cache is of: `.../snapshots/COMMIT/FILE`; None for another path.

    >>> hub_commit(Path("cache/models--a--b/snapshots/0123abc/tokenizer.json"))
    '0123abc'
    """
    return path.parent.name if path.parent.parent.name == "snapshots" else None


def _hub() -> Any:
    try:
        hub = import_module("huggingface_hub")
        import_module("huggingface_hub.errors")
    except ImportError as error:
        raise MissingExtraError(
            "reading from the Hugging Face Hub needs huggingface_hub. Install tokenloom with the 'hub' extra, or name "
            "a folder that holds the files."
        ) from error
    return hub


def _why_not() -> str:
    is_offline = import_module("huggingface_hub.constants").HF_HUB_OFFLINE
    return f"is not asked since {_OFFLINE} is set" if is_offline else "was not reached or not asked"


def _named(hub: Any, name: str, revision: str | None, error: Exception) -> Exception:
    """The error to raise for what that package raises."""
    errors = hub.errors
    at = f" at revision {revision!r}" if revision else ""
    if isinstance(error, errors.GatedRepoError):
        what, remedy = (
            "its owner must allow you to read it",
            "Ask there, and pass token= or log in with 'hf auth login'",
        )
    elif isinstance(error, errors.RepositoryNotFoundError):
        what = "there is no such repository, or it is not for all"
        remedy = "Check the name, or pass token= if it is private"
    elif isinstance(error, errors.RevisionNotFoundError):
        what, remedy = f"it has no revision {revision!r}", "Name a branch, a tag or a commit"
    elif isinstance(error, errors.HFValidationError):
        what = "it is neither a folder or file here nor the name of a repository"
        remedy = "Check the path, or write 'owner/name'"
    else:
        what, remedy = f"reading from the hub failed{at}: {error}", "Try again, or name a folder that holds the files"
    return CorpusError(f"{quoted(name)}: {what}. {remedy}.")
