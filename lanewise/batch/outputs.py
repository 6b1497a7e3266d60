"""The outputs of a Batch: fields of all worlds that somebody reads, as rows.

A call copies out the outputs that it computes, which the table of stages says (engine/stages.py):
`results` describes them to a call, and `wants` says which fields kernels compute only because they
are read.

An output is in use if it is bound, if somebody holds an array of it (or a view of one), or if it
was read since the last call. `settle` lets go of the others, so that a look at everything, as
`hasattr` and tools that inspect objects have it, costs later calls nothing. Whether an array is
held, a weak reference says: arrays are made on a memoryview, so that all views of one refer to the
array itself.

A field may also be bound as float32. These rows, `singles`, are beside those of float64, of parts
of the state too, and kernels round what they store there.
"""

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..data import PLACE
from ..engine import stages
from ..engine.calls.gang import OUTPUT, PER_CONTACT, PER_ITERATION, PER_ROW, RESULTS, ZERO
from ..engine.calls.rows import DOUBLE, SINGLE, WHOLE
from ..fields import DATA_FIELDS, STATE_FIELDS, Field
from ..lanes.records import Records
from ..mjconst import NSOLVER, STAGE_ACC, STAGE_NONE
from .aligned import aligned

# fields that are as long as a world's contacts, rows or iterations, by what bounds them
_COUNTED = {
    "nconmax": PER_CONTACT, "njmax": PER_ROW, "nJmax": PER_ROW, "nlogmax": PER_ITERATION,
}  # fmt: skip
KINDS = {np.dtype(np.float64): DOUBLE, np.dtype(np.int32): WHOLE, np.dtype(np.float32): SINGLE}
_COUNTS = {PER_CONTACT: ("ncon",), PER_ROW: ("nefc",), PER_ITERATION: ("solver_niter",)}


class Outputs:
    """{name: rows} of the fields that are in use; `sizes` are those of a workspace.

    used: fields that user code may read before they are computed. They begin as zero, not as what
    other worlds left.
    """

    def __init__(self, nsim: int, sizes: dict[str, int], used: Iterable[str] = ()):
        self.nsim, self.sizes, self._used = nsim, sizes, tuple(used)
        self.rows: dict[str, np.ndarray] = {}
        self.singles: dict[str, np.ndarray] = {}  # as float32, until they are released
        self.loose = False  # whether some may have to be let go
        self.kept: dict[str, np.ndarray] = {}  # what users see of those that stay
        self._given: dict[str, weakref.ref] = {}  # what they see of any
        self._read: set[str] = set()  # since the last call
        self.level = STAGE_NONE  # of a call that computes all that follow from the state alone
        self._known: dict[tuple, Records] = {}  # results by what was asked for
        # contacts and rows that outputs hold of every world; what was beyond is zero
        self.counts: np.ndarray | None = None

    def contents(self) -> tuple:
        """What there is to keep: rows, what they hold, and which of them are bound."""
        return self.rows, self.counts, list(self.kept), self.singles

    def restore(
        self, rows: Mapping[str, np.ndarray], counts: np.ndarray | None, kept: Iterable[str],
        singles: Mapping[str, np.ndarray],
    ) -> None:  # fmt: skip
        """Hold what another holds."""
        for name, values in rows.items():
            own = self.new_rows(name)
            own[...] = values
            self.add(name, own)
        if counts is not None:
            self.counts = self._no_counts()
            self.counts[...] = counts
        for name in kept:
            self.keep(name)
        for name, values in singles.items():
            self.add_single(name, values)

    def add_single(self, name: str, values: np.ndarray) -> None:
        """From now on, calls copy out a field as float32, too; until then it has these values."""
        rows = aligned((self.nsim, *self.shape(DATA_FIELDS[name])), np.float32)
        with np.errstate(over="ignore"):
            rows[...] = values
        self.singles[name] = rows
        self._changed()

    def single(self, name: str) -> np.ndarray:
        """What a user sees of it."""
        return np.asarray(self.singles[name].data.toreadonly())

    def add(self, name: str, rows: np.ndarray) -> None:
        """From now on, calls copy out a field into these rows, as long as it is in use."""
        self.rows[name] = rows
        self.loose = True
        if DATA_FIELDS[name].capacity and self.counts is None:
            self.counts = self._no_counts()
        self._changed()

    def _changed(self) -> None:
        self.level = max((level_of(n) for n in self.of_state()), default=STAGE_NONE)
        self._known.clear()

    # --------------------------------------------------------------------------------- who reads it

    def give(self, name: str) -> np.ndarray:
        """What a user sees of a field: its rows, read-only."""
        self._read.add(name)
        given = self._given.get(name)
        array = None if given is None else given()
        if array is None:
            array = np.asarray(self.rows[name].data.toreadonly())
            self._given[name] = weakref.ref(array)
        return array

    def keep(self, name: str) -> np.ndarray:
        """The same, of a field that stays in use until it is released."""
        self.kept[name] = self.give(name)
        return self.kept[name]

    def release(self, name: str) -> None:
        """Nobody needs a field any more; arrays that were given keep the numbers they have."""
        if self.singles.pop(name, None) is not None:
            self._changed()
        self.kept.pop(name, None)
        self._read.discard(name)
        self._given.pop(name, None)
        self.loose = True
        if name in self.rows and name not in self._in_use():
            self._drop([name])

    def bound(self) -> list[str]:
        """Those that stay in use, also if nobody reads them before the next call."""
        used = self._with_counts(self._held())
        return list(dict.fromkeys([*(n for n in self.rows if n in used), *self.singles]))

    def settle(self) -> bool:
        """Before a call: let go of what is not in use. Whether there was something."""
        used = self._in_use()
        unused = [name for name in self.rows if name not in used]
        self._read.clear()
        self.loose = len(self.kept) < len(self.rows)
        if unused:
            self._drop(unused)
        return bool(unused)

    def _in_use(self) -> set[str]:
        return self._with_counts({*self._held(), *self._read})

    def _held(self) -> set[str]:
        """Outputs that are bound, or whose arrays somebody holds."""
        return {n for n, given in self._given.items() if given() is not None}

    def _with_counts(self, names: set[str]) -> set[str]:
        # contacts and rows come with their number, so that the two speak of the same state
        return names.union(*map(count_of, names))

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            del self.rows[name]
            self._given.pop(name, None)
        self._changed()

    # --------------------------------------------------------------------------------------- memory

    def make_room(self) -> bool:
        """Sizes have grown: move what is as long as contacts or rows to where there is more room.
        Whether arrays were left behind that somebody holds."""
        larger = self.fit(self.rows)
        moved = {n for n, rows in larger.items() if rows is not self.rows[n]}
        left = not moved.isdisjoint(self._held())
        self.rows = larger
        for name in moved:
            self._given.pop(name, None)
            if name in self.kept:
                self.keep(name)
        self._known.clear()
        return left

    def fit(self, rows: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Rows of fields in the length that they have now, with the same contents."""
        fitting = dict(rows)
        for name, old in rows.items():
            if old.shape[1:] != self.shape(DATA_FIELDS[name]):
                fitting[name] = self.new_rows(name)
                fitting[name][:, : old.shape[1]] = old
        return fitting

    def new_rows(self, name: str) -> np.ndarray:
        field = DATA_FIELDS[name]
        dtype = np.float64 if field.dtype == "float" else np.int32
        return aligned((self.nsim, *self.shape(field)), dtype)

    def shape(self, field: Field) -> tuple[int, ...]:
        """The shape of a field in one world; efc_J is a matrix, with a row for each constraint, and
        so are solver iterations, with a row for each island."""
        if field.capacity == "nJmax":
            nv = self.sizes["nv"]
            return self.sizes["nJmax"] // max(nv, 1), nv
        if field.capacity == "nlogmax":
            return self.sizes["nlogmax"] // NSOLVER, NSOLVER
        return field.shape(self.sizes)

    # ------------------------------------------------------------------------------------ for calls

    def results(self, level: int, read: Iterable[str] = (), blind: bool = False) -> Records:
        """What a call of this level gives back, blind: but for sensors; the fields in `read` have
        readers too."""
        key = (level, blind, *read)
        if key not in self._known:
            written = [
                (name, rows)
                for name, rows in self._all()
                if name in STATE_FIELDS
                or (
                    stages.is_written(DATA_FIELDS[name].stage, level)
                    and not (blind and DATA_FIELDS[name].stage == "sensor")
                )
            ]
            names = {*self.rows, *self.singles, *read}
            self._known[key] = self._results(written, names, self.counts)
        return self._known[key]

    def _all(self) -> list[tuple[str, np.ndarray]]:
        """All that calls may fill."""
        return [*self.rows.items(), *self.singles.items()]

    def refresh(self, names: Iterable[str]) -> Records:
        """What a call gives back that fills these outputs."""
        return self._results([x for x in self._all() if x[0] in names], names, self.counts)

    def fill(
        self, rows: Mapping[str, np.ndarray], counts: np.ndarray | None, read: Iterable[str] = ()
    ) -> Records:
        """What a call gives back that fills rows of these fields, which hold so much; the fields in
        `read` have readers too."""
        return self._results(rows.items(), {*rows, *read}, counts)

    def counts_of(self, names: Iterable[str]) -> np.ndarray | None:
        """For the contacts and rows that `fill` finds, if there is a field that has some."""
        return self._no_counts() if any(DATA_FIELDS[n].capacity for n in names) else None

    def filled(self, counts: np.ndarray | None) -> None:
        """Some outputs may hold this many contacts and rows now."""
        if counts is not None:
            held = counts if self.counts is None else self.counts
            self.counts = np.maximum(held, counts, out=held)
            self._known.clear()

    def _no_counts(self) -> np.ndarray:
        return aligned((self.nsim, 2), np.int32)

    def _results(
        self, rows: Iterable[tuple[str, np.ndarray]], read: Iterable[str],
        counts: np.ndarray | None,
    ) -> Records:  # fmt: skip
        outputs = Records.of(OUTPUT, [self._output(n, x) for n, x in rows if x.size])
        partial = {n for n in read if stages.has(DATA_FIELDS[n].stage, "partial")}
        zeros = Records.of(ZERO, [
            {"field": PLACE[n], "count": int(np.prod(DATA_FIELDS[n].shape(self.sizes)))}
            for n in sorted(partial.union(self._used))
        ])  # fmt: skip
        results = Records(RESULTS)
        results.set(
            noutput=len(outputs), outputs=outputs, nzero=len(zeros), zeros=zeros, counts=counts
        )
        return results

    def _output(self, name: str, rows: np.ndarray) -> dict[str, Any]:
        count = rows.size // self.nsim
        counted = _COUNTED.get(DATA_FIELDS[name].capacity, 0)
        return {
            "rows": rows, "stride": count * rows.itemsize, "count": count,
            "field": PLACE[name], "kind": KINDS[rows.dtype], "counted": counted,
            "each": count // rows.shape[1] if counted else 0,
            "mixed": is_mixed(name) and rows.dtype == np.float64,
        }  # fmt: skip

    # --------------------------------------------------------------------------------------- levels

    def wants(self, recorded: Iterable[str] = ()) -> frozenset[str]:
        """The flags that tell kernels what is read."""
        return stages.wants((*self.rows, *self.singles, *recorded))

    def of_state(self) -> list[str]:
        """The outputs that follow from the state alone."""
        names = dict.fromkeys([*self.rows, *self.singles])
        return [n for n in names if n not in STATE_FIELDS and level_of(n) <= STAGE_ACC]


def level_of(name: str) -> int:
    """The level of a call that computes all of a field; beyond STAGE_ACC no state alone does."""
    field = DATA_FIELDS[name]
    level = stages.whole_level(field.stage)
    # the discrete integrator makes rows, and what contacts have of them, with the accelerations
    return max(level, STAGE_ACC) if field.capacity else level


def is_mixed(name: str) -> bool:
    """Whether a call may write a part of a field, and finds the rest of it in its rows."""
    return DATA_FIELDS[name].stage == "sensor"


def count_of(name: str) -> tuple[str, ...]:
    """The field that says how much of a field is filled, if there is one."""
    counted = _COUNTED.get(DATA_FIELDS[name].capacity, 0)
    return _COUNTS.get(counted, ())
