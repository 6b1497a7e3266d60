"""Places in memory that kernels read and write: fields, structs, records, items of Vecs."""

import ast

from .building import (
    Builder,
    Value,
    constant,
)
from .hints import like
from .kinds import (
    BOOL,
    FLOAT,
    INT,
    LANE,
    OBJECT,
    ROW,
    WIDE,
    FieldType,
    IntFieldType,
    StructType,
    TupleType,
    VecType,
    is_number,
    vec_type,
)

SHARED = frozenset({"state"})  # fields of which others are parts


class Places(Builder):
    """The part of a Function that loads and stores."""

    # -------------------------------------------------------------------------------------- memory

    def index(self, node):
        """An index: an int or Lane, two of them, or what a Vec is cut by."""
        if isinstance(node, ast.Slice):
            given = [x and self.number(x) for x in (node.lower, node.upper, node.step)]
            if any(v is not None and not isinstance(v.const, int) for v in given):
                self.fail("a Vec is cut at whole numbers that are known")
            return slice(*(v and v.const for v in given))
        return self.eval(node)

    def eval_Subscript(self, node):
        base, index = self.eval(node.value), self.index(node.slice)
        self.at = node
        return self.load_item(base, index)

    def load_item(self, base, index):
        ty = base.ty
        if isinstance(ty, (VecType, TupleType)):
            if isinstance(index, slice):
                if isinstance(ty, TupleType):
                    self.fail("tuples are unpacked, not sliced")
                items = base.text[index]
                return Value(vec_type(len(items), ty.elt), items)
            n = len(base.text)
            if index.ty is INT and index.const is None and isinstance(base.const, tuple):
                return self.look_up(base, index)
            if index.ty is not INT or index.const is None or not -n <= index.const < n:
                self.fail(f"an item of {ty} is chosen by a number that is known, less than {n}")
            return base.text[index.const]
        if ty is OBJECT:
            kind = type(base.const).__name__
            self.fail(
                f"what a kernel reads from outside are numbers and tuples of them, not {kind}s"
            )
        if not isinstance(ty, (FieldType, IntFieldType)):
            self.fail(f"{ty} has no items")
        if self.is_lane_index(index):
            return self.gather(base, index)
        pointer, whole = self.place(base, index)
        if isinstance(ty, IntFieldType):
            if ty.width > 1 and whole:
                self.fail("of a row of integers, choose one: field[i, k]")
            return self.load_int(ty, pointer)
        if whole and ty.width > 1:
            return self.load_row(ty, pointer, ty.width)
        return self.load_number(ty, pointer)

    def look_up(self, base, index):
        """An item of a tuple of numbers that is known, such as a table in a module."""
        ty = base.ty.items[0]
        if any(t is not ty for t in base.ty.items) or ty not in (INT, FLOAT):
            self.fail("a table has items of one type, whole numbers or floats")
        kind = self.spelling.of(ty)
        table = self.unit.table(kind, [v.text for v in base.text])
        place = self.op(f"getelementptr {kind}, ptr @{table}, i64 {index.text}")
        return Value(ty, self.load(kind, place, 8, True))

    def is_lane_index(self, index):
        if isinstance(index, slice):
            self.fail("fields are not sliced: go through their rows with a loop")
        ty = index.ty
        if isinstance(ty, TupleType):
            return len(ty.items) == 2 and ty.items[0] is LANE and ty.items[1] is INT
        return ty is LANE

    def place(self, base, index):
        """(pointer to the first number of field[index], whether that is a whole row)"""
        ty = base.ty
        if isinstance(index.ty, TupleType):
            if len(index.text) != 2 or any(v.ty not in (INT, BOOL) for v in index.text):
                self.fail(f"a field has rows and columns, of whole numbers, not {index.ty}")
            row, column = map(self.as_int, index.text)
            flat, whole = self.flat_index(row, ty.width, column), False
        else:
            if index.ty not in (INT, BOOL):
                self.fail(f"a field is indexed by whole numbers, not {index.ty}")
            flat, whole = self.flat_index(self.as_int(index), ty.width, None), True
        return self.offset(ty, base.text, flat), whole

    def flat_index(self, row, width, column):
        flat = row
        if width > 1:
            flat = self.binary(ast.Mult(), row, constant(width))
        return flat if column is None else self.binary(ast.Add(), flat, column)

    def memory_type(self, ty):
        """LLVM's type of one number of a field, and its alignment."""
        if isinstance(ty, IntFieldType):
            return f"i{ty.bits}", ty.bits // 8
        if ty.elt is LANE:
            return self.spelling.lane, self.spelling.align
        if ty.elt is ROW:
            return self.spelling.of(ROW), 8
        return ("float", 4) if ty.single else ("double", 8)

    def offset(self, ty, pointer, flat):
        if flat.const == 0:
            return pointer
        kind = self.memory_type(ty)[0]
        if isinstance(ty, FieldType) and ty.elt is LANE:
            kind = f"[{self.spelling.stride} x double]"
        place = self.op(f"getelementptr {kind}, ptr {pointer}, i64 {flat.text}")
        return self.within(pointer, place)

    def within(self, pointer, place):
        """A place of the field that `pointer` belongs to, if that is known."""
        if pointer in self.tags:
            self.tags[place] = self.tags[pointer]
        return place

    def tag(self, pointer):
        """What tells LLVM that a field shares no memory with other ones, where it is known."""
        return f", !tbaa !{self.tags[pointer]}" if pointer in self.tags else ""

    def load(self, llvm_type, pointer, align, const):
        tail = ", !invariant.load !0" if const else self.tag(pointer)
        return self.op(f"load {llvm_type}, ptr {pointer}, align {align}{tail}")

    def load_int(self, ty, pointer):
        x = self.load(*self._memory(ty, pointer))
        if ty.bits < 64:
            x = self.op(f"{'sext' if ty.signed else 'zext'} i{ty.bits} {x} to i64")
        return Value(INT, x)

    def _memory(self, ty, pointer):
        kind, align = self.memory_type(ty)
        return kind, pointer, align, ty.const

    def load_number(self, ty, pointer):
        x = self.load(*self._memory(ty, pointer))
        if ty.single:
            x = self.op(f"fpext float {x} to double")
        return Value(ty.elt, x)

    def load_row(self, ty, pointer, n):
        places = (self.offset(ty, pointer, constant(k)) for k in range(n))
        return Value(vec_type(n, ty.elt), tuple(self.load_number(ty, p) for p in places))

    def store_item(self, base, index, value):
        ty = base.ty
        if not isinstance(ty, (FieldType, IntFieldType)):
            self.fail(f"items of {ty} cannot be assigned")
        if self.is_lane_index(index):
            self.fail("to store at a row for each lane, use put(field, rows, value, mask)")
        pointer, whole = self.place(base, index)
        self.store(ty, pointer, value, whole)

    def store(self, ty, pointer, value, whole):
        if ty.const:
            self.fail("the model cannot be written by a kernel, nor can parameters")
        if isinstance(ty, IntFieldType):
            if value.ty not in (INT, BOOL):
                self.fail(f"a field of whole numbers cannot hold {value.ty}")
            x = self.as_int(value).text
            if ty.bits < 64:
                x = self.op(f"trunc i64 {x} to i{ty.bits}")
            self.do(f"store i{ty.bits} {x}, ptr {pointer}, align {ty.bits // 8}{self.tag(pointer)}")
            return
        n = ty.width if whole else 1
        items = value.text if isinstance(value.ty, VecType) else (value,)
        if (
            len(items) != n
            or not is_number(items[0].ty)
            or (ty.elt is FLOAT and items[0].ty in WIDE)
        ):
            self.fail(f"{value.ty} does not fit into {n} x {ty.elt}")
        kind, align = self.memory_type(ty)
        for k, x in enumerate(items):
            place = self.offset(ty, pointer, constant(k))
            text = self.fenced(self.as_elt(x, ty.elt).text)
            self.do(f"store {kind} {text}, ptr {place}, align {align}{self.tag(place)}")

    def gather(self, base, index):
        """Every lane's number, or row, at the row that it names."""
        ty = base.ty
        rows, column = index.text if isinstance(index.ty, TupleType) else (index, constant(0))
        whole = isinstance(ty, FieldType) and ty.width > 1 and index.ty is LANE
        n = ty.width if whole else 1
        flat = self.lane_rows(ty, rows, column)
        items = ["poison"] * n
        for w in range(self.width):
            first = self.op(f"sext i32 {self.extract(self.spelling.ints, flat, w)} to i64")
            for k in range(n):
                at = first if k == 0 else self.op(f"add i64 {first}, {k}")
                x = self.load_scalar(ty, base.text, at, w)
                items[k] = self.insert(self.spelling.lane, items[k], "double", x, w)
        values = tuple(Value(LANE, x) for x in items)
        return Value(vec_type(n, LANE), values) if whole else values[0]

    def lane_rows(self, ty, rows, column):
        """First number of each lane's row or item, as a vector of i32, counted in numbers."""
        s = self.spelling
        flat = self.op(f"fptosi {s.lane} {rows.text} to {s.ints}")
        if ty.width > 1:
            flat = self.op(f"mul {s.ints} {flat}, {self.wide_constant('i32', ty.width)}")
        if column.const == 0:
            return flat
        if column.const is not None:
            add = self.wide_constant("i32", column.const)
        else:
            add = self.splat("i32", self.op(f"trunc i64 {column.text} to i32"), s.ints)
        return self.op(f"add {s.ints} {flat}, {add}")

    def scalar_pointer(self, ty, pointer, flat, w):
        """Pointer to the number of lane w (an i64) at a flat place."""
        kind = self.memory_type(ty)[0]
        if isinstance(ty, FieldType) and ty.elt is LANE:
            kind = "double"
            if self.spelling.stride > 1:
                flat = self.op(f"mul i64 {flat}, {self.spelling.stride}")
            if self.width > 1:
                flat = self.op(f"add i64 {flat}, {w}")
        return self.within(pointer, self.op(f"getelementptr {kind}, ptr {pointer}, i64 {flat}"))

    def load_scalar(self, ty, pointer, flat, w):
        place = self.scalar_pointer(ty, pointer, flat, w)
        if isinstance(ty, IntFieldType):
            return self.op(f"sitofp i64 {self.load_int(ty, place).text} to double")
        x = self.load("float" if ty.single else "double", place, 4 if ty.single else 8, ty.const)
        return self.op(f"fpext float {x} to double") if ty.single else x

    # ------------------------------------------------------------------------------------- structs

    def load_attribute(self, base, name):
        ty = base.ty
        if name in ty.nested:
            return Value(ty.nested[name], base.text)
        if name not in ty.fields:
            self.no_field(ty, name)
        index, field, no_dims = ty.fields[name]
        constant_value = no_dims and field.const
        key = base.text, index
        if constant_value and (key, "value") in self.known:
            return self.known[key, "value"]
        pointer = self.field_pointer(base, name)
        if not no_dims:
            return Value(field, pointer)
        if isinstance(field, IntFieldType):
            value = self.load_int(field, pointer)
        elif field.width == 1:
            value = self.load_number(field, pointer)
        else:
            value = self.load_row(field, pointer, field.width)
        if constant_value:
            self.known[key, "value"] = value
        return value

    def no_field(self, ty, name):
        """Fail for a name that a struct does not have."""
        close = like(name, ty.fields)
        if not close and len(ty.fields) < 16:
            close = f"; it has {', '.join(ty.fields)}"
        self.fail(f"{ty.label} has no field {name!r}{close}")

    def load_member(self, base, name):
        """A number of a record, as it is now: the host may write it while kernels run."""
        members = base.ty.record.members
        if name not in members:
            self.fail(f"{base.ty} has no member {name!r}{like(name, members)}")
        place = self.op(f"getelementptr i64, ptr {base.text}, i64 {members[name]}")
        return Value(INT, self.op(f"load i64, ptr {place}, align 8"))

    def field_pointer(self, base, name):
        """The table of pointers does not change while kernels run."""
        index, field, _ = base.ty.fields[name]
        key = base.text, index
        pointer = self.known.get(key)
        if pointer is None:
            place = self.op(f"getelementptr ptr, ptr {base.text}, i64 {index}")
            pointer = self.known[key] = self.load("ptr", place, 8, True)
            if not field.const and name not in SHARED:
                self.tags[pointer] = self.unit.tag(f"{base.ty.label}.{name}")
        return pointer

    def store_attribute(self, base, name, value):
        if not isinstance(base.ty, StructType):
            self.fail(f"{base.ty} has no attributes")
        if name not in base.ty.fields:
            self.no_field(base.ty, name)
        _, field, no_dims = base.ty.fields[name]
        if not no_dims:
            self.fail(f"{name} is an array: assign to its rows, {name}[i] = ...")
        self.store(field, self.field_pointer(base, name), value, True)
