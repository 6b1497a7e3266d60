"""Objects that a wheel brings along, for machines that are common enough.

`tools/build_kernels.py` puts them into lanewise/kernels, a folder for each machine, beside the
digest of the sources that they were made of. They are used if the sources are still those, and this
processor has all that the machine's name promises.

`LANEWISE_KERNELS` chooses: `native` for kernels compiled for this very processor, or the name of a
machine (`x86-64-v3`) instead of the best that fits.
"""

import hashlib
from functools import cache
from pathlib import Path

from .machine import COMMON, chosen, fits, native

FOLDER = Path(__file__).resolve().parent.parent / "kernels"


def source_digest(package):
    """A digest of every file that kernels are written in."""
    digest = hashlib.sha256()
    rooms = (f for d in ("fields", "lanes", "engine") for f in (package / d).rglob("*.py"))
    for path in sorted([package / "mjconst.py", *rooms]):
        name = path.relative_to(package).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


def made_of(digest):
    """Whether there are objects, and of the sources with this digest."""
    sources = FOLDER / "sources"
    return sources.is_file() and sources.read_text().strip() == digest


@cache
def _best():
    """The first machine that this processor is at least as good as, or None."""
    return next(filter(fits, COMMON), None)


def machine():
    """Whose objects may be used; None if they may not, or if there is no such machine."""
    choice = chosen()
    return None if choice == "native" else choice or _best()


def refusal(digest):
    """Why objects of the package are not used, or "" if they are; digest() is the sources'."""
    if chosen() == "native":
        return "LANEWISE_KERNELS=native asks for kernels compiled here"
    if not (FOLDER / "sources").is_file():
        return "the package brought none"
    if machine() is None:
        names = ", ".join(m.name for m in COMMON)
        return f"those of the package are for {names} on Linux, this processor is {native().cpu}"
    if not (FOLDER / machine().name).is_dir():
        return f"the package brought none for {machine().name}"
    if not made_of(digest()):
        return "sources of kernels were edited since those of the package were made"
    return ""


def find(name, digest):
    """The object code of a part, or None; digest() is that of the sources."""
    try:
        return None if refusal(digest) else (FOLDER / machine().name / f"{name}.o").read_bytes()
    except OSError:
        return None
