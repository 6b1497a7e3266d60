"""Forces after constraints: rne_post_constraint and contact_force against MuJoCo.

Everything that can push a body is in the models: the user, contacts of every dimension with
adhesion, connect and weld by body and by site, tendons through sites, around geoms and over pulleys
with every kind of tension. A second test needs no oracle: the forces on a body, with those of its
parent and children, are its mass times its acceleration.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.lanes import W
from support import parity_contacts as touch
from support import zoo
from support.parity_forces import after_constraints, lines, pushed
from support.states import random_state

TOLERANCE = 1e-9
FLAG = mujoco.mjtDisableBit

TOUCHING = [name for name in zoo.ZOO if name.startswith(("own/contacts_", "own/constraints_"))]
TENDONS = ["own/tendons", "own/tendon_wrap", "own/tendon_pulley", "own/tendon_armature"]
TENDONS += ["own/aligned", "own/passive_yield", "own/actuation_tendon", "own/integrate_tendons"]


def check(mj_model, references) -> None:
    found = after_constraints(mj_model, references)
    assert not lines(found, TOLERANCE), "\n".join(lines(found, TOLERANCE))


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("name", TOUCHING)
def test_constraints(name, cone):
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    mj_model.opt.cone = touch.CONES[cone]
    rng = np.random.default_rng(71)
    check(mj_model, pushed(mj_model, touch.settled(mj_model, rng, W, nstep=120), rng))


@pytest.mark.parametrize("name", [name for name in TENDONS if name in zoo.ZOO])
def test_tendons(name):
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    rng = np.random.default_rng(73)
    check(mj_model, pushed(mj_model, [random_state(mj_model, rng, 0.3) for _ in range(W)], rng))


@pytest.mark.parametrize("flag", ["SPRING", "DAMPER", "GRAVITY", "ACTUATION", "CONSTRAINT"])
@pytest.mark.parametrize("name", ["own/tendons", "own/constraints_limits"])
def test_disabled(name, flag):
    mj_model = touch.with_constraints(zoo.ZOO[name]())
    mj_model.opt.disableflags |= getattr(FLAG, f"mjDSBL_{flag}")
    rng = np.random.default_rng(79)
    check(mj_model, pushed(mj_model, [random_state(mj_model, rng, 0.3) for _ in range(4)], rng))


EVERYTHING = """
<mujoco>
  <option cone="{cone}"/>
  <worldbody>
    <geom type="plane" size="5 5 1" adhesion="2" gap=".05"/>
    <site name="ceiling" pos="0 0 2"/>
    <body name="a" pos="0 0 .1" euler="5 3 8">
      <freejoint/>
      <geom type="box" size=".2 .15 .1" condim="6" friction=".8 .1 .05"/>
      <site name="on_a" pos=".1 .1 .1" euler="20 0 10"/>
      <body name="arm" pos=".2 0 .1">
        <joint axis="0 1 0" frictionloss=".2" range="-20 20" limited="true"/>
        <geom name="log" type="cylinder" size=".05 .2" zaxis="0 1 0" contype="0" conaffinity="0"/>
        <site name="on_arm" pos=".2 0 .1"/>
      </body>
    </body>
    <body name="b" pos=".1 .1 .5" euler="30 10 0">
      <freejoint/>
      <geom type="capsule" size=".05 .1" condim="4"/>
      <site name="on_b" pos="0 0 .1" euler="0 40 0"/>
    </body>
    <body name="c" pos="1 0 .3">
      <freejoint/>
      <geom size=".1" condim="1"/>
    </body>
  </worldbody>
  <equality>
    <weld body1="a" body2="b" torquescale=".6" anchor=".1 0 .2"/>
    <connect body1="b" body2="c" anchor=".3 0 .1"/>
    <weld site1="on_a" site2="on_b" torquescale="3"/>
    <connect site1="on_arm" site2="ceiling"/>
    <weld body1="c"/>
    <tendon tendon1="over" tendon2="through" polycoef="0 .5 .2 .1 .05"/>
  </equality>
  <tendon>
    <spatial name="over" stiffness="30" damping="2" frictionloss=".5" range="0 .9" limited="true">
      <site site="ceiling"/><geom geom="log"/><site site="on_b"/>
      <pulley divisor="2"/>
      <site site="on_a"/><site site="on_b"/>
    </spatial>
    <spatial name="through" armature=".1">
      <site site="ceiling"/><site site="on_arm"/><site site="on_a"/>
    </spatial>
    <fixed name="fixed" stiffness="5"><joint joint="hinge" coef="2"/></fixed>
  </tendon>
  <actuator><motor tendon="over" gear="3"/><general tendon="through" gainprm="7"/></actuator>
</mujoco>
"""


def everything(cone: str) -> mujoco.MjModel:
    text = EVERYTHING.replace('<joint axis="0 1 0" fric', '<joint name="hinge" axis="0 1 0" fric')
    return mujoco.MjModel.from_xml_string(text.format(cone=cone))


def everything_states(mj_model) -> list[mujoco.MjData]:
    rng = np.random.default_rng(83)
    states = []
    for k in range(W):
        mj_data = mujoco.MjData(mj_model)
        mujoco.mj_integratePos(mj_model, mj_data.qpos, rng.normal(0, 0.1, mj_model.nv), 1.0)
        mj_data.qvel[:] = rng.normal(0, 0.3, mj_model.nv)
        mj_data.ctrl[:] = rng.normal(0, 1, mj_model.nu)
        mujoco.mj_step(mj_model, mj_data, 10 * k)
        states.append(mj_data)
    return pushed(mj_model, states, rng)


@pytest.mark.parametrize("cone", touch.CONES)
def test_everything_at_once(cone):
    mj_model = everything(cone)
    references = everything_states(mj_model)
    assert len(references) > 4
    check(mj_model, references)


# ---- without an oracle


def test_balance():
    """The force on a body is that of its parent, less those on its children, plus the external."""
    mj_model = everything("elliptic")
    m = lw.load(mj_model)
    d = lw.put_data(m, everything_states(mj_model))
    lw.forward(m, d)
    lw.rne_post_constraint(m, d)
    for lane in range(d.lanes):
        root_com = d.subtree_com[lane][mj_model.body_rootid]
        for b in range(1, mj_model.nbody):
            total = d.cfrc_int[lane, b] + d.cfrc_ext[lane, b]
            for child in range(1, mj_model.nbody):
                if mj_model.body_parentid[child] == b:
                    total = total - d.cfrc_int[lane, child]
            r = d.xipos[lane, b] - root_com[b]
            w = d.cvel[lane, b, :3]
            v = d.cvel[lane, b, 3:] + np.cross(w, r)
            dw, dv = d.cacc[lane, b, :3], d.cacc[lane, b, 3:]
            # cacc is the rate of what moves with the frame C; the point's own acceleration:
            a = dv + np.cross(dw, r) + np.cross(w, v)
            assert np.allclose(total[3:], mj_model.body_mass[b] * a, atol=1e-9)


# ---- contact_force


@pytest.mark.parametrize("cone", touch.CONES)
def test_contact_force(cone):
    """Of one contact, of all, and their sums by body."""
    mj_model = touch.with_constraints(zoo.ZOO["own/contacts_surfaces"]())
    mj_model.opt.cone = touch.CONES[cone]
    states = touch.settled(mj_model, np.random.default_rng(89), 4, nstep=120)
    references = pushed(mj_model, states, np.random.default_rng(97))
    m = lw.load(mj_model)
    d = lw.put_data(m, references)
    force = lw.contact_force(m, d)
    assert force.shape == (len(references), max(x.ncon for x in references), 6)
    for lane, reference in enumerate(references):
        wrench = np.zeros((mj_model.nbody, 6))
        for k in range(reference.ncon):
            expected = np.zeros(6)
            mujoco.mj_contactForce(mj_model, reference, k, expected)
            assert touch.relative(force[lane, k], expected) < TOLERANCE
            assert np.array_equal(lw.contact_force(m, d, k)[lane], force[lane, k])
            if reference.contact.efc_address[k] < 0:
                continue
            frame = reference.contact.frame[k].reshape(3, 3)
            f, t = frame.T @ expected[:3], frame.T @ expected[3:]
            for sign, geom in zip((-1, 1), reference.contact.geom[k], strict=True):
                b = mj_model.geom_bodyid[geom]
                r = reference.contact.pos[k] - reference.xipos[b]
                wrench[b] += sign * np.concatenate([f, t + np.cross(r, f)])
        assert touch.relative(d.arrays["body_contact"][..., lane], wrench) < TOLERANCE
        assert not force[lane, reference.ncon :].any()


def test_contact_force_of_one_world():
    m = lw.load("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'>"
                "<freejoint/><geom size='.1' mass='1'/></body></worldbody></mujoco>")  # fmt: skip
    d = lw.Data(m)
    lw.step(m, d, 500)
    lw.forward(m, d)
    assert lw.contact_force(m, d, 0).shape == (6,)
    assert np.isclose(lw.contact_force(m, d, 0)[0], 9.81, rtol=1e-3)
    with pytest.raises(ValueError, match=r"contact must be in \[0, 1\)"):
        lw.contact_force(m, d, 1)
