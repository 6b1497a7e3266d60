"""Many worlds of one model: the interface of mujoco.batch."""

from typing import Any

from .batch import DATA_FIELDS, Batch, SimulationError

__all__ = ["DATA_FIELDS", "Batch", "SimulationError"]


def __getattr__(name: str) -> Any:
    from . import batch

    return getattr(batch, name)
