"""Simulate random worlds of random models for a long time, and stop at the first thing wrong.

    python tools/soak.py --minutes 60           # or: make soak MINUTES=60
    python tools/soak.py --replay FILE          # what a file says went wrong, once more

Random models, files of installed packages and of LANEWISE_MODELS, random options, controls and
states, worlds full of NaN, public calls in any order. Everything is compared: batches with worlds
alone, one thread with two, sound worlds with themselves beside spoiled ones, and single steps with
MuJoCo. tests/support/soak_cases.py has the checks, soak_models.py the models.

The work is done in a process of its own. If it finds a difference, crashes or hangs, the case that
it was at stays in a file, which `--replay` runs again.
"""

import argparse
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
for folder in (ROOT / "tests", ROOT):
    sys.path.insert(0, str(folder))  # these sources, wherever lanewise is installed from

MARK = "soak: "  # what the worker says to the parent begins with this
PATIENCE = 600.0  # seconds without a word after which the worker hangs
EVERY = 30.0  # seconds between two lines of progress
SETTLING = 40  # models after which memory is expected to be flat


# -------------------------------------------------------------------------------------- the worker


def work(arguments: argparse.Namespace) -> None:
    """Go through models, and say on stdout what was done."""
    from support.soak_work import Difference, Work

    worker = Work(arguments.seed, Path(arguments.file), arguments.seconds, arguments.first)
    until = time.monotonic() + 60 * arguments.minutes
    try:
        worker.run(until, lambda totals: _say({"totals": vars(totals)}))
    except Difference as difference:
        _say({"difference": str(difference)})
        sys.exit(1)


def _say(message: dict) -> None:
    print(MARK + json.dumps(message), flush=True)


# -------------------------------------------------------------------------------------- the parent


class Progress:
    """What the worker has said, and the lines that are made of it."""

    def __init__(self) -> None:
        self.totals: dict = {}
        self.difference = ""
        self.start = self.shown = time.monotonic()
        self.settled = 0  # memory when most code and models have been seen

    def hear(self, line: str) -> None:
        if not line.startswith(MARK):
            return
        message = json.loads(line.removeprefix(MARK))
        self.difference = message.get("difference", self.difference)
        self.totals = message.get("totals", self.totals)
        if not self.settled and self.totals.get("models", 0) >= SETTLING:
            self.settled = self.totals["memory"]
        if time.monotonic() - self.shown > EVERY:
            self.shown = time.monotonic()
            print(self.line(), flush=True)

    def line(self) -> str:
        t = self.totals
        if not t:
            return "nothing was done"
        growth = t["memory"] - self.settled if self.settled else 0
        return (
            f"{time.monotonic() - self.start:6.0f} s: {t['models']} models, {t['refused']} refused;"
            f" {t['worlds']} worlds, {t['steps']} steps, {t['world_steps']:.3g} world-steps,"
            f" {t['resets']} resets, {t['cases']} checks;"
            f" memory {t['memory'] / 2**20:.0f} MB, growth {growth / 2**20:+.0f} MB"
        )


def supervise(command: list[str], case: Path, out: Path, patience: float = PATIENCE) -> int:
    """Run the worker and report; 0 if nothing was wrong, else 1 and the case is in `out`."""
    progress, lines = Progress(), queue.Queue[str | None]()
    log = case.with_suffix(".log")
    with open(log, "wb") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    hangs = False
    try:
        while (line := lines.get(timeout=patience)) is not None:
            progress.hear(line)
    except queue.Empty:
        hangs = True
    finally:
        if process.poll() is None and (hangs or sys.exc_info()[0]):
            process.kill()
    code = process.wait()
    print(progress.line())
    refusals = progress.totals.get("reasons", {})
    if refusals:
        print("refused: " + ", ".join(f"{name} {n}" for name, n in sorted(refusals.items())))
    if code == 0:
        return 0
    if hangs:
        what = f"nothing was heard for {patience:.0f} s"
    elif progress.difference:
        what = progress.difference
    elif code < 0:
        what = f"the process died of signal {-code}"
    else:
        what = "the process ended: " + log.read_text(errors="replace")[-2000:]
    print(what)
    if case.is_file():
        shutil.copy(case, out)
        print(f"again: {sys.executable} tools/soak.py --replay {out}")
    return 1


def _read(process: subprocess.Popen, lines: "queue.Queue[str | None]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


def replay(path: Path) -> int:
    from support.soak_cases import Case

    case = Case.load(path)
    print(f"{case.label}: {case.check}")
    text = case.run()
    print(text or "nothing is wrong")
    return int(bool(text))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="which models; drawn if not given")
    parser.add_argument("--first", type=int, default=0, help="the model to begin with")
    parser.add_argument("--seconds", type=float, default=1.0, help="for the steps of a tiny model")
    parser.add_argument("--out", type=Path, default=Path("soak-failure.npz"))
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run the case of a file again")
    parser.add_argument("--file", help=argparse.SUPPRESS)  # in the worker: where cases go
    arguments = parser.parse_args()
    if arguments.replay:
        return replay(arguments.replay)
    if arguments.file:
        work(arguments)
        return 0
    seed = arguments.seed if arguments.seed is not None else int(time.time())
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="lanewise-soak-") as folder:
        case = Path(folder) / "case.npz"
        command = [sys.executable, os.path.abspath(__file__), "--file", str(case)]
        for name in ("minutes", "first", "seconds"):
            command += [f"--{name}", str(getattr(arguments, name))]
        return supervise([*command, "--seed", str(seed)], case, arguments.out)


if __name__ == "__main__":
    sys.exit(main())
