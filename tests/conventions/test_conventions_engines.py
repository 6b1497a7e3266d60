"""Conversions against the engines themselves.

tests/engines/dump_*.py have put one crooked body into each engine and written down its numbers in
the engine's own layout, and what the engine says of four points of the body (engines/fixtures).
Here the numbers of each engine are converted to every other, and the points are compared with what
the numbers mean. For systems that cannot be installed, engines/known.py says the numbers.

Tolerances are the fixtures' own: 1e-12 of double and 1e-5 of single precision, relative to the
largest number of a row but at least to 1.
"""

import importlib.util
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from engines import crooked, known
from lanewise.conventions import (
    SYSTEMS,
    Body,
    convert_free_force,
    convert_free_state,
    convert_wrench,
)
from support.places import ENGINES, ROOT

FIXTURES = {name: crooked.load(name) for name in crooked.names()}
BODY = Body(com=crooked.COM, mass=crooked.MASS, inertia=crooked.INERTIA)
KNOWN = known.stacked()

# the reference that everything goes by, as a row
PLAIN = replace(SYSTEMS["mujoco"], name="plain", angular_basis="world", wrench_point="origin")

# script -> what it imports; of requirements-engines.lock; dumped again by every run of CI
LIGHT = {
    "mujoco": "mujoco", "drake": "pydrake", "pinocchio": "pinocchio", "pybullet": "pybullet",
    "scipy": "scipy", "usd": "pxr",
}  # fmt: skip


def column(name, what):
    """One quantity of all states of a fixture"""
    return np.array([state[what] for state in FIXTURES[name]["states"]])


def force(name, what):
    """(6-vectors, accelerations of points or None) of all states"""
    pairs = [state[what] for state in FIXTURES[name]["states"]]
    by = None if pairs[0][1] is None else np.array([pair[1] for pair in pairs])
    return np.array([pair[0] for pair in pairs]), by


def having(what):
    return [name for name, made in FIXTURES.items() if what in made["states"][0]]


def good_to(name, what):
    made = FIXTURES[name]
    return 1e-5 if what in made.get("single", ()) else made["tolerance"]


def off(a, b):
    """The largest difference, relative to the largest number of a row but at least to 1"""
    a, b = (np.reshape(x, (len(x), -1)) for x in (a, b))
    return float((np.abs(a - b).max(-1) / np.maximum(1.0, np.abs(b).max(-1))).max())


def pose_off(a, b, row):
    """As `off`; q and -q are the same rotation."""
    first, last = (3, 7) if row.pose_layout == "position_first" else (0, 4)
    b = b.copy()
    b[:, first:last] *= np.sign((a * b)[:, first:last].sum(-1, keepdims=True))
    return off(a, b)


# ---- one engine's numbers as another's


@pytest.mark.parametrize("source", FIXTURES)
def test_states_of_all_pairs_of_engines(source):
    a = SYSTEMS[FIXTURES[source]["system"]]
    for target, made in FIXTURES.items():
        b = SYSTEMS[made["system"]]
        q, v = convert_free_state(column(source, "q"), column(source, "v"), a, b, body=BODY)
        most = max(good_to(source, "q"), good_to(target, "q"))
        assert pose_off(q, column(target, "q"), b) < most, target
        most = max(most, good_to(source, "v"), good_to(target, "v"))
        assert off(v, column(target, "v")) < most, target


@pytest.mark.parametrize("source", having("wrench"))
def test_wrenches_of_all_pairs_of_engines(source):
    a = SYSTEMS[FIXTURES[source]["system"]]
    for target in having("wrench"):
        b = SYSTEMS[FIXTURES[target]["system"]]
        given, _ = force(source, "wrench")
        got = convert_wrench(given, a, b, pose=column(target, "q"), body=BODY)
        most = max(good_to(source, "q"), good_to(target, "q"))
        assert off(got, force(target, "wrench")[0]) < most, target


@pytest.mark.parametrize("source", having("free_force"))
def test_generalized_forces_of_all_pairs_of_engines(source):
    a = SYSTEMS[FIXTURES[source]["system"]]
    for target in having("free_force"):
        b = SYSTEMS[FIXTURES[target]["system"]]
        given, _ = force(source, "free_force")
        got = convert_free_force(given, a, b, pose=column(target, "q"), body=BODY)
        most = max(good_to(source, "q"), good_to(target, "q"))
        assert off(got, force(target, "free_force")[0]) < most, target


# ---- what the numbers mean, against what the engine says of points of the body


def meaning(name):
    """(p_WBo, R_WB, v_WBo_W, w_WB_W) of all states, from a fixture's numbers"""
    row = SYSTEMS[FIXTURES[name]["system"]]
    q, v = convert_free_state(column(name, "q"), column(name, "v"), row, PLAIN, body=BODY)
    return q[:, :3], np.array([matrix(x) for x in q[:, 3:]]), v[:, :3], v[:, 3:]


def matrix(wxyz):
    """R of a quaternion, by the identity q (0, v) q* on the three axes"""
    w, u = wxyz[0], wxyz[1:]
    return np.array([x + 2 * w * np.cross(u, x) + 2 * np.cross(u, np.cross(u, x))
                     for x in np.eye(3)]).T  # fmt: skip


@pytest.mark.parametrize("name", having("points"))
def test_points_are_where_the_engine_has_them(name):
    p, R, _, _ = meaning(name)
    points = p[:, None] + np.einsum("nij,kj->nki", R, crooked.POINTS)
    assert off(points, column(name, "points")) < FIXTURES[name]["placed"]


@pytest.mark.parametrize("name", having("point_velocities"))
def test_points_move_as_in_the_engine(name):
    _, R, v, w = meaning(name)
    arms = np.einsum("nij,kj->nki", R, crooked.POINTS)
    velocities = v[:, None] + np.cross(w[:, None], arms)
    assert off(velocities, column(name, "point_velocities")) < FIXTURES[name]["difference"]


def accelerations(name, F):
    """Of the points, by Newton and Euler, from a wrench in world axes about the body's origin"""
    _, R, _, _ = meaning(name)
    com, f, t = R @ crooked.COM, F[:, :3], F[:, 3:]
    t = t - np.cross(com, f)  # about the centre of mass
    I_W = R @ crooked.INERTIA @ np.swapaxes(R, -1, -2)
    alpha = np.linalg.solve(I_W, t[..., None])[..., 0]
    arms = np.einsum("nij,kj->nki", R, crooked.POINTS - crooked.COM)
    return f[:, None] / crooked.MASS + np.cross(alpha[:, None], arms)


FORCES = [(what, name) for what in ("wrench", "free_force") for name in having(what)
          if force(name, what)[1] is not None]  # fmt: skip


@pytest.mark.parametrize(("what", "name"), FORCES)
def test_forces_accelerate_as_in_the_engine(what, name):
    row = SYSTEMS[FIXTURES[name]["system"]]
    convert = convert_wrench if what == "wrench" else convert_free_force
    given, by = force(name, what)
    F = convert(given, row, PLAIN, pose=column(name, "q"), pose_system=row, body=BODY)
    assert off(accelerations(name, F), by) < FIXTURES[name]["difference"]


@pytest.mark.parametrize(("what", "target"), FORCES)
def test_forces_of_other_engines_accelerate_the_same(what, target):
    """A force of each engine, converted to this one's, does what this engine has measured."""
    row = SYSTEMS[FIXTURES[target]["system"]]
    convert = convert_wrench if what == "wrench" else convert_free_force
    pose, by = column(target, "q"), force(target, what)[1]
    for source in having(what):
        given, _ = force(source, what)
        a = SYSTEMS[FIXTURES[source]["system"]]
        there = convert(given, a, row, pose=pose, body=BODY)
        F = convert(there, row, PLAIN, pose=pose, pose_system=row, body=BODY)
        assert off(accelerations(target, F), by) < max(FIXTURES[target]["difference"], 1e-5), source


# ---- cells that no conversion of states uses


@pytest.mark.parametrize("name", having("quaternion_text"))
def test_quaternions_in_text(name):
    """What a constructor, an argument or a file was given, or has printed"""
    row = SYSTEMS[FIXTURES[name]["system"]]
    text = replace(row, quaternion=row.quaternion_text)
    p = np.zeros((len(crooked.STATES), 3))
    own = np.c_[p, column(name, "quaternion_text")]
    if row.pose_layout == "rotation_first":
        own = np.roll(own, 4, axis=-1)
    got, _ = convert_free_state(own, None, text, row, body=BODY)
    expected = column(name, "q").copy()
    expected[:, slice(0, 3) if row.pose_layout == "position_first" else slice(4, 7)] = 0.0
    assert pose_off(got, expected, row) < good_to(name, "q")


@pytest.mark.parametrize("name", having("matrix"))
def test_matrices(name):
    row = SYSTEMS[FIXTURES[name]["system"]]
    axes = crooked.R_BI if row.pose_axes == "principal" else np.eye(3)
    R = np.array([state.R @ axes for state in crooked.STATES])
    R = R if row.matrix == "columns" else np.swapaxes(R, -1, -2)
    assert off(column(name, "matrix"), R) < FIXTURES[name]["tolerance"]


AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@pytest.mark.parametrize(
    "name", [n for n, made in FIXTURES.items() if {"gravity", "up"} & set(made)]
)
def test_up_and_the_unit_of_length(name):
    made, row = FIXTURES[name], SYSTEMS[FIXTURES[name]["system"]]
    if "up" in made:
        assert (row.up, {"m": 1.0, "cm": 0.01}[row.length_unit]) == (
            made["up"], made["meters_per_unit"])  # fmt: skip
        return
    sign = -1.0 if row.up.startswith("-") else 1.0
    g = 9.81 if row.length_unit == "m" else 981.0
    up = sign * np.array(AXES[row.up.removeprefix("-")])
    assert made["gravity"] == pytest.approx(-g * up, rel=1e-6)


def test_exponential_coordinates_of_scipy():
    """Small motions of its transforms are the twists of Modern Robotics, in this order."""
    said = column("scipy", "exponential_coordinates")
    for k, frame in enumerate(("body", "spatial")):
        assert off(said[:, k], column(f"modern_robotics_{frame}", "v")) < 1e-9
    row = SYSTEMS["scipy"]
    w, v = said[:, 1, :3], said[:, 1, 3:]  # of the spatial one, v is at the world's origin
    at_origin = np.c_[w, v + np.cross(w, column("scipy", "q")[:, :3])]
    own = at_origin if row.order == "angular_first" else np.roll(at_origin, 3, axis=-1)
    assert off(own, column("scipy", "v")) < 1e-9


def test_usd_velocities_are_what_physx_makes_of_them():
    """The velocity that PhysX has after reading the attributes is that of its own layout."""
    usd = column("usd_physx", "q"), column("usd_physx", "v")
    _, v = convert_free_state(*usd, "usd", "physx", body=BODY)
    assert off(v, column("usd_physx", "v_physx")) < 1e-5


def test_smpl_turns_about_the_pelvis():
    """The row's position is J0 + transl, and not transl, which is elsewhere."""
    there = column("smpl", "transl") + column("smpl", "pelvis")
    assert off(there, column("smpl", "q")[:, :3]) < 1e-12
    assert off(column("smpl", "transl"), column("smpl", "q")[:, :3]) > 0.05


# ---- all systems


@pytest.mark.parametrize("name", FIXTURES)
def test_known_values_are_those_of_the_engines(name):
    """engines/known.py has a line for every system; this is how its lines are known."""
    q, v, wrench, free_force = KNOWN[FIXTURES[name]["system"]]
    row = SYSTEMS[FIXTURES[name]["system"]]
    assert pose_off(column(name, "q"), q, row) < good_to(name, "q")
    assert off(column(name, "v"), v) < good_to(name, "v")
    for what, numbers in (("wrench", wrench), ("free_force", free_force)):
        if name in having(what):
            assert off(force(name, what)[0], numbers) < good_to(name, "q")


def test_every_system_is_known():
    assert list(KNOWN) == list(SYSTEMS)
    without = set(SYSTEMS) - {made["system"] for made in FIXTURES.values()}
    assert without == {"isaaclab-3", "isaacsim", "isaacgym", "bvh", "sonic"}


@pytest.mark.parametrize("source", SYSTEMS)
def test_all_pairs_of_systems(source):
    q, v, wrench, free_force = KNOWN[source]
    for target in SYSTEMS:
        q2, v2, wrench2, free_force2 = KNOWN[target]
        got_q, got_v = convert_free_state(q, v, source, target, body=BODY)
        assert pose_off(got_q, q2, SYSTEMS[target]) < 1e-12, target
        assert off(got_v, v2) < 1e-12, target
        got = convert_wrench(wrench, source, target, pose=q2, body=BODY)
        assert off(got, wrench2) < 1e-12, target
        got = convert_free_force(free_force, source, target, pose=q2, body=BODY)
        assert off(got, free_force2) < 1e-12, target


# ---- the fixtures themselves


@pytest.mark.parametrize("name", FIXTURES)
def test_fixture_says_what_it_is(name):
    made = FIXTURES[name]
    assert (ENGINES / made["script"]).is_file()
    assert made["system"] in SYSTEMS and made["version"]
    assert crooked.agrees(made) == []


@pytest.mark.parametrize("what", ["points", "point_velocities", "wrench"])
def test_a_wrong_state_is_refused_when_it_is_dumped(what):
    made = json.loads(json.dumps(FIXTURES["drake"]))
    numbers = made["states"][1][what]
    (numbers[1] if what == "wrench" else numbers)[0][0] += 1e-9
    assert len(crooked.agrees(made)) == 1


@pytest.mark.parametrize("name", LIGHT)
def test_fixture_is_of_the_locked_version(name):
    locks = ("requirements.lock", "requirements-engines.lock")
    lock = [line for name in locks for line in (ROOT / name).read_text().split()]
    made = FIXTURES[name]
    assert f"{made['engine']}=={made['version']}" in lock


# what comes by finite differences in some engines
DIFFERENCES = {"point_velocities", "wrench", "free_force", "exponential_coordinates"}


def close(now, then, made, most):
    """Whether two fixtures say the same: words equal, numbers within `most`"""
    if isinstance(then, dict):
        return now.keys() == then.keys() and all(
            close(now[k], then[k], made, made["difference"] if k in DIFFERENCES else most)
            for k in then)  # fmt: skip
    if isinstance(then, list):
        return len(now) == len(then) and all(close(*pair, made, most) for pair in zip(now, then))
    if isinstance(then, float):
        return abs(now - then) <= most * max(1.0, abs(then))
    return now == then


@pytest.mark.parametrize("name", LIGHT)
def test_engine_still_says_so(name):
    """In a process of its own: some engines bring libraries that others bring too."""
    if importlib.util.find_spec(LIGHT[name]) is None:
        pytest.skip(f"{LIGHT[name]} is not installed")
    script = ENGINES / f"dump_{name}.py"
    run = subprocess.run([sys.executable, script, "-"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    now = json.loads(run.stdout[run.stdout.index("{") :])  # PyBullet greets first
    then = dict(FIXTURES[name])
    if now["version"] != then["version"]:  # then it is about the numbers
        now.pop("version"), then.pop("version")
    assert close(now, then, then, then["tolerance"])
