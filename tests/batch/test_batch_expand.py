"""Worlds with different models: expand, set_const, set_models, beside mujoco.batch.

Numbers of the model become lanes, integers sort the worlds into groups. Whatever is done to one
engine's batch is done to the other's, and the worlds must go the same way.
"""

import copy
import os
import subprocess
import sys

import mujoco
import mujoco.batch
import numpy as np
import pytest

import lanewise as lw
from lanewise.batch.batch import SimulationError
from support import zoo
from support.batches import DELAY, KEYFRAMES, NSIM, assert_close, both, load

GRAVITY, DAMPER, ACTUATION = (
    int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    for name in ("GRAVITY", "DAMPER", "ACTUATION")
)
ENERGY = int(mujoco.mjtEnableBit.mjENBL_ENERGY)

RNG = np.random.default_rng(5)

# fields that are read while a world moves, and by how much they are changed
SCALED = (
    "body_mass", "body_inertia", "body_ipos", "body_pos", "jnt_stiffness", "jnt_pos", "dof_damping",
    "dof_armature", "qpos_spring", "geom_pos", "site_pos", "tendon_stiffness", "tendon_damping",
    "actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_dynprm",
    "actuator_ctrlrange", "actuator_forcerange", "opt.gravity", "opt.timestep", "opt.density",
    "opt.wind",
)  # fmt: skip


def vary(batches, name, factor=0.2):
    """Multiply a field by a different number in every world, in both batches alike."""
    scale = 1 + factor * RNG.uniform(-1, 1, NSIM)
    for batch in batches:
        rows = batch.expand(name)
        rows *= scale.reshape(-1, *[1] * (rows.ndim - 1))


def assert_same(ours, theirs, nstep=6, names=("xpos", "qfrc_bias", "actuator_force", "qacc")):
    for batch in (ours, theirs):
        for name in names:
            batch.bind(name)
        for _ in range(nstep):
            batch.step()
    assert_close(ours.state, theirs.state, "state")
    for name in names:
        assert_close(ours.bind(name), theirs.bind(name), name)


# ---- numbers


@pytest.mark.parametrize(
    "model", ["own/crooked", "own/walker", "own/tendons", "own/ballchain", "delay"]
)
def test_numbers(model):
    mj = load(model)
    ours, theirs = both(mj)
    for name in SCALED:
        vary((ours, theirs), name)
    assert_same(ours, theirs)
    for batch in (ours, theirs):
        batch.expand("body_mass")[:] *= 1.1  # live: the next call sees it
    assert_same(ours, theirs, 2)


@pytest.mark.parametrize("name", SCALED)
def test_one_number(name):
    mj = zoo.load("own/tendons")
    ours, theirs = both(mj)
    vary((ours, theirs), name, 0.5)
    assert_same(ours, theirs, 3)


def test_unchanged_numbers():
    """Lanes that all hold the model's number give what the number gives."""
    mj = zoo.load("own/walker")
    shared, lanes = both(mj)[0], both(mj)[0]
    lanes.expand("body_mass")
    shared.step(nstep=5)
    lanes.step(nstep=5)
    assert_close(lanes.state, shared.state, "state")


@pytest.mark.parametrize("nthread", [1, 2, 7])
def test_neighbours_do_not_matter(nthread):
    mj = zoo.load("own/crooked")
    mass = RNG.uniform(0.5, 2, (NSIM, 1))
    start = both(mj)[0].state.copy()
    alone = lw.Batch(mj, 1, 1)
    alone.expand("body_mass")[:] *= mass[13]
    alone.expand("opt.gravity")[:, 2] *= mass[13]
    alone.state[:] = start[13]
    alone.step(nstep=5)
    b = lw.Batch(mj, NSIM, nthread)
    b.expand("body_mass")[:] *= mass
    b.expand("opt.gravity")[:, 2] *= mass[:, 0]
    for ids in (None, [2, 13, 14]):
        b.state[:] = start
        b.step(ids, nstep=5)
        np.testing.assert_array_equal(b.state[13], alone.state[0])


def test_rollouts_and_jacobians(mj_keyframes):
    ours, theirs = both(mj_keyframes)
    vary((ours, theirs), "body_pos")
    vary((ours, theirs), "actuator_gear")
    control = RNG.normal(size=(NSIM, 4, 2))
    for ids in (None, [1, 2, 17]):
        pick = slice(None) if ids is None else ids
        our, their = (
            x.rollout(4, control[pick], record=("qpos",), ids=ids) for x in (ours, theirs)
        )
        assert_close(our["qpos"], their["qpos"], "qpos")
        for our, their in zip(
            ours.jac(2, np.ones(3), ids), theirs.jac(2, np.ones(3), ids), strict=True
        ):
            assert_close(our, their, "jac")


@pytest.fixture(scope="module")
def mj_keyframes():
    return mujoco.MjModel.from_xml_string(KEYFRAMES)


# ---- integers


def test_flags():
    mj = zoo.load("own/tendons")
    ours, theirs = both(mj)
    for batch in (ours, theirs):
        flags = batch.expand("opt.disableflags")
        flags[::2] |= GRAVITY
        flags[::3] |= DAMPER
        flags[5] |= ACTUATION
    assert_same(ours, theirs)
    for batch in (ours, theirs):
        batch.expand("opt.disableflags")[:] = mj.opt.disableflags
    assert_same(ours, theirs, 2)


def test_flags_and_numbers():
    mj = zoo.load("own/walker")
    ours, theirs = both(mj)
    vary((ours, theirs), "body_mass")
    for batch in (ours, theirs):
        batch.expand("opt.disableflags")[3:9] |= GRAVITY
        batch.expand("actuator_ctrllimited")[::2] = 1
        batch.expand("actuator_ctrlrange")[:, :] = [-0.1, 0.1]
        batch.ctrl = 1
    assert_same(ours, theirs)
    ids = [0, 2, 3, 4, 8, 9, 18]
    control = RNG.normal(size=(len(ids), 3, mj.nu))
    our, their = (x.rollout(3, control, record=("qvel",), ids=ids) for x in (ours, theirs))
    assert_close(our["qvel"], their["qvel"], "records of worlds in several groups")


def test_ids_among_numbers():
    """A tendon's side site is an id in an array of numbers: worlds with another one are a group."""
    mj = zoo.load("own/tendon_wrap")
    geoms = np.isin(
        mj.wrap_type, (int(mujoco.mjtWrap.mjWRAP_SPHERE), int(mujoco.mjtWrap.mjWRAP_CYLINDER))
    )
    place = np.flatnonzero(geoms & (mj.wrap_prm >= 0))[0]
    ours, theirs = both(mj)
    for batch in (ours, theirs):
        batch.expand("wrap_prm")[::2, place] = -1
    assert_same(ours, theirs, 2)
    ours.expand("wrap_prm")[4, place] = 0.5
    with pytest.raises(SimulationError, match="simulation 4: wrap_prm"):
        ours.step()


def test_integrators():
    mj = zoo.load("own/crooked")
    ours, theirs = both(mj)
    for batch in (ours, theirs):
        batch.expand("opt.integrator")[:] = np.arange(NSIM) % 5
    assert_same(ours, theirs, 3)


def test_energy_of_some_worlds():
    """A field that only some worlds compute is not another world's in the others."""
    mj = zoo.load("own/walker")
    b = both(mj)[0]
    b.expand("opt.enableflags")[::2] |= ENERGY
    energy = b.bind("energy")
    b.forward()
    assert np.all(energy[::2].any(axis=1))
    assert not energy[1::2].any()


# ---- worlds that cannot be run


def test_errors_name_the_worlds(mj_keyframes):
    b = lw.Batch(mj_keyframes, NSIM, 2)
    b.qvel = 1
    integrator = b.expand("opt.integrator")
    integrator[[3, 6]] = 99
    with pytest.raises(
        SimulationError, match=r"2 of 19 simulations \(3, 6\); simulation 3: .*99"
    ) as e:
        b.step()
    np.testing.assert_array_equal(e.value.ids, [3, 6])
    np.testing.assert_array_equal(np.flatnonzero(b.status), [3, 6])
    assert "99" in b.error(6)
    assert not b.error(0)
    assert np.all(b.time[[3, 6]] == 0)
    assert np.all(np.delete(b.time, [3, 6]) > 0)
    with pytest.raises(SimulationError, match="1 of 2"):
        b.reset([6, 7], keyframe=0)
    assert b.time[7] == 3
    assert b.time[6] == 0
    b.step([0, 1])
    np.testing.assert_array_equal(np.flatnonzero(b.status), [3, 6])
    integrator[:] = 0
    b.step()
    assert not b.status.any()
    assert not b.error(3)


def test_structure_cannot_differ(mj_keyframes):
    b = lw.Batch(mj_keyframes, NSIM, 2)
    b.expand("jnt_type")[4, 1] = 0
    with pytest.raises(SimulationError, match=r"\(4\); simulation 4: jnt_type is structural"):
        b.step()
    with pytest.raises(ValueError, match="structural"):
        b.joint("hinge").qposadr = 0


def test_constraints_in_some_worlds():
    """Friction, a limit, contacts: only the worlds that have them feel them."""
    xml = KEYFRAMES.replace('<option><flag constraint="disable"/></option>', "")
    mj = mujoco.MjModel.from_xml_string(xml)
    mj.geom_contype[:] = 0
    mj.geom_conaffinity[:] = 0
    ours, theirs = both(mj)
    free = both(mj)[0]
    for batch in (ours, theirs):
        batch.geom("box").contype = np.where(np.arange(NSIM) == 3, 1, 0)[:, None]
        batch.expand("dof_frictionloss")[7] = 0.1
        batch.expand("jnt_limited")[5] = 1
        batch.expand("jnt_range")[5] = [1, 2]
    ours.bind("nefc")
    assert_same(ours, theirs)
    free.step(nstep=6)
    assert ours.nefc[7] == mj.nv
    others = np.setdiff1d(np.arange(NSIM), [5, 7])
    assert not ours.nefc[others].any()
    assert_close(ours.state[others], free.state[others], "state")
    assert np.abs(ours.state[[5, 7]] - free.state[[5, 7]]).max(axis=1).min() > 1e-6


# ---- what follows from other fields


@pytest.mark.parametrize(
    "name",
    [
        "body_mass",
        "qpos0",
        "body_pos",
        "geom_size",
        "actuator_gear",
        "dof_armature",
        "opt.timestep",
    ],
)
def test_set_const(name):
    mj = zoo.load("own/tendons")
    ours, theirs = both(mj)
    vary((ours, theirs), name)
    for batch in (ours, theirs):
        batch.set_const()
    for field in sorted(lw.batch.MODEL_FIELDS):
        our, their = ours.expanded(field), theirs.expanded(field)
        assert (our is None) == (their is None), field
        if our is not None:
            np.testing.assert_array_equal(our, their, field)
    assert_same(ours, theirs, 3)


def test_set_const_of_some(mj_keyframes):
    ours, theirs = both(mj_keyframes)
    for batch in (ours, theirs):
        batch.expand("body_mass")[:, 1] = np.arange(1, NSIM + 1)
        batch.set_const([1, 4])
        batch.body("pole").mass = 3
        batch.set_const([4, 5])
    for field in ("body_subtreemass", "dof_invweight0", "dof_M0"):
        np.testing.assert_array_equal(ours.expanded(field), theirs.expanded(field))
    assert ours.expanded("body_pos") is None


def test_set_const_counts_gravity_compensation(mj_keyframes):
    """A number of bodies that the model has none of becomes a world's own."""
    ours, theirs = both(mj_keyframes)
    for batch in (ours, theirs):
        batch.expand("body_gravcomp")[1::2, 2] = 1
        batch.set_const()
    assert_same(ours, theirs)
    assert ours.get_model(1).ngravcomp == theirs.get_model(1).ngravcomp == 1
    assert ours.get_model(0).ngravcomp == theirs.get_model(0).ngravcomp == 0


def test_set_const_errors():
    body = '<body><joint type="slide"/><geom size=".1" contype="0"/></body>'
    b = lw.Batch(lw.load(f"<mujoco><worldbody>{body}</worldbody></mujoco>"), 3)
    b.expand("body_mass")[:, 1] = [0, 2, 0]
    with pytest.raises(SimulationError) as e:
        b.set_const([0, 1])
    np.testing.assert_array_equal(e.value.ids, [0])
    assert b.error(0)
    assert not b.status[2]


def test_set_const_of_nothing(mj_keyframes):
    b = lw.Batch(mj_keyframes, 3)
    b.set_const()
    b.expand("geom_friction")
    b.set_const()
    assert b.expanded("body_subtreemass") is None


# ---- resets


@pytest.mark.parametrize("xml", [KEYFRAMES, DELAY])
def test_resets(xml):
    mj = mujoco.MjModel.from_xml_string(xml)
    ours, theirs = both(mj)
    for name in (
        "qpos0",
        "key_qpos",
        "key_ctrl",
        "body_pos",
        "key_time",
        "key_mpos",
        "opt.timestep",
    ):
        for batch in (ours, theirs):
            batch.expand(name)
        vary((ours, theirs), name)
    keys = np.arange(NSIM) % 3 - 1
    for batch in (ours, theirs):
        batch.reset()
    assert_close(ours.state, theirs.state, "state")
    for batch in (ours, theirs):
        batch.step(nstep=3)
        batch.reset(keyframe=keys)
    assert_close(ours.state, theirs.state, "state")
    for batch in (ours, theirs):
        batch.qvel[::4] = np.nan  # these reset themselves
        batch.step(nstep=2)
    assert_close(ours.state, theirs.state, "state")
    np.testing.assert_array_equal(ours.warning, theirs.warning)


# ---- named views and single models


def test_named_model_fields(mj_keyframes):
    b = lw.Batch(mj_keyframes, NSIM)
    pole = b.body("pole")
    mass = pole.mass
    assert not mass.flags.writeable
    assert not b._expanded
    np.testing.assert_array_equal(mass, np.full((NSIM, 1), mj_keyframes.body("pole").mass))
    pole.mass = np.arange(1, NSIM + 1)[:, None]
    np.testing.assert_array_equal(b.expand("body_mass")[:, pole.id], np.arange(1, NSIM + 1))
    b.joint("hinge").damping = 0.5
    assert np.all(b.expand("dof_damping")[:, 1] == 0.5)
    b.set_const()
    assert not pole.subtreemass.flags.writeable
    np.testing.assert_array_equal(pole.subtreemass, pole.mass)
    model = b.get_model(4)
    assert model.body("pole").mass == 5
    assert model.body("pole").subtreemass == 5
    assert model.dof_damping[1] == 0.5
    into = mujoco.MjModel.from_xml_string(KEYFRAMES)
    assert b.get_model(6, into).body("pole").mass == 7


def test_every_field_expands(mj_keyframes):
    b = lw.Batch(mj_keyframes, 3)
    for name in lw.batch.MODEL_FIELDS:
        rows = b.expand(name)
        assert len(rows) == 3, name
        assert rows is b.expand(name)
    expected = lw.Batch(mj_keyframes, 3)
    b.step(nstep=3)
    expected.step(nstep=3)
    assert_close(b.state, expected.state, "state")


# ---- models of the caller


def variants(mj, n):
    out = []
    for i in range(n):
        model = copy.copy(mj)
        model.body_mass[1:] *= 1 + 0.1 * i
        model.opt.gravity[2] = -i
        if i % 3 == 0:
            model.opt.disableflags |= DAMPER
        model.key_qpos[0] = 0.1 * i
        mujoco.mj_setConst(model, mujoco.MjData(model))
        out.append(model)
    return out


def test_models_of_the_caller(mj_keyframes):
    ours, theirs = both(mj_keyframes)
    models = variants(mj_keyframes, NSIM)
    for batch in (ours, theirs):
        batch.set_models(models)
        assert batch.models == tuple(models)
    assert_same(ours, theirs)
    assert ours.get_model(3).body_mass[1] == models[3].body_mass[1]
    np.testing.assert_array_equal(ours.body("pole").mass[:, 0], [m.body_mass[2] for m in models])
    for batch in (ours, theirs):
        batch.reset(keyframe=np.arange(NSIM) % 3 - 1)
        batch.step([1, 2, 5])
    assert_close(ours.state, theirs.state, "state")
    for call, words in (
        (lambda: ours.expand("body_mass"), "caller"),
        (lambda: ours.set_const(), "caller"),
        (lambda: setattr(ours.body("pole"), "mass", 1), "set_models"),
        (lambda: ours.set_models(models[:-1]), "per simulation"),
    ):
        with pytest.raises(ValueError, match=words):
            call()
    for batch in (ours, theirs):
        batch.set_models(models[4])
        assert batch.models is models[4]
    assert_same(ours, theirs, 2)
    for batch in (ours, theirs):
        batch.set_models(None)
        assert batch.models is None
    assert_same(ours, theirs, 2)
    ours.expand("body_mass")
    with pytest.raises(ValueError, match="per-simulation"):
        ours.set_models(models)


def test_wrong_models(mj_keyframes):
    b = lw.Batch(mj_keyframes, 3)
    other = mujoco.MjModel.from_xml_string(DELAY)
    with pytest.raises(ValueError, match="model 1 .*nu is 3, not 2"):
        b.set_models([mj_keyframes, other, mj_keyframes])
    with pytest.raises(TypeError, match="MjModel"):
        b.set_models([mj_keyframes, 3, mj_keyframes])
    bad = copy.copy(mj_keyframes)
    bad.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_SLEEP
    with pytest.raises(lw.UnsupportedFeature):
        b.set_models([mj_keyframes, mj_keyframes, bad])
    b.step()
    assert b.models is None


def test_models_with_other_keyframes(mj_keyframes):
    more = mujoco.MjModel.from_xml_string(
        KEYFRAMES.replace("</keyframe>", "<key time='9'/></keyframe>")
    )
    b = lw.Batch(mj_keyframes, 3)
    b.set_models([mj_keyframes, more, lw.load(more)])
    b.reset([1, 2], keyframe=2)
    np.testing.assert_array_equal(b.time, [0, 9, 9])
    with pytest.raises(
        ValueError, match=r"keyframe must be in \[-1, 2\) for the model of simulation 0"
    ):
        b.reset(keyframe=2)


# ---- without the compiler


def test_plain_python():
    """The same worlds through the same kernels as plain Python."""
    code = f"""
import numpy as np, lanewise as lw
b = lw.Batch(lw.load('''{KEYFRAMES}'''), 10, 2)
b.qvel[:, 0] = np.arange(10)
b.xpos
b.step(nstep=2)
b.body("pole").mass = np.arange(1, 11)[:, None]
b.expand("opt.disableflags")[3] |= 1 << 7
b.step()
out = b.rollout(2, record=("qpos",), control=0.1, ids=[1, 8])["qpos"]
jacp, jacr = b.jac(2, np.zeros(3))
np.savez("{{file}}", state=b.state, xpos=b.xpos, out=out, jacp=jacp, jacr=jacr)
"""
    results = []
    for jit in "01":
        file = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"lanewise-{os.getpid()}-{jit}.npz")
        subprocess.run(
            [sys.executable, "-c", code.replace("{file}", file)],
            check=True, env={**os.environ, "LANEWISE_JIT": jit}, timeout=300,
        )  # fmt: skip
        results.append(dict(np.load(file)))
        os.remove(file)
    for name in results[0]:
        assert_close(results[0][name], results[1][name], name)
