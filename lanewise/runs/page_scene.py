"""What a page draws: the geoms of a model with their shapes, colours and textures."""

import base64
from typing import Any

import mujoco
import numpy as np

_SHAPES = {
    mujoco.mjtGeom.mjGEOM_PLANE: "plane",
    mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "sphere",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_BOX: "box",
}
_GREY = np.array([0.5, 0.5, 0.5, 1], np.float32)  # MuJoCo's, of a geom that nobody gave a colour
_FLOOR, _FIXED = (0.82, 0.83, 0.84, 1), (0.66, 0.68, 0.7, 1)  # ours instead of it
_MECHANISM, _THING = (0.24, 0.47, 0.7, 1), (0.88, 0.52, 0.22, 1)  # what has joints; what is loose
_GROUPS = 3  # groups of geoms that MuJoCo shows if nobody asks for others
_LARGEST = 512  # pixels of a texture
_CHECKER = np.kron([[1, 0], [0, 1]], np.ones((32, 32)))[..., None]


class Scene:
    """Geoms, meshes and images of an MjModel, as JSON and bytes.

    `worlds` lie on a grid of `columns` with `spacing` between them [m].
    """

    def __init__(self, mj: mujoco.MjModel):
        self.mj = mj
        self.meshes: list[dict[str, Any]] = []
        self.images: list[dict[str, Any]] = []
        self.raw = bytearray()
        self._known: dict[Any, int] = {}
        shown = [g for g in range(mj.ngeom) if self._is_shown(g)]
        self.geoms = [geom for geom in map(self._geom, shown) if geom is not None]

    def _is_shown(self, g: int) -> bool:
        return self.mj.geom_group[g] < _GROUPS and self._color(g)[3] > 0

    def _color(self, g: int) -> np.ndarray:
        mj, material = self.mj, self.mj.geom_matid[g]
        rgba = mj.geom_rgba[g]
        if not np.array_equal(rgba, _GREY):
            return rgba
        if material >= 0:
            return mj.mat_rgba[material]
        if mj.geom_type[g] == mujoco.mjtGeom.mjGEOM_PLANE:
            return np.array(_FLOOR)
        body = mj.geom_bodyid[g]
        if not mj.body_weldid[body]:
            return np.array(_FIXED)
        tree = mj.body_rootid == mj.body_rootid[body]
        return np.array(
            _THING if mj.body_dofnum[tree].sum() == 6 == mj.body_dofnum[tree].max() else _MECHANISM
        )

    def _geom(self, g: int) -> dict[str, Any] | None:
        mj, kind = self.mj, int(self.mj.geom_type[g])
        size = mj.geom_size[g].tolist()
        out: dict[str, Any] = {
            "body": int(mj.geom_bodyid[g]), "pos": _short(mj.geom_pos[g]),
            "quat": _short(mj.geom_quat[g]), "scale": [1.0, 1.0, 1.0],
            "color": _linear(self._color(g)),
            "shine": round(float(self._material(g, "specular", 0.5)), 3),
        }  # fmt: skip
        if kind in _SHAPES:
            out["shape"] = _SHAPES[kind]
            out["scale"] = {
                "plane": [size[0], size[1], 1.0], "sphere": size, "box": size,
                "capsule": [size[0]] * 3, "cylinder": [size[0], size[0], size[1]],
            }[out["shape"]]  # fmt: skip
            if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
                out["scale"] = [size[0]] * 3
            if out["shape"] == "capsule":
                out["half"] = size[1]
            out["once"] = out["shape"] == "plane" and out["body"] == 0
        elif kind in (mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_SDF):
            out["shape"] = self._once(("mesh", int(mj.geom_dataid[g])), self._mesh)
        elif kind == mujoco.mjtGeom.mjGEOM_HFIELD:
            out["shape"] = self._once(("hfield", int(mj.geom_dataid[g])), self._hfield)
        else:
            return None
        self._paint(g, out)
        return out

    def _material(self, g: int, name: str, otherwise: Any) -> Any:
        material = self.mj.geom_matid[g]
        return otherwise if material < 0 else getattr(self.mj, f"mat_{name}")[material]

    # ------------------------------------------------------------------------------------- textures

    def _paint(self, g: int, out: dict[str, Any]) -> None:
        """A geom's texture: as an image where it has coordinates for one, else its mean colour."""
        mj = self.mj
        roles = self._material(g, "texid", np.full(2, -1))
        texture = int(next((t for t in roles if t >= 0), -1))
        is_plane = out["shape"] == "plane"
        has_uv = isinstance(out["shape"], int) and self.meshes[out["shape"]]["uv"] is not None
        if texture < 0:
            if is_plane:
                out["image"] = self._once("checker", self._checker, self.images)
                out["repeat"] = [0.5, 0.5]
            return
        flat = mj.tex_type[texture] == mujoco.mjtTexture.mjTEXTURE_2D
        if flat and (is_plane or has_uv):
            out["image"] = self._once(("texture", texture), self._image, self.images)
            if is_plane:
                out["repeat"] = self._repeat(g, out["scale"])
        else:
            mean = self._pixels(texture).reshape(-1, 3).mean(axis=0) / 255
            out["color"][:3] = _short(np.array(out["color"][:3]) * mean**2.2)

    def _repeat(self, g: int, size: list[float]) -> list[float]:
        """How often a texture is repeated in a metre of a plane."""
        repeat = np.array(self._material(g, "texrepeat", np.ones(2)), float)
        uniform = bool(self._material(g, "texuniform", False))
        wide = np.array([1.0 if uniform or s <= 0 else 2 * s for s in size[:2]])
        return _short(repeat / wide)

    def _pixels(self, texture: int) -> np.ndarray:
        """(height, width, 3) of a texture."""
        mj = self.mj
        shape = [int(x[texture]) for x in (mj.tex_height, mj.tex_width, mj.tex_nchannel)]
        start = int(mj.tex_adr[texture])
        pixels = mj.tex_data[start : start + int(np.prod(shape))].reshape(shape)
        return np.repeat(pixels, 3, axis=2) if shape[2] < 3 else pixels[..., :3]

    def _image(self, texture: int) -> dict[str, Any]:
        pixels = self._pixels(texture)
        stride = -(-max(pixels.shape[:2]) // _LARGEST)
        return _as_image(pixels[::stride, ::stride])

    def _checker(self, _: Any = None) -> dict[str, Any]:
        return _as_image((235 + 20 * _CHECKER).astype(np.uint8).repeat(3, axis=2))

    # --------------------------------------------------------------------------------------- meshes

    def _once(self, key: Any, make: Any, into: list | None = None) -> int:
        """The number of a mesh or an image, which is made when it is first asked for."""
        if key not in self._known:
            made = make(key[1] if isinstance(key, tuple) else None)
            found = self.meshes if into is None else into
            self._known[key] = len(found)
            found.append(made)
        return self._known[key]

    def _mesh(self, mesh: int) -> dict[str, Any]:
        mj = self.mj
        faces = slice(mj.mesh_faceadr[mesh], mj.mesh_faceadr[mesh] + mj.mesh_facenum[mesh])
        corners = mj.mesh_vert[mj.mesh_vertadr[mesh] :][mj.mesh_face[faces].ravel()]
        normals = mj.mesh_normal[mj.mesh_normaladr[mesh] :][mj.mesh_facenormal[faces].ravel()]
        parts, uv = [corners, normals], None
        if mj.mesh_texcoordadr[mesh] >= 0:
            of_mesh = mj.mesh_texcoord[mj.mesh_texcoordadr[mesh] :]
            uv = of_mesh[mj.mesh_facetexcoord[faces].ravel()]
            parts.append(uv)
        rows, index = np.unique(np.concatenate(parts, axis=1), axis=0, return_inverse=True)
        return self._packed(
            rows[:, :3], rows[:, 3:6], rows[:, 6:] if uv is not None else None, index
        )

    def _hfield(self, field: int) -> dict[str, Any]:
        mj = self.mj
        nrow, ncol = int(mj.hfield_nrow[field]), int(mj.hfield_ncol[field])
        start = int(mj.hfield_adr[field])
        size = mj.hfield_size[field]
        z = mj.hfield_data[start : start + nrow * ncol].reshape(nrow, ncol) * size[2]
        y, x = np.meshgrid(
            np.linspace(-size[1], size[1], nrow),
            np.linspace(-size[0], size[0], ncol),
            indexing="ij",
        )
        slopes = np.gradient(z, 2 * size[1] / (nrow - 1), 2 * size[0] / (ncol - 1))
        normal = np.stack([-slopes[1], -slopes[0], np.ones_like(z)], axis=-1).reshape(-1, 3)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        corner = np.arange((nrow - 1) * ncol).reshape(nrow - 1, ncol)[:, :-1].ravel()
        square = corner[:, None] + [0, 1, ncol, 1, ncol + 1, ncol]
        place = np.stack([x, y, z], axis=-1).reshape(-1, 3)
        return self._packed(place, normal, None, square.ravel())

    def _packed(self, position: Any, normal: Any, uv: Any, index: Any) -> dict[str, Any]:
        """Where the numbers of a mesh are among the bytes: (first byte, count)."""

        def put(values: Any, dtype: str) -> list[int] | None:
            if values is None:
                return None
            flat = np.ascontiguousarray(values, dtype).ravel()
            place = [len(self.raw), int(flat.size)]
            self.raw.extend(flat.tobytes())
            return place

        return {
            "position": put(position, "<f4"), "normal": put(normal, "<f4"), "uv": put(uv, "<f4"),
            "index": put(index, "<u4"),
        }  # fmt: skip

    # --------------------------------------------------------------------------------------- layout

    def extent(self, xpos: np.ndarray, xmat: np.ndarray) -> tuple[np.ndarray, float]:
        """Centre (3,) and radius [m] of what there is in one pose, but for planes and terrains."""
        mj = self.mj
        large = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
        near = [g for g in range(mj.ngeom) if mj.geom_type[g] not in large and self._is_shown(g)]
        if not near:
            return np.zeros(3), 1.0
        bodies = mj.geom_bodyid[near]
        places = xpos[bodies] + np.einsum("gij,gj->gi", xmat[bodies], mj.geom_pos[near])
        radii = mj.geom_rbound[near][:, None]
        low, high = (places - radii).min(axis=0), (places + radii).max(axis=0)
        return (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2, 1e-3)

    def terrain(self) -> float:
        """Half the width of the largest terrain [m], or 0."""
        mj = self.mj
        fields = mj.geom_dataid[mj.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD]
        return float(mj.hfield_size[fields, :2].max()) if len(fields) else 0.0


def _short(values: Any) -> list[float]:
    return [float(f"{x:.6g}") for x in np.asarray(values, float).ravel()]


def _linear(rgba: Any) -> list[float]:
    """A colour as light: what is shown is its power of 1 / 2.2."""
    rgba = np.asarray(rgba, float)
    return [*_short(np.clip(rgba[:3], 0, 1) ** 2.2), float(rgba[3])]


def _as_image(pixels: np.ndarray) -> dict[str, Any]:
    height, width = pixels.shape[:2]
    data = base64.b64encode(np.ascontiguousarray(pixels, np.uint8).tobytes()).decode()
    return {"width": width, "height": height, "data": data}
