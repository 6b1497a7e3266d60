"""Compare with MuJoCo on all models that are at hand, and write docs/parity.md.

    python tools/make_parity.py             # or: make parity; some minutes on two cores
    python tools/make_parity.py --quick     # a few models of each set; not for the repository

Models are those that come with Lanewise, those of the tests, random ones, and files inside of
dm_control, gymnasium and mujoco; LANEWISE_MODELS=folder adds others. parity_sweep.py compares,
parity_functions.py has the functions, parity_page.py makes the tables.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "tests", ROOT):
    sys.path.insert(0, str(folder))  # these sources, wherever lanewise is installed from

import numpy as np  # noqa: E402

import parity_models  # noqa: E402
import parity_numbers  # noqa: E402
import parity_page  # noqa: E402
import parity_sweep  # noqa: E402
from parity_findings import Findings  # noqa: E402


def everything(sources: list[parity_models.Source], jobs: int, combinations: int) -> Findings:
    """The findings on all models, in processes of their own."""
    found, start = Findings(), time.monotonic()
    parity_numbers.compare_numbers(found, np.random.default_rng(0))
    parity_sweep.tactile_sweep(found)
    for source in sources:  # in the order of the page
        found.count("sets", source.kind, "models", number=0)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(parity_sweep.sweep, s, combinations): s for s in sources}
        for done, future in enumerate(as_completed(running), 1):
            source = running[future]
            try:
                found.merge(future.result())
            except Exception as error:
                error.add_note(f"on {source.kind}/{source.name}")
                raise
            if done % 20 == 0 or done == len(sources):
                seconds = time.monotonic() - start
                print(f"{done} of {len(sources)} models, {seconds:.0f} s", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few models of each set")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--page", type=Path, default=parity_page.PAGE, help="the page to write")
    arguments = parser.parse_args()
    from lanewise.engine import parts

    parts.compile_all()  # once, before several processes would all do it
    sources = parity_models.sources(arguments.quick)
    found = everything(sources, arguments.jobs, 2 if arguments.quick else 6)
    text = parity_page.PAGE.read_text()
    arguments.page.write_text(parity_page.page(found, arguments.quick, text))


if __name__ == "__main__":
    main()
