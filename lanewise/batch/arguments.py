"""What users pass to a Batch, checked before anything runs; errors say what would be right."""

import operator
import os
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..components import USER, component_names, spec_bits, state_parts
from ..errors import whole_number
from ..model import Model

_STAGES = "0 (none), 1 (position), 2 (velocity) or 3 (acceleration)"


def processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written."""
    view = array[...]
    view.flags.writeable = False
    return view


def check_int(value: Any, name: str, least: int, most: int = 2**62) -> int:
    number = whole_number(value, name)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {number}")
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {number}")
    return number


def check_nthread(nthread: Any) -> int:
    """The number of threads; 0 is one for each processor."""
    number, here = whole_number(nthread, "nthread"), processors()
    most = max(256, 4 * here)
    if number < 0:
        raise ValueError(f"nthread must be at least 0, got {number}")
    if number > most:
        raise ValueError(
            f"nthread must be at most {most}, got {number}: more threads than processors are no"
            f" faster, and there are {here} here; 0 takes one for each"
        )
    return number or here


def check_cpu_ids(cpu_ids: Any, nthread: int) -> tuple[int, ...] | None:
    """Processors for the first of nthread threads, or None if the system chooses."""
    if cpu_ids is None:
        return None
    if not hasattr(os, "sched_setaffinity"):
        raise ValueError(f"cpu_ids: this system ({sys.platform}) has no way to choose processors")
    if isinstance(cpu_ids, str) or not isinstance(cpu_ids, Iterable):
        raise TypeError(f"cpu_ids must be a sequence of processors, got {cpu_ids!r}")
    ids = tuple(whole_number(cpu, "cpu_ids") for cpu in cpu_ids)
    if len(ids) > nthread:
        raise ValueError(f"cpu_ids must be at most one for each of {nthread} threads, got {ids}")
    here = os.sched_getaffinity(0)
    for cpu in ids:
        if cpu not in here:
            known = ", ".join(map(str, sorted(here)))
            raise ValueError(
                f"cpu_ids must be among {known}, which this process may use, got {cpu}"
            )
    if len(set(ids)) < len(ids):
        raise ValueError(f"cpu_ids must be different processors, got {ids}")
    return ids


def check_index(sim: Any, nsim: int) -> int:
    number = whole_number(sim, "sim")
    if not 0 <= number < nsim:
        raise IndexError(f"sim must be in [0, {nsim}), got {number}")
    return number


def check_stage(stage: Any) -> int:
    try:
        number = int(stage) if hasattr(stage, "value") else operator.index(stage)
    except TypeError:
        raise TypeError(f"stage must be {_STAGES}, got {stage!r}") from None
    if not 0 <= number <= 3:
        raise ValueError(f"stage must be {_STAGES}, got {number}")
    return number


def check_skipstage(stage: Any) -> int:
    """A stage that can be skipped, by its number in mjtStage."""
    number = int(stage) if hasattr(stage, "value") else whole_number(stage, "skipstage")
    if not 0 <= number <= 2:
        raise ValueError(
            "skipstage must be 0 (nothing is skipped), 1 (positions) or 2 (positions and"
            f" velocities), got {number}"
        )
    return number


def make_ids(ids: Any, nsim: int) -> np.ndarray | None:
    """int64 ids of sorted unique numbers or a mask; None for all worlds."""
    if ids is None:
        return None
    ids = np.asarray(ids)
    if ids.ndim == 0 and ids.dtype.kind in "iu":
        raise ValueError(
            f"ids must be a sequence of worlds or a mask, got {ids}: for one world say ids=[{ids}],"
            f" for a number of steps nstep={ids}"
        )
    if ids.dtype == bool:
        if ids.shape != (nsim,):
            raise ValueError(f"a boolean mask for ids must have shape ({nsim},), got {ids.shape}")
        return None if ids.all() else ids.nonzero()[0].astype(np.int64, copy=False)
    if ids.ndim != 1:
        raise ValueError(f"ids must be one-dimensional, got shape {ids.shape}")
    if ids.size == 0:
        return np.zeros(0, np.int64)
    if ids.dtype.kind not in "iu":
        raise ValueError(f"ids must be integers or a boolean mask, got {ids.dtype}")
    # compared, not subtracted: unsigned numbers would wrap around
    if np.count_nonzero(ids[1:] > ids[:-1]) < len(ids) - 1:
        k = np.flatnonzero(ids[:-1] >= ids[1:])[0]
        raise ValueError(f"ids must be sorted and unique, got {ids[k]} before {ids[k + 1]}")
    if ids[0] < 0 or ids[-1] >= nsim:
        raise ValueError(f"ids must be in [0, {nsim}), got {ids[0] if ids[0] < 0 else ids[-1]}")
    return np.ascontiguousarray(ids, np.int64)


def numbers(value: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    """value as numbers that fill the shape, or an error that names the field."""
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} takes numbers, got {type(value).__name__}")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(
            f"{name} takes shape {shape} or what broadcasts to it, got {array.shape}"
        ) from None


def int32s(x: Any, shape: tuple[int, ...], low: int, high: int, name: str) -> np.ndarray:
    """Integers in [low, high), broadcast to the shape."""
    x = np.asarray(x)
    if x.dtype.kind not in "iu":
        raise ValueError(f"{name} must be names or integers, got {x.dtype}")
    bad = x[(x < low) | (x >= high)]
    if bad.size:
        raise ValueError(f"{name} must be in [{low}, {high}), got {bad.flat[0]}")
    try:
        return np.ascontiguousarray(np.broadcast_to(x, shape), np.int32)
    except ValueError:
        raise ValueError(f"{name} takes one number or shape {shape}, got {x.shape}") from None


def check_float(dtype: Any, name: str = "records") -> np.dtype:
    """float64 or float32."""
    found = np.dtype(np.float64 if dtype is None else dtype)
    if found not in (np.float64, np.float32):
        raise ValueError(f"{name}: dtype must be float64 or float32, got {found}")
    return found


def keyframes(keyframe: Any, n: int, nkey: int) -> np.ndarray:
    """A keyframe for each world of a call; -1 for the reference state."""
    return int32s(keyframe, (n,), -1, nkey, "keyframe").astype(np.int64)


def control_parts(model: Model, spec: Any) -> tuple[list[tuple[int, int, int]], int]:
    """`state_parts` of inputs only."""
    bits = spec_bits(spec, "control_spec")
    if bits & ~USER:
        inputs, others = (", ".join(component_names(x)) for x in (USER, bits & ~USER))
        raise ValueError(f"control_spec must be a subset of mjSTATE_USER ({inputs}), got {others}")
    return state_parts(model, bits)


def record_buffer(item: Any, given: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """The caller's array for a record, or a new one."""
    if given is None:
        return np.empty(shape, dtype)
    ok = (
        isinstance(given, np.ndarray) and given.shape == shape and given.dtype == dtype
        and given.flags.c_contiguous and given.flags.writeable
    )  # fmt: skip
    if not ok:
        raise ValueError(
            f"out[{item!r}] must be a writable C-contiguous {np.dtype(dtype)} array of shape"
            f" {shape}"
        )
    return given
