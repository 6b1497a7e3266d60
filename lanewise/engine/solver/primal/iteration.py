"""One iteration of a primal solver: where it is, which way it goes, how far it goes.

A solver has its point in qacc, M qacc (sol_Ma), J qacc - aref (slot_u, slot_w, row_jar) and the
gradient, and its direction in search, M search (sol_Mv) and J search (slot_du, slot_dw, row_dir).
So a move along the direction is a sum for each of these numbers, and J is not needed again.

How much a move has gained decides when to stop. Where that is little, compared to the costs, their
difference would be round-off, and the change is computed from the move itself (exact_change).
"""

from ....lanes import abs_, any_lane, kernel, maximum, not_, sqrt, where
from ....mjconst import INT_DISCRETE
from ...integrate.discrete import discrete_mul
from ...smooth.inertia import mul_m, solve
from .islands import begins, of_tree, to_tree
from .iteration_log import has_moved, record_iteration
from .linesearch import line_search, total_change
from .matrix_free import exact_change, forces_to_dofs, motion, move, mul_J_rows, slots_of_motion

ROUND_OFF = 1e-15  # of a sum of costs, relative to their size
SMALL = 1e-7  # a change of cost, relative to the costs, that their difference does not give well
UNSURE = 1e-12  # what their difference may be wrong by, and more


@kernel
def mul_metric(m, d, x, y):
    """y <= M x, with springs and dampers where they are implicit"""
    mul_m(m, d, x, y)
    if m.opt.integrator == INT_DISCRETE:
        discrete_mul(m, d, x, y)


@kernel
def begin(m, d, mine):
    """Every island of the worlds `mine` is to be solved; => gradient, island_square"""
    for t in range(m.ntree):
        d.island_run[t] = where(mine, 1.0, 0.0)
    gradient(m, d)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_run[t] = where(mine & begins(d, t), 1.0, 0.0)


@kernel
def stop(d, t, done):
    """Island t is done, in the worlds `done`."""
    d.island_run[t] = where(done, 0.0, d.island_run[t])


@kernel
def gradient(m, d):
    """(wrenches, row_force, Ma) => qfrc_constraint, grad = Ma - force - J' f; island_square

    Islands that are done keep their qfrc_constraint and have a gradient of zeros.
    """
    forces_to_dofs(m, d, d.sol_grad)
    for k in range(d.nrun_island):
        d.island_square[d.run_island[k]] = 0.0
    for t in range(m.ntree):
        run, square = of_tree(d, d.island_run, t) > 0.0, of_tree(d, d.island_square, t)
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            f = d.sol_grad[i]
            d.qfrc_constraint[i] = where(run, f, d.qfrc_constraint[i])
            g = where(run, d.sol_Ma[i] - d.sol_force[i] - f, 0.0)
            d.sol_grad[i] = g
            square = square + g * g
        to_tree(d, d.island_square, t, square)


@kernel
def direction(m, d):
    """sol_Mgrad => search, M search, J search; zeros where islands are done"""
    for t in range(m.ntree):
        run = of_tree(d, d.island_run, t) > 0.0
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            d.sol_search[i] = where(run, -d.sol_Mgrad[i], 0.0)
    multiply_search(m, d)


@kernel
def multiply_search(m, d):
    """search => M search, J search"""
    mul_metric(m, d, d.sol_search, d.sol_Mv)
    move_constraints(m, d)


@kernel
def move_constraints(m, d):
    """search => J search"""
    motion(m, d, d.sol_search, d.body_V)
    slots_of_motion(m, d, d.body_V, d.sol_search, d.slot_du, d.slot_dw, 0)
    mul_J_rows(m, d, d.sol_search, d.row_dir, 0)


@kernel
def iterate(m, d, k, is_newton):
    """Iteration k of all islands that are not done: to the minimum along search"""
    line_search(m, d, is_newton)
    move_along(m, d)
    if d.want_solver:
        record_iteration(m, d, k, is_newton)
    for e in range(d.nrun_island):
        t = d.run_island[e]
        # in MuJoCo's scale, which tolerances refer to
        scale = d.island_scale[t]
        norm, improvement = sqrt(d.island_square[t]) * scale, d.island_gain[t] * scale
        moved = has_moved(d, t)
        d.island_niter[t] = d.island_niter[t] + where(moved, 1.0, 0.0)
        # an island is done when it has gained little, or when its slope is small or not a number;
        # or when it has lost so little that there is nothing but round-off left to gain
        little = (improvement > 0.0) & (improvement < m.opt.tolerance)
        noise = (improvement <= 0.0) & (-d.island_gain[t] <= d.island_noise[t])
        stop(d, t, not_(moved) | little | noise | not_(norm >= m.opt.tolerance))


@kernel
def move_along(m, d):
    """Move by island_alpha => the point and the gradient there, island_gain"""
    # the change of the cost; from the move itself where a difference is mostly round-off, if that
    # matters
    move(m, d)
    some = False
    for k in range(d.nrun_island):
        t = d.run_island[k]
        change = total_change(d, t)
        small = (d.island_run[t] > 0.0) & not_(abs_(change) > SMALL * d.island_sum[t, 1])
        if not d.want_solver:
            # nor does it matter, if it is surely more than where the search would end
            least = (-change - UNSURE * d.island_sum[t, 1]) * d.island_scale[t]
            small = small & not_(least > m.opt.tolerance)
        d.island_gain[t] = -change
        d.island_noise[t] = ROUND_OFF * d.island_sum[t, 1]
        # of the costs after the move, twice: their sum with those before, and their difference
        d.island_blur[t] = ROUND_OFF * (d.island_sum[t, 1] + d.island_sum[t, 0])
        d.island_small[t] = where(small, 1.0, 0.0)
        some = some or any_lane(small)
    if some:
        exact_change(m, d, 1)
        for k in range(d.nrun_island):
            t = d.run_island[k]
            small = d.island_small[t] > 0.0
            d.island_gain[t] = where(small, -total_change(d, t), d.island_gain[t])
    # the rest of the point
    for t in range(m.ntree):
        alpha = of_tree(d, d.island_alpha, t)
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            d.qacc[i] = d.qacc[i] + alpha * d.sol_search[i]
            d.sol_Ma[i] = d.sol_Ma[i] + alpha * d.sol_Mv[i]
    gradient(m, d)


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
    """island_product <= 0.5 grad . sol_Mgrad, not less than 0"""
    for k in range(d.nrun_island):
        d.island_product[d.run_island[k]] = 0.0
    for t in range(m.ntree):
        total = of_tree(d, d.island_product, t)
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            total = total + d.sol_grad[i] * d.sol_Mgrad[i]
        to_tree(d, d.island_product, t, total)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        d.island_product[t] = maximum(0.0, 0.5 * d.island_product[t])
