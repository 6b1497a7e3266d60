"""The call `jacobian`: how fast points and parts of every world move by each dof. Batch.jac and all
that begin with jac_, Batch.angmom_mat, and the same functions on a Data

A dof that moves a body B adds cdof_i qvel_i to its motion about C. So with r = p_CP, a point P of B
has

    (1)  jacp_i = cdof_i_lin + cdof_i_rot x r,   jacr_i = cdof_i_rot

for the dofs from B to the root, and zeros for all others. An axis a that is fixed in B changes by
jacr_i x a. With cdof_dot_i and the velocity v of P, the rate of (1) is

    (2)  cdof_dot_i_lin + cdof_dot_i_rot x r + cdof_i_rot x v,   cdof_dot_i_rot,

but the three axes of a ball turn with the body that they move, and not with what carries it: their
rate is that of axes fixed in B.

A subtree has the mass and inertia of all that is in it. Those of its bodies that dof i moves are
the subtree of the dof's own body, or all of it if the dof is above. With their composite inertia I,
the momentum of the subtree is

    (3)  (L_i, p_i) = I cdof_i about C

for each unit of qvel_i. Its centre of mass S moves with p_i / mass, and its angular momentum about
S is L_i - p_CS x p_i.
"""

from ...lanes import W, any_lane, concat, kernel, load3, put, where
from ...lanes.memory import field_at
from ...lanes.records import Record, record_at
from ...mjconst import JNT_BALL, JNT_FREE, OBJ_UNKNOWN
from ..sensors.frames import object_body, object_position
from ..smooth.com import com_axes, com_pos, com_vel
from ..spatial import cross, cross_motion, mul_inertia
from .gang import ROWS, load_gang
from .items import bodies_of, find_frames
from .rows import DOUBLE, NUMBER, int32_item, load_rows, store_rows, zero_lanes
from .threads import WORKER

JACOBIAN = Record("Jacobian", """
rows        address of where the worlds are, ROWS; 0: d has positions, and velocities, already
what        of what: POINT, AXIS, RATE, SUBTREE, MOMENTUM
kind        mjtObj of the objects whose points they are; OBJ_UNKNOWN: points of bodies are given
nitem       how many of a world
ids         address of their int32 ids
id_world    bytes from a world's ids to the next one's, by place; 0: all have the same
id_item     bytes from an item's id to the next one's
point       address of the points, three numbers each
point_world bytes from a world's points to the next one's, by place
point_item  bytes from an item's point to the next one's
axis        address of the axes, likewise
axis_world  bytes from a world's axes to the next one's
axis_item   bytes from an item's axis to the next one's
input       number of the field `item_numbers` in the table of d
output      number of the field `dof_rows`
first       address of the results: of a point, a subtree; (3, nv) for each item of each world
second      address of those for rotation, or of an axis; 0: none
""")  # fmt: skip

POINT, AXIS, RATE, SUBTREE, MOMENTUM = range(5)
AXIS_AT = 3  # where item_numbers has the axis; first the point


@kernel
def jacobian_gang(m, d, record, worker):
    c = record_at(record, JACOBIAN, 0)
    of_subtree = c.what == SUBTREE or c.what == MOMENTUM
    if c.rows:
        load_gang(d, record_at(c.rows, ROWS, 0), record_at(worker, WORKER, 0))
        find_frames(m, d, c.kind)
        if of_subtree:
            com_pos(m, d)
        else:
            com_axes(m, d)
        if c.what == RATE:
            com_vel(m, d)
    if of_subtree:
        add_up_subtrees(m, d)
    lanes, n = field_at(d, c.output), 3 * m.nv
    for k in range(c.nitem):
        zero_lanes(lanes, 2 * n)
        if of_subtree:
            subtree_rows(m, d, c.what, int32_item(c.ids + c.id_item * k, 0))
        else:
            point_rows(m, d, c, k)
        at, stride = NUMBER * n * k, NUMBER * n * c.nitem
        store_rows(d.lane_place, lanes, n, c.first + at, stride, DOUBLE)
        if c.second:
            store_rows(d.lane_place, lanes + NUMBER * W * n, n, c.second + at, stride, DOUBLE)


# ------------------------------------------------------------------------------------------- points


@kernel
def point_rows(m, d, c, k):
    """dof_rows <= (1) or (2) of item k"""
    lanes = field_at(d, c.input)
    if c.what == AXIS:
        axis = lanes + NUMBER * W * AXIS_AT
        load_rows(d.lane_place, c.axis + c.axis_item * k, c.axis_world, 3, axis, 0)
    if c.kind != OBJ_UNKNOWN:
        o = int32_item(c.ids + c.id_item * k, 0)
        walk(m, d, c.what, object_body(m, c.kind, o), object_position(m, d, c.kind, o))
        return
    load_rows(d.lane_place, c.point + c.point_item * k, c.point_world, 3, lanes, 0)
    p_WP = load3(d.item_numbers, 0)
    if c.id_world == 0:
        walk(m, d, c.what, int32_item(c.ids + c.id_item * k, 0), p_WP)
        return
    walk_apart(m, d, c.what, bodies_of(d, c, k), p_WP)


@kernel
def walk(m, d, what, b, p_WP):
    """Columns of the dofs from body b to the root"""
    r = p_WP - d.subtree_com[m.body_rootid[b]]
    v = velocity_of(d, what, b, r)
    i, nv = m.body_lastdof[b], m.nv
    while i >= 0:
        x = column_of(m, d, what, i, r, v)
        put_column(d.dof_rows, nv, i, x[0:3])
        put_column(d.dof_rows, nv, 3 * nv + i, x[3:6])
        i = m.dof_parentid[i]


@kernel
def walk_apart(m, d, what, b, p_WP):
    """The same where the body is another one in each world"""
    r = p_WP - d.subtree_com[m.body_rootid[b]]
    v = velocity_of(d, what, b, r)
    i, nv = m.body_lastdof[b], m.nv
    on = i >= 0.0
    while any_lane(on):
        here = where(on, i, 0.0)
        x = column_of(m, d, what, here, r, v)
        put_columns(d.dof_rows, nv, here, x[0:3], on)
        put_columns(d.dof_rows, nv, 3.0 * nv + here, x[3:6], on)
        i = where(on, m.dof_parentid[here], -1.0)
        on = on & (i >= 0.0)


@kernel(inline=True)
def velocity_of(d, what, b, r):
    """v_WP_W, for a rate"""
    V = d.cvel[b] if what == RATE else d.cvel[0]
    return V[3:6] + cross(V[0:3], r)


@kernel
def column_of(m, d, what, i, r, v):
    """Column i of the two results; i is the same in all worlds, or another one in each"""
    axis = d.cdof[i]
    if what == RATE:
        rate = rate_of(m, d, i)
        return concat(rate[3:6] + cross(rate[0:3], r) + cross(axis[0:3], v), rate[0:3])
    point = axis[3:6] + cross(axis[0:3], r)
    if what == AXIS:
        return concat(point, cross(axis[0:3], load3(d.item_numbers, AXIS_AT)))
    return concat(point, axis[0:3])


@kernel(inline=True)
def rate_of(m, d, i):
    """The rate of cdof i, as (2) has it"""
    j = m.dof_jntid[i]
    kind, along = m.jnt_type[j], i - m.jnt_dofadr[j]
    turns = (kind == JNT_BALL) | ((kind == JNT_FREE) & (along >= 3))
    own = cross_motion(d.cvel[m.dof_bodyid[i]], d.cdof[i])
    return where(turns, own, d.cdof_dot[i])


@kernel(inline=True)
def put_column(rows, nv, i, v):
    """Column i of three rows"""
    rows[i] = v[0]
    rows[nv + i] = v[1]
    rows[2 * nv + i] = v[2]


@kernel(inline=True)
def put_columns(rows, nv, i, v, on):
    """The same of another column in each world"""
    put(rows, i, v[0], on)
    put(rows, nv + i, v[1], on)
    put(rows, 2.0 * nv + i, v[2], on)


# ----------------------------------------------------------------------------------------- subtrees


@kernel
def add_up_subtrees(m, d):
    """subtree_inertia <= sums of cinert over the bodies of a subtree; none for the world"""
    for b in range(m.nbody):
        d.subtree_inertia[b] = d.cinert[b]
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:  # trees have C in different places
            d.subtree_inertia[p] = d.subtree_inertia[p] + d.subtree_inertia[b]


@kernel
def subtree_rows(m, d, what, b):
    """dof_rows <= (3) of the subtree of body b"""
    # dofs above it move all of it; the world has none
    i = m.dof_parentid[m.body_dofadr[b]] if m.body_dofnum[b] > 0 else m.body_lastdof[b]
    while i >= 0:
        subtree_column(m, d, what, b, b, i)
        i = m.dof_parentid[i]
    # dofs in it move what is below them: bodies follow their parents, without a gap
    below = b
    while below < m.nbody and (below == b or m.body_parentid[below] >= b):
        for i in range(m.body_dofadr[below], m.body_dofadr[below] + m.body_dofnum[below]):
            subtree_column(m, d, what, b, below, i)
        below += 1
    # velocity of momentum: what has no mass has no centre of mass, NaN, as MuJoCo has it
    if what == SUBTREE:
        scale = 1.0 / m.body_subtreemass[b]
        for i in range(3 * m.nv):
            d.dof_rows[i] = d.dof_rows[i] * scale


@kernel
def subtree_column(m, d, what, b, moved, i):
    """Column i of the subtree of b, of which dof i moves the subtree of the body `moved`"""
    momentum = mul_inertia(d.subtree_inertia[moved], d.cdof[i])
    x = momentum[3:6]
    if what == MOMENTUM:
        p_CS = d.subtree_com[b] - d.subtree_com[m.body_rootid[moved]]
        x = momentum[0:3] - cross(p_CS, momentum[3:6])
    put_column(d.dof_rows, m.nv, i, x)
