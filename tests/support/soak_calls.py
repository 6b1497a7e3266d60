"""Random public calls in random order.

A program is a list of [name, {argument: value}], all of it JSON, so that a file can hold it; arrays
are drawn from the seed that a call has among its arguments. `on_batch` and `on_data` play a program
and note after each call a digest of the state and of what the call gave back, or what it raised.
Errors of Lanewise, of values, types and indices are answers; any other is `unexpected`.
"""

import copy
import hashlib
import pickle
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

import lanewise as lw
from lanewise.errors import LanewiseError
from lanewise.mjconst import WARN_INERTIA
from support.variation import free_numbers, vary

ANSWERS = (LanewiseError, ValueError, TypeError, IndexError)

# stages that can be called on a Data in any state of it
STAGES = (
    *("kinematics", "com_pos", "camlight", "tendon", "crb", "factor_m", "collision", "com_vel"),
    *("make_constraint", "transmission", "energy_pos", "fwd_velocity", "passive", "energy_vel"),
    *("reference_constraint", "rne", "subtree_vel", "fwd_actuation", "fwd_acceleration"),
    *("fwd_constraint", "rne_post_constraint", "power", "fwd_position"),
)
OUTPUTS = ("xpos", "qacc", "qM", "cvel", "ncon", "contact.dist", "efc_force", "energy", "M")
WIDE = 1e300


def digest(values: Any) -> str:
    """Of arrays, numbers, and tuples and dicts of them."""
    if isinstance(values, dict):
        values = tuple(values.values())
    if isinstance(values, (tuple, list)):
        return " ".join(digest(x) for x in values)
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:8]


# ---- programs


def batch_program(rng: np.random.Generator, mj_model: mujoco.MjModel, nsim: int, n: int) -> list:
    """n calls on a Batch of nsim worlds."""
    weights = {
        "step": 6, "forward": 2, "step1": 2, "step2": 2, "forward_skip": 2, "inverse_skip": 1,
        "sample": 1, "state": 1, "reset": 2, "rollout": 2, "jac": 1, "mul_m": 1, "solve_m": 1,
        "ask": 2, "inverse": 1, "bind": 2, "write": 2, "spoil": 1, "expand": 1, "set_const": 1,
        "get_data": 1, "get_model": 1, "copy": 1, "wrong": 1, "set_models": 0.3,
    }  # fmt: skip
    p = np.array(list(weights.values())) / sum(weights.values())
    names = [str(name) for name in rng.choice(list(weights), n, p=p)]
    return [[name, _arguments(rng, mj_model, nsim, name)] for name in names]


def _arguments(rng, mj_model, nsim: int, name: str) -> dict[str, Any]:
    seed = int(rng.integers(2**31))
    some = sorted(rng.choice(nsim, rng.integers(0, nsim + 1), replace=False).tolist())
    ids = None if rng.random() < 0.6 else some
    match name:
        case "step":
            return {"nstep": int(rng.integers(1, 6)), "ids": ids, "stage": int(rng.integers(0, 4))}
        case "forward":
            return {"ids": ids, "stage": int(rng.integers(0, 4))}
        case "step1" | "step2":
            return {"ids": ids}
        case "forward_skip" | "inverse_skip":
            skip = {"skipstage": int(rng.integers(0, 3)), "skipsensor": bool(rng.random() < 0.5)}
            return {"seed": seed, "ids": ids, **skip}
        case "sample":
            varied = rng.choice(("qpos", "qvel", "ctrl", "qfrc_applied"), 2, replace=False).tolist()
            return {"seed": seed, "ids": ids, "varied": varied, "k": int(rng.integers(1, 20))}
        case "state":
            return {"seed": seed, "ids": ids, "spec": int(rng.integers(0, 2**15))}
        case "reset":
            return {"ids": ids, "keyframe": int(rng.integers(-1, mj_model.nkey))}
        case "rollout":
            record = ["qpos", *rng.choice(OUTPUTS, 2, replace=False).tolist()]
            return {"seed": seed, "nstep": int(rng.integers(1, 5)), "ids": ids, "record": record}
        case "jac":
            return {"seed": seed, "body": int(rng.integers(mj_model.nbody)), "ids": ids}
        case "mul_m" | "solve_m" | "inverse":
            return {"seed": seed, "ids": ids}
        case "ask":
            return {"seed": seed, "ids": ids, "name": str(rng.choice(list(ASKED)))}
        case "bind":
            return {"name": str(rng.choice(OUTPUTS))}
        case "write":
            return {"seed": seed, "name": str(rng.choice(("qpos", "qvel", "ctrl", "qfrc_applied")))}
        case "spoil":
            value = str(rng.choice(("nan", "inf", "-inf", "1e300")))
            return {"world": int(rng.integers(nsim)), "value": value, "seed": seed}
        case "expand":
            return {"seed": seed, "name": str(rng.choice(free_numbers()))}
        case "set_const":
            return {"ids": ids}
        case "get_data" | "get_model":
            return {"sim": int(rng.integers(-1, nsim + 1))}
        case "copy":
            return {"way": str(rng.choice(("copy", "deepcopy", "pickle")))}
        case "wrong":
            return {"case": int(rng.integers(len(WRONG)))}
        case _:
            return {}


def data_program(rng: np.random.Generator, mj_model: mujoco.MjModel, n: int) -> list:
    """n calls on a Data."""
    weights = {
        "step": 5, "split": 1, "forward": 2, "inverse": 1, "stage": 4, "write": 2, "reset": 1,
        "copy": 2, "solve": 1, "contact_force": 1, "transfer": 1, "skip": 1, "ask": 2,
    }  # fmt: skip
    p = np.array(list(weights.values())) / sum(weights.values())
    out = []
    for name in rng.choice(list(weights), n, p=p):
        arguments: dict[str, Any] = {"seed": int(rng.integers(2**31))}
        if name == "step":
            arguments = {"nstep": int(rng.integers(0, 6))}
        elif name == "stage":
            arguments = {"name": str(rng.choice(STAGES))}
        elif name == "reset":
            arguments = {"keyframe": int(rng.integers(-1, mj_model.nkey))}
        elif name == "copy":
            arguments = {"way": str(rng.choice(("copy", "deepcopy", "pickle")))}
        elif name == "write":
            arguments["name"] = str(rng.choice(("qpos", "qvel", "ctrl", "qfrc_applied")))
        elif name == "ask":
            arguments["name"] = str(rng.choice(list(ASKED)))
        out.append([str(name), arguments])
    return out


def copied(thing: Any, way: str) -> Any:
    if way == "pickle":
        return pickle.loads(pickle.dumps(thing))
    return getattr(copy, way)(thing)


# calls with something wrong about them: each must say so, and change nothing
WRONG = (
    lambda b: b.step(nstep=-1),
    lambda b: b.step(ids=[b.nsim]),
    lambda b: b.step(ids=[0, 0]),
    lambda b: b.step(nstep=1.5),
    lambda b: b.forward(stage=99),
    lambda b: b.reset(keyframe=10**6),
    lambda b: b.rollout(0),
    lambda b: b.rollout(2, record=("qpso",)),
    lambda b: b.rollout(2, np.zeros((1, 3, 7))),
    lambda b: b.jac(10**6, np.zeros(3)),
    lambda b: b.jac(-1, np.zeros(3)),
    lambda b: b.jac_body("no such body"),
    lambda b: b.apply_ft(np.zeros((2, 7, 9, 3)), np.zeros(3), np.zeros(3), 0),
    lambda b: b.object_velocity("joint", 0),
    lambda b: b.mul_m(np.zeros(10**3)),
    lambda b: b.bind("qpso"),
    lambda b: b.bind(3),
    lambda b: b.expand("body_masss"),
    lambda b: setattr(b, "qpos", np.zeros((b.nsim + 1, 1))),
    lambda b: setattr(b, "xpos", 0),
    lambda b: b.inverse(np.zeros((b.nsim + 1, 2))),
    lambda b: b.get_data(b.nsim),
    lambda b: b.forward_skip(3),
    lambda b: b.inverse_skip(np.zeros(10**3), 0),
    lambda b: b.sample({"qpso": np.zeros((2, 3))}),
    lambda b: b.sample({"qvel": np.zeros((2, 10**3))}),
    lambda b: b.set_state(np.zeros(10**4)),
    lambda b: b.get_state(1 << 15),
)


# questions: on a Batch, or on a Data and its Model; arguments are drawn
ASKED: dict[str, Callable] = {
    "jac": lambda rng, m: _on_body(rng, m, "point"),
    "jac_dot": lambda rng, m: _on_body(rng, m, "point"),
    "jac_point_axis": lambda rng, m: _on_body(rng, m, "point", "axis"),
    "apply_ft": lambda rng, m: _on_body(rng, m, "point", "force", "torque"),
    "local_to_global": lambda rng, m: {**_on_body(rng, m, "pos"), "quat": rng.normal(size=4)},
    "jac_body": lambda rng, m: {"body": rng.integers(m.nbody, size=3)},
    "jac_body_com": lambda rng, m: {"body": int(rng.integers(m.nbody))},
    "jac_geom": lambda rng, m: {"geom": range(m.ngeom)},
    "jac_site": lambda rng, m: {"site": range(m.nsite)},
    "jac_subtree_com": lambda rng, m: {"body": range(m.nbody)},
    "angmom_mat": lambda rng, m: {"body": range(m.nbody)},
    "object_velocity": lambda rng, m: {"kind": "geom", "id": range(m.ngeom), "local": True},
    "object_acceleration": lambda rng, m: {"kind": "body", "id": range(m.nbody)},
    "full_m": lambda rng, m: {},
}


def _on_body(rng: np.random.Generator, m: Any, *names: str) -> dict[str, Any]:
    vectors = {name: rng.normal(size=3) for name in names}
    return {"body": int(rng.integers(m.nbody)), **vectors}


# ---- playing them


def on_batch(b: lw.Batch, calls: list) -> list[str]:
    """What each call of a program led to."""
    out = []
    for name, arguments in calls:
        before = b.state.copy() if name == "wrong" else None
        try:
            b, result = _call_batch(b, name, dict(arguments))
            note = digest(result)
        except ANSWERS as error:
            note = f"{type(error).__name__}: {error}".replace("on 2 threads", "on 1 threads")
        except AttributeError as error:  # of a name that is not there
            note = f"AttributeError: {error}"
            note = note if name == "wrong" else f"unexpected {note}"
        except Exception as error:
            note = f"unexpected {type(error).__name__}: {error}"
        if before is not None and not np.array_equal(before, b.state, equal_nan=True):
            note = f"unexpected change of the state by a wrong call: {note}"
        out.append(f"{note} | {digest(b.state)} {digest(b.warning[:, WARN_INERTIA + 1 :])}")
    return out


def _call_batch(b: lw.Batch, name: str, a: dict[str, Any]) -> tuple[lw.Batch, Any]:
    rng = np.random.default_rng(a.pop("seed", 0))
    model = b._model
    n = b.nsim if a.get("ids") is None else len(a["ids"])
    match name:
        case "step" | "forward" | "reset" | "set_const" | "step1" | "step2" | "forward_skip":
            return b, getattr(b, name)(**a) or 0
        case "sample":
            varied, k = a.pop("varied"), a.pop("k")
            inputs = {v: 0.1 * rng.normal(size=(k, *b.bind(v).shape[1:])) for v in varied}
            return b, b.sample(inputs, ("qacc", "xpos", "cvel"), **a)
        case "state":
            state = b.get_state(**a)
            b.set_state(state + 0.01 * rng.normal(size=state.shape), **a)
            return b, state
        case "rollout":
            return b, b.rollout(control=rng.normal(size=(n, a["nstep"], model.nu)), **a)
        case "jac":
            return b, b.jac(point=rng.normal(size=3), **a)
        case "mul_m" | "solve_m" | "inverse" | "inverse_skip":
            return b, getattr(b, name)(rng.normal(size=(n, model.nv)), **a)
        case "ask":
            return b, getattr(b, a["name"])(**ASKED[a["name"]](rng, model), ids=a["ids"])
        case "bind":
            return b, b.bind(a["name"]).copy()
        case "write":
            target = b.bind(a["name"])
            target += 0.1 * rng.normal(size=target.shape)
        case "spoil":
            place = model.state_slices[str(rng.choice(("qpos", "qvel", "ctrl", "xfrc_applied")))]
            if place.stop > place.start:
                b.state[a["world"], rng.integers(place.start, place.stop)] = float(a["value"])
        case "expand":
            rows = b.expand(a["name"])
            vary(a["name"], rows, rng)
        case "get_data":
            return b, b.get_data(a["sim"]).qpos
        case "get_model":
            return b, b.get_model(a["sim"]).body_mass
        case "copy":
            return copied(b, a["way"]), 0
        case "wrong":
            return b, WRONG[a["case"]](b) or 0
        case "set_models":
            b.set_models(None)
    return b, 0


def on_data(d: lw.Data, calls: list) -> list[str]:
    """What each call led to in the first world."""
    out = []
    for name, arguments in calls:
        try:
            note = _asked(d, **arguments) if name == "ask" else ""
            d = _call_data(d, name, dict(arguments))
        except ANSWERS as error:
            note = f"{type(error).__name__}"
        except Exception as error:
            note = f"unexpected {type(error).__name__}: {error}"
        state = np.atleast_2d(lw.get_state(d.model, d))[0]
        qacc = d.arrays["qacc"][:, 0]
        out.append(f"{note} | {digest(state)} {digest(qacc)} {d.arrays['ncon'].reshape(-1)[0]}")
    return out


def _asked(d: lw.Data, seed: int, name: str) -> str:
    """What a question gave for the first world"""
    answer = getattr(lw, name)(d.model, d, **ASKED[name](np.random.default_rng(seed), d.model))
    parts = answer if isinstance(answer, tuple) else (answer,)
    return digest([x if d.lanes == 1 else x[0] for x in parts])


def _call_data(d: lw.Data, name: str, a: dict[str, Any]) -> lw.Data:
    m = d.model
    rng = np.random.default_rng(a.pop("seed", 0))
    match name:
        case "step":
            lw.step(m, d, a["nstep"])
        case "split":
            lw.step1(m, d)
            lw.step2(m, d)
        case "forward" | "inverse":
            getattr(lw, name)(m, d)
        case "skip":
            lw.forward_skip(m, d, 0, True)
        case "stage":
            getattr(lw, a["name"])(m, d)
        case "write":
            field = d.arrays[a["name"]]
            field += 0.1 * rng.normal(size=(*field.shape[:-1], 1))
        case "reset":
            lw.reset_data(m, d, a["keyframe"] if a["keyframe"] >= 0 else None)
        case "copy":
            return copied(d, a["way"])
        case "solve":
            lw.forward(m, d)
            lw.solve_m(m, d, lw.mul_m(m, d, rng.normal(size=m.nv)))
            lw.full_m(m, d)
        case "contact_force":
            lw.contact_force(m, d)
        case "transfer":
            lw.get_data(m, d)
    return d
