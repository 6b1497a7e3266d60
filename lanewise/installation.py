"""Which MuJoCo is installed, and whether its files belong together.

Up to MuJoCo 3 the distribution `mujoco` has all files of the package; from 4 on most of them are in
`mujoco-core`. Installed into one environment, the later one overwrites files of the earlier, and
pip does not notice. What is looked at before the package is imported are the names of its
dist-info folders, which takes no time; `overwritten` compares every file with their lists.
"""

import base64
import csv
import hashlib
import importlib
import importlib.util
import re
from pathlib import Path

from .errors import IncompatibleMuJoCo

MUJOCO = "4.0"  # what Lanewise reproduces
REMEDY = (
    f"pip uninstall -y mujoco mujoco-core; pip install 'mujoco=={MUJOCO}.*'"
    " (another MuJoCo needs an environment of its own)"
)
_INFO = re.compile(r"(mujoco|mujoco_core)-(\d+(?:\.\w+)*)\.dist-info$", re.IGNORECASE)


def check_mujoco() -> None:
    """Import MuJoCo; raise IncompatibleMuJoCo if it is missing, mixed or another version."""
    site = package_site()
    if site is None:
        raise IncompatibleMuJoCo(f"MuJoCo is not installed: pip install 'mujoco=={MUJOCO}.*'")
    mixed = mixture(site)
    if mixed:
        raise IncompatibleMuJoCo(f"{mixed}. Mend it with: {REMEDY}")
    try:
        mujoco = importlib.import_module("mujoco")
        found, library = mujoco.__version__, mujoco.mj_versionString()
    except (ImportError, OSError, AttributeError) as error:
        raise IncompatibleMuJoCo(
            f"the installed MuJoCo cannot be imported ({error}). Mend it with: {REMEDY}"
        ) from error
    if not found.startswith(MUJOCO + "."):
        raise IncompatibleMuJoCo(
            f"Lanewise reproduces MuJoCo {MUJOCO} exactly and found {found}: {REMEDY}"
        )
    if not library.startswith(MUJOCO + "."):
        raise IncompatibleMuJoCo(
            f"MuJoCo's Python files are of {found}, its library is of {library}: {REMEDY}"
        )


def package_site() -> Path | None:
    """The folder that the package mujoco would be imported from."""
    try:
        spec = importlib.util.find_spec("mujoco")
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]).parent if places else None


def distributions(site: Path) -> dict[str, str]:
    """{distribution: version} of those that have files of the package."""
    found = [_INFO.match(path.name) for path in sorted(site.glob("mujoco*.dist-info"))]
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


def mixture(site: Path) -> str:
    """What is wrong if distributions of several versions share the folder, or ''."""
    found = distributions(site)
    if len({tuple(version.split(".")[:2]) for version in found.values()}) < 2:
        return ""
    named = " and ".join(f"{name} {version}" for name, version in found.items())
    return f"{named} are installed into one folder and overwrite each other's files ({site})"


def overwritten(site: Path) -> list[str]:
    """Files of MuJoCo's distributions that are missing, or not what a list of that version says."""
    listed: dict[tuple[str, str], set[str]] = {}  # digests by file and version
    for info in sorted(site.glob("mujoco*.dist-info")):
        match, record = _INFO.match(info.name), info / "RECORD"
        if match is None or not record.is_file():
            continue
        version = ".".join(match[2].split(".")[:2])
        with record.open(newline="", encoding="utf-8") as file:
            for name, digest, *_ in csv.reader(file):
                if digest.startswith("sha256="):
                    listed.setdefault((name, version), set()).add(digest)
    return [
        f"{name} of {version}"
        for (name, version), digests in listed.items()
        if _digest(site / name) not in digests
    ]


def _digest(path: Path) -> str:
    """As lists of files have it."""
    try:
        found = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return "missing"
    return "sha256=" + base64.urlsafe_b64encode(found).rstrip(b"=").decode()
