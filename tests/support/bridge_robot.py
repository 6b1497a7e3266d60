"""A crooked robot for the tests of bridges, as MJCF and as URDF from one description.

Every link has a rotated frame, an offset centre of mass and a full inertia. Siblings are not in
alphabetical order, joint names do not sort as link names do, one link is welded to another and
carries a joint, and one hinge has no limits. Links are named link_*, so that a body is never
mistaken for its joint.
"""

from dataclasses import dataclass

import numpy as np

LIMIT = 1.5


@dataclass(frozen=True)
class Part:
    name: str
    parent: str | None
    joint: str | None  # its name; None: welded, or the base
    kind: str  # hinge, slide, continuous, fixed
    pos: np.ndarray
    euler: np.ndarray  # roll, pitch, yaw: extrinsic x, y, z
    axis: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray  # about the centre of mass, in the axes of the link


# (link, parent, joint, kind), depth first in the order of both files
PLAN = (
    ("link_trunk", None, None, "base"),
    ("link_f", "link_trunk", "z_hip", "hinge"),
    ("link_e", "link_f", "shin_2", "hinge"),
    ("link_d", "link_f", "shin_10", "slide"),
    ("link_c", "link_trunk", "a_arm", "hinge"),
    ("link_camera", "link_c", None, "fixed"),
    ("link_b", "link_camera", "wrist", "continuous"),
    ("link_a", "link_trunk", "m_mast", "slide"),
)


def parts(seed: int = 3) -> list[Part]:
    rng = np.random.default_rng(seed)
    made = []
    for name, parent, joint, kind in PLAN:
        axis = rng.normal(size=3)
        points = rng.normal(size=(6, 3)) * (0.15, 0.1, 0.05)  # of equal mass: a true inertia
        inertia = np.eye(3) * (points**2).sum() - points.T @ points
        made.append(Part(
            name, parent, joint, kind, pos=rng.uniform(-0.4, 0.4, 3), euler=rng.uniform(-1, 1, 3),
            axis=axis / np.linalg.norm(axis), mass=float(rng.uniform(0.5, 3.0)),
            com=rng.uniform(-0.2, 0.2, 3), inertia=inertia,
        ))  # fmt: skip
    return made


def text(x) -> str:
    return " ".join(f"{v:.17g}" for v in np.ravel(x))


def quaternion(rpy: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of roll, pitch, yaw"""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy / 2), np.sin(rpy / 2)
    return np.array((
        cy * cp * cr + sy * sp * sr, cy * cp * sr - sy * sp * cr,
        cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr,
    ))  # fmt: skip


def mjcf(base: str = "free", seed: int = 3) -> str:
    """base: "free" or "fixed". (Pinocchio 4.1.0 misreads eulerseq="XYZ", and moves a free root that
    has a rotation in the file, so there is neither.)"""
    links = parts(seed)

    def body(part: Part) -> str:
        full = text(part.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        joint = ""
        if part.kind in ("hinge", "slide"):
            joint = (f'<joint name="{part.joint}" type="{part.kind}" axis="{text(part.axis)}"'
                     f' range="{-LIMIT} {LIMIT}"/>')  # fmt: skip
        elif part.kind == "continuous":
            joint = f'<joint name="{part.joint}" type="hinge" axis="{text(part.axis)}"/>'
        elif part.kind == "base" and base == "free":
            joint = '<freejoint name="root"/>'
        place = f'pos="{text(part.pos)}" quat="{text(quaternion(part.euler))}"'
        if part.kind == "base" and base == "free":
            place = ""
        inner = "".join(body(other) for other in links if other.parent == part.name)
        return (f'<body name="{part.name}" {place}>{joint}'
                f'<inertial pos="{text(part.com)}" mass="{part.mass:.17g}" fullinertia="{full}"/>'
                f"{inner}</body>")  # fmt: skip

    return (f'<mujoco model="crooked"><compiler angle="radian"/>'
            '<option gravity="0 0 0"/>'
            f"<worldbody>{body(links[0])}</worldbody></mujoco>")  # fmt: skip


def urdf(base: str = "free", seed: int = 3) -> str:
    """base: "free", a root without a joint, or "fixed", welded to a link called world."""
    lines = ['<robot name="crooked">']
    links = parts(seed)
    if base == "fixed":
        p = links[0]
        lines.append(
            '<link name="world"/><joint name="weld" type="fixed"><parent link="world"/>'
            f'<child link="{p.name}"/><origin xyz="{text(p.pos)}" rpy="{text(p.euler)}"/></joint>'
        )
    for p in links:
        moments = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
                      p.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])  # fmt: skip
        inertia = " ".join(f'{name}="{value:.17g}"' for name, value in moments)
        lines.append(
            f'<link name="{p.name}"><inertial><origin xyz="{text(p.com)}"/>'
            f'<mass value="{p.mass:.17g}"/><inertia {inertia}/></inertial></link>'
        )
    types = {"hinge": "revolute", "slide": "prismatic"}
    for p in links[1:]:
        limit = f'<limit lower="{-LIMIT}" upper="{LIMIT}" effort="1e3" velocity="1e3"/>'
        lines.append(
            f'<joint name="{p.joint or "weld_" + p.name}" type="{types.get(p.kind, p.kind)}">'
            f'<parent link="{p.parent}"/><child link="{p.name}"/><axis xyz="{text(p.axis)}"/>'
            f'<origin xyz="{text(p.pos)}" rpy="{text(p.euler)}"/>'
            f"{limit if p.kind in types else ''}</joint>"
        )
    return "\n".join([*lines, "</robot>"])


def random_state(model, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """qpos (n, nq) and qvel (n, nv): all joints within limits, unit quaternions."""
    rng = np.random.default_rng(seed)
    qpos = rng.uniform(-1.2, 1.2, (n, model.nq))
    qvel = rng.normal(size=(n, model.nv))
    for j in range(model.njnt):
        if model.jnt_type[j] < 2:
            k = model.jnt_qposadr[j] + (3 if model.jnt_type[j] == 0 else 0)
            quat = rng.normal(size=(n, 4))
            qpos[:, k : k + 4] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    return qpos, qvel


def same_rotation(a: np.ndarray, b: np.ndarray) -> float:
    """How far quaternions, of one order, are apart, whatever their signs."""
    return float(np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1)).max())


# Several trees, and every kind of joint: anchors off the origin, ref, a ball, two joints on a body.
# Free bodies stand between the others, which systems number otherwise.
SCENE = """
<mujoco model="scene"><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="drone" pos="0.1 0.2 0.3"><freejoint name="drone_free"/>
    <inertial pos="0.1 0.02 -0.05" mass="1.2" fullinertia="0.03 0.05 0.06 0.01 -0.004 0.006"/>
    <body name="gimbal" pos="0.1 0 -0.2" euler="0.3 0.2 -0.4">
      <joint name="tilt" axis="0.6 0 0.8" pos="0.1 0.2 0.05" ref="0.3"/>
      <inertial pos="0.03 0 0.02" mass="0.3" diaginertia="0.01 0.012 0.015"/></body></body>
  <body name="arm" pos="1 0.2 0" euler="0.1 -0.5 0.3">
    <inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.1 0.1"/>
    <body name="upper" pos="0 0.1 0.3"><joint name="lift" type="slide" axis="0 0.8 0.6" ref="-0.2"/>
      <inertial pos="0.05 0 0.1" mass="1" diaginertia="0.02 0.03 0.04"/>
      <body name="lower" pos="0.3 0 0" euler="0 0.7 0.2"><joint name="swing" axis="0 1 0"/>
        <inertial pos="0.1 0.02 0" mass="0.7" diaginertia="0.01 0.02 0.02"/></body></body></body>
  <body name="pendulum" pos="-1 0 1"><joint name="pivot" axis="1 0 0" pos="0 0 0.2"/>
    <inertial pos="0 0.1 -0.3" mass="1" diaginertia="0.05 0.06 0.07"/>
    <body name="bob" pos="0 0.05 -0.5" euler="0.4 0.1 0">
      <joint name="socket" type="ball" pos="0 0.02 0.1"/>
      <inertial pos="0.02 0.03 -0.1" mass="0.5" diaginertia="0.01 0.011 0.013"/></body></body>
  <body name="crate" pos="0 2 1"><freejoint name="crate_free"/>
    <inertial pos="-0.1 0.05 0.07" mass="4" fullinertia="0.2 0.3 0.25 0.02 0.01 -0.03"/></body>
  <body name="table" pos="0 -1 0.5"><joint name="table_x" type="slide" axis="1 0 0"/>
    <joint name="table_turn" axis="0 0.6 0.8"/>
    <inertial pos="0.1 0 0.2" mass="3" diaginertia="0.3 0.2 0.4"/></body>
</worldbody></mujoco>
"""

# Several joints on a body, of the kinds that Newton reads as MuJoCo does.
SEVERAL = """
<mujoco model="several"><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
  <body name="torso" pos="0.1 0.2 0.3"><freejoint name="torso_free"/>
    <inertial pos="0.1 0.02 -0.05" mass="1.2" fullinertia="0.03 0.05 0.06 0.01 -0.004 0.006"/>
    <body name="thigh" pos="0.1 0 -0.2" quat="0.9 0.1 0.2 -0.3">
      <joint name="hip_x" axis="1 0.2 0" pos="0.1 0.2 0.05"/>
      <joint name="hip_z" axis="0.3 0 1" pos="0.1 0.2 0.05"/>
      <joint name="hip_y" axis="0 1 0.5" pos="0.1 0.2 0.05" ref="0.2"/>
      <inertial pos="0.03 0 0.02" mass="0.3" diaginertia="0.01 0.012 0.015"/>
      <body name="foot" pos="0.2 0.1 0" quat="0.8 -0.3 0.4 0.2">
        <joint name="ankle_y" axis="0 0.6 0.8" pos="0 0.1 0"/>
        <joint name="ankle_x" axis="1 0 0" pos="0 0.1 0"/>
        <inertial pos="0.05 0.02 0" mass="0.2" diaginertia="0.01 0.012 0.015"/></body></body></body>
  <body name="gantry" pos="0 -1 0.5" quat="0.7 0.5 0.1 -0.2">
    <joint name="gantry_x" type="slide" axis="1 0.3 0"/><joint name="gantry_y" type="slide"
      axis="0 1 0"/><joint name="gantry_turn" axis="0 0.6 0.8"/>
    <inertial pos="0.1 0 0.2" mass="3" diaginertia="0.3 0.2 0.4"/></body>
</worldbody></mujoco>
"""
