"""Compile the kernels of all variants for common machines: what a wheel brings along.

Writes lanewise/kernels/MACHINE/VARIANT-PART.o, and lanewise/kernels/sources with the digest of the
sources. lanewise/lanes/prebuilt.py reads them. The processor of this computer does not matter, and
objects of the same sources are not made again.
"""

import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # these sources, wherever lanewise is installed from

from lanewise.engine.parts import VARIANTS, library  # noqa: E402
from lanewise.lanes import quick_calls  # noqa: E402
from lanewise.lanes.machine import COMMON, search_less  # noqa: E402
from lanewise.lanes.prebuilt import FOLDER, made_of, source_digest  # noqa: E402


def objects() -> list[Path]:
    """Every object that there should be."""
    names = [f"{v}-{part}" for v in VARIANTS for part in library(v).parts]
    files = [FOLDER / machine.name / f"{name}.o" for machine in COMMON for name in names]
    return files + [FOLDER / machine.name / f"{quick_calls.NAME}.o" for machine in QUICK]


# machines on which compiled functions are builtins of Python: see lanes/quick_calls.py
QUICK = [machine for machine in COMMON if machine.architecture == "x86_64"]


def build(variant: str, part: str, architecture: str) -> None:
    """One part for all machines of an architecture, which have the same text."""
    machines = [machine for machine in COMMON if machine.architecture == architecture]
    text = library(variant).text(part, machines[0])
    for machine in machines:
        (FOLDER / machine.name / f"{variant}-{part}.o").write_bytes(
            machine.assemble(text, strict=True)
        )


def build_all(digest: str) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    for machine in COMMON:
        (FOLDER / machine.name).mkdir(parents=True)
    architectures = sorted({machine.architecture for machine in COMMON})
    tasks = [(v, part, a) for v in VARIANTS for part in library(v).parts for a in architectures]
    spawn = get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), spawn, initializer=search_less) as pool:
        for machine in QUICK:
            file = FOLDER / machine.name / f"{quick_calls.NAME}.o"
            file.write_bytes(machine.assemble(quick_calls.TEXT))
        for done in as_completed([pool.submit(build, *task) for task in tasks]):
            done.result()
    # last: without it nothing of the folder is used
    (FOLDER / "sources").write_text(digest + "\n")


def main() -> None:
    digest = source_digest(ROOT / "lanewise")
    if made_of(digest) and all(file.is_file() for file in objects()):
        print("kernels for the wheel are those of these sources")
        return
    start = time.perf_counter()
    build_all(digest)
    files = objects()
    size = sum(file.stat().st_size for file in files) / 1e6
    took = time.perf_counter() - start
    print(f"kernels for the wheel: {len(files)} objects, {size:.1f} MB, in {took:.0f} s")


if __name__ == "__main__":
    main()
