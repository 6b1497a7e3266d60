"""Arguments that several commands take, and what they are refused for."""

import argparse
from pathlib import Path

from ..errors import did_you_mean

MODEL_HELP = "path, or the name of a model that comes with Lanewise"
MOST_THREADS = 1024


def positive(text: str) -> int:
    """A whole number from 1."""
    try:
        number = int(text)
    except ValueError:
        shown = text if len(text) <= 40 else f"{text[:40]}..."
        raise argparse.ArgumentTypeError(f"must be a whole number, got {shown!r}") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    if number >= 2**48:
        raise argparse.ArgumentTypeError(f"must be less than 2**48, got {text[:40]}")
    return number


def threads(text: str) -> int:
    """A number of threads."""
    number = positive(text)
    if number > MOST_THREADS:
        raise argparse.ArgumentTypeError(f"must be at most {MOST_THREADS}, got {number}")
    return number


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
