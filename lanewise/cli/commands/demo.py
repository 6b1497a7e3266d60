"""simulate thousands of worlds beside mujoco.batch

Examples:
  lanewise demo
  lanewise demo --model hand --worlds 1024 --threads 1
"""

import os

import click

from ..options import ModelName, steps_option, threads_option, worlds_option


@click.command()
@worlds_option(4096)
@steps_option(200)
@threads_option(os.cpu_count() or 1)
@click.option(
    "--model", type=ModelName(), default="humanoid", show_default=True,
    help="A model that comes with Lanewise.",
)  # fmt: skip
def command(worlds: int, steps: int, threads: int, model: str) -> None:
    from ...loaders import heard
    from ..race import race

    with heard():  # MuJoCo runs too
        race(worlds, steps, threads, model)
