"""Ctrl-C ends a call between two steps: worlds are whole, and the Batch says how far they came."""

import os
import signal
import threading
from functools import partial

import numpy as np
import pytest

import lanewise as lw
from lanewise.batch.threads import Threads
from lanewise.lanes import JIT
from support.interrupting import interrupt_after

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python is interrupted anywhere")

FOREVER = 2**40  # steps


def batches(name, nsim, nthread, **options):
    """A Batch, and one in the same states to compare with."""
    pair = []
    for number in (nthread, 1):
        b = lw.Batch(lw.load(lw.models.path(name)), nsim, number, **options)
        b.qvel[...] = np.random.default_rng(0).normal(scale=0.1, size=b.qvel.shape)
        b.bind("xpos")
        b.step(nstep=3)
        pair.append(b)
    return pair


@pytest.fixture
def ctrl_c(monkeypatch):
    """A function that lets the next call be interrupted after some slices of the calling thread."""
    return partial(interrupt_after, monkeypatch)


def assert_as_after(other, b, call):
    """other, where every world makes the steps that b's world made, ends as b did."""
    for n in np.unique(b.steps_done):
        if n:
            call(other, np.flatnonzero(b.steps_done == n), int(n))
    np.testing.assert_array_equal(b.state, other.state)
    np.testing.assert_array_equal(b.xpos, other.xpos)


@pytest.mark.parametrize("slices", [1, 4])
@pytest.mark.parametrize(("nsim", "nthread"), [(1, 1), (2, 1), (10, 1), (41, 1), (64, 3), (65, 2)])
def test_steps(ctrl_c, nsim, nthread, slices):
    b, other = batches("quadruped", nsim, nthread)
    ctrl_c(slices)
    with pytest.raises(KeyboardInterrupt):
        b.step(nstep=FOREVER)
    assert 0 < b.steps_done.max() < FOREVER
    assert_as_after(other, b, lambda x, ids, n: x.step(ids, nstep=n))
    # and the next call is as if nothing had been
    b.step(nstep=5)
    other.step(nstep=5)
    np.testing.assert_array_equal(b.state, other.state)
    assert (b.steps_done == 5).all()


@pytest.mark.parametrize("options", [{}, {"fresh": True}])
def test_stages_belong_to_the_last_step(ctrl_c, options):
    b, other = batches("quadruped", 20, 2, **options)
    ctrl_c(3)
    with pytest.raises(KeyboardInterrupt):
        b.step(nstep=FOREVER, stage=3)
    assert_as_after(other, b, lambda x, ids, n: x.step(ids, nstep=n, stage=3))


def test_some_worlds_with_models_of_their_own(ctrl_c):
    b, other = batches("quadruped", 30, 2)
    for x in (b, other):
        x.expand("body_mass")[:] *= np.linspace(1, 2, 30)[:, None]
        x.expand("opt.iterations")[::2] = 3  # two groups
        x.step()
    ids = np.arange(0, 30, 3)
    ctrl_c(3)
    with pytest.raises(KeyboardInterrupt):
        b.step(ids, nstep=FOREVER)
    assert not b.steps_done[1::3].any()
    assert 0 < b.steps_done.max() < FOREVER
    assert_as_after(other, b, lambda x, ids, n: x.step(ids, nstep=n))


@pytest.mark.parametrize("options", [{}, {"fresh": True}])
def test_rollout(ctrl_c, options):
    nstep = 4000
    b, other = batches("quadruped", 17, 2, **options)
    control = np.random.default_rng(1).normal(size=(17, nstep, b.model.nu))
    out = {"qpos": np.full((17, nstep, b.model.nq), np.nan)}
    ctrl_c(2)
    with pytest.raises(KeyboardInterrupt):
        b.rollout(nstep, control, record=("qpos",), out=out)
    made = b.steps_done
    assert 0 < made.max()
    assert made.min() < nstep
    expected = other.rollout(nstep, control)["qpos"]
    for i, n in enumerate(made):
        np.testing.assert_array_equal(out["qpos"][i, :n], expected[i, :n])
        assert np.isnan(out["qpos"][i, n:]).all()
        np.testing.assert_array_equal(b.qpos[i], expected[i, n - 1] if n else b.qpos[i])
    if options:
        fresh = lw.Batch(b.model, 17)
        fresh.state = b.state
        np.testing.assert_array_equal(b.xpos, fresh.xpos)


def test_slices_change_nothing(monkeypatch):
    """Also where worlds stop, and where contacts come and go."""
    whole, sliced = (batches("boxes", 19, 1)[0] for _ in range(2))
    records = []
    for b, size in ((whole, 2**62), (sliced, 1)):
        b.qvel[3, 0] = 1e11  # stops with a warning
        for worker in b._runner.threads._all():
            worker.record.set(slice=size)
        monkeypatch.setattr("lanewise.batch.threads._SLICE", 1e-12 if size == 1 else 1e9)
        records.append(b.rollout(30, record=("qpos", "time", "ncon", "xpos")))
        b.step(nstep=7)
    for item, expected in records[0].items():
        np.testing.assert_array_equal(records[1][item], expected, item)
    np.testing.assert_array_equal(sliced.state, whole.state)
    np.testing.assert_array_equal(sliced.warning, whole.warning)
    np.testing.assert_array_equal(sliced.xpos, whole.xpos)


def test_other_calls(ctrl_c):
    b, other = batches("quadruped", 200, 1)
    before = b.state.copy()
    for call in (b.forward, lambda: b.inverse(0.0), lambda: b.mul_m(1.0)):
        for worker in b._runner.threads.workers:
            worker.record.set(slice=1)
        ctrl_c(1)
        with pytest.raises(KeyboardInterrupt):
            call()
    np.testing.assert_array_equal(b.steps_done, 3)
    np.testing.assert_array_equal(b.qpos, before[:, b.model.state_slices["qpos"]])
    b.step()
    other.step()
    np.testing.assert_array_equal(b.qpos, other.qpos)


@pytest.mark.parametrize("nthread", [1, 2])
def test_a_real_signal(nthread):
    b, other = batches("humanoid", 2000, nthread)
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        b.step(nstep=FOREVER)
    assert_as_after(other, b, lambda x, ids, n: x.step(ids, nstep=n))


def test_many_signals_at_any_time():
    """Wherever an interrupt comes, the next call works and worlds are whole."""
    b, other = batches("quadruped", 40, 3)
    stop = threading.Event()

    def send():
        while not stop.wait(np.random.default_rng().exponential(0.002)):
            os.kill(os.getpid(), signal.SIGINT)

    heard = []

    def listen(*_):
        if armed:
            heard.append(1)
            raise KeyboardInterrupt

    armed = False
    before = signal.signal(signal.SIGINT, listen)
    thread = threading.Thread(target=send)
    thread.start()
    total = np.zeros(40, np.int64)
    try:
        for k in range(150):
            b._runner._made = 0  # in case that the call does not even begin
            try:
                armed = True
                if k % 3 == 0:
                    b.expand("body_mass")  # another variant of the kernels, the first time
                b.step(None if k % 5 else np.arange(0, 40, 2), nstep=20)
            except KeyboardInterrupt:
                pass
            armed = False
            total += b.steps_done
    finally:
        stop.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert heard
    other.expand("body_mass")
    for n in np.unique(total):
        other.step(np.flatnonzero(total == n), nstep=int(n))
    np.testing.assert_array_equal(b.state, other.state)


def test_called_by_another_thread():
    """Only the main thread hears the signal; the call goes on."""
    b, other = batches("quadruped", 40, 2)
    thread = threading.Thread(target=lambda: b.step(nstep=2000))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    thread.join()
    other.step(nstep=2000)
    np.testing.assert_array_equal(b.state, other.state)


def test_a_data():
    m = lw.load(lw.models.path("humanoid"))
    d = lw.Data(m)
    threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        lw.step(m, d, FOREVER)
    n = round(float(d.time) / m.opt.timestep)
    expected = lw.Data(m)
    for _ in range(n):
        lw.step(m, expected)
    np.testing.assert_array_equal(d.qpos, expected.qpos)


def test_too_many_steps_for_anybody():
    b, _ = batches("pendulum", 2, 1)
    for nstep in (2**63, 2**70):
        with pytest.raises(ValueError, match="nstep must be at most"):
            b.step(nstep=nstep)


def test_an_interrupt_after_the_last_step(monkeypatch):
    """Steps that were made are counted, although the call ends with an exception."""
    b, other = batches("quadruped", 40, 2)

    def interrupted(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Threads, "noticed", property(interrupted))
        with pytest.raises(KeyboardInterrupt):
            b.step(nstep=5)
    assert (b.steps_done == 5).all()
    assert_as_after(other, b, lambda other, ids, n: other.step(ids, nstep=n))
