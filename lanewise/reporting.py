"""All that a Data or Batch says of itself, in one table.

A report is a snapshot: it is taken once, changes nothing, and can be read as text or as a dict. Of
a Batch, what follows from the state is computed for the state that each world has now, as the first
read of an output does.
"""

import copy
from typing import Any

import numpy as np

from .batch.batch import Batch
from .columns import table
from .data import Data
from .mjconst import (
    ENBL_ENERGY,
    ENBL_FWDINV,
    NSOLVER,
    TIMER_FORWARD,
    TIMER_INVERSE,
    TIMER_STEP,
    TIMERSTRING,
)
from .notices import KINDS
from .portraits import CONES, INTEGRATORS, SOLVERS

_SIZES = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "ntendon", "neq", "nsensor")
# what is looked at in every world
_FIELDS = ("ncon", "nefc", "energy", "nisland", "solver_niter", "solver.improvement")
_SLOWEST = 5  # worlds that are named


def report(of: Any) -> "Report":
    """What there is to know of a Data or Batch: print it, or take its `to_dict()`.

    Sizes, time, energy, contacts and constraint rows (now, the most since the last reset, and the
    room for them), iterations of the solver and what the last one gained, the difference of forward
    and inverse dynamics, warnings by kind, resets, timers with the average of a call and its share,
    and memory. Of several worlds it has the least, the mean and the most, and which worlds took the
    most iterations.
    """
    if isinstance(of, Data):
        return Report(_facts_of_data(of))
    if isinstance(of, Batch):
        return Report(_facts_of_batch(of))
    raise TypeError(f"report takes a lanewise.Data or lanewise.Batch, got {type(of).__name__}")


class Report:
    """What `lanewise.report` found: text by print() or str(), numbers by to_dict()."""

    def __init__(self, facts: dict[str, Any]):
        self._facts = facts

    def to_dict(self) -> dict[str, Any]:
        """The numbers, in dicts, lists, ints, floats and strings. SI units; bytes.

        What differs between worlds is {"min", "mean", "max"}. None: energy and fwdinv where the
        model does not enable them.
        """
        return copy.deepcopy(self._facts)

    def __str__(self) -> str:
        parts = (_head, _worlds, _events, _timers, _memory)
        return "\n\n".join(text for part in parts if (text := part(self._facts)))

    __repr__ = __str__


# ------------------------------------------------------------------------------------------- facts


def _facts_of_data(d: Data) -> dict[str, Any]:
    values = {name: _by_world(getattr(d, name), d.lanes) for name in (*_FIELDS, "time", "resets")}
    values["warning"] = _by_world(d.warning.number, d.lanes)
    values |= {name: _by_world(getattr(d, name), d.lanes) for name in ("maxuse_con", "maxuse_efc")}
    flags = int(d.model.opt.enableflags)
    fwdinv = _by_world(d.solver_fwdinv, d.lanes) if flags & ENBL_FWDINV else None
    facts = {"kind": "Data", "worlds": d.lanes, "threads": 1}
    return facts | _facts(d, d.model, values, bool(flags & ENBL_ENERGY), fwdinv)


def _facts_of_batch(b: Batch) -> dict[str, Any]:
    runner = b._runner
    values = runner.fill(_FIELDS)
    values |= {"time": b.time, "resets": b.resets, "warning": b.warning[..., 1]}
    values |= {"maxuse_con": b.maxuse_con, "maxuse_efc": b.maxuse_efc}
    own = runner.variation.rows("opt.enableflags")
    flags = b._model.opt.enableflags if own is None else np.bitwise_or.reduce(own)
    fwdinv = runner.fill(["solver_fwdinv"])["solver_fwdinv"] if flags & ENBL_FWDINV else None
    facts = {"kind": "Batch", "worlds": b.nsim, "threads": b.nthread}
    return facts | _facts(b, b._model, values, bool(flags & ENBL_ENERGY), fwdinv)


def _by_world(values: Any, lanes: int) -> np.ndarray:
    """With an axis of worlds in front, also of one."""
    return np.asarray(values)[None] if lanes == 1 else np.asarray(values)


def _facts(
    of: Any, model: Any, values: dict[str, np.ndarray], energy: bool, fwdinv: np.ndarray | None
) -> dict[str, Any]:
    """What a Data and a Batch have in common; values have an axis of worlds in front."""
    niter = values["solver_niter"].sum(axis=1)
    opt = model.opt
    return {
        "sizes": {name: int(getattr(model, name)) for name in _SIZES},
        "options": {
            "timestep": float(opt.timestep), "integrator": INTEGRATORS[int(opt.integrator)],
            "solver": SOLVERS[int(opt.solver)], "cone": CONES[int(opt.cone)],
        },
        "time": _spread(values["time"]),
        "energy": {
            "potential": _spread(values["energy"][:, 0]),
            "kinetic": _spread(values["energy"][:, 1]),
        } if energy else None,
        "contacts": {
            "now": _spread(values["ncon"]), "most": _spread(values["maxuse_con"]),
            "room": of.nconmax,
        },
        "rows": {
            "now": _spread(values["nefc"]), "most": _spread(values["maxuse_efc"]),
            "room": of.njmax,
        },
        "solver": {
            "islands": _spread(values["nisland"]), "iterations": _spread(niter),
            "improvement": _spread(_last_improvement(values)),
        },
        "fwdinv": None if fwdinv is None else {
            "constraint": _spread(fwdinv[:, 0]), "applied": _spread(fwdinv[:, 1]),
        },
        "warnings": {
            name: _counted(values["warning"][:, kind]) for kind, name in KINDS.items()
            if values["warning"][:, kind].any()
        },
        "resets": _counted(values["resets"]),
        "slowest": [
            {
                "world": int(i), "iterations": int(niter[i]), "contacts": int(values["ncon"][i]),
                "rows": int(values["nefc"][i]),
            }
            for i in np.argsort(-niter, kind="stable")[:_SLOWEST] if len(niter) > 1 and niter[i]
        ],
        "timers": _timed(of.timer),
        "memory": {**of.memory(), "total": of.nbytes},
    }  # fmt: skip


def _spread(x: np.ndarray) -> dict[str, float]:
    x = np.asarray(x)
    kind = int if x.dtype.kind in "iu" else float
    return {"min": kind(x.min()), "mean": float(x.mean()), "max": kind(x.max())}


def _counted(x: np.ndarray) -> dict[str, int]:
    return {"number": int(x.sum()), "worlds": int((x > 0).sum())}


def _last_improvement(values: dict[str, np.ndarray]) -> np.ndarray:
    """What the last iteration gained, of the island where that was most."""
    improvement = values["solver.improvement"]
    improvement = improvement.reshape(len(improvement), -1, NSOLVER)
    n = values["solver_niter"][:, : improvement.shape[1]]
    last = np.clip(n, 1, NSOLVER)[..., None] - 1
    gained = np.take_along_axis(improvement, last.astype(np.intp), axis=2)[..., 0]
    return np.where(n > 0, gained, 0.0).max(axis=1)


def _timed(timers: Any) -> dict[str, dict[str, float]]:
    """The timers that ran; their share is that of the step, or else of what ran as a whole."""
    seconds, number = timers.duration, timers.number
    whole = next((seconds[k] for k in (TIMER_STEP, TIMER_FORWARD, TIMER_INVERSE) if number[k]), 0.0)
    return {
        name: {
            "seconds": float(seconds[k]), "number": int(number[k]),
            "each": float(seconds[k] / number[k]),
            "share": float(seconds[k] / whole) if whole else 0.0,
        }
        for k, name in enumerate(TIMERSTRING) if number[k]
    }  # fmt: skip


# -------------------------------------------------------------------------------------------- text


def _head(facts: dict[str, Any]) -> str:
    several = facts["worlds"] > 1
    where = f" on {_many(facts['threads'], 'thread')}" if facts["kind"] == "Batch" else ""
    sizes = ", ".join(f"{name} {n}" for name, n in facts["sizes"].items() if n)
    options = facts["options"]
    return (
        f"{facts['kind']} of {facts['worlds']} world{'s' if several else ''}{where}\n{sizes}\n"
        f"{options['integrator']}, time step {options['timestep']:g} s, {options['solver']},"
        f" {options['cone']} cones"
    )


def _many(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _worlds(facts: dict[str, Any]) -> str:
    """A line for each number that worlds have."""
    lines: list[tuple[str, dict[str, float], Any]] = [("time [s]", facts["time"], "")]
    for what, energy in (facts["energy"] or {}).items():
        lines.append((f"{what} energy [J]", energy, ""))
    for what in ("contacts", "rows"):
        of = facts[what]
        lines.append((what if what == "contacts" else "constraint rows", of["now"], of["room"]))
        lines.append(("  most since reset", of["most"], of["room"]))
    for what, label in (
        ("islands", "islands"), ("iterations", "solver iterations"),
        ("improvement", "  improvement in the last"),
    ):  # fmt: skip
        lines.append((label, facts["solver"][what], ""))
    for what, difference in (facts["fwdinv"] or {}).items():
        lines.append((f"fwdinv, {what} force", difference, ""))
    if facts["worlds"] == 1:
        rows = [(name, _number(x["max"]), room) for name, x, room in lines]
        return table(rows, ("", "value", "room"))
    rows = [(name, *(_number(x[k]) for k in _SPREAD), room) for name, x, room in lines]
    return table(rows, ("", *_SPREAD, "room"))


_SPREAD = ("min", "mean", "max")


def _number(x: float) -> str:
    return str(x) if isinstance(x, int) else f"{x:.4g}"


def _events(facts: dict[str, Any]) -> str:
    """Warnings, resets, and which worlds took the most iterations."""
    several = facts["worlds"] > 1

    def counted(what: str, x: dict[str, int]) -> str:
        return f"{what} {x['number']}" + (f" in {_many(x['worlds'], 'world')}" if several else "")

    found = [counted(name, x) for name, x in facts["warnings"].items()]
    lines = [f"warnings: {', '.join(found) or 'none'}"]
    if facts["resets"]["number"]:
        lines.append(counted("resets:", facts["resets"]))
    if facts["slowest"]:
        named = (f"world {x['world']} ({x['iterations']})" for x in facts["slowest"])
        lines.append(f"most iterations: {', '.join(named)}")
    return "\n".join(lines)


def _timers(facts: dict[str, Any]) -> str:
    if not facts["timers"]:
        return "timers: none, `timing` is off"
    ran = [(line, facts["timers"].get(line.strip())) for line in _TREE.splitlines()]
    rows = [
        (
            line, f"{x['seconds']:.6f}", x["number"], f"{1e6 * x['each']:.3f}",
            f"{100 * x['share']:.1f} %",
        )
        for line, x in ran if x
    ]  # fmt: skip
    return table(rows, ("timer", "seconds", "number", "us each", "share"))


# timers, below those that they are a part of
_TREE = """step
  forward
    position
      pos_kinematics
      pos_inertia
      pos_collision
        col_broadphase
        col_narrowphase
      pos_make
      pos_project
    velocity
    actuation
    constraint
  advance
inverse"""


def _memory(facts: dict[str, Any]) -> str:
    rows = [(what, f"{n:,}") for what, n in facts["memory"].items() if n]
    return table(rows, ("memory", "bytes"))
