"""Statements of the kernel language: assignments, branches, loops, returns.

A variable is the Value that was assigned last. Where branches meet, a phi joins the Values of each
variable that is read outside of them; at the head of a loop, of each variable that the body changes
and somebody reads. If a loop widens a variable, it is compiled again with the wider one.
"""

import ast
import functools

from .building import (
    Builder,
    Value,
    constant,
    none,
    rounded,
)
from .kinds import (
    BOOL,
    FLOAT,
    INT,
    LANE,
    MASK,
    NONE,
    OBJECT,
    TupleType,
    VecType,
    unified,
)


class _Loop:
    """Where `break` and `continue` lead, and with which variables."""

    def __init__(self, carried):
        self.carried = carried  # names whose Values the next iteration needs
        self.breaks, self.continues = [], []


class _Widened(Exception):
    """A variable of a loop needs another type, or None: compile again with (name, type)."""


class Statements(Builder):
    """The part of a Function that runs statements; it asks `eval` for expressions."""

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
