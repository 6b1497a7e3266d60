"""Models with sensors of every kind on everything that they have, and what two engines read."""

from collections.abc import Iterator

import mujoco
import numpy as np

import lanewise as lw
from support import parity
from support.states import random_state

S, OBJ = mujoco.mjtSensor, mujoco.mjtObj
_ON_SITES = ("TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE", "MAGNETOMETER")
_ON_SCALAR_JOINTS = ("JOINTPOS", "JOINTVEL", "JOINTACTFRC")
_ON_LIMITED_JOINTS = ("JOINTLIMITPOS", "JOINTLIMITVEL", "JOINTLIMITFRC")
_ON_BALLS = ("BALLQUAT", "BALLANGVEL")
_ON_TENDONS = ("TENDONPOS", "TENDONVEL", "TENDONACTFRC")
_ON_LIMITED_TENDONS = ("TENDONLIMITPOS", "TENDONLIMITVEL", "TENDONLIMITFRC")
_ON_ACTUATORS = ("ACTUATORPOS", "ACTUATORVEL", "ACTUATORFRC")
_ON_BODIES = ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM")
_OF_FRAMES = ("FRAMEPOS", "FRAMEQUAT", "FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS")
_OF_FRAMES += ("FRAMELINVEL", "FRAMEANGVEL", "FRAMELINACC", "FRAMEANGACC")
_OF_ALL = ("E_POTENTIAL", "E_KINETIC", "CLOCK")


class Sensing:
    """A spec to which sensors are added, at most `most` of a kind."""

    def __init__(self, spec: mujoco.MjSpec, seed: int = 0, most: int = 3):
        self.spec, self.rng, self.most = spec, np.random.default_rng(seed), most
        self.only: frozenset[str] = frozenset()

    def add(self, kind, objtype=None, objname=None, **more):
        if self.only and kind not in self.only:
            return
        sensor = self.spec.add_sensor()
        sensor.type = getattr(S, f"mjSENS_{kind}")
        if objtype is not None:
            sensor.objtype, sensor.objname = getattr(OBJ, f"mjOBJ_{objtype}"), objname
        for name, value in more.items():
            setattr(sensor, name, value)
        plain = not kind.endswith(("QUAT", "AXIS"))
        if plain and self.rng.random() < 0.2 and "cutoff" not in more:
            sensor.cutoff = float(self.rng.uniform(0.05, 2.0))

    def some(self, names):
        names = list(names)
        if len(names) > self.most:
            names = [names[i] for i in sorted(self.rng.choice(len(names), self.most, False))]
        return names


def named(spec, prefix="the"):
    """Give a name to all that has none, and a site and a camera to some bodies."""
    bodies = [b for b in spec.bodies if b.name != "world"]
    for k, b in enumerate(bodies):
        if k % 3 == 0:
            kind = ("SPHERE", "BOX", "CAPSULE", "CYLINDER", "ELLIPSOID")[k % 5]
            b.add_site(
                name=f"{prefix} site {k}", pos=[0.02, -0.03, 0.05], euler=[10 * k, 20, -30],
                type=getattr(mujoco.mjtGeom, f"mjGEOM_{kind}"), size=[0.11, 0.14, 0.12],
            )  # fmt: skip
        if k % 4 == 0:
            camera = b.add_camera(
                name=f"{prefix} camera {k}", pos=[0.1, 0.2, 0.3], resolution=[5, 4]
            )
            if k % 8 == 4:
                camera.proj = mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC
            elif k % 3 == 1:
                camera.sensor_size, camera.focal_length = [0.03, 0.02], [0.02, 0.03]
                camera.principal_length = [0.002, -0.001]
    for kind in ("bodies", "joints", "geoms", "sites", "cameras", "tendons", "actuators"):
        for k, x in enumerate(getattr(spec, kind)):
            if not x.name:
                x.name = f"{prefix} {kind} {k}"
    return spec


def with_sensors(source, seed=0, most=3, only=()):
    """A MjModel of an XML text, file or spec, with sensors on everything that it has."""
    if isinstance(source, mujoco.MjSpec):
        spec = source.copy()
    elif "<" in source:
        spec = mujoco.MjSpec.from_string(source)
    else:
        spec = mujoco.MjSpec.from_file(str(source))
    named(spec)
    s = Sensing(spec, seed, most)
    s.only = frozenset(only)
    joint, sites = mujoco.mjtJoint, [x.name for x in spec.sites]
    cameras = [x.name for x in spec.cameras]
    compiled = spec.compile()
    for kind in _ON_SITES:
        for name in s.some(sites):
            s.add(kind, "SITE", name)
    for j in s.some(
        x.name for x in spec.joints if x.type in (joint.mjJNT_HINGE, joint.mjJNT_SLIDE)
    ):
        for kind in _ON_SCALAR_JOINTS:
            s.add(kind, "JOINT", j)
    return finish(s, spec, compiled, sites, cameras)


def finish(s, spec, compiled, sites, cameras):
    joint = mujoco.mjtJoint
    limited = [x.name for x in spec.joints if compiled.jnt_limited[compiled.joint(x.name).id]]
    for j in s.some(n for n in limited if compiled.jnt_type[compiled.joint(n).id] != 0):
        for kind in _ON_LIMITED_JOINTS:
            s.add(kind, "JOINT", j)
    for j in s.some(x.name for x in spec.joints if x.type == joint.mjJNT_BALL):
        for kind in _ON_BALLS:
            s.add(kind, "JOINT", j)
    for t in s.some(x.name for x in spec.tendons):
        for kind in _ON_TENDONS:
            s.add(kind, "TENDON", t)
    for t in s.some(
        x.name for x in spec.tendons if compiled.tendon_limited[compiled.tendon(x.name).id]
    ):
        for kind in _ON_LIMITED_TENDONS:
            s.add(kind, "TENDON", t)
    for a in s.some(x.name for x in spec.actuators):
        for kind in _ON_ACTUATORS:
            s.add(kind, "ACTUATOR", a)
    for b in s.some(x.name for x in spec.bodies):
        for kind in _ON_BODIES:
            s.add(kind, "BODY", b)
    frames = [("BODY", x.name) for x in spec.bodies] + [("XBODY", x.name) for x in spec.bodies]
    frames += [("GEOM", x.name) for x in spec.geoms] + [("SITE", x) for x in sites]
    frames += [("CAMERA", x) for x in cameras]
    for kind in _OF_FRAMES:
        for _ in range(2 * s.most):
            obj, ref = (frames[s.rng.integers(len(frames))] for _ in range(2))
            more = {}
            if s.rng.random() < 0.5 and not kind.endswith("ACC"):
                more = {"reftype": getattr(OBJ, f"mjOBJ_{ref[0]}"), "refname": ref[1]}
            s.add(kind, *obj, **more)
    for c in s.some(cameras):
        for site in s.some(sites):
            s.add("CAMPROJECTION", "SITE", site, reftype=OBJ.mjOBJ_CAMERA, refname=c)
    for kind in _OF_ALL:
        s.add(kind)
    for name in s.some(sites):
        s.add("RANGEFINDER", "SITE", name, intprm=[int(s.rng.integers(1, 64)), 0, 0])
    for name in s.some(x.name for x in spec.cameras if min(x.resolution) > 1)[:2]:
        s.add("RANGEFINDER", "CAMERA", name, intprm=[int(s.rng.integers(1, 64)), 0, 0])
    add_contact_sensors(s, spec, sites)
    geoms = [("GEOM", x.name) for x in spec.geoms if int(x.type) in (0, 2, 3, 4, 5, 6, 7)]
    bodies = [("BODY", x.name) for x in spec.bodies if len(x.geoms) and x.name != "world"]
    for kind in ("GEOMDIST", "GEOMNORMAL", "GEOMFROMTO"):
        for _ in range(2 * s.most if geoms and bodies else 0):
            pool = bodies if s.rng.random() < 0.3 else geoms
            first, second = (pool[s.rng.integers(len(pool))] for _ in range(2))
            if first != second:
                ref = {"reftype": getattr(OBJ, f"mjOBJ_{second[0]}"), "refname": second[1]}
                s.add(kind, *first, **ref, cutoff=float(s.rng.choice([0.0, 0.1, 1.0, 100.0])))
    for site in s.some(sites):
        for _ in range(s.most):
            obj = frames[s.rng.integers(len(frames))]
            ref = {"reftype": OBJ.mjOBJ_SITE, "refname": site}
            s.add("INSIDESITE", *obj, **ref, cutoff=0.0)
    return spec.compile()


def add_contact_sensors(s, spec, sites):
    """Contact sensors of all ways to match, reduce and report."""
    geoms, bodies = [x.name for x in spec.geoms], [x.name for x in spec.bodies]
    sides = [("UNKNOWN", ""), *[("GEOM", x) for x in s.some(geoms)]]
    sides += [(kind, x) for kind in ("BODY", "XBODY") for x in s.some(bodies)]
    for _ in range(8 * s.most):
        first = [*sides, *[("SITE", x) for x in s.some(sites)]][s.rng.integers(len(sides))]
        second = sides[s.rng.integers(len(sides))]
        reduction = int(s.rng.integers(4))
        data = int(s.rng.integers(1, 1 << 9)) & (0x7F if reduction == 3 else 0x1FF)
        slots = 1 if reduction == 3 else int(s.rng.integers(1, 5))
        if first[0] == "SITE" and second[0] == "UNKNOWN" and s.rng.random() < 0.5:
            second = ("XBODY", bodies[0])
        s.add(
            "CONTACT", *first, reftype=getattr(OBJ, f"mjOBJ_{second[0]}"), refname=second[1],
            intprm=[max(data, 1), reduction, slots], cutoff=0.0,
        )  # fmt: skip


# ---- comparing


def without_energy(mj: mujoco.MjModel) -> mujoco.MjModel:
    """MuJoCo shows the kinetic energy of the step before where energy is enabled."""
    mj.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    return mj


def states(mj: mujoco.MjModel, seed: int, number: int = 3) -> Iterator[mujoco.MjData]:
    """Data after a few steps, so that constraints and histories have something to show."""
    rng = np.random.default_rng(seed)
    for k in range(number):
        data = random_state(mj, rng) if k else mujoco.MjData(mj)
        for _ in range(3):
            mujoco.mj_step(mj, data)
        if np.isfinite(data.qacc).all() and not data.warning.number.any():
            mujoco.mj_forward(mj, data)
            yield data


def sensed_alone(m: lw.Model, data: mujoco.MjData) -> np.ndarray:
    """sensordata of each stage from MuJoCo's own data; what is not written is NaN."""
    d = lw.put_data(m, data)
    d.sensordata[:] = np.nan
    for stage in (lw.sensor_pos, lw.sensor_vel, lw.sensor_acc):
        stage(m, d)
    return d.sensordata


def residuals(
    mj: mujoco.MjModel, mine: np.ndarray, theirs: np.ndarray
) -> Iterator[tuple[str, slice, float]]:
    """(kind, place in sensordata, residual) of every sensor"""
    for i in range(mj.nsensor):
        part = slice(mj.sensor_adr[i], mj.sensor_adr[i] + mj.sensor_dim[i])
        kind = mujoco.mjtSensor(mj.sensor_type[i]).name.removeprefix("mjSENS_")
        yield kind, part, parity.residual(mine[part], theirs[part], True)
