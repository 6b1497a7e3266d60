"""What kernels counted in worlds (mjtWarning), told to the user: each kind once.

Kernels raise a flag, `notice`, for a kind that is not yet among those in `told`.
"""

import sys
import warnings
from types import FrameType

import numpy as np

from .mjconst import (
    WARN_BADCTRL,
    WARN_BADQACC,
    WARN_BADQPOS,
    WARN_BADQVEL,
    WARN_CNSTRFULL,
    WARN_CONTACTFULL,
    WARN_INERTIA,
)

# what may have no room, by the warning that counts it: its name, and the name of the room
_ROOM = {
    WARN_CONTACTFULL: ("contacts", "nconmax"),
    WARN_CNSTRFULL: ("constraint rows", "njmax"),
}
_RESET = "the world was reset, and goes on from the reference state"
_NO_RESET = "the world goes on as it is, since autoreset is disabled"
_BAD = {WARN_BADQPOS: "qpos", WARN_BADQVEL: "qvel", WARN_BADQACC: "qacc", WARN_BADCTRL: "ctrl"}


def tell(notes, model, sizes, counted, resets):
    """Warn of kinds of warnings, as far as worlds have counted them; the kinds, as bits.

    notes: {kind: (time, world, what it was about)}; counted: which world has which kind; resets:
    how often a world was reset.
    """
    told = 0
    for kind, (time, world, about) in notes.items():
        number, worlds = int(counted[:, kind].sum()), len(counted)
        if number:
            told |= 1 << kind
            many = f"{number} of {worlds} worlds"
            where = f"at time {time:.6g}" + (f" in world {world}" if worlds > 1 else "")
            outcome = _RESET if resets[world] else _NO_RESET
            say(_message(kind, model, sizes, int(about), where, outcome, many))
    return told


def say(message):
    """A warning that points at the line outside of this package that led to it."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").startswith("lanewise."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, RuntimeWarning, stacklevel=level)


def _message(kind, model, sizes, index, where, outcome, many):
    """What happened: where it did so first, and in how many worlds."""
    if kind in _ROOM:
        what, room = _ROOM[kind]
        return (
            f"{many} had more {what} than there is room for ({room}={sizes[room]}), and what did"
            f" not fit was left out: make the Data or Batch with a larger {room}, or without"
            " nconmax and njmax: then room is made as it is needed"
        )
    if kind == WARN_INERTIA:
        place = _joint(model, "dof", index)
        return (
            f"the inertia matrix was nearly singular at dof {index}{place} {where}: look at the"
            f" masses, inertias and armatures there (INERTIA; by now in {many})"
        )
    name = _BAD[kind]
    if kind == WARN_BADCTRL:
        place, outcome = _actuator(model, index), "the controls of that step were taken as zero"
    else:
        place = _joint(model, "qpos" if kind == WARN_BADQPOS else "dof", index)
    return (
        f"{name}[{index}]{place} was NaN, infinite or beyond 1e10 {where}: {outcome}"
        f" (BAD{name.upper()}; by now in {many})"
    )


def _joint(model, of, index):
    """' (joint ...)' for a place in qpos or among the dofs."""
    mj = model.mj
    first = mj.jnt_qposadr if of == "qpos" else mj.jnt_dofadr
    joint = int(np.searchsorted(first, index, side="right")) - 1
    return f" (joint {mj.joint(joint).name or joint!r})" if joint >= 0 else ""


def _actuator(model, index):
    """' (actuator ...)' for a place in ctrl."""
    mj = model.mj
    number = getattr(mj, "actuator_ctrlnum", np.ones(mj.nu, int))
    actuator = int(np.searchsorted(np.cumsum(number), index, side="right"))
    if actuator >= len(number):
        return ""
    return f" (actuator {mj.actuator(actuator).name or actuator!r})"
