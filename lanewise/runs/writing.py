"""Where files go: refusals before anything is computed, and writing that leaves no half file."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..loaders.free_memory import available, spoken

_SLACK = 2**20  # bytes that a file takes besides its arrays


def new_place(path: Any, endings: tuple[str, ...], force: bool) -> Path:
    """The Path of a file that can be made; ValueError or OSError if it cannot."""
    place = Path(os.fspath(path))
    if place.suffix.lower() not in endings:
        choices = " or ".join(endings)
        raise ValueError(f"cannot write {str(place)!r}: its name must end with {choices}")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(place.parent)!r} to write in")
    if place.is_dir() and place.suffix.lower() != ".zarr":
        raise IsADirectoryError(f"{str(place)!r} is a folder, and would be a file")
    if _lexists(place) and not force:
        raise FileExistsError(f"{str(place)!r} is there already: choose another name, or --force")
    if not os.access(place.parent, os.W_OK):
        raise PermissionError(f"the folder {str(place.parent)!r} cannot be written to")
    return place


def _lexists(place: Path) -> bool:
    return os.path.lexists(place) and not _is_device(place)


def _is_device(place: Path) -> bool:
    """Whether something is there that is written to, not replaced: a pipe, /dev/null."""
    return place.exists() and not place.is_file() and not place.is_dir()


@contextlib.contextmanager
def written(place: Path) -> Iterator[IO[bytes]]:
    """A file to write, which takes its place when it is complete."""
    if _is_device(place):
        with place.open("wb") as file:
            yield file
        return
    with beside(place) as new, new.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def beside(place: Path) -> Iterator[Path]:
    """A name in the same folder; the file that was made there is moved to its place."""
    new = place.with_name(f".{place.stem}-{os.getpid()}{place.suffix}")
    try:
        yield new
        os.replace(new, place)
    finally:
        new.unlink(missing_ok=True)


def check_disk(place: Path, needed: int) -> None:
    """Raise ValueError if a file of so many bytes does not fit where it would be."""
    free = shutil.disk_usage(place.parent).free
    if needed + _SLACK > free:
        raise ValueError(
            f"{place.name} would take about {spoken(needed)}, and {spoken(free)} are free in"
            f" {str(place.parent.resolve())!r}: fewer worlds or steps, fewer fields, or --every k"
        )


def check_memory(needed: int, what: str, advice: str) -> None:
    """Raise ValueError if so many bytes are not free."""
    free = available()
    if needed > free:
        raise ValueError(
            f"{what} takes about {spoken(needed)} of memory, and {spoken(free)} are free: {advice}"
        )
