"""What a tree does not say of an order: the options of `order` and `convert`."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

_OPTIONS = (
    click.option(
        "--file", type=click.Choice(("mjcf", "urdf", "usd")),
        help="The kind of file that the other side has read, if it was another one.",
    ),
    click.option(
        "--fixed", type=click.Choice(("keep", "merge")),
        help="What its importer has done with links on fixed joints.",
    ),
    click.option(
        "--roots", type=click.Choice(("apart", "together")),
        help="Several trees on the world: articulations of their own, or limbs of one.",
    ),
    click.option(
        "--backend", type=click.Choice(("physx", "newton")), help="What computes, for isaaclab-3."
    ),
)  # fmt: skip


def order_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options, which the function gets as file, fixed, roots and backend."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@contextmanager
def spoken() -> Iterator[None]:
    """Messages say options as a shell has them: --fixed merge for fixed='merge'."""
    from ..conventions import ConventionError

    try:
        yield
    except ConventionError as error:
        text = re.sub(r"\b(file|fixed|roots|backend)='(\w+)'", r"--\1 \2", str(error))
        raise ConventionError(text) from None


def tree_of(path: str | Path, mj: Any) -> Any:
    """What knows the order of joints: a URDF file itself, or the model that MuJoCo made."""
    return Path(path) if str(path).lower().endswith(".urdf") else mj
