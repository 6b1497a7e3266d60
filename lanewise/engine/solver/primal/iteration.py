"""One iteration of a primal solver: where it is, which way it goes, how far it goes.

A solver has its point in qacc, M qacc (sol_Ma), J qacc - aref (slot_u, slot_w, row_jar) and the
gradient, and its direction in search, M search (sol_Mv) and J search (slot_du, slot_dw, row_dir).
So a move along the direction is a sum for each of these numbers, and J is not needed again.

How much a move has gained decides when to stop. Where that is little, compared to the costs, their
difference would be round-off, and the change is computed from the move itself (exact_change).
"""

from ....lanes import abs_, any_lane, kernel, maximum, not_, splat, sqrt, where
from ....mjconst import INT_DISCRETE
from ...integrate.discrete import discrete_mul
from ...smooth.inertia import mul_m, solve
from .iteration_log import record_iteration
from .linesearch import line_search
from .matrix_free import exact_change, forces_to_dofs, motion, move, mul_J_rows, slots_of_motion

ROUND_OFF = 1e-13  # of a sum of costs, relative to their size
SMALL = 1e-7  # a change of cost, relative to the costs, that their difference does not give well


@kernel
def mul_metric(m, d, x, y):
    """y <= M x, with springs and dampers where they are implicit"""
    mul_m(m, d, x, y)
    if m.opt.integrator == INT_DISCRETE:
        discrete_mul(m, d, x, y)


@kernel
def gradient(m, d, run):
    """(wrenches, row_force, Ma) => qfrc_constraint, grad = Ma - force - J' f; its square

    Worlds that do not run keep their qfrc_constraint and have a gradient of zeros.
    """
    forces_to_dofs(m, d, d.sol_grad)
    square = splat(0.0)
    for i in range(m.nv):
        f = d.sol_grad[i]
        d.qfrc_constraint[i] = where(run, f, d.qfrc_constraint[i])
        g = where(run, d.sol_Ma[i] - d.sol_force[i] - f, 0.0)
        d.sol_grad[i] = g
        square = square + g * g
    return square


@kernel
def direction(m, d, run):
    """sol_Mgrad => search, M search, J search; zeros in worlds that do not run"""
    for i in range(m.nv):
        d.sol_search[i] = where(run, -d.sol_Mgrad[i], 0.0)
    multiply_search(m, d)


@kernel
def multiply_search(m, d):
    """search => M search, J search"""
    mul_metric(m, d, d.sol_search, d.sol_Mv)
    motion(m, d, d.sol_search, d.body_V)
    slots_of_motion(m, d, d.body_V, d.slot_du, d.slot_dw, 0)
    mul_J_rows(m, d, d.sol_search, d.row_dir, 0)


@kernel
def iterate(m, d, k, run, scale, is_newton):
    """Iteration k: to the minimum along search; (worlds that moved, those that go on)"""
    alpha, quadratic, lineslope, count = line_search(m, d, run, scale, is_newton)
    square, gain, alpha = move_along(m, d, alpha, quadratic, run)
    # in MuJoCo's scale, which tolerances refer to
    norm, improvement = sqrt(square) * scale, gain * scale
    moved = run & (alpha != 0.0)
    record_iteration(m, d, k, moved, alpha, improvement, norm, lineslope * scale, count)
    # a world stops when it has gained little, or when the slope is small
    little = (improvement > 0.0) & (improvement < m.opt.tolerance)
    return moved, moved & not_(little | (norm < m.opt.tolerance))


@kernel
def move_along(m, d, alpha, quadratic, run):
    """Move by alpha; (square of the gradient there, gain in cost, by how much it moved)

    quadratic is the change of the quadratic part of the cost.
    """
    # the change of the cost; from the move itself where a difference is mostly round-off
    of_constraints, size = move(m, d, alpha)
    change, noise = quadratic + of_constraints, ROUND_OFF * size
    small = run & not_(abs_(change) > SMALL * size)
    if any_lane(small):
        change = where(small, quadratic + exact_change(m, d, alpha), change)
    # a line search that made things worse has failed: take the move back
    worse = run & (alpha != 0.0) & not_(change <= noise)
    if any_lane(worse):
        move(m, d, where(worse, -alpha, 0.0))
        alpha = where(worse, 0.0, alpha)
    # the rest of the point
    for i in range(m.nv):
        d.qacc[i] = d.qacc[i] + alpha * d.sol_search[i]
        d.sol_Ma[i] = d.sol_Ma[i] + alpha * d.sol_Mv[i]
    return gradient(m, d, run), where(worse, 0.0, -change), alpha


@kernel
def precondition(m, d):
    """sol_Mgrad = inverse(M) grad"""
    for i in range(m.nv):
        d.sol_Mgrad[i] = d.sol_grad[i]
    if m.opt.integrator == INT_DISCRETE:
        solve(m, d.H_factor, d.qHDiagInv, d.sol_Mgrad)
    else:
        solve(m, d.M_factor, d.qLDiagInv, d.sol_Mgrad)


@kernel
def half_product(m, d):
    """0.5 grad . sol_Mgrad"""
    total = splat(0.0)
    for i in range(m.nv):
        total = total + d.sol_grad[i] * d.sol_Mgrad[i]
    return maximum(0.5 * total, 0.0)
