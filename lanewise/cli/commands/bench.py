"""speed on a model beside MuJoCo

Examples:
  lanewise bench humanoid
  lanewise bench robot.xml --worlds 4096 --steps 100 --threads 2
  lanewise bench robot.xml --smooth       without contacts and limits
"""

import click

from ..options import (
    check_memory,
    model_argument,
    model_path,
    steps_option,
    threads_option,
    worlds_option,
)
from ..terminal import table


@click.command()
@model_argument
@worlds_option(1024)
@steps_option(50)
@threads_option(1)
@click.option("--smooth", is_flag=True, help="Disable all constraints.")
def command(model: str, worlds: int, steps: int, threads: int, smooth: bool) -> None:
    from ...loaders import heard
    from .. import measure

    prepare = measure.unconstrained if smooth else measure.authored
    with heard():  # MuJoCo runs too
        mj = prepare(model_path(model))
    each = measure.bytes_each(mj) + measure.bytes_each_recorded(mj, steps)
    check_memory(worlds, each, f"a recorded rollout of {steps} steps")
    with heard():
        result = measure.compare(measure.Worlds.scattered(mj, worlds), steps, threads)
    rows = [
        (
            name,
            f"{result.rate(name):,.0f}",
            f"{result.microseconds(name):.3f}",
            f"{result.ratio(name):.2f}",
        )
        for name in result.seconds
    ]
    print(
        f"{worlds} worlds, {steps} steps, {threads} threads,"
        f"{' constraints disabled,' if smooth else ''} MuJoCo's clock callback removed"
    )
    print(table(rows, ("engine", "steps per second", "us per step", "Lanewise is faster by")))
    print(f"largest relative difference to mujoco.batch: {result.apart:.1e}")
