"""Two geoms that just touch: models and poses for comparing narrow phases.

`pair_model(kind1, kind2, rng)` is a model with two free geoms of given kinds and random sizes (a
plane or a height field stays fixed). `touching(model, rng)` is a state in which they overlap by a
chosen depth or are a chosen distance apart: the second geom is placed at random and moved along the
shortest line until it fits. Some orientations are drawn among the symmetric ones, where faces,
edges and axes are parallel and methods take their special cases; in some poses two faces are flush.
"""

import mujoco
import numpy as np

from lanewise.engine.collision.pairs import PAIRS as TABLE
from support.generator_drawing import say

PAIRS = list(TABLE)


def _vertices(rng: np.random.Generator) -> np.ndarray:
    kind = rng.integers(4)
    if kind == 0:  # a crooked box
        corners = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        return corners * rng.uniform(0.05, 0.15, 3)
    if kind == 1:  # a prism
        angle = np.linspace(0, 2 * np.pi, int(rng.integers(3, 9)), endpoint=False)
        ring = 0.1 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return np.concatenate([np.c_[ring, 0 * angle - 0.06], np.c_[0.8 * ring, 0 * angle + 0.09]])
    number = int(rng.integers(4, 9)) if kind == 2 else int(rng.integers(20, 60))
    points = rng.normal(size=(number, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points * rng.uniform(0.07, 0.16, 3)


def pair_model(kind1: str, kind2: str, rng: np.random.Generator) -> mujoco.MjModel:
    """Two geoms, with margins and gaps in half of the models."""
    assets, bodies = [], []
    for name, kind in (("a", kind1), ("b", kind2)):
        size = say(rng.uniform(0.04, 0.17, 3))
        extra = ""
        if rng.random() < 0.5:
            margin, gap = rng.uniform(0, 0.02, 2) * (rng.random(2) < 0.6)
            extra = f'margin="{margin:.4g}" gap="{gap:.4g}"'
        if kind == "mesh":
            vertex = " ".join(f"{x:.5g}" for x in _vertices(rng).ravel())
            assets.append(f'<mesh name="{name}" vertex="{vertex}"/>')
            shape = f'type="mesh" mesh="{name}"'
        elif kind == "hfield":
            rows, columns = rng.integers(3, 9, 2)
            data = " ".join(f"{x:.3f}" for x in rng.random(rows * columns))
            size = say([*rng.uniform(0.3, 0.6, 2), rng.uniform(0.02, 0.15), 0.1])
            assets.append(
                f'<hfield name="{name}" nrow="{rows}" ncol="{columns}" size="{size}"'
                f' elevation="{data}"/>'
            )
            shape = f'type="hfield" hfield="{name}"'
        else:
            shape = f'type="{kind}" size="{size}"'
        geom = f'<geom name="{name}" {shape} {extra}/>'
        fixed = kind in ("plane", "hfield")
        bodies.append(geom if fixed else f'<body name="{name}"><freejoint/>{geom}</body>')
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><compiler angle='radian'/><option><flag sensor='disable'/></option>"
        f"<asset>{''.join(assets)}</asset><worldbody>{''.join(bodies)}</worldbody></mujoco>"
    )


def _orientation(rng: np.random.Generator) -> np.ndarray:
    kind = rng.random()
    if kind < 0.55:
        q = rng.normal(size=4)
    elif kind < 0.75:  # one of the 24 of a cube, or half a turn less
        q = rng.integers(-1, 2, 4).astype(float)
        q[0] += not q.any()
    else:  # about one axis, or almost upright
        q = np.zeros(4)
        q[0], q[1 + rng.integers(3)] = rng.normal(size=2)
        if rng.random() < 0.3:
            q += 1e-7 * rng.normal(size=4)
    return q / np.linalg.norm(q)


def _flush(qpos: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Turn the second geom so that its axes are those of the first; where to place it."""
    mujoco.mju_mulQuat(qpos[10:14], qpos[3:7], _CUBE[rng.integers(len(_CUBE))])
    mat = np.zeros(9)
    mujoco.mju_quat2Mat(mat, qpos[3:7])
    offset = rng.uniform(-0.15, 0.15, 3)
    offset[rng.integers(3)] = rng.choice((-1, 1))
    return mat.reshape(3, 3) @ offset


_CUBE = np.concatenate([np.eye(4), np.sqrt(0.5) * (np.eye(4)[[1, 2, 3]] + np.eye(4)[0])])


def touching(mj_model: mujoco.MjModel, rng: np.random.Generator, tries: int = 30) -> mujoco.MjData:
    """A state in which the two geoms of a `pair_model` are near each other."""
    for _ in range(tries):
        mj_data = mujoco.MjData(mj_model)
        for j in range(mj_model.njnt):
            mj_data.qpos[7 * j + 3 : 7 * j + 7] = _orientation(rng)
        last = 7 * (mj_model.njnt - 1)
        field = mj_model.nhfield > 0
        if rng.random() < 0.25 and mj_model.njnt == 2:
            direction = _flush(mj_data.qpos, rng)
        elif rng.random() < 0.3:  # in line with an axis
            direction = np.eye(3)[2 if field else rng.integers(3)] * rng.choice((-1, 1))
        else:
            direction = rng.normal(size=3)
        if field or 0 in mj_model.geom_type:
            direction[2] = abs(direction[2])
        mj_data.qpos[last : last + 3] = 0.6 * direction / np.linalg.norm(direction)
        if field:
            mj_data.qpos[last : last + 2] = rng.uniform(-0.3, 0.3, 2)
            mj_data.qpos[last + 2] = rng.uniform(0.0, 0.25)
            mujoco.mj_forward(mj_model, mj_data)
            if mj_data.ncon:
                return mj_data
            continue
        mujoco.mj_forward(mj_model, mj_data)
        depth = rng.choice((rng.uniform(-0.02, 0.0), rng.uniform(0.0, 0.01), rng.uniform(0, 0.06)))
        for _ in range(3):
            line = np.zeros(6)
            distance = mujoco.mj_geomDistance(mj_model, mj_data, 0, 1, 10.0, line)
            if distance <= 1e-6:
                break
            toward = (line[:3] - line[3:]) / distance
            mj_data.qpos[last : last + 3] += (distance + depth) * toward
            mujoco.mj_forward(mj_model, mj_data)
        mj_data.qvel[:] = rng.normal(0, 0.3, mj_model.nv)
        if mj_data.ncon or rng.random() < 0.2:
            return mj_data
    return mj_data
