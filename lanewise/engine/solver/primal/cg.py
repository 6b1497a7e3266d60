"""Nonlinear conjugate gradients, preconditioned with M: search = -inverse(M) grad + beta search.

beta is Hager and Zhang's. With y the change of the gradient g, and d the search direction,

    beta = (y . inverse(M) g - 2 (y . inverse(M) y) (d . g) / (d . y)) / (d . y)            (1)

bounded from below so that d is never orthogonal to the gradient:

    beta >= -1 / (|d| min(eta, |g|))                                                        (2)

An island has its own beta. Multiplied with M, the recurrence for the direction is one without M:

    M search = -grad + beta M search                                                        (3)
"""

from ....lanes import any_lane, bits, kernel, maximum, minimum, sqrt, vec, where
from ....mjconst import INT_DISCRETE, MINVAL
from ...spatial import zeros6
from ..slots import run_slots
from .islands import of_tree, running, to_tree
from .iteration import (
    begin,
    half_product,
    iterate,
    move_constraints,
    mul_metric,
    precondition,
    stop,
)
from .packed import list_packed

ETA = 0.01


@kernel
def conjugate_gradients(m, d, mine):
    """(qacc, jar, Ma at the start) => the minimum, of the worlds `mine`; island_niter"""
    # islands that are not at the minimum already
    begin(m, d, mine)
    precondition(m, d)
    half_product(m, d)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        stop(d, t, d.island_product[t] * d.island_scale[t] < m.opt.tolerance)
    # iterate; beta is 0 at first, and that is steepest descent
    before = 0
    for k in range(m.opt.iterations):
        run = running(d)
        if not any_lane(run):
            break
        # on, with the constraints that matter to worlds which are not done
        if bits(run) != before:
            run_slots(m, d, run)
            list_packed(m, d, run)
            before = bits(run)
        next_direction(m, d)
        iterate(m, d, k, 0)
        precondition(m, d)
        conjugate(m, d)


@kernel
def next_direction(m, d):
    """search <= beta search - Mgrad, zeros where islands are done; M search, J search; oldgrad,
    oldMgrad

    M search comes along, (3). With the discrete integrator M is more than what inverse(M) is of.
    """
    for t in range(m.ntree):
        run, beta = of_tree(d, d.island_run, t) > 0.0, of_tree(d, d.island_beta, t)
        # without the last direction where there is none
        again = run & (beta != 0.0)
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            g, Mg = d.sol_grad[i], d.sol_Mgrad[i]
            last = where(again, d.sol_search[i], 0.0)
            d.sol_search[i] = where(run, beta * last - Mg, 0.0)
            last = where(again, d.sol_Mv[i], 0.0)
            d.sol_Mv[i] = where(run, beta * last - g, 0.0)
            # the gradients here, for (1)
            d.sol_oldgrad[i] = g
            d.sol_oldMgrad[i] = Mg
    if m.opt.integrator == INT_DISCRETE:
        mul_metric(m, d, d.sol_search, d.sol_Mv)
    move_constraints(m, d)


@kernel
def conjugate(m, d):
    """island_beta, by (1) and (2)"""
    for k in range(d.nrun_island):
        d.island_conjugate[d.run_island[k]] = zeros6()
    for t in range(m.ntree):
        sums = of_tree(d, d.island_conjugate, t)
        dy, yMy, yMg, dg, dd, gg = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
        for i in range(m.tree_dofadr[t], m.tree_dofadr[t] + m.tree_dofnum[t]):
            v, g = d.sol_search[i], d.sol_grad[i]
            y, My = g - d.sol_oldgrad[i], d.sol_Mgrad[i] - d.sol_oldMgrad[i]
            dy, yMy, yMg = dy + v * y, yMy + y * My, yMg + y * d.sol_Mgrad[i]
            dg, dd, gg = dg + v * g, dd + v * v, gg + g * g
        to_tree(d, d.island_conjugate, t, vec(dy, yMy, yMg, dg, dd, gg))
    for k in range(d.nrun_island):
        t = d.run_island[k]
        sums = d.island_conjugate[t]
        dy, yMy, yMg, dg, dd, gg = sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
        # without a change along d, start again from steepest descent
        lost = dy < MINVAL
        per_dy = 1.0 / where(lost, 1.0, dy)
        beta = (yMg - 2.0 * (yMy * per_dy) * dg) * per_dy
        least = -1.0 / maximum(sqrt(dd) * minimum(ETA, sqrt(gg)), MINVAL)
        d.island_beta[t] = where(lost, 0.0, maximum(least, beta))
