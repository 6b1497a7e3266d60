"""The table of fields says what an edit does, and that is what it does: beside MuJoCo, by field."""

import copy
from itertools import islice

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.fields import EDITS
from lanewise.limits import CHECKED, checked_problem
from support import editing, zoo
from support.states import random_state

# what the models of the zoo do not have: cameras and meshes that sensors read, pairs with friction
# of their own, noslip, readings with periods
SENSED = """
<mujoco>
  <option cone="elliptic" noslip_iterations="3" magnetic=".1 .2 .4" actuatorgroupdisable="2"/>
  <asset>
    <mesh name="wedge" vertex="0 0 0  .3 0 0  0 .25 0  0 0 .2  .1 .1 .25" refpos=".02 .01 .03"/>
    <mesh name="skin" builtin="plate" params="9 7" scale=".1 .1 .02"/>
    <hfield name="flat" nrow="3" ncol="3" size=".2 .2 .1 .05" elevation="0 1 0 1 0 1 0 0 .5"/>
    <hfield name="wide" nrow="3" ncol="3" size=".4 .3 .1 .05" elevation="0 1 0 1 0 1 0 0 .5"/>
    <material name="clear" rgba="1 1 1 0"/>
    <material name="solid" rgba="1 1 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" group="1"/>
    <geom type="hfield" hfield="flat" pos="3 3 0"/>
    <camera name="lens" pos="1 .5 1.5" fovy="50" resolution="64 48"/>
    <camera name="chip" pos="1 -.5 1.5" resolution="64 48" focal=".004 .005"
            sensorsize=".006 .005" principal=".0003 .0001"/>
    <body name="box" pos=".1 .2 .19"><freejoint/>
      <geom name="box" type="box" size=".1 .15 .2" material="solid"/>
      <site name="imu" pos=".02 .03 .01" euler="10 20 30"/>
      <site name="pad" type="box" size=".102 .152 .05" pos="0 0 -.2"/>
      <site name="bag" type="mesh" mesh="wedge"/>
      <site name="in" pos="-.019 -.009 -.028"/>
    </body>
    <body name="ball" pos=".5 -.2 .095"><freejoint/>
      <geom name="ball" size=".1"/>
      <geom size=".1" pos=".2 0 .3" material="clear" contype="0" conaffinity="0"/>
      <geom size=".5" pos="0 0 .9" rgba="1 1 1 0" contype="0" conaffinity="0"/>
    </body>
    <body name="finger" pos="-.6 0 .32">
      <joint name="hinge" axis="0 1 0" stiffness="3" springyield=".1"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0" mass=".4"/>
      <body name="tip" pos=".3 0 0"><joint name="slide" type="slide" axis="1 .1 0"/>
        <geom type="box" size=".1 .1 .02" mass=".1"/>
        <body pos="0 .001 .04">
          <geom size=".001" mass=".01"/>
          <geom name="skin" type="mesh" mesh="skin" contype="0" conaffinity="0" mass="0"/>
        </body>
      </body>
    </body>
    <body pos="2 0 1"><joint name="spin" axis="0 0 1" frictionloss=".5"/>
      <geom size=".1" pos=".1 0 0" mass=".3"/>
    </body>
    <body name="poker" pos="-.3 0 .39"><joint type="slide" axis="0 1 -.3"/>
      <geom name="poker" size=".06" mass=".2"/>
    </body>
  </worldbody>
  <contact>
    <pair geom1="ball" geom2="floor" condim="3" solreffriction=".03 .8"/>
  </contact>
  <tendon>
    <fixed name="cord" frictionloss="30"><joint joint="slide" coef=".4"/></fixed>
  </tendon>
  <actuator>
    <motor joint="hinge" group="1"/><motor joint="slide" group="2"/><motor joint="spin"/>
  </actuator>
  <sensor>
    <magnetometer site="imu"/><gyro site="imu" cutoff=".2"/><touch site="pad"/>
    <velocimeter site="imu" nsample="4" delay=".004" interval=".004 -.001"/>
    <camprojection site="imu" camera="lens"/><camprojection site="imu" camera="chip"/>
    <insidesite site="bag" objtype="site" objname="in"/>
    <tactile geom="skin" mesh="skin"/>
    <framepos objtype="camera" objname="lens"/>
  </sensor>
  <keyframe><key time=".3" plastic=".1"/></keyframe>
</mujoco>
"""

OVERRIDDEN = SENSED.replace("<option ", '<option o_margin=".02" ').replace(
    "/>\n  <asset>", '><flag override="enable"/></option>\n  <asset>', 1
)

# in the order in which they are tried, until an effect was seen
MODELS = (
    "sensed", "own/crooked", "own/contacts_pairs", "own/constraints_limits", "own/mocap",
    "own/constraints_equality", "own/integrate_plastic", "own/contacts_surfaces",
    "own/actuation_delay", "own/actuation_dynamics", "own/fluid_ellipsoid", "own/contacts_hfield",
    "own/actuation_slidercrank", "own/passive_gravcomp", "own/cameras", "own/contacts_mesh",
    "own/tendon_armature", "own/tendons", "own/walker", "own/actuation_joint",
    "own/actuation_tendon", "overridden",
)  # fmt: skip

# MuJoCo looks for contacts by boxes and margins that only mj_setConst makes: before that, it may
# miss what Lanewise finds
BOXED = ("geom_size", "geom_pos", "geom_quat")
BOXES = ("geom_aabb", "bvh_aabb", "geom_rbound", "body_margin")
# nobody reads them after mj_setConst, but for sleep
KEPT = ("actuator_length0", "dof_length", "tree_sleep_policy", "body_margin")
TOLERANCE = 1e-8


def make(name):
    if name in ("sensed", "overridden"):
        return mujoco.MjModel.from_xml_string(SENSED if name == "sensed" else OVERRIDDEN)
    return zoo.ZOO[name]()


class Live:
    """A model with a Data that has made steps, and the same of MuJoCo's; edits are taken back."""

    def __init__(self, name):
        self.mj, rng = make(name), np.random.default_rng(1)
        data = random_state(self.mj, rng, 0.1, odd=False)
        if name in ("sensed", "overridden"):  # near enough to touch
            mujoco.mj_resetData(self.mj, data)
            data.qvel[:] = 0.01 * rng.normal(size=self.mj.nv)
            data.ctrl[:] = 0.3
            mujoco.mj_step(self.mj, data, 6)
        self.state = editing.row(self.mj, data)
        self.m = lw.load(self.mj)
        self.d = lw.Data(self.m)
        lw.step(self.m, self.d, 2)
        self.before = editing.of_mujoco(self.mj, self.state)

    def edit(self, name, value):
        """Whether an edit has an effect in MuJoCo; it has the same here. None: it is refused."""
        old = copy.copy(editing.field(self.mj, name))
        try:
            editing.write(self.m, name, value)
        except ValueError:
            return None
        editing.write(self.mj, name, value)
        try:
            expected = editing.of_mujoco(self.mj, self.state)
        except mujoco.FatalError:
            return None
        else:
            actual = editing.of_lanewise(self.m, self.d, self.state)
            wrong = editing.differences(actual, expected, TOLERANCE)
            assert not wrong, f"{name}: {wrong}"
            return bool(editing.differences(self.before, expected, 0.0))
        finally:
            editing.write(self.mj, name, old)
            editing.write(self.m, name, old)


@pytest.fixture(scope="module")
def live():
    made: dict = {}
    return lambda name: made.get(name) or made.setdefault(name, Live(name))


# ---- the table is complete


def test_every_field_of_MjModel_is_in_the_table():
    mj = mujoco.MjModel.from_xml_string("<mujoco/>")
    arrays = {n for n in dir(mj) if isinstance(getattr(mj, n), np.ndarray) and n[0] != "_"}
    options = {f"opt.{n}" for n in dir(mj.opt) if n[0] != "_"}
    flags = {n for n in dir(mj) if n.startswith("flg_")}
    assert set(EDITS) == arrays | options | flags


# ---- an edit acts from the next step on


@pytest.mark.parametrize("name", [n for n in editing.editable("unused") if n not in BOXES + KEPT])
def test_an_edit_acts_as_in_mujoco(name, live):
    """On every model up to the first in which MuJoCo shows an effect, and there is one."""
    for model in reversed(MODELS) if name.startswith("opt.o_") else MODELS:
        world = live(model)
        if editing.size(world.mj, name) == 0 or (name in BOXED and world.before["ncon"]):
            continue
        rng = np.random.default_rng(2)
        seen = [world.edit(name, value) for value in editing.others(world.mj, name, rng)]
        if any(seen):
            return
    pytest.fail(f"no model shows an effect of {name}")


@pytest.mark.parametrize("name", [n for n, w in EDITS.items() if "unused" in w] + list(KEPT))
def test_an_edit_has_no_effect(name, live):
    for model in ("sensed", "own/crooked", "own/cameras"):
        world = live(model)
        for value in editing.others(world.mj, name, np.random.default_rng(2)):
            assert not world.edit(name, value)


# ---- what set_const reads and writes, found out from MuJoCo

CONST_MODELS = (
    "sensed", "own/crooked", "own/contacts_pairs", "own/mocap", "own/constraints_equality",
    "own/contacts_surfaces", "own/contacts_hfield", "own/actuation_joint", "own/tendons",
    "own/actuation_slidercrank", "own/passive_gravcomp", "own/cameras", "own/fluid_ellipsoid",
    "own/actuation_tendon", "own/tendon_armature",
)  # fmt: skip
# what follows for sleep alone, which is not built
FOR_SLEEP = {"tree_sleep_policy", "dof_length"}


def values(mj, name):
    """Other values that a field may have."""
    for value in editing.others(mj, name, np.random.default_rng(3)):
        if name not in CHECKED or not checked_problem(mj, name, value, getattr(mj, name)):
            yield value


def constants(mj, names=EDITS):
    """Fields, after mj_setConst; live."""
    mujoco.mj_setConst(mj, mujoco.MjData(mj))
    return {name: np.asarray(editing.field(mj, name)) for name in names}


def changed(first, second, besides=""):
    """Names of fields that have other bits."""
    other = {n for n, x in first.items() if x.tobytes() != second[n].tobytes()}
    return other - {besides}


def test_set_const_reads_and_writes_what_the_table_says():
    """An edit, mj_setConst, and what else changes: only what is made, and by all that is const."""
    follows: dict = {name: set() for name in EDITS}
    for model in CONST_MODELS:
        mj = make(model)
        names = [name for name in EDITS if editing.size(mj, name)]
        before = constants(copy.copy(mj), names)
        for name in set(editing.editable()).intersection(names):
            for value in islice(values(mj, name), 2):
                other = copy.copy(mj)
                editing.write(other, name, value)
                try:
                    after = constants(other, names)
                except mujoco.FatalError:
                    continue
                follows[name] |= changed(after, before, besides=name)
                # of what it reads and writes itself, other numbers
                if "const" in EDITS[name] and not np.array_equal(after[name], value):
                    follows[name].add(name)
    made = {name for name, words in EDITS.items() if "made" in words}
    assert set().union(*follows.values()) <= made
    reads = {name for name, after in follows.items() if after - FOR_SLEEP}
    assert reads == {name for name, words in EDITS.items() if "const" in words}
    # structure is made, too, but of what cannot change; and of sleep and ids nothing follows here
    alone = {"body_simple", "bvh_aabb"} | FOR_SLEEP
    fixed = {name for name, words in EDITS.items() if "fixed" in words}
    assert made - fixed - alone <= set().union(*follows.values())


@pytest.mark.parametrize("name", [n for n in editing.editable() if EDITS[n] & {"const", "made"}])
def test_set_const_after_an_edit_is_as_in_mujoco(name):
    """All constants to the bit, and everything that is computed with them, on a live Data."""
    followed = False
    for model in CONST_MODELS:
        if editing.size(make(model), name) == 0:
            continue
        for value in values(make(model), name):
            world = Live(model)
            before = constants(copy.copy(world.mj))
            editing.write(world.m, name, value)
            editing.write(world.mj, name, value)
            try:
                expected = constants(world.mj)
            except mujoco.FatalError as error:
                refused(world.m, str(error))
                continue
            if not all(np.isfinite(x).all() for x in expected.values()):
                refused(world.m, "would be nan")
                continue
            lw.set_const(world.m, world.d)
            actual = {n: np.array(editing.field(world.m, n)) for n in EDITS}
            assert not changed(actual, expected)
            followed |= bool(changed(expected, before, besides=name))
            followed |= not np.array_equal(expected[name], value)
            actual = editing.of_lanewise(world.m, world.d, world.state)
            expected = editing.of_mujoco(world.mj, world.state)
            assert not editing.differences(actual, expected, TOLERANCE)
        if followed:
            return
    pytest.fail(f"nothing follows from {name}")


def refused(m, words):
    """set_const raises with MuJoCo's words, and leaves everything as it was."""
    before = {n: np.array(editing.field(m, n)) for n in EDITS}
    with pytest.raises(lw.ModelError) as error:
        lw.set_const(m)
    assert words in str(error.value)
    assert not changed({n: np.array(editing.field(m, n)) for n in EDITS}, before)
