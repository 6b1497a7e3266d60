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
_memory = ctypes.create_string_buffer(1)  # that has all of them, if they are near each other
_none = b""  # what is there if nothing is installed
_NEAR = 256  # bytes


def watch(library: ctypes.CDLL) -> None:
    """Look at the pointers of this library from now on."""
    global _memory, _none
    for name in INSTEAD:
        _pointers[name] = ctypes.c_void_p.in_dll(library, f"mjcb_{name}")
    places = hook_places()
    first, n = int(places.min()), int(np.ptp(places)) + 8
    if n <= _NEAR:
        _memory, _none = (ctypes.c_char * n).from_address(first), bytes(n)


def hook_places() -> np.ndarray:
    """Where MuJoCo's pointers are, for kernels."""
    return np.array([ctypes.addressof(_pointers[name]) for name in INSTEAD], np.int64)


def refuse_hooks() -> None:
    """Raise ValueError if a callback is installed."""
    if _memory.raw == _none:
        return
    for name, pointer in _pointers.items():
        if pointer.value:
            raise ValueError(
                f"mjcb_{name} is installed in this process, and Lanewise calls none of MuJoCo's"
                f" callbacks: {INSTEAD[name]}; mujoco.set_mjcb_{name}(None) removes it"
            )
