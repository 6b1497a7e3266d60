"""Opening a stage, or an error that says why not.

USD's library reads what a file says of itself: a table that claims a billion entries takes all
memory, and some damage ends the process. So the heads of binary files (.usdc, and .usd that begins
alike) and of archives (.usdz) are looked at here, and then the file is opened in a process of its
own, with a limit of time and memory. Only what that process survived is opened in this one.

Files that a stage refers to and that are not there are errors, all of them at once: USD itself goes
on without them.
"""

import os
import re
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError
from .stage_trial import REFUSED

if TYPE_CHECKING:
    from pxr import Usd

SUFFIXES = (".usd", ".usda", ".usdc", ".usdz")
LAYERS = SUFFIXES[:3]  # what an archive may begin with
_TRIAL = Path(__file__).with_name("stage_trial.py")
_SECONDS, _SECONDS_PER_BYTE = 60.0, 1e-7  # how long a stage may take to open
_ROOM = 3 * 2**30  # addresses that USD's library takes before it has read anything
_LARGEST_TEXT = 2**31


def open_stage(path: Path, named: str, memory: int) -> "Usd.Stage":
    """The stage of a file that is there, which may take so many bytes of memory."""
    Usd, UsdUtils = _usd()
    _check_head(path, named)
    _try(path, named, memory)
    # what USD warns of meanwhile is asked for below, in its own words, and not printed
    heard = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        stage = Usd.Stage.Open(str(path))
    except Exception as error:  # of any class that USD's bindings have
        raise ModelError(f"{named} cannot be opened: {_said(str(error))}") from None
    finally:
        heard.TakeUncoalescedDiagnostics()
    _check_complete(stage, named)
    return stage


def _usd():
    try:
        from pxr import Usd, UsdPhysics, UsdUtils  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"files of USD need usd-core: pip install 'lanewise[usd]' ({error})"
        ) from None
    return Usd, UsdUtils


def _check_head(path, named):
    """Raise ModelError unless a file begins as its kind does, and its tables lie in it."""
    size = os.path.getsize(path)
    if size == 0:
        raise ModelError(f"{named} is empty")
    try:
        with open(path, "rb") as file:
            head = file.read(88)
            if path.suffix.lower() == ".usdz":
                _check_archive(file, named)
            elif head.startswith(b"PXR-USDC"):
                _check_crate(file, 0, size, named)
            elif path.suffix.lower() == ".usdc":
                raise ModelError(f"{named} is no .usdc: it begins with {head[:8]!r}")
            elif not head.startswith(b"#usda"):
                raise ModelError(
                    f"{named} is no USD: it begins with {head[:12]!r}, and text begins with"
                    " b'#usda 1.0'"
                )
            elif size > _LARGEST_TEXT:
                raise ModelError(
                    f"{named} has {size:,} bytes of text; the most is {_LARGEST_TEXT:,}"
                )
    except OSError as error:
        raise ModelError(f"{named} cannot be read: {error.strerror}") from None


def _check_crate(file, start, size, named):
    """A binary layer: its table of contents, and the sections that it lists, lie in it."""
    file.seek(start)
    head = file.read(24)
    if len(head) < 24:
        raise ModelError(f"{named} is cut off: {size} bytes, and the head alone has 88")
    (toc,) = struct.unpack("<q", head[16:24])
    if not 88 <= toc <= size - 8:
        raise ModelError(
            f"{named} is cut off or damaged: its table of contents is at byte {toc:,} of {size:,}"
        )
    file.seek(start + toc)
    (count,) = struct.unpack("<Q", file.read(8))
    if count > (size - toc - 8) // 32:
        raise ModelError(
            f"{named} is damaged: its table of contents has {count:,} sections, and there is room"
            f" for {(size - toc - 8) // 32}"
        )
    for _ in range(count):
        name, begin, length = struct.unpack("<16sqq", file.read(32))
        if begin < 0 or length < 0 or begin + length > size:
            word = name.rstrip(b"\0").decode(errors="replace")
            raise ModelError(
                f"{named} is cut off or damaged: its section {word!r} has {length:,} bytes from"
                f" byte {begin:,}, of {size:,}"
            )


def _check_archive(file, named):
    """A .usdz: files that are stored as they are, and the first is a layer."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise ModelError(f"{named} is no .usdz, or cut off: {error}") from None
    if not entries:
        raise ModelError(f"{named} is an archive without files")
    packed = [e.filename for e in entries if e.compress_type != zipfile.ZIP_STORED]
    if packed:
        raise ModelError(
            f"{named}: files in a .usdz are stored as they are, and these are compressed:"
            f" {', '.join(packed[:4])}"
        )
    if not entries[0].filename.lower().endswith(LAYERS):
        raise ModelError(
            f"{named}: the first file of a .usdz is its stage ({', '.join(LAYERS)}), and here it is"
            f" {entries[0].filename!r}"
        )
    for entry in entries:
        file.seek(entry.header_offset + 26)
        name, extra = struct.unpack("<HH", file.read(4))
        start = entry.header_offset + 30 + name + extra
        file.seek(start)
        if file.read(8) == b"PXR-USDC":
            _check_crate(file, start, entry.file_size, f"{entry.filename!r} in {named}")


def _try(path, named, memory):
    """Open the stage in a process of its own, and say how that ended if not well."""
    if not sys.executable:  # a program that has Python inside
        return
    seconds = _SECONDS + _SECONDS_PER_BYTE * os.path.getsize(path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", str(_TRIAL), str(path.absolute()), str(memory + _ROOM)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace",
            timeout=seconds, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ModelError(
            f"{named} is not read within {seconds:.0f} s: it refers to itself without end, or is"
            " damaged"
        ) from None
    if done.returncode == REFUSED:
        raise ModelError(f"{named} cannot be opened: {_said(done.stdout)}")
    if done.returncode != 0:
        raise ModelError(
            f"{named} is damaged: USD's library does not survive it, or it takes more memory than"
            f" is free ({_last_line(done.stderr)})"
        )


def _said(text):
    """What USD says, without where in its source it says so; as long as a message may be."""
    lines = (line.strip() for line in text.splitlines() if line.strip())
    lines = (re.sub(r"^Error in '.*?' at line \d+ in file .*? : ", "", line) for line in lines)
    text = " ".join(line.strip("'\"") for line in lines if line != "Error")
    if "bad_alloc" in text:
        return "it asks for more memory than is free, so it is damaged"
    return text if len(text) <= 400 else f"{text[:400]}..."


def _last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it ended without a word"


def _check_complete(stage, named):
    """Raise ModelError if layers or prims that the stage refers to are not there."""
    broken = []
    for error in stage.GetCompositionErrors():
        text = " ".join(str(error).split())
        if text not in broken:
            broken.append(text)
    if broken:
        shown = "\n".join(f"  {text[:300]}" for text in broken[:8])
        more = f"\n  and {len(broken) - 8} more" if len(broken) > 8 else ""
        raise ModelError(f"{named} refers to what is not there or cannot be read:\n{shown}{more}")
