"""`lanewise detect`: files of all kinds, the verdict to read, for programs, and as code."""

import json

import mujoco
import numpy as np
import pytest

from lanewise import conventions as cv
from lanewise.cli import main

COM = (0.13, -0.08, 0.21)
XML = f"""
<mujoco><option timestep="1e-3"/><worldbody><body pos="0 0 5"><freejoint/>
  <inertial pos="{COM[0]} {COM[1]} {COM[2]}" mass="2.7"
    fullinertia=".03 .034 .04 .004 -.003 .002"/>
</body></worldbody></mujoco>"""
HEADS = "t,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz"


@pytest.fixture(scope="module")
def tumbling():
    """Times, qpos and qvel of a body in free flight."""
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    d.qvel[:] = (0.8, -0.5, 0.3, 1.3, 0.9, -1.7)
    rows = []
    for _ in range(600):
        rows.append(np.concatenate([[d.time], d.qpos, d.qvel]))
        mujoco.mj_step(m, d)
    rows = np.array(rows)
    return rows[:, 0], rows[:, 1:8], rows[:, 8:]


@pytest.fixture(scope="module")
def newton(tumbling):
    """Times, poses and twists as Newton has them."""
    t, q, v = tumbling
    return t, *cv.convert_free_state(q, v, "mujoco", "newton", body=cv.Body(com=COM))


def verdict(path, capsys, *arguments):
    assert main(["detect", str(path), "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def files(tmp_path, newton):
    """The same log in every kind of file that is read."""
    t, q, v = newton
    table = np.column_stack([t, q, v])
    made = {"npz": tmp_path / "arrays.npz", "named": tmp_path / "named.csv",
            "plain": tmp_path / "plain.csv", "semicolons": tmp_path / "marks.csv",
            "halves": tmp_path / "halves.npz", "whole": tmp_path / "whole.npz"}  # fmt: skip
    np.savez(made["npz"], pos=q[:, :3], quat=q[:, 3:], twist=v, dt=1e-3)
    np.savez(made["halves"], root_pos=q[:, :3], root_rot=q[:, 3:], lin_vel=v[:, :3],
             ang_vel=v[:, 3:], time=t)  # fmt: skip
    np.savez(made["whole"], body_q=q, body_qd=v, time=t)
    np.savetxt(made["named"], table, delimiter=",", header=HEADS, comments="")
    np.savetxt(made["plain"], table, delimiter=",")
    np.savetxt(made["semicolons"], table, delimiter=";", header=HEADS.replace(",", ";"))
    return made


@pytest.mark.parametrize("kind", ["npz", "named", "plain", "semicolons", "halves", "whole"])
def test_files(kind, files, capsys):
    found = verdict(files[kind], capsys)
    assert found["undecided"] == {}
    assert "newton" in found["systems"] and "mujoco" not in found["systems"]
    assert (found["quaternion"], found["velocity_point"], found["up"]) == ("xyzw", "com", "z")
    np.testing.assert_allclose(found["com"], COM, atol=2e-3)


def test_parquet(tmp_path, newton, capsys):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(HEADS.split(","), np.column_stack(newton).T))
    parquet.write_table(arrow.table(columns), tmp_path / "log.parquet")
    assert "newton" in verdict(tmp_path / "log.parquet", capsys)["systems"]


def test_angular_velocity_first_in_a_table(tmp_path, tumbling, capsys):
    t, q, v = tumbling
    columns = np.column_stack([t, q, v[:, 3:], v[:, :3]])
    heads = "time,pos_x,pos_y,pos_z,quat_w,quat_x,quat_y,quat_z,"
    heads += "omega_x,omega_y,omega_z,vel_x,vel_y,vel_z"
    np.savetxt(tmp_path / "log.csv", columns, delimiter=",", header=heads, comments="")
    found = verdict(tmp_path / "log.csv", capsys)
    assert (found["order"], found["angular_basis"]) == ("angular_first", "body")


def test_rotation_first_pose(tmp_path, tumbling, capsys):
    t, q, v = tumbling
    q, v = cv.convert_free_state(q, v, "mujoco", "drake")
    np.savez(tmp_path / "log.npz", q=q, v=v, t=t)
    found = verdict(tmp_path / "log.npz", capsys)
    assert "drake" in found["systems"]
    assert "np.hstack([quat, pos]), twist, 'drake', 'mujoco')" in found["code"]


def test_one_of_several_bodies(tmp_path, newton, capsys):
    t, q, v = newton
    still = np.zeros_like(q)
    still[:, 6] = 1.0
    both, speeds = np.stack([still, q], 1), np.stack([np.zeros_like(v), v], 1)
    np.savez(tmp_path / "log.npz", body_q=both, body_qd=speeds, time=t)
    assert "newton" in verdict(tmp_path / "log.npz", capsys, "--body", "1")["systems"]
    assert main(["detect", str(tmp_path / "log.npz")]) == 1
    assert "several bodies: choose one, --body 0 ... 1" in capsys.readouterr().err


def test_code_converts_the_log(files, newton, tumbling, capsys):
    """What is printed is run, and gives what MuJoCo had."""
    _, q, v = newton
    found = verdict(files["npz"], capsys, "--com", *map(str, COM))
    names = {"np": np, "cv": cv, "pos": q[:, :3], "quat": q[:, 3:], "twist": v, "dt": 1e-3}
    exec(found["code"], names)
    np.testing.assert_allclose(names["q"], tumbling[1], atol=1e-12)
    np.testing.assert_allclose(names["v"], tumbling[2], atol=1e-12)


def test_code_says_what_it_assumes(tmp_path, capsys):
    """A body that only moves along: nothing tells the quaternion's order."""
    t = np.linspace(0.0, 1.0, 200)
    pos = np.outer(t, (1.0, 2.0, 0.5))
    quat = np.tile((0.5, 0.5, 0.5, 0.5), (200, 1))
    twist = np.tile((1.0, 2.0, 0.5, 0.0, 0.0, 0.0), (200, 1))
    np.savez(tmp_path / "log.npz", pos=pos, quat=quat, twist=twist, time=t)
    found = verdict(tmp_path / "log.npz", capsys)
    assert "quaternion" in found["undecided"] and found["quaternion"] == "undecided"
    first, line = found["code"].splitlines()
    assert first.startswith("# the log cannot tell") and "quaternion" in first
    line = line.replace("com=...", "com=(0, 0, 0)")
    exec(line, {"np": np, "cv": cv, "pos": pos, "quat": quat, "twist": twist, "dt": 0.005})


def test_verdict_to_read(files, capsys):
    assert main(["detect", str(files["npz"]), "--target", "drake"]) == 0
    text = capsys.readouterr().out
    assert "600 rows of pos, quat, twist, dt" in text
    assert "quaternion      xyzw" in text
    assert "As in: newton" in text
    assert "# the best" in text and "##" in text
    assert "'newton', 'drake', body=cv.Body(com=(0.13" in text
    assert "\x1b" not in text
    assert max(map(len, text.partition("To convert")[0].splitlines()[1:])) <= 100


def test_colour():
    t = np.linspace(0.0, 1.0, 50)
    quat = np.tile((1.0, 0.0, 0.0, 0.0), (50, 1))
    found = cv.detect(np.zeros((50, 3)), quat, np.zeros((50, 6)), t)
    assert "\x1b[33m" in found.report(colour=True)
    assert "\x1b" not in str(found)


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda f: np.savez(f, pos=np.zeros((20, 3)), dt=0.1), "no quat and no twist"),
        (lambda f: np.savez(f, pos=np.zeros((20, 3)), quat=np.ones((20, 4)),
                            twist=np.zeros((20, 6))), "give --dt 0.01, in seconds"),
        (lambda f: np.savez(f, pos=np.array([{}, {}], dtype=object)), "would execute them"),
    ],
)  # fmt: skip
def test_bad_arrays(tmp_path, write, words, capsys):
    write(tmp_path / "log.npz")
    assert main(["detect", str(tmp_path / "log.npz")]) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("log.pkl", "x", "a log is a file .npz, .npy, .csv or .parquet"),
        ("log.csv", "", "log.csv is empty"),
        ("log.csv", "a,b,c\n1,2,3\n", "columns of the file are not known: a, b, c"),
        ("log.csv", "x,y\n1,2\n1,2,3\n", "no table of numbers"),
    ],
)
def test_bad_files(tmp_path, name, text, words, capsys):
    (tmp_path / name).write_text(text)
    assert main(["detect", str(tmp_path / name)]) == 1
    assert words in capsys.readouterr().err


def test_unknown_names(files, capsys):
    assert main(["detect", str(files["npz"]), "--pos", "place"]) == 1
    assert "no array 'place'; the file has pos, quat, twist, dt" in capsys.readouterr().err
    assert main(["detect", str(files["npz"]), "--target", "mujco"]) == 1
    assert "did you mean 'mujoco'" in capsys.readouterr().err
