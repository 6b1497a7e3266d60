"""Edits of a loaded model: what they change, in MuJoCo and in Lanewise.

`outcome` is everything that an edit could show in: what forward computes of a state, the state one
step later, what a reset and each keyframe give, and what rays meet. An edit is a function of a
model, ours or MuJoCo's.
"""

import mujoco
import numpy as np

import lanewise as lw
from lanewise import fields
from lanewise.fields import EDITS
from lanewise.limits.ranges import FAMILIES

SPEC = int(mujoco.mjtState.mjSTATE_INTEGRATION)

# what forward computes; matrices of moment arms have another structure, and some is never written
NAMES = [
    f.name for f in fields.READ
    if f.dtype == "float" and not (f.own or f.capacity or f.stage in ("integrate", "state"))
    and f.name not in ("wrap_xpos", "actuator_moment", "solver_fwdinv", "energy")
]  # fmt: skip

# rays from around the origin inwards, that see groups 0 and 1
_RNG = np.random.default_rng(4)
_FROM = 2 * _RNG.normal(size=(24, 3))
RAYS = [(p, 0.3 * v - p) for p, v in zip(_FROM, _RNG.normal(size=(24, 3)), strict=True)]
GROUPS = np.array([1, 1, 0, 0, 0, 0], np.uint8)


def of_mujoco(mj: mujoco.MjModel, state: np.ndarray) -> dict:
    d = mujoco.MjData(mj)
    mujoco.mj_setState(mj, d, state, SPEC)
    mujoco.mj_forward(mj, d)
    out = {name: np.array(getattr(d, name)) for name in NAMES}
    out |= {"ncon": d.ncon, "contact.dist": np.sort(d.contact.dist), "nefc": d.nefc}
    out["efc_J"] = np.array(d.efc_J).ravel()
    mujoco.mj_step(mj, d)
    out["step"] = row(mj, d)
    for key in range(-1, mj.nkey):
        if key < 0:
            mujoco.mj_resetData(mj, d)
        else:
            mujoco.mj_resetDataKeyframe(mj, d, key)
        out[f"reset {key}"] = row(mj, d)
    mujoco.mj_setState(mj, d, state, SPEC)
    mujoco.mj_kinematics(mj, d)
    hit = np.zeros(1, np.int32)
    out["rays"] = np.array([mujoco.mj_ray(mj, d, *ray, GROUPS, 1, -1, hit) for ray in RAYS])
    return out


def row(mj: mujoco.MjModel, d: mujoco.MjData) -> np.ndarray:
    """The state of an MjData."""
    state = np.zeros(mujoco.mj_stateSize(mj, SPEC))
    mujoco.mj_getState(mj, d, state, SPEC)
    return state


def of_lanewise(m: lw.Model, d: lw.Data, state: np.ndarray) -> dict:
    lw.reset_data(m, d)
    lw.set_state(m, d, state)
    lw.forward(m, d)
    out = {name: np.array(getattr(d, name)) for name in NAMES}
    out |= {"ncon": d.ncon, "contact.dist": np.sort(d.contact.dist), "nefc": d.nefc}
    out["efc_J"] = np.array(d.efc_J).ravel()
    lw.step(m, d)
    out["step"] = lw.get_state(m, d)
    for key in range(-1, m.nkey):
        lw.reset_data(m, d, None if key < 0 else key)
        out[f"reset {key}"] = lw.get_state(m, d)
    lw.set_state(m, d, state)
    lw.kinematics(m, d)
    out["rays"] = np.array([lw.ray(m, d, *ray, geomgroup=GROUPS)[0] for ray in RAYS])
    return out


def differences(actual: dict, expected: dict, tolerance: float) -> dict:
    """{what: largest difference, relative to the largest number}, where beyond a tolerance."""
    found = {}
    for name, theirs in expected.items():
        a, b = np.asarray(actual[name], float), np.asarray(theirs, float)
        if a.shape != b.shape:
            found[name] = np.inf
        elif a.size:
            gap = np.nan_to_num(np.abs(a - b), nan=np.inf).max()
            if gap > tolerance * max(1.0, np.abs(b).max()):
                found[name] = gap / max(1.0, np.abs(b).max())
    return found


# ---- other values of a field


def field(model, name: str):
    """A field of a model or of its options; ours or MuJoCo's."""
    return getattr(model.opt, name[4:]) if name.startswith("opt.") else getattr(model, name)


def write(model, name: str, value) -> None:
    if not name.startswith("opt.") and isinstance(field(model, name), np.ndarray):
        field(model, name)[...] = value
    else:
        setattr(model.opt if name.startswith("opt.") else model, name.removeprefix("opt."), value)


def size(mj: mujoco.MjModel, name: str) -> int:
    return np.size(field(mj, name))


_SHRINK = ("geom_margin", "geom_gap", "hfield_size")  # larger ones leave MuJoCo's boxes
_UNIT = ("quat", "iquat", "mquat", "axis", "dir", "dir0")
# choices and bits: what to try
_OPTIONS = {
    "opt.integrator": range(5), "opt.solver": range(3), "opt.cone": range(2),
    "opt.jacobian": range(3), "opt.disableactuator": (1, 2, -1), "opt.iterations": (0, 1, 3),
    "opt.ls_iterations": (0, 2), "opt.noslip_iterations": (0, 2), "opt.ccd_iterations": (1, 3),
    "opt.noslip_tolerance": (1e3,), "opt.sdf_initpoints": (3,), "opt.sdf_iterations": (3,),
    # without nativeccd MuJoCo uses a library that Lanewise does not have
    "opt.disableflags": [1 << bit for bit in range(20) if bit != 17],
    "opt.enableflags": [1 << bit for bit in (0, 1, 3, 5)],
}  # fmt: skip


def others(mj: mujoco.MjModel, name: str, rng: np.random.Generator):
    """Other values of a field that have a meaning, a few."""
    value = field(mj, name)
    if name in _OPTIONS:
        yield from (value ^ x if name.endswith("flags") else x for x in _OPTIONS[name])
    elif name.startswith("flg_"):
        yield not value
    elif np.asarray(value).dtype.kind == "f":
        yield from _numbers(name, np.array(value), rng)
    elif value.dtype.itemsize == 1 and not name.endswith("sameframe"):
        yield 1 - value.astype(np.uint8)
    else:
        yield from _integers(mj, name, value)


def _numbers(name, value, rng):
    last = name.rpartition("_")[2]
    for shift in (0.0, 0.02):
        other = value * (1 + 0.1 * rng.uniform(-1, 1, value.shape))
        other = other + shift * rng.uniform(0.5, 1, value.shape)
        if name in _SHRINK:
            other = value * rng.uniform(0.6, 0.9, value.shape)
        if name == "wrap_prm":  # the ids of side sites among numbers
            other = np.where(value == np.trunc(value), value, other)
        if last in _UNIT and value.ndim == 2:
            other /= np.maximum(np.linalg.norm(other, axis=1, keepdims=True), 1e-9)
        if last.startswith("solimp") or "solimp" in name:
            other[..., :2] = np.clip(other[..., :2], 0.1, 0.95)
            other[..., 4:] = np.maximum(other[..., 4:], 1.0)
        yield other if other.ndim else float(other)


def _integers(mj, name, value):
    if name.endswith(("contype", "conaffinity")):
        yield from (value & 2, value | 4)
    elif name.endswith("sameframe"):
        yield from (np.zeros_like(value), np.ones_like(value))
    elif name in FAMILIES:
        one = np.isin(value, FAMILIES[name])
        yield from (np.where(one, kind, value) for kind in FAMILIES[name])
    else:
        yield from (value + 1, np.zeros_like(value), np.full_like(value, -1))
        yield from (np.full_like(value, k) for k in (1, 3, 6))


def editable(*without: str) -> list[str]:
    """Fields that may be written, but for those with these words."""
    return [n for n, words in EDITS.items() if not words & {"fixed", *without}]
