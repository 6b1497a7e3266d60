"""Objects that a wheel brings along, for processors that are common enough.

`tools/build_kernels.py` puts them into lanewise/kernels, a folder for each machine, beside the
digest of the sources that they were made of. They are used if the sources are still those, and this
processor has all that the machine's name promises.
"""

import hashlib
import platform
from functools import cache
from pathlib import Path

from .machine import Machine, has_features

FOLDER = Path(__file__).resolve().parent.parent / "kernels"

# what each level of x86-64 has beyond what every such processor has
V3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
V4 = (*V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

# in the order in which they are preferred: machine, what it needs
MACHINES = [
    (Machine("x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4", ""), V4),
    (Machine("x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", ""), V3),
    (Machine("aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon,+lse"), ("neon", "lse")),
]


def source_digest(package):
    """A digest of every file that kernels are written in."""
    digest = hashlib.sha256()
    rooms = (f for d in ("fields", "lanes", "engine") for f in (package / d).rglob("*.py"))
    for path in sorted([package / "mjconst.py", *rooms]):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


@cache
def machine():
    """The first machine that this processor is at least as good as, or None."""
    for candidate, needs in MACHINES:
        same = candidate.architecture == platform.machine().replace("arm64", "aarch64")
        if same and platform.system() == "Linux" and has_features(needs):
            return candidate
    return None


def find(name, digest):
    """The object code of a part, or None; digest() is that of the sources."""
    if not FOLDER.is_dir() or machine() is None:
        return None
    folder = FOLDER / machine().name
    try:
        if (FOLDER / "sources").read_text().strip() != digest():
            return None
        return (folder / f"{name}.o").read_bytes()
    except OSError:
        return None
