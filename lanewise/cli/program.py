"""lanewise COMMAND: finds the commands, reads the arguments, runs one.

A command is a file in `commands`: its docstring is its help, and its `command` is what click made
of a function. Help must come at once: what there is, is read from the files without importing them,
and what takes long to import is imported inside a command's function.

A command's function returns None, or a whole number: the exit status.
"""

import ast
import functools
import importlib
import io
import os
import pkgutil
import sys
import warnings
from pathlib import Path

import click
from click import shell_completion

from ..errors import LanewiseError, did_you_mean
from . import commands

NAME = "lanewise"
ABOUT = "Multi-joint physics, eight worlds in the lanes of one SIMD register."
COMPLETE = "_LANEWISE_COMPLETE"  # set by a shell that asks what may come next
INTERRUPTED, NO_READER = 130, 141  # as shells count: 128 and the number of the signal
MENDED_BY_USERS = (LanewiseError, OSError, ImportError, ValueError, OverflowError, MemoryError)


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit status: 1 where it failed for a reason that a user can
    mend, 2 for wrong arguments, 130 where it was interrupted, 141 where nobody read its output."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without boxes gets question marks
    group = _program()
    if os.environ.get(COMPLETE):
        instruction = os.environ[COMPLETE]
        return shell_completion.shell_complete(group, {}, NAME, COMPLETE, instruction)
    status = _status(group, arguments)
    try:
        if sys.stdout:  # there is none if it is closed
            sys.stdout.flush()
    except OSError as error:
        return _failed(error)
    return status


def _status(group: click.Group, arguments: list[str]) -> int:
    debug = False
    try:
        with warnings.catch_warnings(), group.make_context(NAME, arguments) as context:
            debug = context.params["debug"]
            warnings.showwarning = _note
            status = group.invoke(context)
            return status if isinstance(status, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        return _refused(error)
    except (KeyboardInterrupt, click.Abort):
        _say("\nlanewise: interrupted")
        return INTERRUPTED
    except MENDED_BY_USERS as error:
        if debug and not isinstance(error, BrokenPipeError):
            raise
        return _failed(error)


def _failed(error: BaseException) -> int:
    """Say one line for an error that a user can mend."""
    if isinstance(error, BrokenPipeError):  # whoever read has enough, as `head` does
        _drop_output()
        return NO_READER
    if isinstance(error, OSError) and not isinstance(error, LanewiseError):
        _drop_output()  # what could not be written is not tried again at exit
    short = "not enough memory: " if isinstance(error, MemoryError) else ""
    _say(f"lanewise: {short}{_one_line(str(error))}")
    return 1


def _one_line(text: str) -> str:
    """The lines of a message one after the other."""
    said = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        said += f"{'' if not said else ' ' if said[-1] in ':;,.' else '; '}{line}"
    return said


def _refused(error: click.ClickException) -> int:
    """Say why arguments are refused, after the line that says what they are."""
    context = getattr(error, "ctx", None)
    if context is not None:
        _say(f"{context.get_usage()}\nTry '{context.command_path} --help' for what they mean.")
    _say(f"lanewise: {_why(error)}")
    return error.exit_code


def _why(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        options: list[str] = []
        if error.ctx is not None:
            options = [o for p in error.ctx.command.get_params(error.ctx) for o in p.opts]
        return f"no option {error.option_name!r}{did_you_mean(error.option_name, options)}"
    message = error.format_message().rstrip(".")
    return message[:1].lower() + message[1:]


def _say(text: str) -> None:
    if sys.stderr:
        print(text, file=sys.stderr)


def _note(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning, without the place in the code that it is about."""
    _say(f"lanewise: note: {_one_line(str(message))}")


def _drop_output() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def names() -> list[str]:
    """The commands there are."""
    return sorted(found.name for found in pkgutil.iter_modules(commands.__path__))


def about(name: str) -> str:
    """The first paragraph of a command's help, without importing the command."""
    file = Path(commands.__path__[0]) / f"{name}.py"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


class _Commands(click.Group):
    """The commands, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return names()

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in names():
            return None
        module = importlib.import_module(f".{cmd_name}", commands.__name__)
        command = module.command
        command.name, command.help = cmd_name, _unwrapped(module.__doc__ or "")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]):
        if args[0] not in names():
            near = did_you_mean(args[0], names())
            ctx.fail(f"no command {args[0]!r}{near}; there are {', '.join(names())}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about(name)) for name in names()])


def _unwrapped(text: str) -> str:
    """Help whose indented paragraphs stay as they are, which click is told by a \\b."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(
        f"\b\n{paragraph}" if any(line.startswith(" ") for line in paragraph.split("\n"))
        else paragraph
        for paragraph in paragraphs
    )  # fmt: skip


@functools.cache
def _program() -> _Commands:
    @click.group(
        NAME,
        cls=_Commands,
        help=f"{ABOUT}\n\n{_unwrapped(EXAMPLES)}",
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    @click.option("--debug", is_flag=True, help="Show the traceback of an error.")
    @click.version_option(importlib.import_module(NAME).__version__, message=f"{NAME} %(version)s")
    @click.pass_context
    def program(context: click.Context, debug: bool) -> None:
        if context.invoked_subcommand is None:
            click.echo(context.get_help())

    return program


EXAMPLES = """\
Examples:
  lanewise demo                    thousands of humanoids beside mujoco.batch
  lanewise info robot.xml          what a model has, and whether it runs
  lanewise COMMAND --help          what a command does, with examples"""
