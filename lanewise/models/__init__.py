"""Models that come with Lanewise, written for it: to try things on, and to measure."""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


def names() -> list[str]:
    """What `path` knows."""
    return sorted(file.stem for file in _FOLDER.glob("*.xml"))


def path(name: str) -> Path:
    """The MJCF file of a model, by its name without suffix."""
    if name not in names():
        raise ValueError(f"no model {name!r} comes with Lanewise; there are {', '.join(names())}")
    return _FOLDER / f"{name}.xml"


def about(name: str) -> str:
    """What a model is, in a line: the comment that its file begins with."""
    first = path(name).read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("<!--").removesuffix("-->").strip()
