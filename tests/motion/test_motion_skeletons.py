"""BVH and SMPL: the oracles are SciPy's rotations, plain forward kinematics, and MuJoCo."""

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lanewise as lw
from lanewise.motion import MotionError, UndecidedMotion, load
from lanewise.motion.smpl import MODELS

# name, parent, offset [cm], order of rotations
BONES = (
    ("Hips", -1, (0, 0, 0), "ZXY"), ("LeftUpLeg", 0, (9, -2, 1), "ZXY"),
    ("LeftLeg", 1, (1, -41, 2), "XYZ"), ("LeftFoot", 2, (-1, -40, -1), "ZYX"),
    ("RightUpLeg", 0, (-9, -2, 1), "YXZ"), ("RightLeg", 4, (-1, -41, 2), "ZXY"),
    ("RightFoot", 5, (1, -40, -1), "ZXY"), ("Spine", 0, (0, 12, -1), "ZXY"),
    ("Neck", 7, (0, 38, 2), "XZY"), ("Head", 8, (0, 11, 1), "YZX"),
)  # fmt: skip
FRAMES, FPS = 40, 60


def angles(seed=2):
    rng = np.random.default_rng(seed)
    t = np.arange(FRAMES)[:, None, None] / FPS
    wave = 30.0 * np.sin(
        rng.uniform(1, 6, (len(BONES), 3)) * t + rng.uniform(0, 6, (len(BONES), 3))
    )
    wave[:, 0] *= 0.4
    return wave


def root_path(unit=1.0):
    t = np.arange(FRAMES)[:, None] / FPS
    return unit * np.concatenate([30 * np.sin(t), 92 + 3 * np.cos(2 * t), 120 * t], 1)


def write_bvh(path, scale=1.0, up="y", more=""):
    """A BVH file written by hand, with another order of channels for each joint."""
    children = {k: [c for c, b in enumerate(BONES) if b[1] == k] for k in range(len(BONES))}

    def joint(k):
        name, parent, offset, order = BONES[k]
        words = [f"{axis}rotation" for axis in order]
        moves = ["Yposition", "Xposition", "Zposition"] if parent < 0 else []
        inside = [joint(c) for c in children[k]]
        ends = "" if inside else f"End Site {{ OFFSET 0 {5 * scale} 0 }}"
        return (f"{'ROOT' if parent < 0 else 'JOINT'} {name} {{ OFFSET "
                + " ".join(str(scale * x) for x in offset)
                + f" CHANNELS {len(words + moves)} {' '.join(moves + words)}\n"
                + "".join(inside) + ends + "}\n")  # fmt: skip

    x, p = angles(), root_path(scale)
    rows = np.concatenate([p[:, [1, 0, 2]], x.reshape(FRAMES, -1)], 1)
    text = f"HIERARCHY\n{joint(0)}MOTION\nFrames: {FRAMES}\nFrame Time: {1 / FPS:.6f}\n"
    path.write_text(text + "\n".join(" ".join(f"{v:.9f}" for v in row) for row in rows))


def positions():
    """Joints in world axes of the file [cm], by matrices."""
    x, p = angles(), root_path()
    where, turns = [], []
    for k, (_, parent, offset, order) in enumerate(BONES):
        R = Rotation.from_euler(order, x[:, k], degrees=True)
        if parent < 0:
            where.append(p)
            turns.append(R)
        else:
            where.append(where[parent] + turns[parent].apply(np.array(offset, float)))
            turns.append(turns[parent] * R)
    return np.stack(where, 1)


@pytest.mark.parametrize(("scale", "unit"), [(1.0, "cm"), (0.01, "m"), (10.0, "mm")])
def test_joints_come_out(scale, unit, tmp_path):
    """By the skeleton as a MuJoCo model; z is up, (x, y, z) -> (x, -z, y)."""
    write_bvh(tmp_path / "a.bvh", scale)
    clip = load(tmp_path / "a.bvh")
    assert (clip.meaning["unit"].value, clip.meaning["up"].value) == (unit, "y")
    assert clip.fps == FPS and clip.root == "Hips"
    m = mujoco.MjModel.from_xml_string(clip.skeleton.mjcf())
    d = mujoco.MjData(m)
    qpos = clip.qpos(m)
    expected = 0.01 * positions()[..., [0, 2, 1]] * (1.0, -1.0, 1.0)
    for k in range(0, FRAMES, 7):
        d.qpos = qpos[k]
        mujoco.mj_kinematics(m, d)
        np.testing.assert_allclose(d.xpos[1:], _in_model_order(expected[k], m), atol=2e-9)


def _in_model_order(rows, m):
    names = [b[0] for b in BONES]
    return np.array([rows[names.index(m.body(b).name)] for b in range(1, m.nbody)])


@pytest.mark.parametrize(("up", "unit"), [("y", "cm"), ("z", "m")])
def test_written_and_read_again(up, unit, tmp_path):
    write_bvh(tmp_path / "a.bvh")
    clip = load(tmp_path / "a.bvh")
    clip.save(tmp_path / "b.bvh", up=up, unit=unit)
    again = load(tmp_path / "b.bvh", unit=unit)
    assert again.meaning["up"].value == up
    np.testing.assert_allclose(again.p_WB, clip.p_WB, atol=1e-10)
    m = clip.skeleton.model()
    a, b = clip.body_states(m), again.body_states(m)
    np.testing.assert_allclose(a.pos, b.pos, atol=1e-9)
    np.testing.assert_allclose(a.lin_vel, b.lin_vel, atol=1e-6)


def test_what_nothing_tells(tmp_path):
    write_bvh(tmp_path / "a.bvh")
    text = (tmp_path / "a.bvh").read_text().replace("Head", "J1").replace("Foot", "J2")
    (tmp_path / "a.bvh").write_text(text)
    with pytest.raises(UndecidedMotion, match='up="y" or up="z"'):
        load(tmp_path / "a.bvh")
    assert load(tmp_path / "a.bvh", up="y").meaning["up"].source == "argument"
    write_bvh(tmp_path / "b.bvh", 0.2)  # 18 of something
    with pytest.raises(UndecidedMotion, match='unit="cm" or unit="m"'):
        load(tmp_path / "b.bvh")


def test_joints_that_move_away(tmp_path):
    write_bvh(tmp_path / "a.bvh")
    text = (tmp_path / "a.bvh").read_text()
    head, rows = text.split("Frame Time:")
    first, rest = rows.split("\n", 1)
    names = "CHANNELS 3 Yrotation Zrotation Xrotation"
    assert names in head  # of the head, the last joint
    moving = names.replace("3", "6 Xposition Yposition Zposition")
    lines = [line.split() for line in rest.splitlines()]
    lines = [[*x[:-3], str(k), "11", "1", *x[-3:]] for k, x in enumerate(lines)]
    rest = "\n".join(" ".join(x) for x in lines)
    (tmp_path / "a.bvh").write_text(f"{head.replace(names, moving)}Frame Time:{first}\n{rest}")
    with pytest.raises(UndecidedMotion, match=r"'Head' moves away.*translations"):
        load(tmp_path / "a.bvh")
    assert len(load(tmp_path / "a.bvh", translations="ignore")) == FRAMES


# ---- AMASS


def poses(kind, up, seed=4):
    """(trans, poses) of a body that is upright in a scene with an up axis."""
    rng = np.random.default_rng(seed)
    n = len(MODELS[kind])
    aa = 0.3 * np.sin(np.linspace(0, 3, FRAMES)[:, None] + rng.uniform(0, 6, 3 * n))
    stand = Rotation.from_euler("x", 90 if up == "z" else 0, degrees=True)
    tilt = Rotation.from_rotvec(0.5 * aa[:, :3])
    aa[:, :3] = (stand * tilt).as_rotvec()
    return rng.normal(size=(FRAMES, 3)), aa


@pytest.mark.filterwarnings("ignore:.*the pelvis is J0 away")
@pytest.mark.parametrize("kind", ["smpl", "smplh", "smplx"])
@pytest.mark.parametrize("rate", ["mocap_framerate", "mocap_frame_rate"])
def test_amass(kind, rate, tmp_path):
    trans, aa = poses(kind, "z")
    np.savez(tmp_path / "a.npz", trans=trans, poses=aa, gender="neutral", betas=np.zeros(16),
             **{rate: 120.0})  # fmt: skip
    clip = load(tmp_path / "a.npz")
    assert clip.fps == 120.0 and clip.meaning["up"].value == "z"
    assert (clip.root, *clip.joint_names) == MODELS[kind]
    knee = Rotation.from_rotvec(aa[:, 12:15])
    ours = Rotation.from_quat(clip.joint("left_knee"), scalar_first=True)
    assert (knee.inv() * ours).magnitude().max() < 1e-12
    np.testing.assert_array_equal(clip.p_WB, trans)
    clip.save(tmp_path / "b.npz", "amass")
    again = load(tmp_path / "b.npz")
    np.testing.assert_allclose(again.joints, clip.joints, atol=1e-12)


def test_smpl_scenes_with_y_up(tmp_path):
    """The pelvis is at J0 + trans before the scene is turned."""
    trans, aa = poses("smpl", "y")
    J0 = np.array([0.01, -0.22, 0.03])
    np.savez(tmp_path / "a.npz", trans=trans, poses=aa, fps=30)
    clip = load(tmp_path / "a.npz", pelvis=J0)
    assert clip.meaning["up"].value == "y"
    C = Rotation.from_euler("x", 90, degrees=True)
    np.testing.assert_allclose(clip.p_WB, C.apply(trans + J0), atol=1e-12)
    turned = C * Rotation.from_rotvec(aa[:, :3])
    ours = Rotation.from_quat(clip.q_WB, scalar_first=True)
    assert (turned.inv() * ours).magnitude().max() < 1e-12
    with pytest.warns(UserWarning, match="J0 away"):
        load(tmp_path / "a.npz")


@pytest.mark.filterwarnings("ignore:.*the pelvis is J0 away")
def test_amass_that_contradicts_itself(tmp_path):
    trans, aa = poses("smplh", "z")
    some = {"trans": trans, "poses": aa}
    np.savez(tmp_path / "a.npz", **some, mocap_framerate=120.0, mocap_frame_rate=60.0)
    with pytest.raises(UndecidedMotion, match="rates differ: mocap_framerate 120"):
        load(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", **some, mocap_frame_rate=60.0, mocap_time_length=FRAMES / 120)
    with pytest.raises(UndecidedMotion, match="as of 120 frames a second"):
        load(tmp_path / "a.npz")
    assert load(tmp_path / "a.npz", fps=120).fps == 120.0
    lies = aa.copy()
    lies[:, :3] = 0.0  # the body lies in a scene with z up
    np.savez(tmp_path / "a.npz", trans=trans, poses=lies, mocap_framerate=60.0)
    with pytest.raises(UndecidedMotion, match="AMASS is z up"):
        load(tmp_path / "a.npz")
    assert load(tmp_path / "a.npz", up="z").meaning["up"].source == "argument"
    np.savez(tmp_path / "a.npz", trans=trans, poses=aa[:, :99], mocap_framerate=60.0)
    with pytest.raises(MotionError, match="poses are of 33 joints"):
        load(tmp_path / "a.npz")


@pytest.mark.filterwarnings("ignore:.*the pelvis is J0 away")
def test_a_person_is_no_robot(tmp_path):
    trans, aa = poses("smpl", "z")
    np.savez(tmp_path / "a.npz", trans=trans, poses=aa, mocap_framerate=60.0)
    m = lw.load(lw.models.path("humanoid"))
    with pytest.raises(MotionError, match=r"left_knee is a ball joint|only|retargeted"):
        load(tmp_path / "a.npz", model=m).qpos(m)
