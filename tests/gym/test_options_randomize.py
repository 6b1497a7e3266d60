"""Randomize: what is drawn, where it goes, and what follows from it."""

import mujoco
import numpy as np
import pytest

from lanewise.errors import UnknownName
from lanewise.gym import Choice, Offset, Randomize, Scale, Value, VectorEnv
from support.gym_tasks import Slide

N = 13


def env_of(ranges, n=N, **arguments):
    env = VectorEnv(Slide(), n, options=[Randomize(ranges, **arguments)])
    env.reset(seed=1)
    return env, env.batch, env.options[0]


def test_masses_and_what_follows_from_them():
    env, b, option = env_of({("body_mass", "body_inertia"): Scale(0.5, 2.0)})
    m, drawn = env.model, option.drawn["body_mass"]
    assert drawn.shape == (N, 4) and (drawn >= 0.5).all() and (drawn <= 2.0).all()
    assert len(np.unique(drawn)) == drawn.size
    assert np.array_equal(drawn, option.drawn["body_inertia"])
    assert np.array_equal(b.expanded("body_mass"), m.body_mass * drawn)
    assert np.array_equal(b.expanded("body_inertia"), m.body_inertia * drawn[..., None])
    # mj_setConst has been run in every world
    mj = mujoco.MjModel.from_xml_string(env.task.model)
    for i in range(N):
        mj.body_mass[:], mj.body_inertia[:] = (
            b.expanded("body_mass")[i],
            b.expanded("body_inertia")[i],
        )
        mujoco.mj_setConst(mj, mujoco.MjData(mj))
        assert np.allclose(b.expanded("body_invweight0")[i], mj.body_invweight0, rtol=1e-12)
        assert np.allclose(b.expanded("body_subtreemass")[i], mj.body_subtreemass, rtol=1e-12)


def test_only_worlds_that_begin_are_drawn_and_draws_do_not_add_up():
    env, b, option = env_of({"body_mass": Scale(0.5, 2.0), "opt.gravity": Offset.normal(0, 0.1)})
    env.autoreset_mode = type(env.autoreset_mode).DISABLED
    before, weights = b.expanded("body_mass").copy(), b.expanded("body_invweight0").copy()
    some = np.arange(N) % 4 == 1
    for _ in range(20):
        env.reset(options={"reset_mask": some})
    after = b.expanded("body_mass")
    assert (
        np.array_equal(after[~some], before[~some]) and (after[some, 1:] != before[some, 1:]).all()
    )
    assert np.array_equal(b.expanded("body_invweight0")[~some], weights[~some])
    assert (b.expanded("body_invweight0")[some, 1:] != weights[some, 1:]).all()
    assert (after[:, 1:] <= 2.0 * env.model.body_mass[1:]).all()
    assert np.abs(b.expanded("opt.gravity") - [0, 0, -9.81]).max() <= 0.3 + 1e-12
    assert np.array_equal(b.expanded("opt.gravity"), [0, 0, -9.81] + option.drawn["opt.gravity"])


def test_constants_are_computed_only_for_fields_that_need_it(monkeypatch):
    env, b, _ = env_of({"geom_friction": Scale(0.5, 1.0), "actuator_gainprm": Scale(0.9, 1.1)})
    monkeypatch.setattr(type(b), "set_const", lambda *_: pytest.fail("set_const is not needed"))
    env.reset()
    env, b, _ = env_of({"dof_damping": Scale(0.5, 1.0)})
    env.reset()


def test_objects_are_chosen_by_name_pattern_and_number():
    friction = Scale.log(0.1, 10.0, columns=0, of="*_foot")
    env, b, option = env_of({
        "geom_friction": friction, "dof_damping": Offset(0.1, 0.2, of=["left", 2]),
        "body_mass": Value(2.0, 3.0, of="trunk"), "geom_condim": Choice([3, 4], each="world"),
    })  # fmt: skip
    m, rows = env.model, b.expanded("geom_friction")
    feet = [m.geom("left_foot").id, m.geom("right_foot").id]
    others = [g for g in range(m.ngeom) if g not in feet]
    assert np.array_equal(rows[:, others], np.tile(m.geom_friction[others], (N, 1, 1)))
    assert np.array_equal(rows[:, :, 1:], np.tile(m.geom_friction[:, 1:], (N, 1, 1)))
    assert np.array_equal(
        rows[:, feet, 0], m.geom_friction[feet, 0] * option.drawn["geom_friction"]
    )
    assert (rows[:, feet, 0] < 0.5).any() and (rows[:, feet, 0] > 2.0).any()
    damping = b.expanded("dof_damping")
    assert np.array_equal(damping[:, :6], np.zeros((N, 6)))  # those of the free joint
    assert (damping[:, 6:] > [0.6, 0.7]).all() and (damping[:, 6:] < [0.7, 0.8]).all()
    assert (b.expanded("body_mass")[:, 1] >= 2.0).all()
    condim = b.expanded("geom_condim")
    assert set(condim.ravel().tolist()) == {3, 4} and (condim == condim[:, :1]).all()


def test_parameters_of_kernels():
    env, b, option = env_of({"weight": Value(-1.0, 1.0)})
    _, rewards, *_ = env.step(np.ones((N, 2)))
    assert np.allclose(rewards, option.drawn["weight"][:, 0] * b.qvel[:, 0] + b.qpos[:, 2])
    assert len(np.unique(b.parameters["weight"])) == N


def test_once_is_until_a_new_seed():
    env, b, _ = env_of({"body_mass": Scale(0.5, 2.0)}, once=True)
    first = b.expanded("body_mass").copy()
    env.reset()
    assert np.array_equal(b.expanded("body_mass"), first)
    env.reset(seed=2)
    assert not np.array_equal(b.expanded("body_mass"), first)
    env.reset(seed=1)
    assert np.array_equal(b.expanded("body_mass"), first)


def test_where_episodes_begin_may_differ():
    """qpos0 is drawn before worlds are reset to it."""

    class FromReference(Slide):
        keyframe = None

        def start(self, batch, ids, draws):
            pass

    env = VectorEnv(FromReference(), N, options=[Randomize({"qpos0": Offset(0.1, 0.4, of="left")})])
    obs, _ = env.reset(seed=0)
    assert np.array_equal(obs[:, :9], env.batch.expanded("qpos0"))
    assert (obs[:, 7] > 0.1).all() and len(np.unique(obs[:, 7])) == N and (obs[:, 8] == 0.0).all()


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"body_mas": Scale(1, 2)}, "body_mas is not an .*did you mean 'body_mass'"),
        ({"wieght": Scale(1, 2)}, "did you mean 'weight'"),
        ({"gravity": Offset(0, 1)}, "gravity is an option: use expand..opt.gravity"),
        ({"qpos": Offset(0, 1)}, "qpos is a data field"),
        ({"body_mass": Scale(-0.5, 1.0)}, "'trunk' is greater than 0, and Scale can make it -1.5"),
        ({"body_mass": Offset(-0.5, 0.0)}, "of body 'left_leg' .* make it -0.1, from 0.4"),
        ({"body_mass": Scale.normal(1.0, 0.4)}, "body_mass of body 'trunk' is greater than 0"),
        ({"geom_friction": Value(-1.0, 1.0)}, "of geom 'floor' is at least 0, .* make it -1"),
        ({"body_mass": Scale(1, 2, of="trunck")}, "no body 'trunck' .*did you mean 'trunk'"),
        ({"body_mass": Scale(1, 2, of="*_arm")}, r"no body '\*_arm'.*there are"),
        ({"opt.gravity": Offset(0, 1, of="trunk")}, "opt.gravity belongs to no objects"),
        ({"geom_condim": Scale(1, 2)}, r"geom_condim has whole numbers: Choice"),
        ({"geom_friction": Scale(1, 2, columns=3)}, "geom_friction has 3 columns"),
        ({"body_mass": Scale(1, 2, columns=0)}, "body_mass has no columns"),
        ({("body_mass", "geom_size"): Scale(1, 2)}, "cannot share draws for each object"),
        ({"body_mass": Scale([1, 1], [2, 2], each="world")}, "body_mass are a number; got"),
        ({"opt.timestep": Scale(0, 1)}, "opt.timestep is greater than 0, and Scale can make it 0"),
        ({"body_mass": Scale([1, 1], [2, 2])}, r"bounds of body_mass are a number, or \(4,\)"),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_the_model(ranges, message):
    with pytest.raises((ValueError, UnknownName), match=message):
        VectorEnv(Slide(), 2, options=[Randomize(ranges)])


def test_two_options_do_not_draw_one_field():
    options = [Randomize({"body_mass": Scale(1, 2)}), Randomize({"body_mass": Offset(0, 1)})]
    with pytest.raises(ValueError, match="two options draw body_mass: leave one"):
        VectorEnv(Slide(), 2, options=options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scale(2.0, 1.0), "low is 2.0, above high, 1.0"),
        (lambda: Scale.log(0.0, 1.0), "a logarithmic range begins above 0, got 0.0"),
        (lambda: Offset.normal(0.0, -1.0), "a deviation is not negative, got -1.0"),
        (lambda: Offset(0.0, np.inf), "bounds are finite"),
        (lambda: Scale(1, 2, each="body"), "each is one of object, number, world, got 'body'"),
        (lambda: Choice([]), "Choice takes a sequence of numbers"),
        (lambda: Randomize({"body_mass": 1.5}), "a Scale, an Offset, a Value or a Choice"),
        (
            lambda: Randomize(
                {"body_mass": Scale(1, 2), ("body_mass", "body_inertia"): Scale(1, 2)}
            ),
            "body_mass would be drawn twice",
        ),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
