"""Run: a file of a run, or a clip that the viewer saved, to read."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LanewiseError, UnknownName, UnknownNumber, no_such
from ..public import Batch, Model, load
from .npz_file import NpzReader
from .run_errors import RunError
from .zarr_file import ZarrReader

FORMAT, VERSION = "lanewise run", 1
ENDINGS = (".npz", ".zarr")
LAST = ("state", "resets", "warnings")  # of all worlds at the end
# what a record must be as long as: fields of a world, by the size of the model that they have
_SIZES = {"qpos": "nq", "qvel": "nv", "ctrl": "nu", "sensordata": "nsensordata"}
MODEL = "model.mjb"

__all__ = ["ENDINGS", "FORMAT", "LAST", "MODEL", "VERSION", "Run", "RunError", "open"]


def open(path: Any) -> "Run":
    """The run in a file: .npz or .zarr of `lanewise run`, or a clip of the viewer's."""
    place = Path(os.fspath(path))
    if not place.exists():
        raise FileNotFoundError(f"there is no file {str(place)!r}")
    reader: Any
    if place.is_dir():
        reader = ZarrReader(place)
    elif place.is_file():
        reader = NpzReader(place)
    else:
        raise RunError(place, "it is no file")
    return Run(place, reader)


class Run:
    """What worlds did: fields with time first, (T, nsim, ...), as attributes by their names.

    run.time (T,) is the time since the beginning [s]; run.qpos (T, nsim, nq) and whatever else was
    recorded (`names`) are NumPy's arrays of an .npz, and of a .zarr arrays that read from the disk
    what is indexed: run.qpos[:, 3] is the motion of world 3, and run.qpos[-1] where all worlds
    were at the end. `np.asarray` reads all.

    `worlds` is the number of worlds, `records` that of times T, `steps` that of steps taken,
    `every` how many of them lie between records, and `timestep` their length [s]. `head` is all
    that the file says of itself: how worlds were started, which controls they followed.
    """

    def __init__(self, path: Path, reader: Any):
        self.path, self._reader = path, reader
        self.head: dict[str, Any] = reader.head()
        self._model: Model | None = None
        self._check_head()
        self._check_arrays()

    def _check_head(self) -> None:
        head = self.head
        if not head:
            return
        if head.get("format") != FORMAT:
            raise RunError(self.path, f"its head says {head.get('format')!r}, not {FORMAT!r}")
        if head.get("version") != VERSION:
            raise RunError(
                self.path,
                f"it has version {head.get('version')!r}, and this Lanewise reads {VERSION}",
            )
        for name, least in (("records", 0), ("steps", 0), ("every", 1), ("worlds", 1)):
            number = head.get(name)
            if not isinstance(number, int) or isinstance(number, bool) or number < least:
                raise RunError(self.path, f"its head is damaged: {name} is {number!r}")

    def _check_arrays(self) -> None:
        there = self._reader.names
        for name in ("time", "model"):
            if name not in there:
                raise RunError(self.path, f"it has no array {name!r}: it has {', '.join(there)}")
        times = self._reader.shape("time")
        if len(times) != 1 or self._reader.array("time").dtype.kind != "f":
            raise RunError(self.path, f"its time is {times}, and would be (T,)")
        self.records: int = self.head.get("records", times[0])
        if times[0] < self.records:
            raise RunError(self.path, f"it is cut off: {times[0]} of {self.records} records")
        recorded = self.head.get("record")
        if recorded is None:
            recorded = [n for n in there if n not in ("time", "model", "head", *LAST)]
        self.names: tuple[str, ...] = tuple(recorded)
        self.worlds: int = self.head.get("worlds", 0)
        for name in self.names:
            if name not in there:
                raise RunError(self.path, f"{name!r} is missing")
            shape = self._reader.shape(name)
            # a clip of one world may do without the axis of worlds
            if not self.head and len(shape) == 2 and name in _SIZES:
                shape = (shape[0], 1, *shape[1:])
            self.worlds = self.worlds or (shape[1] if len(shape) > 1 else 0)
            if len(shape) < 2 or shape[0] < self.records or shape[1] != self.worlds:
                raise RunError(
                    self.path,
                    f"{name} is {shape}, and would be ({self.records}, {self.worlds}, ...)",
                )

    # -------------------------------------------------------------------------------------- fields

    def array(self, name: str) -> Any:
        """A recorded field by its name, (T, nsim, ...), or `time`, (T,)."""
        if name != "time" and name not in self.names:
            raise UnknownName(no_such("recorded field", name, ["time", *self.names]))
        array = self._reader.array(name)
        if name != "time" and array.ndim == 2 and not self.head:
            array = array[:, None]
        # what was written after the last head, by a process that was killed, is not part of the run
        return array if array.shape[0] == self.records else array[: self.records]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "names" not in self.__dict__:
            raise AttributeError(f"'Run' object has no attribute {name!r}")
        try:
            return self.array(name)
        except UnknownName as error:
            raise AttributeError(f"{error}; it was not recorded") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.names, "time"})

    def world(self, index: int) -> dict[str, np.ndarray]:
        """The recorded fields of one world, {name: (T, ...)}."""
        if not -self.worlds <= index < self.worlds:
            raise UnknownNumber(f"no world {index}: this run has {self.worlds}, from 0")
        return {name: self.read(name, index % self.worlds) for name in self.names}

    def read(self, name: str, worlds: Any) -> np.ndarray:
        """A field of one world, (T, ...), or of several, (T, n, ...), in memory."""
        if self.head and name in self.names:
            array = self._reader.array(name)
        else:
            array = self.array(name)
        some = slice(self.records)
        if isinstance(array, np.ndarray) or isinstance(worlds, (int, np.integer, slice)):
            return self._sound(lambda: np.asarray(array[some, worlds]))
        return self._sound(lambda: np.asarray(array.oindex[some, np.asarray(worlds)]))

    def _sound(self, read: Any) -> np.ndarray:
        """What is read of chunks that may be damaged."""
        try:
            return read()
        except RunError:
            raise
        except (RuntimeError, ValueError, OSError) as error:
            raise RunError(self.path, f"it is damaged: {error}") from None

    # --------------------------------------------------------------------------------------- model

    @property
    def model(self) -> Model:
        """The model that ran, from the file."""
        if self._model is None:
            raw = np.asarray(self._reader.array("model"))
            if raw.dtype != np.uint8 or raw.ndim != 1:
                raise RunError(
                    self.path, f"its model is {raw.dtype} {raw.shape}, and would be bytes"
                )
            try:
                self._model = load(MODEL, assets={MODEL: raw.tobytes()})
            except LanewiseError as error:
                raise RunError(self.path, f"its {error}") from None
            self._check_sizes(self._model)
        return self._model

    def _check_sizes(self, model: Model) -> None:
        for name, size in _SIZES.items():
            if name in self.names and self._reader.shape(name)[-1] != getattr(model, size):
                self._model = None
                raise RunError(
                    self.path,
                    f"{name} is {self._reader.shape(name)}, and its model has {size}"
                    f" {getattr(model, size)}",
                )

    @property
    def steps(self) -> int:
        """How many steps each world took."""
        return self.head.get("steps", self.records)

    @property
    def every(self) -> int:
        """How many steps lie between two records."""
        return self.head.get("every", 1)

    @property
    def timestep(self) -> float:
        """Of the model [s]."""
        return float(self.model.opt.timestep)

    def last(self, name: str) -> np.ndarray:
        """Of all worlds at the end: `state` (nsim, nstate), and what was counted since the
        beginning, `resets` (nsim,) and `warnings` (nsim, 7), a column for each of mjtWarning."""
        if name not in LAST:
            raise UnknownName(no_such("array of the end", name, LAST))
        if name not in self._reader.names:
            raise RunError(self.path, f"it has no {name}: it was not made by `lanewise run`")
        array = self._sound(lambda: np.asarray(self._reader.array(name)))
        if array.ndim < 1 or len(array) != self.worlds:
            raise RunError(self.path, f"{name} is {array.shape}, of {self.worlds} worlds")
        return array

    @property
    def state(self) -> np.ndarray:
        """The full state of all worlds at the end, (nsim, nstate), as `Batch.state`."""
        return self.last("state")

    @property
    def resets(self) -> np.ndarray:
        """How often each world was reset for bad numbers, (nsim,)."""
        return self.last("resets")

    def batch(self, nthread: int = 0) -> Batch:
        """A Batch of all worlds as the run left them, on nthread threads (0: on all)."""
        state = self.state
        batch = Batch(self.model, self.worlds, nthread=nthread)
        if state.shape != batch.state.shape or state.dtype != np.float64:
            raise RunError(
                self.path, f"its state is {state.dtype} {state.shape}, not {batch.state.shape}"
            )
        batch.state[...] = state
        return batch

    # ---------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        fields = ", ".join(self.names) or "nothing"
        return (
            f"<lanewise run {str(self.path)!r}: {self.worlds} worlds, {self.steps} steps,"
            f" {self.records} records of {fields}>"
        )

    def close(self) -> None:
        """Close the file; what was read stays."""
        self._reader.close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
