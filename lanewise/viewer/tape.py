"""What was recorded: the states of all worlds, picture by picture, and how they become a file.

A frame has whole state rows, so that it is more than a picture: a simulation goes on from any of
them, to the bit. When the tape is full, the oldest frames go.

A clip is an npz file: time (T,) [s]; qpos (T, nsim, nq), qvel (T, nsim, nv), ctrl (T, nsim, nu);
mocap_pos (T, nsim, nmocap, 3) and mocap_quat (T, nsim, nmocap, 4) if there are such bodies; and
model, the bytes of its MJB (uint8), so that it can be shown wherever it is taken.
"""

import bisect
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..functions import extract_state
from ..model import Model

MEMORY = 512 * 2**20  # bytes of frames
INTEGRATION = "integration"


@dataclass(frozen=True, eq=False)
class Frame:
    """The worlds at one moment: `clock`, seconds simulated since the last reset; `state` (nsim,
    nstate). `serial` never comes twice, so that what was computed of a frame can be kept."""

    serial: int
    clock: float
    state: np.ndarray


class Tape:
    """Frames in the order of their clocks, as many as fit into `memory` bytes."""

    def __init__(self, memory: int = MEMORY):
        self._memory = memory
        self._frames: list[Frame] = []
        self._serial = 0

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, k: int) -> Frame:
        return self._frames[k]

    def add(self, clock: float, state: np.ndarray) -> Frame:
        """Record a copy of the states."""
        self._serial += 1
        frame = Frame(self._serial, clock, state.copy())
        self._frames.append(frame)
        most = max(2, self._memory // max(1, frame.state.nbytes))
        if len(self._frames) > most:
            # many at once, since a list moves all that is behind what it loses
            del self._frames[: len(self._frames) - most + most // 16]
        return frame

    def cut(self, k: int) -> None:
        """Forget what comes after frame k."""
        del self._frames[k + 1 :]

    def clear(self) -> None:
        self._frames.clear()

    def index(self, clock: float) -> int:
        """The last frame that is not later than `clock`; the first, if all are."""
        return max(0, bisect.bisect_right(self._frames, clock, key=lambda frame: frame.clock) - 1)

    def last(self, seconds: float, end: int) -> list[Frame]:
        """The frames of the last seconds before frame `end`, and that one."""
        frames = list(self._frames[: end + 1])
        if not frames:
            return []
        first = bisect.bisect_left(frames, frames[-1].clock - seconds, key=lambda f: f.clock)
        return frames[first:]

    def frames(self) -> list[Frame]:
        """All of them: a copy of the list, which recording does not change."""
        return list(self._frames)


def clip(model: Model, frames: list[Frame]) -> dict[str, np.ndarray]:
    """The arrays of a clip, by name."""
    if not frames:
        raise ValueError("nothing has been recorded yet: press play first")
    arrays = {"time": np.array([frame.clock for frame in frames])}
    rows = np.stack([frame.state for frame in frames])
    shape = rows.shape[:2]
    flat = rows.reshape(-1, rows.shape[2])
    for name in ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat"):
        part = extract_state(model, flat, INTEGRATION, name)
        if part.shape[1]:
            arrays[name] = part.reshape(*shape, -1)
    for name, size in (("mocap_pos", 3), ("mocap_quat", 4)):
        if name in arrays:
            arrays[name] = arrays[name].reshape(*shape, -1, size)
    arrays["model"] = model_bytes(model)
    return arrays


def save(path: str | Path, arrays: dict[str, Any]) -> None:
    """Write a clip, whole or not at all."""
    path = Path(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".npz")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def model_bytes(model: Model) -> np.ndarray:
    """The model as MuJoCo's binary format has it, uint8."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mjb"
        model.save(path)
        return np.frombuffer(path.read_bytes(), np.uint8)
