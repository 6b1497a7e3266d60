"""The command line: a file of `commands` for each command, and what they share."""

from .program import main

__all__ = ["main"]
