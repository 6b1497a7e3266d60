"""Logs of one body from files: npz, CSV, and parquet if pandas is there.

Nothing is ever unpickled. What is what goes by name: arrays of an npz (`pos`, `quat`, `twist`,
`dt`), or columns of a table (`pos_x`, `pose.position.x`, `px`, `x` ...). Quaternions and twists
keep the order that they have in the file; which order that is, detection tells. A table without
names that has 13 columns is taken for position, quaternion, twist, and of 14 the first is time.
"""

import importlib
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConventionError, did_you_mean

NAMES = {
    "pos": ("pos", "position", "positions", "p", "xpos", "translation", "trans", "root_pos",
            "root_trans_offset", "body_pos"),
    "quat": ("quat", "quaternion", "quaternions", "orientation", "rot", "rotation", "xquat",
             "root_rot", "root_quat", "body_quat", "q"),
    "pose": ("pose", "poses", "qpos", "root_pose", "body_q", "q"),
    "twist": ("twist", "velocity", "velocities", "vel", "qvel", "root_vel", "body_qd", "v"),
    "linear": ("linear", "lin_vel", "linear_velocity", "root_lin_vel", "body_lin_vel", "lin", "v",
               "vel", "velocity"),
    "angular": ("angular", "ang_vel", "angular_velocity", "root_ang_vel", "body_ang_vel", "ang",
                "w", "omega", "gyro"),
    "dt": ("dt", "timestep", "time_step", "step"),
    "time": ("time", "times", "t", "timestamp", "timestamps", "stamp", "time_s"),
    "rate": ("fps", "rate", "hz", "frequency"),
    "com": ("com", "centre_of_mass", "center_of_mass", "ipos"),
}  # fmt: skip
WIDTHS = {"pos": 3, "quat": 4, "pose": 7, "twist": 6, "linear": 3, "angular": 3}


@dataclass(frozen=True, eq=False)
class Log:
    """What detect takes: detect(log.pos, log.quat, log.twist, log.dt, log.com).

    `names` are those of the arrays in the file that it is made of.
    """

    pos: np.ndarray
    quat: np.ndarray
    twist: np.ndarray
    dt: Any  # seconds between two rows, or the times of all
    com: np.ndarray | None
    names: tuple[str, ...]


def read_log(
    path: str | Path, *, dt: float | None = None, com: Any = None, body: int | None = None,
    names: Mapping[str, str] | None = None,
) -> Log:  # fmt: skip
    """Read a log.

    dt, com  come before what the file says
    body     which one, if arrays have several: (samples, bodies, components)
    names    what pos, quat and twist are called in the file, if it is something unusual
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    readers = {".npz": _npz, ".csv": _csv, ".txt": _csv, ".parquet": _parquet, ".pq": _parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ConventionError(f"a log is a file .npz, .csv or .parquet; got {path.name!r}")
    arrays = _Named(reader(path), body, names or {})
    pose = None
    p, q, V = arrays.get("pos"), arrays.get("quat"), _twist(arrays)
    if p is None or q is None:
        pose = arrays.get("pose")
    if pose is not None:
        p, q = _of_pose(pose, path.name)
    if p is None or q is None or V is None:
        found = {"pos": p, "quat": q, "twist": V}
        raise arrays.unknown([name for name, x in found.items() if x is None])
    return Log(p, q, V, _time(arrays, dt), _com(arrays, com), tuple(arrays.used))


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

    def __init__(self, table: "_Table", body: int | None, given: Mapping[str, str]):
        self.arrays, self.ordered, self.body, self.given = table.arrays, table.ordered, body, given
        self.folded = {_folded(name): name for name in self.arrays}
        self.used: list[str] = []

    def get(self, what: str) -> np.ndarray | None:
        name = self.given.get(what)
        if name is not None and name not in self.arrays:
            raise ConventionError(
                f"no array {name!r}{did_you_mean(name, self.arrays)};"
                f" the file has {', '.join(self.arrays)}"
            )
        usual = [self.folded[n] for n in NAMES[what] if n in self.folded]
        for found in usual if name is None else [name]:
            x = self.arrays[found]
            if what not in WIDTHS or x.shape[-1:] == (WIDTHS[what],):
                self.used.append(found)
                return self._one_body(x, found) if what in WIDTHS else x
        return None

    def _one_body(self, x: np.ndarray, name: str) -> np.ndarray:
        if x.ndim != 3:
            return x
        if self.body is None or not 0 <= self.body < x.shape[1]:
            raise ConventionError(
                f"{name} {x.shape} has several bodies: choose one, body=0 ... {x.shape[1] - 1}"
            )
        return x[:, self.body]

    def unknown(self, missing: list[str]) -> ConventionError:
        if self.ordered:
            return ConventionError(
                f"columns of the file are not known: {', '.join(self.arrays)}. Call them t, x, y,"
                " z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz in whatever order they are"
            )
        has = ", ".join(f"{name} {x.shape}" for name, x in self.arrays.items())
        return ConventionError(
            f"the file has {' and '.join(f'no {name}' for name in missing)} by any usual name;"
            f' it has {has or "no arrays of numbers"}. Say which is which, as in pos="name"'
        )


@dataclass(frozen=True)
class _Table:
    arrays: dict[str, np.ndarray]
    ordered: bool


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _of_pose(pose: np.ndarray, file: str) -> tuple[np.ndarray, np.ndarray]:
    """Position and quaternion of rows of seven: the four that have length one."""
    off = [np.abs(np.linalg.norm(pose[:, part], axis=1) - 1.0) for part in (slice(3, 7), slice(4))]
    last, first = (bool(np.nanmedian(x) < 1e-2) for x in off)
    if last == first:
        raise ConventionError(
            f"{file}: rows of a pose have 7 numbers, 4 of them of length one, at the end or the"
            f" beginning; here {'both' if last else 'neither'} are"
        )
    return (pose[:, :3], pose[:, 3:]) if last else (pose[:, 4:], pose[:, :4])


def _time(arrays: _Named, dt: float | None) -> Any:
    if dt is not None:
        return dt
    for what in ("dt", "time", "rate"):
        x = arrays.get(what)
        if x is None:
            continue
        if x.size == 1:
            number = float(x.reshape(-1)[0])
            return 1.0 / number if what == "rate" and number > 0.0 else number
        if what == "time":
            return np.asarray(x, float).reshape(-1)
    raise ConventionError(
        "the file has neither dt nor time nor fps: give dt, in seconds between two rows"
    )


def _com(arrays: _Named, com: Any) -> np.ndarray | None:
    if com is not None:
        return np.asarray(com, float)
    found = arrays.get("com")
    return None if found is None or found.size != 3 else np.asarray(found, float).reshape(3)


# ---- files


def _npz(path: Path) -> _Table:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {}
            for name in file.files:
                try:
                    arrays[name] = file[name]
                except ValueError:
                    raise ConventionError(
                        f"{name} has Python objects; reading would execute them, so it is not done"
                    ) from None
    except (zipfile.BadZipFile, OSError, EOFError) as error:
        raise ConventionError(f"{path.name} is no npz file: {error}") from None
    return _Table({name: x for name, x in arrays.items() if x.dtype.kind in "iuf"}, False)


def _csv(path: Path) -> _Table:
    with path.open(newline="") as file:
        head = file.readline()
    delimiter = max(",;\t", key=head.count)
    delimiter = delimiter if delimiter in head else " "
    names = [word.strip().strip('"') for word in head.lstrip("#").strip().split(delimiter)]
    named = not all(_is_number(word) for word in names)
    try:
        table = np.genfromtxt(path, delimiter=None if delimiter == " " else delimiter,
                              skip_header=int(named), dtype=float, ndmin=2)  # fmt: skip
    except ValueError as error:
        raise ConventionError(f"{path.name} is no table of numbers: {error}") from None
    if not named:
        return _Table(_unnamed(table, path.name), True)
    if table.shape[1] != len(names):
        raise ConventionError(
            f"{path.name} has {len(names)} names and {table.shape[1]} columns of numbers"
        )
    return _Table(_grouped(names, table, path.name), True)


def _parquet(path: Path) -> _Table:
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise ConventionError(f"{path.name}: reading parquet needs pandas and pyarrow") from None
    frame = pandas.read_parquet(path)
    arrays = {}
    for name in list(frame.columns):
        if frame[name].dtype == object:  # a column of rows of numbers
            arrays[str(name)] = np.stack(frame.pop(name).to_numpy()).astype(float)
    if frame.shape[1]:
        arrays |= _grouped([str(name) for name in frame.columns],
                           frame.to_numpy(dtype=float, na_value=np.nan), path.name)  # fmt: skip
    return _Table(arrays, True)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _unnamed(table: np.ndarray, file: str) -> dict[str, np.ndarray]:
    extra = table.shape[1] - 13
    if extra not in (0, 1):
        raise ConventionError(
            f"{file} has {table.shape[1]} columns without names; 13 would be position, quaternion"
            " and twist, and 14 the same with time before them"
        )
    body = table[:, extra:]
    arrays = {"pos": body[:, :3], "quat": body[:, 3:7], "twist": body[:, 7:]}
    return arrays | ({"time": table[:, 0]} if extra else {})


_SHORT = {"p": "pos", "q": "quat", "v": "linear", "w": "angular", "": "pos"}


def _grouped(names: list[str], table: np.ndarray, file: str) -> dict[str, np.ndarray]:
    """Columns that belong together, by their names without the last part: a group an array."""
    groups: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        groups.setdefault(_group(name), []).append(k)
    arrays = {name: table[:, columns] for name, columns in groups.items()}
    known = {name for words in NAMES.values() for name in words}
    if not known & set(arrays) and table.shape[1] in (13, 14):
        return _unnamed(table, file)
    return arrays


def _group(name: str) -> str:
    """pose.pose.position.x -> position, pos_x -> pos, qw -> quat, time -> time"""
    words = _folded(name).split("_")
    if len(words) > 1 and re.fullmatch(r"[xyzw]|\d+", words[-1]):
        base = "_".join(words[:-1])
        known = [base] if any(base in usual for usual in NAMES.values()) else []
        return _SHORT.get(base, base) if known or len(words) == 2 else words[-2]
    short = re.fullmatch(
        r"([pqvw]?)([xyz]|(?<=q)w|\d)|(pos|quat|twist|vel|lin|ang)([xyzw]|\d+)", _folded(name)
    )
    if short and short[3]:
        return short[3]
    if short:
        return _SHORT[short[1]]
    return _folded(name)
