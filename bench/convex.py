"""Meshes, height fields and other convex shapes beside MuJoCo's batch: python -m bench.convex

As bench.contacts has it: worlds settle, and both engines take the same steps from there, in turns,
on one thread. Beside the whole step stands the collision stage: of the first eight of these worlds,
in one gang, beside `mj_collision` of each of them. All times are per world.
"""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import mujoco
import numpy as np

import lanewise as lw
from lanewise.cli import measure
from lanewise.cli.terminal import table
from lanewise.lanes import W

from .contacts import ContactCase, Timed, geometric_mean, in_turns, measure_case
from .stages import Stages


@dataclass(frozen=True)
class Scene(ContactCase):
    """A case whose MJCF is made here; None: that of the model, a bundled one or a file."""

    nsim: int = 64
    nstep: int = 20
    mjcf: Callable[[], str] | None = None

    def compiled(self) -> mujoco.MjModel:
        return mujoco.MjModel.from_xml_string(self.mjcf()) if self.mjcf else super().compiled()


# ---- parts of scenes


def numbers(values: Iterable[float]) -> str:
    return " ".join(f"{x:.4f}" for x in values)


def mesh(name: str, vertices: np.ndarray) -> str:
    return f'<mesh name="{name}" vertex="{numbers(np.ravel(vertices))}"/>'


def stone(name: str, rng: np.random.Generator, n: int, size: float) -> str:
    """A mesh of n vertices in all directions, more or less so far from the middle."""
    v = rng.normal(size=(n, 3))
    return mesh(name, v / np.linalg.norm(v, axis=1)[:, None] * size * rng.uniform(0.8, 1.2, (n, 1)))


def stones(seed: int) -> str:
    """Meshes of 6 to 120 vertices, and a ball of 642."""
    rng = np.random.default_rng(seed)
    ball = '<mesh name="s6" builtin="sphere" params="3" scale=".06 .05 .07"/>'
    return (
        "".join(stone(f"s{k}", rng, n, 0.06) for k, n in enumerate((6, 9, 14, 30, 60, 120))) + ball
    )


def body(pos: tuple[float, float, float], geom: str) -> str:
    return f'<body pos="{numbers(pos)}"><freejoint/><geom {geom}/></body>'


def scene(assets: str, bodies: str, rest: str = "") -> str:
    return (
        f'<mujoco><option timestep="0.003"/><asset>{assets}</asset>'
        f"<worldbody>{bodies}</worldbody>{rest}</mujoco>"
    )


def crate(geoms: Iterable[str]) -> str:
    """Bodies in layers of four, between four walls."""
    walls = "".join(
        f'<geom type="box" size="{a} {b} .3" pos="{x} {y} .3"/>'
        for a, b, x, y in (
            (0.02, 0.2, 0.2, 0), (0.02, 0.2, -0.2, 0), (0.2, 0.02, 0, 0.2), (0.2, 0.02, 0, -0.2)
        )
    )  # fmt: skip
    bodies = [
        body((0.13 * (k % 2 - 0.5), 0.13 * (k % 4 // 2 - 0.5), 0.08 + 0.14 * (k // 4)), geom)
        for k, geom in enumerate(geoms)
    ]
    return f'<geom type="plane" size="0 0 1"/>{walls}{"".join(bodies)}'


# ---- scenes


def stones_in_a_crate() -> str:
    return scene(stones(1), crate(f'type="mesh" mesh="s{k % 7}"' for k in range(12)))


def shapes_in_a_crate() -> str:
    """No meshes: cylinders, ellipsoids, boxes and capsules."""
    kinds = ("cylinder", "ellipsoid", "box", "cylinder", "capsule", "cylinder")
    return scene("", crate(f'type="{kinds[k % 6]}" size=".05 .06 .05"' for k in range(12)))


def stones_in_a_bowl() -> str:
    """A bowl of twelve tiles, each a mesh."""
    assets, bodies = stones(0), '<geom type="plane" size="0 0 1" pos="0 0 -.05"/>'
    for k in range(12):
        angle = 2.0 * np.pi * np.array([k, k + 1]) / 12
        tile = [
            (r * np.cos(t), r * np.sin(t), z - down)
            for r, z in ((0.08, 0.0), (0.35, 0.2)) for t in angle for down in (0.0, 0.04)
        ]  # fmt: skip
        assets += mesh(f"tile{k}", np.array(tile))
        bodies += f'<geom type="mesh" mesh="tile{k}"/>'
    for k in range(8):
        pos = 0.1 * np.cos(2.4 * k), 0.1 * np.sin(2.4 * k), 0.2 + 0.1 * k
        bodies += body(pos, f'type="mesh" mesh="s{k % 7}"')
    return scene(assets, bodies)


def grippers_with_stones(count: int = 2) -> str:
    """Grippers that hold stones over a table; a finger is three meshes with bevelled edges."""
    rng = np.random.default_rng(3)
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = corners * (0.012, 0.02, 0.03)
    bevels = np.array([(1.0, 0.8, 0.8), (0.8, 1.0, 0.8), (0.8, 0.8, 1.0)])
    assets = mesh("link", np.concatenate([bevel * corners for bevel in bevels]))
    bodies, actuators, keyed = '<geom type="plane" size="1 1 1"/>', "", ""
    for k in range(count):
        assets += stone(f"held{k}", rng, 40, 0.03)
        fingers = "".join(
            f'<body pos="{side * 0.06} 0 0"><joint name="{name}{k}" type="slide" axis="{-side} 0 0"'
            ' damping="5" range="-.02 .06"/>'
            + "".join(
                f'<geom type="mesh" mesh="link" pos="0 0 {-0.05 * i}" mass=".05"/>'
                for i in range(3)
            )
            + "</body>"
            for side, name in ((-1, "left"), (1, "right"))
        )
        bodies += f'<body pos="{0.4 * k} 0 .25" gravcomp="1">{fingers}</body>'
        bodies += body((0.4 * k, 0, 0.16), f'type="mesh" mesh="held{k}" mass=".1" condim="4"')
        actuators += "".join(
            f'<position joint="{name}{k}" kp="300" ctrlrange="-.02 .06"/>'
            for name in ("left", "right")
        )
        keyed += " 0.05 0.05"
    rest = f'<actuator>{actuators}</actuator><keyframe><key name="hold" ctrl="{keyed}"/></keyframe>'
    return scene(assets, bodies, rest)


def on_a_field(geom: str) -> Callable[[], str]:
    """Six bodies of one kind on rough ground, whose cells are smaller than they are."""

    def mjcf() -> str:
        rng, n = np.random.default_rng(2), 40
        z = rng.uniform(size=(n, n))
        z = (z + np.roll(z, 1, 0) + np.roll(z, 1, 1) + np.roll(z, 2, 0)) / 4
        field = (
            f'<hfield name="h" nrow="{n}" ncol="{n}" size="1 1 .1 .1"'
            f' elevation="{numbers(z.ravel())}"/>'
        )
        places = [(0.5 * (k % 3 - 1), 0.5 * (k // 3 - 1), 0.3) for k in range(6)]
        bodies = "".join(body(pos, geom) for pos in places)
        ground = '<geom type="hfield" hfield="h"/>'
        return scene(field + stone("stone", rng, 20, 0.1), ground + bodies)

    return mjcf


SCENES = (
    Scene("grippers with stones", key="hold", scatter=0.004, settle=0.5, mjcf=grippers_with_stones),
    Scene("terrain", "quadruped on a height field", scatter=0.03),
    Scene("stones in a bowl", scatter=0.02, settle=1.5, mjcf=stones_in_a_bowl),
    Scene("stones in a crate", scatter=0.01, settle=1.5, mjcf=stones_in_a_crate),
    Scene("shapes in a crate", scatter=0.01, settle=1.5, mjcf=shapes_in_a_crate),
    *(
        Scene(f"{name} on a height field", scatter=0.02, mjcf=on_a_field(geom))
        for name, geom in (
            ("spheres", 'type="sphere" size=".09"'),
            ("capsules", 'type="capsule" size=".05 .1"'),
            ("boxes", 'type="box" size=".08 .1 .06"'),
            ("cylinders", 'type="cylinder" size=".07 .06"'),
            ("stones", 'type="mesh" mesh="stone"'),
        )
    ),
)


# ---- timing


@dataclass(frozen=True)
class Found:
    """A scene: its step, and microseconds per world of the collision stage of both engines."""

    step: Timed
    lanewise: float
    mujoco: float
    same: bool  # whether both have as many contacts in each of the worlds

    @property
    def ratio(self) -> float:
        return self.mujoco / self.lanewise


def measure_scene(case: Scene, rounds: int, calls: int = 4) -> Found:
    step = measure_case(case, rounds)
    with measure.mujoco_clock(False):
        gang = Stages(step.worlds.mj, step.worlds.state[np.arange(W) % step.worlds.nsim])

        def ours() -> None:
            for _ in range(calls):
                lw.collision(gang.m, gang.d)

        def theirs() -> None:
            for _ in range(calls):
                for d in gang.mj_data:
                    mujoco.mj_collision(gang.mj, d)

        seconds = in_turns([ours, theirs], 10 * rounds)
    same = np.array_equal(gang.d.ncon, [d.ncon for d in gang.mj_data])
    scale = 1e6 / (calls * W)
    return Found(step, scale * seconds[0], scale * seconds[1], same)


# ---- printing

HEADS = (
    "scene", "nv", "contacts", "step: Lanewise, us", "mujoco.batch, us", "ratio",
    "collision: Lanewise, us", "MuJoCo, us", "ratio", "difference",
)  # fmt: skip


def cells(row: Found) -> tuple:
    step, w = row.step, row.step.worlds
    return (
        step.case.name, w.mj.nv, f"{w.ncon:.1f}", f"{step.lanewise:.2f}", f"{step.mujoco:.2f}",
        f"{step.ratio:.2f}", f"{row.lanewise:.2f}", f"{row.mujoco:.2f}", f"{row.ratio:.2f}",
        f"{step.apart:.0e}",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.convex", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and worlds")
    parser.add_argument("--only", default="", help="only scenes whose name contains this")
    arguments = parser.parse_args()
    rounds = 2 if arguments.quick else 7
    rows = []
    for case in SCENES:
        if arguments.only in case.name:
            case = replace(case, nsim=16) if arguments.quick else case
            rows.append(measure_scene(case, rounds))
            print(f"{case.name}: ratio {rows[-1].step.ratio:.2f}", flush=True)
    print(table([cells(row) for row in rows], HEADS))
    steps, stages = [row.step.ratio for row in rows], [row.ratio for row in rows]
    print(
        f"geometric mean of the ratios: {geometric_mean(steps):.2f}, least {min(steps):.2f};"
        f" of collision {geometric_mean(stages):.2f}, least {min(stages):.2f}"
    )


if __name__ == "__main__":
    main()
