"""Forces of contacts, as MuJoCo reports them, and their sums by body.

Solvers leave the force of a contact in its own directions (con_force). The force that the two geoms
exert on each other is that less the attraction of adhesion, which acts as a passive force; so its
normal part may be negative.
"""

from ...lanes import add_at, any_lane, concat, highest, kernel, vec, where
from ..spatial import cross, mat_t_vec, zeros6


@kernel(inline=True)
def net_force(d, k):
    """Force and torque of contact k of each world, in the contact's frame, on the second geom."""
    f = d.con_force[k]
    normal = f[0] - d.contact.adhesion[k]
    on = (d.con_on[k] > 0.0) & (d.ncon > k)
    return where(on, vec(normal, f[1], f[2], f[3], f[4], f[5]), zeros6())


@kernel
def contact_force(m, d):
    """con_force => contact_force, body_contact: by contact, and by body"""
    for b in range(m.nbody):
        d.body_contact[b] = zeros6()
    for k in range(highest(d.ncon)):
        F_K = net_force(d, k)
        d.contact_force[k] = F_K
        add_by_body(m, d, k, F_K)


@kernel
def add_by_body(m, d, k, F_K):
    """body_contact += contact k, about the centre of mass of each of its bodies"""
    R_KW, p_WK = d.contact.frame[k], d.contact.pos[k]
    f_K_W, t_W = mat_t_vec(R_KW, F_K[0:3]), mat_t_vec(R_KW, F_K[3:6])
    on = (d.con_on[k] > 0.0) & (d.ncon > k)
    if any_lane(on):
        first, second = where(on, d.con_body1[k], 0.0), where(on, d.con_body2[k], 0.0)
        t_first_W = t_W + cross(p_WK - d.xipos[first], f_K_W)
        add_at(d.body_contact, first, -concat(f_K_W, t_first_W), on)
        t_second_W = t_W + cross(p_WK - d.xipos[second], f_K_W)
        add_at(d.body_contact, second, concat(f_K_W, t_second_W), on)
