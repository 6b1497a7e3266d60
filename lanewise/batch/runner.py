"""Running calls: which worlds, in which order, on which models, and what is copied out.

A call is run for all worlds at once if they share the batch's model. Otherwise it is run group by
group, for the worlds whose models have the same integers (variation.py). Worlds that cannot be run
keep their state, and the call raises when all others are done.

Where contacts or rows of a world have no room, its gang is left as it was, and is run again when
there is more. Room is made in place (Data.make_room), so a world's bits do not depend on it.
"""

import copy
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from ..data import capacities, more_room
from ..engine import stages
from ..engine.calls.gang import ROWS
from ..engine.calls.half import HALF
from ..engine.calls.look import LOOK
from ..engine.calls.run import RUN
from ..engine.calls.skip import SKIP
from ..hooks import refuse_hooks
from ..lanes import W
from ..lanes.records import Records
from ..mjconst import NWARNING, STAGE_ACC, STAGE_POS, STAGE_VEL
from ..model import Model
from ..notices import bits, news, say_all, tell
from .aligned import aligned
from .forks import watch
from .kept import Kept
from .outcome import Outcome, SimulationError
from .outputs import Outputs, level_of
from .rollout import Rollout
from .similar import similar
from .threads import NONE_MADE, Room, Threads, undisturbed
from .variation import Group, Variation

# what a Runner remembers besides arrays
_KEPT = ("ncall", "_told", "_sims", "_made")
_REORDER = 16  # calls after which worlds are put beside similar ones again
_CACHED = 2 << 20  # bytes of state rows that certainly stay near the processor between two calls
_STATEFUL = ("run", "rollout", "half", "skip")  # they change worlds: none may be run twice
_EVEN = ("jacobian", "inertia", "place", "push")  # calls in which constraints do not count


class Runner:
    """The worlds of a Batch and the threads that run them."""

    def __init__(
        self, model: Model, nsim: int, nthread: int, room: Room, cpu_ids: Sequence[int] = ()
    ):
        self.model, self.nsim, self.room, self.sizes = model, nsim, room, room.sizes
        self.state = aligned((nsim, model.nstate))
        self.state[...] = model.reset_row()
        self.warning = aligned((nsim, NWARNING, 2), np.int32)
        self.resets = aligned((nsim,), np.int32)
        self.uses = aligned((nsim, 2), np.int32)  # the most contacts and rows of each world
        self.outcome = Outcome(nsim)
        used = () if model.user is None else sorted(model.user.read)
        self.outputs = Outputs(nsim, room.sizes, used)
        self.threads = Threads(model, min(nthread, -(-nsim // W)), room, cpu_ids)
        self.variation = self.no_variation()
        self.ncall = 0
        self.lock: Any = threading.Lock()
        self.plain = True  # all worlds have the batch's model
        self._effort = aligned((nsim,), np.int32)  # of each world's last steps; see leave_worlds
        self._touching = aligned((nsim,), np.int64)  # which bodies touched; see run.touching
        self._places: np.ndarray | None = None  # worlds beside similar ones
        # the worlds of a call on some, and their places by effort: from the first on, in the same
        # memory
        self._some: tuple[np.ndarray, np.ndarray] | None = None
        self._group: Group | None = None  # of all worlds, if they have the batch's model
        self._rows = Records(ROWS)
        self.kept = Kept(self.state, "sensordata" in used)
        self._rows.set(
            state=self.state, nstate=model.nstate, warning=self.warning, resets=self.resets,
            kept=self.kept.record,
            uses=self.uses,
        )  # fmt: skip
        self._records: dict[tuple, tuple[Records, Records]] = {}  # of runs, with their results
        self._wanted: frozenset[str] | None = None
        self._used = frozenset() if model.user is None else model.user.wants  # what it reads
        self._last: tuple[int, ...] = ()  # steps and stage of the last call, if it was simple
        self._told = 0  # warnings that the user knows of, as bits
        self._longer = False  # whether arrays were left behind that somebody holds
        self._sims: np.ndarray | None = None  # the worlds of the last call that made steps; all
        self._made: int | np.ndarray = 0  # what each of them made
        watch(self)

    def contents(self) -> dict[str, Any]:
        """What there is to keep of the worlds, but for their models."""
        kept = {name: getattr(self, name) for name in _KEPT}
        return copy.deepcopy({
            "kept": kept, "arrays": self.arrays(), "messages": self.outcome.messages,
            "outputs": self.outputs.contents(), "stages": self.kept.contents(),
            "timers": self.threads.timers(),
        })  # fmt: skip

    def restore(self, contents: dict[str, Any]) -> None:
        """Take what was kept of another."""
        for name, value in contents["kept"].items():
            setattr(self, name, value)
        for own, values in zip(self.arrays(), contents["arrays"], strict=True):
            own[...] = values
        self.threads.told(self._told)
        self.threads.time(*contents["timers"])
        self.outputs.restore(*contents["outputs"])
        self.kept.restore(contents["stages"])
        for sim, message in contents["messages"].items():
            self.outcome.fail(sim, message)

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Rows that are there from the start."""
        return self.state, self.warning, self.resets, self.uses, self._effort, self._touching

    def no_variation(self) -> Variation:
        """All worlds on the batch's model."""
        return Variation(self.model, self.nsim, self.threads.nthread)

    def variation_of(self, models: list) -> Variation:
        """World i on models[i]."""
        return Variation.of_models(models, self.model, self.threads.nthread)

    # ---------------------------------------------------------------------------------------- calls

    def _look_around(self) -> None:
        """Refuse callbacks of MuJoCo's, and options without meaning."""
        refuse_hooks()
        self.model.watch.look()

    def run(self, ids: np.ndarray | None, nstep: int, stage: int, keep: int = 0) -> None:
        """nstep steps, then the stages up to `stage`; keep: see the record RUN."""
        self._look_around()
        with self.lock:
            call = (nstep, stage, keep)
            if keep:
                self.kept.open()
            elif nstep:
                self.kept.forget(ids)
                self._made = 0
            if self.outputs.loose and self.outputs.settle():
                self.forget()
            n, places = self.nsim, self._places
            if not (ids is None and call == self._last and not self.outcome.messages):
                if nstep:
                    self._sims = None if ids is None else ids.copy()
                if ids is not None and not len(ids):
                    return
                self._want(self.outputs.wants())
                if not self.plain:
                    self._run_groups("run", partial(self._same_record, *call), ids, nstep)
                    return
                self.outcome.clear(ids)
                self.forget()
                record = self._same_record(*call, 0)
                if ids is None:
                    self._describe_all("run", record)
                    self._last = call
                else:
                    n = len(ids)
                    places = self._describe_some("run", record, ids)
            if ids is None:
                self._neighbours()
                places = self._places
            self._run_described(ids, n, places, call)

    def again(self, nstep: int, stage: int) -> bool:
        """Make the last call once more, if it was one of these steps in all worlds and nothing has
        changed since that a call has to look at; whether it was."""
        watch, call = self.model.watch, (nstep, stage, 0)
        with self.lock:
            if (
                self._last != call
                or not nstep
                or self.outputs.loose
                or self.outcome.messages
                or watch.memory.tobytes() != watch.seen
            ):
                return False
            if self.kept.rows:
                self.kept.forget(None)
            self._made = 0
            self._neighbours()
            self._run_described(None, self.nsim, self._places, call)
        return True

    def _run_described(
        self, ids: np.ndarray | None, n: int, places: np.ndarray | None, call: tuple[int, int, int]
    ) -> None:
        """Run what was described for n worlds, in the order of places, all on the batch's model."""
        made, nstep = None, call[0]
        self.threads.steps = NONE_MADE
        try:
            if self.threads.run():
                made = np.full(n, nstep)
                whole = np.arange(n) if places is None else places
                make = partial(self._same_record, *call)
                self._repeat("run", make, whole, ids, made, nstep)
        except BaseException:
            came = np.zeros(n, np.int64) if made is None else made
            try:
                if made is None:
                    undisturbed(partial(self._came, came, nstep, places))
            finally:
                undisturbed(partial(self._interrupted, came, nstep, ids))
            raise
        if nstep:
            self._made = nstep
        if made is not None:
            self._tell()

    def rollout(self, ids: np.ndarray | None, rollout: Rollout) -> None:
        """Steps with a control and records each."""
        self._look_around()
        with self.lock:
            self.kept.forget(ids)
            self.outputs.settle()
            self._want(self.outputs.wants(rollout.names))
            self._sims, self._made = None if ids is None else ids.copy(), 0
            record = lambda k: self._rollout_record(rollout, k)  # noqa: E731
            self._run_groups("rollout", record, ids, rollout.nstep)

    def controlled(self, ids: np.ndarray | None, nstep: int, control: Callable[[], None]) -> None:
        """Steps in halves, with a call of Python's in between."""
        failed: SimulationError | None = None
        made: Any = 0
        try:
            for _ in range(nstep):
                self.kept.forget(ids)
                # worlds that cannot be run fail in either half; the others go on
                with suppress(SimulationError):
                    self.half(ids, second=False)
                control()
                # worlds that it moved on, or reset, have no first half any more
                self.kept.take(self.unknown(ids, STAGE_VEL))
                try:
                    self.half(ids, second=True)
                except SimulationError as error:
                    failed = error
                finally:
                    made = made + self._made
        finally:  # an interrupt may have come in between
            self._sims, self._made = None if ids is None else ids.copy(), made
        if failed is not None:
            raise failed

    def half(self, ids: np.ndarray | None, second: bool) -> None:
        """The first half of a step; or the second, of worlds whose first half is known."""
        self._look_around()

        def make(_: int) -> Records:
            run = self._run_record(int(second), STAGE_VEL)
            run.set(nchanged=self.model.nstate, nplastic=0)
            half = Records(HALF)
            half.set(run=run, second=second)
            return half

        with self.lock:
            if second:
                self._sims, self._made = None if ids is None else ids.copy(), 0
            self.kept.open()
            self.outputs.settle()
            self._want(self.outputs.wants())
            self._run_groups("half", make, ids, int(second))

    def skip(self, ids: np.ndarray | None, skip: int, blind: bool) -> None:
        """Forward dynamics, of worlds whose stages up to `skip` are known; blind: no sensors."""
        self._look_around()

        def make(_: int) -> Records:
            call = Records(SKIP)
            call.set(run=self._run_record(0, STAGE_ACC, blind=blind), skip=skip, blind=blind)
            return call

        with self.lock:
            self.kept.open(apart=skip == STAGE_POS)
            self.outputs.settle()
            self._want(self.outputs.wants())
            self._run_groups("skip", make, ids)

    def unknown(self, ids: np.ndarray | None, skip: int) -> np.ndarray:
        """Worlds that could be run, but for that their stages up to `skip` are not known."""
        unknown, runnable = self.kept.unknown(ids, skip), self._runnable(None)
        return unknown if runnable is None else unknown[runnable[unknown]]

    def call(
        self, name: str, record: Records, ids: np.ndarray | None, level: int | None = None,
        fields: Iterable[str] = (), blind: bool = False, share: int = 1,
    ) -> None:  # fmt: skip
        """Any other call; with a level, it gives back the outputs that it computes.

        fields: those that it reads besides; blind: it computes no sensors; share: lanes of a world.
        """
        self._look_around()
        with self.lock:
            if level is not None:
                self.outputs.settle()

            def make(_: int) -> Records:
                record.set(rows=self._rows)
                if level is not None:
                    record.set(results=self.outputs.results(level, blind=blind))
                return record

            self._want(self.outputs.wants(fields))
            self._run_groups(name, make, ids, share=share)

    def sample(self, ids: np.ndarray | None, record: Records, names: Iterable[str]) -> None:
        """Forward dynamics at other inputs, of which only these fields are wanted.

        ids may have a world several times.
        """
        self._look_around()
        names = tuple(names)
        with self.lock:

            def make(_: int) -> Records:
                record.set(rows=self._rows, results=self.outputs.fill({}, None, names))
                return record

            self._want(stages.wants(names))
            self._run_groups("sample", make, ids)

    def fill(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Rows of fields, computed for the state that each world has now.

        Nothing else changes: no state, no warning, no status; worlds that cannot be run have zeros.
        """
        with self.lock:
            rows = {name: self.outputs.new_rows(name) for name in names}
            counts = self.outputs.counts_of(rows)

            def results() -> Records:
                rows.update(self.outputs.fit(rows))
                return self.outputs.fill(rows, counts)

            self._look(results, rows, None)
            self.outputs.filled(counts)
            return rows

    def refresh(self, ids: np.ndarray | None) -> None:
        """Compute the outputs for the state that worlds have now."""
        names = self.outputs.of_state()
        if names:
            with self.lock:
                self._look(lambda: self.outputs.refresh(names), names, ids)

    def changed(self) -> None:
        """The variation is another one, or rows have been added to it."""
        self.variation.changed()
        constants, parameters = self.variation.constants, self.variation.parameter_rows
        self._rows.set(nconstant=len(constants), constants=constants)
        self._rows.set(nparameter=len(parameters), parameters=parameters)
        self.plain = not self.variation.all_rows() and self.variation.callers is None
        self._group = None
        self.forget()

    def forget(self) -> None:
        """The next call must be described anew."""
        self._last = ()

    def report(self, sims: np.ndarray, failed: Mapping[int, str]) -> None:
        """Say how something ended for these worlds, and raise if some failed."""
        self.outcome.clear(sims)
        for sim, message in failed.items():
            self.outcome.fail(sim, message)
        self.outcome.raise_for(sims)

    def set_state(self, ids: np.ndarray | None, rows: np.ndarray) -> None:
        """Put worlds that can be run into these states, without warnings."""
        runnable = self._runnable(ids)
        sims: np.ndarray | slice = slice(None) if ids is None else ids
        if runnable is not None:
            sims = np.flatnonzero(runnable) if ids is None else ids[runnable]
            rows = rows[runnable] if rows.ndim == 2 else rows
        self.state[sims] = rows
        self.warning[sims] = self.uses[sims] = 0
        self.kept.forget(ids)
        if self._told:  # what no world has counted is news again
            counted = (self.warning[..., 1] > 0).any(axis=0)
            self._told &= sum(1 << kind for kind in np.flatnonzero(counted).tolist())
            self.threads.told(self._told)

    # ----------------------------------------------------------------------------------- describing

    def _want(self, flags: frozenset[str]) -> None:
        flags |= self._used
        if flags != self._wanted:
            self._wanted = None
            self.threads.want(flags)
            self._wanted = flags

    def _run_record(
        self, nstep: int, stage: int, first: int = 0, read: Iterable[str] = (), keep: int = 0,
        blind: bool = False,
    ) -> Records:  # fmt: skip
        """nstep steps, of which worlds have made `first`, then stages; see Outputs.results."""
        results = self.outputs.results(stages.STAGE_STEP if nstep else stage, read, blind)
        record, places = Records(RUN), self.model.state_slices
        record.set(rows=self._rows, results=results, nstep=nstep, stage=stage, effort=self._effort)
        record.set(touching=self._touching)
        record.set(first=first, keep=keep)
        if nstep:
            plastic = places["plastic"]
            record.set(
                nchanged=places["qacc_warmstart"].stop, plastic=plastic.start,
                nplastic=plastic.stop - plastic.start,
            )  # fmt: skip
        if self.model.user is not None:  # it may write controls, userdata, anything
            last = max((places[n].stop for n in self.model.user.written), default=0)
            record.set(nchanged=max(last, record.get("nchanged")))
        return record

    def _same_record(self, nstep: int, stage: int, keep: int, first: int) -> Records:
        """`_run_record`, which is kept as long as its results are the same."""
        key = nstep, stage, keep, first
        known = self._records.get(key)
        results = self.outputs.results(stages.STAGE_STEP if nstep else stage)
        if known is None or known[0] is not results:
            if len(self._records) > 8:
                self._records.clear()
            known = self._records[key] = results, self._run_record(nstep, stage, first, keep=keep)
        return known[1]

    def _rollout_record(self, rollout: Rollout, first: int) -> Records:
        run = self._run_record(rollout.nstep, 0, first, rollout.names)
        if rollout.has_control:
            run.set(nchanged=self.model.nstate, nplastic=0)
        rollout.record.set(run=run)
        return rollout.record

    def _describe_all(self, call: str, record: Records) -> None:
        """A call on all worlds, on the batch's model."""
        self.threads.choose(self._one_group().setting)
        self._rows.set(ahead=self._next_gang() if self._places is None else 0)
        self.threads.describe(call, record, self.nsim, self._places, None)

    def _describe_some(self, call: str, record: Records, ids: np.ndarray) -> np.ndarray:
        """A call on chosen worlds, on the batch's model: their places, similar ones together."""
        n = len(ids)
        if self._some is None:
            self._some = aligned((self.nsim,), np.int64), aligned((self.nsim,), np.int64)
        worlds, order = self._some
        worlds[:n], places = ids, order[:n]
        places[...] = self._similar(ids)
        self.threads.choose(self._one_group().setting)
        self._rows.set(ahead=0)
        self.threads.describe(call, record, n, order, worlds)
        return places

    def _one_group(self) -> Group:
        """That of all worlds, which have the batch's model."""
        if self._group is None:
            self._group = self.variation.groups()[0][0]
        return self._group

    def _next_gang(self) -> int:
        """Bytes to the rows of the next gang, if they may be far from the processor; else 0."""
        return 8 * W * self.model.nstate if self.state.nbytes > _CACHED else 0

    def _neighbours(self) -> None:
        """Every few calls, put worlds beside similar ones."""
        ncall = self.ncall
        self.ncall = ncall + 1
        if self.nsim <= W or not (ncall % _REORDER == 1 or 1 < ncall < 4):
            return
        if self._places is not None:
            self._places[...] = similar(self._effort, self._touching)  # where threads look for it
        elif self._effort.any():
            self._places = similar(self._effort, self._touching)
            self._rows.set(ahead=0)
            self.threads.reorder(self._places)

    def has_constraints(self) -> bool:
        """Whether constraints were solved in the last steps of any world."""
        return bool(self._effort.any())

    def _similar(self, sims: np.ndarray) -> np.ndarray:
        """Places of these worlds, similar ones beside each other."""
        return similar(self._effort[sims], self._touching[sims])

    # -------------------------------------------------------------------------------------- running

    def _run_groups(
        self, call: str, make: Callable[[int], Records], ids: np.ndarray | None, nstep: int = 0,
        share: int = 1,
    ) -> None:  # fmt: skip
        """Run a call for the worlds of each group; then raise for those that cannot be run."""
        if ids is not None and not len(ids):
            return
        self.forget()
        sims = np.arange(self.nsim) if ids is None else ids
        self.outcome.clear(sims)
        groups, labels = self.variation.groups()
        made = np.zeros(len(sims), np.int64)
        try:
            self._each_group(call, make, ids, sims, groups, labels, made, nstep, share)
        except BaseException:
            self._interrupted(made, nstep, ids)
            raise
        if nstep:
            self._made = made
        for k, group in enumerate(groups):
            if group.reason:
                for sim in sims[_members(labels, sims, k)].tolist():
                    self.outcome.fail(sim, group.reason)
        try:
            self._tell()
        finally:
            self.outcome.raise_for(sims)

    def _look(
        self, results: Callable[[], Records], names: Iterable[str], ids: np.ndarray | None
    ) -> None:
        """Compute fields for the state that worlds have now, and leave no other trace."""
        self._look_around()
        if ids is not None and not len(ids):
            return
        self.forget()
        names = list(names)
        self._want(stages.wants(names))
        level = max(map(level_of, names))

        def make(_: int) -> Records:
            look = Records(LOOK)
            look.set(rows=self._rows, results=results(), stage=level)
            return look

        sims = np.arange(self.nsim) if ids is None else ids
        self._each_group("look", make, ids, sims, *self.variation.groups(), np.zeros(len(sims)))
        self.threads.notes()  # nobody is told
        self._say_longer()

    def _each_group(
        self, call: str, make: Callable[[int], Records], ids: np.ndarray | None, sims: np.ndarray,
        groups: list[Group], labels: np.ndarray | None, made: np.ndarray, nstep: int = 0,
        share: int = 1,
    ) -> None:  # fmt: skip
        """Run a call for each group that can be run, each world in as many lanes as its share says:
        in the order of their effort, or as they lie in memory if none takes more than another.

        make: the record of the call, as outputs are now, for worlds that have made some steps.
        made: the steps that each world has made, by its place in the call.
        """
        even = call in _EVEN
        self._rows.set(ahead=self._next_gang() if even and ids is None and labels is None else 0)
        record = make(0)
        for k, group in enumerate(groups):
            places = _members(labels, sims, k)
            if group.reason or not len(places):
                continue
            if not even:
                places = places[self._similar(sims[places])].repeat(share)
            self.threads.choose(group.setting)
            self.threads.describe(call, record, len(places), places, ids)
            self._run_some(made, nstep, places)
            if self.threads.noticed and self._repeat(call, make, places, ids, made, nstep):
                record = make(0)

    def _run_some(self, made: np.ndarray, nstep: int, places: np.ndarray, first: int = 0) -> None:
        """Run what was described for the worlds of these places, and note the steps they made."""
        self.threads.steps = NONE_MADE
        try:
            self.threads.run()
        except BaseException:
            undisturbed(partial(self._came, made, nstep, places, first))
            raise
        made[places] = nstep

    def _came(
        self, made: np.ndarray, nstep: int, places: np.ndarray | None, first: int = 0
    ) -> None:
        """made <= the steps of worlds before a call was interrupted; `first` were made before."""
        steps = np.maximum(self.threads.steps, np.where(self.threads.steps < 0, -1, first))
        made[slice(None) if places is None else places] = np.where(steps < 0, nstep, steps)

    def _interrupted(self, made: np.ndarray, nstep: int, ids: np.ndarray | None) -> None:
        """A call did not come to its end; made: what each of its worlds has made."""
        effort = self._effort if ids is None else self._effort[ids]
        left = effort < 0  # nobody makes room for them now
        made[left] = -1 - effort[left]
        self._effort[self._effort < 0] = 0
        self.threads.lacking()
        if nstep:
            self._made = made

    def _repeat(
        self, call: str, make: Callable[[int], Records], places: np.ndarray,
        ids: np.ndarray | None, made: np.ndarray, nstep: int,
    ) -> bool:  # fmt: skip
        """Make room where it was lacking, and run again the worlds that were left as they were.
        Whether there were any."""
        repeated = False
        while lacking := self.threads.lacking():
            repeated = True
            self._make_room(lacking)
            self._rows.set(ahead=0)
            sims = places if ids is None else ids[places]
            left = places
            if call in _STATEFUL:
                made[places] = np.where(self._effort[sims] < 0, -1 - self._effort[sims], nstep)
                left = places[self._effort[sims] < 0]
                self._effort[sims] = np.maximum(self._effort[sims], 0)
            # those that have made as many steps go on together
            for first in np.unique(made[left]).tolist() if call in _STATEFUL else [0]:
                some = left[made[left] == first] if call in _STATEFUL else left
                self.threads.describe(call, make(first), len(some), some, ids)
                self._run_some(made, nstep, some, first)
        return repeated

    def _make_room(self, lacking: int) -> None:
        """Twice the room, in all workspaces and for the outputs."""
        self.forget()
        more = more_room(self.sizes, lacking)
        if more is None:
            self.room.grows = 0
            self.threads.let_grow(0)
            return
        self.threads.make_room(*more)
        self.sizes.update(capacities(self.model, *more))
        self._longer |= self.outputs.make_room()

    def _say_longer(self) -> None:
        """Tell that arrays which somebody holds were left behind."""
        if self._longer:
            self._longer = False
            room = f"nconmax={self.sizes['nconmax']}, njmax={self.sizes['njmax']}"
            say_all([
                "a world has more contacts or constraint rows than before, and arrays of them were"
                f" made longer ({room}): those that were read or bound before are not filled any"
                " more, read them again; or give the Batch this room from the start"
            ])  # fmt: skip

    def steps_done(self) -> np.ndarray:
        """How many steps each world made in the last call that makes steps."""
        steps = np.zeros(self.nsim, np.int64)
        steps[slice(None) if self._sims is None else self._sims] = self._made
        return steps

    def _runnable(self, ids: np.ndarray | None) -> np.ndarray | None:
        """Mask of the worlds of a call that can be run; None if all can."""
        if self.plain and not self._one_group().reason:
            return None
        groups, labels = self.variation.groups()
        if not any(g.reason for g in groups):
            return None
        refused = np.array([bool(g.reason) for g in groups])
        bad = np.repeat(refused, self.nsim) if labels is None else refused[labels]
        return ~bad if ids is None else ~bad[ids]

    def _tell(self) -> None:
        """Tell the user of warnings, each kind once."""
        if self.threads.noticed:
            notes, counted = self.threads.notes(), self.warning[..., 1] > 0
            found = news(notes, self.model, self.sizes, counted, self.resets)
            self._told |= bits(found)  # before: a warning may be an error
            self.threads.told(self._told)
            tell(found)
        self._say_longer()


def _members(labels: np.ndarray | None, sims: np.ndarray, k: int) -> np.ndarray:
    """Places of the worlds of group k among these; all if there is one group only."""
    return np.arange(len(sims)) if labels is None else np.flatnonzero(labels[sims] == k)
