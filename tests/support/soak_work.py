"""The work of a soak: model after model, case after case.

Each model is stepped in a batch under random controls, for as long as its share of time lasts, and
then the states that it came to are put through the checks of `soak_cases.py`. `Work` knows nothing
of processes: it writes the case that it is about to run, and what it has done so far goes to a
function.
"""

import ctypes
import gc
import os
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import numpy as np

import lanewise as lw
from lanewise.errors import LanewiseError
from support import soak_calls
from support.soak_cases import RESETTING, Case, batch, to_bytes
from support.soak_models import LARGEST, Source, source
from support.states import random_state

SIZES = (1, 2, 7, 8, 9, 17, 64, 250)  # worlds of a batch
MANY = 4096  # worlds of a tiny model
SAMPLE = 5  # worlds that are compared with MuJoCo
HUGE = 1e8  # a state with such a number is not compared with MuJoCo
POISONS = (np.nan, np.inf, -np.inf, 1e300, -1e300)
SPOILED = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "xfrc_applied", "qacc_warmstart", "time")
# what both engines look at before a step; other numbers turn bad by ways that need not be the same
LOOKED_AT = ("qpos", "qvel")


class Difference(Exception):
    """A check failed; its case is in the file."""


@dataclass
class Totals:
    """What has been done."""

    models: int = 0
    refused: int = 0
    worlds: int = 0
    steps: int = 0  # of batches
    world_steps: int = 0
    resets: int = 0
    cases: int = 0
    memory: int = 0  # bytes of this process
    reasons: Counter = field(default_factory=Counter)  # of refusals


def resident() -> int:
    """Bytes of memory that this process has in use; what the allocator only keeps is given back."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Work:
    """The models of a seed from number `first` on."""

    def __init__(self, seed: int, file: Path, seconds: float = 1.0, first: int = 0):
        self.seed, self.file, self.seconds, self.number = seed, file, seconds, first
        self.totals = Totals()
        warnings.simplefilter("ignore", RuntimeWarning)  # of resets, and of room: both are counted
        mujoco.set_mju_user_warning(lambda message: None)
        mujoco.mj_setCacheCapacity(mujoco.mj_getCache(), 0)  # of meshes and textures, by MuJoCo
        self.about: dict = {}  # the model of the cases that are written

    def run(self, until: float, report: Callable[[Totals], None]) -> None:
        """Models until time.monotonic() is `until`; raises Difference."""
        while time.monotonic() < until:
            self.visit(source(self.seed, self.number))
            self.number += 1
            self.totals.memory = resident()
            report(self.totals)

    def visit(self, model: Source) -> None:
        """One model: steps, then checks."""
        rng = np.random.default_rng([self.seed, self.number, 1])
        mj_model = model.make()
        if mj_model.nv > LARGEST:
            return
        try:
            lw.load(mj_model)
        except LanewiseError as error:
            self.totals.refused += 1
            self.totals.reasons.update(getattr(error, "features", {type(error).__name__: 1}).keys())
            return
        self.totals.models += 1
        self.about = {"model": to_bytes(mj_model), "label": f"{model.label}, model {self.number}"}
        rows = self.soak(mj_model, model.tiny, rng)
        self.checks(mj_model, rows, rng)
        self.about = {}  # memory is measured without the model

    # ---- steps

    def soak(self, mj_model, tiny: bool, rng: np.random.Generator) -> np.ndarray:
        """Step a batch under random controls; the states that it comes to."""
        nsim = MANY if tiny else int(rng.choice(SIZES))
        seconds = self.seconds if tiny else self.seconds / 2
        rows = random_rows(mj_model, min(nsim, 16), rng)
        rows = rows[rng.integers(len(rows), size=nsim)]
        b = batch(mj_model, rows)
        self.totals.worlds += nsim
        end = time.monotonic() + seconds
        nstep = 1
        while True:
            b.ctrl = rng.normal(0, 0.7, b.ctrl.shape)
            before = b.state.copy()
            counted = b.warning[:, RESETTING, 1].sum()
            start = time.monotonic()
            self.write("reported", {"nstep": nstep}, rows=before[: 64 if tiny else None])
            b.step(nstep=nstep)
            self.totals.steps += nstep
            self.totals.world_steps += nstep * nsim
            self.totals.resets += int(b.warning[:, RESETTING, 1].sum() - counted)
            lost = ~np.isfinite(b.state).all(axis=1) & ~b.warning[:, :, 1].any(axis=1)
            if lost.any():
                self.check("reported", {"nstep": nstep}, rows=before[lost][:8])
            now = time.monotonic()
            if now > end:
                return b.state.copy()
            if now - start < 0.05:
                nstep = min(2 * nstep, 500)

    # ---- checks

    def checks(self, mj_model, rows: np.ndarray, rng: np.random.Generator) -> None:
        """Every check, from some of these states."""
        rows = rows[rng.permutation(len(rows))[:17]]
        sound = rows[(np.abs(rows) < HUGE).all(axis=1)]
        nstep = int(rng.choice((1, 2, 5, 20)))
        self.check("alone", {"nstep": nstep}, rows=rows[:10])
        self.check("threads", {"nstep": nstep}, rows=np.resize(rows, (27, rows.shape[1])))
        sick = spoiled(mj_model, rows, SPOILED, rng)
        self.check("poison", {"nstep": nstep}, rows=rows, sick=sick)
        sick = spoiled(mj_model, sound[-1:], LOOKED_AT, rng)
        self.check("mujoco", {}, rows=np.concatenate([sound[:SAMPLE], sick]))
        n = min(len(rows), 11)
        program = soak_calls.batch_program(rng, mj_model, n, 10)
        self.check("calls", {"calls": program}, rows=rows[:n])
        program = soak_calls.data_program(rng, mj_model, 12)
        self.check("data", {"calls": program}, rows=rows[:n])

    def write(self, check: str, settings: dict, **arrays: np.ndarray) -> Case:
        """What is about to be run, so that a crash leaves it behind."""
        case = Case(check, settings=settings, arrays=arrays, **self.about)
        case.save(self.file)
        return case

    def check(self, check: str, settings: dict, **arrays: np.ndarray) -> None:
        text = self.write(check, settings, **arrays).run()
        self.totals.cases += 1
        if text:
            raise Difference(f"{self.about['label']}, {check}: {text}")


def random_rows(mj_model, n: int, rng: np.random.Generator) -> np.ndarray:
    """State vectors of random worlds, half of them near the model's own state."""
    rows = np.zeros((n, mujoco.mj_stateSize(mj_model, mujoco.mjtState.mjSTATE_INTEGRATION)))
    for row in rows:
        mj_data = random_state(mj_model, rng, rng.choice((0.05, 0.5)))
        mujoco.mj_getState(mj_model, mj_data, row, mujoco.mjtState.mjSTATE_INTEGRATION)
    return rows


def spoiled(
    mj_model, rows: np.ndarray, names: tuple[str, ...], rng: np.random.Generator
) -> np.ndarray:
    """The same worlds; some of them with a number in one of these fields that is none."""
    sick = rows.copy()
    places = lw.load(mj_model).state_slices
    filled = [name for name in names if places[name].stop > places[name].start]
    for world in rng.integers(len(rows), size=3 if filled and len(rows) else 0):
        place = places[str(rng.choice(filled))]
        sick[world, rng.integers(place.start, place.stop)] = rng.choice(POISONS)
    return sick
