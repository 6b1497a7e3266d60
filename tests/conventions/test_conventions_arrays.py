"""The same functions on arrays of NumPy, PyTorch and JAX: values, types and errors."""

import re
from math import sqrt

import numpy as np
import pytest

from lanewise.conventions import arrays
from lanewise.conventions.rotations import convert_quaternion, convert_rotation, orthonormalize
from lanewise.conventions.spatial import adjoint, shift_twist, shift_wrench
from lanewise.conventions.state import Body, convert_free_state, convert_wrench
from lanewise.conventions.systems import SYSTEMS
from lanewise.errors import ConventionError
from support.array_calls import (
    BODY,
    CALLS,
    CASES,
    COM,
    LIBRARIES,
    Q,
    V,
    array_functions,
    as_tuple,
)


@pytest.mark.parametrize(("library", "name", "dtype"), [
    *((*case, np.float64) for case in CASES),
    *(("torch", name, np.float32) for name in CALLS),
    ("jax", "free_state", np.float32), ("jax", "axis_angle_to", np.float32),
])  # fmt: skip
def test_the_same_numbers(library, name, dtype):
    make, numbers = array_functions(library)
    call, args = CALLS[name]
    want = as_tuple(call(*args))
    args = [make(x.astype(dtype)) for x in args]
    for one, known in zip(as_tuple(call(*args)), want, strict=True):
        assert type(one) is type(args[0])
        assert numbers(one).dtype == dtype and numbers(one).shape == known.shape
        scale = max(1.0, np.abs(known).max())
        assert np.abs(numbers(one) - known).max() < scale * (1e-5 if dtype == np.float32 else 1e-14)


@pytest.mark.parametrize("name", CALLS)
def test_single_precision_stays(name):
    call, args = CALLS[name]
    made = as_tuple(call(*(x.astype(np.float32) for x in args)))
    assert all(x.dtype == np.float32 for x in made)


@pytest.mark.parametrize("name", [name for name in CALLS if name != "unwrap_signs"])
@pytest.mark.parametrize("kind", ["numpy", "torch"])
def test_one_none_and_many(name, kind):
    """No leading axes, empty ones and several give the same numbers as one axis."""
    make = np.asarray if kind == "numpy" else pytest.importorskip("torch").tensor
    call, args = CALLS[name]
    want = as_tuple(call(*args))
    one = as_tuple(call(*(make(x[1]) for x in args)))
    many = as_tuple(call(*(make(np.stack([x, x])[:, None]) for x in args)))
    none = as_tuple(call(*(make(x[:0]) for x in args)))
    for a, b, c, d in zip(want, one, many, none, strict=True):
        atol = 1e-14 * max(1.0, np.abs(a).max())
        np.testing.assert_allclose(np.asarray(b), a[1], atol=atol, rtol=0)
        np.testing.assert_allclose(np.asarray(c)[1, 0], a, atol=atol, rtol=0)
        assert d.shape == (0, *a.shape[1:])
        assert np.asarray(b).dtype == np.asarray(d).dtype == np.float64


def test_plain_numbers_beside_tensors():
    torch = pytest.importorskip("torch")
    made = shift_twist(torch.tensor(V), (0.1, 0.2, 0.3), "linear_first")
    np.testing.assert_allclose(made.numpy(), shift_twist(V, (0.1, 0.2, 0.3), "linear_first"))
    com = torch.tensor(COM, dtype=torch.float64, requires_grad=True)
    made = convert_free_state(torch.tensor(Q), torch.tensor(V), "newton", "mujoco",
                              body=Body(com=com))[1]  # fmt: skip
    made.sum().backward()
    # v_origin = v_com - w x R c, so the slope of its sum is a sum of R' (w x ones)
    R = convert_rotation(Q[:, 3:], "xyzw", "matrix")
    want = np.einsum("nij,ni->j", R, np.cross(V[:, 3:], np.ones(3)))
    np.testing.assert_allclose(com.grad.numpy(), want, atol=1e-13)


# ---- errors


@pytest.mark.parametrize(("words", "call"), [
    ("x[1] has length 2", lambda a: convert_rotation(a([[1.0, 0, 0, 0], [2, 0, 0, 0]]), "wxyz",
                                                     "matrix")),
    ("x has nan at index 1", lambda a: convert_rotation(a([0.0, np.nan, 0]), "axis_angle", "wxyz")),
    ("x is left-handed", lambda a: convert_rotation(a(-np.eye(3)), "matrix", "wxyz")),
    ("x is no rotation", lambda a: convert_rotation(a([1.0, 0, 0, 1, 1, 0]), "sixd_columns",
                                                    "wxyz")),
    ("x must have shape (..., 4)", lambda a: convert_rotation(a([1.0, 0, 0]), "wxyz", "matrix")),
    ("along one line", lambda a: orthonormalize(a([1.0, 0, 0, 1, 0, 0]), "sixd_columns")),
    ("the quaternion of q is zero", lambda a: convert_free_state(a([0.0] * 7), None, "mujoco",
                                                                 "ros")),
    ("out= is for arrays of NumPy", lambda a: convert_quaternion(
        a([1.0, 0, 0, 0]), "wxyz", "xyzw", out=np.empty(4))),
])  # fmt: skip
@pytest.mark.parametrize("library", LIBRARIES)
def test_errors_of_other_libraries(library, words, call):
    with pytest.raises(ConventionError, match=re.escape(words)):
        call(array_functions(library)[0])


POSE = [0.0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(("words", "call"), [
    ("twist must have shape (..., 6); got (5,)",
     lambda: shift_twist(np.ones(5), np.ones(3), "linear_first")),
    ("r must have shape (..., 3); got (2,)",
     lambda: shift_twist(np.ones(6), np.ones(2), "linear_first")),
    ("twist has nan at index 2",
     lambda: shift_twist([0, 0, np.nan, 0, 0, 0], np.ones(3), "linear_first")),
    ("r has inf at index 0", lambda: shift_wrench(np.ones(6), [np.inf, 0, 0], "force_first")),
    ("order must be one of linear_first, angular_first; got 'force_first'",
     lambda: shift_twist(np.ones(6), np.ones(3), "force_first")),
    ("order must be one of force_first, torque_first; got None",
     lambda: shift_wrench(np.ones(6), np.ones(3), None)),
    ("R must have shape (..., 3, 3)", lambda: adjoint(np.eye(4), np.ones(3), "linear_first")),
    ("order must be one of linear_first", lambda: adjoint(np.eye(3), np.ones(3), "spatial")),
    ("R is left-handed", lambda: adjoint(-np.eye(3), np.ones(3), "linear_first")),
    ("p has nan at index 0", lambda: adjoint(np.eye(3), [np.nan, 0, 0], "linear_first")),
    ("q must have shape (..., 7), a pose of mujoco: [x y z qw qx qy qz]; got (6,)",
     lambda: convert_free_state(np.ones(6), None, "mujoco", "ros")),
    ("v must have shape (..., 6), the velocity of a free body of mujoco; got (7,)",
     lambda: convert_free_state(POSE, np.ones(7), "mujoco", "ros")),
    ("unknown system 'mujcoo' (did you mean 'mujoco'?); known are mujoco, newton",
     lambda: convert_free_state(POSE, None, "mujcoo", "ros")),
    ("unknown system 'issac'", lambda: convert_free_state(POSE, None, "mujoco", "issac")),
    ("unknown system None", lambda: convert_wrench(np.ones(6), None, "mujoco")),
    ("give body=Body(com=...), the centre of mass in the body frame (zeros if it is there)",
     lambda: convert_free_state(POSE, np.ones(6), "mujoco", "newton")),
    ("give body=Body(com=..., inertia=...) or principal=",
     lambda: convert_free_state(POSE, np.ones(6), "mujoco", "pybullet", body=Body(com=COM))),
    ("body must be a Body, as in Body(com=(0, 0, 0.1)); got (0, 0, 1)",
     lambda: convert_free_state(POSE, np.ones(6), "mujoco", "newton", body=(0, 0, 1))),
    ("the quaternion of q has length 2",
     lambda: convert_free_state([0, 0, 0, 2, 0, 0, 0], None, "mujoco", "ros")),
    ("q has nan at index 0",
     lambda: convert_free_state([np.nan, 0, 0, 1, 0, 0, 0], None, "mujoco", "ros")),
    ("give the pose of the body", lambda: convert_wrench(np.ones(6), "mujoco", "pinocchio")),
    ("leading axes do not fit together: (2, 7), (3, 6)",
     lambda: convert_free_state([POSE] * 2, np.ones((3, 6)), "mujoco", "ros")),
    ("com must have shape (..., 3)", lambda: Body(com=(0, 0))),
    ("com has nan", lambda: Body(com=(0, 0, np.nan))),
    ("mass must be positive; got -1", lambda: Body(com=COM, mass=-1)),
    ("inertia must be symmetric", lambda: Body(inertia=np.eye(3) + np.eye(3, k=1) * 0.1)),
    ("inertia must be positive definite", lambda: Body(inertia=(1, 1, -1))),
    ("inertia must have shape (3,) or (3, 3); got (6,)", lambda: Body(inertia=np.ones(6))),
    ("principal is left-handed", lambda: Body(principal=-np.eye(3))),
    ("out must be", lambda: convert_free_state(POSE, np.ones(6), "mujoco", "ros",
                                               out=(np.empty((2, 7)), np.empty((2, 6))))),
])  # fmt: skip
def test_errors_of_states_and_wrenches(words, call):
    with pytest.raises(ConventionError, match=re.escape(words)):
        call()


# ---- components


def test_join_keeps_the_type_of_numbers_without_axes():
    for dtype in (np.float64, np.float32):
        made = arrays.join(arrays.split(np.array([1 / 3, 2 / 3], dtype)))
        assert made.dtype == dtype and made[0] == dtype(1 / 3)
    assert arrays.join((np.ones(3, np.float32), 2.0)).dtype == np.float32


def test_shift_of_one_twist_by_hand():
    """v + w x r of plain lists, to the last digit."""
    made = shift_twist([1.0, 2, 3, 0.1, 0.2, 0.3], [1.0, 0, 0], "linear_first")
    assert made.dtype == np.float64
    np.testing.assert_allclose(made, [1, 2.3, 2.8, 0.1, 0.2, 0.3], atol=1e-15, rtol=0)
    made = shift_wrench([1.0, 2, 3, 0.1, 0.2, 0.3], [1.0, 0, 0], "force_first")
    np.testing.assert_allclose(made, [1, 2, 3, 0.1, 3.2, -1.7], atol=1e-15, rtol=0)


def test_every_system_with_tensors():
    """All rows, to the one that has most that is its own, by way of torch."""
    torch = pytest.importorskip("torch")
    for name in SYSTEMS:
        q, v = convert_free_state(Q, V, "newton", name, body=BODY)
        made = convert_free_state(torch.tensor(Q), torch.tensor(V), "newton", name, body=BODY)
        for one, known in zip(made, (q, v)):
            np.testing.assert_allclose(one.numpy(), known, atol=1e-13 * np.abs(known).max())


def test_half_the_precision():
    torch = pytest.importorskip("torch")
    q = torch.tensor([[0.5, 0.5, 0.5, 0.5], [sqrt(0.5), 0, 0, sqrt(0.5)]], dtype=torch.bfloat16)
    made = convert_rotation(q, "wxyz", "matrix")
    assert made.dtype == torch.bfloat16
    np.testing.assert_allclose(
        made[0].float().numpy(), [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=0.02
    )
