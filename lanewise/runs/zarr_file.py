"""Runs as .zarr: a folder of arrays in chunks, so that no run is too long for the memory.

Records are appended in blocks of steps. After each block the state of all worlds is written, by
turns to the groups last_a and last_b, and then the head, in one move, says how many records there
are and which of the two is valid. Whatever ends the process, the file is that of the last head:
what was written after it is not looked at, and is written again when the run goes on.

Only arrays of plain numbers with codecs that contain no code are read.
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .npz_file import parsed
from .run_errors import RunError
from .writing import beside

_CODECS = {"bytes", "zstd", "gzip", "blosc", "crc32c", "transpose"}
_LAST = ("last_a", "last_b")
_CHUNK_WORLDS = 256  # of a chunk, so that few worlds can be read without all others


def zarr_module() -> Any:
    """zarr, or ImportError that says how to get it."""
    try:
        import zarr
    except ImportError:
        raise ImportError(
            "files that end with .zarr need zarr: pip install 'lanewise[runs]', or write .npz"
        ) from None
    return zarr


class ZarrReader:
    """Arrays of a file by name; what is indexed of them is read from the disk."""

    def __init__(self, path: Path):
        self._path = path
        head = path / "zarr.json"
        if not head.is_file():
            raise RunError(path, "it is a folder without zarr.json")
        attributes = parsed(path, head.read_bytes()).get("attributes")
        if not isinstance(attributes, dict) or not isinstance(attributes.get("run"), dict):
            raise RunError(path, "it is zarr, but was not written by lanewise")
        self._head = attributes["run"]
        valid = self._head.get("valid")
        self._folders = ("",) if valid is None else ("", str(valid))
        if valid is not None and valid not in _LAST:
            raise RunError(path, f"its head is damaged: its state is in {valid!r}")
        self._arrays: dict[str, Any] = {}
        try:
            self._group = zarr_module().open_group(str(path), mode="r", zarr_format=3)
        except (ValueError, KeyError, TypeError, OSError) as error:
            raise RunError(path, f"it is damaged: {error}") from None

    @property
    def names(self) -> list[str]:
        found = []
        for folder in self._folders:
            for place in sorted((self._path / folder).iterdir()):
                if place.is_dir() and place.name not in _LAST:
                    found.append(place.name)
        return found

    def head(self) -> dict[str, Any]:
        return self._head

    def array(self, name: str) -> Any:
        if name not in self._arrays:
            self._arrays[name] = self._checked(name)
        return self._arrays[name]

    def shape(self, name: str) -> tuple[int, ...]:
        return self.array(name).shape

    def _checked(self, name: str) -> Any:
        """An array, once its description is found harmless."""
        inner = name
        if len(self._folders) > 1 and (self._path / self._folders[1] / name).is_dir():
            inner = f"{self._folders[1]}/{name}"
        place = self._path / inner / "zarr.json"
        if not place.is_file():
            raise RunError(self._path, f"{name} is damaged: it has no zarr.json")
        said = parsed(self._path, place.read_bytes())
        codecs = said.get("codecs")
        names = [c.get("name") if isinstance(c, dict) else c for c in codecs or ["none"]]
        if not set(map(str, names)) <= _CODECS:
            raise RunError(self._path, f"{name} has codecs {names}, and runs have plain ones")
        try:
            array = self._group[inner]
            kind = array.dtype.kind
        except (ValueError, KeyError, TypeError, OSError, AttributeError) as error:
            raise RunError(self._path, f"{name} is damaged: {error}") from None
        if kind not in "fiub":
            raise RunError(self._path, f"{name} has {array.dtype}, and runs have plain numbers")
        self._check_chunks(name, array, place.parent)
        return array

    def _check_chunks(self, name: str, array: Any, folder: Path) -> None:
        """Raise RunError if a chunk is missing: zarr would take it for zeros."""
        shape = array.shape
        if not of_last(folder) and name != "model" and self._head.get("records") is not None:
            shape = (min(shape[0], self._head["records"]), *shape[1:])
        counts = [-(-n // size) for n, size in zip(shape, array.chunks, strict=True)]
        for at in np.ndindex(*counts):
            if not folder.joinpath("c", *map(str, at)).is_file():
                where = "/".join(map(str, ("c", *at)))
                raise RunError(self._path, f"it is damaged: {name} has no chunk {where}")

    def close(self) -> None:
        """Nothing is held open."""


def of_last(folder: Path) -> bool:
    """Whether an array's folder is one of those of the end."""
    return folder.parent.name in _LAST


class ZarrWriter:
    """Records that go to the disk block by block."""

    def __init__(self, place: Path, model: np.ndarray, shapes: Mapping, block: int, before: Any):
        """shapes: {name: (shape without time, dtype)}; before: a Run to go on with, or None."""
        zarr = zarr_module()
        # a missing chunk means zeros otherwise, and nobody would see that one was lost
        self._whole = lambda: zarr.config.set({"array.write_empty_chunks": True})
        self._place, self._valid = place, None if before is None else before.head.get("valid")
        self._done = 0 if before is None else before.records
        if before is not None:
            self._group = zarr.open_group(str(place), mode="r+", zarr_format=3)
            return
        if place.is_dir():
            if any(place.iterdir()) and not (place / "zarr.json").is_file():
                raise FileExistsError(
                    f"{str(place)!r} is a folder that is no zarr: remove it first"
                )
            shutil.rmtree(place)
        elif place.exists() or place.is_symlink():
            place.unlink()
        self._group = zarr.open_group(str(place), mode="w-", zarr_format=3)
        with self._whole():
            self._group.create_array("model", data=model)
        for name, (shape, dtype) in shapes.items():
            worlds = tuple(min(n, _CHUNK_WORLDS) for n in shape[:1])
            self._group.create_array(
                name, shape=(0, *shape), dtype=dtype,
                chunks=tuple(max(n, 1) for n in (block, *worlds, *shape[1:])),
            )  # fmt: skip

    def append(self, rows: Mapping[str, np.ndarray]) -> None:
        """Records of some steps, {name: (k, nsim, ...)}."""
        count = len(next(iter(rows.values())))
        for name, values in rows.items():
            with self._whole():
                array = self._group[name]
                array.resize((self._done + count, *array.shape[1:]))
                array[self._done :] = values
        self._done += count

    def commit(self, head: Mapping[str, Any], last: Mapping[str, np.ndarray], end: bool) -> None:
        """The state of all worlds after what was appended, and a head that says so."""
        self._valid = _LAST[self._valid == _LAST[0]]
        for name, values in last.items():
            with self._whole():
                self._group.create_array(f"{self._valid}/{name}", data=values, overwrite=True)
        place = self._place / "zarr.json"
        said = json.loads(place.read_text())
        said["attributes"] = {"run": {**head, "valid": self._valid}}
        with beside(place) as new:
            new.write_text(json.dumps(said, indent=1))
