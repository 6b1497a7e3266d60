"""The Jacobian of a contact, never formed: forces in its directions, as generalized forces.

A contact has six directions: its normal, two tangents, and rotations about the three. A velocity
in them is u = J qvel, that of the second body less that of the first, at the contact point. Forces
w in the same directions are a wrench on the second body and its opposite on the first, and J' w
follows by walking from both bodies to the root. Which bodies they are differs from lane to lane.
"""

from ...lanes import add_at, any_lane, concat, kernel, splat, where
from ..spatial import cross, dot6, mat_t_vec


@kernel
def add_contact_force(m, d, k, w, mask, y):
    """y += J' w of contact k, in the lanes of mask"""
    add_contact_row(m, d, k, w, mask, y, splat(0.0))


@kernel
def add_contact_row(m, d, k, w, mask, y, first):
    """J' w of contact k is added to the numbers of y from `first` on, in the lanes of mask"""
    frame, point = d.contact.frame[k], d.contact.pos[k]
    force, torque = mat_t_vec(frame, w[0:3]), mat_t_vec(frame, w[3:6])
    add_body_force(m, d, where(mask, d.con_body2[k], 0.0), point, torque, force, mask, y, first)
    add_body_force(m, d, where(mask, d.con_body1[k], 0.0), point, -torque, -force, mask, y, first)


@kernel
def add_body_force(m, d, b, point, torque, force, mask, y, first):
    """The generalized force of a wrench at a point of body b, another body in each lane"""
    arm = point - d.subtree_com[m.body_rootid[b]]
    F = concat(torque + cross(arm, force), force)
    i = m.body_lastdof[b]
    on = mask & (i >= 0.0)
    while any_lane(on):
        here = where(on, i, 0.0)
        add_at(y, first + here, dot6(d.cdof[here], F), on)
        i = where(on, m.dof_parentid[here], -1.0)
        on = on & (i >= 0.0)
