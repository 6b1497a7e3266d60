"""Options at their edges: few iterations, none, no tolerance, odd time steps; islands or not.

Where a solver does not get to the minimum, its way is a part of the answer, and that is MuJoCo's.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw

WORLD = """
<mujoco>
  <option timestep="0.004"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .098" euler="3 5 0"><freejoint/>
      <geom type="box" size=".1 .1 .1" mass="1.3"/></body>
    <body pos=".03 0 .29"><freejoint/><geom type="box" size=".1 .08 .1" mass=".7"/></body>
    <body pos="1 0 .09"><freejoint/><geom size=".1" condim="6" friction="1 .05 .02"/></body>
    <body pos="2 0 .5"><joint axis="0 1 0" range="-20 20" limited="true" frictionloss=".3"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".04"/>
      <body pos=".4 0 0"><joint axis="0 1 0" frictionloss=".1"/>
        <geom type="capsule" fromto="0 0 0 .3 0 -.1" size=".03"/></body></body>
    <body name="tied" pos="-1 0 1"><joint type="slide"/><joint axis="0 1 0"/>
      <geom size=".05" pos=".1 0 0"/></body>
  </worldbody>
  <equality><connect body1="tied" anchor=".2 0 .01"/></equality>
</mujoco>
"""

EDGES = {
    "as they are": {},
    "no line search": {"ls_iterations": 0},
    "three trials": {"ls_iterations": 3},
    "no iteration": {"iterations": 0},
    "less than none": {"iterations": -1, "ls_iterations": -1, "noslip_iterations": -1},
    "one iteration": {"iterations": 1},
    "one of each": {"iterations": 1, "ls_iterations": 1, "noslip_iterations": 1},
    "two iterations": {"iterations": 2, "ls_iterations": 5},
    "no tolerance": {"tolerance": 0.0, "ls_tolerance": 0.0, "noslip_tolerance": 0.0},
    "noslip alone": {"iterations": 0, "noslip_iterations": 2, "noslip_tolerance": 0.0},
    "any tolerance": {"tolerance": 1.0},
    "no time": {"timestep": 0.0, "noslip_iterations": 2},
    "back in time": {"timestep": -0.002},
}
SOLVERS = ("PGS", "CG", "Newton")


def model(edge, solver, cone, islands):
    mj = mujoco.MjModel.from_xml_string(WORLD)
    for name, value in EDGES[edge].items():
        setattr(mj.opt, name, value)
    mj.opt.solver, mj.opt.cone = SOLVERS.index(solver), cone
    if not islands:
        mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
    return mj


@pytest.fixture(scope="module")
def states():
    """States on the way of boxes that come to rest, some with an absurd warm start.

    In some the upper box is beside the lower one, in others the ball is in the air.
    """
    mj = mujoco.MjModel.from_xml_string(WORLD)
    rng, d, states = np.random.default_rng(0), mujoco.MjData(mj), []
    d.qvel[[0, 6]] = 0.3, -0.2
    for k in range(8):
        warm = d.qacc_warmstart + (k % 4) ** 3 * rng.normal(size=mj.nv)
        qpos = d.qpos.copy()
        if k % 3 == 1:
            qpos[8:10] = 1.0, 0.099
        if k % 3 == 2:
            qpos[16] = 1.0
        states.append((qpos, d.qvel + 0.1 * rng.normal(size=mj.nv), warm))
        mujoco.mj_step(mj, d, 7)
    return states


@pytest.mark.parametrize("islands", [True, False], ids=("islands", "whole"))
@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("edge", EDGES)
def test_as_mujoco(edge, solver, cone, islands, states):
    mj = model(edge, solver, cone, islands)
    m = lw.load(mj)
    d, reference = lw.Data(m, lanes=8), mujoco.MjData(mj)
    for w, (qpos, qvel, warm) in enumerate(states):
        d.qpos[w], d.qvel[w], d.qacc_warmstart[w] = qpos, qvel, warm
    lw.forward(m, d)
    # conjugate gradients that stop by their tolerance are as far from the minimum as that is
    loose = solver == "CG" and not islands and mj.opt.iterations > 2 and mj.opt.tolerance < 1.0
    bound = 1e-2 if loose and mj.opt.noslip_iterations > 0 else 1e-3 if loose else 1e-7
    for w, (qpos, qvel, warm) in enumerate(states):
        reference.qpos[:], reference.qvel[:], reference.qacc_warmstart[:] = qpos, qvel, warm
        mujoco.mj_forward(mj, reference)
        difference = np.abs(d.qacc[w] - reference.qacc).max()
        assert difference < bound * (1.0 + np.abs(reference.qacc).max())


def test_islands_have_their_iterations(states):
    """solver_niter is that of each island, in MuJoCo's order, alone and in a gang."""
    mj = model("as they are", "Newton", 1, True)
    m = lw.load(mj)
    d, alone, reference = lw.Data(m, lanes=8), lw.Data(m), mujoco.MjData(mj)
    for w, (qpos, qvel, warm) in enumerate(states):
        d.qpos[w], d.qvel[w], d.qacc_warmstart[w] = qpos, qvel, warm
    lw.forward(m, d)
    seen = set()
    for w, (qpos, qvel, warm) in enumerate(states):
        for other in (alone, reference):
            other.qpos[:], other.qvel[:], other.qacc_warmstart[:] = qpos, qvel, warm
        lw.forward(m, alone)
        mujoco.mj_forward(mj, reference)
        assert np.array_equal(d.solver_niter[w], alone.solver_niter)
        assert np.array_equal(d.qacc[w], alone.qacc)
        assert np.array_equal(alone.solver_niter, reference.solver_niter)
        seen.add(reference.nisland)
    assert len(seen) > 1  # worlds with different islands stood side by side


@pytest.mark.parametrize("solver", ["CG", "Newton"])
def test_rests_without_a_line_search(solver):
    mj = model("no line search", solver, 0, True)
    m = lw.load(mj)
    b = lw.Batch(m, 2)
    b.step(nstep=200)
    assert (b.qpos[:, 2] > 0.09).all()


@pytest.mark.parametrize(
    "integrator", range(5), ids=("Euler", "RK4", "implicit", "fast", "discrete")
)
@pytest.mark.parametrize("timestep", [0.0, -0.002])
def test_odd_time_steps(timestep, integrator):
    """Ten steps of no time, or back in time."""
    mj = model("as they are", "Newton", 0, True)
    mj.opt.timestep, mj.opt.integrator = timestep, integrator
    m = lw.load(mj)
    d, reference = lw.Data(m), mujoco.MjData(mj)
    for _ in range(10):
        lw.step(m, d)
        mujoco.mj_step(mj, reference)
    assert d.time == reference.time
    for name in ("qpos", "qvel", "qacc"):
        ours, theirs = getattr(d, name), getattr(reference, name)
        assert np.abs(ours - theirs).max() < 1e-6 * (1.0 + np.abs(theirs).max()), name
