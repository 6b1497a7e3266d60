"""Running calls: which worlds, in which order, on which models, and what is copied out.

A call is run for all worlds at once if they share the batch's model. Otherwise it is run group by
group, for the worlds whose models have the same integers (variation.py). Worlds that cannot be run
keep their state, and the call raises when all others are done.
"""

import copy
import threading
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..data import ROOM, say_full
from ..engine import stages
from ..engine.calls.gang import ROWS
from ..engine.calls.look import LOOK
from ..engine.calls.run import RUN
from ..lanes import W
from ..lanes.records import Records
from ..mjconst import NWARNING
from ..model import Model
from .aligned import aligned
from .forks import watch
from .outcome import Outcome
from .outputs import Outputs, level_of
from .rollout import Rollout
from .threads import Threads
from .variation import Group, Variation

# what a Runner remembers besides arrays
_KEPT = ("ncall", "_told", "_sims", "_made")
_REORDER = 8  # calls after which worlds are ordered by effort again
_CACHED = 2 << 20  # bytes of state rows that certainly stay near the processor between two calls


class Runner:
    """The worlds of a Batch and the threads that run them."""

    def __init__(self, model: Model, nsim: int, nthread: int, sizes: dict[str, int]):
        self.model, self.nsim, self.sizes = model, nsim, sizes
        self.state = aligned((nsim, model.nstate))
        self.state[...] = model.reset_row()
        self.warning = aligned((nsim, NWARNING, 2), np.int32)
        self.outcome = Outcome(nsim)
        self.outputs = Outputs(nsim, sizes)
        self.threads = Threads(model, min(nthread, -(-nsim // W)), sizes)
        self.variation = self.no_variation()
        self.ncall = 0
        self.lock: Any = threading.Lock()
        self.plain = True  # all worlds have the batch's model
        self._effort = aligned((nsim,), np.int32)  # of each world's last step
        self._places: np.ndarray | None = None  # worlds by effort
        self._rows = Records(ROWS)
        self._rows.set(state=self.state, nstate=model.nstate, warning=self.warning)
        self._wanted: frozenset[str] | None = None
        self._last: tuple[int, ...] = ()  # steps and stage of the last call, if it was simple
        self._told = False  # that there was no room for something
        self._sims: np.ndarray | None = None  # the worlds of the last call that made steps; all
        self._made: int | np.ndarray = 0  # what each of them made
        watch(self)

    def contents(self) -> dict[str, Any]:
        """What there is to keep of the worlds, but for their models."""
        kept = {name: getattr(self, name) for name in _KEPT}
        return copy.deepcopy({
            "kept": kept, "arrays": self._arrays(), "messages": self.outcome.messages,
            "outputs": (self.outputs.rows, self.outputs.counts),
        })  # fmt: skip

    def restore(self, contents: dict[str, Any]) -> None:
        """Take what was kept of another."""
        for name, value in contents["kept"].items():
            setattr(self, name, value)
        for own, values in zip(self._arrays(), contents["arrays"], strict=True):
            own[...] = values
        self.outputs.restore(*contents["outputs"])
        for sim, message in contents["messages"].items():
            self.outcome.fail(sim, message)

    def _arrays(self) -> tuple[np.ndarray, ...]:
        """Rows that are there from the start."""
        return self.state, self.warning, self._effort

    def no_variation(self) -> Variation:
        """All worlds on the batch's model."""
        return Variation(self.model, self.nsim, self.threads.nthread, self.sizes)

    def variation_of(self, models: list) -> Variation:
        """World i on models[i]."""
        return Variation.of_models(models, self.model, self.threads.nthread, self.sizes)

    # ---------------------------------------------------------------------------------------- calls

    def run(self, ids: np.ndarray | None, nstep: int, stage: int) -> None:
        """nstep steps, then the stages up to `stage`."""
        with self.lock:
            call = (nstep, stage)
            simple = ids is None and self.plain
            if nstep:
                self._made = 0
            if not (simple and call == self._last and not self.outcome.messages):
                if nstep:
                    self._sims = None if ids is None else ids.copy()
                if ids is not None and not len(ids):
                    return
                level = stages.STAGE_STEP if nstep else stage
                self._want(self.outputs.wants())
                record = self._run_record(nstep, stage, self.outputs.results(level))
                if not simple:
                    self._run_groups("run", record, ids, nstep)
                    return
                self.outcome.clear(None)
                self.forget()
                self._describe_all("run", record)
                self._last = call
            self._neighbours()
            try:
                self.threads.run()
            except BaseException:
                if nstep:
                    self._made = self._came(np.zeros(self.nsim, np.int64), nstep, self._places)
                raise
            if nstep:
                self._made = nstep
            self._look_for_room()

    def rollout(self, ids: np.ndarray | None, rollout: Rollout) -> None:
        """Steps with a control and records each."""
        with self.lock:
            results = self.outputs.results_with(stages.STAGE_STEP, rollout.names)
            run = self._run_record(rollout.nstep, 0, results)
            if rollout.has_control:
                run.set(nchanged=self.model.nstate, nplastic=0)
            rollout.record.set(run=run)
            self._want(self.outputs.wants(rollout.names))
            self._sims, self._made = None if ids is None else ids.copy(), 0
            self._run_groups("rollout", rollout.record, ids, rollout.nstep)

    def call(
        self, name: str, record: Records, ids: np.ndarray | None, level: int | None = None,
        fields: Iterable[str] = (),
    ) -> None:  # fmt: skip
        """Any other call; with a level, it gives back the outputs that it computes.

        fields: those that it reads besides.
        """
        with self.lock:
            record.set(rows=self._rows)
            if level is not None:
                record.set(results=self.outputs.results(level))
            self._want(self.outputs.wants(fields))
            self._run_groups(name, record, ids)

    def fill(self, rows: Mapping[str, np.ndarray]) -> None:
        """Compute fields for the state that each world has now, into rows of zeros.

        Nothing else changes: no state, no warning, no status; worlds that cannot be run keep zeros.
        """
        with self.lock:
            results, counts = self.outputs.fill(rows)
            self._look(results, rows, None)
            self.outputs.filled(counts)

    def refresh(self, ids: np.ndarray | None) -> None:
        """Compute the outputs for the state that worlds have now."""
        names = self.outputs.of_state()
        if names:
            with self.lock:
                self._look(self.outputs.refresh(names), names, ids)

    def changed(self) -> None:
        """The variation is another one, or rows have been added to it."""
        self.variation.changed()
        constants = self.variation.constants
        self._rows.set(nconstant=len(constants), constants=constants)
        self.plain = not self.variation.all_rows() and self.variation.callers is None
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
        self.warning[sims] = 0

    # ----------------------------------------------------------------------------------- describing

    def _want(self, flags: frozenset[str]) -> None:
        # a Model knows only by its own geom_fluid whether forces depend on geoms
        if "geom_fluid" in self.variation.all_rows():
            flags |= {"want_geoms"}
        if flags != self._wanted:
            self._wanted = None
            self.threads.want(flags)
            self._wanted = flags

    def _run_record(self, nstep: int, stage: int, results: Records) -> Records:
        record, places = Records(RUN), self.model.state_slices
        record.set(rows=self._rows, results=results, nstep=nstep, stage=stage, effort=self._effort)
        if nstep:
            plastic = places["plastic"]
            record.set(
                nchanged=places["qacc_warmstart"].stop, plastic=plastic.start,
                nplastic=plastic.stop - plastic.start,
            )  # fmt: skip
        return record

    def _describe_all(self, call: str, record: Records) -> None:
        """A call on all worlds, on the batch's model."""
        self.threads.choose(self.variation.groups()[0][0].setting)
        far = self._places is None and self.state.nbytes > _CACHED
        self._rows.set(ahead=8 * W * self.model.nstate if far else 0)
        self.threads.describe(call, record, self.nsim, self._places, None)

    def _neighbours(self) -> None:
        """Every few calls, order worlds by effort: a gang takes as long as its slowest world."""
        due = self.ncall % _REORDER == 1 or 1 < self.ncall < 4
        if due and self.nsim > W and self._effort.any():
            self._places = self._by_effort(np.arange(self.nsim))
            self._rows.set(ahead=0)
            self.threads.reorder(self._places)
        self.ncall += 1

    def _by_effort(self, sims: np.ndarray) -> np.ndarray:
        """Places of these worlds in the order of their effort."""
        return np.argsort(self._effort[sims], kind="stable")

    # -------------------------------------------------------------------------------------- running

    def _run_groups(
        self, call: str, record: Records, ids: np.ndarray | None, nstep: int = 0
    ) -> None:
        """Run a call for the worlds of each group; then raise for those that cannot be run."""
        if ids is not None and not len(ids):
            return
        self.forget()
        sims = np.arange(self.nsim) if ids is None else ids
        self.outcome.clear(sims)
        groups, labels = self.variation.groups()
        made = self._each_group(call, record, ids, sims, groups, labels, nstep)
        if nstep:
            self._made = made
        for k, group in enumerate(groups):
            if group.reason:
                for sim in sims[_members(labels, sims, k)].tolist():
                    self.outcome.fail(sim, group.reason)
        self._look_for_room()
        self.outcome.raise_for(sims)

    def _look(self, results: Records, names: Iterable[str], ids: np.ndarray | None) -> None:
        """Compute fields for the state that worlds have now, and leave no other trace."""
        if ids is not None and not len(ids):
            return
        self.forget()
        names = list(names)
        self._want(stages.wants(names))
        look = Records(LOOK)
        look.set(rows=self._rows, results=results, stage=max(map(level_of, names)))
        sims = np.arange(self.nsim) if ids is None else ids
        self._each_group("look", look, ids, sims, *self.variation.groups())
        self.threads.clear_full()

    def _each_group(
        self, call: str, record: Records, ids: np.ndarray | None, sims: np.ndarray,
        groups: list[Group], labels: np.ndarray | None, nstep: int = 0,
    ) -> np.ndarray:  # fmt: skip
        """Run a call for each group that can be run, its worlds in the order of effort; the steps
        that each world made."""
        self._rows.set(ahead=0)
        made = np.zeros(len(sims), np.int64)
        for k, group in enumerate(groups):
            places = _members(labels, sims, k)
            if group.reason or not len(places):
                continue
            places = places[self._by_effort(sims[places])]
            self.threads.choose(group.setting)
            self.threads.describe(call, record, len(places), places, ids)
            try:
                self.threads.run()
            except BaseException:
                if nstep:
                    self._made = self._came(made, nstep, places)
                raise
            made[places] = nstep
        return made

    def _came(self, made: np.ndarray, nstep: int, places: np.ndarray | None) -> np.ndarray:
        """The steps that worlds made before a call was interrupted."""
        steps = self.threads.steps
        made[slice(None) if places is None else places] = np.where(steps < 0, nstep, steps)
        return made

    def steps_done(self) -> np.ndarray:
        """How many steps each world made in the last call that makes steps."""
        steps = np.zeros(self.nsim, np.int64)
        steps[slice(None) if self._sims is None else self._sims] = self._made
        return steps

    def _runnable(self, ids: np.ndarray | None) -> np.ndarray | None:
        """Mask of the worlds of a call that can be run; None if all can."""
        groups, labels = self.variation.groups()
        if not any(g.reason for g in groups):
            return None
        refused = np.array([bool(g.reason) for g in groups])
        bad = np.repeat(refused, self.nsim) if labels is None else refused[labels]
        return ~bad if ids is None else ~bad[ids]

    def _look_for_room(self) -> None:
        """Warn once if contacts or rows were left out for want of room."""
        if self._told or not self.threads.full:
            return
        self._told = True
        say_full((self.warning[:, [*ROOM], 1] > 0).sum(axis=0), self.sizes, self.nsim)


def _members(labels: np.ndarray | None, sims: np.ndarray, k: int) -> np.ndarray:
    """Places of the worlds of group k among these; all if there is one group only."""
    return np.arange(len(sims)) if labels is None else np.flatnonzero(labels[sims] == k)
