"""What MuJoCo says while it works for us, as warnings of Python's.

Left to itself, MuJoCo prints its warnings and writes them to MUJOCO_LOG.TXT in the working
directory; MjSpec.compile warns by Python's means, of a line of ours. Here all of it goes one
way. A handler of the user's (mujoco.set_mju_user_warning) hears it instead, here as elsewhere.
"""

import ctypes
import threading
import warnings
from contextlib import contextmanager

import mujoco

from ..notices import say_all, speak_as

speak_as(mujoco.mju_warningText)

_OF_C = type(ctypes.CFUNCTYPE(None)()).__mro__[1]  # what ctypes makes of a handler in C
_LOCK = threading.Lock()
_CATCHING = threading.Lock()  # Python's warnings are caught for all threads at once
_HERE = threading.local()  # `said` of this thread
_LISTENERS: list[list[str]] = []  # those of all threads


def _hear(text):
    """Warnings come in the thread that called MuJoCo, or in one that MuJoCo made for it."""
    said = getattr(_HERE, "said", None)
    if said is None and _LISTENERS:
        said = _LISTENERS[-1]
    if said is not None and text not in said:
        said.append(text)


@contextmanager
def heard():
    """A list of what MuJoCo says meanwhile; the user is told in the end, unless there is an error
    to be told."""
    if getattr(_HERE, "said", None) is not None:  # somebody around us listens
        yield _HERE.said
        return
    said = _HERE.said = []
    with _LOCK:
        if not _LISTENERS and mujoco.get_mju_user_warning() is None:
            mujoco.set_mju_user_warning(_hear)
        _LISTENERS.append(said)
    try:
        yield said
    finally:
        _HERE.said = None
        with _LOCK:
            # by identity: lists that are empty are equal
            _LISTENERS[:] = [x for x in _LISTENERS if x is not said]
            if not _LISTENERS and mujoco.get_mju_user_warning() is _hear:
                mujoco.set_mju_user_warning(None)
    say_all(f"MuJoCo: {text}" for text in said)


def spec_model(spec):
    """The model of an MjSpec; what its compiler warns of is heard like all else."""
    with heard():
        with _CATCHING, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mj = spec.compile()
        handler = mujoco.get_mju_user_warning()
        for one in caught:
            if one.filename != __file__:  # of another thread
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            elif handler is not None:
                text = str(one.message)
                handler(text.encode() if isinstance(handler, _OF_C) else text)
    return mj
