"""Arrays of NumPy, PyTorch or JAX: taken apart into components, put together, and checked.

Conversions are written on tuples of components, (x, y, z) or (w, x, y, z), with + - * / only. So
the same lines work for all three libraries and keep their gradients. Only the two ends, `split` and
`join`, know what kind of array it is.

Nothing is repaired: a quaternion that is not of unit length, a NaN or a wrong number of components
raises ConventionError and says which one it was. Values that JAX or PyTorch only trace (under jit,
vmap, compile) cannot be looked at, and are not checked.
"""

import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..errors import ConventionError

Components = tuple[Any, ...]

# how far from one the length of a quaternion may be; of float32 it is a few 1e-7 after arithmetic
UNIT = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2, "bfloat16": 3e-2}

BLOCK = 4096  # rows of NumPy arrays that are worked on at a time, so that they stay in the cache


def namespace(*arrays: Any) -> Any:
    """The library of some arrays: torch or jax.numpy if one of them is of it, or else numpy."""
    for x in arrays:
        library = type(x).__module__.split(".")[0]
        if library == "torch":
            return sys.modules["torch"]
        if library in ("jax", "jaxlib"):
            return sys.modules["jax"].numpy
    return np


def as_array(x: Any, name: str, *, like: Any = None) -> Any:
    """x as an array of real numbers, of the library it is from (or `like` is from)."""
    xp = namespace(x, like)
    if xp is not np:
        if namespace(x) is xp:
            return x if is_float(x) else x * 1.0
        if xp.__name__ == "torch":
            return xp.as_tensor(np.asarray(x, float), dtype=like.dtype, device=like.device)
        return xp.asarray(np.asarray(x, float), dtype=like.dtype)
    try:
        out = np.asarray(x)
        if not is_float(out):
            out = out.astype(float, casting="same_kind" if out.dtype.kind in "iub" else "safe")
    except (TypeError, ValueError):
        raise ConventionError(f"{name} must be an array of numbers; got {_described(x)}") from None
    return out


def is_float(x: Any) -> bool:
    return "float" in str(x.dtype)


def _described(x: Any) -> str:
    text = repr(x)
    return text if len(text) < 60 else f"{type(x).__name__} {text[:50]}..."


def concrete(x: Any) -> np.ndarray | None:
    """The numbers of an array, without gradients; None if they are not there yet."""
    xp = namespace(x)
    if xp is np:
        return x
    if xp.__name__ == "torch":
        if xp.compiler.is_compiling():
            return None
        try:
            x = x.detach().cpu()
            return x.numpy() if str(x.dtype) != "torch.bfloat16" else x.float().numpy()
        except RuntimeError:  # within torch.func, or on the meta device
            return None
    if isinstance(x, sys.modules["jax"].core.Tracer):
        return None
    return np.asarray(x)


# ---- components


def split(x: Any) -> Components:
    """The components of the last axis; contiguous copies, if it is an array of NumPy."""
    if namespace(x) is np:
        return tuple(np.moveaxis(x, -1, 0).copy())
    return tuple(x[..., i] for i in range(x.shape[-1]))


def join(parts: Sequence[Any], out: np.ndarray | None = None) -> Any:
    """Components, each broadcast to all, along a new last axis."""
    xp = namespace(*parts)
    if xp is np:
        if out is None:
            shape = np.broadcast_shapes(*(np.shape(p) for p in parts))
            typed = [p for p in parts if hasattr(p, "dtype")]  # arrays, and scalars of NumPy
            out = np.empty((*shape, len(parts)), np.result_type(*typed) if typed else float)
        for i, part in enumerate(parts):
            out[..., i] = part
        return out
    arrays = [p for p in parts if namespace(p) is xp]
    zero = sum(p * 0 for p in arrays)
    return xp.stack([p + zero for p in parts], -1)


# ---- checks


def check_last(x: Any, number: int | tuple[int, ...], name: str, what: str = "") -> None:
    """The last axes of x must be `number` long."""
    shape = (number,) if isinstance(number, int) else number
    if tuple(x.shape[-len(shape) :]) != shape:
        wanted = ", ".join(map(str, shape))
        raise ConventionError(
            f"{name} must have shape (..., {wanted}){f', {what}' if what else ''};"
            f" got {tuple(x.shape)}"
        )


def check_finite(x: Any, name: str) -> None:
    numbers = concrete(x)
    if numbers is not None and not np.isfinite(numbers).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(numbers))[0])
        raise ConventionError(f"{name} has {numbers[where]} at index {_place(where)}")


def check_unit(x: Any, name: str) -> None:
    """Quaternions along the last axis must be finite and of unit length."""
    numbers = concrete(x)
    if numbers is None:
        return
    most = tolerance(x)

    def good(rows: np.ndarray) -> np.ndarray:
        square = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
        return np.abs(square - 1.0) <= 2 * most

    where = first_that_is_not(good, numbers, numbers.shape[-1:])
    if where is not None:
        check_finite(numbers, name)
        length = float(np.linalg.norm(np.asarray(numbers[where], np.float64)))
        what = "is zero" if length == 0.0 else f"has length {length:.6g}"
        raise ConventionError(
            f"{name}{_at(where)} {what}; a rotation needs length 1. Nothing is normalized here:"
            " divide by the length if that is what you mean"
        )


def check_rotation(R: Any, name: str) -> None:
    """Matrices in the last two axes must be rotations: orthonormal and right-handed."""
    numbers = concrete(R)
    if numbers is None:
        return
    most = 3 * tolerance(R)

    def good(rows: np.ndarray) -> np.ndarray:
        a, b, c, d, e, f, g, h, i = split(rows.astype(np.float64))
        right = (b * f - c * e) * g + (c * d - a * f) * h + (a * e - b * d) * i > 0.0
        for x, y, product in (
            ((a, d, g), (a, d, g), 1.0), ((b, e, h), (b, e, h), 1.0), ((c, f, i), (c, f, i), 1.0),
            ((a, d, g), (b, e, h), 0.0), ((a, d, g), (c, f, i), 0.0), ((b, e, h), (c, f, i), 0.0),
        ):  # fmt: skip
            right &= np.abs(x[0] * y[0] + x[1] * y[1] + x[2] * y[2] - product) <= most
        return right

    where = first_that_is_not(good, numbers, (3, 3))
    if where is not None:
        check_finite(numbers, name)
        one = np.asarray(numbers[where], np.float64)
        off = np.abs(one.T @ one - np.eye(3)).max()
        if off > most:
            raise ConventionError(
                f"{name}{_at(where)} is no rotation: R'R differs from 1 by {off:.3g}"
            )
        raise ConventionError(
            f"{name}{_at(where)} is left-handed (determinant -1): it mirrors, and no rotation does"
        )


def tolerance(x: Any) -> float:
    """How far from one the length of a quaternion of the type of x may be."""
    return UNIT.get(str(x.dtype).split(".")[-1], 1e-6)


def first_that_is_not(
    good: Callable[[np.ndarray], np.ndarray], numbers: np.ndarray, shape: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The place, in the axes before `shape`, of the first that is not good; NaN never is."""
    rows = numbers.reshape(-1, prod(shape))
    for k in range(0, len(rows), BLOCK):
        fine = good(rows[k : k + BLOCK])
        if not fine.all():
            lead = numbers.shape[: numbers.ndim - len(shape)]
            return tuple(int(i) for i in np.unravel_index(k + int(np.argmin(fine)), lead))
    return None


def _place(where: tuple[int, ...]) -> str:
    return str(where[0] if len(where) == 1 else where)


def _at(where: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, where))}]" if where else ""


def choice(value: Any, allowed: Sequence[str], name: str) -> str:
    """value, if it is one of the allowed words."""
    if value not in allowed:
        raise ConventionError(f"{name} must be one of {', '.join(allowed)}; got {value!r}")
    return value
