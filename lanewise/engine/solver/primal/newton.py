"""Newton's method: search = -inverse(H) grad, then an exact line search.

A world stops when its last reduction of the cost, the norm of its gradient, or the reduction that
Newton's model predicts for the next step

    grad' inverse(H) grad / 2                                                               (1)

is below the tolerance. From then on it has a search direction of zeros and does not move. The
Hessian is made only for the worlds that go on.

H is never less than M, so what can still be gained is never more than

    grad' inverse(M) grad / 2                                                               (2)

A world whose start is within the tolerance by (2) needs no Hessian at all.
"""

from ....lanes import any_lane, kernel, not_, splat, sqrt, where
from ..heap.factor import heap_factor, heap_solve
from ..heap.hessian import first_heap_hessian
from ..slots import run_slots
from .factor import factor_H, solve_H
from .hessian import first_hessian, update_hessian
from .iteration import direction, gradient, half_product, iterate, precondition


@kernel
def newton(m, d, scale, mine):
    """(qacc, jar, Ma at the start) => the minimum, of the worlds `mine`; iterations"""
    # worlds that are at the minimum already, to begin with
    norm = sqrt(gradient(m, d, scale > 0.0)) * scale
    flat = norm < m.opt.tolerance
    run = mine & not_(flat & (gap(m, d, flat) * scale < m.opt.tolerance))
    iterations = splat(0.0)
    if not any_lane(run):
        return iterations
    # the first Hessian and direction
    if d.is_heap == 1:
        first_heap_hessian(m, d)
    else:
        first_hessian(m, d)
    refactor(m, d, run)
    predicted = newton_direction(m, d, run) * scale
    run = run & not_(flat & (predicted < m.opt.tolerance))
    # iterate; from one to the next the Hessian changes by what constraints have changed
    for k in range(m.opt.iterations):
        if not any_lane(run):
            break
        direction(m, d, run)
        moved, run = iterate(m, d, k, run, scale, 1)
        iterations = iterations + where(moved, 1.0, 0.0)
        if not any_lane(run):
            break
        refactor(m, d, run)
        predicted = newton_direction(m, d, run) * scale
        run = run & not_(predicted < m.opt.tolerance)
    return iterations


@kernel
def refactor(m, d, run):
    """The Hessian where the worlds of `run` are now, and its factor"""
    run_slots(m, d, run)
    update_hessian(m, d)
    if d.is_heap == 1:
        heap_factor(m, d, run)
    else:
        factor_H(m, d, run)


@kernel
def gap(m, d, flat):
    """(2), which bounds what can still be gained; only where `flat`"""
    if not any_lane(flat):
        return splat(0.0)
    precondition(m, d)
    return half_product(m, d)


@kernel
def newton_direction(m, d, run):
    """sol_Mgrad = inverse(H) grad, of the worlds that run; the predicted reduction (1)"""
    if d.is_heap == 1:
        heap_solve(m, d, run)
        return half_product(m, d)
    # dofs stand in groups of three places, of which some are empty
    for k in range(m.nplace):
        d.sol_x[k] = 0.0
    for i in range(m.nv):
        d.sol_x[3 * m.dof_group[i] + m.dof_inner[i]] = where(run, d.sol_grad[i], 0.0)
    solve_H(m, d)
    for i in range(m.nv):
        d.sol_Mgrad[i] = d.sol_x[3 * m.dof_group[i] + m.dof_inner[i]]
    return half_product(m, d)
