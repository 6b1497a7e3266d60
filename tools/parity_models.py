"""The sets of models that docs/parity.md is about: files, and random models."""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mujoco

import lanewise as lw

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = ROOT.parent / "shared" / "models"  # taken if LANEWISE_MODELS names no other folder
RANDOM = 60  # models of each kind

if PUBLIC.is_dir():  # before tests/support/zoo.py, which looks at it, is imported
    os.environ.setdefault("LANEWISE_MODELS", str(PUBLIC))


@dataclass(frozen=True)
class Source:
    """A model of a set: a file, the seed of a random model, or one of the zoo that code makes."""

    kind: str
    name: str
    path: str = ""
    seed: int = -1

    def text(self) -> str:
        """What MuJoCo's compiler takes: a path or MJCF; '' if there is neither."""
        return self.path if self.seed < 0 else _generated(self.seed, "constraints" in self.kind)

    def make(self) -> mujoco.MjModel:
        return native(self._made())

    def other_library(self) -> bool:
        """Whether the model asks for the library of collisions that Lanewise has not."""
        return bool(self._made().opt.disableflags & mujoco.mjtDisableBit.mjDSBL_NATIVECCD)

    def _made(self) -> mujoco.MjModel:
        if self.path:
            return mujoco.MjModel.from_xml_path(self.path)
        if self.seed >= 0:
            return mujoco.MjModel.from_xml_string(self.text())
        return _zoo()[f"{self.kind}/{self.name}"]()


def native(mj_model: mujoco.MjModel) -> mujoco.MjModel:
    """The model with MuJoCo's own method of convex collision, in place."""
    mj_model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_NATIVECCD)
    return mj_model


@cache
def _generated(seed: int, constraints: bool) -> str:
    from support import generator

    return generator.generate(seed, constraints=constraints, extras=constraints)


def _zoo() -> dict:
    """The models of the tests."""
    from support import zoo

    return zoo.ZOO


def sources(quick: bool = False) -> list[Source]:
    """All models, or a few of each set."""
    found = [Source("bundled", name, str(lw.models.path(name))) for name in lw.models.names()]
    for name, make in _zoo().items():
        kind, _, rest = name.partition("/")
        given = getattr(make, "args", ())  # a path, or what a task of dm_control takes
        path = str(given[0]) if given and isinstance(given[0], Path) else ""
        found.append(Source(kind, rest, path))
    for kind, first in (("random, smooth", 0), ("random, with constraints", 1000)):
        found += [Source(kind, f"seed {k}", seed=k) for k in range(first, first + RANDOM)]
    sets: dict[str, list[Source]] = {}
    for source in found:
        sets.setdefault(source.kind, []).append(source)
    if quick:  # spread over the set
        sets = {kind: of[:: max(1, len(of) // 3)][:3] for kind, of in sets.items()}
    return [source for of in sets.values() for source in of]
