"""The libraries that contests measure, by name. A library that is asked in several ways is several peers."""

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Final

from peers import definitions, ours, rivals
from peers.peer import Peer

__all__ = ["OURS", "PEERS", "absent", "packages"]

PEERS: Final[dict[str, Peer]] = {**ours.PEERS, **rivals.PEERS, **definitions.PEERS}

OURS: Final = frozenset(ours.PEERS)


def packages(names: Iterable[str]) -> tuple[str, ...]:
    """The distributions of peers, each once."""
    return tuple(dict.fromkeys(PEERS[name].package for name in names))


def absent(names: Iterable[str], encoding: str) -> dict[str, str]:
    """Those of the peers that cannot take part, and why."""
    reasons = {}
    for name in names:
        peer = PEERS[name]
        if find_spec(peer.module) is None:
            reasons[name] = "not installed"
        elif encoding not in peer.encodings:
            reasons[name] = "does not have the encoding"
        elif lack := peer.lack():
            reasons[name] = lack
    return reasons
