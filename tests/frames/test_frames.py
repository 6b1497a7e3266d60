"""lanewise.frames beside MuJoCo's mju_*: random numbers, and those that rules are made for."""

import inspect
import subprocess
import sys

import mujoco
import numpy as np
import pytest

from lanewise import frames
from support import twins

RNG = np.random.default_rng(5)


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


QUATS = np.concatenate([
    unit(RNG.normal(size=(60, 4))),
    RNG.normal(size=(30, 4)),
    # no turn and a whole one, half turns, no length, next to none, next to unit length
    np.array([
        (1, 0, 0, 0), (-1, 0, 0, 0), (0, 1, 0, 0), (0, 0, -1, 0), (0, 0, 0, 0), (2, 0, 0, 0),
        (1e-16, 0, 0, 0), (0, 1e-16, 0, 0), (1, 1e-16, 0, 0), (-1, 1e-16, 0, 0), (-1, 0, 1e-9, 0),
        (1, 1e-9, 0, 0), (1 + 5e-16, 0, 0, 0), (1 - 2e-15, 0, 0, 0), (-0.5, 0.5, 0.5, 0.5),
    ]),
])  # fmt: skip
VECTORS = np.concatenate([
    RNG.normal(size=(90, 3)),
    np.array([
        (0, 0, 0), (0, 0, 1), (0, 0, -1), (0, 0, -1e-14), (0, 0, -1e-16), (1e-16, 0, 0),
        (1e-15, 0, 0), (1e-16, 0, -1), (1e-8, 0, -1), (0, 1e-8, 1), (1, 0, 0), (0, -3, 0),
        (1e5, 2e5, -1e5), (1e-9, 0, 0), (0, 0, 5),
    ]),
])  # fmt: skip
MATRICES = np.concatenate([
    frames.quat_to_mat(QUATS[:40]),
    RNG.normal(size=(40, 9)),
    # equal numbers on the diagonal, half turns, zeros, reflections
    np.array([np.diag(x).ravel() for x in (
        (1, 1, 1), (-1, -1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1), (0, 0, 0), (5, 5, 5),
        (-1, -3, -2), (-2, -1, -1), (0, 1, -1), (1, -0.5, -0.5), (-1, 0, 0), (0, -1, -1),
        (3, 0, -3),
    )]),
    frames.quat_to_mat(QUATS[:11]) * -1.0,
])  # fmt: skip
N = len(QUATS)
OTHERS = QUATS[RNG.permutation(N)]
NUMBERS = np.concatenate([RNG.normal(size=N - 5), [0.0, 1e-9, 1e3, -7.0, np.pi]])


def filled(call, size):
    """What a function of MuJoCo's writes, for each row of its arguments."""

    def rows(*arguments):
        out = np.full((N, size), np.nan)
        for k, row in enumerate(out):
            call(row, *(x[k] if isinstance(x, np.ndarray) else x for x in arguments))
        return out

    return rows


def integrated(quat, vel, scale):
    out = quat.copy()
    for k in range(N):
        mujoco.mju_quatIntegrate(out[k], vel[k], scale[k])
    return out


def normalized(quat):
    out = quat.copy()
    for row in out:
        mujoco.mju_normalize4(row)
    return out


def posed(call, *arguments):
    pos, quat = np.full((N, 3), np.nan), np.full((N, 4), np.nan)
    for k in range(N):
        call(pos[k], quat[k], *(x[k] for x in arguments))
    return pos, quat


assert len(VECTORS) == len(MATRICES) == N

CASES = {
    "mul_quat": ((QUATS, OTHERS), filled(mujoco.mju_mulQuat, 4)),
    "neg_quat": ((QUATS,), filled(mujoco.mju_negQuat, 4)),
    "rot_vec_quat": ((VECTORS, OTHERS), filled(mujoco.mju_rotVecQuat, 3)),
    "mul_quat_axis": ((QUATS, VECTORS), filled(mujoco.mju_mulQuatAxis, 4)),
    "axis_angle_to_quat": ((VECTORS, NUMBERS), filled(mujoco.mju_axisAngle2Quat, 4)),
    "quat_to_vel": ((QUATS, 0.3), filled(mujoco.mju_quat2Vel, 3)),
    "sub_quat": ((QUATS, OTHERS), filled(mujoco.mju_subQuat, 3)),
    "quat_to_mat": ((QUATS,), filled(mujoco.mju_quat2Mat, 9)),
    "mat_to_quat": ((MATRICES,), filled(mujoco.mju_mat2Quat, 4)),
    "deriv_quat": ((QUATS, VECTORS), filled(mujoco.mju_derivQuat, 4)),
    "quat_integrate": ((OTHERS, VECTORS, NUMBERS), integrated),
    "quat_z_to_vec": ((VECTORS,), filled(mujoco.mju_quatZ2Vec, 4)),
    "normalize4": ((QUATS,), normalized),
    "trn_vec_pose": ((VECTORS, OTHERS, VECTORS[::-1]), filled(mujoco.mju_trnVecPose, 3)),
    "mul_pose": (
        (VECTORS, QUATS, VECTORS[::-1], OTHERS),
        lambda *x: posed(mujoco.mju_mulPose, *x),
    ),
    "neg_pose": ((VECTORS, QUATS), lambda *x: posed(mujoco.mju_negPose, *x)),
}
ELSEWHERE = {"euler_to_quat", "mat_to_rot", "transform_spatial"}


@pytest.mark.parametrize("name", CASES)
def test_twin(name):
    arguments, theirs = CASES[name]
    twins.same(name, getattr(frames, name)(*arguments), theirs(*arguments), tolerance=1e-14)


def test_every_function_has_a_twin_here():
    functions = dict(inspect.getmembers(frames, inspect.isfunction))
    public = {name for name in functions if not name.startswith("_")}
    assert public == {*CASES, *ELSEWHERE}
    for name in public:
        assert f"mju_{name.split('_')[0]}" in functions[name].__doc__, name


@pytest.mark.parametrize("seq", ["xyz", "XYZ", "zyx", "xYz", "ZxY", "yyy", "XzX"])
def test_euler_angles(seq):
    ours = frames.euler_to_quat(VECTORS, seq)
    theirs = filled(mujoco.mju_euler2Quat, 4)(VECTORS, seq)
    twins.same("euler_to_quat", ours, theirs, seq, 1e-14)


@pytest.mark.parametrize("force", [False, True])
def test_6_vectors(force):
    vec, old = RNG.normal(size=(N, 6)), VECTORS[::-1].copy()
    theirs = filled(mujoco.mju_transformSpatial, 6)(vec, force, VECTORS, old, MATRICES)
    ours = frames.transform_spatial(vec, force, VECTORS, old, MATRICES)
    twins.same("transform_spatial", ours, theirs, tolerance=1e-14)
    eye = np.tile(np.eye(3).ravel(), (N, 1))
    twins.same(
        "transform_spatial", frames.transform_spatial(vec, force, VECTORS, old),
        filled(mujoco.mju_transformSpatial, 6)(vec, force, VECTORS, old, eye), tolerance=1e-14,
    )  # fmt: skip


def test_nearest_rotation():
    """MuJoCo's iteration comes to the same rotation, from anywhere, with one sign or the other."""
    mats = np.concatenate([RNG.normal(size=(30, 9)), frames.quat_to_mat(unit(QUATS[:20])) * 1.3])
    ours = frames.mat_to_rot(mats.reshape(-1, 3, 3))
    for mat, q in zip(mats, ours, strict=True):
        theirs = unit(RNG.normal(size=4))
        mujoco.mju_mat2Rot(theirs, mat)
        assert abs(abs(theirs @ q) - 1.0) < 1e-12
        np.testing.assert_allclose(np.sign(theirs @ q) * theirs, q, atol=1e-6)
    np.testing.assert_array_equal(frames.mat_to_rot(np.eye(3)), (1, 0, 0, 0))


# ---- shapes


def test_any_leading_shape():
    """Every function gives the same of (2, 3, ...) arrays and of their rows."""
    for name, (arguments, _) in CASES.items():
        function = getattr(frames, name)
        some = [x[:6] if isinstance(x, np.ndarray) else x for x in arguments]
        grid = [x.reshape(2, 3, *x.shape[1:]) if isinstance(x, np.ndarray) else x for x in some]
        flat, square = function(*some), function(*grid)
        for a, b in zip(
            *((x,) if isinstance(x, np.ndarray) else x for x in (flat, square)), strict=True
        ):
            np.testing.assert_array_equal(a.reshape(b.shape), b, err_msg=name)


def test_arguments_broadcast():
    assert frames.mul_quat(QUATS[:5, None], OTHERS[:7]).shape == (5, 7, 4)
    assert frames.rot_vec_quat((0, 0, 1), QUATS[:4]).shape == (4, 3)
    assert frames.axis_angle_to_quat((0, 0, 1), np.linspace(0, 1, 6)).shape == (6, 4)
    assert frames.quat_to_vel(QUATS[:3], np.ones((2, 1))).shape == (2, 3, 3)
    assert frames.quat_integrate(QUATS[0], VECTORS[:3], 0.1).shape == (3, 4)
    assert [x.shape for x in frames.mul_pose((0, 0, 1), QUATS[:2], VECTORS[:2], (1, 0, 0, 0))] == [
        (2, 3), (2, 4)
    ]  # fmt: skip
    assert frames.quat_to_mat(np.zeros((0, 4))).shape == (0, 9)


def test_matrices_by_rows_or_square():
    square = MATRICES.reshape(-1, 3, 3)
    np.testing.assert_array_equal(frames.mat_to_quat(square), frames.mat_to_quat(MATRICES))


def test_arguments_are_left_alone():
    q, v = QUATS.copy(), VECTORS.copy()
    frames.quat_integrate(q, v, 1.0)
    frames.mul_pose(v, q, v, q)
    np.testing.assert_array_equal(q, QUATS)
    np.testing.assert_array_equal(v, VECTORS)
    assert frames.neg_quat(np.ones(4, np.float32)).dtype == np.float64


# ---- mistakes

Q, V = (1, 0, 0, 0), (0, 0, 1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: frames.mul_quat((1, 0, 0), Q), ValueError, r"quat1 .* \(..., 4\), got \(3,\)"),
        (lambda: frames.rot_vec_quat(Q, V), ValueError, r"vec .* \(..., 3\), got \(4,\)"),
        (lambda: frames.mat_to_quat(np.eye(4)), ValueError, r"\(..., 3, 3\), got \(4, 4\)"),
        (lambda: frames.euler_to_quat((0, 0, 0), "xyw"), ValueError, "three letters of xyz"),
        (lambda: frames.euler_to_quat((0, 0, 0), "xy"), ValueError, "got 'xy'"),
        (lambda: frames.euler_to_quat((0, 0, 0), None), ValueError, "got None"),
        (lambda: frames.neg_quat("abcd"), TypeError, "quat takes numbers, got str"),
        (lambda: frames.neg_quat(None), TypeError, "quat takes numbers, got NoneType"),
        (lambda: frames.transform_spatial(V, 0, V, V), ValueError, r"vec .* \(..., 6\), got"),
    ],
)  # fmt: skip
def test_mistakes(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_needs_numpy_only():
    """In a process that can import nothing of the engine, nor what the engine needs."""
    code = """
import sys
for name in ("llvmlite", "mujoco"):
    sys.modules[name] = None
import lanewise as lw
engine = [n for n in sys.modules if n.startswith("lanewise.engine")]
print(lw.frames.mul_quat((0, 1, 0, 0), (0, 1, 0, 0))[0], engine)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "-1.0 []", done.stderr
