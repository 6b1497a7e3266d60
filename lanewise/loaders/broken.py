"""Models that cannot be run: what no compiler makes, but an edit or a damaged file."""

import copy

from ..errors import ModelError
from ..limits import OPTIONS, option_problems, outgrown, problems


def sound(mj):
    """mj; ModelError if its integers lead out of its arrays, options have no meaning, or bounding
    volumes are too small."""
    found = problems(mj) or option_problems(mj.opt, OPTIONS) or list(outgrown(mj))
    if found:
        raise ModelError("this model cannot be run:\n" + "\n".join(f"  {x}" for x in found[:8]))
    return mj


def sound_copy(mj):
    """A copy of an MjModel, once it is known that MuJoCo can make one."""
    return copy.copy(sound(mj))
