"""What a soak checks of a model, as cases that a file can hold and repeat.

A `Case` is a compiled model, some arrays, some settings and the name of a check: a function of
these and of nothing else, that says what is wrong, or nothing. A case is written before it is run,
so a crash leaves its cause behind, and what a file has is what was run: numbers, not seeds.

The checks:

    alone     worlds in a batch and each of them alone have the same bits
    threads   so have one thread and two, one call and several
    poison    so have the neighbours of a world full of NaN, and those of a sound one
    reported  a world that is not finite after some calls was reset and counted
    mujoco    one step from the same state, against MuJoCo
    calls     public calls in any order have the same bits on one thread and two
    data      and those on a Data the same for a world alone and among others

Files are NumPy archives without pickles: nothing in them is executed.
"""

import copy
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import lanewise as lw
from lanewise.loaders.transfer_constraint import dense_jacobian
from lanewise.mjconst import (
    WARN_BADQACC,
    WARN_BADQPOS,
    WARN_BADQVEL,
    WARN_CNSTRFULL,
    WARN_CONTACTFULL,
    WARN_INERTIA,
)
from support import parity, soak_calls
from support import parity_contacts as touch

RESETTING = (WARN_BADQPOS, WARN_BADQVEL, WARN_BADQACC)  # a world is reset when one of them rises
ROOM = [WARN_CONTACTFULL, WARN_CNSTRFULL]
OUTPUTS = ("qacc", "qfrc_constraint", "ncon")
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


@dataclass
class Case:
    """A check of a model, with all that it needs."""

    check: str
    model: bytes  # as MJB
    label: str = ""  # where the model is from
    settings: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    def run(self) -> str:
        """What is wrong, or ''."""
        return CHECKS[self.check](from_bytes(self.model), self.settings, self.arrays)

    def save(self, path: Path) -> None:
        about = {"check": self.check, "label": self.label, "settings": self.settings}
        parts = {f"array_{name}": values for name, values in self.arrays.items()}
        with open(path, "wb") as file:
            np.savez(
                file,
                about=np.frombuffer(json.dumps(about).encode(), np.uint8),
                model=np.frombuffer(self.model, np.uint8),
                **parts,
            )

    @classmethod
    def load(cls, path: Path) -> "Case":
        with np.load(path, allow_pickle=False) as parts:
            about = json.loads(parts["about"].tobytes())
            names = [name for name in parts.files if name.startswith("array_")]
            arrays = {name.removeprefix("array_"): parts[name] for name in names}
            return cls(model=parts["model"].tobytes(), arrays=arrays, **about)


def to_bytes(mj_model: mujoco.MjModel) -> bytes:
    buffer = np.zeros(mujoco.mj_sizeModel(mj_model), np.uint8)
    mujoco.mj_saveModel(mj_model, None, buffer)
    return buffer.tobytes()


def from_bytes(model: bytes) -> mujoco.MjModel:
    with tempfile.NamedTemporaryFile(suffix=".mjb") as file:
        file.write(model)
        file.flush()
        return mujoco.MjModel.from_binary_path(file.name)


# ---- bits


def unequal(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """The worlds, by the first axis, in which some bit differs; NaN equals any NaN."""
    a, b = _one_nan(actual), _one_nan(expected)
    n = len(a)
    return np.flatnonzero((a.reshape(n, -1).view("u1") != b.reshape(n, -1).view("u1")).any(axis=1))


def _one_nan(array: np.ndarray) -> np.ndarray:
    """A copy in which all NaN are the same: their sign depends on the instruction."""
    array = np.array(array, order="C")
    if array.dtype.kind == "f":
        array[np.isnan(array)] = np.nan
    return array


def batch(mj_model, rows: np.ndarray, nthread: int = 1) -> lw.Batch:
    b = lw.Batch(mj_model, len(rows), nthread)
    b.state[...] = rows
    return b


def alone(mj_model, settings, arrays) -> str:
    rows, nstep = arrays["rows"], settings["nstep"]
    b = batch(mj_model, rows)
    b.step(nstep=nstep)
    m = lw.load(mj_model)
    for k, row in enumerate(rows):
        d = lw.Data(m)
        lw.set_state(m, d, row)
        lw.step(m, d, nstep)
        found = lw.get_state(m, d)
        if len(unequal(found[None], b.state[k][None])):
            names = ", ".join(_where(m, b.state[k], found))
            return f"{names} of world {k} have other bits alone than in a batch of {len(rows)}"
    return ""


def _where(m, one: np.ndarray, other: np.ndarray) -> list[str]:
    """The state fields in which two rows differ."""
    return [name for name, at in m.state_slices.items() if one[at].tobytes() != other[at].tobytes()]


def threads(mj_model, settings, arrays) -> str:
    rows, nstep = arrays["rows"], settings["nstep"]
    one, two = batch(mj_model, rows, 1), batch(mj_model, rows, 2)
    outputs = {name: (one.bind(name), two.bind(name)) for name in OUTPUTS}
    outputs["state"] = (one.state, two.state)
    outputs["warning"] = (one.warning, two.warning)
    one.step(nstep=nstep)
    two.step(nstep=max(1, nstep // 3))
    if nstep > max(1, nstep // 3):
        two.step(nstep=nstep - max(1, nstep // 3))
    for name, (a, b) in outputs.items():
        worlds = unequal(a, b)
        if len(worlds):
            return f"{name} of worlds {worlds[:8].tolist()} depends on the number of threads"
    return ""


def poison(mj_model, settings, arrays) -> str:
    """`sick` has the rows of all worlds, some of them spoiled; `rows` has them sound."""
    rows, sick, nstep = arrays["rows"], arrays["sick"], settings["nstep"]
    spoiled = unequal(rows, sick)
    one, other = batch(mj_model, rows), batch(mj_model, sick)
    for b in (one, other):
        b.step(nstep=nstep)
    worlds = np.setdiff1d(unequal(one.state, other.state), spoiled)
    if len(worlds):
        return f"worlds {worlds[:8].tolist()} feel that {spoiled.tolist()} are spoiled"
    return _unreported(other)


def _unreported(b: lw.Batch) -> str:
    """A world that is not finite and has no counter that says so, at the latest a step later."""
    b.step()
    lost = ~(np.isfinite(b.qpos).all(axis=1) & np.isfinite(b.qvel).all(axis=1))
    lost &= b.warning[:, :, 1].sum(axis=1) == 0
    if lost.any():
        return f"worlds {np.flatnonzero(lost)[:8].tolist()} are not finite, and nothing says so"
    return ""


def reported(mj_model, settings, arrays) -> str:
    b = batch(mj_model, arrays["rows"])
    b.step(nstep=settings["nstep"])
    return _unreported(b)


# ---- MuJoCo


def one_step(mj_model, settings, arrays) -> str:
    """From each row, with the solver's tolerances tight: as far apart as MuJoCo's round-off."""
    mj_model = touch.tighten(copy.copy(mj_model))
    parity.settle_round_off(mj_model)
    # docs/constraints.md: the native method is in the place of the other
    mj_model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    worlds = []
    for row in arrays["rows"]:
        mj_data = mujoco.MjData(mj_model)
        mujoco.mj_setState(mj_model, mj_data, row, STATE)
        worlds.append(mj_data)
    m = lw.load(mj_model)
    for k, mj_data in enumerate(worlds):
        try:
            text = _step_of_world(mj_model, m, mj_data)
        except mujoco.FatalError:  # MuJoCo gives up on some states, such as boxes 1e300 away
            continue
        if text:
            return f"world {k}: {text}"
    return ""


def _step_of_world(mj_model, m, mj_data) -> str:
    d = lw.put_data(m, mj_data)
    lw.step(m, d)
    reference = copy.copy(mj_data)
    mujoco.mj_step(mj_model, reference)
    theirs = np.array([w.number for w in reference.warning])
    ours = d.warning.number
    theirs[WARN_INERTIA] = ours[WARN_INERTIA]  # a pivot may be tiny by round-off
    if ours[ROOM].any() or theirs[ROOM].any():
        return ""  # no room for all contacts, and said
    resets = not mj_model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_AUTORESET
    if theirs[[*RESETTING]].any() and not resets:
        return ""  # from numbers without meaning to others
    if (ours != theirs).any() and not _at_the_edge(mj_model, mj_data):
        return f"warnings {ours.tolist()}, MuJoCo's {theirs.tolist()}"
    if theirs[[*RESETTING]].any():
        mj_data = mujoco.MjData(mj_model)  # where the step really began
    parts = (reference.qpos, reference.qvel, reference.act, reference.qacc)
    if not all(np.all(np.abs(part) < 1e6) for part in parts):  # also where one is NaN
        return ""
    lines = []
    limit = touch.TOLERANCE_SOLVED if reference.nefc else parity.TOLERANCE
    if reference.nefc and mj_model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
        limit = 1e-5  # along soft directions of its metric, where the cost does not change any more
    if mj_model.opt.noslip_iterations and mj_model.opt.solver == touch.SOLVERS["CG"]:
        limit = 1e-4  # noslip goes on from where conjugate gradients happen to be
    eased = parity.easing(mj_model, reference)
    allowed = None
    for name in ("qpos", "qvel", "act", "qacc", "time"):
        actual, expected = np.asarray(getattr(d, name)), np.asarray(getattr(reference, name))
        value = touch.relative(actual, expected)
        if np.array_equal(actual, expected, equal_nan=True) or value <= limit * eased.get(
            name, 1.0
        ):
            continue
        allowed = allowed or touch.step_sensitivity(mj_model, mj_data, number=20)
        bound = max(limit * eased.get(name, 1.0), 100 * allowed.get(name, allowed["qacc"]))
        if not value <= bound:
            lines.append(f"{name} {value:.2g}, allowed {bound:.2g}")
    if not lines or _in_the_noise(m, reference) or _equivalent(mj_model, m, mj_data):
        return ""
    return "a step differs from MuJoCo's: " + "; ".join(lines)


def _in_the_noise(m, mj_data) -> bool:
    """Whether a row that hardly any dof can move spoils the rest: its weight is 1e14 or more.

    That is so for what is not solved exactly; and for every solver where the Jacobian of the row is
    nothing but round-off, 1e-17: the weight makes a force of it.
    """
    stiff = mj_data.efc_D > 1e12
    inexact = m.opt.solver != touch.SOLVERS["Newton"] or m.opt.noslip_iterations
    if inexact or not stiff.any():
        return bool(stiff.any())
    return bool((np.abs(dense_jacobian(m, mj_data))[stiff].max(axis=1) < 1e-14).any())


def _at_the_edge(mj_model, mj_data) -> bool:
    """Whether MuJoCo's own counters change by a nudge: a number is near the largest allowed."""
    counts = set()
    rng = np.random.default_rng(0)
    for size in (0.0, 1e-12, 1e-12, 1e-9, 1e-9):
        other = copy.copy(mj_data)
        other.qvel[:] *= 1 + size * rng.normal(size=mj_model.nv)
        mujoco.mj_step(mj_model, other)
        counts.add(tuple(w.number for w in other.warning))
    return len(counts) > 1


def _equivalent(mj_model, m, mj_data) -> bool:
    """Whether contacts have several right answers here, or the solution is as good as MuJoCo's."""
    _, references = touch.prepare(mj_model, [mj_data])
    if not references[0].nefc:
        return False
    contacts, solution = touch.compare_forward(mj_model, None, (m, references))[0]
    if contacts.lines:
        return False
    return bool(contacts.count["equivalent"]) or solution.passes()


# ---- calls


def _replayed(play: Callable[..., list[str]], one: Any, other: Any, calls: list) -> str:
    first, second = play(one, calls), play(other, calls)
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        if a.startswith("unexpected") or a != b:
            return f"call {k}, {json.dumps(calls[k])}: {a} and {b}"
    return ""


def calls(mj_model, settings, arrays) -> str:
    worlds = (batch(mj_model, arrays["rows"], nthread) for nthread in (1, 2))
    return _replayed(soak_calls.on_batch, *worlds, settings["calls"])


def data(mj_model, settings, arrays) -> str:
    m, rows = lw.load(mj_model), arrays["rows"]
    one, among = lw.Data(m), lw.Data(m, lanes=min(8, max(2, len(rows))))
    lw.set_state(m, one, rows[0])
    lw.set_state(m, among, np.resize(rows, (among.lanes, rows.shape[1])))
    return _replayed(soak_calls.on_data, one, among, settings["calls"])


CHECKS: dict[str, Callable[[Any, dict, dict], str]] = {
    "alone": alone,
    "threads": threads,
    "poison": poison,
    "reported": reported,
    "mujoco": one_step,
    "calls": calls,
    "data": data,
}
