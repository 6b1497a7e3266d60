"""Machine code of the operations in primitives.py; row_operations.py has those on Rows,
address_operations.py those of memory.py and calls.py.

Each takes the function that is being compiled and the Values of its arguments, appends LLVM's
instructions and returns a Value; None if the operation does not take such arguments.
"""

import builtins

from . import primitives
from .building import Value, constant, double, none
from .expressions import machine_code
from .kinds import (
    BOOL,
    ELT_OF,
    FLOAT,
    INT,
    LANE,
    MASK,
    MASK_OF,
    NROW,
    ROWMASK,
    WIDE,
    FieldType,
    StructType,
    TupleType,
    VecType,
    common_elt,
    is_condition,
    is_number,
    tuple_type,
    vec_type,
)


def all_are(test, *values):
    return all(test(v.ty) for v in values)


# ------------------------------------------------------------------------------------------ numbers


def _intrinsic(function, name):
    """Operations that LLVM has an intrinsic for, on lanes and on doubles."""

    @machine_code(function)
    def lower(f, *args):
        if not all_are(is_number, *args):
            return None
        elt = common_elt(*(v.ty for v in args))
        ty = f.spelling.of(elt)
        typed = [(ty, f.as_elt(v, elt).text) for v in args]
        return Value(elt, f.intrinsic(f"llvm.{name}.{f.spelling.suffix_of(elt)}", ty, *typed))


for _function, _name in (
    (primitives.sqrt, "sqrt"), (primitives.abs_, "fabs"), (primitives.rint, "rint"),
    (primitives.floor, "floor"), (primitives.copysign, "copysign"), (primitives.fma, "fma"),
):  # fmt: skip
    _intrinsic(_function, _name)


def _select_by(function, order):
    @machine_code(function)
    def lower(f, a, b):
        if not all_are(is_number, a, b):
            return None
        elt = common_elt(a.ty, b.ty)
        a, b = f.as_elt(a, elt), f.as_elt(b, elt)
        test = f.op(f"fcmp {order} {f.spelling.of(elt)} {a.text}, {b.text}")
        return f.select(Value(MASK_OF[elt], test), a, b)


_select_by(primitives.minimum, "olt")
_select_by(primitives.maximum, "ogt")


def _of_python(function, order):
    """min and max of Python: the first of equals."""

    @machine_code(function)
    def lower(f, *args):
        if len(args) < 2 or not all_are(lambda t: t in (INT, FLOAT, BOOL), *args):
            return None
        whole = all_are(lambda t: t is not FLOAT, *args)
        best = args[0]
        for v in args[1:]:
            a, b = (f.as_int(x) if whole else f.as_float(x) for x in (best, v))
            if a.const is not None and b.const is not None:
                best = constant(function(a.const, b.const))
                continue
            kind = f"icmp s{order} i64" if whole else f"fcmp o{order} double"
            test = Value(BOOL, f.op(f"{kind} {b.text}, {a.text}"))
            best = f.select(test, b, a)
        return best


_of_python(builtins.min, "lt")
_of_python(builtins.max, "gt")


@machine_code(builtins.abs)
def _(f, x):
    if x.ty in (INT, BOOL):
        x = f.as_int(x)
        return Value(INT, f.intrinsic("llvm.abs.i64", "i64", ("i64", x.text), ("i1", "false")))
    if x.ty not in (FLOAT, LANE):
        return None
    ty = f.spelling.of(x.ty)
    name = f"llvm.fabs.{f.spelling.suffix_of(x.ty)}"
    return Value(x.ty, f.intrinsic(name, ty, (ty, x.text)))


@machine_code(builtins.int)
def _(f, x):
    return f.as_int(x) if x.ty in (INT, FLOAT, BOOL) else None


@machine_code(builtins.float)
def _(f, x):
    return f.as_float(x) if x.ty in (INT, FLOAT, BOOL) else None


@machine_code(builtins.bool)
def _(f, x):
    return f.truth(x)


@machine_code(builtins.getattr)
def _(f, base, name):
    known = isinstance(base.ty, StructType) and isinstance(name.const, str)
    return f.load_attribute(base, name.const) if known else None


@machine_code(builtins.len)
def _(f, x):
    return constant(len(x.text)) if isinstance(x.ty, (VecType, TupleType)) else None


# Between doubles and small whole numbers without conversion instructions, which AVX2 does not have:
# adding 1.5 * 2**52 leaves a whole number in the low bits.
ROUND = 1.5 * 2.0**52


def _words(f, elt):
    """(LLVM type of the numbers, of their bits, a function for constants of each)"""
    s = f.spelling
    if elt is LANE:
        return (
            s.lane,
            s.bits,
            lambda x: f.wide_constant("double", double(x)),
            (lambda x: f.wide_constant("i64", x)),
        )
    return "double", "i64", double, str


@machine_code(primitives.ldexp)
def _(f, x, k):
    if not all_are(is_number, x, k):
        return None
    elt = common_elt(x.ty, k.ty)
    ty, ity, real, whole = _words(f, elt)
    x, k = f.as_elt(x, elt).text, f.as_elt(k, elt).text
    biased = f.op(f"bitcast {ty} {f.op(f'fadd {ty} {k}, {real(ROUND + 1023.0)}')} to {ity}")
    power = f.op(f"bitcast {ity} {f.op(f'shl {ity} {biased}, {whole(52)}')} to {ty}")
    return Value(elt, f.op(f"fmul {ty} {x}, {power}"))


@machine_code(primitives.frexp)
def _(f, x):
    if not is_number(x.ty):
        return None
    elt = common_elt(x.ty)
    ty, ity, real, whole = _words(f, elt)
    bits = f.op(f"bitcast {ty} {f.as_elt(x, elt).text} to {ity}")
    biased = f.op(f"and {ity} {f.op(f'lshr {ity} {bits}, {whole(52)}')}, {whole(0x7FF)}")
    exponent = f.op(f"bitcast {ity} {f.op(f'or {ity} {biased}, {whole(1075 << 52)}')} to {ty}")
    exponent = f.op(f"fsub {ty} {exponent}, {real(2.0**52 + 1022.0)}")
    fraction = f.op(f"and {ity} {bits}, {whole((1 << 52) - 1)}")
    mantissa = f.op(f"or {ity} {fraction}, {whole(1022 << 52)}")
    mantissa = f.op(f"bitcast {ity} {mantissa} to {ty}")
    return Value(tuple_type((elt, elt)), (Value(elt, mantissa), Value(elt, exponent)))


# ------------------------------------------------------------------------------- lanes, masks, Vecs


@machine_code(primitives.vec)
def _(f, *args):
    if not args or not all_are(is_number, *args):
        return None
    elt = common_elt(*(v.ty for v in args))
    return Value(vec_type(len(args), elt), tuple(f.as_elt(v, elt) for v in args))


@machine_code(primitives.concat)
def _(f, u, v):
    if not all_are(lambda t: isinstance(t, VecType), u, v):
        return None
    elt = common_elt(u.ty, v.ty)
    items = tuple(f.as_elt(x, elt) for x in u.text + v.text)
    return Value(vec_type(len(items), elt), items)


def _splat(f, x):
    return f.as_lane(x) if is_number(x.ty) else None


machine_code(primitives.splat)(_splat)
machine_code(primitives.to_lane)(_splat)


@machine_code(primitives.where)
def _(f, c, a, b):
    if not is_condition(c.ty):
        return None
    elt = ELT_OF.get(c.ty) or common_elt(a.ty, b.ty)
    if isinstance(a.ty, VecType) and isinstance(b.ty, VecType) and a.ty.n == b.ty.n:
        items = tuple(f.select(c, f.item(a, k, elt), f.item(b, k, elt)) for k in range(a.ty.n))
        return Value(vec_type(a.ty.n, elt), items)
    if not all_are(is_number, a, b):
        return None
    return f.select(c, f.as_elt(a, elt), f.as_elt(b, elt))


def _reduction(function, test):
    @machine_code(function)
    def lower(f, c):
        if c.ty is BOOL:
            return c
        if not is_condition(c.ty):
            return None
        kind, word = f.word(c)
        return Value(
            BOOL, word if kind == "i1" else f.op(f"icmp {test[0]} {kind} {word}, {test[1]}")
        )


_reduction(primitives.any_lane, ("ne", 0))
_reduction(primitives.all_lanes, ("eq", -1))


@machine_code(primitives.not_)
def _(f, c):
    if c.ty is BOOL:
        return constant(not c.const) if c.const is not None else f.flipped(c)
    if not is_condition(c.ty):
        return None
    ones = f.wide_constant("i1", "true", f.spelling.lanes_of(c.ty))
    return Value(c.ty, f.op(f"xor {f.spelling.of(c.ty)} {c.text}, {ones}"))


@machine_code(primitives.lane_mask)
def _(f, n):
    if n.ty is not INT:
        return None
    if f.width == 1:
        return Value(MASK, f.op(f"icmp slt i64 0, {n.text}"))
    bits = f.spelling.bits
    numbers = ", ".join(f"i64 {w}" for w in range(f.width))
    return Value(MASK, f.op(f"icmp slt {bits} <{numbers}>, {f.splat('i64', n.text, bits)}"))


@machine_code(primitives.lane_item)
def _(f, x, i):
    if not is_number(x.ty) or i.ty is not INT:
        return None
    if x.ty not in WIDE:
        return f.as_float(x)
    n = f.spelling.lanes_of(x.ty)
    return Value(FLOAT, f.extract(f.spelling.of(x.ty), x.text, i.text, n))


@machine_code(primitives.mask_item)
def _(f, c, i):
    if not is_condition(c.ty) or i.ty is not INT:
        return None
    if c.ty is BOOL or f.width == 1:
        return Value(BOOL, c.text)
    kind, word = f.word(c)
    shift = f.op(f"trunc i64 {i.text} to {kind}")
    shifted = f.op(f"lshr {kind} {word}, {shift}")
    return Value(BOOL, f.op(f"trunc {kind} {shifted} to i1"))


@machine_code(primitives.bits)
def _(f, c):
    if not is_condition(c.ty):
        return None
    kind, word = f.word(c if c.ty is ROWMASK else f.as_mask(c))
    return Value(INT, f.op(f"zext {kind} {word} to i64"))


@machine_code(primitives.mask_of)
def _(f, i):
    if i.ty is not INT:
        return None
    return _mask_of_bits(f, i, MASK)


@machine_code(primitives.row_mask)
def _(f, i):
    return _mask_of_bits(f, i, ROWMASK) if i.ty is INT else None


def _mask_of_bits(f, i, mask):
    n = f.spelling.lanes_of(mask)
    word = f.op(f"trunc i64 {i.text} to i{n}")
    return Value(mask, word if n == 1 else f.op(f"bitcast i{n} {word} to {f.spelling.of(mask)}"))


@machine_code(primitives.lowest_bit)
def _(f, i):
    if i.ty is not INT:
        return None
    # with the highest bit set the number is never 0
    some = f.op(f"or i64 {i.text}, {-(1 << 63)}")
    return Value(INT, f.intrinsic("llvm.cttz.i64", "i64", ("i64", some), ("i1", "true")))


@machine_code(primitives.highest)
def _(f, x):
    if not is_number(x.ty):
        return None
    if x.ty is not LANE:
        return f.as_int(x)
    top = f.extract(f.spelling.lane, x.text, 0)
    for w in range(1, f.width):
        y = f.extract(f.spelling.lane, x.text, w)
        more = f.op(f"fcmp ogt double {y}, {top}")
        top = f.op(f"select i1 {more}, double {y}, double {top}")
    return Value(INT, f.op(f"fptosi double {top} to i64"))


@machine_code(primitives.to_int)
def _(f, x):
    return f.as_int(x) if x.ty in (INT, FLOAT, BOOL) else None


# ------------------------------------------------------------------------------------------- fields


def _load_n(function, n):
    @machine_code(function)
    def lower(f, field, k):
        if not isinstance(field.ty, FieldType) or field.ty.width != 1 or k.ty is not INT:
            return None
        return f.load_row(field.ty, f.place(field, k)[0], n)


def _store_n(function, n):
    @machine_code(function)
    def lower(f, field, k, v):
        ok = isinstance(field.ty, FieldType) and field.ty.width == 1 and k.ty is INT
        if not ok or not isinstance(v.ty, VecType) or v.ty.n != n:
            return None
        for i, x in enumerate(v.text):
            f.store_item(field, Value(INT, f.op(f"add i64 {k.text}, {i}")), x)
        return none()


_load_n(primitives.load3, 3)
_load_n(primitives.load4, 4)
_store_n(primitives.store3, 3)
_store_n(primitives.store4, 4)


@machine_code(primitives.load_lane)
def _(f, field, index, w):
    if not isinstance(field.ty, FieldType) or w.ty is not INT:
        return None
    ty = field.ty
    if ty.elt not in WIDE:
        return f.load_item(field, index)
    pointer, whole = f.place(field, index)
    n = ty.width if whole else 1
    items = tuple(
        Value(FLOAT, f.load("double", p, 8, ty.const))
        for p in _lane_places(f, pointer, w, n, ty.elt)
    )
    return Value(vec_type(n, FLOAT), items) if n > 1 else items[0]


def _lane_places(f, pointer, w, n, elt):
    """Pointers to one lane's numbers of n consecutive Lanes, or Rows."""
    stride = f.spelling.stride if elt is LANE else NROW
    if f.spelling.lanes_of(elt) > 1:
        pointer = f.within(pointer, f.op(f"getelementptr double, ptr {pointer}, i64 {w.text}"))
    for k in range(n):
        place = f.op(f"getelementptr double, ptr {pointer}, i64 {k * stride}") if k else pointer
        yield f.within(pointer, place)


@machine_code(primitives.store_lane)
def _(f, field, index, w, value):
    if not isinstance(field.ty, FieldType) or field.ty.elt not in WIDE or w.ty is not INT:
        return None
    items = value.text if isinstance(value.ty, VecType) else (value,)
    pointer, whole = f.place(field, index)
    if len(items) != (field.ty.width if whole else 1) or common_elt(value.ty) in WIDE:
        return None
    places = _lane_places(f, pointer, w, len(items), field.ty.elt)
    for place, x in zip(places, items, strict=True):
        f.do(f"store double {f.as_float(x).text}, ptr {place}, align 8{f.tag(place)}")
    return none()


def _scatter(function, adds):
    @machine_code(function)
    def lower(f, field, index, value, on):
        ok = isinstance(field.ty, FieldType) and field.ty.elt is LANE and is_condition(on.ty)
        if not ok:
            return None
        rows, column = index.text if isinstance(index.ty, TupleType) else (index, constant(0))
        items = value.text if isinstance(value.ty, VecType) else (value,)
        whole = not isinstance(index.ty, TupleType)
        if (whole and len(items) != field.ty.width) or not all_are(is_number, rows, column, *items):
            return None
        flat = f.lane_rows(field.ty, f.as_lane(rows), column)
        lanes = [f.as_lane(x).text for x in items]
        _scatter_lanes(f, field, flat, lanes, f.as_mask(on), adds)
        return none()


def _scatter_lanes(f, field, flat, lanes, on, adds):
    """Store each lane's numbers at its own place, in a loop over the lanes that are on."""
    s = f.spelling
    slots = []
    if f.width > 1:  # through the stack: the loop is short code, and quick for few lanes
        rows = f.stack(s.ints, 64)
        f.do(f"store {s.ints} {flat}, ptr {rows}, align 64")
        for x in lanes:
            slots.append(f.stack(s.lane, 64))
            f.do(f"store {s.lane} {x}, ptr {slots[-1]}, align 64")
    (kind, word), before = f.word(on), f.block
    head, body, end = (f.new_block(f"lanes.{x}.") for x in ("head", "body", "end"))
    before.end = f"br label %{head.label}"
    f.block, left, next_left = head, f.fresh(), f.fresh()
    head.lines.append(
        f"{left} = phi {kind} [ {word}, %{before.label} ], [ {next_left}, %{body.label} ]"
    )
    more = f.op(f"icmp ne {kind} {left}, 0")
    head.end = f"br i1 {more}, label %{body.label}, label %{end.label}"
    f.block = body
    if f.width > 1:
        last = f.intrinsic(f"llvm.cttz.{kind}", kind, (kind, left), ("i1", "true"))
        w = f.op(f"zext {kind} {last} to i64")
        row = f.op(f"load i32, ptr {f.op(f'getelementptr i32, ptr {rows}, i64 {w}')}, align 4")
    else:
        w, row = "0", flat
    first = f.op(f"sext i32 {row} to i64")
    for k in range(len(lanes)):
        at = first if k == 0 else f.op(f"add i64 {first}, {k}")
        pointer = f.scalar_pointer(field.ty, field.text, at, w)
        if f.width > 1:
            place = f.op(f"getelementptr double, ptr {slots[k]}, i64 {w}")
            x = f.op(f"load double, ptr {place}, align 8")
        else:
            x = lanes[k]
        if adds:
            x = f.op(f"fadd double {f.load('double', pointer, 8, False)}, {x}")
        f.do(f"store double {x}, ptr {pointer}, align 8{f.tag(pointer)}")
    less = f.op(f"sub {kind} {left}, 1")
    f.do(f"{next_left} = and {kind} {left}, {less}")
    body.end = f"br label %{head.label}"
    f.block = end


_scatter(primitives.put, False)
_scatter(primitives.add_at, True)
