"""What is edited after loading does what it does in MuJoCo, with mj_setConst and without."""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from support import zoo

FREE = """
<mujoco>
  <option integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="box" pos=".3 .2 {z}"><freejoint/>
      <geom name="g" type="box" size=".1 .2 .3" pos=".1 .05 -.02" euler="10 20 30"/>
      <body pos=".1 0 0"><geom size=".1"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def beside_mujoco(m, nstep=3, qvel=None):
    """Steps on the edited model, ours and MuJoCo's."""
    d, mj_data = lw.Data(m), mujoco.MjData(m.mj)
    for data in (d, mj_data):
        data.qvel[:] = 0 if qvel is None else qvel
    for _ in range(nstep):
        lw.step(m, d)
        mujoco.mj_step(m.mj, mj_data)
    for name in ("qpos", "qvel", "qfrc_gravcomp", "qfrc_adhesion", "qfrc_passive"):
        actual, expected = getattr(d, name), getattr(mj_data, name)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-10, err_msg=name)
    return d


def set_const(m):
    mujoco.mj_setConst(m.mj, mujoco.MjData(m.mj))


def test_gravity_compensation_that_is_switched_on():
    m = lw.load(FREE.format(z=2))
    m.body_gravcomp[1:] = 1
    assert beside_mujoco(m).qvel[2] < 0  # MuJoCo looks at flg_gravcomp, which mj_setConst sets
    set_const(m)
    assert m.flg_gravcomp and m.ngravcomp == 2
    assert beside_mujoco(m).qvel[2] == 0
    m.flg_gravcomp = False
    assert beside_mujoco(m).qvel[2] < 0


@pytest.mark.parametrize("const", [False, True])
def test_adhesion_that_is_switched_on(const):
    m = lw.load(FREE.format(z=0.25))
    m.geom_adhesion[:] = 3.0
    if const:
        set_const(m)
    assert m.flg_adhesion == const
    assert np.any(beside_mujoco(m).qfrc_adhesion) == const


@pytest.mark.parametrize("const", [False, True])
@pytest.mark.parametrize("integrator", ["Euler", "implicit", "implicitfast", "discrete", "RK4"])
def test_mass_of_a_free_body(integrator, const):
    m = lw.load(FREE.format(z=2))
    m.opt.integrator = integrator
    m.body_mass[1] *= 2
    m.body_mass[2] *= 0.3
    if const:
        set_const(m)
    beside_mujoco(m, qvel=[0.1, 0.2, 0.3, 3, 4, 5])


def test_mass_of_a_free_body_in_a_batch():
    m = lw.load(FREE.format(z=2))
    b = lw.Batch(m, 3, 1)
    b.qvel[:] = [0.1, 0.2, 0.3, 3, 4, 5]
    mass = b.expand("body_mass")
    mass[1, 1] *= 2
    b.step(nstep=2)
    for world in (0, 1):
        mj = b.get_model(world)
        mj_data = mujoco.MjData(mj)
        mj_data.qvel[:] = [0.1, 0.2, 0.3, 3, 4, 5]
        for _ in range(2):
            mujoco.mj_step(mj, mj_data)
        np.testing.assert_allclose(b.qpos[world], mj_data.qpos, rtol=1e-12)


# ---- what worlds are reset to


def mujoco_row(m, key=-1):
    data, spec = mujoco.MjData(m.mj), mujoco.mjtState.mjSTATE_INTEGRATION
    if key >= 0:
        mujoco.mj_resetDataKeyframe(m.mj, data, key)
    row = np.zeros(mujoco.mj_stateSize(m.mj, spec))
    mujoco.mj_getState(m.mj, data, row, spec)
    return row


def edited(name):
    """A model with other numbers in all fields that a reset takes from."""
    m, rng = lw.load(zoo.load(name)), np.random.default_rng(3)
    for field in dir(m.mj):
        if field.startswith("key_") or field in ("qpos0", "qpos_spring", "tendon_lengthspring"):
            array = getattr(m, field)
            array[...] = array + 0.01 * rng.normal(size=array.shape)
    m.body_pos[...] += 0.01
    m.eq_active0 = ~m.eq_active0.astype(bool)
    m.opt.timestep = 0.0031
    return m


RESETS = [
    "own/mocap", "own/walker", "own/constraints_equality", "own/actuation_delay",
    "own/integrate_plastic", "own/spinner",
]  # fmt: skip


@pytest.mark.parametrize("name", RESETS)
def test_reset_goes_by_the_fields_as_they_are(name):
    m = edited(name)
    d, b = lw.Data(m), lw.Batch(m, 2, 1)
    for key in range(-1, m.nkey):
        lw.reset_data(m, d, None if key < 0 else key)
        b.reset(keyframe=key)
        row = mujoco_row(m, key)
        np.testing.assert_allclose(lw.get_state(m, d), row, rtol=1e-15)
        np.testing.assert_allclose(b.state[1], row, rtol=1e-15)


@pytest.mark.parametrize("name", RESETS)
@pytest.mark.parametrize("door", ["Data", "Batch", "expand"])
def test_a_world_that_breaks_is_reset_likewise(name, door):
    """By the kernels alone: one step after a bad number is one step after a reset."""
    m = edited(name)
    if door == "Data":
        d = lw.Data(m)
        expected = lw.Data(m)
        d.qpos[0] = np.nan
        lw.step(m, d)
        lw.step(m, expected)
        state, wanted = lw.get_state(m, d), lw.get_state(m, expected)
    else:
        b = lw.Batch(m if door == "Batch" else zoo.load(name), 2, 1)
        if door == "expand":
            for field in FIELDS:
                b.expand(field)[...] = field_of(m, field)
            b.reset()
        b.qpos[0, 0] = np.nan
        b.step()
        state, wanted = b.state
    np.testing.assert_array_equal(state, wanted)


FIELDS = (
    "qpos0", "qpos_spring", "tendon_lengthspring", "eq_active0", "opt.timestep", "body_pos",
)  # fmt: skip


def field_of(m, name):
    return getattr(m.opt, name[4:]) if name.startswith("opt.") else getattr(m, name)


# ---- the model of a batch


def test_a_batch_shows_the_model_it_runs_on():
    m = lw.load(FREE.format(z=2))
    b = lw.Batch(m, 3, 1)
    b.model.opt.timestep = 0.01
    b.step()
    assert np.all(b.time == 0.01) and m.opt.timestep == 0.002
    b.model.body_gravcomp[:] = 1
    b.model.flg_gravcomp = True
    before = b.qvel.copy()
    b.step()
    np.testing.assert_allclose(b.qvel, before, atol=1e-15)
    with pytest.raises(ValueError, match="opt.integrator is 17"):
        b.model.opt.integrator = 17


def test_it_also_does_so_beside_expanded_fields():
    b = lw.Batch(lw.load(FREE.format(z=2)), 3, 1)
    b.expand("body_mass")[1] *= 2
    b.step()
    b.model.opt.timestep = 0.01
    b.model.opt.gravity[:] = 0
    b.step()
    np.testing.assert_allclose(b.time, 0.012)
    np.testing.assert_allclose(b.qvel[:, 2], -9.81 * 0.002, rtol=1e-6)


def test_an_MjModel_likewise():
    b = lw.Batch(lw.load(FREE.format(z=2)).mj, 3, 1)
    assert isinstance(b.model, mujoco.MjModel)
    b.model.opt.timestep = 0.01
    b.step()
    assert np.all(b.time == 0.01)


# ---- bounding volumes


TWO = """
<mujoco>
  <worldbody>
    <body pos="0 0 1"><freejoint/><geom size=".1"/>{more}</body>
    <body pos=".5 0 1"><freejoint/><geom name="far" size=".1"/></body>
  </worldbody>
</mujoco>
"""


def grow(mj):
    mj.geom_size[0], mj.geom_rbound[0] = 0.45, 0.45


def move(mj):
    mj.geom_pos[0], mj.geom_sameframe[0] = [0.4, 0, 0], 0


@pytest.mark.parametrize("more", ["", "<geom size='.05' pos='0 .2 0'/>"])
@pytest.mark.parametrize("edit", [grow, move])
def test_geoms_that_outgrow_their_boxes(edit, more):
    """As in MuJoCo after mj_setConst; before, where MuJoCo misses the contact, it is refused."""
    mj = mujoco.MjModel.from_xml_string(TWO.format(more=more))
    edit(mj)
    mj_data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, mj_data)
    if mj_data.ncon == 0:
        with pytest.raises(lw.ModelError, match="has grown out of .* mujoco.mj_setConst"):
            lw.load(mj)
    mujoco.mj_setConst(mj, mj_data)
    mujoco.mj_forward(mj, mj_data)
    m = lw.load(mj)
    d = lw.Data(m)
    lw.forward(m, d)
    assert d.ncon == mj_data.ncon == 1


def test_an_edit_of_size_alone_is_as_in_mujoco():
    mj = mujoco.MjModel.from_xml_string(TWO.format(more=""))
    mj.geom_size[0] = 0.45
    m, mj_data = lw.load(mj), mujoco.MjData(mj)
    d = lw.Data(m)
    lw.forward(m, d)
    mujoco.mj_forward(mj, mj_data)
    assert d.ncon == mj_data.ncon == 0


def test_an_integral_that_has_no_activation():
    """Activations are there from loading on: one that is switched on later is left out."""
    xml = """
    <mujoco>
      <worldbody>
        <body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>
      </worldbody>
      <actuator>
        <pid joint="j" kp="3" kv=".1"/>
        <dcmotor joint="j" motorconst="1" resistance="2"/>
      </actuator>
    </mujoco>
    """
    m, other = lw.load(xml), lw.load(xml)
    assert m.na == 0
    m.actuator_gainprm[0, 0] = m.actuator_gainprm[1, 5] = 7.0  # the gains of integrals
    m.actuator_dynprm[0, 1] = m.actuator_dynprm[1, 7] = 0.5  # rates of setpoints
    d, expected = lw.Data(m), lw.Data(other)
    for model, data in ((m, d), (other, expected)):
        data.ctrl[:] = 0.2
        lw.step(model, data, 3)
    np.testing.assert_array_equal(d.qpos, expected.qpos)
