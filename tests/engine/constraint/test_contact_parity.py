"""Contacts, constraint rows and solutions against MuJoCo, each from MuJoCo's own data.

LANEWISE_SEEDS is the number of random models of the smooth tests; here a fifth of it is drawn, with
constraints. `test_solver_sweep.py` goes through the options.
"""

import copy
import os
from collections import Counter

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import generator, geom_pairs, parity, zoo
from support import parity_contacts as touch

SEEDS = int(os.environ.get("LANEWISE_SEEDS", "100"))
OWN = [name for name in zoo.ZOO if name.startswith(("own/contacts_", "own/constraints_"))]
PACKAGED = ("dm_control/suite/", "gymnasium/", "public/")


def _packaged():
    """Models of packages; those of dm_control/suite/common have nothing in them."""
    return [name for name in zoo.ZOO if name.startswith(PACKAGED) and "/common/" not in name]


def _load(name: str) -> mujoco.MjModel:
    return touch.with_constraints(zoo.ZOO[name]())


def _states(mj_model, seed: int, number: int = 8):
    states = touch.varied(mj_model, np.random.default_rng([seed, 31]), number)
    if not states:
        pytest.skip("MuJoCo's own simulation blows up from the start")
    return states


def check_contacts(mj_model, context, label: str) -> Counter:
    """The contacts of every world; equivalent ones are counted, all others must be equal."""
    reports = touch.compare_collision(mj_model, None, context)
    lines = [f"world {k}: {line}" for k, report in enumerate(reports) for line in report.lines]
    lines += [f"world {k}: order" for k, report in enumerate(reports) if not report.ordered]
    assert not lines, f"{label}: contacts differ from MuJoCo's\n  " + "\n  ".join(lines)
    return sum((report.count for report in reports), Counter())


def check_rows(mj_model, context, label: str) -> None:
    worst = touch.compare_rows(mj_model, None, context, label)
    lines = parity.failures(worst, touch.TOLERANCE_ROWS)
    assert not lines, f"{label}: rows differ from MuJoCo's\n  " + "\n  ".join(lines)


def check_solver(mj_model, context, label: str) -> None:
    reports = touch.compare_solver(mj_model, None, context)
    lines = [f"world {k}: {report}" for k, report in enumerate(reports) if not report.passes()]
    assert not lines, f"{label}: solutions differ from MuJoCo's\n  " + "\n  ".join(lines)


def check_forward(mj_model, context, label: str) -> None:
    """From the state alone. Worlds with an equivalent set of contacts have another solution."""
    lines = []
    for k, (contacts, solution) in enumerate(touch.compare_forward(mj_model, None, context)):
        lines += [f"world {k}: {line}" for line in contacts.lines]
        if not contacts.count["equivalent"] and not solution.passes():
            lines.append(f"world {k}: {solution}")
    assert not lines, f"{label}: forward differs from MuJoCo\n  " + "\n  ".join(lines)


def check(mj_model, label: str, seed: int = 0, number: int = 8) -> None:
    touch.tighten(mj_model)
    context = touch.prepare(mj_model, _states(mj_model, seed, number))
    check_contacts(mj_model, context, label)
    check_rows(mj_model, context, label)
    check_solver(mj_model, context, label)
    check_forward(mj_model, context, label)


# ---- narrow phase


@pytest.mark.parametrize(("kind1", "kind2"), geom_pairs.PAIRS)
def test_pair(kind1, kind2):
    """Two geoms of given kinds, in general and in symmetric positions."""
    for seed in range(max(2, SEEDS // 50)):
        rng = np.random.default_rng([seed, 41])
        mj_model = geom_pairs.pair_model(kind1, kind2, rng)
        states = [geom_pairs.touching(mj_model, rng) for _ in range(8)]
        context = touch.prepare(mj_model, states)
        check_contacts(mj_model, context, f"{kind1} {kind2}, seed {seed}")


# ---- models


@pytest.mark.parametrize("name", OWN)
def test_own(name):
    check(_load(name), name)


@pytest.mark.parametrize("name", _packaged())
def test_packaged(name):
    check(_load(name), name, number=5)


@pytest.mark.parametrize("seed", range(SEEDS // 5))
def test_random_model(seed):
    text = generator.generate(seed, constraints=True)
    mj_model = touch.with_constraints(mujoco.MjModel.from_xml_string(text))
    parity.settle_round_off(mj_model)
    check(mj_model, f"seed {seed}", seed, 1 + seed % 8)


@pytest.mark.parametrize("solver", touch.SOLVERS)
@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", OWN)
def test_workspace_leaves_no_trace(name, cone, solver):
    """The bits of a gang do not depend on what its workspace was used for before."""
    mj_model = touch.tighten(_load(name), 20)
    mj_model.opt.solver, mj_model.opt.cone = touch.SOLVERS[solver], touch.CONES[cone]
    states = _states(mj_model, 4, 5)
    m = lw.load(mj_model)
    clean, used = lw.put_data(m, states), lw.put_data(m, states[::-1])
    start = clean.state_lanes.copy()
    lw.forward(m, clean)
    lw.step(m, used, 3)
    for value in (np.nan, np.inf, 1e300):
        touch.poison_all(used, value)
        used.state_lanes[:] = start
        lw.forward(m, used)
        for field in ("qacc", "qfrc_constraint", "ncon", "nefc"):
            lanes = slice(0, len(states))
            np.testing.assert_array_equal(
                used.arrays[field][..., lanes], clean.arrays[field][..., lanes]
            )


# ---- inverse dynamics and the forces between bodies


@pytest.mark.parametrize("name", OWN)
def test_inverse(name):
    """Inverse dynamics of MuJoCo's acceleration, and of our own, which closes the loop."""
    mj_model = touch.tighten(_load(name))
    m, references = touch.prepare(mj_model, _states(mj_model, 2))
    d = lw.put_data(m, references)
    d.arrays["qfrc_inverse"][...] = np.nan
    lw.inverse(m, d)
    for lane, reference in enumerate(references):
        expected = copy.copy(reference)
        mujoco.mj_inverse(mj_model, expected)
        off = touch.relative(d.arrays["qfrc_inverse"][:, lane], expected.qfrc_inverse)
        assert off <= max(1e-9, 100 * touch.nudged_inverse(mj_model, reference)), lane
    lw.forward(m, d)
    lw.inverse(m, d)
    for lane, reference in enumerate(references):
        if not np.any(reference.xfrc_applied):
            applied = d.arrays["qfrc_applied"][:, lane] + d.arrays["qfrc_actuator"][:, lane]
            off = touch.relative(d.arrays["qfrc_inverse"][:, lane], applied)
            assert off <= 10 * touch.forward_minus_inverse(mj_model, reference) + 1e-8, lane


@pytest.mark.parametrize("name", OWN)
def test_forces_between_bodies(name):
    mj_model = touch.tighten(_load(name))
    m, references = touch.prepare(mj_model, _states(mj_model, 3))
    d = lw.put_data(m, references)
    names = ("cacc", "cfrc_int", "cfrc_ext")
    for field in names:
        d.arrays[field][...] = np.nan
    lw.rne_post_constraint(m, d)
    for lane, reference in enumerate(references):
        expected = copy.copy(reference)
        mujoco.mj_rnePostConstraint(mj_model, expected)
        for field in names:
            ours = d.arrays[field][..., lane]
            assert touch.relative(ours, getattr(expected, field)) < 1e-9, field


# ---- the harness itself


def test_cost_is_that_of_mujoco():
    """Our formula for what a solver minimizes is MuJoCo's, and MuJoCo's solution is its minimum."""
    for name in OWN:
        for cone in touch.CONES.values():
            mj_model = touch.tighten(_load(name))
            mj_model.opt.cone = cone
            rng = np.random.default_rng(5)
            for mj_data in touch.settled(mj_model, rng, 3):
                mujoco.mj_forward(mj_model, mj_data)
                problem = touch.Problem(mj_model, mj_data)
                qacc = np.array(mj_data.qacc)
                jar = problem.J @ qacc - problem.aref
                cost = np.zeros(1)
                mujoco.mj_constraintUpdate(mj_model, copy.copy(mj_data), jar, cost, 0)
                np.testing.assert_allclose(problem.penalty(jar), cost[0], rtol=1e-12, atol=1e-12)
                least = problem.cost(qacc)
                for _ in range(3):
                    step = 1e-3 * rng.normal(size=mj_model.nv) * max(1, np.abs(qacc).max())
                    assert problem.cost(qacc + step) >= least * (1 - 1e-12)


def test_settled_states_touch():
    for name in OWN:
        mj_model = _load(name)
        states = touch.settled(mj_model, np.random.default_rng(1), 8)
        assert len(states) == 8
        for state in states:
            mujoco.mj_forward(mj_model, state)
        assert sum(state.nefc > 0 for state in states) >= 6, name


def test_the_harness_sees_wrong_contacts():
    mj_model = _load("own/contacts_primitives")
    mj_data = touch.settled(mj_model, np.random.default_rng(1), 8)[-1]
    mujoco.mj_forward(mj_model, mj_data)

    def report(change):
        ours = touch.mujoco_contacts(mj_data)
        change(ours.fields)
        return touch.compare_contacts(mj_model, mj_data, ours)

    same = report(lambda fields: None)
    assert not same.lines and same.ordered and set(same.count) == {"equal"}
    wrong = report(lambda fields: fields["dist"].__setitem__(0, fields["dist"][0] + 1e-3))
    assert wrong.count["different"] == 1 and "dist 0.001" in wrong.lines[0]
    missing = report(lambda f: f.update({name: value[1:] for name, value in f.items()}))
    assert missing.count["different"] == 1 and "contacts, MuJoCo has" in missing.lines[0]
    turned = report(lambda f: f.update({name: value[::-1] for name, value in f.items()}))
    assert not turned.ordered


@pytest.mark.parametrize("integrator", ["Euler", "discrete"])
def test_the_harness_sees_rows_that_were_not_made(integrator, monkeypatch):
    """MuJoCo's own rows come with its data; without poison they would pass for ours."""
    mj_model = _load("own/contacts_pairs")
    mj_model.opt.integrator = generator.INTEGRATORS.index(integrator)
    context = touch.prepare(mj_model, _states(mj_model, 6, 2))
    monkeypatch.setattr(touch, "make_rows", lambda m, d: lw.make_constraint(m, d))
    worst = touch.compare_rows(mj_model, None, context)
    missing = {"efc_vel", "efc_aref"}
    if integrator == "discrete":
        missing |= {"efc_diagA", "efc_KBIP", "efc_D", "efc_R"}
    assert missing <= {name for name, value in worst.items() if value == np.inf}
    for name in worst:
        parity.RESIDUALS.pop(("rows", name), None)


def test_the_harness_sees_a_wrong_solution():
    mj_model = touch.tighten(_load("own/contacts_boxes"))
    mj_data = touch.settled(mj_model, np.random.default_rng(1), 4)[-1]
    mujoco.mj_forward(mj_model, mj_data)
    assert touch.judge(mj_model, mj_data, np.array(mj_data.qacc)).passes()
    assert not touch.judge(mj_model, mj_data, np.array(mj_data.qacc) + 1e-2).passes()
    assert not touch.judge(mj_model, mj_data, np.array(mj_data.qacc) * np.nan).passes()


def test_random_models_have_what_they_claim():
    """Every kind of contact, constraint and option occurs in the generator's models."""
    seen: dict[str, set] = {name: set() for name in ("pair", "dim", "type", "eq", "option", "flag")}
    reduced = dict(generator.REDUCED)
    for seed in range(120):
        mj_model = mujoco.MjModel.from_xml_string(generator.generate(seed, constraints=True))
        mj_data = mujoco.MjData(mj_model)
        mujoco.mj_step(mj_model, mj_data, 60)
        mujoco.mj_forward(mj_model, mj_data)
        kinds = np.sort(mj_model.geom_type[np.array(mj_data.contact.geom).reshape(-1, 2)], axis=1)
        seen["pair"] |= {tuple(row) for row in kinds}
        seen["dim"] |= set(np.array(mj_data.contact.dim))
        seen["type"] |= set(np.array(mj_data.efc_type))
        kinds = zip(mj_model.eq_type, mj_model.eq_objtype, strict=True)
        seen["eq"] |= {(int(kind), int(object_)) for kind, object_ in kinds}
        opt = mj_model.opt
        seen["option"] |= {
            ("solver", opt.solver),
            ("cone", opt.cone),
            ("integrator", opt.integrator),
        }
        seen["option"] |= {("noslip", opt.noslip_iterations > 0)}
        seen["flag"] |= {k for k in range(20) if opt.disableflags >> k & 1}
    assert seen["dim"] == {1, 3, 4, 6}
    assert len(seen["type"]) == 8  # all but those of flexes
    assert len(seen["eq"]) >= 6
    assert len(seen["option"]) == 3 + 2 + 5 + 2
    assert len(seen["flag"]) >= 12
    assert len(seen["pair"]) >= 22
    assert len(generator.REDUCED) - len(reduced) <= 3
