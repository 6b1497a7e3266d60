"""Contact-rich worlds beside MuJoCo's batch: python -m bench.contacts [--growth] [--solvers]

Worlds are scattered around a keyframe and simulated by MuJoCo until things rest on each other; both
engines start from those states, warm start included, and take the same steps with the same
tolerances, in turns. A world in which nothing touches any more is replaced by one in which
something does. The time is per world and step, on one thread, MuJoCo's clock callback removed.
"""

import argparse
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import mujoco
import mujoco.batch
import numpy as np

import lanewise as lw
from lanewise import models
from lanewise.cli import measure
from lanewise.cli.terminal import table

CONE = {"pyramidal": 0, "elliptic": 1}


@dataclass(frozen=True)
class ContactCase:
    """One row: a bundled model or a file, how its worlds scatter, and how long they settle."""

    model: str
    label: str = ""
    key: str = ""  # a keyframe to start from; the first one if there is any
    nsim: int = 256
    nstep: int = 50
    scatter: float = 0.05  # of positions, velocities and controls
    settle: float = 1.0  # seconds
    sensors: bool = False  # whether they are computed and read
    anyhow: bool = False  # worlds in which nothing touches will do, if there are no others
    options: dict = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.label or self.model

    def compiled(self) -> mujoco.MjModel:
        file = models.path(self.model) if self.model in models.names() else Path(self.model)
        return mujoco.MjModel.from_xml_path(str(file))

    def load(self) -> mujoco.MjModel:
        mj = self.compiled()
        if not self.sensors:
            mj.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
        for name, value in self.options.items():
            setattr(mj.opt, name, value)
        return mj


CASES = (
    ContactCase("humanoid", scatter=0.1, settle=1.5),
    ContactCase("quadruped", "quadruped, elliptic", scatter=0.03),
    ContactCase("quadruped", "quadruped, pyramidal", scatter=0.03, options={"cone": 0}),
    ContactCase("grasp", "arm with objects", key="hold", scatter=0.004, settle=0.5),
    ContactCase("hand", "hand with a block", key="hold", scatter=0.01),
    ContactCase("boxes", "12 boxes on a plane", scatter=0.05, settle=1.2),
)


def lying(label: str, **options: int) -> ContactCase:
    """The humanoid on the floor."""
    return ContactCase("humanoid", f"humanoid, {label}", scatter=0.1, settle=1.5, options=options)


SOLVERS = (
    lying("PGS", solver=0),
    lying("PGS, elliptic", solver=0, cone=1),
    lying("CG", solver=1),
    lying("noslip", noslip_iterations=3),
    ContactCase("quadruped", "quadruped, noslip", scatter=0.03, options={"noslip_iterations": 3}),
    ContactCase(
        "grasp", "arm with objects, noslip", key="hold", scatter=0.004, settle=0.5,
        options={"noslip_iterations": 3},
    ),
)  # fmt: skip


def solver_cases() -> list[ContactCase]:
    """Other solvers than Newton; and Gymnasium's humanoids, which have PGS and Runge-Kutta."""
    cases = list(SOLVERS)
    package = importlib.util.find_spec("gymnasium")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent / "envs" / "mujoco" / "assets"
        cases += [
            ContactCase(str(folder / f"{name}.xml"), label, nsim=128, nstep=10, scatter=0.3)
            for name, label in (
                ("humanoid", "Gymnasium's Humanoid"),
                ("humanoidstandup", "Gymnasium's HumanoidStandup"),
            )
        ]
    return cases


# ---- states


def scattered(case: ContactCase, mj: mujoco.MjModel, number: int, seed: int = 0):
    """Worlds of MuJoCo's batch around the case's keyframe."""
    rng = np.random.default_rng(seed)
    batch = mujoco.batch.Batch(mj, number, 1)
    key = mj.key(case.key).id if case.key else 0 if mj.nkey else -1
    batch.reset(keyframe=key)
    for row, step in zip(batch.qpos, case.scatter * rng.standard_normal((number, mj.nv))):
        mujoco.mj_integratePos(mj, row, step, 1.0)
    batch.qvel[:] += case.scatter * rng.standard_normal((number, mj.nv))
    if mj.nu:
        low, high = mj.actuator_ctrlrange[:, 0], mj.actuator_ctrlrange[:, 1]
        batch.ctrl[:] += case.scatter * (high - low) * rng.standard_normal((number, mj.nu))
        limited = mj.actuator_ctrllimited.astype(bool)
        batch.ctrl[:, limited] = np.clip(batch.ctrl, low, high)[:, limited]
    return batch


@dataclass(frozen=True)
class Settled:
    """States in which things touch: rows for the `state` of a batch of either engine."""

    mj: mujoco.MjModel
    state: np.ndarray
    ncon: float  # contacts in a world, mean
    nefc: float  # rows
    niter: float  # iterations of MuJoCo's solver, mean

    @property
    def nsim(self) -> int:
        return len(self.state)


def settled(case: ContactCase) -> Settled:
    mj = case.load()
    batch = scattered(case, mj, case.nsim)
    ncon, nefc, niter = batch.bind("ncon"), batch.bind("nefc"), batch.bind("solver_niter")
    batch.step(nstep=max(1, round(case.settle / mj.opt.timestep)))
    sound = ~batch.warning.reshape(case.nsim, -1).any(axis=1)
    touching = (ncon > 0) & sound
    if case.anyhow and not touching.any():
        touching = sound
    if not touching.any():
        raise RuntimeError(f"nothing touches in any world of {case.name}")
    good = np.flatnonzero(touching)
    rows = good[np.arange(case.nsim) % len(good)]
    iterations = niter.reshape(case.nsim, -1).max(axis=1)
    return Settled(
        mj, batch.state[rows].copy(), float(ncon[rows].mean()), float(nefc[rows].mean()),
        float(iterations[rows].mean()),
    )  # fmt: skip


# ---- timing


@dataclass(frozen=True)
class Timed:
    """Microseconds per world and step of both engines, and how far apart they ended."""

    case: ContactCase
    worlds: Settled
    lanewise: float
    mujoco: float
    apart: float  # median over the worlds of the largest difference of qpos

    @property
    def ratio(self) -> float:
        return self.mujoco / self.lanewise


def _advance(batch, start: np.ndarray, nstep: int) -> Callable[[], None]:
    def advance() -> None:
        batch.state[:] = start
        batch.step(nstep=nstep)

    return advance


def in_turns(
    runs: list[Callable[[], None]], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    """Seconds of the best round of each, after one to warm up."""
    for run in runs:
        run()
    best = [np.inf] * len(runs)
    for _ in range(rounds):
        for k, run in enumerate(runs):
            begin = clock()
            run()
            best[k] = min(best[k], clock() - begin)
    return best


def measure_case(case: ContactCase, rounds: int = 5) -> Timed:
    with measure.mujoco_clock(False):
        worlds = settled(case)
        ours = lw.Batch(lw.load(worlds.mj), worlds.nsim, 1)
        theirs = mujoco.batch.Batch(worlds.mj, worlds.nsim, 1)
        if case.sensors:
            ours.bind("sensordata"), theirs.bind("sensordata")
        runs = [_advance(batch, worlds.state, case.nstep) for batch in (ours, theirs)]
        seconds = in_turns(runs, rounds)
    apart = np.abs(np.asarray(ours.qpos) - theirs.qpos).max(axis=1, initial=0.0)
    scale = 1e6 / (worlds.nsim * case.nstep)
    return Timed(case, worlds, scale * seconds[0], scale * seconds[1], float(np.median(apart)))


def geometric_mean(values) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


# ---- growth with the number of free bodies

NUMBERS = (10, 30, 100, 300, 1000)


def heap(number: int, seed: int = 0) -> str:
    """MJCF of free bodies of every primitive kind above a plane, in layers."""
    rng = np.random.default_rng(seed)
    kinds = ("sphere", "capsule", "box", "ellipsoid", "cylinder")
    side = max(1, int(np.ceil((number / 4) ** 0.5)))
    bodies = []
    for k in range(number):
        layer, place = divmod(k, side * side)
        x, y = 0.25 * (place % side - side / 2), 0.25 * (place // side - side / 2)
        quat = rng.normal(size=4)
        bodies.append(
            f'<body pos="{x:.3f} {y:.3f} {0.15 + 0.25 * layer:.3f}"'
            f' quat="{quat[0]:.3f} {quat[1]:.3f} {quat[2]:.3f} {quat[3]:.3f}"><freejoint/>'
            f'<geom type="{kinds[k % len(kinds)]}" size="0.06 0.05 0.07"/></body>'
        )
    return (
        '<mujoco><option timestep="0.004"/><worldbody><geom type="plane" size="0 0 1"/>'
        f"{''.join(bodies)}</worldbody></mujoco>"
    )


@dataclass(frozen=True)
class Growth:
    """Free bodies in a heap: microseconds per step of one world alone, and per world of a batch."""

    number: int
    ncon: int
    one: tuple[float, float]  # Lanewise, MuJoCo
    batch: tuple[float, float] | None  # None: it would have taken too long


def heap_worlds(number: int, worlds: int = 8, nstep: int = 120) -> Settled:
    """Heaps of the same bodies that fell differently: no two worlds have the same contacts."""
    mj = mujoco.MjModel.from_xml_string(heap(number))
    rng = np.random.default_rng(1)
    batch = mujoco.batch.Batch(mj, worlds, 1)
    ncon, nefc, niter = batch.bind("ncon"), batch.bind("nefc"), batch.bind("solver_niter")
    for row in batch.qpos:
        mujoco.mj_integratePos(mj, row, 0.05 * rng.standard_normal(mj.nv), 1.0)
    batch.qvel[:] = 0.2 * rng.standard_normal((worlds, mj.nv))
    batch.step(nstep=nstep)
    means = (float(x.reshape(worlds, -1).max(axis=1).mean()) for x in (ncon, nefc, niter))
    return Settled(mj, batch.state.copy(), *means)


def measure_growths(rounds: int = 3, patience: float = 10.0) -> list[Growth]:
    """All numbers of bodies; gangs only as long as a step of the last one took `patience` s."""
    rows: list[Growth] = []
    seconds = 0.0
    for number in NUMBERS:
        rows.append(measure_growth(number, rounds, gang=seconds < patience))
        batch = rows[-1].batch
        seconds = 8e-6 * batch[0] if batch else np.inf
        print(table([growth_cells(rows[-1])], GROWTH_HEADS), flush=True)
    return rows


def measure_growth(number: int, rounds: int = 3, gang: bool = True) -> Growth:
    worlds = heap_worlds(number)
    mj, nstep = worlds.mj, max(1, min(100, 2000 // number))
    m = lw.load(mj)
    d, mj_data = lw.Data(m), mujoco.MjData(mj)

    def ours() -> None:
        lw.set_state(m, d, worlds.state[0])
        lw.step(m, d, nstep)

    def theirs() -> None:
        mujoco.mj_setState(mj, mj_data, worlds.state[0], mujoco.mjtState.mjSTATE_INTEGRATION)
        mujoco.mj_step(mj, mj_data, nstep)

    with measure.mujoco_clock(False):
        one = in_turns([ours, theirs], rounds)
        many = _gangs(m, worlds, nstep, rounds) if gang else None
    return Growth(number, round(worlds.ncon), (1e6 * one[0] / nstep, 1e6 * one[1] / nstep), many)


def _gangs(m, worlds: Settled, nstep: int, rounds: int) -> tuple[float, float]:
    """Microseconds per world and step of both engines; if a step is slow, of that one step."""
    batches = lw.Batch(m, worlds.nsim, 1), mujoco.batch.Batch(worlds.mj, worlds.nsim, 1)
    first = [_advance(b, worlds.state, 1) for b in batches]
    begin = time.perf_counter()
    first[0]()
    if time.perf_counter() - begin > 2.0:
        nstep, rounds = 1, 1
    seconds = in_turns([_advance(b, worlds.state, nstep) for b in batches], rounds)
    scale = 1e6 / (nstep * worlds.nsim)
    return scale * seconds[0], scale * seconds[1]


# ---- printing

HEADS = (
    "model", "nv", "contacts", "rows", "iterations", "Lanewise, us", "mujoco.batch, us", "ratio",
    "difference",
)  # fmt: skip
GROWTH_HEADS = (
    "free bodies", "contacts", "one world: Lanewise, us", "mj_step, us", "ratio",
    "8 worlds: Lanewise, us", "mujoco.batch, us", "ratio",
)  # fmt: skip


def cells(row: Timed) -> tuple:
    w = row.worlds
    return (
        row.case.name, w.mj.nv, f"{w.ncon:.1f}", f"{w.nefc:.1f}", f"{w.niter:.1f}",
        f"{row.lanewise:.2f}", f"{row.mujoco:.2f}", f"{row.ratio:.2f}", f"{row.apart:.0e}",
    )  # fmt: skip


def growth_cells(row: Growth) -> tuple:
    def both(pair: tuple[float, float] | None) -> tuple[str, ...]:
        return (
            (f"{pair[0]:.0f}", f"{pair[1]:.0f}", f"{pair[1] / pair[0]:.2f}") if pair else ("-",) * 3
        )

    return (row.number, row.ncon, *both(row.one), *both(row.batch))


def group_mean(rows: list[Timed]) -> float:
    """The geometric mean of the ratios, each kind of robot counted once."""
    kinds: dict[str, list[float]] = {}
    for row in rows:
        kinds.setdefault(row.case.model, []).append(row.ratio)
    return geometric_mean(geometric_mean(values) for values in kinds.values())


def main() -> None:
    parser = argparse.ArgumentParser("python -m bench.contacts", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--growth", action="store_true", help="10 to 1000 free bodies instead")
    parser.add_argument("--solvers", action="store_true", help="PGS, CG and noslip instead")
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    arguments = parser.parse_args()
    rounds = 2 if arguments.quick else 7
    if arguments.growth:
        measure_growths(rounds)
        return
    rows = []
    for case in solver_cases() if arguments.solvers else CASES:
        if arguments.only in case.name:
            rows.append(measure_case(case, rounds))
            print(f"{case.name}: ratio {rows[-1].ratio:.2f}", flush=True)
    print(table([cells(row) for row in rows], HEADS))
    print(f"geometric mean of the ratios, each model counted once: {group_mean(rows):.2f}")


if __name__ == "__main__":
    main()
