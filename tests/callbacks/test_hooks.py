"""MuJoCo's own callbacks are refused wherever they would be ignored."""

import contextlib
import ctypes

import mujoco
import pytest

import lanewise as lw
from lanewise import hooks, rollout
from lanewise.loaders import set_const  # noqa: F401  loads MuJoCo's side
from support.user_kernels import arm

# arguments of each callback beside model and data
CALLBACKS = {
    "control": 0, "passive": 0, "act_dyn": 1, "act_gain": 1, "act_bias": 1, "sensor": 1,
    "contactfilter": 2,
}  # fmt: skip
INSTEAD = {"contactfilter": "contact_filter="}


@contextlib.contextmanager
def installed(name, function):
    try:
        getattr(mujoco, f"set_mjcb_{name}")(function)
        yield
    finally:
        getattr(mujoco, f"set_mjcb_{name}")(None)


def test_every_callback_is_known():
    known = {name.removeprefix("set_mjcb_") for name in dir(mujoco) if name.startswith("set_mjcb_")}
    assert known - {"time"} == set(hooks.INSTEAD) == set(CALLBACKS)


@pytest.mark.parametrize("name", CALLBACKS)
def test_refused_by_name(name):
    m = lw.load(arm())
    d, gang, b = lw.Data(m), lw.Data(m, 2), lw.Batch(m, 2)
    mj = m.mj
    state = lw.get_state(m, d)
    calls = (
        lambda: lw.load(arm()), lambda: lw.Data(m), lambda: lw.Batch(m, 1), lambda: lw.step(m, d),
        lambda: lw.step(m, d, 250), lambda: lw.step(m, gang), lambda: lw.forward(m, d),
        lambda: lw.step1(m, d), lambda: lw.inverse(m, d), lambda: lw.forward_skip(m, d, 2),
        lambda: b.step(), lambda: b.forward(), lambda: b.rollout(2), lambda: b.xpos,
        lambda: b.step(control=lambda b: None), lambda: b.reset(),
        lambda: rollout.rollout(mj, mujoco.MjData(mj), state[: m.nq + m.nv + m.na + 1]),
    )  # fmt: skip
    with installed(name, lambda *_: 0):
        for call in calls:
            with pytest.raises(ValueError, match=f"mjcb_{name} .*{INSTEAD.get(name, name)}"):
                call()
    assert d.time == 0
    lw.step(m, d)
    b.step()


def test_a_c_function_is_refused_too():
    m = lw.load(arm())
    d = lw.Data(m)
    called = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    function = kind(lambda m, d: called.append(1))
    with installed("control", function), pytest.raises(ValueError, match="mjcb_control"):
        lw.step(m, d)
    assert not called


def test_the_clock_is_nobodys_business():
    m = lw.load(arm())
    with installed("time", lambda: 0.0):
        lw.step(m, lw.Data(m))
