"""Mistakes in kernels: the message has the place, the line, and what would be right.

Every kernel below has one mistake, in the line that is marked `# here`.
"""

import inspect
import math

import numpy as np
import pytest

from lanewise.engine.parts import struct_types
from lanewise.errors import KernelError
from lanewise.lanes import kernel, put, sqrt, vec, where
from lanewise.lanes.compiler import Unit
from lanewise.lanes.machine import this_machine

LIST = [1.0, 2.0]
MISTAKES = {}


def mistake(*words):
    """Keep a kernel with words that its message has."""

    def keep(function):
        MISTAKES[function.__name__] = kernel(function), words
        return function

    return keep


def message(a_kernel):
    with pytest.raises(KernelError) as raised:
        Unit(8, this_machine()).export("entry", a_kernel, struct_types(False))
    return str(raised.value)


@pytest.mark.parametrize("name", MISTAKES)
def test_message(name):
    a_kernel, words = MISTAKES[name]
    said = message(a_kernel)
    lines, first = inspect.getsourcelines(a_kernel.python_function)
    (place,) = (k for k, line in enumerate(lines) if "# here" in line)
    assert f"{name}, {__file__}:{first + place}" in said
    assert lines[place].strip() in said
    for word in words:
        assert word in said


@kernel
def sum_of(a, b):
    return a + b


# ---- names


@mistake("there is no gravty", "did you mean gravity?")
def unknown_name(m, d):
    gravity = -9.81
    d.qvel[0] = gravity + gravty  # noqa: F821  # here


@mistake("Data has no field 'qvell'", "did you mean qvel?")
def unknown_field(m, d):
    d.qvel[0] = d.qvell[0]  # here


@mistake("Model.opt has no field 'timestp'", "did you mean timestep?")
def unknown_option(m, d):
    d.qvel[0] = m.opt.timestp  # here


@mistake("there is no pie in math", "did you mean pi?")
def unknown_in_module(m, d):
    d.qvel[0] = math.pie  # here


@mistake("x is not assigned on every way", "assign it before")
def assigned_in_one_branch(m, d):
    if m.nv > 2:
        x = 1.0
    d.qvel[0] = x  # here


@mistake("x is not assigned on every way", "a loop may run no times")
def assigned_in_a_loop(m, d):
    for i in range(m.nv):
        x = d.qvel[i]
    d.qvel[0] = x  # here


@mistake("total is not assigned on every way")
def added_to_nothing(m, d):
    for i in range(m.nv):
        total += d.qvel[i]  # noqa: F821, F841  # here


# ---- types


@mistake("+ does not exist between Vec(2, float) and float")
def wrong_types(m, d):
    d.qpos[0] = vec(1.0, 2.0) + 1.0  # here


@mistake("Vec(2, float) does not fit into 3 x Lane")
def wrong_length(m, d):
    d.xpos[0] = vec(1.0, 2.0)  # here


@mistake("** does not exist between Lane and int", "pow(x, y)")
def power(m, d):
    d.qvel[0] = d.qvel[0] ** 2  # here


@mistake("x is float before the loop and Vec(2, float)")
def changes_in_a_loop(m, d):
    x = 0.0
    for _ in range(m.nv):
        x = vec(x, x)  # here


@mistake("x has one type on every way that leads here, not Vec(2, float) or float")
def differs_between_branches(m, d):
    if m.nv > 2:
        x = vec(0.0, 0.0)
    else:
        x = 0.0
    d.qpos[0] = x  # here


@mistake("cannot unpack Vec(3, float) into 2 names")
def unpacked(m, d):
    a, b = vec(1.0, 2.0, 3.0)  # noqa: RUF059  # here


@mistake("1.0 / 0.0: float division by zero")
def divided_by_nothing(m, d):
    d.qvel[0] = 1.0 / 0.0  # here


# ---- Masks


@mistake("not Mask, which differs between worlds", "where(...)", "any_lane(...)")
def branch_on_a_mask(m, d):
    if d.qvel[0] > 0.0:  # here
        d.qvel[0] = 0.0


@mistake("not Mask", "&, |, not_(...)")
def and_of_masks(m, d):
    d.qvel[0] = where(d.qvel[0] > 0.0 and d.qvel[0] < 1.0, 0.0, 1.0)  # here


@mistake("where(c, a, b) does not take (Lane, float, float)", "a where c holds")
def where_of_a_lane(m, d):
    d.qvel[0] = where(d.qvel[0], 0.0, 1.0)  # here


# ---- statements and values that there are not


@mistake("kernels have no Try statement", "they have assignments")
def unsupported_statement(m, d):
    try:  # here
        d.qvel[0] = 0.0
    finally:
        d.qvel[0] = 1.0


@mistake("kernels have no List expression", "vec(...)")
def a_list(m, d):
    x = [1.0, 2.0]  # noqa: F841  # here


@mistake("kernels have no ListComp expression")
def a_comprehension(m, d):
    x = [d.qvel[i] for i in range(3)]  # noqa: F841  # here


@mistake("kernels have no str values")
def a_string(m, d):
    x = "abc"  # noqa: F841  # here


@mistake("numbers and tuples of them, not lists")
def a_list_from_outside(m, d):
    d.qvel[0] = LIST[0]  # here


@mistake("a kernel loops over range(...)")
def loop_over_a_field(m, d):
    for x in d.qvel:  # noqa: B007  # here
        pass


@mistake("range takes one to three whole numbers, not (Lane)")
def loop_to_a_lane(m, d):
    for i in range(d.qvel[0]):  # noqa: B007  # here
        pass


@mistake("loops of kernels have no else")
def loop_with_else(m, d):
    for i in range(3):  # here
        d.qvel[i] = 0.0
    else:
        d.qvel[0] = 1.0


# ---- calls


@mistake("sqrt(x) cannot be called with 2 arguments")
def arguments_of_an_operation(m, d):
    d.qvel[0] = sqrt(1.0, 2.0)  # here


@mistake("sum_of takes 2 arguments, got 1", "def sum_of(a, b):", "called by arguments_of_a_kernel")
def arguments_of_a_kernel(m, d):
    d.qvel[0] = sum_of(1.0)  # here


@mistake("plain arguments: no keywords")
def keyword_argument(m, d):
    d.qvel[0] = sum_of(1.0, b=2.0)  # here


@mistake("sqrt cannot be called in a kernel", "lanewise.lanes has a sqrt")
def function_of_numpy(m, d):
    d.qvel[0] = np.sqrt(2.0)  # here


@mistake("min(...) does not take (Lane, float)", "minimum(a, b)")
def min_of_lanes(m, d):
    d.qvel[0] = min(d.qvel[0], 1.0)  # here


@mistake("numbers, Vecs, tuples, fields, structs: no objects")
def kernel_as_an_argument(m, d):
    d.qvel[0] = sum_of(1.0, sum_of)  # here


@mistake("returns nothing that could be assigned")
def nothing_is_assigned(m, d):
    x = put(d.qvel, d.qpos[0], 1.0, True)  # noqa: F841  # here


# ---- memory


@mistake("the model cannot be written")
def writes_the_model(m, d):
    m.body_mass[0] = 1.0  # here


@mistake("qvel is an array: assign to its rows, qvel[i] = ...")
def writes_a_whole_field(m, d):
    d.qvel = 0.0  # here


@mistake("use put(field, rows, value, mask)")
def stores_where_lanes_say(m, d):
    d.qvel[d.qpos[0]] = 1.0  # here


@mistake("a Vec is cut at whole numbers that are known")
def cut_anywhere(m, d):
    v = vec(1.0, 2.0, 3.0)
    d.qpos[0] = v[0 : m.nv][0]  # here


@mistake("chosen by a number that is known, less than 3")
def item_of_a_vec(m, d):
    v = vec(1.0, 2.0, 3.0)
    for i in range(3):
        d.qvel[i] = v[i]  # here


# ---- which calls which


@kernel
def calls_itself(m, d):
    calls_itself(m, d)


def test_recursion():
    said = message(calls_itself)
    assert "calls_itself calls itself" in said
    assert f"called by calls_itself, {__file__}:" in said
    assert said.endswith("calls_itself(m, d)")


def test_without_a_source():
    names = {"kernel": kernel}
    exec("@kernel\ndef typed_in(m, d):\n    pass", names)
    assert "must be defined in a file or a notebook cell" in message(names["typed_in"])
