"""The text of docs/conventions.md, from the rows of systems.toml; make_docs.py writes it."""

from collections import Counter
from pathlib import Path

from lanewise.conventions.state import pose_text
from lanewise.conventions.systems import ATTRIBUTES, KINDS_OF_EVIDENCE, SYSTEMS, System

DOCS = Path(__file__).resolve().parent.parent / "docs"

HEAD = """<!-- written by `make docs` from lanewise/conventions/systems.toml -->
# Conventions

What the numbers of each system mean, and how that is known. The rows are data,
`lanewise/conventions/systems.toml`: `cv.SYSTEMS["drake"]` is one of them, and every conversion goes
by them. Nothing else knows about a system, so a row of your own converts as well:

```python
from dataclasses import replace

from lanewise import conventions as cv

ours = replace(cv.SYSTEMS["mujoco"], name="ours", quaternion="xyzw", angular_basis="world")
q, v = cv.convert_free_state([0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 0, 0, 2], ours, "drake")
```

"""

PAGES = """## One page on every ambiguity

"""

# files in docs/conventions, in the order in which they are listed
AMBIGUITIES = (
    "quaternion-order",
    "active-passive",
    "pose-point",
    "velocity-point",
    "bases",
    "six-vectors",
    "wrench",
    "units",
    "up-axis",
    "euler",
    "sixd",
    "joint-order",
    "shapes",
    "isaac",
    "usd",
    "ptera",
    "stale",
    "detection",
)

# title -> columns; together they are all of ATTRIBUTES
TABLES = {
    "Poses": (
        "quaternion",
        "quaternion_text",
        "rotation",
        "matrix",
        "pose_layout",
        "pose_point",
        "pose_axes",
    ),
    "Velocities": ("order", "velocity_point", "linear_basis", "angular_basis", "angular_unit"),
    "Wrenches": ("wrench_order", "wrench_point", "wrench_basis"),
    "Units and axes": ("angle_unit", "length_unit", "up", "handedness"),
    "Joints": ("traversal", "siblings"),
    "Shapes": (
        "box",
        "capsule",
        "cylinder",
        "cone",
        "ellipsoid",
        "shape_axis",
        "plane_normal",
        "mesh",
    ),
}

GLANCE = """## At a glance

In [monogram notation](notation.md): `v_WBo_W` is the velocity of the body's origin in the world, in
world axes; `Bcm` is the centre of mass, and `Wo` the point of the body that is passing the world's
origin. A torque names the point that it is about. Italics: the system has no such number, and this
is what is taken for it.

| system | pose | of | velocity | wrench | up |
|---|---|---|---|---|---|
"""

EVIDENCE = """## Evidence

| word | means | cells |
|---|---|---|
"""

MEANS = {
    "run": "measured on the real thing, of the version named",
    "source": "read in its source or in its own documents",
    "seed": "a document about it says so, and nothing else was found",
    "general": "common knowledge, not looked up",
    "assumed": "it has no such number, and this is what is taken in its place",
}

SEEDS = """
Seeds are pages of the projects themselves: 000 is Ptera Software's "MuJoCo Conventions", 001 is
SONIC's "Coordinate Frame and Rotation Conventions", 002 MuJoCo's "Simulation", 003 Newton's
"Conventions". Where a seed and a measurement disagree, the row has the measurement, and a page
above says so; 003 has two signs wrong, of [wrenches](conventions/wrench.md) and of
[spatial twists](conventions/velocity-point.md).
"""

POINT = {"origin": "Bo", "com": "Bcm", "world_origin": "Wo"}
AXES = {"world": "W", "body": "B"}


def italic(text: str, assumed: bool) -> str:
    return f"*{text}*" if assumed else text


def cell(row: System, column: str) -> str:
    return italic(getattr(row, column), not row.defines(column))


def anchor(row: System) -> str:
    return f"[{row.name}](#{row.name})"


def glance(row: System) -> str:
    def known(*columns: str) -> bool:
        return all(row.defines(c) for c in columns)

    inverse = "inverse of " if row.rotation == "passive" else ""
    axes = "principal axes" if row.pose_axes == "principal" else "body axes"
    frame = f"`{POINT[row.pose_point]}`, {inverse}{axes}"
    v = f"`v_W{POINT[row.velocity_point]}_{AXES[row.linear_basis]}`"
    w = f"`w_WB_{AXES[row.angular_basis]}`" + (" deg/s" if row.angular_unit == "deg" else "")
    velocity = f"{v}, {w}" if row.order == "linear_first" else f"{w}, {v}"
    f = f"`f_{AXES[row.wrench_basis]}`"
    t = f"`t_{POINT[row.wrench_point]}_{AXES[row.wrench_basis]}`"
    wrench = f"{f}, {t}" if row.wrench_order == "force_first" else f"{t}, {f}"
    cells = (
        anchor(row),
        italic(pose_text(row), not known("quaternion", "pose_layout")),
        italic(frame, not known("pose_point", "pose_axes")),
        italic(velocity, not known("velocity_point", "linear_basis", "angular_basis")),
        italic(wrench, not known("wrench_point", "wrench_basis")),
        cell(row, "up"),
    )
    return "| " + " | ".join(cells) + " |"


def table(title: str, columns: tuple[str, ...]) -> str:
    lines = [f"### {title}", "", "| system | " + " | ".join(columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    for row in SYSTEMS.values():
        cells = [anchor(row), *(cell(row, c) for c in columns)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def columns() -> str:
    lines = ["## Columns", "", "| column | says | one of |", "|---|---|---|"]
    for name, (allowed, what) in ATTRIBUTES.items():
        lines.append(f"| `{name}` | {what} | {', '.join(allowed)} |")
    return "\n".join([*lines, ""])


def evidence() -> str:
    words = [words.split(":")[0] for row in SYSTEMS.values() for words in row.evidence.values()]
    count = Counter(words)
    lines = [f"| {kind} | {MEANS[kind]} | {count[kind]} |" for kind in KINDS_OF_EVIDENCE]
    return EVIDENCE + "\n".join([*lines, SEEDS])


def section(row: System) -> str:
    lines = [f"### {row.name}", "", f"{row.title}, {row.version}.", ""]
    lines += ["| column | value | evidence |", "|---|---|---|"]
    lines += [f"| `{c}` | {cell(row, c)} | {row.evidence[c]} |" for c in ATTRIBUTES]
    if row.notes:
        lines += ["", *(f"- {note}" for note in row.notes)]
    return "\n".join([*lines, ""])


def pages() -> str:
    """The pages on ambiguities, each by its title and its first sentence."""
    lines = []
    for name in AMBIGUITIES:
        title, _, rest = (DOCS / "conventions" / f"{name}.md").read_text().partition("\n")
        first = rest.strip().partition("\n\n")[0].replace("\n", " ").rstrip(".")
        lines.append(f"- [{title.removeprefix('# ')}](conventions/{name}.md): {first}.")
    return PAGES + "\n".join([*lines, ""])


def page() -> str:
    rows = SYSTEMS.values()
    parts = [
        HEAD + pages(),
        GLANCE + "\n".join([*map(glance, rows), ""]),
        "## Tables\n",
        *(table(*item) for item in TABLES.items()),
        columns(),
        evidence(),
        "## Systems\n",
        *map(section, rows),
    ]
    return "\n".join(parts)
