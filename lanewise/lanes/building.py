"""Values and instructions: LLVM's text, one basic block after another.

A `Value` has a type of the kernel language and the name of what it is in LLVM's text. Vecs and
tuples exist only here: in LLVM they are their items. Instructions are lines that are appended to
the current block.

Products of lanes remember their factors, so that a sum can fuse with them: a * b + c is one `fma`,
rounded once. A product that has a name and is read more than once does not fuse. All this is
decided here, by what the kernel says, and LLVM is not allowed to fuse anything by itself. So a
kernel has the same bits at every width and on every processor.
"""

import struct

from .kinds import (
    BOOL,
    FLOAT,
    INT,
    LANE,
    MASK,
    NONE,
    OBJECT,
    ROW,
    ROWMASK,
    WIDE,
    TupleType,
    VecType,
    tuple_type,
)


class Value:
    """`text`: what stands for it in an instruction; of a Vec or tuple, the Values of its items.

    `const`: the number, where it is known. `factors`: of a product of lanes that may fuse.
    """

    __slots__ = ("const", "factors", "text", "ty")

    def __init__(self, ty, text, const=None, factors=None):
        self.ty, self.text, self.const, self.factors = ty, text, const, factors


def double(x):
    """A float64 as LLVM writes it, to the bit."""
    return "0x" + struct.pack(">d", x).hex()


def constant(x):
    """A Python number, or any other object, as a Value."""
    if isinstance(x, bool):
        return Value(BOOL, "true" if x else "false", x)
    if isinstance(x, int):
        return Value(INT, str(int(x)), int(x))
    if isinstance(x, float):
        return Value(FLOAT, double(x), float(x))
    if isinstance(x, tuple):
        items = tuple(map(constant, x))
        return Value(tuple_type(tuple(v.ty for v in items)), items, x)
    return Value(OBJECT, None, x)


def rounded(v):
    """The same Value, which no sum may fuse with."""
    if v.factors is not None:
        return Value(v.ty, v.text)
    if isinstance(v.text, tuple):
        return Value(v.ty, tuple(map(rounded, v.text)), v.const)
    return v


def none():
    return Value(NONE, None)


class Block:
    """A basic block: lines, and how it ends."""

    __slots__ = ("end", "label", "lines")

    def __init__(self, label):
        self.label, self.lines, self.end = label, [], None


class Builder:
    """Appends instructions to the current `block`; None after a return, break or continue."""

    def __init__(self, spelling, fused):
        self.spelling, self.fused = spelling, fused
        self.width = spelling.width
        self.blocks = []
        self.allocas = []  # places on the stack, made when the function begins
        self.count = 0
        self.block = None
        self.declared = set()  # intrinsics that the text needs
        self.selected = set()  # names of Lanes that a `select` gave

    # ------------------------------------------------------------------------------ instructions

    def op(self, text):
        """An instruction with a result; the result's name."""
        self.count += 1
        name = f"%v{self.count}"
        self.block.lines.append(f"{name} = {text}")
        return name

    def do(self, text):
        """An instruction without a result."""
        self.block.lines.append(text)

    def fresh(self):
        """A name for a result that is written by hand."""
        self.count += 1
        return f"%v{self.count}"

    def stack(self, ty, align):
        """A place on the stack, of the whole function: its name."""
        name = self.fresh()
        self.allocas.append(f"{name} = alloca {ty}, align {align}")
        return name

    def new_block(self, label):
        self.count += 1
        block = Block(f"{label}{self.count}")
        self.blocks.append(block)
        return block

    def branch(self, target):
        self.block.end = f"br label %{target.label}"

    def branch_if(self, condition, yes, no):
        self.block.end = f"br i1 {condition.text}, label %{yes.label}, label %{no.label}"

    def intrinsic(self, name, result, *typed):
        """Call a function that LLVM knows; typed: [(LLVM type, text)]."""
        types = ", ".join(t for t, _ in typed)
        self.declared.add(f"declare {result} @{name}({types})")
        call = f"call {result} @{name}({', '.join(f'{t} {x}' for t, x in typed)})"
        return self.do(call) if result == "void" else self.op(call)

    # ------------------------------------------------------------------------- lanes and vectors

    def splat(self, ty, x, wide, n=None):
        """A scalar of an LLVM type in all n lanes of the vector type `wide`."""
        n = n or self.width
        if n == 1:
            return x
        one = self.op(f"insertelement {wide} poison, {ty} {x}, i64 0")
        zeros = f"<{n} x i32> zeroinitializer"
        return self.op(f"shufflevector {wide} {one}, {wide} poison, {zeros}")

    def extract(self, wide, x, i, n=None):
        """Lane i, an i64, of a vector of n."""
        return x if (n or self.width) == 1 else self.op(f"extractelement {wide} {x}, i64 {i}")

    def insert(self, wide, x, ty, item, i):
        """The vector with lane i replaced."""
        if self.width == 1:
            return item
        return self.op(f"insertelement {wide} {x}, {ty} {item}, i64 {i}")

    def wide_constant(self, ty, x, n=None):
        """The constant x of an LLVM type in all n lanes."""
        return x if (n or self.width) == 1 else f"splat ({ty} {x})"

    def word(self, v):
        """(type, text) of a mask as an integer with a bit for each lane."""
        n = self.spelling.lanes_of(v.ty)
        if n == 1:
            return "i1", v.text
        return f"i{n}", self.op(f"bitcast {self.spelling.of(v.ty)} {v.text} to i{n}")

    # ------------------------------------------------------------------------------- conversions

    def as_int(self, v):
        if v.ty is INT:
            return v
        if v.const is not None:
            return constant(int(v.const))
        if v.ty is BOOL:
            return Value(INT, self.op(f"zext i1 {v.text} to i64"))
        return Value(INT, self.op(f"fptosi double {self.as_float(v).text} to i64"))

    def as_float(self, v):
        if v.ty is FLOAT:
            return v
        if v.const is not None:
            return constant(float(v.const))
        source = "uitofp i1" if v.ty is BOOL else "sitofp i64"
        return Value(FLOAT, self.op(f"{source} {v.text} to double"))

    def as_lane(self, v):
        return self._widened(v, LANE)

    def _widened(self, v, elt):
        """A number as a LANE or ROW."""
        if v.ty is elt:
            return v
        if v.ty in WIDE:
            self.fail("a Lane has a number of each world, a Row eight of one: they do not mix")
        v, n = self.as_float(v), self.spelling.lanes_of(elt)
        if v.const is not None:
            return Value(elt, self.wide_constant("double", v.text, n), v.const)
        return Value(elt, self.splat("double", v.text, self.spelling.of(elt), n))

    def as_mask(self, v, mask=MASK):
        """A truth value as a MASK or ROWMASK."""
        if v.ty is mask:
            return v
        n = self.spelling.lanes_of(mask)
        if v.const is not None:
            return Value(mask, self.wide_constant("i1", v.text, n), v.const)
        return Value(mask, self.splat("i1", v.text, self.spelling.of(mask), n))

    def as_elt(self, v, elt):
        return self.as_float(v) if elt is FLOAT else self._widened(v, elt)

    def convert(self, v, ty):
        """v as a value of a type that it unifies with."""
        if v.ty is ty:
            return v
        if isinstance(ty, VecType):
            return Value(ty, tuple(self.as_elt(x, ty.elt) for x in v.text))
        if isinstance(ty, TupleType):
            return Value(ty, tuple(map(self.convert, v.text, ty.items)))
        if ty in (LANE, ROW, FLOAT):
            return self.as_elt(v, ty)
        if ty in (MASK, ROWMASK):
            return self.as_mask(v, ty)
        return self.as_int(v)

    def truth(self, v):
        """A number or truth value as a BOOL; None if it has no truth of its own."""
        if v.ty is BOOL:
            return v
        if v.const is not None and v.ty in (INT, FLOAT):
            return constant(bool(v.const))
        if v.ty is INT:
            return Value(BOOL, self.op(f"icmp ne i64 {v.text}, 0"))
        if v.ty is FLOAT:
            return Value(BOOL, self.op(f"fcmp une double {v.text}, {double(0.0)}"))
        return None

    def item(self, v, k, elt):
        """Item k of a Vec as a float or lane; a number is all of its items."""
        return self.as_elt(v.text[k] if isinstance(v.ty, VecType) else v, elt)

    # -------------------------------------------------------------------------------- arithmetic

    def arithmetic(self, instruction, a, b, elt):
        """fadd, fsub, fmul or fdiv of two floats or lanes."""
        a, b = self.as_elt(a, elt), self.as_elt(b, elt)
        if elt is FLOAT:
            return Value(FLOAT, self.op(f"{instruction} double {a.text}, {b.text}"))
        if self.fused and (instruction == "fadd" or instruction == "fsub"):
            if a.factors is not None:
                return self.fma(*a.factors, b if instruction == "fadd" else self.negative(b))
            if b.factors is not None:
                x, y = b.factors
                return self.fma(x if instruction == "fadd" else self.negative(x), y, a)
        text = self.op(f"{instruction} {self.spelling.of(elt)} {a.text}, {b.text}")
        return Value(elt, text, None, (a, b) if self.fused and instruction == "fmul" else None)

    def fma(self, a, b, c):
        elt, ty = c.ty, self.spelling.of(c.ty)
        name = f"llvm.fma.{self.spelling.suffix_of(elt)}"
        typed = ((ty, a.text), (ty, b.text), (ty, c.text))
        return Value(elt, self.intrinsic(name, ty, *typed))

    def negative(self, v):
        if v.const is not None and v.ty not in WIDE:
            return constant(-v.const)
        if v.ty is INT or v.ty is BOOL:
            return Value(INT, self.op(f"sub i64 0, {self.as_int(v).text}"))
        return Value(v.ty, self.op(f"fneg {self.spelling.of(v.ty)} {v.text}"))

    def select(self, condition, a, b):
        """a or b of one type, by a Mask (of lanes) or a BOOL."""
        if a.text == b.text:
            return a
        s = self.spelling
        c, t = s.of(condition.ty), s.of(a.ty)
        text = self.op(f"select {c} {condition.text}, {t} {a.text}, {t} {b.text}")
        if a.ty is LANE and self.width > 1:
            self.selected.add(text)
        return Value(a.ty, text)

    def fenced(self, text):
        """A Lane that is about to be stored, kept apart from the `select` that it comes from.

        LLVM would make one masked store of both where the other choice is what is there already. On
        some processors with AVX2 that takes as long as a dozen stores.
        """
        if text not in self.selected:
            return text
        lane = self.spelling.lane
        name = f"llvm.arithmetic.fence.{self.spelling.suffix_of(LANE)}"
        return self.intrinsic(name, lane, (lane, text))
