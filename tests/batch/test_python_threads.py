"""Several Python threads: on one Model, on one Batch, making and deleting; and forks meanwhile."""

import copy
import gc
import os
import pickle
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import forks
from lanewise.errors import LanewiseError
from lanewise.lanes import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="plain Python has no threads of its own")

NSTEP = 40
CYCLES = int(os.environ.get("LANEWISE_CYCLES", "80"))


def together(work, n=6):
    """work(k) on n threads at once."""
    gate = threading.Barrier(n)

    def begin(k):
        gate.wait()
        return work(k)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(begin, range(n)))


@pytest.fixture(scope="module")
def model():
    return lw.load(lw.models.path("quadruped"))


def stepped(m, nsim=12, nstep=NSTEP):
    b = lw.Batch(m, nsim, 2)
    b.qvel[...] = np.linspace(-1, 1, b.qvel.size).reshape(b.qvel.shape)
    b.step(nstep=nstep)
    return b


def test_a_data_each(model):
    def work(_):
        d = lw.Data(model)
        for _ in range(NSTEP):
            lw.step(model, d)
        return d.qpos.copy()

    first, *others = together(work)
    for qpos in others:
        np.testing.assert_array_equal(qpos, first)


def test_a_batch_each(model):
    expected = stepped(model)
    for b in together(lambda _: stepped(model)):
        np.testing.assert_array_equal(b.state, expected.state)


def test_one_batch_for_all(model):
    """Calls wait for each other: as many steps are made as were asked for."""
    b, expected = stepped(model), stepped(model, nstep=NSTEP + 6 * 30)

    def work(k):
        for i in range(30):
            b.step()
            if i % 7 == k:
                b.bind(("xpos", "cvel", "qacc", "xquat", "cinert", "subtree_com")[k])
                b.jac(3, [0.0, 0.0, 0.0])

    together(work)
    np.testing.assert_array_equal(b.state, expected.state)


def test_copies_of_a_batch_that_runs(model):
    """A copy has worlds between two calls, never within one."""
    b = stepped(model)
    stop = threading.Event()

    def run():
        while not stop.is_set():
            b.step(nstep=3)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(20):
            for c in (copy.copy(b), pickle.loads(pickle.dumps(b))):
                assert np.ptp(c.state[:, 0]) == 0.0  # all at the same time
    finally:
        stop.set()
        thread.join()


def test_making_and_deleting_meanwhile(model):
    expected = stepped(model)
    stop = threading.Event()

    def churn():
        while not stop.is_set():
            b = lw.Batch(model, 17, 3)
            b.step()
            copy.copy(b).step()
            lw.step(model, lw.Data(model))

    threads = [threading.Thread(target=churn) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            np.testing.assert_array_equal(stepped(model).state, expected.state)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def resident():
    """Memory in use [bytes]."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_made_and_deleted_many_times():
    m = lw.load(lw.models.path("pendulum"))

    def cycle(k):
        b = lw.Batch(m, 9 + k % 9, 2)
        b.step()
        b.xpos  # noqa: B018  binds
        if k % 50 == 0:
            pickle.loads(pickle.dumps(b)).step()
            copy.copy(m)
        d = lw.Data(m)
        lw.step(m, d)

    for k in range(60):
        cycle(k)
    gc.collect()
    before, threads = resident(), threading.active_count()
    for k in range(CYCLES):
        cycle(k)
    gc.collect()
    assert resident() - before < 4 << 20  # a Batch of it has 0.4 MB
    for _ in range(100):  # threads end by themselves
        if threading.active_count() <= threads:
            break
        time.sleep(0.05)
    assert threading.active_count() <= threads + 2


@pytest.mark.parametrize("nthread", [257, 10**6, 2**70])
def test_absurd_numbers_of_threads(model, nthread):
    if nthread <= 4 * (os.cpu_count() or 1):
        pytest.skip("not absurd here")
    with pytest.raises(ValueError, match=r"nthread must be at most .* 0 takes one"):
        lw.Batch(model, 8, nthread)


def test_no_more_threads_than_gangs(model):
    b = lw.Batch(model, 17, 200)
    before = threading.active_count()
    b.step()
    assert threading.active_count() - before <= 2
    assert len(b._runner.threads.workers) == 3


# ------------------------------------------------------------------------------------------- forks

FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")


def in_a_fork(work, seconds=30):
    """What work() says in a forked process, as text; it is ended if it hangs."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            text = str(work())
        except BaseException as error:  # it is told to the parent
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode()[:4000])
        os._exit(0)
    os.close(write)
    timer = threading.Timer(seconds, os.kill, (child, 9))
    timer.start()
    with os.fdopen(read, "rb") as f:
        text = f.read().decode()
    timer.cancel()
    os.waitpid(child, 0)
    return text or "it hung"


@FORKS
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_steps(model):
    b = stepped(model)
    stop = threading.Event()

    def run():
        while not stop.is_set():
            b.step(nstep=3)

    def child():
        assert np.ptp(b.state[:, 0]) == 0.0  # worlds are whole
        c = copy.copy(b)
        b.step(nstep=5)
        c.step(nstep=5)
        assert (b.state == c.state).all()
        return stepped(model).nsim

    thread = threading.Thread(target=run)
    thread.start()
    try:
        for _ in range(4):
            assert in_a_fork(child) == "12"
    finally:
        stop.set()
        thread.join()


@FORKS
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_does_not_wait_for_ever(model, monkeypatch):
    monkeypatch.setattr(forks, "_PATIENCE", 0.05)
    b, expected = stepped(model), stepped(model, nstep=NSTEP + 20000)
    thread = threading.Thread(target=lambda: b.step(nstep=20000))
    thread.start()
    while not b._runner.lock.locked():
        time.sleep(0.001)

    def child():
        assert stepped(model).nsim == 12
        try:
            b.step()
        except LanewiseError as error:
            return error

    assert "in a call of another thread when the process was forked" in in_a_fork(child)
    thread.join()
    np.testing.assert_array_equal(b.state, expected.state)


@FORKS
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_loads(model):
    """A lock that a thread holds while it loads code is free in the new process."""
    from lanewise.engine import parts

    library = parts.library("gang")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(library._lock.acquire).result()
        loaded = dict(library._loaded)
        library._loaded.clear()
        try:
            assert in_a_fork(lambda: stepped(model).nsim) == "12"
        finally:
            library._loaded.update(loaded)
            pool.submit(library._lock.release).result()
