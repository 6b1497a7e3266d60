"""lanewise.bridges.isaaclab against PhysX, whose numbers Isaac Lab passes on.

tests/engines/bridge_physx.py has set the robot of bridge_robot.py in random states in PhysX, by
SAPIEN, and kept what it says of all links. PhysX computes in single precision.
"""

import json

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise import conventions as cv
from lanewise.bridges import isaaclab
from support.bridge_robot import SCENE, mjcf, random_state, same_rotation
from support.places import ENGINES

KNOWN = json.loads((ENGINES / "bridge_physx.json").read_text())
SINGLE = 5e-6
WXYZ = {2: [0, 1, 2, 3], 3: [1, 2, 3, 0]}  # places of w, x, y, z after a change to the version
VERSIONS = {"2": {"version": 2}, "3": {"version": 3, "backend": "physx"}}


class Known:
    """What PhysX says, with bodies and joints in the order of the bridge."""

    def __init__(self, base, choices):
        self.m = lw.load(mjcf("free" if base == "floating" else "fixed"))
        self.choices = {**choices, "fixed": "keep"}
        s = isaaclab.read(self.m, lw.Data(self.m), **self.choices)
        sample = KNOWN[base][0]
        self.bodies = [sample["body_names"].index(name) for name in s.body_names]
        self.joints = [sample["joint_names"].index(name) for name in s.joint_names]
        self.samples, self.base = KNOWN[base], base

    def __getitem__(self, name):
        x = np.array([sample[name] for sample in self.samples], float)
        if name.startswith("joint_"):
            return x[:, self.joints]
        if name.startswith(("body_", "com_", "forces", "torques")):
            x = x[:, self.bodies]
        if name.endswith(("pose", "quat")):
            x[..., -4:] /= np.linalg.norm(x[..., -4:], axis=-1, keepdims=True)
            x[..., -4:] = x[..., -4:][..., WXYZ[self.choices["version"]]]
        return x

    def written(self):
        """A Batch in the states of PhysX"""
        b = lw.Batch(self.m, nsim=3)
        root = {}
        if self.base == "floating":
            root["root_state_w"] = np.concatenate((self["root_pose"], self["root_vel"]), -1)
        else:  # PhysX has its fixed base anywhere
            pos, quat = b.expand("body_pos"), b.expand("body_quat")
            pos[:, 1] = self["root_pose"][:, :3]
            w_at = 3 if self.choices["version"] == 2 else 6
            order = [3, 4, 5, 6] if w_at == 3 else [6, 3, 4, 5]
            quat[:, 1] = self["root_pose"][:, order]
        isaaclab.write(
            self.m, b, **self.choices, **root, joint_pos=self["joint_pos"],
            joint_vel=self["joint_vel"],
        )  # fmt: skip
        return b


@pytest.fixture(params=["floating", "fixed"])
def base(request):
    return request.param


@pytest.fixture(params=VERSIONS)
def known(request, base):
    return Known(base, VERSIONS[request.param])


def test_links_of_physx_in_the_same_state(known):
    b = known.written()
    s = isaaclab.read(known.m, b, **known.choices, com_quat=known["com_quat"][0])
    pose, vel = known["body_pose"], known["body_vel"]
    assert np.abs(s.body_pos_w - pose[..., :3]).max() < SINGLE
    assert same_rotation(s.body_quat_w, pose[..., 3:]) < SINGLE
    assert np.abs(s.body_lin_vel_w - vel[..., :3]).max() < SINGLE
    assert np.abs(s.body_ang_vel_w - vel[..., 3:]).max() < SINGLE
    assert np.abs(s.body_com_pos_w - known["com_pose"][..., :3]).max() < SINGLE
    assert same_rotation(s.body_com_pose_w[..., 3:], known["com_pose"][..., 3:]) < SINGLE
    assert np.abs(s.joint_pos - known["joint_pos"]).max() < SINGLE
    assert np.abs(s.joint_vel - known["joint_vel"]).max() < SINGLE


def test_forces_accelerate_both_alike(known):
    """PhysX was pushed from rest through one short step."""
    m, b = known.m, known.written()
    names = ("forces_b", "torques_b", "joint_effort")
    isaaclab.write(m, b, **known.choices, **{name: known[name] for name in names})
    qacc = [acceleration(b.get_model(k), b, k) for k in range(b.nsim)]
    # at rest accelerations transform as velocities do
    root = {"root_com_vel_w": known["root_acc"]} if known.base == "floating" else {}
    isaaclab.write(m, b, **known.choices, **root, joint_vel=known["joint_acc"])
    assert np.abs(b.qvel - qacc).max() < 1e-5 * np.abs(qacc).max()


def acceleration(mj_model, b, k):
    """Of world k, by MuJoCo, as if it were at rest"""
    mj = mujoco.MjData(mj_model)
    mj.qpos[:], mj.qfrc_applied[:] = b.qpos[k], b.qfrc_applied[k]
    mj.xfrc_applied[:] = b.xfrc_applied[k]
    mujoco.mj_forward(mj_model, mj)
    return mj.qacc.copy()


@pytest.mark.parametrize("fixed", ["keep", "merge"])
@pytest.mark.parametrize("backend", ["physx", "newton"])
def test_order_of_joints_and_bodies(backend, fixed):
    m = lw.load(mjcf())
    d = lw.Data(m)
    choices = {"backend": backend, "fixed": fixed}
    s = isaaclab.read(m, d, version=3, **choices)
    assert list(s.joint_names) == cv.joint_order(m, "isaaclab-3", **choices)
    assert list(s.body_names) == cv.body_order(m, "isaaclab-3", **choices)
    assert s.joint_names != isaaclab.read(m, d, version=3, fixed=fixed, backend=(
        "newton" if backend == "physx" else "physx")).joint_names  # fmt: skip
    names = [m.mj.joint(k).name for k in range(1, m.njnt)]
    assert sorted(s.joint_names) == sorted(names) and list(s.joint_names) != names
    assert ("link_camera" in s.body_names) == (fixed == "keep")
    # numbers follow names
    d.qpos[7:], d.qvel[6:] = np.arange(6.0), np.arange(10.0, 16.0)
    s = isaaclab.read(m, d, version=3, **choices)
    assert [names[int(k)] for k in s.joint_pos] == list(s.joint_names)
    assert [names[int(k) - 10] for k in s.joint_vel] == list(s.joint_names)


def test_velocities_of_links_and_centres_of_mass():
    """Against MuJoCo: root_link_* at the origin, root_com_* at the centre of mass."""
    m = lw.load(mjcf())
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    s = isaaclab.read(m, d, version=2, fixed="keep", com_quat="model")
    mj = mujoco.MjData(m.mj)
    mj.qpos[:], mj.qvel[:] = d.qpos, d.qvel
    mujoco.mj_forward(m.mj, mj)
    v = np.zeros(6)
    for row, name in enumerate(s.body_names):
        b, R = m.mj.body(name).id, mj.body(name).xmat.reshape(3, 3)
        mujoco.mj_objectVelocity(m.mj, mj, mujoco.mjtObj.mjOBJ_XBODY, b, v, 0)
        assert np.abs(s.body_link_vel_w[row] - np.roll(v, 3)).max() < 1e-13
        mujoco.mj_objectVelocity(m.mj, mj, mujoco.mjtObj.mjOBJ_BODY, b, v, 0)
        assert np.abs(s.body_com_vel_w[row] - np.roll(v, 3)).max() < 1e-13
        in_link_axes = np.r_[R.T @ v[3:], R.T @ v[:3]]
        assert np.abs(s.body_com_vel_b[row] - in_link_axes).max() < 1e-13
        assert np.abs(s.body_com_pos_w[row] - mj.xipos[b]).max() < 1e-13
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, mj.ximat[b])
        assert same_rotation(s.body_com_quat_w[row], quat) < 1e-13
    # the parts of the root
    assert np.array_equal(s.root_state_w, [*s.root_link_pose_w, *s.root_com_vel_w])
    assert np.array_equal(s.root_link_state_w, [*s.root_link_pose_w, *s.root_link_vel_w])
    assert np.array_equal(s.root_com_state_w, [*s.root_com_pose_w, *s.root_com_vel_w])
    assert np.array_equal(s.root_com_pose_w, [*s.root_com_pos_w, *s.body_com_quat_w[0]])
    assert np.array_equal([*s.root_pos_w, *s.root_quat_w], s.root_link_pose_w)
    assert np.array_equal([*s.root_lin_vel_w, *s.root_ang_vel_w], s.root_com_vel_w)
    assert np.array_equal([*s.root_lin_vel_b, *s.root_ang_vel_b], s.body_com_vel_b[0])


@pytest.mark.parametrize("choices", VERSIONS.values(), ids=VERSIONS)
@pytest.mark.parametrize("fields", [
    ("root_state_w",), ("root_link_state_w",), ("root_com_state_w",),
    ("root_link_pose_w", "root_com_vel_w"), ("root_com_pose_w", "root_link_vel_w"),
])  # fmt: skip
def test_every_form_of_the_root_is_written(fields, choices):
    m = lw.load(mjcf())
    d, other = lw.Data(m), lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    choices = {**choices, "fixed": "keep", "com_quat": "model"}
    s = isaaclab.read(m, d, **choices)
    isaaclab.write(m, other, **choices, **{name: getattr(s, name) for name in fields})
    assert np.abs(other.qpos[:3] - d.qpos[:3]).max() < 1e-14
    assert same_rotation(other.qpos[3:7], d.qpos[3:7]) < 1e-14
    assert np.abs(other.qvel[:6] - d.qvel[:6]).max() < 1e-14
    assert not other.qpos[7:].any() and not other.qvel[6:].any()


def test_merged_bodies_are_those_that_mujoco_fuses():
    m = lw.load(mjcf())
    fused = lw.load(mjcf().replace("<compiler", '<compiler fusestatic="true"'))
    assert fused.nbody == m.nbody - 1
    qpos, qvel = random_state(m, 3)
    b, one = lw.Batch(m, nsim=3), lw.Batch(fused, nsim=3)
    b.qpos, b.qvel, one.qpos, one.qvel = qpos, qvel, qpos, qvel
    s = isaaclab.read(m, b, version=2, fixed="merge")
    known = isaaclab.read(fused, one, version=2)
    assert s.body_names == known.body_names and s.joint_names == known.joint_names
    assert np.abs(s.body_state_w - known.body_state_w).max() < 1e-13
    apart = isaaclab.read(m, b, version=2, fixed="keep")
    assert np.abs(apart.body_lin_vel_w[:, 1] - s.body_lin_vel_w[:, 1]).max() > 0.01

    forces, torques = np.random.default_rng(0).normal(size=(2, 3, 7, 3))
    b.xfrc_applied[:] = 7.0  # what acted before is replaced, on the welded body too
    isaaclab.write(m, b, version=2, fixed="merge", forces_b=forces, torques_b=torques)
    isaaclab.write(fused, one, version=2, forces_b=forces, torques_b=torques)
    for k in range(3):
        qacc = acceleration(m.mj, b, k)
        assert np.abs(qacc - acceleration(fused.mj, one, k)).max() < 1e-9 * np.abs(qacc).max()
    with pytest.raises(lw.LanewiseError, match="no principal axes in common for merged bodies"):
        isaaclab.read(m, b, version=2, fixed="merge", com_quat="model")


def test_what_has_to_be_said():
    m = lw.load(mjcf())
    d = lw.Data(m)
    with pytest.raises(TypeError, match="version"):
        isaaclab.read(m, d)
    with pytest.raises(lw.LanewiseError, match="version must be one of 2, 3; got '1'"):
        isaaclab.read(m, d, version=1)
    with pytest.raises(lw.LanewiseError, match="backend must be one of physx, newton; got None"):
        isaaclab.read(m, d, version=3, fixed="keep")
    with pytest.raises(lw.LanewiseError, match="backend must be one of physx; got 'newton'"):
        isaaclab.read(m, d, version=2, backend="newton", fixed="keep")
    with pytest.raises(lw.LanewiseError, match="welded to others.*keep, merge; got None"):
        isaaclab.read(m, d, version=2)
    assert isaaclab.read(m, d, version=2, fixed="keep").root_com_pose_w is None
    pose = [0, 0, 0, 1, 0, 0, 0]
    with pytest.raises(lw.LanewiseError, match="give com_quat="):
        isaaclab.write(m, d, version=2, fixed="keep", root_com_pose_w=pose)
    with pytest.raises(lw.LanewiseError, match=r"com_quat must have shape \(8, 4\)"):
        isaaclab.read(m, d, version=2, fixed="keep", com_quat=np.zeros((7, 4)))
    with pytest.raises(lw.LanewiseError, match="root_link_pose_w and root_state_w both have"):
        isaaclab.write(m, d, version=2, fixed="keep", root_link_pose_w=pose,
                       root_state_w=[*pose, *np.zeros(6)])  # fmt: skip


def test_a_single_rigid_body():
    """What Isaac Lab calls a RigidObject: a tree of one body, beside others."""
    m = lw.load(SCENE)
    d = lw.Data(m)
    d.qpos, d.qvel = (x[0] for x in random_state(m, 1))
    s = isaaclab.read(m, d, version=3, backend="physx", root="crate")
    assert s.body_names == ("crate",) and s.joint_names == ()
    k = m.mj.joint("crate_free").qposadr[0]
    assert np.abs(s.root_pos_w - d.qpos[k : k + 3]).max() < 1e-15
    assert np.abs(s.root_quat_w - d.qpos[[k + 4, k + 5, k + 6, k + 3]]).max() < 1e-15


def test_refusals():
    m = lw.load(SCENE)
    d = lw.Data(m)
    with pytest.raises(lw.LanewiseError, match="5 trees stand on the world"):
        isaaclab.read(m, d, version=2)
    for root, reason in {
        "pendulum": "hinge joint between the world and the root: pivot",
        "table": "slide joint between the world and the root: table_x",
        "drone": "joints with ref",
    }.items():
        with pytest.raises(lw.UnsupportedFeature, match=reason):
            isaaclab.read(m, d, version=2, root=root)
    ball = lw.load("""<mujoco><worldbody><body name="base"><geom size="1"/><body name="head">
      <joint name="neck" type="ball"/><geom size="1"/></body></body></worldbody></mujoco>""")
    with pytest.raises(lw.UnsupportedFeature, match="(?s)one number.*ball joint: neck"):
        isaaclab.read(ball, lw.Data(ball), version=2)
    several = lw.load("""<mujoco><worldbody><body name="base"><geom size="1"/><body name="head">
      <joint axis="1 0 0"/><joint axis="0 1 0"/><geom size="1"/></body></body></worldbody>
      </mujoco>""")
    with pytest.raises(lw.UnsupportedFeature, match="(?s)one joint.*several joints: head"):
        isaaclab.read(several, lw.Data(several), version=2)
    held = lw.load(mjcf("fixed"))
    with pytest.raises(lw.LanewiseError, match="root_link_vel_w: the base is fixed"):
        isaaclab.write(held, lw.Data(held), version=2, fixed="keep", root_link_vel_w=np.zeros(6))
