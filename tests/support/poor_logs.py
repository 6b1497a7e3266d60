"""Logs that show less than they seem to: bias, noise, stuck poses, rest, slow and plain motions.

`poor_log(rng)` draws one, with what is true of it. Motions are those of MuJoCo or by formula; what
sensors and loggers do to them is done to the numbers of one convention, as a sensor would.
"""

from dataclasses import dataclass
from functools import cache

import mujoco
import numpy as np

from .detect_logs import (
    COM,
    CONVENTIONS,
    MOTIONS,
    STILL,
    STRAIGHT,
    WANDER,
    WOBBLE,
    Motion,
    columns,
    encode,
    fixed,
    prescribed,
    rotation,
    simulate,
)  # fmt: skip


@dataclass
class Poor:
    """A log, the convention it is in, and up: an axis, or None where no verdict on it is right."""

    pos: np.ndarray
    quat: np.ndarray
    twist: np.ndarray
    dt: float
    com: np.ndarray | None
    words: dict[str, str]
    up: str | None
    about: str

    @property
    def log(self):
        return self.pos, self.quat, self.twist, self.dt, self.com

    def wrong(self, found) -> dict[str, str]:
        """What is decided, and not so."""
        truth = {**self.words, "up": self.up}
        return {
            name: getattr(found, name)
            for name, value in truth.items()
            if getattr(found, name) not in ("undecided", value)
        }

    def excluded(self, found) -> bool:
        """Whether some value that is true is no longer possible."""
        return any(value not in found.possible[name] for name, value in self.words.items())


# ---- motions


def _settled(steps: int, dt: float) -> Motion:
    """A box that has come to rest on a floor."""
    return simulate(steps + 1500, dt=2e-3, floor=True, v=(0.1, 0, 0), w=(0.1, 0, 0.1))[1500:]


def _pendulum(steps: int, dt: float) -> Motion:
    """A body on a hinge."""
    xml = f"""<mujoco><option timestep="{dt}"/><worldbody><body pos="0 0 2" euler="20 -30 40">
    <joint type="hinge" axis=".3 1 .2" pos=".1 -.1 .4"/>
    <inertial pos="{COM[0]} {COM[1]} {COM[2]}" mass="2" diaginertia=".02 .03 .04"/>
    </body></worldbody></mujoco>"""
    return _recorded(xml, steps, dt, (1.1,), (0.5,))


def _arm(steps: int, dt: float) -> Motion:
    """The second of two links on ball joints: a motion that shows everything but the points."""
    xml = f"""<mujoco><option timestep="{dt}"/><worldbody><body pos="0 0 2"><joint type="ball"/>
    <inertial pos="0 0 -.2" mass="1" diaginertia=".02 .03 .04"/><body pos="0 0 -.5">
    <joint type="ball"/><inertial pos="{COM[0]} {COM[1]} {COM[2]}" mass="2"
    diaginertia=".02 .03 .04"/></body></body></worldbody></mujoco>"""
    return _recorded(xml, steps, dt, None, (1.5, -0.9, 0.7, -1.2, 2.1, 0.8))


def _recorded(xml: str, steps: int, dt: float, qpos, qvel) -> Motion:
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    if qpos is not None:
        data.qpos[:] = qpos
    data.qvel[:] = qvel
    body = model.nbody - 1
    rows, V = [], np.zeros(6)
    for _ in range(steps):
        mujoco.mj_forward(model, data)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, V, 0)
        rows.append(np.concatenate([data.xpos[body], data.xmat[body], V]))
        mujoco.mj_step(model, data)
    x = np.array(rows)
    return Motion(x[:, :3], x[:, 3:12].reshape(-1, 3, 3), x[:, 15:], x[:, 12:15], dt, np.array(COM))


def _by_formula(position, turning, slow=1.0):
    def made(steps: int, dt: float) -> Motion:
        return prescribed(lambda t: position(slow * t), lambda t: turning(slow * t), steps, dt)

    return made


def _steady(axis, tilt, speed):
    """A steady turn about one axis, tilted, while moving straight."""
    axis = speed * np.array(axis) / np.linalg.norm(axis)
    return lambda t: rotation(t[:, None] * axis) @ rotation(np.array(tilt))


TILT = (0.02, -0.03, 0.01)
SHAKEN = columns(lambda t: 0, lambda t: 0, lambda t: 0.025 * np.sin(20 * t))
# name -> (motion of some steps, the axis up that may be told)
POOR = {
    "at rest": (_by_formula(STILL, fixed(rotation(np.array([1.1, -0.6, 0.9])))), None),
    "at rest, level": (_by_formula(STILL, fixed(np.eye(3))), None),
    "settled on a floor": (_settled, "z"),
    "straight": (_by_formula(STRAIGHT, fixed(rotation(np.array([0.3, -0.2, 0.9])))), None),
    "straight, level": (_by_formula(STRAIGHT, fixed(np.eye(3))), None),
    "straight, nearly level": (_by_formula(STRAIGHT, fixed(rotation(np.array(TILT)))), None),
    "no turning": (_by_formula(*MOTIONS["no rotation"]), None),
    "spin about z": (_by_formula(STILL, _steady((0, 0, 1), (0, 0, 0), 1.0)), None),
    "spin about an axis": (_by_formula(STILL, _steady((1, 2, -1), (1, 0, 0), 1.0)), None),
    "straight, spin, nearly level": (_by_formula(STRAIGHT, _steady((0, 0, 1), TILT, 0.5)), None),
    "straight, spin": (_by_formula(*MOTIONS["straight, steady spin"]), None),
    "planar yaw": (_by_formula(*MOTIONS["planar yaw"]), None),
    "yaw in space": (_by_formula(*MOTIONS["yaw in space"]), None),
    "slow": (_by_formula(WANDER, WOBBLE, 0.05), None),
    "very slow": (_by_formula(WANDER, WOBBLE, 0.003), None),
    "slow, spin": (_by_formula(STRAIGHT, _steady((1, 2, -1), (1, 0, 0), 0.3), 0.03), None),
    "tiny rotations": (_by_formula(*MOTIONS["tiny rotations"]), None),
    "shaken": (_by_formula(SHAKEN, fixed(np.eye(3))), None),
    "shaken and turned": (_by_formula(SHAKEN, WOBBLE), None),
    "pendulum": (_pendulum, None),
}  # fmt: skip
RICH = {
    "thrown": (lambda steps, dt: simulate(steps, dt=dt), "z"),
    "bouncing": (lambda steps, dt: simulate(steps, dt=2e-3, floor=True), "z"),
    "generic": (_by_formula(*MOTIONS["generic"]), None),
    "arm": (_arm, None),
}


@cache
def motion(name: str, steps: int, dt: float) -> Motion:
    return {**POOR, **RICH}[name][0](steps, dt)


# ---- what sensors and loggers do


def _direction(rng) -> np.ndarray:
    axis = np.eye(3)[rng.integers(3)] * rng.choice([-1, 1])
    x = axis if rng.random() < 0.4 else rng.normal(size=3)
    return x / np.linalg.norm(x)


def _biased(m: Motion, words, twist, rng, strength: float) -> np.ndarray:
    """A gyro's and a velocity's bias: steady as logged, or steady in the body; and a drift."""
    twist = twist.copy()
    angular = slice(3, 6) if words["order"] == "linear_first" else slice(0, 3)
    linear = slice(0, 3) if words["order"] == "linear_first" else slice(3, 6)
    unit = 180 / np.pi if words["angular_unit"] == "deg" else 1.0
    t = m.dt * np.arange(len(twist))[:, None]
    for half, scale, basis in ((angular, unit, "angular_basis"), (linear, 1.0, "linear_basis")):
        if rng.random() < 0.75:
            bias = np.broadcast_to(strength * scale * _direction(rng), (len(t), 3))
            if words[basis] == "world" and rng.random() < 0.5:
                bias = np.einsum("nij,nj->ni", m.R, bias)
            drifts = rng.random() < 0.25
            twist[:, half] += bias * (t / t[-1] if drifts else 1.0)
    return twist


def _stuck(pos, quat, rng):
    """A pose that is frozen: all of it, a half of it, from some row on, or now and then."""
    pos, quat, number = pos.copy(), quat.copy(), len(pos)
    how = rng.choice(["all", "all", "from", "until", "held", "orientation"])
    at = np.arange(number)
    if how == "from":
        at = np.minimum(at, int(number * rng.uniform(0.0, 0.6)))
    elif how == "until":
        at = np.where(at < int(number * rng.uniform(0.4, 1.0)), 0, at)
    elif how == "held":
        at -= at % rng.integers(2, 12)
    else:
        at[:] = rng.integers(number)
    quat = quat[at]
    pos = pos if how == "orientation" else pos[at]
    return pos, quat, str(how)


def poor_log(rng, names=None, bias=True, noise=True, stuck=0.15) -> Poor:
    """A log at random: a motion of `names`, in any convention, with bias and noise of any size."""
    known = list(names or POOR)
    name = known[rng.integers(len(known))]
    words = CONVENTIONS[rng.integers(len(CONVENTIONS))]
    steps = int(rng.choice([8, 20, 60, 200, 600]))
    dt = float(rng.choice([1e-3, 5e-3, 2e-2]))
    m = motion(name, steps, dt)
    pos, quat, twist = encode(m, words)
    about = [name, f"{steps} rows", f"dt {m.dt}"]
    if bias and rng.random() < 0.8:
        strength = float(10 ** rng.uniform(-4, 0.3))
        twist = _biased(m, words, twist, rng, strength)
        about.append(f"bias {strength:.2g}")
    if noise and rng.random() < 0.6:
        for part, x in (("pos", pos), ("quat", quat), ("twist", twist)):
            if rng.random() < 0.7:
                size = float(10 ** rng.uniform(-6, -2))
                x += size * rng.normal(size=x.shape)
                about.append(f"{part} noise {size:.2g}")
        quat /= np.linalg.norm(quat, axis=1, keepdims=True)
    if rng.random() < stuck:
        pos, quat, how = _stuck(pos, quat, rng)
        about.append(f"stuck: {how}")
    if rng.random() < 0.2:
        pos, quat, twist = (np.round(x, 4) for x in (pos, quat, twist))
        about.append("rounded")
    com = [COM, None, None][rng.integers(3)]
    return Poor(pos, quat, twist, m.dt, com, words, {**POOR, **RICH}[name][1], ", ".join(about))
