"""Newton's method: search = -inverse(H) grad, then an exact line search.

An island stops when its last reduction of the cost, the norm of its gradient, or the reduction that
Newton's model predicts for the next step

    grad' inverse(H) grad / 2                                                               (1)

is below the tolerance. From then on it has a search direction of zeros and does not move. The
Hessian is made only for the worlds that go on. It has nothing between islands, so neither has its
inverse.

H is never less than M, so what can still be gained is never more than

    grad' inverse(M) grad / 2                                                               (2)

Where (1) is less than the round-off of the cost, a line search would be led by round-off: there the
step is taken as a whole. That matters where constraints are so stiff that little else is left of
the cost: a step that is right for the rest, but not 1, would multiply what is left of their slope.

An island whose start is within the tolerance by (2) needs no Hessian at all.

A gang iterates until the last of its worlds is done. Where only one is left it goes on alone: the
same kernels, compiled one lane wide, take its numbers out of the lanes, at half the cost.
"""

from ....lanes import W, any_lane, bits, kernel, mask_item, sqrt, where
from ....lanes.calls import world_of
from ..slots import run_slots
from .factor import factor_H, solve_H
from .hessian import make_hessian
from .islands import running
from .iteration import begin, direction, half_product, iterate, precondition, stop
from .kept_hessians import begin_search, catch_up, is_kept, keep


@kernel
def newton(m, d, mine):
    """(qacc, jar, Ma at the start) => the minimum, of the worlds `mine`; island_niter"""
    begin_newton(m, d, mine)
    if not any_lane(running(d)):
        return
    # the first Hessian and direction
    begin_search(m, d, mine)
    refactor(m, d, running(d), 0)
    newton_direction(m, d)
    stop_by_prediction(m, d, 1)
    descend(m, d, 0, 1)


@kernel
def descend(m, d, first, together):
    """Iterations from number `first` on; the worlds of a gang `together`, until one is left"""
    for k in range(first, m.opt.iterations):
        if not any_lane(running(d)):
            break
        direction(m, d)
        iterate(m, d, k, 1)
        run = running(d)
        if not any_lane(run):
            break
        if W > 1 and together == 1 and d.kept_path == 0 and is_one(run):
            go_on_alone(m, d, run, k + 1)
            break
        # from one iteration to the next the Hessian changes by what constraints have changed
        next_direction(m, d, run, k + 1)


@kernel
def next_direction(m, d, run, k):
    """The direction of iteration k, of the worlds `run`; islands that need none are done"""
    refactor(m, d, run, k)
    newton_direction(m, d)
    stop_by_prediction(m, d, 0)


@kernel(inline=True)
def is_one(run):
    """Whether just one world goes on."""
    some = bits(run)
    return some & (some - 1) == 0


@kernel
def go_on_alone(m, d, run, k):
    """Iterations from number k on, of the one world of `run`"""
    for w in range(W):
        if mask_item(run, w):
            newton_alone(world_of(m, w), world_of(d, w), k)


@kernel
def newton_alone(m, d, k):
    """Iterations from number k on, of a world whose gang has made those before"""
    next_direction(m, d, running(d), k)
    descend(m, d, k, 0)
    return 0


@kernel
def begin_newton(m, d, mine):
    """island_run, gradient, island_flat: islands that are at the minimum already are done"""
    begin(m, d, mine)
    some_flat = False
    for k in range(d.nrun_island):
        t = d.run_island[k]
        flat = sqrt(d.island_square[t]) * d.island_scale[t] < m.opt.tolerance
        d.island_flat[t] = where(flat, 1.0, 0.0)
        some_flat = some_flat or any_lane(flat)
    if some_flat:
        precondition(m, d)
        stop_by_prediction(m, d, 1)


@kernel
def stop_by_prediction(m, d, flat_only):
    """Islands are done if grad . sol_Mgrad / 2 says that little can be gained

    At the start, flat_only, only if their gradient is small, too.
    """
    half_product(m, d)
    for k in range(d.nrun_island):
        t = d.run_island[k]
        product = d.island_product[t]
        little = product * d.island_scale[t] < m.opt.tolerance
        stop(d, t, little & (d.island_flat[t] >= flat_only))
        d.island_whole[t] = where(product < d.island_blur[t], 1.0, 0.0)


@kernel
def refactor(m, d, run, k):
    """The Hessian where the worlds of `run` are now, number k of the search, and its factor"""
    run_slots(m, d, run)
    if is_kept(m, d, run, k):
        d.H_kept = k
        return
    catch_up(m, d, k)
    make_hessian(m, d, k)
    factor_H(m, d, run)
    keep(m, d, run, k)
    d.H_kept = -1


@kernel
def newton_direction(m, d):
    """sol_Mgrad = inverse(H) grad; zeros where islands are done, as grad has"""
    # dofs stand in groups of three places, of which some are empty
    for k in range(m.nplace):
        d.sol_x[k] = 0.0
    for i in range(m.nv):
        d.sol_x[3 * m.dof_group[i] + m.dof_inner[i]] = d.sol_grad[i]
    if d.H_kept >= 0:
        solve_H(m, d, d.kept_H, d.nH * d.H_kept, d.kept_inverse, m.nplace * d.H_kept)
    else:
        solve_H(m, d, d.H, 0, d.sol_inverse, 0)
    for i in range(m.nv):
        d.sol_Mgrad[i] = d.sol_x[3 * m.dof_group[i] + m.dof_inner[i]]
