"""The minimum of the cost along the search direction of one island of a heap.

As primal/linesearch.py has it for the islands of all worlds side by side, with plain numbers. A
point is (alpha, slope, curvature), q the slope and curvature of the quadratic part of the cost.
"""

from ....lanes import abs_, kernel, maximum, vec
from ....mjconst import MINVAL
from ..primal.linesearch import FAR, FEW, NAN, closest, newton_step
from .bunches import bunch_slopes, exact_bunches
from .ties import exact_rows, row_slopes


@kernel
def search_line(m, d, w, q, slope, bound, whole):
    """(alpha, slope there, evaluations), from a point with so much slope

    Newton's direction has its minimum at 1, unless a constraint changes.
    """
    p = point_at(m, d, w, q, 1.0)
    if whole or flat_at(p, bound):
        return p[0], p[1], 2.0
    if m.opt.ls_iterations > FEW:
        return by_bracket(m, d, w, q, slope, bound, p)
    return by_sides(m, d, w, q, bound, p)


@kernel
def point_at(m, d, w, q, alpha):
    """The point at alpha"""
    slope, curvature = bunch_slopes(m, d, alpha)
    rows = row_slopes(m, d, w, alpha)
    slope = q[0] + alpha * q[1] + slope + rows[0]
    return vec(alpha, slope, maximum(q[1] + curvature + rows[1], MINVAL))


@kernel(inline=True)
def flat_at(p, bound):
    """Whether the slope at p is small enough."""
    return abs_(p[1]) < bound or p[1] == 0.0


@kernel
def by_bracket(m, d, w, q, slope, bound, p):
    """search_line from the first trial p on, with plenty of evaluations"""
    low, low_slope, high, high_slope, width = 0.0, slope, FAR, 1.0, FAR
    best, best_slope, count = NAN, FAR, 2.0
    for trial in range(m.opt.ls_iterations):
        if abs_(p[1]) < abs_(best_slope):
            best, best_slope = p[0], p[1]
        # p is the new end of the bracket, on the side that its slope tells
        if p[1] < 0.0:
            low, low_slope = p[0], p[1]
        else:
            high, high_slope = p[0], p[1]
        # next: Newton's step if that is inside the bracket, or else where a line between the slopes
        # of the ends is zero, or else the middle
        a, middle, bracketed = newton_step(p), 0.5 * (low + high), high < FAR
        if bracketed and not (a > low and a < high):
            between = low - low_slope * ((high - low) / (high_slope - low_slope))
            a = between if between > low and between < high else middle
        # a bracket that has not been halved in three trials is halved now
        if trial % 3 == 2:
            if bracketed and high - low > 0.5 * width:
                a = middle
            width = high - low if bracketed else FAR
        # done where it is flat, or where round-off leaves nothing between the ends
        if flat_at(p, bound) or not (a > low and a < high):
            break
        count += 1.0
        if trial + 1 < m.opt.ls_iterations:
            p = point_at(m, d, w, q, a)
    return best, best_slope, count


@kernel
def by_sides(m, d, w, q, bound, p):
    """search_line from the first trial p on, evaluation by evaluation as MuJoCo"""
    p1, p2, left, count = p, p, m.opt.ls_iterations - 2, 2.0
    side = 1.0 if p[1] < 0.0 else -1.0
    # on one side
    while left > 0 and p1[1] * side < 0.0:
        p2 = p1
        p1 = point_at(m, d, w, q, newton_step(p2))
        left -= 1
        count += 1.0
        if flat_at(p1, bound):
            return p1[0], p1[1], count
    if left <= 0 or p1[1] != p1[1]:
        return p1[0], p1[1], count
    # between two
    next1, next2 = point_at(m, d, w, q, newton_step(p1)), p1
    left -= 1
    count += 1.0
    while left > 0:
        if flat_at(next1, bound):
            return next1[0], next1[1], count + 1.0
        if flat_at(next2, bound):
            return next2[0], next2[1], count + 1.0
        middle = point_at(m, d, w, q, 0.5 * (p1[0] + p2[0]))
        left -= 1
        count += 1.0
        if flat_at(middle, bound):
            return middle[0], middle[1], count
        # the closest points on both sides; if nothing is closer, the middle is the end
        near1, near2 = closest(p1, next1, next2, middle), closest(p2, next1, next2, middle)
        new1, new2 = near1[1] != p1[1], near2[1] != p2[1]
        if not new1 and not new2:
            p1, p2 = middle, middle
            break
        p1, p2 = near1, near2
        if new1:
            next1 = point_at(m, d, w, q, newton_step(p1))
            left -= 1
            count += 1.0
        if new2:
            next2 = point_at(m, d, w, q, newton_step(p2))
            left -= 1
            count += 1.0
    # no point was flat enough: the one of both that costs less, or none if both cost more
    cost1, cost2 = change_by(m, d, w, q, p1[0], 0), change_by(m, d, w, q, p2[0], 0)
    if cost1 <= cost2 and cost1 < 0.0:
        return p1[0], p1[1], count
    if cost2 < 0.0:
        return p2[0], p2[1], count
    return 0.0, 0.0, count


@kernel
def change_by(m, d, w, q, alpha, moved):
    """The change of the cost by alpha, exactly; the move has been made already, or not"""
    twice = exact_bunches(m, d, alpha, moved) + exact_rows(m, d, w, alpha, moved)
    return alpha * (q[0] + 0.5 * alpha * q[1]) + 0.5 * twice
