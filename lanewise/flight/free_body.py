"""Where a model keeps the numbers of a body that flies.

A body flies if its joint is free. Its seven positions and six velocities lie together in qpos and
qvel; loads on it are its row of xfrc_applied, a force and a torque about the centre of mass in
world axes, as the tables of Ptera Software have them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ModelError
from ..mjconst import JNT_FREE
from ..naming import names_of, number_of


@dataclass(frozen=True)
class FreeBody:
    """A body with a free joint: its number, and its places in qpos and qvel."""

    number: int
    name: str
    qpos: slice
    qvel: slice


def free_body(m: Any, body: str | int | None = None) -> FreeBody:
    """The body of a name or number; without one, the only body that is free."""
    names = names_of(m.mj, "body")
    joints = np.flatnonzero(m.jnt_type == JNT_FREE)
    free = {int(m.jnt_bodyid[j]): int(j) for j in joints}
    shown = ", ".join(names[b] or f"number {b}" for b in free) or "none"
    if body is None:
        if len(free) != 1:
            advice = ": name one, body=..." if free else ": give it a <freejoint/>, say"
            raise ModelError(f"one body has to be free, and this model has {shown}{advice}")
        number = next(iter(free))
    else:
        number = number_of(m.mj, "body", body)
        if number not in free:
            raise ModelError(f"body {body!r} has no free joint; bodies that have: {shown}")
    j = free[number]
    q, v = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
    return FreeBody(number, names[number], slice(q, q + 7), slice(v, v + 6))
