"""What is wrong with user code is said in the user's own words: kernel, file and line."""

import re

import pytest

import lanewise as lw
from lanewise.errors import KernelError
from lanewise.lanes import JIT, vec
from support.user_kernels import arm, start


@lw.kernel
def three(m, d, i):
    return vec(1.0, 2.0, 3.0)


@lw.kernel
def nothing(m, d, i):
    d.ctrl[0] = 0.0


@lw.kernel
def something(m, d):
    return d.qpos[0]


@lw.kernel
def how_much(m, d, g1, g2):
    return d.geom_xpos[g1, 0]


@lw.kernel
def candidates(m, d, g1, g2, reach, mask):
    return reach


@lw.kernel
def misspelled(m, d):
    d.ctrl[0] = d.qpso[0]


@lw.kernel
def wrong_field(m, d, p):
    d.ctrl[0] = p.kq[0]


@lw.kernel
def writes_parameter(m, d, p):
    p.kp[0] = 1.0


@lw.kernel
def many(m, d, p, q, r):
    pass


@lw.kernel
def with_own(m, d, p):
    pass


def step(m):
    """All code is compiled, and without a compiler called."""
    d = lw.Data(m)
    d.qpos = start(m.nq, m.nv, m.na)[0]
    lw.step(m, d)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ({"act_gain": three}, r"act_gain: the kernel three, .*test_mistakes.py:\d+, returns Vec"),
        ({"act_bias": nothing}, "act_bias: the kernel nothing, .* needs a number"),
        ({"control": something}, "control: the kernel something, .* needs nothing: it writes to d"),
        (
            {"contact_filter": how_much},
            "contact_filter: the kernel how_much, .* needs True or False",
        ),
        ({"collision": {("plane", "sphere"): candidates}}, "needs a whole number of candidates"),
    ],
)
def test_returned(code, message):
    m = lw.load(arm(), **code)
    with pytest.raises(KernelError, match=message):
        step(m)


@pytest.mark.skipif(not JIT, reason="plain Python raises what Python raises")
@pytest.mark.parametrize(
    ("kernel", "message", "line"),
    [
        (misspelled, "no field 'qpso'; did you mean qpos", "d.ctrl[0] = d.qpso[0]"),
        (wrong_field, "p has no field 'kq'; it has kp", "d.ctrl[0] = p.kq[0]"),
        (writes_parameter, "nor can parameters", "p.kp[0] = 1.0"),
    ],
)
def test_compiling(kernel, message, line):
    declared = {} if kernel is misspelled else {"parameters": {"kp": [1.0]}}
    m = lw.load(arm(), control=kernel, **declared)
    with pytest.raises(KernelError) as failure:
        lw.Data(m)
    text = str(failure.value)
    assert message in text
    assert re.search(rf"in kernel {kernel.__name__}, .*test_mistakes\.py:\d+", text)
    assert line in text


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"control": many},
            TypeError,
            r"takes \(m, d, p, q, r\), where the step gives \(m, d\), or",
        ),
        ({"control": with_own}, TypeError, "give parameters=, state= or scratch="),
        ({"control": None, "parameters": {"a": 1.0}}, ValueError, "give these too"),
        ({"parameters": [1.0]}, TypeError, "parameters maps names to arrays, got list"),
        ({"parameters": {"a": "x"}}, TypeError, "parameter 'a' takes numbers, got str"),
        ({"parameters": {"a": [[1.0], [1.0, 2.0]]}}, (TypeError, ValueError), "a"),
        ({"parameters": {"a b": 1.0}}, ValueError, "its name cannot be 'a b'"),
        ({"parameters": {"a": []}}, ValueError, "at least one number"),
        ({"parameters": {"a": [[[1.0]]]}}, ValueError, "rows and columns, no more"),
        ({"state": {"a": -1}}, ValueError, "at least one number"),
        ({"state": {"a": 1.5}}, TypeError, "state 'a' must be a whole number"),
        ({"scratch": ["a"]}, TypeError, "scratch maps names to sizes, got list"),
        ({"state": {"a": 1}, "scratch": {"a": 2}}, ValueError, "the name of another field of p"),
        ({"passive": (something,)}, TypeError, "a force and its derivative"),
        ({"control": 3}, TypeError, r"decorated with @lanewise.kernel, got int$"),
    ],
)
def test_arguments_of_load(arguments, error, message):
    with pytest.raises(error, match=message):
        lw.load(arm(), **{"control": with_own, **arguments})
