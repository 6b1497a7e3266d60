"""Fields and records as float32: what float64 has, rounded where it is stored."""

import copy
import pickle

import numpy as np
import pytest

import lanewise as lw

OUTPUTS = ("xpos", "qacc", "cinert", "subtree_com", "energy")
STATE = ("qpos", "qvel", "time")
SENSORS = """
<mujoco>
  <worldbody>
    <body name="ball" pos="0 0 1"><freejoint/><geom size=".1"/><site name="s"/></body>
  </worldbody>
  <sensor>
    <framepos objtype="body" objname="ball"/><velocimeter site="s"/><accelerometer site="s"/>
  </sensor>
</mujoco>
"""


def batch(nsim=11, name="humanoid", **options):
    b = lw.Batch(lw.load(lw.models.path(name)), nsim, **options)
    b.qvel[...] = np.random.default_rng(0).normal(scale=0.3, size=b.qvel.shape)
    return b


def rounded(x):
    return np.asarray(x).astype(np.float32)


def assert_rounded(b, singles):
    for name, single in singles.items():
        assert single.dtype == np.float32 and not single.flags.writeable
        np.testing.assert_array_equal(single, rounded(getattr(b, name)), name)


@pytest.mark.parametrize("nsim", [1, 2, 8, 11])
@pytest.mark.parametrize("options", [{}, {"fresh": True}, {"persistent": True}])
def test_outputs_and_state(nsim, options):
    b, other = batch(nsim, **options), batch(nsim, **options)
    singles = {name: b.bind(name, dtype=np.float32) for name in (*OUTPUTS, *STATE)}
    for x in (b, other):
        for name in OUTPUTS:
            x.bind(name)
    assert_rounded(b, singles)  # of the state it has
    for call in (
        lambda x: x.step(), lambda x: x.step(nstep=3), lambda x: x.step(stage=2),
        lambda x: x.step([nsim - 1]), lambda x: x.reset([0]), lambda x: x.forward(stage=1),
        lambda x: x.rollout(3), lambda x: x.step(nstep=2),
    ):  # fmt: skip
        for x in (b, other):
            call(x)
        assert_rounded(b, singles)
    np.testing.assert_array_equal(b.state, other.state)  # nothing else has changed
    assert b.bind("xpos", np.float32) is not b.bind("xpos", np.float64)
    assert b.bind("xpos").dtype == np.float64


def test_without_float64_beside_it():
    b, other = batch(), batch()
    single = b.bind("xpos", np.float32)
    assert b.bound == ["xpos"]
    for x in (b, other):
        x.step([0, 3, 10])
        x.step()
    other.forward()
    b.forward()
    np.testing.assert_array_equal(single, rounded(other.xpos))
    b.unbind("xpos")
    last = single.copy()
    b.step()
    np.testing.assert_array_equal(single, last)
    assert b.bound == []


def test_only_the_worlds_of_a_call():
    b = batch()
    qpos = b.bind("qpos", np.float32)
    before = qpos.copy()
    b.step([2, 5])
    moved = (qpos != before).any(axis=1)
    assert np.flatnonzero(moved).tolist() == [2, 5]


def test_what_is_written_is_seen_after_a_call():
    b = batch(3)
    qpos, time = b.bind("qpos", np.float32), b.bind("time", np.float32)
    b.qpos[1, 0] += 1.0
    b.time[:] = 0.1
    assert (qpos[1] != rounded(b.qpos[1])).any()
    b.forward()
    np.testing.assert_array_equal(qpos, rounded(b.qpos))
    np.testing.assert_array_equal(time, np.float32(0.1))
    b.unbind("qpos")
    with pytest.raises(ValueError, match="part of the state"):
        b.unbind("qpos")


def test_sensors_of_which_a_call_computes_a_part():
    b = lw.Batch(lw.load(SENSORS), 9)
    b.qvel[...] = np.linspace(0.0, 1.0, 9)[:, None]
    single = b.bind("sensordata", np.float32)
    for call in (b.step, lambda: b.forward(stage=1), lambda: b.forward([0, 4], stage=2), b.step):
        call()
        np.testing.assert_array_equal(single, rounded(b.sensordata))


def pickled(b):
    return pickle.loads(pickle.dumps(b))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])
def test_copies(again):
    b = batch(5)
    b.bind("xpos", np.float32)
    b.bind("qvel", np.float32)
    b.step()
    other = again(b)
    assert other.bound == ["xpos", "qvel"]
    np.testing.assert_array_equal(other.bind("xpos", np.float32), b.bind("xpos", np.float32))
    for x in (b, other):
        x.step()
    for name in ("xpos", "qvel"):
        ours, theirs = (x.bind(name, np.float32) for x in (b, other))
        np.testing.assert_array_equal(ours, theirs)
        assert not np.shares_memory(ours, theirs)


@pytest.mark.parametrize("nsim", [1, 7, 9])
def test_records(nsim):
    b, other = batch(nsim), batch(nsim)
    b.qvel[-1, 0] = other.qvel[-1, 0] = 1e11  # stops with a warning
    items = ("qpos", "xpos", "ncon", "time", 1 << 1)
    out = {"xpos": np.empty((nsim, 6, b.model.nbody, 3), np.float32)}
    ours = b.rollout(6, record=items, dtype=np.float32, out=out)
    theirs = other.rollout(6, record=items)
    assert ours["xpos"] is out["xpos"]
    for item in items:
        whole = item == "ncon"
        assert ours[item].dtype == (np.int32 if whole else np.float32)
        np.testing.assert_array_equal(ours[item], theirs[item] if whole else rounded(theirs[item]))
    np.testing.assert_array_equal(b.state, other.state)


def test_mistakes():
    b = batch(2)
    with pytest.raises(ValueError, match="float64 or float32, got int8"):
        b.bind("xpos", np.int8)
    with pytest.raises(ValueError, match="ncon is of whole numbers"):
        b.bind("ncon", np.float32)
    with pytest.raises(ValueError, match=r"contact.dist has another length"):
        b.bind("contact.dist", np.float32)
    with pytest.raises(ValueError, match="float64 or float32, got int64"):
        b.rollout(2, dtype=int)
    with pytest.raises(ValueError, match="float32 array"):
        b.rollout(2, dtype=np.float32, out={"qpos": np.empty((2, 2, b.model.nq))})
    assert b.bind("ncon", np.int32).dtype == np.int32
