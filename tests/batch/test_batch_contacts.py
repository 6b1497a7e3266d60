"""Batches of worlds that touch: contacts and rows as arrays, neighbours, capacities, constants.

Worlds start from settled states. Beside MuJoCo, results are held to 1e-6 after a few steps with
tight tolerances; between batches, lanes and threads, to the bit.
"""

import copy

import mujoco
import mujoco.batch
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import batch as lwb
from support import parity_contacts as touch
from support import zoo

NSIM = 19  # two whole gangs and three worlds
INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION
MODELS = [f"own/{name}" for name in (
    "contacts_primitives", "contacts_boxes", "contacts_pairs", "contacts_surfaces",
    "contacts_chains", "constraints_equality", "constraints_limits",
)]  # fmt: skip


def load(name: str) -> mujoco.MjModel:
    return touch.tighten(touch.with_constraints(zoo.ZOO[name]()))


def rows_of(mj, number: int = NSIM, seed: int = 0) -> np.ndarray:
    """State rows of settled worlds, as many as wanted."""
    states = touch.settled(mj, np.random.default_rng([seed, 3]), number, attempts=2 * number)
    rows = np.empty((len(states), mujoco.mj_stateSize(mj, INTEGRATION)))
    for row, state in zip(rows, states, strict=True):
        mujoco.mj_getState(mj, state, row, INTEGRATION)
    return rows[np.arange(number) % len(rows)]


def batch_of(mj, rows, nthread: int = 2, **capacity):
    b = lw.Batch(mj, len(rows), nthread, **capacity)
    b.state[:] = rows
    return b


def references(mj, rows):
    """MjData of every world, forwarded."""
    out = []
    for row in rows:
        mj_data = mujoco.MjData(mj)
        mujoco.mj_setState(mj, mj_data, row, INTEGRATION)
        mujoco.mj_forward(mj, mj_data)
        out.append(mj_data)
    return out


def contacts_of(b):
    """Binds a batch's contacts; a function that gives those of a world after the next call."""
    ncon, fields = b.ncon, {name: getattr(b.contact, name) for name in touch.CONTACT_FIELDS}
    return lambda world: touch.Contacts({k: v[world, : ncon[world]] for k, v in fields.items()})


def same_contacts(mj, expected, ours) -> bool:
    """Whether a world has MuJoCo's contacts, and not an equivalent set."""
    report = touch.compare_contacts(mj, expected, ours)
    assert not report.lines, report.lines
    return not report.count["equivalent"]


@pytest.mark.parametrize("name", MODELS)
def test_contacts_of_every_world(name):
    mj = load(name)
    rows = rows_of(mj)
    b = batch_of(mj, rows)
    ncon, fields = b.ncon, {name: getattr(b.contact, name) for name in touch.CONTACT_FIELDS}
    contacts = contacts_of(b)
    b.forward()
    assert ncon.dtype == np.int32
    for world, expected in enumerate(references(mj, rows)):
        ours = contacts(world)
        if same_contacts(mj, expected, ours):
            off = dict(line.split(": ") for line in touch.compare_parameters(expected, ours))
            assert all(float(value) < 1e-9 for value in off.values()), off
        for values in fields.values():
            assert not values[world, ncon[world] :].any()


@pytest.mark.parametrize("name", MODELS)
def test_rows_of_every_world(name):
    mj = load(name)
    rows = rows_of(mj)
    b = batch_of(mj, rows)
    nefc, J = b.nefc, b.efc_J
    fields = {name: b.bind(f"efc_{name}") for name in touch.ROW_FIELDS}
    contacts = contacts_of(b)
    b.forward()
    assert J.shape[0] == NSIM and J.shape[2] == mj.nv
    for world, expected in enumerate(references(mj, rows)):
        if not same_contacts(mj, expected, contacts(world)):
            continue
        theirs = touch.mujoco_rows(mj, expected)
        assert touch.row_residual("J", J[world, : nefc[world]], theirs.pop("J")) < 1e-6
        for field, values in theirs.items():
            ours = fields[field][world, : nefc[world]]
            assert touch.row_residual(field, ours, values) < 1e-5, field
        assert not J[world, nefc[world] :].any()


@pytest.mark.parametrize("name", MODELS)
def test_forces_of_contacts(name):
    mj = load(name)
    rows = rows_of(mj)
    b = batch_of(mj, rows)
    force, contacts = b.contact_force, contacts_of(b)
    b.forward()
    for world, expected in enumerate(references(mj, rows)):
        if not same_contacts(mj, expected, contacts(world)):
            continue
        for k in range(expected.ncon):
            wrench = np.zeros(6)
            mujoco.mj_contactForce(mj, expected, k, wrench)
            scale = max(1.0, np.abs(wrench).max())
            np.testing.assert_allclose(force[world, k], wrench, atol=1e-5 * scale, rtol=1e-5)


def test_forces_between_geoms():
    mj = load("own/contacts_boxes")
    rows = rows_of(mj)
    b = batch_of(mj, rows)
    b.pair_force("floor", [1, 2])  # binds
    b.forward()
    force, number = b.pair_force("floor", [1, 2])
    back, same = b.pair_force([1, 2], "floor")
    np.testing.assert_array_equal(force, -back)
    np.testing.assert_array_equal(number, same)
    for world, mj_data in enumerate(references(mj, rows)):
        total, count = np.zeros(3), 0
        for k in range(mj_data.ncon):
            if mj_data.contact.geom1[k] == 0 and mj_data.contact.geom2[k] in (1, 2):
                wrench = np.zeros(6)
                mujoco.mj_contactForce(mj, mj_data, k, wrench)
                total += mj_data.contact.frame[k].reshape(3, 3).T @ wrench[:3]
                count += 1
        assert number[world] == count
        np.testing.assert_allclose(force[world], total, atol=1e-5 * max(1, np.abs(total).max()))


@pytest.mark.parametrize("name", MODELS)
def test_steps_beside_mujoco(name):
    mj = load(name)
    rows = rows_of(mj)
    ours, theirs = batch_of(mj, rows), mujoco.batch.Batch(mj, NSIM, 1)
    theirs.state[:] = rows
    for batch in (ours, theirs):
        batch.step(nstep=3)
    off = np.abs(ours.qpos - theirs.qpos).max(axis=1)
    allowed = np.zeros(NSIM)
    nudged, rng = mujoco.batch.Batch(mj, NSIM, 1), np.random.default_rng(0)
    for size in np.repeat(touch.NUDGES, 5):
        nudged.state[:] = rows
        for qpos in nudged.qpos:
            mujoco.mj_integratePos(mj, qpos, size * rng.normal(size=mj.nv), 1.0)
        nudged.step(nstep=3)
        allowed = np.maximum(allowed, np.abs(nudged.qpos - theirs.qpos).max(axis=1))
    assert np.all(off <= 1e-7 + 10 * allowed), (off, allowed)


# ---- neighbours


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("solver", touch.SOLVERS)
@pytest.mark.parametrize("name", ["own/contacts_pairs", "own/constraints_limits"])
def test_neighbours_change_no_bit(name, solver, cone):
    """Alone, in another lane, beside others, on more threads: a world's numbers are the same."""
    mj = load(name)
    mj.opt.solver, mj.opt.cone = touch.SOLVERS[solver], touch.CONES[cone]
    mj.opt.tolerance, mj.opt.iterations = 1e-8, 30
    rows = rows_of(mj)
    together, mixed = batch_of(mj, rows), None
    together.step(nstep=4)
    order = np.random.default_rng(0).permutation(NSIM)
    mixed = batch_of(mj, rows[order], 1)
    mixed.step(nstep=4)
    np.testing.assert_array_equal(mixed.state, together.state[order])
    for world in (0, 7, 18):
        alone = batch_of(mj, rows[world : world + 1], 1)
        alone.step(nstep=4)
        np.testing.assert_array_equal(alone.state[0], together.state[world])


def test_a_diverging_world_disturbs_nobody():
    mj = load("own/contacts_boxes")
    rows = rows_of(mj)
    calm, wild = batch_of(mj, rows), batch_of(mj, rows)
    for b in (calm, wild):
        b.bind("contact.dist")
    wild.qvel[[3, 10]] = 1e12
    wild.qpos[12] = np.nan
    for b in (calm, wild):
        b.step(nstep=3)
    others = np.setdiff1d(np.arange(NSIM), [3, 10, 12])
    np.testing.assert_array_equal(wild.state[others], calm.state[others])
    np.testing.assert_array_equal(wild.contact.dist[others], calm.contact.dist[others])
    assert wild.warning[[3, 10, 12]].any(axis=(1, 2)).all()
    assert not wild.warning[others].any()
    assert np.isfinite(wild.state).all()  # they were reset


# ---- capacities


@pytest.mark.parametrize(("capacity", "kind"), [
    ({"nconmax": 5}, mujoco.mjtWarning.mjWARN_CONTACTFULL),
    ({"njmax": 30}, mujoco.mjtWarning.mjWARN_CNSTRFULL),
])  # fmt: skip
def test_more_than_fits(capacity, kind):
    """Worlds that exceed a capacity count a warning; the others are as they would have been."""
    mj = load("own/contacts_boxes")
    rows = rows_of(mj)
    rows[::2] = rows[0]
    for row in rows[::2]:  # high above the floor: nothing touches
        mj_data = mujoco.MjData(mj)
        mujoco.mj_setState(mj, mj_data, row, INTEGRATION)
        mj_data.qpos[2::7] = 5 + np.arange(mj.nq // 7)
        mj_data.qvel[:] = 0
        mujoco.mj_getState(mj, mj_data, row, INTEGRATION)
    small, large = batch_of(mj, rows, **capacity), batch_of(mj, rows)
    for b in (small, large):
        b.bind("ncon")
        b.bind("contact.dist")
        b.step()
    np.testing.assert_array_equal(small.state[::2], large.state[::2])
    assert not small.warning[::2].any()
    full = np.flatnonzero(large.ncon > 8)
    assert full.size
    assert (small.warning[full, int(kind), 1] > 0).all()
    assert np.isfinite(small.state).all()
    assert (small.ncon <= small.contact.dist.shape[1]).all()


# ---- constants of each world


def test_constants_of_each_world():
    mj = load("own/contacts_primitives")
    rows = rows_of(mj)
    rng = np.random.default_rng(1)
    ours, theirs = batch_of(mj, rows), mujoco.batch.Batch(mj, NSIM, 1)
    theirs.state[:] = rows
    names = (
        *("geom_friction", "geom_solref", "geom_solimp", "geom_margin", "geom_gap", "body_mass"),
        *("opt.gravity", "opt.impratio", "geom_solmix"),
    )
    for name in names:
        values = theirs.expand(name)
        values *= 1 + 0.1 * rng.uniform(-1, 1, values.shape)
        if name == "geom_solimp":
            values[..., :2] = np.minimum(values[..., :2], 0.98)
        ours.expand(name)[:] = values
    counts = [batch.bind("ncon") for batch in (ours, theirs)]
    for batch in (ours, theirs):
        batch.step(nstep=2)
    same = counts[0] == counts[1]
    assert counts[0].any()
    off = np.abs(ours.qpos - theirs.qpos).max(axis=1)
    assert np.quantile(off, 0.8) < 1e-7
    assert same.sum() >= NSIM - 2


# ---- names and errors


def test_names(capsys):
    mj = load("own/contacts_boxes")
    b = lw.Batch(mj, 3)
    assert "dist" in dir(b.contact)
    assert b.contact.geom1.shape == b.contact.dist.shape
    with pytest.raises(AttributeError, match="did you mean 'dist'"):
        _ = b.contact.dits
    assert "ncon" in lwb.DATA_FIELDS
    with pytest.raises(ValueError, match="contact.dist"):
        b.rollout(2, record=("contact.dist",))
    out = b.rollout(3, record=("ncon", "nefc"))
    assert out["ncon"].shape == (3, 3)
    assert copy.copy(out["ncon"]).dtype == np.int32
