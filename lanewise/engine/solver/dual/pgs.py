"""Projected Gauss-Seidel: forces one block at a time, each at its best given all others.

With the residual r_i of (4) in problem.py, a scalar row goes to its minimum within its bounds:

    f_i <= clip(f_i - r_i / A_ii)                                                           (1)

where A has R on its diagonal. An elliptic contact is a block of several rows (cones.py).

A sweep visits the blocks in a random order, the same in every run (visiting.py). Before a sweep the
forces are extrapolated along their last change (Nesterov), with a weight that grows with the number
k of sweeps, and k starts again when the sweep turned out to go against it (O'Donoghue and Candes):

    g <= f + (k - 1)/(k + 2) (f - f_last),                                                  (2)
    k <= 0  if  (f_new - g).(g - f) < 0                                                     (3)

The sums over forces that residuals are made of (products.py) are then summed anew. A small island
does so from time to time only: its u is extrapolated likewise, and corrected where a bound stops a
force. The round-off in u grows from sweep to sweep, and differs between rows that depend on each
other; only R keeps their forces from following it. So that is for islands where no R is small
beside A.

MuJoCo's default is to stop well before convergence, so the path is a part of the answer: order,
weights and tolerances are those of MuJoCo.

Rows are visited four in a turn (turns.py). With the residuals u before the first of them, and the
changes df of those before it, row p has

    r_p = u_p + sum of A_pq df_q over the rows q before it in the same turn                 (4)

and u is updated for all four at once.
"""

from ....lanes import (
    W,
    any_lane,
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
from .lines import HALF, HIGH, LOW, STEP, A, R
from .one_island import block_size, contact_of
from .products import DENSE, force, of_line, push, residual, set_force, sum_anew
from .states import count_sweeps, record_sweep, update_states
from .visiting import order_of

ANEW = 16  # sweeps after which sums are made anew
SOFT = 0.02  # R of a row, as a part of its A, from which on it keeps round-off small


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
    d.world_stiff[w] = 0 if d.world_dense[w] > 0 else 1
    for p in range(d.world_rows[w] if d.world_dense[w] > 0 else 0):
        if not of_line(d, p, w, R) >= SOFT * of_line(d, p, w, A):
            d.world_stiff[w] = 1
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
        extrapolate(m, d, k, (d.world_age[w] - 1.0) / (d.world_age[w] + 2.0), w)
        d.world_order[w] = order_of(d, d.world_nblock[w], k, w)
        d.world_gain[w] = 0.0
    else:
        count_sweeps(d, w, k, d.world_rows[w])
    return more


# ---- extrapolation


@kernel
def extrapolate(m, d, k, weight, w):
    """sweep_force <= extrapolated (2), within its bounds, in sweep_ahead too; u or z follows"""
    first, rows, stiff = d.world_first[w] // 8, d.world_rows[w], d.world_stiff[w] == 1
    if not stiff:
        extrapolate_residuals(d, weight, w)
    for e in range((rows + 7) // 8):
        f = d.sweep_force[first + e]
        if weight > 0.0:
            free = f + (f - d.sweep_last[first + e]) * weight
            bound = minimum(d.sweep_high[first + e], maximum(d.sweep_low[first + e], free))
            d.sweep_force[first + e] = bound
            if not stiff and any_lane(bound != free):
                for i in range(min(8, rows - 8 * e)):
                    correct(d, 8 * e + i, w, lane_item(bound - free, i))
        d.sweep_last[first + e] = f
    if m.opt.cone == CONE_ELLIPTIC and weight > 0.0:
        for n in range(d.world_nblock[w]):
            if d.sweep_size[W * n + w] > 1:
                put_in_cone(d, d.sweep_block[W * n + w], d.sweep_size[W * n + w], w)
    for e in range(first, first + (rows + 7) // 8):
        d.sweep_ahead[e] = d.sweep_force[e]  # g of (3)
    if stiff or k % ANEW == 0:
        sum_anew(d, w)


@kernel
def extrapolate_residuals(d, weight, w):
    """u <= itself + weight times its last change, as the forces, if the weight is positive"""
    for e in range(8 * w, 8 * w + d.world_dense[w]):
        u = d.sweep_u[e]
        if weight > 0.0:
            d.sweep_u[e] = u + (u - d.sweep_ulast[e]) * weight
        d.sweep_ulast[e] = u


@kernel
def correct(d, p, w, df):
    """u, where a force was changed, unless it is summed anew"""
    if df != 0.0 and d.world_stiff[w] == 0:
        push(d, p, w, df)


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
        correct(d, p, w, -normal)
        scale = 0.0
    elif square > normal * normal:
        scale = sqrt(normal * normal / maximum(square, MINVAL))
    for j in range(1, size):
        f = force(d, p + j, w)
        set_force(d, p + j, w, f * scale)
        correct(d, p + j, w, f * scale - f)


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
def visit_rows(d, w):
    """The turn of world w in a sweep over rows: four, or one of those that are left."""
    t, n = d.world_at[w], d.world_dense[w]
    first = d.world_order[w] + t
    if n > 0 and t + 4 <= d.world_nblock[w] and visit_four(d, n, first, w):
        d.world_at[w] = t + 4
    else:
        visit(d, d.order[first], w)
        d.world_at[w] = t + 1


@kernel(inline=True)
def visit(d, p, w):
    """Set the force of row p to its best."""
    old = force(d, p, w)
    r = residual(d, p, w, old)
    f = best(d, p, w, old, r)
    change = change_of_cost(d, p, w, f - old, r)
    # round-off: stay
    if not change > TOO_MUCH:
        set_force(d, p, w, f)
        d.world_gain[w] = d.world_gain[w] - change
        push(d, p, w, f - old)


@kernel(inline=True)
def visit_four(d, n, t, w):
    """The forces of four rows, one after the other (4), unless one of them would have to stay;
    whether it was done."""
    p0, p1, p2, p3 = d.order[t], d.order[t + 1], d.order[t + 2], d.order[t + 3]
    u, a, A = DENSE * w, d.world_A[w], d.sweep_A
    a0, a1, a2, a3 = a + n * p0, a + n * p1, a + n * p2, a + n * p3
    f0, r0 = force(d, p0, w), load_flat(d.sweep_u, u + p0)
    g0 = best(d, p0, w, f0, r0)
    x0 = g0 - f0
    f1, r1 = force(d, p1, w), fma(load_flat(A, 8 * a1 + p0), x0, load_flat(d.sweep_u, u + p1))
    g1 = best(d, p1, w, f1, r1)
    x1 = g1 - f1
    f2, r2 = force(d, p2, w), fma(load_flat(A, 8 * a2 + p0), x0, load_flat(d.sweep_u, u + p2))
    r2 = fma(load_flat(A, 8 * a2 + p1), x1, r2)
    g2 = best(d, p2, w, f2, r2)
    x2 = g2 - f2
    f3, r3 = force(d, p3, w), fma(load_flat(A, 8 * a3 + p0), x0, load_flat(d.sweep_u, u + p3))
    r3 = fma(load_flat(A, 8 * a3 + p2), x2, fma(load_flat(A, 8 * a3 + p1), x1, r3))
    g3 = best(d, p3, w, f3, r3)
    x3 = g3 - f3
    c0, c1 = change_of_cost(d, p0, w, x0, r0), change_of_cost(d, p1, w, x1, r1)
    c2, c3 = change_of_cost(d, p2, w, x2, r2), change_of_cost(d, p3, w, x3, r3)
    if maximum(maximum(c0, c1), maximum(c2, c3)) > TOO_MUCH:
        return False
    d.world_gain[w] = d.world_gain[w] - (c0 + c1 + c2 + c3)
    set_force(d, p0, w, g0)
    set_force(d, p1, w, g1)
    set_force(d, p2, w, g2)
    set_force(d, p3, w, g3)
    for e in range(n):
        v = d.sweep_u[8 * w + e] + A[a0 + e] * x0 + A[a1 + e] * x1
        d.sweep_u[8 * w + e] = v + A[a2 + e] * x2 + A[a3 + e] * x3
    return True


@kernel(inline=True)
def best(d, p, w, f, r):
    """The force of a row, where it is f with residual r: (1)."""
    f = maximum(of_line(d, p, w, LOW), fma(r, of_line(d, p, w, STEP), f))
    return minimum(of_line(d, p, w, HIGH), f)


@kernel(inline=True)
def change_of_cost(d, p, w, df, r):
    """By a change of a force with residual r: a parabola."""
    return df * fma(df, of_line(d, p, w, HALF), r)
