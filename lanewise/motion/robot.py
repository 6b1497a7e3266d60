"""A model as clips see it: a root, usually on a free joint, and the joints below it by name.

Of a scene it is the tree with the most joints; what else is in it stays where the model has it.
Orders of joints and bodies are those of lanewise.conventions, as lists of names.
"""

from functools import cached_property
from typing import Any

import numpy as np

from ..conventions import OrderRule, Tree, body_permutation, joint_permutation
from ..conventions.systems import SYSTEMS
from ..errors import ConventionError, did_you_mean, no_such
from ..mjconst import JNT_BALL, JNT_FREE
from ..public import Model, load
from .motion_errors import MotionError

# orders that motions are in, and how the tree is walked for them
ORDERS: dict[str, tuple[Any, dict[str, str]]] = {
    "mujoco": ("mujoco", {}),
    "isaaclab-2": ("isaaclab-2", {}),
    "isaaclab-3": ("isaaclab-3", {"backend": "physx"}),
    "isaaclab-3-newton": ("isaaclab-3", {"backend": "newton"}),
    "breadth-first": (OrderRule("breadth_first", "file"), {}),
}
FIXED = ("keep", "merge")
SIDES = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"), ("L_", "R_"), ("l_", "r_"))


def as_robot(model: Any) -> "Robot":
    """Of a Model, an MjModel, an MjSpec, or the path or text of a model."""
    if isinstance(model, Robot):
        return model
    return Robot(model if isinstance(model, Model) else load(model))


class Robot:
    """The tree of a model that a clip moves.

    root         number of its first body
    free         number of its free joint, or None if it stands on the world
    joints       numbers of its other joints, in MuJoCo's order
    joint_names  their names; what has none has its number
    body_names   names of its bodies, in MuJoCo's order
    """

    def __init__(self, m: Model):
        self.model = m
        moving = np.flatnonzero(m.jnt_type != JNT_FREE)
        tree_of = m.body_rootid[m.jnt_bodyid]
        floating = [int(b) for b in m.jnt_bodyid[m.jnt_type == JNT_FREE]]
        self.free: int | None = None
        if floating:
            self.root = max(floating, key=lambda b: int((tree_of[moving] == b).sum()))
            self.free = int(m.body_jntadr[self.root])
            self.joints = moving[tree_of[moving] == self.root]
        elif len(moving):
            self.root, self.joints = int(tree_of[moving[0]]), moving
        else:
            raise MotionError("the model has no joints: a clip has nothing to move")
        inside = (m.body_rootid == self.root) if self.free is not None else m.body_rootid > 0
        self.bodies = np.flatnonzero(inside)
        self.joint_names = [m.mj.joint(j).name or f"joint {j}" for j in self.joints]
        self.body_names = [m.mj.body(b).name or f"body {b}" for b in self.bodies]
        self.balls = m.jnt_type[self.joints] == JNT_BALL

    @cached_property
    def tree(self) -> Tree:
        """The tree, for orders."""
        whole = Tree.from_model(self.model.mj)
        return whole.subtree(self.body_names[0]) if len(whole.roots) > 1 else whole

    @property
    def root_name(self) -> str:
        """The name of the root."""
        return self.body_names[0]

    @property
    def axes(self) -> np.ndarray:
        """Axes of the joints in the frames of their bodies, (n, 3)."""
        return self.model.jnt_axis[self.joints]

    @property
    def ranges(self) -> np.ndarray:
        """Limits of the joints (n, 2); infinite where there are none."""
        limited = np.asarray(self.model.jnt_limited[self.joints], bool)[:, None]
        return np.where(limited, self.model.jnt_range[self.joints], (-np.inf, np.inf))

    def joint_order(self, order: Any) -> list[str]:
        """Names of the joints in an order: a name of ORDERS or of a system, or a list of names."""
        if not isinstance(order, str):
            return self._given(list(order), self.joint_names, "joint")
        found = self._orders(order, joint_permutation, self.joint_names)
        return found[0]

    def body_orders(self, order: Any) -> list[list[str]]:
        """Names of the bodies in an order: several lists, if bodies that are welded may have been
        merged into others."""
        if not isinstance(order, str):
            return [self._given(list(order), self.body_names, "body")]
        return self._orders(order, body_permutation, self.body_names)

    def _orders(self, order: str, permutation: Any, names: list[str]) -> list[list[str]]:
        if order not in ORDERS and order not in SYSTEMS:
            known = [*ORDERS, *(name for name in SYSTEMS if name not in ORDERS)]
            raise MotionError(
                f"no order {order!r}{did_you_mean(order, known)}; there are {', '.join(known)},"
                " or a list of the joints' names"
            )
        rule, more = ORDERS.get(order, (order, {}))
        lists: list[list[str]] = []
        for fixed in FIXED:
            own = names
            if fixed == "merge" and permutation is body_permutation:
                own = [n for n, link in zip(names, self.tree.links, strict=True) if not link.welded]
            index = permutation(self.tree, "mujoco", rule, fixed=fixed, **more)
            found = [own[i] for i in index]
            if found not in lists:
                lists.append(found)
        return lists

    def candidates(self) -> dict[str, list[str]]:
        """Orders that a file without names may be in: each list of joints once."""
        found: dict[str, list[str]] = {}
        for order in ORDERS:
            try:
                names = self.joint_order(order)
            except ConventionError:  # such as siblings without names
                continue
            if names not in found.values():
                found[order] = names
        return found

    def _given(self, names: list[str], known: list[str], kind: str) -> list[str]:
        for name in names:
            if name not in known:
                raise MotionError(no_such(kind, name, known))
        if len(set(names)) < len(names):
            raise MotionError(f"a {kind} is listed twice: {', '.join(names)}")
        return names


def other_side(name: str) -> str:
    """left_knee for right_knee and the other way; what has no side is itself."""
    for left, right in SIDES:
        for this, that in ((left, right), (right, left)):
            if name.startswith(this) if this.endswith("_") else this in name:
                return name.replace(this, that, 1)
    return name
