"""Comparing Lanewise with MuJoCo: stage by stage, and one step at a time.

A stage is compared alone. MuJoCo computes everything from a state; its data go into the lanes;
what the stage writes is overwritten with NaN; the stage runs; every field that it writes is
compared with MuJoCo's by name. So an error shows in the stage that made it and nowhere else, and a
number that the stage forgot to write shows as NaN. Which fields a stage writes is read from the
field table.

MuJoCo leaves some numbers unwritten too (the unused end of a tendon's path, say). They are found by
the same trick, poisoning MuJoCo's own data, and are not compared.

The residual of a field in a world is the largest difference, relative to the largest number of that
field in that world, or to one if that is larger.

    LANEWISE_TOL_SCALE=10       accept ten times larger residuals
    LANEWISE_SHOW_RESIDUALS=1   print the worst residual of every stage and field, and where it was
"""

import copy
import os
from collections import defaultdict

import mujoco
import numpy as np

import lanewise as lw
from lanewise import fields
from support.states import random_state

__all__ = ["compare_forward", "compare_stage", "compare_step", "random_state"]

TOLERANCE = 1e-10 * float(os.environ.get("LANEWISE_TOL_SCALE", "1"))

# what comes out of a solution with the inertia matrix, and inherits its condition; see `easing`
SOLVED = ("qLD", "qLDiagInv", "qH", "qHDiagInv", "qLU", "qacc_smooth", "qacc", "qacc_warmstart")
SOLVED += ("qvel", "qpos")

# an integer that no field can hold, for poisoning integer fields
POISON_INT = -987654

# stages whose fields more than one public function, or one of another name, has a part in
CALLS = {
    "energy": ("energy_pos", "energy_vel"),
    "crb": ("crb", "tendon_armature"),
    "rne": ("rne", "tendon_bias"),
}

# the discrete integrator asks what actuators were told: what limits of rates leave of controls is
# no part of MjData
CALLS_DISCRETE = {"fwd_acceleration": ("fwd_actuation", "fwd_acceleration")}

CONSTRAINT_STAGES = (
    "collision", "make_constraint", "reference_constraint", "efc", "inverse", "rne_post_constraint",
    "contact_force", "sensor",
)  # fmt: skip

# (stage, field) -> (worst residual so far, which model it was)
RESIDUALS: dict[tuple[str, str], tuple[float, str]] = {}


def stage_fields() -> dict[str, tuple[str, ...]]:
    """The MjData fields that each smooth stage writes, from the field table.

    parity_contacts.py compares what only constraints have.
    """
    stages = defaultdict(list)
    for field in fields.DATA:
        of_constraints = field.stage in CONSTRAINT_STAGES or field.name.startswith("solver_")
        if not (field.own or field.stage == "state" or of_constraints):
            stages[field.stage].append(field.name)
    return {stage: tuple(names) for stage, names in stages.items()}


STAGES = stage_fields()
# the integrator's fields exist only after a step
FORWARD_STAGES = tuple(stage for stage in STAGES if stage != "integrate")
STEP_FIELDS = tuple(name for name, field in fields.STATE_FIELDS.items())


# ---- MuJoCo's side


def forwarded(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> mujoco.MjData:
    """A copy of `mj_data` in which every smooth quantity is computed from its state."""
    mj_data = copy.copy(mj_data)
    _compute(mj_model, mj_data)
    return mj_data


def _compute(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> None:
    mujoco.mj_forward(mj_model, mj_data)
    mujoco.mj_energyPos(mj_model, mj_data)
    mujoco.mj_energyVel(mj_model, mj_data)
    mujoco.mj_subtreeVel(mj_model, mj_data)


def written(mj_model: mujoco.MjModel, mj_data: mujoco.MjData, compute=_compute) -> dict:
    """For every derived field, where MuJoCo's `compute` writes a number."""
    mj_data = copy.copy(mj_data)
    names = [name for stage in STAGES.values() for name in stage]
    for name in names:
        poison(getattr(mj_data, name))
    compute(mj_model, mj_data)
    return {name: ~poisoned(getattr(mj_data, name)) for name in names}


def poison(array: np.ndarray) -> None:
    array[...] = np.nan if array.dtype.kind == "f" else POISON_INT


def poisoned(array: np.ndarray) -> np.ndarray:
    return np.isnan(array) if array.dtype.kind == "f" else array == POISON_INT


# ---- comparing


def residual(actual: np.ndarray, expected: np.ndarray, where: np.ndarray) -> float:
    """The largest difference where MuJoCo wrote, relative to the field's size; inf for NaN."""
    actual, expected = np.asarray(actual)[where], np.asarray(expected)[where]
    if not expected.size:
        return 0.0
    scale = max(1.0, float(np.abs(expected).max()))
    return float(np.nan_to_num(np.abs(actual - expected), nan=np.inf).max()) / scale


def easing(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> dict[str, float]:
    """How many times the tolerance is allowed, by field, where round-off is enlarged.

    A solution with M has round-off times the condition of M, after scaling its diagonal to one. The
    discrete integrator solves by iteration, up to the solver's tolerance. Elimination without
    pivoting, for qLU, may meet a small pivot in the best of matrices.
    """
    if not mj_model.nv:
        return {}
    M = np.zeros((mj_model.nv, mj_model.nv))
    mujoco.mj_fullM(mj_model, mj_data, M)
    scale = 1 / np.sqrt(np.maximum(np.diag(M), 1e-300))
    values = np.linalg.eigvalsh(M * scale * scale[:, None])
    bound = 2 * np.finfo(float).eps * values[-1] / max(values[0], 1e-300)
    discrete = mj_model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    if discrete and mj_model.ntendon + mj_model.nactuator:
        bound = max(bound, mj_model.opt.tolerance)
    factors = dict.fromkeys(SOLVED, max(1.0, bound / 1e-10))
    factors["qLU"] *= 100
    return factors


def compare_stage(
    mj_model, mj_datas, stage: str, names=None, label: str = "", context=None
) -> dict:
    """Runs one stage on several worlds of MuJoCo's; {field: worst residual over the worlds}.

    `context` is what `prepare` returned for these worlds, to share it between the stages.
    """
    m, references, masks = context or prepare(mj_model, mj_datas)
    names = STAGES[stage] if names is None else names
    d = lw.put_data(m, references)
    for name in names:
        d.arrays[name][...] = np.nan
    calls = CALLS.get(stage, (stage,))
    if mj_model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
        calls = CALLS_DISCRETE.get(stage, calls)
    for call in calls:
        getattr(lw, call)(m, d)
    return _residuals(d, references, masks, names, stage, label)


def prepare(mj_model: mujoco.MjModel, mj_datas):
    """The model, MuJoCo's complete data of every world, and where MuJoCo writes."""
    references = [forwarded(mj_model, mj_data) for mj_data in mj_datas]
    masks = [written(mj_model, mj_data) for mj_data in mj_datas]
    return lw.load(mj_model), references, masks


# the parts of MuJoCo's sparse matrix of moment arms
MOMENT = ("actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind")


def _dense_moment(shape, values, number, first, columns) -> np.ndarray:
    """actuator_moment as a dense matrix; all NaN if its structure is."""
    dense = np.zeros(shape)
    for row in range(shape[0]):
        if not np.isfinite(first[row] + number[row]):
            return dense * np.nan
        span = slice(int(first[row]), int(first[row] + number[row]))
        if not np.isfinite(columns[span]).all():
            return dense * np.nan
        dense[row, columns[span].astype(int)] = values[span]
    return dense


def _moment_residual(name: str, d, lane: int, reference) -> float:
    """MuJoCo leaves arms out that are exactly zero. Whether an arm that cancels is zero or 1e-17 is
    round-off, and it decides where all later arms stand. So arms are compared as a dense matrix,
    and the structure only where the same arms are zero."""
    shape = (d.model.nout, d.model.nv)
    ours = [d.arrays[part][..., lane] for part in MOMENT]
    theirs = [np.asarray(getattr(reference, part)) for part in MOMENT]
    dense, expected = _dense_moment(shape, *ours), _dense_moment(shape, *theirs)
    if name == "actuator_moment":
        return residual(dense, expected, True)
    if not np.isnan(dense).any() and not np.array_equal(dense != 0, expected != 0):
        return 0.0
    k = MOMENT.index(name)
    used = slice(int(theirs[1].sum()) if name == "moment_colind" else None)
    return residual(ours[k][used], theirs[k][used], True)


def _residuals(d, references, masks, names, stage: str, label: str) -> dict:
    """{field: worst residual over the worlds, eased}, and a note of it in RESIDUALS, not eased."""
    worst, pure = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    eased = [{}] * len(references)
    if any(name in SOLVED for name in names):
        eased = [easing(d.model.mj, reference) for reference in references]
    for name in names:
        for lane, reference in enumerate(references):
            mask = masks[lane].get(name, True)
            if name in MOMENT:
                value = _moment_residual(name, d, lane, reference)
            else:
                expected = np.asarray(getattr(reference, name))
                value = residual(d.arrays[name][..., lane].reshape(expected.shape), expected, mask)
            pure[name] = max(pure[name], value)
            worst[name] = max(worst[name], value / eased[lane].get(name, 1.0))
        known = RESIDUALS.get((stage, name), (-1.0, ""))
        if pure[name] > known[0]:
            RESIDUALS[stage, name] = (pure[name], label)
    return worst


def compare_step(mj_model, mj_datas, label: str = "") -> dict:
    """One step from the same states; {field: worst residual}, state and derived fields alike."""
    m = lw.load(mj_model)
    d = lw.put_data(m, mj_datas)
    masks = [written(mj_model, mj_data, mujoco.mj_step) for mj_data in mj_datas]
    references = [copy.copy(mj_data) for mj_data in mj_datas]
    for reference in references:
        mujoco.mj_step(mj_model, reference)
    lw.step(m, d)
    worst = _residuals(d, references, [{}] * len(references), STEP_FIELDS, "step", label)
    stages = [stage for stage in STAGES if stage not in ("subtree_vel", "energy")]
    if mj_model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_ENERGY:
        stages.append("energy")
    names = [name for stage in stages for name in STAGES[stage]]
    return worst | _residuals(d, references, masks, names, "step", label)


def compare_forward(mj_model, mj_datas, label: str = "", context=None) -> dict:
    """Everything from the state alone, in one call; {field: worst residual}."""
    m, references, masks = context or prepare(mj_model, mj_datas)
    d = lw.put_data(m, mj_datas)
    names = [name for stage in FORWARD_STAGES for name in STAGES[stage]]
    for name in names:
        d.arrays[name][...] = np.nan
    lw.forward(m, d)
    for call in ("subtree_vel", *CALLS["energy"]):
        getattr(lw, call)(m, d)
    return _residuals(d, references, masks, names, "forward", label)


def failures(worst: dict, tolerance: float = TOLERANCE) -> list[str]:
    """The fields beyond the tolerance, worst first, as readable lines."""
    bad = sorted((value, name) for name, value in worst.items() if not value <= tolerance)
    return [f"{name}: {value:.3g}" for value, name in reversed(bad)]


def residual_table(rows: dict = RESIDUALS) -> str:
    """The worst residual of every stage and field, in the order of the pipeline."""
    order = [*STAGES, "rows", "forward", "step", "functions"]
    lines = [f"{'stage':18} {'field':18} {'residual':>9}  where"]
    for (stage, name), (value, label) in sorted(rows.items(), key=lambda r: order.index(r[0][0])):
        lines.append(f"{stage:18} {name:18} {value:9.2g}  {label}")
    return "\n".join(lines)


# ---- states to compare in


def trajectory(mj_model: mujoco.MjModel, mj_data: mujoco.MjData, rng, nstep: int, every: int):
    """Copies of the states of a MuJoCo simulation under random controls, as long as it is sound."""
    mj_data = copy.copy(mj_data)
    states = []
    for step in range(nstep):
        mj_data.ctrl[:] = rng.normal(0, 0.5, mj_model.nu)
        before = copy.copy(mj_data)
        mujoco.mj_step(mj_model, mj_data)
        if not sound(mj_data):
            break
        if step % every == 0:
            states.append(before)
    return states


def settle_round_off(mj_model: mujoco.MjModel) -> None:
    """Takes the limit of torque from orientation servos where the integrator would ask for it.

    The implicit integrators leave a servo's derivative out when its torque has reached the limit.
    A torque scaled to the limit is beyond it or not by its last bit, and MuJoCo goes by that bit.
    """
    kinds = mujoco.mjtIntegrator
    if mj_model.opt.integrator not in (kinds.mjINT_EULER, kinds.mjINT_RK4):
        servo = mj_model.actuator_trntype == mujoco.mjtTrn.mjTRN_SO3
        mj_model.actuator_forcelimited[servo] = False


def sound(mj_data: mujoco.MjData) -> bool:
    """Whether a state is worth comparing: finite, of ordinary size, without warnings."""
    if any(warning.number for warning in mj_data.warning):
        return False
    parts = (mj_data.qpos, mj_data.qvel, mj_data.act)
    return all(np.all(np.abs(part) < 1e4) for part in parts)
