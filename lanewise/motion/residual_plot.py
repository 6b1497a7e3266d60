"""A picture of what a motion asks of the world: forces on the root that no actuator makes."""

from pathlib import Path
from typing import Any

import numpy as np

from .clip import Clip
from .motion_errors import MotionError
from .robot import as_robot

ENDINGS = (".png", ".svg", ".pdf")


def plot_residuals(clip: Clip, m: Any, path: Any, found: Any = None) -> Path:
    """Draw the force and torque on the root over time that no actuator makes, the ground's push
    included, and how large joint forces are then.

    found is what clip.inverse(m, contacts=False) returned, if that is at hand. With contacts, what
    is drawn is what they leave over. Needs matplotlib.
    """
    robot, path = as_robot(m), Path(path)
    if path.suffix.lower() not in ENDINGS:
        raise MotionError(f"a picture ends with {', '.join(ENDINGS)}; got {path.name!r}")
    if robot.free is None:
        raise MotionError("the model stands on the world: no residual forces act on its root")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'lanewise[plot]'") from None
    found = clip.inverse(robot, contacts=False) if found is None else found
    k = int(robot.model.jnt_dofadr[robot.free])
    residual = found["qfrc_inverse"][:, k : k + 6]
    joints = found["qfrc_inverse"][:, robot.model.jnt_dofadr[robot.joints]]
    weight = -float(robot.model.body_subtreemass[robot.root] * robot.model.opt.gravity[2])
    figure = Figure(figsize=(8, 6.5), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for row, part, unit in ((0, residual[:, :3], "force [N]"), (1, residual[:, 3:], "torque [Nm]")):
        for i, letter in enumerate("xyz"):
            axes[row].plot(clip.times, part[:, i], label=letter, linewidth=1.2)
        axes[row].set_ylabel(f"residual {unit}")
        axes[row].legend(loc="upper right", ncols=3, fontsize=8, framealpha=0.8)
    axes[0].axhline(weight, color="0.6", linewidth=0.8, linestyle="--")
    axes[0].set_title("what the world does to the root; the dashed line is the weight", fontsize=10)
    axes[2].plot(clip.times, np.abs(joints).max(1), color="0.2", linewidth=1.2)
    axes[2].set_ylabel("largest joint force [Nm]")
    axes[2].set_xlabel("time [s]")
    for axis in axes:
        axis.grid(alpha=0.3)
        axis.margins(x=0)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    return path
