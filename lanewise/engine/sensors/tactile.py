"""The tactile sensor: how deep the points of a skin are in what its body touches, and how fast it
slides there.

The points, taxels, are the vertices of a mesh that is fixed in a geom. Whatever has a contact with
a geom that is welded to that one counts, whether or not the contact makes a force. A taxel shows
the greatest of its depths, and along two tangents the sum of its speeds relative to all that it is
inside of; tangents are known of meshes that have three normals for each vertex.
"""

from ...lanes import abs_, any_lane, kernel, maximum, to_lane, where
from ..geometry.depth import signed_depth
from ..spatial import cross, dot3, mat_t_vec, mat_vec

NONE = -1.0  # no geom


@kernel
def read_tactile(m, d, i):
    """(contact, geom frames, cvel) => sensordata of a tactile sensor"""
    adr, mesh, skin = m.sensor_adr[i], m.sensor_objid[i], m.sensor_refid[i]
    for k in range(adr, adr + m.sensor_dim[i]):
        d.sensordata[k] = 0.0
    for k in range(d.ncon_most):
        other = touched_geom(m, d, skin, k)
        # every geom once, whatever the number of its contacts
        on = other != NONE
        for before in range(k):
            on = on & (touched_geom(m, d, skin, before) != other)
        if any_lane(on):
            feel_geom(m, d, adr, mesh, skin, where(on, other, 0.0), on)


@kernel
def touched_geom(m, d, skin, k):
    """The geom that the skin's body touches at contact k, another one in each world, or NONE."""
    weld = to_lane(m.body_weldid[m.geom_bodyid[skin]])
    there = d.ncon > k
    g1, g2 = where(there, d.contact.geom[k][0], 0.0), where(there, d.contact.geom[k][1], 0.0)
    first = m.body_weldid[m.geom_bodyid[g1] * 1.0] * 1.0 == weld
    second = m.body_weldid[m.geom_bodyid[g2] * 1.0] * 1.0 == weld
    return where(there & first, g2, where(there & second, g1, NONE))


@kernel
def feel_geom(m, d, adr, mesh, skin, other, on):
    """Add what the taxels feel of a geom, in the worlds of a mask."""
    n, first = m.mesh_vertnum[mesh], m.mesh_vertadr[mesh]
    R_WG, R_WO, p_WO = d.geom_xmat[skin], d.geom_xmat[other], d.geom_xpos[other]
    kind, size = m.geom_type[other] * 1.0, m.geom_size[other]
    # velocity of the skin's body relative to the other at the origin of W, and its rotation
    b1, b2 = m.geom_bodyid[skin], m.geom_bodyid[other] * 1.0
    V1, V2 = d.cvel[b1], d.cvel[b2]
    w = V1[0:3] - V2[0:3]
    v = V1[3:6] - cross(V1[0:3], d.subtree_com[m.body_rootid[b1]])
    v = v - V2[3:6] + cross(V2[0:3], d.subtree_com[m.body_rootid[b2] * 1.0])
    for j in range(n):
        p_WT = d.geom_xpos[skin] + mat_vec(R_WG, m.mesh_vert[first + j])
        dist = signed_depth(kind, mat_t_vec(R_WO, p_WT - p_WO), size)
        inside = on & (dist < 0.0)
        if any_lane(inside):
            depth = where(inside, -dist, 0.0)
            d.sensordata[adr + j] = maximum(d.sensordata[adr + j], depth)
            if m.mesh_normalnum[mesh] == 3 * n:
                slide = mat_t_vec(R_WG, v + cross(w, p_WT))
                tangent = m.mesh_normaladr[mesh] + 3 * j + 1
                add_speed(d, adr + n + j, dot3(slide, m.mesh_normal[tangent]), inside)
                add_speed(d, adr + 2 * n + j, dot3(slide, m.mesh_normal[tangent + 1]), inside)


@kernel(inline=True)
def add_speed(d, k, speed, mask):
    d.sensordata[k] = d.sensordata[k] + where(mask, abs_(speed), 0.0)
