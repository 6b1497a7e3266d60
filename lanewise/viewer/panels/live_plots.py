"""Plots of any field or sensor of the selected world, over the last seconds that were recorded.

A value is computed once for each frame of the tape, whenever a plot needs it: so a plot that is
added now has a past, and one looks back in plots as in the picture.
"""

from typing import Any

import numpy as np

from ...fields import DATA
from ..tape import Frame

FIRST = ("qpos", "qvel", "qacc", "ctrl", "actuator_force", "energy", "ncon", "solver_niter",
         "qfrc_constraint", "qfrc_passive", "subtree_com")  # fmt: skip
COLOURS = ("#1971c2", "#e8590c", "#2f9e44", "#c2255c", "#9c36b5", "#f08c00", "#0c8599", "#495057")
MOST_LINES, MOST_POINTS, MOST_NEW = len(COLOURS), 300, 60
SENSOR = "sensor "


class Plot:
    """Some rows of a field, flat, of one world."""

    def __init__(self, view: Any, field: str, rows: list[int], labels: list[str], title: str):
        self.field, self.rows = field, rows
        self._known: dict[int, np.ndarray] = {}  # by the serial numbers of frames
        self._world = -1
        gui = view.server.gui
        lines = [{"label": label, "stroke": COLOURS[k], "width": 1.5}
                 for k, label in enumerate(labels)]  # fmt: skip
        self.folder = gui.add_folder(title)
        with self.folder:
            empty = tuple(np.array([0.0, 1.0]) for _ in range(len(rows) + 1))
            self._chart = gui.add_uplot(
                empty, ({"label": "s"}, *lines), aspect=1.7,
                scales={"x": {"time": False}}, legend={"show": len(rows) > 1},
            )  # fmt: skip
            self.remove = gui.add_button("Remove", icon="x")

    def refresh(self, view: Any, world: int, frames: list[Frame]) -> None:
        if world != self._world:
            self._known, self._world = {}, world
        new = [frame for frame in frames if frame.serial not in self._known][-MOST_NEW:]
        if new:
            values = view.eye.values([self.field], world, new)[self.field][:, self.rows]
            self._known |= {frame.serial: row for frame, row in zip(new, values, strict=True)}
        shown = [frame for frame in frames if frame.serial in self._known]
        self._known = {frame.serial: self._known[frame.serial] for frame in shown}
        if len(shown) > 1:
            lines = np.array([self._known[frame.serial] for frame in shown]).T
            clocks = np.array([frame.clock for frame in shown])
            self._chart.data = (clocks, *(np.ascontiguousarray(line) for line in lines))


class Plots:
    """What is plotted, and what more could be."""

    def __init__(self, view: Any):
        self._view, gui = view, view.server.gui
        self._plots: list[Plot] = []
        names = [f.name for f in DATA if not f.own]
        first = [name for name in FIRST if name in names]
        sensors = [f"{SENSOR}{name or k}" for k, name in enumerate(view.names("sensor"))]
        rest = sorted(set(names) - set(first) - {"sensordata"})
        self._what = gui.add_dropdown("Field", (*first, *sensors, *rest))
        self._rows = gui.add_text("Rows", "", hint="such as 0, 2, 7-9; the first few if empty")
        gui.add_button("Add plot", icon="chart-line").on_click(self._added)
        self._seconds = gui.add_slider("Seconds", min=1, max=60, step=1, initial_value=8)

    def _added(self, event: Any) -> None:
        try:
            self.add(self._what.value, self._rows.value)
        except ValueError as error:
            event.client.add_notification("No plot", str(error), color="red")

    def add(self, what: str, rows: str = "") -> None:
        """Plot a field, such as qpos, or "sensor NAME"; some rows of it, such as "0, 2, 7-9"."""
        view = self._view
        if what.startswith(SENSOR):
            field, offset, size = "sensordata", *self._place(what.removeprefix(SENSOR))
        else:
            with view.drawing:
                field, offset, size = what, 0, view.eye.size(what)
        if not size:
            raise ValueError(f"{what} has no numbers in this model")
        chosen = numbers(rows, size)[:MOST_LINES]
        labels = [f"{what.removeprefix(SENSOR)}[{k}]" if size > 1 else what for k in chosen]
        with view.drawing:
            with view.plots_tab:
                plot = Plot(view, field, [offset + k for k in chosen], labels, what)
            plot.remove.on_click(lambda _: self._remove(plot))
            self._plots.append(plot)
        view.dirty.set()

    def _place(self, name: str) -> tuple[int, int]:
        m, names = self._view.model, self._view.names("sensor")
        k = names.index(name) if name in names else int(name)
        return int(m.sensor_adr[k]), int(m.sensor_dim[k])

    def _remove(self, plot: Plot) -> None:
        with self._view.drawing:
            if plot in self._plots:
                self._plots.remove(plot)
                plot.folder.remove()

    def refresh(self, frame: Frame) -> None:
        if not self._plots:
            return
        view = self._view
        tape, cursor = view.session.tape, view.session.cursor
        frames = tape.last(float(self._seconds.value), len(tape) - 1 if cursor is None else cursor)
        # every k-th frame of a long time, counted so that it is always the same ones
        k = max(1, len(frames) // MOST_POINTS)
        frames = [f for f in frames[:-1] if f.serial % k == 0] + frames[-1:]
        for plot in list(self._plots):
            plot.refresh(view, view.selected[0], frames)
        view.eye.look(frame)  # the world that was plotted is what it was


def numbers(text: str, size: int) -> list[int]:
    """The numbers that "0, 2, 7-9" means; all of them, if it is empty."""
    if not text.strip():
        return list(range(size))
    found: list[int] = []
    for part in text.replace(";", ",").split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.strip().isdecimal()):
            raise ValueError(f"rows are given as 0, 2, 7-9; got {text!r}")
        found += range(int(first), int(last) + 1) if dash else [int(first)]
    if not found or max(found) >= size:
        raise ValueError(f"rows are from 0 to {size - 1}; got {text!r}")
    return found
