"""Colours for what has none: MuJoCo's grey would make all bodies look alike."""

from typing import Any

import numpy as np

PLAIN = (0.5, 0.5, 0.5, 1.0)  # what a geom has if nobody says otherwise
PALETTE = (
    (0.91, 0.64, 0.40), (0.40, 0.64, 0.87), (0.52, 0.76, 0.54), (0.89, 0.49, 0.46),
    (0.65, 0.57, 0.83), (0.90, 0.79, 0.45), (0.44, 0.74, 0.74), (0.86, 0.59, 0.73),
)  # fmt: skip
STILL = (0.62, 0.65, 0.70)


def paint(mj: Any) -> None:
    """Give plain geoms of an MjModel a colour: one for each tree of bodies, grey what is fixed."""
    trees = list(dict.fromkeys(int(r) for r in mj.body_rootid[1:] if mj.body_dofnum[r] or r))
    for g in range(mj.ngeom):
        if mj.geom_matid[g] < 0 and np.allclose(mj.geom_rgba[g], PLAIN):
            body = int(mj.geom_bodyid[g])
            moves = mj.body_weldid[body] != 0
            k = trees.index(int(mj.body_rootid[body])) if moves else 0
            mj.geom_rgba[g, :3] = PALETTE[k % len(PALETTE)] if moves else STILL
