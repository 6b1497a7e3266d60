"""Push, Latency and Noise: what arrives where and when."""

import numpy as np
import pytest

from lanewise.errors import UnknownName
from lanewise.gym import Latency, Noise, Push, VectorEnv
from support.gym_tasks import Slide, SlideOnArrays

N = 10


class Floating(Slide):
    """Without gravity and contacts: what moves was pushed."""

    model = Slide.model.replace(
        'timestep=".01"', 'timestep=".01" gravity="0 0 0"'
    ).replace('type="plane"', 'type="plane" contype="0" conaffinity="0"')  # fmt: skip

    def start(self, batch, ids, draws):
        pass


def run(env, steps, action=0.0):
    """(steps, N, ...) of xfrc_applied and observations."""
    forces, seen = [], []
    for _ in range(steps):
        seen.append(env.step(np.full(env.action_space.shape, action))[0])
        forces.append(env.batch.xfrc_applied.copy())
    return np.array(forces), np.array(seen)


# --------------------------------------------------------------------------------------------- Push


def test_kicks_come_at_random_times_and_change_the_velocity():
    env = VectorEnv(Floating(), N, options=[Push("trunk", (0.1, 0.3), velocity=(0.5, 1.0))])
    before, _ = env.reset(seed=0)
    _, seen = run(env, 30)
    speeds = np.concatenate([before[None], seen])[:, :, 9:12]
    kicks = np.linalg.norm(np.diff(speeds, axis=0)[:, :, :2], axis=2)
    kicked = kicks > 0.1
    assert np.array_equal(kicked.sum(axis=0), env.options[0].count)
    assert (kicked.sum(axis=0) >= 1).all() and kicked.sum() > 1.5 * N
    first = kicked.argmax(axis=0)
    assert len(set(first.tolist())) > 2 and (first >= 5 - 1).all()  # 0.1 s are 5 environment steps
    assert np.abs(speeds[..., 2]).max() < 0.2 * kicks.max()  # horizontal, but for what turning does


def test_a_force_lasts_and_leaves_nothing():
    push = Push("trunk", (0.1, 0.3), force=(5.0, 9.0), duration=0.06, direction="any")
    env = VectorEnv(Floating(), N, options=[push])
    env.reset(seed=0)
    forces, _ = run(env, 38)
    assert (forces[:, :, [0, 2, 3]] == 0.0).all() and (forces[..., 3:] == 0.0).all()
    pushed = np.linalg.norm(forces[:, :, 1, :3], axis=2)
    on = pushed > 0.0
    assert on.any(axis=0).all() and (pushed[on] >= 5.0).all() and (pushed[on] <= 9.0).all()
    for w in range(N):  # runs of three environment steps of 0.02 s
        edges = np.flatnonzero(np.diff(np.concatenate([[0], on[:, w], [0]])))
        assert all(b - a == 3 or b == len(on) for a, b in edges.reshape(-1, 2))
    assert (np.abs(forces[..., 2]) > 1.0).any()
    # in the middle of a push
    while not push._left.max() > 1:
        env.step(np.zeros((N, 2)))
    env.reset()
    assert (env.batch.xfrc_applied == 0.0).all()
    assert (run(env, 4)[0] == 0.0).all()


def test_forces_of_the_users_stay():
    env = VectorEnv(Floating(), N, options=[Push("trunk", 0.1, force=5.0, duration=0.02)])
    env.reset(seed=0)
    env.batch.xfrc_applied[:, 2, 2] = 1.5
    forces, _ = run(env, 10)
    assert (forces[:, :, 2, 2] == 1.5).all() and (forces[:, :, 1] != 0.0).any()


def test_mistakes_of_pushes():
    for arguments, message in (
        ({}, "either a velocity .* or a force"),
        ({"velocity": 1.0, "force": 1.0}, "either a velocity"),
        ({"velocity": (2.0, 1.0)}, r"velocity is a number from 0 on, or a pair"),
        ({"force": 1.0, "every": 0.0}, "every is the time between pushes, greater than 0"),
        ({"force": 1.0, "direction": "up"}, "direction is one of 'horizontal', 'any', got 'up'"),
    ):
        with pytest.raises(ValueError, match=message):
            Push("trunk", **arguments)
    with pytest.raises(UnknownName, match="no body 'torso'"):
        VectorEnv(Slide(), 2, options=[Push("torso", force=1.0)])
    with pytest.raises(ValueError, match="'left_leg' has no free joint.* push it with force="):
        VectorEnv(Slide(), 2, options=[Push("left_leg", velocity=1.0)])
    with pytest.raises(ValueError, match="the world cannot be pushed"):
        VectorEnv(Slide(), 2, options=[Push(0, force=1.0)])
    with pytest.raises(ValueError, match="two options push body 'trunk' with forces"):
        VectorEnv(Slide(), 2, options=[Push("trunk", force=1.0), Push("trunk", force=2.0)])


# ------------------------------------------------------------------------------------------ Latency


class Taken(SlideOnArrays):
    """What worlds were told last."""

    def observation(self, batch):
        return batch.ctrl.copy()


def test_actions_arrive_late():
    env = VectorEnv(Taken(), N, options=[Latency(actions=(0, 3))])
    env.reset(seed=0)
    delays = env.options[0].delays["actions"].copy()
    assert set(delays.tolist()) <= {0, 1, 2, 3} and len(set(delays.tolist())) > 2
    given = np.random.default_rng(0).uniform(-1, 1, (8, N, 2))
    for k in range(8):
        taken = env.step(given[k])[0]
        for w in range(N):
            wanted = given[k - delays[w], w] if k >= delays[w] else np.zeros(2)
            assert np.array_equal(taken[w], wanted)
    env.reset()
    assert not np.array_equal(env.options[0].delays["actions"], delays)


def test_observations_are_old():
    options = [Latency(observations=(0, 2))]
    env, fresh = VectorEnv(Slide(), N, options=options), VectorEnv(Slide(), N)
    rows = [fresh.reset(seed=0)[0]]
    assert np.array_equal(env.reset(seed=0)[0], rows[0])
    delays = env.options[0].delays["observations"]
    assert set(delays.tolist()) == {0, 1, 2}
    for k in range(1, 6):
        rows.append(fresh.step(np.ones((N, 2)))[0])
        seen = env.step(np.ones((N, 2)))[0]
        for w in range(N):
            assert np.array_equal(seen[w], rows[max(0, k - delays[w])][w])


def test_actions_are_late_by_substeps():
    """As if every substep were an environment step."""
    late = VectorEnv(Slide(), N, options=[Latency(actions=(0, 5), unit="substep")])
    late.reset(seed=0)
    delays = late.options[0].delays["actions"]
    assert len(set(delays.tolist())) > 3

    class Substeps(Slide):
        frame_skip, max_episode_steps = 1, None

    exact = VectorEnv(Substeps(), N)
    exact.reset(seed=0)
    given = np.random.default_rng(0).uniform(-1, 1, (20, N, 2))
    for k in range(20):
        seen = late.step(given[k])[0]
        for sub in (2 * k, 2 * k + 1):
            at = sub - delays
            actions = np.where((at >= 0)[:, None], given[np.maximum(at, 0) // 2, np.arange(N)], 0.0)
            wanted = exact.step(actions)[0]
        assert np.allclose(seen, wanted, rtol=0, atol=1e-12)


def test_before_the_first_action_worlds_keep_their_controls():
    class Told(Slide):
        def start(self, batch, ids, draws):
            batch.ctrl[ids] = [0.5, -0.25]

    env = VectorEnv(Told(), N, options=[Latency(actions=6, unit="substep")])
    twin = VectorEnv(Told(), N)
    env.reset(seed=0), twin.reset(seed=0)
    for _ in range(3):
        seen, wanted = env.step(np.ones((N, 2)))[0], twin.step(np.tile([0.5, -0.25], (N, 1)))[0]
        assert np.allclose(seen, wanted, rtol=0, atol=1e-12)
    assert not np.allclose(
        env.step(np.ones((N, 2)))[0], twin.step(np.tile([0.5, -0.25], (N, 1)))[0]
    )


def test_mistakes_of_latency():
    with pytest.raises(ValueError, match="latency of actions is a number from 0 on"):
        Latency(actions=(3, 1))
    with pytest.raises((ValueError, TypeError), match="whole number"):
        Latency(observations=0.5)
    with pytest.raises(ValueError, match="unit is one of 'step', 'substep', got 'second'"):
        Latency(actions=1, unit="second")


# -------------------------------------------------------------------------------------------- Noise


@pytest.mark.parametrize("kind", ["normal", "uniform"])
def test_noise_has_its_size_by_component(kind):
    sizes = np.linspace(0.0, 0.2, 17)
    noisy = VectorEnv(Slide(), 400, options=[Noise(sizes, kind=kind)])
    plain = VectorEnv(Slide(), 400)
    off = [noisy.reset(seed=0)[0] - plain.reset(seed=0)[0]]
    for _ in range(3):
        off.append(noisy.step(np.zeros((400, 2)))[0] - plain.step(np.zeros((400, 2)))[0])
    off = np.concatenate(off)
    deviation = sizes if kind == "normal" else sizes / np.sqrt(3.0)
    assert np.abs(off.std(axis=0) - deviation).max() < 0.01
    assert np.abs(off.mean(axis=0)).max() < 0.02 and (off[:, 0] == 0.0).all()
    if kind == "uniform":
        assert (np.abs(off) <= sizes + 1e-12).all()
    assert len(np.unique(off[:, -1])) == len(off)


def test_noise_of_actions_keeps_their_type():
    env = VectorEnv(Taken(), N, options=[Noise(actions=[0.0, 0.2])])
    env.reset(seed=0)
    given = np.full((N, 2), 0.25, np.float32)
    taken = env.step(given)[0]
    assert (taken[:, 0] == 0.25).all() and len(np.unique(taken[:, 1])) == N
    assert (given == 0.25).all() and np.array_equal(taken, taken.astype(np.float32))


def test_mistakes_of_noise():
    with pytest.raises(ValueError, match="noise of observations is a number from 0 on, got -1"):
        Noise(-1.0)
    with pytest.raises(ValueError, match="kind is one of 'normal', 'uniform', got 'pink'"):
        Noise(1.0, kind="pink")
    with pytest.raises(ValueError, match=r"noise of actions is a number, or 2 of them; got shape"):
        VectorEnv(Slide(), 2, options=[Noise(actions=[0.1, 0.1, 0.1])])
