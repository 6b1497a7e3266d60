"""Derivatives beside MuJoCo's: python -m bench.derivatives [--quick | --write]

`lw.transition_fd` of one world beside a call of `mjd_transitionFD`, and `Batch.transition_fd` of 64
different worlds, the knots of a trajectory, beside a loop over them; `inverse_fd` likewise. Worlds
were scattered and have settled, so that things touch where they can; both engines have the same
states, warm start included. Time is the processor's, of one thread, the best of several rounds
in turns; MuJoCo's clock callback is removed, and it writes into arrays that were made before.
--write fills the section of docs/benchmarks.md.
"""

import argparse
import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table

from . import contacts

STATE = mujoco.mjtState.mjSTATE_INTEGRATION
EPS = 1e-6
KNOTS = 64


@dataclass(frozen=True)
class Case:
    """One row: worlds of a bundled model, and what is differentiated."""

    worlds: contacts.ContactCase
    nsim: int = 1
    sensors: bool = False  # an accelerometer, a gyro and where the whole is
    centered: bool = False
    inverse: bool = False

    @property
    def name(self) -> str:
        return f"{self.worlds.name}, {self.what}, {self.nsim} worlds"

    @property
    def what(self) -> str:
        kind = "inverse_fd" if self.inverse else "transition_fd"
        marks = [n for n in ("centered", "sensors") if getattr(self, n)]
        return ", ".join([kind, *marks])

    def load(self) -> mujoco.MjModel:
        if not self.sensors:
            return self.worlds.load()
        spec = mujoco.MjSpec.from_file(str(models.path(self.worlds.model)))
        site, body = spec.sites[0], spec.worldbody.first_body()
        for kind in ("ACCELEROMETER", "GYRO"):
            kind = getattr(mujoco.mjtSensor, f"mjSENS_{kind}")
            spec.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=site.name)
        kind = mujoco.mjtSensor.mjSENS_SUBTREECOM
        spec.add_sensor(type=kind, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=body.name)
        return spec.compile()


HUMANOID = contacts.ContactCase("humanoid", scatter=0.1, settle=1.5)
QUADRUPED = contacts.ContactCase("quadruped", scatter=0.03)
GRASP = contacts.ContactCase("grasp", "arm with objects", key="hold", scatter=0.004, settle=0.5)
ARM = contacts.ContactCase("arm", settle=0.2)
CARTPOLE = contacts.ContactCase("cartpole", settle=0.2)
CASES = (
    *(Case(w, n) for w in (HUMANOID, QUADRUPED, GRASP, ARM, CARTPOLE) for n in (1, KNOTS)),
    *(Case(HUMANOID, n, centered=True) for n in (1, KNOTS)),
    *(Case(HUMANOID, n, sensors=True) for n in (1, KNOTS)),
    *(Case(HUMANOID, n, inverse=True) for n in (1, KNOTS)),
)


@dataclass(frozen=True)
class Timed:
    """Microseconds per world of both engines, and how far apart their derivatives are."""

    case: Case
    nv: int
    ncon: float
    lanewise: float
    mujoco: float
    apart: float  # median over worlds of the largest difference, relative to its array's largest

    @property
    def ratio(self) -> float:
        return self.mujoco / self.lanewise


class Worlds:
    """The same states in both engines, and room for MuJoCo's results."""

    def __init__(self, case: Case):
        self.case, self.mj = case, case.load()
        settled = contacts.scattered(case.worlds, self.mj, case.nsim)
        ncon = settled.bind("ncon")
        settled.step(nstep=max(1, round(case.worlds.settle / self.mj.opt.timestep)))
        self.state, self.ncon = settled.state.copy(), float(ncon.mean())
        self.datas = [mujoco.MjData(self.mj) for _ in range(case.nsim)]
        for data, state in zip(self.datas, self.state, strict=True):
            mujoco.mj_setState(self.mj, data, state, STATE)
            mujoco.mj_forward(self.mj, data)
        self.qacc = np.array([data.qacc for data in self.datas])
        nv, nu, ns = self.mj.nv, self.mj.nu, self.mj.nsensordata * case.sensors
        nx = 2 * nv + self.mj.na
        shapes = [(nx, nx), (nx, nu), (ns, nx), (ns, nu)]
        if case.inverse:
            shapes = [(nv, n) for n in (nv, nv, nv, ns, ns, ns, self.mj.nC)]
        self.out = [np.zeros((case.nsim, *shape)) for shape in shapes]

    def theirs(self) -> list[np.ndarray]:
        case, mj = self.case, self.mj
        for k, data in enumerate(self.datas):
            out = [x[k] if x.size else None for x in self.out]
            if case.inverse:
                mujoco.mjd_inverseFD(mj, data, EPS, False, *out)
            else:
                mujoco.mjd_transitionFD(mj, data, EPS, case.centered, *out)
        return self.out

    def ours(self) -> Callable[[], tuple[np.ndarray, ...]]:
        case, m = self.case, lw.load(self.mj)
        if case.nsim == 1:
            d = lw.Data(m)
            lw.set_state(m, d, self.state[0])
            d.qacc = self.qacc[0]
            if case.inverse:
                return lambda: tuple(lw.inverse_fd(m, d, EPS, sensors=case.sensors))
            return lambda: tuple(lw.transition_fd(m, d, EPS, case.centered, sensors=case.sensors))
        b = lw.Batch(m, case.nsim, 1)
        b.state[:] = self.state
        if case.inverse:
            return lambda: tuple(b.inverse_fd(self.qacc, EPS, sensors=case.sensors))
        return lambda: tuple(b.transition_fd(EPS, case.centered, sensors=case.sensors))


def apart(ours: tuple[np.ndarray, ...], theirs: list[np.ndarray]) -> float:
    most = np.zeros(len(theirs[0]))
    for one, other in zip(ours, theirs, strict=True):
        if other.size:
            one, axes = one.reshape(other.shape), (1, 2)
            scale = np.abs(other).max(axis=axes) + 1e-12
            most = np.maximum(most, np.abs(one - other).max(axis=axes) / scale)
    return float(np.median(most))


def _often(call: Callable, times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            call()

    return run


def measure_case(case: Case, rounds: int = 15) -> Timed:
    with measure.mujoco_clock(False):
        worlds = Worlds(case)
        ours, theirs = worlds.ours(), worlds.theirs
        repeat = max(1, 16 // case.nsim)
        runs = [_often(f, repeat) for f in (ours, theirs)]
        seconds = contacts.in_turns(runs, rounds, time.thread_time)
        difference = apart(ours(), theirs())
    scale = 1e6 / (case.nsim * repeat)
    mj = worlds.mj
    return Timed(case, mj.nv, worlds.ncon, scale * seconds[0], scale * seconds[1], difference)


HEADS = ("model", "what", "nv", "contacts", "worlds", "Lanewise, us", "MuJoCo, us", "ratio",
         "difference")  # fmt: skip


def cells(row: Timed) -> tuple:
    case = row.case
    return (
        case.worlds.name, case.what, row.nv, f"{row.ncon:.1f}", case.nsim, f"{row.lanewise:.1f}",
        f"{row.mujoco:.1f}", f"{row.ratio:.2f}", f"{row.apart:.0e}",
    )  # fmt: skip


def write(rows: list[Timed]) -> None:
    """Fill the section of docs/benchmarks.md."""
    from . import report  # which has these tables, too

    page = report.DOCS / "benchmarks.md"
    page.write_text(report.fill(page.read_text(), report.slopes_block(rows), report.SLOPES))


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.derivatives", description=__doc__)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--quick", action="store_true", help="fewer rounds and worlds")
    choice.add_argument("--write", action="store_true", help="fill docs/benchmarks.md, too")
    how = parser.parse_args()
    cases = [dataclasses.replace(c, nsim=min(c.nsim, 16)) if how.quick else c for c in CASES]
    rows = [measure_case(case, 3 if how.quick else 15) for case in cases]
    print(table([cells(row) for row in rows], HEADS))
    if how.write:
        write(rows)


if __name__ == "__main__":
    main()
