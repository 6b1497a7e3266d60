"""tell which convention a log of a body is in

The file is npz, npy, CSV or parquet, with positions, quaternions and twists. What is what is found
by names; options say it where names do not.

Examples:
  lanewise detect log.npz
  lanewise detect log.csv --dt 0.01 --com 0 0 0.1 --target drake
  lanewise detect robot.npz --free-joint 0       of qpos and qvel
"""

import json
import os
import shutil
import sys

import click

from ..log_options import FreeJointCommand, log_options, read
from ..options import json_option


@click.command(cls=FreeJointCommand)
@click.argument("log", type=click.Path())
@log_options
@click.option("--target", default="mujoco", show_default=True, help="The system to convert to.")
@json_option
def command(log: str, target: str, as_json: bool, **given) -> None:
    from ...conventions.detection import detect
    from ...conventions.spelling import command_line

    with command_line():
        found_log = read(log, **given)
        found = detect(
            found_log.pos, found_log.quat, found_log.twist, found_log.dt, com=found_log.com
        )
    if as_json:
        verdict = {**found.as_dict(), "code": found.code(target)}
        verdict["notes"] = [*found_log.notes, *verdict["notes"]]
        print(json.dumps(verdict, indent=2))
        return
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    print(f"{log}: {len(found_log.pos)} rows of {', '.join(found_log.names) or 'columns'}\n")
    for note in found_log.notes:
        print(f"Note: {note}.\n")
    print(found.report(colour=colour, width=width, target=target))
