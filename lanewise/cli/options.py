"""Arguments that several commands take, and what they are refused for.

Decorators for functions of click, and the name under which the function gets the value:
`model_argument` (model), `worlds_option(default)` (worlds), `steps_option(default)` (steps),
`threads_option(default)` (threads), `json_option` (as_json).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from ..errors import did_you_mean

MOST_THREADS = 1024


class Count(click.ParamType):
    """A whole number from 1."""

    name = "number"

    def __init__(self, most: int = 2**48 - 1):
        self.most = most

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """The number; what is not one is refused by its value and the bound."""
        text = str(value)
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        try:
            number = int(text)
        except ValueError:
            self.fail(f"must be a whole number, got {shown!r}", param, ctx)
        if number < 1:
            self.fail(f"must be at least 1, got {shown}", param, ctx)
        if number > self.most:
            self.fail(f"must be at most {self.most}, got {shown}", param, ctx)
        return number


class ModelName(click.ParamType):
    """A model's path or name; shells complete both."""

    name = "model"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[CompletionItem]:
        """The models that come with Lanewise, and files."""
        from .. import models

        near = [CompletionItem(name) for name in models.names() if name.startswith(incomplete)]
        return [*near, CompletionItem(incomplete, type="file")]


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

model_argument: Decorator = click.argument("model", type=ModelName())

json_option: Decorator = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for programs."
)


def worlds_option(default: int, help: str = "How many worlds.") -> Decorator:
    """--worlds, a number from 1."""
    return click.option("--worlds", type=Count(), default=default, show_default=True, help=help)


def steps_option(default: int, help: str = "How many steps each world takes.") -> Decorator:
    """--steps, a number from 1."""
    return click.option("--steps", type=Count(), default=default, show_default=True, help=help)


def threads_option(default: int, help: str = "How many threads.") -> Decorator:
    """--threads, a number from 1."""
    kind = Count(MOST_THREADS)
    return click.option("--threads", type=kind, default=default, show_default=True, help=help)


def model_path(model: str) -> str | Path:
    """A path, or one of our models by name."""
    from .. import models

    if model in models.names():
        return models.path(model)
    if model and not Path(model).suffix and "/" not in model and not _exists(model):
        raise ValueError(
            f"no model {model!r}{did_you_mean(model, models.names())}; with Lanewise come"
            f" {', '.join(models.names())}, others are given by their path"
        )
    return model


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, or with a zero byte
        return True  # loading says what is wrong


def check_memory(nsim: int, each: int, what: str) -> None:
    """Raise ValueError, with what would fit, if nsim worlds of `each` bytes do not fit."""
    from ..loaders.free_memory import available, spoken

    free = available()
    if nsim * each > free:
        raise ValueError(
            f"--worlds {nsim}: {what} takes about {spoken(nsim * each)}, {spoken(each)} each,"
            f" and {spoken(free)} are free: at most {int(0.9 * free) // each} worlds fit"
        )
