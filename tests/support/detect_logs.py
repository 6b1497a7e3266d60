"""Logs for the tests of detection: motions of one crooked body, and an encoder of their own.

A motion is in plain terms: positions of the body's origin, rotation matrices, velocities of the
origin and angular velocities, both in world axes and radians. `encode` writes it in any of the
conventions, from their definitions and with nothing of the package.
"""

import itertools
from dataclasses import dataclass, replace

import mujoco
import numpy as np

COM = np.array([0.13, -0.08, 0.21])
MOMENTS = (0.021, 0.034, 0.048)
CROOKED = (0.4, -0.7, 0.3)  # rotation vector of the principal axes

CHOICES = {
    "quaternion": ("wxyz", "xyzw"),
    "rotation": ("active", "passive"),
    "pose_point": ("origin", "com"),
    "order": ("linear_first", "angular_first"),
    "velocity_point": ("origin", "com", "world_origin"),
    "linear_basis": ("world", "body"),
    "angular_basis": ("world", "body"),
    "angular_unit": ("rad", "deg"),
}
CONVENTIONS = [dict(zip(CHOICES, values)) for values in itertools.product(*CHOICES.values())]
MUJOCO = {
    "quaternion": "wxyz", "rotation": "active", "pose_point": "origin", "order": "linear_first",
    "velocity_point": "origin", "linear_basis": "world", "angular_basis": "body",
    "angular_unit": "rad",
}  # fmt: skip
NEWTON = {**MUJOCO, "quaternion": "xyzw", "velocity_point": "com", "angular_basis": "world"}


@dataclass
class Motion:
    p: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    dt: float
    com: np.ndarray

    def __getitem__(self, rows) -> "Motion":
        return replace(self, p=self.p[rows], R=self.R[rows], v=self.v[rows], w=self.w[rows])


def rotation(r) -> np.ndarray:
    """Rotation matrices of rotation vectors, by Rodrigues."""
    r = np.asarray(r, float)
    angle = np.linalg.norm(r, axis=-1)[..., None, None]
    K = np.zeros((*r.shape, 3))
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 2] = -r[..., 2], r[..., 1], -r[..., 0]
    K = K - np.swapaxes(K, -1, -2)
    safe = np.where(angle > 0, angle, 1.0)
    return np.eye(3) + np.sinc(angle / np.pi) * K + (1 - np.cos(angle)) / safe**2 * (K @ K)


def quaternion(R: np.ndarray) -> np.ndarray:
    """(w, x, y, z), by the eigenvector of Bar-Itzhack's matrix."""
    K = np.zeros((len(R), 4, 4))
    for i, j in itertools.product(range(3), range(3)):
        K[:, i + 1, j + 1] = R[:, i, j] + R[:, j, i]
    trace = np.trace(R, axis1=1, axis2=2)
    for i in range(3):
        K[:, i + 1, i + 1] -= trace
        a, b = (i + 1) % 3, (i + 2) % 3
        K[:, 0, i + 1] = K[:, i + 1, 0] = R[:, b, a] - R[:, a, b]
    K[:, 0, 0] = trace
    q = np.linalg.eigh(K)[1][:, :, -1]
    return q * np.where(q[:, :1] < 0, -1.0, 1.0)


def encode(m: Motion, words: dict[str, str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(pos, quat, twist) of a motion in one convention."""
    arm = m.R @ m.com
    pos = m.p + arm if words["pose_point"] == "com" else m.p.copy()
    q = quaternion(m.R)
    if words["rotation"] == "passive":
        q = q * [1, -1, -1, -1]
    if words["quaternion"] == "xyzw":
        q = q[:, [1, 2, 3, 0]]
    r = {"origin": 0 * arm, "com": arm, "world_origin": -m.p}[words["velocity_point"]]
    v = m.v + np.cross(m.w, r)
    w = m.w
    if words["linear_basis"] == "body":
        v = np.einsum("nji,nj->ni", m.R, v)
    if words["angular_basis"] == "body":
        w = np.einsum("nji,nj->ni", m.R, w)
    if words["angular_unit"] == "deg":
        w = np.degrees(w)
    pair = (v, w) if words["order"] == "linear_first" else (w, v)
    return pos, q, np.concatenate(pair, 1)


# ---- motions of MuJoCo


def simulate(
    steps=1000, dt=1e-3, gravity=(0, 0, -9.81), com=COM, floor=False, integrator="Euler", every=1,
    position=(0.7, -1.1, 1.9), turned=(1.1, -0.6, 0.9), v=(0.8, -0.5, 0.3), w=(1.3, 0.9, -1.7),
) -> Motion:  # fmt: skip
    """The crooked body, thrown."""
    q = quaternion(rotation(np.array([CROOKED])))[0]
    text = lambda x: " ".join(f"{a:.17g}" for a in x)  # noqa: E731
    plane = '<geom type="plane" size="5 5 1"/>' if floor else ""
    shape = f'<geom type="box" size=".2 .1 .3" pos="{text(com)}" mass="0"/>' if floor else ""
    xml = f"""<mujoco><option timestep="{dt}" gravity="{text(gravity)}" integrator="{integrator}"/>
    <worldbody>{plane}<body><freejoint/>
    <inertial pos="{text(com)}" quat="{text(q)}" mass="2.7" diaginertia="{text(MOMENTS)}"/>{shape}
    </body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    R = rotation(np.array(turned))
    data.qpos[:] = [*position, *quaternion(R[None])[0]]
    data.qvel[:] = [*v, *(R.T @ w)]
    qpos, qvel = [], []
    for k in range(steps * every):
        if k % every == 0:
            qpos.append(data.qpos.copy())
            qvel.append(data.qvel.copy())
        mujoco.mj_step(model, data)
    qpos, qvel = np.array(qpos), np.array(qvel)
    R = np.empty((steps, 9))
    for k in range(steps):
        mujoco.mju_quat2Mat(R[k], qpos[k, 3:])
    R = R.reshape(-1, 3, 3)
    return Motion(qpos[:, :3], R, qvel[:, :3], np.einsum("nij,nj->ni", R, qvel[:, 3:]),
                  dt * every, np.array(com, float))  # fmt: skip


# ---- motions by formula, most of them too poor to tell everything


def prescribed(position, turning, steps=1000, dt=1e-3, com=COM) -> Motion:
    """A motion from p(t) and a rotation vector or a matrix R(t); velocities by fine differences."""
    t = dt * np.arange(steps)

    def matrix(t):
        r = np.asarray(turning(t))
        return r if r.ndim == 3 else rotation(r)

    h = 1e-4
    p, R = np.asarray(position(t)), matrix(t)

    def difference(f):
        return (8 * (f(t + h) - f(t - h)) - (f(t + 2 * h) - f(t - 2 * h))) / (12 * h)

    v = difference(lambda t: np.asarray(position(t)))
    S = difference(matrix) @ np.swapaxes(R, -1, -2)
    w = np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], 1) / 2
    return Motion(p, R, v, w, dt, np.array(com, float))


def columns(*functions):
    return lambda t: np.stack([f(t) + 0 * t for f in functions], 1)


TILTED = rotation(np.array([1.1, -0.6, 0.9]))
WANDER = columns(lambda t: 0.7 + 0.5 * np.sin(2.1 * t), lambda t: 0.4 * np.cos(1.3 * t) - 1.1,
                 lambda t: 1.9 + 0.3 * np.sin(1.7 * t + 1))  # fmt: skip
WOBBLE = columns(lambda t: 1.1 + 1.2 * np.sin(1.9 * t), lambda t: 0.8 * np.cos(2.3 * t),
                 lambda t: 1.5 * t + 0.9 * np.sin(t))  # fmt: skip
STILL = columns(lambda t: 0.7, lambda t: -1.1, lambda t: 1.9)
ON_A_PLANE = columns(lambda t: np.sin(2 * t), lambda t: np.cos(3 * t) * 0.5, lambda t: 0.3)
STRAIGHT = columns(lambda t: 0.7 + 0.8 * t, lambda t: -0.5 * t - 1.1, lambda t: 0.3 * t + 1.9)
LIFTED = columns(lambda t: 0.7, lambda t: -1.1, lambda t: 1.9 + 0.4 * np.sin(3 * t))
YAW = columns(lambda t: 0, lambda t: 0, lambda t: 2.0 * t + 0.3 * np.sin(3 * t))


def fixed(R):
    return lambda t: np.broadcast_to(R, (len(t), 3, 3))


def shaken(amplitude):
    return columns(lambda t: amplitude * np.sin(9 * t), lambda t: amplitude * np.cos(7 * t),
                   lambda t: amplitude * np.sin(11 * t + 1))  # fmt: skip


MOTIONS = {
    "generic": (WANDER, WOBBLE),
    "no rotation": (WANDER, fixed(TILTED)),
    "no rotation, axes of the world": (WANDER, fixed(np.eye(3))),
    "at rest": (STILL, fixed(TILTED)),
    "level spin": (STILL, YAW),
    "level spin, lifted": (LIFTED, YAW),
    "planar yaw": (ON_A_PLANE, YAW),
    "yaw in space": (WANDER, YAW),
    "tiny rotations": (WANDER, shaken(1e-3)),
    "straight, steady spin": (STRAIGHT, lambda t: rotation(t[:, None] * [1.3, 0.9, -1.7]) @ TILTED),
    "spin in place": (STILL, WOBBLE),
}
