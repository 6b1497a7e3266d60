"""Lanewise: multi-joint physics, eight worlds in the lanes of one SIMD register.

    m = lanewise.load("humanoid.xml")
    d = lanewise.Data(m)                  # one world
    lanewise.step(m, d)
    b = lanewise.Batch(m, nsim=4096)      # many worlds, on all cores
    b.step(nstep=10)

Every stage of the pipeline is a function by its name: kinematics, com_pos, crb, ...; see
docs/fields.md for the fields that each of them computes.

    from lanewise import conventions      # what the numbers of other systems mean; NumPy only
    from lanewise import bridges          # a running simulation in their layouts

Names of the engine are imported when one of them is first used: who only converts numbers does not
wait for it. Editors and type checkers read all of them in __init__.pyi, which `make docs` writes.
"""

import importlib

__version__ = "0.1.0"

PARTS = (  # modules, too
    "batch", "bridges", "cluster", "conventions", "flight", "frames", "models", "motion", "plan",
    "runs",
)  # fmt: skip


def __getattr__(name: str) -> object:
    """A part, or a name of the engine, imported now; see PEP 562."""
    if name in PARTS:
        return importlib.import_module(f".{name}", __name__)
    if not name.startswith("_"):
        public = importlib.import_module(".public", __name__)
        if name in public.__all__:
            value = globals()[name] = getattr(public, name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    public = importlib.import_module(".public", __name__)
    return sorted({*globals(), *public.__all__, *PARTS})
