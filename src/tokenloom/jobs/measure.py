"""Time and memory of the stages of a job."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Stage", "measured"]


@dataclass(slots=True)
class Stage:
    """One stage of a job.

    Args:
        name: what was done.
        n_bytes: how much text went through it.
        seconds: wall time.
        peak_bytes: the most memory the process held during the stage; None where the system does not tell.
    """

    name: str
    n_bytes: int = 0
    seconds: float = 0.0
    peak_bytes: int | None = None

    @property
    def bytes_per_second(self) -> float:
        """Throughput; 0 for a stage without text."""
        return self.n_bytes / self.seconds if self.seconds else 0.0


@contextmanager
def measured(stages: list[Stage], name: str) -> Iterator[Stage]:
    """Measure a stage and append it to `stages`; the body sets `n_bytes`."""
    stage = Stage(name)
    stages.append(stage)
    _forget_peak()
    start = time.perf_counter()
    try:
        yield stage
    finally:
        stage.seconds = time.perf_counter() - start
        stage.peak_bytes = _peak_bytes()


def _forget_peak() -> None:
    """Begin a new high-water mark. Only Linux can; elsewhere the mark is that of the process so far."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_bytes() -> int | None:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
