"""What options take: numbers and ranges of them."""

from typing import Any

import numpy as np

from ...errors import whole_number


def span(value: Any, name: str, least: float = 0.0) -> tuple[float, float]:
    """A number, or a lowest and a highest one."""
    try:
        low, high = (value, value) if np.ndim(value) == 0 else value
        low, high = float(low), float(high)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, or a pair (lowest, highest); got {value!r}") from None
    if not (least <= low <= high < np.inf):
        raise ValueError(
            f"{name} is a number from {least:g} on, or a pair (lowest, highest) of such; got"
            f" {value!r}"
        )
    return low, high


def whole_span(value: Any, name: str) -> tuple[int, int]:
    """A whole number, or a lowest and a highest one."""
    low, high = span(value, name)
    if low != int(low) or high != int(high):
        whole_number(value, name)
        raise ValueError(f"{name} counts in whole numbers, got {value!r}")
    return int(low), int(high)


def one_of(value: Any, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def per_component(value: Any, n: int, name: str) -> np.ndarray:
    """A number, or one for each of n."""
    array = np.asarray(value, float)
    if array.shape not in ((), (n,)):
        raise ValueError(f"{name} is a number, or {n} of them; got shape {array.shape}")
    return array
