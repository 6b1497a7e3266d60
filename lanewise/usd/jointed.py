"""Bodies and joints of a stage, as a tree.

USD has bodies side by side and joints between any two of them; MuJoCo has a tree. A joint to the
world makes its body a root. Where there is none, the root floats: the body with
ArticulationRootAPI, or the first that no joint has as its second body. ArticulationRootAPI on a
wrapper or on a joint says nothing more than that. From the roots, joints are followed; what then
leads to a body that is there already closes a loop and becomes a constraint.

A joint has a frame in either body, J0 and J1, and its position is that of J1 in J0. If a stage is
drawn with the two apart by an angle or a length along the joint, that is where the joint starts.
"""

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .losses import Findings
from .placing import Places, apart, inverse, matrix, quaternion, rotation
from .stage_values import schemas, value

AXES = {"X": np.eye(3)[0], "Y": np.eye(3)[1], "Z": np.eye(3)[2]}
DISTANCE = "PhysicsDistanceJoint"
APART = 1e-3  # [m, rad], how far a joint's frames may be apart where they cannot move


@dataclass(eq=False)
class Joint:
    """A joint between body0 and body1 (None: the world), with its frames in them."""

    prim: Any
    kind: str  # as the prim's type: PhysicsRevoluteJoint
    body0: str | None
    body1: str | None
    X0: np.ndarray
    X1: np.ndarray
    index: int  # among the joints of the stage
    reverse: bool = False  # in the tree: body1 is the parent

    @property
    def path(self) -> str:
        """Of its prim."""
        return str(self.prim.GetPath())

    @property
    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """(in the parent, in the child)"""
        return (self.X1, self.X0) if self.reverse else (self.X0, self.X1)

    def axis(self, letter: str) -> np.ndarray:
        """An axis of it in the frame of the child, of a positive motion."""
        _, X = self.frames
        return (-1.0 if self.reverse else 1.0) * (X[:3, :3] @ AXES[letter])

    def starts(self, X_PC: np.ndarray) -> np.ndarray:
        """J1 in J0, as a matrix, where the child is so in the parent."""
        X_PJ, X_CJ = self.frames
        X = inverse(X_PJ) @ X_PC @ X_CJ
        return inverse(X) if self.reverse else X


@dataclass(eq=False)
class Body:
    """A rigid body, and in the tree its parent, its joints to it and what hangs on it."""

    prim: Any
    X: np.ndarray  # its frame in the world
    scale: np.ndarray
    kinematic: bool = False
    parent: "Body | None" = None
    joints: list[Joint] = field(default_factory=list)
    children: list["Body"] = field(default_factory=list)

    @property
    def path(self) -> str:
        """Of its prim."""
        return str(self.prim.GetPath())

    @property
    def X_PB(self) -> np.ndarray:
        """Its frame in its parent's."""
        return self.X if self.parent is None else inverse(self.parent.X) @ self.X


@dataclass
class Jointed:
    """A stage's tree: its roots, joints that close loops, and which body a prim is part of."""

    bodies: dict[str, Body]
    roots: list[Body]
    loops: list[Joint]

    def body_of(self, prim: Any) -> Body | None:
        """The body that a prim is part of; None: the world."""
        while prim:
            found = self.bodies.get(str(prim.GetPath()))
            if found is not None:
                return found
            prim = prim.GetParent()
        return None


def jointed(prims: list[Any], places: Places, findings: Findings) -> Jointed:
    """The tree of a stage's bodies."""
    bodies = {str(p.GetPath()): _body(p, places, findings) for p in prims if is_body(p)}
    tree = Jointed(bodies, [], [])
    joints: list[Joint] = []
    for prim in prims:
        if is_joint(prim):
            joint = _joint(prim, len(joints), tree, places, findings)
            if joint is not None:
                joints.append(joint)
    _grow(tree, joints, prims)
    return tree


def is_body(prim: Any) -> bool:
    """Whether it is a rigid body that is switched on."""
    from pxr import UsdPhysics

    api = UsdPhysics.RigidBodyAPI(prim)
    return prim.HasAPI(UsdPhysics.RigidBodyAPI) and bool(value(api.GetRigidBodyEnabledAttr()))


def is_joint(prim: Any) -> bool:
    """Whether it is a joint, of whatever kind."""
    from pxr import UsdPhysics

    return prim.IsA(UsdPhysics.Joint)


def _body(prim, places, findings):
    from pxr import UsdPhysics

    place = places.of(prim)
    if place.sheared:
        findings.refuse("bodies that are sheared, or scaled to nothing", prim)
    kinematic = bool(value(UsdPhysics.RigidBodyAPI(prim).GetKinematicEnabledAttr()))
    return Body(prim, place.X, place.scale, kinematic)


def _joint(prim, index, tree, places, findings):
    from pxr import UsdPhysics

    api = UsdPhysics.Joint(prim)
    if not value(api.GetJointEnabledAttr()):
        findings.name("joints that are switched off", prim)
        return None
    sides = []
    for relation, p, q in (
        (api.GetBody0Rel(), api.GetLocalPos0Attr(), api.GetLocalRot0Attr()),
        (api.GetBody1Rel(), api.GetLocalPos1Attr(), api.GetLocalRot1Attr()),
    ):
        targets = relation.GetForwardedTargets()
        target = prim.GetStage().GetPrimAtPath(targets[0]) if targets else None
        if targets and not target:
            findings.wrong(f"joints with a body that is not there, {targets[0]}", prim)
            return None
        body = tree.body_of(target) if target else None
        if target:
            place = places.within(target, np.eye(4) if body is None else body.X)
        else:
            place = apart(places.units.C_WS)
        X = matrix(place.point(value(p)), place.R @ rotation(value(q)))
        sides.append((None if body is None else body.path, X))
    (body0, X0), (body1, X1) = sides
    if body0 == body1:
        findings.name("joints that move nothing: both their bodies are the same", prim)
        return None
    return Joint(prim, str(prim.GetTypeName()), body0, body1, X0, X1, index)


# ---- the tree


def _grow(tree, joints, prims):
    """Make the tree of the joints, and a list of those that are left."""
    at = defaultdict(list)
    for joint in joints:
        at[joint.body0].append(joint)
        at[joint.body1].append(joint)
    used: set[str] = set()
    placed: set[str] = set()
    anchored = [joint for joint in at[None] if not _excluded(joint)]
    loose = [joint for joint in at[None] if _excluded(joint) and joint.kind != DISTANCE]
    for joint in [*anchored, *loose]:
        path = joint.body1 if joint.body0 is None else joint.body0
        # a joint that is kept out of the articulation holds only what nothing else does
        if path in placed or joint.path in used or (_excluded(joint) and len(at[path]) > 1):
            continue
        used.update(_attach(tree, None, tree.bodies[path], at, joint))
        placed.add(path)
        _follow(tree, path, at, used, placed)
    for path in _floating(tree, joints, prims):
        if path not in placed:
            tree.roots.append(tree.bodies[path])
            placed.add(path)
            _follow(tree, path, at, used, placed)
    tree.loops = [joint for joint in joints if joint.path not in used]


def _floating(tree, joints, prims):
    """Bodies as they may be roots: those said to be, those that nobody moves, all."""
    from pxr import UsdPhysics

    said = [str(p.GetPath()) for p in prims if p.HasAPI(UsdPhysics.ArticulationRootAPI)]
    moved = {joint.body1 for joint in joints if not _excluded(joint)}
    return [
        *(path for path in said if path in tree.bodies),
        *(path for path in tree.bodies if path not in moved),
        *tree.bodies,
    ]


def _follow(tree, root, at, used, placed):
    """Hang on a root whatever its joints lead to. Joints with drives come first, then near ones, so
    that loops are closed by joints that nothing drives, far from the root."""
    frontier: list[tuple[bool, int, int, str]] = []

    def reach(path, depth):
        for joint in at[path]:
            driven = any(name.startswith("PhysicsDriveAPI") for name in schemas(joint.prim))
            heapq.heappush(frontier, (not driven, depth, joint.index, path))

    by_index = {joint.index: joint for joints in at.values() for joint in joints}
    reach(root, 0)
    while frontier:
        _, depth, index, path = heapq.heappop(frontier)
        joint = by_index[index]
        other = joint.body1 if joint.body0 == path else joint.body0
        if joint.path in used or other is None or other in placed or _excluded(joint):
            continue
        used.update(_attach(tree, tree.bodies[path], tree.bodies[other], at, joint))
        placed.add(other)
        reach(other, depth + 1)
    for body in tree.bodies.values():  # as the stage has them
        body.children.sort(key=lambda child: child.joints[0].index)


def _attach(tree, parent, child, at, joint):
    """Hang a body on another, by a joint and those that MuJoCo's schema has beside it."""
    child.parent = parent
    above = None if parent is None else parent.path
    twins = [
        j
        for j in at[child.path]
        if {j.body0, j.body1} == {above, child.path} and "MjcJointAPI" in schemas(j.prim)
    ]
    child.joints = twins if joint in twins else [joint]
    for each in child.joints:
        each.reverse = each.body0 == child.path
    (tree.roots if parent is None else parent.children).append(child)
    return [each.path for each in child.joints]


def _excluded(joint):
    from pxr import UsdPhysics

    api = UsdPhysics.Joint(joint.prim)
    return bool(value(api.GetExcludeFromArticulationAttr())) or joint.kind == DISTANCE


# ---- where joints start


def angle_about(X: np.ndarray, letter: str) -> float:
    """By how much a frame is turned about an axis [rad]."""
    q = quaternion(X[:3, :3])
    return float(2.0 * np.arctan2(q[1:] @ AXES[letter], q[0]) + np.pi) % (2.0 * np.pi) - np.pi


def misfit(X: np.ndarray, turns: str, slides: str) -> float:
    """How far J1 is from J0 where the joint cannot move [m or rad]."""
    off = [abs(X["XYZ".index(a), 3]) for a in "XYZ" if a not in slides]
    if len(turns) < 2:
        R = X[:3, :3]
        if turns:
            about = angle_about(X, turns)
            axis = AXES[turns]
            q = np.array([np.cos(about / 2.0), *(np.sin(about / 2.0) * axis)])
            R = rotation(q).T @ R
        off.append(2.0 * np.arcsin(min(1.0, float(np.linalg.norm(quaternion(R)[1:])))))
    return float(max(off, default=0.0))
