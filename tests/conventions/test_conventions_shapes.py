"""Shapes: against engines that were given shapes in their own parameters, and against MuJoCo.

engines/shapes.json has what eight engines said: mass, centre of mass and inertia of shapes in a
crooked frame, rays that hit, boxes that bound; engines/shapes.py asked them.
"""

import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from engines import shapes as engines
from lanewise import conventions as cv
from lanewise.conventions import SYSTEMS, Shape, convert_shape, shape_com
from lanewise.conventions.shape_names import KINDS, NAMES
from lanewise.errors import ConventionError

KNOWN = json.loads(engines.KNOWN.read_text())
TOLERANCE = {"newton": 3e-6, "sapien": 3e-6, "usd": 3e-6, "pybullet": 1e-4}  # single precision
H = 0.5**0.5


def said(engine, what):
    """(engine, shape, what it said), of the shapes of an engine that have it."""
    for row in KNOWN[engine]["shapes"]:
        if what in row:
            shape = Shape(row["kind"], row["params"], tuple(row["pos"]), tuple(row["quat"]))
            yield pytest.param(engine, shape, row, id=f"{engine}-{row['kind']}")


def compiled(shape):
    """A model whose only body has one geom, from a shape of MuJoCo."""
    words = {"pos": shape.pos, "quat": shape.quat, **shape.params}
    attributes = " ".join(f'{k}="{" ".join(map(repr, v))}"' for k, v in words.items())
    fixed = "" if shape.kind == "plane" else "<freejoint/>"
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body>{fixed}<geom type="{shape.kind}" {attributes}/></body>'
        "</worldbody></mujoco>"
    )


def rotation(quat_wxyz):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, np.array(quat_wxyz))
    return R.reshape(3, 3)


# ---- engines


@pytest.mark.parametrize(
    ("engine", "shape", "row"), [p for engine in KNOWN for p in said(engine, "mass")]
)
def test_mass_and_inertia(engine, shape, row):
    """As engines have them for their own shape, so MuJoCo for the converted one."""
    tolerance = TOLERANCE.get(engine, 1e-12)
    assert shape_com(shape, engine) == pytest.approx(np.array(row["com"]), abs=tolerance)
    if shape.kind == "cone":
        return
    m = compiled(convert_shape(shape, engine, "mujoco"))
    if engine == "sapien" and shape.kind == "cylinder":
        tolerance = 0.01  # it is a prism with many sides
    assert m.body_mass[1] == pytest.approx(row["mass"], rel=tolerance)
    R = rotation(m.body_iquat[1])
    inertia = R @ np.diag(m.body_inertia[1]) @ R.T
    assert inertia == pytest.approx(np.array(row["inertia"]), abs=tolerance * row["mass"])
    assert m.body_ipos[1] == pytest.approx(np.array(row["com"]), abs=tolerance)


@pytest.mark.parametrize(
    ("engine", "shape", "row"), [p for engine in KNOWN for p in said(engine, "hits")]
)
def test_rays(engine, shape, row):
    """Rays hit the converted shape where they have hit the engine's own."""
    rays = engines.RAYS if shape.kind == "plane" else engines.INWARDS
    m = compiled(convert_shape(shape, engine, "mujoco"))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    geom = np.zeros(1, np.int32)
    for (start, end), hit in zip(rays, row["hits"]):
        way = np.subtract(end, start)
        found = mujoco.mj_ray(m, d, np.array(start), way, None, 1, -1, geom)
        assert found == pytest.approx(hit, abs=TOLERANCE[engine])


def bound(shape):
    """Half extents of the box that bounds a shape of MuJoCo, in the axes of its body."""
    R, size = np.abs(rotation(shape.quat)), shape.params["size"]
    if shape.kind in ("box", "ellipsoid"):
        return R @ size if shape.kind == "box" else np.sqrt(R**2 @ np.square(size))
    if shape.kind == "plane":
        return R[:, :2] @ size[:2]
    if shape.kind == "sphere":
        return np.full(3, size[0])
    radius, half = size
    across = radius if shape.kind == "capsule" else radius * np.hypot(R[:, 0], R[:, 1])
    return R[:, 2] * half + across


@pytest.mark.parametrize(
    ("engine", "shape", "row"), [p for engine in KNOWN for p in said(engine, "low")]
)
def test_bounds(engine, shape, row):
    shape = Shape(shape.kind, shape.params)  # the bounds are in the frame of the shape
    if shape.kind == "cone":
        half = convert_shape(shape, "usd", "newton").params["half_height"]
        assert (-half, half) == (row["low"][2], row["high"][2])
        return
    converted = convert_shape(shape, engine, "mujoco")
    assert bound(converted) == pytest.approx(np.array(row["high"]), abs=TOLERANCE["usd"])
    assert -bound(converted) == pytest.approx(np.array(row["low"]), abs=TOLERANCE["usd"])


@pytest.mark.parametrize("engine", engines.LIGHT)
def test_engines_still_say_so(engine):
    found = engines.dump([engine])
    if not found:
        pytest.skip(f"{engine} is not installed")
    for now, known in zip(found[engine]["shapes"], KNOWN[engine]["shapes"], strict=True):
        for what in set(now) - {"kind", "params", "quat", "pos"}:
            assert np.array(now[what]) == pytest.approx(np.array(known[what]), abs=1e-6)


# ---- every system: the same box, sphere, ... under its own names

X, Y, Z = "xyz"
# system -> (order of quaternions, axis of long shapes, normal of planes)
FRAMES = {
    "mujoco": ("wxyz", Z, Z), "newton": ("xyzw", Z, Z), "isaaclab-2": ("wxyz", Z, Z),
    "isaaclab-3": ("xyzw", Z, Z), "isaacsim": ("wxyz", Z, Z), "isaacgym": ("xyzw", Z, Z),
    "physx": ("xyzw", X, X), "sapien": ("wxyz", X, X), "drake": ("wxyz", Z, Z),
    "pinocchio": ("xyzw", Z, Z), "pybullet": ("xyzw", Z, Z), "genesis": ("wxyz", Z, Z),
    "ros": ("xyzw", Z, Z), "usd": ("xyzw", Z, Z),
}  # fmt: skip
HALVES = ((0.1, 0.2, 0.3), (0.1, 0.25))  # of a box; radius and half length
FULL = ((0.2, 0.4, 0.6), (0.1, 0.5))
# kind -> system -> parameters
BOXES = {
    "mujoco": {"size": HALVES[0]},
    "newton": {"hx": 0.1, "hy": 0.2, "hz": 0.3},
    "isaaclab-2": {"size": FULL[0]},
    "isaaclab-3": {"size": FULL[0]},
    "isaacsim": {"size": 1.0, "scale": FULL[0]},
    "isaacgym": {"width": 0.2, "height": 0.4, "depth": 0.6},
    "physx": {"halfExtents": HALVES[0]},
    "sapien": {"half_size": HALVES[0]},
    "drake": {"width": 0.2, "depth": 0.4, "height": 0.6},
    "pinocchio": {"side": FULL[0]},
    "pybullet": {"halfExtents": HALVES[0]},
    "genesis": {"size": FULL[0]},
    "ros": {"dimensions": FULL[0]},
    "usd": {"size": 1.0, "scale": FULL[0]},
}
SPHERES = {name: {"radius": 0.15} for name in BOXES}
SPHERES |= {"mujoco": {"size": (0.15,)}, "ros": {"dimensions": (0.15,)}}
_ROUND = {"radius": 0.1, "height": 0.5}
_ALONG_Z = {**_ROUND, "axis": "Z"}
CYLINDERS = {
    "mujoco": {"size": HALVES[1]},
    "newton": {"radius": 0.1, "half_height": 0.25},
    "isaaclab-2": _ALONG_Z,
    "isaaclab-3": _ALONG_Z,
    "isaacsim": _ALONG_Z,
    "isaacgym": {"radius": 0.1, "length": 0.5},
    "physx": {"radius": 0.1, "halfHeight": 0.25},
    "sapien": {"radius": 0.1, "half_length": 0.25},
    "drake": {"radius": 0.1, "length": 0.5},
    "pinocchio": {"radius": 0.1, "lz": 0.5},
    "pybullet": _ROUND,
    "genesis": _ROUND,
    "ros": {"dimensions": (0.5, 0.1)},
    "usd": _ALONG_Z,
}
CAPSULES = {name: params for name, params in CYLINDERS.items() if name != "ros"}
WITH_CONES = ("newton", "isaaclab-2", "isaaclab-3", "isaacsim", "pinocchio", "ros", "usd")
CONES = {name: CYLINDERS[name] for name in WITH_CONES}
ELLIPSOIDS = {
    "mujoco": {"size": HALVES[0]},
    "newton": {"rx": 0.1, "ry": 0.2, "rz": 0.3},
    "drake": {"a": 0.1, "b": 0.2, "c": 0.3},
    "pinocchio": {"radii": HALVES[0]},
    "genesis": {"size": HALVES[0]},
}
PLANES = {
    "mujoco": {"size": (3.0, 2.0, 0.5)},
    "newton": {"width": 0.0, "length": 0.0},
    "isaaclab-2": {"size": (6.0, 4.0)},
    "isaaclab-3": {"size": (6.0, 4.0)},
    "isaacsim": {"width": 6.0, "length": 4.0, "axis": "Z"},
    "isaacgym": {"normal": (0.0, 0.0, 1.0)},
    "physx": {},
    "sapien": {},
    "drake": {},
    "pinocchio": {"n": (0.0, 0.0, 1.0), "d": 0.0},
    "pybullet": {"planeNormal": (0.0, 0.0, 1.0)},
    "genesis": {"normal": (0.0, 0.0, 1.0)},
    "ros": {"coef": (0.0, 0.0, 1.0, 0.0)},
    "usd": {"width": 6.0, "length": 4.0, "axis": "Z"},
}
COLLIDES = dict.fromkeys(BOXES, "hull")
COLLIDES |= dict.fromkeys(("newton", "pinocchio", "ros", "usd", "smpl"), "triangles")
TABLES = {
    "box": BOXES, "sphere": SPHERES, "capsule": CAPSULES, "cylinder": CYLINDERS, "cone": CONES,
    "ellipsoid": ELLIPSOIDS, "plane": PLANES,
}  # fmt: skip


def ordered(quat_wxyz, name):
    return quat_wxyz if FRAMES[name][0] == "wxyz" else (*quat_wxyz[1:], quat_wxyz[0])


def axis_in_body(shape, name, column):
    """Where the axis of a shape points, from its quaternion."""
    q = shape.quat if FRAMES[name][0] == "wxyz" else (shape.quat[3], *shape.quat[:3])
    return rotation(q)[:, "xyz".index(column)]


def in_crooked_frame(kind, name, params):
    """A shape whose axis or normal is along the z axis of the crooked frame, in any system."""
    q = engines.QUAT_WXYZ
    number = {"plane": 2, "capsule": 1, "cylinder": 1, "cone": 1}.get(kind)
    if number and FRAMES[name][number] == X:
        turned = np.zeros(4)
        mujoco.mju_mulQuat(turned, np.array(q), np.array([H, 0.0, -H, 0.0]))
        q = tuple(turned)
    return Shape(kind, params, engines.POS, ordered(q, name)), number


@pytest.mark.parametrize("kind", TABLES)
def test_every_pair_of_systems(kind):
    table, R = TABLES[kind], rotation(engines.QUAT_WXYZ)
    for source in table:
        shape, number = in_crooked_frame(kind, source, table[source])
        for target in table:
            made = convert_shape(shape, source, target)
            assert made.kind == kind and made.pos == engines.POS
            if kind != "plane":
                assert set(made.params) == set(table[target])
                for name, value in table[target].items():
                    assert made.params[name] == (value if name == "axis" else pytest.approx(value))
            if number:
                for s, name in ((shape, source), (made, target)):
                    axis = axis_in_body(s, name, FRAMES[name][number])
                    assert axis == pytest.approx(R[:, 2], abs=1e-12)
            else:
                assert made.quat == pytest.approx(ordered(engines.QUAT_WXYZ, target))


def test_planes_under_their_names():
    drawn, _ = in_crooked_frame("plane", "mujoco", PLANES["mujoco"])
    for target, params in PLANES.items():
        assert convert_shape(drawn, "mujoco", target).params == params
    endless = {"isaaclab-2": {}, "isaaclab-3": {}, "isaacsim": {"axis": "Z"}, "usd": {"axis": "Z"},
               "mujoco": {"size": (0.0, 0.0, 1.0)}}  # fmt: skip
    for target, params in (PLANES | endless).items():
        assert convert_shape(Shape("plane"), "drake", target).params == params


def test_tables_and_rows_have_the_same_shapes():
    for name, row in SYSTEMS.items():
        assert row.shape_axis == FRAMES.get(name, ("", Z, ""))[1]
        for kind in KINDS:
            rule = {"sphere": "box", "plane": "plane_normal"}.get(kind, kind)
            assert (kind in NAMES.get(name, {})) == (getattr(row, rule) != "none"), (name, kind)
            if kind == "mesh":
                assert row.mesh == COLLIDES.get(name, "none")
            else:
                assert (name in TABLES[kind]) == (kind in NAMES.get(name, {})), (name, kind)


# ---- frames


def test_a_capsule_of_physx_lies_along_x():
    capsule = Shape("capsule", {"radius": 0.1, "halfHeight": 0.25})
    made = convert_shape(capsule, "physx", "mujoco")
    assert made.quat == pytest.approx((H, 0.0, H, 0.0)) and made.pos == (0.0, 0.0, 0.0)
    m = compiled(made)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    geom = np.zeros(1, np.int32)
    for way, reach in (([-1.0, 0, 0], 0.35), ([0, -1.0, 0], 0.1), ([0, 0, -1.0], 0.1)):
        far = mujoco.mj_ray(m, d, -2 * np.array(way), np.array(way), None, 1, -1, geom)
        assert 2.0 - far == pytest.approx(reach)
    back = convert_shape(made, "mujoco", "physx")
    assert back.quat == pytest.approx((0.0, 0.0, 0.0, 1.0)) and back.params == capsule.params


def test_cones_keep_their_apex():
    """In USD along +y: apex up there, centre of mass a quarter of the height above the base."""
    cone = Shape("cone", {"radius": 0.3, "height": 0.8, "axis": "Y"}, (1.0, 2.0, 3.0))
    assert shape_com(cone, "usd") == pytest.approx([1.0, 2.0 - 0.2, 3.0])
    for target in WITH_CONES:
        made = convert_shape(cone, "usd", target)
        assert shape_com(made, target) == pytest.approx([1.0, 1.8, 3.0])
        assert axis_in_body(made, target, Z) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert shape_com(Shape("cone", {"radius": 1.0, "half_height": 2.0}), "newton").tolist() == [
        0.0, 0.0, -1.0]  # fmt: skip


def test_planes_by_normal_and_offset():
    """Of coal: n . p = d; of ROS: a x + b y + c z + d = 0; both in the frame of the shape."""
    n, q = (0.6, 0.0, 0.8), (H, 0.0, 0.0, H)  # a quarter turn about z: x becomes y
    halfspace = Shape("plane", {"n": n, "d": 0.5}, (1.0, 1.0, 1.0), (*q[1:], q[0]))
    made = convert_shape(halfspace, "pinocchio", "mujoco")
    assert rotation(made.quat)[:, 2] == pytest.approx([0.0, 0.6, 0.8])
    assert made.pos == pytest.approx((1.0, 1.0 + 0.3, 1.0 + 0.4))
    coef = Shape("plane", {"coef": (*n, -0.5)}, (1.0, 1.0, 1.0), (*q[1:], q[0]))
    alike = convert_shape(coef, "ros", "mujoco")
    assert alike.pos == pytest.approx(made.pos) and alike.quat == pytest.approx(made.quat)
    down = convert_shape(Shape("plane", {"planeNormal": (0, 0, -1)}), "pybullet", "drake")
    assert down.quat == (0.0, 1.0, 0.0, 0.0) and down.params == {}
    assert convert_shape(Shape("plane"), "pybullet", "drake").quat == (1.0, 0.0, 0.0, 0.0)
    ground = convert_shape(Shape("plane"), "drake", "physx")  # its x is up
    assert rotation((ground.quat[3], *ground.quat[:3]))[:, 0] == pytest.approx([0, 0, 1])


def test_sizes_of_planes():
    ground = Shape("plane", {"width": 6.0, "length": 4.0, "axis": "Y", "scale": (2.0, 9.0, 0.5)})
    made = convert_shape(ground, "usd", "mujoco")
    assert made.params["size"] == (6.0, 1.0, 1.0)  # halves; width along x, length along z
    assert rotation(made.quat)[:, 2] == pytest.approx([0.0, 1.0, 0.0])
    for axis, size in (("X", (3 * 0.5, 2 * 9.0, 1.0)), ("Z", (3 * 2.0, 2 * 9.0, 1.0))):
        made = convert_shape(Shape("plane", {**ground.params, "axis": axis}), "usd", "mujoco")
        assert made.params["size"] == size
    assert convert_shape(Shape("plane"), "drake", "usd").params == {"axis": "Z"}
    ends = Shape("plane", {"width": 6.0, "length": 4.0})
    assert convert_shape(ends, "newton", "newton").params == ends.params
    for target in ("drake", "mujoco", "usd"):
        with pytest.raises(
            ConventionError, match=f"this plane ends, and planes of {target} do not"
        ):
            convert_shape(ends, "newton", target)
    with pytest.raises(ConventionError, match="must not be negative; 0 is infinite"):
        convert_shape(Shape("plane", {"size": (1.0, -1.0, 1.0)}), "mujoco", "usd")
    with pytest.raises(ConventionError, match="length 1; got .*, of length 2"):
        convert_shape(Shape("plane", {"planeNormal": (0, 0, 2)}), "pybullet", "usd")


def test_normals_and_axes_are_two_things():
    own = replace(SYSTEMS["drake"], plane_normal="x")
    assert convert_shape(Shape("plane"), own, "drake").quat == pytest.approx((H, 0.0, H, 0.0))
    assert convert_shape(Shape("plane"), "drake", own).quat == pytest.approx((H, 0.0, -H, 0.0))
    capsule = Shape("capsule", CAPSULES["drake"])
    assert convert_shape(capsule, own, "drake").quat == (1.0, 0.0, 0.0, 0.0)
    assert convert_shape(capsule, "drake", own).quat == (1.0, 0.0, 0.0, 0.0)


def test_quaternions_of_a_row_that_is_passive():
    passive = replace(SYSTEMS["mujoco"], rotation="passive")
    made = convert_shape(Shape("box", BOXES["mujoco"], quat=(H, H, 0.0, 0.0)), passive, "mujoco")
    assert made.quat == pytest.approx((H, -H, 0.0, 0.0))
    back = convert_shape(made, "mujoco", passive)
    assert back.quat == pytest.approx((H, H, 0.0, 0.0))


# ---- scales of USD


def test_scales():
    cylinder = Shape("cylinder", {"radius": 0.2, "height": 0.5, "axis": "X", "scale": (3, 2, 2)})
    made = convert_shape(cylinder, "usd", "drake")
    assert made.params == {"radius": pytest.approx(0.4), "length": pytest.approx(1.5)}
    ball = Shape("sphere", {"radius": 0.2, "scale": (2, 2, 2)})
    assert convert_shape(ball, "usd", "mujoco").params == {"size": (0.4,)}
    egg = convert_shape(Shape("sphere", {"radius": 0.2, "scale": (1, 2, 3)}), "usd", "mujoco")
    assert egg.kind == "ellipsoid" and egg.params["size"] == pytest.approx((0.2, 0.4, 0.6))
    back = convert_shape(egg, "mujoco", "isaacsim")
    assert back.kind == "sphere" and back.params["radius"] == 1.0
    assert back.params["scale"] == pytest.approx((0.2, 0.4, 0.6))
    cube = convert_shape(Shape("box", {"size": 0.6}), "usd", "mujoco")
    assert cube.params["size"] == pytest.approx((0.3, 0.3, 0.3))
    message = "no cylinder any more: the scale must be the same across its axis, z. A mesh"
    with pytest.raises(ConventionError, match=message):
        convert_shape(Shape("cylinder", {**_ROUND, "scale": (1, 2, 1)}), "usd", "mujoco")
    with pytest.raises(ConventionError, match="must be the same along all axes"):
        convert_shape(Shape("capsule", {**_ROUND, "scale": (1, 1, 2)}), "usd", "mujoco")
    with pytest.raises(ConventionError, match="scale must be positive .a negative one mirrors"):
        convert_shape(Shape("box", {"size": 1.0, "scale": (1, 1, -1)}), "usd", "mujoco")
    with pytest.raises(ConventionError, match="pybullet has no ellipsoid: a mesh of it"):
        convert_shape(egg, "mujoco", "pybullet")


# ---- meshes


def prism(outline, height=0.4):
    """Points and outward triangles of an upright prism over a polygon, all turned left."""
    n = len(outline)
    points = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    fan = [(0, i, i + 1) for i in range(1, n - 1)]
    faces = [(a, c, b) for a, b, c in fan] + [(a + n, b + n, c + n) for a, b, c in fan]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    return points, np.array(faces)


WEDGE = prism([(0.0, 0.0), (0.6, 0.0), (0.0, 0.3)])
ARROW = prism([(0.2, 0.1), (0.0, 0.5), (0.0, 0.0), (0.6, 0.0)])  # seen from its inner corner
FRAME = {"pos": engines.POS, "quat": engines.QUAT_WXYZ}


def test_meshes_under_their_names():
    points, faces = WEDGE
    mesh = Shape("mesh", {"vertex": points, "face": faces}, **FRAME)
    for target, lines in NAMES.items():
        made = convert_shape(mesh, "mujoco", target) if target != "smpl" else None
        if made is None:
            continue
        words = [word.split("=")[0] for word in lines["mesh"].split() if "=" in word]
        assert np.array_equal(made.params[words[0]], points)
        assert np.array_equal(np.reshape(made.params[words[1]], (-1, 3)), faces)
        flat = target in ("newton", "usd", "isaacsim", "pybullet")
        assert np.ndim(made.params[words[1]]) == (1 if flat else 2)
        assert made.quat == ordered(engines.QUAT_WXYZ, target) and made.pos == engines.POS
        back = convert_shape(made, target, "mujoco")
        assert np.array_equal(back.params["face"], faces)
    made = convert_shape(mesh, "mujoco", "usd").params
    assert made["faceVertexCounts"].tolist() == [3] * 8 and made["approximation"] == "convexHull"


@pytest.mark.parametrize("mesh", [WEDGE, ARROW])
def test_centre_of_mass_of_a_mesh_is_that_of_mujoco(mesh):
    points, faces = mesh
    words = [
        " ".join(map(str, np.ravel(x))) for x in (points, faces, engines.POS, engines.QUAT_WXYZ)
    ]
    m = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" vertex="{words[0]}" face="{words[1]}" inertia="exact"/>'
        f'</asset><worldbody><body><freejoint/><geom type="mesh" mesh="m" pos="{words[2]}"'
        f' quat="{words[3]}"/></body></worldbody></mujoco>'
    )
    com = shape_com(Shape("mesh", {"vertex": points, "face": faces}, **FRAME), "mujoco")
    assert com == pytest.approx(m.body_ipos[1], abs=1e-6)
    loose = Shape("mesh", {"vertex": points[faces.ravel()], "face": np.arange(faces.size)}, **FRAME)
    assert shape_com(loose, "mujoco") == pytest.approx(com)  # as in STL, no shared points


@pytest.mark.parametrize("system", COLLIDES)
def test_what_collides_of_a_mesh(system):
    """A mesh that is not convex is another shape where the hull collides."""
    words = [word.split("=")[0] for word in NAMES[system]["mesh"].split() if "=" in word]
    arrow = Shape("mesh", dict(zip(words, ARROW)))
    for target in ("mujoco", "newton"):
        if COLLIDES[system] == COLLIDES[target]:
            assert convert_shape(arrow, system, target).kind == "mesh"
        else:
            with pytest.raises(ConventionError, match="not convex"):
                convert_shape(arrow, system, target)


def test_what_is_convex():
    """However its triangles are turned, how large it is, and how many they are."""

    def is_convex(points, faces):
        try:
            convert_shape(Shape("mesh", {"vertices": points, "indices": faces}), "newton", "mujoco")
        except ConventionError:
            return False
        return True

    points, faces = WEDGE
    assert is_convex(points, faces[:, ::-1]) and not is_convex(ARROW[0], ARROW[1][:, ::-1])
    for size in (1e-3, 1e4):
        turned = (size * points @ rotation(engines.QUAT_WXYZ).T).astype(np.float32)
        assert is_convex(turned, faces)
        assert not is_convex(size * ARROW[0], ARROW[1])
    angle = np.linspace(0.0, 2 * np.pi, 200, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle)], -1)
    assert is_convex(*prism(circle))
    circle[150] *= 0.99
    assert not is_convex(*prism(circle))
    assert not is_convex(points, faces[:0])


def test_meshes_that_collide_in_another_way():
    points, faces = ARROW
    arrow = Shape("mesh", {"vertices": points, "indices": faces.ravel()})
    with pytest.raises(ConventionError, match="not convex.* its own triangles .* its convex hull"):
        convert_shape(arrow, "newton", "mujoco")
    assert convert_shape(arrow, "newton", "pinocchio").kind == "mesh"
    usd = convert_shape(arrow, "newton", "usd")
    assert usd.params["approximation"] == "none"
    hull = Shape("mesh", {**usd.params, "approximation": "convexHull"})
    assert np.array_equal(convert_shape(hull, "usd", "mujoco").params["vertex"], points)
    with pytest.raises(ConventionError, match="not convex"):
        convert_shape(hull, "usd", "newton")
    open_box = Shape("mesh", {"vertices": WEDGE[0], "indices": WEDGE[1][:-1].ravel()})
    with pytest.raises(ConventionError, match="or not closed"):
        convert_shape(open_box, "newton", "mujoco")
    with pytest.raises(ConventionError, match="needs a mesh that is closed"):
        shape_com(open_box, "newton")
    twisted = WEDGE[1].copy()
    twisted[0] = twisted[0][::-1]
    with pytest.raises(ConventionError, match="all triangles in the same sense"):
        shape_com(Shape("mesh", {"vertices": WEDGE[0], "indices": twisted}), "newton")
    scaled = Shape("mesh", {"points": WEDGE[0], "faceVertexIndices": WEDGE[1], "scale": (1, 2, 3)})
    assert np.array_equal(convert_shape(scaled, "usd", "newton").params["vertices"],
                          WEDGE[0] * (1, 2, 3))  # fmt: skip


def test_meshes_of_points_only():
    cloud = Shape("mesh", {"vertex": WEDGE[0].ravel()})  # as in a file of MuJoCo
    made = convert_shape(cloud, "mujoco", "drake").params
    assert list(made) == ["points"] and np.array_equal(made["points"], WEDGE[0])
    with pytest.raises(ConventionError, match="a mesh of newton needs triangles"):
        convert_shape(cloud, "mujoco", "newton")
    with pytest.raises(ConventionError, match="a mesh needs its triangles"):
        shape_com(cloud, "mujoco")
    with pytest.raises(ConventionError, match="that collides as it is needs indices"):
        convert_shape(Shape("mesh", {"vertices": WEDGE[0]}), "newton", "mujoco")


# ---- what is refused


@pytest.mark.parametrize(
    ("shape", "source", "target", "message"),
    [
        (Shape("cone", CONES["newton"]), "newton", "mujoco", "mujoco has no cone: a mesh of it"),
        (Shape("capsule", CAPSULES["drake"]), "drake", "ros", "ros has no capsule: a mesh of it"),
        (Shape("ellipsoid", {"radii": HALVES[0]}), "usd", "mujoco", "a sphere with a scale is one"),
        (Shape("box", BOXES["drake"]), "drake", "scipy", "scipy has no shapes; systems that have"),
        (Shape("box", BOXES["drake"]), "drake", "smpl", "smpl has no box: a mesh of it would do"),
        (Shape("plane"), "drake", "smpl", "smpl has no plane: it has nothing like it. It has mesh"),
        (Shape("box", {"size": (1, 2)}), "mujoco", "usd", "must be 3 numbers; got .1, 2."),
        (Shape("box", {"sizes": 1}), "mujoco", "usd", "no 'sizes' .did you mean 'size'"),
        (Shape("box", {"hx": 1, "hy": 1}), "newton", "usd", "a box of newton needs hz"),
        (Shape("sphere", {"radius": -1}), "newton", "usd", "radius of a sphere must be positive"),
        (Shape("sphere", {"radius": np.nan}), "newton", "usd", "radius has nan"),
        (Shape("sphere", {"radius": "big"}), "newton", "usd", "radius must be an array of numbers"),
        (Shape("box", BOXES["mujoco"], (0, 0)), "mujoco", "usd", "pos must have shape"),
        (Shape("box", BOXES["mujoco"], quat=(1, 1, 0, 0)), "mujoco", "usd", "has length 1.41421"),
        (Shape("cone", {**_ROUND, "axis": "W"}), "usd", "newton", "axis of a cone must be one of"),
        (Shape("cone", {"radius": 1, "lz": 1, "axis": "Z"}), "pinocchio", "usd", "has no 'axis'"),
        (Shape("mesh", {"face": [0]}), "mujoco", "usd", "a mesh of mujoco needs vertex"),
        (Shape("mesh", {"vertex": [0.0] * 4}), "mujoco", "usd", "vertex must have shape"),
        (Shape("mesh", {"vertex": WEDGE[0], "face": [0.5] * 3}), "mujoco", "usd", "whole numbers"),
        (Shape("mesh", {"vertex": WEDGE[0], "face": [0, 1, 6]}), "mujoco", "usd", r"in \[0, 6\)"),
        (Shape("mesh", {"points": WEDGE[0], "faceVertexCounts": [4]}), "usd", "newton", "triangul"),
        ("box", "mujoco", "usd", "must be a Shape"),
    ],
)  # fmt: skip
def test_refused(shape, source, target, message):
    with pytest.raises(ConventionError, match=message):
        convert_shape(shape, source, target)


def test_words_that_nobody_knows():
    with pytest.raises(ConventionError, match="kind of a shape must be one of box, .* got 'torus'"):
        Shape("torus")
    with pytest.raises(ConventionError, match="unknown system 'mujco' .did you mean 'mujoco'"):
        convert_shape(Shape("box", BOXES["usd"]), "usd", "mujco")
    with pytest.raises(ConventionError, match="a plane has no centre of mass"):
        shape_com(Shape("plane"), "drake")
    own = replace(SYSTEMS["drake"], name="mine")
    with pytest.raises(ConventionError, match="mine has no shapes"):
        cv.convert_shape(Shape("box", BOXES["drake"]), own, "mujoco")


def test_sizes_as_a_model_of_mujoco_has_them():
    """geom_size has three numbers for every kind."""
    capsule = Shape("capsule", {"size": np.array([0.1, 0.25, 0.0])})
    assert convert_shape(capsule, "mujoco", "drake").params == CAPSULES["drake"]


# ---- other forms, and cones where there are none


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "box", "ellipsoid"])
def test_shapes_by_their_ends(kind):
    """fromto, as MuJoCo compiles it."""
    ends = (0.1, 0.2, 0.3, -0.4, 0.6, 1.0)
    text = " ".join(map(str, ends))
    mj = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="{kind}" size="0.05" fromto="{text}"/></worldbody></mujoco>'
    )
    made = convert_shape(Shape(kind, {"size": (0.05,), "fromto": ends}), "mujoco", "mujoco")
    size = made.params["size"]
    assert size == pytest.approx(mj.geom_size[0, : len(size)], rel=1e-14)
    assert made.pos == pytest.approx(mj.geom_pos[0]) and made.quat == pytest.approx(mj.geom_quat[0])
    with pytest.raises(ConventionError, match="leave out pos and quat"):
        convert_shape(Shape(kind, {"size": (0.05,), "fromto": ends}, (1.0, 0, 0)), "mujoco", "usd")
    with pytest.raises(ConventionError, match="the ends of fromto must be apart"):
        convert_shape(Shape(kind, {"size": (0.05,), "fromto": (1,) * 6}), "mujoco", "usd")


def test_names_of_usd_physics():
    """The descriptors of its parser have halves, where prims have the whole."""
    pxr = pytest.importorskip("pxr.UsdPhysics")
    assert hasattr(pxr.CubeShapeDesc, "halfExtents") and hasattr(pxr.ConeShapeDesc, "halfHeight")
    box = Shape("box", {"halfExtents": (1.0, 2.0, 3.0)})
    assert convert_shape(box, "usd", "mujoco").params == {"size": (1.0, 2.0, 3.0)}
    for kind in ("capsule", "cylinder", "cone"):
        half = Shape(kind, {"radius": 0.5, "halfHeight": 2.0, "axis": "X"})
        whole = Shape(kind, {"radius": 0.5, "height": 4.0, "axis": "X"})
        made = [convert_shape(shape, "usd", "newton") for shape in (half, whole)]
        assert made[0].params == made[1].params and made[0].quat == made[1].quat
    with pytest.raises(ConventionError, match="'halfextents' .*did you mean 'halfExtents'"):
        convert_shape(Shape("box", {"halfextents": (1, 2, 3)}), "usd", "mujoco")


def test_planes_of_newton_by_their_equation():
    plane = Shape("plane", {"plane": (0.0, 0.6, 0.8, -3.0), "width": 0.0, "length": 0.0})
    made = convert_shape(plane, "newton", "mujoco")
    assert made.pos == pytest.approx((0.0, 1.8, 2.4))
    normal = mujoco_rotate(made.quat, (0.0, 0.0, 1.0))
    assert normal == pytest.approx((0.0, 0.6, 0.8))


def mujoco_rotate(quat, vector):
    made = np.zeros(3)
    mujoco.mju_rotVecQuat(made, np.array(vector), np.array(quat))
    return made


def test_cones_as_meshes():
    """MuJoCo's integral over the mesh comes near to the cone's own numbers as sides are added."""
    half = 0.5**0.5
    cone = Shape("cone", {"radius": 0.3, "height": 0.8, "axis": "Y"}, (1.0, 2.0, 3.0),
                 (0.0, 0.0, half, half))  # fmt: skip
    mass, com, inertia = cv.cone_mass(cone, "usd", 700.0)
    assert com == pytest.approx(shape_com(cone, "usd"))
    off = []
    for around in (48, 480):
        made = cv.cone_as_mesh(cone, "usd", "mujoco", around)
        spec = mujoco.MjSpec()
        mesh = spec.add_mesh(name="m", uservert=np.ravel(made.params["vertex"]),
                             userface=np.ravel(made.params["face"]))  # fmt: skip
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
        spec.worldbody.add_body().add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH, meshname="m", density=700.0, pos=made.pos,
            quat=made.quat,
        )  # fmt: skip
        mj = spec.compile()
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, mj.body_iquat[1])
        R = R.reshape(3, 3)
        found = R @ np.diag(mj.body_inertia[1]) @ R.T
        assert mj.body_ipos[1] == pytest.approx(com, abs=1e-6)
        off.append([1 - mj.body_mass[1] / mass, np.abs(found / mass - inertia / mass).max()])
    assert off[0][0] == pytest.approx(6.58 / 48**2, rel=0.01)
    assert off[1][0] < 1e-4 and off[1][1] < 1e-5
    with pytest.raises(ConventionError, match="needs 3 sides at least; got around=2"):
        cv.cone_as_mesh(cone, "usd", "mujoco", 2)
    with pytest.raises(ConventionError, match="this is for cones; got a sphere"):
        cv.cone_mass(Shape("sphere", {"radius": 1.0}), "usd", 1.0)
    with pytest.raises(ConventionError, match="which cone_as_mesh makes"):
        convert_shape(cone, "usd", "mujoco")
