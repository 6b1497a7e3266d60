"""a stage of USD: units, bodies, joints, drives, and what a model of it would not have

What the model would not have, or not quite, is listed; if the stage cannot be loaded, the exit
status is 1.

Examples:
  lanewise usd info robot.usda
  lanewise usd info robot.usdz --json
"""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..options import json_option
from ..terminal import console, in_words, say

if TYPE_CHECKING:
    from rich.console import Console


@click.command()
@click.argument("action", type=click.Choice(("info",)))
@click.argument("file", type=click.Path())
@json_option
def command(action: str, file: str, as_json: bool) -> int:
    from ...errors import ModelError
    from ...loaders.compiling import USD, check_file
    from ...loaders.free_memory import available
    from ...usd import open_stage, overview

    path = Path(file)
    check_file(path, repr(file), empty=not file)
    if path.suffix.lower() not in USD:
        raise ModelError(f"{file!r} is no USD by its name: it ends with one of {', '.join(USD)}")
    facts, findings = overview(open_stage(path, repr(file), available()))
    if as_json:
        print(json.dumps({"file": file, **_plain(facts)}, indent=2))
    else:
        _show(console(), file, facts)
    return 1 if findings.stops else 0


def _plain(value: Any) -> Any:
    """Infinite numbers as null, which JSON has none of."""
    if isinstance(value, dict):
        return {name: _plain(x) for name, x in value.items()}
    if isinstance(value, list):
        return [_plain(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _show(out: "Console", file: str, facts: dict[str, Any]) -> None:
    said = {True: "", False: " (not said: USD's own)"}
    say(
        out,
        f"up axis        {facts['up']}{said[facts['up_said']]}\n"
        f"a unit is      {facts['metres_per_unit']:g} m{said[facts['metres_said']]},"
        f" {facts['kilograms_per_unit']:g} kg\n"
        f"gravity        {', '.join(f'{x:g}' for x in facts['gravity'])} m/s^2, z up\n"
        f"layers         {len(facts['layers'])}, {in_words(facts['prims'], 'prim')},"
        f" {in_words(len(facts['instances']), 'instance')}\n"
        f"bodies         {len(facts['bodies'])}\n"
        f"joints         {_counted(facts['joints'])}\n"
        f"shapes         {_counted(facts['shapes'])} collide; {facts['drawn']} in all",
    )
    for root in facts["articulation_roots"]:
        say(out, f"articulation   {root['path']}, on {root['on']}")
    for variant in facts["variants"]:
        choices = ", ".join(variant["choices"])
        chosen = variant["chosen"] or "none"
        say(out, f"variants       {variant['path']} {variant['set']}: {chosen}, of {choices}")
    _drives(out, facts["drives"])
    for what, places in facts["named"].items():
        say(out, f"note           {what}: {_some(places)}", "yellow")
    for kind in ("mistakes", "refused"):
        for what, places in facts[kind].items():
            say(out, f"{kind:<15}{what}: {_some(places)}", "bold red")
    if facts["mistakes"] or facts["refused"]:
        say(out, f"{file} cannot be loaded", "bold red")
    else:
        say(out, f"{file} can be loaded", "green")


def _counted(numbers: dict[str, int]) -> str:
    words = (f"{n} {name.removeprefix('Physics')}" for name, n in sorted(numbers.items()))
    return ", ".join(words) or "none"


def _some(places: list[str], most: int = 4) -> str:
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return ", ".join(places[:most]) + more


def _drives(out: "Console", drives: list[dict[str, Any]]) -> None:
    """A line for every drive, in the units of the stage."""
    if not drives:
        return
    from rich.markup import escape
    from rich.table import Table

    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("drive, in units of the stage", no_wrap=True)
    for head in ("along", "type", "stiffness", "damping", "max force", "target"):
        grid.add_column(head, justify="right" if head not in ("along", "type") else "left")
    for drive in drives:
        numbers = (f"{drive[x]:g}" for x in ("stiffness", "damping", "max_force", "target"))
        grid.add_row(escape(drive["path"]), drive["along"], drive["type"], *numbers)
    out.print(grid)
