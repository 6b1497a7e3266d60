"""The same bits as MuJoCo, where an answer hangs on the last one.

Something that just touches the floor has a contact, or one that acts, or none, by the last bit of
its position, and the accelerations follow. So poses and distances are computed with MuJoCo's
operations in MuJoCo's order, without fusing them. What is left is the sine and the cosine of hinge
angles: the C library's and ours are both nearly always the correctly rounded number, and differ
where one of them is not.

All this is about MuJoCo's binary for Linux on x86-64; others are compiled in their own ways.
"""

import platform
import sys

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.collision.driver import collision
from lanewise.engine.smooth.kinematics import kinematics
from lanewise.lanes import JIT, W
from support.generator import generate
from support.narrow_phase import PAIRS, Ours, Reference
from support.pair_cases import aligned_case, random_case, tilted_case
from support.states import random_quat, random_state
from support.zoo import ZOO

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="bits are compared with MuJoCo's binary for Linux on x86-64",
)

POSES = (
    "xpos", "xquat", "xmat", "xipos", "ximat", "xanchor", "xaxis",
    "geom_xpos", "geom_xmat", "site_xpos", "site_xmat",
)  # fmt: skip
OWN = sorted(name for name in ZOO if name.startswith("own/"))
SEEDS = 12 if JIT else 4
HINGE = mujoco.mjtJoint.mjJNT_HINGE


def unequal(mj_model, mj_datas):
    """{field: (how many numbers differ, of how many)} after kinematics on both sides."""
    m = lw.load(mj_model)
    counts = {name: np.zeros(2, int) for name in POSES}
    for first in range(0, len(mj_datas), W):
        worlds = mj_datas[first : first + W]
        d = lw.put_data(m, worlds)
        for name in POSES:
            d.arrays[name][...] = np.nan
        lw.kinematics(m, d)
        for lane, world in enumerate(worlds):
            mujoco.mj_kinematics(mj_model, world)
            for name in POSES:
                theirs = np.asarray(getattr(world, name))
                ours = d.arrays[name][..., lane].reshape(theirs.shape)
                counts[name] += np.count_nonzero(ours != theirs), theirs.size
    return counts


def failures(counts):
    return {name: f"{bad} of {size}" for name, (bad, size) in counts.items() if bad}


def rest(mj_model):
    """The reference configuration and the keyframes."""
    worlds = [mujoco.MjData(mj_model) for _ in range(1 + mj_model.nkey)]
    for key, world in enumerate(worlds[1:]):
        mujoco.mj_resetDataKeyframe(mj_model, world, key)
    return worlds


def models():
    yield from ((name, ZOO[name]()) for name in OWN)
    for seed in range(SEEDS):
        yield f"seed {seed}", mujoco.MjModel.from_xml_string(generate(seed, constraints=True))


def test_unfused():
    """With fused operations nothing here could hold."""
    assert not kinematics.fused
    assert not collision.fused


def test_poses_at_rest():
    for name, mj_model in models():
        assert not failures(unequal(mj_model, rest(mj_model))), name


def test_poses():
    """Anywhere: free, ball and slide joints, mocap bodies, quaternions that are not normalized."""
    rng = np.random.default_rng(0)
    with_hinges = np.zeros(2, int)
    for name, mj_model in models():
        worlds = [random_state(mj_model, rng, history=False) for _ in range(W)]
        counts = unequal(mj_model, worlds)
        if np.any(mj_model.jnt_type == HINGE):
            with_hinges += sum(counts.values())
        else:
            assert not failures(counts), name
    assert with_hinges[0] < 0.01 * with_hinges[1], "0.002 is usual"


def test_tiny_rotations_are_rotations():
    """A body turned by so little that the scalar part of its quaternion is 1."""
    mj_model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body><freejoint/><geom size=".1"/>
        <body pos="1 2 3" quat="1 1e-9 0 0"><joint axis="1 2 3" pos=".1 .2 .3"/><geom size=".1"/>
        </body></body></worldbody></mujoco>"""
    )
    worlds = [random_state(mj_model, np.random.default_rng(0), history=False)]
    worlds[0].qpos[7] = 0.0
    assert not failures(unequal(mj_model, worlds))


@pytest.mark.parametrize("kinds", PAIRS, ids=[f"{a}-{b}" for a, b in PAIRS])
def test_pairs(kinds):
    """Distance, position, normal and tangent of the pairs that have a closed form."""
    ours, reference, rng = Ours(*kinds, jit=False), Reference(*kinds), np.random.default_rng(1)
    for draw in (random_case, aligned_case, tilted_case):
        cases = [draw(rng) for _ in range(W)]
        for case, got in zip(cases, ours(cases), strict=True):
            want = reference(case)
            assert len(got) == len(want)
            for x, y in zip(got, want, strict=True):
                assert all(np.array_equal(p, q) for p, q in zip(x, y, strict=True))


# ------------------------------------------------------------------------ touching, but only just

FLOOR = """
<mujoco>
  <worldbody>
    <body quat="{quat}" pos=".1 .2 -.3"><geom type="plane" size="9 9 .1" {margin}/></body>
    <body><freejoint/><geom type="sphere" size=".13" {contype}/></body>
    <body><freejoint/><geom type="capsule" size=".07 .31" {contype}/></body>
    <body><freejoint/><geom type="capsule" size=".11 .3" {contype}/></body>
    <body><freejoint/><geom type="box" size=".11 .23 .17" {contype}/></body>
    <body><freejoint/><geom type="cylinder" size=".23 .19" {contype}/></body>
    <body><freejoint/><geom type="ellipsoid" size=".3 .2 .1" {contype}/></body>
  </worldbody>
</mujoco>"""
# height of the centre of each, standing as turned
HEIGHTS = (0.13, 0.07 + 0.31, 0.11, 0.17, 0.19, 0.1)
LYING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)


def standing(mj_model, rng, lift):
    """Each geom of FLOOR upon the plane, at a random place and turned about the normal."""
    mj_data = mujoco.MjData(mj_model)
    mujoco.mj_kinematics(mj_model, mj_data)
    floor, plane = mj_data.geom_xpos[0].copy(), mj_data.xquat[1].copy()
    for k, height in enumerate(HEIGHTS):
        local, turn, pose = np.append(rng.normal(size=2), height + lift), np.zeros(4), np.empty(4)
        mujoco.mju_axisAngle2Quat(turn, np.array([0.0, 0.0, 1.0]), rng.uniform(-3, 3))
        if k == 2:
            mujoco.mju_mulQuat(turn, turn.copy(), np.array(LYING))
        mujoco.mju_mulQuat(pose, plane, turn)
        place = np.empty(3)
        mujoco.mju_rotVecQuat(place, local, plane)
        mj_data.qpos[7 * k : 7 * k + 3] = place + floor
        mj_data.qpos[7 * k + 3 : 7 * k + 7] = pose
    return mj_data


def check_contacts(mj_model, worlds, stages=("forward",)):
    """Counts of contacts and rows, and the contacts bit by bit; how many contacts there are."""
    m = lw.load(mj_model)
    d = lw.put_data(m, worlds)
    for stage in stages:
        getattr(lw, stage)(m, d)
    for lane, world in enumerate(worlds):
        mujoco.mj_forward(mj_model, world)
        n = world.ncon
        assert d.arrays["ncon"].reshape(-1, W)[0, lane] == n
        if stages == ("forward",):
            assert d.arrays["nefc"].reshape(-1, W)[0, lane] == world.nefc
        for name in ("dist", "pos", "frame", "includemargin", "geom"):
            theirs = np.asarray(getattr(world.contact, name))
            ours = d.arrays[f"contact.{name}"][:n, ..., lane]
            np.testing.assert_array_equal(ours.reshape(theirs.shape), theirs, err_msg=name)
    return sum(world.ncon for world in worlds)


@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("turned", [False, True])
def test_knife_edge(turned, margin):
    """Geoms on a plane, or at the very margin: contacts and rows are MuJoCo's."""
    rng = np.random.default_rng(3)
    quat = random_quat(rng, odd=False) if turned else (1.0, 0.0, 0.0, 0.0)
    mj_model = mujoco.MjModel.from_xml_string(
        FLOOR.format(
            quat=" ".join(map(str, quat)), margin=f'margin="{margin}"',
            contype='contype="2" conaffinity="1"',
        )
    )  # fmt: skip
    worlds = [standing(mj_model, rng, margin) for _ in range(W)]
    found = check_contacts(mj_model, worlds)
    touching = W * (1 + 1 + 2 + 4 + 4 + 1)  # if all touched
    assert 0 < found <= touching
    if turned:
        assert found < touching, "this is no knife's edge: all are on one side of it"


def test_knife_edge_of_a_hinge():
    """The tip of an arm at a random angle upon a plate: contacts are MuJoCo's but for sin, cos."""
    mj_model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody>
        <body mocap="true"><geom type="plane" size="1 1 1"/></body>
        <body pos="0 0 1" quat="1 .2 .3 .4"><joint axis="1 2 3"/><geom size=".1" contype="0"
        conaffinity="0"/><geom size=".05" pos=".3 .4 -.5"/></body></worldbody></mujoco>"""
    )
    rng, agree, rounds, counts = np.random.default_rng(5), 0, 8 if JIT else 4, set()
    m = lw.load(mj_model)
    for _ in range(rounds):
        worlds = [mujoco.MjData(mj_model) for _ in range(W)]
        for world in worlds:
            world.qpos[0] = rng.uniform(-1.5, 1.5)
            mujoco.mj_kinematics(mj_model, world)
            world.mocap_pos[0] = world.geom_xpos[2] - [0.0, 0.0, 0.05]
        d = lw.put_data(m, worlds)
        lw.fwd_position(m, d)
        for lane, world in enumerate(worlds):
            mujoco.mj_fwdPosition(mj_model, world)
            counts.add((world.ncon, world.nefc))
            ours = (d.arrays[name].reshape(-1, W)[0, lane] for name in ("ncon", "nefc"))
            agree += tuple(ours) == (world.ncon, world.nefc)
    assert len(counts) > 1, "this is no knife's edge"
    assert agree >= 0.95 * rounds * W


def test_point():
    """gymnasium's point rests exactly on the floor."""
    name = "gymnasium/envs/mujoco/assets/point"
    if name not in ZOO:
        pytest.skip("gymnasium is not installed")
    mj_model = ZOO[name]()
    rng = np.random.default_rng(0)
    worlds = rest(mj_model) + [random_state(mj_model, rng, history=False) for _ in range(W - 1)]
    check_contacts(mj_model, worlds)
