"""Large arrays of NumPy, a block of rows at a time, so that the work stays in the cache."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..errors import ConventionError
from .arrays import BLOCK, Components, is_float, join, namespace, split


def blockwise(
    convert: Callable[..., list[Components]], arrays: list[Any], widths: tuple[int, ...],
    out: Any, beside: Any = None,
) -> list[Any]:  # fmt: skip
    """`convert` on the components of some arrays; of NumPy in blocks of rows.

    The results have `widths` components each. `out` are arrays to write them into, or None; they
    may be the arrays themselves. `beside` is an array that `convert` uses too: if it has rows of
    its own, all is one block.
    """
    beside = np.zeros(1) if beside is None else beside
    if namespace(*arrays, beside) is not np:
        if out is not None:
            raise ConventionError("out= is for arrays of NumPy")
        return [join(parts) for parts in convert(*(split(x) for x in arrays))]
    shape = _common_shape(*arrays, beside)
    if out is None:
        made = [np.empty((*shape, n), np.result_type(*arrays)) for n in widths]
    else:
        made = _outputs(out, [(*shape, n) for n in widths])
        arrays = [_apart(x, made) for x in arrays]
    if np.ndim(beside) > 1:
        blocks = [(arrays, made)]
    else:
        flat = [np.broadcast_to(x, (*shape, x.shape[-1])).reshape(-1, x.shape[-1]) for x in arrays]
        rows = [x.reshape(-1, x.shape[-1]) for x in made]
        starts = range(0, len(rows[0]), BLOCK)
        blocks = [([x[k : k + BLOCK] for x in flat], [y[k : k + BLOCK] for y in rows])
                  for k in starts]  # fmt: skip
    for taken, given in blocks:
        for parts, y in zip(convert(*(split(x) for x in taken)), given, strict=True):
            join(parts, out=y)
    return made


def by_components(
    convert: Callable[[Components], Components], x: Any, shape: tuple[int, ...],
    made: tuple[int, ...], out: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """`convert` on the components of x, whose last axes are `shape`, to last axes `made`."""
    lead = tuple(x.shape[: len(x.shape) - len(shape)])
    given = None
    if out is not None:
        given = [out]
        if namespace(x) is np:
            given = [_outputs(given, [(*lead, *made)])[0].reshape((*lead, prod(made)))]
    flat = x.reshape((*lead, prod(shape)))
    done = blockwise(lambda parts: [convert(parts)], [flat], (prod(made),), given)
    return done[0].reshape((*lead, *made)) if out is None else out


def _common_shape(*arrays: Any) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(np.shape(x)[:-1] for x in arrays))
    except ValueError:
        shapes = ", ".join(str(np.shape(x)) for x in arrays)
        raise ConventionError(f"leading axes do not fit together: {shapes}") from None


def _outputs(out: Any, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    made = [x for x in out if x is not None]
    if len(made) != len(shapes):
        raise ConventionError(f"out must be {len(shapes)} arrays of NumPy; got {len(made)}")
    for x, shape in zip(made, shapes, strict=True):
        fits = isinstance(x, np.ndarray) and x.shape == shape
        if not fits or not x.flags.c_contiguous or not is_float(x):
            raise ConventionError(
                f"out must be a contiguous array of NumPy, of floats and of shape {shape};"
                f" got {getattr(x, 'shape', x)!r}"
            )
    return made


def _apart(x: np.ndarray, made: list[np.ndarray]) -> np.ndarray:
    """A copy of x, if a block of `made` would be written before it is read."""
    for y in made:
        same = x.ctypes.data == y.ctypes.data and x.shape == y.shape and x.flags.c_contiguous
        if np.may_share_memory(x, y) and not same:
            return x.copy()
    return x
