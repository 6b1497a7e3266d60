"""What bodies do: who does not touch whom, actuators, joints that follow others, the start."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import mjc
from .drives import add_actuator
from .hanging import Hanging
from .jointed import Jointed
from .mjc_tendons import add_tendon
from .placing import rotation
from .stage_values import authored, value

KEY = "stage"


class Acting(Hanging):
    """The part of a writer that is about bodies which are there."""

    prims: list[Any]
    tree: Jointed
    shapes: dict[str | None, list[tuple[Any, Any]]]
    velocities: list[tuple[str, np.ndarray, np.ndarray]]  # of free joints, as the stage has them
    taken: dict[str, set[str]]  # names by kind
    targets: list[float]  # controls that are the targets of drives

    def _filters(self):
        from pxr import UsdPhysics

        pairs = set()
        for body in self.tree.bodies.values():
            for joint in body.joints:
                if body.parent is not None and not value(
                    UsdPhysics.Joint(joint.prim).GetCollisionEnabledAttr()
                ):
                    pairs.add((body.parent.path, body.path))
                elif body.parent is not None:
                    self.findings.name(
                        "joints whose bodies may touch (collisionEnabled): MuJoCo leaves out"
                        " contacts of parent and child", joint.prim,
                    )  # fmt: skip
        for joint in self.tree.loops:
            if (
                joint.body0
                and joint.body1
                and not value(UsdPhysics.Joint(joint.prim).GetCollisionEnabledAttr())
            ):
                pairs.add((joint.body0, joint.body1))
        pairs |= set(self._filtered_pairs()) | set(self._self_collisions())
        seen = set()
        for pair in sorted(pairs):
            key = frozenset(pair)
            if len(key) == 2 and key not in seen and all(self.shapes.get(p) for p in pair):
                seen.add(key)
                a, b = (self.names[p][1] for p in pair)
                self.spec.add_exclude(bodyname1=a, bodyname2=b)

    def _filtered_pairs(self) -> Iterator[tuple[str, str]]:
        from pxr import UsdPhysics

        for prim in self.prims:
            if not prim.HasAPI(UsdPhysics.FilteredPairsAPI):
                continue
            relation = UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel()
            for target in relation.GetForwardedTargets():
                if str(prim.GetPath()) in self.tree.bodies and str(target) in self.tree.bodies:
                    yield str(prim.GetPath()), str(target)
                else:
                    self.findings.name(
                        "filteredPairs of other prims than bodies, which are not read", prim
                    )

    def _self_collisions(self) -> Iterator[tuple[str, str]]:
        """All pairs of bodies of articulations that do not touch themselves."""
        off = ("physxArticulation:enabledSelfCollisions", "newton:selfCollisionEnabled")
        for prim in self.prims:
            if authored(prim, *off) is False:
                path = str(prim.GetPath())
                inside = [b for b in self.tree.bodies if b == path or b.startswith(path + "/")]
                joint = next(
                    (j for b in self.tree.bodies.values() for j in b.joints if j.path == path), None
                )
                if joint is not None:
                    inside = [joint.body0 or joint.body1 or ""]
                trees = {_root(self.tree.bodies[b]).path for b in inside}
                for root in sorted(trees):
                    all_ = [b.path for b in _below(self.tree.bodies[root])]
                    yield from ((a, b) for k, a in enumerate(all_) for b in all_[k + 1 :])

    # ---- actuators, followers, keyframes

    def _actuators(self):
        self.targets = []
        for prim in self.prims:
            if prim.GetTypeName() == "MjcTendon":
                name = self.name("tendon", prim)
                add_tendon(self.spec, prim, name, self.names, self.findings)
        inertias = self._inertias()
        for joint, drive in self.drives:
            inertia = inertias[joint] if drive.by_inertia else 1.0
            self.targets.append(add_actuator(self.spec, joint, joint, drive, inertia))
            self.taken.setdefault("actuator", set()).add(joint)
        for prim in self.prims:
            if prim.GetTypeName() == "MjcActuator":
                self.targets.append(0.0)
                mjc.add_actuator(
                    self.spec, prim, self.name("actuator", prim), self.names, self.findings
                )

    def _inertias(self):
        """What each joint moves at the start, for drives that are accelerations."""
        if not any(drive.by_inertia for _, drive in self.drives):
            return {}
        mj = self.spec.copy().compile()
        for name, drive in self.drives:
            if drive.by_inertia:
                self.findings.name(
                    "drives of type acceleration: their gains are multiplied by the inertia that"
                    " the joint has at the start", name,
                )  # fmt: skip
        return {mj.joint(j).name: float(mj.dof_M0[mj.jnt_dofadr[j]]) for j in range(mj.njnt)}

    def _followers(self):
        for body in self.tree.bodies.values():
            for joint in body.joints:
                turns = joint.kind == "PhysicsRevoluteJoint"
                for add in (mjc.add_mimic, mjc.add_gearing):
                    add(self.spec, joint.prim, self.names, self.units, turns, self.findings)

    def _keys(self):
        for prim in self.prims:
            if prim.GetTypeName() == "MjcKeyframe":
                mjc.add_key(self.spec, prim, self.name("key", prim))
        if not self.velocities and not any(self.targets):
            return
        mj = self.spec.copy().compile()
        qvel = np.zeros(mj.nv)
        for name, linear, angular in self.velocities:
            body = mj.joint(name).bodyid[0]
            adr = mj.joint(name).dofadr[0]
            R = rotation(mj.body_quat[body])
            qvel[adr : adr + 3] = linear - np.cross(angular, R @ mj.body_ipos[body])
            qvel[adr + 3 : adr + 6] = R.T @ angular
        if any(self.targets):
            self.findings.name(f'targets of drives: the keyframe "{KEY}" has them as ctrl', "/")
        name = KEY
        while name in self.taken.get("key", ()):
            name += "_"
        self.spec.add_key(name=name, qpos=mj.qpos0, qvel=qvel, ctrl=self.targets)


def _root(body):
    while body.parent is not None:
        body = body.parent
    return body


def _below(body):
    return [body, *(b for child in body.children for b in _below(child))]
