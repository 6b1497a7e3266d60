"""Tendons of MuJoCo's schema: through joints, or along sites and geoms."""

from typing import Any

import mujoco
import numpy as np

from .losses import Findings
from .mjc import LIMITED
from .stage_values import authored

Names = dict[str, tuple[str, str]]


def add_tendon(spec: Any, prim: Any, name: str, names: Names, findings: Findings) -> None:
    """An MjcTendon; names: of joints, sites and geoms by path."""
    tendon = spec.add_tendon(name=name)
    path = [str(p) for p in prim.GetRelationship("mjc:path").GetForwardedTargets()]
    order = authored(prim, "mjc:path:indices")
    order = list(range(len(path))) if order is None else [int(k) for k in order]
    if not order or not all(0 <= k < len(path) and path[k] in names for k in order):
        findings.wrong("tendons along what is not there", prim)
        return
    if str(authored(prim, "mjc:type")) == "fixed":
        factors = authored(prim, "mjc:path:coef")
        for k, place in enumerate(order):
            factor = 1.0 if factors is None or k >= len(factors) else factors[k]
            tendon.wrap_joint(names[path[place]][1], factor)
    else:
        _wrap(tendon, prim, path, order, names, findings)
    _numbers(tendon, prim)


def _wrap(tendon, prim, path, order, names, findings):
    """Sites, geoms and, where a segment ends, pulleys."""
    segments, divisors = authored(prim, "mjc:path:segments"), authored(prim, "mjc:path:divisors")
    sides, which = _targets(prim, "mjc:sideSites"), authored(prim, "mjc:sideSites:indices")
    last = 0
    for k, place in enumerate(order):
        segment = int(segments[k]) if segments is not None and k < len(segments) else 0
        divisor = (
            float(divisors[segment]) if divisors is not None and segment < len(divisors) else 1.0
        )
        if segment != last or (k == 0 and divisor != 1.0):
            tendon.wrap_pulley(divisor)
        last = segment
        kind, name = names[path[place]]
        if kind == "site":
            tendon.wrap_site(name)
        elif kind == "geom":
            side = int(which[place]) if which is not None and place < len(which) else -1
            tendon.wrap_geom(name, names[sides[side]][1] if 0 <= side < len(sides) else "")
        else:
            findings.wrong("spatial tendons along what is no site and no geom", prim)


def _targets(prim, name):
    relation = prim.GetRelationship(name)
    return [str(p) for p in relation.GetForwardedTargets()] if relation else []


def _numbers(tendon, prim):
    for field in ("armature", "frictionloss", "margin", "width", "group"):
        found = authored(prim, f"mjc:{field}")
        if found is not None:
            setattr(tendon, field, found)
    for field in ("damping", "stiffness"):
        found = authored(prim, f"mjc:{field}")
        if found is not None:
            setattr(tendon, field, [found, 0.0, 0.0])
    for field in ("solref_limit", "solimp_limit", "solref_friction", "solimp_friction"):
        found = authored(prim, f"mjc:{field.replace('_', '')}")
        if found is not None:
            setattr(tendon, field, np.asarray(found, float))
    rest = authored(prim, "mjc:springlength")
    if rest is not None:
        tendon.springlength = np.asarray(rest, float)
    colour = authored(prim, "mjc:rgba")
    if colour is not None:
        tendon.rgba = colour
    for start, field in (("mjc:range", "range"), ("mjc:actuatorfrcrange", "actfrcrange")):
        low, high = authored(prim, f"{start}:min"), authored(prim, f"{start}:max")
        if low is not None or high is not None:
            setattr(tendon, field, [low or 0.0, high or 0.0])
    for attribute, field in (("limited", "limited"), ("actuatorfrclimited", "actfrclimited")):
        word = authored(prim, f"mjc:{attribute}")
        if word is not None:
            setattr(tendon, field, LIMITED[str(word)])
    if tendon.limited == mujoco.mjtLimited.mjLIMITED_AUTO and np.any(tendon.range):
        tendon.limited = mujoco.mjtLimited.mjLIMITED_TRUE
