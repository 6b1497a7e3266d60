"""simulate a model and say where the time goes, what solvers do and what room is used"""

import argparse
import json
import math
from typing import Any

from ..options import MODEL_HELP, check_memory, model_path, positive, threads


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help=MODEL_HELP)
    parser.add_argument("--worlds", type=positive, default=64, help="scattered around the start")
    parser.add_argument("--steps", type=positive, default=200)
    parser.add_argument("--threads", type=threads, default=1)
    parser.add_argument("--json", action="store_true", help="numbers for programs")


def run(arguments: argparse.Namespace) -> None:
    from ...batch.batch import Batch
    from ...loaders import load
    from ...mjconst import ENBL_ENERGY
    from ...reporting import report
    from .. import measure

    m = load(model_path(arguments.model))
    m.opt.enableflags |= ENBL_ENERGY
    check_memory(arguments.worlds, measure.bytes_each(m.mj), "a batch")
    worlds = measure.Worlds.scattered(m.mj, arguments.worlds)
    b = Batch(m, arguments.worlds, arguments.threads, timing=True)
    b.qpos[:], b.qvel[:], b.ctrl[:] = worlds.qpos, worlds.qvel, worlds.ctrl
    b.step(nstep=arguments.steps)
    found = report(b)
    print(json.dumps(_plain(found.to_dict()), indent=2) if arguments.json else found)


def _plain(x: Any) -> Any:
    """What JSON has a word for: no NaN, no infinity."""
    if isinstance(x, dict):
        return {key: _plain(value) for key, value in x.items()}
    if isinstance(x, list):
        return [_plain(value) for value in x]
    return None if isinstance(x, float) and not math.isfinite(x) else x
