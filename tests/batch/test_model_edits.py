"""Edits of the model of a live Batch: as in MuJoCo, in all worlds, from the next step on."""

import copy

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import EDITS
from support import editing, zoo
from support.states import random_state

NSIM = 11
MODELS = (
    "own/crooked", "own/contacts_pairs", "own/constraints_equality", "own/actuation_delay",
    "own/fluid_box", "own/walker",
)  # fmt: skip
# MuJoCo finds contacts by what only mj_setConst makes of these
BOXED = (
    "geom_size", "geom_pos", "geom_quat", "geom_margin", "geom_gap", "geom_aabb", "bvh_aabb",
    "geom_rbound", "body_margin",
)  # fmt: skip


class Live:
    """A Batch that has made steps, and an MjModel with the same edits, which are taken back."""

    def __init__(self, name, expanded):
        self.mj = zoo.ZOO[name]()
        self.b = lw.Batch(lw.load(self.mj), NSIM, 2)
        if expanded:  # numbers of the model are lanes then
            self.b.expand("opt.wind")
        data = random_state(self.mj, np.random.default_rng(5), 0.1, odd=False)
        self.state = np.zeros(self.b.nstate)
        mujoco.mj_getState(self.mj, data, self.state, editing.SPEC)
        self.b.step(nstep=2)

    def compare(self, name, value):
        m, old = self.b.model, copy.copy(editing.field(self.mj, name))
        try:
            editing.write(m, name, value)
        except ValueError:
            return
        editing.write(self.mj, name, value)
        try:
            for label, (actual, expected) in self.outcomes().items():
                gap = np.abs(actual - expected).max(initial=0.0)
                scale = max(1.0, np.abs(expected).max(initial=0.0))
                assert gap <= 1e-8 * scale, f"{name}, {label}: {gap}"
        except mujoco.FatalError:  # MuJoCo does not take it
            pass
        finally:
            editing.write(self.mj, name, old)
            editing.write(m, name, old)

    def outcomes(self):
        """{what: (every world's state, MuJoCo's)}"""
        b, d = self.b, mujoco.MjData(self.mj)
        b.state[:] = self.state
        b.step(ids=[0, 3, 7])
        b.step(ids=[1, 2, 4, 5, 6, 8, 9, 10])
        mujoco.mj_setState(self.mj, d, self.state, editing.SPEC)
        mujoco.mj_step(self.mj, d)
        found = {"step": (b.state.copy(), editing.row(self.mj, d))}
        for key in range(-1, self.mj.nkey):
            b.reset(keyframe=key, stage=0)
            if key < 0:
                mujoco.mj_resetData(self.mj, d)
            else:
                mujoco.mj_resetDataKeyframe(self.mj, d, key)
            found[f"keyframe {key}"] = (b.state.copy(), editing.row(self.mj, d))
        return found


@pytest.mark.parametrize("expanded", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_every_field(model, expanded):
    world = Live(model, expanded)
    for name in editing.editable("unused"):
        # flags that say what is not so have no meaning
        if name in BOXED or name.endswith("sameframe") or (expanded and name == "opt.wind"):
            continue
        values = editing.others(world.mj, name, np.random.default_rng(6))
        for value in values if editing.size(world.mj, name) else ():
            world.compare(name, value)


XML = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1" contype="1" conaffinity="2"/>
    <body pos="0 0 .09"><freejoint/><geom name="ball" size=".1" contype="4" conaffinity="8"/></body>
  </worldbody>
</mujoco>
"""


@pytest.mark.parametrize("given", ["Model", "MjModel"])
def test_contacts_that_are_switched_on(given):
    """Body masks follow by set_const, in every Data and Batch; an MjModel has MuJoCo's own."""
    m = lw.load(XML)
    b = lw.Batch(m if given == "Model" else m.mj, NSIM, 1)
    b.step()
    assert not b.contact.dist.any() and (b.qvel[:, 2] < 0).all()
    b.model.geom_conaffinity[1] = 1
    if given == "Model":
        lw.set_const(b.model)
    else:
        mujoco.mj_setConst(b.model, mujoco.MjData(b.model))
    b.step()
    assert (b.ncon == 1).all() and (b.qvel[:, 2] > 0).all()


def test_gravity_compensation_that_is_switched_on():
    b = lw.Batch(lw.load(XML), NSIM, 1)
    b.model.body_gravcomp[1] = 1.0
    b.step()
    before = b.qvel[:, 2].copy()
    assert (before < 0).all()
    lw.set_const(b.model)
    b.step()
    np.testing.assert_array_equal(b.qvel[:, 2], before)


def test_set_const_of_the_model_beside_expanded_fields():
    """Worlds with constants of their own keep them; the others have the model's."""
    b = lw.Batch(lw.load(zoo.load("own/crooked")), NSIM, 2)
    b.expand("body_mass")[4] *= 2
    b.set_const()
    own = b.expanded("body_subtreemass")[4].copy()
    b.model.dof_armature[:] += 0.1
    lw.set_const(b.model)
    np.testing.assert_array_equal(b.expanded("body_subtreemass")[4], own)
    mj = copy.copy(b.model.mj)
    d = mujoco.MjData(mj)
    mujoco.mj_step(mj, d)
    b.step()
    np.testing.assert_allclose(b.qpos[0], d.qpos, rtol=1e-12, atol=1e-14)
    assert not np.array_equal(b.qpos[4], b.qpos[0])


def test_options_written_past_the_model():
    """A Batch of an MjModel shows that: what has no meaning is an error at the next call."""
    b = lw.Batch(lw.load(XML).mj, 3, 1)
    b.model.opt.integrator = 17
    for call in (b.step, b.forward, b.reset, lambda: b.rollout(2), lambda: b.mul_m(np.zeros(6))):
        with pytest.raises(ValueError, match="opt.integrator is 17; it must be one of 0"):
            call()
    assert (b.time == 0).all()
    b.model.opt.integrator = 3
    b.step()
    assert (b.time > 0).all()


def test_every_kind_of_edit_is_among_the_fields():
    assert {"const", "made", "free", "checked"} == set().union(
        *(EDITS[name] for name in editing.editable("unused"))
    )


def test_a_medium_that_comes_to_act_on_geoms():
    """Forces depend on the frames of geoms then, which nothing else needs."""
    xml = """
    <mujoco>
      <option density="900"/>
      <worldbody>
        <body pos="0 0 1"><joint axis="0 1 .3"/>
          <geom type="ellipsoid" size=".1 .2 .3" pos=".3 .1 0" euler="10 20 30" mass="1"/>
        </body>
      </worldbody>
    </mujoco>
    """
    b, mj = lw.Batch(lw.load(xml), NSIM, 1), mujoco.MjModel.from_xml_string(xml)
    d = mujoco.MjData(mj)
    b.step()
    mujoco.mj_step(mj, d)
    for model in (b.model, mj):
        model.geom_fluid[0] = [1, 0.5, 0.25, 1.5, 1, 1, 0.1, 0.2, 0.3, 0.01, 0.02, 0.03]
    b.step(nstep=20)
    mujoco.mj_step(mj, d, 20)
    np.testing.assert_allclose(b.qpos, np.tile(d.qpos, (NSIM, 1)), rtol=1e-12)
