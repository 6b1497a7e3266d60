"""Lanes loaded where they are needed.

A kernel reads the numbers of a contact, then branches by what kind of contact it is. LLVM leaves
the loads where they were written, so that all these Lanes are alive across the branch. Where a
register holds half a Lane they have no room, and go through the stack; but in their field they can
be had at any time. So other blocks that read a Lane load it anew, before the first use:

        a = load <8 x double>              br x, b1, b2
        br x, b1, b2
    b1: c = fadd a, a            =>    b1: a.1 = load <8 x double>
                                           c = fadd a.1, a.1
    b2: e = fmul a, a                  b2: a.2 = load <8 x double>
                                           e = fmul a.2, a.2

This is done if all of them can have it:

- Nothing on the way may write that memory: no call, and no store but those to fields of other tags.
  Constant fields are never written.
- No block may be in a loop that the load is not in: it would load in every round.

What is read is the same, so this changes no bit. The text is that of LLVM's optimizer, an
instruction a line.
"""

import re

_LOAD = re.compile(
    r"  (%[\w.$-]+) = load <\d+ x double>, ptr %[\w.$-]+, align \d+"
    r"(?:, !(?:(invariant\.load)|tbaa) !(\d+))?$"
)
_WRITE = re.compile(
    r"  (?:%[\w.$-]+ = )?(?:store|call|tail call|atomicrmw|cmpxchg|fence|load atomic)\b"
)
_STORE = re.compile(r"  store .*, !tbaa !(\d+)$")
_PURE = re.compile(r"call [^@]*@llvm\.(?!mem|masked|x86|aarch64)")
_LABEL = re.compile(r"([\w.$-]+):")
_NAME = re.compile(r"%[\w.$-]+")
_FROM = re.compile(r"\[ (%[\w.$-]+), %([\w.$-]+) \]")
_END = re.compile(r"  (br|ret|switch|unreachable)\b")
_PHI = " = phi "
_TARGET = re.compile(r"label %([\w.$-]+)")
_ANY = "any"  # the tag of what a write to unknown memory writes


def late_loads(text):
    """LLVM's text with loads of Lanes at their uses."""
    out, function = [], None
    for line in text.split("\n"):
        if line.startswith("define "):
            function = [line]
        elif function is None:
            out.append(line)
        else:
            function.append(line)
            if line == "}":
                out += _Function(function).lines()
                function = None
    return "\n".join(out)


class _Block:
    def __init__(self, label, name):
        self.label, self.name = label, name
        self.text: list = []  # lines, None where a load was
        self.late: dict = {}  # number of a line: loads that come before it
        self.targets: list = []
        self.sources: list = []

    @property
    def end(self):
        """The number of the line that leaves the block; a switch goes on in the lines after it."""
        return next(k for k, line in enumerate(self.text) if line and _END.match(line))

    def writes(self, memory, first=0, last=None):
        """Whether some of its lines may write memory of a tag; None: of a constant field."""
        if memory is None:
            return False
        return any(_written(line) in (memory, _ANY) for line in self.text[first:last] if line)


def _written(line):
    """The tag of the memory that a line writes, _ANY, or None if it writes nothing."""
    if not _WRITE.match(line) or _PURE.search(line):
        return None
    store = _STORE.match(line)
    return store[1] if store else _ANY


class _Function:
    def __init__(self, text):
        self.head, self.blocks = text[0], []
        for line in text[1:-1]:
            label = _LABEL.match(line)
            if label or not self.blocks:
                self.blocks.append(_Block(line if label else None, label[1] if label else "0"))
            if not label:
                self.blocks[-1].text.append(line)
        self.named = {block.name: block for block in self.blocks}
        self.uses: dict = {}
        self.between: dict = {}

    def lines(self):
        loads = self.loads()
        if loads:
            self.find_uses(loads)
            self.link()
            for name, (block, k, tag) in loads.items():
                self.move(name, block, k, tag, self.uses[name])
        yield self.head
        for block in self.blocks:
            if block.label:
                yield block.label
            for k, line in enumerate(block.text):
                yield from block.late.get(k, ())
                if line is not None:
                    yield line
        yield "}"

    def loads(self):
        """{name: (block, number of its line, tag of the memory, or None if it is constant)}"""
        found = {}
        for block in self.blocks:
            for k, line in enumerate(block.text):
                m = _LOAD.match(line)
                if m and (m[2] or m[3]):
                    found[m[1]] = block, k, None if m[2] else m[3]
        return found

    def find_uses(self, loads):
        """uses: {load: {block: its lines, as (block, number)}}; a phi reads in blocks before it."""
        self.uses = {name: {} for name in loads}
        for block in self.blocks:
            for k, line in enumerate(block.text):
                if _PHI in line:
                    found = [(x, self.named[source]) for x, source in _FROM.findall(line)]
                else:
                    found = [(x, block) for x in _NAME.findall(line)]
                for name, reader in found:
                    if name in loads and loads[name][:2] != (block, k):
                        self.uses[name].setdefault(reader, []).append((block, k))

    def link(self):
        for block in self.blocks:
            names = _TARGET.findall(" ".join(block.text[block.end :]))
            for name in dict.fromkeys(names):
                block.targets.append(self.named[name])
                self.named[name].sources.append(block)

    def way(self, start, end):
        """The blocks between two, as a set; None if the second may come again without the first."""
        if (start, end) not in self.between:
            after = _reached(start.targets, lambda b: b.targets, {start, end})
            before = _reached(end.sources, lambda b: b.sources, {start, end})
            again = _reached(end.targets, lambda b: b.targets, {start})
            self.between[start, end] = None if end in again else (after & before) - {start, end}
        return self.between[start, end]

    def move(self, name, block, k, memory, uses):
        """Load anew in other blocks that read it, if all of them can."""
        readers = [reader for reader in uses if reader is not block]
        if not readers or block.writes(memory, k + 1):
            return
        for reader in readers:
            way = self.way(block, reader)
            if way is None or any(b.writes(memory) for b in way):
                return
        places = [(reader, self.place(reader, memory, uses[reader])) for reader in readers]
        load = block.text[k]
        if block not in uses:
            block.text[k] = None
        for n, (reader, first) in enumerate(places):
            new = f"{name}.late{n}"
            here = re.compile(rf"{re.escape(name)}(?![\w.$-])")
            for b, j in set(uses[reader]):
                if b is reader and _PHI not in b.text[j]:
                    b.text[j] = here.sub(new, b.text[j])
                else:
                    source = f", %{reader.name} ]"
                    b.text[j] = b.text[j].replace(f"[ {name}{source}", f"[ {new}{source}")
            reader.late.setdefault(first, []).append(load.replace(name, new, 1))

    def place(self, reader, memory, uses):
        """The line that a load comes before: the first use, or the first of all."""
        inside = [k for b, k in uses if b is reader and _PHI not in b.text[k]]
        first = min(inside, default=reader.end)
        if not reader.writes(memory, 0, first):
            return first
        return next(k for k, line in enumerate(reader.text) if line and _PHI not in line)


def _reached(starts, onward, stops):
    """Blocks that can be reached; not beyond `stops`."""
    found, left = set(), list(starts)
    while left:
        block = left.pop()
        if block not in found:
            found.add(block)
            if block not in stops:
                left += onward(block)
    return found
