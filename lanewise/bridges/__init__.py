"""The state of a Data or a Batch in the arrays of other systems, one module for each.

    from lanewise.bridges import newton
    s = newton.read(m, d)
    newton.write(m, d, joint_q=q, joint_qd=qd)

`read` returns a frozen dataclass of arrays, fresh ones, of the present state: poses and velocities
of bodies are computed from qpos and qvel, not taken from xpos, which a step leaves one step behind.
It changes nothing. `write` sets qpos, qvel, qfrc_applied and xfrc_applied, all of them or, if
something is wrong, none, and computes nothing: forward or step do. With a Batch, or a Data of
several worlds, arrays have a leading axis of worlds.

docs/bridges.md has the arrays and their meaning.
"""

from typing import Any

from ..errors import no_such
from . import drake, isaaclab, newton, pinocchio, ptera, pybullet, ros

__all__ = ["drake", "isaaclab", "newton", "pinocchio", "ptera", "pybullet", "ros"]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    raise AttributeError(f"lanewise.bridges has {no_such('bridge', name, __all__)}")
