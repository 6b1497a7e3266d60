"""Derivatives of the forces of the surrounding fluid by velocity.

In the local frame A of a body's inertia box, or of a geom's ellipsoid, the force depends on the
local velocity only, and its derivative is a 6x6 matrix B, rotation before translation. With
R = R_WA and r = p_CA, it is brought into C by

    (1)  B_C = X' B X,   X = [ R'        0  ]
                             [ -R'[r]x   R' ]   (motion in C => motion in A),

where the matrices of the bodies below a body can be added (body_mat), as inertias are for crb. With
S = cdof, a pair of dofs then has the derivative

    (2)  S_i . (B_C S_j),   B_C of the deeper one.

A matrix is kept as four 3x3 blocks: torque by rotation (rr), torque by translation (rl), force by
rotation (lr), force by translation (ll).

The forces are those of forces/fluid.py, whose symbols these are. Drag and lift on the ellipsoid are
of second order in v with coefficients that depend on its direction u alone. With c = blunt area +
slender (largest - area), and ' for transposition,

    (3)  drag:  -(3 pi d eta + rho |v| c) 1 - rho |v| u (c u + dc/du)'
    (4)  drag torque:  -(pi d^3 eta + rho |k w|) 1 - rho w (k k w)' / |k w|.

With a scaled so that n = a u, the lift is k |v|^2 (u - n), k = kutta rho area / |n|^2 a number. Its
derivative is k |v| times

    (5)  1 - diag(a) + 2 (u n' - n u') + (u - n) g',   g = 2 n - u + d(log area)/du - 2 a n / |n|^2.

The momenta P and L are linear in v and w, and give products with [P]x, [L]x, [v]x and [w]x.
"""

from ...lanes import abs_, any_lane, concat, kernel, maximum, splat, sqrt, vec, where
from ...mjconst import INT_IMPLICITFAST, MINVAL, PI
from ..forces.fluid import (
    SHARE,
    box_size,
    drag_moments,
    local_velocity,
    other_products,
    reciprocal,
    semiaxes,
    sorted_axes,
    times,
)  # fmt: skip
from ..spatial import dot3, dot6, mat_t_vec, mat_vec, norm3
from .lu import upper

ALL_TERMS, DRAG_ONLY = 0, 1  # what fluid_vel is to differentiate


@kernel
def fluid_vel(m, d, drag_only):
    """(cvel, poses) => body_mat: d fluid force / d velocity of each body and all below it, about C

    With DRAG_ONLY, lift and added mass are left out: what remains is symmetric and dissipates.
    """
    for b in range(m.nbody):
        for k in range(36):
            d.body_mat[b, k] = 0.0
        # ellipsoids, or a box in the worlds where no geom is one
        first = m.body_geomadr[b]
        ellipsoids = splat(0.0)
        for g in range(first, first + m.body_geomnum[b]):
            ellipsoids = ellipsoids + m.geom_fluid[g, SHARE]
        massive = splat(m.body_mass[b]) >= MINVAL
        for g in range(first, first + m.body_geomnum[b]):
            if any_lane(massive & (m.geom_fluid[g, SHARE] > 0.0)):
                ellipsoid(m, d, b, g, drag_only, massive & (m.geom_fluid[g, SHARE] > 0.0))
        if any_lane(massive & (ellipsoids == 0.0)):
            inertia_box(m, d, b, massive & (ellipsoids == 0.0))
    # each body with all below it
    for b in range(m.nbody - 1, 0, -1):
        p = m.body_parentid[b]
        if p > 0:
            for k in range(36):
                d.body_mat[p, k] = d.body_mat[p, k] + d.body_mat[b, k]


@kernel
def add_fluid(m, d):
    """qDeriv += (2)"""
    for i in range(m.nv):
        # S_i' B_C and B_C S_i, i being the deeper dof
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
def add_in_com(d, b, R_WA, p_CA, mask, rr, rl, lr, ll):
    """body_mat[b] += X' B X of (1), in the worlds of mask"""
    R_AW = transpose3(R_WA)
    S = skew(p_CA)
    ll = mat_mat(mat_mat(R_WA, ll), R_AW)
    lr = mat_mat(mat_mat(R_WA, lr), R_AW)
    rl = mat_mat(mat_mat(R_WA, rl), R_AW) + mat_mat(S, ll)
    rr = mat_mat(mat_mat(R_WA, rr), R_AW) + mat_mat(S, lr) - mat_mat(rl, S)
    lr = lr - mat_mat(ll, S)
    B = concat(concat(rr, rl), concat(lr, ll))
    d.body_mat[b] = where(mask, d.body_mat[b] + B, d.body_mat[b])


@kernel
def inertia_box(m, d, b, mask):
    """Drag of the box with the body's mass and inertia: each axis on its own."""
    R_WI, p_CI = d.ximat[b], d.xipos[b] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R_WI, p_CI)
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
    add_in_com(d, b, R_WI, p_CI, mask, rr, zeros9(), zeros9(), ll)


@kernel
def ellipsoid(m, d, b, g, drag_only, mask):
    """Drag, lift, Magnus force and added mass of a geom's ellipsoid."""
    R_WG, p_CG = d.geom_xmat[g], d.geom_xpos[g] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R_WG, p_CG)
    size = semiaxes(m, g)
    coef = m.geom_fluid[g]
    kutta, magnus, virtual_mass, virtual_inertia = coef[4], coef[5], coef[6:9], coef[9:12]
    density, viscosity = m.opt.density, m.opt.viscosity
    # drag
    rr = drag_torque(w, size, density, viscosity, coef)
    ll = drag_force(v, size, density, viscosity, coef)
    rl, lr = zeros9(), zeros9()
    if not drag_only:
        # lift
        spin = magnus * density * (4.0 / 3.0 * PI) * size[0] * size[1] * size[2]
        ll = ll + kutta_lift(v, size, density, kutta) + skew(w) * spin
        lr = lr - skew(v) * spin
        # added mass: torque L x w + P x v, force P x w
        mass, inertia = virtual_mass * density, virtual_inertia * density
        P, L = times(mass, v), times(inertia, w)
        rr = rr + skew(L) - scale_columns(skew(w), inertia)
        rl = rl + skew(P) - scale_columns(skew(v), mass)
        lr = lr + skew(P)
        ll = ll - scale_columns(skew(w), mass)
    # the symmetric part, where the integrator's matrix is symmetric
    if drag_only or (m.opt.integrator == INT_IMPLICITFAST and not in_free_body(m, b)):
        rr, ll = 0.5 * (rr + transpose3(rr)), 0.5 * (ll + transpose3(ll))
        rl = 0.5 * (rl + transpose3(lr))
        lr = transpose3(rl)
    add_in_com(d, b, R_WG, p_CG, mask, rr, rl, lr, ll)


@kernel(inline=True)
def in_free_body(m, b):
    """Whether body b belongs to a tree that one free joint moves as a rigid body."""
    root = m.body_rootid[b]
    adr = m.body_dofadr[root]
    return m.body_dofnum[root] == 6 and m.tree_dofnum[m.dof_treeid[adr]] == 6


@kernel
def drag_torque(w, size, density, viscosity, coef):
    """(4): d torque / d w of the quadratic and viscous drag of a turning ellipsoid"""
    longest, middle = sorted_axes(size)
    k = drag_moments(size, longest, middle, coef)
    kw = times(k, w)
    kkw = times(k, kw) * (-density / maximum(norm3(kw), MINVAL))
    diameter = 2.0 / 3.0 * (size[0] + size[1] + size[2])
    s = dot3(w, kkw) - viscosity * PI * diameter * diameter * diameter
    return outer(w, kkw) + diagonal(s, s, s)


@kernel
def drag_force(v, size, density, viscosity, coef):
    """(3): d force / d v of the quadratic and viscous drag of an ellipsoid"""
    longest, middle = sorted_axes(size)
    speed = norm3(v)
    u = v * reciprocal(speed)
    area, area_slope, _, _, _ = seen_area(size, longest, u)
    blunt, slender = coef[1], coef[2]
    drag = area * blunt + slender * (PI * longest * middle - area)
    s = -density * speed * drag - viscosity * 2.0 * PI * (size[0] + size[1] + size[2])
    turned = u * drag + area_slope * (area * (blunt - slender))
    return diagonal(s, s, s) - outer(u, turned) * (density * speed)


@kernel
def kutta_lift(v, size, density, kutta):
    """(5): d force / d v of the lift k (n x v) x v = k |v|^2 (u - n)"""
    longest, _ = sorted_axes(size)
    speed = norm3(v)
    u = v * reciprocal(speed)
    area, area_slope, a, n, q = seen_area(size, longest, u)
    k = kutta * density * area * reciprocal(q)
    g = n * 2.0 + area_slope - u - times(a, n) * (2.0 * reciprocal(q))
    c = differences(a, times(u, u))  # a - 1, without cancellation; u c is n - u
    D = (outer(u, n) - outer(n, u)) * 2.0 - diagonal(c[0], c[1], c[2])
    return (D - outer(times(u, c), g)) * (k * speed)


@kernel
def seen_area(size, longest, u):
    """Area of an ellipsoid seen along u, the derivative of its logarithm by u, a, n = a u, |n|^2

    a: squared products of the other semiaxes, scaled so that n . u = 1. By (5) of forces/fluid.py
    the derivative is a_i^2 u_i / |n|^2 - a_i u_i = n_i / |n|^2 sum over j of n_j u_j (a_i - a_j).
    """
    a = other_products(size * reciprocal(longest))
    a = times(a, a)
    p = dot3(times(a, u), u)
    a = a * reciprocal(p)
    n = times(a, u)
    q = dot3(n, n)
    slope = times(n, differences(a, times(n, u))) * reciprocal(q)
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
def transpose3(A):
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
