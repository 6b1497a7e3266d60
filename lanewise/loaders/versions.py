"""What pickles were made with: those of other versions are refused before anything of them is used.

The numbers in a pickle mean what they mean to the version that wrote it, and MuJoCo's models are
bytes that only the same version reads. So a Model's pickle, and with it those of a Data and of a
Batch, begins with `Versions`, which compares when it is read.
"""

import importlib

import mujoco

from ..errors import IncompatiblePickle


class Versions:
    """The versions that are installed, at the beginning of a pickle."""

    def __reduce__(self):
        return _same_as, (_installed(),)


def _installed():
    lanewise = importlib.import_module(__package__.partition(".")[0])
    return {"Lanewise": lanewise.__version__, "MuJoCo": mujoco.__version__}


def _same_as(made_with):
    here = _installed()
    if made_with != here:
        wrong = " and ".join(
            f"{name} {version}, here is {here.get(name)}"
            for name, version in made_with.items()
            if version != here.get(name)
        )
        raise IncompatiblePickle(
            f"this pickle was made with {wrong}: make it anew, or read it with those versions"
        )
    return Versions()
