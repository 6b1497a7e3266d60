"""What a Batch says of itself: timers, solver iterations, fwdinv, energy, room, memory."""

import copy
import pickle
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support.places import MODELS

NSIM = 13
STAGES = ("forward", "position", "velocity", "constraint", "pos_kinematics", "col_narrow")


def load(name="contacts_chains", **options):
    mj = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
    for option, value in options.items():
        setattr(mj.opt, option, value)
    return mj


def batch(mj, nthread=2, **options):
    b = lw.Batch(mj, NSIM, nthread, **options)
    b.qvel[:] = 0.3 * np.random.default_rng(0).normal(size=b.qvel.shape)
    return b


def twins(mj, b):
    """An MjData for each world."""
    spec, worlds = mujoco.mjtState.mjSTATE_INTEGRATION, []
    for row in b.state:
        worlds.append(mujoco.MjData(mj))
        mujoco.mj_setState(mj, worlds[-1], row, spec)
    return worlds


# ---- timers


@pytest.mark.parametrize("nthread", [1, 2])
def test_timers_count_worlds(nthread):
    b = batch(load(), nthread, timing=True)
    assert b.timing
    b.step(nstep=7)
    numbers = b.timer.number
    assert b.timer["step"].number == 7 * NSIM
    assert all(b.timer[name].number == 7 * NSIM for name in STAGES)
    assert b.timer["inverse"].number == 0 and b.timer["inverse"].duration == 0
    # what is only looked at is not counted
    assert b.xpos.any() and (b.timer.number == numbers).all()
    b.step(ids=[2, 3, 11], nstep=2)
    assert b.timer["step"].number == 7 * NSIM + 6
    b.rollout(4)
    b.forward(ids=np.arange(9))
    assert b.timer["step"].number == 11 * NSIM + 6
    assert b.timer["forward"].number == 11 * NSIM + 6 + 9
    b.inverse(np.zeros((NSIM, b.model.nv)))
    assert b.timer["inverse"].number == NSIM
    # halves of steps: what is made again takes time, but is no other step
    before, steps = b.timer["position"].duration, b.timer["step"].number
    b.step(nstep=3, control=lambda b: None)
    assert b.timer["step"].number == steps + 3 * NSIM
    assert b.timer["position"].duration > before
    whole = b.timer["step"].duration
    parts = sum(b.timer[name].duration for name in ("position", "velocity", "actuation", "advance"))
    assert 0 < parts < whole + b.timer["forward"].duration + b.timer["inverse"].duration


def test_timers_are_switched_and_cleared():
    b = batch(load("constraints_limits"))
    b.step()
    assert b.timing is False and not b.timer.number.any()
    b.timing = True
    b.step()
    b.reset(ids=[1])
    assert b.timer["step"].number == NSIM
    for other in (copy.copy(b), pickle.loads(pickle.dumps(b))):
        assert other.timing and (other.timer.duration == b.timer.duration).all()
        other.step()
        assert other.timer["step"].number == 2 * NSIM
    b.reset()
    assert b.timer["step"].number == 0 and b.timing
    assert b.timer["forward"].number == NSIM  # of the reset itself
    b.timer.clear()
    assert not b.timer.duration.any()
    with pytest.raises(TypeError, match="timing must be True or False, got 'on'"):
        b.timing = "on"
    with pytest.raises(TypeError, match="timing must be True or False"):
        lw.Batch(load("constraints_limits"), 3, timing=None)
    with pytest.raises(AttributeError, match="timer cannot be assigned"):
        b.timer = 3


def test_timing_changes_no_bit():
    plain, timed = batch(load()), batch(load(), timing=True)
    for b in (plain, timed):
        b.step(nstep=30)
    np.testing.assert_array_equal(plain.state, timed.state)


# ---- statistics of solvers


@pytest.mark.parametrize("solver", [0, 1, 2], ids=["PGS", "CG", "Newton"])
def test_statistics_of_every_world(solver):
    mj = load(solver=solver)
    b = batch(mj)
    b.step(nstep=40)
    fields = ("improvement", "gradient", "lineslope", "nactive", "nchange", "neval", "nupdate")
    arrays = {name: b.bind(f"solver.{name}") for name in fields}
    b.step(ids=[0, 4, 5, 6, 7, 8, 9, 10, 11, 12])  # others keep what the first read gave
    before = b.state.copy()
    b.step()
    m = lw.load(mj)
    islands = min(mj.ntree, 20)
    for name, array in arrays.items():
        assert array.shape == (NSIM, islands, 200), name
        assert array.dtype == (np.int32 if name.startswith("n") else np.float64)
    for sim in range(NSIM):
        d = lw.Data(m)
        lw.set_state(m, d, before[sim])
        lw.step(m, d)
        assert b.nisland[sim] == d.nisland
        np.testing.assert_array_equal(b.solver_niter[sim], d.solver_niter)
        for name, array in arrays.items():
            ours, theirs = array[sim].ravel(), getattr(d.solver, name)
            np.testing.assert_array_equal(ours, theirs[: ours.size], err_msg=name)
    beyond = np.arange(200) >= b.solver_niter[:, :islands, None]
    assert beyond.any() and not any(array[beyond].any() for array in arrays.values())
    assert np.shares_memory(b.solver.improvement, arrays["improvement"])


def test_statistics_are_made_on_demand():
    b = batch(load())
    b.step(nstep=3)
    wanted = lambda: int(b._runner.threads.workers[0].data.arrays["want_solver"])  # noqa: E731
    assert wanted() == 0
    b.bind("solver.gradient")
    b.step()
    assert wanted() == 1
    b.unbind("solver.gradient")
    b.step()
    assert wanted() == 0
    with pytest.raises(AttributeError, match="did you mean 'gradient'"):
        b.solver.gradiant  # noqa: B018
    assert "improvement" in dir(b.solver)
    with pytest.raises(AttributeError, match="solver cannot be assigned"):
        b.solver = 0


def test_inverse_dynamics_solves_nothing():
    b = batch(load())
    b.step(nstep=40)
    improvement, nisland = b.solver.improvement, b.nisland
    b.step()
    assert improvement.any() and nisland.any()
    b.inverse(np.zeros((NSIM, b.model.nv)))
    assert not improvement.any() and not nisland.any()


# ---- forward and inverse dynamics

FWDINV = int(mujoco.mjtEnableBit.mjENBL_FWDINV)
INVDISCRETE = int(mujoco.mjtEnableBit.mjENBL_INVDISCRETE)


def close(ours, theirs, scale):
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7 * scale)


@pytest.mark.parametrize("flags", [FWDINV, FWDINV | INVDISCRETE], ids=["", "invdiscrete"])
@pytest.mark.parametrize("integrator", [0, 1, 3], ids=["Euler", "RK4", "implicitfast"])
def test_fwdinv(integrator, flags):
    """Of the last step; after `forward`, and when it is first read, of the state that worlds have.
    CG leaves a difference that can be seen."""
    if integrator == 1 and flags & INVDISCRETE:
        pytest.skip("there is no discrete inverse of RK4")
    mj = load(solver=1, iterations=3, integrator=integrator, enableflags=flags)
    b = batch(mj)
    worlds = twins(mj, b)
    b.step(nstep=20)
    fwdinv, expected, scale = b.solver_fwdinv, compared(mj, b, worlds), 100.0
    assert fwdinv.shape == (NSIM, 2) and fwdinv.any()
    close(fwdinv, expected, scale)
    for _ in range(5):
        before = b.state.copy()
        b.step()
        expected = np.zeros((NSIM, 2))
        for sim, world in enumerate(worlds):
            mujoco.mj_setState(mj, world, before[sim], mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_step(mj, world)
            expected[sim] = world.solver_fwdinv
        close(fwdinv, expected, scale)
    b.forward()
    close(fwdinv, compared(mj, b, worlds), scale)


def compared(mj, b, worlds):
    """What MuJoCo finds for the state that worlds have."""
    for row, world in zip(b.state, worlds, strict=True):
        mujoco.mj_setState(mj, world, row, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_forward(mj, world)
        mujoco.mj_compareFwdInv(mj, world)
    return np.array([world.solver_fwdinv for world in worlds])


def test_fwdinv_of_a_rollout_and_of_some_worlds():
    mj = load(solver=1, iterations=3, enableflags=FWDINV)
    b, alone = batch(mj), batch(mj)
    recorded = b.rollout(30, record=("solver_fwdinv", "qpos"))["solver_fwdinv"]
    alone.bind("solver_fwdinv")
    for k in range(30):
        alone.step()
        np.testing.assert_array_equal(recorded[:, k], alone.solver_fwdinv)
    assert recorded[:, -1].any()
    kept = alone.solver_fwdinv.copy()
    alone.step(ids=[3, 9])
    others = np.delete(np.arange(NSIM), [3, 9])
    np.testing.assert_array_equal(alone.solver_fwdinv[others], kept[others])
    assert (alone.solver_fwdinv[[3, 9]] != kept[[3, 9]]).any()
    fresh = batch(mj, fresh=True)
    fresh.bind("solver_fwdinv")
    fresh.step(nstep=30)
    close(fresh.solver_fwdinv, compared(mj, fresh, twins(mj, fresh)), 100.0)
    halves = batch(mj)
    halves.bind("solver_fwdinv")
    halves.step(nstep=30, control=lambda b: None)
    np.testing.assert_array_equal(halves.solver_fwdinv, recorded[:, -1])


def test_fwdinv_where_options_differ():
    """Only worlds that enable it compare; tolerances and flags are each world's own."""
    mj = load(solver=1, iterations=3)
    b = batch(mj)
    b.expand("opt.enableflags")[::2] = FWDINV
    b.expand("opt.tolerance")[:] = 10.0 ** -np.arange(NSIM)
    b.bind("solver_fwdinv")
    b.step(nstep=40)
    before = b.state.copy()
    b.step()
    assert b.solver_fwdinv[::2].any() and not b.solver_fwdinv[1::2].any()
    for sim in range(0, NSIM, 2):
        own = b.get_model(sim)
        world = mujoco.MjData(own)
        mujoco.mj_setState(own, world, before[sim], mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_step(own, world)
        close(b.solver_fwdinv[sim], world.solver_fwdinv, np.abs(world.qfrc_constraint).max())


# ---- energy


@pytest.mark.parametrize("integrator", [0, 1, 4], ids=["Euler", "RK4", "discrete"])
@pytest.mark.parametrize("name", ["passive_springs", "tendons", "contacts_chains"])
def test_energy(name, integrator):
    """As MuJoCo has it after a step, and after forward dynamics; of nobody who does not ask."""
    mj = load(name, enableflags=int(mujoco.mjtEnableBit.mjENBL_ENERGY), integrator=integrator)
    b, m = batch(mj), lw.load(mj)
    # away from rest lengths: there a last bit decides whether a spring is stiff
    b.qpos[:] = lw.integrate_pos(m, b.qpos, b.qvel, 0.01)
    worlds, datas = twins(mj, b), [lw.Data(m) for _ in range(2)]
    for d, row in zip(datas, b.state, strict=False):
        lw.set_state(m, d, row)
        lw.step(m, d, 3)
    energy = b.energy
    b.step(nstep=3)
    for sim, world in enumerate(worlds):
        mujoco.mj_step(mj, world, 3)
        np.testing.assert_allclose(energy[sim], world.energy, 1e-6, 1e-7 * abs(world.energy).max())
        if sim < len(datas):
            np.testing.assert_array_equal(datas[sim].energy, energy[sim])
    b.forward()
    for sim, world in enumerate(worlds):
        mujoco.mj_forward(mj, world)
        np.testing.assert_allclose(energy[sim], world.energy, 1e-6, 1e-7 * abs(world.energy).max())
    assert energy.any()


def test_energy_without_the_flag():
    mj = load("passive_springs")
    b, m = batch(mj), lw.load(mj)
    b.step()
    assert not b.energy.any()
    d, world = lw.Data(m), mujoco.MjData(mj)
    lw.step(m, d)
    assert not d.energy.any()
    # a stage of its own
    lw.forward(m, d)
    lw.energy_pos(m, d)
    lw.energy_vel(m, d)
    mujoco.mj_step(mj, world)
    mujoco.mj_forward(mj, world)
    mujoco.mj_energyPos(mj, world)
    mujoco.mj_energyVel(mj, world)
    np.testing.assert_allclose(d.energy, world.energy, 1e-10, 1e-10)


# ---- room and memory


@pytest.mark.parametrize("nthread", [1, 2])
def test_room_used(nthread):
    mj = load("contacts_primitives")
    b = batch(mj, nthread)
    b.qpos[:, 2] += np.linspace(0, 0.5, NSIM)
    worlds = twins(mj, b)
    assert not b.maxuse_con.any()
    for n in (1, 20, 200):
        b.step(nstep=n)
        for world in worlds:
            mujoco.mj_step(mj, world, n)
        assert b.maxuse_con.tolist() == [world.maxuse_con for world in worlds]
        assert b.maxuse_efc.tolist() == [world.maxuse_efc for world in worlds]
    assert b.maxuse_con.max() <= b.nconmax and b.maxuse_efc.max() <= b.njmax
    kept = b.maxuse_con.copy()
    b.xpos  # noqa: B018
    b.inverse(np.zeros((NSIM, mj.nv)))
    assert (b.maxuse_con == kept).all()
    for other in (copy.copy(b), pickle.loads(pickle.dumps(b))):
        assert (other.maxuse_con == kept).all() and (other.maxuse_efc == b.maxuse_efc).all()
    b.reset(ids=[1, 5])
    mujoco.mj_resetData(mj, worlds[1])
    mujoco.mj_forward(mj, worlds[1])
    kept[[1, 5]] = worlds[1].maxuse_con
    assert (b.maxuse_con == kept).all()
    with pytest.raises(ValueError, match="read-only"):
        b.maxuse_con[0] = 1
    with pytest.raises(AttributeError, match="maxuse_con cannot be assigned"):
        b.maxuse_con = 1


@pytest.mark.parametrize("rollout", [False, True], ids=["steps", "rollout"])
def test_room_used_by_a_world_that_is_reset(rollout):
    mj = load("contacts_chains")
    b = batch(mj)
    b.step(nstep=50)
    worlds = twins(mj, b)
    assert b.maxuse_efc.min() > 0
    b.qpos[4, 0] = worlds[4].qpos[0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if rollout:
            b.rollout(1)
        else:
            b.step()
    mujoco.mj_step(mj, worlds[4])
    assert (b.maxuse_con[4], b.maxuse_efc[4]) == (worlds[4].maxuse_con, worlds[4].maxuse_efc)
    d = lw.Data(lw.load(mj))
    assert (d.maxuse_con, d.maxuse_efc) == (0, 0)


def test_memory():
    b = batch(load())
    before = b.memory()
    assert set(before) == {"worlds", "outputs", "expanded fields", "workspaces", "room"}
    assert before["outputs"] == before["expanded fields"] == 0
    assert before["worlds"] >= b.state.nbytes and b.nbytes == sum(before.values())
    rows = b.bind("xpos")
    b.expand("body_mass")
    after = b.memory()
    assert after["outputs"] == rows.nbytes
    assert after["expanded fields"] == 8 * NSIM * b.model.nbody
    d = lw.Data(lw.load(load()))
    assert d.nbytes == sum(d.memory().values()) and 0 < d.memory()["fields"] < d.nbytes
    more = lw.Data(lw.load(load()), nconmax=500)
    assert (more.nconmax, more.njmax) == (500, d.njmax)
    assert more.nbytes > d.nbytes and more.memory()["fields"] == d.memory()["fields"]
    assert lw.Batch(load(), 3, 1, nconmax=7, njmax=50).nconmax == 7
