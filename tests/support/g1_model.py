"""A robot with the joints of a G1, in three variants, and clips of it.

Names, limits, axes and tree are those that its makers publish; lengths are near to them. Masses and
centres of mass are crooked, and some frames are turned, but left and right are mirror images.
"""

import numpy as np

import lanewise as lw

# joint: axis, low, high (of the left side), offset of its body from the parent
LEG = {
    "hip_pitch": ("y", -2.5307, 2.8798, (0.002, 0.064, -0.103)),
    "hip_roll": ("x", -0.5236, 2.9671, (0.004, 0.052, -0.030)),
    "hip_yaw": ("z", -2.7576, 2.7576, (0.025, 0.003, -0.124)),
    "knee": ("y", -0.087267, 2.8798, (-0.078, 0.002, -0.177)),
    "ankle_pitch": ("y", -0.87267, 0.5236, (0.005, 0.009, -0.300)),
    "ankle_roll": ("x", -0.2618, 0.2618, (0.001, 0.002, -0.018)),
}
WAIST = {
    "waist_yaw": ("z", -2.618, 2.618, (-0.004, 0.0, 0.020)),
    "waist_roll": ("x", -0.52, 0.52, (-0.003, 0.0, 0.035)),
    "waist_pitch": ("y", -0.52, 0.52, (0.006, 0.0, 0.019)),
}
ARM = {
    "shoulder_pitch": ("y", -3.0892, 2.6704, (0.004, 0.100, 0.238)),
    "shoulder_roll": ("x", -1.5882, 2.2515, (0.001, 0.038, -0.014)),
    "shoulder_yaw": ("z", -2.618, 2.618, (0.002, 0.006, -0.103)),
    "elbow": ("y", -1.0472, 2.0944, (0.016, 0.003, -0.081)),
    "wrist_roll": ("x", -1.9722, 1.9722, (0.100, 0.002, -0.010)),
    "wrist_pitch": ("y", -1.6144, 1.6144, (0.038, 0.001, 0.002)),
    "wrist_yaw": ("z", -1.6144, 1.6144, (0.046, 0.003, 0.001)),
}
FINGERS = (
    {"thumb_0": ("y", -1.05, 1.05), "thumb_1": ("z", -0.7, 1.05), "thumb_2": ("z", 0.0, 1.75)},
    {"middle_0": ("z", -1.57, 0.0), "middle_1": ("z", -1.75, 0.0)},
    {"index_0": ("z", -1.57, 0.0), "index_1": ("z", -1.75, 0.0)},
)
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def _mirrored(v, side):
    """Places have y with the other sign on the right."""
    return (v[0], -v[1], v[2]) if side == "right" else v


def _body(joint, axis, low, high, offset, side, rng, inner, link=None):
    sign = -1.0 if side == "right" and axis in "xz" else 1.0
    low, high = (low, high) if sign > 0 else (-high, -low)
    offset = _mirrored(offset, side)
    com = _mirrored(tuple(rng.uniform(-0.02, 0.02, 3)), side)
    tilt = "euler='0 7 0'" if joint.endswith(("hip_roll", "shoulder_yaw")) else ""
    foot = ""
    if joint.endswith("ankle_roll"):
        foot = "".join(f'<geom type="sphere" size=".01" pos="{x} {y} -.03"/>'
                       for x in (-0.05, 0.12) for y in (-0.03, 0.03))  # fmt: skip
    return (
        f'<body name="{link or joint + "_link"}" pos="{offset[0]} {offset[1]} {offset[2]}" {tilt}>'
        f'<joint name="{joint}_joint" axis="{" ".join(map(str, AXES[axis]))}"'
        f' range="{low} {high}"/>'
        f'<inertial pos="{com[0]} {com[1]} {com[2]}" mass="{rng.uniform(0.5, 3):.6f}"'
        f' diaginertia=".012 .01 .004"/>{foot}{inner}</body>'
    )


def _chain(joints, side, inner=""):
    prefix = f"{side}_" if side else ""
    draws = [np.random.default_rng([7, k]) for k in range(len(joints))]  # alike on both sides
    for (name, (axis, low, high, offset)), draw in reversed(list(zip(joints.items(), draws))):
        link = "torso_link" if not side and name == list(joints)[-1] else None
        inner = _body(prefix + name, axis, low, high, offset, side, draw, inner, link)
    return inner


def g1_xml(variant: str = "g1-29") -> str:
    """MJCF of a variant: g1-29, g1-23 or g1-hands."""
    waist = {"waist_yaw": WAIST["waist_yaw"]} if variant == "g1-23" else WAIST
    arm = dict(list(ARM.items())[:5]) if variant == "g1-23" else ARM
    arms = ""
    for side in ("left", "right"):
        hand = ""
        for k, finger in enumerate(FINGERS if variant == "g1-hands" else ()):
            joints = {f"hand_{n}": (*v, (0.03, 0.02 * k - 0.02, 0.01)) for n, v in finger.items()}
            hand += _chain(joints, side)
        arms += _chain(arm, side, hand)
    legs = "".join(_chain(LEG, side) for side in ("left", "right"))
    xml = f"""<mujoco model="{variant}"><compiler angle="radian" autolimits="true"/>
    <option timestep=".002"/><worldbody><geom name="floor" type="plane" size="5 5 .1"/>
    <body name="pelvis" pos="0 0 .793"><freejoint name="floating_base_joint"/>
    <inertial pos=".003 0 -.07" mass="3.8" diaginertia=".011 .009 .008"/>
    {legs}{_chain(waist, "", arms)}</body></worldbody></mujoco>"""
    return xml.replace("euler='0 7 0'", f"euler='0 {np.deg2rad(7)} 0'")


def g1(variant: str = "g1-29"):
    """The Model of a variant, with a motor on each joint."""
    import mujoco

    spec = mujoco.MjSpec.from_string(g1_xml(variant))
    for joint in spec.joints:
        if joint.type != mujoco.mjtJoint.mjJNT_FREE:
            spec.add_actuator(name=joint.name, target=joint.name,
                              trntype=mujoco.mjtTrn.mjTRN_JOINT)  # fmt: skip
    return lw.load(spec)


def walk_qpos(m, frames: int = 120, fps: float = 50.0, seed: int = 1) -> np.ndarray:
    """A walk of a kind (frames, nq): every joint on a wave of its own inside of its limits."""
    rng = np.random.default_rng(seed)
    t = np.arange(frames)[:, None] / fps
    qpos = np.tile(m.qpos0, (frames, 1))
    low, high = m.jnt_range[1:].T
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    size = np.minimum(0.8 * half, 0.6)
    wave = np.sin(2 * np.pi * rng.uniform(0.4, 1.3, m.njnt - 1) * t + rng.uniform(0, 6, m.njnt - 1))
    qpos[:, 7:] = np.clip(middle, -0.4, 0.4) + size * wave
    qpos[:, 7:] = np.clip(qpos[:, 7:], low + 0.01, high - 0.01)
    qpos[:, 0] = 0.7 * t[:, 0]
    qpos[:, 1] = 0.1 * np.sin(2 * t[:, 0])
    qpos[:, 2] += 0.03 * np.sin(5 * t[:, 0])
    yaw, tilt = 0.4 * np.sin(t[:, 0]) + 0.3, 0.15 * np.sin(3 * t[:, 0])
    qpos[:, 3:7] = lw.frames.mul_quat(
        lw.frames.axis_angle_to_quat((0.0, 0.0, 1.0), yaw),
        lw.frames.axis_angle_to_quat((0.6, 0.8, 0.0), tilt),
    )
    return qpos


def planted_qpos(m, frames: int = 200, fps: float = 50.0) -> np.ndarray:
    """Leg and waist swing while the left foot stands: the root goes where that takes it."""
    qpos = walk_qpos(m, frames, fps)
    names = [m.mj.joint(j).name for j in range(1, m.njnt)]
    t = np.arange(frames) / fps
    qpos[:, 7:] *= 0.1
    qpos[:, 7:] = np.clip(qpos[:, 7:], m.jnt_range[1:, 0], m.jnt_range[1:, 1])
    for name, size in (("left_hip_pitch", 0.5), ("left_ankle_pitch", 0.45)):
        qpos[:, 7 + names.index(f"{name}_joint")] = size * np.sin(2.0 * t)
    for name, angle in (("right_hip_pitch", -0.6), ("right_knee", 1.2)):
        qpos[:, 7 + names.index(f"{name}_joint")] = angle
    qpos[:, :7] = (0, 0, 0, 1, 0, 0, 0)
    from lanewise.motion.kinematics_of_clips import body_states

    foot = m.mj.body("left_ankle_roll_link").id
    pos, quat, _, _ = body_states(m, qpos)
    back = lw.frames.neg_quat(quat[:, foot])
    qpos[:, 3:7] = back
    qpos[:, :3] = (0.3, 0.2, 0.05) - lw.frames.rot_vec_quat(pos[:, foot], back)
    return qpos
