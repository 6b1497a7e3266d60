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

from ...lanes import W, any_lane, kernel, lane_item, lane_mask, load_lane, not_, splat, where
from ...lanes.memory import put_lane, put_number
from ...lanes.records import Record
from ...mjconst import STAGE_NONE, STAGE_POS, STAGE_VEL
from ..integrate.integrators import copy_into, integrate_pos
from .rows import NUMBER

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


# ---- what is found goes to matrices of the host, C-ordered, one for each world


@kernel
def place_columns(d, c, first, n, by_state, by_ctrl):
    """(fd_place, fd_step) <= the columns of lanes, in matrices of n rows at two addresses"""
    nx = c.npos + c.nvel + c.nact
    for lane in range(W):
        kind, i = kind_of(c, column_of(c, lane, first))
        matrix, width = (by_ctrl, c.nctrl) if kind == CTRL else (by_state, nx)
        if kind == VEL:
            i += c.npos
        elif kind == ACT:
            i += c.npos + c.nvel
        place_lane(d, lane, kind, matrix, n * width * d.lane_place[lane] + i, width)


@kernel
def place_rows(d, c, first, n, by_pos, by_vel, by_acc):
    """(fd_place, fd_step) <= rows of n numbers for the columns of lanes, in three matrices"""
    for lane in range(W):
        kind, i = kind_of(c, column_of(c, lane, first))
        matrix, height = by_acc, c.nacc
        if kind == POS:
            matrix, height = by_pos, c.npos
        elif kind == VEL:
            matrix, height = by_vel, c.nvel
        place_lane(d, lane, kind, matrix, n * (height * d.lane_place[lane] + i), 1)


@kernel(inline=True)
def place_lane(d, lane, kind, matrix, k, step):
    """(fd_place, fd_step) of a lane <= number k at an address, and every so many on"""
    wanted = kind != SELF and matrix != 0
    d.fd_place[lane] = matrix + NUMBER * k if wanted else 0
    d.fd_step[lane] = NUMBER * step


@kernel
def store_slopes(d, row, field, n):
    """n numbers of each lane => its place in the results, from number `row` on"""
    # columns that lie side by side, as lanes do, are stored together
    if are_side_by_side(d):
        place, step = d.fd_place[0], d.fd_step[0]
        for k in range(n):
            put_lane(place + step * (row + k), field[k])
        return
    for lane in range(W):
        place, step = d.fd_place[lane], d.fd_step[lane]
        if place != 0:
            for k in range(n):
                put_number(place + step * (row + k), load_lane(field, k, lane))


@kernel
def are_side_by_side(d):
    """Whether the places of lanes are those of a Lane"""
    so = d.fd_place[0] != 0
    for lane in range(1, W):
        so = so and d.fd_place[lane] == d.fd_place[0] + NUMBER * lane
        so = so and d.fd_step[lane] == d.fd_step[0]
    return so


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
