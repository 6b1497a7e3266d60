"""Which worlds go together in a gang.

A gang takes as many iterations of the solver as its slowest world, and works through the contacts
of all its worlds, pair of bodies by pair of bodies. So worlds go by their iterations; and those
that take as many, by what touches in them.
"""

import numpy as np

ITERATION = 4096  # what effort has for an iteration: see present_effort of engine/calls/run.py
FEW = 32  # worlds for which more than their effort is not worth the time
SAMPLE = 256  # worlds that tell how frequent contacts are
BITS = 16  # contacts that count, if they are not in all worlds or in none


def similar(effort: np.ndarray, touching: np.ndarray) -> np.ndarray:
    """The order in which worlds of this effort, with these bits of what touches, fill gangs.

    Bits by their frequency, the most frequent first, make a number: neighbours by it differ in what
    is rare.
    """
    if len(effort) <= FEW:
        return effort.argsort(kind="stable")
    sample = np.ascontiguousarray(touching[:: -(-len(touching) // SAMPLE)]).view(np.uint8)
    often = np.unpackbits(sample.reshape(-1, 8), axis=1, bitorder="little").sum(0, dtype=np.int32)
    often[often == len(sample) // 8] = 0
    frequent = [bit for bit in often.argsort(kind="stable")[: -BITS - 1 : -1] if often[bit]]
    if not frequent:
        return effort.argsort(kind="stable")
    number = ((effort + ITERATION // 2) // ITERATION).astype(np.int64)
    for bit in frequent:
        number <<= 1
        number |= (touching >> bit) & 1
    return number.argsort(kind="stable")
