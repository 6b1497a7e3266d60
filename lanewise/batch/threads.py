"""Threads that stream worlds through workspaces; see engine/calls/threads.py for what they run.

Every thread has a workspace of its own, a Data of eight lanes. A call is described in a record that
all threads share, opened, worked on in the calling thread too, and over when the last gang is done.
Other threads sleep on a lock between calls; those that are still awake see the call by themselves.
Results do not depend on who took which gang: gangs share nothing.

The machine code runs without the GIL. Python is only involved in waking and waiting, and in looking
for interrupts: only a thread that runs Python sees them. So the calling thread does its part in
slices of some milliseconds, which end between two steps. If it is interrupted, all threads leave
before their next step, and `steps` says how far each world came.

Where processors are given, each thread keeps to its own: those that are started here for good, the
calling one during calls that others take part in.
"""

import contextlib
import ctypes
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..data import Data
from ..engine import parts
from ..engine.calls import gang_kernel
from ..engine.calls import threads as kernels
from ..engine.calls.threads import HOOKED, OVER
from ..engine.stages import WANTS
from ..hooks import refuse_hooks
from ..lanes import JIT, Struct, W
from ..lanes.calls import code_of
from ..lanes.quick_calls import quick_call
from ..lanes.records import Records
from ..model import Model
from ..timers import Timers
from .aligned import LINE, aligned


@dataclass
class Room:
    """What a workspace has room for."""

    sizes: dict[str, int]  # those of the model, with the capacities of the batch
    grows: int  # room that is made when it is lacking, bits of ROOM_*


@dataclass(eq=False)
class Setting:
    """What the threads of a call take for the model: one variant of the kernels, a table for each
    thread of pointers to the model's fields, and the thread's lanes of them, if there are any."""

    per_world: bool
    tables: np.ndarray  # (nthread, fields), or those of the gang and its worlds of each thread
    blocks: Sequence[np.ndarray]
    keep: Any  # what owns the memory behind the tables
    expanded: frozenset[str]  # parameters of user code that differ between worlds
    struct: Callable[[], Struct]  # the model as plain-Python kernels see it
    models: list[int] = field(init=False)  # addresses of the tables

    def __post_init__(self) -> None:
        self.models = [row.ctypes.data for row in self.tables]


class Worker:
    """One thread's workspace, and for all but the calling thread the thread itself."""

    def __init__(
        self, model: Model, sleeping: np.ndarray, stop: np.ndarray, room: Room, lanes: int = W
    ):
        self.data = Data(model, lanes, room.sizes["nconmax"], room.sizes["njmax"])
        self.data.let_grow(room.grows)
        self._number("patience").value = _ENDLESS
        self._at = [self._number(name) for name in ("gang", "end_of_unit", "steps_made")]
        self.record = Records(kernels.WORKER)
        self.address = self.record.address
        self.record.set(block=self.data.state_lanes, sleeping=sleeping, stop=stop)
        self.record.set(slice=1 if JIT else _ENDLESS)
        first = next(iter(self.data.parameter_lanes().values()), None)
        self.record.set(parameters=first)
        self.sleep = threading.Lock()
        self.closed = False
        self.process: int | None = None  # that has the thread: a fork does not copy it
        self.cpu: int | None = None  # the processor that it keeps to
        # machine code with the thread's model and workspace, of the address of its record
        self.serve: Callable[[int], int] = _nothing
        self.work: Callable[[int], int] = _nothing
        self.work_alone: Callable[[int], int] = _nothing
        self.keep: Any = None  # what owns the memory that they read

    def _number(self, name: str) -> ctypes.c_int64:
        return ctypes.c_int64.from_address(self.data.arrays[name].ctypes.data)

    def use(self, code: Mapping[str, Any], model: int, keep: Any) -> None:
        """Run this machine code, with the model whose table is at an address."""
        self.keep = keep
        for name in ("serve", "work", "work_alone"):
            setattr(self, name, quick_call(code[name], model, self.data.address))

    def left_at(self) -> tuple[int, int, int]:
        """The gang that it has not ended, the end of its unit, and the steps of that gang."""
        gang, end, steps = (number.value for number in self._at)
        return gang, end, steps

    def forget(self) -> None:
        """Do not go on with what it left."""
        for number in self._at:
            number.value = 0

    def start(self) -> None:
        if self.process != os.getpid():
            # before: if an interrupt comes in between, rather no thread than two
            self.process = os.getpid()
            self.sleep = threading.Lock()
            self.sleep.acquire()
            threading.Thread(target=self._live, name="lanewise", daemon=True).start()

    def _live(self) -> None:
        sleep = self.sleep
        if self.cpu is not None:
            _keep_to({self.cpu})
        while True:
            sleep.acquire()
            if self.closed:
                return
            self.serve(self.address)


NONE_MADE, ALL_MADE = np.array(0), np.array(-1)  # steps, of every world
_ENDLESS = 2**62
_NOT_BEGUN = -1  # instead of the number of units that are done
_SLICE = 0.02  # seconds after which the calling thread looks for interrupts
_ONE_BY_ONE = ("run", "rollout")  # calls of which two worlds may be run so: no world has two lanes
_SMALL = 8  # dofs of a model of which a gang takes less time than two worlds one by one
_CAUTION = 16  # the first slice of a call is so much shorter: steps may take longer than before


def _nothing(*_: int) -> int:
    """Machine code that has not been chosen yet."""
    return 1


def _keep_to(cpus: Iterable[int]) -> None:
    """Let the thread that calls run on these processors."""
    with contextlib.suppress(OSError):  # they may have been taken away since
        os.sched_setaffinity(0, cpus)


def undisturbed(action: Callable[[], None]) -> None:
    """Do what can be begun again, to its end; an interrupt has to wait."""
    interrupt = None
    while True:
        try:
            action()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def _close(workers: Sequence[Worker]) -> None:
    for worker in workers:
        worker.closed = True
        with contextlib.suppress(RuntimeError):  # not locked: it is awake and will see the flag
            worker.sleep.release()


class Lone(Worker):
    """A workspace of one lane, for worlds that would have a gang to themselves: one by one."""

    def __init__(self, model: Model, stop: np.ndarray, room: Room):
        lines = aligned((4, LINE // 8), np.int64)
        parts.library("single").require([*parts.needed(model, "single"), "calls"])
        super().__init__(model, lines[3], stop, room, 1)
        self.done = ctypes.c_int64.from_address(lines[1].ctypes.data)
        self.call = Records(kernels.CALL)
        self.call.set(
            remaining=lines[0], done=lines[1], ticket=lines[2], sleeping=lines[3], nunit=1,
        )  # fmt: skip
        self.record.set(call=self.call)
        self._setting: Setting | None = None

    def choose(self, setting: Setting) -> None:
        """Take the model of a setting."""
        if setting is self._setting or setting.per_world or setting.expanded:
            return
        self._setting = None
        self.use(parts.library("single").functions, setting.models[-1], setting)
        self.data.forget_structure()
        self._setting = setting

    def describe(
        self, call: str, record: Records, places: np.ndarray, ids: np.ndarray | None
    ) -> None:
        """Say what is to be done for the worlds at these places of the call."""
        n, kernel = len(places), parts.library("single").address(f"{call}_gang")
        self.call.set(
            n=n, ngang=n, unit=n, places=places, ids=ids, kernel=kernel, record=record
        )  # fmt: skip

    def reorder(self, places: np.ndarray) -> None:
        self.call.set(places=places)

    def steps(self) -> np.ndarray:
        """How far its worlds came in an interrupted call; -1: to the end."""
        steps = np.zeros(self.call.get("n"), np.int64)
        gang, _, made = self.left_at()
        steps[gang : gang + 1] = made
        steps[: len(steps) if self.done.value == 1 else gang] = -1
        return steps


def _go_on(worker: Worker, ended: int) -> int:
    """The rest of the calling thread's part, whose first slice has ended so: in slices, between
    which Python looks for interrupts. How it ended."""
    while ended == HOOKED:
        refuse_hooks()
        ended = worker.work_alone(worker.address)
    if ended != kernels.LEFT:
        return ended
    size = first = worker.record.get("slice")
    start = time.perf_counter()
    while (ended := worker.work(worker.address)) == kernels.LEFT:
        now = time.perf_counter()
        more = _SLICE / max(now - start, 1e-9)
        first = max(1, int(size * more / _CAUTION))
        size, start = max(1, int(size * min(4.0, more))), now
        worker.record.set(slice=size)
    worker.record.set(slice=first)
    return ended


class Threads:
    """nthread threads, the calling one included, and their workspaces."""

    def __init__(self, model: Model, nthread: int, room: Room, cpu_ids: Sequence[int] = ()):
        self.nthread = nthread if JIT else 1
        if JIT:  # all at once, before workspaces ask for what they need
            parts.library("gang").require([*parts.needed(model, "gang"), "calls"])
        # a cache line each for what threads exchange, and for the flag of every sleeper
        lines = aligned((4 + self.nthread, LINE // 8), np.int64)
        stop = lines[3]
        self._done = ctypes.c_int64.from_address(lines[1].ctypes.data)
        self._stop, self._untaken = (
            ctypes.c_int64.from_address(x.ctypes.data) for x in (stop, stop[1:])
        )
        self._flags = [ctypes.c_int64.from_address(x.ctypes.data) for x in lines[4:-1]]
        self._wake = np.zeros(max(self.nthread - 1, 1), np.int32)
        self._call = Records(kernels.CALL)
        self._call.set(
            remaining=lines[0], done=lines[1], ticket=lines[2], stop=stop, sleeping=lines[4:],
            wake=self._wake,
        )  # fmt: skip
        self.workers = [Worker(model, line, stop, room) for line in lines[4:]]
        for worker in self.workers:
            worker.record.set(call=self._call)
        self._caller = self.workers[-1]
        if hasattr(os, "sched_setaffinity"):  # a pickle may come from elsewhere
            for worker, cpu in zip((self._caller, *self.workers[:-1]), cpu_ids):  # of either, fewer
                worker.cpu = cpu
        self._nunit = self._nworker = 0
        self.steps = NONE_MADE  # of worlds of a call; -1: all of them
        self._process: int | None = None  # that has the threads: a fork does not copy them
        self._setting: Setting | None = None
        self._kernels: dict[str, int] = {}  # where gang kernels are, by calls, in that setting
        self._begin: Callable[..., int] = _nothing
        self._halt: Callable[..., int] = kernels.halt
        self._make_lone = lambda: Lone(model, stop, room)
        self._lone: Lone | None = None  # runs worlds that would have a gang to themselves
        self._rest = 0  # how many there are in this call
        self._most_rest = 2 if model.nv > _SMALL else 1
        weakref.finalize(self, _close, self.workers[:-1])

    # --------------------------------------------------------------------------- describing a call

    def choose(self, setting: Setting) -> None:
        """Choose the variant of the kernels, and each thread's model."""
        if setting is self._setting:
            return
        self._setting = None
        self._kernels.clear()
        if JIT:
            # may have to be compiled: before anything changes
            variant = "per-world" if setting.per_world else "gang"
            parts.library(variant).require(["calls"])
            code = parts.library(variant).functions
            undisturbed(self._put_to_sleep)
            for worker in self.workers:
                worker.data.use(variant, setting.expanded)
            self._begin, self._halt = code["begin"], code["halt"]
            for worker, m in zip(self.workers, setting.models, strict=True):
                worker.use(code, m, setting)
        else:
            self._caller.data.use("gang", setting.expanded)
        for k, worker in enumerate(self.workers):
            worker.record.set(constants=setting.blocks[k] if setting.blocks else None)
            worker.data.forget_structure()
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
        self._rest = self._alone(call, n)
        if self._rest:
            self._describe_rest(call, record, n, places, ids)
            n -= self._rest
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
        if call not in self._kernels:
            assert self._setting is not None, "a setting is chosen first"
            library = parts.library("per-world" if self._setting.per_world else "gang")
            self._kernels[call] = library.address(f"{call}_gang")
        return self._kernels[call]

    def _alone(self, call: str, n: int) -> int:
        """How many of n worlds are better run one by one than as a gang."""
        setting, rest, most = self._setting, n % W, 1
        if not JIT or setting is None or setting.per_world or setting.expanded:
            return 0
        # unless another thread could have the gang in the meantime
        if call in _ONE_BY_ONE and (self.nthread == 1 or n < W):
            most = self._most_rest
        return rest if rest <= most else 0

    def _describe_rest(
        self, call: str, record: Records, n: int, places: np.ndarray | None, ids: np.ndarray | None
    ) -> None:
        """The last worlds have few neighbours or none: they run by themselves, one lane wide."""
        if self._lone is None:
            self._lone = self._make_lone()
            for name in (*WANTS, "told", "timing"):
                self._lone.data.arrays[name][...] = self.workers[0].data.arrays[name]
        assert self._setting is not None, "a setting is chosen first"
        self._lone.choose(self._setting)
        last = np.arange(n - self._rest, n) if places is None else places[n - self._rest : n]
        self._lone.describe(call, record, last, ids)

    def reorder(self, places: np.ndarray) -> None:
        """Take all worlds of the call in another order."""
        self._call.set(places=places)
        if self._rest and self._lone is not None:
            self._lone.reorder(places[-self._rest :])

    # ------------------------------------------------------------------------------------- running

    def run(self) -> bool:
        """Do what was described, on all threads; return when it is done. Whether kernels noticed
        something.

        If it is interrupted, `steps` says how far worlds came.
        """
        self._done.value = _NOT_BEGUN
        if self._rest and self._lone is not None:
            self._lone.done.value = _NOT_BEGUN
        try:
            quiet = not self._rest or self._run_rest()
            if self._nunit == 0:
                pass
            elif not JIT:
                quiet &= self._run_python()
            elif self._nworker:
                quiet &= self._run_gangs()
            else:
                caller = self._caller
                ended = caller.work_alone(caller.address)
                if ended != OVER:
                    quiet &= self._end(ended)
            noticed = not (quiet and self.nthread == 1) and self.noticed
        except BaseException:  # an interrupt must not leave threads behind
            undisturbed(self._leave)
            raise
        self.steps = ALL_MADE
        return noticed

    def _run_rest(self) -> bool:
        """The worlds that run one by one; as `_end`."""
        lone = self._lone
        assert lone is not None, "it was described"
        return _go_on(lone, lone.work_alone(lone.address)) == OVER

    def _run_gangs(self) -> bool:
        """On all threads that are of use; as `_end`."""
        refuse_hooks()
        if self._process != os.getpid():
            undisturbed(self._start_threads)
        cpu = self._caller.cpu
        before = None if cpu is None else os.sched_getaffinity(0)
        try:
            if cpu is not None:
                _keep_to({cpu})
            self._begin(self._call.address)
            self._wake_up()
            return self._end(self._caller.work(self._caller.address))
        finally:
            if before is not None:
                _keep_to(before)

    def _end(self, ended: int) -> bool:
        """The rest of a call, of which the calling thread's first slice has ended so. Whether that
        thread noticed nothing."""
        ended = _go_on(self._caller, ended)
        if ended == kernels.OTHERS:
            self._wait(self._nunit)
        return ended == OVER

    def _run_python(self) -> bool:
        assert self._setting is not None, "a setting is chosen first"
        worker, call = self._caller, self._call.address
        refuse_hooks()
        kernels.begin(call)
        with np.errstate(all="ignore"):
            ended = kernels.work(self._setting.struct(), worker.data.struct, worker.address)
        return bool(ended == OVER)

    def _wake_up(self) -> None:
        for k in range(self.nthread - 1):
            if self._wake[k]:
                self._wake[k] = 0
                self.workers[k].sleep.release()

    def _wait(self, nunit: int) -> None:
        """Wait for the other threads: first only giving way to others, then by sleeping."""
        tries = 0
        while self._done.value != nunit:
            time.sleep(0 if tries < 200 else 1e-4)
            tries += 1

    def _leave(self) -> None:
        """Let all threads leave before their next step, and note how far worlds came."""
        begun = self._done.value != _NOT_BEGUN
        self._halt(self._call.address)
        # what the calling thread has left between two slices gets what belongs to a call's end
        lone = self._lone if self._rest else None
        if lone is not None and lone.left_at()[2]:
            lone.work(lone.address)
        if self._caller.left_at()[2] and JIT:
            self._caller.work(self._caller.address)
        ngang, unit = self._call.get("ngang"), self._call.get("unit")
        steps = np.full(ngang, -1 if begun else 0)
        if begun:
            gang, end, _ = self._caller.left_at()
            self._wait(self._nunit - self._untaken.value - (gang < end))
            steps[(self._nunit - self._untaken.value) * unit :] = 0
            for worker in self.workers:
                gang, end, made = worker.left_at()
                steps[gang:end] = 0
                steps[gang : gang + (made > 0)] = made
        of_places = np.repeat(steps, W)[: self._call.get("n")]
        if lone is not None:
            of_places = np.append(of_places, lone.steps())
        self.steps = of_places
        for worker in self._all():
            worker.forget()
        self._done.value = self._untaken.value = self._stop.value = 0

    def _put_to_sleep(self) -> None:
        """Threads that are awake keep the arguments they were called with: send them out."""
        if self._process != os.getpid():
            return
        self._call.set(park=1, nunit=0, nworker=self.nthread - 1)
        self._begin(self._call.address)
        for k, flag in enumerate(self._flags):
            while not self._wake[k] and flag.value != kernels.PARKED:
                time.sleep(1e-5)
            flag.value = kernels.ASLEEP
            self._wake[k] = 0
        self._call.set(park=0, nunit=self._nunit, nworker=self._nworker)

    def _start_threads(self) -> None:
        for worker, flag in zip(self.workers[:-1], self._flags, strict=True):
            flag.value = kernels.ASLEEP
            worker.start()
        self._process = os.getpid()

    # -------------------------------------------------------------------------------------- timing

    @property
    def timing(self) -> bool:
        return self._caller.data.timing

    @timing.setter
    def timing(self, value: Any) -> None:
        for worker in self._all():
            worker.data.timing = value

    def workspaces(self) -> list[Data]:
        return [worker.data for worker in self._all()]

    def timers(self) -> tuple[bool, np.ndarray, np.ndarray]:
        """Whether stages are timed, and what they have taken so far."""
        both = Timers(self.workspaces)
        return self.timing, both.duration, both.number

    def time(self, timing: bool, duration: np.ndarray, number: np.ndarray) -> None:
        """Go on with what stages have taken in other threads."""
        self.timing = timing
        arrays = self._caller.data.arrays
        arrays["timer.duration"][...], arrays["timer.number"][...] = duration, number

    # ----------------------------------------------------------------------------------- afterwards

    def _all(self) -> list[Worker]:
        """The workers, and the one for a world alone if there is one."""
        return [*self.workers, *([] if self._lone is None else [self._lone])]

    @property
    def noticed(self) -> bool:
        """Whether kernels noticed something since this was last cleared."""
        for worker in self.workers:
            if worker.data.notice.value:
                return True
        return self._lone is not None and bool(self._lone.data.notice.value)

    def notes(self) -> dict[int, tuple]:
        """The first of each kind of warning that the user does not know of; no notices then."""
        first: dict[int, tuple] = {}
        for worker in self._all():
            for kind, note in worker.data.notes().items():
                first[kind] = min(note, first.get(kind, note))
        return first

    def lacking(self) -> int:
        """The room that was lacking since the last time, bits of ROOM_*."""
        lacking = 0
        for worker in self._all():
            lacking |= worker.data.lacking()
        return lacking

    def make_room(self, nconmax: int, njmax: int) -> None:
        for worker in self._all():
            worker.data.make_room(nconmax, njmax)

    def let_grow(self, grows: int) -> None:
        for worker in self._all():
            worker.data.let_grow(grows)

    def told(self, told: int) -> None:
        """Users know of these kinds of warnings."""
        for worker in self._all():
            worker.data.arrays["told"][...] = told
