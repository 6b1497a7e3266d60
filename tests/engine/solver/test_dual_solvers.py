"""PGS and noslip against MuJoCo.

MuJoCo's PGS stops long before convergence, so its answer is the path it took. Lanewise takes the
same path: after few sweeps, at the default tolerance, with and without islands, the forces are
equal to round-off and so is the number of sweeps. What the solvers are made of is tested alone: the
random numbers, the small friction problem, islands, room for rows.
"""

import copy
import ctypes
from pathlib import Path

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.solver.dual import qcqp
from lanewise.engine.solver.dual.visiting import random_number, seed
from lanewise.lanes import JIT, Field, Struct, W
from support import generator, zoo
from support import parity_contacts as touch

TOLERANCE = 1e-8  # round-off, enlarged by a hundred sweeps
INTEGRATORS = ("Euler", "RK4", "implicit", "implicitfast", "discrete")
FLAG = mujoco.mjtDisableBit
OWN = [name for name in zoo.ZOO if name.startswith(("own/contacts_", "own/constraints_"))]


def model(name: str, solver="PGS", cone="pyramidal", integrator="Euler", noslip=0, iterations=10):
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    opt = mj_model.opt
    opt.solver, opt.cone = touch.SOLVERS[solver], touch.CONES[cone]
    opt.integrator, opt.noslip_iterations = INTEGRATORS.index(integrator), noslip
    opt.iterations = iterations
    return mj_model


def states(mj_model, number: int = W, seed: int = 0) -> list:
    return touch.settled(mj_model, np.random.default_rng([seed, 61]), number, nstep=120)


def solved(mj_model, mj_datas):
    """MuJoCo's data after forward dynamics, and ours: from its smooth acceleration on."""
    m, references = lw.load(mj_model), [copy.copy(mj_data) for mj_data in mj_datas]
    for reference in references:
        mujoco.mj_forward(mj_model, reference)
    d = lw.put_data(m, references)
    touch.poison_rows(d)
    touch.make_rows(m, d)
    for name in ("qacc", "qfrc_constraint", "con_force", "row_force", "efc_force", "solver_niter"):
        d.arrays[name][...] = np.nan
    lw.fwd_constraint(m, d)
    lw.expose_constraint(m, d)
    return m, d, references


def check(mj_model, mj_datas, tolerance: float = TOLERANCE) -> None:
    _, d, references = solved(mj_model, mj_datas)
    lines = []
    for lane, reference in enumerate(references):
        for name in ("qacc", "qfrc_constraint", "efc_force", "efc_b", "solver_niter"):
            expected = np.asarray(getattr(reference, name))
            value = touch.relative(d.arrays[name][: len(expected), lane], expected)
            if not value <= tolerance:
                lines.append(f"world {lane}, {name}: {value:.2g}")
        for k in range(reference.ncon):
            expected = np.zeros(6)
            mujoco.mj_contactForce(mj_model, reference, k, expected)
            if reference.contact.efc_address[k] >= 0:
                expected[0] += reference.contact.adhesion[k]
            if not touch.relative(d.arrays["con_force"][k, :, lane], expected) <= 10 * tolerance:
                lines.append(f"world {lane}, contact {k}")
    assert not lines, "\n".join(lines)


# ---- the path of PGS


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", OWN)
def test_unfinished(name, cone):
    """After ten sweeps nothing has converged, and everything is equal."""
    mj_model = model(name, cone=cone)
    check(mj_model, states(mj_model))


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", ["own/contacts_chains", "own/constraints_limits"])
def test_default_tolerance(name, cone):
    """Worlds stop by the tolerance, each after its own number of sweeps."""
    mj_model = model(name, cone=cone, iterations=100)
    check(mj_model, states(mj_model, 4))


def test_round_off_does_not_grow():
    """Residuals are made anew from the forces, so many sweeps are as exact as few."""
    mj_model = model("own/contacts_pairs", iterations=150)
    mj_model.opt.tolerance = 0.0
    _, d, references = solved(mj_model, states(mj_model))
    for lane, reference in enumerate(references):
        forces = d.arrays["efc_force"][: reference.nefc, lane]
        assert touch.relative(forces, np.array(reference.efc_force)) < 2e-13


def test_any_number_of_rows():
    """Rows are visited four at a time. Where fewer are left, the rest is nothing: in worlds with
    one to nine rows, also where there is no room for another one."""
    balls = "".join(
        f'<body pos="{0.1 * k} 0 0.04"><joint type="slide" axis="0 0 1"/><geom size="0.05"/></body>'
        for k in range(9)
    )
    mj_model = mujoco.MjModel.from_xml_string(f"""
        <mujoco><option solver="PGS" iterations="7" tolerance="0"><flag island="disable"/></option>
          <default><geom condim="1" contype="2" conaffinity="1"/></default>
          <worldbody>
            <geom type="plane" size="1 1 1" contype="1" conaffinity="2"/>{balls}
          </worldbody>
        </mujoco>""")
    m = lw.load(mj_model)
    for n in range(1, 10):
        mj_data = mujoco.MjData(mj_model)
        mj_data.qpos[n:] = 1.0
        mj_data.qvel[:] = np.linspace(-1.0, 1.0, 9)
        mujoco.mj_forward(mj_model, mj_data)
        assert mj_data.nefc == n
        d = lw.Data(m, njmax=n)
        d.qpos[:], d.qvel[:] = mj_data.qpos, mj_data.qvel
        lw.forward(m, d)
        np.testing.assert_allclose(d.qacc, mj_data.qacc, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", ["own/walker", "own/contacts_surfaces"])
def test_integrators(name, integrator):
    """Under `discrete`, the metric is that of the integrator."""
    mj_model = model(name, integrator=integrator, cone="elliptic")
    mj_datas = states(mj_model, 4)
    _, d, references = full_forward(mj_model, mj_datas)
    for lane, reference in enumerate(references):
        for field in ("qacc", "qfrc_constraint"):
            expected = np.asarray(getattr(reference, field))
            assert touch.relative(d.arrays[field][:, lane], expected) < 1e-9


def full_forward(mj_model, mj_datas):
    """As `solved`, from the actuators on: the metric is no part of MjData."""
    m, references = lw.load(mj_model), [copy.copy(mj_data) for mj_data in mj_datas]
    for reference in references:
        mujoco.mj_forward(mj_model, reference)
    d = lw.put_data(m, references)
    for name in ("qacc", "qfrc_constraint"):
        d.arrays[name][...] = np.nan
    for stage in (lw.make_constraint, lw.fwd_velocity, lw.fwd_actuation, lw.fwd_acceleration):
        stage(m, d)
    lw.fwd_constraint(m, d)
    return m, d, references


@pytest.mark.parametrize("flag", ["WARMSTART", "ISLAND"])
@pytest.mark.parametrize("cone", touch.CONES)
def test_without(flag, cone):
    mj_model = model("own/contacts_chains", cone=cone)
    mj_datas = states(mj_model, 4)
    mj_model.opt.disableflags |= getattr(FLAG, f"mjDSBL_{flag}")
    check(mj_model, mj_datas)


TWO_PILES = """
<mujoco>
  <option solver="PGS" iterations="{iterations}" cone="{cone}" noslip_iterations="{noslip}"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" condim="{condim}"/></body>
    <body pos="2 0 .1"><freejoint/><geom type="box" size=".1 .1 .1" condim="{condim}"/></body>
    <body pos=".02 .01 .3"><freejoint/><geom type="box" size=".1 .1 .1" condim="{condim}"/></body>
    <body pos="2.01 0 .3"><freejoint/><geom type="box" size=".1 .1 .1" condim="{condim}"/></body>
    <body pos="4 0 1"><joint axis="0 1 0" frictionloss=".5"/><geom size=".1" pos=".3 0 0"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("noslip", [0, 3])
@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", touch.CONES)
def test_islands(cone, condim, noslip):
    """Three islands whose bodies take turns: each has its own order, sweeps and end."""
    text = TWO_PILES.format(cone=cone, condim=condim, noslip=noslip, iterations=30)
    mj_model = mujoco.MjModel.from_xml_string(text)
    mj_datas = states(mj_model, 3)
    probe = copy.copy(mj_datas[-1])
    mujoco.mj_forward(mj_model, probe)
    assert probe.nisland > 1
    check(mj_model, mj_datas)


@pytest.mark.parametrize("noslip", [0, 3])
def test_statistics(noslip):
    """Noslip's sweeps come after those of PGS."""
    mj_model = model("own/contacts_chains", noslip=noslip)
    _, d, references = solved(mj_model, states(mj_model, 3))
    for lane, reference in enumerate(references):
        n = min(reference.solver_niter[0], 200)
        assert n > 1
        for name in ("improvement", "nactive", "nchange", "gradient"):
            expected = np.array([getattr(reference.solver[k], name) for k in range(n)], float)
            assert touch.relative(d.arrays[f"solver.{name}"][:n, lane], expected) < TOLERANCE, name


def test_no_constraint():
    """A world without any beside one with some; and none in any world."""
    mj_model = model("own/contacts_primitives")
    touching = states(mj_model, 1)[0]
    apart = mujoco.MjData(mj_model)
    apart.qpos[2::7] += 100.0 * np.arange(1, 1 + len(apart.qpos[2::7]))
    for mj_datas in ([touching, apart], [apart]):
        m, references = lw.load(mj_model), [copy.copy(x) for x in mj_datas]
        d = lw.put_data(m, references)
        lw.forward(m, d)
        for lane, reference in enumerate(references):
            mujoco.mj_forward(mj_model, reference)
            assert int(d.arrays["nefc"][lane]) == reference.nefc
            assert touch.relative(d.arrays["qacc"][:, lane], reference.qacc) < 1e-6


PUSHING = """
<mujoco>
  <option solver="PGS" cone="pyramidal" iterations="12"/>
  <worldbody>
    <geom type="plane" size="3 3 1"/>
    <body pos="0 0 .12" euler="3 5 0"><freejoint/><geom type="box" size=".2 .1 .1"/>
      <body pos=".25 0 0"><joint name="a" axis="0 1 0" range="-5 5"/>
        <geom type="capsule" fromto="0 0 0 .3 0 -.05" size=".05"/>
        <body pos=".35 0 0"><joint name="b" axis="0 1 .1" range="-5 5"/>
          <geom type="capsule" fromto="0 0 0 .3 .05 -.05" size=".04"/></body></body></body>
  </worldbody>
  <equality><joint joint1="a" joint2="b" polycoef="-.3 1 0 0 0"/></equality>
</mujoco>
"""


def test_worlds_whose_rows_only_push_beside_others():
    """An equality pulls, too: worlds in which it is off take turns with those that have it."""
    mj_model = mujoco.MjModel.from_xml_string(PUSHING)
    mj_datas = [mujoco.MjData(mj_model) for _ in range(4)]
    for k, on in enumerate((1, 0, 0, 1)):
        mj_datas[k].eq_active[0] = on
        mj_datas[k].qvel[:] = 0.1 * np.cos(np.arange(mj_model.nv) + k)
        mujoco.mj_step(mj_model, mj_datas[k], 150)
        assert mj_datas[k].ncon > 0 and mj_datas[k].ne == on
        assert not on or mj_datas[k].efc_force[0] < 0.0
    check(mj_model, mj_datas)
    check(mj_model, mj_datas[1:3])


def test_a_world_does_not_depend_on_its_neighbours():
    mj_model = model("own/contacts_chains", cone="elliptic", noslip=2)
    mj_datas = states(mj_model, 4)
    _, together, _ = solved(mj_model, mj_datas)
    for lane, mj_data in enumerate(mj_datas):
        _, alone, reference = solved(mj_model, [mj_data])
        n = reference[0].nefc
        for name in ("qacc", "efc_force"):
            n = reference[0].nefc if name == "efc_force" else mj_model.nv
            both = together.arrays[name][:n, lane], alone.arrays[name][:n, 0]
            assert np.array_equal(*both)


# ---- noslip


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", OWN)
def test_noslip_after_pgs(name, cone):
    mj_model = model(name, cone=cone, noslip=5)
    check(mj_model, states(mj_model, 4))


@pytest.mark.parametrize("solver", ["CG", "Newton"])
@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", ["own/contacts_chains", "own/constraints_limits"])
def test_noslip_after_primal(name, cone, solver):
    """Started from a tight solution, so that it does not matter how that was found."""
    mj_model = touch.tighten(model(name, solver, cone, noslip=5))
    _, d, references = solved(mj_model, states(mj_model, 3))
    for lane, reference in enumerate(references):
        assert touch.relative(d.arrays["qacc"][:, lane], np.array(reference.qacc)) < 1e-6
        n = reference.nefc
        force = d.arrays["efc_force"][:n, lane]
        assert touch.relative(force, np.array(reference.efc_force)) < 1e-6


def snake(joints: int, cone: str) -> str:
    """A chain on the floor, with dry friction in its joints and in a tendon."""
    parts = [
        f'<body pos=".2 0 0"><joint name="j{k}" axis="0 {1 - k % 2} {k % 2}" damping=".1"'
        f' frictionloss=".{k + 2}" solimpfriction=".{9 - k} .95 .001"/>'
        '<geom type="capsule" size=".03" fromto="0 0 0 .2 0 0"/>'
        for k in range(joints)
    ]
    return f"""
    <mujoco><option solver="PGS" iterations="10" noslip_iterations="8" cone="{cone}"/>
      <default><geom friction=".4 .01 .01" condim="4"/></default>
      <worldbody><geom type="plane" size="5 5 1"/>
        <body pos="0 0 .1"><freejoint/><geom type="box" size=".05 .05 .05"/>
        {"".join(parts)}{"</body>" * joints}</body>
      </worldbody>
      <tendon>
        <fixed frictionloss=".1"><joint joint="j1" coef=".7"/><joint joint="j2" coef="-.4"/></fixed>
      </tendon></mujoco>"""


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("joints", [3, 6, 9])
def test_noslip_of_dry_friction(joints, cone):
    """Rows of dry friction are visited four at a time, and what is left one by one."""
    mj_model = mujoco.MjModel.from_xml_string(snake(joints, cone))
    mj_datas = states(mj_model)
    check(mj_model, mj_datas)
    dry = [np.sum((data.efc_type == 1) | (data.efc_type == 2)) for data in mj_datas]
    assert min(dry) == max(dry) == joints + 1


@pytest.mark.skipif(not JIT, reason="a hundred steps as plain Python")
def test_noslip_stops_slip():
    """A box on a slope creeps under soft friction, and stays with noslip."""
    text = """
    <mujoco>
      <option gravity="3 0 -9" cone="elliptic" noslip_iterations="{}" solver="PGS" timestep=".01"/>
      <worldbody>
        <geom type="plane" size="5 5 1"/>
        <body pos="0 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      </worldbody>
    </mujoco>
    """
    moved = []
    for noslip in (0, 20):
        m = lw.load(text.format(noslip))
        d = lw.Data(m)
        lw.step(m, d, 60)
        start = d.qpos[0]
        lw.step(m, d, 40)
        moved.append(abs(d.qpos[0] - start))
    assert moved[0] > 1e-5
    assert moved[1] < 0.01 * moved[0]


# ---- room


def test_rows_beyond_room_are_left_out():
    """Nothing is written beyond njmax; the worlds that fit are right."""
    mj_model = model("own/contacts_boxes", iterations=5)
    mj_datas = sorted(states(mj_model, 6), key=lambda x: x.ncon)
    m = lw.load(mj_model)
    d = lw.Data(m, len(mj_datas), njmax=40)
    for lane, mj_data in enumerate(mj_datas):
        d.qpos[lane], d.qvel[lane] = mj_data.qpos, mj_data.qvel
    with pytest.warns(RuntimeWarning, match="njmax"):
        lw.forward(m, d)
    assert np.isfinite(d.qacc).all()


# ---- parts


def plain(**arrays) -> Struct:
    """A struct of one-column fields, as plain-Python kernels see them: the same in all worlds."""
    fields = {name: np.array(x, dtype=float).reshape(-1, 1, 1) for name, x in arrays.items()}
    return Struct({name: Field(np.tile(x, (1, 1, W)), 1) for name, x in fields.items()})


def test_random_numbers():
    """PCG32 with state 0 and increment 1, as its authors write it."""
    halves = {name: np.zeros((8, 1), np.int64) for name in ("random_high", "random_low")}
    d = Struct({name: Field(x, 1) for name, x in halves.items()})
    seed(d, 0)
    state = 1  # after the seeding step

    def expected():
        nonlocal state
        old, state = state, (state * 6364136223846793005 + 1) % 2**64
        x, turn = (old >> 18 ^ old) >> 27 & 0xFFFFFFFF, old >> 59
        return (x >> turn | x << (-turn & 31)) & 0xFFFFFFFF

    for _ in range(1000):
        assert random_number(d, 0) == expected()


def friction(A, b, mu, r) -> np.ndarray:
    n = len(b)
    if n == 2:  # in a ball
        B = A * np.outer(mu, mu)
        u, v = b * mu
        x = qcqp.friction_of_two(B[0, 0], B[0, 1], B[1, 1], u, v, r, np.ones(W, bool))
        return np.array([y[0] for y in x]) * mu
    d = plain(
        qcqp_A=A.ravel(), qcqp_b=b, qcqp_mu=mu, qcqp_L=np.zeros(25), qcqp_x=np.zeros(n),
        qcqp_y=np.zeros(n),
    )  # fmt: skip
    qcqp.solve_friction(d, n, r, np.ones(W, bool))
    return d.qcqp_x.array[:, 0, 0]


def mujoco_friction(A, b, mu, r) -> np.ndarray:
    """MuJoCo's solution, put on the ellipsoid as its PGS does."""
    library = ctypes.CDLL(str(next(Path(mujoco.__file__).parent.glob("libmujoco.so*"))))
    function, x = getattr(library, f"mju_QCQP{len(b)}"), np.zeros(len(b))
    pointers = [v.ctypes.data_as(ctypes.c_void_p) for v in (x, A, b, mu)]
    if function(*pointers, ctypes.c_double(r)):
        x *= r / np.sqrt(((x / mu) ** 2).sum())
    return x


@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("r", [1e-3, 0.3, 1e3])
def test_small_friction_problem(n, r):
    """The solution is MuJoCo's; where that cannot be called, it is optimal."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        root = rng.normal(size=(n, n))
        A, b, mu = root @ root.T + 0.1 * np.eye(n), rng.normal(size=n), rng.uniform(0.5, 2, n)
        x = friction(A, b, mu, r)
        assert ((x / mu) ** 2).sum() <= r * r * (1 + 1e-9)
        if n < 5:
            assert np.allclose(x, mujoco_friction(A, b, mu, r), rtol=1e-9, atol=1e-12)
        elif r == 1e3:
            assert np.allclose(A @ x + b, 0, atol=1e-9)
        elif r == 0.3:
            multiplier = -(A @ x + b) * mu**2 / x
            inside = ((x / mu) ** 2).sum() < r * r * (1 - 1e-9)
            assert inside or np.allclose(multiplier, multiplier[0], rtol=1e-5)


def test_friction_of_a_singular_contact():
    """Directions that nothing resists have no friction."""
    for n in (2, 3, 5):
        assert not friction(np.zeros((n, n)), np.ones(n), np.ones(n), 1.0).any()


def test_rows_that_depend_on_each_other():
    """More rows than dofs, held apart by R alone: round-off must not grow from sweep to sweep."""
    text = generator.generate(1049, constraints=True, extras=True)
    mj_model = mujoco.MjModel.from_xml_string(text)
    mj_model.opt.solver = mujoco.mjtSolver.mjSOL_PGS
    mj_model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    mj_model.opt.tolerance = 1e-22
    m, mj_data = lw.load(mj_model), mujoco.MjData(mj_model)
    mj_data.ctrl[:] = 0.3 * np.random.default_rng(1049).normal(size=mj_model.nu)
    most = 0
    for _ in range(15):
        mujoco.mj_step(mj_model, mj_data)
        d = lw.put_data(m, mj_data)
        mujoco.mj_forward(mj_model, mj_data)
        lw.forward(m, d)
        most = max(most, mj_data.nefc)
        scale = max(1.0, np.abs(mj_data.qacc).max())
        np.testing.assert_allclose(d.qacc, mj_data.qacc, rtol=0.0, atol=1e-9 * scale)
    assert most > 4 * m.nv


SLED = """<mujoco><option cone="elliptic" timestep=".005"/>
  <worldbody><geom type="plane" size="2 2 1" condim="1"/>
    <body pos="0 0 .1"><freejoint/>
      <geom size=".1" pos=".3 0 0" condim="{0}"/><geom size=".1" pos="-.3 .1 0" condim="{1}"/>
      <geom size=".1" pos="-.3 -.1 0" condim="{1}"/>
      <body><joint axis="0 1 0"/><geom size=".05" pos="0 0 .3" mass=".3"/></body>
    </body>
  </worldbody></mujoco>"""


@pytest.mark.parametrize("dims", [(1, 3), (4, 6)])
@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
@pytest.mark.parametrize("solver", ["PGS", "noslip", "CG", "Newton"])
def test_contacts_of_two_bodies_with_more_friction_and_with_less(solver, cone, dims):
    """A body touches with less friction in some worlds, with more in others: these contacts share
    a slot, and the worlds have the bits that they have alone."""
    mj = mujoco.MjModel.from_xml_string(SLED.format(*dims))
    mj.opt.cone = cone
    mj.opt.solver = touch.SOLVERS["Newton" if solver == "noslip" else solver]
    mj.opt.noslip_iterations = 5 * (solver == "noslip")
    m = lw.load(mj)
    gang, rng = lw.Batch(m, W, nthread=1), np.random.default_rng(0)
    gang.qpos[:, 2] = 0.099
    gang.qpos[:, 5] = rng.choice([-0.02, 0.0, 0.02], W)  # tilted: one end or both touch
    gang.qvel[...] = rng.normal(scale=0.3, size=gang.qvel.shape)
    gang.bind("contact.dim")
    alone = [lw.Batch(m, 1) for _ in range(W)]
    mixed = 0
    for _ in range(20):
        for one, row in zip(alone, gang.state, strict=True):
            one.state[0] = row
            one.step()
        gang.step()
        mixed += set(dims) <= set(gang.bind("contact.dim")[:, 0])
        for w, one in enumerate(alone):
            np.testing.assert_array_equal(gang.state[w], one.state[0], f"world {w}")
    assert mixed > 3


SKATE = """<mujoco><option solver="PGS" cone="elliptic" iterations="15"/>
  <default><geom size=".1"/><pair condim="3" friction="1.1 .2 .01 .001 .001"/></default>
  <worldbody><geom name="floor" type="plane" size="2 2 1"/>
    <body pos="0 0 .0995"><freejoint/>
      <geom name="a" pos=".3 .2 0"/><geom name="b" pos=".3 -.2 0"/>
      <geom name="c" pos="-.3 .2 0"/><geom name="d" pos="-.3 -.2 0"/>
    </body>
  </worldbody>
  <contact>
    <pair geom1="floor" geom2="a"/><pair geom1="floor" geom2="b"/>
    <pair geom1="floor" geom2="c"/><pair geom1="floor" geom2="d"/>
  </contact>
</mujoco>"""


def test_friction_that_differs_by_direction():
    """Forces that are extrapolated beyond the ellipse of a contact are scaled onto it."""
    mj_model, rng = mujoco.MjModel.from_xml_string(SKATE), np.random.default_rng(5)
    datas = [mujoco.MjData(mj_model) for _ in range(W)]
    for mj_data in datas:
        mj_data.qvel[:] = rng.normal(scale=0.5, size=mj_model.nv)
        mujoco.mj_step(mj_model, mj_data, 3)
    check(mj_model, datas)
    assert max(mj_data.ncon for mj_data in datas) > 2
