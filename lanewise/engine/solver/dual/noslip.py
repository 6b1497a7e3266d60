"""Noslip: friction once more, as if it were not soft, after another solver has found the forces.

Dry friction, and the tangential forces of contacts (cones.py), are swept like in PGS but with
R = 0, in their order, with normal forces fixed. Of a pyramid, opposing edges are a pair: their sum
2c is fixed, and so is their normal force, while half their difference h is free. With
f = (c + h, c - h) the cost f'A f / 2 + b'f is a parabola in h, and its minimum

    h = -(c (A_00 - A_11) + b_0 - b_1) / (A_00 + A_11 - 2 A_01),     -c <= h <= c           (1)

where b = r - A f, from the residual r at the forces that are there.

Dry friction goes to x_p = f_p - r_p / A_pp, within its bounds. Where an island has its matrix, four
such rows are visited at a time, as in (4) of pgs.py: with t and a_p of products.py,

    x_p = t_p a_p / A_pp - sum of A_pq / A_pp df_q over the rows q before it, of these four     (2)

They come before all contacts.
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
    store_lane,
    to_int,
    vec,
)
from ....mjconst import CONE_ELLIPTIC, MINVAL, NISLAND, SOL_PGS
from .cones import TOO_MUCH, keep_three
from .lines import ALONE, HALF, HIGH, INFINITY, A, B, R
from .one_island import block_size, dim_of
from .products import (
    force,
    four_products,
    of_line,
    product,
    push,
    residual,
    set_force,
    slope,
    sum_anew,
)
from .qcqp import SMALL
from .states import count_sweeps, record_sweep, update_states


@kernel
def begin_noslip(m, d, w):
    """World w before the first sweep over the friction of its island"""
    # what has friction; an elliptic contact begins with its normal force, and of a pyramid two
    # edges are visited at a time
    n, p, dry = 0, 0, 0
    while p < d.world_rows[w]:
        size, dim = block_size(m, d, p, w), dim_of(d, p, w)
        if dim > 1 and m.opt.cone != CONE_ELLIPTIC:
            size = 2
        if dim > 1 or of_line(d, p, w, HIGH) < INFINITY:
            d.sweep_block[W * n + w] = p
            d.sweep_size[W * n + w] = size
            if size == 3:
                keep_three(d, p, w, True)
            n += 1
            dry += 1 if dim == 1 else 0
        p += size
    d.world_nblock[w] = n
    d.world_dry[w] = dry
    if d.world_dense[w] == 0 and not has_sum(m, d, w):
        sum_anew(d, w)
    if d.want_solver:
        update_states(m, d, w)
    # what R costs is gained before the first sweep
    gain = 0.0
    for p in range(d.world_rows[w]):
        f = force(d, p, w)
        gain += 0.5 * f * f * of_line(d, p, w, R)
    store_lane(d.world_gain, 0, w, gain)


@kernel(inline=True)
def has_sum(m, d, w):
    """Whether z is that of the forces of world w: as the rows were made, if they had room."""
    return m.opt.solver != SOL_PGS and lane_item(d.nefc, w) <= lane_item(d.dual_nrow, w)


@kernel
def next_noslip_sweep(m, d, w):
    """The end of a sweep, if there was one, and the beginning of the next; False if none is"""
    k, q, more = d.world_sweep[w], d.world_island[w], d.world_sweep[w] < m.opt.noslip_iterations
    if k > 0:
        # statistics go on after another solver's; done when a sweep gains too little
        before = to_int(load_lane(d.solver_niter, q, w)) if q < NISLAND else 0
        gain = load_lane(d.world_gain, 0, w) * d.world_scale[w]
        if d.want_solver:
            record_sweep(m, d, w, before + k - 1, gain)
        more = more and not gain < lane_item(m.opt.noslip_tolerance, w)
        store_lane(d.world_gain, 0, w, 0.0)
    if not more:
        count_sweeps(d, w, k, 0)
    return more


@kernel
def slide(d, p, w):
    """Dry friction of a dof or tendon"""
    # to the minimum, within the bounds
    old, a = force(d, p, w), maximum(of_line(d, p, w, A), MINVAL)
    r, high = hard_residual(d, p, w, old), of_line(d, p, w, HIGH)
    f = minimum(high, maximum(-high, old - r / a))
    set_force(d, p, w, f)
    push(d, p, w, f - old)
    gained(d, w, (f - old) * (0.5 * (f - old) * a + r))


@kernel
def slide_four(d, p, w):
    """Dry friction of four rows, one after the other (2), of a world that has its matrix"""
    n, A = d.world_dense[w], d.sweep_A
    a = d.world_A[w] + n * p
    u = four_products(d, a, a + n, a + 2 * n, a + 3 * n, n, w)
    s0, s1, s2, s3 = hard(d, p, w), hard(d, p + 1, w), hard(d, p + 2, w), hard(d, p + 3, w)
    x0, x1 = best(d, p, w, u[0], s0), best(d, p + 1, w, u[1], s1)
    x2, x3 = best(d, p + 2, w, u[2], s2), best(d, p + 3, w, u[3], s3)
    # what a row does to those after it
    b = 8 * (a + n) + p
    A10, A20, A30 = load_flat(A, b), load_flat(A, b + 8 * n), load_flat(A, b + 16 * n)
    A21, A31 = load_flat(A, b + 8 * n + 1), load_flat(A, b + 16 * n + 1)
    A32 = load_flat(A, b + 16 * n + 2)
    df = slide_to(d, p, w, x0)
    x1, x2, x3 = fma(A10 * s1, df, x1), fma(A20 * s2, df, x2), fma(A30 * s3, df, x3)
    df = slide_to(d, p + 1, w, x1)
    x2, x3 = fma(A21 * s2, df, x2), fma(A31 * s3, df, x3)
    df = slide_to(d, p + 2, w, x2)
    slide_to(d, p + 3, w, fma(A32 * s3, df, x3))


@kernel(inline=True)
def hard(d, p, w):
    """a_p / A_pp of (2)."""
    return 2.0 * of_line(d, p, w, HALF) / maximum(of_line(d, p, w, A), MINVAL)


@kernel(inline=True)
def best(d, p, w, u, scale):
    """x_p of (2) before any other changes, by the product u of row p."""
    return (u + of_line(d, p, w, ALONE)) * scale


@kernel(inline=True)
def slide_to(d, p, w, x):
    """The force of row p <= x within its bounds; by how much it changes."""
    old, high = force(d, p, w), of_line(d, p, w, HIGH)
    f = minimum(high, maximum(-high, x))
    set_force(d, p, w, f)
    df = f - old
    gained(d, w, df * (0.5 * df + (old - x)) * maximum(of_line(d, p, w, A), MINVAL))
    return df


@kernel(inline=True)
def gained(d, w, change):
    """world_gain, after a change of the cost."""
    store_lane(d.world_gain, 0, w, load_lane(d.world_gain, 0, w) - change)


@kernel
def hard_residual(d, p, w, f):
    """The residual without R"""
    return residual(d, p, w, f) - of_line(d, p, w, R) * f


@kernel
def slide_edges(d, p, w):
    """A pair of opposing edges of a pyramid"""
    # both rows as they are now, without R
    f0, f1 = force(d, p, w), force(d, p + 1, w)
    if d.world_dense[w] > 0:
        r0, r1, A01 = edges_of_matrix(d, p, w, f0, f1)
        change_edges(d, p, w, f0, f1, r0, r1, A01)
    else:
        r0, r1, A01 = edges_of_dofs(d, p, w)
        r0 = r0 + (of_line(d, p, w, B) + of_line(d, p, w, R) * f0) - of_line(d, p, w, R) * f0
        r1 = r1 + (of_line(d, p + 1, w, B) + of_line(d, p + 1, w, R) * f1)
        r1 = r1 - of_line(d, p + 1, w, R) * f1
        push_edges(d, p, w, change_edges(d, p, w, f0, f1, r0, r1, A01))


@kernel
def slide_two_pairs(d, p, w):
    """Two pairs, one after the other, of a world that has its matrix: one pass over its forces"""
    n, A = d.world_dense[w], d.sweep_A
    a = d.world_A[w] + n * p
    u = four_products(d, a, a + n, a + 2 * n, a + 3 * n, n, w)
    f0, f1, f2, f3 = force(d, p, w), force(d, p + 1, w), force(d, p + 2, w), force(d, p + 3, w)
    r0, r1 = hard_slope(d, p, w, f0, u[0]), hard_slope(d, p + 1, w, f1, u[1])
    df = change_edges(d, p, w, f0, f1, r0, r1, edge_in_matrix(d, p, w))
    # what the first pair does to the second
    b, c = 8 * (a + 2 * n) + p, 8 * (a + 3 * n) + p
    u2 = fma(load_flat(A, b + 1), df[1], fma(load_flat(A, b), df[0], u[2]))
    u3 = fma(load_flat(A, c + 1), df[1], fma(load_flat(A, c), df[0], u[3]))
    r2, r3 = hard_slope(d, p + 2, w, f2, u2), hard_slope(d, p + 3, w, f3, u3)
    change_edges(d, p + 2, w, f2, f3, r2, r3, edge_in_matrix(d, p + 2, w))


@kernel(inline=True)
def change_edges(d, p, w, f0, f1, r0, r1, A01):
    """The forces of a pair <= their best (1), from residuals without R; by how much they change"""
    A00, A11 = maximum(of_line(d, p, w, A), SMALL), maximum(of_line(d, p + 1, w, A), SMALL)
    # without curvature, equal forces
    mid, half, curvature = 0.5 * (f0 + f1), 0.0, A00 + A11 - A01 - A01
    if curvature >= MINVAL:
        b0 = r0 - A00 * f0 - A01 * f1
        b1 = r1 - A01 * f0 - A11 * f1
        half = maximum(-(mid * (A00 - A11) + b0 - b1) / curvature, -mid)
        if half > mid:
            half = mid
    # a change for the worse, by ill-conditioned numbers, is not made
    g, h = mid + half - f0, mid - half - f1
    change = g * r0 + h * r1 + 0.5 * (g * g * A00 + h * h * A11) + g * h * A01
    if change > TOO_MUCH:
        return vec(0.0, 0.0)
    set_force(d, p, w, mid + half)
    set_force(d, p + 1, w, mid - half)
    gained(d, w, change)
    return vec(g, h)


@kernel(inline=True)
def edges_of_matrix(d, p, w, f0, f1):
    """Residuals without R of rows p and p + 1, and their A: see products.py."""
    n = d.world_dense[w]
    a = d.world_A[w] + n * p
    r0 = hard_slope(d, p, w, f0, product(d, a, n, w))
    r1 = hard_slope(d, p + 1, w, f1, product(d, a + n, n, w))
    return r0, r1, edge_in_matrix(d, p, w)


@kernel(inline=True)
def hard_slope(d, p, w, f, u):
    """The residual without R of row p with force f, by its product u."""
    return slope(d, p, w, f, u) - of_line(d, p, w, R) * f


@kernel(inline=True)
def edge_in_matrix(d, p, w):
    """A of rows p and p + 1."""
    a = 8 * (d.world_A[w] + d.world_dense[w] * p)
    return -2.0 * of_line(d, p, w, HALF) * load_flat(d.sweep_A, a + p + 1)


@kernel
def edges_of_dofs(d, p, w):
    """Y . z of rows p and p + 1, edges of the same contact, and their A"""
    c, y0, y1, A01 = d.sweep_rec[W * p + w], 0.0, 0.0, 0.0
    chain, rows, at = d.rec_chain[c], d.rec_rows[c], d.rec_Y[c] + d.sweep_edge[W * p + w]
    for e in range(d.rec_nchain[c]):
        z = load_lane(d.dual_dof, d.dual_chain[chain + e], w)
        a, b = load_lane(d.dual_Y, at, w), load_lane(d.dual_Y, at + 1, w)
        y0, y1, A01 = fma(a, z, y0), fma(b, z, y1), fma(a, b, A01)
        at += rows
    return y0, y1, A01


@kernel
def push_edges(d, p, w, df):
    """z after changes of their forces"""
    c = d.sweep_rec[W * p + w]
    chain, rows, at = d.rec_chain[c], d.rec_rows[c], d.rec_Y[c] + d.sweep_edge[W * p + w]
    for e in range(d.rec_nchain[c]):
        k = d.dual_chain[chain + e]
        z = fma(load_lane(d.dual_Y, at, w), df[0], load_lane(d.dual_dof, k, w))
        store_lane(d.dual_dof, k, w, fma(load_lane(d.dual_Y, at + 1, w), df[1], z))
        at += rows
