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

Where an island has its matrix, rows are visited four at a time. With t of (1) in products.py, the
best force of a row if no other changes, and the changes df of those before it, row p goes to

    f_p <= clip(t_p - sum of A_pq / a_p df_q over the rows q before it, of these four)      (4)

so that forces are read once for four sums t. Each row has to wait for the one before it, and each
four for the four before: two worlds take turns, so that the processor has something else to do.
Where all rows of an island only push, as contacts and limits do, clip is a maximum with zero, and
rows wait less long.
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
    store_flat,
    store_lane,
    vec,
    where,
)
from ....mjconst import CONE_ELLIPTIC, MINVAL
from .cones import FRICTION, keep_three, tell_three, three_products
from .lines import ALONE, HALF, HIGH, INFINITY, LOW, STEP
from .one_island import block_size
from .products import (
    contact_of,
    force,
    four_products,
    of_line,
    push,
    residual,
    set_force,
    sum_anew,
)
from .states import count_sweeps, record_sweep, update_states
from .visiting import order_of


@kernel
def begin_pgs(m, d, w):
    """World w before the first sweep over its island"""
    n, p, cones, pushes = 0, 0, -1, 1
    while p < d.world_rows[w]:
        size = block_size(m, d, p, w)
        cones = n if size > 1 and cones < 0 else cones
        if of_line(d, p, w, LOW) != 0.0 or of_line(d, p, w, HIGH) < INFINITY:
            pushes = 0
        d.sweep_block[W * n + w] = p
        d.sweep_size[W * n + w] = size
        d.sweep_below[W * n + w] = p - d.world_rows[w] if size == 1 else 0
        for i in range(p, p + size):
            half = of_line(d, i, w, HALF) if size == 1 else 0.0
            store_flat(d.sweep_half, d.world_first[w] + i, half)
            store_flat(d.sweep_target, d.world_first[w] + i, 0.0)
        if size == 3:
            keep_three(d, p, w, False)
        n += 1
        p += size
    d.world_nblock[w] = n
    d.world_pushes[w] = pushes
    d.world_cones[w] = cones if cones >= 0 else n
    d.sweep_block[W * n + w] = p
    d.sweep_size[W * n + w] = 0
    d.sweep_below[W * n + w] = 0
    first = d.world_first[w] // 8
    for e in range(first, first + (d.world_rows[w] + 7) // 8):
        d.sweep_last[e] = d.sweep_force[e]
    if d.want_solver:
        update_states(m, d, w)


@kernel
def next_pgs_sweep(m, d, w):
    """The end of a sweep, if there was one, and the beginning of the next; False if none is"""
    k, more, age = d.world_sweep[w], d.world_sweep[w] < m.opt.iterations, 0.0
    if k > 0:
        change, agreement = compare_forces(d, w)
        gain = (load_lane(d.world_gain, 0, w) - change) * d.world_scale[w]
        if d.want_solver:
            record_sweep(m, d, w, k - 1, gain)
        more = more and not gain < lane_item(m.opt.tolerance, w)
        # extrapolation starts anew if the sweep went back: (3)
        age = 0.0 if k > 1 and agreement < 0.0 else d.world_age[w] + 1.0
    if more:
        d.world_age[w] = age
        extrapolate(m, d, maximum((age - 1.0) / (age + 2.0), 0.0), w)
        d.world_order[w] = order_of(d, d.world_nblock[w], k, w)
        store_lane(d.world_gain, 0, w, 0.0)
    else:
        count_sweeps(d, w, k, d.world_rows[w])
    return more


# ---- extrapolation


@kernel(inline=True)
def extrapolate(m, d, weight, w):
    """sweep_force <= extrapolated (2), within its bounds, in sweep_ahead too; z follows."""
    first = d.world_first[w] // 8
    for e in range(first, first + (d.world_rows[w] + 7) // 8):
        f = d.sweep_force[e]
        ahead = f + (f - d.sweep_last[e]) * weight
        ahead = minimum(d.sweep_high[e], maximum(d.sweep_low[e], ahead))
        d.sweep_last[e] = f
        d.sweep_force[e] = ahead
        d.sweep_ahead[e] = ahead
    if m.opt.cone == CONE_ELLIPTIC and weight > 0.0:
        for n in range(d.world_cones[w], d.world_nblock[w]):
            if d.sweep_size[W * n + w] == 3:
                put_three_in_cone(d, d.sweep_block[W * n + w], w)
            elif d.sweep_size[W * n + w] > 3:
                put_in_cone(d, d.sweep_block[W * n + w], d.sweep_size[W * n + w], w)
        for e in range(first, first + (d.world_rows[w] + 7) // 8):
            d.sweep_ahead[e] = d.sweep_force[e]  # g of (3)
    if d.world_dense[w] == 0:
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


@kernel(inline=True)
def put_three_in_cone(d, p, w):
    """The same of three rows."""
    k, normal = 8 * (W * p + w) + FRICTION, force(d, p, w)
    f1, f2 = force(d, p + 1, w), force(d, p + 2, w)
    # squares times those of both coefficients, so that nothing is divided by these
    mu1, mu2 = load_flat(d.sweep_cone, k), load_flat(d.sweep_cone, k + 1)
    t1, t2, both = f1 * mu2, f2 * mu1, mu1 * mu2
    square = t1 * t1 + t2 * t2
    # without branches, of which nobody can guess where they go
    bound = where(normal < 0.0, 0.0, (normal * both) * (normal * both))
    scale = where(square > bound, sqrt(bound / maximum(square, MINVAL * (both * both))), 1.0)
    set_force(d, p, w, where(normal < 0.0, 0.0, normal))
    set_force(d, p + 1, w, f1 * scale)
    set_force(d, p + 2, w, f2 * scale)


@kernel(inline=True)
def compare_forces(d, w):
    """After a sweep: the change of the cost by rows that are not of cones; the left side of (3)

    The cost of a row is a parabola with its minimum at t. The force was within the bounds before,
    and went to the point nearest to t that is: so the cost does not grow, in spite of round-off.
    """
    first, change, agreement = d.world_first[w] // 8, 0.0, 0.0
    for e in range(first, first + (d.world_rows[w] + 7) // 8):
        g, f = d.sweep_ahead[e], d.sweep_force[e]
        df = f - g
        change = change + d.sweep_half[e] * df * (2.0 * (g - d.sweep_target[e]) + df)
        agreement = agreement + df * (g - d.sweep_last[e])
    return row_total(change), row_total(agreement)


# ---- visits


@kernel
def visit(d, p, w):
    """Set the force of row p to its best: (1)"""
    old = force(d, p, w)
    t = fma(residual(d, p, w, old), of_line(d, p, w, STEP), old)
    f = clipped(d, p, w, t, False)
    set_force(d, p, w, f)
    store_flat(d.sweep_target, d.world_first[w] + p, t)
    push(d, p, w, f - old)


@kernel(inline=True)
def visit_next(d, w):
    """The next row of a world that has no matrix."""
    visit(d, d.order[d.world_order[w] + d.world_at[w]], w)
    d.world_at[w] = d.world_at[w] + 1


@kernel
def visit_rows(d, w):
    """World w, which has its matrix, to the end of its sweep"""
    first = d.world_order[w]
    if d.world_pushes[w] == 1:
        for i in range(first + d.world_at[w], first + d.world_nblock[w], 4):
            visit_next_four(d, i, w, True)
    else:
        for i in range(first + d.world_at[w], first + d.world_nblock[w], 4):
            visit_next_four(d, i, w, False)
    d.world_at[w] = d.world_nblock[w]


@kernel
def visit_rows_of_two(d, w, v):
    """Two such worlds, in turns, until one of them is there"""
    left = min(d.world_nblock[w] - d.world_at[w], d.world_nblock[v] - d.world_at[v])
    i, j = d.world_order[w] + d.world_at[w], d.world_order[v] + d.world_at[v]
    if d.world_pushes[w] & d.world_pushes[v]:
        for k in range(0, left, 4):
            visit_next_four(d, i + k, w, True)
            visit_next_four(d, j + k, v, True)
    else:
        for k in range(0, left, 4):
            visit_next_four(d, i + k, w, False)
            visit_next_four(d, j + k, v, False)
    done = 4 * ((left + 3) // 4)
    d.world_at[w] = d.world_at[w] + done
    d.world_at[v] = d.world_at[v] + done


@kernel(inline=True)
def visit_next_four(d, i, w, pushes):
    """Four rows, those in `order` from i on."""
    visit_four(d, d.order[i], d.order[i + 1], d.order[i + 2], d.order[i + 3], w, pushes)


@kernel
def visit_run(d, w):
    """The rows of world w, which has its matrix, up to the next elliptic contact of its sweep; if
    that is of three rows, it is asked, too: whether it was

    The products of the contact's rows are those of the forces before the rows, and what these
    change is added. So they do not wait for them.
    """
    while True:
        i, none = d.world_order[w] + d.world_at[w], d.world_rows[w]
        # their places, counted from the end, as long as they are rows; then 0, which is none. The
        # sign is a mask: nobody can guess where a branch would go
        q0 = row_below(d, i, w)
        q1 = row_below(d, i + 1, w) & (q0 >> 63)
        q2 = row_below(d, i + 2, w) & (q1 >> 63)
        q3 = row_below(d, i + 3, w) & (q2 >> 63)
        if q1 == 0:
            # one row, or none
            c = W * d.order[i - (q0 >> 63)] + w
            if d.sweep_size[c] == 3:
                visit_one_and_ask(d, none + q0, d.sweep_block[c], w)
                d.world_at[w] = d.world_at[w] + 1 - (q0 >> 63)
                return True
        if q0 < 0:
            p0, p1, p2, p3 = none + q0, none + q1, none + q2, none + q3
            number = 1 - (q1 >> 63) - (q2 >> 63) - (q3 >> 63)
            c = W * d.order[i + number] + w
            d.world_at[w] = d.world_at[w] + number
            if q3 == 0 and d.sweep_size[c] == 3:
                p, n = d.sweep_block[c], d.world_dense[w]
                u = three_products(d, p, w)
                df = visit_four(d, p0, p1, p2, p3, w, False)
                a = 8 * (d.world_A[w] + n * p)
                u0 = with_changes(d, a, p0, p1, p2, p3, df, u[0])
                u1 = with_changes(d, a + 8 * n, p0, p1, p2, p3, df, u[1])
                u2 = with_changes(d, a + 16 * n, p0, p1, p2, p3, df, u[2])
                tell_three(d, p, w, u0, u1, u2)
                d.world_at[w] = d.world_at[w] + 1
                return True
            visit_four(d, p0, p1, p2, p3, w, False)
        if q3 == 0 or d.world_at[w] >= d.world_nblock[w]:
            return False


@kernel(inline=True)
def visit_one_and_ask(d, q, p, w):
    """Row q, which may be none, and then the contact of three rows from p on."""
    n, a, A = d.world_dense[w], d.world_A[w] + d.world_dense[w] * p, d.sweep_A
    u = four_products(d, d.world_A[w] + n * q, a, a + n, a + 2 * n, n, w)
    t = u[0] + of_line(d, q, w, ALONE)
    f, old = clipped(d, q, w, t, False), force(d, q, w)
    set_force(d, q, w, f)
    store_flat(d.sweep_target, d.world_first[w] + q, t)
    df, b = f - old, 8 * a + q
    u0, u1 = fma(load_flat(A, b), df, u[1]), fma(load_flat(A, b + 8 * n), df, u[2])
    tell_three(d, p, w, u0, u1, fma(load_flat(A, b + 16 * n), df, u[3]))


@kernel(inline=True)
def with_changes(d, a, p0, p1, p2, p3, df, u):
    """The product u of the row of the matrix that begins at number a, after changes of forces."""
    A = d.sweep_A
    u = fma(load_flat(A, a + p0), df[0], u)
    u = fma(load_flat(A, a + p1), df[1], u)
    u = fma(load_flat(A, a + p2), df[2], u)
    return fma(load_flat(A, a + p3), df[3], u)


@kernel(inline=True)
def row_below(d, i, w):
    """sweep_below of the i-th block of `order`, in world w."""
    return d.sweep_below[W * d.order[i] + w]


@kernel(inline=True)
def visit_four(d, p0, p1, p2, p3, w, pushes):
    """Four rows, one after the other (4): by how much their forces change

    `pushes` says that they only push. The row after the last one is none, and changes nothing.
    """
    n, a, at, A, f = d.world_dense[w], d.world_A[w], d.world_first[w], d.sweep_A, d.sweep_force
    a0, a1, a2, a3 = a + n * p0, a + n * p1, a + n * p2, a + n * p3
    u = four_products(d, a0, a1, a2, a3, n, w)
    f0, f1 = load_flat(f, at + p0), load_flat(f, at + p1)
    f2, f3 = load_flat(f, at + p2), load_flat(f, at + p3)
    # without these four, which come in again one by one
    A10, A20, A30 = load_flat(A, 8 * a1 + p0), load_flat(A, 8 * a2 + p0), load_flat(A, 8 * a3 + p0)
    A21, A31, A32 = load_flat(A, 8 * a2 + p1), load_flat(A, 8 * a3 + p1), load_flat(A, 8 * a3 + p2)
    t0, t1 = u[0] + of_line(d, p0, w, ALONE), u[1] + of_line(d, p1, w, ALONE)
    t2, t3 = u[2] + of_line(d, p2, w, ALONE), u[3] + of_line(d, p3, w, ALONE)
    t1, t2, t3 = fma(-f0, A10, t1), fma(-f0, A20, t2), fma(-f0, A30, t3)
    t2, t3 = fma(-f1, A21, t2), fma(-f1, A31, t3)
    t3 = fma(-f2, A32, t3)
    g0 = clipped(d, p0, w, t0, pushes)
    t1, t2, t3 = fma(g0, A10, t1), fma(g0, A20, t2), fma(g0, A30, t3)
    g1 = clipped(d, p1, w, t1, pushes)
    t2, t3 = fma(g1, A21, t2), fma(g1, A31, t3)
    g2 = clipped(d, p2, w, t2, pushes)
    t3 = fma(g2, A32, t3)
    g3 = clipped(d, p3, w, t3, pushes)
    store_flat(f, at + p0, g0)
    store_flat(f, at + p1, g1)
    store_flat(f, at + p2, g2)
    store_flat(f, at + p3, g3)
    store_flat(d.sweep_target, at + p0, t0)
    store_flat(d.sweep_target, at + p1, t1)
    store_flat(d.sweep_target, at + p2, t2)
    store_flat(d.sweep_target, at + p3, t3)
    return vec(g0 - f0, g1 - f1, g2 - f2, g3 - f3)


@kernel(inline=True)
def clipped(d, p, w, f, pushes):
    """A force of row p within its bounds, which are zero and infinity if it only `pushes`."""
    if pushes:
        return maximum(0.0, f)
    return minimum(of_line(d, p, w, HIGH), maximum(of_line(d, p, w, LOW), f))
