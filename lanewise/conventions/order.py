"""The order in which a system numbers the joints and bodies of a robot, and maps between orders.

A system walks along the tree depth first or breadth first, and takes the children of a link in the
order of the file or by the names of their joints. Names are compared byte by byte, as the engines
do it: J_upper, j_10, j_2, j_Tap, j_alpha. A link on several joints goes by the first of them, a
welded one by its own name; the joints of one link stay in the order of the file.

PhysX, when it reads USD, takes the joints of one parent by kind first: fixed, revolute, prismatic,
spherical, D6. Names are paths there: a joint that is written below its child link, and not below
its parent or in a scope for all, is sorted by that link. The rows of Isaac hold for robots that its
URDF importer wrote. Some assets are in the order in which their prims were written; for these, an
OrderRule may stand in place of a system, as in OrderRule("breadth_first", "file").

Free joints are no part of an order: the state of a free body is a pose and a twist. What remains
are the joints that have coordinates, mimic joints too.

Three things are not in the tree, and change the order of some systems for some trees. They are
arguments, and have to be said only where the answer depends on them:

    file    pinocchio sorts siblings of URDF and not of MJCF; Newton those of USD only. A tree
            knows its file; this is for a robot that the other side has read from another one.
    fixed   importers of URDF merge links on fixed joints into their parents ("merge"), or keep
            them as links ("keep"), which makes what hangs on them a generation younger. Trees of
            MJCF and USD are taken as they are: a welded body is a body.
    roots   several trees that stand on the world: one after the other, as articulations of their
            own ("apart"), or as the limbs of one that is held ("together").
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ConventionError
from .arrays import choice
from .systems import ATTRIBUTES, System, system
from .tree import FILES, Link, Tree, as_tree

FIXED = ("keep", "merge")
ROOTS = ("apart", "together")
BACKENDS = ("physx", "newton")
SIBLINGS = ("file", "joint_line", "joint_name", "joint_kind_and_name")


@dataclass(frozen=True)
class OrderRule:
    """How a system walks along a tree; it may stand wherever a system is asked for.

    siblings is "file", or by the place of their joints in the file ("joint_line"), by the names of
    their joints ("joint_name"), or by kind and then name ("joint_kind_and_name"). floating_last:
    trees on a free joint come after those that stand on the world.
    """

    traversal: str
    siblings: str
    floating_last: bool = False

    def __post_init__(self) -> None:
        choice(self.traversal, ATTRIBUTES["traversal"][0], "traversal")
        choice(self.siblings, SIBLINGS, "siblings")


# refinements of what the rows say: for PhysX the kind of a joint comes before its name; and in
# Genesis, children of a merged link stand where their own joints are in the file, while in MuJoCo
# and others they stand where the merged link was
REFINED = {
    "physx": {"joint_name": "joint_kind_and_name"},
    "usd": {"joint_name": "joint_kind_and_name"},
    "genesis": {"file": "joint_line"},
}
KINDS = ("fixed", "hinge", "slide", "ball", "planar", "free")  # of PhysX, in its order

# where it depends on the file: system -> kind of file -> siblings; None is the row's own
BY_FILE: dict[str, dict[str, str | None]] = {
    "pinocchio": {"urdf": None, "mjcf": "file"},
    "newton": {"mjcf": None, "urdf": None, "usd": "joint_name"},
}
# where it depends on what computes
BY_BACKEND: dict[tuple[str, str | None], OrderRule] = {
    ("isaaclab-3", "newton"): OrderRule("depth_first", "joint_name"),
}
# these keep fixed joints while they number the others, whether they merge links afterwards or not
ALWAYS_KEEP = ("pinocchio", "sapien", "newton")
# these number trees that float after those that stand
FLOATING_LAST = ("drake",)
# these number bodies as the file lists them (in URDF: the <link> elements), not as they are walked
AS_LISTED = ("drake",)

Where = tuple[int, int]  # (number of a link, number of a joint on it)


def joint_order(
    model: Any, system: str | System | OrderRule, *, file: str | None = None,
    fixed: str | None = None, roots: str | None = None, backend: str | None = None,
) -> list[str]:  # fmt: skip
    """Names of the joints that have coordinates, in the order of a system, without free joints.

    `model` is an MjModel, a lanewise Model, a Tree, or the text or path of a URDF file. `backend`
    is "physx" or "newton", for isaaclab-3: its row is that of PhysX.
    """
    tree = as_tree(model)
    where = _joints(tree, _Choice(tree, system, file, fixed, roots, backend))
    return [_named(tree.links[i].joints[k].name, "joint", tree.links[i]) for i, k in where]


def body_order(
    model: Any, system: str | System | OrderRule, *, file: str | None = None,
    fixed: str | None = None, roots: str | None = None, backend: str | None = None,
) -> list[str]:  # fmt: skip
    """Names of the bodies in the order of a system, roots first; the world is none of them."""
    tree = as_tree(model)
    links = _bodies(tree, _Choice(tree, system, file, fixed, roots, backend))
    return [_named(tree.links[i].name, "body", tree.links[i]) for i in links]


def joint_permutation(
    model: Any, source: str | System | OrderRule, target: str | System | OrderRule, *,
    file: str | None = None, fixed: str | None = None, roots: str | None = None,
    backend: str | None = None,
) -> np.ndarray:  # fmt: skip
    """Where the target's joints are in the source's order: x_target = x_source[..., permutation].

    For vectors with one number a joint. With ball joints, see dof_permutation.
    """
    tree = as_tree(model)
    a, b = (_joints(tree, _Choice(tree, s, file, fixed, roots, backend, (source, target)))
            for s in (source, target))  # fmt: skip
    return _permutation(a, b)


def dof_permutation(
    model: Any, source: str | System | OrderRule, target: str | System | OrderRule, *,
    file: str | None = None, fixed: str | None = None, roots: str | None = None,
    backend: str | None = None,
) -> np.ndarray:  # fmt: skip
    """As joint_permutation, for vectors of velocities, accelerations or forces of joints.

    A ball joint has three of them, which stay together and in order. (Its position is a quaternion,
    or three angles, and no permutation takes one to the other.)
    """
    tree = as_tree(model)
    a, b = (
        [(i, k, n) for i, k in _joints(tree, _Choice(tree, s, file, fixed, roots, backend,
                                                     (source, target)))
         for n in range(tree.links[i].joints[k].nv)]
        for s in (source, target)
    )  # fmt: skip
    return _permutation(a, b)


def body_permutation(
    model: Any, source: str | System | OrderRule, target: str | System | OrderRule, *,
    file: str | None = None, fixed: str | None = None, roots: str | None = None,
    backend: str | None = None,
) -> np.ndarray:  # fmt: skip
    """As joint_permutation, for the rows of bodies: x_target = x_source[..., permutation, :]."""
    tree = as_tree(model)
    a, b = (_bodies(tree, _Choice(tree, s, file, fixed, roots, backend, (source, target)))
            for s in (source, target))  # fmt: skip
    return _permutation(a, b)


def order_rule(
    system: str | System | OrderRule, *, file: str | None = None, backend: str | None = None
) -> OrderRule:
    """The rule of a system, for a kind of file and on a backend where that makes a difference."""
    rules = _rules(system, file, backend)
    if len(set(rules.values())) > 1:
        raise ConventionError(
            f"the order of {_name(system)} depends on the kind of file: say file="
            + " or file=".join(map(repr, rules))
        )
    return next(iter(rules.values()))


def _rules(
    which: str | System | OrderRule, file: str | None, backend: str | None
) -> dict[str | None, OrderRule]:
    """The rules that are possible, by kind of file."""
    if file is not None:
        choice(file, FILES, "file")
    if isinstance(which, OrderRule):
        return {file: which}
    row = system(which)
    if backend is not None:
        choice(backend, BACKENDS, "backend")
    if (row.name, backend) in BY_BACKEND:
        return {file: BY_BACKEND[row.name, backend]}
    siblings = REFINED.get(row.name, {}).get(row.siblings, row.siblings)
    own = OrderRule(row.traversal, siblings, row.name in FLOATING_LAST)
    by_file = BY_FILE.get(row.name)
    if by_file is None:
        return {file: own}
    kinds = (file,) if file in by_file else tuple(by_file)  # of a file that it cannot read: any
    return {kind: replace(own, siblings=by_file[kind] or own.siblings) for kind in kinds}


def _name(which: str | System | OrderRule) -> str:
    return which if isinstance(which, str) else getattr(which, "name", repr(which))


class _Choice:
    """What was said, and what is left open."""

    def __init__(
        self, tree: Tree, which: str | System | OrderRule, file: str | None, fixed: str | None,
        roots: str | None, backend: str | None, systems: Iterable[Any] = (),
    ):  # fmt: skip
        self.name = _name(which)
        if fixed is not None:
            choice(fixed, FIXED, "fixed")
        if roots is not None:
            choice(roots, ROOTS, "roots")
        with_backends = {name for name, _ in BY_BACKEND}
        if backend is not None and not {_name(s) for s in (which, *systems)} & with_backends:
            raise ConventionError(
                f"backend={backend!r}: only {', '.join(with_backends)} can run on several backends"
            )
        file = file or tree.file
        self.keeps = self.name in ALWAYS_KEEP
        self.as_listed = self.name in AS_LISTED
        self.rules = _rules(which, file, backend)
        merges = file == "urdf" and not self.keeps
        self.fixed = (fixed,) if fixed else FIXED if merges else FIXED[:1]
        self.roots = (roots,) if roots else ROOTS


def _decided(tree: Tree, said: _Choice, what: Callable[[list[int]], list]) -> list:
    """What of the links in their order, if it is the same whatever was left open."""
    answers: dict[tuple, list] = {}
    for (file, rule), fixed, roots in itertools.product(said.rules.items(), said.fixed, said.roots):
        merge = fixed == "merge"
        links = _ordered(tree, rule, merge and not said.keeps, roots == "together")
        if merge:
            links = [i for i in links if not tree.links[i].welded]
        answers[file, fixed, roots] = what(links)
    first = next(iter(answers.values()))
    for number, argument in enumerate(("file", "fixed", "roots")):
        choices = list(dict.fromkeys(key[number] for key in answers))
        for key, answer in answers.items():
            other = (*key[:number], choices[0], *key[number + 1 :])
            if answer != answers[other]:
                raise ConventionError(
                    f"the order of {said.name} depends here on what the tree does not say:"
                    f" {_MEANING[argument]}. Say {argument}="
                    + f" or {argument}=".join(map(repr, choices))
                )
    return first


_MEANING = {
    "file": "the kind of file that it has read",
    "fixed": "whether its importer has merged links on fixed joints into their parents",
    "roots": "whether the trees on the world are articulations of their own or limbs of one",
}


def _joints(tree: Tree, said: _Choice) -> list[Where]:
    def moving(links: list[int]) -> list[Where]:
        return [(i, k) for i in links for k, joint in enumerate(tree.links[i].joints)
                if joint.kind not in ("free", "fixed")]  # fmt: skip

    return _decided(tree, said, moving)


def _bodies(tree: Tree, said: _Choice) -> list[int]:
    def numbered(links: list[int]) -> list[int]:
        return sorted(links, key=lambda i: tree.links[i].listed) if said.as_listed else links

    return _decided(tree, said, numbered)


def _permutation(source: list, target: list) -> np.ndarray:
    number = {what: i for i, what in enumerate(source)}
    return np.array([number[what] for what in target], np.intp)


def _ordered(tree: Tree, rule: OrderRule, merge: bool, together: bool) -> list[int]:
    """Links in the order of a rule; merged ones are left out, and their children move up."""

    moves = [any(j.nv for j in link.joints) for link in tree.links]  # it, or what hangs on it
    for i in reversed(range(len(moves))):
        if moves[i] and tree.links[i].parent >= 0:
            moves[tree.links[i].parent] = True

    def children(i: int) -> list[int]:
        return ordered(_merged(tree, tree.children[i]) if merge else list(tree.children[i]))

    def ordered(links: list[int]) -> list[int]:
        if rule.siblings == "file" or len(links) < 2:
            return links
        if rule.siblings == "joint_line":
            return sorted(links, key=lambda i: tree.links[i].line)
        names = {i: _key(tree.links[i], moves[i]) for i in links}
        if rule.siblings == "joint_name":
            return sorted(links, key=lambda i: names[i])
        return sorted(links, key=lambda i: (_kind(tree.links[i]), names[i]))

    if rule.traversal == "depth_first" and rule.siblings in ("file", "joint_line"):
        together = False  # the same, and trees on free joints stay in between
    order: list[int] = []
    for group in _groups(tree, together, rule.floating_last):
        waiting = ordered(group)
        while waiting:
            link = waiting.pop(0)
            order.append(link)
            if rule.traversal == "depth_first":
                waiting = children(link) + waiting
            else:
                waiting += children(link)
    return order


def _groups(tree: Tree, together: bool, floating_last: bool) -> list[list[int]]:
    """The roots, by articulation. A root with a free joint is always one of its own."""
    free = {i for i in tree.roots if any(j.kind == "free" for j in tree.links[i].joints)}
    held = [i for i in tree.roots if i not in free]
    groups = [[i] for i in tree.roots]
    if together:
        first = held[:1]  # none, if all are free
        groups = [held if [i] == first else [i] for i in tree.roots if i in free or [i] == first]
    return sorted(groups, key=lambda group: group[0] in free) if floating_last else groups


def _merged(tree: Tree, links: Iterable[int]) -> list[int]:
    """Links, with each welded one replaced by its children, in its place."""
    waiting, kept = list(links), []
    while waiting:
        link = waiting.pop(0)
        if tree.links[link].welded:
            waiting = list(tree.children[link]) + waiting
        else:
            kept.append(link)
    return kept


def _key(link: Link, moves: bool) -> str:
    """The name of the joint that holds a link; code points sort as the bytes of UTF-8 do.

    Where nothing of a link moves, its place does not matter to joints, and it may have no name.
    """
    name = link.joints[0].name if link.joints else link.name
    if not name and moves:
        what = "joint" if link.joints else "body"
        raise ConventionError(
            f"siblings are sorted by name, and a {what} has none"
            + (f" (on body {link.name!r})" if link.name else "")
            + ": name it in the file"
        )
    return name


def _kind(link: Link) -> int:
    """The place of a link's joint among the kinds of PhysX; of several joints it makes a D6."""
    if len(link.joints) > 1:
        return KINDS.index("planar")
    return KINDS.index(link.joints[0].kind) if link.joints else KINDS.index("fixed")


def _named(name: str, what: str, link: Link) -> str:
    if not name:
        where = f" on body {link.name!r}" if link.name and what == "joint" else ""
        raise ConventionError(
            f"a {what}{where} has no name: name it in the file."
            " Permutations do without names, unless siblings are sorted by them"
        )
    return name
