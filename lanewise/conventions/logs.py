"""Logs of one body: which arrays or columns of a file are its positions, quaternions, velocities.

What is what goes by name: arrays of an npz (`pos`, `quat`, `twist`, `dt`), fields of an npy, or
columns of a table, as those of ROS (`pose.position.x`), of PX4 (`q[0]`, `vx`, `rollspeed`), of TUM
(`timestamp tx ty tz qx qy qz qw`), or plain ones (`px`, `x`, `pos_x` ...). Quaternions and twists
keep the order that they have in the file; which order that is, detection tells. A table without
names that has 13 columns is taken for position, quaternion, twist, and of 14 the first is time.
Files themselves are read by log_files.py.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConventionError, did_you_mean, whole_number
from .log_files import Array, Contents, kept, read_file, shortened
from .spelling import array_name, option

NAMES = {
    "pos": ("pos", "position", "positions", "p", "xpos", "translation", "trans", "root_pos",
            "root_trans_offset", "body_pos", "xyz"),
    "quat": ("quat", "quaternion", "quaternions", "orientation", "rot", "rotation", "xquat",
             "root_rot", "root_quat", "body_quat", "q"),
    "pose": ("pose", "poses", "qpos", "root_pose", "body_q", "q"),
    "twist": ("twist", "velocity", "velocities", "vel", "qvel", "root_vel", "body_qd", "v"),
    "linear": ("linear", "lin_vel", "linear_velocity", "root_lin_vel", "body_lin_vel", "lin", "v",
               "vel", "velocity"),
    "angular": ("angular", "ang_vel", "angular_velocity", "root_ang_vel", "body_ang_vel", "ang",
                "w", "omega", "gyro", "gyro_rad", "rates", "xyz"),
    "dt": ("dt", "timestep", "time_step", "step"),
    "time": ("time", "times", "t", "timestamp", "timestamps", "stamp", "time_s", "time_ms",
             "time_us", "time_ns", "timestamp_s", "timestamp_ms", "timestamp_us", "timestamp_ns",
             "rosbagtimestamp"),
    "seconds": ("stamp_sec", "stamp_secs"),
    "nanoseconds": ("stamp_nanosec", "stamp_nsec", "stamp_nsecs"),
    "rate": ("fps", "rate", "hz", "frequency"),
    "com": ("com", "centre_of_mass", "center_of_mass", "ipos"),
}  # fmt: skip
WIDTHS = {"pos": 3, "quat": 4, "pose": 7, "twist": 6, "linear": 3, "angular": 3}
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNIT_WORDS = {"ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
SLOWEST = 1.5  # seconds between rows; times that are farther apart are in another unit
USUAL = (1.0 / 3000.0, 1.0 / 3.0)  # seconds between rows of a log
LENGTH = 1e-2  # how far from one the length of a quaternion may be


@dataclass(frozen=True, eq=False)
class Log:
    """What detect takes: detect(log.pos, log.quat, log.twist, log.dt, log.com).

    `names` are those of the arrays in the file that it is made of. `notes` say what was assumed and
    what was not read.
    """

    pos: np.ndarray
    quat: np.ndarray
    twist: np.ndarray
    dt: Any  # seconds between two rows, or the times of all
    com: np.ndarray | None
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_log(
    path: str | Path, *, dt: float | None = None, com: Any = None, body: int | None = None,
    names: Mapping[str, str] | None = None, columns: str | Iterable[str] | None = None,
    free_joint: int | Sequence[int] | None = None, time_unit: str | None = None,
) -> Log:  # fmt: skip
    """Read a log.

    dt, com     come before what the file says
    body        which one, if arrays have several: (samples, bodies, components)
    names       what pos, quat and twist are called in the file, if it is something unusual
    columns     names for all columns of a table, if it has none or others than are known here, in
                a list or with commas between them
    free_joint  where a free joint begins in `qpos`, of a robot that has more joints; also in
                `qvel`, if that is another number, as in (14, 12)
    time_unit   of the file's times: "s", "ms", "us" or "ns"; otherwise it goes by their steps
    """
    path = Path(path)
    if time_unit is not None and time_unit not in UNITS:
        raise ConventionError(f"unknown unit {time_unit!r} of times; there are {', '.join(UNITS)}")
    for what in names or {}:
        if what not in NAMES:
            raise ConventionError(f"names are for {', '.join(NAMES)}; {what!r} is none of them"
                                  f"{did_you_mean(what, NAMES)}")  # fmt: skip
    body = None if body is None else whole_number(body, "body")
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    arrays = _Named(read_file(path, columns), body, names or {}, path.name)
    if free_joint is not None:
        p, q, V = _of_free_joint(arrays, free_joint)
    else:
        p, q, V = _of_body(arrays, path.name)
    t = _time(arrays, dt, time_unit)
    return Log(p, q, V, t, _com(arrays, com), tuple(arrays.used), tuple(arrays.notes))


def _of_body(arrays: "_Named", file: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p, q, V = arrays.get("pos"), arrays.get("quat"), _twist(arrays)
    if p is None or q is None:
        pose = arrays.get("pose")
        if pose is not None:
            p, q = _of_pose(pose, file)
    if p is None or q is None or V is None:
        found = {"pos": p, "quat": q, "twist": V}
        raise arrays.unknown([name for name, x in found.items() if x is None])
    return p, q, V


def _twist(arrays: "_Named") -> np.ndarray | None:
    """Six numbers, or both halves in the order of the file."""
    whole = arrays.get("twist")
    if whole is not None:
        return whole
    linear, angular = arrays.get("linear"), arrays.get("angular")
    if linear is None or angular is None:
        return None
    order = list(arrays.arrays)
    first, second = (order.index(name) for name in arrays.used[-2:])
    halves = (angular, linear) if arrays.ordered and second < first else (linear, angular)
    return np.concatenate(halves, -1)


class _Named:
    """Arrays by their names, whatever they are called; `ordered` if their order means something."""

    def __init__(
        self, contents: Contents, body: int | None, given: Mapping[str, str], file: str
    ):  # fmt: skip
        columns = {name: kept(x) for name, x in contents.columns.items()}
        columns |= {name: x for name, x in contents.arrays.items()
                    if len(x.shape) == 1 and _group(name) != _folded(name)}  # fmt: skip
        self.arrays = {name: x for name, x in contents.arrays.items() if name not in columns}
        self.arrays |= _grouped(columns, file)
        self.ordered = bool(columns)
        if contents.table is not None:
            self.arrays, self.ordered = _unnamed(contents.table, file), True
        self.refused, self.body, self.given = contents.refused, body, given
        self.used: list[str] = []
        self.notes = [f"{name} {why}" for name, why in contents.refused.items()]

    def get(self, what: str) -> np.ndarray | None:
        """An array by what it is; None if the file has none of such a name and width."""
        name = self.given.get(what)
        if name is not None:
            return self._given(what, name)
        width = WIDTHS.get(what)
        found = self._find(what, lambda x: width is None or x.shape[-1:] == (width,))
        if found is None:
            return None
        self.used.append(found)
        x = self.arrays[found].read()
        return x if width is None else self._one_body(x, found)

    def whole(self, what: str) -> tuple[str, np.ndarray] | None:
        """An array of rows by what it is, however wide."""
        name = self.given.get(what) or self._find(what, lambda x: len(x.shape) in (2, 3))
        if name is None:
            return None
        self.used.append(name)
        return name, self._one_body(self._array(name).read(), name)

    def _array(self, name: str) -> Array:
        if name in self.refused:
            raise ConventionError(f"{name} {self.refused[name]}")
        if name not in self.arrays:
            raise ConventionError(
                f"no array {name!r}{did_you_mean(name, self.arrays)};"
                f" the file has {shortened(self.arrays)}"
            )
        return self.arrays[name]

    def _given(self, what: str, name: str) -> np.ndarray:
        x, width = self._array(name), WIDTHS.get(what)
        if width is not None and x.shape[-1:] != (width,):
            raise ConventionError(
                f"{what} must have {width} numbers in a row; {name} has shape {x.shape}"
            )
        self.used.append(name)
        return x.read() if width is None else self._one_body(x.read(), name)

    def _find(self, what: str, fits: Any) -> str | None:
        """The array of a usual name; or the one whose name ends or begins with such a name."""
        folded = {name: _folded(name) for name in [*self.arrays, *self.refused]}
        for usual in NAMES[what]:
            for name, other in folded.items():
                if other == usual and name in self.refused:
                    raise ConventionError(f"{name} {self.refused[name]}")
                if other == usual and fits(self.arrays[name]):
                    return name
        for part in (slice(1, None), slice(0, 1)):  # ends, beginnings
            found = [name for name, other in folded.items()
                     if name in self.arrays and fits(self.arrays[name])
                     and _has(other, NAMES[what], part)]  # fmt: skip
            if len(found) > 1 and what in ("pos", "quat", "twist"):
                raise ConventionError(
                    f"{shortened(found)} may each be {what}: choose one, as in"
                    f" {array_name(what, found[0])}"
                )
            if len(found) == 1:
                return found[0]
        return None

    def _one_body(self, x: np.ndarray, name: str) -> np.ndarray:
        if x.ndim != 3:
            return x
        if self.body is None or not 0 <= self.body < x.shape[1]:
            raise ConventionError(
                f"{name} {x.shape} has several bodies: choose one,"
                f" {option('body', 0)} ... {x.shape[1] - 1}"
            )
        return x[:, self.body]

    def unknown(self, missing: list[str]) -> ConventionError:
        """What to say if not everything was found."""
        robot = _offered(self)
        if robot:
            return ConventionError(robot)
        has = shortened(name if self.ordered and x.shape[-1] == 1 else f"{name} {x.shape}"
                        for name, x in self.arrays.items())  # fmt: skip
        for name, why in self.refused.items():
            has += f"; {name} {why}"
        if missing == ["twist"]:
            return ConventionError(
                "the file has positions and quaternions, and no velocities by any usual name:"
                " which convention numbers are in shows where velocities are beside poses."
                f" It has {has}. Add columns vx, vy, vz, wx, wy, wz, or an array twist, or say"
                f" which it is: {array_name('twist', 'NAME')}"
            )
        if self.ordered:
            names = "t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"
            return ConventionError(
                f"columns of the file are not known: {has}. Call them t, x, y, z, qw, qx, qy, qz,"
                f" vx, vy, vz, wx, wy, wz in whatever order they are, in the file or with"
                f" {option('columns', names)}"
            )
        return ConventionError(
            f"the file has {' and '.join(f'no {name}' for name in missing)} by any usual name;"
            f" it has {has or 'no arrays of numbers'}. Say which is which, as in"
            f" {array_name(missing[0], 'NAME')}"
        )


def _folded(name: str) -> str:
    """Small letters, without units: q[0] -> q_0, p_x [m] -> p_x"""
    name = re.sub(r"\s*[\[(][^\])0-9][^\])]*[\])]\s*$", "", name[:200])
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _has(name: str, usual: tuple[str, ...], part: slice) -> bool:
    """Whether a name of several words ends (or begins) with a usual one."""
    words = name.split("_")
    if part == slice(0, 1):
        return len(words) > 1 and len(words[0]) == 1 and words[0] in usual and words[0] != "t"
    ends = ["_".join(words[k:]) for k in range(1, len(words))]
    return any(len(end) > 1 and end in usual for end in ends)


# ---- robots


def _of_free_joint(arrays: _Named, where: Any) -> tuple[np.ndarray, ...]:
    """Pose and twist of a free joint, of the qpos and qvel of a robot."""
    begins = [whole_number(n, "free_joint") for n in ([where] if np.ndim(where) == 0 else where)]
    if not 1 <= len(begins) <= 2:
        raise ConventionError(f"a free joint begins at one number in qpos and one in qvel, as in"
                              f" {option('free_joint', 14, 12)}")  # fmt: skip
    q, v = arrays.whole("pose"), arrays.whole("twist")
    if q is None or v is None:
        raise ConventionError("a free joint is in arrays qpos and qvel; the file has"
                              f" {shortened(arrays.arrays) or 'none'}")  # fmt: skip
    rows = []
    for (name, x), at, width in zip((q, v), (begins[0], begins[-1]), (7, 6)):
        if x.ndim != 2 or not 0 <= at <= x.shape[1] - width:
            raise ConventionError(
                f"{name} has shape {x.shape}: no {width} numbers of a free joint begin at {at}"
            )
        rows.append(x[:, at : at + width])
    return rows[0][:, :3], rows[0][:, 3:], rows[1]


def _offered(arrays: _Named) -> str:
    """How to take a free joint out of qpos and qvel, if the file has them."""
    found = [name for name in arrays.arrays if _folded(name) in ("qpos", "qvel")]
    shapes = {_folded(name): arrays.arrays[name].shape for name in found}
    if len(shapes) < 2 or any(len(shape) not in (2, 3) for shape in shapes.values()):
        return ""
    q = arrays.whole("pose")
    if q is None:
        return ""
    says = f"qpos {shapes['qpos']} and qvel {shapes['qvel']} are those of several joints"
    begins = _free_joints(q[1])
    if not begins:
        return f"{says}, and none is free: nowhere in qpos are four numbers of length one after" \
               " three others"  # fmt: skip
    options = [option("free_joint", *dict.fromkeys(pair)) for pair in begins]
    return f"{says}: take a free one with {' or '.join(options[:4])}"


def _free_joints(qpos: np.ndarray) -> list[tuple[int, int]]:
    """Where free joints seem to begin in qpos and in qvel: quaternions have length one."""
    found, at, quaternions = [], 0, 0
    while at + 4 <= qpos.shape[1]:
        length = np.linalg.norm(qpos[:, at : at + 4].astype(float), axis=1)
        if np.nanmax(np.abs(length - 1.0), initial=0.0) < 1e-6 and len(length):
            begin = at - 3
            if begin >= 0:
                found.append((begin, begin - quaternions))
            quaternions += 1
            at += 4
        else:
            at += 1
    return found


def _of_pose(pose: np.ndarray, file: str) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion of rows of seven: the four that have length one."""
    off = [np.abs(np.linalg.norm(pose[:, part], axis=1) - 1.0) for part in (slice(3, 7), slice(4))]
    last, first = (bool(len(x) and np.nanmedian(x) < LENGTH) for x in off)
    if last == first:
        raise ConventionError(
            f"{file}: rows of a pose have 7 numbers, 4 of them of length one, at the end or the"
            f" beginning; here {'both' if last else 'neither'} are"
        )
    return (pose[:, :3], pose[:, 3:]) if last else (pose[:, 4:], pose[:, :4])


# ---- time


def _time(arrays: _Named, dt: float | None, unit: str | None) -> Any:
    if dt is not None:
        return dt
    for what in ("dt", "seconds", "time", "rate"):
        x = arrays.get(what)
        if x is None:
            continue
        if x.size == 1:
            number = float(x.reshape(-1)[0])
            return 1.0 / number if what == "rate" and number > 0.0 else number
        if what == "seconds":
            fine = arrays.get("nanoseconds")
            if fine is not None:
                whole = np.asarray(x, float).reshape(-1)
                return whole - whole[0] + 1e-9 * np.asarray(fine, float).reshape(-1)
        if what == "time":
            return _in_seconds(np.asarray(x, float).reshape(-1), unit, arrays)
    raise ConventionError(
        f"the file has neither dt nor time nor fps: give {option('dt', 0.01)}, in seconds between"
        " two rows"
    )


def _in_seconds(t: np.ndarray, unit: str | None, arrays: _Named) -> np.ndarray:
    """Times from the first on, in seconds. Without a unit, it is the one of a usual rate."""
    name = _folded(arrays.used[-1])
    steps = np.diff(t[np.isfinite(t)])
    step = float(np.median(steps)) if len(steps) else 0.0
    if unit is None:
        unit = next((u for u in UNIT_WORDS if name.endswith(f"_{u}")), None)
    if unit is None and step > SLOWEST:
        usual = [u for u in UNIT_WORDS if USUAL[0] <= UNITS[u] * step <= USUAL[1]]
        if not usual:
            raise ConventionError(
                f"{arrays.used[-1]} advances by {step:.6g} from row to row, in no unit of time that"
                f" a log would have: give {option('time_unit', 's')}, or {option('dt', 0.01)}"
            )
        unit = usual[0]
        arrays.notes.append(
            f"{arrays.used[-1]} is taken for {UNIT_WORDS[unit]}, {option('time_unit', unit)}:"
            f" it advances by {step:.6g} from row to row"
        )
    start = t[np.isfinite(t)][:1].sum()
    return (t - start) * UNITS[unit or "s"]


def _com(arrays: _Named, com: Any) -> np.ndarray | None:
    if com is not None:
        return np.asarray(com, float)
    found = arrays.get("com")
    return None if found is None or found.size != 3 else np.asarray(found, float).reshape(3)


# ---- tables


def _unnamed(table: np.ndarray, file: str) -> dict[str, Array]:
    extra = table.shape[1] - 13
    if extra not in (0, 1):
        tum = "; 8 look like TUM's time and pose, without velocities" if extra == -5 else ""
        raise ConventionError(
            f"{file} has {table.shape[1]} columns without names; 13 would be position, quaternion"
            f" and twist, and 14 the same with time before them{tum}. Give names with"
            f" {option('columns', 't,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz')}, as they are"
        )
    body = table[:, extra:]
    arrays = {"pos": kept(body[:, :3]), "quat": kept(body[:, 3:7]), "twist": kept(body[:, 7:])}
    return arrays | ({"time": kept(table[:, 0])} if extra else {})


_SHORT = {"p": "pos", "t": "pos", "q": "quat", "v": "linear", "w": "angular", "": "pos"}
_ATTACHED = re.compile(
    r"([ptqvw]?)([xyz]|(?<=q)w|\d)|(qpos|qvel|pos|quat|twist|vel|lin|ang|omega)([xyzw]|\d+)"
)
_RATES = re.compile(r"(roll|pitch|yaw)_?(speed|rate)")


def _grouped(columns: dict[str, Array], file: str) -> dict[str, Array]:
    """Columns that belong together, by their names without the last part: a group an array."""
    groups: dict[str, list[Array]] = {}
    for name, column in columns.items():
        groups.setdefault(_group(name), []).append(column)
    arrays = {name: Array((*parts[0].shape, len(parts)), partial(_stacked, parts, name))
              for name, parts in groups.items()}  # fmt: skip
    usual = {name for words in NAMES.values() for name in words}
    known = any(_folded(name) in usual or _has(_folded(name), tuple(usual), slice(1, None))
                for name in arrays)  # fmt: skip
    if not known and len(columns) in (13, 14):
        return _unnamed(_stacked(list(columns.values()), file), file)
    return arrays


def _stacked(parts: list[Array], name: str) -> np.ndarray:
    if len({part.shape for part in parts}) > 1:
        raise ConventionError(f"columns of {name} differ in length")
    return np.column_stack([part.read() for part in parts])


def _group(name: str) -> str:
    """pose.pose.position.x -> pose_pose_position, pos_x -> pos, qw -> quat, time -> time"""
    folded = _folded(name)
    words = folded.split("_")
    if len(words) > 1 and re.fullmatch(r"[xyzw]|\d+", words[-1]):
        base = "_".join(words[:-1])
        return _SHORT.get(base, base) if len(words) == 2 else base
    if _RATES.fullmatch(folded):
        return "rates"
    short = _ATTACHED.fullmatch(folded)
    if short is None:
        return folded
    return short[3] or _SHORT[short[1]]
