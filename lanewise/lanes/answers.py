"""What a kernel of the user's returns, checked where it is called.

    d.user_value = returned(function(m, d, i), NUMBER, whose)

`whose` says which kernel it was, for the error: the caller's source is none of the user's.
"""

import numpy as np

from ..errors import KernelError
from .primitives import Vec, splat

NOTHING, NUMBER, TRUTH, COUNT = "nothing", "number", "truth", "count"
NEEDED = {
    NOTHING: "nothing: it writes to d",
    NUMBER: "a number, the same or one for each world",
    TRUTH: "True or False, or a Mask with one for each world",
    COUNT: "a whole number of candidates",
}


def refusal(whose, what, kind):
    return f"{whose} returns {what}, where the step needs {NEEDED[kind]}"


def returned(x, kind, whose):
    """x, if it is of the kind that is needed; a number as a Lane, a truth value as it is."""
    ok = {
        NOTHING: x is None,
        NUMBER: _is(x, "fiub"),
        TRUTH: _is(x, "b"),
        COUNT: _is(x, "iub") and np.ndim(x) == 0,
    }[kind]
    if not ok:
        raise KernelError(refusal(whose, type(x).__name__, kind))
    return splat(x) if kind == NUMBER else x


def _is(x, kinds):
    return not isinstance(x, (Vec, tuple)) and np.asarray(x).dtype.kind in kinds
