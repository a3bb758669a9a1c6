"""What a job may take of the machine: memory, threads, processes. None of it decides a result."""

from dataclasses import dataclass
from typing import Final

from tokenloom.errors import MemoryLimitError, TrainingError
from tokenloom.tokenizer import check_threads
from tokenloom.trainers.spilling import LEAST_MEMORY_BYTES
from tokenloom.wording import format_bytes

__all__ = ["PROGRAM_BYTES", "Resources"]

PROGRAM_BYTES: Final = 150_000_000
"""The program itself takes so much beside its tables and buffers, all processes together; the limit leaves it out."""

_MOST_PROCESSES: Final = 1024
_CALLER_BYTES: Final = {False: 50_000_000, True: 100_000_000}
"""What the program takes in the process that hands out the tasks, and in the one that Python starts beside it; by
whether it reads Parquet or Arrow, for which pyarrow is loaded. Measured with Python 3.11 on Linux, as the peaks (VmHWM)
of the processes of `count-pretokens --processes 2 --threads 1 --memory-limit` on two files of 5 MB with few distinct
pretokens, and rounded up: 33 and 13 MB, with Parquet 82 and 13 MB."""
_WORKER_BYTES: Final = {False: 50_000_000, True: 140_000_000}
"""What it takes in each process that counts, the text at hand with it. Measured in the same run: 35 MB, with Parquet
106 MB, to which larger row groups add."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What a job may take.

    Args:
        memory_limit: bytes that its tables and buffers keep to, all processes together; the program itself comes on
            top, at most 150 MB. None is no limit.
        n_threads: threads of each process, fewer if the limit has no room for tables of each; None for one a core.
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
        if limit is not None and (type(limit) is not int or limit < LEAST_MEMORY_BYTES):
            raise TrainingError(
                f"memory_limit {limit!r}: must be a whole number of bytes from {LEAST_MEMORY_BYTES:,} "
                f"({format_bytes(LEAST_MEMORY_BYTES)}). Raise it."
            )

    def process_memory(self, n_tasks: int, *, reads_tables: bool) -> int | None:
        """The limit of each process that works at so many tasks; None is no limit.

        What the program takes in several processes and has no room in `PROGRAM_BYTES` is taken off the limit.
        `reads_tables` is whether they read Parquet or Arrow.
        Raises: MemoryLimitError if the limit is too small for so many processes.
        """
        n = min(self.n_processes, n_tasks)
        if self.memory_limit is None or n <= 1:
            return self.memory_limit
        n_program_bytes = _program_bytes(n, reads_tables=reads_tables)
        share = (self.memory_limit - n_program_bytes) // n
        if share < LEAST_MEMORY_BYTES:
            need = n_program_bytes + n * LEAST_MEMORY_BYTES
            program = f", of which {format_bytes(n_program_bytes)} for the program itself" if n_program_bytes else ""
            raise MemoryLimitError(
                f"memory limit {format_bytes(self.memory_limit)}: {n} processes need {format_bytes(need)}{program}. "
                "Raise --memory-limit, or use fewer --processes."
            )
        return share

    def limit_for(self, process_bytes: int, n_tasks: int, *, reads_tables: bool) -> int:
        """The limit with which `process_memory` gives each process so many bytes."""
        n = min(self.n_processes, n_tasks)
        return process_bytes if n <= 1 else n * process_bytes + _program_bytes(n, reads_tables=reads_tables)


def _program_bytes(n_processes: int, *, reads_tables: bool) -> int:
    """What the program takes in several processes and has no room in `PROGRAM_BYTES`."""
    return max(0, _CALLER_BYTES[reads_tables] + n_processes * _WORKER_BYTES[reads_tables] - PROGRAM_BYTES)
