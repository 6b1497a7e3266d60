"""Copies and pickles of a Data are worlds of their own, and go on to the same bits."""

import copy
import pickle
import subprocess
import sys
import threading

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import READ

NSTEP = 100
BEFORE = 60  # steps before the copy, so that there is something to copy

PGS, CG, NEWTON = 0, 1, 2
CASES = {
    "humanoid": ("humanoid", {}),
    "quadruped": ("quadruped", {}),
    "conjugate gradients": ("humanoid", {"solver": CG}),
    "pgs": ("humanoid", {"solver": PGS}),
    "noslip": ("quadruped", {"noslip_iterations": 4}),
    "discrete": ("humanoid", {"integrator": int(mujoco.mjtIntegrator.mjINT_DISCRETE)}),
    "heap": ("boxes", {}),
    "heap, pgs": ("boxes", {"solver": PGS}),
}
WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda d: pickle.loads(pickle.dumps(d)),
}


def moving(case: str, lanes: int) -> lw.Data:
    """A Data whose worlds have contacts, and differ."""
    name, options = CASES[case]
    mj_model = mujoco.MjModel.from_xml_path(str(lw.models.path(name)))
    for option, value in options.items():
        setattr(mj_model.opt, option, value)
    m = lw.load(mj_model)
    d = lw.Data(m, lanes=lanes)
    if m.nkey:
        lw.reset_data(m, d, 0)
    rng = np.random.default_rng(4)
    d.qvel = 0.3 * rng.normal(size=d.qvel.shape)
    lw.step(m, d, BEFORE)
    assert np.max(d.ncon) > 0
    return d


def trajectory(d: lw.Data) -> np.ndarray:
    """qacc after every step"""
    rows = []
    for _ in range(NSTEP):
        lw.step(d.model, d)
        rows.append(np.array(d.qacc))
    return np.array(rows)


def assert_same_results(twin: lw.Data, d: lw.Data) -> None:
    for f in READ:
        ours, theirs = (getattr(x, f.name) for x in (twin, d))
        if not f.capacity or d.lanes == 1:  # beyond a world's own contacts numbers mean nothing
            np.testing.assert_array_equal(ours, theirs, err_msg=f.name)


@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("case", CASES)
def test_copies_go_on_to_the_same_bits(case, lanes):
    d = moving(case, lanes)
    twins = {way: make(d) for way, make in WAYS.items()}
    for twin in twins.values():
        assert_same_results(twin, d)
    expected = trajectory(d)
    for way, twin in twins.items():
        assert np.array_equal(trajectory(twin), expected), way


@pytest.mark.parametrize("way", WAYS)
def test_copies_share_nothing(way):
    d = moving("humanoid", 3)
    _ = d.efc_J  # made for a reader, and so is the flag that says so
    before = np.array(d.state)
    twin = WAYS[way](d)
    assert_same_results(twin, d)
    for name, array in d.arrays.items():
        if name != "links":  # addresses of the engine's doors
            assert not np.shares_memory(array, twin.arrays[name]), name
    trajectory(twin)
    np.testing.assert_array_equal(d.state, before)


def test_copies_keep_their_room():
    m = lw.load(lw.models.path("humanoid"))
    d = lw.Data(m, lanes=2, nconmax=7, njmax=31)
    for make in WAYS.values():
        twin = make(d)
        assert twin.lanes == 2 and twin.sizes == d.sizes


def test_whose_model_a_copy_has():
    d = moving("quadruped", 1)
    m = d.model
    assert copy.copy(d).model is m and copy.deepcopy(d).model is m
    for both in (copy.deepcopy((m, d)), pickle.loads(pickle.dumps((d, m)))):
        model, data = sorted(both, key=lambda x: isinstance(x, lw.Data))
        assert model is not m and data.model is model
        lw.step(model, data)


def test_copies_run_on_threads_of_their_own():
    d = moving("humanoid", 1)
    twins = [copy.copy(d) for _ in range(4)]
    found = {}

    def run(k):
        found[k] = trajectory(twins[k])

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(twins))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = trajectory(d)
    for rows in found.values():
        assert np.array_equal(rows, expected)


ELSEWHERE = """
import pickle, sys
import numpy as np
import lanewise as lw

results = []
for d in pickle.load(open(sys.argv[1], "rb")):
    rows = []
    for _ in range(int(sys.argv[3])):
        lw.step(d.model, d)
        rows.append(np.array(d.qacc))
    results.append(np.array(rows))
pickle.dump(results, open(sys.argv[2], "wb"))
"""


def test_pickles_go_on_in_another_process(tmp_path):
    worlds = [moving("humanoid", 1), moving("heap", 1), moving("pgs", 4)]
    given, made = tmp_path / "given", tmp_path / "made"
    given.write_bytes(pickle.dumps(worlds))
    command = [sys.executable, "-c", ELSEWHERE, str(given), str(made), str(NSTEP)]
    subprocess.run(command, check=True)
    for d, rows in zip(worlds, pickle.loads(made.read_bytes()), strict=True):
        assert np.array_equal(rows, trajectory(d))
