"""simulate a model, and say where time goes and what room is used

Examples:
  lanewise report humanoid
  lanewise report robot.xml --worlds 256 --steps 500 --json
"""

import json
import math
from typing import Any

import click

from ..options import (
    check_memory,
    json_option,
    model_argument,
    model_path,
    steps_option,
    threads_option,
    worlds_option,
)


@click.command()
@model_argument
@worlds_option(64, "How many worlds, scattered around the start.")
@steps_option(200)
@threads_option(1)
@json_option
def command(model: str, worlds: int, steps: int, threads: int, as_json: bool) -> None:
    from ...batch.batch import Batch
    from ...loaders import load
    from ...mjconst import ENBL_ENERGY
    from ...reporting import report
    from .. import measure

    m = load(model_path(model))
    m.opt.enableflags |= ENBL_ENERGY
    check_memory(worlds, measure.bytes_each(m.mj), "a batch")
    start = measure.Worlds.scattered(m.mj, worlds)
    b = Batch(m, worlds, threads, timing=True)
    b.qpos[:], b.qvel[:], b.ctrl[:] = start.qpos, start.qvel, start.ctrl
    b.step(nstep=steps)
    found = report(b)
    print(json.dumps(_plain(found.to_dict()), indent=2) if as_json else found)


def _plain(x: Any) -> Any:
    """What JSON has a word for: no NaN, no infinity."""
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, list):
        return [_plain(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
