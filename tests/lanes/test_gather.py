"""Rows that every lane chooses for itself: gathers, scatters, single lanes, gang-wide fields."""

import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.parts import struct_types
from lanewise.lanes import (  # fmt: skip
    JIT,
    Entries,
    add_at,
    bits,
    highest,
    kernel,
    lane_item,
    load_each,
    load_flat,
    load_lane,
    load_row_each,
    lowest_bit,
    mask_item,
    mask_of,
    pick_rows,
    put,
    row_max,
    row_min,
    row_top,
    row_total,
    row_totals,
    store_lane,
    store_row,
    to_int,
    vec,
    where,
)

XML = """<mujoco><worldbody><body><freejoint/><geom size=".1" contype="0" conaffinity="0"/>
  <body><joint type="ball"/><geom size=".2" contype="0" conaffinity="0"/>
  <body><geom size=".3" contype="0" conaffinity="0"/>
  <body><geom size=".4" contype="0" conaffinity="0"/></body></body></body></body>
  </worldbody></mujoco>"""
ROWS = np.array([0, 1, 2, 3, 4, 0, 1, 2.0])


@kernel
def exercise(m, d):
    b = d.vector[0]
    d.xpos[0] = d.xipos[b]
    d.vector[1] = d.xipos[b, 1]
    d.vector[2] = m.body_parentid[b]
    d.vector[3] = m.body_mass[b]
    mask = b > 1.0
    put(d.cvel, b, d.cvel[0], mask)
    put(d.xquat, (b, 2), b, not_first(b))
    add_at(d.xfrc_applied, (b, 2), b * 2.0, mask)
    add_at(d.xfrc_applied, b, d.xfrc_applied[0], True)
    for w in range(8):
        x, v = load_lane(d.xipos, (2, 1), w), load_lane(d.xipos, 2, w)
        if mask_item(mask, w):
            store_lane(d.xpos, (3, 0), w, x + v[1] + load_lane(m.body_mass, 2, w))
            store_lane(d.xpos, 4, w, v)
    d.vector[4] = highest(b) * 1.0
    d.vector[5] = bits(mask) * 1.0
    d.vector[6] = where(mask_of(bits(mask)), 1.0, 0.0)
    d.near_list[1] = to_int(lane_item(b, 3)) + to_int(lane_item(2.0, 3))
    put(d.contact.dist, b, b, mask)
    d.vector[7] = d.contact.dist[b]
    rows = d.dual_turn
    d.near_list[2] = bits(rows[0] > 0.0)
    v = row_totals(rows[0], rows[1], rows[2], rows[3])
    for k in range(4):
        d.ccd_nearness[k] = row_total(rows[k])
    d.ccd_nearness[4] = v[0]
    d.ccd_nearness[5] = v[1]
    d.ccd_nearness[6] = v[2]
    d.ccd_nearness[7] = v[3]
    largest = row_max(rows[0])
    d.near_list[3] = lowest_bit(bits(rows[0] == largest))
    d.near_list[4] = lowest_bit(0)
    top = row_top(rows[0], rows[0] - 1.0)
    d.ccd_weight[0] = largest
    d.ccd_weight[1] = top[0]
    d.ccd_weight[2] = top[1]
    d.ccd_weight[3] = row_top(rows[0], rows[0] - 1e-3)[1]
    d.ccd_nearness[8] = row_min(rows[0])
    picked = pick_rows(d.ccd_vert, d.ccd_rim, 3)
    store_row(d.ccd_plane, 5, picked[0])
    store_row(d.ccd_plane, 12, picked[1] + picked[2])
    d.ccd_nearness[9] = load_flat(d.ccd_plane, 12)
    each = load_row_each(rows, d.cone_place)
    d.xpos[1] = vec(load_each(rows, d.cone_place, 5), each[0], each[7])


@kernel
def not_first(b):
    return b > 0.0


def filled(m):
    d = lw.Data(m, 8, nconmax=8)
    rng = np.random.default_rng(0)
    for name in ("xipos", "xpos", "cvel", "xfrc_applied", "xquat", "dual_turn", "ccd_vert"):
        d.arrays[name][:] = rng.normal(size=d.arrays[name].shape)
    d.arrays["ccd_rim"].ravel()[:12] = rng.integers(len(d.arrays["ccd_vert"]), size=12)
    d.arrays["cone_place"].ravel()[:] = rng.integers(56, size=8)
    d.arrays["vector"][0] = ROWS
    return d


@pytest.fixture(scope="module")
def plain():
    m = lw.load(XML)
    before, d = filled(m), filled(m)
    exercise(m.struct, d.struct)
    return m, before.arrays, d.arrays


def test_every_lane_gets_its_own_row(plain):
    m, before, after = plain
    rows, lanes = ROWS.astype(int), np.arange(8)
    assert np.array_equal(after["xpos"][0].T, before["xipos"][rows, :, lanes])
    assert np.array_equal(after["vector"][1], before["xipos"][rows, 1, lanes])
    assert np.array_equal(after["vector"][2], m.body_parentid[rows])
    assert np.array_equal(after["vector"][3], m.body_mass[rows])


def test_stores_touch_only_the_lanes_that_hold(plain):
    _, before, after = plain
    expected = before["cvel"].copy()
    forces = before["xfrc_applied"].copy()
    for w, row in enumerate(ROWS.astype(int)):
        if row > 1:
            expected[row, :, w] = before["cvel"][0, :, w]
            forces[row, 2, w] += 2.0 * row
        forces[row, :, w] += before["xfrc_applied"][0, :, w]
    assert np.array_equal(after["cvel"], expected)
    assert np.allclose(after["xfrc_applied"], forces, rtol=1e-15)
    assert np.array_equal(after["vector"][7], np.where(ROWS > 1, ROWS, 0.0))


def test_single_lanes_and_counts(plain):
    m, before, after = plain
    on = ROWS > 1
    twice = 2 * before["xipos"][2, 1] + m.body_mass[2]
    assert np.allclose(after["xpos"][3, 0], np.where(on, twice, before["xpos"][3, 0]), rtol=1e-15)
    assert np.array_equal(after["xpos"][4], np.where(on, before["xipos"][2], before["xpos"][4]))
    assert (after["vector"][4] == 4).all()
    assert (after["vector"][5] == sum(2**w for w in range(8) if on[w])).all()
    assert np.array_equal(after["vector"][6], on * 1.0)
    assert after["near_list"][1] == 5


def test_bits_of_rows(plain):
    _, before, after = plain
    above = before["dual_turn"].reshape(-1, 8)[0] > 0.0
    assert after["near_list"][2] == sum(2**k for k in range(8) if above[k])


def test_totals_of_rows(plain):
    """Four at once are the same bits as each alone."""
    _, before, after = plain
    gain = after["ccd_nearness"].ravel()[:8]
    assert np.allclose(gain[:4], before["dual_turn"].reshape(-1, 8)[:4].sum(axis=1), rtol=1e-13)
    assert np.array_equal(gain[:4], gain[4:])


def test_largest_of_rows(plain):
    """The runner-up may be of the same column."""
    _, before, after = plain
    row, found = before["dual_turn"].reshape(-1, 8)[0], after["ccd_weight"].ravel()
    second, most = np.sort(row)[-2:]
    assert after["near_list"][3] == np.argmax(row)
    assert after["near_list"][4] == 63
    assert np.array_equal(found, [most, most, max(second, most - 1.0), most - 1e-3])
    assert second < most - 1e-3


def test_smallest_of_rows(plain):
    _, before, after = plain
    assert after["ccd_nearness"].ravel()[8] == before["dual_turn"].reshape(-1, 8)[0].min()


def test_numbers_from_where_each_world_is(plain):
    _, before, after = plain
    places, numbers = before["cone_place"].ravel(), before["dual_turn"].ravel()
    assert np.array_equal(after["xpos"][1], [numbers[places + k] for k in (5, 0, 7)])


def test_picked_rows(plain):
    """A Row is stored from any number on, over what is there."""
    _, before, after = plain
    x, y, z = before["ccd_vert"].reshape(-1, 3)[before["ccd_rim"].ravel()[3:11]].T
    stored = after["ccd_plane"].ravel()
    assert np.array_equal(stored[:5], np.zeros(5))
    assert np.array_equal(stored[5:12], x[:7])
    assert np.array_equal(stored[12:20], y + z)
    assert not stored[20:].any()
    assert after["ccd_nearness"].ravel()[9] == stored[12]


@pytest.mark.skipif(not JIT, reason="the JIT is off")
def test_machine_code_does_the_same(plain):
    m, _, expected = plain
    code, d = (
        Entries("test-gather", lambda: {"exercise": (exercise, struct_types(False))}),
        filled(m),
    )
    code["exercise"](m.address, d.address)
    for name, array in d.arrays.items():
        if name != "clock":  # has addresses
            assert np.array_equal(array, expected[name]), name
