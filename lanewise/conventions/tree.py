"""Kinematic trees, as far as the order of joints and bodies depends on them.

A link hangs on its parent by one joint, by several (MuJoCo allows it) or by none, when it is
welded. Links are kept depth first, with siblings in the order of their file: from this order every
other one is made. In URDF the order of siblings is that of the <joint> elements; where the <link>
elements stand does not count (measured with MuJoCo, Drake and PyBullet).

The same robot may be read from MJCF, URDF or USD, and some systems sort siblings for one kind of
file and not for another. So a tree remembers the kind of file.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import ConventionError, did_you_mean
from .arrays import choice

FILES = ("mjcf", "urdf", "usd")

# kind of joint -> number of velocities that it has
JOINTS = {"hinge": 1, "slide": 1, "ball": 3, "planar": 3, "free": 6, "fixed": 0}

OF_MUJOCO = ("free", "ball", "slide", "hinge")  # by mjtJoint
OF_URDF = {
    "revolute": "hinge", "continuous": "hinge", "prismatic": "slide", "fixed": "fixed",
    "floating": "free", "planar": "planar", "ball": "ball", "spherical": "ball",
}  # fmt: skip


@dataclass(frozen=True)
class Joint:
    """A joint: its name ("" if it has none) and its kind, one of JOINTS."""

    name: str
    kind: str

    @property
    def nv(self) -> int:
        """How many numbers its velocity has."""
        return JOINTS[self.kind]


@dataclass(frozen=True)
class Link:
    """A link: its name, the number of its parent (-1: none), and the joints in between.

    In a file where joints are not nested in links, line is the place of its joint, and listed its
    own place.
    """

    name: str
    parent: int
    joints: tuple[Joint, ...] = ()
    line: int = 0
    listed: int = 0

    @property
    def welded(self) -> bool:
        """Held by its parent, and without a coordinate of its own."""
        return self.parent >= 0 and not any(j.nv for j in self.joints)


@dataclass(frozen=True)
class Tree:
    """Links, depth first with siblings in the order of the file, and the kind of the file.

    file is "mjcf", "urdf", "usd", or None if nobody knows.
    """

    links: tuple[Link, ...]
    file: str | None = None
    children: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.file is not None:
            choice(self.file, FILES, "file")
        children: list[list[int]] = [[] for _ in self.links]
        for i, link in enumerate(self.links):
            if not -1 <= link.parent < i:
                raise ConventionError(
                    f"link {i}, {link.name!r}, has parent {link.parent}: parents must come before"
                    " their children, and be -1 at a root"
                )
            for joint in link.joints:
                choice(joint.kind, tuple(JOINTS), f"kind of joint {joint.name!r}")
            if link.parent >= 0:
                children[link.parent].append(i)
        object.__setattr__(self, "children", tuple(map(tuple, children)))
        _check_unique((link.name for link in self.links), "links")
        _check_unique((j.name for link in self.links for j in link.joints), "joints")

    @property
    def roots(self) -> tuple[int, ...]:
        """The links that hang on no other."""
        return tuple(i for i, link in enumerate(self.links) if link.parent < 0)

    def subtree(self, name: str) -> "Tree":
        """The tree from one link on, which is its root: one articulation of a larger scene."""
        names = [link.name for link in self.links]
        if name not in names:
            raise ConventionError(f"no link {name!r}{did_you_mean(name, names)}; {_listed(names)}")
        number: dict[int, int] = {}
        links: list[Link] = []
        for i, link in enumerate(self.links):
            if link.name == name or link.parent in number:
                number[i] = len(links)
                links.append(replace(link, parent=number.get(link.parent, -1)))
        return Tree(tuple(links), self.file)

    @classmethod
    def from_model(cls, model: Any) -> "Tree":
        """Of an MjModel, or whatever has its fields. Body 0 is the world and no link.

        The kind of file is "mjcf". MuJoCo compiles URDF as well, but a model does not tell.
        """
        names = bytes(model.names)

        def name(address: int) -> str:
            return names[address : names.index(b"\0", address)].decode()

        joints: list[list[Joint]] = [[] for _ in range(int(model.nbody))]
        for j in range(int(model.njnt)):
            kind = OF_MUJOCO[int(model.jnt_type[j])]
            body = int(model.jnt_bodyid[j])
            joints[body].append(Joint(name(int(model.name_jntadr[j])), kind))
        links = []
        for b in range(1, int(model.nbody)):
            parent = int(model.body_parentid[b]) - 1
            links.append(Link(name(int(model.name_bodyadr[b])), parent, tuple(joints[b]), b, b))
        return cls(tuple(links), "mjcf")

    @classmethod
    def from_urdf(cls, source: str | Path) -> "Tree":
        """Of the text or the path of a URDF file. Mimic joints are joints like all others."""
        robot = _urdf_root(source)
        links = [_attribute(e, "name", "a <link>") for e in robot.findall("link")]
        rows = []
        for e in robot.findall("joint"):
            name = _attribute(e, "name", "a <joint>")
            kind = _attribute(e, "type", f"joint {name!r}")
            if kind not in OF_URDF:
                raise ConventionError(
                    f"joint {name!r} has type {kind!r}{did_you_mean(kind, OF_URDF)};"
                    f" known are {', '.join(OF_URDF)}"
                )
            ends = [e.find("parent"), e.find("child")]
            if None in ends:
                raise ConventionError(f"joint {name!r} has no <parent> or no <child>")
            parent, child = (_attribute(end, "link", f"joint {name!r}") for end in ends)
            rows.append((name, parent, child, OF_URDF[kind]))
        _check_unique(links, "links")
        tree = cls.from_joints(rows, links=links, file="urdf")
        if len(tree.roots) > 1:
            roots = [tree.links[i].name for i in tree.roots]
            raise ConventionError(f"a URDF robot has one root; links without a parent: {roots}")
        return tree

    @classmethod
    def from_joints(
        cls, rows: Iterable[Sequence[str]], *, file: str | None = None, links: Iterable[str] = ()
    ) -> "Tree":
        """Of rows (joint, parent, child) or (joint, parent, child, kind), in the file's order.

        A joint is a hinge if its kind is not said. `links` may name links that have no joint.
        """
        known = dict.fromkeys(links)
        complete = bool(known)
        below: dict[str, list[tuple[str, Joint, int]]] = {}
        above: dict[str, str] = {}
        for line, row in enumerate(rows):
            if isinstance(row, str) or not 3 <= len(row) <= 4:
                raise ConventionError(f"a row is (joint, parent, child[, kind]); got {row!r}")
            joint, parent, child = row[:3]
            for end in (parent, child):
                if end not in known and complete:
                    raise ConventionError(
                        f"joint {joint!r} names link {end!r}{did_you_mean(end, known)},"
                        " which is not there"
                    )
            known |= dict.fromkeys((parent, child))
            if child in above:
                raise ConventionError(
                    f"link {child!r} has two parents, {above[child]!r} and {parent!r}:"
                    " a tree has no loops; leave out the joint that closes the loop"
                )
            above[child] = parent
            below.setdefault(parent, []).append((child, Joint(joint, (*row, "hinge")[3]), line))
        made = _depth_first([name for name in known if name not in above], below, list(known))
        if len(made) < len(known):
            lost = [name for name in known if name not in {link.name for link in made}]
            raise ConventionError(f"these links hang in a loop, on no root: {_listed(lost)}")
        return cls(tuple(made), file)

    @classmethod
    def from_nested(cls, nested: Mapping[str, Any], *, file: str | None = None) -> "Tree":
        """Of {root: {joint: {joint: {...}}}}: all are hinges, and links are named like them."""
        links: list[Link] = []
        stack = [(name, -1, inner) for name, inner in reversed(list(nested.items()))]
        while stack:
            name, parent, inner = stack.pop()
            if not isinstance(inner, Mapping):
                raise ConventionError(f"{name!r} must hold a dictionary of joints; got {inner!r}")
            joints = (Joint(name, "hinge"),) if parent >= 0 else ()
            links.append(Link(name, parent, joints, len(links), len(links)))
            stack += [(n, len(links) - 1, i) for n, i in reversed(list(inner.items()))]
        return cls(tuple(links), file)


def as_tree(source: Any) -> Tree:
    """The tree of a model, of URDF (text or path), of nested dictionaries, or the tree itself."""
    if isinstance(source, Tree):
        return source
    if isinstance(source, Mapping):
        return Tree.from_nested(source)
    if isinstance(source, str | Path):
        return Tree.from_urdf(source)
    if all(hasattr(source, name) for name in ("body_parentid", "jnt_bodyid", "name_jntadr")):
        return Tree.from_model(source)
    raise ConventionError(
        "joint orders need an MjModel, a lanewise Model, a Tree, the text or path of a URDF file,"
        f" or nested dictionaries {{root: {{joint: {{...}}}}}}; got {type(source).__name__}"
    )


def _depth_first(
    roots: list[str], below: Mapping[str, list[tuple[str, Joint, int]]], listed: list[str]
) -> list[Link]:
    place = {name: i for i, name in enumerate(listed)}
    made: list[Link] = []
    stack = [Link(name, -1, listed=place[name]) for name in reversed(roots)]
    while stack:
        link = stack.pop()
        made.append(link)
        here = len(made) - 1
        stack += [Link(child, here, (joint,), line, place[child])
                  for child, joint, line in reversed(below.get(link.name, []))]  # fmt: skip
    return made


def _urdf_root(source: str | Path) -> ElementTree.Element:
    text = str(source)
    if "<" not in text:
        try:
            text = Path(source).read_text()
        except OSError as error:
            raise ConventionError(f"cannot read URDF file {str(source)!r}: {error}") from None
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ConventionError(f"not a URDF file: {error}") from None
    if robot.tag != "robot":
        advice = "; load MJCF with MuJoCo and pass the model" if robot.tag == "mujoco" else ""
        raise ConventionError(f"a URDF file has a <robot>; got <{robot.tag}>{advice}")
    if any("xacro" in e.tag for e in robot.iter()):
        raise ConventionError("this is xacro: expand it first (xacro robot.urdf.xacro)")
    return robot


def _attribute(element: Any, name: str, where: str) -> str:
    value = element.get(name)
    if not value:
        raise ConventionError(f"{where} has no {name}")
    return value


def _check_unique(names: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name and name in seen:
            raise ConventionError(
                f"two {what} are called {name!r}: orders go by name, so give each a name of its own"
                " (when models are put together: a prefix for each)"
            )
        seen.add(name)


def _listed(names: Sequence[str], most: int = 12) -> str:
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return "there are " + ", ".join(map(repr, names[:most])) + more
