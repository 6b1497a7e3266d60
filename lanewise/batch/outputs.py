"""The outputs of a Batch: fields of all worlds that somebody reads, as rows.

An output exists from the first time that somebody asks for it. A call copies out those that it
computes, which the table of stages says (engine/stages.py): `results` describes them to a call, and
`wants` says which fields kernels compute only because they are read.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..data import PLACE
from ..engine import stages
from ..engine.calls.gang import OUTPUT, PER_CONTACT, PER_ROW, RESULTS, ZERO
from ..fields import DATA_FIELDS, Field
from ..lanes.records import Records
from ..mjconst import STAGE_ACC, STAGE_NONE
from .aligned import aligned

# fields that are as long as a world's contacts or rows, by what bounds them
_COUNTED = {"nconmax": PER_CONTACT, "njmax": PER_ROW, "nJmax": PER_ROW}


class Outputs:
    """{name: rows} of the fields that are in use; `sizes` are those of a workspace."""

    def __init__(self, nsim: int, sizes: dict[str, int]):
        self.nsim, self.sizes = nsim, sizes
        self.rows: dict[str, np.ndarray] = {}
        self.level = STAGE_NONE  # of a call that computes all that follow from the state alone
        self._known: dict[int, Records] = {}  # results by level
        # contacts and rows that outputs hold of every world; what was beyond is zero
        self.counts: np.ndarray | None = None

    def restore(self, rows: Mapping[str, np.ndarray], counts: np.ndarray | None) -> None:
        """Hold what another holds."""
        for name, values in rows.items():
            own = self.new_rows(name)
            own[...] = values
            self.add(name, own)
        if counts is not None:
            self.counts = self._no_counts()
            self.counts[...] = counts

    def add(self, name: str, rows: np.ndarray) -> None:
        """From now on, calls copy out a field into these rows."""
        self.rows[name] = rows
        if DATA_FIELDS[name].capacity and self.counts is None:
            self.counts = self._no_counts()
        if level_of(name) <= STAGE_ACC:
            self.level = max(self.level, level_of(name))
        self._known.clear()

    def view(self, name: str) -> np.ndarray:
        """The rows of a field, to be read."""
        view = self.rows[name][:]
        view.flags.writeable = False
        return view

    def new_rows(self, name: str) -> np.ndarray:
        field = DATA_FIELDS[name]
        dtype = np.float64 if field.dtype == "float" else np.int32
        return aligned((self.nsim, *self.shape(field)), dtype)

    def shape(self, field: Field) -> tuple[int, ...]:
        """The shape of a field in one world; efc_J is a matrix, with a row for each constraint."""
        if field.capacity == "nJmax":
            nv = self.sizes["nv"]
            return self.sizes["nJmax"] // max(nv, 1), nv
        return field.shape(self.sizes)

    # ------------------------------------------------------------------------------------ for calls

    def results(self, level: int) -> Records:
        """What a call of this level gives back."""
        if level not in self._known:
            self._known[level] = self.results_with(level, ())
        return self._known[level]

    def results_with(self, level: int, read: Iterable[str]) -> Records:
        """The same, of a call that has other readers too: of the fields in `read`."""
        written = {
            name: rows
            for name, rows in self.rows.items()
            if stages.is_written(DATA_FIELDS[name].stage, level)
        }
        return self._results(written, {*self.rows, *read}, self.counts)

    def refresh(self, names: Iterable[str]) -> Records:
        """What a call gives back that fills these outputs."""
        return self._results({n: self.rows[n] for n in names}, names, self.counts)

    def fill(self, rows: Mapping[str, np.ndarray]) -> tuple[Records, np.ndarray | None]:
        """What a call gives back that fills rows of zeros of these fields; and the contacts and
        rows that it finds, for `filled`."""
        counts = self._no_counts() if any(DATA_FIELDS[n].capacity for n in rows) else None
        return self._results(rows, rows, counts), counts

    def filled(self, counts: np.ndarray | None) -> None:
        """Some outputs may hold this many contacts and rows now."""
        if counts is not None:
            held = counts if self.counts is None else self.counts
            self.counts = np.maximum(held, counts, out=held)
            self._known.clear()

    def _no_counts(self) -> np.ndarray:
        return aligned((self.nsim, 2), np.int32)

    def _results(
        self, rows: Mapping[str, np.ndarray], read: Iterable[str], counts: np.ndarray | None
    ) -> Records:
        outputs = Records.of(OUTPUT, [self._output(n, x) for n, x in rows.items() if x.size])
        partial = [n for n in read if stages.has(DATA_FIELDS[n].stage, "partial")]
        zeros = Records.of(ZERO, [
            {"field": PLACE[n], "count": int(np.prod(DATA_FIELDS[n].shape(self.sizes)))}
            for n in partial
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
            "field": PLACE[name], "whole": rows.dtype == np.int32, "counted": counted,
            "each": count // rows.shape[1] if counted else 0,
        }  # fmt: skip

    # --------------------------------------------------------------------------------------- levels

    def wants(self, recorded: Iterable[str] = ()) -> frozenset[str]:
        """The flags that tell kernels what is read."""
        return stages.wants((*self.rows, *recorded))

    def of_state(self) -> list[str]:
        """The outputs that follow from the state alone."""
        return [name for name in self.rows if level_of(name) <= STAGE_ACC]


def level_of(name: str) -> int:
    """The level of a call that computes all of a field; beyond STAGE_ACC no state alone does."""
    field = DATA_FIELDS[name]
    level = stages.whole_level(field.stage)
    # the discrete integrator makes rows, and what contacts have of them, with the accelerations
    return max(level, STAGE_ACC) if field.capacity else level


def count_of(name: str) -> tuple[str, ...]:
    """The field that says how much of a field is filled, if there is one."""
    counted = _COUNTED.get(DATA_FIELDS[name].capacity, 0)
    return {PER_CONTACT: ("ncon",), PER_ROW: ("nefc",)}.get(counted, ())
