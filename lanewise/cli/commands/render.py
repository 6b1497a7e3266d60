"""a picture or a film of a model or a run, through MuJoCo's renderer

It needs no screen: EGL is used if it is there, or else OSMesa (apt install libegl1 or libosmesa6);
MUJOCO_GL chooses one. A model is simulated without controls, for a film from its start; a run is
shown as it was recorded. Films need an encoder: pip install 'lanewise[render]'.

Examples:
  lanewise render humanoid out.png --size 1280x720
  lanewise render robot.xml fall.mp4 --time 3
  lanewise render run.zarr out.mp4 --world 7 --camera side
"""

import click

from ..chosen import size_of
from ..options import ModelName, model_path


@click.command()
@click.argument("source", metavar="MODEL|RUN", type=ModelName())
@click.argument("out", metavar="OUT")
@click.option(
    "--world", type=click.IntRange(0), default=0, show_default=True, help="Which world of a run."
)
@click.option(
    "--time", "time_", type=float, metavar="SECONDS", help="When: of a picture; the end of a film."
)
@click.option("--camera", default="", metavar="NAME", help="A camera of the model.")
@click.option("--size", default="640x480", show_default=True, help="Width and height in pixels.")
@click.option(
    "--fps",
    type=click.FloatRange(1, 1000),
    default=30.0,
    show_default=True,
    help="Pictures per second.",
)
@click.option("--keyframe", metavar="NAME", help="Where a model starts: a name or a number.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
def command(source: str, out: str, world: int, time_: float | None, camera: str, size: str,
            fps: float, keyframe: str | None, force: bool) -> None:  # fmt: skip
    from ...runs import render
    from ...runs.run_file import ENDINGS

    is_run = source.rstrip("/").lower().endswith(ENDINGS)
    key = int(keyframe) if keyframe is not None and keyframe.isdigit() else keyframe
    print(render(
        source if is_run else model_path(source), out, world=world, time=time_, camera=camera,
        size=size_of(size), fps=fps, keyframe=key, force=force,
    ))  # fmt: skip
