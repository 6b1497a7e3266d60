"""Noslip: friction once more, as if it were not soft, after another solver has found the forces.

Dry friction, and the tangential forces of contacts, are swept like in PGS but with R = 0, with
normal forces fixed. Of a pyramid, opposing edges are a pair: their sum 2c is fixed, and so is their
normal force, while half their difference h is free. With f = (c + h, c - h) the cost
f'A f / 2 + b'f is a parabola in h, and its minimum

    h = -(c (A_00 - A_11) + b_0 - b_1) / (A_00 + A_11 - 2 A_01),     -c <= h <= c           (1)

where b = r - A f, from the residual r at the forces that are there.
"""

from ....lanes import kernel, lane_item, load_lane, maximum, to_int
from ....mjconst import CNSTR_CONTACT_ELLIPTIC, CNSTR_CONTACT_PYRAMIDAL, MINVAL, NISLAND
from .block import accept, update_friction
from .products import push, respond, response, row_dot
from .qcqp import SMALL
from .world import block_size, is_dry_friction, record_sweep, update_states


@kernel
def noslip_island(m, d, first, n, scale, island, w):
    """dual_force of n rows of dual_row => friction without regularization; the sweeps it took"""
    # z of problem.py, and states, at the forces that are there
    respond(m, d, first, n, w)
    update_states(d, first, n, w)
    # what R costs is gained before the first sweep
    gain = 0.0
    for p in range(first, first + n):
        i = d.dual_row[p]
        gain += 0.5 * d.dual_force[i] * d.dual_force[i] * d.dual_R[i]
    # statistics go on after another solver's
    before = to_int(load_lane(d.solver_niter, island, w)) if island < NISLAND else 0
    sweeps, done = 0, False
    while sweeps < m.opt.noslip_iterations and not done:
        # one sweep over what has friction; an elliptic contact begins with its normal force, and
        # of a pyramid two edges are visited at a time
        p = first
        while p < first + n:
            i = d.dual_row[p]
            kind, size = d.dual_kind[i], block_size(d, i, w)
            if is_dry_friction(kind):
                gain -= slide(d, i, w)
            elif kind == CNSTR_CONTACT_ELLIPTIC:
                gain -= slide_contact(d, i + 1, size - 1, w)
            elif kind == CNSTR_CONTACT_PYRAMIDAL:
                gain -= slide_edges(d, i, w)
                size = 2
            p += size
        # done when a sweep gains too little
        record_sweep(d, island, before + sweeps, gain * scale, first, n, w)
        done = gain * scale < lane_item(m.opt.noslip_tolerance, w)
        gain = 0.0
        sweeps += 1
    update_states(d, first, n, w)
    return sweeps


@kernel
def slide(d, i, w):
    """Dry friction of a dof or tendon; the change of the cost"""
    # to the minimum, within the bounds
    old, a = d.dual_force[i], maximum(row_dot(d, i, i, w), MINVAL)
    residual = d.dual_b[i] + response(d, i, w)
    f = maximum(old - residual / a, -d.dual_loss[i])
    if f > d.dual_loss[i]:
        f = d.dual_loss[i]
    d.dual_force[i] = f
    push(d, i, f - old, w)
    return (f - old) * (0.5 * (f - old) * a + residual)


@kernel
def slide_edges(d, i, w):
    """A pair of opposing edges of a pyramid; the change of the cost"""
    hard_block(d, i, 2, w)
    # (1); without curvature, equal forces
    f0, f1 = d.block_old[0], d.block_old[1]
    A00, A01, A11 = d.block_A[0], d.block_A[1], d.block_A[3]
    mid, half, curvature = 0.5 * (f0 + f1), 0.0, A00 + A11 - A01 - A01
    if curvature >= MINVAL:
        b0 = d.block_residual[0] - A00 * f0 - A01 * f1
        b1 = d.block_residual[1] - A01 * f0 - A11 * f1
        half = maximum(-(mid * (A00 - A11) + b0 - b1) / curvature, -mid)
        if half > mid:
            half = mid
    d.dual_force[i] = mid + half
    d.dual_force[i + 1] = mid - half
    return accept(d, i, 2, w)


@kernel
def slide_contact(d, i, size, w):
    """Friction from row i on of an elliptic contact; the change of the cost"""
    hard_block(d, i, size, w)
    update_friction(d, i, size, 0, w)
    return accept(d, i, size, w)


@kernel
def hard_block(d, i, size, w):
    """block_* of rows that have no R"""
    for r in range(size):
        d.block_old[r] = d.dual_force[i + r]
        d.block_residual[r] = d.dual_b[i + r] + response(d, i + r, w)
        for c in range(r + 1):
            a = row_dot(d, i + r, i + c, w)
            if r == c:
                a = maximum(a, SMALL)
            d.block_A[size * r + c] = a
            d.block_A[size * c + r] = a
