"""Rays beside MuJoCo's: python -m bench.rays [--quick]

A thousand rays from one point among bumpy meshes, `lw.multi_ray` beside `mj_multiRay`, and a lidar
of 64 rays in many worlds of that scene and of a bundled robot, `Batch.ray` beside
`mujoco.batch.Batch.ray`. One thread; both engines in turns, the least time of several rounds.
"""

import argparse
import time
from collections.abc import Callable

import mujoco
import mujoco.batch
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli.terminal import table

HEADS = ("case", "Lanewise, us/ray", "MuJoCo, us/ray", "ratio")


def bumpy_ball(splits: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of an octahedron that was split and blown up: 8 * 4**splits faces."""
    vertex = [np.array(p, float) for p in np.r_[np.eye(3), -np.eye(3)]]
    faces = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
    for _ in range(splits):
        middle: dict[tuple[int, int], int] = {}

        def between(a: int, b: int, middle: dict = middle) -> int:
            key = min(a, b), max(a, b)
            if key not in middle:
                middle[key] = len(vertex)
                vertex.append(vertex[a] + vertex[b])
                vertex[-1] /= np.linalg.norm(vertex[-1])
            return middle[key]

        split = []
        for a, b, c in faces:
            x, y, z = between(a, b), between(b, c), between(c, a)
            split += [(a, x, z), (x, b, y), (z, y, c), (x, y, z)]
        faces = split
    v = np.array(vertex)
    bumps = 1.0 + 0.1 * np.sin(7.0 * v[:, :1] + 3.0 * v[:, 1:2]) * np.cos(5.0 * v[:, 2:])
    return v * bumps, np.array(faces)


def mesh_scene(splits: int = 6, count: int = 12) -> mujoco.MjModel:
    """Balls of 32,768 faces on a circle."""
    vertices, faces = bumpy_ball(splits)
    spec, geom = mujoco.MjSpec(), mujoco.mjtGeom
    spec.add_mesh(name="ball", uservert=vertices.ravel(), userface=faces.ravel())
    spec.worldbody.add_geom(type=geom.mjGEOM_PLANE, size=[20, 20, 1], pos=[0, 0, -1])
    for k in range(count):
        angle = 2.0 * np.pi * k / count
        pos = [4.0 * np.cos(angle), 4.0 * np.sin(angle), 0.2 * k - 1.0]
        body = spec.worldbody.add_body(pos=pos)
        body.add_freejoint()
        body.add_geom(type=geom.mjGEOM_MESH, meshname="ball")
    return spec.compile()


def lidar(rings: int, around: int) -> np.ndarray:
    """Directions by rings, from below to above the horizon."""
    azimuth = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    a, e = np.meshgrid(azimuth, np.linspace(-0.5, 0.3, rings))
    return np.stack([np.cos(a) * np.cos(e), np.sin(a) * np.cos(e), np.sin(e)], -1).reshape(-1, 3)


def race(ours: Callable, theirs: Callable, rounds: int) -> tuple[float, float]:
    """The least seconds of both, in turns."""
    best = [np.inf, np.inf]
    for _ in range(rounds):
        for k, call in enumerate((ours, theirs)):
            start = time.perf_counter()
            call()
            best[k] = min(best[k], time.perf_counter() - start)
    return best[0], best[1]


def row(name: str, n: int, seconds: tuple[float, float]) -> tuple[str, ...]:
    ours, theirs = (1e6 * s / n for s in seconds)
    return name, f"{ours:.3f}", f"{theirs:.3f}", f"{theirs / ours:.2f}"


def one_world(name: str, vec: np.ndarray, rounds: int) -> tuple[str, ...]:
    m = lw.load(mesh_scene())
    mj_data, pnt, n = mujoco.MjData(m.mj), np.zeros(3), len(vec)
    mujoco.mj_forward(m.mj, mj_data)
    d = lw.put_data(m, mj_data)
    geom, dist, normal = np.zeros(n, np.int32), np.zeros(n), np.zeros(3 * n)

    def theirs() -> None:
        mujoco.mj_multiRay(
            m.mj, mj_data, pnt, vec.ravel(), None, True, -1, geom, dist, normal, n, 1e10
        )

    seconds = race(lambda: lw.multi_ray(m, d, pnt, vec), theirs, rounds)
    np.testing.assert_allclose(lw.multi_ray(m, d, pnt, vec)[0], dist, atol=1e-9)
    return row(name, n, seconds)


def many_worlds(name: str, mj: mujoco.MjModel, nsim: int, rounds: int) -> tuple[str, ...]:
    ours, theirs = lw.Batch(mj, nsim, 1), mujoco.batch.Batch(mj, nsim, 1)
    qpos = mj.qpos0 + 0.1 * np.random.default_rng(0).normal(size=(nsim, mj.nq))
    ours.qpos[:] = theirs.qpos[:] = qpos
    vec, pnt = lidar(4, 16), np.array([0.0, 0.0, 1.0])
    seconds = race(lambda: ours.ray(pnt, vec), lambda: theirs.ray(pnt, vec), rounds)
    np.testing.assert_allclose(ours.ray(pnt, vec)[0], theirs.ray(pnt, vec)[0], atol=1e-9)
    return row(name, 64 * nsim, seconds)


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.rays", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and worlds")
    quick = parser.parse_args().quick
    rounds, nsim = (3, 64) if quick else (20, 4096)
    rng = np.random.default_rng(1)
    humanoid = mujoco.MjModel.from_xml_path(str(models.path("humanoid")))
    rows = [
        one_world("meshes, 1000 rays of a lidar", lidar(20, 50), rounds),
        one_world("meshes, 1000 rays anywhere", rng.normal(size=(1000, 3)), rounds),
        many_worlds(f"meshes, {nsim} worlds of 64 rays", mesh_scene(), nsim, max(rounds // 5, 2)),
        many_worlds(f"humanoid, {nsim} worlds of 64 rays", humanoid, nsim, max(rounds // 5, 2)),
    ]
    print(table(rows, HEADS))


if __name__ == "__main__":
    main()
