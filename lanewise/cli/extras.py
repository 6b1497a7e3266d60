"""Packages that only some commands need: imported where they are used, missed with one line."""

import importlib
from types import ModuleType

# extra of pyproject.toml -> the packages that it brings
EXTRAS = {
    "viewer": ("viser", "mjviser"),
    "runs": ("zarr",),
    "plot": ("matplotlib",),
    "render": ("imageio-ffmpeg",),
    "logs": ("pyarrow",),
    "cluster": ("ray",),
    "usd": ("usd-core",),
}


def need(module: str, what: str, extra: str) -> ModuleType:
    """Import a module, or raise ImportError that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{what} needs {package}: pip install 'lanewise[{extra}]'") from error
