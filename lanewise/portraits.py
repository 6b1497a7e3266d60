"""What Model, Data and Batch say of themselves: a line for `repr`, a small table for notebooks.

Nothing is computed and nothing is bound: only what is there already is looked at. And nothing is
raised, since debuggers show objects that are not whole yet.
"""

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import numpy as np

from .mjconst import (
    CONE_ELLIPTIC,
    CONE_PYRAMIDAL,
    ENBL_ENERGY,
    INT_DISCRETE,
    INT_EULER,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
    INT_RK4,
    SOL_CG,
    SOL_NEWTON,
    SOL_PGS,
)

# as MJCF spells them
INTEGRATORS = {
    INT_EULER: "Euler", INT_RK4: "RK4", INT_IMPLICIT: "implicit",
    INT_IMPLICITFAST: "implicitfast", INT_DISCRETE: "discrete",
}  # fmt: skip
SOLVERS = {SOL_PGS: "PGS", SOL_CG: "CG", SOL_NEWTON: "Newton"}
CONES = {CONE_PYRAMIDAL: "pyramidal", CONE_ELLIPTIC: "elliptic"}

_COUNTS = {
    "nbody": ("body", "bodies"), "njnt": ("joint", "joints"), "ngeom": ("geom", "geoms"),
    "nsite": ("site", "sites"), "ntendon": ("tendon", "tendons"), "nu": ("actuator", "actuators"),
    "nsensor": ("sensor", "sensors"), "neq": ("equality", "equalities"),
    "ncam": ("camera", "cameras"),
}  # fmt: skip
_LONGEST = 40  # characters of a name
_MOST = 8  # names in a list

Rows = list[tuple[str, str]]


def shown(of: Any, line: Callable[[Any], str]) -> str:
    """`line` of an object, or less if it is not whole."""
    kind = type(of).__name__
    try:
        return f"<lanewise.{kind} {line(of)}>"
    except Exception:
        return f"<lanewise.{kind} that is not whole>"


def table(of: Any, rows: Callable[[Any], Rows]) -> str:
    """The same as HTML: what `rows` has of an object, line by line."""
    kind = type(of).__name__
    try:
        found = rows(of)
    except Exception:
        found = [("", "not whole")]
    left, right = ("padding:1px 12px 1px 0;text-align:left", "padding:1px 0;text-align:left")
    lines = "".join(
        f'<tr><th style="{left};font-weight:normal;opacity:.7">{escape(what)}</th>'
        f'<td style="{right}">{escape(value)}</td></tr>'
        for what, value in found
    )
    return f"<div><b>lanewise.{escape(kind)}</b><table>{lines}</table></div>"


# ------------------------------------------------------------------------------------------- models


def model_line(m: Any) -> str:
    """Its name, sizes, time step and integrator."""
    return (
        f"{_name(m)} nq={m.nq} nv={m.nv} nu={m.nu} nbody={m.nbody},"
        f" {_timestep(m)} {_of(INTEGRATORS, m.opt.integrator)}"
    )


def model_rows(m: Any) -> Rows:
    """The same with counts of all that is in it, options and keyframes."""
    counts = [(int(getattr(m, name)), what) for name, what in _COUNTS.items()]
    rows = [
        ("name", _name(m)),
        ("coordinates", f"{m.nq} positions, {m.nv} degrees of freedom, {m.na} activations"),
        ("has", ", ".join(f"{n} {what[n != 1]}" for n, what in counts if n)),
        ("time step", f"{_timestep(m)}, {_of(INTEGRATORS, m.opt.integrator)}"),
        ("solver", f"{_of(SOLVERS, m.opt.solver)}, {_of(CONES, m.opt.cone)} cones"),
    ]
    if m.nkey:
        rows.append(("keyframes", _listed(m.keyframe(k).name or str(k) for k in range(m.nkey))))
    if m.user is not None:
        rows.append(("code of yours", _listed(m.parameters) or "without parameters"))
    return rows


def _name(m: Any) -> str:
    """The model's name in quotes, as MJCF has it; it may be empty, or not even be UTF-8."""
    text = bytes(m.mj.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    return repr(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...")


def _timestep(m: Any) -> str:
    return f"{1e3 * float(m.opt.timestep):.6g} ms"


def _of(names: dict[int, str], value: Any) -> str:
    return names.get(int(value), str(value))


# ------------------------------------------------------------------------------------------- worlds


def data_line(d: Any) -> str:
    """Worlds, time, contacts, and what went wrong."""
    found = [f"time {_range(d.view('time'), ' s')}", _range(_contacts(d), " contacts")]
    found += _trouble(d.view("warning.number"), d.arrays["resets"][: d.lanes])
    return f"of {_name(d.model)}, {_worlds(d.lanes)}: {', '.join(found)}"


def data_rows(d: Any) -> Rows:
    """The same with constraint rows and energy, and the room that there is."""
    rows = [
        ("model", _name(d.model)),
        ("worlds", str(d.lanes)),
        ("time", _range(d.view("time"), " s")),
        ("contacts", f"{_range(_contacts(d))}, room for {d.nconmax}"),
        ("constraint rows", f"{_range(d.arrays['nefc'][: d.lanes])}, room for {d.njmax}"),
    ]
    if int(d.model.opt.enableflags) & ENBL_ENERGY:
        energy = np.atleast_2d(d.view("energy"))
        rows.append(("potential energy", _range(energy[:, 0], " J")))
        rows.append(("kinetic energy", _range(energy[:, 1], " J")))
    trouble = _trouble(d.view("warning.number"), d.arrays["resets"][: d.lanes])
    return [*rows, ("trouble", ", ".join(trouble))] if trouble else rows


def _contacts(d: Any) -> np.ndarray:
    return d.arrays["ncon"][: d.lanes]


def batch_line(b: Any) -> str:
    """Worlds, threads, time, the outputs that are bound, and what went wrong."""
    found = [f"time {_range(b.time, ' s')}"]
    if b.bound:
        found.append(f"bound {_listed(b.bound)}")
    found += _trouble(b.warning[..., 1], b.resets)
    where = f"{_worlds(b.nsim)} on {b.nthread} thread{'s' * (b.nthread != 1)}"
    return f"of {_name(b._model)}, {where}: {', '.join(found)}"


def batch_rows(b: Any) -> Rows:
    """The same with what the fullest world had of contacts and rows, and fields of one's own."""
    rows = [
        ("model", _name(b._model)),
        ("worlds", f"{b.nsim:,}"),
        ("threads", str(b.nthread)),
        ("time", _range(b.time, " s")),
        ("contacts", f"at most {int(b.maxuse_con.max())} since the last reset"),
        ("constraint rows", f"at most {int(b.maxuse_efc.max())} since the last reset"),
        ("bound", _listed(b.bound) or "no outputs"),
    ]
    if b._expanded:
        rows.append(("by world", _listed(b._expanded)))
    if b.fresh or b.persistent:
        kinds = (("fresh", b.fresh), ("persistent", b.persistent))
        rows.append(("outputs", ", ".join(name for name, on in kinds if on)))
    trouble = _trouble(b.warning[..., 1], b.resets)
    return [*rows, ("trouble", ", ".join(trouble))] if trouble else rows


def _worlds(n: int) -> str:
    return f"{n} world{'s' * (n != 1)}"


def _trouble(warnings: np.ndarray, resets: np.ndarray) -> list[str]:
    """What was counted, if anything was."""
    counted = (int(np.sum(warnings)), "warning"), (int(np.sum(resets)), "reset")
    return [f"{n} {what}{'s' * (n != 1)}" for n, what in counted if n]


def _range(values: Any, unit: str = "") -> str:
    """A number, or the least and the most of several; NaN is said."""
    values = np.ravel(values)
    low, high = f"{np.min(values):.6g}", f"{np.max(values):.6g}"
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def _listed(names: Iterable[Any]) -> str:
    """The first few, and how many more there are."""
    names = list(map(str, names))
    cut = [n if len(n) <= _LONGEST else f"{n[: _LONGEST - 3]}..." for n in names[:_MOST]]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(cut) + more
