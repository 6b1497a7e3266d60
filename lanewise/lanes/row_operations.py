"""Machine code of operations on Rows: eight numbers of one world, see operations.py."""

import ast

from . import memory, primitives
from .building import Value, constant, none
from .expressions import machine_code
from .kinds import (
    BOOL,
    FLOAT,
    INT,
    LANE,
    NROW,
    ROW,
    WIDE,
    FieldType,
    IntFieldType,
    VecType,
    vec_type,
)
from .operations import all_are


@machine_code(memory.transpose)
def _(f, v):
    if not isinstance(v.ty, VecType) or v.ty.elt not in WIDE:
        return None
    if v.ty.n != f.spelling.lanes_of(v.ty.elt):
        return None
    return Value(v.ty, tuple(Value(v.ty.elt, x) for x in _transposed(f, [x.text for x in v.text])))


def _transposed(f, rows):
    """n vectors of n doubles, with item i of vector j and item j of vector i exchanged."""
    n, size = len(rows), 1
    ty = f"<{n} x double>"
    while size < n:
        # exchange the off-diagonal blocks of `size` in every block of twice the size
        low = [k if not k & size else n + k - size for k in range(n)]
        high = [k + size if not k & size else n + k for k in range(n)]
        for k in range(n):
            if not k & size:
                a, b = rows[k], rows[k + size]
                rows[k], rows[k + size] = (
                    f.op(
                        f"shufflevector {ty} {a}, {ty} {b}, <{n} x i32>"
                        f" <{', '.join(f'i32 {i}' for i in order)}>"
                    )
                    for order in (low, high)
                )
        size *= 2
    return rows


@machine_code(primitives.put_rows)
def _(f, field, first, stride, v):
    if not _row_field(field, first, stride) or v.ty is not vec_type(NROW, LANE):
        return None
    row = f.spelling.of(ROW)
    if f.width == 1:
        text = "poison"
        for k, x in enumerate(v.text):
            text = f.op(f"insertelement {row} {text}, double {x.text}, i64 {k}")
        rows = [text]
    else:
        rows = _transposed(f, [x.text for x in v.text])
    for place, x in zip(_row_places(f, field, first, stride), rows, strict=True):
        f.do(f"store {row} {x}, ptr {place}, align 8")
    return none()


@machine_code(primitives.get_rows)
def _(f, field, first, stride):
    if not _row_field(field, first, stride):
        return None
    return _turned(f, _row_places(f, field, first, stride))


def _turned(f, places):
    """The Rows of all worlds as eight Lanes."""
    row = f.spelling.of(ROW)
    rows = [f.op(f"load {row}, ptr {p}, align 8") for p in places]
    if f.width == 1:
        items = [f.op(f"extractelement {row} {rows[0]}, i64 {k}") for k in range(NROW)]
    else:
        items = _transposed(f, rows)
    return Value(vec_type(NROW, LANE), tuple(Value(LANE, x) for x in items))


def _flat_place(f, field, i):
    ty = field.ty
    if not isinstance(ty, FieldType) or ty.elt is not ROW or i.ty is not INT:
        return None
    place = f.op(f"getelementptr double, ptr {field.text}, i64 {i.text}")
    return f.within(field.text, place)


@machine_code(primitives.load_flat)
def _(f, field, i):
    place = _flat_place(f, field, i)
    return place and Value(FLOAT, f.load("double", place, 8, field.ty.const))


@machine_code(primitives.load_each)
def _(f, field, places, i):
    if not _row_field(field, i) or not _whole_numbers(places):
        return None
    text = "poison"
    for w, place in enumerate(_flat_places(f, field, places, i)):
        x = f.load("double", place, 8, field.ty.const)
        text = f.insert(f.spelling.lane, text, "double", x, w)
    return Value(LANE, text)


@machine_code(primitives.load_row_each)
def _(f, field, places):
    if not _row_field(field) or not _whole_numbers(places):
        return None
    return _turned(f, _flat_places(f, field, places, constant(0)))


def _whole_numbers(places):
    return isinstance(places.ty, IntFieldType) and places.ty.width == 1


def _flat_places(f, field, places, i):
    """Pointers to number places[w] + i of each world w."""
    for w in range(f.width):
        first = f.load_item(places, constant(w))
        yield _flat_place(f, field, f.binary(ast.Add(), first, i))


@machine_code(primitives.store_flat)
def _(f, field, i, x):
    place = _flat_place(f, field, i)
    if place is None or x.ty not in (FLOAT, INT, BOOL):
        return None
    f.do(f"store double {f.as_float(x).text}, ptr {place}, align 8{f.tag(place)}")
    return none()


@machine_code(primitives.store_row)
def _(f, field, i, x):
    place = _flat_place(f, field, i)
    if place is None or x.ty is not ROW:
        return None
    f.do(f"store {f.spelling.of(ROW)} {x.text}, ptr {place}, align 8{f.tag(place)}")
    return none()


@machine_code(primitives.pick_rows)
def _(f, field, places, first):
    ty, of = field.ty, places.ty
    if not isinstance(ty, FieldType) or ty.elt is not FLOAT or first.ty is not INT:
        return None
    if not isinstance(of, IntFieldType) or of.width != 1:
        return None
    row, items = f.spelling.of(ROW), ["poison"] * ty.width
    for k in range(NROW):
        at = f.binary(ast.Add(), first, constant(k))
        flat = f.flat_index(f.load_int(of, f.offset(of, places.text, at)), ty.width, None)
        for c in range(ty.width):
            place = f.offset(ty, field.text, f.binary(ast.Add(), flat, constant(c)))
            x = f.load_number(ty, place).text
            items[c] = f.op(f"insertelement {row} {items[c]}, double {x}, i64 {k}")
    return Value(vec_type(ty.width, ROW), tuple(Value(ROW, x) for x in items))


def _halves(f, text, n):
    """The lower and upper half of a vector of n numbers, and their type: numbers if n is 2."""
    whole, half = f"<{n} x double>", n // 2
    if n == 2:
        return "double", *(f.op(f"extractelement {whole} {text}, i64 {k}") for k in range(2))
    low, high = (
        f.op(
            f"shufflevector {whole} {text}, {whole} poison, <{half} x i32>"
            f" <{', '.join(f'i32 {k}' for k in range(first, first + half))}>"
        )
        for first in (0, half)
    )
    return f"<{half} x double>", low, high


def _either(f, order, kind, a, b):
    """a where it compares to b like this, else b, of two vectors or numbers."""
    mask = "i1" if kind == "double" else f"<{kind[1]} x i1>"
    first = f.op(f"fcmp {order} {kind} {a}, {b}")
    return f.op(f"select {mask} {first}, {kind} {a}, {kind} {b}")


@machine_code(primitives.row_total)
def _(f, x):
    if x.ty is not ROW:
        return None
    text = x.text
    for n in (8, 4, 2):
        kind, low, high = _halves(f, text, n)
        text = f.op(f"fadd {kind} {low}, {high}")
    return Value(FLOAT, text)


def _outermost(function, order):
    @machine_code(function)
    def lower(f, x):
        if x.ty is not ROW:
            return None
        text = x.text
        for n in (8, 4, 2):
            text = _either(f, order, *_halves(f, text, n))
        return Value(FLOAT, text)


_outermost(primitives.row_max, "ogt")
_outermost(primitives.row_min, "olt")


@machine_code(primitives.row_top)
def _(f, x, y):
    if x.ty is not ROW or y.ty is not ROW:
        return None
    most, second = x.text, y.text
    for n in (8, 4, 2):
        kind, a, b = _halves(f, most, n)
        _, c, e = _halves(f, second, n)
        most, less = _either(f, "ogt", kind, a, b), _either(f, "olt", kind, a, b)
        second = _either(f, "ogt", kind, _either(f, "ogt", kind, c, e), less)
    return Value(vec_type(2, FLOAT), (Value(FLOAT, most), Value(FLOAT, second)))


@machine_code(primitives.row_totals)
def _(f, *rows):
    if not all_are(lambda t: t is ROW, *rows):
        return None

    def folded(a, b, n):
        """Two Rows in parts of n numbers: the upper half of each part onto the lower one, the parts
        of both side by side"""
        halves = []
        for first in (0, n // 2):
            starts = range(first, 2 * NROW, n)
            order = ", ".join(f"i32 {k + i}" for k in starts for i in range(n // 2))
            halves.append(
                f.op(f"shufflevector <8 x double> {a}, <8 x double> {b}, <8 x i32> <{order}>")
            )
        return f.op(f"fadd <8 x double> {halves[0]}, {halves[1]}")

    # as row_total does, of two Rows at once; then of four, which have two numbers each
    a, b = (folded(x.text, y.text, 8) for x, y in (rows[:2], rows[2:]))
    pairs = folded(a, b, 4)
    odd = f.op(
        f"shufflevector <8 x double> {pairs}, <8 x double> poison,"
        f" <8 x i32> <{', '.join(f'i32 {k | 1}' for k in range(NROW))}>"
    )
    totals = f.op(f"fadd <8 x double> {pairs}, {odd}")
    items = (f.op(f"extractelement <8 x double> {totals}, i64 {k}") for k in range(0, NROW, 2))
    return Value(vec_type(4, FLOAT), tuple(Value(FLOAT, x) for x in items))


def _row_field(field, *numbers):
    ty = field.ty
    is_field = isinstance(ty, FieldType) and ty.elt is ROW and ty.width == 1
    return is_field and all_are(lambda t: t is INT, *numbers)


def _row_places(f, field, first, stride):
    """Pointers to the row of each world."""
    for _ in range(f.width):
        yield f.place(field, first)[0]
        first = f.binary(ast.Add(), first, stride)
