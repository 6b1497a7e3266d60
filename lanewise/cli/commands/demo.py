"""simulate thousands of worlds beside mujoco.batch

It ends by showing some of them: on a terminal in the viewer, until Ctrl-C, and elsewhere as a page
that plays in any browser.

Examples:
  lanewise demo
  lanewise demo --model hand --worlds 1024 --threads 1
  lanewise demo --no-show
  lanewise demo --page worlds.html
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
@click.option("--show/--no-show", default=True, help="Whether to show some of the worlds.")
@click.option("--page", metavar="FILE.html", help="Show them on this page, also on a terminal.")
def command(
    worlds: int, steps: int, threads: int, model: str, show: bool, page: str | None
) -> None:
    from ...loaders import heard
    from ..race import race

    with heard():  # MuJoCo runs too
        raced = race(worlds, steps, threads, model)
    if show or page is not None:
        from .. import exhibit

        exhibit.show(raced, model, threads, page)
