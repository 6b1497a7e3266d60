"""How somebody reads an attribute: by its name in a program, by asking for it, or in passing.

`b.xpos` in a program means that its author wants that output, now and later. `getattr(b, name)` may
come from a program that has names in a list, or from `hasattr`, which throws the value away; and
tools that inspect any object they are given, such as `inspect.getmembers`, a completer or a
debugger, look at everything once. Python calls the same method for all of them. They differ in the
instruction that the caller is at: LOAD_ATTR for an attribute in a program's text, a call for
`getattr` and `hasattr`; and in where the caller comes from.
"""

import opcode
import sys
from types import FrameType

NAMED, ASKED, PASSING = range(3)

_LOADS = {opcode.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in opcode.opmap}
# beside the standard library, in which `inspect`, `rlcompleter`, `pydoc` and `pdb` are
_TOOLS = {
    "IPython",
    "ipykernel",
    "jedi",
    "parso",
    "debugpy",
    "_pydevd_bundle",
    "pydevd",
    "ptpython",
}


def way_of(reader: FrameType | None) -> int:
    """NAMED, ASKED or PASSING, by the frame that reads an attribute."""
    if reader is None:
        return ASKED
    package = reader.f_globals.get("__name__", "").partition(".")[0]
    if package != "__main__" and (package in sys.stdlib_module_names or package in _TOOLS):
        return PASSING
    code, at = reader.f_code.co_code, reader.f_lasti
    return NAMED if 0 <= at < len(code) and code[at] in _LOADS else ASKED
