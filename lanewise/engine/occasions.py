"""Occasions on which the step calls user code: places in the model's `user_code`, its addresses.

Place CALL_FILTER has the contact filter, the 64 places from CALL_PAIR on have the functions for
pairs of geom types: 8 * lower type + higher type.
"""

CALL_FILTER, CALL_PAIR = 0, 1
NCALL = CALL_PAIR + 64
