"""What a job may take of the machine: memory, threads, processes. None of it decides a result."""

from dataclasses import dataclass

from tokenloom.errors import TrainingError
from tokenloom.tokenizer import check_threads
from tokenloom.trainers.spilling import LEAST_MEMORY_BYTES
from tokenloom.wording import format_bytes

__all__ = ["Resources"]

_MOST_PROCESSES = 1024


@dataclass(frozen=True, slots=True)
class Resources:
    """What a job may take.

    Args:
        memory_limit: bytes that its tables and buffers keep to, all processes together; the program itself comes on
            top, about 100 MB for each process. None is no limit.
        n_threads: threads of each process; None for one a core.
        n_processes: processes that count splits at once.
    Raises: TrainingError for a value out of its range.
    """

    memory_limit: int | None = None
    n_threads: int | None = None
    n_processes: int = 1

    def __post_init__(self) -> None:
        check_threads(self.n_threads, TrainingError)
        limit, n = self.memory_limit, self.n_processes
        if type(n) is not int or not 1 <= n <= _MOST_PROCESSES:
            raise TrainingError(f"n_processes {n!r}: must be a whole number from 1 to {_MOST_PROCESSES:,}. Use 1.")
        if limit is not None and (type(limit) is not int or limit < n * LEAST_MEMORY_BYTES):
            raise TrainingError(
                f"memory_limit {limit!r}: must be a whole number of bytes from {n * LEAST_MEMORY_BYTES:,} "
                f"({format_bytes(LEAST_MEMORY_BYTES)} for each process). Raise it, or use fewer processes."
            )

    @property
    def process_memory(self) -> int | None:
        """The limit of one process."""
        return None if self.memory_limit is None else self.memory_limit // self.n_processes
