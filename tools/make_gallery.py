"""Draw docs/gallery.png: the models that come with Lanewise, simulated by it, drawn by MuJoCo.

MuJoCo's renderer needs EGL or OSMesa (Debian: libegl1 or libosmesa6). MUJOCO_GL says which, and
where it is not set this takes osmesa.
"""

import os

os.environ.setdefault("MUJOCO_GL", "osmesa")

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

import lanewise as lw

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "gallery.png"
COLUMNS = 5
WIDTH, HEIGHT = 320, 240  # pixels of a tile
GAP = 6
FINER = 2  # tiles are drawn this much larger, and made smaller: smooth edges
BITS = 6  # of each colour, for a small file


@dataclass(frozen=True)
class View:
    """How a model is shown: where the camera looks [m], from where [m, degrees], and when [s]."""

    lookat: tuple[float, float, float]
    distance: float
    azimuth: float = 130.0
    elevation: float = -16.0
    time: float = 0.0
    keyframe: str = ""
    follow: str = ""  # a body that lookat is relative to


VIEWS = {
    "humanoid": View((0.0, 0.0, 0.8), 2.5, 150, -10, 0.0, "stand"),
    "quadruped": View((0.0, 0.0, 0.26), 1.35, 140, -16, 1.0, "stand"),
    "terrain": View((0.0, 0.0, 0.24), 1.8, 150, -12, 1.0, "robot_stand"),
    "leg": View((0.02, 0.0, 0.28), 1.05, 112, -10, 1.0, "stand"),
    "muscle_arm": View((0.09, 0.05, 1.27), 1.1, 112, -6, 1.0, "curl"),
    "arm": View((0.16, 0.0, 0.36), 1.4, 140, -14, 1.0, "ready"),
    "grasp": View((0.4, 0.0, 0.3), 1.2, 145, -20, 1.0, "hold"),
    "hand": View((0.0, -0.03, 0.235), 0.29, 20, -42, 0.5),
    "gripper": View((-0.03, 0.0, 0.32), 0.75, 135, -14, 1.0, "hold"),
    "glider": View((-0.1, -0.05, 0.0), 1.4, 55, -24, 1.0, "launch", "glider"),
    "heap": View((0.0, 0.0, 0.07), 0.9, 140, -32, 3.0),
    "boxes": View((0.0, 0.0, 0.14), 1.3, 140, -24, 3.0),
    "cartpole": View((0.0, 0.0, 1.28), 2.3, 112, -8, 0.35),
    "pendulum": View((0.0, 0.0, 0.88), 1.7, 112, -8, 0.25),
}
# how worlds start that have no keyframe to be shown in
STARTS = {"cartpole": (0.0, 0.12), "pendulum": (0.9,)}


def simulated(name: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The model at the time of its view."""
    view, m = VIEWS[name], lw.load(lw.models.path(name))
    d = lw.Data(m)
    if name not in STARTS:
        lw.reset_data(m, d, view.keyframe or (0 if m.nkey else None))
    else:
        d.qpos[:] = STARTS[name]
    if view.time:
        lw.step(m, d, round(view.time / m.opt.timestep))
    out = lw.get_data(m, d)
    mujoco.mj_forward(m.mj, out)
    return m.mj, out


def tile(name: str) -> Image.Image:
    """The picture of a model, with its name."""
    mj, d = simulated(name)
    mj.vis.global_.offwidth, mj.vis.global_.offheight = FINER * WIDTH, FINER * HEIGHT
    view, camera = VIEWS[name], mujoco.MjvCamera()
    camera.lookat = np.array(view.lookat) + (d.body(view.follow).xpos if view.follow else 0.0)
    camera.distance, camera.azimuth, camera.elevation = view.distance, view.azimuth, view.elevation
    renderer = mujoco.Renderer(mj, FINER * HEIGHT, FINER * WIDTH)
    try:
        renderer.update_scene(d, camera)
        picture = Image.fromarray(renderer.render())
    finally:
        renderer.close()
    picture = picture.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    label(picture, name)
    return picture


def label(picture: Image.Image, name: str) -> None:
    """The name, in the lower left corner."""
    draw = ImageDraw.Draw(picture, "RGBA")
    font = ImageFont.load_default(15)
    box = draw.textbbox((0, 0), name, font)
    top = HEIGHT - 30
    draw.rounded_rectangle((8, top, 8 + box[2] + 16, HEIGHT - 8), 6, fill=(20, 24, 32, 170))
    draw.text((16, top + 11), name, (255, 255, 255, 255), font, anchor="lm")


def arranged(tiles: list[Image.Image], columns: int = COLUMNS) -> Image.Image:
    """Tiles in rows; the last row, if it is shorter, stands in the middle."""
    rows = [tiles[k : k + columns] for k in range(0, len(tiles), columns)]
    width, height = WIDTH + GAP, HEIGHT + GAP
    whole = Image.new("RGB", (columns * width + GAP, len(rows) * height + GAP), "white")
    for i, row in enumerate(rows):
        left = GAP + (columns - len(row)) * width // 2
        for k, picture in enumerate(row):
            whole.paste(picture, (left + k * width, GAP + i * height))
    return whole


def main() -> None:
    whole = arranged([tile(name) for name in VIEWS])
    ImageOps.posterize(whole, BITS).save(PICTURE, optimize=True)
    print(f"wrote {PICTURE}, {PICTURE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
