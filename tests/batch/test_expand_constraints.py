"""Worlds with different models under constraints, beside mujoco.batch.

Worlds start from settled states and go step by step, each step from MuJoCo's state. What MuJoCo
makes of a nudge of 1e-10 says how far apart two right answers may be; where ours is farther, the
solution must be as good as MuJoCo's.
"""

import copy
import os

import mujoco
import mujoco.batch
import numpy as np
import pytest

import lanewise as lw
from lanewise import fields
from lanewise.batch.batch import SimulationError
from lanewise.loaders.derived import OUTPUTS
from support import generator, parity, zoo
from support import parity_contacts as touch
from support.variation import free_numbers, vary

SEEDS = int(os.environ.get("LANEWISE_SEEDS", "100"))
NSIM = 11
OWN = [name for name in zoo.ZOO if name.startswith(("own/contacts_", "own/constraints_"))]
INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION
NAMES = ("qvel", "qacc")
OVERRIDE = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
DIAGEXACT = int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)


def load(name: str) -> mujoco.MjModel:
    return touch.tighten(touch.with_constraints(zoo.ZOO[name]()))


def settled(mj_model, rng) -> np.ndarray:
    """State rows of NSIM worlds in which something touches or pulls."""
    states = touch.settled(mj_model, rng, NSIM, nstep=120)
    if not states:
        pytest.skip("MuJoCo's own simulation blows up from the start")
    rows = np.empty((NSIM, mujoco.mj_stateSize(mj_model, INTEGRATION)))
    for k, row in enumerate(rows):
        mujoco.mj_getState(mj_model, states[k % len(states)], row, INTEGRATION)
    return rows


class Pair:
    """A batch of each engine, to which the same is done."""

    def __init__(self, mj_model, seed: int = 0, **capacity):
        self.rng = np.random.default_rng([seed, 37])
        self.ours = lw.Batch(mj_model, NSIM, nthread=2, **capacity)
        self.theirs = mujoco.batch.Batch(mj_model, NSIM, 1)
        self.theirs.state[:] = settled(mj_model, self.rng)
        for name in NAMES:
            self.ours.bind(name)
            self.theirs.bind(name)

    def expand(self, name: str, change) -> None:
        """Change the rows of a field in place: change(rows)."""
        change(self.theirs.expand(name))
        self.ours.expand(name)[:] = self.theirs.expand(name)

    def vary(self, *names: str) -> None:
        for name in names:
            if self.theirs.expand(name).size:
                self.expand(name, lambda rows, name=name: vary(name, rows, self.rng))

    def draw(self, name: str, choices) -> None:
        """Draw every integer of a field anew, in some worlds."""

        def change(rows):
            drawn = self.rng.choice(choices, rows.shape)
            some = self.rng.random(NSIM) < 0.7
            rows[some] = drawn[some]

        self.expand(name, change)

    def vary_all(self) -> None:
        """All numbers at once, and what follows from them."""
        given = ("geom_size", "geom_fluid", "eq_data")  # mj_setConst writes parts of them
        self.vary(*(name for name in free_numbers() if name not in OUTPUTS or name in given))
        self.set_const()

    def set_const(self) -> None:
        self.ours.set_const()
        self.theirs.set_const()

    def _nudged(self, start: np.ndarray) -> dict[str, np.ndarray]:
        """MuJoCo's results of a step from almost the same state."""
        self.theirs.state[:] = start
        self.theirs.qpos[:] += 1e-10 * self.rng.normal(size=self.theirs.qpos.shape)
        self.theirs.qvel[:] += 1e-10 * self.rng.normal(size=self.theirs.qvel.shape)
        self.theirs.step()
        return {name: getattr(self.theirs, name).copy() for name in NAMES}

    def check(self, nstep: int = 2) -> None:
        """Step both, and compare."""
        compared = 0
        for _ in range(nstep):
            start, warnings = self.theirs.state.copy(), self.theirs.warning.copy()
            self.ours.state[:] = start
            self.ours.step()
            nudged = [self._nudged(start) for _ in range(3)]
            self.theirs.state[:] = start
            self.theirs.step()
            sound = (self.theirs.warning == warnings).all(axis=(1, 2))
            sound &= np.abs(self.theirs.qacc).max(axis=1, initial=0) < 1e8
            worlds = np.flatnonzero(sound)
            far = [w for w in worlds if not all(self._close(n, w, nudged) for n in NAMES)]
            if far:
                self._judge(start, far)
            compared += len(worlds)
        assert compared >= NSIM // 2

    def _close(self, name: str, world: int, nudged) -> bool:
        """Whether a world is as close to MuJoCo as round-off allows."""
        wanted, ours = getattr(self.theirs, name)[world], getattr(self.ours, name)[world]
        allowed = max(touch.relative(x[name][world], wanted) for x in nudged)
        return touch.relative(ours, wanted) <= 1e-6 + 30 * allowed

    def _judge(self, start: np.ndarray, worlds) -> None:
        """Worlds that are not close: is our solution as good as MuJoCo's?"""
        after = self.ours.state.copy()
        self.ours.state[:] = start
        self.ours.forward()
        for world in worlds:
            mj_model = self.theirs.get_model(int(world))
            reference = mujoco.MjData(mj_model)
            mujoco.mj_setState(mj_model, reference, start[world], INTEGRATION)
            mujoco.mj_forward(mj_model, reference)
            report = touch.judge(mj_model, reference, self.ours.qacc[world])
            assert report.passes(), f"world {world}: {report}"
        self.ours.state[:] = after


# ---- numbers


@pytest.mark.parametrize("name", OWN)
def test_all_numbers(name):
    pair = Pair(load(name))
    pair.vary_all()
    pair.check(3)


OUTPUT = (
    *("ncon", "nefc", "contact.dist", "contact.pos", "contact.friction", "contact.solref"),
    *("contact.solimp", "contact.surfacevel", "contact_force", "efc_J", "efc_pos", "efc_R"),
    *("efc_aref", "efc_force", "qacc", "qfrc_constraint", "cacc", "cfrc_int", "cfrc_ext"),
)


@pytest.mark.parametrize("name", OWN)
def test_world_by_world(name):
    """A world among others computes what it computes alone, where its numbers are the model's."""
    pair = Pair(load(name))
    pair.vary_all()
    together = pair.ours
    together.state[:] = pair.theirs.state
    for field in OUTPUT:
        together.bind(field)
    together.forward()
    room = {"nconmax": together.contact.dist.shape[1], "njmax": together.efc_pos.shape[1]}
    for world in (0, 5, NSIM - 1):
        alone = lw.Batch(together.get_model(world), 1, 1, **room)
        alone.state[:] = together.state[world]
        for field in OUTPUT:
            alone.bind(field)
        alone.forward()
        for field in OUTPUT:
            ours, expected = together.bind(field)[world] * 1.0, alone.bind(field)[0] * 1.0
            assert touch.relative(ours, expected) < 1e-9, (world, field)
        force = together.inverse(alone.qacc, [world])[0]
        assert touch.relative(force, alone.inverse(alone.qacc)[0]) < 1e-9, world


@pytest.mark.parametrize("seed", range(SEEDS // 40))
def test_random_model(seed):
    text = generator.generate(seed, constraints=True)
    mj_model = touch.tighten(touch.with_constraints(mujoco.MjModel.from_xml_string(text)))
    # the others, and noslip, leave more than round-off
    mj_model.opt.solver, mj_model.opt.noslip_iterations = touch.SOLVERS["Newton"], 0
    parity.settle_round_off(mj_model)
    pair = Pair(mj_model, seed)
    pair.vary_all()
    pair.check()


@pytest.mark.parametrize("integrator", range(5))
@pytest.mark.parametrize("name", ["own/contacts_pairs", "own/constraints_equality"])
def test_integrators(name, integrator):
    mj_model = load(name)
    mj_model.opt.integrator = integrator
    pair = Pair(mj_model)
    pair.vary_all()
    pair.check(1)


@pytest.mark.parametrize("name", ["own/contacts_boxes", "own/constraints_equality"])
def test_derived_numbers(name):
    """What mj_setConst writes can be written by hand instead."""
    pair = Pair(load(name))
    pair.vary("body_invweight0", "dof_invweight0", "tendon_invweight0", "tendon_length0", "eq_data")
    pair.check()


def test_overriding():
    """Parameters of all contacts from the options, in the worlds where that is enabled."""
    mj_model = load("own/contacts_primitives")
    mj_model.opt.o_margin = 0.002
    pair = Pair(mj_model)
    pair.vary("opt.o_margin", "opt.o_solref", "opt.o_solimp", "opt.o_friction", "opt.impratio")

    def enable(flags):
        flags[::2] |= OVERRIDE

    pair.expand("opt.enableflags", enable)
    pair.check()


@pytest.mark.parametrize("noslip", [0, 5])
def test_tolerances(noslip):
    """Worlds of the dual solvers stop when they are done: after as many sweeps as in MuJoCo."""
    mj_model = load("own/contacts_primitives")
    mj_model.opt.solver, mj_model.opt.iterations = touch.SOLVERS["PGS"], 60
    mj_model.opt.noslip_iterations = noslip
    pair = Pair(mj_model)
    for name in ("opt.tolerance", "opt.noslip_tolerance"):
        pair.expand(name, lambda rows: np.copyto(rows, np.logspace(-9, -2, NSIM)))
    niter = [batch.bind("solver_niter") for batch in (pair.ours, pair.theirs)]
    for batch in (pair.ours, pair.theirs):
        batch.state[:] = pair.theirs.state
        batch.forward()
    np.testing.assert_array_equal(*niter)
    assert len(set(niter[0][:, 0])) > 3
    assert touch.relative(pair.ours.qacc, pair.theirs.qacc) < 1e-9


@pytest.mark.parametrize("cone", touch.CONES)
@pytest.mark.parametrize("solver", touch.SOLVERS)
@pytest.mark.parametrize("name", ["own/contacts_pairs", "own/constraints_limits"])
def test_unchanged_numbers(name, solver, cone):
    """Lanes that all hold the model's number give what the number gives."""
    mj_model = load(name)
    mj_model.opt.solver, mj_model.opt.cone = touch.SOLVERS[solver], touch.CONES[cone]
    mj_model.opt.iterations = 10
    shared, lanes = (lw.Batch(mj_model, NSIM, 2) for _ in range(2))
    lanes.expand("body_mass")
    rows = settled(mj_model, np.random.default_rng(5))
    for batch in (shared, lanes):
        batch.bind("qacc")
        batch.bind("contact.dist")
        batch.bind("efc_pos")
        batch.state[:] = rows
        batch.forward()
    np.testing.assert_array_equal(lanes.ncon, shared.ncon)
    for field in ("qacc", "contact.dist", "efc_pos"):
        assert touch.relative(lanes.bind(field), shared.bind(field)) < 1e-9, field


# ---- integers


def test_solvers_and_cones():
    mj_model = load("own/contacts_pairs")
    mj_model.pair_adhesion[:] += 0.3
    mj_model.pair_gap[:] += 0.01
    pair = Pair(mj_model)
    pair.vary("geom_friction", "geom_size", "opt.impratio", "pair_friction", "pair_adhesion")
    pair.vary("pair_gap", "pair_solreffriction", "pair_solref")
    pair.set_const()
    worlds = np.arange(NSIM)
    pair.expand("opt.cone", lambda rows: np.copyto(rows, worlds % 2))
    pair.expand("opt.solver", lambda rows: np.copyto(rows, worlds % 3))
    pair.expand("opt.iterations", lambda rows: np.copyto(rows, 200 + worlds % 2))
    pair.check()


@pytest.mark.parametrize("numbers", [False, True])
def test_integers_of_contacts(numbers):
    """Dimensions, priorities, bits: of geoms and of explicit pairs."""
    mj_model = load("own/contacts_pairs")
    pair = Pair(mj_model)
    if numbers:
        pair.vary("geom_friction", "geom_margin", "pair_friction", "pair_margin", "body_mass")
    pair.draw("geom_condim", (1, 3, 4, 6))
    pair.draw("pair_dim", (1, 3, 4, 6))
    pair.draw("geom_priority", (0, 1, 2))
    pair.draw("geom_contype", (1, 2, 3))
    pair.draw("geom_conaffinity", (1, 2, 3))
    on = (mj_model.geom_contype | mj_model.geom_conaffinity) != 0
    for batch in (pair.ours, pair.theirs):
        for name in ("geom_contype", "geom_conaffinity"):
            batch.expand(name)[:, ~on] = 0  # there would be more contacts than there is room for
    pair.set_const()
    pair.check()


def test_limits_of_some_worlds():
    pair = Pair(load("own/constraints_limits"))
    pair.draw("jnt_limited", (False, True))
    pair.draw("tendon_limited", (False, True))
    pair.vary("jnt_range", "tendon_range", "dof_frictionloss", "tendon_frictionloss")
    pair.check()


@pytest.mark.parametrize("name", ["own/contacts_pairs", "own/constraints_equality"])
def test_flags(name):
    pair = Pair(load(name))
    bits = [
        int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{bit}"))
        for bit in ("CONTACT", "LIMIT", "EQUALITY", "FRICTIONLOSS", "FILTERPARENT", "MIDPHASE",
                    "REFSAFE", "WARMSTART", "CONSTRAINT", "ISLAND")
    ]  # fmt: skip

    def switch_off(flags):
        flags[: len(bits)] |= bits

    def exact(flags):
        flags[::3] |= DIAGEXACT

    pair.expand("opt.disableflags", switch_off)
    pair.expand("opt.enableflags", exact)
    pair.vary("body_mass")
    pair.check()


def test_equalities_of_some_worlds():
    pair = Pair(load("own/constraints_equality"))
    pair.draw("eq_active0", (False, True))
    pair.vary("eq_solref", "eq_solimp")
    for batch in (pair.ours, pair.theirs):
        batch.reset()
    np.testing.assert_array_equal(pair.ours.eq_active, pair.theirs.eq_active)
    assert len(np.unique(pair.ours.eq_active, axis=0)) > 3
    pair.check()


def test_surfaces_that_start_to_move():
    """mj_setConst counts moving surfaces; without it they stand still, in MuJoCo too."""
    pair = Pair(load("own/contacts_primitives"))
    still = np.arange(NSIM) % 2 == 0

    def move(rows):
        rows[~still, :, 0] = 0.3

    pair.expand("geom_surfacevel", move)
    pair.check(1)
    pair.set_const()
    pair.check(1)
    assert pair.ours.get_model(1).flg_surfacevel
    assert not pair.ours.get_model(0).flg_surfacevel


# ---- worlds that cannot be run


def refused(name: str, number: int, words: str, model: str = "own/contacts_pairs") -> None:
    """World 4 cannot run with these numbers; the others do."""
    b = lw.Batch(load(model), NSIM, 2)
    b.expand(name)[4] = number
    with pytest.raises(SimulationError, match=rf"\(4\); simulation 4: {words}"):
        b.step()
    assert b.time[4] == 0
    assert (np.delete(b.time, 4) > 0).all()


@pytest.mark.parametrize("name", [
    "exclude_signature", "pair_signature", "pair_geom1", "pair_geom2", "geom_type", "geom_bodyid",
    "body_weldid", "body_geomnum",
])  # fmt: skip
def test_who_can_touch_is_structure(name):
    refused(name, 3, f"{name} is structural")


@pytest.mark.parametrize("name", ["eq_type", "eq_objtype", "eq_obj1id", "eq_obj2id"])
def test_equalities_are_structure(name):
    refused(name, 3, f"{name} is structural", "own/constraints_equality")


@pytest.mark.parametrize("name", [
    "opt.solver", "opt.cone", "opt.jacobian", "geom_condim", "pair_dim"
])  # fmt: skip
def test_integers_without_a_meaning(name):
    refused(name, 5, rf"{name}(\[0\])? is 5; it must be one of")


def test_meshes_that_do_not_exist():
    refused("geom_dataid", 3, r"geom_dataid\[0\] is 3; it must be in \[-1, 0\)")


def test_more_contacts_than_there_is_room_for():
    """A world may have contacts where the model cannot: room is made for them."""
    mj_model = load("own/contacts_boxes")
    mj_model.geom_contype[:] = mj_model.geom_conaffinity[:] = 0
    mujoco.mj_setConst(mj_model, mujoco.MjData(mj_model))
    states = []
    for capacity in ({}, {"nconmax": 100, "njmax": 500}):
        b = lw.Batch(mj_model, NSIM, 2, **capacity)
        b.qpos[:, 2] = 0.02
        b.expand("geom_contype")[6] = 1
        b.expand("geom_conaffinity")[6] = 1
        b.set_const()
        ncon = b.ncon
        b.step(nstep=5)
        assert ncon[6] > 0
        assert not np.delete(ncon, 6).any()
        states.append(b.state)
    np.testing.assert_array_equal(*states)


# ---- models of the caller

TWO_OF_THREE = """
<mujoco>
  <option gravity="0 0 -1"/>
  <default><geom size=".1" contype="0" conaffinity="0"/></default>
  <worldbody>
    <body name="a"><joint type="slide" axis="1 .2 0"/><joint axis="0 1 .3"/><geom pos=".1 0 0"/></body>
    <body name="b" pos="1 0 0"><joint type="slide" axis="1 .2 0"/><joint axis="0 1 .3"/><geom pos="0 0 .1"/></body>
    <body name="c" pos="0 1 0"><joint type="slide" axis="1 .2 0"/><joint axis="0 1 .3"/><geom pos="0 .1 .1"/></body>
  </worldbody>
  <equality><connect body1="a" body2="{other}" anchor=".3 .2 .1"/></equality>
</mujoco>
"""  # noqa: E501


def test_models_with_another_structure():
    """What a workspace knows of one model's structure is not taken for another's."""
    models = [mujoco.MjModel.from_xml_string(TWO_OF_THREE.format(other=x)) for x in "bc"]
    given = [models[world % 2] for world in range(NSIM)]
    ours, theirs = lw.Batch(models[0], NSIM, 1), mujoco.batch.Batch(models[0], NSIM, 1)
    for batch in (ours, theirs):
        batch.set_models(given)
        batch.qpos[:] = 0.2 * np.random.default_rng(0).normal(size=batch.qpos.shape)
        batch.step(nstep=5)
    assert touch.relative(ours.state, theirs.state) < 1e-9


def test_models_with_other_contacts():
    """Bits and dimensions of the caller's models, also where the batch's own has no contacts."""
    mj_model = load("own/contacts_pairs")
    models = []
    for k in range(3):
        other = copy.copy(mj_model)
        other.geom_condim[:] = (3, 4, 6)[k]
        other.geom_friction[:, 0] *= 1 + 0.2 * k
        if k == 1:
            other.geom_contype[3:6] = 0
            other.geom_conaffinity[3:6] = 0
        mujoco.mj_setConst(other, mujoco.MjData(other))
        models.append(other)
    small = copy.copy(mj_model)
    small.geom_contype[:] = small.geom_conaffinity[:] = 0
    for pair in (Pair(mj_model), Pair(small)):
        for batch in (pair.ours, pair.theirs):
            batch.set_models([models[world % 3] for world in range(NSIM)])
        pair.check()


def test_fields_of_constraints_expand():
    """Every field of the table that mujoco.batch gives to worlds is one of ours."""
    own = {f.name for f in fields.MODEL}
    pair = Pair(load("own/contacts_surfaces"))
    for name in mujoco.batch.MODEL_FIELDS:
        if name in own:
            pair.ours.expand(name)
    pair.check(1)
