"""Bodies of all worlds, drawn by mjviser; what it does not have is here.

It draws moving bodies of any number of worlds, and what stands still once. Here, worlds stand side
by side, so what stands still gets a copy in each place; or all worlds are in one place, those that
are not selected as ghosts. Bodies can be clicked and dragged.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from mjviser import ViserMujocoScene
from mjviser.conversions import group_geoms_by_visual_compat, is_fixed_body, merge_geoms

from ...mjconst import GEOM_PLANE
from ..arrangement import GHOSTS, SIDE_BY_SIDE, offsets, spacing
from ..observing import Eye
from .colours import paint
from .grounds import Grounds
from .smoothing import SmoothServer

GHOST_COLOUR, GHOST_OPACITY = (120, 144, 180), 0.16
HIDDEN_GROUPS = 3  # groups of geoms from here on are not drawn


class Bodies:
    """The worlds that an Eye shows. `mj` is an MjModel that nobody else has: mjviser writes to it.

    low, high (3,) [m]: the box around one world, when it was opened; size [m]: of a cube about as
    large as what moves in it.
    """

    def __init__(self, server: Any, mj: Any, eye: Eye):
        self._server, self.mj, self._eye = server, mj, eye
        paint(mj)
        server = SmoothServer(server)
        self.drawn = ViserMujocoScene(server, mj, eye.shown)
        self.drawn.camera_tracking_enabled = False
        (self.low, self.high), self._near = _boxes(mj, eye)
        self.size = float(np.linalg.norm(self._near[1] - self._near[0])) / np.sqrt(3.0)
        self.grounds = Grounds(server, mj, self.drawn.mj_data, self.size)
        self.spacing = spacing(self.low, self.high)
        self._decor = server.scene.add_frame("/decor", show_axes=False)
        self._copies = _copies(server, mj, self.drawn.mj_data, eye.shown)
        self._ghosts: list[tuple[Any, int]] = []
        self.arrangement = SIDE_BY_SIDE
        self.offsets = np.zeros((eye.shown, 3))
        self.arrange(SIDE_BY_SIDE)

    @property
    def shift(self) -> np.ndarray:
        """(3,) by how much everything is shifted, so that a followed body stays in the middle."""
        return np.array(self.drawn.fixed_bodies_frame.position)

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """The box that the camera looks at, low and high (3,) [m]: all worlds, or what moves in one
        of them."""
        if not self.offsets.any():
            return self._near
        return self.low + self.offsets.min(axis=0), self.high + self.offsets.max(axis=0)

    def arrange(self, arrangement: str) -> None:
        """Side by side, or as ghosts."""
        self.arrangement = arrangement
        self.offsets = offsets(self._eye.shown, self.spacing, arrangement)
        ghosts = arrangement == GHOSTS and self._eye.shown > 1
        self.drawn.show_only_selected = ghosts
        if ghosts and not self._ghosts:
            self._ghosts = _ghosts(self._server, self.mj, self._eye.shown)
        for handle, _ in self._ghosts:
            handle.visible = ghosts
        for handle in self._copies:
            handle.visible = not ghosts
            handle.batched_positions = self.offsets[1:].astype(np.float32)

    def draw(self, world: int) -> None:
        """What the eye sees; contacts, forces and inertias are those of one world."""
        eye, at = self._eye, self.offsets[:, None]
        drawn = self.drawn
        drawn.env_idx = world
        mocap: dict[str, Any] = {}
        if self.mj.nmocap:
            mocap["mocap_pos"] = eye.state("mocap_pos") + at
            mocap["mocap_quat"] = eye.state("mocap_quat")
        drawn.mj_data.xfrc_applied[:] = eye.state("xfrc_applied")[world]
        if self.mj.na:
            drawn.mj_data.act[:] = eye.state("act")[world]
        self._decor.position = self.offsets[world]
        drawn.update_from_arrays(
            eye.xpos + at, eye.xmat, qpos=eye.state("qpos"), qvel=eye.state("qvel"),
            ctrl=eye.state("ctrl"), **mocap,
        )  # fmt: skip
        if self.arrangement == GHOSTS:
            self._draw_ghosts(world)

    def _draw_ghosts(self, world: int) -> None:
        others = np.arange(self._eye.shown) != world
        shift = self.shift
        quats = self._eye.batch.bind("xquat")[: self._eye.shown]
        for handle, body in self._ghosts:
            handle.batched_positions = (self._eye.xpos[others, body] + shift).astype(np.float32)
            handle.batched_wxyzs = quats[others, body].astype(np.float32)

    def pick(self, ids: np.ndarray, instance: int | None) -> tuple[int, int]:
        """(world, body) of an instance of a mesh that bodies `ids` share."""
        k = instance or 0
        if self.drawn.show_only_selected:
            return self.drawn.env_idx, int(ids[k % len(ids)])
        return min(k // len(ids), self._eye.shown - 1), int(ids[k % len(ids)])

    def on_click(self, callback: Callable[[int, int], None]) -> None:
        """Call it with world and body."""
        for handle, ids in self._meshes():

            def clicked(event: Any, ids: np.ndarray = ids) -> None:
                callback(*self.pick(ids, event.instance_index))

            handle.on_click(clicked)

    def on_drag(self, callback: Callable[[str, int, int, Any, Any], None]) -> None:
        """Call it with phase (start, update, end), world, body, and where the mouse took hold of
        the body and where it is now, in the picture (3,) [m]."""
        for handle, ids in self._meshes():

            async def dragged(event: Any, ids: np.ndarray = ids) -> None:  # async: in order
                world, body = self.pick(ids, event.instance_index)
                start, end = np.array(event.start_position), np.array(event.end_position)
                callback(event.phase, world, body, start, end)

            handle.on_drag("left")(dragged)

    def _meshes(self) -> list[tuple[Any, np.ndarray]]:
        """Meshes of moving bodies, with the bodies of each: mjviser has no other way to ask."""
        return [(group.handle, group.body_ids) for group in self.drawn._mesh_groups]


def _solid(mj: Any, fixed: bool) -> dict[int, list[int]]:
    """Geoms that are drawn as meshes, by body."""
    found: dict[int, list[int]] = defaultdict(list)
    for g in range(mj.ngeom):
        body = int(mj.geom_bodyid[g])
        shown = mj.geom_group[g] < HIDDEN_GROUPS and mj.geom_rgba[g, 3] > 0.0
        if shown and mj.geom_type[g] != GEOM_PLANE and is_fixed_body(mj, body) == fixed:
            found[body].append(g)
    return found


def _box(mj: Any, eye: Eye, solid: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Around some geoms of the first world."""
    if not solid:
        half = np.full(3, 0.5 * mj.stat.extent)
        return mj.stat.center - half, mj.stat.center + half
    at = eye.batch.bind("geom_xpos")[0][solid]
    R = eye.batch.bind("geom_xmat")[0][solid].reshape(-1, 3, 3)
    middle = at + np.einsum("gij,gj->gi", R, mj.geom_aabb[solid, :3])
    half = np.einsum("gij,gj->gi", np.abs(R), mj.geom_aabb[solid, 3:])
    return (middle - half).min(axis=0), (middle + half).max(axis=0)


def _boxes(mj: Any, eye: Eye) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Around everything of a world that is no plane; and around what is worth looking at: what
    moves, with some of what is around it."""
    moving = [g for some in _solid(mj, fixed=False).values() for g in some]
    fixed = [g for some in _solid(mj, fixed=True).values() for g in some]
    low, high = _box(mj, eye, moving + fixed)
    if not moving or not fixed:
        return (low, high), (low, high)
    first, last = _box(mj, eye, moving)
    room = 0.5 * float((last - first).max())
    return (low, high), (np.maximum(low, first - room), np.minimum(high, last + room))


def _copies(server: Any, mj: Any, data: Any, n: int) -> list[Any]:
    """What stands still, for all worlds but the first, which mjviser draws."""
    if n == 1:
        return []
    made = []
    still = np.tile([1.0, 0.0, 0.0, 0.0], (n - 1, 1)).astype(np.float32)
    for body, geoms in _solid(mj, fixed=True).items():
        for k, some in enumerate(group_geoms_by_visual_compat(mj, geoms)):
            mesh = merge_geoms(mj, some)
            pose = np.eye(4)
            pose[:3, :3], pose[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
            mesh.apply_transform(pose)
            made.append(server.scene.add_batched_meshes_trimesh(
                f"/fixed_bodies/copies/{body}_{k}", mesh, batched_wxyzs=still,
                batched_positions=np.zeros((n - 1, 3), np.float32), lod="off",
            ))  # fmt: skip
    return made


def _ghosts(server: Any, mj: Any, n: int) -> list[tuple[Any, int]]:
    """(mesh, body): moving bodies of all worlds but one, which the light shines through."""
    made = []
    still = np.tile([1.0, 0.0, 0.0, 0.0], (n - 1, 1)).astype(np.float32)
    for body, geoms in _solid(mj, fixed=False).items():
        mesh = merge_geoms(mj, geoms)
        handle = server.scene.add_batched_meshes_simple(
            f"/ghosts/{body}", np.asarray(mesh.vertices, np.float32),
            np.asarray(mesh.faces, np.uint32), batched_wxyzs=still,
            batched_positions=np.zeros((n - 1, 3), np.float32), batched_colors=GHOST_COLOUR,
            opacity=GHOST_OPACITY, lod="off", cast_shadow=False, receive_shadow=False,
        )  # fmt: skip
        made.append((handle, body))
    return made
