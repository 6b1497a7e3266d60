"""The residual of a row, and what a change of its force does to others, in one world.

Small islands have their matrix A + R (matrix.py), and sweep_u is the residual of all rows,

    u = (A + R) f + b,     u += (A + R)_p df                                                (1)

eight rows in each Row. Others have z = Y'f in dual_dof, see (4) and (5) of problem.py, and a row is
the short list of its dofs. world_dense says which it is: how many Rows u has, or 0.
"""

from ....lanes import W, fma, kernel, load_flat, load_lane, store_flat, store_lane
from .lines import B, R

DENSE = 64  # rows of an island that has its matrix; that is 8 Rows


@kernel(inline=True)
def of_line(d, p, w, k):
    """Number k of the line of row p: see lines.py."""
    return load_flat(d.sweep_line, 8 * (W * p + w) + k)


@kernel(inline=True)
def force(d, p, w):
    """Of row p."""
    return load_flat(d.sweep_force, d.world_first[w] + p)


@kernel(inline=True)
def set_force(d, p, w, f):
    store_flat(d.sweep_force, d.world_first[w] + p, f)


@kernel(inline=True)
def residual(d, p, w, f):
    """The slope of the cost by the force of row p, which is f."""
    if d.world_dense[w] > 0:
        return load_flat(d.sweep_u, DENSE * w + p)
    return response(d, p, w) + (of_line(d, p, w, B) + of_line(d, p, w, R) * f)


@kernel(inline=True)
def push(d, p, w, df):
    """u or z, after a change of the force of row p."""
    n = d.world_dense[w]
    if n > 0:
        a = d.world_A[w] + n * p
        for e in range(n):
            d.sweep_u[8 * w + e] = d.sweep_u[8 * w + e] + d.sweep_A[a + e] * df
    else:
        push_dofs(d, p, w, df)


@kernel
def response(d, p, w):
    """Y_p . z"""
    c, total = d.sweep_rec[W * p + w], 0.0
    chain, y, rows = d.rec_chain[c], d.rec_Y[c] + d.sweep_edge[W * p + w], d.rec_rows[c]
    for e in range(d.rec_nchain[c]):
        z = load_lane(d.dual_dof, d.dual_chain[chain + e], w)
        total = fma(load_lane(d.dual_Y, y + e * rows, w), z, total)
    return total


@kernel
def push_dofs(d, p, w, df):
    """z += Y_p df"""
    c = d.sweep_rec[W * p + w]
    chain, y, rows = d.rec_chain[c], d.rec_Y[c] + d.sweep_edge[W * p + w], d.rec_rows[c]
    for e in range(d.rec_nchain[c]):
        k = d.dual_chain[chain + e]
        z = fma(load_lane(d.dual_Y, y + e * rows, w), df, load_lane(d.dual_dof, k, w))
        store_lane(d.dual_dof, k, w, z)


@kernel
def sum_anew(d, w):
    """u or z of world w, from its forces"""
    rows, n = d.world_rows[w], d.world_dense[w]
    if n == 0:
        for p in range(rows):
            clear_dofs(d, p, w)
        for p in range(rows):
            push_dofs(d, p, w, force(d, p, w))
        return
    d.sweep_u[8 * w + n - 1] = 0.0
    for p in range(rows):
        store_flat(d.sweep_u, DENSE * w + p, of_line(d, p, w, B))
    for e in range(n):
        u, a = d.sweep_u[8 * w + e], d.world_A[w] + e
        for p in range(rows):
            u = u + d.sweep_A[a + n * p] * force(d, p, w)
        d.sweep_u[8 * w + e] = u


@kernel
def clear_dofs(d, p, w):
    """z <= 0 at the dofs of row p"""
    c = d.sweep_rec[W * p + w]
    for e in range(d.rec_nchain[c]):
        store_lane(d.dual_dof, d.dual_chain[d.rec_chain[c] + e], w, 0.0)
