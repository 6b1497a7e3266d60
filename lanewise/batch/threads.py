"""Threads that stream worlds through workspaces; see engine/calls/threads.py for what they run.

Every thread has a workspace of its own, a Data of eight lanes. A call is described in a record that
all threads share, opened, worked on in the calling thread too, and over when the last gang is done.
Other threads sleep on a lock between calls; those that are still awake see the call by themselves.
Results do not depend on who took which gang: gangs share nothing.

The machine code runs without the GIL. Python is only involved in waking and waiting.
"""

import contextlib
import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data import Data
from ..engine import parts
from ..engine.calls import gang_kernel
from ..engine.calls import threads as kernels
from ..engine.stages import WANTS
from ..lanes import JIT, Struct, W
from ..lanes.calls import code_of
from ..lanes.records import Records
from ..model import Model
from .aligned import LINE, aligned


@dataclass(eq=False)
class Setting:
    """What the threads of a call take for the model: one variant of the kernels, a table for each
    thread of pointers to the model's fields, and the thread's lanes of them, if there are any."""

    per_world: bool
    tables: np.ndarray  # (nthread, fields)
    blocks: Sequence[np.ndarray]
    keep: Any  # what owns the memory behind the tables
    struct: Callable[[], Struct]  # the model as plain-Python kernels see it
    models: list[int] = field(init=False)  # addresses of the tables

    def __post_init__(self) -> None:
        self.models = [row.ctypes.data for row in self.tables]


class Worker:
    """One thread's workspace, and for all but the calling thread the thread itself."""

    def __init__(self, model: Model, sleeping: np.ndarray, sizes: dict, lanes: int = W):
        self.data = Data(model, lanes, sizes["nconmax"], sizes["njmax"])
        self.record = Records(kernels.WORKER)
        self.record.set(block=self.data.state_lanes, sleeping=sleeping)
        self.sleep = threading.Lock()
        self.closed = False
        self.serve: Callable[..., None] = _nothing
        self.arguments: tuple[int, ...] = ()
        self.keep: Any = None  # what owns the memory behind the arguments

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


class Lone(Worker):
    """A workspace of one lane, for a world that would have a gang to itself."""

    def __init__(self, model: Model, sizes: dict):
        lines = aligned((4, LINE // 8), np.int64)
        parts.library("single").require([*parts.needed(model), "calls"])
        super().__init__(model, lines[3], sizes, 1)
        self.call = Records(kernels.CALL)
        self.call.set(
            remaining=lines[0], done=lines[1], ticket=lines[2], sleeping=lines[3],
            n=1, ngang=1, unit=1, nunit=1,
        )  # fmt: skip
        self.work = parts.library("single").functions["work_alone"]
        self._setting: Setting | None = None

    def choose(self, setting: Setting) -> None:
        """Take the model of a setting."""
        if setting is self._setting or setting.per_world:
            return
        addresses = self.data.address, self.call.address, self.record.address
        self.arguments, self.keep = (setting.models[-1], *addresses), setting
        self.data.arrays["H_made_for"][...] = 0
        self._setting = setting

    def describe(
        self, call: str, record: Records, place: np.ndarray, ids: np.ndarray | None
    ) -> None:
        """Say what is to be done for the world at a place of the call."""
        kernel = parts.library("single").address(f"{call}_gang")
        self.call.set(places=place, ids=ids, kernel=kernel, record=record)

    def reorder(self, place: np.ndarray) -> None:
        self.call.set(places=place)

    def run(self) -> None:
        self.work(*self.arguments)


class Threads:
    """nthread threads, the calling one included, and their workspaces."""

    def __init__(self, model: Model, nthread: int, sizes: dict):
        self.nthread = nthread if JIT else 1
        if JIT:  # all at once, before workspaces ask for what they need
            parts.library("gang").require([*parts.needed(model), "calls"])
        # a cache line each for what threads exchange, and for the flag of every sleeper
        lines = aligned((3 + self.nthread, LINE // 8), np.int64)
        self._done = ctypes.c_int64.from_address(lines[1].ctypes.data)
        self._flags = [ctypes.c_int64.from_address(x.ctypes.data) for x in lines[3:-1]]
        self._wake = np.zeros(max(self.nthread - 1, 1), np.int32)
        self._call = Records(kernels.CALL)
        self._call.set(
            remaining=lines[0], done=lines[1], ticket=lines[2], sleeping=lines[3:], wake=self._wake
        )
        self.workers = [Worker(model, line, sizes) for line in lines[3:]]
        self._caller = self.workers[-1]
        self._nunit = self._nworker = 0
        self._process: int | None = None  # that has the threads: a fork does not copy them
        self._setting: Setting | None = None
        self._begin: Callable[..., None] = _nothing
        self._work: Callable[..., None] = _nothing
        self._alone: Callable[..., None] = _nothing
        self._make_lone = lambda: Lone(model, sizes)
        self._lone: Lone | None = None  # runs a world that would have a gang to itself
        self._rest = 0  # whether there is one in this call
        weakref.finalize(self, _close, self.workers[:-1])

    # --------------------------------------------------------------------------- describing a call

    def choose(self, setting: Setting) -> None:
        """Choose the variant of the kernels, and each thread's model."""
        if setting is self._setting:
            return
        if JIT:
            # may have to be compiled: before anything changes
            variant = "per-world" if setting.per_world else "gang"
            parts.library(variant).require(["calls"])
            code = parts.library(variant).functions
            self._put_to_sleep()
            for worker in self.workers:
                worker.data.use(variant)
            self._begin, self._work, self._alone = code["begin"], code["work"], code["work_alone"]
            for worker, m in zip(self.workers, setting.models, strict=True):
                worker.serve, worker.keep = code["serve"], (self._call, setting)
                addresses = worker.data.address, self._call.address, worker.record.address
                worker.arguments = (m, *addresses)
        for k, worker in enumerate(self.workers):
            worker.record.set(constants=setting.blocks[k] if setting.blocks else None)
            # where H has numbers may have been found for another model
            worker.data.arrays["H_made_for"][...] = 0
        self._setting = setting
        if self._lone is not None:
            self._lone.choose(setting)

    def want(self, flags: frozenset[str]) -> None:
        """Say what somebody reads, by the fields of Data that tell the kernels so."""
        for worker in self._all():
            for name in WANTS:
                worker.data.arrays[name][...] = name in flags

    def describe(
        self, call: str, record: Records, n: int, places: np.ndarray | None, ids: np.ndarray | None
    ) -> None:
        """Say what the next runs are about: the call and its record, and n worlds."""
        self._rest = int(n % W == 1 and self._may_be_alone())
        if self._rest:
            self._describe_rest(call, record, n, places, ids)
            n -= 1
        ngang = -(-n // W)
        unit = max(1, min(64, ngang // (8 * self.nthread)))
        self._nunit = -(-ngang // unit)
        self._nworker = max(min(self.nthread, self._nunit) - 1, 0)
        self._call.set(
            n=n, ngang=ngang, unit=unit, nunit=self._nunit, nworker=self._nworker,
            places=places, ids=ids, kernel=self._kernel(call), record=record,
        )  # fmt: skip

    def _kernel(self, call: str) -> int:
        """Where the gang kernel of a call is found."""
        if not JIT:
            return code_of(gang_kernel(call))
        assert self._setting is not None, "a setting is chosen first"
        library = parts.library("per-world" if self._setting.per_world else "gang")
        return library.address(f"{call}_gang")

    def _may_be_alone(self) -> bool:
        return JIT and self._setting is not None and not self._setting.per_world

    def _describe_rest(
        self, call: str, record: Records, n: int, places: np.ndarray | None, ids: np.ndarray | None
    ) -> None:
        """The last world has no neighbours: it runs by itself, one lane wide."""
        if self._lone is None:
            self._lone = self._make_lone()
            for name in WANTS:
                self._lone.data.arrays[name][...] = self.workers[0].data.arrays[name]
        assert self._setting is not None, "a setting is chosen first"
        self._lone.choose(self._setting)
        last = np.array([n - 1]) if places is None else places[n - 1 :]
        self._lone.describe(call, record, last, ids)

    def reorder(self, places: np.ndarray) -> None:
        """Take the worlds of the call in another order."""
        self._call.set(places=places)
        if self._rest and self._lone is not None:
            self._lone.reorder(places[-1:])

    # ------------------------------------------------------------------------------------- running

    def run(self) -> None:
        """Do what was described, on all threads; return when it is done."""
        if not JIT:
            self._run_python()
            return
        if self._rest and self._lone is not None:
            self._lone.run()
        if self._nunit == 0:
            return
        alone = self._nworker == 0
        if alone:
            self._alone(*self._caller.arguments)
        else:
            if self._process != os.getpid():
                self._start_threads()
            self._begin(self._call.address)
        try:
            self._join(alone)
        except BaseException:  # an interrupt must not leave worlds behind
            self._join(alone)
            raise

    def _run_python(self) -> None:
        assert self._setting is not None, "a setting is chosen first"
        worker, call = self._caller, self._call.address
        kernels.begin(call)
        with np.errstate(all="ignore"):
            kernels.work(self._setting.struct(), worker.data.struct, call, worker.record.address)

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

    def _put_to_sleep(self) -> None:
        """Threads that are awake keep the arguments they were called with: send them out."""
        if self._process != os.getpid():
            return
        self._call.set(park=1, nunit=0, nworker=self.nthread - 1)
        self._begin(self._call.address)
        for k, flag in enumerate(self._flags):
            while not self._wake[k] and flag.value != kernels.PARKED:
                time.sleep(1e-5)
            self._wake[k] = 0
            flag.value = kernels.ASLEEP
        self._call.set(park=0, nunit=self._nunit, nworker=self._nworker)

    def _start_threads(self) -> None:
        for worker, flag in zip(self.workers[:-1], self._flags, strict=True):
            flag.value = kernels.ASLEEP
            worker.start()
        self._process = os.getpid()

    # ----------------------------------------------------------------------------------- afterwards

    def _all(self) -> list[Worker]:
        """The workers, and the one for a world alone if there is one."""
        return [*self.workers, *([] if self._lone is None else [self._lone])]

    @property
    def full(self) -> bool:
        """Whether a kernel had no room for something since this was last cleared."""
        return any(worker.data.full.value for worker in self._all())

    def clear_full(self) -> None:
        for worker in self._all():
            worker.data.full.value = 0
