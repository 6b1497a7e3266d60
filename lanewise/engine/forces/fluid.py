"""Forces of the surrounding fluid: a wrench on every body, from its velocity relative to the
medium.

A body is a box with its mass and inertia, and each of the six directions of motion has its own
viscous and quadratic drag; or, when one of its geoms asks for it, its geoms are ellipsoids instead,
with added mass, Magnus and Kutta lift, and drag that depends on the area seen along the motion.
Everything is computed in the local frame, at its origin, and brought to C.
"""

from ...lanes import abs_, any_lane, concat, kernel, maximum, minimum, not_, splat, sqrt, vec, where
from ...mjconst import GEOM_CAPSULE, GEOM_CYLINDER, GEOM_SPHERE, MINVAL, PI
from ..smooth.com import velocity_at
from ..spatial import cross, dot3, mat_t_vec, mat_vec, norm3, zeros6


@kernel
def fluid(m, d):
    """(cvel, poses) => body_force, wrenches of the fluid about C; returns whether there is any"""
    medium = (m.opt.viscosity > 0.0) | (m.opt.density > 0.0)
    if not any_lane(medium):
        return False
    for b in range(1, m.nbody):
        wet = (splat(m.body_mass[b]) >= MINVAL) & medium
        F, boxed = zeros6(), wet
        first = m.body_geomadr[b]
        for g in range(first, first + m.body_geomnum[b]):
            share = splat(m.geom_fluid[g, 0])
            if any_lane(wet & (share > 0.0)):
                F = F + ellipsoid_wrench(m, d, b, g) * share
                boxed = boxed & not_(share > 0.0)
        if any_lane(boxed):
            F = where(boxed, box_wrench(m, d, b), F)
        d.body_force[b] = where(wet, F, zeros6())
    return True


@kernel(inline=True)
def local_velocity(m, d, b, R, r):
    """(w, v): velocity of the point r of body b relative to the fluid, in the axes R"""
    V = d.cvel[b]
    return mat_t_vec(R, V[0:3]), mat_t_vec(R, velocity_at(V, r) - m.opt.wind)


@kernel(inline=True)
def in_com(R, r, torque, force):
    """A torque, and a force at r, in the axes R, as a wrench about C."""
    f = mat_vec(R, force)
    return concat(mat_vec(R, torque) + cross(r, f), f)


# -------------------------------------------------------------------------------------------- box


@kernel
def box_wrench(m, d, b):
    """Drag of the inertia box of a body."""
    R, r = d.ximat[b], d.xipos[b] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R, r)
    box = box_size(m, b)
    density, viscosity = maximum(m.opt.density, 0.0), maximum(m.opt.viscosity, 0.0)
    diameter = (box[0] + box[1] + box[2]) / 3.0
    viscous = PI * diameter * viscosity
    torque = w * -(viscous * diameter * diameter)
    force = v * (-3.0 * viscous)
    square = times(box, box)
    fourth = times(square, square)
    moments = vec(fourth[1] + fourth[2], fourth[0] + fourth[2], fourth[0] + fourth[1])
    torque = torque - times(times(box, moments), speed_squared(w)) * (density / 64.0)
    force = force - times(other_products(box), speed_squared(v)) * (0.5 * density)
    return in_com(R, r, torque, force)


@kernel(inline=True)
def box_size(m, b):
    """Edges of the box of uniform density with the body's mass and inertia."""
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
    R, r = d.geom_xmat[g], d.geom_xpos[g] - d.subtree_com[m.body_rootid[b]]
    w, v = local_velocity(m, d, b, R, r)
    size = semiaxes(m, g)
    # share; drag: blunt, slender, angular; lift: Kutta, Magnus; added mass and inertia
    f = m.geom_fluid[g]
    density = m.opt.density
    # the fluid that moves with the body has momentum P and L
    P, L = times(f[6:9], v) * density, times(f[9:12], w) * density
    torque = cross(P, v) + cross(L, w)
    volume = 4.0 / 3.0 * PI * size[0] * size[1] * size[2]
    force = cross(P, w) + cross(w, v) * (f[5] * density * volume)

    # area seen along the motion and its normal, for the ellipsoid scaled to a longest semiaxis of 1
    longest, middle = sorted_axes(size)
    speed = norm3(v)
    u = v * inverse(speed)
    a = other_products(size * inverse(longest))
    a = times(a, a)
    p = dot3(times(a, u), u)
    normal = times(a, u) * inverse(p)
    q = dot3(normal, normal)
    area = PI * longest * longest * sqrt(q * p)
    circulation = cross(normal, v) * (f[4] * density * inverse(q) * area)
    force = force + cross(circulation, v)

    diameter = 2.0 / 3.0 * (size[0] + size[1] + size[2])
    drag = density * speed * (area * f[1] + f[2] * (PI * longest * middle - area))
    force = force - v * (m.opt.viscosity * 3.0 * PI * diameter + drag)
    drag = density * norm3(times(drag_moments(size, longest, middle, f), w))
    torque = torque - w * (m.opt.viscosity * PI * diameter * diameter * diameter + drag)
    return in_com(R, r, torque, force)


@kernel(inline=True)
def drag_moments(size, longest, middle, f):
    """Angular drag per axis: of the disk of the larger other semiaxis, and of the rest."""
    most = 8.0 / 15.0 * PI * middle * longest * longest * longest * longest
    disk = vec(
        moment(size[0], size[1], size[2]),
        moment(size[1], size[2], size[0]),
        moment(size[2], size[0], size[1]),
    )
    return disk * f[3] + (vec(most, most, most) - disk) * f[2]


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
def inverse(x):
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
