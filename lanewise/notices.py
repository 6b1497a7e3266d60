"""What kernels counted in worlds (mjtWarning), told to the user: each kind once.

Kernels raise a flag, `notice`, for a kind that is not yet among those in `told`. The user hears of
it by Python's `warnings`, with what to look at, and by `logging`: the logger "lanewise" gets
MuJoCo's own words, with time and world. After a reset a kind is news again.
"""

import logging
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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


KINDS = {
    WARN_INERTIA: "INERTIA", WARN_CONTACTFULL: "CONTACTFULL", WARN_CNSTRFULL: "CNSTRFULL",
    **{kind: f"BAD{name.upper()}" for kind, name in _BAD.items()},
}  # fmt: skip

LOG = logging.getLogger("lanewise")
LOG.addHandler(logging.NullHandler())  # silent, unless the user wants to hear it

_theirs: Callable[[int, int], str] | None = None


def speak_as(text: Callable[[int, int], str]) -> None:
    """Take the words of a kind of warning, and what it is about, from MuJoCo."""
    global _theirs
    _theirs = text


@dataclass
class Notice:
    """What the user is told of a kind of warning."""

    kind: int
    message: str  # as a warning
    logged: str
    extra: dict  # attributes of the log's record


def news(notes, model, sizes, counted, resets):
    """Notices of kinds of warnings, as far as worlds have counted them.

    notes: {kind: (time, world, what it was about)}; counted: which world has which kind; resets:
    how often a world was reset.
    """
    found = []
    for kind, (time, world, about) in notes.items():
        number, worlds = int(counted[:, kind].sum()), len(counted)
        if number:
            many = f"{number} of {worlds} worlds"
            where = f"at time {time:.6g}" + (f" in world {world}" if worlds > 1 else "")
            outcome = _RESET if resets[world] else _NO_RESET
            message = _message(kind, model, sizes, int(about), where, outcome, many)
            # of MuJoCo's memory there is none here to be full
            words = message if kind in _ROOM or _theirs is None else _theirs(kind, int(about))
            logged = f"{words.removesuffix('.')}. Time = {time:.4f}."
            logged += f" World {world} of {worlds}." if worlds > 1 else ""
            extra = {"kind": KINDS[kind], "sim_time": time, "world": world, "info": int(about)}
            found.append(Notice(kind, message, logged, extra))
    return found


def bits(notices: Iterable[Notice]) -> int:
    """The kinds of notices, as bits of `told`."""
    told = 0
    for notice in notices:
        told |= 1 << notice.kind
    return told


def tell(notices: Iterable[Notice]) -> None:
    """Log and warn. Whoever makes errors of warnings gets the first, when all are told."""
    notices = list(notices)
    for notice in notices:
        LOG.warning(notice.logged, extra=notice.extra)
    _warn([notice.message for notice in notices])


def say_all(messages: Iterable[str]) -> None:
    """The same of other messages."""
    messages = list(messages)
    for message in messages:
        LOG.warning(message)
    _warn(messages)


def _warn(messages: list[str]) -> None:
    """Warnings that point at the line outside of this package that led to them."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and _is_inside(frame):
        frame, level = frame.f_back, level + 1
    error: Warning | None = None
    for message in messages:
        try:
            warnings.warn(message, RuntimeWarning, stacklevel=level)
        except Warning as one:
            error = error or one
    if error is not None:
        raise error


def _is_inside(frame: FrameType) -> bool:
    """Whether code is of this package, or of what it is called through."""
    name = frame.f_globals.get("__name__", "")
    return name.startswith("lanewise.") or name == "contextlib"


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
