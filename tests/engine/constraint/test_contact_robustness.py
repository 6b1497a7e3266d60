"""Contacts under bad conditions: heaps, overlaps, absurd sizes, flat meshes, bad worlds, no room.

Nothing here is compared with a right answer, except MuJoCo's warning counters. What is required is
that a world which deserves it is reset or warned about, and that everything else is finite and has
the bits that it would have had anyway.
"""

import mujoco
import numpy as np
import pytest

import lanewise as lw

WARNING = mujoco.mjtWarning
CONTACTFULL, CNSTRFULL = int(WARNING.mjWARN_CONTACTFULL), int(WARNING.mjWARN_CNSTRFULL)
INFO, NUMBER = 0, 1  # columns of Batch.warning

SHAPES = {
    "sphere": 'type="sphere" size=".1"',
    "capsule": 'type="capsule" size=".06 .1"',
    "ellipsoid": 'type="ellipsoid" size=".1 .07 .12"',
    "cylinder": 'type="cylinder" size=".09 .08"',
    "box": 'type="box" size=".1 .08 .06"',
    "mesh": 'type="mesh" mesh="gem"',
}
ASSETS = """
  <asset>
    <mesh name="gem" vertex=".1 0 0 -.1 0 0 0 .1 0 0 -.1 0 0 0 .12 0 .02 -.09 .06 .06 .05"/>
    <hfield name="hill" nrow="3" ncol="4" size="2 2 .4 .2" elevation="0 1 0 0 .5 .2 .8 0 0 .1 .4 0"
    />
  </asset>
"""
FLOOR = '<geom type="plane" size="5 5 1"/>'
HILL = '<geom type="hfield" hfield="hill"/>'


def scene(bodies: str, ground: str = FLOOR, option: str = "") -> str:
    """A model of what is on the ground."""
    return f"<mujoco>{option}{ASSETS}<worldbody>{ground}{bodies}</worldbody></mujoco>"


def free(shape: str, pos, quat=(1, 0, 0, 0)) -> str:
    place = f'pos="{" ".join(map(str, pos))}" quat="{" ".join(map(str, quat))}"'
    return f"<body {place}><freejoint/><geom {shape}/></body>"


def heap(number: int, seed: int = 0) -> str:
    """Layers of bodies, at any angle."""
    rng = np.random.default_rng(seed)
    shapes, bodies = list(SHAPES.values()), ""
    for k in range(number):
        x, y, z = k % 5, k // 5 % 5, k // 25
        pos = np.array([x - 2.0, y - 2.0, z + 0.6]) * 0.22 + rng.uniform(-0.02, 0.02, 3)
        bodies += free(shapes[k * 7 % 6], pos, rng.normal(size=4))
    return bodies


def finite(*arrays) -> bool:
    return all(np.isfinite(a).all() for a in arrays)


# ---------------------------------------------------------------------------------- many, too close


@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
def test_heap(cone):
    """200 free bodies fall on each other; worlds differ, none breaks."""
    mj_model = mujoco.MjModel.from_xml_string(scene(heap(200)))
    mj_model.opt.cone = cone
    b = lw.Batch(mj_model, nsim=8)
    b.qvel = 0.1 * np.random.default_rng(1).normal(size=b.qvel.shape)
    b.bind("ncon")
    b.step(nstep=150)
    assert finite(b.state)
    assert not b.warning[..., NUMBER].any()
    assert b.ncon.min() > 150
    assert np.abs(b.qpos.reshape(8, 200, 7)[..., :3]).max() < 10


@pytest.mark.parametrize("ground", [FLOOR, HILL], ids=["plane", "hfield"])
def test_all_at_one_place(ground):
    """Everything starts inside everything else, and below ground."""
    rng = np.random.default_rng(2)
    bodies = "".join(
        free(s, 0.01 * rng.normal(size=3), rng.normal(size=4)) for s in SHAPES.values()
    )
    mj_model = mujoco.MjModel.from_xml_string(scene(bodies, ground))
    b = lw.Batch(mj_model, nsim=9)
    b.qpos[1:] += 0.01 * rng.normal(size=(8, mj_model.nq))
    b.bind("ncon")
    b.step()
    assert b.ncon.min() > 5
    for _ in range(20):
        b.step(nstep=10)
        assert finite(b.state)


@pytest.mark.parametrize("second", SHAPES)
@pytest.mark.parametrize("first", SHAPES)
def test_same_centre(first, second):
    """Concentric geoms have no direction out: any is right, NaN is not."""
    bodies = free(SHAPES[first], (0, 0, 2)) + free(SHAPES[second], (0, 0, 2))
    m = lw.load(mujoco.MjModel.from_xml_string(scene(bodies)))
    d = lw.Data(m)
    lw.forward(m, d)
    assert d.ncon > 0 or first == second == "mesh"
    assert finite(d.qacc, d.contact.dist, d.contact.pos, d.contact.frame)
    np.testing.assert_allclose(np.linalg.norm(d.contact.frame[:, :3], axis=1), 1.0, atol=1e-6)
    lw.step(m, d, nstep=20)
    assert finite(d.qpos, d.qvel)


# --------------------------------------------------------------------------------------- odd shapes


@pytest.mark.parametrize("ground", [FLOOR, HILL], ids=["plane", "hfield"])
@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e-9, 1e-3, 1e6, 1e30], ids=str)
@pytest.mark.parametrize("shape", [s for s in SHAPES if s != "mesh"])
def test_absurd_sizes(shape, scale, ground):
    """The compiler refuses such sizes, an edited model has them. Beyond reason, only no crash."""
    bodies = free(SHAPES[shape], (0, 0, 0.15)) + free(SHAPES["box"], (0.02, 0.01, 0.3))
    bodies += free(SHAPES["mesh"], (-0.02, 0.01, 0.2))
    mj_model = mujoco.MjModel.from_xml_string(scene(bodies, ground))
    mj_model.geom_size[1] *= scale
    mj_model.geom_rbound[1] *= scale
    mj_model.geom_aabb[1, 3:] *= scale
    b = lw.Batch(mj_model, nsim=2)
    for _ in range(10):
        b.step(nstep=5)
        assert finite(b.state) or scale > 1e10, b.warning


FLAT = {
    "sheet": "0 0 0 .3 0 0 0 .3 0 .3 .3 0 .1 .1 1e-5",
    "needle": "0 0 0 1e-5 0 0 0 1e-5 0 0 0 .4",
    "twins": "0 0 0 0 0 0 .2 0 0 .2 0 0 0 .2 0 0 .2 0 .1 .1 .2 .1 .1 .2 .05 .05 .1 .2 0 0",
    "fan": " ".join(f"{0.2 * np.cos(a):.9f} {0.2 * np.sin(a):.9f} {z}"
                    for a in np.linspace(0, 6.2, 40) for z in (0, 0.05)),
    "speck": "0 0 0 1e-4 0 0 0 1e-4 0 0 0 1e-4",
}  # fmt: skip


@pytest.mark.parametrize("ground", [FLOOR, HILL], ids=["plane", "hfield"])
@pytest.mark.parametrize("name", FLAT)
def test_degenerate_meshes(name, ground):
    """Slivers and repeated vertices among meshes and primitives."""
    asset = f'<asset><mesh name="odd" vertex="{FLAT[name]}" inertia="shell"/></asset>'
    inertial = '<inertial pos="0 0 0" mass=".1" diaginertia=".001 .001 .001"/>'
    odd = f'<freejoint/>{inertial}<geom type="mesh" mesh="odd"/></body>'
    bodies = "".join(free(s, (0.05 * k, 0.02, 0.3)) for k, s in enumerate(SHAPES.values()))
    bodies += f'<body pos="0 0 .05">{odd}<body pos=".1 0 .3" euler="80 0 0">{odd}'
    xml = f"<mujoco>{asset}{scene(bodies, ground)[8:]}"
    b = lw.Batch(mujoco.MjModel.from_xml_string(xml), nsim=4)
    b.qpos = b.qpos + 0.01 * np.random.default_rng(4).normal(size=b.qpos.shape)
    for _ in range(20):
        b.step(nstep=10)
        assert finite(b.state), b.warning


# ------------------------------------------------------------------------------------ broken worlds


@pytest.mark.parametrize("solver", [0, 1, 2], ids=["PGS", "CG", "Newton"])
@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
def test_healthy_worlds_keep_their_bits(solver, cone):
    """Neighbours in a gang that are not numbers, infinite, or flying apart."""
    bodies = "".join(free(s, (0.12 * k, 0, 0.1)) for k, s in enumerate(SHAPES.values()))
    mj_model = mujoco.MjModel.from_xml_string(scene(bodies, HILL))
    mj_model.opt.solver, mj_model.opt.cone = solver, cone
    alone, beside = lw.Batch(mj_model, nsim=16), lw.Batch(mj_model, nsim=16)
    start = alone.qvel + 0.3 * np.random.default_rng(5).normal(size=alone.qvel.shape)
    for b in (alone, beside):
        b.qvel = start
    bad = [0, 3, 6, 7, 12]
    beside.qpos[0, 0], beside.qpos[3, 2], beside.qvel[6, 5] = np.nan, 1e9, np.inf
    beside.qvel[7], beside.xfrc_applied[12] = 1e9, 1e300
    for _ in range(10):
        alone.step(nstep=5)
        beside.step(nstep=5)
        beside.qpos[0, 0] = np.nan
    healthy = np.setdiff1d(np.arange(16), bad)
    assert np.array_equal(alone.state[healthy], beside.state[healthy])
    assert not beside.warning[healthy, :, NUMBER].any()
    assert beside.warning[[0, 6, 12], :, NUMBER].any(axis=1).all()


SPOILED = {
    "NaN in qpos": ("qpos", 2, np.nan),
    "qpos beyond 1e10": ("qpos", 0, 1e11),
    "infinite qvel": ("qvel", 1, np.inf),
    "qvel beyond 1e10": ("qvel", 8, -1e11),
    "a huge force": ("xfrc_applied", (1, 2), 1e30),
    "NaN in qfrc_applied": ("qfrc_applied", 2, np.nan),
    "NaN in ctrl": ("ctrl", 0, np.nan),
}


@pytest.mark.parametrize("autoreset", [True, False], ids=["reset", "no reset"])
@pytest.mark.parametrize("case", SPOILED)
def test_counters_are_those_of_mujoco(case, autoreset):
    """A world in contact goes bad: MuJoCo's seven counters, and MuJoCo's state after the reset."""
    bodies = free(SHAPES["box"], (0, 0, 0.06)) + free(SHAPES["sphere"], (0.3, 0, 0.1))
    bodies += '<body pos="0 1 1"><joint name="j"/><geom size=".1"/></body>'
    xml = scene(bodies).replace("</mujoco>", '<actuator><motor joint="j"/></actuator></mujoco>')
    mj_model = mujoco.MjModel.from_xml_string(xml)
    if not autoreset:
        mj_model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    field, index, value = SPOILED[case]
    b = lw.Batch(mj_model, nsim=3)
    datas = [mujoco.MjData(mj_model) for _ in range(3)]
    getattr(b, field)[1][index] = value
    getattr(datas[1], field)[index] = value
    b.step(nstep=3)
    for sim, data in enumerate(datas):
        mujoco.mj_step(mj_model, data, 3)
        assert b.warning[sim, :, NUMBER].tolist() == [w.number for w in data.warning], sim
        if sim != 1 or autoreset:
            np.testing.assert_allclose(b.qpos[sim], data.qpos, atol=1e-9)
            np.testing.assert_allclose(b.time[sim], data.time, atol=1e-12)
    assert b.warning[1, :, NUMBER].sum() > 0


def test_reset_only_where_asked():
    """A broken world starts again by default, and stays broken if auto-reset is disabled."""
    for disable, expected in (("enable", True), ("disable", False)):
        option = f'<option><flag autoreset="{disable}"/></option>'
        b = lw.Batch(
            mujoco.MjModel.from_xml_string(scene(free(SHAPES["box"], (0, 0, 1)), option=option)),
            nsim=3,
        )
        b.step(nstep=10)
        b.qvel[1, 0] = np.nan
        b.step(nstep=2)
        assert finite(b.qpos[1]) is expected
        assert bool(b.time[1] < b.time[0]) is expected
        assert b.warning[1, int(WARNING.mjWARN_BADQVEL), NUMBER] >= 1
        assert finite(b.state[[0, 2]])


# ------------------------------------------------------------------------------------------ no room

CROWD = "".join(free(SHAPES["box"], (0.3 * k, 0, 0.059)) for k in range(6))  # four contacts each


def crowded(solver: int, **capacity) -> lw.Batch:
    """Six boxes on the ground in the first three worlds, one in six others."""
    mj_model = mujoco.MjModel.from_xml_string(scene(CROWD))
    mj_model.opt.solver = solver
    b = lw.Batch(mj_model, nsim=9, **capacity)
    b.qpos[3:, 9::7] += 5.0
    return b


def test_contacts_beyond_capacity():
    """The first contacts are kept, in order; the counter rises; neighbours are not touched."""
    full, small = crowded(2), crowded(2, nconmax=10)
    for b in (full, small):
        b.contact.dist, b.contact.pos, b.contact.geom, b.ncon  # noqa: B018, from now on computed
    full.step()
    with pytest.warns(RuntimeWarning, match=r"3 of 9 worlds had more contacts .*nconmax=10"):
        small.step()
    assert full.ncon.tolist() == [24] * 3 + [4] * 6
    assert small.ncon.tolist() == [10] * 3 + [4] * 6
    assert (small.warning[:, CONTACTFULL, NUMBER] > 0).tolist() == [True] * 3 + [False] * 6
    assert small.warning[0, CONTACTFULL, INFO] == 10
    assert not full.warning.any()
    for name in ("dist", "pos", "geom"):
        kept = getattr(full.contact, name)[:3, :10]
        assert np.array_equal(getattr(small.contact, name)[:3, :10], kept), name
    assert np.array_equal(full.state[3:], small.state[3:])
    assert finite(small.state)
    small.step(nstep=50)
    assert finite(small.state)


@pytest.mark.parametrize("solver", [0, 1, 2], ids=["PGS", "CG", "Newton"])
def test_rows_beyond_capacity(solver):
    """Contacts whose rows find no room do not act."""
    full, small = crowded(solver), crowded(solver, njmax=30)
    for b in (full, small):
        b.bind("nefc")
        b.bind("efc_pos")
    full.step()
    with pytest.warns(RuntimeWarning, match=r"3 of 9 worlds had more constraint rows .*njmax=30"):
        small.step()
    assert full.nefc.tolist() == [96] * 3 + [16] * 6
    assert small.nefc.tolist() == [28] * 3 + [16] * 6
    assert (small.warning[:, CNSTRFULL, NUMBER] > 0).tolist() == [True] * 3 + [False] * 6
    assert not full.warning.any()
    assert np.array_equal(small.efc_pos[:, :28], full.efc_pos[:, :28])
    assert np.array_equal(full.state[3:], small.state[3:])
    small.step(nstep=50)
    assert finite(small.state)


@pytest.mark.parametrize("solver", [0, 1, 2], ids=["PGS", "CG", "Newton"])
@pytest.mark.filterwarnings("ignore:.*room for:RuntimeWarning")
@pytest.mark.parametrize("capacity", [{"nconmax": 0}, {"njmax": 0}, {"nconmax": 1, "njmax": 3}])
def test_next_to_no_room(capacity, solver):
    b = crowded(solver, **capacity)
    b.step(nstep=20)
    assert finite(b.state)
    assert b.warning[:, [CONTACTFULL, CNSTRFULL], NUMBER].sum(axis=1).min() >= 20


def test_one_world_without_room():
    """A Data speaks too, once per call."""
    m = lw.load(mujoco.MjModel.from_xml_string(scene(CROWD)))
    d = lw.Data(m, nconmax=5)
    with pytest.warns(RuntimeWarning, match="nconmax=5") as said:
        lw.step(m, d, nstep=3)
    assert len(said) == 1
    assert d.ncon == 5
    assert d.warning[CONTACTFULL].number > 0
