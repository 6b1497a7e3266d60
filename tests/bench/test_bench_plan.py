"""Plans beside mujoco.rollout: both cost the same, whatever they take."""

import pytest

from bench import plan
from lanewise.plan import tasks


@pytest.mark.parametrize("name", sorted({case.task for case in plan.CASES}))
def test_samples_cost_the_same(name):
    task = tasks.make(name)
    plan.compare(plan.planners_of(task, 9, 2), plan.states_of(task, 3)[-1])


def test_a_case_is_measured(monkeypatch):
    row = plan.measure_case(plan.Case("cartpole", 9, 1), rounds=2)
    assert len(row) == len(plan.HEADS) and row[:5] == ("cartpole", "2", "9", "120", "1")
    assert all(float(cell) > 0.0 for cell in row[5:])


def test_a_world_goes_on_while_plans_are_made():
    for _ in range(50):  # a busy machine may make no plan in so little time
        name, seconds, behind, rate, _, last = plan.live("cartpole", 0.2)
        assert name == "cartpole" and float(seconds) >= 0.2 and float(behind) >= 0.0
        assert last.startswith("angle ")
        if float(rate) > 0.0:
            return
    raise AssertionError("no plan was ever made")


def test_terms_and_kernel_of_the_cartpole_agree():
    """The costs of a plan differ by where in a step they are taken, and little else."""
    task, compiled = tasks.make("cartpole"), plan.compiled_task("cartpole")
    state, costs = plan.states_of(task, 2)[-1], []
    for one in (task, compiled):
        planner = plan.Planner(one, "mppi", 9)
        planner.plan(state)
        costs.append(planner.costs)
    assert costs[0] == pytest.approx(costs[1], rel=0.02)
