"""A body moved by hundreds of muscles, beside MuJoCo's: python -m bench.muscles [--stages]

Musculoskeletal models have some hundred joints and several hundred muscles, each a string through
points of two to six bones and around the joints between them. `skeleton` draws one of that kind: a
tree of bones, the muscles between bones that are close in the tree. It is the same one each time.
"""

import argparse
from dataclasses import dataclass

import mujoco
import numpy as np

from lanewise.cli.terminal import table
from lanewise.lanes import W

from .contacts import HEADS, ContactCase, cells, measure_case
from .stages import print_settled

# a limb: the limb and bone it begins at, how far from the middle, its direction, its bones' length,
# and how many hinges each of its bones has
LIMBS = {
    "spine": ("pelvis", 0, (0.0, 0.0, 1.0), 0.06, (3, 3, 3, 3, 3)),
    "rib": ("spine", 4, (0.3, 0.9, -0.1), 0.10, (0, 0, 0)),
    "neck": ("spine", 4, (0.0, 0.0, 1.0), 0.05, (2, 2, 2, 2)),
    "arm": ("spine", 4, (0.1, 0.8, -0.6), 0.15, (2, 2, 3, 1, 1, 2)),
    "finger": ("arm", 5, (0.3, 0.2, -0.9), 0.03, (1, 1, 1)),
    "leg": ("pelvis", 0, (0.0, 0.1, -1.0), 0.22, (3, 1, 1, 1, 1)),
}
NUMBER = {"spine": 1, "rib": 4, "neck": 1, "arm": 1, "finger": 5, "leg": 1}  # on each side
MIDDLE = ("spine", "neck")  # the others are there on both sides
REACH = (0.55, 0.25, 0.1, 0.1)  # how many joints a muscle passes, by its probability: 1, 2, ...


@dataclass(frozen=True)
class Bone:
    """A body, and what muscles can use of it."""

    body: mujoco.MjsBody
    parent: "Bone | None"
    length: float
    direction: np.ndarray
    wraps: tuple[tuple[str, str], ...] = ()  # geoms around its joint, with their side sites


def skeleton(muscles: int = 700, seed: int = 0) -> mujoco.MjModel:
    """A body of about a hundred joints, which stands in a heap of its own weight."""
    rng = np.random.default_rng(seed)
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], condim=3)
    bones = _grow(spec, rng)
    for k in range(muscles):
        _string(spec, rng, bones, k)
    _couple(spec)
    lengths = spec.compile().tendon_length0
    for k, length in enumerate(lengths):
        _muscle(spec, k, length)
    return spec.compile()


def _grow(spec: mujoco.MjSpec, rng: np.random.Generator) -> list[Bone]:
    """All bones, from the pelvis on."""
    pelvis = spec.worldbody.add_body(name="pelvis", pos=[0, 0, 1.15])
    pelvis.add_freejoint()
    _capsule(pelvis, np.array([0.0, 1.0, 0.0]), 0.1, 0.07)
    ends = {
        ("pelvis", 0, side): Bone(pelvis, None, 0.1, np.array([0.0, 0.0, 1.0])) for side in "mlr"
    }
    bones = [ends["pelvis", 0, "m"]]
    for limb, (origin, at, direction, length, hinges) in LIMBS.items():
        for side in "m" if limb in MIDDLE else "lr":
            for n in range(NUMBER[limb]):
                start = ends.get((origin, at, side)) or ends[origin, at, "m"]
                mirror = np.array([1.0, -1.0 if side == "r" else 1.0, 1.0])
                spread = 0.15 * (n - NUMBER[limb] // 2)
                along = mirror * (np.array(direction) + [spread, spread, 0.0])
                for k, number in enumerate(hinges):
                    start = _bone(f"{limb}{side}{n}{k}", start, along, length, number, rng)
                    ends.setdefault((limb, k, side), start)
                    bones.append(start)
    return bones


def _capsule(body: mujoco.MjsBody, along: np.ndarray, length: float, radius: float) -> None:
    ends = np.outer([0.2, 0.8], length * along).ravel()
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CAPSULE, fromto=ends, size=[radius, 0, 0], density=1100,
        contype=0, conaffinity=1,
    )  # fmt: skip


def _bone(name, parent: Bone, along, length: float, hinges: int, rng) -> Bone:
    """A bone at the end of another, with hinges at its beginning and two geoms around them."""
    along = along / np.linalg.norm(along)
    place = parent.length * parent.direction
    body = parent.body.add_body(name=name, pos=place + 0.1 * length * rng.normal(size=3))
    axes = np.linalg.qr(np.column_stack([along, rng.normal(size=(3, 2))]))[0].T[::-1]
    for k in range(hinges):
        body.add_joint(
            name=f"{name}_{k}", axis=axes[k], range=[-0.7, 0.7], limited=1, damping=[0.3, 0, 0],
            armature=0.002, stiffness=[2, 0, 0],
        )  # fmt: skip
    _capsule(body, along, length, 0.12 * length + 0.005)
    wraps = []
    for k in range(2 if hinges else 0):
        sphere = rng.random() < 0.35
        kind = mujoco.mjtGeom.mjGEOM_SPHERE if sphere else mujoco.mjtGeom.mjGEOM_CYLINDER
        radius = rng.uniform(0.08, 0.16) * length
        owner, center = (parent.body, place) if k else (body, 0.1 * length * rng.normal(size=3))
        owner.add_geom(
            name=f"{name}_wrap{k}", type=kind, size=[radius, 0 if sphere else 2 * radius, 0],
            pos=center, zaxis=axes[0] + 0.2 * rng.normal(size=3), mass=0, contype=0, conaffinity=0,
        )  # fmt: skip
        side = ""
        if rng.random() < 0.6:
            side = f"{name}_side{k}"
            out = np.cross(axes[0], along) * (1.6 if rng.random() < 0.9 else 0.5)
            owner.add_site(name=side, pos=center + out * radius)
        wraps.append((f"{name}_wrap{k}", side))
    return Bone(body, parent, length, along, tuple(wraps))


def _string(spec: mujoco.MjSpec, rng, bones: list[Bone], k: int) -> None:
    """A tendon from a bone over one or several joints towards the root."""
    tendon = spec.add_tendon(name=f"string{k}")
    bone, left = bones[1 + k % (len(bones) - 1)], 1 + rng.choice(len(REACH), p=REACH)
    side = rng.normal(size=3)  # of the bones where this muscle runs
    number = 0

    def through(bone: Bone, places) -> None:
        nonlocal number
        for x in places:
            out = side - bone.direction * (side @ bone.direction)
            out = out / np.linalg.norm(out) + 0.2 * rng.normal(size=3)
            pos = x * bone.length * bone.direction + (0.15 * bone.length + 0.005) * out
            tendon.wrap_site(bone.body.add_site(name=f"string{k}_{number}", pos=pos).name)
            number += 1

    through(bone, np.sort(rng.uniform(0.2, 0.8, rng.integers(1, 3)))[::-1])
    while left and bone.parent is not None:
        if bone.wraps and rng.random() < 0.5:
            tendon.wrap_geom(*bone.wraps[rng.integers(2)])
        if bone.wraps:
            left -= 1
        bone = bone.parent
        through(bone, np.sort(rng.uniform(0.2, 0.8, rng.integers(1, 3)))[::-1])


def _muscle(spec: mujoco.MjSpec, k: int, length: float) -> None:
    actuator = spec.add_actuator(
        name=f"muscle{k}", trntype=mujoco.mjtTrn.mjTRN_TENDON, target=f"string{k}",
        lengthrange=[0.75 * length, 1.25 * length], ctrllimited=1, ctrlrange=[0, 1],
    )  # fmt: skip
    actuator.set_to_muscle(
        [0.01, 0.04], tausmooth=0.0, range=[0.75, 1.05], force=60.0, scale=-1, lmin=0.5, lmax=1.6,
        vmax=1.5, fpmax=1.3, fvmax=1.2,
    )  # fmt: skip


def _couple(spec: mujoco.MjSpec) -> None:
    """The spine bends evenly, and fingers curl."""
    pairs = [(f"spinem0{k}_{axis}", f"spinem00_{axis}") for k in range(1, 5) for axis in range(3)]
    pairs += [(f"finger{s}{n}2_0", f"finger{s}{n}1_0") for s in "lr" for n in range(5)]
    for one, other in pairs:
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_JOINT, name1=one, name2=other, objtype=mujoco.mjtObj.mjOBJ_JOINT,
            data=[0, 1, *[0] * 10],
        )  # fmt: skip


@dataclass(frozen=True)
class MuscleCase(ContactCase):
    """A skeleton that has sunk to the ground."""

    model: str = "skeleton"
    muscles: int = 700

    def load(self) -> mujoco.MjModel:
        mj = skeleton(self.muscles)
        for name, value in self.options.items():
            setattr(mj.opt, name, value)
        return mj


CASES = (
    MuscleCase(label="300 muscles", muscles=300, nsim=64, nstep=20),
    MuscleCase(label="700 muscles", nsim=64, nstep=20),
)


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.muscles", description=__doc__)
    parser.add_argument("--stages", action="store_true", help="700 muscles, by stage")
    if parser.parse_args().stages:
        print_settled(MuscleCase(nsim=W))
        return
    rows = [measure_case(case, rounds=4) for case in CASES]
    print(table([cells(row) for row in rows], HEADS))


if __name__ == "__main__":
    main()
