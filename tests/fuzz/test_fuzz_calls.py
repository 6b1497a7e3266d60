"""Public calls in any order, and with anything as an argument."""

import inspect

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lanewise as lw
from lanewise.errors import LanewiseError
from lanewise.functions import STAGE_FUNCTIONS
from lanewise.lanes import JIT
from support import soak_calls, zoo
from support.budget import examples
from support.soak_cases import Case, to_bytes
from support.soak_work import random_rows

pytestmark = pytest.mark.skipif(not JIT, reason="too many steps for plain Python")

NAMES = ("own/crooked", "own/contacts_boxes", "own/integrate_actuators", "own/tendons")


@pytest.fixture(scope="module", params=NAMES)
def model(request):
    mj_model = zoo.ZOO[request.param]()
    return mj_model, to_bytes(mj_model), random_rows(mj_model, 11, np.random.default_rng(1))


@examples(8)
@given(seed=st.integers(0, 2**31 - 1), length=st.integers(1, 15))
def test_any_order(model, seed, length):
    mj_model, binary, rows = model
    rng = np.random.default_rng(seed)
    program = soak_calls.batch_program(rng, mj_model, len(rows), length)
    assert Case("calls", binary, "", {"calls": program}, {"rows": rows}).run() == ""
    program = soak_calls.data_program(rng, mj_model, length)
    assert Case("data", binary, "", {"calls": program}, {"rows": rows}).run() == ""


# ---- anything as an argument

ANSWERS = (LanewiseError, ValueError, TypeError, IndexError, OverflowError)
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), -1),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.lists(st.floats(), max_size=4),
    st.lists(st.text(max_size=2), max_size=2),
    st.sampled_from((object(), int, np.zeros((2, 3, 4)), np.array("x"), np.array(None), {}, set())),
)
MJ = mujoco.MjModel.from_xml_string(
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .2'><freejoint/>"
    "<geom size='.1'/></body></worldbody></mujoco>"
)
CALLS = sorted({*STAGE_FUNCTIONS, "get_state", "set_state", "reset_data", "solve_m", "mul_m"})
METHODS = (
    *("step", "forward", "reset", "rollout", "jac", "mul_m", "solve_m", "inverse", "bind"),
    *("step1", "step2", "forward_skip", "inverse_skip", "sample", "get_state", "set_state"),
    *("expand", "expanded", "set_const", "get_model", "get_data", "error", "set_models"),
)


@examples(150)
@given(data=st.data())
def test_anything_as_an_argument_of_a_function(data):
    m = lw.load(MJ)
    d = lw.Data(m)
    name = data.draw(st.sampled_from(CALLS))
    function = getattr(lw, name)
    arguments = [m, d][: len(inspect.signature(function).parameters)]
    place = data.draw(st.integers(0, len(arguments)))
    arguments[place : place + 1] = [data.draw(JUNK)]
    before = lw.get_state(m, d)
    try:
        function(*arguments)
    except ANSWERS:
        np.testing.assert_array_equal(lw.get_state(m, d), before, err_msg=name)
    lw.reset_data(m, d)
    lw.step(m, d)


@examples(150)
@given(data=st.data())
def test_anything_as_an_argument_of_a_method(data):
    b = lw.Batch(MJ, 3, 1)
    name = data.draw(st.sampled_from(METHODS))
    method = getattr(b, name)
    names = [p for p in inspect.signature(method).parameters if p not in ("nstep", "out")]
    given_ones = {data.draw(st.sampled_from(names)): data.draw(JUNK)}
    needed = {"nstep": 1} if name == "rollout" else {}
    before = b.state.copy()
    try:
        method(**needed, **given_ones)
    except ANSWERS:
        np.testing.assert_array_equal(b.state, before, err_msg=name)
    b.set_models(None) if name == "set_models" else None
    b.reset()
    b.step()


@examples(60)
@given(name=st.text(max_size=8) | st.sampled_from(("qpos", "qacc", "nv", "opt")), value=JUNK)
def test_anything_assigned(name, value):
    """A field takes numbers of its shape; a name that nobody knows is an error."""
    m = lw.load(MJ)
    d, b = lw.Data(m), lw.Batch(MJ, 3, 1)
    for thing in (m, d, b):
        if name.startswith("_"):
            continue
        try:
            setattr(thing, name, value)
        except (*ANSWERS, AttributeError, UnicodeEncodeError):
            continue
        assert name in ("qpos", "qacc"), (type(thing), name, value)
    lw.reset_data(m, d)
    lw.step(m, d)
