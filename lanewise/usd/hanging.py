"""Joints of a stage in an MjSpec: those of the tree, and those that close loops.

A revolute joint is a hinge, a prismatic one a slide, a spherical one a ball, and a joint that
leaves several degrees of freedom is slides along its axes, then hinges about x, y and z. What
closes a loop is an equality between two sites, one in either body; of a hinge two, on its axis.
"""

from typing import Any

import mujoco
import numpy as np

from . import mjc
from .drives import Drive, drive_of
from .jointed import Body, Joint, angle_about
from .losses import Findings
from .placing import quaternion
from .stage_values import DEGREE, Units, authored, schemas, value

HINGE, SLIDE = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
BALL = mujoco.mjtJoint.mjJNT_BALL
DEGREES_OF_FREEDOM = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
ALONG = 0.1  # [m], how far apart the two points on the axis of a hinge that closes a loop are


class Hanging:
    """The part of a writer that hangs bodies on joints."""

    spec: mujoco.MjSpec
    findings: Findings
    units: Units
    names: dict[str, tuple[str, str]]
    drives: list[tuple[str, Drive]]

    def name(self, kind: str, prim: Any) -> str:
        """See Writer."""
        raise NotImplementedError

    def _joint(self, joint: Joint, body: Body, made: Any) -> None:
        kind, prim = joint.kind, joint.prim
        if kind == "PhysicsFixedJoint":
            return
        if kind == "PhysicsRevoluteJoint":
            self._scalar(joint, body, made, "angular")
        elif kind == "PhysicsPrismaticJoint":
            self._scalar(joint, body, made, "linear")
        elif kind == "PhysicsSphericalJoint":
            self._ball(joint, made)
        elif kind == "PhysicsJoint":
            self._general(joint, body, made)
        else:
            self.findings.refuse(f"joints of type {kind}", prim)
        for name in ("breakForce", "breakTorque"):
            found = value(prim.GetAttribute(f"physics:{name}"))
            if found is not None and found < 1e30:
                self.findings.name(f"{name}: joints do not break", prim)

    def _scalar(self, joint, body, made, which):
        letter = value(joint.prim.GetAttribute("physics:axis"))
        self._axis(joint, body, made, letter, which, self.name("joint", joint.prim))

    def _axis(self, joint, body, made, letter, which, name):
        """A hinge or a slide, with its limits and its drive; which: of the drive."""
        prim = joint.prim
        turns = which == "angular" or which.startswith("rot")
        unit = DEGREE if turns else self.units.length
        _, X = joint.frames
        made_joint = made.add_joint(
            name=name, type=HINGE if turns else SLIDE, pos=X[:3, 3], axis=joint.axis(letter)
        )
        if which in ("angular", "linear"):
            low, high = (value(prim.GetAttribute(f"physics:{x}Limit")) for x in ("lower", "upper"))
        else:
            low, high = _limits(prim, which)
        self._limit(made_joint, prim, low * unit, high * unit)
        start = joint.starts(body.X_PB)
        if len(body.joints) == 1 and which in ("angular", "linear"):
            at = angle_about(start, letter) if turns else start["XYZ".index(letter), 3]
            if abs(at) > 1e-6:
                made_joint.ref = at
        mjc.set_joint(made_joint, prim, turns, self.units)
        drive = drive_of(prim, which, self.units, self.findings)
        if drive is not None:
            self.drives.append((name, drive))

    def _limit(self, made, prim, low, high):
        if low <= -1e30 and high >= 1e30:
            return
        if low >= high:
            self.findings.wrong("joints whose lower limit is not below the upper one", prim)
            return
        made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        made.range = [max(low, -1e10), min(high, 1e10)]

    def _ball(self, joint, made):
        prim = joint.prim
        _, X = joint.frames
        ball = made.add_joint(name=self.name("joint", prim), type=BALL, pos=X[:3, 3])
        angles = [value(prim.GetAttribute(f"physics:coneAngle{k}Limit")) for k in (0, 1)]
        said = [a for a in angles if 0.0 <= a < 360.0]
        if said:
            ball.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            ball.range = [0.0, max(said) * DEGREE]
            self.findings.name(
                "limits of a cone: MuJoCo limits the whole angle of a ball, twist included", prim
            )
        mjc.set_joint(ball, prim, True, self.units)
        if any(name.startswith("PhysicsDriveAPI") for name in schemas(prim)):
            self.findings.refuse("drives of spherical joints", prim)

    def _general(self, joint, body, made):
        """A joint that leaves some of six degrees of freedom: slides, then hinges about x, y, z."""
        prim = joint.prim
        free = [which for which in DEGREES_OF_FREEDOM if not _locked(prim, which)]
        loose = [w for w in free if not np.isfinite(_limits(prim, w)).any()]
        turning = [w for w in free if w.startswith("rot")]
        driven = any(api.startswith("PhysicsDriveAPI") for api in schemas(prim))
        name = self.name("joint", prim)
        _, X = joint.frames
        if len(loose) == 6 and not driven and body.parent is None:
            made.add_freejoint(name=name)
            return
        for which in (w for w in free if w.startswith("trans")):
            self._axis(joint, body, made, which[-1], which, f"{name}_{which}")
        if len([w for w in loose if w in turning]) == 3 and not driven:
            made.add_joint(name=name, type=BALL, pos=X[:3, 3])
            return
        if len(turning) > 1:
            self.findings.name(
                "joints that turn about several axes: hinges about x, then y, then z", prim
            )
        for which in turning:
            own = f"{name}_{which}" if len(free) > 1 else name
            self._axis(joint, body, made, which[-1], which, own)

    # ---- joints that close loops

    def _loop(self, joint: Joint) -> None:
        prim, kind = joint.prim, joint.kind
        if any(name.startswith("PhysicsDriveAPI") for name in schemas(prim)):
            self.findings.refuse("drives of joints that close loops", prim)
            return
        name = self.name("equality", prim)
        if kind == "PhysicsDistanceJoint":
            self._distance(joint, name)
        elif kind == "PhysicsFixedJoint":
            self._tie(joint, name, mujoco.mjtEq.mjEQ_WELD, np.zeros(3))
        elif kind == "PhysicsSphericalJoint" or "MjcEqualityConnectAPI" in schemas(prim):
            self._tie(joint, name, mujoco.mjtEq.mjEQ_CONNECT, np.zeros(3))
        elif kind == "PhysicsRevoluteJoint":
            axis = np.eye(3)["XYZ".index(value(prim.GetAttribute("physics:axis")))]
            self._tie(joint, name, mujoco.mjtEq.mjEQ_CONNECT, np.zeros(3))
            self._tie(joint, f"{name}_axis", mujoco.mjtEq.mjEQ_CONNECT, ALONG * axis)
            limits = [value(prim.GetAttribute(f"physics:{x}Limit")) for x in ("lower", "upper")]
            if np.isfinite(limits).any():
                self.findings.name("limits of joints that close loops, which are not read", prim)
        else:
            self.findings.refuse(f"{kind} that closes a loop", prim)

    def _tie(self, joint, name, kind, offset):
        """Two sites, one in either body, that an equality holds together."""
        ends = self._ends(joint, name, offset)
        equality = self.spec.add_equality(
            name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, name1=ends[0], name2=ends[1]
        )
        if kind == mujoco.mjtEq.mjEQ_WELD:
            scale = authored(joint.prim, "mjc:torqueScale")
            equality.data[6] = 1.0
            equality.data[10] = 1.0 if scale is None else scale
        mjc.set_equality(equality, joint.prim)

    def _ends(self, joint, name, offset):
        ends = []
        for k, (path, X) in enumerate(((joint.body0, joint.X0), (joint.body1, joint.X1))):
            body = self.spec.worldbody if path is None else self.spec.body(self.names[path][1])
            p = X[:3, 3] + X[:3, :3] @ offset
            ends.append(f"{name}_{k}")
            body.add_site(name=ends[k], pos=p, quat=quaternion(X[:3, :3]), group=4)
        return ends

    def _distance(self, joint, name):
        """A tendon between two sites, whose length is limited."""
        low, high = (
            value(joint.prim.GetAttribute(f"physics:{x}Distance")) * self.units.length
            for x in ("min", "max")
        )
        if low < 0.0 and high < 0.0:
            return
        tendon = self.spec.add_tendon(name=name, limited=mujoco.mjtLimited.mjLIMITED_TRUE)
        tendon.range = [max(low, 0.0), high if high >= 0.0 else 1e10]
        for end in self._ends(joint, name, np.zeros(3)):
            tendon.wrap_site(end)


def freedom(joint):
    """(axes that it turns about, axes that it slides along)"""
    prim = joint.prim
    if joint.kind == "PhysicsRevoluteJoint":
        return value(prim.GetAttribute("physics:axis")), ""
    if joint.kind == "PhysicsPrismaticJoint":
        return "", value(prim.GetAttribute("physics:axis"))
    if joint.kind == "PhysicsSphericalJoint":
        return "XYZ", ""
    if joint.kind == "PhysicsJoint":
        free = [w for w in DEGREES_OF_FREEDOM if not _locked(prim, w)]
        return (
            "".join(w[-1] for w in free if w.startswith("rot")),
            "".join(w[-1] for w in free if w.startswith("trans")),
        )
    return "", ""


def _limits(prim, which):
    """(low, high) of a degree of freedom."""
    from pxr import UsdPhysics

    if not prim.HasAPI(UsdPhysics.LimitAPI, which):
        return -np.inf, np.inf
    api = UsdPhysics.LimitAPI(prim, which)
    return value(api.GetLowAttr()), value(api.GetHighAttr())


def _locked(prim, which):
    low, high = _limits(prim, which)
    return low > high or low == high == 0.0
