"""A block of rows that a dual solver updates together: a contact, or a pair of edges.

block_old, block_residual and block_A hold the forces f before, and the slope r and curvature A of
the cost there; the new forces are in dual_force. With df = f_new - f the cost changes by

    df . r + df' A df / 2                                                                   (1)

As a function of the new forces x of some rows, with all others fixed, it is, up to a constant,

    x' A x / 2 + x . (r - A f + A_o df_o)                                                   (2)

where df_o is what the other rows of the block have changed by already: the normal force.
"""

from ....lanes import kernel, load_lane
from ....mjconst import MINVAL
from .products import push
from .qcqp import solve_friction

TOO_MUCH = 1e-10  # a change that raises the cost by more is undone


@kernel
def update_friction(d, i, size, first, w):
    """dual_force <= the best friction under the normal force; from block row `first` on is friction

    The normal force has changed already, if it is a part of the block.
    """
    # the row before friction is the normal force, in the block or not
    k, n = d.dual_id[i], size - first
    normal = d.dual_force[i - 1 + first]
    # nothing pushes: nothing rubs
    if normal < MINVAL:
        for j in range(first, size):
            d.dual_force[i + j] = 0.0
        return
    # the problem (2) in the n directions of friction
    for r in range(n):
        row = size * (r + first)
        b = d.block_residual[r + first]
        if first > 0:
            b += d.block_A[row] * (normal - d.block_old[0])
        for c in range(n):
            a = d.block_A[row + c + first]
            d.qcqp_A[n * r + c] = a
            b -= a * d.block_old[c + first]
        d.qcqp_b[r] = b
        d.qcqp_mu[r] = load_lane(d.contact.friction, (k, r), w)
    # its minimum in the ellipsoid of radius `normal`
    solve_friction(d, n, normal)
    for j in range(n):
        d.dual_force[i + first + j] = d.qcqp_x[j]


@kernel
def accept(d, i, size, w):
    """z += Y'(change of the block's forces), or undo it; by how much the cost changed"""
    # (1)
    change = 0.0
    for r in range(size):
        df = d.dual_force[i + r] - d.block_old[r]
        change += df * d.block_residual[r]
        for c in range(size):
            change += 0.5 * df * d.block_A[size * r + c] * (d.dual_force[i + c] - d.block_old[c])
    # a change for the worse, by ill-conditioned numbers, is undone
    for r in range(size):
        if change > TOO_MUCH:
            d.dual_force[i + r] = d.block_old[r]
        else:
            push(d, i + r, d.dual_force[i + r] - d.block_old[r], w)
    return 0.0 if change > TOO_MUCH else change
