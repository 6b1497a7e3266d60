"""plan by sampling: a robot that does a task, in the browser while you push it

Many worlds try controls, and what costs least is done. Tasks are arm, cartpole, cube, humanoid and
quadruped. On a terminal the viewer opens: drag bodies and goals with the mouse; the tab Plan has
cost, rate and weights. Elsewhere, or with --seconds, a world follows plans for so long, without a
picture, and time stands still while it plans; what is printed is how well it did.

Examples:
  lanewise plan cartpole
  lanewise plan quadruped --optimizer cem --samples 128
  lanewise plan humanoid --seconds 5 --json
"""

import json
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..options import MOST_THREADS, Count, json_option
from ..terminal import in_words

SECONDS = 5.0  # without a terminal


class TaskName(click.ParamType):
    """A task's name, which shells complete."""

    name = "task"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        """Tasks that come along."""
        from ...plan import tasks

        return [CompletionItem(name) for name in tasks.names() if name.startswith(incomplete)]


@click.command()
@click.argument("task", type=TaskName())
@click.option("--optimizer", default="mppi", show_default=True, metavar="NAME",
              help="What makes plans of samples: sampling, mppi or cem.")  # fmt: skip
@click.option("--samples", type=Count(), default=64, show_default=True,
              help="How many worlds try controls.")  # fmt: skip
@click.option("--noise", type=click.FloatRange(0.0, min_open=True), metavar="X",
              help="How far samples are from the plan; 1 is half of a range.")  # fmt: skip
@click.option("--iterations", type=Count(), default=1, show_default=True,
              help="How often a plan is improved before it is followed.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="Of the random numbers.")  # fmt: skip
@click.option("--threads", type=Count(MOST_THREADS), help="How many; one for each processor.")
@click.option("--seconds", type=click.FloatRange(0.0, min_open=True), metavar="S",
              help="Run for so long, without a picture.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              help="Where the viewer listens; 0 is any that is free.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Who may look: 0.0.0.0 is everybody who can reach this machine.")  # fmt: skip
@json_option
def command(
    task: str, optimizer: str, samples: int, noise: float | None, iterations: int, seed: int,
    threads: int | None, seconds: float | None, port: int, host: str, as_json: bool,
) -> None:  # fmt: skip
    from ...plan import Planner, optimizers, tasks
    from ..exhibit import on_terminal

    chosen = optimizers.make(optimizer, **({} if noise is None else {"noise": noise}))
    planner = Planner(
        tasks.make(task), chosen, samples, nthread=threads or 0, iterations=iterations, seed=seed
    )
    if seconds is None and not as_json and on_terminal():
        _show(planner, host, port)
        return
    found = _run(planner, optimizer, seconds or SECONDS, seed)
    print(json.dumps(found) if as_json else _words(found))


def _show(planner: Any, host: str, port: int) -> None:
    """In the viewer, until Ctrl-C."""
    from ...plan import Pilot
    from ...viewer import opening

    opening.check_extra()
    opening.check_port(host, port)
    batch = planner.task.world()
    planner.task.reset(batch)
    with Pilot(planner) as pilot:
        viewer = opening.open_viewer(
            batch, control=pilot, host=host, port=port, name=planner.task.name
        )
        viewer.play()
        opening.serve(viewer)


def _run(planner: Any, optimizer: str, seconds: float, seed: int) -> dict[str, Any]:
    """What came of it, by name."""
    from ...plan import run

    episode, task = run(planner, seconds, seed=seed), planner.task
    late = max(1, len(episode.costs) // 5)
    return {
        "task": task.name, "optimizer": optimizer, "samples": planner.nsample,
        "steps": task.nstep, "timestep": task.timestep, "threads": planner.trials.nthread,
        "seconds": float(episode.time[-1]), "plans": len(episode.costs),
        "plans_per_second": round(episode.rate, 2), "period": task.period,
        "cost": float(episode.costs.mean()), "cost_of_the_last_fifth":
        float(episode.costs[-late:].mean()), "measures": episode.measures[-1],
    }  # fmt: skip


def _words(found: dict[str, Any]) -> str:
    measures = ", ".join(f"{name} {value:.3g}" for name, value in found["measures"].items())
    real = found["plans_per_second"] * found["period"]
    return (
        f"{found['task']}, {found['seconds']:g} s: {found['plans']} plans by {found['optimizer']},"
        f" {found['samples']} samples of {found['steps']} steps\n"
        f"cost {found['cost']:.4g}, in the last fifth {found['cost_of_the_last_fifth']:.4g};"
        f" at the end: {measures}\n"
        f"{found['plans_per_second']:.1f} plans a second on {in_words(found['threads'], 'thread')},"
        f" {real:.2f} of what real time takes"
    )
