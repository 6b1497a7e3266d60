"""From kernels to machine code: the Numba types of lanes, and one object file for all entry points.

Lane         an LLVM vector of eight doubles
Mask         a vector of eight bits
Vec(n)       an array of n Lanes or n doubles, kept in registers
Field        a pointer to rows of Lanes or doubles; IntField, to integers
Struct       a pointer to a table of pointers: `d.cvel` costs one load

Numba types and lowers every kernel once. Its libraries are not optimized or compiled one by one:
all of them are linked into one module, which is optimized once and written out as one object
(`kernel.py` keeps it on disk and loads it without Numba). A kernel that is not marked `inline`
stays one function, shared by the entry points that reach it; that bounds the compile time.

This is the only module that speaks LLVM.
"""

import hashlib
import operator

import llvmlite.binding as llvm
from llvmlite import ir
from numba import _dynfunc, njit, types
from numba.core import cgutils, compiler, funcdesc, lowering, registry, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
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
    models,
    register_model,
    typeof_impl,
)

from . import primitives as p
from .primitives import W

F64, I1, I8, I32, I64 = (
    ir.DoubleType(),
    ir.IntType(1),
    ir.IntType(8),
    ir.IntType(32),
    ir.IntType(64),
)
LANE, MASK, BITS = ir.VectorType(F64, W), ir.VectorType(I1, W), ir.VectorType(I64, W)
CONTRACT = ("contract",)  # a * b + c may fuse; nothing is reassociated
LANE_ALIGN = 64


# ------------------------------------------------------------------------------------------- types


class LaneType(types.Type):
    def __init__(self):
        super().__init__("Lane")

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx, other):
        return self if isinstance(other, types.Number) else None


class MaskType(types.Type):
    def __init__(self):
        super().__init__("Mask")

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, types.Boolean) else None

    def unify(self, typingctx, other):
        return self if isinstance(other, types.Boolean) else None


class VecType(types.Type):
    def __init__(self, n, elt):
        self.n, self.elt = n, elt
        super().__init__(f"Vec({n}, {elt})")

    def can_convert_from(self, typingctx, other):
        if isinstance(other, VecType) and other.n == self.n and self.elt == lane:
            return Conversion.safe
        return None

    def unify(self, typingctx, other):
        if isinstance(other, VecType) and other.n == self.n:
            return VecType(self.n, lane)
        return None


class FieldType(types.Type):
    """Rows of `width` numbers of type elt; const memory is not written while a kernel runs."""

    def __init__(self, width, elt, const):
        self.width, self.elt, self.const = width, elt, const
        super().__init__(f"Field({width}, {elt}, {const})")

    @property
    def row(self):
        return self.elt if self.width == 1 else VecType(self.width, self.elt)


class IntFieldType(types.Type):
    def __init__(self, width, bits, signed, const):
        self.width, self.bits, self.signed, self.const = width, bits, signed, const
        super().__init__(f"IntField({width}, {bits}, {signed}, {const})")


class StructType(types.Type):
    """fields: name -> (index in the table of pointers, type, whether it has no dimensions)."""

    def __init__(self, name, fields, nested=()):
        self.fields, self.nested = fields, dict(nested)
        digest = hashlib.sha256(
            repr([(k, *map(str, v)) for k, v in fields.items()]).encode()
        ).hexdigest()
        super().__init__(f"{name}<{digest[:16]}>")


lane, mask = LaneType(), MaskType()


def _llvm_elt(elt):
    return LANE if elt == lane else F64


def _primitive_model(cls, llvm_type):
    @register_model(cls)
    class Model(models.PrimitiveModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, llvm_type(fe_type))


_primitive_model(LaneType, lambda t: LANE)
_primitive_model(MaskType, lambda t: MASK)
_primitive_model(VecType, lambda t: ir.ArrayType(_llvm_elt(t.elt), t.n))
_primitive_model(FieldType, lambda t: _llvm_elt(t.elt).as_pointer())
_primitive_model(IntFieldType, lambda t: ir.IntType(t.bits).as_pointer())
_primitive_model(StructType, lambda t: I64.as_pointer())


# ------------------------------------------------------------------------------- numbers in LLVM


def _splat(builder, x, vector=LANE):
    undef = ir.Constant(vector, ir.Undefined)
    zeros = ir.Constant(ir.VectorType(I32, W), [0] * W)
    return builder.shuffle_vector(builder.insert_element(undef, x, I32(0)), undef, zeros)


def _number(context, builder, x, ty, elt):
    """x of type ty (Lane or a Python number) as elt, a lane or a double."""
    if ty == lane:
        return x
    x = context.cast(builder, x, ty, types.float64)
    return _splat(builder, x) if elt == lane else x


def _mask(context, builder, x, ty, wide):
    if ty == mask:
        return x
    x = context.cast(builder, x, ty, types.boolean)
    x = builder.trunc(x, I1) if x.type != I1 else x
    return _splat(builder, x, MASK) if wide else x


def _item(context, builder, x, ty, k, elt):
    """Item k of a Vec as elt; a number is all of its items."""
    if not isinstance(ty, VecType):
        return _number(context, builder, x, ty, elt)
    x = builder.extract_value(x, k)
    return _splat(builder, x) if elt == lane and ty.elt != lane else x


def _array(builder, ty, items):
    out = ir.Constant(ir.ArrayType(_llvm_elt(ty.elt), ty.n), ir.Undefined)
    for k, x in enumerate(items):
        out = builder.insert_value(out, x, k)
    return out


def _is_number(ty):
    return ty == lane or isinstance(ty, types.Number)


def _elt(*tys):
    return lane if any(t == lane or getattr(t, "elt", None) == lane for t in tys) else types.float64


@lower_cast(types.Number, LaneType)
def _(context, builder, fromty, toty, x):
    return _number(context, builder, x, fromty, lane)


@lower_cast(types.Boolean, MaskType)
def _(context, builder, fromty, toty, x):
    return _mask(context, builder, x, fromty, True)


@lower_cast(VecType, VecType)
def _(context, builder, fromty, toty, x):
    return _array(
        builder, toty, [_item(context, builder, x, fromty, k, toty.elt) for k in range(toty.n)]
    )


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


def _try_ours_first():
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
            return VecType(a.n, _elt(a, b)) if vec_vec and a.n == b.n else None
        if va and _is_number(b):
            return VecType(a.n, _elt(a, b)) if vec_number else None
        if vb and _is_number(a):
            return VecType(b.n, _elt(a, b)) if number_vec else None
        if lane in (a, b) and _is_number(a) and _is_number(b):
            return lane
        return None

    def lower(context, builder, sig, args):
        emit = getattr(builder, instruction)
        ty = sig.return_type

        def item(k, elt):
            x, y = (
                _item(context, builder, v, t, k, elt) for v, t in zip(args, sig.args, strict=True)
            )
            return emit(x, y, flags=CONTRACT)

        if ty == lane:
            return item(0, lane)
        return _array(builder, ty, [item(k, ty.elt) for k in range(ty.n)])

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
    return _array(builder, ty, [builder.fneg(builder.extract_value(x, k)) for k in range(ty.n)])


_typed(operator.neg, lambda x: x if x == lane or isinstance(x, VecType) else None)
lower_builtin(operator.neg, LaneType)(_lower_neg)
lower_builtin(operator.neg, VecType)(_lower_neg)


def _comparison(op, symbol):
    def typer(*args):
        return mask if len(args) == 2 and lane in args and all(map(_is_number, args)) else None

    def lower(context, builder, sig, args):
        a, b = (_number(context, builder, v, t, lane) for v, t in zip(args, sig.args, strict=True))
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
        a, b = (_mask(context, builder, v, t, True) for v, t in zip(args, sig.args, strict=True))
        return getattr(builder, instruction)(a, b)

    _typed(op, typer)
    for a, b in ((MaskType, MaskType), (MaskType, types.Boolean), (types.Boolean, MaskType)):
        lower_builtin(op, a, b)(lower)


_logic(operator.and_, "and_")
_logic(operator.or_, "or_")
_logic(operator.iand, "and_")
_logic(operator.ior, "or_")


# ------------------------------------------------------------------------------------ operations


def _operation(func, typer):
    """Decorate the lowering of one of the functions in primitives.py."""
    _typed(func, typer)
    return lambda lower: lower_builtin(func, types.VarArg(types.Any))(lower)


def _numbers(*args):
    return _elt(*args) if all(map(_is_number, args)) else None


def _llvm_function(func, name):
    """Operations that LLVM has an intrinsic for, on lanes and on doubles."""

    @_operation(func, _numbers)
    def lower(context, builder, sig, args):
        ty = _llvm_elt(sig.return_type)
        suffix = f"v{W}f64" if ty == LANE else "f64"
        fnty = ir.FunctionType(ty, [ty] * len(args))
        fn = cgutils.get_or_insert_function(builder.module, fnty, f"llvm.{name}.{suffix}")
        items = [
            _number(context, builder, x, t, sig.return_type)
            for x, t in zip(args, sig.args, strict=True)
        ]
        return builder.call(fn, items)


for _func, _name in (
    (p.sqrt, "sqrt"), (p.abs_, "fabs"), (p.rint, "rint"), (p.floor, "floor"),
    (p.copysign, "copysign"), (p.fma, "fma"),
):  # fmt: skip
    _llvm_function(_func, _name)


def _select_by(func, symbol):
    @_operation(func, _numbers)
    def lower(context, builder, sig, args):
        elt = sig.return_type
        a, b = (_number(context, builder, x, t, elt) for x, t in zip(args, sig.args, strict=True))
        return builder.select(builder.fcmp_ordered(symbol, a, b), a, b)


_select_by(p.minimum, "<")
_select_by(p.maximum, ">")


@_operation(
    p.vec, lambda *args: VecType(len(args), _elt(*args)) if all(map(_is_number, args)) else None
)
def _(context, builder, sig, args):
    ty = sig.return_type
    items = [_number(context, builder, x, t, ty.elt) for x, t in zip(args, sig.args, strict=True)]
    return _array(builder, ty, items)


def _type_concat(u, v):
    both = isinstance(u, VecType) and isinstance(v, VecType)
    return VecType(u.n + v.n, _elt(u, v)) if both else None


@_operation(p.concat, _type_concat)
def _(context, builder, sig, args):
    ty = sig.return_type
    items = [
        _item(context, builder, x, t, k, ty.elt)
        for x, t in zip(args, sig.args, strict=True)
        for k in range(t.n)
    ]
    return _array(builder, ty, items)


@_operation(p.splat, lambda x: lane if _is_number(x) else None)
def _(context, builder, sig, args):
    return _number(context, builder, args[0], sig.args[0], lane)


@_operation(p.to_lane, lambda i: lane if _is_number(i) else None)
def _(context, builder, sig, args):
    return _number(context, builder, args[0], sig.args[0], lane)


def _is_condition(ty):
    return ty == mask or isinstance(ty, types.Boolean)


def _type_where(c, a, b):
    if not _is_condition(c):
        return None
    wide = lane if c == mask else _elt(a, b)
    if isinstance(a, VecType) and isinstance(b, VecType) and a.n == b.n:
        return VecType(a.n, wide)
    return wide if _is_number(a) and _is_number(b) else None


@_operation(p.where, _type_where)
def _(context, builder, sig, args):
    ty = sig.return_type
    (c, a, b), (tc, ta, tb) = args, sig.args
    c = _mask(context, builder, c, tc, tc == mask)

    def item(k, elt):
        x, y = _item(context, builder, a, ta, k, elt), _item(context, builder, b, tb, k, elt)
        return builder.select(c, x, y)

    if isinstance(ty, VecType):
        return _array(builder, ty, [item(k, ty.elt) for k in range(ty.n)])
    return item(0, ty)


def _reduce(func, symbol, value):
    @_operation(func, lambda c: types.boolean if _is_condition(c) else None)
    def lower(context, builder, sig, args):
        if sig.args[0] != mask:
            return context.cast(builder, args[0], sig.args[0], types.boolean)
        bits = builder.bitcast(args[0], ir.IntType(W))
        return builder.icmp_unsigned(symbol, bits, ir.Constant(ir.IntType(W), value))


_reduce(p.any_lane, "!=", 0)
_reduce(p.all_lanes, "==", 2**W - 1)


@_operation(p.not_, lambda c: c if _is_condition(c) else None)
def _(context, builder, sig, args):
    return builder.not_(_mask(context, builder, args[0], sig.args[0], sig.args[0] == mask))


@_operation(p.lane_mask, lambda n: mask if isinstance(n, types.Integer) else None)
def _(context, builder, sig, args):
    n = _splat(builder, context.cast(builder, args[0], sig.args[0], types.int64), BITS)
    return builder.icmp_signed("<", ir.Constant(BITS, list(range(W))), n)


def _type_lane_item(x, i):
    return types.float64 if x == lane and isinstance(i, types.Integer) else None


@_operation(p.lane_item, _type_lane_item)
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


@_operation(p.ldexp, _numbers)
def _(context, builder, sig, args):
    elt = sig.return_type
    x, k = (_number(context, builder, v, t, elt) for v, t in zip(args, sig.args, strict=True))
    ity = _bits(x.type)
    biased = builder.bitcast(builder.fadd(k, _constant(x.type, ROUND + 1023.0)), ity)
    power = builder.bitcast(builder.shl(biased, _constant(ity, 52)), x.type)
    return builder.fmul(x, power)


@_operation(p.frexp, lambda x: types.UniTuple(_elt(x), 2) if _is_number(x) else None)
def _(context, builder, sig, args):
    elt = sig.return_type.dtype
    x = _number(context, builder, args[0], sig.args[0], elt)
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
    return _array(builder, sig.return_type, items)


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
        return _array(builder, sig.return_type, _load_items(builder, ty, pointer, ty.width))
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
        if (one or ty.width == 1) and _is_number(value) and not (ty.elt != lane and value == lane):
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
        x = _item(context, builder, value, tvalue, k, ty.elt)
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

    @_operation(func, typer)
    def lower(context, builder, sig, args):
        pointer = _address(context, builder, sig, args)
        return _array(builder, sig.return_type, _load_items(builder, sig.args[0], pointer, n))


def _store_n(func, n):
    def typer(field, k, v):
        ok = (
            isinstance(field, FieldType)
            and field.width == 1
            and isinstance(v, VecType)
            and v.n == n
        )
        return types.none if ok else None

    @_operation(func, typer)
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
    return items[0] if field.width == 1 else _array(builder, field.row, items)


@lower_setattr_generic(StructType)
def _(context, builder, sig, args, attr):
    ty, tvalue = sig.args
    pointer = _field_pointer(context, builder, ty, args[0], attr)
    _store_items(context, builder, ty.fields[attr][1], pointer, args[1], tvalue)


def struct_type(name, fields, const):
    """StructType of [(attribute, dtype, no_dims, width, lanes)]; a dotted attribute nests."""
    table, nested = {}, {}
    for index, (attribute, dtype, no_dims, width, lanes) in enumerate(fields):
        if dtype == "float":
            ty = FieldType(width, lane if lanes else types.float64, const)
        else:
            bits = {"int64": 64, "int32": 32, "byte": 8}[dtype]
            ty = IntFieldType(width, bits, dtype != "byte", const)
        outer, _, inner = attribute.rpartition(".")
        target = nested.setdefault(outer, {}) if outer else table
        target[inner] = (index, ty, no_dims)
    inside = {outer: StructType(f"{name}.{outer}", fields) for outer, fields in nested.items()}
    return StructType(name, table, inside)


# --------------------------------------------------------------------------------------- compiling


class _KernelLibrary(JITCodeLibrary):
    """Code that is only ever linked: neither optimized nor compiled by itself."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        self._finalized = True

    def _get_module_for_linking(self):
        return self._final_module


class _KernelLower(lowering.Lower):
    """Lowering that marks kernels as inlined always or never."""

    def lower_normal_function(self, fndesc):
        super().lower_normal_function(fndesc)
        attributes = self.function.attributes
        attributes.add("nounwind")
        if "alwaysinline" not in attributes:
            attributes.add("noinline")


@register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(typed_passes.BaseNativeLowering):
    _name = "lanewise_kernel_lowering"
    lowering_class = _KernelLower

    def run_pass(self, state):
        context, flags = state.targetctx, state.flags
        name = state.func_id.func_qualname
        library = state.library = _KernelLibrary(context.codegen(), name)
        fndesc = funcdesc.PythonFunctionDescriptor.from_specialized_function(
            state.func_ir, state.typemap, state.return_type, state.calltypes,
            mangler=context.mangler, inline=flags.forceinline, noalias=flags.noalias,
            abi_tags=[flags.get_mangle_string()],
        )  # fmt: skip
        with context.push_code_library(library):
            lower = _KernelLower(context, library, fndesc, state.func_ir, metadata=state.metadata)
            lower.lower()
        # never called: only the key under which other kernels find this one
        key = _dynfunc.make_function(
            fndesc.lookup_module(), name.split(".")[-1], "", 0, lower.env, (library,)
        )
        context.insert_user_function(key, fndesc, [library])
        state["cr"] = compiler._LowerResult(fndesc, lower.call_helper, cfunc=key, env=lower.env)
        return True


class _Passes(compiler.PassManager):
    """Runs passes and nothing else: Numba spends most of its time on checks between them."""

    def _runPass(self, index, pss, internal_state):
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


class _KernelCompiler(compiler.CompilerBase):
    """What kernels need of Numba's pipeline: no closures, no parallel loops, no exceptions."""

    def define_pipelines(self):
        pm = _Passes("kernel")
        for step in (
            untyped_passes.TranslateByteCode, untyped_passes.FixupArgs, untyped_passes.IRProcessing,
            untyped_passes.GenericRewrites, untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference, typed_passes.PreLowerStripPhis, _KernelLowering,
            typed_passes.NoPythonBackend,
        ):  # fmt: skip
            pm.add_pass(step, step.__name__)
        pm.finalize()
        return [pm]


def dispatcher(python_function, inline):
    """The Numba dispatcher of a kernel: the one place where the compiler's flags are set."""
    return njit(
        nogil=True, error_model="numpy", fastmath=set(CONTRACT), forceinline=inline,
        no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_KernelCompiler,
    )(python_function)  # fmt: skip


class _KernelFunction(types.Dispatcher):
    """A kernel as a callee: compiled for an int, not once for each constant it is called with."""

    def get_call_type(self, context, args, kws):
        return super().get_call_type(context, tuple(types.unliteral(t) for t in args), kws)


register_model(_KernelFunction)(models.OpaqueModel)


def register_kernel_type(kernel_class):
    """Let kernels call each other through their module's globals."""

    @typeof_impl.register(kernel_class)
    def _(kernel, c):
        return _KernelFunction(kernel.dispatcher)


def _reachable(library, seen):
    """The library and all that it links, each once."""
    if library not in seen:
        seen.add(library)
        yield library
        for other in library._linking_libraries:
            yield from _reachable(other, seen)


def _export(name, cres):
    """A C function `void name(int64, ...)` that calls a kernel; structs come as addresses."""
    context, fndesc = registry.cpu_target.target_context, cres.fndesc
    module = ir.Module(f"export_{name}")
    argtypes = fndesc.argtypes
    fn = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * len(argtypes)), name)
    builder = ir.IRBuilder(fn.append_basic_block())
    args = [
        builder.inttoptr(x, context.get_value_type(t)) if isinstance(t, StructType) else x
        for x, t in zip(fn.args, argtypes, strict=True)
    ]
    callee = context.declare_function(module, fndesc)
    context.call_conv.call_function(builder, callee, fndesc.restype, argtypes, args)
    builder.ret_void()
    return module


def compile_object(entries):
    """Object code with one C function for each of {name: (kernel, argument types)}."""
    _try_ours_first()
    context = registry.cpu_target.target_context
    codegen = context.codegen()
    module = llvm.parse_assembly(str(codegen._create_empty_module("lanewise")))
    seen = set()
    for name, (kernel, argtypes) in entries.items():
        kernel.dispatcher.compile(argtypes)
        cres = kernel.dispatcher.overloads[argtypes]
        for library in _reachable(cres.library, seen):
            module.link_in(library._get_module_for_linking(), preserve=True)
        export = llvm.parse_assembly(cgutils.normalize_ir_text(str(_export(name, cres))))
        export.data_layout = codegen._data_layout
        module.link_in(export)
    for fn in module.functions:
        if not fn.is_declaration and fn.name not in entries:
            fn.linkage = "internal"
    module.verify()
    optimize(codegen._tm, module)
    return codegen._tm.emit_object(module), module


def optimize(target_machine, module):
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False  # lanes are vectors already
    options.loop_unrolling = False
    builder = llvm.create_pass_builder(target_machine, options)
    builder.getModulePassManager().run(module, builder)
