"""Calls of a Batch: records that kernels read by name, and that keep what they point at."""

import gc
import weakref
from importlib import import_module

import numpy as np
import pytest

import lanewise as lw
from lanewise.engine import calls
from lanewise.lanes.records import Record, Records, record_at

PAIR = Record("Pair", """
first     a number
second    an address
""")  # fmt: skip


def test_a_record_is_read_by_name():
    numbers = np.arange(3)
    pairs = Records.of(PAIR, [{"first": 1}, {"first": 5, "second": numbers}])
    pair = record_at(pairs.address, PAIR, 1)
    assert (pair.first, pair.second) == (5, numbers.ctypes.data)
    assert record_at(pairs.address, PAIR, 0).second == 0
    with pytest.raises(AttributeError, match="no member 'third'"):
        _ = pair.third


def test_a_record_has_no_other_members():
    with pytest.raises(KeyError):
        Records(PAIR).set(third=1)


def test_records_keep_what_they_point_at():
    pairs, numbers = Records(PAIR), np.arange(3)
    gone = weakref.ref(numbers)
    pairs.set(second=numbers)
    del numbers
    gc.collect()
    assert gone() is not None
    pairs.set(second=None)
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("call", calls.CALLS)
def test_every_call_has_a_kernel_and_a_record(call):
    kernel = calls.gang_kernel(call)
    record = getattr(import_module(kernel.__module__), call.upper())
    names = kernel.python_function.__code__.co_varnames
    assert names[:4] == ("m", "d", "record", "worker")
    assert record.members and all(record.meaning.values())


@pytest.mark.parametrize("record", [("qpos", "qpos"), (2, 8192, 2), ("xpos", "qpos", "xpos", 2, 2)])
def test_items_that_are_recorded_twice(record):
    """The same array answers for both; none is freed while kernels write to it."""
    m = lw.load(lw.models.path("cartpole"))
    b, once = lw.Batch(m, 64, 1), lw.Batch(m, 64, 1)
    for batch in (b, once):
        batch.qvel[:] = np.linspace(-1, 1, 64)[:, None]
    twice = b.rollout(50, record=record)
    assert list(twice) == list(dict.fromkeys(record))
    for item, values in once.rollout(50, record=tuple(dict.fromkeys(record))).items():
        np.testing.assert_array_equal(twice[item], values)


def test_inverse_has_no_statistics_of_others():
    """No solver runs in it: what a workspace had of another gang is not given out."""
    m = lw.load(lw.models.path("quadruped"))
    for nthread in (1, 2):
        b = lw.Batch(m, 21, nthread)
        iterations = b.solver_niter
        b.step(nstep=20)
        assert iterations.any()
        b.inverse(np.ones((21, m.nv)))
        assert not iterations.any()
