"""What was measured, as a table on the terminal, docs/benchmarks.md and docs/benchmarks.svg."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from lanewise.cli.measure import Measured
from lanewise.cli.terminal import table

from . import contacts, derivatives, single
from .cases import Case
from .startup import Startup

DOCS = Path(__file__).resolve().parent.parent / "docs"
NAMES = ("lanewise", "mujoco.batch", "mujoco.rollout", "mj_step loop")


@dataclass(frozen=True)
class Row:
    """A case with MuJoCo's clock callback removed, and as MuJoCo comes."""

    case: Case
    off: Measured
    on: Measured


@dataclass(frozen=True)
class Findings:
    """Everything of one run."""

    rows: tuple[Row, ...]
    startup: Startup
    memory: dict[str, tuple[float, int]]  # model -> bytes per world, bytes of its state row
    million: float  # seconds for ten steps of a million pendulums
    alone: tuple[single.Single, ...]  # one world of each bundled model
    scaling: float  # two threads over one, on the headline case
    touching: tuple[contacts.Timed, ...] = ()
    growth: tuple[contacts.Growth, ...] = ()
    slopes: tuple[derivatives.Timed, ...] = ()


def processor() -> str:
    """The processor's name, as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def features() -> str:
    import llvmlite.binding as llvm

    found = llvm.get_host_cpu_features()
    return ", ".join(name for name in ("avx2", "fma", "avx512f", "neon", "sve") if found.get(name))


HEADS = (
    "model", "options", "worlds", "steps", "threads", *NAMES,
    "ratio", "ratio, clock on", "difference",
)  # fmt: skip


def cells(row: Row) -> tuple:
    case, off = row.case, row.off
    return (
        case.model, case.describe(), case.nsim, case.nstep, case.nthread,
        *[f"{off.microseconds(name):.3f}" if name in off.seconds else "" for name in NAMES],
        f"{off.ratio():.2f}", f"{row.on.ratio():.2f}", f"{off.apart:.0e}",
    )  # fmt: skip


def terminal(findings: Findings) -> str:
    parts = [table([cells(row) for row in findings.rows], HEADS)]
    if findings.touching:
        parts.append(table([contacts.cells(row) for row in findings.touching], contacts.HEADS))
        parts.append(mean_line(findings))
    parts.append(table([single.cells(row) for row in findings.alone], single.HEADS))
    parts.append(single.mean_line(findings.alone))
    if findings.growth:
        rows = [contacts.growth_cells(row) for row in findings.growth]
        parts.append(table(rows, contacts.GROWTH_HEADS))
    rows = [derivatives.cells(row) for row in findings.slopes]
    parts.append(table(rows, derivatives.HEADS))
    parts.append("\n".join(f"{a:<46}{b}" for a, b in facts(findings)))
    return "\n\n".join(parts)


def mean_line(findings: Findings) -> str:
    rows = list(findings.touching)
    least = min(rows, key=lambda row: row.ratio)
    return (
        f"Geometric mean of the ratios, each model counted once: {contacts.group_mean(rows):.2f}."
        f" The least is {least.ratio:.2f}, {least.case.name}."
    )


def facts(findings: Findings) -> list[tuple[str, str]]:
    startup = findings.startup
    out = [
        ("two threads over one (humanoid, 4096 worlds)", f"{findings.scaling:.2f}"),
        ("warm: import to first step", f"{startup.warm:.2f} s"),
        ("cold: the same with an empty cache", f"{startup.cold:.1f} s on {startup.cores} cores"),
        ("after an edit of a kernel of the solver", f"{startup.edited:.1f} s"),
        ("compiling everything, all variants", f"{startup.everything:.1f} s"),
        ("everything compiled, on disk", f"{startup.object_bytes / 1e6:.1f} MB"),
    ]
    for name, (used, row) in findings.memory.items():
        out.append((f"memory per world, {name}", f"{used:.0f} bytes (state row {row} bytes)"))
    text = f"{findings.million:.2f} s on one thread"
    out.append(("a million pendulums, ten steps", text))
    return out


def _line(items) -> str:
    return "| " + " | ".join(map(str, items)) + " |"


def markdown_table(heads, rows, left: int) -> str:
    """A table of Markdown whose first columns are words, the others numbers."""
    marks = ["---"] * left + ["---:"] * (len(heads) - left)
    return "\n".join([_line(heads), _line(marks), *map(_line, rows)])


def markdown(findings: Findings) -> str:
    body = markdown_table(HEADS, [cells(row) for row in findings.rows], 2)
    other = markdown_table(("what", "measured"), [(a.strip(), b) for a, b in facts(findings)], 2)
    touched, grown = "", ""
    if findings.touching:
        rows = [contacts.cells(row) for row in findings.touching]
        touched = markdown_table(contacts.HEADS, rows, 1) + "\n\n" + mean_line(findings)
    if findings.growth:
        rows = [contacts.growth_cells(row) for row in findings.growth]
        grown = markdown_table(contacts.GROWTH_HEADS, rows, 0)
    rows = [single.cells(row) for row in findings.alone]
    lone = markdown_table(single.HEADS, rows, 1) + "\n\n" + single.mean_line(findings.alone)
    slopes = "\n".join((SLOPES[0], slopes_block(findings.slopes), SLOPES[1]))
    return TEXT.format(
        machine=machine(), cores=os.cpu_count(),
        python=platform.python_version(),
        mujoco=version("mujoco-core"), llvmlite=version("llvmlite"), table=body, facts=other,
        contacts=touched, growth=grown, single=lone, slopes=slopes,
        conversions="\n".join(CONVERSIONS), peers=kept(PEERS), worlds=kept(WORLDS),
        collections=kept(COLLECTIONS),
    )  # fmt: skip


def machine() -> str:
    return f"{processor()} ({features()})"


def slopes_block(rows: Sequence[derivatives.Timed]) -> str:
    """The table of derivatives, which may come from another run than the rest of the page."""
    found = markdown_table(derivatives.HEADS, [derivatives.cells(row) for row in rows], 2)
    return f"One thread of {machine()}:\n\n{found}"


TEXT = """<!-- written by `make bench` -->
# Benchmarks

{machine}, {cores} threads; Python {python}, MuJoCo {mujoco}, llvmlite {llvmlite}.

Times are the best of several rounds in which the engines took turns in one process, on one thread
unless a table says otherwise. Models are the bundled ones.

Importing `mujoco` in Python installs a clock callback that MuJoCo calls in every step. The times
here are without it (the library's `mjcb_time` set to NULL), and **ratio**, the speed of Lanewise
over `mujoco.batch`, is what we claim. "Ratio, clock on" is what a Python program sees that leaves
the callback in place.

`mujoco.rollout` records the state of every step, which the others do not. The `mj_step` loop goes
over the worlds in Python and takes all steps of a world in one call; it has one thread always.

`python -m bench.corpus FOLDER` makes such a table of any folder of models, the slowest first;
`--sensors` has sensors read, and `--stages` takes the slowest ten apart. `python -m bench.convex`
has meshes, height fields and other shapes without a formula: the step, and collision by itself.

## Things that touch

Worlds were scattered and simulated until things rest on each other. Both engines start from these
states, warm start included, and take the same steps with the options of the model, tolerances too.
Contacts, rows and iterations are MuJoCo's, per world. `difference` is the median over the worlds of
how far apart both engines end.

{contacts}

## Collections of models

`python -m bench.corpus FOLDER ... --bundled --write`, of the bundled models and of those inside
packages on PyPI, unpacked: every model that both engines load, 64 worlds each. Ratios are geometric
means and the least of a collection.

{collections}

## One world

The bundled models, as their authors made them, a second after their first keyframe; one world in a
`Data` and an `MjData`, the same steps in one call, `lw.step(m, d, n)` and `mj_step(m, d, n)`, and
one by one from a loop in Python. `difference` is how far apart both engines are after ten steps.

{single}

## Few worlds, and many

`python -m bench.worlds` takes single steps, `b.step()` from a loop in Python, of models as their
authors made them; times are of a call, for all its worlds together. "Beside the physics" is what a
call takes more than a step in a call of many.

{worlds}

## Heaps

Free bodies of five shapes in a heap, one world alone and eight worlds in a gang, times per world:

{growth}

## Derivatives

Finite differences of a step and of inverse dynamics with the same nudges, of worlds that were
scattered and have settled: `lw.transition_fd` and `Batch.transition_fd` beside `mjd_transitionFD`,
`inverse_fd` beside `mjd_inverseFD`, microseconds of the processor per world. `difference` is the
median over worlds of that of the derivatives, relative to the largest number of an array.

{slopes}

## Smooth dynamics

Constraints are disabled in all engines. All columns between "threads" and "ratio" are microseconds
per world and step, from the same scattered states and with constant controls. `difference` is the
largest relative difference between the coordinates where Lanewise and `mujoco.batch` end.

{table}

![Speed relative to mujoco.batch](benchmarks.svg)

## Beside the speed of a batch

{facts}

Start-up is that of the demo's model, a `Batch` of humanoids, in a fresh process on all cores, with
kernels compiled here. "Memory per world" is what a further world of a `Batch` allocates, seen by
`tracemalloc`.

## Other engines

`python -m bench.peers` runs engines in turns on the same core: the same model, states and steps, in
processes and environments of their own. MJX and MuJoCo Warp are made for accelerators, and compute
in float32 as they come: this is what they do on a processor. `difference` is the median over the
worlds of how far each ends from `mujoco.batch`; the first call compiles.

![Microseconds per world and step on one core](peers.svg)

{peers}

## Conventions

{conversions}
"""


SLOPES = ("<!-- written by `python -m bench.derivatives` -->", "<!-- end of derivatives -->")
CONVERSIONS = ("<!-- written by `python -m bench.conventions` -->", "<!-- end of conversions -->")
WORLDS = ("<!-- written by `python -m bench.worlds --write` -->", "<!-- end of worlds -->")
COLLECTIONS = (
    "<!-- written by `python -m bench.corpus --write` -->",
    "<!-- end of collections -->",
)
PEERS = ("<!-- written by `python -m bench.peers` -->", "<!-- end of peers -->")
MARKS = ("<!-- figures written by `make bench` -->", "<!-- end of figures -->")


def readme_block(findings: Findings) -> str:
    """The figures of the README: one thread, the clock callback removed."""
    lines = [
        "| model | worlds | Lanewise, us per step | `mujoco.batch`, us per step | ratio |",
        "|---|---:|---:|---:|---:|",
    ]
    for timed in findings.touching:
        lines.append(
            f"| {timed.case.name} | {timed.case.nsim} | {timed.lanewise:.1f} |"
            f" {timed.mujoco:.1f} | {timed.ratio:.1f} |"
        )
    for row in findings.rows:
        case, off = row.case, row.off
        if case.nthread == 1 and not case.options:
            ours, theirs = off.microseconds("lanewise"), off.microseconds("mujoco.batch")
            lines.append(
                f"| {case.model}, no contacts | {case.nsim} | {ours:.2f} | {theirs:.2f} |"
                f" {off.ratio():.1f} |"
            )
    startup, alone = findings.startup, single.mean(findings.alone)
    lines += [
        "",
        f"One thread of {machine()}; first worlds that rest in contact, then"
        f" smooth dynamics with constraints disabled in both. Two threads are"
        f" {findings.scaling:.2f} times one. A world alone is {alone:.1f} times"
        f" as fast as `mj_step`, the geometric mean over the bundled models. The first step takes"
        f" {startup.cold:.0f} s on {startup.cores} cores, to compile; later processes take"
        f" {startup.warm:.1f} s from import to first step.",
    ]
    return "\n".join(lines)


def kept(marks: tuple[str, str], page: Path = DOCS / "benchmarks.md") -> str:
    """What stands between marks of the page as it is, and the marks."""
    _, found, rest = page.read_text().partition(marks[0])
    block, end, _ = rest.partition(marks[1])
    return f"{marks[0]}{block}{marks[1]}" if found and end else "\n".join(marks)


def fill(text: str, block: str, marks: tuple[str, str] = MARKS) -> str:
    """A page with what stands between the marks replaced."""
    before, _, rest = text.partition(marks[0])
    _, mark, after = rest.partition(marks[1])
    if not mark:
        raise ValueError(f"no marks {marks[0]} ... {marks[1]} in the page")
    return f"{before}{marks[0]}\n{block}\n{marks[1]}{after}"


def plot(findings: Findings, path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lanewise"
    import matplotlib.pyplot as plt

    rows = [row for row in findings.rows if row.case.nthread == 1]
    colors = {"lanewise": "#c8452d", "mujoco.batch": "#3d5a80", "mujoco.rollout": "#7d9bbf",
              "mj_step loop": "#b9c9dc"}  # fmt: skip
    fig, ax = plt.subplots(figsize=(9, 0.75 * len(rows) + 1.2))
    height = 0.8 / len(NAMES)
    for k, name in enumerate(NAMES):
        places = [i + (k - 1.5) * height for i in range(len(rows))]
        values = [row.off.rate(name) / row.off.rate("mujoco.batch") for row in rows]
        ax.barh(places, values, height, color=colors[name], label=name)
        for place, value, row in zip(places, values, rows, strict=True):
            text = f" {row.off.microseconds(name):.2f} us"
            ax.text(value, place, text, va="center", fontsize=6.5)
    labels = [f"{r.case.model}, {r.case.nsim} worlds\n{r.case.describe()}" for r in rows]
    ax.set_yticks(range(len(rows)), labels, fontsize=8)
    ax.invert_yaxis()
    ax.axvline(1.0, color="#666666", lw=0.8, ls=":")
    ax.set_xlabel("speed relative to mujoco.batch; one thread, constraints disabled")
    ax.legend(frameon=False, fontsize=8, loc="upper right")
    ax.spines[["top", "right"]].set_visible(False)
    fig.tight_layout()
    fig.savefig(path, metadata={"Date": None})
    plt.close(fig)
