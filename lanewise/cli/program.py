"""lanewise COMMAND: finds the commands, reads the arguments, runs one.

A command is a file in `commands`: its docstring is its help, `declare` adds its arguments to a
parser, and `run` does it. Help must come at once, so what takes long to import is imported in
`run`.
"""

import argparse
import importlib
import pkgutil
import sys

from ..errors import LanewiseError
from . import commands

ABOUT = "Multi-joint physics, eight worlds in the lanes of one SIMD register."


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 1 where it failed for a reason that a user can mend, and
    130 where it was interrupted, as shells have it."""
    try:
        parser = _parser()
        arguments = parser.parse_args(argv)
        if arguments.run is None:
            parser.print_help()
        else:
            arguments.run(arguments)
    except (LanewiseError, FileNotFoundError, ValueError) as error:
        print(f"lanewise: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nlanewise: interrupted", file=sys.stderr)
        return 130
    return 0


def names() -> list[str]:
    """The commands there are."""
    return sorted(found.name for found in pkgutil.iter_modules(commands.__path__))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("lanewise", description=ABOUT)
    parser.set_defaults(run=None)
    subparsers = parser.add_subparsers(metavar="command")
    for name in names():
        command = importlib.import_module(f".{name}", commands.__name__)
        about = (command.__doc__ or "").partition("\n\n")[0]
        inner = subparsers.add_parser(name, help=about, description=about)
        command.declare(inner)
        inner.set_defaults(run=command.run)
    return parser
