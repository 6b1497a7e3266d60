"""Detection: every convention, what theory says cannot be told, bad logs, and logs of real engines.

Logs are motions of MuJoCo or by formula, encoded by detect_logs.py, which has nothing of the
package. What can be told is found by trying all 384 readings with plain differences, in `theory`.
"""

import numpy as np
import pytest

from lanewise import conventions as cv
from lanewise.conventions import ConventionError
from support.detect_logs import (
    CHOICES,
    COM,
    CONVENTIONS,
    MOTIONS,
    MUJOCO,
    NEWTON,
    encode,
    prescribed,
    simulate,
)
from support.places import ENGINES

LOGS = sorted((ENGINES / "logs").glob("*.npz"))
POINTS = {"pose_point", "velocity_point"}


@pytest.fixture(scope="module")
def flight():
    return simulate(400, dt=2e-3)


@pytest.fixture(scope="module")
def thrown():
    return simulate(1000)


@pytest.fixture(scope="module")
def bouncing():
    return simulate(1500, dt=2e-3, floor=True)


def detected(motion, words, com=COM):
    return cv.detect(*encode(motion, words), motion.dt, com)


def check(d, words, undecided=(), up=None):
    """Every attribute is right, or undecided where it must be."""
    assert set(d.undecided) == set(undecided), d.undecided
    for name, value in {**words, **({"up": up} if up else {})}.items():
        assert getattr(d, name) == ("undecided" if name in undecided else value), name
        assert d.decided(name) == (name not in undecided)
        assert value in d.possible[name]


# ---- every convention


@pytest.mark.parametrize("quaternion", CHOICES["quaternion"])
@pytest.mark.parametrize("rotation", CHOICES["rotation"])
def test_every_convention_in_flight(flight, quaternion, rotation):
    """384 of them, all attributes, of 24 rows of free flight."""
    short = flight[:24]
    for words in CONVENTIONS:
        if (words["quaternion"], words["rotation"]) == (quaternion, rotation):
            d = detected(short, words)
            check(d, words, up="z")
            assert d.next_residual > 10 * d.residual
            np.testing.assert_allclose(d.gravity, (0, 0, -9.81), atol=0.1)


@pytest.mark.parametrize("words", CONVENTIONS[3::23], ids=lambda w: "-".join(w.values()))
def test_without_com(flight, words):
    """The offset is found, except if the logged point is the centre of mass itself."""
    d = detected(flight, words, com=None)
    pair = words["pose_point"], words["velocity_point"]
    undecided = {("com", "com"): POINTS, ("com", "world_origin"): {"pose_point"}}.get(pair, ())
    check(d, words, undecided, up="z")
    if not undecided:
        np.testing.assert_allclose(d.com, COM, atol=0.03)
    else:
        assert "the logged point is the centre of mass" in d.undecided["pose_point"]


@pytest.mark.parametrize("words", CONVENTIONS[7::41], ids=lambda w: "-".join(w.values()))
def test_without_gravity(words):
    d = detected(simulate(800, dt=2e-3, gravity=(0, 0, 0)), words)
    check(d, words, {"up"})
    assert not d.gravity.any()
    assert "no gravity" in d.undecided["up"]


@pytest.mark.parametrize("axis", ["x", "y", "z", "-x", "-y", "-z"])
def test_up(axis):
    gravity = np.zeros(3)
    gravity["xyz".index(axis[-1])] = 9.81 if axis[0] == "-" else -9.81
    d = detected(simulate(200, dt=2e-3, gravity=gravity), NEWTON)
    check(d, NEWTON, up=axis)
    np.testing.assert_allclose(d.gravity, gravity, atol=0.01)


def test_gravity_of_another_planet():
    """Told by the tumbling, which is that of a free body."""
    d = detected(simulate(800, dt=2e-3, gravity=(0, 1.62, 0)), NEWTON)
    check(d, NEWTON, up="-y")


# ---- what cannot be told


def theory(motion, words):
    """What each attribute can be: decode by all readings, compare with central differences."""
    at = np.arange(1, len(motion.p) - 1, 12)
    number = len(at)
    log = encode(motion, words)
    pos, q, V = (np.concatenate([x[at - 1], x[at], x[at + 1]]) for x in log)
    errors = []
    for c in CONVENTIONS:
        w0, x, y, z = (q if c["quaternion"] == "wxyz" else q[:, [3, 0, 1, 2]]).T
        R = np.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - w0 * z), 2 * (x * z + w0 * y)],
            [2 * (x * y + w0 * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w0 * x)],
            [2 * (x * z - w0 * y), 2 * (y * z + w0 * x), 1 - 2 * (x * x + y * y)],
        ]).transpose(2, 0, 1)  # fmt: skip
        R = R.transpose(0, 2, 1) if c["rotation"] == "passive" else R
        arm = R @ COM
        p = pos - arm if c["pose_point"] == "com" else pos
        v, w = (V[:, :3], V[:, 3:]) if c["order"] == "linear_first" else (V[:, 3:], V[:, :3])
        w = np.radians(w) if c["angular_unit"] == "deg" else w
        w = np.einsum("nij,nj->ni", R, w) if c["angular_basis"] == "body" else w
        v = np.einsum("nij,nj->ni", R, v) if c["linear_basis"] == "body" else v
        v = v - np.cross(
            w, {"origin": 0 * arm, "com": arm, "world_origin": -p}[c["velocity_point"]]
        )
        moved, turned = ((y[2 * number :] - y[:number]) / (2 * motion.dt) for y in (p, R))
        v, w, R = (y[number : 2 * number] for y in (v, w, R))
        spin = np.cross(w[:, :, None], R, axis=1)
        errors.append(max(np.abs(moved - v).max(), np.abs(turned - spin).max()))
    fitting = [c for c, e in zip(CONVENTIONS, errors) if e < 1e-3]
    assert words in fitting
    return {name: {c[name] for c in fitting} for name in CHOICES}


@pytest.mark.parametrize("words", [MUJOCO, CONVENTIONS[350]], ids=["mujoco", "350"])
@pytest.mark.parametrize("name", MOTIONS)
def test_exactly_what_the_motion_shows(name, words):
    """Not in flight, so points that move alike stay undecided too."""
    motion = prescribed(*MOTIONS[name], steps=500)
    possible = theory(motion, words)
    d = detected(motion, words)
    check(d, words, {name for name, values in possible.items() if len(values) > 1} | {"up"})
    for attribute, values in possible.items():
        assert set(d.possible[attribute]) == values
    assert all(len(reason) > 8 for reason in d.undecided.values())


def test_degenerate_motions_by_name():
    """What the truth file lists."""
    told = {
        "no rotation": {"quaternion", "rotation", "angular_basis", "angular_unit", *POINTS},
        "level spin": {"linear_basis", "angular_basis", *POINTS},
        "planar yaw": {"angular_basis", *POINTS},
        "tiny rotations": {"angular_basis", *POINTS},
        "at rest": {*CHOICES},
    }
    for name, undecided in told.items():
        d = detected(prescribed(*MOTIONS[name], steps=500), MUJOCO)
        assert set(d.undecided) == undecided | {"up"}, name
    assert d.undecided["order"] == "nothing moves"


@pytest.mark.parametrize("com", [np.zeros(3), None])
def test_zero_offset(com):
    d = detected(simulate(400, dt=2e-3, com=np.zeros(3)), NEWTON, com=com)
    check(d, NEWTON, POINTS, up="z")
    if com is not None:
        assert "com is zero" in d.undecided["pose_point"]


def test_other_reasons():
    spin = detected(prescribed(*MOTIONS["level spin"], steps=300), MUJOCO)
    assert "linear velocity is zero" in spin.undecided["linear_basis"]
    assert "one axis" in spin.undecided["angular_basis"]
    tiny = detected(prescribed(*MOTIONS["tiny rotations"], steps=300), MUJOCO)
    assert "degrees at most" in tiny.undecided["angular_basis"]
    level = detected(prescribed(*MOTIONS["no rotation"], steps=300), MUJOCO)
    assert "does not turn" in level.undecided["quaternion"]


def test_velocities_that_fit_nothing():
    """Of another body: no verdict on anything that they were needed for."""
    motion = simulate(400, dt=2e-3)
    pos, q, _ = encode(motion, MUJOCO)
    twist = np.random.default_rng(1).normal(size=(400, 6))
    d = cv.detect(pos, q, twist, motion.dt, COM)
    assert {"quaternion", "rotation", "angular_basis", "linear_basis"} <= set(d.undecided)
    assert "no reading" in d.undecided["angular_basis"]


# ---- bad logs

WORDS = [MUJOCO, CONVENTIONS[77], CONVENTIONS[333]]


def _noisy(pos, q, V, rng, size=1e-4):
    q = q + size * rng.normal(size=q.shape)
    return pos + size * rng.normal(size=pos.shape), q, V


def _dropped(pos, q, V, rng):
    kept = rng.random(len(pos)) > 0.05
    return pos[kept], q[kept], V[kept]


def _missing(pos, q, V, rng):
    pos, V = pos.copy(), V.copy()
    pos[rng.random(len(pos)) < 0.05] = np.nan
    V[rng.random(len(pos)) < 0.05, 2] = np.inf
    return pos, q, V


SPOILED = {
    "noise": _noisy,
    "much noise": lambda *log: _noisy(*log, size=1e-3),
    "dropped frames": _dropped,
    "NaN": _missing,
    "signs": lambda pos, q, V, rng: (pos, q * rng.choice([-1, 1], (len(q), 1)), V),
    "single precision": lambda pos, q, V, rng: [x.astype(np.float32) for x in (pos, q, V)],
    "noise and dropped frames": lambda *log: _dropped(*_noisy(*log), log[3]),
    "ten samples": lambda pos, q, V, rng: (pos[50:60], q[50:60], V[50:60]),
    "a reset": lambda pos, q, V, rng: [np.concatenate([x[:400], x[100:]]) for x in (pos, q, V)],
    "noisy velocities": lambda pos, q, V, rng: (pos, q, V * (1 + 0.03 * rng.normal(size=V.shape))),
}  # fmt: skip


@pytest.mark.parametrize("words", WORDS, ids=lambda w: "-".join(w.values()))
@pytest.mark.parametrize("name", SPOILED)
def test_spoiled(name, words, thrown):
    rng = np.random.default_rng(5)
    d = cv.detect(*SPOILED[name](*encode(thrown, words), rng), thrown.dt, COM)
    check(d, words, up="z")


@pytest.mark.parametrize("words", WORDS, ids=lambda w: "-".join(w.values()))
def test_contacts(bouncing, words):
    check(detected(bouncing, words), words, up="z")


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "RK4"])
def test_integrators_and_decimation(integrator):
    for every in (1, 10):
        motion = simulate(100, dt=2e-3, integrator=integrator, every=every)
        for words in WORDS:
            check(detected(motion, words), words, up="z")


def test_times_instead_of_a_step(flight):
    rng = np.random.default_rng(0)
    kept = np.sort(rng.choice(400, 250, replace=False))
    log = [x[kept] for x in encode(flight, NEWTON)]
    d = cv.detect(*log, 2e-3 * kept + 17.0, COM)
    check(d, NEWTON, up="z")
    assert not d.notes or "missing" not in "".join(d.notes)


def test_notes(flight):
    pos, q, V = encode(flight, MUJOCO)
    pos[7], q[9] = np.nan, 0.0
    d = cv.detect(pos, q, V, flight.dt, COM)
    assert "1 of 400 rows have a NaN and were left out" in d.notes
    assert "1 quaternions are not of length 1; their rows were left out" in d.notes
    assert "velocities are those of the end of a step" in d.notes


def test_a_million_rows():
    """Only chunks of them are looked at."""
    motion = simulate(2000, dt=2e-3, gravity=(0, 0, 0))
    log = [np.tile(x.astype(np.float32), (500, 1)) for x in encode(motion, NEWTON)]
    d = cv.detect(*log, motion.dt, COM)
    check(d, NEWTON, {"up"})


def test_no_wrong_verdict_at_any_noise():
    """Noise of 1e-5 to 0.1: what is still decided is right."""
    motion = simulate(300, dt=2e-3)
    rng = np.random.default_rng(3)
    decided = []
    for size in np.geomspace(1e-5, 0.1, 12):
        words = CONVENTIONS[rng.integers(len(CONVENTIONS))]
        d = cv.detect(*_noisy(*encode(motion, words), rng, size), motion.dt, COM)
        for name, value in {**words, "up": "z"}.items():
            assert getattr(d, name) in (value, "undecided"), (size, name)
        decided.append(len(words) + 1 - len(d.undecided))
    assert decided[0] == 9 and min(decided[:5]) == 9 and decided[-1] < 5


# ---- logs of real engines


@pytest.mark.parametrize("path", LOGS, ids=lambda p: p.stem)
@pytest.mark.parametrize("known", [True, False], ids=["com", "no com"])
def test_real_engines(path, known):
    file = np.load(path, allow_pickle=False)
    row = cv.SYSTEMS[str(file["system"])]
    words = {name: getattr(row, name) for name in CHOICES}
    d = cv.detect(file["pos"], file["quat"], file["twist"], float(file["dt"]),
                  file["com"] if known else None)  # fmt: skip
    weightless = "weightless" in path.stem
    undecided = {"up"} if weightless else set()
    if not known and row.pose_point == row.velocity_point == "com":
        undecided |= POINTS
    check(d, words, undecided, up=None if weightless else row.up)
    assert row.name in d.systems
    assert d.residual < 1e-3 and d.next_residual > 30 * d.residual
    if not known and not undecided & POINTS:
        np.testing.assert_allclose(d.com, file["com"], atol=0.02)


def test_engines_are_all_there():
    """Nine configurations or more, of all the engines that could be run."""
    engines = {str(np.load(path)["engine"]) for path in LOGS}
    assert {"mujoco", "drake", "pin", "pybullet", "sapien", "newton", "genesis-world",
            "pterasoftware"} <= engines  # fmt: skip
    assert len(LOGS) >= 9
    assert all(path.stat().st_size < 100_000 for path in LOGS)


# ---- the result


def test_systems_match_as_a_whole(bouncing, flight):
    assert detected(flight, MUJOCO).systems == ("mujoco", "genesis")
    # not in flight: origin and origin, or com and com, but never one of each
    d = detected(prescribed(*MOTIONS["generic"]), {**NEWTON, "velocity_point": "origin"})
    assert set(d.undecided) == POINTS | {"up"}
    assert "pybullet" in d.systems and "newton" not in d.systems
    # y-up: no row with these words says so, and scenes may differ
    assert "newton" in detected(simulate(200, dt=2e-3, gravity=(0, -9.81, 0)), NEWTON).systems


def test_row_converts_the_log(flight):
    """Of a convention that no system has."""
    words = CONVENTIONS[-1]
    pos, q, V = encode(flight, words)
    d = cv.detect(pos, q, V, flight.dt, COM)
    assert d.systems == ()
    body = cv.Body(com=COM)
    qpos, qvel = cv.convert_free_state(np.hstack([pos, q]), V, d.row(), "mujoco", body=body)
    expected = encode(flight, MUJOCO)
    np.testing.assert_allclose(qpos[:, :3], expected[0], atol=1e-12)
    np.testing.assert_allclose(np.abs((qpos[:, 3:] * expected[1]).sum(1)), 1.0, atol=1e-12)
    np.testing.assert_allclose(qvel, expected[2], atol=1e-9)


def test_best_guess_of_what_is_undecided():
    d = detected(prescribed(*MOTIONS["planar yaw"], steps=300), MUJOCO)
    assert d.angular_basis == "undecided" and d.best["angular_basis"] in ("world", "body")
    assert d.possible["angular_basis"] == ("world", "body")
    assert d.best["quaternion"] == "wxyz"


def test_arrays_of_other_libraries(flight):
    torch = pytest.importorskip("torch")
    log = [torch.tensor(x) for x in encode(flight, NEWTON)]
    check(cv.detect(*log, flight.dt, COM), NEWTON, up="z")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pos": np.zeros((400, 2))}, r"pos must have shape \(samples, 3\)"),
        ({"quat": np.zeros((400, 3))}, r"quat must have shape \(samples, 4\)"),
        ({"twist": np.zeros((2, 400, 6))}, r"twist must have shape \(samples, 6\)"),
        ({"pos": np.zeros((399, 3))}, "as many rows; got pos 399, quat 400, twist 400"),
        ({"pos": np.full((400, 3), np.nan)}, "every row has a NaN"),
        ({"quat": np.zeros((400, 4))}, "quat must have length 1"),
        ({"pos": [["a", "b", "c"]] * 400}, "array of numbers"),
        ({"dt": 0.0}, "dt must be a positive number"),
        ({"dt": -1e-3}, "dt must be a positive number"),
        ({"dt": np.nan}, "dt must be a positive number"),
        ({"dt": np.zeros(5)}, "the times of all 400"),
        ({"dt": np.zeros(400)}, "times must increase; at index 1"),
        ({"com": (1, 2)}, r"com must have shape \(..., 3\)"),
        ({"com": (1, np.nan, 2)}, "com has nan"),
        ({"com": np.zeros((2, 3))}, "one offset"),
    ],
)
def test_errors(flight, change, message):
    pos, quat, twist = encode(flight, MUJOCO)
    log = {"pos": pos, "quat": quat, "twist": twist, "dt": flight.dt, "com": COM, **change}
    with pytest.raises(ConventionError, match=message):
        cv.detect(**log)


def test_too_short(flight):
    with pytest.raises(ConventionError, match="at least 6 samples without NaN; got 5"):
        cv.detect(*encode(flight[:5], MUJOCO), flight.dt)


def test_unknown_attribute(flight):
    d = detected(flight, MUJOCO)
    with pytest.raises(ConventionError, match="did you mean 'quaternion'"):
        d.decided("quaternions")
