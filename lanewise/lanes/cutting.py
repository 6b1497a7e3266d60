"""Lanes in pieces: every vector of eight, cut into as many numbers as a register holds.

LLVM cuts vectors that are wider than a register by itself, but instruction by instruction. With
registers of four, both halves of every number are alive then at the same time, a formula of ten
numbers fills all registers, and what has no room goes through the stack. Here one half of a basic
block is computed after the other, so half as many numbers are alive at once:

    a = load <8 x double>         a.0 = load <4 x double>, first half
    b = fadd a, a         =>      b.0 = fadd a.0, a.0
                                  a.1 = load <4 x double>, second half
                                  b.1 = fadd a.1, a.1

Before that, Lanes are loaded where they are needed (late_loads.py).

Lanes have nothing to do with each other, so this changes no bit. Where an instruction looks at
several lanes, such as a shuffle, the pieces are put together for it.

What may change places, and what may not:

- Whole Lanes in memory, known by their alignment: the pieces of two Lanes share no memory unless
  they have the same number, and those with the same number keep their order.
- Whole numbers of fields, known by their tags: they share no memory with Lanes of other tags. They
  keep their order and go first, with all other plain instructions that take nothing of a Lane.
- Everything else that touches memory stays where it is: calls, single numbers of a Lane, Rows.

The text is that of LLVM's optimizer, an instruction a line. What is not understood raises
`Unknown`; the text is good without being cut, too.
"""

import re

from .late_loads import late_loads

LANES = 8

_VECTOR = re.compile(rf"<{LANES} x (\w+)>")
_NAME = re.compile(r"%[\w.$-]+")
_UNNAMED = re.compile(r"%(\d+)\b")
_ASSIGNMENT = re.compile(r"(%[\w.$-]+) = (.*)")
_FUNCTION = re.compile(r"[@%][\w.$-]+(?=\()")
_INTRINSIC = re.compile(rf"@(llvm\.[\w.]+)\.v{LANES}(\w+)")
_IN_MEMORY = re.compile(r"(.*), ptr (\S+), align (\d+)(.*)")
_BYTES = {"double": 8, "i64": 8, "i32": 4, "float": 4, "i16": 2, "i8": 1}

# instructions on each lane by itself: words, a type, operands
_FLAGS = r"(?: (?:nuw|nsw|exact|disjoint|nneg|samesign|nnan|ninf|nsz|arcp|contract|afn|reassoc))*"
_EACH = re.compile(
    r"((?:fadd|fsub|fmul|fdiv|frem|fneg|and|or|xor|shl|lshr|ashr|add|sub|mul|freeze"
    rf"|fcmp{_FLAGS} \w+|icmp{_FLAGS} \w+){_FLAGS}) <{LANES} x (\w+)> (.*)"
)
_CONVERSION = re.compile(
    r"((?:fptosi|fptoui|sitofp|uitofp|sext|zext|trunc|fpext|fptrunc|bitcast)"
    rf"{_FLAGS}) <{LANES} x (\w+)> (\S+) to <{LANES} x (\w+)>"
)
_ANY_OR_ALL = re.compile(r"icmp (eq|ne) i8 (%\S+), (0|-1)")
_TAG = re.compile(r"!tbaa !(\d+)")
_OF_FIELDS = re.compile(r"(load|store) (i\d+|ptr)\b.*!(invariant\.load|tbaa !(?P<tag>\d+))")
_PURE = re.compile(r"(tail )?call [^@]*@llvm\.(?!mem|x86|aarch64)")
_MEMORY = re.compile(r"(load|store|call|tail call|atomicrmw|cmpxchg|fence)\b")
_END = re.compile(r"(br|ret|switch|unreachable)\b")


class Unknown(Exception):
    """An instruction that cannot be cut."""


def cut(text, size):
    """LLVM's text with vectors of `size` numbers instead of eight."""
    if size >= LANES:
        return text
    try:
        return _Cutter(size).run(late_loads(text))
    except (AttributeError, LookupError, TypeError, ValueError) as error:  # of another form
        raise Unknown(str(error)) from error


# ---------------------------------------------------------------------------------- reading a line


def _end_of_bracket(text, start=0):
    """The place behind the bracket that opens at `start`."""
    depth = 0
    for k in range(start, len(text)):
        if text[k] in "<({[":
            depth += 1
        elif text[k] in ">)}]":
            depth -= 1
            if depth == 0:
                return k + 1
    raise Unknown(text)


def _items(text):
    """What the outermost commas separate."""
    found, depth, start = [], 0, 0
    for k, c in enumerate(text):
        if c in "<({[":
            depth += 1
        elif c in ">)}]":
            depth -= 1
        elif c == "," and depth == 0:
            found.append(text[start:k].strip())
            start = k + 1
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _typed(text):
    """(type, what is of this type)"""
    end = _end_of_bracket(text) if text[0] in "<{[" else (text + " ").index(" ")
    return text[:end], text[end:].strip()


def _numbers(first, count):
    return ", ".join(f"i32 {k}" for k in range(first, first + count))


# --------------------------------------------------------------------------------- writing a block


class _Block:
    """The lines of a basic block: what is settled, plain instructions, and a stream per piece."""

    def __init__(self, pieces):
        self.lines, self.plain = [], []
        self.streams = [[] for _ in range(pieces)]
        self.waiting = set()  # names of results in the streams
        self.tags = set()  # of memory that instructions in the streams load or store

    def piece(self, h, line, name):
        self.streams[h].append(line)
        self.waiting.add(name)

    def add(self, line):
        """An instruction on plain numbers; before the streams, if it takes nothing of them."""
        if not self.waiting.isdisjoint(_NAME.findall(line)):
            self.settle()
        self.plain.append(line)

    def settle(self):
        """All that has come so far is before what will come."""
        self.lines += self.plain
        for stream in self.streams:
            self.lines += stream
            stream.clear()
        self.plain = []
        self.waiting.clear()
        self.tags.clear()

    def put(self, *lines):
        """Lines that stay where they are."""
        self.settle()
        self.lines += lines


class _Cutter:
    def __init__(self, size):
        self.size, self.pieces = size, range(LANES // size)
        self.declared = {}  # intrinsics on pieces
        self.words = {}  # bits of a mask, as a number: the mask
        self.names = 0
        self.block = None

    def run(self, text):
        out = []
        for line in text.split("\n"):
            if self.block is None:
                out.append(self.begin(line) if line.startswith("define ") else line)
                continue
            line = _UNNAMED.sub(r"%n\1", line.partition(" ;")[0].strip())
            if not line or line[0] == ";":
                continue
            label = re.match(r"([\w.$-]+):$", line)
            if label or not (self.labelled or line == "}"):
                # a first block without a name is number 0
                name = label[1] if label else "0"
                self.close_block(out)
                out.append(f"n{name}:" if name.isdigit() else line)
                self.labelled = True
            if line == "}":
                self.close_block(out)
                out.append(line)
                self.block = None
            elif not label:
                self.instruction(line)
        known = set(re.findall(r"^declare .*@([\w.]+)\(", text, re.MULTILINE))
        out += [line for name, line in self.declared.items() if name not in known]
        return "\n".join(out)

    def begin(self, line):
        """The first line of a function."""
        self.block, self.labelled, self.words = _Block(len(self.pieces)), False, {}
        line = _UNNAMED.sub(r"%n\1", line)
        at = _FUNCTION.search(line).end()
        end = _end_of_bracket(line, at)
        front, _, name_of_function = line[:at].rpartition(" ")
        arguments = []
        for a in _items(line[at + 1 : end - 1]):
            kind, name = _typed(a)
            arguments += self.parts_of(kind, name)
        return f"{self.result(front)} {name_of_function}({', '.join(arguments)}){line[end:]}"

    def close_block(self, out):
        self.block.settle()
        out += self.block.lines
        self.block = _Block(len(self.pieces))

    # ----------------------------------------------------------------------------- words of pieces

    def kind(self, elt):
        return f"<{self.size} x {elt}>"

    def part(self, operand, h):
        """Piece h of an operand that is a vector."""
        if operand[0] == "%":
            return f"{operand}.{h}"
        if operand[0] == "<":
            some = _items(operand[1:-1])[h * self.size : (h + 1) * self.size]
            return f"<{', '.join(some)}>"
        return operand  # all lanes are the same

    def parts_of(self, kind, operand):
        """[type and operand] of all pieces, or of what is no vector; attributes may come before."""
        v = _VECTOR.fullmatch(kind)
        if v is None:
            return [f"{self.types(kind)} {operand}".strip()]
        constant = operand[0] in "<s" and not operand.startswith("sret")
        front, _, name = ("", "", operand) if constant else operand.rpartition(" ")
        front = f"{front} " if front else ""
        return [f"{self.kind(v[1])} {front}{self.part(name, h)}" for h in self.pieces]

    def one_part(self, typed, h):
        """Piece h of an operand with its type; what is no vector is the same for all."""
        parts = self.parts_of(*_typed(typed))
        return parts[h] if len(parts) > 1 else parts[0]

    def types(self, text):
        """A struct's type, with pieces in it."""
        return _VECTOR.sub(lambda m: ", ".join([self.kind(m[1])] * len(self.pieces)), text)

    def result(self, front):
        """What a function returns, with what stands before it: a vector becomes a struct."""
        if front.endswith(">"):
            at = front.rindex("<")
            return f"{front[:at]}{{ {self.types(front[at:])} }}"
        return self.types(front)

    def name(self, word):
        self.names += 1
        return f"%{word}.p{self.names}"

    # ------------------------------------------------------------------------------- instructions

    def each(self, name, write):
        """An instruction for each piece: write(h)"""
        for h in self.pieces:
            text = write(h)
            result = f"{name}.{h}"
            self.block.piece(h, f"{result} = {text}" if name else text, result)

    def instruction(self, line):
        found = _ASSIGNMENT.match(line)
        name, text = found.groups() if found else (None, line)
        if f"<{LANES} x " not in text:
            self.without_vectors(name, text, line)
            return
        m = _EACH.match(text)
        if m:
            words, elt, operands = m.groups()
            some = _items(operands)
            self.each(
                name,
                lambda h: f"{words} {self.kind(elt)} {', '.join(self.part(x, h) for x in some)}",
            )
            return
        m = _CONVERSION.match(text)
        if m:
            words, elt, x, to = m.groups()
            self.each(
                name, lambda h: f"{words} {self.kind(elt)} {self.part(x, h)} to {self.kind(to)}"
            )
            return
        word, _, rest = text.partition(" ")
        if word in ("tail", "notail"):
            word = "call"
        method = getattr(self, f"cut_{word}", None)
        if method is None or not method(name, rest, text):
            self.whole(name, text)

    def without_vectors(self, name, text, line):
        if text.startswith("phi "):
            self.block.lines.append(line)
            return
        m = _ANY_OR_ALL.match(text)
        if m and m[2] in self.words:
            self.any_or_all(name, m[1], self.words[m[2]], m[3])
        elif _END.match(text) or (
            _MEMORY.match(text) and not (self.of_other_fields(text) or _PURE.match(text))
        ):
            self.block.put(line)
        else:
            self.block.add(line)

    def of_other_fields(self, text):
        """Whether it loads or stores a number of a field that no Lane in the streams belongs to."""
        m = _OF_FIELDS.match(text)
        return m and (m["tag"] is None or self.block.tags.isdisjoint((m["tag"], None)))

    def any_or_all(self, name, order, mask, number):
        """Whether the bits of a mask are 0, or all 1: of its pieces together"""
        x, kind = self.part(mask, 0), self.kind("i1")
        for h in self.pieces[1:]:
            y = self.name("both")
            operation = "or" if number == "0" else "and"
            self.block.add(f"{y} = {operation} {kind} {x}, {self.part(mask, h)}")
            x = y
        word = self.name("bits")
        self.block.add(f"{word} = bitcast {kind} {x} to i{self.size}")
        self.block.add(f"{name} = icmp {order} i{self.size} {word}, {number}")

    def cut_load(self, name, rest, text):
        m = _IN_MEMORY.fullmatch(rest)
        v = m and _VECTOR.fullmatch(m[1])
        if not v:
            raise Unknown(text)
        self.in_memory(v[1], m, name, lambda h, place: f"load {self.kind(v[1])}, {place}")
        return True

    def cut_store(self, name, rest, text):
        m = _IN_MEMORY.fullmatch(rest)
        kind, x = _typed(m[1]) if m else ("", "")
        v = _VECTOR.fullmatch(kind)
        if not v:
            raise Unknown(text)
        self.in_memory(
            v[1], m, None, lambda h, place: f"store {self.kind(v[1])} {self.part(x, h)}, {place}"
        )
        return True

    def in_memory(self, elt, m, name, write):
        """A load or store of m = (..., pointer, alignment, what follows): write(h, place)"""
        pointer, align, rest = m[2], int(m[3]), m[4]
        whole_lane = elt == "double" and align % (8 * LANES) == 0
        if not whole_lane:
            self.block.settle()
        if "!invariant.load" not in rest:
            tag = _TAG.search(rest)
            self.block.tags.add(tag and tag[1])
        step = _BYTES[elt] * self.size

        def at(h):
            place = pointer
            if h:
                place = self.name("piece")
                self.block.add(f"{place} = getelementptr i8, ptr {pointer}, i64 {h * step}")
            return write(h, f"ptr {place}, align {min(align, step)}{rest}")

        self.each(name, at)
        if not whole_lane:
            self.block.settle()

    def cut_select(self, name, rest, text):
        some = _items(rest)
        self.each(name, lambda h: f"select {', '.join(self.one_part(x, h) for x in some)}")
        return True

    def cut_phi(self, name, rest, text):
        kind, sources = _typed(rest)
        v = _VECTOR.fullmatch(kind)
        if v is None:
            self.block.lines.append(f"{name} = phi {self.types(kind)} {sources}")
            return True
        pairs = [_items(source[1:-1].strip()) for source in _items(sources)]
        for h in self.pieces:
            parts = ", ".join(f"[ {self.part(x, h)}, {block} ]" for x, block in pairs)
            self.block.lines.append(f"{name}.{h} = phi {self.kind(v[1])} {parts}")
        return True

    def cut_shufflevector(self, name, rest, text):
        """One number in all lanes"""
        a, _, order = _items(rest)
        kind, x = _typed(a)
        v = _VECTOR.fullmatch(kind)
        if v is None or order != f"<{LANES} x i32> zeroinitializer":
            return False
        first, one = f"{self.kind(v[1])} {self.part(x, 0)}", self.kind(v[1])
        zeros = f"<{self.size} x i32> zeroinitializer"
        self.each(name, lambda h: f"shufflevector {first}, {one} poison, {zeros}")
        return True

    def cut_insertelement(self, name, rest, text):
        a, item, at = _items(rest)
        (kind, x), (index, k) = _typed(a), at.split()
        if not k.isdigit():
            return False
        elt = _VECTOR.fullmatch(kind)[1]
        hit, k = divmod(int(k), self.size)

        def insert(h):
            same = f"{self.kind(elt)} {self.part(x, h)}"
            if h == hit:
                return f"insertelement {same}, {item}, {index} {k}"
            return f"select i1 true, {same}, {same}"

        self.each(name, insert)
        return True

    def cut_extractelement(self, name, rest, text):
        a, at = _items(rest)
        (kind, x), (index, k) = _typed(a), at.split()
        if not k.isdigit():
            return False
        elt = _VECTOR.fullmatch(kind)[1]
        h, k = divmod(int(k), self.size)
        part = f"{self.kind(elt)} {self.part(x, h)}"
        self.block.add(f"{name} = extractelement {part}, {index} {k}")
        return True

    def cut_bitcast(self, name, rest, text):
        """Between a mask and a number of eight bits"""
        m = re.fullmatch(rf"<{LANES} x i1> (\S+) to i8", rest)
        if m:
            self.words[name] = m[1]
            whole = "0"
            for h in self.pieces:
                bits, byte, moved = self.name("bits"), self.name("byte"), self.name("moved")
                mask = f"{self.kind('i1')} {self.part(m[1], h)}"
                self.block.add(f"{bits} = bitcast {mask} to i{self.size}")
                self.block.add(f"{byte} = zext i{self.size} {bits} to i8")
                self.block.add(f"{moved} = shl i8 {byte}, {h * self.size}")
                more = name if h == self.pieces[-1] else self.name("some")
                self.block.add(f"{more} = or i8 {whole}, {moved}")
                whole = more
            return True
        m = re.fullmatch(rf"i8 (\S+) to <{LANES} x i1>", rest)
        if m is None:
            return False
        for h in self.pieces:
            moved, bits = self.name("moved"), self.name("bits")
            self.block.add(f"{moved} = lshr i8 {m[1]}, {h * self.size}")
            self.block.add(f"{bits} = trunc i8 {moved} to i{self.size}")
            self.block.add(f"{name}.{h} = bitcast i{self.size} {bits} to {self.kind('i1')}")
        return True

    # ------------------------------------------------------------------------- structs and calls

    def member(self, kind, k):
        """(whether member k of a struct is a vector, its place among pieces)"""
        members = _items(kind.strip()[1:-1])
        place = sum(len(self.pieces) if _VECTOR.fullmatch(t) else 1 for t in members[:k])
        return _VECTOR.fullmatch(members[k]), place

    def cut_extractvalue(self, name, rest, text):
        kind, x = _typed(rest)
        x, k = _items(x)
        v, place = self.member(kind, int(k))
        kind = self.types(kind)
        for h in self.pieces if v else [None]:
            to = name if h is None else f"{name}.{h}"
            self.block.add(f"{to} = extractvalue {kind} {x}, {place + (h or 0)}")
        return True

    def cut_insertvalue(self, name, rest, text):
        struct, item, k = _items(rest)
        kind, x = _typed(struct)
        _, place = self.member(kind, int(k))
        parts = self.parts_of(*_typed(item))
        for h, part in enumerate(parts):
            to = name if h == len(parts) - 1 else self.name("some")
            self.block.add(f"{to} = insertvalue {self.types(kind)} {x}, {part}, {place + h}")
            x = to
        return True

    def cut_ret(self, name, rest, text):
        kind, x = _typed(rest)
        if _VECTOR.fullmatch(kind):
            struct, whole = self.result(kind), "poison"
            for h, part in enumerate(self.parts_of(kind, x)):
                more = self.name("some")
                self.block.add(f"{more} = insertvalue {struct} {whole}, {part}, {h}")
                whole = more
            kind, x = struct, whole
        self.block.put(f"ret {self.types(kind)} {x}")
        return True

    def cut_call(self, name, rest, text):
        at = _FUNCTION.search(text)
        end = _end_of_bracket(text, at.end())
        front, function = text[: at.start()].strip(), at[0]
        arguments, tail = _items(text[at.end() + 1 : end - 1]), text[end:]
        if function.startswith("@llvm."):
            return self.cut_intrinsic(name, front, function, arguments, tail)
        parts = ", ".join(p for a in arguments for p in self.parts_of(*_typed(a)))
        result = self.result(front)
        struct = result[result.index("{") :] if front.endswith(">") else None
        to = self.name("result") if struct else name
        line = f"{result} {function}({parts}){tail}"
        self.block.put(f"{to} = {line}" if to else line)
        if struct:
            for h in self.pieces:
                self.block.add(f"{name}.{h} = extractvalue {struct} {to}, {h}")
        return True

    def cut_intrinsic(self, name, front, function, arguments, tail):
        """Functions of LLVM's that take each lane by itself"""
        m = _INTRINSIC.fullmatch(function)
        if m is None or re.search(r"reduce|masked|vector|shuffle", m[1]) or not front.endswith(">"):
            return False
        words, elt = front.rpartition("<")[0], _VECTOR.search(front)[1]
        function = f"@{m[1]}.v{self.size}{m[2]}"
        types = ", ".join(_typed(self.one_part(a, 0))[0] for a in arguments)
        self.declared[function[1:]] = f"declare {self.kind(elt)} {function}({types})"

        def call(h):
            parts = ", ".join(self.one_part(a, h) for a in arguments)
            return f"{words}{self.kind(elt)} {function}({parts}){tail}"

        self.each(name, call)
        return True

    # ---------------------------------------------------------------------------- whole vectors

    def cut_alloca(self, name, rest, text):
        self.block.put(f"{name} = {text}")
        return True

    def cut_getelementptr(self, name, rest, text):
        self.block.add(f"{name} = {text}")
        return True

    def whole(self, name, text):
        """An instruction on vectors that are put together for it; its result is cut again"""
        for elt, x in sorted(set(re.findall(rf"<{LANES} x (\w+)> (%[\w.$-]+)", text))):
            text = re.sub(rf"{re.escape(x)}(?![\w.$-])", self.joined(elt, x), text)
        kind = _result_of(text)
        v = _VECTOR.fullmatch(kind)
        result = self.name("whole") if v else name
        line = f"{result} = {text}" if name else text
        if _MEMORY.match(text) and not _PURE.match(text):
            self.block.put(line)
        else:
            self.block.add(line)
        if v:
            both = f"{kind} {result}, {kind} poison"
            for h in self.pieces:
                some = f"<{self.size} x i32> <{_numbers(h * self.size, self.size)}>"
                self.block.add(f"{name}.{h} = shufflevector {both}, {some}")

    def joined(self, elt, x):
        """A vector of all pieces: its name"""
        parts, n = [self.part(x, h) for h in self.pieces], self.size
        while len(parts) > 1:
            above = []
            for a, b in zip(parts[::2], parts[1::2], strict=True):
                above.append(self.name("joined"))
                order = f"<{2 * n} x i32> <{_numbers(0, 2 * n)}>"
                two = f"<{n} x {elt}> {a}, <{n} x {elt}> {b}"
                self.block.add(f"{above[-1]} = shufflevector {two}, {order}")
            parts, n = above, 2 * n
        return parts[0]


def _result_of(text):
    """The type of what an instruction on whole vectors gives."""
    word, _, rest = text.partition(" ")
    if word == "shufflevector":
        a, _, order = _items(rest)
        numbers = order[1 : order.index(" x ")]
        return re.sub(r"<\d+ x", f"<{numbers} x", _typed(a)[0])
    if word == "insertelement":
        return _typed(rest)[0]
    if word == "extractelement":
        return _typed(rest)[0][1:-1].split()[2]
    if word == "bitcast":
        return rest.rpartition(" to ")[2]
    if word in ("call", "tail"):
        front = text[: _FUNCTION.search(text).start()].strip()
        return front[front.rindex("<") :] if front.endswith(">") else front.rpartition(" ")[2]
    raise Unknown(text)
