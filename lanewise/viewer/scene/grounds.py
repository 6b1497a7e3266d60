"""Planes: a grid that fades into the distance, or the texture that the model has for it."""

from typing import Any

import numpy as np
import trimesh
from mjviser.conversions import get_body_name
from PIL import Image

from ...mjconst import GEOM_PLANE

FAR = 60.0  # sizes of a world to the end of the ground
LIGHT, DARK = (246, 248, 251), (24, 26, 30)
LINES = {False: ((222, 227, 234), (196, 204, 214)), True: ((44, 48, 55), (64, 70, 80))}


class Grounds:
    """All planes of a model, instead of those that mjviser draws. `size` [m] is that of a world."""

    def __init__(self, server: Any, mj: Any, data: Any, size: float):
        self._server, self._size = server, size
        self._grids = []
        for g in range(mj.ngeom):
            body = int(mj.geom_bodyid[g])
            if mj.geom_type[g] != GEOM_PLANE or mj.body_weldid[body] or mj.body_mocapid[body] >= 0:
                continue
            name = mj.geom(g).name or None
            server.scene.remove_by_name(f"/fixed_bodies/{get_body_name(mj, body)}/{name}")
            pose = _pose(mj, data, g)
            place = f"/fixed_bodies/planes/{g}"
            image = _texture(mj, g)
            if image is not None:
                server.scene.add_mesh_trimesh(place, _quad(mj, g, image, FAR * size), **pose,
                                              cast_shadow=False, receive_shadow=0.3)  # fmt: skip
            else:
                self._grids.append(self._grid(place, pose))
        self.theme(dark=False)

    def _grid(self, place: str, pose: dict[str, np.ndarray]) -> Any:
        cell = _round(0.4 * self._size)
        return self._server.scene.add_grid(
            place, infinite_grid=True, cell_size=cell, section_size=5.0 * cell,
            cell_thickness=0.8, section_thickness=1.1, fade_distance=14.0 * self._size,
            fade_strength=1.4, shadow_opacity=0.22, plane_opacity=0.0, **pose,
        )  # fmt: skip

    def theme(self, dark: bool) -> None:
        """Colours for a light or a dark page."""
        cells, sections = LINES[dark]
        for grid in self._grids:
            grid.cell_color, grid.section_color = cells, sections


def _pose(mj: Any, data: Any, g: int) -> dict[str, np.ndarray]:
    body = int(mj.geom_bodyid[g])
    R = data.xmat[body].reshape(3, 3)
    own = trimesh.transformations.quaternion_matrix(mj.geom_quat[g])[:3, :3]
    turn = np.eye(4)
    turn[:3, :3] = R @ own
    return {
        "position": data.xpos[body] + R @ mj.geom_pos[g],
        "wxyz": trimesh.transformations.quaternion_from_matrix(turn),
    }


def _texture(mj: Any, g: int) -> Image.Image | None:
    """The picture on a plane, if its material has one."""
    material = int(mj.geom_matid[g])
    if material < 0:
        return None
    found = [t for t in mj.mat_texid[material] if t >= 0 and mj.tex_type[t] == 0]  # two dimensions
    if not found:
        return None
    t = found[0]
    shape = (mj.tex_height[t], mj.tex_width[t], mj.tex_nchannel[t])
    pixels = mj.tex_data[mj.tex_adr[t] : mj.tex_adr[t] + int(np.prod(shape))].reshape(shape)
    tint = mj.mat_rgba[material][:3]
    pixels = np.flipud(pixels[..., :3] if shape[2] >= 3 else np.repeat(pixels[..., :1], 3, axis=2))
    return Image.fromarray((pixels * tint).astype(np.uint8))


def _quad(mj: Any, g: int, image: Image.Image, far: float) -> trimesh.Trimesh:
    """A rectangle with the texture repeated as MuJoCo does; far out, if it has no end."""
    half = np.array([s if s > 0.0 else far for s in mj.geom_size[g, :2]])
    material = int(mj.geom_matid[g])
    repeat = np.array(mj.mat_texrepeat[material])
    # uniform: repetitions for each unit of length; else over the whole plane
    scale = repeat if mj.mat_texuniform[material] else repeat / (2.0 * half)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    vertices = np.column_stack((corners, np.zeros(4)))
    look = trimesh.visual.material.PBRMaterial(
        baseColorTexture=image, metallicFactor=0.0, roughnessFactor=0.9
    )
    visual = trimesh.visual.TextureVisuals(uv=corners * scale, material=look)
    return trimesh.Trimesh(vertices, [[0, 1, 2], [0, 2, 3]], visual=visual, process=False)


def _round(x: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(power * max(k for k in (1.0, 2.0, 5.0) if k * power <= x * (1.0 + 1e-9)))
