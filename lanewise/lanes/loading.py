"""Object files in memory: their sections side by side, symbols resolved, ready to be called.

LLVM's own loader puts code and constants wherever the system gives it memory, which in a large
process may be more than 2 GB apart: too far for the short addresses of compact code, and it ends
the process when that happens. So on Linux and x86-64, objects are loaded here. Everything that an
object says is checked before it is believed: what is damaged raises `DamagedObject` (elf.py).

Elsewhere LLVM's loader is used, with code that can reach any address.
"""

import ctypes
import mmap
import platform
import struct

from .elf import RELA, DamagedObject, Object

IN_PLACE = platform.system() == "Linux" and platform.machine() == "x86_64"

_RELOCATION = struct.Struct("<QQq")
_ALLOCATED = 2  # flag of a section that is in memory
_MOST = 1 << 30  # bytes of an object: short addresses reach twice as far
_ABS64, _PC32, _PLT32, _GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX = 1, 2, 4, 9, 41, 42
_NEAR = (_PC32, _PLT32)
_BY_TABLE = (_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX)
_STUB = b"\xff\x25\x00\x00\x00\x00"  # jmp *0(%rip): to the address that follows


class Image:
    """An object file in memory; `symbols` has the addresses of its functions."""

    def __init__(self, code):
        try:
            self._load(code)
        except (struct.error, IndexError) as error:
            raise DamagedObject(f"this object file is damaged: {error}") from None

    def _load(self, code):
        file = Object(code)
        if file.architecture != "x86_64":
            raise DamagedObject(f"this object file is for {file.architecture}, not for x86_64")
        sections, symbols = file.sections, file.symbols
        # memory: the sections, then a stub and an entry of a table for each symbol from outside
        places, size = {}, 0
        for k, s in enumerate(sections):
            if s.flags & _ALLOCATED and s.size:
                align = max(s.align, 16)
                if align & (align - 1) or align > 4096:
                    raise DamagedObject(f"section {k} has an alignment of {align}")
                size = -(-size // align) * align
                places[k] = size
                size += s.size
        if size > _MOST:
            raise DamagedObject(f"sections of {size} bytes")
        outside = -(-size // 16) * 16
        self._memory = mmap.mmap(-1, max(outside + 32 * len(symbols), 1))
        view = (ctypes.c_char * len(self._memory)).from_buffer(self._memory)
        start = ctypes.addressof(view)
        for k, place in places.items():
            content = file.content(sections[k])
            self._memory[place : place + len(content)] = content
        # where every symbol is
        values, self.symbols = [], {}
        for k, symbol in enumerate(symbols):
            name, value = symbol.name, None
            if symbol.section in places:
                if symbol.value > sections[symbol.section].size:
                    raise DamagedObject(f"symbol {name!r} lies outside of its section")
                value = start + places[symbol.section] + symbol.value
                self.symbols[name] = value
            elif symbol.section == 0 and name:
                value = _outside(name)
                stub = outside + 32 * k
                self._memory[stub : stub + 14] = _STUB + struct.pack("<Q", value)
            values.append(value)
        for s in sections:
            if s.kind == RELA and s.info in places:
                within = sections[s.info].size
                for at, info, addend in _RELOCATION.iter_unpack(file.content(s)):
                    if at + (8 if info & 0xFFFFFFFF == _ABS64 else 4) > within:
                        raise DamagedObject("a relocation lies outside of its section")
                    k, place = info >> 32, places[s.info] + at
                    stub = outside + 32 * k if symbols[k].section == 0 else None
                    self._relocate(info & 0xFFFFFFFF, start, place, values[k], stub, addend)
        del view
        self.address = start
        self._protect(start)

    def _relocate(self, kind, start, place, value, stub, addend):
        """Write what an instruction refers to; stub: where a symbol from outside is reached."""
        if value is None:
            raise DamagedObject("a relocation refers to nothing")
        if kind == _ABS64:
            self._memory[place : place + 8] = struct.pack("<Q", (value + addend) % 2**64)
            return
        if kind in _BY_TABLE:
            if stub is None:
                raise DamagedObject("a table entry for a symbol of the object's own")
            value = start + stub + len(_STUB)  # the address that the stub jumps to
        elif kind in _NEAR:
            value = value if stub is None else start + stub
        else:
            raise DamagedObject(f"relocation of kind {kind} is not known")
        self._memory[place : place + 4] = struct.pack("<i", value + addend - (start + place))

    def _protect(self, start):
        """From now on it is code: it can be run and not be written."""
        libc = ctypes.CDLL(None, use_errno=True)
        size = len(self._memory)
        read_execute = mmap.PROT_READ | mmap.PROT_EXEC
        if libc.mprotect(ctypes.c_void_p(start), ctypes.c_size_t(size), read_execute):
            raise OSError(ctypes.get_errno(), "memory cannot be made executable")

    def address_of(self, name):
        return self.symbols.get(name, 0)


_OF_C = ("memcpy", "memmove", "memset")  # what LLVM may call by itself
_OF_PYTHON = ("PyLong_AsLong", "PyLong_FromLong", "PyEval_SaveThread", "PyEval_RestoreThread")


def _outside(name):
    """The address of a function of the C library, or of Python."""
    if name in _OF_C:
        function = getattr(ctypes.CDLL(None), name)
    elif name in _OF_PYTHON:  # see quick_calls.py
        function = getattr(ctypes.pythonapi, name)
    else:
        raise DamagedObject(f"this object calls {name!r}, which kernels do not")
    return ctypes.cast(function, ctypes.c_void_p).value
