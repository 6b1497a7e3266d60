"""Forces of the surrounding fluid: a wrench on every body, from its velocity relative to the
medium.

Everything is computed in a local frame, at its origin, from its angular and linear velocity w and v
there, and brought to C. The medium has density rho and viscosity eta.

A body is a box with its mass and inertia, in its inertial frame. The box has the edges

    (1)  b_i = sqrt(6 / mass (I_j + I_k - I_i)),

and each of the six directions of motion has its own viscous drag, that of a sphere with the mean
edge d as its diameter, and quadratic drag:

    (2)  f_i = -3 pi d eta v_i - rho / 2 b_j b_k |v_i| v_i
    (3)  t_i = -pi d^3 eta w_i - rho / 64 b_i (b_j^4 + b_k^4) |w_i| w_i

When one of its geoms asks for it, a body's geoms are ellipsoids instead, with coefficients of drag
(blunt, slender, angular) and of lift (Kutta, Magnus). Fluid that moves along, by the virtual mass
and inertia of the geom, has the momentum P and L; a body that turns is deflected:

    (4)  f = P x w + magnus rho volume w x v,   t = P x v + L x w.

Seen along the motion, u = v / |v|, an ellipsoid with semiaxes s has the area

    (5)  area = pi sqrt(sum of a_i^2 u_i^2 / sum of a_i u_i^2),   a_i = (s_j s_k)^2,

and n = (a_i u_i) / sum of a_i u_i^2, with n . u = 1, is normal to the surface where the flow meets
it. Circulation about n x v lifts,

    (6)  f = kutta rho area / |n|^2 (n x v) x v,

and drag is viscous, of a sphere with the mean diameter d, blunt on the area seen and slender on
what is left of the largest area:

    (7)  f = -(3 pi d eta + rho |v| (blunt area + slender (largest - area))) v.

Turning about each axis sweeps a disk, with the larger other semiaxis as its radius:

    (8)  t = -(pi d^3 eta + rho |k w|) w,   k_i = angular disk_i + slender (largest disk - disk_i).
"""

from ...lanes import abs_, any_lane, concat, kernel, maximum, minimum, not_, splat, sqrt, vec, where
from ...mjconst import GEOM_CAPSULE, GEOM_CYLINDER, GEOM_SPHERE, MINVAL, PI
from ..smooth.com import velocity_at
from ..spatial import cross, dot3, mat_t_vec, mat_vec, norm3, zeros6

SHARE = 0  # column of geom_fluid: more than 0 where a geom is an ellipsoid to the fluid


@kernel
def fluid(m, d):
    """(cvel, poses) => body_force, wrenches of the fluid about C; returns whether there is any"""
    medium = (m.opt.viscosity > 0.0) | (m.opt.density > 0.0)
    if not any_lane(medium):
        return False
    for b in range(1, m.nbody):
        # as ellipsoids, each by its share; as a box in the worlds where no geom has one
        wet = (splat(m.body_mass[b]) >= MINVAL) & medium
        F_C_W, boxed = zeros6(), wet
        first = m.body_geomadr[b]
        for g in range(first, first + m.body_geomnum[b]):
            share = splat(m.geom_fluid[g, SHARE])
            if any_lane(wet & (share > 0.0)):
                F_C_W = F_C_W + ellipsoid_wrench(m, d, b, g) * share
                boxed = boxed & not_(share > 0.0)
        if any_lane(boxed):
            F_C_W = where(boxed, box_wrench(m, d, b), F_C_W)
        d.body_force[b] = where(wet, F_C_W, zeros6())
    return True


@kernel(inline=True)
def local_velocity(m, d, b, R_WA, p_CA):
    """(w, v): velocity of a frame A in body b relative to the fluid, at its origin, in its axes"""
    V_C = d.cvel[b]
    return mat_t_vec(R_WA, V_C[0:3]), mat_t_vec(R_WA, velocity_at(V_C, p_CA) - m.opt.wind)


@kernel(inline=True)
def in_com(R_WA, p_CA, t_A, f_A):
    """F_C_W of a torque, and a force at the origin of A, both in the axes of A"""
    f_W = mat_vec(R_WA, f_A)
    return concat(mat_vec(R_WA, t_A) + cross(p_CA, f_W), f_W)


# -------------------------------------------------------------------------------------------- box


@kernel
def box_wrench(m, d, b):
    """Drag of the inertia box of a body: (2) and (3)"""
    R_WI, p_CI = d.ximat[b], d.xipos[b] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R_WI, p_CI)
    box = box_size(m, b)
    # viscous
    density, viscosity = maximum(m.opt.density, 0.0), maximum(m.opt.viscosity, 0.0)
    diameter = (box[0] + box[1] + box[2]) / 3.0
    viscous = PI * diameter * viscosity
    torque = w * -(viscous * diameter * diameter)
    force = v * (-3.0 * viscous)
    # quadratic
    square = times(box, box)
    fourth = times(square, square)
    moments = vec(fourth[1] + fourth[2], fourth[0] + fourth[2], fourth[0] + fourth[1])
    torque = torque - times(times(box, moments), speed_squared(w)) * (density / 64.0)
    force = force - times(other_products(box), speed_squared(v)) * (0.5 * density)
    return in_com(R_WI, p_CI, torque, force)


@kernel(inline=True)
def box_size(m, b):
    """(1): edges of the box of uniform density with the body's mass and inertia"""
    J, scale = m.body_inertia[b], 6.0 / maximum(m.body_mass[b], MINVAL)
    return vec(
        sqrt(maximum(J[1] + J[2] - J[0], MINVAL) * scale),
        sqrt(maximum(J[0] + J[2] - J[1], MINVAL) * scale),
        sqrt(maximum(J[0] + J[1] - J[2], MINVAL) * scale),
    )


# -------------------------------------------------------------------------------------- ellipsoid


@kernel
def ellipsoid_wrench(m, d, b, g):
    """Added mass, lift and drag of the ellipsoid of a geom."""
    R_WG, p_CG = d.geom_xmat[g], d.geom_xpos[g] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R_WG, p_CG)
    size, density = semiaxes(m, g), m.opt.density
    coef = m.geom_fluid[g]
    blunt, slender, kutta, magnus = coef[1], coef[2], coef[4], coef[5]
    virtual_mass, virtual_inertia = coef[6:9], coef[9:12]

    # (4)
    P, L = times(virtual_mass, v) * density, times(virtual_inertia, w) * density
    torque = cross(P, v) + cross(L, w)
    volume = 4.0 / 3.0 * PI * size[0] * size[1] * size[2]
    force = cross(P, w) + cross(w, v) * (magnus * density * volume)

    # (5), for the ellipsoid scaled to a longest semiaxis of 1, and (6)
    longest, middle = sorted_axes(size)
    speed = norm3(v)
    u = v * reciprocal(speed)
    a = other_products(size * reciprocal(longest))
    a = times(a, a)
    p = dot3(times(a, u), u)
    n = times(a, u) * reciprocal(p)
    q = dot3(n, n)
    area = PI * longest * longest * sqrt(q * p)
    circulation = cross(n, v) * (kutta * density * reciprocal(q) * area)
    force = force + cross(circulation, v)

    # (7) and (8)
    diameter = 2.0 / 3.0 * (size[0] + size[1] + size[2])
    drag = density * speed * (area * blunt + slender * (PI * longest * middle - area))
    force = force - v * (m.opt.viscosity * 3.0 * PI * diameter + drag)
    drag = density * norm3(times(drag_moments(size, longest, middle, coef), w))
    torque = torque - w * (m.opt.viscosity * PI * diameter * diameter * diameter + drag)
    return in_com(R_WG, p_CG, torque, force)


@kernel(inline=True)
def drag_moments(size, longest, middle, coef):
    """k of (8): angular drag per axis, of the disk of the larger other semiaxis and of the rest"""
    slender, angular = coef[2], coef[3]
    most = 8.0 / 15.0 * PI * middle * longest * longest * longest * longest
    disk = vec(
        moment(size[0], size[1], size[2]),
        moment(size[1], size[2], size[0]),
        moment(size[2], size[0], size[1]),
    )
    return disk * angular + (vec(most, most, most) - disk) * slender


@kernel(inline=True)
def semiaxes(m, g):
    """The ellipsoid that stands for a geom."""
    size, kind = m.geom_size[g], m.geom_type[g]
    if kind == GEOM_SPHERE:
        size = vec(size[0], size[0], size[0])
    elif kind == GEOM_CAPSULE:
        size = vec(size[0], size[0], size[0] + size[1])
    elif kind == GEOM_CYLINDER:
        size = vec(size[0], size[0], size[1])
    return size


@kernel(inline=True)
def reciprocal(x):
    """1 / x, and 0 where x is too small."""
    small = not_(x > MINVAL)
    return where(small, 0.0, 1.0 / where(small, 1.0, x))


@kernel(inline=True)
def sorted_axes(size):
    """The longest and the middle semiaxis."""
    longest = maximum(maximum(size[0], size[1]), size[2])
    shortest = minimum(minimum(size[0], size[1]), size[2])
    return longest, size[0] + size[1] + size[2] - longest - shortest


@kernel(inline=True)
def moment(along, x, y):
    """Moment of the disk of the larger of two semiaxes, turning about the third."""
    r = maximum(x, y)
    return 8.0 / 15.0 * PI * along * r * r * r * r


@kernel(inline=True)
def times(a, b):
    """Item by item."""
    return vec(a[0] * b[0], a[1] * b[1], a[2] * b[2])


@kernel(inline=True)
def other_products(a):
    """For each axis, the product of the two others."""
    return vec(a[1] * a[2], a[2] * a[0], a[0] * a[1])


@kernel(inline=True)
def speed_squared(v):
    """v |v|, item by item."""
    return vec(v[0] * abs_(v[0]), v[1] * abs_(v[1]), v[2] * abs_(v[2]))
