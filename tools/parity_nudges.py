"""How sure MuJoCo is of an answer: how far its own moves, for a last bit of what it is given.

Where ours and MuJoCo's are farther apart than the bar, MuJoCo is asked again, a few times with

* its positions and velocities moved by 1e-16 and 1e-15, large velocities by so much of themselves,
* the numbers of its constraint Jacobian moved by 1e-17. Where no dof can move a contact, these are
  round-off themselves, and with exact diagonals its force is 1e17.
* for sensors, the frames of its geoms moved by 1e-16 and 1e-15. Geoms of one body move together
  whatever the state: only so are those with one centre decided anew.

If it moves about as far itself, its last bits have decided, which are others than ours: the answer
is left out, and counted. Nothing is left out for another reason.
"""

import copy
from collections.abc import Callable, Iterable, Sequence

import mujoco
import numpy as np

from support.parity_contacts import relative

SURE = 1e-9  # the bar
FACTOR = 10  # by so much ours may be farther off than MuJoCo's few answers are
STATE_NUDGES = np.repeat((1e-16, 1e-15), 4)
ROW_NUDGES = np.repeat(1e-17, 4)
KINDS = mujoco.mjtIntegrator

# what comes of an input as it is, and what of it moved
Family = tuple[mujoco.MjData, list[mujoco.MjData]]


def undecided(residual: float, moved: Callable[[], float], sure: float = SURE) -> bool:
    """Whether a residual beyond the bar is about as far as MuJoCo moves by itself."""
    return residual > sure and residual <= FACTOR * moved()


def farthest(families: Iterable[Family], names: Sequence[str]) -> float:
    """How far fields move, at most."""
    worst = 0.0
    for expected, others in families:
        for other in others:
            for name in names:
                a, b = np.array(getattr(other, name)), np.array(getattr(expected, name))
                worst = max(worst, relative(a, b) if a.shape == b.shape else np.inf)
    return worst


# ---- MuJoCo, with its input moved


def forwarded(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> Family:
    """What mj_forward makes of other states; mj_data is what it made of this one."""
    others = _other_states(mj_model, mj_data)
    for other in others:
        mujoco.mj_forward(mj_model, other)
    return mj_data, others


def stepped(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> list[Family]:
    """What a step makes of other states, and of other rows.

    The steps of Runge-Kutta cannot be had in parts: with other rows, Euler's has their place.
    """
    end, others = copy.copy(mj_data), _other_states(mj_model, mj_data)
    for data in (end, *others):
        mujoco.mj_step(mj_model, data)
    base, with_rows = forwarded_by_rows(mj_model, mj_data)
    implicit = mj_model.opt.integrator in (KINDS.mjINT_IMPLICIT, KINDS.mjINT_IMPLICITFAST)
    for data in (base, *with_rows):
        (mujoco.mj_implicit if implicit else mujoco.mj_Euler)(mj_model, data)
    return [(end, others), (base, with_rows)]


def forwarded_by_rows(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> Family:
    """What mj_forward makes of a state with another Jacobian of constraints.

    The discrete integrator's metric cannot be had in parts: Euler's dynamics have its place.
    """
    if mj_model.opt.integrator == KINDS.mjINT_DISCRETE:
        mj_model = copy.copy(mj_model)
        mj_model.opt.integrator = KINDS.mjINT_EULER
    rng = np.random.default_rng(29)
    return (
        _forward(mj_model, mj_data, rng, 0.0),
        [_forward(mj_model, mj_data, rng, size) for size in ROW_NUDGES],
    )


def framed(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> Family:
    """What sensors read of geoms in other frames; mj_data is what they read of these."""
    rng, others = np.random.default_rng(31), []
    for size in STATE_NUDGES:
        other = copy.copy(mj_data)
        for frame in (other.geom_xpos, other.geom_xmat):
            frame[:] += size * rng.normal(size=frame.shape)
        for part in (mujoco.mj_sensorPos, mujoco.mj_sensorVel, mujoco.mj_sensorAcc):
            part(mj_model, other)
        others.append(other)
    return mj_data, others


def _forward(mj_model, mj_data, rng: np.random.Generator, size: float) -> mujoco.MjData:
    """mj_forward in its parts, the Jacobian moved by `size`."""
    other = copy.copy(mj_data)
    mujoco.mj_fwdPosition(mj_model, other)
    if other.nefc:
        J = other.efc_J
        J[:] += size * rng.normal(size=J.shape) * (J != 0.0)
        mujoco.mj_projectConstraint(mj_model, other)
    for part in (mujoco.mj_fwdVelocity, mujoco.mj_fwdActuation, mujoco.mj_fwdAcceleration,
                 mujoco.mj_fwdConstraint):  # fmt: skip
        part(mj_model, other)
    return other


def _other_states(mj_model, mj_data) -> list[mujoco.MjData]:
    """Copies with other positions and velocities."""
    rng, others = np.random.default_rng(23), []
    for size in STATE_NUDGES:
        other = copy.copy(mj_data)
        mujoco.mj_integratePos(mj_model, other.qpos, size * rng.normal(size=mj_model.nv), 1.0)
        other.qvel[:] += size * np.maximum(1.0, np.abs(other.qvel)) * rng.normal(size=mj_model.nv)
        others.append(other)
    return others
