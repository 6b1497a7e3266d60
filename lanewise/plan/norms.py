"""Norms of residuals, by the names that they have in MuJoCo MPC.

A norm takes residuals (..., n), and up to two parameters p and q, to one number for each row.
NUMBERS has the numbers by which XML files of MuJoCo MPC name them.
"""

from collections.abc import Callable

import numpy as np

from ..errors import no_such

Norm = Callable[[np.ndarray, float, float], np.ndarray]


def _squares(x: np.ndarray) -> np.ndarray:
    return np.einsum("...i,...i->...", x, x)


def _rectified(x: np.ndarray, p: float, q: float) -> np.ndarray:
    """p log(1 + exp(x / p)), which is x where it is large, and 0 where it is far below 0."""
    smooth = p * np.logaddexp(0.0, x / p) if p > 0.0 else np.maximum(x, 0.0)
    return smooth.sum(axis=-1)


# what p and q are if nobody says
DEFAULTS = {
    "null": (0.0, 0.0), "quadratic": (0.0, 0.0), "l22": (0.1, 2.0), "l2": (0.1, 0.0),
    "cosh": (0.1, 0.0), "power": (2.0, 0.0), "smooth_abs": (0.1, 0.0), "smooth_abs2": (0.1, 2.0),
    "rectify": (0.0, 0.0),
}  # fmt: skip
NORMS: dict[str, Norm] = {
    "null": lambda x, p, q: x.sum(axis=-1),
    "quadratic": lambda x, p, q: 0.5 * _squares(x),
    "l22": lambda x, p, q: (_squares(x) ** (q / 2.0) + p**q) ** (1.0 / q) - p,
    "l2": lambda x, p, q: np.sqrt(_squares(x) + p * p) - p,
    "cosh": lambda x, p, q: (p * p * (np.cosh(x / p) - 1.0)).sum(axis=-1),
    "power": lambda x, p, q: (np.abs(x) ** p).sum(axis=-1),
    "smooth_abs": lambda x, p, q: (np.sqrt(x * x + p * p) - p).sum(axis=-1),
    "smooth_abs2": lambda x, p, q: ((np.abs(x) ** q + p**q) ** (1.0 / q) - p).sum(axis=-1),
    "rectify": _rectified,
}
NUMBERS = {
    -1: "null", 0: "quadratic", 1: "l22", 2: "l2", 3: "cosh", 5: "power", 6: "smooth_abs",
    7: "smooth_abs2", 8: "rectify",
}  # fmt: skip


def checked(name: str) -> str:
    """The name, if there is such a norm."""
    if name not in NORMS:
        raise ValueError(no_such("norm", name, NORMS))
    return name
