"""What is shown on a terminal: a bar of progress, and tables."""

import sys

from ..columns import table

__all__ = ["Bar", "table"]


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
