"""The Hessian of Newton's method: its places, and factors that are made anew where it has changed.

Kernels run as plain Python here.
"""

import numpy as np
import pytest

import lanewise as lw
from lanewise.engine.solver.primal.coupling import place_in_H
from lanewise.engine.solver.primal.factor import factor_H
from support.solving import load_mujoco, settled, solved

# a free base with two legs of four and two dofs, whose feet are held together, and a block
LOOP = """\
<mujoco>
  <option solver="Newton"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="base" pos="0 0 .5">
      <freejoint/><geom size=".1"/>
      <body name="left" pos="0 .1 0">
        <joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".03"/>
        <body pos="0 0 -.2">
          <joint axis="0 1 .1" range="-10 10"/>
          <geom name="toe" type="capsule" fromto="0 0 0 0 -.05 -.2" size=".03"/>
        </body>
      </body>
      <body name="right" pos="0 -.1 0">
        <joint axis="1 0 0"/><joint axis="0 1 .2" range="-10 10"/>
        <geom type="capsule" fromto="0 0 0 0 .05 -.4" size=".03"/>
      </body>
    </body>
    <body pos=".3 0 .1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body pos=".05 0 .8"><joint type="slide"/><geom size=".08"/></body>
  </worldbody>
  <equality><connect body1="left" body2="right" anchor="0 0 -.1"/></equality>
</mujoco>
"""


@pytest.mark.parametrize("cone", [0, 1], ids=("pyramidal", "elliptic"))
@pytest.mark.parametrize("model", ["humanoid", "hand", LOOP], ids=("humanoid", "hand", "loop"))
def test_rows_that_changed(model, cone):
    """The last factor of a search, row by row, is that of the whole Hessian."""
    mj = load_mujoco(model, cone=cone)
    states, iterations = settled(mj), 0
    m = lw.load(mj)
    for state in states:
        d = solved(m, [state] * 8)
        iterations += d.arrays["solver_niter"][0, 0]
        before = factor(m, d)
        d.arrays["H_dirty"][...] = 1
        factor_H(m.struct, d.struct, np.ones(8, bool))
        for old, new in zip(before, factor(m, d), strict=True):
            np.testing.assert_allclose(new, old, rtol=1e-9, atol=1e-9 * np.abs(old).max())
    assert iterations > len(states)  # else all of it was made at once


def factor(m, d):
    """The blocks of U before those on the diagonal, and 1/D"""
    sizes = m.arrays["group_size"]
    groups, blocks = len(sizes), d.arrays["H_block"]
    places = [
        blocks[g * groups + c] + 3 * j + i
        for g in range(groups)
        for c in range(g)
        if blocks[g * groups + c] >= 0
        for j in range(sizes[c])
        for i in range(sizes[g])
    ]
    return d.arrays["H"][places], d.arrays["sol_inverse"].copy()


@pytest.mark.parametrize("model", ["humanoid", "hand", LOOP], ids=("humanoid", "hand", "loop"))
def test_places(model):
    """Where M goes, and what no constraint has touched: zeros, and 1 in places without a dof."""
    mj = load_mujoco(model)
    m = lw.load(mj)
    d = solved(m, settled(mj))
    rows = np.repeat(np.arange(m.nv), m.M_rownnz)
    places = [
        int(place_in_H(m.struct, d.struct, i, j)) for i, j in zip(rows, m.M_colind, strict=True)
    ]
    np.testing.assert_array_equal(d.arrays["M_place"], places)
    assert len(set(places)) == len(places)
    sizes, H = m.arrays["group_size"], d.arrays["H_sum"]
    for g in np.flatnonzero(sizes < 3):
        own = int(d.arrays["H_block"][g * len(sizes) + g])
        for k in range(sizes[g], 3):
            np.testing.assert_array_equal(H[own + 4 * k], 1.0)
            np.testing.assert_array_equal(H[own + k], 0.0)


def test_drift():
    """Rows of M that begin with the translation of a free joint."""
    m = lw.load(load_mujoco(LOOP))
    legs, base = 6, [0, 0, 3, 3, 3, 3]
    expected = [*base, *[3] * legs]
    np.testing.assert_array_equal(m.arrays["dof_drift"][: len(expected)], expected)
    assert m.arrays["dof_drift"][-1] == 0
