"""Conversions of a million states and rotations, and detection: python -m bench.conventions.

The figures go into docs/benchmarks.md, too. Each conversion runs a few times; the best counts. GB/s
is what is read and written, once each.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from lanewise.cli import terminal
from lanewise.conventions.axes import convert_up_axis
from lanewise.conventions.body import Body
from lanewise.conventions.rotations import convert_quaternion, convert_rotation
from lanewise.conventions.state import convert_free_state, convert_wrench

from . import detect, report

HEADS = ("a million of", "seconds", "GB/s")
BODY = Body(com=(0.13, -0.08, 0.21), mass=2.7, inertia=(0.021, 0.034, 0.048))

STATES = (
    ("newton", "isaaclab-2"),  # only the quaternion's order differs
    ("drake", "mujoco"),
    ("mujoco", "isaaclab-2"),
    ("pinocchio", "newton"),
    ("mujoco", "pybullet"),
    ("modern-robotics-spatial", "ptera"),
)
ROTATIONS = (
    ("wxyz", "matrix"),
    ("matrix", "wxyz"),
    ("wxyz", "axis_angle"),
    ("axis_angle", "wxyz"),
    ("matrix", "sixd_columns"),
    ("sixd_columns", "wxyz"),
    ("wxyz", "euler_xyz_intrinsic_deg"),
    ("euler_xyz_intrinsic_deg", "wxyz"),
)


def seconds(call: Callable[[], object], rounds: int = 3) -> float:
    """The best of some rounds."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best


def cases(number: int) -> Iterator[tuple[str, Callable[[], object], int]]:
    """(what is converted, a call that does it, bytes that are read and written)"""
    g = np.random.default_rng(0)
    q = g.normal(size=(number, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    v, p = g.normal(size=(number, 6)), g.normal(size=(number, 3))
    pose, drake = np.concatenate([p, q], 1), np.concatenate([q, p], 1)
    size = pose.nbytes + v.nbytes
    for a, b in STATES:
        x = drake if a == "drake" else pose
        yield f"state {a} to {b}", partial(convert_free_state, x, v, a, b, body=BODY), 2 * size

    call = partial(convert_free_state, source="drake", target="mujoco", body=BODY)
    out = np.empty_like(pose), np.empty_like(v)
    yield "state drake to mujoco, out=", partial(call, drake, v, out=out), 2 * size
    small = drake.astype(np.float32), v.astype(np.float32)
    yield "state drake to mujoco, float32", partial(call, *small), size
    yield ("wrench mujoco to pinocchio",
           partial(convert_wrench, v, "mujoco", "pinocchio", pose=pose, body=BODY),
           2 * v.nbytes + pose.nbytes)  # fmt: skip

    reorder = partial(convert_quaternion, q, "wxyz", "xyzw")
    yield "quaternion wxyz to xyzw", reorder, 2 * q.nbytes
    yield "quaternion wxyz to xyzw, out=", partial(reorder, out=np.empty_like(q)), 2 * q.nbytes
    for a, b in ROTATIONS:
        x = convert_rotation(q, "wxyz", a)
        written = number * convert_rotation(x[:1], a, b).nbytes
        yield f"{a} to {b}", partial(convert_rotation, x, a, b), x.nbytes + written
    yield "point y-up to z-up", partial(convert_up_axis, p, "y", "z", kind="point"), 2 * p.nbytes
    yield "a copy, for comparison", partial(np.copyto, out[0], pose), 2 * pose.nbytes


def measure(number: int = 1_000_000) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for name, call, size in cases(number):
        took = seconds(call)
        rows.append((name, f"{took:.3f}", f"{size / took / 1e9:.1f}"))
    return rows


def write() -> None:
    """Measure, print, and fill the section of docs/benchmarks.md."""
    converted, detected = measure(), detect.measure()
    print(terminal.table(converted, HEADS))
    print(terminal.table(detected, detect.HEADS))
    block = (
        report.markdown_table(HEADS, converted, 1)
        + "\n\n"
        + report.markdown_table(detect.HEADS, detected, 0)
    )
    page = report.DOCS / "benchmarks.md"
    page.write_text(report.fill(page.read_text(), block, report.CONVERSIONS))


if __name__ == "__main__":
    write()
