"""Every world's list of contacts, out of the candidates that the walk over the pairs found.

A candidate exists in some of the eight worlds. While the walk goes on it is only noted: its
geometry in a row of hit_geometry, the parameters of its pair in a row of hit_parameters, and in
each world that has it the row's number, at the end of the world's list. Afterwards slot i of all
lists is made at once: lanes fetch the rows that their worlds have there, and what follows from
these, the frame among it, is computed for eight contacts at a time. So memory is written row by
row, not number by number. Candidates of pairs that waited (waiting.py) may be noted after those of
pairs that were met later: the lists of such worlds are put in order before.
"""

from ...lanes import (
    all_lanes,
    any_lane,
    concat,
    highest,
    kernel,
    lane_item,
    load_lane,
    lowest_bit,
    not_,
    put,
    splat,
    store_lane,
    to_int,
    vec,
    where,
)
from ...mjconst import WARN_CONTACTFULL
from ..counters import ROOM_CONTACTS, lack
from ..spatial import cross, dot3, mat_vec, normalize3, zeros3
from .constants import NO_CONTACT
from .hits import (
    no_geometry,
    pack_geometry,
    pack_parameters,
    parameters_row,
    same_parameters,
    unpack_geometry,
    unpack_parameters,
    when_met,
)
from .mix import contact_dim, contact_parameters


@kernel
def note(m, d, g1, g2, pair, margin, n, near):
    """Note the first n candidates of a pair of geoms, in the lanes of `near`."""
    row, known = 0, False
    for k in range(n):
        # worlds that have the candidate, and room for it
        on = near & (d.found_dist[k] < NO_CONTACT)
        room = d.ncon < d.nconmax * 1.0
        if any_lane(on & not_(room)):
            lack(d, ROOM_CONTACTS, WARN_CONTACTFULL, on & not_(room), d.nconmax)
        on = on & room
        if any_lane(on):
            # the parameters with the pair's first candidate, the geometry with each
            if not known:
                row = note_parameters(m, d, g1, g2, pair, margin)
                known = True
            hit = d.nhit
            dist, pos, frame = d.found_dist[k], d.found_pos[k], d.found_frame[k]
            d.hit_geometry[hit] = pack_geometry(dist, pos, frame, g1, g2, row, d.nmet)
            put(d.con_hit, d.ncon, hit * 1.0, on)
            d.last_met = where(on, d.nmet * 1.0, d.last_met)
            d.nhit = hit + 1
            d.ncon = where(on, d.ncon + 1.0, d.ncon)


@kernel
def note_parameters(m, d, g1, g2, pair, margin):
    """A row of hit_parameters <= those of a pair of geoms, unless the last has them; its number"""
    row = d.nhit_pair
    parameters, dim = contact_parameters(m, g1, g2, pair), contact_dim(m, g1, g2, pair)
    d.hit_parameters[row] = pack_parameters(parameters, margin, dim)
    if row > 0 and same_parameters(d.hit_parameters[row], d.hit_parameters[row - 1]):
        return row - 1
    d.nhit_pair = row + 1
    return row


@kernel
def list_contacts(m, d):
    """(what was noted) => contact"""
    sort_late(d)
    d.ncon_most = highest(d.ncon)
    for i in range(d.ncon_most):
        # the worlds' rows; one load does where all have the same
        exists = d.ncon > i * 1.0
        hit = where(exists, d.con_hit[i], 0.0)
        first = highest(hit)
        if all_lanes(hit == first * 1.0):
            geometry = d.hit_geometry[first]
        else:
            geometry = d.hit_geometry[hit]
        # of pairs that waited, rows are written where worlds have them
        if not all_lanes(exists):
            geometry = where(exists, geometry, no_geometry())
        row = parameters_row(geometry)
        first = highest(row)
        if all_lanes(row == first * 1.0):
            parameters = d.hit_parameters[first]
        else:
            parameters = d.hit_parameters[row]
        make_contact(m, d, i, exists, geometry, parameters)


@kernel
def sort_late(d):
    """The lists of worlds that got something late, in the order in which pairs were met"""
    late = d.late
    while late != 0:
        w = lowest_bit(late)
        late &= late - 1
        for i in range(1, to_int(lane_item(d.ncon, w))):
            hit, k = load_lane(d.con_hit, i, w), i
            met = when_met(d, hit, w)
            while k > 0 and when_met(d, load_lane(d.con_hit, k - 1, w), w) > met:
                store_lane(d.con_hit, k, w, load_lane(d.con_hit, k - 1, w))
                k -= 1
            store_lane(d.con_hit, k, w, hit)


@kernel
def make_contact(m, d, i, exists, geometry, parameters):
    """Slot i of all worlds; of those in which it does not exist, with con_on of 0."""
    c = d.contact
    dist, pos, given, geom = unpack_geometry(geometry)
    solref, solreffriction, solimp, friction, adhesion, margin, dim = unpack_parameters(parameters)
    g1, g2, frame = geom[0], geom[1], full_frame(given)
    # beyond the margin a contact is reported, but makes no force; unless it is sticky
    in_gap, sticky = dist >= margin, not_(adhesion == 0.0)
    excluded = in_gap & not_(sticky)
    c.dist[i] = dist
    c.pos[i] = pos
    c.frame[i] = frame
    c.includemargin[i] = margin
    c.solref[i] = solref
    c.solreffriction[i] = solreffriction
    c.solimp[i] = solimp
    c.friction[i] = friction
    c.adhesion[i] = adhesion
    c.surfacevel[i] = zeros3()
    if m.flg_surfacevel:
        c.surfacevel[i] = surface_velocity(m, d, g1, g2, pos, frame)
    c.dim[i] = where(in_gap & sticky, 1.0, dim)  # across a gap adhesion pulls, but nothing rubs
    c.geom[i] = geom
    c.exclude[i] = where(excluded, 1.0, 0.0)
    c.efc_address[i] = splat(-1.0)
    c.mu[i] = splat(0.0)
    d.con_body1[i] = m.geom_bodyid[g1]
    d.con_body2[i] = m.geom_bodyid[g2]
    d.con_on[i] = where(exists & not_(excluded), 1.0, 0.0)


@kernel
def full_frame(given):
    """Normal and tangents of a contact as rows; a tangent of zeros becomes one near the y axis.

    It is the z axis instead where the normal is nearer to y than 60 degrees.
    """
    x, y = normalize3(given[0:3]), given[3:6]
    flat = (x[1] < 0.5) & (x[1] > -0.5)
    near_y = vec(0.0, where(flat, 1.0, 0.0), where(flat, 0.0, 1.0))
    y = where(dot3(y, y) < 0.25, near_y, y)
    y = normalize3(y - x * dot3(x, y))
    return concat(concat(x, y), cross(x, y))


@kernel
def surface_velocity(m, d, g1, g2, p, frame):
    """How the surface of geom 2 moves beside that of geom 1 at p: along the tangents, and spin."""
    v1, w1 = surface_twist(m, d, g1, p)
    v2, w2 = surface_twist(m, d, g2, p)
    v, w = v2 - v1, w2 - w1
    return vec(dot3(v, frame[3:6]), dot3(v, frame[6:9]), dot3(w, frame[0:3]))


@kernel
def surface_twist(m, d, g, p):
    """Linear and angular velocity, in W, of a geom's surface at p."""
    R, given = d.geom_xmat[g], m.geom_surfacevel[g]
    w = mat_vec(R, given[3:6])
    return mat_vec(R, given[0:3]) + cross(w, p - d.geom_xpos[g]), w
