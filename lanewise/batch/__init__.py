"""Many worlds of one model: the interface of mujoco.batch."""

from typing import Any

from .batch import DATA_FIELDS, Batch, SimulationError

__all__ = ["DATA_FIELDS", "Batch", "SimulationError"]


def __getattr__(name: str) -> Any:
    if name == "MODEL_FIELDS":  # fields that expand() accepts
        from ..loaders.per_world import expandable

        return expandable()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
