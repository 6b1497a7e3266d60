"""Notations of a free body's motion, against the rows of conventions, which engines have tested."""

import re

import numpy as np
import pytest

import lanewise as lw
from lanewise import conventions as cv
from lanewise.flight import FlightState

COM = np.array([0.1, -0.2, 0.05])


def joint(n=5, seed=0):
    """qpos and qvel of free joints."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    return np.hstack([rng.normal(size=(n, 3)), q]), rng.normal(size=(n, 6))


def test_mujoco_and_ptera():
    qpos, qvel = joint()
    state = FlightState.from_mujoco(qpos, qvel, com=COM, time=2.0)
    said = state.ptera()
    q, v = cv.convert_free_state(qpos, qvel, "mujoco", "ptera", body=cv.Body(com=COM))
    assert np.abs(said["position_E_Eo"] - q[:, :3]).max() < 1e-14
    passive = lw.frames.quat_to_mat(q[:, 3:]).reshape(-1, 3, 3)
    assert np.abs(said["R_pas_E_to_BP1"] - passive).max() < 1e-14
    assert np.abs(said["velocity_E__E"] - v[:, :3]).max() < 1e-14
    assert np.abs(said["omegas_BP1__E"] - v[:, 3:]).max() < 1e-12
    assert said["time"] == 2.0


def test_there_and_back():
    qpos, qvel = joint()
    state = FlightState.from_mujoco(qpos, qvel, com=COM)
    again = FlightState.from_ptera(state.ptera())
    q, v = again.mujoco(com=COM)
    sign = np.sign((q[:, 3:] * qpos[:, 3:]).sum(1, keepdims=True))
    assert np.abs(q[:, :3] - qpos[:, :3]).max() < 1e-14
    assert np.abs(sign * q[:, 3:] - qpos[:, 3:]).max() < 1e-14
    assert np.abs(v - qvel).max() < 1e-14


def test_columns_are_the_axes_of_the_body():
    quarter = FlightState(np.zeros(3), [np.sqrt(0.5), 0, np.sqrt(0.5), 0], np.zeros(3), [1, 0, 0])
    assert np.abs(quarter.R_WB[:, 0] - [0, 0, -1]).max() < 1e-15  # seed: forward points down
    assert np.abs(quarter.ptera()["R_pas_E_to_BP1"] - quarter.R_WB.T).max() == 0.0


def test_arrays_are_the_readers_own():
    qpos, qvel = joint(1)
    state = FlightState.from_mujoco(qpos[0], qvel[0])
    state.ptera()["position_E_Eo"][:] = 9.0
    qpos[:] = 9.0
    assert np.abs(state.p_WBcm).max() < 9.0 and np.abs(state.q_WB).max() < 9.0


def test_a_quaternion_of_mujocos_is_made_unit_as_mujoco_does():
    state = FlightState.from_mujoco([0, 0, 0, 2, 0, 0, 0], np.zeros(6))
    assert np.array_equal(state.q_WB, [1, 0, 0, 0])
    state = FlightState.from_mujoco([0, 0, 0, 0, 0, 0, 0], np.zeros(6))
    assert np.array_equal(state.q_WB, [1, 0, 0, 0])


GOOD = FlightState(np.zeros(3), [1, 0, 0, 0], np.zeros(3), np.zeros(3))
MISTAKES = {
    "q_WB must be of unit length, to 1e-06; got 2": lambda: FlightState(
        np.zeros(3), [2, 0, 0, 0], np.zeros(3), np.zeros(3)),
    "p_WBcm must have shape (3,), or (..., *(3,)); got (2,)": lambda: FlightState(
        np.zeros(2), [1, 0, 0, 0], np.zeros(3), np.zeros(3)),
    "v_WBcm_W must be an array of numbers, got 'fast'": lambda: FlightState(
        np.zeros(3), [1, 0, 0, 0], "fast", np.zeros(3)),
    "time must be an array of numbers, got 'now'": lambda: FlightState(
        np.zeros(3), [1, 0, 0, 0], np.zeros(3), np.zeros(3), "now"),
    "has no key 'position' (did you mean 'position_E_Eo'?)": lambda: FlightState.from_ptera(
        {"position": 0}),
    "there is no velocity_E__E, omegas_BP1__E": lambda: FlightState.from_ptera(
        {"position_E_Eo": np.zeros(3), "R_pas_E_to_BP1": np.eye(3)}),
    "R_pas_E_to_BP1 must be a rotation matrix": lambda: FlightState.from_ptera(
        {**GOOD.ptera(), "R_pas_E_to_BP1": np.ones((3, 3))}),
}  # fmt: skip


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes(words):
    with pytest.raises(lw.ConventionError, match=re.escape(words)):
        MISTAKES[words]()
