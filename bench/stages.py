"""Time per stage, beside MuJoCo's: python -m bench.stages MODEL.

Every stage function runs many times on one gang of eight worlds; its time is divided by eight.
MuJoCo's functions run on one world. From both, the time of the same function on an empty model is
taken off: that is what the call from Python costs. Constraints are disabled.
"""

import sys
import time
from collections.abc import Callable

import mujoco
import numpy as np

import lanewise as lw
from lanewise import measure
from lanewise.demo import table
from lanewise.functions import STAGE_FUNCTIONS
from lanewise.lanes import W

# stages whose function in MuJoCo is not mj_ and the stage's name in camel case
SPECIAL: dict[str, Callable] = {
    "crb": mujoco.mj_makeM,
    "rne": lambda mj, d: mujoco.mj_rne(mj, d, 0, d.qfrc_bias),
    "euler": mujoco.mj_Euler,
    "rungekutta4": lambda mj, d: mujoco.mj_RungeKutta(mj, d, 4),
    "implicitfast": mujoco.mj_implicit,
}

# the integrators' stages, in the order of mjtIntegrator; a model has one of them
INTEGRATORS = ("euler", "rungekutta4", "implicit", "implicitfast", "discrete")


def mujoco_function(stage: str) -> Callable | None:
    """MuJoCo's function for a stage, on (m, d)."""
    head, *tail = stage.split("_")
    name = "mj_" + head + "".join(part.capitalize() for part in tail)
    return SPECIAL.get(stage) or getattr(mujoco, name, None)


def microseconds(call: Callable, restore: Callable, calls: int = 200, rounds: int = 15) -> float:
    """Of one call, the best round; the state is put back before each."""
    best = float("inf")
    for _ in range(rounds):
        restore()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, time.perf_counter() - begin)
    return 1e6 * best / calls


class Stages:
    """All stages of one model, in both engines, from the same state."""

    def __init__(self, mj: mujoco.MjModel):
        self.mj, self.m = mj, lw.load(mj)
        worlds = measure.Worlds.scattered(mj, W)
        self.mj_data = []
        for k in range(W):
            d = mujoco.MjData(mj)
            d.qpos[:], d.qvel[:], d.ctrl[:] = worlds.qpos[k], worlds.qvel[k], worlds.ctrl[k]
            mujoco.mj_forward(mj, d)
            self.mj_data.append(d)
        self.d = lw.put_data(self.m, self.mj_data)
        self.start = self.d.state_lanes.copy()
        self.mj_start = np.empty(mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_INTEGRATION))
        mujoco.mj_getState(mj, self.mj_data[0], self.mj_start, mujoco.mjtState.mjSTATE_INTEGRATION)

    def lanewise(self, stage: str) -> float:
        function = STAGE_FUNCTIONS[stage]
        return microseconds(lambda: function(self.m, self.d), self._restore)

    def mujoco(self, stage: str) -> float | None:
        function = mujoco_function(stage)
        if function is None:
            return None
        d = self.mj_data[0]
        return microseconds(lambda: function(self.mj, d), self._mj_restore)

    def _restore(self) -> None:
        self.d.state_lanes[:] = self.start
        lw.forward(self.m, self.d)

    def _mj_restore(self) -> None:
        d = self.mj_data[0]
        mujoco.mj_setState(self.mj, d, self.mj_start, mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_forward(self.mj, d)


def profile(mj: mujoco.MjModel) -> list[tuple]:
    """(stage, microseconds per world in Lanewise, in MuJoCo) for every public stage."""
    nothing = mujoco.MjModel.from_xml_string("<mujoco/>")
    nothing.opt.integrator = mj.opt.integrator
    full, empty = Stages(mj), Stages(nothing)
    others = set(INTEGRATORS) - {INTEGRATORS[mj.opt.integrator]}
    rows = []
    for stage in STAGE_FUNCTIONS:
        if stage in others:
            continue
        ours = max(0.0, full.lanewise(stage) - empty.lanewise(stage)) / W
        theirs = full.mujoco(stage)
        if theirs is not None:
            theirs = max(0.0, theirs - (empty.mujoco(stage) or 0.0))
        rows.append((stage, ours, theirs))
    return rows


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python -m bench.stages MODEL", file=sys.stderr)
        return 2
    mj = measure.unconstrained(sys.argv[1])
    with measure.mujoco_clock(False):
        rows = profile(mj)
    print(f"microseconds per world, {mj.nv} degrees of freedom, constraints disabled")
    shown = []
    for stage, ours, theirs in rows:
        both = theirs is not None and ours > 0.0
        shown.append((
            stage, f"{ours:.3f}", "-" if theirs is None else f"{theirs:.3f}",
            f"{theirs / ours:.1f}" if both else "-",
        ))  # fmt: skip
    print(table(shown, ("stage", "Lanewise", "MuJoCo", "ratio")))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
