"""compare a model with MuJoCo: can it be trusted for this robot?

Everything that both compute is compared, each part from MuJoCo's own data, in states where things
touch: stages field by field, contacts, constraint rows, the solver, the model's sensors, functions,
steps with every integrator, a rollout, a batch. Differences are relative to the largest number of a
field, or to one if that is larger. Where MuJoCo's own answer moves as far when its state is nudged
by 1e-15 to 1e-10, a difference says nothing: such states are counted as undecided.

The exit status is 0 if all that was decided is the same, and 1 otherwise.

Examples:
  lanewise check humanoid
  lanewise check robot.xml --fields
  lanewise check robot.xml --states 64 --seed 1 --json
"""

import json
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ..options import Count, json_option, model_argument, model_path
from ..terminal import console, in_words, say

if TYPE_CHECKING:
    from ..parity import Finding, Findings

NOUNS = {
    "function": ("function",),
    "geometry": ("kind of pair", "kinds of pairs"),
    "sensor": ("kind of sensor", "kinds of sensors"),
}
COLOURS = {"same": "green", "different": "bold red", "undecided": "yellow"}


@click.command()
@model_argument
@click.option(
    "--states", type=Count(10_000), default=16, show_default=True, help="In how many states."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Draws other states.")
@click.option("--fields", is_flag=True, help="A line for every field, sensor and function.")
@json_option
def command(model: str, states: int, seed: int, fields: bool, as_json: bool) -> int:
    import mujoco

    from ...loaders import heard, load
    from ..parity import examine

    m = load(model_path(model))
    status = console(sys.stderr).status(f"comparing {model} with MuJoCo")
    with status, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of states that go bad, which are left out
        with heard():
            found = examine(m.mj, states, seed, lambda part: status.update(f"comparing: {part}"))
    good = bool(found.rows) and not found.different
    if as_json:
        facts = {
            "model": model, "mujoco": mujoco.__version__, "states": states, "seed": seed,
            "verdict": _verdict(found), "same": good, "contact_pairs": found.contacts,
            "notes": found.notes, "findings": [row.as_dict() for row in found.rows.values()],
        }  # fmt: skip
        print(json.dumps(facts, indent=2))
    else:
        _show(found, fields)
        colour = COLOURS["same" if good else "different"]
        say(console(), f"\n{model}: {_verdict(found)}", colour)
    return 0 if good else 1


def _verdict(found: "Findings") -> str:
    import mujoco

    if not found.rows:
        return "not compared, because MuJoCo's own simulation of it goes bad"
    number, decided = len(found.rows), [r for r in found.rows.values() if r.verdict != "undecided"]
    if found.different:
        worst = max(found.different, key=lambda row: row.different / row.worlds)
        return (
            f"differs from MuJoCo {mujoco.__version__} in {len(found.different)} of {number}"
            f" comparisons, such as {worst.name} ({worst.part}, {worst.place}) in"
            f" {worst.different} of {in_words(worst.worlds, 'state')}"
        )
    open_ones = number - len(decided)
    rest = f"; {open_ones} cannot be decided, MuJoCo's own answers move as far" if open_ones else ""
    return (
        f"the same as MuJoCo {mujoco.__version__} on this machine, in {len(decided)} of {number}"
        f" comparisons{rest}"
    )


def _show(found: "Findings", by_field: bool) -> None:
    from rich.table import Table

    out = console()
    for note in found.notes:
        say(out, f"note: {note}", "yellow")
    if found.contacts:
        counted = ", ".join(f"{n:,} {verdict}" for verdict, n in found.contacts.items())
        out.print(f"contacts of pairs of geoms: {counted}\n")
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("", "what", "worst"):
        grid.add_column(head, no_wrap=True)
    for head, width in (("apart", 7), ("within", 6), ("cases", 5), ("undecided", 9)):
        grid.add_column(head, no_wrap=True, justify="right", min_width=width)
    grid.add_column("verdict", no_wrap=True, min_width=9)
    for part in found.parts:
        grid.add_row(f"[bold]{part}[/]")
        for cells, verdict in _lines(found.of(part), by_field):
            grid.add_row(*cells, f"[{COLOURS[verdict]}]{verdict}[/]")
    if found.rows:
        out.print(grid)
    for row in found.different:
        for note in row.notes:
            say(out, f"{row.part}, {row.name}: {note}", "red")


def _lines(rows: "list[Finding]", by_field: bool) -> Iterator[tuple[tuple[str, ...], str]]:
    """(cells, verdict) of every line of a part: a place, or each of its fields."""
    for place in dict.fromkeys(row.place for row in rows):
        group = [row for row in rows if row.place == place]
        for line in [[row] for row in group] if by_field else [group]:
            worst = max(line, key=lambda row: row.largest)
            verdicts = {row.verdict for row in line}
            verdict = next(v for v in ("different", "same", "undecided") if v in verdicts)
            yield (
                f"  {place}", in_words(len(line), *NOUNS.get(place, ("field",))), worst.name,
                f"{worst.largest:.1e}" if worst.largest else "0",
                f"{worst.tolerance:.0e}" if worst.tolerance else "0",
                f"{sum(row.worlds for row in line):,}",
                str(sum(row.undecided for row in line) or ""),
            ), verdict  # fmt: skip
