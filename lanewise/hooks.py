"""Callbacks of MuJoCo's own that somebody has installed in this process.

MuJoCo keeps a pointer for each of its callbacks, one for the whole process, and its step calls what
is there. A step of Lanewise calls nothing of MuJoCo, so a callback would be ignored: it is refused
instead. Kernels look at the pointers themselves (the field `hook_places` of a Model has where they
are), which costs a plain step next to nothing; all else asks `refuse_hooks`.
"""

import ctypes

import numpy as np

# the callbacks that change the physics, and what to use instead
INSTEAD = {
    "control": "give a kernel to lanewise.load(..., control=), or a Python function to"
    " Batch.step(control=)",
    "passive": "give a kernel to lanewise.load(..., passive=)",
    "act_dyn": "give a kernel to lanewise.load(..., act_dyn=)",
    "act_gain": "give a kernel to lanewise.load(..., act_gain=)",
    "act_bias": "give a kernel to lanewise.load(..., act_bias=)",
    "sensor": "give a kernel to lanewise.load(..., sensor=)",
    "contactfilter": "give a kernel to lanewise.load(..., contact_filter=)",
}
NHOOK = len(INSTEAD)

_pointers: dict[str, ctypes.c_void_p] = {}  # MuJoCo's own, by the name of the callback
_runs: list[tuple[ctypes.Array[ctypes.c_char], bytes]] = []  # of them in memory, and none installed


def watch(library: ctypes.CDLL) -> None:
    """Look at the pointers of this library from now on."""
    for name in INSTEAD:
        _pointers[name] = ctypes.c_void_p.in_dll(library, f"mjcb_{name}")
    places = np.sort(hook_places())
    # most lie side by side; the clock's, which is always installed, may be among them
    for run in np.split(places, np.flatnonzero(np.diff(places) > 8) + 1):
        _runs.append(
            ((ctypes.c_char * (8 * len(run))).from_address(int(run[0])), bytes(8 * len(run)))
        )


def hook_places() -> np.ndarray:
    """Where MuJoCo's pointers are, for kernels."""
    return np.array([ctypes.addressof(_pointers[name]) for name in INSTEAD], np.int64)


def refuse_hooks() -> None:
    """Raise ValueError if a callback is installed."""
    for memory, none in _runs:
        if memory.raw != none:
            break
    else:
        return
    for name, pointer in _pointers.items():
        if pointer.value:
            raise ValueError(
                f"mjcb_{name} is installed in this process, and Lanewise calls none of MuJoCo's"
                f" callbacks: {INSTEAD[name]}; mujoco.set_mjcb_{name}(None) removes it"
            )
