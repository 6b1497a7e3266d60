"""lanewise.Batch beside mujoco.batch.Batch: the same calls, the same numbers.

Everything a call can do is done to both, on models that use what Lanewise has. Numbers that MuJoCo
computes are held to 1e-9 relative after a few steps; what is stored, selected or copied is held to
equality. `mujoco_batch_suite.py` runs MuJoCo's own tests.
"""

import gc
import os
import subprocess
import sys
import threading

import mujoco
import mujoco.batch
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import batch as lwb
from lanewise.engine import stages
from lanewise.fields import CAPACITIES, DATA
from support import mujoco_batch_suite, zoo
from support.batches import KEYFRAMES, NSIM, assert_close, both, load

MODELS = [f"own/{name}" for name in ("crooked", "walker", "tendons", "mocap", "ballchain")]
MODELS += ["own/integrate_plastic", "own/static", "delay"]


@pytest.fixture(scope="module")
def mj():
    return mujoco.MjModel.from_xml_string(KEYFRAMES)


@pytest.fixture
def b(mj):
    return lw.Batch(mj, NSIM, 2)


# ---- the same calls on both engines


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("nthread", [1, 3])
def test_lockstep(model, nthread):
    """Steps, some of them of some worlds only, stages and resets; state and outputs after each."""
    mj = load(model)
    ours, theirs = both(mj, nthread=nthread)
    names = ("xpos", "xquat", "cvel", "qfrc_bias", "actuator_force", "ten_length", "qacc", "cinert")
    outputs = {name: (ours.bind(name), theirs.bind(name)) for name in names}
    rng = np.random.default_rng(1)
    for call in range(12):
        u = rng.uniform(-1, 1, (NSIM, mj.nu))
        ours.ctrl, theirs.ctrl = u, u
        ran = np.arange(NSIM)
        if call % 4 == 1:
            ran = np.flatnonzero(rng.random(NSIM) < 0.5)
        if call == 6:
            ours.reset(ran)
            theirs.reset(ran)
        elif call % 4 == 2:
            ours.step(nstep=3, stage=2)
            theirs.step(nstep=3, stage=2)
        elif call % 4 == 3:
            ours.forward(ran)
            theirs.forward(ran)
        else:
            ours.step(ran)
            theirs.step(ran)
        assert_close(ours.state, theirs.state, f"state after call {call}")
        for name, (our, their) in outputs.items():
            assert_close(our[ran], their[ran], f"{name} after call {call}")


@pytest.mark.parametrize("model", MODELS)
def test_persistent_has_all_fields(model):
    """Every field of every world, also those that a call leaves as they were."""
    mj = load(model)
    ours, theirs = both(mj, persistent=True)
    # MuJoCo computes these only for sensors or by a call of their own, and keeps its own statistics
    others = {"cacc", "cfrc_int", "cfrc_ext", "subtree_linvel", "subtree_angmom", "solver_nnz"}
    names = sorted(lwb.DATA_FIELDS - others)
    if mujoco.mjtTrn.mjTRN_SITE in mj.actuator_trntype:
        # which numbers a row at a site has depends on which of them are exactly zero
        names = [name for name in names if "moment" not in name]
    for stage in (1, 2, 3):
        ours.forward(stage=stage)
        theirs.forward(stage=stage)
        for name in names:
            assert_close(ours.bind(name), theirs.bind(name), f"{name} at stage {stage}")
    ours.step()
    theirs.step()
    for name in names:
        assert_close(ours.bind(name), theirs.bind(name), f"{name} after a step")
    ours, theirs = ours.get_data(4), theirs.get_data(4)
    for name in names:
        assert_close(np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name)), name)


@pytest.mark.parametrize("model", MODELS)
def test_outputs_are_not_another_gangs(model):
    """Nothing that a workspace held before reaches an output."""
    mj = load(model)
    clean, dirty = lw.Batch(mj, NSIM, 1), lw.Batch(mj, NSIM, 1)
    for batch in (clean, dirty):
        for name in lwb.DATA_FIELDS:
            batch.bind(name)
    workspace = dirty._runner.threads.workers[0].data
    for call in ("forward", "step"):
        set_once = ("nworld", *CAPACITIES, *stages.WANTS)
        said = {name: workspace.arrays[name].copy() for name in set_once}
        workspace._block[dirty.nstate * 8 :] = np.nan
        # what kernels hand from one call to the next, or never write
        for field in DATA:
            if (field.own and field.name != "links") or field.name == "qfrc_adhesion":
                workspace.arrays[field.name][...] = 0
        for name, values in said.items():
            workspace.arrays[name][...] = values
        getattr(clean, call)()
        getattr(dirty, call)()
        for name in lwb.DATA_FIELDS:
            np.testing.assert_array_equal(dirty.bind(name), clean.bind(name), f"{call} {name}")


def test_every_section_of_the_table_has_a_stage():
    assert {f.stage for f in DATA if not f.own} - {"state"} <= set(stages.SECTIONS)


@pytest.mark.parametrize("model", ["own/tendons", "own/mocap", "own/cameras"])
def test_a_field_alone(model):
    """What is computed only for somebody who reads it is, for one reader as for all."""
    everything = both(load(model), persistent=True)[0]
    start = everything.state.copy()
    everything.step(nstep=2)
    m = lw.load(load(model))
    for name in sorted(lwb.DATA_FIELDS - {"qfrc_inverse"}):
        bound, recorded = lw.Batch(m, NSIM, 1), lw.Batch(m, NSIM, 1)
        bound.state[:], recorded.state[:] = start, start
        bound.bind(name)
        bound.step(nstep=2)
        records = recorded.rollout(2, record=(name,))[name]
        np.testing.assert_array_equal(bound.bind(name), everything.bind(name), name)
        np.testing.assert_array_equal(records[:, -1], everything.bind(name), name)


def test_outputs_of_later_stages_stay():
    """Computing positions anew leaves a world's accelerations as its last call computed them."""
    mj = zoo.load("own/walker")
    ours, _ = both(mj)
    qacc, xpos = ours.bind("qacc"), ours.bind("xpos")
    ours.forward()
    before, positions = qacc.copy(), xpos.copy()
    ours.qpos[:] += 0.1
    ours.forward(stage=1)
    np.testing.assert_array_equal(qacc, before)
    assert not np.array_equal(xpos, positions)
    ours.forward(stage=0)
    np.testing.assert_array_equal(qacc, before)


# ---- state rows


def test_state_rows_are_mujocos(mj, b):
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    assert b.state.shape == (NSIM, mujoco.mj_stateSize(mj, spec)) == (NSIM, b.nstate)
    d = mujoco.MjData(mj)
    row = np.empty(b.nstate)
    mujoco.mj_getState(mj, d, row, spec)
    np.testing.assert_array_equal(b.state, np.tile(row, (NSIM, 1)))


def test_views_share_the_rows(mj, b):
    b.qpos[3, 1] = 0.25
    d = b.get_data(3)
    assert d.qpos[1] == 0.25
    b.ctrl = 0.5
    assert np.all(b.ctrl == 0.5)
    b.userdata = np.arange(3)
    np.testing.assert_array_equal(b.userdata[7], [0, 1, 2])
    assert b.time.shape == (NSIM,)
    assert b.mocap_quat.shape == (NSIM, 1, 4)
    assert b.xfrc_applied.shape == (NSIM, mj.nbody, 6)
    rows = b.state.copy()
    rows[:, 0] = 7
    b.state = rows
    assert np.all(b.time == 7)


def test_views_outlive_the_batch(mj):
    b = lw.Batch(mj, NSIM, 2)
    qpos, xpos = b.qpos, b.xpos
    b.qvel = 1
    b.step(nstep=3)
    expected = qpos.copy(), xpos.copy()
    del b
    gc.collect()
    np.testing.assert_array_equal(qpos, expected[0])
    np.testing.assert_array_equal(xpos, expected[1])


def test_the_model_is_copied(mj):
    mine = lw.load(mj)
    b = lw.Batch(mine, 3, 1)
    other = lw.Batch(mj, 3, 1)
    mine.opt.gravity[:] = 0
    mine.body_mass[1] = 100
    for batch in (b, other):
        batch.ctrl = 1
        batch.step(nstep=4)
    np.testing.assert_array_equal(b.state, other.state)


def test_memory_of_a_world():
    """Its row, warnings, resets, status, effort, contacts and room used; nothing else grows with
    the number of worlds."""
    import tracemalloc

    m = lw.load(lw.models.path("pendulum"))
    lw.Batch(m, 8, 1).step()
    used = []
    for nsim in (1000, 101_000):
        tracemalloc.start()
        b = lw.Batch(m, nsim, 1)
        b.step()
        used.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
    assert used[1] - used[0] < 100_000 * (8 * b.nstate + 7 * 8 + 4 + 4 + 4 + 8 + 8) + 10_000


# ---- names


def test_fields_and_attributes(b):
    for name in lwb.DATA_FIELDS:
        assert b.bind(name).shape[0] == NSIM, name
        assert getattr(b, name) is b.bind(name) or name in lw.fields.STATE_FIELDS, name
    assert "xpos" in dir(b)
    assert "19 worlds" in repr(b)
    assert "contact" not in lwb.DATA_FIELDS
    assert b.contact.dist.shape[0] == NSIM


def test_integer_fields(mj):
    ours, theirs = both(zoo.load("own/tendons"))
    for name in ("ten_wrapnum", "ten_wrapadr", "moment_rownnz"):
        assert ours.bind(name).dtype == theirs.bind(name).dtype == np.int32
    ours.forward()
    theirs.forward()
    for name in ("ten_wrapnum", "ten_wrapadr", "moment_rownnz"):
        np.testing.assert_array_equal(ours.bind(name), theirs.bind(name))


def test_named_views(mj, b):
    hinge = b.joint("hinge")
    assert (hinge.id, hinge.name) == (1, "hinge")
    hinge.qpos[:, 0] = np.arange(NSIM)
    np.testing.assert_array_equal(b.qpos[:, 1], np.arange(NSIM))
    hinge.qpos = 0.5
    assert np.all(b.qpos[:, 1] == 0.5)
    b.actuator("push").ctrl = np.ones((NSIM, 1))
    assert np.all(b.ctrl[:, 0] == 1)
    pole = b.body("pole")
    position, hand = pole.xpos, b.body("hand").xpos
    b.forward()
    np.testing.assert_array_equal(position, b.xpos[:, pole.id])
    np.testing.assert_array_equal(hand, np.tile([1, 0, 1], (NSIM, 1)))
    np.testing.assert_array_equal(b.site("tip").xpos, b.site_xpos[:, 0])
    assert b.keyframe("low").qpos.shape == (NSIM, 2)
    assert "mass" in dir(pole)
    assert "pole" in repr(pole)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda b: b.bind("qpso"), ValueError, "did you mean 'qpos'"),
        (lambda b: b.bind("body_mass"), ValueError, r"use expand\('body_mass'\)"),
        (lambda b: b.bind("timestep"), ValueError, r"use expand\('opt.timestep'\)"),
        (lambda b: b.bind("iefc_force"), ValueError, "arena"),
        (lambda b: b.bind("contact"), ValueError, "contact.dist"),
        (lambda b: b.bind("flexvert_xpos"), lw.UnsupportedFeature, "flexvert_xpos"),
        (lambda b: b.bind(3), TypeError, "string"),
        (lambda b: b.qpso, AttributeError, "did you mean 'qpos'"),
        (lambda b: b.body_mass, AttributeError, r"use expand\('body_mass'\)"),
        (lambda b: b.flexvert_xpos, AttributeError, "not computed yet"),
        (lambda b: b.expand("xpos"), ValueError, r"use bind\('xpos'\)"),
        (lambda b: b.expand("timestep"), ValueError, r"use expand\('opt.timestep'\)"),
        (lambda b: b.expand("mesh_vert"), ValueError, "asset data"),
        (lambda b: b.expand("body_mas"), ValueError, "did you mean 'body_mass'"),
        (lambda b: b.expanded("qpos"), ValueError, "bind"),
        (lambda b: b.joint("hinge").qpso, AttributeError, "did you mean 'qpos'"),
        (lambda b: b.joint("hnge"), KeyError, "hinge"),
        (lambda b: b.joint(7), IndexError, "7"),
        (lambda b: b.rollout(1, record=("qpso",)), ValueError, "did you mean 'qpos'"),
        (lambda b: b.rollout(1, record="qpos"), TypeError, "sequence"),
        (lambda b: b.rollout(1, record=(-1,)), ValueError, "mjtState"),
        (lambda b: b.rollout(0), ValueError, "nstep"),
        (lambda b: b.rollout(2, np.zeros((NSIM, 2, 5))), ValueError, r"\(19, 2, 2\)"),
        (lambda b: b.rollout(2, 0.0, 2), ValueError, "mjSTATE_USER"),
        (lambda b: b.rollout(2, 0.0, 1 << 20), ValueError, "mjtState"),
        (lambda b: b.step([0, NSIM]), ValueError, r"in \[0, 19\), got 19"),
        (lambda b: b.step([2, 1]), ValueError, "got 2 before 1"),
        (lambda b: b.step(np.array([2, 1], np.uint32)), ValueError, "got 2 before 1"),
        (lambda b: b.step([2**32]), ValueError, "ids"),
        (lambda b: b.step(stage=9), ValueError, "stage"),
        (lambda b: b.step(stage="pos"), TypeError, "stage"),
        (lambda b: b.forward(stage=-1), ValueError, "stage"),
        (lambda b: b.reset(keyframe=2), ValueError, r"keyframe must be in \[-1, 2\), got 2"),
        (lambda b: b.reset(keyframe=[0, 1]), ValueError, r"\(19,\)"),
        (lambda b: b.get_data(NSIM), IndexError, "got 19"),
        (lambda b: b.get_data(1.5), TypeError, "sim"),
        (lambda b: b.get_model(-1), IndexError, "got -1"),
        (lambda b: b.error(NSIM), IndexError, "got 19"),
        (lambda b: b.jac(99, np.zeros(3)), ValueError, "body"),
        (lambda b: b.jac(0.5, np.zeros(3)), ValueError, "body"),
        (lambda b: b.jac(1, np.zeros(4)), ValueError, "point"),
        (lambda b: setattr(b, "xpos", 0), ValueError, "computed by every call"),
        (lambda b: setattr(b.body("pole"), "xpos", 0), ValueError, "computed by every call"),
        (lambda b: setattr(b, "ctlr", 0), AttributeError, "did you mean 'ctrl'"),
        (lambda b: setattr(b, "nsim", 3), AttributeError, "nsim"),
        (lambda b: setattr(b.joint("hinge"), "id", 0), AttributeError, "read-only"),
        (lambda b: setattr(b.joint("hinge"), "qpos", "up"), TypeError, "numbers"),
        (lambda b: setattr(b, "ctrl", np.zeros(5)), ValueError, r"\(19, 2\)"),
        (lambda b: b.status.__setitem__(0, 1), ValueError, "read-only"),
        (lambda b: lw.Batch("model.xml", 3), TypeError, "lanewise.load"),
    ],
)
def test_errors_say_what_is_right(b, call, error, words):
    before = b.state.copy()
    with pytest.raises(error, match=words):
        call(b)
    np.testing.assert_array_equal(b.state, before)
    b.step()  # still usable


# ---- resets


def test_keyframes_of_each_world(mj):
    ours, theirs = both(mj)
    keys = np.arange(NSIM) % 3 - 1
    ours.xpos, theirs.bind("xpos")
    for batch in (ours, theirs):
        batch.reset(keyframe=keys)
    assert_close(ours.state, theirs.state, "state")
    for batch in (ours, theirs):
        batch.step(nstep=2)
        batch.reset([1, 5, 8], keyframe=[1, -1, 0])
    assert_close(ours.state, theirs.state, "state")
    assert_close(ours.xpos, theirs.xpos, "xpos")


def test_reset_without_stages(b):
    b.bind("xpos")
    b.qvel = 1
    b.step()
    before = b.xpos.copy()
    b.reset([2, 4], keyframe=1, stage=0)
    np.testing.assert_array_equal(b.xpos, before)
    assert b.qvel[2, 1] == 2


# ---- warnings


def test_warnings_beside_mujoco(mj):
    ours, theirs = both(mj)
    rng = np.random.default_rng(3)
    for batch in (ours, theirs):
        batch.qvel[3, 0] = np.inf
        batch.qpos[9, 1] = np.nan
        batch.ctrl[4, 1] = np.nan
        batch.qfrc_applied[17] = 1e20
        batch.warning[9, 2] = 5, 6
        batch.step(nstep=2)
    np.testing.assert_array_equal(ours.warning, theirs.warning)
    finite = np.isfinite(theirs.state)
    np.testing.assert_array_equal(np.isfinite(ours.state), finite)
    assert_close(ours.state[finite], theirs.state[finite], "state")
    for batch in (ours, theirs):
        batch.step([2, 3, 4])
        batch.reset([9])
        batch.qpos[0] = 1e20
        batch.forward([0, 1])
    np.testing.assert_array_equal(ours.warning, theirs.warning)
    assert not ours.status.any()
    assert ours.get_data(3).warning[4].number == theirs.get_data(3).warning[4].number
    del rng


def test_rollout_stops_at_a_warning(mj):
    ours, theirs = both(mj)
    full = mujoco.mjtState.mjSTATE_INTEGRATION
    control = np.random.default_rng(0).normal(size=(NSIM, 6, mj.nu))
    results = []
    for batch in (ours, theirs):
        batch.bind("xpos")
        batch.qvel[[3, 16, 18]] = np.inf
        batch.warning[5, 0] = 1, 2  # had warnings before: goes on
        results.append(batch.rollout(6, control, record=("qpos", "xpos", full, "eq_active")))
    for item in results[0]:
        assert_close(results[0][item], results[1][item], str(item))
    np.testing.assert_array_equal(ours.warning, theirs.warning)
    assert_close(ours.state, theirs.state, "state")
    assert_close(ours.xpos, theirs.xpos, "xpos")
    assert ours.time[3] < ours.time[4]


# ---- rollouts


@pytest.mark.parametrize("ids", [None, [0, 3, 4, 7, 9, 11, 12, 16, 18]])
def test_rollout_beside_mujoco(ids):
    mj = zoo.load("own/mocap")
    ours, theirs = both(mj)
    n = NSIM if ids is None else len(ids)
    bits = mujoco.mjtState
    spec = int(bits.mjSTATE_CTRL | bits.mjSTATE_MOCAP_POS | bits.mjSTATE_XFRC_APPLIED)
    control = np.random.default_rng(0).normal(0, 0.1, (n, 5, mujoco.mj_stateSize(mj, spec)))
    record = ("qvel", "xipos", "cvel", bits.mjSTATE_FULLPHYSICS, int(bits.mjSTATE_QVEL), "qpos")
    results = [batch.rollout(5, control, spec, record, ids) for batch in (ours, theirs)]
    assert list(results[0]) == list(results[1])
    for item in record:
        assert results[0][item].dtype == results[1][item].dtype
        assert_close(results[0][item], results[1][item], str(item))
    assert_close(ours.state, theirs.state, "state")


def test_rollout_is_steps(mj):
    one, other = lw.Batch(mj, NSIM, 2), lw.Batch(mj, NSIM, 1)
    one.qvel[:] = other.qvel[:] = np.random.default_rng(0).normal(size=(NSIM, 2))
    out = one.rollout(4, record=("qpos",))["qpos"]
    for k in range(4):
        other.step()
        np.testing.assert_array_equal(out[:, k], other.qpos)
    np.testing.assert_array_equal(one.state, other.state)


def test_rollout_into_given_arrays(b):
    qpos = np.empty((NSIM, 3, 2))
    out = b.rollout(3, 0.1, record=("qpos", "time"), out={"qpos": qpos})
    assert out["qpos"] is qpos
    np.testing.assert_array_equal(qpos[:, -1], b.qpos)
    np.testing.assert_array_equal(out["time"][:, -1], b.time)
    for wrong in (np.empty((NSIM, 2, 2)), qpos.astype(np.float32), qpos.tolist(), qpos[:, ::-1]):
        with pytest.raises(ValueError, match="C-contiguous"):
            b.rollout(3, record=("qpos",), out={"qpos": wrong})
    assert b.rollout(2, record=()) == {}


# ---- jacobians


@pytest.mark.parametrize("model", ["own/crooked", "own/ballchain", "own/mocap", "own/multijoint"])
def test_jacobians(model):
    mj = load(model)
    ours, theirs = both(mj)
    rng = np.random.default_rng(0)
    point = rng.normal(size=(NSIM, 3))
    body = rng.integers(0, mj.nbody, NSIM)
    state = ours.state.copy()
    for ids in (None, [1, 4, 5, 18]):
        pick = slice(None) if ids is None else ids
        for our, their in zip(
            ours.jac(body[pick], point[pick], ids),
            theirs.jac(body[pick], point[pick], ids),
            strict=True,
        ):
            assert_close(our, their, "jac")
    np.testing.assert_array_equal(ours.state, state)


# ---- one world as MjModel and MjData


def test_one_world_for_mujoco(mj, b):
    b.qpos[:] = np.random.default_rng(0).normal(size=b.qpos.shape)
    xpos = b.xpos
    b.forward()
    for sim in (0, 18):
        m, d = b.get_model(sim), b.get_data(sim)
        mujoco.mj_forward(m, d)
        assert_close(xpos[sim], d.xpos, "xpos")
    d, m = mujoco.MjData(mj), mujoco.MjModel.from_xml_string(KEYFRAMES)
    assert b.get_data(3, d) is d
    assert b.get_model(3, m) is m
    other = mujoco.MjModel.from_xml_string("<mujoco/>")
    with pytest.raises(ValueError, match="sizes"):
        b.get_data(3, mujoco.MjData(other))
    with pytest.raises(ValueError, match="sizes"):
        b.get_model(3, other)
    with pytest.raises(TypeError, match="MjData"):
        b.get_data(3, m)
    with pytest.raises(TypeError, match="MjModel"):
        b.get_model(3, d)


# ---- threads


def test_threads_are_counted(mj):
    assert lw.Batch(mj, 8, 3).nthread == 3
    assert lw.Batch(mj, 2, 50).nthread == 2
    assert 1 <= lw.Batch(mj, 1000).nthread <= os.cpu_count()


@pytest.mark.parametrize("nthread", [2, 5, 16])
def test_threads_change_no_bit(nthread):
    """More threads than processors, calls close together and far apart, other calls in between."""
    mj = zoo.load("own/walker")
    one, many = lw.Batch(mj, 100, 1), lw.Batch(mj, 100, nthread)
    start = np.random.default_rng(0).normal(0, 0.1, one.qvel.shape)
    one.qvel[:], many.qvel[:] = start, start
    for call in range(200):
        for batch in (one, many):
            batch.step(None if call % 3 else np.arange(0, 100, 1 + call % 7))
        if call % 50 == 0:
            threading.Event().wait(0.002)  # the threads fall asleep
    np.testing.assert_array_equal(one.state, many.state)


def test_many_batches_at_once(mj):
    """Batches of several Python threads do not disturb each other, nor does one that is shared."""
    shared = lw.Batch(mj, 64, 2)
    results = {}

    def simulate(k):
        b = lw.Batch(mj, 64, 2)
        b.ctrl = 0.1
        for _ in range(50):
            b.step()
            shared.step()
        results[k] = b.state.copy()

    threads = [threading.Thread(target=simulate, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    np.testing.assert_allclose(shared.time, 150 * mj.opt.timestep)


def test_threads_end_with_the_batch(mj):
    before = threading.active_count()
    for _ in range(5):
        b = lw.Batch(mj, 100, 4)
        b.step()
        del b
    gc.collect()
    for _ in range(100):
        if threading.active_count() <= before:
            break
        threading.Event().wait(0.02)
    assert threading.active_count() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork():
    code = f"""
import os, lanewise as lw
b = lw.Batch(lw.load('''{KEYFRAMES}'''), 100, 2)
b.step()
child = os.fork()
b.step(nstep=2)
if child == 0:
    os._exit(0 if abs(b.time - 0.006).max() < 1e-12 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_million_pendulums():
    m = lw.load(lw.models.path("pendulum"))
    b = lw.Batch(m, 1_000_000)
    b.qpos[:, 0] = np.linspace(-3, 3, b.nsim)
    one = lw.Batch(m, 1, 1)
    one.qpos[0, 0] = b.qpos[123_456, 0]
    b.step(nstep=2)
    one.step(nstep=2)
    np.testing.assert_array_equal(b.state[123_456], one.state[0])


# ---- MuJoCo's own tests


def _suite():
    return list(dict.fromkeys(name for name, _ in mujoco_batch_suite.cases()))


@pytest.mark.parametrize("name", _suite())
def test_of_mujoco(name):
    if name in mujoco_batch_suite.NOT_APPLICABLE:
        pytest.skip(mujoco_batch_suite.NOT_APPLICABLE[name])
    mujoco_batch_suite.adapt()
    for other, test in mujoco_batch_suite.cases():
        if other == name:
            text = mujoco_batch_suite.outcome(test)
            if name in mujoco_batch_suite.UP_TO:
                assert mujoco_batch_suite.UP_TO[name][0] in text, text
            else:
                assert not text, text
