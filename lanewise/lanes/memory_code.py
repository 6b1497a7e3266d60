"""Machine code of the operations in memory.py."""

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils

from . import memory as p
from .lane_types import F64, I8, I32, I64, LANE, VecType, lane, number_as, pack
from .primitives import W
from .primitives_code import machine_code


def _integers(*args):
    return all(isinstance(t, types.Integer) for t in args)


def _pointer(context, builder, address, ty, to):
    address = context.cast(builder, address, ty, types.int64)
    return builder.inttoptr(address, to.as_pointer())


def _reader(func, result, to):
    @machine_code(func, lambda address: result if _integers(address) else None)
    def lower(context, builder, sig, args):
        pointer = _pointer(context, builder, args[0], sig.args[0], to)
        x = builder.load(pointer, align=4 if to == I32 else 8)
        return builder.sext(x, I64) if to == I32 else x


_reader(p.lane_at, lane, LANE)
_reader(p.number_at, types.float64, F64)
_reader(p.int64_at, types.int64, I64)
_reader(p.int32_at, types.int64, I32)


def is_number(ty):
    return isinstance(ty, types.Number)


@machine_code(
    p.put_lane, lambda address, x: types.none if _integers(address) and x == lane else None
)
def _(context, builder, sig, args):
    builder.store(args[1], _pointer(context, builder, args[0], sig.args[0], LANE), align=8)
    return context.get_dummy_value()


@machine_code(
    p.put_number, lambda address, x: types.none if _integers(address) and is_number(x) else None
)
def _(context, builder, sig, args):
    x = number_as(context, builder, args[1], sig.args[1], types.float64)
    builder.store(x, _pointer(context, builder, args[0], sig.args[0], F64), align=8)
    return context.get_dummy_value()


@machine_code(p.put_int32, lambda address, i: types.none if _integers(address, i) else None)
def _(context, builder, sig, args):
    i = context.cast(builder, args[1], sig.args[1], types.int32)
    builder.store(i, _pointer(context, builder, args[0], sig.args[0], I32), align=4)
    return context.get_dummy_value()


def _type_transpose(v):
    return v if isinstance(v, VecType) and v.n == W and v.elt == lane else None


@machine_code(p.transpose, _type_transpose)
def _(context, builder, sig, args):
    rows = [builder.extract_value(args[0], k) for k in range(W)]
    size = 1
    while size < W:
        # exchange the off-diagonal blocks of `size` in every block of twice the size
        low = [k if not k & size else W + k - size for k in range(W)]
        high = [k + size if not k & size else W + k for k in range(W)]
        for k in range(W):
            if not k & size:
                a, b = rows[k], rows[k + size]
                rows[k], rows[k + size] = (
                    _shuffle(builder, a, b, low),
                    _shuffle(builder, a, b, high),
                )
        size *= 2
    return pack(builder, sig.return_type, rows)


def _shuffle(builder, a, b, order):
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, W), order))


@machine_code(p.atomic_at, lambda address: types.int64 if _integers(address) else None)
def _(context, builder, sig, args):
    pointer = _pointer(context, builder, args[0], sig.args[0], I64)
    return builder.load_atomic(pointer, ordering="seq_cst", align=8)


def _read_modify_write(func, operation):
    @machine_code(func, lambda address, i: types.int64 if _integers(address, i) else None)
    def lower(context, builder, sig, args):
        pointer = _pointer(context, builder, args[0], sig.args[0], I64)
        i = context.cast(builder, args[1], sig.args[1], types.int64)
        return builder.atomic_rmw(operation, pointer, i, "seq_cst")


_read_modify_write(p.fetch_add, "add")
_read_modify_write(p.swap, "xchg")


@machine_code(p.pause, lambda: types.none)
def _(context, builder, sig, args):
    machine = llvm.get_process_triple().partition("-")[0]
    spelling = {"x86_64": "pause", "aarch64": "yield", "arm64": "yield"}.get(machine)
    if spelling:
        builder.asm(ir.FunctionType(ir.VoidType(), []), spelling, "", [], True)
    return context.get_dummy_value()


@machine_code(p.prefetch, lambda address: types.none if _integers(address) else None)
def _(context, builder, sig, args):
    pointer = _pointer(context, builder, args[0], sig.args[0], I8)
    fnty = ir.FunctionType(ir.VoidType(), [I8.as_pointer(), I32, I32, I32])
    fn = cgutils.get_or_insert_function(builder.module, fnty, "llvm.prefetch.p0")
    builder.call(fn, [pointer, I32(0), I32(2), I32(1)])  # to read, into the second cache, data
    return context.get_dummy_value()
