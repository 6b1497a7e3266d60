"""Machine code of the operations in primitives.py: their types, and the LLVM that they become."""

import contextlib
import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils, registry
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import (
    lower_builtin,
    lower_getattr_generic,
    lower_setattr_generic,
)

from . import primitives as p
from .lane_types import (
    BITS,
    CONTRACT,
    F64,
    FUSED,
    I1,
    I32,
    I64,
    LANE,
    LANE_ALIGN,
    MASK,
    FieldType,
    IntFieldType,
    LaneType,
    MaskType,
    StructType,
    VecType,
    common_elt,
    is_number,
    item_as,
    lane,
    llvm_elt,
    mask,
    mask_as,
    number_as,
    pack,
    splat_vector,
)
from .primitives import W

# ------------------------------------------------------------------------------------- operators


def _typed(func, typer):
    """Give func a type: typer(*args) is the result's type, or None where func is not ours."""

    class Template(AbstractTemplate):
        key = func

        def generic(self, args, kws):
            result = None if kws else typer(*args)
            return None if result is None else signature(result, *args)

    infer_global(func)(Template)
    _TEMPLATES[func] = Template


_TEMPLATES: dict = {}


def try_ours_first():
    """Numba would ask its own templates of + and < first: dozens of NumPy loops each time."""
    context = registry.cpu_target.typing_context
    context.refresh()
    for func, template in _TEMPLATES.items():
        ty = context._lookup_global(func)
        others = [t for t in ty.templates if t is not template]
        ty.templates = type(ty.templates)([template, *others])


def _arithmetic(op, instruction, vec_vec, vec_number, number_vec):
    def typer(*args):
        if len(args) != 2:
            return None
        a, b = args
        va, vb = isinstance(a, VecType), isinstance(b, VecType)
        if va and vb:
            return VecType(a.n, common_elt(a, b)) if vec_vec and a.n == b.n else None
        if va and is_number(b):
            return VecType(a.n, common_elt(a, b)) if vec_number else None
        if vb and is_number(a):
            return VecType(b.n, common_elt(a, b)) if number_vec else None
        if lane in (a, b) and is_number(a) and is_number(b):
            return lane
        return None

    def lower(context, builder, sig, args):
        emit = getattr(builder, instruction)
        ty = sig.return_type

        def item(k, elt):
            x, y = (
                item_as(context, builder, v, t, k, elt) for v, t in zip(args, sig.args, strict=True)
            )
            return emit(x, y, flags=CONTRACT if elt == lane and FUSED[-1] else ())

        if ty == lane:
            return item(0, lane)
        return pack(builder, ty, [item(k, ty.elt) for k in range(ty.n)])

    _typed(op, typer)
    kinds = (LaneType, VecType, types.Number)
    for a in kinds:
        for b in kinds:
            if (a, b) != (types.Number, types.Number):
                lower_builtin(op, a, b)(lower)


for _name, _instruction, _shapes in (
    ("add", "fadd", (True, False, False)),
    ("sub", "fsub", (True, False, False)),
    ("mul", "fmul", (False, True, True)),
    ("truediv", "fdiv", (False, True, False)),
):
    _arithmetic(getattr(operator, _name), _instruction, *_shapes)
    _arithmetic(getattr(operator, "i" + _name), _instruction, *_shapes)


def _lower_neg(context, builder, sig, args):
    ty, (x,) = sig.return_type, args
    if ty == lane:
        return builder.fneg(x)
    return pack(builder, ty, [builder.fneg(builder.extract_value(x, k)) for k in range(ty.n)])


_typed(operator.neg, lambda x: x if x == lane or isinstance(x, VecType) else None)
lower_builtin(operator.neg, LaneType)(_lower_neg)
lower_builtin(operator.neg, VecType)(_lower_neg)


def _comparison(op, symbol):
    def typer(*args):
        return mask if len(args) == 2 and lane in args and all(map(is_number, args)) else None

    def lower(context, builder, sig, args):
        a, b = (
            number_as(context, builder, v, t, lane) for v, t in zip(args, sig.args, strict=True)
        )
        # as in C: every comparison with NaN is false, except !=
        return (builder.fcmp_unordered if symbol == "!=" else builder.fcmp_ordered)(symbol, a, b)

    _typed(op, typer)
    for a, b in ((LaneType, LaneType), (LaneType, types.Number), (types.Number, LaneType)):
        lower_builtin(op, a, b)(lower)


for _op, _symbol in (
    (operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"),
    (operator.ge, ">="), (operator.eq, "=="), (operator.ne, "!="),
):  # fmt: skip
    _comparison(_op, _symbol)


def _logic(op, instruction):
    def typer(*args):
        ok = (
            len(args) == 2
            and mask in args
            and all(t == mask or isinstance(t, types.Boolean) for t in args)
        )
        return mask if ok else None

    def lower(context, builder, sig, args):
        a, b = (mask_as(context, builder, v, t, True) for v, t in zip(args, sig.args, strict=True))
        return getattr(builder, instruction)(a, b)

    _typed(op, typer)
    for a, b in ((MaskType, MaskType), (MaskType, types.Boolean), (types.Boolean, MaskType)):
        lower_builtin(op, a, b)(lower)


_logic(operator.and_, "and_")
_logic(operator.or_, "or_")
_logic(operator.iand, "and_")
_logic(operator.ior, "or_")


# ------------------------------------------------------------------------------------ operations


def machine_code(func, typer):
    """Decorate the lowering of one of the functions in primitives.py."""
    _typed(func, typer)
    return lambda lower: lower_builtin(func, types.VarArg(types.Any))(lower)


def _numbers(*args):
    return common_elt(*args) if all(map(is_number, args)) else None


def _llvm_function(func, name):
    """Operations that LLVM has an intrinsic for, on lanes and on doubles."""

    @machine_code(func, _numbers)
    def lower(context, builder, sig, args):
        ty = llvm_elt(sig.return_type)
        suffix = f"v{W}f64" if ty == LANE else "f64"
        fnty = ir.FunctionType(ty, [ty] * len(args))
        fn = cgutils.get_or_insert_function(builder.module, fnty, f"llvm.{name}.{suffix}")
        items = [
            number_as(context, builder, x, t, sig.return_type)
            for x, t in zip(args, sig.args, strict=True)
        ]
        return builder.call(fn, items)


for _func, _name in (
    (p.sqrt, "sqrt"), (p.abs_, "fabs"), (p.rint, "rint"), (p.floor, "floor"),
    (p.copysign, "copysign"), (p.fma, "fma"),
):  # fmt: skip
    _llvm_function(_func, _name)


def _select_by(func, symbol):
    @machine_code(func, _numbers)
    def lower(context, builder, sig, args):
        elt = sig.return_type
        a, b = (number_as(context, builder, x, t, elt) for x, t in zip(args, sig.args, strict=True))
        return builder.select(builder.fcmp_ordered(symbol, a, b), a, b)


_select_by(p.minimum, "<")
_select_by(p.maximum, ">")


@machine_code(
    p.vec,
    lambda *args: VecType(len(args), common_elt(*args)) if all(map(is_number, args)) else None,
)
def _(context, builder, sig, args):
    ty = sig.return_type
    items = [number_as(context, builder, x, t, ty.elt) for x, t in zip(args, sig.args, strict=True)]
    return pack(builder, ty, items)


def _type_concat(u, v):
    both = isinstance(u, VecType) and isinstance(v, VecType)
    return VecType(u.n + v.n, common_elt(u, v)) if both else None


@machine_code(p.concat, _type_concat)
def _(context, builder, sig, args):
    ty = sig.return_type
    items = [
        item_as(context, builder, x, t, k, ty.elt)
        for x, t in zip(args, sig.args, strict=True)
        for k in range(t.n)
    ]
    return pack(builder, ty, items)


@machine_code(p.splat, lambda x: lane if is_number(x) else None)
def _(context, builder, sig, args):
    return number_as(context, builder, args[0], sig.args[0], lane)


@machine_code(p.to_lane, lambda i: lane if is_number(i) else None)
def _(context, builder, sig, args):
    return number_as(context, builder, args[0], sig.args[0], lane)


def _is_condition(ty):
    return ty == mask or isinstance(ty, types.Boolean)


def _type_where(c, a, b):
    if not _is_condition(c):
        return None
    wide = lane if c == mask else common_elt(a, b)
    if isinstance(a, VecType) and isinstance(b, VecType) and a.n == b.n:
        return VecType(a.n, wide)
    return wide if is_number(a) and is_number(b) else None


@machine_code(p.where, _type_where)
def _(context, builder, sig, args):
    ty = sig.return_type
    (c, a, b), (tc, ta, tb) = args, sig.args
    c = mask_as(context, builder, c, tc, tc == mask)

    def item(k, elt):
        x, y = item_as(context, builder, a, ta, k, elt), item_as(context, builder, b, tb, k, elt)
        return builder.select(c, x, y)

    if isinstance(ty, VecType):
        return pack(builder, ty, [item(k, ty.elt) for k in range(ty.n)])
    return item(0, ty)


def _reduce(func, symbol, value):
    @machine_code(func, lambda c: types.boolean if _is_condition(c) else None)
    def lower(context, builder, sig, args):
        if sig.args[0] != mask:
            return context.cast(builder, args[0], sig.args[0], types.boolean)
        bits = builder.bitcast(args[0], ir.IntType(W))
        return builder.icmp_unsigned(symbol, bits, ir.Constant(ir.IntType(W), value))


_reduce(p.any_lane, "!=", 0)
_reduce(p.all_lanes, "==", 2**W - 1)


@machine_code(p.not_, lambda c: c if _is_condition(c) else None)
def _(context, builder, sig, args):
    return builder.not_(mask_as(context, builder, args[0], sig.args[0], sig.args[0] == mask))


@machine_code(p.lane_mask, lambda n: mask if isinstance(n, types.Integer) else None)
def _(context, builder, sig, args):
    n = splat_vector(builder, context.cast(builder, args[0], sig.args[0], types.int64), BITS)
    return builder.icmp_signed("<", ir.Constant(BITS, list(range(W))), n)


def _type_lane_item(x, i):
    return types.float64 if is_number(x) and isinstance(i, types.Integer) else None


@machine_code(p.lane_item, _type_lane_item)
def _(context, builder, sig, args):
    if sig.args[0] != lane:
        return context.cast(builder, args[0], sig.args[0], types.float64)
    i = context.cast(builder, args[1], sig.args[1], types.int64)
    return builder.extract_element(args[0], i)


@machine_code(p.mask_item, lambda c, i: types.boolean if _is_condition(c) else None)
def _(context, builder, sig, args):
    if sig.args[0] != mask:
        return context.cast(builder, args[0], sig.args[0], types.boolean)
    i = builder.trunc(context.cast(builder, args[1], sig.args[1], types.int64), ir.IntType(W))
    shifted = builder.lshr(builder.bitcast(args[0], ir.IntType(W)), i)
    return builder.trunc(shifted, I1)


@machine_code(p.bits, lambda c: types.int64 if _is_condition(c) else None)
def _(context, builder, sig, args):
    on = mask_as(context, builder, args[0], sig.args[0], True)
    return builder.zext(builder.bitcast(on, ir.IntType(W)), I64)


@machine_code(p.mask_of, lambda i: mask if isinstance(i, types.Integer) else None)
def _(context, builder, sig, args):
    i = context.cast(builder, args[0], sig.args[0], types.int64)
    return builder.bitcast(builder.trunc(i, ir.IntType(W)), MASK)


@machine_code(p.highest, lambda x: types.int64 if is_number(x) else None)
def _(context, builder, sig, args):
    if sig.args[0] != lane:
        return builder.fptosi(context.cast(builder, args[0], sig.args[0], types.float64), I64)
    top = builder.extract_element(args[0], I32(0))
    for w in range(1, W):
        x = builder.extract_element(args[0], I32(w))
        top = builder.select(builder.fcmp_ordered(">", x, top), x, top)
    return builder.fptosi(top, I64)


@machine_code(p.to_int, lambda x: types.int64 if is_number(x) and x != lane else None)
def _(context, builder, sig, args):
    return builder.fptosi(context.cast(builder, args[0], sig.args[0], types.float64), I64)


def _bits(ty):
    return BITS if ty == LANE else I64


def _constant(ty, value):
    return ir.Constant(ty, [value] * W if ty in (BITS, LANE) else value)


# Between doubles and small whole numbers without conversion instructions, which AVX2 does not have:
# adding 1.5 * 2**52 leaves a whole number in the low bits.
ROUND = 1.5 * 2.0**52


@machine_code(p.ldexp, _numbers)
def _(context, builder, sig, args):
    elt = sig.return_type
    x, k = (number_as(context, builder, v, t, elt) for v, t in zip(args, sig.args, strict=True))
    ity = _bits(x.type)
    biased = builder.bitcast(builder.fadd(k, _constant(x.type, ROUND + 1023.0)), ity)
    power = builder.bitcast(builder.shl(biased, _constant(ity, 52)), x.type)
    return builder.fmul(x, power)


@machine_code(p.frexp, lambda x: types.UniTuple(common_elt(x), 2) if is_number(x) else None)
def _(context, builder, sig, args):
    elt = sig.return_type.dtype
    x = number_as(context, builder, args[0], sig.args[0], elt)
    ity = _bits(x.type)
    bits = builder.bitcast(x, ity)
    biased = builder.and_(builder.lshr(bits, _constant(ity, 52)), _constant(ity, 0x7FF))
    exponent = builder.bitcast(builder.or_(biased, _constant(ity, 1075 << 52)), x.type)
    exponent = builder.fsub(exponent, _constant(x.type, 2.0**52 + 1022.0))
    half = _constant(ity, 1022 << 52)
    mantissa = builder.or_(builder.and_(bits, _constant(ity, (1 << 52) - 1)), half)
    return context.make_tuple(
        builder, sig.return_type, [builder.bitcast(mantissa, x.type), exponent]
    )


# --------------------------------------------------------------------------------- indexing, fields


@infer
class _VecItem(AbstractTemplate):
    key = "static_getitem"

    def generic(self, args, kws):
        ty, index = args
        if not isinstance(ty, VecType):
            return None
        if isinstance(index, int) and -ty.n <= index < ty.n:
            return signature(ty.elt, *args)
        if isinstance(index, slice):
            return signature(VecType(len(range(ty.n)[index]), ty.elt), *args)
        return None


@lower_builtin("static_getitem", VecType, types.Any)
def _(context, builder, sig, args):
    ty, index = sig.args[0], args[1]
    if isinstance(index, int):
        return builder.extract_value(args[0], index % ty.n)
    items = [builder.extract_value(args[0], k) for k in range(ty.n)[index]]
    return pack(builder, sig.return_type, items)


def _load(builder, pointer, const, align=None):
    x = builder.load(pointer, align=align)
    if const:
        x.set_metadata("invariant.load", builder.module.add_metadata([]))
    return x


def _address(context, builder, sig, args):
    """Pointer to the first number that field[index] means."""
    ty, tindex = sig.args[:2]
    index, width = args[1], I64(ty.width)
    if isinstance(tindex, types.BaseTuple):
        row, column = (
            context.cast(builder, x, t, types.int64)
            for x, t in zip(cgutils.unpack_tuple(builder, index), tindex, strict=True)
        )
        flat = builder.add(builder.mul(row, width), column)
    else:
        flat = builder.mul(context.cast(builder, index, tindex, types.int64), width)
    return builder.gep(args[0], [flat])


def _load_items(builder, ty, pointer, n):
    align = 4 if ty.single else LANE_ALIGN if ty.elt == lane else 8
    items = [_load(builder, builder.gep(pointer, [I64(k)]), ty.const, align) for k in range(n)]
    return [builder.fpext(x, F64) for x in items] if ty.single else items


def _is_index(index):
    if isinstance(index, types.BaseTuple):
        return len(index) == 2 and all(isinstance(t, types.Integer) for t in index)
    return isinstance(index, types.Integer)


def _is_lane_index(index):
    """A row for every lane, or such rows and a column."""
    if isinstance(index, types.BaseTuple):
        return len(index) == 2 and index[0] == lane and isinstance(index[1], types.Integer)
    return index == lane


def _type_getitem(*args):
    ty, index = args
    if isinstance(ty, (FieldType, IntFieldType)) and _is_lane_index(index):
        whole = isinstance(ty, FieldType) and ty.width > 1 and index == lane
        return VecType(ty.width, lane) if whole else lane
    if isinstance(ty, FieldType) and _is_index(index):
        return ty.row if isinstance(index, types.Integer) else ty.elt
    if isinstance(ty, IntFieldType) and _is_index(index):
        return types.int64
    return None


def _lower_getitem(context, builder, sig, args):
    ty = sig.args[0]
    if _is_lane_index(sig.args[1]):
        return _gather(context, builder, sig, args)
    pointer = _address(context, builder, sig, args)
    if isinstance(ty, IntFieldType):
        return _load_int(builder, ty, pointer)
    if isinstance(sig.return_type, VecType):
        return pack(builder, sig.return_type, _load_items(builder, ty, pointer, ty.width))
    return _load_items(builder, ty, pointer, 1)[0]


def _load_int(builder, ty, pointer):
    x = _load(builder, pointer, ty.const)
    return x if ty.bits == 64 else (builder.sext if ty.signed else builder.zext)(x, I64)


_typed(operator.getitem, _type_getitem)
for _kind in (FieldType, IntFieldType):
    for _index in (types.Integer, types.BaseTuple, LaneType):
        lower_builtin(operator.getitem, _kind, _index)(_lower_getitem)


def _lane_rows(context, builder, ty, tindex, index):
    """First number of each lane's row or item, as a vector of i32, counted in numbers."""
    column = I64(0)
    if isinstance(tindex, types.BaseTuple):
        index, column = cgutils.unpack_tuple(builder, index)
        column = context.cast(builder, column, tindex[1], types.int64)
    rows = builder.fptosi(index, ir.VectorType(I32, W))
    flat = builder.mul(rows, splat_vector(builder, I32(ty.width), rows.type))
    return builder.add(flat, splat_vector(builder, builder.trunc(column, I32), rows.type))


def _scalar_pointer(builder, ty, pointer, flat, w):
    """Pointer to the double (or int) of lane w (i64) at a flat number."""
    if isinstance(ty, FieldType) and ty.elt == lane:
        pointer = builder.bitcast(pointer, F64.as_pointer())
        flat = builder.add(builder.mul(flat, I64(W)), w)
    return builder.gep(pointer, [flat])


def _gather(context, builder, sig, args):
    ty, tindex = sig.args
    flat = _lane_rows(context, builder, ty, tindex, args[1])
    n = sig.return_type.n if isinstance(sig.return_type, VecType) else 1
    items = [ir.Constant(LANE, ir.Undefined)] * n
    for w in range(W):
        first = builder.sext(builder.extract_element(flat, I32(w)), I64)
        for k in range(n):
            place = builder.add(first, I64(k))
            pointer = _scalar_pointer(builder, ty, args[0], place, I64(w))
            if isinstance(ty, IntFieldType):
                x = builder.sitofp(_load_int(builder, ty, pointer), F64)
            else:
                x = _load(builder, pointer, ty.const)
                x = builder.fpext(x, F64) if ty.single else x
            items[k] = builder.insert_element(items[k], x, I32(w))
    return items[0] if sig.return_type == lane else pack(builder, sig.return_type, items)


def _type_scatter(field, index, value, on):
    ok = isinstance(field, FieldType) and field.elt == lane and _is_condition(on)
    if not (ok and (_is_lane_index(index) or _is_index(index))):
        return None
    n = value.n if isinstance(value, VecType) else 1
    column = isinstance(index, types.BaseTuple)
    return types.none if column or n == field.width else None


def _scatter(func, adds):
    @machine_code(func, _type_scatter)
    def lower(context, builder, sig, args):
        # through the stack: a loop over the lanes that hold is short code, and quick for few
        ty, tindex, tvalue, tmask = sig.args
        index = args[1]
        if _is_index(tindex):  # the same row in every lane
            if isinstance(tindex, types.BaseTuple):
                row, column = cgutils.unpack_tuple(builder, index)
                wide = types.Tuple((lane, tindex[1]))
                row = number_as(context, builder, row, tindex[0], lane)
                index, tindex = context.make_tuple(builder, wide, [row, column]), wide
            else:
                index, tindex = number_as(context, builder, index, tindex, lane), lane
        flat = _lane_rows(context, builder, ty, tindex, index)
        n = tvalue.n if isinstance(tvalue, VecType) else 1
        rows = cgutils.alloca_once(builder, flat.type)
        rows.align = 64
        builder.store(flat, rows, align=64)
        values = cgutils.alloca_once(builder, LANE, size=n)
        values.align = 64
        for k in range(n):
            x = item_as(context, builder, args[2], tvalue, k, lane)
            builder.store(x, builder.gep(values, [I64(k)]), align=64)
        rows = builder.bitcast(rows, I32.as_pointer())
        values = builder.bitcast(values, F64.as_pointer())
        left = cgutils.alloca_once(builder, ir.IntType(W))
        on = mask_as(context, builder, args[3], tmask, True)
        builder.store(builder.bitcast(on, ir.IntType(W)), left)
        with _lanes_of(builder, left) as w:
            first = builder.sext(builder.load(builder.gep(rows, [w])), I64)
            for k in range(n):
                place = builder.add(first, I64(k))
                pointer = _scalar_pointer(builder, ty, args[0], place, w)
                x = builder.load(builder.gep(values, [builder.add(w, I64(k * W))]))
                if adds:
                    x = builder.fadd(builder.load(pointer), x)
                builder.store(x, pointer)
        return context.get_dummy_value()


@contextlib.contextmanager
def _lanes_of(builder, left):
    """A loop over the set bits of the integer at `left`; gives the bit's number as i64."""
    byte = ir.IntType(W)
    head, body, end = (builder.append_basic_block(f"lanes.{x}") for x in ("head", "body", "end"))
    builder.branch(head)
    builder.position_at_end(head)
    rest = builder.load(left)
    builder.cbranch(builder.icmp_unsigned("!=", rest, byte(0)), body, end)
    builder.position_at_end(body)
    yield builder.zext(builder.cttz(rest, I1(1)), I64)
    builder.store(builder.and_(rest, builder.sub(rest, byte(1))), left)
    builder.branch(head)
    builder.position_at_end(end)


_scatter(p.put, False)
_scatter(p.add_at, True)


def _type_load_lane(field, index, w):
    if not (isinstance(field, FieldType) and _is_index(index) and isinstance(w, types.Integer)):
        return None
    whole = field.width > 1 and isinstance(index, types.Integer)
    return VecType(field.width, types.float64) if whole else types.float64


@machine_code(p.load_lane, _type_load_lane)
def _(context, builder, sig, args):
    ty, out = sig.args[0], sig.return_type
    n = out.n if isinstance(out, VecType) else 1
    pointer = _address(context, builder, sig, args)
    if ty.elt == lane:
        w = context.cast(builder, args[2], sig.args[2], types.int64)
        pointer = builder.bitcast(pointer, F64.as_pointer())
        places = [builder.add(w, I64(k * W)) for k in range(n)]
        items = [_load(builder, builder.gep(pointer, [k]), ty.const) for k in places]
    else:
        items = _load_items(builder, ty, pointer, n)
    return pack(builder, out, items) if isinstance(out, VecType) else items[0]


def _type_store_lane(field, index, w, value):
    ok = isinstance(field, FieldType) and field.elt == lane and _is_index(index)
    n = value.n if isinstance(value, VecType) else 1
    plain = value.elt != lane if isinstance(value, VecType) else value != lane
    whole = (isinstance(index, types.BaseTuple) and n == 1) or n == field.width
    return types.none if ok and whole and plain and isinstance(w, types.Integer) else None


@machine_code(p.store_lane, _type_store_lane)
def _(context, builder, sig, args):
    tvalue = sig.args[3]
    pointer = _address(context, builder, sig, args)
    pointer = builder.bitcast(pointer, F64.as_pointer())
    w = context.cast(builder, args[2], sig.args[2], types.int64)
    for k in range(tvalue.n if isinstance(tvalue, VecType) else 1):
        x = item_as(context, builder, args[3], tvalue, k, types.float64)
        builder.store(x, builder.gep(pointer, [builder.add(w, I64(k * W))]))
    return context.get_dummy_value()


def _type_setitem(*args):
    ty, index, value = args
    if not _is_index(index):
        return None
    one = not isinstance(index, types.Integer)
    if isinstance(ty, IntFieldType) and isinstance(value, types.Integer):
        return types.none
    if isinstance(ty, FieldType):
        if (one or ty.width == 1) and is_number(value) and not (ty.elt != lane and value == lane):
            return types.none
        if not one and isinstance(value, VecType) and value.n == ty.width:
            return types.none
    return None


def _lower_setitem(context, builder, sig, args):
    ty, _, tvalue = sig.args
    pointer = _address(context, builder, sig, args)
    if isinstance(ty, IntFieldType):
        _store_int(context, builder, ty, pointer, args[2], tvalue)
    else:
        _store_items(context, builder, ty, pointer, args[2], tvalue)
    return context.get_dummy_value()


def _store_int(context, builder, ty, pointer, value, tvalue):
    x = context.cast(builder, value, tvalue, types.int64)
    builder.store(x if ty.bits == 64 else builder.trunc(x, ir.IntType(ty.bits)), pointer)


def _store_items(context, builder, ty, pointer, value, tvalue):
    for k in range(tvalue.n if isinstance(tvalue, VecType) else 1):
        x = item_as(context, builder, value, tvalue, k, ty.elt)
        builder.store(x, builder.gep(pointer, [I64(k)]), align=LANE_ALIGN if ty.elt == lane else 8)


_typed(operator.setitem, _type_setitem)
for _kind in (FieldType, IntFieldType):
    for _index in (types.Integer, types.BaseTuple):
        for _value in (LaneType, VecType, types.Number):
            lower_builtin(operator.setitem, _kind, _index, _value)(_lower_setitem)


def _load_n(func, n):
    def typer(field, k):
        ok = isinstance(field, FieldType) and field.width == 1 and isinstance(k, types.Integer)
        return VecType(n, field.elt) if ok else None

    @machine_code(func, typer)
    def lower(context, builder, sig, args):
        pointer = _address(context, builder, sig, args)
        return pack(builder, sig.return_type, _load_items(builder, sig.args[0], pointer, n))


def _store_n(func, n):
    def typer(field, k, v):
        ok = (
            isinstance(field, FieldType)
            and field.width == 1
            and isinstance(v, VecType)
            and v.n == n
        )
        return types.none if ok else None

    @machine_code(func, typer)
    def lower(context, builder, sig, args):
        pointer = _address(context, builder, sig, args)
        _store_items(context, builder, sig.args[0], pointer, args[2], sig.args[2])
        return context.get_dummy_value()


_load_n(p.load3, 3)
_load_n(p.load4, 4)
_store_n(p.store3, 3)
_store_n(p.store4, 4)


# ---------------------------------------------------------------------------------------- structs


@infer_getattr
class _StructAttribute(AttributeTemplate):
    key = StructType

    def generic_resolve(self, ty, attr):
        if attr in ty.nested:
            return ty.nested[attr]
        if attr not in ty.fields:
            return None
        _, field, no_dims = ty.fields[attr]
        if not no_dims:
            return field
        return types.int64 if isinstance(field, IntFieldType) else field.row


def _field_pointer(context, builder, ty, struct, attr):
    index, field, _ = ty.fields[attr]
    # the table of pointers does not change while kernels run
    address = _load(builder, builder.gep(struct, [I64(index)]), True)
    return builder.inttoptr(address, context.get_value_type(field))


@lower_getattr_generic(StructType)
def _(context, builder, ty, struct, attr):
    if attr in ty.nested:
        return struct
    _, field, no_dims = ty.fields[attr]
    pointer = _field_pointer(context, builder, ty, struct, attr)
    if not no_dims:
        return pointer
    if isinstance(field, IntFieldType):
        return _load_int(builder, field, pointer)
    items = _load_items(builder, field, pointer, field.width)
    return items[0] if field.width == 1 else pack(builder, field.row, items)


@lower_setattr_generic(StructType)
def _(context, builder, sig, args, attr):
    ty, tvalue = sig.args
    field = ty.fields[attr][1]
    pointer = _field_pointer(context, builder, ty, args[0], attr)
    if isinstance(field, IntFieldType):
        _store_int(context, builder, field, pointer, args[1], tvalue)
    else:
        _store_items(context, builder, field, pointer, args[1], tvalue)
