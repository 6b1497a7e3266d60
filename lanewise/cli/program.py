"""lanewise COMMAND: finds the commands, reads the arguments, runs one.

A command is a file in `commands`: its docstring is its help, `declare` adds its arguments to a
parser, and `run` does it. Help must come at once, so what takes long to import is imported in
`run`.
"""

import argparse
import importlib
import os
import pkgutil
import sys
import warnings

from ..errors import LanewiseError, did_you_mean
from . import commands

ABOUT = "Multi-joint physics, eight worlds in the lanes of one SIMD register."
INTERRUPTED, NO_READER = 130, 141  # as shells count: 128 and the number of the signal


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 1 where it failed for a reason that a user can mend, and
    130 where it was interrupted, as shells have it."""
    try:
        parser = _parser()
        arguments, unknown = parser.parse_known_args(argv)
        if unknown:
            arguments.parser.refuse(unknown)
        if arguments.run is None:
            parser.print_help()
        else:
            with warnings.catch_warnings():
                warnings.showwarning = _note
                arguments.run(arguments)
        if sys.stdout:  # there is none if it is closed
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("\nlanewise: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read has enough, as `head` does
        _drop_output()
        return NO_READER
    except MemoryError as error:
        print(f"lanewise: not enough memory: {error}", file=sys.stderr)
        return 1
    except (LanewiseError, OSError, ImportError, ValueError, OverflowError) as error:
        if isinstance(error, OSError) and not isinstance(error, LanewiseError):
            _drop_output()  # what could not be written is not tried again at exit
        print(f"lanewise: {error}", file=sys.stderr)
        return 1
    return 0


def _note(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning, without the place in the code that it is about."""
    print(f"lanewise: note: {message}", file=sys.stderr)


def _drop_output() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def names() -> list[str]:
    """The commands there are."""
    return sorted(found.name for found in pkgutil.iter_modules(commands.__path__))


class _Parser(argparse.ArgumentParser):
    """Says what a misspelt command or option may have meant."""

    def refuse(self, unknown: list[str]) -> None:
        """End for arguments that nobody asked for."""
        word = unknown[0].partition("=")[0]
        options = [option for option in self._option_string_actions if option.startswith("--")]
        near = did_you_mean(word, options) if word.startswith("-") else ""
        self.error(f"unexpected argument {word!r}{near}")

    def _check_value(self, action, value):
        choices = list(action.choices or ())
        if choices and value not in choices:
            near = did_you_mean(value, choices)
            what = f"no command {value!r}{near}; there are {', '.join(choices)}"
            raise argparse.ArgumentError(None, what)


def _parser() -> _Parser:
    parser = _Parser("lanewise", description=ABOUT)
    version = importlib.import_module("lanewise").__version__
    parser.add_argument("--version", action="version", version=f"lanewise {version}")
    parser.set_defaults(run=None, parser=parser)
    subparsers = parser.add_subparsers(metavar="command")
    for name in names():
        command = importlib.import_module(f".{name}", commands.__name__)
        about = (command.__doc__ or "").partition("\n\n")[0]
        inner = subparsers.add_parser(name, help=about, description=about)
        command.declare(inner)
        inner.set_defaults(run=command.run, parser=inner)
    return parser
