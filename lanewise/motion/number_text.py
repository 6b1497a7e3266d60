"""Lines of numbers in text: millions of them by kernels on all threads, few of them by Python.

Kernels (number_kernels.py) take what is plain, and are exact: what is written with 17 digits is
read as the same floats. What they do not take, `read_lines` does not either: None then, and the
caller has NumPy, which says what is wrong. Files of a few lines do not wait for a compiler.
"""

import ctypes
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..lanes import JIT
from .frame_blocks import threads

FEW_BYTES, FEW = 2**22, 2**18  # to read, and numbers to write, for which nothing is compiled
PIECE = 2**22  # bytes that a thread reads at a time
BLOCK = 2**15  # numbers that a thread writes at a time
EXACT = 17  # digits


# ---- reading


def read_lines(data: bytes, begin: int, columns: int, mark: str) -> np.ndarray | None:
    """(rows, columns) of the text from byte `begin` on, or None if it is not all such lines.

    mark is what stands between numbers of a line; with " " it is any blanks and tabs.
    """
    end = len(data)
    while end > begin and data[end - 1 : end].isspace():
        end -= 1
    if not JIT or end - begin < FEW_BYTES or not columns:
        return None
    ends = _pieces(data, begin, end)
    rows = [data.count(b"\n", a, b) for a, b in pairwise(ends)]
    rows[-1] += 1  # whose newline was left out
    if 2 * sum(rows) * columns > end - begin + 1:  # a number takes two bytes at least
        return None
    out = np.empty((sum(rows), columns))
    first = np.cumsum([0, *rows])
    with ThreadPoolExecutor(threads()) as pool:
        done = [pool.submit(_read_piece, data, ends[k], ends[k + 1], out[first[k] : first[k + 1]],
                            mark) for k in range(len(rows))]  # fmt: skip
        return out if all(x.result() for x in done) else None


def _pieces(data: bytes, begin: int, end: int) -> list[int]:
    """Where pieces begin, each after a newline, and the end."""
    found = [begin]
    while end - found[-1] > PIECE:
        after = data.find(b"\n", found[-1] + PIECE, end) + 1
        if not after:
            break
        found.append(after)
    return [*found, end]


def _read_piece(data: bytes, begin: int, end: int, out: np.ndarray, mark: str) -> bool:
    from .number_kernels import ENTRIES

    where = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
    read = ENTRIES["read_lines"]
    count = read(where + begin, where + end, out.ctypes.data, out.shape[1], len(out), ord(mark))
    if count != out.size:
        return False
    hard = np.argwhere(np.isnan(out))
    if len(hard):
        lines = data[begin:end].split(b"\n")
        for row, column in hard:
            words = lines[row].split(None if mark == " " else mark.encode())
            out[row, column] = float(words[column])
    return True


# ---- writing


@dataclass(frozen=True, eq=False)
class Lines:
    """Text: a head, then lines of numbers (rows, columns) with a mark between them."""

    head: str
    values: np.ndarray
    mark: str = ","
    digits: int = EXACT

    def write(self, file: Any) -> None:
        """To a file of bytes."""
        file.write(self.head.encode())
        for text in self._blocks():
            file.write(text)

    def _blocks(self) -> Iterator[Any]:
        values = np.ascontiguousarray(self.values, float)
        n = max(BLOCK // max(values.shape[1], 1), 1)
        parts = (values[k : k + n] for k in range(0, len(values), n))
        if not JIT or values.size < FEW:
            yield from map(self._plain, parts)
            return
        ahead: deque[Future[Any]] = deque()
        with ThreadPoolExecutor(threads()) as pool:
            for part in parts:
                ahead.append(pool.submit(self._compiled, part))
                if len(ahead) > 2 * threads():
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _compiled(self, part: np.ndarray) -> Any:
        from .number_kernels import BEYOND, ENTRIES, WIDEST

        out = np.empty(WIDEST * part.size + BEYOND, np.uint8)
        n = ENTRIES["write_lines"](part.ctypes.data, *part.shape, out.ctypes.data, ord(self.mark),
                                   self.digits)  # fmt: skip
        return out[:n] if n >= 0 else self._plain(part)

    def _plain(self, part: np.ndarray) -> bytes:
        each = "%r" if self.digits == EXACT else f"%.{self.digits}g"
        row = self.mark.join([each] * part.shape[1]) + "\n"
        return (row * len(part) % tuple(part.ravel().tolist())).encode()
