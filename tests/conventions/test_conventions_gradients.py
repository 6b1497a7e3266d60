"""Gradients of conversions, against differences and known slopes, and compiled ones."""

from math import pi

import numpy as np
import pytest

from lanewise.conventions import arrays
from lanewise.conventions.rotations import convert_rotation
from support.array_calls import (
    CALLS,
    KINDS,
    SLOPES,
    N,
    array_functions,
    as_tuple,
    is_torch,
    numbers,
    quaternions,
)


def row_sums(made, weights):
    """The weighted sum of all results of each row; rows do not know each other."""
    return sum((w * y).reshape(N, -1).sum(1) for w, y in zip(weights, as_tuple(made)))


def slopes(call, args, weights, step=1e-6):
    """Of the row sums, by central differences."""
    found = []
    for k, x in enumerate(args):
        slope = np.empty_like(x)
        for where in np.ndindex(x.shape[1:]):
            ends = []
            for way in (step, -step):
                moved = [y.copy() for y in args]
                moved[k][(slice(None), *where)] += way
                ends.append(row_sums(call(*moved), weights))
            slope[(slice(None), *where)] = (ends[0] - ends[1]) / (2 * step)
        found.append(slope)
    return found


@pytest.fixture
def lenient(monkeypatch):
    """A central difference steps off the unit sphere; the checks are tested elsewhere."""
    monkeypatch.setattr(arrays, "UNIT", dict.fromkeys(arrays.UNIT, 1e-3))


@pytest.mark.parametrize(("library", "name"), SLOPES)
def test_gradients(library, lenient, name):
    make, back = array_functions(library)
    call, args = CALLS[name]
    weights = [numbers(*y.shape[1:], seed=6) for y in as_tuple(call(*args))]
    want = slopes(call, args, weights)
    found = gradients(lambda *xs: row_sums(call(*xs), list(map(make, weights))).sum(),
                      [make(x) for x in args])  # fmt: skip
    for one, known in zip(found, want, strict=True):
        scale = np.maximum(1.0, np.abs(known).max(axis=-1, keepdims=True))
        assert np.abs((back(one) - known) / scale).max() < 1e-6


def gradients(total, xs):
    if is_torch(xs[0]):
        xs = [x.requires_grad_(True) for x in xs]
        total(*xs).backward()
        return [x.grad for x in xs]
    jax = pytest.importorskip("jax")
    return jax.grad(total, argnums=tuple(range(len(xs))))(*xs)


# rotations at which careless formulas divide by nought: none, half turns, and close to both
AWKWARD = [np.zeros(3)] + [
    angle * np.array(axis) / np.linalg.norm(axis)
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -2, 3))
    for angle in (1e-300, 1e-12, 1e-7, 0.9e-4, 1.1e-4, pi / 2, pi - 1e-12, pi - 1e-7, pi, 2 * pi)
][: N - 1]


@pytest.mark.parametrize(("library", "source", "target"), [
    *(("torch", a, b) for a in KINDS for b in KINDS),
    ("jax", "matrix", "axis_angle"), ("jax", "axis_angle", "euler_zxz_extrinsic_rad"),
])  # fmt: skip
def test_gradients_are_finite_everywhere(library, source, target):
    make, back = array_functions(library)
    x = make(convert_rotation(np.array(AWKWARD), "axis_angle", source))

    def total(x):
        y = convert_rotation(x, source, target)
        return (y + y * y).sum()

    assert np.isfinite(back(gradients(total, [x])[0])).all()


def test_gradients_at_no_turn_and_at_half_turns():
    """Slopes that are known: of small turns, quaternion 1/2 and matrix a skew one; of a half turn
    about x, more turn takes w down by 1/2."""
    torch = pytest.importorskip("torch")

    def slope(source, target, x):
        x = torch.tensor(x, dtype=torch.float64)
        call = lambda x: convert_rotation(x, source, target)  # noqa: E731, it is an argument
        return torch.autograd.functional.jacobian(call, x).numpy()

    def close(made, want):
        np.testing.assert_allclose(made, want, atol=1e-15, rtol=0)

    to_q = slope("axis_angle", "wxyz", [0, 0, 0])
    close(to_q, np.vstack([np.zeros(3), np.eye(3) / 2]))
    to_R = slope("axis_angle", "matrix", [0, 0, 0])
    assert to_R[1, 0].tolist() == [0, 0, 1] and to_R[0, 1].tolist() == [0, 0, -1]
    assert to_R[0, 2].tolist() == [0, 1, 0] and to_R[2, 1].tolist() == [1, 0, 0]
    from_q = slope("wxyz", "axis_angle", [1, 0, 0, 0])
    close(from_q, np.hstack([np.zeros((3, 1)), 2 * np.eye(3)]))
    from_R = slope("matrix", "axis_angle", np.eye(3))
    close(np.einsum("kij,ijl->kl", from_R, to_R), np.eye(3))
    half = slope("axis_angle", "wxyz", [pi, 0, 0])
    close(half, [[-0.5, 0, 0], [0, 0, 0], [0, 1 / pi, 0], [0, 0, 1 / pi]])
    back = slope("wxyz", "axis_angle", [0, 1, 0, 0])
    close(back @ half, np.eye(3))


# ---- compiled and mapped


def test_jax_compiles():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    call, args = CALLS["free_state"]
    made = jax.jit(jax.vmap(call))(*map(jax.numpy.asarray, args))
    for one, known in zip(made, call(*args)):
        np.testing.assert_allclose(np.asarray(one), known, atol=1e-13, rtol=0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch.*")
def test_torch_transforms():
    torch = pytest.importorskip("torch")
    q = torch.tensor(quaternions())
    want = convert_rotation(quaternions(), "wxyz", "axis_angle")

    def call(q):
        return convert_rotation(q, "wxyz", "axis_angle")

    np.testing.assert_allclose(torch.func.vmap(call)(q).numpy(), want, atol=1e-15)
    slope = torch.func.vmap(torch.func.jacfwd(call))(q)
    assert slope.shape == (N, 3, 4) and torch.isfinite(slope).all()
    compiled = torch.compile(call, backend="eager", fullgraph=True)
    np.testing.assert_allclose(compiled(q).numpy(), want, atol=1e-15)
