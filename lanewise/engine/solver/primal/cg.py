"""Nonlinear conjugate gradients, preconditioned with M: search = -inverse(M) grad + beta search.

beta is Hager and Zhang's. With y the change of the gradient g, and d the search direction,

    beta = (y . inverse(M) g - 2 (y . inverse(M) y) (d . g) / (d . y)) / (d . y)            (1)

bounded from below so that d is never orthogonal to the gradient:

    beta >= -1 / (|d| min(eta, |g|))                                                        (2)

Where constraints leave several islands, MuJoCo has its iterations for each; here they add up.
"""

from ....lanes import any_lane, kernel, maximum, minimum, not_, splat, sqrt, where
from ....mjconst import MINVAL
from ..slots import run_slots
from .islands import island_number
from .iteration import gradient, half_product, iterate, multiply_search, precondition

ETA = 0.01


@kernel
def conjugate_gradients(m, d, scale, mine):
    """(qacc, jar, Ma at the start) => the minimum, of the worlds `mine`; iterations"""
    # worlds that are not at the minimum already
    gradient(m, d, mine & (scale > 0.0))
    precondition(m, d)
    most = m.opt.iterations * island_number(m, d)
    run = mine & (most > 0.0) & not_(half_product(m, d) * scale < m.opt.tolerance)
    iterations, k = splat(0.0), 0
    # steepest descent, to begin with
    for i in range(m.nv):
        d.sol_search[i] = where(run, -d.sol_Mgrad[i], 0.0)
    while any_lane(run):
        multiply_search(m, d)
        # the gradients here, for (1)
        for i in range(m.nv):
            d.sol_oldMgrad[i] = d.sol_Mgrad[i]
            d.sol_oldgrad[i] = d.sol_grad[i]
        # on, with the constraints that matter to worlds which are not done
        moved, run = iterate(m, d, k, run, scale, 0)
        iterations = iterations + where(moved, 1.0, 0.0)
        run_slots(m, d, run)
        k += 1
        run = run & (most > k)
        # the next direction
        precondition(m, d)
        beta = conjugate(m, d)
        for i in range(m.nv):
            d.sol_search[i] = where(run, beta * d.sol_search[i] - d.sol_Mgrad[i], 0.0)
    return iterations


@kernel
def conjugate(m, d):
    """beta, by (1) and (2)"""
    dy, yMy, yMg = splat(0.0), splat(0.0), splat(0.0)
    dg, dd, gg = splat(0.0), splat(0.0), splat(0.0)
    for i in range(m.nv):
        v, g = d.sol_search[i], d.sol_grad[i]
        y, My = g - d.sol_oldgrad[i], d.sol_Mgrad[i] - d.sol_oldMgrad[i]
        dy, yMy, yMg = dy + v * y, yMy + y * My, yMg + y * d.sol_Mgrad[i]
        dg, dd, gg = dg + v * g, dd + v * v, gg + g * g
    # without a change along d, start again from steepest descent
    lost = dy < MINVAL
    per_dy = 1.0 / where(lost, 1.0, dy)
    beta = (yMg - 2.0 * (yMy * per_dy) * dg) * per_dy
    least = -1.0 / maximum(sqrt(dd) * minimum(ETA, sqrt(gg)), MINVAL)
    return where(lost, 0.0, maximum(least, beta))
