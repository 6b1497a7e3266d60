"""User code in collision detection: functions for pairs of geom types, and a filter.

The step calls them by the addresses in `user_code` (see callbacks/user_code.py). A wrapper gives
the user's kernel its arguments and leaves its answer in `user_answer`.
"""

from functools import cache

from ...lanes import bits, kernel, mask_of, splat
from ...lanes.answers import COUNT, TRUTH, returned
from ...lanes.calls import call_code
from ..occasions import CALL_FILTER, CALL_PAIR


@kernel(inline=True)
def pair_code(m, d, g1, g2):
    """Address of the user's function for the types of two geoms, or 0."""
    return d.user_code[CALL_PAIR + 8 * m.geom_type[g1] + m.geom_type[g2]]


@kernel
def user_pair(m, d, g1, g2, reach, mask):
    """Candidates by the user's function: fills found_*, returns how many."""
    d.pair_reach = splat(reach)
    d.pair_lanes = bits(mask)
    call_code(pair_code(m, d, g1, g2), m, d, g1, g2)
    return d.user_answer


@kernel
def user_filter(m, d, g1, g2, mask):
    """The lanes of mask in which the user's filter lets two geoms touch."""
    call_code(d.user_code[CALL_FILTER], m, d, g1, g2)
    return mask & mask_of(d.user_answer)


@cache  # the same function is the same code in every model
def pair_wrapper(function, whose):
    """What `user_pair` calls: the user's function for a pair of types."""

    @kernel
    def wrapper(m, d, g1, g2):
        answer = function(m, d, g1, g2, d.pair_reach, mask_of(d.pair_lanes))
        d.user_answer = returned(answer, COUNT, whose)

    return wrapper


@cache
def filter_wrapper(function, whose):
    """What `user_filter` calls: the user's filter."""

    @kernel
    def wrapper(m, d, g1, g2):
        d.user_answer = bits(returned(function(m, d, g1, g2), TRUTH, whose))

    return wrapper
