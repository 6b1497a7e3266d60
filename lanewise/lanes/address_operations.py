"""Machine code of operations by address: memory, code that was compiled apart."""

import ast

from . import answers, calls, memory, own_fields, records
from .building import Value, constant, none
from .expressions import machine_code
from .kinds import (
    BOOL,
    FLOAT,
    INT,
    LANE,
    MASK,
    NONE,
    ROW,
    IntFieldType,
    StructType,
    is_number,
    record_type,
)
from .operations import all_are


def _pointer(f, address):
    return f.op(f"inttoptr i64 {f.as_int(address).text} to ptr")


def _reader(function, ty, spelled):
    @machine_code(function)
    def lower(f, address):
        if address.ty is not INT:
            return None
        kind = f.spelling.lane if ty is LANE else spelled
        x = f.op(f"load {kind}, ptr {_pointer(f, address)}, align {4 if kind == 'i32' else 8}")
        return Value(ty, f.op(f"sext i32 {x} to i64") if kind == "i32" else x)


_reader(memory.lane_at, LANE, None)
_reader(memory.number_at, FLOAT, "double")
_reader(memory.int64_at, INT, "i64")
_reader(memory.int32_at, INT, "i32")


@machine_code(memory.put_lane)
def _(f, address, x):
    if address.ty is not INT or x.ty is not LANE:
        return None
    f.do(f"store {f.spelling.lane} {x.text}, ptr {_pointer(f, address)}, align 8")
    return none()


@machine_code(memory.put_number)
def _(f, address, x):
    if address.ty is not INT or x.ty not in (INT, FLOAT, BOOL):
        return None
    f.do(f"store double {f.as_float(x).text}, ptr {_pointer(f, address)}, align 8")
    return none()


@machine_code(memory.put_single)
def _(f, address, x):
    if address.ty is not INT or x.ty is not FLOAT:
        return None
    rounded = f.op(f"fptrunc double {x.text} to float")
    f.do(f"store float {rounded}, ptr {_pointer(f, address)}, align 4")
    return none()


@machine_code(memory.put_singles)
def _(f, address, x):
    if address.ty is not INT or x.ty is not LANE:
        return None
    narrow = f.spelling.lane.replace("double", "float")
    rounded = f.op(f"fptrunc {f.spelling.lane} {x.text} to {narrow}")
    f.do(f"store {narrow} {rounded}, ptr {_pointer(f, address)}, align 4")
    return none()


@machine_code(memory.put_int32)
def _(f, address, i):
    if address.ty is not INT or i.ty not in (INT, BOOL):
        return None
    x = f.op(f"trunc i64 {f.as_int(i).text} to i32")
    f.do(f"store i32 {x}, ptr {_pointer(f, address)}, align 4")
    return none()


@machine_code(memory.byte_at)
def _(f, address):
    if address.ty is not INT:
        return None
    x = f.op(f"load i8, ptr {_pointer(f, address)}, align 1")
    return Value(INT, f.op(f"zext i8 {x} to i64"))


@machine_code(memory.put_byte)
def _(f, address, i):
    if address.ty is not INT or i.ty is not INT:
        return None
    x = f.op(f"trunc i64 {i.text} to i8")
    f.do(f"store i8 {x}, ptr {_pointer(f, address)}, align 1")
    return none()


@machine_code(memory.word_at)  # machines that we know have the lowest byte first
def _(f, address):
    if address.ty is not INT:
        return None
    return Value(INT, f.op(f"load i64, ptr {_pointer(f, address)}, align 1"))


@machine_code(memory.put_word)
def _(f, address, i):
    if address.ty is not INT or i.ty is not INT:
        return None
    f.do(f"store i64 {i.text}, ptr {_pointer(f, address)}, align 1")
    return none()


@machine_code(memory.field_at)
def _(f, d, k):
    if not isinstance(d.ty, StructType) or k.ty is not INT:
        return None
    place = f.op(f"getelementptr i64, ptr {d.text}, i64 {k.text}")
    return Value(INT, f.load("i64", place, 8, True))


@machine_code(memory.atomic_at)
def _(f, address):
    if address.ty is not INT:
        return None
    return Value(INT, f.op(f"load atomic i64, ptr {_pointer(f, address)} seq_cst, align 8"))


def _read_modify_write(function, operation):
    @machine_code(function)
    def lower(f, address, i):
        if address.ty is not INT or i.ty not in (INT, BOOL):
            return None
        pointer, i = _pointer(f, address), f.as_int(i)
        return Value(INT, f.op(f"atomicrmw {operation} ptr {pointer}, i64 {i.text} seq_cst"))


_read_modify_write(memory.fetch_add, "add")
_read_modify_write(memory.swap, "xchg")


@machine_code(memory.pause)
def _(f):
    if f.unit.machine.pause:
        name, *arguments = f.unit.machine.pause
        f.intrinsic(name, "void", *arguments)
    return none()


@machine_code(memory.prefetch)
def _(f, address):
    if address.ty is not INT:
        return None
    # to read, into the second cache, data
    numbers = (("i32", "0"), ("i32", "2"), ("i32", "1"))
    f.intrinsic("llvm.prefetch.p0", "void", ("ptr", _pointer(f, address)), *numbers)
    return none()


@machine_code(records.record_at)
def _(f, address, declaration, k):
    record = declaration.const
    if not isinstance(record, records.Record) or not all_are(lambda t: t is INT, address, k):
        return None
    place = f.binary(ast.Mult(), k, constant(record.nbytes))
    return Value(record_type(record), _pointer(f, f.binary(ast.Add(), address, place)))


# ------------------------------------------------------------------------------ code compiled apart


@machine_code(calls.call_code)
def _(f, address, m, d, i, k):
    structs = isinstance(m.ty, StructType) and isinstance(d.ty, StructType)
    if not structs or not all_are(lambda t: t is INT, address, i, k):
        return None
    numbers = [f.op(f"ptrtoint ptr {x.text} to i64") for x in (m, d)] + [i.text, k.text]
    arguments = ", ".join(f"i64 {x}" for x in numbers)
    f.do(f"call void {_pointer(f, address)}({arguments})")
    return none()


@machine_code(calls.call_clock)
def _(f, address, which, place):
    if not all_are(lambda t: t is INT, address, which, place):
        return None
    number = f.op(f"trunc i64 {which.text} to i32")
    f.op(f"call i32 {_pointer(f, address)}(i32 {number}, i64 {place.text})")
    return none()


@machine_code(calls.world_of)
def _(f, struct, w):
    if not isinstance(struct.ty, StructType) or w.ty is not INT:
        return None
    if f.width == 1 or not struct.ty.has_lanes():
        return struct
    table = f.op(f"add i64 {w.text}, 1")
    kind = f"[{struct.ty.places} x ptr]"
    return Value(struct.ty, f.op(f"getelementptr {kind}, ptr {struct.text}, i64 {table}"))


@machine_code(own_fields.own_fields)
def _(f, addresses, declaration):
    fields = declaration.const
    if not isinstance(fields, own_fields.OwnFields) or not isinstance(addresses.ty, IntFieldType):
        return None
    return Value(fields.type, addresses.text)


@machine_code(answers.returned)
def _(f, x, kind, whose):
    ok = {
        answers.NOTHING: x.ty is NONE,
        answers.NUMBER: is_number(x.ty) and x.ty is not ROW,
        answers.TRUTH: x.ty is BOOL or x.ty is MASK,
        answers.COUNT: x.ty is INT or x.ty is BOOL,
    }[kind.const]
    if not ok:
        f.fail(answers.refusal(whose.const, x.ty, kind.const))
    return f.as_lane(x) if kind.const == answers.NUMBER else x
