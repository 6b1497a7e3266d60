"""Tables of numbers in text, with or without a line of names."""

import csv
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .motion_errors import MotionError
from .number_text import Lines, read_lines

LONGEST = 2**29  # bytes of a text file
LONGEST_LINE = 2**18  # characters of its first line


@dataclass(frozen=True, eq=False)
class Table:
    """Columns (rows, n), and their names if the first line has them."""

    values: np.ndarray
    names: tuple[str, ...] | None = None


def read_table(path: Path) -> Table:
    """A file of numbers with commas, semicolons, tabs or blanks between them."""
    if path.stat().st_size > LONGEST:
        raise MotionError(
            f"{path.name} has {path.stat().st_size} bytes; at most {LONGEST} are read"
        )
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = file.readline(LONGEST_LINE)
    if not first.strip():
        raise MotionError(f"{path.name} is empty, or begins with an empty line")
    if len(first) == LONGEST_LINE:
        raise MotionError(f"{path.name} is no table: its first line has no end")
    mark = next((m for m in ",;\t" if m in first), None)
    cells = next(csv.reader([first], delimiter=mark)) if mark else first.split()
    cells = [cell.strip() for cell in cells]
    names = None if all(map(_is_number, cells)) else tuple(cells)
    if names is not None and len(set(names)) < len(names):
        raise MotionError(f"{path.name}: names in the first line must differ; got {first.strip()}")
    values = _plain(path, len(cells), mark, names is not None)
    if values is None:
        values = _by_numpy(path, mark, names is not None)
    if not values.size:
        raise MotionError(f"{path.name} is no table of numbers: it has no rows")
    if names is not None and len(names) != values.shape[1]:
        raise MotionError(
            f"{path.name} has {len(names)} names and {values.shape[1]} columns of numbers"
        )
    return Table(values, names)


def _plain(path: Path, n: int, mark: str | None, named: bool) -> np.ndarray | None:
    """Lines of n numbers and nothing else; None if something else is there."""
    data = path.read_bytes()
    begin = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if named:
        begin = data.find(b"\n") + 1 or len(data)
    return read_lines(data, begin, n, mark or " ")


def _by_numpy(path: Path, mark: str | None, named: bool) -> np.ndarray:
    """Whatever NumPy takes, or what it says of the rest."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of files without rows, said by others
            return np.loadtxt(path, delimiter=mark, skiprows=int(named), ndmin=2, dtype=float,
                              encoding="utf-8-sig", comments="#")  # fmt: skip
    except (ValueError, UnicodeError) as error:
        raise MotionError(f"{path.name} is no table of numbers: {error}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def table_lines(table: Table) -> Lines:
    """As text: commas between numbers, each with all its digits."""
    return Lines(",".join(table.names) + "\n" if table.names else "", table.values)
