"""Questions about geometry in all worlds of a Batch: distances of geoms, insides of sites."""

from typing import Any

import numpy as np

from ..asking import numbers, one_number
from ..engine.calls.distance import DISTANCE
from ..engine.calls.inside import INSIDE
from ..lanes.records import Records
from ..model import Model
from ..naming import number_of, numbers_of
from .runner import Runner


def geom_distance(
    runner: Runner, model: Model, ids: np.ndarray | None, n: int, first: Any, second: Any, most: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and nearest points of pairs of geoms: (n, ...), (n, ..., 6)"""
    geoms = [numbers_of(model.mj, "geom", x) for x in (first, second)]
    one, two = np.broadcast_arrays(*geoms)
    pairs = np.ascontiguousarray(np.stack([one.ravel(), two.ravel()], axis=1), np.int32)
    dist, ends = np.zeros((n, len(pairs))), np.zeros((n, len(pairs), 6))
    call = Records(DISTANCE)
    call.set(
        npair=len(pairs), geoms=pairs, most=np.array(one_number(most, "distmax")),
        dist=dist, ends=ends,
    )  # fmt: skip
    runner.call("distance", call, ids, fields=["geom_xpos"])
    return dist.reshape(n, *one.shape), ends.reshape(n, *one.shape, 6)


def inside_site(
    runner: Runner, model: Model, ids: np.ndarray | None, n: int, site: Any, point: Any
) -> np.ndarray:
    """Whether points are inside a site: (n,) for one in each world, else (n, npoint)"""
    point = numbers(point, "point")
    if point.shape[-1:] != (3,) or (point.shape[:-1] not in ((), (n,)) and point.ndim != 3):
        raise ValueError(
            f"point must have shape (3,), ({n}, 3) or ({n}, npoint, 3), got {point.shape}"
        )
    if point.ndim == 3 and len(point) not in (1, n):
        raise ValueError(f"point has {len(point)} rows of points, but there are {n} worlds")
    alone = point.ndim < 3
    points = np.ascontiguousarray(point.reshape(-1, 1, 3) if alone else point)
    inside = np.zeros((n, points.shape[1]))
    call = Records(INSIDE)
    call.set(
        site=number_of(model.mj, "site", site), npoint=points.shape[1], points=points,
        world=0 if len(points) == 1 else points.strides[0], inside=inside,
    )  # fmt: skip
    runner.call("inside", call, ids, fields=["site_xpos"])
    return (inside[:, 0] if alone else inside) > 0.0
