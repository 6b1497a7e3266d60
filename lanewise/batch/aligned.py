"""Memory that threads write side by side."""

import math
from typing import Any

import numpy as np

LINE = 64  # bytes in a cache line


def aligned(shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Zeros that begin at a cache line, so that no two gangs of rows share one."""
    dtype = np.dtype(dtype)
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes >= 2**62:
        raise MemoryError(f"an array of shape {shape} would have {nbytes:.3g} bytes")
    memory = np.zeros(nbytes + LINE, np.uint8)
    start = -memory.ctypes.data % LINE
    return memory[start : start + nbytes].view(dtype).reshape(shape)
