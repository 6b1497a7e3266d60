"""The axes of a box renamed in a circle, so that the one that matters comes first.

Renaming by 1 makes y the first axis, z the second and x the third; by 2, z, x, y. Frames stay
right-handed. The number is a Lane: each world renames the axes of its own box. A loop over the axes
of a box renames them by one after each round instead of indexing.
"""

from ...lanes import concat, kernel, vec, where


@kernel(inline=True)
def turned(v):
    """v renamed by one."""
    return vec(v[1], v[2], v[0])


@kernel(inline=True)
def renamed(v, by):
    return where(by == 1.0, turned(v), where(by == 2.0, turned(turned(v)), v))


@kernel(inline=True)
def renamed_back(v, by):
    return where(by == 1.0, turned(turned(v)), where(by == 2.0, turned(v), v))


@kernel(inline=True)
def dot_turned(a, b, n):
    """The dot product of vectors that are renamed by n, summed in the order of the old names.

    The last bit depends on the order, and MuJoCo sums x first.
    """
    x, y, z = a[0] * b[0], a[1] * b[1], a[2] * b[2]
    if n == 0:
        return x + y + z
    return z + x + y if n == 1 else y + z + x


@kernel(inline=True)
def rows_turned(R):
    return concat(R[3:9], R[0:3])


@kernel(inline=True)
def columns_turned(R):
    return concat(concat(turned(R[0:3]), turned(R[3:6])), turned(R[6:9]))


@kernel(inline=True)
def rows_renamed(R, by):
    return where(by == 1.0, rows_turned(R), where(by == 2.0, concat(R[6:9], R[0:6]), R))


@kernel(inline=True)
def columns_renamed(R, by):
    return concat(
        concat(renamed(R[0:3], by), renamed(R[3:6], by)),
        renamed(R[6:9], by),
    )


@kernel(inline=True)
def transposed(R):
    return vec(R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])
