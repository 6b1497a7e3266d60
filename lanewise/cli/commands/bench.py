"""speed on a model beside MuJoCo"""

import argparse

from ..options import MODEL_HELP, check_memory, model_path, positive, threads
from ..terminal import table


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help=MODEL_HELP)
    parser.add_argument("--worlds", type=positive, default=1024)
    parser.add_argument("--steps", type=positive, default=50)
    parser.add_argument("--threads", type=threads, default=1)
    parser.add_argument("--smooth", action="store_true", help="with all constraints disabled")


def run(arguments: argparse.Namespace) -> None:
    from ...loaders import heard
    from .. import measure

    prepare = measure.unconstrained if arguments.smooth else measure.authored
    with heard():  # MuJoCo runs too
        mj = prepare(model_path(arguments.model))
    each = measure.bytes_each(mj) + measure.bytes_each_recorded(mj, arguments.steps)
    check_memory(arguments.worlds, each, f"a recorded rollout of {arguments.steps} steps")
    with heard():
        worlds = measure.Worlds.scattered(mj, arguments.worlds)
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
    print(table(rows, ("engine", "steps per second", "us per step", "Lanewise is faster by")))
    print(f"largest relative difference to mujoco.batch: {result.apart:.1e}")
