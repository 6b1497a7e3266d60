"""One clip of two frames and three joints, in five forms worked out by hand."""

import re
from math import pi, sqrt

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lanewise.conventions import motion_forms as mf
from lanewise.errors import ConventionError

H = sqrt(0.5)

# The tree has joints hip and knee on one side, shoulder on the other: depth first, hip knee
# shoulder; breadth first, hip shoulder knee. So x_mujoco = x_isaaclab[[0, 2, 1]]; and a longer one,
# whose order is not its own inverse, below.
P = [[0.1, -0.2, 0.8], [0.15, -0.25, 0.75]]
WXYZ = [[H, 0, 0, H], [0.5, 0.5, 0.5, 0.5]]
XYZW = [[0, 0, H, H], [0.5, 0.5, 0.5, 0.5]]
AXIS_ANGLE = [[0, 0, pi / 2], [2 * pi / 3 / sqrt(3)] * 3]
EXTRINSIC_XYZ = [[0, 0, 90], [90, 0, 90]]  # R_z(90) R_y(0) R_x(90): x to y, y to z, z to x
JOINTS = [[0.1, 0.2, 0.3], [0.5, 1.0, -1.5]]  # hip knee shoulder
ISAACLAB = [[0.1, 0.3, 0.2], [0.5, -1.5, 1.0]]
ORDER = [0, 2, 1]
AXES = [[0, 1, 0], [0.6, 0, 0.8], [0, 0, -1]]
NAMES = ["hip_joint", "knee_joint", "shoulder_joint"]

POSE_AA = [
    [AXIS_ANGLE[0], [0, 0.1, 0], [0.12, 0, 0.16], [0, 0, -0.3]],
    [AXIS_ANGLE[1], [0, 0.5, 0], [0.6, 0, 0.8], [0, 0, 1.5]],
]

QPOS = np.concatenate([P, WXYZ, JOINTS], 1)
SONIC = {
    "root_trans_offset": np.array(P, np.float32),
    "pose_aa": np.array(POSE_AA, np.float32),
    "dof": np.array(JOINTS, np.float32),
    "root_rot": np.array(XYZW, np.float32),
    "smpl_joints": np.zeros((2, 24, 3), np.float32),
    "fps": 50,
}
DEPLOY = {
    "joint_pos": np.array(ISAACLAB),
    "body_pos": np.concatenate([P, np.full((2, 6), 9.0)], 1),
    "body_quat": np.concatenate([WXYZ, np.full((2, 8), 0.5)], 1),
}
BONES = {
    "Frame": [0, 1],
    "root_translateX": [10.0, 15.0], "root_translateY": [-20.0, -25.0],
    "root_translateZ": [80.0, 75.0],
    "root_rotateX": [0.0, 90.0], "root_rotateY": [0.0, 0.0], "root_rotateZ": [90.0, 90.0],
    "hip_joint_dof": np.rad2deg([0.1, 0.5]), "knee_joint_dof": np.rad2deg([0.2, 1.0]),
    "shoulder_joint_dof": np.rad2deg([0.3, -1.5]),
}  # fmt: skip

CLIPS = {
    "qpos": lambda: mf.clip_from_qpos(QPOS),
    "isaaclab-2": lambda: mf.clip_from_isaaclab(np.hstack([P, WXYZ]), ISAACLAB, ORDER, "wxyz"),
    "isaaclab-3": lambda: mf.clip_from_isaaclab(
        np.hstack([P, XYZW, np.ones((2, 6))]), ISAACLAB, ORDER, "xyzw"),
    "sonic": lambda: mf.clip_from_sonic(SONIC, AXES),
    "deploy": lambda: mf.clip_from_deploy(DEPLOY, ORDER),
    "bones": lambda: mf.clip_from_bones(BONES),
}  # fmt: skip


def close(made, want, atol=1e-15):
    np.testing.assert_allclose(made, want, atol=atol, rtol=0)


@pytest.mark.parametrize("form", CLIPS)
def test_read(form):
    clip = CLIPS[form]()
    atol = 2e-7 if form == "sonic" else 1e-15
    close(clip.p_WB, P, atol)
    close(clip.q_WB, WXYZ, atol)
    close(clip.joints, JOINTS, atol)


@pytest.mark.parametrize("form", CLIPS)
def test_write(form):
    clip = mf.Clip(np.array(P), np.array(WXYZ), np.array(JOINTS), fps=50)
    if form == "qpos":
        close(mf.qpos_from_clip(clip), QPOS)
    elif form.startswith("isaaclab"):
        order, q = ("wxyz", WXYZ) if form == "isaaclab-2" else ("xyzw", XYZW)
        root, joints = mf.isaaclab_from_clip(clip, ORDER, order)
        close(root, np.hstack([P, q]))
        close(joints, ISAACLAB)
    elif form == "sonic":
        made = mf.sonic_from_clip(clip, AXES)
        assert made.keys() == SONIC.keys() and made["fps"] == 50
        for name in set(SONIC) - {"fps"}:
            assert made[name].dtype == np.float32
            close(made[name], SONIC[name], 2e-7)
    elif form == "deploy":
        made = mf.deploy_from_clip(clip, ORDER)
        close(made["joint_pos"], ISAACLAB)
        close(made["body_pos"], P)
        close(made["body_quat"], WXYZ)
    else:
        made = mf.bones_from_clip(clip, NAMES)
        assert list(made) == list(BONES)
        for name in BONES:
            close(made[name], BONES[name], 1e-13)


def test_extrinsic_angles_of_bones_against_scipy():
    """As SONIC's reader has it: from_euler("xyz"), small letters."""
    angles = np.array([[20.0, -40.0, 75.0]])
    columns = {f"root_rotate{a}": angles[:, k] for k, a in enumerate("XYZ")}
    columns |= {f"root_translate{a}": [0.0] for a in "XYZ"}
    q = Rotation.from_euler("xyz", angles, degrees=True).as_quat(scalar_first=True)
    clip = mf.clip_from_bones(columns)
    close(clip.q_WB, q)
    assert clip.joints.shape == (1, 0)


def test_order_that_is_not_its_own_inverse():
    """SONIC's arrays for the G1: the one undoes the other."""
    il_to_mj = [0, 3, 6, 9, 13, 17, 1, 4, 7, 10, 14, 18, 2, 5, 8, 11, 15, 19, 21, 23, 25, 27,
                12, 16, 20, 22, 24, 26, 28]  # fmt: skip
    mj_to_il = [0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 22, 4, 10, 16, 23, 5, 11, 17, 24, 18, 25,
                19, 26, 20, 27, 21, 28]  # fmt: skip
    joints = np.arange(58.0).reshape(2, 29)
    clip = mf.clip_from_isaaclab(np.hstack([P, WXYZ]), joints, il_to_mj, "wxyz")
    assert clip.joints[0].tolist() == il_to_mj
    there = mf.isaaclab_from_clip(mf.Clip(P, WXYZ, joints), il_to_mj, "wxyz")[1]
    assert there[0].tolist() == mj_to_il
    assert mf.deploy_from_clip(mf.Clip(P, WXYZ, joints), il_to_mj)["joint_pos"][0, 1] == 6
    assert mf.clip_from_deploy(DEPLOY | {"joint_pos": joints}, il_to_mj).joints[0, 1] == 3


def test_sonic_without_what_it_has_twice():
    entry = {name: SONIC[name] for name in ("root_trans_offset", "pose_aa")}
    clip = mf.clip_from_sonic(entry, AXES)
    close(clip.joints, JOINTS, 2e-7)
    assert clip.fps is None and clip.joints.dtype == np.float32


def test_the_sign_of_root_rot_does_not_matter():
    for signs in (-1.0, [[1.0], [-1.0]]):
        clip = mf.clip_from_sonic(SONIC | {"root_rot": np.array(XYZW) * signs}, AXES)
        close(clip.q_WB, WXYZ, 2e-7)


def test_bones_by_names():
    clip = mf.clip_from_bones(BONES, NAMES[::-1])
    close(clip.joints, np.array(JOINTS)[:, ::-1])


@pytest.mark.parametrize(("words", "call"), [
    ("root_rot, read as xyzw, is up to 2.09 rad away from pose_aa[:, 0]. It is wxyz: reorder it.",
     lambda: mf.clip_from_sonic(SONIC | {"root_rot": np.array(WXYZ)}, AXES)),
    ("dof times its axis and pose_aa differ by 0.1 rad in frame 0: the joints may be in another",
     lambda: mf.clip_from_sonic(SONIC | {"dof": np.array(ISAACLAB)}, AXES)),
    ("differ by 1 rad in frame 1",
     lambda: mf.clip_from_sonic(SONIC | {"dof": [[0.1, 0.2, 0.3], [1.5, 1.0, -1.5]]}, AXES)),
    ("pose_aa must have shape (..., 3, 3), the root and one row a joint; got (2, 4, 3)",
     lambda: mf.clip_from_sonic(SONIC, AXES[:2])),
    ("joint_axes[1] has length 2",
     lambda: mf.clip_from_sonic(SONIC, [AXES[0], [0, 0, 2], AXES[2]])),
    ("no 'pose_aa' (did you mean 'pose'?); there are pose, root_trans_offset",
     lambda: mf.clip_from_sonic({"pose": 0, "root_trans_offset": np.array(P)}, AXES)),
    ("needs a dictionary of arrays that was loaded; got str. A pickle runs code",
     lambda: mf.clip_from_sonic("motion.pkl", AXES)),
    ("the order of 3 joints must have each of 0 to 2 once; got [0, 1, 1]",
     lambda: mf.clip_from_deploy(DEPLOY, [0, 1, 1])),
    ("the order of 3 joints", lambda: mf.clip_from_isaaclab(
        np.hstack([P, WXYZ]), ISAACLAB, [0, 1], "wxyz")),
    ("quaternion must be one of wxyz, xyzw; got 'isaaclab-2'", lambda: mf.clip_from_isaaclab(
        np.hstack([P, WXYZ]), ISAACLAB, ORDER, "isaaclab-2")),
    ("qpos must have shape (frames, at least 7); got (7,)", lambda: mf.clip_from_qpos(QPOS[0, :7])),
    ("q_WB[1] has length 2", lambda: mf.Clip(P, [[1, 0, 0, 0], [2, 0, 0, 0]], JOINTS)),
    ("joints has 1 frames, p_WB 2", lambda: mf.Clip(P, WXYZ, JOINTS[:1])),
    ("fps must be positive; got -1", lambda: mf.Clip(P, WXYZ, JOINTS, -1)),
    ("no 'root_rotateZ'", lambda: mf.clip_from_bones(
        {k: v for k, v in BONES.items() if k != "root_rotateZ"})),
    ("2 joint_names for 3 joints", lambda: mf.bones_from_clip(mf.clip_from_qpos(QPOS), NAMES[:2])),
    ("2 joint_axes for 3 joints", lambda: mf.sonic_from_clip(mf.clip_from_qpos(QPOS), AXES[:2])),
])  # fmt: skip
def test_errors(words, call):
    with pytest.raises(ConventionError, match=re.escape(words)):
        call()


def write_csv(path, columns):
    rows = np.stack(list(map(np.asarray, columns.values())), 1)
    lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows.tolist())]
    path.write_text("\n".join(lines) + "\n")


def test_files(tmp_path):
    write_csv(tmp_path / "clip.csv", BONES)
    close(mf.clip_from_bones(mf.read_csv(tmp_path / "clip.csv")).joints, JOINTS)
    for name, table in DEPLOY.items():
        write_csv(tmp_path / f"{name}.csv", {f"{name}_{k}": c for k, c in enumerate(table.T)})
    close(mf.clip_from_deploy(mf.read_deploy(tmp_path), ORDER).q_WB, WXYZ)
    for text, words in (("", "is empty"), ("a,a\n1,2\n", "must differ; got a, a"),
                        ("a,b\n1,x\n", "could not convert"),
                        ("a,b\n1,2\n3\n", "shape")):  # fmt: skip
        (tmp_path / "wrong.csv").write_text(text)
        with pytest.raises(ConventionError, match=words):
            mf.read_csv(tmp_path / "wrong.csv")


def test_bvh_channels():
    channels = ["Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation"]
    assert mf.bvh_rotation_kind(channels) == "euler_zxy_intrinsic_deg"
    for wrong in (channels[:4], ["Zrotation"] * 3, []):
        with pytest.raises(ConventionError, match="must have three rotations"):
            mf.bvh_rotation_kind(wrong)
