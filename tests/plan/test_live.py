"""Planning while the world goes on: the pilot of a Batch, without a picture and in the viewer."""

import threading
import time

import numpy as np
import pytest

import lanewise as lw
from lanewise.plan import Pilot, Planner, Task, tasks
from lanewise.viewer.session import Session

MINUTES = 2  # before a wait has failed, on a machine that has much to do


def wait(condition, what):
    end = time.monotonic() + 60 * MINUTES
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.002)


@pytest.fixture
def cartpole():
    task = tasks.make("cartpole")
    batch = task.world()
    task.reset(batch)
    with Pilot(Planner(task, "mppi", samples=32, nthread=1)) as pilot:
        yield batch, pilot


def go_on(batch, pilot, steps):
    """Steps, each of which waits for a plan from the state before."""
    for _ in range(steps):
        before = pilot.plans
        pilot.advance(batch, 4)
        wait(lambda: pilot.plans > before, "no plan is made")  # noqa: B023


def test_the_pole_is_swung_up_by_plans_of_another_thread(cartpole):
    batch, pilot = cartpole
    for _ in range(600):  # which of its states a plan is from is a matter of time
        go_on(batch, pilot, 1)
        if pilot.task.measure(batch)["angle"] < 0.2:
            break
    assert pilot.task.measure(batch)["angle"] < 0.2
    assert pilot.rate > 0.0 and pilot.took > 0.0 and np.isfinite(pilot.cost)


def test_the_world_follows_the_last_plan_and_never_waits(cartpole):
    batch, pilot = cartpole
    go_on(batch, pilot, 3)
    pilot.close()
    plans = pilot.plans
    for _ in range(50):
        now = float(batch.time[0])
        batch.step(control=pilot)
        np.testing.assert_array_equal(batch.ctrl[0], pilot.planner.control(now))
    assert pilot.plans == plans


def test_steps_with_a_control_before_or_in_the_middle_are_the_same(cartpole):
    batch, pilot = cartpole
    go_on(batch, pilot, 3)
    pilot.close()
    other = lw.Batch(pilot.task.model, 1)
    other.set_state(batch.get_state())
    pilot.advance(batch, 20)
    other.step(nstep=20, control=pilot)
    np.testing.assert_array_equal(batch.qpos, other.qpos)


def test_what_a_cost_raises_is_raised_in_a_step():
    def cost(states, sensors, controls):
        raise ZeroDivisionError("my cost")

    task = Task(lw.models.path("cartpole"), cost, 0.5)
    batch = task.world()
    with Pilot(Planner(task, samples=8)) as pilot:
        batch.step(control=pilot)
        wait(lambda: pilot._error is not None, "nothing is raised")
        with pytest.raises(ZeroDivisionError, match="my cost"):
            batch.step(control=pilot)


def test_a_plan_is_for_one_world(cartpole):
    _, pilot = cartpole
    with pytest.raises(ValueError, match="a plan is for one world, and the Batch has 2"):
        pilot(lw.Batch(pilot.task.model, 2))


def test_closing_ends_the_thread(cartpole):
    batch, pilot = cartpole
    batch.step(control=pilot)
    pilot.close()
    assert not pilot._thread.is_alive()
    assert "lanewise-plan" not in {thread.name for thread in threading.enumerate()}


def test_a_reset_in_the_viewer_begins_anew(cartpole):
    """Turns of the viewer's loop: play, push, reset."""
    batch, pilot = cartpole
    session = Session(batch, pilot.task.model, pilot)
    session.play()
    for _ in range(5):
        session.turn(0.05)
    wait(lambda: pilot.plans > 0, "no plan is made")
    session.grab(0, 2, (0.0, 0.0, 0.8))
    session.pull((1.0, 0.0, 1.5))
    session.turn(0.05)
    assert np.abs(batch.xfrc_applied[0, 2]).max() > 0.0
    session.let_go()
    session.reset()
    plans = pilot.plans
    for _ in range(5):
        session.turn(0.05)
    assert session.error is None and batch.time[0] <= 0.26
    wait(lambda: pilot.plans > plans and pilot.planner._time <= 0.26, "no plan from the start")


class Gui:
    """What a panel is added to: it keeps what it is given."""

    def __init__(self):
        self.things = {}

    def __getattr__(self, name):
        def add(label, *rest, **how):
            thing = Thing(**how)
            self.things[label if isinstance(label, str) else name] = thing
            return thing

        return add


class Thing:
    def __init__(self, **how):
        self.how, self.content, self.data = how, "", None

    def on_update(self, function):
        self.update = function

    def move(self, value):
        self.value = value
        self.update(type("Event", (), {"target": self}))

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        pass


def test_the_panel_shows_the_plan_and_changes_weights(cartpole):
    batch, pilot = cartpole
    gui = Gui()
    refresh = pilot.panel(gui)
    for _ in range(3):
        go_on(batch, pilot, 1)
        refresh(float(batch.time[0]))
    chart = gui.things["add_uplot"]
    assert len(chart.data[0]) == len(chart.data[1]) == 3 and chart.data[1][-1] == pilot.cost
    assert "plans a second" in gui.things[""].content
    gui.things["upright"].move(3.5)
    gui.things["Noise"].move(0.7)
    gui.things["Plan"].move(False)
    assert pilot.task.cost.weights[0] == 3.5
    assert pilot.planner.optimizer.noise == 0.7
    assert not pilot.planning
    refresh(0.0)  # after a reset, what was before is not drawn
    assert len(chart.data[0]) == 3
