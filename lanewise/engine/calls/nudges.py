"""Nudging the worlds of a gang, each lane in a direction of its own: for finite differences.

A world may have several lanes, `share` of them side by side, which hold the same state. Each takes
another column of its derivatives, and when all are done the next ones follow. A world's columns are
numbered by what has to be computed for them:

    0             the state itself, which the others are compared with
    1, 2, ...     controls, then activations (or accelerations, for inverse dynamics): nothing that
                  follows from positions and velocities changes
    ...           velocities: nothing that follows from positions changes
    ...           positions: everything does

So the last column that a gang takes at a time says what it has to compute. The first ones find the
stages of the state itself done. Lanes for which no column is left take the last one again, and
store the same numbers in the same place.
"""

from ...lanes import W, any_lane, kernel, lane_item, lane_mask, not_, splat, where
from ...lanes.records import Record
from ...mjconst import STAGE_NONE, STAGE_POS, STAGE_VEL
from ..integrate.integrators import copy_into, integrate_pos

COLUMNS = Record("Columns", """
share       lanes of a world
eps         address of the size of a nudge
nctrl       controls that are nudged
nact        activations
nacc        accelerations
nvel        velocities
npos        positions
total       all of these, and the state itself
""")  # fmt: skip

SELF, CTRL, ACT, ACC, VEL, POS = range(6)  # what a column is about


@kernel
def column_of(c, lane, first):
    """The column that a lane has, where the first lane of a world has `first`."""
    return min(first + lane % c.share, c.total - 1)


@kernel
def kind_of(c, column):
    """(what a column is about, which of them it is)"""
    i = column - 1
    if i < 0:
        return SELF, 0
    if i < c.nctrl:
        return CTRL, i
    i -= c.nctrl
    if i < c.nact:
        return ACT, i
    i -= c.nact
    if i < c.nacc:
        return ACC, i
    i -= c.nacc
    if i < c.nvel:
        return VEL, i
    return POS, i - c.nvel


@kernel
def stage_done(c, first):
    """The stage of mjtStage that the columns from `first` on leave as it is."""
    kind, _ = kind_of(c, column_of(c, c.share - 1, first))
    if kind == POS:
        return STAGE_NONE
    return STAGE_POS if kind == VEL else STAGE_VEL


@kernel
def row_of(c, column):
    """Where a column's derivatives are stored: those by positions come first, then velocities,
    activations, accelerations, controls; the state itself is last."""
    kind, i = kind_of(c, column)
    if kind == POS:
        return i
    if kind == VEL:
        return c.npos + i
    if kind == ACT:
        return c.npos + c.nvel + i
    if kind == ACC:
        return c.npos + c.nvel + c.nact + i
    if kind == CTRL:
        return c.npos + c.nvel + c.nact + c.nacc + i
    return c.total - 1


@kernel
def choose_rows(d, c, first):
    """fd_row <= where lanes store their results"""
    for lane in range(W):
        d.fd_row[lane] = c.total * d.lane_place[lane] + row_of(c, column_of(c, lane, first))


@kernel(inline=True)
def only(lane):
    """A Mask of one lane."""
    return lane_mask(lane + 1) & not_(lane_mask(lane))


@kernel
def nudge(m, d, c, first, h):
    """(state, qacc) => farther by h, in each lane at its column"""
    moved = splat(0.0)
    for i in range(m.nv):
        d.vector[i] = splat(0.0)
    for lane in range(W):
        (kind, i), here = kind_of(c, column_of(c, lane, first)), only(lane)
        if kind == CTRL:
            d.ctrl[i] = where(here, d.ctrl[i] + h, d.ctrl[i])
        elif kind == ACT:
            d.act[i] = where(here, d.act[i] + h, d.act[i])
        elif kind == ACC:
            d.qacc[i] = where(here, d.qacc[i] + h, d.qacc[i])
        elif kind == VEL:
            d.qvel[i] = where(here, d.qvel[i] + h, d.qvel[i])
        elif kind == POS:
            d.vector[i] = where(here, 1.0, d.vector[i])
            moved = where(here, 1.0, moved)
    # positions in the tangent space: they move with the velocity of one dof
    if any_lane(moved > 0.0):
        copy_into(m.nq, d.rk_qpos, d.qpos)
        integrate_pos(m, d.rk_qpos, d.vector, h)
        for k in range(m.nq):  # other lanes keep theirs to the last bit
            d.qpos[k] = where(moved > 0.0, d.rk_qpos[k], d.qpos[k])


@kernel
def keep_own(c, n, to, source):
    """to <= source of the state itself, which the first lane of each world has"""
    for k in range(n):
        x = source[k]
        own = x
        for lane in range(1, W):
            of_first = lane_item(x, lane - lane % c.share)
            own = where(only(lane), of_first, own)
        to[k] = own
