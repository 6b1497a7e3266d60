"""Samples of a world: what `forward` gives where the world has those inputs, to the bit."""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import SimulationError
from lanewise.batch.field_names import DATA_FIELDS, MORE_FIELDS
from lanewise.batch.outputs import level_of
from lanewise.batch.sampling import common_stage, shares
from lanewise.fields import DATA_FIELDS as TABLE
from lanewise.fields import STATE_FIELDS
from lanewise.lanes import W
from lanewise.mjconst import STAGE_ACC
from support import parity_contacts as touch
from support import zoo
from support.sensing import with_sensors
from support.states import random_state
from support.user_kernels import arm, kernels

INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION
FIELDS = ("qacc", "xpos", "cvel", "qfrc_bias", "qfrc_passive", "actuator_force", "sensordata")
# all outputs that follow from a state
EVERYTHING = tuple(
    n for n in sorted(DATA_FIELDS | MORE_FIELDS)
    if n not in STATE_FIELDS and not TABLE[n].capacity and level_of(n) <= STAGE_ACC
)  # fmt: skip
LATE = ("ctrl", "act", "qfrc_applied", "xfrc_applied", "qacc_warmstart")


def batch(source, nsim=5, nthread=2, seed=3, **options):
    m = source if isinstance(source, lw.Model) else lw.load(source)
    b, rng = lw.Batch(m, nsim, nthread, **options), np.random.default_rng(seed)
    for row in b.state:
        mujoco.mj_getState(m.mj, random_state(m.mj, rng, 0.2, odd=False), row, INTEGRATION)
    return b


def vary(b, names, k, ids=None, scale=0.1, seed=0):
    rng, worlds = np.random.default_rng(seed), slice(None) if ids is None else ids
    rows = {name: b.bind(name)[worlds] for name in names}
    return {
        name: x[:, None] + rng.normal(0, scale, (len(x), k, *x.shape[1:]))
        for name, x in rows.items()
    }


def assert_as_forward(b, inputs, record=FIELDS, ids=None):
    """Beside a world for every sample."""
    before = b.state.copy(), b.warning.copy()
    found = b.sample(inputs, record, ids)
    np.testing.assert_array_equal(b.state, before[0])
    np.testing.assert_array_equal(b.warning, before[1])
    assert list(found) == list(record)
    worlds = np.arange(b.nsim) if ids is None else np.asarray(ids)
    n, k = found[record[0]].shape[:2]
    many = lw.Batch(b._model, n * k, 1)
    for name, rows in b._variation.all_rows().items():
        many.expand(name)[...] = np.repeat(rows[worlds], k, axis=0)
    many.state[:] = np.repeat(b.state[worlds], k, axis=0)
    for name, x in inputs.items():
        target = many.bind(name)
        target[:] = np.broadcast_to(x, (n, k, *target.shape[1:])).reshape(target.shape)
    for name in record:
        many.bind(name)
    many.forward()
    for name in record:
        expected = many.bind(name)
        np.testing.assert_array_equal(found[name].reshape(expected.shape), expected, name)
    return found


@pytest.mark.parametrize("name", [
    "own/crooked", "own/walker", "own/contacts_boxes", "own/integrate_tendons",
    "own/constraints_equality", "own/passive_yield", "own/actuation_delay", "own/mocap",
])  # fmt: skip
@pytest.mark.parametrize("integrator", ["EULER", "DISCRETE"])
def test_all_that_varies(name, integrator):
    mj = touch.with_constraints(zoo.ZOO[name]())
    mj.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
    b = batch(mj)
    names = [n for n in STATE_FIELDS if n != "eq_active" and b.bind(n)[0].size]
    for varied in names:
        assert_as_forward(b, vary(b, [varied], 11))
    assert_as_forward(b, vary(b, ["ctrl", "qfrc_applied", "qvel"], 3, [1, 4]), ids=[1, 4])
    assert_as_forward(b, vary(b, names, 9))


@pytest.mark.parametrize("varied", ["ctrl", "qvel", "qpos", "time"])
def test_every_output(varied):
    mj = with_sensors(str(zoo.own("walker")))
    mj.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    b = batch(mj, nsim=3)
    assert_as_forward(b, vary(b, [varied], 5), EVERYTHING)


@pytest.mark.parametrize("options", [{"solver": "PGS"}, {"solver": "CG"}, {"noslip": 3}])
def test_solvers(options):
    mj = touch.with_constraints(zoo.ZOO["own/contacts_boxes"]())
    mj.opt.noslip_iterations = options.get("noslip", 0)
    mj.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{options.get('solver', 'NEWTON')}")
    b = batch(mj, 3)
    for varied in ("qfrc_applied", "qvel", "qpos"):
        assert_as_forward(b, vary(b, [varied], 5))


@pytest.mark.parametrize(("varied", "skip"), [("ctrl", 2), ("qvel", 1), ("qpos", 0)])
def test_beside_mujoco(varied, skip):
    """As mj_forwardSkip at each sample, from the same warm start."""
    mj = touch.tighten(mujoco.MjModel.from_xml_path(str(lw.models.path("humanoid"))))
    b = lw.Batch(mj, 4, 1)
    b.qvel[:] = np.random.default_rng(0).normal(scale=0.3, size=b.qvel.shape)
    b.step(nstep=300)
    assert b.ncon.max() > 0
    inputs, d = vary(b, [varied], 6, scale=0.02), mujoco.MjData(mj)
    found = b.sample(inputs, ("qacc", "qfrc_constraint", "sensordata"))
    for w in range(4):
        mujoco.mj_setState(mj, d, b.state[w], INTEGRATION)
        mujoco.mj_forward(mj, d)
        for k in range(6):
            getattr(d, varied)[:] = inputs[varied][w, k]
            d.qacc_warmstart[:] = b.qacc_warmstart[w]
            mujoco.mj_forwardSkip(mj, d, skip, 0)
            for name, values in found.items():
                assert touch.relative(values[w, k], np.array(getattr(d, name))) < 1e-7, name


def test_worlds_that_differ():
    b = batch(lw.models.path("quadruped"), 21)
    b.expand("body_mass")[:] *= np.linspace(1, 2, 21)[:, None]
    b.expand("opt.iterations")[::3] = 5  # two groups
    for k in (1, 4, 40):
        for ids in (None, [0], np.arange(1, 21, 2)):
            assert_as_forward(b, vary(b, ["ctrl"], k, ids), ids=ids)
    b = batch(lw.models.path("quadruped"), 21)
    light = copy.copy(b._model.mj)
    light.body_mass[:] *= 0.5
    b.set_models([light if i % 2 else b._model.mj for i in range(21)])
    inputs = vary(b, ["qvel"], 5)
    found = b.sample(inputs)
    b.qvel[:] = inputs["qvel"][:, 3]
    b.bind("qacc")
    b.forward()
    np.testing.assert_array_equal(found["qacc"][:, 3], b.qacc)


@pytest.mark.parametrize("code", [
    ("control", "act_gain", "act_bias", "act_dyn"), ("passive",), ("sensor",), ("contact_filter",),
])  # fmt: skip
def test_user_code(code):
    b = batch(lw.load(arm(), **kernels(*code)), 9)
    for varied in ("ctrl", "userdata", "qvel", "qpos"):
        assert_as_forward(b, vary(b, [varied], 7), ("qacc", "sensordata", "qfrc_passive"))


def test_user_code_that_reads_what_comes_later():
    """What other samples left of it is not seen."""

    @lw.kernel
    def damp(m, d):
        d.qfrc_applied[0] = -0.5 * d.qacc[0] - 0.1 * d.xpos[1, 0]

    b = batch(lw.load(arm(), control=damp), 9)
    assert_as_forward(b, vary(b, ["ctrl"], 7))
    assert common_stage(b._model, ["ctrl"]) == 0

    @lw.kernel
    def push(m, d):
        d.ctrl[0] = d.xpos[1, 0] + d.cvel[1, 0]

    b = batch(lw.load(arm(), control=push), 9)
    assert_as_forward(b, vary(b, ["act"], 7))
    assert common_stage(b._model, ["act"]) == 2
    assert common_stage(b._model, ["act", "qvel"]) == 0  # velocities are not those of the base


def test_what_a_change_leaves_alone():
    m = lw.load(lw.models.path("humanoid"))
    assert [common_stage(m, [name]) for name in LATE] == [2] * len(LATE)
    assert common_stage(m, ["ctrl", "qvel"]) == 1
    assert common_stage(m, ["ctrl", "mocap_pos"]) == common_stage(m, ["plastic"]) == 0


@pytest.mark.parametrize("constrained", [False, True])
def test_all_samples_have_a_place(constrained):
    for n in (1, 3, 8, 100):
        for k in (1, 2, 7, 8, 63, 64, 1000):
            for common in (0, 1, 2):
                nplace, share = shares(n, k, common, constrained, 2)
                assert nplace * share >= k and share <= 64
    # lanes are full, also for one world; where things touch, with samples of the same world
    assert shares(1, 128, 2, constrained, 1) == (8, 16)
    assert shares(64, 128, 2, constrained, 1)[0] % W == (0 if constrained else 2)


def test_nothing_else_changes():
    b = batch(lw.models.path("quadruped"), 9)
    xpos, contacts = b.bind("xpos"), b.bind("contact.dist")
    b.forward()
    before = xpos.copy(), contacts.copy()
    b.ctrl[:] += 0.1
    bound = b.bound
    b.sample({"qpos": b.qpos[:, None] + 0.3 * np.ones((3, 1))}, ("sensordata", "xpos"))
    assert b.bound == bound
    for now, then in zip((xpos, contacts), before, strict=True):
        np.testing.assert_array_equal(now, then)
    b.forward_skip(2)  # positions are still those of `forward`
    np.testing.assert_array_equal(xpos, before[0])


def test_bad_samples_are_not_reset():
    b = batch(lw.models.path("cartpole"), 3)
    x = np.zeros((3, 4, b.model.nv))
    x[1, 2, 0] = np.nan
    found = b.sample({"qvel": x}, ("qacc", "qvel"))
    assert np.isnan(found["qacc"][1, 2]).any()
    assert np.isfinite(np.delete(found["qacc"].reshape(12, -1), 6, axis=0)).all()
    assert not b.warning.any() and not b.resets.any()


def test_room_is_made():
    m = lw.load(lw.models.path("boxes"))
    m.geom_contype[:] = m.geom_conaffinity[:] = 0
    mujoco.mj_setConst(m.mj, mujoco.MjData(m.mj))
    b = lw.Batch(m, 3, 2)
    b.model.geom_contype[:] = b.model.geom_conaffinity[:] = 1
    mujoco.mj_setConst(b._model.mj, mujoco.MjData(b._model.mj))
    assert b._runner.sizes["nconmax"] == 0
    qpos = b.qpos[:, None] * np.linspace(1.0, 0.3, 20)[:, None]
    found = assert_as_forward(b, {"qpos": qpos}, ("ncon", "qacc"))
    assert found["ncon"].max() > 20


def test_shapes():
    b = batch(lw.models.path("arm"), 5)
    nu, nv = b.model.nu, b.model.nv
    ctrl = np.random.default_rng(0).normal(size=(7, nu))
    same = assert_as_forward(b, {"ctrl": ctrl})
    assert same["qacc"].shape == (5, 7, nv)
    np.testing.assert_array_equal(
        b.sample({"ctrl": ctrl, "qvel": np.zeros(nv)})["qacc"],
        b.sample({"ctrl": np.tile(ctrl, (5, 1, 1)), "qvel": np.zeros((5, 1, nv))})["qacc"],
    )
    assert (
        b.sample({"time": np.arange(4.0)}, ("time", "ncon"))["time"].tolist() == [[0, 1, 2, 3]] * 5
    )
    out = {"qacc": np.zeros((5, 7, nv))}
    assert b.sample({"ctrl": ctrl}, out=out)["qacc"] is out["qacc"]
    np.testing.assert_array_equal(out["qacc"], same["qacc"])
    assert b.sample({"ctrl": np.zeros((0, nu))})["qacc"].shape == (5, 0, nv)
    assert b.sample({"ctrl": ctrl}, ids=[])["qacc"].shape == (0, 7, nv)
    spec = int(mujoco.mjtState.mjSTATE_CTRL)
    np.testing.assert_array_equal(b.sample({"ctrl": ctrl}, (spec,))[spec][2], ctrl)


TWO = {"ctrl": np.zeros((2, 8))}


@pytest.mark.parametrize(("inputs", "more", "error", "words"), [
    ({"ctlr": 0}, {}, ValueError, r"'ctlr' is no component .*did you mean 'ctrl'.*there are time"),
    ({"xpos": 0}, {}, ValueError, "'xpos' is no component of the state"),
    ({}, {}, ValueError, "inputs is empty"),
    ([0.1], {}, TypeError, "inputs are {name: array}"),
    ({"ctrl": np.zeros(8)}, {}, ValueError, r"k samples, of shape \(5, k, 8\) or \(k, 8\), got"),
    ({"ctrl": np.zeros((3, 2))}, {}, ValueError, r"ctrl takes shape \(5, 3, 8\)"),
    ({"ctrl": np.zeros((4, 3, 8))}, {}, ValueError, r"ctrl takes shape \(5, 3, 8\)"),
    (TWO | {"qvel": np.zeros((4, 9))}, {}, ValueError, r"takes shape \(5, [24], [89]\)"),
    ({"ctrl": np.array([["a"] * 8])}, {}, TypeError, "ctrl takes numbers"),
    (TWO, {"record": "qacc"}, TypeError, r"sequence of items, such as \('qacc',"),
    (TWO, {"record": ("qac",)}, ValueError, "did you mean 'qacc'"),
    (TWO, {"record": ("contact.dist",)}, ValueError, "another length"),
    (TWO, {"record": ("qfrc_inverse",)}, ValueError, "not from a state"),
    (TWO, {"out": {"qacc": np.zeros(3)}}, ValueError, r"shape \(5, 2, 9\)"),
    (TWO, {"ids": [7]}, ValueError, r"ids must be in \[0, 5\)"),
])  # fmt: skip
def test_mistakes(inputs, more, error, words):
    b = lw.Batch(lw.load(lw.models.path("arm")), 5, 1)
    with pytest.raises(error, match=words):
        b.sample(inputs, **more)


def test_worlds_that_cannot_be_run():
    b = batch(lw.models.path("arm"), 3)
    b.expand("opt.solver")[1] = 17
    with pytest.raises(SimulationError, match="errors in 1 of 3 simulations") as failure:
        b.sample({"ctrl": np.zeros((100, b.model.nu))})
    assert failure.value.ids.tolist() == [1]
    assert b.sample({"ctrl": np.zeros((100, b.model.nu))}, ids=[0, 2])["qacc"].any()
