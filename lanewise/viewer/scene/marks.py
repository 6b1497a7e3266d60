"""Marks over the bodies: what is selected, how another system reads it, what the mouse holds."""

from typing import Any

import numpy as np

from ..wording import Reading

ACCENT = (38, 132, 255)
LINEAR, ANGULAR = (0, 150, 136), (171, 71, 188)  # of velocities
HELD = (255, 152, 0)
AROUND = np.linspace(0.0, 2.0 * np.pi, 49)


class Marks:
    """Made once, moved and shown as needed. `size` [m] is that of a world."""

    def __init__(self, server: Any, size: float):
        self._size = size
        scene = server.scene
        self._label = scene.add_label("/marks/label", "", anchor="bottom-center", visible=False)
        circle = np.stack((np.cos(AROUND), np.sin(AROUND), np.zeros_like(AROUND)), axis=1)
        self._ring = scene.add_line_segments(
            "/marks/ring", np.stack((circle[:-1], circle[1:]), axis=1).astype(np.float32), ACCENT,
            thickness=0.006 * size, visible=False,
        )  # fmt: skip
        self._home = scene.add_frame(
            "/marks/mujoco", axes_length=0.17 * size, axes_radius=0.0045 * size, visible=False
        )
        self._other = scene.add_frame(
            "/marks/reading", axes_length=0.24 * size, axes_radius=0.0025 * size,
            origin_radius=0.011 * size, origin_color=ACCENT, visible=False,
        )  # fmt: skip
        none = np.zeros((1, 2, 3), np.float32)
        wide = {"shaft_radius": 0.006 * size, "head_radius": 0.014 * size,
                "head_length": 0.035 * size}  # fmt: skip
        self._linear = scene.add_arrows("/marks/v", none, LINEAR, **wide, visible=False)
        self._angular = scene.add_arrows("/marks/w", none, ANGULAR, **wide, visible=False)
        self._line = scene.add_line_segments(
            "/marks/line", none, HELD, thickness=0.008 * size, visible=False
        )
        self._ends = [
            scene.add_icosphere(f"/marks/end{k}", radius=0.016 * size, color=HELD, visible=False)
            for k in range(2)
        ]

    def select(
        self, text: str, at: np.ndarray, ring: np.ndarray | None, radius: float = 1.0
    ) -> None:
        """Name what is selected, at a point (3,); a ring of a radius [m] lies around its world, if
        there are several."""
        self._label.visible, self._label.text = bool(text), text
        self._label.position = at + np.array([0.0, 0.0, 0.12 * self._size])
        self._ring.visible = ring is not None
        if ring is not None:
            self._ring.position = ring
            self._ring.scale = radius

    def show_frames(self, home: Reading | None, other: Reading | None, at: np.ndarray) -> None:
        """The body's own frame, and the one of a reading with its velocities; None hides them."""
        self._home.visible = home is not None
        for handle in (self._other, self._linear, self._angular):
            handle.visible = other is not None
        if home is not None:
            self._home.position, self._home.wxyz = home.position + at, home.wxyz
        if other is not None:
            start = other.position + at
            self._other.position, self._other.wxyz = start, other.wxyz
            for handle, motion in ((self._linear, other.linear), (self._angular, other.angular)):
                handle.visible = bool(np.linalg.norm(motion) > 1e-6)
                if handle.visible:
                    reach = 0.25 * self._size * motion / max(1.0, float(np.linalg.norm(motion)))
                    handle.points = np.stack((start, start + reach))[None].astype(np.float32)

    def hold(self, start: np.ndarray | None, end: np.ndarray | None) -> None:
        """A line from a body to the mouse; None takes it away."""
        held = start is not None and end is not None
        self._line.visible = held
        for ball, at in zip(self._ends, (start, end), strict=True):
            ball.visible = held
            if at is not None:
                ball.position = at
        if start is not None and end is not None:
            self._line.points = np.stack((start, end))[None].astype(np.float32)
