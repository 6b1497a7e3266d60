"""Functions on lanes against mpmath: error in units in the last place, and C's special values.

The same kernels run three ways: compiled on Lanes, compiled on shared floats, and as plain Python.
"""

import functools
import math

import mpmath
import numpy as np
import pytest

from lanewise.lanes import JIT, Entries, Field, Struct, W, kernel
from lanewise.lanes import elementary as lane_math

ONE = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "tanh", "sign")
TWO = ("atan2", "pow")
WAYS = ("plain", "lanes", "floats") if JIT else ("plain",)
POINTS = {"plain": 160, "lanes": 5000, "floats": 5000}


def _map(function, arguments):
    """A kernel that applies function to every row of s.x (and s.y)."""
    if arguments == 1:

        @kernel
        def run(s):
            for i in range(s.n):
                s.out[i] = function(s.x[i])

    else:

        @kernel
        def run(s):
            for i in range(s.n):
                s.out[i] = function(s.x[i], s.y[i])

    return run


@kernel
def _mixed(s):
    """Lanes with shared floats: the result must be a Lane whichever argument is one."""
    for i in range(s.n):
        power = lane_math.pow(s.x[i], 2.5) + lane_math.pow(2.5, s.x[i])
        angle = lane_math.atan2(s.x[i], 2.0) + lane_math.atan2(2.0, s.x[i])
        s.out[i] = power + angle + lane_math.clip(s.x[i], 0.5, s.y[i])


@kernel
def _both(s):
    for i in range(s.n):
        sine, cosine = lane_math.sincos(s.x[i])
        s.out[i] = sine
        s.y[i] = cosine


KERNELS = {name: _map(getattr(lane_math, name), 1) for name in ONE}
KERNELS |= {name: _map(getattr(lane_math, name), 2) for name in TWO}
KERNELS |= {"mixed": _mixed, "sincos": _both}
FIELDS = [("n", "int64", True, 1, False)] + [
    (c, "float", False, 1, None) for c in ("x", "y", "out")
]


def _declare():
    from lanewise.lanes import kinds as lane_types

    entries = {}
    for way in ("lanes", "floats"):
        fields = [(*f[:4], way == "lanes" and f[1] == "float") for f in FIELDS]
        struct = lane_types.struct_type(f"Map_{way}", fields, const=False)
        for name, run in KERNELS.items():
            if way == "lanes" or name != "mixed":
                entries[f"{name}_{way}"] = (run, (struct,))
    return entries


ENTRIES = Entries("test_math", _declare)


def _aligned(values, n):
    """A copy of values, padded to n with ones, on a 64-byte boundary."""
    memory = np.ones(n + 8)
    start = -memory.ctypes.data // 8 % 8
    out = memory[start : start + n]
    out[: len(values)] = values
    return out


def apply(way, name, x, y=()):
    """The functions' values at x (and y): `out`, and for sincos also `y`."""
    x = np.asarray(x, float)
    rows = -(-len(x) // W)
    x_, y_, out = (_aligned(v, rows * W) for v in (x, y, ()))
    out[:] = np.nan
    if way == "plain":
        columns = {
            c: Field(v.reshape(rows, 1, W), 1)
            for c, v in zip(("x", "y", "out"), (x_, y_, out), strict=True)
        }
        with np.errstate(all="ignore"):
            KERNELS[name](Struct({"n": np.array([[rows]]), **columns}))
    else:
        count = np.array([rows if way == "lanes" else rows * W])
        table = np.array([v.ctypes.data for v in (count, x_, y_, out)])
        ENTRIES[f"{name}_{way}"](table.ctypes.data)
    return (out[: len(x)], y_[: len(x)]) if name == "sincos" else out[: len(x)]


# ------------------------------------------------------------------------------------ accuracy


def _uniform(low, high):
    return lambda rng, n: rng.uniform(low, high, n)


def _log_uniform(low, high, signed=True):
    def draw(rng, n):
        x = np.exp(rng.uniform(math.log(low), math.log(high), n))
        return x * rng.choice([-1.0, 1.0], n) if signed else x

    return draw


def _near(center, low, high):
    """Points at log-uniform distances around +-center."""

    def draw(rng, n):
        return (center + _log_uniform(low, high)(rng, n)) * rng.choice([-1.0, 1.0], n)

    return draw


def _below_one(rng, n):
    return (1.0 - _log_uniform(1e-16, 0.5, signed=False)(rng, n)) * rng.choice([-1.0, 1.0], n)


def _near_quarter_turns(rng, n):
    """The floats at and next to multiples of pi/2: the worst cases of the range reduction."""
    x = rng.integers(1, 600_000, n) * (math.pi / 2) * rng.choice([-1.0, 1.0], n)
    return np.nextafter(x, rng.choice([-np.inf, 0.0, np.inf], n) + x)


def _far_quarter_turns(rng, n):
    """The floats nearest to multiples of pi/2, far out: the worst cases."""
    # of all float64, the first is nearest to a multiple of pi/2
    x = [6381956970095103.0 * 2.0**797, 5.319372648326541e255, 1e22, 2.0**1023, 2.0**53]
    with mpmath.workprec(1300):
        while len(x) < n:
            k = mpmath.mpf(int(rng.integers(1, 2**53))) * mpmath.mpf(2) ** int(rng.integers(0, 960))
            x.append(float(k * mpmath.pi / 2))
    return np.array(x[:n]) * rng.choice([-1.0, 1.0], n)


def _whole(rng, n):
    return np.rint(rng.uniform(-40, 40, n))


ANGLES = (
    _uniform(-math.pi, math.pi),
    _log_uniform(1e-300, 100.0),
    _uniform(-1e6, 1e6),
    _uniform(-1e9, 1e9),
    _near_quarter_turns,
    _log_uniform(1e9, 1.7e308),
    _far_quarter_turns,
)
SINES = (_uniform(-1, 1), _below_one, _near(0.5, 1e-16, 1e-2), _log_uniform(1e-300, 1.0))
# name: largest error [ulp], then where: one sampler for each argument
ACCURACY = {
    "sin": (0.52, *((a,) for a in ANGLES)),
    "cos": (0.52, *((a,) for a in ANGLES)),
    "tan": (0.52, *((a,) for a in ANGLES)),
    "asin": (1.2, *((a,) for a in SINES)),
    "acos": (1.2, *((a,) for a in SINES)),
    "exp": (0.75, (_uniform(-1, 1),), (_uniform(-708, 709),), (_log_uniform(1e-20, 1.0),)),
    "log": (
        0.9,
        (_uniform(0.4, 2.5),),
        (_near(1.0, 1e-16, 0.3),),
        (_log_uniform(5e-324, 1.7e308, signed=False),),
    ),
    "tanh": (1.0, (_uniform(-3, 3),), (_uniform(-25, 25),), (_log_uniform(1e-300, 20.0),)),
    "atan2": (
        1.0,
        (_uniform(-1, 1), _uniform(-1, 1)),
        (_log_uniform(1e-5, 1e5), _log_uniform(1e-5, 1e5)),
        (_log_uniform(1e-150, 1e150), _log_uniform(1e-150, 1e150)),
        (_near(1.0, 1e-16, 1e-2), _near(1.0, 1e-16, 1e-2)),
        (_near(1.0, 1e-16, 1e-2), _near(2.0, 1e-16, 1e-2)),
    ),
    "pow": (
        0.75,
        (_uniform(0, 1), _uniform(0, 10)),
        (_uniform(0.5, 2), _uniform(-500, 500)),
        (_log_uniform(1e-100, 1e100, signed=False), _uniform(-3, 3)),
        (_near(1.0, 1e-13, 1e-2), _whole),
        (_log_uniform(1e-3, 1e3), _whole),
    ),
}


@functools.cache
def _reference(name, case, n):
    """Sample arguments, and the function's values as an unevaluated sum of two float64."""
    rng = np.random.default_rng([case, *name.encode()])
    args = [sampler(rng, n) for sampler in ACCURACY[name][1 + case]]
    if name in ("asin", "acos"):
        args = [a[np.abs(a) <= 1] for a in args]
    if name == "log":
        args = [np.abs(a) for a in args]
    if name == "pow":
        args[0] = np.where(args[1] == np.rint(args[1]), args[0], np.abs(args[0]))
    function = {"pow": mpmath.power}.get(name) or getattr(mpmath, name)
    with mpmath.workprec(160):
        exact = [function(*map(mpmath.mpf, map(float, a))) for a in zip(*args, strict=True)]
        hi = np.array([float(e) for e in exact])
        lo = np.array([float(e - mpmath.mpf(h)) for e, h in zip(exact, hi, strict=True)])
    return args, hi, lo


CASES = [(name, k) for name, (_, *cases) in ACCURACY.items() for k in range(len(cases))]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "case"), CASES)
def test_accuracy(name, case, way):
    args, hi, lo = _reference(name, case, POINTS[way])
    error = np.abs((apply(way, name, *args) - hi) - lo) / np.spacing(np.abs(hi))
    worst = np.argmax(error)
    assert error[worst] < ACCURACY[name][0], f"{name}{tuple(float(a[worst]) for a in args)}"


@pytest.mark.parametrize("way", WAYS)
def test_sincos_is_sin_and_cos(way):
    x = np.random.default_rng(0).uniform(-10, 10, 64)
    sine, cosine = apply(way, "sincos", x)
    np.testing.assert_array_equal(sine, apply(way, "sin", x))
    np.testing.assert_array_equal(cosine, apply(way, "cos", x))
    np.testing.assert_allclose(sine**2 + cosine**2, 1.0, rtol=0, atol=1e-15)


@pytest.mark.parametrize("way", [w for w in WAYS if w != "floats"])
def test_lanes_mix_with_floats(way):
    x = np.linspace(0.1, 3.0, 16)
    expected = x**2.5 + 2.5**x + np.arctan2(x, 2.0) + np.arctan2(2.0, x) + np.clip(x, 0.5, 2.0)
    actual = apply(way, "mixed", x, np.full(16, 2.0))
    np.testing.assert_allclose(actual, expected, rtol=4e-16, atol=0)


# ------------------------------------------------------------------------------- special values

INF, NAN, TINY = math.inf, math.nan, 5e-324
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, INF, -INF, NAN, TINY, 1e308)
NUMPY = {"asin": np.arcsin, "acos": np.arccos, "atan2": np.arctan2, "pow": np.power}


def assert_same(actual, expected):
    """Equal to an ulp; zeros, infinities and NaNs in the same places; zeros of the same sign."""
    np.testing.assert_allclose(actual, expected, rtol=3e-16, atol=0)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(actual[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [n for n in ONE if n != "sign"])
def test_special_values(name, way):
    x = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        expected = NUMPY.get(name, getattr(np, name, None))(x)
    assert_same(apply(way, name, x), expected)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", TWO)
def test_special_values_of_two_arguments(name, way):
    x, y = (a.ravel() for a in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        expected = NUMPY[name](x, y)
    assert_same(apply(way, name, x, y), expected)


@pytest.mark.parametrize("way", WAYS)
def test_exp_at_the_ends_of_the_range(way):
    x = np.array([709.782712893384, 709.7827128933841, 1e4, -744.4400719213812, -745.14, -1e4])
    y = apply(way, "exp", x)
    assert y[0] == pytest.approx(1.797693134862273e308, rel=1e-15)
    assert y[1:].tolist() == [INF, INF, TINY, 0.0, 0.0]
    subnormal = np.linspace(-745.0, -708.5, 200)
    np.testing.assert_allclose(
        apply(way, "exp", subnormal), np.exp(subnormal), rtol=3e-16, atol=TINY
    )


@pytest.mark.parametrize("way", WAYS)
def test_only_infinite_angles_have_no_sine(way):
    x = np.array([1e15, -1e17, 1e300, 1.7976931348623157e308, INF, -INF, NAN])
    for name in ("sin", "cos", "tan"):
        assert np.isnan(apply(way, name, x)).tolist() == [False] * 4 + [True] * 3


@pytest.mark.parametrize("way", WAYS)
def test_sign(way):
    x = [3.0, TINY, 0.0, -0.0, -TINY, -INF, NAN, INF]
    assert apply(way, "sign", x).tolist() == [1, 1, 0, 0, -1, -1, 0, 1]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ONE)
def test_a_lane_does_not_see_its_neighbours(name, way):
    x = np.full(W, 0.3)
    alone = apply(way, name, x)
    x[1::2] = (INF, NAN, -0.0, -1e308)
    np.testing.assert_array_equal(apply(way, name, x)[::2], alone[::2])


def test_plain_python_floats():
    """Model constants are floats; no zero division may raise."""
    assert lane_math.atan2(0.0, -0.0) == math.pi
    assert lane_math.atan2(1.0, 1.0) == math.pi / 4
    assert lane_math.pow(2.0, 10.0) == 1024.0
    assert lane_math.pow(0.0, 0.0) == 1.0
    assert lane_math.tanh(0.0) == 0.0
    assert lane_math.exp(0.0) == 1.0
    assert lane_math.log(1.0) == 0.0
    assert lane_math.sincos(0.0) == (0.0, 1.0)
    assert lane_math.clip(3.0, -1.0, 2.0) == 2.0
    assert math.isnan(lane_math.clip(NAN, -1.0, 2.0))
