"""One run in a process of its own: reads a request from stdin, writes its numbers to stdout, both JSON.

Started by `measuring/rounds.py`; nobody needs to call it by hand.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from cases import CASES


def main() -> None:
    request = json.load(sys.stdin)
    outcome = CASES[request["case"]].run(request["peer"], request["inputs"])
    if request["answer"]:
        Path(request["answer"]).write_bytes(outcome.answer())
    sections = {label: asdict(section) for label, section in outcome.sections.items()}
    answer = {"sections": sections, "fingerprint": outcome.fingerprint}
    json.dump(answer | ({"figures": dict(outcome.figures)} if outcome.figures else {}), sys.stdout)


if __name__ == "__main__":
    main()
