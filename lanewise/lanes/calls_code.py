"""Machine code of the operations in calls.py."""

from llvmlite import ir
from numba import types

from . import calls as p
from .lane_types import I64, StructType
from .primitives_code import machine_code


def _type_call(address, m, d, i, k):
    structs = isinstance(m, StructType) and isinstance(d, StructType)
    integers = all(isinstance(t, types.Integer) for t in (address, i, k))
    return types.none if structs and integers else None


@machine_code(p.call_code, _type_call)
def _(context, builder, sig, args):
    address, m, d, i, k = args
    fnty = ir.FunctionType(ir.VoidType(), [I64] * 4)
    code = context.cast(builder, address, sig.args[0], types.int64)
    numbers = [
        context.cast(builder, x, t, types.int64) for x, t in ((i, sig.args[3]), (k, sig.args[4]))
    ]
    structs = [builder.ptrtoint(x, I64) for x in (m, d)]
    builder.call(builder.inttoptr(code, fnty.as_pointer()), [*structs, *numbers])
    return context.get_dummy_value()
