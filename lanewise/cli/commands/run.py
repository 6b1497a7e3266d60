"""simulate many worlds and record them in a file

The file carries its model, what was recorded, and the full state of all worlds, so that --resume
goes on as if it had never stopped, to the bit. Ctrl-C is safe: what was computed is saved. A file
that ends with .npz is held in memory and written at the end; .zarr (pip install 'lanewise[runs]')
is written block by block, however long the run.

World 0 starts as the model or --keyframe has it, and the others are scattered about it. Controls
are an array `ctrl` in an .npz, (steps, nu) for all worlds or (steps, worlds, nu).

Examples:
  lanewise run humanoid --worlds 4096 --steps 1000 --out run.zarr
  lanewise run --resume run.zarr --steps 1000
  lanewise run robot.xml --control c.npz --record qpos,sensordata --every 10 --out run.npz
"""

import shlex
import signal
import sys
from typing import Any

import click

from ..options import MOST_THREADS, Count, ModelName, json_option, model_path, worlds_option

_STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}  # as shells count
_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "asked to stop"}


@click.command()
@click.argument("model", type=ModelName(), required=False)
@worlds_option(1)
@click.option("--steps", type=Count(), default=1000, show_default=True, help="How many steps.")
@click.option("--out", metavar="FILE", help="The file to write: .npz or .zarr.")
@click.option(
    "--record",
    "fields",
    default="qpos",
    show_default=True,
    metavar="A,B,..",
    help="Fields to record, such as qpos,qvel,ctrl,sensordata,xpos.",
)
@click.option("--every", type=Count(), default=1, show_default=True, help="Record each k-th step.")
@click.option("--control", metavar="FILE", help="Controls to follow: .npz with `ctrl`, or .npy.")
@click.option("--keyframe", metavar="NAME", help="Where worlds start: a name or a number.")
@click.option(
    "--scatter",
    type=float,
    default=0.01,
    show_default=True,
    help="How far starts differ, in rad and m, and in rad/s and m/s.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Of the random numbers of --scatter.",
)
@click.option("--threads", type=Count(MOST_THREADS), help="How many threads; by default all.")
@click.option("--resume", "resumed", metavar="FILE", help="Go on with this run.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@json_option
@click.pass_context
def command(context: click.Context, model: str | None, resumed: str | None, steps: int,
            out: str | None, control: str | None, threads: int | None, force: bool,
            as_json: bool, **options: Any) -> int:  # fmt: skip
    from ...runs import record, resume

    how: dict[str, Any] = {"steps": steps, "control": control, "nthread": threads or 0}
    if resumed is not None:
        _refuse_beginnings(context)
        run, progress = _shown(lambda tell: resume(resumed, progress=tell, **how), steps)
    else:
        if model is None or out is None:
            raise click.UsageError("a run needs MODEL and --out FILE, or --resume FILE")
        how |= {
            "worlds": options["worlds"], "every": options["every"], "scatter": options["scatter"],
            "record": _names(options["fields"]), "keyframe": _keyframe(options["keyframe"]),
            "seed": options["seed"], "force": force,
        }  # fmt: skip
        source = model_path(model)
        run, progress = _shown(lambda tell: record(source, out, progress=tell, **how), steps)
    return _end(run, progress, steps, as_json)


def _names(fields: str) -> list[str]:
    names = [name.strip() for name in fields.split(",") if name.strip()]
    if not names:
        raise click.UsageError("--record needs names of fields, such as qpos,sensordata")
    return names


def _keyframe(text: str | None) -> str | int | None:
    return int(text) if text is not None and text.isdigit() else text


def _refuse_beginnings(context: click.Context) -> None:
    """A run that goes on cannot begin otherwise."""
    may = {"resumed", "steps", "control", "threads", "as_json"}
    for name, value in context.params.items():
        source = context.get_parameter_source(name)
        if (
            name not in may
            and value is not None
            and source == click.core.ParameterSource.COMMANDLINE
        ):
            option = (
                "the model" if name == "model" else f"--{'record' if name == 'fields' else name}"
            )
            raise click.UsageError(f"{option} is that of the run, and goes not with --resume")


def _shown(work: Any, steps: int) -> tuple[Any, Any]:
    """What `work` returns, and its last progress, while a bar is shown on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    last: list[Any] = []
    console = Console(file=sys.stderr)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[speed]}"), TimeRemainingColumn(),
        TextColumn("{task.fields[resets]}"), console=console, transient=True,
        disable=not console.is_terminal,
    ) as bar:  # fmt: skip
        task = bar.add_task("running", total=steps, speed="", resets="")

        def tell(now: Any) -> None:
            last[:] = [now]
            resets = f"{now.resets} resets" if now.resets else ""
            bar.update(task, completed=now.done, speed=f"{now.rate:,.0f} steps/s", resets=resets)

        return work(tell), (last or [None])[0]


def _end(run: Any, progress: Any, steps: int, as_json: bool) -> int:
    """Say what is in the file now; the exit status."""
    import json

    done = 0 if progress is None else progress.done
    rate = 0.0 if progress is None else progress.rate * run.worlds
    resets = int(run.resets.sum())
    if as_json:
        print(json.dumps({
            "file": str(run.path), "worlds": run.worlds, "steps": run.steps,
            "records": run.records, "resets": resets, "world_steps_per_second": rate,
            "asked": steps, "done": done,
        }))  # fmt: skip
    else:
        again = f", {resets} resets" if resets else ""
        print(
            f"{run.path}: {run.worlds} worlds, {run.steps} steps, {run.records} records of"
            f" {', '.join(run.names)}; {rate:,.0f} steps per second in all worlds{again}"
        )
    number = None if progress is None else progress.signal
    if number is None:
        return 0
    left = f"lanewise run --resume {shlex.quote(str(run.path))} --steps {steps - done}"
    print(
        f"lanewise: {_WORDS[number]} after {done} of {steps} steps, which are saved: {left}",
        file=sys.stderr,
    )
    return _STATUS[number]
