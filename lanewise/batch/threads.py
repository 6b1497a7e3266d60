"""Threads that stream worlds through workspaces; see engine/stream.py for what they run.

Every thread has a workspace of its own, a Data of eight lanes. A call writes its description, the
job, into memory that all threads share, opens it, works on it in the calling thread too, and
returns when the last gang is done. Other threads sleep on a lock between calls; those that are
still awake see the job by themselves. Results do not depend on who took which gang: gangs share
nothing.

The machine code runs without the GIL. Python is only involved in waking and waiting.
"""

import contextlib
import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..data import Data
from ..engine import parts, stream
from ..lanes import JIT, Field, Struct, W
from ..model import Model

_LINE = 64  # bytes in a cache line


def aligned(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Zeros that begin at a cache line, so that no two gangs of rows share one."""
    dtype = np.dtype(dtype)
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.zeros(nbytes + _LINE, np.uint8)
    start = -memory.ctypes.data % _LINE
    return memory[start : start + nbytes].view(dtype).reshape(shape)


def table(rows: Sequence[Sequence[int]]) -> np.ndarray:
    """Rows of numbers that a job refers to."""
    out = np.zeros((max(len(rows), 1), stream.COLUMNS), np.int64)
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


class _Numbers:
    """Named int64s: a table of pointers for kernels, a Struct for their plain-Python twins."""

    def __init__(self, names: Sequence[str], rows: Sequence[str] = ()):
        self.values = np.zeros(len(names), np.int64)
        self.index = {name: k for k, name in enumerate(names)}
        self.rows = {name: np.zeros(W, np.int64) for name in rows}
        places = [self.values[k:].ctypes.data for k in range(len(names))]
        self._table = np.array([*places, *(x.ctypes.data for x in self.rows.values())], np.int64)
        self.address = self._table.ctypes.data

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.values[self.index[name]] = value

    @property
    def struct(self) -> Struct:
        fields: dict[str, Any] = {
            name: self.values[k : k + 1].reshape(1, 1) for name, k in self.index.items()
        }
        for name, row in self.rows.items():
            fields[name] = Field(row.reshape(W, 1), 1)
        return Struct(fields)


class Worker:
    """One thread's workspace, and for all but the calling thread the thread itself."""

    def __init__(self, model: Model, job: _Numbers, sleeping: int, sizes: dict):
        self.data = Data(model, W, sizes["nconmax"], sizes["njmax"])
        self.own = _Numbers(stream.WORKER, stream.WORKER_ROWS)
        self.own.set(block=self.data.state_lanes.ctypes.data, sleeping=sleeping)
        self.sleep = threading.Lock()
        self.closed = False
        self.serve: Callable[..., None] = _nothing
        self.arguments: tuple[int, ...] = ()
        self.keep: Any = job  # what owns the memory behind the arguments

    def start(self) -> None:
        self.sleep = threading.Lock()
        self.sleep.acquire()
        threading.Thread(target=self._live, name="lanewise", daemon=True).start()

    def _live(self) -> None:
        sleep = self.sleep
        while True:
            sleep.acquire()
            if self.closed:
                return
            self.serve(*self.arguments)


def _nothing(*_: int) -> None:
    """Machine code that has not been chosen yet."""


def _close(workers: Sequence[Worker]) -> None:
    for worker in workers:
        worker.closed = True
        with contextlib.suppress(RuntimeError):  # not locked: it is awake and will see the flag
            worker.sleep.release()


class Streams:
    """nthread threads, the calling one included, and their workspaces."""

    def __init__(self, model: Model, nthread: int, sizes: dict):
        self.nthread, self.sizes = nthread if JIT else 1, sizes
        self.job = _Numbers(stream.JOB)
        # a cache line each for what threads exchange, and for the flag of every sleeper
        self._shared = aligned((3 + self.nthread, _LINE // 8), np.int64)
        lines = [self._shared.ctypes.data + _LINE * k for k in range(3 + self.nthread)]
        self._done = ctypes.c_int64.from_address(lines[1])
        self._sleeping = [ctypes.c_int64.from_address(line) for line in lines[3:-1]]
        self._wake = (ctypes.c_int32 * max(self.nthread - 1, 1))()
        self.job.set(
            remaining=lines[0], done=lines[1], ticket=lines[2], sleeping=lines[3],
            wake=ctypes.addressof(self._wake),
        )  # fmt: skip
        self.workers = [Worker(model, self.job, line, sizes) for line in lines[3:]]
        self._caller = self.workers[-1]
        self._nunit = self._nworker = 0
        self._process: int | None = None  # that has the threads: a fork does not copy them
        self._chosen: tuple = ()
        self._begin: Callable[..., None] = _nothing
        self._work: Callable[..., None] = _nothing
        self._alone: Callable[..., None] = _nothing
        weakref.finalize(self, _close, self.workers[:-1])

    def split(self, n: int) -> None:
        """Say that a call is on n worlds: the gangs they make, and how these are handed out."""
        ngang = -(-n // W)
        unit = max(1, min(64, ngang // (8 * self.nthread)))
        self._nunit = -(-ngang // unit)
        self._nworker = max(min(self.nthread, self._nunit) - 1, 0)
        self.job.set(n=n, ngang=ngang, unit=unit, nunit=self._nunit, nworker=self._nworker)

    def choose(self, per_world: bool, models: Sequence[int], keep: Any) -> None:
        """Choose the variant of the kernels, and each thread's model by address."""
        chosen = (per_world, *models)
        if chosen == self._chosen:
            return
        if JIT:
            library = parts.library("per-world" if per_world else "gang")
            # may have to be compiled: before anything changes
            library.require([*parts.needed(self.workers[0].data.model), "calls"])
            code = library.functions
            for worker in self.workers:
                worker.data.use(library)
            self._put_to_sleep()
            self._begin, self._work, self._alone = code["begin"], code["work"], code["work_alone"]
            serve = code["serve"]
            for worker, m in zip(self.workers, models, strict=True):
                worker.serve, worker.keep = serve, (self.job, self._shared, keep)
                worker.arguments = (m, worker.data.address, self.job.address, worker.own.address)
        for worker in self.workers:  # where H has numbers may have been found for another model
            worker.data.arrays["H_made_for"][...] = 0
        self._chosen = chosen

    def _put_to_sleep(self) -> None:
        """Threads that are awake keep the arguments they were called with: send them out."""
        if self._process != os.getpid():
            return
        self.job.set(park=1, nunit=0, nworker=self.nthread - 1)
        self._begin(self.job.address)
        for k, flag in enumerate(self._sleeping):
            while not self._wake[k] and flag.value != stream.PARKED:
                time.sleep(1e-5)
            self._wake[k] = 0
            flag.value = stream.ASLEEP
        self.job.set(park=0, nunit=self._nunit, nworker=self._nworker)

    def run(self, python_model: Callable[[], Struct]) -> None:
        """Do what the job says, on all threads; return when it is done."""
        if not JIT:
            stream.begin(self.job.struct)
            with np.errstate(all="ignore"):
                worker = self._caller
                stream.work(python_model(), worker.data.struct, self.job.struct, worker.own.struct)
            return
        alone = self._nworker == 0
        if alone:
            self._alone(*self._caller.arguments)
        else:
            if self._process != os.getpid():
                self._start_threads()
            self._begin(self.job.address)
        try:
            self._join(alone)
        except BaseException:  # an interrupt must not leave worlds behind
            self._join(alone)
            raise

    def _join(self, alone: bool) -> None:
        if not alone:
            self._wake_up()
            self._work(*self._caller.arguments)
        self._wait()

    def _wake_up(self) -> None:
        for k in range(self.nthread - 1):
            if self._wake[k]:
                self._wake[k] = 0
                self.workers[k].sleep.release()

    def _wait(self) -> None:
        """Wait for the other threads: first only giving way to others, then by sleeping."""
        tries = 0
        while self._done.value != self._nunit:
            time.sleep(0 if tries < 200 else 1e-4)
            tries += 1

    def _start_threads(self) -> None:
        for worker, flag in zip(self.workers[:-1], self._sleeping, strict=True):
            flag.value = stream.ASLEEP
            worker.start()
        self._process = os.getpid()
