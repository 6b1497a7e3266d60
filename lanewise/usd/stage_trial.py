"""Run as a program, `python stage_trial.py FILE BYTES`: open a stage and read all that it has.

What happens to this process, happens to no other: stage_files.py looks at how it ends. It may take
so many bytes of memory at most.
"""

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


def _read(path: str) -> None:
    from pxr import Usd

    stage = Usd.Stage.Open(path)
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        for attribute in prim.GetAuthoredAttributes():
            attribute.Get()
            attribute.Get(Usd.TimeCode.EarliestTime())
        for relationship in prim.GetAuthoredRelationships():
            relationship.GetTargets()


if __name__ == "__main__":
    _limit(int(sys.argv[2]))
    try:
        _read(sys.argv[1])
    except Exception as error:  # of any class that USD's bindings have
        print(error)
        sys.exit(REFUSED)
