"""From kernels to LLVM's text.

A kernel is a Python function in a small language: numbers, lanes, masks, Vecs, tuples, fields and
structs; assignments, `if`, `for ... in range(...)`, `while`, `break`, `continue`, `return`; calls
of other kernels and of the operations in primitives.py, memory.py and calls.py. It is compiled from
its syntax tree, for the types of its arguments, in one walk from top to bottom:

- A variable is the Value that was assigned last. Where branches meet, a phi joins the Values of
  each variable that is read outside of them; at the head of a loop, of each variable that the body
  changes and somebody reads. Numbers that meet lanes become lanes. If that widens a variable of a
  loop, the loop is compiled again with the wider one.
- What a field or a constant of the model is, is looked up once and remembered as long as control
  stays within the branch or loop where it was looked up.
- A kernel is one LLVM function for each combination of argument types, shared by all callers, or
  copied into them if it is marked `inline`.

Errors name the file and line of the kernel, and say what would have been right.
"""

import ast
import builtins
import difflib
import functools
import inspect
import linecache
import operator
import sys
import textwrap
from types import ModuleType

from .building import Builder, Value, constant, none, rounded
from .kernel import Kernel
from .kinds import (
    BOOL,
    FLOAT,
    INT,
    LANE,
    MASK,
    MASK_OF,
    NONE,
    OBJECT,
    ROW,
    WIDE,
    FieldType,
    IntFieldType,
    RecordType,
    Spelling,
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


class KernelError(TypeError):
    """A kernel that cannot be compiled; the message has the place and the reason."""


OPERATIONS: dict = {}  # Python function: its machine code, (builder, [Value]) -> Value or None


def machine_code(function):
    """Decorate the machine code of an operation: (f, *values) -> Value, None for wrong types."""

    def register(lower):
        OPERATIONS[function] = lower
        return lower

    return register


# ----------------------------------------------------------------------------------- syntax trees


@functools.cache
def _functions(filename, text):
    """{(name, first line): definition} of a file."""
    nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    return {(n.name, min([n.lineno, *(d.lineno for d in n.decorator_list)])): n for n in nodes}


def syntax_tree(function):
    """The definition of a Python function."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    found = _functions(code.co_filename, "".join(lines)) if lines else {}
    node = found.get((function.__name__, code.co_firstlineno))
    if node is None:  # an editor or notebook knows better
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except OSError:
            raise KernelError(
                f"the source of {function.__qualname__} cannot be found: a kernel must be defined"
                " in a file or a notebook cell"
            ) from None
        node = ast.parse(source).body[0]
        ast.increment_lineno(node, code.co_firstlineno - 1)
    return node


def _like(name, names):
    """What somebody may have meant, as the end of a message."""
    close = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _lanes():
    """What lanewise.lanes has, by name."""
    return vars(sys.modules[__package__])


def _usage(function):
    """An operation with the names of its arguments: where(c, a, b)."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARARGS:
        return f"{function.__name__}(...)"
    return f"{function.__name__}({', '.join(code.co_varnames[: code.co_argcount])})"


def _meaning(function):
    """What an operation does, as the end of a message."""
    if function in (min, max):
        return f"; of Lanes, there is {function.__name__}imum(a, b)"
    lines = (function.__doc__ or "").strip().splitlines() if hasattr(function, "__code__") else []
    return f": {lines[0]}" if lines else ""


def _names(nodes, context):
    """How often each name is read (ast.Load) or assigned (ast.Store) in statements."""
    count: dict = {}
    for node in nodes:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and isinstance(n.ctx, context):
                count[n.id] = count.get(n.id, 0) + 1
            # x += 1 reads x, too
            target = n.target if isinstance(n, ast.AugAssign) and context is ast.Load else None
            if isinstance(target, ast.Name):
                count[target.id] = count.get(target.id, 0) + 1
    return count


class _Uses:
    """What is read and assigned where, in one function; worked out once for all its types."""

    def __init__(self, node):
        self.reads = _names([node], ast.Load)
        self._inside: dict = {}

    def inside(self, statement):
        """(names read, names assigned, names read before they are surely assigned)"""
        known = self._inside.get(statement)
        if known is None:
            body = getattr(statement, "body", [statement])
            test = [statement.test] if hasattr(statement, "test") else []
            exposed = dict.fromkeys(_names(test, ast.Load), statement)
            _expose(body, set(), exposed)
            known = self._inside[statement] = (
                _names([statement], ast.Load), set(_names([statement], ast.Store)), exposed,
            )  # fmt: skip
        return known

    def outlives(self, name, statement):
        """Whether a name is read outside of a statement."""
        return self.reads.get(name, 0) > self.inside(statement)[0].get(name, 0)


def _expose(statements, assigned, exposed):
    """Collect names that are read before `assigned` has them, {name: where}.

    False if the end of the statements is not reached.
    """

    def read(node):
        for name in _names([node], ast.Load):
            if name not in assigned:
                exposed.setdefault(name, node)

    for s in statements:
        if isinstance(s, ast.If):
            read(s.test)
            yes, no = set(assigned), set(assigned)
            goes_on = [_expose(s.body, yes, exposed), _expose(s.orelse, no, exposed)]
            both = [names for names, on in zip((yes, no), goes_on, strict=True) if on]
            if not both:
                return False
            assigned |= set.intersection(*both)
        elif isinstance(s, (ast.For, ast.While)):
            read(s.iter if isinstance(s, ast.For) else s.test)
            inner = set(assigned)
            if isinstance(s, ast.For):
                inner |= set(_names([s.target], ast.Store))
            _expose(s.body, inner, exposed)
        else:
            read(s)
            if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
                return False
            assigned |= set(_names([s], ast.Store))
    return True


# --------------------------------------------------------------------------------------- operators

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


class _Loop:
    """Where `break` and `continue` lead, and with which variables."""

    def __init__(self, carried):
        self.carried = carried  # names whose Values the next iteration needs
        self.breaks, self.continues = [], []


class _Widened(Exception):
    """A variable of a loop needs another type, or None: compile again with (name, type)."""


class Function(Builder):
    """One kernel for one combination of argument types."""

    def __init__(self, unit, kernel, argtypes, fused):
        super().__init__(unit.spelling, fused)
        self.unit, self.kernel, self.argtypes = unit, kernel, argtypes
        self.python = kernel.python_function
        self.node = syntax_tree(self.python)
        self.uses = unit.uses_of(self.node)
        self.loops: list[_Loop] = []
        self.returns: list = []  # (block, Value)
        self.known: dict = {}  # pointers and constants that were looked up here
        closure = inspect.getclosurevars(self.python).nonlocals if self.python.__closure__ else {}
        self.closure = closure
        self.torn: dict = {}  # variables of several types: where branches meet, they are none
        self.at = self.node

    def fail(self, message):
        code = self.python.__code__
        line = getattr(self.at, "lineno", code.co_firstlineno)
        text = linecache.getline(code.co_filename, line).strip()
        raise KernelError(
            f"{message}\n  in kernel {self.kernel.__name__}, {code.co_filename}:{line}\n    {text}"
        )

    # -------------------------------------------------------------------------- the whole function

    def compile(self):
        """Compile; `result` is then the type of what it returns."""
        arguments = self.node.args
        names = [a.arg for a in arguments.args]
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.fail("a kernel has plain arguments: no defaults, no * and no keywords")
        if len(names) != len(self.argtypes):
            self.fail(
                f"{self.kernel.__name__} takes {len(names)} arguments, got {len(self.argtypes)}"
            )
        assigned, exposed = _names([self.node], ast.Store), {}
        _expose(self.node.body, set(names), exposed)
        for name, self.at in exposed.items():
            listed = any(isinstance(n, ast.comprehension) for n in ast.walk(self.at))
            if name in assigned and not listed:
                self.fail(
                    f"{name} is not assigned on every way that leads here; assign it before"
                    " (a loop may run no times)"
                )
        self.at = self.node
        self.block = self.new_block("entry")
        parameters: list = []
        self.env = {
            name: self.parameter(ty, parameters)
            for name, ty in zip(names, self.argtypes, strict=True)
        }
        self.run(self.node.body)
        if self.block is not None:
            self.returns.append((self.block, none()))
        self.result = self.returns[0][1].ty
        for _, v in self.returns[1:]:
            ty = unified(self.result, v.ty)
            if ty is None:
                self.fail(f"the kernel returns {self.result} in one place, {v.ty} in another")
            self.result = ty
        self.finish()
        return f"({', '.join(parameters)})"

    def parameter(self, ty, parameters):
        """A Value for an argument, whose parts become LLVM parameters."""

        def part(t):
            name = f"%a{len(parameters)}"
            parameters.append(f"{self.spelling.of(t)} {name}")
            return Value(t, name)

        if isinstance(ty, VecType):
            return Value(ty, tuple(part(ty.elt) for _ in range(ty.n)))
        if isinstance(ty, TupleType):
            return Value(ty, tuple(self.parameter(t, parameters) for t in ty.items))
        return part(ty)

    def finish(self):
        """Return what the places with a `return` give, all of one type."""
        if len(self.returns) == 1:
            self.block, value = self.returns[0]
            value = self.convert(value, self.result)
        else:
            preds = []
            for block, v in self.returns:
                self.block = block
                preds.append((block, self.convert(v, self.result)))
            self.block = exit_block = self.new_block("exit")
            for block, _ in preds:
                block.end = f"br label %{exit_block.label}"
            value = self.phi(self.result, preds)
        flat, types = self.flattened(value), self.spelling.flat(self.result)
        if not flat:
            self.block.end = "ret void"
        elif len(flat) == 1:
            self.block.end = f"ret {types[0]} {flat[0]}"
        else:
            whole = f"{{{', '.join(types)}}}"
            text = "poison"
            for k, (t, x) in enumerate(zip(types, flat, strict=True)):
                text = self.op(f"insertvalue {whole} {text}, {t} {x}, {k}")
            self.block.end = f"ret {whole} {text}"

    def flattened(self, v):
        """The texts that a Value is made of."""
        if isinstance(v.text, tuple):
            return [x for item in v.text for x in self.flattened(item)]
        return [] if v.ty is NONE else [v.text]

    def phi(self, ty, preds, into=None):
        """The Value that came along with control; preds: [(block, Value of that type)]."""
        lines = self.block.lines if into is None else into
        if isinstance(ty, (VecType, TupleType)):
            items = [ty.elt] * ty.n if isinstance(ty, VecType) else ty.items
            parts = [
                self.phi(t, [(b, v.text[k]) for b, v in preds], into) for k, t in enumerate(items)
            ]
            return Value(ty, tuple(parts))
        if ty is NONE or ty is OBJECT:
            return preds[0][1]
        first = preds[0][1]
        if all(v.text == first.text for _, v in preds):
            return first
        self.count += 1
        name = f"%v{self.count}"
        sources = ", ".join(f"[ {v.text}, %{b.label} ]" for b, v in preds)
        lines.append(f"{name} = phi {self.spelling.of(ty)} {sources}")
        return Value(ty, name)

    # ---------------------------------------------------------------------------------- statements

    def run(self, statements):
        for s in statements:
            if self.block is None:
                return  # what follows a return, break or continue is never reached
            self.at = s
            getattr(self, f"run_{type(s).__name__}", self.unknown)(s)

    def unknown(self, node):
        if isinstance(node, ast.stmt):
            self.fail(
                f"kernels have no {type(node).__name__} statement; they have assignments, if,"
                " while, for ... in range(...), break, continue, return, pass and calls"
            )
        self.at = node
        self.fail(
            f"kernels have no {type(node).__name__} expression; they have numbers, vec(...),"
            " tuples, fields, arithmetic, comparisons, and calls of kernels and operations"
        )

    def run_Pass(self, s):
        pass

    def run_Expr(self, s):
        if not isinstance(s.value, ast.Constant):
            self.eval(s.value)

    def run_Return(self, s):
        value = none() if s.value is None else self.eval(s.value)
        self.returns.append((self.block, value))
        self.block = None

    def run_Assign(self, s):
        value = self.eval(s.value)
        for target in s.targets:
            self.assign(target, value)

    def run_AugAssign(self, s):
        target = s.target
        if isinstance(target, ast.Name):
            load = ast.Name(target.id, ast.Load())
            self.assign(
                target,
                self.binary(s.op, self.eval(ast.copy_location(load, target)), self.eval(s.value)),
            )
        elif isinstance(target, ast.Subscript):
            field, index = self.eval(target.value), self.index(target.slice)
            value = self.binary(s.op, self.load_item(field, index), self.eval(s.value))
            self.store_item(field, index, value)
        else:
            load = ast.Attribute(target.value, target.attr, ast.Load())
            value = self.binary(
                s.op, self.eval(ast.copy_location(load, target)), self.eval(s.value)
            )
            self.assign(target, value)

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            if value.ty is NONE:
                self.fail("this call returns nothing that could be assigned")
            once = self.uses.reads.get(target.id) == 1
            self.env[target.id] = value if once else rounded(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if not isinstance(value.ty, (TupleType, VecType)) or len(value.text) != len(
                target.elts
            ):
                self.fail(f"cannot unpack {value.ty} into {len(target.elts)} names")
            for t, v in zip(target.elts, value.text, strict=True):
                self.assign(t, v)
        elif isinstance(target, ast.Subscript):
            self.store_item(self.eval(target.value), self.index(target.slice), value)
        elif isinstance(target, ast.Attribute):
            self.store_attribute(self.eval(target.value), target.attr, value)
        else:
            self.unknown(target)

    def run_If(self, s):
        condition = self.condition(s.test)
        if condition.const is not None:
            self.run(s.body if condition.const else s.orelse)
            return
        before, known = self.block, self.known
        yes, env = self.new_block("yes"), self.env
        no = self.new_block("no") if s.orelse else None
        ends = []
        self.block, self.env, self.known = yes, dict(env), dict(known)
        self.run(s.body)
        if self.block is not None:
            ends.append((self.block, self.env))
        if no is not None:
            self.block, self.env, self.known = no, dict(env), dict(known)
            self.run(s.orelse)
            if self.block is not None:
                ends.append((self.block, self.env))
        else:
            ends.append((before, env))
        self.known = known
        if not ends:
            before.end = f"br i1 {condition.text}, label %{yes.label}, label %{no.label}"
            self.block = None
            return
        after = self.new_block("after")
        target = no or after
        for block, _ in ends:
            if block is not before:
                block.end = f"br label %{after.label}"
        before.end = f"br i1 {condition.text}, label %{yes.label}, label %{target.label}"
        self.join(after, ends, s)

    def join(self, after, ends, statement):
        """Continue in a block that control reaches from several, with their variables."""
        if len(ends) == 1:
            self.block, self.env = after, ends[0][1]
            return
        env = dict(ends[0][1])
        phis: list = []
        names = set().union(*(e for _, e in ends))
        for name in sorted(names):
            values = [e.get(name) for _, e in ends]
            first = values[0]
            if all(v is first for v in values):
                continue
            env.pop(name, None)
            if not self.uses.outlives(name, statement) and not any(
                name in loop.carried for loop in self.loops
            ):
                continue
            there = [v for v in values if v is not None]
            ty = functools.reduce(lambda a, b: a and unified(a, b), (v.ty for v in there))
            if ty is None or ty is OBJECT:
                # of different kinds: nobody can read it before it is assigned again
                self.torn[name] = " or ".join(dict.fromkeys(str(v.ty) for v in there))
                continue
            preds = []
            for (block, _), v in zip(ends, values, strict=True):
                self.block = block
                preds.append((block, self.zero(ty) if v is None else self.convert(v, ty)))
            env[name] = self.phi(ty, preds, phis)
        after.lines[:0] = phis
        self.block, self.env = after, env

    def zero(self, ty):
        """What an unassigned variable has where another branch assigned it."""
        if isinstance(ty, (VecType, TupleType)):
            items = [ty.elt] * ty.n if isinstance(ty, VecType) else ty.items
            return Value(ty, tuple(map(self.zero, items)))
        plain = {INT: "0", BOOL: "false", FLOAT: "0.0"}
        text = plain.get(ty, "zeroinitializer")
        if self.width == 1 and ty in (LANE, MASK):
            text = "0.0" if ty is LANE else "false"
        return Value(ty, text)

    # --------------------------------------------------------------------------------------- loops

    def run_While(self, s):
        if s.orelse:
            self.fail("loops of kernels have no else")
        self.loop(s, lambda: self.condition(s.test), None)

    def run_For(self, s):
        call = s.iter
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "range"
        ):
            self.fail("a kernel loops over range(...), with an index into what it goes through")
        if s.orelse:
            self.fail("loops of kernels have no else")
        if not isinstance(s.target, ast.Name):
            self.fail("a loop has one variable")
        bounds = [self.number(a) for a in call.args]
        if not 1 <= len(bounds) <= 3 or any(v.ty not in (INT, BOOL) for v in bounds):
            types = ", ".join(str(v.ty) for v in bounds)
            self.fail(f"range takes one to three whole numbers, not ({types})")
        bounds = [self.as_int(v) for v in bounds]
        start, stop = (constant(0), bounds[0]) if len(bounds) == 1 else bounds[:2]
        stride = bounds[2] if len(bounds) == 3 else constant(1)
        if stride.const in (None, 0):
            self.fail("the step of a range must be a number that is known, and not zero")
        order = "slt" if stride.const > 0 else "sgt"

        counter = f"range {s.lineno}"  # a hidden variable: the body may assign the visible one

        def condition():
            at = self.env[counter]
            return Value(BOOL, self.op(f"icmp {order} i64 {at.text}, {stop.text}"))

        self.loop(s, condition, (start, stride, s.target.id, counter))

    def loop(self, s, condition, counting):
        """Compile a loop, again if it turns out that a variable needs a wider type."""
        _, assigned, exposed = self.uses.inside(s)
        carried = {}
        for name in sorted(assigned):
            if name in self.env and (name in exposed or self.uses.outlives(name, s)):
                carried[name] = self.env[name].ty
        before, env, known = self.block, self.env, self.known
        marks = len(self.blocks), len(before.lines), len(self.returns)
        while True:
            try:
                self.loop_once(s, condition, counting, carried)
                return
            except _Widened as widened:
                name, ty = widened.args
                carried[name] = ty
                del self.blocks[marks[0] :], before.lines[marks[1] :], self.returns[marks[2] :]
                self.block, self.env, self.known = before, env, known

    def loop_once(self, s, condition, counting, variables):
        before, outside, known = self.block, dict(self.env), self.known
        head = self.new_block("head")
        before.end = f"br label %{head.label}"
        carried = {name: ty for name, ty in variables.items() if ty is not None}
        counter = None
        if counting:
            counter = counting[3]
            carried[counter], outside[counter] = INT, counting[0]
        self.env = dict(outside)
        # variables that are assigned in the loop and read there only after that begin anew
        for name in self.uses.inside(s)[1]:
            if name not in carried:
                self.env.pop(name, None)
        entry = {}
        for name, ty in carried.items():
            if ty is OBJECT:
                self.fail(f"{name} cannot change in a loop")
            first = outside.get(name)
            entry[name] = self.zero(ty) if first is None else self.convert(first, ty)
            self.env[name] = self.placeholder(ty)
        heads = {name: self.env[name] for name in carried}
        # the test, the body, and the way back to the head
        self.block, self.known = head, dict(known)
        test = condition()
        if test.const is True:
            test = None
        checked, at_head = self.block, dict(self.env)
        body = self.block = self.new_block("body")
        if counting:
            self.env[counting[2]] = self.env[counter]
        loop = _Loop(carried)
        self.loops.append(loop)
        self.run(s.body)
        self.loops.pop()
        if self.block is not None:
            loop.continues.append((self.block, self.env))
        self.known = known
        back = None
        if loop.continues:
            back = self.close_loop(s, loop, counting, heads, variables)
            self.block.end = f"br label %{head.label}"
        phis: list = []
        for name, value in heads.items():
            source = (self.block, back[name]) if back else None
            self.complete(value, (before, entry[name]), source, phis)
        head.lines[:0] = phis
        # the ways out
        ends = [*([] if test is None else [(checked, at_head)]), *loop.breaks]
        after = self.new_block("after") if ends else None
        for block, _ in loop.breaks:
            block.end = f"br label %{after.label}"
        checked.end = (
            f"br label %{body.label}" if test is None
            else f"br i1 {test.text}, label %{body.label}, label %{after.label}"
        )  # fmt: skip
        if not ends:
            self.block = None
            return
        self.join(after, ends, s)
        if counting:
            self.env.pop(counter, None)

    def close_loop(self, s, loop, counting, heads, variables):
        """Join the ends of a loop's body; the variables that go back to its head."""
        latch = self.new_block("latch")
        env, phis = {}, []
        for block, _ in loop.continues:
            block.end = f"br label %{latch.label}"
        for name, head in heads.items():
            values = [e.get(name) for _, e in loop.continues]
            ty = head.ty
            there = [v.ty for v in values if v is not None]
            wide = functools.reduce(lambda a, b: a and unified(a, b), there, ty)
            if len(there) < len(values) or wide is None:
                if name not in self.uses.inside(s)[2]:
                    raise _Widened(name, None)  # another thing of the same name
                kinds = self.torn.get(name) or there[0]
                self.fail(f"{name} is {ty} before the loop and {kinds} after a round of it")
            if wide is not ty:
                raise _Widened(name, wide)
            preds = []
            for (block, _), v in zip(loop.continues, values, strict=True):
                self.block = block
                preds.append((block, self.convert(v, ty)))
            env[name] = preds[0][1] if len(preds) == 1 else self.phi(ty, preds, phis)
        # what the body assigned first and somebody reads after the loop
        for name in sorted(self.uses.inside(s)[1]):
            found = [e[name] for _, e in loop.continues if name in e]
            if name not in variables and found and self.uses.outlives(name, s):
                raise _Widened(name, found[0].ty)
        latch.lines[:0] = phis
        self.block = latch
        if counting:
            _, stride, _, counter = counting
            step = self.op(f"add i64 {env[counter].text}, {stride.text}")
            env[counter] = Value(INT, step)
        return env

    def placeholder(self, ty):
        """A Value whose phi is written when the loop is known."""
        if isinstance(ty, VecType):
            return Value(ty, tuple(self.placeholder(ty.elt) for _ in range(ty.n)))
        if isinstance(ty, TupleType):
            return Value(ty, tuple(map(self.placeholder, ty.items)))
        self.count += 1
        return Value(ty, f"%v{self.count}")

    def complete(self, value, entry, back, phis):
        if isinstance(value.text, tuple):
            for k, item in enumerate(value.text):
                inner = back and (back[0], back[1].text[k])
                self.complete(item, (entry[0], entry[1].text[k]), inner, phis)
            return
        sources = f"[ {entry[1].text}, %{entry[0].label} ]"
        if back:
            sources += f", [ {back[1].text}, %{back[0].label} ]"
        phis.append(f"{value.text} = phi {self.spelling.of(value.ty)} {sources}")

    def run_Break(self, s):
        self.loops[-1].breaks.append((self.block, self.env))
        self.block = None

    def run_Continue(self, s):
        self.loops[-1].continues.append((self.block, self.env))
        self.block = None

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
            self.fail(f"there is no {name}{_like(name, [*self.env, *self.python.__globals__])}")
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
            close = _like(node.attr, dir(base.const))
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
            also = f"; lanewise.lanes has a {name}" if name in _lanes() else ""
            self.fail(
                f"{name} cannot be called in a kernel: it is neither a kernel nor an operation of"
                f" lanewise.lanes{also}"
            )
        code = getattr(thing, "__code__", None)
        many = code is None or code.co_flags & inspect.CO_VARARGS
        if not many and code.co_argcount != len(args):
            self.fail(f"{_usage(thing)} cannot be called with {len(args)} arguments")
        try:
            result = lower(self, *args)
        except TypeError:
            if len(args) == lower.__code__.co_argcount - 1:
                raise
            result = None
        if result is None:
            types = ", ".join(str(v.ty) for v in args)
            self.fail(f"{_usage(thing)} does not take ({types}){_meaning(thing)}")
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
        return self.op(f"getelementptr {self.memory_type(ty)[0]}, ptr {pointer}, i64 {flat.text}")

    def load(self, llvm_type, pointer, align, const):
        tail = ", !invariant.load !0" if const else ""
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
            self.fail("the model cannot be written by a kernel")
        if isinstance(ty, IntFieldType):
            if value.ty not in (INT, BOOL):
                self.fail(f"a field of whole numbers cannot hold {value.ty}")
            x = self.as_int(value).text
            if ty.bits < 64:
                x = self.op(f"trunc i64 {x} to i{ty.bits}")
            self.do(f"store i{ty.bits} {x}, ptr {pointer}, align {ty.bits // 8}")
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
            self.do(f"store {kind} {self.as_elt(x, ty.elt).text}, ptr {place}, align {align}")

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
            if self.width > 1:
                flat = self.op(f"mul i64 {flat}, {self.width}")
                flat = self.op(f"add i64 {flat}, {w}")
        return self.op(f"getelementptr {kind}, ptr {pointer}, i64 {flat}")

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
            self.fail(f"{ty.label} has no field {name!r}{_like(name, ty.fields)}")
        index, field, no_dims = ty.fields[name]
        constant_value = no_dims and field.const
        key = base.text, index
        if constant_value and (key, "value") in self.known:
            return self.known[key, "value"]
        pointer = self.field_pointer(base, index)
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

    def load_member(self, base, name):
        """A number of a record, as it is now: the host may write it while kernels run."""
        members = base.ty.record.members
        if name not in members:
            self.fail(f"{base.ty} has no member {name!r}{_like(name, members)}")
        place = self.op(f"getelementptr i64, ptr {base.text}, i64 {members[name]}")
        return Value(INT, self.op(f"load i64, ptr {place}, align 8"))

    def field_pointer(self, base, index):
        """The table of pointers does not change while kernels run."""
        key = base.text, index
        pointer = self.known.get(key)
        if pointer is None:
            place = self.op(f"getelementptr ptr, ptr {base.text}, i64 {index}")
            pointer = self.known[key] = self.load("ptr", place, 8, True)
        return pointer

    def store_attribute(self, base, name, value):
        if not isinstance(base.ty, StructType):
            self.fail(f"{base.ty} has no attributes")
        if name not in base.ty.fields:
            self.fail(f"{base.ty.label} has no field {name!r}{_like(name, base.ty.fields)}")
        index, field, no_dims = base.ty.fields[name]
        if not no_dims:
            self.fail(f"{name} is an array: assign to its rows, {name}[i] = ...")
        self.store(field, self.field_pointer(base, index), value, True)


_NOTHING = object()


# ------------------------------------------------------------------------------------------- units


class _Compiled:
    """A kernel as a callee."""

    convention = "fastcc "

    def __init__(self, symbol, result):
        self.symbol, self.result = symbol, result

    def address(self, function, args):
        return f"@{self.symbol}"


class Linked:
    """A kernel of another part, behind one of the links that `d` holds; see library.py."""

    convention, result = "", INT

    def __init__(self, slot):
        self.slot = slot

    def address(self, function, args):
        for v in args:
            if isinstance(v.ty, StructType) and "links" in v.ty.fields:
                links = function.load_attribute(v, "links")
                place = function.op(f"getelementptr ptr, ptr {links.text}, i64 {self.slot}")
                return function.op(f"load ptr, ptr {place}, align 8")
        return function.fail("a kernel of another part is called with the workspace d")


class Unit:
    """Kernels that are compiled together into one text, at one width.

    `elsewhere(kernel, argtypes)` may return a callee for kernels that are compiled apart.
    """

    def __init__(self, width, machine, elsewhere=None):
        from . import operations  # noqa: F401  fills OPERATIONS

        self.spelling, self.machine = Spelling(width), machine
        self.elsewhere = elsewhere or (lambda kernel, argtypes: None)
        self.texts: list = []
        self.declared: set = set()
        self._functions: dict = {}
        self._uses: dict = {}
        self._tables: dict = {}

    def uses_of(self, node):
        if node not in self._uses:
            self._uses[node] = _Uses(node)
        return self._uses[node]

    def function(self, kernel, argtypes, fused=True):
        """The callee of a kernel for these argument types, compiled when it is first asked for."""
        argtypes, fused = tuple(argtypes), fused and kernel.fused
        key = kernel, argtypes, fused
        callee = self._functions.get(key)
        if callee is not None:
            if callee is _BEING_COMPILED:
                raise KernelError(f"{kernel.__name__} calls itself; kernels cannot: write a loop")
            return callee
        callee = self.elsewhere(kernel, argtypes)
        if callee is None:
            self._functions[key] = _BEING_COMPILED
            try:
                callee = self._compile(kernel, argtypes, fused)
            finally:
                self._functions.pop(key)
        self._functions[key] = callee
        return callee

    def _compile(self, kernel, argtypes, fused):
        function = Function(self, kernel, argtypes, fused)
        parameters = function.compile()
        symbol = f"{kernel.__name__}.{len(self.texts)}"
        types = self.spelling.flat(function.result)
        result = "void" if not types else types[0] if len(types) == 1 else f"{{{', '.join(types)}}}"
        how = "alwaysinline" if kernel.inline else "noinline"
        lines = [f"define internal fastcc {result} @{symbol}{parameters} nounwind {how} {{"]
        function.blocks[0].lines[:0] = function.allocas
        for block in function.blocks:
            if block.end is None:
                block.end = "unreachable"
            lines += [f"{block.label}:", *block.lines, block.end]
        lines.append("}\n")
        self.texts.append("\n".join(lines))
        self.declared |= function.declared
        return _Compiled(symbol, function.result)

    def table(self, kind, items):
        """The name of a constant array."""
        key = f"[{len(items)} x {kind}] [{', '.join(f'{kind} {x}' for x in items)}]"
        if key not in self._tables:
            self._tables[key] = f"table.{len(self._tables)}"
            self.declared.add(f"@{self._tables[key]} = private unnamed_addr constant {key}")
        return self._tables[key]

    def export(self, name, kernel, argtypes):
        """A C function `int64 name(int64, ...)` that calls a kernel; structs come as addresses.

        It returns what the kernel does, if that is a whole number, and else 0.
        """
        callee = self.function(kernel, argtypes)
        lines, arguments = [], []
        for k, ty in enumerate(argtypes):
            if isinstance(ty, StructType):
                lines.append(f"%p{k} = inttoptr i64 %a{k} to ptr")
                arguments.append(f"ptr %p{k}")
            else:
                arguments.append(f"i64 %a{k}")
        if callee.result not in (NONE, INT):
            raise KernelError(f"{kernel.__name__} returns {callee.result}: a door returns an int")
        result, call = ("i64", "%r = call") if callee.result is INT else ("void", "call")
        parameters = ", ".join(f"i64 %a{k}" for k in range(len(argtypes)))
        lines = [
            f"define i64 @{name}({parameters}) nounwind {{", *lines,
            f"{call} fastcc {result} @{callee.symbol}({', '.join(arguments)})",
            f"ret i64 {'%r' if callee.result is INT else '0'}", "}\n",
        ]  # fmt: skip
        self.texts.append("\n".join(lines))

    def text(self):
        """The whole module."""
        return "\n".join([*self.texts, *sorted(self.declared), "!0 = !{}", ""])


_BEING_COMPILED = object()
