"""Calls from Python that cost next to nothing: a C function as a builtin of CPython.

ctypes takes a third of a microsecond for a call, as long as a step of a small model. So a C
function `int64 f(int64, int64, int64)` with its first two arguments fixed becomes a builtin
function of one argument. What CPython calls is a dozen instructions of ours: they take the whole
number from its object, let other threads of Python run, call f, and return its answer as an int.

The function and its two arguments lie in a `bytes`, which the builtin holds as its `self`. Where
this cannot be done, `quick_call` is a plain closure over the ctypes function.
"""

import ctypes
import struct
from functools import cache, partial

from . import loading, objects

# where the bytes of a `bytes` begin in CPython, after its head; one more is the closing zero
_BYTES = bytes.__basicsize__ - 1

NAME = "python"  # of the object
TEXT = f"""
define ptr @quick_call(ptr %self, ptr %number) nounwind {{
  %place = getelementptr i8, ptr %self, i64 {_BYTES}
  %f = load ptr, ptr %place, align 8
  %place1 = getelementptr i8, ptr %self, i64 {_BYTES + 8}
  %a = load i64, ptr %place1, align 8
  %place2 = getelementptr i8, ptr %self, i64 {_BYTES + 16}
  %b = load i64, ptr %place2, align 8
  %n = call i64 @PyLong_AsLong(ptr %number)
  %thread = call ptr @PyEval_SaveThread()
  %answer = call i64 %f(i64 %a, i64 %b, i64 %n)
  call void @PyEval_RestoreThread(ptr %thread)
  %result = call ptr @PyLong_FromLong(i64 %answer)
  ret ptr %result
}}
declare i64 @PyLong_AsLong(ptr)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare ptr @PyLong_FromLong(i64)
"""


class _Method(ctypes.Structure):
    """PyMethodDef: what CPython knows of a builtin."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_ONE_ARGUMENT = 8  # METH_O


@cache
def _method():
    """The builtin without its `self`; None where it cannot be made."""
    if not loading.IN_PLACE:
        return None
    # what wheels bring along is for a usual build of CPython
    known_by = "" if _BYTES == 32 else None
    request = objects.Request(NAME, lambda: TEXT, lambda: ["quick_call"], known_by, True)
    objects.fetch([request])
    loaded = objects.Loaded(request.code)
    method = _Method(b"quick_call", loaded.address("quick_call"), _ONE_ARGUMENT, None)
    return method, loaded


def quick_call(function, a, b):
    """A function of n that calls a C function, given by ctypes, with (a, b, n): an int."""
    if _method() is None:
        return partial(function, a, b)
    method, _ = _method()
    address = ctypes.cast(function, ctypes.c_void_p).value
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(method), struct.pack("<3q", address, a, b), None)
