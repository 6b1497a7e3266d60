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


def option(name: str, *values: object) -> str:
    """An option as it would be given: body=1, com=(0, 0, 1) or unit="s"; --body 1, --com 0 0 1."""
    if _in_a_shell.get():
        return " ".join([f"--{name.replace('_', '-')}", *map(str, values)])
    if len(values) == 1:
        return f'{name}="{values[0]}"' if isinstance(values[0], str) else f"{name}={values[0]}"
    return f"{name}=({', '.join(map(str, values))})"


def array_name(what: str, name: str) -> str:
    """The option that says what the file calls something: names={"pos": "p"}, or --pos p."""
    if _in_a_shell.get():
        return f"--{what} {name}"
    return f'names={{"{what}": "{name}"}}'
