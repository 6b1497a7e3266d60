"""Costs: norms by their formulas, terms on sensors, functions and kernels that say the same."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import cos, sqrt
from lanewise.plan import CostError, Planner, Task, Term, terms_of
from lanewise.plan.costs import QPOS_QVEL, Terms
from lanewise.plan.norms import DEFAULTS, NORMS, NUMBERS
from lanewise.plan.trials import START, Trials

ARM = """
<mujoco>
  <option timestep=".005"/>
  <size nuser_sensor="6"/>
  <worldbody>
    <body name="upper" pos=".1 -.2 .3">
      <joint name="shoulder" axis=".2 1 .1" damping=".1"/>
      <geom type="capsule" size=".04" fromto="0 0 0 .4 .03 0"/>
      <body name="lower" pos=".4 .02 0">
        <joint name="elbow" axis="0 1 .3" damping=".05"/>
        <geom type="capsule" size=".03" fromto="0 0 0 .3 0 .05"/>
        <site name="tip" pos=".3 .01 .02"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" joint="shoulder" gear="3" ctrlrange="-2 1"/>
    <motor name="m2" joint="elbow"/>
  </actuator>
  <sensor>
    <framepos name="tip" objtype="site" objname="tip"/>
    <clock name="clock"/>
    <framelinvel name="speed" objtype="site" objname="tip"/>
    {more}
  </sensor>
</mujoco>
"""
PLAIN = ARM.format(more="")
HORIZON, STEPS = 0.2, 20


def task(cost, **more):
    return Task(PLAIN, cost, HORIZON, timestep=0.01, knots=5, **more)


def controls(n, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (n, STEPS, 2))


def start(t):
    batch = t.world()
    t.reset(batch)
    batch.qvel[0] = 0.5, -0.3
    return batch.get_state(START)[0], np.arange(STEPS) * t.timestep


def mujoco_costs(t, u):
    """The same by MuJoCo alone: its rollout, and the cost of what it recorded."""
    from mujoco import rollout

    mj = mujoco.MjModel.from_xml_string(PLAIN)
    mj.opt.timestep = t.timestep
    full = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
    d = mujoco.MjData(mj)
    d.qvel[:] = 0.5, -0.3
    first = np.zeros(mujoco.mj_stateSize(mj, full))
    mujoco.mj_getState(mj, d, first, full)
    states, sensors = rollout.rollout(mj, d, np.tile(first, (len(u), 1)), u)
    recorded = {
        QPOS_QVEL: states[..., 1:5], "sensordata": sensors, "ctrl": u, "qpos": states[..., 1:3],
        "qvel": states[..., 3:5],
    }  # fmt: skip
    return t.cost.of(recorded, u, np.arange(STEPS) * t.timestep)


# ---- norms


def test_norms_by_hand():
    x = np.array([[0.3, -0.4], [0.0, 0.0], [-2.0, 1.5]])
    s = (x**2).sum(axis=1)
    wanted = {
        ("null", 0, 0): x.sum(axis=1),
        ("quadratic", 0, 0): s / 2,
        ("l2", 0.2, 0): np.sqrt(s + 0.04) - 0.2,
        ("l22", 0.2, 3.0): (s**1.5 + 0.008) ** (1 / 3) - 0.2,
        ("cosh", 0.5, 0): 0.25 * (np.cosh(x / 0.5) - 1).sum(axis=1),
        ("power", 1.5, 0): (np.abs(x) ** 1.5).sum(axis=1),
        ("smooth_abs", 0.1, 0): (np.sqrt(x**2 + 0.01) - 0.1).sum(axis=1),
        ("smooth_abs2", 0.1, 3.0): ((np.abs(x) ** 3 + 0.001) ** (1 / 3) - 0.1).sum(axis=1),
        ("rectify", 0.5, 0): (0.5 * np.log1p(np.exp(x / 0.5))).sum(axis=1),
        ("rectify", 0.0, 0): np.maximum(x, 0.0).sum(axis=1),
    }
    for (name, p, q), values in wanted.items():
        np.testing.assert_allclose(NORMS[name](x, p, q), values, atol=1e-12, err_msg=name)
    assert {name for name, *_ in wanted} == set(NORMS) == set(DEFAULTS) == set(NUMBERS.values())


def test_norms_are_zero_where_residuals_are():
    for name, norm in NORMS.items():
        assert norm(np.zeros((1, 3)), *DEFAULTS[name]) == pytest.approx(0.0, abs=1e-12), name


# ---- terms


def wave(times):
    return 0.2 * np.sin(times)[:, None]


TERMS = [
    Term("tip", 2.0, "l2", 0.1, target=(0.5, 0.0, 0.6), name="reach"),
    Term("speed", 0.3, "smooth_abs", part=[0, 2]),
    Term("qpos", 1.5, target=wave, part=1),
    Term("ctrl", 0.01),
]


def test_terms_are_what_they_say():
    t = task(TERMS)
    assert t.cost.names == ["reach", "speed", "qpos", "ctrl"]
    state, times = start(t)
    u = controls(11)
    trials = Trials(t, 11)
    costs = trials.costs(state, u, times)
    found = trials.batch.model and trials._buffers
    tip, speed = found["sensordata"][..., :3], found["sensordata"][..., 4:7]
    by_hand = (
        2.0 * (np.sqrt(((tip - [0.5, 0.0, 0.6]) ** 2).sum(-1) + 0.01) - 0.1)
        + 0.3 * (np.sqrt(speed[..., [0, 2]] ** 2 + 0.01) - 0.1).sum(-1)
        + 0.75 * (found["qpos"][..., 1] - 0.2 * np.sin(times)) ** 2
        + 0.005 * (u**2).sum(-1)
    )
    np.testing.assert_allclose(costs, by_hand.mean(axis=1), rtol=1e-12)
    t.cost.weights[:] = 0.0, 0.0, 0.0, 1.0
    np.testing.assert_allclose(trials.costs(state, u, times), 0.5 * (u**2).sum(-1).mean(axis=1))


def test_costs_are_those_of_a_rollout_by_mujoco():
    t = task(TERMS)
    state, times = start(t)
    u = controls(9)
    np.testing.assert_allclose(Trials(t, 9).costs(state, u, times), mujoco_costs(t, u), rtol=1e-9)


def test_terms_of_a_file_of_mujoco_mpc():
    more = """
    <user name="Reach" dim="3" needstage="pos" user="2 10 0 100 .05"/>
    <user name="Effort" dim="1" user="0 .3 0 1"/>
    """

    @lw.kernel
    def residuals(m, d, stage):
        if stage == 1:
            tip = d.site_xpos[0]
            d.sensordata[7] = tip[0] - 0.5
            d.sensordata[8] = tip[1]
            d.sensordata[9] = tip[2] - 0.6
        elif stage == 3:
            d.sensordata[10] = d.ctrl[0]

    text = ARM.format(more=more)
    terms = terms_of(lw.load(text, sensor=residuals))
    assert [(x.of, x.weight, x.norm, x.p) for x in terms] == [
        ("Reach", 10.0, "l2", 0.05),
        ("Effort", 0.3, "quadratic", None),
    ]
    t = Task(text, terms, HORIZON, timestep=0.01, knots=5, code={"sensor": residuals})
    direct = task([Term("tip", 10.0, "l2", 0.05, target=(0.5, 0, 0.6)), Term("ctrl", 0.3, part=0)])
    u = controls(6)
    answers = [Trials(x, 6).costs(*start(x)[:1], u, start(x)[1]) for x in (t, direct)]
    np.testing.assert_allclose(*answers, rtol=1e-12)


@pytest.mark.parametrize(
    ("term", "words"),
    [
        (Term("tipp"), "no sensor 'tipp' .did you mean 'tip'.*'speed'.*'qvel'"),
        (Term("tip", norm="L1"), "no norm 'L1'.*'quadratic'"),
        (Term("tip", part=7), "part of the term on 'tip': index 7 is out of bounds"),
    ],
)
def test_terms_that_are_refused(term, words):
    with pytest.raises(ValueError, match=words):
        Planner(task([term]), samples=8).plan(task([Term("tip")]).world())


def test_files_without_terms():
    with pytest.raises(ValueError, match="no sensors of type user"):
        terms_of(lw.load(PLAIN))
    wrong = ARM.format(more='<user name="x" dim="1" user="17 1"/>')
    with pytest.raises(ValueError, match="sensor 'x' has user=\"17 1 0 0 0 0\".*a norm"):
        terms_of(lw.load(wrong))


# ---- functions and kernels


def elbow(states, sensors, controls):
    reach = np.sqrt(((sensors[..., :3] - [0.5, 0.0, 0.6]) ** 2).sum(axis=-1) + 0.01)
    return reach + 1.0 - np.cos(states[..., 1]) + 0.1 * states[..., 3] ** 2


@lw.kernel
def compiled(m, d, p):
    tip = d.site_xpos[0]
    x, y, z = tip[0] - p.goal[0], tip[1] - p.goal[1], tip[2] - p.goal[2]
    reach = sqrt(x * x + y * y + z * z + 0.01)
    return reach + 1.0 - cos(d.qpos[1]) + 0.1 * d.qvel[1] * d.qvel[1]


def test_a_function_sees_states_sensors_and_controls():
    seen = {}

    def cost(states, sensors, controls):
        seen.update(states=states.copy(), sensors=sensors.copy(), controls=controls.copy())
        return states[:, -1, 0]

    t = task(cost)
    state, times = start(t)
    u = controls(10)
    costs = Trials(t, 10).costs(state, u, times)
    assert seen["states"].shape == (10, STEPS, 4)
    assert seen["sensors"].shape == (10, STEPS, 7)
    np.testing.assert_array_equal(seen["controls"], u)
    np.testing.assert_array_equal(costs, seen["states"][:, -1, 0])
    np.testing.assert_allclose(seen["sensors"][0, :, 3], times, atol=1e-12)  # the clock
    np.testing.assert_allclose(costs, mujoco_costs(t, u), rtol=1e-9)


def test_functions_and_kernels_say_the_same():
    u = controls(13)
    answers = []
    for t in (task(elbow), task(compiled, parameters={"goal": [0.5, 0.0, 0.6]})):
        state, times = start(t)
        answers.append(Trials(t, 13).costs(state, u, times))
    np.testing.assert_allclose(*answers, rtol=1e-12)


def test_a_kernel_without_parameters():
    @lw.kernel
    def speed(m, d):
        return d.qvel[0] * d.qvel[0]

    t = task(speed)
    state, times = start(t)
    u = controls(5)
    np.testing.assert_allclose(
        Trials(t, 5).costs(state, u, times),
        Trials(task(lambda s, *_: s[..., 2] ** 2), 5).costs(state, u, times),
        rtol=1e-12,
    )


def test_parameters_of_a_kernel_may_change():
    t = task(compiled, parameters={"goal": [0.5, 0.0, 0.6]})
    planner = Planner(t, samples=8)
    planner.plan(t.world())
    before = planner.cost
    planner.trials.batch.parameters["goal"] = [5.0, 0.0, 0.6]
    planner.reset()
    planner.plan(t.world())
    assert planner.cost > before + 3.0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda s: np.zeros(3), r"\(8,\), or for each of its steps, \(8, 20\); .* \(3,\)"),
        (lambda s: s, r"returned \(8, 20, 4\)"),
        (lambda s: 0.0, r"returned \(\)"),
        (lambda s: np.where(np.arange(8) == 5, np.nan, 1.0), "1 of 8 samples is NaN.*sample 5"),
    ],
)
def test_answers_that_are_refused(answer, words):
    planner = Planner(task(lambda states, sensors, controls: answer(states)), samples=8)
    with pytest.raises(CostError, match=words):
        planner.plan(planner.task.world())


def test_costs_that_are_none():
    with pytest.raises(TypeError, match="a cost is a list of Terms, a function.*got 'tip'"):
        task("tip")
    with pytest.raises(TypeError, match="a cost is a list of Terms"):
        task([])
    with pytest.raises(ValueError, match="parameters are those of a cost that is a kernel"):
        task(elbow, parameters={"goal": [1.0]})

    @lw.kernel
    def four(m, d, p, i):
        return 0.0

    with pytest.raises(TypeError, match=r"a kernel \(m, d\) or \(m, d, p\), got one of 4"):
        task(four)


def test_a_model_with_kernels_does_not_lose_them():
    @lw.kernel
    def push(m, d):
        d.ctrl[0] = 1.0

    m = lw.load(PLAIN, control=push)
    assert Task(m, elbow, 0.2, knots=5).model is m
    with pytest.raises(ValueError, match="would lose them.*code="):
        Task(m, compiled, 0.2, knots=5, parameters={"goal": [0.5, 0.0, 0.6]})


def test_terms_know_nothing_before_they_have_a_model():
    assert Terms(TERMS).records == ()
