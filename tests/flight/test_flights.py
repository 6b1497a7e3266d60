"""A body under loads from outside, beside MuJoCo under the same; one, and one in every world."""

import re
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.flight import Flight, Flights, FlightState, RigidBody

INERTIA = [[0.1, 0.01, 0.02], [0.01, 0.2, 0.005], [0.02, 0.005, 0.25]]
COM = (0.1, -0.2, 0.05)
START = FlightState([1, 2, 3], [0.8, 0.6, 0, 0], [10, 1, -2], [0.5, -1.0, 2.0])
TWO = """
<mujoco>
  <worldbody>
    <body name="left"><freejoint/><geom size=".1"/></body>
    <body name="right" pos="1 0 0"><freejoint/><geom size=".1"/></body>
    <body name="lamp" pos="0 3 0"><joint/><geom size=".1"/></body>
  </worldbody>
  <keyframe><key name="high" qpos="0 0 9 1 0 0 0 1 0 9 1 0 0 0 0"/></keyframe>
</mujoco>
"""


def body(**more):
    return RigidBody(2.0, INERTIA, **{"gravity": (0, 0, -9.81), "com": COM, **more})


def numbers(state):
    return np.concatenate([state.p_WBcm, state.q_WB, state.v_WBcm_W, state.w_WB_B], axis=-1)


@pytest.mark.parametrize("integrator", ["Euler", "RK4", "implicit", "implicitfast"])
def test_a_flight_is_mujocos(integrator):
    made = body(integrator=integrator)
    flight = Flight(made, interval=0.02, substeps=4, start=START)
    m = mujoco.MjModel.from_xml_string(made.xml())
    d = mujoco.MjData(m)
    m.opt.timestep = 0.005
    d.qpos[:], d.qvel[:] = START.mujoco(com=COM)
    rng = np.random.default_rng(0)
    for _ in range(50):
        loads = rng.normal(size=6)
        flight.apply_loads(loads[:3], loads[3:])
        flight.step()
        d.xfrc_applied[1] = loads
        for _ in range(4):
            mujoco.mj_step(m, d)
    stale = d.xmat[1].copy()
    mujoco.mj_forward(m, d)
    state, velocity = flight.state, np.zeros(6)
    mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_BODY, 1, velocity, 0)
    assert np.abs(state.p_WBcm - d.xipos[1]).max() < 1e-12
    assert np.abs(state.R_WB.ravel() - d.xmat[1]).max() < 1e-12
    assert np.abs(state.v_WBcm_W - velocity[3:]).max() < 1e-11
    assert np.abs(state.R_WB @ state.w_WB_B - velocity[:3]).max() < 1e-11
    assert abs(state.time - d.time) < 1e-12 and abs(flight.interval - 0.02) < 1e-15
    # fields of the Data are of the state, too, where MuJoCo's were not
    assert np.abs(flight.data.xmat[1] - d.xmat[1]).max() < 1e-12
    assert np.abs(stale - d.xmat[1]).max() > (1e-3 if integrator != "RK4" else 1e-9)


def test_loads_act_about_the_centre_of_mass_in_earth_axes():
    flight = Flight(body(gravity=(0, 0, 0)), interval=1e-3, start=START)
    f, t = np.array([1.0, 2.0, 3.0]), np.array([0.1, -0.2, 0.3])
    before = flight.state
    flight.apply_loads(f, t)
    flight.step(10)
    after = flight.state
    assert np.abs(after.v_WBcm_W - before.v_WBcm_W - f / 2.0 * 0.01).max() < 1e-12
    momentum = [s.R_WB @ np.array(INERTIA) @ s.w_WB_B for s in (before, after)]
    assert np.abs(momentum[1] - momentum[0] - t * 0.01).max() < 1e-9  # RK4, 10 steps


def test_loads_are_asked_for_before_every_substep():
    """A spring to the ground, in Earth axes: its energy stays."""
    seen = []

    def spring(state):
        seen.append(float(state.time))
        return -50.0 * state.p_WBcm, np.zeros(3)

    flight = Flight(body(gravity=(0, 0, 0)), interval=0.01, substeps=5, start=START)
    flight.step(3, loads=spring)
    assert np.allclose(seen, 0.002 * np.arange(15))
    assert np.array_equal(flight.loads[3:], np.zeros(3)) and flight.loads[0] != 0.0
    x, w = START.p_WBcm, np.sqrt(50.0 / 2.0)
    exact = x * np.cos(0.03 * w) + START.v_WBcm_W / w * np.sin(0.03 * w)
    assert np.abs(flight.state.p_WBcm - exact).max() < 3e-3  # loads are held for 2 ms


def test_saving_and_restoring_go_on_to_the_same_bits():
    flight = Flight(body(), interval=0.01, substeps=2, start=START)
    flight.apply_loads([1, 2, 3], [0.1, 0.2, 0.3])
    flight.step(3)
    saved, here = flight.save(), numbers(flight.state)
    flight.apply_loads([0, 0, 9])
    flight.step(5)
    flight.restore(saved)
    assert np.array_equal(numbers(flight.state), here)
    assert np.array_equal(flight.loads, [1, 2, 3, 0.1, 0.2, 0.3])
    flight.step(5)
    once = numbers(flight.state)
    flight.restore(saved)
    flight.step(5)
    assert np.array_equal(numbers(flight.state), once)
    flight.reset()
    assert np.abs(numbers(flight.state) - numbers(START)).max() < 1e-14
    assert flight.state.time == 0.0 and not flight.loads.any()


def test_many_are_as_each_alone():
    starts = FlightState(
        np.arange(33.0).reshape(11, 3), np.tile(START.q_WB, (11, 1)),
        np.linspace(5, 10, 33).reshape(11, 3), np.tile(START.w_WB_B, (11, 1)),
    )  # fmt: skip
    loads = np.random.default_rng(2).normal(size=(11, 6))
    flights = Flights(body(), 11, interval=0.02, substeps=3, start=starts)
    for world in (0, 7, 10):
        one = FlightState(*(x[world] for x in (starts.p_WBcm, starts.q_WB, starts.v_WBcm_W,
                                                starts.w_WB_B)))  # fmt: skip
        flight = Flight(body(), interval=0.02, substeps=3, start=one)
        flights.reset()
        for each, some in ((flights, loads), (flight, loads[world])):
            each.apply_loads(some[..., :3], some[..., 3:])
            each.step(20)
        assert np.array_equal(numbers(flights.state)[world], numbers(flight.state))
        assert np.array_equal(flights.batch.xmat[world, 1], flight.data.xmat[1])
    assert flights.state.time.shape == (11,)


def test_functions_of_many_saving_and_restoring():
    flights = Flights(body(), 9, start=START)
    flights.step(5, loads=lambda s: (-s.v_WBcm_W, np.zeros(3)))
    saved = flights.save()
    flights.step(2)
    end = numbers(flights.state)
    flights.restore(saved)
    assert np.abs(flights.batch.xmat[3, 1] - flights.state.R_WB[3].ravel()).max() < 1e-14
    flights.step(2)
    assert np.array_equal(numbers(flights.state), end)


def test_times_of_worlds():
    flights = Flights(body(), 3)
    flights.state = replace(START, time=[1.0, 2.0, 3.0])
    assert np.array_equal(flights.state.time, [1, 2, 3])
    assert np.array_equal(flights.state.p_WBcm.shape, (3, 3))
    flights.state = replace(flights.state, time=5.0)
    assert np.array_equal(flights.state.time, [5, 5, 5])


def test_centres_of_mass_of_worlds():
    flights = Flights(body(), 3)
    flights.batch.expand("body_ipos")[:, 1] = np.arange(9.0).reshape(3, 3)
    flights.batch.set_const()
    assert np.array_equal(flights.state.p_WBcm, np.arange(9.0).reshape(3, 3))


@pytest.mark.parametrize("fresh", [False, True])
def test_flights_in_a_batch_as_it_is(fresh):
    m = lw.load(TWO)
    batch = lw.Batch(m, 4, fresh=fresh)
    batch.qpos[:, 9] = 5.0
    flights = Flights(batch, body="right")
    assert np.all(flights.state.p_WBcm[:, 2] == 5.0)
    flights.apply_loads([0, 0, 9.81 * m.body_mass[2]])
    flights.step(10)
    assert np.abs(flights.state.v_WBcm_W).max() < 1e-12  # it hangs in the air
    assert batch.qvel[0, 2] < -0.1  # the other does not
    assert np.abs(batch.xpos[:, 2] - flights.state.p_WBcm).max() < 1e-15


def test_keyframes_and_names():
    flight = Flight(lw.load(TWO), "left", start="high")
    assert flight.state.p_WBcm[2] == 9.0 and flight.body.name == "left"
    flight.step()
    flight.reset()
    assert flight.state.p_WBcm[2] == 9.0
    flight.reset_to(None)
    assert flight.state.p_WBcm[2] == 0.0 and "left" in repr(flight)


def test_loading_copies_the_model():
    m = lw.load(TWO)
    Flight(m, "left", interval=0.5)
    assert m.opt.timestep == 0.002


def test_numbers_of_a_body_arrive_to_the_bit():
    made = RigidBody(1 / 3, np.diag([0.1, 0.2, 0.3]) / 3, gravity=(0, 0, 1 / 7), name='a "b" & <c>')
    m = lw.load(made.xml({"k": START.mujoco()}))
    assert m.body_mass[1] == 1 / 3 and m.opt.gravity[2] == 1 / 7
    assert m.mj.body(1).name == 'a "b" & <c>'
    assert np.array_equal(m.key_qpos[0], START.mujoco()[0])


MISTAKES = {
    "gravity must be three numbers [m/s^2]; got -9.81": lambda: body(gravity=-9.81),
    "no integrator 'rk4'; there are 'Euler', 'RK4'": lambda: body(integrator="rk4"),
    "no place 'bodies' (did you mean 'body'": lambda: body(extra_xml={"bodies": ""}),
    "timestep must be positive [s]; got 0": lambda: body(timestep=0),
    "mass must be positive; got -1": lambda: RigidBody(-1, INERTIA, gravity=(0, 0, 0)),
    "inertia must be symmetric": lambda: RigidBody(1, np.triu(np.ones((3, 3))), gravity=(0, 0, 0)),
    "mass must be a number [kg]; got '1'": lambda: RigidBody("1", INERTIA, gravity=(0, 0, 0)),
    "no body has the moments of inertia 1, 1 and 10": lambda: RigidBody(
        1, (1, 1, 10), gravity=(0, 0, 0)),
    "start must be a FlightState, or a keyframe by name or number; got dict": lambda: Flight(
        body(), start=START.ptera()),
    "time of the state must have shape (2,), or () for all; got (3,)": lambda: setattr(
        Flights(body(), 2), "state", replace(START, time=[0, 1, 2])),
    "substeps must be at least 1, got 0": lambda: Flight(body(), substeps=0),
    "interval must be a positive time [s], got -1": lambda: Flight(body(), interval=-1),
    "how many? Flights(model, nsim=1000)": lambda: Flights(body()),
    "one body has to be free, and this model has left, right: name one": lambda: Flight(TWO),
    "body 'lamp' has no free joint; bodies that have: left, right": lambda: Flight(TWO, "lamp"),
    "this model has none: give it a <freejoint/>": lambda: Flight(
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"),
    "f_W must have shape (3,); got (2,)": lambda: Flight(body()).apply_loads([1, 2]),
    "f_W must be three numbers, got 'up'": lambda: Flight(body()).apply_loads("up"),
    "t_Bcm_W has nan at index (1,)": lambda: Flight(body()).apply_loads(
        [0, 0, 0], [0, np.nan, 0]),
    "f_W must have shape (4, 3), or (3,) for all; got (3, 3)": lambda: Flights(
        body(), 4).apply_loads(np.zeros((3, 3))),
    "state must be a FlightState, got dict: FlightState.from_ptera": lambda: setattr(
        Flight(body()), "state", START.ptera()),
    "loads must return a force and a moment, (f_W, t_Bcm_W); got None": lambda: Flight(
        body()).step(loads=lambda state: None),
    "n must not be negative, got -1": lambda: Flight(body()).step(-1),
    "this Batch has 2 worlds: leave nsim out": lambda: Flights(lw.Batch(lw.load(TWO), 2), 3),
}  # fmt: skip


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes(words):
    with pytest.raises((lw.LanewiseError, ValueError, TypeError), match=re.escape(words)):
        MISTAKES[words]()
