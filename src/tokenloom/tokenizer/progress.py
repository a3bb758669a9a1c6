"""Progress of a text that is worked at in parts."""

from collections.abc import Callable

__all__ = ["part_progress"]


def part_progress(
    progress: Callable[[int], object] | None, *, n_before: int, n_bytes: int
) -> Callable[[int], object] | None:
    """Progress of a part as that of the text, of which so many bytes stand before the part.

    With a part also what was held is done because it was not sure before, so more bytes may be done than the part has;
    they were told when they were read, and telling them again would put the end of the part too far.

    Args:
        progress: that of the text; None for none.
        n_before: bytes before the part.
        n_bytes: bytes of the part.

    >>> tell = part_progress(print, n_before=10, n_bytes=5)
    >>> tell(3), tell(8)
    13
    15
    (None, None)
    """
    return progress and (lambda done: progress(n_before + min(done, n_bytes)))
