"""Constraint rows: special cases, the transfer from and to MjData, and other forms of the Jacobian.

Rows on whole models, in every combination of options, are compared in test_contact_parity.py. Here
are parameters that models rarely have, set in contacts that MuJoCo has found, and everything that
leads to rows or is made of them: structure, room, compressed rows, efc_AR, adhesion.
"""

import copy
import itertools

import mujoco
import numpy as np
import pytest

import lanewise as lw
from lanewise.constraint_rows import sparse_rows
from lanewise.loaders.transfer_constraint import static_rows
from support import parity, parity_contacts, zoo
from support.states import random_state

FLAT = mujoco.mjtCone.mjCONE_ELLIPTIC
TOLERANCE = 1e-9

# every condim, moving surfaces, adhesion in touch and in the gap, a chain, two actuators that pull
TOUCHING = """
<mujoco>
  <option timestep="0.004" impratio="2.5"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" adhesion="2" gap=".1" surfacevel="1 2 3 .1 .2 .3"/>
    <body name="hand" pos="0 0 .05" quat="1 .1 .2 .05">
      <freejoint/>
      <geom size=".1" condim="6" friction="1.2 .02 .003" mass="1.3"/>
      <geom size=".1" pos=".4 0 .1" condim="4"/>
      <body name="finger" pos="0 .3 0">
        <joint name="bend" axis="1 .2 0" damping=".3" stiffness="2" frictionloss=".1"/>
        <geom size=".1" condim="3" gap=".05"/>
      </body>
    </body>
    <body name="ball" pos="1 0 .15">
      <joint type="ball" range="0 .3" solreflimit="-300 -20"/><joint type="slide" axis="0 0 1"/>
      <geom size=".1" gap=".01" condim="1"/>
    </body>
    <body name="lid" pos="1 0 .3"><joint axis="0 1 0"/><geom size=".1"/></body>
  </worldbody>
  <actuator>
    <adhesion body="hand" ctrlrange="0 1" gain="3"/>
    <adhesion body="ball" ctrlrange="0 1" gain="3"/>
    <adhesion body="lid" ctrlrange="0 1" gain="3"/>
  </actuator>
</mujoco>"""


def touching(cone=0, integrator=0):
    mj_model = mujoco.MjModel.from_xml_string(TOUCHING)
    mj_model.opt.cone, mj_model.opt.integrator = cone, integrator
    mj_model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_ISLAND
    )  # MuJoCo's efc_state is then final
    return mj_model


def states(mj_model, number=3, seed=0):
    """Near the reference pose, where everything touches; not yet computed."""
    rng, out = np.random.default_rng(seed), []
    for _ in range(number):
        mj_data = mujoco.MjData(mj_model)
        mujoco.mj_integratePos(mj_model, mj_data.qpos, rng.normal(0, 0.02, mj_model.nv), 1)
        mj_data.qvel[:] = rng.normal(0, 1, mj_model.nv)
        mj_data.ctrl[:] = rng.random(mj_model.nu)
        out.append(mj_data)
    return out


def compare(mj_model, references):
    """The residuals beyond the tolerance, with all that is made of contacts made anew."""
    context = lw.load(mj_model), references
    return parity.failures(parity_contacts.compare_rows(mj_model, references, context), TOLERANCE)


SOLREFS = [
    (0.02, 1), (0.001, 0.5), (-900, -30), (-900, 0), (0, -40), (0.03, -1), (-100, 0.7), (0, 0),
]  # fmt: skip
SOLIMPS = [
    (0.9, 0.95, 0.001, 0.5, 2), (0.2, 0.8, 0.05, 0.3, 1), (0.3, 0.9, 0.04, 0.7, 3.3),
    (0.6, 0.6, 0.01, 0.5, 2), (1.5, -1, 0.02, 2, 0.4), (0.4, 0.7, 0, 0.5, 2), (0.5, 0.99, 1, 0, 9),
]  # fmt: skip


@pytest.mark.parametrize("integrator", [0, 4], ids=["Euler", "discrete"])
@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
@pytest.mark.parametrize("safe", [True, False], ids=["refsafe", "unsafe"])
def test_odd_parameters_of_contacts(cone, integrator, safe):
    """Formats of solref, also mixed, curves of solimp, also beyond their bounds, frictions."""
    mj_model = touching(cone, integrator)
    if not safe:
        mj_model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_REFSAFE
    rng, references = np.random.default_rng(7), states(mj_model)
    for mj_data in references:
        mujoco.mj_forward(mj_model, mj_data)
        for contact in mj_data.contact:
            contact.solref[:] = SOLREFS[rng.integers(len(SOLREFS))]
            contact.solreffriction[:] = SOLREFS[rng.integers(len(SOLREFS))]
            contact.solimp[:] = SOLIMPS[rng.integers(len(SOLIMPS))]
            contact.friction[:] = rng.uniform(0.01, 2, 5)
        mujoco.mj_makeConstraint(mj_model, mj_data)
        mujoco.mj_projectConstraint(mj_model, mj_data)
        mujoco.mj_forwardSkip(mj_model, mj_data, mujoco.mjtStage.mjSTAGE_POS, 1)
    assert not compare(mj_model, references)


@pytest.mark.parametrize("integrator", [0, 4], ids=["Euler", "discrete"])
def test_odd_parameters_of_static_rows(integrator):
    """The same of limits, dry friction and equalities."""
    for name in ("constraints_equality", "constraints_limits"):
        mj_model = mujoco.MjModel.from_xml_path(str(zoo.own(name)))
        mj_model.opt.integrator = integrator
        rng = np.random.default_rng(3)
        for part in ("eq", "jnt", "dof"):
            for ref, imp in zip(
                getattr(mj_model, f"{part}_solref"),
                getattr(mj_model, f"{part}_solimp"),
                strict=True,
            ):
                ref[:] = SOLREFS[rng.integers(len(SOLREFS))]
                imp[:] = SOLIMPS[rng.integers(len(SOLIMPS))]
        references = [random_state(mj_model, rng, 0.5) for _ in range(3)]
        for mj_data in references:
            mujoco.mj_forward(mj_model, mj_data)
        assert not compare(mj_model, references), name


def test_refsafe_of_the_discrete_integrator():
    """A contact stiffer than the step resolves becomes the stiffest that it does."""
    mj_model = touching(FLAT, 4)
    mj_data = states(mj_model, 1)[0]
    mj_model.geom_solref[:] = 0.0005, 1
    mujoco.mj_forward(mj_model, mj_data)
    m = lw.load(mj_model)
    d = lw.put_data(m, mj_data)
    lw.forward(m, d)
    normal = d.efc_KBIP[d.contact.efc_address]
    h2KI = m.opt.timestep**2 * normal[:, 0] * normal[:, 2]
    assert np.allclose(h2KI, 1)
    assert not compare(mj_model, [mj_data])


@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
def test_adhesion(cone):
    """Its share of the passive forces, and the arms of actuators that pull at a body's contacts."""
    mj_model = touching(cone)
    references = states(mj_model)
    worst = {}
    for stage in ("passive", "transmission"):
        worst |= parity.compare_stage(mj_model, references, stage)
    assert not parity.failures(worst)
    assert all(
        np.abs(mj_data.qfrc_adhesion).max() > 1
        for mj_data in parity.prepare(mj_model, references)[1]
    )


def test_nothing_where_nothing_moves():
    """Contacts of explicit pairs of bodies that move alike are found, and are no constraints."""
    mj_model = mujoco.MjModel.from_xml_string("""
      <mujoco><worldbody>
        <geom name="p" type="plane" size="1 1 1"/><geom name="a" size=".1" pos="0 0 .05"/>
        <body pos="1 0 .05"><joint axis="0 0 1"/>
          <geom name="c" size=".1"/><geom name="e" size=".1" pos=".05 0 0"/></body>
      </worldbody><contact>
        <pair geom1="p" geom2="a"/><pair geom1="c" geom2="e"/><pair geom1="p" geom2="c"/>
      </contact></mujoco>""")
    m, mj_data = lw.load(mj_model), mujoco.MjData(mj_model)
    mujoco.mj_forward(mj_model, mj_data)
    d = lw.Data(m)
    lw.forward(m, d)
    assert list(d.contact.exclude) == list(mj_data.contact.exclude) == [3, 0, 0, 3]
    assert list(d.contact.efc_address) == list(mj_data.contact.efc_address)


def test_rows_that_do_not_fit():
    """Contacts beyond the room for rows do not act, and the world says so."""
    mj_model = touching()
    m = lw.load(mj_model)
    static = len(m.row_type)
    d = lw.Data(m, 1, njmax=static)
    lw.forward(m, d)
    assert d.arrays["warning.number"][mujoco.mjtWarning.mjWARN_CNSTRFULL, 0] > 0
    assert d.nefc <= static
    without = np.flatnonzero((d.contact.efc_address < 0) & (d.contact.exclude == 0))
    assert without.size and np.isfinite(d.qacc).all()


# ------------------------------------------------------------------------------------- static rows


def test_static_rows_are_in_order_and_complete():
    """Every row that MuJoCo makes has a place, rising, with all its dofs."""
    for name in ("constraints_equality", "constraints_limits", "tendons"):
        mj_model = mujoco.MjModel.from_xml_path(str(zoo.own(name)))
        m, rng = lw.load(mj_model), np.random.default_rng(1)
        for _ in range(3):
            mj_data = random_state(mj_model, rng)
            mujoco.mj_forward(mj_model, mj_data)
            J = parity_contacts.dense_jacobian(mj_model, mj_data)
            places = static_rows(m, mj_data, J)
            assert all(a < b for a, b in itertools.pairwise(places))
            for i, r in enumerate(places):
                dofs = m.row_colind[m.row_rowadr[r] : m.row_rowadr[r] + m.row_rownnz[r]]
                assert set(np.flatnonzero(J[i])) <= set(dofs.tolist())
                assert m.row_type[r] == mj_data.efc_type[i] and m.row_id[r] == mj_data.efc_id[i]


# --------------------------------------------------------------------- other forms of the Jacobian


@pytest.mark.parametrize("name", ["constraints_equality", "constraints_limits", "contacts_chains"])
def test_compressed_rows(name):
    """The structure of MuJoCo's sparse Jacobian, explicit zeros included."""
    mj_model = mujoco.MjModel.from_xml_path(str(zoo.own(name)))
    mj_model.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    m, mj_data = lw.load(mj_model), random_state(mj_model, np.random.default_rng(2), 0.3)
    mujoco.mj_forward(mj_model, mj_data)
    J = parity_contacts.dense_jacobian(mj_model, mj_data)
    kinds, ids = mj_data.efc_type, mj_data.efc_id
    ours = sparse_rows(m, J, kinds, ids, mj_data.contact.geom)
    for field, values in ours.items():
        assert np.array_equal(values, getattr(mj_data, field)), field


@pytest.mark.parametrize("integrator", [0, 4], ids=["Euler", "discrete"])
def test_inverse_inertia_of_constraints(integrator):
    """efc_AR, for a reader; MuJoCo has it with its dual solvers."""
    mj_model = touching(0, integrator)
    mj_model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    mj_model.opt.solver = mujoco.mjtSolver.mjSOL_PGS
    m = lw.load(mj_model)
    for mj_data in states(mj_model, 2):
        mujoco.mj_forward(mj_model, mj_data)
        d = lw.put_data(m, mj_data)
        ours, theirs = d.efc_AR.ravel(), mj_data.efc_AR.ravel()
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < 1e-10 * np.abs(theirs).max()


def test_contacts_that_differ_in_one_parameter():
    """K, B and R of contacts one after another, each with a spring or damper of its own."""
    springs = (
        "", 'solref=".03 1"', 'solref=".03 .7"', 'solref=".03 .7" solimp=".9 .97 .001"',
        'solreffriction=".04 1"', 'solreffriction=".06 1"', 'solref="-300 -20"', "", "",
    )  # fmt: skip
    balls = "".join(
        f'<body pos="{k} 0 .099"><freejoint/><geom name="ball{k}" size=".1"/></body>'
        for k in range(len(springs))
    )
    pairs = "".join(
        f'<pair geom1="floor" geom2="ball{k}" condim="{(3, 4, 6)[k % 3]}" {x}/>'
        for k, x in enumerate(springs)
    )
    floor = '<geom name="floor" type="plane" size="1 1 1"/>'
    for cone, impratio in itertools.product((0, 1), (1, 3)):
        mj_model = mujoco.MjModel.from_xml_string(
            f"<mujoco><worldbody>{floor}{balls}</worldbody><contact>{pairs}</contact></mujoco>"
        )
        mj_model.opt.cone, mj_model.opt.impratio = cone, impratio
        mj_data = mujoco.MjData(mj_model)
        mujoco.mj_forward(mj_model, mj_data)
        assert mj_data.ncon == len(springs)
        m = lw.load(mj_model)
        d = lw.put_data(m, mj_data)
        lw.forward(m, d)
        for name in ("efc_KBIP", "efc_R", "efc_D", "efc_aref"):
            ours, theirs = getattr(d, name), getattr(mj_data, name)
            assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max(), name
        assert np.allclose(d.contact.mu, mj_data.contact.mu, rtol=1e-14)


# ----------------------------------------------------------------------------------------- transfer

EFC = (
    *("type", "id", "pos", "margin", "frictionloss", "diagA", "KBIP", "D", "R", "vel", "aref"),
    *("b", "force", "state"),
)


@pytest.mark.parametrize("solver", [0, 1, 2], ids=["PGS", "CG", "Newton"])
@pytest.mark.parametrize("cone", [0, 1], ids=["pyramidal", "elliptic"])
@pytest.mark.parametrize("integrator", [0, 4], ids=["Euler", "discrete"])
def test_there_and_back(cone, solver, integrator):
    """put_data keeps every row, as `efc_*` and for the stages; get_data gives them back."""
    mj_model = touching(cone, integrator)
    mj_model.opt.solver = solver
    references = states(mj_model, 3)
    for mj_data in references:
        mujoco.mj_forward(mj_model, mj_data)
    m = lw.load(mj_model)
    d = lw.put_data(m, references)
    lw.expose_constraint(m, d)
    for lane, reference in enumerate(references):
        back = lw.get_data(m, d, lane)
        assert back.nefc == reference.nefc and back.ncon == reference.ncon
        for name in EFC:
            theirs = getattr(reference, f"efc_{name}")
            scale = 1e-12 * max(1.0, np.abs(theirs).max())
            ours = d.arrays[f"efc_{name}"][: reference.nefc, ..., lane]
            assert np.abs(ours - theirs).max() <= scale, name
            assert np.abs(getattr(back, f"efc_{name}") - theirs).max() <= scale, name
        for name in ("dist", "pos", "frame", "friction", "geom", "exclude", "efc_address", "mu"):
            there, here = getattr(reference.contact, name), getattr(back.contact, name)
            assert np.array_equal(there, here), name


@pytest.mark.parametrize("solver", [0, 1, 2], ids=["PGS", "CG", "Newton"])
def test_mujoco_goes_on(solver):
    """MuJoCo solves what get_data gives, in islands: it has them in memory of its own."""
    mj_model = parity_contacts.tighten(touching())
    mj_model.opt.disableflags = 0
    mj_model.opt.solver = solver
    m = lw.load(mj_model)
    for mj_data in states(mj_model, 3):
        d = lw.put_data(m, mj_data)
        lw.forward(m, d)
        back = lw.get_data(m, d)
        mujoco.mj_forward(mj_model, mj_data)
        assert back.nisland == mj_data.nisland == d.nisland > 1
        assert np.array_equal(back.efc_island, mj_data.efc_island)
        back.qacc[:] = np.nan
        mujoco.mj_fwdConstraint(mj_model, back)
        assert parity_contacts.relative(back.qacc, d.qacc) < 1e-9


def test_references_from_put_data_alone():
    """reference_constraint continues from MuJoCo's rows, without make_constraint."""
    for integrator in (0, 4):
        mj_model = touching(FLAT, integrator)
        before = states(mj_model, 2)
        for mj_data in before:
            mujoco.mj_forward(mj_model, mj_data)
        m, after = lw.load(mj_model), []
        d = lw.put_data(m, before)
        for lane, mj_data in enumerate(before):
            other = copy.copy(mj_data)
            other.qvel[:] = -other.qvel
            for stage in (mujoco.mj_comVel, mujoco.mj_referenceConstraint):
                stage(mj_model, other)
            after.append(other)
            d.arrays["qvel"][:, lane] = other.qvel
        lw.com_vel(m, d)
        lw.reference_constraint(m, d)
        lw.expose_constraint(m, d)
        for lane, other in enumerate(after):
            for name in ("vel", "aref"):
                theirs = getattr(other, f"efc_{name}")
                ours = d.arrays[f"efc_{name}"][: other.nefc, lane]
                assert np.abs(ours - theirs).max() < 1e-11 * max(1, np.abs(theirs).max()), name
