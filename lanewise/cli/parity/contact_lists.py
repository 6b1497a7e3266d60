"""Lists of contacts beside MuJoCo's: from MuJoCo's poses, pair of geoms by pair, and in order.

Where the geometry has several right answers (two parallel faces, a point that falls on an edge),
MuJoCo answers differently when geoms are moved by 1e-10 or less. Such a pair is undecided.
"""

import copy
from collections import defaultdict
from collections.abc import Sequence
from functools import partial

import mujoco
import numpy as np

from ...data import Data
from ...functions import STAGE_FUNCTIONS
from ...loaders import load, put_data
from .findings import DIFFERENT, SAME, UNDECIDED, Findings
from .yardstick import NUDGES, World, apart

CLOSED, ITERATED = 1e-9, 1e-6  # tolerances of pairs by how their contacts are found
UNSTABLE = 1e-7  # a movement of MuJoCo's own that makes a pair undecided
GEOMETRY = ("dist", "pos", "frame")
PARAMETERS = (
    "includemargin", "friction", "solref", "solreffriction", "solimp", "adhesion", "surfacevel",
    "dim", "geom", "exclude",
)  # fmt: skip

Contacts = dict[str, np.ndarray]
Pair = tuple[int, int]


def our_contacts(d: Data, lane: int) -> Contacts:
    """The contacts of one lane, by the names of mjContact's members."""
    ncon = d.arrays["ncon"].reshape(-1)[lane]
    number = int(ncon) if np.isfinite(ncon) else 0
    names = (*GEOMETRY, *PARAMETERS, "efc_address")
    return {name: d.arrays[f"contact.{name}"][:number, ..., lane] for name in names}


def their_contacts(data: mujoco.MjData) -> Contacts:
    """Those of MuJoCo's."""
    return {name: np.array(getattr(data.contact, name)) for name in (*GEOMETRY, *PARAMETERS)}


def _pairs(contacts: Contacts) -> dict[Pair, np.ndarray]:
    """{geoms: rows of distance, position and frame}, in the order in which they stand."""
    found = defaultdict(list)
    for k, (g1, g2) in enumerate(contacts["geom"].astype(int)):
        row = [np.ravel(contacts[name][k]) for name in GEOMETRY]
        found[int(g1), int(g2)].append(np.concatenate(row))
    return {pair: np.array(rows) for pair, rows in found.items()}


def iterated(mj: mujoco.MjModel, pair: Pair) -> bool:
    """Whether MuJoCo finds this pair's contacts by iteration."""
    kind = mujoco.mjtGeom
    types = {int(mj.geom_type[g]) for g in pair}
    if kind.mjGEOM_HFIELD in types:
        return True
    if kind.mjGEOM_PLANE in types:
        return False
    if types & {int(kind.mjGEOM_ELLIPSOID), int(kind.mjGEOM_MESH)}:
        return True
    return kind.mjGEOM_CYLINDER in types and kind.mjGEOM_SPHERE not in types


def _nudged(mj: mujoco.MjModel, data: mujoco.MjData) -> list[dict[Pair, np.ndarray]]:
    """What MuJoCo finds when every geom is moved and turned a little."""
    rng, answers = np.random.default_rng(17), []
    for size in NUDGES * 2:
        other = copy.copy(data)
        other.geom_xpos[:] += size * rng.normal(size=other.geom_xpos.shape)
        turns = np.cross(size * rng.normal(size=(mj.ngeom, 1, 3)), -np.eye(3))
        xmat = other.geom_xmat.reshape(-1, 3, 3)
        other.geom_xmat[:] = (xmat + turns @ xmat).reshape(-1, 9)
        mujoco.mj_collision(mj, other)
        answers.append(_pairs(their_contacts(other)))
    return answers


def _off(a: np.ndarray, b: np.ndarray) -> float:
    if a.shape != b.shape:
        return np.inf
    return float(np.nan_to_num(np.abs(a - b), nan=np.inf).max(initial=0.0))


def compare_contacts(found: Findings, mj: mujoco.MjModel, worlds: Sequence[World]) -> set[int]:
    """`collision` alone, from MuJoCo's poses; the worlds in which some pair is undecided."""
    m = load(mj)
    d = put_data(m, [world.data for world in worlds])
    for name, array in d.arrays.items():
        if name.startswith("contact.") or name == "ncon":
            array[...] = np.nan
    STAGE_FUNCTIONS["collision"](m, d)
    undecided = set()
    for lane, world in enumerate(worlds):
        data = copy.copy(world.data)
        mujoco.mj_collision(mj, data)
        mine, theirs = our_contacts(d, lane), their_contacts(data)
        verdicts = _by_pair(found, mj, data, _pairs(mine), _pairs(theirs))
        if verdicts - {SAME}:
            undecided.add(lane)
        else:
            for name in PARAMETERS:
                found.saw("contacts", "parameters", f"contact.{name}",
                          apart(mine[name], theirs[name]), tolerance=CLOSED)  # fmt: skip
    return undecided


def _by_pair(found: Findings, mj, data, mine, theirs) -> set[str]:
    """Note every pair of geoms; the verdicts there are."""
    nothing, answers, verdicts = np.zeros((0, 13)), None, set()
    for pair in sorted({*mine, *theirs}):
        a, b = mine.get(pair, nothing), theirs.get(pair, nothing)
        tolerance = ITERATED if iterated(mj, pair) else CLOSED
        off, moves = _off(a, b), 0.0
        if off > tolerance:
            answers = _nudged(mj, data) if answers is None else answers
            near = [_off(other.get(pair, nothing), b) for other in answers]
            moves = np.inf if max(near) > UNSTABLE else 0.0
        types = sorted(_type(mj, g) for g in pair)
        verdict = found.saw(
            "contacts", "geometry", " and ".join(types), off, partial(float, moves),
            tolerance=tolerance, note=_difference(mj, pair, a, b),
        )  # fmt: skip
        found.contacts[verdict] = found.contacts.get(verdict, 0) + 1
        verdicts.add(verdict)
    if verdicts <= {SAME} and list(mine) != list(theirs):
        found.saw("contacts", "geometry", "order of pairs", np.inf, tolerance=0.0)
        return {DIFFERENT}
    return verdicts


def _type(mj: mujoco.MjModel, geom: int) -> str:
    return mujoco.mjtGeom(int(mj.geom_type[geom])).name.removeprefix("mjGEOM_").lower()


def _difference(mj: mujoco.MjModel, pair: Pair, a: np.ndarray, b: np.ndarray) -> str:
    names = " and ".join(mj.geom(g).name or f"geom {g}" for g in pair)
    return f"{names}: {len(a)} contacts, MuJoCo has {len(b)}"


__all__ = ["DIFFERENT", "UNDECIDED", "compare_contacts", "our_contacts"]
