"""Run every case, print the tables, write docs/benchmarks.md, its plot and the README's figures.

python -m bench            everything, a few minutes
python -m bench --quick    fewer rounds and steps, nothing written
"""

import argparse
import dataclasses

from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import Bar

from . import contacts, conventions, derivatives, report, single, startup, worlds
from .cases import CASES, HEADLINE, Case


def measure_case(case: Case, rounds: int) -> report.Row:
    starts = measure.Worlds.scattered(case.load(), case.nsim)
    names = [n for n in report.NAMES if case.nthread == 1 or n != "mj_step loop"]
    off = measure.compare(starts, case.nstep, case.nthread, names, rounds)
    on = measure.compare(
        starts, case.nstep, case.nthread, ["lanewise", "mujoco.batch"], rounds, clock=True
    )
    return report.Row(case, off, on)


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds and steps, nothing written"
    )
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    cases = [
        dataclasses.replace(c, nstep=max(5, c.nstep // 10)) if arguments.quick else c for c in CASES
    ]
    rounds = 2 if arguments.quick else arguments.rounds
    number = len(cases) + len(contacts.CASES) + len(models.names()) + len(derivatives.CASES)
    bar = Bar(number + 5, "measuring")
    rows = []
    for case in cases:
        rows.append(measure_case(case, rounds))
        bar.advance(1, f"{case.model} {case.nsim} worlds: ratio {rows[-1].off.ratio():.2f}")
    touching = []
    for contact_case in contacts.CASES:
        touching.append(contacts.measure_case(contact_case, rounds))
        bar.advance(1, f"{contact_case.name}: ratio {touching[-1].ratio:.2f}")
    alone = []
    for name in models.names():
        alone.append(single.measure_single(name, 50 if arguments.quick else 400, rounds))
        bar.advance(1, f"one world of {name}: ratio {alone[-1].ratio:.2f}")
    slopes = []
    for slope_case in derivatives.CASES:
        slopes.append(derivatives.measure_case(slope_case, 2 * rounds))
        bar.advance(1, f"{slope_case.name}: ratio {slopes[-1].ratio:.2f}")
    if arguments.quick:
        print(report.table([report.cells(row) for row in rows], report.HEADS))
        print(report.table([contacts.cells(row) for row in touching], contacts.HEADS))
        print(report.table([single.cells(row) for row in alone], single.HEADS))
        print(report.table([derivatives.cells(row) for row in slopes], derivatives.HEADS))
        return
    growth = tuple(contacts.measure_growths())
    bar.advance(1, "free bodies")
    scaling = worlds.two_threads_over_one(HEADLINE, 3 * rounds)
    bar.advance(1, "two threads")
    memory = {"pendulum": worlds.bytes_per_world("pendulum", 100_000),
              "humanoid": worlds.bytes_per_world("humanoid", 16_384)}  # fmt: skip
    bar.advance(1, "memory")
    million = worlds.million_pendulums()
    bar.advance(1, "a million worlds")
    started = startup.measure_startup()
    bar.advance(1, "cold and warm start")
    findings = report.Findings(
        tuple(rows), started, memory, million, tuple(alone), scaling, tuple(touching), growth,
        tuple(slopes),
    )  # fmt: skip
    print(report.terminal(findings))
    (report.DOCS / "benchmarks.md").write_text(report.markdown(findings))
    report.plot(findings, report.DOCS / "benchmarks.svg")
    conventions.write()
    readme = report.DOCS.parent / "README.md"
    readme.write_text(report.fill(readme.read_text(), report.readme_block(findings)))


if __name__ == "__main__":
    main()
