"""What is wrong with a file of a run."""

from typing import Any

from ..errors import LanewiseError


class RunError(LanewiseError, ValueError):
    """A file that is no run, or a damaged one."""

    def __init__(self, path: Any, what: str):
        super().__init__(f"{str(path)!r} cannot be read as a run: {what}")
