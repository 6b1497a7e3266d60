"""Without a cluster: clear errors, and what was kept is at hand."""

import subprocess
import sys

import pytest

import lanewise as lw
from support.places import ROOT, TESTS

ray = pytest.importorskip("ray")


def run(code, **environment):
    """A program in a process of its own."""
    import os

    paths = f"{ROOT}{os.pathsep}{TESTS}"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )  # fmt: skip


HEAD = """
import numpy as np
import pytest
import lanewise as lw
from lanewise.cluster import line

line.PATIENCE, line.LOOK = 1.0, 0.0  # every call looks
m = lw.load(lw.models.path("cartpole"))
with lw.cluster.Trial(nodes=1) as cluster:
    far = lw.cluster.Batch(m, 19, checkpoint=2)
    near = lw.Batch(m, 19, nthread=1)
    for b in (near, far):
        b.qvel = np.linspace(-1, 1, 19)[:, None]
        b.step(nstep=3)
        b.step(nstep=3)
    far.step(nstep=3)
    cluster.kill_head()
    with pytest.raises(lw.ClusterError) as lost:
        far.step(nstep=3)
    print(lost.value)
    assert np.array_equal(far.state, near.state)
    assert np.array_equal(far.get_state("qpos"), near.qpos)
    assert np.array_equal(far.qvel, near.qvel)
    for call in (far.step, far.reset, lambda: far.xpos, lambda: far.rollout(3)):
        with pytest.raises(lw.ClusterError, match="the cluster is lost"):
            call()
    assert "a cluster that is lost" in repr(far)
    far.close()
print("alive")
"""


def test_the_head_dies():
    done = run(HEAD)
    assert done.returncode == 0, done.stderr
    assert "nobody answers at 127.0.0.1" in done.stdout
    assert "1 call since it was last kept here; `state` has the worlds as they were then" in (
        done.stdout
    )
    assert done.stdout.strip().endswith("alive")


def test_ray_was_shut_down(cluster, monkeypatch):
    with lw.cluster.Rollout() as planner:
        assert planner.is_usable
        with monkeypatch.context() as patch:
            patch.setattr(ray, "is_initialized", lambda: False)
            assert not planner.is_usable


MISSING = """
import sys
sys.modules["ray"] = None
import lanewise as lw
try:
    lw.cluster.Batch(lw.load(lw.models.path("pendulum")), 8)
except ImportError as error:
    print(error)
"""


def test_without_ray():
    assert run(MISSING).stdout.strip() == (
        "lanewise.cluster needs ray: pip install 'lanewise[cluster]'"
    )


NOBODY = """
import lanewise as lw
try:
    lw.cluster.Batch(lw.load(lw.models.path("pendulum")), 8)
except lw.ClusterError as error:
    print(error)
"""


def test_nobody_at_the_address():
    said = run(NOBODY, RAY_ADDRESS="127.0.0.1:1").stdout
    assert said.startswith("nobody answers at RAY_ADDRESS=127.0.0.1:1: start a cluster there")
