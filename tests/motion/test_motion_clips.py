"""What is done with clips: rates, mirrors, loops, the ground, references, forces."""

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import lanewise as lw
from lanewise import motion
from lanewise.motion import MotionError
from lanewise.motion.player import Player
from support.g1_model import g1, planted_qpos, walk_qpos

FPS = 50.0


@pytest.fixture(scope="module")
def m():
    return g1()


def clip_of(m, qpos, tmp_path_factory, fps=FPS):
    path = tmp_path_factory.mktemp("clip") / "a.npz"
    np.savez(path, qpos=qpos, fps=fps)
    return motion.load(path, m)


@pytest.fixture(scope="module")
def clip(m, tmp_path_factory):
    return clip_of(m, walk_qpos(m, 100, FPS), tmp_path_factory)


@pytest.fixture(scope="module")
def planted(m, tmp_path_factory):
    return clip_of(m, planted_qpos(m, 100, FPS), tmp_path_factory)


def test_velocities_are_mujocos_differences(m, clip):
    """Central: half of the way from the frame before to the frame after, by mj_differentiatePos."""
    qpos, qvel = clip.qpos(m), clip.qvel(m)
    both = np.zeros((2, m.nv))
    for k in (1, 40, 98):
        for i, j in ((0, k - 1), (1, k)):
            mujoco.mj_differentiatePos(m.mj, both[i], 1 / FPS, qpos[j], qpos[j + 1])
        np.testing.assert_allclose(qvel[k], both.mean(0), atol=1e-11)


def test_resampling_is_slerp(m, clip):
    half = clip.resample(100)
    assert half.fps == 100.0 and len(half) == 199
    np.testing.assert_allclose(half.joints[::2], clip.joints, atol=1e-12)
    np.testing.assert_allclose(half.joints[1::2], 0.5 * (clip.joints[1:] + clip.joints[:-1]))
    path = Slerp(clip.times, Rotation.from_quat(clip.q_WB, scalar_first=True))
    theirs = path(np.minimum(half.times, clip.times[-1]))
    ours = Rotation.from_quat(half.q_WB, scalar_first=True)
    assert (theirs.inv() * ours).magnitude().max() < 1e-10
    with pytest.raises(MotionError, match="fps must be a positive"):
        clip.resample(0)
    assert clip.part(0.5, 1.0).duration == pytest.approx(0.5)
    with pytest.raises(MotionError, match="no frame from 7"):
        clip.part(7, 8)


def test_the_mirror_image(m, clip):
    image = clip.mirror(m)
    np.testing.assert_allclose(image.mirror(m).qpos(m), clip.qpos(m), atol=1e-15)
    d, e = mujoco.MjData(m.mj), mujoco.MjData(m.mj)
    for k in (0, 33, 77):
        d.qpos, e.qpos = clip.qpos(m)[k], image.qpos(m)[k]
        mujoco.mj_kinematics(m.mj, d)
        mujoco.mj_kinematics(m.mj, e)
        for name in ("ankle_roll_link", "wrist_yaw_link"):
            left, right = (m.mj.body(f"{side}_{name}").id for side in ("left", "right"))
            np.testing.assert_allclose(e.xpos[left], d.xpos[right] * (1, -1, 1), atol=1e-12)
    with pytest.raises(MotionError, match="takes its axes"):
        clip.mirror()


def test_a_robot_that_is_not_its_mirror_image(clip):
    spec = mujoco.MjSpec.from_string(__import__("support.g1_model").g1_model.g1_xml())
    spec.body("left_knee_link").pos += (0.1, 0.0, 0.0)
    with pytest.raises(MotionError, match="not its own mirror image"):
        clip.mirror(lw.load(spec))


def test_clips_one_after_the_other(m, clip):
    both = clip.then(clip, blend=0.3)
    assert len(both) == 2 * len(clip) - 1 and both.fps == FPS
    step = np.abs(np.diff(both.joints, axis=0)).max(1)
    usual = np.abs(np.diff(clip.joints, axis=0)).max()
    assert step.max() < 3 * usual  # a jump would be ten times that
    jump = np.abs(clip.joints[0] - clip.joints[-1]).max()
    assert jump > 5 * usual
    ahead = np.linalg.norm(np.diff(both.p_WB[:, :2], axis=0), axis=1)
    assert ahead.max() < 0.05
    np.testing.assert_allclose(both.joints[-20:], clip.joints[-20:], atol=1e-12)
    # heading goes on: the second walk begins in the direction in which the first ended
    heading = motion.calc_heading(both.q_WB, w_last=False)
    assert np.abs(np.diff(heading)).max() < 0.1
    assert len(clip.loop(3)) == 3 * len(clip) - 2
    with pytest.raises(MotionError, match="different joints"):
        clip.then(clip.__class__(clip.times, clip.p_WB, clip.q_WB, clip.joints[:, :1], ("a",)))


def test_the_ground(m, planted):
    moved = motion.Clip(planted.times, planted.p_WB + (0, 0, 0.37), planted.q_WB, planted.joints,
                        planted.joint_names)  # fmt: skip
    height, frames = motion.ground_height(moved, m)
    assert frames > 50
    onto = moved.on_ground(m)
    # spheres of the foot, whose lowest points are 4 cm below its frame, as MuJoCo has them
    d = mujoco.MjData(m.mj)
    d.qpos = onto.qpos(m)[50]
    mujoco.mj_kinematics(m.mj, d)
    low = min(d.geom_xpos[g][2] - m.mj.geom_size[g][0] for g in range(1, m.ngeom))
    assert abs(low) < 2e-3
    assert height == pytest.approx(0.37 + 0.05 - 0.04, abs=2e-3)


def test_forces_of_all_frames(m, clip):
    """As MuJoCo's inverse dynamics, frame by frame."""
    found = clip.inverse(m)
    qpos = clip.qpos(m)
    d = mujoco.MjData(m.mj)
    for k in (10, 60):
        d.qpos, d.qvel, d.qacc = qpos[k], found["qvel"][k], found["qacc"][k]
        mujoco.mj_inverse(m.mj, d)
        np.testing.assert_allclose(found["qfrc_inverse"][k], d.qfrc_inverse, rtol=1e-6, atol=1e-6)
    assert np.abs(found["residual"][:, :6]).max() > 10.0
    assert not found["residual"][:, 6:].any()


def test_a_plot_of_residuals(m, clip, tmp_path):
    pytest.importorskip("matplotlib")
    path = motion.plot_residuals(clip, m, tmp_path / "a.png")
    assert path.stat().st_size > 10_000
    with pytest.raises(MotionError, match=".png"):
        motion.plot_residuals(clip, m, tmp_path / "a.jpeg")


def test_references_for_worlds(m, clip):
    b = lw.Batch(m, 9)
    start = np.arange(9) * 8 / FPS  # at frames; between them, bodies go in straight lines
    tracker = clip.track(b, start=start)
    tracker.reset()
    assert max(e.max() for e in tracker.errors().values()) < 1e-9
    np.testing.assert_allclose(tracker.rewards(), 1.0, atol=1e-12)
    b.qpos[3, 7] += 0.2
    errors = tracker.errors()
    assert errors["joint_pos"][3] == pytest.approx(0.2 / np.sqrt(29))
    assert tracker.rewards()[3] < 1.0 and tracker.rewards()[4] == pytest.approx(1.0)
    b.time[:] = 0.31
    here = tracker.reference()
    later = motion.resampling.at_times(clip, start + 0.31)
    np.testing.assert_allclose(here.qpos, later.qpos(m), atol=1e-12)
    assert not tracker.done().any()
    b.time[:] = 5.0
    assert tracker.done().all()
    with pytest.raises(MotionError, match="did you mean 'joint_pos'"):
        tracker.rewards(joint_poss=1.0)
    with pytest.raises(TypeError, match="tracked by a Batch"):
        clip.track(m)


def test_a_player_beside_its_ghost(m, clip):
    player = Player(clip, m, ghosts=1)
    for _ in range(20):
        player.advance(player.batch, 10)
    t = 0.4
    k = round(t * FPS)
    np.testing.assert_allclose(player.batch.qpos[0], clip.qpos(m)[k], atol=1e-9)
    assert player.batch.time[1] == pytest.approx(t)
    assert np.abs(player.batch.qpos[1] - player.batch.qpos[0]).max() > 0.05


# ---- robots


def test_sonics_constants_follow_from_the_tree(m):
    assert (
        tuple(motion.joint_mapping(m, "isaaclab-2", "mujoco")) == motion.G1_ISAACLAB_TO_MUJOCO_DOF
    )
    assert (
        tuple(motion.joint_mapping(m, "mujoco", "isaaclab-2")) == motion.G1_MUJOCO_TO_ISAACLAB_DOF
    )
    order = lw.conventions.body_permutation(m, "isaaclab-2", "mujoco")
    assert tuple(order) == motion.G1_ISAACLAB_TO_MUJOCO_BODY
    back = np.array(motion.G1_MUJOCO_TO_ISAACLAB_BODY)
    assert (back[np.array(motion.G1_ISAACLAB_TO_MUJOCO_BODY)] == np.arange(30)).all()


@pytest.mark.parametrize(("variant", "number"), [("g1-29", 29), ("g1-23", 23), ("g1-hands", 43)])
def test_variants(variant, number):
    m = g1(variant)
    names = [m.mj.joint(j).name for j in range(1, m.njnt)]
    assert motion.robot_joints(variant) == names and len(names) == number
    for system in ("isaaclab-2", "newton", "drake"):
        ours = motion.joint_mapping(variant, system, "mujoco")
        np.testing.assert_array_equal(ours, motion.joint_mapping(m, system, "mujoco"))
    assert motion.robots.variant_of(reversed(names)) == variant
    with pytest.raises(MotionError, match="did you mean"):
        motion.robot_joints("g1_29")


@pytest.mark.parametrize("flag", [True, False])
def test_rotations_with_w_last(flag):
    rng = np.random.default_rng(0)
    R, S = (Rotation.random(20, rng=rng) for _ in range(2))
    q, s = (x.as_quat(scalar_first=not flag) for x in (R, S))
    v = rng.normal(size=(20, 3))
    np.testing.assert_allclose(motion.quat_rotate(q, v, w_last=flag), R.apply(v), atol=1e-12)
    np.testing.assert_allclose(motion.quat_rotate_inverse(q, v, w_last=flag), R.inv().apply(v),
                               atol=1e-12)  # fmt: skip
    both = Rotation.from_quat(motion.quat_mul(q, s, w_last=flag), scalar_first=not flag)
    assert ((R * S).inv() * both).magnitude().max() < 1e-10
    heading = motion.calc_heading(q, w_last=flag)
    x = R.apply([1.0, 0.0, 0.0])
    np.testing.assert_allclose(heading, np.arctan2(x[:, 1], x[:, 0]), atol=1e-12)
    none = motion.quat_mul(motion.calc_heading_quat_inv(q, w_last=flag), q, w_last=flag)
    np.testing.assert_allclose(motion.calc_heading(none, w_last=flag), 0.0, atol=1e-9)
    with pytest.raises(TypeError):
        motion.quat_rotate(q, v)
