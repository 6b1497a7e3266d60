"""From `import lanewise` to the first step: what has to be compiled, and when.

All of it happens in fresh processes, on all cores, with a cache of its own; kernels that came with
the package are not used. The model is the demo's.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lanewise import models

ROOT = Path(__file__).resolve().parent.parent

_FIRST_STEP = """
import json, sys, time
begin = time.perf_counter()
import lanewise as lw
b = lw.Batch(lw.load(sys.argv[1]), 64)
b.step()
print(json.dumps(time.perf_counter() - begin))
"""

_EVERYTHING = """
import json, time
begin = time.perf_counter()
from lanewise.engine import parts
parts.compile_all()
print(json.dumps(time.perf_counter() - begin))
"""

# what is edited: a loop of the Newton solver goes to n + 0
_EDITED = Path("engine", "solver", "primal", "hessian.py")
_LOOP = re.compile(r"range\((\w+)\):")


@dataclass(frozen=True)
class Startup:
    """Seconds, on all cores."""

    cold: float  # import to first step, nothing compiled before
    everything: float  # all parts in all variants, nothing compiled before
    edited: float  # import to first step, after an edit of a kernel of the solver
    warm: float  # import to first step, with the cache filled
    object_bytes: int  # of all object files
    cores: int = os.cpu_count() or 1


def measure_startup(rounds: int = 3) -> Startup:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(
            ROOT / "lanewise", copy / "lanewise",
            ignore=shutil.ignore_patterns("__pycache__", "kernels"),
        )  # fmt: skip

        def first_step(cache: str) -> float:
            return _run(copy, cache, _FIRST_STEP, str(models.path("humanoid")))

        cold = first_step("cache")
        warm = min(first_step("cache") for _ in range(rounds))
        everything = _run(copy, "other cache", _EVERYTHING)
        size = sum(file.stat().st_size for file in (copy / "other cache").glob("*.o"))
        edit(copy / "lanewise")
        edited = first_step("cache")
    return Startup(cold, everything, edited, warm, size)


def edit(package: Path) -> None:
    """Change the code of one kernel of the solver, and nothing of what it computes."""
    file = package / _EDITED
    text, count = _LOOP.subn(r"range(\1 + 0):", file.read_text(), count=1)
    if not count:
        raise ValueError(f"no loop to edit in {_EDITED}")
    file.write_text(text)


def _run(folder: Path, cache: str, program: str, *arguments: str) -> float:
    """What a program prints that imports the package in a folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder),
        "LANEWISE_CACHE_DIR": str(folder / cache),
        "LANEWISE_KERNELS": "native",
    }
    command = [sys.executable, "-c", program, *arguments]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return json.loads(run.stdout)
