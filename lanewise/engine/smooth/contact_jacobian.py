"""The Jacobian of a contact, never formed: forces in its directions, as generalized forces.

A contact has six directions: its normal, two tangents, and rotations about the three. A velocity
in them is u = J qvel, that of the second body less that of the first, at the contact point. Forces
w in the same directions are a wrench on the second body and its opposite on the first. Brought to
C, a wrench gives the number of every dof i that moves the body,

    (J' w)_i = cdof_i . F_C_W,

found by walking from the body to the root. Which bodies they are differs from lane to lane.
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
    R_KW, p_WK = d.contact.frame[k], d.contact.pos[k]
    f_K_W, t_W = mat_t_vec(R_KW, w[0:3]), mat_t_vec(R_KW, w[3:6])
    add_body_force(m, d, where(mask, d.con_body2[k], 0.0), p_WK, t_W, f_K_W, mask, y, first)
    add_body_force(m, d, where(mask, d.con_body1[k], 0.0), p_WK, -t_W, -f_K_W, mask, y, first)


@kernel
def add_body_force(m, d, b, p_WP, t_W, f_P_W, mask, y, first):
    """y += generalized force of a torque, and a force at P, on body b: another one in each lane"""
    p_CP = p_WP - d.subtree_com[m.body_rootid[b]]
    F_C_W = concat(t_W + cross(p_CP, f_P_W), f_P_W)
    i = m.body_lastdof[b]
    on = mask & (i >= 0.0)
    while any_lane(on):
        here = where(on, i, 0.0)
        add_at(y, first + here, dot6(d.cdof[here], F_C_W), on)
        i = where(on, m.dof_parentid[here], -1.0)
        on = on & (i >= 0.0)
