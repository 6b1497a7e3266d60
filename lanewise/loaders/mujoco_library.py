"""MuJoCo's shared library, of which the bindings show only a part."""

import ctypes
from pathlib import Path

import mujoco

from ..errors import IncompatibleMuJoCo


def mujoco_library():
    """The library that the bindings have loaded."""
    folder = Path(mujoco.__file__).resolve().parent
    for pattern in ("libmujoco.so*", "libmujoco*.dylib", "mujoco.dll"):
        for path in sorted(folder.rglob(pattern)):
            return ctypes.CDLL(str(path))
    raise IncompatibleMuJoCo(f"MuJoCo's library is not in {folder}")
