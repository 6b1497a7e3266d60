"""One model beside MuJoCo, in everything that docs/parity.md has a table for.

The comparing is that of the tests (tests/support): this file puts together what is compared with
what, on which states, and notes every residual.

* smooth stages, with constraints and sensors off: each alone, all in one forward, and steps
* contacts, constraint rows, the solver and the forces that follow, from states in touch
* steps with constraints, in other options for each model
* sensors of every kind on everything that the model has
* functions of a Data and of a Batch (parity_functions.py)
* worlds of a Batch and the same alone, bit by bit
"""

import copy
import warnings
import zlib
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import product

import mujoco
import numpy as np

import lanewise as lw
from lanewise import fields
from lanewise.batch import DATA_FIELDS
from lanewise.engine.stages import STAGES
from lanewise.errors import UnsupportedFeature
from lanewise.mjconst import STAGE_POS
from parity_findings import Findings
from parity_functions import BAD, compare_functions
from parity_models import Source, native
from parity_nudges import (
    SURE,
    farthest,
    forwarded,
    forwarded_by_rows,
    framed,
    stepped,
    undecided,
)
from parity_worlds import STATE, Worlds
from support import generator, parity, parity_forces, sensing, tactile, zoo
from support import parity_contacts as touch

WORLDS = 4
STEPS = 3  # of a Batch, before its worlds are compared with the same alone
NSIM = 11  # a gang, and three worlds that are left over
LARGEST = 150  # dofs of a model that is compared in all that iterates
TIGHT = 1e-22  # tolerance of solvers: they go on as long as there is anything to gain
ENOUGH = {  # iterations
    mujoco.mjtSolver.mjSOL_NEWTON: 100, mujoco.mjtSolver.mjSOL_PGS: 300,
    mujoco.mjtSolver.mjSOL_CG: 1000,
}  # fmt: skip
INTEGRATORS = generator.INTEGRATORS
OPTIONS = list(product(INTEGRATORS, touch.SOLVERS, touch.CONES))

# stages that a step of a Batch runs for readers, and one of a Data only when they are called
DEMANDED = [s.name for s in STAGES.values() if "demand" in s.words and s.level > STAGE_POS]
ON_DEMAND = frozenset(f.name for f in fields.READ if f.stage in DEMANDED)

MOVED = ("qpos", "qvel")  # by a step
# what the solver leaves
SOLVED = ("qacc", "qfrc_constraint")
SOLVED_ROWS = ("efc_force", "efc_state", "efc_b")


def on_cones(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> np.ndarray:
    """Rows of contacts that slide after noslip or PGS: their force was put onto the cone, and its
    last bit says whether it is inside, which is their state."""
    rows = np.zeros(mj_data.nefc, bool)
    elliptic = mj_model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    if elliptic and (mj_model.opt.noslip_iterations or mujoco.mj_isDual(mj_model)):
        for contact in mj_data.contact:
            first, dim = contact.efc_address, contact.dim
            if first >= 0 and dim > 1:
                f = mj_data.efc_force[first : first + dim]
                friction = np.linalg.norm(f[1:] / contact.friction[: dim - 1])
                rows[first : first + dim] = abs(friction - f[0]) <= 1e-9 * abs(f[0])
    return rows


def sweep(source: Source, combinations: int = 6) -> Findings:
    """Everything about one model; `combinations`: of integrator, solver and cone, for steps."""
    found = Findings()
    found.count("sets", source.kind, "models")
    mujoco.set_mju_user_warning(lambda message: None)  # models that blow up are left alone
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mj_model = source.make()
        try:
            lw.load(mj_model)
        except UnsupportedFeature as refusal:
            for feature in refusal.features:
                found.count("refused", source.kind, feature)
            return found
        found.count("sets", source.kind, "compared")
        if source.other_library():
            found.count("other library", "models")
        Sweep(source, found, combinations).run()
    return found


# the function that writes a sensor, by the stage that it needs
SENSES = {1: "mj_sensorPos", 2: "mj_sensorVel", 3: "mj_sensorAcc"}


def sensed(found: Findings, m: lw.Model, data: mujoco.MjData, where: str) -> None:
    """Note residuals of sensors, of those that MuJoCo is sure of."""
    mj_model, mine = m.mj, sensing.sensed_alone(m, data)
    for i, (kind, part, value) in enumerate(sensing.residuals(mj_model, mine, data.sensordata)):
        unsure = undecided(value, partial(moved_by_sensing, mj_model, data, part))
        found.count("undecided" if unsure else "decided", "readings")
        if unsure:
            continue
        function = SENSES[int(mj_model.sensor_needstage[i])]
        for key in (("sensors", kind), ("fields", "sensordata", "stage"),
                    ("functions", function, "one")):  # fmt: skip
            found.saw(key, value, where)
        found.count("sensors", kind)


def moved_by_sensing(mj_model: mujoco.MjModel, data: mujoco.MjData, part: slice) -> float:
    """How far MuJoCo's own reading of a sensor, a part of sensordata, goes elsewhere."""
    families = forwarded(mj_model, data), framed(mj_model, data)
    expected = data.sensordata[part]
    return max(
        parity.residual(other.sensordata[part], expected, True)
        for _, others in families
        for other in others
    )


def tactile_sweep(found: Findings) -> None:
    """Tactile sensors, which hardly any model has."""
    for thing in tactile.THINGS:
        m = tactile.model(thing)
        for data in tactile.worlds(m, 2):
            sensed(found, m, data, "tests, tactile")


def again(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> mujoco.MjData:
    """The same state in new data: rows of constraints may be others with other options."""
    state = np.zeros(mujoco.mj_stateSize(mj_model, STATE))
    mujoco.mj_getState(mj_model, mj_data, state, STATE)
    made = mujoco.MjData(mj_model)
    mujoco.mj_setState(mj_model, made, state, STATE)
    return made


def left_over(mj_model: mujoco.MjModel, mj_data: mujoco.MjData) -> mujoco.MjData:
    """The same data with solver_fwdinv."""
    other = copy.copy(mj_data)
    mujoco.mj_compareFwdInv(mj_model, other)
    mj_data.solver_fwdinv[:] = other.solver_fwdinv
    return mj_data


def solution(
    mj_model: mujoco.MjModel, d: lw.Data, lane: int, reference: mujoco.MjData
) -> dict[str, float]:
    """Residuals of what the solver leaves in one world."""
    found = {}
    for name in (*SOLVED, *SOLVED_ROWS):
        ours, theirs = d.arrays[name][..., lane], np.array(getattr(reference, name))
        if name in SOLVED_ROWS:
            ours = ours[: reference.nefc]
        if name == "efc_state":
            sure = ~on_cones(mj_model, reference)
            ours, theirs = ours[sure], theirs[sure]
        found[name] = touch.relative(ours, theirs)
    # two norms of forces: they may be large where forces are, or be large themselves
    theirs = np.array(reference.solver_fwdinv)
    scale = max(1.0, np.abs(reference.qfrc_constraint).max(initial=0.0), theirs.max())
    found["solver_fwdinv"] = np.abs(d.arrays["solver_fwdinv"][:, lane] - theirs).max() / scale
    return found


def moved_by_step(mj_model: mujoco.MjModel, state: mujoco.MjData) -> float:
    """How far MuJoCo's own step goes elsewhere."""
    return farthest(stepped(mj_model, state), MOVED)


def tightened(mj_model: mujoco.MjModel) -> mujoco.MjModel:
    """Where solvers stop must not matter: they have iterations enough to converge. Under the
    discrete integrator the tolerance is also that of a solution with the metric, which warns if it
    does not get there."""
    touch.tighten(mj_model, ENOUGH[mujoco.mjtSolver(mj_model.opt.solver)])
    if mj_model.opt.integrator != mujoco.mjtIntegrator.mjINT_DISCRETE:
        mj_model.opt.tolerance = TIGHT
    return mj_model


class Sweep:
    """The comparisons of one model."""

    def __init__(self, source: Source, found: Findings, combinations: int):
        self.source, self.found, self.combinations = source, found, combinations
        self.label = f"{source.kind}/{source.name}".replace(", with constraints/", "/")
        self.label = self.label.replace(", smooth/", "/")
        self.seed = zlib.crc32(self.label.encode())  # the same each time
        self.rng = np.random.default_rng(self.seed)

    def run(self) -> None:
        self.smooth()
        states = self.constrained()
        if states:
            self.options(states)
        if self.source.text():
            self.sensors()
        self.functions(states)
        self.batch(states)

    def saw(self, *key_and_residual) -> None:
        *key, residual = key_and_residual
        self.found.saw(tuple(key), residual, self.label)

    def worlds(self, number: int, what: str) -> None:
        self.found.count("sets", self.source.kind, what, number=number)

    def harvest(self) -> dict[tuple[str, str], float]:
        """What tests/support/parity.py has noted since the last time."""
        noted = {key: value for key, (value, _) in parity.RESIDUALS.items()}
        parity.RESIDUALS.clear()
        return noted

    # ---- without constraints

    def smooth(self) -> None:
        mj_model = zoo.smooth(self.source.make())
        parity.settle_round_off(mj_model)
        states = [parity.random_state(mj_model, self.rng) for _ in range(WORLDS)]
        context = parity.prepare(mj_model, states)
        self.harvest()
        for stage in parity.FORWARD_STAGES:
            parity.compare_stage(mj_model, states, stage, context=context)
        parity.compare_forward(mj_model, states, context=context)
        for (stage, name), value in self.harvest().items():
            self.saw("fields", name, "forward" if stage == "forward" else "stage", value)
        self.worlds(len(states), "states")
        for number, integrator in enumerate(INTEGRATORS):
            self.smooth_steps(number, integrator)

    def smooth_steps(self, number: int, integrator: str) -> None:
        mj_model = zoo.smooth(self.source.make())
        mj_model.opt.integrator = number
        mj_model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
        parity.settle_round_off(mj_model)
        start = parity.random_state(mj_model, self.rng, scale=0.5)
        states = parity.trajectory(mj_model, start, self.rng, nstep=10, every=5)
        if not states:  # MuJoCo's own simulation blows up from the start
            return
        parity.compare_step(mj_model, states)
        noted = {name: value for (_, name), value in self.harvest().items()}
        for name, value in noted.items():
            self.saw("fields", name, "step", value)
        self.saw("steps", integrator, "none", max(noted[name] for name in ("qpos", "qvel", "act")))
        self.worlds(len(states), "states")

    # ---- with constraints

    def model(self) -> mujoco.MjModel:
        mj_model = tightened(touch.with_constraints(self.source.make()))
        parity.settle_round_off(mj_model)
        return mj_model

    def constrained(self) -> list[mujoco.MjData]:
        """Contacts, rows, solver, forces; the states in which they were compared."""
        mj_model = self.model()
        # MuJoCo leaves efc_state of a single island in efc_state, and else in arrays of islands
        mj_model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
        states = touch.settled(mj_model, self.rng, WORLDS, nstep=100, attempts=4)
        if not states or mj_model.nv > LARGEST:
            return states
        self.worlds(len(states), "states")
        context = touch.prepare(mj_model, states)
        self.contacts(mj_model, context)
        for name, value in touch.compare_rows(mj_model, None, context).items():
            self.saw("fields", name, "stage", value)
        self.harvest()
        self.solver(mj_model, *context)
        self.projected(mj_model, states)
        pushed = parity_forces.pushed(mj_model, states, self.rng)
        if pushed:
            for world in parity_forces.after_constraints(mj_model, pushed):
                for name, value in world.items():
                    self.saw("fields", name, "stage", value)
        accelerated = parity_forces.accelerated(mj_model, states, self.rng)
        if accelerated:
            both = parity_forces.skip_both, parity_forces.mj_skip_both
            for world in parity_forces.inverse(mj_model, accelerated, *both):
                self.saw("fields", "qfrc_inverse", "stage", world["qfrc_inverse"])
        return states

    def contacts(self, mj_model, context) -> None:
        for report in touch.compare_collision(mj_model, None, context):
            for what, number in report.count.items():
                self.found.count("contacts", what, number=number)
            if report.lines:
                self.saw("contacts", "different", float(len(report.lines)))
            for name, value in report.fields.items():
                self.saw("fields", f"contact.{name}", "stage", value)

    def solver(self, mj_model, m, references) -> None:
        """The solution, where MuJoCo is sure of its own."""
        d = touch.solved_anew(m, references)
        lw.expose_constraint(m, d)
        lw.compare_fwdinv(m, d)
        for lane, reference in enumerate(references):
            found = solution(mj_model, d, lane, left_over(mj_model, reference))
            unsure = self.unsure(mj_model, reference, found)
            self.found.count("undecided" if unsure else "decided", "solutions")
            for name in found.keys() - unsure:
                self.saw("fields", name, "stage", found[name])

    def unsure(self, mj_model, reference, found: dict[str, float]) -> set[str]:
        """Fields of a solution that MuJoCo is not sure of."""
        if max(found.values()) <= SURE:
            return set()
        families = forwarded(mj_model, reference), forwarded_by_rows(mj_model, reference)
        for expected, others in families:
            for data in (expected, *others):
                left_over(mj_model, data)
        return {name for name, value in found.items()
                if undecided(value, partial(farthest, families, [name]))}  # fmt: skip

    def projected(self, mj_model, states) -> None:
        """efc_AR, which MuJoCo has for dual solvers."""
        mj_model = copy.copy(mj_model)
        mj_model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        mj_model.opt.solver = mujoco.mjtSolver.mjSOL_PGS
        m, references = touch.prepare(mj_model, states)
        for reference in references:
            d = lw.put_data(m, reference)
            d.arrays["efc_AR"][:4096] = np.nan
            if reference.nefc:
                ours, theirs = d.efc_AR.ravel(), np.array(reference.efc_AR).ravel()
                same = ours.shape == theirs.shape
                value = touch.relative(ours, theirs) if same else np.inf
                self.saw("fields", "efc_AR", "stage", value)

    def options(self, states: Sequence[mujoco.MjData]) -> None:
        """Whole steps, in combinations of options that differ from model to model."""
        mj_model = self.model()
        if mj_model.nv > LARGEST:
            return
        first = self.seed % len(OPTIONS)
        for k in range(self.combinations):
            self.step(*OPTIONS[(first + k * 7) % len(OPTIONS)], states)

    def step(self, integrator: str, solver: str, cone: str, states) -> None:
        mj_model = self.model()
        mj_model.opt.integrator = INTEGRATORS.index(integrator)
        mj_model.opt.solver, mj_model.opt.cone = touch.SOLVERS[solver], touch.CONES[cone]
        tightened(mj_model)
        parity.settle_round_off(mj_model)
        states = [again(mj_model, state) for state in states]
        for state, world in zip(states, touch.compare_step(mj_model, states), strict=True):
            worst = max(world[name] for name in MOVED)
            if undecided(worst, partial(moved_by_step, mj_model, state)):
                self.found.count("undecided", "steps")
                continue
            self.found.count("decided", "steps")
            self.saw("steps", integrator, f"{solver} {cone}", worst)

    # ---- sensors

    def sensors(self) -> None:
        try:
            mj_model = sensing.with_sensors(self.source.text(), self.seed % 1000, most=2)
        except (ValueError, IndexError):  # it has nothing that they could be put on
            return
        native(sensing.without_energy(mj_model))
        mj_model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
        try:
            m = lw.load(mj_model)
        except UnsupportedFeature:
            return
        for data in sensing.states(mj_model, self.seed, 2):
            self.worlds(1, "states")
            sensed(self.found, m, data, self.label)

    # ---- functions, and batches

    def functions(self, states: Sequence[mujoco.MjData]) -> None:
        mj_model = self.model()
        given = [again(mj_model, state) for state in states[:2]]
        given += [parity.random_state(mj_model, self.rng, 0.3, odd=False)]
        if mj_model.nv > LARGEST:
            return
        context = touch.prepare(mj_model, given)
        reports = touch.compare_collision(mj_model, None, context)
        complete = [
            data for data, report in zip(context[1], reports, strict=True)
            if not report.count["equivalent"] and parity.sound(data)
            and farthest([forwarded_by_rows(mj_model, data)], SOLVED) <= SURE
        ]  # fmt: skip
        self.found.count("undecided", "worlds", number=len(given) - len(complete))
        self.found.count("decided", "worlds", number=len(complete))
        if complete:
            compare_functions(Worlds(mj_model, complete, self.rng, self.found, self.label))

    def batch(self, states: Sequence[mujoco.MjData]) -> None:
        """All outputs of worlds in a Batch, and of the same worlds alone."""
        mj_model = self.source.make()
        m = lw.load(mj_model)
        given = list(states[:3])
        while len(given) < NSIM:
            given.append(parity.random_state(mj_model, self.rng, 0.2, odd=False))
        b = lw.Batch(m, NSIM, nthread=2, persistent=True)
        for row, data in zip(b.state, given, strict=True):
            mujoco.mj_getState(mj_model, data, row, STATE)
        rows = b.state.copy()
        b.step(nstep=STEPS)
        alone = []
        for row in rows:
            d = lw.Data(m)
            lw.set_state(m, d, row)
            lw.step(m, d, STEPS)
            alone.append(d)
        every = range(NSIM)
        self.same_bits(b, alone, DATA_FIELDS - ON_DEMAND, every)
        # `forward` resets worlds with bad numbers in a Batch, as MuJoCo's, and not in a Data
        sound = [w for w in every if np.all(np.abs(b.state[w]) < BAD)]
        b.forward()
        for d in alone:
            lw.forward(m, d)
            for stage in DEMANDED:
                getattr(lw, stage)(m, d)
        self.same_bits(b, alone, DATA_FIELDS & ON_DEMAND, sound)

    def same_bits(
        self, b: lw.Batch, alone: Sequence[lw.Data], names: frozenset[str], worlds: Iterable[int]
    ) -> None:
        for name, w in product(sorted(names), worlds):
            together, one = b.bind(name)[w], np.asarray(getattr(alone[w], name))
            same = np.array_equal(together, one, equal_nan=True)
            self.found.count("batch", name, "same" if same else "other")
            if not same:
                self.saw("batch", name, 1.0)
