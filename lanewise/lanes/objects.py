"""Object files of compiled kernels: where they are kept, how they are made, how they are loaded.

An object file is named by a digest of LLVM's text, of the processor, of LLVM's version and of the
files that say how it is made. The text has all else that the machine code follows from, and nothing
more: editing a comment, or a kernel that a part does not contain, leaves its object as it is.

Making the text takes a moment too. So a `.key` file remembers, for a digest of all kernel sources
as they are on disk, which object belongs to them; as long as no source changes, that is all that is
looked at. A wheel may bring objects along, see prebuilt.py.

Several objects are made at once, each by a process of its own. Processes that need the same objects
at the same time wait for each other.
"""

import contextlib
import ctypes
import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding as llvm

from . import cutting, elf, late_loads, loading, machine, prebuilt
from .machine import this_machine

PACKAGE = Path(__file__).resolve().parent.parent


def cache_directory():
    """LANEWISE_CACHE_DIR, or `lanewise` in the user's cache directory."""
    chosen = os.environ.get("LANEWISE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "lanewise"


@cache
def source_digest():
    """A digest of every file that kernels are written in, as they were when first asked for."""
    return prebuilt.source_digest(PACKAGE)


@cache
def recipe_digest():
    """A digest of the files that say how text becomes an object."""
    files = (Path(module.__file__).read_bytes() for module in (machine, late_loads, cutting))
    return hashlib.sha256(b"\0".join(files)).hexdigest()


def text_digest(text):
    """What an object file is named by."""
    to = this_machine()
    parts = text, to.triple, to.cpu, to.features, version("llvmlite"), recipe_digest()
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


class Request:
    """An object that is wanted: a name for people, and a function that makes LLVM's text.

    `functions()`: the names of the C functions that it must have.
    `known_by`: what its text follows from besides the kernels' sources; None if that is unknown, as
    of code that users write.
    """

    def __init__(self, name, make_text, functions, known_by="", quiet=False):
        self.name, self.make_text, self.known_by = name, make_text, known_by
        self.quiet = quiet  # compiled without a word
        self.functions = functions
        self.code, self.source = None, ""

    def _key(self):
        if self.known_by is None:
            return None
        parts = source_digest(), self.known_by, text_digest("")
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        return cache_directory() / f"{self.name}-{digest}.key"

    def look(self):
        """Take the object from where it is known to be; whether that worked."""
        if self.known_by is None:
            return False
        self.code = self._usable(prebuilt.find(self.name, source_digest))
        if self.code is not None:
            self.source = f"came with the package, for {prebuilt.machine().name}"
            return True
        key = self._key().name
        with contextlib.suppress(OSError, UnicodeDecodeError):
            file = contents(key).decode()
            self.code = self._usable(_read(file))
            self.source = "from the cache"
        if self.code is not None:
            USED.update(dict.fromkeys((key, file)))
        return self.code is not None

    def prepare(self):
        """Make the text; whether the cache has its object."""
        self.text = self.make_text()
        self.file = f"{self.name}-{text_digest(self.text)}.o"
        self.code = self._usable(_read(self.file))
        self.source = "from the cache"
        if self.code is not None:
            self._remember()
        return self.code is not None

    def make(self):
        self.code = _assemble(self.text)
        self.source = "compiled by this process"
        COMPILED.append(self.name)
        if _write(self.file, _checksum(self.code) + b"\n" + self.code):
            self._remember()

    def _usable(self, code):
        """The code, or None if it would crash the process."""
        architecture = this_machine().architecture
        whole = code is not None and elf.is_usable(code, architecture, self.functions())
        return code if whole else None

    def _remember(self):
        """The file is in the cache: so say the sources, too, if it follows from them."""
        USED[self.file] = None
        key = self._key()
        if key is not None:
            _write(key.name, self.file.encode())
            USED[key.name] = None


def fetch(requests):
    """Give every request its object code: found, or compiled on all processors."""
    missing = [r for r in requests if not r.look()]
    if not missing:
        return
    with _one_process_at_a_time():
        missing = [r for r in missing if not r.look()]
        progress = _Progress()
        pool = ThreadPoolExecutor(os.cpu_count() or 1)
        try:
            # texts are made here, one after the other, while others are being compiled
            running = [pool.submit(progress.wrap(r), r) for r in missing if not r.prepare()]
            for future in running:
                future.result()
        except BaseException:  # an interrupt does not wait for what is being compiled
            pool.shutdown(wait=False, cancel_futures=True)
            while _compilers:
                _compilers.pop().kill()
            raise
        finally:
            progress.end()
        pool.shutdown()
    _remove_old()


class _Progress:
    """One line that says what is being compiled."""

    def __init__(self):
        self.start = time.perf_counter()
        self.names, self.done, self.lock = [], 0, threading.Lock()

    def wrap(self, request):
        if request.quiet:
            return Request.make
        self.names.append(request.name)
        if len(self.names) == 1:
            self.say("lanewise: compiling kernels for this machine; this happens once ...")

        def make(r):
            r.make()
            with self.lock:
                self.done += 1
                if sys.stderr.isatty():
                    self.say(
                        f"\rlanewise: compiling kernels: {self.done} of {len(self.names)} ...   "
                    )

        return make

    def say(self, text):
        print(text, end="", file=sys.stderr, flush=True)

    def end(self):
        if self.names:
            self.say(f" {time.perf_counter() - self.start:.1f} s\n")


def _assemble(text):
    """Object code of LLVM's text, by another process so that several can work at once."""
    command = [sys.executable, "-m", "lanewise.lanes.machine"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *sys.path])}
    pipe = subprocess.PIPE
    try:
        # in a session of its own: who interrupts this process speaks to it alone
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
        )
    except OSError:  # no processes can be started here
        return this_machine().assemble(text)
    _compilers.add(process)
    code, error = process.communicate(text.encode())
    if process not in _compilers:
        raise RuntimeError("compiling was interrupted")
    _compilers.remove(process)
    if process.returncode == 0 and code:
        return code
    print(error.decode(errors="replace"), file=sys.stderr)
    return this_machine().assemble(text)


_compilers: set = set()  # processes that are compiling


# ------------------------------------------------------------------------------------------- files


def _checksum(code):
    return hashlib.sha256(code).hexdigest().encode()


USED: dict = {}  # names of the cache's files that this process has used or written, in order
COMPILED: list = []  # names of what this process has compiled
_HANDED: dict = {}  # {name: content} of files that another process gave, and no directory takes


def contents(name):
    """What a file of the cache holds; OSError if there is none."""
    try:
        return (cache_directory() / name).read_bytes()
    except OSError:
        if name not in _HANDED:
            raise
        return _HANDED[name]


def used_files():
    """{name: content} of the cache's files that this process has used."""
    found = {}
    for name in USED:
        with contextlib.suppress(OSError):  # somebody has cleared the cache
            found[name] = contents(name)
    return found


def hand(files):
    """Take {name: content} of another process's cache, as if they had been compiled here."""
    for name, content in files.items():
        if not _write(name, content):
            _HANDED[name] = content


def machine_digest():
    """Two processes may use each other's objects if this is the same: it tells sources of kernels,
    the processor that is compiled for, and LLVM."""
    parts = source_digest(), text_digest("")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _read(name):
    """The object code in a file of the cache, or None if it is not there or cut short."""
    try:
        checksum, _, code = contents(name).partition(b"\n")
    except OSError:
        return None
    return code if checksum == _checksum(code) else None


_told: set = set()


def _write(name, content):
    """Write a file of the cache; whether that worked."""
    directory = cache_directory()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as f:
            f.write(content)
        os.replace(f.name, directory / name)
        return True
    except OSError as error:
        if directory not in _told:
            _told.add(directory)
            print(
                f"lanewise: cannot keep compiled kernels in {directory}: {error}", file=sys.stderr
            )
        return False


def _remove_old(days=30):
    """Files of other sources that nobody has used for a while."""
    with contextlib.suppress(OSError):
        for path in cache_directory().glob("*.[ok]*"):
            if time.time() - path.stat().st_atime > days * 86400:
                path.unlink(missing_ok=True)


@contextlib.contextmanager
def _one_process_at_a_time():
    """Hold the lock of the cache: another process may be compiling the same."""
    try:
        import fcntl

        directory = cache_directory()
        directory.mkdir(parents=True, exist_ok=True)
        file = open(directory / "compiling.lock", "w")  # noqa: SIM115  closed below
    except (ImportError, OSError):
        yield  # without a lock, at worst something is compiled twice
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("lanewise: waiting for another process that compiles kernels", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:  # closing is not enough: a process that was forked has the file open, too
            fcntl.flock(file, fcntl.LOCK_UN)


# ----------------------------------------------------------------------------------------- loading


class Loaded:
    """Machine code in memory: the C functions of one object, by name."""

    def __init__(self, code):
        self._image = loading.Image(code) if loading.IN_PLACE else _engine(code)

    def address(self, name):
        if loading.IN_PLACE:
            address = self._image.address_of(name)
        else:
            address = self._image.get_function_address(name)
        if not address:
            raise KeyError(f"no function {name!r} in this object")
        return address


def _engine(code):
    """LLVM's loader."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def c_function(address, nargs, result=None):
    """A C function of int64s; it runs without the GIL."""
    return ctypes.CFUNCTYPE(result, *[ctypes.c_int64] * nargs)(address)
