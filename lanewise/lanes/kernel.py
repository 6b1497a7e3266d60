"""The @kernel decorator, and the object file with all compiled entry points.

A `Kernel` called from Python runs as plain Python on the twins in primitives.py. Compiled, it is
reached only through an `Entries`: a set of C functions that share one object file. The file lies in
the user's cache, named by a digest of all kernel sources, the compiler's versions and this
processor, so that neither an edit nor an upgrade nor another machine can find stale code. Loading
it needs llvmlite only: Numba is imported when something has to be compiled.
"""

import ctypes
import hashlib
import os
import sys
import tempfile
import threading
import time
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding as llvm

PACKAGE = Path(__file__).resolve().parent.parent
JIT = os.environ.get("LANEWISE_JIT", "1") != "0"


class Kernel:
    """A function on lanes: plain Python when called, machine code inside an entry point."""

    def __init__(self, python_function, inline, fused=True):
        self.python_function, self.inline, self.fused = python_function, inline, fused
        self.__name__, self.__doc__ = python_function.__name__, python_function.__doc__
        self.__module__, self.__wrapped__ = python_function.__module__, python_function
        self._dispatchers = {}

    def __call__(self, *args):
        return self.python_function(*args)

    def __repr__(self):
        return f"<kernel {self.__module__}.{self.__name__}>"

    def __reduce__(self):
        return self.__name__  # as a function: by where it is found

    def dispatcher(self, fused=True):
        """Numba's handle on the compiled function; of which there may be two, see `kernel`."""
        fused = fused and self.fused
        if fused not in self._dispatchers:
            from . import compiler

            self._dispatchers[fused] = compiler.dispatcher(self.python_function, self.inline, fused)
        return self._dispatchers[fused]


def kernel(function=None, *, inline=False, fused=True):
    """Make a function on lanes. `inline=True` for formulas, which are copied into their callers.

    With `fused=False`, a * b + c is rounded twice, in it and in all kernels that it calls: as
    MuJoCo does, so that the same numbers have the same bits.
    """
    if function is None:
        return lambda f: Kernel(f, inline, fused)
    return Kernel(function, inline, fused)


def cache_directory():
    """LANEWISE_CACHE_DIR, or `lanewise` in the user's cache directory."""
    chosen = os.environ.get("LANEWISE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lanewise"


def source_digest(extra=""):
    """A digest of everything the machine code depends on."""
    digest = hashlib.sha256(extra.encode())
    for path in sorted(
        [
            PACKAGE / "mjconst.py",
            *(f for d in ("fields", "lanes", "engine") for f in (PACKAGE / d).rglob("*.py")),
        ]
    ):
        digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + path.read_bytes() + b"\0")
    features = llvm.get_host_cpu_features().flatten()
    for item in (
        version("numba"), version("llvmlite"), sys.version, llvm.get_process_triple(),
        llvm.get_host_cpu_name(), features,
    ):  # fmt: skip
        digest.update(str(item).encode() + b"\0")
    return digest.hexdigest()[:32]


def _checksum(code):
    return hashlib.sha256(code).hexdigest().encode()


class Entries:
    """C functions {name: address} of compiled kernels, from the cache or freshly compiled.

    `declare()` returns {name: (kernel, argument types)} and may import Numba; it is called only
    when the cache has no object file for the current sources.
    """

    def __init__(self, name, declare, extra=""):
        self.name, self.declare = name, declare
        # taken now: sources may be edited before something is compiled
        self.digest = source_digest(extra)
        self.compile_seconds = 0.0
        self._engine = None
        self._functions = {}
        self._lock = threading.Lock()

    def __getitem__(self, name):
        """The C function `name`, taking int64s; it runs without the GIL."""
        function = self._functions.get(name)
        if function is None:
            with self._lock:
                if self._engine is None:
                    self._load()
            address = self._engine.get_function_address(name)
            if not address:
                raise KeyError(f"no entry point {name!r} in {self.name!r}")
            nargs = self._arity[name]
            function = ctypes.CFUNCTYPE(None, *([ctypes.c_int64] * nargs))(address)
            self._functions[name] = function
        return function

    def address(self, name):
        """Where the C function `name` lies."""
        return ctypes.cast(self[name], ctypes.c_void_p).value

    @property
    def path(self):
        return cache_directory() / f"{self.name}-{self.digest}.o"

    def _load(self):
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()
        code = self._read_or_compile()
        header, _, body = code.partition(b"\n")
        items = (item.split(":") for item in header.decode().split(",") if item)
        self._arity = {name: int(n) for name, n in items}
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            features=llvm.get_host_cpu_features().flatten(),
            opt=3,
            jit=True,
        )
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
        engine.add_object_file(llvm.ObjectFileRef.from_data(body))
        engine.finalize_object()
        self._engine = engine

    def _read_or_compile(self):
        path = self.path
        try:
            checksum, _, code = path.read_bytes().partition(b"\n")
            if checksum == _checksum(code):  # a damaged object would crash the process
                return code
        except OSError:
            pass
        code = self._compile()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as f:
                f.write(_checksum(code) + b"\n" + code)
            os.replace(f.name, path)
            self._remove_old(path)
        except OSError as error:
            print(
                f"lanewise: cannot keep compiled kernels in {path.parent}: {error}", file=sys.stderr
            )
        return code

    def _compile(self):
        print(
            f"lanewise: compiling the {self.name} kernels for this machine; this happens once ...",
            end="", file=sys.stderr, flush=True,
        )  # fmt: skip
        start = time.perf_counter()
        from . import compiler

        compiler.register_kernel_type(Kernel)
        entries = self.declare()
        code, self.module = compiler.compile_object(entries)
        header = ",".join(f"{name}:{len(argtypes)}" for name, (_, argtypes) in entries.items())
        self.compile_seconds = time.perf_counter() - start
        print(f" {self.compile_seconds:.1f} s", file=sys.stderr)
        return header.encode() + b"\n" + code

    def _remove_old(self, path, days=30):
        """Object files of other sources that nobody has loaded for a while."""
        for other in path.parent.glob("*.o"):
            if other != path and time.time() - other.stat().st_atime > days * 86400:
                other.unlink(missing_ok=True)
