"""speed on a model beside mujoco.batch, over worlds and threads

The same model, the same states, the same steps, in one process. Engines take turns and the best of
three rounds counts. Sensors are off, and so is the clock callback that importing MuJoCo installs.
Without --steps, a round has as many as take a fifth of a second.

Examples:
  lanewise bench humanoid
  lanewise bench robot.xml --worlds 256,4096 --threads 1,8 --steps 100
  lanewise bench robot.xml --all                with mujoco.rollout and a loop over mj_step
  lanewise bench robot.xml --plot speed.png
"""

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from ..options import MOST_THREADS, Count, check_memory, json_option, model_argument, model_path
from ..terminal import console, table

if TYPE_CHECKING:
    from ..sweep import Point

CORES = os.cpu_count() or 1


class Counts(Count):
    """Whole numbers from 1, with commas between them."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The numbers, each once, in their order."""
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        return tuple(dict.fromkeys(Count.convert(self, word, param, ctx) for word in words))


@click.command()
@model_argument
@click.option(
    "--worlds", type=Counts(), default="16,128,1024", show_default=True, help="Numbers of worlds."
)
@click.option(
    "--threads", type=Counts(MOST_THREADS), default=",".join(map(str, sorted({1, CORES}))),
    show_default=True, help="Numbers of threads.",
)  # fmt: skip
@click.option("--steps", type=Count(), help="Steps in a round.")
@click.option("--smooth", is_flag=True, help="Disable all constraints.")
@click.option("--all", "everybody", is_flag=True, help="Time mujoco.rollout and mj_step too.")
@click.option("--plot", metavar="FILE", help="Draw a picture: png, svg or pdf.")
@json_option
def command(
    model: str, worlds: tuple[int, ...], threads: tuple[int, ...], steps: int | None, smooth: bool,
    everybody: bool, plot: str | None, as_json: bool,
) -> None:  # fmt: skip
    from ...loaders import heard
    from .. import measure
    from ..extras import need
    from ..sweep import picture, sweep

    if plot:
        need("matplotlib", "--plot", "plot")  # before minutes are spent
        _check_writable(plot)
    names = tuple(measure.RUNNERS) if everybody else ("lanewise", "mujoco.batch")
    with heard():  # MuJoCo runs too
        mj = (measure.unconstrained if smooth else measure.authored)(model_path(model))
        each = measure.bytes_each(mj)
        if everybody:
            each += measure.bytes_each_recorded(mj, steps or 1)
        check_memory(max(worlds), each, "a recorded rollout" if everybody else "two batches")
        status = console(sys.stderr).status("measuring")
        with status:
            tell = lambda text: status.update(f"measuring {text}")  # noqa: E731
            points = list(sweep(mj, worlds, threads, steps, names, tell))
    if as_json:
        facts = {"model": model, "smooth": smooth, "points": [p.as_dict() for p in points]}
        print(json.dumps(facts, indent=2))
    else:
        _show(model, mj, smooth, points)
    if plot:
        picture(points, f"{model} on {CORES} cores", plot)
        print(f"wrote {plot}", file=sys.stderr)


def _check_writable(path: str) -> None:
    with open(path, "ab"):
        pass


def _show(model: str, mj: Any, smooth: bool, points: "list[Point]") -> None:
    from rich.text import Text

    from ..sweep import bars

    print(
        f"{model}: {mj.nv} degrees of freedom, {1e3 * mj.opt.timestep:g} ms,"
        f" {'constraints disabled' if smooth else 'contacts, limits and all'}; {CORES} cores"
    )
    names = list(points[0].measured.seconds)
    rows = [
        (
            f"{point.worlds} x {point.threads}", str(point.steps),
            *(f"{point.measured.rate(name):,.0f}" for name in names),
            f"{point.measured.microseconds('lanewise'):.3f}", f"{point.measured.ratio():.2f}",
            f"{point.measured.apart:.0e}",
        )
        for point in points
    ]  # fmt: skip
    heads = ("worlds x threads", "steps", *names, "us per step", "faster by", "apart")
    print(table(rows, heads))
    print("world-steps per second; `us per step` is Lanewise's, `faster by` is over mujoco.batch\n")
    out = console()
    for label, bar, style in bars(points):
        out.print(Text(label).append(bar, style=style))
