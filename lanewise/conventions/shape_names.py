"""What each system calls the parameters of a shape.

A line lists parameters as name=letters. [..] is an array, ? may be left out, and a bare name is an
attribute: axis, scale, approximation. What the letters stand for:

    x y z   extents of a box, semi-axes of an ellipsoid     e   edge of a cube
    r l     radius, length                                  g   spacing of the lines on a plane
    u v     half width and length of a plane, as drawn      w h the same, full
    W H     full ones, where the plane really ends          n   its normal, three numbers
    d       its offset: n . p = d                           c   the same: n . p + c = 0
    p       points of a mesh                                t f triangles; f: in one long list
    F       both ends of a shape, six numbers

Whether extents and lengths are halves, the rows say, and also which kinds there are at all. What is
read in another form too is in ALSO; there, lengths are halves where their names say so.
"""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

KINDS = ("box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "plane", "mesh")

_ISAACLAB = {
    "box": "size=[xyz]",
    "sphere": "radius=r",
    "capsule": "radius=r height=l axis",
    "cylinder": "radius=r height=l axis",
    "cone": "radius=r height=l axis",
    "plane": "size=[wh]?",
    "mesh": "vertices=p faces=t",
}
_USD = {
    "box": "size=e scale",
    "sphere": "radius=r scale",
    "capsule": "radius=r height=l axis scale",
    "cylinder": "radius=r height=l axis scale",
    "cone": "radius=r height=l axis scale",
    "plane": "width=w? length=h? axis scale",
    "mesh": "points=p faceVertexIndices=f faceVertexCounts approximation scale",
}

NAMES: dict[str, dict[str, str]] = {
    "mujoco": {
        "box": "size=[xyz]",
        "sphere": "size=[r]",
        "capsule": "size=[rl]",
        "cylinder": "size=[rl]",
        "ellipsoid": "size=[xyz]",
        "plane": "size=[uvg]",
        "mesh": "vertex=p face=t",
    },
    "newton": {
        "box": "hx=x hy=y hz=z",
        "sphere": "radius=r",
        "capsule": "radius=r half_height=l",
        "cylinder": "radius=r half_height=l",
        "cone": "radius=r half_height=l",
        "ellipsoid": "rx=x ry=y rz=z",
        "plane": "width=W length=H",
        "mesh": "vertices=p indices=f",
    },
    "isaaclab-2": _ISAACLAB,
    "isaaclab-3": _ISAACLAB,
    "isaacsim": _USD,
    "isaacgym": {
        "box": "width=x height=y depth=z",
        "sphere": "radius=r",
        "capsule": "radius=r length=l",
        "cylinder": "radius=r length=l",
        "plane": "normal=n?",
        "mesh": "vertices=p triangles=t",
    },
    "physx": {
        "box": "halfExtents=[xyz]",
        "sphere": "radius=r",
        "capsule": "radius=r halfHeight=l",
        "cylinder": "radius=r halfHeight=l",
        "plane": "",
        "mesh": "points=p triangles=t",
    },
    "sapien": {
        "box": "half_size=[xyz]",
        "sphere": "radius=r",
        "capsule": "radius=r half_length=l",
        "cylinder": "radius=r half_length=l",
        "plane": "",
        "mesh": "vertices=p triangles=t",
    },
    "drake": {
        "box": "width=x depth=y height=z",
        "sphere": "radius=r",
        "capsule": "radius=r length=l",
        "cylinder": "radius=r length=l",
        "ellipsoid": "a=x b=y c=z",
        "plane": "",
        "mesh": "points=p triangles=t",
    },
    "pinocchio": {  # the arguments of coal's constructors; its fields are halves
        "box": "side=[xyz]",
        "sphere": "radius=r",
        "capsule": "radius=r lz=l",
        "cylinder": "radius=r lz=l",
        "cone": "radius=r lz=l",
        "ellipsoid": "radii=[xyz]",
        "plane": "n=n d=d",
        "mesh": "vertices=p triangles=t",
    },
    "pybullet": {
        "box": "halfExtents=[xyz]",
        "sphere": "radius=r",
        "capsule": "radius=r height=l",
        "cylinder": "radius=r height=l",
        "plane": "planeNormal=n?",
        "mesh": "vertices=p indices=f",
    },
    "genesis": {
        "box": "size=[xyz]",
        "sphere": "radius=r",
        "capsule": "radius=r height=l",
        "cylinder": "radius=r height=l",
        "ellipsoid": "size=[xyz]",
        "plane": "normal=n?",
        "mesh": "verts=p faces=t",
    },
    "ros": {  # shape_msgs
        "box": "dimensions=[xyz]",
        "sphere": "dimensions=[r]",
        "cylinder": "dimensions=[lr]",
        "cone": "dimensions=[lr]",
        "plane": "coef=[nc]",
        "mesh": "vertices=p triangles=t",
    },
    "usd": _USD,
    "smpl": {"mesh": "v_template=p faces=t"},
}

# USD Physics has no shapes of its own, but the descriptors of its parser (UsdPhysics.CubeShapeDesc)
_USD_PHYSICS = {
    "box": "halfExtents=[xyz]",
    "capsule": "radius=r halfHeight=l axis",
    "cylinder": "radius=r halfHeight=l axis",
    "cone": "radius=r halfHeight=l axis",
}
_FROM_TO = "size=[r] fromto=[F]"

ALSO: dict[str, dict[str, str]] = {
    "usd": _USD_PHYSICS,
    "isaacsim": _USD_PHYSICS,
    "mujoco": {"capsule": _FROM_TO, "cylinder": _FROM_TO, "box": _FROM_TO, "ellipsoid": _FROM_TO},
    "newton": {"plane": "plane=[nc] width=W length=H"},
}


@dataclass(frozen=True)
class Parameter:
    name: str
    letters: str
    array: bool
    optional: bool

    @property
    def widths(self) -> tuple[int, ...]:
        return tuple({"n": 3, "F": 6}.get(letter, 1) for letter in self.letters)


@dataclass(frozen=True)
class Line:
    """Parameters of a kind of shape, and attributes that it may have."""

    parameters: tuple[Parameter, ...]
    attributes: tuple[str, ...]

    @property
    def known(self) -> list[str]:
        return [*(p.name for p in self.parameters), *self.attributes]

    @property
    def halves(self) -> bool:
        """Whether a name says that it is half of something."""
        return any(p.name.startswith("half") for p in self.parameters)

    def has_all(self, names: Collection[str]) -> bool:
        """Whether these are parameters of it, and all that it needs."""
        needed = {p.name for p in self.parameters if not p.optional}
        return needed <= set(names) <= set(self.known)


def line(name: str, kind: str) -> Line | None:
    """What a system calls the parameters of a kind of shape; None if nobody has said."""
    return _parsed(NAMES.get(name, {}).get(kind))


def other_line(name: str, kind: str) -> Line | None:
    """Parameters of another form in which it is read too."""
    return _parsed(ALSO.get(name, {}).get(kind))


@cache
def _parsed(text: str | None) -> Line | None:
    if text is None:
        return None
    parameters, attributes = [], []
    for word in text.split():
        key, _, letters = word.partition("=")
        if letters:
            bare = letters.rstrip("?")
            parameters.append(Parameter(key, bare.strip("[]"), "[" in bare, bare != letters))
        else:
            attributes.append(key)
    return Line(tuple(parameters), tuple(attributes))
