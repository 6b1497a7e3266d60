"""What an object file defines, read with care.

LLVM takes an object file on trust: one that is damaged ends the process. So files are looked at
here before LLVM gets them: the header, where the sections lie, and the names of the functions. The
format is ELF, which Linux has; of others only the first bytes are known.
"""

import struct
from dataclasses import dataclass

_ARCHITECTURE = {62: "x86_64", 183: "aarch64"}
_RELOCATABLE, _SYMBOLS, _NO_BITS = 1, 2, 8  # type of file, types of sections
_GLOBAL, _FUNCTION = 1, 2  # of a symbol
_OTHERS = (b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")  # Mach-O, and COFF for two processors


@dataclass(frozen=True)
class Contents:
    """Names in an object file: functions for others, and what it needs from others."""

    architecture: str
    functions: frozenset
    needs: frozenset


def is_usable(code, architecture, functions):
    """Whether an object file is whole, for this architecture, and has these functions."""
    if code.startswith(_OTHERS):
        return all(name.encode() in code for name in functions)
    try:
        contents = read(code)
    except ValueError:
        return False
    return contents.architecture == architecture and contents.functions.issuperset(functions)


def read(code):
    """The Contents of an object file; ValueError if it is damaged."""
    try:
        return _read(code)
    except (struct.error, UnicodeDecodeError, IndexError, OverflowError) as error:
        raise ValueError(f"a damaged object file: {error}") from None


def _read(code):
    magic, kind, architecture = struct.unpack_from("<16sHH", code)
    # 64 bits, little endian, version 1
    if not magic.startswith(b"\x7fELF\2\1\1") or kind != _RELOCATABLE:
        raise ValueError("not an object file")
    (start,) = struct.unpack_from("<Q", code, 40)
    size, count = struct.unpack_from("<HH", code, 58)
    if size != 64 or not count:
        raise ValueError("an object file without sections")
    # of each section: name, type, flags, address, place, size, link, info, alignment, size of items
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, start + size * k) for k in range(count)]
    for _, kind, _, _, place, length, *_ in sections:
        if kind != _NO_BITS and place + length > len(code):
            raise ValueError("a section reaches beyond the end of the file")
    functions, needs = set(), set()
    for _, kind, _, _, place, length, link, *_ in sections:
        if kind != _SYMBOLS:
            continue
        names, names_length = sections[link][4:6]
        text = code[names : names + names_length]
        for name, info, _, section, _, _ in struct.iter_unpack("<IBBHQQ", code[place:][:length]):
            word = text[name : text.index(b"\0", name)].decode()
            if info >> 4 == _GLOBAL and section and info & 15 == _FUNCTION:
                functions.add(word)
            elif info >> 4 == _GLOBAL and not section:
                needs.add(word)
    return Contents(_ARCHITECTURE.get(architecture, "?"), frozenset(functions), frozenset(needs))
