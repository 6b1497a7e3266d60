"""simulate thousands of worlds beside mujoco.batch"""

import argparse
import os

from ..options import positive, threads


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--worlds", type=positive, default=4096)
    parser.add_argument("--steps", type=positive, default=200)
    parser.add_argument("--threads", type=threads, default=os.cpu_count() or 1)
    parser.add_argument("--model", default="humanoid", help="a model that comes with Lanewise")


def run(arguments: argparse.Namespace) -> None:
    from ...loaders import heard
    from ..race import race

    with heard():  # MuJoCo runs too
        race(arguments.worlds, arguments.steps, arguments.threads, arguments.model)
