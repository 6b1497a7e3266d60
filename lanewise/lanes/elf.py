"""Object files as Linux has them: what is in one, read with care.

Whoever takes an object file on trust crashes the process if it is damaged, and LLVM does. So files
are looked at here first: the header, where the sections lie, and the symbols. What does not hold
together raises `DamagedObject`.
"""

import struct
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little-endian
_OTHERS = (b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")  # Mach-O, and COFF for two processors
_RELOCATABLE = 1
_ARCHITECTURE = {62: "x86_64", 183: "aarch64"}
SYMTAB, RELA, NOBITS = 2, 4, 8  # kinds of sections
_GLOBAL, _FUNCTION = 1, 2  # of a symbol


class DamagedObject(ValueError):
    """Not an object file, or one that does not hold together."""


class Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    each: int


class Symbol(NamedTuple):
    name: str
    info: int
    other: int
    section: int  # 0: it is elsewhere
    value: int
    size: int


class Object:
    """An object file: `architecture`, `sections`, `symbols`."""

    def __init__(self, code):
        self.code = code
        try:
            self._read()
        except (struct.error, IndexError, OverflowError, UnicodeDecodeError) as error:
            raise DamagedObject(f"this object file is damaged: {error}") from None

    def _read(self):
        header = _HEADER.unpack_from(self.code)
        magic, kind, machine, offset, each, count = (header[k] for k in (0, 1, 2, 6, 11, 12))
        if not magic.startswith(_MAGIC) or kind != _RELOCATABLE:
            raise DamagedObject("this is not an object file")
        if each != _SECTION.size:
            raise DamagedObject("this object file has other sections than ELF's")
        self.architecture = _ARCHITECTURE.get(machine, f"machine {machine}")
        table = self._bytes(offset, each * count)
        self.sections = [Section(*fields) for fields in _SECTION.iter_unpack(table)]
        for s in self.sections:
            self.content(s)
        self.symbols = []
        for s in self.sections:
            if s.kind == SYMTAB:
                strings = self.content(self.sections[s.link])
                for name, *fields in _SYMBOL.iter_unpack(self.content(s)):
                    self.symbols.append(Symbol(_name(strings, name), *fields))
                break

    def _bytes(self, offset, size):
        if offset + size > len(self.code):
            raise DamagedObject("a section reaches beyond the end of the file")
        return self.code[offset : offset + size]

    def content(self, section):
        """The bytes of a section, none if it is all zeros."""
        return b"" if section.kind == NOBITS else self._bytes(section.offset, section.size)

    @property
    def functions(self):
        """Names of functions that others can call."""
        known = _GLOBAL << 4 | _FUNCTION
        return {s.name for s in self.symbols if s.info == known and s.section}

    @property
    def needs(self):
        """Names of what it calls elsewhere."""
        return {s.name for s in self.symbols if s.name and not s.section}


def _name(strings, at):
    end = strings.find(b"\0", at)
    if at >= len(strings) or end < 0:
        raise DamagedObject("a name lies outside of the names")
    return strings[at:end].decode()


def is_usable(code, architecture, functions):
    """Whether an object file is whole, for this architecture, and has these functions.

    Of the formats of other systems only the first bytes and the names are looked at.
    """
    if code.startswith(_OTHERS):
        return all(name.encode() in code for name in functions)
    try:
        found = Object(code)
    except DamagedObject:
        return False
    return found.architecture == architecture and found.functions.issuperset(functions)
