"""Uneven ground: one large height field, on which worlds begin at places of their own.

The plane that the robot stands on becomes the field: the same geom, with its name, material and
friction. A robot is put down where the field is as far below the lowest points of its geoms as the
plane was; a geom counts with its box, and the field with the highest place under it.
"""

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from ...frames import mul_quat, rot_vec_quat
from ...functions import STAGE_FUNCTIONS
from ...naming import number_of
from ...public import Data
from ..seeds import Draws
from .ground import height_at
from .heights import KINDS
from .option import Option, spec_of
from .spans import one_of, span

if TYPE_CHECKING:
    from ..vector import VectorEnv

LANES = 8  # worlds that are looked at together
DEPTH = 1.0  # of the ground below its lowest point
UNDER = np.array([[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1], [1, 0], [-1, 0], [0, 1], [0, -1]])


class Terrain(Option):
    """Put uneven ground under a robot.

    ground: "rough", "slopes", "steps", "waves", or heights (rows along y, columns along x) of yours
    in metres. height: how far a kind of terrain goes up and down; size: its extent in x and y;
    resolution: the distance of its points, all in metres; seed: of the one terrain that all worlds
    share. geom: the plane that becomes it, if there are several. body: who is put on it, if there
    are several with free joints. heading: whether robots look to random sides. margin: how far from
    the edges they begin.

    `heights` is the terrain, and `places` (num_envs, 3) has where in x and y and with which heading
    episodes began. Kernels read it with `ground_height(m, x, y)`.
    """

    def __init__(
        self, ground: Any = "rough", *, height: float = 0.05, size: Any = (40.0, 40.0),
        resolution: float = 0.1, seed: int = 0, geom: Any = None, body: Any = None,
        heading: bool = True, margin: float = 2.0,
    ):  # fmt: skip
        self.size = _size(size)
        self.heading, self.margin = heading, span(margin, "margin")[0]
        if 2.0 * self.margin >= min(self.size):
            raise ValueError(f"a margin of {margin} m leaves nothing of {self.size} m: take less")
        self._geom, self._body = geom, body
        if isinstance(ground, str):
            one_of(ground, "ground", tuple(KINDS))
            spacing = span(resolution, "resolution", 1e-3)[0]
            x, y = (np.linspace(-s / 2.0, s / 2.0, round(s / spacing) + 1) for s in self.size)
            rng = np.random.default_rng(seed)
            self.heights = KINDS[ground](x, y, span(height, "height")[0], rng)
        else:
            self.heights = np.array(ground, float)
        if self.heights.ndim != 2 or min(self.heights.shape) < 2:
            raise ValueError(
                f"heights are rows and columns, two at least; got shape {self.heights.shape}"
            )
        if not np.isfinite(self.heights).all():
            raise ValueError("heights have NaN or infinite numbers")
        # MuJoCo keeps single precision
        self._lowest, self._range = self.heights.min(), max(np.ptp(self.heights), 1e-6)

    def build(self, model: Any) -> Any:
        spec = spec_of(model)
        plane = _plane(spec, self._geom)
        rows, columns = self.heights.shape
        spec.add_hfield(
            name=f"{plane.name}_terrain", nrow=rows, ncol=columns,
            size=[self.size[0] / 2.0, self.size[1] / 2.0, self._range, DEPTH],
            userdata=((self.heights - self._lowest) / self._range).ravel(),
        )  # fmt: skip
        plane.type, plane.hfieldname = mujoco.mjtGeom.mjGEOM_HFIELD, f"{plane.name}_terrain"
        plane.size[:] = 0.0
        self._origin = np.array(plane.pos)
        plane.pos[2] += self._lowest
        return spec

    def begin(self, env: "VectorEnv") -> None:
        super().begin(env)
        m = env.model
        joint = _free_joint(m, self._body)
        self._at = int(m.jnt_qposadr[joint]), int(m.jnt_dofadr[joint])
        self.copied()
        root = m.body_rootid[m.jnt_bodyid[joint]]
        touching = (m.geom_contype | m.geom_conaffinity) != 0
        self._geoms = np.flatnonzero((m.body_rootid[m.geom_bodyid] == root) & touching)
        self.places = np.zeros((env.num_envs, 3))

    def copied(self) -> None:
        assert self.env is not None
        self._batch = self.env.batch
        self._eight = Data(self._batch.model, lanes=LANES)
        q, v = self._at
        self._qpos, self._qvel = self._batch.qpos[:, q : q + 7], self._batch.qvel[:, v : v + 3]

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The height of the ground at x and y in the world."""
        x, y = np.asarray(x) - self._origin[0], np.asarray(y) - self._origin[1]
        return height_at(self.heights, self.size, x, y) + self._origin[2]

    def start(self, which: np.ndarray, draws: Draws) -> None:
        u = draws.uniform(-1.0, 1.0, 3)
        x, y = (self._origin[k] + u[:, k] * (self.size[k] / 2.0 - self.margin) for k in range(2))
        yaw = np.pi * u[:, 2] * bool(self.heading)
        turn = np.stack([np.cos(yaw / 2.0), 0.0 * yaw, 0.0 * yaw, np.sin(yaw / 2.0)], axis=1)
        qpos = self._qpos[which]
        qpos[:, :3] = rot_vec_quat(qpos[:, :3], turn) + np.stack([x, y, 0.0 * x], axis=1)
        qpos[:, 3:] = mul_quat(turn, qpos[:, 3:])
        self._qpos[which] = qpos
        self._qvel[which] = rot_vec_quat(self._qvel[which], turn)
        qpos[:, 2] += self._lift(which)
        self._qpos[which] = qpos
        self.places[which] = np.stack([x, y, yaw], axis=1)

    def _lift(self, which: np.ndarray) -> np.ndarray:
        """How far robots have to rise for the ground to be where the plane was."""
        centres, reach = self._boxes(which)
        bottoms = centres[..., 2] - reach[..., 2] - self._origin[2]
        places = centres[..., None, :2] + UNDER * reach[..., None, :2]
        ground = self.height(places[..., 0], places[..., 1]).max(axis=-1) - self._origin[2]
        return (ground - bottoms).max(axis=1) + bottoms.min(axis=1)

    def _boxes(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Centres (n, ngeom, 3) of the robot's geoms, and how far they reach along the world's
        axes."""
        m, d, geoms = self._batch.model, self._eight, self._geoms
        box = m.geom_aabb.reshape(-1, 6)[geoms]
        centres, reach = (np.empty((len(which), len(geoms), 3)) for _ in range(2))
        for first in range(0, len(which), LANES):
            some = which[first : first + LANES]
            n, lanes = len(some), np.resize(some, LANES)
            d.qpos[:] = self._batch.qpos[lanes]
            STAGE_FUNCTIONS["kinematics"](m, d)
            turn = d.geom_xmat.reshape(LANES, -1, 3, 3)[:n, geoms]
            middle = d.geom_xpos[:n, geoms] + np.einsum("wgij,gj->wgi", turn, box[:, :3])
            centres[first : first + n] = middle
            reach[first : first + n] = np.einsum("wgij,gj->wgi", np.abs(turn), box[:, 3:])
        return centres, reach


def _size(size: Any) -> tuple[float, float]:
    """Extents in x and y, of one number or two."""
    extents = np.asarray(size, float)
    if extents.shape not in ((), (2,)) or not (extents > 0.0).all():
        raise ValueError(f"size is the extent in x and y [m], greater than 0; got {size!r}")
    x, y = np.broadcast_to(extents, 2).tolist()
    return x, y


def _plane(spec: mujoco.MjSpec, name: Any) -> Any:
    """The plane that robots stand on."""
    planes = [g for g in spec.worldbody.geoms if g.type == mujoco.mjtGeom.mjGEOM_PLANE]
    if name is not None:
        planes = [g for g in planes if g.name == name]
    if len(planes) != 1:
        known = ", ".join(repr(g.name) for g in planes) or "none"
        asked = "" if name is None else f" {name!r}"
        raise ValueError(
            f"Terrain takes the place of a plane{asked} of the world's: the model has {known};"
            " name it, geom='floor'"
        )
    if not np.allclose(planes[0].quat, [1.0, 0.0, 0.0, 0.0]):
        raise ValueError(f"plane {planes[0].name!r} is tilted: Terrain needs a level one")
    return planes[0]


def _free_joint(m: Any, body: Any) -> int:
    free = np.flatnonzero(m.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    if body is not None:
        free = free[m.jnt_bodyid[free] == number_of(m.mj, "body", body)]
    if len(free) != 1:
        names = ", ".join(repr(m.mj.body(m.jnt_bodyid[j]).name) for j in free) or "none"
        raise ValueError(
            f"Terrain puts one body with a free joint on the ground: there are {names};"
            " name it, body='trunk'"
        )
    return int(free[0])
