"""Loads of Lanes move to the blocks that read them, where nothing writes that memory before."""

import llvmlite.binding as llvm
import pytest

from lanewise.lanes.late_loads import late_loads

L = "<8 x double>"
X = f"%x = load {L}, ptr %in, align 64, !tbaa !2"
SAME, OTHER = (f"store {L} zeroinitializer, ptr %in, align 64, !tbaa !{k}" for k in (2, 4))
USE = f"%use = fadd {L} %x, %x"
KEEP = f"store {L} %use, ptr %out, align 64, !tbaa !4"

MODULE = """define void @f(ptr %in, ptr %out, i1 %c) {
FIRST
br i1 %c, label %left, label %right
left:
LEFT
br label %after
right:
RIGHT
br label %after
after:
AFTER
ret void
}
declare void @unknown()
!0 = !{!"fields"}
!1 = !{!"a field", !0, i64 0}
!2 = !{!1, !1, i64 0}
!3 = !{!"another field", !0, i64 0}
!4 = !{!3, !3, i64 0}
!5 = !{}
"""


def blocks(first=(X,), left=(), right=(), after=()):
    """{block: its lines} of a function, after loads have moved; LLVM reads and checks it."""
    text = MODULE
    for word, lines in (("FIRST", first), ("LEFT", left), ("RIGHT", right), ("AFTER", after)):
        text = text.replace(word, "\n".join(lines))
    text = late_loads(str(llvm.parse_assembly(text)))
    llvm.parse_assembly(text).verify()
    found: dict = {"first": []}
    for line in text[text.index("{") : text.index("\n}")].splitlines()[1:]:
        if line and line[0] != " ":
            found[line.partition(":")[0]] = []
        elif line:
            list(found.values())[-1].append(line.strip())
    return found


def loads(found):
    return [name for name, lines in found.items() if any("= load" in line for line in lines)]


def use(k):
    return [line.replace("%use", f"%use{k}") for line in (USE, KEEP)]


def test_each_branch_loads_what_it_reads():
    found = blocks(left=use(1), right=[OTHER, *use(2)])
    assert loads(found) == ["left", "right"]
    # before the first use
    assert ["load" in line for line in found["right"][:3]] == [False, True, False]
    assert "%x.late1, %x.late1" in found["right"][2]


def test_what_a_block_reads_itself_it_loads_too():
    assert loads(blocks(first=[X, *use(1)], left=use(2))) == ["first", "left"]
    assert loads(blocks(first=[X, *use(1)])) == ["first"]


def test_a_phi_reads_in_the_block_before_it():
    phi = f"%p = phi {L} [ %x, %left ], [ zeroinitializer, %right ]"
    after = [phi, f"store {L} %p, ptr %out, align 64, !tbaa !4"]
    found = blocks(after=after)
    assert loads(found) == ["left"]
    assert "[ %x.late0, %left ]" in found["after"][0]


@pytest.mark.parametrize("write", [SAME, SAME.partition(", !")[0], "call void @unknown()"])
def test_loads_stay_before_writes(write):
    assert loads(blocks(first=[X, write], left=use(1))) == ["first"]
    assert loads(blocks(left=[write], after=use(1))) == ["first"]
    # behind a write of the block itself only what comes first in it
    found = blocks(left=[write, *use(1)])
    assert loads(found) == ["left"]
    assert "= load" in found["left"][0]


@pytest.mark.parametrize("write", [OTHER, SAME, "call void @unknown()"])
def test_constant_fields_are_loaded_anywhere(write):
    first = [X.replace("!tbaa !2", "!invariant.load !5"), write]
    assert loads(blocks(first=first, left=[write], after=use(1))) == ["after"]
    assert loads(blocks(first=[X, OTHER], left=[OTHER], after=use(1))) == ["after"]


def test_memory_without_a_tag_is_left_alone():
    assert loads(blocks(first=[X.partition(", !")[0]], left=use(1))) == ["first"]


def test_nothing_is_loaded_in_every_round_of_a_loop():
    text = f"""define void @f(ptr %in, ptr %out) {{
start:
{X}
br label %round
round:
{USE}
{KEEP}
%c = load volatile i1, ptr %out
br i1 %c, label %round, label %end
end:
ret void
}}
"""
    text = str(llvm.parse_assembly(text + MODULE[MODULE.index("!0") :]))
    assert late_loads(text) == text
