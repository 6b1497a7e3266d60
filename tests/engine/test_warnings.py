"""Bad numbers: MuJoCo's counters and resets, world by world, and no neighbour disturbed."""

import mujoco
import numpy as np
import pytest

import lanewise as lw

XML = """
<mujoco>
  <worldbody>
    <body>
      <joint name="hinge" axis="1 2 3"/>
      <geom size=".1" contype="0" conaffinity="0"/>
      <body pos="0 .1 .3">
        <joint type="ball" pos="0 0 .02"/>
        <geom size=".1 .2" type="capsule" contype="0" conaffinity="0"/>
      </body>
    </body> <body mocap="true" pos="1 2 3" quat="1 2 3 4"><geom size=".1" contype="0"
    conaffinity="0"/></body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>
"""

SPOILED = {
    "NaN in qpos": ("qpos", 2, np.nan),
    "infinite qvel": ("qvel", 1, np.inf),
    "NaN in ctrl": ("ctrl", 0, np.nan),
    "NaN in qfrc_applied": ("qfrc_applied", 2, np.nan),
    "qpos beyond 1e10": ("qpos", 0, 1e11),
    "a large qvel": ("qvel", 0, 1e4),
}


@pytest.mark.parametrize("autoreset", [True, False], ids=["reset", "no reset"])
@pytest.mark.parametrize("case", SPOILED)
def test_bad_numbers(case, autoreset):
    mj = mujoco.MjModel.from_xml_string(XML)
    if not autoreset:
        mj.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    worlds = [mujoco.MjData(mj) for _ in range(3)]
    for k, world in enumerate(worlds):
        world.qvel[0] = 1 + k
        mujoco.mj_step(mj, world, 5)
    field, index, value = SPOILED[case]
    getattr(worlds[1], field)[index] = value

    m = lw.load(mj)
    d = lw.put_data(m, worlds)
    lw.step(m, d, nstep=2)
    for k, world in enumerate(worlds):
        mujoco.mj_step(mj, world, 2)
        for name in ("qpos", "qvel", "ctrl", "mocap_pos", "mocap_quat", "time"):
            np.testing.assert_allclose(
                getattr(d, name)[k], getattr(world, name), rtol=1e-10, atol=1e-10, err_msg=name
            )
        assert d.warning.number[k].tolist() == [w.number for w in world.warning]
        assert d.warning.lastinfo[k].tolist() == [w.lastinfo for w in world.warning]


def test_neighbours_keep_their_bits():
    m = lw.load(XML)
    alone, beside = lw.Data(m, lanes=2), lw.Data(m, lanes=2)
    for d in (alone, beside):
        d.qvel[:] = 1.5
    beside.qvel[1] = np.nan
    for d in (alone, beside):
        lw.step(m, d, nstep=20)
    assert np.array_equal(lw.get_state(m, alone)[0], lw.get_state(m, beside)[0])
    assert beside.warning.number.sum(axis=1).tolist() == [0, 1]
