"""Vectors cut into pieces: the same bits, one piece after the other, memory in its order."""

import ctypes
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

from lanewise.engine.parts import struct_types
from lanewise.engine.spatial import dot6
from lanewise.lanes import cutting, kernel, loading, vec
from lanewise.lanes.compiler import Unit
from lanewise.lanes.machine import COMMON, in_pieces, native

pytestmark = pytest.mark.skipif(not loading.IN_PLACE, reason="objects are not loaded here")

L, M = "<8 x double>", "<8 x i1>"
BOTH = f"{{ {L}, i64, {M} }}"
X, Y = f"%x = load {L}, ptr %in, align 64", f"%y = load {L}, ptr %in8, align 64"
LESS = f"%m = fcmp olt {L} %x, %y"
STORE = f"store {L} %r, ptr %out, align 64"
REVERSE = "<8 x i32> <i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>"

# bodies of functions of (%in, %in8, %out): 16 numbers come in, 16 and an integer go out
BODIES = {
    "arithmetic": [
        X, Y, f"%a = fsub {L} %x, %y", f"%b = fneg {L} %a",
        f"%r = call {L} @llvm.fma.v8f64({L} %a, {L} %b, {L} splat (double 0.1))", STORE,
    ],
    "constants": [
        X, f"%a = fmul {L} %x, <{', '.join(f'double {k}.0' for k in range(8))}>",
        f"%r = fadd {L} %a, zeroinitializer", STORE,
    ],
    "select": [X, Y, LESS, f"%r = select {M} %m, {L} %x, {L} %y", STORE],
    "masks": [
        X, Y, LESS, f"%o = fcmp ogt {L} %x, zeroinitializer", f"%b = xor {M} %m, splat (i1 true)",
        f"%c = and {M} %b, %o", f"%d = or {M} %c, <{', '.join(['i1 true', 'i1 false'] * 4)}>",
        f"%r = select {M} %d, {L} %x, {L} %y", STORE,
    ],
    "bits": [
        X, Y, LESS, f"%b = bitcast {M} %m to i8", "%n = zext i8 %b to i64",
        "store i64 %n, ptr %number, align 8",
    ],
    "any and all": [
        X, Y, LESS, f"%b = bitcast {M} %m to i8", "%c = icmp ne i8 %b, 0", "%d = icmp eq i8 %b, -1",
        "%e = icmp eq i8 %b, 0", "%f = icmp ne i8 %b, -1",
        "%g = select i1 %c, i64 1, i64 0", "%h = select i1 %d, i64 2, i64 0",
        "%i = select i1 %e, i64 4, i64 0", "%j = select i1 %f, i64 8, i64 0",
        "%k = add i64 %g, %h", "%l = add i64 %i, %j", "%n = add i64 %k, %l",
        "store i64 %n, ptr %number, align 8",
    ],
    "mask of bits": [
        X, Y, f"%m = bitcast i8 -75 to {M}", f"%r = select {M} %m, {L} %x, {L} %y", STORE,
    ],
    "whole numbers": [
        X, f"%a = fptosi {L} %x to <8 x i32>", "%b = mul <8 x i32> %a, splat (i32 3)",
        f"%r = sitofp <8 x i32> %b to {L}", STORE,
    ],
    "splat": [
        "%a = load double, ptr %in, align 8", f"%b = insertelement {L} poison, double %a, i64 0",
        f"%r = shufflevector {L} %b, {L} poison, <8 x i32> zeroinitializer", STORE,
    ],
    "items": [
        X, f"%a = extractelement {L} %x, i64 6", f"%b = extractelement {L} %x, i64 1",
        f"%c = insertelement {L} %x, double %a, i64 2",
        f"%r = insertelement {L} %c, double %b, i64 7", STORE,
    ],
    "picked items": [
        *(f"%p{k} = getelementptr double, ptr %in, i64 {15 - 2 * k}" for k in range(8)),
        *(f"%x{k} = load double, ptr %p{k}, align 8" for k in range(8)),
        *(
            f"%v{k} = insertelement {L} {f'%v{k - 1}' if k else 'poison'}, double %x{k}, i64 {k}"
            for k in range(8)
        ),
        Y, f"%r = fsub {L} %v7, %y", STORE,
    ],
    "items of what was stored": [
        X, Y, f"%a = fmul {L} %x, %y", "%p = getelementptr double, ptr %out, i64 3",
        f"store {L} %a, ptr %p, align 8", "%q = getelementptr double, ptr %out, i64 8",
        "%b = load double, ptr %q, align 8", f"%c = fadd {L} %a, %y",
        f"store {L} %c, ptr %q, align 8", "store double %b, ptr %out, align 8",
    ],
    "item of a number": [
        X, "%k = load i64, ptr %five, align 8", f"%a = extractelement {L} %x, i64 %k",
        f"%r = insertelement {L} %x, double %a, i64 0", STORE,
    ],
    "shuffle": [X, Y, f"%r = shufflevector {L} %x, {L} %y, {REVERSE}", STORE],
    "reduction": [
        X, f"%a = call double @llvm.vector.reduce.fmax.v8f64({L} %x)",
        "store double %a, ptr %out, align 8",
    ],
    "call": [
        X, Y, f"%r = call fastcc {L} @half({L} %x, i64 3, {L} %y)", STORE,
    ],
    "call with a mask": [
        X, Y, LESS, f"%s = call fastcc {BOTH} @pair({L} %x, {M} %m)",
        f"%a = extractvalue {BOTH} %s, 0", f"%n = extractvalue {BOTH} %s, 1",
        f"%o = extractvalue {BOTH} %s, 2", f"%r = select {M} %o, {L} %a, {L} %y",
        STORE, "store i64 %n, ptr %number, align 8",
    ],
    "loop": [
        X, Y, "br label %head", "head:", "%k = phi i64 [ 0, %0 ], [ %next, %head ]",
        f"%s = phi {L} [ %y, %0 ], [ %r, %head ]", f"%r = fadd {L} %s, %x", "%next = add i64 %k, 1",
        "%more = icmp ult i64 %next, 5", "br i1 %more, label %head, label %after", "after:", STORE,
    ],
    # one number of a Lane is changed between two loads of it
    "a number of a Lane": [
        X, f"store {L} %x, ptr %out, align 64", "%p = getelementptr i8, ptr %out, i64 40",
        "%a = load double, ptr %p, align 8", "%b = fadd double %a, %a",
        "store double %b, ptr %p, align 8", f"%y = load {L}, ptr %out, align 64",
        f"%r = fadd {L} %y, %x", STORE,
    ],
    # the same, in which the number is taken for its bits: its tag says what it belongs to
    "bits of a Lane": [
        X, f"store {L} %x, ptr %out, align 64, !tbaa !2", "%p = getelementptr i8, ptr %out, i64 40",
        "%a = load i64, ptr %p, align 8, !tbaa !2", "%b = xor i64 %a, 77",
        "store i64 %b, ptr %p, align 8, !tbaa !2", f"%y = load {L}, ptr %out, align 64, !tbaa !2",
        f"%r = fadd {L} %y, %x", STORE,
    ],
    # Rows may lie anywhere: the second half of the one is the first of the next
    "Rows": [
        X, f"store {L} %x, ptr %out, align 8", "%p = getelementptr i8, ptr %out, i64 32",
        f"%y = load {L}, ptr %p, align 8", f"%r = fadd {L} %y, %x",
        f"store {L} %r, ptr %p, align 8", f"%z = load {L}, ptr %out, align 8",
        f"%s = fadd {L} %z, %x", f"store {L} %s, ptr %out, align 8",
    ],
}  # fmt: skip

MODULE = f"""
@five.place = internal constant i64 5
define internal fastcc {L} @half({L} %a, i64 %n, {L} %b) noinline {{
%x = sitofp i64 %n to double
%i = insertelement {L} poison, double %x, i64 0
%s = shufflevector {L} %i, {L} poison, <8 x i32> zeroinitializer
%r = fmul {L} %s, %a
%t = fdiv {L} %r, %b
ret {L} %t
}}
define internal fastcc {BOTH} @pair({L} %a, {M} %m) noinline {{
%r = fadd {L} %a, %a
%o = xor {M} %m, splat (i1 true)
%s = insertvalue {BOTH} poison, {L} %r, 0
%t = insertvalue {BOTH} %s, i64 77, 1
%u = insertvalue {BOTH} %t, {M} %o, 2
ret {BOTH} %u
}}
define i64 @f(i64 %from, i64 %to) {{
%in = inttoptr i64 %from to ptr
%out = inttoptr i64 %to to ptr
%in8 = getelementptr i8, ptr %in, i64 64
%number = getelementptr i8, ptr %out, i64 128
%five = getelementptr i8, ptr @five.place, i64 0
BODY
ret i64 0
}}
declare {L} @llvm.fma.v8f64({L}, {L}, {L})
declare double @llvm.vector.reduce.fmax.v8f64({L})
!0 = !{{!"fields"}}
!1 = !{{!"a field", !0, i64 0}}
!2 = !{{!1, !1, i64 0}}
!3 = !{{!"a field of whole numbers", !0, i64 0}}
!4 = !{{!3, !3, i64 0}}
"""


def module_of(body):
    return llvm.parse_assembly(MODULE.replace("BODY", "\n".join(body)))


def answer(module):
    """What comes out, 16 numbers and the integer behind them, as bits."""
    image = loading.Image(native().target_machine().emit_object(module))
    memory = np.zeros(64)
    first = -(-memory.ctypes.data // 64) * 8 - memory.ctypes.data // 8
    memory[first : first + 16] = np.random.default_rng(3).normal(size=16) * 3
    address = memory.ctypes.data + 8 * first
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    function(image.address_of("f"))(address, address + 128)
    return memory[first + 16 : first + 33].view(np.int64).tolist()


@pytest.mark.parametrize("size", [4, 2])
@pytest.mark.parametrize("body", BODIES)
def test_pieces_have_the_same_bits(body, size):
    whole = module_of(BODIES[body])
    expected = answer(whole)
    assert any(expected)
    cut = in_pieces(whole, size, strict=True)
    assert f"<{size} x double>" in str(cut)
    assert answer(cut) == expected


def test_one_piece_comes_after_the_other():
    text = cutting.cut(str(module_of(BODIES["arithmetic"])), 4)
    lines = text[text.index("@f(") :].splitlines()
    order = [line.split()[0][-1] for line in lines if line.startswith(("%a.", "%b.", "%r."))]
    assert order == ["0"] * 3 + ["1"] * 3


def test_whole_numbers_of_other_fields_go_first():
    tagged = "align 64, !tbaa !2"
    body = [
        f"{X}, !tbaa !2",
        f"store {L} %x, ptr %out, {tagged}",
        "%n = load i64, ptr %five, align 8, !tbaa !4",
        f"{Y}, !tbaa !2",
        f"%r = fadd {L} %y, %x",
        f"store {L} %r, ptr %out, {tagged}",
        "store i64 %n, ptr %number, align 8, !tbaa !4",
    ]
    text = cutting.cut(str(module_of(body)), 4)
    assert text.index("%n = load i64") < text.index("store i64 %n") < text.index("%x.0 = load")
    stores = [line for line in text.splitlines() if line.startswith("store <4 x double>")]
    assert [line.split()[4].strip(",")[-1] for line in stores] == ["0", "0", "1", "1"]


def test_registers_of_eight_are_left_alone():
    text = str(module_of(BODIES["select"]))
    assert cutting.cut(text, 8) is text


def test_what_is_not_understood_stays_whole():
    body = [X, f'%r = call {L} @unheard_of({L} %x) [ "odd"({L} %x) ]', STORE]
    whole = llvm.parse_assembly(
        MODULE.replace("BODY", "\n".join(body)) + f"declare {L} @unheard_of({L})\n"
    )
    assert in_pieces(whole, 4) is whole
    with pytest.raises((cutting.Unknown, RuntimeError)):
        in_pieces(whole, 4, strict=True)


def test_text_of_another_form_is_refused():
    with pytest.raises(cutting.Unknown):
        cutting.cut("define nothing\nload <8 x double>, ptr %p, align 64\n}", 4)


def test_registers_of_machines():
    assert {m.name: m.register for m in COMMON} == {"x86-64-v4": 8, "x86-64-v3": 4, "aarch64": 2}


@kernel
def crowded(m, d):
    """More numbers at once than there are registers"""
    a, b, c, e = d.cdof[0], d.cdof[1], d.cdof[2], d.cdof[3]
    d.cvel[0] = a
    d.cvel[1] = vec(dot6(a, b), dot6(a, c), dot6(a, e), dot6(b, c), dot6(b, e), dot6(c, e))
    d.cvel[2] = a * dot6(e, e) + b * dot6(a, a) + c * dot6(b, b) + e * dot6(c, c)


@pytest.mark.skipif(native().register != 4, reason="about registers of four numbers")
def test_lanes_on_the_stack_do_not_lie_across_cache_lines():
    unit = Unit(8, native())
    unit.export("crowded", crowded, struct_types(False))
    lines = native().assembly(unit.text()).splitlines()
    moves = {x.split()[0] for x in lines if re.match(r"\s+vmov.*ymm", x) and "(%rsp)" in x}
    assert moves
    assert moves <= {"vmovapd", "vmovaps", "vmovdqa"}
