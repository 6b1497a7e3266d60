"""Machine code of the operations in primitives.py: their types, and the LLVM that they become."""

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
    I64,
    LANE,
    LANE_ALIGN,
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
            return emit(x, y, flags=CONTRACT)

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
    return types.float64 if x == lane and isinstance(i, types.Integer) else None


@machine_code(p.lane_item, _type_lane_item)
def _(context, builder, sig, args):
    i = context.cast(builder, args[1], sig.args[1], types.int64)
    return builder.extract_element(args[0], i)


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
    align = LANE_ALIGN if ty.elt == lane else 8
    return [_load(builder, builder.gep(pointer, [I64(k)]), ty.const, align) for k in range(n)]


def _is_index(index):
    if isinstance(index, types.BaseTuple):
        return len(index) == 2 and all(isinstance(t, types.Integer) for t in index)
    return isinstance(index, types.Integer)


def _type_getitem(*args):
    ty, index = args
    if isinstance(ty, FieldType) and _is_index(index):
        return ty.row if isinstance(index, types.Integer) else ty.elt
    if isinstance(ty, IntFieldType) and _is_index(index):
        return types.int64
    return None


def _lower_getitem(context, builder, sig, args):
    ty = sig.args[0]
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
    for _index in (types.Integer, types.BaseTuple):
        lower_builtin(operator.getitem, _kind, _index)(_lower_getitem)


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
        x = context.cast(builder, args[2], tvalue, types.int64)
        builder.store(x if ty.bits == 64 else builder.trunc(x, ir.IntType(ty.bits)), pointer)
        return context.get_dummy_value()
    _store_items(context, builder, ty, pointer, args[2], tvalue)
    return context.get_dummy_value()


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
    pointer = _field_pointer(context, builder, ty, args[0], attr)
    _store_items(context, builder, ty.fields[attr][1], pointer, args[1], tvalue)
