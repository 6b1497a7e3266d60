"""The types of numbers in a compiled kernel, and how LLVM holds them.

Lane         a vector of eight doubles
Mask         a vector of eight bits
Vec(n)       an array of n Lanes or n doubles, kept in registers
Field        a pointer to rows of Lanes or doubles; IntField, to integers
Struct       a pointer to a table of pointers: `d.cvel` costs one load
"""

import hashlib

from llvmlite import ir
from numba import types
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.extending import (
    models,
    register_model,
)

from .primitives import W

F64, F32, I1, I8, I32, I64 = (
    ir.DoubleType(),
    ir.FloatType(),
    ir.IntType(1),
    ir.IntType(8),
    ir.IntType(32),
    ir.IntType(64),
)
LANE, MASK, BITS = ir.VectorType(F64, W), ir.VectorType(I1, W), ir.VectorType(I64, W)
# Of lanes, a * b + c may fuse; nothing is reassociated. Plain numbers never fuse: scalar geometry
# decides by a * b - c * d being exactly zero.
CONTRACT = ("contract",)
FUSED = [True]  # whether lanes fuse, in the kernel that is being compiled; its callers before it
LANE_ALIGN = 64


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
    """Rows of `width` numbers of type elt; const memory is not written while a kernel runs.

    `single`: in memory, the numbers are float32.
    """

    def __init__(self, width, elt, const, single=False):
        self.width, self.elt, self.const, self.single = width, elt, const, single
        super().__init__(f"Field({width}, {elt}, {const}, {single})")

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


lane, mask, integer = LaneType(), MaskType(), types.int64


def llvm_elt(elt):
    return LANE if elt == lane else F64


def _primitive_model(cls, llvm_type):
    @register_model(cls)
    class Model(models.PrimitiveModel):
        def __init__(self, dmm, fe_type):
            super().__init__(dmm, fe_type, llvm_type(fe_type))


_primitive_model(LaneType, lambda t: LANE)
_primitive_model(MaskType, lambda t: MASK)
_primitive_model(VecType, lambda t: ir.ArrayType(llvm_elt(t.elt), t.n))
_primitive_model(FieldType, lambda t: (F32 if t.single else llvm_elt(t.elt)).as_pointer())
_primitive_model(IntFieldType, lambda t: ir.IntType(t.bits).as_pointer())
_primitive_model(StructType, lambda t: I64.as_pointer())


# ------------------------------------------------------------------------------- numbers in LLVM


def splat_vector(builder, x, vector=LANE):
    undef = ir.Constant(vector, ir.Undefined)
    zeros = ir.Constant(ir.VectorType(I32, W), [0] * W)
    return builder.shuffle_vector(builder.insert_element(undef, x, I32(0)), undef, zeros)


def number_as(context, builder, x, ty, elt):
    """x of type ty (Lane or a Python number) as elt, a lane or a double."""
    if ty == lane:
        return x
    x = context.cast(builder, x, ty, types.float64)
    return splat_vector(builder, x) if elt == lane else x


def mask_as(context, builder, x, ty, wide):
    if ty == mask:
        return x
    x = context.cast(builder, x, ty, types.boolean)
    x = builder.trunc(x, I1) if x.type != I1 else x
    return splat_vector(builder, x, MASK) if wide else x


def item_as(context, builder, x, ty, k, elt):
    """Item k of a Vec as elt; a number is all of its items."""
    if not isinstance(ty, VecType):
        return number_as(context, builder, x, ty, elt)
    x = builder.extract_value(x, k)
    return splat_vector(builder, x) if elt == lane and ty.elt != lane else x


def pack(builder, ty, items):
    out = ir.Constant(ir.ArrayType(llvm_elt(ty.elt), ty.n), ir.Undefined)
    for k, x in enumerate(items):
        out = builder.insert_value(out, x, k)
    return out


def is_number(ty):
    return ty == lane or isinstance(ty, types.Number)


def common_elt(*tys):
    return lane if any(t == lane or getattr(t, "elt", None) == lane for t in tys) else types.float64


@lower_cast(types.Number, LaneType)
def _(context, builder, fromty, toty, x):
    return number_as(context, builder, x, fromty, lane)


@lower_cast(types.Boolean, MaskType)
def _(context, builder, fromty, toty, x):
    return mask_as(context, builder, x, fromty, True)


@lower_cast(VecType, VecType)
def _(context, builder, fromty, toty, x):
    return pack(
        builder, toty, [item_as(context, builder, x, fromty, k, toty.elt) for k in range(toty.n)]
    )


def struct_type(name, fields, const):
    """StructType of [(attribute, dtype, no_dims, width, lanes)]; a dotted attribute nests."""
    table, nested = {}, {}
    for index, (attribute, dtype, no_dims, width, lanes) in enumerate(fields):
        if dtype in ("float", "plain", "float32"):
            wide = lanes and dtype == "float"
            ty = FieldType(width, lane if wide else types.float64, const, dtype == "float32")
        else:
            bits = {"index": 64, "int64": 64, "int32": 32, "byte": 8}[dtype]
            ty = IntFieldType(width, bits, dtype != "byte", const)
        outer, _, inner = attribute.rpartition(".")
        target = nested.setdefault(outer, {}) if outer else table
        target[inner] = (index, ty, no_dims)
    inside = {outer: StructType(f"{name}.{outer}", fields) for outer, fields in nested.items()}
    return StructType(name, table, inside)
