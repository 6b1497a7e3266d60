"""A session without a picture: what play, scrub, drag and sliders do to the worlds."""

import itertools
import threading
import time

import numpy as np
import pytest

import lanewise as lw
from lanewise.viewer.session import Session
from support.viewing import BOX, LOWER, TARGET, session


def settled(s, condition, seconds=60.0):
    """Wait for what another thread does."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def test_play_runs_as_much_as_time_passes():
    s = session()
    s.play()
    for _ in range(10):
        s.turn(0.04)
    assert s.batch.time == pytest.approx(0.4, abs=0.005)
    assert s.frame.clock == pytest.approx(0.4, abs=0.005)
    assert np.array_equal(s.frame.state, s.batch.state)
    s.pause()
    s.turn(0.04)
    s.turn(0.04)
    assert s.batch.time == pytest.approx(0.4, abs=0.005)


def test_speed():
    s = session()
    s.set_speed(0.5)
    s.play()
    for _ in range(10):
        s.turn(0.04)
    assert s.batch.time == pytest.approx(0.2, abs=0.005)


def test_worlds_that_take_too_long_run_slower():
    """A fifth of a second passes from each look at the clock to the next."""
    ticks = itertools.count()
    s = session(now=lambda: 0.2 * next(ticks))
    s.play()
    for _ in range(20):
        s.turn(0.04)
    assert 0.1 < s.frame.clock < 0.6
    assert s.factor < 0.9


def test_steps_are_those_of_the_batch():
    s = session()
    alone = lw.Batch(s.model, nsim=3, nthread=1)
    s.step()
    s.step(4)
    s.turn(0.0)
    alone.step(nstep=5)
    assert np.array_equal(s.batch.state, alone.state)
    assert len(s.tape) == 3 and not s.playing


def test_reset_and_keyframe():
    s = session()
    begin = s.batch.state.copy()
    s.step(50)
    s.reset()
    s.turn(0.0)
    assert np.array_equal(s.batch.state, begin) and len(s.tape) == 1
    s.keyframe("ready")
    s.turn(0.0)
    assert np.array_equal(s.batch.qpos, np.tile(s.model.key_qpos[0], (3, 1)))
    assert s.frame.clock == 0.0


def test_scrub_shows_the_past_and_leaves_the_worlds():
    s = session()
    for _ in range(20):
        s.step()
    s.turn(0.0)
    now = s.batch.state.copy()
    s.scrub(10 * 0.004)
    s.turn(0.0)
    assert s.cursor == 10 and s.frame.clock == pytest.approx(0.04)
    assert np.array_equal(s.batch.state, now)
    s.scrub(1e9)
    s.turn(0.0)
    assert s.cursor is None and np.array_equal(s.frame.state, now)


def test_play_again_shows_the_same_frames():
    s = session()
    for _ in range(20):
        s.step()
    s.turn(0.0)
    recorded = [frame.serial for frame in s.tape.frames()]
    s.scrub(0.0)
    s.turn(0.0)
    seen = [s.frame.serial]
    s.play()
    for _ in range(30):
        s.turn(0.004)
        seen.append(s.frame.serial)
    assert list(dict.fromkeys(seen)) == recorded
    assert not s.playing and s.cursor is None and len(s.tape) == 21


def test_simulating_from_the_past_gives_the_same_bits():
    s = session()
    for _ in range(20):
        s.step()
    s.turn(0.0)
    end = s.batch.state.copy()
    s.scrub(0.02)
    s.simulate_here()
    s.turn(0.0)
    assert len(s.tape) == 6 and s.cursor is None
    s.step(15)
    s.turn(0.0)
    assert np.array_equal(s.batch.state, end)


def test_sliders_write_one_world_or_all():
    s = session()
    s.set_ctrl(1, 0, 0.7)
    s.set_ctrl(None, 1, -0.3)
    s.set_joint(2, 1, 0.9)
    s.turn(0.0)
    assert s.batch.ctrl.tolist() == [[0.0, -0.3], [0.7, -0.3], [0.0, -0.3]]
    assert s.batch.qpos[:, 1].tolist() == [0.0, 0.0, 0.9]
    assert s.frame.state is not s.batch.state and np.array_equal(s.frame.state, s.batch.state)


def test_a_slider_in_the_past_goes_on_from_there():
    s = session()
    for _ in range(20):
        s.step()
    s.scrub(0.02)
    s.set_joint(0, 0, 0.5)
    s.turn(0.0)
    assert s.cursor is None and s.frame.clock == pytest.approx(0.02)
    assert s.batch.qpos[0, 0] == 0.5


@pytest.mark.parametrize("body", [LOWER, BOX])
def test_a_drag_is_felt_by_one_world(body):
    s = session()
    free = session()
    point = [0.1, 0.0, 0.02]
    s.grab(1, body, point)
    s.turn(0.0)
    goal = s.hand.place() + ([-0.1, 0.0, 0.2] if body == LOWER else [0.0, 0.2, 0.25])
    before = np.linalg.norm(s.hand.place() - goal)
    s.pull(goal)
    for t in (s, free):
        t.play()
        for _ in range(50):
            t.turn(0.02)
    assert np.linalg.norm(s.hand.place() - goal) < 0.5 * before
    assert np.array_equal(s.batch.state[[0, 2]], free.batch.state[[0, 2]])
    assert np.abs(s.batch.qpos[1] - free.batch.qpos[1]).max() > 0.01
    s.let_go()
    s.turn(0.0)
    assert s.hand is None and not s.batch.xfrc_applied.any()


@pytest.mark.parametrize("strength", [1.0, 10.0])
def test_a_strong_pull_at_the_end_of_a_light_limb_is_stable(strength):
    m = lw.load(lw.models.path("humanoid"))
    s = Session(lw.Batch(m, nsim=1, nthread=1), m, now=lambda: 0.0)
    limb = m.mj.body("right_forearm").id
    s.grab(0, limb, [0.18, 0.18, 0.18], strength)
    s.turn(0.0)
    s.pull(s.hand.place() + [0.3, 0.2, 0.9])
    s.play()
    for _ in range(150):
        s.turn(0.02)
    assert not s.batch.resets.any() and np.abs(s.batch.qvel).max() < 50.0
    assert s.batch.qpos[0, 2] > 0.5  # it hangs there


def test_the_spring_adds_to_what_is_applied():
    s = session()
    s.batch.xfrc_applied[0, BOX] = [0, 0, 1, 0, 0, 0]
    s.grab(0, BOX, [0, 0, 0])
    s.turn(0.0)
    s.hand.goal = s.hand.place() + [1, 0, 0]
    s.hand.pull(0.004)
    assert s.hand.force[0] > 0.0
    assert s.batch.xfrc_applied[0, BOX, :3] == pytest.approx(s.hand.force + [0, 0, 1])
    s.let_go()
    s.turn(0.0)
    assert s.batch.xfrc_applied[0, BOX].tolist() == [0, 0, 1, 0, 0, 0]


def test_a_mocap_body_is_put_where_the_mouse_is():
    s = session()
    s.grab(2, TARGET, [0, 0, 0])
    s.pull([0.1, 0.2, 0.7])
    s.play()
    s.turn(0.05)
    assert s.batch.mocap_pos[2, 0] == pytest.approx([0.1, 0.2, 0.7])
    assert s.batch.mocap_pos[0, 0] == pytest.approx([-0.4, 0, 0.3])


def test_what_cannot_move_is_not_grabbed():
    s = session()
    s.grab(0, 0, [0, 0, 0])
    s.turn(0.0)
    assert s.hand is None


def test_a_function_in_the_loop():
    calls = []

    def hold(batch):
        calls.append(batch.nsim)
        batch.ctrl[:] = batch.qfrc_bias[:, :2]

    s = session(control=hold)
    s.play()
    s.turn(0.05)
    assert calls == [3] * 12 and s.error is None
    assert np.abs(s.batch.qpos[:, :2]).max() < 1e-9


def test_a_function_in_the_loop_of_runge_kutta():
    """Which has no halves: the function is called before each step."""
    m = lw.load(lw.models.path("pendulum"))
    m.opt.integrator = 1
    seen = []

    def push(batch):
        seen.append(batch.time[0])
        batch.ctrl[:] = batch.qvel

    s = Session(lw.Batch(m, nsim=2, nthread=1), m, push)
    s.step(3)
    s.turn(0.0)
    assert s.error is None
    assert seen == pytest.approx(m.opt.timestep * np.arange(3))


def test_a_controller_may_take_the_steps_itself():
    class Twice:
        """Each step is made of two."""

        def advance(self, batch, nstep):
            batch.step(nstep=2 * nstep)

    s = session(control=Twice())
    s.step(5)
    s.turn(0.0)
    assert s.error is None
    assert s.batch.time == pytest.approx(10 * 0.004)


def test_an_error_of_user_code_is_shown_and_pauses():
    def fail(batch):
        if batch.time[0] > 0.02:
            raise RuntimeError("no more")

    s = session(control=fail)
    s.play()
    s.turn(0.05)
    assert not s.playing
    assert s.error.startswith("RuntimeError: no more") and "test_session.py" in s.error
    s.turn(0.05)  # it goes on turning
    s.reset()
    s.play()
    s.turn(0.01)
    assert s.error is None and s.playing


def test_worlds_that_somebody_else_steps_are_seen():
    s = session()
    with s.lock:
        s.batch.step(nstep=3)
    s.turn(0.03)
    assert np.array_equal(s.frame.state, s.batch.state) and len(s.tape) == 2


def test_the_thread_turns_and_stops():
    s = session()
    s.start()
    s.play()
    assert settled(s, lambda: s.frame.clock > 0.1)
    s.grab(0, BOX, [0, 0, 0])
    assert settled(s, lambda: s.hand is not None)
    s.stop()
    assert s.hand is None and not s.batch.xfrc_applied.any()


def test_requests_do_not_wait_for_a_step():
    """Somebody holds the worlds, and requests come all the same."""
    s = session()
    s.start()

    def ask():
        s.play()
        s.scrub(0.0)
        s.set_ctrl(None, 0, 1.0)

    with s.lock:
        asking = threading.Thread(target=ask)
        asking.start()
        asking.join(60.0)
        assert not asking.is_alive()
    s.stop()
