"""Contacts that a model did not have when it was loaded: room for them is made, nothing is lost."""

import copy
import pickle
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.counters import ROOM_CONTACTS, ROOM_ROWS
from lanewise.lanes import JIT
from support.interrupting import interrupt_after

BODIES = "".join(
    f'<body pos="{0.15 * k} 0 {0.2 + 0.05 * k}"><freejoint/>'
    f'<geom type="{kind}" size=".1 .1 .1" condim="{dim}"/></body>'
    for k, (kind, dim) in enumerate(
        [("box", 3), ("sphere", 4), ("ellipsoid", 6), ("capsule", 3), ("box", 3), ("cylinder", 3)]
    )
)
XML = f"""
<mujoco>
  <option {{}}/>
  <worldbody><geom type="plane" size="5 5 .1"/>{BODIES}</worldbody>
</mujoco>
"""
OPTIONS = ["", 'integrator="RK4"', 'solver="PGS"', 'cone="elliptic" integrator="implicitfast"']
STAGES = ["forward", "fwd_position", "kinematics com_pos crb factor_m collision make_constraint"]
GEOM_FIELDS = ("geom_contype", "geom_conaffinity")
NSIM = 11


def without_contacts(options=""):
    """A model that is loaded without contacts."""
    mj = mujoco.MjModel.from_xml_string(XML.format(options))
    for name in GEOM_FIELDS:
        getattr(mj, name)[:] = 0
    mujoco.mj_setConst(mj, mujoco.MjData(mj))
    return lw.load(mj)


def enable(m):
    for name in GEOM_FIELDS:
        getattr(m, name)[:] = 1
    lw.set_const(m)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("lanes", [1, 3])
def test_data(options, lanes):
    m = without_contacts(options)
    d = lw.Data(m, lanes=lanes)
    assert m.sizes["nconmax"] == 0
    qpos, xpos = d.qpos, d.xpos
    lw.step(m, d, 3)
    enable(m)
    large = lw.Data(m, lanes, nconmax=500, njmax=2000)
    lw.copy_state(m, d, large)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (d, large):
            lw.step(m, x, 120)
    np.testing.assert_array_equal(lw.get_state(m, d), lw.get_state(m, large))
    assert np.all(d.ncon > 0) and 0 < d.sizes["nconmax"] < 500
    assert not d.warning.number.any()
    # what was taken before is still the same memory, and what has moved is read anew
    assert qpos is d.qpos or np.shares_memory(qpos, d.qpos)
    np.testing.assert_array_equal(xpos, d.xpos)
    np.testing.assert_array_equal(d.contact.dist, large.contact.dist)
    np.testing.assert_array_equal(d.efc_force, large.efc_force)


@pytest.mark.parametrize("stages", STAGES)
def test_stages(stages):
    m = without_contacts()
    d, large = lw.Data(m), lw.Data(m, nconmax=500, njmax=2000)
    enable(m)
    for x in (d, large):
        x.qpos[2::7] -= 0.15
        for name in stages.split():
            getattr(lw, name)(m, x)
    assert d.ncon == large.ncon > 3 and d.nefc == large.nefc > 20
    np.testing.assert_array_equal(d.contact.pos, large.contact.pos)
    np.testing.assert_array_equal(d.efc_J, large.efc_J)


def test_more_rows_than_the_dimensions_gave():
    """Rows of contacts that have more dimensions than when the model was loaded."""
    m = lw.load(XML.format("").replace('condim="6"', "").replace('condim="4"', ""))
    d = lw.Data(m, lanes=2)
    m.geom_condim[:] = 6
    large = lw.Data(m, lanes=2, nconmax=500, njmax=5000)
    for x in (d, large):
        lw.step(m, x, 150)
    np.testing.assert_array_equal(d.qpos, large.qpos)


def expand(b, worlds):
    for name in GEOM_FIELDS:
        b.expand(name)[worlds] = 1
    b.set_const()


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("fields", [(), ("xpos", "qacc", "efc_force")])
def test_batch(options, fields):
    m = without_contacts(options)
    small, large = lw.Batch(m, NSIM, 2), lw.Batch(m, NSIM, 2, nconmax=500, njmax=2000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for b in (small, large):
            b.qvel[:] = np.random.default_rng(0).normal(size=b.qvel.shape)
            b.step(nstep=2)
            expand(b, [0, 3, 4, 9])
            for _ in range(4):
                b.step(nstep=20)
    np.testing.assert_array_equal(small.state, large.state)
    assert not small.warning.any()
    for name in fields:
        a, c = getattr(small, name), getattr(large, name)
        np.testing.assert_array_equal(a, c[:, : a.shape[1]], name)


def test_every_call_finds_room():
    m = without_contacts()
    for call in (
        lambda b: b.ncon,
        lambda b: b.contact.dist[:, :20],
        lambda b: b.inverse(np.zeros(m.nv)),
        lambda b: b.pair_force(0, [1, 2, 3])[0],
        lambda b: b.rollout(5, record=("qpos", "qacc"))["qacc"],
        lambda b: b.rollout(5, np.zeros((3, 5, 0)), ids=[1, 5, 10])["qpos"],
        lambda b: (b.forward([2, 7]), b.contact.pos[:, :20])[1],
    ):
        answers = []
        for b in (lw.Batch(m, NSIM, 1), lw.Batch(m, NSIM, 1, nconmax=500, njmax=2000)):
            b.qpos[:, 2::7] -= 0.15
            expand(b, slice(None))
            answers.append(call(b).copy())
            answers.append(b.state.copy())
        np.testing.assert_array_equal(answers[0], answers[2])
        np.testing.assert_array_equal(answers[1], answers[3])


def test_a_rollout_in_which_worlds_stop():
    """A world that stopped before its gang had no room is not run again, and its records repeat."""
    m = without_contacts()
    results = []
    for room in ({}, {"nconmax": 500, "njmax": 2000}):
        b = lw.Batch(m, 8, 1, **room)
        expand(b, slice(None))
        b.qpos[:, 2::7] += 0.05  # they fall for a while
        b.qvel[4, 0] = np.nan
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            record = b.rollout(60, record=("qpos", "time"))
        results.append((record["qpos"], record["time"], b.state, b.resets, b.warning))
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert results[0][3].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]


def test_arrays_of_contacts_become_longer():
    m = without_contacts()
    b = lw.Batch(m, NSIM, 1)
    dist = b.contact.dist
    assert dist.shape == (NSIM, 0)
    b.qpos[:, 2::7] -= 0.15
    expand(b, slice(None))
    with pytest.warns(RuntimeWarning, match=r"nconmax=\d+, njmax=\d+.* read them again"):
        b.step()
    assert b.contact.dist.shape[1] >= 8 and (b.contact.dist[:, 0] != 0).all()
    # nobody has them: nothing to say
    b = lw.Batch(m, NSIM, 1)
    b.qpos[:, 2::7] -= 0.15
    expand(b, slice(None))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        b.step()


@pytest.mark.parametrize("room", [{"nconmax": 4}, {"njmax": 12}, {"nconmax": 4, "njmax": 1000}])
def test_room_that_was_chosen_stays(room):
    m = lw.load(XML.format(""))
    b, d = lw.Batch(m, NSIM, 1, **room), lw.Data(m, **room)
    ((name, _), *_) = room.items()
    for x in (lambda: b.step(nstep=200), lambda: lw.step(m, d, 200)):
        with pytest.warns(RuntimeWarning, match=f"larger {name}, or without"):
            x()
    assert d.sizes[name] == b._runner.sizes[name] == room[name]
    assert np.isfinite(b.state).all()


def test_copies_have_the_room():
    m = without_contacts()
    d = lw.Data(m)
    enable(m)
    lw.step(m, d, 100)
    for c in (copy.copy(d), pickle.loads(pickle.dumps(d))):
        assert c.sizes["nconmax"] == d.sizes["nconmax"] and c.grows == d.grows
        mine = copy.copy(d)
        lw.step(c.model, c, 20)
        lw.step(m, mine, 20)
        np.testing.assert_array_equal(c.qpos, mine.qpos)


# ---- with slices, interrupts and copies


def falling(nsim=17, **options):
    """Worlds that come to touch one after the other."""
    b = lw.Batch(without_contacts(), nsim, 1, **options)
    expand(b, slice(None))
    b.qpos[:, 0::7] *= 3  # apart from each other
    b.qpos[:, 2::7] += np.linspace(-0.07, 0.03, nsim)[:, None]
    b.bind("xpos")
    assert not b.ncon.any()
    return b


def cut(b, monkeypatch, size=3):
    """Let calls of a batch be left after some steps, to be gone on with."""
    for worker in b._runner.threads._all():
        worker.record.set(slice=size)
    monkeypatch.setattr("lanewise.batch.threads._SLICE", 1e-12)


@pytest.mark.skipif(not JIT, reason="plain Python has no slices")
def test_room_is_lacking_in_the_middle_of_a_call(monkeypatch):
    large = falling(nconmax=500, njmax=2000)
    expected = large.rollout(60, record=("qpos", "xpos"))
    large.step(nstep=60)
    b = falling()
    cut(b, monkeypatch)
    record = b.rollout(60, record=("qpos", "xpos"))
    b.step(nstep=60)
    for name in record:
        np.testing.assert_array_equal(record[name], expected[name], name)
    np.testing.assert_array_equal(b.state, large.state)
    np.testing.assert_array_equal(b.xpos, large.xpos)
    assert (b.steps_done == 60).all() and b._runner.sizes["nconmax"] > 0


@pytest.mark.skipif(not JIT, reason="plain Python is interrupted anywhere")
@pytest.mark.parametrize("slices", [9, 130, 200])
def test_interrupted_while_room_is_lacking(monkeypatch, slices):
    """Worlds that were left for want of room are where `steps_done` says."""
    b, large = falling(), falling(nconmax=500, njmax=2000)
    cut(b, monkeypatch, 2)
    interrupt_after(monkeypatch, slices)
    with pytest.raises(KeyboardInterrupt):
        b.step(nstep=80)
    for n in np.unique(b.steps_done[b.steps_done > 0]):
        large.step(np.flatnonzero(b.steps_done == n), nstep=int(n))
    np.testing.assert_array_equal(b.state, large.state)
    b.step(nstep=40)
    large.step(nstep=40)
    np.testing.assert_array_equal(b.state, large.state)


def test_copies_of_a_batch_have_the_room():
    b = falling()
    b.step(nstep=100)
    room = b._runner.sizes["nconmax"]
    small = lw.Batch(b.model, 3, nconmax=1)
    for c in (copy.copy(b), pickle.loads(pickle.dumps(b))):
        assert c._runner.sizes["nconmax"] == room > 0 and c.bound == ["xpos", "ncon"]
        c.step(nstep=20)
        again = copy.copy(b)
        again.step(nstep=20)
        np.testing.assert_array_equal(c.state, again.state)
    assert copy.copy(b)._runner.room.grows and not copy.copy(small)._runner.room.grows & 1


# ---- other edits that make contacts or rows


def margins(m):
    m.geom_margin[:] = 0.05


def gaps(m):
    m.geom_gap[:] = 0.2


def dimensions(m):
    m.geom_condim[:] = 6


def filters(m):
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)


PILE = f"""
<mujoco>
  <option timestep=".004"/>
  <worldbody>
    <geom type="plane" size="5 5 .1" condim="1"/>
    {
    "".join(
        f'<body pos="{0.21 * (k % 3)} {0.21 * (k // 3)} .0999"><freejoint/>'
        '<geom type="box" size=".1 .1 .1" condim="1"/>'
        '<body pos="0 0 .1"><joint axis="0 0 1"/><geom type="box" size=".1 .1 .1" condim="1"/>'
        "</body></body>"
        for k in range(6)
    )
}
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("edit", [margins, gaps, dimensions, filters])
@pytest.mark.parametrize("grows", [True, False])
def test_room_for_what_an_edit_makes(edit, grows):
    """A live Data and a live Batch with little room: it grows, or a warning says what is lost."""
    m, room = lw.load(PILE), {"nconmax": 26, "njmax": 30}
    d, b = lw.Data(m, **room), lw.Batch(m, NSIM, 2, **room)
    if grows:  # as if it were by default that there is so little
        d.let_grow(ROOM_CONTACTS | ROOM_ROWS)
        b._runner.room.grows = ROOM_CONTACTS | ROOM_ROWS
        b._runner.threads.let_grow(b._runner.room.grows)
    lw.step(m, d)
    b.step()
    few = (int(d.ncon), int(d.nefc))
    for model in (m, b.model):
        edit(model)
        lw.set_const(model)
    mj_data = mujoco.MjData(m.mj)
    mujoco.mj_setState(m.mj, mj_data, lw.get_state(m, d), mujoco.mjtState.mjSTATE_INTEGRATION)
    mujoco.mj_step(m.mj, mj_data)
    assert (mj_data.ncon, mj_data.nefc) > few
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        lw.step(m, d)
        b.step()
    words = [str(w.message) for w in said]
    if grows:
        assert not words
        np.testing.assert_allclose(d.qpos, mj_data.qpos, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(b.qpos, np.tile(d.qpos, (NSIM, 1)))
    else:
        assert len(words) >= 2 and all("with a larger n" in line for line in words), words
