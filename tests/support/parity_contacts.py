"""Comparing contacts, constraint rows and solvers with MuJoCo.

As in `parity.py`, every part is compared alone, from MuJoCo's own data:

* **contacts** from MuJoCo's geom poses, pair by pair and as an ordered list. Where the geometry has
  several right answers (two parallel faces, a point that falls on an edge), a nudge of 1e-10 makes
  MuJoCo itself answer differently. Such a pair may agree with any of MuJoCo's answers nearby, or
  have the same depth and normal; it is counted as `equivalent`.
* **rows** from MuJoCo's contacts: every `efc_` field, the Jacobian as a dense matrix.
* **the solver** from MuJoCo's rows, with tight tolerances. A solver is judged by its result: the
  acceleration, and the cost that it minimizes, which `Problem` writes down in NumPy.
* **steps**, one by one from the states of a MuJoCo simulation, and **rollouts** beside a nudged
  MuJoCo, which may leave MuJoCo as far as ours.

States come from `settled`: things are dropped at random and fall until they touch.
"""

import copy
import dataclasses
from collections import Counter, defaultdict
from dataclasses import dataclass

import mujoco
import numpy as np

import lanewise as lw
from lanewise import fields
from support import parity
from support.states import random_state

TOLERANCE_ROWS = 1e-9
TOLERANCE_SOLVED = 1e-6
# contacts of pairs with a closed form, and of pairs whose distance is found by iteration
TOLERANCE_CONTACT = 1e-9
TOLERANCE_CONVEX = 1e-6

SOLVERS = {"PGS": 0, "CG": 1, "Newton": 2}
CONES = {"pyramidal": 0, "elliptic": 1}

# fields of one contact that are compared, and those of one row
CONTACT_GEOMETRY = {"dist": 1, "pos": 3, "frame": 9}
CONTACT_PARAMETERS = (
    *("includemargin", "friction", "solref", "solreffriction", "solimp", "adhesion", "surfacevel"),
    *("dim", "geom", "exclude", "efc_address"),
)
CONTACT_FIELDS = (*CONTACT_GEOMETRY, *CONTACT_PARAMETERS)
ROW_FIELDS = (
    *("type", "id", "pos", "margin", "frictionloss", "diagA", "KBIP", "D", "R"),
    *("vel", "aref"),
)
COUNTS = ("ncon", "ne", "nf", "nl", "nefc")


# ---- states


def with_constraints(mj_model: mujoco.MjModel) -> mujoco.MjModel:
    """The model with its constraints on and its sensors off, in place."""
    mj_model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    mj_model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_SENSOR
    return mj_model


def tighten(mj_model: mujoco.MjModel, iterations: int = 200) -> mujoco.MjModel:
    """Solver settings with which the result does not depend on where a solver stops, in place."""
    mj_model.opt.tolerance = 1e-15
    mj_model.opt.iterations = iterations
    mj_model.opt.ls_iterations = 100
    mj_model.opt.ls_tolerance = 1e-6
    return mj_model


def dropped(mj_model: mujoco.MjModel, rng: np.random.Generator, scale: float) -> mujoco.MjData:
    """A random start for a fall: poses near the reference or a keyframe, no forces applied."""
    mj_data = mujoco.MjData(mj_model)
    if mj_model.nkey and rng.random() < 0.5:
        mujoco.mj_resetDataKeyframe(mj_model, mj_data, int(rng.integers(mj_model.nkey)))
    step = rng.normal(0, 0.4 * scale, mj_model.nv)
    mujoco.mj_integratePos(mj_model, mj_data.qpos, step, 1.0)
    mj_data.qvel[:] = rng.normal(0, scale, mj_model.nv)
    for k in range(mj_model.nu):
        low, high = mj_model.actuator_ctrlrange[k] if k < mj_model.nactuator else (0, 0)
        limited = k < mj_model.nactuator and mj_model.actuator_ctrllimited[k]
        mj_data.ctrl[k] = rng.uniform(low, high) if limited else rng.normal(0, 0.3 * scale)
    return mj_data


def settled(
    mj_model: mujoco.MjModel,
    rng: np.random.Generator,
    number: int = 8,
    nstep: int = 250,
    attempts: int = 12,
) -> list[mujoco.MjData]:
    """States of MuJoCo simulations from random drops, taken where something touches or pulls.

    Most are late, when things have come to rest; a few are of the fall. They are complete MjData of
    the start of a step, warm start included. A drop that ends in a warning is dropped.
    """
    found: list[mujoco.MjData] = []
    spare: list[mujoco.MjData] = []
    for attempt in range(attempts):
        if len(found) >= number:
            break
        mj_data = dropped(mj_model, rng, 1.0 if attempt < 6 else 0.2)
        moments = set(rng.integers(2, nstep, 2)) | {int(nstep * rng.uniform(0.8, 1.0)) - 1}
        states, good = [], True
        for step in range(nstep):
            if step in moments:
                states.append(copy.copy(mj_data))
            mujoco.mj_step(mj_model, mj_data)
            if not parity.sound(mj_data):
                good = False
                break
        if not good:
            states = states[:-1]
        for state in states:
            probe = copy.copy(state)
            mujoco.mj_forward(mj_model, probe)
            if parity.sound(probe):
                (found if probe.nefc else spare).append(state)
    return (found + spare)[:number]


def varied(mj_model, rng: np.random.Generator, number: int = 8) -> list[mujoco.MjData]:
    """Settled states, and one that is random in everything, deep inside each other perhaps."""
    states = settled(mj_model, rng, number - 1)
    wild = random_state(mj_model, rng, 0.5, history=False)
    wild.xfrc_applied[:] = 0
    mujoco.mj_forward(mj_model, wild)
    if parity.sound(wild) and np.all(np.abs(wild.qacc) < 1e6):
        states.append(wild)
    return states


# ---- contacts


@dataclass
class Contacts:
    """All contacts of one world: arrays by the names of mjContact's members."""

    fields: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.fields["dist"])

    def pairs(self) -> dict[tuple[int, int], np.ndarray]:
        """Contacts by their geoms, in the order in which they stand."""
        found = defaultdict(list)
        for k, geoms in enumerate(self.fields["geom"]):
            found[tuple(int(g) for g in geoms)].append(k)
        return {pair: np.array(places) for pair, places in found.items()}

    def geometry(self, places) -> np.ndarray:
        """Distance, position and frame of some contacts, a row of 13 numbers for each."""
        n = len(places)
        parts = [self.fields[k][places].reshape(n, width) for k, width in CONTACT_GEOMETRY.items()]
        return np.concatenate(parts, axis=1)


def mujoco_contacts(mj_data: mujoco.MjData) -> Contacts:
    contact = mj_data.contact
    return Contacts({name: np.array(getattr(contact, name)) for name in CONTACT_FIELDS})


def our_contacts(d: lw.Data, lane: int) -> Contacts:
    ncon = int(d.arrays["ncon"].reshape(-1)[lane])
    found = {}
    for name in CONTACT_FIELDS:
        values = d.arrays[f"contact.{name}"][:ncon, ..., lane]
        found[name] = (
            values.astype(int) if name in ("dim", "geom", "exclude", "efc_address") else values
        )
    return Contacts(found)


def convex_pair(mj_model: mujoco.MjModel, pair: tuple[int, int]) -> bool:
    """Whether MuJoCo finds this pair's contacts by iteration."""
    kind = mujoco.mjtGeom
    a, b = sorted(int(mj_model.geom_type[g]) for g in pair)
    if kind.mjGEOM_HFIELD in (a, b):
        return True
    if a == kind.mjGEOM_PLANE:
        return False
    if kind.mjGEOM_ELLIPSOID in (a, b) or kind.mjGEOM_MESH in (a, b):
        return True
    if kind.mjGEOM_CYLINDER in (a, b):
        return kind.mjGEOM_SPHERE not in (a, b)
    return False


# symmetric positions are undecided only within round-off, others over a wider range
NUDGES = (1e-15, 1e-12, 1e-10)


def nudged_contacts(mj_model, mj_data, number: int = 6) -> list[Contacts]:
    """What MuJoCo finds when every geom is moved and turned a little, `number` times each."""
    rng = np.random.default_rng(17)
    answers = []
    for size in np.repeat(NUDGES, number):
        other = copy.copy(mj_data)
        other.geom_xpos[:] += size * rng.normal(size=other.geom_xpos.shape)
        for g in range(mj_model.ngeom):
            turn = np.eye(3)
            x, y, z = size * rng.normal(size=3)
            turn += np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            other.geom_xmat[g] = (turn @ other.geom_xmat[g].reshape(3, 3)).ravel()
        mujoco.mj_collision(mj_model, other)
        answers.append(mujoco_contacts(other))
    return answers


def _apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    if ours.shape != theirs.shape:
        return np.inf
    if not ours.size:
        return 0.0
    return float(np.nan_to_num(np.abs(ours - theirs), nan=np.inf).max())


def _reordered(ours: np.ndarray, theirs: np.ndarray) -> float:
    """How far apart two sets of contacts are, in the best order."""
    from scipy.optimize import linear_sum_assignment

    if ours.shape != theirs.shape:
        return np.inf
    cost = np.abs(ours[:, None] - theirs[None]).max(axis=2)
    if not np.isfinite(cost).all():
        return np.inf
    rows, columns = linear_sum_assignment(cost)
    return float(cost[rows, columns].max(initial=0.0))


def _same_depth_and_normal(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> bool:
    """Two manifolds of the same touch: as deep, along the same normal, in the same place."""
    if not len(ours) or not len(theirs):
        return False
    k, j = ours[:, 0].argmin(), theirs[:, 0].argmin()
    depth = abs(ours[k, 0] - theirs[j, 0])
    normal = np.abs(ours[k, 4:7] - theirs[j, 4:7]).max()
    size = max(np.ptp(both[:, 1:4], axis=0).max() for both in (ours, theirs))
    place = np.abs(ours[:, 1:4].mean(axis=0) - theirs[:, 1:4].mean(axis=0)).max()
    return depth <= 100 * tolerance and normal <= 1e-3 and place <= 0.5 * size + 1e-3


@dataclass
class ContactReport:
    """What a comparison of contacts found in one world."""

    count: Counter  # equal, reordered, equivalent, different: pairs of geoms
    worst: float  # the largest difference among pairs that are equal
    lines: list[str]  # what differs
    ordered: bool  # whether the whole list is in MuJoCo's order
    fields: dict[str, float] = dataclasses.field(
        default_factory=dict
    )  # residuals, of a list that is the same


def compare_contacts(mj_model, mj_data, ours: Contacts) -> ContactReport:
    """Our contacts against those of `mj_data`, which MuJoCo has just collided."""
    theirs = mujoco_contacts(mj_data)
    mine, reference = ours.pairs(), theirs.pairs()
    report = ContactReport(Counter(), 0.0, [], list(mine) == list(reference))
    answers = None
    nothing = np.zeros(0, int)
    for pair in sorted(set(mine) | set(reference)):
        tolerance = TOLERANCE_CONVEX if convex_pair(mj_model, pair) else TOLERANCE_CONTACT
        a = ours.geometry(mine.get(pair, nothing))
        b = theirs.geometry(reference.get(pair, nothing))
        apart = _apart(a, b)
        if apart <= tolerance:
            report.count["equal"] += 1
            report.worst = max(report.worst, apart)
            continue
        if answers is None:
            answers = [(other, other.pairs()) for other in nudged_contacts(mj_model, mj_data)]
        near = [other.geometry(pairs.get(pair, nothing)) for other, pairs in answers]
        unstable = any(_apart(c, b) > 1e-7 for c in near)
        if unstable and any(_reordered(a, c) <= max(tolerance, 1e-6) for c in near):
            report.count["equivalent"] += 1
        elif _reordered(a, b) <= tolerance:
            report.count["reordered"] += 1
            report.ordered = False
            report.lines.append(_describe(mj_model, pair, a, b, "in another order"))
        elif unstable and _same_depth_and_normal(a, b, tolerance):
            report.count["equivalent"] += 1
        else:
            report.count["different"] += 1
            note = "MuJoCo unstable here" if unstable else "MuJoCo stable here"
            report.lines.append(_describe(mj_model, pair, a, b, note))
    return report


def geom_label(mj_model, geom: int) -> str:
    kind = mujoco.mjtGeom(int(mj_model.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
    return f"{kind} {geom}"


def _describe(mj_model, pair, ours, theirs, note: str) -> str:
    names = " / ".join(geom_label(mj_model, g) for g in pair)
    if ours.shape != theirs.shape:
        return f"{names}: {len(ours)} contacts, MuJoCo has {len(theirs)} ({note})"
    off = np.abs(ours - theirs)
    parts = f"dist {off[:, 0].max():.2g}, pos {off[:, 1:4].max():.2g}, frame {off[:, 4:].max():.2g}"
    return f"{names}: {len(ours)} contacts, {parts} ({note})"


def compare_collision(mj_model, mj_datas, context=None) -> list[ContactReport]:
    """`collision` alone, from MuJoCo's poses; a report for every world, parameters included."""
    m, references = context or prepare(mj_model, mj_datas)
    d = lw.put_data(m, references)
    poison_contacts(d)
    lw.collision(m, d)
    reports = []
    for lane, reference in enumerate(references):
        collided = copy.copy(reference)
        mujoco.mj_collision(mj_model, collided)
        ours = our_contacts(d, lane)
        report = compare_contacts(mj_model, collided, ours)
        if not report.lines and len(ours) == collided.ncon and report.ordered:
            report.lines += compare_parameters(collided, ours)
            if not report.count["equivalent"]:
                report.fields = contact_residuals(collided, ours)
        reports.append(report)
    return reports


def contact_residuals(mj_data, ours: Contacts) -> dict[str, float]:
    """{field: residual} of the same contacts in the same order, as `collision` leaves them."""
    theirs = mujoco_contacts(mj_data)
    names = [name for name in CONTACT_FIELDS if name != "efc_address"]  # the rows are made later
    return {name: parity.residual(ours.fields[name], theirs.fields[name], True) for name in names}


def compare_parameters(mj_data, ours: Contacts) -> list[str]:
    """Parameters of the same contacts in the same order, as `collision` leaves them."""
    found = contact_residuals(mj_data, ours)
    wrong = [name for name in CONTACT_PARAMETERS if not found.get(name, 0.0) <= 1e-12]
    return [f"contact.{name}: {found[name]:.3g}" for name in wrong]


def poison_contacts(d: lw.Data) -> None:
    """NaN into all of a gang's contacts, and no count."""
    for name, array in d.arrays.items():
        if name.startswith("contact."):
            array[:64] = np.nan
    d.arrays["ncon"][...] = np.nan


# ---- rows


def dense_jacobian(mj_model, mj_data) -> np.ndarray:
    """efc_J of MuJoCo as a matrix (nefc, nv)."""
    J = np.zeros((mj_data.nefc, mj_model.nv))
    if not mj_data.nefc:
        return J
    if not mujoco.mj_isSparse(mj_model):
        return np.array(mj_data.efc_J)[: J.size].reshape(J.shape)  # room for rows that are empty
    for row in range(mj_data.nefc):
        first = mj_data.efc_J_rowadr[row]
        span = slice(first, first + mj_data.efc_J_rownnz[row])
        J[row, mj_data.efc_J_colind[span]] = mj_data.efc_J[span]
    return J


def mujoco_rows(mj_model, mj_data) -> dict[str, np.ndarray]:
    rows = {name: np.array(getattr(mj_data, f"efc_{name}")) for name in ROW_FIELDS}
    rows["J"] = dense_jacobian(mj_model, mj_data)
    return rows


def our_rows(m, d: lw.Data, lane: int) -> dict[str, np.ndarray]:
    """The efc_ fields of one lane, J as a matrix."""
    nefc = int(d.arrays["nefc"].reshape(-1)[lane])
    rows = {}
    for name in ROW_FIELDS:
        rows[name] = d.arrays[f"efc_{name}"][:nefc, ..., lane]
    rows["J"] = (
        d.arrays["efc_J"]
        .reshape(-1, d.arrays["efc_J"].shape[-1])[: nefc * m.nv, lane]
        .reshape(nefc, m.nv)
    )
    return rows


def prepare(mj_model, mj_datas):
    """The model and MuJoCo's complete data of every world."""
    references = []
    for mj_data in mj_datas:
        reference = copy.copy(mj_data)
        mujoco.mj_forward(mj_model, reference)
        references.append(reference)
    return lw.load(mj_model), references


# sections of the field table that hold constraints, in the order in which they are made
ROW_STAGES = ("make_constraint", "reference_constraint", "fwd_constraint", "solver", "dual", "efc")


def poison_rows(d: lw.Data) -> None:
    """NaN into all that is made of contacts: MuJoCo's rows come with its data, and would do."""
    for field in fields.DATA:
        floats = not field.by_gang
        if floats and (field.stage in ROW_STAGES or field.name in MADE_WITH_ROWS):
            array = d.arrays[field.name]
            array[: 4096 if field.capacity else None] = np.nan


# of a contact, what is written when its rows are made
MADE_WITH_ROWS = ("contact.mu", "contact.H", "contact.efc_address")


def make_rows(m, d: lw.Data) -> None:
    """Rows from contacts. Under the discrete integrator their weights come with the metric."""
    lw.make_constraint(m, d)
    if m.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE:
        lw.fwd_actuation(m, d)
        lw.fwd_acceleration(m, d)
    else:
        lw.reference_constraint(m, d)


# what is no result: set once, and read by every call
SET_ONCE = ("nworld", *fields.CAPACITIES, "no_shift")


def poison_all(d: lw.Data, value: float = np.nan) -> None:
    """A worthless number into everything but the state, as another gang might leave it behind."""
    for field in fields.DATA:
        kept = field.stage in ("state", "alias") or field.name in SET_ONCE
        if not kept and field.dtype != "index":
            d.arrays[field.name][: 4096 if field.capacity else None] = value
    d.forget_structure()  # with the structure of H come zeros where there is no dof


def compare_rows(mj_model, mj_datas, context=None, label: str = "") -> dict[str, float]:
    """Rows from MuJoCo's contacts and velocities; {field: worst residual over the worlds}."""
    m, references = context or prepare(mj_model, mj_datas)
    d = lw.put_data(m, references)
    poison_rows(d)
    make_rows(m, d)
    lw.expose_constraint(m, d)
    worst: dict[str, float] = defaultdict(float)
    for lane, reference in enumerate(references):
        for name in COUNTS:
            off = abs(int(d.arrays[name].reshape(-1)[lane]) - getattr(reference, name))
            worst[name] = max(worst[name], float(off))
        if int(d.arrays["nefc"].reshape(-1)[lane]) != reference.nefc:
            continue
        ours, theirs = our_rows(m, d, lane), mujoco_rows(mj_model, reference)
        for name in theirs:
            value = row_residual(name, ours[name], theirs[name])
            worst[f"efc_{name}"] = max(worst[f"efc_{name}"], value)
        address = our_contacts(d, lane).fields["efc_address"]
        off = np.abs(address - np.array(reference.contact.efc_address)).max(initial=0)
        worst["contact.efc_address"] = max(worst["contact.efc_address"], float(off))
        mu = d.arrays["contact.mu"][: reference.ncon, ..., lane].ravel()
        made = np.array(reference.contact.efc_address) >= 0
        if mj_model.opt.cone == CONES["elliptic"]:
            made &= np.array(reference.contact.dim) > 1
            value = parity.residual(mu, np.array(reference.contact.mu), made)
            worst["contact.mu"] = max(worst["contact.mu"], value)
    for name, value in worst.items():
        known = parity.RESIDUALS.get(("rows", name), (-1.0, ""))
        if value > known[0]:
            parity.RESIDUALS["rows", name] = (value, label)
    return dict(worst)


def row_residual(name: str, ours: np.ndarray, theirs: np.ndarray) -> float:
    """Masses and stiffnesses span many orders of magnitude: each is relative to itself."""
    if name in ("D", "R", "diagA", "KBIP", "aref"):
        least = 1e-6 if name in ("D", "R", "diagA") else 1.0
        off = np.abs(ours - theirs) / np.maximum(np.abs(theirs), least)
        return float(np.nan_to_num(off, nan=np.inf).max(initial=0.0))
    return parity.residual(ours, theirs, True)


# ---- the solver


def metric(mj_model, mj_data) -> np.ndarray:
    """The matrix in which accelerations are measured: M, or more for the discrete integrator."""
    M = np.zeros((mj_model.nv, mj_model.nv))
    mujoco.mj_fullM(mj_model, mj_data, M)
    discrete = mj_model.opt.integrator == mujoco.mjtIntegrator.mjINT_DISCRETE
    if not discrete or not mj_data.efm_active:  # other integrators leave what was in this memory
        return M
    M += np.diag(mj_data.efm_diag)
    if mj_model.opt.density > 0 or mj_model.opt.viscosity > 0:  # else it is not written
        row = np.repeat(np.arange(mj_model.nv), mj_model.M_rownnz)
        fluid = np.zeros_like(M)
        fluid[row, mj_model.M_colind] = fluid[mj_model.M_colind, row] = mj_data.efm_fluid
        M += fluid
    for t, scale in zip(mj_data.efm_tid[: mj_data.nefmT], mj_data.efm_ts, strict=False):
        arm = np.zeros(mj_model.nv)
        span = slice(mj_model.ten_J_rowadr[t], mj_model.ten_J_rowadr[t] + mj_model.ten_J_rownnz[t])
        arm[mj_model.ten_J_colind[span]] = mj_data.ten_J[span]
        M += scale * np.outer(arm, arm)
    for a, scale in zip(mj_data.efm_aid[: mj_data.nefmA], mj_data.efm_as, strict=False):
        for o in mj_model.actuator_outadr[a] + np.arange(mj_model.actuator_outnum[a]):
            arm = np.zeros(mj_model.nv)
            first = mj_data.moment_rowadr[o]
            span = slice(first, first + mj_data.moment_rownnz[o])
            arm[mj_data.moment_colind[span]] = mj_data.actuator_moment[span]
            M += scale * np.outer(arm, arm)
    # what a world does not need, MuJoCo leaves as it was in memory
    if not np.isfinite(M).all():
        mujoco.mj_fullM(mj_model, mj_data, M)
    return M


class Problem:
    """What a solver minimizes, from MuJoCo's rows.

        cost(a) = 1/2 (a - a_smooth)' M (a - a_smooth) + s(J a - aref)

    with s a sum over rows: a parabola for equalities, Huber's function for dry friction, half a
    parabola for limits, frictionless contacts and pyramid edges, and for an elliptic contact half
    the squared distance from a cone, in the norm of D.
    """

    def __init__(self, mj_model, mj_data):
        self.M = metric(mj_model, mj_data)
        self.J = dense_jacobian(mj_model, mj_data)
        self.aref = np.array(mj_data.efc_aref)
        self.D = np.array(mj_data.efc_D)
        self.R = np.array(mj_data.efc_R)
        self.loss = np.array(mj_data.efc_frictionloss)
        self.kind = np.array(mj_data.efc_type)
        self.smooth = np.array(mj_data.qacc_smooth)
        contact = mj_data.contact
        self.cones = [
            (
                int(contact.efc_address[k]),
                int(contact.dim[k]),
                contact.mu[k],
                contact.friction[k].copy(),
            )
            for k in range(mj_data.ncon)
            if contact.efc_address[k] >= 0
        ]

    def penalty(self, jar: np.ndarray) -> float:
        """s(jar)"""
        c = mujoco.mjtConstraint
        total = 0.0
        equality = self.kind == c.mjCNSTR_EQUALITY
        total += 0.5 * (self.D * jar * jar)[equality].sum()
        dry = (self.kind == c.mjCNSTR_FRICTION_DOF) | (self.kind == c.mjCNSTR_FRICTION_TENDON)
        knee = self.R * self.loss
        inside = np.abs(jar) < knee
        huber = np.where(inside, 0.5 * self.D * jar * jar, self.loss * (np.abs(jar) - 0.5 * knee))
        total += huber[dry].sum()
        sided = np.isin(
            self.kind,
            [c.mjCNSTR_LIMIT_JOINT, c.mjCNSTR_LIMIT_TENDON, c.mjCNSTR_CONTACT_FRICTIONLESS,
             c.mjCNSTR_CONTACT_PYRAMIDAL],
        )  # fmt: skip
        total += 0.5 * (self.D * jar * jar)[sided & (jar < 0)].sum()
        for first, dim, mu, friction in self.cones:
            if self.kind[first] == c.mjCNSTR_CONTACT_ELLIPTIC:
                total += self._cone(
                    jar[first : first + dim], self.D[first : first + dim], mu, friction
                )
        return float(total)

    @staticmethod
    def _cone(jar, D, mu, friction) -> float:
        normal = jar[0] * mu
        tangent = float(np.linalg.norm(jar[1:] * friction[: len(jar) - 1]))
        if normal >= mu * tangent:  # off
            return 0.0
        if mu * normal + tangent <= 0:  # sticking
            return 0.5 * float((D * jar * jar).sum())
        slope = D[0] / (mu * mu * (1 + mu * mu))
        return 0.5 * slope * (normal - mu * tangent) ** 2

    def cost(self, qacc: np.ndarray) -> float:
        off = qacc - self.smooth
        return 0.5 * float(off @ self.M @ off) + self.penalty(self.J @ qacc - self.aref)


@dataclass
class SolverReport:
    """One world: how far our acceleration is from MuJoCo's, and what both cost."""

    apart: float  # largest difference of qacc, relative to the largest acceleration or one
    excess: float  # our cost minus MuJoCo's, relative
    optimum: float  # MuJoCo's own distance from the optimum that Newton finds
    ours: float  # our distance from it
    unsure: float  # how far MuJoCo's moves with more iterations, or by a nudge of 1e-12
    noslip: bool  # the solution leaves the optimum on purpose

    def passes(self, tolerance: float = TOLERANCE_SOLVED) -> bool:
        """As close to MuJoCo as MuJoCo is to itself, or to the optimum; and never dearer."""
        close = self.apart <= max(tolerance, 10 * self.unsure)
        if self.noslip or (close and self.unsure > tolerance):
            return close
        close = close or self.ours <= max(tolerance, 1.1 * self.optimum)
        return close and self.excess <= TOLERANCE_SOLVED

    def __str__(self) -> str:
        return (
            f"qacc {self.apart:.2g} from MuJoCo, cost {self.excess:+.2g};"
            f" from the optimum: ours {self.ours:.2g}, MuJoCo's {self.optimum:.2g},"
            f" which is sure to {self.unsure:.2g}"
        )


def relative(actual: np.ndarray, expected: np.ndarray) -> float:
    if not expected.size:
        return 0.0
    scale = max(1.0, float(np.abs(expected).max()))
    return float(np.nan_to_num(np.abs(actual - expected), nan=np.inf).max()) / scale


def optimum(mj_model, mj_data) -> np.ndarray:
    """The acceleration that MuJoCo's Newton finds for the same problem, as well as it can."""
    best = copy.copy(mj_model)
    tighten(best)
    best.opt.solver = SOLVERS["Newton"]
    best.opt.noslip_iterations = 0
    solved = copy.copy(mj_data)
    mujoco.mj_forward(best, solved)
    return np.array(solved.qacc)


def _solved(mj_model, mj_data, **options) -> np.ndarray:
    """MuJoCo's acceleration with other options."""
    other = copy.copy(mj_model)
    for name, value in options.items():
        setattr(other.opt, name, value)
    solved = copy.copy(mj_data)
    mujoco.mj_forward(other, solved)
    return np.array(solved.qacc)


def judge(mj_model, reference, qacc: np.ndarray) -> SolverReport:
    """A solution for the problem that MuJoCo solved in `reference`."""
    problem = Problem(mj_model, reference)
    best = optimum(mj_model, reference)
    unsure = relative(
        _solved(mj_model, reference, iterations=4 * mj_model.opt.iterations), reference.qacc
    )
    rng = np.random.default_rng(19)
    for size in (1e-15, 1e-15, 1e-15, 1e-12, 1e-12, 1e-12):
        nudged = copy.copy(reference)
        step = size * rng.normal(size=mj_model.nv)
        mujoco.mj_integratePos(mj_model, nudged.qpos, step, 1.0)
        unsure = max(unsure, relative(_solved(mj_model, nudged), reference.qacc))
    # a row that no dof can move has stiffness 1e15 and force 1e16: noslip works in their noise
    if mj_model.opt.noslip_iterations and problem.D.max(initial=0.0) > 1e14:
        unsure = np.inf
    theirs = problem.cost(np.array(reference.qacc))
    scale = max(abs(theirs), 1e-9 * max(1.0, problem.cost(reference.qacc_smooth)))
    return SolverReport(
        relative(qacc, reference.qacc),
        (problem.cost(qacc) - theirs) / scale if np.isfinite(qacc).all() else np.inf,
        relative(np.array(reference.qacc), best),
        relative(qacc, best),
        unsure,
        mj_model.opt.noslip_iterations > 0,
    )


def solved_anew(m, references) -> lw.Data:
    """The solver alone, on MuJoCo's contacts and smooth accelerations, in every world."""
    d = lw.put_data(m, references)
    poison_rows(d)
    make_rows(m, d)
    d.arrays["qacc"][...] = np.nan
    lw.fwd_constraint(m, d)
    return d


def compare_solver(mj_model, mj_datas, context=None) -> list[SolverReport]:
    """What the solver alone finds, in every world."""
    m, references = context or prepare(mj_model, mj_datas)
    d = solved_anew(m, references)
    return [
        judge(mj_model, reference, d.arrays["qacc"][:, lane].copy())
        for lane, reference in enumerate(references)
    ]


def compare_forward(mj_model, mj_datas, context=None) -> list[tuple[ContactReport, SolverReport]]:
    """Everything from the state alone, in one call and in a workspace full of NaN."""
    m, references = context or prepare(mj_model, mj_datas)
    d = lw.put_data(m, references)
    poison_all(d)
    lw.forward(m, d)
    out = []
    for lane, reference in enumerate(references):
        contacts = compare_contacts(mj_model, reference, our_contacts(d, lane))
        qacc = d.arrays["qacc"][:, lane].copy()
        out.append((contacts, judge(mj_model, reference, qacc)))
    return out


def nudged_inverse(mj_model, mj_data) -> float:
    """How far a nudge of the position moves MuJoCo's inverse dynamics."""
    worst, before = 0.0, copy.copy(mj_data)
    mujoco.mj_inverse(mj_model, before)
    rng = np.random.default_rng(23)
    for size in np.repeat((1e-15, 1e-11), 4):
        other = copy.copy(mj_data)
        step = size * rng.normal(size=mj_model.nv)
        mujoco.mj_integratePos(mj_model, other.qpos, step, 1.0)
        mujoco.mj_inverse(mj_model, other)
        worst = max(worst, relative(np.array(other.qfrc_inverse), np.array(before.qfrc_inverse)))
    return worst


def forward_minus_inverse(mj_model, mj_data) -> float:
    """MuJoCo's inverse dynamics of its own forward dynamics, the largest missing force."""
    d = copy.copy(mj_data)
    mujoco.mj_forward(mj_model, d)
    applied = d.qfrc_applied + d.qfrc_actuator
    for body in range(1, mj_model.nbody):
        if np.any(d.xfrc_applied[body]):
            mujoco.mj_applyFT(
                mj_model, d, d.xfrc_applied[body, :3], d.xfrc_applied[body, 3:], d.xipos[body],
                body, applied,
            )  # fmt: skip
    mujoco.mj_inverse(mj_model, d)
    return relative(d.qfrc_inverse, applied)


# ---- steps


def compare_step(mj_model, mj_datas, names=("qpos", "qvel", "qacc")) -> list[dict[str, float]]:
    """One whole step in every world; {field: difference relative to the field's size}."""
    m = lw.load(mj_model)
    d = lw.put_data(m, mj_datas)
    lw.step(m, d)
    out = []
    for lane, mj_data in enumerate(mj_datas):
        reference = copy.copy(mj_data)
        mujoco.mj_step(mj_model, reference)
        out.append(
            {name: relative(d.arrays[name][..., lane], getattr(reference, name)) for name in names}
        )
    return out


def step_sensitivity(mj_model, mj_data, number: int = 3) -> dict[str, float]:
    """How far small nudges of the state move MuJoCo's own step, at most."""
    rng = np.random.default_rng(23)
    reference = copy.copy(mj_data)
    mujoco.mj_step(mj_model, reference)
    worst = {"qpos": 0.0, "qvel": 0.0, "qacc": 0.0}
    for size in np.repeat(NUDGES, number):
        other = copy.copy(mj_data)
        step = size * rng.normal(size=mj_model.nv)
        mujoco.mj_integratePos(mj_model, other.qpos, step, 1.0)
        other.qvel[:] += size * rng.normal(size=mj_model.nv)
        mujoco.mj_step(mj_model, other)
        for name in worst:
            value = relative(np.array(getattr(other, name)), np.array(getattr(reference, name)))
            worst[name] = max(worst[name], value)
    return worst


@dataclass
class Drift:
    """Largest differences of qpos over a rollout: ours from MuJoCo, nudged MuJoCo from MuJoCo."""

    ours: float
    theirs: float


def compare_rollout(mj_model, start: mujoco.MjData, nstep: int, size: float = 1e-9) -> Drift:
    """An open-loop rollout beside several nudged MuJoCos.

    Compared as long as the nudged rollouts are within 1e-2 of each other: afterwards, chaos has
    made both arbitrary.
    """
    rng = np.random.default_rng(29)
    m = lw.load(mj_model)
    d = lw.put_data(m, start)
    reference = copy.copy(start)
    nudged = []
    for _ in range(4):
        other = copy.copy(start)
        mujoco.mj_integratePos(mj_model, other.qpos, size * rng.normal(size=mj_model.nv), 1.0)
        nudged.append(other)
    drift = Drift(0.0, 0.0)
    for step in range(nstep):
        for k in range(mj_model.nu):
            control = start.ctrl[k] + 0.1 * np.sin(0.02 * step + k)
            reference.ctrl[k] = d.arrays["ctrl"][k] = control
            for other in nudged:
                other.ctrl[k] = control
        mujoco.mj_step(mj_model, reference)
        lw.step(m, d)
        for other in nudged:
            mujoco.mj_step(mj_model, other)
        theirs = max(relative(other.qpos, reference.qpos) for other in nudged)
        if theirs > 1e-2:
            break
        drift.theirs = max(drift.theirs, theirs)
        drift.ours = max(drift.ours, relative(d.arrays["qpos"][:, 0], reference.qpos))
    return drift
