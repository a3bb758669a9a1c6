"""Results that were found to equal those of another library, remembered by checksum.

Comparing tens of megabytes takes another library minutes, and us seconds. So a comparison that found no difference
leaves the checksum of the texts and of our results in `golden/equal_to_libraries.json`; as long as both are the same
and so is the version of the library, its results are equal without asking. After any change the library is asked
again, and the test is as slow as it was. To remember the new results:

    TOKENLOOM_REMEMBER=1 python -m pytest -n 0 tests/interop/test_published.py

which asks the libraries about everything.
"""

import json
import os
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

__all__ = ["differences_from"]

MEMORY: Final = Path(__file__).parent / "golden" / "equal_to_libraries.json"
REMEMBER: Final = "TOKENLOOM_REMEMBER" in os.environ


def differences_from(
    library: str, *, key: str, ours: Iterable[bytes | memoryview], find: Callable[[], list[str]]
) -> list[str]:
    """Where our results differ from those of a library.

    Args:
        library: the package, as "tiktoken".
        key: which results these are.
        ours: the texts and our results in order, and what the library is given beside the texts.
        find: asks the library, and gives the first texts that differ.
    """
    checksum = sha256(f"{library} {version(library)}".encode())
    for part in ours:
        checksum.update(len(part).to_bytes(8, "little"))
        checksum.update(part)
    memory: dict[str, str] = json.loads(MEMORY.read_bytes()) if MEMORY.exists() else {}
    if not REMEMBER and memory.get(key) == checksum.hexdigest():
        return []
    found = find()
    if REMEMBER and not found:
        memory[key] = checksum.hexdigest()
        MEMORY.write_text(json.dumps(memory, indent=1, sort_keys=True) + "\n")
    return found
