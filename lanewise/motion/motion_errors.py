"""What is raised when a motion cannot be read, or not be decided."""

from ..conventions.spelling import option
from ..errors import ConventionError

IN_A_SHELL = {"m": "FILE", "[...]": "NAME,NAME,..."}  # values that are no text


class MotionError(ConventionError):
    """A file that is no motion, or damaged, or of another robot."""


class UndecidedMotion(MotionError):
    """A file that may mean several things; the message has what would decide it."""


def spelled(argument: str) -> str:
    """An argument, fps=50, as it would be given: in a shell it is --fps 50."""
    name, _, value = argument.partition("=")
    value, blank, comment = value.partition(" ")
    if not option("x", 1).startswith("--"):
        return argument
    value = value.strip("\"'")
    return option(name, IN_A_SHELL.get(value, value)) + blank + comment
