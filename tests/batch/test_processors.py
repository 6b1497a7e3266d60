"""Threads of a Batch that keep to processors."""

import copy
import os
import pickle

import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import threads
from lanewise.lanes import JIT

HERE = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
needs = pytest.mark.skipif(len(HERE) < 2 or not JIT, reason="two processors to choose from")


def batch(**options):
    b = lw.Batch(lw.load(lw.models.path("quadruped")), 40, **options)
    b.qvel[...] = np.random.default_rng(0).normal(scale=0.1, size=b.qvel.shape)
    return b


@pytest.fixture
def kept(monkeypatch):
    """What threads were told to keep to, in order."""
    told, keep_to = [], threads._keep_to

    def watched(cpus):
        keep_to(cpus)
        told.append((set(cpus), set(os.sched_getaffinity(0))))

    monkeypatch.setattr(threads, "_keep_to", watched)
    return told


@needs
def test_threads_keep_to_their_processors(kept):
    first, second = HERE[:2]
    b, other = batch(nthread=2, cpu_ids=[second, first]), batch(nthread=2)
    for x in (b, other):
        for _ in range(3):
            x.step(nstep=5)
    np.testing.assert_array_equal(b.state, other.state)
    assert b.cpu_ids == (second, first) and other.cpu_ids is None
    assert ({first}, {first}) in kept  # the thread that was started
    assert kept.count(({second}, {second})) == 3  # the calling one, call by call
    assert kept[-1] == (set(HERE), set(HERE))
    assert os.sched_getaffinity(0) == set(HERE)


@needs
def test_fewer_than_threads_and_a_world_alone(kept):
    b = batch(nthread=2, cpu_ids=[HERE[0]])
    b.step()
    assert [told for told, _ in kept] == [{HERE[0]}, set(HERE)]
    b.step([0])  # nobody else takes part
    assert len(kept) == 2


@needs
def test_copies_keep_them():
    b = batch(nthread=2, cpu_ids=HERE[:2])
    for other in (copy.copy(b), pickle.loads(pickle.dumps(b))):
        assert other.cpu_ids == tuple(HERE[:2])
    kind, (made, *kept) = b.__reduce__()[0], b.__reduce__()[1]
    kept[2] = {**kept[2], "cpu_ids": (10_000, 10_001)}  # of a larger machine
    other = kind(made, *kept)
    for x in (b, other):
        x.step()
    np.testing.assert_array_equal(b.state, other.state)


@needs
def test_mistakes():
    with pytest.raises(ValueError, match="at most one for each of 1 threads"):
        batch(nthread=1, cpu_ids=HERE[:2])
    with pytest.raises(ValueError, match=r"cpu_ids must be among .* got 4096"):
        batch(nthread=2, cpu_ids=[4096])
    with pytest.raises(ValueError, match="got -1"):
        batch(nthread=2, cpu_ids=[-1])
    with pytest.raises(ValueError, match="different processors"):
        batch(nthread=2, cpu_ids=[HERE[0], HERE[0]])
    with pytest.raises(TypeError, match="sequence of processors"):
        batch(nthread=2, cpu_ids=1)
    with pytest.raises(AttributeError, match="cannot be assigned"):
        batch(nthread=2).cpu_ids = [0]


def test_where_the_system_cannot(monkeypatch):
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with pytest.raises(ValueError, match="has no way to choose processors"):
        batch(nthread=2, cpu_ids=[0])
    batch(nthread=2).step()
