"""The models of the worlds of a Batch: one for all, with fields of their own, or the caller's."""

from typing import Any

import numpy as np

from ..loaders import derived, per_world
from .arguments import check_index, make_ids
from .base import BatchBase
from .field_names import not_expandable


class BatchModels(BatchBase):
    """The part of a Batch that says which model a world has."""

    @property
    def _expanded(self) -> dict[str, np.ndarray]:
        return self._variation.expanded

    def expand(self, name: str) -> np.ndarray:
        """Give a model field its own value in every world: a live (nsim, ...) array of them.

        Options are named opt.<name>. After writing a field that docs/fields.md marks with
        set_const, call set_const().
        """
        variation = self._variation
        if name in variation.expanded:
            return variation.expanded[name]
        if self._models is not None:
            raise ValueError(
                f"the caller's models (set_models) are in use: edit their {name} instead"
            )
        if name not in per_world.expandable():
            raise not_expandable(self._model, name)
        rows = variation.derived.pop(name, None)
        variation.expanded[name] = variation.new_rows(name) if rows is None else rows
        self._runner.changed()
        return variation.expanded[name]

    def expanded(self, name: str) -> np.ndarray | None:
        """A field's values (nsim, ...) in all worlds, read-only; None if they share the model's."""
        if name not in per_world.expandable():
            raise not_expandable(self._model, name)
        rows = self._variation.rows(name)
        if rows is None:
            return None
        rows = rows[:]
        rows.flags.writeable = False
        return rows

    def set_const(self, ids: Any = None) -> None:
        """mj_setConst in every world: what follows from expanded fields gets rows as well.

        Call it after an edit of expanded fields that docs/fields.md marks with set_const. After one
        of `model`, which all worlds share, it is lanewise.set_const(b.model).
        """
        ids = make_ids(ids, self.nsim)
        if self._models is not None:
            raise ValueError(
                "the caller's models (set_models) are in use: call lanewise.set_const or"
                " mujoco.mj_setConst on them, and set them again"
            )
        variation = self._variation
        if not derived.reads(variation.expanded):
            return
        sims = np.arange(self.nsim) if ids is None else ids
        failed: dict[int, str] = {}
        shared: dict[str, np.ndarray] = {}  # constants of the model, as worlds are gone through
        with self._runner.lock:
            found = derived.of_worlds(self._model.mj, variation.expanded, sims.tolist())
            try:
                for sim, values in found:
                    if isinstance(values, str):
                        failed[sim] = values
                    else:
                        variation.derive(sim, values, shared)
            finally:  # what MuJoCo warns of may be an error
                self._runner.changed()
                self._runner.report(sims, failed)

    def get_model(self, sim: int, model: Any = None) -> Any:
        """An MjModel of one world: a new one, or `model`, which must have the same sizes."""
        sim = check_index(sim, self.nsim)
        refresh = any(name in self._variation.own for name in derived.FLAGS)
        return per_world.world_model(self._model_of(sim), self._variation.row(sim), model, refresh)

    def set_models(self, models: Any) -> None:
        """Run world i on models[i] instead; one model for all, or None for the batch's.

        The models must have the sizes of the batch's model. They are copied: set them again after
        editing one. They take the place of expanded fields, and the two cannot be combined.
        """
        if models is None:
            variation = self._runner.no_variation()
        else:
            if self._variation.expanded:
                raise ValueError(
                    "set_models cannot be combined with per-simulation fields; expanded are: "
                    + ", ".join(self._variation.expanded)
                )
            given = [models] * self.nsim if _is_model(models) else list(models)
            if len(given) != self.nsim:
                raise ValueError(
                    f"set_models needs one model per simulation, got {len(given)} for {self.nsim}"
                )
            variation = self._runner.variation_of(given)
            models = models if _is_model(models) else given
        self._models = models
        self._runner.variation = variation
        self._runner.changed()

    def made_of(self, model: Any) -> bool:
        """Whether this is the model that the batch copied."""
        return model is self._given

    @property
    def models(self) -> Any:
        """What set_models was given: None, one model, or a tuple with one for each world."""
        return tuple(self._models) if isinstance(self._models, list) else self._models

    def _model_of(self, sim: int) -> Any:
        """The MjModel of a world, but for its rows."""
        model = self._models[sim] if isinstance(self._models, list) else self._models
        model = self._model if model is None else model
        return model if per_world.is_mjmodel(model) else model.mj


def _is_model(x: Any) -> bool:
    return per_world.is_mjmodel(x) or hasattr(x, "mj")
