"""Runs as .npz: arrays in a zip, which NumPy reads.

A file is held in memory while it is made, and written when it is complete. When it is read, every
array's header is compared with the length of its member before NumPy allocates what it asks for,
and nothing is ever unpickled.
"""

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ..loaders.free_memory import available, spoken
from .run_errors import RunError
from .writing import written


def write(place: Path, head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """A whole file, or none."""
    text = np.frombuffer(json.dumps(head).encode(), np.uint8)
    with written(place) as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:
        for name, array in {"head": text, **arrays}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


class NpzReader:
    """Arrays of a file by name, read when they are asked for."""

    def __init__(self, path: Path):
        self._path, self._read = path, dict[str, np.ndarray]()
        try:
            self._archive = zipfile.ZipFile(path)
            members = self._archive.infolist()
        except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError) as error:
            raise RunError(path, f"it is damaged or no .npz: {error}") from None
        self._members = {
            info.filename.removesuffix(".npy"): info
            for info in members
            if info.filename.endswith(".npy")
        }

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def head(self) -> dict[str, Any]:
        """What is said of the run; nothing, in a clip of the viewer's."""
        if "head" not in self._members:
            return {}
        return parsed(self._path, self.array("head").tobytes())

    def array(self, name: str) -> np.ndarray:
        if name not in self._read:
            self._read[name] = self._load(name)
        return self._read[name]

    def shape(self, name: str) -> tuple[int, ...]:
        return self.array(name).shape

    def _load(self, name: str) -> np.ndarray:
        info = self._members[name]
        free = available()
        if info.file_size > free:
            raise RunError(
                self._path,
                f"{name} has {spoken(info.file_size)}, and {spoken(free)} of memory are free",
            )
        try:
            with self._archive.open(info) as member:
                version = npy.read_magic(member)
                read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
                shape, _, dtype = read(member)
                start = member.tell()
            if dtype.hasobject or dtype.kind not in "fiub":
                raise RunError(self._path, f"{name} has {dtype}, and runs have plain numbers")
            size = dtype.itemsize * int(np.prod(shape, dtype=object))
            if start + size != info.file_size:
                raise RunError(self._path, f"it is damaged: {name} is not as long as it says")
            with self._archive.open(info) as member:
                return npy.read_array(member, allow_pickle=False)
        except (
            zipfile.BadZipFile, zlib.error, EOFError, ValueError, OverflowError, SyntaxError,
            NotImplementedError, RuntimeError,
        ) as error:  # fmt: skip
            if isinstance(error, RunError):
                raise
            raise RunError(self._path, f"it is damaged: {name}: {error}") from None

    def close(self) -> None:
        self._archive.close()


def parsed(path: Path, text: bytes) -> dict[str, Any]:
    """The head of a run from its JSON."""
    try:
        head = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(path, f"its head is damaged: {error}") from None
    if not isinstance(head, dict):
        raise RunError(path, "its head is damaged: it is no object")
    return head


class NpzWriter:
    """Records in memory; `commit` has nothing to do until the end."""

    def __init__(self, place: Path, model: np.ndarray, total: int, shapes: Mapping, before: Any):
        """before: a Run whose records these follow, or None."""
        self._place, self._model = place, model
        self._done = 0 if before is None else before.records
        self._arrays = {
            name: np.empty((self._done + total, *shape), dtype)
            for name, (shape, dtype) in shapes.items()
        }
        if before is not None:
            for name, array in self._arrays.items():
                array[: self._done] = before.array(name)

    def append(self, rows: Mapping[str, np.ndarray]) -> None:
        """Records of some steps, {name: (k, nsim, ...)}."""
        count = len(next(iter(rows.values())))
        for name, values in rows.items():
            self._arrays[name][self._done : self._done + count] = values
        self._done += count

    def commit(self, head: Mapping[str, Any], last: Mapping[str, np.ndarray], end: bool) -> None:
        """The state of all worlds after what was appended; at the end, the file."""
        if end:
            records = {name: array[: self._done] for name, array in self._arrays.items()}
            write(self._place, head, {"model": self._model, **records, **last})
