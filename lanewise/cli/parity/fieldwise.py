"""Stages, constraint rows, the solver, sensors and steps: compared by the fields that they write.

MuJoCo computes everything from a state; its data go into the lanes; what a stage writes is
overwritten with NaN; the stage runs; every field is compared with MuJoCo's by name. A number that
the stage forgot to write shows as NaN.
"""

import copy
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import mujoco
import numpy as np

from ... import fields, public
from ...data import Data
from ...engine.stages import STAGES
from ...loaders import load, put_data
from ...mjconst import INT_DISCRETE
from .contact_lists import our_contacts
from .findings import Findings
from .yardstick import World, apart, written

SMOOTH, ROWS, SOLVED = 1e-10, 1e-9, 1e-6  # tolerances
LARGEST = 4e6  # numbers of a Jacobian that is compared as a dense matrix

# sections of the table of fields that more than one function, or one of another name, writes
CALLS = {
    "energy": ("energy_pos", "energy_vel"),
    "crb": ("crb", "tendon_armature"),
    "rne": ("rne", "tendon_bias"),
}
# the discrete integrator's metric is no part of MjData: stages pass it on among themselves
DISCRETE = {"fwd_acceleration": ("fwd_actuation", "fwd_acceleration")}
# compared as a dense matrix: which arms are exactly zero, and so left out, is round-off
SPARSE_MOMENT = ("moment_rownnz", "moment_rowadr", "moment_colind")
ROW_FIELDS = (
    "type", "id", "pos", "margin", "frictionloss", "diagA", "KBIP", "D", "R", "vel", "aref",
)  # fmt: skip
COUNTS = ("ne", "nf", "nl", "nefc")
ROW_SECTIONS = ("make_constraint", "reference_constraint", "fwd_constraint", "solver", "dual",
                "efc")  # fmt: skip
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")


def sections() -> dict[str, tuple[str, ...]]:
    """The fields of MjData that each stage writes, from the table of fields."""
    found = defaultdict(list)
    elsewhere = ("state", "sensor", "collision", "make_constraint", "efc", "inverse", "integrate",
                 "fwd_constraint", "compare_fwdinv")  # fmt: skip
    for f in fields.DATA:
        called = f.stage in CALLS or f.stage in STAGES
        if called and not f.own and f.stage not in elsewhere and f.name not in SPARSE_MOMENT:
            found[f.stage].append(f.name)
    return {stage: tuple(names) for stage, names in found.items()}


def call(name: str) -> Callable[..., None]:
    """A stage by its name."""
    return getattr(public, name)


def read(name: str) -> Callable[[mujoco.MjData], np.ndarray]:
    """Reads a field of an MjData."""
    if name == "actuator_moment":
        return _moment
    return lambda data: np.array(getattr(data, name))


def _moment(data: mujoco.MjData) -> np.ndarray:
    return _dense(
        len(data.qvel), data.actuator_moment, data.moment_rownnz, data.moment_rowadr,
        data.moment_colind,
    )  # fmt: skip


def _dense(nv: int, values, number, first, columns) -> np.ndarray:
    """A sparse matrix with all its zeros; NaN where its structure is."""
    dense = np.zeros((len(number), nv))
    for row, (n, begin) in enumerate(zip(number, first, strict=True)):
        if not np.isfinite(n + begin):
            return dense * np.nan
        span = slice(int(begin), int(begin + n))
        dense[row, np.asarray(columns[span], int)] = values[span]
    return dense


def ours(d: Data, name: str, lane: int) -> np.ndarray:
    """A field of one lane."""
    if name == "actuator_moment":
        parts = (name, *SPARSE_MOMENT)
        return _dense(d.model.nv, *(d.arrays[part][..., lane] for part in parts))
    return d.arrays[name][..., lane]


def compare_stages(found: Findings, mj: mujoco.MjModel, worlds: Sequence[World]) -> None:
    """Every stage alone, from MuJoCo's data."""
    m = load(mj)
    table = sections()
    names = [name for of in table.values() for name in of]
    masks = [written(mj, world, names) for world in worlds]
    for stage, of in table.items():
        d = put_data(m, [world.data for world in worlds])
        for name in of:
            d.arrays[name][...] = np.nan
        calls = CALLS.get(stage, (stage,))
        if mj.opt.integrator == INT_DISCRETE:
            calls = DISCRETE.get(stage, calls)
        for name in calls:
            call(name)(m, d)
        _note(found, "stages", stage, of, d, worlds, masks)


def _note(found: Findings, part: str, place: str, names, d: Data, worlds, masks) -> None:
    for name in names:
        get = read(name)
        for lane, world in enumerate(worlds):
            where = masks[lane].get(name, True) if name != "actuator_moment" else True
            value = apart(ours(d, name, lane), get(world.data), where)
            found.saw(
                part, place, name, value,
                world.asked(get), tolerance=SMOOTH,
            )  # fmt: skip


# ---- constraint rows, and the solver


def dense_jacobian(mj: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """efc_J of MuJoCo as a matrix (nefc, nv)."""
    if not mujoco.mj_isSparse(mj):
        size = data.nefc * mj.nv
        return np.array(data.efc_J).ravel()[:size].reshape(data.nefc, mj.nv)
    return _dense(mj.nv, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)


def _make_rows(m, d: Data) -> None:
    """Rows from MuJoCo's contacts; what was made of MuJoCo's rows is NaN before."""
    for f in fields.DATA:
        made = f.stage in ROW_SECTIONS or f.name in ("contact.mu", "contact.efc_address")
        if made and not f.by_gang:
            d.arrays[f.name][...] = np.nan
    call("make_constraint")(m, d)
    if m.opt.integrator == INT_DISCRETE:  # their weights come with the metric
        call("fwd_actuation")(m, d)
        call("fwd_acceleration")(m, d)
    else:
        call("reference_constraint")(m, d)


def compare_rows(found: Findings, mj: mujoco.MjModel, worlds: Sequence[World]) -> None:
    """Rows from MuJoCo's contacts and velocities."""
    m = load(mj)
    d = put_data(m, [world.data for world in worlds])
    _make_rows(m, d)
    call("expose_constraint")(m, d)
    for lane, world in enumerate(worlds):
        data = world.data
        for name in COUNTS:
            off = abs(int(d.arrays[name].reshape(-1)[lane]) - getattr(data, name))
            found.saw("rows", "make_constraint", name, float(off),
                      world.asked(read(name)), tolerance=0.0)  # fmt: skip
        nefc = int(d.arrays["nefc"].reshape(-1)[lane])
        if nefc != data.nefc or not nefc:
            continue
        for name in ROW_FIELDS:
            theirs = np.array(getattr(data, f"efc_{name}"))
            value = _row_apart(name, d.arrays[f"efc_{name}"][:nefc, ..., lane], theirs)
            found.saw("rows", "make_constraint", f"efc_{name}", value,
                      world.asked(read(f"efc_{name}")), tolerance=ROWS)  # fmt: skip
        if nefc * m.nv <= LARGEST:
            J = d.arrays["efc_J"].reshape(-1, d.arrays["efc_J"].shape[-1])[: nefc * m.nv, lane]
            found.saw("rows", "make_constraint", "efc_J", apart(J, dense_jacobian(mj, data)),
                      world.asked(partial(dense_jacobian, mj)), tolerance=ROWS)  # fmt: skip
        address = our_contacts(d, lane)["efc_address"]
        found.saw("rows", "make_constraint", "contact.efc_address",
                  apart(address, data.contact.efc_address),
                  tolerance=0.0)  # fmt: skip


def _row_apart(name: str, mine: np.ndarray, theirs: np.ndarray) -> float:
    """Masses and stiffnesses span many orders of magnitude: each is relative to itself."""
    least = {"D": 1e-6, "R": 1e-6, "diagA": 1e-6, "KBIP": 1.0, "aref": 1.0}.get(name)
    if least is None:
        return apart(mine, theirs)
    mine = mine.reshape(theirs.shape)
    off = np.abs(mine - theirs) / np.maximum(np.abs(theirs), least)
    return float(np.nan_to_num(off, nan=np.inf).max(initial=0.0))


def tightened(mj: mujoco.MjModel) -> mujoco.MjModel:
    """A copy whose solver goes on until there is nothing left to choose."""
    mj = copy.copy(mj)
    mj.opt.tolerance, mj.opt.ls_tolerance = 1e-15, 1e-6
    mj.opt.iterations, mj.opt.ls_iterations = max(200, mj.opt.iterations), 100
    return mj


def compare_solver(found: Findings, mj: mujoco.MjModel, worlds: Sequence[World]) -> None:
    """The solver alone, from MuJoCo's contacts, with tight tolerances.

    A solver is judged by its result: as close to MuJoCo's as that is to itself under nudges, or as
    close to the optimum, which Newton finds, as MuJoCo is.
    """
    mj = tightened(mj)
    m = load(mj)
    worlds = [World(mj, world.start) for world in worlds]
    d = put_data(m, [world.data for world in worlds])
    _make_rows(m, d)
    d.arrays["qacc"][...] = np.nan
    call("fwd_constraint")(m, d)
    for lane, world in enumerate(worlds):
        for name in ("qacc", "qfrc_constraint"):
            mine = ours(d, name, lane)
            found.saw("solver", "fwd_constraint", name, apart(mine, read(name)(world.data)),
                      partial(_solver_moves, world, name, mine), tolerance=SOLVED)  # fmt: skip


def _solver_moves(world: World, name: str, mine: np.ndarray) -> float:
    mj, get = copy.copy(world.mj), read(name)
    mj.opt.iterations *= 4
    longer = World(mj, world.start).data
    mj.opt.solver, mj.opt.noslip_iterations = mujoco.mjtSolver.mjSOL_NEWTON, 0
    best = get(World(mj, world.start).data)
    theirs = apart(get(world.data), best)
    if not world.mj.opt.noslip_iterations and apart(mine, best) <= max(SOLVED, 1.1 * theirs):
        return np.inf
    return max(world.moves(get), 10 * apart(get(longer), get(world.data)), world.noise)


# ---- sensors


def compare_sensors(found: Findings, mj: mujoco.MjModel, starts) -> None:
    """What the sensors of the model read, each stage of them from MuJoCo's data."""
    if not mj.nsensor:
        return
    mj = copy.copy(mj)
    # MuJoCo shows the kinetic energy of the step before where energy is enabled
    mj.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    mj.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
    m = load(mj)
    worlds = [World(mj, start, mujoco.mj_forward) for start in starts]
    d = put_data(m, [world.data for world in worlds])
    d.arrays["sensordata"][...] = np.nan
    for stage in ("sensor_pos", "sensor_vel", "sensor_acc"):
        call(stage)(m, d)
    for i in range(mj.nsensor):
        kind = mujoco.mjtSensor(mj.sensor_type[i]).name.removeprefix("mjSENS_").lower()
        part = slice(mj.sensor_adr[i], mj.sensor_adr[i] + mj.sensor_dim[i])
        get = partial(_sensed, part)
        for lane, world in enumerate(worlds):
            mine = d.arrays["sensordata"][part, lane]
            found.saw("sensors", "sensor", kind, apart(mine, get(world.data)),
                      world.asked(get), tolerance=ROWS,
                      note=mj.sensor(i).name or f"sensor {i}")  # fmt: skip


def _sensed(part: slice, data: mujoco.MjData) -> np.ndarray:
    return np.array(data.sensordata[part])


# ---- steps


def compare_steps(found: Findings, mj: mujoco.MjModel, starts, undecided: set[int]) -> None:
    """One step from the same states: as the model has it, and with every integrator. `undecided`
    are the states whose contacts are: MuJoCo goes on with one of the right lists, we with ours."""
    for number in sorted(range(len(INTEGRATORS)), key=lambda k: k != mj.opt.integrator):
        other = copy.copy(mj)
        other.opt.integrator = number
        authored = number == mj.opt.integrator
        place = f"{INTEGRATORS[number]}{' (of the model)' if authored else ''}"
        worlds = [World(other, _again(other, start), mujoco.mj_step) for start in starts]
        m = load(other)
        d = put_data(m, [world.start for world in worlds])
        call("step")(m, d)
        for name in ("qpos", "qvel", "act"):
            for lane, world in enumerate(worlds):
                get = read(name)
                found.saw("steps", place, name, apart(ours(d, name, lane), get(world.data)),
                          partial(_step_moves, world, name, lane in undecided),
                          tolerance=ROWS)  # fmt: skip


def _step_moves(world: World, name: str, undecided: bool) -> float:
    """Also how far a solver may be off where it stops: if both engines take the same step with
    tight tolerances, they differ by where the model's own tolerance, of a cost, lets them stop."""
    if undecided:
        return np.inf
    mj, get = tightened(world.mj), read(name)
    further, m = World(mj, world.start, mujoco.mj_step), load(mj)
    d = put_data(m, [world.start])
    call("step")(m, d)
    same = apart(ours(d, name, 0), get(further.data)) <= max(ROWS, further.moves(get))
    stopped = float(np.sqrt(world.mj.opt.tolerance)) if same else 0.0
    return max(world.moves(get), stopped, world.mj.opt.timestep * world.noise)


def _again(mj: mujoco.MjModel, data: mujoco.MjData) -> mujoco.MjData:
    """The same state in new data: rows of constraints may be others with other options."""
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(mujoco.mj_stateSize(mj, spec))
    mujoco.mj_getState(mj, data, state, spec)
    made = mujoco.MjData(mj)
    mujoco.mj_setState(mj, made, state, spec)
    return made
