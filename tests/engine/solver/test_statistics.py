"""What iterations of the solvers did, island by island: MuJoCo's numbers, where iterates agree."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.models import path
from support import solving
from support.places import MODELS

EXACT = ("nactive", "nchange", "nupdate")
SOLVERS = {"Newton": mujoco.mjtSolver.mjSOL_NEWTON, "CG": mujoco.mjtSolver.mjSOL_CG}
SOLVERS["PGS"] = mujoco.mjtSolver.mjSOL_PGS
ISLAND = mujoco.mjtDisableBit.mjDSBL_ISLAND


def load(name, **options):
    if name.startswith("<"):
        mj = mujoco.MjModel.from_xml_string(name)
    else:
        file = MODELS / f"{name}.xml"
        mj = mujoco.MjModel.from_xml_path(str(file if file.is_file() else path(name)))
    for option, value in options.items():
        setattr(mj.opt, option, value)
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR
    return mj


def states(mj, n=3, seed=0):
    """Worlds on their way, without a warm start: there is something to solve."""
    rng, found = np.random.default_rng(seed), []
    for k in range(n):
        d = mujoco.MjData(mj)
        d.qvel[:] = 0.3 * rng.normal(size=mj.nv)
        mujoco.mj_step(mj, d, 40 + 25 * k)
        d.qacc_warmstart[:] = 0
        found.append(d)
    return found


def solved(mj, worlds):
    m = lw.load(mj)
    d = lw.put_data(m, worlds)
    for name in ("improvement", "gradient", "lineslope", "neval", *EXACT):
        d.arrays[f"solver.{name}"][...] = -1e6
    lw.forward(m, d)
    for world in worlds:
        mujoco.mj_forward(mj, world)
    return d


def compare(mj, d, worlds, most=200, exact=EXACT):
    """The first iterations of every island; how many were compared."""
    compared = 0
    assert d.solver.improvement.shape == (len(worlds), 4000)
    for lane, world in enumerate(worlds):
        assert d.nisland[lane] == world.nisland
        for island in range(min(max(world.nisland, 1), 20)):
            n = min(world.solver_niter[island], d.solver_niter[lane, island], most, 200)
            rows = slice(200 * island, 200 * island + n)
            scale = max(np.abs(world.solver.improvement[rows]).max(initial=0), 1e-3)
            for name in ("improvement", "gradient"):
                ours, theirs = (
                    getattr(d.solver, name)[lane, rows],
                    getattr(world.solver, name)[rows],
                )
                np.testing.assert_allclose(ours, theirs, 1e-5, 1e-8 * scale, err_msg=name)
            for name in exact:
                ours, theirs = (
                    getattr(d.solver, name)[lane, rows],
                    getattr(world.solver, name)[rows],
                )
                np.testing.assert_array_equal(ours, theirs, err_msg=f"{name} of island {island}")
            compared += n
    return compared


@pytest.mark.parametrize("cone", [0, 1])
@pytest.mark.parametrize(
    "name", ["contacts_chains", "contacts_primitives", "constraints_limits", "humanoid", "boxes"]
)
def test_newton(name, cone):
    """With few evaluations the line search is MuJoCo's, and is counted as MuJoCo's."""
    mj = load(name, cone=cone, ls_iterations=30)
    worlds = states(mj)
    d = solved(mj, worlds)
    assert compare(mj, d, worlds, exact=(*EXACT, "neval")) > 5
    assert (d.solver_niter.sum(axis=1) == [w.solver_niter.sum() for w in worlds]).all()


@pytest.mark.parametrize("cone", [0, 1])
@pytest.mark.parametrize("name", ["contacts_chains", "humanoid"])
def test_conjugate_gradients(name, cone):
    """Later iterates are apart by more than the tolerance."""
    mj = load(name, solver=SOLVERS["CG"], cone=cone)
    worlds = states(mj)
    assert compare(mj, solved(mj, worlds), worlds, most=5) > 10


@pytest.mark.parametrize("noslip", [0, 4])
@pytest.mark.parametrize("solver", SOLVERS)
def test_several_islands(solver, noslip):
    """Of each its own, and noslip's sweeps come after those of another solver."""
    mj = load("boxes", solver=SOLVERS[solver], noslip_iterations=noslip)
    worlds = states(mj)
    assert max(world.nisland for world in worlds) > 3
    assert compare(mj, solved(mj, worlds), worlds, most=8) > 40


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_islands(solver):
    mj = load("boxes", solver=SOLVERS[solver])
    mj.opt.disableflags |= ISLAND
    worlds = states(mj)
    d = solved(mj, worlds)
    assert compare(mj, d, worlds, most=5) > 5
    assert not d.nisland.any() and not d.solver.nactive[:, 200:].any()


def test_islands_that_are_gone():
    """Their iterations are forgotten, also if the first of them took none."""
    mj = load("boxes")
    mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    m, world = lw.load(mj), mujoco.MjData(mj)
    world.nisland, world.solver_niter[1] = 2, 5
    d = lw.put_data(m, world)
    assert d.solver_niter[1] == 5
    lw.forward(m, d)
    assert not d.nisland and not d.solver_niter.any()


CROWD = "".join(
    f'<body pos="{i} 0 .09"><freejoint/><geom size=".1"/></body>' for i in range(25)
)  # more islands than there is room for
PLANE = '<geom type="plane" size="99 99 1"/>'


def test_more_islands_than_are_kept():
    mj = load(f"<mujoco><worldbody>{PLANE}{CROWD}</worldbody></mujoco>")
    worlds = states(mj, 1)
    worlds[0].qpos[2::7] = 0.09
    m = lw.load(mj)
    d = lw.put_data(m, worlds)
    lw.forward(m, d)
    mujoco.mj_forward(mj, worlds[0])
    assert d.nisland == worlds[0].nisland == 25
    assert (d.solver_niter == worlds[0].solver_niter).all() and (d.solver_niter > 0).all()
    here = np.arange(200) < d.solver_niter[:, None]
    ours, theirs = d.solver.improvement.reshape(20, 200), worlds[0].solver.improvement
    np.testing.assert_allclose(ours[here], theirs.reshape(20, 200)[here], 1e-6, 1e-9)
    assert not ours[~here].any()


def test_more_iterations_than_are_kept():
    mj = load("contacts_chains", solver=SOLVERS["PGS"], iterations=300, tolerance=0)
    worlds = states(mj, 2)
    d = solved(mj, worlds)
    assert d.solver_niter[0, 0] == worlds[0].solver_niter[0] == 300
    assert compare(mj, d, worlds) >= 400
    assert not d.solver.improvement[:, 4 * 200 :].any()


def test_heaps_and_what_runs_one_by_one():
    """Worlds of a heap are solved by themselves, with the same statistics."""
    mj = load(solving.heap(12))
    worlds = states(mj, 3)
    assert compare(mj, solved(mj, worlds), worlds, most=3) > 5


def test_one_by_one():
    m = lw.load(lw.models.path("boxes"))
    d = lw.Data(m)
    d.qvel[:] = np.random.default_rng(1).normal(size=m.nv)
    lw.step(m, d, 100)
    assert len(d.solver) == 4000 and d.nisland > 1
    for island in range(d.nisland):
        last = d.solver_niter[island] - 1
        if last >= 0:
            item = d.solver[200 * island + last]
            assert item.neval > 1 and item.gradient >= 0
            assert item.improvement == d.solver.improvement[200 * island + last]
        assert d.solver[200 * island + last + 1].nactive == 0
    assert len(d.solver[:200]) == 200 and "improvement" in repr(d.solver[0])
    with pytest.raises(AttributeError, match="did you mean 'improvement'"):
        d.solver.improvment  # noqa: B018
    with pytest.raises(IndexError, match="there are 4000"):
        d.solver[4000]
    with pytest.raises(AttributeError, match="computed"):
        d.solver.nactive = 3
    # no solution, no iterations
    lw.reset_data(m, d)
    assert not d.solver.improvement.any() and d.nisland == 0


def test_between_mujoco_and_back():
    """put_data and get_data carry what was counted."""
    mj = load("contacts_chains")
    (world,) = states(mj, 1)
    mujoco.mj_step(mj, world)
    m = lw.load(mj)
    d = lw.put_data(m, world)
    n = world.solver_niter[0]
    assert n and (d.solver.improvement[:n] == world.solver.improvement[:n]).all()
    assert (d.maxuse_con, d.maxuse_efc) == (world.maxuse_con, world.maxuse_efc)
    back = lw.get_data(m, d)
    assert back.nisland == world.nisland and back.maxuse_efc == world.maxuse_efc
    assert (back.solver.nactive[:n] == world.solver.nactive[:n]).all()
