"""Projected Gauss-Seidel: forces one block at a time, each at its best given all others.

With the residual r_i of (4) in problem.py, a scalar row goes to its minimum within its bounds:

    f_i <= clip(f_i - r_i / A_ii)                                                           (1)

where A has R on its diagonal. An elliptic contact is a block of several rows (cones.py).

A sweep visits the blocks in a random order, the same in every run (visiting.py). Before a sweep the
forces are extrapolated along their last change (Nesterov), with a weight that grows with the number
k of sweeps, and k starts again when the sweep turned out to go against it (O'Donoghue and Candes):

    g <= f + (k - 1)/(k + 2) (f - f_last),                                                  (2)
    k <= 0  if  (f_new - g).(g - f) < 0                                                     (3)

MuJoCo's default is to stop well before convergence, so the path is a part of the answer: order,
weights and tolerances are those of MuJoCo.

Rows are visited four in a turn (turns.py). With the residuals u before the first of them, and the
changes df of those before it, row p has

    r_p = u_p + sum of A_pq df_q over the rows q before it in the same turn                 (4)

so that forces are read once for the four products u.
"""

from ....lanes import (
    W,
    fma,
    kernel,
    lane_item,
    load_flat,
    load_lane,
    maximum,
    minimum,
    row_total,
    sqrt,
)
from ....mjconst import CONE_ELLIPTIC, MINVAL
from .cones import TOO_MUCH
from .lines import HALF, HIGH, LOW, STEP, B
from .one_island import block_size, contact_of
from .products import force, of_line, push, residual, set_force, sum_anew
from .states import count_sweeps, record_sweep, update_states
from .visiting import order_of


@kernel
def begin_pgs(m, d, w):
    """World w before the first sweep over its island"""
    n, p = 0, 0
    while p < d.world_rows[w]:
        size = block_size(m, d, p, w)
        d.sweep_block[W * n + w] = p
        d.sweep_size[W * n + w] = size
        n += 1
        p += size
    d.world_nblock[w] = n
    d.world_age[w] = 0.0
    if d.want_solver:
        update_states(m, d, w)


@kernel
def next_pgs_sweep(m, d, w):
    """The end of a sweep, if there was one, and the beginning of the next; False if none is"""
    k, more = d.world_sweep[w], d.world_sweep[w] < m.opt.iterations
    if k > 0:
        gain = d.world_gain[w] * d.world_scale[w]
        record_sweep(m, d, w, k - 1, gain)
        more = more and not gain < lane_item(m.opt.tolerance, w)
        # extrapolation starts anew if the sweep went back
        d.world_age[w] = 0.0 if k > 1 and turned_back(d, w) else d.world_age[w] + 1.0
    if more:
        extrapolate(m, d, (d.world_age[w] - 1.0) / (d.world_age[w] + 2.0), w)
        d.world_order[w] = order_of(d, d.world_nblock[w], k, w)
        d.world_gain[w] = 0.0
    else:
        count_sweeps(d, w, k, d.world_rows[w])
    return more


# ---- extrapolation


@kernel
def extrapolate(m, d, weight, w):
    """sweep_force <= extrapolated (2), within its bounds, in sweep_ahead too; z follows"""
    first = d.world_first[w] // 8
    for e in range(first, first + (d.world_rows[w] + 7) // 8):
        f = d.sweep_force[e]
        if weight > 0.0:
            ahead = f + (f - d.sweep_last[e]) * weight
            d.sweep_force[e] = minimum(d.sweep_high[e], maximum(d.sweep_low[e], ahead))
        d.sweep_last[e] = f
    if m.opt.cone == CONE_ELLIPTIC and weight > 0.0:
        for n in range(d.world_nblock[w]):
            if d.sweep_size[W * n + w] > 1:
                put_in_cone(d, d.sweep_block[W * n + w], d.sweep_size[W * n + w], w)
    for e in range(first, first + (d.world_rows[w] + 7) // 8):
        d.sweep_ahead[e] = d.sweep_force[e]  # g of (3)
    sum_anew(d, w)


@kernel
def put_in_cone(d, p, size, w):
    """The forces of an elliptic contact from row p on => scaled to be admissible"""
    # the normal force, and the square of the one that its friction would take
    k, normal, square = contact_of(d, p, w), force(d, p, w), 0.0
    for j in range(1, size):
        t = force(d, p + j, w) / load_lane(d.contact.friction, (k, j - 1), w)
        square += t * t
    scale = 1.0
    if normal < 0.0:
        set_force(d, p, w, 0.0)
        scale = 0.0
    elif square > normal * normal:
        scale = sqrt(normal * normal / maximum(square, MINVAL))
    for j in range(1, size):
        set_force(d, p + j, w, force(d, p + j, w) * scale)


@kernel
def turned_back(d, w):
    """Whether the sweep undid a part of the extrapolation: (3)"""
    first, agreement = d.world_first[w] // 8, 0.0
    for e in range(first, first + (d.world_rows[w] + 7) // 8):
        g = d.sweep_ahead[e]
        agreement = agreement + (d.sweep_force[e] - g) * (g - d.sweep_last[e])
    return row_total(agreement) < 0.0


# ---- visits


@kernel(inline=True)
def visit(d, p, w):
    """Set the force of row p to its best."""
    old = force(d, p, w)
    f, change = best(d, p, w, old, residual(d, p, w, old))
    # round-off: stay
    if not change > TOO_MUCH:
        set_force(d, p, w, f)
        d.world_gain[w] = d.world_gain[w] - change
        push(d, p, w, f - old)


@kernel(inline=True)
def visit_next(d, w):
    """The next row of a world that has no matrix."""
    visit(d, d.order[d.world_order[w] + d.world_at[w]], w)
    d.world_at[w] = d.world_at[w] + 1


@kernel
def visit_four(d, w):
    """The next four rows of a world that has its matrix, one after the other (4)."""
    p0, p1, p2, p3 = next_four(d, w)
    r0, r1, r2, r3 = residuals(d, p0, p1, p2, p3, w)
    f0, f1, f2, f3 = force(d, p0, w), force(d, p1, w), force(d, p2, w), force(d, p3, w)
    g0, c0 = best(d, p0, w, f0, r0)
    r1 = fma(item(d, p1, p0, w), g0 - f0, r1)
    g1, c1 = best(d, p1, w, f1, r1)
    r2 = fma(item(d, p2, p1, w), g1 - f1, fma(item(d, p2, p0, w), g0 - f0, r2))
    g2, c2 = best(d, p2, w, f2, r2)
    r3 = fma(item(d, p3, p1, w), g1 - f1, fma(item(d, p3, p0, w), g0 - f0, r3))
    g3, c3 = best(d, p3, w, f3, fma(item(d, p3, p2, w), g2 - f2, r3))
    if maximum(maximum(c0, c1), maximum(c2, c3)) > TOO_MUCH:
        visit_each(d, p0, p1, p2, p3, w)
    else:
        set_four(d, p0, p1, p2, p3, w, g0, g1, g2, g3, c0 + c1 + c2 + c3)


@kernel(inline=True)
def visit_two_fours(d, w, v):
    """The same of two worlds: neither waits for its own last row, as the other has something to do."""
    p0, p1, p2, p3 = next_four(d, w)
    q0, q1, q2, q3 = next_four(d, v)
    r0, r1, r2, r3 = residuals(d, p0, p1, p2, p3, w)
    s0, s1, s2, s3 = residuals(d, q0, q1, q2, q3, v)
    f0, f1, f2, f3 = force(d, p0, w), force(d, p1, w), force(d, p2, w), force(d, p3, w)
    h0, h1, h2, h3 = force(d, q0, v), force(d, q1, v), force(d, q2, v), force(d, q3, v)
    g0, c0 = best(d, p0, w, f0, r0)
    k0, e0 = best(d, q0, v, h0, s0)
    r1 = fma(item(d, p1, p0, w), g0 - f0, r1)
    s1 = fma(item(d, q1, q0, v), k0 - h0, s1)
    g1, c1 = best(d, p1, w, f1, r1)
    k1, e1 = best(d, q1, v, h1, s1)
    r2 = fma(item(d, p2, p1, w), g1 - f1, fma(item(d, p2, p0, w), g0 - f0, r2))
    s2 = fma(item(d, q2, q1, v), k1 - h1, fma(item(d, q2, q0, v), k0 - h0, s2))
    g2, c2 = best(d, p2, w, f2, r2)
    k2, e2 = best(d, q2, v, h2, s2)
    r3 = fma(item(d, p3, p1, w), g1 - f1, fma(item(d, p3, p0, w), g0 - f0, r3))
    s3 = fma(item(d, q3, q1, v), k1 - h1, fma(item(d, q3, q0, v), k0 - h0, s3))
    g3, c3 = best(d, p3, w, f3, fma(item(d, p3, p2, w), g2 - f2, r3))
    k3, e3 = best(d, q3, v, h3, fma(item(d, q3, q2, v), k2 - h2, s3))
    if maximum(maximum(c0, c1), maximum(c2, c3)) > TOO_MUCH:
        visit_each(d, p0, p1, p2, p3, w)
    else:
        set_four(d, p0, p1, p2, p3, w, g0, g1, g2, g3, c0 + c1 + c2 + c3)
    if maximum(maximum(e0, e1), maximum(e2, e3)) > TOO_MUCH:
        visit_each(d, q0, q1, q2, q3, v)
    else:
        set_four(d, q0, q1, q2, q3, v, k0, k1, k2, k3, e0 + e1 + e2 + e3)


@kernel(inline=True)
def next_four(d, w):
    """The next rows in the order of world w."""
    first = d.world_order[w] + d.world_at[w]
    d.world_at[w] = d.world_at[w] + 4
    return d.order[first], d.order[first + 1], d.order[first + 2], d.order[first + 3]


@kernel(inline=True)
def residuals(d, p0, p1, p2, p3, w):
    """Of four rows, u of (4)."""
    n, A, f, at = d.world_dense[w], d.sweep_A, d.sweep_force, d.world_first[w] // 8
    a0, a1 = d.world_A[w] + n * p0, d.world_A[w] + n * p1
    a2, a3 = d.world_A[w] + n * p2, d.world_A[w] + n * p3
    u0, u1, u2, u3 = 0.0, 0.0, 0.0, 0.0
    for e in range(n):
        u0, u1 = u0 + A[a0 + e] * f[at + e], u1 + A[a1 + e] * f[at + e]
        u2, u3 = u2 + A[a2 + e] * f[at + e], u3 + A[a3 + e] * f[at + e]
    return (
        row_total(u0) + of_line(d, p0, w, B), row_total(u1) + of_line(d, p1, w, B),
        row_total(u2) + of_line(d, p2, w, B), row_total(u3) + of_line(d, p3, w, B),
    )  # fmt: skip


@kernel(inline=True)
def item(d, p, q, w):
    """A_pq"""
    return load_flat(d.sweep_A, 8 * (d.world_A[w] + d.world_dense[w] * p) + q)


@kernel(inline=True)
def best(d, p, w, f, r):
    """The force of a row, where it is f with residual r: (1); and the change of the cost."""
    g = maximum(of_line(d, p, w, LOW), fma(r, of_line(d, p, w, STEP), f))
    g = minimum(of_line(d, p, w, HIGH), g)
    return g, (g - f) * fma(g - f, of_line(d, p, w, HALF), r)


@kernel(inline=True)
def set_four(d, p0, p1, p2, p3, w, g0, g1, g2, g3, change):
    """New forces of four rows."""
    set_force(d, p0, w, g0)
    set_force(d, p1, w, g1)
    set_force(d, p2, w, g2)
    set_force(d, p3, w, g3)
    d.world_gain[w] = d.world_gain[w] - change


@kernel
def visit_each(d, p0, p1, p2, p3, w):
    """Four rows, some of which have to stay."""
    visit(d, p0, w)
    visit(d, p1, w)
    visit(d, p2, w)
    visit(d, p3, w)
