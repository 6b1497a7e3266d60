"""The comparisons of one model, in the order in which they are reported."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import mujoco
import numpy as np

from ... import public
from ...lanes import W
from .contact_lists import compare_contacts
from .fieldwise import (
    compare_rows,
    compare_sensors,
    compare_solver,
    compare_stages,
    compare_steps,
)
from .findings import Findings
from .functionwise import compare_functions
from .sampling_states import sound, states
from .yardstick import ALLOWED, World, apart

lw: Any = public  # stages are among its names when it runs

NUDGE = 1e-12  # of the MuJoCo that runs beside
FAR = 1e-2  # where nudged rollouts are this far apart, chaos has made all of them arbitrary
ROLLOUT = 100  # steps
ASKED = 4  # worlds in which functions are compared

Tell = Callable[[str], None]


def examine(mj: mujoco.MjModel, number: int = 16, seed: int = 0, tell: Tell = print) -> Findings:
    """Compare an MjModel, as it is, in `number` states; `tell` hears which part is next."""
    found, rng = Findings(), np.random.default_rng(seed)
    tell("states")
    starts = states(mj, number, rng)
    if not starts:
        found.notes.append("MuJoCo's own simulation of this model goes bad at once: not compared")
        return found
    if len(starts) < number:
        found.notes.append(f"{len(starts)} of {number} states: MuJoCo's own simulations go bad")
    alike: list[World] = []  # worlds whose contacts are MuJoCo's
    for group in _groups(starts):
        tell("stages, contacts and rows")
        worlds = [World(mj, start) for start in group]
        compare_stages(found, mj, worlds)
        undecided = compare_contacts(found, mj, worlds)
        compare_rows(found, mj, worlds)
        tell("the solver")
        compare_solver(found, mj, worlds)
        tell("sensors")
        compare_sensors(found, mj, group)
        tell("steps")
        compare_steps(found, mj, group, undecided)
        alike += [world for lane, world in enumerate(worlds) if lane not in undecided]
    tell("functions")
    compare_functions(found, mj, alike[:ASKED])
    tell("a rollout")
    for start in starts[-2:]:
        compare_rollout(found, mj, start)
    tell("a batch")
    compare_batch(found, mj, starts)
    return found


def _groups(starts: list[mujoco.MjData]) -> Iterator[list[mujoco.MjData]]:
    """As many as there are lanes."""
    for first in range(0, len(starts), W):
        yield starts[first : first + W]


def compare_rollout(found: Findings, mj: mujoco.MjModel, start: mujoco.MjData) -> None:
    """Many steps from one state, beside MuJoCos that began a hair away, as long as these agree."""
    rng, m = np.random.default_rng(29), lw.load(mj)
    d, reference, nudged = lw.put_data(m, start), copy.copy(start), []
    for _ in range(3):
        other = copy.copy(start)
        mujoco.mj_integratePos(mj, other.qpos, NUDGE * rng.normal(size=mj.nv), 1.0)
        nudged.append(other)
    ours = theirs = 0.0
    for _ in range(ROLLOUT):
        lw.step(m, d)
        for data in (reference, *nudged):
            mujoco.mj_step(mj, data)
        spread = max(apart(other.qpos, reference.qpos) for other in nudged)
        if spread > FAR or not sound(reference):
            break
        theirs = max(theirs, spread)
        ours = max(ours, apart(d.arrays["qpos"][:, 0], reference.qpos))
    found.saw("rollout", f"{ROLLOUT} steps", "qpos", ours, lambda: ALLOWED * theirs,
              tolerance=1e-9)  # fmt: skip


def compare_batch(found: Findings, mj: mujoco.MjModel, starts: list[mujoco.MjData]) -> None:
    """Worlds of a Batch on two threads, after some steps, and the same alone: the same bits."""
    m = lw.load(mj)
    b = lw.Batch(m, len(starts), nthread=2)
    for row, start in zip(b.state, starts, strict=True):
        mujoco.mj_getState(mj, start, row, mujoco.mjtState.mjSTATE_INTEGRATION)
    rows = b.state.copy()
    b.step(nstep=3)
    for together, row in zip(b.state, rows, strict=True):
        d = lw.Data(m)
        lw.set_state(m, d, row)
        lw.step(m, d, 3)
        same = np.array_equal(together, lw.get_state(m, d), equal_nan=True)
        found.saw("batch", "3 steps", "state", 0.0 if same else np.inf, tolerance=0.0)
