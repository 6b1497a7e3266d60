"""Wings in the air: the kernel against the same formulas in NumPy, which MuJoCo calls."""

import re

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.flight import Air, Flight, Flights, FlightState, RigidBody, Surface
from lanewise.flight.strip_loads import COLUMNS, SOFT

BODY = RigidBody(
    1.0, [[0.1, 0.0, 0.01], [0.0, 0.08, 0.0], [0.01, 0.0, 0.17]], gravity=(0, 0, -9.81),
    com=(0.03, 0.0, -0.01),
)  # fmt: skip
WING = Surface((0.02, 0.5, 0.02), (0.2, 0, 0.01), (0, 1, 0.08), aspect=10, zero_lift=-2)
TAIL = Surface((-0.8, 0, 0), (0.12, 0, 0), (0, 0.4, 0), strips=4)
FIN = Surface((-0.8, 0, 0.1), (0.12, 0, 0), (0, 0, 0.2), strips=3)
PLANE = [WING, WING.mirrored(), TAIL, FIN]
TUMBLING = FlightState([0, 0, 50], [0.8, 0, 0.6, 0], [9, 2, -1], [3.0, -4.0, 2.0])


def twin(strips, density, wind, R, v, w):
    """Force and torque in body axes, about the origin: strip by strip, by the textbook."""
    force, torque = np.zeros(3), np.zeros(3)
    for row in strips:
        s = dict(zip(COLUMNS[9:], row[9:]))
        r, c, n = row[0:3], row[3:6], row[6:9]
        u = R.T @ (v - wind) + np.cross(w, r)
        u = (u @ c) * c + (u @ n) * n
        speed = np.linalg.norm(u)
        if speed == 0.0:
            continue
        drag_way, lift_way = -u / speed, np.cross(np.cross(n, c), u) / speed
        if lift_way @ n * (u @ c) < 0.0:  # whichever way the cross products go
            lift_way = -lift_way
        a = np.arctan2(-(u @ n), u @ c) - s["zero lift"]
        lost = 1.0 / (1.0 + np.exp(-(abs(a) - s["stall"]) / SOFT))
        CL = (1 - lost) * s["lift slope"] * a + lost * np.sin(2 * a)
        CD = s["drag"] + (1 - lost) * s["induced drag"] * (s["lift slope"] * a) ** 2
        CD += lost * 2 * np.sin(a) ** 2
        f = 0.5 * density * speed**2 * s["area"] * (CL * lift_way + CD * drag_way)
        force += f
        torque += np.cross(r, f)
    return force, torque


@pytest.mark.parametrize("start", [TUMBLING, FlightState([0, 0, 50], [1, 0, 0, 0], [10, 0, -1],
                                                         [0, 0, 0])])  # fmt: skip
def test_a_flight_is_mujocos_with_the_same_forces(start):
    air = Air(PLANE, density=1.1, wind=(1.0, -2.0, 0.5))
    flight = Flight(air.load(BODY), interval=0.01, start=start)
    m = mujoco.MjModel.from_xml_string(BODY.xml())
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = start.mujoco(com=BODY.com)

    def passive(m, d):
        R = d.xmat[1].reshape(3, 3)
        f, t = twin(air.strips, 1.1, air.wind, R, d.qvel[:3], d.qvel[3:])
        d.qfrc_passive[:3] += R @ f
        d.qfrc_passive[3:] += t

    mujoco.set_mjcb_passive(passive)
    try:
        for _ in range(60):
            mujoco.mj_step(m, d)
    finally:
        mujoco.set_mjcb_passive(None)
    flight.step(60)
    qpos, qvel = flight.state.mujoco(com=BODY.com)
    assert np.abs(qpos - d.qpos).max() < 1e-9 and np.abs(qvel - d.qvel).max() < 1e-8
    assert np.abs(qvel - start.mujoco(com=BODY.com)[1]).max() > 0.1  # something happened


def test_it_glides():
    start = FlightState([0, 0, 50], [1, 0, 0, 0], [10, 0, -0.5], [0, 0, 0])
    flight = Flight(Air(PLANE).load(BODY), interval=0.01, start=start)
    flight.step(1000)
    state = flight.state
    far, down = state.p_WBcm[0], 50.0 - state.p_WBcm[2]
    assert far > 60.0 and 0.0 < down < far / 5.0
    assert abs(state.p_WBcm[1]) < 1e-9  # straight on: left and right are alike


def test_wind_carries_it():
    """In air that moves all is as in air at rest, seen from the air."""
    wind = np.array([3.0, 1.0, 0.5])
    still = Flight(Air(PLANE).load(BODY), start=TUMBLING)
    blown = FlightState(TUMBLING.p_WBcm, TUMBLING.q_WB, TUMBLING.v_WBcm_W + wind, TUMBLING.w_WB_B)
    moved = Flight(Air(PLANE, wind=wind).load(BODY), start=blown)
    for flight in (still, moved):
        flight.step(100)
    assert np.abs(moved.state.p_WBcm - still.state.p_WBcm - wind).max() < 1e-9
    assert np.abs(moved.state.q_WB - still.state.q_WB).max() < 1e-9


def test_winds_of_worlds():
    flights = Flights(Air(PLANE).load(BODY), 10, start=TUMBLING)
    wind = flights.batch.parameters.expand("wind")
    wind[:] = np.random.default_rng(0).normal(size=(10, 3))
    flights.step(50)
    one = Flight(Air(PLANE, wind=wind[7]).load(BODY), start=TUMBLING)
    one.step(50)
    assert np.array_equal(flights.state.p_WBcm[7], one.state.p_WBcm)


def test_loads_from_outside_come_on_top():
    falls, held = (Flight(Air([TAIL], density=0.0).load(BODY)) for _ in range(2))
    held.apply_loads([0, 0, 9.81])
    for flight in (falls, held):
        flight.step(10)
    assert np.abs(held.state.v_WBcm_W).max() < 1e-12 and falls.state.v_WBcm_W[2] < -0.9


def test_lift_of_an_elliptic_wing():
    """The slope of lifting-line theory, and no lift at the angle without."""
    wing = Surface((0, 0, 0), (0.5, 0, 0), (0, 4.0, 0), zero_lift=-3, drag=0.0)

    def lift(degrees):
        a = np.deg2rad(degrees)
        v = 10.0 * np.array([np.cos(a), 0.0, -np.sin(a)])
        return twin(wing.rows(), 1.0, np.zeros(3), np.eye(3), v, np.zeros(3))[0]

    assert abs(lift(-3.0)[2]) < 1e-9
    slope = (np.linalg.norm(lift(-2.0)) / (0.5 * 100.0 * 2.0)) / np.deg2rad(1.0)
    assert abs(slope - 2 * np.pi * 8 / 10) < 0.02


def test_the_mirrored_half():
    rows, other = WING.rows(), WING.mirrored().rows()
    flip = np.tile([1, -1, 1], 3)
    assert np.abs(np.sort(other[:, 1]) - np.sort(-rows[:, 1])).max() < 1e-15
    assert np.abs(other[::-1, :9] * flip - rows[:, :9]).max() < 1e-15
    assert np.array_equal(other[:, 9:], rows[:, 9:])
    assert abs(rows[:, 9].sum() - 0.2 * np.sqrt(1.0025) * np.hypot(1, 0.08)) < 1e-4


MISTAKES = {
    "chord and span must not be parallel": lambda: Surface((0, 0, 0), (1, 0, 0), (2, 0, 0)),
    "at must be three numbers": lambda: Surface((0, 0), (1, 0, 0), (0, 2, 0)),
    "strips must be a whole number, 1 or more; got 0": lambda: Surface(
        (0, 0, 0), (1, 0, 0), (0, 2, 0), strips=0
    ),
    "aspect must be positive": lambda: Surface((0, 0, 0), (1, 0, 0), (0, 2, 0), aspect=0),
    "a list of one or more Surface": lambda: Air([]),
    "density must not be negative [kg/m^3]; got -1": lambda: Air([TAIL], density=-1),
    "wind must be three numbers [m/s]; got (1, 2)": lambda: Air([TAIL], wind=(1, 2)),
    "Air([wing, tail])": lambda: Air(TAIL),
    "leave passive= out": lambda: Air([TAIL]).load(BODY, passive=None),
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes(words):
    with pytest.raises(lw.ConventionError, match=re.escape(words)):
        MISTAKES[words]()
