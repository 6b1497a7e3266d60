"""What rays meet in the worlds of a Data; and what all calls with rays have in common.

A ray is the points pnt + x vec with x >= 0. Its distance is the x of the first surface that it
meets, so it counts lengths of vec; -1 where it meets nothing.
"""

from typing import Any

import numpy as np

from .asking import ask, numbers, one_number
from .engine.calls.ray import RAY
from .engine.geometry.casting import ALL_GROUPS, MOVING, NGROUP, STATIC
from .functions import check_arguments
from .lanes.records import Records
from .mjconst import MINVAL
from .naming import numbers_of

FAR = 1e10  # mjMAXVAL


def ray(
    m: Any, d: Any, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True,
    bodyexclude: Any = -1,
) -> tuple[Any, Any, np.ndarray]:  # fmt: skip
    """(distance, geom, normal (3,)) of the first surface that a ray meets, from pnt (3,) [m] along
    vec (3,), all in W, as `mj_ray`; d has positions.

    The distance is in lengths of vec, and -1 without a hit, as the geom is; the normal is zero
    then. geomgroup: (6,), which groups count; flg_static: whether geoms that cannot move count;
    bodyexclude: a body, by number or name, whose geoms do not. With several worlds, pnt and vec may
    be (worlds, 3), and the results have a leading axis.
    """
    check_arguments(m, d)
    pnt, vec = (_of_worlds(x, d.lanes, name)[:, None] for x, name in ((pnt, "pnt"), (vec, "vec")))
    rays = Rays(d.lanes, m, pnt, vec, geomgroup, flg_static, bodyexclude)
    rays.cast(m, d)
    dist, geom, normal = rays.dist[:, 0], rays.geom[:, 0], rays.normal[:, 0]
    return (float(dist[0]), int(geom[0]), normal[0]) if d.lanes == 1 else (dist, geom, normal)


def multi_ray(
    m: Any, d: Any, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: bool = True,
    bodyexclude: Any = -1, cutoff: float = FAR,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Distances (n,), geoms (n,) and normals (n, 3) of rays vec (n, 3) from pnt (3,) [m], all in W,
    as `mj_multiRay`; options as in `ray`.

    Geoms farther than the cutoff [m] are left out. What `mj_multiRay` does not see, this does not
    see: docs/rays.md. With several worlds, pnt may have a row for each, vec may be (worlds, n, 3),
    and the results have a leading axis of worlds.
    """
    check_arguments(m, d)
    pnt = _of_worlds(pnt, d.lanes, "pnt")[:, None]
    vec = numbers(vec, "vec")
    if vec.ndim not in (2, 3) or vec.shape[-1] != 3 or (vec.ndim == 3 and len(vec) != d.lanes):
        raise ValueError(f"vec must have shape (n, 3) or ({d.lanes}, n, 3), got {vec.shape}")
    rays = Rays(d.lanes, m, pnt, vec, geomgroup, flg_static, bodyexclude)
    rays.reach[0] = one_number(cutoff, "cutoff")
    rays.record.set(pruned=1)
    rays.cast(m, d)
    results = rays.dist, rays.geom, rays.normal
    return (results[0][0], results[1][0], results[2][0]) if d.lanes == 1 else results


class Rays:
    """Rays of n worlds and room for what they meet; `record` is what the kernel is told.

    pnt and vec broadcast to (n, nray, 3), bodyexclude to (n, nray).
    """

    def __init__(
        self, n: int, m: Any, pnt: Any, vec: Any, geomgroup: Any = None, flg_static: Any = True,
        bodyexclude: Any = -1, normal: bool = True, moving: Any = True,
    ):  # fmt: skip
        pnt, vec = _vectors(pnt, "pnt"), _vectors(vec, "vec")
        try:
            nray = np.broadcast_shapes(pnt.shape[:-1], vec.shape[:-1])[-1]
            (pnt, p), (vec, v) = _rows(pnt, (n, nray, 3)), _rows(vec, (n, nray, 3))
        except ValueError:
            raise ValueError(
                "pnt and vec must broadcast to (worlds, rays, 3), which is"
                f" ({n}, rays, 3) here; got {pnt.shape} and {vec.shape}"
            ) from None
        bodies = numbers_of(m.mj, "body", bodyexclude, "bodyexclude", least=-1)
        try:
            exclude, e = _rows(bodies, (n, nray))
        except ValueError:
            raise ValueError(
                f"bodyexclude takes one body or shape ({n}, {nray}), got {bodies.shape}"
            ) from None
        self.dist, self.geom = np.full((n, nray), -1.0), np.full((n, nray), -1, np.int32)
        self.normal: Any = np.zeros((n, nray, 3)) if normal else None
        self.reach = np.array([np.inf, 0.0])  # in metres, and how much starts are lifted
        self.record = Records(RAY)
        self.record.set(
            nray=nray, order=neighbours(vec[0]) if n and v[1] else None,
            pnt=pnt, pnt_world=p[0], pnt_ray=p[1], vec=vec, vec_world=v[0],
            vec_ray=v[1], exclude=exclude, exclude_world=e[0], exclude_ray=e[1],
            reach=self.reach, groups=_groups(geomgroup),
            kinds=(STATIC if flg_static else 0) | (MOVING if moving else 0),
            dist=self.dist, geom=self.geom, normal=self.normal,
        )  # fmt: skip

    def cast(self, m: Any, d: Any) -> None:
        """Look, in the worlds of a Data that has positions."""
        ask(m, d, "ray", self.record, apart=False)


def neighbours(vec: np.ndarray) -> np.ndarray | None:
    """An order in which similar directions follow each other; None for few rays.

    The sphere is unfolded from an octahedron to a square, which a curve of Morton's goes through.
    """
    if len(vec) <= _PACKET:
        return None
    with np.errstate(invalid="ignore"):
        u = vec / np.abs(vec).sum(axis=1, keepdims=True)
        below = u[:, 2:] < 0.0
        flat = np.where(below, np.copysign(1.0 - np.abs(u[:, 1::-1]), u[:, :2]), u[:, :2])
        cell = (127.5 * flat + 127.5).astype(np.int64) & 255
    place = _SPREAD[cell]
    return np.argsort(place[:, 0] | place[:, 1] << 1, kind="stable").astype(np.int32)


_PACKET = 8  # rays that are cast together
# eight bits, with room for another bit above each; sixteen are sorted fast
_SPREAD = np.array([sum((n >> k & 1) << 2 * k for k in range(8)) for n in range(256)], np.uint16)


# ---------------------------------------------------------------------------------------- arguments


def _vectors(x: Any, name: str) -> np.ndarray:
    """Numbers in rows of three; directions have a length."""
    x = numbers(x, name)
    x = x if x.ndim > 1 else np.atleast_2d(x)
    if x.shape[-1] != 3 or x.ndim > 3:
        raise ValueError(
            f"{name} must have shape (3,), (rays, 3) or (worlds, rays, 3), got {x.shape}"
        )
    if name == "vec":
        square = np.einsum("...i,...i", x, x)
        if square.size and square.min() < MINVAL * MINVAL:
            short = np.argwhere(square < MINVAL * MINVAL)
            raise ValueError(
                f"directions must not be shorter than {MINVAL:g}, but ray {int(short[0][-1])} has"
                f" {x[tuple(short[0])]}"
            )
    return x


def _rows(x: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, tuple[int, ...]]:
    """(memory, bytes from a world to the next and from a ray to the next)"""
    if x.ndim == 0:
        return x, (0, 0)
    if x.shape != shape:
        x = np.broadcast_to(x, shape)
    if len(shape) == 3 and x.strides[2] != x.itemsize:
        x = np.ascontiguousarray(x)
    return x, x.strides


def _of_worlds(x: Any, lanes: int, name: str) -> np.ndarray:
    """A vector for each world: (lanes, 3)."""
    x = numbers(x, name)
    if x.shape not in ((3,), (lanes, 3)):
        choices = "(3,)" if lanes == 1 else f"(3,) or ({lanes}, 3)"
        raise ValueError(f"{name} must have shape {choices}, got {x.shape}")
    return x.reshape(1, 3) if x.ndim == 1 else x


def _groups(geomgroup: Any) -> int:
    """Bits of the groups that count."""
    if geomgroup is None:
        return ALL_GROUPS
    groups = np.asarray(geomgroup)
    if groups.shape != (NGROUP,) or groups.dtype.kind not in "biu":
        raise ValueError(
            f"geomgroup must be {NGROUP} numbers, not zero for the groups that count, or None for"
            f" all; got {geomgroup!r}"
        )
    return sum(1 << k for k in range(NGROUP) if groups[k])
