"""Options that say what is what in a log of a body: of `detect` and `convert`."""

from collections.abc import Callable
from typing import Any

import click

FREE_JOINT = "--free-joint"


class FreeJointCommand(click.Command):
    """A command whose --free-joint takes one number or two."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, after two numbers have become one word."""
        where = args.index(FREE_JOINT) if FREE_JOINT in args else len(args)
        if [word.isdigit() for word in args[where + 1 : where + 3]] == [True, True]:
            joined = f"{args[where + 1]},{args[where + 2]}"
            args = [*args[: where + 1], joined, *args[where + 3 :]]
        return super().parse_args(ctx, args)


class _Numbers(click.ParamType):
    name = "N [N]"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[int]:
        words = str(value).split(",")
        if not all(word.isdigit() for word in words) or len(words) > 2:
            self.fail(f"must be one or two whole numbers, got {value!r}", param, ctx)
        return [int(word) for word in words]


_OPTIONS = (
    click.option("--dt", type=float, help="Seconds between rows, if the file has no times."),
    click.option(
        "--time-unit", type=click.Choice(("s", "ms", "us", "ns")),
        help="Of the file's times; otherwise it goes by their steps.",
    ),
    click.option(
        "--com", type=float, nargs=3, metavar="X Y Z",
        help="Centre of mass in the body frame, if it is known.",
    ),
    click.option("--body", type=int, help="Which one, if arrays have several bodies."),
    click.option(
        FREE_JOINT, type=_Numbers(), metavar="N [N]",
        help="Where a free joint begins in the qpos of a robot; and in qvel, if it is not the"
        " same.",
    ),
    *(
        click.option(f"--{name}", metavar="NAME", help=f"The array of the file that is {name}.")
        for name in ("pos", "quat", "twist")
    ),
    click.option("--columns", metavar="NAMES", help="All columns of a table: t,x,y,z,qw,qx, ..."),
)  # fmt: skip


def log_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options, which the function gets under the names that `read` takes."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def read(path: str, *, pos=None, quat=None, twist=None, **given):
    """The `Log` in a file."""
    from ..conventions.logs import read_log

    names = {"pos": pos, "quat": quat, "twist": twist}
    return read_log(path, names={name: value for name, value in names.items() if value}, **given)
