"""Arrays of numbers from files that nobody vouches for.

A file is what its first bytes say it is, whatever its name. Nothing is ever unpickled. What headers
claim is compared with the length of the file before room is made for it, and there are limits to
what is read: memory and time go with the size of a file, not with the numbers in it.
"""

import importlib
import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import ConventionError

MOST_BYTES = 2**28  # of an array in memory
LONGEST_TEXT = 2**29  # bytes of a text file
LONGEST_LINE = 2**20  # characters
MOST_COLUMNS = 4096
LONGEST_HEADER = 10_000  # bytes, of an array of NumPy, as NumPy has it
LONGEST_INDEX = 2**24  # bytes, of the lists at the end of zip and parquet files
DEFLATE = 1100  # times that zip can make things smaller
SAFE_PYARROW = (14, 0, 1)  # before it, reading could execute code

# what files begin with that are no logs, and what to do about it
OTHERS = {
    b"\x89HDF": "an HDF5 file: save its arrays with np.savez",
    b"ULog": "a log of PX4: ulog2csv makes tables of it",
    b"#ROSBAG": "a bag of ROS: export its topic as CSV",
    b"\x89MCAP": "a bag of ROS: export its topic as CSV",
    b"SQLite format 3": "a database (a bag of ROS 2?): export its topic as CSV",
    b"MATLAB": "a file of MATLAB: save its arrays as CSV",
    b"ARROW1": "a Feather file: save it as parquet or CSV",
    b"\x1f\x8b": "compressed with gzip: unpack it first",
    b"BZh": "compressed with bzip2: unpack it first",
    b"\xfd7zXZ": "compressed with xz: unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it first",
}
TEXTS = (".csv", ".txt", ".tsv", ".tum", ".dat", ".log", "")
MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Array:
    """An array of a file that is read when it is wanted."""

    shape: tuple[int, ...]
    read: Callable[[], np.ndarray]


def kept(x: np.ndarray) -> Array:
    """An array that has been read."""
    return Array(x.shape, lambda: x)


@dataclass(frozen=True)
class Contents:
    """What a file has: arrays by name, columns of a table by name, or a table without names.

    `refused` are arrays that were not read, and why.
    """

    arrays: dict[str, Array] = field(default_factory=dict)
    columns: dict[str, np.ndarray] = field(default_factory=dict)
    table: np.ndarray | None = None
    refused: dict[str, str] = field(default_factory=dict)


def read_file(path: Path, columns: Iterable[str] | None = None) -> Contents:
    """What a file has. `columns` are names for the columns of a table, if it has none."""
    try:
        if not path.is_file():
            raise _no_file(path)
        with path.open("rb") as file:
            head = file.read(4096)
        contents = _reader(path, head)(path)
    except FileNotFoundError:
        raise
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or "it is too large"
        raise ConventionError(f"{shortened([path.name])} cannot be read: {reason}") from None
    if columns is None or (contents.table is None and not contents.columns):
        return contents
    return _renamed(contents, list(columns), path.name)


def _no_file(path: Path) -> Exception:
    if path.exists():
        what = "a directory" if path.is_dir() else "no regular file"
        return ConventionError(f"{path} is {what}; a log is a file")
    return FileNotFoundError(f"there is no file {path}")


def _reader(path: Path, head: bytes) -> Callable[[Path], Contents]:
    if not head:
        raise ConventionError(f"{path.name} is empty")
    for begin, reader in ((b"\x93NUMPY", _npy), (b"PK", read_npz), (b"PAR1", _parquet)):
        if head.startswith(begin):
            return reader
    for begin, what in OTHERS.items():
        if head.startswith(begin):
            raise ConventionError(f"{path.name} is {what}")
    if (head[0] == 0x80 and head[1:2] <= b"\x05") or path.suffix.lower() in (".pkl", ".pickle"):
        raise ConventionError(
            f"{path.name} is a pickle; reading would execute what is in it, so it is not done:"
            " a log is a file .npz, .npy, .csv or .parquet"
        )
    text = not any(head.startswith(mark) for mark in MARKS) and b"\0" in head
    if text or path.suffix.lower() not in TEXTS:
        raise ConventionError(
            f"a log is a file .npz, .npy, .csv or .parquet; {path.name} is none by what it has"
        )
    return _text


def _renamed(contents: Contents, names: list[str], file: str) -> Contents:
    table = contents.table
    if table is None:
        table = np.column_stack(list(contents.columns.values()))
    if len(names) != table.shape[1]:
        raise ConventionError(f"{file} has {table.shape[1]} columns, and there are {len(names)}"
                              f" names for them: {shortened(names)}")  # fmt: skip
    return Contents(columns=_columns(names, table, file))


def shortened(names: Iterable[str], most: int = 20) -> str:
    """Names in a message; not all of thousands, and none of thousands of letters."""
    found = [name if len(name) <= 60 else f"{name[:57]}..." for name in map(str, names)]
    more = f", and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


# ---- NumPy


def _npy(path: Path) -> Contents:
    size = path.stat().st_size
    with path.open("rb") as file:
        dtype, shape, fortran = _header(file, path.name)
        begin = file.tell()
    reason = _refusal(dtype, shape, size - begin)
    if reason:
        raise ConventionError(f"{path.name} {reason}")

    def read() -> np.ndarray:
        with path.open("rb") as file:
            file.seek(begin)
            return _data(file, dtype, shape, fortran, path.name)

    if dtype.names is not None:
        return Contents({name: kept(x) for name, x in _parts(read().reshape(-1))})
    if dtype.kind not in "iuf":
        raise ConventionError(f"{path.name} has no numbers, but {dtype}")
    if len(shape) != 2:
        raise ConventionError(
            f"{path.name} has one array of shape {shape}; a log in an .npy file is a table (rows,"
            " columns), or has named fields; several arrays go into an .npz file, with np.savez"
        )
    if shape[1] > MOST_COLUMNS:
        raise ConventionError(_too_wide(path.name, shape[1]))
    return Contents(table=read().astype(float))


def _parts(x: np.ndarray, before: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The fields of a structured array, and those within them."""
    for name in x.dtype.names or ():
        part = x[name]
        if part.dtype.names is not None:
            yield from _parts(part, f"{before}{name}.")
        elif part.dtype.kind in "iuf":
            yield before + name, part


def read_npz(path: Path, kinds: str = "iuf") -> Contents:
    """The arrays of an npz file whose types are of some kinds, by NumPy's letters for them."""
    arrays, refused = {}, {}
    try:
        _check_index(path)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            for member in members:
                name = member.filename.removesuffix(".npy")
                if name == member.filename:
                    continue
                found = _member(archive, member, path, kinds)
                if isinstance(found, str):
                    refused[name] = found
                elif found is not None:
                    arrays[name] = found
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise ConventionError(f"{path.name} is no npz file that can be read: {error}") from None
    if not arrays and not refused:
        inside = shortened(member.filename for member in members)
        raise ConventionError(
            f"{path.name} is an archive without arrays of numbers; it has {inside or 'nothing'}."
            " np.savez writes what is wanted here"
        )
    return Contents(arrays, refused=refused)


def _check_index(path: Path) -> None:
    """The list of an archive's members is at its end, after its own length."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2**16 - 22))
        tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + 16:
        raise ConventionError(f"{path.name} is no npz file that can be read: its end is missing")
    if struct.unpack_from("<I", tail, at + 12)[0] > LONGEST_INDEX:
        raise ConventionError(f"{path.name} has far too many members for a log")


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, kinds: str
) -> Array | str | None:
    """An array of an archive; why it is refused; or None if it is of another kind."""
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED,
                                                            zipfile.ZIP_DEFLATED):  # fmt: skip
        return "is encrypted or compressed in a way that NumPy does not use"
    where = f"{path.name}, {member.filename}"
    with archive.open(member) as file:
        dtype, shape, fortran = _header(file, where)
        begin = file.tell()
    if dtype.kind not in kinds + "O" and dtype.names is None:
        return None
    room = min(member.file_size, DEFLATE * (member.compress_size + 100)) - begin
    reason = _refusal(dtype, shape, room)
    if reason:
        return reason
    if dtype.names is not None:
        return "has named fields; arrays of an npz are plain numbers"

    def read() -> np.ndarray:
        try:
            with zipfile.ZipFile(path) as again, again.open(member) as file:
                file.read(begin)
                return _data(file, dtype, shape, fortran, where)
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ConventionError(f"{where} is damaged: {error}") from None

    return Array(shape, read)


def _header(file: IO[bytes], where: str) -> tuple[np.dtype, tuple[int, ...], bool]:
    """What an array of NumPy says of itself: type, shape, and whether columns come first."""
    begin = file.read(8)
    width = {1: 2, 2: 4, 3: 4}.get(begin[6] if len(begin) == 8 else 0)
    if not begin.startswith(b"\x93NUMPY") or width is None:
        raise ConventionError(f"{where} is no array of NumPy")
    length = file.read(width)
    size = int.from_bytes(length, "little")
    if len(length) < width or size > LONGEST_HEADER:
        raise ConventionError(f"{where} claims a header of {size} bytes, which no array has")
    text = file.read(size)
    formats = np.lib.format
    read = formats.read_array_header_1_0 if width == 2 else formats.read_array_header_2_0
    try:
        shape, fortran, dtype = read(io.BytesIO(length + text), max_header_size=LONGEST_HEADER)
        return dtype, tuple(int(n) for n in shape), bool(fortran)
    except Exception:  # whatever a parser makes of rubbish
        raise ConventionError(f"{where} has a header that is none of NumPy's") from None


def _refusal(dtype: np.dtype, shape: tuple[int, ...], room: int) -> str:
    """Why an array is not read, or nothing. `room` are the bytes that are there."""
    if dtype.hasobject:
        return "has Python objects; reading would execute them, so it is not done"
    claimed = prod(shape) * dtype.itemsize
    if dtype.itemsize == 0 or any(n < 0 for n in shape):
        return f"claims a shape {shape} of {dtype}, which has no numbers"
    if claimed > room:
        return f"claims {claimed} bytes, shape {shape}, and {max(room, 0)} are there at most"
    if claimed > MOST_BYTES:
        return (f"has {claimed} bytes; at most {MOST_BYTES} are read: cut it, 10,000 rows tell as"
                " much as a million")  # fmt: skip
    return ""


def _data(
    file: IO[bytes], dtype: np.dtype, shape: tuple[int, ...], fortran: bool, where: str
) -> np.ndarray:
    data = np.empty(prod(shape) * dtype.itemsize, np.uint8)
    at = 0
    while at < len(data):
        part = file.read(min(2**20, len(data) - at))
        if not part:
            raise ConventionError(f"{where} is cut short: {at} of {len(data)} bytes are there")
        data[at : at + len(part)] = np.frombuffer(part, np.uint8)
        at += len(part)
    x = data.view(dtype).reshape(shape, order="F" if fortran else "C")
    return x if dtype.isnative else x.astype(dtype.newbyteorder("="))


# ---- text


def _text(path: Path) -> Contents:
    if path.stat().st_size > LONGEST_TEXT:
        raise ConventionError(
            f"{path.name} has {path.stat().st_size} bytes; of text at most {LONGEST_TEXT} are read:"
            " cut it, 10,000 rows tell as much as a million"
        )
    with path.open("rb") as raw:
        start = raw.read(4)
    encoding = next((x for mark, x in MARKS.items() if start.startswith(mark)), "utf-8")
    with path.open(encoding=encoding, errors="replace", newline=None) as file:
        names, delimiter, first, lines = _begin(_lines(file, path.name), path.name)
        try:
            table = np.loadtxt(
                _chain(first, lines), delimiter=delimiter, comments="#", converters=_number,
                quotechar='"', ndmin=2, dtype=float, encoding=None,
            )  # fmt: skip
        except ConventionError:
            raise
        except (ValueError, TypeError) as error:
            raise ConventionError(f"{path.name} is no table of numbers: {error}") from None
    if not table.size or np.isnan(table).all():
        raise ConventionError(f"{path.name} is no table of numbers: there are none in it")
    if names is None:
        return Contents(table=table)
    return Contents(columns=_columns(names, table, path.name))


def _lines(file: IO[str], name: str) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            raise ConventionError(
                f"{name} has more than {LONGEST_LINE} characters in line {number}, far more than"
                " a row of a log has"
            )
        yield line


def _begin(
    lines: Iterator[str], name: str
) -> tuple[list[str] | None, str | None, str | None, Iterator[str]]:
    """Names of columns, what is between them, and the first row of numbers.

    Names are a line of words before the rows, or the last comment before them that has as many
    words as they have numbers.
    """
    comments: list[str] = []
    heads: list[str] = []
    for line in lines:
        words = line.strip()
        if not words:
            continue
        if words[0] in "#%" and not heads:
            comments = [*comments[-20:], words.lstrip("#% ")]
            if line[0] == "%":
                heads = comments[-1:]
            continue
        delimiter = _delimiter(words)
        row = _split(words, delimiter)
        if len(row) > MOST_COLUMNS:
            raise ConventionError(_too_wide(name, len(row)))
        if not heads and not any(map(_is_number, row)):
            heads = [words]
            continue
        names = next((found for head in [*heads, *reversed(comments)] for found in
                      (_split(head, delimiter), head.split())
                      if len(found) == len(row) and not any(map(_is_number, found))),
                     None)  # fmt: skip
        if heads and names is None:
            raise ConventionError(f"{name} has {len(_split(heads[0], delimiter))} names and"
                                  f" {len(row)} columns of numbers")  # fmt: skip
        return names, delimiter, line, lines
    raise ConventionError(f"{name} is no table of numbers: it has no rows")


def _chain(first: str | None, lines: Iterator[str]) -> Iterator[str]:
    if first is not None:
        yield first
    yield from lines


def _delimiter(line: str) -> str | None:
    """None is any white space."""
    return next((mark for mark in ";\t," if mark in line), None)


def _split(line: str, delimiter: str | None) -> list[str]:
    return [word.strip().strip('"').strip() for word in line.split(delimiter)]


def _is_number(word: str) -> bool:
    return not np.isnan(_number(word)) or word.lower() == "nan"


def _number(word: str) -> float:
    """A cell of a table; NaN if it is empty, or a word such as the name of a frame."""
    try:
        return float(word)
    except ValueError:
        pass
    try:
        return float(word.replace(",", "."))
    except ValueError:
        return np.nan


def _too_wide(name: str, number: int) -> str:
    return f"{name} has {number} columns; a log has about 14, and at most {MOST_COLUMNS} are read"


def _columns(names: list[str], table: np.ndarray, file: str) -> dict[str, np.ndarray]:
    seen = Counter(name for name in names if name)
    twice = [name for name, number in seen.items() if number > 1]
    if twice:
        raise ConventionError(f"{file} has columns of the same name: {shortened(twice)}")
    if table.shape[1] != len(names):
        raise ConventionError(
            f"{file} has {len(names)} names and {table.shape[1]} columns of numbers"
        )
    return dict(zip(names, table.T))


# ---- parquet


def _parquet(path: Path) -> Contents:
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 8))
        end = file.read(8)
    if size < 12 or end[4:] != b"PAR1":
        raise ConventionError(f"{path.name} is cut short: a parquet file ends with PAR1")
    if int.from_bytes(end[:4], "little") > min(size, LONGEST_INDEX):
        raise ConventionError(f"{path.name} is no parquet file: its index does not fit into it")
    try:
        parquet = importlib.import_module("pyarrow.parquet")
        version = importlib.import_module("pyarrow").__version__
    except ImportError:
        raise ConventionError(f"{path.name}: reading parquet needs pyarrow") from None
    if tuple(int(n) for n in re.findall(r"\d+", version)[:3]) < SAFE_PYARROW:
        raise ConventionError(f"pyarrow {version} may execute what is in a file; 14.0.1 does not")
    try:
        with parquet.ParquetFile(path) as file:
            about = file.metadata
            cells = about.num_rows * about.num_columns
            if about.num_columns > MOST_COLUMNS:
                raise ConventionError(_too_wide(path.name, about.num_columns))
            stored = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
            if max(8 * cells, stored) > MOST_BYTES:
                raise ConventionError(f"{path.name} has {max(8 * cells, stored)} bytes; at most"
                                      f" {MOST_BYTES} are read")  # fmt: skip
            return _of_table(file.read())
    except ConventionError:
        raise
    except Exception as error:  # pyarrow's are of many kinds
        reason = str(error).partition("\n")[0]
        raise ConventionError(
            f"{path.name} is no parquet file that can be read: {reason}"
        ) from None


def _of_table(table: Any) -> Contents:
    """Columns of numbers, and those whose cells are rows of as many numbers."""
    while any(str(kind).startswith("struct") for kind in table.schema.types):
        table = table.flatten()
    arrays: dict[str, Array] = {}
    columns: dict[str, np.ndarray] = {}
    for name in table.column_names:
        column = table.column(name)
        kind = str(column.type)
        if re.match(r"u?int|float|double|halffloat", kind):
            columns[name] = np.asarray(column.to_numpy(), float)
        elif re.match(r"(large_|fixed_size_)?list<\w+: (u?int\d+|float|double)", kind):
            rows = column.to_pylist()
            if rows and all(row is not None and len(row) == len(rows[0]) for row in rows):
                arrays[name] = kept(np.array(rows, float))
    return Contents(arrays, columns)
