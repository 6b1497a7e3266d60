"""plot a field of a run over time

As a picture with --out (pip install 'lanewise[plot]'), or in the terminal. Components are chosen by
number or by the name of their joint, actuator, sensor or body.

Examples:
  lanewise plot run.zarr qpos
  lanewise plot run.npz qpos --components knee_right,knee_left --worlds 0-15 --out knees.png
  lanewise plot run.npz sensordata --json
"""

import shutil

import click

from ..chosen import worlds_of
from ..options import json_option


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("field", default="qpos")
@click.option(
    "--worlds", default="0", show_default=True, metavar="0,4-7", help="Which worlds, or all."
)
@click.option("--components", default="", metavar="A,B,..", help="Which numbers of the field.")
@click.option("--out", metavar="FILE", help="A picture: .png, .svg or .pdf.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@json_option
def command(run: str, field: str, worlds: str, components: str, out: str | None, force: bool,
            as_json: bool) -> None:  # fmt: skip
    from ...runs.plots import curves, picture
    from ...runs.run_file import open

    given = open(run)
    if given.records < 1:
        raise ValueError(f"nothing was recorded in {run}")
    words = [word.strip() for word in components.split(",") if word.strip()]
    shown = curves(given, field, worlds_of(worlds, given.worlds), words)
    if as_json:
        _print_json(shown)
        return
    if out is not None:
        print(picture(shown, out, force))
    else:
        _print_chart(shown)
    if shown.left_out:
        click.echo(f"{shown.left_out} more components: choose with --components", err=True)


def _print_json(shown) -> None:
    import json

    print(json.dumps({
        "field": shown.field, "unit": shown.unit, "worlds": shown.worlds,
        "components": shown.names, "time": shown.time.tolist(), "values": shown.values.tolist(),
    }))  # fmt: skip


def _print_chart(shown) -> None:
    """In colours on a terminal; elsewhere without, by rich."""
    from rich.console import Console
    from rich.text import Text

    from ...runs.terminal_plot import COLOURS, chart

    size = shutil.get_terminal_size((80, 24))
    console = Console(width=size.columns, highlight=False, soft_wrap=True)
    labelled = shown.labelled()
    height = max(6, min(size.lines - 6, 20))
    unit = f" [{shown.unit}]" if shown.unit else ""
    console.print(Text(f"{shown.field}{unit}", style="bold"))
    for line in chart(shown.time, [values for _, _, values in labelled], size.columns, height):
        text = Text()
        for piece, owner in line:
            text.append(piece, style=COLOURS[owner % len(COLOURS)] if owner >= 0 else "dim")
        text.rstrip()
        console.print(text)
    row = Text()
    for k, (label, _, values) in enumerate(labelled):
        entry = Text("\u2501\u2501 ", style=COLOURS[k % len(COLOURS)])
        entry.append(f"{label} ({values[-1]:.4g})", style="default")
        if row and len(row) + len(entry) + 3 > size.columns:
            console.print(row)
            row = Text()
        row = row.append("   " if row else "").append_text(entry)
    console.print(row)
