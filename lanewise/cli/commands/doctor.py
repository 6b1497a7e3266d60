"""versions, processor, kernels, extras, and ways to draw pictures

The exit status is 1 if something is wrong with the installation. Extras that are not installed are
nothing wrong: commands that need them say so.

Examples:
  lanewise doctor
  lanewise doctor --json
"""

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version

import click

from ..extras import EXTRAS
from ..options import json_option

PACKAGES = ("lanewise", "numpy", "llvmlite", "mujoco-core", "mujoco", "click", "rich")
WIDE = ("avx2", "fma", "avx512f", "avx512vl", "neon", "sve")  # features that are mentioned

Lines = list[tuple[str, str]]


@click.command()
@json_option
def command(as_json: bool) -> None:
    from ...installation import check_mujoco

    lines = [*_packages(), *_machine(), *_kernels(), *_extras(), *_pictures()]
    if as_json:
        print(json.dumps([{"what": name.strip(), "is": value} for name, value in lines], indent=2))
    else:
        for name, value in lines:
            print(f"{name:<15}{value}")
    check_mujoco()  # last: what is said above helps to mend it


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _packages() -> Lines:
    from ...installation import mixture, overwritten, package_site

    lines = [(package, _version(package) or "not installed") for package in PACKAGES]
    site = package_site()
    wrong = overwritten(site) if site else []
    if site and mixture(site):
        lines.append(("  mixed", mixture(site)))
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        lines.append(("  damaged", f"not as they were installed: {', '.join(wrong[:3])}{more}"))
    return lines


def _machine() -> Lines:
    from ...lanes import JIT
    from ...lanes.objects import llvm

    features = llvm.get_host_cpu_features()
    wide = " ".join(name for name in WIDE if features.get(name)) or "baseline"
    return [
        ("python", f"{platform.python_version()} on {platform.platform()}"),
        ("processor", f"{llvm.get_host_cpu_name()}, {os.cpu_count()} threads, {wide}"),
        ("compiler", "on" if JIT else "off (LANEWISE_JIT=0): kernels run as plain Python"),
    ]


def _kernels() -> Lines:
    from ...engine import parts
    from ...lanes import prebuilt
    from ...lanes.machine import this_machine
    from ...lanes.objects import cache_directory, source_digest

    refusal = prebuilt.refusal(source_digest)
    if refusal:
        lines = [("kernels", f"compiled for {this_machine().cpu}: {refusal}")]
    else:
        lines = [("kernels", f"of the package, for {prebuilt.machine().name}")]
    lines.append(("cache", str(cache_directory())))
    for variant in parts.VARIANTS:
        states: dict[str, list[str]] = {}
        for part, request in parts.library(variant).requests.items():
            state = request.source if request.look() else "to be compiled when needed"
            states.setdefault(state, []).append(part)
        for state, names in states.items():
            named = "all parts" if len(states) == 1 else ", ".join(names)
            lines.append((f"  {variant}", f"{named}: {state}"))
    return lines


def _extras() -> Lines:
    """What pip install 'lanewise[NAME]' brings, and whether it is there."""
    lines = []
    for extra, packages in EXTRAS.items():
        found = {package: _version(package) for package in packages}
        there = ", ".join(f"{package} {number}" for package, number in found.items() if number)
        missing = ", ".join(package for package, number in found.items() if not number)
        advice = f"no {missing}: pip install 'lanewise[{extra}]'" if missing else ""
        lines.append((f"  {extra}", "; ".join(filter(None, (there, advice)))))
    return [("extras", ""), *lines]


def _pictures() -> Lines:
    from ..gl_backends import tried

    return [("pictures", ""), *((f"  {name}", state) for name, state in tried().items())]
