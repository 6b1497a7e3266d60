"""The models that a soak goes through, without end.

Number k is always the same model: a random one of the generator, small or not, a file of the zoo or
of those that come with Lanewise, or one of a few tiny models that take most of the steps. Options
are drawn anew each time, within what a model can be expected to survive.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import mujoco
import numpy as np

import lanewise as lw
from support import generator, zoo

TINY = ("pendulum", "cartpole")
LARGEST = 120  # dofs; larger models are left to the tests
TEXT = 1 << 20  # characters of MJCF


@dataclass
class Source:
    """A model of a soak, and how much it is to be stepped."""

    label: str
    make: Callable[[], mujoco.MjModel]
    tiny: bool = False


@cache
def files() -> dict[str, Callable[[], mujoco.MjModel]]:
    """Models of files, by name."""
    bundled = {
        f"bundled/{name}": partial(mujoco.MjModel.from_xml_path, str(lw.models.path(name)))
        for name in lw.models.names()
    }
    return bundled | zoo.ZOO


def source(seed: int, k: int) -> Source:
    """Number k of the models that belong to a seed."""
    rng = np.random.default_rng([seed, k])
    if k % 4 == 0:
        return Source(
            f"bundled/{TINY[k // 4 % len(TINY)]}", _bundled(TINY[k // 4 % len(TINY)]), True
        )
    if k % 4 == 2:
        names = sorted(files())
        name = names[int(rng.integers(len(names)))]
        return Source(name, partial(_with_options, files()[name], rng))
    number = int(rng.integers(2**31))
    switches = {
        "constraints": bool(rng.random() < 0.75),
        "bodies": int(rng.choice((1, 2, 3, 5, 10))),
        "extras": True,
    }
    label = (
        f"generate({number}, {', '.join(f'{name}={value}' for name, value in switches.items())})"
    )
    return Source(label, partial(_with_options, partial(_random, number, switches), rng))


def _bundled(name: str) -> Callable[[], mujoco.MjModel]:
    return files()[f"bundled/{name}"]


def _random(number: int, switches: dict) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(generator.generate(number, **switches))


def _with_options(make: Callable[[], mujoco.MjModel], rng: np.random.Generator) -> mujoco.MjModel:
    """The model as its author has it, or with other options."""
    mj_model = make()
    opt, off, on = mj_model.opt, mujoco.mjtDisableBit, mujoco.mjtEnableBit
    if rng.random() < 0.3:
        return mj_model
    opt.solver, opt.cone = int(rng.integers(3)), int(rng.integers(2))
    opt.integrator, opt.jacobian = int(rng.integers(5)), int(rng.integers(3))
    if opt.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        opt.enableflags &= ~int(on.mjENBL_INVDISCRETE)  # the two exclude each other
    if rng.random() < 0.2:
        opt.noslip_iterations = int(rng.integers(1, 6))
    if rng.random() < 0.2:
        opt.iterations = int(rng.choice((1, 2, 5, 20)))
    if rng.random() < 0.1:
        opt.ls_iterations = int(rng.choice((1, 2, 5)))
    if rng.random() < 0.2:
        opt.timestep *= float(rng.choice((0.25, 0.5, 1.5)))
    flags = (
        *(off.mjDSBL_WARMSTART, off.mjDSBL_FILTERPARENT, off.mjDSBL_ISLAND, off.mjDSBL_EULERDAMP),
        *(off.mjDSBL_REFSAFE, off.mjDSBL_MIDPHASE, off.mjDSBL_CLAMPCTRL, off.mjDSBL_SENSOR),
        *(off.mjDSBL_GRAVITY, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_LIMIT, off.mjDSBL_AUTORESET),
    )
    for flag in flags:
        if rng.random() < 0.06:
            opt.disableflags ^= int(flag)
    for flag in (on.mjENBL_ENERGY, on.mjENBL_FWDINV, on.mjENBL_DIAGEXACT):
        if rng.random() < 0.1:
            opt.enableflags ^= int(flag)
    return mj_model
