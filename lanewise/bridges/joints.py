"""Trees of a model, and the coordinates of its joints in the order and meaning of a system.

The joints of a tree in another order are a permutation (conventions.joint_permutation). What then
differs is the meaning of their numbers:

    hinge, slide   one number, the same everywhere; where a system counts from the pose that the
                   file shows, MuJoCo's `ref` (qpos0) is taken off
    ball           a rotation, and an angular velocity in axes of the child or of the parent
    free           a pose and a twist: conventions.convert_free_state, and for generalized forces
                   convert_free_force

Forces of all joints are dual to velocities, so that the power is the same on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..conventions import Body, convert_free_force, convert_free_state
from ..conventions.arrays import check_unit, join, split
from ..conventions.order import joint_permutation
from ..conventions.rotations import convert_rotation
from ..conventions.spatial import rotate, unrotate
from ..conventions.tree import Link, Tree
from ..errors import ConventionError, UnsupportedFeature, did_you_mean
from ..mjconst import JNT_BALL, JNT_FREE
from .simulation import KINDS, Changes, Worlds

# ---- trees


@dataclass(frozen=True)
class Robot:
    """A tree on the world: its bodies and joints by number, in the order of MuJoCo."""

    worlds: Worlds
    tree: Tree
    bodies: tuple[int, ...]
    joints: tuple[int, ...]

    @property
    def root(self) -> int:
        return self.bodies[0]

    @property
    def free(self) -> int | None:
        """The free joint of the root, if it has one."""
        m = self.worlds.model
        j = m.body_jntadr[self.root]
        return int(j) if j >= 0 and m.jnt_type[j] == JNT_FREE else None

    def base(self, what: str) -> tuple[slice, slice]:
        """Where a floating base has its numbers in qpos and qvel."""
        if self.free is None:
            raise ConventionError(f"{what}: the base is fixed, its state cannot be written")
        return self.worlds.places(self.free)

    def ordered(self, system: str, **choices: Any) -> tuple[int, ...]:
        """The joints that have coordinates, without the free one, in the order of a system."""
        moving = [j for j in self.joints if j != self.free]
        order = joint_permutation(self.tree, "mujoco", system, **choices)
        return tuple(moving[i] for i in order)


def robots(worlds: Worlds) -> list[Robot]:
    """The trees that stand on the world, in the order of MuJoCo."""
    m = worlds.model
    links = Tree.from_model(m).links
    starts = [b for b in range(1, m.nbody) if m.body_parentid[b] == 0]
    made = []
    for first, stop in zip(starts, [*starts[1:], m.nbody]):
        own = [Link(link.name, max(link.parent - first + 1, -1), link.joints)
               for link in links[first - 1 : stop - 1]]  # fmt: skip
        joints = [j for j in range(m.njnt) if first <= m.jnt_bodyid[j] < stop]
        tree = Tree(tuple(own), "mjcf")
        made.append(Robot(worlds, tree, tuple(range(first, stop)), tuple(joints)))
    return made


def robot(worlds: Worlds, root: str | None, system: str) -> Robot:
    """The tree with a root of this name; without a name, the only one there is."""
    trees = robots(worlds)
    names = [worlds.name("body", tree.root) for tree in trees]
    if not trees:
        raise ConventionError(f"the model has no bodies, and so no robot for {system}")
    if root is None:
        if len(trees) != 1:
            raise ConventionError(
                f"{system} has one robot at a time, and {len(trees)} trees stand on the world: say"
                f" root=, the name of one of {', '.join(map(repr, names))}"
            )
        return trees[0]
    if root not in names:
        raise ConventionError(
            f"no tree has the root {root!r}{did_you_mean(root, names)}; there are"
            f" {', '.join(map(repr, names))}"
        )
    return trees[names.index(root)]


def held_or_free(tree: Robot, system: str) -> None:
    """Refuse a root that hangs on the world by a hinge, slide or ball."""
    m, name = tree.worlds.model, tree.worlds.name
    joints = [j for j in tree.joints if m.jnt_bodyid[j] == tree.root and j != tree.free]
    if joints:
        raise UnsupportedFeature(
            {f"{KINDS[int(m.jnt_type[j])]} between the world and the root": [name("joint", j)]
             for j in joints},
            "\n  Put a body without joints between the two: the base.",
            what=f"the root link of {system} is fixed or free; it has no equivalent of",
        )  # fmt: skip


def single_numbers(worlds: Worlds, joints: Sequence[int], system: str) -> None:
    """Refuse joints that are not one number, in a system whose joints are."""
    m, name = worlds.model, worlds.name
    balls = [name("joint", j) for j in joints if m.jnt_type[j] == JNT_BALL]
    if balls:
        raise UnsupportedFeature(
            {"ball joint": balls},
            what=f"a joint of {system} is one number; it has no equivalent of",
        )


def no_reference(worlds: Worlds, joints: Sequence[int], system: str) -> None:
    """Refuse `ref`: nobody says where such a joint has its zero."""
    m = worlds.model
    zero = worlds.constant("qpos0")[..., m.jnt_qposadr[list(joints)]]
    off = [worlds.name("joint", j) for i, j in enumerate(joints) if np.any(zero[..., i] != 0.0)]
    if off:
        raise UnsupportedFeature(
            {"joints with ref (a qpos0 that is not zero)": off},
            what=f"files for {system} have no such thing, so it is not known where it counts from",
        )


def one_joint_each(tree: Robot, system: str) -> None:
    m, name = tree.worlds.model, tree.worlds.name
    several = [name("body", b) for b in tree.bodies if m.body_jntnum[b] > 1]
    if several:
        raise UnsupportedFeature(
            {"bodies with several joints": several},
            "\n  Put bodies between the joints, one for each.",
            what=f"a link of {system} hangs on one joint; it has no equivalent of",
        )


# ---- coordinates


@dataclass(frozen=True)
class Ball:
    """A system's coordinates of a ball joint: a kind of rotation, and axes of the velocity."""

    rotation: str
    numbers: int
    axes: str  # "child" or "parent"


class Coordinates:
    """Joint coordinates of a system: `joints` in its order.

    from_reference  whether hinges and slides count from qpos0
    circles         hinges that are given by cosine and sine
    """

    def __init__(
        self, worlds: Worlds, joints: Sequence[int], system: str, ball: Ball, *,
        from_reference: bool = False, circles: Sequence[int] = (),
    ):  # fmt: skip
        self.worlds, self.system, self.ball = worlds, system, ball
        self.from_reference = from_reference
        m = worlds.model
        numbers = {JNT_FREE: 7, JNT_BALL: ball.numbers}
        # (joint, place in q, place in v) by kind
        self.free: list[tuple[int, int, int]] = []
        self.balls: list[tuple[int, int, int]] = []
        self.circles: list[tuple[int, int, int]] = []
        self.single: list[tuple[int, int, int]] = []
        self.nq = self.nv = 0
        for j in joints:
            kind = m.jnt_type[j]
            group = {JNT_FREE: self.free, JNT_BALL: self.balls}.get(
                kind, self.circles if j in circles else self.single)  # fmt: skip
            group.append((j, self.nq, self.nv))
            self.nq += 2 if group is self.circles else numbers.get(kind, 1)
            self.nv += {JNT_FREE: 6, JNT_BALL: 3}.get(kind, 1)

    def read(self, qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) of a system, from qpos and qvel"""
        n = self.worlds.n
        q, v = np.empty((n, self.nq)), np.empty((n, self.nv))
        for group, width in ((self.single, 1), (self.circles, 2)):
            k, i, a, b = self._places(group)
            angle = qpos[:, k] - self._zero(k)
            for c, x in enumerate((angle,) if width == 1 else (np.cos(angle), np.sin(angle))):
                q[:, a + c] = x
            v[:, b] = qvel[:, i]
        for j, at, dof in self.balls:
            q_J, w = self._ball(j, qpos), qvel[:, self.worlds.places(j)[1]]
            q[:, at : at + self.ball.numbers] = convert_rotation(q_J, "wxyz", self.ball.rotation)
            v[:, dof : dof + 3] = self._to_parent(q_J, w)
        if self.free:
            k, i, a, b = self._places(self.free)
            pose, twist = convert_free_state(
                qpos[:, _runs(k, 7)], qvel[:, _runs(i, 6)], "mujoco", self.system, body=self._body()
            )
            q[:, _runs(a, 7)], v[:, _runs(b, 6)] = pose, twist
        return q, v

    def write_q(self, q: np.ndarray, qpos: np.ndarray) -> None:
        """qpos of a system's q, into an array"""
        k, _, a, _ = self._places(self.single)
        qpos[:, k] = q[:, a] + self._zero(k)
        k, _, a, _ = self._places(self.circles)
        check_unit(q[:, _runs(a, 2)], "(cosine, sine) of a joint")
        qpos[:, k] = np.arctan2(q[:, a + 1], q[:, a]) + self._zero(k)
        for j, at, _ in self.balls:
            x = q[:, at : at + self.ball.numbers]
            qpos[:, self.worlds.places(j)[0]] = convert_rotation(x, self.ball.rotation, "wxyz")
        if self.free:
            k, _, a, _ = self._places(self.free)
            pose, _ = convert_free_state(
                q[:, _runs(a, 7)], None, self.system, "mujoco", body=self._body()
            )
            qpos[:, _runs(k, 7)] = pose

    def write_v(self, v: np.ndarray, qpos: np.ndarray, qvel: np.ndarray) -> None:
        """qvel of a system's v, into an array; the poses are those of qpos"""
        for group in (self.single, self.circles):
            _, i, _, b = self._places(group)
            qvel[:, i] = v[:, b]
        for j, _, dof in self.balls:
            qvel[:, self.worlds.places(j)[1]] = self._to_child(
                self._ball(j, qpos), v[:, dof : dof + 3]
            )
        if self.free:
            k, i, _, b = self._places(self.free)
            body = self._body()
            pose, _ = convert_free_state(
                qpos[:, _runs(k, 7)], None, "mujoco", self.system, body=body
            )
            _, twist = convert_free_state(pose, v[:, _runs(b, 6)], self.system, "mujoco", body=body)
            qvel[:, _runs(i, 6)] = twist

    def read_force(self, force: np.ndarray, qpos: np.ndarray) -> np.ndarray:
        """Generalized forces of a system, from those of MuJoCo"""
        out = np.empty((self.worlds.n, self.nv))
        for group in (self.single, self.circles):
            _, i, _, b = self._places(group)
            out[:, b] = force[:, i]
        for j, _, dof in self.balls:
            out[:, dof : dof + 3] = self._to_parent(
                self._ball(j, qpos), force[:, self.worlds.places(j)[1]]
            )
        self._convert_free_force(force, out, qpos, ("mujoco", self.system))
        return out

    def write_force(self, tau: np.ndarray, qpos: np.ndarray, force: np.ndarray) -> None:
        """Generalized forces of MuJoCo, from those of a system, into an array"""
        self.write_joint_force(tau, qpos, force)
        self._convert_free_force(tau, force, qpos, (self.system, "mujoco"))

    def write_joint_force(self, tau: np.ndarray, qpos: np.ndarray, force: np.ndarray) -> None:
        """The same, of all joints but the free ones"""
        for group in (self.single, self.circles):
            _, i, _, b = self._places(group)
            force[:, i] = tau[:, b]
        for j, _, dof in self.balls:
            force[:, self.worlds.places(j)[1]] = self._to_child(
                self._ball(j, qpos), tau[:, dof : dof + 3]
            )

    def _convert_free_force(
        self, given: np.ndarray, made: np.ndarray, qpos: np.ndarray, systems: tuple[str, str]
    ) -> None:
        if not self.free:
            return
        k, i, _, b = self._places(self.free)
        there, here = (i, b) if systems[0] == "mujoco" else (b, i)
        made[:, _runs(here, 6)] = convert_free_force(
            given[:, _runs(there, 6)], *systems, pose=qpos[:, _runs(k, 7)], pose_system="mujoco",
            body=self._body(),
        )  # fmt: skip

    def write(self, changes: Changes, q: Any, v: Any, tau: Any) -> None:
        """What was given of q, v and generalized forces; v and tau belong to the new q, if any"""
        given = self.worlds.given
        if q is not None:
            self.write_q(given(q, (self.nq,), "q"), changes["qpos"])
        qpos = changes.seen("qpos")
        if v is not None:
            self.write_v(given(v, (self.nv,), "v"), qpos, changes["qvel"])
        if tau is not None:
            self.write_force(given(tau, (self.nv,), "tau"), qpos, changes["qfrc_applied"])

    # where numbers are: places in qpos, in qvel, in q and in v

    def _places(self, group: list) -> tuple[np.ndarray, ...]:
        m = self.worlds.model
        j, a, b = np.array(group, int).reshape(-1, 3).T
        return m.jnt_qposadr[j], m.jnt_dofadr[j], a, b

    def _zero(self, k: np.ndarray) -> Any:
        return self.worlds.constant("qpos0")[..., k] if self.from_reference else 0.0

    def _body(self) -> Body:
        bodies = self.worlds.model.jnt_bodyid[[j for j, _, _ in self.free]]
        return Body(com=self.worlds.rows("body_ipos", bodies))

    def _ball(self, j: int, qpos: np.ndarray) -> np.ndarray:
        q = qpos[:, self.worlds.places(j)[0]]
        check_unit(q, f"qpos of {self.worlds.name('joint', j)}")
        return q

    def _to_parent(self, q_J: np.ndarray, w: np.ndarray) -> np.ndarray:
        return w if self.ball.axes == "child" else join(rotate(split(q_J), split(w)))

    def _to_child(self, q_J: np.ndarray, w: np.ndarray) -> np.ndarray:
        return w if self.ball.axes == "child" else join(unrotate(split(q_J), split(w)))


def _runs(starts: np.ndarray, width: int) -> np.ndarray:
    """Indices (starts, width) of runs of numbers."""
    return np.asarray(starts, int)[:, None] + np.arange(width)
