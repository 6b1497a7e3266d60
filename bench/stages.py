"""Time per stage, beside MuJoCo's: python -m bench.stages MODEL [--smooth].

Every stage function runs many times on one gang of eight worlds; its time is divided by eight.
MuJoCo's functions run on one world after another, the same eight. From both, the time of the same
function on an empty model is taken off: that is what the call from Python costs. The worlds have
settled, so that things touch; with --smooth constraints are disabled.
"""

import argparse
import time
from collections.abc import Callable

import mujoco
import numpy as np

import lanewise as lw
from lanewise.cli import measure
from lanewise.cli.terminal import table
from lanewise.functions import STAGE_FUNCTIONS
from lanewise.lanes import W

from .contacts import ContactCase, settled

# stages whose function in MuJoCo is not mj_ and the stage's name in camel case
FORCE = np.zeros(6)
SPECIAL: dict[str, Callable] = {
    "crb": mujoco.mj_makeM,
    "rne": lambda mj, d: mujoco.mj_rne(mj, d, 0, d.qfrc_bias),
    "euler": mujoco.mj_Euler,
    "rungekutta4": lambda mj, d: mujoco.mj_RungeKutta(mj, d, 4),
    "implicitfast": mujoco.mj_implicit,
    "contact_force": lambda mj, d: [mujoco.mj_contactForce(mj, d, k, FORCE) for k in range(d.ncon)],
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
    """All stages of one model, in both engines, from the same eight states."""

    def __init__(self, mj: mujoco.MjModel, rows: np.ndarray | None = None):
        self.mj, self.m = mj, lw.load(mj)
        if rows is None:
            rows = scattered_rows(mj)
        self.mj_start = rows
        self.mj_data = [mujoco.MjData(mj) for _ in range(W)]
        self._mj_restore()
        self.d = lw.put_data(self.m, self.mj_data)
        self.start = self.d.state_lanes.copy()

    def lanewise(self, stage: str) -> float:
        function = STAGE_FUNCTIONS[stage]
        return microseconds(lambda: function(self.m, self.d), self._restore)

    def mujoco(self, stage: str) -> float | None:
        function = mujoco_function(stage)
        if function is None:
            return None

        def call() -> None:
            for d in self.mj_data:
                function(self.mj, d)

        return microseconds(call, self._mj_restore, calls=25) / W

    def _restore(self) -> None:
        self.d.state_lanes[:] = self.start
        lw.forward(self.m, self.d)

    def _mj_restore(self) -> None:
        for d, row in zip(self.mj_data, self.mj_start, strict=True):
            mujoco.mj_setState(self.mj, d, row, mujoco.mjtState.mjSTATE_INTEGRATION)
            mujoco.mj_forward(self.mj, d)


def scattered_rows(mj: mujoco.MjModel) -> np.ndarray:
    """Full state rows of eight scattered worlds."""
    worlds, d = measure.Worlds.scattered(mj, W), mujoco.MjData(mj)
    rows = np.empty((W, mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_INTEGRATION)))
    for k in range(W):
        d.qpos[:], d.qvel[:], d.ctrl[:] = worlds.qpos[k], worlds.qvel[k], worlds.ctrl[k]
        mujoco.mj_getState(mj, d, rows[k], mujoco.mjtState.mjSTATE_INTEGRATION)
    return rows


def profile(mj: mujoco.MjModel, rows_of_state: np.ndarray | None = None) -> list[tuple]:
    """(stage, microseconds per world in Lanewise, in MuJoCo) for every public stage."""
    nothing = mujoco.MjModel.from_xml_string("<mujoco/>")
    nothing.opt.integrator = mj.opt.integrator
    full, empty = Stages(mj, rows_of_state), Stages(nothing)
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
    parser = argparse.ArgumentParser("python -m bench.stages", description=__doc__)
    parser.add_argument("model", help="an MJCF file, or the name of a bundled model")
    parser.add_argument("--smooth", action="store_true", help="without constraints")
    arguments = parser.parse_args()
    case = ContactCase(arguments.model, nsim=W)
    if arguments.smooth:
        print_profile(measure.unconstrained(case.load()))
    else:
        print_settled(case)
    return 0


def print_settled(case: ContactCase) -> None:
    """The table of a case whose worlds have settled."""
    worlds = settled(case)
    touches = f"{worlds.ncon:.1f} contacts, {worlds.nefc:.1f} rows, {worlds.niter:.1f} iterations"
    print_profile(worlds.mj, worlds.state, touches)


def print_profile(
    mj: mujoco.MjModel, state: np.ndarray | None = None, touches: str = "constraints disabled"
) -> None:
    with measure.mujoco_clock(False):
        rows = profile(mj, state)
    print(f"microseconds per world, {mj.nv} degrees of freedom, {touches}")
    shown = []
    for stage, ours, theirs in rows:
        both = theirs is not None and ours > 0.0
        shown.append((
            stage, f"{ours:.3f}", "-" if theirs is None else f"{theirs:.3f}",
            f"{theirs / ours:.1f}" if both else "-",
        ))  # fmt: skip
    print(table(shown, ("stage", "Lanewise", "MuJoCo", "ratio")))


if __name__ == "__main__":
    raise SystemExit(main())
