"""motions in files: what one means, in another form, in the viewer

Files are those of SONIC and GR00T, SONIC's folders of tables, GMR, mjlab, BeyondMimic, Isaac Lab,
Unitree's LAFAN1 tables, Bones-SEED, AMASS and SMPL, BVH, and qpos of MuJoCo. What a file does not
say is decided by names or by where bodies come out on the model; what nothing decides is refused,
with the option that does. docs/motion.md has all of it.

Examples:
  lanewise motion info walk.pkl --model g1.xml
  lanewise motion convert walk.pkl walk.npz --form isaaclab-2 --model g1.xml
  lanewise motion convert dance.csv dance.npz --model g1.xml --fps 30 --root-rot xyzw
  lanewise motion play walk.npz --model g1.xml
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..options import ModelName, json_option, model_path

GIVEN = ("form", "order", "up", "unit", "fps", "root_rot", "clip", "translations")


def _reading(function: Callable[..., Any]) -> Callable[..., Any]:
    """Options that say what a file does not."""
    options = (
        click.option("--model", type=ModelName(), help="The robot: a file, or a model's name."),
        click.option("--from", "form", metavar="FORM", help="Take the file for this form."),
        click.option("--order", metavar="NAME", help="Of its joints: mujoco, isaaclab-2, ..."),
        click.option("--up", type=click.Choice(["y", "z"]), help="The axis that is up in it."),
        click.option("--unit", type=click.Choice(["m", "cm", "mm", "inch"]), help="Of a BVH file."),
        click.option("--fps", type=float, metavar="RATE", help="Frames a second."),
        click.option("--root-rot", type=click.Choice(["wxyz", "xyzw"]),
                     help="The order of its quaternions."),
        click.option("--clip", metavar="NAME", help="Which one, of a file with several."),
        click.option("--joint-names", metavar="NAME,...", help="Of its columns."),
        click.option("--body-names", metavar="NAME,...", help="Of its bodies."),
        click.option("--pelvis", metavar="X,Y,Z", help="J0 of an SMPL body [m]."),
        click.option("--translations", type=click.Choice(["ignore"]),
                     help="Joints of a BVH file that move away from their parents."),
    )  # fmt: skip
    for option in reversed(options):
        function = option(function)
    return function


def _load(path: str, model: str | None, given: dict[str, Any]) -> tuple[Any, Any]:
    """(clip, model or None)"""
    from ... import motion
    from ...conventions.spelling import command_line
    from ...loaders import load

    m = None if model is None else load(model_path(model))
    said = {name: given.get(name) for name in GIVEN}
    for name in ("joint_names", "body_names"):
        said[name] = given[name].split(",") if given[name] else None
    if given["pelvis"]:
        said["pelvis"] = [float(x) for x in given["pelvis"].split(",")]
    with command_line():
        return motion.load(path, m, **said), m


@click.group()
def command() -> None:
    pass


@command.command("info")
@click.argument("file")
@_reading
@json_option
def info(file: str, model: str | None, as_json: bool, **given: Any) -> None:
    """What a motion is, and where each part of its meaning was taken from."""
    clip, _ = _load(file, model, given)
    if not as_json:
        print(repr(clip))
        print(f"joints: {', '.join(clip.joint_names)}")
        return
    print(json.dumps({
        "frames": len(clip), "seconds": clip.duration, "fps": clip.fps if len(clip) > 1 else None,
        "root": clip.root, "joints": list(clip.joint_names),
        "meaning": {what: {"value": str(x.value), "source": x.source, "why": x.why}
                    for what, x in clip.meaning.items()},
    }))  # fmt: skip


@command.command("convert")
@click.argument("source")
@click.argument("target")
@click.option(
    "--form", "to_form", metavar="FORM", help="That it is written in; else by its ending."
)
@click.option("--resample", type=float, metavar="RATE", help="To so many frames a second.")
@click.option("--mirror", is_flag=True, help="Exchange left and right.")
@click.option("--ground", is_flag=True, help="Put what stands on the ground at height 0.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@_reading
def convert(
    source: str, target: str, to_form: str | None, resample: float | None, mirror: bool,
    ground: bool, force: bool, model: str | None, **given: Any,
) -> None:  # fmt: skip
    """A motion in another form, at another rate, mirrored, on the ground."""
    import os

    from ...conventions.spelling import command_line

    if os.path.lexists(target) and not force:
        raise FileExistsError(f"{target!r} is there already: choose another name, or --force")
    clip, m = _load(source, model, given)
    clip = clip if resample is None else clip.resample(resample)
    clip = clip.mirror(m) if mirror else clip
    if ground:
        if m is None:
            raise click.UsageError("--ground takes the robot: --model")
        clip = clip.on_ground(m)
    with command_line():
        path = clip.save(target, to_form, model=m)
    print(f"{len(clip)} frames, {clip.duration:.3f} s -> {path}")
    print(repr(clip.meaning))


@command.command("play")
@click.argument("file")
@click.option("--ghosts", type=click.IntRange(0, 16), default=1, show_default=True,
              help="Worlds of the model beside it, under their own physics.")  # fmt: skip
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              help="Where it listens; 0 is any that is free.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="Who may look.")
@_reading
def play(file: str, ghosts: int, port: int, host: str, model: str | None, **given: Any) -> None:
    """A motion in the browser, and beside it the model under its own physics."""
    from ...motion.player import Player
    from ...viewer import opening

    opening.check_extra()
    opening.check_port(host, port)
    clip, m = _load(file, model, given)
    if m is None:
        if clip.skeleton is None:
            raise click.UsageError("to show a motion takes the robot: --model")
        m = clip.skeleton.model()
        ghosts = 0
    player = Player(clip, m, ghosts)
    name = Path(file).name
    viewer = opening.open_viewer(player.batch, control=player, host=host, port=port, name=name)
    viewer.follow(True)  # clips walk away
    viewer.play()
    opening.serve(viewer)
