"""What a Batch can do with its worlds: a file for each call.

A call is a record, which says what it is about, and a gang kernel (m, d, record, worker), which
does it for the eight worlds that `choose_worlds` has put into the lanes of d. Threads know only
that: they find the kernel and the record by their addresses (threads.py). What calls have in
common is in gang.py, the state of worlds and their outputs, and in rows.py, the way between rows
and lanes.

Adding a call is its file and its line here. Importing this module compiles nothing.
"""

from importlib import import_module

# a call's file has its gang kernel, {call}_gang, and its record, the call's name in capitals
CALLS = (
    "run",
    "half",
    "skip",
    "rollout",
    "sample",
    "look",
    "inverse",
    "jacobian",
    "inertia",
    "transition",
    "inverse_slopes",
    "motion",
    "place",
    "push",
    "efc_product",
    "ray",
    "distance",
    "inside",
)


def gang_kernel(call):
    """The kernel (m, d, record, worker) of a call."""
    return getattr(import_module(f".{call}", __name__), f"{call}_gang")
