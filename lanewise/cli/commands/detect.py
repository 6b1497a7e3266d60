"""tell which convention a log of a body is in"""

import argparse
import json
import os
import shutil
import sys


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "log", help="npz, npy, CSV or parquet with positions, quaternions and twists"
    )
    parser.add_argument("--dt", type=float, help="seconds between rows, if the file has no times")
    parser.add_argument(
        "--time-unit", choices=("s", "ms", "us", "ns"),
        help="of the file's times; otherwise it goes by their steps",
    )  # fmt: skip
    parser.add_argument(
        "--com", type=float, nargs=3, metavar=("X", "Y", "Z"),
        help="centre of mass in the body frame, if it is known",
    )  # fmt: skip
    parser.add_argument("--body", type=int, help="which one, if arrays have several bodies")
    parser.add_argument(
        "--free-joint", type=int, nargs="+", metavar="N",
        help="where a free joint begins in the qpos of a robot; and in qvel, if it is not the same",
    )  # fmt: skip
    parser.add_argument("--target", default="mujoco", help="the system to convert to")
    for name in ("pos", "quat", "twist"):
        parser.add_argument(
            f"--{name}", metavar="NAME", help=f"the array of the file that is {name}"
        )
    parser.add_argument(
        "--columns", metavar="NAMES", help="names of all columns of a table: t,x,y,z,qw,qx, ..."
    )
    parser.add_argument("--json", action="store_true", help="the verdict for programs")


def run(arguments: argparse.Namespace) -> None:
    from ...conventions.detection import detect
    from ...conventions.logs import read_log
    from ...conventions.spelling import command_line

    given = {name: getattr(arguments, name) for name in ("pos", "quat", "twist")}
    with command_line():
        log = read_log(
            arguments.log, dt=arguments.dt, com=arguments.com, body=arguments.body,
            names={name: value for name, value in given.items() if value},
            columns=arguments.columns, free_joint=arguments.free_joint,
            time_unit=arguments.time_unit,
        )  # fmt: skip
        found = detect(log.pos, log.quat, log.twist, log.dt, com=log.com)
    if arguments.json:
        verdict = {**found.as_dict(), "code": found.code(arguments.target)}
        verdict["notes"] = [*log.notes, *verdict["notes"]]
        print(json.dumps(verdict, indent=2))
        return
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    print(f"{arguments.log}: {len(log.pos)} rows of {', '.join(log.names) or 'columns'}\n")
    for note in log.notes:
        print(f"Note: {note}.\n")
    print(found.report(colour=colour, width=width, target=arguments.target))
