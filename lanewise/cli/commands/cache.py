"""compiled kernels: where they are, their size, clearing them

Kernels are compiled when they are first used, and kept for the next time. Clearing costs nothing
but the time to compile them again. LANEWISE_CACHE_DIR is another place for them.

Examples:
  lanewise cache
  lanewise cache list
  lanewise cache clear
"""

import json
from typing import TYPE_CHECKING, Any

import click

from ..options import json_option
from ..terminal import in_words, table

if TYPE_CHECKING:
    from pathlib import Path

KEPT = (".o", ".key")  # what the cache writes; other files there are somebody else's


@click.command()
@click.argument("action", type=click.Choice(("show", "list", "clear")), default="show")
@json_option
def command(action: str, as_json: bool) -> None:
    from ...lanes.objects import cache_directory
    from ...loaders.free_memory import spoken

    folder = cache_directory()
    files = _files(folder)
    if action == "clear":
        for file, *_ in files:
            file.unlink(missing_ok=True)
    size = sum(size for _, size, _ in files)
    if as_json:
        facts: dict[str, Any] = {"folder": str(folder), "files": len(files), "bytes": size}
        if action == "list":
            facts["list"] = [{"name": f.name, "bytes": size} for f, size, _ in files]
        print(json.dumps({**facts, "cleared": action == "clear"}, indent=2))
        return
    if action == "list":
        print(table([(f.name, f"{size:,}", age) for f, size, age in files],
                    ("file", "bytes", "last written")))  # fmt: skip
    done = "removed " if action == "clear" else ""
    print(f"{folder}: {done}{in_words(len(files), 'file')}, {spoken(size)}")


def _files(folder: "Path") -> "list[tuple[Path, int, str]]":
    """(file, bytes, when it was written) of what is kept, newest first."""
    from datetime import datetime

    found = []
    if folder.is_dir():
        for file in folder.iterdir():
            try:
                about = file.stat()
            except FileNotFoundError:  # another process has removed it
                continue
            if file.suffix in KEPT and file.is_file():
                found.append((about.st_mtime, file, about.st_size))
    found.sort(key=lambda entry: -entry[0])
    when = lambda t: datetime.fromtimestamp(t).strftime("%Y-%m-%d %H:%M")  # noqa: E731
    return [(file, size, when(t)) for t, file, size in found]
