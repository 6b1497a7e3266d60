"""Every model of a folder beside MuJoCo's batch: python -m bench.corpus [FOLDER ...]

Without a folder, the models that come with Lanewise. Worlds are scattered and settle as in
bench.contacts; the table has every model that loads in both engines, from the slowest to the
fastest, and which were left out and why. With --stages the slowest ten are taken apart: the stages
that cost most, beside MuJoCo's.

    python -m bench.corpus                        # bundled
    python -m bench.corpus models --bundled       # a folder, with what is below it, and bundled
    python -m bench.corpus models --sensors       # sensors computed and read in both engines
    python -m bench.corpus models --stages --json slow.json
    python -m bench.corpus models others --bundled --write

--write takes each folder for a collection, and puts a line for each into docs/benchmarks.md; on a
machine with AVX-512, also of a second run with the kernels for AVX2.
"""

import argparse
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path

import mujoco

from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table
from lanewise.errors import LanewiseError
from lanewise.lanes import W

from .contacts import HEADS, ContactCase, Timed, cells, geometric_mean, measure_case, settled
from .stages import INTEGRATORS, profile

SLOWEST = 10
STAGES = 4  # shown of each
BUDGET = 6e4  # worlds times steps times dofs of a run, about: large models take few steps
BUNDLED = "the bundled models"
NARROW = "x86-64-v3"  # kernels for machines without AVX-512
WHOLE = ("step", "step1", "step2", "forward", "fwd_position", "fwd_velocity")  # several stages


def files(folders: list[str]) -> list[Path]:
    """Models in folders and below. A robot that a scene beside it includes is left to the scene."""
    found = [f for folder in folders for f in sorted(Path(folder).rglob("*.xml"))]
    found += [Path(name) for name in folders if Path(name).is_file()]
    included = {
        (path.parent / word.split('"')[1]).resolve()
        for path in found
        for word in path.read_text(errors="replace").split("<include file=")[1:]
        if word.count('"') > 1
    }
    return [path for path in found if path.resolve() not in included]


def case_of(model: str, label: str, worlds: int, sensors: bool) -> ContactCase:
    """Large models take fewer steps."""
    file = models.path(model) if model in models.names() else model
    nv = max(1, mujoco.MjModel.from_xml_path(str(file)).nv)
    nstep = max(2, min(50, round(BUDGET / (worlds * nv))))
    return ContactCase(
        model, label, nsim=worlds, nstep=nstep, scatter=0.03, settle=0.5, sensors=sensors,
        anyhow=True,
    )  # fmt: skip


def all_cases(folders: list[str], bundled: bool, worlds: int, sensors: bool):
    """(collection, label, case or what MuJoCo says against the model)"""
    named = [(BUNDLED, n, n) for n in models.names()] if bundled or not folders else []
    for folder in folders:
        of = Path(os.path.abspath(folder)).name
        named += [(of, str(path), str(Path(*path.parts[-2:]))) for path in files([folder])]
    for of, model, label in named:
        try:
            yield of, label, case_of(model, label, worlds, sensors)
        except ValueError as error:
            yield of, label, str(error).strip().splitlines()[0]


def dearest(row: Timed) -> list[tuple]:
    """(stage, microseconds in Lanewise, in MuJoCo) of what costs most in one model."""
    case = dataclasses.replace(row.case, nsim=W)
    with measure.mujoco_clock(False):
        stages = profile(case.load(), settled(case).state)
    both = [row for row in stages if row[2] is not None and row[0] not in (*WHOLE, *INTEGRATORS)]
    return sorted(both, key=lambda stage: -stage[1])[:STAGES]


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m bench.corpus", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("folder", nargs="*", help="folders of MJCF files, or files")
    parser.add_argument("--bundled", action="store_true", help="the bundled models too")
    parser.add_argument("--sensors", action="store_true", help="sensors computed and read")
    parser.add_argument("--stages", action="store_true", help="the slowest, stage by stage")
    parser.add_argument("--worlds", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="a file for the numbers")
    parser.add_argument("--collections", type=Path, help=argparse.SUPPRESS)  # ratios, for --write
    parser.add_argument("--write", action="store_true", help="fill docs/benchmarks.md")
    arguments = parser.parse_args()
    missing = [name for name in arguments.folder if not Path(name).exists()]
    if missing:
        parser.error(f"there is no {missing[0]}")
    warnings.simplefilter("ignore", RuntimeWarning)  # a world of some that blows up
    mujoco.set_mju_user_warning(lambda message: None)
    rows: list[Timed] = []
    collections: dict[str, list[float]] = defaultdict(list)
    for of, label, case in all_cases(
        arguments.folder, arguments.bundled, arguments.worlds, arguments.sensors
    ):
        said = case
        if isinstance(case, ContactCase):
            try:
                rows.append(measure_case(case, arguments.rounds))
                collections[of].append(rows[-1].ratio)
                said = f"ratio {rows[-1].ratio:.2f}"
            except (LanewiseError, RuntimeError, mujoco.FatalError) as error:
                said = f"left out: {str(error).strip().splitlines()[0]}"
        print(f"{label}: {said}", flush=True)
    if not rows:
        print("no model was measured")
        return 1
    rows.sort(key=lambda row: row.ratio)
    print(table([cells(row) for row in rows], HEADS))
    ratios = [row.ratio for row in rows]
    print(
        f"{len(rows)} models, geometric mean of the ratios {geometric_mean(ratios):.2f}, median"
        f" {ratios[len(ratios) // 2]:.2f}, below 1.5: {sum(r < 1.5 for r in ratios)}"
    )
    slow = {row.case.name: dearest(row) for row in rows[:SLOWEST]} if arguments.stages else {}
    if slow:
        shown = [
            (name, stage, f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.1f}" if ours else "-")
            for name, stages in slow.items()
            for stage, ours, theirs in stages
        ]  # fmt: skip
        print(table(shown, ("slowest", "stage", "Lanewise, us", "MuJoCo, us", "ratio")))
    if arguments.json:
        numbers = [
            {"model": row.case.name, "nv": row.worlds.mj.nv, "contacts": row.worlds.ncon,
             "rows": row.worlds.nefc, "iterations": row.worlds.niter, "lanewise": row.lanewise,
             "mujoco": row.mujoco, "ratio": row.ratio, "difference": row.apart,
             "stages": slow.get(row.case.name, [])}
            for row in rows
        ]  # fmt: skip
        arguments.json.write_text(json.dumps(numbers, indent=1) + "\n")
    if arguments.collections:
        arguments.collections.write_text(json.dumps(collections))
    if arguments.write:
        write(collections)
    return 0


def of_narrow() -> dict[str, list[float]]:
    """The ratios by collection of the same run with kernels for AVX2."""
    words = [word for word in sys.argv[1:] if word != "--write"]
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "ratios.json"
        subprocess.run(
            [sys.executable, "-m", "bench.corpus", *words, "--collections", str(found)],
            env={**os.environ, "LANEWISE_KERNELS": NARROW}, check=True,
        )  # fmt: skip
        return json.loads(found.read_text())


def write(collections: dict[str, list[float]]) -> None:
    """The lines of docs/benchmarks.md"""
    from . import report  # which has this table, too

    narrow = of_narrow() if "avx512f" in report.features() else {}
    heads = ["collection", "models", "mean ratio", "least"]
    heads += ["mean with AVX2 kernels", "least"] if narrow else []
    rows = []
    for of, ratios in collections.items():
        cells = [of, str(len(ratios))]
        for numbers in (ratios, narrow[of]) if narrow else (ratios,):
            cells += [f"{geometric_mean(numbers):.2f}", f"{min(numbers):.2f}"]
        rows.append(tuple(cells))
    block = f"One thread of {report.machine()}:\n\n{report.markdown_table(tuple(heads), rows, 1)}"
    page = report.DOCS / "benchmarks.md"
    page.write_text(report.fill(page.read_text(), block, report.COLLECTIONS))


if __name__ == "__main__":
    raise SystemExit(main())
