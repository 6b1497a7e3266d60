"""One clip in all forms is one motion; what files mean is told right, or they are refused."""

import pickle
from dataclasses import replace

import joblib
import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.conventions import joint_order
from lanewise.motion import FORMS, MotionError, UndecidedMotion, kinematics_of_clips, load
from lanewise.motion.kinematics_of_clips import body_states
from support.g1_model import g1, planted_qpos, walk_qpos

FPS = 50.0
ENDING = {"npz": ".npz", "pkl": ".pkl", "csv": ".csv", "bvh": ".bvh", "folder": ""}
OF_ROBOTS = [name for name in FORMS if name not in ("amass", "smpl")]
SAID = {"csv": {"fps": FPS, "root_rot": "xyzw"}, "bones": {"fps": FPS}, "gmr": {"root_rot": "xyzw"}}


@pytest.fixture(scope="module")
def m():
    return g1()


@pytest.fixture(scope="module")
def qpos(m):
    return walk_qpos(m, 90, FPS)


@pytest.fixture(scope="module")
def clip(m, qpos, tmp_path_factory):
    path = tmp_path_factory.mktemp("clip") / "walk.npz"
    np.savez(path, qpos=qpos, fps=FPS)
    return load(path, model=m)


def mujoco_bodies(m, qpos, qvel):
    """Positions and world velocities of bodies' origins and centres, asked of MuJoCo itself."""
    d = mujoco.MjData(m.mj)
    out = {"pos": [], "quat": [], "origin": [], "com": [], "ang": []}
    v = np.zeros(6)
    for q, w in zip(qpos, qvel):
        d.qpos, d.qvel = q, w
        mujoco.mj_forward(m.mj, d)
        rows = {name: [] for name in out}
        for b in range(1, m.nbody):
            mujoco.mj_objectVelocity(m.mj, d, mujoco.mjtObj.mjOBJ_XBODY, b, v, 0)
            rows["origin"].append(v[3:].copy())
            rows["ang"].append(v[:3].copy())
            mujoco.mj_objectVelocity(m.mj, d, mujoco.mjtObj.mjOBJ_BODY, b, v, 0)
            rows["com"].append(v[3:].copy())
        rows["pos"], rows["quat"] = d.xpos[1:].copy(), d.xquat[1:].copy()
        for name, row in rows.items():
            out[name].append(np.array(row))
    return {name: np.array(rows) for name, rows in out.items()}


def test_bodies_are_mujocos(m, qpos, clip):
    few = slice(0, 90, 15)
    theirs = mujoco_bodies(m, qpos[few], clip.qvel(m)[few])
    for point in ("origin", "com"):
        ours = clip.body_states(m, point=point)
        np.testing.assert_allclose(ours.pos[few], theirs["pos"], atol=1e-12)
        np.testing.assert_allclose(ours.lin_vel[few], theirs[point], atol=1e-11)
        np.testing.assert_allclose(ours.ang_vel[few], theirs["ang"], atol=1e-11)


@pytest.mark.parametrize("point", ["origin", "com"])
def test_bodies_of_long_clips(point, m, clip, monkeypatch):
    """Frames as worlds of a Batch, in several blocks, give what the tree gives."""
    bodies = [5, 3, 1, 30, 0]
    qpos, qvel = clip.qpos(m), clip.qvel(m)
    short = body_states(m, qpos, qvel, bodies, point)
    monkeypatch.setattr(kinematics_of_clips, "LONG", 1)
    monkeypatch.setattr(kinematics_of_clips, "BLOCK", 32)
    for x, y in zip(body_states(m, qpos, qvel, bodies, point), short):
        np.testing.assert_allclose(x, y, atol=1e-11)
    assert body_states(m, qpos)[2] is None


@pytest.mark.parametrize("form", OF_ROBOTS)
def test_all_forms_are_one_motion(form, m, clip, tmp_path):
    path = tmp_path / f"clip{ENDING[FORMS[form].kind]}"
    clip.save(path, form, model=m)
    again = load(path, model=m, **SAID.get(form, {}))
    tight = 1e-11 if form == "bvh" else 1e-15
    np.testing.assert_allclose(again.qpos(m), clip.qpos(m), atol=tight * 10)
    assert again.fps == FPS
    ours, theirs = again.body_states(m), clip.body_states(m)
    np.testing.assert_allclose(ours.lin_vel, theirs.lin_vel, atol=1e-8)
    np.testing.assert_allclose(ours.ang_vel, theirs.ang_vel, atol=1e-8)


@pytest.mark.parametrize("form", ["mjlab", "beyondmimic", "isaaclab-2", "isaaclab-3"])
def test_without_names_orders_are_found_by_kinematics(form, m, clip, tmp_path):
    path = clip.save(tmp_path / "clip.npz", form, model=m, names=False)
    with np.load(path) as arrays:
        assert not any(name.endswith("names") for name in arrays)
    again = load(path, model=m)
    np.testing.assert_allclose(again.qpos(m), clip.qpos(m), atol=1e-14)
    assert again.meaning["joints"].source == "forward kinematics"
    expected = "order of mujoco" if form == "mjlab" else "order of isaaclab-2"
    assert again.meaning["joints"].value == expected
    assert again.meaning["root_rot"].value == ("xyzw" if form == "isaaclab-3" else "wxyz")
    if form in ("mjlab", "beyondmimic"):
        whose = "bodies' origins" if form == "mjlab" else "centres of mass"
        assert again.meaning["body_lin_vel_w"].value == f"of {whose}"


def isaac_file(m, qpos, path, **changes):
    """A file as BeyondMimic's script writes it, by MuJoCo's own kinematics and joint_order."""
    qvel = np.zeros((len(qpos), m.nv))
    bodies = mujoco_bodies(m, qpos, qvel)
    order = lw.conventions.joint_permutation(m, "mujoco", "isaaclab-2")
    rows = lw.conventions.body_permutation(m, "mujoco", "isaaclab-2")
    joints = qpos[:, 7:][:, order].astype(np.float32)
    arrays = {
        "fps": np.array([FPS]), "joint_pos": joints,
        "joint_vel": np.gradient(joints, 1 / FPS, axis=0),
        "body_pos_w": bodies["pos"][:, rows].astype(np.float32),
        "body_quat_w": bodies["quat"][:, rows].astype(np.float32),
    }  # fmt: skip
    np.savez(path, **(arrays | changes))
    return arrays


def test_a_file_of_another_program(m, qpos, tmp_path):
    isaac_file(m, qpos, tmp_path / "a.npz")
    again = load(tmp_path / "a.npz", model=m)
    np.testing.assert_allclose(again.qpos(m), qpos, atol=1e-6)
    assert list(again.joint_names) == joint_order(m, "isaaclab-2")


def test_sides_that_are_exchanged(m, qpos, tmp_path):
    """Columns of left and right are swapped: bodies tell."""
    arrays = isaac_file(m, qpos, tmp_path / "a.npz")
    names = joint_order(m, "isaaclab-2")
    swap = [names.index(lw.motion.robot.other_side(n)) for n in names]
    isaac_file(m, qpos, tmp_path / "b.npz", joint_pos=arrays["joint_pos"][:, swap],
               joint_vel=arrays["joint_vel"][:, swap])  # fmt: skip
    again = load(tmp_path / "b.npz", model=m)
    np.testing.assert_allclose(again.qpos(m), qpos, atol=1e-6)
    assert "exchanged" in again.meaning["joints"].value
    # with names, file and bodies contradict each other
    isaac_file(m, qpos, tmp_path / "c.npz", joint_pos=arrays["joint_pos"][:, swap],
               joint_vel=arrays["joint_vel"][:, swap], joint_names=np.array(names))  # fmt: skip
    with pytest.raises(MotionError, match="left and right are exchanged"):
        load(tmp_path / "c.npz", model=m)


def test_a_rate_that_is_not_that_of_the_velocities(m, qpos, tmp_path):
    isaac_file(m, qpos, tmp_path / "a.npz", fps=np.array([30]))
    with pytest.raises(MotionError, match="fps is 30, but its velocities are those of 50"):
        load(tmp_path / "a.npz", model=m)
    assert load(tmp_path / "a.npz", model=m, fps=50).fps == 50.0


def test_bodies_of_another_robot(m, qpos, tmp_path):
    arrays = isaac_file(m, qpos, tmp_path / "a.npz")
    isaac_file(m, qpos, tmp_path / "b.npz", body_pos_w=arrays["body_pos_w"] * 100.0)
    with pytest.raises(MotionError, match="in metres"):
        load(tmp_path / "b.npz", model=m)


def test_a_still_clip_is_undecided_only_where_it_matters(m, qpos, tmp_path):
    """All joints alike: every order is the same motion."""
    still = np.tile(m.qpos0, (20, 1))
    isaac_file(m, still, tmp_path / "a.npz")
    np.testing.assert_allclose(load(tmp_path / "a.npz", model=m).qpos(m), still, atol=1e-6)


# ---- root_rot


@pytest.mark.parametrize("order", ["xyzw", "wxyz"])
@pytest.mark.parametrize("compress", [0, 3, ("xz", 3)])
def test_sonic_root_rot_in_both_orders(order, compress, m, clip, qpos, tmp_path):
    path = tmp_path / "walk.pkl"
    clip.save(path, "sonic", model=m, root_rot=order, dtype=np.float32)
    joblib.dump(joblib.load(path), path, compress=compress)
    again = load(path, model=m)
    assert again.meaning["root_rot"].value == order
    assert again.meaning["root_rot"].source == "test"
    np.testing.assert_allclose(again.qpos(m), qpos, atol=1e-6)


@pytest.mark.parametrize("order", ["xyzw", "wxyz"])
def test_gmr_root_rot_by_a_foot_that_stands(order, m, tmp_path):
    qpos = planted_qpos(m, 200, FPS)
    assert np.ptp(qpos[:, 0]) > 0.1
    pick = [1, 2, 3, 0] if order == "xyzw" else [0, 1, 2, 3]
    entry = {"fps": 50, "root_pos": qpos[:, :3], "root_rot": qpos[:, 3:7][:, pick],
             "dof_pos": qpos[:, 7:], "local_body_pos": None, "link_body_list": None}  # fmt: skip
    (tmp_path / "a.pkl").write_bytes(pickle.dumps(entry))
    again = load(tmp_path / "a.pkl", model=m, order="mujoco")
    assert again.meaning["root_rot"].value == order
    np.testing.assert_allclose(again.qpos(m), qpos, atol=1e-12)


def test_root_rot_that_nothing_tells(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.csv", model=m)
    with pytest.raises(UndecidedMotion, match='root_rot="wxyz" or root_rot="xyzw"'):
        load(path, model=m, fps=50)
    again = load(path, model=m, fps=50, root_rot="xyzw")
    np.testing.assert_allclose(again.qpos(m), clip.qpos(m), atol=1e-15)
    assert load(path, model=m, form="csv").fps == 30.0  # what these files usually mean


def test_a_rate_that_nothing_tells(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.csv", model=m)
    with pytest.raises(UndecidedMotion, match="files of this form have 30"):
        load(path, model=m, root_rot="xyzw")


# ---- orders without bodies


def test_axes_tell_the_order(m, clip, tmp_path):
    """A motion library in Isaac Lab's order, which SONIC's are not."""
    path = clip.save(tmp_path / "a.pkl", "sonic", model=m)
    entry = joblib.load(path)["clip"]
    order = lw.conventions.joint_permutation(m, "mujoco", "isaaclab-2")
    entry["dof"] = entry["dof"][:, order]
    entry["pose_aa"][:, 1:] = entry["pose_aa"][:, 1:][:, order]
    joblib.dump({"a": entry}, path)
    again = load(path, model=m)
    assert again.meaning["joints"].value == "order of isaaclab-2"
    np.testing.assert_allclose(again.qpos(m), clip.qpos(m), atol=1e-12)
    entry["pose_aa"][:, 1:] = entry["pose_aa"][:, 1:][:, ::-1]
    joblib.dump({"a": entry}, path)
    with pytest.raises(MotionError, match="in no known order"):
        load(path, model=m)


def test_limits_tell_the_order_or_nothing_does(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.csv", model=m)
    found = load(path, model=m, fps=50, root_rot="xyzw")
    assert found.meaning["joints"].source == "test" and "limits" in found.meaning["joints"].why
    small = load(path, model=m, fps=50, root_rot="xyzw")
    rows = np.loadtxt(path, delimiter=",")
    rows[:, 7:] = 0.05 * np.sin(np.arange(29)) + 0.05
    np.savetxt(path, rows, delimiter=",")
    with pytest.raises(UndecidedMotion, match='order="mujoco" or order="isaaclab-2"'):
        load(path, model=m, fps=50, root_rot="xyzw")
    assert load(path, model=m, fps=50, root_rot="xyzw", order="isaaclab-2").joint_names[1] == (
        "right_hip_pitch_joint")  # fmt: skip
    assert small.joint_names[1] == "left_hip_roll_joint"


def test_sides_by_limits(m, tmp_path):
    """Hip rolls that are possible only on the other side."""
    qpos = np.tile(m.qpos0, (10, 1))
    names = [m.mj.joint(j).name for j in range(1, m.njnt)]
    qpos[:, 7 + names.index("left_hip_roll_joint")] = -1.5
    qpos[:, 7 + names.index("right_hip_roll_joint")] = 1.5
    np.savetxt(tmp_path / "a.csv", np.c_[qpos[:, :3], qpos[:, 4:7], qpos[:, 3], qpos[:, 7:]],
               delimiter=",")  # fmt: skip
    with pytest.raises(UndecidedMotion, match="only if left and right are exchanged"):
        load(tmp_path / "a.csv", model=m, fps=30, root_rot="xyzw")


def test_names_in_a_first_line(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.csv", model=m, names=True)
    again = load(path, fps=50, root_rot="xyzw")  # without a model
    np.testing.assert_allclose(again.qpos(m), clip.qpos(m), atol=1e-15)


def test_other_variants_are_refused(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.csv", model=m)
    other = g1("g1-23")
    with pytest.raises(MotionError, match="29 joints without names, and the model 23"):
        load(path, model=other, fps=50, root_rot="xyzw")
    with pytest.raises(MotionError, match="only the clip has: waist_roll_joint"):
        clip.qpos(other)
    part = clip.qpos(other, partial=True)
    assert part.shape == (90, 30)
    np.testing.assert_array_equal(part[:, 7:13], clip.joints[:, :6])


def test_without_a_model(clip, m, tmp_path):
    path = clip.save(tmp_path / "a.pkl", "sonic", model=m)
    with pytest.raises(UndecidedMotion, match="29 joints without names"):
        load(path)
    names = lw.motion.robot_joints("g1-29")
    assert load(path, joint_names=names).joint_names == tuple(names)


def test_saved_with_the_model_of_its_loading(clip, m, tmp_path):
    given = clip.save(tmp_path / "given.csv", model=m)
    known = clip.save(tmp_path / "known.csv")
    assert known.read_bytes() == given.read_bytes()


def test_several_clips(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.pkl", "sonic", model=m)
    entry = joblib.load(path)["clip"]
    joblib.dump({"walk": entry, "run": entry}, path)
    with pytest.raises(UndecidedMotion, match="2 clips: 'walk', 'run'"):
        load(path, model=m)
    assert load(path, model=m, clip="run").extras["name"] == "run"
    with pytest.raises(MotionError, match="did you mean 'walk'"):
        load(path, model=m, clip="walkk")


def test_what_repr_tells(clip):
    said = repr(clip)
    assert "90 frames" in said and "50 fps" in said and "(file: fps)" in said


def test_wrong_words(m, clip, tmp_path):
    for wrong, message in (
        ({"form": "sonik"}, "did you mean 'sonic'"), ({"up": "Y"}, "up must be one of"),
        ({"root_rot": "wxzy"}, "wxyz, xyzw"), ({"order": "isaaclab"}, "did you mean"),
    ):  # fmt: skip
        path = clip.save(tmp_path / "a.csv", model=m)
        with pytest.raises(MotionError, match=message):
            load(path, model=m, fps=50, **({"root_rot": "xyzw"} | wrong))
    with pytest.raises(MotionError, match="model=m"):
        replace(clip, robot=None).save(tmp_path / "a.csv")
    with pytest.raises(MotionError, match=r"ends with \.npz"):
        clip.save(tmp_path / "a.csv", "mujoco", model=m)
    with pytest.raises(MotionError, match="has no option 'nmaes'"):
        clip.save(tmp_path / "a.npz", "mjlab", model=m, nmaes=False)


def test_a_rate_by_velocities_is_a_usual_one(m, clip, tmp_path):
    """SONIC's folders do not say it, and their velocities are smoothed."""
    folder = clip.save(tmp_path / "walk", "sonic-csv", model=m)
    assert load(folder, model=m).fps == 50.0
    head, rows = (folder / "joint_vel.csv").read_text().split("\n", 1)
    rows = 0.93 * np.loadtxt(rows.splitlines(), delimiter=",")
    np.savetxt(folder / "joint_vel.csv", rows, delimiter=",", header=head, comments="")
    with pytest.raises(UndecidedMotion, match="files of this form have 50.*smoothed"):
        load(folder, model=m)
    assert load(folder, model=m, form="sonic-csv").fps == 50.0


def test_bodies_of_a_folder(m, clip, tmp_path):
    """SONIC's 14 of a G1, or all."""
    few = clip.save(tmp_path / "few", "sonic-csv", model=m)
    assert "[0 4 10 18 5 11 19 9 16 22 28 17 23 29]" in (few / "metadata.txt").read_text()
    found = load(few, model=m)
    assert len(found.bodies.names) == 14 and found.bodies.names[7] == "torso_link"
    every = clip.save(tmp_path / "all", "sonic-csv", model=m, bodies="all")
    assert len(load(every, model=m).bodies.names) == 30
    with pytest.raises(MotionError, match="sonic or all"):
        clip.save(tmp_path / "x", "sonic-csv", model=m, bodies="some")


# ---- every form: names removed, sides exchanged, another rate than it says


def with_sides_exchanged(clip):
    """The same columns of joints, but left has what is right's."""
    names = list(clip.joint_names)
    swap = [names.index(lw.motion.robot.other_side(n)) for n in names]
    return replace(clip, joints=clip.joints[:, swap])


def changed(path, change):
    """Rewrite an npz or pickle with its arrays changed."""
    if path.suffix == ".npz":
        with np.load(path) as file:
            arrays = dict(file)
        np.savez(path, **change(arrays))
    else:
        whole = joblib.load(path)
        entry = whole.get("clip", whole)
        new = change(entry)
        joblib.dump({"clip": new} if entry is not whole else new, path)


@pytest.mark.parametrize("form", OF_ROBOTS)
def test_sides_exchanged_in_every_form(form, m, clip, tmp_path):
    """Found by bodies where there are any, refused where limits contradict; nothing is silent."""
    right, wrong = (tmp_path / f"{name}{ENDING[FORMS[form].kind]}" for name in ("a", "b"))
    clip.save(right, form, model=m)
    with_sides_exchanged(clip).save(wrong, form, model=m)
    said = SAID.get(form, {})
    if form == "sonic-csv":
        for name in ("joint_pos.csv", "joint_vel.csv"):
            (right / name).write_bytes((wrong / name).read_bytes())
        found = load(right, model=m)
        np.testing.assert_allclose(found.qpos(m), clip.qpos(m), atol=1e-12)
        assert "exchanged" in found.meaning["joints"].value
        return
    if FORMS[form].kind == "npz" and form != "mujoco":  # its bodies are where they were
        with np.load(wrong) as file:
            joints = {k: file[k] for k in ("joint_pos", "joint_vel")}
        changed(right, lambda x: x | joints)
        with pytest.raises(MotionError, match="only if left and right are exchanged"):
            load(right, model=m)
        changed(right, lambda x: {k: v for k, v in x.items() if not k.endswith("names")})
        found = load(right, model=m)
        np.testing.assert_allclose(found.qpos(m), clip.qpos(m), atol=1e-12)
        assert "exchanged" in found.meaning["joints"].value
        return
    with pytest.raises(UndecidedMotion, match="only if left and right are exchanged"):
        load(wrong, model=m, **said)
    if form in ("mujoco", "bones", "bvh"):  # their names hold if somebody says so
        names = [m.mj.joint(j).name for j in range(1, m.njnt)]
        taken = load(wrong, model=m, joint_names=names, **said)
        np.testing.assert_allclose(taken.joints, with_sides_exchanged(clip).joints, atol=1e-9)


def test_sides_exchanged_under_names_without_bodies(m, clip, tmp_path):
    path = with_sides_exchanged(clip).save(tmp_path / "a.npz", "isaaclab-2", model=m)
    changed(path, lambda x: {k: v for k, v in x.items() if not k.startswith("body_")})
    with pytest.raises(UndecidedMotion, match="only if left and right are exchanged"):
        load(path, model=m, root_rot="wxyz")


@pytest.mark.parametrize("form", OF_ROBOTS)
def test_names_removed_in_every_form(form, m, clip, tmp_path):
    """Without names and without a model nothing is guessed; with the model it is one motion."""
    path = tmp_path / f"a{ENDING[FORMS[form].kind]}"
    clip.save(path, form, model=m)
    said = SAID.get(form, {})
    if FORMS[form].kind == "npz":
        changed(path, lambda x: {k: v for k, v in x.items() if not k.endswith("_names")})
    if form == "bones":  # whose columns are nothing without their names
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[1:]))
        with pytest.raises(MotionError):
            load(path, model=m, **said)
        return
    if form == "bvh":
        path.write_text(path.read_text().replace("_link", "_bone"))
        with pytest.raises(MotionError, match="which axis is up|unit|joint"):
            load(path, model=m).qpos(m)
        return
    with pytest.raises(UndecidedMotion, match=r"model=m|which axis|root_rot"):
        load(path, **({} if form in ("csv", "gmr") else said))
    np.testing.assert_allclose(load(path, model=m, **said).qpos(m), clip.qpos(m), atol=1e-12)


@pytest.mark.parametrize("form", ["mujoco", "isaaclab-2", "isaaclab-3", "mjlab", "beyondmimic"])
def test_a_rate_that_the_rest_contradicts(form, m, clip, tmp_path):
    path = clip.save(tmp_path / "a.npz", form, model=m)
    changed(path, lambda x: x | {"fps": np.array([30.0])})
    with pytest.raises(MotionError, match=r"fps is 30, (but|and).* 50"):
        load(path, model=m)
    assert load(path, model=m, fps=50).fps == 50.0


def test_times_that_velocities_contradict(m, clip, tmp_path):
    path = clip.save(tmp_path / "a.npz", "mujoco", model=m)
    changed(path, lambda x: x | {"time": x["time"] * 5 / 3, "fps": np.array(30.0)})
    with pytest.raises(MotionError, match="time is 30, but its velocities are those of 50"):
        load(path, model=m)


@pytest.mark.parametrize("form", ["sonic", "gmr", "bvh"])
def test_a_rate_that_only_the_file_says(form, m, clip, tmp_path):
    """Nothing else in it has a time: the rate is taken, and it is said from where."""
    path = tmp_path / f"a{ENDING[FORMS[form].kind]}"
    clip.save(path, form, model=m)
    if form == "bvh":
        path.write_text(path.read_text().replace("Frame Time: 0.02", "Frame Time: 3.33333333e-2"))
    else:
        changed(path, lambda x: x | {"fps": 30})
    again = load(path, model=m, **SAID.get(form, {}))
    assert again.fps == 30.0 and again.meaning["fps"].source == "file"
