"""Shapes, from the parameters, axes and local frames of one system to those of another.

A shape is a kind, parameters under the names that its system gives them (shape_names.py), and the
frame of the shape in the frame of its body. Every conversion goes by one reference: half extents,
radius and half length, the axis or a plane's normal along +z, the middle at the origin, the apex of
a cone on +z. Where a system has another axis, the frame is turned by the quarter turn between the
two, so that the same points of space are inside. What a system cannot have is refused.

Lengths stay in the unit that they are in. Frames are those of the link, also for PyBullet, whose
poses of bodies are not.

A plane is infinite. The sizes that MuJoCo and USD give it are for drawing, and go along where the
other system draws too. Newton's are real: one of its planes that ends is refused elsewhere.

A mesh collides by its triangles in some systems and by its convex hull in others; if it is not
convex, that is another shape, and refused. A mesh of USD says for itself which of the two it is
(approximation). MuJoCo moves the vertices of a mesh when it compiles: take vertices and frame both
from the file, or both from the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ConventionError, did_you_mean
from .arrays import Components, as_array, check_finite, check_last, check_unit, choice
from .meshes import centre_of_mass, checked_triangles, is_convex
from .shape_names import KINDS, NAMES, Line, Parameter, line, other_line
from .spatial import add, conjugate, multiply, rotate
from .systems import System, system

AXES = ("x", "y", "z")
LONG = ("capsule", "cylinder", "cone")
HALF = 0.5**0.5
# q_LG: the frame G with the axis along z, in the frame L with the axis along x, y or z
TURNED = {"x": (HALF, 0.0, HALF, 0.0), "y": (HALF, -HALF, 0.0, 0.0), "z": (1.0, 0.0, 0.0, 0.0)}
# along which of its own axes the width and the length of a plane are, by its normal
PLANE_AXES = {"x": (2, 1), "y": (0, 2), "z": (0, 1)}
# physics:approximation of USD, by what collides
APPROXIMATIONS = {"triangles": "none", "hull": "convexHull"}

Letters = dict[str, tuple[float, ...]]


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape of some system.

    kind    box, sphere, capsule, cylinder, cone, ellipsoid, plane or mesh
    params  its sizes, under the names of the system: {"radius": 0.1, "half_height": 0.3}
    pos     p_BG, of the shape's frame G in the frame B of its body
    quat    q_BG, in the order of the system's arrays; None is no rotation
    """

    kind: str
    params: Mapping[str, Any] = field(default_factory=dict)
    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quat: tuple[float, float, float, float] | None = None

    def __post_init__(self) -> None:
        choice(self.kind, KINDS, "kind of a shape")


def convert_shape(shape: Shape, source: str | System, target: str | System) -> Shape:
    """The same shape at the same place, in the parameters and the local frame of another system."""
    return from_reference(to_reference(shape, system(source)), system(target))


def shape_com(shape: Shape, of: str | System) -> np.ndarray:
    """p_BGcm: the centre of mass of a shape of even density, in the frame of its body.

    A cone has it at a quarter of its height above the base. A mesh has to be closed.
    """
    solid = to_reference(shape, system(of))
    if solid.kind == "plane":
        raise ConventionError("a plane has no centre of mass: it is infinite")
    p_Gcm: Components = (0.0, 0.0, 0.0)
    if solid.kind == "cone":
        p_Gcm = (0.0, 0.0, -solid.size[1] / 2)
    elif solid.kind == "mesh":
        if solid.triangles is None:
            raise ConventionError("the centre of mass of a mesh needs its triangles")
        p_Gcm = tuple(centre_of_mass(solid.points, solid.triangles))
    return np.array(add(solid.p, rotate(solid.q, p_Gcm)))


@dataclass(frozen=True)
class Solid:
    """A shape in the reference.

    size is half extents or semi-axes; (radius,); (radius, half length); or of a plane half width,
    half length and spacing of lines, 0 where it is drawn without end.
    """

    kind: str
    size: tuple[float, ...]
    p: Components
    q: Components
    ends: bool = False  # of a plane
    points: Any = None  # of a mesh, with its triangles, and whether they or the hull collide
    triangles: Any = None
    collides: str = ""


# ---- to the reference


def to_reference(shape: Shape, row: System) -> Solid:
    if not isinstance(shape, Shape):
        raise ConventionError(f"a shape must be a Shape, as in Shape('box', ...); got {shape!r}")
    kind, params = shape.kind, dict(shape.params)
    names = _line(kind, row)
    other = other_line(row.name, kind)
    if other is not None and other.has_all(params):
        names = other
    p, q = _frame(shape, row)
    _check_known(kind, params, names, row)
    axis = _axis(kind, params, names, row)
    scale = _scale(params)
    if kind == "mesh":
        return _mesh_to_reference(params, p, q, names, row, scale)
    n = _numbers(kind, params, names, row)
    if kind == "plane":
        return _plane_to_reference(n, p, q, axis, scale)
    if "F" in n:
        return _between(kind, n["r"][0], n["F"], shape, row)
    # of other forms the names tell, of its own the row
    factor = 1.0 if names is other and names.halves else _factor(kind, row)
    if kind in LONG:
        return Solid(kind, _long_size(kind, n, axis, scale, factor), p, _turned(q, axis))
    if kind == "sphere":
        size = tuple(n["r"][0] * s for s in scale)
        if len(set(scale)) == 1:
            return Solid(kind, size[:1], p, q)
        return Solid("ellipsoid", size, p, q)
    extents = n["e"] * 3 if "e" in n else n["x"] + n["y"] + n["z"]
    return Solid(kind, tuple(x * s / factor for x, s in zip(extents, scale)), p, q)


def _long_size(
    kind: str, n: Letters, axis: str, scale: tuple[float, ...], factor: float
) -> tuple[float, ...]:
    along = scale[AXES.index(axis)]
    across, other = (s for a, s in zip(AXES, scale) if a != axis)
    if across != other or (kind == "capsule" and across != along):
        wanted = "along all axes" if kind == "capsule" else f"across its axis, {axis}"
        raise ConventionError(
            f"with scale {scale} this is no {kind} any more: the scale must be the same {wanted}."
            " A mesh of it would do"
        )
    return (n["r"][0] * across, n["l"][0] * along / factor)


def _between(kind: str, radius: float, ends: tuple[float, ...], shape: Shape, row: System) -> Solid:
    """A shape of MuJoCo's by its ends in the frame of the body, which leave its own frame no say.

    As MuJoCo has it, z goes from the second end to the first, by the least turn.
    """
    if tuple(shape.pos) != (0.0, 0.0, 0.0) or shape.quat is not None:
        raise ConventionError(f"a {kind} with fromto has its place by that: leave out pos and quat")
    a, b = np.array(ends[:3]), np.array(ends[3:])
    length = float(np.linalg.norm(a - b))
    if length < 1e-14:
        raise ConventionError(f"the ends of fromto must be apart; got {ends}")
    size = (radius, length / 2.0) if kind in LONG else (radius, radius, length / 2.0)
    return Solid(kind, size, _floats((a + b) / 2.0), _least_turn(_floats((a - b) / length)))


def _plane_to_reference(
    n: Letters, p: Components, q: Components, axis: str, scale: tuple[float, ...]
) -> Solid:
    zero = (0.0,)
    u = n.get("u", zero)[0] + (n.get("w", zero)[0] + n.get("W", zero)[0]) / 2
    v = n.get("v", zero)[0] + (n.get("h", zero)[0] + n.get("H", zero)[0]) / 2
    spacing = n.get("g", zero)[0]
    if min(u, v, spacing) < 0.0:
        raise ConventionError("sizes of a plane must not be negative; 0 is infinite")
    if "n" in n:
        length = float(np.linalg.norm(n["n"]))
        if abs(length - 1.0) > 1e-6:
            raise ConventionError(
                f"the normal of a plane must have length 1; got {n['n']}, of length {length:.6g}"
            )
        offset = n.get("d", zero)[0] - n.get("c", zero)[0]
        p = add(p, rotate(q, tuple(offset * x for x in n["n"])))
        q = multiply(q, _least_turn(n["n"]))
    else:
        q = _turned(q, axis)
    i, j = PLANE_AXES[axis]
    return Solid("plane", (u * scale[i], v * scale[j], spacing), p, q, ends="W" in n and u + v > 0)


def _least_turn(normal: tuple[float, ...]) -> Components:
    """The least rotation that takes z to a normal; to -z, the half turn about x."""
    x, y, z = normal
    if z < -1.0 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    q = np.array([1.0 + z, -y, x, 0.0])
    return _floats(q / np.linalg.norm(q))


def _mesh_to_reference(
    params: dict[str, Any], p: Components, q: Components, names: Line, row: System,
    scale: tuple[float, ...],
) -> Solid:  # fmt: skip
    vertices, faces = names.parameters
    if vertices.name not in params:
        raise ConventionError(f"a mesh of {row.name} needs {vertices.name}; got {list(params)}")
    points = as_array(params[vertices.name], vertices.name)
    if points.ndim == 1 and len(points) % 3 == 0:
        points = points.reshape(-1, 3)
    check_last(points, 3, vertices.name)
    check_finite(points, vertices.name)
    if (np.asarray(params.get("faceVertexCounts", 3)) != 3).any():
        raise ConventionError("faces must be triangles: triangulate the mesh first")
    collides = row.mesh
    if "approximation" in params:
        words = {word: what for what, word in APPROXIMATIONS.items()}
        collides = words[choice(params["approximation"], tuple(words), "approximation")]
    triangles = params.get(faces.name)
    if triangles is not None:
        triangles = checked_triangles(triangles, len(points), faces.name)
    elif collides == "triangles":
        raise ConventionError(f"a mesh of {row.name} that collides as it is needs {faces.name}")
    return Solid("mesh", (), p, q, points=points * scale, triangles=triangles, collides=collides)


# ---- from the reference


def from_reference(solid: Solid, row: System) -> Shape:
    kind, size, q = solid.kind, solid.size, solid.q
    if kind == "ellipsoid" and _is_scaled_sphere(row):
        return _shape("sphere", {"radius": 1.0, "scale": size}, solid.p, q, row)
    names = _line(kind, row)
    if kind == "mesh":
        return _mesh_from_reference(solid, names, row)
    axis = row.plane_normal if kind == "plane" else row.shape_axis
    full = tuple(_factor(kind, row) * s for s in size)
    if kind == "plane":
        numbers = _plane_numbers(solid, axis, names, row)
    elif kind in LONG:
        numbers = {"r": size[:1], "l": full[1:]}
    else:
        numbers = {"r": size[:1], "e": (1.0,)} | {a: (s,) for a, s in zip(AXES, full)}
    params: dict[str, Any] = {}
    for parameter in names.parameters:
        value = tuple(float(x) for letter in parameter.letters for x in numbers[letter])
        if any(value) or not parameter.optional:
            single = len(value) == 1 and not parameter.array
            params[parameter.name] = value[0] if single else value
    if any(parameter.letters == "e" for parameter in names.parameters):
        params["scale"] = full
    if kind in LONG or kind == "plane":
        q = q if axis == "z" else multiply(q, conjugate(TURNED[axis]))
        if "axis" in names.attributes:
            params["axis"] = axis.upper()
    return _shape(kind, params, solid.p, q, row)


def _plane_numbers(solid: Solid, axis: str, names: Line, row: System) -> Letters:
    real = any("W" in parameter.letters for parameter in names.parameters)
    if solid.ends and not real:
        raise ConventionError(
            f"this plane ends, and planes of {row.name} do not: make it a thin box, or infinite,"
            " with width=0 and length=0"
        )
    u, v, spacing = solid.size
    W, H = (2 * u, 2 * v) if solid.ends else (0.0, 0.0)
    return {
        "u": (u,), "v": (v,), "w": (2 * u,), "h": (2 * v,), "W": (W,), "H": (H,),
        "g": (spacing or 1.0,),  # MuJoCo wants one, and only draws it
        "n": tuple(float(a == axis) for a in AXES), "d": (0.0,), "c": (0.0,),
    }  # fmt: skip


def _mesh_from_reference(solid: Solid, names: Line, row: System) -> Shape:
    vertices, faces = names.parameters
    params: dict[str, Any] = {vertices.name: solid.points}
    triangles = solid.triangles
    if "approximation" in names.attributes:
        params["approximation"] = APPROXIMATIONS[solid.collides]
    elif triangles is None and row.mesh == "triangles":
        raise ConventionError(f"a mesh of {row.name} needs triangles; this one has points only")
    elif row.mesh != solid.collides and not is_convex(solid.points, triangles):
        of = {"hull": "its convex hull", "triangles": "its own triangles"}
        raise ConventionError(
            f"this mesh is not convex, or not closed. It collides by {of[solid.collides]} where it"
            f" is from, and {row.name} would take {of[row.mesh]}: convert its hull, or pieces of it"
            " that are convex"
        )
    if triangles is not None:
        params[faces.name] = triangles.reshape(-1) if faces.letters == "f" else triangles
        if "faceVertexCounts" in names.attributes:
            params["faceVertexCounts"] = np.full(len(triangles), 3)
    return _shape("mesh", params, solid.p, solid.q, row)


# ---- frames


def _frame(shape: Shape, row: System) -> tuple[Components, Components]:
    """(p_BG, q_BG), active and (w, x, y, z)"""
    p = as_array(shape.pos, "pos")
    check_last(p, 3, "pos")
    check_finite(p, "pos")
    if shape.quat is None:
        return _floats(p), TURNED["z"]
    q = as_array(shape.quat, "quat")
    check_last(q, 4, "quat", row.quaternion)
    check_unit(q, "quat")
    q = _floats(q if row.quaternion == "wxyz" else q[[3, 0, 1, 2]])
    return _floats(p), conjugate(q) if row.rotation == "passive" else q


def _shape(kind: str, params: dict[str, Any], p: Components, q: Components, row: System) -> Shape:
    q = conjugate(q) if row.rotation == "passive" else q
    q = q if row.quaternion == "wxyz" else (*q[1:], q[0])
    return Shape(kind, params, _floats(p), _floats(q))


def _turned(q: Components, axis: str) -> Components:
    return q if axis == "z" else multiply(q, TURNED[axis])


def _floats(x: Any) -> Any:
    return tuple(float(v) for v in x)


# ---- parameters


def _rule(kind: str, row: System) -> str:
    """What the row says of a kind; it has spheres where it has boxes."""
    return getattr(row, {"sphere": "box", "plane": "plane_normal"}.get(kind, kind))


def _factor(kind: str, row: System) -> float:
    """Its extents and lengths in halves."""
    return 2.0 if kind != "sphere" and _rule(kind, row).startswith("full") else 1.0


def _is_scaled_sphere(row: System) -> bool:
    sphere = line(row.name, "sphere")
    return row.ellipsoid == "none" and sphere is not None and "scale" in sphere.attributes


def _line(kind: str, row: System) -> Line:
    """The names of its parameters; refuses kinds that the system has not."""
    names = line(row.name, kind)
    if _rule(kind, row) != "none" and names is not None:
        return names
    has = [k for k in KINDS if _rule(k, row) != "none" and line(row.name, k) is not None]
    if not has:
        raise ConventionError(f"{row.name} has no shapes; systems that have: {', '.join(NAMES)}")
    advice = "a mesh of it would do"
    if kind == "cone" and "mesh" in has:
        advice += ", which cone_as_mesh makes"
    if kind == "plane":
        advice = "a box would do, wide and thin" if "box" in has else "it has nothing like it"
    elif kind == "ellipsoid" and _is_scaled_sphere(row):
        advice = "a sphere with a scale is one"
    raise ConventionError(f"{row.name} has no {kind}: {advice}. It has {', '.join(has)}")


def _check_known(kind: str, params: Mapping[str, Any], names: Line, row: System) -> None:
    other = other_line(row.name, kind)
    also = [] if other is None else other.known
    for name in params:
        if name not in names.known:
            instead = f", or {', '.join(also)}" if also else ""
            near = did_you_mean(name, [*names.known, *also])
            raise ConventionError(
                f"a {kind} of {row.name} has no {name!r}{near};"
                f" it has {', '.join(names.known) or 'no parameters'}{instead}"
            )


def _axis(kind: str, params: Mapping[str, Any], names: Line, row: System) -> str:
    """The axis of a shape, or the normal of a plane: its own attribute, or else the row's."""
    own = row.plane_normal if kind == "plane" else row.shape_axis
    if "axis" not in names.attributes or "axis" not in params:
        return own
    return choice(str(params["axis"]).lower(), AXES, f"axis of a {kind}")


def _scale(params: Mapping[str, Any]) -> tuple[float, ...]:
    """The scale of a USD prim, along each of its own axes."""
    scale = as_array(params.get("scale", (1.0, 1.0, 1.0)), "scale")
    check_last(scale, 3, "scale")
    check_finite(scale, "scale")
    if not (scale > 0.0).all():
        raise ConventionError(f"scale must be positive (a negative one mirrors); got {scale}")
    return _floats(scale)


def _numbers(kind: str, params: Mapping[str, Any], names: Line, row: System) -> Letters:
    """The numbers of a shape, by the letters of shape_names."""
    found: Letters = {}
    for parameter in names.parameters:
        if parameter.name in params:
            found |= _split(params[parameter.name], kind, parameter, row)
        elif not parameter.optional:
            raise ConventionError(f"a {kind} of {row.name} needs {parameter.name}; got {params}")
    return found


def _split(value: Any, kind: str, parameter: Parameter, row: System) -> Letters:
    numbers = as_array(value, parameter.name).reshape(-1)
    needed = sum(parameter.widths)
    padded = row.name == "mujoco" and len(numbers) == 3  # as in geom_size
    if len(numbers) != needed and not padded:
        raise ConventionError(
            f"{parameter.name} of a {kind} of {row.name} must be {needed} numbers; got {value!r}"
        )
    check_finite(numbers, parameter.name)
    if kind != "plane" and parameter.letters != "F" and not (numbers[:needed] > 0.0).all():
        raise ConventionError(f"{parameter.name} of a {kind} must be positive; got {value!r}")
    ends = np.cumsum(parameter.widths)
    return {
        letter: _floats(numbers[end - width : end])
        for letter, width, end in zip(parameter.letters, parameter.widths, ends)
    }
