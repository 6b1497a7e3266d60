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


# ---- BVH as other programs write it

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 0.0 0.0 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0.0 30.0 -1.0
    CHANNELS 3 Xrotation Yrotation Zrotation
    JOINT Head
    {
      OFFSET 0.0 30.0 2.0
      CHANNELS 3 Yrotation Xrotation Zrotation
      End Site
      {
        OFFSET 0.0 15.0 0.0
      }
    }
  }
  JOINT LeftFoot
  {
    OFFSET 9.0 -85.0 1.0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0.0 -5.0 12.0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.016667
1.0 90.0 2.0 10.0 20.0 30.0 5.0 -6.0 7.0 11.0 -12.0 13.0 -21.0 22.0 23.0
1.5 91.0 2.5 12.0 18.0 33.0 6.0 -7.0 8.0 12.0 -13.0 14.0 -22.0 23.0 24.0
"""
ANGLES = ("ZXY", 3), ("XYZ", 6), ("YXZ", 9), ("ZYX", 12)


def small_positions(offsets=((0, 30, -1), (0, 30, 2), (9, -85, 1))):
    """Of its joints [m], z up, by SciPy."""
    rows = np.array([line.split() for line in SMALL.splitlines()[-2:]], float)
    R = [Rotation.from_euler(order, rows[:, k : k + 3], degrees=True) for order, k in ANGLES]
    hips = rows[:, :3]
    spine = hips + R[0].apply(offsets[0])
    head = spine + (R[0] * R[1]).apply(offsets[1])
    foot = hips + R[0].apply(offsets[2])
    where = np.stack([hips, spine, head, foot], 1)
    return 0.01 * where[..., [0, 2, 1]] * (1.0, -1.0, 1.0)


def keywords(text, change):
    for word in ("HIERARCHY", "ROOT", "JOINT", "OFFSET", "CHANNELS", "End Site", "MOTION",
                 "Frames", "Frame Time", "rotation", "position"):  # fmt: skip
        text = text.replace(word, change(word))
    return text


SPELLED = {
    "as it is": SMALL,
    "line ends of Windows": SMALL.replace("\n", "\r\n"),
    "line ends of old Macs": SMALL.replace("\n", "\r"),
    "tabs": SMALL.replace("  ", "\t").replace(" ", "\t").replace("End\tSite", "End Site"),
    "two blanks, and at the ends": SMALL.replace(" ", "  ").replace("\n", " \n"),
    "small letters": keywords(SMALL, str.lower),
    "capitals": keywords(SMALL, str.upper),
    "a mark of UTF-8": "\ufeff" + SMALL,
    "braces in the line": SMALL.replace("\n{", " {"),
    "all in one line": SMALL.replace("\n", " "),
    "blank lines": SMALL.replace("\n", "\n\n") + "\n \n\t\n",
    "no end of the last line": SMALL.rstrip(),
    "a name for the end": SMALL.replace("End Site", "End Site toe_end"),
    "EndSite": SMALL.replace("End Site", "EndSite"),
    "no ends": SMALL.replace("""      End Site
      {
        OFFSET 0.0 15.0 0.0
      }
""", ""),
    "scientific": SMALL.replace("0.016667", "1.6667E-02").replace("30.0 -1.0", "3.0e+01 -1e0"),
    "no colons": SMALL.replace("Frames:", "Frames").replace("Time:", "Time"),
    "blanks before colons": SMALL.replace("Frames:", "Frames :").replace("Time:", "Time :"),
    "plus signs": SMALL.replace(" 91.0", " +91.0").replace(" 2.5 ", " +2.5 "),
    "without points": SMALL.replace(".0 ", " ").replace(".0\n", "\n"),
}  # fmt: skip


@pytest.mark.parametrize("how", SPELLED)
def test_bvh_spelled_otherwise(how, tmp_path):
    (tmp_path / "a.bvh").write_bytes(SPELLED[how].encode())
    clip = load(tmp_path / "a.bvh")
    assert clip.fps == 60.0 and (clip.root, *clip.joint_names) == (
        "Hips", "Spine", "Head", "LeftFoot")  # fmt: skip
    states = clip.body_states(clip.skeleton.model())
    np.testing.assert_allclose(states.pos, small_positions(), atol=1e-12)


@pytest.mark.parametrize(("old", "new"), [
    ("Spine", "Motion"), ("Spine", "slow MOTION"), ("Hips", "mixamorig:Hips"), ("Hips", "My Hips"),
    ("Hips", "Armature|Hips.001"), ("Spine", "Wirbels\u00e4ule"), ("Spine", "End"),
    ("Spine", "Frames"),
])  # fmt: skip
def test_names_of_bvh(old, new, tmp_path):
    (tmp_path / "a.bvh").write_text(SMALL.replace(old, new), encoding="utf-8")
    clip = load(tmp_path / "a.bvh")
    assert new in (clip.root, *clip.joint_names)
    states = clip.body_states(clip.skeleton.model())
    assert states.names == (clip.root, *clip.joint_names)
    np.testing.assert_allclose(states.pos, small_positions(), atol=1e-12)


def with_positions(rows):
    """Six channels on every joint; positions are rows of text, one for each but the root."""
    head, motion = SMALL.split("MOTION")
    for order in ("X", "Y", "Z"):
        head = head.replace(
            f"CHANNELS 3 {order}", f"CHANNELS 6 Xposition Yposition Zposition {order}"
        )
    *first, a, b = motion.rstrip().split("\n")
    lines = []
    for line in (a, b):
        x = line.split()
        lines.append(" ".join([*x[:6], rows[0], *x[6:9], rows[1], *x[9:12], rows[2], *x[12:]]))
    return head + "MOTION" + "\n".join([*first, *lines]) + "\n"


def test_positions_on_every_joint(tmp_path):
    """They stand in the place of OFFSET."""
    path = tmp_path / "a.bvh"
    path.write_text(with_positions(("0 30 -1", "0 30 2", "9 -85 1")))
    clip = load(path)
    m = clip.skeleton.model()
    np.testing.assert_allclose(clip.body_states(m).pos, small_positions(), atol=1e-12)
    path.write_text(with_positions(("0 28 -1", "0 31 2", "8 -84 1")))
    clip = load(path)
    other = small_positions(((0, 28, -1), (0, 31, 2), (8, -84, 1)))
    pos = clip.body_states(clip.skeleton.model()).pos
    np.testing.assert_allclose(pos, other, atol=1e-12)
    # some programs write what is to be added to OFFSET
    path.write_text(with_positions(("0 0 0",) * 3))
    with pytest.raises(UndecidedMotion, match=r"'Spine' has an OFFSET.*translations"):
        load(path)
    clip = load(path, translations="ignore")
    np.testing.assert_allclose(clip.body_states(m).pos, small_positions(), atol=1e-12)


def test_bones_without_length(tmp_path):
    (tmp_path / "a.bvh").write_text(SMALL.replace("OFFSET 0.0 30.0 2.0", "OFFSET 0 0 0"))
    clip = load(tmp_path / "a.bvh")
    pos = clip.body_states(clip.skeleton.model()).pos
    expected = small_positions(((0, 30, -1), (0, 0, 0), (9, -85, 1)))
    np.testing.assert_allclose(pos, expected, atol=1e-12)


def test_where_a_bvh_is_wrong(tmp_path):
    for old, new, message in (
        ("-13.0", "-1.#IND", f"line {SMALL.count(chr(10))} has '-1.#IND', which is no number"),
        ("0.016667", "0,016667", "must be numbers; got '2' and '0,016667'"),
        ("Frames: 2", "Frames: 3", "are 45 numbers; it has 30"),
    ):
        (tmp_path / "a.bvh").write_text(SMALL.replace(old, new))
        with pytest.raises(MotionError, match=message):
            load(tmp_path / "a.bvh")


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


@pytest.mark.filterwarnings("ignore:.*the pelvis is J0 away")
@pytest.mark.parametrize("kind", ["smplh", "smplx"])
def test_amass_as_it_is_published(kind, tmp_path):
    """Single precision, and keys of all releases; objects that nobody asks for do not matter."""
    trans, aa = (x.astype(np.float32) for x in poses(kind, "z"))
    more = {"dmpls": np.zeros((FRAMES, 8)), "betas": np.zeros(16, np.float32)}
    objects = np.array([{"C7": 3829}, None], dtype=object)
    if kind == "smplh":  # the first release
        more |= {"gender": np.array("male"), "mocap_framerate": np.array(120.0)}
    else:
        more |= {
            "gender": np.array(b"female"), "surface_model_type": "smplx", "num_betas": 16,
            "mocap_frame_rate": 120.0, "mocap_time_length": FRAMES / 120,
            "markers_latent": np.zeros((46, 3)), "markers_latent_vids": objects,
            "latent_labels": np.array(["C7", "CLAV"]), "root_orient": aa[:, :3],
            "pose_body": aa[:, 3:66], "pose_jaw": aa[:, 66:69], "pose_eye": aa[:, 69:75],
            "pose_hand": aa[:, 75:],
        }  # fmt: skip
    np.savez(tmp_path / "a.npz", trans=trans, poses=aa, **more)
    clip = load(tmp_path / "a.npz")
    assert clip.fps == 120.0 and (clip.root, *clip.joint_names) == MODELS[kind]
    np.testing.assert_array_equal(clip.p_WB, trans.astype(float))
    elbow = 3 * MODELS[kind].index("right_elbow")
    expected = Rotation.from_rotvec(aa[:, elbow : elbow + 3].astype(float))
    ours = Rotation.from_quat(clip.joint("right_elbow"), scalar_first=True)
    assert (expected.inv() * ours).magnitude().max() < 1e-12
    if kind == "smplx":  # the same by its parts
        del more["markers_latent_vids"]
        np.savez(tmp_path / "b.npz", trans=trans, **more)
        np.testing.assert_array_equal(load(tmp_path / "b.npz").joints, clip.joints)
    np.savez(tmp_path / "c.npz", trans=trans, poses=aa.astype(object), mocap_framerate=120.0)
    with pytest.raises(MotionError, match="poses has Python objects"):
        load(tmp_path / "c.npz")
