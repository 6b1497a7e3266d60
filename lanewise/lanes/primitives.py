"""What a kernel computes with, as plain Python: lanes, masks, small vectors, fields and structs.

A world is a lane. A number in a kernel is a *Lane*, eight float64 side by side, one for each of the
eight worlds of a gang; comparing Lanes gives a *Mask* of eight booleans. A *Row* holds eight
numbers of one world instead, for algorithms that take one world at a time. Here, a Lane is a NumPy
array of shape (8,) and a Mask a boolean one, so this module is the meaning of every operation: with
the JIT off, kernels run on exactly these functions and can be stepped through in a debugger.
`operations.py` gives each of them its machine code, an LLVM vector instruction.

Model constants are plain floats when all worlds share a model, and Lanes when they do not. Every
operation takes either, which is why one kernel source serves both.
"""

import math
import sys

import numpy as np


class Width(int):
    """The number of lanes. Compiled, it is that of the variant: see compiler.py."""


W = Width(8)  # worlds in a gang
NROW = 8  # numbers in a Row


class Vec:
    """n numbers (Lanes or floats) that go together: a vector, a quaternion, a matrix by rows."""

    __slots__ = ("items",)
    __array_ufunc__ = None  # Lane * Vec must reach Vec.__rmul__

    def __init__(self, items):
        self.items = tuple(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return Vec(self.items[i]) if isinstance(i, slice) else self.items[i]

    def __add__(self, other):
        return Vec(a + b for a, b in zip(self.items, other.items, strict=True))

    def __sub__(self, other):
        return Vec(a - b for a, b in zip(self.items, other.items, strict=True))

    def __mul__(self, s):
        return Vec(a * s for a in self.items)

    __rmul__ = __mul__

    def __truediv__(self, s):
        return Vec(a / s for a in self.items)

    def __neg__(self):
        return Vec(-a for a in self.items)

    def __repr__(self):
        return f"Vec({', '.join(map(repr, self.items))})"


def vec(*items):
    """A Vec of these numbers."""
    return Vec(items)


def concat(u, v):
    """The items of u, then those of v."""
    return Vec(u.items + v.items)


def splat(x):
    """The same number in every lane."""
    return np.broadcast_to(np.float64(x), W) if np.ndim(x) == 0 else x


def where(c, a, b):
    """a where c holds, b elsewhere; numbers, or Vecs item by item."""
    if isinstance(a, Vec):
        return Vec(where(c, x, y) for x, y in zip(a.items, b.items, strict=True))
    return np.where(c, a, b) if np.ndim(c) or np.ndim(a) or np.ndim(b) else (a if c else b)


def any_lane(c):
    """Does c hold in any lane?"""
    return bool(np.any(c))


def all_lanes(c):
    """Does c hold in every lane?"""
    return bool(np.all(c))


def not_(c):
    return np.logical_not(c)


def lane_mask(n):
    """A Mask of the first n lanes."""
    return np.arange(W) < n


def sqrt(x):
    return np.sqrt(x)


def abs_(x):
    return np.abs(x)


def rint(x):
    """Round to the nearest whole number, halves to even."""
    return np.rint(x)


def floor(x):
    return np.floor(x)


def minimum(a, b):
    """a where a < b, else b (so b when a is NaN)."""
    return where(np.less(a, b), a, b)


def maximum(a, b):
    """a where a > b, else b (so b when a is NaN)."""
    return where(np.greater(a, b), a, b)


def copysign(x, s):
    return np.copysign(x, s)


def fma(a, b, c):
    """a * b + c with a single rounding."""
    if np.ndim(a) or np.ndim(b) or np.ndim(c):
        items = (np.broadcast_to(x, W) for x in (a, b, c))
        return np.array([fma(*(float(y) for y in x)) for x in zip(*items, strict=True)])
    return _fma(float(a), float(b), float(c))


def _exact_fma(a, b, c):
    """fma by exact rationals, for Python before 3.13."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    from fractions import Fraction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.copysign(math.inf, exact)


_fma = math.fma if sys.version_info >= (3, 13) else _exact_fma


def ldexp(x, k):
    """x * 2**k for a whole number k with |k| < 1022, held in a Lane or float."""
    return x * np.exp2(k)


def frexp(x):
    """(mantissa in [0.5, 1), exponent) of a positive normal x; the exponent as a Lane or float."""
    mantissa, exponent = np.frexp(x)
    return mantissa, exponent * 1.0


def to_lane(i):
    """An integer as a Lane."""
    return splat(float(i))


def lane_item(x, lane):
    """The number of one lane; a plain number is the same in all."""
    return x[lane] if np.ndim(x) else x


def mask_item(c, lane):
    """Whether c, a Mask or a bool, holds in one lane."""
    return bool(c[lane]) if np.ndim(c) else bool(c)


def bits(c):
    """A Mask as an integer: bit w is lane w."""
    return int(np.sum(np.broadcast_to(c, W) * 2 ** np.arange(W)))


def mask_of(i):
    """The Mask whose `bits` are i."""
    return (i >> np.arange(W)) & 1 == 1


def row_mask(i):
    """The mask of a Row whose bits are i."""
    return mask_of(i)


def lowest_bit(i):
    """Which is the lowest bit of an integer that is set, counted from 0; of 0 it is 63."""
    i = int(i)
    return (i & -i).bit_length() - 1 if i else 63


def highest(x):
    """The largest of eight whole numbers, as an integer."""
    return int(np.max(x))


def to_int(x):
    """A whole number held in a float, as an integer."""
    return int(x)


class Field:
    """A column of memory that kernels index: field[i] is a row, field[i, k] one number of it.

    `array` has shape (rows, width, 8) for Lanes, (rows, width) for numbers shared by the worlds. An
    index i may also be a Lane of whole numbers: then every lane gets, from its own world, the row
    that it names.
    """

    __slots__ = ("array", "width")

    def __init__(self, array, width):
        self.array, self.width = array, width

    def __getitem__(self, i):
        if _is_lane(i) or (isinstance(i, tuple) and _is_lane(i[0])):
            return self._gather(i)
        if isinstance(i, tuple):
            return _number(self.array[i])
        row = self.array[i]
        return _number(row[0]) if self.width == 1 else Vec(_number(x) for x in row)

    def __setitem__(self, i, value):
        if isinstance(i, tuple):
            self.array[i] = value
        elif self.width == 1:
            self.array[i, 0] = value
        else:
            for k, x in enumerate(value.items):
                self.array[i, k] = x

    def _gather(self, i):
        if isinstance(i, tuple):
            return self.array[_places(self, *i)] * 1.0
        if self.width == 1:
            return self[i, 0]
        return Vec(self[i, k] for k in range(self.width))


def _is_lane(x):
    return isinstance(x, np.ndarray) and x.ndim == 1


def _places(field, rows, column):
    """NumPy index of one number for each lane."""
    rows = np.asarray(rows).astype(np.int64)
    return (rows, column, np.arange(W)) if field.array.ndim == 3 else (rows, column)


def put(field, i, value, mask):
    """Lane by lane: store value at row i, or number i = (row, column), where mask holds."""
    _scatter(field, i, value, mask, 0.0)


def add_at(field, i, value, mask):
    """Lane by lane: add value to row i, or to number i = (row, column), where mask holds."""
    _scatter(field, i, value, mask, 1.0)


def _scatter(field, i, value, mask, keep):
    rows, first = i if isinstance(i, tuple) else (i, 0)
    items = value.items if isinstance(value, Vec) else (value,)
    on = np.broadcast_to(mask, W)
    rows = np.where(on, np.broadcast_to(rows, W), 0.0)
    for k, x in enumerate(items):
        places = tuple(np.broadcast_to(p, W)[on] for p in _places(field, rows, first + k))
        x = np.broadcast_to(x, W)[on]
        field.array[places] = field.array[places] * keep + x if keep else x


def load_lane(field, i, lane):
    """What one world has at row i, or number i = (row, column): plain floats."""
    if field.array.ndim == 2:
        return field[i]
    if isinstance(i, tuple):
        return np.float64(field.array[(*i, lane)])
    row = field.array[i, :, lane]
    return np.float64(row[0]) if field.width == 1 else Vec(np.float64(x) for x in row)


def store_lane(field, i, lane, value):
    """Store plain floats at row i, or number i = (row, column), of one world."""
    if isinstance(i, tuple):
        field.array[(*i, lane)] = value
    else:
        for k, x in enumerate(value.items if isinstance(value, Vec) else (value,)):
            field.array[i, k, lane] = x


def _number(x):
    """A copy of a Lane, a float64, or a Python int."""
    if np.ndim(x):
        return x.copy()
    return int(x) if x.dtype.kind in "iub" else np.float64(x)


def load3(field, k):
    """Three numbers of a one-column field, from row k on."""
    return Vec(field[k + i] for i in range(3))


def load4(field, k):
    """Four numbers of a one-column field, from row k on."""
    return Vec(field[k + i] for i in range(4))


def store3(field, k, v):
    for i in range(3):
        field[k + i] = v[i]


def store4(field, k, v):
    for i in range(4):
        field[k + i] = v[i]


def put_rows(field, first, stride, v):
    """Eight Lanes, a number of each world in each, become a Row for each world.

    The Row of world w is stored at first + stride * w.
    """
    for w, row in enumerate(np.array([np.broadcast_to(x, W) for x in v.items]).T):
        field[first + stride * w] = row


def get_rows(field, first, stride):
    """The Rows of all worlds, the one of world w at first + stride * w, as eight Lanes."""
    return Vec(np.array([field[first + stride * w] for w in range(W)]).T.copy())


def load_flat(field, i):
    """Number i of a field of Rows, counted from its first."""
    return np.float64(field.array.reshape(-1)[i])


def load_each(field, places, i):
    """A Lane: for each world w, number places[w] + i of a field of Rows, counted from its first."""
    return field.array.reshape(-1)[[places[w] + i for w in range(W)]]


def load_row_each(field, places):
    """Eight Lanes: for each world w, the eight numbers from places[w] on, as load_each has them."""
    return Vec(load_each(field, places, k) for k in range(NROW))


def store_flat(field, i, x):
    """Store number i of a field of Rows, counted from its first."""
    field.array.reshape(-1)[i] = x


def store_row(field, i, x):
    """Store a Row from number i of a field of Rows on, counted from its first."""
    field.array.reshape(-1)[i : i + NROW] = x


def pick_rows(field, places, first):
    """Those rows of a plain field that eight whole numbers name, places[first] and the next: a Row
    for each column.
    """
    rows = field.array[places.array[first : first + NROW, 0]]
    return Vec([column.copy() for column in rows.T])


def row_total(x):
    """The sum of the eight numbers of a Row, folded in halves."""
    x = np.broadcast_to(x, NROW)
    for n in (4, 2, 1):
        x = x[:n] + x[n:]
    return x[0]


def row_max(x):
    """The largest of the eight numbers of a Row, folded in halves."""
    x = np.broadcast_to(x, NROW)
    for n in (4, 2, 1):
        x = maximum(x[:n], x[n:])
    return x[0]


def row_min(x):
    """The smallest of the eight numbers of a Row, folded in halves."""
    x = np.broadcast_to(x, NROW)
    for n in (4, 2, 1):
        x = minimum(x[:n], x[n:])
    return x[0]


def row_top(x, y):
    """The largest number of a Row x; and the largest of the others and of a Row y, if none of y is
    larger than that of x in its place.
    """
    x, y = np.broadcast_to(x, NROW), np.broadcast_to(y, NROW)
    for n in (4, 2, 1):
        less = minimum(x[:n], x[n:])
        x, y = maximum(x[:n], x[n:]), maximum(maximum(y[:n], y[n:]), less)
    return Vec([x[0], y[0]])


def row_totals(a, b, c, e):
    """The sums of four Rows, each as row_total has it."""
    return Vec([row_total(x) for x in (a, b, c, e)])


class Struct:
    """Named fields, as m and d are in a kernel. A field without dimensions is its value itself."""

    def __init__(self, fields, addresses=()):
        object.__setattr__(self, "_fields", fields)
        object.__setattr__(self, "_addresses", addresses)

    def address_of(self, k):
        """Where the k-th field of the table lies."""
        return int(self._addresses[k])

    def __getattr__(self, name):
        try:
            field = self._fields[name]
        except KeyError:
            raise AttributeError(f"no field {name!r} in this struct") from None
        if isinstance(field, np.ndarray):  # no dimensions: (1, width) or (1, width, 8)
            return Field(field, field.shape[1])[0]
        return field

    def __setattr__(self, name, value):
        field = self._fields[name]
        Field(field, field.shape[1])[0] = value
