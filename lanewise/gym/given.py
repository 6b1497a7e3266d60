"""What environments are given, checked: numbers, seeds, masks, actions, modes."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from ..errors import whole_number


def at_least(least: int, value: Any, name: str) -> int:
    if (n := whole_number(value, name)) < least:
        raise ValueError(f"{name} must be at least {least}, got {n}")
    return n


def seeds_of(seed: Any, n: int) -> list[int | None]:
    """A seed for each of n environments: as they are given, or from one number on."""
    if seed is None:
        return [None] * n
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        if seed < 0:
            raise ValueError(f"a seed is not negative, got {seed}")
        return [int(seed) + i for i in range(n)]
    seeds = list(seed)
    if len(seeds) != n:
        raise ValueError(f"seed is a number or one for each of {n} environments, got {len(seeds)}")
    return [None if s is None else at_least(0, s, "a seed") for s in seeds]


def masked(mask: Any, n: int) -> np.ndarray:
    """The environments of a mask to be reset."""
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"options['reset_mask'] is a bool array of shape ({n},), got {mask.dtype} {mask.shape}"
        )
    if not mask.any():
        raise ValueError("options['reset_mask'] must have at least one True")
    return np.flatnonzero(mask)


def checked_actions(actions: Any, shape: tuple[int, ...] | None) -> np.ndarray:
    """Actions of this shape, all of them numbers."""
    actions = np.asarray(actions)
    if actions.shape != shape:
        raise ValueError(
            f"actions have shape {shape}, a row for each environment; got {actions.shape}"
        )
    if actions.dtype.kind not in "fiu":
        raise TypeError(f"actions are numbers, got {actions.dtype}")
    if np.count_nonzero(np.isfinite(actions)) < actions.size:
        bad = ~np.isfinite(actions).all(axis=1)
        raise ValueError(f"actions of environments {some(bad)} have NaN or infinite numbers")
    return actions


def some(mask: np.ndarray) -> str:
    """The first few of a mask."""
    which = np.flatnonzero(mask)
    more = "" if len(which) <= 5 else f", ... ({len(which)} in all)"
    return ", ".join(map(str, which[:5].tolist())) + more


def autoreset(mode: Any) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    for known in AutoresetMode:
        if isinstance(mode, str) and mode in (known.value, known.name):
            return known
    choices = ", ".join(repr(known.value) for known in AutoresetMode)
    raise ValueError(f"autoreset_mode is one of {choices}, got {mode!r}")


def float_dtype(dtype: Any) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"observations are float32 or float64, not {dtype}")
    return dtype
