"""How options are spelled to whoever reads a message: com=... in Python, --com ... in a shell."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_in_a_shell = ContextVar("in_a_shell", default=False)


@contextmanager
def command_line() -> Iterator[None]:
    """Messages that are made in here speak of the options of `lanewise detect`."""
    token = _in_a_shell.set(True)
    try:
        yield
    finally:
        _in_a_shell.reset(token)


def option(name: str, value: object = "") -> str:
    """An option with a value, as it would be given: body=1, or --body 1."""
    if _in_a_shell.get():
        return f"--{name.replace('_', '-')} {value}".rstrip()
    return f"{name}={value}"


def numbers(*values: int) -> object:
    """Several numbers as the value of an option: (3, 2), or 3 2."""
    if _in_a_shell.get():
        return " ".join(map(str, values))
    return values[0] if len(values) == 1 else values


def array_name(what: str, name: str) -> str:
    """The option that says what the file calls something: names={"pos": "p"}, or --pos p."""
    if _in_a_shell.get():
        return f"--{what} {name}"
    return f'names={{"{what}": "{name}"}}'
