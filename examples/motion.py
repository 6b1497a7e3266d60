"""A clip in several forms is one motion; then what it would take to make it, as a picture.

A knee bend of the humanoid is made up, and written as BeyondMimic, SONIC and Isaac Lab have it,
without names. Each file is read again and its meaning found; mirrored and put on the ground, the
clip becomes a reference for worlds, and inverse dynamics tell what forces it takes.

    python examples/motion.py forces.png
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import lanewise as lw
from lanewise.motion import Clip, load, plot_residuals
from lanewise.motion.clip_ground import lowest_points

FPS = 50


def knee_bend(m: lw.Model) -> np.ndarray:
    """(T, nq): down and up, twice in two seconds, with the root at one height."""
    t = np.arange(2 * FPS) / FPS
    qpos = np.tile(m.qpos0, (len(t), 1))
    bend = 0.5 - 0.5 * np.cos(2 * np.pi * t)
    names = [m.mj.joint(j).name for j in range(m.njnt)]
    for side in ("left", "right"):  # feet stay level: hip - knee - ankle is 0
        for joint, size in (("hip_pitch", 0.8), ("knee", 1.4), ("ankle_pitch", -0.6)):
            j = names.index(f"{side}_{joint}")
            qpos[:, m.jnt_qposadr[j]] = size * bend
    qpos[:, 2] += 0.02 * t  # a little off the ground
    return qpos


def in_other_forms(clip: Clip, m: lw.Model, folder: Path) -> None:
    for form, name in (("beyondmimic", "a.npz"), ("isaaclab-3", "b.npz"), ("sonic", "c.pkl")):
        options = {"names": False} if name.endswith("npz") else {}
        path = clip.save(folder / name, form, model=m, **options)
        again = load(path, model=m)
        off = np.abs(again.qpos(m) - clip.qpos(m)).max()
        print(f"{form:12} joints: {again.meaning['joints']}, off by {off:.1e}")


def main(picture: str | None = None) -> float:
    m = lw.load(lw.models.path("humanoid"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "bend.npz", qpos=knee_bend(m), fps=FPS)
        clip = load(folder / "bend.npz", model=m)
        in_other_forms(clip, m, folder)
    # the root goes down as far as the feet came up
    low = lowest_points(clip, m)
    clip = replace(clip, p_WB=clip.p_WB - low * (0.0, 0.0, 1.0)).on_ground(m)
    print(f"ground: {clip.meaning['ground']}")
    print(
        f"mirrored twice, off by {np.abs(clip.mirror(m).mirror(m).joints - clip.joints).max():.1e}"
    )

    b = lw.Batch(m, 8)
    tracker = clip.track(b)
    tracker.reset()
    b.step(nstep=20)
    print(f"rewards after {float(b.time[0]):.2f} s without control: {tracker.rewards().mean():.3f}")

    found = clip.inverse(m, contacts=False)
    largest = float(np.abs(found["residual"][:, :3]).max())
    weight = -float(m.body_mass.sum() * m.opt.gravity[2])
    print(
        f"largest force of the world on the root: {largest:.0f} N, {largest / weight:.2f} weights"
    )
    if picture:
        print("wrote", plot_residuals(clip, m, picture, found))
    return largest


if __name__ == "__main__":
    main(*sys.argv[1:2])
