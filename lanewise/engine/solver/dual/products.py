"""The residual of a row, and what a change of its force does to others, in one world.

Small islands have a matrix (matrix.py), eight numbers of a row in each Row, and forces stand in
Rows, too. With a_p = A_pp + R_p, row p is best off with the force

    t_p = -(sum of A_pq f_q over all others + b_p) / a_p                                    (1)
    r_p = (f_p - t_p) a_p                                                                   (2)

and the matrix has the numbers -A_pq / a_p, and zeros on its diagonal. Such a sum is made anew
whenever it is asked for, as MuJoCo does: nothing has to be kept up to date, and no round-off adds
up from sweep to sweep. Others have z = Y'f in dual_dof, see (4) and (5) of problem.py, and a row is
the short list of its dofs. world_dense says which it is: how many Rows a row of the matrix has, or
0.
"""

from ....lanes import (
    W,
    fma,
    kernel,
    load_flat,
    load_lane,
    row_total,
    row_totals,
    store_flat,
    store_lane,
    to_int,
)
from .lines import ALONE, HALF, B, R

DENSE = 64  # rows of an island that has its matrix; that is 8 Rows


@kernel(inline=True)
def of_line(d, p, w, k):
    """Number k of the line of row p: see lines.py."""
    return load_flat(d.sweep_line, 8 * (W * p + w) + k)


@kernel
def contact_of(d, p, w):
    """The contact that row p is of, or -1"""
    return to_int(load_lane(d.rec_contact, d.sweep_rec[W * p + w], w))


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
    n = d.world_dense[w]
    if n > 0:
        return slope(d, p, w, f, product(d, d.world_A[w] + n * p, n, w))
    return response(d, p, w) + (of_line(d, p, w, B) + of_line(d, p, w, R) * f)


@kernel(inline=True)
def product(d, a, n, w):
    """The row of the matrix that begins at Row a, times the forces."""
    first, total = d.world_first[w] // 8, 0.0
    for e in range(n):
        total = total + d.sweep_A[a + e] * d.sweep_force[first + e]
    return row_total(total)


@kernel(inline=True)
def four_products(d, a0, a1, a2, a3, n, w):
    """The same of four rows, which read the forces once."""
    at, A = d.world_first[w] // 8, d.sweep_A
    f = d.sweep_force[at]
    u0, u1, u2, u3 = A[a0] * f, A[a1] * f, A[a2] * f, A[a3] * f
    for e in range(1, n):
        f = d.sweep_force[at + e]
        u0, u1 = u0 + A[a0 + e] * f, u1 + A[a1 + e] * f
        u2, u3 = u2 + A[a2 + e] * f, u3 + A[a3 + e] * f
    return row_totals(u0, u1, u2, u3)


@kernel(inline=True)
def slope(d, p, w, f, u):
    """The residual of row p with force f, by its product u: (2)."""
    return (f - (u + of_line(d, p, w, ALONE))) * (2.0 * of_line(d, p, w, HALF))


@kernel(inline=True)
def push(d, p, w, df):
    """z, if there is one, after a change of the force of row p."""
    if d.world_dense[w] == 0:
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
    """z of world w, from its forces"""
    for p in range(d.world_rows[w]):
        clear_dofs(d, p, w)
    for p in range(d.world_rows[w]):
        push_dofs(d, p, w, force(d, p, w))


@kernel
def clear_dofs(d, p, w):
    """z <= 0 at the dofs of row p"""
    c = d.sweep_rec[W * p + w]
    for e in range(d.rec_nchain[c]):
        store_lane(d.dual_dof, d.dual_chain[d.rec_chain[c] + e], w, 0.0)
