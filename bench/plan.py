"""Plans per second beside the same planner on mujoco.rollout.

python -m bench.plan [--quick]          all tasks, on one thread and on two
python -m bench.plan --live [SECONDS]   a world of each that goes on in real time meanwhile

Both plan for the tasks that come along, with the same optimizer, the same random numbers and the
same costs, from states of an episode; plans are compared before they are timed.
Only where the samples are simulated differs: `Batch.rollout`, or `mujoco.rollout` on as many
threads. They plan in turns, and the least time of several rounds counts: on one thread, time for
which it was busy. The last column is of a cost that is compiled into the step, which MuJoCo cannot
have.
"""

import argparse
import copy
import time
from dataclasses import dataclass

import mujoco
import mujoco.rollout
import numpy as np

import lanewise as lw
from lanewise.cli import measure
from lanewise.cli.terminal import table
from lanewise.lanes import cos
from lanewise.plan import Pilot, Planner, Task, tasks
from lanewise.plan.costs import QPOS_QVEL
from lanewise.plan.tasks import scene
from lanewise.plan.trials import START
from lanewise.public import extract_state

FULL = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)


@dataclass(frozen=True)
class Case:
    """A task, how many samples, and on how many threads."""

    task: str
    samples: int
    nthread: int


CASES = tuple(
    Case(name, samples, nthread)
    for nthread in (1, 2)
    for name, samples in (
        ("cartpole", 64), ("cartpole", 256), ("arm", 64), ("quadruped", 64), ("humanoid", 64),
        ("cube", 64),
    )
)  # fmt: skip


class MuJoCoTrials:
    """The samples of a Planner on mujoco.rollout; goals are where the model has them."""

    def __init__(self, task: Task, n: int, nthread: int):
        self.task, self.nthread = task, nthread
        self.mj = copy.copy(task.model.mj)
        self.mj.opt.timestep = task.timestep
        self._datas = [mujoco.MjData(self.mj) for _ in range(nthread)]
        self._rollout = mujoco.rollout.Rollout(nthread=nthread if nthread > 1 else 0)
        size = mujoco.mj_stateSize(self.mj, FULL)
        self._start, self._warm = np.zeros((n, size)), np.zeros((n, self.mj.nv))
        self._states = np.zeros((n, task.nstep, size))
        self._sensors = np.zeros((n, task.nstep, self.mj.nsensordata))

    def costs(self, state: np.ndarray, controls: np.ndarray, times: np.ndarray) -> np.ndarray:
        mj, model = self.mj, self.task.model
        self._start[:] = extract_state(model, state, START, "fullphysics")
        self._warm[:] = extract_state(model, state, START, "qacc_warmstart")
        self._rollout.rollout(
            mj, self._datas, self._start, controls, initial_warmstart=self._warm,
            nstep=self.task.nstep, state=self._states, sensordata=self._sensors,
        )  # fmt: skip
        q, v = 1, 1 + mj.nq
        recorded = {
            QPOS_QVEL: self._states[..., q : v + mj.nv], "qpos": self._states[..., q:v],
            "qvel": self._states[..., v : v + mj.nv], "ctrl": controls,
            "sensordata": self._sensors,
        }  # fmt: skip
        return self.task.cost.of(recorded, controls, times)


@lw.kernel
def swing_up(m, d):
    """What tasks/cartpole.py has in terms."""
    cart, angle, ctrl = d.qpos[0], d.qpos[1], d.ctrl[0]
    speeds = d.qvel[0] * d.qvel[0] + d.qvel[1] * d.qvel[1]
    return 10.0 * (1.0 - cos(angle)) + cart * cart + 0.01 * speeds + 0.01 * ctrl * ctrl


def compiled_task(name: str) -> Task | None:
    """The same with a kernel for a cost, where there is one."""
    if name != "cartpole":
        return None
    like = tasks.make(name)
    return Task(
        scene(name), swing_up, like.horizon, timestep=like.timestep, knots=like.spline.knots,
        keyframe=like.keyframe,
    )  # fmt: skip


def states_of(task: Task, number: int) -> list[np.ndarray]:
    """What a world passes through while it follows plans; goals stay where the model has them."""
    batch = task.world()
    if task.model.nmocap:
        batch.reset(keyframe=task.keyframe)
    else:
        task.reset(batch)
    planner, found = Planner(task, "mppi", 16, seed=1), []
    times = float(task.model.opt.timestep) * np.arange(10)
    for _ in range(number):
        found.append(batch.state[0].copy())
        planner.plan(batch)
        batch.rollout(10, planner.control(batch.time[0] + times)[None])
    return found


def planners_of(task: Task, samples: int, nthread: int) -> dict[str, Planner]:
    """The same planner twice, by where its samples are simulated."""
    ours, theirs = (Planner(task, "mppi", samples, nthread=nthread) for _ in range(2))
    theirs.trials = MuJoCoTrials(task, samples, nthread)
    return {"lanewise": ours, "mujoco": theirs}


def compare(planners: dict[str, Planner], state: np.ndarray) -> None:
    """Raise unless samples cost the same, as far as contacts let them: these amplify round-off."""
    costs = {}
    for name, planner in planners.items():
        planner.plan(state)
        costs[name] = planner.costs
        planner.reset()
    np.testing.assert_allclose(costs["lanewise"], costs["mujoco"], rtol=1e-3)


def measure_case(case: Case, rounds: int) -> tuple[str, ...]:
    """A row: the least times of plans, as plans per second."""
    task = tasks.make(case.task)
    states = states_of(task, rounds)
    planners = planners_of(task, case.samples, case.nthread)
    compare(planners, states[-1])
    compiled = compiled_task(case.task)
    if compiled is not None:
        planners["kernel"] = Planner(compiled, "mppi", case.samples, nthread=case.nthread)
    least = dict.fromkeys(planners, np.inf)
    clock = time.thread_time if case.nthread == 1 else time.perf_counter
    with measure.mujoco_clock(False):
        for state in states:
            for name, planner in planners.items():
                began = clock()
                planner.plan(state)
                least[name] = min(least[name], clock() - began)
    rates = {name: 1.0 / seconds for name, seconds in least.items()}
    return (
        case.task, str(task.model.nv), str(case.samples), str(task.nstep), str(case.nthread),
        f"{rates['lanewise']:.0f}", f"{rates['mujoco']:.0f}",
        f"{rates['lanewise'] / rates['mujoco']:.1f}",
        f"{rates['kernel']:.0f}" if "kernel" in rates else "",
    )  # fmt: skip


HEADS = (
    "task", "dofs", "samples", "steps", "threads", "lanewise, 1/s", "mujoco.rollout, 1/s", "ratio",
    "cost as a kernel, 1/s",
)  # fmt: skip


# ------------------------------------------------------------------------------------ in real time

FRAME = 0.01  # seconds of the world between two looks at the clock
LIVE_HEADS = ("task", "seconds", "behind at most, ms", "plans a second", "at first", "at the end")


def live(name: str, seconds: float) -> tuple[str, ...]:
    """A row: a world that goes on as time does, driven by what was planned last."""
    task = tasks.make(name)
    planner = Planner(task, "mppi", 64)
    planner.plan(task.world())  # what is compiled is compiled before
    planner.reset()
    batch, behind = task.world(), 0.0
    task.reset(batch)
    first, nstep = task.measure(batch), max(1, round(FRAME / float(task.model.opt.timestep)))
    with Pilot(planner) as pilot:
        began, plans = time.perf_counter(), pilot.plans
        while batch.time[0] < seconds:
            pilot.advance(batch, nstep)
            ahead = float(batch.time[0]) - (time.perf_counter() - began)
            behind = max(behind, -ahead)
            time.sleep(max(ahead, 0.0))
        rate = (pilot.plans - plans) / (time.perf_counter() - began)
    both = (", ".join(f"{k} {v:.2f}" for k, v in x.items()) for x in (first, task.measure(batch)))
    return name, f"{batch.time[0]:.1f}", f"{1e3 * behind:.0f}", f"{rate:.0f}", *both


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m bench.plan", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--live", type=float, nargs="?", const=8.0, metavar="SECONDS")
    given = parser.parse_args()
    if given.live is not None:
        print(table([live(name, given.live) for name in tasks.names()], LIVE_HEADS))
        return
    rounds = 5 if given.quick else 40
    print(table([measure_case(case, rounds) for case in CASES], HEADS))


if __name__ == "__main__":
    main()
