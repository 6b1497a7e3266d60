"""From `import lanewise` to the first step, with an empty cache and with a full one."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from lanewise import models

ROOT = Path(__file__).resolve().parent.parent

# one core, as far as the system lets us choose
_PROGRAM = """
import json, os, sys, time
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
begin = time.perf_counter()
import lanewise as lw
m = lw.load(sys.argv[1])
d = lw.Data(m)
lw.step(m, d)
step = time.perf_counter() - begin
from lanewise.engine import parts
if len(sys.argv) > 2:
    begin = time.perf_counter()
    parts.compile_all()
print(json.dumps([step, time.perf_counter() - begin]))
"""


@dataclass(frozen=True)
class Startup:
    """Seconds, on one core."""

    cold: float  # import to first step, nothing compiled before
    warm: float  # the same with the cache filled
    shared: float  # compiling the kernels with model constants
    per_world: float  # compiling those with model fields that differ between worlds
    object_bytes: int  # of both object files


def measure_startup(rounds: int = 3) -> Startup:
    with tempfile.TemporaryDirectory() as cache:
        cold, shared, per_world = _run(cache, "both")
        warm = min(_run(cache)[0] for _ in range(rounds))
        size = sum(file.stat().st_size for file in Path(cache).iterdir())
    return Startup(cold, warm, shared, per_world, size)


def _run(cache: str, *arguments: str) -> list[float]:
    environment = {**os.environ, "LANEWISE_CACHE_DIR": cache}
    command = [sys.executable, "-c", _PROGRAM, str(models.path("pendulum")), *arguments]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr)
    return json.loads(run.stdout)
