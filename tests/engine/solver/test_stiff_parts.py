"""Constraints that are stiffer by fifteen digits than all else: bodies on fixed hinges that press.

A sphere on a hinge through its centre has no weight at its surface, so a contact of two of them has
a stiffness (efc_D) of about 5e14. It must not spoil what it does not touch, and the solvers must
not lose their way in its round-off.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.loaders.transfer_constraint import dense_jacobian
from lanewise.mjconst import WARN_INERTIA
from support import parity_contacts

# two drums that press, on a cart: with exact diagonals the less they move by it, the stiffer
CART = """<mujoco><option><flag diagexact="enable"/></option><worldbody>
  <geom type="plane" size="9 9 .1"/>
  <body pos="0 0 .099" euler="2 1 0"><freejoint/><geom type="box" size=".4 .3 .1" mass="3"/>
    <body pos="-.09 0 .3"><joint axis="0 1 0" damping=".3"/><geom size=".1" mass="1"/>
      <body pos="0 0 .3"><joint axis="1 0 .2" stiffness="3"/><geom type="capsule" size=".03 .1"/>
      </body>
    </body>
    <body pos=".1 .01 .32"><joint axis="0 1 .1" damping=".2"/><geom size=".1" mass=".6"/></body>
  </body></worldbody></mujoco>"""
BOX = '<body pos="-1 0 .099" euler="2 3 0"><freejoint/><geom type="box" size=".1 .12 .1"/></body>'


def winches(number, axis="0 1 0", beside=""):
    """Pairs of drums, each on its hinge, that press on each other; and something beside them."""
    drums = "".join(
        f'<body pos="{i} 0 1"><joint axis="0 1 0" damping=".01"/>'
        f'<geom size=".1" mass="{1 + 0.1 * i}"/></body>'
        f'<body pos="{i + 0.19} .01 1.02"><joint axis="{axis}"/>'
        f'<geom size=".1" mass="{0.5 + 0.1 * i}"/></body>'
        for i in range(number)
    )
    return f"""<mujoco><worldbody><geom type="plane" size="50 9 .1"/>{drums}{beside}</worldbody>
    </mujoco>"""


def solve(xml, solver, cone, iterations=100):
    """(model, ours, MuJoCo's) after forward."""
    mj = mujoco.MjModel.from_xml_string(xml)
    mj.opt.solver, mj.opt.cone, mj.opt.iterations = solver, cone, iterations
    m, reference = lw.load(mj), mujoco.MjData(mj)
    d = lw.Data(m)
    d.qvel[:] = reference.qvel[:] = np.linspace(-0.3, 0.5, mj.nv)
    lw.forward(m, d)
    mujoco.mj_forward(mj, reference)
    assert reference.efc_D.max() > 1e14
    return m, d, reference


def gradient(m, state, qacc):
    """Norm of the cost's gradient at an acceleration, by MuJoCo's own rows."""
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m.mj, state, M)
    J = dense_jacobian(m, state)
    mujoco.mj_constraintUpdate(m.mj, state, J @ qacc - state.efc_aref, None, 0)
    return np.abs(M @ (qacc - state.qacc_smooth) - state.qfrc_constraint).max()


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("solver", [0, 1, 2], ids=("PGS", "CG", "Newton"))
@pytest.mark.parametrize("iterations", [1, 100])
def test_a_box_beside_them(solver, cone, iterations):
    """It has the acceleration that it has in MuJoCo, to round-off."""
    _, d, reference = solve(winches(8, beside=BOX), solver, cone, iterations)
    box = slice(-6, None)
    assert np.abs(d.qacc[box] - reference.qacc[box]).max() < 1e-9


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("axis", ["0 1 0", "0 1 .1"], ids=("parallel", "askew"))
def test_newton_converges(axis, cone):
    """The slope that is left is round-off of forces of 1e15, after a few iterations.

    Parallel drums turn against each other freely, which is lost beside the stiffness: what a
    factor has of it is round-off.
    """
    m, d, reference = solve(winches(8, axis), 2, cone, 1000)
    ours = gradient(m, reference, d.qacc)
    theirs = gradient(m, reference, reference.qacc)
    assert ours < max(10.0 * theirs, 10.0)
    assert d.solver_niter.max() < 20


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
def test_lost_pivots_are_counted_while_a_world_is_solved(cone):
    """Not while only its neighbours are: a world has the counters that it has alone."""
    twice = '<joint axis="0 1 0" armature=".001"/>' * 2 + '<joint axis="0 1 .01" armature=".001"/>'
    mj = mujoco.MjModel.from_xml_string(winches(4).replace('<joint axis="0 1 0"/>', twice))
    mj.opt.cone, mj.opt.tolerance = cone, 1e-14
    rng = np.random.default_rng(2)
    mj.body_pos[1:] += 0.003 * rng.normal(size=(mj.nbody - 1, 3))
    m = lw.load(mj)
    gang = lw.Data(m, lanes=8)
    gang.qvel[:] = np.logspace(-3, 1, 8)[:, None] * rng.normal(size=(8, mj.nv))
    lw.forward(m, gang)
    assert np.ptp(gang.warning.number[:, WARN_INERTIA]) > 0
    for k in range(8):
        alone = lw.Data(m)
        alone.qvel[:] = gang.qvel[k]
        lw.forward(m, alone)
        assert alone.warning.number.tolist() == gang.warning.number[k].tolist()


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
def test_what_carries_them(cone):
    """Of forces of 1e16 between drums nothing is left on the cart, nor on the drums' axes."""
    mj = mujoco.MjModel.from_xml_string(CART)
    mj.opt.cone = cone
    parity_contacts.tighten(mj)
    m, reference = lw.load(mj), mujoco.MjData(mj)
    d = lw.Data(m)
    d.qvel[:] = reference.qvel[:] = np.linspace(-0.3, 0.5, mj.nv)
    lw.step(m, d)
    mujoco.mj_step(mj, reference)
    assert reference.efc_D.max() > 1e14 or cone == 0
    for name in ("qacc", "qfrc_constraint", "qvel"):
        assert parity_contacts.relative(getattr(d, name), getattr(reference, name)) < 1e-9, name
    assert abs(d.solver_niter[0] - reference.solver_niter[0]) <= 1


@pytest.mark.parametrize("solver", [1, 2], ids=("CG", "Newton"))
def test_neighbours_that_are_not_stiff(solver):
    """A world has the same bits alone and in a gang in which only some contacts are stiff."""
    drum, cam = '<geom size=".1" mass=".6"/>', '<geom size=".1" pos=".01 0 0" mass=".6"/>'
    xml = CART.replace(".1 .01 .32", ".08 0 .3").replace(drum, cam).replace("0 1 .1", "0 1 0")
    mj = mujoco.MjModel.from_xml_string(xml)
    mj.opt.cone, mj.opt.solver = 1, solver
    m, rng = lw.load(mj), np.random.default_rng(3)
    gang = lw.Data(m, lanes=8)
    gang.qvel[:] = rng.normal(size=(8, mj.nv))
    gang.qpos[3:, -1] = rng.normal(size=5)  # here the contact turns the cam
    lw.forward(m, gang)
    number = int(gang.arrays["nslot"].flat[0])
    stiff = gang.arrays["slot_stiff"].reshape(-1, 8)[:number].any(axis=0)
    assert stiff[:3].all() and not stiff[3:].any()
    start = gang.qpos.copy(), gang.qvel.copy()
    lw.step(m, gang, 3)
    for k in range(8):
        alone = lw.Data(m)
        alone.qpos[:], alone.qvel[:] = start[0][k], start[1][k]
        lw.step(m, alone, 3)
        for name in ("qpos", "qvel", "qacc", "qfrc_constraint"):
            assert getattr(alone, name).tobytes() == getattr(gang, name)[k].tobytes(), name


def test_forces_of_a_step_too_short_to_search_along():
    """A drum that rolls on the floor: its force is what its acceleration takes, to round-off.

    Beside a stiffness of 6e15 a step of less than 1e-15 is a part of the force that is seen.
    """
    mj = mujoco.MjModel.from_xml_string("""<mujoco><option cone="elliptic" impratio="6">
      <flag diagexact="enable"/></option><worldbody><geom type="plane" size="9 9 .1"/>
      <body pos="0 0 .3" euler="0 90 0"><joint axis="0 0 1" damping=".1"/>
        <geom size=".5" mass=".02" condim="4"/></body></worldbody></mujoco>""")
    parity_contacts.tighten(mj)
    m = lw.load(mj)
    for speed in np.linspace(-30.0, 30.0, 64):
        d, reference = lw.Data(m), mujoco.MjData(mj)
        d.qvel[:] = reference.qvel[:] = speed
        lw.forward(m, d)
        mujoco.mj_forward(mj, reference)
        force = lw.full_m(m, d) @ d.qacc - d.qfrc_smooth
        assert d.qfrc_constraint == pytest.approx(force, rel=1e-12)
        assert d.qacc == pytest.approx(reference.qacc, rel=1e-12)


def fingers(condim):
    """Three fingers of two links at a palm, whose centres of mass are on their axes

    A pyramid has an edge along which hardly a joint moves it: normal and tangent cancel there.
    """
    inertial = '<inertial pos=".02 0 0" mass=".01" diaginertia="8e-7 8e-7 8e-8"/>'
    bodies = "".join(
        f'<body pos="{x} {y} .06">{inertial}<joint axis="1 0 0" damping=".1"/>'
        f'<geom type="box" size=".012 .006 .03" pos="0 {shift} .02"/><body pos="0 .003 .044">'
        f'{inertial}<joint axis="1 0 .02" damping=".1"/>'
        '<geom type="box" size=".01 .005 .02" pos="0 .003 .02" euler="15 0 0"/></body></body>'
        for x, y, shift in ((0.002, -0.03, 0.004), (0.022, 0.027, 0.002), (-0.022, 0.0271, 0.003))
    )
    return f"""<mujoco><default><geom friction="1 .5 .01" condim="{condim}"/></default><worldbody>
      <geom type="box" size=".03 .03 .03"/><geom type="box" size=".06 .004 .1" pos="0 .065 .1"/>
      {bodies}</worldbody></mujoco>"""


def grips(xml, number):
    """(model, worlds of a gang, MuJoCo's) with fingers that hit things fast, in gangs of eight."""
    mj = mujoco.MjModel.from_xml_string(xml)
    m, rng = lw.load(mj), np.random.default_rng(0)
    for _ in range(number):
        gang = lw.Data(m, lanes=8)
        gang.qpos[:] = 0.4 * rng.normal(size=(8, mj.nv))
        gang.qvel[:] = 100.0 * rng.normal(size=(8, mj.nv))
        gang.qacc_warmstart[:] = 1e5 * rng.normal(size=(8, mj.nv))
        start = gang.qpos.copy(), gang.qvel.copy(), gang.qacc_warmstart.copy()
        references = []
        for qpos, qvel, qacc in zip(*start, strict=True):
            references.append(mujoco.MjData(mj))
            references[-1].qpos[:], references[-1].qvel[:] = qpos, qvel
            references[-1].qacc_warmstart[:] = qacc
        lw.forward(m, gang)
        for reference in references:
            mujoco.mj_forward(mj, reference)
        yield m, gang, start, references


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
def test_edges_of_pyramids(condim):
    """Newton takes a few iterations to MuJoCo's answer, and a few evaluations for each of them."""
    stiff, evaluations = False, []
    for _, gang, _, references in grips(fingers(condim), 25):
        for k, reference in enumerate(references):
            stiff = stiff or reference.efc_D.max(initial=0.0) > 1e14
            assert parity_contacts.relative(gang.qacc[k], reference.qacc) < 1e-9
        assert gang.solver_niter.max() < 10
        evaluations += list(gang.solver.neval[gang.solver.neval > 0])
    assert stiff and np.mean(evaluations) < 7.5


@pytest.mark.parametrize("condim", [3, 6])
def test_edges_of_one_world(condim):
    """A world has the same bits alone; inverse dynamics has the forces of forward dynamics."""
    for m, gang, start, references in grips(fingers(condim), 3):
        for k, reference in enumerate(references):
            alone = lw.Data(m)
            alone.qpos[:], alone.qvel[:], alone.qacc_warmstart[:] = (x[k] for x in start)
            lw.forward(m, alone)
            for name in ("qacc", "qfrc_constraint"):
                assert getattr(alone, name).tobytes() == getattr(gang, name)[k].tobytes(), name
            alone.qacc[:] = reference.qacc
            lw.inverse(m, alone)
            mujoco.mj_inverse(m.mj, reference)
            # of a force of an edge the round-off of its acceleration is left
            push = np.abs(dense_jacobian(m, reference)).T @ reference.efc_D
            room = 1e-14 * np.abs(reference.qacc).max() * push.max(initial=0.0) + 1e-9
            assert np.abs(alone.qfrc_constraint - reference.qfrc_constraint).max() < room
