"""Logs that people have: of TUM, PX4 and ROS, of MuJoCo's qpos and qvel, in all kinds of files."""

import numpy as np
import pytest

from lanewise import conventions as cv
from lanewise.cli import main
from lanewise.conventions import ConventionError
from lanewise.conventions.spelling import command_line
from support.detect_logs import COM, MUJOCO, encode, simulate

XYZW = [1, 2, 3, 0]
VELOCITIES = "vx vy vz wx wy wz"


@pytest.fixture(scope="module")
def log():
    """Times, positions, quaternions and velocities as MuJoCo has them."""
    motion = simulate(60, dt=4e-3)
    return motion.dt * np.arange(60), *encode(motion, MUJOCO)


def table(path, names, columns, between=",", before=""):
    with path.open("w") as file:
        file.write(before + between.join(names) + "\n")
        np.savetxt(file, columns, delimiter=between, fmt="%.17g")
    return path


def same(read, log, quaternion=slice(None)):
    t, pos, quat, twist = log
    np.testing.assert_allclose(read.pos, pos, atol=1e-9)
    np.testing.assert_allclose(read.quat, quat[:, quaternion], atol=1e-9)
    np.testing.assert_allclose(read.twist, twist, atol=1e-9)
    np.testing.assert_allclose(read.dt, t, atol=1e-6)


# ---- tables of others


def test_tum(tmp_path, log, capsys):
    """White space, comments before the names, seconds since 1970; velocities if somebody adds."""
    t, pos, quat, twist = log
    before = "# ground truth trajectory\n# file: 'walk.bag'\n# "
    pose = np.column_stack([1305031098.5 + t, pos, quat[:, XYZW]])
    names = ["timestamp", "tx", "ty", "tz", "qx", "qy", "qz", "qw"]
    path = table(tmp_path / "tum.txt", names, pose, " ", before)
    with pytest.raises(ConventionError, match="positions and quaternions, and no velocities"):
        cv.read_log(path)
    assert main(["detect", str(path)]) == 1
    assert "--twist NAME" in capsys.readouterr().err
    np.savetxt(tmp_path / "plain.txt", pose)
    with pytest.raises(ConventionError, match="TUM's time and pose, without velocities"):
        cv.read_log(tmp_path / "plain.txt")
    both = np.column_stack([pose, twist])
    path = table(tmp_path / "both.tum", [*names, *VELOCITIES.split()], both, " ", before)
    same(cv.read_log(path), log, XYZW)


@pytest.mark.parametrize(
    "names",
    [
        "timestamp x y z q[0] q[1] q[2] q[3] vx vy vz rollspeed pitchspeed yawspeed",
        "timestamp xyz[0] xyz[1] xyz[2] q[0] q[1] q[2] q[3] vx vy vz rollspeed pitchspeed yawspeed",
        "timestamp x y z q[0] q[1] q[2] q[3] vx vy vz xyz[0] xyz[1] xyz[2]",
        "timestamp position[0] position[1] position[2] q[0] q[1] q[2] q[3] velocity[0] velocity[1]"
        " velocity[2] angular_velocity[0] angular_velocity[1] angular_velocity[2]",
    ],
)
def test_px4(tmp_path, log, names):
    """Microseconds since the start."""
    columns = np.column_stack([(1e6 * log[0] + 81_234_567).round(), *log[1:]])
    found = cv.read_log(table(tmp_path / "odometry_0.csv", names.split(), columns))
    same(found, log)
    (note,) = found.notes
    assert 'timestamp is taken for microseconds, time_unit="us"' in note


ROS = [
    f"{group}.{part}"
    for group, parts in (("pose.pose.position", "xyz"), ("pose.pose.orientation", "xyzw"),
                         ("twist.twist.linear", "xyz"), ("twist.twist.angular", "xyz"))
    for part in parts
]  # fmt: skip


def test_ros(tmp_path, log):
    """Names of frames among the numbers, nanoseconds, or seconds and nanoseconds apart."""
    t, pos, quat, twist = log
    columns = np.column_stack([pos, quat[:, XYZW], twist])
    lines = ["%time,field.header.frame_id," + ",".join(f"field.{name}" for name in ROS)]
    for time, row in zip(t, columns):
        nanoseconds = 1_700_000_000_000_000_000 + int(1e9 * time)
        lines.append(f"{nanoseconds},odom," + ",".join(map(repr, row.tolist())))
    (tmp_path / "echo.csv").write_text("\n".join(lines))
    same(cv.read_log(tmp_path / "echo.csv"), log, XYZW)
    stamps = np.column_stack([1_700_000_000 + np.floor(t), 1e9 * (t % 1.0)])
    names = ["header.stamp.sec", "header.stamp.nanosec", *ROS]
    path = table(tmp_path / "bag.csv", names, np.column_stack([stamps, columns]))
    same(cv.read_log(path), log, XYZW)


def test_two_of_a_kind(tmp_path, log):
    t, pos, quat, twist = log
    columns = np.column_stack([t, pos, quat, twist, quat])
    names = ["time", *(name.replace("orientation", "odom.orientation") for name in ROS)]
    names += [f"imu.orientation.{part}" for part in "xyzw"]
    path = table(tmp_path / "log.csv", names, columns)
    with pytest.raises(ConventionError, match="may each be quat: choose one") as found:
        cv.read_log(path)
    assert 'names={"quat": "pose_pose_odom_orientation"}' in str(found.value)
    same(cv.read_log(path, names={"quat": "imu_orientation"}), log)


def test_spreadsheets(tmp_path, log):
    """Commas in numbers, an index without a name, a mark of the encoding, empty cells."""
    names = ["t", "x", "y", "z", "qw", "qx", "qy", "qz", *VELOCITIES.split()]
    rows = np.column_stack(log)
    commas = [";".join(f"{x:.12f}".replace(".", ",") for x in row) for row in rows]
    (tmp_path / "a.csv").write_text("\n".join([";".join(names), *commas]))
    same(cv.read_log(tmp_path / "a.csv"), log)
    dots = [",".join([str(k), *map(repr, row.tolist())]) for k, row in enumerate(rows)]
    text = "\n".join([",".join(["", *names]), *dots])
    (tmp_path / "b.csv").write_text(text, encoding="utf-16")
    same(cv.read_log(tmp_path / "b.csv"), log)
    (tmp_path / "c.csv").write_text(text + "\n60," + "," * 13)
    assert np.isnan(cv.read_log(tmp_path / "c.csv").pos[-1]).all()


def test_names_of_arrays(tmp_path, log):
    t, pos, quat, twist = log
    np.savez(tmp_path / "log.npz", a=pos, b=quat, c=twist, clock=t)
    names = {"pos": "a", "quat": "b", "twist": "c", "time": "clock"}
    same(cv.read_log(tmp_path / "log.npz", names=names), log)
    with pytest.raises(ConventionError, match="names are for pos, .* 'position' is none of them"):
        cv.read_log(tmp_path / "log.npz", names={"position": "a"})
    with pytest.raises(ConventionError, match=r"quat must have 4 numbers in a row; a has shape"):
        cv.read_log(tmp_path / "log.npz", names={**names, "quat": "a"})
    with pytest.raises(TypeError, match="body must be a whole number"):
        cv.read_log(tmp_path / "log.npz", names=names, body=0.5)


def test_names_for_columns(tmp_path, log, capsys):
    np.savetxt(tmp_path / "log.txt", np.column_stack([log[3], *log[:3]]))
    names = "vx,vy,vz,wx,wy,wz,t,x,y,z,qw,qx,qy,qz"
    same(cv.read_log(tmp_path / "log.txt", columns=names.split(",")), log)
    assert main(["detect", str(tmp_path / "log.txt"), "--columns", names, "--json"]) == 0
    capsys.readouterr()
    with pytest.raises(ConventionError, match="14 columns, and there are 2 names"):
        cv.read_log(tmp_path / "log.txt", columns=["a", "b"])


# ---- arrays


def test_npy(tmp_path, log):
    rows = np.column_stack(log)
    np.save(tmp_path / "rows.npy", np.asfortranarray(rows).astype(">f8"))
    same(cv.read_log(tmp_path / "rows.npy"), log)
    np.save(tmp_path / "no_time.npy", rows[:, 1:])
    with pytest.raises(ConventionError, match="give dt=0.01"):
        cv.read_log(tmp_path / "no_time.npy")
    fields = [("t", "f8"), ("pos", "f8", 3), ("quat", "f8", 4), ("twist", "f8", 6)]
    named = np.zeros(60, fields)
    for (name, *_), part in zip(fields, log):
        named[name] = part
    np.save(tmp_path / "named.npy", named)
    same(cv.read_log(tmp_path / "named.npy"), log)
    np.save(tmp_path / "cube.npy", np.zeros((5, 4, 3)))
    with pytest.raises(ConventionError, match=r"\(5, 4, 3\).*np.savez"):
        cv.read_log(tmp_path / "cube.npy")


def test_an_array_for_each_number(tmp_path, log):
    names = ["t", "x", "y", "z", "qw", "qx", "qy", "qz", *VELOCITIES.split()]
    np.savez(tmp_path / "log.npz", **dict(zip(names, np.column_stack(log).T)))
    same(cv.read_log(tmp_path / "log.npz"), log)


def test_nested_parquet(tmp_path, log):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    t, pos, quat, twist = log
    pose = [{"position": dict(zip("xyz", p)), "orientation": dict(zip("wxyz", q))}
            for p, q in zip(pos.tolist(), quat.tolist())]  # fmt: skip
    columns = {"time": t, "pose": pose, "twist": twist.tolist(), "frame": ["odom"] * 60}
    parquet.write_table(arrow.table(columns), tmp_path / "log.parquet")
    same(cv.read_log(tmp_path / "log.parquet"), log)


# ---- robots


def test_free_joint_of_a_robot(tmp_path, log, capsys):
    t, pos, quat, twist = log
    rng = np.random.default_rng(0)
    other, speed = rng.uniform(1, 2, (60, 2)), rng.uniform(1, 2, (60, 2))
    np.savez(tmp_path / "alone.npz", qpos=np.hstack([pos, quat]), qvel=twist, time=t)
    same(cv.read_log(tmp_path / "alone.npz"), log)
    path = tmp_path / "robot.npz"
    np.savez(path, qpos=np.hstack([pos, quat, other]), qvel=np.hstack([twist, speed]), time=t)
    with pytest.raises(ConventionError, match="take a free one with free_joint=0"):
        cv.read_log(path)
    same(cv.read_log(path, free_joint=0), log)
    assert main(["detect", str(path)]) == 1
    assert "take a free one with --free-joint 0" in capsys.readouterr().err
    assert main(["detect", str(path), "--free-joint", "0"]) == 0
    assert "mujoco" in capsys.readouterr().out


def test_second_free_joint(tmp_path, log, capsys):
    t, pos, quat, twist = log
    still = np.tile((1.0, 2.0, 3.0, 0.6, 0.8, 0.0, 0.0), (60, 1))
    path = tmp_path / "two.npz"
    np.savez(path, qpos=np.hstack([still, pos, quat]), qvel=np.hstack([0 * twist, twist]), time=t)
    with pytest.raises(ConventionError, match=r"free_joint=0 or free_joint=\(7, 6\)"):
        cv.read_log(path)
    assert main(["detect", str(path)]) == 1
    assert "--free-joint 0 or --free-joint 7 6" in capsys.readouterr().err
    same(cv.read_log(path, free_joint=(7, 6)), log)
    with pytest.raises(ConventionError, match="no 7 numbers of a free joint begin at 9"):
        cv.read_log(path, free_joint=9)


def test_robot_without_a_free_joint(tmp_path, log):
    np.savez(tmp_path / "arm.npz", qpos=np.full((60, 9), 0.3), qvel=np.zeros((60, 9)), time=log[0])
    with pytest.raises(ConventionError, match="none is free"):
        cv.read_log(tmp_path / "arm.npz")


# ---- time


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1e3), ("us", 1e6), ("ns", 1e9), ("s", 1.0)])
def test_units_of_time(tmp_path, log, unit, scale):
    t, pos, quat, twist = log
    np.savez(tmp_path / "log.npz", pos=pos, quat=quat, twist=twist, time=scale * t)
    found = cv.read_log(tmp_path / "log.npz")
    same(found, log)
    assert bool(found.notes) == (unit != "s")
    same(cv.read_log(tmp_path / "log.npz", time_unit=unit), log)
    np.savez(tmp_path / "named.npz", pos=pos, quat=quat, twist=twist, **{f"time_{unit}": scale * t})
    found = cv.read_log(tmp_path / "named.npz")
    same(found, log)
    assert not found.notes


def test_no_unit_of_time(tmp_path, log):
    t, pos, quat, twist = log
    np.savez(tmp_path / "log.npz", pos=pos, quat=quat, twist=twist, time=1e20 * t)
    with pytest.raises(ConventionError, match='in no unit of time.*give time_unit="s", or dt=0.01'):
        cv.read_log(tmp_path / "log.npz")
    with pytest.raises(ConventionError, match="unknown unit 'min'"):
        cv.read_log(tmp_path / "log.npz", time_unit="min")


# ---- hints


def test_hints_are_in_the_words_of_the_reader(log):
    t, pos, quat, twist = log
    with pytest.raises(ConventionError, match=r"pos=qpos\[:, :3\]"):
        cv.detect(np.hstack([pos, quat]), quat, twist, t)
    with pytest.raises(ConventionError, match=r"twist=qvel\[:, :6\]"):
        cv.detect(pos, quat, np.hstack([twist, twist]), t)
    # the centre of mass falls, and whether the origin is there too, nobody knows
    motion = simulate(400, dt=2e-3)
    both = encode(motion, {**MUJOCO, "pose_point": "com", "velocity_point": "com"})
    assert "only com=(x, y, z) can say" in cv.detect(*both, motion.dt).undecided["pose_point"]
    with command_line():
        assert "only --com x y z can say" in cv.detect(*both, motion.dt).undecided["pose_point"]
    assert cv.detect(*both, motion.dt, COM).pose_point == "com"
