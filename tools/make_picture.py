"""Draw docs/humanoids.svg: the eight worlds of one gang jump, each with its own controls."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "lanewise"
import matplotlib.pyplot as plt
import mujoco
import numpy as np

import lanewise as lw
from lanewise.lanes import W

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "humanoids.svg"
FRAMES = (0.0, 0.12, 0.24, 0.36)  # seconds
SPACING = 1.2  # metres between figures


def jump(m: lw.Model) -> lw.Data:
    """Eight worlds leaving the ground with the same velocity and controls of their own."""
    d = lw.Data(m, lanes=W)
    lw.reset_data(m, d, "crouch")
    rng = np.random.default_rng(5)
    d.qvel[:, 0], d.qvel[:, 2] = 0.8, 3.0
    d.qvel[:, 4] = rng.uniform(-2.2, 0.2, W)
    d.ctrl[:] = 0.045 * rng.standard_normal((W, m.nu))
    return d


def draw(ax, m: lw.Model, xpos, xmat, shift: float, color, alpha: float) -> None:
    """All capsules and balls of a world, seen from the side; the far limbs are darker."""
    ppm = 72 * ax.figure.get_size_inches()[0] / np.diff(ax.get_xlim())[0]  # points per metre
    for g in range(m.ngeom):
        name, kind, size = m.geom(g).name, m.geom_type[g], m.geom_size[g]
        if kind == mujoco.mjtGeom.mjGEOM_PLANE:
            continue
        capsule = kind == mujoco.mjtGeom.mjGEOM_CAPSULE
        half = xmat[g].reshape(3, 3)[:, 2] * (size[1] if capsule else 0)
        ends = np.stack([xpos[g] - half, xpos[g] + half])
        depth = -1 if name.startswith("left") else 1 if name.startswith("right") else 0
        shade = (1 - 0.35 * (depth < 0)) * np.array(matplotlib.colors.to_rgb(color))
        ax.plot(
            ends[:, 0] + shift, ends[:, 2], color=shade, alpha=alpha, lw=2 * size[0] * ppm,
            solid_capstyle="round", zorder=2 + depth,
        )  # fmt: skip


def main() -> None:
    mj = mujoco.MjModel.from_xml_path(str(lw.models.path("humanoid")))
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    m = lw.load(mj)
    d = jump(m)
    fig = plt.figure(figsize=(11, 2.35))
    ax = fig.add_axes((0, 0, 1, 1))
    ax.set_xlim(-0.6, W * SPACING - 0.1)
    ax.set_ylim(-0.1, -0.1 + (W * SPACING + 0.5) * 2.35 / 11)
    ax.axis("off")
    ax.axhline(0.0, color="#999999", lw=1)
    for k, frame in enumerate(FRAMES):
        while d.time[0] < frame - 1e-9:
            lw.step(m, d)
        lw.kinematics(m, d)
        for w in range(W):
            color = matplotlib.colormaps["plasma"](0.1 + 0.75 * w / W)
            alpha = 1.0 if k == len(FRAMES) - 1 else 0.13
            draw(ax, m, d.geom_xpos[w], d.geom_xmat[w], w * SPACING, color, alpha)
    fig.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
