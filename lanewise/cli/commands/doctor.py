"""versions, processor, and compiled kernels

Examples:
  lanewise doctor
"""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

import click

PACKAGES = ("lanewise", "numpy", "llvmlite", "mujoco-core", "mujoco")
WIDE = ("avx2", "fma", "avx512f", "avx512vl", "neon", "sve")  # features that are mentioned


@click.command()
def command() -> None:
    from ...engine import parts
    from ...installation import check_mujoco, mixture, overwritten, package_site
    from ...lanes import JIT, prebuilt
    from ...lanes.machine import this_machine
    from ...lanes.objects import cache_directory, llvm, source_digest

    for package in PACKAGES:
        try:
            _line(package, version(package))
        except PackageNotFoundError:
            _line(package, "not installed")
    site = package_site()
    wrong = overwritten(site) if site else []
    if site and mixture(site):
        _line("  mixed", mixture(site))
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        _line("  damaged", f"not as they were installed: {', '.join(wrong[:3])}{more}")
    _line("python", f"{platform.python_version()} on {platform.platform()}")
    features = llvm.get_host_cpu_features()
    wide = " ".join(name for name in WIDE if features.get(name)) or "baseline"
    _line("processor", f"{llvm.get_host_cpu_name()}, {os.cpu_count()} threads, {wide}")
    _line("compiler", "on" if JIT else "off (LANEWISE_JIT=0): kernels run as plain Python")
    refusal = prebuilt.refusal(source_digest)
    if refusal:
        machine = this_machine()
        _line("kernels", f"compiled for {machine.cpu}: {refusal}")
    else:
        _line("kernels", f"of the package, for {prebuilt.machine().name}")
    _line("cache", cache_directory())
    for variant in parts.VARIANTS:
        states: dict[str, list[str]] = {}
        for part, request in parts.library(variant).requests.items():
            state = request.source if request.look() else "to be compiled when needed"
            states.setdefault(state, []).append(part)
        for state, names in states.items():
            named = "all parts" if len(states) == 1 else ", ".join(names)
            _line(f"  {variant}", f"{named}: {state}")
    check_mujoco()  # last: what is said above helps to mend it


def _line(name: str, value: object) -> None:
    print(f"{name:<15}{value}")
