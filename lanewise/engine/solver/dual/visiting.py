"""The order in which PGS visits blocks: random, and the same in every run.

Before each sweep the order of the last one is shuffled (Fisher and Yates), with random numbers of
the generator PCG32 after its seed 0. So the order depends on nothing but the number of blocks n and
the number k of the sweep, and is the same in all worlds, islands and steps. It is kept: `order`
begins with a table that has the orders of the first sweeps for each small n, one after another, and
grows as they are needed. What is not in the table is shuffled in place, in a part of `order` that
the world has for itself. Blocks are taken four at a time: after its n blocks an order goes on with
n, which is none.
"""

from ....lanes import kernel

BLOCKS, SWEEPS = 64, 64  # what the table has
MORE = 3  # numbers after the last block of an order
OWN = SWEEPS * (BLOCKS * (BLOCKS + 1) // 2 + MORE * BLOCKS)  # its end: the worlds' own parts begin


@kernel(inline=True)
def table_place(n, k):
    """Of the order of n blocks in sweep k."""
    return SWEEPS * (n * (n - 1) // 2 + MORE * (n - 1)) + (n + MORE) * k


@kernel
def order_of(d, n, k, w):
    """Where in `order` the n blocks of sweep k begin; asked for sweep after sweep"""
    if n <= BLOCKS and k < SWEEPS:
        while d.order_made[n] <= k:
            j = d.order_made[n]
            next_order(d, table_place(n, j - 1), table_place(n, j), n, j, n)
            d.order_made[n] = j + 1
        return table_place(n, k)
    # its own part, and its own random numbers
    own, g = OWN + w * (d.njmax + MORE), BLOCKS + 1 + w
    last = own
    if n <= BLOCKS and k == SWEEPS:
        # they go on from where the table ends
        last = table_place(n, SWEEPS - 1)
        d.random_high[g] = d.random_high[n]
        d.random_low[g] = d.random_low[n]
    next_order(d, last, own, n, k, g)
    return own


@kernel
def next_order(d, last, first, n, k, g):
    """n numbers at `first` <= those at `last`, shuffled; in sweep 0, those from 0 on"""
    for i in range(n):
        d.order[first + i] = d.order[last + i] if k > 0 else i
    for i in range(MORE):
        d.order[first + n + i] = n
    if k == 0:
        seed(d, g)
    for i in range(n - 1, 0, -1):
        j = random_number(d, g) % (i + 1)
        other = d.order[first + j]
        d.order[first + j] = d.order[first + i]
        d.order[first + i] = other


@kernel
def seed(d, g):
    """The state of generator g after its seed, 0"""
    d.random_high[g] = 0
    d.random_low[g] = 0
    random_number(d, g)


@kernel
def random_number(d, g):
    """The next 32 bits of PCG32: x <= 6364136223846793005 x + 1, then bits of x

    The 64 bits of x are two halves, multiplied in parts of 16 bits: integers here are 64 bits with
    a sign, or unbounded.
    """
    high, low = d.random_high[g], d.random_low[g]
    # low times the low half of the multiplier, 0x4C957F2D: digits of 16 bits and carries
    a, b = low >> 16, low & 0xFFFF
    p = b * 0x7F2D + 1
    q = a * 0x7F2D + b * 0x4C95 + (p >> 16)
    top = a * 0x4C95 + (q >> 16)
    # what else reaches the high half: high times the low half, low times the high half
    top += high * 0x7F2D + ((high * 0x4C95 & 0xFFFF) << 16)
    top += low * 0xF42D + ((low * 0x5851 & 0xFFFF) << 16)
    # what is beyond 64 bits is lost
    d.random_high[g] = top & 0xFFFFFFFF
    d.random_low[g] = (q & 0xFFFF) << 16 | p & 0xFFFF
    # PCG's output: the state before, folded, and turned by its top five bits
    x = (high << 5 | low >> 27) & 0xFFFFFFFF ^ high >> 13
    turn = high >> 27
    return (x >> turn | x << (32 - turn & 31)) & 0xFFFFFFFF
