"""Parameters, state and scratch memory of user code: the fields of p."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise import rollout
from lanewise.callbacks import dense, dense_elu, dense_relu, dense_swish, dense_tanh, layer, world
from lanewise.lanes import JIT, splat, vec
from support.user_kernels import arm, start

PENDULUM = """
<mujoco>
  <size nuserdata="{nuserdata}"/>
  <worldbody>
    <body><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
      <body pos=".4 0 0"><joint name="k" axis="0 1 .1"/><geom size=".1" pos=".2 0 0"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="j"/><motor joint="k"/></actuator>
</mujoco>
"""
XML = PENDULUM.format(nuserdata=0)


@lw.kernel
def pid(m, d, p):
    for i in range(2):
        error = p.target - d.qpos[i]
        p.integral[i] = p.integral[i] + error * m.opt.timestep
        p.error[i, 1] = error
        d.ctrl[i] = (
            p.gains[i, 0] * p.error[i, 1] + p.gains[i, 1] * p.integral[i] - p.kd[i] * d.qvel[i]
        )


GAINS = np.array([[3.0, 0.5], [2.0, 0.25]])
DECLARED = {
    "parameters": {"gains": GAINS, "kd": [0.1, 0.2], "target": 0.5},
    "state": {"count": 1, "integral": 2, "table": (2, 3)},
    "scratch": {"error": (2, 2)},
}
NSTEP = 10 if JIT else 3


def of_mujoco(nstep, gains=GAINS, target=0.5, qpos=0.0):
    """The same by MuJoCo, with controls that are set between the halves."""
    m = mujoco.MjModel.from_xml_string(XML)
    d = mujoco.MjData(m)
    d.qpos[:] = qpos
    integral = np.zeros(2)
    for _ in range(nstep):
        mujoco.mj_step1(m, d)
        integral += (target - d.qpos) * m.opt.timestep
        d.ctrl[:] = gains[:, 0] * (target - d.qpos) + gains[:, 1] * integral - [0.1, 0.2] * d.qvel
        mujoco.mj_step2(m, d)
    return d.qpos.copy(), integral


@pytest.mark.parametrize("lanes", [1, 3])
def test_parameters_and_state_of_a_data(lanes):
    m = lw.load(XML, control=pid, **DECLARED)
    assert m.nuserdata == 9
    d = lw.Data(m, lanes)
    lw.step(m, d, NSTEP)
    qpos, integral = of_mujoco(NSTEP)
    np.testing.assert_allclose(d.qpos, np.broadcast_to(qpos, d.qpos.shape), atol=1e-12)
    np.testing.assert_allclose(
        d.user("integral"), np.broadcast_to(integral, d.qpos.shape), atol=1e-12
    )
    assert np.array_equal(d.userdata[..., 1:3], d.user("integral"))
    assert d.user("table").shape == (2, 3) if lanes == 1 else (lanes, 2, 3)
    d.user("table")[..., 1, 2] = 7.0  # live
    assert (d.userdata[..., 8] == 7.0).all()
    d.reset()
    assert not d.user("integral").any()


def test_values_are_not_compiled():
    m = lw.load(XML, control=pid, **DECLARED)
    d = lw.Data(m)
    code = m.user.addresses("single" if JIT else "gang").copy()
    m.parameters["gains"][:] = 2 * GAINS
    m.parameters["target"] = 0.25
    lw.step(m, d, NSTEP)
    np.testing.assert_allclose(d.qpos, of_mujoco(NSTEP, 2 * GAINS, 0.25)[0], atol=1e-12)
    assert np.array_equal(m.user.addresses("single" if JIT else "gang"), code)
    with pytest.raises(KeyError, match="did you mean 'gains'"):
        m.parameters["gain"]
    with pytest.raises(ValueError, match=r"takes shape \(2,\)"):
        m.parameters["kd"] = [1.0, 2.0, 3.0]
    with pytest.raises(TypeError, match="takes numbers"):
        m.parameters["kd"] = None


def test_copies_have_parameters_of_their_own():
    m = lw.load(XML, control=pid, **DECLARED)
    m.parameters["target"] = 0.75
    for other in (copy.copy(m), pickle.loads(pickle.dumps(m)), lw.load(m), lw.Batch(m, 1)._model):
        assert other.parameters["target"] == 0.75
        other.parameters["target"] = 0.1
        assert m.parameters["target"] == 0.75
        assert other.user.is_like(m.user)
    d = lw.Data(m)
    lw.step(m, d, 2)
    again = pickle.loads(pickle.dumps(d))
    assert np.array_equal(again.user("integral"), d.user("integral"))


@pytest.mark.parametrize("nthread", [1, 2])
def test_parameters_of_a_batch(nthread):
    m = lw.load(XML, control=pid, **DECLARED)
    b = lw.Batch(m, 17, nthread=nthread)
    b.parameters["target"] = 0.25  # of all worlds
    b.step(nstep=NSTEP)
    qpos, integral = of_mujoco(NSTEP, target=0.25)
    np.testing.assert_allclose(b.qpos, np.tile(qpos, (17, 1)), atol=1e-12)
    np.testing.assert_allclose(b.user("integral"), np.tile(integral, (17, 1)), atol=1e-12)
    assert m.parameters["target"] == 0.5
    # one row for each world, on the model that all share
    rows = b.parameters.expand("target")
    assert rows.shape == (17,)
    assert (rows == 0.25).all()
    rows[:] = np.linspace(0.0, 1.0, 17)
    gains = b.parameters.expand("gains")
    gains[:] = GAINS * np.arange(1.0, 18.0)[:, None, None]
    b.reset(stage=0)  # not even a forward, which would call the controller
    b.step(nstep=NSTEP)
    for w in (0, 8, 16):
        qpos, integral = of_mujoco(NSTEP, gains[w], rows[w])
        np.testing.assert_allclose(b.qpos[w], qpos, atol=1e-12)
        np.testing.assert_allclose(b.user("integral")[w], integral, atol=1e-12)
    # the same bits by a rollout, with ids, and after an edit those of the edited values
    state = b.state.copy()
    b.reset(stage=0)
    b.rollout(NSTEP)
    assert np.array_equal(b.state, state)
    b.reset(stage=0)
    rows[3] = rows[4]
    gains[3] = gains[4]
    b.step(ids=[3, 4, 9], nstep=NSTEP)
    assert np.array_equal(b.state[3], state[4])
    assert np.array_equal(b.state[9], state[9])
    b.expand("body_mass")  # numbers of the model are lanes from now on
    b.reset(stage=0)
    b.step(nstep=NSTEP)
    np.testing.assert_allclose(b.qpos[4:], state[4:, 1:3], atol=1e-12)
    assert "target (17,) by world" in repr(b.parameters)


def test_models_of_worlds_bring_their_parameters():
    models = []
    for target in (0.1, 0.2, 0.3):
        declared = {**DECLARED, "parameters": {**DECLARED["parameters"], "target": target}}
        models.append(lw.load(XML, control=pid, **declared))
    b = lw.Batch(models[0], 3)
    b.set_models(models)
    b.step(nstep=NSTEP)
    for w, target in enumerate((0.1, 0.2, 0.3)):
        np.testing.assert_allclose(b.qpos[w], of_mujoco(NSTEP, target=target)[0], atol=1e-12)
    with pytest.raises(ValueError, match="user code"):
        b.set_models([lw.load(XML)] * 3)


def test_copies_of_a_batch():
    b = lw.Batch(lw.load(XML, control=pid, **DECLARED), 3)
    b.parameters.expand("target")[:] = 0.1, 0.2, 0.3
    b.parameters["kd"] = 0.4
    b.step(nstep=2)
    for other in (copy.copy(b), pickle.loads(pickle.dumps(b))):
        assert np.array_equal(other.parameters["target"], [0.1, 0.2, 0.3])
        assert np.array_equal(other.parameters["kd"], [0.4, 0.4])
        other.step(nstep=2)
        other.parameters["target"] = 7.0
    b.step(nstep=2)
    assert np.array_equal(b.state, other.state)
    assert np.array_equal(b.parameters["target"], [0.1, 0.2, 0.3])


BALLS = """
<mujoco>
  <size nuserdata="1"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <replicate count="12" offset=".3 0 0">
      <body pos="-2 0 .095"><freejoint/><geom size=".1"/></body>
    </replicate>
  </worldbody>
</mujoco>
"""


@lw.kernel
def count(m, d):
    d.userdata[0] = d.userdata[0] + 1.0


@pytest.mark.parametrize("integrator", ["Euler", "implicit"])
def test_called_once_though_room_is_made(integrator):
    text = BALLS.replace("<size", f'<option integrator="{integrator}"/><size')
    m = lw.load(text, control=count)
    for lanes in (1, 2):
        d = lw.Data(m, lanes)
        d.make_room(2, 8)
        lw.step(m, d, 3)
        assert (np.atleast_2d(d.userdata)[:, 0] == 3).all()
        assert d.sizes["nconmax"] >= 12
    # worlds whose contacts were switched off when the model was loaded
    mj = mujoco.MjModel.from_xml_string(text)
    mj.geom_contype[:] = mj.geom_conaffinity[:] = 0
    mujoco.mj_setConst(mj, mujoco.MjData(mj))
    m = lw.load(mj, control=count)
    for controller in (None, lambda b: None):
        b = lw.Batch(m, 3)
        b.model.geom_contype[:] = b.model.geom_conaffinity[:] = 1
        mujoco.mj_setConst(b.model.mj, mujoco.MjData(b.model.mj))
        b.step(nstep=3, control=controller)
        assert (b.userdata[:, 0] == 3).all()
        assert (b.ncon == 12).all()


def test_rollouts_see_edited_parameters():
    m = lw.load(XML, control=pid, **DECLARED)
    start = np.zeros((2, 1 + m.nq + m.nv))
    for target in (0.5, 0.125):
        m.parameters["target"] = target
        state, _ = rollout.rollout(m, None, start, nstep=NSTEP)
        qpos = np.tile(of_mujoco(NSTEP, target=target)[0], (2, 1))
        np.testing.assert_allclose(state[:, -1, 1:3], qpos, atol=1e-12)


def test_unknown_names_of_a_batch():
    b = lw.Batch(lw.load(XML, control=pid, **DECLARED), 1)
    with pytest.raises(KeyError, match="there are gains, kd, target"):
        b.parameters.expand("nothing")
    with pytest.raises(ValueError, match=r"use parameters\.expand\('kd'\)"):
        b.expand("kd")
    with pytest.raises(ValueError, match=r"there are count, integral, table"):
        b.user("whatever")
    with pytest.raises(ValueError, match="without user code"):
        lw.Data(lw.load(XML)).user("integral")
    assert lw.load(XML).parameters == {}


@lw.kernel
def store_world(m, d):
    d.ctrl[0] = world(d)


def test_world_index():
    m = lw.load(XML, control=store_world)
    for n in (1, 9, 17):
        b = lw.Batch(m, n, nthread=1)
        b.step()
        assert np.array_equal(b.ctrl[:, 0], np.arange(n))
    b.reset(stage=0)
    b.step(ids=[2, 5, 11])
    assert np.array_equal(np.flatnonzero(b.ctrl[:, 0]), [2, 5, 11])
    for lanes in (1, 3, 8):
        d = lw.Data(m, lanes)
        lw.step(m, d)
        assert np.array_equal(np.atleast_2d(d.ctrl)[:, 0], np.arange(lanes))


# ---- what a call stores of the state


@lw.kernel
def write_applied(d):
    d.qfrc_applied[0] = 1.0


HELPERS = {"plain": write_applied}


@lw.kernel
def by_a_helper(m, d):
    write_applied(d)


@lw.kernel
def by_another_name(m, d):
    d.state[m.nstate - 1] = 1.0


@lw.kernel
def only_controls(m, d):
    d.ctrl[0] = 1.0


def by_closure():
    helper = HELPERS["plain"]

    @lw.kernel
    def control(m, d):
        helper(d)

    return control


@pytest.mark.parametrize("control", [by_a_helper, by_closure(), by_another_name, only_controls])
def test_what_kernels_write_is_stored(control):
    m = lw.load(PENDULUM.format(nuserdata=3), control=control)
    b = lw.Batch(m, 2)
    b.step()
    d = lw.Data(m)
    lw.step(m, d)
    assert np.array_equal(b.state[1], lw.get_state(m, d))
    b.forward()
    assert b.state[1].any()
    assert m.user.written >= ({"ctrl"} if control is only_controls else {"qfrc_applied"})


# ---- what is computed because a kernel reads it

SENSED = """
<mujoco>
  <size nuserdata="4"/>
  <worldbody>
    <body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/>
      <site name="s" pos=".2 0 0"/>
    </body>
  </worldbody>
  <sensor><framepos objtype="site" objname="s"/><user dim="1" needstage="pos"/></sensor>
</mujoco>
"""


@lw.kernel
def look_around(m, d):
    d.userdata[0] = d.site_xpos[0, 2]
    d.userdata[1] = d.sensordata[2]
    d.userdata[2] = d.qacc[0]


@lw.kernel
def count_readings(m, d, stage):
    d.sensordata[3] = 1.0
    d.userdata[3] = d.userdata[3] + 1.0


def test_what_kernels_read_is_computed():
    m = lw.load(SENSED, control=look_around, sensor=count_readings)
    d, b = lw.Data(m), lw.Batch(m, 10)
    b.qpos[:, 0] = np.linspace(0.0, 1.0, 10)
    d.qpos[0] = 1.0
    assert b.bound == []
    for _ in range(3):
        lw.step(m, d)
    b.step(nstep=3)
    assert np.array_equal(b.userdata[9], d.userdata)
    assert b.userdata[9, 3] == 3
    # accelerations are those of the step before, and in the first step of a call nobody's
    b.step()
    assert (b.userdata[:, 2] == 0.0).all()


# ---- state in userdata


def test_room_in_userdata():
    spec = mujoco.MjSpec.from_string(XML)
    assert lw.load(spec, control=pid, **DECLARED).nuserdata == 9
    assert spec.nuserdata == 0
    assert lw.load(PENDULUM.format(nuserdata=20), control=pid, **DECLARED).nuserdata == 20
    mj = mujoco.MjModel.from_xml_string(PENDULUM.format(nuserdata=8))
    with pytest.raises(lw.ModelError, match='<size nuserdata="9"/>'):
        lw.load(mj, control=pid, **DECLARED)
    mj = mujoco.MjModel.from_xml_string(PENDULUM.format(nuserdata=9))
    assert lw.load(mj, control=pid, **DECLARED).nuserdata == 9


def test_room_in_files(tmp_path):
    (tmp_path / "part.xml").write_text(XML)
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><include file="part.xml"/></mujoco>')
    assert lw.load(main, control=pid, **DECLARED).nuserdata == 9
    assets = {"part.xml": XML.encode(), "main.xml": main.read_bytes()}
    assert lw.load("main.xml", assets, control=pid, **DECLARED).nuserdata == 9
    text = main.read_text()
    assert lw.load(text, assets, control=pid, **DECLARED).nuserdata == 9


# ---- p on every occasion


@lw.kernel
def own_force(m, d, p):
    d.qfrc_passive[0] = d.qfrc_passive[0] - p.b[0] * d.qvel[0]


@lw.kernel
def own_slope(m, d, p, i, j):
    return -p.b[0] if i == 0 and j == 0 else 0.0


@lw.kernel
def own_dyn(m, d, p, i):
    return p.b[1] * d.ctrl[i]


@lw.kernel
def own_sensor(m, d, p, stage):
    d.sensordata[0] = p.b[2]


@lw.kernel
def own_filter(m, d, p, g1, g2):
    return p.b[2] > 0.0


@lw.kernel
def own_pair(m, d, p, g1, g2, reach, mask):
    d.found_dist[0] = splat(-p.b[2])
    d.found_pos[0] = d.geom_xpos[g2]
    d.found_frame[0] = vec(0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    return 1


def test_own_fields_on_every_occasion():
    code = {
        "passive": (own_force, own_slope), "act_dyn": own_dyn, "act_gain": own_dyn,
        "act_bias": own_dyn, "sensor": own_sensor, "contact_filter": own_filter,
        "collision": {("plane", "sphere"): own_pair},
    }  # fmt: skip
    m = lw.load(arm("implicit"), **code, parameters={"b": [2.0, 3.0, 0.01]})
    b = lw.Batch(m, 3)
    rows = b.parameters.expand("b")
    rows[2, 2] = -0.5
    b.qpos[:], b.qvel[:], b.act[:] = start(m.nq, m.nv, m.na)
    b.ctrl[:] = 1.0
    act, qvel, dist = b.act.copy(), b.qvel.copy(), b.contact.dist
    b.step()
    np.testing.assert_allclose(b.act[:, 0], act[:, 0] + 3.0 * m.opt.timestep)
    assert (b.qvel[:, 0] != qvel[:, 0]).all()
    assert np.array_equal(b.ncon, [1, 1, 0])
    assert np.array_equal(dist[:2, 0], [-0.01, -0.01])
    assert np.array_equal(b.sensordata[:, 0], [0.01, 0.01, -0.5])


# ---- dense layers

LAYERS = {
    "dense": (dense, lambda x: x), "tanh": (dense_tanh, np.tanh),
    "relu": (dense_relu, lambda x: np.maximum(x, 0.0)),
    "elu": (dense_elu, lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0.0)))),
    "swish": (dense_swish, lambda x: x / (1 + np.exp(-x))),
}  # fmt: skip


def network(hidden_layer):
    @lw.kernel
    def policy(m, d, p):
        for i in range(2):
            p.seen[i] = d.qpos[i]
            p.seen[2 + i] = d.qvel[i]
        hidden_layer(p.w1, p.b1, p.seen, p.hidden, 4, 7)
        dense(p.w2, p.b2, p.hidden, d.ctrl, 7, 2)

    return policy


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name):
    kernel, function = LAYERS[name]
    rng = np.random.default_rng(0)
    shapes = {"w1": (7, 4), "b1": 7, "w2": (2, 7), "b2": 2}
    weights = {key: rng.standard_normal(shape) for key, shape in shapes.items()}
    policy = network(kernel)
    m = lw.load(XML, control=policy, parameters=weights, scratch={"seen": 4, "hidden": 7})
    d = lw.Data(m, 2)
    d.qpos, d.qvel = rng.standard_normal((2, 2)), rng.standard_normal((2, 2))
    lw.forward(m, d)
    seen = np.concatenate([d.qpos, d.qvel], axis=1)
    hidden = function(seen @ weights["w1"].T + weights["b1"])
    np.testing.assert_allclose(d.ctrl, hidden @ weights["w2"].T + weights["b2"], rtol=1e-12)


@lw.kernel(inline=True)
def square(x):
    return x * x


def test_layer_of_the_users_with_weights_by_world():
    weights = {"w1": np.ones((7, 4)), "b1": np.zeros(7), "w2": np.ones((2, 7)), "b2": np.zeros(2)}
    policy = network(layer(square))
    m = lw.load(XML, control=policy, parameters=weights, scratch={"seen": 4, "hidden": 7})
    b = lw.Batch(m, 2)
    b.parameters.expand("w1")[1] = 2.0
    b.qpos[:] = 0.5
    b.forward()
    np.testing.assert_allclose(b.ctrl, [[7.0, 7.0], [28.0, 28.0]])
