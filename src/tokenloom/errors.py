"""Every error and warning that tokenloom raises on purpose.

    Exception
    └── TokenloomError
        ├── CorpusError         (also OSError)      an input file is missing, unreadable, or a folder
        ├── TrainingError       (also ValueError)   a training that cannot be done as asked
        ├── SpecialTokenError   (also ValueError)   a special token that is empty, doubled or unknown
        ├── EncodeError         (also ValueError)   text that may not or cannot become ids
        ├── DecodeError         (also ValueError)   ids that have no token
        ├── FormatError         (also ValueError)   a file that is not what it should be, or cannot hold what it should
        ├── SpecError           (also ValueError)   a tokenizer description that contradicts itself
        ├── TaskError           (also RuntimeError) a process that ended before its task did
        ├── CostError           (also ValueError)   a model or hardware that is not known, or figures that cannot be
        ├── MemoryLimitError    (also MemoryError)  work that needs more memory than it was given
        ├── MetricError         (also ValueError)   a value that is not defined, or inputs that cannot be compared
        ├── MissingExtraError   (also ImportError)  a package that an extra of tokenloom brings
        └── StorageError        (also OSError)      an output folder that is incomplete, changed or not writable
    UserWarning
    └── TokenloomWarning
        ├── FormatWarning       a file that can be read but probably is not whole
        └── TrainingWarning     training ended with less than was asked for

Every message has three parts: what was wrong, where, and what to do. Values are quoted with `repr`, places are a file
and line, a byte offset, a token id or a merge rank, and the remedy comes last. Each class also inherits from the
built-in that a caller would expect, so `except ValueError` around an encode keeps working.

All classes take one string: the compiled core raises them by name, with a finished message.
"""

__all__ = [
    "CorpusError",
    "CostError",
    "DecodeError",
    "EncodeError",
    "FormatError",
    "FormatWarning",
    "MemoryLimitError",
    "MetricError",
    "MissingExtraError",
    "SpecError",
    "SpecialTokenError",
    "StorageError",
    "TaskError",
    "TokenloomError",
    "TokenloomWarning",
    "TrainingError",
    "TrainingWarning",
]


class TokenloomError(Exception):
    """Base of all errors that tokenloom raises on purpose."""


class CorpusError(TokenloomError, OSError):
    """An input file that is missing, cannot be read, or is a folder."""


class TrainingError(TokenloomError, ValueError):
    """A training that cannot be done as asked, such as a vocabulary smaller than its bytes and special tokens."""


class SpecialTokenError(TokenloomError, ValueError):
    """A special token that is empty, listed twice, or named but not known."""


class EncodeError(TokenloomError, ValueError):
    """Text that may not become ids (it contains a special token) or cannot (it contains a lone surrogate)."""


class DecodeError(TokenloomError, ValueError):
    """Ids that have no token."""


class FormatError(TokenloomError, ValueError):
    """A file that cannot be read as what it should be, or a format that cannot hold what it is asked to hold."""


class SpecError(TokenloomError, ValueError):
    """A tokenizer description that contradicts itself or names an unknown component."""


class TaskError(TokenloomError, RuntimeError):
    """A process that ended before its task did, such as one that the system killed."""


class CostError(TokenloomError, ValueError):
    """A model, hardware or vocabulary that is in no table, or figures that no model can have."""


class MemoryLimitError(TokenloomError, MemoryError):
    """Work that needs more memory than it was given; it was stopped before it began."""


class MetricError(TokenloomError, ValueError):
    """A metric that is not known or has no value here, as a ratio to nothing, or inputs that cannot be compared."""


class MissingExtraError(TokenloomError, ImportError):
    """A package is needed that is not installed; the message names the extra of tokenloom that brings it."""


class StorageError(TokenloomError, OSError):
    """An output folder that is incomplete, whose checksums differ, or that cannot be written."""


class TokenloomWarning(UserWarning):
    """Base of all warnings that tokenloom issues."""


class FormatWarning(TokenloomWarning):
    """A file that can be read but probably is not whole, such as a list of merges that was cut."""


class TrainingWarning(TokenloomWarning):
    """A training that ended with less than was asked for, because the corpus holds no more."""
