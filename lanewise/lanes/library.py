"""Compiled kernels as C functions: a few of them at once, or a whole engine in parts.

`Entries` is a handful of kernels in one object. A `Library` is an engine at one width, in parts,
each an object of its own with the kernels that it contains. Some kernels are doors: they can be
called from Python, and from the kernels of other parts. A door of another part is called through a
table of addresses that every workspace holds (the field `links` of `d`), so that parts know nothing
of each other's code, and any of them can be compiled again or left out.

The kernels of a `lone` part are compiled one lane wide, and take a world out of the memory of its
gang: `world_of` (calls.py) is what they are called with. They call no other part.

A part is loaded, or compiled, when it is first needed. Whoever knows what a model needs says so in
time (`require`), so that several parts are compiled at once. What nobody foresaw is loaded when its
door is first called: until then the table leads to a piece of Python that does so.
"""

import ctypes
import os
import threading
import weakref
from functools import partial

import numpy as np

from . import objects
from .machine import this_machine
from .primitives import W


class _Locked:
    """What one thread at a time loads. A process that was forked while another thread did so has a
    lock of its own: nobody there would release it."""

    def __init__(self):
        self._lock = threading.RLock()
        _LOCKED[id(self)] = self


_LOCKED: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def _new_locks():
    for locked in list(_LOCKED.values()):
        locked._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_locks)


class Entries(_Locked):
    """C functions of kernels, compiled when one is first asked for.

    `declare()` returns {name: (kernel, argument types)}. known_by: see objects.Request.
    """

    def __init__(self, name, declare, width=W, known_by=None):
        self.name, self.declare, self.width = name, declare, width
        self.request = objects.Request(name, self.text, self._declared, known_by)
        self._loaded = None
        self._functions: dict = {}
        super().__init__()

    def text(self):
        from .compiler import Unit

        unit = Unit(self.width, this_machine())
        for name, (kernel, argtypes) in self._declared().items():
            unit.export(name, kernel, argtypes)
        return unit.text()

    def _declared(self):
        if not hasattr(self, "_entries"):
            self._entries = self.declare()
        return self._entries

    def address(self, name):
        """Where the C function `name` lies."""
        with self._lock:
            if self._loaded is None:
                objects.fetch([self.request])
                self._loaded = objects.Loaded(self.request.code)
        return self._loaded.address(name)

    def __getitem__(self, name):
        """The C function `name`, of int64s to an int64; it runs without the GIL."""
        function = self._functions.get(name)
        if function is None:
            address = self.address(name)
            _, argtypes = self._declared()[name]
            function = objects.c_function(address, len(argtypes), ctypes.c_int64)
            self._functions[name] = function
        return function


class Library(_Locked):
    """The doors of an engine in parts; parts: {part: {door: (kernel, argument types)}}.

    lone: parts of kernels that take one world of a gang.
    """

    def __init__(self, name, width, parts, lone=()):
        self.name, self.width, self.parts, self.lone = name, width, parts, lone
        self.part_of = {door: part for part, doors in parts.items() for door in doors}
        self.slot = {door: k for k, door in enumerate(self.part_of)}
        self._by_kernel = {
            kernel: door for doors in parts.values() for door, (kernel, _) in doors.items()
        }
        self.requests = {
            part: objects.Request(f"{name}-{part}", partial(self.text, part), doors.keys)
            for part, doors in parts.items()
        }
        self._loaded: dict = {}
        self.functions = _Functions(self)  # {door: C function}
        super().__init__()
        self._late = [self._load_late(door) for door in self.slot]
        late = [ctypes.cast(f, ctypes.c_void_p).value for f in self._late]
        self._links = np.array(late, np.int64)
        self.links = self._links[:]
        self.links.flags.writeable = False

    def text(self, part, machine=None):
        """LLVM's text of a part."""
        from .compiler import Linked, Unit

        def elsewhere(kernel, argtypes):
            door = self._by_kernel.get(kernel)
            if door is None or door in self.parts[part] or part in self.lone:
                return None
            return Linked(self.slot[door])

        width = 1 if part in self.lone else self.width
        unit = Unit(width, machine or this_machine(), elsewhere, self.width)
        for door, (kernel, argtypes) in self.parts[part].items():
            unit.export(door, kernel, argtypes)
        return unit.text()

    def require(self, parts):
        """Load these parts, compiling what nobody has compiled yet."""
        if all(part in self._loaded for part in parts):
            return
        with self._lock:
            missing = [part for part in parts if part not in self._loaded]
            objects.fetch([self.requests[part] for part in missing])
            for part in missing:
                loaded = objects.Loaded(self.requests[part].code)
                for door in self.parts[part]:
                    self._links[self.slot[door]] = loaded.address(door)
                self._loaded[part] = loaded

    def address(self, door):
        part = self.part_of[door]
        if part not in self._loaded:
            self.require([part])
        return int(self.links[self.slot[door]])

    def _load_late(self, door):
        """What the table leads to before the door's part is loaded."""
        _, argtypes = self.parts[self.part_of[door]][door]

        def late(*args):
            return self.functions[door](*args)

        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(argtypes))(late)


class _Functions(dict):
    """C functions by door, taking int64s; they run without the GIL. Made when first asked for."""

    def __init__(self, library):
        super().__init__()
        self.library = library

    def __missing__(self, door):
        library = self.library
        _, argtypes = library.parts[library.part_of[door]][door]
        function = objects.c_function(library.address(door), len(argtypes), ctypes.c_int64)
        self[door] = function
        return function
