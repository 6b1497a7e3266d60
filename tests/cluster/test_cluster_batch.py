"""Worlds on the nodes of a Ray cluster: the same bits as a local Batch has."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.batch import SimulationError
from lanewise.cluster import ClusterError, Rows, cluster_batch, members, nodes, pieces
from support.batches import KEYFRAMES

pytest.importorskip("ray")

NSIM = 37  # four gangs and five worlds: 24 on one node, 13 on the other


def test_worlds_are_shared_out_by_processors():
    assert nodes.split(64, [1, 1]) == [(0, 32), (32, 32)]
    assert nodes.split(37, [1, 1]) == [(0, 24), (24, 13)]
    assert nodes.split(96, [1, 2, 3]) == [(0, 16), (16, 32), (48, 48)]
    assert nodes.split(3, [4, 4]) == [(0, 3), (3, 0)]
    assert nodes.split(0, [1, 5]) == [(0, 0), (0, 0)]
    for n in (1, 8, 100, 1001):
        for weights in ([1], [3, 1], [16, 64, 2]):
            parts = nodes.split(n, weights)
            assert sum(count for _, count in parts) == n
            assert all(first % 8 == 0 for first, count in parts if count)


def test_results_are_put_together():
    parts = [
        {"x": np.zeros((2, 3)), "pair": (np.ones(2), 5), "who": "a"},
        {"x": np.ones((1, 3)), "pair": (np.ones(1), 5), "who": "b"},
    ]
    found = pieces.merged(parts)
    assert found["x"].shape == (3, 3) and found["pair"][0].shape == (3,)
    assert found["pair"][1] == 5 and found["who"] == ["a", "b"]
    unlike = [{"x": 1}, {"y": 1}]
    assert pieces.merged(unlike) == unlike
    assert pieces.nbytes_of(parts) == 9 * 8 + 3 * 8


@pytest.fixture(scope="module")
def humanoid():
    return lw.load(lw.models.path("humanoid"))


@pytest.fixture(scope="module")
def batches(cluster, humanoid):
    with lw.cluster.Batch(humanoid, NSIM) as far:
        yield lw.Batch(humanoid, NSIM, nthread=1), far


@pytest.fixture
def pair(batches, humanoid):
    """A Batch here, and one on the nodes, of which nothing is bound yet but qvel."""
    near, far = batches
    for b in batches:
        for name in b.bound:
            b.unbind(name)
        b.reset(keyframe="stand")
        b.qvel = np.linspace(-1, 1, NSIM * humanoid.nv).reshape(NSIM, -1)
    return near, far


def same(near, far, *names):
    for name in names:
        np.testing.assert_array_equal(getattr(far, name), getattr(near, name), err_msg=name)


def test_it_tells_where_worlds_are(pair):
    _, far = pair
    assert [place.worlds for place in far.nodes] == [24, 13]
    assert "37 worlds on 2 nodes: 24 at 127.0.0.1, 13 at 127.0.0.1" in repr(far)


def test_steps(pair):
    near, far = pair
    rng = np.random.default_rng(0)
    for b in pair:
        assert b.xpos.shape == (NSIM, b.model.nbody, 3)
    held = far.qpos
    for _ in range(3):
        ctrl = rng.normal(size=(NSIM, near.model.nu))
        for b in pair:
            b.ctrl = ctrl
            b.step(nstep=7)
        same(near, far, "xpos", "qpos", "ctrl")
    np.testing.assert_array_equal(held, near.qpos)  # it is live
    some = [0, 3, 23, 24, 36]
    for b in pair:
        b.qvel[some] *= 0.5
        b.step(some, nstep=4)
        b.forward(ids=[30], stage=1)
    same(near, far, "xpos", "cvel", "state", "time", "warning", "resets", "maxuse_con")


def test_contacts_and_objects_by_name(pair):
    near, far = pair
    for b in pair:
        b.step(nstep=40)
    same(near, far, "ncon")
    most = near.ncon.max()
    assert most > 0
    dist = far.contact.dist  # as long as the node with the most contacts has it
    np.testing.assert_array_equal(dist[:, :most], near.contact.dist[:, :most])
    for b in pair:
        b.step(nstep=40)
    np.testing.assert_array_equal(far.contact.geom1[:, :most], near.contact.geom1[:, :most])
    np.testing.assert_array_equal(far.body("chest").xpos, near.body("chest").xpos)
    np.testing.assert_array_equal(far.joint(1).qpos, near.joint(1).qpos)
    for ours, theirs in zip(far.pair_force(0, 5), near.pair_force(0, 5), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_states(pair):
    near, far = pair
    rows = np.random.default_rng(1).normal(size=(3, near.model.nv))
    for b in pair:
        b.set_state(rows, "qvel", ids=[1, 25, 26])
        b.step()
    for spec in ("qvel", "physics", ("time", "qacc_warmstart")):
        np.testing.assert_array_equal(far.get_state(spec), near.get_state(spec))
    np.testing.assert_array_equal(far.get_state(ids=[2, 30]), near.get_state(ids=[2, 30]))
    assert far.get_state("qpos", ids=[]).shape == (0, near.model.nq)
    assert far.state_size("qpos") == near.model.nq
    assert np.array_equal(far.get_data(30).qpos, near.get_data(30).qpos)


def test_only_what_is_bound_comes_back(pair):
    near, far = pair
    assert far.bound == ["qvel"]
    assert far.subtree_com.shape == near.subtree_com.shape
    assert far.bound == ["qvel", "subtree_com"]
    assert hasattr(far, "site_xpos")
    kept = far.subtree_com
    far.qvel[3] = 0.25
    far.unbind("subtree_com")
    far.unbind("qvel")
    assert "subtree_com" not in far.bound and "qvel" not in far.bound
    before = kept.copy()
    far.step(nstep=5)
    np.testing.assert_array_equal(kept, before)
    near.qvel[3] = 0.25
    near.step(nstep=5)
    same(near, far, "qvel")  # what was written before unbinding has gone out


def test_keyframes(cluster):
    m = lw.load(KEYFRAMES)
    keys = np.arange(NSIM) % 3 - 1
    with lw.cluster.Batch(m, NSIM, reserve=False) as far:
        near = lw.Batch(m, NSIM, nthread=1)
        for b in (near, far):
            b.reset(keyframe=keys)
        same(near, far, "state")
        for b in (near, far):
            b.reset([20, 30], keyframe="high")
            b.step()
        same(near, far, "state", "xpos")


# ---- models that differ between worlds


@pytest.fixture
def own_pair(cluster, humanoid):
    """The same, of worlds whose models may change."""
    with lw.cluster.Batch(humanoid, NSIM, reserve=False) as far:
        near = lw.Batch(humanoid, NSIM, nthread=1)
        for b in (near, far):
            b.reset(keyframe="stand")
        yield near, far


def test_models_that_change(own_pair):
    near, far = own_pair
    for b in own_pair:
        mass = b.expand("body_mass")
        mass *= np.linspace(0.8, 1.2, NSIM)[:, None]
        b.set_const()
        b.step(nstep=5)
        mass[20:30] *= 1.1  # live
        b.step(nstep=5)
        b.body(3).mass = 2.5
        b.step()
    same(near, far, "state")
    np.testing.assert_array_equal(far.expanded("dof_invweight0"), near.expanded("dof_invweight0"))
    assert far.expanded("geom_friction") is None
    for b in own_pair:  # an edit of the model is one of all worlds
        b.model.opt.gravity[2] = -3.0
        b.model.dof_damping[6:] *= 2.0
        b.step(nstep=3)
    same(near, far, "state")


@lw.kernel
def spring(m, d, p):
    d.ctrl[0] = p.pull[0] * d.qpos[0] + p.pull[1]
    p.count[0] = p.count[0] + 1.0


def test_user_code_and_its_parameters(cluster):
    m = lw.load(KEYFRAMES, control=spring, parameters={"pull": [-3.0, 0.5]}, state={"count": 1})
    with lw.cluster.Batch(m, NSIM, reserve=False) as far:
        near = lw.Batch(m, NSIM, nthread=1)
        for b in (near, far):
            b.step(nstep=4)
            b.parameters["pull"] = [-1.0, 0.2]
            b.step(nstep=4)
            b.parameters.expand("pull")[:, 1] = np.linspace(0, 1, NSIM)
            b.step(nstep=4)
        same(near, far, "state")
        np.testing.assert_array_equal(far.user("count"), np.full((NSIM, 1), 12.0))
        assert dict(far.parameters)["pull"].shape == (NSIM, 2)


# ---- rollouts


def test_rollout(pair, monkeypatch):
    near, far = pair
    monkeypatch.setattr(cluster_batch, "BLOCK", 20_000)  # several blocks a node
    nu = near.model.nu
    control = np.random.default_rng(2).normal(size=(NSIM, 6, nu))
    record = ("qpos", "xpos", 1 << 1)
    ours = far.rollout(6, control=control, record=record)
    theirs = near.rollout(6, control=control, record=record)
    assert list(ours) == list(theirs)
    assert len(list(ours.blocks("qpos"))) > 2
    np.testing.assert_array_equal(np.concatenate(list(ours.blocks("xpos"))), theirs["xpos"])
    for item in record:
        np.testing.assert_array_equal(ours[item], theirs[item])
    out = {"qvel": np.empty((3, 2, near.model.nv))}
    kwargs = {"ids": [5, 23, 24], "control": control[:3, :2], "record": ("qvel",)}
    assert far.rollout(2, **kwargs, out=out)["qvel"] is out["qvel"]
    np.testing.assert_array_equal(out["qvel"], near.rollout(2, **kwargs)["qvel"])
    same(near, far, "state")
    assert far.rollout(2, ids=[])["qpos"].shape == (0, 2, near.model.nq)
    with pytest.raises(KeyError, match="'qacc' was not recorded"):
        _ = ours["qacc"]


def test_rollouts_of_planners(cluster):
    m = lw.load(lw.models.path("cartpole"))
    rng = np.random.default_rng(3)
    size = lw.Batch(m, 1).state_size("fullphysics")
    start, control = rng.normal(size=(1, size)), rng.normal(size=(21, 5, m.nu))
    for _ in range(2):
        ours = lw.cluster.rollout(m, None, start, control)
        theirs = lw.rollout.rollout(m, None, start, control)
        for x, y in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(x, y)
        m.opt.timestep *= 2  # an edited model is another
    heavy = lw.load(m)
    heavy.body_mass[1] *= 2
    models = [m] * 10 + [heavy] * 11
    ours = lw.cluster.rollout(models, None, start, control, persistent_pool=False)
    theirs = lw.rollout.rollout(models, None, start, control)
    np.testing.assert_array_equal(ours[0], theirs[0])
    with pytest.raises(ValueError, match="trailing dimension of control"):
        lw.cluster.rollout(m, None, start, control[..., :0], persistent_pool=False)


def test_other_questions(pair):
    near, far = pair
    for ours, theirs in zip(far.ask("jac_body", "chest"), near.jac_body("chest"), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    qacc = np.random.default_rng(4).normal(size=(NSIM, near.model.nv))
    np.testing.assert_array_equal(far.ask("inverse", Rows(qacc)), near.inverse(qacc))
    some = np.array([3, 30])
    np.testing.assert_array_equal(
        far.ask("inverse", Rows(qacc[some]), ids=some), near.inverse(qacc[some], ids=some)
    )
    with pytest.raises(ValueError, match="a Batch has no method 'jac_boddy'"):
        far.ask("jac_boddy")
    with pytest.raises(ValueError, match="call step itself"):
        far.ask("step")


# ---- what users get wrong


def test_wrong_arguments(pair):
    near, far = pair
    calls = {
        "step": [{"nstep": 0}, {"ids": [1, 1]}, {"ids": [99]}, {"stage": 7}, {"ids": 3}],
        "reset": [{"keyframe": 99}, {"keyframe": "nobody"}],
        "set_state": [{"state": np.zeros((2, 3))}],
        "rollout": [
            {"nstep": 2, "record": "qpos"},
            {"nstep": 2, "record": ["contact.dist"]},
            {"nstep": 2, "control": np.zeros((3, 4, 5))},
            {"nstep": 2, "control_spec": 1, "control": np.zeros((NSIM, 2, 1))},
            {"nstep": 2, "out": {"qpos": np.zeros(3)}},
        ],
        "expand": [{"name": "body_masss"}, {"name": "qpos"}],
        "bind": [{"name": "xposs"}],
    }
    for name, wrong in calls.items():
        for kwargs in wrong:
            with pytest.raises(Exception) as theirs:
                getattr(near, name)(**kwargs)
            with pytest.raises(type(theirs.value)) as ours:
                getattr(far, name)(**kwargs)
            assert str(ours.value) == str(theirs.value)
    for name, value in (("qpos", np.zeros(3)), ("xpos", 1.0), ("nsim", 3), ("qqpos", 0.0)):
        with pytest.raises(Exception) as theirs:
            setattr(near, name, value)
        with pytest.raises(type(theirs.value)) as ours:
            setattr(far, name, value)
        assert str(ours.value) == str(theirs.value)
    with pytest.raises(TypeError, match="use a kernel"):
        far.step(control=lambda b: None)
    with pytest.raises(AttributeError, match=r"ask\('jac_body', ...\)"):
        far.jac_body("chest")
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        __import__("copy").copy(far)


def test_errors_name_the_worlds(cluster):
    m = lw.load(KEYFRAMES)
    with lw.cluster.Batch(m, NSIM, reserve=False) as far:
        far.qvel = 1.0
        integrator = far.expand("opt.integrator")
        integrator[[3, 30]] = 99
        with pytest.raises(
            SimulationError, match=r"2 of 37 simulations \(3, 30\); simulation 3: .*99"
        ) as e:
            far.step()
        np.testing.assert_array_equal(e.value.ids, [3, 30])
        np.testing.assert_array_equal(np.flatnonzero(far.status), [3, 30])
        assert "99" in far.error(30) and not far.error(0)
        assert not far.time[[3, 30]].any() and np.delete(far.time, [3, 30]).all()
        integrator[:] = 0
        far.step()
        assert not far.error(30) and not far.status.any()


def test_warnings_come_here_with_the_numbers_of_worlds(pair):
    _, far = pair
    far.qpos[30, 2] = np.nan
    with pytest.warns(RuntimeWarning, match="in world 30: the world was reset"):
        far.step()
    assert far.resets[30] == 1 and far.resets.sum() == 1


def test_processors_that_are_taken(pair, monkeypatch):
    near, _ = pair
    monkeypatch.setattr(members, "STARTING", 2.0)
    with pytest.raises(ClusterError, match=r"1 processors may be in use by others.*reserve=False"):
        lw.cluster.Batch(near.model, 8)
    monkeypatch.undo()
    with lw.cluster.Batch(near.model, 8, reserve=False) as other:
        other.step()
        assert [place[:2] for place in other.nodes] == [("127.0.0.1", 8)]
        qvel = other.qvel
    other.close()
    assert other.qvel is qvel and "closed" in repr(other)
    with pytest.raises(ClusterError, match="closed"):
        other.step()
