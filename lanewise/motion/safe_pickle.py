"""Dictionaries, lists, numbers, text and arrays out of pickles that nobody vouches for.

A pickle is a program for a machine with a stack. Python's own machine calls whatever function the
program names; this one has no call at all. It knows the instructions that plain containers need,
and five names: the ones under which NumPy writes arrays, types and numbers, joblib its arrays, and
ordered dictionaries. For each of them it keeps a note of what was asked for, and makes an array
only when type, shape and bytes agree. Any other name ends the reading with an error that has it.

joblib puts the bytes of an array into the file itself, behind the instruction that completes its
description, after a byte that says how much padding there is; and it compresses the whole file.
Both are done here, without joblib.

Room is made only for what is there: lengths that a file claims are compared with what it has, and
what a compressed file unpacks to is limited.
"""

import bz2
import importlib
import io
import lzma
import pickletools
import re
import struct
import zlib
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConventionError
from .motion_errors import MotionError

MOST_BYTES = 2**30  # of a file after unpacking
CHUNK = 2**20
DEEPEST = 20  # containers in each other

# where NumPy and joblib have what is known here; NumPy 2 has moved its modules
ARRAY = ("numpy", "ndarray")
DTYPE = ("numpy", "dtype")
MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
MAKERS = {(module, "_reconstruct") for module in MODULES}
SCALARS = {(module, "scalar") for module in MODULES}
BUFFERS = {(module, "_frombuffer") for module in ("numpy.core.numeric", "numpy._core.numeric")}
JOBLIB = {("joblib.numpy_pickle", "NumpyArrayWrapper")}
ORDERED = {("collections", "OrderedDict")}
ENCODE = {("_codecs", "encode")}  # bytes in protocols before 3
PYTHON2 = {("__builtin__", "bytes"), ("builtins", "bytes"), ("builtins", "bytearray")}
KNOWN = {ARRAY, DTYPE} | MAKERS | SCALARS | BUFFERS | JOBLIB | ORDERED | ENCODE | PYTHON2
TYPES = re.compile(r"[<>|=]?([fiub][1248]|[SU]\d{0,4}|V0|bool|float(16|32|64)|u?int(8|16|32|64))")

# what a file begins with -> how it is unpacked
PACKED: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
    b"\x78\x01": zlib.decompressobj,
    b"\x78\x5e": zlib.decompressobj,
    b"\x78\x9c": zlib.decompressobj,
    b"\x78\xda": zlib.decompressobj,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=2**28),
    b"\x5d\x00\x00": lambda: lzma.LZMADecompressor(memlimit=2**28),
    b"\x04\x22\x4d\x18": lambda: _lz4(),
}
BROKEN = (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError, RuntimeError, MemoryError)


def read_pickle(path: Path) -> Any:
    """What a pickle holds, if it is made of containers, numbers, text and arrays alone."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise MotionError(f"{path.name} has {size} bytes; at most {MOST_BYTES} are read")
    data = path.read_bytes()
    if not data:
        raise MotionError(f"{path.name} is empty")
    try:
        return _Machine(io.BytesIO(_unpacked(data, path.name)), path.name).run()
    except (ConventionError, OSError):
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError,
            UnicodeError, MemoryError, RecursionError, struct.error) as error:  # fmt: skip
        raise MotionError(f"{path.name} is no pickle that can be read: {error}") from None


# ---- compression


def _unpacked(data: bytes, name: str) -> bytes:
    for begin, make in PACKED.items():
        if data.startswith(begin):
            return _unpack(data, make, name)
    return data


def _unpack(data: bytes, make: Callable[[], Any], name: str) -> bytes:
    """All of it, up to a limit: a small file may unpack to more than there is memory."""
    machine, out, size, rest = make(), [], 0, data
    try:
        while not machine.eof:
            part = machine.decompress(rest, CHUNK)
            rest = getattr(machine, "unconsumed_tail", b"")
            size += len(part)
            if size > MOST_BYTES:
                raise MotionError(f"{name} unpacks to more than {MOST_BYTES} bytes")
            if not part and not rest and not machine.eof:
                raise EOFError("its end is missing")
            out.append(part)
    except MotionError:
        raise
    except BROKEN as error:
        raise MotionError(f"{name} is damaged: {error}") from None
    return b"".join(out)


def _lz4() -> Any:
    try:
        return importlib.import_module("lz4.frame").LZ4FrameDecompressor()
    except ImportError:
        raise MotionError(
            "the file is compressed with lz4: pip install lz4, or write it again with"
            " joblib.dump(x, path, compress=3)"
        ) from None


# ---- what programs ask for, kept as notes


class _Name:
    """A name that the program looked up."""

    def __init__(self, pair: tuple[str, str]):
        self.pair = pair


class _Type:
    """A type of numbers: the text of it, and the order of its bytes."""

    def __init__(self, text: Any):
        if not isinstance(text, str) or not TYPES.fullmatch(text):
            raise MotionError(f"an array of type {str(text)[:40]!r} is not read: only numbers are")
        self.dtype = np.dtype(text)

    def complete(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) < 2 or any(state[2:5]):
            raise MotionError("an array with named fields or Python objects is not read")
        if state[1] in ("<", ">"):
            self.dtype = self.dtype.newbyteorder(state[1])


class _Array:
    """An array: nothing, until its state is there."""

    def __init__(self) -> None:
        self.value: np.ndarray | None = None

    def complete(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            raise MotionError("an array whose description is not NumPy's")
        _, shape, kind, fortran, data = state
        self.value = _array(kind, shape, "F" if fortran else "C", data)


class _Wrapper:
    """An array of joblib's, whose bytes come after it."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.value: np.ndarray | None = None

    def complete(self, state: Any) -> None:
        if not isinstance(state, dict):
            raise MotionError("an array whose description is not joblib's")
        self.state = state

    def read(self, file: io.BytesIO) -> None:
        kind, shape = self.state.get("dtype"), self.state.get("shape")
        if not isinstance(kind, _Type):
            raise MotionError("an array of joblib's without a type of numbers")
        if self.state.get("numpy_array_alignment_bytes") is not None:
            padding = file.read(1)
            file.read(padding[0] if padding else 0)
        count = _count(shape, kind.dtype)
        self.value = _array(kind, shape, self.state.get("order", "C"), file.read(count))


def _count(shape: Any, dtype: np.dtype) -> int:
    if not isinstance(shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in shape):
        raise MotionError(f"an array of shape {str(shape)[:60]}, which is none")
    return prod(shape) * dtype.itemsize


def _array(kind: Any, shape: Any, order: Any, data: Any) -> np.ndarray:
    if not isinstance(kind, _Type):
        raise MotionError("an array without a type of numbers")
    if isinstance(data, str):  # of protocols 0 to 2, and of Python 2
        data = data.encode("latin-1")
    if not isinstance(data, bytes | bytearray):
        raise MotionError("an array of Python objects is not read: they could be anything")
    claimed = _count(shape, kind.dtype)
    if claimed != len(data):
        raise MotionError(f"an array claims {claimed} bytes, shape {shape}; {len(data)} are there")
    if order not in ("C", "F"):
        raise MotionError(f"an array in the order {order!r}; there are C and F")
    x = np.frombuffer(data, kind.dtype).reshape(shape, order=order)
    return x.astype(kind.dtype.newbyteorder("=")) if not kind.dtype.isnative else x.copy()


# ---- the machine

MARK = object()


class _Machine:
    """A stack, a memo, and a method for each instruction that is known."""

    def __init__(self, file: io.BytesIO, name: str):
        self.file, self.name = file, name
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> Any:
        try:
            for opcode, argument, _ in pickletools.genops(self.file):
                if opcode.name == "STOP":
                    return _plain(self.stack.pop())
                self._do(opcode.name, argument)
        except ValueError as error:
            if isinstance(error, ConventionError):
                raise
            raise MotionError(f"{self.name} is no pickle that can be read: {error}") from None
        raise MotionError(f"{self.name} is cut short: its end is missing")

    def _do(self, name: str, argument: Any) -> None:
        stack = self.stack
        if name in ("PROTO", "FRAME"):
            return
        if name in VALUES:
            stack.append(argument)
        elif name in CONSTANTS:
            stack.append(CONSTANTS[name]())
        elif name in ("MEMOIZE", "PUT", "BINPUT", "LONG_BINPUT"):
            self.memo[len(self.memo) if name == "MEMOIZE" else int(argument)] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(self.memo[int(argument)])
        elif name == "MARK":
            stack.append(MARK)
        elif name in ("POP", "DUP"):
            stack.pop() if name == "POP" else stack.append(stack[-1])
        elif name == "POP_MARK":
            self._since_mark()
        elif name in COLLECT:
            stack.append(COLLECT[name](self._since_mark()))
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            n = int(name[-1])
            stack[-n:] = [tuple(stack[-n:])]
        elif name in ("APPEND", "APPENDS", "SETITEM", "SETITEMS", "ADDITEMS"):
            self._fill(name)
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            self._look_up(argument.split(" ", 1) if argument else [stack.pop(-2), stack.pop()])
        elif name in ("REDUCE", "NEWOBJ"):
            arguments = stack.pop()
            stack.append(self._ask(stack.pop(), arguments))
        elif name == "BUILD":
            self._complete()
        else:
            raise MotionError(
                f"{self.name} uses the instruction {name}, which arrays and dictionaries do not"
                " need: it is not read"
            )

    def _since_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while self.stack[at] is not MARK:
            at -= 1
            if at < 0:
                raise MotionError(f"{self.name} is no pickle that can be read: no mark is set")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def _fill(self, name: str) -> None:
        if name.endswith("S"):
            items = self._since_mark()
        else:
            n = 2 if name == "SETITEM" else 1
            items = self.stack[-n:]
            del self.stack[-n:]
        target = self.stack[-1]
        if name.startswith("SETITEM") and isinstance(target, dict):
            target.update(zip(items[::2], items[1::2], strict=True))
        elif name.startswith("APPEND") and isinstance(target, list):
            target.extend(items)
        elif name == "ADDITEMS" and isinstance(target, set):
            target.update(items)
        else:
            raise MotionError(f"{self.name} fills something that is no list or dictionary")

    def _look_up(self, pair: list[Any]) -> None:
        found = (str(pair[0]), str(pair[-1]))
        if found not in KNOWN:
            what = ".".join(found)
            advice = " (x.numpy() makes an array of a tensor)" if found[0][:5] == "torch" else ""
            raise MotionError(
                f"{self.name} asks for {what[:80]}: reading it would execute code of whoever wrote"
                f" the file, so it is not done. Motions are dictionaries of arrays{advice}"
            )
        self.stack.append(_Name(found))

    def _ask(self, callee: Any, arguments: Any) -> Any:
        pair = getattr(callee, "pair", None)
        arguments = arguments if isinstance(arguments, tuple) else ()
        if pair in MAKERS:
            return _Array()
        if pair == DTYPE and arguments:
            return _Type(arguments[0])
        if pair in JOBLIB:
            return _Wrapper()
        if pair in ORDERED:
            return dict(arguments[0]) if arguments else {}
        if pair in SCALARS and len(arguments) == 2:
            return _array(arguments[0], (), "C", arguments[1])[()]
        if pair in BUFFERS and len(arguments) == 4:
            data, kind, shape, order = arguments
            return _array(kind, shape, order, data)
        if pair in ENCODE and arguments and isinstance(arguments[0], str):
            return arguments[0].encode("latin-1")
        if pair in PYTHON2:
            whole = arguments[0] if arguments else b""
            return whole.encode("latin-1") if isinstance(whole, str) else whole
        raise MotionError(f"{self.name} calls something that makes no array or dictionary")

    def _complete(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if not isinstance(target, _Type | _Array | _Wrapper):
            raise MotionError(f"{self.name} completes something that is no array")
        target.complete(state)
        if isinstance(target, _Wrapper):
            target.read(self.file)


VALUES = {
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
    "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "SHORT_BINUNICODE", "BINUNICODE",
    "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8",
}  # fmt: skip
CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_SET": set,
}  # fmt: skip
COLLECT: dict[str, Callable[[list[Any]], Any]] = {
    "TUPLE": tuple,
    "LIST": list,
    "DICT": lambda items: dict(zip(items[::2], items[1::2], strict=True)),
    "FROZENSET": frozenset,
}


def _plain(x: Any, depth: int = 0, made: dict[int, Any] | None = None) -> Any:
    """Containers with arrays in place of notes on them; what several share is made once."""
    made = {} if made is None else made
    if id(x) in made:
        return made[id(x)]
    if depth > DEEPEST:
        raise MotionError("containers in containers, too deep for a motion")
    if isinstance(x, _Array | _Wrapper):
        if x.value is None:
            raise MotionError("an array was begun and never completed")
        return x.value
    if isinstance(x, _Name | _Type):
        return None
    if isinstance(x, dict):
        made[id(x)] = {key: _plain(value, depth + 1, made) for key, value in x.items()}
    elif isinstance(x, list | tuple):
        made[id(x)] = [_plain(value, depth + 1, made) for value in x]
    return made.get(id(x), x)
