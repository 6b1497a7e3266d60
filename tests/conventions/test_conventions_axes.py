"""Up axes, the pelvis of SMPL, and matrices that act on rows."""

import itertools
import re
from math import sqrt

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lanewise.conventions.axes import (
    UP_AXES,
    convert_matrix_layout,
    convert_smpl_root,
    convert_up_axis,
)
from lanewise.conventions.rotations import ROTATION_KINDS, convert_rotation
from lanewise.errors import ConventionError

H = sqrt(0.5)
AXIS = {name: np.eye(3)["xyz".index(name[-1])] * (-1 if name[0] == "-" else 1) for name in UP_AXES}


def close(made, want, atol=1e-15):
    np.testing.assert_allclose(made, want, atol=atol, rtol=0)


# from (1, 2, 3), worked out with the right hand
BY_HAND = {
    ("y", "z"): (1, -3, 2),
    ("z", "y"): (1, 3, -2),
    ("z", "-z"): (1, -2, -3),
    ("-z", "z"): (1, -2, -3),
    ("y", "-y"): (1, -2, -3),
    ("x", "-x"): (-1, 2, -3),
    ("x", "z"): (-3, 2, 1),
    ("z", "x"): (3, 2, -1),
    ("x", "y"): (-2, 1, 3),
    ("-y", "z"): (1, 3, -2),
    ("y", "-z"): (1, 3, -2),
    ("-x", "z"): (3, 2, -1),
    ("z", "z"): (1, 2, 3),
    ("-y", "-y"): (1, 2, 3),
}


@pytest.mark.parametrize(("source", "target"), BY_HAND)
def test_points_by_hand(source, target):
    for kind in ("point", "vector"):
        made = convert_up_axis([1.0, 2.0, 3.0], source, target, kind=kind)
        assert made.tolist() == list(BY_HAND[source, target])


def least_rotation(u, v):
    """By SciPy, from the axis u x v and the angle between; None if they are opposite."""
    n = np.cross(u, v)
    return None if u @ v < 0 else Rotation.from_rotvec(n * np.arcsin(np.linalg.norm(n)))


@pytest.mark.parametrize(("source", "target"), list(itertools.product(UP_AXES, UP_AXES)))
def test_least_rotation(source, target):
    """The up axis goes where it should, by a rotation, and no longer way than needed."""
    C = convert_up_axis(np.eye(3), source, target, kind="rotation")
    assert np.array_equal(C @ AXIS[source], AXIS[target])
    assert np.linalg.det(C) == 1.0 and set(np.unique(C)) <= {-1.0, 0.0, 1.0}
    least = least_rotation(AXIS[source], AXIS[target])
    if least is None:
        about = AXIS["y"] if source[-1] == "x" else AXIS["x"]
        assert np.array_equal(C, 2 * np.outer(about, about) - np.eye(3))
    else:
        close(C, least.as_matrix())


@pytest.mark.parametrize("kind", ROTATION_KINDS)
@pytest.mark.parametrize(("source", "target"), [("y", "z"), ("z", "-z"), ("-x", "y"), ("z", "z")])
def test_orientations(kind, source, target):
    """C R for every way to write a rotation: what stands on the body keeps standing on it."""
    R = Rotation.random(20, rng=5).as_matrix()
    C = convert_up_axis(np.eye(3), source, target, kind="rotation")
    x = convert_rotation(R, "matrix", kind)
    made = convert_up_axis(x, source, target, kind=kind)
    close(convert_rotation(made, kind, "matrix"), C @ R, atol=4e-15)
    arrow = R @ [0.3, -0.2, 0.9]
    turned = convert_up_axis(arrow, source, target, kind="vector")
    made = convert_rotation(made, kind, "matrix") @ [0.3, -0.2, 0.9]
    close(made, turned, atol=4e-15)


def test_quaternions_by_hand():
    """SONIC's smpl_y_up multiplies by a quarter turn about x from the left, as this does."""
    q = np.array([0.5, 0.5, -0.5, 0.5])
    want = [0.0, H, -H, 0.0]  # (H + H i)(0.5 + 0.5 i - 0.5 j + 0.5 k)
    for kind, order in (("quaternion_wxyz", None), ("wxyz", None), ("quaternion", "wxyz")):
        close(convert_up_axis(q, "y", "z", kind=kind, order=order), want)
    xyzw = q[[1, 2, 3, 0]]
    for kind, order in (("quaternion_xyzw", None), ("quaternion", "xyzw")):
        close(convert_up_axis(xyzw, "y", "z", kind=kind, order=order), np.roll(want, -1))
    close(convert_up_axis([1.0, 0, 0, 0], "z", "-z", kind="wxyz"), [0, 1, 0, 0])


def test_shapes_types_and_out():
    x = np.arange(24.0, dtype=np.float32).reshape(2, 4, 3)
    made = convert_up_axis(x, "y", "z", kind="point")
    assert made.dtype == np.float32 and np.array_equal(made[..., 2], x[..., 1])
    assert convert_up_axis(np.empty((0, 3)), "y", "z", kind="point").shape == (0, 3)
    place = x.copy()
    assert convert_up_axis(place, "y", "z", kind="point", out=place) is place
    assert np.array_equal(place, made)
    R = np.tile(np.eye(3, dtype=np.float32), (5, 1, 1))
    assert convert_up_axis(R, "y", "z", kind="rotation").dtype == np.float32


@pytest.mark.parametrize(("words", "call"), [
    ("of a quaternion the order must be said",
     lambda: convert_up_axis([1.0, 0, 0, 0], "y", "z", kind="quaternion")),
    ("order must be one of wxyz, xyzw; got 'wzyx'",
     lambda: convert_up_axis([1.0, 0, 0, 0], "y", "z", kind="quaternion", order="wzyx")),
    ('order= goes with kind="quaternion"',
     lambda: convert_up_axis([1.0, 0, 0], "y", "z", kind="point", order="wxyz")),
    ('order= goes with kind="quaternion"',
     lambda: convert_up_axis(np.eye(3), "y", "z", kind="rotation", order="wxyz")),
    ("source must be one of x, y, z, -x, -y, -z; got 'up'",
     lambda: convert_up_axis([1.0, 0, 0], "up", "z", kind="point")),
    ("target must be one of x, y, z, -x, -y, -z; got '+z'",
     lambda: convert_up_axis([1.0, 0, 0], "y", "+z", kind="point")),
    ('unknown kind of rotation \'pont\'; known are wxyz,',
     lambda: convert_up_axis([1.0, 0, 0], "y", "z", kind="pont")),
    ('besides "point", "vector" and "rotation"',
     lambda: convert_up_axis([1.0, 0, 0], "y", "z", kind=None)),
    ("x must have shape (..., 3), a point; got (4,)",
     lambda: convert_up_axis(np.zeros(4), "y", "z", kind="point")),
    ("x has nan at index (1, 2)",
     lambda: convert_up_axis([[0, 0, 0], [0, 0, np.nan]], "y", "z", kind="vector")),
    ("x has length 2", lambda: convert_up_axis([2.0, 0, 0, 0], "y", "z", kind="wxyz")),
    ("x is left-handed", lambda: convert_up_axis(-np.eye(3), "y", "z", kind="rotation")),
])  # fmt: skip
def test_errors(words, call):
    with pytest.raises(ConventionError, match=re.escape(words)):
        call()


def test_kind_has_no_default():
    with pytest.raises(TypeError, match="kind"):
        convert_up_axis([1.0, 0, 0], "y", "z")


# ---- SMPL


def skinned(vertex, transl, root, pelvis):
    """A vertex of the torso, as linear blend skinning places it: the root turns about J0."""
    return Rotation.from_rotvec(root).apply(vertex - pelvis) + pelvis + transl


@pytest.mark.parametrize(("source", "target"), [("y", "z"), ("z", "y"), ("y", "-z")])
def test_smpl_root(source, target):
    """Every vertex must end where the turned scene has it."""
    g = np.random.default_rng(2)
    transl, root, vertices = g.normal(size=(6, 3)), g.normal(size=(6, 3)), g.normal(size=(9, 3))
    pelvis = np.array([0.002, -0.24, 0.03])
    C = convert_up_axis(np.eye(3), source, target, kind="rotation")
    made = convert_smpl_root(transl, root, pelvis, source, target)
    for k, vertex in itertools.product(range(6), vertices):
        want = C @ skinned(vertex, transl[k], root[k], pelvis)
        close(skinned(vertex, made[0][k], made[1][k], pelvis), want, atol=4e-15)


def test_smpl_root_by_hand():
    """A child at rest whose pelvis is 0.2 below the model's origin: the pelvis, at (1, 2, 3) and
    y-up, must be at (1, -3, 2) and z-up."""
    transl, root = convert_smpl_root([1.0, 2.2, 3.0], [0.0, 0, 0], [0.0, -0.2, 0.0], "y", "z")
    close(transl, [1.0, -2.8, 2.0])
    close(root, [np.pi / 2, 0, 0])


def test_smpl_root_types():
    transl = np.ones((4, 3), np.float32)
    made = convert_smpl_root(transl, transl, [0.0, -0.2, 0.0], "y", "z")
    assert made[0].dtype == made[1].dtype == np.float32 and made[0].shape == (4, 3)
    each = convert_smpl_root(transl, transl, np.tile([0.0, -0.2, 0.0], (4, 1)), "y", "z")
    assert np.array_equal(made[0], each[0])
    for wrong in ({"transl": np.ones(4)}, {"pelvis": [0.0, np.nan, 0.0]},
                  {"root_axis_angle": np.zeros(4)}):  # fmt: skip
        fine = {"transl": np.ones(3), "root_axis_angle": np.zeros(3), "pelvis": np.zeros(3)}
        with pytest.raises(ConventionError):
            convert_smpl_root(**(fine | wrong), source_up="y", target_up="z")


# ---- rows and columns


def test_matrix_layouts():
    R = Rotation.from_rotvec([0.3, 0.4, -0.5]).as_matrix()
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, [1, 2, 3]
    point = np.array([0.5, -0.2, 0.7, 1.0])
    rows = convert_matrix_layout(X, "columns", "rows")
    close(point @ rows, X @ point)
    assert rows[3, :3].tolist() == [1, 2, 3]
    assert np.array_equal(convert_matrix_layout(rows, "rows", "columns"), X)
    assert np.array_equal(convert_matrix_layout(np.stack([R, R]), "columns", "rows")[1], R.T)
    same = convert_matrix_layout(R, "rows", "rows")
    assert np.array_equal(same, R) and same is not R


@pytest.mark.parametrize(("words", "M", "source"), [
    ("M does not act on rows: its last column must be 0 0 0 1; got 1 2 3 1",
     [[1, 0, 0, 1], [0, 1, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], "rows"),
    ("M does not act on columns: its last row", np.eye(4)[::-1], "columns"),
    ("M[1] does not act on columns", np.stack([np.eye(4), 2 * np.eye(4)]), "columns"),
    ("M is left-handed", -np.eye(3), "columns"),
    ("M must have shape (..., 3, 3), or (..., 4, 4); got (2, 2)", np.eye(2), "columns"),
    ("source must be one of columns, rows; got 'row'", np.eye(3), "row"),
])  # fmt: skip
def test_matrices_in_another_layout_are_noticed(words, M, source):
    with pytest.raises(ConventionError, match=re.escape(words)):
        convert_matrix_layout(np.array(M, float), source, "columns")
