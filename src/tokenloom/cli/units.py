"""Numbers for people."""

__all__ = ["format_bytes"]


def format_bytes(n_bytes: float) -> str:
    """Bytes with a decimal unit and three digits.

    >>> format_bytes(12), format_bytes(1_234_567), format_bytes(99_960_000)
    ('12 B', '1.23 MB', '100 MB')
    """
    if n_bytes < 1000:
        return f"{n_bytes:.0f} B"
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        n_bytes /= 1000
        if n_bytes < 999.5 or unit == "PB":
            break
    digits = 2 if n_bytes < 9.995 else 1 if n_bytes < 99.95 else 0
    return f"{n_bytes:.{digits}f} {unit}"
