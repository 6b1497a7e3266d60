"""Physics that needs no oracle: what a right simulation does, whoever computes it.

Isolated systems keep their momentum, and their energy to the order of the integrator; a box on a
slope holds below the friction angle and slides above it with the acceleration of a textbook; stacks
stand, closed loops stay closed, and a body that spins about its middle axis tumbles.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw

INTEGRATORS = {"Euler": 1, "RK4": 4, "implicit": 1, "implicitfast": 1, "discrete": 1}  # and orders
SOLVERS = ("PGS", "CG", "Newton")
CONES = ("pyramidal", "elliptic")


def model(xml: str, **options) -> mujoco.MjModel:
    """A compiled model with options of mjOption set: enums by their number."""
    mj_model = mujoco.MjModel.from_xml_string(xml)
    for name, value in options.items():
        setattr(mj_model.opt, name, value)
    return mj_model


# --------------------------------------------------------------------------------- isolated systems

FLOATING = """
<mujoco>
  <option gravity="0 0 0"><flag contact="disable" energy="enable"/></option>
  <worldbody>
    <body name="trunk">
      <freejoint/>
      <geom type="box" size=".2 .1 .05"/>
      <body pos=".3 0 0">
        <joint type="ball" pos="-.1 0 0"/>
        <geom type="capsule" size=".04 .1" quat="1 0 1 0"/>
        <body pos=".2 0 0">
          <joint axis="0 1 0" pos="-.1 0 0" stiffness=".5"/>
          <geom type="ellipsoid" size=".1 .03 .06"/>
        </body>
      </body>
      <body pos="-.3 .05 0">
        <joint type="slide" axis="1 0 .2" stiffness="20"/>
        <joint axis="0 0 1" pos=".1 0 0"/>
        <geom type="cylinder" size=".05 .1" euler="20 70 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def conserved(m: lw.Model, rows: np.ndarray) -> np.ndarray:
    """Energy and the momenta of states: a row of seven numbers for each."""
    out = []
    for row in rows:
        d = lw.Data(m)
        lw.set_state(m, d, row)
        lw.forward(m, d)
        lw.subtree_vel(m, d)
        momentum = m.body_subtreemass[0] * d.subtree_linvel[0]
        out.append([d.energy.sum(), *momentum, *d.subtree_angmom[0]])
    return np.array(out)


def drift(integrator: str, timestep: float, nstep: int) -> np.ndarray:
    """The largest change of each conserved number over nstep steps, of four worlds."""
    mj_model = model(FLOATING, integrator=list(INTEGRATORS).index(integrator), timestep=timestep)
    m, b = lw.load(mj_model), lw.Batch(mj_model, nsim=4)
    b.qvel = np.random.default_rng(5).normal(size=(4, mj_model.nv))
    start, worst = conserved(m, b.state), np.zeros(7)
    for _ in range(10):
        b.step(nstep=nstep // 10)
        worst = np.maximum(worst, np.abs(conserved(m, b.state) - start).max(axis=0))
    return worst


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_isolated_system(integrator):
    """Over 10,000 steps energy and momentum change little, and by the order when h is halved."""
    order = INTEGRATORS[integrator]
    h = 2e-3 if order == 4 else 2e-4
    coarse, fine = drift(integrator, 2 * h, 5_000), drift(integrator, h, 10_000)
    assert np.all(fine < (1e-7 if order == 4 else 2e-2)), fine
    assert np.all(fine < 1.3 * coarse / 2**order + 1e-11), (coarse, fine)


BILLIARD = """
<mujoco>
  <option gravity="0 0 0" timestep=".001"><flag energy="enable"/></option>
  <worldbody>
    <body pos="0 0 0"><freejoint/><geom type="box" size=".1 .12 .08"/></body>
    <body pos=".5 .02 0"><freejoint/><geom type="sphere" size=".1"/></body>
    <body pos="-.5 0 .03"><freejoint/><geom type="capsule" size=".06 .1"/></body>
    <body pos="0 .5 0"><freejoint/><geom type="box" size=".07 .09 .1"/></body>
    <body pos=".02 -.5 0"><freejoint/><geom type="cylinder" size=".1 .07"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("cone", CONES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_collisions_keep_momentum(integrator, cone):
    """Contact forces are pairs of opposite forces in one point."""
    number = list(INTEGRATORS).index(integrator)
    mj_model = model(BILLIARD, integrator=number, cone=CONES.index(cone))
    m, b = lw.load(mj_model), lw.Batch(mj_model, nsim=8)
    rng = np.random.default_rng(1)
    place = b.qpos.reshape(8, 5, 7)
    velocity = np.zeros((8, 5, 6))
    velocity[..., :3] = -2 * place[..., :3] + 0.2 * rng.normal(size=(8, 5, 3))
    velocity[..., 3:] = rng.normal(size=(8, 5, 3))
    b.qvel = velocity.reshape(8, 30)
    b.bind("ncon")
    start, touched = conserved(m, b.state), np.zeros(8)
    for _ in range(100):
        b.step(nstep=10)
        touched = np.maximum(touched, b.ncon)
    end = conserved(m, b.state)
    assert touched.min() > 0
    np.testing.assert_allclose(end[:, 1:4], start[:, 1:4], atol=1e-7)
    np.testing.assert_allclose(end[:, 4:], start[:, 4:], atol=3e-2)  # of the order of h
    assert np.all(end[:, 0] < start[:, 0])


# --------------------------------------------------------------------------------------- friction

SLOPE = """
<mujoco>
  <option timestep=".002" impratio="10"/>
  <worldbody>
    <geom type="plane" size="5 5 1" friction=".5"/>
    <body pos="0 0 .1"><freejoint/><geom type="box" size=".2 .15 .1" friction=".5"/></body>
  </worldbody>
</mujoco>
"""


def slide(steepness: float, turn: float, nstep: int = 1000, **options) -> np.ndarray:
    """Displacement and velocity down the slope, of tan(angle) = steepness times friction."""
    angle = np.arctan(0.5 * steepness)
    down = np.array([np.cos(turn), np.sin(turn)])
    gravity = 9.81 * np.array([*(np.sin(angle) * down), -np.cos(angle)])
    mj_model = model(SLOPE, **options)
    mj_model.opt.gravity = gravity
    b = lw.Batch(mj_model, nsim=2)
    b.step(nstep=100)  # settle
    before = b.qpos[0, :2] @ down, b.qvel[0, :2] @ down
    b.step(nstep=nstep)
    assert np.array_equal(b.state[0], b.state[1])
    return np.array([b.qpos[0, :2] @ down - before[0], b.qvel[0, :2] @ down - before[1]])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("cone", CONES)
def test_slope(solver, cone):
    """Below the friction angle a box creeps a little (contacts are soft); above it accelerates."""
    options = {"solver": SOLVERS.index(solver), "cone": CONES.index(cone), "iterations": 200}
    moved, _ = slide(0.9, 0.0, **options)
    assert abs(moved) < 0.03
    _, gained = slide(1.5, 0.0, **options)
    angle = np.arctan(0.75)
    expected = 2.0 * 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    assert gained == pytest.approx(expected, rel=0.04)


def test_elliptic_friction_has_no_preferred_direction():
    angle = np.arctan(0.75)
    expected = 2.0 * 9.81 * (np.sin(angle) - 0.5 * np.cos(angle))
    for turn in (0.0, 0.3, np.pi / 4, 1.2):
        _, gained = slide(1.5, turn, cone=1)
        assert gained == pytest.approx(expected, rel=0.04), turn


def test_noslip_stops_the_creep():
    creep, _ = slide(0.8, 0.0, cone=1)
    held, _ = slide(0.8, 0.0, cone=1, noslip_iterations=20)
    assert abs(held) < 1e-4
    assert abs(held) < 0.2 * abs(creep)


# ------------------------------------------------------------------------------------------- stacks

STACK = """
<mujoco>
  <option timestep=".002"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    {}
  </worldbody>
</mujoco>
"""
PILE = "".join(
    f'<body pos="{0.01 * k} {0.005 * k} {0.1 + 0.2 * k}"><freejoint/>'
    f'<geom type="box" size=".15 .15 .1"/></body>'
    for k in range(5)
)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_stack_stays(solver, integrator):
    number = list(INTEGRATORS).index(integrator)
    mj_model = model(STACK.format(PILE), solver=SOLVERS.index(solver), integrator=number)
    b = lw.Batch(mj_model, nsim=1)
    start = b.qpos.copy()
    b.step(nstep=2000)
    moved = (b.qpos - start).reshape(5, 7)
    assert np.abs(moved[:, :2]).max() < 2e-3
    assert np.abs(moved[:, 2]).max() < 1e-2  # soft contacts give a little under the weight
    assert np.abs(b.qvel).max() < 1e-2


@pytest.mark.parametrize(
    "shape", ['sphere" size=".1', 'box" size=".1 .1 .1', 'cylinder" size=".1 .1']
)
def test_no_rebound(shape):
    """The default contact is critically damped: what falls stays down."""
    body = f'<body pos="0 0 .3"><freejoint/><geom type="{shape}"/></body>'
    b = lw.Batch(model(STACK.format(body)), nsim=1)
    heights = b.rollout(600, record=("qpos",))["qpos"][0, :, 2]
    landed = np.argmax(heights < 0.1005)
    assert landed > 0
    assert heights[landed:].max() < 0.11
    assert heights[-1] == pytest.approx(0.1, abs=2e-3)


# ------------------------------------------------------------------------------------- closed loops

FOURBAR = """
<mujoco>
  <option timestep=".002"/>
  <default><geom type="capsule" size=".02" contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="crank"><joint axis="0 1 0"/><geom fromto="0 0 0 0 0 .2"/>
      <body name="coupler" pos="0 0 .2"><joint axis="0 1 0"/><geom fromto="0 0 0 .5 0 .1"/>
        <site name="end" pos=".5 0 .1"/>
      </body>
    </body>
    <body name="rocker" pos=".5 0 0"><joint axis="0 1 0"/><geom fromto="0 0 0 0 0 .3"/>
      <site name="tip" pos="0 0 .3"/>
    </body>
    <body name="left" pos="0 1 1"><freejoint/><geom fromto="0 0 0 .2 0 0"/>
      <site name="left" pos=".2 0 0"/></body>
    <body name="right" pos=".2 1 1"><joint type="ball" pos=".3 0 0"/><geom fromto="0 0 0 .3 0 0"/>
      <site name="right"/></body>
  </worldbody>
  <equality>
    <connect body1="coupler" body2="rocker" anchor=".5 0 .1" solref=".005 1"/>
    <weld site1="left" site2="right" solref=".005 1"/>
  </equality>
</mujoco>
"""


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_loops_stay_closed(solver, integrator):
    """A four-bar linkage and a welded pendulum swing for 10,000 steps without coming apart."""
    number = list(INTEGRATORS).index(integrator)
    mj_model = model(FOURBAR, solver=SOLVERS.index(solver), integrator=number)
    b = lw.Batch(mj_model, nsim=2)
    b.qvel = 0.5
    ends = [mj_model.site(name).id for name in ("end", "tip", "left", "right")]
    open_ = []
    travelled = np.zeros(mj_model.nv)
    for _ in range(50):
        b.step(nstep=200)
        end, tip, left, right = np.moveaxis(b.site_xpos[:, ends], 1, 0)
        open_.append(np.abs([end - tip, left - right]).max())
        travelled = np.maximum(travelled, np.abs(b.qvel).max(axis=0))
    assert max(open_) < 2e-3, max(open_)
    assert travelled[:3].min() > 0.1  # it moves


# ----------------------------------------------------------------------------------------- tumbling

MIDDLE_AXIS = """
<mujoco>
  <option gravity="0 0 0" timestep=".002" integrator="RK4"/>
  <worldbody>
    <body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".1 .2 .25"/></body>
  </worldbody>
</mujoco>
"""


def euler_equations(inertia, spin, h: float, nstep: int) -> np.ndarray:
    """Spin of a free body in its own axes, by Runge-Kutta."""
    x, y, z = inertia
    kx, ky, kz = (y - z) / x, (z - x) / y, (x - y) / z

    def rate(a, b, c):
        return kx * b * c, ky * c * a, kz * a * b

    out = [spin]
    for _ in range(nstep):
        k1 = rate(*spin)
        k2 = rate(*(w + h / 2 * k for w, k in zip(spin, k1, strict=True)))
        k3 = rate(*(w + h / 2 * k for w, k in zip(spin, k2, strict=True)))
        k4 = rate(*(w + h * k for w, k in zip(spin, k3, strict=True)))
        spin = tuple(
            w + h / 6 * (a + 2 * b + 2 * c + d)
            for w, a, b, c, d in zip(spin, k1, k2, k3, k4, strict=True)
        )
        out.append(spin)
    return np.array(out)


def test_tumbling():
    """Dzhanibekov's effect: a spin about the middle axis turns over, again and again."""
    b = lw.Batch(model(MIDDLE_AXIS), nsim=1)
    b.qvel[0, 3:] = [1e-2, 4.0, 2e-2]
    spin = b.rollout(10_000, record=("qvel",))["qvel"][0, :, 3:]
    expected = euler_equations((0.1, 0.2, 0.25), (1e-2, 4.0, 2e-2), 0.002, 10_000)[1:]
    np.testing.assert_allclose(spin, expected, atol=1e-6)
    turned = np.count_nonzero(np.diff(np.sign(spin[:, 1])))
    assert turned >= 3
    assert np.abs(b.qvel[0, :3]).max() == 0.0
