"""Seconds that a clip of ten minutes at 120 Hz takes to be loaded and to be saved, form by form.

python -m bench.motion                   all forms; the table goes into docs/motion.md
python -m bench.motion --forms bvh,csv   some of them; nothing written
python -m bench.motion --quick           a clip of one minute; nothing written

72,000 frames of a G1 with 29 joints; as BVH it has 93 channels. AMASS has poses of SMPL-H. Files
are in a temporary folder, and what is read was just written: this is no measure of a disk. The
first call of each kind, which may compile, is not counted. Of several rounds the best counts.
"""

import argparse
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lanewise.cli.terminal import table
from lanewise.motion import FORMS, Clip, load
from lanewise.motion.smpl import MODELS

from . import report

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))
from support.g1_model import g1, walk_qpos

FPS, MINUTES = 120.0, 10
WANTED = {"load": 2.0, "save": 1.0}  # seconds
ENDING = {"npz": ".npz", "pkl": ".pkl", "csv": ".csv", "bvh": ".bvh", "folder": ""}
SAID: dict[str, dict[str, Any]] = {
    "csv": {"fps": FPS, "root_rot": "xyzw"},
    "bones": {"fps": FPS},
    "gmr": {"root_rot": "xyzw"},
}
PAGE = report.DOCS / "motion.md"
MARKS = ("<!-- written by `python -m bench.motion` -->", "<!-- end of seconds -->")


@dataclass(frozen=True)
class Timed:
    """A form: megabytes, and (seconds, seconds of all processors) of loading and saving."""

    form: str
    megabytes: float
    load: tuple[float, float]
    save: tuple[float, float]

    @property
    def slow(self) -> bool:
        return self.load[0] > WANTED["load"] or self.save[0] > WANTED["save"]


def person(frames: int) -> Clip:
    """Poses of SMPL-H."""
    names = MODELS["smplh"]
    angle = 0.3 * np.sin(np.arange(frames)[:, None] / FPS + np.arange(3 * len(names)))
    angle[:, :3] = (0.5 * np.pi, 0.0, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "person.npz"
        np.savez(path, trans=np.zeros((frames, 3)), poses=angle, mocap_framerate=FPS)
        return load(path)


def best(
    call: Callable[[], Any], rounds: int, before: Callable[[], Any] = int
) -> tuple[float, float]:
    """The least seconds, and the least seconds of processors; before each call comes `before`."""
    took = []
    for _ in range(rounds):
        before()
        start = time.perf_counter(), time.process_time()
        call()
        took.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return min(x[0] for x in took), min(x[1] for x in took)


def remove(path: Path) -> None:
    """What the round before has written: to free its memory is no part of writing anew."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def measure(form: str, clip: Clip, m: Any, folder: Path, rounds: int) -> Timed:
    """One form, of a robot's clip or of a person's."""
    ending, said = ENDING[FORMS[form].kind], SAID.get(form, {})
    path, short = folder / f"clip{ending}", folder / f"short{ending}"
    clip.part(0.0, 120.0).save(short, form, model=m)
    load(short, m, **said)
    save = best(lambda: clip.save(path, form, model=m), rounds, lambda: remove(path))
    files = [path] if path.is_file() else list(path.iterdir())
    megabytes = 1e-6 * sum(file.stat().st_size for file in files)
    return Timed(form, megabytes, best(lambda: load(path, m, **said), rounds), save)


HEADS = ("form", "MB", "load", "processor", "save", "processor")


def rows(found: list[Timed]) -> list[tuple]:
    return [
        (f"`{t.form}`", f"{t.megabytes:.0f}", *(f"{x:.2f}" for x in (*t.load, *t.save)))
        for t in found
    ]


def note(found: list[Timed], frames: int) -> str:
    """How it was measured, and what takes longer than is wanted."""
    slow = ", ".join(t.form for t in found if t.slow)
    text = f"{frames} frames, seconds on {report.processor()} ({report.features()})."
    return text + (f" Above 2 s to load or 1 s to save: {slow}." if slow else "")


def main() -> None:
    parser = argparse.ArgumentParser(
        "python -m bench.motion", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--forms", help="names, with commas between; all if not given")
    parser.add_argument("--quick", action="store_true", help="a minute, nothing written")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    written = [name for name, form in FORMS.items() if form.write is not None]
    forms = given.forms.split(",") if given.forms else written
    if unknown := [name for name in forms if name not in written]:
        parser.error(f"no form {unknown[0]} that is written; there are {', '.join(written)}")
    warnings.filterwarnings("ignore", message=".*the pelvis is J0 away")
    frames = int(60 * FPS) * (1 if given.quick else MINUTES)
    m = g1()
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.savez(folder / "walk.npz", qpos=walk_qpos(m, frames, FPS), fps=FPS)
        robot = load(folder / "walk.npz", m)
        for form in forms:
            of_person = form == "amass"
            clip, model = (person(frames), None) if of_person else (robot, m)
            with tempfile.TemporaryDirectory(dir=folder) as place:
                found.append(measure(form, clip, model, Path(place), given.rounds))
            print(*rows(found[-1:])[0], flush=True)
    print(table(rows(found), HEADS), note(found, frames), sep="\n")
    if not (given.quick or given.forms):
        block = report.markdown_table(HEADS, rows(found), 1) + "\n\n" + note(found, frames)
        PAGE.write_text(report.fill(PAGE.read_text(), block, MARKS))


if __name__ == "__main__":
    main()
