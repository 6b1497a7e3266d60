"""Derivatives of the forces of the surrounding fluid by velocity.

In the local frame of a body's inertia box, or of a geom's ellipsoid, the force depends on the local
velocity only, and its derivative is a 6x6 matrix B, rotation before translation. It is brought into
C by

    B_C = X' B X,    X the motion in C => the motion in the local frame,

where the matrices of the bodies below a body can be added (body_mat), as inertias are for crb. A
pair of dofs then has the derivative S_i . (B_C S_j), with B_C of the deeper one. A matrix is kept
as four 3x3 blocks: torque by rotation, torque by translation, force by rotation, force by
translation.
"""

from ...lanes import abs_, any_lane, concat, kernel, maximum, splat, sqrt, vec, where
from ...mjconst import INT_IMPLICITFAST, MINVAL
from ..forces.fluid import (
    PI,
    box_size,
    drag_moments,
    inverse,
    local_velocity,
    other_products,
    semiaxes,
    sorted_axes,
    times,
)  # fmt: skip
from ..spatial import dot3, dot6, mat_t_vec, mat_vec, norm3
from .lu import upper


@kernel
def fluid_vel(m, d, drag_only):
    """(cvel, poses) => body_mat: d fluid force / d velocity of each body and all below it, about C

    With drag_only, lift and added mass are left out: what remains is symmetric and dissipates.
    """
    for b in range(m.nbody):
        for k in range(36):
            d.body_mat[b, k] = 0.0
        first = m.body_geomadr[b]
        ellipsoids = splat(0.0)
        for g in range(first, first + m.body_geomnum[b]):
            ellipsoids = ellipsoids + m.geom_fluid[g, 0]
        massive = splat(m.body_mass[b]) >= MINVAL
        for g in range(first, first + m.body_geomnum[b]):
            if any_lane(massive & (m.geom_fluid[g, 0] > 0.0)):
                ellipsoid(m, d, b, g, drag_only, massive & (m.geom_fluid[g, 0] > 0.0))
        if any_lane(massive & (ellipsoids == 0.0)):
            inertia_box(m, d, b, massive & (ellipsoids == 0.0))
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            for k in range(36):
                d.body_mat[p, k] = d.body_mat[p, k] + d.body_mat[b, k]


@kernel
def add_fluid(m, d):
    """qDeriv += S_i . (body_mat S_j)"""
    for i in range(m.nv):
        B, S = d.body_mat[m.dof_bodyid[i]], d.cdof[i]
        a, u = S[0:3], S[3:6]
        row_rot = mat_t_vec(B[0:9], a) + mat_t_vec(B[18:27], u)
        row = concat(row_rot, mat_t_vec(B[9:18], a) + mat_t_vec(B[27:36], u))
        column = fluid_column(m, d, i)
        adr = m.D_rowadr[i]
        for k in range(m.D_diag[i] + 1):
            j = m.D_colind[adr + k]
            Sj = d.cdof[j]
            d.qDeriv[adr + k] = d.qDeriv[adr + k] + dot6(row, Sj)
            if j < i:
                ji = upper(m, j, i)
                d.qDeriv[ji] = d.qDeriv[ji] + dot6(column, Sj)


@kernel
def fluid_column(m, d, i):
    """body_mat S_i: force on the subtree of dof i's body per unit of qvel_i"""
    B, S = d.body_mat[m.dof_bodyid[i]], d.cdof[i]
    a, u = S[0:3], S[3:6]
    torque = mat_vec(B[0:9], a) + mat_vec(B[9:18], u)
    return concat(torque, mat_vec(B[18:27], a) + mat_vec(B[27:36], u))


@kernel
def add_in_com(d, b, R, r, mask, rr, rl, lr, ll):
    """body_mat[b] += X' B X in the worlds of mask, for a frame with axes R at the point r in C."""
    Rt = transpose(R)
    S = skew(r)
    ll = mat_mat(mat_mat(R, ll), Rt)
    lr = mat_mat(mat_mat(R, lr), Rt)
    rl = mat_mat(mat_mat(R, rl), Rt) + mat_mat(S, ll)
    rr = mat_mat(mat_mat(R, rr), Rt) + mat_mat(S, lr) - mat_mat(rl, S)
    lr = lr - mat_mat(ll, S)
    B = concat(concat(rr, rl), concat(lr, ll))
    d.body_mat[b] = where(mask, d.body_mat[b] + B, d.body_mat[b])


@kernel
def inertia_box(m, d, b, mask):
    """Drag of the box with the body's mass and inertia: each axis on its own."""
    R, r = d.ximat[b], d.xipos[b] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R, r)
    box, density = box_size(m, b), maximum(m.opt.density, 0.0)
    x, y, z = box[0], box[1], box[2]
    diameter = (x + y + z) / 3.0
    viscous = PI * diameter * maximum(m.opt.viscosity, 0.0)
    turn, push = viscous * diameter * diameter, 3.0 * viscous
    fourth = times(times(box, box), times(box, box))
    rr = diagonal(
        -turn - density * x * (fourth[1] + fourth[2]) * abs_(w[0]) / 32.0,
        -turn - density * y * (fourth[0] + fourth[2]) * abs_(w[1]) / 32.0,
        -turn - density * z * (fourth[0] + fourth[1]) * abs_(w[2]) / 32.0,
    )
    ll = diagonal(
        -push - density * y * z * abs_(v[0]),
        -push - density * x * z * abs_(v[1]),
        -push - density * x * y * abs_(v[2]),
    )
    add_in_com(d, b, R, r, mask, rr, zeros9(), zeros9(), ll)


@kernel
def ellipsoid(m, d, b, g, drag_only, mask):
    """Drag, lift, Magnus force and added mass of a geom's ellipsoid."""
    R, r = d.geom_xmat[g], d.geom_xpos[g] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R, r)
    size = semiaxes(m, g)
    f = m.geom_fluid[g]  # see fluid.py
    density, viscosity = m.opt.density, m.opt.viscosity
    rr = drag_torque(w, size, density, viscosity, f)
    ll = drag_force(v, size, density, viscosity, f)
    rl, lr = zeros9(), zeros9()
    if not drag_only:
        magnus = f[5] * density * (4.0 / 3.0 * PI) * size[0] * size[1] * size[2]
        ll = ll + kutta_lift(v, size, density, f[4]) + skew(w) * magnus
        lr = lr - skew(v) * magnus
        mass, inertia = f[6:9] * density, f[9:12] * density
        P, L = times(mass, v), times(inertia, w)
        # torque L x w + P x v, force P x w
        rr = rr + skew(L) - scale_columns(skew(w), inertia)
        rl = rl + skew(P) - scale_columns(skew(v), mass)
        lr = lr + skew(P)
        ll = ll - scale_columns(skew(w), mass)
    if drag_only or (m.opt.integrator == INT_IMPLICITFAST and not in_free_body(m, b)):
        rr, ll = 0.5 * (rr + transpose(rr)), 0.5 * (ll + transpose(ll))
        rl = 0.5 * (rl + transpose(lr))
        lr = transpose(rl)
    add_in_com(d, b, R, r, mask, rr, rl, lr, ll)


@kernel(inline=True)
def in_free_body(m, b):
    """Whether body b belongs to a tree that one free joint moves as a rigid body."""
    root = m.body_rootid[b]
    adr = m.body_dofadr[root]
    return m.body_dofnum[root] == 6 and m.tree_dofnum[m.dof_treeid[adr]] == 6


@kernel
def drag_torque(w, size, density, viscosity, f):
    """d torque / d w of the quadratic and viscous drag of a turning ellipsoid"""
    longest, middle = sorted_axes(size)
    k = drag_moments(size, longest, middle, f)
    kw = times(k, w)
    kkw = times(k, kw) * (-density / maximum(norm3(kw), MINVAL))
    diameter = 2.0 / 3.0 * (size[0] + size[1] + size[2])
    s = dot3(w, kkw) - viscosity * PI * diameter * diameter * diameter
    return outer(w, kkw) + diagonal(s, s, s)


@kernel
def drag_force(v, size, density, viscosity, f):
    """d force / d v of the quadratic and viscous drag of an ellipsoid; its area depends on v"""
    longest, middle = sorted_axes(size)
    speed = norm3(v)
    u = v * inverse(speed)
    area, area_slope, _, _, _ = seen_area(size, longest, u)
    blunt, slender = f[1], f[2]
    drag = area * blunt + slender * (PI * longest * middle - area)
    s = -density * speed * drag - viscosity * 2.0 * PI * (size[0] + size[1] + size[2])
    turned = u * drag + area_slope * (area * (blunt - slender))
    return diagonal(s, s, s) - outer(u, turned) * (density * speed)


@kernel
def kutta_lift(v, size, density, lift):
    """d force / d v of the lift k (n x v) x v, n the normal of the area seen, k ~ its circulation

    The force is of second order in v: its derivative is |v| times that at u = v / |v|.
    """
    longest, _ = sorted_axes(size)
    speed = norm3(v)
    u = v * inverse(speed)
    area, area_slope, a, n, q = seen_area(size, longest, u)
    k = lift * density * area * inverse(q)
    k_slope = n * 2.0 + area_slope - u - times(a, n) * (2.0 * inverse(q))  # of its logarithm
    c = differences(a, times(u, u))
    D = (outer(u, n) - outer(n, u)) * 2.0 - diagonal(c[0], c[1], c[2])
    return (D - outer(times(u, c), k_slope)) * (k * speed)


@kernel
def seen_area(size, longest, u):
    """Area of an ellipsoid seen along u, the derivative of its logarithm by u, a, n = a u, |n|^2

    a: squared products of the other semiaxes, scaled so that n . u = 1
    """
    a = other_products(size * inverse(longest))
    a = times(a, a)
    p = dot3(times(a, u), u)
    a = a * inverse(p)
    n = times(a, u)
    q = dot3(n, n)
    slope = times(n, differences(a, times(n, u))) * inverse(q)
    return PI * longest * longest * sqrt(p * q), slope, a, n, q


@kernel(inline=True)
def differences(a, s):
    """sum_j s_j (a_i - a_j), for each axis i"""
    return vec(
        s[1] * (a[0] - a[1]) + s[2] * (a[0] - a[2]),
        s[0] * (a[1] - a[0]) + s[2] * (a[1] - a[2]),
        s[0] * (a[2] - a[0]) + s[1] * (a[2] - a[1]),
    )


# ------------------------------------------------------------------------------------ 3x3 matrices


@kernel(inline=True)
def zeros9():
    z = splat(0.0)
    return vec(z, z, z, z, z, z, z, z, z)


@kernel(inline=True)
def diagonal(x, y, z):
    return vec(x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z)


@kernel(inline=True)
def outer(a, b):
    """a b'"""
    return concat(concat(b * a[0], b * a[1]), b * a[2])


@kernel(inline=True)
def skew(a):
    """[a]x"""
    return vec(0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0)


@kernel(inline=True)
def transpose(A):
    return vec(A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@kernel
def mat_mat(A, B):
    return concat(concat(mat_t_vec(B, A[0:3]), mat_t_vec(B, A[3:6])), mat_t_vec(B, A[6:9]))


@kernel(inline=True)
def scale_columns(A, s):
    """A diag(s)"""
    return vec(
        A[0] * s[0], A[1] * s[1], A[2] * s[2],
        A[3] * s[0], A[4] * s[1], A[5] * s[2],
        A[6] * s[0], A[7] * s[1], A[8] * s[2],
    )  # fmt: skip
