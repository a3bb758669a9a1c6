"""Where and when a step runs."""

from tokenloom.engine.ahead import ahead

__all__ = ["ahead"]
