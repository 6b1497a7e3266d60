"""Kernels that are compiled one lane wide and take a world out of a gang's memory."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.data import PLACE
from lanewise.engine.parts import struct_types
from lanewise.lanes import (  # fmt: skip
    JIT,
    Library,
    W,
    any_lane,
    kernel,
    load_lane,
    put,
    store3,
    store_lane,
    vec,
    where,
)
from lanewise.lanes.calls import world_of
from lanewise.lanes.kinds import INT

pytestmark = pytest.mark.skipif(not JIT, reason="as plain Python a gang stays together")

XML = """<mujoco><worldbody><body><freejoint/><geom size=".1" contype="0" conaffinity="0"/>
  <body><joint type="ball"/><geom size=".2" contype="0" conaffinity="0"/></body></body>
  </worldbody></mujoco>"""


@kernel
def odd_worlds(m, d):
    for w in range(W):
        if w % 2 == 1:
            visit(world_of(m, w), world_of(d, w), 10)


@kernel
def visit(m, d, n):
    """All kinds of places: rows, numbers, rows by lane, scalars of a lane, numbers by gang."""
    b = d.vector[0]
    d.vector[1] = where(any_lane(b > 1.0), d.qvel[1] + n, 0.0)
    d.xpos[1] = d.xipos[2] * 2.0
    d.xquat[1, 3] = m.body_mass[2]
    d.xpos[2] = d.xipos[b]
    put(d.cvel, (b, 4), b, b > 1.0)
    store3(d.vector, 2, vec(b, b + 1.0, b + 2.0))
    store_lane(d.vector, 5, 0, load_lane(d.xipos, (1, 2), 0))
    d.near_list[1] = d.near_list[1] + W


@pytest.mark.parametrize("per_world", [False, True])
def test_it_has_its_own_numbers_and_leaves_the_others_alone(per_world):
    m_type, d_type = struct_types(per_world)
    parts = {
        "together": {"odd_worlds": (odd_worlds, (m_type, d_type))},
        "apart": {"visit": (visit, (m_type, d_type, INT))},
    }
    library = Library(f"test-{per_world}", W, parts, ("apart",))
    m = lw.load(XML)
    d = lw.Data(m, lanes=W)
    rng = np.random.default_rng(0)
    for name in ("qvel", "xipos", "xpos", "xquat", "cvel", "vector"):
        d.arrays[name][...] = rng.normal(size=d.arrays[name].shape)
    b = d.arrays["vector"].reshape(-1, W)[0]
    b[:] = [0, 1, 2, 2, 1, 0, 2, 1]
    d.arrays["near_list"][1] = 0
    before = {n: d.arrays[n].copy() for n in ("xpos", "xquat", "cvel", "vector")}
    d._tables[:, PLACE["links"]] = library.links.ctypes.data
    masses, address = np.tile(m.body_mass[2], W), m.address
    if per_world:
        b_lanes = lw.Batch(m, W, nthread=1)
        b_lanes.expand("body_mass")[:, 2] = masses = rng.uniform(1.0, 2.0, W)
        b_lanes.forward()
        setting = b_lanes._runner.variation.groups()[0][0].setting
        assert setting.per_world
        address = setting.models[0]
    library.functions["odd_worlds"](address, d.address)

    now = {n: d.arrays[n].reshape(-1, d.arrays[n].shape[-2], W) for n in ("xpos", "xquat", "cvel")}
    vector, qvel = d.arrays["vector"].reshape(-1, W), d.arrays["qvel"].reshape(-1, W)
    xipos = d.arrays["xipos"].reshape(-1, 3, W)
    assert d.arrays["near_list"][1] == W / 2  # one lane, four times
    for w in range(W):
        if w % 2 == 0:
            for name, lanes in before.items():
                np.testing.assert_array_equal(d.arrays[name][..., w], lanes[..., w], name)
            continue
        row = int(b[w])
        assert vector[1, w] == (qvel[1, w] + 10 if row > 1 else 0)
        np.testing.assert_array_equal(now["xpos"][1, :, w], 2 * xipos[2, :, w])
        np.testing.assert_array_equal(now["xpos"][2, :, w], xipos[row, :, w])
        assert now["xquat"][1, 3, w] == masses[w]
        old = before["cvel"].reshape(-1, 6, W)[row, 4, w]
        assert now["cvel"][row, 4, w] == (row if row > 1 else old)
        np.testing.assert_array_equal(vector[2:5, w], row + np.arange(3.0))
        assert vector[5, w] == xipos[1, 2, w]
