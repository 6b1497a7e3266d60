"""Running worlds, and writing down what they do.

All worlds take each step together, so a file always ends between two steps, and its state is the
whole of what the next step depends on. Where it stops makes no difference to the bits: a run that
went on is the same file as one that was never interrupted.

Ctrl-C and SIGTERM are requests while it runs: the present step is finished, and the file written. A
second Ctrl-C does not wait.
"""

import contextlib
import importlib
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..fields import DATA_FIELDS
from ..installation import MUJOCO
from ..public import Batch, Model, load
from . import run_file
from .npz_file import NpzWriter
from .run_errors import RunError
from .run_file import ENDINGS, FORMAT, MODEL, VERSION, Run
from .starts import Control, start
from .writing import check_disk, check_memory, new_place
from .zarr_file import ZarrWriter, zarr_module

_BLOCK = 64 * 10**6  # bytes of records that are held before they go to the disk
_MOST = 256  # records of a block, at most
_CALL = 0.2  # seconds that one call of a Batch should take at most, to see requests to stop
_TELL = 0.1  # seconds between two calls of `progress`


def record(
    model: Any, path: Any, *, worlds: int = 1, steps: int = 1000,
    record: Iterable[str] = ("qpos",), every: int = 1, control: Any = None, keyframe: Any = None,
    scatter: float = 0.01, seed: int = 0, nthread: int = 0, force: bool = False,
    progress: Callable[["Progress"], None] | None = None,
) -> Run:  # fmt: skip
    """Simulate `worlds` worlds of a model for `steps` steps, and record fields of them in a file.

    path ends with .npz, which is held in memory and written at the end, or with .zarr, which is
    written block by block. record: names of fields, as `Batch.rollout` has them; a record is made
    after `every` steps. control: (steps, nu) or (steps, worlds, nu), or a file that has it. World 0
    starts in the keyframe, or the model's reference state, and the others are scattered about it by
    `scatter` [rad, m; rad/s, m/s], with random numbers of `seed`. progress is called now and then.

    Ctrl-C ends it in time: the file is whole, and `run.steps` says how far it came.
    """
    place = new_place(path, ENDINGS, force)
    own = model if isinstance(model, Model) else load(model)
    if own.user is not None:
        raise ValueError("kernels of yours (control=, ...) cannot be kept in a file of a run")
    head = {
        "format": FORMAT, "version": VERSION, "lanewise": _version(), "mujoco": MUJOCO,
        "worlds": _number(worlds, "worlds"), "every": _number(every, "every"),
        "record": list(dict.fromkeys(record)), "timestep": float(own.opt.timestep),
        "start": {"keyframe": _plain(keyframe), "scatter": float(scatter), "seed": int(seed)},
        "steps": 0, "records": 0,
    }  # fmt: skip
    if not np.isfinite(scatter) or scatter < 0:
        raise ValueError(f"scatter must be a number from 0, got {scatter}")
    _check_size(own, place, head, steps)
    plan = None if control is None else Control.of(control, own, worlds)
    head["control"] = None if plan is None else plan.head()
    batch = Batch(own, worlds, nthread=nthread)
    start(batch, keyframe, scatter, seed)
    return _Recorder(place, batch, head, plan, None).run(steps, progress)


def resume(
    path: Any, steps: int = 1000, *, control: Any = None, nthread: int = 0,
    progress: Callable[["Progress"], None] | None = None,
) -> Run:  # fmt: skip
    """Go on with a run for so many steps more, as if it had never stopped, to the bit.

    Controls are read from the file that the run began with, from where it stopped; `control` is
    where it is now.
    """
    before = run_file.open(path)
    if not before.head:
        raise RunError(before.path, "it is a clip, which has no state to go on from")
    if before.records != before.steps // before.every:
        raise RunError(before.path, f"its head is damaged: {before.steps} steps")
    _check_size(before.model, before.path, before.head, steps, before)
    batch = before.batch(nthread)
    plan = _control_again(before, control)
    return _Recorder(before.path, batch, dict(before.head), plan, before).run(steps, progress)


def _control_again(before: Run, given: Any) -> Control | None:
    """The controls that a run began with."""
    said = before.head.get("control")
    if said is None:
        if given is not None:
            raise ValueError(f"{str(before.path)!r} was begun without controls")
        return None
    if not isinstance(said, dict):
        raise RunError(before.path, "its head is damaged: control")
    given = said.get("file") if given is None else given
    if isinstance(given, str) and (not given or not Path(given).exists()):
        raise FileNotFoundError(
            f"its controls are not at {given!r} any more: say where they are, with --control"
        )
    plan = Control.of(given, before.model, before.worlds)
    if plan.digest != said.get("sha256"):
        raise ValueError(
            f"{plan.file or 'control'} is not what {str(before.path)!r} was begun with: its"
            " controls have changed"
        )
    return plan


class Progress:
    """How far a run is: `done` of `total` steps, in `seconds`, with `resets` of worlds so far."""

    def __init__(self, total: int):
        self.total, self.done, self.seconds, self.resets = total, 0, 0.0, 0
        self.signal: int | None = None  # that asked to stop

    @property
    def rate(self) -> float:
        """Steps per second, of all worlds together."""
        return self.done / self.seconds if self.seconds else 0.0


class _Recorder:
    """The loop."""

    def __init__(
        self, place: Path, batch: Batch, head: dict[str, Any], control: Control | None,
        before: Run | None,
    ):  # fmt: skip
        self.place, self.batch, self.head, self.control = place, batch, head, control
        self.before = before
        self.every, self.names = head["every"], head["record"]
        self.step0 = head["steps"]
        self.piece = 1  # steps of the next call
        shape = (batch.nsim,)
        self.counted = {
            "resets": np.zeros(shape, np.int64) if before is None else before.last("resets"),
            "warnings": np.zeros((*shape, batch.warning.shape[1]), np.int64)
            if before is None else before.last("warnings"),
        }  # fmt: skip
        self.fields = {name: batch.bind(name) for name in self.names}
        self.shapes: dict[str, Any] = {"time": ((), np.dtype(float))}
        for name, array in self.fields.items():
            self.shapes[name] = (array.shape, array.dtype)

    def run(self, steps: int, progress: Callable[[Progress], None] | None) -> Run:
        steps = _number(steps, "steps")
        if self.control is not None:
            self.control.check(self.step0, steps)
        now = Progress(steps)
        began = told = time.perf_counter()
        with _requests(now), self._written():
            writer = self._writer((self.step0 + steps) // self.every - self.step0 // self.every)
            writer.commit(self._head(0), self._last(), end=False)
            held: dict[str, list] = {name: [] for name in self.shapes}
            while now.done < steps and now.signal is None:
                now.done += self._advance(now.done, steps)
                if (self.step0 + now.done) % self.every == 0:
                    self._keep(held, now.done)
                if len(held["time"]) == self.block:
                    _flush(writer, held)
                    writer.commit(self._head(now.done), self._last(), end=False)
                clock = time.perf_counter()
                now.seconds = clock - began
                if progress is not None and (clock - told > _TELL or now.done == steps):
                    told, now.resets = clock, int(self._counts()["resets"].sum())
                    progress(now)
            _flush(writer, held)
            writer.commit(self._head(now.done), self._last(), end=True)
        return run_file.open(self.place)

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        """An error of the disk says what is left of the run."""
        try:
            yield
        except OSError as error:
            what = f"{self.place} cannot be written: {error.strerror or error}"
            if self.place.suffix.lower() == ".zarr":
                with contextlib.suppress(RunError, OSError):
                    steps = run_file.open(self.place).steps
                    what += f"; its first {steps} steps are whole, and can be resumed"
            raise OSError(what) from None

    def _writer(self, records: int) -> Any:
        each = sum(int(np.prod(s, dtype=object)) * d.itemsize for s, d in self.shapes.values())
        self.block = int(np.clip(_BLOCK // max(each, 1), 1, _MOST))
        raw = np.frombuffer(_mjb(self.batch.model), np.uint8)
        if self.place.suffix.lower() == ".npz":
            return NpzWriter(self.place, raw, records, self.shapes, self.before)
        return ZarrWriter(self.place, raw, self.shapes, self.block, self.before)

    def _advance(self, done: int, steps: int) -> int:
        """Some steps towards the next record or the end; how many."""
        if self.control is not None:
            self.batch.ctrl[...] = self.control.values[self.step0 + done]
            self.batch.step()
            return 1
        left = min(self.every - (self.step0 + done) % self.every, steps - done)
        count = min(self.piece, left)
        began = time.perf_counter()
        self.batch.step(nstep=count)
        took = time.perf_counter() - began
        self.piece = max(1, int(count * min(2.0, _CALL / (took + 1e-9))))
        return count

    def _keep(self, held: dict[str, list], done: int) -> None:
        held["time"].append((self.step0 + done) * self.head["timestep"])
        for name, array in self.fields.items():
            held[name].append(array.copy())

    def _head(self, done: int) -> dict[str, Any]:
        steps = self.step0 + done
        return {**self.head, "steps": steps, "records": steps // self.every}

    def _counts(self) -> dict[str, np.ndarray]:
        return {
            "resets": self.counted["resets"] + self.batch.resets,
            "warnings": self.counted["warnings"] + self.batch.warning[:, :, 1],
        }

    def _last(self) -> dict[str, np.ndarray]:
        return {"state": self.batch.state, **self._counts()}


def _flush(writer: Any, held: dict[str, list]) -> None:
    if held["time"]:
        writer.append({name: np.stack(rows) for name, rows in held.items()})
        for rows in held.values():
            rows.clear()


@contextlib.contextmanager
def _requests(now: Progress) -> Iterator[None]:
    """Signals that ask to stop are noted; the second of a kind acts as ever."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}

    def note(number: int, frame: Any) -> None:
        now.signal = number
        signal.signal(number, before[number])

    for number in map(int, (signal.SIGINT, signal.SIGTERM)):
        before[number] = signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _check_size(
    model: Model, place: Path, head: Mapping[str, Any], steps: int, before: Run | None = None
) -> None:
    """Raise ValueError if the file or the worlds do not fit, or if a field cannot be recorded."""
    if place.suffix.lower() == ".zarr":
        zarr_module()
    names = head["record"]
    probe = Batch(model, 1, nthread=1)
    each = 0
    for name in names:
        if name in DATA_FIELDS and DATA_FIELDS[name].capacity:
            raise ValueError(f"{name} has another length in every step, and cannot be recorded")
        if name in ("time", *run_file.LAST):
            raise ValueError(f"{name} is in every file of a run, and need not be recorded")
        each += probe.bind(name).nbytes
    records = steps // head["every"] + (0 if before is None else before.records)
    size = head["worlds"] * (each * records + 2 * 8 * model.nstate)
    check_disk(place, size)
    rows = head["worlds"] * (6 * 8 * model.nstate + 3 * each)
    if place.suffix.lower() == ".npz":
        advice = "write .zarr instead, which goes to the disk step by step"
        check_memory(size + rows, "a run in memory", advice)
    check_memory(rows, f"a batch of {head['worlds']} worlds", "take fewer worlds")


def _mjb(model: Model) -> bytes:
    """The model as it is, in MuJoCo's binary form."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / MODEL
        model.save(place)
        return place.read_bytes()


def _number(value: Any, name: str) -> int:
    number = int(value)
    if number < 1 or number != value:
        raise ValueError(f"{name} must be a whole number from 1, got {value}")
    return number


def _plain(keyframe: Any) -> Any:
    return keyframe if keyframe is None or isinstance(keyframe, str) else int(keyframe)


def _version() -> str:
    return importlib.import_module("lanewise").__version__
