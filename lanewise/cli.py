"""The command line: a demo, sizes and speed of a model, the convention of a log, and a doctor."""

import argparse
import json
import os
import platform
import shutil
import sys
from importlib.metadata import PackageNotFoundError, version

from .errors import LanewiseError

PACKAGES = ("lanewise", "numpy", "numba", "llvmlite", "mujoco-core", "mujoco")


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit status is 1 where it failed for a reason that a user can mend."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command is None:
        parser.print_help()
        return 0
    try:
        arguments.command(arguments)
    except (LanewiseError, FileNotFoundError, ValueError) as error:
        print(f"lanewise: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("lanewise", description=__doc__)
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(metavar="command")

    demo = commands.add_parser("demo", help="simulate thousands of worlds beside mujoco.batch")
    demo.add_argument("--worlds", type=_positive, default=4096)
    demo.add_argument("--steps", type=_positive, default=200)
    demo.add_argument("--threads", type=_positive, default=os.cpu_count() or 1)
    demo.add_argument("--model", default="humanoid", help="a model that comes with Lanewise")
    demo.set_defaults(command=_demo)

    info = commands.add_parser("info", help="sizes of a model, and what of it is not supported")
    info.add_argument("model", help="path, or the name of a model that comes with Lanewise")
    info.set_defaults(command=_info)

    bench = commands.add_parser("bench", help="speed on a model beside MuJoCo")
    bench.add_argument("model", help="path, or the name of a model that comes with Lanewise")
    bench.add_argument("--worlds", type=_positive, default=1024)
    bench.add_argument("--steps", type=_positive, default=50)
    bench.add_argument("--threads", type=_positive, default=1)
    bench.add_argument("--smooth", action="store_true", help="with all constraints disabled")
    bench.set_defaults(command=_bench)

    detect = commands.add_parser("detect", help="tell which convention a log of a body is in")
    detect.add_argument("log", help="npz, CSV or parquet with positions, quaternions and twists")
    detect.add_argument("--dt", type=float, help="seconds between rows, if the file has no times")
    detect.add_argument(
        "--com", type=float, nargs=3, metavar=("X", "Y", "Z"),
        help="centre of mass in the body frame, if it is known",
    )  # fmt: skip
    detect.add_argument("--body", type=int, help="which one, if arrays have several bodies")
    detect.add_argument("--target", default="mujoco", help="the system to convert to")
    for name in ("pos", "quat", "twist"):
        detect.add_argument(
            f"--{name}", metavar="NAME", help=f"the array of the file that is {name}"
        )
    detect.add_argument("--json", action="store_true", help="the verdict for programs")
    detect.set_defaults(command=_detect)

    doctor = commands.add_parser("doctor", help="versions, processor, and compiled kernels")
    doctor.set_defaults(command=_doctor)
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {number}")
    return number


def _find(model: str):
    """A path, or one of our models by name."""
    from . import models

    return models.path(model) if model in models.names() else model


def _demo(arguments) -> None:
    from . import demo

    demo.run(arguments.worlds, arguments.steps, arguments.threads, arguments.model)


def _info(arguments) -> None:
    from .data import capacities, layout
    from .loaders import load

    m = load(_find(arguments.model))
    print(
        f"bodies {m.nbody}, joints {m.njnt}, degrees of freedom {m.nv}, actuators {m.nactuator}"
        f" ({m.nu} controls, {m.na} activations), tendons {m.ntendon}, geoms {m.ngeom},"
        f" sites {m.nsite}"
    )
    print(f"state row      {8 * m.nstate:,} bytes in each world")
    sizes = capacities(m)
    room = f"{sizes['nconmax']} contacts, {sizes['njmax']} constraint rows"
    print(f"room           {room} in a world")
    print(f"workspace      {8 * layout(sizes)[2]:,} bytes in each thread, for eight worlds")


def _bench(arguments) -> None:
    from . import demo, measure

    prepare = measure.unconstrained if arguments.smooth else measure.authored
    worlds = measure.Worlds.scattered(prepare(_find(arguments.model)), arguments.worlds)
    result = measure.compare(worlds, arguments.steps, arguments.threads)
    rows = [
        (
            name,
            f"{result.rate(name):,.0f}",
            f"{result.microseconds(name):.3f}",
            f"{result.ratio(name):.2f}",
        )
        for name in result.seconds
    ]
    print(
        f"{arguments.worlds} worlds, {arguments.steps} steps, {arguments.threads} threads,"
        f"{' constraints disabled,' if arguments.smooth else ''} MuJoCo's clock callback removed"
    )
    print(demo.table(rows, ("engine", "steps per second", "us per step", "Lanewise is faster by")))
    print(f"largest relative difference to mujoco.batch: {result.apart:.1e}")


def _detect(arguments) -> None:
    from .conventions.detection import detect
    from .conventions.logs import read_log

    given = {name: getattr(arguments, name) for name in ("pos", "quat", "twist")}
    names = {name: value for name, value in given.items() if value}
    log = read_log(
        arguments.log, dt=arguments.dt, com=arguments.com, body=arguments.body, names=names
    )
    found = detect(log.pos, log.quat, log.twist, log.dt, com=log.com)
    if arguments.json:
        print(json.dumps({**found.as_dict(), "code": found.code(arguments.target)}, indent=2))
        return
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    print(f"{arguments.log}: {len(log.pos)} rows of {', '.join(log.names) or 'columns'}\n")
    print(found.report(colour=colour, width=width, target=arguments.target))


def _doctor(arguments) -> None:
    from .engine import parts
    from .lanes import JIT
    from .lanes.objects import cache_directory, llvm

    for package in PACKAGES:
        try:
            print(f"{package:<15}{version(package)}")
        except PackageNotFoundError:
            print(f"{package:<15}not installed")
    print(f"{'python':<15}{platform.python_version()} on {platform.platform()}")
    features = llvm.get_host_cpu_features()
    wide = [
        name for name in ("avx2", "fma", "avx512f", "avx512vl", "neon", "sve") if features.get(name)
    ]
    print(
        f"{'processor':<15}{llvm.get_host_cpu_name()}, {os.cpu_count()} threads,"
        f" {' '.join(wide) or 'baseline'}"
    )
    print(f"{'compiler':<15}{'on' if JIT else 'off (LANEWISE_JIT=0): kernels run as plain Python'}")
    print(f"{'cache':<15}{cache_directory()}")
    for variant in parts.VARIANTS:
        states: dict = {}
        for part, request in parts.library(variant).requests.items():
            state = request.source if request.look() else "to be compiled when needed"
            states.setdefault(state, []).append(part)
        for state, names in states.items():
            print(f"{'  ' + variant:<15}{', '.join(names)}: {state}")
