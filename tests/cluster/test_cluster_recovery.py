"""Processes and nodes that die: nothing is lost, and no bit is another."""

import os
import signal
import sys
import threading
import time
import types

import numpy as np
import pytest

import lanewise as lw
from lanewise.cluster import ClusterError, Rows, Spread, cluster_batch, spread
from support.batches import KEYFRAMES

ray = pytest.importorskip("ray")

NSIM = 37


def kill(far, k):
    """End the process of a node, and wait until it is gone."""
    pid = far.members[k].pid
    os.kill(pid, signal.SIGKILL)
    while os.path.exists(f"/proc/{pid}"):
        time.sleep(0.01)


def same(near, far, *names):
    for name in names:
        np.testing.assert_array_equal(getattr(far, name), getattr(near, name), err_msg=name)


@pytest.fixture(scope="module")
def humanoid():
    return lw.load(lw.models.path("humanoid"))


def batches(model, **how):
    return lw.Batch(model, NSIM, nthread=1), lw.cluster.Batch(model, NSIM, **how)


@lw.kernel
def push(m, d, p):
    d.ctrl[0] = p.gain[0] * d.qpos[0]
    p.calls[0] = p.calls[0] + 1.0


def test_killed_between_calls(cluster):
    """All that worlds are comes back: what was written, counted, expanded and bound."""
    m = lw.load(KEYFRAMES, control=push, parameters={"gain": [0.1]}, state={"calls": 1})
    near, far = batches(m, checkpoint=4)
    with far:
        hosts = far._far.spread
        for k in range(8):
            for b in (near, far):
                b.qfrc_applied[:, 1] += 0.01 * k
                if k == 1:
                    b.expand("body_mass")[:, 1] = np.linspace(1, 2, NSIM)
                    b.parameters.expand("gain")[:, 0] = np.linspace(-1, 0, NSIM)
                    b.set_const()
                if k == 2:
                    assert b.xpos.any()
                if k == 5:
                    b.expand("body_mass")[4:30, 2] *= 3.0
                if k == 6:
                    b.model.opt.timestep *= 0.5
                b.step(nstep=3)
                b.step(ids=[0, 22, 30], nstep=2)
                b.forward(ids=[3, 30], stage=1)
            if k in (3, 6):
                kill(hosts, k % 2)
        same(near, far, "state", "xpos", "resets", "maxuse_con", "warning")
        np.testing.assert_array_equal(far.user("calls"), near.user("calls"))


def test_killed_in_the_middle_of_a_call(cluster, humanoid):
    near, far = batches(humanoid, checkpoint=3)
    with far:
        for b in (near, far):
            b.reset(keyframe="stand")
            b.qvel[:] = np.linspace(-1, 1, NSIM)[:, None]
            b.step(nstep=2)
        first = [member.pid for member in far._far.spread.members]
        near.step(nstep=6_000)
        started = threading.Timer(0.2, kill, (far._far.spread, 0))
        started.start()
        far.step(nstep=6_000)
        started.join()
        assert far._far.spread.members[0].pid != first[0]
        assert far._far.spread.members[1].pid == first[1]
        same(near, far, "state")


def test_a_node_is_gone(cluster, humanoid, monkeypatch):
    """Its worlds go on elsewhere, and what was recorded there is computed again."""
    monkeypatch.setattr(cluster_batch, "BLOCK", 200_000)  # so large that the node's store has it
    third = cluster.add()
    near, far = batches(humanoid, checkpoint=100)
    with far:
        assert [place.worlds for place in far.nodes] == [16, 16, 5]
        for b in (near, far):
            b.reset(keyframe="stand")
            b.step(nstep=3)
        ours = far.rollout(100, record=("qpos", "qvel"))
        theirs = near.rollout(100, record=("qpos", "qvel"))
        for b in (near, far):
            b.step(nstep=3)
        here = [m.node.id for m in far._far.spread.members].index(third.node_id)
        cluster.kill(third)
        for item in ours:
            np.testing.assert_array_equal(ours[item], theirs[item])
        for _ in range(3):
            for b in (near, far):
                b.step(nstep=3)
        assert far._far.spread.members[here].node.id != third.node_id
        same(near, far, "state")


def test_planners_lose_nothing(cluster):
    m = lw.load(lw.models.path("cartpole"))
    size = lw.Batch(m, 1).state_size("fullphysics")
    rng = np.random.default_rng(3)
    start, control = rng.normal(size=(1, size)), rng.normal(size=(21, 5, m.nu))
    theirs = lw.rollout.rollout(m, None, start, control)
    with lw.cluster.Rollout() as planner:
        for _ in range(2):
            ours = planner.rollout(m, None, start, control)
            np.testing.assert_array_equal(ours[0], theirs[0])
            kill(planner._spread, 1)
        np.testing.assert_array_equal(planner.rollout(m, None, start, control)[0], theirs[0])


def test_an_interrupted_call_has_not_happened(cluster, humanoid, monkeypatch):
    near, far = batches(humanoid)
    with far:
        monkeypatch.setattr(spread, "WORTH", 20_000)
        monkeypatch.setattr(spread, "SECONDS", np.inf)
        member = far._far.spread.members[0]
        waits = -(-len(member.kept) // 20_000)
        assert waits > 1
        for k in range(2 * waits):  # it is kept by its size
            assert len(member.since) == k % waits
            far.step()
            near.step()
        for b in (near, far):
            b.reset(keyframe="stand")
            b.step(nstep=3)
            b.ctrl[:, 2] = 0.3
        line = far._far.spread._line
        monkeypatch.setattr(line, "some", lambda refs: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            far.step(nstep=100)
        monkeypatch.undo()
        for b in (near, far):
            b.step(nstep=3)
        same(near, far, "state")


# ---- anything else than a Batch


class Environments:
    """A stand-in for vector environments: random, with episodes, on a Batch."""

    def __init__(self, model, share, seed):
        self.batch = lw.Batch(model, share.count, nthread=share.nthread)
        self.rng = np.random.default_rng([seed, share.first])
        self.age = np.zeros(share.count, int)

    def reset(self):
        self.batch.reset()
        self.batch.qpos[:] += self.rng.uniform(-0.1, 0.1, self.batch.qpos.shape)
        self.age[:] = 0
        return self.batch.get_state("physics"), {"age": self.age.copy()}

    def step(self, actions):
        self.batch.ctrl[:] = actions
        self.batch.step(nstep=3)
        self.age += 1
        ended = self.rng.uniform(size=len(self.age)) < 0.2
        self.batch.reset(ids=ended, stage=0)
        self.age[ended] = 0
        return self.batch.get_state("physics"), -(self.batch.qpos[:, 0] ** 2), ended

    def fail(self):
        raise KeyError("nothing of that name")

    def die(self):
        os._exit(1)


class KeptEnvironments(Environments):
    """The same, with what there is to keep told by itself."""

    def keep(self):
        return self.batch.state.copy(), self.age, self.rng.bit_generator.state

    def take(self, kept):
        self.batch.state[:], self.age[:], self.rng.bit_generator.state = kept


@pytest.mark.parametrize("kind", [Environments, KeptEnvironments])
def test_environments(cluster, kind, monkeypatch):
    monkeypatch.setattr(spread, "ATTEMPTS", 2)
    n, m = 21, lw.load(lw.models.path("cartpole"))
    ray.cloudpickle.register_pickle_by_value(__import__(__name__))  # nodes have no tests
    shares = [lw.cluster.Share(0, 16, 1), lw.cluster.Share(16, 5, 1)]
    near = [kind(m, share, 7) for share in shares]
    rng = np.random.default_rng(0)
    with Spread(kind, n, m, args=[7], checkpoint=5) as far:
        for k in range(9):
            if k % 5 == 0:
                found = far.call("reset")
                state = np.concatenate([e.reset()[0] for e in near])
                assert found[0].shape == state.shape and found[1]["age"].shape == (n,)
            if k == 3:
                kill(far, 1)
            actions = rng.normal(size=(n, m.nu))
            found = far.call("step", Rows(actions))
            wanted = [e.step(actions[s.rows]) for e, s in zip(near, shares, strict=True)]
            for ours, theirs in zip(found, zip(*wanted, strict=True), strict=True):
                np.testing.assert_array_equal(ours, np.concatenate(theirs))
        with pytest.raises(KeyError, match="nothing of that name"):
            far.call("fail")
        with pytest.raises(ValueError, match="a row for each of 21"):
            far.call("step", Rows(actions[:3]))
        if kind is Environments:
            with pytest.raises(ClusterError, match="2 processes in succession died over `die`"):
                far.call("die")
        actions = rng.normal(size=(n, m.nu))  # and objects are as before
        ours = far.call("step", Rows(actions))[0]
        theirs = [e.step(actions[s.rows])[0] for e, s in zip(near, shares, strict=True)]
        np.testing.assert_array_equal(ours, np.concatenate(theirs))


class Unkept:
    def __init__(self, model, share):
        self.lock = threading.Lock()


def test_what_nodes_cannot_make_is_refused(cluster, monkeypatch):
    here = types.ModuleType("only_here")
    exec("def make(model, share): return share", vars(here))
    monkeypatch.setitem(sys.modules, "only_here", here)
    with pytest.raises(ClusterError, match="a node cannot import .* No module named 'only_here'"):
        Spread(here.make, 8)
    ray.cloudpickle.register_pickle_by_value(__import__(__name__))
    with pytest.raises(ClusterError, match=r"Unkept could not be restored .* no methods keep\(\)"):
        Spread(Unkept, 8)
