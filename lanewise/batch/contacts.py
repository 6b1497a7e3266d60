"""Contacts of a Batch's worlds."""

import sys
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ..errors import did_you_mean
from .field_names import MORE_FIELDS
from .reading import way_of

# what the force between geoms is made of
OF_PAIRS = ("contact_force", "contact.frame", "contact.geom", "ncon")


class BatchContacts:
    """The contacts of a Batch's worlds: arrays (nsim, nconmax, ...), bound when first asked for.

    World i has `b.ncon[i]` contacts; what stands beyond is zero.
    """

    def __init__(self, read: Callable[[str, int], np.ndarray]):
        self._read = read

    def __getattr__(self, name: str) -> np.ndarray:
        way = way_of(sys._getframe(1))
        if name in ("geom1", "geom2"):
            return self._read("contact.geom", way)[..., int(name[-1]) - 1]
        if f"contact.{name}" not in MORE_FIELDS:
            raise AttributeError(f"contacts have no {name!r}{did_you_mean(name, dir(self))}")
        return self._read(f"contact.{name}", way)

    def __dir__(self) -> Iterable[str]:
        fields = [name.partition(".")[2] for name in MORE_FIELDS if name.startswith("contact.")]
        return [*fields, "geom1", "geom2"]


def pair_force(
    rows: Mapping[str, np.ndarray], first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What geoms `first` do to geoms `second`, from the fields of OF_PAIRS: the force (nsim, 3) in
    the world's axes, and the number of contacts (nsim,)."""
    geom1, geom2 = rows["contact.geom"][..., 0], rows["contact.geom"][..., 1]
    there = np.arange(geom1.shape[1]) < rows["ncon"][:, None]
    forth = there & np.isin(geom1, first) & np.isin(geom2, second)
    back = there & np.isin(geom1, second) & np.isin(geom2, first) & ~forth
    frame = rows["contact.frame"]
    force_W = np.einsum(
        "sc,scr,scrx->sx",
        forth * 1.0 - back,
        rows["contact_force"][..., :3],
        frame.reshape(*frame.shape[:2], 3, 3),
    )
    return force_W, (forth | back).sum(axis=1)
