"""Where numbers come from: processor and versions."""

import os
import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["machine", "versions"]


def machine() -> dict[str, Any]:
    """The machine, and how busy it was before the first run."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "load_average": round(os.getloadavg()[0], 2),
    }


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of Python and of packages; in a checkout also its commit, as most measuring is between releases."""
    found = {"python": platform.python_version()} | {package: _version(package) for package in packages}
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return found
    return found | {"tokenloom commit": commit}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError as error:
        if find_spec(package):
            return "not installed but on the path"
        raise RuntimeError(f"{package} is not installed. Install tokenloom with the 'test' extra.") from error
