"""Arguments that several commands take."""

import argparse
from pathlib import Path

MODEL_HELP = "path, or the name of a model that comes with Lanewise"


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


def model_path(model: str) -> str | Path:
    """A path, or one of our models by name."""
    from .. import models

    return models.path(model) if model in models.names() else model
