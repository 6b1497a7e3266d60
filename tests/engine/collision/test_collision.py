"""The driver of collision detection: which pairs, in which order, with which parameters.

What two geoms find is compared in test_collision_pairs.py and test_contact_parity.py; here it is
the walk over the pairs, the filters, the mixing of parameters, and capacity.
"""

import copy
import warnings

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.loaders.structure_collision import default_capacity
from support import parity_contacts as contacts

ORDER = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <geom name="stone" type="box" size=".3 .3 .3" pos="1 0 .2"/>
    <body name="a" pos="0 0 .1">
      <freejoint/>
      <geom name="a_box" type="box" size=".2 .2 .2"/>
      <geom name="a_ball" type="sphere" size=".2" pos=".3 0 0"/>
      <geom name="a_rod" type="capsule" size=".1 .3" pos="0 .3 0"/>
      <body name="child" pos=".3 0 .1">
        <joint axis="0 1 0"/>
        <geom name="child_ball" type="sphere" size=".2"/>
        <body name="grandchild" pos=".1 .1 .1">
          <joint axis="1 0 0"/>
          <geom name="grandchild_rod" type="capsule" size=".1 .2"/>
          <geom name="grandchild_box" type="box" size=".1 .1 .2" pos=".2 0 0"/>
        </body>
      </body>
    </body>
    <body name="b" pos=".4 0 .1">
      <freejoint/>
      <geom name="b_ball" type="sphere" size=".2"/>
      <geom name="b_box" type="box" size=".2 .1 .2" pos=".1 .1 .1"/>
      <geom name="b_seen" type="sphere" size=".5" contype="0" conaffinity="0"/>
    </body>
    <body name="c" pos=".6 .2 .1"><freejoint/><geom name="c_ball" type="sphere" size=".3"/></body>
    <body name="hand" mocap="true" pos=".2 .2 .2">
      <geom name="hand" type="box" size=".2 .1 .1"/>
    </body>
    <body name="post" pos=".2 -.2 .2"><geom name="post" type="capsule" size=".1 .3"/></body>
  </worldbody>
  {contact}
</mujoco>
"""
PAIRS = """
  <contact>
    <pair geom1="b_box" geom2="a_ball" margin=".01" gap=".02" condim="4" solreffriction=".1 1"/>
    <pair geom1="stone" geom2="floor"/>
    <pair geom1="a_rod" geom2="a_box" friction="1e-9 .2 .3 .4 .5"/>
    <pair geom1="a_box" geom2="child_ball"/>
    <pair geom1="b_seen" geom2="c_ball"/>
    <exclude body1="c" body2="b"/>
    <exclude body1="hand" body2="a"/>
  </contact>
"""


def compiled(contact=""):
    return mujoco.MjModel.from_xml_string(ORDER.format(contact=contact))


def assert_same(mj_model, number=5, scale=0.05):
    """Contacts in MuJoCo's order, with MuJoCo's parameters, in several states."""
    rng = np.random.default_rng(3)
    states = []
    for k in range(number):
        state = mujoco.MjData(mj_model)
        mujoco.mj_integratePos(mj_model, state.qpos, rng.normal(size=mj_model.nv) * scale * k, 1)
        mujoco.mj_forward(mj_model, state)
        states.append(state)
    total = 0
    for report in contacts.compare_collision(mj_model, states):
        assert not report.lines, "\n".join(report.lines)
        assert report.ordered
        total += sum(state.ncon for state in states)
    return total


@pytest.mark.parametrize("contact", ["", PAIRS], ids=["bodies", "pairs and excludes"])
@pytest.mark.parametrize("flag", [None, "midphase", "filterparent", "override"])
def test_order_and_filters(contact, flag):
    mj_model = compiled(contact)
    disable, enable = mujoco.mjtDisableBit, mujoco.mjtEnableBit
    if flag == "override":
        mj_model.opt.enableflags |= enable.mjENBL_OVERRIDE
        mj_model.opt.o_margin = 0.01
        mj_model.opt.o_solref[:], mj_model.opt.o_solimp[:3] = [0.03, 0.8], [0.7, 0.8, 0.002]
        mj_model.opt.o_friction[:] = [0, 0.5, 0.1, 1e-9, 0.2]
    elif flag:
        mj_model.opt.disableflags |= getattr(disable, f"mjDSBL_{flag.upper()}")
    assert assert_same(mj_model) > 50


@pytest.mark.parametrize("flag", ["mjDSBL_CONTACT", "mjDSBL_CONSTRAINT"])
def test_disabled(flag):
    mj_model = compiled()
    mj_model.opt.disableflags |= getattr(mujoco.mjtDisableBit, flag)
    m = lw.load(mj_model)
    d = lw.Data(m, 2)
    lw.kinematics(m, d)
    lw.collision(m, d)
    assert not d.ncon.any()


def test_no_contacts_possible():
    m = lw.load("<mujoco><worldbody><geom size='1'/><geom size='1'/></worldbody></mujoco>")
    assert m.nrun == 0
    d = lw.Data(m)
    lw.collision(m, d)
    assert d.ncon == 0


def test_mixing_of_parameters():
    """Every combination of priority, solmix, solref format, and the rest drawn at random."""
    rng = np.random.default_rng(5)
    balls = "".join(
        f'<body pos="{rng.uniform(-0.2, 0.2)} {rng.uniform(-0.2, 0.2)} {rng.uniform(0, 0.2)}">'
        f'<freejoint/><geom size=".2"/></body>'
        for _ in range(8)
    )
    mj_model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{balls}</worldbody></mujoco>'
    )
    for _ in range(4):
        n = mj_model.ngeom
        mj_model.geom_priority[:] = rng.integers(0, 2, n)
        mj_model.geom_condim[:] = rng.choice([1, 3, 4, 6], n)
        mj_model.geom_solmix[:] = rng.choice([0, 1e-16, 0.5, 2, 7], n)
        mj_model.geom_solref[:] = rng.choice([0.02, -100, 0.3], (n, 2))
        mj_model.geom_solimp[:] = rng.uniform(0.1, 0.9, (n, 5))
        mj_model.geom_friction[:] = rng.choice([0, 1e-7, 0.3, 1], (n, 3))
        mj_model.geom_margin[:] = rng.uniform(-0.1, 0.1, n)
        mj_model.geom_gap[:] = rng.uniform(0.1, 0.2, n)
        mj_model.geom_adhesion[:] = rng.choice([0, 0, 2.5], n)
        mj_model.geom_surfacevel[:] = rng.normal(size=(n, 6))
        mj_model.flg_surfacevel = True
        assert assert_same(mj_model, 8) > 50


def test_edits_are_seen():
    """Parameters, contact types and affinities may change while a model is in use."""
    m = lw.load(compiled())
    d = lw.Data(m)
    lw.forward(m, d)
    before = d.ncon
    m.geom_contype[:], m.geom_conaffinity[:] = 0, 0
    m.geom_contype[m.mj.geom("floor").id] = m.geom_conaffinity[m.mj.geom("c_ball").id] = 2
    m.body_contype[0] |= 2
    m.body_conaffinity[m.mj.body("c").id] |= 2
    m.geom_friction[:] = 0.123
    lw.collision(m, d)
    assert 0 < d.ncon < before
    assert np.all(d.contact.friction == 0.123)
    assert set(d.contact.geom.ravel()) == {m.mj.geom("floor").id, m.mj.geom("c_ball").id}


def test_worlds_with_their_own_parameters():
    """Sizes, margins and friction differ between worlds; contact lists too."""
    mj_model = compiled(PAIRS)
    b = lw.Batch(lw.load(mj_model), nsim=5)
    size, margin = b.expand("geom_size"), b.expand("geom_margin")
    friction, solmix = b.expand("geom_friction"), b.expand("geom_solmix")
    reach, pairs = b.expand("geom_rbound"), b.expand("pair_friction")
    for k in range(5):
        size[k] *= 1 - 0.15 * k
        reach[k] *= 1 - 0.15 * k
        margin[k] += 0.01 * k
        friction[k] *= k + 1
        solmix[k] = np.arange(mj_model.ngeom) + k
        pairs[k] += 0.1 * k
    names = ("dist", "friction", "solimp", "geom")
    found = {name: b.bind(f"contact.{name}") for name in names}
    ncon = b.bind("ncon")
    b.forward()
    for k in range(5):
        world = copy.copy(mj_model)
        world.geom_size[:], world.geom_margin[:] = size[k], margin[k]
        world.geom_rbound[:] = reach[k]
        world.geom_friction[:], world.geom_solmix[:] = friction[k], solmix[k]
        world.pair_friction[:] = pairs[k]
        data = mujoco.MjData(world)
        mujoco.mj_forward(world, data)
        assert ncon[k] == data.ncon
        for name in names:
            theirs = getattr(data.contact, name)
            assert np.allclose(found[name][k, : data.ncon], theirs, rtol=0, atol=1e-12)


# -------------------------------------------------------------------------------------- many bodies


def _heap(n, kind="sphere", size=".1"):
    rng = np.random.default_rng(1)
    side = int(np.ceil(n ** (1 / 3)))
    bodies = []
    for i in range(n):
        cell = np.array([i % side, i // side % side, i // side**2])
        p = 0.17 * cell + rng.uniform(-0.01, 0.01, 3) + [0, 0, 0.09]
        pos = " ".join(map(str, p))
        geom = f'<geom type="{kind}" size="{size}"/>'
        bodies.append(f'<body pos="{pos}"><freejoint/>{geom}</body>')
    floor = '<geom type="plane" size="0 0 1"/>'
    return f"<mujoco><worldbody>{floor}{''.join(bodies)}</worldbody></mujoco>"


@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_heap(kind):
    """So many bodies that they are sorted into cells; in one world they have flown apart."""
    mj_model = mujoco.MjModel.from_xml_string(_heap(64, kind, ".09 .08 .09"))
    rng = np.random.default_rng(7)
    states = []
    for _ in range(4):
        state = mujoco.MjData(mj_model)
        state.qpos[:] += rng.normal(size=mj_model.nq) * 0.01
        states.append(state)
    states[2].qpos[:] *= 1e3
    states[3].qpos[14:17] += 1e8
    for state in states:
        mujoco.mj_forward(mj_model, state)
    assert states[0].ncon > 20
    for report in contacts.compare_collision(mj_model, states):
        assert not report.lines, "\n".join(report.lines)
        assert report.ordered


def _mixed(kinds):
    """Free geoms of these kinds on a plane, in rows of three, near their neighbours."""
    rng, meshes = np.random.default_rng(3), []
    for name, number in (("small", 6), ("ball", 30), ("stone", 12)):
        points = rng.normal(size=(number, 3))
        points *= 0.09 / np.linalg.norm(points, axis=1)[:, None]
        vertices = " ".join(f"{x:.4f}" for x in points.ravel())
        meshes.append(f'<mesh name="{name}" vertex="{vertices}"/>')
    return """<mujoco><asset>{}</asset>
      <worldbody><geom type="plane" size="5 5 1"/>{}</worldbody>
      <contact><pair geom1="g3" geom2="g5" margin=".02" condim="4"/></contact></mujoco>""".format(
        "".join(meshes),
        "".join(
            f'<body pos="{0.16 * (i % 3)} {0.15 * (i // 3)} .1"><freejoint/>'
            f'<geom name="g{i}" {kind}/></body>'
            for i, kind in enumerate(kinds)
        ),
    )


# what may wait before, between and after other geoms
BOXES = ['type="box" size=".1 .08 .09" friction=".7"', 'type="box" size=".09 .1 .07"']
OTHERS = ['size=".08"', 'type="box" size=".1 .1 .1" margin=".01" gap=".01"']
CAPSULES = ['type="capsule" size=".05 .08"', 'type="capsule" size=".06 .05" euler="80 10 0"']
ROUND = ['type="cylinder" size=".07 .08"', 'type="ellipsoid" size=".09 .07 .08" margin=".01"']
MESHES = [f'type="mesh" mesh="{name}"' for name in ("ball", "small", "stone", "ball")]
MIXED = {
    "box": BOXES * 4 + OTHERS * 2,
    "capsule": (BOXES + CAPSULES) * 2 + OTHERS + CAPSULES,
    "cylinder": (ROUND + BOXES) * 2 + OTHERS + CAPSULES,
    "mesh": MESHES + ROUND + MESHES + BOXES + MESHES,
}


@pytest.mark.parametrize("room", [None, 60, 20], ids=("room", "little room", "no room"))
@pytest.mark.parametrize("kind", MIXED)
def test_pairs_that_wait(kind, room):
    """Pairs that few worlds have wait for each other; a world's contacts are as if it was alone."""
    mj = mujoco.MjModel.from_xml_string(_mixed(MIXED[kind]))
    m, rng, worlds = lw.load(mj), np.random.default_rng(0), []
    for _ in range(8):
        world = mujoco.MjData(mj)
        mujoco.mj_integratePos(mj, world.qpos, 0.1 * rng.standard_normal(mj.nv), 1.0)
        mujoco.mj_kinematics(mj, world)
        mujoco.mj_collision(mj, world)
        worlds.append(world)
    d, one = lw.Data(m, lanes=8, nconmax=room), lw.Data(m, lanes=1, nconmax=room)
    d.qpos[:] = [world.qpos for world in worlds]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lw.kinematics(m, d)
        lw.collision(m, d)
        assert d.arrays["nwaiting"] == 0 == np.abs(d.arrays["pending"]).max()
        if room is None:
            waited = d.arrays["wait_kind"].ravel() & 63  # types of both geoms, eight by eight
            assert getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}") in {
                *(waited // 8),
                *(waited % 8),
            }
            assert d.arrays["late"] != 0  # something was noted after what came later
            if kind == "mesh":
                assert len(set(d.arrays["gjk_mesh"].ravel())) > 1
        for w, world in enumerate(worlds):
            one.qpos[:] = world.qpos
            lw.kinematics(m, one)
            lw.collision(m, one)
            n = int(one.ncon)
            assert d.ncon[w] == n == min(world.ncon, room or world.ncon)
            for name in ("dist", "pos", "frame", "geom", "friction", "includemargin", "dim"):
                ours, alone = (data.arrays[f"contact.{name}"][:n] for data in (d, one))
                assert np.array_equal(ours[..., w], alone.reshape(ours[..., w].shape)), name
            assert np.array_equal(d.arrays["contact.geom"][:n, :, w], world.contact.geom[:n])


def test_a_world_without_positions_is_left_alone():
    m = lw.load(_heap(60))
    d = lw.Data(m, 3)
    lw.kinematics(m, d)
    d.geom_xpos[1] = np.nan
    lw.collision(m, d)
    assert d.ncon[0] == d.ncon[2] > 20
    assert d.ncon[1] == 0


# ---------------------------------------------------------------------------------------- capacity


def test_capacity_holds_a_heap():
    for kind, size in (("sphere", ".1"), ("box", ".08 .08 .08")):
        mj_model = mujoco.MjModel.from_xml_string(_heap(60, kind, size))
        data = mujoco.MjData(mj_model)
        mujoco.mj_forward(mj_model, data)
        assert default_capacity(mj_model)[0] >= data.ncon


def test_capacity_is_exact_for_few_pairs():
    mj_model = mujoco.MjModel.from_xml_string(_heap(2, "box", ".08 .08 .08"))
    assert default_capacity(mj_model)[0] == 4 + 4 + 8


def test_overflow_warns_and_spares_the_neighbours():
    m = lw.load(_heap(9))
    d = lw.Data(m, 3, nconmax=5)
    d.qpos[1, 2::7] += 10 + np.arange(9)  # world 1 has no contacts
    lw.kinematics(m, d)
    with pytest.warns(RuntimeWarning, match="nconmax"):
        lw.collision(m, d)
    assert d.ncon.tolist() == [5, 0, 5]
    full = mujoco.mjtWarning.mjWARN_CONTACTFULL
    assert d.warning[full].number[0] > 0 and d.warning[full].number[1] == 0
    assert d.warning[full].lastinfo[0] == 5
