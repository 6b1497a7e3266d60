"""The types of the kernel language, and how LLVM spells them.

A kernel computes with whole numbers (`INT`), plain floats (`FLOAT`), truth values (`BOOL`), and
their wide twins: a `LANE` holds one float for each world of a gang, a `MASK` one truth value. A
`ROW` holds eight numbers of one world, whatever the width of a gang is. `Vec` is a fixed number of
floats, lanes or rows, `Tuple` what a function returns together. Fields, structs and records are
places in memory.

How wide a lane is, is a matter of the compiled variant and not of the type: see `Spelling`. With a
width of one, a lane is spelled as the plain double that it is.
"""

import hashlib
from functools import cache

from .primitives import NROW


class Type:
    """A type of one of the kinds below; equal types are the same object."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


INT, FLOAT, BOOL, NONE = Type("int"), Type("float"), Type("bool"), Type("None")
LANE, MASK = Type("Lane"), Type("Mask")
ROW, ROWMASK = Type("Row"), Type("RowMask")
OBJECT = Type("a Python object")  # known while compiling only: a kernel, an operation, a module


class VecType(Type):
    def __init__(self, n, elt):
        super().__init__(f"Vec({n}, {elt})")
        self.n, self.elt = n, elt


class TupleType(Type):
    def __init__(self, items):
        super().__init__(f"({', '.join(map(repr, items))})")
        self.items = items


vec_type = cache(VecType)
tuple_type = cache(TupleType)


class FieldType(Type):
    """Rows of `width` floats or lanes; const memory is not written while a kernel runs.

    `single`: in memory, the numbers are float32.
    """

    def __init__(self, width, elt, const, single):
        super().__init__(f"Field({width}, {elt}, {const}, {single})")
        self.width, self.elt, self.const, self.single = width, elt, const, single
        self.row = elt if width == 1 else vec_type(width, elt)


class IntFieldType(Type):
    """Rows of `width` integers of so many bits."""

    def __init__(self, width, bits, signed, const):
        super().__init__(f"IntField({width}, {bits}, {signed}, {const})")
        self.width, self.bits, self.signed, self.const = width, bits, signed, const


field_type = cache(FieldType)
int_field_type = cache(IntFieldType)


class StructType(Type):
    """Named fields: {name: (place in the table of pointers, type, whether it has no dimensions)}.

    `nested` are structs within it, {name: StructType}, which share its table, of so many `places`.
    """

    def __init__(self, name, fields, nested=None, places=0):
        digest = hashlib.sha256(repr([(k, *map(str, v)) for k, v in fields.items()]).encode())
        super().__init__(f"{name}<{digest.hexdigest()[:16]}>")
        self.label, self.fields, self.nested, self.places = name, fields, nested or {}, places

    def has_lanes(self):
        """Whether worlds have numbers of their own in it."""
        inside = (field for s in (self, *self.nested.values()) for _, field, _ in s.fields.values())
        return any(isinstance(field, FieldType) and field.elt is LANE for field in inside)


class RecordType(Type):
    """Named int64s that lie side by side; see records.py."""

    def __init__(self, record):
        super().__init__(f"Record({record.name}: {','.join(record.members)})")
        self.record = record


record_type = cache(RecordType)


def struct_type(name, fields, const):
    """StructType of [(attribute, dtype, no_dims, width, lanes)]; a dotted attribute nests."""
    table, nested = {}, {}
    for index, (attribute, dtype, no_dims, width, lanes) in enumerate(fields):
        if dtype in ("float", "plain", "float32", "row"):
            elt = ROW if dtype == "row" else LANE if lanes and dtype == "float" else FLOAT
            ty = field_type(width, elt, const, dtype == "float32")
        else:
            bits = {"index": 64, "int64": 64, "int32": 32, "byte": 8}[dtype]
            ty = int_field_type(width, bits, dtype != "byte", const)
        outer, _, inner = attribute.rpartition(".")
        target = nested.setdefault(outer, {}) if outer else table
        target[inner] = (index, ty, no_dims)
    inside = {outer: StructType(f"{name}.{outer}", fields) for outer, fields in nested.items()}
    return StructType(name, table, inside, len(fields))


WIDE = (LANE, ROW)
MASK_OF = {LANE: MASK, ROW: ROWMASK, FLOAT: BOOL}  # what comparing such numbers gives
ELT_OF = {MASK: LANE, ROWMASK: ROW}  # what such a mask selects


def is_number(ty):
    return ty is LANE or ty is FLOAT or ty is INT or ty is BOOL or ty is ROW


def is_condition(ty):
    return ty is MASK or ty is BOOL or ty is ROWMASK


def common_elt(*tys):
    """LANE or ROW if one of them has such items, else FLOAT."""
    for ty in tys:
        elt = getattr(ty, "elt", ty)
        if elt is LANE or elt is ROW:
            return elt
    return FLOAT


def unified(a, b):
    """The type that values of both types can be converted to, or None."""
    if a is b:
        return a
    if is_number(a) and is_number(b):
        if a in WIDE or b in WIDE:
            return None if a in WIDE and b in WIDE else common_elt(a, b)
        return FLOAT if FLOAT in (a, b) else INT
    if is_condition(a) and is_condition(b):
        wide = {a, b} - {BOOL}
        return wide.pop() if len(wide) == 1 else None
    if isinstance(a, VecType) and isinstance(b, VecType) and a.n == b.n:
        elt = unified(a.elt, b.elt)
        return None if elt is None else vec_type(a.n, elt)
    if isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.items) == len(b.items):
        items = tuple(map(unified, a.items, b.items))
        return None if None in items else tuple_type(items)
    return None


class Spelling:
    """LLVM's words for types, at one width of a lane.

    From a Lane of a field to the next there are `stride` numbers: more than the width where one
    world is taken out of a gang's memory.
    """

    def __init__(self, width, stride=None):
        self.width, self.stride = width, stride or width
        vector = f"<{width} x %s>" if width > 1 else "%s"
        self.lane, self.mask, self.bits = (vector % t for t in ("double", "i1", "i64"))
        self.ints = vector % "i32"
        self.align = 8 * width  # of a lane in a field
        self._plain = {
            INT: "i64", FLOAT: "double", BOOL: "i1", LANE: self.lane, MASK: self.mask,
            ROW: f"<{NROW} x double>", ROWMASK: f"<{NROW} x i1>",
        }  # fmt: skip

    def lanes_of(self, elt):
        """How many numbers a LANE, ROW, or a mask of such has."""
        return NROW if elt is ROW or elt is ROWMASK else self.width

    def suffix_of(self, elt):
        """LLVM's suffix for intrinsics on such numbers."""
        n = 1 if elt is FLOAT else self.lanes_of(elt)
        return f"v{n}f64" if n > 1 else "f64"

    def of(self, ty):
        """The one LLVM type of a value that is not a Vec or tuple."""
        return self._plain.get(ty) or "ptr"

    def flat(self, ty):
        """The LLVM types that a value is made of."""
        if isinstance(ty, VecType):
            return [self.of(ty.elt)] * ty.n
        if isinstance(ty, TupleType):
            return [t for item in ty.items for t in self.flat(item)]
        return [] if ty is NONE else [self.of(ty)]
