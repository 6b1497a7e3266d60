"""What a form is, and what several of them share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import did_you_mean
from ..clip import Clip
from ..decisions import Case
from ..motion_errors import MotionError, spelled
from ..robot import Robot

KINDS = ("npz", "pkl", "csv", "bvh", "folder")


@dataclass(frozen=True)
class Form:
    """A form of files.

    kind        of file: npz, pkl, csv, bvh, or a folder
    recognizes  whether contents are of this form
    read        (case, contents) -> Clip
    write       (clip, robot or None, options) -> what is written: arrays, an object, tables or text
    """

    name: str
    about: str
    kind: str
    recognizes: Callable[[Any], bool]
    read: Callable[[Case, Any], Clip]
    write: Callable[[Clip, Robot | None, dict[str, Any]], Any] | None
    options: tuple[str, ...] = ()  # of writing


def array(case: Case, contents: Mapping[str, Any], name: str, *last: int) -> np.ndarray:
    """An array (T, ...) of numbers by its name, with the sizes that it must end with."""
    if name not in contents:
        raise case.refuse(
            f"no {name!r}{did_you_mean(name, contents)}; it has {', '.join(map(str, contents))}"
        )
    try:
        x = np.asarray(contents[name])
        if x.dtype.kind not in "iuf":
            raise TypeError
        x = x.astype(float)
    except (TypeError, ValueError):
        raise case.refuse(f"{name} must be an array of numbers") from None
    if last and x.ndim == len(last) + 2 and x.shape[0] == 1:
        x = x[0]  # one world
    wanted = ", ".join("any" if n < 0 else str(n) for n in last)
    fits = x.ndim == len(last) + 1 and all(n < 0 or n == k for n, k in zip(last, x.shape[1:]))
    if last and not fits:
        raise case.refuse(f"{name} must have shape (frames, {wanted}); it has {x.shape}")
    if last and not len(x):
        raise case.refuse(f"{name} has no frames")
    if not np.isfinite(x).all():
        frame = int(np.argwhere(~np.isfinite(x))[0][0])
        raise case.refuse(f"{name} of frame {frame} is not finite: leave such frames out")
    return x


def same_length(case: Case, **arrays: np.ndarray | None) -> int:
    """The number of frames, which all arrays must have."""
    lengths = {name: len(x) for name, x in arrays.items() if x is not None}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {n}" for name, n in lengths.items())
        raise case.refuse(f"arrays have different numbers of frames: {told}")
    return next(iter(lengths.values()))


def frame_times(n: int, fps: float) -> np.ndarray:
    """(n,) [s] from 0."""
    return np.arange(n) / fps


def needs_robot(robot: Robot | None, form: str) -> Robot:
    """The robot that writing a form takes."""
    if robot is None:
        raise MotionError(
            f"the form {form} has an order of joints, or bodies, which a model gives: say"
            f" {spelled('model=m')}"
        )
    return robot


def words(x: Any) -> list[str] | None:
    """Names of a file: a list of text, or None."""
    if x is None:
        return None
    flat = np.ravel(np.asarray(x, dtype=object))
    return [n.decode() if isinstance(n, bytes) else str(n) for n in flat] if len(flat) else None
