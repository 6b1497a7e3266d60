"""Planners: they solve, they are the same on any number of threads, they say what is wrong."""

import warnings

import numpy as np
import pytest

import lanewise as lw
from lanewise.plan import CEM, MPPI, NoFiniteSample, Planner, PredictiveSampling, Task, run, tasks
from lanewise.plan.trials import START, Trials

SLIDES = """
<mujoco>
  <option timestep=".01"/>
  <worldbody>
    <body><joint name="a" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>
    <body pos="0 1 0"><joint name="b" type="slide" axis="1 0 0"/><geom size=".1" mass="2"/></body>
  </worldbody>
  <actuator>
    <motor joint="a" ctrlrange="-4 2"/>
    <motor joint="b"/>
  </actuator>
</mujoco>
"""


def distance(states, sensors, controls):
    return (states[..., 0] - 0.1) ** 2 + (states[..., 1] + 0.1) ** 2


def slides(cost=distance, text=SLIDES, **more):
    return Task(text, cost, 0.5, knots=6, **more)


def rest(task):
    batch = task.world()
    task.reset(batch)
    return batch


# ---- they solve


@pytest.mark.parametrize(
    "optimizer", [PredictiveSampling(0.3), MPPI(0.3), CEM()], ids=("sampling", "mppi", "cem")
)
def test_the_pole_is_up_after_200_plans(optimizer):
    planner = Planner(tasks.make("cartpole"), optimizer, samples=32)
    episode = run(planner, seconds=4.0)
    assert len(episode.costs) == planner.plans == 200
    angles = [said["angle"] for said in episode.measures]
    assert angles[0] > 3.0  # it hangs
    assert max(angles[-25:]) < 0.35
    assert episode.costs[-25:].mean() < 0.1 * episode.costs[:25].mean()


def test_a_plan_that_begins_with_the_last_one_is_better():
    """With 16 samples and one iteration a plan, who begins anew each time swings nothing up."""
    task, costs = tasks.make("cartpole"), {}
    for warm in (True, False):
        planner = Planner(task, "sampling", samples=16, warm=warm)
        costs[warm] = run(planner, seconds=3.0).costs[-50:].mean()
    assert costs[True] < 0.5 * costs[False]


def test_iterations_improve_a_plan():
    task = slides()
    costs = []
    for iterations in (1, 8):
        planner = Planner(task, MPPI(0.3), samples=32, iterations=iterations)
        planner.plan(rest(task))
        costs.append(planner.cost)
    assert costs[1] < 0.7 * costs[0]


# ---- the same again


@pytest.mark.parametrize("name", ["sampling", "mppi", "cem"])
def test_plans_do_not_depend_on_threads(name):
    task = tasks.make("quadruped")
    plans = []
    for nthread in (1, 2, 3):
        planner = Planner(task, name, samples=21, nthread=nthread, seed=4)
        episode = run(planner, seconds=0.1)
        plans.append((planner.knots, planner.costs, episode.qpos))
    for other in plans[1:]:
        for ours, theirs in zip(plans[0], other):
            np.testing.assert_array_equal(ours, theirs)


def test_the_seed_decides():
    task, plans = slides(), []
    for seed in (1, 1, 2):
        planner = Planner(task, "mppi", samples=16, seed=seed)
        plans.append(planner.plan(rest(task)))
    np.testing.assert_array_equal(plans[0], plans[1])
    assert not np.array_equal(plans[0], plans[2])
    planner.reset()
    np.testing.assert_array_equal(planner.plan(rest(task)), plans[2])


# ---- what a plan is


@pytest.mark.parametrize("spline", ["zero", "linear", "cubic"])
def test_controls_of_a_plan_and_at_a_time(spline):
    task = slides(spline=spline)
    planner, batch = Planner(task, MPPI(2.0), samples=32), rest(task)
    batch.time[:] = 0.37
    controls = planner.plan(batch)
    assert controls.shape == (task.nstep, 2) == (50, 2)
    times = 0.37 + 0.01 * np.arange(50)
    np.testing.assert_array_equal(planner.control(times), controls)
    np.testing.assert_allclose(planner.control(times[7]), controls[7], atol=1e-12)
    assert controls[:, 0].min() >= -4.0 and controls[:, 0].max() <= 2.0
    assert np.abs(controls[:, 1]).max() > 1.0  # it has no range
    assert planner.knots.shape == (6, 2)


def test_states_may_be_given_in_three_ways():
    task = slides()
    d = lw.Data(task.model)
    d.qpos[:], d.qvel[:] = (0.2, -0.3), (0.1, 0.4)
    vector = lw.get_state(task.model, d)
    batch = rest(task)
    batch.set_state(vector)
    plans = [Planner(task, samples=16).plan(state) for state in (d, vector, batch, vector[None])]
    for plan in plans[1:]:
        np.testing.assert_array_equal(plan, plans[0])


def test_a_plan_goes_on_where_the_last_one_was():
    task = slides()
    planner, batch = Planner(task, MPPI(1e-9), samples=8), rest(task)
    planner._plan = (0, np.random.default_rng(0).uniform(-1, 1, (6, 2)))
    planner._time = 0.0
    times = np.linspace(0.26, 0.5, 20)
    before = planner.control(times)
    batch.time[:] = 0.26  # two knots have passed, and noise is nothing
    planner.plan(batch)
    assert planner._plan[0] == 2
    np.testing.assert_allclose(planner.control(times), before, atol=1e-6)


@pytest.mark.parametrize("time", [0.1, 2.0])
def test_a_time_that_goes_back_or_far_on_begins_anew(time):
    task = slides()
    planner, batch = Planner(task, CEM(), samples=16), rest(task)
    batch.time[:] = 1.0
    planner.plan(batch)
    batch.time[:] = time
    planner.plan(batch)
    again = Planner(task, CEM(), samples=16)
    again._rng.standard_normal((16, 6, 2))  # which the first plan has used
    batch.time[:] = time
    again.plan(batch)
    np.testing.assert_array_equal(planner.knots, again.knots)


def test_controls_that_are_not_varied_stay():
    task = slides(vary=[1.0, 0.0], reset=lambda batch, rng: batch.ctrl.fill(0.5))
    controls = Planner(task, "mppi", samples=16).plan(rest(task))
    np.testing.assert_allclose(controls[:, 1], 0.5, atol=1e-12)
    assert np.ptp(controls[:, 0]) > 0.01


def test_a_hand_that_pushes_is_not_foreseen():
    task, plans = slides(), []
    for force in (0.0, 50.0):
        batch = rest(task)
        batch.xfrc_applied[0, 1, 0] = force
        batch.ctrl[:] = force
        plans.append(Planner(task, samples=16).plan(batch))
    np.testing.assert_array_equal(*plans)


def test_goals_in_the_state_are_seen():
    task, costs = tasks.make("arm"), []
    for x in (0.45, 0.9):
        batch, planner = rest(task), Planner(task, samples=16)
        batch.mocap_pos[0, 0, 0] = x
        planner.plan(batch)
        costs.append(planner.cost)
    assert costs[1] > costs[0] + 1.0


# ---- samples that diverge

WILD = SLIDES.replace('<motor joint="b"/>', '<motor joint="b" gear="1e9"/>')  # 20 is too much
quietly = pytest.mark.filterwarnings("ignore:qacc.* was NaN:RuntimeWarning")


@quietly
def test_samples_that_diverge_disturb_no_other():
    task = slides(text=WILD)
    state = rest(task).get_state(START)[0]
    times = 0.01 * np.arange(50)
    controls = np.random.default_rng(3).uniform(-1, 1, (19, 50, 2))
    alone = Trials(task, 19).costs(state, controls, times)
    assert np.isfinite(alone).all()
    wild = controls.copy()
    wild[[2, 3, 17], 20:, 1] = 1e3
    trials = Trials(task, 19)
    for _ in range(2):  # the next plan begins with worlds that have been reset
        costs = trials.costs(state, wild, times)
        assert np.flatnonzero(np.isinf(costs)).tolist() == [2, 3, 17]
        others = np.isfinite(costs)
        np.testing.assert_array_equal(costs[others], alone[others])
    np.testing.assert_array_equal(trials.costs(state, controls, times), alone)


@quietly
def test_plans_are_made_of_the_others():
    task = slides(text=WILD)
    planner = Planner(task, MPPI(10.0), samples=32)
    controls = planner.plan(rest(task))
    assert 0 < np.isinf(planner.costs).sum() < 31
    assert np.isfinite(planner.cost) and np.isfinite(controls).all()


@quietly
def test_a_plan_without_finite_samples_stays():
    task = slides(text=WILD, reset=lambda batch, rng: batch.ctrl.fill(1e4))
    planner = Planner(task, "mppi", samples=8)
    with pytest.warns(NoFiniteSample, match="all 8 samples diverged at time 0, and the plan stays"):
        controls = planner.plan(rest(task))
    np.testing.assert_allclose(controls, np.tile([2.0, 1e4], (50, 1)))
    assert planner.cost == np.inf


def test_finite_samples_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        task = slides()
        Planner(task, samples=8).plan(rest(task))


# ---- refusals


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda t: Planner(t, samples=1), "samples must be at least 2, got 1"),
        (lambda t: Planner(t, iterations=0), "iterations must be at least 1, got 0"),
        (lambda t: Planner(t, "mpc"), "no optimizer 'mpc'"),
        (
            lambda t: Planner(t).plan(np.zeros(3)),
            r"state is that of one world, \(\d+,\).*got \(3,\)",
        ),
        (
            lambda t: Planner(t).plan(lw.Batch(t.model, 2)),
            r"a Data or Batch of one world; got \(2,",
        ),
        (lambda t: Planner(t).plan(np.full(t.model.nstate, np.nan)), "numbers that are not finite"),
        (lambda t: slides(vary=[1.0, 1.0, 1.0]), r"vary is a number.*2 controls; got \(3,\)"),
        (lambda t: slides(timestep=0.7), "timestep must be above 0 and at most the horizon, 0.5 s"),
        (lambda t: slides(text=SLIDES[: SLIDES.index("<act")] + "</mujoco>"), "no actuators"),
        (lambda t: tasks.make("cartpol"), "no task 'cartpol'.*did you mean 'cartpole'"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call(slides())
