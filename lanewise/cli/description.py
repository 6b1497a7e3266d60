"""What there is to say of a model before it runs: facts as numbers and texts, for a page or JSON.

They are read from the MjModel, so that a model that Lanewise refuses can be described too.
"""

from collections import Counter
from typing import Any

import mujoco
import numpy as np

from ..data import capacities, layout
from ..engine.collision.pairs import GEOM_TYPES, PAIRS
from ..errors import UnsupportedFeature
from ..lanes import W
from ..loaders import load
from ..loaders.structure_collision import pairs_by_type
from .orders import orders

SIZES = (
    ("bodies", "nbody"), ("joints", "njnt"), ("coordinates", "nq"), ("degrees of freedom", "nv"),
    ("actuators", "nactuator"), ("controls", "nu"), ("activations", "na"), ("tendons", "ntendon"),
    ("geoms", "ngeom"), ("meshes", "nmesh"), ("sites", "nsite"), ("cameras", "ncam"),
    ("equalities", "neq"), ("sensors", "nsensor"), ("keyframes", "nkey"),
    ("mocap bodies", "nmocap"),
)  # fmt: skip
_OPTIONS = {"integrator": mujoco.mjtIntegrator, "solver": mujoco.mjtSolver, "cone": mujoco.mjtCone}


def describe(mj: mujoco.MjModel) -> dict[str, Any]:
    """All facts."""
    facts: dict[str, Any] = {
        "sizes": {name: int(getattr(mj, field)) for name, field in SIZES},
        "options": {
            "timestep": float(mj.opt.timestep),
            **{name: _word(kind, getattr(mj.opt, name)) for name, kind in _OPTIONS.items()},
        },
        "mass": float(mj.body_mass.sum()),
        "joints": [joint(mj, j) for j in range(mj.njnt)],
        "orders": [vars(order) for order in orders(mj)] if mj.njnt else [],
        "sensors": sensors(mj),
        "contacts": contacts(mj),
        "unsupported": {},
    }
    try:
        facts["memory"] = memory(load(mj))
        facts["contacts"]["room"] = facts["memory"].pop("contacts")
    except UnsupportedFeature as refusal:
        facts["unsupported"] = {name: list(map(str, of)) for name, of in refusal.features.items()}
    return facts


def _word(kind: Any, value: int) -> str:
    """'implicitfast' of mjINT_IMPLICITFAST."""
    return kind(int(value)).name.partition("_")[2].lower()


def name_of(mj: mujoco.MjModel, kind: str, number: int) -> str:
    """The name of an object, or its kind and number if it has none."""
    return getattr(mj, kind)(int(number)).name or f"{kind} {int(number)}"


def joint(mj: mujoco.MjModel, j: int) -> dict[str, Any]:
    """A joint: where its numbers are, and what limits it."""
    limited = bool(mj.jnt_limited[j])
    return {
        "name": name_of(mj, "joint", j), "type": _word(mujoco.mjtJoint, mj.jnt_type[j]),
        "body": name_of(mj, "body", mj.jnt_bodyid[j]), "qpos": int(mj.jnt_qposadr[j]),
        "qvel": int(mj.jnt_dofadr[j]),
        "range": [float(x) for x in mj.jnt_range[j]] if limited else None,
    }  # fmt: skip


def sensors(mj: mujoco.MjModel) -> dict[str, Any]:
    """How many of each kind, and how many numbers they write."""
    kinds = Counter(_word(mujoco.mjtSensor, kind) for kind in mj.sensor_type)
    return {"numbers": int(mj.nsensordata), "kinds": dict(kinds.most_common())}


def contacts(mj: mujoco.MjModel) -> dict[str, Any]:
    """Pairs of geoms that may touch, by type, and the contacts that they can have at most."""
    kinds, number = list(GEOM_TYPES), pairs_by_type(mj).reshape(len(GEOM_TYPES), -1)
    found = []
    for a, b in np.argwhere(number):
        pair = PAIRS.get((kinds[a], kinds[b]))
        if pair:  # of others nothing comes
            n = int(number[a, b])
            found.append({
                "types": [pair.first, pair.second], "pairs": n, "most_each": pair.most,
                "most": n * pair.most,
            })  # fmt: skip
    found.sort(key=lambda row: -row["pairs"])
    return {"pairs": sum(row["pairs"] for row in found), "kinds": found}


def memory(m: Any) -> dict[str, int]:
    """Bytes of a world and of a thread, and the room for contacts and constraint rows."""
    sizes = capacities(m)
    return {
        "bytes_per_world": 8 * m.nstate, "bytes_per_thread": 8 * layout(sizes, W)[2],
        "contacts": sizes["nconmax"], "constraint_rows": sizes["njmax"],
    }  # fmt: skip
