"""What is shown on a terminal: colours, a bar of progress, and tables."""

import sys
from typing import TYPE_CHECKING, Any

from ..columns import table

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Bar", "console", "in_words", "say", "table"]

ELSEWHERE = 110  # columns of what goes into a file or a pipe


def console(stream: Any = None) -> "Console":
    """Where rich things are printed: colours and the width of the window on a terminal, plain text
    elsewhere. A reader that has enough is told to the program, as by print."""
    from rich.console import Console

    class Open(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    stream = sys.stdout if stream is None else stream
    width = None if stream is not None and stream.isatty() else ELSEWHERE
    return Open(file=stream, width=width, highlight=False, soft_wrap=False)


def say(out: "Console", text: str, style: str = "") -> None:
    """Print text as it is, in one style; lines break where the terminal ends, if there is one."""
    out.print(text, style=style or None, markup=False, emoji=False, soft_wrap=True)


def in_words(number: int, one: str, many: str = "") -> str:
    """'1 world', '2 worlds', '3 bodies'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


class Bar:
    """A progress bar: one line that is redrawn on a terminal, a few lines elsewhere."""

    def __init__(self, total: int, label: str, stream=None, width: int = 32):
        self.total, self.label, self.width = max(total, 1), label, width
        self.stream = sys.stderr if stream is None else stream
        self.live = self.stream.isatty()
        self.done, self._shown = 0, -1

    def advance(self, n: int = 1, note: str = "") -> None:
        self.done = min(self.done + n, self.total)
        percent = 100 * self.done // self.total
        stride = 1 if self.live else 20
        if percent // stride == self._shown // stride:
            return
        self._shown = percent
        full = self.width * self.done // self.total
        line = f"{self.label} [{'#' * full}{'.' * (self.width - full)}] {percent:3d} %  {note}"
        end = "\r" if self.live and self.done < self.total else "\n"
        print(f"{line:<78}", end=end, file=self.stream, flush=True)
