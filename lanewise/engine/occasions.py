"""Occasions on which the step calls user code: places in the model's `user_code`, its addresses.

Place CALL_FILTER has the contact filter, the 64 places from CALL_PAIR on have the functions for
pairs of geom types: 8 * lower type + higher type. The others have names of their own.
"""

CALL_FILTER, CALL_PAIR = 0, 1
CALL_CONTROL = CALL_PAIR + 64
CALL_PASSIVE, CALL_PASSIVE_SLOPE = CALL_CONTROL + 1, CALL_CONTROL + 2
CALL_ACT_DYN, CALL_ACT_GAIN, CALL_ACT_BIAS = (CALL_CONTROL + k for k in range(3, 6))
CALL_SENSOR = CALL_CONTROL + 6
CALL_OBSERVE = CALL_CONTROL + 7
NCALL = CALL_CONTROL + 8
