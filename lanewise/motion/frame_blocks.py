"""Frames in blocks that fit into a cache, on all threads: NumPy does not hold Python meanwhile."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

BLOCK = 1024  # frames
MOST_THREADS = 8


def threads() -> int:
    """How many work at once."""
    return min(os.cpu_count() or 1, MOST_THREADS)


def by_blocks(frames: int, call: Callable[[slice], None]) -> None:
    """call(part) for all parts of so many frames, in any order."""
    parts = [slice(k, min(k + BLOCK, frames)) for k in range(0, frames, BLOCK)]
    if len(parts) < 2:
        for part in parts:
            call(part)
        return
    with ThreadPoolExecutor(threads()) as pool:
        for done in [pool.submit(call, part) for part in parts]:
            done.result()
