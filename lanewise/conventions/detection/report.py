"""A detection as text: what it found, what each other choice would leave, and the code to convert.

Bars are on a logarithmic scale. The first is the best reading; each of the others is the best of
all that make one choice differently. A bar as short as the first is a choice that the log leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..systems import SYSTEMS, System, system
from .readings import DETECTED

if TYPE_CHECKING:
    from .verdict import Detection

SMALLEST = 1e-7  # share of the motion that is drawn as no bar
ARRANGED = {
    "same": "velocity of the logged point",
    "ahead": "velocity of the point com away",
    "behind": "velocity of the point -com away",
    "world": "velocity at the world's origin",
}
CODES = {"good": "32", "bad": "33", "faint": "2", "bold": "1"}


def rivals(d: Detection) -> list[tuple[str, float, bool]]:
    """(what is read differently, least residual that it leaves, whether it remains possible)"""
    best = d.residuals[0]
    arranged = dict(ARRANGED)
    if not any(r.points == "behind" for r in d.residuals):  # com was not given
        arranged["ahead"] = "velocity of another point"
    out = []
    for name in best.words:
        for value in dict.fromkeys(r.words[name] for r in d.residuals):
            rest = [r for r in d.residuals if r.words[name] == value]
            if value != best.words[name] and rest:
                out.append((f"{name} {value}", rest[0].residual, any(r.possible for r in rest)))
    for points in dict.fromkeys(r.points for r in d.residuals):
        rest = [r for r in d.residuals if r.points == points]
        if points != best.points:
            out.append((arranged[points], rest[0].residual, any(r.possible for r in rest)))
    return out


def report(d: Detection, *, colour: bool, width: int, target: str) -> str:
    def paint(text: str, how: str) -> str:
        return f"\033[{CODES[how]}m{text}\033[0m" if colour else text

    lines = []
    for name in DETECTED:
        value = getattr(d, name)
        if d.decided(name):
            lines.append(f"{name:<16}{paint(value, 'good')}")
        else:
            either = "" if name == "up" else f", {' or '.join(d.possible[name])}:"
            lines.append(f"{name:<16}{paint('undecided', 'bad')}{either}")
            lines += [f"{'':<16}{paint(line, 'faint')}" for line in
                      _wrapped(d.undecided[name], width - 16)]  # fmt: skip
    if d.gravity is not None:
        lines.append(f"{'gravity':<16}{_vector(d.gravity)}")
    if d.com is not None:
        lines.append(f"{'com':<16}{_vector(d.com)}")
    lines += ["", *_wrapped(f"As in: {_systems(d)}", width)]
    lines += ["", "What readings leave of the motion (1 is all of it; logarithmic):"]
    lines += _bars(d, width, paint)
    for note in d.notes:
        lines += ["", *_wrapped(f"Note: {note}.", width)]
    lines += ["", f"To convert it to {target}:", paint(code(d, target), "bold")]
    return "\n".join(lines)


def _systems(d: Detection) -> str:
    if len(d.systems) == len(SYSTEMS):
        return f"any of the {len(SYSTEMS)} systems, the log tells none from another"
    return ", ".join(d.systems) or "no system of the table"


def _bars(d: Detection, width: int, paint) -> list[str]:
    rows = [("the best", d.residual, True), *rivals(d)]
    room = max(8, width - 12 - max(len(row[0]) for row in rows))
    lines = []
    for k, (name, residual, possible) in enumerate(rows):
        share = np.log(max(residual, SMALLEST) / SMALLEST) / np.log(2.0 / SMALLEST)
        bar = "#" * max(1, round(room * min(share, 1.0)))
        how = "good" if k == 0 else "bad" if possible else "faint"
        lines.append(f"{residual:9.1e} {paint(bar, how)} {name}")
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > max(width, 20):
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _vector(x: np.ndarray) -> str:
    return f"({', '.join(f'{v + 0.0:.4g}' for v in np.round(x, 6))})"


# ---- code


def code(d: Detection, target: str) -> str:
    """The line that converts pos, quat and twist; before it, what it assumes if it has to."""
    goal = system(target)
    row = _source(d, goal)
    lines = []
    open_ = [f"{name} ({d.best[name]} is taken)" for name in d.undecided if name != "up"]
    if open_:
        lines.append(f"# the log cannot tell {', '.join(open_)}")
    source = repr(row.name) if row.name in SYSTEMS else "cv.detect(pos, quat, twist, dt).row()"
    parts = "[pos, quat]" if row.pose_layout == "position_first" else "[quat, pos]"
    lines.append(f"q, v = cv.convert_free_state(np.hstack({parts}), twist, {source},"
                 f" {goal.name!r}{_body(d, row, goal)})")  # fmt: skip
    return "\n".join(lines)


def _source(d: Detection, goal: System) -> System:
    """A system that the log may be of, the target if it is one, or else a row of its own."""
    best = d.row()
    told = [name for name in DETECTED if name != "up"]
    fitting = [row for row in map(system, d.systems)
               if all(getattr(row, name) == getattr(best, name) for name in told)]  # fmt: skip
    fitting.sort(key=lambda row: (row.name != goal.name, row.pose_axes != "body"))
    return fitting[0] if fitting else best


def _body(d: Detection, row: System, goal: System) -> str:
    parts = []
    if (row.pose_point, row.velocity_point) != (goal.pose_point, goal.velocity_point):
        known = "..." if d.com is None else str(tuple(float(f"{x:.6g}") for x in d.com))
        parts.append(f"com={known}")
    if row.pose_axes != goal.pose_axes:
        parts.append("inertia=...")
    return f", body=cv.Body({', '.join(parts)})" if parts else ""


# ---- plain data


def as_dict(d: Detection) -> dict[str, Any]:
    def plain(x: np.ndarray | None) -> list[float] | None:
        return None if x is None else [float(v) for v in x]

    return {
        **{name: getattr(d, name) for name in DETECTED},
        "gravity": plain(d.gravity), "com": plain(d.com), "systems": list(d.systems),
        "residual": d.residual, "next_residual": d.next_residual, "next": d.next,
        "undecided": d.undecided, "possible": {k: list(v) for k, v in d.possible.items()},
        "best": d.best, "notes": list(d.notes),
        "residuals": {name: residual for name, residual, _ in rivals(d)},
    }  # fmt: skip
