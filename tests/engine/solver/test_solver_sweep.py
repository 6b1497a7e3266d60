"""Every model through the options that authors rarely combine.

Three solvers, two cones, five integrators, warm start on and off, noslip on and off are 120
combinations. Fifteen of them contain every pair of choices; each model goes through those, or
through all with LANEWISE_SWEEP=full. In each combination the solver is compared from MuJoCo's
contacts, and one whole step from settled states.
"""

import os
from itertools import product

import mujoco
import numpy as np
import pytest

from support import generator, zoo
from support import parity_contacts as touch

FULL = os.environ.get("LANEWISE_SWEEP", "") == "full"
SEEDS = int(os.environ.get("LANEWISE_SEEDS", "100")) // 10

OWN = [name for name in zoo.ZOO if name.startswith(("own/contacts_", "own/constraints_"))]
OTHERS = [
    name
    for name in (
        *("dm_control/suite/humanoid", "dm_control/suite/walker", "dm_control/suite/finger"),
        *("dm_control/suite/manipulator", "gymnasium/envs/mujoco/assets/ant"),
    )
    if name in zoo.ZOO
]

CHOICES = {
    "solver": tuple(touch.SOLVERS),
    "cone": tuple(touch.CONES),
    "integrator": generator.INTEGRATORS,
    "warmstart": (True, False),
    "noslip": (0, 4),
}


def combinations() -> list[tuple]:
    """All combinations, or fifteen that contain every pair of choices."""
    everything = list(product(*CHOICES.values()))
    if FULL:
        return everything
    missing = {pair for one in everything for pair in _pairs(one)}
    chosen = []
    while missing:
        best = max(everything, key=lambda one: len(missing & _pairs(one)))
        chosen.append(best)
        missing -= _pairs(best)
    return chosen


def _pairs(one: tuple) -> set:
    items = list(enumerate(one))
    return {(a, b) for k, a in enumerate(items) for b in items[k + 1 :]}


def set_options(mj_model: mujoco.MjModel, solver, cone, integrator, warmstart, noslip) -> None:
    opt = mj_model.opt
    opt.solver, opt.cone = touch.SOLVERS[solver], touch.CONES[cone]
    opt.integrator = generator.INTEGRATORS.index(integrator)
    opt.noslip_iterations = noslip
    flag = int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)
    opt.disableflags = (opt.disableflags & ~flag) | (0 if warmstart else flag)
    touch.tighten(mj_model, 100 if solver == "Newton" else 300)


def label(one: tuple) -> str:
    solver, cone, integrator, warmstart, noslip = one
    return f"{solver}-{cone}-{integrator}-{'warm' if warmstart else 'cold'}-noslip{noslip}"


def check(mj_model, name: str, seed: int = 0) -> None:
    states = touch.settled(mj_model, np.random.default_rng([seed, 37]), 6, nstep=120)
    if not states:
        pytest.skip("MuJoCo's own simulation blows up from the start")
    context = touch.prepare(mj_model, states)
    reports = touch.compare_solver(mj_model, None, context)
    lines = [f"world {k}: {report}" for k, report in enumerate(reports) if not report.passes()]
    assert not lines, f"{name}: solutions differ from MuJoCo's\n  " + "\n  ".join(lines)
    lines = []
    for k, found in enumerate(touch.compare_step(mj_model, states)):
        allowed = touch.step_sensitivity(mj_model, states[k])
        for field, value in found.items():
            limit = max(touch.TOLERANCE_SOLVED, 100 * allowed[field])
            if not value <= limit:
                lines.append(f"world {k}: {field} {value:.2g}, allowed {limit:.2g}")
    assert not lines, f"{name}: steps differ from MuJoCo's\n  " + "\n  ".join(lines)


@pytest.mark.parametrize("one", combinations(), ids=label)
@pytest.mark.parametrize("name", OWN)
def test_own(name, one):
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    set_options(mj_model, *one)
    check(mj_model, f"{name}, {label(one)}")


@pytest.mark.parametrize("name", OTHERS)
def test_packaged(name):
    """One model of each kind, going through the combinations in one test."""
    for one in combinations():
        mj_model = touch.with_constraints(zoo.ZOO[name]())
        set_options(mj_model, *one)
        check(mj_model, f"{name}, {label(one)}")


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_model(seed):
    """Another combination for each random model."""
    text = generator.generate(500 + seed, constraints=True)
    mj_model = touch.with_constraints(mujoco.MjModel.from_xml_string(text))
    chosen = combinations()
    one = chosen[seed % len(chosen)]
    set_options(mj_model, *one)
    check(mj_model, f"seed {500 + seed}, {label(one)}", seed)


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", OWN)
def test_rollout(name, cone):
    """Open-loop rollouts from settled states leave MuJoCo no faster than a nudged MuJoCo does."""
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    set_options(mj_model, "Newton", cone, "implicitfast", True, 0)
    for state in touch.settled(mj_model, np.random.default_rng(43), 2)[:2]:
        drift = touch.compare_rollout(mj_model, state, 100)
        assert drift.ours <= 10 * drift.theirs + 1e-7, drift


def test_the_subset_contains_every_pair():
    everything = product(*CHOICES.values())
    assert {p for one in combinations() for p in _pairs(one)} == {
        p for one in everything for p in _pairs(one)
    }
    assert FULL or len(combinations()) <= 18
