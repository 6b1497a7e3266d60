"""Logs of a body and states of a robot, from one system's convention to another's.

A log has positions, quaternions and twists of one body (`conventions.read_log`). A state file has
`qpos` and `qvel` of a robot in rows: the pose and twist of its root, if that floats, and then its
joints in the order of the system.
"""

import itertools
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..conventions import (
    SYSTEMS,
    Body,
    ConventionError,
    Detection,
    Log,
    System,
    convert_free_state,
    joint_permutation,
)
from ..conventions.log_files import read_file

SAME = 1e-9  # results of two readings that are one result
MOST_READINGS = 256
SUFFIXES = (".npz", ".csv")


# ---- logs of a body


def convert_log(log: Log, source: System, target: System, body: Body) -> dict[str, np.ndarray]:
    """pos, quat and twist in the target's meaning and order."""
    first = source.pose_layout == "position_first"
    pose = np.hstack([log.pos, log.quat] if first else [log.quat, log.pos])
    q, v = convert_free_state(pose, log.twist, source, target, body=body)
    ahead = target.pose_layout == "position_first"
    pos, quat = (q[:, :3], q[:, 3:]) if ahead else (q[:, 4:], q[:, :4])
    return {"pos": pos, "quat": quat, "twist": v}


def detected(log: Log, found: Detection, target: System, body: Body) -> System:
    """What the log is in. Raises ConventionError if it cannot be told as far as it matters: where
    the readings that remain possible lead to different results."""
    best = found.row()
    matter = [name for name in found.undecided if name != "up"]
    if not matter:
        return best
    choices = [found.possible[name] for name in matter]
    combinations = list(itertools.islice(itertools.product(*choices), MOST_READINGS + 1))
    if len(combinations) <= MOST_READINGS and body.com is not None:
        said: list[dict[str, Any]] = [dict(zip(matter, w, strict=True)) for w in combinations]
        rows = (replace(best, **words) for words in said)
        results = [_all_numbers(convert_log(log, row, target, body)) for row in rows]
        if all(np.abs(x - results[0]).max() <= SAME for x in results[1:]):
            return best
    reasons: dict[str, list[str]] = {}
    for name in matter:
        either = f"{name} ({' or '.join(found.possible[name])})"
        reasons.setdefault(found.undecided[name], []).append(either)
    why = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
    raise ConventionError(
        f"the log does not tell its convention: {why}. Say it with --from, as in --from"
        f" {(found.systems or tuple(SYSTEMS))[0]}"
        + ("" if body.com is not None else ", and give --com if it is known")
    )


def _all_numbers(arrays: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([np.ravel(x) for x in arrays.values()])


def times(log: Log) -> np.ndarray:
    """The time of every row [s]."""
    dt = np.asarray(log.dt, float)
    return dt if dt.ndim else np.arange(len(log.pos)) * float(dt)


# ---- states of a robot


def read_states(path: str, nq: int, nv: int) -> dict[str, np.ndarray]:
    """qpos (T, nq), qvel (T, nv) and perhaps time (T,) of a file."""
    contents = read_file(Path(path))
    found = {name: x.read() for name, x in contents.arrays.items() if name in _ROWS}
    if not found:
        columns = list(contents.columns.values())
        rows = contents.table if contents.table is not None else np.array(columns).T
        found = _of_table(rows, nq, nv, path)
    for name, width in (("qpos", nq), ("qvel", nv)):
        if name not in found:
            raise ConventionError(f"{path} has no {name}; it has {', '.join(contents.arrays)}")
        if found[name].ndim != 2 or found[name].shape[1] != width:
            raise ConventionError(
                f"{name} of {path} has shape {found[name].shape}; this model has {width} numbers in"
                " a row"
            )
    if len(found["qpos"]) != len(found["qvel"]):
        raise ConventionError(
            f"{path} has {len(found['qpos'])} rows of qpos and {len(found['qvel'])} of qvel"
        )
    return found


_ROWS = ("qpos", "qvel", "time")


def _of_table(rows: np.ndarray, nq: int, nv: int, path: str) -> dict[str, np.ndarray]:
    extra = rows.shape[-1] - nq - nv if rows.ndim == 2 else -1
    if extra not in (0, 1):
        raise ConventionError(
            f"a table of states has {nq} columns of qpos and {nv} of qvel, and perhaps time before"
            f" them; {path} has {rows.shape[-1] if rows.ndim == 2 else 0}"
        )
    found = {"qpos": rows[:, extra : extra + nq], "qvel": rows[:, extra + nq :]}
    return {**found, "time": rows[:, 0]} if extra else found


def convert_states(
    mj: Any, states: dict[str, np.ndarray], source: System, target: System, tree: Any, **said: Any
) -> dict[str, np.ndarray]:
    """qpos and qvel of a robot in another system; mj has its bodies, tree its order."""
    kinds = list(map(int, mj.jnt_type))
    floats = kinds[:1] == [0]
    if any(kind not in (2, 3) for kind in kinds[floats:]):
        raise ConventionError(
            "only robots with hinges and slides are converted, on a root that floats or stands:"
            " this model has other ball or free joints"
        )
    order = joint_permutation(tree, source, target, **said)
    root = 7 if floats else 0
    qpos, qvel = np.array(states["qpos"], float), np.array(states["qvel"], float)
    made = {
        "qpos": np.hstack([qpos[:, :root], qpos[:, root:][:, order]]),
        "qvel": np.hstack([qvel[:, : root - floats], qvel[:, root - floats :][:, order]]),
    }
    if floats:
        body = _body(mj, int(mj.jnt_bodyid[0]))
        q, v = convert_free_state(qpos[:, :7], qvel[:, :6], source, target, body=body)
        made["qpos"][:, :7], made["qvel"][:, :6] = q, v
    return {**made, **({"time": states["time"]} if "time" in states else {})}


def _body(mj: Any, b: int) -> Body:
    """The centre of mass and principal axes of a body of a model."""
    w, x, y, z = mj.body_iquat[b]
    R = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    inertia = R @ np.diag(mj.body_inertia[b]) @ R.T
    return Body(com=mj.body_ipos[b].copy(), mass=float(mj.body_mass[b]), inertia=inertia)


# ---- writing


def check_suffix(path: str) -> None:
    """Raise ValueError for a file of a kind that is not written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise ValueError(f"cannot write {Path(path).name!r}: use .npz or .csv")


def write(path: str, arrays: dict[str, np.ndarray], heads: list[str]) -> None:
    """Write arrays of rows, all or nothing: what was there stays until the new file is whole."""
    if Path(path).suffix.lower() == ".npz":
        save: Any = np.savez
        _replace(path, lambda file: save(file, **arrays))
        return
    columns = [x[:, None] if x.ndim == 1 else x for x in arrays.values()]
    _replace(path, lambda file: np.savetxt(
        file, np.hstack(columns), delimiter=",", header=",".join(heads), comments="", fmt="%.17g",
    ))  # fmt: skip


def _replace(path: str, save: Callable[[IO[bytes]], Any]) -> None:
    folder = Path(path).resolve().parent
    handle, part = tempfile.mkstemp(dir=folder, prefix=".", suffix=Path(path).suffix)
    try:
        with os.fdopen(handle, "wb") as file:
            save(file)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def log_heads(target: System) -> list[str]:
    """Names of the columns of a log, which `lanewise detect` reads."""
    quat = "qw qx qy qz" if target.quaternion == "wxyz" else "qx qy qz qw"
    linear = target.order == "linear_first"
    twist = "vx vy vz wx wy wz" if linear else "wx wy wz vx vy vz"
    return f"t x y z {quat} {twist}".split()
