"""Occasions on which the step calls user code: places in the model's `user_code`, its addresses.

Place CALL_FILTER has the contact filter, the 64 places from CALL_PAIR on have the functions for
pairs of geom types: 8 * lower type + higher type. The same places follow a second time, with the
code for a world alone, which is compiled one lane wide.
"""

from ..lanes import W, kernel

CALL_FILTER, CALL_PAIR = 0, 1
NOCCASION = CALL_PAIR + 64
NCALL = 2 * NOCCASION


@kernel(inline=True)
def code_for(m, occasion):
    """Address of the user's code for an occasion, of this width; 0: there is none."""
    return m.user_code[occasion + NOCCASION * (W == 1)]
