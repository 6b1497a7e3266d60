"""How worlds start, and the controls that they follow."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..public import Batch, Model, integrate_pos
from .run_errors import RunError


def start(batch: Batch, keyframe: Any, scatter: float, seed: int) -> None:
    """World 0 starts as the model or a keyframe has it; the others near it.

    Every dof of theirs is moved by scatter times a normal number [rad, m], and gets a velocity of
    scatter times another [rad/s, m/s].
    """
    batch.reset(keyframe=keyframe)
    model = batch.model
    if scatter and batch.nsim > 1 and model.nv:
        rng = np.random.default_rng(seed)
        moves = scatter * rng.standard_normal((batch.nsim - 1, model.nv))
        batch.qpos[1:] = integrate_pos(model, batch.qpos[1:], moves, 1.0)
        batch.qvel[1:] += scatter * rng.standard_normal((batch.nsim - 1, model.nv))


@dataclass(frozen=True)
class Control:
    """Controls for every step, of all worlds alike, (steps, nu), or of each, (steps, nsim, nu)."""

    values: np.ndarray
    file: str = ""
    digest: str = ""

    @classmethod
    def of(cls, given: Any, model: Model, worlds: int) -> "Control":
        """From an array, or from a file: .npy, or .npz with an array `ctrl`."""
        if isinstance(given, (str, Path)):
            place = Path(given)
            if not place.exists():
                raise FileNotFoundError(f"there is no file {str(place)!r} of controls")
            values = _read(place)
            digest = hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
            out = cls(values, str(place.resolve()), digest)
        else:
            values = np.asarray(given)
            out = cls(
                values, "", hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()
            )
        what = out.file or "control"
        if values.dtype.kind not in "fiu":
            raise ValueError(f"{what} has {values.dtype}, and controls are numbers")
        if values.shape[1:] not in ((model.nu,), (worlds, model.nu)) or not values.ndim > 1:
            raise ValueError(
                f"{what} is {values.shape}, and would be (steps, {model.nu}), or"
                f" (steps, {worlds}, {model.nu}) with a row for each world"
            )
        return out

    def check(self, place: int, steps: int) -> None:
        """Raise ValueError unless there are controls for the steps from `place`."""
        left = len(self.values) - place
        if left < steps:
            raise ValueError(
                f"{self.file or 'control'} has {len(self.values)} steps, {place} of them are done,"
                f" and {steps} more would be needed: at most --steps {left}"
            )

    def head(self) -> dict[str, Any]:
        """What a run's file says of them."""
        return {"file": self.file, "sha256": self.digest, "steps": len(self.values)}


def _read(place: Path) -> np.ndarray:
    """The array of a file, never by unpickling."""
    from .npz_file import NpzReader

    if place.suffix.lower() != ".npy":
        reader = NpzReader(place)
        if "ctrl" not in reader.names:
            raise ValueError(
                f"{str(place)!r} has no array 'ctrl': it has {', '.join(reader.names) or 'none'}"
            )
        return reader.array("ctrl")
    try:
        return np.load(place, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise RunError(place, f"it is damaged: {error}") from None
