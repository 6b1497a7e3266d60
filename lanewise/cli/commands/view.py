"""worlds in the browser: run, stop, scrub, drag them with the mouse

Several worlds stand side by side, or lie over each other as ghosts; they start a little apart, so
that they do not all do the same. The page is for this machine only, unless --host says otherwise.
Ctrl-C ends it.

A controller is FILE.py:NAME, a @lanewise.kernel or a function of the Batch; a policy is an npz file
of dense layers. docs/viewer.md has what both may look like, and all of the page.

Examples:
  lanewise view humanoid
  lanewise view robot.xml --worlds 16
  lanewise view robot.xml --control walk.py:control --play
  lanewise view cartpole --policy policy.npz --port 8123
"""

from typing import Any

import click

from ..options import MOST_THREADS, Count, model_argument, model_path, worlds_option


@click.command()
@model_argument
@worlds_option(1)
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              help="Where it listens; 0 is any that is free.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Who may look: 0.0.0.0 is everybody who can reach this machine.")  # fmt: skip
@click.option("--keyframe", metavar="NAME", help="Begin at a keyframe, by its name or number.")
@click.option("--scatter", type=click.FloatRange(0.0), default=0.1, show_default=True,
              help="How far apart worlds start: the size of random velocities.")  # fmt: skip
@click.option("--control", metavar="FILE.py:NAME", help="What writes the controls.")
@click.option("--policy", metavar="FILE.npz", help="Dense layers that write the controls.")
@click.option("--threads", type=Count(MOST_THREADS), help="How many; one for each processor.")
@click.option("--play", is_flag=True, help="Run at once.")
def command(
    model: str, worlds: int, port: int, host: str, keyframe: str | None, scatter: float,
    control: str | None, policy: str | None, threads: int | None, play: bool,
) -> None:  # fmt: skip
    from ...viewer import opening
    from ...viewer.controllers import Policy, from_file

    opening.check_extra()
    opening.check_port(host, port)
    if control and policy:
        raise click.UsageError("a model has one controller: give --control or --policy, not both")
    arguments, function = from_file(control) if control else ({}, None)
    batch = _start(model, worlds, threads, keyframe, scatter, arguments)
    if policy:
        function = Policy.load(policy, batch.model)
    viewer = opening.open_viewer(batch, control=function, host=host, port=port, name=_name(model))
    if play:
        viewer.play()
    opening.serve(viewer)


def _start(
    model: str, worlds: int, threads: int | None, keyframe: str | None, scatter: float,
    arguments: dict[str, Any],
) -> Any:  # fmt: skip
    """The worlds as they begin: the first as the model has it, the others scattered."""
    import numpy as np

    from ...batch.batch import Batch
    from ...loaders import load
    from ..options import check_memory

    m = load(model_path(model), **arguments)
    check_memory(worlds, 24 * m.nstate, "a world with what is drawn of it")
    batch = Batch(m, nsim=worlds, nthread=threads or 0)
    if keyframe is not None:
        key = int(keyframe) if keyframe.isdecimal() else keyframe
        batch.reset(keyframe=key, stage=0)
    apart = np.random.default_rng(0).standard_normal((worlds - 1, m.nv))
    batch.qvel[1:] += scatter * apart
    return batch


def _name(model: str) -> str:
    from pathlib import Path

    return Path(model).stem
