"""How far two answers are apart, and how far MuJoCo's own answer goes when its state is nudged."""

import copy
from collections.abc import Callable
from functools import cached_property

import mujoco
import numpy as np

NUDGES = (1e-15, 1e-15, 1e-12, 1e-12, 1e-12, 1e-10, 1e-10, 1e-10)
FINEST = 1e-12  # of nudges that are as good as none; larger ones count only where they make a jump
ALLOWED = 100.0  # how many times MuJoCo's own movement a difference may be
JUMP = 1e3  # how many times a nudge an answer has to move to be called a jump
JUMPED = 10.0  # how many times a jump a difference may be

Compute = Callable[[mujoco.MjModel, mujoco.MjData], None]


def apart(ours, theirs, where=True) -> float:
    """The largest difference, relative to the largest number or one; inf for NaN or a shape."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.size != theirs.size:
        return np.inf
    ours = ours.reshape(theirs.shape)
    if where is not True:
        ours, theirs = ours[where], theirs[where]
    if not theirs.size:
        return 0.0
    scale = max(1.0, float(np.nan_to_num(np.abs(theirs)).max()))
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    off = np.where(same, 0.0, np.nan_to_num(np.abs(ours - theirs), nan=np.inf))
    return float(off.max()) / scale


def complete(mj: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Everything that MuJoCo derives from a state, in place."""
    mujoco.mj_forward(mj, data)
    mujoco.mj_energyPos(mj, data)
    mujoco.mj_energyVel(mj, data)
    mujoco.mj_subtreeVel(mj, data)
    mujoco.mj_rnePostConstraint(mj, data)


class World:
    """A state of MuJoCo's, what MuJoCo computes from it, and what it computes a hair away."""

    def __init__(self, mj: mujoco.MjModel, start: mujoco.MjData, compute: Compute = complete):
        self.mj, self.start, self.compute = mj, start, compute
        self.data = copy.copy(start)
        compute(mj, self.data)

    @cached_property
    def nudged(self) -> list[tuple[float, mujoco.MjData]]:
        """(size of the nudge, what MuJoCo computes): from other states, and with a finer search
        for contacts, whose tolerance is a choice too."""
        rng, found = np.random.default_rng(17), []
        for size in NUDGES:
            other = copy.copy(self.start)
            step = size * rng.normal(size=self.mj.nv)
            mujoco.mj_integratePos(self.mj, other.qpos, step, 1.0)
            other.qvel[:] += size * rng.normal(size=self.mj.nv)
            self.compute(self.mj, other)
            found.append((size, other))
        finer = copy.copy(self.mj)
        finer.opt.ccd_tolerance *= 1e-2
        finer.opt.ccd_iterations *= 4
        other = copy.copy(self.start)
        self.compute(finer, other)
        return [*found, (FINEST, other)]

    def moves(self, read: Callable[[mujoco.MjData], np.ndarray], base=None) -> float:
        """How large a difference of `read(data)` says nothing, because MuJoCo's is as large."""
        base = read(self.data) if base is None else base
        allowed = 0.0
        for size, other in self.nudged:
            moved = apart(read(other), base)
            if size <= FINEST:
                allowed = max(allowed, ALLOWED * moved)
            elif moved > JUMP * size:
                allowed = max(allowed, JUMPED * moved)
        return allowed

    def asked(self, read: Callable[[mujoco.MjData], np.ndarray]) -> Callable[[], float]:
        """A question for later: `moves`, or what is noise anyway."""
        return lambda: max(self.moves(read), self.noise)

    @cached_property
    def noise(self) -> float:
        """How much of the forces of constraints is round-off, relative to the largest on a dof: a
        row that no dof can move has a stiffness of 1e15, and forces that its neighbours see."""
        force = float(np.abs(self.data.efc_force).max(initial=0.0))
        scale = max(1.0, float(np.abs(self.data.qfrc_constraint).max(initial=0.0)))
        return ALLOWED * float(np.finfo(float).eps) * force / scale


def written(mj: mujoco.MjModel, world: World, names) -> dict[str, np.ndarray]:
    """Where MuJoCo's computation writes numbers of these fields: it leaves some as they were."""
    poison = -987654  # an integer that no field holds
    other = copy.copy(world.start)
    arrays = {name: getattr(other, name) for name in names}
    for array in arrays.values():
        array[...] = np.nan if array.dtype.kind == "f" else poison
    world.compute(mj, other)
    return {
        name: ~(np.isnan(array) if array.dtype.kind == "f" else array == poison)
        for name, array in ((name, getattr(other, name)) for name in names)
    }
