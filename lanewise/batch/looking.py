"""Questions about the geometry of all worlds: rays, heights, distances, insides."""

from typing import Any

import numpy as np

from ..asking import one_number
from ..rays import Rays
from .base import BatchBase
from .questions import geom_distance, inside_site
from .ray import cast, scan_rays


class BatchGeometry(BatchBase):
    """The part of a Batch that looks at shapes."""

    def ray(
        self, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True,
        bodyexclude: Any = -1, ids: Any = None, normal: bool = False, cutoff: float | None = None,
        frame: Any = None, yaw_only: bool = False, moving: bool = True,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Distances and geoms (n, nray) that rays meet first in each world, as `lanewise.ray`; with
        normal=True also the normals (n, nray, 3).

        pnt and vec are (3,), (nray, 3) or (n, nray, 3), for the present qpos of each world; state
        and outputs are untouched. frame: where they are given, the name of a site, body, geom or
        camera, or a pair such as ("body", "torso"); yaw_only leaves out its roll and pitch. What is
        farther than `cutoff` [m] is not met. bodyexclude may be one for each ray. moving=False:
        only geoms that cannot move.
        """
        ids, n = self._chosen(ids)
        rays = Rays(n, self._model, pnt, vec, geomgroup, flg_static, bodyexclude, normal, moving)
        if cutoff is not None:
            rays.reach[0] = one_number(cutoff, "cutoff")
        cast(self._runner, self._model, ids, rays, frame, yaw_only)
        return (rays.dist, rays.geom, rays.normal) if normal else (rays.dist, rays.geom)

    def height_scan(
        self, points: Any, frame: Any = None, yaw_only: bool = True, above: float = 10.0,
        geomgroup: Any = None, moving: bool = False, bodyexclude: Any = -1, ids: Any = None,
    ) -> np.ndarray:  # fmt: skip
        """Heights (n, npoint) of the ground in the world's z, under points (npoint, 2); NaN where
        there is none.

        points are x and y in a frame, as in `ray`, which is turned upright unless yaw_only=False;
        without one, in the world. Rays go straight down, from `above` metres over the frame. The
        ground is what cannot move; moving=True counts all geoms.
        """
        ids, n = self._chosen(ids)
        rays = scan_rays(n, self._model, points, above, geomgroup, moving, bodyexclude)
        upright = yaw_only and frame is not None
        cast(self._runner, self._model, ids, rays, frame, upright)
        return rays.dist

    def geom_distance(
        self, geom1: Any, geom2: Any, distmax: float, ids: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances (n,) of two geoms, and the nearest points (n, 6) on both, in the world.

        For the present qpos of each world; state and outputs are untouched. Beyond distmax the
        distance is distmax, and the points are zero. Geoms are given by number or name; with
        sequences of them, results are (n, npair) and (n, npair, 6).
        """
        ids, n = self._chosen(ids)
        return geom_distance(self._runner, self._model, ids, n, geom1, geom2, distmax)

    def inside_site(self, site: Any, point: Any, ids: Any = None) -> np.ndarray:
        """Whether a point, (3,) or (n, 3) in the world, is inside a site (number or name): (n,).

        For the present qpos of each world; state and outputs are untouched. Points (n, npoint, 3)
        give (n, npoint). The shape of a mesh is its convex hull.
        """
        ids, n = self._chosen(ids)
        return inside_site(self._runner, self._model, ids, n, site, point)
