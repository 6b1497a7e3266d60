"""Run as a program, `python stage_trial.py FILE BYTES`: open a stage and read all that it has.

What happens to this process, happens to no other: stage_files.py looks at how it ends. It may take
so many bytes of memory at most.

USD takes a stage down in threads of its own, and one that asks for Python while Python is ending
ends the whole process by a signal (seen once in some ten thousand times). That would say of a sound
file that it is damaged, so this process goes at once when all is read, and takes nothing down.
"""

import os
import sys

REFUSED = 3  # its exit status where USD says what is wrong, which it then prints


def _limit(most: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(path: str):
    """The stage, once all that it has was asked for."""
    from pxr import Usd

    stage = Usd.Stage.Open(path)
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        for attribute in prim.GetAuthoredAttributes():
            attribute.Get()
            attribute.Get(Usd.TimeCode.EarliestTime())
        for relationship in prim.GetAuthoredRelationships():
            relationship.GetTargets()
    return stage


if __name__ == "__main__":
    _limit(int(sys.argv[2]))
    try:
        held = _read(sys.argv[1])
    except Exception as error:  # of any class that USD's bindings have
        print(error, flush=True)
        os._exit(REFUSED)
    os._exit(0)
