"""Elliptic contacts, each a block of rows that is updated at once: eight worlds side by side.

A contact of each world is brought into Lanes: cone_old has its forces f, cone_residual the slope r
and cone_A the curvature A of the cost there. The new forces, cone_new, end up in cone_best. With
df = f_new - f the cost changes by

    df . r + df' A df / 2                                                                   (1)

In PGS the update has two steps. First the whole force is scaled along its ray, not beyond the tip
of the cone,

    f <= (1 + x) f,     x = -f.r / f'A f,     x >= -1                                       (2)

then friction is optimal for the normal force that this gave. In noslip, which is hard (R = 0), only
friction changes. As a function of the new friction x, with the normal force changed by df_n, the
cost is, up to a constant,

    x' A x / 2 + x . (r - A f + A_n df_n)                                                   (3)

over the rows of friction, which qcqp.py minimizes in the ellipsoid that the normal force allows.
"""

from ....lanes import (
    W,
    any_lane,
    fma,
    kernel,
    load_each,
    load_lane,
    load_row_each,
    lowest_bit,
    mask_of,
    maximum,
    not_,
    row_totals,
    splat,
    store_flat,
    store_lane,
    to_int,
    where,
)
from ....mjconst import MINVAL
from .lines import ALONE, HALF, STEP, R
from .products import (
    contact_of,
    force,
    four_products,
    of_line,
    push,
    residual,
    set_force,
    slope,
)
from .qcqp import SMALL, friction_of_two, solve_friction

TOO_MUCH = 1e-10  # a change that raises the cost by more is undone
FRICTION = 6  # place in sweep_cone


@kernel
def ask_cone(d, p, size, w, hard):
    """The contact of world w whose rows begin at p => cone_old, cone_R, cone_residual"""
    n = d.world_dense[w]
    if n > 0:
        # four at a time; there is memory beyond the last row
        for j in range(0, size, 4):
            a = d.world_A[w] + n * (p + j)
            u = four_products(d, a, a + n, a + 2 * n, a + 3 * n, n, w)
            ask_row(d, p, j, w, slope(d, p + j, w, force(d, p + j, w), u[0]), hard)
            if j + 1 < size:
                ask_row(d, p, j + 1, w, slope(d, p + j + 1, w, force(d, p + j + 1, w), u[1]), hard)
            if j + 2 < size:
                ask_row(d, p, j + 2, w, slope(d, p + j + 2, w, force(d, p + j + 2, w), u[2]), hard)
            if j + 3 < size:
                ask_row(d, p, j + 3, w, slope(d, p + j + 3, w, force(d, p + j + 3, w), u[3]), hard)
    else:
        for j in range(size):
            ask_row(d, p, j, w, residual(d, p + j, w, force(d, p + j, w)), hard)
    store_lane(d.cone_contact, 0, w, contact_of(d, p, w) * 1.0)
    store_lane(d.cone_size, 0, w, size * 1.0)
    d.world_cone[w] = p


@kernel(inline=True)
def ask_row(d, p, j, w, r, hard):
    """Row p + j of it, with its residual."""
    f, soft = force(d, p + j, w), of_line(d, p + j, w, R)
    store_lane(d.cone_old, j, w, f)
    store_lane(d.cone_R, j, w, soft)
    store_lane(d.cone_residual, j, w, r - soft * f if hard else r)


# ------------------------------------------------------------------------------------- three rows


@kernel
def keep_three(d, p, w, hard):
    """sweep_cone <= what does not change of a contact of three rows, from p on: its curvature, with
    R or without, and friction"""
    k, to = contact_of(d, p, w), 8 * (W * p + w)
    for r in range(3):
        for c in range(r + 1):
            a = load_lane(d.contact_A, (k, r * (r + 1) // 2 + c), w)
            if r == c:
                a = maximum(a, SMALL) if hard else a + of_line(d, p + r, w, R)
            store_flat(d.sweep_cone, to + r * (r + 1) // 2 + c, a)
    store_flat(d.sweep_cone, to + FRICTION, load_lane(d.contact.friction, (k, 0), w))
    store_flat(d.sweep_cone, to + FRICTION + 1, load_lane(d.contact.friction, (k, 1), w))


@kernel
def ask_three(d, p, w):
    """Such a contact of world w => sweep_target of its rows, and where to find them"""
    if d.world_dense[w] > 0:
        u = three_products(d, p, w)
        tell_three(d, p, w, u[0], u[1], u[2])
    else:
        for j in range(p, p + 3):
            f = force(d, j, w)
            t = fma(residual(d, j, w, f), of_line(d, j, w, STEP), f)
            store_flat(d.sweep_target, d.world_first[w] + j, t)
        name_three(d, p, w)


@kernel(inline=True)
def three_products(d, p, w):
    """Of the rows from p on with the forces."""
    n, at, A = d.world_dense[w], d.world_first[w] // 8, d.sweep_A
    a = d.world_A[w] + n * p
    f = d.sweep_force[at]
    u0, u1, u2 = A[a] * f, A[a + n] * f, A[a + 2 * n] * f
    for e in range(1, n):
        a, f = a + 1, d.sweep_force[at + e]
        u0, u1, u2 = u0 + A[a] * f, u1 + A[a + n] * f, u2 + A[a + 2 * n] * f
    return row_totals(u0, u1, u2, u2)


@kernel(inline=True)
def tell_three(d, p, w, u0, u1, u2):
    """The same, by the products of the rows."""
    to = d.world_first[w] + p
    store_flat(d.sweep_target, to, u0 + of_line(d, p, w, ALONE))
    store_flat(d.sweep_target, to + 1, u1 + of_line(d, p + 1, w, ALONE))
    store_flat(d.sweep_target, to + 2, u2 + of_line(d, p + 2, w, ALONE))
    name_three(d, p, w)


@kernel(inline=True)
def name_three(d, p, w):
    """The contact of world w is that of row p."""
    d.world_cone[w] = p
    d.cone_place[w] = d.world_first[w] + p
    d.cone_line[w] = 8 * (W * p + w)


@kernel(inline=True)
def row_of_each(d, j, a, hard):
    """Row j of the contact of each world: its force, and its residual by (2) of products.py."""
    f, t = load_each(d.sweep_force, d.cone_place, j), load_each(d.sweep_target, d.cone_place, j)
    if not hard:
        return f, (f - t) * a
    # a is without R
    half = load_each(d.sweep_line, d.cone_line, 8 * W * j + HALF)
    return f, (f - t) * (2.0 * half) - load_each(d.sweep_line, d.cone_line, 8 * W * j + R) * f


@kernel
def update_threes(d, cones, hard):
    """What update_cones does, of contacts of three rows"""
    c = load_row_each(d.sweep_cone, d.cone_line)
    A00, A10, A11, A20, A21, A22, mu1, mu2 = c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
    f0, r0 = row_of_each(d, 0, A00, hard)
    f1, r1 = row_of_each(d, 1, A11, hard)
    f2, r2 = row_of_each(d, 2, A22, hard)
    # friction's part of A f
    h1, h2, normal = A11 * f1 + A21 * f2, A21 * f1 + A22 * f2, f0
    if not hard:
        # (2), as scale_ray
        side = A10 * f1 + A20 * f2
        curvature = f0 * (A00 * f0 + 2.0 * side) + (f1 * h1 + f2 * h2)
        curved, weak = curvature >= MINVAL, f0 < MINVAL
        # divided first: forces are known before their slopes
        inverse = where(curved, -1.0, 0.0) / where(curved, curvature, 1.0)
        growth = maximum((f0 * r0 + f1 * r1 + f2 * r2) * inverse, -1.0)
        normal = where(weak, maximum(0.0, f0 - r0 / A00), f0 + growth * f0)
    # (3), the ellipsoid a ball; nothing pushes: nothing rubs
    dn, pushes = normal - f0, not_(normal < MINVAL)
    b1, b2 = (A10 * mu1) * dn + (r1 - h1) * mu1, (A20 * mu2) * dn + (r2 - h2) * mu2
    x, y = friction_of_two(
        A11 * (mu1 * mu1), A21 * (mu1 * mu2), A22 * (mu2 * mu2), b1, b2, normal,
        mask_of(cones) & pushes,
    )  # fmt: skip
    x, y = where(pushes, x * mu1, 0.0), where(pushes, y * mu2, 0.0)
    # (1); a change for the worse, by ill-conditioned numbers, is undone. It is rare, and nothing
    # waits for what shows it
    d1, d2 = x - f1, y - f2
    change = dn * (r0 + 0.5 * (A00 * dn + A10 * d1 + A20 * d2))
    change = change + d1 * (r1 + 0.5 * (A10 * dn + A11 * d1 + A21 * d2))
    change = change + d2 * (r2 + 0.5 * (A20 * dn + A21 * d1 + A22 * d2))
    worse = mask_of(cones) & (change > TOO_MUCH)
    d.cone_best[0] = normal
    d.cone_best[1] = x
    d.cone_best[2] = y
    if any_lane(worse):
        d.cone_best[0] = where(worse, f0, normal)
        d.cone_best[1] = where(worse, f1, x)
        d.cone_best[2] = where(worse, f2, y)
    gain(d, cones, where(worse, 0.0, change))
    while cones != 0:
        take_three(d, lowest_bit(cones))
        cones &= cones - 1


@kernel(inline=True)
def gain(d, cones, change):
    """world_gain, after changes of the cost in the worlds whose bits are set in `cones`."""
    d.world_gain[0] = d.world_gain[0] - where(mask_of(cones), change, 0.0)


@kernel(inline=True)
def take_three(d, w):
    """The new forces of world w."""
    p = d.world_cone[w]
    f0, f1, f2 = best(d, 0, w), best(d, 1, w), best(d, 2, w)
    if d.world_dense[w] == 0:
        for j in range(3):
            push(d, p + j, w, best(d, j, w) - force(d, p + j, w))
    set_force(d, p, w, f0)
    set_force(d, p + 1, w, f1)
    set_force(d, p + 2, w, f2)


@kernel(inline=True)
def best(d, j, w):
    """Force j of the contact of world w."""
    return load_lane(d.cone_best, j, w)


# --------------------------------------------------------------------------------------- any number


@kernel
def update_cones(d, cones, hard):
    """cone_best <= the best forces of the contacts of the worlds whose bits are set in `cones`; and
    the worlds get them"""
    # by the number of rows, which decides how it is done
    change = splat(0.0)
    for size in range(4, 7):
        on = mask_of(cones) & (d.cone_size[0] == size)
        if any_lane(on):
            change = where(on, update_cone(d, size, on, hard), change)
    gain(d, cones, change)
    for w in range(W):
        if (cones >> w) & 1:
            p = d.world_cone[w]
            for j in range(to_int(load_lane(d.cone_size, 0, w))):
                set_force(d, p + j, w, best(d, j, w))
                push(d, p + j, w, best(d, j, w) - load_lane(d.cone_old, j, w))


@kernel
def update_cone(d, size, on, hard):
    """The same of contacts with as many rows; by how much the cost changes"""
    load_curvature(d, size, where(on, d.cone_contact[0], 0.0), hard)
    for j in range(size):
        d.cone_new[j] = d.cone_old[j]
    if not hard:
        scale_ray(d, size)
    update_friction(d, size, on)
    # (1); a change for the worse, by ill-conditioned numbers, is undone
    change = splat(0.0)
    for r in range(size):
        df = d.cone_new[r] - d.cone_old[r]
        change = change + df * d.cone_residual[r]
        for c in range(size):
            half = 0.5 * df * d.cone_A[6 * r + c]
            change = change + half * (d.cone_new[c] - d.cone_old[c])
    worse = change > TOO_MUCH
    for j in range(size):
        new = where(worse, d.cone_old[j], d.cone_new[j])
        d.cone_best[j] = where(on, new, d.cone_best[j])
    return where(worse, 0.0, change)


@kernel
def load_curvature(d, size, k, hard):
    """cone_A <= A + R of contact k, or A alone"""
    for r in range(size):
        for c in range(r + 1):
            a = d.contact_A[k, r * (r + 1) // 2 + c]
            if r == c:
                a = maximum(a, SMALL) if hard else a + d.cone_R[r]
            d.cone_A[6 * r + c] = a
            d.cone_A[6 * c + r] = a


@kernel
def scale_ray(d, size):
    """cone_new <= the best multiple of the force (2); a normal force, if there is none yet"""
    curvature, slope = splat(0.0), splat(0.0)
    for r in range(size):
        f = d.cone_old[r]
        slope = slope + f * d.cone_residual[r]
        for c in range(size):
            curvature = curvature + f * d.cone_A[6 * r + c] * d.cone_old[c]
    curved = curvature >= MINVAL
    growth = where(curved, maximum(-slope / where(curved, curvature, 1.0), -1.0), 0.0)
    # without a normal force there is no ray: a normal force alone, as any other row
    normal = d.cone_old[0]
    weak = normal < MINVAL
    for j in range(size):
        f = d.cone_old[j]
        d.cone_new[j] = where(weak, f, f + growth * f)
    alone = maximum(0.0, normal - d.cone_residual[0] / d.cone_A[0])
    d.cone_new[0] = where(weak, alone, d.cone_new[0])


@kernel
def update_friction(d, size, on):
    """cone_new <= the best friction under the normal force, in the worlds `on`"""
    normal, n = d.cone_new[0], size - 1
    # the problem (3)
    k = where(on, d.cone_contact[0], 0.0)
    for r in range(n):
        row = 6 * (r + 1)
        b = d.cone_residual[r + 1] + d.cone_A[row] * (normal - d.cone_old[0])
        for c in range(n):
            a = d.cone_A[row + c + 1]
            d.qcqp_A[n * r + c] = a
            b = b - a * d.cone_old[c + 1]
        d.qcqp_b[r] = b
        d.qcqp_mu[r] = d.contact.friction[k, r]
    # nothing pushes: nothing rubs
    pushes = not_(normal < MINVAL)
    solve_friction(d, n, normal, on & pushes)
    for j in range(n):
        d.cone_new[j + 1] = where(pushes, d.qcqp_x[j], 0.0)
