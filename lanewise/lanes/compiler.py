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
  copied into them: always if it is marked `inline`, and else where LLVM finds that it pays.

Errors name the file and line of the kernel, and say what would have been right.
"""

import inspect
import linecache

from ..errors import KernelError
from .building import (
    Value,
    none,
)
from .expressions import Expressions
from .kinds import (
    INT,
    NONE,
    Spelling,
    StructType,
    TupleType,
    VecType,
    unified,
)
from .places import Places
from .statements import Statements
from .syntax import Uses, syntax_tree


class Function(Statements, Expressions, Places):
    """One kernel for one combination of argument types."""

    def __init__(self, unit, kernel, argtypes, fused):
        super().__init__(unit.spelling, fused)
        self.unit, self.kernel, self.argtypes = unit, kernel, argtypes
        self.python = kernel.python_function
        self.node = syntax_tree(self.python)
        self.uses = unit.uses_of(self.node)
        self.loops: list = []
        self.returns: list = []  # (block, Value)
        self.tags: dict = {}  # of pointers: the number that tells their field from others
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
        for name, where in self.uses.unassigned(names).items():
            self.at = where
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

    `elsewhere(kernel, argtypes)` may return a callee for kernels that are compiled apart. stride:
    see Spelling.
    """

    def __init__(self, width, machine, elsewhere=None, stride=None):
        from . import address_operations, operations, row_operations  # noqa: F401  fill OPERATIONS

        self.spelling, self.machine = Spelling(width, stride), machine
        self.elsewhere = elsewhere or (lambda kernel, argtypes: None)
        self.texts: list = []
        self.declared: set = set()
        self._functions: dict = {}
        self._uses: dict = {}
        self._tables: dict = {}
        self._tags: dict = {}
        self._stack = _ALIGNED_STACK if machine.architecture == "x86_64" else ("", ())

    def uses_of(self, node):
        if node not in self._uses:
            self._uses[node] = Uses(node)
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
        how = "alwaysinline " if kernel.inline else ""
        lines = [f"define internal fastcc {result} @{symbol}{parameters} nounwind {how}{{"]
        function.blocks[0].lines[:0] = function.allocas
        for block in function.blocks:
            if block.end is None:
                block.end = "unreachable"
            lines += [f"{block.label}:", *block.lines, block.end]
        lines.append("}\n")
        self.texts.append("\n".join(lines))
        self.declared |= function.declared
        return _Compiled(symbol, function.result)

    def tag(self, name):
        """The number of the metadata that say: this is memory of the field `name`."""
        return self._tags.setdefault(name, 4 + 2 * len(self._tags))

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
            f"define i64 @{name}({parameters}) nounwind {self._stack[0]}{{", *lines,
            f"{call} fastcc {result} @{callee.symbol}({', '.join(arguments)})",
            f"ret i64 {'%r' if callee.result is INT else '0'}", "}\n",
        ]  # fmt: skip
        self.texts.append("\n".join(lines))

    def text(self):
        """The whole module."""
        tags = ["!0 = !{}", '!1 = !{!"fields"}']
        for name, k in self._tags.items():
            tags += [
                f'!{k - 1} = !{{!"{name}", !1, i64 0}}',
                f"!{k} = !{{!{k - 1}, !{k - 1}, i64 0}}",
            ]
        return "\n".join([*self.texts, *sorted(self.declared), *tags, *self._stack[1], ""])


_BEING_COMPILED = object()
# (what C functions have, metadata): within kernels the stack is aligned as Lanes are. By itself
# LLVM learns too late that Lanes lie there, and has them across cache lines
_ALIGNED_STACK = (
    '"stackrealign" ',
    ("!llvm.module.flags = !{!2}", '!2 = !{i32 1, !"override-stack-alignment", i32 64}'),
)
