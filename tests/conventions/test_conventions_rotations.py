"""Rotations against SciPy, MuJoCo and values worked out by hand."""

import itertools
import re
import warnings
from math import cos, pi, sin, sqrt

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from lanewise.conventions.euler_angles import MODES, SEQUENCES, UNITS, euler
from lanewise.conventions.rotations import (
    ROTATION_KINDS,
    canonical_sign,
    convert_quaternion,
    convert_rotation,
    invert_rotation,
    orthonormalize,
    unwrap_signs,
    w_last,
)
from lanewise.errors import ConventionError

H = sqrt(0.5)
EULER = [name for name, kind in ROTATION_KINDS.items() if kind.angles]
PLAIN = [name for name, kind in ROTATION_KINDS.items() if not kind.angles]


def close(made, want, atol=0.0, rtol=0.0, err_msg=""):
    np.testing.assert_allclose(made, want, atol=atol, rtol=rtol, err_msg=err_msg)


def scipy_form(rotation, kind):
    """What SciPy has for a kind of rotation; 6D from its matrix."""
    R = rotation.as_matrix()
    if ROTATION_KINDS[kind].angles:
        _, sequence, mode, unit = kind.split("_")
        letters = sequence.upper() if mode == "intrinsic" else sequence
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of gimbal lock
            return rotation.as_euler(letters, degrees=unit == "deg")
    return {
        "wxyz": lambda: rotation.as_quat(canonical=True, scalar_first=True),
        "xyzw": lambda: rotation.as_quat(canonical=True),
        "matrix": lambda: R,
        "axis_angle": rotation.as_rotvec,
        "sixd_columns": lambda: np.concatenate([R[..., 0], R[..., 1]], -1),
        "sixd_interleaved": lambda: R[..., :2].reshape(*R.shape[:-2], 6),
    }[kind]()


@pytest.fixture(scope="module")
def rotations():
    """All over, and near no turn and half turns in every direction."""
    g = np.random.default_rng(4)
    axes = g.normal(size=(200, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    angles = np.concatenate([g.uniform(0, pi, 140), 10.0 ** -g.uniform(1, 9, 30),
                             pi - 10.0 ** -g.uniform(1, 9, 30)])  # fmt: skip
    return Rotation.from_rotvec(axes * angles[:, None])


# ---- known values


@pytest.mark.parametrize("kind", PLAIN)
def test_from_scipy(rotations, kind):
    R = convert_rotation(scipy_form(rotations, kind), kind, "matrix")
    close(R, rotations.as_matrix(), atol=2e-15)


@pytest.mark.parametrize("kind", EULER)
def test_euler_from_scipy(kind):
    """Angles of more than one turn too."""
    _, sequence, mode, unit = kind.split("_")
    angles = np.random.default_rng(8).uniform(-7, 7, (200, 3)) * (1 if unit == "rad" else 57)
    letters = sequence.upper() if mode == "intrinsic" else sequence
    want = Rotation.from_euler(letters, angles, degrees=unit == "deg").as_matrix()
    close(convert_rotation(angles, kind, "matrix"), want, atol=3e-15)


@pytest.mark.parametrize("kind", ROTATION_KINDS)
def test_to_scipy(rotations, kind):
    """Quaternions and matrices to every kind, those at which signs and angles do not jump."""
    want = scipy_form(rotations, kind)
    steady = np.ones(len(want), bool)
    atol = 1e-14
    if ROTATION_KINDS[kind].angles:
        full = 360.0 if kind.endswith("deg") else 2 * pi
        steady = (np.abs(want) < 0.499 * full).all(-1)
        lock = scipy_form(rotations, kind.replace("deg", "rad"))[:, 1]
        symmetric = ROTATION_KINDS[kind].angles.sequence[0] == kind[8]
        away = np.abs(np.sin(lock) if symmetric else np.cos(lock))
        steady &= away > 1e-3  # the angles have the condition 1 / away
        atol = 1e-12 * full
    assert steady.sum() > 100
    for source in ("matrix", "xyzw"):
        x = scipy_form(rotations, source)
        close(convert_rotation(x, source, kind)[steady], want[steady],
                                   atol=atol)  # fmt: skip


def test_every_pair(rotations):
    """All kinds to all others, seen as matrices."""
    some = rotations[::20]
    forms = {kind: convert_rotation(some.as_matrix(), "matrix", kind) for kind in ROTATION_KINDS}
    for a, b in itertools.product(forms, forms):
        made = convert_rotation(forms[a], a, b)
        assert made.shape == (len(some), *ROTATION_KINDS[b].shape)
        R = convert_rotation(made, b, "matrix")
        close(R, forms["matrix"], atol=5e-15, err_msg=f"{a} to {b}")


def test_the_kinds_are_all_there():
    assert PLAIN == ["wxyz", "xyzw", "matrix", "axis_angle", "sixd_columns", "sixd_interleaved"]
    assert len(set(SEQUENCES)) == 12 and len(EULER) == 48
    assert all(s[0] != s[1] != s[2] and set(s) <= set("xyz") for s in SEQUENCES)
    assert {euler(*x) for x in itertools.product(SEQUENCES, MODES, UNITS)} == set(EULER)
    assert euler("zyx", "extrinsic", "deg") == "euler_zyx_extrinsic_deg"


# x to y, y to z, z to x: a third of a turn about (1, 1, 1). And a quarter turn about z.
BY_HAND = {
    "cycle": {
        "matrix": [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        "wxyz": [0.5, 0.5, 0.5, 0.5],
        "axis_angle": [2 * pi / 3 / sqrt(3)] * 3,
        "sixd_columns": [0, 1, 0, 0, 0, 1],
        "sixd_interleaved": [0, 0, 1, 0, 0, 1],
        "euler_xyz_intrinsic_deg": [90, 90, 0],
        "euler_zxz_intrinsic_deg": [90, 90, 0],
    },
    "quarter": {
        "matrix": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
        "wxyz": [H, 0, 0, H],
        "xyzw": [0, 0, H, H],
        "axis_angle": [0, 0, pi / 2],
        "sixd_columns": [0, 1, 0, -1, 0, 0],
        "sixd_interleaved": [0, -1, 1, 0, 0, 0],
        "sixd_rows": [0, -1, 1, 0, 0, 0],
        "quaternion_wxyz": [H, 0, 0, H],
        "quaternion_xyzw": [0, 0, H, H],
        "euler_xyz_extrinsic_rad": [0, 0, pi / 2],
        "euler_zyx_extrinsic_rad": [pi / 2, 0, 0],
        "euler_zyz_extrinsic_deg": [90, 0, 0],
    },
    "half": {
        "matrix": [[-1, 0, 0], [0, 1, 0], [0, 0, -1]],
        "wxyz": [0, 0, 1, 0],
        "axis_angle": [0, pi, 0],
        "sixd_columns": [-1, 0, 0, 0, 1, 0],
        "euler_zyx_intrinsic_deg": [180, 0, 180],
    },
}


@pytest.mark.parametrize("case", BY_HAND)
def test_by_hand(case):
    forms = BY_HAND[case]
    for a, b in itertools.product(forms, forms):
        if "euler" in b and case == "half":
            continue  # -180 and 180 are the same
        made = convert_rotation(np.array(forms[a], float), a, b)
        close(made, forms[b], atol=2e-14 if "deg" in b else 1e-15, err_msg=f"{a} to {b}")


def test_intrinsic_and_extrinsic_by_their_definition():
    def about(axis, a):
        k = "xyz".index(axis)
        R = np.eye(3)
        i, j = (k + 1) % 3, (k + 2) % 3
        R[i, i] = R[j, j] = cos(a)
        R[j, i], R[i, j] = sin(a), -sin(a)
        return R

    angles = np.array([0.3, -0.8, 1.9])
    for s in SEQUENCES:
        A, B, C = (about(axis, a) for axis, a in zip(s, angles))
        for mode, R in (("intrinsic", A @ B @ C), ("extrinsic", C @ B @ A)):
            made = convert_rotation(angles, euler(s, mode, "rad"), "matrix")
            close(made, R, atol=1e-15)
            degrees = convert_rotation(np.rad2deg(angles), euler(s, mode, "deg"), "matrix")
            close(degrees, R, atol=1e-15)


def test_against_mujoco(rotations):
    for q, R, v in zip(*(scipy_form(rotations, k) for k in ("wxyz", "matrix", "axis_angle"))):
        mat, quat, vel = np.zeros(9), np.zeros(4), np.zeros(3)
        mujoco.mju_quat2Mat(mat, q)
        close(convert_rotation(q, "wxyz", "matrix").ravel(), mat, atol=1e-15)
        mujoco.mju_mat2Quat(quat, R.ravel())
        ours = convert_rotation(R, "matrix", "wxyz")
        close(ours * np.sign(ours @ quat), quat, atol=1e-15)
        mujoco.mju_quat2Vel(vel, q, 1.0)
        close(convert_rotation(q, "wxyz", "axis_angle"), vel, atol=1e-14)
        angle = np.linalg.norm(v)
        mujoco.mju_axisAngle2Quat(quat, v / angle, angle)
        close(convert_rotation(v, "axis_angle", "wxyz"), quat, atol=1e-15)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_against_mujoco(sequence):
    """MuJoCo writes intrinsic with small letters, SciPy with capitals."""
    angles, quat = np.array([0.4, 1.2, -2.2]), np.zeros(4)
    for mode, letters in (("intrinsic", sequence), ("extrinsic", sequence.upper())):
        mujoco.mju_euler2Quat(quat, angles, letters)
        made = convert_rotation(angles, euler(sequence, mode, "rad"), "wxyz")
        close(made * np.sign(made @ quat), quat, atol=1e-15)


# ---- where formulas break down


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_gimbal_lock(sequence, mode):
    """The third angle is 0, as SciPy has it, and the matrix is the same."""
    kind = euler(sequence, mode, "rad")
    symmetric = sequence[0] == sequence[2]
    for middle in (0.0, pi) if symmetric else (-pi / 2, pi / 2):
        angles = np.array([0.7, middle, -1.1])
        for source in ("matrix", "wxyz"):
            x = convert_rotation(angles, kind, source)
            made = convert_rotation(x, source, kind)
            assert made[2] == 0.0
            assert made[1] == pytest.approx(middle, abs=1e-15)
            R = convert_rotation(angles, kind, "matrix")
            close(convert_rotation(made, kind, "matrix"), R, atol=1e-14)
            want = scipy_form(Rotation.from_matrix(R), kind)
            close(made, want, atol=1e-12)


@pytest.mark.parametrize("kind", [name for name in EULER if name.endswith("rad")])
def test_near_gimbal_lock(kind):
    """However near, the angles reproduce the matrix."""
    symmetric = kind[6] == kind[8]
    away = np.array([s * 10.0**-k for k in range(1, 18) for s in (-1, 1)])
    for middle in (0.0, pi) if symmetric else (-pi / 2, pi / 2):
        angles = np.stack([0 * away + 0.7, middle + away, 0 * away - 1.1], -1)
        R = convert_rotation(angles, kind, "matrix")
        for source in ("matrix", "xyzw"):
            made = convert_rotation(convert_rotation(angles, kind, source), source, kind)
            again = convert_rotation(made, kind, "matrix")
            close(again, R, atol=2e-14)
            bound = pi if symmetric else pi / 2
            assert np.abs(made[:, 1]).max() <= bound and np.abs(made).max() <= pi + 1e-15
            small = R.astype(np.float32)
            made = convert_rotation(small, "matrix", kind)
            assert np.abs(convert_rotation(made, kind, "matrix") - small).max() < 5e-6


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 1e-6, 0.9e-4, 1.1e-4, 1e-3, 3.0])
@pytest.mark.parametrize("gap", [False, True])
def test_angles_are_accurate_from_none_to_half_a_turn(angle, gap):
    """A turn about one axis has a matrix of one cosine and one sine, so all of it is known."""
    angle = pi - angle if gap else angle
    q = np.array([cos(angle / 2), 0.0, sin(angle / 2), 0.0])
    R = np.array([[cos(angle), 0, sin(angle)], [0, 1, 0], [-sin(angle), 0, cos(angle)]])
    for kind, x in (("wxyz", q), ("wxyz", -q), ("matrix", R)):
        made = convert_rotation(x, kind, "axis_angle")
        close(made, [0, angle, 0], rtol=4e-16, atol=0)
    close(convert_rotation([0, angle, 0], "axis_angle", "wxyz"), q,
                               rtol=3e-16, atol=1e-32)  # fmt: skip


def test_turns_of_more_than_half(rotations):
    """A longer way round is the same rotation; converting it keeps the sense of direction."""
    v = rotations.as_rotvec()
    longer = v * (1 - 2 * pi / np.linalg.norm(v, axis=1, keepdims=True))
    close(convert_rotation(longer, "axis_angle", "matrix"),
                               rotations.as_matrix(), atol=4e-15)  # fmt: skip
    close(convert_rotation([0, 0, 1.5 * pi], "axis_angle", "wxyz"),
                               [-H, 0, 0, H], atol=1e-15)  # fmt: skip


def test_every_branch_of_matrix_to_quaternion():
    """Each component the largest in turn, with both signs of the others; w is never negative."""
    for k, signs in itertools.product(range(4), itertools.product((-1, 1), repeat=4)):
        q = np.array([0.2, 0.3, 0.4, 0.1]) * signs
        q[k] = signs[k] * sqrt(1 - (q @ q - q[k] ** 2))
        R = Rotation.from_quat(q, scalar_first=True).as_matrix()
        close(convert_rotation(R, "matrix", "wxyz"), q * np.sign(q[0]),
                                   atol=3e-16)  # fmt: skip


# ---- what is exact


def test_picking_is_exact(rotations):
    R = rotations.as_matrix()
    assert np.array_equal(convert_rotation(R, "matrix", "matrix"), R)
    six = convert_rotation(R, "matrix", "sixd_columns")
    assert np.array_equal(six[:, :3], R[:, :, 0]) and np.array_equal(six[:, 3:], R[:, :, 1])
    rows = convert_rotation(six, "sixd_columns", "sixd_interleaved")
    assert np.array_equal(rows, R[:, :, :2].reshape(-1, 6))
    assert np.array_equal(convert_rotation(rows, "sixd_rows", "matrix")[:, :, :2], R[:, :, :2])


def test_angles_that_are_only_listed_otherwise_stay():
    """Beyond a turn too: intrinsic xyz is extrinsic zyx backwards, degrees are a factor."""
    angles = np.array([400.0, -100.0, 720.0])
    made = convert_rotation(angles, "euler_xyz_intrinsic_deg", "euler_zyx_extrinsic_deg")
    assert made.tolist() == [720.0, -100.0, 400.0]
    made = convert_rotation(angles, "euler_xyz_intrinsic_deg", "euler_zyx_extrinsic_rad")
    close(made, np.deg2rad([720.0, -100.0, 400.0]), rtol=1e-15)
    made = convert_rotation([0.0, 7.0, 0.0], "euler_yxy_extrinsic_rad", "euler_yxy_extrinsic_deg")
    close(made, [0.0, np.rad2deg(7.0), 0.0], rtol=1e-15)


def test_orders_of_quaternions():
    wxyz = np.array([[0.1, 0.7, -0.1, 0.7], [-0.5, 0.5, 0.5, -0.5]])
    xyzw = np.array([[0.7, -0.1, 0.7, 0.1], [0.5, 0.5, -0.5, -0.5]])
    assert np.array_equal(convert_quaternion(wxyz, "wxyz", "xyzw"), xyzw)
    assert np.array_equal(convert_quaternion(xyzw, "xyzw", "wxyz"), wxyz)
    assert np.array_equal(convert_quaternion(xyzw, "quaternion_xyzw", "quaternion_xyzw"), xyzw)
    # SONIC's own arrays of indices
    assert np.array_equal(convert_quaternion(wxyz, "wxyz", "xyzw"), wxyz[..., [1, 2, 3, 0]])
    assert np.array_equal(convert_quaternion(xyzw, "xyzw", "wxyz"), xyzw[..., [3, 0, 1, 2]])


def test_w_last():
    assert w_last(True) == "xyzw" and w_last(False) == "wxyz" and w_last(np.True_) == "xyzw"
    for wrong in ("xyzw", 1, None):
        with pytest.raises(ConventionError, match="True .xyzw. or False .wxyz."):
            w_last(wrong)


# ---- inverse, signs, repair


@pytest.mark.parametrize("kind", ROTATION_KINDS)
def test_inverse(rotations, kind):
    x = convert_rotation(rotations.as_matrix(), "matrix", kind)
    R = convert_rotation(invert_rotation(x, kind), kind, "matrix")
    close(R, np.swapaxes(rotations.as_matrix(), -1, -2), atol=5e-15)


def test_canonical_sign():
    given = [[-0.5, 0.5, 0.5, 0.5], [0, -0.6, 0.8, 0], [0, 0, -0.6, 0.8], [0, 0, 0, -1],
             [0.5, -0.5, -0.5, -0.5]]  # fmt: skip
    want = [[0.5, -0.5, -0.5, -0.5], [0, 0.6, -0.8, 0], [0, 0, 0.6, -0.8], [0, 0, 0, 1],
            [0.5, -0.5, -0.5, -0.5]]  # fmt: skip
    assert np.array_equal(canonical_sign(given, "wxyz"), want)
    given, want = (np.roll(x, -1, axis=-1) for x in (given, want))
    assert np.array_equal(canonical_sign(given, "xyzw"), want)
    q = Rotation.random(100, rng=3).as_quat(canonical=False)
    want = Rotation.from_quat(q).as_quat(canonical=True)
    close(canonical_sign(q, "xyzw"), want, atol=1e-15)


def test_unwrap_signs():
    angles = np.linspace(0, 8 * pi, 60)
    smooth = np.stack([np.cos(angles / 2), 0.6 * np.sin(angles / 2), 0 * angles,
                       0.8 * np.sin(angles / 2)], -1)  # fmt: skip
    flips = np.where(np.random.default_rng(1).random(60) < 0.4, -1.0, 1.0)
    flips[0] = 1.0
    assert np.array_equal(unwrap_signs(smooth * flips[:, None], 0), smooth)
    two = np.stack([smooth, -smooth], 1) * flips[:, None, None]
    assert np.array_equal(unwrap_signs(two, 0), np.stack([smooth, -smooth], 1))
    assert np.array_equal(unwrap_signs(two.swapaxes(0, 1), 1)[1], -smooth)
    assert np.array_equal(unwrap_signs(two.swapaxes(0, 1), -2)[1], -smooth)
    assert unwrap_signs(smooth[:1], 0).shape == (1, 4)
    assert unwrap_signs(smooth[:0], 0).shape == (0, 4)
    for axis in (-1, 1, 2, -3):
        with pytest.raises(ConventionError, match="one of the 1 leading axes"):
            unwrap_signs(smooth, axis)


def test_orthonormalize():
    """The first column keeps its direction, the second its side."""
    made = orthonormalize([2.0, 0, 0, 5, 0.1, 0], "sixd_columns")
    close(made, [1, 0, 0, 0, 1, 0], atol=1e-15)
    made = orthonormalize([0, 0.5, 3.0, 1.0, 4.0, -0.5], "sixd_interleaved")
    close(made[0::2], [0, 0.6, 0.8], atol=1e-15)
    c1 = np.array([0.5, 1.0, -0.5]) - 0.2 * np.array([0, 0.6, 0.8])
    close(made[1::2], c1 / np.linalg.norm(c1), atol=1e-15)
    made = orthonormalize([[1.01, 0.2, 9], [0, 2, 9], [0, 0, 3]], "matrix")
    close(made, np.eye(3), atol=1e-15)
    made = orthonormalize([[0, -3.0, 0, 4], [2, 0, 0, 0]], "xyzw")
    close(made, [[0, -0.6, 0, 0.8], [1, 0, 0, 0]], atol=1e-15)


def test_lengths_do_not_matter_to_orthonormalize():
    for a, b in ((1e-20, 1e20), (1e20, 1e-20)):
        made = orthonormalize([0, a, 0, 0, b, -b], "sixd_columns")
        close(made, [0, 1, 0, 0, 0, -1], atol=1e-15)


@pytest.mark.parametrize(("x", "kind", "words"), [
    ([[1, 0, 0, 1], [0, 0, 0, 0]], "wxyz", r"x\[1\] stands for no rotation: it is zero"),
    ([1, 2, 3, 2, 4, 6], "sixd_columns", "x stands for no rotation.*along one line"),
    ([1, 0, 2, 0, 3, 0], "sixd_interleaved", "along one line"),
    (np.diag([1.0, 1, -1]), "matrix", "left-handed"),
    ([1, 2, 3], "axis_angle", "kind must be one of wxyz, xyzw, matrix, sixd_columns"),
    ([0, 0, np.nan, 1], "wxyz", "nan at index 2"),
])  # fmt: skip
def test_what_cannot_be_repaired(x, kind, words):
    with pytest.raises(ConventionError, match=words):
        orthonormalize(np.array(x, float), kind)


# ---- arrays


@pytest.mark.parametrize("lead", [(), (1,), (2, 3), (0,), (4, 0, 2), (5000,)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_leading_axes_and_types(lead, dtype):
    g = np.random.default_rng(0)
    q = g.normal(size=(*lead, 4))
    q = (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(dtype)
    for kind in (*PLAIN, "euler_zyx_intrinsic_deg", "euler_xzx_extrinsic_rad"):
        x = convert_rotation(q, "wxyz", kind)
        assert x.shape == (*lead, *ROTATION_KINDS[kind].shape) and x.dtype == dtype
        back = convert_rotation(x, kind, "wxyz")
        assert back.shape == q.shape and back.dtype == dtype
        off = np.minimum(np.abs(back - q), np.abs(back + q)).max(initial=0.0)
        assert off < (1e-5 if dtype == np.float32 else 1e-13)
        inverse = invert_rotation(x, kind)
        assert inverse.shape == x.shape and inverse.dtype == dtype


def test_single_precision_is_as_good_as_it_can_be(rotations):
    q = rotations.as_quat().astype(np.float32)
    for kind in PLAIN:
        x = scipy_form(rotations, kind).astype(np.float32)
        R = convert_rotation(x, kind, "matrix")
        assert np.abs(R - rotations.as_matrix()).max() < 1e-6
        made = convert_rotation(convert_rotation(q, "xyzw", kind), kind, "matrix")
        assert np.abs(made - rotations.as_matrix()).max() < 1e-6


def test_lists_and_whole_numbers():
    assert convert_rotation([0, 0, 0, 1], "xyzw", "wxyz").tolist() == [1.0, 0.0, 0.0, 0.0]
    assert convert_rotation([[1, 0, 0], [0, 1, 0], [0, 0, 1]], "matrix", "wxyz")[0] == 1.0


def test_rows_beyond_one_block_and_strides():
    q = Rotation.random(9001, rng=1).as_quat()
    R = convert_rotation(q, "xyzw", "matrix")
    close(R, Rotation.from_quat(q).as_matrix(), atol=2e-15)
    every = convert_rotation(q[::-3], "xyzw", "matrix")
    assert np.array_equal(every, R[::-3])
    columns = np.asfortranarray(q)
    assert np.array_equal(convert_rotation(columns, "xyzw", "matrix"), R)
    before = q.copy()
    convert_rotation(q, "xyzw", "xyzw")[:] = 7.0
    assert np.array_equal(q, before), "a conversion to the same kind must not be the same array"


def test_out():
    q = Rotation.random(9001, rng=2).as_quat()
    want = convert_rotation(q, "xyzw", "matrix")
    out = np.full((9001, 3, 3), np.nan)
    assert convert_rotation(q, "xyzw", "matrix", out=out) is out
    assert np.array_equal(out, want)
    small = np.full((9001, 3, 3), np.nan, np.float32)
    convert_rotation(q, "xyzw", "matrix", out=small)
    assert np.array_equal(small, want.astype(np.float32))
    wxyz = q[:, [3, 0, 1, 2]]
    place = q.copy()
    assert convert_quaternion(place, "xyzw", "wxyz", out=place) is place
    assert np.array_equal(place, wxyz)
    shifted = np.concatenate([q, q[:1]])
    convert_quaternion(shifted[:-1], "xyzw", "wxyz", out=shifted[1:])
    assert np.array_equal(shifted[1:], wxyz), "rows were written before they were read"
    buffer = np.empty((9001, 9))
    start = buffer.reshape(-1)[: q.size].reshape(q.shape)
    start[:] = q
    convert_rotation(start, "xyzw", "matrix", out=buffer.reshape(-1, 3, 3))
    assert np.array_equal(buffer.reshape(-1, 3, 3), want)
    place = want.copy()
    invert_rotation(place, "matrix", out=place)
    assert np.array_equal(place, want.swapaxes(-1, -2))


@pytest.mark.parametrize("out", [
    np.empty((3, 3)), np.empty((2, 4, 2))[:, :, 0], np.empty((2, 4), int), [0, 0, 0, 0],
])  # fmt: skip
def test_out_that_does_not_fit(out):
    with pytest.raises(ConventionError, match="out must be a contiguous array.*shape .2, 4."):
        convert_quaternion(np.eye(4)[:2], "wxyz", "xyzw", out=out)


# ---- errors

GOOD = np.tile([1.0, 0, 0, 0], (5, 1))


def with_one(x, where, value):
    x = np.array(x, float)
    x[where] = value
    return x


@pytest.mark.parametrize(("x", "kind", "words"), [
    (with_one(GOOD, (3, 0), 1.001), "wxyz", r"x[3] has length 1.001; a rotation needs length 1"),
    (with_one(GOOD, 2, 0.0), "xyzw", r"x[2] is zero"),
    (with_one(GOOD, (4, 1), np.nan), "wxyz", "x has nan at index (4, 1)"),
    (with_one(GOOD, (0, 0), np.inf), "wxyz", "x has inf at index (0, 0)"),
    ([2.0, 0, 0, 0], "wxyz", "x has length 2"),
    ([0.0, 0, 0, 0], "wxyz", "x is zero"),
    (np.zeros((2, 3)), "wxyz", "x must have shape (..., 4), a quaternion, scalar first;"
                               " got (2, 3)"),
    (1.0, "wxyz", "x must have shape (..., 4)"),
    (np.eye(3)[0], "matrix", "x must have shape (..., 3, 3)"),
    (np.diag([1.0, -1, 1]), "matrix", "x is left-handed"),
    (np.stack([np.eye(3), -np.eye(3)]), "matrix", "x[1] is left-handed"),
    (np.eye(3) * 1.01, "matrix", "x is no rotation: R'R differs from 1 by 0.0201"),
    (np.stack([np.eye(3), np.eye(3) + np.eye(3, k=1) * 0.1])[None], "matrix", "x[0, 1] is no"),
    (with_one(np.eye(3), (1, 1), np.nan), "matrix", "x has nan at index (1, 1)"),
    (np.zeros((3, 3)), "matrix", "x is no rotation"),
    ([1.0, 0, 0, 0.1, 1, 0], "sixd_columns",
     'lengths 1 and 1.00499, and a product of 0.1; a rotation has 1, 1 and 0. Nothing is repaired'
     ' here: orthonormalize(x, "sixd_columns")'),
    ([[1.0, 0, 0, 1, 0, 0], [2, 0, 0, 1, 0, 0]], "sixd_interleaved", "x[1] is no rotation"),
    ([1.0, 0, 0, 1, 0, np.nan], "sixd_interleaved", "x has nan at index 5"),
    (np.zeros(5), "sixd_columns", "x must have shape (..., 6)"),
    ([0, np.nan, 0], "axis_angle", "x has nan at index 1"),
    ([0, np.inf, 0], "euler_xyz_intrinsic_deg", "x has inf at index 1"),
    (np.zeros(4), "euler_xyz_intrinsic_deg",
     "x must have shape (..., 3), intrinsic Euler angles xyz [deg]; got (4,)"),
    ("wxyz", "wxyz", "x must be an array of numbers; got 'wxyz'"),
    ([1j, 0, 0, 0], "wxyz", "x must be an array of numbers"),
    ([[1, 0], [0]], "wxyz", "x must be an array of numbers"),
    (None, "wxyz", "x must be an array of numbers"),
])  # fmt: skip
def test_numbers_that_are_no_rotation(x, kind, words):
    for call in (lambda: convert_rotation(x, kind, "matrix"), lambda: invert_rotation(x, kind)):
        with pytest.raises(ConventionError, match=re.escape(words)):
            call()


def test_how_much_round_off_is_allowed():
    """And that it is not repaired: quaternions come out as long as they were."""
    q = np.array([1.0, 0, 0, 0]) * (1 + 0.9e-6)
    assert convert_quaternion(q, "wxyz", "xyzw")[3] == q[0]
    with pytest.raises(ConventionError):
        convert_quaternion(q * (1 + 0.3e-6), "wxyz", "xyzw")
    convert_quaternion(q.astype(np.float32) * np.float32(1.00005), "wxyz", "xyzw")
    with pytest.raises(ConventionError):
        convert_quaternion(q.astype(np.float32) * np.float32(1.0002), "wxyz", "xyzw")


@pytest.mark.parametrize(("kind", "words"), [
    ("quaternion", "did you mean 'quaternion_xyzw', 'quaternion_wxyz'"),
    ("sixd", "did you mean 'sixd_rows'"),
    ("euler_xyz", 'euler("xyz", "intrinsic", "deg")'),
    ("euler_xyz_intrinsic", "did you mean 'euler_xyz_intrinsic_rad'"),
    ("euler_xxy_intrinsic_rad", "unknown kind of rotation"),
    ("matrx", "did you mean 'matrix'"),
    (None, "known are wxyz, xyzw, matrix, axis_angle, sixd_columns, sixd_interleaved, and Euler"),
    (["wxyz"], "unknown kind of rotation ['wxyz']"),
])  # fmt: skip
def test_kinds_that_nobody_knows(kind, words):
    for call in (
        lambda: convert_rotation(GOOD, kind, "matrix"),
        lambda: convert_rotation(GOOD, "wxyz", kind),
        lambda: invert_rotation(GOOD, kind),
        lambda: orthonormalize(GOOD, kind),
    ):
        with pytest.raises(ConventionError, match=re.escape(words)):
            call()


def test_orders_that_nobody_knows():
    for order in ("quaternion", "wzyx", "matrix", None):
        words = "source must be one of wxyz, xyzw; got " + repr(order)
        with pytest.raises(ConventionError, match=words):
            convert_quaternion(GOOD, order, "wxyz")
        with pytest.raises(ConventionError, match="target must be one of wxyz, xyzw"):
            convert_quaternion(GOOD, "wxyz", order)
        with pytest.raises(ConventionError, match="order must be one of wxyz, xyzw"):
            canonical_sign(GOOD, order)


@pytest.mark.parametrize(("words", "message"), [
    (("XYZ", "intrinsic", "rad"), "write 'xyz'; capitals mean nothing here"),
    (("xxy", "intrinsic", "rad"), "sequence must be one of xyz, xzy, yxz, .*got 'xxy'"),
    (("xyz", "Intrinsic", "rad"), "mode must be one of intrinsic, extrinsic; got 'Intrinsic'"),
    (("xyz", "intrinsic", "degrees"), "unit must be one of rad, deg; got 'degrees'"),
])  # fmt: skip
def test_names_of_euler_angles(words, message):
    with pytest.raises(ConventionError, match=message):
        euler(*words)
