"""What the numbers of each system mean: one row a system, with the evidence for every cell.

The rows are data, in systems.toml. ATTRIBUTES says what each column is and what may stand in it. A
row has a value in every column, so that any two systems can be converted into each other; where a
system has no such number of its own, the evidence starts with "assumed" and says what was taken.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..errors import ConventionError, did_you_mean

POINTS = ("origin", "com", "world_origin")
BASES = ("world", "body")
UNITS = ("rad", "deg")
AXES = ("x", "y", "z", "-x", "-y", "-z")
KINDS_OF_EVIDENCE = ("run", "source", "seed", "general", "assumed")

# column -> (what may stand in it, what it says)
ATTRIBUTES: dict[str, tuple[tuple[str, ...], str]] = {
    "quaternion": (("wxyz", "xyzw"), "order of a quaternion in memory"),
    "quaternion_text": (("wxyz", "xyzw"), "order in files, constructors and printed text"),
    "rotation": (("active", "passive"), "maps body to world (active) or world to body (passive)"),
    "matrix": (("columns", "rows"), "vectors are columns, x' = R x, or rows, x' = x R'"),
    "pose_layout": (("position_first", "rotation_first"), "what comes first in a pose"),
    "pose_point": (("origin", "com"), "the point of the body that the position is of"),
    "pose_axes": (("body", "principal"), "the axes that the orientation is of"),
    "order": (("linear_first", "angular_first"), "order of a 6-vector of velocity"),
    "velocity_point": (POINTS, "the point whose linear velocity is given"),
    "linear_basis": (BASES, "axes of the linear velocity"),
    "angular_basis": (BASES, "axes of the angular velocity"),
    "angular_unit": (UNITS, "unit of angular velocity, per second"),
    "wrench_order": (("force_first", "torque_first"), "order of a 6-vector of force"),
    "wrench_point": (POINTS, "the point that the torque is about"),
    "wrench_basis": (BASES, "axes of force and torque"),
    "angle_unit": (UNITS, "unit of angles in the system's files and arguments"),
    "length_unit": (("m", "cm"), "unit of lengths"),
    "up": (AXES, "the axis that points up where nobody says otherwise"),
    "handedness": (("right", "left"), "of the axes"),
    "traversal": (("depth_first", "breadth_first"), "order of joints along the tree"),
    "siblings": (("file", "joint_name"), "order of the joints of one parent"),
    "box": (("half_extents", "full_extents", "none"), "parameters of a box"),
    "capsule": (("half_length", "full_length", "none"), "length, always without the caps"),
    "cylinder": (("half_length", "full_length", "none"), "length of a cylinder"),
    "cone": (("half_length", "full_length", "none"), "height; centred, apex on the positive axis"),
    "ellipsoid": (("semi_axes", "none"), "parameters of an ellipsoid"),
    "shape_axis": (("x", "y", "z"), "axis of capsule, cylinder and cone"),
    "plane_normal": (("x", "y", "z", "none"), "normal of a plane"),
    "mesh": (("hull", "triangles", "none"), "what collides of a mesh"),
}


@dataclass(frozen=True)
class System:
    """One row. `evidence` has for each column how its value is known; `notes` what to beware of."""

    name: str
    title: str
    version: str
    quaternion: str
    quaternion_text: str
    rotation: str
    matrix: str
    pose_layout: str
    pose_point: str
    pose_axes: str
    order: str
    velocity_point: str
    linear_basis: str
    angular_basis: str
    angular_unit: str
    wrench_order: str
    wrench_point: str
    wrench_basis: str
    angle_unit: str
    length_unit: str
    up: str
    handedness: str
    traversal: str
    siblings: str
    box: str
    capsule: str
    cylinder: str
    cone: str
    ellipsoid: str
    shape_axis: str
    plane_normal: str
    mesh: str
    evidence: Mapping[str, str] = field(repr=False, hash=False)
    notes: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        for name, (allowed, _) in ATTRIBUTES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ConventionError(
                    f"{self.name}: {name} must be one of {', '.join(allowed)}; got {value!r}"
                )

    def defines(self, attribute: str) -> bool:
        """Whether the system has such numbers of its own."""
        return not self.evidence[attribute].startswith("assumed")


class Systems(Mapping[str, System]):
    """The rows by name. An unknown name raises with the names that are known."""

    def __init__(self, rows: Mapping[str, System]):
        self._rows = dict(rows)

    def __getitem__(self, name: str) -> System:
        try:
            return self._rows[name]
        except (KeyError, TypeError):
            raise ConventionError(
                f"unknown system {name!r}{did_you_mean(name, self._rows)};"
                f" known are {', '.join(self._rows)}"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: object) -> bool:
        return name in self._rows

    def __repr__(self) -> str:
        return f"SYSTEMS({', '.join(self._rows)})"


def system(name_or_row: "str | System") -> System:
    """The row of a name; a row is returned as it is, so that people can convert with their own."""
    return name_or_row if isinstance(name_or_row, System) else SYSTEMS[name_or_row]


def read_rows(text: str) -> dict[str, System]:
    """Rows of TOML: a table a system, a cell [value, evidence]."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConventionError(f"rows are no TOML: {error}") from None
    return {name: _read_row(name, cells) for name, cells in tables.items()}


def _read_row(name: str, cells: Any) -> System:
    needed = ("title", "version", *ATTRIBUTES)
    if not isinstance(cells, dict):
        raise ConventionError(f"{name} must be a table, [{name}]; got {cells!r}")
    missing = [c for c in needed if c not in cells]
    if missing:
        raise ConventionError(f"{name} has no {', '.join(missing)}")
    for c in cells:
        if c not in (*needed, "notes"):
            raise ConventionError(f"{name}: unknown column {c!r}{did_you_mean(c, needed)}")
    for c in ATTRIBUTES:
        pair = cells[c]
        if not (
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, str) for x in pair)
        ):
            raise ConventionError(f"{name}: {c} must be [value, evidence]; got {pair!r}")
        kind, _, words = pair[1].partition(":")
        if kind not in KINDS_OF_EVIDENCE or not words.strip():
            raise ConventionError(
                f"{name}: evidence of {c} must be one of {', '.join(KINDS_OF_EVIDENCE)}, a colon,"
                f" and what it is; got {pair[1]!r}"
            )
    return System(
        name=name, title=cells["title"], version=cells["version"],
        **{c: cells[c][0] for c in ATTRIBUTES}, evidence={c: cells[c][1] for c in ATTRIBUTES},
        notes=tuple(cells.get("notes", ())),
    )  # fmt: skip


assert [f.name for f in fields(System)][3:-2] == list(ATTRIBUTES)

SYSTEMS = Systems(read_rows(Path(__file__).with_name("systems.toml").read_text()))
