"""a page that plays a run in any browser, in one file to give away

It opens from the disk, without a server or a network: play, pause, a slider, speeds, worlds side by
side or over each other. RUN is a file of `lanewise run`, or a clip that the viewer saved.

Examples:
  lanewise replay run.zarr out.html
  lanewise replay clip.npz out.html --worlds 0-15
"""

import click

from ..chosen import worlds_of

_MOST = 64  # worlds that are shown if nobody chose


@click.command()
@click.argument("run", metavar="RUN")
@click.argument("out", metavar="OUT.html")
@click.option("--worlds", metavar="0,4-7", help="Which worlds, or all; by default up to 64.")
@click.option(
    "--fps",
    type=click.FloatRange(1, 1000),
    default=50.0,
    show_default=True,
    help="Pictures per second of simulated time; the page interpolates between them.",
)
@click.option("--title", default="", help="What stands above it; by default the file's name.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(run: str, out: str, worlds: str | None, fps: float, title: str,
            force: bool) -> None:  # fmt: skip
    from ...loaders.free_memory import spoken
    from ...runs import open, replay

    given = open(run)
    chosen = worlds_of(worlds or "all", given.worlds)
    if worlds is None and len(chosen) > _MOST:
        chosen = chosen[:_MOST]
        click.echo(f"the first {_MOST} of {given.worlds} worlds: --worlds all for all", err=True)
    place = replay(given, out, worlds=chosen, fps=fps, title=title, force=force)
    print(f"{place}: {len(chosen)} worlds, {spoken(place.stat().st_size)}")
