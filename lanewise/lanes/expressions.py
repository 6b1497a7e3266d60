"""Expressions of the kernel language: names, operators, conditions, calls."""

import ast
import builtins
import inspect
import linecache
import operator
from types import ModuleType

from ..errors import KernelError
from .building import (
    Builder,
    Value,
    constant,
    none,
)
from .hints import in_lanes, like, meaning, usage
from .kernel import Kernel
from .kinds import (
    BOOL,
    FLOAT,
    INT,
    MASK_OF,
    OBJECT,
    WIDE,
    FieldType,
    IntFieldType,
    RecordType,
    StructType,
    TupleType,
    VecType,
    common_elt,
    is_condition,
    is_number,
    tuple_type,
    unified,
    vec_type,
)
from .primitives import Width

OPERATIONS: dict = {}  # Python function: its machine code, (builder, [Value]) -> Value or None


def machine_code(function):
    """Decorate the machine code of an operation: (f, *values) -> Value, None for wrong types."""

    def register(lower):
        OPERATIONS[function] = lower
        return lower

    return register


_ARITHMETIC = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_INTEGER = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or",
    ast.BitXor: "xor", ast.LShift: "shl", ast.RShift: "ashr",
}  # fmt: skip
_FOLD = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.Pow: operator.pow,
}  # fmt: skip
_SYMBOL = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Pow: "**", ast.MatMult: "@",
}  # fmt: skip
_COMPARE = {
    ast.Lt: ("slt", "olt", operator.lt), ast.LtE: ("sle", "ole", operator.le),
    ast.Gt: ("sgt", "ogt", operator.gt), ast.GtE: ("sge", "oge", operator.ge),
    ast.Eq: ("eq", "oeq", operator.eq), ast.NotEq: ("ne", "une", operator.ne),
}  # fmt: skip


class Expressions(Builder):
    """The part of a Function that evaluates expressions."""

    # --------------------------------------------------------------------------------- expressions

    def eval(self, node):
        """The Value of an expression."""
        return getattr(self, f"eval_{type(node).__name__}", self.unknown)(node)

    def number(self, node):
        v = self.eval(node)
        if not is_number(v.ty):
            self.at = node
            self.fail(f"a number is needed here, not {v.ty}")
        return v

    def condition(self, node):
        v = self.eval(node)
        truth = self.truth(v)
        if truth is None:
            self.at = node
            wide = v.ty in WIDE or is_condition(v.ty)
            why = (
                ", which differs between worlds: use where(...) to choose, any_lane(...) or"
                " all_lanes(...) to branch, and &, |, not_(...) between Masks"
            )
            self.fail(f"True or False is needed here, not {v.ty}{why if wide else ''}")
        return truth

    def eval_Constant(self, node):
        if not isinstance(node.value, (bool, int, float)):
            self.at = node
            self.fail(f"kernels have no {type(node.value).__name__} values")
        return constant(node.value)

    def eval_Name(self, node):
        name = node.id
        v = self.env.get(name)
        if v is not None:
            return v
        if name in self.closure:
            thing = self.closure[name]
        else:
            spaces = self.python.__globals__, vars(builtins)
            thing = next((s[name] for s in spaces if name in s), _NOTHING)
        if name in self.python.__code__.co_varnames:
            self.at = node
            kinds = self.torn.get(name, "several")
            self.fail(f"{name} has one type on every way that leads here, not {kinds}")
        if thing is _NOTHING:
            self.at = node
            self.fail(f"there is no {name}{like(name, [*self.env, *self.python.__globals__])}")
        return self.python_value(thing)

    def python_value(self, thing):
        if type(thing) is Width:
            thing = self.width
        elif hasattr(thing, "item") and hasattr(thing, "dtype") and not thing.shape:
            thing = thing.item()  # a NumPy number
        return constant(thing)

    def eval_Attribute(self, node):
        base = self.eval(node.value)
        if isinstance(base.ty, StructType):
            return self.load_attribute(base, node.attr)
        if isinstance(base.ty, RecordType):
            return self.load_member(base, node.attr)
        if base.ty is OBJECT and isinstance(base.const, ModuleType):
            if hasattr(base.const, node.attr):
                return self.python_value(getattr(base.const, node.attr))
            self.at = node
            close = like(node.attr, dir(base.const))
            self.fail(f"there is no {node.attr} in {base.const.__name__}{close}")
        self.at = node
        kind = "a field" if isinstance(base.ty, (FieldType, IntFieldType)) else base.ty
        return self.fail(f"{kind} has no attributes")

    def eval_Tuple(self, node):
        items = tuple(map(self.eval, node.elts))
        return Value(tuple_type(tuple(v.ty for v in items)), items)

    def eval_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            v = self.condition(node.operand)
            return constant(not v.const) if v.const is not None else self.flipped(v)
        v = self.eval(node.operand)
        if isinstance(node.op, ast.USub) and (is_number(v.ty) or isinstance(v.ty, VecType)):
            if isinstance(v.ty, VecType):
                return Value(v.ty, tuple(map(self.negative, v.text)))
            return self.negative(v)
        if isinstance(node.op, ast.UAdd) and is_number(v.ty):
            return v
        if isinstance(node.op, ast.Invert) and v.ty is INT:
            return (
                constant(~v.const)
                if v.const is not None
                else Value(INT, self.op(f"xor i64 {v.text}, -1"))
            )
        self.at = node
        return self.fail(f"this operation does not exist for {v.ty}")

    def flipped(self, v):
        return Value(BOOL, self.op(f"xor i1 {v.text}, true"))

    def eval_BinOp(self, node):
        a, b = self.eval(node.left), self.eval(node.right)
        self.at = node
        return self.binary(node.op, a, b)

    def binary(self, op, a, b):
        kind = type(op)
        ta, tb = a.ty, b.ty
        known = a.const is not None and b.const is not None
        if known and kind in _FOLD and is_number(ta) and not (ta in WIDE or tb in WIDE):
            try:
                return constant(_FOLD[kind](a.const, b.const))
            except (ArithmeticError, ValueError, TypeError) as error:
                self.fail(f"{a.const} {_SYMBOL[kind]} {b.const}: {error}")
        if ta is INT and tb is INT and kind is not ast.Div:
            return self.integers(kind, a, b)
        if kind in _ARITHMETIC:
            result = self.arithmetic_on(kind, a, b)
            if result is not None:
                return result
        elif kind in (ast.BitAnd, ast.BitOr):
            name = "and" if kind is ast.BitAnd else "or"
            if ta is BOOL and tb is BOOL:
                return Value(BOOL, self.op(f"{name} i1 {a.text}, {b.text}"))
            mask = unified(ta, tb) if is_condition(ta) and is_condition(tb) else None
            if mask is not None:
                a, b = self.as_mask(a, mask), self.as_mask(b, mask)
                return Value(mask, self.op(f"{name} {self.spelling.of(mask)} {a.text}, {b.text}"))
            if ta in (INT, BOOL) and tb in (INT, BOOL):
                return self.integers(kind, self.as_int(a), self.as_int(b))
        elif ta in (INT, BOOL) and tb in (INT, BOOL) and kind is not ast.Pow:
            return self.integers(kind, self.as_int(a), self.as_int(b))
        hint = "; write x * x, or pow(x, y) of lanewise.lanes" if kind is ast.Pow else ""
        return self.fail(f"{_SYMBOL[kind]} does not exist between {ta} and {tb}{hint}")

    def integers(self, kind, a, b):
        if kind in _INTEGER:
            return Value(INT, self.op(f"{_INTEGER[kind]} i64 {a.text}, {b.text}"))
        if kind not in (ast.FloorDiv, ast.Mod):
            self.fail(f"{_SYMBOL[kind]} does not exist between whole numbers")
        n = b.const
        if n is not None and n > 0 and n & (n - 1) == 0:  # a power of two
            instruction, x = (
                ("ashr", n.bit_length() - 1) if kind is ast.FloorDiv else ("and", n - 1)
            )
            return Value(INT, self.op(f"{instruction} i64 {a.text}, {x}"))
        # towards minus infinity, as in Python
        rest = self.op(f"srem i64 {a.text}, {b.text}")
        some = self.op(f"icmp ne i64 {rest}, 0")
        signs = self.op(f"xor i64 {rest}, {b.text}")
        apart = self.op(f"icmp slt i64 {signs}, 0")
        off = self.op(f"and i1 {some}, {apart}")
        if kind is ast.Mod:
            moved = self.op(f"add i64 {rest}, {b.text}")
            return Value(INT, self.op(f"select i1 {off}, i64 {moved}, i64 {rest}"))
        quotient = self.op(f"sdiv i64 {a.text}, {b.text}")
        less = self.op(f"sub i64 {quotient}, 1")
        return Value(INT, self.op(f"select i1 {off}, i64 {less}, i64 {quotient}"))

    def arithmetic_on(self, kind, a, b):
        """Numbers with numbers; Vecs by items; Vecs with numbers in products and quotients."""
        instruction = _ARITHMETIC[kind]
        va, vb = isinstance(a.ty, VecType), isinstance(b.ty, VecType)
        if not (va or is_number(a.ty)) or not (vb or is_number(b.ty)):
            return None
        elt = common_elt(a.ty, b.ty)
        if not va and not vb:
            if a.ty in (INT, BOOL) and b.ty in (INT, BOOL) and kind is not ast.Div:
                return self.integers(kind, self.as_int(a), self.as_int(b))
            return self.arithmetic(instruction, a, b, elt)
        if va and vb:
            ok = a.ty.n == b.ty.n and kind in (ast.Add, ast.Sub)
        else:
            ok = kind is ast.Mult or (kind is ast.Div and va)
        if not ok:
            return None
        n = a.ty.n if va else b.ty.n
        items = tuple(
            self.arithmetic(instruction, self.item(a, k, elt), self.item(b, k, elt), elt)
            for k in range(n)
        )
        return Value(vec_type(n, elt), items)

    def eval_Compare(self, node):
        left = self.eval(node.left)
        result = None
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.eval(right_node)
            self.at = node
            one = self.compare(op, left, right)
            result = one if result is None else self.binary(ast.BitAnd(), result, one)
            left = right
        return result

    def compare(self, op, a, b):
        if type(op) not in _COMPARE:
            self.fail("kernels compare with <, <=, >, >=, == and !=")
        whole, real, fold = _COMPARE[type(op)]
        ta, tb = a.ty, b.ty
        if not is_number(ta) or not is_number(tb):
            self.fail(f"cannot compare {ta} with {tb}")
        elt = common_elt(ta, tb)
        if elt in WIDE:
            a, b = self.as_elt(a, elt), self.as_elt(b, elt)
            test = self.op(f"fcmp {real} {self.spelling.of(elt)} {a.text}, {b.text}")
            return Value(MASK_OF[elt], test)
        if a.const is not None and b.const is not None:
            return constant(fold(a.const, b.const))
        if FLOAT in (ta, tb):
            a, b = self.as_float(a), self.as_float(b)
            return Value(BOOL, self.op(f"fcmp {real} double {a.text}, {b.text}"))
        a, b = self.as_int(a), self.as_int(b)
        return Value(BOOL, self.op(f"icmp {whole} i64 {a.text}, {b.text}"))

    def eval_BoolOp(self, node):
        """`and`, `or`: the right side is evaluated only if it decides."""
        is_and = isinstance(node.op, ast.And)
        v = self.condition(node.values[0])
        for right in node.values[1:]:
            if v.const is not None:
                if v.const is not is_and:
                    return v
                v = self.condition(right)
                continue
            before, known = self.block, self.known
            more = self.new_block("more")
            self.block, self.known = more, dict(known)
            w = self.condition(right)
            end, self.known = self.block, known
            after = self.new_block("decided")
            end.end = f"br label %{after.label}"
            yes, no = (more, after) if is_and else (after, more)
            before.end = f"br i1 {v.text}, label %{yes.label}, label %{no.label}"
            self.block = after
            v = self.phi(BOOL, [(before, constant(not is_and)), (end, w)])
        return v

    def eval_IfExp(self, node):
        condition = self.condition(node.test)
        if condition.const is not None:
            return self.eval(node.body if condition.const else node.orelse)
        before, known = self.block, self.known
        ends = []
        for branch in (node.body, node.orelse):
            start = self.block = self.new_block("case")
            self.known = dict(known)
            value = self.eval(branch)
            ends.append((start, self.block, value))
        self.known = known
        (yes, end1, v1), (no, end2, v2) = ends
        before.end = f"br i1 {condition.text}, label %{yes.label}, label %{no.label}"
        ty = unified(v1.ty, v2.ty)
        if ty is None:
            self.at = node
            self.fail(f"one of these is {v1.ty}, the other {v2.ty}")
        preds = []
        for end, v in ((end1, v1), (end2, v2)):
            self.block = end
            preds.append((end, self.convert(v, ty)))
        self.block = after = self.new_block("chosen")
        end1.end = end2.end = f"br label %{after.label}"
        return self.phi(ty, preds)

    # --------------------------------------------------------------------------------------- calls

    def eval_Call(self, node):
        function = self.eval(node.func)
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            self.at = node
            self.fail("kernels call with plain arguments: no keywords and no *")
        args = [self.eval(a) for a in node.args]
        self.at = node
        if function.ty is not OBJECT:
            self.fail(f"{function.ty} cannot be called")
        thing = function.const
        if isinstance(thing, Kernel):
            return self.call_kernel(thing, args)
        lower = OPERATIONS.get(thing) if getattr(thing, "__hash__", None) else None
        if lower is None:
            name = getattr(thing, "__name__", repr(thing))
            also = f"; lanewise.lanes has a {name}" if name in in_lanes() else ""
            self.fail(
                f"{name} cannot be called in a kernel: it is neither a kernel nor an operation of"
                f" lanewise.lanes{also}"
            )
        code = getattr(thing, "__code__", None)
        many = code is None or code.co_flags & inspect.CO_VARARGS
        if not many and code.co_argcount != len(args):
            self.fail(f"{usage(thing)} cannot be called with {len(args)} arguments")
        try:
            result = lower(self, *args)
        except TypeError:
            if len(args) == lower.__code__.co_argcount - 1:
                raise
            result = None
        if result is None:
            types = ", ".join(str(v.ty) for v in args)
            self.fail(f"{usage(thing)} does not take ({types}){meaning(thing)}")
        return result

    def call_kernel(self, kernel, args):
        types = tuple(v.ty for v in args)
        if OBJECT in types:
            self.fail("a kernel is called with numbers, Vecs, tuples, fields, structs: no objects")
        try:
            callee = self.unit.function(kernel, types, self.fused)
        except KernelError as error:
            at = getattr(self.at, "lineno", 0)
            file = self.python.__code__.co_filename
            text = linecache.getline(file, at).strip()
            where = f"\n  called by {self.kernel.__name__}, {file}:{at}\n    {text}"
            raise KernelError(str(error) + where) from None
        address = callee.address(self, args)
        texts = [
            f"{t} {x}"
            for v in args
            for t, x in zip(self.spelling.flat(v.ty), self.flattened(v), strict=True)
        ]
        return self.results(callee.result, address, ", ".join(texts), callee.convention)

    def results(self, ty, address, arguments, convention):
        """Call, and the Value that comes back."""
        types = self.spelling.flat(ty)
        if not types:
            self.do(f"call {convention}void {address}({arguments})")
            return none()
        if len(types) == 1 and not isinstance(ty, (VecType, TupleType)):
            return Value(ty, self.op(f"call {convention}{types[0]} {address}({arguments})"))
        whole = types[0] if len(types) == 1 else f"{{{', '.join(types)}}}"
        text = self.op(f"call {convention}{whole} {address}({arguments})")
        if len(types) == 1:
            parts = iter([text])
        else:
            parts = iter([self.op(f"extractvalue {whole} {text}, {k}") for k in range(len(types))])
        return self.gathered(ty, parts)

    def gathered(self, ty, parts):
        if isinstance(ty, VecType):
            return Value(ty, tuple(Value(ty.elt, next(parts)) for _ in range(ty.n)))
        if isinstance(ty, TupleType):
            return Value(ty, tuple(self.gathered(t, parts) for t in ty.items))
        return Value(ty, next(parts))


_NOTHING = object()
